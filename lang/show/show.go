// Package show formats the values of a program: as text for people ([Text]), as [JSON], and
// as CSV and other formats for machines ([Write], by [Format]).
//
// How a value looks depends on its elements and the [Options] alone, never on its layout: a
// program prints the same with and without the optimiser. So a matrix counts as sparse by
// how many of its elements are not 0 (Entries), however it is stored.
//
// A writer (rows.go) reads values of all layouts through three iterators: rows in parts of
// bounded size, the cells that are not 0, and the indices of a vector. Formats are built on
// these and write while they read, so showing a large value takes no additional memory;
// only an order by value or name holds what is listed (list.go). The iterators notice that a
// write has failed or the context has ended, and stop.
package show

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ein/lang/diag"
	"ein/vm"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Options say how values are shown.
type Options struct {
	// Nodes shows sets of nodes, paths and single nodes as such, instead of as
	// vectors and numbers.
	Nodes bool
	// Labels names the nodes; without it they are shown by number.
	Labels []string
	// Version of the form that JSON writes: 2, or else 1.
	Version int
	// Full shows everything. Otherwise Text cuts what is large, and says so.
	Full bool
	// Columns is the width of the terminal that Text writes to, 0 where there is
	// none. A matrix that is not shown in full is cut there; a vector is one line and
	// may wrap.
	Columns int
	// Sort is the order in which Text lists elements, and Top how many of them at
	// most; without an order it is the greatest. A value with either is always a list.
	Sort Order
	Top  int
	// Precision is the digits that Text shows after the point of real numbers; nil
	// is as many as read back the same.
	Precision *int
	// Proofs is JSON that a relation has as its "proofs"; nil for none.
	Proofs []byte
	// Hint says how to see what was cut, such as "--full shows all".
	Hint string

	exact bool // labels are as they are, for programs
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
	return o.Nodes && out.Form == ir.NodePath && o.overNodes(out.Value)
}

func (o *Options) overNodes(v *tensor.Value) bool {
	return v.Shape.Rank() == 1 && (len(o.Labels) == 0 || v.Shape.Dim(0) == len(o.Labels))
}

// node returns the node that a scalar stands for.
func (o *Options) node(out *vm.Output) (int, bool) {
	if !o.Nodes || out.Form != ir.NodeIndex || out.Value.Shape.Rank() != 0 || len(o.Labels) == 0 {
		return 0, false
	}
	x := out.Value.At()
	return int(x), x == math.Trunc(x) && x >= 0 && x < float64(len(o.Labels))
}

// label shows a node. It quotes labels that could be misread between commas, brackets and arrows,
// or that would act on a terminal.
func (o *Options) label(node int) string {
	if len(o.Labels) == 0 {
		return strconv.Itoa(node)
	}
	return o.plain(o.Labels[node])
}

// plain shows a label.
func (o *Options) plain(s string) string {
	if o.exact {
		return s
	}
	plain := s != "" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, `,{}[]"\`) && !strings.Contains(s, "->") && utf8.ValidString(s)
	for _, r := range s {
		plain = plain && unicode.IsPrint(r)
	}
	if !plain {
		return strconv.Quote(s)
	}
	return s
}

// Text writes "Name = value" and a newline; a matrix takes one indented line a
// row, or, when it is sparse, one an edge or entry that it has, and a tensor of more axes a heading Name[i, ...] for each of its matrices.
// Where labels name an axis, a vector takes one line a node, and a matrix is a grid
// with names or, where that has no room, a list. The
// error is that of w, or the cause of the context, which is looked at on the way.
func Text(ctx context.Context, w io.Writer, out *vm.Output, opt Options) error {
	t := &text{writer: newWriter(ctx, w, opt), elems: maxElems, lines: maxRows}
	if opt.Full {
		t.elems, t.lines = math.MaxInt, math.MaxInt
	}
	t.output(out)
	return t.end()
}

// text writes an output for people, and leaves out what is past elems and lines.
type text struct {
	writer
	elems, lines int // the most of a row, and of rows, that is shown
}

// output chooses the form in which a value is read best: a node, path or set by its labels, small
// tensors as lists or grids, sparse ones by their entries.
func (t *text) output(out *vm.Output) {
	v := out.Value
	if v.Kind == tensor.Real {
		t.digits = t.opt.Precision
	}
	name := out.Name
	if !t.opt.Full {
		name = diag.Middle(name, maxName)
	}
	if v.Layout == tensor.Rows {
		t.relation(out, name)
		return
	}
	node, isNode := t.opt.node(out)
	entries, sparse := t.entries(v)
	switch {
	case isNode:
		t.put(name, " = ", t.opt.label(node), "\n")
	case v.Shape.Rank() == 0:
		t.put(name, " = ", t.format(v.At()), "\n")
	case t.opt.path(out):
		t.path(name, t.pathOf(v))
	case t.opt.set(v):
		t.put(name, " = {")
		n := t.nodes(t.indices(v), ", ")
		t.put("}\n")
		t.cut(t.elems, n, "nodes")
	case t.opt.listed(v.Shape):
		if sparse || !t.grid(name, v) {
			t.list(name, v)
		}
	case v.Shape.Rank() == 1:
		t.put(name, " = ")
		t.line(v, 0)
		t.put("\n")
		t.cut(t.elems, v.Shape.Dim(0), "elements")
	case v.Shape.Elems() == 0:
		t.put(name, " = [] (", v.Shape.String(), ")\n")
	case sparse:
		t.sparse(name, v, int(entries))
	default:
		t.matrices(name, v)
	}
}

// path writes the nodes of a path in order.
func (t *text) path(name string, nodes []int) {
	if len(nodes) == 0 {
		t.put(name, " = no path\n")
		return
	}
	t.put(name, " = ")
	t.nodes(slices.Values(nodes), " -> ")
	t.put("\n")
	t.cut(t.elems, len(nodes), "nodes")
}

// nodes writes nodes and counts them.
func (t *text) nodes(nodes iter.Seq[int], sep string) (n int) {
	for i := range nodes {
		if n > 0 && n <= t.elems {
			t.put(sep)
		}
		if n < t.elems {
			t.put(t.opt.label(i))
		}
		n++
	}
	if n > t.elems {
		t.put("...")
	}
	return n
}

// line writes row i.
func (t *text) line(v *tensor.Value, i int) {
	t.put("[")
	for from, part := range t.row(v, i, min(width(v), t.elems)) {
		for k, x := range part {
			if from+k > 0 {
				t.put(", ")
			}
			t.number(x)
		}
	}
	if width(v) > t.elems {
		t.put(", ...")
	}
	t.put("]")
}

// cut says, if it is so, that only some of n things are shown.
func (t *text) cut(shown, n int, what string) {
	if n > shown {
		t.left(some(shown, n, what))
	}
}

func some(shown, n int, what string) string {
	return strconv.Itoa(shown) + " of " + strconv.Itoa(n) + " " + what
}

// left says how much of a value is shown, and how to see the rest.
func (t *text) left(shown string) {
	t.put("  (", shown, " shown")
	if t.opt.Hint != "" && t.opt.Top == 0 {
		t.put("; ", t.opt.Hint)
	}
	t.put(")\n")
}

// sparse writes the n elements of a matrix that are not 0, which for a graph are its edges.
func (t *text) sparse(name string, v *tensor.Value, n int) {
	graph, noun := isGraph(v), nouns(v, n)
	open, between, end := "  [", ", ", "] = "
	if graph {
		open, between, end = "  ", " -> ", ""
	}
	t.put(name, " = ", strconv.Itoa(n), " ", noun, " (", v.Shape.String(), ")\n")
	shown := 0
	for c := range t.cells(v) {
		if shown == t.lines {
			t.put("  ...\n")
			t.cut(shown, n, noun)
			return
		}
		shown++
		t.put(open)
		t.int(c.row)
		t.put(between)
		t.int(c.col)
		t.put(end)
		if !graph {
			t.number(c.value)
		}
		t.put("\n")
	}
}

// matrices writes a tensor of two or more axes. If the columns of a terminal are known, as many
// elements are shown as fit when each is as wide as the widest in the lines shown.
func (t *text) matrices(name string, v *tensor.Value) {
	n, width := rows(v), width(v)
	height := v.Shape.Dim(v.Shape.Rank() - 2)
	shown := min(n, t.lines)
	if t.opt.Columns > 0 && !t.opt.Full {
		widest := 1
		for i := 0; i < shown && !t.ended(); i++ {
			for _, part := range t.row(v, i, min(width, t.elems)) {
				for _, x := range part {
					widest = max(widest, len(t.append(x)))
				}
			}
		}
		const around = len("  [...]")
		if each := widest + len(", "); width*each+around-len("...")-len(", ") > t.opt.Columns {
			t.elems = min(t.elems, max(1, (t.opt.Columns-around)/each))
		}
	}
	for i := 0; i < shown && !t.ended(); i++ {
		if i%height == 0 {
			t.put(name, slice(v.Shape, i/height), " =\n")
		}
		t.put("  ")
		t.line(v, i)
		t.put("\n")
	}
	var parts []string
	if shown < n {
		t.put("  ...\n")
		parts = append(parts, some(shown, n, "rows"))
	}
	if width > t.elems {
		parts = append(parts, some(t.elems, width, "columns"))
	}
	if parts != nil {
		t.left(strings.Join(parts, " and "))
	}
}

// slice shows the position of matrix k of a tensor, as in [1, 0]; it is empty for a matrix itself.
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
