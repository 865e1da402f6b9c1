package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/tensor"
)

// weigh gives the edges of a graph weights, some of them equal; with signed some
// are negative, in half of the cases without a negative cycle.
func (g *graphCase) weigh(r *rand.Rand, signed bool) (w [][]float64) {
	w = make([][]float64, g.n)
	height := make([]float64, g.n)
	for i := range height {
		height[i] = float64(r.IntN(4))
	}
	raise := r.IntN(2) == 0
	for i := range w {
		w[i] = make([]float64, g.n)
		for j, edge := range g.m[i] {
			if !edge {
				continue
			}
			w[i][j] = float64(1 + r.IntN(5))
			switch {
			case signed && raise:
				if w[i][j] += height[i] - height[j]; w[i][j] == 0 {
					w[i][j] = 1
				}
			case signed:
				w[i][j] -= 1.5
			}
		}
	}
	return w
}

// layouts is a matrix in each layout that can hold it.
func layouts(w [][]float64) (list []tensor.Value) {
	n := len(w)
	v := tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n, n)}}
	csr := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}
	packed := tensor.NewBits(n, n)
	ones := true
	for i := range w {
		v.F = append(v.F, w[i]...)
		for j, x := range w[i] {
			if x != 0 {
				csr.Idx, csr.Val = append(csr.Idx, int32(j)), append(csr.Val, x)
				packed.Set(i, j)
			}
			ones = ones && (x == 0 || x == 1)
		}
		csr.Ptr[i+1] = int32(len(csr.Idx))
	}
	sparse := v
	sparse.Layout, sparse.CSR, sparse.F = tensor.Sparse, csr, nil
	list = append(list, v, sparse)
	if ones {
		bits, plain := v, sparse
		bits.Layout, bits.Bits, bits.F = tensor.Packed, packed, nil
		plain.CSR.Val = nil
		list = append(list, bits, plain)
	}
	return list
}

// onNets runs a kernel on a graph in each layout, with the scratch that its cost
// says and no more.
func onNets(t *testing.T, what string, w [][]float64, cost func(n int, work uint64) Cost, run func(c *Ctl, g Net, s Scratch) bool) {
	t.Helper()
	for _, v := range layouts(w) {
		nnz := v.CSR.NNZ()
		bound := cost(len(w), NetWork(v.Layout, len(w), nnz))
		s := garbage(bound)
		var c Ctl
		ok := run(&c, NewNet(&v, &s), s)
		charged(t, what+" "+v.Layout.String(), &c, bound, ok)
	}
}

func TestShortest(t *testing.T) {
	cycles := 0
	eachGraph(t, 1500, func(t *testing.T, r *rand.Rand, g graphCase) {
		if g.n == 0 {
			return
		}
		signed := r.IntN(2) == 0
		w := g.weigh(r, signed)
		if r.IntN(4) == 0 {
			for i := range w {
				for j := range w[i] {
					w[i][j] = math.Min(w[i][j]*w[i][j]*8, 1)
				}
			}
		}
		src, dst := r.IntN(g.n), r.IntN(g.n)
		want, ok := NaiveShortest(w, src)
		got := make([]float64, g.n)
		verdict := func(f Flaw) bool {
			if (f.Cycle == nil) != ok || f.NaN {
				t.Errorf("%v, want a cycle: %v", f, !ok)
			}
			if f.Cycle == nil {
				return true
			}
			cycles++
			sum := 0.0
			for k, v := range f.Cycle {
				x := w[v][f.Cycle[(k+1)%len(f.Cycle)]]
				if sum += x; x == 0 {
					t.Errorf("%v is no cycle", f.Cycle)
				}
			}
			if sum != f.Sum || sum >= 0 {
				t.Errorf("the cycle %v weighs %v, not %v", f.Cycle, sum, f.Sum)
			}
			return false
		}
		onNets(t, "Shortest", w, func(n int, work uint64) Cost { return ShortestCost(n, work, signed) }, func(c *Ctl, g Net, s Scratch) bool {
			flaw, ok := Shortest(c, got, g, src, math.Inf(1), signed, s)
			if verdict(flaw) && !slices.Equal(got, want) {
				t.Errorf("Shortest from %d: %v, want %v", src, got, want)
			}
			return ok
		})
		onNets(t, "ShortestPath", w, func(n int, work uint64) Cost { return ShortestPathCost(n, work, signed) }, func(c *Ctl, g Net, s Scratch) bool {
			flaw, ok := ShortestPath(c, got, g, src, dst, signed, s)
			if verdict(flaw) {
				if want := NaiveShortestPath(w, want, src, dst); !slices.Equal(got, want) {
					t.Errorf("ShortestPath from %d to %d: %v, want %v", src, dst, got, want)
				}
			}
			return ok
		})
	})
	if cycles < 20 {
		t.Errorf("only %d negative cycles", cycles)
	}
}
