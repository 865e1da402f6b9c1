package engine

import (
	"math/bits"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// A recursion over pairs, each rule of which takes one new pair through a list at most, is
// done on rows of bits. Where a rule leaves the second cell alone a whole row goes at once,
// new pairs are told from old ones by the word, and no pair is written down on its own: same
// generation on a tree takes a tenth of the time.

// turning is what a rule makes of a new pair (x, y), and of the cells w of a list.
type turning uint8

const (
	copies  turning = iota // (x, y)
	swaps                  // (y, x)
	spreads                // (w, y), of the list of x
	follows                // (x, w), of the list of y
	turns                  // (y, w), of the list of x
	returns                // (w, x), of the list of y
	noTurning
)

// mostDense is the size of a domain up to which to look at a row of bits costs no more
// than to join a few pairs.
const mostDense = 4096

// isDense reports whether all rules of a stratum can be done so.
func isDense(p *rel.Program, s *stratum) bool {
	if !s.Recursive {
		return false
	}
	for _, i := range s.Relations {
		r := &p.Relations[i]
		if len(r.Columns) != 2 || r.Valued() {
			return false
		}
		for _, c := range r.Columns {
			if c.Domain == nil || c.Domain.Size > mostDense {
				return false
			}
		}
	}
	for _, n := range s.each {
		if n.turning = n.turningOf(s); n.turning == noTurning {
			return false
		}
	}
	return true
}

func (n *nest) turningOf(s *stratum) turning {
	from := &n.steps[0]
	if n.kind != rows || from.kind != scan || len(from.out) != 2 || len(from.same) > 0 || len(n.steps) > 2 {
		return noTurning
	}
	a, aok := variable(&n.rule.Head[0])
	b, bok := variable(&n.rule.Head[1])
	if !aok || !bok {
		return noTurning
	}
	x, y := from.out[0].reg, from.out[1].reg
	if len(n.steps) == 1 {
		switch {
		case a == x && b == y:
			return copies
		case a == y && b == x:
			return swaps
		}
		return noTurning
	}
	to := &n.steps[1]
	if to.kind != probe || s.inside[to.rel] || to.index < 0 || len(to.key) != 1 || len(to.out) != 1 || len(to.same) > 0 || to.value >= 0 || to.check >= 0 {
		return noTurning
	}
	w := to.out[0].reg
	switch key := to.key[0]; {
	case key == x && a == w && b == y:
		return spreads
	case key == y && a == x && b == w:
		return follows
	case key == x && a == y && b == w:
		return turns
	case key == y && a == w && b == x:
		return returns
	}
	return noTurning
}

// frontier is the pairs of a relation that are new, and those that the next round gets;
// of both, a bit for each row that has some.
type frontier struct {
	words         int // of a row
	new, next     []uint64
	active, after []uint64
}

// bytesOf is what a frontier takes.
func (s *store) bytesOf() uint64 { return 16 * uint64(s.words()+tensor.Words(s.size[0])) }

// dense runs a stratum on bits, unless it is sparse, or lists or memory are missing.
func (r *run) dense(st *stratum) bool {
	size, given, bytes := 0, 0, uint64(0)
	for _, i := range st.Relations {
		s := &r.stores[i]
		if s.bits == nil {
			return false
		}
		size += s.size[0]
		given += s.n
		bytes = tensor.SatAdd(bytes, s.bytesOf())
	}
	r.prepare(st, st.each)
	for _, n := range st.each {
		if len(n.steps) > 1 {
			s := &r.stores[n.steps[1].rel]
			if given += s.n; s.index[n.steps[1].index].ptr == nil {
				return false
			}
		}
	}
	if 2*given < size || !r.room(bytes) {
		return false
	}
	r.take(bytes)
	fronts := make(map[int]*frontier, len(st.Relations))
	for _, i := range st.Relations {
		s := &r.stores[i]
		f := &frontier{words: tensor.Words(s.size[1])}
		f.new, f.next = make([]uint64, len(s.bits)), make([]uint64, len(s.bits))
		f.active, f.after = make([]uint64, tensor.Words(s.size[0])), make([]uint64, tensor.Words(s.size[0]))
		for k := range s.n {
			x, y := s.cells[2*k], s.cells[2*k+1]
			f.new[int(x)*f.words+int(y>>6)] |= 1 << (y & 63)
			f.active[x>>6] |= 1 << (x & 63)
		}
		s.cells, fronts[i] = nil, f
	}
	for fresh := true; fresh; {
		for _, n := range st.each {
			r.nest, r.rule, r.rel = n, n.rule, n.rule.Rel
			r.through(n, fronts[n.steps[0].rel], fronts[r.rel])
		}
		fresh = false
		for _, i := range st.Relations {
			r.rel = i
			if r.advance(&r.stores[i], fronts[i]) {
				fresh = true
			}
		}
	}
	for _, i := range st.Relations {
		r.stores[i].whole = true
		r.finish(i)
	}
	r.rel, r.rule = -1, nil
	return true
}

// advance makes what a round gave that is not there yet what is new.
func (r *run) advance(s *store, f *frontier) (fresh bool) {
	r.work(uint64(len(f.after)))
	for x := range tensor.Ones(f.active) {
		clear(f.new[x*f.words : (x+1)*f.words])
	}
	clear(f.active)
	for x := range tensor.Ones(f.after) {
		r.work(uint64(f.words))
		next, has := f.next[x*f.words:(x+1)*f.words], s.bits[x*f.words:(x+1)*f.words]
		added := 0
		for k, w := range next {
			w &^= has[k]
			next[k] = w
			has[k] |= w
			added += bits.OnesCount64(w)
		}
		if s.n += added; added == 0 {
			f.after[x>>6] &^= 1 << (x & 63)
		} else {
			fresh = true
		}
	}
	f.new, f.next, f.active, f.after = f.next, f.new, f.after, f.active
	return fresh
}

// through runs a rule on the pairs that are new in from.
func (r *run) through(n *nest, from, to *frontier) {
	var ptr, rows []uint32
	w, col := 0, 0
	if len(n.steps) > 1 {
		st := &n.steps[1]
		s := &r.stores[st.rel]
		ptr, rows, w, col = s.index[st.index].ptr, s.index[st.index].rows, s.width, st.out[0].col
	}
	set := func(a, b uint32) {
		to.next[int(a)*to.words+int(b>>6)] |= 1 << (b & 63)
		to.after[a>>6] |= 1 << (a & 63)
	}
	r.work(uint64(len(from.active)))
	for row := range tensor.Ones(from.active) {
		x := uint32(row)
		list := from.new[row*from.words : (row+1)*from.words]
		r.work(uint64(from.words))
		switch n.turning {
		case copies:
			or(to.next[row*to.words:], list)
			to.after[x>>6] |= 1 << (x & 63)
		case spreads:
			of := rows[int(ptr[x])*w : int(ptr[x+1])*w]
			many := 0
			for _, word := range list {
				many += bits.OnesCount64(word)
			}
			r.work(uint64(len(of)/w) * uint64(min(many, from.words)))
			for at := col; at < len(of); at += w {
				if a := of[at]; many < from.words {
					for y := range tensor.Ones(list) {
						set(a, uint32(y))
					}
				} else {
					or(to.next[int(a)*to.words:], list)
					to.after[a>>6] |= 1 << (a & 63)
				}
			}
		case follows:
			out := to.next[row*to.words : (row+1)*to.words]
			for k, word := range list {
				for ; word != 0; word &= word - 1 {
					y := k<<6 + bits.TrailingZeros64(word)
					of := rows[int(ptr[y])*w : int(ptr[y+1])*w]
					r.work(uint64(1 + len(of)/w))
					for at := col; at < len(of); at += w {
						out[of[at]>>6] |= 1 << (of[at] & 63)
					}
				}
			}
			to.after[x>>6] |= 1 << (x & 63)
		default:
			for y := range tensor.Ones(list) {
				r.work(1)
				key := x
				switch n.turning {
				case swaps:
					set(uint32(y), x)
					continue
				case returns:
					key = uint32(y)
				}
				of := rows[int(ptr[key])*w : int(ptr[key+1])*w]
				r.work(uint64(len(of) / w))
				for at := col; at < len(of); at += w {
					if n.turning == returns {
						set(of[at], x)
					} else {
						set(uint32(y), of[at])
					}
				}
			}
		}
	}
}

// or adds the bits of a row to another.
func or(to, from []uint64) {
	to = to[:len(from)]
	for k, w := range from {
		to[k] |= w
	}
}
