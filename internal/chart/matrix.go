package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// longestLabel is how wide the name of a node or an element is drawn.
const longestLabel = 130.0

// Graph draws nodes on a circle, in their order from the top clockwise, and each
// edge as an arrow; two that go both ways are bent apart.
func Graph(title string, names []string, edge func(from, to int) bool) []byte {
	const node = 7.0
	n, widest := len(names), 0.0
	names = slices.Clone(names)
	for i := range names {
		names[i] = clip(names[i], textSize, longestLabel)
		widest = math.Max(widest, textWidth(names[i], textSize))
	}
	radius := math.Max(90, float64(n)*node*3/math.Pi)
	centre := point{radius + widest + 6*node, radius + 7*node}
	s := &scene{width: 2 * centre.x, height: 2 * centre.y}
	at, out := make([]point, n), make([]point, n) // out is the direction from the centre
	for i := range n {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(n) - math.Pi/2)
		out[i] = point{cos, sin}
		at[i] = centre.plus(out[i], radius)
	}
	var edges, heads strings.Builder
	arrow := func(d string, from, to point) {
		u := to.minus(from)
		base := to.plus(u, -9)
		side := point{-u.y, u.x}
		edges.WriteString(d + to.plus(u, -5).String())
		heads.WriteString(lineTo(to, base.plus(side, 3.2), base.plus(side, -3.2)) + "Z")
	}
	for i := range n {
		for j := range n {
			switch {
			case !edge(i, j):
			case i == j: // a loop on the outside
				u, side := out[i], point{-out[i].y, out[i].x}
				place := func(along, across float64) point { return at[i].plus(u, along*node).plus(side, across*node) }
				from, to, bend := place(0.6, -0.8), place(0.6, 0.8), place(5, 4)
				arrow("M"+from.String()+"C"+place(5, -4).String()+" "+bend.String()+" ", bend, to)
			default:
				u := at[j].minus(at[i])
				from, to := at[i].plus(u, node), at[j].plus(u, -node-1)
				if !edge(j, i) {
					arrow("M"+from.String()+"L", from, to)
					continue
				}
				middle := point{(from.x + to.x) / 2, (from.y + to.y) / 2}
				bend := middle.plus(point{-u.y, u.x}, -math.Hypot(to.x-from.x, to.y-from.y)/8)
				arrow("M"+from.String()+"Q"+bend.String()+" ", bend, to)
			}
		}
	}
	s.path(edges.String(), paint{stroke: soft, width: 1.2}, "")
	s.path(heads.String(), paint{fill: soft}, "")
	for i, name := range names {
		s.mark(at[i], 0, node, name)
		place, side := at[i].plus(out[i], 2.2*node), middle
		if edge(i, i) {
			place = at[i].plus(out[i], 5*node)
		}
		if math.Abs(out[i].x) > 0.25 {
			side = map[bool]anchor{true: start, false: end}[out[i].x > 0]
		}
		s.word(point{place.x, place.y + textSize*0.35}, name, textSize, ink, side)
	}
	return s.svg("graph", title)
}

func (p point) plus(u point, by float64) point { return point{p.x + u.x*by, p.y + u.y*by} }

// minus is the direction to p from q.
func (p point) minus(q point) point {
	d := math.Hypot(p.x-q.x, p.y-q.y)
	return point{(p.x - q.x) / d, (p.y - q.y) / d}
}

// Matrix draws each element as a square, deeper the greater its magnitude, negative
// ones in the second colour. Names, if any, are of its columns, and where it has as
// many rows and more than one of these as well. The note stands below.
func Matrix(title, note string, at [][]float64, names []string) []byte {
	h, w := len(at), len(at[0])
	most, widest := 0.0, 0.0
	for _, row := range at {
		for _, x := range row {
			most = math.Max(most, math.Abs(x))
		}
	}
	names = slices.Clone(names)
	for i := range names {
		names[i] = clip(names[i], textSize, longestLabel)
		widest = math.Max(widest, textWidth(names[i], textSize))
	}
	const lean = 60.0 // degrees, of the names of columns
	side := math.Min(24, math.Max(2, 800/float64(max(w, h))))
	left, top := 2*margin, 2.5*margin+widest*math.Sin(lean*math.Pi/180)
	if h > 1 {
		left += widest
	}
	right, bottom := left+float64(w)*side, top+float64(h)*side
	s := &scene{width: math.Max(right+2*margin+widest*math.Cos(lean*math.Pi/180), left+textWidth(note, textSize)+margin), height: bottom + 40}
	// The squares of one shade are one path, and equal ones side by side one of its
	// rectangles: a large picture is much smaller than what it shows.
	var paths [2 * shades]strings.Builder
	shadeOf := func(x float64) int {
		level := max(1, min(shades, int(math.Ceil(math.Abs(x)/most*shades)))) - 1
		if x < 0 {
			level += shades
		}
		return level
	}
	for r, row := range at {
		for c := 0; c < w; {
			x, from := row[c], c
			for c++; c < w && row[c] != 0 && x != 0 && shadeOf(row[c]) == shadeOf(x); c++ {
			}
			if x != 0 {
				paths[shadeOf(x)].WriteString(rectangle(left+float64(from)*side, top+float64(r)*side, float64(c-from)*side, side))
			}
		}
	}
	for i := range paths {
		if paths[i].Len() > 0 {
			s.path(paths[i].String(), paint{fill: seriesRole(i / shades), opacity: float64(i%shades+1) / shades, crisp: true}, "")
		}
	}
	s.path(rectangle(left, top, right-left, bottom-top), paint{stroke: soft, width: 1}, "")
	for i, name := range names {
		mid := (float64(i) + 0.5) * side
		if h > 1 {
			s.word(point{left - 5, top + mid + textSize*0.35}, name, textSize, ink, end)
		}
		s.turned(point{left + mid + 3, top - 5}, name, textSize, ink, start, -lean)
	}
	s.word(point{left, bottom + 22}, note, textSize, ink, start)
	return s.svg("matrix-"+strconv.Itoa(w), title)
}
