package verdict

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/lang"
	"ein/lang/source"
	"ein/lang/syntax"
)

// Edge is a pair of node numbers.
type Edge = [2]int

// arcs is a set of edges.
type arcs map[Edge]bool

// literal is a graph that is written in a program.
type literal struct {
	span  source.Span
	name  string // that it is assigned to, or ""
	nodes int    // as stated; or one of the two below
	line  int
	edges arcs
}

// The number of nodes may follow from the edges, or be computed: what a program
// computes it from is no reading of the graph.
const (
	inferred = -1
	computed = -2
)

// literals finds the graphs in a program, in order: the calls of edges and adj,
// and square matrices of 0 and 1 over n nodes.
func literals(f *syntax.File, n int) []literal {
	var found []literal
	for _, s := range f.Stmts {
		name := ""
		if a, ok := s.(*syntax.Assign); ok {
			name = a.Name.Name
		}
		syntax.WalkAll(s, func(node syntax.Node) bool {
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
		})
	}
	return found
}

// call is a call of edges or adj, which check has found to be right.
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

// pairs is a list of pairs. As edges reads it, rows all of length 2 are pairs.
func pairs(list *syntax.List) (arcs, bool) {
	set := arcs{}
	for _, e := range list.All() {
		row, ok := numbers(e)
		if !ok || len(row) != 2 {
			return nil, false
		}
		set[Edge{int(row[0]), int(row[1])}] = true
	}
	return set, true
}

func matrix(list *syntax.List) (arcs, bool) {
	set := arcs{}
	for i, e := range list.All() {
		row, ok := numbers(e)
		if !ok || len(row) != list.Len() {
			return nil, false
		}
		for j, x := range row {
			switch x {
			case 0:
			case 1:
				set[Edge{i, j}] = true
			default:
				return nil, false
			}
		}
	}
	return set, list.Len() > 1
}

func numbers(x syntax.Expr) ([]float64, bool) {
	list, ok := x.(*syntax.List)
	if !ok {
		return nil, false
	}
	row := make([]float64, list.Len())
	for i, e := range list.All() {
		n, ok := e.(*syntax.Number)
		if !ok {
			return nil, false
		}
		row[i] = n.Value
	}
	return row, true
}

// text is a graph as a program has it.
func (a arcs) text(n int) string {
	var b strings.Builder
	b.WriteString("edges([")
	for i, e := range a.sorted() {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "[%d,%d]", e[0], e[1])
	}
	fmt.Fprintf(&b, "], %d)", n)
	return b.String()
}

func (a arcs) sorted() []Edge {
	list := make([]Edge, 0, len(a))
	for e := range a {
		list = append(list, e)
	}
	sort.Slice(list, func(i, j int) bool { return slices.Compare(list[i][:], list[j][:]) < 0 })
	return list
}

func reverse(e Edge) Edge { return Edge{e[1], e[0]} }

func (a arcs) reversed() arcs {
	r := make(arcs, len(a))
	for e := range a {
		r[reverse(e)] = true
	}
	return r
}

// trueArcs is the edges of a graph as an adjacency matrix has them: those of an
// undirected one both ways.
func trueArcs(g *graph.Graph) arcs {
	set := arcs{}
	for _, e := range g.Arcs() {
		set[Edge{e.From, e.To}] = true
	}
	return set
}

// truths is the graphs of a case.
func truths(c *category.Case) []arcs {
	list := []arcs{trueArcs(&c.G)}
	if c.G2.N > 0 {
		list = append(list, trueArcs(&c.G2))
	}
	return list
}

// edit is a piece of a program and what to put in its place.
type edit struct {
	span source.Span
	text string
}

// rewrite applies edits. One that is inside of another is left out.
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
