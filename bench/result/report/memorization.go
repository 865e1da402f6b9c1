package report

import (
	"fmt"
	"path/filepath"

	"ein/bench/ask/run"
	"ein/bench/result/memorization"
	"ein/internal/chart"
	"ein/internal/lists"
)

// buildMemorization adds the section on memorisation: accuracy by cell, and the gaps between cells.
func buildMemorization(r *Report, s *Section) error {
	if r.Options.Cells == nil {
		return nil
	}
	cells := r.Options.Cells.Cells
	t := &Table{
		ID: "memorization", Title: "Cells of memorization", Keys: []string{"model, mode"}, Paper: "ein",
		Caption: "Accuracy (" + r.Options.Scoring() + ") on questions that were seen, on their structures with new surfaces, on their surfaces with new structures, and on fresh ones.",
	}
	gaps := &Table{
		ID: "memorization-gaps", Title: "Gaps of memorization", Keys: []string{"model, mode", "gap", "meaning"},
		Columns: []Column{{"gap", "gap", Points}, {"minimum", "smallest detectable", Points}},
		Caption: "Differences between cells, with 95 % intervals, and the smallest difference that the design detects with a power of 80 %.",
	}
	f := &chart.Figure{
		ID: "memorization", Title: "Seen and fresh questions", Kind: chart.Lines,
		Caption: "Accuracy (" + r.Options.Scoring() + ") on each cell over the runs in the order given, such as the epochs of a training run, with 95 % intervals.",
		Y:       chart.Axis{Label: "accuracy (%)", Min: 0, Max: 100},
	}
	t.Columns = lists.Map(cells, func(c memorization.Cell) Column { return Column{string(c), string(c), Percent} })
	type line struct{ mode, encoding string }
	panels := map[line]int{}
	xs := map[*run.Run]int{}
	for _, a := range r.Arms {
		epoch, ok := r.epoch(a)
		if !ok {
			continue
		}
		m, err := memorization.Analyse([]memorization.Epoch{epoch}, r.Options.Cells, memorization.Options{Lenient: r.Options.Lenient, Parts: r.Options.Parts})
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		if _, ok := xs[a.Run]; !ok {
			xs[a.Run] = len(xs)
			f.X.Names = append(f.X.Names, filepath.Base(a.Run.Dir))
		}
		l := line{string(a.Mode), string(a.Encoding)}
		at, ok := panels[l]
		if !ok {
			at = len(f.Panels)
			panels[l] = at
			lines := lists.Map(cells, func(c memorization.Cell) chart.Series { return chart.Series{Name: string(c)} })
			f.Panels = append(f.Panels, chart.Panel{Title: l.mode + ", " + l.encoding, Series: lines})
		}
		row := Row{Keys: []string{a.Name}}
		for i, c := range cells {
			v := percent(m.Epochs[0].Share(c, r.Options.Lenient))
			row.Cells = append(row.Cells, v)
			series := &f.Panels[at].Series[i]
			series.Points = append(series.Points, chart.Point{X: chart.Exact(float64(xs[a.Run])), Y: v})
		}
		t.Rows = append(t.Rows, row)
		for _, g := range m.Epochs[0].Gaps {
			least := chart.Missing()
			if g.MinimumEffect != nil {
				least = chart.Exact(100 * *g.MinimumEffect)
			}
			gaps.Rows = append(gaps.Rows, Row{Keys: []string{a.Name, g.Name, g.Meaning}, Cells: []chart.Value{points(g.Value, g.Interval, 0), least}})
		}
	}
	if len(t.Rows) == 0 {
		return fmt.Errorf("no run covers the questions of the cells, seen and fresh")
	}
	f.X.Label, f.X.Min, f.X.Max = "run", -0.4, float64(len(xs))-0.6
	s.Tables, s.Figures = append(s.Tables, t, gaps), append(s.Figures, f)
	return nil
}

// epoch sorts the rows of an arm into the cells. ok is false if the arm was asked other questions,
// or lacks those seen or fresh ones.
func (r *Report) epoch(a *Arm) (memorization.Epoch, bool) {
	one := *a.Run
	one.Rows = nil
	for _, row := range a.all {
		if row.Reply == nil || row.Score != nil { // the notes tell of the others
			one.Rows = append(one.Rows, *row)
		}
	}
	rows, err := r.Options.Cells.Split(&one)
	if err != nil || len(rows[memorization.Seen]) == 0 || len(rows[memorization.Fresh]) == 0 {
		return memorization.Epoch{}, false
	}
	return memorization.Epoch{Name: a.Name, Rows: rows}, true
}
