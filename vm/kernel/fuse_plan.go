package kernel

import (
	"ein/vm/op"
	"errors"
	"fmt"
	"slices"
)

// MaxRegs is the number of registers of a Fused: operands, constants and
// temporaries together.
const MaxRegs = 32

// Errors of PlanFused and of the other planners of folds.
var (
	errFusedRegs = errors.New("kernel: too many registers in a fused expression")
	errEmptyFold = errors.New("kernel: maximum or minimum of nothing")
	errNotMatrix = errors.New("kernel: packed elements of no matrix")
)

// fusedKind is how an operand becomes a block.
type fusedKind uint8

const (
	fusedScalar fusedKind = iota // one value throughout
	fusedLinear                  // lies in iteration order: used in place
	fusedGather                  // copied block by block
)

// fusedInput is an operand: how it becomes a block and, to gather it, where its elements are.
type fusedInput struct {
	kind   fusedKind
	stride []int // along the merged axes
}

// Fused is a planned elementwise expression over any number of operands, with
// an optional fold of its last axes. It never holds more than a block of each
// intermediate. It is immutable and may run in several goroutines.
type Fused struct {
	n, outLen int // points of the iteration, elements of dst
	dims      []int
	in        []fusedInput
	code      []op.Micro
	consts    []float64
	regs      int
	result    uint8
	folds     bool
	fold      op.Fold
	run       int  // points folded into one element
	bare      bool // a block needs no registers
	past      bool // the result is too large for the caches, and written past them unless packed
	bits      bool // the result is packed: see RunBits
	cost      Cost
}

// PlanFused plans an elementwise expression over the points of shape. The value
// of a point is the register that the last instruction other than FnCheck
// writes, or register 0. Operands and constants are not writable. It is an
// error to use more than MaxRegs registers or to write to the wrong ones.
//
// strides says where each operand has its element of each point: the distance between neighbours
// along every axis, in elements; 0 along an axis that it lacks, so all zeros for a scalar.
func PlanFused(shape []int, strides [][]int, code []op.Micro, consts []float64) (*Fused, error) {
	return planFused(shape, len(shape), false, strides, code, consts)
}

// PlanFusedFold is PlanFused followed by a fold (sum, maximum or minimum) of the
// last axes of shape, foldAxes of them. It is an error to take the maximum or
// minimum of no points, unless there is no element to put it in either.
func PlanFusedFold(shape []int, foldAxes int, fold op.Fold, strides [][]int, code []op.Micro, consts []float64) (*Fused, error) {
	p, err := planFused(shape, len(shape)-foldAxes, true, strides, code, consts)
	if err != nil {
		return nil, err
	}
	p.fold, p.run = fold, int(dimsProduct(shape[len(shape)-foldAxes:]))
	out := dimsProduct(shape[:len(shape)-foldAxes])
	p.outLen = int(out)
	if p.run == 0 && p.outLen > 0 && fold != op.FoldSum {
		return nil, errEmptyFold
	}
	p.cost.Ops = satSum(p.cost.Ops, dimsProduct(shape), out)
	return p, nil
}

// PlanFusedBits is PlanFused of a matrix that RunBits packs.
func PlanFusedBits(shape []int, strides [][]int, code []op.Micro, consts []float64) (*Fused, error) {
	if len(shape) != 2 {
		return nil, errNotMatrix
	}
	p, err := PlanFused(shape, strides, code, consts)
	if err != nil {
		return nil, err
	}
	p.bits = true
	p.cost.Ops = satSum(p.cost.Ops, uint64(p.n))
	p.cost.F = uint64(p.regs) * uint64(p.blockLen())
	return p, nil
}

// dimsProduct is the number of points of a shape.
func dimsProduct(dims []int) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n = satMul(n, uint64(d))
	}
	return n
}

// planFused plans the expression; axes from kept on are not merged with those
// before.
func planFused(shape []int, kept int, folds bool, strides [][]int, code []op.Micro, consts []float64) (*Fused, error) {
	n := dimsProduct(shape)
	p := &Fused{n: int(n), outLen: int(n), code: slices.Clone(code), consts: slices.Clone(consts), folds: folds}
	if err := p.countRegs(len(strides)); err != nil {
		return nil, err
	}
	p.setInputs(shape, strides)
	p.setWays()
	work := uint64(len(code))
	for _, in := range p.in {
		if in.kind == fusedGather {
			work++
		}
	}
	p.cost.Ops = satMul(n, work)
	if len(p.writes()) == 0 && kept == len(shape) {
		p.cost.Ops = satSum(p.cost.Ops, n)
	}
	p.cost.F = uint64(p.regs) * uint64(p.blockLen())
	return p, nil
}

// writes is the code without FnCheck.
func (p *Fused) writes() []op.Micro {
	return slices.DeleteFunc(slices.Clone(p.code), func(m op.Micro) bool { return m.Fn == op.FnCheck })
}

// countRegs counts the block registers. Operands and constants come first and are never written,
// since they are views of memory that others read.
func (p *Fused) countRegs(operands int) error {
	fixed := operands + len(p.consts)
	p.regs = max(fixed, 1)
	for _, m := range p.code {
		p.regs = max(p.regs, int(m.A)+1, int(m.B)+1, int(m.C)+1)
		if m.Fn == op.FnCheck {
			continue
		}
		p.result = m.Dst
		p.regs = max(p.regs, int(m.Dst)+1)
		if int(m.Dst) < fixed {
			return fmt.Errorf("kernel: fused instruction %v writes to an operand", m)
		}
	}
	if p.regs > MaxRegs {
		return errFusedRegs
	}
	return nil
}

// setInputs merges the axes that are one longer axis for every operand, and
// classifies the operands.
func (p *Fused) setInputs(shape []int, strides [][]int) {
	p.in = make([]fusedInput, len(strides))
	for d, n := range shape {
		if n == 1 {
			continue
		}
		if last := len(p.dims) - 1; last >= 0 && p.joins(last, d, n, strides) {
			p.dims[last] *= n
			for k := range p.in {
				p.in[k].stride[last] = strides[k][d]
			}
			continue
		}
		p.dims = append(p.dims, n)
		for k := range p.in {
			p.in[k].stride = append(p.in[k].stride, strides[k][d])
		}
	}
	for k := range p.in {
		p.in[k].kind = p.classify(p.in[k].stride)
	}
}

// joins reports whether axis d, of n points, continues the last merged axis for all operands, so
// that one loop can go through both.
func (p *Fused) joins(last, d, n int, strides [][]int) bool {
	for k := range p.in {
		if p.in[k].stride[last] != n*strides[k][d] {
			return false
		}
	}
	return true
}

// classify returns how an operand with these strides along the merged axes becomes a block.
func (p *Fused) classify(stride []int) fusedKind {
	linear, scalar := true, true
	expect := 1
	for d := len(stride) - 1; d >= 0; d-- {
		linear = linear && stride[d] == expect
		scalar = scalar && stride[d] == 0
		expect *= p.dims[d]
	}
	switch {
	case scalar:
		return fusedScalar
	case linear:
		return fusedLinear
	}
	return fusedGather
}

// Sizes of the evaluation.
const (
	// fusedBlock is the elements of a block: 2 KB a register, so that a dozen
	// stay in the first-level cache. Of one instruction there are four times as many, as it
	// keeps nothing: that takes a sixth less. In a chain longer blocks take up to half as
	// long again, since memory waits while it computes.
	fusedBlock = 256
	// fusedTiny is the largest iteration that is run point by point: five
	// instructions take 30 ns a point that way, and setting up blocks 80 ns.
	fusedTiny = 3
	// fusedBare is the elements of a block of one instruction that reads and writes nothing
	// but its arguments and its result.
	fusedBare = 1 << 14
	// fusedPast is the elements from which a result is written past the caches. At 32 MiB
	// that takes half the time, at 8 MiB longer, and longer where there is much to compute.
	fusedPast = 2 << 20
)

// blockLen is how many points a block has. A single function needs few registers, so its blocks may
// be longer.
func (p *Fused) blockLen() int {
	if p.n <= fusedTiny && !p.bits {
		return 1
	}
	if len(p.code) == 1 && (p.bits || !p.past) {
		return min(p.n, 4*fusedBlock)
	}
	return min(p.n, fusedBlock)
}

// setWays finds out what a block may do without, when all else is planned.
func (p *Fused) setWays() {
	made := !p.folds && int(p.result) >= len(p.in)+len(p.consts)
	p.past = made && p.n >= fusedPast &&
		!slices.ContainsFunc(p.code, func(m op.Micro) bool { return m.Fn == op.FnExp || m.Fn == op.FnSigmoid })
	p.bare = made && len(p.code) == 1 && len(p.consts) == 0 &&
		!slices.ContainsFunc(p.in, func(in fusedInput) bool { return in.kind != fusedLinear })
}

// Cost is exact: one operation per point for every instruction, every operand
// that does not lie in iteration order, and the fold or a bare copy; and one
// per element of a folded result.
func (p *Fused) Cost() Cost { return p.cost }
