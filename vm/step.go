package vm

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// kernels are the kernels of the operations, on the step that the machine is at: a and b are the
// values of its first two arguments, d that of its register, ctl and scratch are what the kernel
// may use. What fits where was decided when the step was planned, so a kernel only distinguishes
// layouts. One that fails sets err, and stops as one does that is cancelled (kernel.Stop).
var kernels = [code.MaxOp]func(m *Machine){
	code.Einsum: func(m *Machine) { m.Plan.(kernel.Product).RunAll(&m.ctl, m.d.F, m.dense(), m.scratch) },
	code.Exact: func(m *Machine) {
		var csr *tensor.CSR
		for _, r := range m.Args {
			if m.regs[r].Layout == tensor.Sparse {
				csr = &m.regs[r].CSR
			}
		}
		m.exact(m.Plan.(*kernel.Exact).Run(&m.ctl, m.d.F, m.dense(), csr, m.scratch))
	},
	code.Semiring: func(m *Machine) {
		m.Plan.(*kernel.Semiring).Run(&m.ctl, m.d.F, m.a.F, m.b.F, m.scratch)
	},
	code.Fused: func(m *Machine) {
		if m.d.Layout == tensor.Packed {
			m.exact(m.Plan.(*kernel.Fused).RunBits(&m.ctl, m.d.Bits, m.dense(), m.scratch))
			return
		}
		exact := m.Plan.(*kernel.Fused).Run(&m.ctl, m.d.F, m.dense(), m.scratch)
		m.finite[m.Dst] = m.ctl.Finite
		m.exact(exact)
	},
	code.FoldCSR: func(m *Machine) {
		m.Plan.(*kernel.CSRFold).Run(&m.ctl, m.d.F, m.sparse(), m.dense(), m.scratch)
	},
	code.MapCSR: func(m *Machine) {
		exact, pole := m.Plan.(*kernel.CSRMap).Run(&m.ctl, m.room(), m.sparse(), m.dense(), m.scratch)
		if pole != 0 {
			m.undefined(pole - 1)
		}
		m.exact(exact)
	},
	code.ProductCSR: func(m *Machine) {
		m.exact(kernel.CSRProduct(&m.ctl, m.room(), &m.a.CSR, &m.b.CSR, m.d.Kind == tensor.Int, m.scratch))
	},
	code.MatMulCSR: func(m *Machine) {
		if m.a.Layout == tensor.Sparse {
			kernel.CSRMatMul(&m.ctl, m.d.F, &m.a.CSR, m.b.F, m.b.Shape.Dim(1))
		} else {
			kernel.MatMulCSR(&m.ctl, m.d.F, m.a.F, &m.b.CSR, m.a.Shape.Dim(0))
		}
	},
	code.Reduce: func(m *Machine) { m.Plan.(*kernel.Reduce).Run(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Softmax: func(m *Machine) {
		kernel.Softmax(&m.ctl, m.d.F, m.a.F, m.a.Shape.Dims(), m.Axes[0])
	},
	code.Select:  selects,
	code.Convert: convert,
	code.Logic: func(m *Machine) {
		if m.Logic == code.Not {
			kernel.BitsNot(&m.ctl, m.d.Bits, m.a.Bits)
			return
		}
		logic[m.Logic](&m.ctl, m.d.Bits.W, m.a.Bits.W, m.b.Bits.W)
	},
	code.Transpose: func(m *Machine) {
		if m.a.Layout != tensor.Sparse {
			kernel.BitsTranspose(&m.ctl, m.d.Bits, m.a.Bits)
			return
		}
		m.d.CSR.Idx = m.d.CSR.Idx[:m.a.CSR.NNZ()]
		if m.d.CSR.Val != nil {
			m.d.CSR.Val = m.d.CSR.Val[:m.a.CSR.NNZ()]
		}
		kernel.CSRTranspose(&m.ctl, m.d.CSR, m.a.CSR)
	},
	code.CountRows: func(m *Machine) {
		m.counts(kernel.PopRows, kernel.CSRRowCount, kernel.CSRRowSum)
	},
	code.CountCols: func(m *Machine) {
		m.counts(kernel.PopCols, kernel.CSRColCount, kernel.CSRColSum)
	},
	code.CountAll: countAll,
	code.CountProduct: func(m *Machine) {
		kernel.CountProduct(&m.ctl, m.d.F, m.a.Bits, m.b.Bits, m.scratch)
	},
	code.CountMatVec: func(m *Machine) {
		kernel.CountMatVec(&m.ctl, m.d.F, m.a.Bits, m.b.Bits.W)
	},
	code.CountAnd: func(m *Machine) { m.count(kernel.PopAnd(&m.ctl, m.a.Bits.W, m.b.Bits.W)) },
	code.BoolProduct: func(m *Machine) {
		kernel.BoolProduct(&m.ctl, m.d.Bits, m.a.Bits, m.b.Bits, m.scratch)
	},
	code.BoolMatVec: func(m *Machine) {
		kernel.BoolMatVec(&m.ctl, m.d.Bits.W, m.a.Bits, m.b.Bits.W)
	},
	code.TripleTrace: func(m *Machine) {
		m.count(kernel.TripleTrace(&m.ctl, m.a.Bits, m.b.Bits, m.regs[m.Args[2]].Bits))
	},
	code.CubeTrace: func(m *Machine) { m.count(kernel.TraceCubeCSR(&m.ctl, m.a.CSR, m.scratch)) },
	code.MatVec:    func(m *Machine) { kernel.CSRMatVec(&m.ctl, m.d.F, m.a.CSR, m.b.F) },
	code.VecMat:    func(m *Machine) { kernel.CSRVecMat(&m.ctl, m.d.F, m.a.F, m.b.CSR) },
	code.Diag: func(m *Machine) {
		if m.a.Layout == tensor.Sparse {
			kernel.CSRDiag(&m.ctl, m.d.F, m.a.CSR, m.a.Absent())
			return
		}
		m.chunks(m.a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.d.F[i] = op.Truth(m.a.Bits.Get(i, i))
			}
		})
	},
	code.Symmetric: func(m *Machine) {
		m.d.CSR.Idx = m.d.CSR.Idx[:cap(m.d.CSR.Idx)]
		m.d.CSR.Idx = m.d.CSR.Idx[:kernel.CSRSymmetrise(&m.ctl, m.d.CSR, m.a.CSR, m.scratch)]
	},
	code.Pattern: func(m *Machine) {
		d, a := &m.d.CSR, &m.a.CSR
		d.Idx = d.Idx[:a.NNZ()]
		m.chunks(a.NNZ(), func(lo, hi int) { copy(d.Idx[lo:hi], a.Idx[lo:hi]) })
		m.chunks(len(a.Ptr), func(lo, hi int) { copy(d.Ptr[lo:hi], a.Ptr[lo:hi]) })
	},
	code.MaskCSR: func(m *Machine) {
		mask := func(i, j int32) bool { return m.b.Part[i] == m.b.Part[j] }
		if m.b.Layout == tensor.Packed {
			mask = func(i, j int32) bool { return m.b.Bits.Get(int(i), int(j)) }
		}
		kernel.CSRMask(&m.ctl, m.room(), &m.a.CSR, mask)
	},
	code.Closure: func(m *Machine) {
		if m.a.Layout == tensor.Sparse {
			kernel.ClosureCSR(&m.ctl, m.d.Bits, m.a.CSR, m.scratch)
		} else {
			kernel.ClosureBits(&m.ctl, m.d.Bits, m.a.Bits, m.scratch)
		}
	},
	code.Walk: func(m *Machine) {
		i := m.position(1, m.a.Shape.Dim(0))
		if m.a.Layout == tensor.Sparse {
			kernel.WalkCSR(&m.ctl, m.d.Bits.W, m.a.CSR, i, m.Walk, m.scratch)
		} else {
			kernel.WalkBits(&m.ctl, m.d.Bits.W, m.a.Bits, i, m.Walk, m.scratch)
		}
	},
	code.HasPath: func(m *Machine) {
		i, j := m.ends()
		if m.a.Layout == tensor.Sparse {
			m.d.F[0] = op.Truth(kernel.HasPathCSR(&m.ctl, m.a.CSR, i, j, m.scratch))
		} else {
			m.d.F[0] = op.Truth(kernel.HasPathBits(&m.ctl, m.a.Bits, i, j, m.scratch))
		}
	},
	code.SCC: func(m *Machine) {
		if m.a.Layout == tensor.Sparse {
			kernel.SCCCSR(&m.ctl, m.d.Part, m.a.CSR, m.scratch)
		} else {
			kernel.SCCBits(&m.ctl, m.d.Part, m.a.Bits, m.scratch)
		}
	},
	code.Triangles: func(m *Machine) {
		if m.a.Layout == tensor.Sparse {
			m.count(kernel.TrianglesCSR(&m.ctl, m.a.CSR, m.scratch))
		} else {
			m.count(kernel.TrianglesBits(&m.ctl, m.a.Bits, m.scratch))
		}
	},
	code.Path: func(m *Machine) {
		i, j := m.ends()
		if m.a.Layout == tensor.Sparse {
			kernel.PathCSR(&m.ctl, m.d.F, m.a.CSR, i, j, m.scratch)
		} else {
			kernel.PathBits(&m.ctl, m.d.F, m.a.Bits, i, j, m.scratch)
		}
	},
	code.Dist: func(m *Machine) {
		i := m.position(1, m.a.Shape.Dim(0))
		if m.a.Layout == tensor.Sparse {
			kernel.DistCSR(&m.ctl, m.d.F, m.a.CSR, i, m.scratch)
		} else {
			kernel.DistBits(&m.ctl, m.d.F, m.a.Bits, i, m.scratch)
		}
	},
	code.WDist:       shortest,
	code.WDistSigned: shortest,
	code.WPath:       shortestPath,
	code.WPathSigned: shortestPath,
	code.Weak:        func(m *Machine) { kernel.Weak(&m.ctl, m.d.Part, m.net()) },
	code.Groups: func(m *Machine) {
		m.chunks(len(m.a.Part), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.d.F[i] = float64(m.a.Part[i])
			}
		})
	},
	code.TopoOrder: func(m *Machine) {
		m.flawless(kernel.TopoOrder(&m.ctl, m.d.F, m.net()))
	},
	code.Bridges: func(m *Machine) {
		kernel.Bridges(&m.ctl, &m.d.CSR, m.net())
	},
	code.CutNodes: func(m *Machine) { kernel.CutNodes(&m.ctl, m.d.Bits.W, m.net()) },
	code.Cores:    func(m *Machine) { kernel.Cores(&m.ctl, m.d.F, m.net()) },
	code.PageRank: func(m *Machine) { m.flawless(kernel.PageRank(&m.ctl, m.d.F, m.net(), m.b.F[0])) },
	code.SpanningForest: func(m *Machine) {
		m.flawless(kernel.SpanningForest(&m.ctl, &m.d.CSR, m.net()))
	},
	code.MinCut: func(m *Machine) {
		i, j := m.ends()
		if i == j {
			m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("a cut lies between two nodes, and both are %s", m.nodes([]int32{int32(i)}))})
		}
		var flaw kernel.Flaw
		defer func() { m.sofar = fmt.Sprintf("a flow of %v", flaw.Sum) }()
		kernel.MinCut(&m.ctl, &m.d.CSR, m.net(), i, j, &flaw)
		m.flawless(flaw)
	},
	code.Betweenness: func(m *Machine) { kernel.Betweenness(&m.ctl, m.d.F, m.net()) },
	code.Sort:        func(m *Machine) { kernel.Sort(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Rank:        func(m *Machine) { kernel.Rank(&m.ctl, m.d.F, m.a.F, m.scratch) },
	code.Rules:       rules,
	code.Scatter:     scatter,
	code.OneHot: func(m *Machine) {
		i := m.position(0, m.d.Shape.Dim(0))
		m.clearWords(m.d.Bits.W)
		m.d.Bits.Set(0, i)
	},
	code.CheckInt: func(m *Machine) { m.exact(kernel.CheckInt(&m.ctl, m.a.F) < 0) },
	code.CheckFinite: func(m *Machine) {
		list := tensor.Numbers(m.a)
		if m.finite[m.Args[0]] {
			m.ctl.Ops += uint64(len(list))
		} else if at := kernel.CheckFinite(&m.ctl, list); at >= 0 {
			e := notFinite(m.a, list, at)
			if math.IsInf(list[at], 1) && slices.ContainsFunc(m.mod.Program.Code, func(in code.Instr) bool { return in.Op == code.WDist || in.Op == code.WDistSigned }) {
				e.Hint = "where no path leads a distance is infinite; a third argument says what it is instead, as in `wdist(W, i, -1)`"
			}
			m.fail(e)
		}
	},
	code.CheckSymmetric: func(m *Machine) {
		var n uint64
		if m.a.Layout == tensor.Sparse {
			n = kernel.OneWayEdgesCSR(&m.ctl, m.a.CSR, m.scratch)
		} else {
			n = kernel.OneWayEdgesBits(&m.ctl, m.a.Bits)
		}
		if n > 0 {
			m.result.Warnings = append(m.result.Warnings, Warning{Pos: m.pos,
				Message: fmt.Sprintf("trace(A3) / 6 counts undirected triangles, but this graph has %d one-way edges", n)})
		}
	},
}

// logic is the kernels of the operations on words, all but Not, which has one operand and must
// leave the bits past the end of a row 0.
var logic = [...]func(c *kernel.Ctl, dst, a, b []uint64){
	code.And: kernel.BitsAnd, code.Or: kernel.BitsOr, code.Xor: kernel.BitsXor, code.AndNot: kernel.BitsAndNot,
}

// fail sets the error of the step, and stops it.
func (m *Machine) fail(e *RuntimeError) {
	m.err = e
	kernel.Stop()
}

// dense lists the elements of the arguments.
func (m *Machine) dense() [][]float64 {
	m.args = m.args[:0]
	for _, r := range m.Args {
		m.args = append(m.args, m.regs[r].F)
	}
	return m.args
}

// sparse lists the arguments that are csr.
func (m *Machine) sparse() []tensor.CSR {
	m.matrices = m.matrices[:0]
	for _, r := range m.Args {
		if m.regs[r].Layout == tensor.Sparse {
			m.matrices = append(m.matrices, m.regs[r].CSR)
		}
	}
	return m.matrices
}

// room is the result as a csr of all its room, of which an earlier run may have used a part.
func (m *Machine) room() *tensor.CSR {
	d := &m.d.CSR
	if d.Idx = d.Idx[:cap(d.Idx)]; d.Val != nil {
		d.Val = d.Val[:cap(d.Val)]
	}
	return d
}

// undefined fails because an expression is not defined in a row, or in a column after those, where its
// matrices have no entry.
func (m *Machine) undefined(line int) {
	what := "row"
	if line >= m.d.Shape.Dim(0) {
		what, line = "column", line-m.d.Shape.Dim(0)
	}
	m.fail(&RuntimeError{Kind: NotFinite, Message: fmt.Sprintf("elements without an entry are NaN, from 0/0, in %s %s", what, m.nodes([]int32{int32(line)})),
		Hint: "mask such elements, as in `where(d > 0, x / d, 0)`, or divide by `max(d, 1)`"})
}

// exact fails when a kernel that ended met a count past 2^53.
func (m *Machine) exact(exact bool) {
	if !exact {
		m.fail(&RuntimeError{Kind: Inexact, Message: "a whole number reaches 2^53, past which numbers are not exact", Hint: inexactHint})
	}
}

// inexactHint is what to do about a whole number past 2^53.
const inexactHint = "to go on with rounded numbers, divide by 1 first, as in `x / 1 * y` or `sum(x / 1)`: a quotient is real and has no such limit"

// count stores a count that may be past what a float64 holds exactly.
func (m *Machine) count(n uint64) {
	m.d.F[0] = float64(n)
	m.exact(n < tensor.MaxInt)
}

// notFinite is the error of an output whose element at of a list is NaN or infinite: of all, or of its
// entries.
func notFinite(a *tensor.Value, list []float64, at int) *RuntimeError {
	what := "it is NaN, from 0/0 or the like"
	if x := list[at]; math.IsInf(x, 0) {
		what = "it is infinite"
	}
	where := ""
	if a.Layout == tensor.Sparse {
		row := sort.Search(a.CSR.Rows, func(i int) bool { return int(a.CSR.Ptr[i+1]) > at })
		at = row*a.CSR.Cols + int(a.CSR.Idx[at])
	}
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
func (m *Machine) position(k, size int) int {
	x := m.regs[m.Args[k]].F[0]
	switch {
	case x != math.Trunc(x) || math.IsInf(x, 0):
		m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("a position must be a whole number, found %v", x)})
	case x < 0 || x >= float64(size):
		m.fail(&RuntimeError{Kind: BadIndex, Message: fmt.Sprintf("position %v does not exist: there are %d, counted from 0", x, size)})
	}
	return int(x)
}

// ends returns the nodes that a path leads from and to.
func (m *Machine) ends() (i, j int) {
	return m.position(1, m.a.Shape.Dim(0)), m.position(2, m.a.Shape.Dim(0))
}

// shortest is the kernel of both operations for distances by weight.
func shortest(m *Machine) {
	i := m.position(1, m.a.Shape.Dim(0))
	far := m.regs[m.Args[2]].F[0]
	m.flawless(kernel.Shortest(&m.ctl, m.d.F, m.net(), i, far, m.Op == code.WDistSigned))
}

// shortestPath is that of both operations for paths.
func shortestPath(m *Machine) {
	i, j := m.ends()
	m.flawless(kernel.ShortestPath(&m.ctl, m.d.F, m.net(), i, j, m.Op == code.WPathSigned))
}

// net is the first argument as a graph with weights.
func (m *Machine) net() kernel.Net { return kernel.NewNet(m.a, m.scratch) }

// flawless fails when a kernel found why it has no answer.
func (m *Machine) flawless(f kernel.Flaw) {
	switch {
	case f.NaN:
		m.fail(&RuntimeError{Kind: NotFinite, Message: "a weight of the graph is NaN or -infinity, from 0/0 or the like",
			Hint: "mask such weights, as in `where(d > 0, x / d, 0)`"})
	case f.Edge != nil && f.Below == 0:
		m.fail(&RuntimeError{Kind: NoWeight, Message: fmt.Sprintf("%s gives the weights of edges, but the edge %s has weight 0, which means no edge", m.what(), m.nodes(f.Edge)),
			Hint: "add a little to all weights, as in `W + 1e-9`"})
	case f.Edge != nil:
		m.fail(&RuntimeError{Kind: Negative, Message: fmt.Sprintf("%s takes weights from 0, and that of the edge %s is %v", m.what(), m.nodes(f.Edge), f.Below),
			Hint: "correct the weight, or leave such edges out, as in `max(W, 0)`"})
	case f.Cycle != nil && m.Op == code.MinCut:
		slices.Reverse(f.Cycle)
		path := m.nodes(append([]int32{int32(m.b.F[0])}, f.Cycle...))
		m.fail(&RuntimeError{Kind: NotFinite, Message: "the flow has no bound: the weights of the path " + path + " are infinite",
			Hint: "a cut needs a finite weight on each path"})
	case f.Cycle != nil && m.Op == code.TopoOrder:
		m.fail(&RuntimeError{Kind: Cyclic, Message: "there is no topological order: " + m.nodes(append(f.Cycle, f.Cycle[0])) + " is a cycle",
			Hint: "`scc(A)` shows which nodes are on cycles together"})
	case f.Cycle != nil:
		m.fail(&RuntimeError{Kind: Cyclic, Message: fmt.Sprintf("paths get ever shorter: the weights of the cycle %s add up to %v", m.nodes(append(f.Cycle, f.Cycle[0])), f.Sum),
			Hint: "shortest paths exist only where the weights of no cycle add up to less than 0"})
	}
}

// what is the function that the step computes, as the language calls it.
func (m *Machine) what() string {
	what, _ := m.Op.Words()
	return what
}

// nodes returns the nodes of a path, as people read them.
func (m *Machine) nodes(nodes []int32) string {
	const most = 20
	name := func(v int32) string {
		if l := m.mod.Program.Labels; len(l) == m.a.Shape.Dim(0) {
			return strconv.Quote(l[v])
		}
		return strconv.Itoa(int(v))
	}
	last := len(nodes) - 1
	names := lists.Map(nodes[:min(last, most)], name)
	if last > most {
		names = append(names, fmt.Sprintf("... %d more ...", last-most))
	}
	return strings.Join(append(names, name(nodes[last])), " -> ")
}

// convert needs no case for the same layout: the compiler converts only where a kernel wants another.
func convert(m *Machine) {
	c, d, a := &m.ctl, m.d, m.a
	switch {
	case a.Layout == tensor.Parts:
		kernel.PartsToBits(c, d.Bits, a.Part, m.scratch)
	case a.Layout == tensor.Sparse && d.Layout == tensor.Packed:
		kernel.CSRToBits(c, d.Bits, a.CSR)
	case a.Layout == tensor.Sparse:
		kernel.CSRToDense(c, d.F, a.CSR, a.Absent())
	case a.Layout == tensor.Packed:
		kernel.BitsExpand(c, d.F, a.Bits)
	default:
		kernel.BitsPack(c, d.Bits, a.F)
	}
}

// chunkLen is the steps between two looks at whether the run is cancelled: below
// 2 ms even where each of them misses every cache.
const chunkLen = 1 << 14

// chunks does n steps of work, a piece at a time.
func (m *Machine) chunks(n int, work func(lo, hi int)) {
	for lo := 0; lo < n; lo += chunkLen {
		if lo > 0 {
			m.ctl.Poll()
		}
		hi := min(lo+chunkLen, n)
		work(lo, hi)
		m.ctl.Ops += uint64(hi - lo)
	}
}

// clearWords clears a row of bits, at one operation a word.
func (m *Machine) clearWords(w []uint64) {
	m.chunks(len(w), func(lo, hi int) { clear(w[lo:hi]) })
}

// counts is the sums of rows or columns: of bits, of ones, of weights, and of
// parts, which are symmetric.
func (m *Machine) counts(bits func(*kernel.Ctl, []float64, tensor.Bits), ones, weights func(*kernel.Ctl, []float64, tensor.CSR)) {
	switch {
	case m.a.Layout == tensor.Packed:
		bits(&m.ctl, m.d.F, m.a.Bits)
	case m.a.Layout == tensor.Sparse && m.a.CSR.Val == nil:
		ones(&m.ctl, m.d.F, m.a.CSR)
	case m.a.Layout == tensor.Sparse:
		weights(&m.ctl, m.d.F, m.a.CSR)
	default:
		size := m.partSizes()
		m.chunks(len(size), func(lo, hi int) {
			for i, p := range m.a.Part[lo:hi] {
				m.d.F[lo+i] = size[p]
			}
		})
	}
}

// partSizes counts the nodes of each part.
func (m *Machine) partSizes() []float64 {
	size := m.scratch.F[:len(m.a.Part)]
	kernel.PartSizes(&m.ctl, size, m.a.Part)
	return size
}

// countAll sums a matrix without expanding it: of parts, a component of s nodes is a block of s*s ones.
func countAll(m *Machine) {
	switch {
	case m.a.Layout == tensor.Packed:
		m.count(kernel.PopAll(&m.ctl, m.a.Bits))
	case m.a.Layout == tensor.Sparse && m.a.CSR.Val == nil:
		m.ctl.Ops++
		m.count(uint64(m.a.CSR.NNZ()))
	case m.a.Layout == tensor.Sparse:
		m.d.F[0] = kernel.CSRSum(&m.ctl, m.a.CSR)
	default:
		m.d.F[0] = 0
		size := m.partSizes()
		m.chunks(len(size), func(lo, hi int) {
			for _, s := range size[lo:hi] {
				m.d.F[0] += s * s
			}
		})
	}
}

// selects takes elements, rows and slices. The positions are known only now, so each is checked
// here against its axis; that layouts and ranks fit is what the verifier has made sure of.
func selects(m *Machine) {
	c, d, a, axes := &m.ctl, m.d, m.a, m.Axes
	var at [tensor.MaxRank]int
	for k, axis := range axes {
		at[k] = m.position(k+1, a.Shape.Dim(axis))
	}
	switch rank := a.Shape.Rank(); {
	case a.Layout == tensor.Dense:
		m.slice(d.F, a, axes, at[:len(axes)])
	case len(axes) == rank && a.Layout == tensor.Sparse:
		d.F[0] = kernel.CSRGet(a.CSR, at[0], at[1], a.Absent())
		c.Ops++
	case len(axes) == rank:
		d.F[0] = a.At(at[:rank]...)
		c.Ops++
	case a.Layout == tensor.Parts:
		kernel.PartRow(c, d.Bits.W, a.Part, at[0])
	case a.Layout == tensor.Packed && axes[0] == 0:
		kernel.BitsCopy(c, d.Bits.W, a.Bits.Row(at[0]))
	case a.Layout == tensor.Packed:
		m.clearWords(d.Bits.W)
		m.chunks(a.Bits.Rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if a.Bits.Get(i, at[0]) {
					d.Bits.Set(0, i)
				}
			}
		})
	case a.CSR.Val == nil && axes[0] == 0:
		kernel.CSRRowBits(c, d.Bits.W, a.CSR, at[0])
	default:
		m.sparseSlice(d, a, axes[0], at[0])
	}
}

// slice copies the elements of a whose axes are fixed at the given positions.
func (m *Machine) slice(dst []float64, a *tensor.Value, axes, at []int) {
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
	m.chunks(len(dst), func(lo, hi int) {
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
func (m *Machine) sparseSlice(d, v *tensor.Value, axis, at int) {
	m.clearWords(d.Bits.W)
	kernel.Fill(&m.ctl, d.F, v.Absent())
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
		m.chunks(int(a.Ptr[at+1])-first, func(lo, hi int) {
			for k := first + lo; k < first+hi; k++ {
				put(int(a.Idx[k]), k)
			}
		})
		return
	}
	m.chunks(a.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if k, ok := slices.BinarySearch(a.Row(i), int32(at)); ok {
				put(i, int(a.Ptr[i])+k)
			}
		}
	})
}
