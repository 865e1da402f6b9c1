package kernel

import (
	"math/bits"
	"slices"

	"ein/vm/tensor"
)

// Weak is the weakly connected components, numbered by their lowest nodes.
func Weak(c *Ctl, part []int32, g Net) bool {
	s := g.room
	m := newMeter(c)
	up := s.I[:g.n] // the node above one in the tree of its set, or -size of the tree
	for v := range up {
		up[v] = -1
	}
	if !m.spend(g.n) {
		return false
	}
	for v := range g.n {
		to, _, work := g.row(v)
		for _, t := range to {
			work += join(up, int32(v), t)
		}
		if !m.spend(work) {
			return false
		}
	}
	count := int32(0)
	for v := range part {
		part[v] = -1
	}
	for v := range part {
		root, work := rootOf(up, int32(v))
		if part[root] < 0 { // the root's number stands at the root until it is its turn
			part[root] = count
			count++
		}
		part[v] = part[root]
		if !m.spend(work + 2) {
			return false
		}
	}
	return true
}

// WeakCost bounds Weak. A tree of n nodes is at most as deep as n has digits.
func WeakCost(n int, work uint64) Cost {
	un, depth := uint64(n), uint64(bits.Len(uint(n)))
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(work, 2*depth+4), satMul(un, depth+4)), I: un}, n)
}

func rootOf(up []int32, v int32) (root int32, work int) {
	for work = 1; up[v] >= 0; work++ {
		if above := up[v]; up[above] >= 0 {
			up[v] = up[above]
		}
		v = up[v]
	}
	return v, work
}

// join makes one set of two, the smaller below the larger.
func join(up []int32, a, b int32) (work int) {
	a, work = rootOf(up, a)
	b, more := rootOf(up, b)
	if a != b {
		if up[a] > up[b] {
			a, b = b, a
		}
		up[a] += up[b]
		up[b] = a
	}
	return work + more + 1
}

// TopoOrder is dst[v] = the position of v in the order in which every edge leads
// forward, of several the lexicographically smallest, or a cycle.
func TopoOrder(c *Ctl, dst []float64, g Net) (flaw Flaw, ok bool) {
	s := g.room
	m := newMeter(c)
	dst = dst[:g.n]
	clear(dst) // equal keys: the queue goes by node
	into := s.I[2*g.n : 3*g.n]
	clear(into)
	q := queue{key: dst, heap: s.I[:0:g.n], at: s.I[g.n : 2*g.n]}
	clear(q.at)
	for v := range g.n {
		to, _, work := g.row(v)
		for _, t := range to {
			into[t]++
		}
		if !m.spend(work) {
			return flaw, false
		}
	}
	for v := range g.n {
		if into[v] == 0 {
			q.up(int32(v)) // in order: it stays at the end
		}
	}
	count := 0
	for ; len(q.heap) > 0; count++ {
		v, work := q.pop()
		to, _, read := g.row(int(v))
		for _, t := range to {
			if into[t]--; into[t] == 0 {
				work += q.up(t)
			}
		}
		dst[v] = float64(count)
		if !m.spend(work + read) {
			return flaw, false
		}
	}
	if count == g.n {
		return flaw, m.spend(g.n)
	}
	// Each node that is left has one before it that is left.
	from, last := s.I[:g.n], int32(0)
	for v := range g.n {
		if into[v] == 0 {
			continue
		}
		last = int32(v)
		to, _, work := g.row(v)
		for _, t := range to {
			from[t] = last
		}
		if !m.spend(work) {
			return flaw, false
		}
	}
	flaw.Cycle = cycleBefore(from, last, q.at)
	return flaw, m.spend(3 * g.n)
}

// TopoOrderCost bounds TopoOrder.
func TopoOrderCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(work, 3), satMul(un, 5*heapDepth(n)+5)), I: 3 * un}, n)
}

// cycleBefore is the cycle that the nodes before v end in, as long as each has one
// before it, in the order of its edges.
func cycleBefore(from []int32, v int32, room []int32) []int32 {
	for range from {
		v = from[v]
	}
	cycle := room[:0]
	for u := v; len(cycle) == 0 || u != v; u = from[u] {
		cycle = append(cycle, u)
	}
	slices.Reverse(cycle)
	return cycle
}

// search is a depth-first search of a symmetric graph.
type search struct {
	found []int32 // when a node was found, from 1
	low   []int32 // the earliest that a node, or one found below it, has an edge to, but for the edge it was found by
	above []int32 // the node that it was found from, or -1
}

func lowlink(m *meter, g *Net, s *Scratch) (d search, ok bool) {
	d = search{s.takeI(g.n), s.takeI(g.n), s.takeI(g.n)}
	at := s.takeI(g.n)
	clear(d.found)
	clear(at)
	if !m.spend(g.n) {
		return d, false
	}
	time := int32(0)
	enter := func(v, above int32) {
		time++
		d.found[v], d.low[v], d.above[v] = time, time, above
	}
	for root := range g.n {
		if d.found[root] > 0 {
			continue
		}
		enter(int32(root), -1)
		for v := int32(root); v >= 0; {
			t, work := g.after(int(v), &at[v])
			above := d.above[v]
			switch {
			case t < 0:
				if above >= 0 {
					d.low[above] = min(d.low[above], d.low[v])
				}
				v = above
			case d.found[t] == 0:
				enter(t, v)
				v = t
			case t != above:
				d.low[v] = min(d.low[v], d.found[t])
			}
			if !m.spend(work) {
				return d, false
			}
		}
	}
	return d, true
}

// after is the target of v that comes after those that at stands for, or -1.
func (g *Net) after(v int, at *int32) (t int32, work int) {
	if g.v.Layout == tensor.Sparse {
		k := g.v.CSR.Ptr[v] + *at
		if k == g.v.CSR.Ptr[v+1] {
			return -1, 1
		}
		*at++
		return g.v.CSR.Idx[k], 1
	}
	row := g.v.Bits.Row(v)
	for k := int(*at >> 6); k < len(row); k++ {
		work++
		if x := row[k] >> (uint(*at) & 63); x != 0 {
			t = *at + int32(bits.TrailingZeros64(x))
			*at = t + 1
			return t, work
		}
		*at = int32(k+1) << 6
	}
	return -1, work + 1
}

// lowlinkCost bounds lowlink, and what looks at each node after it.
func lowlinkCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(2, work), satMul(8, un)), I: 4 * un}, n)
}

// CutNodes is the nodes of a symmetric graph without which there would be more
// components.
func CutNodes(c *Ctl, dst []uint64, g Net) bool {
	s := g.room
	m := newMeter(c)
	d, ok := lowlink(&m, &g, &s)
	if !ok {
		return false
	}
	clear(dst)
	first := d.found // is not needed any more, where the node above is a root
	for v, above := range d.above {
		if above < 0 {
			first[v] = 0
		}
	}
	for v, above := range d.above {
		switch {
		case above < 0:
		case d.above[above] < 0:
			if first[above]++; first[above] > 1 {
				setBit(dst, int(above))
			}
		case d.low[v] >= d.found[above]:
			setBit(dst, int(above))
		}
	}
	return m.spend(2 * g.n)
}

// CutNodesCost bounds CutNodes.
func CutNodesCost(n int, work uint64) Cost { return lowlinkCost(n, work) }

// Bridges is the edges of a symmetric graph without which there would be more
// components, in both directions. dst has room for 2(n-1).
func Bridges(c *Ctl, dst *tensor.CSR, g Net) bool {
	s := g.room
	m := newMeter(c)
	src, to := s.takeI(2*g.n), s.takeI(2*g.n)
	d, ok := lowlink(&m, &g, &s)
	if !ok {
		return false
	}
	count := 0
	for v, above := range d.above {
		if above >= 0 && d.low[v] > d.found[above] {
			src[count], to[count] = int32(v), above
			src[count+1], to[count+1] = above, int32(v)
			count += 2
		}
	}
	return m.spend(g.n) && forest(&m, dst, src[:count], to[:count])
}

// BridgesCost bounds Bridges.
func BridgesCost(n int, work uint64) Cost {
	c := lowlinkCost(n, work)
	c.Ops = tensor.SatAdd(c.Ops, forestCost(n))
	c.I += 4 * uint64(n)
	return c
}

// forest makes a matrix of the edges of a forest.
func forest(m *meter, dst *tensor.CSR, src, to []int32) bool {
	clear(dst.Ptr)
	for _, i := range src {
		dst.Ptr[i+1]++
	}
	tensor.SumUp(dst.Ptr)
	dst.Idx = dst.Idx[:len(src)]
	for k, i := range src {
		dst.Idx[dst.Ptr[i]] = to[k]
		dst.Ptr[i]++
	}
	copy(dst.Ptr[1:], dst.Ptr[:dst.Rows]) // which are the ends now
	dst.Ptr[0] = 0
	for i := range dst.Rows {
		row := dst.Row(i)
		slices.Sort(row)
		if !m.spend(1 + len(row)*bits.Len(uint(len(row)))) {
			return false
		}
	}
	return m.spend(2*len(src) + 2*dst.Rows)
}

func forestCost(n int) uint64 { return satMul(uint64(n), 2*uint64(bits.Len(uint(n)))+8) }

// Cores is dst[v] = the largest k for which v is in the k-core of a symmetric graph:
// the part of it in which each node has k neighbours other than itself. Nodes are
// taken out by degree, the least first, from a list that is sorted by it.
func Cores(c *Ctl, dst []float64, g Net) bool {
	s := g.room
	m := newMeter(c)
	n := g.n
	degree, list, place, start := s.I[:n], s.I[n:2*n], s.I[2*n:3*n], s.I[3*n:4*n+1]
	clear(start)
	for v := range n {
		to, _, work := g.row(v)
		degree[v] = int32(len(to))
		if slices.Contains(to, int32(v)) {
			degree[v]--
		}
		start[degree[v]+1]++
		if !m.spend(work + len(to)) {
			return false
		}
	}
	tensor.SumUp(start)
	for v, d := range degree {
		place[v] = start[d]
		list[place[v]] = int32(v)
		start[d]++
	}
	copy(start[1:], start[:n])
	start[0] = 0
	if !m.spend(3 * n) {
		return false
	}
	for _, v := range list {
		dst[v] = float64(degree[v])
		to, _, work := g.row(int(v))
		for _, t := range to {
			if d := degree[t]; d > degree[v] { // moves to the front of its degree, and that on
				first := list[start[d]]
				place[first], place[t] = place[t], place[first]
				list[place[first]], list[place[t]] = first, t
				start[d]++
				degree[t]--
			}
		}
		if !m.spend(work + len(to)) {
			return false
		}
	}
	return true
}

// CoresCost bounds Cores.
func CoresCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(4, work), 4*un), I: 4*un + 1}, n)
}

// pageRankSteps is enough for the 7 digits that 0.85 to that power leaves.
const pageRankSteps = 100

// PageRank is the share of time that a walk is at each node, after 100 steps from
// anywhere: with probability damp along an edge, by weight, and else to any node.
func PageRank(c *Ctl, dst []float64, g Net, damp float64) (flaw Flaw, ok bool) {
	s := g.room
	m := newMeter(c)
	n := g.n
	next, out := s.F[:n], s.F[n:2*n]
	dst = dst[:n]
	fill(dst, 1/float64(n))
	clear(next)
	flawed := false
	for v := range n {
		to, w, work := g.row(v)
		out[v] = float64(len(to))
		if w != nil {
			out[v] = 0
			for _, x := range w {
				out[v] += x
				flawed = flawed || !(x >= 0)
			}
			if flawed {
				return below(v, to, w), true
			}
		}
		if !m.spend(work) {
			return flaw, false
		}
	}
	for range pageRankSteps {
		stuck := 0.0
		for v := range n {
			if out[v] == 0 {
				stuck += dst[v]
				continue
			}
			share := dst[v] / out[v]
			to, w, work := g.row(v)
			for k, t := range to {
				if w == nil {
					next[t] += share
				} else {
					next[t] += share * w[k]
				}
			}
			if !m.spend(work) {
				return flaw, false
			}
		}
		rest := (1 - damp + damp*stuck) / float64(n)
		for v, x := range next {
			dst[v] = rest + damp*x
		}
		clear(next)
		if !m.spend(2 * n) {
			return flaw, false
		}
	}
	return flaw, true
}

// PageRankCost bounds PageRank.
func PageRankCost(n int, work uint64) Cost {
	return NetCost(Cost{Ops: satMul(pageRankSteps+1, tensor.SatAdd(work, 2*uint64(n))), F: 2 * uint64(n)}, n)
}

// SpanningForest is the entries of g that join all nodes of each weak component at
// the least total weight: of the two directions of an edge the lighter, of equal
// edges the one between the lowest nodes, and of its directions that to the higher.
// dst has room for n-1. An edge of weight 0 among them, which only a far matrix has, is
// a flaw.
//
// In each round every tree takes the lightest edge that leads out of it (Boruvka), so
// that nothing is sorted and there are at most as many rounds as n has digits.
func SpanningForest(c *Ctl, dst *tensor.CSR, g Net) (flaw Flaw, ok bool) {
	s := g.room
	m := newMeter(c)
	n := g.n
	up, tree, src, to := s.takeI(n), s.takeI(n), s.takeI(n), s.takeI(n)
	i, j := s.takeI(n), s.takeI(n) // the lightest edge of a tree, by its root
	weight := s.takeF(n)
	for v := range up {
		up[v] = -1
	}
	count, done := 0, false
	for !done {
		done = true
		for v := range n {
			root, work := rootOf(up, int32(v))
			tree[v], i[v] = root, -1
			if !m.spend(work) {
				return flaw, false
			}
		}
		for v := range n {
			row, w, work := g.row(v)
			for k, t := range row {
				a, b := tree[v], tree[t]
				if a == b {
					continue
				}
				x := 1.0
				if w != nil {
					x = w[k]
				}
				if x != x {
					return Flaw{NaN: true}, true
				}
				for _, r := range [2]int32{a, b} {
					if i[r] < 0 || x < weight[r] || x == weight[r] && before(int32(v), t, i[r], j[r]) {
						i[r], j[r], weight[r] = int32(v), t, x
					}
				}
			}
			if !m.spend(work + len(row)) {
				return flaw, false
			}
		}
		for r := range n {
			if i[r] < 0 || tree[r] != int32(r) {
				continue
			}
			a, _ := rootOf(up, i[r])
			b, _ := rootOf(up, j[r])
			if a != b { // not taken by the other tree as well
				src[count], to[count] = i[r], j[r]
				count++
				done = false
			}
			if !m.spend(join(up, a, b) + 2*bits.Len(uint(n))) {
				return flaw, false
			}
		}
	}
	if !forest(&m, dst, src[:count], to[:count]) || dst.Val == nil {
		return flaw, dst.Val == nil
	}
	dst.Val = dst.Val[:count]
	for v := range n {
		row, w, work := g.row(v)
		lo := int(dst.Ptr[v])
		for k, t := range dst.Row(v) {
			at, _ := slices.BinarySearch(row, t)
			dst.Val[lo+k] = 1
			if w != nil {
				dst.Val[lo+k] = w[at]
				if w[at] == 0 {
					return Flaw{Edge: []int32{int32(v), t}}, true
				}
			}
		}
		if !m.spend(work + len(dst.Row(v))*bits.Len(uint(n))) {
			return flaw, false
		}
	}
	return flaw, true
}

// before is the order of equal edges.
func before(a, b, c, d int32) bool {
	if x, y := min(a, b), min(c, d); x != y {
		return x < y
	}
	if x, y := max(a, b), max(c, d); x != y {
		return x < y
	}
	return a < c
}

// SpanningForestCost bounds SpanningForest.
func SpanningForestCost(n int, work uint64) Cost {
	un, digits := uint64(n), uint64(bits.Len(uint(n)))
	round := tensor.SatAdd(satMul(2, work), satMul(un, 5*digits+5))
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(digits+2, round), forestCost(n)), I: 6 * un, F: un}, n)
}

// Betweenness is dst[v] = the sum, over all pairs of other nodes, of the share of
// the shortest paths from one to the other that lead through v (Brandes).
func Betweenness(c *Ctl, dst []float64, g Net) bool {
	s := g.room
	m := newMeter(c)
	n := g.n
	ways, through, order, dist := s.F[:n], s.F[n:2*n], s.I[:n], s.I[n:2*n]
	clear(dst[:n])
	for src := range n {
		clear(ways)
		clear(through)
		clear(dist)
		ways[src], dist[src], order[0] = 1, 1, int32(src)
		tail := 1
		if !m.spend(n) {
			return false
		}
		for head := 0; head < tail; head++ {
			v := order[head]
			to, _, work := g.row(int(v))
			for _, t := range to {
				if dist[t] == 0 {
					dist[t] = dist[v] + 1
					order[tail] = t
					tail++
				}
				if dist[t] == dist[v]+1 {
					ways[t] += ways[v]
				}
			}
			if !m.spend(work) {
				return false
			}
		}
		for head := tail - 1; head > 0; head-- {
			v := order[head]
			to, _, work := g.row(int(v))
			for _, t := range to {
				if dist[t] == dist[v]+1 {
					through[v] += ways[v] / ways[t] * (1 + through[t])
				}
			}
			dst[v] += through[v]
			if !m.spend(work) {
				return false
			}
		}
	}
	return true
}

// BetweennessCost bounds Betweenness.
func BetweennessCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: satMul(un, tensor.SatAdd(satMul(2, work), un)), F: 2 * un, I: 2 * un}, n)
}
