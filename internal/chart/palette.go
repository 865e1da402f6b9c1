package chart

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
)

// role is what a colour is for. The page that a figure is part of decides what
// colour that is; a figure by itself is for white paper.
type role int

const (
	none  role = iota
	ink        // words that matter
	soft       // other words, axes
	rule       // grid
	band       // every second row
	paper      // what is behind
	black      // words on light shades, in any theme
	white      // words on dark shades, in any theme
	firstSeries
	firstOn    = firstSeries + 32 // words on a fill
	firstShade = firstSeries + 64
)

// shades is the number of steps of a heat map.
const shades = 32

func seriesRole(i int) role { return firstSeries + role(i%len(seriesLight)) }

// onSeries is the role of words on the fill of a series.
func onSeries(i int) role { return firstOn + role(i%len(seriesLight)) }

// on is the one of black and white that has more contrast to a fill (WCAG 2).
func on(fill color.RGBA) color.RGBA {
	if luminance(fill) > 0.179 {
		return inksLight[black]
	}
	return inksLight[white]
}

// luminance is the relative luminance of sRGB.
func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// shade is the role of a share from 0 to 1, and that of words on it.
func shade(share float64) (fill, text role) {
	i := int(share * shades)
	i = max(0, min(shades-1, i))
	text = black
	if on(shadeColor(i)) == inksLight[white] {
		text = white
	}
	return firstShade + role(i), text
}

var (
	// The palette of Okabe and Ito, without yellow, which white paper swallows; then
	// three more, for figures that need a colour for each of eleven outcomes.
	seriesLight = []color.RGBA{rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7), rgb(0x7a5195), rgb(0x56b4e9), rgb(0xb8860b), rgb(0x4d4d4d), rgb(0x8c564b), rgb(0x6a9a1f), rgb(0x00626c)}
	seriesDark  = []color.RGBA{rgb(0x4da3dc), rgb(0xf0863c), rgb(0x2fc79a), rgb(0xe29ac4), rgb(0xb08fd0), rgb(0x8ed0f5), rgb(0xe0b341), rgb(0xb8b8b8), rgb(0xc08a80), rgb(0xb5dd77), rgb(0x4fb9c4)}
	inksLight   = map[role]color.RGBA{ink: rgb(0x1a1a1a), soft: rgb(0x5a5f66), rule: rgb(0xdfe2e6), band: rgb(0xf5f6f8), paper: rgb(0xffffff), black: rgb(0x111111), white: rgb(0xffffff)}
	inksDark    = map[role]color.RGBA{ink: rgb(0xececec), soft: rgb(0xa3a9b1), rule: rgb(0x363b42), band: rgb(0x1d2126), paper: rgb(0x15181c), black: rgb(0x111111), white: rgb(0xffffff)}
	// Stops of the shades, from low to high: after cividis, which is even to
	// colour-blind readers and in grey.
	stops = []color.RGBA{rgb(0x00224e), rgb(0x35456c), rgb(0x666970), rgb(0x948e77), rgb(0xc8b866), rgb(0xfee838)}
)

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

func shadeColor(i int) color.RGBA {
	at := float64(i) / (shades - 1) * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	t := at - float64(k)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-t) + float64(b)*t + 0.5) }
	a, b := stops[k], stops[k+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

func lightColor(r role) color.RGBA {
	switch {
	case r >= firstShade:
		return shadeColor(int(r - firstShade))
	case r >= firstOn:
		return on(seriesLight[r-firstOn])
	case r >= firstSeries:
		return seriesLight[r-firstSeries]
	}
	return inksLight[r]
}

// name is the role in CSS.
func (r role) name() string {
	switch {
	case r >= firstShade:
		return "q" + strconv.Itoa(int(r-firstShade))
	case r >= firstOn:
		return "o" + strconv.Itoa(int(r-firstOn))
	case r >= firstSeries:
		return "s" + strconv.Itoa(int(r-firstSeries))
	}
	return [...]string{"none", "ink", "soft", "rule", "band", "paper", "black", "white"}[r]
}

// Variables are the CSS variables of the colours, for a light or a dark page.
func Variables(dark bool) string {
	series, inks := seriesLight, inksLight
	if dark {
		series, inks = seriesDark, inksDark
	}
	var s string
	for r := ink; r <= white; r++ {
		s += variable(r, inks[r])
	}
	for i, c := range series {
		s += variable(seriesRole(i), c) + variable(onSeries(i), on(c))
	}
	return s
}

func variable(r role, c color.RGBA) string { return fmt.Sprintf("--%s:%s;", r.name(), hex(c)) }

// Classes are the CSS rules of the classes that Inline writes.
func Classes() string {
	s := ".chart text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}"
	one := func(r role, value string) {
		s += fmt.Sprintf(".chart .f-%s{fill:%s}.chart .l-%s{stroke:%s}", r.name(), value, r.name(), value)
	}
	for r := ink; r <= white; r++ {
		one(r, "var(--"+r.name()+")")
	}
	for i := range seriesLight {
		one(seriesRole(i), "var(--"+seriesRole(i).name()+")")
		one(onSeries(i), "var(--"+onSeries(i).name()+")")
	}
	for i := range shades {
		one(firstShade+role(i), hex(shadeColor(i)))
	}
	return s
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
