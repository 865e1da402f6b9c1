package engine

import (
	"cmp"
	"math/bits"
	"slices"

	"ein/vm/tensor"
)

// table is the rows of a relation as a value, sorted.
func (r *run) table(i int) *tensor.Table {
	rl, s := &r.p.Relations[i], &r.stores[i]
	r.rel, r.rule = i, nil
	t := &tensor.Table{Columns: rl.Columns, Len: s.n, Cells: make([]tensor.Cells, len(rl.Columns))}
	if s.whole {
		t.Cells, t.Bits = nil, &tensor.Bits{Rows: s.size[0], Cols: s.size[1], Stride: tensor.Words(s.size[1]), W: s.bits}
		return t
	}
	n := s.n
	r.work(uint64(n) * uint64(bits.Len(uint(n))))
	r.take(uint64(n) * uint64(4+8*len(rl.Columns)))
	order := make([]uint32, n)
	for k := range order {
		order[k] = uint32(k)
	}
	rank := make([][]uint32, len(rl.Columns))
	plain := true
	for c := range rl.Columns {
		if d := rl.Columns[c].Domain; d != nil {
			_, rank[c] = d.Order()
		}
		plain = plain && rl.Columns[c].Domain != nil
	}
	code := func(k uint32, c int) uint32 {
		x := s.cells[int(k)*s.width+c]
		if rank[c] != nil {
			return rank[c][x]
		}
		return x
	}
	switch w := len(rl.Columns); {
	case w == 0:
	case plain && w <= 2:
		r.take(8 * uint64(n))
		packed := make([]uint64, n)
		for k := range packed {
			packed[k] = uint64(code(uint32(k), 0))<<32 | uint64(code(uint32(k), w-1))
		}
		slices.Sort(packed)
		for c := range t.Cells {
			id := make([]uint32, n)
			back, _ := rl.Columns[c].Domain.Order()
			for k, p := range packed {
				if id[k] = uint32(p >> (32 * (1 - c))); back != nil {
					id[k] = back[id[k]]
				}
			}
			t.Cells[c].ID = id
		}
		return t
	default:
		slices.SortFunc(order, func(a, b uint32) int {
			for c := range rl.Columns {
				d := 0
				switch {
				case c == s.width:
					d = cmp.Compare(s.val[a], s.val[b])
				case rl.Columns[c].Domain != nil:
					d = cmp.Compare(code(a, c), code(b, c))
				default:
					d = cmp.Compare(r.decode(s.row(int(a))[c]), r.decode(s.row(int(b))[c]))
				}
				if d != 0 {
					return d
				}
			}
			return 0
		})
	}
	for c := range t.Cells {
		if rl.Columns[c].Domain != nil {
			id := make([]uint32, n)
			for k, at := range order {
				id[k] = s.row(int(at))[c]
			}
			t.Cells[c].ID = id
			continue
		}
		num := make([]float64, n)
		for k, at := range order {
			if c == s.width {
				num[k] = s.val[at]
			} else {
				num[k] = r.decode(s.row(int(at))[c])
			}
		}
		t.Cells[c].Num = num
	}
	return t
}
