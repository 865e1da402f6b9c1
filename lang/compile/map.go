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

// mapped emits an elementwise operation: on bits if every operand is 0/1 and one of them is packed
// already, otherwise as one fused loop.
func (g *gen) mapped(n *ir.Node) *value {
	if g.isTriangleCount(n) {
		a := g.graph(cubeOf(n.Args[0]), false)
		g.pos = n.Pos
		if t, ok := g.constTransposed(a); !ok || t != a {
			g.emit(code.CheckSymmetric, -1, code.Attr{}, a)
		}
	}
	if !g.plain {
		if v := g.pattern(n); v != nil {
			return v
		}
		if v := g.symmetric(n); v != nil {
			return v
		}
		if v := g.mapSparse(n); v != nil {
			return v
		}
		if v := g.logic(n); v != nil {
			return v
		}
	}
	return g.fuse(n, nil, 0)
}

// pattern emits A != 0 for a sparse A with weights.
func (g *gen) pattern(n *ir.Node) *value {
	if n.Fn != op.FnNe || n.Rank() != 2 || n.Args[0].Type.Far {
		return nil
	}
	zero, ok := n.Args[1].Scalar()
	if !ok || zero != 0 || !g.value(n.Args[0]).has(tensor.Sparse) {
		return nil
	}
	return g.newValue(tensor.Sparse, g.csr(n.Type, code.Pattern, code.Attr{}, g.value(n.Args[0]).reg[tensor.Sparse]))
}

// isTriangleCount recognises trace(A A A) / 6 for a 0/1 matrix A.
func (g *gen) isTriangleCount(n *ir.Node) bool {
	if n.Fn != op.FnDiv || n.Args[0].Rank() != 0 || cubeOf(n.Args[0]) == nil {
		return false
	}
	six, ok := n.Args[1].Scalar()
	return ok && six == 6
}

// cubeOf returns A if n is trace(A A A), otherwise nil. It looks through the products that n
// consists of.
func cubeOf(n *ir.Node) *ir.Node {
	if n.Op != ir.Einsum {
		return nil
	}
	a, count := leaf(n, nil, 0)
	if count != 3 || a.Type.Kind != tensor.Bool || a.Rank() != 2 || a.Type.Shape.Dim(0) != a.Type.Shape.Dim(1) {
		return nil
	}
	return a
}

// leaf returns the one matrix that the products of n consist of, which is a unless a is nil, and
// how often it occurs: more than 3 times if there is another one.
func leaf(n, a *ir.Node, depth int) (*ir.Node, int) {
	if n.Op != ir.Einsum || depth == 4 {
		if a != nil && a != n {
			return a, 4
		}
		return n, 1
	}
	count := 0
	for _, arg := range n.Args {
		var k int
		if a, k = leaf(arg, a, depth+1); count+k > 3 {
			return a, 4
		}
		count += k
	}
	return a, count
}

// logicOps maps the elementwise functions of two 0/1 operands to operations on words. swap
// exchanges the operands, not complements the result.
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

// logic maps 0/1 values by operations on words, or returns nil if n is no such map or no operand
// is packed. A scalar operand, but for the 1 of a complement, is left to the fused loop.
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
		return g.newValue(tensor.Packed, type2(code.Not, a))
	}
	for _, a := range n.Args {
		if a.Rank() == 0 {
			return nil
		}
	}
	if n.Fn == op.FnWhere {
		// where(p, a, b) is p and a, or b and not p.
		p, a, b := g.in(n.Args[0], tensor.Packed), g.in(n.Args[1], tensor.Packed), g.in(n.Args[2], tensor.Packed)
		g.pos = n.Pos
		return g.newValue(tensor.Packed, type2(code.Or, type2(code.And, p, a), type2(code.AndNot, b, p)))
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
	return g.newValue(tensor.Packed, r)
}

// isComplement recognises 1 - R.
func isComplement(n *ir.Node) bool {
	if n.Fn != op.FnSub {
		return false
	}
	one, ok := n.Args[0].Scalar()
	return ok && one == 1
}

// symmetric emits max(A, transpose(A)) of a sparse A, or returns nil.
func (g *gen) symmetric(n *ir.Node) *value {
	if n.Fn != op.FnMax || n.Type.Kind != tensor.Bool || n.Rank() != 2 {
		return nil
	}
	a, t := n.Args[0], n.Args[1]
	if isTransposeOf(a, t) {
		a, t = t, a
	}
	if !isTransposeOf(t, a) || !g.value(a).has(tensor.Sparse) {
		return nil
	}
	from := g.value(a).reg[tensor.Sparse]
	return g.newValue(tensor.Sparse, g.csr(n.Type, code.Symmetric, code.Attr{}, from))
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
	perm   []int   // axis of the loop -> axis of root
	args   []int   // registers of the operands
	stride [][]int // of each, along the axes of the loop
	consts []float64
	code   []fusedOp
	maps   int             // operations taken in, at most maxFusedOps
	temps  uint8           // temporaries so far
	sparse *sparseMatrices // of foldSparse
}

// fusedOp is a step of the loop before its registers are numbered.
type fusedOp struct {
	fn           op.Fn
	dst, a, b, c ref
}

// ref is register k of a class.
type ref struct{ class, k uint8 }

const (
	classMatrix uint8 = iota // of foldSparse, before the other operands
	classArg
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
	m.Shape = g.b.Ints(f.perm...)
	for i, d := range f.perm {
		m.Shape[i] = n.Type.Shape.Dim(d)
	}
	f.apply(n)
	m.Strides, m.Consts = f.stride, f.consts
	if len(f.args) == 0 {
		// A loop over constants only still needs an operand to be an instruction.
		f.args, m.Strides = append(f.args, g.dense(g.b.Number(0))), [][]int{make([]int, len(m.Shape))}
	}
	m.Code = f.steps(0)
	g.pos = n.Pos
	l := tensor.Dense
	if fold == nil && !g.plain && n.Rank() == 2 && n.Type.Kind == tensor.Bool && n.Type.Shape.Dim(1) >= leastPacked {
		l = tensor.Packed
	}
	return g.newValue(l, g.to(result.Type, l, code.Fused, code.Attr{Micro: m}, f.args...))
}

// leastPacked is the columns from which the 0/1 matrix of a loop is packed: below, most of the
// words of its rows are half empty, and rows are loops of their own.
const leastPacked = 128

// steps returns the code with its registers numbered, those of so many matrices first.
func (f *fusion) steps(matrices int) (list []op.Micro) {
	args := matrices + len(f.args)
	base := [...]int{classArg: matrices, classConst: args, classTemp: args + len(f.consts)}
	at := func(r ref) uint8 { return uint8(base[r.class]) + r.k }
	for _, o := range f.code {
		list = append(list, op.Micro{Fn: o.fn, Dst: at(o.dst), A: at(o.a), B: at(o.b), C: at(o.c)})
	}
	return list
}

// sparseMatrices holds the matrices of an expression that is folded over their entries. A matrix
// that is not sparse is a misfit.
type sparseMatrices struct {
	list    []sparseMatrix
	misfit  bool
	flipped bool // what is met next is seen the other way
	checks  bool // counts are checked where there are entries
	driver  int  // see drive
	// unsigned says that the expression relies on real inputs without negative numbers.
	unsigned bool
	above0   *ir.Node // is above 0 wherever what is added now counts, nil if nothing is known to be
}

// sparseMatrix is the register of a CSR, and whether the axes of the expression are its columns and
// rows.
type sparseMatrix struct {
	reg    int
	turned bool
	mask   bool // it is bits or parts, to be read where the driver has entries
}

// meet adds a matrix of the expression: src, seen as a.
func (s *sparseMatrices) meet(g *gen, a, src *ir.Node) ref {
	v, m := g.value(src), sparseMatrix{turned: s.flipped}
	if a != src {
		in, out := a.Spec.In[0], a.Spec.Out
		turned := len(out) == 2 && len(in) == 2 && out[0] == in[1] && out[1] == in[0]
		s.misfit = s.misfit || len(in) != 2 || !turned && !slices.Equal(in, out)
		m.turned = turned != s.flipped
	}
	m.mask = v.natural == tensor.Packed || v.natural == tensor.Parts
	s.misfit = s.misfit || v.natural != tensor.Sparse && !m.mask
	m.reg = v.reg[v.natural]
	if !slices.Contains(s.list, m) {
		s.list = append(s.list, m)
	}
	return ref{classMatrix, uint8(slices.Index(s.list, m))}
}

func (g *gen) sparseFusion(root *ir.Node) *fusion {
	return &fusion{g: g, root: root, perm: []int{0, 1}, sparse: &sparseMatrices{}}
}

// foldSparse folds an elementwise expression of sparse matrices and vectors along one
// axis or both, entry by entry. It is nil for any other fold: one of a dense matrix, or
// one whose value where no matrix has an entry depends on row and column.
func (g *gen) foldSparse(a, fold *ir.Node, how op.Fold, axes []int) *value {
	if g.plain || a.Rank() != 2 || len(axes) == 0 || how == op.FoldSum {
		return nil
	}
	v := g.vals.At(a)
	if v != nil && v.natural == tensor.Dense {
		return nil
	}
	if how <= op.FoldMin {
		f := g.sparseFusion(a)
		f.operand(a) // over few entries, what others use as well may be computed again
		if v := f.foldSparse(fold, how, axes); v != nil {
			return v
		}
	}
	switch { // of a matrix that is made first
	case v != nil:
	case a.Op != ir.Map:
		v = g.value(a)
	default:
		if v = g.mapSparse(a); v == nil {
			return nil
		}
		g.vals.Set(a, v)
	}
	f := g.sparseFusion(a)
	f.sparse.meet(g, a, a)
	if s := f.sparse.list[0]; how > op.FoldMin && v.natural == tensor.Sparse && axes[0] == 0 {
		f.sparse.list[0] = sparseMatrix{reg: g.transposed(s.reg), turned: true} // positions are found in rows
	}
	return f.foldSparse(fold, how, axes)
}

// semiring does for a product what foldSparse does for a fold. One operand is a matrix, whose two
// indices must be all there are, and the result has at most one of them; what the kernel of sparse
// matrices cannot do goes to the general one.
func (g *gen) semiring(n *ir.Node) *value {
	m := 0
	if n.Args[0].Rank() != 2 {
		m = 1
	}
	ids, out := n.Spec.In[m], n.Spec.Out
	foreign := func(x uint8) bool { return !slices.Contains(ids, x) }
	if g.plain || len(ids) != 2 || ids[0] == ids[1] || slices.ContainsFunc(n.Spec.In[1-m], foreign) || len(out) > 1 || slices.ContainsFunc(out, foreign) {
		return g.direct(n)
	}
	f := g.sparseFusion(n.Args[m])
	var in [2]ref
	for k, a := range n.Args {
		x := n.Spec.In[k]
		f.sparse.misfit = f.sparse.misfit || len(x) == 2 && x[0] == x[1]
		in[k] = f.factor(a, x, ids)
	}
	f.code = append(f.code, fusedOp{n.Fn, ref{classTemp, f.temps}, in[0], in[1], in[1]})
	axes := []int{0, 1}
	if len(out) == 1 {
		axes = []int{1 - slices.Index(ids, out[0])}
	}
	if s := f.foldSparse(n, n.Fold, axes); s != nil {
		return g.checked(n, s)
	}
	return g.direct(n)
}

// foldSparse folds an expression over the entries of its sparse matrices, so that it takes no
// time for the zeros, or returns nil if there are none or the kernel cannot. A fold of both axes
// is one along rows and then one of its result.
func (f *fusion) foldSparse(fold *ir.Node, how op.Fold, axes []int) *value {
	g, s := f.g, f.sparse
	if s.misfit || len(s.list) == 0 {
		return nil
	}
	m, regs := f.points()
	axis := axes[0]
	if len(axes) == 2 {
		axis = 1
	}
	if s.list[0].turned {
		axis = 1 - axis
	}
	var none []float64
	for _, r := range s.list {
		none = append(none, g.out.Regs[r.reg].Absent())
	}
	p, err := kernel.PlanCSRFold(m.Shape[0], m.Shape[1], 0, axis, none, how, m.Strides, m.Code, m.Consts)
	if err != nil || len(axes) == 2 && m.Shape[1-axis] == 0 || !f.drive(p.Needs) {
		return nil
	}
	g.pos, g.unsigned = fold.Pos, g.unsigned || s.unsigned
	t := fold.Type
	if len(axes) == 2 {
		t.Shape = tensor.ShapeOf(m.Shape[1-axis])
	}
	r := g.to(t, tensor.Dense, code.FoldCSR, code.Attr{Fold: how, Axes: []int{axis}, Micro: m}, regs()...)
	if len(axes) == 2 {
		r = g.to(fold.Type, tensor.Dense, code.Reduce, code.Attr{Fold: how, Axes: []int{0}}, r)
	}
	return g.newValue(tensor.Dense, r)
}

// apply adds the instruction of a Map and returns where its value is.
func (f *fusion) apply(n *ir.Node) ref {
	f.maps++
	var in [3]ref
	for i, a := range n.Args {
		if f.sparse == nil || n.Fn != op.FnWhere || i != 1 {
			in[i] = f.operand(a)
			continue
		}
		outer := f.sparse.above0
		f.sparse.above0 = above0(n.Args[0])
		in[i] = f.operand(a)
		f.sparse.above0 = outer
	}
	if f.sparse != nil && (n.Fn == op.FnGt || n.Fn == op.FnLt) {
		i := 0
		if n.Fn == op.FnGt {
			i = 1
		}
		in[i] = f.notBelow0(n.Args[i], in[i])
	}
	if n.Fn == op.FnDiv && f.sparse != nil && f.sparse.above0 != nil {
		if d := n.Args[1]; d == f.sparse.above0 || d.Op == ir.Map && d.Fn == op.FnSqrt && d.Args[0] == f.sparse.above0 {
			in[1] = f.atLeast(in[1], math.SmallestNonzeroFloat64) // the same where it counts
		}
	}
	out := ref{classTemp, f.temps}
	f.temps++
	f.code = append(f.code, fusedOp{n.Fn, out, in[0], in[1], in[2]})
	f.check(n, out)
	return out
}

// notBelow0 makes it known to the kernel that a vector or a number has no negative number.
func (f *fusion) notBelow0(a *ir.Node, x ref) ref {
	if x.class != classArg || !a.NonNeg {
		return x
	}
	f.sparse.unsigned = true
	return f.atLeast(x, 0)
}

// atLeast adds max(x, least).
func (f *fusion) atLeast(x ref, least float64) ref {
	f.maps++
	y, out := f.constant(least), ref{classTemp, f.temps}
	f.temps++
	f.code = append(f.code, fusedOp{op.FnMax, out, x, y, y})
	return out
}

// above0 returns what is above 0 where a condition is true, nil if that is not known of anything.
func above0(n *ir.Node) *ir.Node {
	if n.Op == ir.Map && n.Fn == op.FnGt {
		if x, ok := n.Args[1].Scalar(); ok && x >= 0 {
			return n.Args[0]
		}
	}
	return nil
}

// operand returns where an argument of a fused Map comes from: another Map of the loop, a constant,
// or a register read with some strides.
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
		return f.facing(true, func() ref { return f.apply(src) })
	}
	if f.sparse != nil && a.Op == ir.Einsum && isPointwise(a.Spec) && f.maps < maxFusedOps {
		return f.product(a)
	}
	if f.sparse != nil && src.Rank() > 1 {
		return f.sparse.meet(g, a, src)
	}
	if f.sparse != nil && src.Op == ir.Map && src.Fn == op.FnMax && src.Rank() == 1 && f.maps < maxFusedOps {
		for k, a := range src.Args {
			if least, ok := a.Scalar(); ok && least > 0 { // no 0, as the kernel has to know
				return f.atLeast(f.vector(src.Args[1-k], stride), least)
			}
		}
	}
	return f.vector(src, stride)
}

// vector returns where an operand of the loop is that is read with some strides along the axes of its root.
func (f *fusion) vector(src *ir.Node, stride [tensor.MaxRank]int) ref {
	r := f.g.dense(src)
	loop := make([]int, len(f.perm))
	for i, d := range f.perm {
		loop[i] = stride[d]
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
	return n.Type.Kind == tensor.Bool && allBool(n.Args) && slices.ContainsFunc(n.Args, func(a *ir.Node) bool {
		return a.Rank() > 0 && g.value(a).natural != tensor.Dense
	})
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
