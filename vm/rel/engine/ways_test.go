package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// both runs a program as it is written and as it is planned, which must agree, within what
// is certified. It gives the rows and the lines of the plan.
func both(t *testing.T, w *workload) (rows []string, plan *engine.Plan) {
	t.Helper()
	if err := rel.Verify(w.p); err != nil {
		t.Fatal(err)
	}
	size := w.sizes()
	var want []string
	for _, written := range []bool{true, false} {
		p := *w.p
		p.AsWritten = written
		plan = engine.New(&p, size)
		ctl, budget := kernel.Ctl{}, engine.Budget{}
		got, err := plan.Run(&ctl, w.args, &budget)
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		if ctl.Ops > plan.Ops() || budget.Used > plan.Bytes() {
			t.Fatalf("%d operations, %d certified; %d bytes, %d certified\n%v", ctl.Ops, plan.Ops(), budget.Used, plan.Bytes(), plan.Explain())
		}
		rows = nil
		for i, table := range got {
			if err := rel.CheckTable(table, nil); err != nil {
				t.Fatal(err)
			}
			for row := range table.All() {
				rows = append(rows, fmt.Sprint(i, row))
			}
		}
		if written {
			want = rows
		}
		// At a limit it stops, and not past it. With less memory it may find a way with less work.
		limited, less := kernel.Ctl{Limit: ctl.Ops / 2}, engine.Budget{Max: budget.Used / 2}
		if _, err := plan.Run(&limited, w.args, &less); limited.Ops > limited.Limit || less.Used > less.Max {
			t.Fatalf("%d operations at a limit of %d, %d bytes at one of %d: %v", limited.Ops, limited.Limit, less.Used, less.Max, err)
		}
	}
	if !slices.Equal(rows, want) {
		t.Fatalf("%d rows, want %d\n%v", len(rows), len(want), plan.Explain())
	}
	return rows, plan
}

// TestDense: recursions on rows of bits make the same as pair by pair, whichever cells a rule
// exchanges or takes through a list, in one relation or in two that need each other, and
// read afterwards as they are, by either column and by group, in any order; some lists have values.
func TestDense(t *testing.T) {
	dense, large, total := 0, 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := newWorkload(3 + r.IntN(150))
		if seed%40 == 0 { // rows of more than 64 words
			w = newWorkload(4200)
		}
		n := w.node.Domain.Size
		pick := func() uint32 { return uint32(r.IntN(n)) }
		lists := []int{}
		for i := range 2 {
			m := 1 + r.IntN(min(2*n, n*(n-1)))
			if n > 1000 {
				m = n/3 + r.IntN(n/6)
			}
			lists = append(lists, w.random(fmt.Sprint("Edge", i), 2, m, pick))
		}
		if seed%4 == 1 {
			lists[1] = w.valued(lists[1])
		}
		own := []int{w.relation("A", 2), w.relation("B", 2)}[:1+r.IntN(2)]
		for _, at := range own {
			w.rule(lit{at, []int{0, 1}}, lit{lists[r.IntN(2)], []int{0, 1}})
			for range 1 + r.IntN(2) {
				from := own[r.IntN(len(own))]
				head := [][]int{{0, 1}, {1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 0}}[r.IntN(6)]
				body := []lit{{from, []int{0, 1}}}
				if key := 3 - head[0] - head[1]; key < 2 {
					pair := []int{key, 2}
					if r.IntN(2) == 0 {
						slices.Reverse(pair)
					}
					body = append(body, lit{lists[r.IntN(2)], pair})
					r.Shuffle(2, func(i, j int) { body[i], body[j] = body[j], body[i] })
				}
				w.rule(lit{at, head}, body...)
			}
		}
		last := own[len(own)-1]
		after, count := w.relation("After", 2), w.relation("Count", 2)
		for range 1 + r.IntN(3) {
			switch pair := [][]int{{0, 1}, {1, 0}}[r.IntN(2)]; r.IntN(3) {
			case 0:
				w.rule(lit{after, []int{1, 0}}, lit{last, pair})
			case 1:
				w.rule(lit{after, []int{0, 2}}, lit{last, pair}, lit{lists[0], []int{1, 2}})
			default:
				w.rule(lit{count, []int{0}}, lit{last, pair})
				w.rule(lit{count, []int{0}}, lit{lists[1], []int{0, 2}}, lit{last, []int{2, 1}})
			}
		}
		w.p.Relations[count].Columns[1] = tensor.Column{Kind: tensor.IntColumn}
		for i := range w.p.Rules {
			if r := &w.p.Rules[i]; r.Rel == count {
				r.Head = append(r.Head, rel.Cell{Agg: rel.Count})
			}
		}
		any := w.relation("Any", 0)
		w.rule(lit{any, nil}, lit{last, []int{0, 1}})
		w.count(last)
		w.p.Results = append(w.p.Results, own[0], last, after, count, any)
		rows, plan := both(t, w)
		total += len(rows)
		if slices.ContainsFunc(plan.Explain(), func(line string) bool { return strings.HasSuffix(line, "rows of bits") }) {
			dense++
			if w.node.Domain.Size > 1000 {
				large++
			}
		}
	}
	if dense < 100 || large < 2 || total < 100000 {
		t.Errorf("%d were dense, %d of them large, of %d rows in all", dense, large, total)
	}
}

// TestGivenRows: a relation that has rows from outside and a rule holds each row once.
func TestGivenRows(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 14))
		w := newWorkload(10 + 500*int(seed%3))
		pick := func() uint32 { return uint32(r.IntN(10)) }
		arity := 2 + r.IntN(2)
		given, other := w.random("Given", arity, 1+r.IntN(40), pick), w.random("Other", arity, 1+r.IntN(40), pick)
		cells := r.Perm(arity)
		w.rule(lit{given, cells}, lit{other, []int{0, 1, 2}[:arity]})
		w.count(given)
		w.p.Results = append(w.p.Results, given)
		both(t, w)
	}
}

// TestIdleRules: in a round of a large recursion, rules whose relation has no new rows take nothing.
func TestIdleRules(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(1, 15))
	w := newWorkload(5)
	e := w.random("Edge", 2, 4, func() uint32 { return uint32(r.IntN(5)) })
	for range n { // a ring, which one row after the other goes round
		w.relation("Ring", 2)
	}
	w.rule(lit{e + 1, []int{0, 1}}, lit{e, []int{0, 1}})
	for i := range n {
		w.rule(lit{e + 1 + (i+1)%n, []int{0, 1}}, lit{e + 1 + i, []int{0, 1}})
	}
	w.p.Results = []int{e + n}
	_, plan := both(t, w)
	ctl := kernel.Ctl{}
	if _, err := plan.Run(&ctl, w.args, &engine.Budget{}); err != nil || ctl.Ops > 100*n {
		t.Errorf("%d operations for %d rules, %v", ctl.Ops, n, err)
	}
}

// TestBothColumns: what is bits has all rows for those who read it by the one column and
// those, in the same stratum, who read it by the other.
func TestBothColumns(t *testing.T) {
	w := newWorkload(100)
	r := rand.New(rand.NewPCG(1, 7))
	pick := func() uint32 { return uint32(r.IntN(100)) }
	e, ask := w.random("Edge", 2, 120, pick), w.random("Ask", 2, 20, pick)
	far, q := w.relation("Far", 2), w.relation("Q", 2)
	w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
	w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{e, []int{1, 2}})
	w.rule(lit{q, []int{0, 2}}, lit{ask, []int{0, 1}}, lit{far, []int{1, 2}})
	w.rule(lit{q, []int{0, 2}}, lit{ask, []int{0, 1}}, lit{far, []int{2, 1}})
	w.p.Results = []int{q, far}
	both(t, w)
}

// paths makes one relation the closure of another in any spelling: of its pairs, of these backwards, of
// both, or of some columns of more.
func paths(w *workload, r *rand.Rand, far, e int) {
	forth := func(x, y int) []lit { return []lit{{e, []int{x, y}}} }
	steps := []func(x, y int) []lit{forth}
	switch back := func(x, y int) []lit { return forth(y, x) }; r.IntN(5) {
	case 0:
		steps[0] = back
	case 1:
		steps = append(steps, back)
	case 2:
		n := w.node.Domain.Size
		pay := w.random("Pay", 3, 1+r.IntN(2*n), func() uint32 { return uint32(r.IntN(n)) })
		steps[0] = func(x, y int) []lit { return []lit{{pay, []int{x, nobody, y}}, {e, []int{y, nobody}}} }
	}
	own := func(x, y int) []lit { return []lit{{far, []int{x, y}}} }
	link := r.IntN(3)
	for _, step := range steps {
		w.rule(lit{far, []int{0, 1}}, step(0, 1)...)
		switch link {
		case 0:
			w.rule(lit{far, []int{0, 2}}, append(own(0, 1), step(1, 2)...)...)
		case 1:
			w.rule(lit{far, []int{0, 2}}, append(step(0, 1), own(1, 2)...)...)
		}
	}
	if link == 2 {
		w.rule(lit{far, []int{0, 2}}, append(own(0, 1), own(1, 2)...)...)
	}
}

// TestCycles: of a closure in any spelling that is read only where a cell leads to itself, the cells on
// cycles are found without the pairs, whether rules ask for all of them, for some or for the others.
// Likewise pairs of which both cells are known, as far as components tell.
func TestCycles(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := 3 + r.IntN(100)
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(n)) }
		e, some, ask := w.random("Edge", 2, 1+r.IntN(min(2*n, n*(n-1))), pick), w.random("Some", 2, 1+r.IntN(n), pick), w.relation("Ask", 1)
		if step := e; r.IntN(2) == 0 { // with cells that are cycles on their own
			e = w.relation("Step", 2)
			w.rule(lit{e, []int{0, 1}}, lit{step, []int{0, 1}})
			w.rule(lit{e, []int{0, 0}}, lit{some, []int{0, nobody}})
		}
		far := w.relation("Far", 2)
		paths(w, r, far, e)
		how := "the nodes on cycles alone"
		switch r.IntN(6) {
		case 0:
			w.rule(lit{ask, []int{0}}, lit{far, []int{0, 0}})
		case 1:
			w.rule(lit{ask, []int{1}}, lit{some, []int{0, 1}}, lit{far, []int{0, 0}}, lit{far, []int{1, 1}})
		case 2:
			w.rule(lit{ask, []int{0}}, lit{some, []int{0, 1}}, lit{far, []int{1, 1}})
			rule := &w.p.Rules[len(w.p.Rules)-1]
			rule.Body[1].Kind = rel.Not
		case 3: // and some pairs
			w.rule(lit{ask, []int{0}}, lit{far, []int{0, 0}})
			w.rule(lit{ask, []int{0}}, lit{far, []int{-1 - r.IntN(n), 0}})
		case 4:
			w.rule(lit{ask, []int{0}}, lit{e, []int{0, 1}}, lit{some, []int{1, 2}}, lit{far, []int{1, 0}}, lit{far, []int{1, 2}})
			w.rule(lit{ask, []int{0}}, lit{e, []int{0, 1}}, lit{far, []int{1, 0}})
			how = "closure" // or all pairs, if there are fewer than steps
		case 5:
			w.rule(lit{ask, []int{0}}, lit{some, []int{0, 1}}, lit{far, []int{1, 0}})
			rule := &w.p.Rules[len(w.p.Rules)-1]
			rule.Body[1].Kind, how = rel.Not, "unless components tell"
		}
		w.p.Results = []int{ask}
		if seed%16 == 0 && how == "the nodes on cycles alone" { // and all
			w.p.Results = append(w.p.Results, far)
		}
		if _, plan := both(t, w); !strings.Contains(strings.Join(plan.Explain(), "\n"), how) {
			t.Fatal(plan.Explain())
		}
	}
}

// TestSpread: what a closure leads to from cells that the rest of a body gives, or what leads to them, is
// one search, in any spelling; not if more is said of those cells.
func TestSpread(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 14))
		n := 3 + r.IntN(60)
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(n)) }
		e, some, ask := w.random("Edge", 2, 1+r.IntN(min(2*n, n*(n-1))), pick), w.random("Some", 2, 1+r.IntN(min(4, n)), pick), w.relation("Ask", 1)
		far := w.relation("Far", 2)
		paths(w, r, far, e)
		turn := func(pair ...int) []int {
			if seed%2 == 0 {
				slices.Reverse(pair)
			}
			return pair
		}
		one := true
		switch r.IntN(10) {
		case 0:
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, nobody}}, lit{far, turn(1, 0)})
		case 1: // a chain
			w.rule(lit{ask, []int{0}}, lit{some, []int{2, 3}}, lit{far, turn(1, 0)}, lit{e, []int{1, 2}})
		case 2: // from two sides
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, nobody}}, lit{far, turn(1, 0)}, lit{some, []int{nobody, 2}}, lit{far, []int{0, 2}})
		case 3: // to one
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, nobody}}, lit{far, turn(1, -1-r.IntN(n))}, lit{e, []int{0, nobody}})
		case 4: // and of one
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, nobody}}, lit{far, turn(1, 0)})
			w.rule(lit{ask, []int{0}}, lit{far, []int{-1 - r.IntN(n), 0}})
			one = false
		case 5: // with where it comes from
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, 0}}, lit{far, turn(1, 0)})
			one = false
		case 6: // from or to anywhere
			w.rule(lit{ask, []int{0}}, lit{far, turn(nobody, 0)})
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, 0}}, lit{far, turn(2, 1)})
			w.rule(lit{ask, []int{0}}, lit{some, []int{0, nobody}}, lit{far, turn(0, nobody)})
			w.p.Rules[len(w.p.Rules)-1].Body[1].Kind = rel.Not
		case 7: // which count
			w.rule(lit{ask, []int{0}}, lit{far, turn(1, 0)})
			w.p.Relations[ask].Columns = []tensor.Column{{Kind: tensor.IntColumn}}
			rule := &w.p.Rules[len(w.p.Rules)-1]
			rule.Head[0], one = rel.Cell{Agg: rel.Count}, false
		case 8: // of one and to one
			w.rule(lit{ask, []int{0}}, lit{far, turn(-1-r.IntN(n), 0)}, lit{far, turn(0, -1-r.IntN(n))})
			w.rule(lit{ask, []int{0}}, lit{e, []int{0, nobody}}, lit{far, turn(-1-r.IntN(n), 0)}, lit{far, turn(0, -1-r.IntN(n))})
			w.p.Rules[len(w.p.Rules)-1].Body[1+r.IntN(2)].Kind = rel.Not
		case 9: // as a recursion
			w.rule(lit{ask, []int{0}}, lit{some, []int{1, 0}})
			w.rule(lit{ask, []int{0}}, lit{ask, []int{1}}, lit{far, turn(1, 0)})
			one = false
		}
		w.p.Results = []int{ask}
		if _, plan := both(t, w); one != !strings.Contains(strings.Join(plan.Explain(), "\n"), "closure of") {
			t.Fatal(plan.Explain())
		}
	}
}

// TestTallies: groups and folds of the columns of one relation are the same as by way of
// bindings, with places for the groups and without, over numbers of every kind and none.
func TestTallies(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		w := newWorkload(1 + r.IntN(40))
		if seed%3 == 0 {
			w = newWorkload(5000)
		}
		n := r.IntN(400)
		if seed < 6 { // so many places that they are taken block by block
			w, n = newWorkload(400), 82000
		}
		number := tensor.Column{Kind: tensor.RealColumn}
		table := &tensor.Table{Columns: []tensor.Column{w.node, w.node, number, number}, Cells: make([]tensor.Cells, 4)}
		seen := map[string]bool{}
		for range n {
			row := []float64{float64(r.IntN(w.node.Domain.Size)), float64(r.IntN(w.node.Domain.Size)), float64(r.IntN(6)-2) / 2, float64(r.IntN(9))}
			if key := fmt.Sprint(row); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			table.Len++
			for c, x := range row {
				if c < 2 {
					table.Cells[c].ID = append(table.Cells[c].ID, uint32(x))
				} else {
					table.Cells[c].Num = append(table.Cells[c].Num, x)
				}
			}
		}
		w.p.Relations = []rel.Relation{{Name: "Pay", Columns: table.Columns, Source: rel.FromTable}}
		w.args = []*tensor.Value{{Layout: tensor.Rows, Table: table}}
		for range 3 {
			out := rel.Relation{Name: "Total"}
			rule := rel.Rule{Rel: len(w.p.Relations), Body: []rel.Literal{{Rel: 0, Terms: []rel.Term{{}, {Var: 1}, {Var: 2}, {Var: 3}}}}}
			for _, c := range table.Columns {
				rule.Vars = append(rule.Vars, rel.Var{Kind: c.Kind, Domain: c.Domain})
			}
			if n < 100 && r.IntN(3) == 0 { // on to another member
				rule.Vars = append(rule.Vars, rule.Vars[0])
				rule.Body = append(rule.Body, rel.Literal{Rel: 0, Terms: []rel.Term{{Var: 1}, {Var: 4}, {Kind: rel.Any}, {Kind: rel.Any}}})
			}
			for _, c := range r.Perm(4)[:r.IntN(4)] {
				out.Columns = append(out.Columns, table.Columns[c])
				rule.Head = append(rule.Head, rel.Cell{Expr: rel.V(c)})
			}
			for range 1 + r.IntN(3) {
				agg := []rel.Agg{rel.Count, rel.Sum, rel.Mean, rel.Min, rel.Max, rel.Distinct}[r.IntN(6)]
				cell, column := rel.Cell{Agg: agg}, number
				switch {
				case agg == rel.Distinct:
					cell.Expr = rel.V(r.IntN(len(rule.Vars)))
				case agg != rel.Count:
					cell.Expr = rel.V(2 + r.IntN(2))
				}
				if seed%5 == 1 && (agg == rel.Min || agg == rel.Max) {
					cell.Expr, column = rel.V(r.IntN(2)), w.node
				}
				if agg == rel.Count || agg == rel.Distinct {
					column.Kind = tensor.IntColumn
				}
				out.Columns, rule.Head = append(out.Columns, column), append(rule.Head, cell)
			}
			if seed%5 == 1 { // facts, though none
				out.Facts = &tensor.Table{Columns: out.Columns, Cells: make([]tensor.Cells, len(out.Columns))}
			}
			w.p.Results = append(w.p.Results, rule.Rel)
			w.p.Relations, w.p.Rules = append(w.p.Relations, out), append(w.p.Rules, rule)
		}
		both(t, w)
	}
}

// TestAlong: rows that are read in the order of those that they look up make the rows of the rules as
// they are written.
func TestAlong(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 17))
		w := newWorkload(400)
		pay := w.random("Pay", 3, 70_000, func() uint32 { return uint32(r.IntN(w.node.Domain.Size)) })
		few := w.random("Few", 3, 50, func() uint32 { return uint32(r.IntN(w.node.Domain.Size)) })
		for _, body := range [][]lit{
			{{pay, []int{0, 1, 2}}, {pay, []int{3, 1, 2}}},
			{{pay, []int{0, 1, 2}}, {pay, []int{1, 3, 0}}},
			{{pay, []int{0, 1, nobody}}, {pay, []int{1, nobody, 2}}, {few, []int{0, 3, 2}}},
			{{pay, []int{0, 1, 2}}, {pay, []int{1, nobody, 0}}, {few, []int{nobody, 3, 1}}},
		} {
			of := w.relation(fmt.Sprint("Of", len(w.p.Results)), 2)
			w.rule(lit{of, []int{0, 3}}, body...)
			w.p.Results = append(w.p.Results, of)
		}
		both(t, w)
	}
}

// TestPassing: values that are passed along lists, as they are or with weights, are those of
// the rules as they are written, when a value also gets better on its way.
func TestPassing(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 2 + r.IntN(60)
		w := newWorkload(n)
		number := tensor.Column{Kind: tensor.RealColumn}
		fold, sign := rel.Min, 1.0
		if r.IntN(2) == 0 {
			fold, sign = rel.Max, -1
		}
		acyclic := r.IntN(2) == 0
		for i := range 2 {
			at := w.random(fmt.Sprint("Road", i), 2, 1+r.IntN(min(3*n, n*(n-1)/2)), func() uint32 { return uint32(r.IntN(n)) })
			table := w.args[i].Table
			table.Columns = append(table.Columns[:2:2], number)
			table.Cells = append(table.Cells, tensor.Cells{})
			for k := range table.Len {
				weight := sign * float64(r.IntN(7)) / 2
				if acyclic {
					a, b := &table.Cells[0].ID[k], &table.Cells[1].ID[k]
					*a, *b = min(*a, *b), max(*a, *b)
					weight = float64(r.IntN(9)-4) / 2
				}
				table.Cells[2].Num = append(table.Cells[2].Num, weight)
			}
			if acyclic {
				distinct(table)
			}
			w.p.Relations[at].Columns = table.Columns
		}
		start := &tensor.Table{Columns: []tensor.Column{w.node, number}, Cells: make([]tensor.Cells, 2)}
		for i := range n {
			if i == 0 || r.IntN(4) == 0 {
				start.Len++
				start.Cells[0].ID, start.Cells[1].Num = append(start.Cells[0].ID, uint32(i)), append(start.Cells[1].Num, float64(r.IntN(5)))
			}
		}
		w.p.Relations = append(w.p.Relations, rel.Relation{Name: "Start", Columns: start.Columns, Source: rel.FromTable, Arg: 2}, rel.Relation{Name: "Dist", Columns: start.Columns, Fold: fold})
		w.args = append(w.args, &tensor.Value{Layout: tensor.Rows, Table: start})
		vars := []rel.Var{{Domain: w.node.Domain}, {Domain: w.node.Domain}, {Kind: number.Kind}, {Kind: number.Kind}}
		w.p.Rules = append(w.p.Rules, rel.Rule{Rel: 3, Head: []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.V(1)}},
			Vars: []rel.Var{vars[0], vars[2]}, Body: []rel.Literal{{Rel: 2, Terms: []rel.Term{{}, {Var: 1}}}}})
		for range 1 + r.IntN(2) {
			list := rel.Literal{Rel: r.IntN(2), Terms: []rel.Term{{}, {Var: 1}, {Var: 3}}}
			if !acyclic && r.IntN(3) == 0 {
				list.Terms[0], list.Terms[1] = list.Terms[1], list.Terms[0]
			}
			value := rel.V(2)
			if r.IntN(3) > 0 {
				value = rel.Expr{Fn: op.FnAdd, Args: []rel.Expr{rel.V(2), rel.V(3)}}
				if r.IntN(2) == 0 {
					slices.Reverse(value.Args)
				}
			}
			w.p.Rules = append(w.p.Rules, rel.Rule{Rel: 3, Head: []rel.Cell{{Expr: rel.V(1)}, {Expr: value}}, Vars: vars,
				Body: []rel.Literal{{Rel: 3, Terms: []rel.Term{{}, {Var: 2}}}, list}})
		}
		w.p.Results = []int{3}
		both(t, w)
	}
}

// distinct leaves out rows whose first cells are those of an earlier one.
func distinct(t *tensor.Table) {
	seen := map[[2]uint32]bool{}
	kept := 0
	for k := range t.Len {
		pair := [2]uint32{t.Cells[0].ID[k], t.Cells[1].ID[k]}
		if seen[pair] {
			continue
		}
		seen[pair] = true
		t.Cells[0].ID[kept], t.Cells[1].ID[kept], t.Cells[2].Num[kept] = pair[0], pair[1], t.Cells[2].Num[k]
		kept++
	}
	t.Len = kept
	t.Cells[0].ID, t.Cells[1].ID, t.Cells[2].Num = t.Cells[0].ID[:kept], t.Cells[1].ID[:kept], t.Cells[2].Num[:kept]
}

// TestJoins: recursions that join new pairs with relations that grow with them make the
// same in the loops of join.go as in those of any rule, whichever cells are looked up and made.
func TestJoins(t *testing.T) {
	joined, total := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		w := newWorkload(3 + r.IntN(100))
		n := w.node.Domain.Size
		pick := func() uint32 { return uint32(r.IntN(n)) }
		lists := []int{}
		for i := range 2 {
			lists = append(lists, w.random(fmt.Sprint("Edge", i), 2, 1+r.IntN(min(n, n*(n-1))), pick))
		}
		if seed%4 == 1 {
			lists[1] = w.valued(lists[1])
		}
		own := []int{w.relation("A", 2), w.relation("B", 2), w.relation("C", 2)}[:1+r.IntN(3)]
		for _, at := range own {
			w.rule(lit{at, []int{0, 1}}, lit{lists[r.IntN(2)], []int{0, 1}})
			for range 1 + r.IntN(2) {
				cells := r.Perm(3)
				first, second := []int{cells[0], cells[1]}, []int{cells[1], cells[2]}
				if r.IntN(2) == 0 {
					slices.Reverse(first)
				}
				if r.IntN(2) == 0 {
					slices.Reverse(second)
				}
				w.rule(lit{at, []int{cells[0], cells[2]}}, lit{own[r.IntN(len(own))], first}, lit{append(own, lists...)[r.IntN(len(own)+2)], second})
			}
		}
		w.p.Results = own
		rows, plan := both(t, w)
		total += len(rows)
		joined += plan.Joins()
	}
	if joined < 500 || total < 100000 {
		t.Errorf("%d rules joined pairs, of %d rows in all", joined, total)
	}
}

// TestSettled: recursions of many pairs, whose older rows are sorted while more come, make what they
// make from chains alone: in the loops of join.go and in those of any rule.
func TestSettled(t *testing.T) {
	const n = 1200
	settled, seeds := 0, 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(n)) }
		addr, assign := w.random("Addr", 2, n/5, pick), w.random("Assign", 2, n*95/100, pick)
		load, put := w.random("Load", 2, n/20, pick), w.random("Store", 2, n/20, pick)
		pt, through := w.relation("Points", 2), w.relation("Through", 3)
		w.rule(lit{pt, []int{0, 1}}, lit{addr, []int{0, 1}})
		w.rule(lit{pt, []int{0, 2}}, lit{assign, []int{0, 1}}, lit{pt, []int{1, 2}})
		w.rule(lit{through, []int{0, 2, 3}}, lit{load, []int{0, 1}}, lit{pt, []int{1, 2}}, lit{pt, []int{2, 3}})
		w.rule(lit{pt, []int{0, 2}}, lit{through, []int{0, 1, 2}})
		w.rule(lit{pt, []int{2, 3}}, lit{put, []int{0, 1}}, lit{pt, []int{0, 2}}, lit{pt, []int{1, 3}})
		w.p.Results = []int{pt, through}
		_, plan := both(t, w)
		settled += plan.Settled(w.args)
	}
	if settled < seeds {
		t.Errorf("%d indexes have sorted rows", settled)
	}
}

// TestSettledBelow: the later rows of a key are found behind those that were sorted, whatever the
// loops below look up meanwhile.
func TestSettledBelow(t *testing.T) {
	const n = 300
	settled := 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 9))
		w := newWorkload(n)
		e := w.random("Edge", 2, n*6/5, func() uint32 { return uint32(r.IntN(n)) })
		far, through := w.relation("Far", 2), w.relation("Through", 3)
		w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
		w.rule(lit{through, []int{0, 1, 2}}, lit{far, []int{0, 1}}, lit{far, []int{1, 2}}, lit{far, []int{2, 0}})
		w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{e, []int{1, 2}})
		w.rule(lit{far, []int{0, 2}}, lit{through, []int{0, 1, 2}})
		w.p.Results = []int{far, through}
		_, plan := both(t, w)
		settled += plan.Settled(w.args)
	}
	if settled == 0 {
		t.Error("no index has sorted rows")
	}
}

// TestBitsAreCleared: what runs leave for the next ones has no bit of theirs.
func TestBitsAreCleared(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		w := newWorkload(600 + r.IntN(600))
		n := w.node.Domain.Size
		pick := func() uint32 { return uint32(r.IntN(n)) }
		e := w.random("Edge", 2, n/2, pick)
		far, back := w.relation("Far", 2), w.relation("Back", 2)
		w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
		w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{back, []int{2, 1}})
		w.rule(lit{back, []int{1, 0}}, lit{far, []int{0, 1}})
		w.rule(lit{back, []int{0, 2}}, lit{back, []int{0, 1}}, lit{far, []int{2, 1}})
		w.p.Results = []int{far}
		both(t, w)
		if bits := engine.Kept(); slices.ContainsFunc(bits, func(x uint64) bool { return x != 0 }) {
			t.Fatalf("seed %d: a bit is left", seed)
		}
	}
}

// TestLoops: recursions whose rules are two loops make the same as by their steps, whichever
// columns meet and make the head, by lists and by relations that grow meanwhile.
func TestLoops(t *testing.T) {
	total := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 10))
		n := 3 + r.IntN(60)
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(n)) }
		all := []int{w.random("Edge0", 2, 1+r.IntN(n), pick), w.random("Edge1", 2, 1+r.IntN(n), pick), w.relation("A", 2), w.relation("B", 2)}
		if seed%4 == 1 {
			all[1] = w.valued(all[1])
		}
		for _, at := range all[2:] {
			w.rule(lit{at, []int{0, 1}}, lit{all[r.IntN(2)], []int{0, 1}})
			for range 1 + r.IntN(2) {
				var body []lit
				for k := range 2 + r.IntN(2) { // a chain of atoms, each either way around
					pair := []int{k, k + 1}
					if r.IntN(2) == 0 {
						slices.Reverse(pair)
					}
					body = append(body, lit{all[r.IntN(4)], pair})
				}
				w.rule(lit{at, [][]int{{0, len(body)}, {len(body), 0}, {len(body), 1}}[r.IntN(3)]}, body...)
			}
		}
		w.p.Results = all[2:]
		rows, _ := both(t, w)
		total += len(rows)
	}
	if total < 40000 {
		t.Errorf("%d rows in all", total)
	}
}

// TestDemand: relations that are asked for by constants have the rows that are asked for, of
// chains and views, with negations and aggregates above them, and less is done for them.
func TestDemand(t *testing.T) {
	asked := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 4 + r.IntN(30)
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(n)) }
		all := []int{w.random("Edge0", 2, 1+r.IntN(2*n), pick), w.random("Edge1", 2, 1+r.IntN(n), pick)}
		for _, name := range []string{"A", "B", "C"} {
			at := w.relation(name, 2)
			w.rule(lit{at, []int{0, 1}}, lit{all[r.IntN(2)], []int{0, 1}})
			for range 1 + r.IntN(2) {
				var body []lit
				for k := range 2 + r.IntN(2) {
					pair := []int{k, k + 1}
					if r.IntN(2) == 0 {
						slices.Reverse(pair)
					}
					body = append(body, lit{append(all, at)[r.IntN(len(all)+1)], pair})
				}
				w.rule(lit{at, []int{0, len(body)}}, body...)
				if rule := &w.p.Rules[len(w.p.Rules)-1]; r.IntN(4) == 0 { // of an earlier relation
					rule.Body = append(rule.Body, rel.Literal{Kind: rel.Not, Rel: all[r.IntN(len(all))], Terms: []rel.Term{{}, {Var: len(body)}}})
				}
			}
			all = append(all, at)
		}
		count := w.relation("Count", 2) // of each node, how many there are
		w.p.Relations[count].Columns = []tensor.Column{w.node, {Kind: tensor.IntColumn}}
		w.rule(lit{count, []int{0, 1}}, lit{all[2+r.IntN(3)], []int{0, 1}})
		w.p.Rules[len(w.p.Rules)-1].Head[1] = rel.Cell{Agg: rel.Count}
		for range 1 + r.IntN(2) {
			ask := w.relation("Ask", 1)
			w.rule(lit{ask, []int{1}}, lit{all[r.IntN(len(all))], []int{-1 - r.IntN(n), 0}}, lit{all[2+r.IntN(3)], []int{0, 1}})
			if r.IntN(2) == 0 { // a count of what was asked for
				w.p.Relations[ask].Columns = []tensor.Column{{Kind: tensor.IntColumn}}
				rule := &w.p.Rules[len(w.p.Rules)-1]
				rule.Body[1] = rel.Literal{Rel: count, Terms: []rel.Term{{}, {Var: 1}}}
				rule.Vars[1] = rel.Var{Kind: tensor.IntColumn}
			}
			w.p.Results = append(w.p.Results, ask)
		}
		if _, plan := both(t, w); strings.Contains(strings.Join(plan.Explain(), "\n"), "?") {
			asked++
		}
	}
	if asked < 300 {
		t.Errorf("%d programs ask for some rows alone", asked)
	}

	// Who is of one's generation, of one in a tree.
	r := rand.New(rand.NewPCG(12, 12))
	w := newWorkload(500)
	next := uint32(0)
	up, same := w.random("Up", 2, 499, func() uint32 {
		if next++; next%2 == 1 {
			return (next + 1) / 2
		}
		return uint32(r.IntN(int(next/2))) / 2
	}), w.relation("Same", 2)
	w.rule(lit{same, []int{0, 1}}, lit{up, []int{0, 2}}, lit{up, []int{1, 2}})
	w.rule(lit{same, []int{0, 1}}, lit{up, []int{0, 2}}, lit{same, []int{2, 3}}, lit{up, []int{1, 3}})
	ask := w.relation("Ask", 1)
	w.rule(lit{ask, []int{0}}, lit{same, []int{-490, 0}})
	w.p.Results = []int{ask}
	both(t, w)
	var ops [2]uint64
	for i, written := range []bool{false, true} {
		p := *w.p
		p.AsWritten = written
		ctl := kernel.Ctl{}
		if _, err := engine.New(&p, w.sizes()).Run(&ctl, w.args, &engine.Budget{}); err != nil {
			t.Fatal(err)
		}
		ops[i] = ctl.Ops
	}
	if 10*ops[0] > ops[1] {
		t.Errorf("%d operations for one, %d for all", ops[0], ops[1])
	}

	// W is without those that P gives, and P would be asked for by what is not in W.
	w = newWorkload(9)
	e := w.random("E", 2, 20, func() uint32 { return uint32(r.IntN(9)) })
	p, other, left := w.relation("P", 2), w.relation("W", 1), w.relation("Left", 2)
	w.rule(lit{p, []int{0, 1}}, lit{e, []int{1, 0}})
	w.rule(lit{other, []int{0}}, lit{p, []int{-2, 0}})
	w.rule(lit{left, []int{0, 1}}, lit{e, []int{0, 1}})
	rule := &w.p.Rules[len(w.p.Rules)-1]
	rule.Body = append(rule.Body, rel.Literal{Kind: rel.Not, Rel: other, Terms: []rel.Term{{Var: 1}}})
	ask = w.relation("Ask", 1)
	w.rule(lit{ask, []int{1}}, lit{left, []int{-1, 0}}, lit{p, []int{0, 1}})
	w.p.Results = []int{ask}
	if _, plan := both(t, w); !strings.Contains(strings.Join(plan.Explain(), "\n"), "would depend on itself") {
		t.Errorf("%q", plan.Explain())
	}
}

// TestDemandedView: nodes are reached from a goal through a view with as much work as it has rows,
// which demand does not take for all pairs.
func TestDemandedView(t *testing.T) {
	const n = 3000
	w := newWorkload(n)
	next := uint32(0)
	pay := w.random("Pay", 3, 2*n-2, func() uint32 { // each pair twice
		k := next / 3
		switch next++; next % 3 {
		case 1:
			return k / 2
		case 2:
			return (k/2 + 1 + k%2) % n
		}
		return k/2 + 1
	})
	flow, reach, ask := w.relation("Flow", 2), w.relation("Reach", 1), w.relation("Ask", 0)
	w.p.Relations[reach].Facts = &tensor.Table{Columns: w.p.Relations[reach].Columns, Len: 1, Cells: []tensor.Cells{{ID: []uint32{0}}}}
	w.rule(lit{flow, []int{0, 1}}, lit{pay, []int{0, nobody, 1}})
	w.rule(lit{reach, []int{1}}, lit{reach, []int{0}}, lit{flow, []int{0, 1}})
	w.rule(lit{ask, nil}, lit{reach, []int{-n}})
	w.p.Results = []int{ask}
	if rows, _ := both(t, w); len(rows) != 1 {
		t.Errorf("%q", rows)
	}
	ctl, plan := kernel.Ctl{}, engine.New(w.p, w.sizes())
	if _, err := plan.Run(&ctl, w.args, &engine.Budget{}); err != nil {
		t.Fatal(err)
	}
	if ctl.Ops > 200*n || plan.Rows(flow) > 2*n {
		t.Errorf("%d operations, at most %d rows of the view", ctl.Ops, plan.Rows(flow))
	}
}

// TestFewNames: a column with few names selects many rows, so a join by way of another comes first.
func TestFewNames(t *testing.T) {
	const n = 3000
	w := newWorkload(n)
	next, r := uint32(0), rand.New(rand.NewPCG(1, 16))
	kind := w.random("Kind", 2, n-4, func() uint32 { // each node of one of four
		next++
		return []uint32{next % 8 / 2, 3 + (next+1)/2}[next%2]
	})
	pay, same := w.random("Pay", 2, 2*n, func() uint32 { return uint32(r.IntN(n)) }), w.relation("Same", 2)
	w.rule(lit{same, []int{0, 1}}, lit{kind, []int{0, 2}}, lit{kind, []int{1, 2}}, lit{pay, []int{0, 1}})
	w.p.Results = []int{same}
	both(t, w)
	ctl := kernel.Ctl{}
	if _, err := engine.New(w.p, w.sizes()).Run(&ctl, w.args, &engine.Budget{}); err != nil || ctl.Ops > 200*n {
		t.Errorf("%d operations, %v", ctl.Ops, err)
	}
}

// TestTwice: edges in both directions need not be told from those that are there already
// where only the best of values is taken along them, and must be where they are shown or
// counted.
func TestTwice(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := 1100 // too many for bits
		w := newWorkload(n)
		w.random("Edge", 2, 20+r.IntN(200), func() uint32 { return uint32(r.IntN(40)) })
		w.random("Start", 1, 1+r.IntN(5), func() uint32 { return uint32(r.IntN(40)) })
		ways := lit{w.relation("Both", 2), []int{0, 1}}
		w.rule(ways, lit{0, []int{0, 1}})
		w.rule(ways, lit{0, []int{1, 0}})
		number := tensor.Column{Kind: tensor.IntColumn}
		hops := len(w.p.Relations)
		w.p.Relations = append(w.p.Relations, rel.Relation{Name: "Hops", Columns: []tensor.Column{w.node, number}, Fold: rel.Min})
		vars := []rel.Var{{Domain: w.node.Domain}, {Domain: w.node.Domain}, {Kind: number.Kind}}
		w.p.Rules = append(w.p.Rules,
			rel.Rule{Rel: hops, Head: []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.Expr{Term: rel.Term{Kind: rel.Const}}}}, Vars: vars[:1],
				Body: []rel.Literal{{Rel: 1, Terms: []rel.Term{{}}}}},
			rel.Rule{Rel: hops, Head: []rel.Cell{{Expr: rel.V(1)}, {Expr: rel.Expr{Fn: op.FnAdd, Args: []rel.Expr{rel.V(2), {Term: rel.Term{Kind: rel.Const, Value: 1}}}}}}, Vars: vars,
				Body: []rel.Literal{{Rel: hops, Terms: []rel.Term{{}, {Var: 2}}}, {Rel: ways.rel, Terms: []rel.Term{{}, {Var: 1}}}}})
		w.p.Results = []int{hops}
		switch seed % 3 {
		case 1:
			w.p.Results = append(w.p.Results, ways.rel)
		case 2:
			w.count(ways.rel)
		}
		both(t, w)
	}
}
