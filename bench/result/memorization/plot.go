package memorization

import (
	"io"
	"slices"

	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/stats"
)

// Plot writes two figures over the epochs as one SVG: the accuracy of each cell, and
// the gaps that ask where the model fails, with their intervals.
func (r *Report) Plot(w io.Writer) error {
	accuracies, differences := r.overEpochs("Accuracy", "%"), r.overEpochs("Gaps", "points")
	accuracies.Y.Max = 100
	for _, c := range Cells() {
		r.line(accuracies, string(c), func(e *EpochReport) (float64, *stats.Interval) {
			if s := e.Share(c, r.Lenient); s != nil {
				return s.Rate, &s.Interval
			}
			return 0, nil
		})
	}
	for _, g := range gaps {
		if !g.plotted {
			continue
		}
		r.line(differences, nameOf(g.of), func(e *EpochReport) (float64, *stats.Interval) {
			if x := e.gap(nameOf(g.of)); x != nil {
				return x.Value, &x.Interval
			}
			return 0, nil
		})
	}
	_, err := w.Write(chart.Sheet("Accuracies and gaps over the epochs", accuracies, differences))
	return err
}

func (r *Report) overEpochs(title, unit string) *chart.Figure {
	f := &chart.Figure{Title: title, Kind: chart.Lines, Y: chart.Axis{Label: unit}, Panels: []chart.Panel{{}}}
	f.X.Names = lists.Map(r.Epochs, func(e EpochReport) string { return e.Name })
	f.X.Min, f.X.Max = -0.4, float64(len(r.Epochs))-0.6
	return f
}

// line adds a series over the epochs, with a gap where there is no interval, unless none has one.
func (r *Report) line(f *chart.Figure, name string, value func(*EpochReport) (float64, *stats.Interval)) {
	s := chart.Series{Name: name}
	for i := range r.Epochs {
		p := chart.Point{X: chart.Exact(float64(i)), Y: chart.Missing()}
		if v, within := value(&r.Epochs[i]); within != nil {
			p.Y = chart.Value{V: 100 * v, Low: 100 * within.Low, High: 100 * within.High}
		}
		s.Points = append(s.Points, p)
	}
	if slices.ContainsFunc(s.Points, func(p chart.Point) bool { return !p.Y.Missing() }) {
		f.Panels[0].Series = append(f.Panels[0].Series, s)
	}
}
