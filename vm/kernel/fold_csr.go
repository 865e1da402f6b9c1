package kernel

import (
	"errors"
	"slices"

	"ein/vm/op"
	"ein/vm/tensor"
)

var errCSRFold = errors.New("kernel: what stands where sparse matrices have no entry depends on row and column")

// CSRFold is a planned maximum or minimum, along one axis, of an elementwise expression of sparse
// matrices, vectors along their rows or columns, and numbers; or the position of that in each row of
// one matrix. It works on the entries, and on one vector of what stands everywhere else. It is
// immutable and may run in several goroutines.
//
// Where no matrix has an entry, the expression may depend on the row or on the column, not on both
// (errCSRFold), unless it is 0 there as it is to a CSRMap. If it depends on the axis that is kept, it
// is one value for each line, which counts if the line has any place without an entry. If it depends
// on the axis that is folded, the values are the same for all lines, which differ only in the places
// that are taken: sorted by a heap as far as needed, each line takes the best one that it has no entry
// at.
type CSRFold struct {
	csrPoints
	axis int // that is folded
	fold op.Fold
	kept bool // where there is no entry the value goes by the axis that is kept
	zero bool // there it is 0
}

// PlanCSRFold plans the fold. The first operands are the matrices, whose strides are
// not looked at and whose entries are nnz in all; the others have one along rows,
// along columns, or none. none is what each matrix is where it has no entry: 0, or
// infinity for one of distances. It is an error if the expression there depends on
// both row and column.
func PlanCSRFold(rows, cols, nnz, axis int, none []float64, fold op.Fold, strides [][]int, code []op.Micro, consts []float64) (*CSRFold, error) {
	if size := [2]int{rows, cols}; fold == op.FoldSum || size[axis] == 0 && size[1-axis] > 0 {
		return nil, errEmptyFold
	}
	if fold > op.FoldMin && (axis == 0 || len(none) > 1 || len(code) > 0) {
		return nil, errCSRFold
	}
	points, err := planCSRPoints(rows, cols, nnz, none, strides, code, consts)
	if err != nil {
		return nil, err
	}
	p := &CSRFold{csrPoints: points, axis: axis, fold: fold}
	nowhere := p.absence(everywhere)
	p.kept = nowhere.on>>(1-axis)&1 != 0
	if nowhere.on == 3 {
		if p.zero = nowhere.zero && nowhere.poles == 0; !p.zero {
			return nil, errCSRFold
		}
	}
	return p, nil
}

// Cost bounds the fold.
func (p *CSRFold) Cost() Cost {
	e, r, c, m := uint64(p.nnz), uint64(p.rows), uint64(p.cols), uint64(len(p.none))
	size := [2]int{p.rows, p.cols}
	folded, each := uint64(size[p.axis]), uint64(len(p.code)+2)+2*m
	cost := Cost{
		Ops: tensor.SatAdd(satMul(e, each+4), satMul(r+c+1, each+5*heapDepth(size[p.axis])+8)),
		F:   uint64(p.regs) + 2*max(r, c), I: 3*folded + c + m,
	}
	if m > 1 {
		cost.I += r + 1 + e
	}
	return cost
}

// Run evaluates the fold of the matrices into dst. Of args only those after as many are looked at.
// Each row is gone through by the columns at which any of the matrices has an entry, with a cursor
// into every one; points where none has are folded in before, by absentees.
func (p *CSRFold) Run(c *Ctl, dst []float64, matrices []tensor.CSR, args [][]float64, s Scratch) {
	m := newMeter(c)
	if p.fold > op.FoldMin {
		p.positions(&m, dst, &matrices[0])
		return
	}
	reg, first := p.registers(args, &s), len(p.none)
	size := [2]int{p.rows, p.cols}
	dst = dst[:size[1-p.axis]]
	fill(dst, p.fold.Identity())
	a, next := matrices[0], s.takeI(first)
	m.spend(len(dst))
	if first > 1 {
		p.union(&m, &a, matrices, next, &s)
	}
	p.absentees(&m, dst, &a, args, reg, s)
	byCol := slices.Contains(p.along, 1)
	for i := range a.Rows {
		p.at(reg, args, 0, i)
		row := a.Row(i)
		for q := range matrices {
			next[q] = matrices[q].Ptr[i]
		}
		for _, j := range row {
			if byCol {
				p.at(reg, args, 1, int(j))
			}
			for q := range matrices {
				b, k := &matrices[q], next[q]
				if reg[q] = p.none[q]; k < b.Ptr[i+1] && b.Idx[k] == j {
					reg[q] = csrValue(b, k)
					next[q]++
				}
			}
			to := int(j)
			if p.axis == 1 {
				to = i
			}
			dst[to] = p.fold.Apply(dst[to], p.point(reg))
		}
		m.spend(1 + first + len(row)*(len(p.code)+first+1))
	}
}

// positions sets dst to the position of the best element of each row of a: its first place without an entry
// stands for all of these.
func (p *CSRFold) positions(m *meter, dst []float64, a *tensor.CSR) {
	better := (&Reduce{fold: p.fold}).better
	for i := range a.Rows {
		row, at, best := a.Row(i), -1, 0.0
		take := func(j int32, x float64) {
			if at < 0 || better(x, best) {
				at, best = int(j), x
			}
		}
		gap := int32(0)
		for k, j := range row {
			if j > gap && gap == int32(k) {
				take(gap, p.none[0])
			} else if j == gap {
				gap++
			}
			take(j, csrValue(a, a.Ptr[i]+int32(k)))
		}
		if int(gap) == len(row) && len(row) < p.cols {
			take(gap, p.none[0])
		}
		dst[i] = float64(at)
		m.spend(len(row) + 1)
	}
}

// absentees folds in the value of places where no matrix has an entry.
func (p *CSRFold) absentees(m *meter, dst []float64, a *tensor.CSR, args [][]float64, reg []float64, s Scratch) {
	size := [2]int{p.rows, p.cols}
	by := p.axis
	if p.kept {
		by = 1 - p.axis
	}
	value := s.takeF(size[by])
	clear(value)
	for i := range value {
		if p.at(reg, args, by, i); !p.zero {
			value[i] = p.point(reg)
		}
	}
	m.spend(len(value) * (len(p.code) + 1))
	if p.kept {
		p.keptAbsentees(m, dst, a, value, s)
		return
	}
	// The best go first, NaN before all: each line of the matrix takes the first that
	// it has no entry for.
	q := newQueue(size[by], &s)
	taken := s.takeI(size[by])[:0]
	for i, x := range value {
		work := 1
		switch {
		case x != x:
			taken = append(taken, int32(i))
		case p.fold == op.FoldMax:
			work += q.up(int32(i), -x)
		default:
			work += q.up(int32(i), x)
		}
		m.spend(work)
	}
	if p.axis == 0 {
		p.columns(m, dst, a, value, taken, &q, s)
		return
	}
	mark := s.takeI(p.cols)
	clear(mark)
	for i := range dst {
		row := a.Row(i)
		if len(row) == p.cols {
			continue
		}
		for _, j := range row {
			mark[j] = int32(i + 1)
		}
		work := 2*len(row) + 1
		for k := 0; ; k++ {
			if k == len(taken) {
				v, more := q.pop()
				taken = append(taken, v)
				work += more
			}
			if j := taken[k]; mark[j] != int32(i+1) {
				dst[i] = p.fold.Apply(dst[i], value[j])
				break
			}
		}
		m.spend(work + 1)
	}
}

// columns gives each column the first row in which it has no entry: those that the
// first row leaves over are few, and the next leave fewer.
func (p *CSRFold) columns(m *meter, dst []float64, a *tensor.CSR, value []float64, first []int32, q *queue, s Scratch) {
	left := s.takeI(p.cols)
	for j := range left {
		left[j] = int32(j)
	}
	for len(left) > 0 && len(first)+len(q.heap) > 0 {
		i, work := int32(0), 0
		if len(first) > 0 {
			i, first = first[0], first[1:]
		} else {
			i, work = q.pop()
		}
		row, next := a.Row(int(i)), left[:0]
		work += len(left) + len(row)
		for _, j := range left {
			for len(row) > 0 && row[0] < j {
				row = row[1:]
			}
			if len(row) > 0 && row[0] == j {
				next = append(next, j)
			} else {
				dst[j] = p.fold.Apply(dst[j], value[i])
			}
		}
		left = next
		m.spend(work)
	}
}

// keptAbsentees folds the value of absent entries into each row or column that has any.
func (p *CSRFold) keptAbsentees(m *meter, dst []float64, a *tensor.CSR, value []float64, s Scratch) {
	gap := p.gaps(m, a, 1-p.axis, &s)
	for k := range dst {
		if gap(k) {
			dst[k] = p.fold.Apply(dst[k], value[k])
		}
	}
	m.spend(len(dst))
}
