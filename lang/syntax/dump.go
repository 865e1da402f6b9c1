package syntax

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
)

// Dump returns the tree as S-expressions, one statement a line, without places.
func Dump(f *File) string {
	var d dumper
	for _, s := range f.Stmts {
		d.put(s, "\n")
	}
	return d.String()
}

// Equal reports whether two programs have the same tree, wherever their parts
// stand.
func Equal(a, b *File) bool { return Dump(a) == Dump(b) }

type dumper struct{ strings.Builder }

// put writes texts as they are, nodes in brackets, and expressions with blanks between them.
func (d *dumper) put(parts ...any) {
	for _, part := range parts {
		switch x := part.(type) {
		case string:
			d.WriteString(x)
		case Ident:
			d.WriteString(x.Name)
		case []Expr:
			d.put(slices.All(x))
		case iter.Seq2[int, Expr]:
			for i, e := range x {
				d.put(" "[:min(i, 1)], e)
			}
		case []Stmt:
			for _, s := range x {
				d.put(" ", s)
			}
		case []Literal:
			for _, l := range x {
				if l.Not {
					d.put("not ")
				}
				d.put(l.X)
				if l.Value != nil {
					d.put(" ", l.Op.String(), " ", l.Value)
				}
				d.put("; ")
			}
		case *Assign:
			d.put("(", x.Op.String(), " ", x.Name)
			if x.Indexed {
				d.put(" [", x.Indices, "]")
			}
			d.put(" ", x.Value, ")")
		case *Print:
			d.put("(print ", x.Values, ")")
		case *Def:
			d.put("(def ", x.Name, " (", strings.Join(lists.Map(x.Params, nameOf), " "), ")")
			if x.Value != nil {
				d.put(" ", x.Value)
			}
			d.put(x.Body, ")")
		case *Repeat:
			d.put("(repeat ", x.Times, x.Body, ")")
		case *ExprStmt:
			d.put("(expr ", x.X, ")")
		case *Input:
			d.put("(input ", x.Name, " ", x.Kind)
			for _, c := range x.Columns {
				d.put(c.Name, ":", c.Type, " ")
			}
			d.put(")")
		case *Rule:
			d.put("(rule ", []Literal{{X: x.Head, Op: x.Op, Value: x.Value}}, x.Body, ")")
		case *Query:
			d.put("(query ", x.Body, ")")
		case *Bad:
			d.put(strings.TrimSuffix("(bad "+x.Name, " "), ")")
		case *Name:
			d.put(x.Name)
		case *Number:
			d.put(x.Text)
		case *String:
			d.put(strconv.Quote(x.Value))
		case *List:
			d.put("[", x.All(), "]")
		case *Call:
			d.put("(call ", x.Fun)
			for _, a := range x.Args {
				d.put(" ", a.Name)
				if a.Name.Name != "" {
					d.put("=")
				}
				d.put(a.Value)
			}
			d.put(")")
		case *Index:
			d.put("(at ", x.X, " [", x.Indices, "])")
		case *Product:
			d.put("(join ", x.Factors, ")")
		case *Unary:
			d.put("(neg ", x.X, ")")
		case *Binary:
			d.put("(", x.Op.String(), " ", x.L, " ", x.R, ")")
		case *Paren:
			d.put("(paren ", x.X, ")")
		case *BadExpr:
			d.put("(bad)")
		}
	}
}
