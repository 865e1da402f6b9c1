package kernel

import (
	"math"

	"ein/vm/tensor"
)

// MinCut sets dst to the entries of g that lead from the side of i to the side of j, in the cut of
// least weight between them; of several such cuts, the one with the fewest nodes on the side of i.
// Their sum is the largest flow from i to j. dst has room for all entries of g.
//
// It is Dinic's algorithm: breadth-first layers from i, and paths from j back through them, which
// can only end where an earlier path used up what was left. It takes far less than its bound, so it
// is metered: it charges before it works, and flaw.Sum is the flow so far when it may not go on.
func MinCut(c *Ctl, dst *tensor.CSR, g Net, i, j int, flaw *Flaw) {
	m := newMeter(c)
	f := newFlow(&m, &g, flaw)
	if flaw.NaN || flaw.Edge != nil {
		return
	}
	for flaw.Cycle == nil {
		f.layers(&m, i, j)
		if f.level[j] == 0 {
			f.cut(&m, dst, &g)
			return
		}
		f.block(&m, i, j)
	}
}

// flow is the entries of a matrix as edges with room in both directions, and the search for paths
// through them. What has flowed along an entry can be taken back, so the search may also go against
// it (path has ^k); room and back add up to the weight of the entry.
type flow struct {
	n          int
	ptr, to    []int32   // the entries by row
	start      []int32   // the entries by column: their places, and their rows
	entry      []int32   //
	from       []int32   //
	room, back []float64 // how much more may flow along an entry, and against it
	level, at  []int32   // the layer of a node, from 1; how many of its edges were tried
	queue      []int32   // also the nodes of a path
	path       []int32   // its entries; ^k is against entry k
	flaw       *Flaw
}

// newFlow lists the entries by row and by column: a path may run against an entry that already
// has flow, so a node needs those that end in it too. The residual of an entry and its reverse
// are two arrays in place of two edges.
func newFlow(m *meter, g *Net, flaw *Flaw) (f flow) {
	s, n := &g.room, g.n
	nnz := n * n
	f = flow{n: n, flaw: flaw, start: s.takeI(n + 1), level: s.takeI(n), at: s.takeI(n), queue: s.takeI(n), path: s.takeI(n)}
	if g.v.Layout == tensor.Sparse {
		nnz = g.v.CSR.NNZ()
		f.ptr, f.to = g.v.CSR.Ptr, g.v.CSR.Idx
	} else {
		f.ptr, f.to = s.takeI(n+1), s.takeI(nnz)[:0]
		f.ptr[0] = 0
	}
	f.entry, f.from = s.takeI(nnz), s.takeI(nnz)
	f.room, f.back = s.takeF(nnz)[:0], s.takeF(nnz)
	clear(f.start)
	for v := range n {
		to, w, work := g.row(v)
		m.take(work + 3*len(to) + 1)
		if *flaw = below(v, to, w); flaw.Edge != nil {
			return f
		}
		f.room = append(f.room, w...)
		for _, t := range to {
			f.start[t+1]++
			if w == nil {
				f.room = append(f.room, 1)
			}
		}
		if g.v.Layout != tensor.Sparse {
			f.to = append(f.to, to...)
			f.ptr[v+1] = int32(len(f.to))
		}
	}
	tensor.SumUp(f.start)
	clear(f.at)
	for v := range n {
		lo, hi := f.ptr[v], f.ptr[v+1]
		m.take(3*int(hi-lo) + 3)
		for k := lo; k < hi; k++ {
			t := f.to[k]
			p := f.start[t] + f.at[t]
			f.at[t]++
			f.entry[p], f.from[p], f.back[k] = k, int32(v), 0
		}
	}
	return f
}

// layers numbers the nodes by how many edges with room lead to them from i, as far as j. When they
// no longer reach j, the nodes that they do reach are the side of i.
func (f *flow) layers(m *meter, i, j int) {
	m.take(2 * f.n)
	clear(f.level)
	clear(f.at)
	f.level[i], f.queue[0] = 1, int32(i)
	tail := 1
	reach := func(t, level int32) {
		f.level[t] = level
		f.queue[tail] = t
		tail++
	}
	for head := 0; head < tail && f.level[j] == 0; head++ {
		v := f.queue[head]
		lo, hi, in, end := f.ptr[v], f.ptr[v+1], f.start[v], f.start[v+1]
		m.take(int(hi-lo+end-in) + 1)
		next := f.level[v] + 1
		for k := lo; k < hi; k++ {
			if t := f.to[k]; f.level[t] == 0 && f.room[k] > 0 {
				reach(t, next)
			}
		}
		for p := in; p < end; p++ {
			if t := f.from[p]; f.level[t] == 0 && f.back[f.entry[p]] > 0 {
				reach(t, next)
			}
		}
	}
}

// block sends flow along paths through the layers until none is left. A path grows from j
// backwards, one node of each layer. An edge that has led nowhere is not tried again in these
// layers: at counts the edges of a node that are done with.
func (f *flow) block(m *meter, i, j int) {
	for v, depth := int32(j), 0; ; {
		if int(v) == i {
			m.take(2 * depth)
			if depth = f.send(depth); f.flaw.Cycle != nil {
				return
			}
			v = f.queue[depth]
		}
		switch u, k := f.before(m, v); {
		case u >= 0:
			f.queue[depth], f.path[depth] = v, k
			depth++
			v = u
		case depth == 0:
			return
		default:
			depth--
			v = f.queue[depth]
			f.at[v]++
		}
	}
}

// before is the next node in the layer before that of v which an edge with room
// leads from, and that edge; -1 when there is none.
func (f *flow) before(m *meter, v int32) (u, k int32) {
	in := f.start[v+1] - f.start[v]
	all := in + f.ptr[v+1] - f.ptr[v]
	layer := f.level[v] - 1
	for ; f.at[v] < all; f.at[v]++ {
		m.take(1)
		if p := f.at[v]; p < in {
			u, k = f.from[f.start[v]+p], f.entry[f.start[v]+p]
			if f.level[u] == layer && f.room[k] > 0 {
				return u, k
			}
		} else {
			k = f.ptr[v] + p - in
			u = f.to[k]
			if f.level[u] == layer && f.back[k] > 0 {
				return u, ^k
			}
		}
	}
	m.take(1)
	return -1, 0
}

// send sends as much as there is room for along the path, and returns how many of its edges come
// before the first that is full now. A path begins at j, so this is the full edge nearest to j,
// where the search has to go on; whatever it has found behind that edge is cut off.
func (f *flow) send(depth int) (before int) {
	most := math.Inf(1)
	for _, k := range f.path[:depth] {
		if k >= 0 {
			most = min(most, f.room[k])
		} else {
			most = min(most, f.back[^k])
		}
	}
	f.flaw.Sum += most
	if math.IsInf(most, 1) { // what flows back is finite: these are edges
		f.flaw.Cycle = f.queue[:depth]
		return 0
	}
	before = depth
	for d := depth - 1; d >= 0; d-- {
		left, more := f.room, f.back
		k := f.path[d]
		if k < 0 {
			k, left, more = ^k, f.back, f.room
		}
		left[k] -= most
		more[k] += most
		if left[k] == 0 {
			before = d
		}
	}
	return before
}

// cut sets dst to the entries that lead from the nodes in the layers to the others.
func (f *flow) cut(m *meter, dst *tensor.CSR, g *Net) {
	dst.Ptr[0], dst.Idx = 0, dst.Idx[:0]
	weights := dst.Val != nil
	dst.Val = dst.Val[:0]
	for v := range f.n {
		if f.level[v] > 0 {
			to, w, work := g.row(v)
			m.take(work + len(to))
			for k, t := range to {
				switch {
				case f.level[t] > 0 || w != nil && w[k] == 0:
					continue
				case weights && w != nil:
					dst.Val = append(dst.Val, w[k])
				case weights:
					dst.Val = append(dst.Val, 1)
				}
				dst.Idx = append(dst.Idx, t)
			}
		}
		dst.Ptr[v+1] = int32(len(dst.Idx))
	}
	m.take(f.n)
}

// MinCutCost bounds MinCut: at most n times there are layers, between which each
// edge is full once, at the end of a path of n nodes.
func MinCutCost(l tensor.Layout, n, nnz int) Cost {
	un, e := uint64(n), uint64(nnz)
	c := Cost{I: 5*un + 1}
	if l != tensor.Sparse {
		e = satMul(un, un)
		c.I = tensor.SatAdd(c.I, tensor.SatAdd(un+1, e))
	}
	c.F = satMul(2, e)
	c.I = tensor.SatAdd(c.I, satMul(2, e))
	phase := tensor.SatAdd(satMul(e, 3*un+8), 5*un)
	once := tensor.SatAdd(satMul(2, NetWork(l, n, nnz)), tensor.SatAdd(satMul(7, e), 5*un))
	c.Ops = tensor.SatAdd(once, satMul(un+1, phase))
	return NetCost(c, n)
}
