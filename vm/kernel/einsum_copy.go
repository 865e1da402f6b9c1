package kernel

import "slices"

// copyNest copies a strided view of a to a strided view of dst.
type copyNest struct {
	outer    []loopAxis
	inner    loopAxis
	cross    loopAxis // with transpose: the axis along which a is contiguous
	transpos bool     // inner is contiguous in dst, cross in a
}

// transposeTile is the side of the blocks of a transpose: 32 cache lines of
// either side are 2 KB of addresses in flight, well inside the first level.
const transposeTile = 32

// planCopyNest puts the axis that moves least in dst innermost. If a moves least along another
// axis, a plain loop would touch a new cache line at every element, so the two axes are then
// copied in square tiles.
func planCopyNest(axes []loopAxis) *copyNest {
	sortLoops(axes, byStride(slotD))
	axes = mergeLoops(axes)
	if len(axes) == 0 {
		return &copyNest{inner: loopAxis{n: 1}}
	}
	last := len(axes) - 1
	p := &copyNest{inner: axes[last], outer: axes[:last]}
	unit := slices.IndexFunc(p.outer, func(x loopAxis) bool { return x.stride[slotA] == 1 })
	if unit >= 0 && p.inner.stride[slotA] > 1 && p.inner.stride[slotD] == 1 {
		p.transpos, p.cross = true, p.outer[unit]
		p.outer = slices.Delete(p.outer, unit, unit+1)
	}
	return p
}

// run copies all elements. Those that the view of dst leaves out stay as they are.
func (p *copyNest) run(c *Ctl, dst, a []float64) {
	m := newMeter(c)
	var o odometer
	for {
		p.block(&m, dst[o.off[slotD]:], a[o.off[slotA]:])
		if !o.next(p.outer) {
			return
		}
	}
}

// block copies the innermost axis, or two axes in tiles, at one point of the outer loops.
func (p *copyNest) block(m *meter, dst, a []float64) {
	if p.transpos {
		p.transpose(m, dst, a)
		return
	}
	sa, sd := p.inner.stride[slotA], p.inner.stride[slotD]
	for lo := 0; lo < p.inner.n; lo += PollOps {
		n := min(PollOps, p.inner.n-lo)
		copyRun(dst[lo*sd:], sd, a[lo*sa:], sa, n)
		m.spend(n)
	}
}

// copyRun copies n elements of a, which lie sa apart, to dst, where they lie sd apart. If sa is 0
// it repeats one element.
func copyRun(dst []float64, sd int, a []float64, sa, n int) {
	switch {
	case sa == 1 && sd == 1:
		copy(dst[:n], a)
	case sa == 0 && sd == 1:
		fillRun(dst[:n], a[0])
	default:
		for i := range n {
			dst[i*sd] = a[i*sa]
		}
	}
}

// transpose copies in square blocks, so that the lines of either side that a
// block touches stay in the first-level cache until they are used up.
func (p *copyNest) transpose(m *meter, dst, a []float64) {
	sa, sd := p.inner.stride[slotA], p.cross.stride[slotD]
	for i := 0; i < p.cross.n; i += transposeTile {
		ni := min(transposeTile, p.cross.n-i)
		for j := 0; j < p.inner.n; j += transposeTile {
			nj := min(transposeTile, p.inner.n-j)
			transposeBlock(dst[i*sd+j:], sd, a[j*sa+i:], sa, ni, nj)
			m.spend(ni * nj)
		}
	}
}

// transposeBlock sets dst[i*sd+j] = a[j*sa+i] for i < ni, j < nj.
func transposeBlock(dst []float64, sd int, a []float64, sa, ni, nj int) {
	for i := range ni {
		row := dst[i*sd : i*sd+nj]
		from := a[i:]
		for j := range row {
			row[j] = from[j*sa]
		}
	}
}
