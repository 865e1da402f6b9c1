package graphio

import (
	"math/bits"

	"ein/vm/kernel"
	"ein/vm/tensor"
)

// edgeSet is edges on their way into a CSR matrix.
type edgeSet struct {
	*edges
	rows, cols int
	to         []int32 // when not nil, the row or column of an id
	ones       bool    // edges without weights weigh 1, for their sum
	mem        *memory
}

func (s *edgeSet) weighted() bool { return s.ones || s.w.len() > 0 }

// real reports whether a weight is no integer.
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
		if s.to == nil && s.mirror == 0 && !s.ones {
			yield(edges, weights)
			continue
		}
		for len(edges) > 0 {
			n := min(len(edges), size/2)
			at, w = at[:0], w[:0]
			for e, p := range edges[:n] {
				if s.to != nil {
					p = pair{s.to[p[0]], s.to[p[1]]}
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

// build sorts the edges into rows, where equal ones keep their order. repeated is
// the number of edges that an earlier one equals, and twice the first few pairs
// of nodes it happens to, by rows; combine makes one weight of two.
//
// Edges are dealt into blocks of rows that fit the cache and sorted there by
// digits. Not all blocks are filled at a time, but about a quarter of the edges,
// so that the keys take little room beside the list and the matrix: going over
// 1e7 edges four times costs 60 ms and saves as many bytes as the list has.
func (s *edgeSet) build(combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair, err error) {
	const leastInBlock, mostBlocks, mostGroups = 1 << 12, 256, 4
	rowBits := uint(0)
	for limit := min(max(s.len()/leastInBlock, 1), mostBlocks); (s.rows-1)>>rowBits >= limit; {
		rowBits++
	}
	count := make([]int, (s.rows-1)>>rowBits+1)
	total, longest := 0, 0
	s.batches(func(at []pair, _ []float64) {
		total += len(at)
		for _, p := range at {
			count[p[0]>>rowBits]++
		}
	})
	for _, n := range count {
		longest = max(longest, n)
	}
	m = tensor.CSR{Rows: s.rows, Cols: s.cols}
	if m.Ptr, err = newSlice[int32](s.mem, s.rows+1); err != nil {
		return m, 0, nil, err
	}
	if m.Idx, err = newSlice[int32](s.mem, total); err != nil {
		return m, 0, nil, err
	}
	scratch := longest + min(total, max(longest, total/mostGroups, fullChunk))
	keys, err := newSlice[uint64](s.mem, scratch)
	if err != nil {
		return m, 0, nil, err
	}
	var w []float64
	if s.weighted() {
		if m.Val, err = newSlice[float64](s.mem, total); err != nil {
			return m, 0, nil, err
		}
		if w, err = newSlice[float64](s.mem, scratch); err != nil {
			return m, 0, nil, err
		}
	}
	b := builder{m: &m, combine: combine, rowBits: rowBits, colBits: uint(bits.Len(uint(s.cols - 1))), row: -1}
	for lo, hi := 0, 0; lo < len(count); lo = hi {
		inGroup := 0
		for hi = lo; hi < len(count) && (hi == lo || inGroup+count[hi] <= scratch-longest); hi++ {
			inGroup += count[hi]
		}
		b.group(s, lo, count[lo:hi], keys, w, longest)
	}
	b.startRow(s.rows)
	s.mem.give(len(keys)*sizeOf[uint64]() + len(w)*sizeOf[float64]())
	m.Idx = m.Idx[:b.out]
	if m.Val != nil {
		m.Val = m.Val[:b.out]
	}
	return m, b.repeated, b.twice, nil
}

// builder fills a matrix in the order of its rows.
type builder struct {
	m                *tensor.CSR
	combine          func(a, b float64) float64
	rowBits, colBits uint

	row      int // the last one begun
	out      int // entries
	repeated int
	twice    []pair
}

// group adds the rows of some blocks, of which lo is the first and count the
// numbers of edges.
func (b *builder) group(s *edgeSet, lo int, count []int, keys []uint64, w []float64, longest int) {
	room, keys := keys[:longest], keys[longest:]
	var roomW []float64
	if w != nil {
		roomW, w = w[:longest], w[longest:]
	}
	at := make([]int, len(count))
	for k := range len(count) - 1 {
		at[k+1] = at[k] + count[k]
	}
	rowMask := int32(1)<<b.rowBits - 1
	s.batches(func(edges []pair, weights []float64) {
		for e, p := range edges {
			k := int(p[0]>>b.rowBits) - lo
			if uint(k) >= uint(len(at)) {
				continue
			}
			i := at[k]
			at[k] = i + 1
			keys[i] = uint64(p[0]&rowMask)<<b.colBits | uint64(p[1])
			if w != nil {
				w[i] = weights[e]
			}
		}
	})
	for k, end := range at {
		from := end - count[k]
		var blockW []float64
		if w != nil {
			blockW = w[from:end]
		}
		b.add((lo+k)<<b.rowBits, keys[from:end], room, blockW, roomW)
	}
}

// add adds the rows of one block, the first of which is given.
func (b *builder) add(first int, keys, room []uint64, w, roomW []float64) {
	keys, w = kernel.SortKeys(keys, room, w, roomW, b.rowBits+b.colBits)
	m, last := b.m, ^uint64(0)
	for e, key := range keys {
		i, j := first+int(key>>b.colBits), int32(key&(1<<b.colBits-1))
		if key == last {
			if w != nil {
				m.Val[b.out-1] = b.combine(m.Val[b.out-1], w[e])
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
		if w != nil {
			m.Val[b.out] = w[e]
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

// dropZeros takes out the entries of weight 0, which a sparse matrix has
// everywhere else as well.
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

// fit is list in a slice of its own length where it leaves much of its own
// unused.
func fit[T any](m *memory, list []T) ([]T, error) {
	if cap(list)-len(list) <= cap(list)/8 {
		return list[:len(list):len(list)], nil
	}
	out, err := newSlice[T](m, len(list))
	if err != nil {
		return nil, err
	}
	copy(out, list)
	m.give(cap(list) * sizeOf[T]())
	return out, nil
}
