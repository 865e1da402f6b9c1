package repl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// question is what :why is asked about paths: whether one leads from one node to another, or, if to
// is nil, which nodes are reached. All functions that ask about paths come down to one search from
// one node; the fields say in what they differ.
type question struct {
	graph, from, to syntax.Expr
	reverse         bool // paths that end in from
	cycle           bool // from a node to itself takes an edge
	itself          bool // the set has its own start
	weighted        bool // paths of the least weight
}

// whyForms is the note of a refusal: what :why can be asked.
const whyForms = "It explains has_path(A, i, j), tc(A)[i, j], path(A, i, j), wpath(W, i, j), wdist(W, i)[j], and reach(A, i), desc(A, i), anc(A, i) and dist(A, i), also with [j]; bridges(A), cut_nodes(A), also with the nodes of one, topo_order(A), mincut(W, i, j) and maxflow(W, i, j); names that were given one of these; elements of what an equation made, as C[i, j]; and where a name comes from."

// ask reads the question.
func ask(x syntax.Expr) (q question, ok bool) {
	x = syntax.Unparen(x)
	var at []syntax.Expr
	if i, isIndex := x.(*syntax.Index); isIndex {
		x, at = i.X, i.Indices
	}
	c, isCall := x.(*syntax.Call)
	if !isCall || len(c.Args) == 0 {
		return q, false
	}
	q.graph = c.Args[0].Value
	switch name, n := c.Fun.Name, len(c.Args); {
	case (name == "has_path" || name == "path") && n == 3 && at == nil:
		q.from, q.to, q.cycle, q.itself = c.Args[1].Value, c.Args[2].Value, name == "has_path", name == "path"
		return q, true
	case name == "wpath" && n == 3 && at == nil:
		q.from, q.to, q.itself, q.weighted = c.Args[1].Value, c.Args[2].Value, true, true
		return q, true
	case name == "wdist" && n >= 2 && len(at) == 1:
		q.from, q.to, q.itself, q.weighted = c.Args[1].Value, at[0], true, true
		return q, true
	case name == "tc" && n == 1 && len(at) == 2:
		q.from, q.to, q.cycle = at[0], at[1], true
		return q, true
	case (name == "reach" || name == "desc" || name == "anc" || name == "dist") && n == 2 && len(at) <= 1:
		q.from, q.reverse, q.itself = c.Args[1].Value, name == "anc", name == "reach" || name == "dist"
		if len(at) == 1 {
			q.to = at[0]
		}
		return q, true
	}
	return q, false
}

// why explains a value: a row by its proof, a question about paths by a path or by what is reached
// instead, any other value by the statement and the elements that it comes from. Names are replaced
// by what made them, as far as that is a question about paths, so T[i, j] is explained as tc(A)[i,
// j] is. What cannot be explained is refused by a panic, as everywhere in a session.
func (s *Session) why(ctx context.Context, arg string) Reply {
	if r := s.proof(ctx, arg); r != nil {
		return *r
	}
	f := lang.Parse(s.cfg.Name, arg, session)
	if f.Diags.HasErrors() {
		next, _ := s.try(arg)
		panic("BUG: repl: " + next.file.Text)
	}
	var e *syntax.ExprStmt
	ok := false
	if len(f.Stmts) == 1 {
		e, ok = f.Stmts[0].(*syntax.ExprStmt)
	}
	if !ok {
		return refusal("", "", fmt.Sprintf("`:why` cannot explain `%s`", words.Shorten(arg, 40)), whyForms)
	}
	if n, ok := e.X.(*syntax.Name); ok && s.relation(n) {
		if v := s.value(n.Name); v != nil && v.Table != nil {
			return Reply{Out: s.from(n.Name, v) + "\n"}
		} else if v == nil && slices.ContainsFunc(s.program.Relations, func(r diag.Relation) bool { return r.Name == n.Name && r.Valued }) {
			return refusal("", "", fmt.Sprintf("`%s` has a value for each key, and `:why` explains one", n.Name), "Give the key, as in `:why "+n.Name+"[\"a\"]`.")
		} else if v == nil {
			return refusal("", "", fmt.Sprintf("`%s` is a relation, and `:why` explains one row", n.Name), "Give its columns values, as in `:why Owns(\"a\", \"b\")`; `_` stands for any.")
		}
	}
	// The whole expression is checked as it stands, so that what is wrong with it is
	// told in its own terms; its value is not needed.
	next, asked := s.try(arg)
	charge := func(v *tensor.Value, searches int) { s.charge(next, asked, v, searches) }
	x, made := s.named(e.X)
	q, known := ask(x)
	if !known {
		if r := s.evidence(ctx, x, charge); r != nil {
			return *r
		}
	}
	name, isName := x.(*syntax.Name)
	switch {
	case known:
	case made != nil && indexed(made.Value):
		return s.rule(ctx, x, made)
	case made != nil:
		return s.origin(ctx, x, made)
	case isName:
		return Reply{Out: s.from(name.Name, s.value(name.Name)) + "\n"}
	default:
		return refusal("", "", fmt.Sprintf("`:why` cannot explain `%s`", words.Shorten(arg, 40)), whyForms)
	}
	graph, _ := s.compute(ctx, syntax.ExprString(q.graph))
	n := graph.Value.Shape.Dim(0)
	from := s.node(ctx, q.from, n)
	to := -1
	if q.to != nil {
		to = s.node(ctx, q.to, n)
	}
	charge(graph.Value, 1)
	edges := targets(graph.Value)
	if q.reverse {
		edges = sources(edges)
	}
	t := search(ctx, edges, from)
	if t == nil {
		panic(stopped(ctx))
	}
	if q.to == nil {
		return Reply{Out: s.members(&q, t)}
	}
	if q.weighted && to != from && t.depth[to] >= 0 {
		return s.lightest(ctx, syntax.ExprString(q.graph), from, to)
	}
	return Reply{Out: s.pathOrFrontier(&q, t, to)}
}

// lightest shows the path of least weight to a node that can be reached.
func (s *Session) lightest(ctx context.Context, graph string, from, to int) Reply {
	path, _ := s.compute(ctx, fmt.Sprintf("wpath(%s, %d, %d)", graph, from, to))
	var nodes []int
	for v, at := range path.Value.ToDense() {
		if at >= 0 {
			nodes = append(nodes, v)
		}
	}
	slices.SortFunc(nodes, func(a, b int) int { return cmp.Compare(path.Value.At(a), path.Value.At(b)) })
	weight, _ := s.compute(ctx, fmt.Sprintf("wdist(%s, %d)[%d]", graph, from, to))
	return Reply{Out: fmt.Sprintf("yes: %s (%s, weight %s)\n", s.arrows(nodes, path.Value.Shape.Dim(0), false), words.Plural(len(nodes)-1, "edge"), tensor.Number(weight.Value.At()))}
}

// node is the node that an expression names.
func (s *Session) node(ctx context.Context, x syntax.Expr, n int) int {
	if str, ok := x.(*syntax.String); ok {
		if i := slices.Index(s.program.Labels, str.Value); i >= 0 {
			return i
		}
	}
	out, _ := s.compute(ctx, syntax.ExprString(x))
	v := out.Value
	if v.Shape.Rank() != 0 || v.At() != math.Trunc(v.At()) || v.At() < 0 || v.At() >= float64(n) {
		panic(refused(failure("%s is not a node; the nodes are 0 to %d", words.Shorten(syntax.ExprString(x), 40), n-1)))
	}
	return int(v.At())
}

// charge counts searches of a graph that no machine makes, each as one that comes to every edge,
// and refuses them over the limit. A search of an explanation is no step of a program, but a limit
// holds for it all the same.
func (s *Session) charge(next state, e *entry, v *tensor.Value, searches int) {
	n := uint64(v.Shape.Dim(0))
	edges := n * n
	if v.Layout == tensor.Sparse {
		edges = uint64(len(v.CSR.Idx))
	}
	need := uint64(searches) * (n + edges)
	if limit := s.cfg.Limits.MaxOps; limit > 0 && need > limit {
		over := &cost.LimitError{What: "operations", Need: need, Max: limit}
		panic(refused(next.refuse(diag.List{s.overLimit(over, 0, e)})))
	}
	if s.cfg.Begin != nil {
		s.cfg.Begin(need)
	}
	s.spent.Ops, s.spent.Bound = s.spent.Ops+need, s.spent.Bound+need
}

// tree is a breadth-first search: how each node was first found. order has the nodes as they were
// found, so the last ones are the farthest.
type tree struct {
	start  int
	depth  []int // -1 where the search did not come
	parent []int
	order  []int
	cycle  int // a node with an edge back to the start, the first found; -1 for none
}

// search walks a graph from a node, lowest numbers first. It is nil when the
// context has ended.
func search(ctx context.Context, g [][]int32, start int) *tree {
	t := &tree{start: start, depth: slices.Repeat([]int{-1}, len(g)), parent: slices.Repeat([]int{-1}, len(g)), order: []int{start}, cycle: -1}
	t.depth[start] = 0
	for k := 0; k < len(t.order); k++ {
		if ctx.Err() != nil {
			return nil
		}
		i := t.order[k]
		for _, j := range g[i] {
			if int(j) == start && t.cycle < 0 {
				t.cycle = i
			}
			if t.depth[j] < 0 {
				t.depth[j], t.parent[j] = t.depth[i]+1, i
				t.order = append(t.order, int(j))
			}
		}
	}
	return t
}

// targets returns the nodes that the edges of each node lead to, increasing.
func targets(v *tensor.Value) [][]int32 {
	g := make([][]int32, v.Shape.Dim(0))
	for i := range g {
		if v.Layout == tensor.Sparse {
			g[i] = v.CSR.Row(i)
			continue
		}
		for j := range g {
			if v.At(i, j) != v.Absent() {
				g[i] = append(g[i], int32(j))
			}
		}
	}
	return g
}

// sources returns the nodes that have an edge to each node.
func sources(g [][]int32) [][]int32 {
	back := make([][]int32, len(g))
	for i := range g {
		for _, j := range g[i] {
			back[j] = append(back[j], int32(i))
		}
	}
	return back
}

// path returns the nodes from the start to a node that was reached.
func (t *tree) path(to int) []int {
	out := make([]int, t.depth[to]+1)
	for k := len(out) - 1; k >= 0; k-- {
		out[k] = to
		to = t.parent[to]
	}
	return out
}

// members explains a set: how each of its nodes is reached.
func (s *Session) members(q *question, t *tree) string {
	var b strings.Builder
	list := t.order
	if !q.itself {
		list = list[1:]
	}
	verb := map[bool]string{false: "reaches", true: "is reached from"}[q.reverse]
	fmt.Fprintf(&b, "%s %s %s\n", s.label(t.start, len(t.depth)), verb, words.Plural(len(list), "node"))
	for k, to := range list {
		if k == mostShown {
			fmt.Fprintf(&b, "  ... and %d more\n", len(list)-mostShown)
			break
		}
		fmt.Fprintf(&b, "  %s: %s\n", s.label(to, len(t.depth)), s.arrows(t.path(to), len(t.depth), q.reverse))
	}
	return b.String()
}

// pathOrFrontier shows a path to a node, or all that the search reached instead, with the nodes at
// which it ended: the last in its order, all at the greatest depth.
func (s *Session) pathOrFrontier(q *question, t *tree, to int) string {
	var nodes []int
	switch {
	case to != t.start && t.depth[to] >= 0:
		nodes = t.path(to)
	case to == t.start && q.cycle && t.cycle >= 0:
		nodes = append(t.path(t.cycle), to)
	case to == t.start && q.itself:
		return fmt.Sprintf("%s is the start itself\n", s.label(to, len(t.depth)))
	case to == t.start && !q.cycle:
		return fmt.Sprintf("no: %s is the start, which is left out even when it is on a cycle; ask tc(A)[i, i] for that\n", s.label(to, len(t.depth)))
	}
	if nodes != nil {
		return fmt.Sprintf("yes: %s (%s)\n", s.arrows(nodes, len(t.depth), q.reverse), words.Plural(len(nodes)-1, "edge"))
	}
	from, target := t.start, to
	leaves, way := "no edge leads out of these", "from"
	if q.reverse {
		from, target = to, t.start
		leaves, way = "no edge leads into these", "back from"
	}
	goal := fmt.Sprintf("no path from %s to %s", s.label(from, len(t.depth)), s.label(target, len(t.depth)))
	if from == target {
		goal = fmt.Sprintf("no cycle through %s", s.label(from, len(t.depth)))
	}
	steps := t.depth[t.order[len(t.order)-1]]
	frontier := slices.IndexFunc(t.order, func(i int) bool { return t.depth[i] == steps })
	var set strings.Builder
	one := tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(len(t.depth))}, F: make([]float64, len(t.depth))}
	for i, d := range t.depth {
		if d >= 0 {
			one.F[i] = 1
		}
	}
	opt := s.showing(&s.state)
	opt.Nodes = true
	if len(opt.Labels) != len(t.depth) {
		opt.Labels = nil
	}
	_ = show.Text(context.Background(), &set, &vm.Output{Name: "reached", Form: ir.NodeSet, Value: &one}, opt) // to memory
	last := lists.Map(t.order[frontier:], func(i int) string { return s.label(i, len(t.depth)) })
	if len(last) > 10 {
		last = append(last[:10], fmt.Sprintf("and %d more", len(last)-10))
	}
	return fmt.Sprintf("no: there is %s\n  the search %s %s ended after %s, at %s\n  %s  %s\n", goal, way, s.label(t.start, len(t.depth)),
		words.Plural(steps, "step"), strings.Join(last, ", "), set.String(), leaves)
}

// arrows is a path; one that was searched backwards is turned round.
func (s *Session) arrows(nodes []int, n int, reverse bool) string {
	names := make([]string, len(nodes))
	for k, i := range nodes {
		if reverse {
			k = len(nodes) - 1 - k
		}
		names[k] = s.label(i, n)
	}
	if len(names) > 40 {
		names = append(append(names[:20:20], fmt.Sprintf("... %d more ...", len(names)-40)), names[len(names)-20:]...)
	}
	return strings.Join(names, " -> ")
}

// label names a place on an axis of so many: a node, where that is how many nodes there
// are.
func (s *Session) label(i, size int) string {
	labels := s.program.Labels
	if size != len(labels) || !s.view.Nodes {
		return fmt.Sprint(i)
	}
	if l := labels[i]; l != "" && !strings.ContainsAny(l, " ,{}") {
		l, _ = diag.Display(l)
		return l
	}
	return syntax.ExprString(&syntax.String{Value: labels[i]})
}
