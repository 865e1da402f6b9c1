package tensor

import (
	"math/bits"
	"slices"
)

// BuildCSR makes the rows x cols matrix with an entry at (src[e], dst[e]) for
// each e, of weight w[e], or 1 when w is nil. All ids are in range. Of entries
// at the same place the first is kept, and repeated is how many were not. It is
// a loader and allocates.
func BuildCSR(rows, cols int, src, dst []int32, w []float64) (a CSR, repeated int) {
	keep := func(i int) int { return len(slices.Compact(a.Row(i))) }
	if w == nil {
		a = sortEdges(rows, cols, src, dst)
	} else {
		a = placeEdges(rows, cols, src, nil)
		a.Val = make([]float64, len(src))
		longest := int32(0)
		for i := range rows {
			longest = max(longest, a.Ptr[i+1]-a.Ptr[i])
		}
		keys := make([]uint64, longest)
		keep = func(i int) int {
			row := a.Row(i)
			return sortRow(row, a.Val[a.Ptr[i]:a.Ptr[i+1]], keys[:len(row)], dst, w)
		}
	}
	end := make([]int32, rows)
	for i := range rows {
		kept := keep(i)
		end[i] = a.Ptr[i] + int32(kept)
		repeated += len(a.Row(i)) - kept
	}
	if repeated > 0 {
		closeGaps(&a, end)
	}
	return a, repeated
}

// placeEdges counts edges into rows, each in the order of the edges. An entry is
// the column, or the number of the edge when dst is nil.
func placeEdges(rows, cols int, src, dst []int32) CSR {
	a := CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Idx: make([]int32, len(src))}
	for _, i := range src {
		a.Ptr[i+1]++
	}
	SumUp(a.Ptr)
	at := append([]int32(nil), a.Ptr[:rows]...)
	for e, i := range src {
		k := at[i]
		at[i] = k + 1
		if dst != nil {
			a.Idx[k] = dst[e]
		} else {
			a.Idx[k] = int32(e)
		}
	}
	return a
}

// sortEdgesLeast is the number of edges from which sortEdges sorts by digits:
// its tables of counts are not worth clearing for fewer.
const sortEdgesLeast = 1 << 14

// sortEdges is the edges sorted by row and column, with equal ones kept, as a
// matrix whose rows may therefore repeat a column. It allocates.
//
// Edges are first dealt into blocks of rows that fit the cache, and sorted there
// by digits. 1e7 edges of 1e6 nodes take 115 ms; counting them into rows and
// sorting each took 225 (it writes to places far apart, and mispredicts in
// every row), and two counting sorts, by column and then by row, 375. Dealing
// them out twice, by columns and by rows, with an insertion sort to finish, took
// 140.
func sortEdges(rows, cols int, src, dst []int32) CSR {
	if len(src) < sortEdgesLeast {
		a := placeEdges(rows, cols, src, dst)
		for i := range rows {
			slices.Sort(a.Row(i))
		}
		return a
	}
	b := dealEdges(rows, cols, src, dst)
	a := CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Idx: make([]int32, len(src))}
	room := make([]uint64, b.longest)
	for k := range len(b.start) - 1 {
		lo, hi := b.start[k], b.start[k+1]
		first := k << b.rowBits
		ptr := a.Ptr[first+1 : min(first+1<<b.rowBits, rows)+1]
		at := lo
		for _, key := range SortKeys(b.keys[lo:hi], room, 0, b.rowBits+b.colBits) {
			a.Idx[at] = int32(key & (1<<b.colBits - 1))
			at++
			ptr[key>>b.colBits] = at
		}
		// A row without edges ends where the one before it does.
		at = lo
		for i, end := range ptr {
			at = max(at, end)
			ptr[i] = at
		}
	}
	return a
}

// edgeBlocks is edges in blocks of 1<<rowBits rows. A key is the row within the
// block above colBits of column.
type edgeBlocks struct {
	rowBits, colBits uint
	start            []int32 // of each block, and the end of the last
	longest          int32
	keys             []uint64
}

// maxEdgeBlocks is as many blocks as can be written to at a time: 128 to 512
// were alike, 1024 a tenth slower.
const maxEdgeBlocks = 256

func dealEdges(rows, cols int, src, dst []int32) edgeBlocks {
	b := edgeBlocks{colBits: uint(bits.Len(uint(cols - 1))), keys: make([]uint64, len(src))}
	for (rows-1)>>b.rowBits >= maxEdgeBlocks {
		b.rowBits++
	}
	b.start = make([]int32, (rows-1)>>b.rowBits+2)
	for _, i := range src {
		b.start[i>>b.rowBits+1]++
	}
	for _, n := range b.start {
		b.longest = max(b.longest, n)
	}
	SumUp(b.start)
	at := append([]int32(nil), b.start...)
	for e, i := range src {
		k := i >> b.rowBits
		b.keys[at[k]] = uint64(i&(1<<b.rowBits-1))<<b.colBits | uint64(dst[e])
		at[k]++
	}
	return b
}

// Keys are sorted by digits of keyBits, keyPasses of which are counted at a
// time: enough for a graph of a million nodes.
const (
	keyBits   = 11
	keyPasses = 3
)

type keyCount [1 << keyBits]int32

// sortKeysLeast is the number of keys from which they are sorted by digits.
const sortKeysLeast = 1 << 8

// SortKeys sorts keys by their bits from low up to high, using room, and returns
// the one of the two that has them. Below low there is nothing, or numbers in
// ascending order.
func SortKeys(keys, room []uint64, low, high uint) []uint64 {
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
				dealKeys(room, keys, &count[p], shift)
				keys, room = room, keys
			}
		}
	}
	return keys
}

// dealKeys moves keys to dst, ordered by the digit at shift.
func dealKeys(dst, keys []uint64, count *keyCount, shift uint) {
	at := int32(0)
	for d, n := range count {
		count[d] = at
		at += n
	}
	for _, key := range keys {
		d := key >> (shift & 63) & (1<<keyBits - 1)
		k := count[d]
		count[d] = k + 1
		dst[k] = key
	}
}

// sortRow replaces the entry numbers in a row by their columns in order, and
// sets their weights. Of a column that is there more than once it keeps the
// first. It returns how many are left.
func sortRow(row []int32, val []float64, keys []uint64, dst []int32, w []float64) int {
	for k, e := range row {
		keys[k] = uint64(dst[e])<<32 | uint64(e) // all different, so any sort will do
	}
	slices.Sort(keys)
	kept := 0
	for _, key := range keys {
		if j := int32(key >> 32); kept == 0 || row[kept-1] != j {
			row[kept], val[kept] = j, w[uint32(key)]
			kept++
		}
	}
	return kept
}

// closeGaps moves rows that end early, at end, together.
func closeGaps(a *CSR, end []int32) {
	at := int32(0)
	for i, e := range end {
		from := a.Ptr[i]
		a.Ptr[i] = at
		copy(a.Idx[at:], a.Idx[from:e])
		if a.Val != nil {
			copy(a.Val[at:], a.Val[from:e])
		}
		at += e - from
	}
	a.Ptr[len(end)] = at
	a.Idx = a.Idx[:at:at]
	if a.Val != nil {
		a.Val = a.Val[:at:at]
	}
}

// SumUp turns counts, each one place late, into first positions.
func SumUp(ptr []int32) {
	for i := 1; i < len(ptr); i++ {
		ptr[i] += ptr[i-1]
	}
}
