package kernel

import (
	"ein/vm/op"
	"errors"
	"math"
	"slices"
)

var errArgAxes = errors.New("kernel: argmax and argmin take one axis")

// Reduce is a planned reduction of some axes of a tensor. It is immutable and
// may run in several goroutines.
type Reduce struct {
	nest *foldNest // sum, max and min

	fold            op.Fold // FoldArgMax and FoldArgMin
	outer, n, inner int
	outLen          int
	cost            Cost
}

// PlanReduce plans the reduction of the given axes of a row-major tensor; the
// result has the axes that are left. It is an error to reduce no elements by
// anything but a sum, unless the result is empty too, and to give the arg folds
// other than one axis.
func PlanReduce(fold op.Fold, shape, axes []int) (*Reduce, error) {
	s := reduceSpec(shape, axes)
	outLen := s.Elems(s.Out)
	p := &Reduce{fold: fold, outLen: int(outLen)}
	if outLen > 0 && fold != op.FoldSum && s.Elems(s.In[0]) == 0 {
		return nil, errEmptyFold
	}
	if fold == op.FoldArgMax || fold == op.FoldArgMin {
		return p, p.planArg(shape, axes)
	}
	if s.Empty() {
		p.cost.Ops = outLen
		return p, nil
	}
	p.nest = planFoldNest(fold, usedLoops(indexes(s)), outLen, false)
	p.cost.Ops = p.nest.ops
	return p, nil
}

// reduceSpec is the sum over the given axes.
func reduceSpec(shape, axes []int) op.Spec {
	s := op.Spec{In: [][]uint8{nil}, Size: shape}
	for d := range shape {
		s.In[0] = append(s.In[0], uint8(d))
		if !slices.Contains(axes, d) {
			s.Out = append(s.Out, uint8(d))
		}
	}
	return s
}

// planArg plans the position of the maximum or minimum along one axis. Along one that is not the
// last, a slice of numbers holds the best so far.
func (p *Reduce) planArg(shape, axes []int) error {
	if len(axes) != 1 {
		return errArgAxes
	}
	p.outer, p.n, p.inner = splitAxis(shape, axes[0])
	p.cost.Ops = dimsProduct(shape)
	if p.inner > 1 {
		p.cost.F = uint64(p.inner)
	}
	return nil
}

// splitAxis sees a tensor as outer x n x inner around one axis.
func splitAxis(shape []int, axis int) (outer, n, inner int) {
	return int(dimsProduct(shape[:axis])), shape[axis], int(dimsProduct(shape[axis+1:]))
}

// Cost is exact: one operation per element, and one per element of the result
// when the axes reduced are not the last ones.
func (p *Reduce) Cost() Cost { return p.cost }

// Run reduces a into dst, which must not overlap.
func (p *Reduce) Run(c *Ctl, dst, a []float64, s Scratch) {
	switch {
	case p.nest != nil:
		p.nest.run(c, dst, a)
		return
	case p.fold == op.FoldSum:
		Fill(c, dst[:p.outLen], 0)
		return
	case p.outLen == 0:
		return
	case p.inner == 1:
		p.argRows(c, dst, a)
		return
	}
	p.argColumns(c, dst, a, s.F[:p.inner])
}

// argRows sets dst to the position of the best element in each row of a; see better.
func (p *Reduce) argRows(c *Ctl, dst, a []float64) {
	m := newMeter(c)
	for i := range p.outer {
		row := a[i*p.n : (i+1)*p.n]
		at, best := 0, row[0]
		for lo := 0; lo < p.n; lo += PollOps {
			part := row[lo:min(lo+PollOps, p.n)]
			for j, v := range part {
				if p.better(v, best) {
					at, best = lo+j, v
				}
			}
			m.spend(len(part))
		}
		dst[i] = float64(at)
	}
}

// better reports whether v, coming later, takes the place of best. Written so
// that a NaN wins once and for all.
func (p *Reduce) better(v, best float64) bool {
	if p.fold == op.FoldArgMax {
		return !(v <= best) && best == best
	}
	return !(v >= best) && best == best
}

// argColumns goes through the rows in memory order, with the best value of each
// column in scratch.
func (p *Reduce) argColumns(c *Ctl, dst, a, best []float64) {
	m := newMeter(c)
	for i := range p.outer {
		a, dst := a[i*p.n*p.inner:], dst[i*p.inner:(i+1)*p.inner]
		copy(best, a)
		clear(dst)
		for j := range p.n {
			for lo := 0; lo < p.inner; lo += PollOps {
				hi := min(lo+PollOps, p.inner)
				row := a[j*p.inner+lo : j*p.inner+hi]
				for k, v := range row {
					if p.better(v, best[lo+k]) {
						best[lo+k], dst[lo+k] = v, float64(j)
					}
				}
				m.spend(len(row))
			}
		}
	}
}

// SoftmaxCost returns the cost of Softmax: three passes over the elements.
func SoftmaxCost(shape []int) Cost { return Cost{Ops: satMul(3, dimsProduct(shape))} }

// softmaxStrip is how many neighbours Softmax takes at a time: columns, when the axis
// is not the last one.
const softmaxStrip = 64

// Softmax sets dst to exp(a - m) / sum of exp(a - m) along one axis, where m is
// the maximum along it, so that nothing overflows. dst may be a. A NaN, or an
// infinite maximum, makes the whole run NaN, as in SciPy.
func Softmax(c *Ctl, dst, a []float64, shape []int, axis int) {
	outer, n, inner := splitAxis(shape, axis)
	m := newMeter(c)
	for i := range outer {
		if inner == 1 {
			softmaxRow(&m, dst[i*n:(i+1)*n], a[i*n:(i+1)*n])
			continue
		}
		for lo := 0; lo < inner; lo += softmaxStrip {
			w := min(softmaxStrip, inner-lo)
			at := i*n*inner + lo
			if n > 0 {
				softmaxColumns(&m, dst[at:], a[at:], n, inner, w)
			}
		}
	}
}

// softmaxRow goes over a row three times: for the maximum, which is taken off so that nothing
// overflows, for the powers and their sum, and to divide.
func softmaxRow(m *meter, dst, a []float64) {
	t := m.c.Tier
	var x [softmaxStrip]float64 // the same number throughout
	top, sum := math.Inf(-1), 0.0
	each := func(visit func(d, a []float64)) {
		for lo := 0; lo < len(a); lo += softmaxStrip {
			hi := min(lo+softmaxStrip, len(a))
			visit(dst[lo:hi], a[lo:hi])
			m.spend(hi - lo)
		}
	}
	each(func(_, a []float64) { top = foldRun(t, op.FoldMax, top, a, 1, len(a)) })
	fillRun(x[:], top)
	each(func(d, a []float64) {
		evalBinary(t, op.FnSub, d, a, x[:])
		evalUnary(t, op.FnExp, d, d)
		sum = foldRun(t, op.FoldSum, sum, d, 1, len(d))
	})
	fillRun(x[:], sum)
	each(func(d, _ []float64) { evalBinary(t, op.FnDiv, d, d, x[:]) })
}

// softmaxColumns does w columns of n elements, rows being stride apart.
func softmaxColumns(m *meter, dst, a []float64, n, stride, w int) {
	t := m.c.Tier
	var tops, sums [softmaxStrip]float64
	top, sum := tops[:w], sums[:w]
	fillRun(top, math.Inf(-1))
	each := func(visit func(d, a []float64)) {
		for i := range n {
			visit(dst[i*stride:][:w], a[i*stride:][:w])
			m.spend(w)
		}
	}
	each(func(_, a []float64) { evalBinary(t, op.FnMax, top, top, a) })
	each(func(d, a []float64) {
		evalBinary(t, op.FnSub, d, a, top)
		evalUnary(t, op.FnExp, d, d)
		evalBinary(t, op.FnAdd, sum, sum, d)
	})
	each(func(d, _ []float64) { evalBinary(t, op.FnDiv, d, d, sum) })
}
