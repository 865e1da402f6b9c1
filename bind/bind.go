// Package bind gives the inputs of a program their values. All data comes in here, for the
// command, the session, the language server and Go programs alike, so the same program and the
// same data always give the same certificate.
//
// An [Input] names an input of the program and its data: a file, an [io.Reader] or a Go value.
// A [Reader] reads each into a [graphio.Raw] of its own, and [Bind] puts all of them over one set
// of nodes; [Reader.All] does both.
//
//	Parse, New -> Input -> Reader.Read -> graphio.Raw -> Bind -> Data
//
// The package opens no file itself: the host gives the Reader a function that does, or none, and
// readers of the formats that not every build has ([Tables]). The Reader's ledger bounds memory
// while data is read. [Findings] turns any error of this package into diagnostics with places in
// the data. Package graphio defines the formats and finds the nodes; what a program declares is
// [Declared].
package bind

import (
	"bytes"
	"cmp"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"golang.org/x/text/unicode/norm"

	"ein/internal/codes"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/steps"
	"ein/lang/syntax"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Input is the data of one input of a program.
type Input struct {
	Name    string          // of the input
	Path    string          // of the file; Data is nil then
	Options graphio.Options // how to read the file
	Data    any             // see New
	Nodes   []string        // labels of the nodes that a *tensor.Value in Data is over; nil when they are numbers
}

// Parse reads NAME=FILE or NAME=FILE?options, the form of a command line.
func Parse(arg string) (Input, error) {
	name, spec, ok := strings.Cut(arg, "=")
	if !ok || name == "" {
		return Input{}, fmt.Errorf("%q: expected NAME=FILE, as in A=graph.csv", arg)
	}
	in := Input{Name: name}
	var err error
	if in.Path, in.Options, err = graphio.ParseSpec(spec); err != nil {
		return Input{}, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// Files are the files that are read: that of the data, and that of a query.
func (in *Input) Files() []string {
	files := []string{in.Path}
	if query, ok := strings.CutPrefix(in.Options.Query, "@"); ok {
		files = append(files, query)
	}
	return files
}

// Resolve replaces the paths of the files that are read.
func (in *Input) Resolve(path func(string) string) {
	in.Path = path(in.Path)
	if query, ok := strings.CutPrefix(in.Options.Query, "@"); ok {
		in.Options.Query = "@" + path(query)
	}
}

// New returns the data of the input called name. A string is a file with its options,
// as in "graph.csv?weight=amount"; an [io.Reader] is the content of one, whose
// format its first bytes tell; a *[tensor.Value] is used as it is, except that the rows
// of a relation are copied. Anything else is read as the JSON that package json makes of
// it: numbers and slices of numbers, [][2]int and [][2]string as the edges of a graph, a
// map from node to number as a vector, structs or slices as the rows of a relation. A nil slice or map
// is an empty one. The line of a mistake, or of a row in a proof, is the number of its item, from 1.
func New(name string, data any) (Input, error) {
	in := Input{Name: name, Data: data}
	var err error
	switch data := data.(type) {
	case string:
		in.Data = nil
		in.Path, in.Options, err = graphio.ParseSpec(data)
	case nil:
		err = errors.New("there is no data: it is nil")
	case []byte: // its JSON is a text in base64
		err = errors.New("a []byte is data of no kind: bytes.NewReader makes it the content of a file, json.RawMessage a value")
	}
	if err != nil {
		return Input{}, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// malformed says why something is no value at all. Whether its elements are as its type says is seen
// before a run, except those of a sparse matrix, which may become bits before that.
func malformed(v *tensor.Value) error {
	switch {
	case v == nil:
		return errors.New("there is no data: it is a nil *tensor.Value")
	case v.Kind > tensor.Real || v.Layout > tensor.Rows || !v.Shape.Known():
		return fmt.Errorf("a tensor of kind %d, layout %d and shape %v is none", v.Kind, v.Layout, v.Shape)
	case v.Layout == tensor.Rows && v.Table == nil:
		return errors.New("the relation has no table")
	case v.Layout == tensor.Rows:
		for i, c := range v.Table.Columns {
			if d := c.Domain; c.Kind >= tensor.MaxColumnKind || c.Kind.Named() != (d != nil) || d != nil && d.Labels != nil && len(d.Labels) != d.Size {
				return fmt.Errorf("a malformed relation: column %d of kind %v has no such domain", i, c.Kind)
			}
		}
		if err := rel.CheckTable(v.Table, nil); err != nil {
			return fmt.Errorf("a malformed relation: %w", err)
		}
		return nil
	case v.Layout != tensor.Sparse:
		return nil
	case v.Shape.Rank() != 2:
		return fmt.Errorf("a sparse %v is no matrix", v.Shape)
	}
	if err := code.CheckValue(v, &code.Reg{Type: v.Type, Layout: v.Layout, NNZ: v.CSR.NNZ()}, nil); err != nil {
		return fmt.Errorf("a malformed sparse matrix: %w", err)
	}
	if k := slices.IndexFunc(v.CSR.Val, func(x float64) bool { return x-x != 0 }); k >= 0 {
		return fmt.Errorf("a sparse matrix has finite numbers, found %v", v.CSR.Val[k])
	}
	return nil
}

// Declared is an input that a program declares.
type Declared struct {
	Name    string
	Kind    graphio.Kind
	Columns []tensor.Column // of a relation; of its domains only the names count
}

// Declares returns what a statement declares.
func Declares(in *syntax.Input) Declared {
	d := Declared{in.Name.Name, graphio.Kind(in.Kind.Name), check.InputColumns(in)}
	if len(d.Columns) > 0 {
		d.Kind = graphio.Relation
	}
	return d
}

// Meant is a hint for a name that no input of a program has, whose inputs have names.
func Meant(name string, names []string) string {
	if near, ok := diag.Suggest(name, names); ok {
		return fmt.Sprintf("Did you mean `%s`?", near)
	} else if len(names) > 0 {
		return "Its inputs are " + strings.Join(names, ", ") + "."
	}
	return "The program declares no inputs."
}

// Reader reads the data of inputs.
type Reader struct {
	// Open opens a file. Its result may have a method Name, if that differs from the path; a
	// database needs one, by which it is opened. Without Open, no files are read.
	Open func(ctx context.Context, path string) (io.ReadCloser, error)
	// Tables opens what is not read as a stream, by its format.
	Tables Tables
	// Ledger counts the memory that reading takes.
	Ledger *cost.Ledger
	// Lines keeps the places of the rows of relations, as the Origin of their tables.
	Lines bool
	// Domains are the program's labels in domains other than the nodes.
	Domains map[string][]string
}

// Tables are the readers of formats that not every build has.
type Tables map[graphio.Format]func(ctx context.Context, f *File, opt graphio.Options) (graphio.Table, error)

// File is an open file that a Table is read from.
type File struct {
	io.Reader
	Path  string      // "" where it has none
	Query string      // the file that the query stands in; "" for none
	At    io.ReaderAt // nil where it cannot be read at any place
	Size  int64
}

// fileOf finds out what can be done with an open file.
func fileOf(from io.Reader, path string) (*File, error) {
	f := &File{Reader: from}
	switch file := from.(type) {
	case interface {
		io.ReaderAt
		Size() int64
	}:
		f.At, f.Size = file, file.Size()
	case interface{ Regular() (io.ReaderAt, int64) }:
		f.At, f.Size = file.Regular()
	case interface {
		io.ReaderAt
		Stat() (fs.FileInfo, error)
	}:
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		f.At, f.Size = file, info.Size()
	}
	if f.At != nil {
		f.Path = path
	}
	return f, nil
}

// table reads the data of an input by way of a Table.
func (r *Reader) table(ctx context.Context, from io.Reader, path, name string, format graphio.Format, opt graphio.Options) (*graphio.Raw, error) {
	open := r.Tables[format]
	if open == nil {
		return nil, &graphio.Error{File: name, Msg: fmt.Sprintf("this build cannot read %s", format), Hint: "builds without `-tags lean` can; every build reads CSV"}
	}
	f, err := fileOf(from, path)
	if err != nil {
		return nil, &FileError{name, err}
	}
	const gzip = "\x1f\x8b"
	head := make([]byte, len(gzip))
	all := from
	if f.At != nil {
		all = io.NewSectionReader(f.At, 0, f.Size)
	}
	switch n, err := io.ReadFull(all, head); {
	case n == 0 && errors.Is(err, io.EOF):
		return nil, &graphio.Error{File: name, Msg: "the file is empty"}
	case string(head) == gzip:
		return nil, &graphio.Error{File: name, Msg: fmt.Sprintf("the file is compressed with gzip, and %s is not read through it", format), Hint: "decompress it first"}
	}
	if query, ok := strings.CutPrefix(opt.Query, "@"); ok {
		f.Query = query
		if opt.Query, err = r.query(ctx, query); err != nil {
			return nil, err
		}
	}
	t, err := open(ctx, f, opt)
	if err != nil {
		return nil, tableError(name, err)
	}
	defer func() { _ = t.Close() }() // nothing was written
	return graphio.ReadTable(stoppable{t, ctx}, name, format, opt)
}

// tableError gives an error of a Table its file.
func tableError(name string, err error) error {
	if known, ok := errors.AsType[*graphio.Error](err); ok {
		known.File = cmp.Or(known.File, name)
		return known
	}
	e := &graphio.Error{File: name, Msg: err.Error(), Err: err}
	if _, ok := errors.AsType[*cost.MemoryError](err); ok {
		e.Limit, e.Hint = true, "--max-memory sets the limit"
	}
	return e
}

// maxQuery bounds what is read of a file with a query.
const maxQuery = 1 << 20

// query reads the file of a query, of at most maxQuery bytes.
func (r *Reader) query(ctx context.Context, path string) (string, error) {
	if r.Open == nil {
		return "", &FileError{path, errNoFiles}
	}
	f, err := r.Open(ctx, path)
	if err != nil {
		return "", &FileError{path, err}
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxQuery+1))
	if err == nil && len(text) > maxQuery {
		err = fmt.Errorf("the query has more than %d bytes", maxQuery)
	}
	if err != nil {
		return "", &FileError{path, err}
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

// stoppable is a Table that stops when its context ends.
type stoppable struct {
	graphio.Table
	ctx context.Context
}

func (t stoppable) Next(want []bool) ([]graphio.Value, error) {
	if t.ctx.Err() != nil {
		return nil, context.Cause(t.ctx)
	}
	return t.Table.Next(want)
}

var errNoFiles = errors.New("this program may not open files")

// Read reads the data of one input that is not a *tensor.Value. It stops soon
// after the context ends; the error is its cause then.
func (r *Reader) Read(ctx context.Context, in Input, d Declared) (*graphio.Raw, error) {
	opt, name := in.Options, in.Path
	opt.Kind, opt.Columns, opt.Ledger, opt.Lines = d.Kind, d.Columns, r.Ledger, r.Lines
	var from io.Reader
	path := ""
	switch data := in.Data.(type) {
	case nil:
		if r.Open == nil {
			return nil, &FileError{in.Path, errNoFiles}
		}
		f, err := r.Open(ctx, in.Path)
		if err != nil {
			return nil, &FileError{in.Path, err}
		}
		defer func() { _ = f.Close() }() // nothing was written
		if n, ok := f.(interface{ Name() string }); ok {
			name, path = n.Name(), n.Name()
		}
		from = f
	case io.Reader:
		from, name = data, in.Name
	default:
		var text items
		err := json.MarshalWrite(&text, data, jsonv1.DefaultOptionsV1(), jsontext.AllowInvalidUTF8(false),
			json.FormatNilSliceAsNull(false), json.FormatNilMapAsNull(false), numbers())
		if err != nil {
			return nil, &FileError{in.Name, valueError{err}}
		}
		from, name, opt.Format, opt.Value = bytes.NewReader(text.json), in.Name, graphio.JSON, true
	}
	format, _ := graphio.FormatOf(name)
	format = cmp.Or(opt.Format, format)
	var raw *graphio.Raw
	var err error
	if format.IsTable() {
		raw, err = r.table(ctx, from, path, name, format, opt)
	} else {
		raw, err = graphio.Read(Stopping{from, ctx}, name, opt)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return raw, err
}

// Items is a value in JSON with each item of a list on a line of its own, without blanks.
func Items(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact() // who reads it says what is wrong with it
	var t items
	_, _ = t.Write(v)
	return string(t.json)
}

// items takes JSON without blanks and puts each item of a list on a line of its own: the line of a
// place in a Go value is then the number of its item, from 1.
type items struct {
	json            []byte
	depth           int
	quoted, escaped bool
}

func (t *items) Write(p []byte) (int, error) {
	for _, c := range p {
		t.json = append(t.json, c)
		switch {
		case t.escaped:
			t.escaped = false
		case c == '\\':
			t.escaped = true
		case c == '"':
			t.quoted = !t.quoted
		case t.quoted:
		case c == '[', c == '{':
			t.depth++
		case c == ']', c == '}':
			t.depth--
		case c == ',' && t.depth == 1 && t.json[0] == '[':
			t.json = append(t.json, '\n')
		}
	}
	return len(p), nil
}

// numbers writes large floats with an exponent, since only whole numbers have to be exact, and a
// Number of encoding/json, which would be a string, as what it is.
var numbers = sync.OnceValue(func() json.Options {
	return json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(real[float64]), json.MarshalToFunc(real[float32]),
		json.MarshalToFunc(func(to *jsontext.Encoder, n stdjson.Number) error { return to.WriteValue(jsontext.Value(n)) })))
})

// real writes a large number with a point or an exponent, so that no reader takes it for a whole
// one.
func real[T float32 | float64](to *jsontext.Encoder, x T) error {
	if v := float64(x); math.Abs(v) >= tensor.MaxInt && !math.IsInf(v, 0) {
		return to.WriteValue(tensor.AppendNumber(nil, v))
	}
	return errors.ErrUnsupported
}

// Stopping is a reader that ends with its context, which it checks before each read.
type Stopping struct {
	io.Reader
	Context context.Context
}

func (r Stopping) Read(p []byte) (int, error) {
	if r.Context.Err() != nil {
		return 0, context.Cause(r.Context)
	}
	return r.Reader.Read(p)
}

// Data holds the values of the inputs of a program over one set of nodes, normalised for the
// compiler.
type Data struct {
	Values   map[string]*tensor.Value
	Labels   []string // of the nodes; nil when they are numbers
	Warnings []graphio.Warning
}

// Bind makes the values of inputs that were read. known are the labels of the program itself, and
// domains those in its other domains. The nodes are those of the program, then those of relations, then
// those of other inputs.
func Bind(decls []graphio.Decl, known []string, domains map[string][]string) (*Data, error) {
	return within(context.Background(), decls, known, domains)
}

// within is Bind that stops when the context ends.
func within(ctx context.Context, decls []graphio.Decl, known []string, domains map[string][]string) (*Data, error) {
	var relations, others []graphio.Decl
	for _, d := range decls {
		if d.Raw.Kind == graphio.Relation {
			relations = append(relations, d)
		} else {
			others = append(others, d)
		}
	}
	labels := map[string][]string{nodes: slices.Clone(known)}
	for name, list := range domains {
		labels[name] = slices.Clone(list)
	}
	// Sorting millions of rows takes seconds and does not look at the context.
	var tables []*tensor.Table
	raws := lists.Map(relations, func(d graphio.Decl) *graphio.Raw { return d.Raw })
	err, ok := steps.Within(ctx, func() (err error) {
		tables, err = graphio.Tables(raws, labels)
		return err
	})
	if !ok {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, err
	}
	data := &Data{Values: map[string]*tensor.Value{}, Labels: labels[nodes]}
	if len(others) > 0 || len(relations) == 0 {
		values, all, found, err := graphio.Bind(others, data.Labels, raws...)
		if err != nil {
			return nil, err
		}
		for i := range values {
			data.Values[others[i].Name] = &values[i]
		}
		lang.Normalise(data.Values)
		over := &tensor.Domain{Name: nodes, Size: len(all), Labels: all}
		if len(all) == 0 { // relations have no row, and nodes are the numbers of what is over nodes, or else of other data
			over.Labels = nil
			for i, v := range values {
				if v.Shape.Rank() > 0 {
					over.Size = max(over.Size, v.Shape.Dim(0))
				}
				if others[i].Raw.OverNodes() {
					over.Size = v.Shape.Dim(0)
					break
				}
			}
		}
		if len(all) == 0 || len(all) > len(data.Labels) {
			for _, t := range tables {
				t.Over(map[string]*tensor.Domain{nodes: over})
			}
		}
		data.Labels, data.Warnings = all, found
	}
	var read []graphio.Warning
	for i, d := range relations {
		data.Values[d.Name] = &tensor.Value{Layout: tensor.Rows, Table: tables[i]}
		read = append(read, d.Raw.Warnings...)
	}
	data.Warnings = slices.Concat(read, data.Warnings, alike(data.Labels))
	return data, nil
}

// alike notes labels that are told from others by blanks, invisible characters or the encoding of
// accents alone, as tables from spreadsheets, web pages and file systems have them: they are nodes
// of their own.
func alike(labels []string) []graphio.Warning {
	const most = 1000
	odd := map[string]string{} // by what can be seen
	for _, s := range labels {
		if look := seen(s); look != s && len(odd) < most {
			odd[look] = s
		}
	}
	if len(odd) == 0 {
		return nil
	}
	first, pairs := "", 0
	for _, s := range labels {
		if other, ok := odd[seen(s)]; ok && other != s {
			if pairs++; pairs == 1 {
				first = fmt.Sprintf("%+q and %+q", s, other)
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	if pairs > 1 {
		first += fmt.Sprintf(", and %s more", words.Plural(pairs-1, "pair"))
	}
	return []graphio.Warning{{Code: "alike", Note: true, Msg: "labels that differ only in blanks, invisible characters or how accents are encoded are two nodes: " + first}}
}

// seen is a label without the characters that cannot be seen, with ordinary blanks, inside only, and
// with each accent in one character with its letter.
func seen(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, norm.NFC.String(s)))
}

// All reads the data of all inputs that a program declares, and makes their values. Each must be among
// the given inputs. Labels that the program has itself are known. Findings turns the error into
// diagnostics, unless the context ended: then it is its cause.
func (r *Reader) All(ctx context.Context, declared []Declared, given []Input, known []string) (*Data, error) {
	var decls []graphio.Decl
	ready := map[string]*tensor.Value{}
	for _, in := range given {
		if v, ok := in.Data.(*tensor.Value); ok {
			if err := malformed(v); err != nil {
				return nil, &graphio.Error{File: in.Name, Msg: err.Error()}
			}
		}
	}
	known, nodes, err := over(declared, given, known)
	if err != nil {
		return nil, err
	}
	for _, d := range declared {
		in := given[slices.IndexFunc(given, func(in Input) bool { return in.Name == d.Name })]
		if v, ok := in.Data.(*tensor.Value); ok && v.Layout != tensor.Rows {
			ready[d.Name] = v
			continue
		} else if ok && d.Kind != graphio.Relation {
			return nil, &graphio.Error{File: in.Name, Msg: fmt.Sprintf("expected a %s, found a relation", d.Kind)}
		} else if ok {
			in.Data = rows(v.Table)
		}
		raw, err := r.Read(ctx, in, d)
		if err != nil {
			return nil, err
		}
		decls = append(decls, graphio.Decl{Name: d.Name, Raw: raw})
	}
	data, err := within(ctx, decls, known, r.Domains)
	if err != nil {
		return nil, err
	}
	for _, d := range decls {
		d.Raw.Free()
		if nodes != nil && len(data.Labels) > len(nodes) {
			return nil, &graphio.Error{File: d.Name, Msg: fmt.Sprintf("the node %q is not one of the %s of the arrays", data.Labels[len(nodes)], words.Plural(len(nodes), "node")),
				Hint: "all inputs of a program share one set of nodes"}
		}
	}
	for _, d := range declared {
		if ready[d.Name] != nil && d.Kind == graphio.Graph && nodes == nil && len(data.Labels) > 0 {
			return nil, &graphio.Error{File: d.Name, Msg: fmt.Sprintf("the nodes are numbers here, but the program uses the label %q", data.Labels[0]),
				Hint: "`nodes` are the labels of arrays, in order; all inputs of a program share one set of nodes"}
		}
	}
	lang.Normalise(ready)
	maps.Copy(data.Values, ready)
	return data, nil
}

// rows are those of a table as data: its names may stand for other nodes than those of the program.
func rows(t *tensor.Table) [][]any {
	list := make([][]any, 0, t.Len)
	for row := range t.All() {
		cells := make([]any, len(row))
		for c, x := range row {
			if cells[c] = x; t.Columns[c].Kind.Named() {
				cells[c] = t.Text(c, x)
			}
		}
		list = append(list, cells)
	}
	return list
}

const nodes = graphio.Nodes

// over returns the labels that are known before data is read: those of inputs that are values, which
// must all have the same, including those of the program; without such inputs, those of the
// program.
func over(declared []Declared, given []Input, program []string) (known, nodes []string, err error) {
	for _, d := range declared {
		in := given[slices.IndexFunc(given, func(in Input) bool { return in.Name == d.Name })]
		switch v, ready := in.Data.(*tensor.Value); {
		case !ready || in.Nodes == nil:
		case d.Kind == graphio.Graph && v.Shape.Rank() == 2 && v.Shape.Dim(0) != len(in.Nodes):
			return nil, nil, &graphio.Error{File: in.Name, Msg: fmt.Sprintf("the graph has %s, but there are labels for %d", words.Plural(v.Shape.Dim(0), "node"), len(in.Nodes))}
		case nodes == nil:
			nodes = in.Nodes
		case !slices.Equal(nodes, in.Nodes):
			return nil, nil, &graphio.Error{File: in.Name, Msg: "its nodes differ from those of the input before it", Hint: "all inputs of a program share one set of nodes"}
		}
	}
	if nodes == nil {
		return program, nil, nil
	}
	at := make(map[string]int, len(nodes))
	for i, label := range nodes {
		if first, twice := at[label]; twice {
			return nil, nil, &graphio.Error{Msg: fmt.Sprintf("the nodes %d and %d have one label, %q", first, i, label)}
		}
		at[label] = i
	}
	for _, label := range program {
		if _, ok := at[label]; !ok {
			return nil, nil, &graphio.Error{Msg: fmt.Sprintf("the program has an edge at %q, which is not one of the %s of its inputs", label, words.Plural(len(nodes), "node")),
				Hint: "all graphs of a program share one set of nodes"}
		}
	}
	return nodes, nodes, nil
}

// FileError is the error of data that cannot be read at all.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return e.Name + ": " + Cause(e.Err).Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// valueError is why a Go value is no data.
type valueError struct{ error }

func (e valueError) Unwrap() error { return e.error }

// Cause removes the path and the operation from an error of the file system, as the message around it
// has them.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// ListError is an error about data or its options, as diagnostics.
type ListError struct{ List diag.List }

func (e *ListError) Error() string {
	d := e.List.First()
	return d.At.String() + ": " + d.Message
}

// Findings returns an error of this package as diagnostics, each with its place in the data. Their
// class says whether the data is too large or wrong.
func Findings(err error) diag.List {
	var many *graphio.ErrorList
	var one *graphio.Error
	var file *FileError
	var told *ListError
	switch {
	case errors.As(err, &told):
		return told.List
	case errors.As(err, &many):
		list := diag.List(lists.Map(many.List, finding))
		if many.More > 0 {
			list = append(list, diag.Finding(list.First().Code, diag.Error, many.List[0].File, 0, 0, "and "+words.Plural(many.More, "more error"), ""))
		}
		return list
	case errors.As(err, &file):
		if value, ok := errors.AsType[valueError](file.Err); ok {
			return diag.List{diag.Finding(codes.E0702, diag.Error, file.Name, 0, 0, "the value cannot be written as JSON: "+strings.TrimPrefix(value.Error(), "json: "),
				"JSON has texts in UTF-8 and finite numbers; a *tensor.Value may hold others.")}
		}
		return diag.List{diag.Finding(codes.E0702, diag.Error, file.Name, 0, 0, fmt.Sprintf("the file cannot be read: %v", Cause(file.Err)), misspelt(file.Name))}
	case errors.As(err, &one):
		return diag.List{finding(one)}
	}
	return diag.List{diag.Finding(codes.E0701, diag.Error, "", 0, 0, err.Error(), "")}
}

// misspelt says why a file may be missing under a name.
func misspelt(name string) string {
	file, option := name, ""
	if i := strings.IndexAny(name, ":&"); i >= 0 {
		file, option = name[:i], name[i+1:]
	}
	before, _, question := strings.Cut(name, "?")
	switch {
	case strings.Contains(name, "://"):
		return "Nothing is fetched: download the file first."
	case strings.Contains(name, "*"):
		return "An input is one file, not a pattern: join the files first."
	case strings.HasPrefix(name, "~"):
		return "In quotes the shell leaves ~ as it is: write \"$HOME\" or the whole path."
	case question:
		return fmt.Sprintf("Each option has a value: `%s?header=yes&weight=none`.", before)
	case strings.Contains(option, "="):
		return fmt.Sprintf("Options follow a question mark: `%s?%s`.", file, option)
	}
	return ""
}

// finding returns a mistake in a data file as a diagnostic.
func finding(e *graphio.Error) diag.Diagnostic {
	code := codes.E0701
	if e.Limit {
		code = codes.E0708
	} else if e.Header {
		code = codes.E0710
	}
	return diag.Finding(code, diag.Error, e.File, e.Line, e.Column, e.Msg, e.Hint)
}

// Warnings turns warnings about data into diagnostics.
func Warnings(list []graphio.Warning) diag.List {
	out := make(diag.List, len(list))
	for i, w := range list {
		code, severity := codes.W0706, diag.Warning
		if w.Note {
			code, severity = codes.N0709, diag.Note
		}
		out[i] = diag.Finding(code, severity, w.File, w.Line, 0, w.Msg, "")
	}
	return out
}
