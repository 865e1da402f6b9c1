package graphio

import (
	"math/bits"

	"ein/vm/tensor"
)

// edgeSet is edges on their way into a CSR matrix.
type edgeSet struct {
	*edges
	rows, cols int
	to         []int32 // when not nil, the row or column of an id
	own        bool    // the columns are no nodes
	ones       bool    // edges without weights weigh 1: for their sum, or where 0 is a weight
	mem        *memory
}

// real reports whether a weight is not an integer.
func (s *edgeSet) real() bool {
	for k := range s.w.list {
		if kindOf(s.w.chunk(k)) == tensor.Real {
			return true
		}
	}
	return false
}

// batches calls yield for all entries of the matrix in the order of the file.
func (s *edgeSet) batches(yield func(at []pair, w []float64)) {
	const size = 1 << 12
	var at []pair
	var w []float64
	for k := range s.at.list {
		edges, weights := s.at.chunk(k), []float64(nil)
		if s.w.len() > 0 {
			weights = s.w.chunk(k)
		}
		if s.to == nil && s.mirror == 0 && !s.ones && !s.own {
			yield(edges, weights)
			continue
		}
		for len(edges) > 0 {
			n := min(len(edges), size/2)
			at, w = at[:0], w[:0]
			for e, p := range edges[:n] {
				p = moved(p, s.to, s.own)
				if p[0] < 0 || int(p[0]) >= s.rows {
					continue // extra=ignore
				}
				x := 1.0
				if weights != nil {
					x = weights[e]
				}
				at, w = append(at, p), append(w, x)
				if s.mirror != 0 && p[0] != p[1] {
					at, w = append(at, pair{p[1], p[0]}), append(w, s.mirror*x)
				}
			}
			yield(at, w)
			edges = edges[n:]
			if weights != nil {
				weights = weights[n:]
			}
		}
	}
}

// moved renumbers an edge to the nodes of the program. With own, the target is not a node and keeps
// its number.
func moved(p pair, to []int32, own bool) pair {
	switch {
	case to == nil:
	case own:
		p[0] = to[p[0]]
	default:
		p = pair{to[p[0]], to[p[1]]}
	}
	return p
}

// build sorts the edges into rows, where equal ones keep their order. repeated is
// the number of edges that an earlier one equals, and twice the first few pairs
// of nodes it happens to, by rows; combine makes one weight of two.
//
// Edges are dealt into blocks of rows that fit the cache, within the columns and
// weights of the matrix itself, and each block is then sorted by digits. That
// takes no memory beside the list and the matrix but for one block: an entry is
// the column and the row within the block, in 32 bits.
func (s *edgeSet) build(combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair) {
	b := builder{combine: combine, colBits: uint(bits.Len(uint(s.cols - 1))), row: -1}
	for blocks := min(max(s.len()>>12, 1), 256); (s.rows-1)>>b.rowBits >= blocks && b.rowBits+b.colBits < 32; {
		b.rowBits++
	}
	at := newSlice[int32](s.mem, (s.rows-1)>>b.rowBits+1)
	s.batches(func(edges []pair, _ []float64) {
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
	b.allocate(s, int(total), int(longest))
	s.batches(func(edges []pair, w []float64) { b.deal(at, edges, w) })
	start := int32(0)
	for k, end := range at { // where the next block began, before it was filled
		b.block(k<<b.rowBits, int(start), int(end))
		start = end
	}
	b.startRow(s.rows)
	s.mem.give(len(at)*sizeOf[int32]() + b.scratch())
	m = b.m
	m.Idx = m.Idx[:b.out]
	if m.Val != nil {
		m.Val = m.Val[:b.out]
	}
	return m, b.repeated, b.twice
}

// builder fills a matrix in the order of its rows.
type builder struct {
	m                tensor.CSR
	combine          func(a, b float64) float64
	rowBits, colBits uint

	keys, room []uint64 // for one block
	w          []float64

	row      int // the last one begun
	out      int // entries
	repeated int
	twice    []pair
}

func (b *builder) allocate(s *edgeSet, total, longest int) {
	b.m = tensor.CSR{Rows: s.rows, Cols: s.cols}
	b.m.Idx = newSlice[int32](s.mem, total)
	if s.ones || s.w.len() > 0 {
		b.m.Val = newSlice[float64](s.mem, total)
		b.w = newSlice[float64](s.mem, longest)
	}
	b.keys = newSlice[uint64](s.mem, longest)
	b.room = newSlice[uint64](s.mem, longest)
	b.m.Ptr = newSlice[int32](s.mem, s.rows+1)
}

func (b *builder) scratch() int {
	return (len(b.keys)+len(b.room))*sizeOf[uint64]() + len(b.w)*sizeOf[float64]()
}

// deal moves edges to the next free places of their blocks.
func (b *builder) deal(at []int32, edges []pair, w []float64) {
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
	for _, x := range tensor.SortKeys(keys, b.room, 32, 32+b.rowBits+b.colBits) {
		key := x >> 32
		i, j := first+int(key>>b.colBits), int32(key&colMask)
		if key == last {
			if m.Val != nil {
				m.Val[b.out-1] = b.combine(m.Val[b.out-1], w[uint32(x)])
			}
			b.repeated++
			p := pair{int32(i), j}
			if n := len(b.twice); n < 2*maxListed && (n == 0 || b.twice[n-1] != p) {
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

// dropZeros removes the entries of weight 0, which mean the same as no entry.
func dropZeros(m *tensor.CSR) {
	out := int32(0)
	start := int32(0)
	for i := range m.Rows {
		end := m.Ptr[i+1]
		m.Ptr[i] = out
		for k := start; k < end; k++ {
			if m.Val[k] != 0 {
				m.Idx[out], m.Val[out] = m.Idx[k], m.Val[k]
				out++
			}
		}
		start = end
	}
	m.Ptr[m.Rows] = out
	m.Idx, m.Val = m.Idx[:out], m.Val[:out]
}

// fit copies a list to a slice of its own length if more than a ninth of its memory is unused.
func fit[T any](m *memory, list []T) []T {
	if cap(list)-len(list) <= cap(list)/8 {
		return list[:len(list):len(list)]
	}
	out := newSlice[T](m, len(list))
	copy(out, list)
	m.give(cap(list) * sizeOf[T]())
	return out
}
