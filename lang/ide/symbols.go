package ide

import (
	"slices"
	"sort"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
)

// Symbols returns what the program defines, in the order of the text. The shapes of tensors
// are for a program that is checked.
func (d *Document) Symbols(shapes bool) []Symbol {
	shape := func(source.Span) string { return "" }
	if shapes {
		c := d.check()
		shape = func(s source.Span) string { return detail(c.statements[s.Start]) }
	}
	var list []Symbol
	relations := map[string]bool{}
	for _, s := range flat(d.File().Stmts) {
		if name, ok := syntax.RelationOf(s); ok {
			if !relations[name.Name] { // of many facts and rules the first stands for all
				relations[name.Name] = true
				sym := Symbol{Text: name.Name, Kind: KindTensor, Span: s.Pos(), Name: name.Span}
				if _, input := s.(*syntax.Input); input {
					sym.Kind = KindInput
				}
				if shapes {
					sym.Detail = strings.TrimPrefix(d.relationType(name.Name, s), name.Name)
				}
				list = append(list, sym)
			}
			continue
		}
		switch s := s.(type) {
		case *syntax.Assign:
			list = append(list, Symbol{
				Text: s.Name.Name, Detail: shape(s.Span), Kind: KindTensor, Span: s.Span, Name: s.Name.Span,
			})
		case *syntax.Input:
			list = append(list, Symbol{Text: s.Name.Name, Detail: s.Kind.Name, Kind: KindInput, Span: s.Span, Name: s.Name.Span})
		case *syntax.Def:
			fn := d.defined(s)
			list = append(list, Symbol{Text: s.Name.Name, Detail: fn.Signature, Kind: KindFunction, Span: s.Span, Name: s.Name.Span})
		}
	}
	return list
}

// Folds returns what can be closed: statements and lists of several lines, and runs of
// comment lines.
func (d *Document) Folds() []Fold {
	f := d.File()
	var list []Fold
	line := func(offset int) int { return f.Source.Position(offset).Line }
	add := func(s source.Span, comment bool) {
		if s.Len() > 0 && line(s.Start) < line(s.End) {
			list = append(list, Fold{Span: s, Comment: comment})
		}
	}
	for _, s := range f.Stmts {
		syntax.WalkAll(s, func(n syntax.Node) bool {
			switch n.(type) {
			case syntax.Stmt, *syntax.List, *syntax.Call:
				add(n.Pos(), false)
			}
			return line(n.Pos().Start) < line(n.Pos().End)
		})
	}
	var run source.Span
	for _, c := range f.Comments {
		start := line(c.Span.Start)
		alone := strings.TrimSpace(d.text(source.Span{Start: f.Source.LineAt(c.Span.Start).Start, End: c.Span.Start})) == ""
		if alone && run.Len() > 0 && line(run.End) == start-1 {
			run.End = c.Span.End
		} else {
			add(run, true)
			if run = (source.Span{}); alone {
				run = c.Span
			}
		}
	}
	add(run, true)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Span.Start < list[j].Span.Start })
	return slices.CompactFunc(list, func(a, b Fold) bool { // one for each line
		return line(a.Span.Start) == line(b.Span.Start)
	})
}

// Selection returns the ranges around offset, from inside out: the word, what is between
// brackets, the expressions, the statement, the text. Each is larger than the one
// before.
func (d *Document) Selection(offset int) []source.Span {
	offset = d.clampOffset(offset)
	var list []source.Span
	add := func(s source.Span) {
		if n := len(list); n == 0 || covers(s, list[n-1]) && s != list[n-1] {
			list = append(list, s)
		}
	}
	if t, ok := d.tokenAt(offset); ok && t.Kind != syntax.KindNewline {
		add(t.Span)
	}
	path := d.path(offset)
	for i := len(path) - 1; i >= 0; i-- {
		if between := d.between(path[i], offset); between.Len() > 0 {
			add(between)
		}
		add(path[i].Pos())
	}
	add(source.Span{End: len(d.src.Text)})
	return list
}

// between is the text between the brackets of n if the cursor is there.
func (d *Document) between(n syntax.Node, offset int) source.Span {
	var first, last syntax.Expr
	switch n := n.(type) {
	case *syntax.Index:
		first, last = n.Indices[0], n.Indices[len(n.Indices)-1]
	case *syntax.Call:
		if len(n.Args) > 0 {
			first, last = n.Args[0].Value, n.Args[len(n.Args)-1].Value
		}
	case *syntax.List:
		if k := n.Len(); k > 0 {
			first, last = n.At(0), n.At(k-1)
		}
	}
	if first == nil {
		return source.Span{}
	}
	if s := first.Pos().Join(last.Pos()); s.Contains(offset) {
		return s
	}
	return source.Span{}
}
