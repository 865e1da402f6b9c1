package verdict

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/internal/lists"
	"ein/lang/source"
)

// Kind is what a wrong program got wrong.
type Kind string

// The kinds. NoGraph is a program that writes no graph, so there is nothing to compare, or to
// replace by the true one.
const (
	GraphReading Kind = "graph_reading" // right with the true edges
	QueryReading Kind = "query_reading" // its edges are right, and it is right with the nodes asked about
	Logic        Kind = "logic"         // wrong with edges that are right
	Both         Kind = "both"          // wrong edges, and still wrong with the true ones
	NoGraph      Kind = "no_graph"
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{GraphReading, QueryReading, Logic, Both, NoGraph} }

// Convention is how a program writes its edges, if not as the question does. A program that
// writes every edge from child to parent, and looks for ancestors by what a node reaches, has
// misread nothing.
type Convention string

// The conventions: every edge turned around, and undirected edges one way only.
const (
	Backward Convention = "backward"
	Once     Convention = "once"
)

// Diff is how the graph of a program differs from the true one.
type Diff struct {
	Dropped  []Edge `json:"dropped,omitempty"`
	Added    []Edge `json:"added,omitempty"`
	Reversed []Edge `json:"reversed,omitempty"` // as in the true graph
	Nodes    *int   `json:"nodes,omitempty"`    // as stated, when that is not their number
	Line     int    `json:"line,omitempty"`     // of the program, where the graph was met
}

// size is how many edits turn the one graph into the other; other nodes count as one.
func (d *Diff) size() int {
	n := len(d.Dropped) + len(d.Added) + len(d.Reversed)
	if d.Nodes != nil {
		n++
	}
	return n
}

// Attribution is why a program is wrong.
type Attribution struct {
	Kind       Kind       `json:"kind"`
	Convention Convention `json:"convention,omitempty"`
	Graphs     []Diff     `json:"graphs,omitempty"` // in the order of the program
}

// Edges returns the number of edges of each sort that were misread.
func (a *Attribution) Edges() (dropped, added, reversed int) {
	for i := range a.Graphs {
		dropped += len(a.Graphs[i].Dropped)
		added += len(a.Graphs[i].Added)
		reversed += len(a.Graphs[i].Reversed)
	}
	return dropped, added, reversed
}

// attribution says why a program that ran gave a wrong answer. run gives its output with the true
// edges, within the same limits. The error is that of the context, or of a run that failed.
func attribution(ctx context.Context, q *Question, w *wrote, run runs) (Attribution, error) {
	right := func(program string) (bool, error) {
		v, err := run(ctx, program, q)
		if err == nil && v.Outcome == answer.InfraError {
			err = fmt.Errorf("%s: with the true edges or nodes: %s", q.ID, v.Message)
		}
		return v.Any(), err
	}
	a, err := attribute(&q.Case, w.graphs, func(graphs []arcs) (bool, error) { return right(w.with(graphs)) })
	if err != nil || a.Kind != Logic || w.asking == nil {
		return a, err
	}
	for program := range w.asking(&q.Case.Query) {
		ok, err := right(program)
		if err != nil {
			return a, err
		}
		if ok {
			a.Kind = QueryReading
			break
		}
	}
	return a, nil
}

// mostAnchors bounds the places in a program where the question's nodes are tried: two nodes
// in four places make sixteen programs.
const mostAnchors = 4

// asking returns the variants of a program with the question's nodes in place of those that it names.
// There are none for programs that name many nodes, or the right ones: these read the question
// correctly, and the rest is logic.
func asking(program string, places []anchor, text func(node int) string, query *category.Query) iter.Seq[string] {
	return func(yield func(string) bool) {
		nodes := slices.DeleteFunc([]int{query.Source, query.Target}, func(x int) bool { return x == category.None })
		named := lists.Set(lists.Map(places, func(p anchor) int { return p.node }))
		if maps.Equal(named, lists.Set(nodes)) || len(places) == 0 || len(places) > mostAnchors || len(nodes) == 0 {
			return
		}
		ways := 1
		for range places {
			ways *= len(nodes)
		}
		for way := range ways {
			var edits []edit
			for _, p := range places {
				for _, span := range p.spans {
					edits = append(edits, edit{span, text(nodes[way%len(nodes)])})
				}
				way /= len(nodes)
			}
			if text := rewrite(program, edits); text != program && !yield(text) {
				return
			}
		}
	}
}

// anchor is a node that a program names, where another can be put in its place.
type anchor struct {
	node  int
	spans []source.Span
}

// attribute compares the graphs in a wrong program with the true ones and, for each convention
// that it may follow, asks whether it is right with those.
func attribute(c *category.Case, found []literal, right func([]arcs) (bool, error)) (Attribution, error) {
	if len(found) == 0 {
		return Attribution{Kind: NoGraph}, nil
	}
	var wrong []Attribution
	for _, r := range readings(c, found) {
		a := Attribution{Kind: Both, Convention: r.convention, Graphs: r.diffs}
		if r.size() == 0 {
			a = Attribution{Kind: Logic, Convention: r.convention}
		} else {
			ok, err := right(r.graphs)
			if err != nil {
				return Attribution{}, err
			}
			if ok {
				a.Kind = GraphReading
				return a, nil
			}
		}
		wrong = append(wrong, a)
	}
	for _, a := range wrong {
		if a.Kind == Logic {
			return a, nil
		}
	}
	return wrong[0], nil
}

// reading compares the graphs of a program with the true ones under a convention.
type reading struct {
	convention Convention
	graphs     []arcs
	diffs      []Diff
}

func (r *reading) size() int {
	n := 0
	for i := range r.diffs {
		n += r.diffs[i].size()
	}
	return n
}

// readings returns the conventions that a program may follow, the question's own first. A graph
// closer to the reverse of the true one was either written backward or misread edge by edge; the
// runs tell which.
func readings(c *category.Case, found []literal) []reading {
	all := truths(c)
	forward := match(c.G.N, "", all, found)
	if !c.G.Directed {
		for i := range forward.diffs {
			d := &forward.diffs[i]
			d.Dropped, d.Added = unordered(d.Dropped), unordered(d.Added)
		}
	}
	list := []reading{forward}
	if c.G.Directed {
		if forward.size() == 0 {
			return list
		}
		turned := lists.Map(all, arcs.reversed)
		// A single edge tells a convention from no misreading.
		if r := match(c.G.N, Backward, turned, found); r.size() < forward.size() && len(all[0]) > 1 {
			list = append(list, r)
		}
		return list
	}
	for i := range found {
		for _, e := range found[i].edges {
			if found[i].edges.has(reverse(e)) {
				return list
			}
		}
	}
	// A program to which the direction does not matter is right either way, with
	// the fewest edges misread in this one.
	return []reading{once(c.G.N, all[0], found), forward}
}

// unordered leaves out the second way of an edge that is there both ways.
func unordered(list []Edge) []Edge {
	var out []Edge
	for _, e := range list {
		if !slices.Contains(out, reverse(e)) {
			out = append(out, e)
		}
	}
	return out
}

// once compares graphs that have each undirected edge one way, whichever.
func once(n int, truth arcs, found []literal) reading {
	r := reading{convention: Once}
	for i := range found {
		wrote := found[i].edges
		want := arcs{}
		for _, e := range truth {
			if wrote.has(e) || !wrote.has(reverse(e)) && e[0] < e[1] {
				want = append(want, e)
			}
		}
		r.graphs = append(r.graphs, want)
		r.diffs = append(r.diffs, compare(n, &found[i], want))
	}
	return r
}

// match compares each graph with the true one it stands for.
func match(n int, convention Convention, all []arcs, found []literal) reading {
	r := reading{convention: convention, graphs: make([]arcs, len(found)), diffs: make([]Diff, len(found))}
	for i := range found {
		// Of two true graphs the first comes first, unless the program has them the
		// other way around.
		best := i % len(all)
		r.diffs[i] = compare(n, &found[i], all[best])
		for k := range all {
			if len(found) == len(all) {
				break
			}
			if d := compare(n, &found[i], all[k]); d.size() < r.diffs[i].size() {
				best, r.diffs[i] = k, d
			}
		}
		r.graphs[i] = all[best]
	}
	if len(found) == 2 && len(all) == 2 && r.size() > 0 {
		swapped := reading{convention: convention, graphs: []arcs{all[1], all[0]},
			diffs: []Diff{compare(n, &found[0], all[1]), compare(n, &found[1], all[0])}}
		if swapped.size() < r.size() {
			return swapped
		}
	}
	return r
}

// compare lists the differences between a graph of a program and the true one.
func compare(n int, l *literal, truth arcs) Diff {
	d := Diff{Line: l.line}
	nodes := l.nodes
	if nodes == inferred {
		nodes = l.largest() + 1
	}
	if nodes != computed && nodes != n {
		stated := nodes // nodes stays off the heap
		d.Nodes = &stated
	}
	if slices.Equal(l.edges, truth) {
		return d
	}
	for _, e := range truth {
		r := reverse(e)
		switch {
		case l.edges.has(e):
		case l.edges.has(r) && !truth.has(r):
			d.Reversed = append(d.Reversed, e)
		default:
			d.Dropped = append(d.Dropped, e)
		}
	}
	for _, e := range l.edges {
		if r := reverse(e); !truth.has(e) && (!truth.has(r) || l.edges.has(r)) {
			d.Added = append(d.Added, e)
		}
	}
	return d
}

// largest returns the largest node of an edge, or -1.
func (l *literal) largest() int {
	most := -1
	for _, e := range l.edges {
		most = max(most, e[0], e[1])
	}
	return most
}
