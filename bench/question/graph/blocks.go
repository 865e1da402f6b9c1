package graph

import (
	"math/bits"
	"slices"

	"ein/bench/question/random"
)

// Blocks says how the nodes of a Net hang together. Every node is in a block; so
// what is reached from where, and in how many hops, follows from the blocks
// alone, whatever the edges are.
type Blocks struct {
	Size []int    // nodes of each block
	To   []uint64 // the blocks that edges of a block may lead to, as bits
	Near []uint64 // where three of four further edges lead, if there is room
	// To use the lists of these two again was tried, and is no faster.
	Need [][]uint64 // each node of the block gets an edge from each of these sets of blocks
	Give [][]uint64 // and has one to each of these

	Order  []int // the nodes, block by block; nil is any
	Family bool  // edges are those of a family
	Plain  bool  // three nodes that are joined to one another are avoided

	of    [MaxNet]uint8 // the block of each node
	nodes []Bits        // and the nodes of each
	order []int         // for Order, where that is nil
}

// Reset leaves no blocks.
func (p *Blocks) Reset() {
	*p = Blocks{Size: p.Size[:0], To: p.To[:0], Near: p.Near[:0], Need: p.Need[:0], Give: p.Give[:0], nodes: p.nodes, order: p.order}
}

// Block adds a block of so many nodes, and says which it is. Where it is called two dozen
// copies of it would be 20 KB.
//
//go:noinline
func (p *Blocks) Block(size int) int {
	p.Size, p.To, p.Near = append(p.Size, size), append(p.To, 0), append(p.Near, 0)
	p.Need, p.Give = append(p.Need, nil), append(p.Give, nil)
	return len(p.Size) - 1
}

// Mask returns a set of blocks.
func Mask(blocks ...int) (m uint64) {
	for _, b := range blocks {
		m |= 1 << b
	}
	return m
}

// Nodes returns the nodes of a set of blocks.
func (p *Blocks) Nodes(blocks uint64) (b Bits) {
	for ; blocks != 0; blocks &= blocks - 1 {
		b = b.Or(p.nodes[bits.TrailingZeros64(blocks)])
	}
	return b
}

// Of returns the block of a node.
func (p *Blocks) Of(x int) int { return int(p.of[x]) }

// One returns a random node of a set that has one.
func (b Bits) One(s *random.Stream) int {
	k := s.IntN(b.Len())
	w, at := b.Low, 0
	if low := bits.OnesCount64(w); k >= low {
		k, w, at = k-low, b.High, 64
	}
	for ; k > 0; k-- {
		w &= w - 1
	}
	return at + bits.TrailingZeros64(w)
}

// Lay makes it a graph of some blocks, with about so many edges: fewer where there is no room, more
// where the blocks need them. It reports false when an edge that is needed cannot be had. Edges
// that the blocks need come first, and only then the others, which must not take the room of those.
func (g *Net) Lay(s *random.Stream, p *Blocks, directed bool, edges int) bool {
	n := 0
	for _, size := range p.Size {
		n += size
	}
	g.Reset(n, directed, g.Arcs[:0])
	order := p.Order
	if order == nil {
		p.order = slices.Grow(p.order[:0], n)[:n]
		order = s.PermOf(p.order)
	}
	p.nodes = p.nodes[:0]
	for b, i := 0, 0; b < len(p.Size); b++ {
		p.nodes = append(p.nodes, Bits{})
		for range p.Size[b] {
			x := order[i]
			p.of[x] = uint8(b)
			p.nodes[b] = p.nodes[b].With(x)
			i++
		}
	}
	// First who is led to, then who leads there.
	for b := range p.Size {
		if !g.need(s, p, p.nodes[b], p.Need[b], true) || b > 0 && !g.need(s, p, p.nodes[b-1], p.Give[b-1], false) {
			return false
		}
	}
	if last := len(p.Size) - 1; !g.need(s, p, p.nodes[last], p.Give[last], false) {
		return false
	}
	g.Fill(s, p, edges)
	return true
}

// need gives each of some nodes an edge to each of some sets of blocks that it has
// none to, or, back, one from there.
func (g *Net) need(s *random.Stream, p *Blocks, nodes Bits, sets []uint64, back bool) bool {
	for ; nodes != (Bits{}); nodes = nodes.Less(nodes.First()) {
		x := nodes.First()
		has := &g.Out[x]
		if back {
			has = &g.In[x]
		}
		for _, set := range sets {
			if free := p.Nodes(set); free.And(*has) == (Bits{}) && !g.join(s, p, x, free, back) {
				return false
			}
		}
	}
	return true
}

// Fill adds edges as the blocks allow until there are so many, or no more are found.
// Their sources are drawn first, so that degrees depend on the blocks as little as can be.
func (g *Net) Fill(s *random.Stream, p *Blocks, edges int) {
	for tries := 8 * g.N; tries > 0 && len(g.Arcs) < edges; tries-- {
		x := s.IntN(g.N)
		b := p.of[x]
		if p.full(g.Out[x].Len(), MaxChildren) {
			continue
		}
		nodes := p.Nodes(p.To[b])
		if near := p.Nodes(p.Near[b]); near != (Bits{}) && s.Chance(3, 4) {
			nodes = near
		}
		if g.join(s, p, x, nodes, false) && p.Family && !g.IsFamily() {
			last := len(g.Arcs) - 1
			g.flip(g.Arcs[last])
			g.Arcs = g.Arcs[:last]
		}
	}
}

// full reports whether a node has all the edges that it may have, one way.
func (p *Blocks) full(has, most int) bool { return p.Family && has >= most }

// join adds an edge from x to one of some nodes, or, back, to x.
func (g *Net) join(s *random.Stream, p *Blocks, x int, nodes Bits, back bool) bool {
	if nodes = nodes.Less(x); back {
		nodes = nodes.Minus(g.In[x])
	} else {
		nodes = nodes.Minus(g.Out[x])
	}
	if p.Family || p.Plain {
		for b := nodes; b != (Bits{}); b = b.Less(b.First()) {
			y := b.First()
			no := p.Plain && g.Out[x].And(g.Out[y]) != (Bits{})
			if back {
				no = no || p.full(g.Out[y].Len(), MaxChildren)
			} else {
				no = no || p.full(g.In[y].Len(), 2)
			}
			if no {
				nodes = nodes.Less(y)
			}
		}
	}
	if nodes == (Bits{}) {
		return false
	}
	e := Edge{x, nodes.One(s)}
	if back {
		e.From, e.To = e.To, e.From
	}
	g.Add(e)
	return true
}

// Add adds an edge that is not there.
func (g *Net) Add(e Edge) {
	g.flip(e)
	g.Arcs = append(g.Arcs, e)
}
