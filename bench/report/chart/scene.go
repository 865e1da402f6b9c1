package chart

import (
	"math"
	"strconv"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// point is a place in points of 1/72 inch, from the top left.
type point struct{ x, y float64 }

// op is a stroke, a fill, or a word.
type op struct {
	tip    string // what is shown when it is pointed at
	text   string
	size   float64 // of text
	anchor anchor
	angle  float64 // of text, in degrees, clockwise
	at     point   // of text
	path   []point
	closed bool
	fill   role // none for strokes
	stroke role
	width  float64
	dash   []float64
}

type anchor int

const (
	start anchor = iota
	middle
	end
)

// scene is a drawing.
type scene struct {
	width, height float64
	title         string
	ops           []op
}

func (s *scene) line(a, b point, stroke role, width float64, dash ...float64) {
	s.ops = append(s.ops, op{path: []point{a, b}, stroke: stroke, width: width, dash: dash})
}

func (s *scene) polyline(path []point, stroke role, width float64, dash ...float64) {
	if len(path) > 1 {
		s.ops = append(s.ops, op{path: path, stroke: stroke, width: width, dash: dash})
	}
}

func (s *scene) rect(x, y, w, h float64, fill role, tip string) {
	s.ops = append(s.ops, op{path: []point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, closed: true, fill: fill, tip: tip})
}

func (s *scene) word(at point, text string, size float64, fill role, a anchor) {
	s.ops = append(s.ops, op{at: at, text: text, size: size, fill: fill, anchor: a})
}

func (s *scene) turned(at point, text string, size float64, fill role, a anchor, angle float64) {
	s.ops = append(s.ops, op{at: at, text: text, size: size, fill: fill, anchor: a, angle: angle})
}

// mark is the shape of a series. Every second round of the palette is hollow, so
// that sixteen series can be told apart.
func (s *scene) mark(at point, series int, radius float64, tip string) {
	r, c := radius, seriesRole(series)
	var path []point
	turn := func(n int, from, r float64) {
		for i := range n {
			a := (from + 360*float64(i)/float64(n)) * math.Pi / 180
			path = append(path, point{at.x + r*math.Cos(a), at.y + r*math.Sin(a)})
		}
	}
	const shapes = 8
	switch series % shapes {
	case 0:
		turn(24, 0, r)
	case 1:
		turn(4, 45, r*1.22)
	case 2:
		turn(3, -90, r*1.4)
	case 3:
		turn(4, 0, r*1.35)
	case 4:
		turn(3, 90, r*1.4)
	case 5:
		turn(6, 0, r*1.15)
	case 6:
		turn(5, -90, r*1.2)
	default:
		for i := range 10 {
			a := (-90 + 36*float64(i)) * math.Pi / 180
			q := r * 1.45
			if i%2 == 1 {
				q = r * 0.65
			}
			path = append(path, point{at.x + q*math.Cos(a), at.y + q*math.Sin(a)})
		}
	}
	o := op{path: path, closed: true, fill: c, stroke: paper, width: 0.8, tip: tip}
	if series/len(seriesLight)%2 == 1 {
		o.fill, o.stroke, o.width = paper, c, 1.3
	}
	s.ops = append(s.ops, o)
}

// dashes of a series: whole in the first round of the palette.
func dashes(series int) []float64 {
	if series/len(seriesLight)%2 == 1 {
		return []float64{4, 2.5}
	}
	return nil
}

var face = sync.OnceValue(func() font.Face {
	return font.NewCache(liberation.Collection()).Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
})

// textWidth is the width of a text in Liberation Sans, whose metrics are those of
// Arial and Helvetica.
func textWidth(text string, size float64) float64 {
	f := face()
	f.Font.Size = font.Points(size)
	return f.Width(text).Points()
}

// number is a value as it is shown.
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

func thousands(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 {
		s = "-" + s
	}
	return s
}
