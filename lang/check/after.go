package check

import (
	"cmp"
	"maps"
	"slices"

	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// layers is what the names of a program stand for at its end. A program that follows adds a
// layer of its own, so several programs can follow one: nothing in a layer changes but the mark
// that a name was used. A layer is merged with an older one that is not much larger, so that
// there are few.
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

// with returns the names with those of own on top. Neither own nor a layer is changed.
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

// all maps every name to what it stands for.
func (n *layers[V]) all() map[string]*V {
	all := map[string]*V{}
	for ; n != nil; n = n.older {
		for name, s := range n.own {
			all[name] = cmp.Or(all[name], s)
		}
	}
	return all
}

// end is the state at the end of a program, where one that follows continues.
type end struct {
	names     *layers[symbol]
	defs      *layers[function]
	ids       map[string]int
	count     int
	work      int
	elements  uint64
	relations []syntax.Stmt        // what the program says of relations, but for queries
	grown     grown                // the same, checked
	asked     map[string]bool      // the names in queries so far, which facts may turn into constants
	graphs    *layers[source.Span] // where the labels of graphs are
}

// function is a def and, once its program has ended, the functions that its body sees: those
// defined by then.
type function struct {
	*syntax.Def
	sees *layers[function]
}

// Defined returns the operation that a name stands for at the end of the program, or nil.
func (p *Program) Defined(name string) *ir.Node {
	if s := p.end.names.lookup(name); s != nil {
		return s.node
	}
	return nil
}

// follow continues where the program before ends.
func (c *checker) follow(before *Program) {
	c.labels, c.ids = before.Labels, before.end.ids
	c.scope.before, c.earlier, c.written = before.end.names, before.end.defs, before.end.graphs
	c.graphLabels()
	c.b.Count, c.work, c.elements, c.b.Unknown = before.end.count, before.end.work, before.end.elements, !before.Bound
	for _, s := range c.file.Stmts {
		if d, ok := s.(*syntax.Def); ok && c.earlier.lookup(d.Name.Name) != nil {
			// In everything new it replaces the earlier one.
			c.earlier = c.earlier.with(map[string]*function{d.Name.Name: {}})
		}
	}
}

// Forget ends a program with nothing left of some of its facts and rules. What was made of them stays.
func Forget(p *Program, cfg Config, drop func(syntax.Stmt) bool) *Program {
	before := *p
	before.end.relations, before.end.grown = slices.DeleteFunc(slices.Clone(p.end.relations), drop), grown{}
	cfg.After = &before
	return check(&syntax.File{Source: p.File.Source}, cfg, false)
}

// isApart reports whether a program neither says anything of relations nor mentions what those
// before it have to do with. A session of many rules then takes no time for them.
func isApart(f *syntax.File, before *Program) bool {
	apart := true
	names := map[string]bool{}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *syntax.Assign:
			names[s.Name.Name] = true
		case *syntax.ExprStmt, *syntax.Print:
		default: // a function sees no relations, but may take the name of one
			return false
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Name:
				names[n.Name] = true
			case *syntax.Call:
				names[n.Fun.Name] = true
			}
			return true
		})
	}
	for _, s := range before.end.relations {
		if !apart {
			return false
		}
		if in, ok := s.(*syntax.Input); ok {
			apart = !names[in.Name.Name]
			continue
		}
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				apart = apart && !names[n.Fun.Name]
			case *syntax.Index:
				name, ok := n.X.(*syntax.Name)
				apart = apart && (!ok || !names[name.Name])
			}
			return apart
		})
	}
	return apart
}

// grown is the relations for a program that follows: they must be those of this one, all checked,
// without queries, whose types are their own.
func (c *checker) grown(p *Program) grown {
	r, after := c.rel, c.cfg.After
	if c.cfg.Profile != Repl || c.stopped || c.diags.HasErrors() {
		return grown{}
	}
	changes := func(s syntax.Stmt) bool { // what rules read
		switch s := s.(type) {
		case *syntax.Query, *syntax.ExprStmt, *syntax.Print:
			return false
		case *syntax.Assign:
			old := after.end.grown
			return old.relations != nil && (old.byName[s.Name.Name] != nil || old.tensors[s.Name.Name] != nil || old.tensors[s.Name.Name+"[]"] != nil)
		}
		return true
	}
	switch {
	case after != nil && !slices.ContainsFunc(c.file.Stmts, changes):
		return after.end.grown
	case r.whole && !r.vague && !slices.ContainsFunc(r.clauses, func(cl *clause) bool { return cl.of == nil }):
		return grown{r, r.version, p.Relations}
	}
	return grown{}
}

// finish fills in what is only known at the end of a program.
func (c *checker) finish(p *Program) {
	p.Labels, p.Nodes = c.labels, c.b.Count
	// The phases behind go down a tall program by recursion: the stack of 100 operations is there anyway.
	p.Work = c.b.Count + c.rel.parts + 4*max(0, c.b.Height-100)
	if p.Numbered = c.cfg.Numbered; c.rel.numbered && c.rel.domains["node"] != nil {
		p.Numbered = c.rel.domains["node"].Size
	}
	defs := c.earlier.with(c.defs)
	for _, f := range c.defs {
		f.sees = defs
	}
	// A query that was answered is not kept, or a long session would check all of them again; only
	// the names in it are.
	isQuery := func(s syntax.Stmt) bool { _, query := s.(*syntax.Query); return query }
	said, asked := c.rel.stmts, map[string]bool(nil)
	if c.cfg.After != nil {
		asked = c.cfg.After.end.asked
	}
	if slices.ContainsFunc(c.file.Stmts, isQuery) {
		said, asked = slices.DeleteFunc(slices.Clone(said), isQuery), maps.Clone(asked)
		for _, s := range c.file.Stmts {
			if isQuery(s) {
				walkTerms(s, func(n syntax.Node) bool {
					if x, ok := n.(*syntax.Name); ok {
						lists.Put(&asked, x.Name, true)
					}
					return true
				})
			}
		}
	}
	names := &p.symbols.layer
	if *names = (layers[symbol]{own: c.scope.names}); c.scope.before != nil {
		names = c.scope.before.with(c.scope.names)
	}
	p.end = end{names, defs, c.ids, c.b.Count, c.work, c.elements, said, c.grown(p), asked, c.written.with(c.graphs)}
	p.Diags = c.diags
	if c.more > 0 {
		p.Diags = append(p.Diags, *c.andMore())
	}
	if c.stopped {
		p.Diags = append(p.Diags, *c.wasStopped())
	}
	p.Diags.Sort()
}
