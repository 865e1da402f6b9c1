package surface

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// randomGraph returns a graph of n nodes whose edges are there with p percent.
func randomGraph(s *random.Stream, f category.Family, n, p int) graph.Graph {
	g := graph.Graph{N: n, Directed: f != category.Undirected}
	parents := make([]int, n)
	for i := range n {
		for j := range n {
			switch {
			case i == j || f == category.Undirected && i > j || !s.Chance(p, 100):
			case f == category.Kinship && (i > j || parents[j] == 2):
			default:
				parents[j]++
				g.Edges = append(g.Edges, graph.Edge{From: i, To: j})
			}
		}
	}
	return g
}

func randomCase(s *random.Stream, f category.Family, n int) *category.Case {
	p := []int{0, 5, 10, 30, 50, 100}[s.IntN(6)]
	if n > 50 {
		p = s.IntN(10)
	}
	c := &category.Case{G: randomGraph(s, f, n, p), Query: category.Query{
		Source: s.IntN(n), Target: s.IntN(n), Threshold: s.IntN(5), MinIn: s.IntN(5), MinOut: s.IntN(5),
	}}
	if f == category.TwoGraphs {
		c.G2 = randomGraph(s, f, n, p*s.IntN(2))
	}
	return c
}

var families = map[string]category.Family{
	"directed": category.Directed, "undirected": category.Undirected,
	"kinship": category.Kinship, "two graphs": category.TwoGraphs,
}

// same compares a reading with the case, node by node and edge by edge.
func same(got *reading, l *Look, c *category.Case) error {
	if want := l.Labels[:c.G.N]; !slices.Equal(got.nodes, want) {
		return fmt.Errorf("nodes %q, want %q", got.nodes, want)
	}
	index := map[string]int{}
	for i, x := range got.nodes {
		index[x] = i
	}
	for i, g := range []*graph.Graph{&c.G, &c.G2} {
		left := map[graph.Edge]bool{}
		for _, e := range g.Edges {
			left[e] = true
		}
		for _, e := range got.edges[i] {
			x := graph.Edge{From: index[e[0]], To: index[e[1]]}
			if back := (graph.Edge{From: x.To, To: x.From}); !g.Directed && left[back] {
				x = back
			}
			if !left[x] {
				return fmt.Errorf("edge %v of graph %d is not there", e, i+1)
			}
			delete(left, x)
		}
		if len(left) > 0 {
			return fmt.Errorf("edges of graph %d left out: %v", i+1, left)
		}
	}
	return nil
}

const everything = "Of {X}, {Y}: {k}, {a}, {b}; {node}, {nodes}, {path}, {forward}, {forward one}, " +
	"{reverse}, {reverse one}, {mutual}, {mutual one}?"

var hole = regexp.MustCompile(`\\\{([A-Za-z ]+)\\\}`) // in a quoted wording

// anchors reads the anchors back out of a filled wording.
func anchors(d *Domain, template, question string) map[string]string {
	word := map[string]string{"node": d.Node, "nodes": d.Nodes, "path": d.Path,
		"forward": d.Forward.Many, "forward one": d.Forward.One, "reverse": d.Reverse.Many,
		"reverse one": d.Reverse.One, "mutual": d.Mutual.Many, "mutual one": d.Mutual.One}
	out, names := map[string]string{}, []string{}
	p := hole.ReplaceAllStringFunc(regexp.QuoteMeta(template), func(s string) string {
		name := hole.FindStringSubmatch(s)[1]
		if w, ok := word[name]; ok {
			return w
		}
		names = append(names, name)
		return "(" + label + ")"
	})
	m := regexp.MustCompile("^" + p + "$").FindStringSubmatch(question)
	if m == nil {
		return nil
	}
	for i, name := range names {
		if old, ok := out[name]; ok && old != m[1+i] {
			return nil
		}
		out[name] = m[1+i]
	}
	return out
}

// sizes is mostly the usual sizes, some small and large ones.
func sizes(rounds int) []int {
	var out []int
	for i := range rounds {
		out = append(out, 1+i%12)
		if i%10 == 9 {
			out = append(out, 13+i*7%28)
		}
	}
	return append(out, 40)
}

// TestRead draws texts of every domain, style and family, and reads them back.
func TestRead(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 8
	}
	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, d := range (Partition{}).Domains(f) {
				r := newReader(d, f != category.Undirected)
				for i, style := range Styles() {
					ns := sizes(rounds)
					if !testing.Short() || len(d.Name)%5 == i {
						ns = append(ns, 200)
					}
					for i, n := range ns {
						key := random.Key("read", name, d.Name, string(style), fmt.Sprint(i))
						c := randomCase(random.New(key), f, n)
						l := Draw(key, f, n, Partition{})
						l.Domain, l.Style = d, style
						if err := readBack(r, &l, c, everything, f == category.TwoGraphs); err != nil {
							t.Fatalf("%s, %s, n = %d: %v\n%s", d.Name, style, n, err, l.Text(c))
						}
					}
				}
			}
		})
	}
}

func readBack(r *reader, l *Look, c *category.Case, template string, two bool) error {
	question := l.Question(c, template)
	got := anchors(l.Domain, template, question)
	if got == nil {
		return fmt.Errorf("%q is not %q", question, template)
	}
	q := c.Query
	want := map[string]func() string{
		"X": func() string { return l.Labels[q.Source] }, "Y": func() string { return l.Labels[q.Target] },
		"k": func() string { return fmt.Sprint(q.Threshold) },
		"a": func() string { return fmt.Sprint(q.MinIn) }, "b": func() string { return fmt.Sprint(q.MinOut) },
	}
	for name, x := range got {
		if x != want[name]() {
			return fmt.Errorf("{%s} is %s in %q", name, x, question)
		}
	}
	for _, e := range Encodings() {
		read, gap := r.text, " "
		switch e {
		case JSON:
			read, gap = r.json, "\n"
		case Matrix:
			read, gap = r.matrix, "\n"
		}
		text, ok := strings.CutSuffix(l.Prompt(e, c, template), gap+question)
		if !ok {
			return fmt.Errorf("%s: the question is not at the end", e)
		}
		got, err := read(text, two)
		if err == nil {
			err = same(got, l, c)
		}
		if err == nil && e == NL {
			err = got.style(l.Style, c.G.Directed)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	return nil
}

// TestReader holds the reader itself to account: it refuses what is wrong.
func TestReader(t *testing.T) {
	r := newReader(&domains[2], true)
	const head = "There are 4 suppliers: a, b, c, d. "
	for _, s := range []string{
		"a ship parts to b.", "a and b ships parts to c.", "a ships parts to b, c and d.",
		"a ships parts to b, and c.", "a ships parts to b. b buys parts from a.", "a ships parts to e.",
		"a ships parts to 3 suppliers: b and c.", "A ships parts to b.", "a and b ship parts to c and d.",
		"the only supplier that a ships parts to is b.", "No supplier ships parts to another. a ships parts to b.",
		"In the first network, a ships parts to b.", "a ships parts to b", "a ships parts to b and b.", "",
	} {
		if got, err := r.text(head+s, false); err == nil {
			t.Errorf("%q reads as %v", s, got.edges)
		}
	}
	for _, s := range []string{
		"In the first network, a ships parts to b.", "The second network has no links. The first network has no links.",
		"The first network has no links.", "a ships parts to b. The second network has no links.",
		"In the first network, The only supplier that a ships parts to is b. The second network has no links.",
	} {
		if got, err := r.text(head+s, true); err == nil {
			t.Errorf("%q reads as %v", s, got.edges)
		}
	}
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "BUG: surface: ") {
			t.Errorf("%s: %v", name, r)
		}
	}()
	f()
}

func TestBugs(t *testing.T) {
	l := Draw([32]byte{}, category.Directed, 5, Partition{})
	c := &category.Case{G: graph.Graph{N: 5, Directed: true}, Query: category.Query{
		Source: 0, Target: category.None, Threshold: category.None, MinIn: category.None, MinOut: category.None}}
	for _, template := range []string{"{Z}", "{x}", "{}", "{X", "{forward two}", "{Y}", "{k}", "{a}", "{b}"} {
		mustPanic(t, template, func() { l.Question(c, template) })
	}
	mustPanic(t, "too few labels", func() { l.Text(&category.Case{G: graph.Graph{N: 6}}) })
	mustPanic(t, "encoding", func() { l.Prompt("yaml", c, "") })
	mustPanic(t, "pool", func() { Partition{}.Labels("plants") })
	for _, p := range []Partition{{1, 0}, {1, 1}, {-1, 2}, {0, -1}, {0, MaxParts + 1}} {
		mustPanic(t, fmt.Sprint(p), func() { Draw([32]byte{}, category.Directed, 5, p) })
	}
	mustPanic(t, "nodes", func() { Draw([32]byte{}, category.Directed, Partition{}.MaxNodes()+1, Partition{}) })
	l.Style = "loud"
	c.G.Edges = []graph.Edge{{From: 0, To: 1}}
	mustPanic(t, "style", func() { l.Text(c) })
}
