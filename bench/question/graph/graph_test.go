package graph

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"ein/bench/question/random"
)

// valid checks what the type promises.
func valid(t *testing.T, g *Graph) {
	t.Helper()
	if !sort.IsSorted(Edges(g.Edges)) {
		t.Errorf("edges are not sorted: %v", g.Edges)
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= g.N || e.To >= g.N || e.From == e.To ||
			!g.Directed && e.From > e.To || i > 0 && e == g.Edges[i-1] {
			t.Errorf("bad edge %v of %d nodes, directed %v", e, g.N, g.Directed)
		}
	}
}

func TestBernoulli(t *testing.T) {
	s := random.New(random.Key("bernoulli"))
	for _, directed := range []bool{false, true} {
		for _, permille := range []int{0, 1, 100, 500, 1000} {
			const n, graphs = 20, 200
			count := 0
			for range graphs {
				g := Bernoulli(s, n, directed, permille)
				valid(t, &g)
				count += len(g.Edges)
			}
			pairs := graphs * n * (n - 1)
			if !directed {
				pairs /= 2
			}
			expect := float64(pairs) * float64(permille) / 1000
			// Five standard deviations.
			if d := float64(count) - expect; d*d > 25*expect*(1-float64(permille)/1000) {
				t.Errorf("directed %v, %d permille: %d edges, expected %.0f", directed, permille, count, expect)
			}
		}
	}
	for _, n := range []int{0, 1} {
		if g := Bernoulli(s, n, true, 1000); len(g.Edges) > 0 {
			t.Errorf("%d nodes with edges", n)
		}
	}
}

func TestKinship(t *testing.T) {
	s := random.New(random.Key("kinship"))
	share := func(name string, n, yes, all, least int) {
		t.Logf("n=%d: %.0f%% of families with %s", n, 100*float64(yes)/float64(all), name)
		if 100*yes < least*all {
			t.Errorf("n=%d: %d of %d families with %s, want %d%%", n, yes, all, name, least)
		}
	}
	for _, n := range []int{0, 1, 4, 5, 7, 10, 50} {
		const graphs = 600
		siblings, cousins, lines := 0, 0, 0
		for i := range graphs {
			g := Kinship(s, n, 100+i%5*100)
			valid(t, &g)
			f := g.Facts()
			sib, cous, line := false, false, false
			for x := range n {
				if f.Parents(x).Len() > 2 || f.Children(x).Len() > MaxChildren {
					t.Fatalf("%d has %d parents and %d children", x, f.Parents(x).Len(), f.Children(x).Len())
				}
				if f.Component(x).Len() != 1 {
					t.Fatalf("%d is on a cycle of %v", x, g.Edges)
				}
				for _, p := range f.in[x] {
					if f.Grandparents(x)[p] {
						t.Fatalf("%d is a parent and a grandparent of %d in %v", p, x, g.Edges)
					}
				}
				sib = sib || f.Siblings(x).Len() > 0
				cous = cous || f.Cousins(x).Len() > 0
				line = line || f.Ancestors(x).Len() > 1
			}
			for _, c := range []struct {
				is bool
				to *int
			}{{sib, &siblings}, {cous, &cousins}, {line, &lines}} {
				if c.is {
					*c.to++
				}
			}
		}
		if n >= 4 {
			share("siblings", n, siblings, graphs, 50)
			share("a grandparent", n, lines, graphs, 50)
		}
		if n >= 7 {
			share("cousins", n, cousins, graphs, 20)
		}
	}
}

func TestPlantTriangles(t *testing.T) {
	s := random.New(random.Key("triangles"))
	triples := map[string]int{}
	for range 10_000 {
		g := Graph{N: 4}
		PlantTriangles(s, &g, 1)
		valid(t, &g)
		triples[fmt.Sprint(g.Edges)]++
	}
	if len(triples) != 4 {
		t.Errorf("%d different triangles on 4 nodes", len(triples))
	}
	for edges, count := range triples {
		if count < 2200 || count > 2800 {
			t.Errorf("%s came up %d times in 10,000", edges, count)
		}
	}
	for n := range 12 {
		for _, directed := range []bool{false, true} {
			g := Bernoulli(s, n, directed, 200)
			had := slices.Clone(g.Edges)
			PlantTriangles(s, &g, 2)
			valid(t, &g)
			for _, e := range had {
				if !slices.Contains(g.Edges, e) {
					t.Errorf("lost %v", e)
				}
			}
			if all := make(Set, n); n >= 3 && !directed {
				for x := range all {
					all[x] = true
				}
				if g.Facts().Triangles(all) == 0 {
					t.Errorf("no triangle in %v", g.Edges)
				}
			}
		}
	}
}

// TestFacts compares the searches with powers of the matrix on random graphs.
func TestFacts(t *testing.T) {
	s := random.New(random.Key("facts"))
	for range 400 {
		n := s.Between(1, 9)
		g := Bernoulli(s, n, s.Chance(1, 2), s.Between(0, 600))
		f := g.Facts()
		a := make([][]bool, n)
		for i := range a {
			a[i] = make([]bool, n)
		}
		for _, e := range g.Edges {
			a[e.From][e.To] = true
			if !g.Directed {
				a[e.To][e.From] = true
			}
		}
		path := make([][]bool, n)
		for i := range path {
			path[i] = slices.Clone(a[i])
		}
		for k := range n {
			for i := range n {
				for j := range n {
					path[i][j] = path[i][j] || path[i][k] && path[k][j]
				}
			}
		}
		for x := range n {
			out, in := 0, 0
			for y := range n {
				if a[x][y] {
					out++
				}
				if a[y][x] {
					in++
				}
				check := func(name string, got, want bool) {
					if got != want {
						t.Fatalf("%s(%d) has %d: %v, want %v, in %v", name, x, y, got, want, g)
					}
				}
				two := func(first, second func(i, j int) bool) bool {
					for z := range n {
						if first(x, z) && second(z, y) {
							return true
						}
					}
					return false
				}
				child := func(i, j int) bool { return a[i][j] }
				parent := func(i, j int) bool { return a[j][i] }
				sibling := y != x && two(parent, child)
				grand := func(up bool) func(i, j int) bool {
					return func(i, j int) bool {
						for z := range n {
							if up && a[z][i] && a[j][z] || !up && a[i][z] && a[z][j] {
								return true
							}
						}
						return false
					}
				}
				check("Reach", f.Reach(x)[y], x != y && path[x][y])
				check("Ancestors", f.Ancestors(x)[y], x != y && path[y][x])
				check("Component", f.Component(x)[y], x == y || path[x][y] && path[y][x])
				check("Grandparents", f.Grandparents(x)[y], two(parent, parent))
				check("Grandchildren", f.Grandchildren(x)[y], two(child, child))
				check("Siblings", f.Siblings(x)[y], sibling)
				check("Cousins", f.Cousins(x)[y], y != x && !sibling && two(grand(true), grand(false)))
			}
			if f.OutDegree(x) != out || f.Children(x).Len() != out || f.InDegree(x) != in || f.Parents(x).Len() != in {
				t.Fatalf("degrees of %d in %v", x, g)
			}
		}
		if !g.Directed {
			part, count := f.Reach(0), 0
			part[0] = true
			for i := range n {
				for j := range i {
					for k := range j {
						if a[i][j] && a[j][k] && a[k][i] && part[i] && part[j] && part[k] {
							count++
						}
					}
				}
			}
			if got := f.Triangles(part); got != count {
				t.Fatalf("%d triangles, want %d, in %v", got, count, g)
			}
		}
	}
}

func BenchmarkGraphs(b *testing.B) {
	s := random.New(random.Key("benchmark"))
	big := Bernoulli(s, 1000, true, 100)
	f := big.Facts()
	for name, run := range map[string]func(){
		"Bernoulli/n=10":   func() { Bernoulli(s, 10, true, 300) },
		"Bernoulli/n=1000": func() { Bernoulli(s, 1000, true, 100) },
		"Kinship/n=10":     func() { Kinship(s, 10, 300) },
		"Kinship/n=1000":   func() { Kinship(s, 1000, 300) },
		"Facts/n=1000":     func() { big.Facts() },
		"Reach/n=1000":     func() { f.Reach(0) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}
