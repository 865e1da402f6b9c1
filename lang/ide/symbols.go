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
	var list []Symbol
	add := func(name syntax.Ident, detail string, kind Kind, s syntax.Stmt) {
		list = append(list, Symbol{Text: name.Name, Detail: detail, Kind: kind, Span: s.Pos(), Name: name.Span})
	}
	relations := map[string]bool{}
	for _, s := range flat(d.File().Stmts) {
		if name, ok := syntax.RelationOf(s); ok {
			if relations[name.Name] { // of many facts and rules the first stands for all
				continue
			}
			relations[name.Name] = true
			columns, kind := "", KindTensor
			if _, input := s.(*syntax.Input); input {
				kind = KindInput
			}
			if shapes {
				columns = strings.TrimPrefix(d.relationType(name.Name, s), name.Name)
			}
			add(name, columns, kind, s)
			continue
		}
		switch s := s.(type) {
		case *syntax.Assign:
			shape := ""
			if shapes {
				shape = detail(d.check().statements[s.Start])
			}
			add(s.Name, shape, KindTensor, s)
		case *syntax.Input:
			add(s.Name, s.Kind.Name, KindInput, s)
		case *syntax.Def:
			add(s.Name, d.defined(s).Signature, KindFunction, s)
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
