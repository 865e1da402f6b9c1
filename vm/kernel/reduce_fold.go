package kernel

import (
	"slices"

	"ein/vm/op"
	"ein/vm/simd"
)

// foldNest folds a strided view of a into dst. Loops are ordered for a, which mostly has more
// elements.
type foldNest struct {
	fold   op.Fold
	outer  []loopAxis
	rows   loopAxis // inner runs next to each other that are added to the same elements; else one
	inner  loopAxis
	assign bool // every element of dst is the fold of one inner run
	outLen int
	ops    uint64
}

// planFoldNest orders the loops so that a is read in the order in which it
// lies. sparse says that the loops do not reach every element of dst.
func planFoldNest(f op.Fold, axes []loopAxis, outLen uint64, sparse bool) *foldNest {
	sortLoops(axes, byStride(slotA))
	p := &foldNest{fold: f, rows: loopAxis{n: 1}, inner: loopAxis{n: 1}, outLen: int(outLen), ops: loopsProduct(axes)}
	if axes = mergeLoops(axes); len(axes) > 0 {
		last := len(axes) - 1
		p.outer, p.inner = axes[:last], axes[last]
	}
	p.assign = !sparse && contracted(p.inner) && p.inner.n <= PollOps && !slices.ContainsFunc(p.outer, contracted)
	if !p.assign {
		p.ops = satSum(p.ops, outLen)
	}
	if last := len(p.outer) - 1; f == op.FoldSum && last >= 0 && contracted(p.outer[last]) && p.inner.stride[slotA] == 1 && p.inner.stride[slotD] == 1 {
		p.rows, p.outer = p.outer[last], p.outer[:last]
	}
	return p
}

// run folds a into dst, which need not be cleared.
func (p *foldNest) run(c *Ctl, dst, a []float64) {
	if !p.assign {
		Fill(c, dst[:p.outLen], p.fold.Identity())
	}
	m := newMeter(c)
	var o odometer
	for {
		p.blocks(&m, dst[o.off[slotD]:], a[o.off[slotA]:])
		if !o.next(p.outer) {
			return
		}
	}
}

// blocks folds the rows at one point of the outer loops, eight at a time.
func (p *foldNest) blocks(m *meter, dst, a []float64) {
	const eight = 8
	i, step := 0, p.rows.stride[slotA]
	for ; p.rows.n-i >= eight; i += eight {
		for lo := 0; lo < p.inner.n; lo += PollOps / eight {
			n := min(PollOps/eight, p.inner.n-lo)
			m.c.Tier.AddEight(dst[lo:lo+n], a[i*step+lo:], step)
			m.spend(eight * n)
		}
	}
	for ; i < p.rows.n; i++ {
		p.block(m, dst, a[i*step:])
	}
}

// block folds the inner run at one point of the outer loops.
func (p *foldNest) block(m *meter, dst, a []float64) {
	sa, sd := p.inner.stride[slotA], p.inner.stride[slotD]
	if p.assign {
		dst[0] = foldRun(m.c.Tier, p.fold, p.fold.Identity(), a, sa, p.inner.n)
		m.spend(p.inner.n)
		return
	}
	for lo := 0; lo < p.inner.n; lo += PollOps {
		n := min(PollOps, p.inner.n-lo)
		if sd == 0 {
			dst[0] = foldRun(m.c.Tier, p.fold, dst[0], a[lo*sa:], sa, n)
		} else {
			foldInto(m.c.Tier, p.fold, dst[lo*sd:], sd, a[lo*sa:], sa, n)
		}
		m.spend(n)
	}
}

// Extreme returns the least or the largest of the numbers: infinite where there are none,
// NaN where one is.
func Extreme(f op.Fold, x []float64) float64 {
	return foldRun(simd.Best, f, f.Identity(), x, 1, len(x))
}

// foldRun folds n values at stride sa into acc.
func foldRun(t simd.Tier, f op.Fold, acc float64, a []float64, sa, n int) float64 {
	if sa == 1 {
		acc, a = t.Fold(f, acc, a[:n])
		n = len(a)
	}
	switch {
	case f == op.FoldSum && sa == 1:
		return acc + sumRun(a[:n])
	case f == op.FoldSum:
		for i := range n {
			acc += a[i*sa]
		}
	case f == op.FoldMax && sa == 1:
		return maxRun(acc, a[:n])
	case f == op.FoldMax:
		for i := range n {
			acc = max(acc, a[i*sa])
		}
	case sa == 1:
		return minRun(acc, a[:n])
	default:
		for i := range n {
			acc = min(acc, a[i*sa])
		}
	}
	return acc
}

// sumRun adds in eight lanes. gonum's vector sum starts at a 16-byte boundary, so
// that two equal rows of a matrix can have different sums.
func sumRun(a []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(a) >= 8 {
		b := a[:8]
		s0 += b[0]
		s1 += b[1]
		s2 += b[2]
		s3 += b[3]
		s4 += b[4]
		s5 += b[5]
		s6 += b[6]
		s7 += b[7]
		a = a[8:]
	}
	for _, x := range a {
		s0 += x
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// maxRun keeps four maxima, because one would wait for itself at every element:
// NaN-propagating max is a chain of five instructions.
func maxRun(acc float64, a []float64) float64 {
	x, y, z := acc, acc, acc
	for len(a) >= 4 {
		acc = max(acc, a[0])
		x = max(x, a[1])
		y = max(y, a[2])
		z = max(z, a[3])
		a = a[4:]
	}
	for _, v := range a {
		acc = max(acc, v)
	}
	return max(acc, x, y, z)
}

// minRun is maxRun for the minimum.
func minRun(acc float64, a []float64) float64 {
	x, y, z := acc, acc, acc
	for len(a) >= 4 {
		acc = min(acc, a[0])
		x = min(x, a[1])
		y = min(y, a[2])
		z = min(z, a[3])
		a = a[4:]
	}
	for _, v := range a {
		acc = min(acc, v)
	}
	return min(acc, x, y, z)
}

// foldInto folds n values of a into as many of dst.
func foldInto(t simd.Tier, f op.Fold, dst []float64, sd int, a []float64, sa, n int) {
	if sa == 1 && sd == 1 {
		fn := [...]op.Fn{op.FoldSum: op.FnAdd, op.FoldMax: op.FnMax, op.FoldMin: op.FnMin}[f]
		if _, ok := t.Apply(fn, dst[:n], dst[:n], a[:n]); ok {
			return
		}
	}
	switch f {
	case op.FoldSum:
		for i := range n {
			dst[i*sd] += a[i*sa]
		}
	case op.FoldMax:
		for i := range n {
			dst[i*sd] = max(dst[i*sd], a[i*sa])
		}
	default:
		for i := range n {
			dst[i*sd] = min(dst[i*sd], a[i*sa])
		}
	}
}
