// Package cost bounds what a program uses before it runs, and plans its memory.
//
// [New] makes a [Module] from a program: a [Step] for each instruction, which names the
// kernel that will run it, an upper bound on its operations, and its scratch memory; an
// [Arena] in which registers that are not alive at once share memory; and a [Certificate]
// with the totals, which Check compares with [Limits].
//
// The machine runs these steps and nothing else, so bound and run cannot diverge. Kernels
// count the operations they do, and tests compare the counts with the bounds. Sums saturate,
// so that no program is too large to be refused.
//
// Some bounds say little about the actual work: of maximum flow, or of recursive rules. Such
// instructions are metered. Check leaves them out, and a run gives them what the other steps
// leave of the limit; they stop there. So a limit holds for every program, and does not
// refuse those that usually take far less.
//
// A certificate comes after reading, which takes memory too. Whoever reads takes it from a
// [Ledger] first, and its peak becomes part of the certificate (Options.Reading).
package cost

import (
	"fmt"
	"slices"

	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// Certificate bounds what a run uses. Ops counts scalar multiply-adds and
// 64-bit word operations; PeakBytes is the memory of constants, inputs,
// registers and scratch, and of Reading; OutputElements is the elements of all
// outputs. All of them saturate at the largest uint64.
//
// An operation that usually takes far less than its bound is metered: a limit below
// the bound does not refuse the program, but stops the run when it is reached. So are
// the memory of the rows of relations, and tables among the outputs.
type Certificate struct {
	Ops            uint64
	Unmetered      uint64 // of Ops, what is not metered
	PeakBytes      uint64
	Rows           uint64 // of PeakBytes, what the rows of relations and loose steps may take; it is metered
	TableElements  uint64 // of OutputElements, those of tables; they are metered
	Reading        uint64 // bytes; see Options
	OutputElements uint64
	Statements     []Statement
	Largest        Output // of the outputs
}

// Output is the size of one output.
type Output struct {
	Name     string
	Pos      ir.Pos
	Elements uint64
}

// Statement is the part of one statement: its operations, and the bytes of its
// largest instruction's result and scratch.
type Statement struct {
	Name  string
	Pos   ir.Pos
	Ops   uint64
	Bytes uint64

	Unmetered uint64 // of Ops
	Rows      uint64 // of Bytes; see Certificate
}

// Limits are compared with the certificate before a run. Zero means no limit
// of that kind; hosts that run foreign programs set all of them.
type Limits struct {
	MaxOps            uint64
	MaxBytes          uint64
	MaxOutputElements uint64

	// Strict refuses what is metered like everything else: when its bound is over a
	// limit.
	Strict bool
}

// LimitError says that a program was refused: what it needs, what it may use,
// and the statement that needs the most of it.
type LimitError struct {
	What      string // "operations", "bytes", "output elements"
	Need, Max uint64
	Name      string // statement or output
	Pos       ir.Pos
	Part      uint64 // what that needs
	Reading   uint64 // of the bytes, what reading the program and its data needs
	Metered   bool   // without Limits.Strict it would run, and be stopped at the limit
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the program needs up to %d %s, the limit is %d", e.Need, e.What, e.Max)
}

// Certified reports whether the operations of a run are known to stay below a limit,
// 0 for one that is not known yet; else it may be stopped when it comes there.
func (c *Certificate) Certified(maxOps uint64) bool { return c.Ops <= max(c.Unmetered, maxOps) }

// Check returns a *LimitError for the first of bytes, operations and output elements that
// exceeds its limit; a limit of 0 is none. Metered work counts only under Strict: else it is
// charged while it runs.
func (c *Certificate) Check(l Limits) error {
	for _, x := range []struct {
		what               string
		need, metered, max uint64
		part               func(*Statement) (need, metered uint64)
	}{
		{"bytes", c.PeakBytes, c.Rows, l.MaxBytes, func(s *Statement) (uint64, uint64) { return s.Bytes, s.Rows }},
		{"operations", c.Ops, c.Ops - c.Unmetered, l.MaxOps, func(s *Statement) (uint64, uint64) { return s.Ops, s.Ops - s.Unmetered }},
		{"output elements", c.OutputElements, c.TableElements, l.MaxOutputElements, nil},
	} {
		counted := func(need, metered uint64) uint64 {
			if l.Strict {
				return need
			}
			return need - metered
		}
		need := counted(x.need, x.metered)
		if x.max == 0 || need <= x.max {
			continue
		}
		e := &LimitError{What: x.what, Need: need, Max: x.max, Metered: x.need-x.metered <= x.max}
		if x.what == "bytes" {
			e.Reading = c.Reading
		}
		if x.part == nil {
			e.Name, e.Pos, e.Part = c.Largest.Name, c.Largest.Pos, c.Largest.Elements
			return e
		}
		for i := range c.Statements {
			s := &c.Statements[i]
			if part := counted(x.part(s)); part > e.Part || i == 0 {
				e.Name, e.Pos, e.Part = s.Name, s.Pos, part
			}
		}
		return e
	}
	return nil
}

// Step is an instruction, the plan of its kernel (nil for an operation that needs
// none) and its cost.
type Step struct {
	*code.Instr
	Plan code.Kernel
	Cost kernel.Cost
	// Loose says that a csr which the step reads or gives may be far smaller than its bound. Only a
	// run knows: then the step is planned again, and takes the memory of its scratch and of its result,
	// if that is a csr. Drops are such results that no later step reads.
	Loose bool
	Drops []int
}

// Metered reports whether the step is charged as it goes.
func (s *Step) Metered() bool { return s.Loose || s.Op.Metered() }

// GivesLoose reports whether the result is a csr that is made when the step runs.
func (s *Step) GivesLoose(p *code.Program) bool {
	return s.Loose && s.Dst >= 0 && p.Regs[s.Dst].Layout == tensor.Sparse
}

// rows bounds the memory that a step pays for as it goes: of the rows of relations, or of what is loose.
func (s *Step) rows(p *code.Program) (bytes uint64) {
	if s.Loose {
		bytes = Bytes(s.Cost)
		if s.GivesLoose(p) {
			bytes = tensor.SatAdd(bytes, Bytes(Need(&p.Regs[s.Dst])))
		}
	}
	if p, ok := s.Plan.(interface{ Bytes() uint64 }); ok {
		bytes = tensor.SatAdd(bytes, p.Bytes())
	}
	return bytes
}

// Module is a program that is planned: ready to be run.
type Module struct {
	Program     *code.Program
	Steps       []Step
	Arena       Arena
	Certificate Certificate
	Workers     int
}

// Options of New.
type Options struct {
	// Workers is the number of goroutines a kernel may use; the scratch memory of
	// some kernels grows with it.
	Workers int
	// Reading is the bytes that reading the program and its data took at its peak,
	// the values of constants and inputs left out; a Ledger counts it. The
	// collector may not have taken them back when the program runs.
	Reading uint64
	// Into is a module that is in use no more, whose memory the result takes; nil is
	// none.
	Into *Module
}

// New plans a verified program. An error means that code.Verify has let through what has no kernel.
func New(p *code.Program, opt Options) (*Module, error) {
	m := opt.Into
	if m == nil {
		m = new(Module)
	}
	clear(m.Steps)
	*m = Module{Program: p, Steps: slices.Grow(m.Steps[:0], len(p.Code))[:len(p.Code)], Workers: max(opt.Workers, 1),
		Arena: Arena{Place: m.Arena.Place[:0]}, Certificate: Certificate{Statements: m.Certificate.Statements[:0]}}
	for i := range p.Code {
		m.Steps[i].Instr = &p.Code[i]
	}
	loose := loosen(p, m.Steps)
	fitted := p
	fit := fit(p, loose)
	if fit != nil {
		fitted = fit.program
	}
	site := code.Site{Workers: m.Workers}
	for i := range m.Steps {
		s := &m.Steps[i]
		if fit != nil {
			site.Work = fit.step(&site, s.Instr)
		}
		var err error
		if s.Plan, s.Cost, err = site.Plan(fitted, s.Instr); err != nil {
			return nil, fmt.Errorf("cost: %v: %w", s.Op, err)
		}
	}
	m.Arena.plan(p, m.Steps, loose)
	m.Certificate.Reading = opt.Reading
	m.certify(fitted)
	return m, nil
}

// loosen marks the steps that are loose, and returns whether each register is; nil if none is.
func loosen(p *code.Program, steps []Step) (loose []bool) {
	for i := range steps {
		s := &steps[i]
		s.Loose = s.Op.Grows() || loose != nil && slices.ContainsFunc(s.Args, func(r int) bool { return loose[r] })
		if s.GivesLoose(p) {
			if loose == nil {
				loose = make([]bool, len(p.Regs))
			}
			loose[s.Dst] = true
		}
	}
	return loose
}

// certify adds up the certificate of the program, as it was fitted. Constants and inputs lie outside the arena; rows of relations
// are counted where they are made and never given back, so they count in full. All sums stop at the
// largest number there is, so that a cost past it is over every limit.
func (m *Module) certify(p *code.Program) {
	c := &m.Certificate
	c.PeakBytes = tensor.SatAdd(c.Reading, Bytes(m.Arena.Size))
	for i := range p.Consts {
		c.PeakBytes = tensor.SatAdd(c.PeakBytes, Bytes(Need(&p.Regs[p.Consts[i].Reg])))
	}
	for _, in := range p.Inputs {
		c.PeakBytes = tensor.SatAdd(c.PeakBytes, Bytes(Need(&p.Regs[in.Reg])))
	}
	for i := range m.Steps {
		ops := m.Steps[i].Cost.Ops
		rows := m.Steps[i].rows(p)
		c.Rows, c.PeakBytes = tensor.SatAdd(c.Rows, rows), tensor.SatAdd(c.PeakBytes, rows)
		if c.Ops = tensor.SatAdd(c.Ops, ops); !m.Steps[i].Metered() {
			c.Unmetered = tensor.SatAdd(c.Unmetered, ops)
		}
	}
	for _, o := range p.Outputs {
		r := &p.Regs[o.Reg]
		n := r.Shape.Elems()
		if r.Layout == tensor.Rows {
			n = tensor.SatMul(uint64(r.NNZ), uint64(max(1, len(r.Columns))))
			c.TableElements = tensor.SatAdd(c.TableElements, n)
		}
		c.OutputElements = tensor.SatAdd(c.OutputElements, n)
		if n >= c.Largest.Elements {
			c.Largest = Output{o.Name, o.Pos, n}
		}
	}
	c.Statements = slices.Grow(c.Statements, len(p.Stmts))
	for i, s := range p.Stmts {
		c.Statements = append(c.Statements, Statement{Name: s.Name, Pos: s.Pos})
		for k := s.From; k < s.To; k++ {
			m.charge(p, i, k)
		}
	}
	c.Statements = slices.DeleteFunc(c.Statements, func(s Statement) bool { return s == Statement{Name: s.Name, Pos: s.Pos} })
}

// charge adds a step of p, as it was fitted, to a statement, which has the sum of the work of its steps, but of rows and bytes
// the most that one of them takes.
func (m *Module) charge(p *code.Program, i, k int) {
	part, step := &m.Certificate.Statements[i], &m.Steps[k]
	part.Ops = tensor.SatAdd(part.Ops, step.Cost.Ops)
	if !step.Metered() {
		part.Unmetered = tensor.SatAdd(part.Unmetered, step.Cost.Ops)
	}
	rows := step.rows(p)
	part.Rows = max(part.Rows, rows)
	bytes := rows
	if !step.Loose {
		bytes = tensor.SatAdd(Bytes(step.Cost), rows)
	}
	if step.Dst >= 0 && !step.GivesLoose(p) {
		bytes = tensor.SatAdd(bytes, Bytes(Need(&p.Regs[step.Dst])))
	}
	part.Bytes = max(part.Bytes, bytes)
}
