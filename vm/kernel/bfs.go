package kernel

import (
	"math/bits"

	"ein/vm/op"
	"ein/vm/tensor"
)

// WalkBits sets dst, a bit vector, to the nodes reachable from src. It stops as
// soon as every node is reached: on a dense graph after a few rows.
func WalkBits(c *Ctl, dst []uint64, a tensor.Bits, src int, mode op.WalkMode, s Scratch) {
	if a.Stride == 1 {
		c.Ops += uint64(a.Rows)
		dst[0] = walkWord(a.W, src, mode)
		return
	}
	m := newMeter(c)
	dst = dst[:a.Stride]
	copy(dst, a.Row(src))
	if mode != op.WalkRow {
		setBit(dst, src)
	}
	seen := s.W[:a.Stride]
	clear(seen)
	setBit(seen, src)
	m.spend(a.Stride)
	walkBits(&m, dst, seen, a, -1)
	if mode == op.WalkDesc {
		clearBit(dst, src)
	}
}

// walkWord is WalkBits of at most 64 nodes, a row in one word.
func walkWord(rows []uint64, src int, mode op.WalkMode) uint64 {
	self := uint64(1) << (uint(src) & 63)
	done, reached := self, rows[src]
	for todo := reached &^ done; todo != 0; todo = reached &^ done {
		done |= todo & -todo
		reached |= rows[bits.TrailingZeros64(todo)]
	}
	switch mode {
	case op.WalkDesc:
		return reached &^ self
	case op.WalkReach:
		return reached | self
	}
	return reached
}

// WalkBitsCost bounds WalkBits and HasPathBits of n nodes. Every
// row is ORed once, and looking for the next node passes over at most a vector
// for each.
func WalkBitsCost(n int) Cost {
	w := uint64(tensor.Words(n))
	return Cost{Ops: satMul(2, uint64(n)+2, w+1), W: w}
}

// walkBits adds to reached all that it leads to, leaving out the rows of the
// nodes of seen, and stops when nothing is left or target is reached.
//
// The frontier is reached AND NOT seen, searched by a cursor that goes round:
// no queue is written, and on a dense graph an OR of a row is all there is.
func walkBits(m *meter, reached, seen []uint64, a tensor.Bits, target int) {
	n := a.Cols
	if n == 0 {
		return
	}
	last := len(reached) - 1
	tail := pastEnd(n)
	reached[last] |= tail // so that "all reached" is all ones
	seen[last] |= tail
	for k, idle := 0, 0; idle < len(reached); {
		todo := reached[k] &^ seen[k]
		if todo == 0 {
			idle++
			if k++; k == len(reached) {
				k = 0
			}
			continue
		}
		seen[k] |= todo & -todo
		full := orFull(reached, a.Row(k<<6+bits.TrailingZeros64(todo)))
		if m.spend(len(reached) + idle); full || target >= 0 && bitOf(reached, target) != 0 {
			break
		}
		idle = 0
	}
	reached[last] &^= tail
	m.spend(len(reached))
}

// HasPathBits reports whether a path of at least one edge leads from i to j:
// element (i, j) of the transitive closure.
func HasPathBits(c *Ctl, a tensor.Bits, i, j int, s Scratch) (found bool) {
	if a.Stride == 1 {
		c.Ops += uint64(a.Rows)
		return walkWord(a.W, i, op.WalkRow)>>(uint(j)&63)&1 != 0
	}
	if a.Get(i, j) {
		c.Ops++
		return true
	}
	m := newMeter(c)
	reached, seen := s.W[:a.Stride], s.W[a.Stride:2*a.Stride]
	copy(reached, a.Row(i))
	clear(seen)
	setBit(seen, i)
	m.spend(a.Stride)
	walkBits(&m, reached, seen, a, j)
	return bitOf(reached, j) != 0
}

// HasPathBitsCost bounds HasPathBits.
func HasPathBitsCost(n int) Cost {
	cost := WalkBitsCost(n)
	cost.W *= 2
	return cost
}

// WalkCSR is WalkBits of a sparse graph.
func WalkCSR(c *Ctl, dst []uint64, a tensor.CSR, src int, mode op.WalkMode, s Scratch) {
	m := newMeter(c)
	dst = dst[:tensor.Words(a.Rows)]
	clear(dst)
	q := s.I[:2*a.Rows+2]
	q[0] = int32(src)
	seeds := 1
	if mode != op.WalkRow {
		setBit(dst, src)
		seeds = 0
	}
	m.spend(len(dst))
	walkCSR(&m, dst, q, 1, seeds, a, -1)
	if mode == op.WalkDesc {
		clearBit(dst, src)
	}
}

// WalkCSRCost bounds WalkCSR of n nodes. A source that is
// reached again is visited twice, hence the factor of 2.
func WalkCSRCost(n, nnz int) Cost {
	un := uint64(n)
	return Cost{Ops: satMul(2, un+uint64(nnz)+1) + un + uint64(tensor.Words(n)), I: 2*un + 2}
}

// walkBatch is how many nodes walkCSR takes from its queue at a time.
const walkBatch = 16

// walkCSR runs the queue q, which holds tail nodes, the first seeds of them not
// in reached, and stops when nothing is left or target is reached.
//
// It looks at both ends of all rows of a batch before it goes through any, so
// that the processor waits for them at once: at 1e6 nodes and 1e7 edges 60 ms,
// looking at the starts alone 100, without looking 130. A batch is gone through in a function of its own,
// which keeps all in registers: 5000 nodes of degree 5 take 45 µs instead of 53. Appending to the queue
// without a branch was slower at all sizes; marks of four bytes in place of bits took 41 µs, and 92 ms
// instead of 67 at 1e6 nodes.
func walkCSR(m *meter, reached []uint64, q []int32, tail, seeds int, a tensor.CSR, target int) {
	all := a.Rows + seeds
	var lo, hi [walkBatch]int32
	touched := int32(0)
	for head := 0; head < tail && tail < all && (target < 0 || bitOf(reached, target) == 0); {
		batch := q[head:min(head+walkBatch, tail)]
		head += len(batch)
		work := len(batch)
		for i, v := range batch {
			from, to := a.Ptr[v], a.Ptr[v+1]
			lo[i&(walkBatch-1)], hi[i&(walkBatch-1)] = from, to
			work += int(to - from)
			if from < to {
				touched |= a.Idx[from] | a.Idx[to-1]
			}
		}
		tail = walkRows(reached, q[:all], tail, a.Idx, lo[:len(batch)], hi[:len(batch)])
		m.spend(work)
	}
	m.left += int(touched >> 31) // 0: no index is negative, but the loads must stay
}

// walkRows appends what some rows of idx add to reached to q, which holds tail nodes, until it is full.
//
//go:noinline
func walkRows(reached []uint64, q []int32, tail int, idx, lo, hi []int32) int {
	for i := range lo {
		for _, w := range idx[lo[i]:hi[i]] {
			if x, bit := &reached[w>>6], uint64(1)<<(uint(w)&63); *x&bit == 0 {
				*x |= bit
				q[tail] = w
				tail++
			}
		}
		if tail == len(q) {
			break
		}
	}
	return tail
}

// HasPathCSR is HasPathBits of a sparse graph.
func HasPathCSR(c *Ctl, a tensor.CSR, i, j int, s Scratch) (found bool) {
	m := newMeter(c)
	reached := s.W[:tensor.Words(a.Rows)]
	clear(reached)
	q := s.I[:2*a.Rows+2]
	q[0] = int32(i)
	m.spend(len(reached))
	walkCSR(&m, reached, q, 1, 1, a, j)
	return bitOf(reached, j) != 0
}

// HasPathCSRCost bounds HasPathCSR.
func HasPathCSRCost(n, nnz int) Cost {
	cost := WalkCSRCost(n, nnz)
	cost.W = uint64(tensor.Words(n))
	return cost
}

// DistBits sets dst[v] to the least number of edges from i to v, -1 where there is
// no path, 0 at i. It works level by level on bit vectors.
func DistBits(c *Ctl, dst []float64, a tensor.Bits, i int, s Scratch) {
	m := newMeter(c)
	fill(dst[:a.Rows], -1)
	dst[i] = 0
	w := a.Stride
	reached, next, level := s.W[:w], s.W[w:2*w], s.W[2*w:3*w]
	clear(reached)
	clear(level)
	setBit(reached, i)
	setBit(level, i)
	reached[w-1] |= pastEnd(a.Cols)
	m.spend(a.Rows + 2*w)
	for d := 1.0; ; d++ {
		copy(next, reached)
		full := orLevel(&m, next, level, a)
		m.spend(3 * w)
		any := uint64(0)
		for k, x := range next {
			x &^= reached[k]
			level[k] = x
			any |= x
			for ; x != 0; x &= x - 1 {
				dst[k<<6+bits.TrailingZeros64(x)] = d
			}
		}
		if full || any == 0 {
			return
		}
		copy(reached, next)
	}
}

// orLevel ORs the rows of all nodes of level into next, until it is full.
func orLevel(m *meter, next, level []uint64, a tensor.Bits) (full bool) {
	for k, x := range level {
		for ; x != 0; x &= x - 1 {
			full = orFull(next, a.Row(k<<6+bits.TrailingZeros64(x)))
			if m.spend(len(next)); full {
				return true
			}
		}
	}
	return false
}

// DistBitsCost bounds DistBits: a row for each node, and three vectors for each
// level.
func DistBitsCost(n int) Cost {
	w := uint64(tensor.Words(n))
	return Cost{Ops: satMul(4, uint64(n)+1, w+1), W: 3 * w}
}

// DistCSR is DistBits of a sparse graph. Reading bits instead of distances, to see what is reached, was
// slower at 1e6 nodes.
func DistCSR(c *Ctl, dst []float64, a tensor.CSR, i int, s Scratch) {
	m := newMeter(c)
	fill(dst[:a.Rows], -1)
	dst[i] = 0
	q := s.I[:a.Rows]
	q[0] = int32(i)
	tail := 1
	m.spend(a.Rows)
	for head := 0; head < tail && tail < a.Rows; head++ {
		if head%touched == 0 {
			touch(&a, q[head:min(head+touched, tail)])
		}
		v := int(q[head])
		d := dst[v] + 1
		row := a.Row(v)
		for _, w := range row {
			if dst[w] < 0 {
				dst[w] = d
				q[tail] = w
				tail++
			}
		}
		m.spend(len(row) + 1)
	}
}

// DistCSRCost bounds DistCSR.
func DistCSRCost(n, nnz int) Cost {
	return Cost{Ops: 2*uint64(n) + uint64(nnz), I: uint64(n)}
}

// PathBits sets dst[v] to the position of v on one shortest path from i to j: 0 at
// i, -1 off the path, and -1 everywhere when there is none. Of all shortest
// paths it is the one whose sequence of nodes is lexicographically smallest. The
// path from i to i is i alone.
//
// A first-in-first-out search that looks at successors in ascending order finds
// just that path: within a level the queue is in the order of the smallest paths
// to its nodes, so the first node to find another is the best one before it.
func PathBits(c *Ctl, dst []float64, a tensor.Bits, i, j int, s Scratch) {
	g := bitGraph(a)
	g.path(c, dst, i, j, s)
}

// PathBitsCost bounds PathBits.
func PathBitsCost(n int) Cost {
	w := uint64(tensor.Words(n))
	return Cost{Ops: satMul(uint64(n)+1, w+2), W: w, I: 2 * uint64(n)}
}

// PathCSR is PathBits of a sparse graph.
func PathCSR(c *Ctl, dst []float64, a tensor.CSR, i, j int, s Scratch) {
	g := csrGraph(a)
	g.path(c, dst, i, j, s)
}

// path is a breadth-first search that remembers the node each was found from. It ends as soon as j is
// reached. On bits a whole word of new nodes is found at once, and only new nodes are looked at singly.
func (g *digraph) path(c *Ctl, dst []float64, i, j int, s Scratch) {
	m := newMeter(c)
	n := g.n
	fill(dst[:n], -1)
	q, from := s.I[:n], s.I[n:2*n]
	reached := s.W[:g.words]
	clear(reached)
	setBit(reached, i)
	q[0] = int32(i)
	tail := 1
	m.spend(n + g.words)
	for head := 0; head < tail && bitOf(reached, j) == 0; head++ {
		v, work := q[head], g.words
		if g.sparse {
			row := g.csr.Row(int(v))
			for _, w := range row {
				if x, bit := &reached[w>>6], uint64(1)<<(uint(w)&63); *x&bit == 0 {
					*x |= bit
					from[w] = v
					q[tail] = w
					tail++
				}
			}
			work = len(row)
		} else {
			for k, x := range g.bits.Row(int(v)) {
				x &^= reached[k]
				reached[k] |= x
				for ; x != 0; x &= x - 1 {
					w := int32(k<<6 + bits.TrailingZeros64(x))
					from[w] = v
					q[tail] = w
					tail++
				}
			}
		}
		m.spend(work + 1)
	}
	if bitOf(reached, j) != 0 {
		tracePath(dst, q, from, i, j)
	}
}

// PathCSRCost bounds PathCSR.
func PathCSRCost(n, nnz int) Cost {
	un, w := uint64(n), uint64(tensor.Words(n))
	return Cost{Ops: 2*un + uint64(nnz) + w, W: w, I: 2 * un}
}

// tracePath writes the positions of the path that ends at j, using path as room
// for its nodes.
func tracePath(dst []float64, path, from []int32, i, j int) {
	length := 0
	for v := int32(j); v != int32(i); v = from[v] {
		path[length] = v
		length++
	}
	dst[i] = 0
	for k, v := range path[:length] {
		dst[v] = float64(length - k)
	}
}

func fill(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
