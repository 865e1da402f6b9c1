package report

import (
	"fmt"
	"math"

	"ein/bench/question/category"
	"ein/internal/chart"
)

// densityStep is the width of a bin of densities, in thousandths.
const densityStep = 100

// permille is the density of an instance in thousandths; of kinship, where it is
// the probability of a second parent and no density of edges, there is none.
func permille(it *item) (int, bool) {
	c, known := category.Lookup(it.Instance.Category)
	v, err := it.Instance.Density.Float64()
	if err != nil || known && c.Family == category.Kinship {
		return 0, false
	}
	return int(math.Round(v * 1000)), true
}

// densities are the bins that occur. The last has its upper end in it when the
// densities end there, as they do at 0.5.
func densities(arms []*Arm) []interval {
	low, high := math.MaxInt, -1
	for _, a := range arms {
		for i := range a.all {
			if v, ok := permille(&a.all[i]); ok {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	var list []interval
	for at := low / densityStep * densityStep; at <= high; at += densityStep {
		list = append(list, interval{at, at + densityStep - 1})
	}
	if n := len(list); n > 1 && high == list[n-1].low {
		list = list[:n-1]
		list[n-2].high = high
	}
	return list
}

func buildDensity(r *Report, s *Section) error {
	bins := densities(r.Arms)
	if len(bins) == 0 {
		return nil
	}
	var columns []Column
	for _, b := range bins {
		name := fmt.Sprintf("%.1f–%.1f", float64(b.low)/1000, float64(b.low+densityStep)/1000)
		columns = append(columns, Column{fmt.Sprintf("d%d", b.low), name, Percent})
	}
	caption := "Accuracy (" + r.Options.Scoring() + ") by the density the edges were drawn with. Kinship categories are left out: their density is the probability of a second parent."
	cells := func(items []item) []chart.Value {
		var list []chart.Value
		for _, b := range bins {
			list = append(list, share(only(items, func(it *item) bool { d, ok := permille(it); return ok && b.holds(d) }), r.right))
		}
		return list
	}
	t := armTable("density", "Accuracy by density", caption, r.Arms, columns, func(a *Arm) []chart.Value { return cells(a.scored) })
	f := r.byLevel("density", "Accuracy by density and level", "the density the edges were drawn with, without kinship", len(bins), cells)
	f.X = chart.Axis{Label: "density of edges", Min: -0.3, Max: float64(len(bins)) - 0.7}
	for _, c := range columns {
		f.X.Names = append(f.X.Names, c.Name)
	}
	for p := range f.Panels {
		for _, series := range f.Panels[p].Series {
			for i := range series.Points {
				series.Points[i].Note = "density " + columns[i].Name
			}
		}
	}
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
	return nil
}
