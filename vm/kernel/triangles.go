package kernel

import (
	"math"
	"sync/atomic"

	"ein/vm/simd"
	"ein/vm/tensor"
)

// TrianglesBits returns the number of undirected triangles of a square matrix: an
// edge in either direction is an edge, and loops do not count.
//
// With U the strict upper half of A OR Aᵀ, a triangle i < j < k is a one of
// U_i AND U_j for the edge (i, j), so the product A·A is needed only at the edges.
func TrianglesBits(c *Ctl, a tensor.Bits, s Scratch) uint64 {
	u := strips{n: a.Rows, words: a.Stride, wide: stripWords(a.Stride), w: s.W[:TrianglesBitsCost(a.Rows).W]}
	u.upperHalf(c, a)
	if goesParallel(c, TrianglesBitsCost(a.Rows).Ops) {
		var total atomic.Uint64
		forkRange(c, a.Rows, func(c *Ctl, _, lo, hi int) { total.Add(u.triangles(c, lo, hi)) })
		return total.Load()
	}
	return u.triangles(c, 0, a.Rows)
}

// TrianglesBitsCost bounds TrianglesBits.
func TrianglesBitsCost(n int) Cost {
	un, w := uint64(n), uint64(tensor.Words(n))
	wide := uint64(stripWords(int(w)))
	count := (w + wide - 1) / max(wide, 1)
	return Cost{
		Ops: tensor.SatAdd(tensor.SatAdd(satMul(un, un/2+1, w+1), satMul(un, count, w)), satMul(w, w, transposeOps+64)),
		W:   satMul(un, wide, count),
	}
}

// strips is a square matrix of bits cut into strips of whole words, one behind the
// other: all rows of a strip of 5,000 fit the second-level cache, all of the matrix
// do not.
type strips struct {
	n, words, wide int // nodes, words of a row of the matrix and of a strip
	w              []uint64
}

// stripWords is how wide the strips of rows of so many words are. Rows of up to four
// words are left as they are.
func stripWords(words int) int {
	if words <= 4 {
		return words
	}
	return simd.CommonWords
}

func (u strips) strip(i int) tensor.Bits {
	size := u.n * u.wide
	return tensor.Bits{Rows: u.n, Cols: 64 * u.wide, Stride: u.wide, W: u.w[i*size : (i+1)*size]}
}

// upperHalf sets u to the strict upper half of A OR Aᵀ.
func (u strips) upperHalf(c *Ctl, a tensor.Bits) {
	m := newMeter(c)
	var x, y [64]uint64
	clear(u.w)
	const line = 8 // words: what is loaded of a column of blocks is used for as many
	for top := 0; top < u.words; top += line {
		for bj := top; bj < u.words; bj++ {
			for bi := top; bi < min(top+line, bj+1); bi++ {
				loadBlock(&x, a, bi, bj)
				loadTransposed(c.Tier, &y, a, bj, bi)
				for r, w := range y {
					x[r] |= w
					if bi == bj {
						x[r] &= ^uint64(1) << r
					}
				}
				storeBlock(u.strip(bj/u.wide), &x, bi, bj%u.wide)
				m.spend(transposeOps + 64)
			}
		}
	}
}

// triangles counts those whose first node is one of lo..hi-1: for each strip, what a
// row has in common with the rows that the row names.
func (u strips) triangles(c *Ctl, lo, hi int) uint64 {
	m := newMeter(c)
	total := 0
	for p := 0; p*u.wide < u.words; p++ {
		strip := u.strip(p)
		for i := lo; i < min(hi, (p+1)*u.wide*64); i++ {
			for k := i >> 6; k < min((p+1)*u.wide, u.words); k += u.wide - k%u.wide {
				from := u.strip(k / u.wide)
				named := from.Row(i)[k%u.wide:]
				named = named[:min(len(named), u.words-k)]
				ones := c.Tier.PopAnd(named, named)
				if ones > 0 {
					total += c.Tier.Common(named, strip.W[k*64*u.wide:], strip.Row(i))
				}
				m.spend(len(named) + ones*min(u.wide, u.words-p*u.wide))
			}
		}
	}
	return uint64(total)
}

// oriented is a graph as lists with gaps between them: an undirected one with
// each edge at one of its ends, or a directed one.
type oriented struct {
	ptr, end []int32 // the neighbours of v are list[ptr[v]:end[v]]
	list     []int32
}

// TrianglesCSR is TrianglesBits of a sparse graph, by the forward algorithm
// (Schank and Wagner 2005): each edge is kept at its end of lower degree, so no
// list is longer than 2·sqrt(nnz); for each node its list is marked in a bit
// vector and the lists of its neighbours are looked up there. It needs memory
// linear in nodes and edges.
func TrianglesCSR(c *Ctl, a tensor.CSR, s Scratch) uint64 {
	n, words := a.Rows, tensor.Words(a.Rows)
	g := oriented{
		ptr:  s.I[:n+1],
		end:  s.I[n+1 : 2*n+1],
		list: s.I[2*n+1 : 2*n+1+a.NNZ()],
	}
	marks := s.W[:workerCount(c.Workers)*uint64(words)]
	orient(c, g, a, s.I[2*n+1+a.NNZ():][:n])
	clear(marks)
	if goesParallel(c, uint64(a.NNZ())) {
		var total atomic.Uint64
		forkRange(c, n, func(c *Ctl, worker, lo, hi int) { dropRepeated(c, g, marks[worker*words:][:words], lo, hi) })
		forkRange(c, n, func(c *Ctl, worker, lo, hi int) {
			total.Add(forward(c, g, marks[worker*words:][:words], lo, hi))
		})
		return total.Load()
	}
	dropRepeated(c, g, marks, 0, n)
	return forward(c, g, marks, 0, n)
}

// TrianglesCSRCost bounds TrianglesCSR: for each edge a list of at most
// 2·sqrt(nnz), or of all nodes.
func TrianglesCSRCost(n, nnz, workers int) Cost {
	un, m := uint64(n), uint64(nnz)
	longest := min(un, uint64(2*math.Sqrt(float64(nnz)))+1)
	linear := satMul(8, un+m+1)
	return Cost{
		Ops: tensor.SatAdd(satMul(m, longest), linear),
		W:   satMul(workerCount(workers), uint64(tensor.Words(n))),
		I:   3*un + 1 + m,
	}
}

// orient fills g with each stored entry off the diagonal at its end of lower
// degree, or of lower number among equals. An edge stored both ways is there
// twice, and counts twice in the degrees: any order of the nodes would be right.
func orient(c *Ctl, g oriented, a tensor.CSR, degree []int32) {
	m := newMeter(c)
	clear(degree)
	clear(g.ptr)
	for i := range a.Rows {
		row := a.Row(i)
		degree[i] += int32(len(row))
		for _, j := range row {
			degree[j]++
		}
		m.spend(len(row) + 1)
	}
	for i := range a.Rows {
		row := a.Row(i)
		for _, j := range row {
			if int(j) != i {
				g.ptr[lowerEnd(degree, int32(i), j)+1]++
			}
		}
		m.spend(len(row) + 1)
	}
	for v := range a.Rows {
		g.ptr[v+1] += g.ptr[v]
		g.end[v] = g.ptr[v]
	}
	for i := range a.Rows {
		row := a.Row(i)
		for _, j := range row {
			if int(j) != i {
				v := lowerEnd(degree, int32(i), j)
				g.list[g.end[v]] = int32(i) ^ j ^ v // the other end
				g.end[v]++
			}
		}
		m.spend(len(row) + 2)
	}
}

func lowerEnd(degree []int32, i, j int32) int32 {
	if di, dj := degree[i], degree[j]; di < dj || di == dj && i < j {
		return i
	}
	return j
}

// dropRepeated leaves each neighbour once in the lists of nodes lo..hi-1.
func dropRepeated(c *Ctl, g oriented, marks []uint64, lo, hi int) {
	m := newMeter(c)
	for v := lo; v < hi; v++ {
		list := g.list[g.ptr[v]:g.end[v]]
		kept := 0
		for _, w := range list {
			if bitOf(marks, int(w)) == 0 {
				setBit(marks, int(w))
				list[kept] = w
				kept++
			}
		}
		g.end[v] = g.ptr[v] + int32(kept)
		for _, w := range list[:kept] {
			marks[w>>6] = 0
		}
		m.spend(2*len(list) + 1)
	}
}

// forward counts the triangles whose node of lowest degree is one of lo..hi-1.
func forward(c *Ctl, g oriented, marks []uint64, lo, hi int) uint64 {
	m := newMeter(c)
	total := uint64(0)
	for v := lo; v < hi; v++ {
		list := g.list[g.ptr[v]:g.end[v]]
		m.spend(2*len(list) + 1)
		if len(list) < 2 {
			continue
		}
		for _, w := range list {
			setBit(marks, int(w))
		}
		part := g.countMarked(&m, list, marks)
		total += part
		for _, w := range list {
			marks[w>>6] = 0
		}
	}
	return total
}

// countMarked is how many entries of the lists of some nodes are marked.
//
// As in walkCSR, it looks at both ends of a batch of lists before it goes through
// them, to wait for memory once and not for each: they seldom fit one cache line
// but often two. At 1e6 nodes and 1e7 edges all triangles take 0.8 s, and 1.05
// with a look at the starts alone. (Closing the gaps between lists, so that a
// list's end is next to its start, gained nothing.)
func (g *oriented) countMarked(m *meter, nodes []int32, marks []uint64) (total uint64) {
	var from, to [walkBatch]int32
	touched := int32(0)
	for len(nodes) > 0 {
		batch := nodes[:min(walkBatch, len(nodes))]
		nodes = nodes[len(batch):]
		for i, w := range batch {
			lo, hi := g.ptr[w], g.end[w]
			from[i&(walkBatch-1)], to[i&(walkBatch-1)] = lo, hi
			if lo < hi {
				touched |= g.list[lo] | g.list[hi-1]
			}
		}
		work := 0
		for i := range batch {
			next := g.list[from[i&(walkBatch-1)]:to[i&(walkBatch-1)]]
			for _, x := range next {
				total += bitOf(marks, int(x))
			}
			work += len(next)
		}
		m.spend(work)
	}
	m.left += int(touched >> 31) // 0, see walkCSR
	return total
}

// TraceCubeCSR is trace(A·A·A) of the pattern of a: the number of closed walks
// of three edges, loops included. Val is not looked at.
func TraceCubeCSR(c *Ctl, a tensor.CSR, s Scratch) uint64 {
	n, words := a.Rows, tensor.Words(a.Rows)
	in := tensor.CSR{Rows: n, Cols: n, Ptr: s.I[:n+1], Idx: s.I[n+1 : n+1+a.NNZ()]}
	marks := s.W[:workerCount(c.Workers)*uint64(words)]
	pattern := a
	pattern.Val = nil
	CSRTranspose(c, in, pattern)
	clear(marks)
	if goesParallel(c, uint64(a.NNZ())) {
		var total atomic.Uint64
		forkRange(c, n, func(c *Ctl, worker, lo, hi int) {
			total.Add(closedWalks(c, pattern, in, marks[worker*words:][:words], lo, hi))
		})
		return total.Load()
	}
	return closedWalks(c, pattern, in, marks, 0, n)
}

// TraceCubeCSRCost bounds TraceCubeCSR: for each edge (i, j) the row of j.
func TraceCubeCSRCost(n, nnz, workers int) Cost {
	un, m := uint64(n), uint64(nnz)
	return Cost{
		Ops: tensor.SatAdd(satMul(m, min(un, m)), satMul(6, un+m+1)),
		W:   satMul(workerCount(workers), uint64(tensor.Words(n))),
		I:   un + 1 + m,
	}
}

// closedWalks counts those that start at nodes lo..hi-1: i to j to k, with k
// among the marked predecessors of i.
func closedWalks(c *Ctl, a, in tensor.CSR, marks []uint64, lo, hi int) uint64 {
	m := newMeter(c)
	g := oriented{ptr: a.Ptr, end: a.Ptr[1:], list: a.Idx}
	total := uint64(0)
	for i := lo; i < hi; i++ {
		row, before := a.Row(i), in.Row(i)
		for _, k := range before {
			setBit(marks, int(k))
		}
		m.spend(len(row) + 2*len(before) + 1)
		if len(before) > 0 {
			part := g.countMarked(&m, row, marks)
			total += part
		}
		for _, k := range before {
			marks[k>>6] = 0
		}
	}
	return total
}
