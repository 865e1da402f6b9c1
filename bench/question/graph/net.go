package graph

import (
	"math/bits"

	"ein/bench/question/random"
)

// MaxNet is the most nodes of a Net.
const MaxNet = 128

// Bits is a set of nodes of a Net. It is a value: == compares sets. It is no array,
// which the compiler would keep in memory.
type Bits struct{ Low, High uint64 }

// Bit returns the set of one node.
func Bit(x int) Bits { return Bits{}.With(x) }

// All returns the set of the first n nodes.
func All(n int) Bits { return Bits{1<<n - 1, 1<<max(0, n-64) - 1} }

// Has reports whether x is in the set. A shift by 64 or more gives 0, and uint(x)-64 is huge for an
// x below 64: so one of the words drops out, without a branch.
func (b Bits) Has(x int) bool { return (b.Low>>x|b.High>>(uint(x)-64))&1 == 1 }

// With returns the set and x.
func (b Bits) With(x int) Bits { return b.Or(Bits{1 << x, 1 << (uint(x) - 64)}) }

// Less returns the set without x.
func (b Bits) Less(x int) Bits { return b.Minus(Bits{1 << x, 1 << (uint(x) - 64)}) }

// And returns the intersection.
func (b Bits) And(c Bits) Bits { return Bits{b.Low & c.Low, b.High & c.High} }

// Or returns the union.
func (b Bits) Or(c Bits) Bits { return Bits{b.Low | c.Low, b.High | c.High} }

// Minus returns what is in b and not in c.
func (b Bits) Minus(c Bits) Bits { return Bits{b.Low &^ c.Low, b.High &^ c.High} }

// Xor returns what is in exactly one of the sets.
func (b Bits) Xor(c Bits) Bits { return Bits{b.Low ^ c.Low, b.High ^ c.High} }

// Len returns the number of nodes in the set.
func (b Bits) Len() int { return bits.OnesCount64(b.Low) + bits.OnesCount64(b.High) }

// First returns the lowest node of a set that has one.
func (b Bits) First() int {
	if b.Low != 0 {
		return bits.TrailingZeros64(b.Low)
	}
	return 64 + bits.TrailingZeros64(b.High)
}

// Net is a graph made for many small changes and searches: every row a set. Arcs has each edge
// once, in no order; Out and In have an edge of an undirected graph in both directions.
type Net struct {
	N        int
	Directed bool
	Arcs     []Edge
	Out, In  [MaxNet]Bits
}

// Reset makes it the graph of some edges, each once, in any order. It keeps them.
func (g *Net) Reset(n int, directed bool, arcs []Edge) {
	g.N, g.Directed, g.Arcs = n, directed, arcs
	clear(g.Out[:n])
	clear(g.In[:n])
	for _, e := range arcs {
		g.flip(e)
	}
}

// flip puts an edge that is not there and takes one that is.
func (g *Net) flip(e Edge) {
	from, to := Bit(e.From), Bit(e.To)
	g.Out[e.From] = g.Out[e.From].Xor(to)
	g.In[e.To] = g.In[e.To].Xor(from)
	if !g.Directed {
		g.Out[e.To] = g.Out[e.To].Xor(from)
		g.In[e.From] = g.In[e.From].Xor(to)
	}
}

// Graph is the same graph as others know it.
func (g *Net) Graph() Graph {
	out := Graph{N: g.N, Directed: g.Directed, Edges: make([]Edge, len(g.Arcs))}
	for i, e := range g.Arcs {
		if !g.Directed && e.From > e.To {
			e = Edge{e.To, e.From}
		}
		out.Edges[i] = e
	}
	out.sort()
	return out
}

// Reach returns the nodes that one of from reaches, from among them, by at most so many hops, or,
// back, that reach it; and how many hops are needed until there is nothing new, or until goal is
// reached, -1 being none.
func (g *Net) Reach(from Bits, goal, hops int, back bool) (seen Bits, depth int) {
	seen = from
	for front := from; depth < hops && (goal < 0 || !seen.Has(goal)); depth++ {
		if front = g.Step(front, back).Minus(seen); front == (Bits{}) {
			break
		}
		seen = seen.Or(front)
	}
	return seen, depth
}

// Step returns the nodes one edge on from a set, or one edge back.
func (g *Net) Step(from Bits, back bool) (to Bits) {
	rows := &g.Out
	if back {
		rows = &g.In
	}
	for w := from.Low; w != 0; w &= w - 1 {
		to = to.Or(rows[bits.TrailingZeros64(w)])
	}
	for w := from.High; w != 0; w &= w - 1 {
		to = to.Or(rows[64+bits.TrailingZeros64(w)&63]) // below 128, as the compiler sees by the mask
	}
	return to
}

// Triangles returns the number of triples of nodes of the set, each joined to the
// others, of an undirected graph.
func (g *Net) Triangles(in Bits) int {
	n := 0
	for _, e := range g.Arcs {
		if in.Has(e.From) && in.Has(e.To) {
			n += g.Out[e.From].And(g.Out[e.To]).And(in).Len()
		}
	}
	return n / 3
}

// Swap exchanges the targets of two random edges, when that gives a simple
// graph that ok, which may be nil, does not refuse. Every node keeps its degrees,
// so that a text about the graph keeps its length and every node its mentions.
func (g *Net) Swap(s *random.Stream, ok func() bool) bool {
	if len(g.Arcs) < 2 {
		return false
	}
	i, j, turned := g.Pick(s)
	a, b := g.Arcs[i], g.Arcs[j]
	if turned {
		b = Edge{b.To, b.From}
	}
	c, d := Edge{a.From, b.To}, Edge{b.From, a.To}
	if c.From == c.To || d.From == d.To || g.Out[c.From].Has(c.To) || g.Out[d.From].Has(d.To) {
		return false
	}
	flip := func() {
		g.flip(a)
		g.flip(b)
		g.flip(c)
		g.flip(d)
	}
	flip()
	g.Arcs[i], g.Arcs[j] = c, d
	if ok != nil && !ok() {
		flip()
		g.Arcs[i], g.Arcs[j] = a, b
		return false
	}
	return true
}

// Pick draws which edges Swap exchanges, if there are two, and whether the second,
// of an undirected graph, is read backwards.
func (g *Net) Pick(s *random.Stream) (i, j int, turned bool) {
	if len(g.Arcs) < 2 {
		return 0, 0, false
	}
	i, j = s.IntN(len(g.Arcs)), s.IntN(len(g.Arcs)-1)
	if j >= i {
		j++
	}
	return i, j, !g.Directed && s.Chance(1, 2)
}

// Move gives a random edge another source or another target. Only the number of
// edges stays.
func (g *Net) Move(s *random.Stream) bool {
	if len(g.Arcs) == 0 {
		return false
	}
	i, x := s.IntN(len(g.Arcs)), s.IntN(g.N)
	a := g.Arcs[i]
	c := Edge{a.From, x}
	if s.Chance(1, 2) {
		c = Edge{x, a.To}
	}
	if c.From == c.To || g.Out[c.From].Has(c.To) {
		return false
	}
	g.flip(a)
	g.flip(c)
	g.Arcs[i] = c
	return true
}

// IsFamily reports whether the graph is one that Kinship could have drawn: nobody has too many
// children or parents or is their own ancestor, and of two parents neither is an ancestor of the
// other.
func (g *Net) IsFamily() bool {
	for x := range g.N {
		if g.Out[x].Len() > MaxChildren {
			return false
		}
		parents := g.In[x]
		if parents == (Bits{}) {
			continue
		}
		if parents.Len() > 2 {
			return false
		}
		above, _ := g.Reach(g.Step(parents, true), -1, g.N, true)
		if above.Has(x) || above.And(parents) != (Bits{}) {
			return false
		}
	}
	return true
}
