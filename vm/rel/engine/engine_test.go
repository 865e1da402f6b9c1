package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ein/internal/naive/rules"
	"ein/vm/kernel"
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
		p := rules.Random(rand.New(rand.NewPCG(seed, 1)))
		want, wrong := rules.Eval(p, nil)
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
