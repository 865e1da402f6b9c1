package compile

import (
	"math"
	"slices"

	"ein/lang/plan"
	"ein/vm/code"
	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// csr emits an instruction with a new csr for its result.
func (g *gen) csr(t tensor.Type, op code.Op, attr code.Attr, args ...int) int {
	r := g.to(t, tensor.Sparse, op, attr, args...)
	var site code.Site
	g.out.Regs[r].NNZ = site.Entries(&g.out, &g.out.Code[len(g.out.Code)-1])
	return r
}

// thin reports whether so many entries of a matrix are few enough for a kernel that takes some eight times
// as long for one as a dense kernel takes for an element. Beyond denseElems there is no choice.
func thin(entries float64, s tensor.Shape) bool {
	return s.Elems() > denseElems || 8*entries <= float64(s.Elems())
}

// wordsOfEntry is how many words of bits take as long as reading a mask at an entry, and what reads the result.
const wordsOfEntry = 4

// denseElems is the elements of the largest matrices that may be made dense: half a GiB.
const denseElems = 1 << 26

// keepsNaN is the elements of the largest matrix whose 0/0 are kept: what reads it may mask them. In a larger
// one a 0/0 where there is no entry ends the run.
const keepsNaN = 1 << 22

// entries estimates those of a csr.
func (g *gen) entries(r int) float64 {
	if x, ok := g.guess[r]; ok {
		return x
	}
	return float64(g.out.Regs[r].NNZ)
}

// guessed records an estimate of the entries of a csr whose bound says little.
func (g *gen) guessed(r int, entries float64) {
	g.guess[r] = min(entries, float64(g.out.Regs[r].NNZ))
}

// sparse returns the register of a node that was made as a csr with 0 for what it does not list.
func (g *gen) sparse(n *ir.Node) (reg int, ok bool) {
	if n.Rank() != 2 || n.Type.Far {
		return 0, false
	}
	v := g.value(n)
	return v.reg[tensor.Sparse], v.natural == tensor.Sparse
}

// mapSparse emits an elementwise expression of sparse matrices, vectors and numbers that is 0 where no
// matrix has an entry; nil for any other.
func (g *gen) mapSparse(n *ir.Node) *value {
	if !g.sparser || n.Rank() != 2 || n.Type.Far || n.Op == ir.Einsum && !isPointwise(n.Spec) {
		return nil
	}
	f := g.sparseFusion(n)
	f.sparse.checks = true
	if n.Op == ir.Map {
		f.apply(n)
	} else {
		f.product(n)
	}
	s := f.sparse
	if s.misfit || len(s.list) == 0 {
		return nil
	}
	m, regs := f.points()
	estimate := 0.0
	var none []float64
	var nnz []int
	for _, r := range s.list {
		entries := math.MaxInt32
		if !r.mask {
			entries = g.out.Regs[r.reg].NNZ
			estimate += g.entries(r.reg)
		}
		none, nnz = append(none, g.out.Regs[r.reg].Absent()), append(nnz, entries)
	}
	if s.masked() && n.Type.Kind == tensor.Bool && allBool(n.Args) && float64(m.Shape[0]*tensor.Words(m.Shape[1])) < wordsOfEntry*estimate {
		return nil
	}
	p, err := kernel.PlanCSRMap(m.Shape[0], m.Shape[1], nnz, none, m.Strides, m.Code, m.Consts)
	if err != nil || !thin(estimate, n.Type.Shape) || p.Poles() && n.Type.Shape.Elems() <= keepsNaN || !f.drive(p.Needs) {
		return nil
	}
	g.pos, g.unsigned = n.Pos, g.unsigned || s.unsigned
	t := n.Type
	turned := s.list[0].turned
	if turned {
		t.Shape = tensor.ShapeOf(m.Shape...)
	}
	r := g.csr(t, code.MapCSR, code.Attr{Micro: m}, regs()...)
	g.guessed(r, min(estimate, float64(p.Entries())))
	if turned {
		r = g.transposed(r)
	}
	return g.newValue(tensor.Sparse, r)
}

// isPointwise reports whether a contraction to a matrix adds nothing up and reads no diagonal.
func isPointwise(s *op.Spec) bool {
	if len(s.In) < 2 || len(s.Size) != 2 || len(s.Out) != 2 || s.Out[0] == s.Out[1] {
		return false
	}
	return !slices.ContainsFunc(s.In, func(in []uint8) bool { return len(in) == 2 && in[0] == in[1] })
}

// product adds the factors of a pointwise contraction, multiplied, and returns where the product is.
func (f *fusion) product(n *ir.Node) (last ref) {
	f.maps += len(n.Args) - 1
	for k, a := range n.Args {
		next := f.factor(a, n.Spec.In[k], n.Spec.Out)
		if k > 0 {
			f.code = append(f.code, fusedOp{op.FnMul, ref{classTemp, f.temps}, last, next, next})
			next = ref{classTemp, f.temps}
			f.temps++
		}
		last = next
	}
	f.check(n, last)
	return last
}

// check adds the check of a count.
func (f *fusion) check(n *ir.Node, r ref) {
	if n.Checked() {
		if f.sparse != nil && !f.sparse.checks {
			f.sparse.misfit = true // every element has to be formed
		}
		f.code = append(f.code, fusedOp{op.FnCheck, r, r, r, r})
	}
}

// factor adds a factor that has the axes in among those of the loop.
func (f *fusion) factor(a *ir.Node, in, axes []uint8) ref {
	if len(in) != 1 {
		return f.facing(len(in) == 2 && in[0] != axes[0], func() ref { return f.operand(a) })
	}
	stride := []int{0, 0}
	stride[slices.Index(f.perm, slices.Index(axes, in[0]))] = 1
	f.args, f.stride = append(f.args, f.g.dense(a)), append(f.stride, stride)
	return ref{classArg, uint8(len(f.args) - 1)}
}

// facing adds what is seen with its axes exchanged, if it is turned.
func (f *fusion) facing(turned bool, add func() ref) ref {
	turn := func() {
		f.sparse.flipped = !f.sparse.flipped
		slices.Reverse(f.perm)
	}
	if turned {
		turn()
		defer turn()
		defer func(before *ir.Node) { f.sparse.above0 = before }(f.sparse.above0)
		f.sparse.above0 = nil // whose elements are others here
	}
	return add()
}

// drive chooses a sparse matrix without whose entries an expression is 0, if there are masks. It reports whether
// the expression can be evaluated.
func (f *fusion) drive(needs func(matrix int) bool) bool {
	s := f.sparse
	s.driver = -1
	for q, m := range s.list {
		if !m.mask && needs(q) && (s.driver < 0 || f.g.entries(m.reg) < f.g.entries(s.list[s.driver].reg)) {
			s.driver = q
		}
	}
	return s.driver >= 0 || !s.masked()
}

// masked reports whether there are masks.
func (s *sparseMatrices) masked() bool {
	return slices.ContainsFunc(s.list, func(m sparseMatrix) bool { return m.mask })
}

// masked returns a mask where the driver has entries.
func (f *fusion) masked(m sparseMatrix) int {
	g, by := f.g, f.sparse.list[f.sparse.driver]
	if m.turned != by.turned {
		by.reg = g.transposed(by.reg)
	}
	key := [...]int{by.reg, m.reg}
	r, ok := g.masks[key]
	if !ok {
		r = g.csr(tensor.Type{Kind: tensor.Bool, Shape: g.out.Regs[m.reg].Shape}, code.MaskCSR, code.Attr{}, by.reg, m.reg)
		g.masks[key] = r
	}
	return r
}

// points returns the program of a kernel for sparse matrices, and how to get its registers. The first
// matrix is taken as it is; those that are seen the other way are turned.
func (f *fusion) points() (*code.Micro, func() []int) {
	g, s := f.g, f.sparse
	turned := s.list[0].turned
	shape := g.out.Regs[s.list[0].reg].Shape.Dims()
	if turned {
		for _, stride := range f.stride {
			slices.Reverse(stride)
		}
	}
	var strides [][]int
	for range s.list {
		strides = append(strides, []int{shape[1], 1})
	}
	m := &code.Micro{Shape: shape, Strides: append(strides, f.stride...), Code: f.steps(len(s.list)), Consts: f.consts}
	return m, func() (regs []int) {
		for _, m := range s.list {
			if m.mask {
				m.reg = f.masked(m)
			}
			if m.turned != turned {
				m.reg = g.transposed(m.reg)
			}
			regs = append(regs, m.reg)
		}
		return append(regs, f.args...)
	}
}

// sumSparse emits a sum over the product of matrices of two indices, one of them sparse, that is made
// first; nil for any other contraction.
func (g *gen) sumSparse(n *ir.Node) *value {
	s := n.Spec
	if len(n.Args) < 2 || len(s.Size) != 2 || len(s.Out) > 1 || !slices.ContainsFunc(s.In, func(in []uint8) bool { return len(in) == 2 }) {
		return nil
	}
	whole := op.Spec{In: s.In, Out: []uint8{0, 1}, Size: s.Size}
	product := g.b.Einsum(&whole, n.Args...).Unchecked()
	product.Pos = n.Pos
	v := g.mapSparse(product)
	if v == nil {
		return nil
	}
	g.vals.Set(product, v)
	sum := g.b.View(product, []uint8{0, 1}, s.Out, s.Size)
	sum.Type, sum.Bound, sum.Pos = n.Type, n.Bound, n.Pos
	return g.einsum(sum)
}

// productOf returns the factors of a product of two matrices as the product of rows and columns, and
// whether each has to be transposed for it.
func productOf(n *ir.Node) (a, b *ir.Node, turnA, turnB, ok bool) {
	if len(n.Args) != 2 {
		return nil, nil, false, false, false
	}
	f, ok := plan.BitForms[n.Spec.Key()]
	if !ok || f.Op != code.CountProduct {
		return nil, nil, false, false, false
	}
	a, b = n.Args[0], n.Args[1]
	if f.Swap { // the kernel on bits wants its second operand transposed
		return b, a, f.TransposeB, !f.TransposeA, true
	}
	return a, b, f.TransposeA, !f.TransposeB, true
}

// productSparse emits a product of two sparse matrices, or of one and a dense one; nil if there is a better
// kernel.
func (g *gen) productSparse(n *ir.Node) *value {
	x, y, turnX, turnY, ok := productOf(n)
	if !ok {
		return nil
	}
	a, first := g.sparse(x)
	b, second := g.sparse(y)
	if !first && !second || n.Op != ir.Einsum && (!first || !second) {
		return nil
	}
	mid := x.Type.Shape.Dim(1)
	if turnX {
		mid = x.Type.Shape.Dim(0)
	}
	// A multiplication takes so many times as long as in a dense product, of which there are all.
	sizes := [...]float64{float64(x.Type.Shape.Elems()), float64(y.Type.Shape.Elems()), float64(n.Type.Shape.Elems())}
	entries, slower := sizes, 16.0
	if first && second {
		slower = 240 // measured at densities of 0.1
	}
	if first {
		entries[0] = g.entries(a)
	}
	if second {
		entries[1] = g.entries(b)
	}
	work := entries[0] * entries[1] / float64(max(mid, 1))
	if slower*entries[0]*entries[1] > sizes[0]*sizes[1] && max(sizes[0], sizes[1], sizes[2]) <= denseElems {
		return nil
	}
	// OR of rows of bits, which have to be packed, takes so many times as long as an OR of words.
	bits := entries[0]*float64(tensor.Words(n.Type.Shape.Dim(1))) + (sizes[0]+sizes[1]+sizes[2])/13
	if n.Op != ir.Einsum && bits < 13*work && max(sizes[0], sizes[1], sizes[2]) <= denseElems {
		return nil
	}
	factor := func(n *ir.Node, sparse, turned bool) int {
		switch {
		case sparse && turned:
			return g.transposed(g.vals.At(n).reg[tensor.Sparse])
		case sparse:
			return g.vals.At(n).reg[tensor.Sparse]
		case turned:
			n = g.b.Transpose(n, []uint8{1, 0})
			n.Pos = n.Args[0].Pos
		}
		return g.dense(n)
	}
	a, b = factor(x, first, turnX), factor(y, second, turnY)
	g.pos = n.Pos
	if !first || !second {
		return g.denseResult(n, code.MatMulCSR, code.Attr{}, a, b)
	}
	r := g.csr(n.Type, code.ProductCSR, code.Attr{}, a, b)
	g.guessed(r, min(work, sizes[2]))
	return g.newValue(tensor.Sparse, r)
}
