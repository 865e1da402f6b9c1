package kernel

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/tensor"
)

// Sort sets dst to the elements of v in increasing order. NaN is above all. Numbers are sorted as
// keys of 64 bits with the same order (SortKey), so that one sort by digits serves all kernels.
func Sort(c *Ctl, dst, v []float64, s Scratch) {
	m := newMeter(c)
	n := len(v)
	keys := s.W[:n]
	if !keysOf(keys, v) {
		for k, i := range sorted(&m, v, s) {
			dst[k] = v[i]
		}
		m.spend(n)
		return
	}
	for k, key := range sortAlone(&m, keys, s.W[n:2*n]) {
		dst[k] = ofKey(key)
	}
	m.spend(2 * n)
}

// aloneBits is how many of the highest bits in which keys differ are sorted by first.
const aloneBits = 33

// sortAlone sorts keys without positions, and returns the one of both lists that has them: first by some bits,
// which leaves runs of equal ones, most of them of one key, to be sorted by the others. It takes half
// the time of sorting by all bits.
func sortAlone(m *meter, keys, room []uint64) []uint64 {
	if len(keys) < 1<<8 { // too few for digits
		return tensor.SortKeys(keys, room, 0, 64, m.spend)
	}
	all, some := ^uint64(0), uint64(0)
	for _, x := range keys {
		all, some = all&x, some|x
	}
	if all == some {
		return keys
	}
	high, low := uint(bits.Len64(all^some)), uint(bits.TrailingZeros64(all^some))
	from := max(low+aloneBits, high) - aloneBits
	by := tensor.SortKeys(keys, room, from, high, m.spend)
	if &by[0] == &room[0] {
		keys, room = room, keys
	}
	if from == low || slices.IsSorted(keys) {
		return keys
	}
	m.spend(len(keys))
	runs := 1
	for i := 1; i < len(keys); i++ {
		if keys[i]>>from != keys[i-1]>>from {
			runs++
		}
	}
	if n := len(keys); 8*runs < n && n < 2048*runs { // neither short nor long: all together take less time
		return tensor.SortKeys(keys, room, low, high, m.spend)
	}
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi]>>from == keys[lo]>>from {
			hi++
		}
		if hi > lo+1 {
			copy(keys[lo:hi], tensor.SortKeys(keys[lo:hi], room[lo:hi], low, from, m.spend))
		}
		lo = hi
	}
	return keys
}

// keysOf sets the keys of numbers, and reports whether the numbers follow from them: there is no -0.
func keysOf(keys []uint64, v []float64) bool {
	same := true
	for i, x := range v {
		keys[i] = SortKey(x)
		same = same && math.Float64bits(x) != 1<<63
	}
	return same
}

// ofKey is the number with a key.
func ofKey(key uint64) float64 {
	switch {
	case key == math.MaxUint64:
		return math.NaN()
	case key >= 1<<63:
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

// Rank sets dst[i] to the place of v[i] among all elements in the order of Sort, from 0; equal ones
// keep their order.
func Rank(c *Ctl, dst, v []float64, s Scratch) {
	m := newMeter(c)
	for k, i := range sorted(&m, v, s) {
		dst[i] = float64(k)
	}
	m.spend(len(v))
}

// sorted returns the positions in the order of their elements.
func sorted(m *meter, v []float64, s Scratch) (order []int32) {
	n := len(v)
	keys := s.W[:n]
	keysOf(keys, v)
	m.spend(n)
	return sortKeys(m, keys, s.W[n:2*n], s.I[:n], s.I[n:2*n])
}

// SortCost bounds Sort and Rank.
func SortCost(n int) Cost {
	un := uint64(n)
	return Cost{Ops: satSum(2*un, sortKeysOps(un)), I: 2 * un, W: 2 * un}
}

// SortKey returns a number whose order is that of x, NaN above all and -0 as 0.
func SortKey(x float64) uint64 {
	b := math.Float64bits(x)
	switch {
	case x != x:
		return math.MaxUint64
	case x == 0:
		return 1 << 63
	case x < 0:
		return ^b
	}
	return b | 1<<63
}

// SortKeys sorts the positions of keys by the keys; equal ones keep their order. It uses all four
// lists, of the same length; order or room is the result.
func SortKeys(c *Ctl, keys, more []uint64, order, room []int32) (sorted []int32) {
	m := newMeter(c)
	return sortKeys(&m, keys, more, order, room)
}

// byDigits is the number of keys from which they are sorted by digits: a million in
// a quarter of the time that merging takes.
const byDigits = 1 << 10

// sortKeys is SortKeys.
func sortKeys(m *meter, keys, more []uint64, order, room []int32) (sorted []int32) {
	for i := range order {
		order[i] = int32(i)
	}
	m.spend(len(keys))
	if len(keys) < byDigits {
		mergeKeys(m, keys, order, room)
		return order
	}
	var count [8][256]int32
	for part := range slices.Chunk(keys, PollOps) {
		for _, x := range part {
			for p := range count {
				count[p][byte(x>>(8*p))]++
			}
		}
		m.spend(len(part))
	}
	for p := range count {
		at, n := &count[p], int32(0)
		if int(at[byte(keys[0]>>(8*p))]) == len(keys) {
			continue // a digit that is the same throughout
		}
		for d, k := range at {
			at[d] = n
			n += k
		}
		for lo := 0; lo < len(keys); lo += PollOps {
			part := keys[lo:min(lo+PollOps, len(keys))]
			for e, x := range part {
				d := byte(x >> (8 * p))
				k := at[d]
				at[d] = k + 1
				more[k], room[k] = x, order[lo+e]
			}
			m.spend(len(part))
		}
		keys, more, order, room = more, keys, room, order
	}
	return order
}

// sortKeysOps bounds sortKeys, which goes over the keys once for each of 8 digits, or
// of the binary digits of their number.
func sortKeysOps(n uint64) uint64 { return satMul(n, uint64(max(bits.Len64(n)+2, 10))) }

// mergeKeys merges runs of doubling length, and leaves two alone that are already in order. Only
// the left run is copied aside: the right one is never overtaken.
func mergeKeys(m *meter, keys []uint64, order, room []int32) {
	n := len(order)
	for run := 1; run < n; run *= 2 {
		for lo := 0; lo < n; lo += 2 * run {
			mid, hi := min(lo+run, n), min(lo+2*run, n)
			if mid == hi || keys[order[mid-1]] <= keys[order[mid]] {
				m.spend(1)
				continue
			}
			left := room[:copy(room, order[lo:mid])]
			i, j := 0, mid
			for k := lo; i < len(left); k++ {
				if j < hi && keys[left[i]] > keys[order[j]] {
					order[k] = order[j]
					j++
				} else {
					order[k] = left[i]
					i++
				}
			}
			m.spend(hi - lo)
		}
	}
}
