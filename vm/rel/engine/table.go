package engine

import (
	"cmp"
	"slices"

	"ein/vm/kernel"
	"ein/vm/tensor"
)

// table returns the rows of a relation as a value, sorted.
func (r *run) table(i int) *tensor.Table {
	rl, s := &r.p.Relations[i], &r.stores[i]
	r.rel, r.rule = i, nil
	t := &tensor.Table{Columns: rl.Columns, Len: s.n, Cells: make([]tensor.Cells, len(rl.Columns))}
	if s.whole || len(s.size) == 2 && s.bits != nil && len(s.bits) <= 4*s.n {
		s.given = true
		t.Cells, t.Bits = nil, &tensor.Bits{Rows: s.size[0], Cols: s.size[1], Stride: tensor.Words(s.size[1]), W: s.bits}
		return t
	}
	r.take(uint64(s.n) * uint64(24+8*len(rl.Columns)))
	order := r.arranged(s, rl.Columns)
	row := func(k int) int { // that comes k-th
		if order == nil {
			return k
		}
		return int(order[k])
	}
	for c := range t.Cells {
		if rl.Columns[c].Domain != nil {
			id := make([]uint32, s.n)
			for k := range id {
				id[k] = s.cells[row(k)*s.width+c]
			}
			t.Cells[c].ID = id
			continue
		}
		num := make([]float64, s.n)
		for k := range num {
			if at := row(k); c == s.width {
				num[k] = s.val[at]
			} else {
				num[k] = r.decode(s.cells[at*s.width+c])
			}
		}
		t.Cells[c].Num = num
	}
	return t
}

// arranged returns the places of the rows in the order of their cells, nil if they lie in it.
func (r *run) arranged(s *store, columns []tensor.Column) (order []int32) {
	n, w := s.n, len(columns)
	if w == 0 || s.sorted {
		return nil
	}
	rank := make([][]uint32, w)
	for c := range columns {
		if d := columns[c].Domain; d != nil {
			_, rank[c] = d.Order()
		}
	}
	if s.width == 1 && s.bits != nil && len(s.bits) <= 8*n && rank[0] == nil {
		s.cells = s.cells[:0]
		for x := range tensor.Ones(s.bits) {
			s.cells = append(s.cells, uint32(x))
		}
		return nil
	}
	// key is a cell as a number in the order of the cells, of 32 bits for a name.
	key := func(k int32, c int) uint64 {
		switch {
		case c == s.width:
			return kernel.SortKey(s.val[k])
		case columns[c].Domain == nil:
			return kernel.SortKey(r.decode(s.row(int(k))[c]))
		case rank[c] != nil:
			return uint64(rank[c][s.row(int(k))[c]])
		}
		return uint64(s.row(int(k))[c])
	}
	// By the first column, or two of names; then those that have them in common.
	order = make([]int32, n)
	keys, first := make([]uint64, n), 1
	if w > 1 && columns[0].Domain != nil && columns[1].Domain != nil {
		first = 2
	}
	sorted := true
	for k := range keys {
		if k%kernel.PollOps == 0 {
			r.look()
		}
		if keys[k] = key(int32(k), 0); first == 2 {
			keys[k] = keys[k]<<32 | key(int32(k), 1)
		}
		order[k], sorted = int32(k), sorted && (k == 0 || keys[k-1] <= keys[k])
	}
	if !sorted {
		kept := keys // SortKeys uses them up
		if first < w {
			kept = slices.Clone(keys)
		}
		kernel.Finished(func() { order = kernel.SortKeys(r.ctl, kept, make([]uint64, n), order, make([]int32, n)) })
	}
	r.look()
	looked := 0
	rest := func(a, b int32) int {
		if looked++; looked%kernel.PollOps == 0 {
			r.look()
		}
		for c := first; c < w; c++ {
			if d := cmp.Compare(key(a, c), key(b, c)); d != 0 {
				return d
			}
		}
		return 0
	}
	for lo, hi := 0, 0; first < w && lo < n; lo = hi {
		for hi = lo + 1; hi < n && keys[order[hi]] == keys[order[lo]]; hi++ {
		}
		if hi > lo+1 {
			slices.SortFunc(order[lo:hi], rest)
		}
	}
	return order
}
