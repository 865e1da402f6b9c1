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
		d.stmt(s)
		d.WriteByte('\n')
	}
	return d.String()
}

// Equal reports whether two programs have the same tree, wherever their parts
// stand.
func Equal(a, b *File) bool { return Dump(a) == Dump(b) }

type dumper struct{ strings.Builder }

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		d.WriteString("(" + s.Op.String() + " " + s.Name.Name)
		if s.Indexed {
			d.group(" [", slices.All(s.Indices), "]")
		}
		d.WriteByte(' ')
		d.expr(s.Value)
	case *Print:
		d.group("(print ", slices.All(s.Values), "")
	case *Def:
		d.WriteString("(def " + s.Name.Name + " (" + strings.Join(lists.Map(s.Params, nameOf), " ") + ")")
		if s.Value != nil {
			d.WriteByte(' ')
			d.expr(s.Value)
		}
		for _, b := range s.Body {
			d.WriteByte(' ')
			d.stmt(b)
		}
	case *Repeat:
		d.WriteString("(repeat ")
		d.expr(s.Times)
		for _, b := range s.Body {
			d.WriteByte(' ')
			d.stmt(b)
		}
	case *ExprStmt:
		d.WriteString("(expr ")
		d.expr(s.X)
	case *Input:
		d.WriteString("(input " + s.Name.Name + " " + s.Kind.Name)
		for _, c := range s.Columns {
			d.WriteString(c.Name.Name + ":" + c.Type.Name + " ")
		}
	case *Rule:
		d.WriteString("(rule ")
		d.literals([]Literal{{X: s.Head, Op: s.Op, Value: s.Value}})
		d.literals(s.Body)
	case *Query:
		d.WriteString("(query ")
		d.literals(s.Body)
	case *Bad:
		d.WriteString("(bad")
		if s.Name != "" {
			d.WriteString(" " + s.Name)
		}
	}
	d.WriteByte(')')
}

func (d *dumper) literals(ls []Literal) {
	for _, l := range ls {
		if l.Not {
			d.WriteString("not ")
		}
		d.expr(l.X)
		if l.Value != nil {
			d.WriteString(" " + l.Op.String() + " ")
			d.expr(l.Value)
		}
		d.WriteString("; ")
	}
}

// group writes expressions between brackets.
func (d *dumper) group(open string, xs iter.Seq2[int, Expr], end string) {
	d.WriteString(open)
	for i, x := range xs {
		if i > 0 {
			d.WriteByte(' ')
		}
		d.expr(x)
	}
	d.WriteString(end)
}

func (d *dumper) expr(x Expr) {
	switch x := x.(type) {
	case *Name:
		d.WriteString(x.Name)
	case *Number:
		d.WriteString(x.Text)
	case *String:
		d.WriteString(strconv.Quote(x.Value))
	case *List:
		d.group("[", x.All(), "]")
	case *Call:
		d.WriteString("(call " + x.Fun.Name)
		for _, a := range x.Args {
			d.WriteByte(' ')
			if a.Name.Name != "" {
				d.WriteString(a.Name.Name + "=")
			}
			d.expr(a.Value)
		}
		d.WriteByte(')')
	case *Index:
		d.WriteString("(at ")
		d.expr(x.X)
		d.group(" [", slices.All(x.Indices), "])")
	case *Product:
		d.group("(join ", slices.All(x.Factors), ")")
	case *Unary:
		d.WriteString("(neg ")
		d.expr(x.X)
		d.WriteByte(')')
	case *Binary:
		d.WriteString("(" + x.Op.String() + " ")
		d.expr(x.L)
		d.WriteByte(' ')
		d.expr(x.R)
		d.WriteByte(')')
	case *Paren:
		d.group("(paren ", slices.All([]Expr{x.X}), ")")
	case *BadExpr:
		d.WriteString("(bad)")
	}
}
