package graph

// Set is a set of nodes: whether each is in it.
type Set []bool

// Len returns the number of nodes in the set.
func (s Set) Len() int {
	n := 0
	for _, in := range s {
		if in {
			n++
		}
	}
	return n
}

// Facts answers questions about one graph, an undirected one read as having
// each edge in both directions. It is made for choosing good questions, not for
// answering them: searches are plain, and none of them is the machine's.
type Facts struct {
	n        int
	out, in  [][]int // increasing
	adjacent []Set
}

// Facts reads a graph.
func (g *Graph) Facts() *Facts {
	f := &Facts{n: g.N, out: make([][]int, g.N), in: make([][]int, g.N), adjacent: make([]Set, g.N)}
	cells := make(Set, g.N*g.N)
	for i := range f.adjacent {
		f.adjacent[i] = cells[i*g.N : (i+1)*g.N]
	}
	for _, e := range g.Arcs() {
		f.out[e.From] = append(f.out[e.From], e.To)
		f.in[e.To] = append(f.in[e.To], e.From)
		f.adjacent[e.From][e.To] = true
	}
	return f
}

// OutDegree returns the number of edges that leave x.
func (f *Facts) OutDegree(x int) int { return len(f.out[x]) }

// InDegree returns the number of edges that enter x.
func (f *Facts) InDegree(x int) int { return len(f.in[x]) }

// Parents returns the nodes with an edge to x, in a family the parents of x.
func (f *Facts) Parents(x int) Set { return f.SetOf(f.in[x]) }

// Children returns the nodes with an edge from x.
func (f *Facts) Children(x int) Set { return f.SetOf(f.out[x]) }

// Reach returns the nodes that x reaches, without x.
func (f *Facts) Reach(x int) Set { return search(f.out, x) }

// Ancestors returns the nodes that reach x, without x.
func (f *Facts) Ancestors(x int) Set { return search(f.in, x) }

// search leaves x out, also where x is on a cycle.
func search(next [][]int, x int) Set {
	seen := make(Set, len(next))
	seen[x] = true
	queue := append(make([]int, 0, len(next)), x)
	for i := 0; i < len(queue) && len(queue) < len(next); i++ {
		for _, y := range next[queue[i]] {
			if !seen[y] {
				seen[y] = true
				queue = append(queue, y)
			}
		}
	}
	seen[x] = false
	return seen
}

// Component returns the strongly connected component of x, with x.
func (f *Facts) Component(x int) Set {
	c, back := f.Reach(x), f.Ancestors(x)
	for y := range c {
		c[y] = c[y] && back[y]
	}
	c[x] = true
	return c
}

// Grandparents returns the parents of parents of x.
func (f *Facts) Grandparents(x int) Set { return f.step(f.in, f.Parents(x)) }

// Grandchildren returns the children of children of x.
func (f *Facts) Grandchildren(x int) Set { return f.step(f.out, f.Children(x)) }

// Siblings returns the nodes other than x that share a parent with x.
func (f *Facts) Siblings(x int) Set {
	s := f.step(f.out, f.Parents(x))
	s[x] = false
	return s
}

// Cousins returns the nodes other than x that share a grandparent with x, and no
// parent.
func (f *Facts) Cousins(x int) Set {
	c := f.step(f.out, f.step(f.out, f.Grandparents(x)))
	for y, sibling := range f.Siblings(x) {
		c[y] = c[y] && !sibling && y != x
	}
	return c
}

// SetOf returns the set of the listed nodes.
func (f *Facts) SetOf(nodes []int) Set {
	s := make(Set, f.n)
	for _, x := range nodes {
		s[x] = true
	}
	return s
}

// step returns the nodes that an edge of next leads to from a node of the set.
func (f *Facts) step(next [][]int, from Set) Set {
	to := make(Set, f.n)
	for x, in := range from {
		if in {
			for _, y := range next[x] {
				to[y] = true
			}
		}
	}
	return to
}

// Triangles returns the number of triples of nodes in the set, each joined to the
// others, of an undirected graph.
func (f *Facts) Triangles(in Set) int {
	n := 0
	for x := range f.n {
		for i, y := range f.out[x] {
			if y < x || !in[x] || !in[y] {
				continue
			}
			for _, z := range f.out[x][i+1:] {
				if in[z] && f.adjacent[y][z] {
					n++
				}
			}
		}
	}
	return n
}
