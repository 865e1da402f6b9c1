package graphio

import "ein/vm/tensor"

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
					at, w = append(at, pair{p[1], p[0]}), append(w, x)
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

// build makes the matrix. repeated is the number of edges that an earlier one equals, and twice
// the first few pairs of nodes it happens to; combine makes one weight of two.
func (s *edgeSet) build(combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair) {
	e := tensor.Entries{Rows: s.rows, Cols: s.cols, Len: s.len(), Each: s.batches, Weighted: s.ones || s.w.len() > 0, Combine: combine, Twice: 2 * maxListed,
		Take: func(bytes int) {
			if bytes < 0 {
				s.mem.give(-bytes)
			} else {
				s.mem.take(bytes)
			}
		}}
	m, repeated, twice = e.Build()
	// Of a skew-symmetric file the mirrored half changes its sign only now, so that the least or the
	// largest of several weights is that of the file in both halves.
	for i := 0; s.mirror < 0 && i < len(m.Ptr)-1; i++ {
		for k := m.Ptr[i]; k < m.Ptr[i+1] && m.Val != nil; k++ {
			if int(m.Idx[k]) > i {
				m.Val[k] = 0 - m.Val[k]
			}
		}
	}
	return m, repeated, twice
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
