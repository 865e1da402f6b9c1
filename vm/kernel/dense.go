package kernel

import (
	"math"
	"slices"

	"ein/vm/op"
	"ein/vm/simd"
	"ein/vm/tensor"
)

// satSum is a sum that stays at the largest number where it would overflow, as bounds do.
func satSum(a ...uint64) uint64 {
	var t uint64
	for _, x := range a {
		t = tensor.SatAdd(t, x)
	}
	return t
}

// CheckInt finds the first element that is not an exact count: a magnitude of
// 2^53 or more, or NaN. It gives -1 when there is none. It costs at most one operation per element.
func CheckInt(c *Ctl, a []float64) (at int) {
	return findFirst(c, a, allExact, func(x float64) bool { return !(math.Abs(x) < tensor.MaxInt) })
}

// CheckFinite finds the first element that is infinite or NaN; see CheckInt.
func CheckFinite(c *Ctl, a []float64) (at int) {
	return findFirst(c, a, allFinite, func(x float64) bool { return x-x != 0 })
}

// findFirst looks for trouble in large blocks with the quick test all, which may be
// wrong about trouble but not about its absence, and only in a block that may have
// some element by element.
func findFirst(c *Ctl, a []float64, all func([]float64) bool, bad func(float64) bool) (at int) {
	for lo := 0; lo < len(a); lo += PollOps {
		b := a[lo:min(lo+PollOps, len(a))]
		c.Ops += uint64(len(b))
		if !all(b) {
			for i, x := range b {
				if bad(x) {
					return lo + i
				}
			}
		}
		if len(b) == PollOps {
			c.Poll()
		}
	}
	return -1
}

// allExact reports whether every |x| is below 2^53.
func allExact(a []float64) bool {
	return Extreme(op.FoldMin, a) > -tensor.MaxInt && Extreme(op.FoldMax, a) < tensor.MaxInt
}

// allFinite reports whether no element is infinite or NaN, and no sum of them either:
// what is not finite stays in a sum. Elementwise expressions add up their results
// themselves, and need no such pass: see [Ctl].
func allFinite(a []float64) bool {
	sum := foldRun(simd.Best, op.FoldSum, 0, a, 1, len(a))
	return sum-sum == 0
}

// Fill sets every element to x, at one operation each.
func Fill(c *Ctl, dst []float64, x float64) {
	for b := range slices.Chunk(dst, PollOps) {
		fillRun(b, x)
		c.Ops += uint64(len(b))
		if len(b) == PollOps {
			c.Poll()
		}
	}
}

// fillRun fills a run; clear takes 0 but not -0.
func fillRun(b []float64, x float64) {
	if x == 0 && !math.Signbit(x) {
		clear(b)
		return
	}
	for i := range b {
		b[i] = x
	}
}
