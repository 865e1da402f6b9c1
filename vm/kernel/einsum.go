package kernel

import (
	"ein/vm/op"
	"slices"
)

// Slots of the strides of an axis.
const (
	slotA = iota
	slotB
	slotD
	slots
)

// maxLoops bounds the axes of a loop nest: the indices of a Spec.
const maxLoops = 64

// loopAxis is one loop: its length, and how far a step moves in each slot.
type loopAxis struct {
	n      int
	stride [slots]int
}

// indexInfo is what a Spec says about one index. Strides of repeated axes add
// up, which is what makes diagonals ordinary strided views.
type indexInfo struct {
	loopAxis
	in [slots]bool
}

// indexes returns what a Spec of one or two operands says about each of its indices.
func indexes(s op.Spec) []indexInfo {
	info := make([]indexInfo, len(s.Size))
	for i, n := range s.Size {
		info[i].n = n
	}
	for slot, ids := range s.In {
		addAxes(info, ids, slot)
	}
	addAxes(info, s.Out, slotD)
	return info
}

// addAxes notes the strides of the axes of a tensor in row-major order. An index that comes twice,
// as in a diagonal, has both strides added up: a step along it is a step along each of its axes.
func addAxes(info []indexInfo, ids []uint8, slot int) {
	stride := 1
	for i := len(ids) - 1; i >= 0; i-- {
		x := &info[ids[i]]
		x.in[slot] = true
		x.stride[slot] += stride
		stride *= x.n
	}
}

// writesDiagonal reports whether some elements of the result are 0 because
// they lie off a diagonal.
func writesDiagonal(s op.Spec) bool {
	for i, x := range s.Out {
		if s.Size[x] > 1 && slices.Contains(s.Out[:i], x) {
			return true
		}
	}
	return false
}

// loopsProduct is the number of times that the body of a nest runs.
func loopsProduct(axes []loopAxis) uint64 {
	n := uint64(1)
	for _, x := range axes {
		n = satMul(n, uint64(x.n))
	}
	return n
}

// sortLoops orders loops by falling key, so that the innermost moves least. They are
// few, and the sort of package slices is four kilobytes for each type.
func sortLoops(axes []loopAxis, key func(loopAxis) int) {
	for i := range axes {
		for k := i; k > 0 && key(axes[k]) > key(axes[k-1]); k-- {
			axes[k], axes[k-1] = axes[k-1], axes[k]
		}
	}
}

func byStride(slot int) func(loopAxis) int {
	return func(x loopAxis) int { return x.stride[slot] }
}

// mergeLoops joins neighbouring loops that together are one longer loop in
// every slot. It overwrites axes and returns what is left of it.
func mergeLoops(axes []loopAxis) []loopAxis {
	out := axes[:0]
	for _, q := range axes {
		if q.n == 1 {
			continue
		}
		if len(out) > 0 && joinable(out[len(out)-1], q) {
			out[len(out)-1] = loopAxis{out[len(out)-1].n * q.n, q.stride}
			continue
		}
		out = append(out, q)
	}
	return out
}

// joinable reports whether a loop and the one inside it can be one, for all slots.
func joinable(p, q loopAxis) bool {
	for s := range slots {
		if p.stride[s] != q.n*q.stride[s] {
			return false
		}
	}
	return true
}

// odometer walks a loop nest, keeping the offset of each slot. A nest of more
// than fewLoops makes it allocate: only the results inside a Many have so many
// axes, and room for all of them would cost small nests a quarter of their time.
type odometer struct {
	off  [slots]int
	few  [fewLoops]int
	many []int
}

const fewLoops = 24

// next moves to the following point, the last axis fastest; false when there
// is none.
func (o *odometer) next(axes []loopAxis) bool {
	idx := o.few[:]
	if len(axes) > fewLoops {
		if o.many == nil {
			o.many = make([]int, len(axes))
		}
		idx = o.many
	}
	for i := len(axes) - 1; i >= 0; i-- {
		x := &axes[i]
		idx[i]++
		o.off[slotA] += x.stride[slotA]
		o.off[slotB] += x.stride[slotB]
		o.off[slotD] += x.stride[slotD]
		if idx[i] < x.n {
			return true
		}
		idx[i] = 0
		o.off[slotA] -= x.n * x.stride[slotA]
		o.off[slotB] -= x.n * x.stride[slotB]
		o.off[slotD] -= x.n * x.stride[slotD]
	}
	return false
}

// Unary is a planned einsum of one operand: a transpose, diagonal, trace, sum,
// broadcast, or any mixture. It is immutable and may run in several goroutines.
type Unary struct {
	zero   int       // leading elements of dst to clear before the copy
	sum    *foldNest // nil when nothing is summed
	copy   *copyNest // nil when the sum writes dst itself
	sumLen int       // elements of the sum when the copy follows it
	cost   Cost
}

// PlanUnary plans a Spec of one operand.
func PlanUnary(s op.Spec) *Unary {
	outLen := s.Elems(s.Out)
	if s.Empty() {
		return &Unary{zero: int(outLen), cost: Cost{Ops: outLen}}
	}
	info := indexes(s)
	summed, repeated := false, false
	for _, x := range info {
		summed = summed || x.in[slotA] && !x.in[slotD] && x.n > 1
		repeated = repeated || x.in[slotD] && !x.in[slotA] && x.n > 1
	}
	switch {
	case !summed:
		return planCopy(s, info)
	case !repeated:
		return planSum(s, info)
	}
	// Sum once into scratch, then repeat the sums, rather than the summing.
	var kept []uint8
	for id, x := range info {
		if x.in[slotA] && x.in[slotD] {
			kept = append(kept, uint8(id))
		}
	}
	first := PlanUnary(op.Spec{In: s.In, Out: kept, Size: s.Size})
	second := PlanUnary(op.Spec{In: [][]uint8{kept}, Out: s.Out, Size: s.Size})
	n := s.Elems(kept)
	return &Unary{
		zero: second.zero, sum: first.sum, copy: second.copy, sumLen: int(n),
		cost: Cost{Ops: satSum(first.cost.Ops, second.cost.Ops), F: n},
	}
}

// usedLoops is one loop for every index in use.
func usedLoops(info []indexInfo) []loopAxis {
	var axes []loopAxis
	for _, x := range info {
		if x.in[slotA] || x.in[slotB] || x.in[slotD] {
			axes = append(axes, x.loopAxis)
		}
	}
	return axes
}

// planCopy plans a Spec that sums nothing. One that writes a diagonal leaves elements out, so dst
// is cleared first.
func planCopy(s op.Spec, info []indexInfo) *Unary {
	axes := usedLoops(info)
	u := &Unary{cost: Cost{Ops: loopsProduct(axes)}}
	u.copy = planCopyNest(axes)
	if writesDiagonal(s) {
		n := s.Elems(s.Out)
		u.zero = int(n)
		u.cost.Ops = satSum(u.cost.Ops, n)
	}
	return u
}

func planSum(s op.Spec, info []indexInfo) *Unary {
	f := planFoldNest(op.FoldSum, usedLoops(info), s.Elems(s.Out), writesDiagonal(s))
	return &Unary{sum: f, cost: Cost{Ops: f.ops}}
}

// Cost is exact: one operation per element read and added or copied, plus one
// per element cleared.
func (u *Unary) Cost() Cost { return u.cost }

// Run evaluates the einsum of a into dst, which must not overlap.
func (u *Unary) Run(c *Ctl, dst, a []float64, s Scratch) {
	if u.sum != nil {
		if u.copy == nil {
			u.sum.run(c, dst, a)
			return
		}
		u.sum.run(c, s.F[:u.sumLen], a)
		a = s.F[:u.sumLen]
	}
	if u.zero > 0 {
		Fill(c, dst[:u.zero], 0)
	}
	if u.copy != nil {
		u.copy.run(c, dst, a)
	}
}
