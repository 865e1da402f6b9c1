// Package ein compiles and runs Ein programs inside a Go program:
//
//	p, err := ein.Compile("hello.ein", `:print tc(edges([[0,1],[1,2]]))`, ein.Options{})
//	if err != nil {
//		return err
//	}
//	r, err := p.Run(ctx)
//
// # From text to result
//
// [Compile] checks the text and gives a [Program], which never changes, so goroutines may share
// it. [Program.Bind] gives its inputs their data, each made by [Data] from a file, a reader or a Go
// value; sizes and labels are then known, and the program is checked again and compiled. From here
// on [Program.Certificate] bounds the operations and the memory of a run. [Program.Run] binds and
// runs in one call. To run a program many times, [Program.Machine] allocates its memory once;
// a [Machine] serves one run at a time, and a result is valid until its next run.
//
// A [Result] has the outputs in order, with the labels of their nodes; [Result.Text] and
// [Program.WriteJSON] write it as the command does. [Program.MarshalBinary] gives bytecode, which
// [Load] verifies and turns into a program again.
//
// # Limits and errors
//
// Every program ends. One that exceeds its [Limits] is refused before it runs, except
// that operations which usually take far less than their bound are metered: they stop
// when they reach the limit, unless the limits are strict. The end of a context stops any work
// within milliseconds, except for a call of the host that does not return, such as a Read; the
// error wraps the cause of the context.
//
// Errors are of type [*Error] and carry diagnostics with codes, places and fixes; their class says
// whether the program, its data or a limit is at fault. A bug in this package is a panic.
//
// The package opens no file and no connection. Only the function in [Options] opens
// files, if the host gives one: text from an untrusted source can be run as it is, under limits.
package ein

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"ein/bind"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/steps"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// Profile says what a program may contain.
type Profile = check.Profile

// Full is the whole language; Core leaves out def, input and labels. Logic is core
// with facts, rules, queries, inputs and labels.
const (
	Full  = check.Full
	Core  = check.Core
	Logic = check.Logic
)

// Limits are compared with the certificate before a run; the limit on memory also covers reading.
// Zero means no limit of that kind. Strict limits refuse what would be metered.
type Limits = cost.Limits

// Certificate bounds what a run uses.
type Certificate = cost.Certificate

// Options say how to compile and run a program. The zero value has no limits and
// opens no files.
type Options struct {
	Profile Profile
	Limits  Limits
	Workers int  // goroutines that one operation may use; 0 means one for each processor
	NoOpt   bool // run every operation as written, with the reference kernels
	Fix     bool // fix errors that have only one fix; notes say what was fixed

	// Proofs is how many rows of each query are proved, from the first on. A :why is always
	// proved. Bytecode has no proofs.
	Proofs int

	// Open opens the files that inputs name. If what it returns has a method Name, as an *os.File
	// has, then that, not the path, tells the format and stands in diagnostics. A database is
	// opened by it.
	Open func(ctx context.Context, path string) (io.ReadCloser, error)
	// Tables are readers of more formats than package graphio has.
	Tables bind.Tables
	// Grown, if not nil, is called with the bytes that reading has taken, whenever they reach a
	// new maximum.
	Grown func(bytes uint64)
}

func (o *Options) lang(ctx context.Context) lang.Options {
	return lang.Options{Profile: o.Profile, NoOpt: o.NoOpt, Workers: o.Workers, Context: ctx, Syntax: syntax.Limits{Memory: o.Limits.MaxBytes}}
}

// Input is the data of an input; see Data.
type Input = bind.Input

// Data returns the data of the input called name. A string is a file with its
// options, as in "graph.csv?weight=amount", which Options.Open opens; an
// [io.Reader] is the content of one, and can be bound once; a *[tensor.Value] is used as it is, and
// must not change. The labels of its nodes, if they have any, go into the Nodes of the result. Any
// other value is read as its JSON: numbers and slices of numbers, [][2]int and
// [][2]string as the edges of a graph, a map from node to number as a vector, slices or structs as
// the rows of a relation; a nil slice or map is an empty one. Mistakes in it are found
// when it is bound; their line, as that of a row in a proof, is the number of the item, from 1.
func Data(name string, data any) Input {
	in, err := bind.New(name, data)
	if err != nil {
		in.Data = err
	}
	return in
}

// Program is a program that checks. It is immutable: goroutines may share it.
type Program struct {
	name    string
	opt     Options
	file    *syntax.File   // nil for bytecode
	checked *check.Program // nil for bytecode
	code    *code.Program  // nil while an input has no data
	module  *cost.Module   // likewise
	values  map[string]*tensor.Value
	inputs  []tensor.Value // the values in the order of the declarations
	diags   diag.List
	mended  diag.List // notes, which diags has too

	// What Bind needs to know of the text, where it declares inputs.
	known   []string            // the labels of nodes in it
	domains map[string][]string // those of other domains
}

// Compile checks and compiles a program. The name is for diagnostics. A program with errors is
// returned with them, for its Source; it has no inputs and does not run.
func Compile(name, text string, opt Options) (*Program, error) {
	return CompileContext(context.Background(), name, text, opt)
}

// CompileContext is Compile that stops soon after the context ends.
func CompileContext(ctx context.Context, name, text string, opt Options) (*Program, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	lo := opt.lang(ctx)
	p := &Program{name: name, opt: opt, file: lang.Parse(name, text, lo)}
	if opt.Grown != nil {
		opt.Grown(p.file.Footprint)
	}
	// Without data, sizes and labels are unknown, so this finds only which inputs there are
	// and what is wrong whatever they hold.
	return p, p.check(ctx, lo)
}

// Load makes a program of bytecode from MarshalBinary.
func Load(name string, bytecode []byte, opt Options) (*Program, error) {
	c, err := code.Unmarshal(bytecode)
	if err != nil {
		d := diag.Finding(codes.E0704, diag.Error, name, 0, 0, err.Error(), "Build it again from its source with `ein build`.")
		if errors.Is(err, code.ErrLimit) {
			d.Code = codes.E0708
		}
		return nil, &Error{Diags: diag.List{d}, Err: err}
	}
	p := &Program{name: name, opt: opt, code: c}
	if len(c.Inputs) == 0 {
		p.plan(opt.lang(context.Background()), uint64(len(bytecode)))
	}
	return p, nil
}

// IsBytecode reports whether a file is for Load rather than Compile.
func IsBytecode(text string) bool { return strings.HasPrefix(text, code.Magic) }

// check checks the program with the inputs in opt, and plans it if none is missing.
func (p *Program) check(ctx context.Context, opt lang.Options) error {
	c := lang.Check(p.file, opt)
	if first := c; p.opt.Fix && first.Diags.HasErrors() {
		if c = p.mend(c, opt); c == nil {
			c = first
		}
	}
	if ctx.Err() != nil {
		return p.stopped(ctx, "while the program was being checked")
	}
	if c.Diags.HasErrors() {
		return &Error{File: p.file.Source, Diags: c.Diags}
	}
	if len(c.Inputs) > 0 && (p.checked == nil || c.File != p.checked.File) {
		p.known, p.domains = check.ProgramLabels(p.file), check.ProgramDomains(p.file)
	}
	p.checked, p.diags = c, append(slices.Clip(p.mended), c.Diags...)
	if c.Bound {
		if p.opt.Grown != nil {
			p.opt.Grown(p.compiling())
		}
		if p.code = compiled(ctx, c, opt); p.code == nil {
			return p.stopped(ctx, "while the program was being compiled")
		}
		p.plan(opt, 0)
	}
	return nil
}

// mend applies the fixes of errors that have only one, and checks again, until there are none. If
// errors remain, it returns nil and the program is unchanged.
func (p *Program) mend(c *check.Program, opt lang.Options) *check.Program {
	const rounds = 8 // a fix may bring out what an error hid
	file, notes := p.file, p.mended
	for range rounds {
		certain := slices.DeleteFunc(slices.Clone(c.Diags), func(d diag.Diagnostic) bool { return d.Severity != diag.Error }).Certain()
		if len(certain) == 0 {
			break
		}
		edits := certain.Edits()
		notes = slices.Clone(notes)
		for i := range notes {
			notes[i].Span = diag.Moved(notes[i].Span, edits)
		}
		for _, d := range certain {
			notes = append(notes, *diag.New(codes.N0116, diag.Moved(d.Span, edits), "mended: %s", d.Message).Noted("What was done: " + d.Fixes[0].Title + "."))
		}
		file = lang.Parse(p.name, diag.Apply(file.Source.Text, edits), opt)
		if c = lang.Check(file, opt); !c.Diags.HasErrors() {
			p.file, p.mended = file, notes
			return c
		}
	}
	return nil
}

// fewNodes is how many nodes are planned without watching the context: it takes no time.
const fewNodes = 1 << 12

// compiled is lang.Code, or nil if the context ends first. Planning hundreds of thousands of
// operations takes a second and does not look at the context, so its goroutine is abandoned.
func compiled(ctx context.Context, c *check.Program, opt lang.Options) *code.Program {
	if c.Work <= fewNodes {
		return lang.Code(c, opt)
	}
	p, _ := steps.Within(ctx, func() *code.Program { return lang.Code(c, opt) })
	return p
}

// operationBytes is the memory of an operation of the checked program and of what the planner
// makes of it.
const operationBytes = 512

// compiling is the memory that a checked program and its compilation take.
func (p *Program) compiling() uint64 {
	return p.file.Footprint + operationBytes*uint64(p.checked.Work)
}

// plan certifies the program. It cannot fail on code from the compiler, or that the verifier
// accepted.
func (p *Program) plan(opt lang.Options, reading uint64) {
	if p.file != nil {
		opt.Reading = tensor.SatAdd(opt.Reading, p.compiling())
	} else {
		for i := range p.code.Code {
			if r := p.code.Code[i].Rules; r != nil {
				opt.Reading = tensor.SatAdd(opt.Reading, operationBytes*uint64(r.Planned()))
			}
		}
	}
	opt.Reading = tensor.SatAdd(opt.Reading, reading)
	m, err := lang.Module(p.code, opt)
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
	p.module = m
}

// Bind gives the inputs of a program their data. p is unchanged and can be bound again. Bytecode
// only accepts data of the sizes and nodes that it was compiled for.
func (p *Program) Bind(ctx context.Context, inputs ...Input) (*Program, error) {
	declared := p.Inputs()
	if err := p.match(declared, inputs); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNoContext
	}
	if len(declared) == 0 {
		return p, nil
	}
	ledger := &cost.Ledger{Max: p.opt.Limits.MaxBytes, Grown: p.opt.Grown}
	known, domains := p.known, p.domains
	if p.file == nil {
		known, domains = p.code.Labels, p.columns()
	} else {
		if err := ledger.Take(p.file.Footprint); err != nil {
			return nil, p.failed(diag.Diagnostic{Code: codes.E0530, Message: err.Error()}, err)
		}
	}
	read := &bind.Reader{Open: p.opt.Open, Tables: p.opt.Tables, Ledger: ledger, Domains: domains, Lines: p.proves() || p.weighs()}
	data, err := read.All(ctx, declared, inputs, known)
	if ctx.Err() != nil {
		return nil, p.stopped(ctx, "while the program or its data was being read")
	}
	if err != nil {
		return nil, &Error{Diags: bind.Findings(err), Err: err}
	}
	next := *p
	opt := p.opt.lang(ctx)
	opt.Inputs, opt.Labels = data.Values, data.Labels
	opt.Reading = ledger.Peak()
	if p.file == nil {
		if !slices.Equal(data.Labels, p.code.Labels) || !p.adopt(data.Values) {
			return nil, &Error{Diags: diag.List{
				diag.Finding(codes.E0704, diag.Error, p.name, 0, 0, "the data has other nodes than the program was built for",
					"A compiled program is made for inputs of one size; run its source instead.")}}
		}
		next.diags = nil
		next.plan(opt, 0)
	} else {
		opt.Reading -= min(opt.Reading, p.file.Footprint) // plan counts it
		if err := next.check(ctx, opt); err != nil {
			return nil, err
		}
	}
	next.diags = append(slices.Clip(next.diags), bind.Warnings(data.Warnings)...)
	next.values = data.Values
	next.inputs = lists.Map(declared, func(d bind.Declared) tensor.Value { return *data.Values[d.Name] })
	return &next, nil
}

// columns returns the members of each domain of bytecode, except the nodes.
func (p *Program) columns() map[string][]string {
	known := map[string][]string{}
	for _, in := range p.code.Inputs {
		for _, c := range p.code.Regs[in.Reg].Columns {
			if c.Domain != nil && c.Domain.Name != "node" {
				known[c.Domain.Name] = c.Domain.Labels
			}
		}
	}
	return known
}

// adopt makes tables use the domains of the bytecode, which its rules compare by pointer. It
// returns false if their members differ.
func (p *Program) adopt(values map[string]*tensor.Value) bool {
	for _, in := range p.code.Inputs {
		t, want := values[in.Name].Table, p.code.Regs[in.Reg].Columns
		if t == nil {
			continue
		}
		for i := range t.Columns {
			if a, b := t.Columns[i].Domain, want[i].Domain; a != nil && !slices.Equal(a.Labels, b.Labels) {
				return false
			}
		}
		t.Columns = want
	}
	return true
}

// Inputs returns the inputs that the program declares, in order.
func (p *Program) Inputs() []bind.Declared {
	switch {
	case p.checked != nil:
		return lists.Map(p.checked.Inputs, func(in check.Input) bind.Declared {
			return bind.Declared{Name: in.Name, Kind: graphio.Kind(in.Kind), Columns: in.Columns}
		})
	case p.code != nil:
		return lists.Map(p.code.Inputs, func(in code.Input) bind.Declared {
			return bind.Declared{Name: in.Name, Kind: graphio.Kind(in.Kind), Columns: p.code.Regs[in.Reg].Columns}
		})
	}
	return nil // it did not compile
}

// Bound reports whether every input has its data: whether the program can run.
func (p *Program) Bound() bool { return p.module != nil }

// Certificate bounds what a run uses. It depends on sizes, so it is nil while an
// input has no data.
func (p *Program) Certificate() *Certificate {
	if p.module == nil {
		return nil
	}
	return &p.module.Certificate
}

// Diagnostics returns the warnings and notes about the program, with places in
// Source, and the warnings about its data.
func (p *Program) Diagnostics() diag.List { return p.diags }

// Source returns the text of the program, nil for bytecode.
func (p *Program) Source() *source.File {
	if p.file == nil {
		return nil
	}
	return p.file.Source
}

// Plan says how a bound program computes its outputs. It is nil for bytecode.
func (p *Program) Plan() *describe.Compiled {
	if p.file == nil || !p.Bound() {
		return nil
	}
	d := &describe.Compiled{Name: p.name, Checked: p.checked, Code: p.code, Module: p.module, Plain: p.opt.NoOpt}
	if !d.Plain {
		opt := p.opt.lang(context.Background())
		opt.Inputs = p.values
		d.Rewrites = lang.Plan(p.checked, opt).Rewrites
	}
	return d
}

// Code returns the bytecode, nil while an input has no data.
func (p *Program) Code() *code.Program { return p.code }

// Labels returns the labels of the nodes, nil when they are numbers.
func (p *Program) Labels() []string {
	if p.code == nil {
		return nil
	}
	return p.code.Labels
}

// MarshalBinary returns the bytecode of a program for Load; it is an error if an input has no data. It is made for any data of the
// sizes of this data, so its certificate can be larger.
func (p *Program) MarshalBinary() ([]byte, error) {
	if p.code == nil {
		return nil, p.match(p.Inputs(), nil)
	}
	c := p.code
	if slices.ContainsFunc(c.Regs, func(r code.Reg) bool { return r.Table != nil }) {
		opt := p.opt.lang(context.Background())
		opt.Inputs, opt.AnyData = p.values, true
		c = lang.Code(p.checked, opt)
	}
	return c.MarshalBinary()
}

// Run binds the inputs, if any are given, and runs the program once. It stops a
// few milliseconds after the context ends.
func (p *Program) Run(ctx context.Context, inputs ...Input) (*Result, error) {
	if len(inputs) > 0 || !p.Bound() {
		var err error
		if p, err = p.Bind(ctx, inputs...); err != nil {
			return nil, err
		}
	}
	m, err := p.Machine()
	if err != nil {
		return nil, err
	}
	return m.Run(ctx)
}

// Machine has the memory to run a bound program any number of times. It is not
// safe for concurrent use; a program may have many.
type Machine struct {
	program *Program
	vm      *vm.Machine
	bound   bool
}

// Machine compares the certificate with the limits and allocates what it states. It is an error if
// an input has no data or a limit is lower; Unwrap then gives the *cost.LimitError.
func (p *Program) Machine() (*Machine, error) {
	if !p.Bound() {
		return nil, p.match(p.Inputs(), nil)
	}
	m, err := vm.New(p.module, p.opt.Limits)
	if limit, ok := errors.AsType[*cost.LimitError](err); ok {
		return nil, p.Refuse(limit)
	}
	if err != nil {
		return nil, err
	}
	return &Machine{program: p, vm: m}, nil
}

// Watch makes runs report their progress, up to a thousand times a second, from any goroutine,
// until Watch(nil); describe.Doing puts it into words.
func (m *Machine) Watch(tell func(vm.Progress)) { m.vm.Watch(tell) }

// Run runs the program. The values of the result are valid until the next Run.
func (m *Machine) Run(ctx context.Context) (*Result, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	start := time.Now()
	if !m.bound { // here and not in Machine, as a large input takes milliseconds to check
		if err := m.vm.Bind(ctx, m.program.inputs); err != nil {
			return nil, m.program.failedRun(err, 0)
		}
		m.bound = true
	}
	r, err := m.vm.Run(ctx)
	if err != nil {
		return nil, m.program.failedRun(err, m.vm.Stats().Ops)
	}
	out := m.program.result(r, time.Since(start))
	if m.program.proves() {
		if err := m.prove(ctx, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
