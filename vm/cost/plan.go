// Package cost bounds what a program uses before it runs, and plans its memory.
//
// Every instruction is planned once: the kernel that will run it, an upper
// bound of its operations, and its scratch memory. The machine runs these plans
// and nothing else, so the bound and the run cannot drift apart; kernels count
// the operations they do, and tests hold the counts against the bounds.
package cost

import (
	"fmt"

	"ein/vm/code"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// Step is an instruction, the plan of its kernel (for the operations that have
// one) and its cost.
type Step struct {
	*code.Instr
	Unary    *kernel.Unary
	Pair     *kernel.Pair
	Many     *kernel.Many
	Exact    *kernel.Exact
	Semiring *kernel.Semiring
	Fused    *kernel.Fused
	Reduce   *kernel.Reduce
	Cost     kernel.Cost
}

// Plan plans one instruction of a verified program.
func Plan(p *code.Program, in *code.Instr, workers int) (Step, error) {
	s := Step{Instr: in}
	var err error
	switch in.Op {
	case code.Einsum:
		switch len(in.Args) {
		case 1:
			s.Unary = kernel.PlanUnary(*in.Spec)
			s.Cost = s.Unary.Cost()
		case 2:
			s.Pair = kernel.PlanPair(*in.Spec)
			s.Cost = s.Pair.Cost()
		default:
			s.Many = kernel.PlanMany(*in.Spec)
			s.Cost = s.Many.Cost()
		}
	case code.Exact:
		regs := make([]code.Reg, len(in.Args))
		for i, a := range in.Args {
			regs[i] = p.Regs[a]
		}
		sparse, nnz := code.SparseArg(regs), 0
		if sparse >= 0 {
			nnz = regs[sparse].NNZ
		}
		s.Exact = kernel.PlanExact(*in.Spec, sparse, nnz, p.Regs[in.Dst].Kind == tensor.Real)
		s.Cost = s.Exact.Cost()
	case code.Semiring:
		if s.Semiring, err = kernel.PlanSemiring(*in.Spec, in.Fn, in.Fold); err == nil {
			s.Cost = s.Semiring.Cost()
		}
	case code.Fused:
		if s.Fused, err = code.PlanMicro(in.Micro); err == nil {
			s.Cost = s.Fused.Cost()
		}
	case code.Reduce:
		if s.Reduce, err = kernel.PlanReduce(in.Fold, p.Regs[in.Args[0]].Shape.Dims(), in.Axes); err == nil {
			s.Cost = s.Reduce.Cost()
		}
	default:
		s.Cost = bound(p, in, workers)
	}
	if err != nil {
		return s, fmt.Errorf("cost: %v: %w", in.Op, err)
	}
	return s, nil
}

// sizes is the rows and columns of a matrix, or one row for a vector.
func sizes(r *code.Reg) (rows, cols int) {
	switch r.Shape.Rank() {
	case 0:
		return 1, 1
	case 1:
		return 1, r.Shape.Dim(0)
	}
	return r.Shape.Dim(0), r.Shape.Dim(1)
}

func words(r *code.Reg) uint64 {
	rows, cols := sizes(r)
	return tensor.SatMul(uint64(rows), uint64(tensor.Words(cols)))
}

// bound is the cost of the operations whose kernels need no plan. A row of this
// switch belongs to the row of the same operation in the machine's.
func bound(p *code.Program, in *code.Instr, workers int) kernel.Cost {
	a := &p.Regs[in.Args[0]]
	n, m := sizes(a)
	sparse := a.Layout == tensor.Sparse
	ops := func(x ...uint64) kernel.Cost {
		sum := uint64(0)
		for _, v := range x {
			sum = tensor.SatAdd(sum, v)
		}
		return kernel.Cost{Ops: sum}
	}
	graph := func(csr, bits kernel.Cost) kernel.Cost {
		if sparse {
			return csr
		}
		return bits
	}
	entries := tensor.SatAdd(uint64(a.NNZ), uint64(n))
	switch in.Op {
	case code.Softmax:
		return kernel.SoftmaxCost(a.Shape.Dims())
	case code.Select:
		return selectBound(p, in)
	case code.Convert:
		return convertBound(a, p.Regs[in.Dst].Layout)
	case code.Logic:
		return ops(words(a))
	case code.Transpose:
		if sparse {
			return kernel.CSRCost(n, m, a.NNZ)
		}
		return kernel.BitsTransposeCost(n, m)
	case code.CountRows, code.CountCols, code.CountAll:
		switch {
		case sparse:
			return kernel.CSRCost(n, m, a.NNZ)
		case a.Layout == tensor.Parts:
			return kernel.Cost{Ops: 3 * uint64(n), F: uint64(n)}
		case in.Op == code.CountCols:
			return kernel.PopColsCost(n, m)
		}
		return ops(words(a), uint64(n))
	case code.CountProduct:
		rows, _ := sizes(&p.Regs[in.Args[1]])
		return kernel.CountProductCost(n, m, rows)
	case code.CountMatVec, code.BoolMatVec:
		return ops(words(a), uint64(n), uint64(tensor.Words(m)))
	case code.CountAnd:
		return ops(words(a))
	case code.BoolProduct:
		_, cols := sizes(&p.Regs[in.Args[1]])
		return kernel.BoolProductCost(n, m, cols, workers)
	case code.TripleTrace:
		_, k := sizes(&p.Regs[in.Args[1]])
		return kernel.TripleTraceCost(n, m, k)
	case code.CubeTrace:
		return kernel.TraceCubeCSRCost(n, a.NNZ, workers)
	case code.MatVec, code.Diag:
		if sparse {
			return kernel.CSRCost(n, m, a.NNZ)
		}
		return ops(uint64(n))
	case code.VecMat:
		b := &p.Regs[in.Args[1]]
		rows, cols := sizes(b)
		return kernel.CSRCost(rows, cols, b.NNZ)
	case code.Pattern:
		return kernel.CSRCost(n, m, a.NNZ)
	case code.Symmetric:
		return kernel.CSRSymmetriseCost(n, a.NNZ)
	case code.Closure:
		return graph(kernel.ClosureCSRCost(n, a.NNZ), kernel.ClosureBitsCost(n))
	case code.Walk:
		return graph(kernel.WalkCSRCost(n, a.NNZ), kernel.WalkBitsCost(n))
	case code.HasPath:
		return graph(kernel.HasPathCSRCost(n, a.NNZ), kernel.HasPathBitsCost(n))
	case code.SCC:
		return graph(kernel.SCCCSRCost(n, a.NNZ), kernel.SCCBitsCost(n))
	case code.Triangles:
		return graph(kernel.TrianglesCSRCost(n, a.NNZ, workers), kernel.TrianglesBitsCost(n))
	case code.Path:
		return graph(kernel.PathCSRCost(n, a.NNZ), kernel.PathBitsCost(n))
	case code.Dist:
		return graph(kernel.DistCSRCost(n, a.NNZ), kernel.DistBitsCost(n))
	case code.OneHot:
		return ops(words(&p.Regs[in.Dst]))
	case code.CheckInt, code.CheckFinite:
		return ops(a.Shape.Elems())
	case code.CheckSymmetric:
		return graph(kernel.OneWayEdgesCSRCost(n, a.NNZ), kernel.OneWayEdgesBitsCost(n))
	}
	return ops(entries)
}

func convertBound(a *code.Reg, to tensor.Layout) kernel.Cost {
	n, m := sizes(a)
	switch {
	case a.Layout == tensor.Parts:
		return kernel.PartsToBitsCost(n)
	case a.Layout == tensor.Sparse && to == tensor.Packed:
		return kernel.CSRToBitsCost(n, m, a.NNZ)
	case a.Layout == tensor.Sparse:
		return kernel.CSRToDenseCost(n, m, a.NNZ)
	}
	return kernel.BitsDenseCost(n, m)
}

// selectBound counts what is copied, and for a column of a CSR the search in
// each row.
func selectBound(p *code.Program, in *code.Instr) kernel.Cost {
	a, d := &p.Regs[in.Args[0]], &p.Regs[in.Dst]
	ops := tensor.SatAdd(d.Shape.Elems(), 1)
	if a.Layout == tensor.Sparse {
		n, _ := sizes(a)
		ops = tensor.SatAdd(ops, tensor.SatAdd(uint64(a.NNZ), uint64(n)))
	}
	return kernel.Cost{Ops: tensor.SatAdd(ops, words(d))}
}
