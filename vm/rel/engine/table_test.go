package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// TestAllRows: a query for all rows costs no more than the relation, and has the names
// of its own columns; one that exchanges columns, or selects, is a rule like others.
func TestAllRows(t *testing.T) {
	for _, c := range []struct {
		vars  []int
		shown bool
	}{{[]int{0, 1}, true}, {[]int{1, 0}, false}, {[]int{0, 0}, false}} {
		w := newWorkload(100)
		r := rand.New(rand.NewPCG(1, 3))
		e, far, q := w.random("Edge", 2, 150, func() uint32 { return uint32(r.IntN(100)) }), w.relation("Far", 2), w.relation("Far(x, y)?", 2)
		w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
		w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{e, []int{1, 2}})
		w.rule(lit{q, []int{0, 1}}, lit{far, c.vars})
		if c.vars[0] == c.vars[1] {
			w.p.Rules[2].Head[1].Expr = rel.V(0)
			w.p.Rules[2].Vars = w.p.Rules[2].Vars[:1]
		}
		columns := slices.Clone(w.p.Relations[q].Columns)
		columns[0].Name, columns[1].Name = "x", "y"
		w.p.Relations[q].Columns = columns
		w.p.Results = []int{q, far, q}
		if err := rel.Verify(w.p); err != nil {
			t.Fatal(err)
		}
		var want string
		for _, written := range []bool{true, false} {
			w.p.AsWritten = written
			plan := engine.New(w.p, w.sizes())
			got, err := plan.Run(&kernel.Ctl{}, w.args, &engine.Budget{})
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, table := range got {
				for row := range table.All() {
					rows = append(rows, fmt.Sprint(row))
				}
			}
			all := fmt.Sprint(rows)
			if written {
				want = all
			} else if all != want {
				t.Errorf("%v: other rows than as written", c.vars)
			}
			if got[0].Columns[0].Name != "x" || got[1].Columns[0].Name != "" || uint64(got[0].Len) > plan.Rows(q) {
				t.Errorf("%v: columns %v and %v, %d rows of %d", c.vars, got[0].Columns, got[1].Columns, got[0].Len, plan.Rows(q))
			}
			if has := strings.Contains(strings.Join(plan.Explain(), "\n"), "Far(x, y)"); has != (written || !c.shown) {
				t.Errorf("%v, as written %v: %q", c.vars, written, plan.Explain())
			}
		}
	}
}

// TestOrder: rows are sorted column by column, by the texts of names and by numbers.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	d := &tensor.Domain{Name: "node", Size: 50}
	for i := range d.Size {
		d.Labels = append(d.Labels, fmt.Sprint(i))
	}
	node, number := tensor.Column{Kind: tensor.NodeColumn, Domain: d}, tensor.Column{Kind: tensor.RealColumn}
	for _, columns := range [][]tensor.Column{{node, node}, {node, node, number, number}, {number, node}, {node, number, node}, {number}} {
		facts := &tensor.Table{Columns: columns}
		rows := make([][]float64, 3000)
		for i := range rows {
			for _, c := range columns {
				x := float64(r.IntN(50))
				if c.Domain == nil {
					x = float64(r.IntN(2000)-1000) / 8
				}
				rows[i] = append(rows[i], x)
			}
		}
		facts.Fill(rows)
		// In the order of the other end of the row they come out of order.
		back := slices.Clone(columns)
		slices.Reverse(back)
		turn := rel.Rule{Rel: 1, Body: []rel.Literal{{}}}
		for i, c := range columns {
			turn.Vars = append(turn.Vars, rel.Var{Kind: c.Kind, Domain: c.Domain})
			turn.Body[0].Terms = append(turn.Body[0].Terms, rel.Term{Var: i})
			turn.Head = append(turn.Head, rel.Cell{Expr: rel.V(len(columns) - 1 - i)})
		}
		p := &rel.Program{Domains: []*tensor.Domain{d}, Relations: []rel.Relation{{Name: "P", Columns: columns, Facts: facts}, {Name: "Q", Columns: back}},
			Rules: []rel.Rule{turn}, Results: []int{1}}
		if err := rel.Verify(p); err != nil {
			t.Fatal(err)
		}
		got, err := engine.New(p, nil).Run(&kernel.Ctl{}, nil, &engine.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if err := rel.CheckTable(got[0], nil); err != nil || got[0].Len != facts.Len {
			t.Errorf("%v: %d rows of %d, %v", columns, got[0].Len, facts.Len, err)
		}
	}
}
