package rel

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/vm/op"
	"ein/vm/tensor"
)

// String lists a verified program: its relations, and the rules of each stratum as the
// language writes them.
func (p *Program) String() string {
	var b strings.Builder
	for _, d := range p.Domains {
		fmt.Fprintf(&b, "domain %s of %d\n", Plain(d.Name), d.Size)
	}
	for i := range p.Relations {
		r := &p.Relations[i]
		b.WriteString("relation " + p.Head(r))
		switch r.Source {
		case FromTable, FromEntries, FromElements:
			fmt.Fprintf(&b, ", %v of argument %d", r.Source, r.Arg)
		}
		if r.Facts != nil {
			fmt.Fprintf(&b, ", facts: %d", r.Facts.Len)
		}
		b.WriteByte('\n')
	}
	for i, s := range p.Strata() {
		fmt.Fprintf(&b, "stratum %d", i+1)
		if s.Recursive {
			b.WriteString(", recursive")
		}
		b.WriteByte('\n')
		for _, r := range s.Rules {
			b.WriteString("  " + p.Rule(&p.Rules[r]) + "\n")
		}
	}
	for _, r := range p.Results {
		b.WriteString("result " + Plain(p.Relations[r].Name) + "\n")
	}
	return b.String()
}

// Head returns a relation with its columns and their types, as in Pay(from: node, day: int).
func (p *Program) Head(r *Relation) string {
	return p.shape(r, lists.Map(r.Columns, ColumnText), r.Fold.String())
}

// Row returns a row of a relation as the language writes it, as in Pay("a", "b", 3).
func (p *Program) Row(r *Relation, row []float64) string {
	cells := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		cells[i] = Constant(row[i], c.Domain)
	}
	return p.shape(r, cells, "=")
}

// ColumnText returns a column as it is declared: day: int.
func ColumnText(c tensor.Column) string {
	kind := c.Kind.String()
	if c.Kind == tensor.NodeColumn {
		kind = Plain(c.Domain.Name)
	}
	if c.Name == "" {
		return kind
	}
	return Plain(c.Name) + ": " + kind
}

// shape is a relation with something in each column: T[k] = v of a valued one.
func (p *Program) shape(r *Relation, cells []string, op string) string {
	if !r.Valued() && r.Source != FromElements {
		return Plain(r.Name) + "(" + strings.Join(cells, ", ") + ")"
	}
	last := len(cells) - 1
	op = cmp.Or(op, "=") // elements of a tensor
	return Plain(r.Name) + "[" + strings.Join(cells[:last], ", ") + "] " + op + " " + cells[last]
}

// Rule returns a rule as the language writes it, with the names of the user.
func (p *Program) Rule(r *Rule) string {
	rel := &p.Relations[r.Rel]
	cells := make([]string, len(r.Head))
	for i := range r.Head {
		c := &r.Head[i]
		switch c.Agg {
		case NoAgg:
			cells[i] = p.expr(r, &c.Expr, rel.Columns[i].Domain, 0, nil)
		case Count:
			cells[i] = "count()"
		default:
			d := rel.Columns[i].Domain
			if t := c.Expr.Term; len(c.Expr.Args) == 0 && t.Kind == Variable {
				d = r.Vars[t.Var].Domain
			}
			name := c.Agg.String()
			if c.Agg == Distinct {
				name = "count"
			}
			cells[i] = name + "(" + p.expr(r, &c.Expr, d, 0, nil) + ")"
		}
	}
	op := map[Agg]string{Min: "min=", Max: "max=", Sum: "+="}[rel.Fold]
	text := p.shape(rel, cells, op)
	for i := range r.Body {
		if text += ", "; i == 0 {
			text = text[:len(text)-2] + " <- "
		}
		text += p.Literal(r, &r.Body[i], nil)
	}
	return text + "."
}

// Literal returns a literal of a rule, with the values of its variables: nil for none, NaN of
// one that has none.
func (p *Program) Literal(r *Rule, l *Literal, vars []float64) string {
	switch l.Kind {
	case Bind:
		return p.term(r, Term{Var: l.Var}, nil, vars) + " = " + p.expr(r, &l.Left, r.Vars[l.Var].Domain, 0, vars)
	case Compare:
		var d *tensor.Domain
		for _, e := range [...]*Expr{&l.Left, &l.Right} {
			if len(e.Args) == 0 && e.Term.Kind == Variable {
				d = r.Vars[e.Term.Var].Domain
			}
		}
		return p.expr(r, &l.Left, d, 0, vars) + " " + symbols[l.Fn] + " " + p.expr(r, &l.Right, d, 0, vars)
	}
	rel := &p.Relations[l.Rel]
	cells := make([]string, len(l.Terms))
	for i, t := range l.Terms {
		cells[i] = p.term(r, t, rel.Columns[i].Domain, vars)
	}
	text := p.shape(rel, cells, "=")
	if l.Kind == Not {
		text = "not " + text
	}
	return text
}

var symbols = map[op.Fn]string{op.FnGt: ">", op.FnGe: ">=", op.FnLt: "<", op.FnLe: "<=", op.FnEq: "==", op.FnNe: "!=",
	op.FnAdd: "+", op.FnSub: "-", op.FnMul: "*", op.FnDiv: "/"}

// term shows a term of a rule in a place of domain d. A variable shows its value if vars has one
// that is not NaN.
func (p *Program) term(r *Rule, t Term, d *tensor.Domain, vars []float64) string {
	switch t.Kind {
	case Variable:
		if vars != nil && vars[t.Var] == vars[t.Var] {
			return Constant(vars[t.Var], r.Vars[t.Var].Domain)
		}
		return Plain(r.Vars[t.Var].Name)
	case Any:
		return "_"
	}
	if t.Name != "" {
		return Plain(t.Name)
	}
	return Constant(t.Value, d)
}

// Constant returns a number, or a member of a domain, as the language writes it.
func Constant(x float64, d *tensor.Domain) string {
	switch {
	case x != x: // any, in a goal
		return "_"
	case d != nil && x == NoMember:
		return "no member"
	case d == nil || d.Labels == nil:
		return tensor.Number(x)
	}
	return strconv.Quote(d.Label(uint32(x)))
}

// expr puts an expression in brackets where it stands in one that binds as tightly.
func (p *Program) expr(r *Rule, e *Expr, d *tensor.Domain, tight int, vars []float64) string {
	if len(e.Args) == 0 {
		return p.term(r, e.Term, d, vars)
	}
	sign := symbols[e.Fn]
	if sign == "" {
		args := make([]string, len(e.Args))
		for i := range args {
			args[i] = p.expr(r, &e.Args[i], nil, 0, vars)
		}
		return e.Fn.String() + "(" + strings.Join(args, ", ") + ")"
	}
	own := 1
	switch e.Fn {
	case op.FnAdd, op.FnSub:
		own = 2
	case op.FnMul, op.FnDiv:
		own = 3
	}
	text := p.expr(r, &e.Args[0], nil, own-1, vars) + " " + sign + " " + p.expr(r, &e.Args[1], nil, own, vars)
	if own <= tight {
		text = "(" + text + ")"
	}
	return text
}

// Plain returns a name, quoted when it holds what could upset a terminal.
func Plain(name string) string {
	if q := strconv.Quote(name); q[1:len(q)-1] != name && !strings.ContainsRune(name, '"') {
		return q
	}
	return name
}
