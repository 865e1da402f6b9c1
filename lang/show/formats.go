package show

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"html"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/internal/page"
	"ein/internal/table"
	"ein/internal/words"
	"ein/vm"
	"ein/vm/tensor"
)

// Format is a form in which results are written.
type Format string

// The formats. A picture is written by who has the means to draw.
const (
	Table    Format = "table" // what Text writes
	Object   Format = "json"  // what JSON writes
	CSV      Format = "csv"
	TSV      Format = "tsv"
	JSONL    Format = "jsonl" // an array for each row
	Markdown Format = "markdown"
	NPY      Format = "npy"
	DOT      Format = "dot"
	GraphML  Format = "graphml"
	SVG      Format = "svg"
)

// Formats are all of them.
var Formats = []Format{Table, Object, CSV, TSV, JSONL, Markdown, NPY, DOT, GraphML, SVG}

// endings maps endings of file names to formats, where these differ from the format's name.
var endings = map[string]Format{".txt": Table, ".md": Markdown, ".gv": DOT}

// FormatOf returns the format that the ending of a file name stands for.
func FormatOf(ending string) (Format, bool) {
	ending = strings.ToLower(ending)
	if f, ok := endings[ending]; ok {
		return f, true
	}
	f := Format(strings.TrimPrefix(ending, "."))
	return f, slices.Contains(Formats, f)
}

// Many reports whether one text may hold several results.
func (f Format) Many() bool { return f == Table || f == Object || f == Markdown || f == DOT }

// Holds reports whether a format can hold a value, and otherwise what it can hold.
func (f Format) Holds(s tensor.Shape, l tensor.Layout) (what string, ok bool) {
	switch f {
	case NPY:
		return "tensors", l != tensor.Rows
	case JSONL:
		return "relations", l == tensor.Rows
	case DOT, GraphML:
		return "square matrices", s.Rank() == 2 && s.Dim(0) == s.Dim(1)
	case SVG:
		return "vectors and matrices that are not empty", (s.Rank() == 1 || s.Rank() == 2) && s.Elems() > 0
	}
	return "", true
}

// dense reports whether a format writes all elements rather than only those that are not 0.
func (f Format) dense() bool { return f == Object || f == NPY }

// Elements returns how many elements of a value a format writes, if the context does not end.
func (f Format) Elements(ctx context.Context, v *tensor.Value) uint64 {
	if v.Layout == tensor.Rows {
		return tensor.SatMul(uint64(v.Table.Len), uint64(max(1, len(v.Table.Columns))))
	}
	if f.dense() || v.Shape.Rank() < 2 {
		return v.Shape.Elems()
	}
	w := newWriter(ctx, io.Discard, Options{})
	return w.count(v, math.MaxInt)
}

// Counted reports whether Elements depends on the shape alone.
func (f Format) Counted(s tensor.Shape) bool { return f.dense() || s.Rank() < 2 }

// Write writes an output in any format but SVG. Only opt.Top shortens it.
func Write(ctx context.Context, to io.Writer, out *vm.Output, f Format, opt Options) error {
	switch f {
	case Table:
		return Text(ctx, to, out, opt)
	case Object:
		if err := JSON(ctx, to, out, opt); err != nil {
			return err
		}
		_, err := io.WriteString(to, "\n")
		return err
	}
	opt.exact = true
	w := newWriter(ctx, to, opt)
	if out.Value.Kind == tensor.Real || out.Value.Layout == tensor.Rows {
		w.digits = opt.Precision
	}
	switch f {
	case JSONL:
		j := &jsonWriter{w}
		for row := range first(out.Value.Table.All(), w.most()) {
			j.tuple(out.Value.Table, row)
			j.put("\n")
		}
		return j.end()
	case NPY:
		w.npy(out.Value)
	case DOT:
		w.dot(out)
	case GraphML:
		w.graphML(out)
	case Markdown:
		w.markdown(out)
	default:
		sep := map[Format]string{CSV: ",", TSV: "\t"}[f]
		heads, rows := w.records(out)
		w.put(strings.Join(heads, sep), "\n")
		for row := range rows {
			for i, cell := range row {
				if i > 0 {
					w.put(sep)
				}
				w.put(quoted(cell, sep))
			}
			w.put("\n")
		}
	}
	return w.end()
}

// quoted quotes a field where it would not read back as it is: in an edge list it may look like a
// comment.
func quoted(s, sep string) string {
	if s == "" || s[0] == '#' || strings.TrimSpace(s) != s || strings.ContainsAny(s, sep+"\"\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// most returns how many elements are written.
func (w *writer) most() int { return cmp.Or(w.opt.Top, math.MaxInt) }

// records returns an output as a table: the edges of a graph, or the elements of another matrix
// that are not 0. Its columns have the names by which an input knows them.
func (w *writer) records(out *vm.Output) (heads []string, rows iter.Seq[[]string]) {
	v := out.Value
	if v.Layout == tensor.Rows {
		if len(v.Table.Columns) == 0 {
			return []string{"value"}, slices.Values([][]string{{strconv.FormatBool(v.Table.Len > 0)}})
		}
		return columnNames(v.Table), w.tuples(v.Table, w.most())
	}
	s := v.Shape
	nodes := func(list iter.Seq[int]) iter.Seq[[]string] {
		return func(yield func([]string) bool) {
			for n := range first(list, w.most()) {
				if !yield([]string{w.opt.label(n)}) {
					return
				}
			}
		}
	}
	node, isNode := w.opt.node(out)
	switch {
	case isNode:
		return []string{"node"}, nodes(slices.Values([]int{node}))
	case s.Rank() == 0:
		return []string{"value"}, slices.Values([][]string{{w.format(v.At())}})
	case w.opt.path(out):
		return []string{"node"}, nodes(slices.Values(w.pathOf(v)))
	case w.opt.set(v):
		return []string{"node"}, nodes(w.indices(v))
	case s.Rank() == 1:
		heads = []string{"node", "value"}
	case isGraph(v):
		heads = []string{"source", "target"}
	case s.Rank() == 2:
		heads = []string{"source", "target", "weight"}
	default:
		for d := range s.Rank() {
			heads = append(heads, fmt.Sprintf("axis%d", d))
		}
		heads = append(heads, "value")
	}
	if s.Elems() == 0 {
		return heads, func(func([]string) bool) {}
	}
	return heads, func(yield func([]string) bool) {
		items, _ := w.items(v, w.most())
		for c := range items {
			if !yield(append(w.opt.places(s, c), w.format(c.value))[:len(heads)]) {
				return
			}
		}
	}
}

// markdown writes a table under the name of the output.
func (w *writer) markdown(out *vm.Output) {
	t := &table.Table{Title: out.Name, Caption: out.Value.String()}
	if out.Value.Layout == tensor.Rows {
		t.Caption = words.Plural(out.Value.Table.Len, "row")
	}
	heads, rows := w.records(out)
	t.Columns = lists.Map(heads, func(h string) table.Column { return table.Column{Name: h, Words: h != "value" && h != "weight"} })
	for row := range rows {
		t.Rows = append(t.Rows, table.Row{Cells: lists.Map(row, func(cell string) table.Cell { return table.Cell{Text: cell} })})
	}
	_ = t.Markdown(w) // the writer keeps its error
	w.put("\n")
}

// Edges returns the edges of a square matrix, by the number of the name.
func Edges(ctx context.Context, v *tensor.Value, opt Options) (names []string, edges [][2]int) {
	opt.exact = true
	w := newWriter(ctx, io.Discard, opt)
	number := map[int]int{}
	w.graph(v, func(n int) {
		number[n] = len(names)
		names = append(names, opt.place(v.Shape.Dim(0), n))
	}, func(c cell) { edges = append(edges, [2]int{number[c.row], number[c.col]}) })
	return names, edges
}

// dot writes a square matrix as a digraph for Graphviz. An edge of a matrix that is no graph is
// labelled with its weight.
func (w *writer) dot(out *vm.Output) {
	v := out.Value
	id := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
	}
	name := func(n int) string { return id(w.opt.place(v.Shape.Dim(0), n)) }
	w.put("digraph ", id(out.Name), " {\n")
	w.graph(v, func(n int) { w.put("  ", name(n), ";\n") }, func(c cell) {
		w.put("  ", name(c.row), " -> ", name(c.col))
		if !isGraph(v) {
			w.put(` [label="`, w.format(c.value), `"]`)
		}
		w.put(";\n")
	})
	w.put("}\n")
}

// graph passes the nodes of a square matrix, then its edges: with a limit on edges only the nodes
// at their ends.
func (w *writer) graph(v *tensor.Value, node func(int), edge func(cell)) {
	edges, _ := w.items(v, w.most())
	ends := map[int]bool{}
	if w.opt.Top > 0 {
		for c := range edges {
			ends[c.row], ends[c.col] = true, true
		}
	}
	for n := 0; n < v.Shape.Dim(0) && !w.ended(); n++ {
		if w.opt.Top == 0 || ends[n] {
			node(n)
		}
	}
	for c := range edges {
		edge(c)
	}
}

// graphML writes a square matrix as GraphML. Characters that XML cannot hold, even escaped, are
// made visible first.
func (w *writer) graphML(out *vm.Output) {
	v := out.Value
	text := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			c := string(r)
			if r < ' ' || r == 0xfffe || r == 0xffff {
				c = page.Visible(c)
			}
			b.WriteString(html.EscapeString(c))
		}
		return b.String()
	}
	w.put(`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<graph id="`, text(out.Name), `" edgedefault="directed">
`)
	w.graph(v, func(n int) {
		w.put(fmt.Sprintf(`<node id="n%d"><data key="label">`, n), text(w.opt.place(v.Shape.Dim(0), n)), "</data></node>\n")
	}, func(c cell) {
		w.put(fmt.Sprintf(`<edge source="n%d" target="n%d">`, c.row, c.col))
		if !isGraph(v) {
			w.put(`<data key="weight">`, w.format(c.value), `</data>`)
		}
		w.put("</edge>\n")
	})
	w.put("</graph>\n</graphml>\n")
}

// npy writes an array in version 1 of the format of NumPy.
func (w *writer) npy(v *tensor.Value) {
	kind := map[tensor.Kind]string{tensor.Bool: "|b1", tensor.Int: "<i8", tensor.Real: "<f8"}[v.Kind]
	var shape strings.Builder
	for d := range v.Shape.Rank() {
		fmt.Fprintf(&shape, "%d,", v.Shape.Dim(d))
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape.String())
	const before, align = 10, 64
	head += strings.Repeat(" ", align-1-(before+len(head))%align) + "\n"
	w.put("\x93NUMPY\x01\x00")
	_, _ = w.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(head))))
	w.put(head)
	number := func(x float64) {
		switch v.Kind {
		case tensor.Bool:
			_ = w.WriteByte(byte(x))
		case tensor.Int:
			_, _ = w.Write(binary.LittleEndian.AppendUint64(w.num[:0], uint64(int64(x))))
		default:
			_, _ = w.Write(binary.LittleEndian.AppendUint64(w.num[:0], math.Float64bits(x)))
		}
	}
	if v.Shape.Rank() == 0 {
		number(v.At())
	} else if v.Shape.Elems() > 0 {
		for i := 0; i < rows(v) && !w.ended(); i++ {
			for _, part := range w.row(v, i, width(v)) {
				for _, x := range part {
					number(x)
				}
			}
		}
	}
}
