package verdict

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/internal/lists"
	"ein/lang"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Edge is a pair of node numbers.
type Edge = [2]int

// arcs is a set of edges, in order.
type arcs []Edge

func (a arcs) Len() int           { return len(a) }
func (a arcs) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a arcs) Less(i, j int) bool { return order(a[i], a[j]) < 0 }

func order(a, b Edge) int {
	if a[0] != b[0] {
		return a[0] - b[0]
	}
	return a[1] - b[1]
}

// arcsOf returns the set of the edges of a list; it reuses the list's memory.
func arcsOf(list []Edge) arcs {
	sort.Sort(arcs(list)) // as graph.Edges are
	return slices.Compact(list)
}

// has reports whether an edge is among sorted ones.
func (a arcs) has(e Edge) bool {
	_, ok := slices.BinarySearchFunc(a, e, order)
	return ok
}

// are reports whether the edges are trueArcs, which it does not make.
func (a arcs) are(g *graph.Graph) bool {
	if g.Directed {
		return slices.EqualFunc(a, g.Edges, func(e Edge, f graph.Edge) bool { return e == Edge{f.From, f.To} })
	}
	return len(a) == 2*len(g.Edges) && !slices.ContainsFunc(g.Edges, func(f graph.Edge) bool {
		return !a.has(Edge{f.From, f.To}) || !a.has(Edge{f.To, f.From})
	})
}

// with returns the set with an edge if there is true, else without it.
func (a arcs) with(e Edge, there bool) arcs {
	i, ok := slices.BinarySearchFunc(a, e, order)
	switch {
	case ok == there:
		return a
	case there:
		return slices.Insert(slices.Clip(a), i, e)
	}
	return slices.Concat(a[:i], a[i+1:])
}

// literal is a graph written out in a program.
type literal struct {
	span  source.Span
	name  string // that it is assigned to, or ""
	nodes int    // as stated; or one of the two below
	line  int
	edges arcs
}

// The number of nodes may follow from the edges, or be computed, in which case it says nothing
// about the reading of the graph.
const (
	inferred = -1
	computed = -2
)

// literals finds the graphs in a program, in order: the calls of edges and adj,
// and square matrices of 0 and 1 over n nodes.
func literals(f *syntax.File, n int) []literal {
	var found []literal
	name := ""
	visit := func(node syntax.Node) bool {
		var l literal
		ok := false
		switch x := node.(type) {
		case *syntax.Call:
			l, ok = call(x)
		case *syntax.List:
			l.edges, ok = matrix(x)
			l.nodes = x.Len()
			ok = ok && l.nodes == n
		}
		if ok {
			l.span, l.name = node.Pos(), name
			found = append(found, l)
		}
		return !ok
	}
	for _, s := range f.Stmts {
		name = ""
		if a, ok := s.(*syntax.Assign); ok {
			name = a.Name.Name
		}
		syntax.WalkAll(s, visit)
	}
	return found
}

// call returns a call of edges or adj that the checker accepted.
func call(x *syntax.Call) (literal, bool) {
	if x.Fun.Name != "edges" && x.Fun.Name != "adj" || len(x.Args) == 0 {
		return literal{}, false
	}
	list, ok := x.Args[0].Value.(*syntax.List)
	if !ok {
		return literal{}, false
	}
	l := literal{nodes: inferred}
	if len(x.Args) > 1 {
		l.nodes = computed
		if n, ok := x.Args[1].Value.(*syntax.Number); ok {
			l.nodes = int(n.Value)
		}
	}
	if x.Fun.Name == "edges" {
		if l.edges, ok = pairs(list); ok {
			return l, true
		}
	}
	l.edges, ok = matrix(list)
	l.nodes = list.Len()
	return l, ok
}

// pairs returns a list of pairs. As edges reads it, rows all of length 2 are pairs.
func pairs(list *syntax.List) (arcs, bool) {
	all, width, ok := numbers(list)
	if !ok || list.Len() > 0 && width != 2 {
		return nil, false
	}
	edges := make([]Edge, len(all)/2)
	for i := range edges {
		edges[i] = Edge{int(all[2*i]), int(all[2*i+1])}
	}
	return arcsOf(edges), true
}

// matrix accepts square lists of 0 and 1 with at least two rows; [[0]] may be anything.
func matrix(list *syntax.List) (arcs, bool) {
	all, n, ok := numbers(list)
	if !ok || n < 2 || n != list.Len() {
		return nil, false
	}
	var set arcs
	for i, x := range all {
		switch x {
		case 0:
		case 1:
			set = append(set, Edge{i / n, i % n})
		default:
			return nil, false
		}
	}
	return set, true
}

// numbers returns the numbers, without signs, of a list of lists of the same length, and that length.
func numbers(list *syntax.List) (all []float64, width int, ok bool) {
	if p := list.Packed; p != nil {
		if len(p.Dims) != 2 || slices.ContainsFunc(p.Values, math.Signbit) {
			return nil, 0, false
		}
		return p.Values, p.Dims[1], true
	}
	for i, e := range list.Elems {
		row, ok := e.(*syntax.List)
		if !ok || i > 0 && row.Len() != width {
			return nil, 0, false
		}
		width = row.Len()
		for _, x := range row.All() {
			n, ok := x.(*syntax.Number)
			if !ok {
				return nil, 0, false
			}
			all = append(all, n.Value)
		}
	}
	return all, width, true
}

// text returns a graph as a program writes it.
func (a arcs) text(n int) string {
	var b strings.Builder
	b.WriteString("edges([")
	for i, e := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "[%d,%d]", e[0], e[1])
	}
	fmt.Fprintf(&b, "], %d)", n)
	return b.String()
}

func reverse(e Edge) Edge { return Edge{e[1], e[0]} }

func (a arcs) reversed() arcs { return arcsOf(lists.Map(a, reverse)) }

// trueArcs returns the edges of a graph as in an adjacency matrix: undirected ones in both directions.
func trueArcs(g *graph.Graph) arcs {
	return lists.Map(g.Arcs(), func(e graph.Edge) Edge { return Edge{e.From, e.To} })
}

// truths returns the graphs of a case.
func truths(c *category.Case) []arcs {
	list := []arcs{trueArcs(&c.G)}
	if c.G2.N > 0 {
		list = append(list, trueArcs(&c.G2))
	}
	return list
}

// edit is a piece of a program and its replacement.
type edit struct {
	span source.Span
	text string
}

// rewrite applies edits. An edit inside another is left out.
func rewrite(text string, edits []edit) string {
	edits = slices.Clone(edits)
	sort.Slice(edits, func(i, j int) bool { return edits[i].span.Start < edits[j].span.Start })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.span.Start < at {
			continue
		}
		out.WriteString(text[at:e.span.Start])
		out.WriteString(e.text)
		at = e.span.End
	}
	out.WriteString(text[at:])
	return out.String()
}

func parse(program string) *syntax.File { return lang.Parse("program", program, lang.Options{}) }
