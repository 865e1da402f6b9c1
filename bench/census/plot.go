package census

import (
	"fmt"
	"image/color"
	"io"
	"maps"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of the levels, told apart by colour-blind readers and in grey.
var levelColors = map[string]color.Color{
	"L1": color.RGBA{0x9e, 0xc5, 0xe3, 0xff},
	"L2": color.RGBA{0x3b, 0x82, 0xb8, 0xff},
	"L3": color.RGBA{0x0e, 0x3a, 0x5f, 0xff},
}

const (
	plotWidth = 11 * vg.Inch
	topHeight = 3.4 * vg.Inch  // of the panels of sizes
	lineEach  = 0.22 * vg.Inch // for each category in the panels below
)

// Plot writes four panels as SVG: numbers of nodes, densities, majority
// baselines and redraws.
func (r *Report) Plot(w io.Writer) error {
	nodes, err := r.nodesPanel()
	if err != nil {
		return err
	}
	densities, err := r.densityPanel()
	if err != nil {
		return err
	}
	majority, err := r.categoryPanel("Share of the most common answer", func(g *Group) float64 { return 100 * g.Majority }, "%")
	if err != nil {
		return err
	}
	redraws, err := r.categoryPanel("Redraws for each instance", func(g *Group) float64 { return g.Redraws }, "")
	if err != nil {
		return err
	}
	const gap, margin = vg.Inch * 0.3, vg.Inch * 0.15
	split := 1.3*vg.Inch + lineEach*vg.Length(len(r.Categories))
	height, half := split+topHeight, plotWidth/2
	c := vgsvg.New(plotWidth, height)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Path())
	panel := func(p *plot.Plot, left, right, bottom, top vg.Length) {
		p.Draw(draw.Crop(dc, left, right-plotWidth, bottom, top-height))
	}
	panel(nodes, margin, half-gap/2, split+gap/2, height-margin)
	panel(densities, half+gap/2, plotWidth-margin, split+gap/2, height-margin)
	panel(majority, margin, half-gap/2, margin, split-gap/2)
	panel(redraws, half+gap/2, plotWidth-margin, margin, split-gap/2)
	_, err = c.WriteTo(w)
	return err
}

func newPanel(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = sans(12)
	p.Title.Padding = vg.Points(6)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(10)
		axis.Label.Padding = vg.Points(3)
		axis.Tick.Label.Font = sans(9)
		axis.Tick.Marker = plot.TickerFunc(ticks)
		axis.Width = vg.Points(0.5)
		axis.Tick.Width = vg.Points(0.5)
	}
	p.Legend.TextStyle.Font = sans(9)
	p.Legend.Padding = vg.Points(3)
	p.Legend.Top = true
	return p
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
}

// ticks is the usual ticks with short labels.
func ticks(low, high float64) []plot.Tick {
	list := plot.DefaultTicks{}.Ticks(low, high)
	for i := range list {
		if list[i].Label != "" {
			list[i].Label = fmt.Sprintf("%.4g", list[i].Value)
		}
	}
	return list
}

// stacked is bars of the levels, one on the other.
func (r *Report) stacked(p *plot.Plot, names []string, count func(g *Group, i int) int) error {
	width := min(vg.Points(28), plotWidth*0.36/vg.Length(max(1, len(names))))
	var below *plotter.BarChart
	highest := 0.0
	for _, g := range r.Levels {
		values := make(plotter.Values, len(names))
		for i := range names {
			values[i] = float64(count(g, i))
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = levelColors[g.Name], 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		defer p.Legend.Add(g.Name, bars) // the last on top, as in the bars
	}
	for i := range names {
		highest = max(highest, float64(count(r.All, i)))
	}
	p.NominalX(names...)
	p.X.Tick.Width = 0
	p.Y.Label.Text = "instances"
	p.Y.Min, p.Y.Max = 0, highest*1.4 // room for the legend
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	return nil
}

func (r *Report) nodesPanel() (*plot.Plot, error) {
	p := newPanel("Number of nodes")
	bins := nodeBins(r.All)
	var names []string
	for _, b := range bins {
		names = append(names, b.name())
	}
	return p, r.stacked(p, names, func(g *Group, i int) int { return bins[i].count(g) })
}

func (r *Report) densityPanel() (*plot.Plot, error) {
	p := newPanel("Density")
	names := slices.Sorted(maps.Keys(r.All.Densities))
	p.X.Label.Text = fmt.Sprintf("lower end of a bin of %.2f", densityBin/1000.0)
	return p, r.stacked(p, names, func(g *Group, i int) int { return g.Densities[names[i]] })
}

// categoryPanel is a bar for each category, the first at the top, with its value
// behind it.
func (r *Report) categoryPanel(title string, value func(*Group) float64, unit string) (*plot.Plot, error) {
	p := newPanel(title)
	n := len(r.Categories)
	names := make([]string, n)
	highest := 0.0
	byLevel := map[string]plotter.Values{}
	labels := plotter.XYLabels{XYs: make(plotter.XYs, n), Labels: make([]string, n)}
	for i, g := range r.Categories {
		row := n - 1 - i
		names[row] = g.Name
		v := value(g)
		highest = max(highest, v)
		if byLevel[g.Level] == nil {
			byLevel[g.Level] = make(plotter.Values, n)
		}
		byLevel[g.Level][row] = v
		labels.XYs[row] = plotter.XY{X: v, Y: float64(row)}
		labels.Labels[row] = fmt.Sprintf("%.3g%s", v, unit)
	}
	for _, level := range slices.Sorted(maps.Keys(byLevel)) {
		bars, err := plotter.NewBarChart(byLevel[level], vg.Points(9))
		if err != nil {
			return nil, err
		}
		bars.Horizontal = true
		bars.Color, bars.LineStyle.Width = levelColors[level], 0
		p.Add(bars)
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	for i := range text.TextStyle {
		text.TextStyle[i].Font = sans(8)
		text.TextStyle[i].YAlign = draw.YCenter
	}
	text.Offset = vg.Point{X: vg.Points(3)}
	p.Add(text)
	p.NominalY(names...)
	p.Y.Tick.Width = 0
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	p.X.Min, p.X.Max = 0, highest*1.15
	if highest == 0 {
		p.X.Max = 1
	}
	if unit == "%" {
		p.X.Label.Text = "%"
	}
	return p, nil
}
