package repl

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/describe"
	"ein/lang/syntax"
	"ein/vm/tensor"
)

// evidence explains a structure of a graph: what a bridge or a cut node holds together, or what
// joins it otherwise; an order, or the cycle that prevents one; the edges that limit a flow. It is
// nil for any other expression.
func (s *Session) evidence(ctx context.Context, x syntax.Expr, charge func(*tensor.Value, int)) *Reply {
	var at []syntax.Expr
	if i, ok := x.(*syntax.Index); ok {
		x, at = i.X, i.Indices
	}
	c, ok := x.(*syntax.Call)
	if !ok || len(c.Args) == 0 {
		return nil
	}
	switch name := c.Fun.Name; {
	case name == "bridges" && (len(at) == 0 || len(at) == 2), name == "cut_nodes" && len(at) <= 1:
		return s.holding(ctx, c, at, charge)
	case name == "topo_order" && at == nil:
		order, _ := s.compute(ctx, syntax.ExprString(c))
		nodes := make([]int, order.Value.Shape.Dim(0))
		for v, k := range order.Value.ToDense() {
			nodes[int(k)] = v
		}
		return &Reply{Out: fmt.Sprintf("every edge leads forward in %s\n", s.list(nodes, len(nodes), ", "))}
	case (name == "mincut" || name == "maxflow") && at == nil && len(c.Args) == 3:
		return s.cut(ctx, c)
	}
	return nil
}

// cut shows the edges of a minimum cut, the heaviest first. Their weights add up to the maximum
// flow, so that is explained by them too.
func (s *Session) cut(ctx context.Context, c *syntax.Call) *Reply {
	args := lists.Map(c.Args, func(a syntax.Arg) string { return syntax.ExprString(a.Value) })
	out, _ := s.compute(ctx, "mincut("+strings.Join(args, ", ")+")")
	n, total := out.Value.Shape.Dim(0), 0.0
	type edge struct {
		i, j   int
		weight float64
	}
	var edges []edge
	for i, row := range targets(out.Value) {
		for _, j := range row {
			e := edge{i, int(j), out.Value.At(i, int(j))}
			edges = append(edges, e)
			total += e.weight
		}
	}
	from := s.node(ctx, c.Args[1].Value, n)
	to := s.node(ctx, c.Args[2].Value, n)
	sort.SliceStable(edges, func(i, j int) bool { return edges[i].weight > edges[j].weight })
	var b strings.Builder
	fmt.Fprintf(&b, "the most from %s to %s is %s, limited by %s\n", s.label(from, n), s.label(to, n), tensor.Number(total), words.Plural(len(edges), "edge"))
	for k, e := range edges {
		if k == mostShown {
			fmt.Fprintf(&b, "  ... and %d more\n", len(edges)-mostShown)
			break
		}
		fmt.Fprintf(&b, "  %s -> %s: %s\n", s.label(e.i, n), s.label(e.j, n), tensor.Number(e.weight))
	}
	return &Reply{Out: b.String()}
}

// mostShown is how many parts of an answer are listed.
const mostShown = 20

// holding explains bridges and cut nodes: one, or all of them.
func (s *Session) holding(ctx context.Context, c *syntax.Call, at []syntax.Expr, charge func(*tensor.Value, int)) *Reply {
	graph, _ := s.compute(ctx, syntax.ExprString(c.Args[0].Value))
	charge(graph.Value, map[bool]int{true: 2, false: 1 + mostShown}[len(at) > 0])
	n := graph.Value.Shape.Dim(0)
	g := bothWays(targets(graph.Value))
	node, bridge := c.Fun.Name == "cut_nodes", make([]int, len(at))
	for k, x := range at {
		bridge[k] = s.node(ctx, x, n)
	}
	if len(at) > 0 {
		return &Reply{Out: s.hold(g, bridge, node)}
	}
	out, _ := s.compute(ctx, syntax.ExprString(c))
	var b strings.Builder
	count := 0
	tell := func(what ...int) {
		if count++; count <= mostShown {
			b.WriteString("  " + strings.TrimPrefix(s.hold(g, what, node), "yes: "))
		}
	}
	what := "bridge"
	if node {
		what = "cut node"
		for i, is := range out.Value.ToDense() {
			if is != 0 {
				tell(i)
			}
		}
	} else {
		for i, row := range targets(out.Value) {
			for _, j := range row {
				if i < int(j) {
					tell(i, int(j))
				}
			}
		}
	}
	if count > mostShown {
		fmt.Fprintf(&b, "  ... and %d more\n", count-mostShown)
	}
	return &Reply{Out: words.Plural(count, what) + "\n" + b.String()}
}

// hold says what falls apart without a node or an edge, or what still joins it.
func (s *Session) hold(g [][]int, what []int, node bool) string {
	without, ends := s.label(what[0], len(g)), g[what[0]]
	if !node {
		without, ends = s.label(what[0], len(g))+" - "+s.label(what[1], len(g)), what
		if !slices.Contains(g[what[0]], what[1]) {
			return fmt.Sprintf("no: there is no edge between %s and %s\n", s.label(what[0], len(g)), s.label(what[1], len(g)))
		}
	}
	var parts []string
	found := make([]int, len(g)) // the node that each was found from, from 1
	for _, end := range ends {
		if found[end] > 0 || node && end == what[0] {
			continue
		}
		part := []int{end}
		found[end] = end + 1
		for k := 0; k < len(part); k++ {
			v := part[k]
			for _, t := range g[v] {
				left := node && t == what[0] || !node && (v == what[0] && t == what[1] || v == what[1] && t == what[0])
				if !left && found[t] == 0 {
					found[t] = v + 1
					part = append(part, t)
				}
			}
		}
		slices.Sort(part)
		parts = append(parts, "{"+s.list(part, len(g), ", ")+"}")
	}
	switch {
	case len(parts) > 1:
		return fmt.Sprintf("yes: without %s, nothing joins %s\n", without, strings.Join(parts, " and "))
	case node:
		return fmt.Sprintf("no: without %s, what it joins is still joined\n", without)
	}
	round := []int{what[1]}
	for v := what[1]; v != what[0]; {
		v = found[v] - 1
		round = append(round, v)
	}
	slices.Reverse(round)
	return fmt.Sprintf("no: without %s, there is %s\n", without, s.list(round, len(g), " - "))
}

// bothWays returns the neighbours of each node, whatever the direction of edges.
func bothWays(g [][]int32) [][]int {
	back, all := sources(g), make([][]int, len(g))
	for i := range g {
		all[i] = lists.Map(slices.Concat(g[i], back[i]), func(j int32) int { return int(j) })
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
}

// list returns nodes by name, as many as fit a few lines.
func (s *Session) list(nodes []int, n int, sep string) string {
	names := lists.Map(nodes[:min(len(nodes), mostShown)], func(v int) string { return s.label(v, n) })
	if more := len(nodes) - mostShown; more > 0 {
		names = append(names, fmt.Sprintf("... %d more", more))
	}
	return strings.Join(names, sep)
}

func stopped(ctx context.Context) refused {
	return refused(failure("%s: the search was stopped", describe.Reason(context.Cause(ctx))))
}
