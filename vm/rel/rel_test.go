package rel_test

import (
	"strings"
	"testing"

	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

var (
	people = &tensor.Domain{Name: "node", Size: 3, Labels: []string{"ann", "bob", "cy"}}
	node   = tensor.Column{Kind: tensor.NodeColumn, Domain: people}
	whole  = tensor.Column{Kind: tensor.IntColumn}
)

func v(i int) rel.Term { return rel.Term{Var: i} }

func c(x float64) rel.Term { return rel.Term{Kind: rel.Const, Value: x} }

func atom(r int, terms ...rel.Term) rel.Literal { return rel.Literal{Rel: r, Terms: terms} }

func cells(list ...rel.Expr) (head []rel.Cell) {
	for _, e := range list {
		head = append(head, rel.Cell{Expr: e})
	}
	return head
}

func vars(cols []tensor.Column, names ...string) (list []rel.Var) {
	for i, n := range names {
		list = append(list, rel.Var{Name: n, Kind: cols[i].Kind, Domain: cols[i].Domain})
	}
	return list
}

func add(a, b rel.Expr) rel.Expr { return rel.Expr{Fn: op.FnAdd, Args: []rel.Expr{a, b}} }

// kin is Parent with facts, its closure, least distances, and a query.
func kin() *rel.Program {
	three := []tensor.Column{node, node, node}
	return &rel.Program{
		Domains: []*tensor.Domain{people},
		Relations: []rel.Relation{
			{Name: "Parent", Columns: []tensor.Column{node, node},
				Facts: &tensor.Table{Columns: []tensor.Column{node, node}, Len: 2, Cells: []tensor.Cells{{ID: []uint32{0, 1}}, {ID: []uint32{1, 2}}}}},
			{Name: "Anc", Columns: []tensor.Column{node, node}},
			{Name: "Hops", Columns: []tensor.Column{node, whole}, Fold: rel.Min,
				Facts: &tensor.Table{Columns: []tensor.Column{node, whole}, Len: 1, Cells: []tensor.Cells{{ID: []uint32{0}}, {Num: []float64{0}}}}},
			{Name: `Anc("ann", x), x != "bob"?`, Columns: []tensor.Column{node}},
			{Name: "Many", Columns: []tensor.Column{node, whole}},
		},
		Rules: []rel.Rule{
			{Rel: 1, Head: cells(rel.V(0), rel.V(1)), Vars: vars(three, "x", "y"), Body: []rel.Literal{atom(0, v(0), v(1))}},
			{Rel: 1, Head: cells(rel.V(0), rel.V(2)), Vars: vars(three, "x", "y", "z"), Body: []rel.Literal{atom(1, v(0), v(1)), atom(0, v(1), v(2))}},
			{Rel: 2, Head: cells(rel.V(1), add(rel.V(2), rel.C(1))), Vars: vars([]tensor.Column{node, node, whole}, "x", "y", "n"),
				Body: []rel.Literal{atom(2, v(0), v(2)), atom(0, v(0), v(1))}},
			{Rel: 3, Head: cells(rel.V(0)), Vars: vars(three, "x"),
				Body: []rel.Literal{atom(1, c(0), v(0)), {Kind: rel.Compare, Fn: op.FnNe, Left: rel.V(0), Right: rel.C(1)}}},
			{Rel: 4, Head: []rel.Cell{{Expr: rel.V(0)}, {Agg: rel.Count}}, Vars: vars(three, "x", "y"),
				Body: []rel.Literal{atom(1, v(0), v(1)), {Kind: rel.Not, Rel: 0, Terms: []rel.Term{v(1), {Kind: rel.Any}}}}},
		},
		Results: []int{3, 4},
	}
}

func TestListing(t *testing.T) {
	p := kin()
	if err := rel.Verify(p); err != nil {
		t.Fatal(err)
	}
	const want = `domain node of 3
relation Parent(node, node), facts: 2
relation Anc(node, node)
relation Hops[node] min int, facts: 1
relation Anc("ann", x), x != "bob"?(node)
relation Many(node, int)
stratum 1, recursive
  Anc(x, y) <- Parent(x, y).
  Anc(x, z) <- Anc(x, y), Parent(y, z).
stratum 2, recursive
  Hops[y] min= n + 1 <- Hops[x] = n, Parent(x, y).
stratum 3
  Anc("ann", x), x != "bob"?(x) <- Anc("ann", x), x != "bob".
stratum 4
  Many(x, count()) <- Anc(x, y), not Parent(y, _).
result Anc("ann", x), x != "bob"?
result Many
`
	if got := p.String(); got != want {
		t.Errorf("%s", got)
	}
}

// TestRefused: each change makes the program malformed, and Verify says by what.
func TestRefused(t *testing.T) {
	for _, x := range []struct {
		want   string
		change func(p *rel.Program)
	}{
		{"there is no relation 9", func(p *rel.Program) { p.Rules[0].Rel = 9 }},
		{"there is no relation -1", func(p *rel.Program) { p.Rules[0].Body[0].Rel = -1 }},
		{"result 0", func(p *rel.Program) { p.Results[0] = 5 }},
		{"there is no variable 7", func(p *rel.Program) { p.Rules[0].Body[0].Terms[0].Var = 7 }},
		{"nothing gives y a value", func(p *rel.Program) { p.Rules[0].Body[0].Terms[1] = c(0) }},
		{"1 terms for the 2 columns of Parent", func(p *rel.Program) { p.Rules[0].Body[0].Terms = []rel.Term{v(0)} }},
		{"3 is no node", func(p *rel.Program) { p.Rules[3].Body[0].Terms[0] = c(3) }},
		{"the variable n is a int, the place takes a node", func(p *rel.Program) { p.Rules[2].Body[1].Terms[0] = v(2) }},
		{"Anc makes new values", func(p *rel.Program) {
			p.Relations[1].Columns, p.Relations[0].Columns = []tensor.Column{whole, whole}, []tensor.Column{whole, whole}
			p.Relations[0].Facts, p.Rules = nil, p.Rules[:2]
			for i := range p.Rules {
				p.Rules[i].Vars = vars([]tensor.Column{whole, whole, whole}, "x", "y", "z")[:2+i]
			}
			p.Rules[1].Head[0].Expr = add(rel.V(1), rel.C(1))
			p.Rules[1].Body[1].Terms[0] = v(0)
		}},
		{"depends on its own negation", func(p *rel.Program) {
			p.Rules[1].Body[0].Kind = rel.Not
			p.Rules[1].Body[1].Terms[0] = v(0)
			p.Rules[1].Body = append(p.Rules[1].Body, atom(0, v(1), v(2)))
		}},
		{"depends on its own aggregate", func(p *rel.Program) {
			p.Rules[4].Body[0].Rel = 4
			p.Rules[4].Body[0].Terms = []rel.Term{v(0), {Kind: rel.Any}}
			p.Rules[4].Body = append(p.Rules[4].Body, atom(0, v(0), v(1)))
		}},
		{"may get worse", func(p *rel.Program) {
			p.Rules[2].Head[1].Expr = rel.Expr{Fn: op.FnNeg, Args: []rel.Expr{rel.V(2)}}
		}},
		{"compared before it is final", func(p *rel.Program) {
			p.Rules[2].Body = append(p.Rules[2].Body, rel.Literal{Kind: rel.Compare, Fn: op.FnGt, Left: rel.V(2), Right: rel.C(1)})
		}},
		{"the column takes whole numbers", func(p *rel.Program) {
			p.Rules[2].Head[1].Expr = rel.Expr{Fn: op.FnDiv, Args: []rel.Expr{rel.V(2), rel.C(2)}}
		}},
		{"not one of the program's", func(p *rel.Program) { p.Domains = nil }},
		{"Many has the elements of a tensor", func(p *rel.Program) { p.Relations[4].Source = rel.FromElements }},
		{"member 5 of 3", func(p *rel.Program) { p.Relations[0].Facts.Cells[0].ID[0] = 5 }},
	} {
		p := kin()
		if x.change(p); rel.Verify(p) == nil || !strings.Contains(rel.Verify(p).Error(), x.want) {
			t.Errorf("%v, want %q", rel.Verify(p), x.want)
		}
	}
}
