package graphio

import (
	"fmt"
	"math"
	"slices"
)

const headerHint = "header=yes if it names the columns, header=no if it is data"

// numbersBelow recognises a header from two rows alone: words above node numbers can only be one,
// since a file has either numbers or labels.
func (t *table) numbersBelow(first, second *row) bool {
	if !t.open(first) || second == nil || len(second.cells) != t.width || t.opt.IDs == IDsLabel {
		return false
	}
	return isNumber(second.cells[t.cols.src].val) && isNumber(second.cells[t.cols.dst].val)
}

// open reports whether the first row may be a header, as far as it can be told without the rows
// below. A row with a number for a node is data.
func (t *table) open(first *row) bool {
	if t.cols.dst < 0 || t.opt.Header != HeaderAuto {
		return false
	}
	src, dst := first.cells[t.cols.src].val, first.cells[t.cols.dst].val
	return !isQuantity(src) && !isQuantity(dst) && badLabel(src) == "" && badLabel(dst) == ""
}

// noteHeader adds the note that the first row was taken for a header without an option that says
// so.
func (t *table) noteHeader(first *row) {
	t.raw.Warnings = append(t.raw.Warnings, Warning{File: t.raw.File, Line: first.line, Code: "header", Note: true,
		Msg: fmt.Sprintf("the first row is read as a header: %s; header=no reads it as data", first.names())})
}

// undecided is a first row on which the rows below decide. Until then it is the first edge, with
// the first labels, so that nothing moves if it turns out to be data.
type undecided struct {
	first   *row
	labels  int32  // how many it brought
	recurs  bool   // one of its cells is a node below
	repeats bool   // one of the others is below, in its column
	numbers []bool // whether all cells of a column below are numbers
}

// hold takes a first row that may be a header.
func (t *table) hold(first *row) {
	src, ok := t.nodeOf(&t.ids, first, t.cols.src)
	if !ok {
		return
	}
	dst, ok := t.nodeOf(&t.ids, first, t.cols.dst)
	if !ok {
		return
	}
	x := math.NaN() // a number that is missing; decide asks for it
	if c := t.cols.weight; c < 0 || isQuantity(first.cells[c].val) {
		if x, ok = t.weight(first); !ok {
			return
		}
	}
	numbers := newSlice[bool](t.mem, t.width)
	for c := range numbers {
		numbers[c] = true
	}
	t.maybe = &undecided{first: first, labels: int32(t.ids.labels.len()), numbers: numbers}
	t.edge(src, dst, x, t.cols.weight >= 0, first.line)
}

// below looks at a row below an undecided one. A weight is a number, or the file an
// error.
func (u *undecided) below(w *row, weight int) {
	if len(w.cells) != len(u.numbers) {
		return // an error in any case
	}
	for c := range w.cells {
		u.numbers[c] = u.numbers[c] && (c == weight || isQuantity(w.cells[c].val))
		u.repeats = u.repeats || string(w.cells[c].val) == string(u.first.cells[c].val)
	}
}

// decide makes an undecided first row a header or data, or asks.
func (t *table) decide(first *row) {
	u := t.maybe
	if u == nil || len(t.rep.list) > 0 {
		return
	}
	for _, c := range first.cells {
		id, ok := t.ids.labels.find(c.val)
		u.recurs = u.recurs || ok && id >= u.labels
	}
	if u.recurs {
		t.seen++
		if t.passed > 0 {
			t.cols.weight, t.third = t.passed-1, true // as it is without a header
		}
		t.weight(first)
		return
	}
	named, numbered := false, false
	for c, below := range u.numbers {
		v := first.cells[c].val
		named = named || below && isName(v)
		numbered = numbered || below && isQuantity(v)
	}
	header := named && !numbered && t.seen > 0
	if !header && !numbered && !u.repeats {
		header = t.connected()
	}
	if !header {
		panic(&Error{File: t.raw.File, Line: first.line, Header: true, Hint: headerHint,
			Msg: fmt.Sprintf("is the first row a header or data? None of its cells is a node below: %s", first.names())})
	}
	t.names = first
	t.raw.edges.dropFirst(u.labels)
	t.ids.labels.labels.shift(int(u.labels))
	t.noteHeader(first)
}

// connected reports whether the edges below the first share nodes.
func (t *table) connected() bool {
	var ids [2]int
	_, below := t.sharing(t.raw.edges.len(), func(e int) []int {
		p := *t.raw.edges.at.at(e)
		if ids[0], ids[1] = int(p[0]), int(p[1]); p[0] == p[1] {
			return ids[:1]
		}
		return ids[:]
	})
	return below
}

// sharing reports whether the first row shares a name with one below or, if not, whether those below
// share names with one another: all of them or, if they are many, nearly all. names returns the names
// of a row by their numbers, each once, until the next row is asked for.
func (t *table) sharing(rows int, names func(row int) []int) (first, below bool) {
	once, twice := set{mem: t.mem}, set{mem: t.mem}
	for i := 1; i < rows; i++ {
		for _, id := range names(i) {
			if !once.add(id) {
				twice.add(id)
			}
		}
	}
	if slices.ContainsFunc(names(0), once.has) {
		return true, false
	}
	shared := 0
	for i := 1; i < rows; i++ {
		if slices.ContainsFunc(names(i), twice.has) {
			shared++
		}
	}
	const many, percent = 50, 98
	if rows--; rows >= many {
		return false, 100*shared >= percent*rows
	}
	return false, rows > 0 && shared == rows
}
