package graphio

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"ein/vm/kernel"
	"ein/vm/tensor"
)

// form is the shape of what a file held.
type form uint8

const (
	edgeList form = iota // edges, or cells
	array                // shape and data
	byNode               // a vector, as edges from the nodes with the values as weights
	freed
)

// Raw is the content of one file, before it is known which nodes the other
// inputs of the program have.
type Raw struct {
	File     string
	Kind     Kind
	Format   Format
	Warnings []Warning

	unused  []unusedColumn // of a table that was read for some of its columns
	more    int            // such columns that are not listed
	seen    int            // its rows
	between string         // which columns edges join, for that warning, where they came first and nobody named them

	opt    Options
	mem    memory
	form   form
	edges  edges
	labels chunks[string] // of the numbers in edges; empty when they are node numbers
	texts  int            // bytes of the labels
	nodes  int            // number of nodes as the file or its options say; 0 when they do not
	none   bool           // the file says that there are none
	maxID  int            // largest node number, -1 when there is none
	byRow  bool           // an array from one column of several, any of which may hold nodes

	// values are the columns of a matrix whose rows are the nodes of the program.
	values     chunks[string]
	valueTexts int // bytes of them

	// rows and cols are the sizes of a matrix that brings its own (Matrix
	// Market); both are 0 where the axes are the nodes of the program.
	rows, cols int

	cells *tensor.Bits // of a graph that came as an array, instead of edges

	relation *relationRows

	kind  tensor.Kind // of data
	shape tensor.Shape
	data  []float64
}

// held returns how many bytes a file keeps once it is read.
func (r *Raw) held() int {
	n := r.edges.at.held() + r.edges.w.held() + r.edges.lines.held() + r.labels.held() + r.texts + r.values.held() + r.valueTexts + cap(r.data)*sizeOf[float64]()
	if r.relation != nil {
		n = int(r.mem.held)
	}
	if r.cells != nil {
		n += cap(r.cells.W) * sizeOf[uint64]()
	}
	return n
}

// Free drops what was read and returns its memory to the ledger, except for the texts of the
// labels, which those that Bind returned may share. The file cannot be bound again.
func (r *Raw) Free() {
	r.mem.give(int(r.mem.held) - r.texts)
	*r = Raw{File: r.File, Kind: r.Kind, Format: r.Format, Warnings: r.Warnings, unused: r.unused, more: r.more, seen: r.seen, between: r.between, form: freed}
}

// edges lists the edges in the order of the file, with their weights if there are any.
type edges struct {
	at    chunks[pair]
	w     chunks[float64]
	lines lineRuns

	// mirror, when not 0, says that each edge off the diagonal also stands for
	// its mirror image, whose weight is that many times as large.
	mirror float64
}

// pair is a row and a column, or the source and the target of an edge.
type pair = [2]int32

func (e *edges) len() int { return e.at.len() }

func (e *edges) add(p pair, line int) {
	e.lines.add(e.len(), line)
	e.at.add(p)
}

// dropFirst removes the first edge together with its labels, which are the first.
func (e *edges) dropFirst(labels int32) {
	e.at.shift(1)
	e.at.replace(func(p pair) pair { return pair{p[0] - labels, p[1] - labels} })
	if e.w.len() > 0 {
		e.w.shift(1)
	}
	for i := range e.lines.len() {
		e.lines.chunks.at(i).edge-- // the first run may begin at -1, which its steps count from
	}
}

// Read reads a file in the way that opt says. The name selects the format and stands in errors,
// which are an *Error or, for several bad rows, an *ErrorList.
func Read(r io.Reader, name string, opt Options) (*Raw, error) {
	opt = opt.withDefaults()
	in := &input{name: name, max: opt.MaxBytes}
	defer in.close()
	if err := in.open(r); err != nil {
		return nil, err
	}
	head, err := in.sniff()
	if err != nil {
		return nil, err
	}
	format := opt.Format
	if format == Auto {
		format = detect(name, head)
	}
	if len(head) == 0 && (format != JSONLines || opt.Kind != Relation) { // else it has no rows
		return nil, &Error{File: in.name, Msg: "the file is empty"}
	}
	if is := detect("", head); is.IsTable() || is != format && (is == NPY || is == MatrixMarket) {
		hint := fmt.Sprintf("format=%s reads it", is)
		if is.IsTable() {
			hint += " from a file"
		}
		return nil, &Error{File: in.name, Msg: fmt.Sprintf("the file contains %s data", is), Hint: hint}
	}
	if err := opt.usable(name, format); err != nil {
		return nil, err
	}
	rd := newReader(in, format, opt)
	return rd.finish(func() {
		switch format {
		case CSV:
			rd.text(commas(head))
		case TSV:
			rd.text(dialect{sep: '\t', comments: "#"})
		case Edges:
			d := commas(head)
			if !d.told {
				d = dialect{sep: separator(head, opt.Kind), comments: "#%"}
			}
			rd.text(d)
		case MatrixMarket:
			rd.matrixMarket()
		case JSON, JSONLines:
			rd.json()
		case NPY:
			rd.npy()
		default:
			panic(rd.fatal(0, 0, fmt.Sprintf("unknown format %q", format), ""))
		}
	})
}

// newReader begins a call of Read or ReadTable.
func newReader(in *input, format Format, opt Options) *reader {
	raw := &Raw{File: in.name, Kind: opt.Kind, Format: format, nodes: opt.Nodes, maxID: -1, opt: opt, mem: memory{ledger: opt.Ledger}}
	raw.edges.at.mem, raw.edges.w.mem, raw.edges.lines.mem = &raw.mem, &raw.mem, &raw.mem
	in.mem = &raw.mem
	return &reader{
		in: in, opt: opt, rep: report{file: in.name}, raw: raw, mem: &raw.mem,
		ids: ids{want: opt.IDs, max: -1, nodes: opt.Nodes, limit: opt.MaxNodes, mem: &raw.mem},
	}
}

// reader is the state of one call of Read.
type reader struct {
	in  *input
	opt Options
	rep report
	raw *Raw
	mem *memory
	ids ids

	line *int // where the reading is, in text

	zero, zeroLine int // rows of weight 0 in a graph, and the first
}

// finish returns the result. An error that ended the reading comes after the bad rows before it.
func (r *reader) finish(read func()) (*Raw, error) {
	err := caught(func() {
		if read(); len(r.rep.list) == 0 {
			r.settle()
		}
	})
	if err != nil {
		line := 0
		if r.line != nil {
			line = max(*r.line, 1)
		}
		err = refused(err, r.in.name, line)
		var e *Error
		if !errors.As(err, &e) {
			e = r.in.fail(err)
			if e.Limit {
				e.Line = line
			}
		}
		if r.rep.full() { // what stopped the reading must not be the one left out
			r.rep.list = r.rep.list[:maxListed-1]
			r.rep.more++
		}
		r.rep.add(e)
	}
	if err := r.rep.err(); err != nil {
		r.mem.give(int(r.mem.held))
		return nil, err
	}
	return r.raw, nil
}

// settle completes the content of a file without errors.
func (r *reader) settle() {
	raw := r.raw
	if raw.form != array {
		if raw.labels.len() == 0 && r.ids.labelled() {
			raw.labels, raw.texts = r.ids.labels.labels, r.ids.labels.texts
		}
		raw.maxID = max(raw.maxID, r.ids.max)
		if raw.labels.len() > 0 && r.opt.Nodes > 0 {
			panic(&Error{File: raw.File, Msg: "the option nodes is for numbered nodes, but these have labels"})
		}
	}
	r.mem.give(int(r.mem.held) - raw.held()) // all else is garbage now
	if r.zero > 0 {
		r.warn("zero-weight", r.zeroLine, fmt.Sprintf("%s of weight 0 left out: a graph has no edges of weight 0", plural(r.zero, "row")))
	}
}

func (r *reader) warn(code string, line int, msg string) {
	r.raw.Warnings = append(r.raw.Warnings, Warning{File: r.raw.File, Line: line, Code: code, Msg: msg})
}

// warnComments counts the lines among the data that were taken for comments.
func (r *reader) warnComments(n, line int, after, marks string) {
	if n > 0 {
		r.warn("comments", line, fmt.Sprintf("%s after %s read as comments because they begin with \"%s\"", plural(n, "line"), after, strings.Join(strings.Split(marks, ""), `" or "`)))
	}
}

// bad records a bad row.
func (r *reader) bad(line, col int, msg, hint string) {
	r.rep.add(&Error{Line: line, Column: col, Msg: msg, Hint: hint})
}

// fatal is an error after which reading cannot go on.
//
//go:noinline
func (r *reader) fatal(line, col int, msg, hint string) *Error {
	return &Error{File: r.in.name, Line: line, Column: col, Msg: msg, Hint: hint}
}

// atLimit is fatal where a limit is reached.
func (r *reader) atLimit(line int, msg string) *Error { return r.fatal(line, 0, msg, "").limit() }

// edge adds an edge. weighted is the same for all edges of a file.
func (r *reader) edge(src, dst int32, w float64, weighted bool, line int) {
	if weighted && r.raw.Kind == Graph {
		if w == 0 {
			if r.zero == 0 {
				r.zeroLine = line
			}
			r.zero++
			return
		}
		weighted = false
	}
	e := &r.raw.edges
	if e.len() >= r.opt.MaxEdges {
		panic(r.atLimit(line, "more than the limit of "+plural(r.opt.MaxEdges, "edge")))
	}
	if weighted {
		e.w.add(w)
	}
	e.add(pair{src, dst}, line)
}

// mirror adds for each edge off the diagonal its mirror image, with the weight times sign.
func (r *reader) mirror(sign float64) {
	e := &r.raw.edges
	e.mirror = sign
	n := e.len()
	for i, p := range e.at.all() {
		if p[0] == p[1] {
			continue
		}
		if n++; n > r.opt.MaxEdges {
			panic(r.atLimit(e.lines.at(i), fmt.Sprintf("more than the limit of %s, counting both directions", plural(r.opt.MaxEdges, "edge"))))
		}
	}
}

// dense is an array while it is read. The elements of a graph become bits at once:
// a 0/1 array is never larger as bits than as it arrives, and often smaller than its
// edges.
type dense struct {
	*reader
	rows, cols int
	turned     bool // the file has the columns one after the other, not the rows
	both       bool // edges go both ways
	data       arrival[float64]
	bits       arrival[uint64] // of a graph: the lines of the file
	words      int             // of a line
	ones       int
}

func (r *reader) newDense(rows, cols int, turned bool) *dense {
	d := &dense{reader: r, rows: rows, cols: cols, turned: turned, words: tensor.Words(rows)}
	d.data, d.bits = arrival[float64]{mem: r.mem, room: rows * cols}, arrival[uint64]{mem: r.mem, room: rows * d.words}
	return d
}

// put takes the next element, the one at position at of a line.
func (d *dense) put(line, at int, x float64, fileLine, col int) {
	if d.opt.Kind != Graph {
		d.data.add(x)
		return
	}
	d.upTo(line + 1)
	switch x {
	case 0:
		return
	case 1:
		if d.ones++; d.ones > d.opt.MaxEdges {
			counting := ""
			if d.both {
				counting = ", counting both directions"
			}
			panic(d.atLimit(fileLine, "more than the limit of "+plural(d.opt.MaxEdges, "edge")+counting))
		}
		d.bits.data[line*d.words+at>>6] |= 1 << (at & 63)
		return
	}
	if d.rep.counted() {
		return
	}
	if d.turned {
		line, at = at, line
	}
	hint := "bind it to an input of kind matrix to keep weights"
	if d.cols == 3 && d.raw.Format != NPY && d.raw.Format != MatrixMarket {
		hint += "; " + threeEdges
	}
	d.bad(fileLine, col, fmt.Sprintf("expected 0 or 1 in a graph, found %v at row %d, column %d", x, line, at), hint)
}

// at returns an element that was put.
func (d *dense) at(line, at int) float64 {
	switch {
	case d.opt.Kind == Graph:
		return float64(d.bits.data[line*d.words+at>>6] >> (at & 63) & 1)
	case len(d.rep.list) > 0 || line*d.cols+at >= len(d.data.data): // after a bad one, and of the column at hand
		return 0
	}
	return d.data.data[line*d.cols+at]
}

// upTo makes room for lines of a graph.
func (d *dense) upTo(lines int) {
	for len(d.bits.data) < lines*d.words {
		d.bits.add(0)
	}
}

// end makes the array the content of the file.
func (d *dense) end(dims ...int) {
	switch {
	case len(d.rep.list) > 0:
		return
	case d.opt.Kind == Graph:
		d.square()
		return
	}
	data := d.data.data
	if d.turned && len(dims) == 2 {
		data = d.transposed(data, d.cols, d.rows)
	}
	d.array(data, dims...)
}

// square makes the array the content of the file, a graph that declares its own nodes.
func (d *dense) square() {
	d.upTo(d.rows)
	bits := tensor.Bits{Rows: d.rows, Cols: d.rows, Stride: d.words, W: d.bits.data}
	if d.turned {
		w := newSlice[uint64](d.mem, len(bits.W))
		turned := bits
		turned.W = w
		kernel.BitsTranspose(&kernel.Ctl{}, turned, bits)
		d.mem.give(cap(bits.W) * sizeOf[uint64]())
		bits = turned
	}
	d.raw.cells, d.raw.nodes, d.raw.maxID = &bits, d.rows, d.rows-1
}

// array stores a dense value under the narrowest kind that holds all elements. Only the reals have
// a negative zero.
func (r *reader) array(data []float64, dims ...int) {
	k := kindOf(data)
	unsigned(data, k)
	r.raw.form, r.raw.kind, r.raw.shape, r.raw.data = array, k, tensor.ShapeOf(dims...), data
}

// unsigned makes every negative zero of integers a plain one.
func unsigned(data []float64, k tensor.Kind) {
	if k == tensor.Real {
		return
	}
	for i, x := range data {
		if x == 0 {
			data[i] = 0
		}
	}
}

// element adds an element to a dense array of unknown length.
func (r *reader) element(data *chunks[float64], x float64, line int) {
	if data.len() >= r.opt.MaxElems {
		panic(r.atLimit(line, "more than the limit of "+plural(r.opt.MaxElems, "element")))
	}
	data.add(x)
}

// kindOf returns the narrowest kind that holds all of the values.
func kindOf(data []float64) tensor.Kind {
	k := tensor.Bool
	for _, x := range data {
		if x == 0 || x == 1 {
			continue
		}
		if x != math.Trunc(x) || math.Abs(x) >= tensor.MaxInt {
			return tensor.Real
		}
		k = tensor.Int
	}
	return k
}

// transposed returns the rows x cols matrix with its axes exchanged, in its place
// where it is square.
func (r *reader) transposed(data []float64, rows, cols int) []float64 {
	if rows == cols {
		for i := range rows {
			for j := range i {
				data[i*cols+j], data[j*cols+i] = data[j*cols+i], data[i*cols+j]
			}
		}
		return data
	}
	out := newSlice[float64](r.mem, len(data))
	for i := range rows {
		for j, x := range data[i*cols : (i+1)*cols] {
			out[j*rows+i] = x
		}
	}
	return out
}
