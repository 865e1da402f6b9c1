package compile

import (
	"ein/vm/kernel"
	"math"
	"slices"

	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// mapped is an elementwise operation: on bits when every operand is 0/1 and one
// of them is packed already, else one fused loop.
func (g *gen) mapped(n *ir.Node) *value {
	if g.isTriangleCount(n) {
		a := g.graph(cubeOf(n.Args[0]))
		g.pos = n.Pos
		if t, ok := g.constTransposed(a); !ok || t != a {
			g.emit(code.CheckSymmetric, -1, code.Attr{}, a)
		}
	}
	if !g.plain {
		if v := g.pattern(n); v != nil {
			return v
		}
		if v := g.logic(n); v != nil {
			return v
		}
	}
	return g.fuse(n, nil, 0)
}

// pattern is A != 0 of a sparse A with weights.
func (g *gen) pattern(n *ir.Node) *value {
	if n.Fn != op.FnNe || n.Rank() != 2 {
		return nil
	}
	zero, ok := n.Args[1].Scalar()
	if !ok || zero != 0 || !g.value(n.Args[0]).has(tensor.Sparse) {
		return nil
	}
	from := g.value(n.Args[0]).reg[tensor.Sparse]
	r := g.to(n.Type, tensor.Sparse, code.Pattern, code.Attr{}, from)
	g.out.Regs[r].NNZ = g.out.Regs[from].NNZ
	return newValue(tensor.Sparse, r)
}

// isTriangleCount recognises trace(A A A) / 6 for a 0/1 matrix A.
func (g *gen) isTriangleCount(n *ir.Node) bool {
	if n.Fn != op.FnDiv || n.Args[0].Rank() != 0 || cubeOf(n.Args[0]) == nil {
		return false
	}
	six, ok := n.Args[1].Scalar()
	return ok && six == 6
}

// cubeOf is the matrix whose third power's trace n is, nil when n is something
// else. It looks through the products that n is made of.
func cubeOf(n *ir.Node) *ir.Node {
	var leaves []*ir.Node
	var visit func(n *ir.Node, depth int)
	visit = func(n *ir.Node, depth int) {
		if n.Op == ir.Einsum && depth < 4 {
			for _, a := range n.Args {
				visit(a, depth+1)
			}
			return
		}
		leaves = append(leaves, n)
	}
	if n.Op != ir.Einsum {
		return nil
	}
	visit(n, 0)
	if len(leaves) != 3 || leaves[0] != leaves[1] || leaves[1] != leaves[2] {
		return nil
	}
	a := leaves[0]
	if a.Type.Kind != tensor.Bool || a.Rank() != 2 || a.Type.Shape.Dim(0) != a.Type.Shape.Dim(1) {
		return nil
	}
	return a
}

// logicOps are the elementwise functions of two 0/1 operands as operations on
// words. swap exchanges the operands, not complements the result.
var logicOps = map[op.Fn]struct {
	op        code.LogicOp
	swap, not bool
}{
	op.FnMul: {op: code.And},
	op.FnMin: {op: code.And},
	op.FnMax: {op: code.Or},
	op.FnNe:  {op: code.Xor},
	op.FnEq:  {op: code.Xor, not: true},
	op.FnGt:  {op: code.AndNot},
	op.FnLe:  {op: code.AndNot, not: true},
	op.FnLt:  {op: code.AndNot, swap: true},
	op.FnGe:  {op: code.AndNot, swap: true, not: true},
}

func (g *gen) logic(n *ir.Node) *value {
	if n.Rank() == 0 || n.Rank() > 2 || !g.prefersBits(n) {
		return nil
	}
	type2 := func(op code.LogicOp, args ...int) int {
		return g.to(n.Type, tensor.Packed, code.Logic, code.Attr{Logic: op}, args...)
	}
	if n.Fn == op.FnNot || isComplement(n) {
		a := g.in(n.Args[len(n.Args)-1], tensor.Packed)
		g.pos = n.Pos
		return newValue(tensor.Packed, type2(code.Not, a))
	}
	for _, a := range n.Args {
		if a.Rank() == 0 {
			return nil
		}
	}
	if n.Fn == op.FnMax && len(n.Args) == 2 {
		if v := g.symmetric(n); v != nil {
			return v
		}
	}
	if n.Fn == op.FnWhere {
		p, a, b := g.in(n.Args[0], tensor.Packed), g.in(n.Args[1], tensor.Packed), g.in(n.Args[2], tensor.Packed)
		g.pos = n.Pos
		return newValue(tensor.Packed, type2(code.Or, type2(code.And, p, a), type2(code.AndNot, b, p)))
	}
	l, ok := logicOps[n.Fn]
	if !ok {
		return nil
	}
	a, b := g.in(n.Args[0], tensor.Packed), g.in(n.Args[1], tensor.Packed)
	g.pos = n.Pos
	if l.swap {
		a, b = b, a
	}
	r := type2(l.op, a, b)
	if l.not {
		r = type2(code.Not, r)
	}
	return newValue(tensor.Packed, r)
}

// isComplement recognises 1 - R.
func isComplement(n *ir.Node) bool {
	if n.Fn != op.FnSub {
		return false
	}
	one, ok := n.Args[0].Scalar()
	return ok && one == 1
}

// symmetric is max(A, transpose(A)) of a sparse A.
func (g *gen) symmetric(n *ir.Node) *value {
	a, t := n.Args[0], n.Args[1]
	if isTransposeOf(a, t) {
		a, t = t, a
	}
	if !isTransposeOf(t, a) || !g.value(a).has(tensor.Sparse) {
		return nil
	}
	from := g.value(a).reg[tensor.Sparse]
	r := g.to(n.Type, tensor.Sparse, code.Symmetric, code.Attr{}, from)
	g.out.Regs[r].NNZ = code.SymmetricNNZ(g.out.Regs[from].NNZ, n.Type.Shape)
	return newValue(tensor.Sparse, r)
}

func isTransposeOf(t, a *ir.Node) bool {
	return t.Op == ir.Einsum && len(t.Args) == 1 && t.Args[0] == a && a.Rank() == 2 && t.Spec.Key() == "ab->ba"
}

// reduce folds axes; a fold of an elementwise expression runs inside its loop,
// so that the expression is never stored.
func (g *gen) reduce(n *ir.Node) *value {
	a := n.Args[0]
	if v := g.foldSparse(a, n, n.Fold, n.Axes); v != nil {
		return g.checked(n, v)
	}
	if !g.plain && a.Op == ir.Map && g.uses.At(a) == 1 && n.Fold <= op.FoldMin && g.vals.At(a) == nil {
		return g.checked(n, g.fuse(a, n, n.Fold))
	}
	r := g.dense(a)
	g.pos = n.Pos
	return g.denseResult(n, code.Reduce, code.Attr{Fold: n.Fold, Axes: n.Axes}, r)
}

// maxFusedOps bounds the operations of one loop, so that their operands,
// constants and temporaries fit the registers of the kernel: 10 operations have
// at most 21 operands.
const maxFusedOps = 10

// fusion collects the loop for one elementwise expression. Registers are
// numbered operands, constants, temporaries, which is known only at the end, so
// code first refers to them by class.
type fusion struct {
	g      *gen
	root   *ir.Node
	perm   []int // axis of the loop -> axis of root
	args   []int
	stride [][]int
	consts []float64
	code   []fusedOp
	maps   int
	temps  uint8
	sparse *sparseMatrix // of foldSparse
}

type fusedOp struct {
	fn           op.Fn
	dst, a, b, c ref
}

type ref struct{ class, k uint8 }

const (
	classArg uint8 = iota
	classConst
	classTemp
)

// fuse emits one loop for the Map n and the Maps that only it reads. With fold,
// the axes of fold are folded at the end of the loop.
func (g *gen) fuse(n *ir.Node, fold *ir.Node, how op.Fold) *value {
	f := &fusion{g: g, root: n}
	for d := range n.Rank() {
		if fold == nil || !slices.Contains(fold.Axes, d) {
			f.perm = append(f.perm, d)
		}
	}
	m := &code.Micro{Fold: how}
	result := n
	if fold != nil {
		f.perm = append(f.perm, fold.Axes...)
		m.Folds = len(fold.Axes)
		result = fold
	}
	for _, d := range f.perm {
		m.Shape = append(m.Shape, n.Type.Shape.Dim(d))
	}
	f.apply(n)
	m.Strides, m.Consts = f.stride, f.consts
	first := 0
	if len(f.args) == 0 {
		// A loop over constants only still needs an operand to be an instruction.
		f.args, m.Strides, first = append(f.args, g.dense(g.b.Number(0))), [][]int{make([]int, len(m.Shape))}, 1
	}
	m.Code = f.steps(first)
	g.pos = n.Pos
	return newValue(tensor.Dense, g.to(result.Type, tensor.Dense, code.Fused, code.Attr{Micro: m}, f.args...))
}

// steps is the code with its registers numbered, the first operand from first.
func (f *fusion) steps(first int) (list []op.Micro) {
	base := [...]int{classArg: first, classConst: len(f.args), classTemp: len(f.args) + len(f.consts)}
	at := func(r ref) uint8 { return uint8(base[r.class]) + r.k }
	for _, o := range f.code {
		list = append(list, op.Micro{Fn: o.fn, Dst: at(o.dst), A: at(o.a), B: at(o.b), C: at(o.c)})
	}
	return list
}

// sparseMatrix is the one matrix of an expression that is folded over its entries:
// the register of its CSR, and whether the axes of the expression are its columns
// and rows. A second matrix is a misfit.
type sparseMatrix struct {
	reg            int
	turned, misfit bool
	flipped        bool // what is met next is seen the other way
}

// meet takes in a matrix of the expression, src, seen as a.
func (s *sparseMatrix) meet(g *gen, a, src *ir.Node) {
	v, turned := g.value(src), false
	if a != src {
		in, out := a.Spec.In[0], a.Spec.Out
		turned = len(out) == 2 && len(in) == 2 && out[0] == in[1] && out[1] == in[0]
		s.misfit = s.misfit || len(in) != 2 || !turned && !slices.Equal(in, out)
	}
	turned = turned != s.flipped
	if v.natural != tensor.Sparse || s.reg >= 0 && (s.reg != v.reg[tensor.Sparse] || s.turned != turned) {
		s.misfit = true
		return
	}
	s.reg, s.turned = v.reg[tensor.Sparse], turned
}

// foldSparse folds an elementwise expression of one sparse matrix and vectors along
// one axis, entry by entry. It is nil for any other fold: one of more matrices, or one
// whose value where the matrix has no entry depends on row and column.
func (g *gen) foldSparse(a, fold *ir.Node, how op.Fold, axes []int) *value {
	if g.plain || a.Rank() != 2 || len(axes) != 1 || how != op.FoldMax && how != op.FoldMin {
		return nil
	}
	f := &fusion{g: g, root: a, perm: []int{0, 1}, args: []int{-1}, stride: [][]int{nil}, sparse: &sparseMatrix{reg: -1}}
	f.operand(a) // over few entries, what others use as well may be computed again
	return f.foldSparse(fold, how, axes[0])
}

// semiring is the same of a product.
func (g *gen) semiring(n *ir.Node) *value {
	m, v := 0, 1
	if n.Args[0].Rank() != 2 {
		m, v = 1, 0
	}
	ids, out := n.Spec.In[m], n.Spec.Out
	if !g.plain && len(ids) == 2 && ids[0] != ids[1] && n.Args[v].Rank() < 2 && len(out) == 1 && slices.Contains(ids, out[0]) && !slices.ContainsFunc(n.Spec.In[v], func(x uint8) bool { return !slices.Contains(ids, x) }) {
		f := &fusion{g: g, root: n.Args[m], perm: []int{0, 1}, args: []int{-1}, stride: [][]int{nil}, sparse: &sparseMatrix{reg: -1}}
		if f.sparse.meet(g, n.Args[m], n.Args[m]); !f.sparse.misfit {
			stride := []int{0, 0}
			for _, x := range n.Spec.In[v] {
				stride[slices.Index(ids, x)] = 1
			}
			f.args, f.stride = append(f.args, g.dense(n.Args[v])), append(f.stride, stride)
			var in [2]ref
			in[v].k = 1
			f.code = append(f.code, fusedOp{n.Fn, ref{classTemp, 0}, in[0], in[1], in[1]})
			if s := f.foldSparse(n, n.Fold, 1-slices.Index(ids, out[0])); s != nil {
				return g.checked(n, s)
			}
		}
	}
	return g.direct(n)
}

func (f *fusion) foldSparse(fold *ir.Node, how op.Fold, axis int) *value {
	g, s := f.g, f.sparse
	if s.misfit || s.reg < 0 {
		return nil
	}
	shape := g.out.Regs[s.reg].Shape.Dims()
	f.args[0], f.stride[0] = s.reg, []int{shape[1], 1}
	if s.turned {
		axis = 1 - axis
		for _, stride := range f.stride[1:] {
			slices.Reverse(stride)
		}
	}
	m := &code.Micro{Shape: shape, Strides: f.stride, Code: f.steps(0), Consts: f.consts}
	ops := make([]kernel.FusedOperand, len(f.stride))
	for k, stride := range f.stride {
		ops[k].Stride = stride
	}
	if _, err := kernel.PlanCSRFold(shape[0], shape[1], 0, axis, how, ops, m.Code, m.Consts); err != nil {
		return nil
	}
	g.pos = fold.Pos
	return newValue(tensor.Dense, g.to(fold.Type, tensor.Dense, code.FoldCSR, code.Attr{Fold: how, Axes: []int{axis}, Micro: m}, f.args...))
}

// apply adds the instruction of a Map and returns where its value is.
func (f *fusion) apply(n *ir.Node) ref {
	f.maps++
	if f.sparse != nil && n.Checked() {
		f.sparse.misfit = true // every element has to be formed
	}
	var in [3]ref
	for i, a := range n.Args {
		in[i] = f.operand(a)
	}
	out := ref{classTemp, f.temps}
	f.temps++
	f.code = append(f.code, fusedOp{n.Fn, out, in[0], in[1], in[2]})
	if n.Checked() {
		f.code = append(f.code, fusedOp{op.FnCheck, out, out, out, out})
	}
	return out
}

// operand is where an argument of a fused Map comes from: another Map of the
// loop, a constant, or a register read with some strides.
func (f *fusion) operand(a *ir.Node) ref {
	g := f.g
	if x, ok := a.Scalar(); ok {
		return f.constant(x)
	}
	alone := g.uses.At(a) == 1 && g.vals.At(a) == nil && !g.prefersBits(a)
	if !g.plain && a.Op == ir.Map && a.Rank() == f.root.Rank() && (alone || f.sparse != nil) && f.maps < maxFusedOps && !g.isTriangleCount(a) {
		return f.apply(a)
	}
	src, stride := a, a.Type.Shape.Strides()
	if !g.plain {
		if view, vs, ok := viewStrides(a); ok && g.vals.At(a) == nil {
			src, stride = view, vs
		}
	}
	if f.sparse != nil && src.Op == ir.Map && isTransposeOf(a, src) && f.maps < maxFusedOps {
		turn := func() {
			f.sparse.flipped = !f.sparse.flipped
			slices.Reverse(f.perm)
		}
		turn()
		defer turn()
		return f.apply(src)
	}
	if f.sparse != nil && src.Rank() > 1 {
		f.sparse.meet(g, a, src)
		return ref{classArg, 0}
	}
	r := g.dense(src)
	loop := make([]int, len(f.perm))
	if a.Rank() > 0 {
		for i, d := range f.perm {
			loop[i] = stride[d]
		}
	}
	for k := range f.args {
		if f.args[k] == r && slices.Equal(f.stride[k], loop) {
			return ref{classArg, uint8(k)}
		}
	}
	f.args = append(f.args, r)
	f.stride = append(f.stride, loop)
	return ref{classArg, uint8(len(f.args) - 1)}
}

func (f *fusion) constant(x float64) ref {
	for k, c := range f.consts {
		if math.Float64bits(c) == math.Float64bits(x) {
			return ref{classConst, uint8(k)}
		}
	}
	f.consts = append(f.consts, x)
	return ref{classConst, uint8(len(f.consts) - 1)}
}

// prefersBits reports whether a Map of 0/1 values is better left to the bit
// operations because an operand is packed.
func (g *gen) prefersBits(n *ir.Node) bool {
	if n.Type.Kind != tensor.Bool || !allBool(n.Args) {
		return false
	}
	for _, a := range n.Args {
		if a.Rank() > 0 && g.value(a).natural != tensor.Dense {
			return true
		}
	}
	return false
}

// viewStrides reads a permutation, a diagonal or a broadcast in place: how the
// argument moves along each axis of the view.
func viewStrides(n *ir.Node) (a *ir.Node, strides [tensor.MaxRank]int, ok bool) {
	if n.Op != ir.Einsum || len(n.Args) != 1 {
		return nil, strides, false
	}
	s := n.Spec
	var out uint64
	for _, x := range s.Out {
		if out>>x&1 != 0 {
			return nil, strides, false // writes a diagonal
		}
		out |= 1 << x
	}
	from := n.Args[0].Type.Shape.Strides()
	var step [64]int
	for d, x := range s.In[0] {
		if out>>x&1 == 0 {
			return nil, strides, false // sums
		}
		step[x] += from[d]
	}
	for i, x := range s.Out {
		strides[i] = step[x]
	}
	return n.Args[0], strides, true
}
