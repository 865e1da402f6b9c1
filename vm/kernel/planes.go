package kernel

import (
	"unsafe"

	"ein/vm/simd"
	"ein/vm/tensor"
)

// The product of 0/1 matrices by bit-sliced counters: row i of it is the sum of the rows of B that row i
// of A names, and 512 columns are added at once, sixteen rows by a tree of carry-save adders. The work
// grows with the ones of A, where counting the ones of each pair of rows always takes the same: with a
// tenth of all ones it takes 0.6 of the time at 1000 nodes and 0.35 at 3000, with half of all ones as long.

// planeBatch is how many rows of B are named before they are added: their list stays in the second-level
// cache while the panels of B go by.
const planeBatch = 1 << 15

// hasPlanes reports whether a product is large enough for counters, and not too large.
func hasPlanes(rows, inner, cols int) bool {
	return rows >= 256 && inner >= 512 && inner <= simd.PlaneRows && cols >= 256
}

// manyOnes reports whether counting the ones of pairs of rows is faster. What a counter costs was
// measured in words of such pairs: 13 for each row that is added, 2300 to read 512 counters.
func manyOnes(t simd.Tier, a tensor.Bits, cols int) bool {
	added := 13*t.PopAnd(a.W, a.W) + 2300*a.Rows
	return added*planePanels(cols) > a.Rows*cols*a.Stride
}

func planePanels(cols int) int { return (cols + simd.PlaneColumns - 1) / simd.PlaneColumns }

// planeWords is the memory of the panels of B, each with a row of zeros at the end, on a boundary of
// cache lines.
func planeWords(inner, cols int) uint64 {
	return satMul(uint64(planePanels(cols)), uint64(inner+1), lineWords) + lineWords
}

const lineWords = simd.PlaneColumns / 64

// planeInts is the memory of a list of rows.
func planeInts(inner int) uint64 { return planeBatch + uint64(inner) + simd.PlaneStep }

// countPlanes is CountProduct by counters.
func countPlanes(c *Ctl, dst []float64, a, bT tensor.Bits, s Scratch) {
	w := s.W[-uintptr(unsafe.Pointer(&s.W[0]))/8%lineWords:]
	each := a.Cols + 1
	panels := unsafe.Slice((*simd.PlaneRow)(unsafe.Pointer(&w[0])), planePanels(bT.Rows)*each)
	packPanels(c, panels, bT)
	if lists := int(planeInts(a.Cols)); goesParallel(c, countOps(a.Rows, a.Cols, bT.Rows)/8) {
		forkRange(c, a.Rows, func(c *Ctl, worker, lo, hi int) {
			addPanels(c, dst, a, panels, bT.Rows, s.I[worker*lists:][:lists], lo, hi)
		})
		return
	}
	addPanels(c, dst, a, panels, bT.Rows, s.I, 0, a.Rows)
}

// packPanels transposes bT into panels of 512 columns.
func packPanels(c *Ctl, panels []simd.PlaneRow, bT tensor.Bits) {
	var block [64]uint64
	for at := 0; at < bT.Rows; at += simd.PlaneColumns {
		for k := range bT.Stride {
			rows := panels[k*64 : min(k*64+64, bT.Cols)]
			for w := range lineWords {
				if at+w*64 < bT.Rows {
					loadTransposed(c.Tier, &block, bT, at/64+w, k)
				} else {
					clear(block[:])
				}
				for i := range rows {
					rows[i][w] = block[i]
				}
			}
		}
		panels[bT.Cols] = simd.PlaneRow{}
		panels = panels[bT.Cols+1:]
		c.Poll()
	}
}

// addPanels does some rows of dst, as many at a time as list has room for.
func addPanels(c *Ctl, dst []float64, a tensor.Bits, panels []simd.PlaneRow, cols int, list []int32, lo, hi int) {
	m := newMeter(c)
	var p simd.Planes
	var counts [simd.PlaneColumns]float64
	var ends [256]int // of the rows in list
	each, past := a.Cols+1, len(dst) >= fusedPast
	for lo < hi {
		n, rows := 0, 0
		for ; lo+rows < hi && rows < len(ends) && n < planeBatch; rows++ {
			n = named(c.Tier, list, n, a.Row(lo+rows), int32(64*a.Cols))
			ends[rows] = n
		}
		for at := 0; at < cols; at += simd.PlaneColumns {
			panel, wide := panels[at/simd.PlaneColumns*each:][:each], min(simd.PlaneColumns, cols-at)
			from := 0
			for i, end := range ends[:rows] {
				c.Tier.AddRows(&p, panel, list[from:end])
				if row := dst[(lo+i)*cols+at:]; !past && wide == simd.PlaneColumns {
					c.Tier.ReadPlanes((*[simd.PlaneColumns]float64)(row), &p, end-from)
				} else {
					c.Tier.ReadPlanes(&counts, &p, end-from)
					c.Tier.Past(row[:wide], counts[:wide])
				}
				from = end
				m.spend(wide * a.Stride)
			}
		}
		lo += rows
	}
}

// named appends to the n numbers of list where in a panel the rows are that the bits of row name, and
// fills up with none.
func named(t simd.Tier, list []int32, n int, row []uint64, none int32) int {
	for n += t.ListRows(list[n:], row); n%simd.PlaneStep != 0; n++ {
		list[n] = none
	}
	return n
}
