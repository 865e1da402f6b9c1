package show

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ein/internal/table"
	"ein/vm/tensor"
)

// Order is the order in which the elements of a vector or a matrix are listed.
type Order string

// The orders.
const (
	ByPlace Order = ""
	ByValue Order = "value" // the greatest first
	ByName  Order = "name"
)

// listed reports whether a value is shown as a list of its elements with their names.
func (o *Options) listed(s tensor.Shape) bool {
	named := o.Sort != ByPlace || o.Top > 0
	for d := range s.Rank() {
		named = named || o.overLabels(s.Dim(d))
	}
	return named && s.Rank() > 0 && s.Elems() > 0
}

// overLabels reports whether an axis of a size is that of the labelled nodes.
func (o *Options) overLabels(size int) bool {
	return o.Nodes && len(o.Labels) > 0 && size == len(o.Labels)
}

// place shows a position on an axis, by its label if the axis is the nodes.
func (o *Options) place(size, i int) string {
	if !o.overLabels(size) {
		return strconv.Itoa(i)
	}
	return o.label(i)
}

// places shows the position of an element on each axis.
func (o *Options) places(s tensor.Shape, c cell) []string {
	at := make([]string, s.Rank())
	last := len(at) - 1
	at[last] = o.place(s.Dim(last), c.col)
	for d := last - 1; d >= 0; d-- {
		at[d] = o.place(s.Dim(d), c.row%s.Dim(d))
		c.row /= s.Dim(d)
	}
	return at
}

// items returns the first elements that are listed, in the order asked for, and how many
// there are in all: of a vector every one, of any other value those that are not 0.
func (w *writer) items(v *tensor.Value, most int) (list iter.Seq[cell], n int) {
	list, n = w.cells(v), v.Shape.Dim(0)
	if v.Shape.Rank() > 1 {
		n = int(w.count(v, math.MaxInt))
	}
	if w.opt.Sort == ByPlace && w.opt.Top == 0 {
		return first(list, most), n
	}
	var best []cell // no more than twice what is listed
	order := func() {
		sort.SliceStable(best, func(i, j int) bool {
			a, b := best[i], best[j]
			if w.opt.Sort == ByName {
				return slices.Compare(w.opt.places(v.Shape, a), w.opt.places(v.Shape, b)) < 0
			}
			return a.value > b.value
		})
		best = best[:min(most, len(best))]
	}
	for c := range list {
		if best = append(best, c); len(best)/2 > most {
			order()
		}
	}
	order()
	return slices.Values(best), n
}

// first is the first n of a list.
// It is not inlined: a binary has each copy of the loops around it once more.
//
//go:noinline
func first[T any](list iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		k := 0
		for x := range list {
			if k++; k > n || !yield(x) {
				return
			}
		}
	}
}

// list writes the elements of a value in aligned lines.
func (t *text) list(name string, v *tensor.Value) {
	graph, most := isGraph(v), cmp.Or(t.opt.Top, t.lines)
	items, n := t.items(v, most)
	noun := nouns(v, n)
	if v.Shape.Rank() == 1 {
		t.put(name, " =\n")
	} else {
		t.put(name, " = ", strconv.Itoa(n), " ", noun, " (", v.Shape.String(), ")\n")
	}
	point := 0
	if !graph {
		for c := range items {
			point = max(point, fraction(t.format(c.value)))
		}
	}
	lines := func(yield func([]string) bool) {
		for c := range items {
			line := []string{arrow(v.Shape, t.opt.places(v.Shape, c))}
			if !graph {
				line = append(line, pointed(t.format(c.value), point))
			}
			if !yield(line) {
				return
			}
		}
	}
	for line := range table.Lines("  ", lines, 1) {
		t.put(line)
	}
	if n > most && t.opt.Top == 0 {
		t.put("  ...\n")
	}
	t.cut(most, n, noun)
}

// arrow shows the position of an element in a line.
func arrow(s tensor.Shape, at []string) string {
	switch {
	case len(at) == 1:
		return at[0]
	case len(at) == 2 && s.Dim(0) == s.Dim(1):
		return strings.Join(at, " -> ")
	}
	return "[" + strings.Join(at, ", ") + "]"
}

func isGraph(v *tensor.Value) bool {
	return v.Kind == tensor.Bool && v.Shape.Rank() == 2 && v.Shape.Dim(0) == v.Shape.Dim(1)
}

// nouns returns the word for n listed elements.
func nouns(v *tensor.Value, n int) string {
	one, many := "entry", "entries"
	if v.Shape.Rank() == 1 {
		one, many = "element", "elements"
	} else if isGraph(v) {
		one, many = "edge", "edges"
	}
	if n == 1 {
		return one
	}
	return many
}

// screen is the width for a matrix with names where there is no terminal.
const screen = 80

// grid writes a matrix in rows and columns with their names, if there is room for
// them.
func (t *text) grid(name string, v *tensor.Value) bool {
	room := cmp.Or(t.opt.Columns, screen)
	if v.Shape.Rank() != 2 || t.opt.Sort != ByPlace || t.opt.Top > 0 || v.Shape.Dim(0) > maxRows || 3*v.Shape.Dim(1) > room {
		return false
	}
	cols := v.Shape.Dim(1)
	rows, right := [][]string{{""}}, make([]int, cols)
	for j := range cols {
		rows[0], right[j] = append(rows[0], t.opt.place(cols, j)), j+1
	}
	for i := range v.Shape.Dim(0) {
		row := []string{t.opt.place(v.Shape.Dim(0), i)}
		for _, part := range t.row(v, i, cols) {
			for _, x := range part {
				row = append(row, t.format(x))
			}
		}
		rows = append(rows, row)
	}
	for _, j := range right {
		point := 0
		for _, row := range rows[1:] {
			point = max(point, fraction(row[j]))
		}
		for _, row := range rows[1:] {
			row[j] = pointed(row[j], point)
		}
	}
	lines := table.Align("  ", rows, right...)
	if slices.ContainsFunc(lines, func(line string) bool { return table.Width(line)-1 > room }) {
		return false
	}
	t.put(name, " =\n")
	t.put(lines...)
	return true
}

// fraction returns how many characters of a number follow its whole part.
func fraction(number string) int {
	if i := strings.IndexAny(number, ".e"); i >= 0 {
		return len(number) - i
	}
	return 0
}

// pointed pads a number as if its fraction had n characters, so that points are aligned.
func pointed(number string, n int) string {
	return number + strings.Repeat(" ", max(0, n-fraction(number)))
}

// appendFixed writes a number with digits after the point. One that would look like 0, or would
// show digits that it does not have, gets an exponent.
func appendFixed(b []byte, x float64, digits int) []byte {
	form := byte('f')
	if a := math.Abs(x); a >= tensor.MaxInt || a > 0 && a < math.Pow10(-digits)/2 {
		form = 'e'
	}
	return strconv.AppendFloat(b, x+0, form, digits, 64)
}
