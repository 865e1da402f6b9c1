package surface

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
	"ein/internal/lists"
)

// Text returns the graph in English: a sentence that declares the nodes, then
// sentences that state every edge exactly once. Two graphs are called the first
// and the second network.
func (l *Look) Text(c *category.Case) string {
	w := l.writer(c)
	w.declare()
	if c.G2.N == 0 {
		w.network(&c.G, "")
	} else {
		w.network(&c.G, "first")
		w.network(&c.G2, "second")
	}
	return w.String()
}

// A writer holds what the parts of one text share.
type writer struct {
	strings.Builder
	*Look
	order  *random.Stream // of edges; apart, so that it is the same in every style and encoding
	phrase *random.Stream
	ids    []int // 0..n-1, of which single nodes are slices
}

// writer returns a writer for a case. Order and phrases are drawn from streams of their own, so
// that a new way to say something leaves the order of the edges as it is.
func (l *Look) writer(c *category.Case) *writer {
	if c.G.N > len(l.Labels) || c.G2.N > c.G.N {
		panic(fmt.Sprintf("BUG: surface: %d labels for graphs of %d and %d nodes", len(l.Labels), c.G.N, c.G2.N))
	}
	w := &writer{
		Look:   l,
		order:  random.New(l.Order),
		phrase: random.New(random.Key("surface", string(l.Order[:]), "phrase")),
		ids:    lists.Upto(c.G.N),
	}
	w.Grow(16 * (c.G.N + len(c.G.Edges) + len(c.G2.Edges)))
	return w
}

// single returns the list of one node. Appending to it copies it.
func (w *writer) single(x int) []int { return w.ids[x : x+1 : x+1] }

func (w *writer) say(parts ...string) {
	for _, p := range parts {
		w.WriteString(p)
	}
}

// declare names all nodes, in index order.
func (w *writer) declare() {
	if len(w.ids) == 1 {
		w.say("There is 1 ", w.Domain.Node, ": ", w.Labels[0], ".")
		return
	}
	w.say("There are ", strconv.Itoa(len(w.ids)), " ", w.Domain.Nodes, ": ", strings.Join(w.Labels[:len(w.ids)], ", "), ".")
}

// list writes "a", "a and b" or "a, b, and c".
func (w *writer) list(nodes []int) {
	for i, x := range nodes {
		switch {
		case i == 0:
		case len(nodes) == 2:
			w.say(" and ")
		case i == len(nodes)-1:
			w.say(", and ")
		default:
			w.say(", ")
		}
		w.say(w.Labels[x])
	}
}

// edges returns the edges of a graph in the order they are told in. The edges of an
// undirected graph are turned at random, or the node with the lower index would
// always be the subject.
func (w *writer) edges(g *graph.Graph) []graph.Edge {
	es := slices.Clone(g.Edges)
	if !g.Directed {
		for i, e := range es {
			if w.order.Chance(1, 2) {
				es[i] = graph.Edge{From: e.To, To: e.From}
			}
		}
	}
	w.order.Shuffle(len(es), func(i, j int) { es[i], es[j] = es[j], es[i] })
	return es
}

// verbs returns the verb from source to target and the one back.
func (d *Domain) verbs(g *graph.Graph) (forward, reverse Verb) {
	if g.Directed {
		return d.Forward, d.Reverse
	}
	return d.Mutual, d.Mutual
}

// network tells the edges of one graph. Its name, if there are two of them, is
// in the first sentence only.
func (w *writer) network(g *graph.Graph, name string) {
	forward, reverse := w.Domain.verbs(g)
	if len(g.Edges) == 0 {
		if name == "" {
			w.say(" No ", w.Domain.Node, " ", forward.One, " another.")
		} else {
			w.say(" The ", name, " network has no links.")
		}
		return
	}
	for i, c := range w.clauses(g, forward, reverse) {
		leads := name == "" || i > 0
		if leads {
			w.say(" ")
		} else {
			w.say(" In the ", name, " network, ")
		}
		if w.Style == Varied {
			w.vary(c, g, leads, forward, reverse)
		} else {
			w.state(c.subjects, c.verb, c.objects)
		}
		w.say(".")
	}
}

// A clause says that each subject is related to each object. At least one of
// the lists is a single node, since "a and b cite c and d" could be read as
// two edges or as four.
type clause struct {
	subjects []int
	verb     Verb
	objects  []int
}

func (w *writer) state(subjects []int, v Verb, objects []int) {
	w.list(subjects)
	if len(subjects) == 1 {
		w.say(" ", v.One, " ")
	} else {
		w.say(" ", v.Many, " ")
	}
	w.list(objects)
}

// clauses states the edges in the style of the look: as they are, from their sources, from their
// targets in the reverse verb, or in both ways.
func (w *writer) clauses(g *graph.Graph, forward, reverse Verb) []clause {
	es := w.edges(g)
	switch w.Style {
	case Flat:
		return lists.Map(es, func(e graph.Edge) clause { return clause{w.single(e.From), forward, w.single(e.To)} })
	case BySource:
		return w.join(w.group(es, forward))
	case ByTarget:
		for i, e := range es {
			es[i] = graph.Edge{From: e.To, To: e.From}
		}
		return w.join(w.group(es, reverse))
	case Mixed:
		return w.mix(es, forward, reverse)
	case Varied:
		return w.group(es, forward)
	}
	panic("BUG: surface: no style " + string(w.Style))
}

// group gathers the edges of each source, sources in the order they first come.
func (w *writer) group(es []graph.Edge, v Verb) []clause {
	out := make([]clause, 0, len(w.ids))
	at := make([]int, len(w.ids)) // 1 + the position of a source's clause
	for _, e := range es {
		if at[e.From] == 0 {
			out = append(out, clause{w.single(e.From), v, w.single(e.To)})
			at[e.From] = len(out)
			continue
		}
		c := &out[at[e.From]-1]
		c.objects = append(c.objects, e.To)
	}
	return out
}

// join puts some subjects of the same single object into one clause.
func (w *writer) join(cs []clause) []clause {
	out := cs[:0]
	at := make([]int, len(w.ids)) // 1 + the position of an object's clause
	for _, c := range cs {
		if len(c.objects) > 1 {
			out = append(out, c)
			continue
		}
		o := c.objects[0]
		if at[o] > 0 && w.phrase.Chance(1, 2) {
			to := &out[at[o]-1]
			to.subjects = append(to.subjects, c.subjects[0])
			continue
		}
		out = append(out, c)
		at[o] = len(out)
	}
	return out
}

// mix takes the first edge that is left, alone or with all that are left of its
// source or of its target, and tells them in either direction.
func (w *writer) mix(es []graph.Edge, forward, reverse Verb) []clause {
	from, to := make([][]int, len(w.ids)), make([][]int, len(w.ids))
	for i, e := range es {
		from[e.From] = append(from[e.From], i)
		to[e.To] = append(to[e.To], i)
	}
	var out []clause
	told := make([]bool, len(es))
	for i, e := range es {
		if told[i] {
			continue
		}
		told[i] = true
		sources, targets := w.single(e.From), w.single(e.To)
		switch w.phrase.IntN(3) {
		case 0:
			for _, j := range from[e.From] {
				if !told[j] {
					told[j] = true
					targets = append(targets, es[j].To)
				}
			}
		case 1:
			for _, j := range to[e.To] {
				if !told[j] {
					told[j] = true
					sources = append(sources, es[j].From)
				}
			}
		}
		if w.phrase.Chance(1, 2) {
			out = append(out, clause{sources, forward, targets})
		} else {
			out = append(out, clause{targets, reverse, sources})
		}
	}
	return out
}

// vary tells all edges of one source in one of several ways. What suggests that
// there are no others ("the only", a count) is for directed graphs: in an
// undirected one other sentences may name the same node as a target.
func (w *writer) vary(c clause, g *graph.Graph, leads bool, forward, reverse Verb) {
	x, targets := w.Labels[c.subjects[0]], c.objects
	the, both, each := "the ", "both ", "each of "
	if leads {
		the, both, each = "The ", "Both ", "Each of "
	}
	ways := []func(){
		func() { w.state(c.subjects, forward, targets) },
		func() { w.state(targets, reverse, c.subjects) },
	}
	switch {
	case len(targets) == 1 && g.Directed:
		ways = append(ways, func() { w.say(the, "only ", w.Domain.targets(x, false), " is ", w.Labels[targets[0]]) })
	case len(targets) == 1:
		ways = append(ways, func() { w.say(x, " and ", w.Labels[targets[0]], " ", forward.Many, " each other") })
	case len(targets) == 2:
		ways = append(ways,
			func() { w.say(x, " ", forward.One, " both "); w.list(targets) },
			func() { w.say(both); w.list(targets); w.say(" ", reverse.Many, " ", x) })
	default:
		ways = append(ways,
			func() { w.say(x, " ", forward.One, " each of "); w.list(targets) },
			func() { w.say(each); w.list(targets); w.say(" ", reverse.One, " ", x) })
	}
	if len(targets) > 1 && g.Directed {
		ways = append(ways,
			func() { w.say(the, w.Domain.targets(x, true), " are "); w.list(targets) },
			func() {
				w.say(x, " ", forward.One, " ", strconv.Itoa(len(targets)), " ", w.Domain.Nodes, ": ")
				w.list(targets)
			})
	}
	ways[w.phrase.IntN(len(ways))]()
}
