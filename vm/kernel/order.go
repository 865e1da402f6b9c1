package kernel

import "math/bits"

// Sort is dst = v, the least first; Rank is dst[i] = the place of v[i] there, from
// 0, with equal ones in the order in which they stand. NaN is above all.
func Sort(c *Ctl, dst, v []float64, s Scratch) bool {
	m := newMeter(c)
	order, ok := sorted(&m, v, s)
	for k, i := range order {
		dst[k] = v[i]
	}
	return ok && m.spend(len(v))
}

// Rank is described with Sort.
func Rank(c *Ctl, dst, v []float64, s Scratch) bool {
	m := newMeter(c)
	order, ok := sorted(&m, v, s)
	for k, i := range order {
		dst[i] = float64(k)
	}
	return ok && m.spend(len(v))
}

// sorted is the positions in the order of their elements. It merges runs, and
// leaves two alone that are in order as they stand.
func sorted(m *meter, v []float64, s Scratch) (order []int32, ok bool) {
	n := len(v)
	order, room := s.I[:n], s.I[n:2*n]
	for i := range order {
		order[i] = int32(i)
	}
	after := func(a, b int32) bool { x, y := v[a], v[b]; return x > y || x != x && y == y }
	if !m.spend(n) {
		return order, false
	}
	for run := 1; run < n; run *= 2 {
		for lo := 0; lo < n; lo += 2 * run {
			mid, hi := min(lo+run, n), min(lo+2*run, n)
			if mid == hi || !after(order[mid-1], order[mid]) {
				if !m.spend(1) {
					return order, false
				}
				continue
			}
			left := room[:copy(room, order[lo:mid])]
			i, j := 0, mid
			for k := lo; i < len(left); k++ {
				if j < hi && after(left[i], order[j]) {
					order[k] = order[j]
					j++
				} else {
					order[k] = left[i]
					i++
				}
			}
			if !m.spend(hi - lo) {
				return order, false
			}
		}
	}
	return order, true
}

// SortCost bounds Sort and Rank.
func SortCost(n int) Cost {
	un := uint64(n)
	return Cost{Ops: satMul(un, uint64(bits.Len(uint(n)))+3), I: 2 * un}
}
