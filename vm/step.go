package vm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// kernels are the kernels of the operations, on the step that the machine is at: a and b are the
// values of its first two arguments, d that of its register, ctl and scratch are what the kernel
// may use. What fits where was decided when the step was planned, so a kernel only distinguishes
// layouts. One that gives false was cancelled, or has failed and set err.
var kernels = [code.MaxOp]func(m *Machine) bool{
	code.Einsum: func(m *Machine) bool {
		switch p := m.Plan.(type) {
		case *kernel.Unary:
			return p.Run(&m.ctl, m.d.F, m.a.F, m.scratch)
		case *kernel.Pair:
			return p.Run(&m.ctl, m.d.F, m.a.F, m.b.F, m.scratch)
		}
		return m.Plan.(*kernel.Many).Run(&m.ctl, m.d.F, m.dense(), m.scratch)
	},
	code.Exact: func(m *Machine) bool {
		var csr *tensor.CSR
		for _, r := range m.Args {
			if m.regs[r].Layout == tensor.Sparse {
				csr = &m.regs[r].CSR
			}
		}
		return m.exact(m.Plan.(*kernel.Exact).Run(&m.ctl, m.d.F, m.dense(), csr, m.scratch))
	},
	code.Semiring: func(m *Machine) bool {
		return m.Plan.(*kernel.Semiring).Run(&m.ctl, m.d.F, m.a.F, m.b.F, m.scratch)
	},
	code.Fused: func(m *Machine) bool {
		if m.d.Layout == tensor.Packed {
			return m.exact(m.Plan.(*kernel.Fused).RunBits(&m.ctl, m.d.Bits, m.dense(), m.scratch))
		}
		exact, ok := m.Plan.(*kernel.Fused).Run(&m.ctl, m.d.F, m.dense(), m.scratch)
		m.finite[m.Dst] = m.ctl.Finite
		return m.exact(exact, ok)
	},
	code.FoldCSR: func(m *Machine) bool {
		m.matrices = m.matrices[:0]
		for _, r := range m.Args {
			if m.regs[r].Layout == tensor.Sparse {
				m.matrices = append(m.matrices, m.regs[r].CSR)
			}
		}
		return m.Plan.(*kernel.CSRFold).Run(&m.ctl, m.d.F, m.matrices, m.dense(), m.scratch)
	},
	code.Reduce: func(m *Machine) bool { return m.Plan.(*kernel.Reduce).Run(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Softmax: func(m *Machine) bool {
		return kernel.Softmax(&m.ctl, m.d.F, m.a.F, m.a.Shape.Dims(), m.Axes[0])
	},
	code.Select:  selects,
	code.Convert: convert,
	code.Logic: func(m *Machine) bool {
		if m.Logic == code.Not {
			return kernel.BitsNot(&m.ctl, m.d.Bits, m.a.Bits)
		}
		return logic[m.Logic](&m.ctl, m.d.Bits.W, m.a.Bits.W, m.b.Bits.W)
	},
	code.Transpose: func(m *Machine) bool {
		if m.a.Layout != tensor.Sparse {
			return kernel.BitsTranspose(&m.ctl, m.d.Bits, m.a.Bits)
		}
		m.d.CSR.Idx = m.d.CSR.Idx[:m.a.CSR.NNZ()]
		if m.d.CSR.Val != nil {
			m.d.CSR.Val = m.d.CSR.Val[:m.a.CSR.NNZ()]
		}
		return kernel.CSRTranspose(&m.ctl, m.d.CSR, m.a.CSR)
	},
	code.CountRows: func(m *Machine) bool {
		return m.counts(kernel.PopRows, kernel.CSRRowCount, kernel.CSRRowSum)
	},
	code.CountCols: func(m *Machine) bool {
		return m.counts(kernel.PopCols, kernel.CSRColCount, kernel.CSRColSum)
	},
	code.CountAll: countAll,
	code.CountProduct: func(m *Machine) bool {
		return kernel.CountProduct(&m.ctl, m.d.F, m.a.Bits, m.b.Bits, m.scratch)
	},
	code.CountMatVec: func(m *Machine) bool {
		return kernel.CountMatVec(&m.ctl, m.d.F, m.a.Bits, m.b.Bits.W)
	},
	code.CountAnd: func(m *Machine) bool { return m.count(kernel.PopAnd(&m.ctl, m.a.Bits.W, m.b.Bits.W)) },
	code.BoolProduct: func(m *Machine) bool {
		return kernel.BoolProduct(&m.ctl, m.d.Bits, m.a.Bits, m.b.Bits, m.scratch)
	},
	code.BoolMatVec: func(m *Machine) bool {
		return kernel.BoolMatVec(&m.ctl, m.d.Bits.W, m.a.Bits, m.b.Bits.W)
	},
	code.TripleTrace: func(m *Machine) bool {
		return m.count(kernel.TripleTrace(&m.ctl, m.a.Bits, m.b.Bits, m.regs[m.Args[2]].Bits))
	},
	code.CubeTrace: func(m *Machine) bool { return m.count(kernel.TraceCubeCSR(&m.ctl, m.a.CSR, m.scratch)) },
	code.MatVec:    func(m *Machine) bool { return kernel.CSRMatVec(&m.ctl, m.d.F, m.a.CSR, m.b.F) },
	code.VecMat:    func(m *Machine) bool { return kernel.CSRVecMat(&m.ctl, m.d.F, m.a.F, m.b.CSR) },
	code.Diag: func(m *Machine) bool {
		if m.a.Layout == tensor.Sparse {
			return kernel.CSRDiag(&m.ctl, m.d.F, m.a.CSR, m.a.Absent())
		}
		return m.chunks(m.a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.d.F[i] = op.Truth(m.a.Bits.Get(i, i))
			}
		})
	},
	code.Symmetric: func(m *Machine) bool {
		m.d.CSR.Idx = m.d.CSR.Idx[:cap(m.d.CSR.Idx)]
		n, ok := kernel.CSRSymmetrise(&m.ctl, m.d.CSR, m.a.CSR, m.scratch)
		m.d.CSR.Idx = m.d.CSR.Idx[:n]
		return ok
	},
	code.Pattern: func(m *Machine) bool {
		d, a := &m.d.CSR, &m.a.CSR
		d.Idx = d.Idx[:a.NNZ()]
		return m.chunks(a.NNZ(), func(lo, hi int) { copy(d.Idx[lo:hi], a.Idx[lo:hi]) }) &&
			m.chunks(len(a.Ptr), func(lo, hi int) { copy(d.Ptr[lo:hi], a.Ptr[lo:hi]) })
	},
	code.Closure: func(m *Machine) bool {
		if m.a.Layout == tensor.Sparse {
			return kernel.ClosureCSR(&m.ctl, m.d.Bits, m.a.CSR, m.scratch)
		}
		return kernel.ClosureBits(&m.ctl, m.d.Bits, m.a.Bits, m.scratch)
	},
	code.Walk: func(m *Machine) bool {
		i, ok := m.position(1, m.a.Shape.Dim(0))
		if !ok {
			return false
		}
		if m.a.Layout == tensor.Sparse {
			return kernel.WalkCSR(&m.ctl, m.d.Bits.W, m.a.CSR, i, m.Walk, m.scratch)
		}
		return kernel.WalkBits(&m.ctl, m.d.Bits.W, m.a.Bits, i, m.Walk, m.scratch)
	},
	code.HasPath: func(m *Machine) (ok bool) {
		i, j, ok := m.ends()
		if !ok {
			return false
		}
		found := false
		if m.a.Layout == tensor.Sparse {
			found, ok = kernel.HasPathCSR(&m.ctl, m.a.CSR, i, j, m.scratch)
		} else {
			found, ok = kernel.HasPathBits(&m.ctl, m.a.Bits, i, j, m.scratch)
		}
		m.d.F[0] = op.Truth(found)
		return ok
	},
	code.SCC: func(m *Machine) (ok bool) {
		if m.a.Layout == tensor.Sparse {
			_, ok = kernel.SCCCSR(&m.ctl, m.d.Part, m.a.CSR, m.scratch)
		} else {
			_, ok = kernel.SCCBits(&m.ctl, m.d.Part, m.a.Bits, m.scratch)
		}
		return ok
	},
	code.Triangles: func(m *Machine) bool {
		if m.a.Layout == tensor.Sparse {
			return m.count(kernel.TrianglesCSR(&m.ctl, m.a.CSR, m.scratch))
		}
		return m.count(kernel.TrianglesBits(&m.ctl, m.a.Bits, m.scratch))
	},
	code.Path: func(m *Machine) bool {
		i, j, ok := m.ends()
		if !ok {
			return false
		}
		if m.a.Layout == tensor.Sparse {
			return kernel.PathCSR(&m.ctl, m.d.F, m.a.CSR, i, j, m.scratch)
		}
		return kernel.PathBits(&m.ctl, m.d.F, m.a.Bits, i, j, m.scratch)
	},
	code.Dist: func(m *Machine) bool {
		i, ok := m.position(1, m.a.Shape.Dim(0))
		if !ok {
			return false
		}
		if m.a.Layout == tensor.Sparse {
			return kernel.DistCSR(&m.ctl, m.d.F, m.a.CSR, i, m.scratch)
		}
		return kernel.DistBits(&m.ctl, m.d.F, m.a.Bits, i, m.scratch)
	},
	code.WDist:       shortest,
	code.WDistSigned: shortest,
	code.WPath:       shortestPath,
	code.WPathSigned: shortestPath,
	code.Weak:        func(m *Machine) bool { return kernel.Weak(&m.ctl, m.d.Part, m.net()) },
	code.Groups: func(m *Machine) bool {
		return m.chunks(len(m.a.Part), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.d.F[i] = float64(m.a.Part[i])
			}
		})
	},
	code.TopoOrder: func(m *Machine) bool {
		return m.flawless(kernel.TopoOrder(&m.ctl, m.d.F, m.net()))
	},
	code.Bridges: func(m *Machine) bool {
		return kernel.Bridges(&m.ctl, &m.d.CSR, m.net())
	},
	code.CutNodes: func(m *Machine) bool { return kernel.CutNodes(&m.ctl, m.d.Bits.W, m.net()) },
	code.Cores:    func(m *Machine) bool { return kernel.Cores(&m.ctl, m.d.F, m.net()) },
	code.PageRank: func(m *Machine) bool { return m.flawless(kernel.PageRank(&m.ctl, m.d.F, m.net(), m.b.F[0])) },
	code.SpanningForest: func(m *Machine) bool {
		return m.flawless(kernel.SpanningForest(&m.ctl, &m.d.CSR, m.net()))
	},
	code.MinCut: func(m *Machine) bool {
		i, j, ok := m.ends()
		if ok && i == j {
			return m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("a cut lies between two nodes, and both are %s", m.nodes([]int32{int32(i)}))})
		}
		if !ok {
			return false
		}
		flaw, ok := kernel.MinCut(&m.ctl, &m.d.CSR, m.net(), i, j)
		m.sofar = fmt.Sprintf("a flow of %v", flaw.Sum)
		return m.flawless(flaw, ok)
	},
	code.Betweenness: func(m *Machine) bool { return kernel.Betweenness(&m.ctl, m.d.F, m.net()) },
	code.Sort:        func(m *Machine) bool { return kernel.Sort(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Rank:        func(m *Machine) bool { return kernel.Rank(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Rules:       rules,
	code.Scatter:     scatter,
	code.OneHot: func(m *Machine) bool {
		i, ok := m.position(0, m.d.Shape.Dim(0))
		if !ok || !m.clearWords(m.d.Bits.W) {
			return false
		}
		m.d.Bits.Set(0, i)
		return true
	},
	code.CheckInt: func(m *Machine) bool {
		at, ok := kernel.CheckInt(&m.ctl, m.a.F)
		return m.exact(at < 0, ok)
	},
	code.CheckFinite: func(m *Machine) bool {
		if m.finite[m.Args[0]] {
			m.ctl.Ops += uint64(len(m.a.F))
			return true
		}
		at, ok := kernel.CheckFinite(&m.ctl, m.a.F)
		if ok && at >= 0 {
			e := notFinite(m.a, at)
			if math.IsInf(m.a.F[at], 1) && slices.ContainsFunc(m.mod.Program.Code, func(in code.Instr) bool { return in.Op == code.WDist || in.Op == code.WDistSigned }) {
				e.Hint = "where no path leads a distance is infinite; a third argument says what it is instead, as in `wdist(W, i, -1)`"
			}
			return m.fail(e)
		}
		return ok
	},
	code.CheckSymmetric: func(m *Machine) (ok bool) {
		var n uint64
		if m.a.Layout == tensor.Sparse {
			n, ok = kernel.OneWayEdgesCSR(&m.ctl, m.a.CSR, m.scratch)
		} else {
			n, ok = kernel.OneWayEdgesBits(&m.ctl, m.a.Bits)
		}
		if ok && n > 0 {
			m.result.Warnings = append(m.result.Warnings, Warning{Pos: m.pos, OneWay: n,
				Message: fmt.Sprintf("trace(A3) / 6 counts undirected triangles, but this graph has %d one-way edges", n)})
		}
		return ok
	},
}

// logic is the kernels of the operations on words, all but Not, which has one operand and must
// leave the bits past the end of a row 0.
var logic = [...]func(c *kernel.Ctl, dst, a, b []uint64) bool{
	code.And: kernel.BitsAnd, code.Or: kernel.BitsOr, code.Xor: kernel.BitsXor, code.AndNot: kernel.BitsAndNot,
}

// fail sets the error of the step, and gives false, as a kernel does that failed.
func (m *Machine) fail(e *RuntimeError) bool {
	m.err = e
	return false
}

// dense lists the elements of the arguments.
func (m *Machine) dense() [][]float64 {
	m.args = m.args[:0]
	for _, r := range m.Args {
		m.args = append(m.args, m.regs[r].F)
	}
	return m.args
}

// exact fails when a kernel that ended met a count past 2^53.
func (m *Machine) exact(exact, ok bool) bool {
	if ok && !exact {
		return m.fail(&RuntimeError{Kind: Inexact, Message: "a count reaches 2^53, past which numbers are not exact",
			Hint: "a real number, such as 1.5 times the value, is not limited"})
	}
	return ok
}

// count stores a count that may be past what a float64 holds exactly.
func (m *Machine) count(n uint64, ok bool) bool {
	m.d.F[0] = float64(n)
	return m.exact(n < tensor.MaxInt, ok)
}

// notFinite is the error of an output whose element at is NaN or infinite.
func notFinite(a *tensor.Value, at int) *RuntimeError {
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
		where = " at " + strings.ReplaceAll(fmt.Sprint(index), " ", ", ")
	}
	return &RuntimeError{Kind: NotFinite, Message: "the output is not finite: " + what + where,
		Hint: "mask such elements, as in `where(d > 0, x / d, 0)`"}
}

// position reads argument k, a rank-0 register, as an index below size.
func (m *Machine) position(k, size int) (int, bool) {
	x := m.regs[m.Args[k]].F[0]
	switch {
	case x != math.Trunc(x) || math.IsInf(x, 0):
		return 0, m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("a position must be a whole number, found %v", x)})
	case x < 0 || x >= float64(size):
		return 0, m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("position %v does not exist: there are %d, counted from 0", x, size)})
	}
	return int(x), true
}

// ends returns the nodes that a path leads from and to; ok is false if one is not a node.
func (m *Machine) ends() (i, j int, ok bool) {
	if i, ok = m.position(1, m.a.Shape.Dim(0)); ok {
		j, ok = m.position(2, m.a.Shape.Dim(0))
	}
	return i, j, ok
}

// shortest is the kernel of both operations for distances by weight.
func shortest(m *Machine) bool {
	i, ok := m.position(1, m.a.Shape.Dim(0))
	if !ok {
		return false
	}
	far := m.regs[m.Args[2]].F[0]
	return m.flawless(kernel.Shortest(&m.ctl, m.d.F, m.net(), i, far, m.Op == code.WDistSigned))
}

// shortestPath is that of both operations for paths.
func shortestPath(m *Machine) bool {
	i, j, ok := m.ends()
	return ok && m.flawless(kernel.ShortestPath(&m.ctl, m.d.F, m.net(), i, j, m.Op == code.WPathSigned))
}

// net is the first argument as a graph with weights.
func (m *Machine) net() kernel.Net { return kernel.NewNet(m.a, m.scratch) }

// flawless fails when a kernel found why it has no answer.
func (m *Machine) flawless(f kernel.Flaw, ok bool) bool {
	switch {
	case !ok:
		return false
	case f.NaN:
		return m.fail(&RuntimeError{Kind: NotFinite, Message: "a weight of the graph is NaN or -infinity, from 0/0 or the like",
			Hint: "mask such weights, as in `where(d > 0, x / d, 0)`"})
	case f.Edge != nil && f.Below == 0:
		return m.fail(&RuntimeError{Kind: NoWeight, Message: fmt.Sprintf("%s gives the weights of edges, but the edge %s has weight 0, which means no edge", m.what(), m.nodes(f.Edge)),
			Hint: "add a little to all weights, as in `W + 1e-9`"})
	case f.Edge != nil:
		return m.fail(&RuntimeError{Kind: Negative, Message: fmt.Sprintf("%s takes weights from 0, and that of the edge %s is %v", m.what(), m.nodes(f.Edge), f.Below),
			Hint: "correct the weight, or leave such edges out, as in `max(W, 0)`"})
	case f.Cycle != nil && m.Op == code.MinCut:
		slices.Reverse(f.Cycle)
		path := m.nodes(append([]int32{int32(m.b.F[0])}, f.Cycle...))
		return m.fail(&RuntimeError{Kind: NotFinite, Message: "the flow has no bound: the weights of the path " + path + " are infinite",
			Hint: "a cut needs a finite weight on each path"})
	case f.Cycle != nil && m.Op == code.TopoOrder:
		return m.fail(&RuntimeError{Kind: Cyclic, Message: "there is no topological order: " + m.nodes(append(f.Cycle, f.Cycle[0])) + " is a cycle",
			Hint: "`scc(A)` has the parts that cycles hold together"})
	case f.Cycle != nil:
		return m.fail(&RuntimeError{Kind: Cyclic, Message: fmt.Sprintf("paths get ever shorter: the weights of the cycle %s add up to %v", m.nodes(append(f.Cycle, f.Cycle[0])), f.Sum),
			Hint: "shortest paths need graphs whose cycles are not negative"})
	}
	return true
}

// what is the function that the step computes, as the language calls it.
func (m *Machine) what() string {
	what, _ := m.Op.Words()
	return what
}

// nodes returns the nodes of a path, as people read them.
func (m *Machine) nodes(nodes []int32) string {
	const most = 20
	var b strings.Builder
	name := func(v int32) {
		if l := m.mod.Program.Labels; len(l) == m.a.Shape.Dim(0) {
			fmt.Fprintf(&b, "%q", l[v])
		} else {
			fmt.Fprint(&b, v)
		}
	}
	last := len(nodes) - 1
	for k, v := range nodes[:last] {
		if k == most {
			fmt.Fprintf(&b, "... %d more ... -> ", last-most)
			break
		}
		name(v)
		b.WriteString(" -> ")
	}
	name(nodes[last])
	return b.String()
}

// convert needs no case for the same layout: the compiler converts only where a kernel wants another.
func convert(m *Machine) bool {
	c, d, a := &m.ctl, m.d, m.a
	switch {
	case a.Layout == tensor.Parts:
		return kernel.PartsToBits(c, d.Bits, a.Part, m.scratch)
	case a.Layout == tensor.Sparse && d.Layout == tensor.Packed:
		return kernel.CSRToBits(c, d.Bits, a.CSR)
	case a.Layout == tensor.Sparse:
		return kernel.CSRToDense(c, d.F, a.CSR, a.Absent())
	case a.Layout == tensor.Packed:
		return kernel.BitsExpand(c, d.F, a.Bits)
	}
	return kernel.BitsPack(c, d.Bits, a.F)
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

// clearWords clears a row of bits, at one operation a word.
func (m *Machine) clearWords(w []uint64) bool {
	return m.chunks(len(w), func(lo, hi int) { clear(w[lo:hi]) })
}

// counts is the sums of rows or columns: of bits, of ones, of weights, and of
// parts, which are symmetric.
func (m *Machine) counts(bits func(*kernel.Ctl, []float64, tensor.Bits) bool, ones, weights func(*kernel.Ctl, []float64, tensor.CSR) bool) bool {
	switch {
	case m.a.Layout == tensor.Packed:
		return bits(&m.ctl, m.d.F, m.a.Bits)
	case m.a.Layout == tensor.Sparse && m.a.CSR.Val == nil:
		return ones(&m.ctl, m.d.F, m.a.CSR)
	case m.a.Layout == tensor.Sparse:
		return weights(&m.ctl, m.d.F, m.a.CSR)
	}
	size, ok := m.partSizes()
	return ok && m.chunks(len(size), func(lo, hi int) {
		for i, p := range m.a.Part[lo:hi] {
			m.d.F[lo+i] = size[p]
		}
	})
}

// partSizes counts the nodes of each part.
func (m *Machine) partSizes() (size []float64, ok bool) {
	size = m.scratch.F[:len(m.a.Part)]
	return size, kernel.PartSizes(&m.ctl, size, m.a.Part)
}

// countAll sums a matrix without expanding it: of parts, a component of s nodes is a block of s*s ones.
func countAll(m *Machine) (ok bool) {
	switch {
	case m.a.Layout == tensor.Packed:
		return m.count(kernel.PopAll(&m.ctl, m.a.Bits))
	case m.a.Layout == tensor.Sparse && m.a.CSR.Val == nil:
		m.ctl.Ops++
		return m.count(uint64(m.a.CSR.NNZ()), true)
	case m.a.Layout == tensor.Sparse:
		m.d.F[0], ok = kernel.CSRSum(&m.ctl, m.a.CSR)
		return ok
	}
	m.d.F[0] = 0
	size, ok := m.partSizes()
	return ok && m.chunks(len(size), func(lo, hi int) {
		for _, s := range size[lo:hi] {
			m.d.F[0] += s * s
		}
	})
}

// selects takes elements, rows and slices. The positions are known only now, so each is checked
// here against its axis; that layouts and ranks fit is what the verifier has made sure of.
func selects(m *Machine) bool {
	c, d, a, axes := &m.ctl, m.d, m.a, m.Axes
	var at [tensor.MaxRank]int
	for k, axis := range axes {
		var ok bool
		if at[k], ok = m.position(k+1, a.Shape.Dim(axis)); !ok {
			return false
		}
	}
	if a.Layout == tensor.Dense {
		return m.slice(d.F, a, axes, at[:len(axes)])
	}
	if rank := a.Shape.Rank(); len(axes) == rank {
		if a.Layout == tensor.Sparse {
			d.F[0] = kernel.CSRGet(a.CSR, at[0], at[1], a.Absent())
		} else {
			d.F[0] = a.At(at[:rank]...)
		}
		c.Ops++
		return true
	}
	switch {
	case a.Layout == tensor.Parts:
		return kernel.PartRow(c, d.Bits.W, a.Part, at[0])
	case a.Layout == tensor.Packed && axes[0] == 0:
		return kernel.BitsCopy(c, d.Bits.W, a.Bits.Row(at[0]))
	case a.Layout == tensor.Packed:
		return m.clearWords(d.Bits.W) && m.chunks(a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if a.Bits.Get(i, at[0]) {
					d.Bits.Set(0, i)
				}
			}
		})
	case a.CSR.Val == nil && axes[0] == 0:
		return kernel.CSRRowBits(c, d.Bits.W, a.CSR, at[0])
	}
	return m.sparseSlice(d, a, axes[0], at[0])
}

// slice copies the elements of a whose axes are fixed at the given positions.
func (m *Machine) slice(dst []float64, a *tensor.Value, axes, at []int) bool {
	stride, base := a.Shape.Strides(), 0
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
func (m *Machine) sparseSlice(d, v *tensor.Value, axis, at int) bool {
	if !m.clearWords(d.Bits.W) || !kernel.Fill(&m.ctl, d.F, v.Absent()) {
		return false
	}
	a := &v.CSR
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
