package show

import (
	"bufio"
	"context"
	"io"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"ein/vm/tensor"
)

// writer writes values, and stops once that has become pointless.
type writer struct {
	*bufio.Writer
	ctx    context.Context
	opt    Options
	err    error     // why it is pointless
	digits *int      // after the point; nil is as many as read back the same
	num    [32]byte  // a number, while it is formatted
	part   []float64 // of a row
}

func newWriter(ctx context.Context, w io.Writer, opt Options) writer {
	return writer{Writer: bufio.NewWriter(w), ctx: ctx, opt: opt}
}

// ended reports whether a write has failed, or the context has ended.
func (w *writer) ended() bool {
	if w.err == nil {
		_, w.err = w.Write(nil) // which gives the error of an earlier write
	}
	if w.err == nil && w.ctx.Err() != nil {
		w.err = context.Cause(w.ctx)
	}
	return w.err != nil
}

// end flushes the output and returns the error.
func (w *writer) end() error {
	if w.err != nil {
		return w.err
	}
	return w.Flush()
}

func (w *writer) put(s ...string) {
	for _, x := range s {
		_, _ = w.WriteString(x)
	}
}

func (w *writer) number(x float64)        { _, _ = w.Write(w.append(x)) }
func (w *writer) format(x float64) string { return string(w.append(x)) }
func (w *writer) int(n int)               { _, _ = w.Write(strconv.AppendInt(w.num[:0], int64(n), 10)) }

func (w *writer) append(x float64) []byte {
	if w.digits != nil {
		return appendFixed(w.num[:0], x, *w.digits)
	}
	return tensor.AppendNumber(w.num[:0], x)
}

// rows returns the number of rows along the last axis.
func rows(v *tensor.Value) int {
	n := 1
	for d := range v.Shape.Rank() - 1 {
		n *= v.Shape.Dim(d)
	}
	return n
}

// width returns the length of these rows.
func width(v *tensor.Value) int { return v.Shape.Dim(v.Shape.Rank() - 1) }

// partSize bounds the part of a row that is in memory at a time.
const partSize = 4096

// row returns the first elements of row i in parts, each valid until the next. A caller that reads
// many rows checks ended before each.
func (w *writer) row(v *tensor.Value, i, most int) iter.Seq2[int, []float64] {
	return func(yield func(from int, part []float64) bool) {
		for from := 0; from < most && (from == 0 || !w.ended()) && yield(from, w.elements(v, i, from, min(from+partSize, most))); {
			from += partSize
		}
	}
}

// elements returns the elements from..to of row i.
func (w *writer) elements(v *tensor.Value, i, from, to int) []float64 {
	if v.Layout == tensor.Dense {
		at := i * width(v)
		return v.F[at+from : at+to]
	}
	w.part = slices.Grow(w.part[:0], to-from)[:to-from]
	clear(w.part)
	switch v.Layout {
	case tensor.Packed:
		for k := range w.part {
			if v.Bits.Get(i, from+k) {
				w.part[k] = 1
			}
		}
	case tensor.Parts:
		for k := range w.part {
			if v.Part[i] == v.Part[from+k] {
				w.part[k] = 1
			}
		}
	default:
		row, at := v.CSR.Row(i), int(v.CSR.Ptr[i])
		k, _ := slices.BinarySearch(row, int32(from))
		for ; k < len(row) && int(row[k]) < to; k++ {
			w.part[int(row[k])-from] = stored(&v.CSR, at+k)
		}
	}
	return w.part
}

// stored returns the value of entry k of a sparse matrix.
func stored(m *tensor.CSR, k int) float64 {
	if m.Val == nil {
		return 1
	}
	return m.Val[k]
}

// indices returns the positions at which a vector is not 0.
func (w *writer) indices(v *tensor.Value) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := range w.cells(v) {
			if c.value != 0 && !yield(c.col) {
				return
			}
		}
	}
}

// pathOf returns the nodes of a vector of positions, in the order of the path.
func (w *writer) pathOf(v *tensor.Value) []int {
	n := 0
	for c := range w.cells(v) {
		if c.value >= 0 {
			n++
		}
	}
	nodes := make([]int, n)
	for c := range w.cells(v) {
		if c.value >= 0 && int(c.value) < n {
			nodes[int(c.value)] = c.col
		}
	}
	return nodes
}

// A matrix of more cells than this is written as the entries that it has, if
// they are fewer than one in rare. A graph of 30 nodes is still shown as rows.
const (
	fewCells = 30 * 30
	rare     = 10
)

// MaybeSparse reports whether values of a shape may be sparse.
func MaybeSparse(s tensor.Shape) bool { return s.Rank() == 2 && s.Elems() > fewCells }

// Entries returns the number of elements of a matrix that are not 0 if they are so few
// that they are written instead of its rows, as JSON of version 2 and Text do. It
// depends on the elements only, not on how they are stored. When the context ends
// it means nothing.
func Entries(ctx context.Context, v *tensor.Value) (n uint64, sparse bool) {
	w := writer{Writer: bufio.NewWriter(io.Discard), ctx: ctx}
	return w.entries(v)
}

func (w *writer) entries(v *tensor.Value) (n uint64, sparse bool) {
	if !MaybeSparse(v.Shape) {
		return 0, false
	}
	most := (v.Shape.Elems() + rare - 1) / rare
	n = w.count(v, most)
	return n, n < most
}

// count returns how many elements are not 0. It may stop once it reaches most.
func (w *writer) count(v *tensor.Value, most uint64) (n uint64) {
	switch v.Layout {
	case tensor.Packed:
		for i := 0; i < v.Bits.Rows && !w.ended(); i++ {
			for _, word := range v.Bits.Row(i) {
				n += uint64(bits.OnesCount64(word))
			}
		}
	case tensor.Sparse:
		n = uint64(v.CSR.NNZ())
	case tensor.Parts:
		size := make([]uint64, len(v.Part))
		for _, p := range v.Part {
			n += 2*size[p] + 1 // as squares grow
			size[p]++
		}
	default:
		for i := 0; i < rows(v) && n < most && !w.ended(); i++ {
			for _, part := range w.row(v, i, width(v)) {
				for _, x := range part {
					if x != 0 {
						n++
					}
				}
			}
		}
	}
	return n
}

// cell is an element: its row, counted over all axes but the last, and its position in the row.
type cell struct {
	row, col int
	value    float64
}

// cells returns the elements that are not 0, row by row, and those of a vector that are.
func (w *writer) cells(v *tensor.Value) iter.Seq[cell] {
	return func(yield func(cell) bool) {
		start, members := byPart(v.Part)
		for i := 0; i < rows(v) && !w.ended(); i++ {
			var part []int32
			if v.Layout == tensor.Parts {
				part = members[start[v.Part[i]]:start[v.Part[i]+1]]
			}
			if !w.rowCells(v, i, part, yield) {
				return
			}
		}
	}
}

// rowCells are those of row i, whose part is given if there are parts.
func (w *writer) rowCells(v *tensor.Value, i int, part []int32, yield func(cell) bool) bool {
	layout, vector := v.Layout, v.Shape.Rank() == 1
	if vector {
		layout = tensor.Dense
	}
	switch layout {
	case tensor.Packed:
		for j := range tensor.Ones(v.Bits.Row(i)) {
			if !yield(cell{i, j, 1}) {
				return false
			}
		}
	case tensor.Sparse:
		at := int(v.CSR.Ptr[i])
		for k, j := range v.CSR.Row(i) {
			if !yield(cell{i, int(j), stored(&v.CSR, at+k)}) {
				return false
			}
		}
	case tensor.Parts:
		for _, j := range part {
			if !yield(cell{i, int(j), 1}) {
				return false
			}
		}
	default:
		for from, list := range w.row(v, i, width(v)) {
			for k, x := range list {
				if (x != 0 || vector) && !yield(cell{i, from + k, x}) {
					return false
				}
			}
		}
	}
	return true
}

// byPart returns the nodes of each part p, members[start[p]:start[p+1]]. It is a sort by counting:
// while members is filled, start[p+1] is the next free place of part p, which ends up where part
// p+1 begins.
func byPart(part []int32) (start, members []int32) {
	start, members = make([]int32, len(part)+2), make([]int32, len(part))
	for _, p := range part {
		start[p+2]++
	}
	for p := range part {
		start[p+2] += start[p+1]
	}
	for i, p := range part {
		members[start[p+1]] = int32(i)
		start[p+1]++
	}
	return start, members
}
