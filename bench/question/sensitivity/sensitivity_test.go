package sensitivity

import (
	"reflect"
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/lang/check"
)

func made(t testing.TB, id instance.ID) *instance.Instance {
	t.Helper()
	in, _, err := instance.Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestOf writes the program of the category for every edited graph and runs it. Programs
// of these categories always have one answer.
func TestOf(t *testing.T) {
	for _, name := range []string{"reachability", "set_intersect", "triangle_count", "sibling", "cousin", "kinship_chain", "reach_then_filter", "scc_then_count", "graph_comparison", "multi_query"} {
		in := made(t, instance.NewID("test", name, 0, 1))
		cat, _ := instance.Category(name)
		c, err := in.Case()
		if err != nil {
			t.Fatal(err)
		}
		right, err := instance.Run(check.Core, in.EinProgram, cat.Result, in.Nodes)
		if err != nil {
			t.Fatal(err)
		}
		want := Result{ID: in.ID}
		pairs := in.N * (in.N - 1)
		if !c.G.Directed {
			pairs /= 2
		}
		for _, e := range edits(&c) {
			edited := c
			if e.second {
				edited.G2 = e.of(&c.G2)
			} else {
				edited.G = e.of(&c.G)
			}
			got, err := instance.Run(check.Core, cat.Ein(&edited), cat.Result, in.Nodes)
			if err != nil {
				t.Fatal(err)
			}
			kind := map[[2]bool]*Edits{{true, false}: &want.Drops, {false, true}: &want.Additions, {true, true}: &want.Reversals}[[2]bool{e.drop != graph.Edge{}, e.add != graph.Edge{}}]
			kind.Tried++
			if !got.Equal(right) {
				kind.Changed++
			}
		}
		if len(c.G2.Edges) > 0 {
			pairs *= 2
		}
		if want.Drops.Tried != len(c.G.Edges)+len(c.G2.Edges) || want.Drops.Tried+want.Additions.Tried != pairs {
			t.Errorf("%s: %+v of %d edges and %d pairs", name, want, len(c.G.Edges), pairs)
		}
		want.Share = float64(want.Drops.Changed+want.Additions.Changed+want.Reversals.Changed) / float64(want.Drops.Tried+want.Additions.Tried+want.Reversals.Tried)
		got, err := Of(in)
		if err != nil || *got != want {
			t.Errorf("%s: %+v, want %+v, %v", name, got, want, err)
		}
	}
}

// A question that has no one answer any more has another.
func TestTies(t *testing.T) {
	in := made(t, instance.NewID("test", "degree_max", 0, 1))
	c, err := in.Case()
	if err != nil {
		t.Fatal(err)
	}
	degree := make([]int, in.N)
	for _, e := range c.G.Edges {
		degree[e.From]++
	}
	best, second := 0, 0
	for _, d := range degree {
		best, second = max(best, d), max(second, min(best, d))
	}
	r, err := Of(in)
	if err != nil {
		t.Fatal(err)
	}
	if best-second == 1 && r.Drops.Changed == 0 {
		t.Errorf("the largest degree is %d, the next %d, and no drop changes the answer: %+v", best, second, r)
	}
}

// TestSample: beyond ten nodes 200 edits are tried, the same for every surface.
func TestSample(t *testing.T) {
	id := instance.PresetID("standard", "test", "reach_then_count", 0, 1)
	id.N = instance.Range{Min: 20, Max: 20}
	first, err := Of(made(t, id))
	if err != nil {
		t.Fatal(err)
	}
	id.SurfaceSeed = 9
	other, err := Of(made(t, id))
	if err != nil {
		t.Fatal(err)
	}
	if n := first.Drops.Tried + first.Additions.Tried + first.Reversals.Tried; !first.Sampled || n != sample {
		t.Errorf("%d edits: %+v", n, first)
	}
	first.ID = other.ID
	if !reflect.DeepEqual(first, other) {
		t.Errorf("%+v and %+v", first, other)
	}
	id = instance.NewID("test", "reachability", 0, 1)
	id.N, id.Density = instance.Range{Min: 200, Max: 200}, instance.Range{Min: 10, Max: 10}
	if _, err := Of(made(t, id)); err == nil {
		t.Error("200 nodes")
	}
}

func BenchmarkOf(b *testing.B) {
	for _, preset := range []string{"demo", "standard"} {
		var list []*instance.Instance
		for i := range category.Table {
			list = append(list, made(b, instance.PresetID(preset, "bench", category.Table[i].Name, 0, 1)))
		}
		b.Run(preset, func(b *testing.B) {
			for i := range b.N {
				if _, err := Of(list[i%len(list)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
