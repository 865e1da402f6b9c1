package kernel

import (
	"math/bits"

	"ein/vm/tensor"
)

// ClosureBits sets dst to the transitive closure of a: 1 at (i, j) when a path
// of at least one edge leads from i to j, so at (i, i) when i is on a cycle. dst
// does not overlap a, unless there are at most 64 nodes, where it may be a: those are done by
// Warshall's algorithm on words, others by components, in the order in which no path leads back.
func ClosureBits(c *Ctl, dst, a tensor.Bits, s Scratch) {
	if a.Rows <= 64 {
		copy(dst.W, a.W[:a.Rows*a.Stride])
		warshall(c, dst.W[:a.Rows*a.Stride])
		return
	}
	g := bitLists(c, a, s)
	closure(c, dst, g, s)
}

// ClosureBitsCost bounds ClosureBits: at worst a row is ORed for every pair of
// components.
func ClosureBitsCost(n int) Cost {
	cost := listsCost(n)
	un, w := uint64(n), uint64(tensor.Words(n))
	cost.Ops = tensor.SatAdd(sccBitsOps(n), satMul(un+1, w+1, un/2+4))
	return cost
}

// ClosureCSR is ClosureBits of a sparse graph.
func ClosureCSR(c *Ctl, dst tensor.Bits, a tensor.CSR, s Scratch) {
	if a.Rows <= 64 {
		for i := range a.Rows {
			x := uint64(0)
			for _, j := range a.Row(i) {
				x |= 1 << (uint(j) & 63)
			}
			dst.W[i] = x
		}
		c.Ops += uint64(len(a.Idx))
		warshall(c, dst.W[:a.Rows])
		return
	}
	closure(c, dst, csrGraph(a), s)
}

// ClosureCSRCost bounds ClosureCSR: at worst a row is ORed for every edge.
func ClosureCSRCost(n, nnz int) Cost {
	cost := condenserCost(n)
	un, w := uint64(n), uint64(tensor.Words(n))
	rows := min(satMul(un, un/2+1), uint64(nnz))
	cost.Ops = tensor.SatAdd(sccCSROps(n, nnz), satMul(tensor.SatAdd(rows, 4*un+4), w+1))
	if n <= 64 {
		cost.Ops += un * rows // a row of Warshall for each node with an edge
	}
	return cost
}

// warshall closes at most 64 rows of a word each in place.
func warshall(c *Ctl, rows []uint64) {
	for k, via := range rows {
		if via == 0 {
			continue
		}
		for i, x := range rows {
			// All ones when i leads to k: no branch to mispredict.
			rows[i] = x | via&-(x>>(uint(k)&63)&1)
		}
		c.Ops += uint64(len(rows))
	}
	c.Ops += uint64(len(rows))
}

// closure works on the condensation: a component's row is what its nodes lead
// to and what those lead to, and the rows of the components it leads to are done
// before it. A successor that is covered by a row ORed already is skipped, so
// that about the edges of the transitive reduction are left (Goralčíková and
// Koubek 1979). All nodes of a component share a row, made once.
//
// Splitting the columns between goroutines was considered and left out: whether
// a successor is covered is known only from the whole row.
func closure(c *Ctl, dst tensor.Bits, g digraph, s Scratch) {
	m := newMeter(c)
	t := newCondenser(g, s)
	t.run(&m)
	// The search is over: its memory holds the extents of the rows.
	r := closureRows{g: g, dst: dst, from: t.low, to: t.at, up: t.ascending()}
	m.spend(t.count)
	for k := range t.count {
		nodes := t.order[t.start[k]:t.start[k+1]]
		if k == t.bigID {
			r.whole(&m, nodes, t.reach)
		} else {
			r.fill(&m, nodes)
		}
		r.share(&m, nodes)
	}
}

// ascending reports whether nodes that come first in topological order tend to
// have low numbers. Successors are then tried upward, else downward: the nearest
// first, as they cover the most. (On a graph of 5000 nodes and 1.25 million
// edges, the wrong way takes 35 ms instead of 1.6.)
func (t *condenser) ascending() bool {
	var early, late int
	for k := range t.count / 2 {
		early += int(t.order[t.start[k]])
		late += int(t.order[t.start[t.count-1-k]])
	}
	return late <= early
}

// closureRows is the rows of a closure while they are made.
type closureRows struct {
	g        digraph
	dst      tensor.Bits
	from, to []int32 // of each node whose row is done, the words that have its ones
	up       bool
	row      []uint64 // the one being made,
	lo, hi   int      // and its extent
}

// whole makes the row of a component whose successors all have their rows.
func (r *closureRows) whole(m *meter, nodes []int32, reach []uint64) {
	r.row = r.dst.Row(int(nodes[0]))
	copy(r.row, reach)
	r.lo, r.hi = 0, len(reach)
	m.spend(len(reach))
}

// fill makes the row of a component. The nodes of one that is a cycle are in it
// from the start, so that edges between them count as covered.
func (r *closureRows) fill(m *meter, nodes []int32) {
	r.row = r.dst.Row(int(nodes[0]))
	clear(r.row)
	r.lo, r.hi = len(r.row), 0
	// For a node with a loop, which adds its own row.
	r.from[nodes[0]], r.to[nodes[0]] = 0, 0
	if len(nodes) > 1 {
		for _, v := range nodes {
			r.set(int(v))
		}
	}
	m.spend(len(nodes) + len(r.row))
	for _, v := range nodes {
		if r.g.sparse {
			r.coverList(m, r.g.csr.Row(int(v)))
		} else {
			r.coverWords(m, r.g.bits.Row(int(v)))
		}
	}
}

// share copies the row to the other nodes of the component.
func (r *closureRows) share(m *meter, nodes []int32) {
	for k, v := range nodes {
		r.from[v], r.to[v] = int32(r.lo), int32(r.hi)
		if k > 0 {
			copy(r.dst.Row(int(v)), r.row)
			m.spend(len(r.row))
		}
	}
}

func (r *closureRows) set(v int) {
	setBit(r.row, v)
	r.lo = min(r.lo, v>>6)
	r.hi = max(r.hi, v>>6+1)
}

// add puts a successor and its row into the row, and returns its work. Only the
// extent of the other row is ORed: on an acyclic graph numbered in order half of
// the words, on a sparse one often none.
func (r *closureRows) add(v int) int {
	r.set(v)
	lo, hi := int(r.from[v]), int(r.to[v])
	if lo >= hi {
		return 1
	}
	r.lo, r.hi = min(r.lo, lo), max(r.hi, hi)
	orInto(r.row[lo:hi], r.dst.Row(v)[lo:hi])
	return hi - lo
}

// coverWords adds the successors in a row of bits.
func (r *closureRows) coverWords(m *meter, succ []uint64) {
	row := r.row[:len(succ)]
	if r.up {
		for k, x := range succ {
			for todo := x &^ row[k]; todo != 0; todo = x &^ row[k] {
				m.spend(r.add(k<<6 + bits.TrailingZeros64(todo)))
			}
		}
		m.spend(len(succ))
		return
	}
	for k := len(succ) - 1; k >= 0; k-- {
		for todo := succ[k] &^ row[k]; todo != 0; todo = succ[k] &^ row[k] {
			m.spend(r.add(k<<6 + 63 - bits.LeadingZeros64(todo)))
		}
	}
	m.spend(len(succ))
}

// coverList adds the successors in a row of a sparse matrix.
func (r *closureRows) coverList(m *meter, succ []int32) {
	work := len(succ)
	for i, w := range succ {
		if !r.up {
			w = succ[len(succ)-1-i]
		}
		if bitOf(r.row, int(w)) != 0 {
			continue
		}
		if work += r.add(int(w)); work >= PollOps { // a call for each would take a tenth of the time
			m.spend(work)
			work = 0
		}
	}
	m.spend(work)
}
