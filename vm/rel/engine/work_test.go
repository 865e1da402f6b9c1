package engine_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"ein/internal/lists"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// workload is a program over one domain of nodes, built in few words: relations by
// their arity, rules as numbers of relations and of variables.
type workload struct {
	p    *rel.Program
	node tensor.Column
	args []*tensor.Value
}

func newWorkload(n int) *workload {
	d := &tensor.Domain{Name: "node", Size: n}
	return &workload{p: &rel.Program{Domains: []*tensor.Domain{d}}, node: tensor.Column{Kind: tensor.NodeColumn, Domain: d}}
}

func (w *workload) relation(name string, arity int) int {
	r := rel.Relation{Name: name}
	for range arity {
		r.Columns = append(r.Columns, w.node)
	}
	w.p.Relations = append(w.p.Relations, r)
	return len(w.p.Relations) - 1
}

// random is a relation of m different random rows below most, of arity columns.
func (w *workload) random(name string, arity, m int, pick func() uint32) int {
	at := w.relation(name, arity)
	seen := map[[3]uint32]bool{}
	t := &tensor.Table{Columns: w.p.Relations[at].Columns, Cells: make([]tensor.Cells, arity)}
	for len(seen) < m {
		row := [3]uint32{pick(), pick()}
		if arity == 3 {
			row[2] = pick()
		}
		if row[0] == row[1] || seen[row] {
			continue
		}
		seen[row] = true
		for c := range arity {
			t.Cells[c].ID = append(t.Cells[c].ID, row[c])
		}
		t.Len++
	}
	w.p.Relations[at].Source, w.p.Relations[at].Arg = rel.FromTable, len(w.args)
	w.args = append(w.args, &tensor.Value{Layout: tensor.Rows, Table: t})
	return at
}

// sizes are those of the arguments.
func (w *workload) sizes() []engine.Size {
	return lists.Map(w.args, func(v *tensor.Value) engine.Size {
		return engine.Size{Rows: uint64(v.Table.Len), Table: v.Table}
	})
}

type lit struct {
	rel  int
	vars []int
}

// nobody is the variable _.
const nobody = -1 << 20

func (w *workload) rule(head lit, body ...lit) {
	r := rel.Rule{Rel: head.rel}
	for _, v := range head.vars {
		r.Head = append(r.Head, rel.Cell{Expr: rel.V(v)})
	}
	most := 0
	for _, l := range body {
		x := rel.Literal{Rel: l.rel}
		for _, v := range l.vars {
			if v == nobody {
				x.Terms = append(x.Terms, rel.Term{Kind: rel.Any})
				continue
			}
			if v < 0 {
				x.Terms = append(x.Terms, rel.Term{Kind: rel.Const, Value: float64(-v - 1)})
				continue
			}
			x.Terms = append(x.Terms, rel.Term{Var: v})
			most = max(most, v+1)
		}
		if len(l.vars) < len(w.p.Relations[l.rel].Columns) { // a value that nobody asks for
			x.Terms = append(x.Terms, rel.Term{Kind: rel.Any})
		}
		r.Body = append(r.Body, x)
	}
	for range most {
		r.Vars = append(r.Vars, rel.Var{Name: "v", Kind: tensor.NodeColumn, Domain: w.node.Domain})
	}
	w.p.Rules = append(w.p.Rules, r)
}

// valued is a relation that has a value for each pair of another.
func (w *workload) valued(of int) int {
	best := w.relation("Best", 3)
	w.p.Relations[best].Columns[2], w.p.Relations[best].Fold = tensor.Column{Kind: tensor.IntColumn}, rel.Min
	w.rule(lit{best, []int{0, 1, 0}}, lit{of, []int{0, 1}})
	w.p.Rules[len(w.p.Rules)-1].Head[2].Expr = rel.C(7)
	return best
}

func (w *workload) count(at int) {
	c := len(w.p.Relations)
	w.p.Relations = append(w.p.Relations, rel.Relation{Name: "Count", Columns: []tensor.Column{{Kind: tensor.IntColumn}}})
	r := rel.Rule{Rel: c, Head: []rel.Cell{{Agg: rel.Count}}, Body: []rel.Literal{{Rel: at}}}
	for range w.p.Relations[at].Columns {
		r.Body[0].Terms = append(r.Body[0].Terms, rel.Term{Kind: rel.Any})
	}
	w.p.Rules = append(w.p.Rules, r)
	w.p.Results = append(w.p.Results, c)
}

// workloads are those of the page on performance.
func workloads() map[string]*workload {
	r := rand.New(rand.NewPCG(1, 1))
	list := map[string]*workload{}
	uniform := func(n int) func() uint32 { return func() uint32 { return uint32(r.IntN(n)) } }

	w := newWorkload(1000)
	e, far := w.random("Edge", 2, 2000, uniform(1000)), w.relation("Far", 2)
	w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
	w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{e, []int{1, 2}})
	w.p.Results = []int{far}
	list["closure of 1000"] = w

	w = newWorkload(200000)
	e, far = w.random("Edge", 2, 600000, uniform(200000)), w.relation("Far", 2)
	ask := w.relation("Ask", 1)
	w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
	w.rule(lit{far, []int{0, 2}}, lit{e, []int{0, 1}}, lit{far, []int{1, 2}})
	w.rule(lit{ask, []int{0}}, lit{far, []int{-1, 0}})
	w.p.Results = []int{ask}
	list["from one of 200000"] = w

	w = newWorkload(3000)
	up, sg := w.relation("Up", 2), 0
	t := &tensor.Table{Columns: w.p.Relations[up].Columns, Cells: make([]tensor.Cells, 2)}
	for i := 1; i < 3000; i++ {
		t.Cells[0].ID, t.Cells[1].ID = append(t.Cells[0].ID, uint32(i)), append(t.Cells[1].ID, uint32((i-1)/2))
		t.Len++
	}
	w.p.Relations[up].Source, w.args = rel.FromTable, []*tensor.Value{{Layout: tensor.Rows, Table: t}}
	sg = w.relation("Same", 2)
	w.rule(lit{sg, []int{0, 1}}, lit{up, []int{0, 2}}, lit{up, []int{1, 2}})
	w.rule(lit{sg, []int{0, 1}}, lit{up, []int{0, 2}}, lit{sg, []int{2, 3}}, lit{up, []int{1, 3}})
	w.count(sg)
	list["same generation of 3000"] = w

	w = newWorkload(10000)
	a := uniform(10000)
	addr, assign, load, store := w.random("Addr", 2, 1500, a), w.random("Assign", 2, 6000, a), w.random("Load", 2, 500, a), w.random("Store", 2, 500, a)
	pt := w.relation("Points", 2)
	w.rule(lit{pt, []int{0, 1}}, lit{addr, []int{0, 1}})
	w.rule(lit{pt, []int{0, 2}}, lit{assign, []int{0, 1}}, lit{pt, []int{1, 2}})
	w.rule(lit{pt, []int{0, 3}}, lit{load, []int{0, 1}}, lit{pt, []int{1, 2}}, lit{pt, []int{2, 3}})
	w.rule(lit{pt, []int{2, 3}}, lit{store, []int{0, 1}}, lit{pt, []int{0, 2}}, lit{pt, []int{1, 3}})
	w.count(pt)
	list["points to of 10000"] = w

	w = newWorkload(3000)
	e = w.random("Edge", 2, 75000, uniform(3000))
	tri := w.relation("Triangle", 3)
	w.rule(lit{tri, []int{0, 1, 2}}, lit{e, []int{0, 1}}, lit{e, []int{1, 2}}, lit{e, []int{0, 2}})
	w.count(tri)
	list["triangles of 3000"] = w

	w = newWorkload(50000)
	e = w.random("Edge", 2, 200000, func() uint32 { return uint32(50000 * math.Pow(r.Float64(), 2.5)) })
	tri = w.relation("Triangle", 3)
	w.rule(lit{tri, []int{0, 1, 2}}, lit{e, []int{0, 1}}, lit{e, []int{1, 2}}, lit{e, []int{0, 2}})
	w.count(tri)
	list["triangles of a power law"] = w

	w = newWorkload(100000)
	e = w.random("Edge", 2, 220000, uniform(100000))
	sym := w.relation("Both", 2)
	w.rule(lit{sym, []int{0, 1}}, lit{e, []int{0, 1}})
	w.rule(lit{sym, []int{1, 0}}, lit{e, []int{0, 1}})
	label := len(w.p.Relations)
	number := tensor.Column{Kind: tensor.IntColumn}
	one := &tensor.Table{Columns: []tensor.Column{w.node, number}, Len: 100000, Cells: make([]tensor.Cells, 2)}
	for i := range 100000 {
		one.Cells[0].ID, one.Cells[1].Num = append(one.Cells[0].ID, uint32(i)), append(one.Cells[1].Num, float64(i))
	}
	w.p.Relations = append(w.p.Relations, rel.Relation{Name: "Label", Columns: one.Columns, Fold: rel.Min, Facts: one})
	w.p.Rules = append(w.p.Rules, rel.Rule{Rel: label, Head: []rel.Cell{{Expr: rel.V(1)}, {Expr: rel.V(2)}},
		Vars: []rel.Var{{Domain: w.node.Domain}, {Domain: w.node.Domain}, {Kind: tensor.IntColumn}},
		Body: []rel.Literal{{Rel: label, Terms: []rel.Term{{}, {Var: 2}}}, {Rel: sym, Terms: []rel.Term{{}, {Var: 1}}}}})
	w.count(label)
	list["least label of 100000"] = w

	w = newWorkload(20000)
	e = w.random("Road", 2, 100000, uniform(20000))
	road := w.args[0].Table
	road.Columns = append(road.Columns[:2:2], number)
	road.Cells = append(road.Cells, tensor.Cells{})
	for range road.Len {
		road.Cells[2].Num = append(road.Cells[2].Num, float64(1+r.IntN(100)))
	}
	w.p.Relations[e].Columns = road.Columns
	dist := len(w.p.Relations)
	start := &tensor.Table{Columns: []tensor.Column{w.node, number}, Len: 1, Cells: []tensor.Cells{{ID: []uint32{0}}, {Num: []float64{0}}}}
	w.p.Relations = append(w.p.Relations, rel.Relation{Name: "Dist", Columns: start.Columns, Fold: rel.Min, Facts: start})
	w.p.Rules = append(w.p.Rules, rel.Rule{Rel: dist, Head: []rel.Cell{{Expr: rel.V(1)}, {Expr: rel.Expr{Fn: op.FnAdd, Args: []rel.Expr{rel.V(2), rel.V(3)}}}},
		Vars: []rel.Var{{Domain: w.node.Domain}, {Domain: w.node.Domain}, {Kind: tensor.IntColumn}, {Kind: tensor.IntColumn}},
		Body: []rel.Literal{{Rel: dist, Terms: []rel.Term{{}, {Var: 2}}}, {Rel: e, Terms: []rel.Term{{}, {Var: 1}, {Var: 3}}}}})
	w.count(dist)
	list["shortest paths of 20000"] = w

	w = newWorkload(1000)
	pay := &tensor.Table{Columns: []tensor.Column{w.node, w.node, number, number}, Len: 1000000, Cells: make([]tensor.Cells, 4)}
	for range pay.Len {
		for c := range 2 {
			pay.Cells[c].ID = append(pay.Cells[c].ID, uint32(r.IntN(1000)))
			pay.Cells[c+2].Num = append(pay.Cells[c+2].Num, float64(r.IntN(10000)))
		}
	}
	w.args = []*tensor.Value{{Layout: tensor.Rows, Table: pay}}
	w.p.Relations = []rel.Relation{{Name: "Pay", Columns: pay.Columns, Source: rel.FromTable},
		{Name: "Total", Columns: []tensor.Column{w.node, w.node, number, number}}}
	w.p.Rules = []rel.Rule{{Rel: 1, Head: []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.V(1)}, {Agg: rel.Count}, {Agg: rel.Sum, Expr: rel.V(2)}},
		Vars: []rel.Var{{Domain: w.node.Domain}, {Domain: w.node.Domain}, {Kind: tensor.IntColumn}, {Kind: tensor.IntColumn}},
		Body: []rel.Literal{{Rel: 0, Terms: []rel.Term{{}, {Var: 1}, {Var: 2}, {Var: 3}}}}}}
	w.count(1)
	list["groups of 1000000"] = w
	return list
}

// TestCertified holds the certificates of joins, searches and folds near what they take: by counts of what
// is known, by values that are never below 0, and by the kernel of closures. Of other recursions over pairs
// it is not close.
func TestCertified(t *testing.T) {
	most := map[string]uint64{"closure of 1000": 8, "from one of 200000": 12, "triangles of 3000": 4, "triangles of a power law": 9,
		"least label of 100000": 20, "shortest paths of 20000": 20, "groups of 1000000": 2, "two steps": 2, "three of one": 3, "three steps": 2, "from the first": 2, "all beside each": 2, "triangles of a star": 3, "never paid": 2}
	list := workloads()
	r := rand.New(rand.NewPCG(5, 6))
	for name, body := range map[string][][]int{"two steps": {{0, 1}, {1, 2}}, "three of one": {{0, 1}, {0, 2}, {0, 3}}, "three steps": {{0, 1}, {1, 2}, {2, 3}}, "from the first": {{-1, 0}, {0, 1}}} {
		w := newWorkload(5000)
		e := w.random("Edge", 2, 4000, func() uint32 { return uint32(5000 * math.Pow(r.Float64(), 2)) })
		var atoms []lit
		var all []int
		for _, vars := range body {
			for _, v := range vars {
				if v >= 0 && !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
			atoms = append(atoms, lit{e, vars})
		}
		head := w.relation("All", len(all))
		w.rule(lit{head, all}, atoms...)
		w.count(head)
		list[name] = w
	}
	w := newWorkload(3000) // each scan of a closure that is bits looks at all first cells
	i := uint32(0)
	star := w.random("Star", 2, 150, func() uint32 { i++; return i / 2 * (i % 2) })
	far := w.relation("Far", 2)
	w.rule(lit{far, []int{0, 1}}, lit{star, []int{0, 1}})
	w.rule(lit{far, []int{0, 2}}, lit{star, []int{0, 1}}, lit{far, []int{1, 2}})
	for range 8 {
		beside := w.relation("Beside", 3)
		w.rule(lit{beside, []int{0, 1, 2}}, lit{star, []int{nobody, 0}}, lit{far, []int{1, 2}})
		w.p.Results = append(w.p.Results, beside)
	}
	list["all beside each"] = w
	w = newWorkload(3000) // a table so small in its domain that its lists are chains, which are not intersected
	i = 0
	star = w.random("Star", 2, 300, func() uint32 { i++; return i / 2 * (i % 2) })
	third := w.relation("Third", 3)
	w.rule(lit{third, []int{0, 1, 2}}, lit{star, []int{0, 1}}, lit{star, []int{2, 1}}, lit{star, []int{2, 0}})
	w.count(third)
	list["triangles of a star"] = w
	w = newWorkload(5000) // a negation ends at the first row
	paid := w.random("Paid", 2, 20000, func() uint32 { return uint32(5000 * math.Pow(r.Float64(), 2)) })
	never := w.relation("Never", 1)
	w.rule(lit{never, []int{0}}, lit{paid, []int{0, nobody}}, lit{paid, []int{nobody, 0}})
	w.p.Rules[len(w.p.Rules)-1].Body[1].Kind = rel.Not
	w.count(never)
	list["never paid"] = w
	for name, w := range list {
		if most[name] == 0 {
			continue
		}
		ctl, plan := kernel.Ctl{}, engine.New(w.p, w.sizes())
		if _, err := plan.Run(&ctl, w.args, &engine.Budget{}); err != nil {
			t.Fatal(err)
		}
		if plan.Ops() < ctl.Ops || plan.Ops() > most[name]*ctl.Ops {
			t.Errorf("%s: %d operations, %d certified", name, ctl.Ops, plan.Ops())
		}
	}
}

// TestPlanningRoom: what a plan counts takes no more room for many rules than for a few, whether they copy
// rows or count a few in a large domain.
func TestPlanningRoom(t *testing.T) {
	for name, c := range map[string]struct{ nodes, rows int }{"copies": {1000, 400000}, "joins": {4 << 20, 10}} {
		w := newWorkload(c.nodes)
		i := uint32(0)
		e := w.random("Edge", 2, c.rows, func() uint32 { i++; return i / (2 + i%2*1998) % uint32(c.nodes) })
		for range 150 {
			p := w.relation("P", 2)
			if name == "joins" {
				w.rule(lit{p, []int{0, 5}}, lit{e, []int{0, 1}}, lit{e, []int{1, 2}}, lit{e, []int{2, 3}}, lit{e, []int{3, 4}}, lit{e, []int{4, 5}})
			} else {
				w.rule(lit{p, []int{0, 1}}, lit{e, []int{0, 1}})
				w.rule(lit{p, []int{1, 0}}, lit{e, []int{0, 1}})
			}
			w.p.Results = append(w.p.Results, p)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		engine.New(w.p, w.sizes())
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 800<<20 {
			t.Errorf("%s: %d MiB", name, (after.TotalAlloc-before.TotalAlloc)>>20)
		}
	}
}

func BenchmarkWorkloads(b *testing.B) {
	for name, w := range workloads() {
		if err := rel.Verify(w.p); err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		size := w.sizes()
		for _, written := range []bool{false, true} {
			p := *w.p
			if p.AsWritten = written; written && (name == "from one of 200000") {
				continue
			}
			label := name
			if written {
				label += ", as written"
			}
			b.Run(label, func(b *testing.B) {
				plan := engine.New(&p, size)
				for b.Loop() {
					ctl, budget := kernel.Ctl{}, engine.Budget{}
					got, err := plan.Run(&ctl, w.args, &budget)
					if err != nil {
						b.Fatal(err)
					}
					rows := float64(got[0].Len)
					if len(got[0].Columns) == 1 && got[0].Cells != nil && got[0].Cells[0].Num != nil {
						rows = got[0].Cells[0].Num[0]
					}
					b.ReportMetric(rows, "rows")
					b.ReportMetric(float64(budget.Used)/(1<<20), "MiB")
					b.ReportMetric(float64(plan.Ops())/float64(ctl.Ops), "certified/used")
				}
			})
		}
	}
}

// BenchmarkTiny plans and runs a closure of six facts, all rows asked for.
func BenchmarkTiny(b *testing.B) {
	w := newWorkload(7)
	at := uint32(0)
	e, far := w.random("Edge", 2, 6, func() uint32 { at++; return at / 2 }), w.relation("Far", 2)
	w.rule(lit{far, []int{0, 1}}, lit{e, []int{0, 1}})
	w.rule(lit{far, []int{0, 2}}, lit{far, []int{0, 1}}, lit{e, []int{1, 2}})
	w.p.Results = []int{far}
	for b.Loop() {
		if _, err := engine.New(w.p, w.sizes()).Run(&kernel.Ctl{}, w.args, &engine.Budget{}); err != nil {
			b.Fatal(err)
		}
	}
}
