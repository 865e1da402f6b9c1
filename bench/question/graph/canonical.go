package graph

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"ein/internal/lists"
)

// exhaustive is the number of nodes up to which Canonical searches without a
// bound. Only graphs with great symmetry need much searching, and of so few
// nodes none takes long.
const exhaustive = 12

// Canonical returns a form of one or two coloured graphs on the same nodes; g2 and colors may be
// nil. Isomorphic graphs, which a renumbering of the nodes makes equal in edges and colours, have
// the same form. Up to 12 nodes only they do. Beyond, other graphs may share a form if refinement
// cannot tell their nodes apart, which is rare for random graphs; the last bit of the form is then
// 1. So questions with different forms are never isomorphic, on which proofs of disjointness rest,
// and the search always ends.
//
// The form decides forever which side a question of cb2 is on, so
// bench/question/instance/testdata/README.md defines it to the byte.
func Canonical(g, g2 *Graph, colors []int) [32]byte {
	c := newCanon(g, g2, colors)
	p := c.start()
	var shape []byte
	var inexact byte
	switch {
	case c.n <= exhaustive:
		c.search(p, nil)
		shape = c.best.certificate
	case c.twins(p):
		shape = c.certificate(p)
	default:
		inexact = 1
		shape = c.invariant(p)
	}

	h := sha256.New()
	put := func(x int) {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], uint64(x))
		h.Write(word[:])
	}
	put(c.n)
	put(c.kind)
	for _, x := range p.order {
		put(c.colors[x])
	}
	h.Write(shape)
	form := [32]byte(h.Sum(nil))
	form[31] = form[31]&^1 | inexact
	return form
}

// canon is the search for a canonical form: colour refinement, and where that
// does not tell the nodes apart, trying the nodes of a cell in turn, as nauty
// does. The form is the least certificate of all numberings that are tried.
type canon struct {
	n, kind int
	colors  []int
	arc     []byte  // how each pair is joined: 4 bits, for both graphs and directions
	near    [][]int // the nodes that each is joined to

	first, best leaf
	moves       [][]int    // automorphisms found
	keys        [][]uint64 // what refine last saw of each node
	leaves      int
}

// leaf is a numbering that the search reached.
type leaf struct {
	path        []int // the nodes that were singled out
	order       []int
	certificate []byte
}

// partition is an ordered list of cells. A node's cell is known by the position
// in order of the first node of the cell.
type partition struct{ order, cell []int }

// newCanon describes each pair by four bits: there and back in the first graph, then in the second.
func newCanon(g, g2 *Graph, colors []int) *canon {
	n := g.N
	c := &canon{n: n, colors: colors, arc: make([]byte, n*n), near: make([][]int, n), keys: make([][]uint64, n)}
	if colors == nil {
		c.colors = make([]int, n)
	}
	for i, h := range []*Graph{g, g2} {
		if h == nil {
			continue
		}
		out, in := byte(1)<<(2*i), byte(2)<<(2*i)
		c.kind |= int(out)
		if h.Directed {
			c.kind |= int(in)
		}
		for _, e := range h.Arcs() {
			c.arc[e.From*n+e.To] |= out
			c.arc[e.To*n+e.From] |= in
		}
	}
	var near []int
	for x := range n {
		from := len(near)
		for y, a := range c.arc[x*n : (x+1)*n] {
			if a != 0 {
				near = append(near, y)
			}
		}
		c.near[x] = near[from:]
	}
	keys := make([]uint64, len(near))
	for x, near := range c.near {
		c.keys[x], keys = keys[:len(near)], keys[len(near):]
	}
	return c
}

// start returns the partition by colour, refined.
func (c *canon) start() partition {
	p := partition{lists.Upto(c.n), make([]int, c.n)}
	slices.SortFunc(p.order, func(x, y int) int { return cmp.Compare(c.colors[x], c.colors[y]) })
	for i, x := range p.order {
		p.cell[x] = i
		if i > 0 && c.colors[x] == c.colors[p.order[i-1]] {
			p.cell[x] = p.cell[p.order[i-1]]
		}
	}
	c.refine(p)
	return p
}

// end returns the position behind the cell that begins at i.
func (p partition) end(i int) int {
	j := i + 1
	for j < len(p.order) && p.cell[p.order[j]] == i {
		j++
	}
	return j
}

// open returns the position of the first cell with several nodes, or -1.
func (p partition) open() int {
	for i := 0; i < len(p.order); {
		j := p.end(i)
		if j > i+1 {
			return i
		}
		i = j
	}
	return -1
}

// refine splits cells until all nodes of a cell have the same edges to every cell: colour
// refinement, the first step of Weisfeiler and Leman. New cells are ordered by what their nodes see
// and never by the numbers of these, so isomorphic graphs are split alike.
func (c *canon) refine(p partition) {
	for split := true; split; {
		split = false
		for x := range c.n {
			keys := c.keys[x][:0]
			for _, y := range c.near[x] {
				keys = append(keys, uint64(p.cell[y])<<4|uint64(c.arc[x*c.n+y]))
			}
			slices.Sort(keys)
			c.keys[x] = keys
		}
		for i, j := 0, 0; i < c.n; i = j {
			j = p.end(i)
			nodes := p.order[i:j]
			slices.SortFunc(nodes, func(x, y int) int { return slices.Compare(c.keys[x], c.keys[y]) })
			for k := 1; k < len(nodes); k++ {
				if slices.Equal(c.keys[nodes[k]], c.keys[nodes[k-1]]) {
					p.cell[nodes[k]] = p.cell[nodes[k-1]]
				} else {
					p.cell[nodes[k]] = i + k
					split = true
				}
			}
		}
	}
}

// single returns the partition in which x comes before the others of its cell.
func (c *canon) single(p partition, x int) partition {
	p = partition{slices.Clone(p.order), slices.Clone(p.cell)}
	i := p.cell[x]
	nodes := p.order[i:p.end(i)]
	at := slices.Index(nodes, x)
	nodes[0], nodes[at] = nodes[at], nodes[0]
	for _, y := range nodes[1:] {
		p.cell[y] = i + 1
	}
	c.refine(p)
	return p
}

// search tries the numberings that refine a partition, which is reached by
// singling out the nodes of a path. It returns how much of the path is worth
// going on from: less than all of it when the whole branch turned out to be the
// image of one that was searched before.
func (c *canon) search(p partition, path []int) int {
	i := p.open()
	if i < 0 {
		return c.leaf(p, path)
	}
	var tried []int
	for _, x := range slices.Clone(p.order[i:p.end(i)]) {
		if c.image(path, tried, x) {
			continue
		}
		if back := c.search(c.single(p, x), append(slices.Clip(path), x)); back < len(path) {
			return back
		}
		tried = append(tried, x)
	}
	return len(path)
}

// leaf compares a numbering with the first and the best, and says at which depth to go on. An equal
// certificate is an automorphism: all below the fork is an image of what was seen. No path of a
// leaf begins that of another, so two of them part before either ends.
func (c *canon) leaf(p partition, path []int) int {
	c.leaves++
	l := leaf{path, p.order, c.certificate(p)}
	if c.leaves == 1 {
		c.first, c.best = l, l
		return len(path)
	}
	for _, known := range []*leaf{&c.first, &c.best} {
		if bytes.Equal(known.certificate, l.certificate) {
			move := make([]int, c.n)
			for i, x := range known.order {
				move[x] = l.order[i]
			}
			c.moves = append(c.moves, move)
			common := 0
			for known.path[common] == path[common] {
				common++
			}
			return common
		}
	}
	if bytes.Compare(l.certificate, c.best.certificate) < 0 {
		c.best = l
	}
	return len(path)
}

// image reports whether the automorphisms found that fix a path take a node that
// was tried to x.
func (c *canon) image(path, tried []int, x int) bool {
	if len(tried) == 0 {
		return false
	}
	orbit := lists.Upto(c.n)
	find := func(y int) int {
		for orbit[y] != y {
			y = orbit[y]
		}
		return y
	}
	for _, move := range c.moves {
		if !slices.ContainsFunc(path, func(y int) bool { return move[y] != y }) {
			for y, z := range move {
				orbit[find(y)] = find(z)
			}
		}
	}
	return slices.ContainsFunc(tried, func(y int) bool { return find(y) == find(x) })
}

// twins reports whether the nodes of each cell can be swapped for one another,
// so that all numberings that refine the partition have the same certificate.
func (c *canon) twins(p partition) bool {
	for i, j := 0, 0; i < c.n; i = j {
		j = p.end(i)
		x := p.order[i]
		for _, y := range p.order[i+1 : j] {
			if c.arc[x*c.n+y] != c.arc[y*c.n+x] {
				return false
			}
			for z := range c.n {
				if z != x && z != y && c.arc[x*c.n+z] != c.arc[y*c.n+z] {
					return false
				}
			}
		}
	}
	return true
}

// certificate returns the edges between the nodes, in the order of a partition.
func (c *canon) certificate(p partition) []byte {
	b := make([]byte, 0, c.n*(c.n-1)/2)
	for i, x := range p.order {
		for _, y := range p.order[i+1:] {
			b = append(b, c.arc[x*c.n+y]) // has the other direction in it
		}
	}
	return b
}

// invariant returns the edges between the cells of a partition that was just refined.
func (c *canon) invariant(p partition) []byte {
	var b []byte
	for i := 0; i < c.n; i = p.end(i) {
		keys := c.keys[p.order[i]]
		b = binary.BigEndian.AppendUint64(b, uint64(i))
		b = binary.BigEndian.AppendUint64(b, uint64(len(keys)))
		for _, k := range keys {
			b = binary.BigEndian.AppendUint64(b, k)
		}
	}
	return b
}
