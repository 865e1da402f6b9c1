package kernel

import (
	"math"
	"math/bits"

	"ein/vm/tensor"
)

// CSRProductEntries bounds the entries of a·b and its multiplications, by a look at the rows of b that
// the entries of a name.
func CSRProductEntries(c *Ctl, a, b *tensor.CSR) (entries, work uint64) {
	m := newMeter(c)
	for i := range a.Rows {
		row := uint64(0)
		for _, k := range a.Row(i) {
			row += uint64(b.Ptr[k+1] - b.Ptr[k])
		}
		entries, work = entries+min(row, uint64(b.Cols)), work+row
		m.take(1 + len(a.Row(i)))
	}
	return entries, work
}

// CSRProductEntriesCost bounds CSRProductEntries.
func CSRProductEntriesCost(rows, nnz int) Cost { return Cost{Ops: uint64(rows) + uint64(nnz)} }

// CSRProduct sets dst to a·b, row by row (Gustavson, 1978), where whole says that elements are counts. dst
// has slices for as many entries as CSRProductEntries says; without Val it becomes the pattern of the
// product. What is not stored adds nothing, even where a factor is not finite. exact is false when a
// count comes to 2^53. It is metered.
//
// The columns of a row are marked by bits, and the words that have any by bits of their own, which gives
// them in order: sorting them took twice as long as all else.
func CSRProduct(c *Ctl, dst, a, b *tensor.CSR, whole bool, s Scratch) (exact bool) {
	m := newMeter(c)
	words := tensor.Words(b.Cols)
	sum, mark, top := s.takeF(b.Cols), s.W[:words], s.W[words:words+tensor.Words(words)]
	m.take(len(mark) + len(top))
	clear(mark)
	clear(top)
	n, exact := int32(0), true
	for i := range a.Rows {
		dst.Ptr[i] = n
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			if (k-a.Ptr[i])%touched == 0 {
				touch(b, a.Idx[k:min(k+touched, a.Ptr[i+1])])
			}
			x := csrValue(a, k)
			from, to := b.Ptr[a.Idx[k]], b.Ptr[a.Idx[k]+1]
			m.take(1 + 2*int(to-from))
			for q := from; q < to; q++ {
				j, y := b.Idx[q], x
				if b.Val != nil {
					y *= b.Val[q]
				}
				w := j >> 6
				if had := mark[w]; had>>(j&63)&1 != 0 {
					sum[j] += y
				} else {
					mark[w] = had | 1<<(j&63)
					top[w>>6] |= 1 << (w & 63)
					sum[j] = y
				}
			}
		}
		m.take(1 + len(top))
		for t, some := range top {
			top[t] = 0
			for ; some != 0; some &= some - 1 {
				w := t<<6 + bits.TrailingZeros64(some)
				columns := mark[w]
				mark[w] = 0
				for ; columns != 0; columns &= columns - 1 {
					j := w<<6 + bits.TrailingZeros64(columns)
					x := sum[j]
					if whole && !(math.Abs(x) < tensor.MaxInt) {
						exact = false
					}
					if x == 0 {
						continue
					}
					if dst.Idx[n] = int32(j); dst.Val != nil {
						dst.Val[n] = x
					}
					n++
				}
			}
		}
	}
	dst.Ptr[a.Rows] = n
	dst.Idx = dst.Idx[:n]
	if dst.Val != nil {
		dst.Val = dst.Val[:n]
	}
	return exact
}

// touched is how many rows are asked for at once.
const touched = 16

// touch reads the ends of rows that lie anywhere in memory, so that their cache lines arrive together: the
// square of a matrix of 1e5 rows and 1e6 entries takes 100 ms instead of 180, distances of 1e6 nodes a tenth
// less. Not inlined, its loads are not optimised away.
//
//go:noinline
func touch(b *tensor.CSR, rows []int32) (columns int32, values float64) {
	for _, r := range rows {
		if from, to := b.Ptr[r], b.Ptr[r+1]; from < to {
			columns += b.Idx[from] + b.Idx[to-1]
			if b.Val != nil {
				values += b.Val[from] + b.Val[to-1]
			}
		}
	}
	return columns, values
}

// CSRProductCost bounds CSRProduct of matrices of so many rows and columns, and entries of the first, that
// takes so many multiplications.
func CSRProductCost(rows, cols, nnz int, work uint64) Cost {
	words := uint64(tensor.Words(cols))
	top := uint64(tensor.Words(int(words)))
	return Cost{Ops: satSum(satMul(2, work), satMul(uint64(rows), top+1), uint64(nnz), words, top), F: uint64(cols), W: words + top}
}

// CSRMatMul sets dst, row-major, to a·x, of a row-major x with so many columns. What is not stored adds
// nothing, even where x is not finite.
func CSRMatMul(c *Ctl, dst []float64, a *tensor.CSR, x []float64, cols int) {
	m := newMeter(c)
	for i := range a.Rows {
		to := dst[i*cols : (i+1)*cols]
		clear(to)
		m.spend(len(to) + 1)
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			w, from := csrValue(a, k), x[int(a.Idx[k])*cols:][:cols]
			for j, y := range from {
				to[j] += w * y
			}
			m.spend(cols)
		}
	}
}

// MatMulCSR sets dst, row-major, to x·a, of a row-major x with so many rows. What is not stored adds
// nothing, even where x is not finite.
func MatMulCSR(c *Ctl, dst, x []float64, a *tensor.CSR, rows int) {
	m := newMeter(c)
	for i := range rows {
		vecMat(&m, dst[i*a.Cols:], x[i*a.Rows:], a)
	}
}

// MatMulCost bounds CSRMatMul and MatMulCSR of matrices of those sizes, where the sparse one has so many
// entries and the other as many rows or columns.
func MatMulCost(rows, mid, cols, nnz, other int) Cost {
	return Cost{Ops: satSum(satMul(uint64(rows), satSum(uint64(mid), uint64(cols), 1)), satMul(uint64(nnz), uint64(other)))}
}
