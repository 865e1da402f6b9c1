package kernel

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/tensor"
)

// Weak sets part to the weakly connected components, numbered by their lowest nodes: sets joined
// along every edge, the smaller below the larger, with paths halved on the way up (union-find,
// Tarjan). To join the first two edges of all nodes before the others took 1.2 times as long, and
// to begin with a search from the node of the most edges 1.6 times: rows in order are read faster
// than those that a queue leads to.
func Weak(c *Ctl, part []int32, g Net) {
	s := g.room
	m := newMeter(c)
	up := s.I[:g.n] // the node above one in the tree of its set, or -size of the tree
	for v := range up {
		up[v] = -1
	}
	m.spend(g.n)
	for v := range g.n {
		to, _, work := g.row(v)
		root := int32(v)
		for _, t := range to {
			if t == root || up[t] == root {
				continue // as most are, once there are large sets
			}
			a, more := rootOf(up, root)
			b, most := rootOf(up, t)
			if root = a; a != b {
				root = link(up, a, b)
			}
			work += more + most
		}
		m.spend(work)
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
		m.spend(work + 2)
	}
}

// WeakCost bounds Weak. A tree of n nodes is at most as deep as n has digits.
func WeakCost(n int, work uint64) Cost {
	un, depth := uint64(n), uint64(bits.Len(uint(n)))
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(work, 2*depth+4), satMul(un, depth+4)), I: un}, n)
}

// rootOf is the root of the tree that v is in, and the steps to it. On its way it hangs every other
// node one higher, so that the next one has half as far.
func rootOf(up []int32, v int32) (root int32, work int) {
	for work = 1; up[v] >= 0; work++ {
		if above := up[v]; up[above] >= 0 {
			up[v] = up[above]
		}
		v = up[v]
	}
	return v, work
}

// link makes one set of the sets of two roots, the smaller below the larger.
func link(up []int32, a, b int32) (root int32) {
	if up[a] > up[b] {
		a, b = b, a
	}
	up[a] += up[b]
	up[b] = a
	return a
}

// TopoOrder sets dst[v] to the position of v in the order in which every edge leads forward, of
// several the lexicographically smallest, or finds a cycle. Nodes are taken when no edge from one
// that is left leads to them, the least first (Kahn).
func TopoOrder(c *Ctl, dst []float64, g Net) (flaw Flaw) {
	s := g.room
	m := newMeter(c)
	q, into := newNumbers(g.n, s.W), s.takeI(g.n)
	clear(into)
	for v := range g.n {
		to, _, work := g.row(v)
		for _, t := range to {
			into[t]++
		}
		m.spend(work)
	}
	for v := range g.n {
		if into[v] == 0 {
			q.add(v)
		}
	}
	count := 0
	for ; !q.empty(); count++ {
		v := q.least()
		to, _, work := g.row(v)
		for _, t := range to {
			if into[t]--; into[t] == 0 {
				q.add(int(t))
			}
		}
		dst[v] = float64(count)
		m.spend(work + 2*(q.top+1))
	}
	if count == g.n {
		m.spend(g.n)
		return flaw
	}
	// Each node that is left has one before it that is left.
	from, last := s.takeI(g.n), int32(0)
	for v := range g.n {
		if into[v] == 0 {
			continue
		}
		last = int32(v)
		to, _, work := g.row(v)
		for _, t := range to {
			from[t] = last
		}
		m.spend(work)
	}
	flaw.Cycle = cycleBefore(from, last, s.takeI(g.n))
	m.spend(3 * g.n)
	return flaw
}

// TopoOrderCost bounds TopoOrder.
func TopoOrderCost(n int, work uint64) Cost {
	un := uint64(n)
	levels, words := numbersCost(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(work, 3), satMul(un, 2*levels+5)), I: 3 * un, W: words}, n)
}

// numbers is a set of numbers below n that gives its least: a tree of bits, in which a bit says
// that the word below it is not 0. A heap takes twice as long. Six levels hold 2^36 numbers.
type numbers struct {
	level [6][]uint64 // the lowest first
	top   int
}

// newNumbers makes an empty set in room, which needs the words that numbersCost counts.
func newNumbers(n int, room []uint64) (q numbers) {
	for size := n; ; q.top++ {
		size = (size + 63) / 64
		q.level[q.top] = room[:size]
		clear(q.level[q.top])
		if room = room[size:]; size <= 1 {
			return q
		}
	}
}

// numbersCost is how many levels a set of numbers below n has, and their words.
func numbersCost(n int) (levels, words uint64) {
	for size := n; ; {
		size = (size + 63) / 64
		levels, words = levels+1, words+uint64(size)
		if size <= 1 {
			return levels, words
		}
	}
}

func (q *numbers) empty() bool {
	root := q.level[q.top]
	return len(root) == 0 || root[0] == 0
}

// add puts x in. It ends at the first word that was not 0: those above know of it.
func (q *numbers) add(x int) {
	for i := range q.top + 1 {
		at := x / 64
		before := q.level[i][at]
		q.level[i][at] |= 1 << (x % 64)
		if before != 0 {
			return
		}
		x = at
	}
}

// least takes the least number out of a set that is not empty.
func (q *numbers) least() (x int) {
	for i := q.top; i >= 0; i-- {
		x = 64*x + bits.TrailingZeros64(q.level[i][x])
	}
	at := x
	for i := range q.top + 1 {
		at /= 64
		words := q.level[i]
		if words[at] &= words[at] - 1; words[at] != 0 {
			break
		}
	}
	return x
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

// lowlink is the search of Hopcroft and Tarjan, which finds bridges and cut nodes: a node whose low is
// not before the node above it can leave its subtree by no other edge. It needs no stack of its own, as
// above leads back.
func lowlink(m *meter, g *Net, s *Scratch) (d search) {
	d = search{s.takeI(g.n), s.takeI(g.n), s.takeI(g.n)}
	at := s.takeI(g.n)
	clear(d.found)
	clear(at)
	m.spend(g.n)
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
			m.spend(work)
		}
	}
	return d
}

// after is the next target of v after those counted by at, or -1.
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

// CutNodes sets dst to the nodes of a symmetric graph without which there would be more components
// (Hopcroft and Tarjan, Efficient Algorithms for Graph Manipulation, 1973).
// The root of a search is one if it has two subtrees, which nothing else joins; any other node, if
// a subtree below it has no edge to above the node.
func CutNodes(c *Ctl, dst []uint64, g Net) {
	s := g.room
	m := newMeter(c)
	d := lowlink(&m, &g, &s)
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
	m.spend(2 * g.n)
}

// CutNodesCost bounds CutNodes.
func CutNodesCost(n int, work uint64) Cost { return lowlinkCost(n, work) }

// Bridges sets dst to the edges of a symmetric graph without which there would be more components,
// in both directions: edges of the search whose subtree has no other edge out of it (as CutNodes).
// dst has room for 2(n-1).
func Bridges(c *Ctl, dst *tensor.CSR, g Net) {
	s := g.room
	m := newMeter(c)
	src, to := s.takeI(2*g.n), s.takeI(2*g.n)
	d := lowlink(&m, &g, &s)
	count := 0
	for v, above := range d.above {
		if above >= 0 && d.low[v] > d.found[above] {
			src[count], to[count] = int32(v), above
			src[count+1], to[count+1] = above, int32(v)
			count += 2
		}
	}
	m.spend(g.n)
	forest(&m, dst, src[:count], to[:count])
}

// BridgesCost bounds Bridges.
func BridgesCost(n int, work uint64) Cost {
	c := lowlinkCost(n, work)
	c.Ops = tensor.SatAdd(c.Ops, forestCost(n))
	c.I += 4 * uint64(n)
	return c
}

// forest makes a matrix of the edges of a forest.
func forest(m *meter, dst *tensor.CSR, src, to []int32) {
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
		m.spend(1 + len(row)*bits.Len(uint(len(row))))
	}
	m.spend(2*len(src) + 2*dst.Rows)
}

// forestCost bounds forest, which sorts its rows.
func forestCost(n int) uint64 { return satMul(uint64(n), 2*uint64(bits.Len(uint(n)))+8) }

// Cores sets dst[v] to the largest k for which v is in the k-core of a symmetric graph:
// the part of it in which each node has k neighbours other than itself. For each k the
// nodes that have no more are taken out, until all that are left have more. Lists by
// degree, from which they could be taken one at a time, cost four times as much.
func Cores(c *Ctl, dst []float64, g Net) {
	s := g.room
	m := newMeter(c)
	n := g.n
	degree, left, queue := s.takeI(n), s.takeI(n), s.takeI(n)
	for v := range n {
		to, _, work := g.row(v)
		left[v], degree[v] = int32(v), int32(len(to))
		if _, loop := slices.BinarySearch(to, int32(v)); loop {
			degree[v]--
		}
		m.spend(work + len(to))
	}
	for k := int32(0); len(left) > 0; k++ {
		tail := 0
		take := func(v int32) {
			queue[tail], degree[v] = v, -1
			tail++
		}
		live := left[:0]
		for _, v := range left {
			if d := degree[v]; d > k {
				live = append(live, v)
			} else if d >= 0 {
				take(v)
			}
		}
		m.spend(len(left) + 1)
		left = live
		for head := 0; head < tail; head++ {
			v := queue[head]
			g.near(queue[min(head+2, tail-1)])
			dst[v] = float64(k)
			to, _, work := g.row(int(v))
			for _, t := range to {
				if d := degree[t]; d > k+1 {
					degree[t]--
				} else if d == k+1 { // it keeps k of them
					take(t)
				}
			}
			m.spend(work + len(to))
		}
	}
}

// CoresCost bounds Cores. A node is looked at once for each k up to its own, which is
// at most its degree, and once after it was taken out.
func CoresCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(6, work), 4*un), I: 3 * un}, n)
}

// pageRankSteps is enough for the 7 digits that 0.85 to that power leaves. They end
// when all shares together, which are 1, have moved by no more than pageRankStill:
// the steps that are left would move them by rounding.
const (
	pageRankSteps = 100
	pageRankStill = 1e-15
)

// PageRank sets dst to the share of time that a walk is at each node, after at most 100 steps from
// anywhere: with probability damp along an edge, by weight, and else (and where none leads on) to any
// node (Brin and Page, 1998). They add up to 1. A negative weight is the flaw. A
// step reads the transpose, whose rows goroutines can share; to add at the targets of
// edges takes as long or a quarter longer.
func PageRank(c *Ctl, dst []float64, g Net, damp float64) (flaw Flaw) {
	s := g.room
	m := newMeter(c)
	n := g.n
	share, next := s.takeF(n), s.takeF(n)
	once := s.takeF(n) // of the share of a node, what each one of the weight of an edge takes
	back := tensor.CSR{Rows: n, Cols: n, Ptr: s.takeI(n + 1)}
	start := back.Ptr[1:] // of a row, while it is filled
	clear(back.Ptr)
	entries, flawed := 0, false
	for v := range n {
		to, w, work := g.row(v)
		out := float64(len(to))
		if w != nil {
			out = 0
			for _, x := range w {
				out += x
				flawed = flawed || !(x >= 0)
			}
			if flawed {
				return below(v, to, w)
			}
		}
		once[v] = 1 / out
		for _, t := range to {
			if int(t)+1 < n {
				start[t+1]++
			}
		}
		entries += len(to)
		m.spend(work + len(to))
	}
	tensor.SumUp(start)
	back.Idx = s.takeI(entries)
	if l := g.v.Layout; l == tensor.Dense || l == tensor.Sparse && g.v.CSR.Val != nil {
		back.Val = s.takeF(entries)
	}
	for v := range n {
		to, w, work := g.row(v)
		for k, t := range to {
			at := start[t]
			back.Idx[at] = int32(v)
			if w != nil {
				back.Val[at] = w[k]
			}
			start[t]++
		}
		m.spend(work + len(to))
	}
	dst = dst[:n]
	fill(dst, 1/float64(n))
	for step, moved := 0, 1.0; step < pageRankSteps && !(moved <= pageRankStill); step++ {
		stuck := 0.0
		for v, x := range once {
			if share[v] = dst[v] * x; math.IsInf(x, 1) { // no edge leads on: from there it goes to any node
				stuck += dst[v]
				share[v] = 0
			}
		}
		CSRMatVec(c, next, back, share)
		rest := (1 - damp + damp*stuck) / float64(n)
		moved = 0
		for v, x := range next {
			x = rest + damp*x
			moved += math.Abs(x - dst[v])
			dst[v] = x
		}
		m.spend(2 * n)
	}
	return flaw
}

// PageRankCost bounds PageRank.
func PageRankCost(l tensor.Layout, n, nnz int) Cost {
	un, e := uint64(n), netEntries(l, n, nnz)
	step := tensor.SatAdd(e, 3*un)
	c := Cost{Ops: tensor.SatAdd(satMul(2, tensor.SatAdd(NetWork(l, n, nnz), e)), satMul(pageRankSteps, step)), F: 3*un + e, I: un + 1 + e}
	return NetCost(c, n)
}

// SpanningForest sets dst to the entries of g that join all nodes of each weak component at
// the least total weight: of the two directions of an edge the lighter, of equal
// edges the one between the lowest nodes, and of its directions that to the higher.
// dst has room for n-1. An edge of weight 0 among them, which only a far matrix has, is
// a flaw.
//
// Pairs of nodes are sorted by weight, and taken where they join what is apart
// (Kruskal). The rounds of Boruvka, which sort nothing, take four times as long.
func SpanningForest(c *Ctl, dst *tensor.CSR, g Net) (flaw Flaw) {
	s := g.room
	m := newMeter(c)
	n := g.n
	e := int(netPairs(g.v.Layout, n, g.v.CSR.NNZ()))
	up, src, to, start := s.takeI(n), s.takeI(n), s.takeI(n), s.takeI(n+1)
	for v := range up {
		up[v] = -1
	}
	// Pairs in the order of their nodes; ^j where the edge is from j to i.
	list := pairs{ends: s.takeI(2 * e)[:0], key: s.W[:0:e]}
	order := s.takeI(e)
	back, backKey := s.takeI(e), s.W[e:2*e]
	if flaw = g.backward(&m, start, back, backKey); flaw.NaN {
		return flaw
	}
	// A merge of the edges from v with those to it, both by the other node, has each pair once.
	lo := int32(0)
	for v := range n {
		row, w, work := g.row(v)
		hi := start[v]
		for k, t := range row {
			if int(t) <= v {
				continue
			}
			for ; lo < hi && back[lo] < t; lo++ {
				list.add(int32(v), ^back[lo], backKey[lo])
			}
			key := keyOf(w, k)
			if lo < hi && back[lo] == t {
				if lo++; backKey[lo-1] < key {
					t, key = ^t, backKey[lo-1]
				}
			}
			list.add(int32(v), t, key)
		}
		for ; lo < hi; lo++ {
			list.add(int32(v), ^back[lo], backKey[lo])
		}
		m.spend(work + len(row) + 1)
	}
	e = len(list.key)
	order = sortKeys(&m, list.key, backKey[:e], order[:e], back[:e])
	count := 0
	for _, k := range order {
		if count == n-1 {
			break
		}
		i, j := list.ends[2*k], list.ends[2*k+1]
		turned := j < 0
		if turned {
			j = ^j
		}
		a, work := rootOf(up, i)
		b, more := rootOf(up, j)
		if a != b {
			link(up, a, b)
			if turned {
				i, j = j, i
			}
			src[count], to[count] = i, j
			count++
		}
		m.spend(work + more)
	}
	forest(&m, dst, src[:count], to[:count])
	return g.weigh(&m, dst)
}

// backward sorts the edges to a lower node by this: src has their sources, key their weights, and
// start where those of each node end. So both directions of a pair are with its lower node.
func (g *Net) backward(m *meter, start, src []int32, key []uint64) (flaw Flaw) {
	clear(start)
	for v := range g.n {
		row, w, work := g.row(v)
		for k, t := range row {
			if w != nil && w[k] != w[k] && int(t) != v {
				return Flaw{NaN: true}
			}
			if int(t) < v {
				start[t+1]++
			}
		}
		m.spend(work + len(row))
	}
	tensor.SumUp(start)
	for v := range g.n {
		row, w, work := g.row(v)
		for k, t := range row {
			if int(t) < v {
				at := start[t]
				src[at], key[at] = int32(v), keyOf(w, k)
				start[t]++
			}
		}
		m.spend(work + len(row))
	}
	return flaw
}

// keyOf is the key of the k-th of some weights, which are all the same without a list.
func keyOf(w []float64, k int) uint64 {
	if w == nil {
		return 0
	}
	return SortKey(w[k])
}

// weigh gives entries of g that are to have values their weights, or 1 if it has none.
func (g *Net) weigh(m *meter, dst *tensor.CSR) (flaw Flaw) {
	if dst.Val == nil {
		return flaw
	}
	dst.Val = dst.Val[:len(dst.Idx)]
	for v := range g.n {
		row, w, work := g.row(v)
		lo := int(dst.Ptr[v])
		for k, t := range dst.Row(v) {
			at, _ := slices.BinarySearch(row, t)
			dst.Val[lo+k] = 1
			if w != nil {
				dst.Val[lo+k] = w[at]
				if w[at] == 0 {
					return Flaw{Edge: []int32{int32(v), t}}
				}
			}
		}
		m.spend(work + len(dst.Row(v))*bits.Len(uint(g.n)))
	}
	return flaw
}

// pairs are edges, each as its two nodes, with keys to sort them by.
type pairs struct {
	ends []int32
	key  []uint64
}

func (p *pairs) add(i, j int32, key uint64) {
	p.ends, p.key = append(p.ends, i, j), append(p.key, key)
}

// SpanningForestCost bounds SpanningForest.
func SpanningForestCost(l tensor.Layout, n, nnz int) Cost {
	un, p, digits := uint64(n), netPairs(l, n, nnz), uint64(bits.Len(uint(n)))
	rows := satMul(4, tensor.SatAdd(NetWork(l, n, nnz), netEntries(l, n, nnz)))
	return NetCost(Cost{Ops: satSum(rows, sortKeysOps(p), satMul(p, 2*digits+2), satMul(un, digits+1), forestCost(n)),
		I: satSum(4*un, 1, satMul(4, p)), W: satMul(2, p)}, n)
}

// Betweenness sets dst[v] to the sum, over all ordered pairs of other nodes, of the share of the
// shortest paths from one to the other that lead through v (Brandes, A Faster Algorithm for
// Betweenness Centrality, 2001): a search from each node that counts the paths to all others, then
// a sum over the layers of the search, the last first. Brandes divides two counts for each edge;
// here a node keeps the quotient that all edges to it need (share).
func Betweenness(c *Ctl, dst []float64, g Net) {
	s := g.room
	m := newMeter(c)
	n := g.n
	// Nothing here branches on an edge: whether it is on a shortest path is a mask of its
	// numbers, as half of all guesses would be wrong.
	ways, share, order, dist := s.F[:n], s.F[n:2*n], s.I[:n+1], s.I[n+1:2*n+1]
	clear(dst[:n])
	for src := range n {
		clear(ways)
		clear(dist)
		ways[src], dist[src], order[0] = 1, 1, int32(src)
		tail := 1
		m.spend(n)
		for head := 0; head < tail; head++ {
			v := order[head]
			to, _, work := g.row(int(v))
			next, w := dist[v]+1, math.Float64bits(ways[v])
			for _, t := range to {
				d := dist[t]
				unseen := (d - 1) >> 31 // all ones, or none
				order[tail] = t
				tail -= int(unseen)
				d |= next & unseen
				dist[t] = d
				ways[t] += math.Float64frombits(w & equal(d, next))
			}
			m.spend(work)
		}
		// share[t] is what each shortest path to t carries: t itself, and what is behind it.
		// Nothing is behind the last ones.
		farthest := dist[order[tail-1]]
		for head := tail - 1; head > 0; head-- {
			v := order[head]
			if dist[v] == farthest {
				share[v] = 1 / ways[v]
				continue
			}
			to, _, work := g.row(int(v))
			next, sum := dist[v]+1, 0.0
			for _, t := range to {
				sum += math.Float64frombits(math.Float64bits(share[t]) & equal(dist[t], next))
			}
			through := ways[v] * sum
			share[v] = (1 + through) / ways[v]
			dst[v] += through
			m.spend(work)
		}
	}
}

// equal returns all ones if a and b, of which neither is negative, are the same, and 0 otherwise.
func equal(a, b int32) uint64 { return uint64(int64(((a ^ b) - 1) >> 31)) }

// BetweennessCost bounds Betweenness.
func BetweennessCost(n int, work uint64) Cost {
	un := uint64(n)
	return NetCost(Cost{Ops: satMul(un, tensor.SatAdd(satMul(2, work), un)), F: 2 * un, I: 2*un + 1}, n)
}
