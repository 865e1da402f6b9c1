package instance

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/random"
	"ein/bench/question/surface"
	"ein/internal/golden"
)

func generate(t testing.TB, id ID) *Instance {
	t.Helper()
	in, _, err := Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// forEach runs a test for each category.
func forEach(t *testing.T, f func(t *testing.T, c *category.Category)) {
	for i := range category.Table {
		c := &category.Table[i]
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			f(t, c)
		})
	}
}

// goldenIDs returns every setting of every category: 16 ids each.
func goldenIDs() []ID {
	var ids []ID
	for i := range category.Table {
		for k := range 16 {
			id := NewID("golden", category.Table[i].Name, k, 42)
			switch k {
			case 8:
				id.SurfaceSeed = 7
			case 9:
				id.N = Range{20, 20}
			case 10:
				id.Density = Range{250, 750}
			case 11:
				id.Explicit = true
			case 12:
				id.Encoding = surface.JSON
			case 13:
				id.Encoding = surface.Matrix
			case 14:
				id.Part, id.Parts = 2, 2
			case 15:
				id.N, id.Seed, id.SurfaceSeed = Range{8, 40}, math.MaxUint64, 0
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// goldenLater is settings of cb2, of every category, and all its presets.
func goldenLater(t testing.TB) []ID {
	var ids []ID
	for i := range category.Table {
		for k := range 5 {
			id, err := Standard(Default, "golden", category.Table[i].Name, k, 42)
			if err != nil {
				t.Fatal(err)
			}
			switch k {
			case 1:
				id.SurfaceSeed, id.N = 7, Range{9, 9}
			case 2:
				id.Density, id.Encoding = Range{100, 200}, surface.JSON
			case 3:
				id.Explicit, id.Part, id.Parts = false, 2, 2
			case 4:
				if category.Table[i].Hops {
					id.N, id.Depth = Range{12, 12}, Range{3, 3}
				}
			}
			ids = append(ids, id)
		}
		for k, preset := range PresetNames() {
			ids = append(ids, PresetID(preset, "train", category.Table[i].Name, k, 0), PresetID(preset, "heldout", category.Table[i].Name, k, math.MaxUint64))
		}
	}
	return ids
}

// TestGolden holds ids to the bytes that they have always given. A digest that
// changes is a new generator.
func TestGolden(t *testing.T) {
	for version, ids := range map[string][]ID{Version: goldenIDs(), Default: goldenLater(t)} {
		path := filepath.Join("testdata", version+".txt")
		var b strings.Builder
		for _, id := range ids {
			in := generate(t, id)
			fmt.Fprintf(&b, "%s %s\n", in.ID, in.Digest)
			if again, err := ParseID(in.ID); err != nil || again != id {
				t.Errorf("%s is read as %+v, %v", in.ID, again, err)
			}
		}
		if golden.File(t, path, b.String()); t.Failed() {
			t.Errorf("instances of %s that differ are those of a new generator", version)
		}
	}
}

// inNodes returns an answer with nodes in place of labels.
func inNodes(in *Instance) any {
	var v any
	if err := json.Unmarshal(in.Answer, &v); err != nil {
		panic(err)
	}
	index := func(x any) any {
		if s, ok := x.(string); ok {
			return slices.Index(in.Nodes, s)
		}
		return x
	}
	if list, ok := v.([]any); ok {
		for i := range list {
			list[i] = index(list[i])
		}
		return list
	}
	return index(v)
}

// TestSurface gives one structure 20 surfaces.
func TestSurface(t *testing.T) {
	forEach(t, func(t *testing.T, c *category.Category) {
		base := generate(t, NewID("test", c.Name, 5, 9))
		questions := map[string]bool{}
		for seed := range uint64(20) {
			id := NewID("test", c.Name, 5, 9)
			id.SurfaceSeed = 100 + seed
			in := generate(t, id)
			questions[in.Question] = true
			if !reflect.DeepEqual(in.Edges, base.Edges) || !reflect.DeepEqual(in.Edges2, base.Edges2) || !reflect.DeepEqual(in.Query, base.Query) ||
				in.EinProgram != base.EinProgram || in.PythonProgram != base.PythonProgram || in.StructuralSeed != base.StructuralSeed {
				t.Fatalf("%s has another structure than %s", in.ID, base.ID)
			}
			if in.SurfaceSeed == base.SurfaceSeed {
				t.Fatalf("%s has the surface seed of %s", in.ID, base.ID)
			}
			if got, want := inNodes(in), inNodes(base); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: answer %v, want %v", in.ID, got, want)
			}
		}
		if len(questions) < 20 {
			t.Errorf("%d texts of 20 surfaces", len(questions))
		}
	})
}

// TestStructure gives one surface 20 structures.
func TestStructure(t *testing.T) {
	forEach(t, func(t *testing.T, c *category.Category) {
		id := NewID("test", c.Name, 5, 9)
		base := generate(t, id)
		graphs := map[string]bool{}
		for seed := range uint64(20) {
			id.Seed = 100 + seed
			in := generate(t, id)
			graphs[fmt.Sprint(in.Edges, in.Query.Source)] = true
			n := min(in.N, base.N)
			if in.SurfaceSeed != base.SurfaceSeed || in.Domain != base.Domain || in.Style != base.Style || in.Labels != base.Labels ||
				!slices.Equal(in.Nodes[:n], base.Nodes[:n]) {
				t.Fatalf("%s has another surface than %s", in.ID, base.ID)
			}
		}
		if len(graphs) < 18 {
			t.Errorf("%d graphs of 20 structures", len(graphs))
		}
	})
}

// TestVariants changes the wording and the encoding of one instance.
func TestVariants(t *testing.T) {
	forEach(t, func(t *testing.T, c *category.Category) {
		id := NewID("test", c.Name, 2, 3)
		base := generate(t, id)
		if c.Least <= base.N && (base.N < 4 || base.N > 10) {
			t.Errorf("%d nodes", base.N)
		}
		last := func(s string) string { return s[strings.LastIndex(s, ". ")+2:] }
		for _, e := range []surface.Encoding{surface.JSON, surface.Matrix} {
			id.Encoding = e
			in := generate(t, id)
			if in.Question == base.Question || !strings.HasSuffix(in.Question, last(base.Question)) {
				t.Errorf("%s: %s\nhas not the question of\n%s", e, in.Question, base.Question)
			}
			if !reflect.DeepEqual(in.Nodes, base.Nodes) || !reflect.DeepEqual(in.Answer, base.Answer) || in.EinProgram != base.EinProgram {
				t.Errorf("%s is about something else", e)
			}
		}
		id.Encoding, id.Explicit = surface.NL, true
		in := generate(t, id)
		if !reflect.DeepEqual(in.Nodes, base.Nodes) || !reflect.DeepEqual(in.Answer, base.Answer) || in.EinProgram != base.EinProgram {
			t.Error("the explicit wording is about something else")
		}
	})
}

// TestUniform draws the sizes and densities of many instances.
func TestUniform(t *testing.T) {
	draws := 7000
	if testing.Short() {
		draws = 700
	}
	forEach(t, func(t *testing.T, c *category.Category) {
		sizes, low := map[int]int{}, 0
		for i := range draws {
			id := NewID("test", c.Name, i, 1)
			d, err := drawCase(t.Context(), id, c, id.StructuralKey())
			if err != nil {
				t.Fatal(err)
			}
			sizes[d.Case.G.N]++
			if d.permille < 100 || d.permille > 500 {
				t.Fatalf("density %d", d.permille)
			}
			if d.permille <= 300 {
				low++
			}
		}
		first := max(4, c.Least)
		want := float64(draws) / float64(11-first)
		for n := first; n <= 10; n++ {
			if d := float64(sizes[n]) - want; math.Abs(d) > 6*math.Sqrt(want) {
				t.Errorf("%d graphs of %d nodes, expected about %.0f", sizes[n], n, want)
			}
		}
		if want := float64(draws) * 201 / 401; math.Abs(float64(low)-want) > 3*math.Sqrt(float64(draws)) {
			t.Errorf("%d densities up to 0.3, expected about %.0f", low, want)
		}
	})
}

// TestStreams compares 100,000 structures of 100 seeds that follow one another:
// among directed graphs on 5 nodes, of which at a density of one half all are
// equally likely, the same ones meet as often as chance has it, and those of
// different seeds no more than those of the same.
func TestStreams(t *testing.T) {
	const seeds, indices = 100, 1000
	at := map[uint32][][2]int{}
	for seed := range seeds {
		for index := range indices {
			id := NewID("test", "reachability", index, uint64(seed))
			s := random.New(id.StructuralKey())
			c := drawGraph(s, category.Directed, 5, 500)
			code := uint32(0)
			for _, e := range c.G.Edges {
				code |= 1 << (5*e.From + e.To)
			}
			at[code] = append(at[code], [2]int{seed, index})
		}
	}
	pairs, same, adjacent, diagonal := 0, 0, 0, 0
	for _, list := range at {
		for i, a := range list {
			for _, b := range list[:i] {
				pairs++
				switch a[0] - b[0] {
				case 0:
					same++
				case -1, 1:
					adjacent++
				}
				if a[0]+a[1] == b[0]+b[1] {
					diagonal++
				}
			}
		}
	}
	const n, graphs = seeds * indices, 1 << 20
	check := func(what string, got int, tries float64) {
		want := tries / graphs
		if math.Abs(float64(got)-want) > 6*math.Sqrt(want)+3 {
			t.Errorf("%s: %d pairs have the same graph, expected %.0f", what, got, want)
		}
	}
	check("all", pairs, n*(n-1)/2)
	check("same seed", same, seeds*indices*(indices-1)/2)
	check("neighbouring seeds", adjacent, (seeds-1)*indices*indices)
	check("seed + index", diagonal, n*seeds/2.0)
}

// TestApart holds the instances of neighbouring seeds, of splits and of
// categories apart.
func TestApart(t *testing.T) {
	keys := map[[32]byte]bool{}
	count := 0
	add := func(k [32]byte) { keys[k] = true; count++ }
	for _, split := range []string{"a", "b"} {
		for i := range category.Table {
			for seed := range uint64(30) {
				for index := range 30 {
					id := NewID(split, category.Table[i].Name, index, seed)
					add(id.StructuralKey())
					add(id.SurfaceKey())
				}
			}
		}
	}
	if len(keys) != count {
		t.Errorf("%d streams for %d ids", len(keys), count)
	}
}

// TestNoSpace asks for what does not exist.
func TestNoSpace(t *testing.T) {
	c := &category.Category{Name: "impossible", Draw: func(*random.Stream, *category.Case) bool { return false }}
	id := NewID("test", "impossible", 0, 1)
	if _, err := drawCase(t.Context(), id, c, id.StructuralKey()); err == nil || !strings.Contains(err.Error(), "impossible has no good question in 1048576 graphs of ") {
		t.Error(err)
	}
	if _, _, err := Generate(id); err == nil || !strings.Contains(err.Error(), `no category "impossible"`) {
		t.Error(err)
	}
}

// TestLarge makes the largest graphs.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	forEach(t, func(t *testing.T, c *category.Category) {
		id := NewID("test", c.Name, 0, 1)
		id.N, id.Density = Range{MaxNodes, MaxNodes}, Range{10, 10}
		if in := generate(t, id); in.N != MaxNodes || len(in.Nodes) != MaxNodes {
			t.Errorf("%d nodes", in.N)
		}
	})
}
