package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/tensor"
)

// NaiveMinCut tries every set with i and without j, and takes the one of least
// weight, of these the smallest.
func NaiveMinCut(w [][]float64, i, j int) [][]float64 {
	best, side := math.Inf(1), -1
	for s := range 1 << len(w) {
		if s>>i&1 == 0 || s>>j&1 == 1 {
			continue
		}
		sum := 0.0
		for a := range w {
			for b, x := range w[a] {
				if s>>a&1 == 1 && s>>b&1 == 0 {
					sum += x
				}
			}
		}
		if sum < best || sum == best && s&side == s {
			best, side = sum, s
		}
	}
	cut := make([][]float64, len(w))
	for a := range w {
		cut[a] = make([]float64, len(w))
		for b, x := range w[a] {
			if side>>a&1 == 1 && side>>b&1 == 0 {
				cut[a][b] = x
			}
		}
	}
	return cut
}

func TestMinCut(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 600 {
		g := randomGraph(r, 2+r.IntN(8))
		if g.n < 2 {
			continue
		}
		i, j := r.IntN(g.n), r.IntN(g.n-1)
		if j >= i {
			j++
		}
		w := g.weigh(r, false)
		if r.IntN(3) == 0 {
			w = plain(g.m)
		}
		want := NaiveMinCut(w, i, j)
		flow := 0.0
		for _, row := range want {
			for _, x := range row {
				flow += x
			}
		}
		for _, v := range layouts(w) {
			nnz := v.CSR.NNZ()
			bound := MinCutCost(v.Layout, g.n, nnz)
			run := func(c *Ctl) (got [][]float64, flaw Flaw, ok bool) {
				dst := tensor.CSR{Rows: g.n, Cols: g.n, Ptr: make([]int32, g.n+1), Idx: make([]int32, 0, g.n*g.n)}
				if v.Layout == tensor.Dense || v.CSR.Val != nil {
					dst.Val = make([]float64, 0, g.n*g.n)
				}
				ok = Finished(func() { MinCut(c, &dst, NewNet(&v, garbage(bound)), i, j, &flaw) })
				return denseOf(&dst), flaw, ok
			}
			var c Ctl
			got, flaw, ok := run(&c)
			if !slices.EqualFunc(got, want, slices.Equal[[]float64]) || flaw.Sum != flow {
				t.Fatalf("MinCut of %v from %d to %d: %v of %v, want %v of %v", w, i, j, got, flaw.Sum, want, flow)
			}
			took := c.Ops
			charged(t, "MinCut", &c, bound, ok)
			// Under a limit it stops where the work would pass it, and not before.
			for _, most := range []uint64{1, took / 2, took - 1, took} {
				first, again := Ctl{Limit: most}, Ctl{Limit: most, Workers: 8}
				_, flaw, ok := run(&first)
				if _, twice, _ := run(&again); again.Ops != first.Ops || twice.Sum != flaw.Sum {
					t.Fatalf("stopped at %d operations with %v, then at %d with %v", first.Ops, flaw.Sum, again.Ops, twice.Sum)
				}
				if ok != (most == took) || first.Over == ok || first.Ops > most || flaw.Sum > flow {
					t.Fatalf("limit %d of %d: %d operations, finished %v", most, took, first.Ops, ok)
				}
			}
		}
	}
}

func TestMinCutFlaws(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		w    [][]float64
		want Flaw
	}{
		{[][]float64{{0, inf, 1}, {0, 0, inf}, {0, 0, 0}}, Flaw{Cycle: []int32{2, 1}, Sum: inf}},
		{[][]float64{{0, 1, 1}, {0, 0, -2}, {0, 0, 0}}, Flaw{Edge: []int32{1, 2}, Below: -2}},
		{[][]float64{{0, 1, nan}, {0, 0, 2}, {0, 0, 0}}, Flaw{NaN: true}},
	} {
		for _, v := range layouts(c.w) {
			bound := MinCutCost(v.Layout, 3, v.CSR.NNZ())
			dst := tensor.CSR{Rows: 3, Cols: 3, Ptr: make([]int32, 4), Idx: make([]int32, 0, 9), Val: make([]float64, 0, 9)}
			var got Flaw
			ok := Finished(func() { MinCut(new(Ctl), &dst, NewNet(&v, garbage(bound)), 0, 2, &got) })
			if !ok || got.NaN != c.want.NaN || !got.NaN && (!slices.Equal(got.Cycle, c.want.Cycle) && c.want.Cycle != nil && len(got.Cycle) != 1 || !slices.Equal(got.Edge, c.want.Edge) || got.Below != c.want.Below) {
				t.Errorf("%v: %+v, want %+v", c.w, got, c.want)
			}
		}
	}
	finite := [][]float64{{0, inf, 0}, {0, 0, 2.5}, {0, 0, 0}}
	if got := NaiveMinCut(finite, 0, 2); got[1][2] != 2.5 {
		t.Fatal(got)
	}
	for _, v := range layouts(finite) {
		dst := tensor.CSR{Rows: 3, Cols: 3, Ptr: make([]int32, 4), Idx: make([]int32, 0, 9), Val: make([]float64, 0, 9)}
		var flaw Flaw
		ok := Finished(func() { MinCut(new(Ctl), &dst, NewNet(&v, garbage(MinCutCost(v.Layout, 3, v.CSR.NNZ()))), 0, 2, &flaw) })
		if !ok || flaw.Sum != 2.5 || !slices.Equal(dst.Val, []float64{2.5}) {
			t.Errorf("%+v, %v", flaw, dst)
		}
	}
}
