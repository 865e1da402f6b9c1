package engine

import (
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Most of what a recursion over pairs does is to join new pairs with one list and to look
// whether a pair is there already, which is a bit. Such rules run here, without the loops
// that hold any rule: points-to and pointer aliases take half the time. What is counted is
// the same.

// joining is what a rule makes of a new pair (x, y) and the cells w of the list of one of
// them: the places in (x, y, w) of what it looks up, and of what it makes a pair of. col is
// the column that has the w.
type joining struct {
	on           bool
	key, a, b, w int
}

// joins finds a rule of that form.
func (n *nest) joins(p *rel.Program) (j joining) {
	if n.kind != rows || len(n.steps) != 2 || len(n.rule.Head) != 2 {
		return j
	}
	from, to := &n.steps[0], &n.steps[1]
	if from.kind != scan || from.seen != fresh || from.index >= 0 || len(from.out) != 2 || len(from.same) > 0 || p.Relations[from.rel].Valued() ||
		to.kind != probe || to.index < 0 || len(to.key) != 1 || len(to.out) != 1 || len(to.same) > 0 || p.Relations[to.rel].Valued() ||
		len(p.Relations[to.rel].Columns) != 2 {
		return j
	}
	cells := [3]int{-1, -1, to.out[0].reg}
	for _, o := range from.out {
		cells[o.col] = o.reg
	}
	place := func(v int, ok bool) int {
		for i, c := range cells {
			if ok && v == c {
				return i
			}
		}
		return -1
	}
	j = joining{key: place(to.key[0], true), a: place(variable(&n.rule.Head[0])), b: place(variable(&n.rule.Head[1])), w: to.out[0].col}
	j.on = j.key >= 0 && j.a >= 0 && j.b >= 0 && j.key+j.a+j.b == 3 // each place once
	return j
}

// join runs such a rule, unless its relations are not pairs of bits.
func (r *run) join(n *nest) bool {
	from, to, s := &r.stores[n.steps[0].rel], &r.stores[n.steps[1].rel], &r.stores[r.rel]
	if s.bits == nil || s.width != 2 || from.width != 2 || from.whole || to.whole || to.search != nil || from.search != nil {
		return false
	}
	x := to.index[n.steps[1].index]
	if x.ptr == nil && !(x.first != nil && x.exact) {
		return false
	}
	hi := uint32(to.hi)
	if n.steps[1].seen == before {
		hi = uint32(to.lo)
	}
	j := &n.joining
	end := from.hi
	for at := from.lo; at < end; {
		key := from.cells[2*at+j.key]
		// New pairs come in runs, mostly of one first cell: what that leads to is read once.
		next := at + 1
		for j.key == 0 && next < end && from.cells[2*next] == key {
			next++
		}
		pairs := from.cells[2*at : 2*next]
		at = next
		r.work(uint64(len(pairs)))
		switch {
		case x.ptr != nil:
			if int(key) >= len(x.ptr)-1 {
				continue
			}
			list := x.rows[2*x.ptr[key] : 2*x.ptr[key+1]]
			for k := j.w; k < len(list); k += 2 {
				r.spread(s, j, pairs, list[k])
			}
		case int(key) < len(x.first):
			for k := x.first[key]; k != 0; k = x.next[k-1] {
				if k <= hi {
					r.spread(s, j, pairs, to.cells[2*(k-1)+uint32(j.w)])
				}
			}
		}
	}
	return true
}

// spread adds what the rule makes of each of the pairs and w.
func (r *run) spread(s *store, j *joining, pairs []uint32, w uint32) {
	r.work(2 * uint64(len(pairs)/2))
	stride := uint32(64 * tensor.Words(s.size[1]))
	keep := 1 - j.key // the cell of a new pair that stays
	if j.b == 2 {
		for k := keep; k < len(pairs); k += 2 {
			s.put(r, pairs[k], w, stride)
		}
		return
	}
	for k := keep; k < len(pairs); k += 2 {
		s.put(r, w, pairs[k], stride)
	}
}

// put adds a pair unless its bit is set.
func (s *store) put(r *run, a, b, stride uint32) {
	at := uint(a)*uint(stride) + uint(b)
	if bit := uint64(1) << (at & 63); s.bits[at>>6]&bit == 0 {
		s.bits[at>>6] |= bit
		if len(s.cells)+2 > cap(s.cells) {
			s.cells = grow(r, s.cells, 2)
		}
		s.cells = append(s.cells, a, b)
		s.n++
	}
}
