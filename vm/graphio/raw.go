package graphio

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"ein/vm/tensor"
)

// Form is the shape of what a file held.
type Form uint8

// The forms.
const (
	EdgeList Form = iota // Src, Dst, and W when there are weights
	Array                // Shape and Data
	ByNode               // a vector as Src (the node) and W (its value)
)

// Raw is the content of one file, before it is known which nodes the other
// inputs of the program have.
type Raw struct {
	File   string
	Kind   Kind
	Format Format
	Form   Form

	Src, Dst []int32
	W        []float64 // nil when every edge weighs 1, and for a graph
	Labels   []string  // of the numbers in Src and Dst; nil when they are node numbers
	Nodes    int       // number of nodes as the file or its options say; 0 when they do not
	MaxID    int       // largest node number, -1 when there is none

	// Rows and Cols are the sizes of a matrix that brings its own (Matrix
	// Market); both are 0 where the axes are the nodes of the program.
	Rows, Cols int

	Shape tensor.Shape
	Data  []float64

	Warnings []Warning

	opt      Options
	lines    lineRuns
	listed   int  // entries in the file; the mirrored ones come after them
	mirrored bool // each entry off the diagonal also stands for its mirror image
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
	rd := &reader{
		in: in, opt: opt, rep: report{file: name},
		raw: &Raw{File: name, Kind: opt.Kind, Format: format, Nodes: opt.Nodes, MaxID: -1, opt: opt},
		ids: ids{want: opt.IDs, max: -1, nodes: opt.Nodes, limit: opt.MaxNodes},
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
	ids ids

	line *int // where the reading is, in text

	zero, zeroLine int // rows of weight 0 in a graph, and the first
}

// finish puts the result together. An error that ended the reading comes after
// the bad rows before it.
func (r *reader) finish(err error) (*Raw, error) {
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = r.in.fail(err)
			if e.Limit && r.line != nil {
				e.Line = max(*r.line, 1)
			}
		}
		if r.rep.full() { // what stopped the reading must not be the one left out
			r.rep.list = r.rep.list[:maxListed-1]
			r.rep.more++
		}
		r.rep.add(e)
	}
	if err := r.rep.err(); err != nil {
		return nil, err
	}
	raw := r.raw
	if raw.Form != Array {
		if raw.Labels == nil {
			raw.Labels = r.ids.strings()
		}
		raw.MaxID = max(raw.MaxID, r.ids.max)
		if raw.Labels != nil && r.opt.Nodes > 0 {
			return nil, &Error{File: raw.File, Msg: "the option nodes is for numbered nodes, and these have labels"}
		}
	}
	if r.zero > 0 {
		r.warn("zero-weight", r.zeroLine, fmt.Sprintf("%s of weight 0 left out, a graph has no such edge", plural(r.zero, "row")))
	}
	return raw, nil
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
	raw := r.raw
	if raw.Kind == Graph && weighted {
		if w == 0 {
			if r.zero == 0 {
				r.zeroLine = line
			}
			r.zero++
			return nil
		}
		weighted = false
	}
	if len(raw.Src) >= r.opt.MaxEdges {
		return r.atLimit(line, "more than the limit of "+plural(r.opt.MaxEdges, "edge"))
	}
	raw.lines.add(len(raw.Src), line)
	if len(raw.Src) == cap(raw.Src) {
		// Twice as much: append grows long slices by a quarter, and copying then
		// takes a tenth of the whole load.
		raw.Src = slices.Grow(raw.Src, len(raw.Src)+1)
		raw.Dst = slices.Grow(raw.Dst, len(raw.Dst)+1)
	}
	raw.Src = append(raw.Src, src)
	raw.Dst = append(raw.Dst, dst)
	if weighted {
		raw.W = append(raw.W, w)
	}
	return nil
}

// mirror adds the image of every edge off the diagonal, its weight times sign.
func (r *reader) mirror(sign float64) error {
	raw := r.raw
	raw.listed, raw.mirrored = len(raw.Src), true
	for e := range raw.listed {
		s, d := raw.Src[e], raw.Dst[e]
		if s == d {
			continue
		}
		if len(raw.Src) >= r.opt.MaxEdges {
			return r.atLimit(raw.lines.at(e), fmt.Sprintf("more than the limit of %s, counting both directions", plural(r.opt.MaxEdges, "edge")))
		}
		raw.Src = append(raw.Src, d)
		raw.Dst = append(raw.Dst, s)
		if raw.W != nil {
			raw.W = append(raw.W, sign*raw.W[e])
		}
	}
	return nil
}

// cell takes one entry of a dense graph array, which must be 0 or 1.
func (r *reader) cell(i, j int, x float64, line, col int) error {
	switch x {
	case 0:
		return nil
	case 1:
		return r.edge(int32(i), int32(j), 1, false, line)
	}
	if r.rep.full() {
		r.rep.more++
		return nil
	}
	r.bad(line, col, fmt.Sprintf("expected 0 or 1 in a graph, found %v at row %d, column %d", x, i, j), "bind it to an input of kind matrix to keep weights")
	return nil
}

// square makes the dense graph array of n rows just read the edge list of a
// graph that declares its n nodes.
func (r *reader) square(n int) {
	r.raw.Form, r.raw.Nodes, r.raw.MaxID = EdgeList, n, n-1
}

// array sets a dense value.
func (r *reader) array(data []float64, dims ...int) {
	r.raw.Form, r.raw.Shape, r.raw.Data = Array, tensor.ShapeOf(dims...), data
}

// element adds an element to a dense array that grows as its data arrives, so
// that no header can make it larger than the file.
func (r *reader) element(data []float64, x float64, line int) ([]float64, error) {
	if len(data) >= r.opt.MaxElems {
		return nil, r.atLimit(line, "more than the limit of "+plural(r.opt.MaxElems, "element"))
	}
	return append(data, x), nil
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
