package kernel

import (
	"fmt"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"ein/vm/op"
	"ein/vm/simd"
	"ein/vm/tensor"
)

// meter charges work to a Ctl and looks at Done once per PollOps of it.
type meter struct {
	c    *Ctl
	left int
}

func newMeter(c *Ctl) meter { return meter{c, PollOps} }

// spend charges n operations, and stops the kernel if it may not go on.
func (m *meter) spend(n int) {
	m.c.Ops += uint64(n)
	if m.left -= n; m.left <= 0 {
		m.poll()
	}
}

// take is spend for a kernel that is metered. It charges before the work is done, so
// that no more is done than the limit allows.
func (m *meter) take(n int) {
	if c := m.c; c.Limit > 0 && uint64(n) > c.Limit-c.Ops {
		c.Over = true
		Stop()
	}
	m.spend(n)
}

func (m *meter) poll() {
	m.left = PollOps
	m.c.Poll()
}

// goesParallel reports whether a kernel of that much work may start goroutines.
func goesParallel(c *Ctl, work uint64) bool { return c.Workers > 1 && work >= ParallelOps }

// workerCount is the number of goroutines that Workers allows.
func workerCount(workers int) uint64 { return uint64(max(workers, 1)) }

// forkRange runs body over 0..n-1 on c.Workers goroutines, the caller's among
// them. Chunks are handed out one by one, so that uneven rows even out. A body
// gets the number of its worker, to find its own scratch. A panic comes back to the caller, who alone
// can recover from it.
func forkRange(c *Ctl, n int, body func(c *Ctl, worker, lo, hi int)) {
	var (
		next atomic.Int64
		ops  atomic.Uint64
		told atomic.Uint64
		stop atomic.Bool
		bug  atomic.Value
		wg   sync.WaitGroup
	)
	grain := max(1, n/(16*c.Workers))
	work := func(worker int) {
		own := Ctl{Done: c.Done, Tell: c.Tell, Tier: c.Tier}
		if !Finished(func() {
			for lo := 0; !stop.Load(); {
				if lo = int(next.Add(int64(grain))) - grain; lo >= n {
					break
				}
				own.Poll()
				body(&own, worker, lo, min(lo+grain, n))
			}
		}) {
			stop.Store(true)
		}
		ops.Add(own.Ops)
		told.Add(own.told)
	}
	for w := 1; w < c.Workers; w++ {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					stop.Store(true)
					bug.Store(fmt.Sprintf("%v\n%s", r, debug.Stack()))
				}
			}()
			work(w)
		})
	}
	work(0)
	wg.Wait()
	if r := bug.Load(); r != nil {
		panic(r)
	}
	c.Ops += ops.Load()
	c.told += told.Load()
	if stop.Load() {
		Stop()
	}
}

// BitsAnd sets dst to a AND b, word by word. Any of the three may be the same
// memory. All have the length of dst.
func BitsAnd(c *Ctl, dst, a, b []uint64) { zipWords(c, dst, a, b, andWords) }

// BitsOr sets dst to a OR b.
func BitsOr(c *Ctl, dst, a, b []uint64) { zipWords(c, dst, a, b, orWords) }

// BitsXor sets dst to a XOR b.
func BitsXor(c *Ctl, dst, a, b []uint64) { zipWords(c, dst, a, b, xorWords) }

// BitsAndNot sets dst to a AND NOT b.
func BitsAndNot(c *Ctl, dst, a, b []uint64) { zipWords(c, dst, a, b, andNotWords) }

// BitsCopy sets dst to a.
func BitsCopy(c *Ctl, dst, a []uint64) { zipWords(c, dst, a, a, copyWords) }

// zipWords applies op a chunk at a time, so that it can be cancelled.
func zipWords(c *Ctl, dst, a, b []uint64, op func(dst, a, b []uint64)) {
	for len(dst) > PollOps {
		op(dst[:PollOps], a[:PollOps], b[:PollOps])
		dst, a, b = dst[PollOps:], a[PollOps:], b[PollOps:]
		c.Ops += PollOps
		c.Poll()
	}
	op(dst, a[:len(dst)], b[:len(dst)])
	c.Ops += uint64(len(dst))
}

func andWords(dst, a, b []uint64) {
	for i := range dst {
		dst[i] = a[i] & b[i]
	}
}

func orWords(dst, a, b []uint64) {
	for i := range dst {
		dst[i] = a[i] | b[i]
	}
}

func xorWords(dst, a, b []uint64) {
	for i := range dst {
		dst[i] = a[i] ^ b[i]
	}
}

func andNotWords(dst, a, b []uint64) {
	for i := range dst {
		dst[i] = a[i] &^ b[i]
	}
}

func copyWords(dst, a, _ []uint64) { copy(dst, a) }

// orInto is dst |= src, eight words at a step: one bounds check for eight.
func orInto(dst, src []uint64) {
	src = src[:len(dst)]
	for len(dst) >= 8 && len(src) >= 8 {
		d, s := (*[8]uint64)(dst), (*[8]uint64)(src)
		d[0] |= s[0]
		d[1] |= s[1]
		d[2] |= s[2]
		d[3] |= s[3]
		d[4] |= s[4]
		d[5] |= s[5]
		d[6] |= s[6]
		d[7] |= s[7]
		dst, src = dst[8:], src[8:]
	}
	for i := range dst {
		dst[i] |= src[i]
	}
}

// orFull sets dst to dst OR src and reports whether it is all ones now.
func orFull(dst, src []uint64) bool {
	src = src[:len(dst)]
	all := ^uint64(0)
	for len(dst) >= 4 && len(src) >= 4 {
		d, s := (*[4]uint64)(dst), (*[4]uint64)(src)
		d0, d1, d2, d3 := d[0]|s[0], d[1]|s[1], d[2]|s[2], d[3]|s[3]
		d[0], d[1], d[2], d[3] = d0, d1, d2, d3
		all &= d0 & d1 & d2 & d3
		dst, src = dst[4:], src[4:]
	}
	for i := range dst {
		x := dst[i] | src[i]
		dst[i] = x
		all &= x
	}
	return all == ^uint64(0)
}

// meets reports whether a and b have a bit in common, and in how many words it
// looked.
func meets(a, b []uint64) (yes bool, words int) {
	b = b[:len(a)]
	for k, x := range a {
		if x&b[k] != 0 {
			return true, k + 1
		}
	}
	return false, len(a)
}

func bitOf(v []uint64, i int) uint64 { return v[i>>6] >> (uint(i) & 63) & 1 }

func setBit(v []uint64, i int) { v[i>>6] |= 1 << (uint(i) & 63) }

func clearBit(v []uint64, i int) { v[i>>6] &^= 1 << (uint(i) & 63) }

// pastEnd returns the bits of the last word of an n-bit vector that are past its
// end.
func pastEnd(n int) uint64 {
	if n&63 == 0 {
		return 0
	}
	return ^uint64(0) << (uint(n) & 63)
}

// BitsNot sets dst to 1 - a, with the bits past the last column kept 0.
func BitsNot(c *Ctl, dst, a tensor.Bits) {
	m := newMeter(c)
	if a.Cols == 0 {
		return
	}
	last := a.Stride - 1
	tail := pastEnd(a.Cols)
	for i := range a.Rows {
		d, r := dst.Row(i), a.Row(i)
		for k, x := range r {
			d[k] = ^x
		}
		d[last] &^= tail
		m.spend(a.Stride)
	}
}

// transposeOps is the charge for one 64x64 block: its loads, stores and six
// passes over half the words.
const transposeOps = 64 + 64 + 6*32

// BitsTranspose sets dst to aᵀ; dst is Cols x Rows and does not overlap a.
func BitsTranspose(c *Ctl, dst, a tensor.Bits) {
	m := newMeter(c)
	var block [64]uint64
	for bi := range dst.Stride {
		for bj := range a.Stride {
			loadTransposed(c.Tier, &block, a, bi, bj)
			storeBlock(dst, &block, bj, bi)
			m.spend(transposeOps)
		}
	}
}

// BitsTransposeCost bounds BitsTranspose of a rows x cols matrix.
func BitsTransposeCost(rows, cols int) Cost {
	return Cost{Ops: satMul(uint64(tensor.Words(rows)), uint64(tensor.Words(cols)), transposeOps)}
}

// loadTransposed reads the transpose of block (bi, bj) of a: rows 64*bi.. and
// word bj. Rows past the last count as 0.
func loadTransposed(t simd.Tier, block *[64]uint64, a tensor.Bits, bi, bj int) {
	loadBlock(block, a, bi, bj)
	t.Transpose(block)
}

// loadBlock reads block (bi, bj) of a, 64 bits square, with rows past the last as 0.
func loadBlock(block *[64]uint64, a tensor.Bits, bi, bj int) {
	at := bi*64*a.Stride + bj
	rows := min(64, a.Rows-bi*64)
	for r := range rows {
		block[r] = a.W[at]
		at += a.Stride
	}
	clear(block[rows:])
}

// storeBlock writes a block, as far as dst has rows.
func storeBlock(dst tensor.Bits, block *[64]uint64, bi, bj int) {
	at := bi*64*dst.Stride + bj
	for r := range min(64, dst.Rows-bi*64) {
		dst.W[at] = block[r]
		at += dst.Stride
	}
}

// PopAll returns the number of ones in a.
func PopAll(c *Ctl, a tensor.Bits) uint64 {
	m := newMeter(c)
	total := 0
	for i := range a.Rows {
		total += c.Tier.PopAnd(a.Row(i), a.Row(i))
		m.spend(a.Stride)
	}
	return uint64(total)
}

// PopRows sets dst[i] to the number of ones in row i.
func PopRows(c *Ctl, dst []float64, a tensor.Bits) {
	m := newMeter(c)
	for i := range a.Rows {
		dst[i] = float64(c.Tier.PopAnd(a.Row(i), a.Row(i)))
		m.spend(a.Stride)
	}
}

// planes is how many bits a vertical counter of PopCols has.
const planes = 16

// PopCols sets dst[j] to the number of ones in column j.
//
// The 64 counters of a word column are held bit-sliced: plane p has bit p of
// each. Seven rows are first added into three planes by carry-save adders, then
// rippled in; the counters are read out before they can overflow.
func PopCols(c *Ctl, dst []float64, a tensor.Bits) {
	m := newMeter(c)
	clear(dst[:a.Cols])
	const span = 7 * (1<<planes/7 - 1) // rows that cannot overflow the planes
	for k := range a.Stride {
		out := dst[k*64 : min(k*64+64, a.Cols)]
		for lo := 0; lo < a.Rows; lo += span {
			n := min(span, a.Rows-lo)
			var count [planes]uint64
			sliceCount(&count, a.W[lo*a.Stride+k:], n, a.Stride)
			for j := range out {
				x := uint64(0)
				for p, w := range count {
					x |= w >> (uint(j) & 63) & 1 << p
				}
				out[j] += float64(x)
			}
			m.spend(n*popColsOps + 64*planes)
		}
	}
}

// popColsOps is the charge for one word of PopCols: 20 steps of adders and 32
// of rippling for seven words.
const popColsOps = 8

// PopColsCost bounds PopCols.
func PopColsCost(rows, cols int) Cost {
	per := uint64(rows)*popColsOps + uint64(rows>>15+1)*64*planes
	return Cost{Ops: satMul(uint64(tensor.Words(cols)), per)}
}

// sliceCount adds rows words, stride apart, to the bit-sliced counters.
func sliceCount(count *[planes]uint64, w []uint64, rows, stride int) {
	for ; rows > 0; rows -= 7 {
		var x [7]uint64
		for r := range min(7, rows) {
			x[r] = w[r*stride]
		}
		s0, c0 := addBits(x[0], x[1], x[2])
		s1, c1 := addBits(x[3], x[4], x[5])
		ones, c2 := addBits(s0, s1, x[6])
		twos, fours := addBits(c0, c1, c2)
		var carry uint64
		count[0], carry = count[0]^ones, count[0]&ones
		count[1], carry = addBits(count[1], twos, carry)
		count[2], carry = addBits(count[2], fours, carry)
		for p := 3; p < planes; p++ {
			count[p], carry = count[p]^carry, count[p]&carry
		}
		if rows > 7 {
			w = w[7*stride:]
		}
	}
}

// addBits is 64 full adders: sum and carry of three bits.
func addBits(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// PopAnd returns the number of ones of a AND b: the sum of the elementwise product
// of two 0/1 tensors.
func PopAnd(c *Ctl, a, b []uint64) uint64 {
	total := uint64(0)
	for {
		n := min(len(a), PollOps)
		total += uint64(c.Tier.PopAnd(a[:n], b[:n]))
		c.Ops += uint64(n)
		a, b = a[n:], b[n:]
		if len(a) == 0 {
			return total
		}
		c.Poll()
	}
}

// CountProduct sets dst[i*bT.Rows+k] to the number of columns in which row i of a
// and row k of bT both have a one: the product A·B of 0/1 matrices given B
// transposed. dst is a.Rows x bT.Rows.
//
// Tables of sums of bytes, like those of BoolProduct, were 1.3 times as fast as
// plain popAnd at 1000 nodes and 1.5 at 3000, for as many lines as half this file.
func CountProduct(c *Ctl, dst []float64, a, bT tensor.Bits, s Scratch) {
	if c.Tier.HasPlanes() && hasPlanes(a.Rows, a.Cols, bT.Rows) && !manyOnes(c.Tier, a, bT.Rows) {
		countPlanes(c, dst, a, bT, s)
		return
	}
	if c.Tier.HasCounts(a.Stride) && a.Rows >= simd.CountRows {
		panels := (bT.Rows + simd.CountColumns - 1) / simd.CountColumns
		if goesParallel(c, countOps(a.Rows, a.Cols, bT.Rows)/8) {
			forkRange(c, panels, func(c *Ctl, _, lo, hi int) { countPanels(c, dst, a, bT, lo, hi) })
			return
		}
		countPanels(c, dst, a, bT, 0, panels)
		return
	}
	if goesParallel(c, countOps(a.Rows, a.Cols, bT.Rows)) {
		forkRange(c, a.Rows, func(c *Ctl, _, lo, hi int) { countRows(c, dst, a, bT, lo, hi) })
		return
	}
	countRows(c, dst, a, bT, 0, a.Rows)
}

// CountProductCost bounds CountProduct of rows x inner by inner x cols.
func CountProductCost(rows, inner, cols, workers int) Cost {
	cost := Cost{Ops: countOps(rows, inner, cols)}
	if hasPlanes(rows, inner, cols) {
		cost.W, cost.I = planeWords(inner, cols), satMul(planeInts(inner), workerCount(workers))
	}
	return cost
}

func countOps(rows, inner, cols int) uint64 {
	return satMul(uint64(rows), uint64(cols), uint64(tensor.Words(inner)))
}

var panels = sync.Pool{New: func() any { return new(simd.Panel) }}

// countPanels does the columns of some panels of dst.
func countPanels(c *Ctl, dst []float64, a, bT tensor.Bits, lo, hi int) {
	m := newMeter(c)
	p := panels.Get().(*simd.Panel)
	defer panels.Put(p)
	n := bT.Rows
	for k := lo * simd.CountColumns; k < min(hi*simd.CountColumns, n); k += simd.CountColumns {
		wide := min(simd.CountColumns, n-k)
		p.Pack(bT.W[k*bT.Stride:], bT.Stride, wide, a.Stride)
		for i := 0; i < a.Rows; i += simd.CountRows {
			top := min(i, a.Rows-simd.CountRows) // the last tile has rows of the one before
			c.Tier.Count(p, dst[top*n+k:], n, a.W[top*a.Stride:], a.Stride, wide)
			m.spend((top + simd.CountRows - i) * wide * a.Stride)
		}
	}
}

// countBlock is how many rows of bT are run through for each row of a: they stay
// in the second-level cache.
const countBlock = 512

// countRows goes over bT in blocks, so that the rows of a block stay in the cache for all rows of a.
func countRows(c *Ctl, dst []float64, a, bT tensor.Bits, lo, hi int) {
	m := newMeter(c)
	n := bT.Rows
	for k0 := 0; k0 < n; k0 += countBlock {
		k1 := min(k0+countBlock, n)
		for i := lo; i < hi; i++ {
			row := a.Row(i)
			for k := k0; k < k1; k++ {
				dst[i*n+k] = float64(c.Tier.PopAnd(row, bT.Row(k)))
			}
			m.spend((k1 - k0) * a.Stride)
		}
	}
}

// CountMatVec sets dst[i] to the number of ones that row i of a and the bit vector
// v have in common.
func CountMatVec(c *Ctl, dst []float64, a tensor.Bits, v []uint64) {
	m := newMeter(c)
	for i := range a.Rows {
		dst[i] = float64(c.Tier.PopAnd(a.Row(i), v))
		m.spend(a.Stride)
	}
}

// BoolMatVec sets bit i of dst when row i of a and the bit vector v have a one
// in common. dst has a.Rows bits and does not overlap v.
func BoolMatVec(c *Ctl, dst []uint64, a tensor.Bits, v []uint64) {
	m := newMeter(c)
	clear(dst[:tensor.Words(a.Rows)])
	for i := range a.Rows {
		yes, looked := meets(a.Row(i), v)
		if yes {
			setBit(dst, i)
		}
		m.spend(looked)
	}
}

// The tables of the four-Russians products. A word of a row of a selects from
// each table the entry that some bits of it number; an entry is a cache line.
//
// Eight bits make 128 KB of tables, in the second-level cache; four bits make 16
// KB, in the first-level one, but twice the look-ups: 26 ms against 20 at 3000
// nodes.
const (
	m4rLine   = 8
	m4rBits   = 8
	m4rTables = 64 / m4rBits
	m4rTable  = m4rLine << m4rBits // words of a table
	m4rWords  = m4rTables * m4rTable
)

// BoolProduct sets dst to A·B over (OR, AND). dst is a.Rows x b.Cols and overlaps
// neither operand.
//
// Few ones in a: OR the rows of b that a names. Otherwise the method of the
// four Russians (Arlazarov et al. 1970): 64 rows of b at a time are expanded
// into tables of the ORs of all subsets of eight rows. Columns are done eight
// words at a time so that the tables stay small and a row of dst is in registers.
//
// Either way nothing more is done for words that are all ones, which on dense
// operands they soon are: 5000 nodes with a tenth of all edges take a fifth of
// the time, 24 ms.
func BoolProduct(c *Ctl, dst, a, b tensor.Bits, s Scratch) {
	ones := PopAll(c, a)
	tables := m4rOps(a.Rows, a.Cols, b.Cols)
	if rowOps := satMul(ones, uint64(b.Stride)); rowOps <= tables {
		if goesParallel(c, rowOps) {
			forkRange(c, a.Rows, func(c *Ctl, _, lo, hi int) { orRows(c, dst, a, b, lo, hi) })
			return
		}
		orRows(c, dst, a, b, 0, a.Rows)
		return
	}
	blocks := (b.Stride + m4rLine - 1) / m4rLine
	if goesParallel(c, tables) {
		w := s.W
		forkRange(c, blocks, func(c *Ctl, worker, lo, hi int) {
			m4rBlocks(c, dst, a, b, w[worker*m4rWords:][:m4rWords], lo, hi)
		})
		return
	}
	m4rBlocks(c, dst, a, b, s.W[:m4rWords], 0, blocks)
}

// BoolProductCost bounds BoolProduct of rows x inner by inner x cols.
func BoolProductCost(rows, inner, cols, workers int) Cost {
	scan := satMul(uint64(rows), uint64(tensor.Words(inner)+1))
	tables := m4rOps(rows, inner, cols)
	byRows := satMul(uint64(rows), uint64(inner), uint64(tensor.Words(cols)))
	own := satMul(uint64(rows), uint64(tensor.Words(cols)))
	ops := tensor.SatAdd(tensor.SatAdd(scan, scan), tensor.SatAdd(own, min(tables, byRows)))
	return Cost{Ops: ops, W: m4rWords * workerCount(workers)}
}

// m4rOps is the work of the four-Russians product: tables and look-ups.
func m4rOps(rows, inner, cols int) uint64 {
	steps := satMul(uint64(tensor.Words(inner)), uint64(tensor.Words(cols)+m4rLine-1)/m4rLine)
	return satMul(steps, tensor.SatAdd(m4rWords, satMul(uint64(rows), m4rTables*m4rLine)))
}

// orRows sets rows lo to hi of dst: each is the OR of the rows of b whose numbers a has in it. A
// row that is full takes no more rows.
func orRows(c *Ctl, dst, a, b tensor.Bits, lo, hi int) {
	m := newMeter(c)
	if b.Cols == 0 {
		return
	}
	tail := pastEnd(b.Cols)
	for i := lo; i < hi; i++ {
		d := dst.Row(i)
		clear(d)
		d[len(d)-1] = tail // so that "full" is all ones
		m.spend(b.Stride)
		full := false
		for k, x := range a.Row(i) {
			work := 1
			for ; x != 0 && !full; x &= x - 1 {
				full = orFull(d, b.Row(k<<6+bits.TrailingZeros64(x)))
				work += b.Stride
			}
			m.spend(work)
		}
		d[len(d)-1] &^= tail
	}
}

// m4rBlocks computes some blocks of columns, a cache line wide, so that the tables of one block stay in
// the cache while all rows look up in them. It leaves a block as soon as every row is full of ones.
func m4rBlocks(c *Ctl, dst, a, b tensor.Bits, table []uint64, lo, hi int) {
	m := newMeter(c)
	for block := lo; block < hi; block++ {
		at := block * m4rLine
		width := min(m4rLine, b.Stride-at)
		for i := range a.Rows {
			clear(dst.Row(i)[at : at+width])
		}
		var ones [m4rLine]uint64
		for w := range width {
			ones[w] = ^pastEnd(min(64, b.Cols-(at+w)*64))
		}
		full := 0
		for k := 0; k < a.Stride && full < a.Rows; k++ {
			m4rFill((*[m4rWords]uint64)(table), b, k, at, width)
			m.spend(m4rWords)
			full = 0
			for i := 0; i < a.Rows; i += 1024 {
				n := min(1024, a.Rows-i)
				full += m4rLookUp(dst, a, (*[m4rWords]uint64)(table), k, at, ones[:width], i, i+n)
				m.spend(n * m4rTables * m4rLine)
			}
		}
	}
}

// m4rFill makes the tables of rows 64*k.. of b: entry x of table t is the OR of
// the rows 64*k+m4rBits*t+r with bit r of x set, each entry from one with a bit less.
func m4rFill(table *[m4rWords]uint64, b tensor.Bits, k, at, width int) {
	for t := range m4rTables {
		tab := table[t*m4rTable:][:m4rTable:m4rTable]
		clear(tab[:m4rLine])
		for r := range m4rBits {
			var row [m4rLine]uint64
			if i := k*64 + t*m4rBits + r; i < b.Rows {
				copy(row[:], b.Row(i)[at:at+width])
			}
			half := m4rLine << r
			for x := 0; x < half; x += m4rLine {
				from, to := (*[m4rLine]uint64)(tab[x:]), (*[m4rLine]uint64)(tab[half+x:])
				to[0] = from[0] | row[0]
				to[1] = from[1] | row[1]
				to[2] = from[2] | row[2]
				to[3] = from[3] | row[3]
				to[4] = from[4] | row[4]
				to[5] = from[5] | row[5]
				to[6] = from[6] | row[6]
				to[7] = from[7] | row[7]
			}
		}
	}
}

// m4rLookUp ORs into rows lo..hi-1 of dst what word k of those rows of a
// selects. ones is a line that has all it can have; the result is how many such
// lines there were before.
func m4rLookUp(dst, a tensor.Bits, table *[m4rWords]uint64, k, at int, ones []uint64, lo, hi int) (full int) {
	for i := lo; i < hi; i++ {
		x := a.W[i*a.Stride+k]
		if x == 0 {
			continue
		}
		d := dst.W[i*dst.Stride+at:][:len(ones)]
		if slices.Equal(d, ones) {
			full++
			continue
		}
		var line [m4rLine]uint64
		orSelected(&line, table, x)
		for w := range d {
			d[w] |= line[w&7]
		}
	}
	return full
}

// orSelected ORs into line the entries that x selects. It is a function of its
// own so that all of the line is in registers; its stores are of a word each, as
// a copy of the whole line would wait for them.
func orSelected(line *[m4rLine]uint64, table *[m4rWords]uint64, x uint64) {
	d0, d1, d2, d3, d4, d5, d6, d7 := line[0], line[1], line[2], line[3], line[4], line[5], line[6], line[7]
	for t := 0; t < m4rWords; t += m4rTable {
		e := (*[m4rLine]uint64)(table[t+int(x&(1<<m4rBits-1))*m4rLine:])
		d0 |= e[0]
		d1 |= e[1]
		d2 |= e[2]
		d3 |= e[3]
		d4 |= e[4]
		d5 |= e[5]
		d6 |= e[6]
		d7 |= e[7]
		x >>= m4rBits
	}
	line[0], line[1], line[2], line[3], line[4], line[5], line[6], line[7] = d0, d1, d2, d3, d4, d5, d6, d7
}

// TripleTrace returns the sum over the ones (i, j) of a of the ones that row j of b
// and row i of cT have in common: trace(A·B·C) with C transposed. a is n x m, b
// m x k, cT n x k.
func TripleTrace(c *Ctl, a, b, cT tensor.Bits) uint64 {
	if goesParallel(c, TripleTraceCost(a.Rows, a.Cols, b.Cols).Ops) {
		var total atomic.Uint64
		forkRange(c, a.Rows, func(c *Ctl, _, lo, hi int) { total.Add(traceRows(c, a, b, cT, lo, hi)) })
		return total.Load()
	}
	return traceRows(c, a, b, cT, 0, a.Rows)
}

// TripleTraceCost bounds TripleTrace of n x m, m x k, k x n.
func TripleTraceCost(n, m, k int) Cost {
	pairs := satMul(uint64(n), uint64(m), uint64(tensor.Words(k)))
	return Cost{Ops: tensor.SatAdd(pairs, satMul(uint64(n), uint64(tensor.Words(m))))}
}

// traceRows is TripleTrace of rows lo to hi of a.
func traceRows(c *Ctl, a, b, cT tensor.Bits, lo, hi int) uint64 {
	m := newMeter(c)
	total := uint64(0)
	for i := lo; i < hi; i++ {
		row := cT.Row(i)
		for k, x := range a.Row(i) {
			work := 1
			for ; x != 0; x &= x - 1 {
				total += uint64(c.Tier.PopAnd(row, b.Row(k<<6+bits.TrailingZeros64(x))))
				work += b.Stride
			}
			m.spend(work)
		}
	}
	return total
}

// OneWayEdgesBits returns the number of pairs i != j with a[i,j] = 1 and a[j,i] = 0
// of a square matrix: each block is held against the transpose of its mirror
// image.
func OneWayEdgesBits(c *Ctl, a tensor.Bits) uint64 {
	m := newMeter(c)
	total := 0
	var x, y [64]uint64
	for bi := range a.Stride {
		for bj := bi; bj < a.Stride; bj++ {
			loadBlock(&x, a, bi, bj)
			loadTransposed(c.Tier, &y, a, bj, bi)
			for r, w := range x {
				// The pair of blocks on the diagonal is one block: count it from
				// one side only.
				if bi == bj {
					total += bits.OnesCount64(w &^ y[r])
				} else {
					total += bits.OnesCount64(w ^ y[r])
				}
			}
			m.spend(transposeOps)
		}
	}
	return uint64(total)
}

// OneWayEdgesBitsCost bounds OneWayEdgesBits.
func OneWayEdgesBitsCost(n int) Cost { return BitsTransposeCost(n, n) }

// BitsExpand sets dst to a as float64, row-major and without gaps.
func BitsExpand(c *Ctl, dst []float64, a tensor.Bits) {
	m := newMeter(c)
	for i := range a.Rows {
		c.Tier.Spread(dst[i*a.Cols:(i+1)*a.Cols], a.Row(i))
		m.spend(a.Cols)
	}
}

// BitsPack sets the bits of dst where src, row-major without gaps, is not 0. A
// NaN is not 0.
func BitsPack(c *Ctl, dst tensor.Bits, src []float64) {
	m := newMeter(c)
	for i := range dst.Rows {
		in, row := src[i*dst.Cols:(i+1)*dst.Cols], dst.Row(i)
		for len(in) > 0 {
			n := min(len(none), len(in))
			packRun(c.Tier, op.FnNe, row, in[:n], none[:n])
			in, row = in[n:], row[n/64:]
		}
		m.spend(dst.Cols)
	}
}

// packWord returns a bit for each of up to 64 numbers: whether it is not 0, as NaN is not.
func packWord(in []float64) uint64 {
	var w uint64
	for j, x := range in {
		var b uint64
		if x != 0 {
			b = 1
		}
		w |= b << (uint(j) & 63)
	}
	return w
}

// BitsDenseCost bounds the kernels that touch every element: BitsExpand and
// BitsPack.
func BitsDenseCost(rows, cols int) Cost { return Cost{Ops: satMul(uint64(rows), uint64(cols)+1)} }
