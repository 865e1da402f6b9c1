package vm

import (
	"fmt"
	"math"
	"slices"

	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// step runs instruction i. It reports false when the run was cancelled.
func (m *Machine) step(i int, s *cost.Step) (bool, error) {
	c := &m.ctl
	a := &m.regs[s.Args[0]]
	var b *tensor.Value
	if len(s.Args) > 1 {
		b = &m.regs[s.Args[1]]
	}
	var d *tensor.Value
	if s.Dst >= 0 {
		d = &m.regs[s.Dst]
	}
	sparse := a.Layout == tensor.Sparse
	switch s.Op {
	case code.Einsum:
		switch {
		case s.Unary != nil:
			return s.Unary.Run(c, d.F, a.F, m.scratch), nil
		case s.Pair != nil:
			return s.Pair.Run(c, d.F, a.F, b.F, m.scratch), nil
		}
		return s.Many.Run(c, d.F, m.dense(s.Args), m.scratch), nil
	case code.Exact:
		exact, ok := s.Exact.Run(c, d.F, m.dense(s.Args), m.sparse(s.Args), m.scratch)
		if ok && !exact {
			return false, inexact()
		}
		return ok, nil
	case code.Semiring:
		return s.Semiring.Run(c, d.F, a.F, b.F, m.scratch), nil
	case code.Fused:
		exact, ok := s.Fused.Run(c, d.F, m.dense(s.Args), m.scratch)
		if ok && !exact {
			return false, inexact()
		}
		return ok, nil
	case code.Reduce:
		return s.Reduce.Run(c, d.F, a.F, m.scratch), nil
	case code.Softmax:
		return kernel.Softmax(c, d.F, a.F, a.Shape.Dims(), s.Axes[0]), nil
	case code.Select:
		return m.selects(s, d, a)
	case code.Convert:
		return m.convert(d, a), nil
	case code.Logic:
		return logic(c, s.Logic, d, a, b), nil
	case code.Transpose:
		if sparse {
			d.CSR.Idx = d.CSR.Idx[:a.CSR.NNZ()]
			if d.CSR.Val != nil {
				d.CSR.Val = d.CSR.Val[:a.CSR.NNZ()]
			}
			return kernel.CSRTranspose(c, d.CSR, a.CSR), nil
		}
		return kernel.BitsTranspose(c, d.Bits, a.Bits), nil
	case code.CountRows:
		return m.countRows(d, a), nil
	case code.CountCols:
		return m.countCols(d, a), nil
	case code.CountAll:
		return m.countAll(d, a), nil
	case code.CountProduct:
		return kernel.CountProduct(c, d.F, a.Bits, b.Bits), nil
	case code.CountMatVec:
		return kernel.CountMatVec(c, d.F, a.Bits, b.Bits.W), nil
	case code.CountAnd:
		n, ok := kernel.PopAnd(c, a.Bits.W, b.Bits.W)
		d.F[0] = float64(n)
		return ok, nil
	case code.BoolProduct:
		return kernel.BoolProduct(c, d.Bits, a.Bits, b.Bits, m.scratch), nil
	case code.BoolMatVec:
		return kernel.BoolMatVec(c, d.Bits.W, a.Bits, b.Bits.W), nil
	case code.TripleTrace:
		n, ok := kernel.TripleTrace(c, a.Bits, b.Bits, m.regs[s.Args[2]].Bits)
		return ok, count(d, n)
	case code.CubeTrace:
		n, ok := kernel.TraceCubeCSR(c, a.CSR, m.scratch)
		return ok, count(d, n)
	case code.MatVec:
		return kernel.CSRMatVec(c, d.F, a.CSR, b.F), nil
	case code.VecMat:
		return kernel.CSRVecMat(c, d.F, a.F, b.CSR), nil
	case code.Diag:
		if sparse {
			return kernel.CSRDiag(c, d.F, a.CSR), nil
		}
		return m.chunks(a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				d.F[i] = truth(a.Bits.Get(i, i))
			}
		}), nil
	case code.Symmetric:
		d.CSR.Idx = d.CSR.Idx[:cap(d.CSR.Idx)]
		n, ok := kernel.CSRSymmetrise(c, d.CSR, a.CSR, m.scratch)
		d.CSR.Idx = d.CSR.Idx[:n]
		return ok, nil
	case code.Pattern:
		d.CSR.Idx = d.CSR.Idx[:a.CSR.NNZ()]
		return m.chunks(a.CSR.NNZ(), func(lo, hi int) { copy(d.CSR.Idx[lo:hi], a.CSR.Idx[lo:hi]) }) &&
			m.chunks(len(a.CSR.Ptr), func(lo, hi int) { copy(d.CSR.Ptr[lo:hi], a.CSR.Ptr[lo:hi]) }), nil
	case code.Closure:
		if sparse {
			return kernel.ClosureCSR(c, d.Bits, a.CSR, m.scratch), nil
		}
		return kernel.ClosureBits(c, d.Bits, a.Bits, m.scratch), nil
	case code.SCC:
		ok := false
		if sparse {
			_, ok = kernel.SCCCSR(c, d.Part, a.CSR, m.scratch)
		} else {
			_, ok = kernel.SCCBits(c, d.Part, a.Bits, m.scratch)
		}
		return ok, nil
	case code.Triangles:
		var n uint64
		ok := false
		if sparse {
			n, ok = kernel.TrianglesCSR(c, a.CSR, m.scratch)
		} else {
			n, ok = kernel.TrianglesBits(c, a.Bits, m.scratch)
		}
		return ok, count(d, n)
	case code.Walk, code.HasPath, code.Path, code.Dist:
		return m.search(s, d, a)
	case code.OneHot:
		i, err := position(a, d.Shape.Dim(0))
		if err != nil {
			return false, err
		}
		if !m.clearWords(d.Bits.W) {
			return false, nil
		}
		d.Bits.Set(0, i)
		return true, nil
	case code.CheckInt:
		at, ok := kernel.CheckInt(c, a.F)
		if ok && at >= 0 {
			return false, inexact()
		}
		return ok, nil
	case code.CheckFinite:
		at, ok := kernel.CheckFinite(c, a.F)
		if ok && at >= 0 {
			return false, notFinite(a, at)
		}
		return ok, nil
	case code.CheckSymmetric:
		return m.checkSymmetric(i, a), nil
	}
	panic("BUG: vm: no case for " + s.Op.String())
}

// dense lists the elements of dense registers.
func (m *Machine) dense(regs []int) [][]float64 {
	m.args = m.args[:0]
	for _, r := range regs {
		m.args = append(m.args, m.regs[r].F)
	}
	return m.args
}

// sparse is the sparse register among some, nil when there is none.
func (m *Machine) sparse(regs []int) *tensor.CSR {
	for _, r := range regs {
		if m.regs[r].Layout == tensor.Sparse {
			return &m.regs[r].CSR
		}
	}
	return nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// count stores a count that may be past what a float64 holds exactly.
func count(d *tensor.Value, n uint64) error {
	d.F[0] = float64(n)
	if n >= tensor.MaxInt {
		return inexact()
	}
	return nil
}

func inexact() error {
	return &RuntimeError{Kind: Inexact, Message: "a count reaches 2^53, past which numbers are not exact",
		Hint: "a real number, such as 1.5 times the value, is not limited"}
}

func notFinite(a *tensor.Value, at int) error {
	what := "it is NaN, from 0/0 or the like"
	if x := a.F[at]; math.IsInf(x, 0) {
		what = "it is infinite"
	}
	where := ""
	if a.Shape.Rank() > 0 {
		index := make([]int, a.Shape.Rank())
		for d := a.Shape.Rank() - 1; d >= 0; d-- {
			index[d] = at % a.Shape.Dim(d)
			at /= a.Shape.Dim(d)
		}
		where = fmt.Sprintf(" at %v", index)
	}
	return &RuntimeError{Kind: NotFinite, Message: "the output is not finite: " + what + where,
		Hint: "mask such elements, as in `where(d > 0, x / d, 0)`"}
}

// position reads a rank-0 register as an index below size.
func position(v *tensor.Value, size int) (int, error) {
	x := v.F[0]
	if x != math.Trunc(x) || math.IsInf(x, 0) {
		return 0, &RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("a position is a whole number, found %v", x)}
	}
	if x < 0 || x >= float64(size) {
		return 0, &RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("position %v does not exist: there are %d, counted from 0", x, size)}
	}
	return int(x), nil
}

func logic(c *kernel.Ctl, op code.LogicOp, d, a, b *tensor.Value) bool {
	switch op {
	case code.And:
		return kernel.BitsAnd(c, d.Bits.W, a.Bits.W, b.Bits.W)
	case code.Or:
		return kernel.BitsOr(c, d.Bits.W, a.Bits.W, b.Bits.W)
	case code.Xor:
		return kernel.BitsXor(c, d.Bits.W, a.Bits.W, b.Bits.W)
	case code.AndNot:
		return kernel.BitsAndNot(c, d.Bits.W, a.Bits.W, b.Bits.W)
	}
	return kernel.BitsNot(c, d.Bits, a.Bits)
}

func (m *Machine) convert(d, a *tensor.Value) bool {
	c := &m.ctl
	switch {
	case a.Layout == tensor.Parts:
		return kernel.PartsToBits(c, d.Bits, a.Part, m.scratch)
	case a.Layout == tensor.Sparse && d.Layout == tensor.Packed:
		return kernel.CSRToBits(c, d.Bits, a.CSR)
	case a.Layout == tensor.Sparse:
		return kernel.CSRToDense(c, d.F, a.CSR)
	case a.Layout == tensor.Packed:
		return kernel.BitsExpand(c, d.F, a.Bits)
	}
	return kernel.BitsPack(c, d.Bits, a.F)
}

func (m *Machine) countRows(d, a *tensor.Value) bool {
	c := &m.ctl
	switch {
	case a.Layout == tensor.Parts:
		return m.partSizes(d.F, a.Part)
	case a.Layout == tensor.Sparse && a.CSR.Val == nil:
		return kernel.CSRRowCount(c, d.F, a.CSR)
	case a.Layout == tensor.Sparse:
		return kernel.CSRRowSum(c, d.F, a.CSR)
	}
	return kernel.PopRows(c, d.F, a.Bits)
}

func (m *Machine) countCols(d, a *tensor.Value) bool {
	c := &m.ctl
	switch {
	case a.Layout == tensor.Parts: // symmetric
		return m.partSizes(d.F, a.Part)
	case a.Layout == tensor.Sparse && a.CSR.Val == nil:
		return kernel.CSRColCount(c, d.F, a.CSR)
	case a.Layout == tensor.Sparse:
		return kernel.CSRColSum(c, d.F, a.CSR)
	}
	return kernel.PopCols(c, d.F, a.Bits)
}

// chunkLen is the steps between two looks at whether the run is cancelled: below
// 2 ms even where each of them misses every cache.
const chunkLen = 1 << 14

// chunks does n steps of work, a piece at a time. It reports false when the run
// was cancelled.
func (m *Machine) chunks(n int, work func(lo, hi int)) bool {
	for lo := 0; lo < n; lo += chunkLen {
		if lo > 0 && m.ctl.Stopped() {
			return false
		}
		hi := min(lo+chunkLen, n)
		work(lo, hi)
		m.ctl.Ops += uint64(hi - lo)
	}
	return true
}

func (m *Machine) clearWords(w []uint64) bool {
	return m.chunks(len(w), func(lo, hi int) { clear(w[lo:hi]) })
}

// partSizes gives each node the number of nodes of its part.
func (m *Machine) partSizes(dst []float64, part []int32) bool {
	size := m.scratch.F[:len(part)]
	if !kernel.PartSizes(&m.ctl, size, part) {
		return false
	}
	return m.chunks(len(part), func(lo, hi int) {
		for i, p := range part[lo:hi] {
			dst[lo+i] = size[p]
		}
	})
}

func (m *Machine) countAll(d, a *tensor.Value) bool {
	c := &m.ctl
	switch {
	case a.Layout == tensor.Parts:
		size := m.scratch.F[:len(a.Part)]
		d.F[0] = 0
		return kernel.PartSizes(c, size, a.Part) && m.chunks(len(size), func(lo, hi int) {
			for _, s := range size[lo:hi] {
				d.F[0] += s * s
			}
		})
	case a.Layout == tensor.Sparse && a.CSR.Val == nil:
		c.Ops++
		d.F[0] = float64(a.CSR.NNZ())
		return true
	case a.Layout == tensor.Sparse:
		x, ok := kernel.CSRSum(c, a.CSR)
		d.F[0] = x
		return ok
	}
	n, ok := kernel.PopAll(c, a.Bits)
	d.F[0] = float64(n)
	return ok
}

// search runs the breadth-first searches.
func (m *Machine) search(s *cost.Step, d, a *tensor.Value) (bool, error) {
	c, n, sparse := &m.ctl, a.Shape.Dim(0), a.Layout == tensor.Sparse
	i, err := position(&m.regs[s.Args[1]], n)
	if err != nil {
		return false, err
	}
	j := 0
	if len(s.Args) > 2 {
		if j, err = position(&m.regs[s.Args[2]], n); err != nil {
			return false, err
		}
	}
	ok, found := false, false
	switch s.Op {
	case code.Walk:
		if sparse {
			ok = kernel.WalkCSR(c, d.Bits.W, a.CSR, i, s.Walk, m.scratch)
		} else {
			ok = kernel.WalkBits(c, d.Bits.W, a.Bits, i, s.Walk, m.scratch)
		}
	case code.HasPath:
		if sparse {
			found, ok = kernel.HasPathCSR(c, a.CSR, i, j, m.scratch)
		} else {
			found, ok = kernel.HasPathBits(c, a.Bits, i, j, m.scratch)
		}
		d.F[0] = truth(found)
	case code.Path:
		if sparse {
			ok = kernel.PathCSR(c, d.F, a.CSR, i, j, m.scratch)
		} else {
			ok = kernel.PathBits(c, d.F, a.Bits, i, j, m.scratch)
		}
	case code.Dist:
		if sparse {
			ok = kernel.DistCSR(c, d.F, a.CSR, i, m.scratch)
		} else {
			ok = kernel.DistBits(c, d.F, a.Bits, i, m.scratch)
		}
	}
	return ok, nil
}

func (m *Machine) checkSymmetric(i int, a *tensor.Value) bool {
	var n uint64
	ok := false
	if a.Layout == tensor.Sparse {
		n, ok = kernel.OneWayEdgesCSR(&m.ctl, a.CSR, m.scratch)
	} else {
		n, ok = kernel.OneWayEdgesBits(&m.ctl, a.Bits)
	}
	if ok && n > 0 {
		m.result.Warnings = append(m.result.Warnings, Warning{Pos: m.mod.Program.Pos[i], OneWay: n,
			Message: fmt.Sprintf("trace(A3) / 6 counts undirected triangles, but this graph has %d one-way edges", n)})
	}
	return ok
}

// selects takes elements, rows and slices.
func (m *Machine) selects(s *cost.Step, d, a *tensor.Value) (bool, error) {
	var at [tensor.MaxRank]int
	for k, axis := range s.Axes {
		i, err := position(&m.regs[s.Args[k+1]], a.Shape.Dim(axis))
		if err != nil {
			return false, err
		}
		at[k] = i
	}
	c := &m.ctl
	if a.Layout == tensor.Dense {
		return m.slice(d.F, a, s.Axes, at[:len(s.Axes)]), nil
	}
	rank := a.Shape.Rank()
	switch {
	case len(s.Axes) == rank && rank == 1:
		d.F[0] = truth(a.Bits.Get(0, at[0]))
	case len(s.Axes) == rank && a.Layout == tensor.Sparse:
		d.F[0] = kernel.CSRGet(a.CSR, at[0], at[1])
	case len(s.Axes) == rank:
		d.F[0] = a.At(at[0], at[1])
	case a.Layout == tensor.Parts:
		return kernel.PartRow(c, d.Bits.W, a.Part, at[0]), nil
	case a.Layout == tensor.Packed && s.Axes[0] == 0:
		return kernel.BitsCopy(c, d.Bits.W, a.Bits.Row(at[0])), nil
	case a.Layout == tensor.Packed:
		return m.clearWords(d.Bits.W) && m.chunks(a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if a.Bits.Get(i, at[0]) {
					d.Bits.Set(0, i)
				}
			}
		}), nil
	case a.CSR.Val == nil && s.Axes[0] == 0:
		return kernel.CSRRowBits(c, d.Bits.W, a.CSR, at[0]), nil
	default:
		return m.sparseSlice(d, &a.CSR, s.Axes[0], at[0]), nil
	}
	c.Ops++
	return true, nil
}

// slice copies the elements of a whose axes are fixed at the given positions.
func (m *Machine) slice(dst []float64, a *tensor.Value, axes, at []int) bool {
	var stride [tensor.MaxRank]int
	step := 1
	for d := a.Shape.Rank() - 1; d >= 0; d-- {
		stride[d] = step
		step *= a.Shape.Dim(d)
	}
	base := 0
	for k, axis := range axes {
		base += at[k] * stride[axis]
	}
	var dims, steps, index [tensor.MaxRank]int
	rank := 0
	for d := range a.Shape.Rank() {
		if !slices.Contains(axes, d) {
			dims[rank], steps[rank] = a.Shape.Dim(d), stride[d]
			rank++
		}
	}
	return m.chunks(len(dst), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = a.F[base]
			for d := rank - 1; d >= 0; d-- {
				index[d]++
				base += steps[d]
				if index[d] < dims[d] {
					break
				}
				base -= index[d] * steps[d]
				index[d] = 0
			}
		}
	})
}

// sparseSlice is a weighted row, or a column, of a CSR.
func (m *Machine) sparseSlice(d *tensor.Value, a *tensor.CSR, axis, at int) bool {
	if !m.clearWords(d.Bits.W) || !kernel.Fill(&m.ctl, d.F, 0) {
		return false
	}
	put := func(i int, k int) {
		if d.Layout == tensor.Packed {
			d.Bits.Set(0, i)
		} else {
			d.F[i] = a.Val[k]
		}
	}
	if axis == 0 {
		first := int(a.Ptr[at])
		return m.chunks(int(a.Ptr[at+1])-first, func(lo, hi int) {
			for k := first + lo; k < first+hi; k++ {
				put(int(a.Idx[k]), k)
			}
		})
	}
	return m.chunks(a.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if k, ok := slices.BinarySearch(a.Row(i), int32(at)); ok {
				put(i, int(a.Ptr[i])+k)
			}
		}
	})
}
