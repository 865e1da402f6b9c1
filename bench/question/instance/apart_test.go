package instance

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ein/bench/question/category"
)

// TestSides has splits of both sides share no graph with its anchors, no label and
// no domain but that of kinship, whatever their names and seeds.
func TestSides(t *testing.T) {
	per := 12
	if testing.Short() {
		per = 3
	}
	var plans [2]Cells
	for i := range category.Table {
		for side, splits := range [][]string{{"train", "train_fresh"}, {"heldout", "sweep"}} {
			for k, split := range splits {
				id, err := Standard(Default, split, category.Table[i].Name, 0, uint64(k))
				if err != nil {
					t.Fatal(err)
				}
				id.N = Range{max(6, category.Table[i].Least), 9}
				plans[side] = append(plans[side], Cell{ID: id, Count: per})
			}
		}
	}
	labels, structures := [2]map[string]bool{{}, {}}, [2]map[[32]byte]bool{{}, {}}
	for side, plan := range plans {
		for made, err := range (&Generator{}).Run(t.Context(), plan) {
			if err != nil {
				t.Fatal(err)
			}
			c, err := made.Case()
			if err != nil {
				t.Fatal(err)
			}
			form := canonical(&c)
			if training(made.Category, form) != (side == 0) {
				t.Errorf("%s is on the other side", made.ID)
			}
			structures[side][form] = true
			for _, l := range append(made.Nodes, made.Domain) {
				if l != shared {
					labels[side][token(l)] = true
				}
			}
		}
	}
	for l := range labels[0] {
		if labels[1][l] {
			t.Errorf("%s is on both sides", l)
		}
	}
	if len(structures[0]) < 26*per || len(labels[0]) < 50 {
		t.Errorf("%d structures, %d labels", len(structures[0]), len(labels[0]))
	}
}

// TestRepeats asks for more questions of few nodes than there are.
func TestRepeats(t *testing.T) {
	id, err := Standard(Default, "heldout", "sibling", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	id.N = Range{4, 4}
	for _, err := range (&Generator{}).Run(t.Context(), Cells{{ID: id, Count: 50}}) {
		if err != nil {
			for _, want := range []string{"of 4 nodes, density sparse, is too small", "ask for fewer"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %q", err, want)
				}
			}
			return
		}
	}
	t.Error("there is no end of small families")
}

var updateSides = flag.Bool("update-sides", false, "write the vectors of the sides")

// vector is a question, its canonical form and its side, as published.
type vector struct {
	Category string   `json:"category"`
	N        int      `json:"n"`
	Directed bool     `json:"directed"`
	Edges    [][2]int `json:"edges"`
	Edges2   [][2]int `json:"edges2,omitzero"`
	Source   *int     `json:"source,omitempty"`
	Target   *int     `json:"target,omitempty"`
	Form     string   `json:"form"`
	Side     string   `json:"side"`
}

// TestSideVectors holds the canonical form and the side to what is published.
func TestSideVectors(t *testing.T) {
	path := filepath.Join("testdata", "sides.jsonl")
	if *updateSides {
		var b strings.Builder
		for i := range category.Table {
			for k, split := range []string{"train", "heldout"} {
				id, err := Standard(Default, split, category.Table[i].Name, k, 1)
				if err != nil {
					t.Fatal(err)
				}
				in := generate(t, id)
				c, _ := in.Case()
				form := canonical(&c)
				line, err := json.Marshal(vector{in.Category, in.N, in.Directed, in.Edges, in.Edges2, in.Query.Source, in.Query.Target, hex.EncodeToString(form[:]), side(in.Category, form)})
				if err != nil {
					t.Fatal(err)
				}
				b.Write(append(line, '\n'))
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines, sides := bufio.NewScanner(f), map[string]int{}
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		in := Instance{Category: v.Category, N: v.N, Directed: v.Directed, Edges: v.Edges, Edges2: v.Edges2, Nodes: make([]string, v.N), Query: Query{Source: v.Source, Target: v.Target}}
		c, err := in.Case()
		if err != nil {
			t.Fatal(err)
		}
		form := canonical(&c)
		if got := hex.EncodeToString(form[:]); got != v.Form || side(v.Category, form) != v.Side {
			t.Errorf("%s of %d nodes: form %s, side %s; published as %s, %s", v.Category, v.N, got, side(v.Category, form), v.Form, v.Side)
		}
		sides[v.Side]++
	}
	if sides["train"] != 26 || sides["heldout"] != 26 {
		t.Errorf("vectors of sides: %v", sides)
	}
}

func side(name string, form [32]byte) string {
	if training(name, form) {
		return "train"
	}
	return "heldout"
}
