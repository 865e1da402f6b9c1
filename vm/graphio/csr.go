package graphio

import (
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// edgeSet is edges on their way into a CSR matrix. to, when not nil, gives the
// row or column of an id.
type edgeSet struct {
	rows, cols int
	src, dst   []int32
	w          []float64
	to         []int32
}

// build sorts the edges into rows. repeated is the number of edges that an
// earlier one equals, and twice the first few pairs of nodes it happens to, by
// rows; combine makes one weight of two.
func (s edgeSet) build(combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair) {
	if s.w != nil {
		return s.buildWeighted(combine)
	}
	src, dst := s.src, s.dst
	if s.to != nil {
		src, dst = s.renumbered(src), s.renumbered(dst)
	}
	m = kernel.SortEdges(s.rows, s.cols, src, dst)
	copy(m.Ptr, m.Ptr[1:]) // merge wants the ends of rows
	return merge(s.rows, s.cols, m.Ptr, m.Idx, nil, combine)
}

func (s edgeSet) renumbered(ids []int32) []int32 {
	out := make([]int32, len(ids))
	for e, id := range ids {
		out[e] = s.to[id]
	}
	return out
}

// buildWeighted sorts by counting, first by column and then by row, which keeps
// the order among equal edges. It needs 12 bytes an edge besides the result.
func (s edgeSet) buildWeighted(combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair) {
	at := func(id int32) int32 { return id }
	if s.to != nil {
		at = func(id int32) int32 { return s.to[id] }
	}
	n := len(s.src)
	colPtr := make([]int32, s.cols+1)
	ptr := make([]int32, s.rows+1)
	for e, d := range s.dst {
		colPtr[at(d)+1]++
		ptr[at(s.src[e])+1]++
	}
	for j := range s.cols {
		colPtr[j+1] += colPtr[j]
	}
	for i := range s.rows {
		ptr[i+1] += ptr[i]
	}
	// Placing an edge moves the start of its column on; afterwards each start
	// has become the end.
	byCol, wByCol := make([]int32, n), make([]float64, n)
	for e, d := range s.dst {
		j := at(d)
		k := colPtr[j]
		colPtr[j]++
		byCol[k], wByCol[k] = at(s.src[e]), s.w[e]
	}
	idx, val := make([]int32, n), make([]float64, n)
	k := int32(0)
	for j := range s.cols {
		for ; k < colPtr[j]; k++ {
			i := byCol[k]
			p := ptr[i]
			ptr[i]++
			idx[p], val[p] = int32(j), wByCol[k]
		}
	}
	return merge(s.rows, s.cols, ptr, idx, val, combine)
}

// pair is a row and a column.
type pair [2]int32

// merge makes one entry of equal neighbours. ends[i] is the end of row i; it
// becomes the Ptr of the result.
func merge(rows, cols int, ends, idx []int32, val []float64, combine func(a, b float64) float64) (m tensor.CSR, repeated int, twice []pair) {
	out, start := int32(0), int32(0)
	for i := range rows {
		end := ends[i]
		rowStart := out
		for k := start; k < end; k++ {
			if out > rowStart && idx[out-1] == idx[k] {
				if val != nil {
					val[out-1] = combine(val[out-1], val[k])
				}
				p := pair{int32(i), idx[k]}
				if n := len(twice); n < 2*maxListed && (n == 0 || twice[n-1] != p) {
					twice = append(twice, p)
				}
				continue
			}
			idx[out] = idx[k]
			if val != nil {
				val[out] = val[k]
			}
			out++
		}
		ends[i], start = rowStart, end
	}
	ends[rows] = out
	repeated = len(idx) - int(out)
	m = tensor.CSR{Rows: rows, Cols: cols, Ptr: ends, Idx: idx[:out:out]}
	if val != nil {
		m.Val = val[:out:out]
	}
	return m, repeated, twice
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
	m.Idx, m.Val = m.Idx[:out:out], m.Val[:out:out]
}
