package kernel

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/op"
	"ein/vm/tensor"
)

// Exact is a planned einsum of whole numbers below 2^53 whose result is exact
// whatever is added up on the way. When the largest numbers show that no sum can
// come near 2^53, it is an ordinary einsum; else sums and products are integers of
// as many words as they can need. It is immutable and may run in several
// goroutines.
type Exact struct {
	fast  Product // unless an operand is sparse
	terms float64 // products that are added up to one element

	round  bool // the result is real: it is rounded, and has no limit
	sparse int  // the operand that is a CSR, or -1
	steps  []exactStep
	result int    // elements
	words  int    // of an element of the result
	at     uint64 // where the result lies in scratch; two buffers lie behind it
	widest int    // words of a buffer
	cost   Cost
}

// exactStep multiplies two operands, or adds up one. Words count per element: those of a product
// are enough for its largest sum, so no carry is ever lost.
type exactStep struct {
	placedStep
	words  [slots]int // of an element of each operand and of the result
	loops  []loopAxis
	row    loopAxis // of a sparse operand, instead of loops
	col    loopAxis
	work   int  // operations of a product
	single bool // there is no second operand
}

// PlanExact plans a Spec of one or more operands. One of at most two may be sparse:
// a matrix with at most nnz entries, and two indices that are all there are. With
// round the result is the nearest number, else it has to be below 2^53.
func PlanExact(s op.Spec, sparse, nnz int, round bool) *Exact {
	p := &Exact{sparse: sparse, round: round, result: int(s.Elems(s.Out)), terms: 1}
	out := op.Mask(s.Out)
	var all uint64
	for _, in := range s.In {
		all |= op.Mask(in)
		if sparse < 0 {
			p.cost.Ops = satSum(p.cost.Ops, s.Elems(in))
		}
	}
	for m := all &^ out; m != 0; m &= m - 1 {
		p.terms *= float64(s.Size[bits.TrailingZeros64(m)])
	}
	if s.Empty() {
		p.terms = 0
	}
	fast := Cost{}
	if sparse < 0 {
		p.fast = PlanProduct(s)
		fast = p.fast.Cost()
	}
	slow := p.planSteps(s, nnz)
	p.cost.Ops = satSum(p.cost.Ops, max(fast.Ops, slow))
	p.cost.F = fast.F
	return p
}

// planSteps plans the arithmetic in words and returns its operations.
func (p *Exact) planSteps(s op.Spec, nnz int) (ops uint64) {
	order := []Step{{Spec: s}} // of one factor
	if len(s.In) > 1 {
		order = Order(&s)
	}
	// A product of k numbers below 2^53, added up 2^t times, has 53k+t bits.
	type part struct {
		factors int
		read    uint64
	}
	parts := make([]part, len(s.In), len(s.In)+len(order))
	for i, in := range s.In {
		parts[i] = part{1, op.Mask(in)}
	}
	words := make([]int, len(order))
	for k, step := range order {
		sum := parts[step.A]
		if len(s.In) > 1 {
			sum.factors += parts[step.B].factors
			sum.read |= parts[step.B].read
		}
		parts = append(parts, sum)
		n := 53*sum.factors + 2
		for m := sum.read &^ op.Mask(step.Spec.Out); m != 0; m &= m - 1 {
			n += bits.Len(uint(s.Size[bits.TrailingZeros64(m)]))
		}
		words[k] = n/64 + 1
	}
	size := func(k int) uint64 { return satMul(s.Elems(order[k].Spec.Out), uint64(words[k])) }
	placed, held := placeSteps(order, len(s.In), size)
	for _, at := range placed {
		k := at.pair
		step := exactStep{placedStep: at, words: [slots]int{1, 1, words[k]}, single: len(s.In) == 1}
		info := indexes(order[k].Spec)
		for i, part := range []int{order[k].A, order[k].B} {
			if part >= len(s.In) {
				step.words[i] = words[part-len(s.In)]
			}
			p.widest = max(p.widest, step.words[i])
		}
		step.work = step.words[slotA]*step.words[slotB] + words[k]
		points := uint64(nnz)
		if p.sparse >= 0 {
			in := s.In[p.sparse]
			step.row, step.col = info[in[0]].loopAxis, info[in[1]].loopAxis
			ops = satSum(ops, uint64(s.Size[in[0]]))
		} else {
			step.loops = usedLoops(info)
			points = loopsProduct(step.loops)
			sortLoops(step.loops, byStride(slotD))
			step.loops = mergeLoops(step.loops)
		}
		p.steps = append(p.steps, step)
		ops = satSum(ops, size(k), satMul(points, uint64(step.work)))
	}
	last := len(p.steps) - 1
	p.words, p.at = p.steps[last].words[slotD], held
	resultSize := size(len(order) - 1)
	p.steps[last].to = operand{where: inScratch, at: held, size: resultSize}
	p.cost.W = satSum(held, resultSize, 2*uint64(p.widest))
	return satSum(ops, resultSize)
}

// Cost bounds the operations: those of the slower way, and a look at the operands.
func (p *Exact) Cost() Cost { return p.cost }

// Run evaluates the einsum into dst, which overlaps no operand. args are the
// operands, a sparse one nil and in csr instead. exact is false when an element
// reaches 2^53, which leaves dst unspecified.
func (p *Exact) Run(c *Ctl, dst []float64, args [][]float64, csr *tensor.CSR, s Scratch) (exact bool) {
	if p.sparse < 0 && p.small(c, args) {
		p.fast.RunAll(c, dst, args, s)
		return true
	}
	free := s.W[p.at+uint64(p.result*p.words):]
	e := exactRun{meter: newMeter(c), args: args, held: s.W, x: free[:p.widest], y: free[p.widest : 2*p.widest]}
	for i := range p.steps {
		if p.sparse >= 0 {
			e.sparse(&p.steps[i], p.sparse, csr)
		} else {
			e.dense(&p.steps[i])
		}
	}
	return p.store(&e.meter, dst, s.W[p.at:])
}

// small reports whether the largest magnitudes of the operands show that no sum
// comes near 2^53.
func (p *Exact) small(c *Ctl, args [][]float64) (small bool) {
	bound := p.terms
	for _, a := range args {
		most := 1.0 // so that the bound is also one of every part of the product
		for b := range slices.Chunk(a, PollOps) {
			for _, x := range b {
				most = max(most, math.Abs(x))
			}
			c.Ops += uint64(len(b))
			c.Poll()
		}
		bound *= most
	}
	return bound < tensor.MaxInt/2
}

// exactRun is the arithmetic in words. Operands and results of more than one word
// are in two's complement, the lowest word first.
type exactRun struct {
	meter meter
	args  [][]float64
	held  []uint64 // scratch with the results
	x, y  []uint64 // room for the magnitudes of two operands
}

// dense adds up the products at all points of the loops.
func (e *exactRun) dense(p *exactStep) {
	out := e.clear(p)
	var o odometer
	for {
		x, less := e.read(p, slotA, o.off[slotA], e.x)
		y, minus := []uint64{1}, false
		if !p.single {
			y, minus = e.read(p, slotB, o.off[slotB], e.y)
		}
		at := o.off[slotD] * p.words[slotD]
		addProduct(out[at:at+p.words[slotD]], x, y, less != minus)
		e.meter.spend(p.work)
		if !o.next(p.loops) {
			return
		}
	}
}

// sparse adds up the products of the entries of a, which is the operand of the
// given number, with the elements of the other.
func (e *exactRun) sparse(p *exactStep, number int, a *tensor.CSR) {
	out := e.clear(p)
	other := 1 - number
	for i := range a.Rows {
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			j := int(a.Idx[k])
			f := csrValue(a, k)
			e.x[0] = uint64(int64(math.Abs(f)))
			y, minus := []uint64{1}, false
			if !p.single {
				y, minus = e.read(p, other, i*p.row.stride[other]+j*p.col.stride[other], e.y)
			}
			at := (i*p.row.stride[slotD] + j*p.col.stride[slotD]) * p.words[slotD]
			addProduct(out[at:at+p.words[slotD]], e.x, y, f < 0 != minus)
			e.meter.spend(p.work)
		}
		e.meter.spend(1)
	}
}

// clear is the result of a step, set to 0.
func (e *exactRun) clear(p *exactStep) []uint64 {
	out := e.held[p.to.at : p.to.at+p.to.size]
	clear(out)
	e.meter.c.Ops += uint64(len(out))
	return out
}

// read is the magnitude of an element of an operand, in buf, and its sign.
func (e *exactRun) read(p *exactStep, slot, at int, buf []uint64) (words []uint64, negative bool) {
	from := &p.from[slot]
	if from.where != inScratch {
		f := e.args[from.where][at]
		buf[0] = uint64(int64(math.Abs(f)))
		return buf[:1], f < 0
	}
	n := p.words[slot]
	words = buf[:n]
	copy(words, e.held[from.at+uint64(at*n):])
	if negative = words[n-1]>>63 != 0; negative {
		negate(words)
	}
	return words, negative
}

// negate takes a number in two's complement to its negative.
func negate(words []uint64) {
	carry := uint64(1)
	for i, w := range words {
		words[i], carry = bits.Add64(^w, 0, carry)
	}
}

// addProduct adds x*y to acc, or subtracts it: long multiplication, word by word, with the sum made
// on the way. acc has room for the result.
func addProduct(acc, x, y []uint64, subtract bool) {
	for i, u := range x {
		carry := uint64(0)
		for j := i; j < len(acc) && (j-i < len(y) || carry > 0); j++ {
			hi, lo := uint64(0), uint64(0)
			if j-i < len(y) {
				hi, lo = bits.Mul64(u, y[j-i])
			}
			var c1, c2 uint64
			lo, c1 = bits.Add64(lo, carry, 0)
			if subtract {
				acc[j], c2 = bits.Sub64(acc[j], lo, 0)
			} else {
				acc[j], c2 = bits.Add64(acc[j], lo, 0)
			}
			carry = hi + c1 + c2
		}
	}
}

// store turns the result into numbers; exact is false when one reaches 2^53.
func (p *Exact) store(m *meter, dst []float64, words []uint64) (exact bool) {
	for i := range dst[:p.result] {
		w := words[i*p.words : (i+1)*p.words]
		negative := w[p.words-1]>>63 != 0
		if negative {
			negate(w)
		}
		x := 0.0
		for _, word := range slices.Backward(w) {
			x = x*(1<<64) + float64(word)
		}
		if x >= tensor.MaxInt && !p.round {
			return false
		}
		if negative {
			x = -x
		}
		dst[i] = x
		m.spend(p.words)
	}
	return true
}
