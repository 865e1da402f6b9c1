package lang_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/lang"
	"ein/vm"
	"ein/vm/cost"
)

// network is a product of the matrix A for each edge of a graph whose nodes are
// indices, with the value of the product.
type network struct {
	name  string
	n     int
	edges [][2]int
}

func networkOf(name string, n int, edge func(i, j int) bool) network {
	w := network{name: name, n: n}
	for j := range n {
		for i := range j {
			if edge(i, j) {
				w.edges = append(w.edges, [2]int{i, j})
			}
		}
	}
	return w
}

// networks are graphs for which summing in the order of the nodes is quick: few
// nodes at a time have neighbours on both sides.
func networks() []network {
	r := rand.New(rand.NewPCG(71, 72))
	parent := make([]int, 40)
	for i := range parent {
		parent[i] = max(0, i-1-r.IntN(4))
	}
	grid := func(cols int) func(i, j int) bool {
		return func(i, j int) bool { return j == i+cols || j == i+1 && j%cols > 0 }
	}
	return []network{
		networkOf("grid 4 x 5", 20, grid(4)),
		networkOf("grid 4 x 8", 32, grid(4)),
		networkOf("grid 8 x 8", 64, grid(8)),
		networkOf("chain", 64, func(i, j int) bool { return j == i+1 }),
		networkOf("cycle", 50, func(i, j int) bool { return j == i+1 || i == 0 && j == 49 }),
		networkOf("tree", 40, func(i, j int) bool { return i == parent[j] && j > 0 }),
		networkOf("band", 40, func(i, j int) bool { return j-i <= 5 && r.IntN(3) > 0 }),
		networkOf("complete", 12, func(int, int) bool { return true }), // intermediate results of 10 axes
	}
}

// program is the product with its factors and the names of its indices in an order
// of r.
func (w network) program(r *rand.Rand, a string) string {
	name := r.Perm(w.n)
	var b strings.Builder
	fmt.Fprintf(&b, "A = %s\ns =", a)
	for _, k := range r.Perm(len(w.edges)) {
		fmt.Fprintf(&b, " A[x%d,x%d]", name[w.edges[k][0]], name[w.edges[k][1]])
	}
	return b.String() + "\n"
}

// value sums node by node, for each assignment of the nodes that have later
// neighbours.
func (w network) value(a [2][2]float64) float64 {
	last := make([]int, w.n)
	for _, e := range w.edges {
		last[e[0]] = max(last[e[0]], e[1])
	}
	sums := map[uint64]float64{0: 1}
	for j := range w.n {
		next := make(map[uint64]float64)
		for state, x := range sums {
			for v := range uint64(2) {
				p := x
				for _, e := range w.edges {
					if e[1] == j {
						p *= a[state>>e[0]&1][v]
					}
				}
				to := state | v<<j
				for i := range j + 1 {
					if last[i] <= j {
						to &^= 1 << i
					}
				}
				next[to] += p
			}
		}
		sums = next
	}
	return sums[0]
}

// TestOrders: a product of any factors runs, whatever the order in which they are
// written, and costs about the same.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for _, w := range networks() {
		for _, m := range []struct {
			text string
			a    [2][2]float64
		}{
			{"[[1, 1], [1, 0]]", [2][2]float64{{1, 1}, {1, 0}}},
			{"[[0.75, -0.5], [1.25, 0.5]]", [2][2]float64{{0.75, -0.5}, {1.25, 0.5}}},
		} {
			want := w.value(m.a)
			for _, plain := range []bool{false, true} {
				least, worst := uint64(math.MaxUint64), uint64(0)
				for range 6 {
					text := w.program(r, m.text)
					mod, _, err := lang.Load("in.ein", text, lang.Options{NoOpt: plain, Workers: 1})
					if err != nil {
						t.Fatalf("%s: %v\n%s", w.name, err, text)
					}
					mm, err := vm.New(mod, cost.Limits{MaxBytes: 1 << 24, MaxOps: 1 << 20})
					if err != nil {
						t.Fatalf("%s, plain %v: %v\n%s", w.name, plain, err, text)
					}
					res, err := mm.Run(context.Background())
					if err != nil {
						t.Fatalf("%s, plain %v: %v\n%s", w.name, plain, err, text)
					}
					if got := res.Outputs[0].Value.F[0]; math.Abs(got-want) > 1e-9*math.Abs(want) {
						t.Fatalf("%s, plain %v: %v, want %v\n%s", w.name, plain, got, want, text)
					}
					ops := mod.Certificate.Ops
					least, worst = min(least, ops), max(worst, ops)
				}
				if worst > 2*least {
					t.Errorf("%s, plain %v: %d to %d operations", w.name, plain, least, worst)
				}
			}
		}
	}
}

// TestOrderPast8Axes: any product whose cost can be borne runs, and one whose cost
// cannot is refused for that alone.
func TestOrderPast8Axes(t *testing.T) {
	complete := func(n, size int) string {
		w := networkOf("", n, func(int, int) bool { return true })
		return w.program(rand.New(rand.NewPCG(1, 2)), fmt.Sprintf("ones(%d, %[1]d)", size))
	}
	for _, c := range []struct {
		name, text string
		want       float64 // -1: too much work
	}{
		{"many indices of size 1", complete(64, 1), 1},
		{"many indices of size 0", complete(30, 0), 0},
		{"64 indices all with all", complete(64, 2), -1},
		{"10,000 factors", "A = [[1, 1], [0, 1]]\ns =" + strings.Repeat(" A[i,i]", 10_000) + "\n", 2},
		{"two indices and many functions", "v = [1, 2]\ns = " + strings.Repeat("relu(v[i]) v[j] ", 20) + "\n", math.Pow(1+math.Pow(2, 20), 2)},
	} {
		for _, plain := range []bool{false, true} {
			outs, _, class, message := run(t, c.text, lang.Options{NoOpt: plain})
			switch {
			case c.want < 0 && class != "limit":
				t.Errorf("%s, plain %v: class %q, %s", c.name, plain, class, message)
			case c.want >= 0 && (class != "" || outs[0].Tensor.Data[0] != c.want):
				t.Errorf("%s, plain %v: %v %s, want %v", c.name, plain, outs, message, c.want)
			}
		}
	}
}
