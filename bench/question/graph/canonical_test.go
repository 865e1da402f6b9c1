package graph

import (
	"fmt"
	"testing"

	"ein/bench/question/random"
)

// permuted renumbers node x to perm[x].
func permuted(g *Graph, perm []int) *Graph {
	if g == nil {
		return nil
	}
	h := &Graph{N: g.N, Directed: g.Directed}
	for _, e := range g.Edges {
		e = Edge{perm[e.From], perm[e.To]}
		if !g.Directed && e.From > e.To {
			e = Edge{e.To, e.From}
		}
		h.Edges = append(h.Edges, e)
	}
	h.sort()
	return h
}

func recolored(colors, perm []int) []int {
	out := make([]int, len(colors))
	for x, c := range colors {
		out[perm[x]] = c
	}
	return out
}

// least returns the canonical form by definition: the least text of all numberings.
func least(g, g2 *Graph, colors []int) string {
	best := ""
	var try func(perm, rest []int)
	try = func(perm, rest []int) {
		if len(rest) == 0 {
			text := fmt.Sprint(recolored(colors, perm), permuted(g, perm), permuted(g2, perm))
			if best == "" || text < best {
				best = text
			}
			return
		}
		for i, x := range rest {
			next := append(append([]int(nil), rest[:i]...), rest[i+1:]...)
			try(append(perm[:len(perm):len(perm)], x), next)
		}
	}
	all := make([]int, g.N)
	for i := range all {
		all[i] = i
	}
	try(nil, all)
	return best
}

type colored struct {
	g, g2  *Graph
	colors []int
}

// random is a random coloured graph; one in four is a pair of graphs.
func randomColored(s *random.Stream, n int) colored {
	g := Bernoulli(s, n, s.Chance(1, 2), s.Between(0, 1000))
	c := colored{g: &g, colors: make([]int, n)}
	if s.Chance(1, 4) {
		g2 := Bernoulli(s, n, true, s.Between(0, 1000))
		c.g2 = &g2
	}
	for i := s.IntN(3); i > 0; i-- {
		c.colors[s.IntN(n)] = i
	}
	return c
}

// TestCanonicalBruteForce compares the classes of thousands of small graphs
// under Canonical with those under the definition.
func TestCanonicalBruteForce(t *testing.T) {
	s := random.New(random.Key("brute force"))
	cases := []int{1: 50, 2: 500, 3: 3000, 4: 3000, 5: 2000, 6: 500, 7: 40}
	if testing.Short() {
		cases = []int{1: 50, 2: 200, 3: 500, 4: 300, 5: 100, 6: 20}
	}
	for n := 1; n < len(cases); n++ {
		count := cases[n]
		byForm, byText := map[[32]byte]string{}, map[string][32]byte{}
		for range count {
			c := randomColored(s, n)
			form, text := Canonical(c.g, c.g2, c.colors), least(c.g, c.g2, c.colors)
			if !exact(form) {
				t.Fatalf("not exact: %v", text)
			}
			if other, ok := byForm[form]; ok && other != text {
				t.Fatalf("one form for\n%s\n%s", text, other)
			}
			if other, ok := byText[text]; ok && other != form {
				t.Fatalf("two forms for\n%s", text)
			}
			byForm[form], byText[text] = text, form
		}
	}
}

// TestCanonicalCounts counts all undirected graphs and digraphs on a few nodes;
// the numbers are the known ones (OEIS A000088 and A000273).
func TestCanonicalCounts(t *testing.T) {
	for _, c := range []struct {
		n, classes int
		directed   bool
	}{{3, 4, false}, {4, 11, false}, {5, 34, false}, {3, 16, true}, {4, 218, true}} {
		var pairs []Edge
		for i := range c.n {
			for j := range c.n {
				if i < j || c.directed && i != j {
					pairs = append(pairs, Edge{i, j})
				}
			}
		}
		forms := map[[32]byte]bool{}
		for bits := range 1 << len(pairs) {
			g := Graph{N: c.n, Directed: c.directed}
			for i, e := range pairs {
				if bits>>i&1 == 1 {
					g.Edges = append(g.Edges, e)
				}
			}
			forms[Canonical(&g, nil, nil)] = true
		}
		if len(forms) != c.classes {
			t.Errorf("%d nodes, directed %v: %d classes, want %d", c.n, c.directed, len(forms), c.classes)
		}
	}
}

// symmetric is graphs that refinement alone cannot take apart.
func symmetric() map[string]*Graph {
	undirected := func(n int, joined func(i, j int) bool) *Graph {
		g := &Graph{N: n}
		for i := range n {
			for j := i + 1; j < n; j++ {
				if joined(i, j) {
					g.Edges = append(g.Edges, Edge{i, j})
				}
			}
		}
		return g
	}
	cycles := func(directed bool, sizes ...int) *Graph {
		g := &Graph{Directed: directed}
		for _, k := range sizes {
			for i := range k {
				e := Edge{g.N + i, g.N + (i+1)%k}
				if !directed && e.From > e.To {
					e = Edge{e.To, e.From}
				}
				g.Edges = append(g.Edges, e)
			}
			g.N += k
		}
		g.sort()
		return g
	}
	pairs := []Edge{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
	disjoint := func(i, j int) bool {
		a, b := pairs[i], pairs[j]
		return a.From != b.From && a.From != b.To && a.To != b.From && a.To != b.To
	}
	return map[string]*Graph{
		"empty":              undirected(12, func(int, int) bool { return false }),
		"complete":           undirected(12, func(int, int) bool { return true }),
		"bipartite":          undirected(12, func(i, j int) bool { return i < 6 && j >= 6 }),
		"matching":           undirected(12, func(i, j int) bool { return i/2 == j/2 }),
		"cocktail party":     undirected(12, func(i, j int) bool { return i/2 != j/2 }),
		"triangles":          cycles(false, 3, 3, 3, 3),
		"squares":            cycles(false, 4, 4, 4),
		"hexagons":           cycles(false, 6, 6),
		"cycle":              cycles(false, 12),
		"mixed cycles":       cycles(false, 3, 4, 5),
		"directed triangles": cycles(true, 3, 3, 3, 3),
		"directed cycle":     cycles(true, 12),
		"directed hexagons":  cycles(true, 6, 6),
		"Petersen":           undirected(10, disjoint),
		"prism":              undirected(12, func(i, j int) bool { return j == i+6 || i/6 == j/6 && (j-i == 1 || j-i == 5) }),
		"Paley-like":         undirected(12, func(i, j int) bool { d := j - i; return d == 1 || d == 5 || d == 7 || d == 11 }),
		"tournament 11": func() *Graph {
			g := &Graph{N: 11, Directed: true}
			for i := range 11 {
				for _, q := range []int{1, 3, 4, 5, 9} {
					g.Edges = append(g.Edges, Edge{i, (i + q) % 11})
				}
			}
			g.sort()
			return g
		}(),
	}
}

// TestCanonicalSymmetric renumbers graphs with much symmetry; the forms agree,
// differ between the graphs, and the search stays small.
func TestCanonicalSymmetric(t *testing.T) {
	seen := map[[32]byte]string{}
	for name, g := range symmetric() {
		form := Canonical(g, nil, nil)
		if other, ok := seen[form]; ok {
			t.Errorf("%s and %s have the same form", name, other)
		}
		seen[form] = name
		colors := make([]int, g.N)
		colors[0], colors[g.N/2] = 1, 2
		marked := Canonical(g, nil, colors)
		s := random.New(random.Key("symmetric", name))
		for range 50 {
			perm := s.Perm(g.N)
			h := permuted(g, perm)
			if Canonical(h, nil, nil) != form {
				t.Errorf("%s: two forms", name)
			}
			if Canonical(h, nil, recolored(colors, perm)) != marked {
				t.Errorf("%s: two coloured forms", name)
			}
			c := newCanon(h, nil, nil)
			c.search(c.start(), nil)
			if c.leaves > 200 {
				t.Errorf("%s: %d numberings tried", name, c.leaves)
			}
		}
	}
}

// TestCanonicalRenumbered renumbers random graphs of all sizes.
func TestCanonicalRenumbered(t *testing.T) {
	s := random.New(random.Key("renumbered"))
	inexact, most := 0, 0
	for i := range 3000 {
		n := s.Between(1, 30)
		c := randomColored(s, n)
		perm := s.Perm(n)
		form := Canonical(c.g, c.g2, c.colors)
		if form != Canonical(permuted(c.g, perm), permuted(c.g2, perm), recolored(c.colors, perm)) {
			t.Fatalf("case %d, %d nodes: two forms", i, n)
		}
		if !exact(form) {
			inexact++
		} else if n <= exhaustive {
			k := newCanon(c.g, c.g2, c.colors)
			k.search(k.start(), nil)
			most = max(most, k.leaves)
		}
		if n <= exhaustive && !exact(form) {
			t.Errorf("%d nodes: not exact", n)
		}
	}
	t.Logf("%d of 3000 inexact; at most %d numberings tried", inexact, most)
}

// TestCanonicalTellsApart changes one edge or one colour.
func TestCanonicalTellsApart(t *testing.T) {
	g := &Graph{N: 4, Directed: true, Edges: []Edge{{0, 1}, {1, 2}}}
	forms := map[[32]byte]int{}
	for i, c := range []colored{
		{g: g},
		{g: g, g2: g},
		{g: g, g2: &Graph{N: 4, Directed: true}},
		{g: &Graph{N: 4, Directed: true}, g2: g},
		{g: &Graph{N: 4, Edges: g.Edges}},
		{g: &Graph{N: 5, Directed: true, Edges: g.Edges}},
		{g: &Graph{N: 4, Directed: true, Edges: []Edge{{0, 1}, {2, 1}}}},
		{g: &Graph{N: 4, Directed: true, Edges: []Edge{{1, 0}, {1, 2}}}},
		{g: g, colors: []int{1, 0, 0, 0}},
		{g: g, colors: []int{2, 0, 0, 0}},
		{g: g, colors: []int{0, 1, 0, 0}},
		{g: g, colors: []int{1, 1, 1, 1}},
		{g: g, colors: []int{1, 2, 0, 0}},
	} {
		form := Canonical(c.g, c.g2, c.colors)
		if other, ok := forms[form]; ok {
			t.Errorf("cases %d and %d have the same form", i, other)
		}
		forms[form] = i
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, c := range []struct{ n, permille int }{{10, 300}, {12, 0}, {20, 300}, {100, 100}, {1000, 3}, {1000, 100}} {
		b.Run(fmt.Sprintf("n=%d,permille=%d", c.n, c.permille), func(b *testing.B) {
			g := Bernoulli(random.New(random.Key("benchmark")), c.n, true, c.permille)
			colors := make([]int, c.n)
			colors[0] = 1
			for b.Loop() {
				Canonical(&g, nil, colors)
			}
		})
	}
}

// exact says of a canonical form whether it is equal for isomorphic graphs only.
func exact(form [32]byte) bool { return form[31]&1 == 0 }
