package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var nan = math.NaN()

// random returns a figure of a kind with whatever may come.
func random(kind Kind, rnd *rand.Rand) *Figure {
	text := func() string {
		return []string{"", "a", "model, direct", "<b>&\"'", "\x00\u202e", strings.Repeat("long name ", 40), "naïve – −5 日本"}[rnd.IntN(7)]
	}
	number := func() float64 {
		return []float64{nan, 0, 1, 50, 100, -3, 1e-9, 1e9, math.Inf(1), rnd.Float64() * 100}[rnd.IntN(10)]
	}
	value := func() Value {
		if v := number(); rnd.IntN(3) > 0 {
			return Value{v, v - 5, v + 5, rnd.IntN(100)}
		}
		return Value{number(), number(), number(), rnd.IntN(3)}
	}
	f := &Figure{ID: "x", Title: text(), Kind: kind, X: Axis{Label: text(), Log: kind == Plane && rnd.IntN(2) == 0}, Y: Axis{Label: text()}}
	if rnd.IntN(2) == 0 || kind == Stack {
		f.X.Max, f.Y.Max = 100, 100
		f.X.Log = false
	}
	for range rnd.IntN(5) {
		f.Rows = append(f.Rows, text())
	}
	panels := 1
	if kind == Lines {
		panels = 1 + rnd.IntN(5)
	}
	for range panels {
		p := Panel{Title: text()}
		for range rnd.IntN(20) {
			s := Series{Name: text(), Style: rnd.IntN(18)}
			n := len(f.Rows)
			if kind == Lines || kind == Plane {
				n = rnd.IntN(4)
			}
			for range n {
				s.Points = append(s.Points, Point{X: value(), Y: value(), Note: text()})
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	if kind == Plane {
		for range rnd.IntN(3) {
			f.Front = append(f.Front, Point{X: Exact(rnd.Float64() * 100), Y: Exact(rnd.Float64() * 100)})
		}
	}
	return f
}

// check reads a drawing as XML and looks at every number in it.
func check(t *testing.T, data []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, data)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "x", "y", "font-size", "stroke-width":
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || math.IsNaN(v) || math.Abs(v) > 1e5 {
					t.Fatalf("%s is %q", a.Name.Local, a.Value)
				}
			case "d", "viewBox":
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s is %.80q", a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestCrowded: the names of marks that lie on each other can be read.
func TestCrowded(t *testing.T) {
	f := &Figure{Kind: Plane, Y: Axis{Max: 100}, Panels: []Panel{{}}}
	for i := range 9 {
		f.Panels[0].Series = append(f.Panels[0].Series, Series{Name: fmt.Sprint("provider:some-model-", i), Points: []Point{{X: Exact(5), Y: Exact(100)}}})
	}
	var boxes []box
	for _, m := range regexp.MustCompile(`<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>(provider:[^<]*)<`).FindAllStringSubmatch(string(SVG(f)), -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		boxes = append(boxes, box{x, y - smallSize, x + textWidth(m[3], smallSize), y})
	}
	if len(boxes) != 9 {
		t.Fatalf("%d names", len(boxes))
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if a.overlap(b) > 0 {
				t.Errorf("%v lies on %v", a, b)
			}
		}
	}
}

// TestWidths: a label keeps to the width laid out for, in whatever font it is shown, where that
// width is known.
func TestWidths(t *testing.T) {
	s := &scene{}
	s.word(point{0, 0}, "ein", 10, ink, end)
	s.word(point{0, 0}, "größe", 10, ink, end)
	if got := s.String(); !strings.Contains(got, ` textLength="13.34" lengthAdjust="spacingAndGlyphs" fill="#1a1a1a">ein<`) || strings.Count(got, "textLength") != 1 {
		t.Error(got)
	}
}

func TestRandomFigures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	n := 400
	if testing.Short() {
		n = 60
	}
	for i := range n {
		f := random(Kind(i%5), rnd)
		check(t, SVG(f))
		check(t, Inline(f))
		if !bytes.Equal(SVG(f), SVG(f)) {
			t.Error("a figure is not the same twice")
		}
	}
}

// TestPictures: the graph and the matrix of a session are XML whatever the names and
// numbers are, and hold what they show.
func TestPictures(t *testing.T) {
	names := []string{"<b>&\"'", "\x00\u202e", strings.Repeat("long name ", 40), "日本"}
	var edges [][2]int
	for i := range names {
		for j := range i + 1 {
			edges = append(edges, [2]int{i, j})
		}
	}
	graph := Graph("<t>", names, edges)
	check(t, graph)
	if n := strings.Count(string(graph), "C") + strings.Count(string(graph), "L"); n < 10 {
		t.Errorf("%d loops and lines, want at least 10", n)
	}
	for _, at := range [][][]float64{{{0, 1, -2, nan}}, {{0, 0}, {0, 0}}, {{math.Inf(1), 1}, {-1e308, 1e308}}} {
		picture := Matrix("<t>", "<note>", at, names[:len(at[0])])
		check(t, picture)
		if !strings.Contains(string(picture), "&lt;note&gt;") {
			t.Error("a matrix without its note")
		}
	}
}

// TestSettle: nodes of a graph of 200 neither lie on each other nor far from those
// that they have edges with, and lie there again.
func TestSettle(t *testing.T) {
	const n = 200
	var edges [][2]int
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{(i - 1) / 3, i})
	}
	at := settle(n, edges)
	if !slices.Equal(at, settle(n, edges)) {
		t.Error("two pictures of one graph")
	}
	for i := range at {
		for j := range i {
			if d := math.Hypot(at[i].x-at[j].x, at[i].y-at[j].y); !(d > 0.2) {
				t.Errorf("%d and %d are %v apart", i, j, d)
			}
		}
	}
	for _, e := range edges {
		if d := math.Hypot(at[e[0]].x-at[e[1]].x, at[e[0]].y-at[e[1]].y); d > 8 {
			t.Errorf("the edge %v is %v long", e, d)
		}
	}
	if alone := settle(1, nil); len(alone) != 1 || math.IsNaN(alone[0].x) {
		t.Error(alone)
	}
}

// TestMissing checks that a missing value leaves no mark and no line across the gap.
func TestMissing(t *testing.T) {
	draw := func(middle float64) string {
		return string(SVG(&Figure{ID: "x", Kind: Lines, X: Axis{Min: 0, Max: 2}, Y: Axis{Min: 0, Max: 100}, Panels: []Panel{{Series: []Series{{
			Name: "a", Points: []Point{{X: Exact(0), Y: Exact(10)}, {X: Exact(1), Y: Exact(middle)}, {X: Exact(2), Y: Exact(30)}},
		}}}}}))
	}
	if n := strings.Count(draw(20), "stroke-width=\"1.4\""); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
	if n := strings.Count(draw(nan), "stroke-width=\"1.4\""); n != 0 {
		t.Errorf("%d lines through a missing point, want none", n)
	}
	if a, b := strings.Count(draw(20), "<title>a: "), strings.Count(draw(nan), "<title>a: "); a != 3 || b != 2 {
		t.Errorf("%d and %d marks, want 3 and 2", a, b)
	}
	empty := string(SVG(&Figure{ID: "x", Kind: Dots, Rows: []string{"a"}, Panels: []Panel{{Series: []Series{{Points: []Point{{X: Exact(nan)}}}}}}}))
	if !strings.Contains(empty, "No data for this figure.") {
		t.Errorf("an empty figure does not say so: %s", empty)
	}
}

func TestTicks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		low := (rnd.Float64() - 0.5) * math.Pow(10, float64(rnd.IntN(7)-2))
		high := low + math.Pow(10, float64(rnd.IntN(8)-2))*(0.1+rnd.Float64())
		list := Axis{}.ticks(low, high, 8)
		if len(list) < 2 || len(list) > 10 {
			t.Errorf("%v to %v has %d ticks", low, high, len(list))
		}
		for i, k := range list {
			if k.v < low-1e-6*(high-low) || k.v > high+1e-6*(high-low) || i > 0 && k.name == list[i-1].name {
				t.Errorf("%v to %v has the ticks %v", low, high, list)
				break
			}
		}
		a, b := 1+rnd.Float64()*50, 2+rnd.Float64()*5000
		if l := (Axis{Log: true}).ticks(a, a*b, 8); b > 12 && len(l) < 2 {
			t.Errorf("%v to %v has the ticks %v", a, a*b, l)
		}
	}
	if got := plain(math.Copysign(0, -1)); got != "0" {
		t.Errorf("minus zero is %s", got)
	}
}

// TestLabels checks that labels of a plane cover neither marks nor each other where
// there is room.
func TestLabels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	frame := box{0, 0, 600, 400}
	for range 100 {
		var taken []box
		var marks []point
		for range 6 {
			m := point{60 + rnd.Float64()*480, 40 + rnd.Float64()*320}
			marks = append(marks, m)
			taken = append(taken, box{m.x - 6, m.y - 6, m.x + 6, m.y + 6})
		}
		for i, m := range marks {
			b, _, _ := place(m, fmt.Sprint("mark ", i), frame, taken)
			for _, k := range taken {
				if k.overlap(b) > 0 {
					t.Fatalf("label %v covers %v", b, k)
				}
			}
			if b.x0 < 0 || b.y0 < 0 || b.x1 > 600 || b.y1 > 400 {
				t.Fatalf("label %v is outside", b)
			}
			taken = append(taken, b)
		}
	}
}

// TestContrast holds the palette to being readable: 4.5 to 1 for words (WCAG
// 2). Marks differ in shape as well, and may have less.
func TestContrast(t *testing.T) {
	ratio := func(a, b rgb) float64 {
		x, y := a.luminance(), b.luminance()
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	if q := ratio(0, 0xffffff); math.Abs(q-21) > 1e-9 {
		t.Fatalf("black and white have a contrast of %v, want 21", q)
	}
	if q := ratio(0x777777, 0xffffff); math.Abs(q-4.478) > 1e-3 {
		t.Fatalf("#777777 and white have a contrast of %v, want 4.48", q)
	}
	for _, dark := range []bool{false, true} {
		of := func(r role) rgb {
			i := slices.IndexFunc(palette(), func(c color) bool { return c.role == r })
			if dark {
				return palette()[i].dark
			}
			return palette()[i].light
		}
		for _, r := range []role{ink, soft} {
			if q := ratio(of(r), of(paper)); q < 4.5 {
				t.Errorf("words in %v, dark %v: contrast %.2f", of(r), dark, q)
			}
		}
		for i := range series {
			c := of(seriesRole(i))
			if q := ratio(c, of(paper)); q < 2.2 {
				t.Errorf("marks in %v, dark %v: contrast %.2f", c, dark, q)
			}
			if q := ratio(c, of(onSeries(i))); q < 4.5 {
				t.Errorf("words on %v: contrast %.2f", c, q)
			}
		}
	}
}

// TestText draws in characters.
func TestText(t *testing.T) {
	bars := Bars(20, []string{"a", "bc", "d", "e"}, []string{"2", "-1", "0", "0.25"}, []float64{2, -1, 0, 0.25})
	if want := "   a     2  ████████\n  bc    -1  ▒▒▒▒\n   d     0\n   e  0.25  █\n"; bars != want {
		t.Errorf("\n%s\nwant\n%s", bars, want)
	}
	if got, want := Blocks([][]float64{{0, 1}, {1, 1}, {1, 0}}, 0, 1, true), "┌──┐\n│▄█│\n│▀ │\n└──┘\n"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if got, want := Blocks([][]float64{{-1e308, 0, 1e308}}, -1e308, 1e308, false), "┌──────┐\n│  ▒▒██│\n└──────┘\n"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if got, want := Blocks([][]float64{{7}}, 7, 7, false), "┌──┐\n│██│\n└──┘\n"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestClip: what tells names apart, at either end, stays.
func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width float64
		want  string
	}{
		{"plain, nl", 60, "plain, nl"},
		{"10..11", textWidth("10..11", 9), "10..11"},
		{"openai:accounts/somebody/models/large-32b, direct, nl", 150, "openai:accounts/s…ge-32b, direct, nl"},
		{"openai:accounts/somebody/models/large-32b, cot, nl", 150, "openai:accounts/s…large-32b, cot, nl"},
		{"wide", 1, "…"},
	} {
		if got := clip(c.text, 9, c.width); got != c.want {
			t.Errorf("clip(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	long := strings.Repeat("long name ", 40)
	plane := string(SVG(&Figure{Kind: Plane, Panels: []Panel{{Series: []Series{{Name: long, Points: []Point{{X: Exact(1), Y: Exact(2)}}}}}}}))
	if strings.Contains(plane, ">"+long+"</text>") {
		t.Error("a name in a plane is wider than the plane")
	}
}
