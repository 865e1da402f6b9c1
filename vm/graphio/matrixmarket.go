package graphio

import (
	"fmt"
	"slices"
	"strings"
)

const mmMagic = "%%MatrixMarket"

// mmFile is a Matrix Market file while it is being read.
type mmFile struct {
	*reader
	textRows

	layout, values, symmetry string // by the first line

	rows, cols int
	sign       float64 // the factor from an element to its mirror image
}

// matrixMarket reads a Matrix Market file, whose header decides how. Places in the file count from
// 1, nodes from 0.
func (r *reader) matrixMarket() {
	f := &mmFile{reader: r, textRows: textRows{src: newLines(r.in), d: dialect{comments: "%", unquoted: true}}}
	r.line = &f.src.no
	f.header()
	if r.opt.Kind == Scalar {
		panic(r.fatal(0, 0, "a scalar cannot be read from a Matrix Market file", ""))
	}
	read := f.coordinate
	if f.layout == "array" {
		read = f.array
	}
	read()
	f.warnComments(f.late, f.lateLine, "the sizes", "%")
}

// header reads the first line. What the format has and Ein lacks gets an error of its own.
func (f *mmFile) header() {
	line := f.src.next()
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) != 5 || words[0] != strings.ToLower(mmMagic) {
		panic(f.fatal(1, 1, "expected the header %%MatrixMarket matrix LAYOUT VALUES SYMMETRY, found "+quote(line), ""))
	}
	for i, c := range []struct {
		what    string
		known   []string
		refused []string
	}{
		{"object", []string{"matrix"}, []string{"vector"}},
		{"layout", []string{"coordinate", "array"}, nil},
		{"values", []string{"real", "integer", "unsigned-integer", "pattern"}, []string{"complex"}},
		{"symmetry", []string{"general", "symmetric", "skew-symmetric"}, []string{"hermitian"}},
	} {
		w := words[i+1]
		switch {
		case slices.Contains(c.refused, w):
			panic(f.fatal(1, 0, "unsupported "+c.what+" "+quote([]byte(w)), "expected "+strings.Join(c.known, ", ")))
		case !slices.Contains(c.known, w):
			panic(f.fatal(1, 0, "unknown "+c.what+" "+quote([]byte(w)), "expected "+strings.Join(c.known, ", ")))
		}
	}
	f.layout, f.values, f.symmetry = words[2], strings.TrimPrefix(words[3], "unsigned-"), words[4]
	f.sign = 1
	if f.symmetry == "skew-symmetric" {
		f.sign = -1
	}
	if f.values == "pattern" && (f.layout == "array" || f.sign < 0) {
		panic(f.fatal(1, 0, "pattern values cannot be combined with "+f.layout+" "+f.symmetry, ""))
	}
}

// errorAt is a problem of field i of the current line.
func (f *mmFile) errorAt(i int, msg string) *Error {
	line, col := f.place(i)
	return f.fatal(line, col, msg, "")
}

// sizes reads the line of sizes, n of them.
func (f *mmFile) sizes(n int, form string) []int {
	if f.next(false) == nil {
		panic(f.fatal(f.src.no, 0, "the file ends before the line of sizes", "expected "+form))
	}
	if len(f.cells) != n {
		panic(f.errorAt(0, fmt.Sprintf("expected %s, found %s", form, plural(len(f.cells), "field"))))
	}
	out := make([]int, n)
	for i, c := range f.cells {
		v, ok := parseSize(c.val)
		if !ok {
			e := f.errorAt(i, "expected a size, found "+quote(c.val))
			e.Hint = "expected " + form
			panic(e)
		}
		out[i] = v
	}
	f.rows, f.cols = out[0], out[1]
	shown := asWritten(f.cells[0].val) + " x " + asWritten(f.cells[1].val)
	square := f.opt.Kind == Graph || f.symmetry != "general"
	if square && f.rows != f.cols {
		what := "a graph"
		if f.opt.Kind != Graph {
			what = "a " + f.symmetry + " matrix"
		}
		panic(f.errorAt(0, what+" must be square, found "+shown))
	}
	if f.rows == 0 || f.cols == 0 {
		panic(f.errorAt(0, "a matrix of "+shown+" has no elements"))
	}
	if max(f.rows, f.cols) > f.opt.MaxNodes {
		panic(f.errorAt(0, shown+" exceeds the limit of "+plural(f.opt.MaxNodes, "node")).limit())
	}
	return out
}

// coordinate reads entries, which must be as many as announced: a file that was cut off would be
// another graph.
func (f *mmFile) coordinate() {
	size := f.sizes(3, "ROWS COLUMNS ENTRIES")
	if f.opt.Kind == Vector {
		panic(f.fatal(0, 0, "a vector cannot be read from a coordinate Matrix Market file", "use the array layout with one column"))
	}
	want, got := size[2], 0
	if want > f.opt.MaxEdges {
		panic(f.errorAt(2, fmt.Sprintf("%s entries exceed the limit of %d", asWritten(f.cells[2].val), f.opt.MaxEdges)).limit())
	}
	width := 2
	if f.values != "pattern" {
		width = 3
	}
	for ; f.next(false) != nil; got++ {
		if got == want {
			panic(f.errorAt(0, fmt.Sprintf("expected the end of the file after the %s that the header announces", entries(want))))
		}
		f.entry(width)
	}
	if got < want {
		panic(f.fatal(f.src.no, 0, fmt.Sprintf("the file ends after %d of the %s that the header announces", got, entries(want)), ""))
	}
	if f.opt.Kind == Graph {
		f.raw.nodes = f.rows
	} else {
		f.raw.rows, f.raw.cols = f.rows, f.cols
	}
	f.raw.maxID = max(f.rows, f.cols) - 1
	if f.symmetry != "general" {
		f.mirror(f.sign)
	}
}

// entry reads one line of coordinates, and of a weight where it has three fields.
func (f *mmFile) entry(width int) {
	if len(f.cells) != width {
		f.badCell(&f.row, min(len(f.cells), width), &Error{Msg: fmt.Sprintf("expected %s, found %d", plural(width, "field"), len(f.cells))})
		return
	}
	var at [2]int
	for i, size := range [2]int{f.rows, f.cols} {
		v, ok := parseSize(f.cells[i].val)
		if !ok || v < 1 || v > size {
			f.badCell(&f.row, i, &Error{Msg: fmt.Sprintf("expected a %s from 1 to %d, found %s", [2]string{"row", "column"}[i], size, quote(f.cells[i].val))})
			return
		}
		at[i] = v - 1
	}
	if !f.inTriangle(at[0], at[1]) {
		f.badCell(&f.row, 0, &Error{Msg: fmt.Sprintf("entry %d %d is not below the diagonal, as every entry of a %s file must be", at[0]+1, at[1]+1, f.symmetry)})
		return
	}
	x, weighted := 1.0, width == 3
	if weighted {
		var ok bool
		if x, ok = f.value(2); !ok {
			return
		}
	}
	f.edge(int32(at[0]), int32(at[1]), x, weighted, f.src.no)
}

// inTriangle reports whether a file of this symmetry may hold entry (i, j).
func (f *mmFile) inTriangle(i, j int) bool {
	return f.symmetry == "general" || i > j || i == j && f.sign > 0
}

// value returns the number in cell i, or reports that it is none.
func (f *mmFile) value(i int) (float64, bool) {
	x, problem := parseValue(f.cells[i].val)
	if problem == "" && f.values == "integer" && x != float64(int64(x)) {
		problem = "expected an integer, found " + quote(f.cells[i].val)
	}
	if problem != "" {
		f.badCell(&f.row, i, &Error{Msg: problem})
		return 0, false
	}
	return x, true
}

// array reads the dense layout: the columns one after the other, of a symmetric
// matrix only the part from the diagonal down.
func (f *mmFile) array() {
	f.sizes(2, "ROWS COLUMNS")
	if f.opt.Dup != "" || f.opt.Default != nil {
		panic(f.fatal(0, 0, "the options dup and default are for lists of edges, but this file is a dense array", ""))
	}
	if f.opt.Kind == Graph && f.symmetry == "skew-symmetric" {
		panic(f.fatal(1, 0, "a skew-symmetric array has negative entries, which a graph cannot have", "bind it to an input of kind matrix"))
	}
	if f.opt.Kind == Vector && f.cols != 1 {
		panic(f.errorAt(1, fmt.Sprintf("expected one column for a vector, found %d", f.cols)))
	}
	if f.opt.Kind != Graph && f.rows > f.opt.MaxElems/f.cols {
		panic(f.errorAt(0, fmt.Sprintf("%d x %d exceeds the limit of %s", f.rows, f.cols, plural(f.opt.MaxElems, "element"))).limit())
	}
	// Elements come column by column, which are the rows of the transpose.
	d := f.newDense(f.rows, f.cols, true)
	d.both = f.symmetry != "general"
	for j := range f.cols {
		for i := range f.rows {
			if !f.inTriangle(i, j) { // it is that of an earlier column, or the diagonal of a skew-symmetric one
				d.put(j, i, f.sign*d.at(i, j)+0, f.src.no, 0) // no -0
				continue
			}
			if f.next(false) == nil {
				panic(f.fatal(f.src.no, 0, fmt.Sprintf("the file ends before element %d %d of a %d x %d matrix", i+1, j+1, f.rows, f.cols), ""))
			}
			if len(f.cells) != 1 {
				f.badCell(&f.row, 1, &Error{Msg: fmt.Sprintf("expected one element per line, found %s", plural(len(f.cells), "field"))})
				continue
			}
			if x, ok := f.value(0); ok {
				d.put(j, i, x, f.src.no, f.cells[0].off+1) // a number is of single bytes, as the blanks before it
			}
		}
	}
	switch {
	case f.next(false) != nil:
		panic(f.errorAt(0, fmt.Sprintf("expected the end of the file after the elements of a %d x %d matrix", f.rows, f.cols)))
	case f.opt.Kind == Vector:
		d.end(f.rows)
		return
	}
	d.end(f.rows, f.cols)
}

// entries counts entries.
func entries(n int) string { return plural(n, "entry", "entries") }
