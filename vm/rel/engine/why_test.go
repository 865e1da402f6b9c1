package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ein/internal/naive/rules"
	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// sound reports what is wrong with a proof: each step is an instance of its rule, made of
// steps before it, one of which is one lower.
func sound(proof *engine.Proof) error {
	for i, s := range proof.Steps {
		if s.Rule == nil {
			if s.Height != 0 || s.Of != nil {
				return fmt.Errorf("step %d is given, at height %d", i, s.Height)
			}
			continue
		}
		if s.Count > 0 || s.Rule.Aggregates() {
			if s.Height != 0 || len(s.Parts) != min(s.Count, 10) {
				return fmt.Errorf("step %d has %d parts of %d", i, len(s.Parts), s.Count)
			}
			for c := range s.Rule.Head {
				if s.Rule.Head[c].Agg == rel.Count && s.Row[c] != float64(s.Count) {
					return fmt.Errorf("step %d counts %v, of %d parts", i, s.Row[c], s.Count)
				}
			}
			continue
		}
		values := map[int]float64{}
		fits := func(t rel.Term, x float64) bool {
			switch t.Kind {
			case rel.Any:
				return true
			case rel.Const:
				return t.Value == x
			}
			old, found := values[t.Var]
			values[t.Var] = x
			return !found || old == x
		}
		highest, k := 0, 0
		for _, l := range s.Rule.Body {
			if l.Kind != rel.Atom {
				continue
			}
			of := proof.Steps[s.Of[k]]
			if s.Of[k] >= i || of.Relation != l.Rel {
				return fmt.Errorf("step %d is made of step %d", i, s.Of[k])
			}
			for c, t := range l.Terms {
				if !fits(t, of.Row[c]) {
					return fmt.Errorf("step %d: %v is no row of its rule", i, of.Row)
				}
			}
			highest = max(highest, of.Height)
			k++
		}
		for _, l := range s.Rule.Body {
			for _, t := range l.Terms {
				if l.Kind == rel.Not && t.Kind == rel.Variable && (s.Vars == nil || !fits(t, s.Vars[t.Var])) {
					return fmt.Errorf("step %d: %v are no values for its negation", i, s.Vars)
				}
			}
		}
		for c := range s.Rule.Head {
			if e := s.Rule.Head[c].Expr; len(e.Args) == 0 && !fits(e.Term, s.Row[c]) {
				return fmt.Errorf("step %d: its rule does not derive %v", i, s.Row)
			}
		}
		if s.Height != highest+1 || len(s.Of) != k {
			return fmt.Errorf("step %d is at height %d, above %d", i, s.Height, highest)
		}
	}
	return nil
}

// lacking reports what is wrong with how far a rule gets: what holds has rows in the
// tables, and what fails has none.
func lacking(p *rel.Program, try engine.Try, tables []*tensor.Table) error {
	if len(try.Bindings) != min(try.Count, 3) || try.Fails != nil && try.Count == 0 {
		return fmt.Errorf("%d bindings of %d", len(try.Bindings), try.Count)
	}
	for _, b := range try.Bindings {
		rows := func(l *rel.Literal) (n int, known bool) {
			at := slices.Index(p.Results, l.Rel)
			if l.Kind > rel.Not || at < 0 {
				return 0, false
			}
			for row := range tables[at].All() {
				fits := true
				for c, t := range l.Terms {
					x := math.NaN()
					switch t.Kind {
					case rel.Variable:
						x = b.Vars[t.Var]
					case rel.Const:
						x = t.Value
					}
					fits = fits && (x != x || x == row[c])
				}
				if fits {
					n++
				}
			}
			return n, true
		}
		for _, l := range try.Holds {
			if n, known := rows(l); known && (n > 0) != (l.Kind == rel.Atom) {
				return fmt.Errorf("%v holds in %d rows", p.Literal(try.Rule, l, b.Vars), n)
			}
		}
		if try.Fails == nil {
			continue
		}
		// A variable twice in an atom fits more here than in the rule.
		if n, known := rows(try.Fails); known && n > 0 && try.Fails.Kind == rel.Atom && !slices.ContainsFunc(b.Vars, math.IsNaN) {
			return fmt.Errorf("%v fails, with %d rows", p.Literal(try.Rule, try.Fails, b.Vars), n)
		}
	}
	return nil
}

// asHigh reports whether two answers to a goal are the same but for which of the lowest proofs they give.
func asHigh(a, b engine.Answer) bool {
	height := func(p *engine.Proof) int { return p.Steps[len(p.Steps)-1].Height }
	return a.Holds == b.Holds && (a.Proof == nil) == (b.Proof == nil) && (a.Proof == nil || height(a.Proof) == height(b.Proof))
}

// TestWhy proves rows of random programs.
func TestWhy(t *testing.T) {
	proved, others, unproved, lacked := 0, 0, 0, 0
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 150
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		p := rules.Random(r)
		if seed%3 == 0 {
			p = rules.Closure(r)
		}
		tables, err := engine.New(p, nil).Run(&kernel.Ctl{}, nil, &engine.Budget{})
		if err != nil {
			continue
		}
		for i, table := range tables {
			at := p.Results[i]
			var list [][]float64
			for row := range table.All() {
				if len(list) < 3 {
					list = append(list, slices.Clone(row))
				}
			}
			for _, row := range list {
				answers, err := engine.Why(p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, []engine.Goal{{Relation: at, Row: row}})
				if err != nil || !answers[0].Holds {
					t.Fatalf("seed %d: %v %v: %v\n%v", seed, p.Relations[at].Name, row, err, p)
				}
				whole := *p
				whole.AsWritten = true
				without, err := engine.Why(&whole, nil, &kernel.Ctl{}, nil, &engine.Budget{}, []engine.Goal{{Relation: at, Row: row}})
				if err != nil || !asHigh(answers[0], without[0]) {
					t.Fatalf("seed %d: %v %v: %v, and without demand %v: %v\n%v", seed, p.Relations[at].Name, row, answers, without, err, p)
				}
				if !reflect.DeepEqual(answers, without) {
					others++
				}
				proof := answers[0].Proof
				if proof == nil {
					unproved++
					continue
				}
				last := proof.Steps[len(proof.Steps)-1]
				if err := sound(proof); err != nil || last.Relation != at || !slices.Equal(last.Row, row) {
					t.Fatalf("seed %d: %v %v: %v\n%v\n%v", seed, p.Relations[at].Name, row, err, proof, p)
				}
				proved++
			}
			var goals []engine.Goal // what is asked for before changes no height
			for _, row := range list {
				any := slices.Clone(row)
				if len(any) > 0 {
					any[r.IntN(len(any))] = math.NaN()
				}
				goals = append(goals, engine.Goal{Relation: at, Row: row}, engine.Goal{Relation: at, Row: any})
			}
			whole := *p
			whole.AsWritten = true
			for _, program := range []*rel.Program{p, &whole} {
				together, err := engine.Why(program, nil, &kernel.Ctl{}, nil, &engine.Budget{}, goals)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for k := range goals {
					alone, err := engine.Why(p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, goals[k:k+1])
					if err != nil || !asHigh(together[k], alone[0]) {
						t.Fatalf("seed %d: %v %v: %v, and after others %v: %v\n%v", seed, p.Relations[at].Name, goals[k].Row, alone[0], together[k], err, p)
					}
					if alone[0].Proof == nil {
						continue
					}
					if err := sound(alone[0].Proof); err != nil {
						t.Fatalf("seed %d: %v %v: %v\n%v\n%v", seed, p.Relations[at].Name, goals[k].Row, err, alone[0].Proof, p)
					}
				}
			}
			for range 3 {
				none := make([]float64, len(table.Columns))
				for c, column := range table.Columns {
					switch {
					case r.IntN(4) == 0:
						none[c] = math.NaN()
					case column.Domain != nil:
						none[c] = float64(r.IntN(column.Domain.Size+1) - 1)
					default:
						none[c] = float64(r.IntN(7) - 2)
					}
				}
				goals := []engine.Goal{{Relation: at, Row: none}}
				answers, err := engine.Why(p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, goals)
				if err != nil {
					t.Fatalf("seed %d: %v: %v", seed, none, err)
				}
				whole := *p
				whole.AsWritten = true
				without, err := engine.Why(&whole, nil, &kernel.Ctl{}, nil, &engine.Budget{}, goals)
				if err != nil || fmt.Sprint(answers[0].Tries, answers[0].Near) != fmt.Sprint(without[0].Tries, without[0].Near) {
					t.Fatalf("seed %d: %v %v: %+v\nand without demand %+v: %v\n%v", seed, p.Relations[at].Name, none, answers[0], without[0], err, p)
				}
				for _, try := range answers[0].Tries {
					if err := lacking(p, try, tables); err != nil {
						t.Fatalf("seed %d: %v of %v: %v\n%v", seed, none, p.Relations[at].Name, err, p)
					}
					lacked++
				}
			}
		}
	}
	if proved < 100 || others == 0 || others > proved/10 || lacked < 10 || unproved > proved/100 {
		t.Errorf("%d rows were proved, %d in another way than without demand, %d were not; %d rules were tried", proved, others, unproved, lacked)
	}
}

// TestDeepProof proves the end of a long chain of rows, and then of rules, step by step and no other. A
// round looks only at what the last one made.
func TestDeepProof(t *testing.T) {
	n := 100000
	if testing.Short() {
		n = 3000
	}
	w := newWorkload(n)
	next := w.relation("Next", 2)
	chain := &tensor.Table{Columns: w.p.Relations[next].Columns, Len: n - 1, Cells: make([]tensor.Cells, 2)}
	for i := range n - 1 {
		chain.Cells[0].ID, chain.Cells[1].ID = append(chain.Cells[0].ID, uint32(i)), append(chain.Cells[1].ID, uint32(i+1))
	}
	w.p.Relations[next].Facts = chain
	reach := w.relation("Reach", 1)
	w.p.Relations[reach].Facts = &tensor.Table{Columns: w.p.Relations[reach].Columns, Len: 1, Cells: []tensor.Cells{{ID: []uint32{0}}}}
	w.rule(lit{reach, []int{1}}, lit{reach, []int{0}}, lit{next, []int{0, 1}})
	last := reach
	const rules = 500
	for range rules {
		r := w.relation("R", 1)
		w.rule(lit{r, []int{0}}, lit{last, []int{0}})
		last = r
	}
	var ctl kernel.Ctl
	answers, err := engine.Why(w.p, nil, &ctl, nil, &engine.Budget{}, []engine.Goal{{Relation: last, Row: []float64{float64(n - 1)}}})
	if err != nil {
		t.Fatal(err)
	}
	proof := answers[0].Proof
	steps, height := 2*n-1+rules, n-1+rules
	if err := sound(proof); err != nil || len(proof.Steps) != steps || proof.Steps[steps-1].Height != height {
		t.Errorf("%d steps of height %d: %v", len(proof.Steps), proof.Steps[len(proof.Steps)-1].Height, err)
	}
	if most := uint64(100 * steps); ctl.Ops > most {
		t.Errorf("%d operations, expected at most %d", ctl.Ops, most)
	}
}

// TestManyWays proves that a walk begins at a node, of which there are millions: one is enough.
func TestManyWays(t *testing.T) {
	const n, length = 30, 10
	w := newWorkload(n)
	edge := w.relation("Edge", 2)
	facts := &tensor.Table{Columns: w.p.Relations[edge].Columns, Len: 5 * n, Cells: make([]tensor.Cells, 2)}
	for i := range facts.Len {
		facts.Cells[0].ID, facts.Cells[1].ID = append(facts.Cells[0].ID, uint32(i%n)), append(facts.Cells[1].ID, uint32((i+i/n*7+1)%n))
	}
	w.p.Relations[edge].Facts = facts
	walks := w.relation("Walks", 1)
	var body []lit
	for i := range length {
		body = append(body, lit{edge, []int{i, i + 1}})
	}
	w.rule(lit{walks, []int{0}}, body...)
	var ctl kernel.Ctl
	answers, err := engine.Why(w.p, nil, &ctl, nil, &engine.Budget{}, []engine.Goal{{Relation: walks, Row: []float64{7}}})
	if err != nil || !answers[0].Holds || len(answers[0].Proof.Steps) < 2 || ctl.Ops > 100_000 {
		t.Errorf("%d operations: %+v %v", ctl.Ops, answers, err)
	}
}

// TestDemandedTries says what a row of a closure lacks from the rows that could lead to it.
func TestDemandedTries(t *testing.T) {
	const n = 300
	for k := range 20 {
		s, goal, near := spelling(k%4), []float64{n - 5, 3}, 7
		switch k / 4 {
		case 1:
			goal, near = []float64{rel.NoMember, n - 5}, n-5
		case 2:
			goal, near = []float64{n / 2, 3}, n/2+2
		case 3:
			goal, near = []float64{math.NaN(), 0}, 0
		case 4:
			goal, near = []float64{n - 1, math.NaN()}, 0
		}
		w, far := chain(n, s, false)
		var ops [2]uint64
		var text [2]string
		for i, written := range []bool{false, true} {
			w.p.AsWritten = written
			var ctl kernel.Ctl
			answers, err := engine.Why(w.p, nil, &ctl, nil, &engine.Budget{}, []engine.Goal{{Relation: far, Row: goal}})
			if err != nil || answers[0].Holds || len(answers[0].Tries) != 2 || answers[0].Rows != near {
				t.Fatalf("spelling %d, as written %v, %v: %v %v", s, written, goal, answers, err)
			}
			ops[i], text[i] = ctl.Ops, fmt.Sprint(answers[0].Tries, answers[0].Near)
		}
		if ops[0] > min(60*n, ops[1]/10) || text[0] != text[1] {
			t.Errorf("spelling %d, %v: %d operations, %d without demand:\n%s\n%s", s, goal, ops[0], ops[1], text[0], text[1])
		}
	}
}

// TestDemandedNot proves a row that is there since a closure lacks a pair with a constant, and says why
// another is missing. Only the pairs with the constant are made.
func TestDemandedNot(t *testing.T) {
	const n = 300
	for s := left; s <= turned; s++ {
		w, far := chain(n, s, false)
		clean := w.relation("Clean", 1)
		w.rule(lit{clean, []int{0}}, lit{0, []int{0, nobody}}, lit{far, []int{-(n - 9), 0}}) // from n-10
		w.p.Rules[len(w.p.Rules)-1].Body[1].Kind = rel.Not
		var ops [2]uint64
		var text [2]string
		for i, written := range []bool{false, true} {
			w.p.AsWritten = written
			var ctl kernel.Ctl
			answers, err := engine.Why(w.p, nil, &ctl, nil, &engine.Budget{}, []engine.Goal{{Relation: clean, Row: []float64{7}}, {Relation: clean, Row: []float64{n - 5}}})
			if err != nil || !answers[0].Holds || answers[0].Proof == nil || answers[1].Holds || len(answers[1].Tries) != 1 {
				t.Fatalf("spelling %d, as written %v: %v %v", s, written, answers, err)
			}
			ops[i], text[i] = ctl.Ops, fmt.Sprint(*answers[0].Proof, answers[1].Tries)
		}
		if ops[0] > min(60*n, ops[1]/10) || text[0] != text[1] {
			t.Errorf("spelling %d: %d operations, %d without demand:\n%s\n%s", s, ops[0], ops[1], text[0], text[1])
		}
	}
}

// chain is a program whose relation Far is the closure of a chain. If described, its steps are so by two
// atoms, which all steps have.
func chain(n int, s spelling, described bool) (w *workload, far int) {
	w = newWorkload(n)
	next := w.relation("Next", 2)
	far = w.relation("Far", 2)
	facts := &tensor.Table{Columns: w.p.Relations[next].Columns, Len: n - 1, Cells: make([]tensor.Cells, 2)}
	for i := range n - 1 {
		facts.Cells[0].ID, facts.Cells[1].ID = append(facts.Cells[0].ID, uint32(i)), append(facts.Cells[1].ID, uint32(i+1))
	}
	w.p.Relations[next].Facts = facts
	step := func(x, y int) []lit { return []lit{{next, []int{x, y}}} }
	if described {
		some := w.relation("Some", 1)
		all := &tensor.Table{Columns: w.p.Relations[some].Columns, Len: n, Cells: make([]tensor.Cells, 1)}
		for i := range n {
			all.Cells[0].ID = append(all.Cells[0].ID, uint32(i))
		}
		w.p.Relations[some].Facts = all
		step = func(x, y int) []lit { return []lit{{some, []int{y}}, {next, []int{x, y}}} }
	}
	w.rule(lit{far, []int{0, 1}}, step(0, 1)...)
	pair := func(x, y int) []lit { return []lit{{far, []int{x, y}}} }
	of := [...][2]func(x, y int) []lit{left: {pair, step}, right: {step, pair}, double: {pair, pair}, turned: {pair, pair}}[s]
	body := slices.Concat(of[0](0, 1), of[1](1, 2))
	if s == turned {
		slices.Reverse(body)
	}
	w.rule(lit{far, []int{0, 2}}, body...)
	return w, far
}

// spelling is how the recursive rule of a closure is written.
type spelling int

const (
	left   spelling = iota // a pair, then a step
	right                  // a step, then a pair
	double                 // two pairs
	turned                 // two pairs, the second first
)

// TestDemandedProof proves a row of a closure from the rows that lead to it.
func TestDemandedProof(t *testing.T) {
	const n = 300
	any := math.NaN()
	rows := [][]float64{{0, n - 1}, {n / 2, any}, {any, n / 2}}
	for k := range 2 * 3 * len(rows) {
		described, s, row := k%2 > 0, spelling(k/2%3), rows[k/6]
		w, far := chain(n, s, described)
		var ops [2]uint64
		var proofs [2]*engine.Proof
		for i, written := range []bool{false, true} {
			w.p.AsWritten = written
			var ctl kernel.Ctl
			answers, err := engine.Why(w.p, nil, &ctl, nil, &engine.Budget{}, []engine.Goal{{Relation: far, Row: row}})
			if err != nil || answers[0].Proof == nil {
				t.Fatalf("spelling %d, described %v, %v, as written %v: %v %v", s, described, row, written, answers, err)
			}
			if err := sound(answers[0].Proof); err != nil {
				t.Fatalf("spelling %d, described %v, %v, as written %v: %v", s, described, row, written, err)
			}
			ops[i], proofs[i] = ctl.Ops, answers[0].Proof
		}
		last := [2]int{len(proofs[0].Steps) - 1, len(proofs[1].Steps) - 1}
		if last[0] > last[1] || proofs[0].Steps[last[0]].Height != proofs[1].Steps[last[1]].Height {
			t.Errorf("spelling %d, described %v, %v: %d steps of height %d, without demand %d of %d", s, described, row,
				last[0]+1, proofs[0].Steps[last[0]].Height, last[1]+1, proofs[1].Steps[last[1]].Height)
		}
		if ops[0] > ops[1]/10 {
			t.Errorf("spelling %d, described %v, %v: %d operations, %d without demand", s, described, row, ops[0], ops[1])
		}
	}
}
