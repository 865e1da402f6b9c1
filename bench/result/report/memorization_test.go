package report

import (
	"math/rand/v2"
	"testing"

	"ein/bench/ask/run"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/bench/result/memorization"
)

// TestMemorization has a model that is right on what it has seen and, half of the
// time, elsewhere.
func TestMemorization(t *testing.T) {
	var seen []*instance.Instance
	for i := range category.Table {
		in, _, err := instance.Generate(instance.NewID("train", category.Table[i].Name, 0, 5))
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, in)
	}
	made, err := memorization.Generate(t.Context(), seen, 6, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	member, err := memorization.NewMembership(made.Instances)
	if err != nil {
		t.Fatal(err)
	}
	x := &run.Run{Dir: "runs/tuned", Config: run.Config{Model: "made:tuned", Modes: []prompt.Mode{prompt.Direct}, Encodings: []surface.Encoding{surface.NL}, Samples: 1}}
	right := map[memorization.Cell]int{}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, c := range memorization.Cells() {
		for _, in := range made.Instances[c] {
			row := run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: prompt.Direct}, Encoding: surface.NL}
			s := skill{visible: 5}
			if c == memorization.Seen || rnd.IntN(2) == 0 {
				s.base = 2
			}
			answerMade(&row, s, rnd)
			if row.Score.Strict {
				right[c]++
			}
			x.Rows = append(x.Rows, row)
		}
	}
	r := makeReport(t, Options{Cells: member}, x)
	for _, c := range member.Cells {
		n := len(made.Instances[c])
		if v := tableOf(t, r, "memorization").cell(t, 0, string(c)); v.N != n || !near(v.V, 100*float64(right[c])/float64(n)) {
			t.Errorf("%s: %+v, want %d of %d", c, v, right[c], n)
		}
	}
	gaps := tableOf(t, r, "memorization-gaps")
	if v := gaps.cell(t, 0, "gap"); gaps.Rows[0].Keys[1] != "seen - fresh" || v.Low <= 0 || v.V < v.Low || v.V > v.High {
		t.Errorf("%v: %+v", gaps.Rows[0].Keys, v)
	}
	if _, err := New([]*run.Run{madeRun(t, "made:large", 1, surface.NL)}, Options{Cells: member}); err == nil {
		t.Error("a run over other questions is no error")
	}
}
