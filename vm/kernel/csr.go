package kernel

import (
	"math/bits"
	"slices"

	"ein/vm/tensor"
)

// CSRCost bounds the kernels that read a sparse matrix and write at most a
// vector: CSRRowCount to CSRVecMat, CSRRowBits, CSRDiag. It is also the cost of
// CSRTranspose and CSRMask.
func CSRCost(rows, cols, nnz int) Cost {
	return Cost{Ops: 2 * (uint64(rows) + uint64(cols) + uint64(nnz) + 1)}
}

// CSRMask sets dst, which has room for the entries of a, to 1 where a has an entry in a place that is true.
func CSRMask(c *Ctl, dst, a *tensor.CSR, at func(i, j int32) bool) {
	m := newMeter(c)
	n := int32(0)
	for i := range int32(a.Rows) {
		dst.Ptr[i] = n
		row := a.Row(int(i))
		for _, j := range row {
			if at(i, j) {
				dst.Idx[n] = j
				n++
			}
		}
		m.spend(len(row) + 1)
	}
	dst.Ptr[a.Rows] = n
	dst.Idx = dst.Idx[:n]
}

// CSRTranspose sets dst to aᵀ. dst has slices of the right sizes: Ptr of a.Cols+1,
// Idx of a.NNZ(), and Val too when a has one.
func CSRTranspose(c *Ctl, dst, a tensor.CSR) {
	m := newMeter(c)
	// Counts go two places late, so that after summing up ptr[j+1] is the start
	// of row j, and its end once all are placed.
	ptr := dst.Ptr[:a.Cols+1]
	clear(ptr)
	for i := range a.Rows {
		row := a.Row(i)
		for _, j := range row {
			if k := int(j) + 2; k < len(ptr) {
				ptr[k]++
			}
		}
		m.spend(len(row) + 1)
	}
	tensor.SumUp(ptr)
	m.spend(a.Cols)
	for i := range a.Rows {
		lo, hi := a.Ptr[i], a.Ptr[i+1]
		for k := lo; k < hi; k++ {
			j := a.Idx[k] + 1
			at := ptr[j]
			ptr[j] = at + 1
			dst.Idx[at] = int32(i)
			if a.Val != nil {
				dst.Val[at] = a.Val[k]
			}
		}
		m.spend(int(hi-lo) + 1)
	}
}

// CSRToBits sets dst to 1 where a stored entry is not 0.
func CSRToBits(c *Ctl, dst tensor.Bits, a tensor.CSR) {
	m := newMeter(c)
	for i := range a.Rows {
		row := dst.Row(i)
		clear(row)
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			if a.Val == nil || a.Val[k] != 0 {
				setBit(row, int(a.Idx[k]))
			}
		}
		m.spend(len(row) + len(a.Row(i)))
	}
}

// CSRToBitsCost bounds CSRToBits and BitsToCSR.
func CSRToBitsCost(rows, cols, nnz int) Cost {
	return Cost{Ops: tensor.SatAdd(satMul(uint64(rows), uint64(tensor.Words(cols))+1), uint64(nnz))}
}

// CSRToDense sets dst to a, row-major, and absent where a has no entry.
func CSRToDense(c *Ctl, dst []float64, a tensor.CSR, absent float64) {
	m := newMeter(c)
	for i := range a.Rows {
		row := dst[i*a.Cols : (i+1)*a.Cols]
		fill(row, absent)
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			row[a.Idx[k]] = csrValue(&a, k)
		}
		m.spend(len(row) + len(a.Row(i)))
	}
}

// CSRToDenseCost bounds CSRToDense.
func CSRToDenseCost(rows, cols, nnz int) Cost {
	return Cost{Ops: tensor.SatAdd(satMul(uint64(rows), uint64(cols)), uint64(nnz))}
}

// BitsToCSR sets dst to a. dst has a Ptr of a.Rows+1 and an Idx of as many as a has
// ones, PopAll(a); Val is not touched.
func BitsToCSR(c *Ctl, dst tensor.CSR, a tensor.Bits) {
	m := newMeter(c)
	at := int32(0)
	for i := range a.Rows {
		dst.Ptr[i] = at
		from := at
		for k, x := range a.Row(i) {
			for ; x != 0; x &= x - 1 {
				dst.Idx[at] = int32(k<<6 + bits.TrailingZeros64(x))
				at++
			}
		}
		m.spend(a.Stride + int(at-from))
	}
	dst.Ptr[a.Rows] = at
}

// csrValue is the k-th stored entry.
func csrValue(a *tensor.CSR, k int32) float64 {
	if a.Val == nil {
		return 1
	}
	return a.Val[k]
}

// CSRGet returns the element (i, j), by binary search, or absent.
func CSRGet(a tensor.CSR, i, j int, absent float64) float64 {
	k, found := slices.BinarySearch(a.Row(i), int32(j))
	if !found {
		return absent
	}
	return csrValue(&a, a.Ptr[i]+int32(k))
}

// CSRRowCount sets dst[i] to the number of stored entries of row i.
func CSRRowCount(c *Ctl, dst []float64, a tensor.CSR) {
	for i := range a.Rows {
		dst[i] = float64(a.Ptr[i+1] - a.Ptr[i])
	}
	c.Ops += uint64(a.Rows)
}

// CSRColCount sets dst[j] to the number of stored entries of column j.
func CSRColCount(c *Ctl, dst []float64, a tensor.CSR) {
	m := newMeter(c)
	clear(dst[:a.Cols])
	m.spend(a.Cols)
	for idx := range slices.Chunk(a.Idx, PollOps) {
		for _, j := range idx {
			dst[j]++
		}
		m.spend(len(idx))
	}
}

// CSRRowSum sets dst[i] to the sum of row i, from left to right.
func CSRRowSum(c *Ctl, dst []float64, a tensor.CSR) {
	if a.Val == nil {
		CSRRowCount(c, dst, a)
		return
	}
	m := newMeter(c)
	for i := range a.Rows {
		row := a.Val[a.Ptr[i]:a.Ptr[i+1]]
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		dst[i] = sum
		m.spend(len(row) + 1)
	}
}

// CSRColSum sets dst[j] to the sum of column j, from top to bottom.
func CSRColSum(c *Ctl, dst []float64, a tensor.CSR) {
	if a.Val == nil {
		CSRColCount(c, dst, a)
		return
	}
	m := newMeter(c)
	clear(dst[:a.Cols])
	m.spend(a.Cols)
	idx, val := a.Idx, a.Val
	for len(idx) > 0 {
		n := min(len(idx), PollOps)
		for k, j := range idx[:n] {
			dst[j] += val[k]
		}
		idx, val = idx[n:], val[n:]
		m.spend(n)
	}
}

// CSRSum returns the sum of all entries, in row-major order.
func CSRSum(c *Ctl, a tensor.CSR) float64 {
	if a.Val == nil {
		c.Ops++
		return float64(a.NNZ())
	}
	m := newMeter(c)
	sum := 0.0
	for val := range slices.Chunk(a.Val, PollOps) {
		for _, x := range val {
			sum += x
		}
		m.spend(len(val))
	}
	return sum
}

// CSRMatVec sets dst[i] to sum over j of a[i,j]·x[j]. What is not stored adds
// nothing, even where x is not finite.
func CSRMatVec(c *Ctl, dst []float64, a tensor.CSR, x []float64) {
	// Not a.NNZ(), whose pointer would put a on the heap in every call.
	if goesParallel(c, uint64(len(a.Idx))) {
		forkRange(c, a.Rows, func(c *Ctl, _, lo, hi int) { matVecRows(c, dst, a, x, lo, hi) })
		return
	}
	matVecRows(c, dst, a, x, 0, a.Rows)
}

// matVecRows sets elements lo to hi of dst. Each is summed from left to right, so the result does
// not depend on the number of workers.
func matVecRows(c *Ctl, dst []float64, a tensor.CSR, x []float64, lo, hi int) {
	m := newMeter(c)
	for i := lo; i < hi; i++ {
		row := a.Row(i)
		sum := 0.0
		if a.Val == nil {
			for _, j := range row {
				sum += x[j]
			}
		} else {
			val := a.Val[a.Ptr[i]:a.Ptr[i+1]]
			for k, j := range row {
				sum += val[k] * x[j]
			}
		}
		dst[i] = sum
		m.spend(len(row) + 1)
	}
}

// CSRVecMat sets dst[j] to sum over i of x[i]·a[i,j]. What is not stored adds
// nothing, even where x is not finite. dst does not overlap x.
func CSRVecMat(c *Ctl, dst, x []float64, a tensor.CSR) {
	m := newMeter(c)
	vecMat(&m, dst, x, &a)
}

func vecMat(m *meter, dst, x []float64, a *tensor.CSR) {
	clear(dst[:a.Cols])
	m.spend(a.Cols)
	for i := range a.Rows {
		row, xi := a.Row(i), x[i]
		if a.Val == nil {
			for _, j := range row {
				dst[j] += xi
			}
		} else {
			val := a.Val[a.Ptr[i]:a.Ptr[i+1]]
			for k, j := range row {
				dst[j] += xi * val[k]
			}
		}
		m.spend(len(row) + 1)
	}
}

// CSRRowBits sets dst to the pattern of row i as a bit vector.
func CSRRowBits(c *Ctl, dst []uint64, a tensor.CSR, i int) {
	clear(dst[:tensor.Words(a.Cols)])
	for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
		if csrValue(&a, k) != 0 {
			setBit(dst, int(a.Idx[k]))
		}
	}
	c.Ops += uint64(a.Cols + len(a.Row(i)))
}

// CSRDiag sets dst[i] to a[i,i] of a square matrix, or absent.
func CSRDiag(c *Ctl, dst []float64, a tensor.CSR, absent float64) {
	m := newMeter(c)
	for i := range a.Rows {
		dst[i] = CSRGet(a, i, i, absent)
		m.spend(len(a.Row(i)) + 1) // the search looks at fewer
	}
}

// CSRSymmetrise sets dst to the pattern of A OR Aᵀ of a square matrix. dst has a Ptr of
// a.Rows+1 and an Idx of up to 2·a.NNZ(); nnz is how many of it are used.
func CSRSymmetrise(c *Ctl, dst, a tensor.CSR, s Scratch) (nnz int) {
	n := a.Rows
	t := tensor.CSR{Rows: n, Cols: n, Ptr: s.I[:n+1], Idx: s.I[n+1 : n+1+a.NNZ()]}
	pattern := a
	pattern.Val = nil
	CSRTranspose(c, t, pattern)
	m := newMeter(c)
	for i := range n {
		dst.Ptr[i] = int32(nnz)
		x, y := a.Row(i), t.Row(i)
		nnz += mergeRows(dst.Idx[nnz:], x, y)
		m.spend(len(x) + len(y) + 1)
	}
	dst.Ptr[n] = int32(nnz)
	return nnz
}

// CSRSymmetriseCost bounds CSRSymmetrise.
func CSRSymmetriseCost(n, nnz int) Cost {
	return Cost{Ops: 5 * (uint64(n) + uint64(nnz) + 1), I: uint64(n) + 1 + uint64(nnz)}
}

// mergeRows writes the union of two sorted rows and returns its length.
func mergeRows(dst, x, y []int32) int {
	k := 0
	for ; len(x) > 0 && len(y) > 0; k++ {
		v := min(x[0], y[0])
		dst[k] = v
		if x[0] == v {
			x = x[1:]
		}
		if y[0] == v {
			y = y[1:]
		}
	}
	k += copy(dst[k:], x)
	return k + copy(dst[k:], y)
}

// OneWayEdgesCSR is OneWayEdgesBits of the pattern of a sparse matrix. Rows are
// taken in order, so the place in row j up to which partners were looked for
// only moves forward: the work is linear.
func OneWayEdgesCSR(c *Ctl, a tensor.CSR, s Scratch) uint64 {
	m := newMeter(c)
	at := s.I[:a.Rows]
	copy(at, a.Ptr)
	m.spend(a.Rows)
	total := uint64(0)
	for i := range a.Rows {
		work := 1
		for _, j := range a.Row(i) {
			k, end := at[j], a.Ptr[j+1]
			for ; k < end && int(a.Idx[k]) < i; k++ {
				work++
			}
			at[j] = k
			if int(j) != i && (k == end || int(a.Idx[k]) != i) {
				total++
			}
			work++
		}
		m.spend(work)
	}
	return total
}

// OneWayEdgesCSRCost bounds OneWayEdgesCSR.
func OneWayEdgesCSRCost(n, nnz int) Cost {
	return Cost{Ops: 2 * (uint64(n) + uint64(nnz)), I: uint64(n)}
}
