package ide

import (
	"fmt"
	"strings"

	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// typeText is a type as hover shows it: Tensor[3,3] bool. A size that depends on
// an input without a value is a question mark.
func typeText(t tensor.Type) string {
	if t.Shape.Rank() == 0 {
		return "Scalar " + t.Kind.String()
	}
	return "Tensor" + sizes(t.Shape) + " " + t.Kind.String()
}

// sizes returns the sizes of a shape in brackets.
func sizes(s tensor.Shape) string {
	out := make([]string, s.Rank())
	for i := range out {
		if out[i] = "?"; s.Dim(i) >= 0 {
			out[i] = fmt.Sprint(s.Dim(i))
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

// detail is a type in the space of a completion or a symbol.
func detail(n *ir.Node) string {
	if n == nil {
		return ""
	}
	return typeText(n.Type)
}

// stmt is the statement of the file that holds o.
func (d *Document) stmt(o *occurrence) syntax.Stmt { return d.File().Stmts[o.stmt] }

// value is the operation that a name stands for where it occurs.
func (d *Document) value(o *occurrence) *ir.Node {
	c := d.check()
	if !o.write {
		if o.sees == nil || o.sees.of.kind == KindParameter { // nil: _ in a session, which no statement names
			return d.parameter(o)
		}
		return d.value(o.sees)
	}
	_, local := d.stmt(o).(*syntax.Def)
	if local && o.of.kind == KindParameter {
		for _, use := range o.of.occurrences {
			if !use.write {
				return d.parameter(use)
			}
		}
	}
	switch s := d.statementOf(o).(type) {
	case *syntax.Assign:
		switch {
		case !local:
			return c.statements[s.Start]
		case s.Op == syntax.Set:
			return c.values[s.Value]
		}
	case *syntax.Input:
		for _, in := range c.Inputs {
			if in.Span == s.Span {
				return in.Node
			}
		}
	}
	return nil
}

// parameter is the value of a name by the expression that it is; for a parameter that
// is its value in the last call of its function.
func (d *Document) parameter(o *occurrence) *ir.Node {
	for _, n := range d.path(o.span.Start) {
		if x, ok := n.(*syntax.Name); ok && x.Span == o.span {
			return d.check().values[x]
		}
	}
	return nil
}

// axis is a size that an index runs over, and the tensor that gives it.
type axis struct {
	tensor string
	number int
	size   int
}

// axes is where an index stands in the statement of o.
func (d *Document) axes(o *occurrence) []axis {
	var list []axis
	values := d.check().values
	in := map[source.Span]bool{}
	for _, other := range o.of.occurrences {
		in[other.span] = true
	}
	syntax.Walk(d.stmt(o), func(n syntax.Node) bool {
		x, ok := n.(*syntax.Index)
		if !ok {
			return true
		}
		for k, e := range x.Indices {
			v := values[x.X]
			if in[e.Pos()] && v != nil && k < v.Rank() {
				list = append(list, axis{syntax.ExprString(x.X), k, v.Type.Shape.Dim(k)})
			}
		}
		return true
	})
	return list
}

// form is a product as an einsum, such as ij,jk->ik, with the indices that stay.
// It is empty unless x is a sum of products of tensors with indices.
func form(x syntax.Expr, left []string) string {
	var factors [][]string
	used := map[string]bool{}
	long, ok := false, true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Product, *syntax.Paren:
			return ok
		case *syntax.Binary:
			ok = ok && n.Op == syntax.Mul
			return ok
		case *syntax.Index:
			var names []string
			for _, e := range n.Indices {
				if name, isName := e.(*syntax.Name); isName {
					names = append(names, name.Name)
					used[name.Name] = true
					long = long || len(name.Name) > 1
				}
			}
			factors = append(factors, names)
		case *syntax.Number:
		default:
			ok = false
		}
		return false
	})
	if !ok || len(used) == 0 {
		return ""
	}
	sep := ""
	if long {
		sep = " "
	}
	in := lists.Map(factors, func(f []string) string { return strings.Join(f, sep) })
	var out []string
	for _, l := range left {
		if used[l] {
			out = append(out, l)
		}
	}
	return strings.Join(in, ",") + "->" + strings.Join(out, sep)
}

// leftNames returns the indices of a left side.
func leftNames(s *syntax.Assign) []string {
	var out []string
	for _, x := range s.Indices {
		if name, ok := x.(*syntax.Name); ok {
			out = append(out, name.Name)
		}
	}
	return out
}

// folded is an index that the left side of a statement lacks, and how it goes.
type folded struct{ name, by string }

// foldedIndices returns the indices that do not come out of a statement, in the order of
// the text: summed, or folded by the function or the operator around them.
func foldedIndices(x syntax.Expr, left []string, op syntax.AssignOp) []folded {
	seen := lists.Set(left)
	by := "sum"
	if op == syntax.SetMax || op == syntax.SetMin {
		by = strings.TrimSuffix(op.String(), "=")
	}
	var list []folded
	var visit func(x syntax.Expr, by string)
	visit = func(x syntax.Expr, by string) {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				if b := stdlib.Lookup(n.Fun.Name); b != nil && b.Form == stdlib.Reduction && len(n.Args) == 1 {
					visit(n.Args[0].Value, n.Fun.Name)
					return false
				}
			case *syntax.Index:
				visit(n.X, by)
				for _, e := range n.Indices {
					if name, ok := e.(*syntax.Name); ok && !seen[name.Name] {
						seen[name.Name] = true
						list = append(list, folded{name.Name, by})
					}
				}
				return false
			}
			return true
		})
	}
	visit(x, by)
	return list
}
