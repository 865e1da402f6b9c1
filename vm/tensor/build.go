package tensor

import (
	"math/bits"
	"slices"
	"unsafe"
)

// BuildCSR makes the rows x cols matrix with an entry at (src[e], dst[e]) for
// each e, of weight w[e], or 1 when w is nil. All ids are in range. Of entries
// at the same place the first is kept, and repeated is how many were not. It is
// a loader and allocates.
func BuildCSR(rows, cols int, src, dst []int32, w []float64) (a CSR, repeated int) {
	s := Entries{Rows: rows, Cols: cols, Len: len(src), Weighted: w != nil, Take: func(int) {}}
	s.Each = func(yield func(at [][2]int32, w []float64)) {
		at := make([][2]int32, min(len(src), 1<<10))
		for from := 0; from < len(src); from += len(at) {
			at = at[:min(len(at), len(src)-from)]
			for e := range at {
				at[e] = [2]int32{src[from+e], dst[from+e]}
			}
			if w == nil {
				yield(at, nil)
			} else {
				yield(at, w[from:])
			}
		}
	}
	a, repeated, _ = s.Build()
	a.Idx, a.Val = slices.Clip(a.Idx), slices.Clip(a.Val)
	return a, repeated
}

// Entries are what a matrix is built of.
type Entries struct {
	Rows, Cols int
	Len        int                                          // how many there are, about
	Each       func(yield func(at [][2]int32, w []float64)) // calls yield for some at a time, always the same
	Weighted   bool                                         // yield gets weights
	Combine    func(a, b float64) float64                   // makes one weight of two at a place; nil keeps the first
	Twice      int                                          // places with several entries that are listed, at most
	Take       func(bytes int)                              // counts memory before it is taken, and below 0 what is given back
}

// Build sorts the entries into rows, where equal ones keep their order. repeated is
// the number of those that an earlier one equals, and twice the first few places
// it happens to, by rows.
//
// Entries are dealt into blocks of rows that fit the cache, within the columns and
// weights of the matrix itself, and each block is then sorted by digits. That
// takes no memory beside the entries and the matrix but for one block: an entry is
// the column and the row within the block, in 32 bits.
func (s *Entries) Build() (m CSR, repeated int, twice [][2]int32) {
	b := builder{Entries: s, colBits: uint(bits.Len(uint(s.Cols - 1))), row: -1}
	for blocks := min(max(s.Len>>12, 1), 256); (s.Rows-1)>>b.rowBits >= blocks && b.rowBits+b.colBits < 32; {
		b.rowBits++
	}
	at := take[int32](s, (s.Rows-1)>>b.rowBits+1)
	s.Each(func(edges [][2]int32, _ []float64) {
		for _, p := range edges {
			at[p[0]>>(b.rowBits&31)]++
		}
	})
	total, longest := int32(0), int32(0)
	for k, n := range at {
		at[k] = total
		total += n
		longest = max(longest, n)
	}
	b.allocate(int(total), int(longest))
	s.Each(func(edges [][2]int32, w []float64) { b.deal(at, edges, w) })
	start := int32(0)
	for k, end := range at { // where the next block began, before it was filled
		b.block(k<<b.rowBits, int(start), int(end))
		start = end
	}
	b.startRow(s.Rows)
	s.Take(-4*len(at) - 8*(len(b.keys)+len(b.room)+len(b.w)))
	m = b.m
	m.Idx = m.Idx[:b.out]
	if m.Val != nil {
		m.Val = m.Val[:b.out]
	}
	return m, b.repeated, b.twice
}

// take is make on the account of the caller.
func take[T int32 | uint64 | float64](s *Entries, n int) []T {
	s.Take(n * int(unsafe.Sizeof(T(0))))
	return make([]T, n)
}

// builder fills a matrix in the order of its rows.
type builder struct {
	*Entries
	m                CSR
	rowBits, colBits uint

	keys, room []uint64 // for one block
	w          []float64

	row      int // the last one begun
	out      int // entries
	repeated int
	twice    [][2]int32
}

func (b *builder) allocate(total, longest int) {
	b.m = CSR{Rows: b.Rows, Cols: b.Cols, Idx: take[int32](b.Entries, total)}
	if b.Weighted {
		b.m.Val = take[float64](b.Entries, total)
		b.w = take[float64](b.Entries, longest)
	}
	b.keys, b.room = take[uint64](b.Entries, longest), take[uint64](b.Entries, longest)
	b.m.Ptr = take[int32](b.Entries, b.Rows+1)
}

// deal moves edges to the next free places of their blocks.
func (b *builder) deal(at []int32, edges [][2]int32, w []float64) {
	idx, val := b.m.Idx, b.m.Val
	rowBits, colBits := b.rowBits&31, b.colBits&31
	rowMask := uint32(1)<<rowBits - 1
	for e, p := range edges {
		k := p[0] >> rowBits
		i := at[k]
		at[k] = i + 1
		idx[i] = int32(uint32(p[0])&rowMask<<colBits | uint32(p[1]))
		if val != nil {
			val[i] = w[e]
		}
	}
}

// block sorts the entries from start to end and adds them to the rows from first
// on. Equal ones become one.
func (b *builder) block(first, start, end int) {
	m := &b.m
	keys, w := b.keys[:end-start], b.w[:min(end-start, len(b.w))]
	for e, x := range m.Idx[start:end] {
		keys[e] = uint64(uint32(x))<<32 | uint64(e)
	}
	if m.Val != nil {
		copy(w, m.Val[start:end])
	}
	last := uint64(1 << 32) // no key
	colMask := uint64(1)<<b.colBits - 1
	for _, x := range SortKeys(keys, b.room, 32, 32+b.rowBits+b.colBits, func(int) {}) {
		key := x >> 32
		i, j := first+int(key>>b.colBits), int32(key&colMask)
		if key == last {
			if m.Val != nil && b.Combine != nil {
				m.Val[b.out-1] = b.Combine(m.Val[b.out-1], w[uint32(x)])
			}
			b.repeated++
			p := [2]int32{int32(i), j}
			if n := len(b.twice); n < b.Twice && (n == 0 || b.twice[n-1] != p) {
				b.twice = append(b.twice, p)
			}
			continue
		}
		last = key
		if i > b.row {
			b.startRow(i)
		}
		m.Idx[b.out] = j
		if m.Val != nil {
			m.Val[b.out] = w[uint32(x)]
		}
		b.out++
	}
}

// startRow begins the rows up to i.
func (b *builder) startRow(i int) {
	for b.row < i {
		b.row++
		b.m.Ptr[b.row] = int32(b.out)
	}
}

// Keys are sorted by digits of keyBits, keyPasses of which are counted at a
// time: enough for a graph of a million nodes.
const (
	keyBits   = 11
	keyPasses = 3
)

// keyCount is how many keys have each value of a digit.
type keyCount [1 << keyBits]int32

// sortKeysLeast is the number of keys from which they are sorted by digits.
const sortKeysLeast = 1 << 8

// SortKeys sorts keys by their bits from low up to high, using room, and returns
// the one of the two that has them. Below low there is nothing, or numbers in
// ascending order, or what the caller sorts. It tells spend of keys that it has moved.
func SortKeys(keys, room []uint64, low, high uint, spend func(keys int)) []uint64 {
	if len(keys) < sortKeysLeast {
		slices.Sort(keys)
		return keys
	}
	room = room[:len(keys)]
	var count [keyPasses]keyCount
	for ; low < high; low += keyPasses * keyBits {
		count = [keyPasses]keyCount{}
		for _, key := range keys {
			key >>= low & 63
			count[0][key&(1<<keyBits-1)]++
			count[1][key>>keyBits&(1<<keyBits-1)]++
			count[2][key>>(2*keyBits)&(1<<keyBits-1)]++
		}
		for p := range uint(keyPasses) {
			if shift := low + p*keyBits; shift < high {
				dealKeys(room, keys, &count[p], shift, spend)
				keys, room = room, keys
			}
		}
	}
	return keys
}

// dealKeys moves keys to dst, ordered by the digit at shift.
func dealKeys(dst, keys []uint64, count *keyCount, shift uint, spend func(keys int)) {
	at := int32(0)
	for d, n := range count {
		count[d] = at
		at += n
	}
	for len(keys) > 0 {
		part := keys[:min(len(keys), 1<<16)]
		keys = keys[len(part):]
		for _, key := range part {
			d := key >> (shift & 63) & (1<<keyBits - 1)
			k := count[d]
			count[d] = k + 1
			dst[k] = key
		}
		spend(len(part))
	}
}

// SumUp turns counts, each one place late, into first positions.
func SumUp[T int | int32 | uint32](ptr []T) {
	for i := 1; i < len(ptr); i++ {
		ptr[i] += ptr[i-1]
	}
}
