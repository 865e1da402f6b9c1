package graph

import (
	"slices"
	"sort"

	"ein/bench/question/random"
)

// Bernoulli joins each pair of distinct nodes with probability permille/1000:
// each ordered pair of a directed graph, each unordered one of an undirected.
func Bernoulli(s *random.Stream, n int, directed bool, permille int) Graph {
	g := Graph{N: n, Directed: directed}
	for i := range n {
		from := 0
		if !directed {
			from = i + 1
		}
		for j := from; j < n; j++ {
			if i != j && s.Chance(permille, 1000) {
				g.Edges = append(g.Edges, Edge{i, j})
			}
		}
	}
	return g
}

// MaxChildren bounds the out-degree of a Kinship graph.
const MaxChildren = 3

// Kinship returns a family: a DAG from parent to child.
//
// People are born in a random order. The first is a founder, and so is each
// later one with chance 1 in 6; the others get a parent, and with probability
// permille/1000 a second one. A parent is drawn from the people born before who
// have fewer than MaxChildren children. The second is neither an ancestor nor a
// descendant of the first, so that nobody's parent is also their grandparent;
// where no such person is left, there is one parent.
//
// So nobody has more than two parents; there are many more people with a parent
// than founders, so that most families have siblings, and from five people on
// many have cousins; and there are often several founders, so that the line of
// one of them is not everybody.
func Kinship(s *random.Stream, n, permille int) Graph {
	g := Graph{N: n, Directed: true}
	order := s.Perm(n)
	above := make([]Set, n) // ancestors of each person
	children := make([]int, n)
	for born, x := range order {
		above[x] = make(Set, n)
		if born == 0 || s.Chance(1, 6) {
			continue
		}
		first := -1
		for _, second := range []bool{false, true} {
			if second && !s.Chance(permille, 1000) {
				break
			}
			var free []int
			for _, p := range order[:born] {
				if children[p] < MaxChildren && (!second || p != first && !above[p][first] && !above[first][p]) {
					free = append(free, p)
				}
			}
			if len(free) == 0 {
				break
			}
			p := free[s.IntN(len(free))]
			first = p
			children[p]++
			g.Edges = append(g.Edges, Edge{p, x})
			above[x][p] = true
			for a, in := range above[p] {
				above[x][a] = above[x][a] || in
			}
		}
	}
	g.sort()
	return g
}

// PlantTriangles completes k random triples of nodes to triangles, as far as
// there are three nodes; the same triple may come up twice. In a directed graph
// a triangle is a cycle.
func PlantTriangles(s *random.Stream, g *Graph, k int) {
	if g.N < 3 {
		return
	}
	for range k {
		a, b, c := s.IntN(g.N), s.IntN(g.N-1), s.IntN(g.N-2)
		if b >= a {
			b++
		}
		for _, taken := range []int{min(a, b), max(a, b)} {
			if c >= taken {
				c++
			}
		}
		for _, e := range []Edge{{a, b}, {b, c}, {c, a}} {
			if !g.Directed && e.From > e.To {
				e = Edge{e.To, e.From}
			}
			g.Edges = append(g.Edges, e)
		}
	}
	g.sort()
}

// sort puts the edges in their order and drops repeated ones.
func (g *Graph) sort() {
	sort.Sort(Edges(g.Edges))
	g.Edges = slices.Compact(g.Edges)
}

// Sparse draws about permille/1000 of the pairs of nodes, each ordered pair of a
// directed graph or each unordered one of an undirected. The nodes stand in a
// hidden order, and an edge spans at most so many places in it: the fewer, the
// longer are the paths. The edges come in no order.
func Sparse(s *random.Stream, n int, directed bool, permille, span int) []Edge {
	pairs := n * (n - 1)
	if !directed {
		pairs /= 2
	}
	span = min(span, n-1)
	most := span * (2*n - span - 1) // ordered pairs within the span
	if !directed {
		most /= 2
	}
	// The remainder of the division is the chance of one edge more, so that small graphs have the
	// density on average.
	want := pairs * permille
	m := want / 1000
	if s.Chance(want%1000, 1000) {
		m++
	}
	m = min(m, most)
	var room [MaxNet]int
	order := s.PermOf(room[:n])
	edges := make([]Edge, 0, m)
	var there [MaxNet]Bits
	// This ends: m is at most the number of pairs within the span, and each of them comes up again
	// and again.
	for len(edges) < m {
		i, d := s.IntN(n), 1+s.IntN(span)
		if s.Chance(1, 2) {
			d = -d
		}
		if i+d < 0 || i+d >= n {
			continue
		}
		e := Edge{order[i], order[i+d]}
		if there[e.From].Has(e.To) || !directed && there[e.To].Has(e.From) {
			continue
		}
		there[e.From] = there[e.From].With(e.To)
		edges = append(edges, e)
	}
	return edges
}

// Family is Kinship with a parent drawn from the last few who were born, so
// that there are more generations the fewer they are.
func Family(s *random.Stream, n, permille, span int) []Edge {
	var room [MaxNet]int
	order := s.PermOf(room[:n])
	var above [MaxNet]Bits
	var children, free [MaxNet]int
	edges := make([]Edge, 0, 2*n)
	for born, x := range order {
		if born == 0 || s.Chance(1, 6) {
			continue
		}
		first := x
		for second := range 2 {
			if second == 1 && !s.Chance(permille, 1000) {
				break
			}
			k := 0
			for _, p := range order[max(0, born-span):born] {
				// Of two parents none is above the other, so above[x] is that of the first and the first.
				if children[p] < MaxChildren && !above[x].Has(p) && !above[p].Has(first) {
					free[k] = p
					k++
				}
			}
			if k == 0 {
				break
			}
			first = free[s.IntN(k)]
			children[first]++
			edges = append(edges, Edge{first, x})
			above[x] = above[x].Or(above[first]).With(first)
		}
	}
	return edges
}

// Parts is Sparse in so many parts of about the same size, with no edges between
// them and as many edges for each node as one part would have.
func Parts(s *random.Stream, n, parts int, directed bool, permille, span int) []Edge {
	var room [MaxNet]int
	order := s.PermOf(room[:n])
	var edges []Edge
	for p, from := 0, 0; p < parts; p++ {
		size := (n - from) / (parts - p)
		for _, e := range Sparse(s, size, directed, min(1000, permille*(n-1)/max(1, size-1)), span) {
			edges = append(edges, Edge{order[from+e.From], order[from+e.To]})
		}
		from += size
	}
	return edges
}
