// Package show writes the values that a program gives: as text for people and
// as JSON for machines. It writes while it reads, so that a large value takes
// no more memory for being shown.
package show

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ein/lang/diag"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/tensor"
)

// Options say how values are shown.
type Options struct {
	// Nodes shows sets of nodes, paths and single nodes as such, instead of as
	// vectors and numbers.
	Nodes bool
	// Labels names the nodes; without it they are shown by number.
	Labels []string
	// Full shows everything. Otherwise Text cuts what is large, and says so.
	Full bool
	// Columns is the width of the terminal that Text writes to, 0 where there is
	// none. A matrix that is not shown in full is cut there, as far as its entries
	// are single digits; a vector is one line and may wrap.
	Columns int
	// Hint says how to see what was cut, such as "--full shows all".
	Hint string
}

// What Text shows of a value that is not shown in full.
const (
	maxRows  = 50
	maxElems = 100 // of a row, a vector or a set
	maxName  = 80  // characters
)

// set reports whether a 0/1 vector is to be shown as a set of nodes. Where
// nodes have labels, a vector over them has their number; where they have none,
// every 0/1 vector may be one.
func (o *Options) set(v *tensor.Value) bool {
	return o.Nodes && v.Kind == tensor.Bool && o.overNodes(v)
}

func (o *Options) path(out *vm.Output) bool {
	return o.Nodes && out.Form == code.NodePath && o.overNodes(out.Value)
}

func (o *Options) overNodes(v *tensor.Value) bool {
	return v.Shape.Rank() == 1 && (len(o.Labels) == 0 || v.Shape.Dim(0) == len(o.Labels))
}

// node is the node that a scalar stands for.
func (o *Options) node(out *vm.Output) (int, bool) {
	if !o.Nodes || out.Form != code.NodeIndex || out.Value.Shape.Rank() != 0 || len(o.Labels) == 0 {
		return 0, false
	}
	x := out.Value.At()
	return int(x), x == math.Trunc(x) && x >= 0 && x < float64(len(o.Labels))
}

// Number writes a number in its shortest form; a whole one without a point.
func Number(x float64) string {
	var buf [32]byte
	return string(appendNumber(buf[:0], x))
}

func appendNumber(b []byte, x float64) []byte {
	switch {
	case x == 0:
		return append(b, '0') // the sign of a negative zero says nothing here
	case x == math.Trunc(x) && math.Abs(x) < tensor.MaxInt:
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// label is a node as text. What would be misread between commas, braces and
// arrows, or act on a terminal, is quoted.
func (o *Options) label(node int) string {
	if len(o.Labels) == 0 {
		return strconv.Itoa(node)
	}
	s := o.Labels[node]
	plain := s != "" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, `,{}"\`) && !strings.Contains(s, "->") && utf8.ValidString(s)
	for _, r := range s {
		plain = plain && unicode.IsPrint(r)
	}
	if !plain {
		return strconv.Quote(s)
	}
	return s
}

// rows reads a value as the rows of its last axis.
type rows struct {
	v     *tensor.Value
	n     int // rows
	width int
	buf   []float64
}

func newRows(v *tensor.Value) *rows {
	r := &rows{v: v, n: 1, width: 1}
	rank := v.Shape.Rank()
	for d := range rank - 1 {
		r.n *= v.Shape.Dim(d)
	}
	if rank > 0 {
		r.width = v.Shape.Dim(rank - 1)
	}
	return r
}

// row is the first most elements of row i, until the next call.
func (r *rows) row(i, most int) []float64 {
	k := min(r.width, most)
	if r.v.Layout == tensor.Dense {
		return r.v.F[i*r.width : i*r.width+k]
	}
	if cap(r.buf) < k {
		r.buf = make([]float64, k)
	}
	row := r.buf[:k]
	clear(row)
	switch r.v.Layout {
	case tensor.Packed:
		for j := range row {
			if r.v.Bits.Get(i, j) {
				row[j] = 1
			}
		}
	case tensor.Parts:
		for j := range row {
			if r.v.Part[i] == r.v.Part[j] {
				row[j] = 1
			}
		}
	default:
		m := &r.v.CSR
		for k := m.Ptr[i]; k < m.Ptr[i+1] && int(m.Idx[k]) < len(row); k++ {
			row[m.Idx[k]] = 1
			if m.Val != nil {
				row[m.Idx[k]] = m.Val[k]
			}
		}
	}
	return row
}

// nodesOf is the nodes of a 0/1 vector.
func nodesOf(v *tensor.Value) []int {
	var nodes []int
	for i, x := range newRows(v).row(0, math.MaxInt) {
		if x != 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// pathOf is the nodes of a vector of positions, in the order of the path.
func pathOf(v *tensor.Value) []int {
	at := newRows(v).row(0, math.MaxInt)
	n := 0
	for _, x := range at {
		if x >= 0 {
			n++
		}
	}
	nodes := make([]int, n)
	for i, x := range at {
		if x >= 0 && int(x) < n {
			nodes[int(x)] = i
		}
	}
	return nodes
}

// Text writes "Name = value" and a newline; a matrix takes one indented line a
// row, and a tensor of more axes a heading Name[i, ...] for each of its
// matrices.
func Text(w io.Writer, out *vm.Output, opt Options) error {
	t := &text{Writer: bufio.NewWriter(w), opt: opt, elems: maxElems, lines: maxRows}
	if opt.Full {
		t.elems, t.lines = math.MaxInt, math.MaxInt
	}
	t.output(out)
	return t.Flush() // which reports the first error of any write
}

type text struct {
	*bufio.Writer
	opt          Options
	elems, lines int // the most of a row, and of rows, that is shown
	num          [32]byte
}

func (t *text) put(s ...string) {
	for _, x := range s {
		_, _ = t.WriteString(x)
	}
}

func (t *text) output(out *vm.Output) {
	v := out.Value
	name := t.name(out.Name)
	node, isNode := t.opt.node(out)
	switch {
	case isNode:
		t.put(name, " = ", t.opt.label(node), "\n")
	case v.Shape.Rank() == 0:
		t.put(name, " = ", Number(v.At()), "\n")
	case t.opt.path(out):
		t.path(name, pathOf(v))
	case t.opt.set(v):
		nodes := nodesOf(v)
		t.put(name, " = {")
		t.nodes(nodes, ", ")
		t.put("}\n")
		t.cut(len(nodes), "nodes")
	case v.Shape.Rank() == 1:
		r := newRows(v)
		t.put(name, " = ")
		t.row(r, 0)
		t.put("\n")
		t.cut(r.width, "elements")
	case v.Shape.Elems() == 0:
		t.put(name, " = [] (", v.Shape.String(), ")\n")
	default:
		t.matrices(name, v)
	}
}

func (t *text) name(s string) string {
	if t.opt.Full {
		return s
	}
	return diag.Middle(s, maxName)
}

func (t *text) path(name string, nodes []int) {
	if len(nodes) == 0 {
		t.put(name, " = no path\n")
		return
	}
	t.put(name, " = ")
	t.nodes(nodes, " -> ")
	t.put("\n")
	t.cut(len(nodes), "nodes")
}

func (t *text) nodes(nodes []int, sep string) {
	for i, n := range nodes {
		if i > 0 {
			t.put(sep)
		}
		if i == t.elems {
			t.put("...")
			return
		}
		t.put(t.opt.label(n))
	}
}

func (t *text) row(r *rows, i int) {
	t.put("[")
	for j, x := range r.row(i, t.elems) {
		if j > 0 {
			t.put(", ")
		}
		_, _ = t.Write(appendNumber(t.num[:0], x))
	}
	if r.width > t.elems {
		t.put(", ...")
	}
	t.put("]")
}

// cut says that of n things not all are shown.
func (t *text) cut(n int, what string) {
	if n > t.elems {
		t.left(strconv.Itoa(t.elems) + " of " + strconv.Itoa(n) + " " + what)
	}
}

func (t *text) left(shown string) {
	t.put("  (", shown, " shown")
	if t.opt.Hint != "" {
		t.put("; ", t.opt.Hint)
	}
	t.put(")\n")
}

// matrices writes a tensor of two or more axes.
func (t *text) matrices(name string, v *tensor.Value) {
	r := newRows(v)
	rank := v.Shape.Rank()
	height := v.Shape.Dim(rank - 2)
	shown := min(r.n, t.lines)
	if t.opt.Columns > 0 && !t.opt.Full {
		const around, each, fewest = len("  [...]"), len("0, "), 8
		t.elems = min(t.elems, max(fewest, (t.opt.Columns-around)/each))
	}
	for i := range shown {
		if i%height == 0 {
			t.put(name, slice(v.Shape, i/height), " =\n")
		}
		t.put("  ")
		t.row(r, i)
		t.put("\n")
	}
	rowsCut, colsCut := shown < r.n, r.width > t.elems
	if rowsCut {
		t.put("  ...\n")
	}
	parts := strconv.Itoa(shown) + " of " + strconv.Itoa(r.n) + " rows"
	cols := strconv.Itoa(min(t.elems, r.width)) + " of " + strconv.Itoa(r.width) + " columns"
	switch {
	case rowsCut && colsCut:
		t.left(parts + " and " + cols)
	case rowsCut:
		t.left(parts)
	case colsCut:
		t.left(cols)
	}
}

// slice is the place of matrix k of a tensor, as in [1, 0]; nothing for a
// matrix itself.
func slice(s tensor.Shape, k int) string {
	outer := s.Rank() - 2
	if outer == 0 {
		return ""
	}
	index := make([]string, outer)
	for d := outer - 1; d >= 0; d-- {
		index[d] = strconv.Itoa(k % s.Dim(d))
		k /= s.Dim(d)
	}
	return "[" + strings.Join(index, ", ") + "]"
}
