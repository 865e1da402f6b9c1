package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
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

// TestWhy proves rows of random programs.
func TestWhy(t *testing.T) {
	proved, unproved := 0, 0
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
				proof, err := engine.Why(p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, at, row)
				if errors.Is(err, engine.ErrNoProof) {
					unproved++
					continue
				}
				if err != nil || proof == nil {
					t.Fatalf("seed %d: %v %v: %v\n%v", seed, p.Relations[at].Name, row, err, p)
				}
				last := proof.Steps[len(proof.Steps)-1]
				if err := sound(proof); err != nil || last.Relation != at || !slices.Equal(last.Row, row) {
					t.Fatalf("seed %d: %v %v: %v\n%v\n%v", seed, p.Relations[at].Name, row, err, proof, p)
				}
				proved++
			}
			if len(table.Columns) > 0 && table.Columns[0].Domain == nil {
				none := make([]float64, len(table.Columns))
				none[0] = 12345
				if proof, err := engine.Why(p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, at, none); proof != nil || err != nil {
					t.Fatalf("seed %d: %v is proved: %v, %v", seed, none, proof, err)
				}
			}
		}
	}
	if proved < 100 || unproved > proved/100 {
		t.Errorf("%d rows were proved, %d were not", proved, unproved)
	}
}

// TestDeepProof proves the end of a long chain, step by step and no other.
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
	proof, err := engine.Why(w.p, nil, &kernel.Ctl{}, nil, &engine.Budget{}, reach, []float64{float64(n - 1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := sound(proof); err != nil || len(proof.Steps) != 2*n-1 || proof.Steps[2*n-2].Height != n-1 {
		t.Errorf("%d steps of height %d: %v", len(proof.Steps), proof.Steps[len(proof.Steps)-1].Height, err)
	}
}
