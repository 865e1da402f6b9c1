package simd

import "math/bits"

// PlaneColumns is how many counters Planes are, PlaneRows how many rows they can count, and
// PlaneStep how many rows are added at a time.
const (
	PlaneColumns = 512
	PlaneRows    = 1<<16 - 1
	PlaneStep    = 16
)

// PlaneRow is a row of bits, one for each counter.
type PlaneRow = [PlaneColumns / 64]uint64

// Planes are counters of the ones in columns, bit-sliced: plane p has bit p of each.
type Planes [16]PlaneRow

// HasPlanes reports whether the tier adds rows to planes faster than it counts ones.
func (t Tier) HasPlanes() bool { return t.set() == AVX512 }

// ListRows sets list to the rows that the bits of words name, for AddRows, and returns how many. It has
// room for PlaneStep more.
func (t Tier) ListRows(list []int32, words []uint64) int {
	if t.HasPlanes() && len(words) > 0 {
		_ = list[:PlaneStep]
		return t.listRows(list, words)
	}
	n := 0
	for w, x := range words {
		for ; x != 0; x &= x - 1 {
			list[n] = int32(w<<12 | bits.TrailingZeros64(x)<<6)
			n++
		}
	}
	return n
}

// AddRows sets p to the sum of rows of a panel, as many as a multiple of PlaneStep: rows has the
// position of each, times 64.
func (t Tier) AddRows(p *Planes, panel []PlaneRow, rows []int32) {
	if t.HasPlanes() && len(rows) > 0 {
		t.addRows(p, panel, rows)
		return
	}
	*p = Planes{}
	for _, at := range rows {
		carry := panel[at/64]
		for i := range p {
			for w, x := range carry {
				p[i][w], carry[w] = p[i][w]^x, p[i][w]&x
			}
		}
	}
}

// ReadPlanes sets dst to the counters, none of which is above most.
func (t Tier) ReadPlanes(dst *[PlaneColumns]float64, p *Planes, most int) {
	n := bits.Len(uint(most))
	if t.HasPlanes() {
		t.readPlanes(dst, p, min(n, 8), max(0, n-8))
		return
	}
	for c := range dst {
		x := uint64(0)
		for i := range n {
			x |= p[i][c/64] >> (c % 64) & 1 << i
		}
		dst[c] = float64(x)
	}
}
