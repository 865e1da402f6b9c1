package memorization

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/golden"
	"ein/internal/stats"
)

// quiet shows no progress.
func quiet(int, int) {}

// trained is some questions of every category.
func trained(t *testing.T, each int) []*instance.Instance {
	t.Helper()
	var list []*instance.Instance
	for _, c := range category.Table {
		for i := range each {
			list = append(list, make1(t, instance.NewID("train", c.Name, i, 42)))
		}
	}
	return list
}

func make1(t *testing.T, id instance.ID) *instance.Instance {
	t.Helper()
	in, _, err := instance.Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func generate(t *testing.T, seen []*instance.Instance, seed uint64) *Generated {
	t.Helper()
	g, err := Generate(context.Background(), seen, seed, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGenerate compares all questions of all cells with each other.
func TestGenerate(t *testing.T) {
	seen := trained(t, 3)
	g := generate(t, seen, 7)
	if len(g.Left) > 3 || len(g.Instances[Seen])+len(g.Left) != len(seen) {
		t.Errorf("%d of %d are left out", len(g.Left), len(seen))
	}
	forms := map[Cell][][32]byte{}
	for _, c := range Cells() {
		read := 0
		for in, err := range instance.Read(bytes.NewReader(g.Lines[c])) {
			if err != nil {
				t.Fatal(err)
			}
			// The id makes the question again.
			id, err := instance.ParseID(in.ID)
			if err != nil || make1(t, id).Digest != in.Digest {
				t.Errorf("%s is not made again: %v", in.ID, err)
			}
			form, err := instance.Structure(in)
			if err != nil {
				t.Fatal(err)
			}
			forms[c] = append(forms[c], form)
			read++
		}
		if read != len(g.Instances[c]) {
			t.Errorf("%s: %d lines of %d questions", c, read, len(g.Instances[c]))
		}
	}
	ids := map[string]bool{}
	for _, c := range Cells() {
		for i, in := range g.Instances[c] {
			if ids[in.ID] {
				t.Errorf("%s is there twice", in.ID)
			}
			ids[in.ID] = true
			partner := g.Instances[Seen][i]
			if in.Category != partner.Category || in.N != partner.N {
				t.Errorf("%s: %s does not go with %s", c, in.ID, partner.ID)
			}
			structure, look := c.shares()
			if got := in.StructuralSeed == partner.StructuralSeed; got != structure {
				t.Errorf("%s and %s: same structural seed %v", in.ID, partner.ID, got)
			}
			if got := in.SurfaceSeed == partner.SurfaceSeed; got != look {
				t.Errorf("%s and %s: same surface seed %v", in.ID, partner.ID, got)
			}
			if structure != slices.Equal(flat(in), flat(partner)) {
				t.Errorf("%s and %s: same graph %v", in.ID, partner.ID, !structure)
			}
			same := in.Domain == partner.Domain && in.Style == partner.Style && slices.Equal(in.Nodes, partner.Nodes)
			if same != look {
				t.Errorf("%s and %s: same surface %v", in.ID, partner.ID, same)
			}
			for j, other := range g.Instances[Seen] {
				if !structure && forms[c][i] == forms[Seen][j] {
					t.Errorf("%s: %s has the structure of %s", c, in.ID, other.ID)
				}
				if c != Seen && in.Question == other.Question {
					t.Errorf("%s: %s has the text of %s", c, in.ID, other.ID)
				}
			}
		}
	}
	if again := generate(t, seen, 7); !bytes.Equal(again.Lines[Fresh], g.Lines[Fresh]) || again.Proof.Text() != g.Proof.Text() {
		t.Error("the same seed makes other cells")
	}
	if other := generate(t, seen, 8); bytes.Equal(other.Lines[Surface], g.Lines[Surface]) {
		t.Error("another seed makes the same cells")
	}
}

// flat returns a graph with its anchors, as numbers.
func flat(in *instance.Instance) []int {
	out := []int{in.N}
	for _, list := range [][][2]int{in.Edges, {{-1, -1}}, in.Edges2} {
		for _, e := range list {
			out = append(out, e[0], e[1])
		}
	}
	for _, p := range []*int{in.Query.Source, in.Query.Target} {
		if p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// TestScarce asks for new structures of graphs of which nearly all have been seen.
func TestScarce(t *testing.T) {
	var seen []*instance.Instance
	for i := range 80 {
		id := instance.NewID("train", "sibling", i, 42)
		id.N = instance.Range{Min: 4, Max: 4}
		seen = append(seen, make1(t, id))
	}
	g := generate(t, seen, 7)
	if len(g.Left) == 0 || len(g.Instances[Fresh])+len(g.Left) != len(seen) {
		t.Errorf("%d are left out, %d not", len(g.Left), len(g.Instances[Fresh]))
	}
	if text := g.Proof.Text(); !strings.Contains(text, fmt.Sprintf("%d left out of all cells", len(g.Left))) {
		t.Error(text)
	}
}

// TestEmpty asks for structures of which there is one, and none on the other side.
func TestEmpty(t *testing.T) {
	id := instance.PresetID("standard", "train", "scc_then_count", 0, 1)
	id.N = instance.Range{Min: 4, Max: 4}
	in := make1(t, id)
	b := &builder{seed: 7}
	if found, err := b.search(t.Context(), Apart, in, id); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	_, err := Generate(t.Context(), []*instance.Instance{in}, 7, quiet)
	if want := "cb2-train-scc_then_count-0-s1-n4 has none for the cell surface"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestGenerateErrors(t *testing.T) {
	in := make1(t, instance.NewID("fresh", "reachability", 0, 42))
	foreign, changed := *in, *in
	foreign.ID = "mine-1"
	changed.Digest = strings.Repeat("0", 64)
	for want, list := range map[string][]*instance.Instance{
		"an id is cb1-": {&foreign},
		"the question differs from the one its id generates": {&changed},
		"the question occurs twice":                          {in, in},
	} {
		if _, err := Generate(context.Background(), list, 0, quiet); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Generate(ctx, []*instance.Instance{in}, 0, quiet); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// The split of fresh questions is another one than that of those seen.
	if g := generate(t, []*instance.Instance{in}, 7); g.Instances[Fresh][0].Split != "fresh2" {
		t.Errorf("split %s", g.Instances[Fresh][0].Split)
	}
}

// TestProofFinds has cells that are not what they are said to be.
func TestProofFinds(t *testing.T) {
	seen := trained(t, 1)
	for _, swap := range [][2]Cell{{Structure, Fresh}, {Surface, Structure}, {Fresh, Seen}} {
		g := generate(t, seen, 7)
		g.Instances[swap[0]][3] = g.Instances[swap[1]][3]
		if _, err := prove(g); err == nil || !strings.Contains(err.Error(), "the cell "+string(swap[0])) {
			t.Errorf("%v: %v", swap, err)
		}
	}
	g := generate(t, seen, 7)
	g.Instances[Fresh][3], g.Instances[Fresh][4] = g.Instances[Fresh][4], g.Instances[Fresh][3]
	if _, err := prove(g); err == nil {
		t.Error("questions that do not match pass")
	}
}

// student is a model that is right with these probabilities.
type student map[Cell]float64

// answers returns the rows of an epoch.
func (s student) answers(g *Generated, seed uint64) map[Cell][]*run.Row {
	random := rand.New(rand.NewPCG(seed, 1))
	out := map[Cell][]*run.Row{}
	for _, c := range Cells() {
		p, ok := s[c]
		if !ok {
			continue
		}
		for _, in := range g.Instances[c] {
			o := answer.Wrong
			if random.Float64() < p {
				o = answer.StrictlyRight
			}
			row := &run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: prompt.Direct}, Encoding: surface.NL}
			row.Reply = &run.Reply{Key: row.Key}
			row.Score = &run.Score{Key: row.Key, Verdict: verdict.Verdict{Result: answer.Result{Outcome: o, Judgements: o.Judgements()}}}
			out[c] = append(out[c], row)
		}
	}
	return out
}

func analyse(t *testing.T, g *Generated, rows ...map[Cell][]*run.Row) *Report {
	t.Helper()
	member, err := NewMembership(g.Instances)
	if err != nil {
		t.Fatal(err)
	}
	var epochs []Epoch
	for i, r := range rows {
		epochs = append(epochs, Epoch{fmt.Sprintf("epoch %d", i+1), r})
	}
	r, err := Analyse(epochs, member, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	return r
}

// TestStudents has models that know what they know, exactly.
func TestStudents(t *testing.T) {
	g := generate(t, trained(t, 4), 7)
	for _, test := range []struct {
		name  string
		knows student
		gaps  []float64 // in the order of the table
	}{
		{"a memoriser of texts", student{Seen: 1, Structure: 0, Surface: 0, Fresh: 0}, []float64{1, 1, 1, 0, 0, 1}},
		{"a memoriser of graphs", student{Seen: 1, Structure: 1, Surface: 0, Fresh: 0}, []float64{1, 0, 1, 1, 0, 0}},
		{"a memoriser of names", student{Seen: 1, Structure: 0, Surface: 1, Fresh: 0}, []float64{1, 1, 0, 0, 1, 0}},
		{"one that computes", student{Seen: 1, Structure: 1, Surface: 1, Fresh: 1}, []float64{0, 0, 0, 0, 0, 0}},
		{"one that knows nothing", student{Seen: 0, Structure: 0, Surface: 0, Fresh: 0}, []float64{0, 0, 0, 0, 0, 0}},
	} {
		r := analyse(t, g, test.knows.answers(g, 1))
		for i, x := range r.Epochs[0].Gaps {
			if math.Abs(x.Value-test.gaps[i]) > 1e-12 || (x.P < 0.05) != (x.Value != 0) || x.Value < x.Interval.Low || x.Value > x.Interval.High || x.SE <= 0 {
				t.Errorf("%s: %+v, want %v", test.name, x, test.gaps[i])
			}
			if want := map[bool]string{true: Clustered, false: Paired}[i == 5]; x.Method != want {
				t.Errorf("%s: %s by %s, want %s", test.name, x.Name, x.Method, want)
			}
			n := len(g.Instances[Seen])
			if one := int(math.Round(*x.MinimumEffect * float64(n))); x.Method == Paired && (stats.Paired{OnlyA: one, Neither: n - one}).McNemarMidP() > 0.05 {
				t.Errorf("%s: the least gap %v of %s is none that the test finds", test.name, *x.MinimumEffect, x.Name)
			}
		}
	}
}

// TestStill has two epochs with the same answers. Rounding must not make them an error of next to
// nothing.
func TestStill(t *testing.T) {
	g := generate(t, trained(t, 3), 7)
	for seed := range uint64(4) {
		rows := student{Seen: 0.7, Structure: 0.6, Surface: 0.5, Fresh: 0.4}.answers(g, seed)
		for _, x := range analyse(t, g, rows, rows).Changes {
			if math.Abs(x.Value) > 1e-12 || x.P < 0.999 || x.SE < 0.01 {
				t.Errorf("%+v", x)
			}
		}
	}
}

// TestCoverage draws models with known shares and looks how often the intervals
// hold the true gaps.
func TestCoverage(t *testing.T) {
	g := generate(t, trained(t, 3), 7)
	truth := student{Seen: 0.8, Structure: 0.65, Surface: 0.6, Fresh: 0.55}
	want := []float64{0.25, 0.15, 0.2, 0.1, 0.05, 0.1}
	const runs = 60
	held := make([]int, len(want))
	for seed := range uint64(runs) {
		for i, x := range analyse(t, g, truth.answers(g, seed)).Epochs[0].Gaps {
			if x.Interval.Low <= want[i] && want[i] <= x.Interval.High {
				held[i]++
			}
		}
	}
	t.Logf("of %d runs, the intervals hold the gaps in %v", runs, held)
	for i, n := range held {
		if n < runs*80/100 {
			t.Errorf("gap %d: %d of %d", i, n, runs)
		}
	}
}

// TestApart has no partners: the questions of a training and of a held-out split.
func TestApart(t *testing.T) {
	g := &Generated{Instances: map[Cell][]*instance.Instance{}}
	for i := range 60 {
		g.Instances[Seen] = append(g.Instances[Seen], make1(t, instance.NewID("train", "degree_count", i, 42)))
		g.Instances[Fresh] = append(g.Instances[Fresh], make1(t, instance.NewID("heldout", "degree_count", i, 42)))
	}
	rows := student{Seen: 0.9, Fresh: 0.5}.answers(g, 3)
	r, err := Analyse([]Epoch{{"only", rows}}, nil, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Epochs[0]
	if len(e.Gaps) != 1 || e.Gaps[0].Method != Unpaired || e.Cells[1].Clashes > 5 {
		t.Fatalf("%+v", e)
	}
	a, b := e.Cells[0].Lenient, e.Cells[1].Lenient
	if want := stats.Newcombe(stats.Count(a.Right, a.N), stats.Count(b.Right, b.N), 0.95); e.Gaps[0].Interval != want {
		t.Errorf("%v, want %v", e.Gaps[0].Interval, want)
	}
}

// TestAverages: no cell has a question that asks for an average and wants the maximum or the sum.
func TestAverages(t *testing.T) {
	id := instance.PresetID("standard", "train", "mixed_domain", 0, 1)
	id.Explicit = false
	var seen []*instance.Instance
	for ; len(seen) < 3; id.Index++ {
		if in := make1(t, id); in.Query.Aggregate == category.Mean {
			seen = append(seen, in)
		}
	}
	for c, list := range generate(t, seen, 5).Instances {
		for _, in := range list {
			if in.Query.Aggregate != category.Mean {
				t.Errorf("%s: %s has the %s", c, in.ID, in.Query.Aggregate)
			}
		}
	}
}

// TestClashes puts questions into cells where they do not belong.
func TestClashes(t *testing.T) {
	g := generate(t, trained(t, 1), 7)
	rows := student{Seen: 1, Structure: 1, Surface: 1, Fresh: 1}.answers(g, 1)
	rows[Fresh][0], rows[Structure][1], rows[Surface][2] = rows[Structure][0], rows[Fresh][1], rows[Fresh][2]
	rows[Seen][3].Reply, rows[Seen][3].Score = nil, nil
	rows[Seen][4].Score.Outcome = answer.InfraError
	e := analyse(t, g, rows).Epochs[0]
	for i, want := range []CellReport{{Missing: 1, Infra: 1}, {Clashes: 1}, {Clashes: 1}, {Clashes: 1}} {
		c := e.Cells[i]
		if c.Missing != want.Missing || c.Infra != want.Infra || c.Clashes != want.Clashes || c.Strict.N != c.Asked-c.Missing-c.Infra-c.Clashes {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	if m := e.Gaps[0].Method; m != Clustered {
		t.Errorf("with partners missing the method is %s", m)
	}
}

func TestAnalyseErrors(t *testing.T) {
	g := generate(t, trained(t, 1), 7)
	full := student{Seen: 1, Fresh: 1}
	unscored, modes, encodings := full.answers(g, 1), full.answers(g, 1), full.answers(g, 1)
	unscored[Fresh][2].Score = nil
	modes[Fresh][2].Mode = prompt.Ein
	encodings[Seen][2].Encoding = surface.JSON
	for _, test := range []struct {
		rows map[Cell][]*run.Row
		opt  Options
		want string
	}{
		{unscored, Options{}, "has no score"},
		{modes, Options{}, "in several modes, direct, ein: choose one"},
		{encodings, Options{}, "to several encodings, nl, json"},
		{student{Fresh: 1}.answers(g, 1), Options{}, "no answers to seen questions"},
		{full.answers(g, 1), Options{Mode: prompt.CoT}, "no answers in the chosen mode"},
	} {
		if _, err := Analyse([]Epoch{{"one", test.rows}}, nil, test.opt); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestMembership(t *testing.T) {
	g := generate(t, trained(t, 1), 7)
	m, err := NewMembership(g.Instances)
	if err != nil {
		t.Fatal(err)
	}
	all := &run.Run{Dir: "all"}
	for _, rows := range (student{Seen: 1, Structure: 1, Surface: 1, Fresh: 1}).answers(g, 1) {
		for _, row := range rows {
			id, _ := instance.ParseID(row.ID)
			id.Encoding = surface.Matrix // another encoding is the same question
			row.ID = id.String()
			all.Rows = append(all.Rows, *row)
		}
	}
	cells, err := m.Split(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Cells() {
		if len(cells[c]) != len(g.Instances[c]) {
			t.Errorf("%s has %d rows", c, len(cells[c]))
		}
	}
	all.Rows[0].ID = "mine"
	if _, err := m.Split(all); err == nil || !strings.Contains(err.Error(), "all: mine is in no cell") {
		t.Error(err)
	}
	g.Instances[Fresh] = g.Instances[Fresh][1:]
	if _, err := NewMembership(g.Instances); err == nil {
		t.Error("cells of different sizes pass")
	}
}

// TestFolder writes cells, reads them, and finds what was changed.
func TestFolder(t *testing.T) {
	g := generate(t, trained(t, 1), 7)
	files := g.Files()
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := ReadFolder(dir)
	if err != nil || len(m.cell) != 4*len(g.Instances[Seen]) {
		t.Errorf("%v", err)
	}
	proof, err := os.ReadFile(filepath.Join(dir, ProofFile))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string][2]string{
		"the file was changed":                 {Fresh.File(), "\n"},
		"version 2, expected 1":                {ProofFile, strings.Replace(string(proof), `"version": 1`, `"version": 2`, 1)},
		"invalid character":                    {ProofFile, "no"},
		`the cell "../x" is unknown`:           {ProofFile, strings.Replace(string(proof), `"cell": "fresh"`, `"cell": "../x"`, 1)},
		`the cell "seen" is unknown or listed`: {ProofFile, strings.Replace(string(proof), `"cell": "fresh"`, `"cell": "seen"`, 1)},
	} {
		name := filepath.Join(dir, change[0])
		old, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(change[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := os.WriteFile(name, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadFolder(t.TempDir()); err == nil {
		t.Error("an empty folder is read")
	}
}

// FuzzProof reads anything as the proof of a folder whose cells are there.
func FuzzProof(f *testing.F) {
	f.Add([]byte(`{"version": 1, "cells": [{"cell": "seen", "sha256": "x"}]}`))
	f.Add([]byte(`{"version": 1, "cells": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseProof(text)
		if err != nil {
			return
		}
		for _, x := range p.Cells {
			if !x.Cell.known() {
				t.Errorf("there is a cell %q", x.Cell)
			}
		}
	})
}

// TestEpochs has a gap that grows. cb1 has no other side.
func TestEpochs(t *testing.T) {
	g := generate(t, trained(t, 4), 7)
	var rows []map[Cell][]*run.Row
	for i, seen := range []float64{0.35, 0.55, 0.7, 0.8} {
		rows = append(rows, student{Seen: seen, Structure: 0.4 + 0.05*float64(i), Surface: 0.36 + 0.05*float64(i), Fresh: 0.35 + 0.06*float64(i)}.answers(g, uint64(i)))
	}
	r := analyse(t, g, rows...)
	if len(r.Changes) != len(gaps)-1 || r.Changes[0].P > 0.05 {
		t.Errorf("%+v", r.Changes)
	}
	first, last := r.Epochs[0].Gaps[0].Value, r.Epochs[3].Gaps[0].Value
	if math.Abs(r.Changes[0].Value-(last-first)) > 1e-12 {
		t.Errorf("from %v to %v is %v", first, last, r.Changes[0].Value)
	}
	golden.File(t, "testdata/epochs.txt", r.Text())
	var svg, again bytes.Buffer
	if err := r.Plot(&svg); err != nil {
		t.Fatal(err)
	}
	if err := r.Plot(&again); err != nil || !bytes.Equal(svg.Bytes(), again.Bytes()) {
		t.Errorf("the plot is another one the second time: %v", err)
	}
	for _, want := range []string{"<svg", "seen - fresh", "epoch 4", "Accuracy"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the plot has no %q", want)
		}
	}
}
