package kernel

import (
	"ein/vm/op"
	"fmt"
	"slices"
	"strconv"
)

// pairKind is the inner kernel of a Pair.
type pairKind uint8

const (
	pairZero pairKind = iota // an index of size 0: the result is all zeros
	pairNest                 // loop nest: elementwise, dot, outer, anything
	pairGemv                 // Dgemv
	pairTile                 // register-tiled loops, for products too small for BLAS
	pairGemm                 // Dgemm
)

// Pair is a planned einsum of two operands. It is immutable and may run in
// several goroutines.
type Pair struct {
	kind   pairKind
	pre    [2]*Unary // sums out or copies an operand first; nil: used where it lies
	preLen [2]int
	post   *Unary // copies the result out of scratch; nil: written where it belongs
	outLen int    // elements that the inner kernel writes, or spans

	zero  int // elements to clear before accumulating
	outer []loopAxis
	inner loopAxis // pairNest
	dot   bool     // pairNest: one inner run makes one element
	acc   bool     // pairNest: add to what is there
	mat   matMul   // the others

	cost Cost
}

// matMul is C = X*Y: X is m x k, Y is k x n, C is m x n with n contiguous
// unless only the tile kernel is used. For pairGemv m is 1.
type matMul struct {
	x, y    int // which operand is which
	m, n, k int
	xm, xk  int // strides
	yk, yn  int
	cm, cn  int
}

// PlanPair plans a Spec of two operands. Indices of only one operand that Out
// lacks are summed out first, which with infinities can give NaN where the
// definition does not, or the reverse. Of the rest, those of both operands and of Out
// are batch loops, those of both but not of Out are contracted, and those of
// one operand and Out are the rows and columns of a matrix product. Several
// ways of laying the operands out are costed, and the cheapest wins.
func PlanPair(s op.Spec) *Pair {
	outLen := s.Elems(s.Out)
	if s.Empty() {
		return &Pair{zero: int(outLen), cost: Cost{Ops: outLen}}
	}
	pl := newPairPlanner(s)
	return pl.build(pl.best())
}

// best is the cheapest candidate. A small product is not compared with others:
// there planning takes longer than any choice can save.
func (pl *pairPlanner) best() *pairCandidate {
	direct := pl.matrix(pl.forced)
	if pl.small() && direct != nil && len(direct.outer) == 0 {
		return direct
	}
	best := pl.nest()
	if direct != nil && direct.est < best.est {
		best = direct
	}
	for mask := pl.forced + 1; mask < 8 && !pl.small(); mask++ {
		if mask&pl.forced != pl.forced {
			continue
		}
		if c := pl.matrix(mask); c != nil && c.est < best.est {
			best = c
		}
	}
	return best
}

// pairAxis is an index in one of the four classes.
type pairAxis struct {
	id uint8
	loopAxis
}

// pairPlanner holds the classified indices of a Spec. The operands are called
// x and y, in such an order that the index that moves least in the result, if
// it is not a batch index, belongs to y: then C is always row-major.
type pairPlanner struct {
	spec             op.Spec
	x, y             int
	batch, m, n, k   []pairAxis
	forced           int    // which of x, y, C must be copied whatever happens
	lenX, lenY, lenC uint64 // elements after summing out, and before repeating
}

// Bits of a layout mask: which tensors go through scratch.
const (
	copyX = 1 << iota
	copyY
	copyC
)

// newPairPlanner divides the indices into those of both operands and the result (batch), of one
// operand and the result (m, n), and of both operands alone (k), which is what BLAS calls them.
func newPairPlanner(s op.Spec) *pairPlanner {
	info := indexes(s)
	pl := &pairPlanner{spec: s, x: slotA, y: slotB}
	if least := leastFree(info); least >= 0 && info[least].in[slotA] {
		pl.x, pl.y = slotB, slotA
	}
	for id := range info {
		pl.classify(uint8(id), info[id])
	}
	pl.lenX = axesElems(pl.batch, pl.m, pl.k)
	pl.lenY = axesElems(pl.batch, pl.n, pl.k)
	pl.lenC = axesElems(pl.batch, pl.m, pl.n)
	return pl
}

// leastFree is the index of exactly one operand and the result that has the
// smallest stride in the result, or -1.
func leastFree(info []indexInfo) int {
	best := -1
	for id, v := range info {
		free := v.n > 1 && v.in[slotD] && v.in[slotA] != v.in[slotB]
		if free && (best < 0 || v.stride[slotD] < info[best].stride[slotD]) {
			best = id
		}
	}
	return best
}

// classify puts an index into the group of the loops that run over it. An index of one tensor
// alone has no loop in a product: a copy of an operand sums it, a copy of the result repeats it,
// so that copy is forced.
func (pl *pairPlanner) classify(id uint8, v indexInfo) {
	ax := pairAxis{id, v.loopAxis}
	inX, inY, inC := v.in[pl.x], v.in[pl.y], v.in[slotD]
	switch {
	case v.n == 1: // no loop at all
	case inX && inY && inC:
		pl.batch = append(pl.batch, ax)
	case inX && inY:
		pl.k = append(pl.k, ax)
	case inX && inC:
		pl.m = append(pl.m, ax)
	case inY && inC:
		pl.n = append(pl.n, ax)
	case inX:
		pl.forced |= copyX
	case inY:
		pl.forced |= copyY
	case inC:
		pl.forced |= copyC // compute once, then repeat
	}
}

// axesElems is the number of elements of a tensor with these axes.
func axesElems(groups ...[]pairAxis) uint64 {
	n := uint64(1)
	for _, g := range groups {
		for _, x := range g {
			n = satMul(n, uint64(x.n))
		}
	}
	return n
}

// small reports whether copies cannot pay.
func (pl *pairPlanner) small() bool {
	return satMul(pl.lenX, axesElems(pl.n)) <= 4096
}

// pairCandidate is one way to run a Pair.
type pairCandidate struct {
	est    float64 // nanoseconds, roughly
	mask   int
	groups [3][][]pairAxis // the layout of each copied tensor: x, y, C
	outer  []loopAxis
	kind   pairKind
	mat    matMul
}

// Cost model, in nanoseconds on a current x86-64 core with AVX2. Only ratios
// matter, and only to choose between plans that are all correct.
const (
	estNestRun  = 5.0 // start of an inner loop
	estNestOp   = 0.5
	estTileCall = 15.0
	estTileOp   = 0.36
	estTileMost = 1 << 12 // largest matrix by vector left to the tile kernel
	estBlasCall = 30.0
	estBlasOp   = 0.04
	estPackOp   = 0.5
	estCopy     = 40.0
	estCopyOp   = 1.0
)

// estimateCopies is the price of the copies that are not forced.
func (pl *pairPlanner) estimateCopies(mask int) float64 {
	var t float64
	for i, n := range [...]uint64{pl.lenX, pl.lenY, pl.lenC} {
		if mask&^pl.forced&(1<<i) != 0 {
			t += estCopy + estCopyOp*float64(n)
		}
	}
	return t
}

// restride gives the axes the strides that slot has when the tensor is stored
// with the groups one after the other, row-major.
func restride(slot int, groups ...[]pairAxis) {
	stride := 1
	for _, g := range slices.Backward(groups) {
		for i := len(g) - 1; i >= 0; i-- {
			g[i].stride[slot] = stride
			stride *= g[i].n
		}
	}
}

// ordered is a copy of the axes by falling stride in slot.
func ordered(axes []pairAxis, slot int) []pairAxis {
	out := slices.Clone(axes)
	for i := range out {
		for k := i; k > 0 && out[k].stride[slot] > out[k-1].stride[slot]; k-- {
			out[k], out[k-1] = out[k-1], out[k]
		}
	}
	return out
}

// loopsOf is axes as loops.
func loopsOf(axes []pairAxis) []loopAxis {
	out := make([]loopAxis, len(axes))
	for i, x := range axes {
		out[i] = x.loopAxis
	}
	return out
}

// layout orders the classes and lays out the copied tensors. Contracted indices
// follow x unless x is copied, so that whatever stays in place can be merged.
func (pl *pairPlanner) layout(mask int) (c *pairCandidate, batch, m, n, k []pairAxis) {
	slotOf := func(bit, slot, other int) int {
		if mask&bit != 0 {
			return other
		}
		return slot
	}
	batch = ordered(pl.batch, slotOf(copyC, slotD, pl.x))
	m = ordered(pl.m, slotOf(copyC, slotD, pl.x))
	n = ordered(pl.n, slotOf(copyC, slotD, pl.y))
	k = ordered(pl.k, slotOf(copyX, pl.x, pl.y))
	c = &pairCandidate{mask: mask, est: pl.estimateCopies(mask)}
	put := func(bit, which, slot int, groups ...[]pairAxis) {
		if mask&bit != 0 {
			restride(slot, groups...)
			c.groups[which] = groups
		}
	}
	put(copyX, 0, pl.x, batch, m, k)
	put(copyY, 1, pl.y, batch, k, n)
	put(copyC, 2, slotD, batch, m, n)
	return c, batch, m, n, k
}

// nest is the candidate that needs no matrix structure.
func (pl *pairPlanner) nest() *pairCandidate {
	c, batch, m, n, k := pl.layout(pl.forced)
	c.kind = pairNest
	axes := loopsOf(slices.Concat(batch, m, n, k))
	// The innermost loop should move little everywhere, so that all three
	// tensors are read about in the order in which they lie.
	sortLoops(axes, func(x loopAxis) int { return x.stride[slotA] + x.stride[slotB] + x.stride[slotD] })
	c.outer = mergeLoops(axes)
	total, runs := float64(loopsProduct(c.outer)), 1.0
	if len(c.outer) > 0 {
		runs = total / float64(c.outer[len(c.outer)-1].n)
	}
	c.est += runs*estNestRun + total*estNestOp
	return c
}

// matrix is the candidate that multiplies matrices with the tensors of mask
// copied, or nil when the indices have no such form.
func (pl *pairPlanner) matrix(mask int) *pairCandidate {
	if len(pl.k) == 0 || len(pl.n) == 0 {
		return nil
	}
	c, batch, m, n, k := pl.layout(mask)
	kk := mergeLoops(loopsOf(k))
	mm, moreM := keepLargest(mergeLoops(loopsOf(m)))
	nn, moreN := keepLargest(mergeLoops(loopsOf(n)))
	if len(kk) != 1 {
		return nil
	}
	c.outer = mergeLoops(slices.Concat(loopsOf(batch), moreM, moreN))
	c.mat = matMul{
		x: pl.x, y: pl.y, m: mm.n, n: nn.n, k: kk[0].n,
		xm: mm.stride[pl.x], xk: kk[0].stride[pl.x],
		yk: kk[0].stride[pl.y], yn: nn.stride[pl.y],
		cm: mm.stride[slotD], cn: nn.stride[slotD],
	}
	if !c.chooseMatrixKernel() {
		return nil
	}
	return c
}

// keepLargest picks the loop that becomes a matrix dimension; the others become
// loops around the product.
func keepLargest(axes []loopAxis) (keep loopAxis, rest []loopAxis) {
	if len(axes) == 0 {
		return loopAxis{n: 1}, nil
	}
	at := 0
	for i, x := range axes {
		if x.n >= axes[at].n {
			at = i
		}
	}
	return axes[at], slices.Delete(slices.Clone(axes), at, at+1)
}

// chooseMatrixKernel sets the kind and adds its price; false when none fits.
func (c *pairCandidate) chooseMatrixKernel() bool {
	p := &c.mat
	calls := float64(loopsProduct(c.outer))
	m, n, k := float64(p.m), float64(p.n), float64(p.k)
	c.kind = pairTile
	est := estTileCall + m*n*k*estTileOp
	if p.m == 1 {
		if p.leading(p.yk, p.yn, p.k, p.n) {
			if blas := estBlasCall + n*k*estBlasOp; blas < est || n*k > estTileMost {
				c.kind, est = pairGemv, blas
			}
		}
		if c.kind == pairTile && n*k > estTileMost {
			return false // a strided walk over a matrix is for the loop nest to order
		}
	} else if blas := p.estimateGemm(); blas < est {
		c.kind, est = pairGemm, blas
	}
	c.est += calls * est
	return true
}

// leading reports whether BLAS can read a rows x cols matrix with the given
// strides, as it is or transposed.
func (p *matMul) leading(sr, sc, rows, cols int) bool {
	return sc == 1 && sr >= cols || sr == 1 && sc >= rows
}

// estimateGemm prices one Dgemm, and makes one that BLAS cannot do dearer than the
// loops. A transposed Y is copied together.
func (p *matMul) estimateGemm() float64 {
	m, n, k := float64(p.m), float64(p.n), float64(p.k)
	if p.cn != 1 || p.cm < p.n || !p.leading(p.xm, p.xk, p.m, p.k) || !p.leading(p.yk, p.yn, p.k, p.n) {
		return estTileCall + 2*m*n*k*estTileOp
	}
	est := estBlasCall + m*n*k*estBlasOp
	if p.yn != 1 {
		est += n * k * estPackOp
	}
	return est
}

// build makes the plan of the candidate that was chosen. The result is cleared first if products
// are added to it, or if it is a diagonal that the loops do not fill.
func (pl *pairPlanner) build(c *pairCandidate) *Pair {
	p := &Pair{kind: c.kind, outer: c.outer, mat: c.mat, outLen: int(pl.spec.Elems(pl.spec.Out))}
	pl.addCopies(p, c)
	ops := loopsProduct(c.outer)
	switch c.kind {
	case pairNest:
		p.finishNest()
	default:
		ops = satMul(ops, uint64(p.mat.m), uint64(p.mat.n), uint64(p.mat.k))
	}
	if c.mask&copyC == 0 && writesDiagonal(pl.spec) || p.acc {
		p.zero = p.outLen
		p.cost.Ops = satSum(p.cost.Ops, uint64(p.outLen))
	}
	p.cost.Ops = satSum(p.cost.Ops, ops)
	return p
}

// addCopies plans what brings the copied tensors into and out of scratch.
func (pl *pairPlanner) addCopies(p *Pair, c *pairCandidate) {
	for i, slot := range []int{pl.x, pl.y} {
		if c.mask&(copyX<<i) == 0 {
			continue
		}
		u := PlanUnary(op.Spec{In: [][]uint8{pl.spec.In[slot]}, Out: idsOf(c.groups[i]), Size: pl.spec.Size})
		n := axesElems(c.groups[i]...)
		p.pre[slot], p.preLen[slot] = u, int(n)
		p.cost = Cost{Ops: satSum(p.cost.Ops, u.cost.Ops), F: satSum(p.cost.F, n)}
	}
	if c.mask&copyC != 0 {
		p.post = PlanUnary(op.Spec{In: [][]uint8{idsOf(c.groups[2])}, Out: pl.spec.Out, Size: pl.spec.Size})
		p.outLen = int(pl.lenC)
		p.cost = Cost{Ops: satSum(p.cost.Ops, p.post.cost.Ops), F: satSum(p.cost.F, pl.lenC)}
	}
}

// idsOf is the indices of groups of axes, in order.
func idsOf(groups [][]pairAxis) []uint8 {
	var ids []uint8
	for _, g := range groups {
		for _, x := range g {
			ids = append(ids, x.id)
		}
	}
	return ids
}

// finishNest splits off the inner loop and decides how it writes.
func (p *Pair) finishNest() {
	p.inner = loopAxis{n: 1}
	if last := len(p.outer) - 1; last >= 0 {
		p.inner, p.outer = p.outer[last], p.outer[:last]
	}
	p.dot = p.inner.n > 1 && contracted(p.inner)
	p.acc = slices.ContainsFunc(p.outer, contracted) || p.dot && p.inner.n > PollOps
}

func contracted(x loopAxis) bool { return x.stride[slotD] == 0 }

// Kernel names what does the work, for example "GEMM 100x200x50" (rows, inner,
// columns), "batched GEMM 8 x 10x10x10", "GEMV 20x30", "DOT 100", "GER 5x6" or
// "loops", with "loops 6x6x6" for a matrix product too small for BLAS.
func (p *Pair) Kernel() string {
	q := p.mat
	product := fmt.Sprintf("%dx%dx%d", q.m, q.k, q.n)
	switch {
	case p.kind == pairZero:
		return "zeros"
	case p.kind == pairGemv:
		return batched(p.outer, "GEMV", fmt.Sprintf("%dx%d", q.n, q.k))
	case p.kind == pairTile:
		return batched(p.outer, "loops", product)
	case p.kind == pairGemm:
		return batched(p.outer, "GEMM", product)
	case p.dot && !slices.ContainsFunc(p.outer, contracted):
		return batched(p.outer, "DOT", strconv.Itoa(p.inner.n))
	case p.isOuter():
		return fmt.Sprintf("GER %dx%d", p.outer[0].n, p.inner.n)
	}
	return "loops"
}

func batched(outer []loopAxis, name, size string) string {
	if n := loopsProduct(outer); n > 1 {
		return fmt.Sprintf("batched %s %d x %s", name, n, size)
	}
	return name + " " + size
}

// isOuter reports whether the nest is an outer product.
func (p *Pair) isOuter() bool {
	if p.acc || len(p.outer) != 1 {
		return false
	}
	o, i := p.outer[0].stride, p.inner.stride
	return o[slotA] == 0 && i[slotB] == 0 || o[slotB] == 0 && i[slotA] == 0
}

// Cost is exact: one operation per multiply-add, after summing out; one per
// element copied, summed out or cleared.
func (p *Pair) Cost() Cost { return p.cost }
