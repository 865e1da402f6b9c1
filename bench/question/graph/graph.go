// Package graph draws the benchmark's graphs.
//
// A [Graph] is a sorted list of edges, as it is published; a [Net] has the same as bit sets, for
// fast changes and searches, of at most [MaxNet] nodes. [Blocks] put every node into a block, so
// that what a node reaches, and in how many hops, follows from the blocks whatever the edges are.
// [Facts] are the properties that decide whether a question makes sense. [Canonical] gives a form
// that is equal for isomorphic questions.
//
// [Bernoulli], [Kinship] and [PlantTriangles] draw the graphs of the first generator, [Sparse],
// [Family], [Parts] and [Net.Lay] those of the second. What each takes from its [random.Stream],
// and in which order, decides questions that are published: a draw is never changed, not even to
// one of the same distribution.
//
// The package shares no code with the kernels that compute the answers, so that each checks the
// other.
package graph

import (
	"slices"
	"sort"
)

// Edge is a pair of nodes.
type Edge struct{ From, To int }

// Edges can be sorted, by source and then by target. A generic sort would be a copy of the library's
// for this type alone, of 7 KB.
type Edges []Edge

func (l Edges) Len() int      { return len(l) }
func (l Edges) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l Edges) Less(i, j int) bool {
	return l[i].From < l[j].From || l[i].From == l[j].From && l[i].To < l[j].To
}

// Graph is a simple graph on the nodes 0..N-1 without self-loops. Edges are
// sorted and distinct; an undirected graph has each edge once, with From < To.
type Graph struct {
	N        int
	Directed bool
	Edges    []Edge
}

// Arcs returns the edges in every direction they can be followed: Edges, and for an
// undirected graph their reverses, sorted.
func (g *Graph) Arcs() []Edge {
	if g.Directed {
		return g.Edges
	}
	arcs := slices.Clone(g.Edges)
	for _, e := range g.Edges {
		arcs = append(arcs, Edge{e.To, e.From})
	}
	sort.Sort(Edges(arcs))
	return arcs
}
