// Package lang runs the phases of the toolchain, from source text to code.
//
//	Parse    text to a syntax tree (package syntax)
//	Check    a syntax tree to a checked program (check)
//	Plan     a checked program to cheaper operations with the same meaning (plan)
//	Code     operations to bytecode (compile)
//	Module   bytecode to a bounded module that a vm.Machine runs (cost)
//
// [Load] runs them all. Each phase gives the next a typed value and collects diagnostics;
// none prints.
package lang

import (
	"cmp"
	"context"
	"runtime"

	"ein/lang/check"
	"ein/lang/compile"
	"ein/lang/diag"
	"ein/lang/plan"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// Version is the version of the language: docs/stability.md says what it promises.
// `ein version` prints it.
const Version = "1"

// Options of the phases. The zero value is the full language with the default
// limits, optimised.
type Options struct {
	Profile check.Profile
	Syntax  syntax.Limits
	Check   check.Limits
	NoOpt   bool // run every operation as written, with the reference kernels
	Workers int  // goroutines one kernel may use; 0 means one for each processor

	// Context stops Parse and Check soon after it ends, with the diagnostic E0533; nil
	// never does.
	Context context.Context

	// Inputs are the values of the program's inputs, over the nodes of Labels.
	Inputs map[string]*tensor.Value
	Labels []string

	// AnyData makes code for any inputs of such sizes: of relations, only the rows count.
	AnyData bool

	// ErrorsOnly leaves out the warnings and notes of Check.
	ErrorsOnly bool

	// Memory holds the results of all phases, for a host that is done with one program before
	// it parses the next; nil allocates new memory.
	Memory *Memory

	Reading uint64 // bytes; see cost.Options
}

// Memory holds one program at a time, from its text to its machine: Parse reuses what the last one
// took. The zero value is ready.
type Memory struct {
	source  source.File
	file    syntax.File
	checked check.Program
	nodes   ir.Arena
	planned plan.Program
	code    code.Program
	module  cost.Module
	machine vm.Machine
}

// Parse reads a program. The result always has a tree; mistakes are in its Diags.
func Parse(name, text string, opt Options) *syntax.File {
	so := syntax.Options{Repl: opt.Profile == check.Repl, Limits: opt.Syntax, Context: opt.Context}
	if m := opt.Memory; m != nil {
		m.nodes.Reset()
		m.source, so.Into = source.File{Name: name, Text: text}, &m.file
		return syntax.Parse(&m.source, so)
	}
	return syntax.Parse(source.NewFile(name, text), so)
}

// Check resolves names and types. Inputs that are not bound have unknown sizes.
func Check(f *syntax.File, opt Options) *check.Program {
	cfg := check.Config{Profile: opt.Profile, Limits: opt.Check, Inputs: opt.Inputs, Labels: opt.Labels, Context: opt.Context, ErrorsOnly: opt.ErrorsOnly}
	if m := opt.Memory; m != nil {
		cfg.Arena, cfg.Into = &m.nodes, &m.checked
	}
	return check.Check(f, cfg)
}

// Plan returns the optimised program that Compile turns into code.
func Plan(p *check.Program, opt Options) *plan.Program {
	var pl *plan.Program
	if m := opt.Memory; m != nil {
		pl, m.planned.Arena = &m.planned, &m.nodes
	} else {
		pl = new(plan.Program)
	}
	pl.Take(p, opt.Inputs)
	if opt.AnyData {
		for i := range pl.Inputs {
			pl.Inputs[i].Table, pl.Inputs[i].Pattern = nil, nil
		}
	}
	if !opt.NoOpt {
		pl.Optimise()
	}
	return pl
}

// Code returns the bytecode of a program that has no errors and whose inputs are
// bound.
func Code(p *check.Program, opt Options) *code.Program {
	co := compile.Options{Plain: opt.NoOpt}
	if opt.Memory != nil {
		co.Into = &opt.Memory.code
	}
	return compile.Compile(Plan(p, opt), co)
}

// Module plans bytecode for running: its memory and its cost certificate. See cost.New for the error.
func Module(p *code.Program, opt Options) (*cost.Module, error) {
	co := cost.Options{Workers: cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), Reading: opt.Reading}
	if opt.Memory != nil {
		co.Into = &opt.Memory.module
	}
	return cost.New(p, co)
}

// Machine returns a machine for a module; see vm.New.
func Machine(m *cost.Module, limits cost.Limits, opt Options) (*vm.Machine, error) {
	if opt.Memory == nil {
		return vm.New(m, limits)
	}
	return &opt.Memory.machine, opt.Memory.machine.Load(m, limits)
}

// Load runs all phases. The error is an *Error if the diagnostics have errors; the module is nil then.
func Load(name, text string, opt Options) (*cost.Module, *check.Program, error) {
	p := Check(Parse(name, text, opt), opt)
	if !p.Diags.HasErrors() {
		p.Diags = append(p.Diags, p.Unbound()...)
	}
	if p.Diags.HasErrors() {
		return nil, p, &Error{p.File.Source, p.Diags}
	}
	m, err := Module(Code(p, opt), opt)
	return m, p, err
}

// Error is the error of a program that does not check.
type Error struct {
	File  *source.File
	Diags diag.List
}

func (e *Error) Error() string {
	for _, d := range e.Diags {
		if d.Severity == diag.Error {
			return e.File.Name + ": " + d.Shown().Message
		}
	}
	return e.File.Name + ": not a program"
}

// Normalise converts inputs to the layouts that have the fastest kernels: a small or dense 0/1 matrix is
// packed.
func Normalise(inputs map[string]*tensor.Value) {
	for name, v := range inputs {
		if v.Layout != tensor.Sparse || v.Kind != tensor.Bool || !check.Packs(v.CSR.Rows, v.CSR.Cols, v.CSR.NNZ()) {
			continue
		}
		packed := tensor.Value{Type: v.Type, Layout: tensor.Packed, Bits: tensor.NewBits(v.CSR.Rows, v.CSR.Cols)}
		kernel.CSRToBits(&kernel.Ctl{}, packed.Bits, v.CSR)
		inputs[name] = &packed
	}
}
