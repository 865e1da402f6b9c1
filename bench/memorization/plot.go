package memorization

import (
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"ein/bench/stats"
)

// The colours of Okabe and Ito, told apart by colour-blind readers.
var colors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, // green
	color.RGBA{0x4d, 0x4d, 0x4d, 0xff}, // grey
}

const (
	plotWidth  = 11 * vg.Inch
	plotHeight = 4.2 * vg.Inch
)

// Plot writes two panels over the epochs as SVG: the accuracy of each cell, and the
// gaps that ask where the model fails, with their intervals.
func (r *Report) Plot(w io.Writer) error {
	left, err := r.panel("Accuracy", "%", r.cellLines())
	if err != nil {
		return err
	}
	left.Y.Min, left.Y.Max = 0, 130 // room for the legend
	left.Y.Tick.Marker = plot.TickerFunc(func(low, _ float64) []plot.Tick { return ticks(low, 100) })
	right, err := r.panel("Gaps", "points", r.gapLines())
	if err != nil {
		return err
	}
	zero := plotter.NewFunction(func(float64) float64 { return 0 })
	zero.Width, zero.Color = vg.Points(0.5), color.Gray{0x99}
	right.Add(zero)
	c := vgsvg.New(plotWidth, plotHeight)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Path())
	const margin = 0.15 * vg.Inch
	left.Draw(draw.Crop(dc, margin, -plotWidth/2-margin, margin, -margin))
	right.Draw(draw.Crop(dc, plotWidth/2+margin, -margin, margin, -margin))
	_, err = c.WriteTo(w)
	return err
}

// line is a value with its interval at some epochs.
type line struct {
	name   string
	at     []int
	value  []float64
	within []stats.Interval
}

func (l *line) add(epoch int, value float64, within stats.Interval) {
	l.at, l.value, l.within = append(l.at, epoch), append(l.value, value), append(l.within, within)
}

func (r *Report) cellLines() []*line {
	var lines []*line
	for _, c := range Cells() {
		l := &line{name: string(c)}
		for i, e := range r.Epochs {
			for _, x := range e.Cells {
				s := x.Strict
				if r.Lenient {
					s = x.Lenient
				}
				if x.Cell == c && s != nil {
					l.add(i, s.Rate, s.Interval)
				}
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func (r *Report) gapLines() []*line {
	var lines []*line
	for _, g := range gaps {
		if !g.plotted {
			continue
		}
		l := &line{name: nameOf(g.of)}
		for i, e := range r.Epochs {
			for _, x := range e.Gaps {
				if x.Name == l.name {
					l.add(i, x.Value, x.Interval)
				}
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// bars is the errors of a line, for plotter.NewYErrorBars.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

func (r *Report) panel(title, unit string, lines []*line) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Title.TextStyle.Font = title, sans(12)
	p.Title.Padding = vg.Points(6)
	p.Y.Label.Text = unit
	names := make([]string, len(r.Epochs))
	for i, e := range r.Epochs {
		names[i] = e.Name
	}
	p.NominalX(names...)
	p.X.Tick.Width = 0
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(10), sans(9)
		axis.Width = vg.Points(0.5)
	}
	p.Y.Tick.Marker = plot.TickerFunc(ticks)
	p.Legend.TextStyle.Font, p.Legend.Padding = sans(9), vg.Points(2)
	p.Legend.Top, p.Legend.Left = true, true
	for i, l := range lines {
		if len(l.at) == 0 {
			continue
		}
		// Side by side, so that the bars of one epoch do not hide each other.
		shift := 0.06 * (float64(i) - float64(len(lines)-1)/2)
		xy := make(plotter.XYs, len(l.at))
		errors := make(plotter.YErrors, len(l.at))
		for j, epoch := range l.at {
			xy[j] = plotter.XY{X: float64(epoch) + shift, Y: 100 * l.value[j]}
			errors[j].Low, errors[j].High = 100*(l.value[j]-l.within[j].Low), 100*(l.within[j].High-l.value[j])
		}
		curve, points, err := plotter.NewLinePoints(xy)
		if err != nil {
			return nil, err
		}
		interval, err := plotter.NewYErrorBars(bars{xy, errors})
		if err != nil {
			return nil, err
		}
		c := colors[i%len(colors)]
		curve.Color, points.Color, interval.Color = c, c, c
		curve.Width, interval.Width = vg.Points(1.2), vg.Points(0.8)
		points.Shape, points.Radius = draw.CircleGlyph{}, vg.Points(2.2)
		interval.CapWidth = vg.Points(4)
		p.Add(curve, interval, points)
		p.Legend.Add(l.name, curve, points)
	}
	p.X.Min, p.X.Max = -0.5, float64(len(r.Epochs))-0.5
	p.Y.Max += 0.35 * (p.Y.Max - p.Y.Min) // room for the legend
	return p, nil
}

// ticks is at round numbers, some five of them.
func ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 6, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, times := range []float64{5, 2} {
		if (high-low)/(step*times) >= 4 {
			step *= times
			break
		}
	}
	var list []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		list = append(list, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return list
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
}
