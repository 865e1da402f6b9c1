package graphio

import (
	"errors"
	"fmt"
	"io"
	"math"

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

	opt    Options
	mem    memory
	form   form
	edges  edges
	labels chunks[string] // of the numbers in edges; empty when they are node numbers
	texts  int            // bytes of the labels
	nodes  int            // number of nodes as the file or its options say; 0 when they do not
	maxID  int            // largest node number, -1 when there is none

	// rows and cols are the sizes of a matrix that brings its own (Matrix
	// Market); both are 0 where the axes are the nodes of the program.
	rows, cols int

	cells *tensor.Bits // of a graph that came as an array, instead of edges

	kind  tensor.Kind // of data
	shape tensor.Shape
	data  []float64
}

// held is the bytes that stay with a file that was read.
func (r *Raw) held() int {
	n := r.edges.at.held() + r.edges.w.held() + r.edges.lines.held() + r.labels.held() + r.texts + cap(r.data)*sizeOf[float64]()
	if r.cells != nil {
		n += cap(r.cells.W) * sizeOf[uint64]()
	}
	return n
}

// Free lets go of what was read and gives it back to the ledger, but for the
// texts of labels, which those that Bind returns are part of. The file cannot be
// bound again.
func (r *Raw) Free() {
	r.mem.give(int(r.mem.held) - r.texts)
	*r = Raw{File: r.File, Kind: r.Kind, Format: r.Format, Warnings: r.Warnings, form: freed}
}

// edges is a list of edges in the order of the file, each with its weight if any
// has one.
type edges struct {
	at    chunks[pair]
	w     chunks[float64]
	lines lineRuns

	// mirror, when not 0, says that each edge off the diagonal also stands for
	// its mirror image, whose weight is that many times as large.
	mirror float64
}

// pair is a row and a column, or the source and the target of an edge.
type pair [2]int32

func (e *edges) len() int { return e.at.len() }

func (e *edges) add(p pair, line int) error {
	if err := e.lines.add(e.len(), line); err != nil {
		return err
	}
	return e.at.add(p)
}

// Read reads a file as opt says. The name tells the format and stands in
// errors. The errors are *Error and, for several bad rows, *ErrorList.
func Read(r io.Reader, name string, opt Options) (*Raw, error) {
	opt = opt.withDefaults()
	switch opt.Kind {
	case Graph, Matrix, Vector, Scalar:
	default:
		return nil, &Error{File: name, Msg: fmt.Sprintf("unknown kind %q", opt.Kind), Hint: "expected graph, matrix, vector or scalar"}
	}
	if opt.Nodes > opt.MaxNodes {
		return nil, &Error{File: name, Limit: true, Msg: fmt.Sprintf("nodes=%d is past the limit of %s", opt.Nodes, plural(opt.MaxNodes, "node"))}
	}
	in, err := open(r, name, opt.MaxBytes)
	if err != nil {
		return nil, err
	}
	head, err := in.sniff()
	if err != nil {
		return nil, err
	}
	format := opt.Format
	if format == Auto {
		format = detect(name, head, opt.Kind)
	}
	if msg, hint := opt.check(format); msg != "" {
		return nil, &Error{File: name, Msg: msg, Hint: hint}
	}
	raw := &Raw{File: name, Kind: opt.Kind, Format: format, nodes: opt.Nodes, maxID: -1, opt: opt, mem: memory{ledger: opt.Ledger}}
	raw.edges.at.mem, raw.edges.w.mem, raw.edges.lines.mem = &raw.mem, &raw.mem, &raw.mem
	in.mem = &raw.mem
	rd := &reader{
		in: in, opt: opt, rep: report{file: name}, raw: raw, mem: &raw.mem,
		ids: ids{want: opt.IDs, max: -1, nodes: opt.Nodes, limit: opt.MaxNodes, mem: &raw.mem},
	}
	switch format {
	case CSV:
		err = rd.text(dialect{sep: ','})
	case TSV:
		err = rd.text(dialect{sep: '\t', comments: "#"})
	case Edges:
		err = rd.text(dialect{sep: separator(head), comments: "#%"})
	case MatrixMarket:
		err = rd.matrixMarket()
	case JSON:
		err = rd.json()
	case NPY:
		err = rd.npy()
	default:
		return nil, &Error{File: name, Msg: fmt.Sprintf("unknown format %q", format)}
	}
	return rd.finish(err)
}

// reader is one call of Read.
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

// finish puts the result together. An error that ended the reading comes after
// the bad rows before it.
func (r *reader) finish(err error) (*Raw, error) {
	if err == nil && len(r.rep.list) == 0 {
		err = r.settle()
	}
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

// settle completes what was read without a mistake.
func (r *reader) settle() error {
	raw := r.raw
	if raw.form != array {
		if raw.labels.len() == 0 && r.ids.labelled() {
			raw.labels, raw.texts = r.ids.labels.labels, r.ids.labels.texts
		}
		raw.maxID = max(raw.maxID, r.ids.max)
		if raw.labels.len() > 0 && r.opt.Nodes > 0 {
			return &Error{File: raw.File, Msg: "the option nodes is for numbered nodes, and these have labels"}
		}
	}
	r.mem.give(int(r.mem.held) - raw.held()) // all else is garbage now
	if r.zero > 0 {
		r.warn("zero-weight", r.zeroLine, fmt.Sprintf("%s of weight 0 left out, a graph has no such edge", plural(r.zero, "row")))
	}
	return nil
}

func (r *reader) warn(code string, line int, msg string) {
	r.raw.Warnings = append(r.raw.Warnings, Warning{File: r.raw.File, Line: line, Code: code, Msg: msg})
}

// warnComments counts the lines among the data that were taken for comments.
func (r *reader) warnComments(n, line int, after, marks string) {
	if n > 0 {
		r.warn("comments", line, fmt.Sprintf("%s after %s taken for comments, for the %q they begin with", plural(n, "line"), after, marks[:1]))
	}
}

// bad records a bad row.
func (r *reader) bad(line, col int, msg, hint string) {
	r.rep.add(&Error{Line: line, Column: col, Msg: msg, Hint: hint})
}

// fatal is an error after which reading cannot go on.
func (r *reader) fatal(line, col int, msg, hint string) error {
	return &Error{File: r.in.name, Line: line, Column: col, Msg: msg, Hint: hint}
}

// atLimit is fatal where a limit is reached.
func (r *reader) atLimit(line int, msg string) error {
	return &Error{File: r.in.name, Line: line, Msg: msg, Limit: true}
}

// edge adds an edge. weighted is the same for all edges of a file.
func (r *reader) edge(src, dst int32, w float64, weighted bool, line int) error {
	if weighted && r.raw.Kind == Graph {
		if w == 0 {
			if r.zero == 0 {
				r.zeroLine = line
			}
			r.zero++
			return nil
		}
		weighted = false
	}
	e := &r.raw.edges
	if e.len() >= r.opt.MaxEdges {
		return r.atLimit(line, "more than the limit of "+plural(r.opt.MaxEdges, "edge"))
	}
	if weighted {
		if err := e.w.add(w); err != nil {
			return err
		}
	}
	return e.add(pair{src, dst}, line)
}

// mirror makes every edge off the diagonal also stand for its mirror image, its
// weight times sign.
func (r *reader) mirror(sign float64) error {
	e := &r.raw.edges
	e.mirror = sign
	n := e.len()
	for i, p := range e.at.all() {
		if p[0] == p[1] {
			continue
		}
		if n++; n > r.opt.MaxEdges {
			return r.atLimit(e.lines.at(i), fmt.Sprintf("more than the limit of %s, counting both directions", plural(r.opt.MaxEdges, "edge")))
		}
	}
	return nil
}

// cells is a graph that comes as an array, while it is read. A 0/1 array is
// never larger as bits than as it arrives, and often smaller than its edges.
type cells struct {
	arrival[uint64] // lines of the array in the order of the file
	n, ones         int
}

func (r *reader) newCells(n int) *cells {
	return &cells{arrival: arrival[uint64]{mem: r.mem, room: n * tensor.Words(n)}, n: n}
}

// next begins another line.
func (c *cells) next() error {
	for range tensor.Words(c.n) {
		if err := c.add(0); err != nil {
			return err
		}
	}
	return nil
}

// cell takes the entry of a graph array in row i and column j, at a position of
// the last line.
func (r *reader) cell(c *cells, at, i, j int, x float64, line, col int) error {
	switch x {
	case 0:
		return nil
	case 1:
		if c.ones++; c.ones > r.opt.MaxEdges {
			return r.atLimit(line, "more than the limit of "+plural(r.opt.MaxEdges, "edge"))
		}
		words := tensor.Words(c.n)
		c.data[len(c.data)-words+at>>6] |= 1 << (at & 63)
		return nil
	}
	if r.rep.full() {
		r.rep.more++
		return nil
	}
	r.bad(line, col, fmt.Sprintf("expected 0 or 1 in a graph, found %v at row %d, column %d", x, i, j), "bind it to an input of kind matrix to keep weights")
	return nil
}

// square makes the array just read the graph, which declares its nodes. Lines
// are rows unless it is to be turned; symmetric means both.
func (r *reader) square(c *cells, turn, symmetric bool) error {
	bits := tensor.Bits{Rows: c.n, Cols: c.n, Stride: tensor.Words(c.n), W: c.data}
	if turn || symmetric {
		w, err := newSlice[uint64](r.mem, len(bits.W))
		if err != nil {
			return err
		}
		turned := bits
		turned.W = w
		kernel.BitsTranspose(&kernel.Ctl{}, turned, bits)
		if symmetric {
			for k, x := range bits.W {
				w[k] |= x
			}
		}
		r.mem.give(cap(bits.W) * sizeOf[uint64]())
		bits = turned
	}
	if n, _ := kernel.PopAll(&kernel.Ctl{}, bits); symmetric && n > uint64(r.opt.MaxEdges) {
		return r.atLimit(0, fmt.Sprintf("more than the limit of %s, counting both directions", plural(r.opt.MaxEdges, "edge")))
	}
	r.raw.cells, r.raw.nodes, r.raw.maxID = &bits, c.n, c.n-1
	return nil
}

// array sets a dense value, which is of the narrowest kind that holds all
// elements. Only real numbers have a negative zero.
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
func (r *reader) element(data *chunks[float64], x float64, line int) error {
	if data.len() >= r.opt.MaxElems {
		return r.atLimit(line, "more than the limit of "+plural(r.opt.MaxElems, "element"))
	}
	return data.add(x)
}

// kindOf is the narrowest kind that holds all of the values.
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
