package check

import (
	"maps"

	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
)

// layers is what the names of a program stand for at its end. It never changes, so
// that a program can be continued more than once: new names go into a layer of
// their own. A layer is joined with one that is not much larger, so that there are
// few.
type layers[V any] struct {
	older *layers[V]
	own   map[string]*V
}

func (n *layers[V]) lookup(name string) *V {
	for ; n != nil; n = n.older {
		if s := n.own[name]; s != nil {
			return s
		}
	}
	return nil
}

func (n *layers[V]) with(own map[string]*V) *layers[V] {
	if len(own) == 0 {
		return n
	}
	for n != nil && len(n.own) <= 2*len(own) {
		joined := maps.Clone(n.own)
		maps.Copy(joined, own)
		own, n = joined, n.older
	}
	return &layers[V]{n, own}
}

// end is where a check can go on.
type end struct {
	names    *layers[symbol]
	defs     *layers[syntax.Def]
	ids      map[string]int
	count    int
	work     int
	elements uint64
}

// Defined is the operation that a name stands for at the end of the program, or
// nil.
func (p *Program) Defined(name string) *ir.Node {
	if s := p.end.names.lookup(name); s != nil {
		return s.node
	}
	return nil
}

// Continue checks statements that follow a program without checking it again. The
// file has the new statements only, at their places in the whole text; so has the
// result, but the inputs and the labels, which are of the whole. The Config is that
// of the program.
//
// It is nil when the whole has to be checked to know what there is to say: when the
// statements have an error, or do more than assign, print and define functions, or
// when they bring new labels, which change the size of every labelled graph, or a
// function in place of one of the language, which those before may call.
func Continue(before *Program, f *syntax.File, cfg Config) *Program {
	if !before.Bound || before.Diags.HasErrors() || f.Diags.HasErrors() {
		return nil
	}
	for _, l := range ProgramLabels(f) {
		if _, ok := before.end.ids[l]; !ok {
			return nil
		}
	}
	cfg.Record, cfg.Reuse = nil, nil
	c := newChecker(f, cfg)
	c.labels, c.ids, c.earlier = before.Labels, before.end.ids, before.end.defs
	c.b.Count, c.work, c.elements = before.end.count, before.end.work, before.end.elements
	// Only what the statements mention is in scope. Symbols are copied: the
	// program before keeps its own.
	see := func(name string) {
		if s := before.end.names.lookup(name); s != nil && c.scope.names[name] == nil {
			seen := *s
			c.scope.names[name] = &seen
		}
	}
	defined := make(map[string]bool)
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *syntax.Assign:
			see(s.Name.Name)
			defined[s.Name.Name] = true
		case *syntax.ExprStmt:
			defined[lastValue] = true
		case *syntax.Print:
		case *syntax.Def:
			if stdlib.Lookup(s.Name.Name) != nil || prelude()[s.Name.Name] != nil {
				return nil
			}
		default:
			return nil
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Name:
				see(n.Name)
			case *syntax.Call:
				see(n.Fun.Name)
			}
			return true
		})
	}
	p := &Program{File: f, Bound: true, Inputs: before.Inputs}
	c.program(p)
	c.finish(p)
	if p.Diags.HasErrors() {
		return nil
	}
	maps.DeleteFunc(c.scope.names, func(name string, _ *symbol) bool { return !defined[name] })
	p.end.names = before.end.names.with(c.scope.names)
	return p
}
