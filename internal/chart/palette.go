package chart

import (
	"fmt"
	"math"
	"strconv"
	"sync"
)

// role is the purpose of a colour and its name in CSS. The page that contains a figure chooses the
// colour; a figure on its own is drawn for white paper.
type role string

const (
	none  role = ""
	ink   role = "ink"   // words that matter
	soft  role = "soft"  // other words, axes
	rule  role = "rule"  // grid
	band  role = "band"  // every second row
	paper role = "paper" // what is behind
	black role = "black" // words on light shades, in any theme
	white role = "white" // words on dark shades, in any theme
)

func seriesRole(i int) role { return role("s" + strconv.Itoa(i%len(series))) }

// onSeries returns the role of words on the fill of a series.
func onSeries(i int) role { return role("o" + strconv.Itoa(i%len(series))) }

// shades is the number of steps of a heat map.
const shades = 32

// shade returns the role of a share from 0 to 1, and the role of words on it.
func shade(share float64) (fill, text role) {
	i := max(0, min(shades-1, int(share*shades)))
	if on(shadeColor(i)) == 0xffffff {
		return role("q" + strconv.Itoa(i)), white
	}
	return role("q" + strconv.Itoa(i)), black
}

// rgb is a colour.
type rgb uint32

func (c rgb) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// part returns red, green or blue, for shifts of 16, 8 and 0.
func (c rgb) part(shift int) float64 { return float64(c >> shift & 0xff) }

// luminance returns the relative luminance of sRGB.
func (c rgb) luminance() float64 {
	linear := func(shift int) float64 {
		x := c.part(shift) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}

// on returns black or white, whichever has more contrast to a fill (WCAG 2).
func on(fill rgb) rgb {
	if fill.luminance() > 0.179 {
		return 0x111111
	}
	return 0xffffff
}

// series is the palette of Okabe and Ito without yellow, which disappears on white paper, and three
// more colours for figures that need one for each of eleven outcomes. Each colour has a version for
// a light page and one for a dark page.
var series = [][2]rgb{
	{0x0072b2, 0x4da3dc}, {0xd55e00, 0xf0863c}, {0x009e73, 0x2fc79a}, {0xcc79a7, 0xe29ac4}, {0x7a5195, 0xb08fd0}, {0x56b4e9, 0x8ed0f5},
	{0xb8860b, 0xe0b341}, {0x4d4d4d, 0xb8b8b8}, {0x8c564b, 0xc08a80}, {0x6a9a1f, 0xb5dd77}, {0x00626c, 0x4fb9c4},
}

// stops are the colours of the shades, from low to high: after cividis, which looks even to
// colour-blind readers and in greyscale.
var stops = []rgb{0x00224e, 0x35456c, 0x666970, 0x948e77, 0xc8b866, 0xfee838}

// shadeColor is the colour of shade i, between the two nearest stops.
func shadeColor(i int) rgb {
	at := float64(i) / (shades - 1) * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	var c rgb
	for shift := 0; shift <= 16; shift += 8 {
		a, b := stops[k].part(shift), stops[k+1].part(shift)
		c |= rgb(a+(b-a)*(at-float64(k))+0.5) << shift
	}
	return c
}

// color is a role with its colours on a light and on a dark page.
type color struct {
	role
	light, dark rgb
}

var light = sync.OnceValue(func() map[role]rgb {
	m := map[role]rgb{}
	for _, c := range palette() {
		m[c.role] = c.light
	}
	return m
})

// palette returns the colour of each role, on a light and on a dark page.
var palette = sync.OnceValue(func() []color {
	list := []color{
		{ink, 0x1a1a1a, 0xececec}, {soft, 0x5a5f66, 0xa3a9b1}, {rule, 0xdfe2e6, 0x363b42}, {band, 0xf5f6f8, 0x1d2126},
		{paper, 0xffffff, 0x15181c}, {black, 0x111111, 0x111111}, {white, 0xffffff, 0xffffff},
	}
	for i, c := range series {
		list = append(list, color{seriesRole(i), c[0], c[1]}, color{onSeries(i), on(c[0]), on(c[1])})
	}
	for i := range shades {
		list = append(list, color{role("q" + strconv.Itoa(i)), shadeColor(i), shadeColor(i)})
	}
	return list
})

// Variables are the CSS variables of the colours, for a light or a dark page.
func Variables(dark bool) string {
	s := ""
	for _, c := range palette() {
		value := c.light
		if dark {
			value = c.dark
		}
		s += fmt.Sprintf("--%s:%v;", c.role, value)
	}
	return s
}

// Classes are the CSS rules of the classes that Inline writes.
func Classes() string {
	s := ".chart text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}"
	for _, c := range palette() {
		s += fmt.Sprintf(".chart .f-%s{fill:var(--%s)}.chart .l-%s{stroke:var(--%s)}", c.role, c.role, c.role, c.role)
	}
	return s
}
