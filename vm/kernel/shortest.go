package kernel

import (
	"math"
	"math/bits"

	"ein/vm/tensor"
)

// Flaw is why a kernel has no answer: a cycle whose weights add up to less than 0,
// or that leaves no order, in the order of its edges, or a path backwards, all of
// whose edges are infinite; a weight that is none; or an edge whose weight is below 0
// where that has no meaning, or 0 where a result could not show it.
type Flaw struct {
	Cycle []int32
	Sum   float64
	NaN   bool
	Edge  []int32 // source and target
	Below float64 // its weight
}

// below is the first edge of a row whose weight is not at least 0.
func below(v int, to []int32, w []float64) Flaw {
	for k, x := range w {
		if !(x >= 0) {
			return Flaw{NaN: x != x, Edge: []int32{int32(v), to[k]}, Below: x}
		}
	}
	return Flaw{}
}

// Shortest sets dst[v] to the least weight of a path from src to v, far where there is
// none. Where signed is false, a negative weight is the flaw, and the search is Dijkstra's; else it is
// that of Bellman and Ford, and the flaw is a cycle of negative weight.
//
// Dijkstra's search keeps the nodes in a heap with four children to a node: at
// 200,000 nodes and 1e6 edges it takes two thirds of the time of one with two.
func Shortest(c *Ctl, dst []float64, g Net, src int, far float64, signed bool) (flaw Flaw) {
	s := g.room
	m := newMeter(c)
	flaw = shortest(&m, dst[:g.n], &g, src, -1, signed, s)
	for v, d := range dst[:g.n] {
		if math.IsInf(d, 1) {
			dst[v] = far
		}
	}
	m.spend(g.n)
	return flaw
}

// shortest is the distances from src: without negative weights those alone that are at
// most that of goal, if it is a node, and other numbers above it.
func shortest(m *meter, dist []float64, g *Net, src, goal int, signed bool, s Scratch) (flaw Flaw) {
	fill(dist, math.Inf(1))
	dist[src] = 0
	m.spend(g.n)
	if signed {
		return bellmanFord(m, dist, g, src, s)
	}
	return dijkstra(m, dist, g, src, goal, s)
}

// ShortestCost bounds Shortest of n nodes, and of edges that take work to go over.
func ShortestCost(n int, work uint64, signed bool) Cost {
	un := uint64(n)
	if signed {
		return NetCost(Cost{Ops: satMul(un+1, tensor.SatAdd(work, un+1)) + 4*un, I: 3 * un, W: uint64(tensor.Words(n))}, n)
	}
	depth := heapDepth(n)
	return NetCost(Cost{Ops: tensor.SatAdd(satMul(work, depth+1), satMul(un, 4*depth+4)), F: un, I: 2 * un}, n)
}

// heapDepth returns the largest number of steps from the root of a heap of n nodes to a leaf.
func heapDepth(n int) uint64 { return uint64(bits.Len(uint(n))+1)/2 + 1 }

// queue is a heap of nodes, the least key first. The keys stand beside the nodes in
// it: to look them up by node takes a fifth more.
type queue struct {
	key  []float64
	heap []int32
	at   []int32 // the place of a node in the heap, from 1; 0 before it was in, -1 after
}

// newQueue makes an empty heap for nodes below n.
func newQueue(n int, s *Scratch) queue {
	q := queue{key: s.takeF(n)[:0], heap: s.takeI(n)[:0], at: s.takeI(n)}
	clear(q.at)
	return q
}

// up puts v, which is new or whose key has become less, in its place.
func (q *queue) up(v int32, key float64) (work int) {
	k := int(q.at[v]) - 1
	if k < 0 {
		k = len(q.heap)
		q.key, q.heap = append(q.key, key), append(q.heap, v)
	}
	for ; k > 0; work++ {
		above := (k - 1) / 4
		if !(key < q.key[above]) {
			break
		}
		q.put(k, q.heap[above], q.key[above])
		k = above
	}
	q.put(k, v, key)
	return work
}

// put puts a node at place k, and notes where it is.
func (q *queue) put(k int, v int32, key float64) {
	q.key[k], q.heap[k], q.at[v] = key, v, int32(k+1)
}

// pop takes out the first node.
func (q *queue) pop() (first int32, work int) {
	first = q.heap[0]
	q.at[first] = -1
	last := len(q.heap) - 1
	v, key := q.heap[last], q.key[last]
	q.key, q.heap = q.key[:last], q.heap[:last]
	if last == 0 {
		return first, 1
	}
	k := 0
	for {
		child := 4*k + 1
		if child >= last {
			break
		}
		keys := q.key[child:min(child+4, last)]
		least, x := 0, keys[0]
		for i, y := range keys {
			if y < x {
				least, x = i, y
			}
		}
		work += 4
		if !(x < key) {
			break
		}
		q.put(k, q.heap[child+least], x)
		k = child + least
	}
	q.put(k, v, key)
	return first, work
}

// dijkstra settles the nearest node in turn. With a goal it stops at the first node farther away
// than that, not at the goal itself: other nodes as near may still lead to it.
func dijkstra(m *meter, dist []float64, g *Net, src, goal int, s Scratch) (flaw Flaw) {
	q := newQueue(g.n, &s)
	q.up(int32(src), 0)
	for len(q.heap) > 0 {
		v, work := q.pop()
		d := dist[v]
		if goal >= 0 && d > dist[goal] {
			break
		}
		if len(q.heap) > 0 {
			g.near(q.heap[0])
		}
		to, w, read := g.row(int(v))
		for k, t := range to {
			x := d + 1
			if w != nil {
				x = d + w[k]
			}
			if x < dist[t] {
				if q.at[t] >= 0 {
					dist[t] = x
					work += q.up(t, x)
				}
			} else if x != x {
				return Flaw{NaN: true}
			}
		}
		m.spend(work + read)
	}
	return flaw
}

// bellmanFord goes over the edges of the nodes whose distance has changed, until there are none.
// After n rounds there would be none, if it were not for a cycle: a path without one has fewer than
// n edges. from leads back to it.
func bellmanFord(m *meter, dist []float64, g *Net, src int, s Scratch) (flaw Flaw) {
	now, next, from, waits := s.I[:g.n], s.I[g.n:2*g.n], s.I[2*g.n:3*g.n], s.W[:tensor.Words(g.n)]
	clear(waits)
	for v := range from {
		from[v] = -1
	}
	now[0] = int32(src)
	count := 1
	for round := 0; count > 0 && round < g.n; round++ {
		later := 0
		for _, v := range now[:count] {
			clearBit(waits, int(v))
			to, w, work := g.row(int(v))
			d := dist[v]
			for k, t := range to {
				x := d + 1
				if w != nil {
					x = d + w[k]
				}
				if x != x || math.IsInf(x, -1) {
					return Flaw{NaN: true}
				}
				if x < dist[t] {
					dist[t], from[t] = x, v
					if bitOf(waits, int(t)) == 0 {
						setBit(waits, int(t))
						next[later] = t
						later++
					}
				}
			}
			m.spend(work)
		}
		now, next, count = next, now, later
	}
	if count == 0 {
		return flaw
	}
	// Whoever changed in the last round was reached through a cycle.
	flaw.Cycle = cycleBefore(from, now[0], next)
	for k, u := range flaw.Cycle {
		to, w, _ := g.row(int(u))
		for e, t := range to {
			if t == flaw.Cycle[(k+1)%len(flaw.Cycle)] && w != nil {
				flaw.Sum += w[e]
			}
		}
	}
	m.spend(2 * g.n)
	return flaw
}

// ShortestPath sets dst[v] to the position of v on one path of the least weight from i
// to j, as Path has it: of all such paths one of the fewest edges, and of these the
// one whose sequence of nodes is lexicographically smallest. It is the path that a
// breadth-first search finds among the edges that a shortest path can take.
func ShortestPath(c *Ctl, dst []float64, g Net, i, j int, signed bool) (flaw Flaw) {
	s := g.room
	m := newMeter(c)
	dist := s.takeF(g.n)
	if flaw = shortest(&m, dist, &g, i, j, signed, s); flaw.NaN || flaw.Cycle != nil {
		return flaw
	}
	fill(dst[:g.n], -1)
	q, from := s.I[:g.n], s.I[g.n:2*g.n]
	for v := range from {
		from[v] = -1
	}
	from[i] = int32(i)
	q[0] = int32(i)
	m.spend(2 * g.n)
	for head, tail := 0, 1; head < tail && from[j] < 0; head++ {
		v := q[head]
		to, w, work := g.row(int(v))
		for k, t := range to {
			x := 1.0
			if w != nil {
				x = w[k]
			}
			if from[t] < 0 && dist[v]+x == dist[t] {
				from[t] = v
				q[tail] = t
				tail++
			}
		}
		m.spend(work)
	}
	if from[j] >= 0 {
		tracePath(dst, q, from, i, j)
	}
	return flaw
}

// ShortestPathCost bounds ShortestPath.
func ShortestPathCost(n int, work uint64, signed bool) Cost {
	c := ShortestCost(n, work, signed)
	c.Ops = tensor.SatAdd(c.Ops, tensor.SatAdd(work, 2*uint64(n)))
	c.F += uint64(n)
	return c
}
