package compile

import (
	"ein/lang/plan"
	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
	"slices"
)

// einsum chooses the kernel of a contraction.
func (g *gen) einsum(n *ir.Node) *value {
	if !g.plain {
		if v := g.mapSparse(n); v != nil {
			return v
		}
	}
	if n.NeedsExact() {
		return g.exact(n)
	}
	if !g.plain {
		if v := g.special(n); v != nil {
			return v
		}
	}
	args := make([]int, 0, few)
	for _, a := range n.Args {
		args = append(args, g.dense(a))
	}
	g.pos = n.Pos
	return g.denseResult(n, code.Einsum, code.Attr{Spec: n.Spec}, args...)
}

// exact emits a contraction whose sums could pass 2^53 on the way and come back.
func (g *gen) exact(n *ir.Node) *value {
	if a := n.Args[0]; len(n.Args) == 1 && len(n.Spec.Size) == 1 && a.Rank() == 2 {
		// The sum of a diagonal, which a sparse matrix gives by itself.
		diagonal := g.b.View(a, []uint8{0, 0}, []uint8{0}, n.Spec.Size)
		diagonal.Pos = n.Pos
		sum := g.b.View(diagonal, []uint8{0}, nil, n.Spec.Size)
		sum.Pos, sum.Type.Kind = n.Pos, n.Type.Kind
		return g.exact(sum)
	}
	sparse := -1
	for i, a := range n.Args {
		if len(n.Args) <= 2 && g.value(a).has(tensor.Sparse) && isMatrixOf(n.Spec, i) {
			sparse = i
		}
	}
	args := make([]int, len(n.Args))
	for i, a := range n.Args {
		if i == sparse {
			args[i] = g.value(a).reg[tensor.Sparse]
		} else {
			args[i] = g.dense(a)
		}
	}
	g.pos = n.Pos
	return g.denseResult(n, code.Exact, code.Attr{Spec: n.Spec}, args...)
}

// isMatrixOf reports whether factor i has two different indices and there are no others.
func isMatrixOf(s *op.Spec, i int) bool {
	return len(s.Size) == 2 && len(s.In[i]) == 2 && s.In[i][0] != s.In[i][1]
}

// special emits the contraction on bits or on CSR, and returns nil if it has no such kernel.
func (g *gen) special(n *ir.Node) *value {
	if len(n.Args) > 2 {
		return g.triple(n)
	}
	for _, a := range n.Args {
		if a.Rank() > 2 || a.Rank() == 0 {
			return nil
		}
	}
	k := n.Spec.Key()
	if len(n.Args) == 1 {
		return g.unary(n, k)
	}
	for _, a := range n.Args {
		if g.value(a).has(tensor.Sparse) {
			for _, emit := range []func(*ir.Node) *value{g.sparsePair, g.sumSparse, g.productSparse} {
				if v := emit(n); v != nil {
					return v
				}
			}
		}
	}
	f, ok := plan.BitForms[k]
	if !ok || !allBool(n.Args) {
		return nil
	}
	a, b := g.operands(n, f)
	if f.Op != code.Logic {
		return g.denseResult(n, f.Op, code.Attr{}, a, b)
	}
	and := g.to(g.out.Regs[a].Type, tensor.Packed, code.Logic, code.Attr{Logic: code.And}, a, b)
	if f.Then == plan.NoOp {
		return g.newValue(tensor.Packed, and)
	}
	return g.denseResult(n, f.Then, code.Attr{}, and)
}

// operands returns the two packed operands of n as the form needs them.
func (g *gen) operands(n *ir.Node, f plan.BitForm) (a, b int) {
	a, b = g.in(n.Args[0], tensor.Packed), g.in(n.Args[1], tensor.Packed)
	g.pos = n.Pos
	if f.TransposeA {
		a = g.transposed(a)
	}
	if f.TransposeB {
		b = g.transposed(b)
	}
	if f.Swap {
		a, b = b, a
	}
	return a, b
}

func allBool(args []*ir.Node) bool {
	return !slices.ContainsFunc(args, func(a *ir.Node) bool { return a.Type.Kind != tensor.Bool })
}

// unary emits a view or a sum of a value that is not dense.
func (g *gen) unary(n *ir.Node, k string) *value {
	a := n.Args[0]
	v := g.value(a)
	l := v.natural
	if l == tensor.Dense {
		return nil
	}
	r := v.reg[l]
	g.pos = n.Pos
	if a.Type.Far && k != "ab->ba" && k != "aa->a" {
		return nil // what is infinite takes part in sums
	}
	switch k {
	case "ab->ba":
		switch l {
		case tensor.Parts:
			return v // symmetric
		case tensor.Packed, tensor.Sparse:
			return g.newValue(l, g.transposed(r))
		}
	case "ab->a":
		return g.denseResult(n, code.CountRows, code.Attr{}, r)
	case "ab->b":
		return g.denseResult(n, code.CountCols, code.Attr{}, r)
	case "ab->", "a->":
		return g.denseResult(n, code.CountAll, code.Attr{}, r)
	case "aa->a", "aa->":
		if l == tensor.Parts {
			return nil
		}
		t := a.Type.Drop(1)
		d := g.to(t, tensor.Dense, code.Diag, code.Attr{}, r)
		if k == "aa->a" {
			return g.newValue(tensor.Dense, d)
		}
		sum := &op.Spec{In: [][]uint8{{0}}, Size: n.Spec.Size}
		return g.denseResult(n, code.Einsum, code.Attr{Spec: sum}, d)
	}
	return nil
}

// sparsePair emits a product of a CSR matrix and a vector.
func (g *gen) sparsePair(n *ir.Node) *value {
	m, x := n.Args[0], n.Args[1]
	op := code.MatVec
	switch n.Spec.Key() {
	case "ab,b->a":
	case "ab,a->b":
		op = code.VecMat
	case "a,ab->b":
		m, x, op = x, m, code.VecMat
	case "a,ba->b":
		m, x = x, m
	default:
		return nil
	}
	if !g.value(m).has(tensor.Sparse) || m.Type.Far {
		return nil
	}
	a, v := g.value(m).reg[tensor.Sparse], g.dense(x)
	g.pos = n.Pos
	if op == code.VecMat {
		a, v = v, a
	}
	return g.denseResult(n, op, code.Attr{}, a, v)
}

// triple counts triangles on bits, or in a sparse graph if all three factors are the same; nil if
// n is no such sum.
func (g *gen) triple(n *ir.Node) *value {
	if !plan.IsTriple(n) {
		return nil
	}
	if n.Args[0] == n.Args[1] && n.Args[1] == n.Args[2] && g.value(n.Args[0]).has(tensor.Sparse) && isCycle(n.Spec) {
		return g.denseResult(n, code.CubeTrace, code.Attr{}, g.value(n.Args[0]).reg[tensor.Sparse])
	}
	// The canonical spec begins with "ab"; sort the others into [b,c] and [a,c].
	var role [3]int
	role[0] = g.in(n.Args[0], tensor.Packed)
	for i := 1; i < 3; i++ {
		in := n.Spec.In[i]
		r := g.in(n.Args[i], tensor.Packed)
		g.pos = n.Pos
		if in[0] == 2 {
			r = g.transposed(r)
		}
		if in[0] == 1 || in[1] == 1 {
			role[1] = r
		} else {
			role[2] = r
		}
	}
	return g.denseResult(n, code.TripleTrace, code.Attr{}, role[0], role[1], role[2])
}

// isCycle reports whether every index is once a row and once a column: then the
// sum is the trace of a product.
func isCycle(s *op.Spec) bool {
	var rows, cols uint8
	for _, in := range s.In {
		rows |= 1 << in[0]
		cols |= 1 << in[1]
	}
	return rows == 7 && cols == 7
}

// boolEinsum emits the 0/1 product of 0/1 operands. plan makes one only of patterns for which
// HasBoolForm holds.
func (g *gen) boolEinsum(n *ir.Node) *value {
	if !g.plain {
		if v := g.productSparse(n); v != nil {
			return v
		}
	}
	f := plan.BitForms[n.Spec.Key()]
	op := code.BoolMatVec
	if f.Op == code.CountProduct {
		op = code.BoolProduct // CountProduct wants its second operand transposed, this does not
		if f.Swap {
			f.TransposeA = !f.TransposeA
		} else {
			f.TransposeB = !f.TransposeB
		}
	}
	a, b := g.operands(n, f)
	return g.newValue(tensor.Packed, g.to(n.Type, tensor.Packed, op, code.Attr{}, a, b))
}
