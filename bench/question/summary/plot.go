package summary

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"ein/bench/question/instance"
	"ein/internal/chart"
	"ein/internal/lists"
)

// Plot writes four figures as one SVG: numbers of nodes, densities, majority
// baselines and redraws.
func (r *Report) Plot(w io.Writer) error {
	bins := nodeBins(r.All)
	nodes := lists.Map(bins, instance.Range.String)
	densities := slices.Sorted(maps.Keys(r.All.Densities))
	name := func(g *Group) string { return g.Name }
	names, levels := lists.Map(r.Categories, name), lists.Map(r.Levels, name)
	// ofLevel is a value of the category in a row, when it is of the level.
	ofLevel := func(value func(*Group) float64) func(string, int) float64 {
		return func(level string, row int) float64 {
			if g := r.Categories[row]; g.Level == level {
				return value(g)
			}
			return math.NaN()
		}
	}
	level := func(name string) *Group {
		return r.Levels[slices.Index(levels, name)]
	}
	_, err := w.Write(chart.Sheet("What is in a file of instances",
		bars("Number of nodes", "instances", nodes, levels, true, func(l string, row int) float64 { return float64(level(l).within(bins[row])) }),
		bars("Density", fmt.Sprintf("instances, by the lower end of a bin of %.2f", densityBin/1000.0), densities, levels, true,
			func(l string, row int) float64 { return float64(level(l).Densities[densities[row]]) }),
		bars("Share of the most common answer", "%", names, levels, false, ofLevel(func(g *Group) float64 { return 100 * g.Majority })),
		bars("Redraws for each instance", "redraws", names, levels, false, ofLevel(func(g *Group) float64 { return g.Redraws })),
	))
	return err
}

// bars returns a figure with a bar for each row, in parts by level; NaN is no part.
func bars(title, unit string, rows, levels []string, whole bool, value func(level string, row int) float64) *chart.Figure {
	f := &chart.Figure{Title: title, Rows: rows, Kind: chart.Stack, X: chart.Axis{Label: unit, Whole: whole}, Panels: []chart.Panel{{}}}
	sums := make([]float64, len(rows))
	for _, l := range levels {
		s := chart.Series{Name: l}
		for i := range rows {
			v := value(l, i)
			s.Points = append(s.Points, chart.Point{X: chart.Exact(v)})
			if v > 0 {
				sums[i] += v
			}
		}
		f.Panels[0].Series = append(f.Panels[0].Series, s)
	}
	f.X.Max = 1.1 * slices.Max(sums) // room for a number beside the longest
	return f
}
