package chart

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"strconv"

	"ein/internal/table"
)

// Sizes, in points.
const (
	figureWidth = 700.0
	narrowWidth = 350.0
	textSize    = 10.5
	smallSize   = 9.5
	margin      = 10.0
)

// layout draws a figure of a width. If there is nothing to draw, it says so.
func layout(f *Figure, width float64, inline bool) *scene {
	s := &scene{width: width, inline: inline}
	if len(f.points()) == 0 {
		s.height = 60
		s.word(point{width / 2, 34}, "No data for this figure.", textSize, soft, middle)
		return s
	}
	draw := [...]func(*scene, *Figure){Dots: (*scene).dots, Lines: (*scene).lines, Plane: (*scene).plane, Stack: (*scene).stack, Heat: (*scene).heat}
	draw[f.Kind](s, f)
	return s
}

// scale maps values to coordinates.
type scale struct {
	low, high float64 // of the values
	from, to  float64 // of the places
	log       bool
}

// at is where a value stands, in pixels. What lies outside of the axis is drawn just past its end.
func (s scale) at(v float64) float64 {
	l, h := s.low, s.high
	if s.log {
		v, l, h = math.Log10(math.Max(v, s.low/10)), math.Log10(l), math.Log10(h)
	}
	t := (v - l) / (h - l)
	return s.from + math.Max(-0.02, math.Min(1.02, t))*(s.to-s.from)
}

// scale returns the scale of an axis between two places, for one of the values of the points.
func (f *Figure) scale(a Axis, of func(Point) Value, from, to float64) scale {
	low, high := f.extent(a, of)
	return scale{low, high, from, to, a.Log}
}

// extent returns the range of an axis that holds the values.
func (f *Figure) extent(a Axis, of func(Point) Value) (low, high float64) {
	if a.Max > a.Min {
		return a.Min, a.Max
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range f.points() {
		v := of(p)
		for _, x := range []float64{v.V, v.Low, v.High} {
			if !math.IsNaN(x) && !math.IsInf(x, 0) && (!a.Log || x > 0) {
				low, high = math.Min(low, x), math.Max(high, x)
			}
		}
	}
	if math.IsInf(low, 1) {
		low, high = 1, 2
	}
	if a.Log {
		low, high = low/1.35, high*1.35
		if high/low < 4 { // room for two ticks
			mid := math.Sqrt(low * high)
			low, high = mid/2, mid*2
		}
		return low, high
	}
	pad := cmp.Or((high-low)*0.06, 1)
	if low >= 0 && low-pad < 0 {
		return 0, high + pad
	}
	return low - pad, high + pad
}

// tick is a mark on an axis.
type tick struct {
	v    float64
	name string
}

// ticks returns at most so many ticks, at round values.
func (a Axis) ticks(low, high float64, most int) []tick {
	var list []tick
	if a.Names != nil {
		for i, n := range a.Names {
			list = append(list, tick{float64(i), n})
		}
		return list
	}
	if a.Log {
		for _, steps := range [][]float64{{1}, {1, 3}, {1, 2, 5}} {
			list = nil
			for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
				for _, m := range steps {
					if v := m * math.Pow(10, e); v >= low*0.999 && v <= high*1.001 {
						list = append(list, tick{v, plain(v)})
					}
				}
			}
			if len(list) >= 3 {
				break
			}
		}
		return list
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(most))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*m) <= float64(most) {
			step *= m
			break
		}
	}
	if a.Whole && step < 1 {
		step = 1
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		name := strconv.FormatFloat(i*step+0, 'f', decimals, 64) // no -0
		if decimals == 0 {
			name = plain(i * step)
		}
		list = append(list, tick{i * step, name})
	}
	return list
}

// plain shows a number without needless digits.
func plain(v float64) string {
	if math.Abs(v) >= 1000 {
		return thousands(v)
	}
	return fmt.Sprintf("%.4g", v+0) // no -0
}

// legend writes the names of the series from x on at y, in as many lines as it takes, and returns
// the y below.
func (s *scene) legend(series []Series, x, y, right float64, squares bool) float64 {
	const gap = 18.0
	at := x
	for i := range series {
		n, i := series[i].Name, series[i].style(i)
		w := 15 + textWidth(n, smallSize)
		if at > x && at+w > right {
			at, y = x, y+16
		}
		if squares {
			s.rect(at, y-8, 10, 10, seriesRole(i), "")
		} else {
			s.mark(point{at + 5, y - 3}, i, 3.6, "")
		}
		s.word(point{at + 15, y}, n, smallSize, ink, start)
		at += w + gap
	}
	return y + 14
}

// tip returns the text that appears when a value is pointed at.
func tip(what string, v Value, notes ...string) string {
	s := what + ": " + number(v.V)
	if v.hasInterval() {
		s += fmt.Sprintf(" (%s to %s)", number(v.Low), number(v.High))
	}
	if v.N > 0 {
		s += fmt.Sprintf(", n = %d", v.N)
	}
	for _, note := range notes {
		if note != "" {
			s += ", " + note
		}
	}
	return s
}

// clip shortens a text to a width. It leaves out the middle: names of models begin alike, and end
// with the mode and the encoding.
func clip(text string, size, width float64) string {
	if textWidth(text, size) <= width {
		return text
	}
	r := []rune(text)
	without := func(n int) string {
		head := (len(r) - n) / 2
		return string(r[:head]) + "…" + string(r[head+n:])
	}
	return without(sort.Search(len(r), func(n int) bool { return textWidth(without(n), size) <= width }))
}

// rowLabels writes the names of the rows and returns where the diagram begins.
func (s *scene) rowLabels(f *Figure) float64 {
	w := 0.0
	for _, r := range f.Rows {
		w = math.Max(w, textWidth(r, textSize))
	}
	return margin + math.Min(w, s.width*0.38) + 12
}

func (s *scene) rowName(f *Figure, i int, left, y float64) {
	s.word(point{left - 10, y + textSize*0.35}, clip(f.Rows[i], textSize, left-10-margin), textSize, ink, end)
}

// xAxis draws the ticks, the grid from top to bottom, and the label.
func (s *scene) xAxis(a Axis, x scale, top, bottom float64, label bool) {
	list := a.ticks(x.low, x.high, 10)
	last := math.Inf(-1)
	for _, t := range list {
		at := x.at(t.v)
		s.line(point{at, top}, point{at, bottom}, rule, 0.7)
		if w := textWidth(t.name, smallSize); at-w/2 > last+4 {
			s.word(point{at, bottom + 13}, t.name, smallSize, soft, middle)
			last = at + w/2
		}
	}
	if label {
		s.word(point{(x.from + x.to) / 2, bottom + 29}, a.Label, textSize, ink, middle)
	}
}

// yAxis draws the grid from left to right, and with words the ticks and the label.
func (s *scene) yAxis(a Axis, y scale, left, right float64, words bool) {
	for _, t := range a.ticks(y.low, y.high, 6) {
		at, color := y.at(t.v), rule
		if t.v == 0 && y.low < 0 {
			color = soft
		}
		s.line(point{left, at}, point{right, at}, color, 0.7)
		if words {
			s.word(point{left - 6, at + smallSize*0.35}, t.name, smallSize, soft, end)
		}
	}
	if words {
		s.turned(point{left - 36, (y.from + y.to) / 2}, a.Label, textSize, ink, middle, -90)
	}
}

// number shows a value.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 1000:
		return thousands(v)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1 || a == 0:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func thousands(v float64) string { return table.Grouped(strconv.FormatFloat(v, 'f', 0, 64)) }
