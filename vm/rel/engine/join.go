package engine

import (
	"ein/vm/rel"
	"ein/vm/tensor"
)

// A rule of two atoms that makes pairs, which is most of what recursion does once bodies are
// cut, is a loop in a loop: the rows of the first, and those of the second that have a cell of
// it. Steps that call one another take four times as long as these two loops.

// joining says where the columns of such a rule are. Each atom gives one cell of the head.
type joining struct {
	key          int  // of the first atom: the cell that selects rows of the second
	outer, inner int  // the columns of the first and second atom that the head has
	turned       bool // the head has the cell of the second first
}

// joining finds the columns of a rule that is two such loops, nil for any other.
func (n *nest) joining(p *rel.Program) *joining {
	if n.kind != rows || len(n.steps) != 2 || n.cut != 1 || len(n.factors) > 0 || len(n.rule.Head) != 2 {
		return nil
	}
	outer, inner := &n.steps[0], &n.steps[1]
	plain := func(t *step) bool {
		return len(t.same) == 0 && t.value < 0 && t.check < 0 && t.meets == 0 && !valued(&p.Relations[t.rel])
	}
	if !plain(outer) || !plain(inner) || outer.kind != scan || outer.index >= 0 || inner.kind != probe || inner.index < 0 || len(inner.key) != 1 {
		return nil
	}
	j := &joining{key: outer.column(inner.key[0]), outer: -1, inner: -1}
	for c := range n.rule.Head {
		v, ok := variable(&n.rule.Head[c])
		if !ok {
			return nil
		}
		if at := outer.column(v); at >= 0 {
			j.outer = at
		} else {
			j.inner, j.turned = inner.column(v), c == 0
		}
	}
	if min(j.key, j.outer, j.inner) < 0 {
		return nil
	}
	return j
}

// join runs such a rule, unless the stores do not allow it. It makes the same rows as the steps do,
// and counts as many operations.
func (r *run) join(n *nest) bool {
	outer, inner, to := &r.stores[n.steps[0].rel], &r.stores[n.steps[1].rel], &r.stores[r.rel]
	for _, s := range [...]*store{outer, inner} {
		if s.whole || s.search != nil || s.table != nil {
			return false
		}
	}
	x := inner.index[n.steps[1].index]
	if len(to.size) != 2 || to.bits == nil || to.whole || x.ptr == nil && !x.exact {
		return false
	}
	lo, hi := outer.seen(n.steps[0].seen)
	_, most := inner.seen(n.steps[1].seen)
	j, cells, w := n.joins, inner.cells, inner.width
	var list [256]uint32 // cells of the second atom, for all rows of a key together
	for lo < hi {        // rows with the same key have the same list
		key, end := outer.row(lo)[j.key], lo+1
		for end < hi && outer.row(end)[j.key] == key {
			end++
		}
		r.work(2 * uint64(end-lo))
		had := 0
		give := func(x uint32) {
			if list[had] = x; had == len(list)-1 {
				r.pair(j, outer, to, lo, end, list[:])
				had = -1
			}
			had++
		}
		if x.ptr != nil && int(key) < len(x.ptr)-1 {
			for at := int(x.ptr[key])*w + j.inner; at < int(x.ptr[key+1])*w; at += w {
				give(x.rows[at])
			}
		} else if x.ptr == nil && int(key) < len(x.first) {
			if x.settled > 0 {
				for at := int(x.past[key])*w + j.inner; at < int(x.past[key+1])*w; at += w {
					give(x.old[at])
				}
			}
			for at := x.first[key]; at != 0; at = x.next[at-1] {
				if k := int(at - 1); k < most {
					give(cells[k*w+j.inner])
				}
			}
		}
		r.pair(j, outer, to, lo, end, list[:had])
		lo = end
	}
	r.put(to)
	return true
}

// pair makes the pairs of some rows of the first atom and a list of cells of the second. Pairs in
// one row of bits follow one another. A few that go into many bits wait until there are more of
// them (see put).
func (r *run) pair(j *joining, outer, to *store, lo, end int, list []uint32) {
	r.work(2 * uint64(len(list)) * uint64(end-lo))
	if len(list)*(end-lo) <= 8 && 16*to.n < len(to.bits) {
		for ; lo < end; lo++ {
			a := outer.row(lo)[j.outer]
			for _, b := range list {
				if r.waiting = append(r.waiting, a, b); j.turned {
					k := len(r.waiting)
					r.waiting[k-2], r.waiting[k-1] = b, a
				}
			}
		}
		if len(r.waiting) >= 256 {
			r.put(to)
		}
		return
	}
	r.put(to)
	bits, stride := to.bits, 64*tensor.Words(to.size[1])
	put := func(a, b uint32) {
		bit := int(a)*stride + int(b)
		if word := &bits[bit>>6]; *word>>(bit&63)&1 == 0 {
			*word |= 1 << (bit & 63)
			if len(to.cells)+2 > cap(to.cells) {
				to.cells = grow(r, to.cells, 2)
			}
			to.cells = append(to.cells, a, b)
			to.n++
		}
	}
	from, w := outer.cells[lo*outer.width+j.outer:end*outer.width], outer.width
	if j.turned {
		for _, a := range list {
			for at := 0; at < len(from); at += w {
				put(a, from[at])
			}
		}
		return
	}
	for at := 0; at < len(from); at += w {
		for _, b := range list {
			put(from[at], b)
		}
	}
}

// put makes the pairs that wait. If few pairs go into many bits, each is in a cache line of its
// own. Whether a pair is new is hard to predict, so the processor would wait for one line before it
// starts on the next; reading all lines first lets it fetch them together.
func (r *run) put(to *store) {
	list, stride := r.waiting, 64*tensor.Words(to.size[1])
	for k := 0; k < len(list); k += 2 {
		r.fetched += to.bits[(int(list[k])*stride+int(list[k+1]))>>6]
	}
	for ; len(list) > 0; list = list[2:] {
		r.add(to, list[:2])
	}
	r.waiting = r.waiting[:0]
}

// seen returns the range of the rows of a store that a step sees.
func (s *store) seen(which seen) (lo, hi int) {
	switch which {
	case fresh:
		return s.lo, s.hi
	case before:
		return 0, s.lo
	}
	return 0, s.hi
}
