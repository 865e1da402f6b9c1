package rules

import (
	"fmt"
	"math/rand/v2"

	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Random draws a verified program with facts, rules in strata, recursion, negation,
// comparisons, aggregates and values. Sizes are such that Eval ends soon.
func Random(r *rand.Rand) *rel.Program {
	for {
		if p := draw(r); rel.Verify(p) == nil {
			return p
		}
	}
}

// draw draws a program that Verify may still refuse. Rules read relations up to their own or, now
// and then, all, so that there are recursions over several.
func draw(r *rand.Rand) *rel.Program {
	g := gen{r, &rel.Program{}}
	labels := []string{"e", "b", "a", "d", "c", "f"}
	g.p.Domains = []*tensor.Domain{{Name: "node", Size: 2 + r.IntN(5)}}
	if r.IntN(2) == 0 {
		g.p.Domains = append(g.p.Domains, &tensor.Domain{Name: "city", Size: 3, Labels: []string{"oslo", "bonn", "rome"}})
	}
	if d := g.p.Domains[0]; r.IntN(2) == 0 {
		d.Labels = labels[:d.Size]
	}
	base := 1 + r.IntN(3)
	for i := range base {
		g.relation(fmt.Sprint("B", i), rel.NoAgg, true)
	}
	derived := 1 + r.IntN(4)
	for i := range derived {
		fold := rel.NoAgg
		if r.IntN(4) == 0 {
			fold = []rel.Agg{rel.Min, rel.Max, rel.Sum}[r.IntN(3)]
		}
		g.relation(fmt.Sprint("D", i), fold, r.IntN(4) == 0)
	}
	// Each rule is tried a few times; which of them are well-formed Verify says.
	for i := base; i < base+derived; i++ {
		for range 1 + r.IntN(3) {
			for range 6 {
				top := i + 1
				if r.IntN(5) == 0 {
					top = base + derived
				}
				p := *g.p
				p.Rules = append(p.Rules[:len(p.Rules):len(p.Rules)], g.rule(i, top))
				if rel.Verify(&p) == nil {
					*g.p = p
					break
				}
			}
		}
		g.p.Results = append(g.p.Results, i)
	}
	return g.p
}

// gen draws the parts of the program p.
type gen struct {
	*rand.Rand
	p *rel.Program
}

// relation adds a relation, now and then without columns, or with a value if fold is one.
func (g gen) relation(name string, fold rel.Agg, facts bool) {
	r := rel.Relation{Name: name, Fold: fold}
	for range 1 + g.IntN(3) {
		r.Columns = append(r.Columns, g.column())
	}
	if fold == rel.NoAgg && g.IntN(12) == 0 {
		r.Columns = nil
	}
	if fold != rel.NoAgg {
		kind := tensor.IntColumn
		if g.IntN(3) == 0 {
			kind = tensor.RealColumn
		}
		r.Columns = append(r.Columns[:len(r.Columns)-1], tensor.Column{Kind: kind})
	}
	if facts {
		r.Facts = Table(g.Rand, r.Columns, g.IntN(9))
	}
	g.p.Relations = append(g.p.Relations, r)
}

// column draws a column; most are nodes, so that relations join.
func (g gen) column() tensor.Column {
	switch g.IntN(8) {
	case 0:
		return tensor.Column{Kind: tensor.IntColumn}
	case 1:
		return tensor.Column{Kind: tensor.RealColumn}
	case 2:
		return tensor.Column{Kind: tensor.NodeColumn, Domain: g.p.Domains[len(g.p.Domains)-1]}
	}
	return tensor.Column{Kind: tensor.NodeColumn, Domain: g.p.Domains[0]}
}

// Table draws so many rows, some of them alike.
func Table(r *rand.Rand, cols []tensor.Column, rows int) *tensor.Table {
	t := &tensor.Table{Columns: cols, Len: rows, Cells: make([]tensor.Cells, len(cols))}
	if len(cols) == 0 {
		t.Len = min(rows, 1)
	}
	for range rows {
		for i, c := range cols {
			if c.Domain != nil {
				t.Cells[i].ID = append(t.Cells[i].ID, uint32(r.IntN(c.Domain.Size)))
			} else {
				t.Cells[i].Num = append(t.Cells[i].Num, number(r, c.Kind))
			}
		}
	}
	return t
}

// number draws a small number that a column of the kind can hold, and never -0.
func number(r *rand.Rand, k tensor.ColumnKind) float64 {
	x := float64(r.IntN(7) - 2)
	if k == tensor.RealColumn {
		x /= 2
	}
	if x == 0 {
		return 0
	}
	return x
}

// rule draws a rule of relation head whose body reads relations below top. It need not be
// well-formed.
func (g gen) rule(head, top int) rel.Rule {
	r := rel.Rule{Rel: head}
	for range 1 + g.IntN(3) {
		g.literal(&r, rel.Atom, top)
	}
	if g.IntN(3) == 0 {
		g.literal(&r, rel.Not, top)
	}
	if len(r.Vars) > 0 && g.IntN(3) == 0 {
		r.Body = append(r.Body, g.comparison(&r))
	}
	if g.IntN(4) == 0 {
		kind := tensor.RealColumn
		if g.IntN(2) == 0 {
			kind = tensor.IntColumn
		}
		if g.IntN(2) == 0 || len(r.Vars) == 0 {
			r.Vars = append(r.Vars, rel.Var{Name: fmt.Sprint("v", len(r.Vars)), Kind: kind})
		}
		r.Body = append(r.Body, rel.Literal{Kind: rel.Bind, Var: g.IntN(len(r.Vars)), Left: g.expr(&r, kind, nil)})
	}
	g.Shuffle(len(r.Body), func(i, j int) { r.Body[i], r.Body[j] = r.Body[j], r.Body[i] })
	rl := &g.p.Relations[head]
	aggregates := !rl.Valued() && g.IntN(4) == 0
	for _, c := range rl.Columns {
		cell := rel.Cell{}
		if aggregates && g.IntN(2) == 0 {
			cell.Agg = 1 + rel.Agg(g.IntN(6))
		}
		if cell.Agg != rel.Count {
			if cell.Expr = g.expr(&r, c.Kind, c.Domain); g.IntN(2) == 0 && cell.Agg == rel.NoAgg && !rl.Valued() || c.Domain != nil {
				cell.Expr = rel.Expr{Term: g.term(&r, c.Kind, c.Domain)}
			}
		}
		r.Head = append(r.Head, cell)
	}
	return r
}

// literal adds an atom to the body; only one that is not negated makes new variables.
func (g gen) literal(r *rel.Rule, kind rel.LiteralKind, top int) {
	l := rel.Literal{Kind: kind, Rel: g.IntN(top)}
	for _, c := range g.p.Relations[l.Rel].Columns {
		var t rel.Term
		switch n := g.IntN(10); {
		case n == 0:
			t.Kind = rel.Any
		case n < 6 || kind == rel.Not:
			t = g.term(r, c.Kind, c.Domain)
		default:
			t.Var = len(r.Vars)
			r.Vars = append(r.Vars, rel.Var{Name: fmt.Sprint("v", t.Var), Kind: c.Kind, Domain: c.Domain})
		}
		l.Terms = append(l.Terms, t)
	}
	r.Body = append(r.Body, l)
}

// term returns a variable of the type, or a constant.
func (g gen) term(r *rel.Rule, kind tensor.ColumnKind, d *tensor.Domain) rel.Term {
	for range 8 {
		if len(r.Vars) == 0 {
			break
		}
		v := g.IntN(len(r.Vars))
		if r.Vars[v].Domain == d {
			return rel.Term{Var: v}
		}
	}
	if d == nil {
		return rel.Term{Kind: rel.Const, Value: number(g.Rand, kind)}
	}
	return rel.Term{Kind: rel.Const, Value: float64(g.IntN(d.Size))}
}

// expr draws an expression of the kind; one of a column of nodes is a term, as nodes are not
// computed.
func (g gen) expr(r *rel.Rule, kind tensor.ColumnKind, d *tensor.Domain) rel.Expr {
	if d != nil || g.IntN(2) == 0 {
		return rel.Expr{Term: g.term(r, kind, d)}
	}
	fn := []op.Fn{op.FnAdd, op.FnAdd, op.FnSub, op.FnMul, op.FnMax, op.FnMin}[g.IntN(6)]
	return rel.Expr{Fn: fn, Args: []rel.Expr{g.expr(r, kind, nil), {Term: g.term(r, kind, nil)}}}
}

// comparison draws a test of a variable of the rule, which must have one.
func (g gen) comparison(r *rel.Rule) rel.Literal {
	v := g.IntN(len(r.Vars))
	return rel.Literal{Kind: rel.Compare, Fn: op.FnGt + op.Fn(g.IntN(6)), Left: rel.V(v), Right: g.expr(r, r.Vars[v].Kind, r.Vars[v].Domain)}
}

// Closure draws a program around a closure, in some spelling: linear or not, of one
// relation or of a rule, with first pairs of its own or without, asked for one cell, for
// some, or for all.
func Closure(r *rand.Rand) *rel.Program {
	d := &tensor.Domain{Name: "node", Size: 2 + r.IntN(90)}
	node, num := tensor.Column{Kind: tensor.NodeColumn, Domain: d}, tensor.Column{Kind: tensor.IntColumn}
	pair := []tensor.Column{node, node}
	n := r.IntN(3 * d.Size)
	p := &rel.Program{Domains: []*tensor.Domain{d}, Relations: []rel.Relation{
		{Name: "Edge", Columns: pair, Facts: Table(r, pair, n)},
		{Name: "Pay", Columns: append(pair[:2:2], num), Facts: Table(r, append(pair[:2:2], num), n)},
		{Name: "Far", Columns: pair},
		{Name: "Some", Columns: pair[:1], Facts: Table(r, pair[:1], r.IntN(4))},
	}}
	x, y, z := rel.Term{}, rel.Term{Var: 1}, rel.Term{Var: 2} // the variables 0, 1 and 2 of each rule
	atom := func(at int, terms ...rel.Term) rel.Literal { return rel.Literal{Rel: at, Terms: terms} }
	// rule adds a rule, with a variable for each number up to the largest in it. All are nodes but
	// for the last cell of Pay.
	rule := func(at int, head []rel.Term, body ...rel.Literal) {
		cells := make([]rel.Cell, len(head))
		vars := 0
		for i, t := range head {
			cells[i].Expr.Term = t
			vars = max(vars, t.Var+1)
		}
		whole := -1
		for _, l := range body {
			for k, t := range l.Terms {
				if vars = max(vars, t.Var+1); l.Rel == 1 && k == 2 && t.Kind == rel.Variable {
					whole = t.Var
				}
			}
		}
		rl := rel.Rule{Rel: at, Head: cells, Body: body}
		for v := range vars {
			rl.Vars = append(rl.Vars, rel.Var{Name: fmt.Sprint("v", v), Kind: tensor.NodeColumn, Domain: d})
			if v == whole {
				rl.Vars[v] = rel.Var{Name: "a", Kind: tensor.IntColumn}
			}
		}
		p.Rules = append(p.Rules, rl)
	}
	// step is an edge from a to b in one of two spellings: an atom, or one of another relation with
	// a test. w is a variable that is free.
	step := func(a, b rel.Term, w int) []rel.Literal {
		if r.IntN(2) == 0 {
			return []rel.Literal{atom(0, a, b)}
		}
		return []rel.Literal{atom(1, a, b, rel.Term{Var: w}), {Kind: rel.Compare, Fn: op.FnGt, Left: rel.V(w), Right: rel.C(0)}}
	}
	head := []rel.Term{x, z}
	for range 1 + r.IntN(2) {
		switch r.IntN(6) {
		case 0:
			rule(2, []rel.Term{x, x}, atom(3, x))
		case 1:
			rule(2, []rel.Term{x, y}, step(x, y, 2)...)
		default:
			rule(2, []rel.Term{x, y}, atom(0, x, y))
		}
	}
	// follow makes one rule of the closure: with the step behind, before, or another pair of the
	// closure itself.
	follow := func(at, kind int, step func(a, b rel.Term) []rel.Literal) {
		switch kind {
		case 0:
			rule(at, head, append(step(y, z), atom(at, x, y))...)
		case 1:
			rule(at, head, append(step(x, y), atom(at, y, z))...)
		default:
			rule(at, head, atom(at, y, z), atom(at, x, y))
		}
	}
	kind := r.IntN(3)
	for range 1 + r.IntN(2) {
		follow(2, kind, func(a, b rel.Term) []rel.Literal { return step(a, b, 3) })
	}
	if r.IntN(8) == 0 {
		p.Relations[2].Facts = Table(r, pair, 2)
	}
	asked := 2
	if r.IntN(3) == 0 { // a closure of the closure
		asked = len(p.Relations)
		p.Relations = append(p.Relations, rel.Relation{Name: "Beyond", Columns: pair})
		rule(asked, []rel.Term{x, y}, atom([]int{0, 2}[r.IntN(2)], x, y))
		from := []int{0, 2, 2}[r.IntN(3)]
		follow(asked, r.IntN(3), func(a, b rel.Term) []rel.Literal { return []rel.Literal{atom(from, a, b)} })
	}
	c := rel.Term{Kind: rel.Const, Value: float64(r.IntN(d.Size))}
	for range 1 + r.IntN(2) {
		at := len(p.Relations)
		p.Relations = append(p.Relations, rel.Relation{Name: fmt.Sprint("Ask", at), Columns: pair[:1]})
		p.Results = append(p.Results, at)
		switch one := []rel.Term{x}; r.IntN(8) {
		case 0:
			rule(at, one, atom(asked, c, x))
		case 1:
			rule(at, one, atom(asked, x, c))
		case 2:
			rule(at, one, atom(3, x), atom(asked, x, c))
		case 3:
			rule(at, one, atom(3, x), rel.Literal{Kind: rel.Not, Rel: asked, Terms: []rel.Term{c, x}})
		case 4:
			rule(at, one, atom(3, y), atom(asked, y, x))
		case 5:
			rule(at, one, atom(asked, x, y), atom(asked, y, x))
		case 6:
			rule(at, one, atom(3, x), rel.Literal{Kind: rel.Not, Rel: asked, Terms: []rel.Term{x, {Kind: rel.Any}}})
		default:
			p.Results[len(p.Results)-1] = asked
		}
	}
	return p
}
