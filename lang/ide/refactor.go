package ide

import (
	"fmt"
	"slices"
	"strings"

	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// extractions gives the selected expression a name, in a statement of its own
// before the one it is in.
//
// An expression without indices means the same everywhere. One with indices is
// extracted where it is summed by itself: a term of the right side, not a factor of
// one and not an argument. The new tensor has those of its indices that the left
// side has.
func (d *Document) extractions(span source.Span) []Action {
	text := d.text(span)
	span.Start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	span.End -= len(text) - len(strings.TrimRight(text, " \t\r\n"))
	if span.Len() <= 0 {
		return nil
	}
	path := d.path((span.Start + span.End) / 2)
	k := slices.IndexFunc(path, func(n syntax.Node) bool {
		_, isExpr := n.(syntax.Expr)
		return isExpr && n.Pos() == span
	})
	if k < 1 {
		return nil
	}
	x := path[k].(syntax.Expr)
	switch x.(type) {
	case *syntax.Name, *syntax.Number, *syntax.String:
		return nil
	}
	if d.check().values[x] == nil {
		return nil
	}
	left, op := []string(nil), syntax.Set
	switch s := path[0].(type) {
	case *syntax.Assign:
		left, op = leftNames(s), s.Op
	case *syntax.Print:
	default:
		return nil
	}
	used := d.indicesIn(x)
	if len(used) > 0 && (op == syntax.SetMax || op == syntax.SetMin || !isTerm(path[1:k])) {
		return nil
	}
	name := d.fresh("T")
	whole := name
	var kept []string
	for _, l := range left {
		if used[l] && !slices.Contains(kept, l) {
			kept = append(kept, l)
		}
	}
	if len(kept) > 0 {
		whole += "[" + strings.Join(kept, ",") + "]"
	}
	start := path[0].Pos().Start
	value := x
	if p, ok := x.(*syntax.Paren); ok {
		value = p.X
	}
	edits := []diag.Edit{
		{Span: source.Span{Start: start, End: start}, NewText: whole + " = " + d.text(value.Pos()) + d.src.EOL()},
		{Span: span, NewText: whole},
	}
	if !d.sameTypes(edits) {
		return nil
	}
	return []Action{{Title: fmt.Sprintf("extract into the tensor `%s`", name), Kind: "refactor.extract", Edits: edits}}
}

// isTerm reports whether what the path leads to is added, compared or negated, and
// nothing else, up to the right side.
func isTerm(path []syntax.Node) bool {
	for _, n := range path {
		switch n := n.(type) {
		case *syntax.Paren, *syntax.Unary:
		case *syntax.Binary:
			if n.Op == syntax.Mul || n.Op == syntax.Div {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// indicesIn returns the indices that occur in x.
func (d *Document) indicesIn(x syntax.Expr) map[string]bool {
	used := map[string]bool{}
	at := x.Pos()
	for _, o := range d.names().occurrences {
		if o.of.kind == KindIndex && covers(at, o.span) {
			used[o.of.name] = true
		}
	}
	return used
}

// fresh is a name that nothing has, beginning with base.
func (d *Document) fresh(base string) string {
	taken := map[string]bool{}
	for _, t := range d.tokens() {
		if t.Kind == syntax.KindIdent {
			taken[d.text(t.Span)] = true
		}
	}
	for i := 1; ; i++ {
		if name := fmt.Sprint(base, i); !taken[name] && lookup(name) == nil {
			return name
		}
	}
}

// sameTypes reports whether the program after the edits has the errors that it had,
// the same nodes, and outputs of the same types, and so whether a rewrite went as
// planned.
func (d *Document) sameTypes(edits []diag.Edit) bool {
	after := d.withText(diag.Apply(d.src.Text, edits))
	a, b := d.check().Program, after.check().Program
	if !slices.Equal(errorsOf(a), errorsOf(b)) || len(a.Outputs) != len(b.Outputs) || !slices.Equal(a.Labels, b.Labels) {
		return false
	}
	for i := range a.Outputs {
		x, y := a.Outputs[i].Node, b.Outputs[i].Node
		if (x == nil) != (y == nil) || x != nil && x.Type.Shape != y.Type.Shape {
			return false
		}
	}
	return true
}

// errorsOf lists the errors of a program, without their places.
func errorsOf(p *check.Program) (list []string) {
	for _, g := range p.Diags {
		if g.Severity == diag.Error {
			list = append(list, string(g.Code)+g.Message)
		}
	}
	return list
}

// inlinings replaces the uses of the tensor at span by its value.
func (d *Document) inlinings(span source.Span) []Action {
	o := d.names().at(span.Start)
	if o == nil || o.of.guessed {
		return nil
	}
	def := o
	if !o.write {
		def = o.sees
	}
	if def == nil || def.uses == 0 {
		return nil
	}
	s, ok := d.stmt(def).(*syntax.Assign)
	if !ok || s.Name.Span != def.span || s.Indexed || s.Op != syntax.Set || len(d.indicesIn(s.Value)) > 0 {
		return nil
	}
	value := d.text(s.Value.Pos())
	edits := []diag.Edit{{Span: d.wholeLines(s.Span)}}
	for _, use := range d.names().occurrences {
		if use.sees != def {
			continue
		}
		_, rounds := d.stmt(use).(*syntax.Repeat) // the next one may see another value
		if use.write || rounds || !d.sameNames(s.Value, use) {
			return nil
		}
		text := value
		if !d.standsAlone(s.Value, use) {
			text = "(" + value + ")"
		}
		edits = append(edits, diag.Edit{Span: use.span, NewText: text})
	}
	if !d.sameTypes(edits) {
		return nil
	}
	return []Action{{Title: fmt.Sprintf("inline `%s`", def.of.name), Kind: "refactor.inline", Edits: edits}}
}

// sameNames reports whether the names in x mean at the place of use what they mean
// where x is.
func (d *Document) sameNames(x syntax.Expr, use *occurrence) bool {
	at := x.Pos()
	for _, o := range d.names().occurrences {
		if !covers(at, o.span) {
			continue
		}
		if o.sees == nil && o.of.kind != KindTensor && o.of.kind != KindInput {
			// A function: another of its name may stand between.
			if b := d.names().functions[o.of.name]; b != nil && b.def.Start > at.Start && b.def.Start < use.span.Start {
				return false
			}
			continue
		}
		if slices.ContainsFunc(o.of.occurrences, func(other *occurrence) bool {
			return other.write && other.span.Start > at.End && other.stmt < use.stmt
		}) {
			return false
		}
	}
	return true
}

// standsAlone reports whether x can take the place of a name without parentheses.
func (d *Document) standsAlone(x syntax.Expr, use *occurrence) bool {
	switch x.(type) {
	case *syntax.Name, *syntax.Call, *syntax.Paren:
		return true
	}
	path := d.path(use.span.Start)
	if len(path) < 2 {
		return false
	}
	switch path[len(path)-2].(type) {
	case *syntax.Assign, *syntax.Print, *syntax.Call:
		return true
	}
	return false
}
