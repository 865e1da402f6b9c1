package lang_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/lang"
)

// TestDefault: on random graphs the values of a relation are those that a builtin computes,
// whatever stands for a missing one, and a default of sums replaces nothing that rules give.
func TestDefault(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var text strings.Builder
		n := 2 + r.IntN(8)
		for range 1 + r.IntN(3*n) {
			fmt.Fprintf(&text, "E(n%d, n%d).\n", r.IntN(n), r.IntN(n))
		}
		text.WriteString("E(n0, n1).\n")
		rest := []string{"-1", "0", "7.5", "1 / 4"}[r.IntN(4)]
		fmt.Fprintf(&text, `Hops["n0"] min= 0.
Hops[y] min= Hops[x] + 1 <- E(x, y).
Out[x] += 1 <- E(x, _).
D = dist(E, "n0")
Deg = sum(E, 1)
:print sum(abs(default(Hops, %s) - where(D < 0, %s, D)))
:print sum(abs(default(Out, %s) - where(Deg == 0, %s, Deg)))
`, rest, rest, rest, rest)
		for _, plain := range []bool{false, true} {
			outs, _, class, message := run(t, text.String(), lang.Options{NoOpt: plain})
			if class != "" || outs[0].Tensor.Data[0] != 0 || outs[1].Tensor.Data[0] != 0 {
				t.Fatalf("plain=%v: %v %s\n%s", plain, outs, message, text.String())
			}
		}
	}
}

// TestNumberedNodes: facts of numbers are the graph with these edges in equations, through rules as well,
// and nodes are as many as the largest number of a row says.
func TestNumberedNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		most := r.IntN(9)
		var text, edges strings.Builder
		for range 1 + r.IntN(3*most+1) {
			x, y := r.IntN(most+1), r.IntN(most+1)
			fmt.Fprintf(&text, "E(%d, %d).\n", x, y)
			fmt.Fprintf(&edges, "[%d, %d], ", x, y)
		}
		fmt.Fprintf(&text, "Top(x) <- x = %d.\nApart(999).\nBelow(x) <- E(x, _), x < 50.\n", most)
		fmt.Fprintf(&text, `R(x, y) <- E(x, y).
R(x, z) <- R(x, y), E(y, z).
Out[x] += 1 <- E(x, _).
A = edges([%s], %d)
F = 1 - E
:print sum(abs(1 - F - A)), sum(abs(R - tc(A))), sum(abs(Out - sum(A, 1))), sum(Top), sum(abs(Below - max(A, axis=1)))
`, edges.String(), most+1)
		for _, plain := range []bool{false, true} {
			outs, _, class, message := run(t, text.String(), lang.Options{NoOpt: plain})
			if class != "" {
				t.Fatalf("plain=%v: %s\n%s", plain, message, text.String())
			}
			for i, want := range []float64{0, 0, 0, 1, 0} {
				if outs[i].Tensor.Data[0] != want {
					t.Fatalf("plain=%v: %s = %v\n%s", plain, outs[i].Name, outs[i].Tensor.Data[0], text.String())
				}
			}
		}
	}
}
