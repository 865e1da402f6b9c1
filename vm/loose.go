package vm

import (
	"fmt"
	"math"

	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// loose runs step i, which reads or gives matrices whose entries are known only now. It plans the step
// again for those, compares its operations with what the limit has left, and takes the memory of its
// result and its scratch from the budget, which gets it back behind the last step that needs it.
func (m *Machine) loose(i int) {
	s := &m.mod.Steps[i]
	if m.fitted == nil {
		p := *m.mod.Program
		p.Regs = append([]code.Reg(nil), p.Regs...)
		m.fitted = &p
	}
	p := m.fitted
	for _, r := range s.Args {
		if v := &m.regs[r]; v.Layout == tensor.Sparse {
			p.Regs[r].NNZ = v.CSR.NNZ()
		}
	}
	site := code.Site{Workers: m.mod.Workers}
	kept := uint64(0)
	if s.GivesLoose(p) {
		d := &p.Regs[s.Dst]
		if d.NNZ = site.Entries(p, s.Instr); s.Op == code.ProductCSR {
			var entries uint64
			entries, site.Work = kernel.CSRProductEntries(&m.ctl, &m.a.CSR, &m.b.CSR)
			if entries > math.MaxInt32-1 {
				m.fail(&RuntimeError{Kind: BadInput, Message: fmt.Sprintf("a product of sparse matrices has room for 2^31 entries, this one may have %d", entries),
					Hint: "select rows before the product, or sum it in the same statement"})
			}
			d.NNZ = int(min(entries, uint64(d.NNZ)))
			m.sofar = fmt.Sprintf("room for %d entries", entries)
		}
		kept = cost.Bytes(cost.Need(d))
	}
	plan, need, err := site.Plan(p, s.Instr)
	if err != nil {
		panic("BUG: vm: " + err.Error())
	}
	if !s.Op.Metered() && m.ctl.Limit > 0 && tensor.SatAdd(m.ctl.Ops, need.Ops) > m.ctl.Limit {
		m.ctl.Over = true
		kernel.Stop()
	}
	scratch := cost.Bytes(need)
	if most := m.budget.Max - m.budget.Used; tensor.SatAdd(kept, scratch) > most {
		m.over = &Exceeded{What: "bytes", Max: m.bytes, Most: m.mod.Certificate.PeakBytes, Sofar: m.sofar}
		kernel.Stop()
	}
	m.budget.Used += kept + scratch
	if s.GivesLoose(p) {
		d := &m.regs[s.Dst]
		rows, cols := d.Shape.Matrix()
		d.CSR = tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Idx: make([]int32, p.Regs[s.Dst].NNZ)}
		if p.Regs[s.Dst].Kind != tensor.Bool {
			d.CSR.Val = make([]float64, len(d.CSR.Idx))
		}
	}
	fits := *m.step
	fits.Step = &cost.Step{Instr: s.Instr, Plan: plan, Cost: need}
	m.step = &fits
	defer func(own kernel.Scratch) { m.scratch = own }(m.scratch) // also when the kernel stops
	m.scratch = kernel.Scratch{F: make([]float64, need.F), W: make([]uint64, need.W), I: make([]int32, need.I)}
	m.kernel(m)
	m.peak = max(m.peak, m.budget.Used)
	m.budget.Used -= scratch
	for _, r := range s.Drops {
		p.Regs[r].NNZ = cap(m.regs[r].CSR.Idx) // what was taken for it, of which it may fill a part
		m.budget.Used -= cost.Bytes(cost.Need(&p.Regs[r]))
		m.regs[r].CSR = tensor.CSR{}
	}
}
