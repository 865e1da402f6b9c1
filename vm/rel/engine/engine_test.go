package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/internal/naive/rules"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// alike reports how the results differ from the definition.
func alike(p *rel.Program, got []*tensor.Table, want [][]rules.Row) error {
	for i, t := range got {
		k := 0
		name := p.Relations[p.Results[i]].Name
		if err := rel.CheckTable(t, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for row := range t.All() {
			if k >= len(want[i]) {
				return fmt.Errorf("%s: %v is too much", name, row)
			}
			for c := range row {
				if math.Abs(row[c]-want[i][k][c]) > 1e-9*math.Abs(row[c]) {
					return fmt.Errorf("%s: row %d is %v, want %v", name, k, row, want[i][k])
				}
			}
			k++
		}
		if k != len(want[i]) || k != t.Len {
			return fmt.Errorf("%s: %d rows of %d, want %d", name, k, t.Len, len(want[i]))
		}
	}
	return nil
}

// TestRandom holds the engine against the definition, and its bounds against what it counts.
func TestRandom(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 3000
	}
	failed, loose := map[string]int{}, 0
	for seed := range uint64(n) {
		stream := uint64(1)
		if seed == 0 { // a recursion that passes numbers on before they are made into others
			seed, stream = 620447, 1001
		}
		p := rules.Random(rand.New(rand.NewPCG(seed, stream)))
		want, wrong := rules.Eval(p)
		plan := engine.New(p, nil)
		ctl, budget := kernel.Ctl{}, engine.Budget{}
		got, err := plan.Run(&ctl, nil, &budget)
		// What improves around a cycle, though not for ever, may be done in fewer rounds.
		if errors.Is(wrong, rules.ErrSteps) || errors.Is(wrong, rules.ErrImproves) && err == nil {
			continue
		}
		if (err == nil) != (wrong == nil) {
			t.Fatalf("seed %d: %v, want %v\n%v", seed, err, wrong, p)
		}
		if err != nil {
			failed[wrong.Error()]++
			continue
		}
		if err := alike(p, got, want); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		if ctl.Ops > plan.Ops() || budget.Used > plan.Bytes() {
			t.Fatalf("seed %d: %d operations, %d certified; %d bytes, %d certified\n%v", seed, ctl.Ops, plan.Ops(), budget.Used, plan.Bytes(), p)
		}
		for i, table := range got {
			if n := plan.Rows(p.Results[i]); uint64(table.Len) > n {
				t.Fatalf("seed %d: %d rows, %d certified\n%v", seed, table.Len, n, p)
			}
		}
		if plan.Ops() > 1000*ctl.Ops {
			loose++
		}
	}
	t.Logf("of %d programs these failed: %v; %d certificates are loose", n, failed, loose)
}

// TestManyFacts holds certificates of operations against what runs count on more rows than TestRandom has,
// many of them repeated.
func TestManyFacts(t *testing.T) {
	ran := 0
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 815))
		p := rules.Random(r)
		for i := range p.Relations {
			if rl := &p.Relations[i]; rl.Facts != nil {
				rl.Facts = rules.Table(r, rl.Columns, r.IntN(200))
			}
		}
		if rel.Verify(p) != nil {
			continue
		}
		plan, ctl := engine.New(p, nil), kernel.Ctl{Limit: 1 << 20}
		if _, err := plan.Run(&ctl, nil, &engine.Budget{}); err != nil {
			continue
		}
		if ran++; ctl.Ops > plan.Ops() {
			t.Errorf("seed %d: %d operations, %d certified\n%v\n%v", seed, ctl.Ops, plan.Ops(), p, plan.Explain())
		}
	}
	if ran < 4000 {
		t.Errorf("%d programs ran", ran)
	}

	// Rows of which only the value is known, which are looked at one by one: P(x) <- D[a, _] = _, D[_, x] = a.
	w := newWorkload(3)
	number := tensor.Column{Kind: tensor.IntColumn}
	facts := &tensor.Table{Columns: []tensor.Column{number, w.node, number}, Len: 150, Cells: make([]tensor.Cells, 3)}
	for i := range facts.Len {
		facts.Cells[0].Num, facts.Cells[1].ID, facts.Cells[2].Num = append(facts.Cells[0].Num, float64(i)), append(facts.Cells[1].ID, uint32(i%3)), append(facts.Cells[2].Num, float64(i))
	}
	w.p.Relations = append(w.p.Relations, rel.Relation{Name: "D", Columns: facts.Columns, Fold: rel.Min, Facts: facts})
	head := w.relation("P", 1)
	w.p.Rules = append(w.p.Rules, rel.Rule{Rel: head, Head: []rel.Cell{{Expr: rel.V(1)}},
		Vars: []rel.Var{{Kind: tensor.IntColumn}, {Kind: tensor.NodeColumn, Domain: w.node.Domain}},
		Body: []rel.Literal{{Terms: []rel.Term{{}, {Kind: rel.Any}, {Kind: rel.Any}}}, {Terms: []rel.Term{{Kind: rel.Any}, {Var: 1}, {}}}}})
	w.p.Results = []int{head}
	plan, ctl := engine.New(w.p, nil), kernel.Ctl{}
	if got, err := plan.Run(&ctl, nil, &engine.Budget{}); err != nil || got[0].Len != 3 || ctl.Ops > plan.Ops() {
		t.Errorf("%v, %d operations, %d certified\n%v", err, ctl.Ops, plan.Ops(), plan.Explain())
	}

	// The same where each value comes once, of which the rows are few but not what is looked at:
	// D[x] min= x <- N(x), P(y) <- K(y, a), D[_] = a.
	w = newWorkload(20)
	w.p.Relations = []rel.Relation{
		{Name: "N", Columns: []tensor.Column{number}, Facts: &tensor.Table{Columns: []tensor.Column{number}, Len: 2000, Cells: make([]tensor.Cells, 1)}},
		{Name: "K", Columns: []tensor.Column{w.node, number}, Facts: &tensor.Table{Columns: []tensor.Column{w.node, number}, Len: 20, Cells: make([]tensor.Cells, 2)}},
		{Name: "D", Columns: []tensor.Column{number, number}, Fold: rel.Min}}
	for i := range 2000 {
		w.p.Relations[0].Facts.Cells[0].Num = append(w.p.Relations[0].Facts.Cells[0].Num, float64(i))
	}
	for i := range 20 {
		c := w.p.Relations[1].Facts.Cells
		c[0].ID, c[1].Num = append(c[0].ID, uint32(i)), append(c[1].Num, 1999)
	}
	head = w.relation("P", 1)
	w.p.Rules = []rel.Rule{
		{Rel: 2, Head: []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.V(0)}}, Vars: []rel.Var{{Kind: tensor.IntColumn}}, Body: []rel.Literal{{Rel: 0, Terms: []rel.Term{{}}}}},
		{Rel: head, Head: []rel.Cell{{Expr: rel.V(1)}}, Vars: []rel.Var{{Kind: tensor.IntColumn}, {Kind: tensor.NodeColumn, Domain: w.node.Domain}, {Kind: tensor.IntColumn}},
			Body: []rel.Literal{{Rel: 1, Terms: []rel.Term{{Var: 1}, {}}}, {Rel: 2, Terms: []rel.Term{{Var: 2}, {}}}}}}
	w.p.Results = []int{head}
	plan, ctl = engine.New(w.p, nil), kernel.Ctl{}
	if got, err := plan.Run(&ctl, nil, &engine.Budget{}); err != nil || got[0].Len != 20 || ctl.Ops > plan.Ops() {
		t.Errorf("%v, %d operations, %d certified\n%v", err, ctl.Ops, plan.Ops(), plan.Explain())
	}
}

// TestKnown: what is counted of tables holds where rules make other numbers of them, and where a table
// without rows is joined by its numbers.
func TestKnown(t *testing.T) {
	w := newWorkload(3)
	number := tensor.Column{Kind: tensor.IntColumn}
	points := func(name string, fold rel.Agg, names []uint32, x ...float64) int {
		columns := []tensor.Column{w.node, number}
		facts := &tensor.Table{Columns: columns, Len: len(x), Cells: []tensor.Cells{{ID: names}, {Num: x}}}
		w.p.Relations = append(w.p.Relations, rel.Relation{Name: name, Columns: columns, Fold: fold, Facts: facts})
		return len(w.p.Relations) - 1
	}
	node, whole := rel.Var{Kind: tensor.NodeColumn, Domain: w.node.Domain}, rel.Var{Kind: tensor.IntColumn}
	x, a, y := rel.Term{}, rel.Term{Var: 1}, rel.Term{Var: 2}
	vars := []rel.Var{node, whole, node}
	add := func(head lit, body ...rel.Literal) {
		w.rule(head)
		r := &w.p.Rules[len(w.p.Rules)-1]
		r.Vars, r.Body = vars[:2+len(body)/3], body
		w.p.Results = append(w.p.Results, head.rel)
	}
	more := rel.Literal{Kind: rel.Compare, Fn: op.FnGt, Left: rel.V(1), Right: rel.C(5)}
	// Total[x] += a <- Paid(x, a), and as facts: no row of Paid has more than 5.
	paid := points("Paid", rel.NoAgg, []uint32{0, 0, 1}, 3, 4, 5)
	total, given := points("Total", rel.Sum, nil), points("Given", rel.Sum, []uint32{0, 0}, 3, 4)
	add(lit{total, []int{0, 1}}, rel.Literal{Rel: paid, Terms: []rel.Term{x, a}})
	for _, of := range []int{total, given} {
		add(lit{w.relation("Much", 1), []int{0}}, rel.Literal{Rel: of, Terms: []rel.Term{x, a}}, more)
	}
	// Same(x, y) <- None(x, a), None(y, a), Edge(x, y).
	none, edge := points("None", rel.NoAgg, nil), w.random("Edge", 2, 3, func() uint32 { return uint32(rand.IntN(3)) })
	add(lit{w.relation("Same", 2), []int{0, 2}}, rel.Literal{Rel: none, Terms: []rel.Term{x, a}}, rel.Literal{Rel: none, Terms: []rel.Term{y, a}}, rel.Literal{Rel: edge, Terms: []rel.Term{x, y}})
	for _, written := range []bool{true, false} {
		w.p.AsWritten = written
		if err := rel.Verify(w.p); err != nil {
			t.Fatal(err)
		}
		plan, ctl := engine.New(w.p, w.sizes()), kernel.Ctl{}
		got, err := plan.Run(&ctl, w.args, &engine.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []int{2, 1, 1, 0} {
			if most := plan.Rows(w.p.Results[i]); got[i].Len != n || uint64(n) > most {
				t.Errorf("%d rows of %s, want %d; %d certified", got[i].Len, w.p.Relations[w.p.Results[i]].Name, n, most)
			}
		}
	}
}

// TestClosures holds closures in all spellings against their definition, with all that
// is recognised and without.
func TestClosures(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 600
	}
	ways := map[string]int{}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := rules.Closure(r)
		if err := rel.Verify(p); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		written := *p
		written.AsWritten = true
		var want [][]rules.Row
		for _, p := range []*rel.Program{&written, p} {
			plan := engine.New(p, nil)
			ctl, budget := kernel.Ctl{}, engine.Budget{}
			got, err := plan.Run(&ctl, nil, &budget)
			if err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, p)
			}
			if p.AsWritten {
				for _, table := range got {
					want = append(want, nil)
					for row := range table.All() {
						want[len(want)-1] = append(want[len(want)-1], slices.Clone(row))
					}
				}
			}
			if err := alike(p, got, want); err != nil {
				t.Fatalf("seed %d: %v\n%v%v", seed, err, p, plan.Explain())
			}
			if ctl.Ops > plan.Ops() || budget.Used > plan.Bytes() {
				t.Fatalf("seed %d: %d operations, %d certified; %d bytes, %d certified\n%v", seed, ctl.Ops, plan.Ops(), budget.Used, plan.Bytes(), p)
			}
			if !p.AsWritten {
				heads := map[string]bool{} // each line is about another relation
				for _, line := range plan.Explain() {
					head, _, _ := strings.Cut(line, ": ")
					if heads[head] && !strings.HasPrefix(head, " ") {
						t.Fatalf("seed %d: two lines of %s\n%v", seed, head, plan.Explain())
					}
					heads[head] = true
					if _, way, found := strings.Cut(line, "Far: "); found {
						ways[regexp.MustCompile(`its steps|Far'[0-9]+`).ReplaceAllString(way, "Edge")]++
					}
				}
				// A limit far below what the kernel may take: nothing changes but the way.
				ctl = kernel.Ctl{Limit: ctl.Ops / 2}
				if _, err := plan.Run(&ctl, nil, &engine.Budget{}); err != nil && ctl.Ops > ctl.Limit {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		if d := p.Domains[0].Size; d < 12 {
			if naive, err := rules.Eval(p); err == nil && fmt.Sprint(naive) != fmt.Sprint(want) {
				t.Fatalf("seed %d: %v, want %v\n%v", seed, want, naive, p)
			}
		}
	}
	for _, way := range []string{"bits", "one search", "one search backwards", "a search from each node that is asked for"} {
		if ways["closure of Edge, "+way] == 0 {
			t.Errorf("nothing was a closure by %s: %v", way, ways)
		}
	}
}

// TestStopped: a run ends when it is cancelled, and at a limit, in the relation where it was.
func TestStopped(t *testing.T) {
	w := workloads()["points to of 10000"]
	size := w.sizes()
	plan := engine.New(w.p, size)
	done := make(chan struct{})
	close(done)
	for _, c := range []struct {
		kind   engine.Kind
		ctl    kernel.Ctl
		budget engine.Budget
	}{
		{engine.Cancelled, kernel.Ctl{Done: done}, engine.Budget{}},
		{engine.OverOps, kernel.Ctl{Limit: 20000}, engine.Budget{}},
		{engine.OverBytes, kernel.Ctl{}, engine.Budget{Max: 150000}},
	} {
		_, err := plan.Run(&c.ctl, w.args, &c.budget)
		var e *engine.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Relation == nil {
			t.Errorf("%d: %v", c.kind, err)
		}
		if c.ctl.Ops > 1<<20 || c.ctl.Limit > 0 && c.ctl.Ops > c.ctl.Limit || c.budget.Max > 0 && c.budget.Used > c.budget.Max {
			t.Errorf("%d: %d operations, %d bytes", c.kind, c.ctl.Ops, c.budget.Used)
		}
	}
}

// TestCliques holds bodies in which a variable must be in several lists against the
// same as they are written: in any order of atoms, over several relations, with edges
// that are read backwards, and counted; some of the relations have values.
func TestCliques(t *testing.T) {
	total := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 20 + r.IntN(30)
		if seed%4 == 0 {
			n = 1100 // too many for bits, few enough for lists
		}
		w := newWorkload(n)
		pick := func() uint32 { return uint32(r.IntN(min(n, 30))) }
		if seed%8 == 0 { // a few have long lists
			pick = func() uint32 { return uint32(60 * r.Float64() * r.Float64()) }
		}
		for i := range 2 {
			w.random(fmt.Sprint("Edge", i), 2, 40+r.IntN(260), pick)
		}
		w.random("Edge2", 3, 40+r.IntN(260), pick)
		w.valued(2)
		corners, relations := 3+r.IntN(3), 1+r.IntN(4)
		head := lit{w.relation("Clique", corners), []int{0, 1, 2, 3, 4}[:corners]}
		var body []lit
		for x := range corners {
			for y := range x {
				pair := []int{x, y}
				if relations > 1 && r.IntN(2) == 0 {
					slices.Reverse(pair)
				}
				of := r.IntN(relations)
				if of == 2 { // of three columns, of which nobody asks for one
					pair = slices.Insert(pair, r.IntN(3), nobody)
				}
				body = append(body, lit{of, pair})
			}
		}
		r.Shuffle(len(body), func(i, j int) { body[i], body[j] = body[j], body[i] })
		w.rule(head, body...)
		w.count(head.rel)
		w.p.Results = append(w.p.Results, head.rel)
		if err := rel.Verify(w.p); err != nil {
			t.Fatal(err)
		}
		size := w.sizes()
		var want []string
		for _, written := range []bool{true, false} {
			w.p.AsWritten = written
			plan := engine.New(w.p, size)
			ctl, budget := kernel.Ctl{}, engine.Budget{}
			got, err := plan.Run(&ctl, w.args, &budget)
			if err != nil || ctl.Ops > plan.Ops() || budget.Used > plan.Bytes() {
				t.Fatalf("seed %d: %d operations of %d, %d bytes of %d, %v", seed, ctl.Ops, plan.Ops(), budget.Used, plan.Bytes(), err)
			}
			var rows []string
			for row := range got[1].All() {
				rows = append(rows, fmt.Sprint(row))
			}
			if written {
				want = rows
			} else if !slices.Equal(rows, want) || got[0].Cells[0].Num[0] != float64(len(want)) {
				t.Fatalf("seed %d: %d rows, %d counted, want %d\n%v", seed, len(rows), int(got[0].Cells[0].Num[0]), len(want), plan.Explain())
			}
		}
		total += len(want)
	}
	if total < 1000 {
		t.Errorf("%d cliques in all", total)
	}
}

// TestNoNumber: the least and the largest of what is no number is none, wherever it comes among the
// others.
func TestNoNumber(t *testing.T) {
	columns := []tensor.Column{{Kind: tensor.RealColumn}}
	for at := range 3 {
		x := []float64{4, 9, 16}
		x[at] = -1
		p := &rel.Program{Relations: []rel.Relation{
			{Name: "P", Columns: columns, Facts: &tensor.Table{Columns: columns, Len: len(x), Cells: []tensor.Cells{{Num: x}}}},
			{Name: "Q", Columns: columns},
		}, Results: []int{1}}
		for _, agg := range []rel.Agg{rel.Min, rel.Max, rel.Sum, rel.Mean} {
			root := rel.Expr{Fn: op.FnSqrt, Args: []rel.Expr{rel.V(0)}}
			p.Rules = []rel.Rule{{Rel: 1, Vars: []rel.Var{{Kind: tensor.RealColumn}}, Head: []rel.Cell{{Agg: agg, Expr: root}}, Body: []rel.Literal{{Terms: []rel.Term{{}}}}}}
			if err := rel.Verify(p); err != nil {
				t.Fatal(err)
			}
			got, err := engine.New(p, nil).Run(&kernel.Ctl{}, nil, &engine.Budget{})
			if e := (*engine.Error)(nil); !errors.As(err, &e) || e.Kind != engine.NotFinite {
				t.Errorf("%v of %v: %v, %v", agg, x, got, err)
			}
			if _, err := rules.Eval(p); !errors.Is(err, rules.ErrNumber) {
				t.Errorf("%v of %v by its definition: %v", agg, x, err)
			}
		}
	}
}

// TestMadeVariables: planning ends, and bounds hold, where each of many variables is made of two of
// the one before, and where variables are made of each other.
func TestMadeVariables(t *testing.T) {
	number := []tensor.Column{{Kind: tensor.IntColumn}}
	bind := func(v, a, b int) rel.Literal {
		return rel.Literal{Kind: rel.Bind, Var: v, Left: rel.Expr{Fn: op.FnMul, Args: []rel.Expr{rel.V(a), rel.V(b)}}}
	}
	chain := []rel.Literal{{Terms: []rel.Term{{}}}, {Rel: 1, Terms: []rel.Term{{Kind: rel.Any}}}}
	for v := range 50 {
		chain = append(chain, bind(v+1, v, v))
	}
	from := chain[:2:2]
	for _, body := range [][]rel.Literal{
		chain,
		append(from, bind(1, 1, 1), bind(1, 0, 0)),
		append(from, bind(2, 1, 1), bind(1, 2, 2), bind(1, 0, 0)),
		append(from, rel.Literal{Kind: rel.Bind, Var: 1, Left: rel.V(2)}, rel.Literal{Kind: rel.Bind, Var: 2, Left: rel.V(1)}, bind(1, 0, 0)),
	} {
		most := 0
		for i := range body {
			most = max(most, body[i].Var)
		}
		p := &rel.Program{Relations: []rel.Relation{
			{Name: "P", Columns: number, Facts: &tensor.Table{Columns: number, Len: 2, Cells: []tensor.Cells{{Num: []float64{0, 1}}}}},
			{Name: "Q", Columns: number, Facts: &tensor.Table{Columns: number, Len: 1, Cells: []tensor.Cells{{Num: []float64{5}}}}},
		}, Results: []int{1}, Rules: []rel.Rule{{Rel: 1, Head: []rel.Cell{{Expr: rel.V(most)}}, Body: body, Vars: slices.Repeat([]rel.Var{{Kind: tensor.IntColumn}}, most+1)}}}
		if err := rel.Verify(p); err != nil {
			t.Fatal(err)
		}
		plan := engine.New(p, nil)
		got, err := plan.Run(&kernel.Ctl{}, nil, &engine.Budget{})
		want, wrong := rules.Eval(p)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		if err := alike(p, got, want); err != nil {
			t.Errorf("%v\n%v", err, p)
		}
		if n := plan.Rows(1); n < 3 {
			t.Errorf("%d rows certified\n%v", n, p)
		}
	}
}
