// Package vm runs compiled programs.
//
// [New] makes a [Machine] from a module of package cost, [Machine.Bind] gives it values of the
// types that the module expects, checked once, and [Machine.Run] runs it on them. The [Result]
// holds the outputs, warnings about the data and what the run used ([Stats]).
//
// A module is a list of steps without jumps. For each, package cost has already chosen the kernel
// and its plan, bounded the operations and placed the registers and the scratch memory in one
// arena. The machine allocates that arena once. A run walks over the steps and calls, for
// each, the entry of its operation in the table kernels (step.go), which unpacks the registers
// and calls package kernel. So a run takes no decisions that the certificate does not know, and
// allocates nothing but the rows of relations, which a budget bounds (rules.go). Outputs alias
// the arena: they are valid until the next run.
//
// A run ends early for three reasons: its context ended, which every kernel polls; a metered
// step reached what was left of the limit ([Exceeded]); or the data is at fault
// ([RuntimeError]), such as a count past 2^53. An error carries a position in the source, which
// the caller turns into a line: the machine knows no source text.
//
// A Machine serves one run at a time; many machines can share a module.
package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/rel/engine"
	"ein/vm/tensor"
)

// Stats is what a run used; it counts the same things as the certificate and
// never exceeds it.
type Stats struct {
	Ops       uint64
	PeakBytes uint64
}

// Output is a value that a program gave.
type Output struct {
	Name  string
	Form  ir.Form
	Value *tensor.Value
}

// Warning is something a run noticed about the data.
type Warning struct {
	Pos     ir.Pos
	Message string
}

// Result is the outcome of a run. Values alias the machine's memory: they are
// valid until its next run.
type Result struct {
	Outputs  []Output
	Warnings []Warning
	Stats    Stats
}

// Kind says what went wrong in a run.
type Kind uint8

// NotFinite is an output with a NaN or an infinity; Inexact a count of 2^53 or more; BadIndex a
// position that does not exist; BadInput a value that does not fit the program; Cyclic a cycle for
// which a question about a graph has no answer; Negative a weight below 0 where that has no
// meaning; NoWeight a weight of 0 in a result where 0 means no edge. Improving is a value of rules
// that keeps improving around a cycle, Worsening a factor that makes such a value worse.
const (
	NotFinite Kind = iota
	Inexact
	BadIndex
	BadInput
	Cyclic
	Negative
	NoWeight
	Improving
	Worsening
)

// RuntimeError is a failure that only a run can find.
type RuntimeError struct {
	Kind    Kind
	Pos     ir.Pos
	Message string
	Hint    string
}

func (e *RuntimeError) Error() string { return e.Message }

// MaxBytes is the most memory that a machine takes, whatever its limits.
const MaxBytes = 1 << 40

// MaxOps is the most operations of a machine, whatever its limits: years of work. Beyond, the sizes
// in a program no longer fit an int.
const MaxOps = 1 << 60

// Machine runs one program. It is not safe for concurrent use; a Module may
// have many machines.
type Machine struct {
	mod      *cost.Module
	regs     []tensor.Value
	bound    int       // input slots that have a value
	finite   []bool    // of those that are elementwise expressions: see Ctl.Finite
	floats   []float64 // that registers and scratch memory are cut from
	words    []uint64
	ints     []int32
	scratch  kernel.Scratch
	args     [][]float64   // see dense
	matrices []tensor.CSR  // see sparse
	fitted   *code.Program // with the entries that loose registers have in this run
	result   Result
	ctl      kernel.Ctl

	steps []step
	*step // that is being run
	err   *RuntimeError
	over  *Exceeded // of anything but operations

	ops    uint64        // the most that all operations may come to
	budget engine.Budget // of the rows of relations, and of what is loose
	peak   uint64        // of it, before something was given back
	bytes  uint64        // the most that all memory may come to
	output uint64        // the most elements of all outputs
	sofar  string        // what a metered operation has, for people
	watch  *watch
}

// Progress is how far a run is: its current step, and how many (Done) of the operations that it may
// take (All) are behind it. A step that has ended counts with its certified operations. Ops is what
// the earlier steps really took.
type Progress struct {
	Step      *cost.Step
	Pos       ir.Pos
	Done, All uint64
	Ops       uint64
}

// watch reports the progress of a run.
type watch struct {
	m      *Machine
	tell   func(Progress)
	step   *cost.Step
	before uint64        // certified for the steps behind
	ops    uint64        // that they took
	within atomic.Uint64 // done in the step
}

func (w *watch) more(ops uint64) {
	all := min(w.m.mod.Certificate.Ops, w.m.ops)
	done := tensor.SatAdd(w.before, min(w.within.Add(ops), w.step.Cost.Ops))
	w.tell(Progress{w.step, w.m.pos, min(done, all), all, w.ops})
}

// begin reports the beginning of a step.
func (w *watch) begin(last *step) {
	if last != nil {
		w.before = tensor.SatAdd(w.before, w.step.Cost.Ops)
	}
	w.step = w.m.Step
	w.ops = w.m.ctl.Ops
	w.within.Store(0)
	w.more(0)
}

// Watch makes runs report their progress: at each step, and within a step about once in a millisecond
// of work, from any goroutine; nil ends it.
func (m *Machine) Watch(tell func(Progress)) {
	m.watch = nil
	if tell != nil {
		m.watch = &watch{m: m, tell: tell}
	}
}

// step is a step of the module with its kernel, and the registers of its result and of its first
// arguments if it has them.
type step struct {
	*cost.Step
	kernel  func(m *Machine)
	pos     ir.Pos
	d, a, b *tensor.Value
}

// New allocates the memory that the certificate states, after comparing it with the limits, of which
// MaxOps and MaxBytes hold in any case. The error is a *cost.LimitError.
func New(mod *cost.Module, limits cost.Limits) (*Machine, error) {
	m := new(Machine)
	if err := m.Load(mod, limits); err != nil {
		return nil, err
	}
	return m, nil
}

// Load is New in the memory of a machine that, like its results, is no longer used. After an
// error the machine is unchanged.
func (m *Machine) Load(mod *cost.Module, limits cost.Limits) error {
	if limits.MaxBytes == 0 || limits.MaxBytes > MaxBytes {
		limits.MaxBytes = MaxBytes
	}
	if limits.MaxOps == 0 || limits.MaxOps > MaxOps {
		limits.MaxOps = MaxOps
	}
	if err := mod.Certificate.Check(limits); err != nil {
		return err
	}
	p, size := mod.Program, mod.Arena.Size
	*m = Machine{mod: mod, ops: limits.MaxOps, bytes: limits.MaxBytes, output: limits.MaxOutputElements, regs: sized(m.regs, uint64(len(p.Regs))), finite: sized(m.finite, uint64(len(p.Regs))),
		floats: room(m.floats, size.F), words: room(m.words, size.W), ints: room(m.ints, size.I),
		steps: sized(m.steps, uint64(len(mod.Steps))), args: m.args[:0], matrices: m.matrices[:0],
		result: Result{Outputs: sized(m.result.Outputs, uint64(len(p.Outputs))), Warnings: m.result.Warnings[:0]}}
	m.budget.Max = max(1, limits.MaxBytes-(mod.Certificate.PeakBytes-mod.Certificate.Rows)) // 0 would be no limit
	f, w, x := m.floats, m.words, m.ints
	at := mod.Arena.Scratch
	m.scratch = kernel.Scratch{F: f[at.F:size.F:size.F], W: w[at.W:size.W:size.W], I: x[at.I:size.I:size.I]}
	for i := range p.Regs {
		m.place(i, f, w, x)
	}
	for i := range mod.Steps {
		if s := &mod.Steps[i]; s.GivesLoose(p) {
			m.regs[s.Dst].CSR = tensor.CSR{}
		}
	}
	for i := range p.Consts {
		m.regs[p.Consts[i].Reg] = p.Consts[i].Value
	}
	for i := range m.steps {
		s := &mod.Steps[i]
		m.steps[i] = step{Step: s, kernel: kernels[s.Op], pos: p.Pos[i]}
		if len(s.Args) > 0 {
			m.steps[i].a = &m.regs[s.Args[0]]
		}
		if len(s.Args) > 1 {
			m.steps[i].b = &m.regs[s.Args[1]]
		}
		if s.Dst >= 0 {
			m.steps[i].d = &m.regs[s.Dst]
		}
	}
	for i, o := range p.Outputs {
		m.result.Outputs[i] = Output{Name: o.Name, Form: o.Form, Value: &m.regs[o.Reg]}
	}
	return nil
}

// sized is n zero elements, in the memory of list if that suffices.
func sized[T any](list []T, n uint64) []T {
	clear(list)
	return room(list, n)
}

// keepElements bounds the memory that the next program reuses.
const keepElements = 1 << 16

// room is sized without the zeros, for elements that a run sets before it reads them. It is never
// nil: a matrix without edges must still have weights.
func room[T any](list []T, n uint64) []T {
	if list == nil || n > uint64(cap(list)) || cap(list) > keepElements {
		return make([]T, n)
	}
	return list[:n]
}

// place points a register at its place in the arenas. Constants and inputs have none.
func (m *Machine) place(i int, f []float64, w []uint64, x []int32) {
	r, v, at := &m.mod.Program.Regs[i], &m.regs[i], m.mod.Arena.Place[i]
	v.Type, v.Layout = r.Type, r.Layout
	rows, cols := r.Shape.Matrix()
	size := cost.Need(r)
	floats, words, ints := cut(f, at.F, size.F), cut(w, at.W, size.W), cut(x, at.I, size.I)
	switch r.Layout {
	case tensor.Dense:
		v.F = floats
	case tensor.Packed:
		v.Bits = tensor.Bits{Rows: rows, Cols: cols, Stride: tensor.Words(cols), W: words}
	case tensor.Sparse:
		v.CSR = tensor.CSR{Rows: rows, Cols: cols}
		if ints != nil {
			v.CSR.Ptr, v.CSR.Idx = ints[:rows+1:rows+1], ints[rows+1:]
		}
		if r.Kind != tensor.Bool {
			v.CSR.Val = floats
		}
	case tensor.Parts:
		v.Part = ints
	}
}

func cut[T any](arena []T, at, n uint64) []T {
	if at+n > uint64(len(arena)) {
		return nil
	}
	return arena[at : at+n : at+n]
}

// Exceeded is the error of a run that reached a limit in a metered operation: what is limited, the
// limit, and the certified bound.
type Exceeded struct {
	What      string // operations, bytes, output elements
	Pos       ir.Pos
	Max, Most uint64
	Sofar     string
}

func (e *Exceeded) Error() string {
	return fmt.Sprintf("the run was stopped at the limit of %d %s", e.Max, e.What)
}

// ErrStopped is what errors.Is finds in the error of a run that was cancelled.
var ErrStopped = errors.New("the run was stopped")

// Stopped is the error of a run that was cancelled: at which instruction, and
// the context's cause. It wraps ErrStopped and the cause.
type Stopped struct {
	Pos   ir.Pos
	Cause error
}

func (e *Stopped) Error() string { return ErrStopped.Error() + ": " + e.Cause.Error() }

// Unwrap returns ErrStopped and the cause.
func (e *Stopped) Unwrap() []error { return []error{ErrStopped, e.Cause} }

// Bind checks the values of the program's input slots, in order, and gives them to the runs that
// follow: they must not change until the next Bind. A program without inputs needs none.
func (m *Machine) Bind(ctx context.Context, inputs []tensor.Value) error {
	p := m.mod.Program
	m.ctl = kernel.Ctl{Done: ctx.Done(), Workers: m.mod.Workers}
	m.bound = 0
	var stopped func() bool
	if m.ctl.Done != nil {
		stopped = m.ctl.Stopped
	}
	if len(inputs) != len(p.Inputs) {
		return m.unbound(len(inputs))
	}
	for i := range inputs {
		in := &p.Inputs[i]
		err := code.CheckValue(&inputs[i], &p.Regs[in.Reg], stopped)
		if err == nil {
			err = in.CheckRange(&inputs[i], stopped)
		}
		if errors.Is(err, rel.ErrStopped) {
			return &Stopped{Cause: context.Cause(ctx)}
		}
		if err != nil {
			return &RuntimeError{Kind: BadInput, Message: fmt.Sprintf("input %s: %v", in.Name, err),
				Hint: "a compiled program is made for inputs of one size and layout, and for whole numbers of a certain width"}
		}
		m.regs[in.Reg] = inputs[i]
	}
	m.bound = len(inputs)
	return nil
}

func (m *Machine) unbound(n int) error {
	return &RuntimeError{Kind: BadInput, Message: fmt.Sprintf("the program has %d inputs, %d were bound", len(m.mod.Program.Inputs), n)}
}

// Run executes the program on the values that are bound. The result is valid until the next Run.
func (m *Machine) Run(ctx context.Context) (*Result, error) {
	m.ctl = kernel.Ctl{Done: ctx.Done(), Workers: m.mod.Workers}
	m.result.Warnings = m.result.Warnings[:0]
	if m.bound != len(m.mod.Program.Inputs) {
		return nil, m.unbound(m.bound)
	}
	if m.ctl.Stopped() {
		return nil, &Stopped{Cause: context.Cause(ctx)}
	}
	m.err, m.over, m.step, m.budget.Used, m.peak, m.fitted = nil, nil, nil, 0, 0, nil
	if m.watch != nil {
		m.watch.before, m.ctl.Tell = 0, m.watch.more
	}
	// What is not metered has its bound set aside, whatever it takes: so the rest stops
	// at the same point on every machine.
	budget := m.ops - m.mod.Certificate.Unmetered
	finished := kernel.Finished(func() {
		for i := range m.steps {
			last := m.step
			if m.step = &m.steps[i]; m.watch != nil {
				m.watch.begin(last)
			}
			before := m.ctl.Ops
			m.ctl.Limit = 0
			metered := m.mod.Steps[i].Metered()
			if metered {
				m.ctl.Limit, m.sofar = tensor.SatAdd(before, budget), "nothing"
				if m.ctl.Over = m.ctl.Limit == 0 && m.Cost.Ops > 0; m.ctl.Over { // a limit of 0 would be none
					kernel.Stop()
				}
			}
			if m.mod.Steps[i].Loose {
				m.loose(i)
			} else {
				m.kernel(m)
			}
			if metered {
				budget -= m.ctl.Ops - before
			}
		}
	})
	switch {
	case finished:
	case m.ctl.Over:
		return nil, &Exceeded{What: "operations", Pos: m.pos, Max: m.ops, Most: m.mod.Certificate.Ops, Sofar: m.sofar}
	case m.over != nil:
		m.over.Pos = m.pos
		return nil, m.over
	case m.err != nil:
		m.err.Pos = cmp.Or(m.err.Pos, m.pos) // of a rule
		return nil, m.err
	default:
		return nil, &Stopped{Pos: m.pos, Cause: context.Cause(ctx)}
	}
	if over := m.large(); over != nil {
		return nil, over
	}
	m.result.Stats = m.Stats()
	return &m.result, nil
}

// large is the error of a run whose tables have more cells than the outputs may have
// elements.
func (m *Machine) large() *Exceeded {
	c := &m.mod.Certificate
	n := c.OutputElements - c.TableElements
	for _, o := range m.mod.Program.Outputs {
		if t := m.regs[o.Reg].Table; t != nil {
			n += uint64(t.Len) * uint64(max(1, len(t.Columns)))
		}
		if m.output > 0 && n > m.output {
			return &Exceeded{What: "output elements", Pos: o.Pos, Max: m.output, Most: c.OutputElements, Sofar: fmt.Sprintf("%d rows of %s", m.regs[o.Reg].Table.Len, o.Name)}
		}
	}
	return nil
}

// Stats of the last run, finished or not.
func (m *Machine) Stats() Stats {
	c := &m.mod.Certificate
	return Stats{Ops: m.ctl.Ops, PeakBytes: c.PeakBytes - c.Rows + max(m.peak, m.budget.Used)}
}
