package report

import (
	"fmt"
	"math"
	"strconv"

	"ein/bench/ask/run"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/internal/chart"
	"ein/internal/lists"
)

// interval holds the numbers from low to high, both included.
type interval struct{ low, high int }

func (b interval) holds(v int) bool { return b.low <= v && v <= b.high }

func (b interval) String() string {
	if b.low == b.high {
		return strconv.Itoa(b.low)
	}
	return fmt.Sprintf("%d–%d", b.low, b.high)
}

// maxSizes is how many sizes get a column each; if there are more, columns hold several.
const maxSizes = 9

// axis is a whole-number property of instances that tables and figures are drawn along.
type axis struct {
	id, prefix, by, caption, label, note, over string

	of   func(*instance.Instance) (int, bool)
	step int // the width of every bin, which has its ends as its name; 0 is as wide as needed
}

var (
	nodes = axis{"size", "n", "number of nodes", "the number of nodes n.", "nodes n", "nodes", "the number of nodes",
		func(in *instance.Instance) (int, bool) { return in.N, true }, 0}
	// What cb1 calls depth is the level.
	hops = axis{"depth", "h", "hops", "how many hops the answer needs. Questions without hops and questions of cb1 are left out.", "hops h", "hops", "the number of hops",
		func(in *instance.Instance) (int, bool) { return in.Depth, in.Depth > 0 && in.Version != "cb1" }, 0}
	operations = axis{"operations", "k", "operations", "how many operations the reference program composes. Questions of cb1, which do not record this, are left out.", "operations k", "operations", "the number of operations",
		func(in *instance.Instance) (int, bool) { return in.Operations, in.Operations > 0 }, 0}
	densities = axis{"density", "d", "density", "the density the edges were drawn with. Kinship categories are left out: their density is the probability of a second parent.",
		"density of edges", "density", "the density the edges were drawn with, without kinship", permille, 100}
)

// permille returns the density of an instance in thousandths. Kinship has none: there the density
// is the probability of a second parent.
func permille(in *instance.Instance) (int, bool) {
	c, known := category.Lookup(in.Category)
	v, err := in.Density.Float64()
	if err != nil || known && c.Family == category.Kinship {
		return 0, false
	}
	return int(math.Round(v * 1000)), true
}

// name shows a bin.
func (x *axis) name(b interval) string {
	if x.step > 0 {
		return fmt.Sprintf("%.1f–%.1f", float64(b.low)/1000, float64(b.low+x.step)/1000)
	}
	return b.String()
}

// bins returns the values that occur, in bins as wide as needed. Bins of a fixed width are all
// there, also those without a question; of others only those with one.
func (x *axis) bins(arms []*Arm) []interval {
	low, high := math.MaxInt, -1
	present := map[int]bool{}
	for _, a := range arms {
		for _, it := range a.all {
			if n, ok := x.of(it.Instance); ok {
				low, high = min(low, n), max(high, n)
				present[n] = true
			}
		}
	}
	width := max(1, x.step)
	if x.step == 0 && len(present) > maxSizes {
		width = (high - low + maxSizes) / maxSizes
	}
	if x.step > 0 {
		low = low / width * width
	}
	var list []interval
	for at := low; at <= high; at += width {
		b := interval{at, at + width - 1}
		for n := b.low; n <= b.high; n++ {
			if x.step > 0 || present[n] {
				list = append(list, b)
				break
			}
		}
	}
	if n := len(list); x.step > 0 && n > 1 && high == list[n-1].low { // the last has its upper end in it, as 0.5
		list = list[:n-1]
		list[n-2].high = high
	}
	return list
}

// build makes a table and a figure of accuracy over the bins of an axis. If the bins are numbers,
// the figure has them at their places, and there is a table by level too.
func (x axis) build(r *Report, s *Section) error {
	bins := x.bins(r.Arms)
	if len(bins) == 0 {
		return nil
	}
	var columns []Column
	for _, b := range bins {
		name := x.name(b)
		if x.step == 0 {
			name = x.prefix + " = " + name
		}
		columns = append(columns, Column{x.prefix + strconv.Itoa(b.low), name, Percent})
	}
	cells := func(items []*run.Row) []chart.Value {
		return lists.Map(bins, func(b interval) chart.Value {
			return share(only(items, func(it *run.Row) bool { n, ok := x.of(it.Instance); return ok && b.holds(n) }), r.right)
		})
	}
	t := armTable(x.id, "Accuracy by "+x.by, "Accuracy ("+r.Options.Scoring()+") by "+x.caption,
		r.Arms, columns, func(a *Arm) []chart.Value { return cells(a.scored) })
	if x.id == nodes.id {
		t.Paper = x.id
	}
	f := x.figure(r, bins, cells)
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
	if x.step > 0 {
		f.X = chart.Axis{Label: x.label, Min: -0.3, Max: float64(len(bins)) - 0.7}
		f.X.Names = lists.Map(columns, func(c Column) string { return c.Name })
		return nil
	}
	f.X = chart.Axis{Label: x.label, Whole: true, Min: float64(bins[0].low), Max: float64(bins[len(bins)-1].high)}
	if bins[len(bins)-1].low < bins[len(bins)-1].high {
		f.X.Label += " (middle of a bin)"
	}
	if f.X.Min == f.X.Max {
		f.X.Min, f.X.Max = f.X.Min-1, f.X.Max+1
	}
	byLevel := &Table{ID: x.id + "-levels", Title: "Accuracy by level and " + x.by, Keys: []string{"model, mode", "level"}, Columns: columns,
		Caption: "Accuracy (" + r.Options.Scoring() + ") by compositional level and " + x.caption}
	for _, a := range r.Arms {
		for _, l := range r.levels() {
			byLevel.Rows = append(byLevel.Rows, Row{Keys: []string{a.Name, l}, Cells: cells(level(a.scored, l))})
		}
	}
	s.Tables = append(s.Tables, byLevel)
	return nil
}

// figure draws a panel for each arm with a line for each level, over the bins.
func (x *axis) figure(r *Report, bins []interval, cells func([]*run.Row) []chart.Value) *chart.Figure {
	f := &chart.Figure{
		ID: x.id, Title: "Accuracy by " + x.by + " and level", Kind: chart.Lines, Y: chart.Axis{Label: "accuracy (%)", Min: 0, Max: 100},
		Caption: "Accuracy (" + r.Options.Scoring() + ") over " + x.over + ", with a panel per model and mode, a line per level and 95 % intervals. Overlapping points are moved apart.",
	}
	for _, a := range r.Arms {
		panel := chart.Panel{Title: a.Name}
		for _, l := range r.levels() {
			series := chart.Series{Name: l}
			for i, v := range cells(level(a.scored, l)) {
				p := chart.Point{X: chart.Exact(float64(i)), Y: v, Note: x.note + " " + x.name(bins[i])}
				if x.step == 0 {
					p.X = chart.Exact(float64(bins[i].low+bins[i].high) / 2)
				}
				series.Points = append(series.Points, p)
			}
			panel.Series = append(panel.Series, series)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}
