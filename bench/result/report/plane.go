package report

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"ein/internal/chart"
)

// plane draws accuracy over the tokens of output, with the Pareto front of the arms.
func (r *Report) plane(tokens *Table) *chart.Figure {
	f := &chart.Figure{
		ID: "plane", Title: "Accuracy and tokens", Kind: chart.Plane,
		Caption: "Accuracy (" + r.Options.Scoring() + ") over mean output tokens per answer, including reasoning, with 95 % intervals. The dashed line is the Pareto front: no other model and mode is both cheaper and better than one on it.",
		X:       chart.Axis{Label: "output tokens per answer (log scale)", Log: true},
		Y:       chart.Axis{Label: "accuracy (%)", Min: 0, Max: 100},
		Panels:  []chart.Panel{{}},
	}
	at := slices.IndexFunc(tokens.Columns, func(c Column) bool { return c.ID == "output" })
	for i, a := range r.Arms {
		p := chart.Point{X: tokens.Rows[i].Cells[at], Y: share(a.scored, r.right)}
		if p.X.V <= 0 {
			p.X = chart.Missing() // a logarithm has no zero
		}
		f.Panels[0].Series = append(f.Panels[0].Series, chart.Series{Name: a.Name, Points: []chart.Point{p}})
	}
	f.Front = front(f.Panels[0].Series)
	low := 100.0
	for _, s := range f.Panels[0].Series {
		if y := s.Points[0].Y; !y.Missing() {
			low = math.Min(low, y.Low)
		}
	}
	f.Y.Min = math.Max(0, 10*math.Floor(low/10)-10)
	return f
}

// front returns the Pareto front by increasing X: the points that no other point beats in one way
// without losing in the other.
func front(series []chart.Series) []chart.Point {
	var all, list []chart.Point
	for _, s := range series {
		for _, p := range s.Points {
			if !p.X.Missing() && !p.Y.Missing() {
				all = append(all, p)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(cmp.Compare(a.X.V, b.X.V), cmp.Compare(b.Y.V, a.Y.V)) < 0
	})
	for _, p := range all {
		if len(list) == 0 || p.Y.V > list[len(list)-1].Y.V {
			list = append(list, p)
		}
	}
	return list
}
