package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ein"
	"ein/bench/judge/verdict"
	"ein/bind"
	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/lang/syntax"
	"ein/repl"
	"ein/vm/graphio"
	"ein/vm/ir"
)

// Program is the text of a program and its data.
type Program struct {
	// Source has another name than the type, for which [reflect.VisibleFields] would take it in what embeds it.
	Source  string `json:"program"`
	Name    string `json:"name,omitzero"`    // for diagnostics; "program" by default
	Profile string `json:"profile,omitzero"` // full or core
	// Inputs are the data by the names of the inputs: JSON in the forms of a file, or
	// {"array": ...}, or {"text": ..., "options": ...} with the text of a file.
	Inputs map[string]jsontext.Value `json:"inputs,omitzero"`
	Nodes  []string                  `json:"nodes,omitzero"` // labels of the nodes that arrays are over
	Limits Limits                    `json:"limits,omitzero"`
}

// Limits bound a run. They can only lower those of the server.
type Limits struct {
	Ops      uint64 `json:"ops,omitzero"`
	Bytes    uint64 `json:"bytes,omitzero"`
	Elements uint64 `json:"output_elements,omitzero"`
	Strict   bool   `json:"strict,omitzero"` // refuse what would be metered
	Millis   uint64 `json:"timeout_ms,omitzero"`
}

// under returns the lower of two limits, where 0 means none.
func under(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func (s *Server) limits(l Limits) ein.Limits {
	o := s.opt.Limits
	return ein.Limits{MaxOps: under(l.Ops, o.MaxOps), MaxBytes: under(l.Bytes, o.MaxBytes), MaxOutputElements: under(l.Elements, o.MaxOutputElements), Strict: l.Strict || o.Strict}
}

// within returns a context that ends when the time of a request is over. Whoever knows how many operations
// are to come calls begin: if they are many, the request is set aside for the rest, and its time begins
// when that does.
func (s *Server) within(ctx context.Context, l Limits) (timed context.Context, begin func(ops uint64), stop func()) {
	timed, end := context.WithCancelCause(ctx)
	limit := cmp.Or(s.time(l), math.MaxInt64)
	clock := time.AfterFunc(limit, func() { end(context.DeadlineExceeded) })
	var back func()
	begin = func(ops uint64) {
		if back == nil && ops > quick && clock.Stop() {
			back = aside(timed, ops)
			clock.Reset(limit)
		}
	}
	return timed, begin, func() {
		clock.Stop()
		end(nil)
		if back != nil {
			back()
		}
	}
}

// time returns how long a run may take, 0 for no limit.
func (s *Server) time(l Limits) time.Duration {
	return time.Duration(under(min(l.Millis, uint64(time.Hour/time.Millisecond))*uint64(time.Millisecond), uint64(s.opt.Timeout)))
}

// profile returns the profile of a name; none is full.
func profile(name string) (ein.Profile, error) {
	for _, p := range []ein.Profile{ein.Full, ein.Core, ein.Logic} {
		if name == p.String() {
			return p, nil
		}
	}
	if name != "" {
		return 0, bad("there is no profile %q; there are full, core and logic", name)
	}
	return ein.Full, nil
}

// errNodes: labels would be left out without a word.
var errNodes = bad("/nodes: these are the labels of arrays, and no input is an array")

// program compiles a program and binds its data.
func (s *Server) program(ctx context.Context, c *Call, q *Program) (*ein.Program, error) {
	prof, err := profile(q.Profile)
	if err != nil {
		return nil, err
	}
	p, err := s.compile(ctx, key{cmp.Or(q.Name, "program"), q.Source, prof, s.limits(q.Limits)})
	if err != nil {
		return nil, err
	}
	return s.bind(ctx, c, p, q)
}

// bind gives a program the data of a request.
func (s *Server) bind(ctx context.Context, c *Call, p *ein.Program, q *Program) (*ein.Program, error) {
	inputs, err := s.data(p, q)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(q.Inputs)) {
		in, err := s.input(c, p, q, name)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	if q.Nodes != nil && !slices.ContainsFunc(inputs, func(in ein.Input) bool { return in.Nodes != nil }) {
		return nil, errNodes
	}
	bound, err := p.Bind(ctx, inputs...)
	if wrong, ok := errors.AsType[*ein.Error](err); ok {
		for i := range wrong.Diags {
			if d := &wrong.Diags[i]; d.At != nil && q.Inputs[d.At.File].Kind() == '"' {
				d.Notes = append(d.Notes, `the text of a file is written {"text": "..."}`)
			}
		}
	}
	return bound, err
}

// data returns the server's own data for the inputs that a request leaves out.
func (s *Server) data(p *ein.Program, q *Program) (inputs []ein.Input, err error) {
	for _, d := range p.Inputs() {
		spec, ok := s.opt.Data[d.Name]
		if _, brought := q.Inputs[d.Name]; !ok || brought {
			continue
		}
		in, err := bind.Parse(d.Name + "=" + spec)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// File is the text of a file of data.
type File struct {
	Text    string `json:"text"`
	Options string `json:"options,omitzero"` // as behind the question mark of --input
}

// input returns the data of one input. An object with the only member "array" or "text" is no form
// of a JSON file.
func (s *Server) input(c *Call, p *ein.Program, q *Program, name string) (ein.Input, error) {
	data := q.Inputs[name]
	in := ein.Input{Name: name, Options: graphio.Options{Format: graphio.JSON}, Data: bytes.NewReader(data)}
	switch form := firstMember(data); form {
	case "array":
		var a struct {
			Array Array `json:"array"`
		}
		if err := decode(data, &a, c.Route); err != nil {
			return in, bad("the input %s: %v", name, err)
		}
		in.Nodes = q.Nodes
		declared := slices.IndexFunc(p.Inputs(), func(d bind.Declared) bool { return d.Name == name })
		if declared < 0 {
			return in, nil // Bind says that there is no such input
		}
		v, err := c.tensor(&a.Array, p.Inputs()[declared], s.limits(q.Limits).MaxBytes)
		in.Data = v
		return in, err
	case "text", "options":
		f, opt, err := c.file(data, name)
		in.Options, in.Data = opt, strings.NewReader(f.Text)
		return in, err
	}
	return in, nil
}

// file reads the text of a file of data. A question mark in its options, which are all behind one, is escaped.
func (c *Call) file(data jsontext.Value, name string) (f File, opt graphio.Options, err error) {
	if err := decode(data, &f, c.Route); err != nil {
		return f, opt, bad("the input %s: %v", name, err)
	}
	f.Options = strings.ReplaceAll(f.Options, "?", "%3F")
	if f.Options == "" {
		return f, opt, nil
	}
	path, opt, err := graphio.ParseSpec("data?" + f.Options)
	if err == nil && path != "data" {
		err = fmt.Errorf("expected option=value, found %q", f.Options)
	}
	if err == nil && (opt.Query != "" || opt.Format.IsTable()) {
		err = errors.New("a text has no query, and is no file of Parquet or SQLite")
	}
	if err != nil {
		err = bad("the options of the input %s: %v", name, err)
	}
	return f, opt, err
}

// firstMember returns the name of the first member of an object, "" of anything else and of a
// vector by node, where it has a number.
func firstMember(v jsontext.Value) string {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' {
		return ""
	}
	name := t.String()
	switch d.PeekKind() {
	case '0', 't', 'f':
		return ""
	}
	return name
}

// RunRequest is a program to run, and the form of its outputs.
type RunRequest struct {
	Program
	// Form is json, that of ein run --json; json2, that of --json=2; text, for people; or
	// arrays.
	Form   string `json:"form,omitzero"`
	Labels bool   `json:"labels,omitzero"` // show sets of nodes, paths and nodes as such, by label
	// Pictures, in the form arrays, draws what has at most a million elements.
	Pictures bool `json:"pictures,omitzero"`
}

// mostDrawn is how many elements an output may have to be drawn.
const mostDrawn = 1_000_000

// RunResult is the outcome of a run in the form text or arrays.
type RunResult struct {
	Version  int                   `json:"version"`
	Text     string                `json:"text,omitzero"`
	Outputs  []Output              `json:"outputs,omitzero"`
	Labels   []string              `json:"labels,omitzero"`
	Stats    ein.JSONStats         `json:"stats"`
	Bound    *Bound                `json:"bound,omitzero"` // in the forms text and arrays
	Warnings []diag.JSONDiagnostic `json:"warnings"`

	warned string // the same in the form text, for routes whose answer is a text
}

// Bound is the certificate of a run: what it can take at most.
type Bound struct {
	Ops   uint64 `json:"ops"`
	Bytes uint64 `json:"peak_bytes"`
}

// Output is an output: a value, or an array whose numbers are in frames.
type Output struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // bool, int or real
	Shape []int  `json:"shape,omitzero"`
	Value any    `json:"value,omitzero"`
	Form  string `json:"form,omitzero"`  // of arrays: set, path or node, where the numbers are nodes
	Array *Array `json:"array,omitzero"` // of what has axes

	// Of the form json2, in place of a value.
	Nodes   []int       `json:"nodes,omitzero"`
	Path    []int       `json:"path,omitzero"`
	Node    *int        `json:"node,omitzero"`
	Entries [][]float64 `json:"entries,omitzero"`

	// Of a relation.
	Columns []string         `json:"columns,omitzero"`
	Types   []string         `json:"types,omitzero"`
	Rows    []jsontext.Value `json:"rows,omitzero"`

	Picture string `json:"picture,omitzero"` // SVG
}

// forms are the forms of outputs whose numbers are nodes.
var forms = map[ir.Form]string{ir.NodeSet: "set", ir.NodePath: "path", ir.NodeIndex: "node"}

// inLane runs a handler on a worker of the lane for Ein.
func inLane[Q, R any](work func(context.Context, *Server, *Call, *Q) (R, error)) func(context.Context, *Server, *Call, *Q) (R, error) {
	return func(ctx context.Context, s *Server, c *Call, q *Q) (out R, err error) {
		err = s.ein.each(ctx, 1, c.Route.Hold, s.metrics.waited(s.ein), func(ctx context.Context, _ *verdict.Judge, _ int) (err error) {
			out, err = work(ctx, s, c, q)
			return err
		})
		return out, err
	}
}

// run runs a program, which has its time from when it begins.
func run(ctx context.Context, s *Server, c *Call, q *RunRequest) (out any, err error) {
	switch q.Form {
	case "", "json", "json2", "text", "arrays":
	default:
		return nil, bad("there is no form %q; there are json, json2, text and arrays", q.Form)
	}
	ctx, begin, stop := s.within(ctx, q.Limits)
	defer stop()
	p, err := s.program(ctx, c, &q.Program)
	if err != nil {
		return nil, err
	}
	begin(p.Certificate().Ops)
	return outputs(ctx, c, q, p)
}

// outputs answers in the requested form. In the form arrays, each output is sent as it is stored, so
// that a client gets a sparse matrix without its zeros.
func outputs(ctx context.Context, c *Call, q *RunRequest, p *ein.Program) (any, error) {
	r, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	opt := show.Options{Nodes: q.Labels, Labels: r.Labels, Version: 1, Hint: "print a part, or ask for the form json"}
	if q.Form == "" || q.Form == "json" || q.Form == "json2" {
		if q.Form == "json2" {
			opt.Version = 2
		}
		var b bytes.Buffer
		err := p.WriteJSON(ctx, &b, r, opt)
		return b.Bytes(), err
	}
	out := &RunResult{Version: 1, Stats: r.JSONStats(), Bound: &Bound{p.Certificate().Ops, p.Certificate().PeakBytes}, Warnings: diag.ToJSON(p.Warnings(r), p.Source())}
	if q.Form == "text" {
		var b strings.Builder
		err := r.Text(ctx, &b, opt)
		out.Text, out.warned = b.String(), rendered(p.Warnings(r), p.Source())
		return out, err
	}
	if out.Outputs = []Output{}; q.Labels {
		out.Labels = r.Labels
	}
	for i := range r.Outputs {
		o := &r.Outputs[i].Output
		sent, err := c.output(o, opt)
		if err != nil {
			return nil, err
		}
		if _, ok := show.SVG.Holds(o.Value.Shape, o.Value.Layout); ok && q.Pictures && o.Value.Shape.Elems() <= mostDrawn {
			var b strings.Builder
			if _, err := repl.Write(ctx, &b, o, show.SVG, opt); err != nil {
				return nil, err
			}
			sent.Picture = b.String()
		}
		out.Outputs = append(out.Outputs, sent)
	}
	return out, nil
}

// CheckResult is every diagnostic of a program.
type CheckResult struct {
	Version     int                   `json:"version"`
	Diagnostics []diag.JSONDiagnostic `json:"diagnostics"`
	Text        string                `json:"text"` // the same for people
}

// check answers with the diagnostics of a program, those that it has with its data if there is some. A
// program with errors is no failure of the request.
func check(ctx context.Context, s *Server, c *Call, q *Program) (*CheckResult, error) {
	prof, err := profile(q.Profile)
	if err != nil {
		return nil, err
	}
	opt := lang.Options{Profile: prof, Context: ctx, Syntax: syntax.Limits{Memory: s.limits(q.Limits).MaxBytes}}
	p := lang.Check(lang.Parse(cmp.Or(q.Name, "program"), q.Source, opt), opt)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	list, missing := p.Diags, len(p.Inputs) == 0
	for _, in := range p.Inputs {
		missing = missing || s.opt.Data[in.Name] == ""
	}
	if !list.HasErrors() && (len(q.Inputs) > 0 || !missing) {
		bound, err := s.program(ctx, c, q)
		if err == nil {
			list = bound.Diagnostics()
		} else if wrong, ok := errors.AsType[*ein.Error](err); ok {
			told := func(d diag.Diagnostic) bool {
				return slices.ContainsFunc(wrong.Diags, func(w diag.Diagnostic) bool { return w.Code == d.Code && w.Span == d.Span })
			}
			list = append(wrong.Diags, slices.DeleteFunc(list, told)...)
		} else {
			return nil, err
		}
	}
	return &CheckResult{1, diag.ToJSON(list, p.File.Source), rendered(list, p.File.Source)}, nil
}

// costs answers with the certificate. The limit on operations does not apply: a program over it
// is what one asks about.
func costs(ctx context.Context, s *Server, c *Call, q *Program) (*ein.JSONCost, error) {
	limit := s.limits(q.Limits).MaxOps
	unlimited := *q
	unlimited.Limits = Limits{Bytes: q.Limits.Bytes}
	p, err := s.program(ctx, c, &unlimited)
	if err != nil {
		return nil, err
	}
	return p.JSONCost(limit), nil
}

// ExplainRequest is a program, or the code of a diagnostic.
type ExplainRequest struct {
	Program
	Code string `json:"code,omitzero"`
}

func (q ExplainRequest) spares(name string) bool { return name == "program" && q.Code != "" }

// Text is an answer for people.
type Text struct {
	Version int    `json:"version"`
	Text    string `json:"text"`
}

// explain answers with the plan of a program or the page of a diagnostic.
func explain(ctx context.Context, s *Server, c *Call, q *ExplainRequest) (*Text, error) {
	if q.Code != "" {
		return doc(ctx, s, &Call{ID: q.Code}, nil)
	}
	p, err := s.program(ctx, c, &q.Program)
	if err != nil {
		return nil, err
	}
	return &Text{1, p.Plan().Plan()}, nil
}

// doc returns the page of a name; that of all is the list of functions.
func doc(_ context.Context, _ *Server, c *Call, _ *nothing) (*Text, error) {
	if c.ID == "all" {
		return &Text{1, describe.Contents(describe.Functions())}, nil
	}
	page, err := repl.Page(c.ID)
	if err != nil {
		return nil, bad("%v", err)
	}
	return &Text{1, page}, nil
}

// FormatRequest is a program in any form.
type FormatRequest struct {
	Program string `json:"program"`
	Name    string `json:"name,omitzero"`
}

// format answers with the formatted text, or with the diagnostics of one that does not parse.
func format(ctx context.Context, _ *Server, _ *Call, q *FormatRequest) (*Text, error) {
	f := lang.Parse(cmp.Or(q.Name, "program"), q.Program, lang.Options{Context: ctx})
	text, ok := syntax.Format(f)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !ok:
		return nil, &ein.Error{File: f.Source, Diags: f.Diags}
	}
	return &Text{1, text}, nil
}

// key is everything that a compiled program depends on.
type key struct {
	name, text string
	profile    ein.Profile
	limits     ein.Limits
}

// compile compiles a program, or finds it: training and sessions ask for the same ones again.
func (s *Server) compile(ctx context.Context, k key) (*ein.Program, error) {
	if p, ok := s.programs.get(k); ok {
		return p, nil
	}
	p, err := ein.CompileContext(ctx, k.name, k.text, ein.Options{Profile: k.profile, Limits: k.limits, Open: s.opt.Open, Tables: s.opt.Tables})
	if err == nil {
		s.programs.put(k, p)
	}
	return p, err
}
