package verdict

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
)

// hops returns the nodes to which a walk of 1 to most edges leads from x.
func hops(a arcs, n, x, most int) []float64 {
	found, at := make([]float64, n), map[int]bool{x: true}
	for range most {
		next := map[int]bool{}
		for _, e := range a {
			if at[e[0]] {
				next[e[1]] = true
				found[e[1]] = 1
			}
		}
		at = next
	}
	return found
}

// TestCut compares the functions of short paths with a walk.
func TestCut(t *testing.T) {
	for _, s := range samples(t, 1) {
		a, n := trueArcs(&s.q.Case.G), s.q.Case.G.N
		for most := 1; most <= 3; most++ {
			for x := range n {
				program := cut(most) + fmt.Sprintf("A = %s\nTC = my_tc(A)\nD = my_desc(A, %d)\nN = my_anc(A, %d)\nR = my_reach(A, %d)\nS = my_scc(A)\n:print select(TC, %d, 0), D, N, R, S\n",
					a.text(n), x, x, x, x)
				m, _, err := lang.Load("cut", program, lang.Options{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				machine, err := vm.New(m, cost.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				r, err := machine.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				walk, back := hops(a, n, x, most), hops(a.reversed(), n, x, most)
				path := walk[0]
				same := make([]float64, n)
				for y := range n {
					same[y] = walk[y] * back[y]
				}
				walk[x], back[x], same[x] = 0, 0, 1
				reach := slices.Clone(walk)
				reach[x] = 1
				for i, want := range [][]float64{{path}, walk, back, reach, same} {
					got := r.Outputs[i].Value.ToDense()
					if i == 4 {
						got = got[x*n : (x+1)*n]
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s, output %d, at most %d edges from %d: %v, want %v", s.in.ID, i, most, x, got, want)
					}
				}
			}
		}
	}
}

// TestAre compares the short way to see that edges are all the true ones with making those.
func TestAre(t *testing.T) {
	for _, s := range samples(t, 3) {
		g := &s.q.Case.G
		truth := trueArcs(g)
		for _, a := range []arcs{truth, truth.reversed(), truth[1:], truth[:len(truth)-1], truth.with(truth[0], false).with(Edge{g.N - 1, g.N - 1}, true), nil} {
			if want := slices.Equal(a, truth); a.are(g) != want {
				t.Errorf("%s: %v: %v, want %v of %v", s.in.ID, a, !want, want, truth)
			}
		}
	}
}
