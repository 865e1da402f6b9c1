package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/internal/lists"
)

// Steps writes out how to find the answer of an instance: the graph as a list of neighbours, then
// each search, filter and count. It fails if they lead to a different answer from the instance's.
func Steps(in *instance.Instance) (string, error) {
	if _, err := instance.Category(in.Category); err != nil {
		return "", err
	}
	c, err := in.Case()
	if err != nil {
		return "", err
	}
	t := &tracer{Query: &c.Query, labels: in.Nodes, arrow: "->", verb: "leads to"}
	if !c.G.Directed {
		t.arrow, t.verb = "-", "is next to"
	}
	g := t.network(&c.G, "Edges")
	var v answer.Value
	if in.Category == "graph_comparison" {
		v = t.compare(g, t.network(&c.G2, "Edges of the second network"))
	} else {
		v = t.solve(in.Category, g)
	}
	v.Type = category.Result(in.ResultType)
	ref, err := in.Reference()
	if err != nil {
		return "", err
	}
	got, err := answer.Parse(string(v.JSON(in.Nodes)))
	if err != nil || answer.MatchAnswer(&got, &ref, v.Type, in.Category, answer.Strict) != answer.Correct {
		return "", fmt.Errorf("%s: the steps lead to %s, and the answer is %s", in.ID, v.JSON(in.Nodes), in.Answer)
	}
	return t.String(), nil
}

// tracer solves a case in the simplest way and writes down each step.
type tracer struct {
	strings.Builder
	*category.Query
	labels      []string
	arrow, verb string
}

// network is a graph stored as lists of neighbours.
type network struct{ out, in [][]int }

// Copies of it would be kilobytes.
//
//go:noinline
func (t *tracer) say(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

// list returns nodes by their names, or "none".
func (t *tracer) list(nodes []int) string {
	return cmp.Or(strings.Join(lists.Map(nodes, func(x int) string { return t.labels[x] }), ", "), "none")
}

// network writes down the neighbours of each node, in the order of their numbers and not of the
// edges, and returns them. title names the network.
func (t *tracer) network(of *graph.Graph, title string) *network {
	g := &network{make([][]int, of.N), make([][]int, of.N)}
	for _, e := range of.Edges {
		g.out[e.From], g.in[e.To] = append(g.out[e.From], e.To), append(g.in[e.To], e.From)
		if !of.Directed {
			g.out[e.To], g.in[e.From] = append(g.out[e.To], e.From), append(g.in[e.From], e.To)
		}
	}
	t.say("%s:", title)
	for x, to := range g.out {
		slices.Sort(to)
		if len(to) > 0 {
			t.say("%s %s %s", t.labels[x], t.arrow, t.list(to))
		}
	}
	return g
}

// reach searches hop by hop and returns what x reaches, without x; with back, what reaches x. Each
// hop is a line, so a model has to keep no more in mind than the hop before.
func (t *tracer) reach(g *network, x int, back bool) []int {
	next, from := g.out, "From"
	if back {
		next, from = g.in, "Back from"
	}
	seen := map[int]bool{x: true}
	var found []int
	for at, hop := []int{x}, 1; len(at) > 0; hop++ {
		var fresh []int
		for _, y := range at {
			for _, z := range next[y] {
				if !seen[z] {
					seen[z] = true
					fresh = append(fresh, z)
				}
			}
		}
		t.say("%s %s, hop %d: new are %s.", from, t.labels[x], hop, t.list(fresh))
		found, at = append(found, fresh...), fresh
	}
	slices.Sort(found)
	return found
}

// keep returns the nodes of a list that have a property, each written down.
func (t *tracer) keep(nodes []int, what string, value func(x int) []int, has func(n int) bool) []int {
	var kept []int
	for _, x := range nodes {
		verdict := "no"
		if to := value(x); has(len(to)) {
			kept, verdict = append(kept, x), "yes"
		}
		t.say("%s: %d %s, %s.", t.labels[x], len(value(x)), what, verdict)
	}
	return kept
}

func atLeast(k int) func(int) bool { return func(n int) bool { return n >= k } }

// all returns every node but some, in order.
func (t *tracer) all(but ...int) []int { return less(lists.Upto(len(t.labels)), but...) }

// both is the nodes of two lists, in the order of the first.
func both(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return !slices.Contains(b, x) })
}

// less is the nodes of a list without some.
func less(a []int, b ...int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return slices.Contains(b, x) })
}

// from returns the nodes that one step leads to, in order.
func from(nodes []int, next [][]int) (to []int) {
	for _, x := range nodes {
		to = append(to, next[x]...)
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// set, number and yes end the steps with an answer of their type.
func (t *tracer) set(nodes []int) answer.Value {
	t.say("So the answer is: %s.", t.list(nodes))
	return answer.Value{Nodes: nodes}
}

func (t *tracer) number(nodes []int) answer.Value {
	t.say("Counted: %s, so %d.", t.list(nodes), len(nodes))
	return answer.Value{Int: int64(len(nodes))}
}

func (t *tracer) yes(holds bool, format string, args ...any) answer.Value {
	not := "That is so"
	if !holds {
		not = "That is not so"
	}
	t.say(not+": "+format+".", args...)
	return answer.Value{Bool: holds}
}

// component returns x and the nodes that it reaches and that reach it.
func (t *tracer) component(g *network, x int) []int {
	forth := t.reach(g, x, false)
	group := append(both(forth, t.reach(g, x, true)), x)
	slices.Sort(group)
	t.say("Both ways, with %s: %s.", t.labels[x], t.list(group))
	return group
}

// aggregate returns the mean, the maximum or the sum of the out-degrees of some nodes.
func (t *tracer) aggregate(g *network, nodes []int) answer.Value {
	sum, most := 0, 0
	for _, x := range nodes {
		n := len(g.out[x])
		t.say("%s %s %d.", t.labels[x], t.verb, n)
		sum, most = sum+n, max(most, n)
	}
	switch t.Aggregate {
	case category.Maximum:
		t.say("The largest is %d.", most)
		return answer.Value{Float: float64(most)}
	case category.Sum:
		t.say("Together that is %d.", sum)
		return answer.Value{Float: float64(sum)}
	}
	t.say("That is %d over %d.", sum, len(nodes))
	return answer.Value{Float: float64(sum) / float64(len(nodes))}
}

// triangles counts the triangles among some nodes, and writes each down.
func (t *tracer) triangles(g *network, nodes []int) answer.Value {
	n := 0
	for i, x := range nodes {
		for j := i + 1; j < len(nodes); j++ {
			for _, z := range nodes[j+1:] {
				if y := nodes[j]; slices.Contains(g.out[x], y) && slices.Contains(g.out[y], z) && slices.Contains(g.out[x], z) {
					n++
					t.say("Triangle %d: %s.", n, t.list([]int{x, y, z}))
				}
			}
		}
	}
	t.say("There are %d.", n)
	return answer.Value{Int: int64(n)}
}

// best returns the node of a list with the most of something.
func (t *tracer) best(nodes []int, what string, value func(x int) int) answer.Value {
	best, most := 0, -1
	for _, x := range nodes {
		n := value(x)
		t.say("%s: %d %s.", t.labels[x], n, what)
		if n > most {
			best, most = x, n
		}
	}
	t.say("The most has %s.", t.labels[best])
	return answer.Value{Node: best}
}

// compare counts the nodes that the source reaches in exactly one of two networks.
func (t *tracer) compare(a, b *network) answer.Value {
	t.say("In the first network:")
	first := t.reach(a, t.Source, false)
	t.say("In the second network:")
	second := t.reach(b, t.Source, false)
	nodes := append(less(first, second...), less(second, first...)...)
	slices.Sort(nodes)
	t.say("In one of them alone: %s.", t.list(nodes))
	return t.number(nodes)
}

// kin returns the nodes that one step of a chain of relatives leads to.
func kin(g *network, at []int, step string) []int {
	switch step {
	case "parent":
		return from(at, g.in)
	case "child":
		return from(at, g.out)
	case "grandparent":
		return from(from(at, g.in), g.in)
	case "grandchild":
		return from(from(at, g.out), g.out)
	}
	var to []int
	for _, x := range at {
		to = append(to, less(from(g.in[x], g.out), x)...)
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// solve finds the answer from lists of neighbours. It shares no code with the programs, so that a
// mistake on either side shows up as steps that do not lead to the answer.
func (t *tracer) solve(name string, g *network) answer.Value {
	x, y := t.Source, t.Target
	out := func(x int) []int { return g.out[x] }
	in := func(x int) []int { return g.in[x] }
	reached := func() []int { return t.reach(g, x, false) }
	path := func() bool {
		found := slices.Contains(reached(), y)
		t.say("%s is among them: %v.", t.labels[y], found)
		return found
	}
	switch name {
	case "triangle_count":
		return t.triangles(g, t.all())
	case "reachability":
		return t.yes(slices.Contains(reached(), y), "%s reaches %s", t.labels[x], t.labels[y])
	case "negative_reach":
		return t.set(less(t.all(x), reached()...))
	case "degree_count":
		if t.Direction == "in" {
			return t.number(g.in[x])
		}
		return t.number(g.out[x])
	case "degree_max":
		return t.best(t.all(), "outgoing", func(x int) int { return len(g.out[x]) })
	case "scc_same":
		there := path()
		back := slices.Contains(t.reach(g, y, false), x)
		return t.yes(there && back, "each reaches the other")
	case "set_intersect":
		return t.set(both(reached(), t.reach(g, y, false)))
	case "set_difference":
		return t.set(less(reached(), t.reach(g, y, false)...))
	case "ancestor":
		return t.set(t.reach(g, x, true))
	case "sibling", "cousin":
		parents := g.in[x]
		t.say("Parents of %s: %s.", t.labels[x], t.list(parents))
		siblings := less(from(parents, g.out), x)
		t.say("Others with one of these parents: %s.", t.list(siblings))
		if name == "sibling" {
			return t.set(siblings)
		}
		grand := from(parents, g.in)
		t.say("Grandparents: %s; their children: %s.", t.list(grand), t.list(from(grand, g.out)))
		all := from(from(grand, g.out), g.out)
		t.say("Their grandchildren: %s; without %s and those who share a parent:", t.list(all), t.labels[x])
		return t.set(less(less(all, siblings...), x))
	case "reach_then_count":
		return t.number(reached())
	case "reach_then_filter":
		return t.number(t.keep(reached(), "outgoing", out, atLeast(t.Threshold)))
	case "kinship_chain":
		at := []int{x}
		for _, step := range t.Steps {
			at = kin(g, at, step)
			t.say("Each %s of those before: %s.", step, t.list(at))
		}
		return t.number(at)
	case "triangle_in_subgraph":
		part := append(reached(), x)
		slices.Sort(part)
		return t.triangles(g, part)
	case "path_and_compare":
		there := path()
		t.say("Outgoing: %s has %d, %s has %d.", t.labels[x], len(g.out[x]), t.labels[y], len(g.out[y]))
		return t.yes(there && len(g.out[x]) > len(g.out[y]), "both hold")
	case "scc_then_count":
		return t.number(t.component(g, x))
	case "degree_then_reach":
		candidates := t.keep(t.all(), "outgoing", out, atLeast(t.Threshold))
		return t.best(candidates, "reached", func(x int) int { return len(t.reach(g, x, false)) })
	case "intersect_then_size":
		return t.number(both(reached(), t.reach(g, y, false)))
	case "multi_query":
		there := path()
		t.say("%s %s %s.", t.labels[x], t.verb, t.list(g.out[x]))
		return answer.Value{Reachable: there, Degree: int64(len(g.out[x]))}
	case "conditional":
		nodes := reached()
		if !slices.Contains(nodes, y) {
			t.say("%s is not among them, so the answer is -1.", t.labels[y])
			return answer.Value{Int: -1}
		}
		t.say("%s is among them.", t.labels[y])
		return t.number(nodes)
	case "aggregate_over_set":
		return t.aggregate(g, reached())
	case "kinship_complex":
		roots := t.keep(t.reach(g, x, true), "parents", in, func(n int) bool { return n == 0 })
		t.say("The ancestor without parents: %s.", t.list(roots))
		var lineage []int
		for _, root := range roots {
			lineage = append(t.reach(g, root, false), root)
		}
		slices.Sort(lineage)
		return t.number(lineage)
	case "chain_of_filters":
		nodes := t.keep(reached(), "incoming", in, atLeast(t.MinIn))
		if t.MinOut > 0 {
			nodes = t.keep(nodes, "outgoing", out, atLeast(t.MinOut))
		}
		if t.MaxOut > 0 {
			nodes = t.keep(nodes, "outgoing", out, func(n int) bool { return n <= t.MaxOut })
		}
		return t.number(nodes)
	case "mixed_domain":
		return t.aggregate(g, t.component(g, x))
	}
	panic("BUG: prompt: no steps for " + name)
}
