package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// longestLabel is the greatest width of the name of a node or an element.
const longestLabel = 130.0

// Graph draws nodes where the forces between them come to rest, and each edge as an arrow. Two
// edges between the same nodes are bent apart.
func Graph(title string, names []string, list [][2]int) []byte {
	const node = 6.0
	n, widest := len(names), 0.0
	names = slices.Clone(names)
	for i := range names {
		names[i] = clip(names[i], smallSize, longestLabel)
		widest = math.Max(widest, textWidth(names[i], smallSize))
	}
	at := settle(n, list)
	length := scaleOf(at, list)
	low, high := point{}, point{}
	for i := range at {
		at[i] = point{at[i].x * length, at[i].y * length}
		low = point{math.Min(low.x, at[i].x), math.Min(low.y, at[i].y)}
		high = point{math.Max(high.x, at[i].x), math.Max(high.y, at[i].y)}
	}
	around := point{widest + 4*node, 8 * node}
	s := &scene{width: high.x - low.x + 2*around.x, height: high.y - low.y + 2*around.y}
	out, taken := make([]point, n), make([]box, n) // out is the direction from the centre
	for i := range at {
		at[i] = point{at[i].x - low.x + around.x, at[i].y - low.y + around.y}
		out[i] = at[i].minus(point{s.width / 2, s.height/2 - 1e-3})
		taken[i] = box{at[i].x - node, at[i].y - node, at[i].x + node, at[i].y + node}
	}
	has := map[[2]int]bool{}
	for _, e := range list {
		has[e] = true
		if i := e[0]; i == e[1] {
			p := at[i].plus(out[i], 3*node)
			taken = append(taken, box{p.x - 2*node, p.y - 2*node, p.x + 2*node, p.y + 2*node})
			continue
		}
		u := at[e[1]].minus(at[e[0]])
		for _, far := range []float64{2, 4} { // no name stands on an arrow near its ends
			for _, p := range []point{at[e[0]].plus(u, far*node), at[e[1]].plus(u, -far*node)} {
				taken = append(taken, box{p.x - 4, p.y - 4, p.x + 4, p.y + 4})
			}
		}
	}
	var edges, heads strings.Builder
	arrow := func(d string, from, to point) {
		u := to.minus(from)
		base := to.plus(u, -9)
		side := point{-u.y, u.x}
		edges.WriteString(d + to.plus(u, -5).String())
		heads.WriteString(lineTo(to, base.plus(side, 3.2), base.plus(side, -3.2)) + "Z")
	}
	for _, e := range list {
		i, j := e[0], e[1]
		if i == j { // a loop on the outside
			u, side := out[i], point{-out[i].y, out[i].x}
			place := func(along, across float64) point { return at[i].plus(u, along*node).plus(side, across*node) }
			from, to, bend := place(0.6, -0.8), place(0.6, 0.8), place(5, 4)
			arrow("M"+from.String()+"C"+place(5, -4).String()+" "+bend.String()+" ", bend, to)
			continue
		}
		u := at[j].minus(at[i])
		from, to := at[i].plus(u, node), at[j].plus(u, -node-1)
		if !has[[2]int{j, i}] {
			arrow("M"+from.String()+"L", from, to)
			continue
		}
		middle := point{(from.x + to.x) / 2, (from.y + to.y) / 2}
		bend := middle.plus(point{-u.y, u.x}, -math.Hypot(to.x-from.x, to.y-from.y)/8)
		arrow("M"+from.String()+"Q"+bend.String()+" ", bend, to)
	}
	s.path(edges.String(), paint{stroke: soft, width: 1.2}, "")
	s.path(heads.String(), paint{fill: soft}, "")
	frame := box{0, 0, s.width, s.height}
	for i, name := range names {
		s.mark(at[i], 0, node, name)
		covered, where, _ := place(at[i], name, frame, taken)
		taken = append(taken, covered)
		s.word(where, name, smallSize, ink, start)
	}
	return s.svg("graph", title)
}

// settle places nodes by the forces of Fruchterman and Reingold (1991), with edges of about length
// 1: all nodes repel each other, edges pull their ends together, and the centre attracts, which
// keeps nodes without edges near. It starts from a spiral and takes a fixed number of steps, so
// that the same graph always gives the same picture.
func settle(n int, edges [][2]int) []point {
	const steps, turn, gravity = 300, 2.399963, 0.5
	at, move := make([]point, n), make([]point, n)
	size := math.Sqrt(float64(n))
	for i := range at {
		sin, cos := math.Sincos(turn * float64(i))
		r := math.Sqrt(float64(i) + 0.5)
		at[i] = point{r * cos, r * sin}
	}
	for step := range steps {
		for i, p := range at {
			move[i] = point{-p.x * gravity, -p.y * gravity}
		}
		force := func(i, j int, of func(square float64) float64) {
			d := point{at[i].x - at[j].x, at[i].y - at[j].y}
			f := of(math.Max(1e-6, d.x*d.x+d.y*d.y))
			move[i], move[j] = point{move[i].x + d.x*f, move[i].y + d.y*f}, point{move[j].x - d.x*f, move[j].y - d.y*f}
		}
		for i := range n {
			for j := range i {
				force(i, j, func(square float64) float64 { return 1 / square })
			}
		}
		for _, e := range edges {
			force(e[0], e[1], func(square float64) float64 { return -math.Sqrt(square) })
		}
		heat := size / 4 * (1 - float64(step)/steps)
		for i, m := range move {
			by := math.Min(1, heat/math.Max(1e-9, math.Hypot(m.x, m.y)))
			at[i] = point{at[i].x + m.x*by, at[i].y + m.y*by}
		}
	}
	return at
}

// scaleOf returns the size of a picture's unit, chosen so that edges have a readable length and
// neighbouring nodes leave room for a name.
func scaleOf(at []point, edges [][2]int) float64 {
	const longest, edge, apart = 64.0, 60.0, 26.0
	sum, near := 0.0, math.Inf(1)
	for _, e := range edges {
		sum += math.Hypot(at[e[0]].x-at[e[1]].x, at[e[0]].y-at[e[1]].y)
	}
	for i := range at {
		for j := range i {
			near = math.Min(near, math.Hypot(at[i].x-at[j].x, at[i].y-at[j].y))
		}
	}
	return math.Min(longest, math.Max(edge*float64(len(edges))/math.Max(sum, 1e-9), apart/near))
}

func (p point) plus(u point, by float64) point { return point{p.x + u.x*by, p.y + u.y*by} }

// minus returns the direction to p from q.
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
