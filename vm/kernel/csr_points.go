package kernel

import (
	"ein/vm/op"
	"ein/vm/tensor"
)

// csrPoints is an elementwise expression of sparse matrices of one size, vectors along their rows or
// columns, and numbers.
type csrPoints struct {
	rows, cols, nnz int
	none            []float64 // of a matrix: what it is where it has no entry
	along           []int     // of an operand after the matrices: its axis, or -1 for a number
	code            []op.Micro
	consts          []float64
	regs            int
	result          uint8
}

// planCSRPoints plans the expression. The first operands are the matrices, whose strides are not looked
// at and whose entries are nnz in all; the others have one along rows, along columns, or none.
func planCSRPoints(rows, cols, nnz int, none []float64, strides [][]int, code []op.Micro, consts []float64) (csrPoints, error) {
	f := &Fused{code: code, consts: consts}
	if err := f.countRegs(len(strides)); err != nil {
		return csrPoints{}, err
	}
	p := csrPoints{rows: rows, cols: cols, nnz: nnz, none: none, code: code, consts: consts, regs: f.regs, result: f.result}
	for _, o := range strides[len(none):] {
		along := -1
		for d, stride := range o {
			if stride != 0 {
				along = d
			}
		}
		p.along = append(p.along, along)
	}
	return p, nil
}

// absence is what is known of a value at places where some matrices have no entry.
type absence struct {
	on       uint8 // what it depends on, as bits: rows, columns, an entry
	known    bool  // it is value
	value    float64
	positive bool
	unsigned bool  // it is not below 0
	zero     bool  // it is 0, but for the poles and products with what is not finite, as in CSRMatVec
	poles    uint8 // what decides whether it is NaN instead, as in on; onNumbers if nothing but numbers
}

const (
	onEntries = 4
	onNumbers = 8
)

// everywhere is the set of all matrices.
const everywhere = -1

// absence is that of the expression where a matrix has no entry, or where none has.
func (p *csrPoints) absence(matrix int) absence {
	var reg [256]absence
	for q, x := range p.none {
		if matrix == everywhere || matrix == q {
			reg[q] = absentNumber(x)
		} else {
			reg[q].on = onEntries
		}
	}
	first := len(p.none)
	for k, d := range p.along {
		if d >= 0 {
			reg[first+k].on = 1 << d
		}
	}
	for k, x := range p.consts {
		reg[first+len(p.along)+k] = absentNumber(x)
	}
	for _, m := range p.code {
		if m.Fn == op.FnCheck {
			continue
		}
		reg[m.Dst] = absenceOf(m.Fn, [3]absence{reg[m.A], reg[m.B], reg[m.C]})
	}
	return reg[p.result]
}

// Needs reports whether the expression is 0 where one of several matrices has no entry, whatever the others are.
func (p *csrPoints) Needs(matrix int) bool {
	alone := p.absence(matrix)
	return len(p.none) > 1 && alone.zero && alone.poles == 0
}

func absentNumber(x float64) absence {
	r := absence{known: true, value: x, zero: x == 0, positive: x > 0, unsigned: x >= 0}
	if x != x {
		r.poles = onNumbers
	}
	return r
}

// absenceOf is the absence of a function. A choice by what is known depends on what is chosen.
func absenceOf(f op.Fn, args [3]absence) (r absence) {
	a, b, c := &args[0], &args[1], &args[2]
	if f == op.FnWhere && a.known {
		if a.value != 0 {
			return *b
		}
		return *c
	}
	r.known = true
	sure := true // each argument is known, or 0 but for poles
	for _, x := range args[:f.Arity()] {
		r.on, r.poles = r.on|x.on, r.poles|x.poles
		r.known, sure = r.known && x.known, sure && (x.known || x.zero)
	}
	if r.known {
		r = absentNumber(f.Apply(a.value, b.value, c.value))
		if f == op.FnDiv && b.value == 0 { // infinite, and NaN if it is multiplied by 0
			r.poles = onNumbers
		}
		return r
	}
	switch f {
	case op.FnMul:
		r.zero = a.zero || b.zero
	case op.FnDiv:
		if r.zero = a.zero; !b.positive {
			r.poles |= b.on | onNumbers
		}
	case op.FnWhere:
		if r.zero = b.zero && c.zero; r.poles != 0 {
			r.poles |= a.on
		}
	case op.FnMax:
		r.positive, r.unsigned = a.positive || b.positive, a.unsigned || b.unsigned
	case op.FnAdd:
		r.positive = a.positive && b.positive
	case op.FnSqrt:
		r.positive = a.positive
	case op.FnGt, op.FnGe, op.FnLt, op.FnLe, op.FnEq:
		r.poles = 0 // a comparison with NaN is 0
	}
	if f == op.FnGt && a.zero && b.unsigned || f == op.FnLt && b.zero && a.unsigned {
		r.zero = true
	}
	if sure && (f != op.FnNe || r.poles == 0) {
		r.zero = f.Apply(a.value, b.value, c.value) == 0 // value is 0 where it is not known
	}
	return r
}

// registers has the numbers of a point in place, and each matrix as if it had no entry.
func (p *csrPoints) registers(args [][]float64, s *Scratch) []float64 {
	reg, first := s.takeF(p.regs), len(p.none)
	clear(reg)
	copy(reg, p.none)
	copy(reg[first+len(p.along):], p.consts)
	for k, d := range p.along {
		if d < 0 {
			reg[first+k] = args[first+k][0]
		}
	}
	return reg
}

// point is the value of the expression of what is in the registers.
func (p *csrPoints) point(reg []float64) float64 {
	for k := range p.code {
		if m := &p.code[k]; m.Fn != op.FnCheck {
			reg[m.Dst] = m.Fn.Apply(reg[m.A], reg[m.B], reg[m.C])
		}
	}
	return reg[p.result]
}

// at sets the operands along an axis.
func (p *csrPoints) at(reg []float64, args [][]float64, axis, i int) {
	first := len(p.none)
	for k, d := range p.along {
		if d == axis {
			reg[first+k] = args[first+k][i]
		}
	}
}

// union is the pattern of all entries. A row is a merge of the rows of all matrices, by their least
// columns.
func (p *csrPoints) union(m *meter, dst *tensor.CSR, matrices []tensor.CSR, next []int32, s *Scratch) {
	*dst = tensor.CSR{Rows: p.rows, Cols: p.cols, Ptr: s.takeI(p.rows + 1), Idx: s.takeI(p.nnz)[:0]}
	dst.Ptr[0] = 0
	for i := range p.rows {
		for q := range matrices {
			next[q] = matrices[q].Ptr[i]
		}
		from := len(dst.Idx)
		for len(matrices) != 2 {
			least := int32(p.cols)
			for q := range matrices {
				if b := &matrices[q]; next[q] < b.Ptr[i+1] {
					least = min(least, b.Idx[next[q]])
				}
			}
			if int(least) == p.cols {
				break
			}
			for q := range matrices {
				if b := &matrices[q]; next[q] < b.Ptr[i+1] && b.Idx[next[q]] == least {
					next[q]++
				}
			}
			dst.Idx = append(dst.Idx, least)
		}
		if len(matrices) == 2 { // in half the time
			dst.Idx = dst.Idx[:from+mergeRows(dst.Idx[from:cap(dst.Idx)], matrices[0].Row(i), matrices[1].Row(i))]
		}
		dst.Ptr[i+1] = int32(len(dst.Idx))
		m.spend((1 + len(dst.Idx) - from) * len(matrices))
	}
}

// gaps reports of a row, or of a column, whether a has no entry at some place of it.
func (p *csrPoints) gaps(m *meter, a *tensor.CSR, axis int, s *Scratch) func(i int) bool {
	if axis == 0 {
		return func(i int) bool { return len(a.Row(i)) < p.cols }
	}
	entries := s.takeI(p.cols)
	clear(entries)
	for i := range a.Rows {
		row := a.Row(i)
		for _, j := range row {
			entries[j]++
		}
		m.spend(len(row) + 1)
	}
	return func(j int) bool { return int(entries[j]) < p.rows }
}
