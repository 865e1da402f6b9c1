package chart

import (
	"math"
	"strconv"
	"strings"

	"ein/internal/page"
)

// point is a position in points of 1/72 inch, from the top left.
type point struct{ x, y float64 }

// scene is a drawing: the paths and words of SVG written so far.
type scene struct {
	page.Page
	width, height float64
	inline        bool // coloured by the classes of the page that it is part of
}

// paint says how to draw a path. The zero role draws nothing.
type paint struct {
	fill, stroke role
	width        float64 // of the stroke
	dash         string
	opacity      float64 // of the fill; 0 is opaque
	crisp        bool    // without soft edges, for fills side by side
}

// anchor is which end of a word its point is at, as an SVG attribute.
type anchor string

const (
	start  anchor = ""
	middle anchor = ` text-anchor="middle"`
	end    anchor = ` text-anchor="end"`
)

// path writes a path. The tip appears when it is pointed at.
func (s *scene) path(d string, p paint, tip string) {
	s.Tag(`<path d="` + d + `"`)
	s.paint(p)
	if tip == "" {
		s.Tag("/>")
		return
	}
	s.Element("><title>", tip, "</title></path>")
}

// paint writes attributes.
func (s *scene) paint(p paint) {
	var classes []string
	for _, c := range []struct {
		attribute, class string
		role
	}{{"fill", "f-", p.fill}, {"stroke", "l-", p.stroke}} {
		switch {
		case c.role != none && s.inline:
			classes = append(classes, c.class+string(c.role))
		case c.role != none:
			s.Tag(` %s="%v"`, c.attribute, light()[c.role])
		case c.attribute == "fill":
			s.Tag(` fill="none"`)
		}
	}
	if s.inline {
		s.Tag(` class="%s"`, strings.Join(classes, " "))
	}
	if p.stroke != none {
		s.Tag(` stroke-width="%s"`, short(p.width))
	}
	if p.dash != "" {
		s.Tag(` stroke-dasharray="%s"`, p.dash)
	}
	if p.opacity > 0 {
		s.Tag(` fill-opacity="%s"`, short(p.opacity))
	}
	if p.crisp {
		s.Tag(` shape-rendering="crispEdges"`)
	}
}

// lineTo returns the path through points; Z closes it.
func lineTo(points ...point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteString("ML"[min(i, 1) : min(i, 1)+1])
		b.WriteString(p.String())
	}
	return b.String()
}

func (p point) String() string { return short(p.x) + " " + short(p.y) }

// rectangle returns the path of a rectangle.
func rectangle(x, y, w, h float64) string {
	return "M" + short(x) + " " + short(y) + "h" + short(w) + "v" + short(h) + "h" + short(-w) + "Z"
}

func (s *scene) line(a, b point, stroke role, width float64) {
	s.path(lineTo(a, b), paint{stroke: stroke, width: width}, "")
}

func (s *scene) polyline(path []point, stroke role, width float64, dash string) {
	if len(path) > 1 {
		s.path(lineTo(path...), paint{stroke: stroke, width: width, dash: dash}, "")
	}
}

func (s *scene) rect(x, y, w, h float64, fill role, tip string) {
	s.path(rectangle(x, y, w, h), paint{fill: fill}, tip)
}

func (s *scene) word(at point, text string, size float64, fill role, a anchor) {
	s.turned(at, text, size, fill, a, 0)
}

// turned writes a word at an angle in degrees, clockwise.
func (s *scene) turned(at point, text string, size float64, fill role, a anchor, angle float64) {
	if text == "" {
		return
	}
	s.Tag(`<text x="%s" y="%s" font-size="%s"%s`, short(at.x), short(at.y), short(size), a)
	if angle != 0 {
		s.Tag(` transform="rotate(%s %s)"`, short(angle), at)
	}
	// A browser without these fonts takes another one, which has to keep to the width laid out for.
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		s.Tag(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, short(textWidth(text, size)))
	}
	s.paint(paint{fill: fill})
	s.Element(">", text, "</text>")
}

// mark draws the shape of a series. Every second round of the palette is hollow, so that sixteen
// series can be told apart.
func (s *scene) mark(at point, style int, radius float64, tip string) {
	shapes := []struct {
		corners    int
		from, size float64
	}{{24, 0, 1}, {4, 45, 1.22}, {3, -90, 1.4}, {4, 0, 1.35}, {3, 90, 1.4}, {6, 0, 1.15}, {5, -90, 1.2}, {10, -90, 1.45}}
	shape := shapes[style%len(shapes)]
	path := make([]point, shape.corners)
	for i := range path {
		a, r := (shape.from+360*float64(i)/float64(shape.corners))*math.Pi/180, radius*shape.size
		if shape.corners == 10 && i%2 == 1 { // of a star
			r *= 0.45
		}
		path[i] = point{at.x + r*math.Cos(a), at.y + r*math.Sin(a)}
	}
	p := paint{fill: seriesRole(style), stroke: paper, width: 0.8}
	if style/len(series)%2 == 1 {
		p = paint{fill: paper, stroke: seriesRole(style), width: 1.3}
	}
	s.path(lineTo(path...)+"Z", p, tip)
}

// dashes returns the dashes of a series; in the first round of the palette lines are solid.
func dashes(style int) string {
	if style/len(series)%2 == 1 {
		return "4 2.5"
	}
	return ""
}

// SVG returns a figure by itself, in colours for white paper.
func SVG(f *Figure) []byte { return layout(f, figureWidth, false).svg(f.ID, f.Title) }

// Inline returns a figure as part of a page of HTML, coloured by the classes and
// variables of that page.
func Inline(f *Figure) []byte { return layout(f, figureWidth, true).svg(f.ID, f.Title) }

// Narrow is Inline for the width of a phone. A page has both and shows one.
func Narrow(f *Figure) []byte { return layout(f, narrowWidth, true).svg(f.ID+"-narrow", f.Title) }

// Sheet draws several figures as one, two in a row, each under its title.
func Sheet(title string, list ...*Figure) []byte {
	const each, heading, gap = 480.0, 26.0, 12.0
	out := &scene{width: 2 * each, height: gap}
	for i := 0; i < len(list); i += 2 {
		row := list[i:min(i+2, len(list))]
		high := 0.0
		for k, f := range row {
			s := layout(f, each, false)
			x := each * float64(k)
			out.word(point{x + each/2, out.height + 12}, f.Title, 13, ink, middle)
			out.Tag(`<g transform="translate(%s %s)">`, short(x), short(out.height+heading))
			_, _ = s.WriteTo(out) // to memory
			out.Tag("</g>")
			high = math.Max(high, s.height)
		}
		out.height += heading + high + gap
	}
	return out.svg("sheet", title)
}

// svg returns the whole file, or element, of a drawing.
func (s *scene) svg(id, title string) []byte {
	var p page.Page
	w, h := short(s.width), short(s.height)
	if s.inline {
		class := "wide"
		if s.width == narrowWidth {
			class = "narrow"
		}
		p.Tag(`<svg class="chart %s" viewBox="0 0 %s %s"`, class, w, h)
	} else {
		p.Tag(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" font-family="%s"`, w, h, w, h, "Liberation Sans, Arial, Helvetica, sans-serif")
	}
	p.Tag(` role="img" aria-labelledby="figure-%s-title"><title id="figure-%s-title">`, id, id)
	p.Element("", title, "</title>")
	if !s.inline {
		p.Tag(`<path d="%s" fill="%s"/>`, rectangle(0, 0, s.width, s.height), light()[paper].String())
	}
	_, _ = s.WriteTo(&p) // to memory
	p.Tag("</svg>\n")
	return p.Bytes()
}

// letters holds the widths of the characters from space to tilde in Liberation Sans, Arial and
// Helvetica, in thousandths of the size.
var letters = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// textWidth returns the width of a text. It takes letters beyond ASCII to be of average width, and
// those of East Asia, dashes and dots to be square.
func textWidth(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		switch at := int(r) - ' '; {
		case at >= 0 && at < len(letters):
			sum += int(letters[at])
		case r < 0x1100 || r == '–' || r == '−':
			sum += 556
		default:
			sum += 1000
		}
	}
	return float64(sum) / 1000 * size
}

// short writes a coordinate to a hundredth of a point.
func short(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}
