package kernel

import (
	"math"
	"slices"

	"ein/vm/op"
	"ein/vm/simd"
	"ein/vm/tensor"
)

// Run evaluates the expression into dst, which overlaps no argument. exact is
// false when an FnCheck met a value that is not an exact count (a magnitude of
// 2^53 or more, or NaN). It sets c.Finite.
func (p *Fused) Run(c *Ctl, dst []float64, args [][]float64, s Scratch) (exact bool) {
	dst = dst[:p.outLen]
	c.Finite = false
	if p.folds {
		Fill(c, dst, p.fold.Identity())
	}
	if p.n <= fusedTiny {
		return p.runTiny(c, dst, args, s.F)
	}
	return p.runBlocks(c, dst, args, s.F)
}

// perPoint returns the number of operations at one point, apart from the fill of a fold.
func (p *Fused) perPoint() uint64 {
	total := p.cost.Ops
	if p.folds {
		total -= uint64(p.outLen)
	}
	return total / uint64(max(p.n, 1))
}

// runTiny evaluates point by point. For so few points, blocks take longer to set up.
func (p *Fused) runTiny(c *Ctl, dst []float64, args [][]float64, reg []float64) (exact bool) {
	reg = reg[:p.regs]
	copy(reg[len(p.in):], p.consts)
	exact = true
	for i := range p.n {
		for k := range p.in {
			reg[k] = args[k][p.offset(&p.in[k], i)]
		}
		for j := range p.code {
			m := &p.code[j]
			if m.Fn == op.FnCheck {
				exact = exact && allExact(reg[m.A:m.A+1])
				continue
			}
			reg[m.Dst] = m.Fn.Apply(reg[m.A], reg[m.B], reg[m.C])
		}
		if p.folds {
			dst[i/p.run] = p.fold.Apply(dst[i/p.run], reg[p.result])
		} else {
			dst[i] = reg[p.result]
		}
	}
	c.Ops += uint64(p.n) * p.perPoint()
	return exact
}

// offset is where an operand has its element of point i.
func (p *Fused) offset(in *fusedInput, i int) int {
	switch in.kind {
	case fusedScalar:
		return 0
	case fusedLinear:
		return i
	}
	o := 0
	for d := len(p.dims) - 1; d >= 0; d-- {
		o += i % p.dims[d] * in.stride[d]
		i /= p.dims[d]
	}
	return o
}

// fusedRegs is where the registers of a block are: scratch, an argument or dst. An operand that
// lies in iteration order is its own register, and the result is computed where it belongs, so
// neither is copied.
type fusedRegs [MaxRegs][]float64

// registers has the scalars and constants in place.
func (p *Fused) registers(reg *fusedRegs, args [][]float64, f []float64) {
	size := p.blockLen()
	for r := range p.regs {
		reg[r] = f[r*size : (r+1)*size : (r+1)*size]
	}
	for k := range p.in {
		if p.in[k].kind == fusedScalar {
			fillRun(reg[k], args[k][0])
		}
	}
	for i, x := range p.consts {
		fillRun(reg[len(p.in)+i], x)
	}
}

// tier returns the tier for a run: to read memory by half a cache line takes four fifths of the
// time, for what goes past the caches. A root takes longer than that.
func (p *Fused) tier(t simd.Tier) simd.Tier {
	root := func(m op.Micro) bool { return m.Fn == op.FnSqrt }
	if p.past && (t == simd.Best || t == simd.AVX512) && !slices.ContainsFunc(p.code, root) {
		return simd.AVX2
	}
	return t
}

// RunBits is Run for a plan of PlanFusedBits: a bit of dst is 1 where the value is not 0. A
// comparison that comes last makes its bits itself.
func (p *Fused) RunBits(c *Ctl, dst tensor.Bits, args [][]float64, s Scratch) (exact bool) {
	var reg fusedRegs
	p.registers(&reg, args, s.F)
	size, code, mark := p.blockLen(), p.code, op.Micro{Fn: op.FnNe, A: p.result}
	if size >= 64 {
		size &^= 63
	}
	zeros := none[:]
	if last := len(code) - 1; last >= 0 && code[last].Fn >= op.FnGt && code[last].Fn <= op.FnNe {
		code, mark, zeros = code[:last], code[last], nil
	}
	m, tier := newMeter(c), p.tier(c.Tier)
	per := int(p.perPoint())
	exact = true
	bare := p.bare && len(code) == 0
	if bare {
		size = fusedBare
	}
	for i := range dst.Rows {
		words := dst.Row(i)
		for at := 0; at < dst.Cols; at += size {
			n, lo := min(size, dst.Cols-at), i*dst.Cols+at
			if bare {
				packRun(tier, mark.Fn, words[at/64:], args[mark.A][lo:lo+n], args[mark.B][lo:lo+n])
			} else {
				p.load(&reg, args, s.F, lo, n)
				right, _ := p.eval(tier, &reg, code, n)
				exact = exact && right
				b := zeros
				if b == nil {
					b = reg[mark.B]
				}
				packRun(tier, mark.Fn, words[at/64:], reg[mark.A][:n], b[:n])
			}
			m.spend(per * n)
		}
	}
	return exact
}

// none is a block of zeros.
var none [4 * fusedBlock]float64

// packRun packs whether a and b compare as f says.
func packRun(t simd.Tier, f op.Fn, dst []uint64, a, b []float64) {
	if t.Marks(f, dst, a, b) {
		return
	}
	var truth [64]float64
	for k := 0; len(a) > 0; k++ {
		n := min(64, len(a))
		evalCompare(f, truth[:n], a, b)
		dst[k] = packWord(truth[:n])
		a, b = a[n:], b[n:]
	}
}

// runBlocks evaluates block by block. exact is false if a value was inexact that must not be. A bare
// expression needs no registers, so its blocks may be larger.
func (p *Fused) runBlocks(c *Ctl, dst []float64, args [][]float64, f []float64) (exact bool) {
	var reg fusedRegs
	p.registers(&reg, args, f)
	size := p.blockLen()
	exact = true
	per, since, sum, tier := p.perPoint(), uint64(0), 0.0, p.tier(c.Tier)
	direct := p.direct(c.Tier)
	if direct {
		size, tier = fusedBare, c.Tier
	}
	for lo := 0; lo < p.n; lo += size {
		n := min(size, p.n-lo)
		right, s := p.block(tier, &reg, dst, args, f, lo, n)
		exact = exact && right
		sum += s
		c.Ops += per * uint64(n)
		if since += per * uint64(n); since >= PollOps {
			since = 0
			c.Poll()
		}
	}
	c.Finite = sum-sum == 0
	return exact
}

// direct reports whether a block needs no registers: it is of one instruction that reads arguments and
// writes the result, past the caches too.
func (p *Fused) direct(t simd.Tier) bool { return p.bare && (!p.past || t.HasPast(p.code[0].Fn)) }

// block evaluates the points lo..lo+n; exact is false when a check failed. The sum of
// their values is NaN where it is not known.
func (p *Fused) block(t simd.Tier, reg *fusedRegs, dst []float64, args [][]float64, f []float64, lo, n int) (exact bool, sum float64) {
	p.load(reg, args, f, lo, n)
	if last := len(p.code) - 1; p.past && t.HasPast(p.code[last].Fn) && p.code[last].Dst == p.result {
		m := &p.code[last]
		exact, _ = p.eval(t, reg, p.code[:last], n)
		return exact, t.ApplyPast(m.Fn, dst[lo:lo+n], reg[m.A%MaxRegs], reg[m.B%MaxRegs])
	}
	fixed := int(p.result) < len(p.in)+len(p.consts)
	if !p.folds && !fixed && !p.past {
		reg[p.result] = dst[lo : lo+n]
	}
	exact, sum = p.eval(t, reg, p.code, n)
	switch value := reg[p.result][:n]; {
	case p.folds:
		p.foldBlock(t, dst, value, lo)
		sum = math.NaN()
	case p.past:
		t.Past(dst[lo:lo+n], value)
	case fixed:
		copy(dst[lo:], value)
	}
	return exact, sum
}

// load brings the points lo..lo+n of the operands into registers.
func (p *Fused) load(reg *fusedRegs, args [][]float64, f []float64, lo, n int) {
	size := p.blockLen()
	for k := range p.in {
		switch p.in[k].kind {
		case fusedLinear:
			reg[k] = args[k][lo : lo+n]
		case fusedGather:
			reg[k] = p.gather(f[k*size:k*size+n], args[k], p.in[k].stride, lo)
		}
	}
}

// eval returns the sum of the result, or NaN if it was not computed. A micro-operation goes over
// the whole block before the next one begins, so its function is chosen once a block and not once
// an element.
func (*Fused) eval(t simd.Tier, reg *fusedRegs, code []op.Micro, n int) (exact bool, sum float64) {
	exact, sum = true, math.NaN()
	for i := range code {
		m := &code[i]
		a := reg[m.A%MaxRegs][:n]
		switch m.Fn.Arity() {
		case 1:
			if m.Fn == op.FnCheck {
				exact = allExact(a) && exact
				continue
			}
			sum = evalUnary(t, m.Fn, reg[m.Dst%MaxRegs][:n], a)
		case 2:
			sum = evalBinary(t, m.Fn, reg[m.Dst%MaxRegs][:n], a, reg[m.B%MaxRegs][:n])
		default:
			evalTernary(m.Fn, reg[m.Dst%MaxRegs][:n], a, reg[m.B%MaxRegs][:n], reg[m.C%MaxRegs][:n])
			sum = math.NaN()
		}
	}
	return exact, sum
}

// gather brings len(buf) elements, from point lo on, into iteration order. When
// they happen to lie in order it returns where they are.
func (p *Fused) gather(buf, a []float64, stride []int, lo int) []float64 {
	var idx [maxLoops]int
	o, last := 0, len(p.dims)-1
	for d, rest := last, lo; d >= 0; d-- {
		idx[d] = rest % p.dims[d]
		rest /= p.dims[d]
		o += idx[d] * stride[d]
	}
	s, left := stride[last], p.dims[last]-idx[last]
	if s == 1 && left >= len(buf) {
		return a[o : o+len(buf)]
	}
	for at := 0; ; {
		n := min(left, len(buf)-at)
		copyRun(buf[at:], 1, a[o:], s, n)
		if at += n; at == len(buf) {
			return buf
		}
		o -= idx[last] * s
		idx[last], left = 0, p.dims[last]
		for d := last - 1; ; d-- {
			idx[d]++
			o += stride[d]
			if idx[d] < p.dims[d] {
				break
			}
			o -= idx[d] * stride[d]
			idx[d] = 0
		}
	}
}

// foldBlock folds the values of the points from lo on into their elements.
func (p *Fused) foldBlock(t simd.Tier, dst, value []float64, lo int) {
	for len(value) > 0 {
		n := min(p.run-lo%p.run, len(value))
		dst[lo/p.run] = foldRun(t, p.fold, dst[lo/p.run], value, 1, n)
		value, lo = value[n:], lo+n
	}
}

// evalUnary returns the sum of d, or NaN if it was not computed.
func evalUnary(t simd.Tier, f op.Fn, d, a []float64) float64 {
	if sum, ok := t.Apply(f, d, a, nil); ok {
		return sum
	}
	a = a[:len(d)]
	switch f {
	case op.FnNeg:
		for i := range d {
			d[i] = -a[i]
		}
	case op.FnNot:
		for i := range d {
			d[i] = 1 - a[i]
		}
	case op.FnAbs:
		for i := range d {
			d[i] = math.Abs(a[i])
		}
	case op.FnSqrt:
		for i := range d {
			d[i] = math.Sqrt(a[i])
		}
	case op.FnFloor:
		for i := range d {
			d[i] = math.Floor(a[i])
		}
	case op.FnRelu:
		for i := range d {
			d[i] = max(a[i], 0)
		}
	case op.FnStep:
		for i := range d {
			d[i] = op.Truth(a[i] > 0)
		}
	default: // where the function itself costs more than the call
		for i := range d {
			d[i] = f.Apply1(a[i])
		}
	}
	return math.NaN()
}

// evalBinary sets d to f of a and b, and returns what evalUnary does. Each function has a loop of
// its own, as a call for each element would cost more than the work.
func evalBinary(t simd.Tier, f op.Fn, d, a, b []float64) float64 {
	if sum, ok := t.Apply(f, d, a, b); ok {
		return sum
	}
	a, b = a[:len(d)], b[:len(d)]
	switch f {
	case op.FnAdd:
		for i := range d {
			d[i] = a[i] + b[i]
		}
	case op.FnSub:
		for i := range d {
			d[i] = a[i] - b[i]
		}
	case op.FnMul:
		for i := range d {
			d[i] = a[i] * b[i]
		}
	case op.FnDiv:
		for i := range d {
			d[i] = a[i] / b[i]
		}
	case op.FnMax:
		for i := range d {
			d[i] = max(a[i], b[i])
		}
	case op.FnMin:
		for i := range d {
			d[i] = min(a[i], b[i])
		}
	default:
		evalCompare(f, d, a, b)
	}
	return math.NaN()
}

// evalCompare sets d to 1 where a and b compare as f says, and to 0 elsewhere.
func evalCompare(f op.Fn, d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	switch f {
	case op.FnGt:
		for i := range d {
			d[i] = op.Truth(a[i] > b[i])
		}
	case op.FnGe:
		for i := range d {
			d[i] = op.Truth(a[i] >= b[i])
		}
	case op.FnLt:
		for i := range d {
			d[i] = op.Truth(a[i] < b[i])
		}
	case op.FnLe:
		for i := range d {
			d[i] = op.Truth(a[i] <= b[i])
		}
	case op.FnEq:
		for i := range d {
			d[i] = op.Truth(a[i] == b[i])
		}
	case op.FnNe:
		for i := range d {
			d[i] = op.Truth(a[i] != b[i])
		}
	}
}

// evalTernary sets d to f, which is FnClamp or FnWhere, of a, b and c.
func evalTernary(f op.Fn, d, a, b, c []float64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	if f == op.FnClamp {
		for i := range d {
			d[i] = min(max(a[i], b[i]), c[i])
		}
		return
	}
	for i := range d { // FnWhere, on bits so that the compiler chooses without a branch
		x := math.Float64bits(c[i])
		if a[i] != 0 {
			x = math.Float64bits(b[i])
		}
		d[i] = math.Float64frombits(x)
	}
}
