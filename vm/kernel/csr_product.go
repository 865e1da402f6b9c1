package kernel

import (
	"math"
	"math/bits"
	"slices"

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
func CSRProduct(c *Ctl, dst, a, b *tensor.CSR, whole bool, s Scratch) (exact bool) {
	m := newMeter(c)
	sum, mark, met := s.takeF(b.Cols), s.W[:tensor.Words(b.Cols)], s.takeI(b.Cols)
	m.take(len(mark))
	clear(mark)
	n, exact := int32(0), true
	for i := range a.Rows {
		dst.Ptr[i] = n
		row := met[:0]
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			x, from, to := csrValue(a, k), b.Ptr[a.Idx[k]], b.Ptr[a.Idx[k]+1]
			m.take(1 + int(to-from))
			for q := from; q < to; q++ {
				j, y := b.Idx[q], x
				if b.Val != nil {
					y *= b.Val[q]
				}
				if w := &mark[j>>6]; *w>>(j&63)&1 == 0 {
					*w |= 1 << (j & 63)
					sum[j] = y
					row = append(row, j)
				} else {
					sum[j] += y
				}
			}
		}
		m.take(1 + sortWork(len(row), len(mark)))
		sortMarked(row, mark)
		for _, j := range row {
			mark[j>>6] = 0
			x := sum[j]
			if whole && !(math.Abs(x) < tensor.MaxInt) {
				exact = false
			}
			if x == 0 {
				continue
			}
			if dst.Idx[n] = j; dst.Val != nil {
				dst.Val[n] = x
			}
			n++
		}
	}
	dst.Ptr[a.Rows] = n
	dst.Idx = dst.Idx[:n]
	if dst.Val != nil {
		dst.Val = dst.Val[:n]
	}
	return exact
}

// sortWork bounds sortMarked of n columns among so many words.
func sortWork(n, words int) int { return min(n*bits.Len(uint(n)), n+words) }

// sortMarked sorts columns whose bits are marked.
func sortMarked(row []int32, mark []uint64) {
	if len(row)*bits.Len(uint(len(row))) <= len(row)+len(mark) {
		slices.Sort(row)
		return
	}
	n := 0
	for k, w := range mark {
		for ; w != 0; w &= w - 1 {
			row[n] = int32(k<<6 + bits.TrailingZeros64(w))
			n++
		}
	}
}

// CSRProductCost bounds CSRProduct of matrices of so many rows and columns, and entries of the first and
// the result, that takes so many multiplications.
func CSRProductCost(rows, cols, nnz, entries int, work uint64) Cost {
	words := tensor.Words(cols)
	sorting := min(satMul(uint64(entries), uint64(bits.Len(uint(cols)))), satSum(satMul(uint64(rows), uint64(words)), uint64(entries)))
	return Cost{Ops: satSum(work, sorting, uint64(rows), uint64(nnz), uint64(words)), F: uint64(cols), W: uint64(words), I: uint64(cols)}
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
// nothing, even where x is not finite, and neither does what is 0 in x.
func MatMulCSR(c *Ctl, dst, x []float64, a *tensor.CSR, rows int) {
	m := newMeter(c)
	for i := range rows {
		to := dst[i*a.Cols : (i+1)*a.Cols]
		clear(to)
		m.spend(len(to) + a.Rows)
		for k, w := range x[i*a.Rows : (i+1)*a.Rows] {
			if w == 0 {
				continue
			}
			row := a.Row(k)
			if a.Val == nil {
				for _, j := range row {
					to[j] += w
				}
			} else {
				val := a.Val[a.Ptr[k]:a.Ptr[k+1]]
				for q, j := range row {
					to[j] += w * val[q]
				}
			}
			m.spend(len(row))
		}
	}
}

// MatMulCost bounds CSRMatMul and MatMulCSR of matrices of those sizes, where the sparse one has so many
// entries and the other as many rows or columns.
func MatMulCost(rows, mid, cols, nnz, other int) Cost {
	return Cost{Ops: satSum(satMul(uint64(rows), satSum(uint64(mid), uint64(cols), 1)), satMul(uint64(nnz), uint64(other)))}
}
