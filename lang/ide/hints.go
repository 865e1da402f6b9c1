package ide

import (
	"slices"
	"sort"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
)

// Hints returns what the text leaves out, in span: the sizes of what a statement defines, the
// indices it sums, and the parameters that literal arguments stand for.
func (d *Document) Hints(span source.Span) []Hint {
	span = d.clamp(span)
	values := d.check().statements
	var list []Hint
	for _, s := range d.File().Stmts {
		if at := s.Pos(); at.End < span.Start || at.Start > span.End {
			continue
		}
		for _, s := range flat([]syntax.Stmt{s}) {
			a, ok := s.(*syntax.Assign)
			if !ok {
				continue
			}
			if n := values[a.Start]; n != nil {
				text := ": " + n.Type.Kind.String()
				if n.Rank() > 0 {
					text = ": " + sizes(n.Type.Shape)
				}
				list = append(list, Hint{Offset: d.leftEnd(a), Text: text, Doc: "`" + typeText(n.Type) + "`", Type: true})
			}
			list = append(list, summed(a)...)
		}
		list = append(list, d.argumentHints(s)...)
	}
	list = slices.DeleteFunc(list, func(h Hint) bool { return !span.Contains(h.Offset) })
	sort.SliceStable(list, func(i, j int) bool { return list[i].Offset < list[j].Offset })
	return list
}

// leftEnd is where the left side of a statement ends.
func (d *Document) leftEnd(s *syntax.Assign) int {
	if !s.Indexed {
		return s.Name.Span.End
	}
	toks := d.tokensIn(source.Span{Start: s.Start, End: s.OpSpan.Start})
	return toks[len(toks)-1].Span.End
}

// summed is the hint for the indices that the left side lacks.
func summed(s *syntax.Assign) []Hint {
	var parts []string
	by := ""
	for _, f := range foldedIndices(s.Value, leftNames(s), s.Op) {
		switch f.by {
		case by:
			parts[len(parts)-1] += "," + f.name
		case "sum":
			parts = append(parts, "Σ "+f.name)
		default:
			parts = append(parts, f.by+" "+f.name)
		}
		by = f.by
	}
	if len(parts) == 0 {
		return nil
	}
	return []Hint{{
		Offset: s.Value.Pos().End, Text: strings.Join(parts, ", "), Before: true,
		Doc: "The left side lacks these indices, so the right side is folded over them.",
	}}
}

// argumentHints names the parameters of literal arguments. A call with one
// argument needs none.
func (d *Document) argumentHints(s syntax.Stmt) []Hint {
	var list []Hint
	syntax.Walk(s, func(n syntax.Node) bool {
		x, ok := n.(*syntax.Call)
		if !ok || len(x.Args) < 2 {
			return true
		}
		fn := d.functionNamed(x.Fun.Name)
		if fn == nil {
			return true
		}
		for i, a := range x.Args {
			if i >= len(fn.Params) || fn.Params[i].Name == "..." {
				break
			}
			switch a.Value.(type) {
			case *syntax.Number, *syntax.String, *syntax.Unary:
				if a.Name.Name == "" {
					list = append(list, Hint{Offset: a.Value.Pos().Start, Text: fn.Params[i].Name + ":", Doc: fn.Params[i].Doc})
				}
			}
		}
		return true
	})
	return list
}
