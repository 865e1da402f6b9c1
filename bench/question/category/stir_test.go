package category

import (
	"fmt"
	"slices"
	"testing"

	"ein/bench/question/random"
)

// TestStir goes on from plans: no degree changes, nor what is seen of the nodes asked
// about, and answers are those that the goal allows.
func TestStir(t *testing.T) {
	for _, name := range []string{"scc_then_count", "intersect_then_size", "aggregate_over_set", "set_intersect"} {
		cat, _ := Lookup(name)
		moved := 0
		for i := range 60 {
			s := random.New(random.Key("stir", name, fmt.Sprint(i)))
			w := &World{N: 14, Goal: 4, Edges: 22, Turn: 2, Lead: *s, Query: ask(None, None)}
			w.A.Directed = true
			goal, ok := cat.Plan(s, s, w)
			if !ok {
				continue
			}
			x, y := w.Query.Source, max(w.Query.Source, w.Query.Target)
			degrees := func() (all [][2]int) {
				for v := range w.N {
					all = append(all, [2]int{w.out(v), w.in(v)})
				}
				return all
			}
			before, seen, out := degrees(), w.seen(x, y), w.run(cat.Solver, Cut{Op: None})
			if !cat.stir(s, w, &goal, 2) {
				continue
			}
			if !slices.Equal(before, degrees()) || seen != w.seen(x, y) {
				t.Errorf("%s: another graph can be told apart", name)
			}
			after := w.run(cat.Solver, Cut{Op: None})
			if w.unfit() || goal.Only != nil && !goal.Only(w, after) {
				t.Errorf("%s: the answer is %v", name, after)
			}
			if after != out {
				moved++
			}
		}
		if moved < 10 {
			t.Errorf("%s: %d answers changed", name, moved)
		}
	}
}
