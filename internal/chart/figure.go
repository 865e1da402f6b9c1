// Package chart draws figures as SVG: a few kinds of diagram over numbers with intervals, and the
// matrix and the graph of a session.
//
// A [Figure] is of a [Kind]; it has axes, and panels with a [Series] or more of points, whose
// coordinates are a [Value] with its interval. Every kind becomes a scene of paths and texts
// (kinds.go, on the scales of layout.go), and a scene becomes SVG (scene.go): [SVG] for a file on
// white, [Sheet] for several in one, [Inline] and [Narrow] for a page whose style sheet has the
// colours, with [Classes] and [Variables] for light and dark. [Matrix] and [Graph] draw the values
// of a session, [Bars] and [Blocks] draw in a terminal.
//
// The same figure gives the same bytes. Series differ in shape and dash as well as in colour, by
// the palette of Okabe and Ito; a missing value is not drawn. Text from outside goes through
// package page, which escapes it.
//
// It lays out figures itself because a page needs SVG with classes for its style sheet, labels
// that do not collide, titles for screen readers and stable bytes, of which gonum.org/v1/plot has
// none, at 7 MB.
package chart

import "math"

// Kind is a sort of diagram.
type Kind int

// The kinds.
const (
	// Dots has a row for each thing and a mark for each series, with its interval,
	// over a common axis of X.
	Dots Kind = iota
	// Lines has Y over X for each series, in one panel or several.
	Lines
	// Plane has a labelled point for each series, with intervals in both directions,
	// and the front of the points that none is better than.
	Plane
	// Stack has a bar of shares for each row.
	Stack
	// Heat has a number on a shade for each row and column. Its series are columns.
	Heat
)

// Figure is a diagram with the words around it.
type Figure struct {
	ID      string
	Title   string
	Caption string
	Kind    Kind
	X, Y    Axis
	Rows    []string // of Dots, Stack and Heat, from the top
	Panels  []Panel  // more than one only of Lines
	Front   []Point  // of Plane
}

// Axis is a scale. If Max is not set, the data set its range.
type Axis struct {
	Label    string // with the unit
	Min, Max float64
	Log      bool
	Whole    bool     // ticks at whole numbers only
	Names    []string // of the values 0, 1, 2 ..., in place of numbers
}

// Panel is one of several diagrams with the same axes.
type Panel struct {
	Title  string
	Series []Series
}

// Series is a set of values that belong together. Dots, Stack and Heat have one point for each row,
// with the value in X.
type Series struct {
	Name   string
	Points []Point
	Style  int // of colour and shape, from 1; 0 is that of the place in the list
}

// style returns the index into the palette.
func (s *Series) style(i int) int {
	if s.Style > 0 {
		return s.Style - 1
	}
	return i
}

// Point is a place in a diagram.
type Point struct {
	X, Y Value
	Note string // shown beside the value when pointed at
}

func (p Point) x() Value { return p.X }
func (p Point) y() Value { return p.Y }

// Value is a number with its interval. NaN is missing.
type Value struct {
	V, Low, High float64
	N            int
}

// Exact returns a value without an interval.
func Exact(v float64) Value { return Value{v, math.NaN(), math.NaN(), 0} }

// Missing is no value.
func Missing() Value { return Exact(math.NaN()) }

// Missing reports whether there is no value.
func (v Value) Missing() bool { return math.IsNaN(v.V) }

func (v Value) hasInterval() bool { return !math.IsNaN(v.Low) && !math.IsNaN(v.High) }

// points returns the points of all series that have the values which the kind draws.
func (f *Figure) points() []Point {
	var list []Point
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				if !q.X.Missing() && (f.Kind != Lines && f.Kind != Plane || !q.Y.Missing()) {
					list = append(list, q)
				}
			}
		}
	}
	return list
}
