package kernel

import (
	"math/bits"

	"ein/vm/tensor"
)

// Net is a square matrix as a graph with weights, in the layout that it came in.
// The kernels on it are linear in rows, so that reading a row costs no more than
// looking at it.
type Net struct {
	n    int
	v    *tensor.Value
	scan int       // what it takes to find the entries of a row
	seen float64   // see near
	to   []int32   // room for a row
	w    []float64 // of a dense matrix
	room Scratch   // for the kernel
}

// NewNet leaves what a row does not need of the scratch memory to the kernel.
func NewNet(v *tensor.Value, s Scratch) Net {
	g := Net{n: v.Shape.Dim(0), v: v}
	switch v.Layout {
	case tensor.Packed:
		g.scan = v.Bits.Stride
	case tensor.Dense:
		g.scan, g.w = g.n, s.takeF(g.n)
	}
	if v.Layout != tensor.Sparse {
		g.to = s.takeI(g.n)
	}
	g.room = s
	return g
}

// NetCost adds the room for a row of a graph that is no CSR to the cost of a
// kernel.
func NetCost(c Cost, n int) Cost {
	c.F += uint64(n)
	c.I += uint64(n)
	return c
}

// NetWork bounds what row takes for all rows together.
func NetWork(l tensor.Layout, n, nnz int) uint64 {
	un := uint64(n)
	switch l {
	case tensor.Sparse:
		return uint64(nnz) + un
	case tensor.Packed:
		return satMul(un, un+uint64(tensor.Words(n))+1)
	}
	return satMul(un, 2*un+1)
}

// netEntries bounds the edges, and netPairs the pairs of nodes that any join.
func netEntries(l tensor.Layout, n, nnz int) uint64 {
	if l == tensor.Sparse {
		return uint64(nnz)
	}
	return satMul(uint64(n), uint64(n))
}

func netPairs(l tensor.Layout, n, nnz int) uint64 {
	return min(netEntries(l, n, nnz), satMul(uint64(n), uint64(max(n-1, 0)))/2)
}

// row returns the targets of i, increasing, the weights of the edges, nil where all are
// 1, and what it took. It is valid until the next call.
func (g *Net) row(i int) (to []int32, w []float64, work int) {
	switch g.v.Layout {
	case tensor.Sparse:
		a := &g.v.CSR
		lo, hi := a.Ptr[i], a.Ptr[i+1]
		if a.Val != nil {
			w = a.Val[lo:hi]
		}
		return a.Idx[lo:hi], w, int(hi-lo) + 1
	case tensor.Packed:
		to = g.to[:0]
		for k, x := range g.v.Bits.Row(i) {
			for ; x != 0; x &= x - 1 {
				to = append(to, int32(k<<6+bits.TrailingZeros64(x)))
			}
		}
	default:
		to, w = g.to[:0], g.w[:0]
		none := g.v.Absent()
		for j, x := range g.v.F[i*g.n : (i+1)*g.n] {
			if x != none {
				to, w = append(to, int32(j)), append(w, x)
			}
		}
	}
	return to, w, g.scan + len(to) + 1
}

// near fetches the start of a row that is likely to be read soon, so that it comes from
// memory while another is worked on: a search of a large graph takes three quarters
// of the time.
func (g *Net) near(i int32) {
	a := &g.v.CSR
	if g.v.Layout != tensor.Sparse || a.Ptr[i] == a.Ptr[i+1] {
		return
	}
	k := a.Ptr[i]
	g.seen += float64(a.Idx[k])
	if a.Val != nil {
		g.seen += a.Val[k]
	}
}

// takeF and takeI cut a piece off the scratch memory; it holds anything.
func (s *Scratch) takeF(n int) (f []float64) {
	f, s.F = s.F[:n], s.F[n:]
	return f
}

func (s *Scratch) takeI(n int) (i []int32) {
	i, s.I = s.I[:n], s.I[n:]
	return i
}
