package category_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/vm/cost"
)

// chosen draws a case of cb2.
func chosen(t testing.TB, cat *category.Category, shape category.Shape, parts ...string) *category.Drawn {
	t.Helper()
	if shape.Density == 0 {
		shape.Density, _ = cat.Sparse(shape.N)
	}
	d, err := cat.Choose(t.Context(), random.New(random.Key(append(parts, cat.Name)...)), new(category.World), shape)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestSolvers holds the solvers of the decoys, the Ein programs and the oracle to
// the same answers, on the cases that cb2 draws.
func TestSolvers(t *testing.T) {
	cases := 60
	if testing.Short() {
		cases = 6
	}
	each(t, func(t *testing.T, cat *category.Category, s *random.Stream) {
		for i := range cases {
			d := chosen(t, cat, category.Shape{N: s.Between(max(6, cat.Least), 16)}, "solve", fmt.Sprint(i))
			c := &d.Case
			want := newOracle(c).answer(cat.Name, &c.Query)
			if got := run(t, cat, cat.Ein(c), cost.Limits{MaxOps: 1e6, MaxBytes: 1 << 20, MaxOutputElements: 64}); !reflect.DeepEqual(got, want) {
				t.Fatalf("Ein says %v, the oracle %v\n%s", got, want, cat.Ein(c))
			}
			var w category.World
			w.Load(c)
			out, operations, depth := cat.Solve(&w)
			if got := plain(cat, out, c.G.N); !reflect.DeepEqual(got, rounded(want)) {
				t.Fatalf("the solver says %v, the oracle %v\n%s", got, want, cat.Ein(c))
			}
			if operations != d.Operations || depth != d.Depth || operations < 1 || (depth > 0) != cat.Hops {
				t.Errorf("%d operations and depth %d, drawn as %d and %d", operations, depth, d.Operations, d.Depth)
			}
		}
	})
}

// plain returns an Out in the types of the oracle, means in millionths.
func plain(cat *category.Category, o category.Out, n int) any {
	switch cat.Result {
	case category.Boolean:
		return o.Num == 1
	case category.Float:
		return float64(o.Num)
	case category.Compound:
		return compound{o.Num >= 100, o.Num % 100}
	case category.Set:
		set := []int{}
		for x := range n {
			if o.Set.Has(x) {
				set = append(set, x)
			}
		}
		return set
	}
	return o.Num
}

func rounded(x any) any {
	if f, ok := x.(float64); ok {
		return math.Floor(f*1e6 + 1e-6)
	}
	return x
}

// A draw is the same every time, and a depth that is asked for is had.
func TestChoose(t *testing.T) {
	each(t, func(t *testing.T, cat *category.Category, _ *random.Stream) {
		a, b := chosen(t, cat, category.Shape{N: 12}, "same"), chosen(t, cat, category.Shape{N: 12}, "same")
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v, then %+v", a, b)
		}
		if !cat.Hops {
			return
		}
		for depth := 3; depth <= 4; depth++ {
			if d := chosen(t, cat, category.Shape{N: 14, MinDepth: depth, MaxDepth: depth}, "depth"); d.Depth != depth && d.Loose < 2 {
				t.Errorf("depth %d, asked for %d", d.Depth, depth)
			}
		}
	})
}

// TestDecoys tries what a decoy tells of the answers of yes-or-no questions, in
// which it is next to nothing.
func TestDecoys(t *testing.T) {
	if testing.Short() {
		t.Skip("draws a thousand cases of each category")
	}
	for _, name := range []string{"reachability", "scc_same", "path_and_compare"} {
		cat, _ := category.Lookup(name)
		const cases = 1000
		says := map[string]map[category.Out][2]int{}
		var answers [2]int
		for i := range cases {
			d := chosen(t, cat, category.Shape{N: 12}, "decoys", fmt.Sprint(i))
			var w category.World
			w.Load(&d.Case)
			out, _, _ := cat.Solve(&w)
			answers[out.Num]++
			for _, g := range cat.Guesses(&w) {
				if says[g.Decoy] == nil {
					says[g.Decoy] = map[category.Out][2]int{}
				}
				n := says[g.Decoy][g.Out]
				n[out.Num]++
				says[g.Decoy][g.Out] = n
			}
		}
		for decoy, by := range says {
			right := 0
			for _, n := range by {
				right += max(n[0], n[1])
			}
			if lift := float64(right-max(answers[0], answers[1])) / cases; lift > 0.05 {
				t.Errorf("%s: %s is %.1f points better than the most common answer", name, decoy, 100*lift)
			}
		}
	}
}

// The names of decoys say what they are.
func TestGuesses(t *testing.T) {
	cat, _ := category.Lookup("reachability")
	var w category.World
	w.Load(&category.Case{G: graph.Graph{N: 4, Directed: true, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}}, Query: category.Query{Source: 0, Target: 3}})
	var all []string
	for _, g := range cat.Guesses(&w) {
		all = append(all, fmt.Sprintf("%s: %d", g.Decoy, g.Num))
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{"edges: 3", "Y has an incoming edge: 1", "edge from X to Y: 0", "path, one hop: 0", "path, two hops: 0", "path, reversed: 0", "path, left out: 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if out, ops, depth := cat.Solve(&w); out.Num != 1 || ops != 1 || depth != 3 {
		t.Errorf("%v, %d, %d", out, ops, depth)
	}
}
