package repl

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"ein/lang/show"
)

// maxDrawnNodes is the number of nodes up to which a 0/1 square matrix is drawn as
// a graph; a larger one is a heat map.
const maxDrawnNodes = 60

// maxCells is the number of rows and columns of a heat map; a larger matrix is
// drawn in blocks.
const maxCells = 400

// svg is the picture of a value, and what it shows.
func (g *grid) svg() (picture, what string) {
	if g.square && g.rows <= maxDrawnNodes {
		return g.graphSVG(), fmt.Sprintf("the graph of %s", plural(g.rows, "node"))
	}
	return g.heatSVG()
}

func svgHead(b *strings.Builder, width, height float64, title string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="sans-serif">`+"\n", coord(width), coord(height), coord(width), coord(height))
	fmt.Fprintf(b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", escapeXML(title))
}

// escapeXML is text that is safe in XML. What XML cannot hold is shown by its
// number.
func escapeXML(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF || r == unicode.ReplacementChar:
			fmt.Fprintf(&b, "U+%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// coord is a number with at most one decimal.
func coord(x float64) string { return show.Number(math.Round(x*10) / 10) }

// graphSVG draws the nodes on a circle, in their order from the top clockwise,
// and each edge as an arrow; two that go both ways are bent apart.
func (g *grid) graphSVG() string {
	n := g.rows
	const node = 14.0
	radius := max(90, float64(n)*node*3/(2*math.Pi))
	margin := 110.0
	centre := radius + margin
	var b strings.Builder
	svgHead(&b, 2*centre, 2*centre, g.heading())
	b.WriteString(`<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" fill="#4a5568"/></marker></defs>` + "\n")
	b.WriteString(`<g fill="none" stroke="#4a5568" stroke-width="1.2" marker-end="url(#head)">` + "\n")
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		angle := 2*math.Pi*float64(i)/float64(n) - math.Pi/2
		x[i], y[i] = centre+radius*math.Cos(angle), centre+radius*math.Sin(angle)
	}
	for i := range n {
		for j := range n {
			if g.at[i*n+j] != 0 {
				b.WriteString(g.edge(i, j, x, y, node, centre))
			}
		}
	}
	b.WriteString("</g>\n<g fill=\"#2b6cb0\">\n")
	for i := range n {
		fmt.Fprintf(&b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"/>\n", coord(x[i]), coord(y[i]), coord(node/2))
	}
	b.WriteString("</g>\n<g font-size=\"12\" fill=\"#1a202c\">\n")
	for i := range n {
		name := fmt.Sprint(i)
		if g.labels != nil {
			name = shorten(g.labels[i], 18)
		}
		dx, dy := x[i]-centre, y[i]-centre
		anchor := "middle"
		if math.Abs(dx) > radius/4 {
			anchor = map[bool]string{true: "start", false: "end"}[dx > 0]
		}
		scale := (radius + node + 6) / radius
		fmt.Fprintf(&b, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" dominant-baseline=\"middle\">%s</text>\n",
			coord(centre+dx*scale), coord(centre+dy*scale), anchor, escapeXML(name))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// edge is the arrow from i to j.
func (g *grid) edge(i, j int, x, y []float64, node, centre float64) string {
	if i == j { // a loop on the outside
		ux, uy := unit(x[i]-centre, y[i]-centre)
		px, py := -uy, ux
		r := node / 2
		at := func(out, side float64) string {
			return coord(x[i]+ux*out+px*side) + " " + coord(y[i]+uy*out+py*side)
		}
		return fmt.Sprintf("<path d=\"M%s C%s %s %s\"/>\n", at(r*0.6, -r*0.8), at(r*4, -r*3), at(r*4, r*3), at(r*0.6, r*0.8))
	}
	ux, uy := unit(x[j]-x[i], y[j]-y[i])
	x1, y1 := x[i]+ux*node/2, y[i]+uy*node/2
	x2, y2 := x[j]-ux*(node/2+1), y[j]-uy*(node/2+1)
	if g.at[j*g.cols+i] == 0 {
		return fmt.Sprintf("<path d=\"M%s %s L%s %s\"/>\n", coord(x1), coord(y1), coord(x2), coord(y2))
	}
	bend := math.Hypot(x2-x1, y2-y1) / 8
	return fmt.Sprintf("<path d=\"M%s %s Q%s %s %s %s\"/>\n", coord(x1), coord(y1),
		coord((x1+x2)/2-uy*bend), coord((y1+y2)/2+ux*bend), coord(x2), coord(y2))
}

func unit(x, y float64) (float64, float64) {
	d := math.Hypot(x, y)
	return x / d, y / d
}

// heatSVG draws each element as a square, from white to dark, negative ones in red.
// Equal ones side by side are one rectangle.
func (g *grid) heatSVG() (picture, what string) {
	step := max(1, (max(g.rows, g.cols)+maxCells-1)/maxCells)
	w, h := (g.cols+step-1)/step, (g.rows+step-1)/step
	cell := make([]float64, w*h)
	for r := range g.rows {
		for c := range g.cols {
			k := r/step*w + c/step
			if x := g.at[r*g.cols+c]; math.Abs(x) > math.Abs(cell[k]) {
				cell[k] = x
			}
		}
	}
	legend := fmt.Sprintf("least %s, greatest %s", show.Number(g.low), show.Number(g.high))
	what = "the heat map of " + g.heading()
	if step > 1 {
		note := fmt.Sprintf("each square is %dx%d elements and shows the greatest in magnitude", step, step)
		legend += "; " + note
		what += "; " + note
	}
	most := max(math.Abs(g.low), math.Abs(g.high))
	side := min(24, max(2, 800/float64(max(w, h))))
	left, top := 30.0, 30.0
	named := g.labels != nil && step == 1 && w <= maxDrawnNodes
	if named {
		left, top = 130, 130
	}
	right, bottom := left+float64(w)*side, top+float64(h)*side
	var b strings.Builder
	const letter = 7 // about the width of one
	svgHead(&b, max(right+60, left+letter*float64(len(legend))), bottom+54, g.heading())
	b.WriteString(`<g shape-rendering="crispEdges">` + "\n")
	for r := range h {
		for c := 0; c < w; {
			x, from := cell[r*w+c], c
			for c < w && cell[r*w+c] == x {
				c++
			}
			if x == 0 {
				continue
			}
			fmt.Fprintf(&b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n",
				coord(left+float64(from)*side), coord(top+float64(r)*side), coord(float64(c-from)*side), coord(side), heat(x/most))
		}
	}
	fmt.Fprintf(&b, "</g>\n<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"none\" stroke=\"#4a5568\"/>\n",
		coord(left), coord(top), coord(float64(w)*side), coord(float64(h)*side))
	b.WriteString("<g font-size=\"12\" fill=\"#1a202c\">\n")
	if named {
		for i, label := range g.labels {
			name, at := escapeXML(shorten(label, 18)), (float64(i)+0.5)*side
			if !g.vector {
				fmt.Fprintf(&b, "<text x=\"%s\" y=\"%s\" text-anchor=\"end\" dominant-baseline=\"middle\">%s</text>\n", coord(left-5), coord(top+at), name)
			}
			fmt.Fprintf(&b, "<text transform=\"translate(%s %s) rotate(-60)\">%s</text>\n", coord(left+at+4), coord(top-5), name)
		}
	}
	fmt.Fprintf(&b, "<text x=\"%s\" y=\"%s\">%s</text>\n</g>\n</svg>\n", coord(left), coord(bottom+30), escapeXML(legend))
	return b.String(), what
}

// heat is the colour of a number from -1 to 1.
func heat(x float64) string {
	to := [3]float64{26, 54, 93}
	if x < 0 {
		to = [3]float64{155, 28, 28}
	}
	var c [3]int
	for i := range c {
		c[i] = int(math.Round(255 + (to[i]-255)*math.Abs(x)))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}
