package engine

import (
	"math/bits"
	"slices"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// A recursion over pairs, each rule of which takes one new pair through a list at most, is
// done on rows of bits. Where a rule leaves the second cell alone a whole row goes at once,
// new pairs are told from old ones by the word, and no pair is written down on its own: same
// generation on a tree takes a tenth of the time. Letting the second cell go by whole rows too,
// in a transpose, was tried where many pairs are new: the transposes cost what the bits save.

// turning is what a rule makes of a new pair (x, y) and of the cells w in the list of x or y: the
// places in (x, y, w) of the cell that selects the list, and of the pair that it makes.
type turning struct{ key, a, b int }

// mostDense is the size of a domain up to which looking at a row of bits costs no more than joining
// a few pairs.
const mostDense = 8192

// isDense reports whether a stratum can be evaluated on rows of bits.
func isDense(p *rel.Program, s *stratum) bool {
	for _, i := range s.Relations {
		r := &p.Relations[i]
		if len(r.Columns) != 2 || r.Valued() {
			return false
		}
		if slices.ContainsFunc(r.Columns, func(c tensor.Column) bool { return c.Domain == nil || c.Domain.Size > mostDense }) {
			return false
		}
	}
	return s.Recursive && !slices.ContainsFunc(s.each, func(n *nest) bool { return !n.turns(p, s) })
}

// turns reports whether a rule does what turning can say, and sets n.turning. It must start from
// a pair, and take at most one list of a relation outside the stratum, one without values.
func (n *nest) turns(p *rel.Program, s *stratum) bool {
	from := &n.steps[0]
	if n.kind != rows || from.kind != scan || len(from.out) != 2 || len(from.same) > 0 || len(n.steps) > 2 {
		return false
	}
	cells := [3]int{from.out[0].reg, from.out[1].reg, -1}
	place := func(v int, ok bool) int {
		if !ok {
			return -1
		}
		return slices.Index(cells[:], v)
	}
	t := &n.turning
	if t.key = -1; len(n.steps) == 2 {
		to := &n.steps[1]
		if to.kind != probe || s.inside[to.rel] || to.index < 0 || len(to.key) != 1 || len(to.out) != 1 || len(to.same) > 0 || valued(&p.Relations[to.rel]) {
			return false
		}
		if t.key = place(to.key[0], true); t.key < 0 {
			return false
		}
		cells[2] = to.out[0].reg
	}
	t.a, t.b = place(variable(&n.rule.Head[0])), place(variable(&n.rule.Head[1]))
	return t.a >= 0 && t.b >= 0
}

// frontier holds the pairs of a relation that are new in this round, and those that its rules make
// for the next, as rows of bits. Bits of two further levels say where they are: of each row,
// whether it has some (active of new, after of next), and of each word of a row, whether it has
// some (has of new, gets of next). If few pairs are new in a round, looking for them word by word
// would take longer than everything else. A bit of after or gets may be set where nothing new comes
// of it; advance clears it.
type frontier struct {
	words, spans  int // of a row, and of the bits for those
	new, next     []uint64
	active, after []uint64
	has, gets     []uint64

	made [mostMade]int // rows plus 1 for which the results of a rule are kept, each with a row of of
	of   []uint64
}

// mostMade is for how many rows the results of a rule are kept. Siblings in a tree, and all nodes
// with the same neighbours, have equal rows.
const mostMade = 64

// frontierWords is how many words a frontier takes.
func (s *store) frontierWords() int {
	words := tensor.Words(s.size[1])
	return 2*(s.words()+tensor.Words(s.size[0])+s.size[0]*tensor.Words(words)) + mostMade*words
}

// dense evaluates a stratum on bits. It declines if the relations are sparse, or lists or memory
// are missing.
func (r *run) dense(st *stratum) bool {
	// Sparse is fewer than one row for two nodes, those of the lists that rules follow included.
	size, given, words := 0, 0, 0
	for _, i := range st.Relations {
		s := &r.stores[i]
		if s.bits == nil {
			return false
		}
		size += s.size[0]
		given += s.n
		words += s.frontierWords()
	}
	r.prepare(st, st.each)
	for _, n := range st.each {
		if n.turning.key >= 0 {
			to := &n.steps[1]
			s := &r.stores[to.rel]
			if given += s.n; s.index[to.index].ptr == nil {
				return false
			}
		}
	}
	if 2*given < size || !r.room(8*uint64(words)) {
		return false
	}
	r.take(8 * uint64(words))
	// All that the rounds need is cut from one piece of memory, so that they allocate nothing.
	room := make([]uint64, words)
	piece := func(n int) (list []uint64) {
		list, room = room[:n], room[n:]
		return list
	}
	for _, i := range st.Relations {
		s := &r.stores[i]
		all, some := len(s.bits), tensor.Words(s.size[0])
		f := &frontier{words: tensor.Words(s.size[1]), new: piece(all), next: piece(all), active: piece(some), after: piece(some)}
		f.of, f.spans = piece(mostMade*f.words), tensor.Words(f.words)
		f.has, f.gets = piece(s.size[0]*f.spans), piece(s.size[0]*f.spans)
		copy(f.new, s.bits)
		for x := range s.size[0] {
			f.active[x>>6] |= 1 << (x & 63)
			for k, word := range f.new[x*f.words : (x+1)*f.words] {
				if word != 0 {
					f.has[x*f.spans+k>>6] |= 1 << (k & 63)
				}
			}
		}
		s.front, s.cells = f, nil
	}
	for fresh := true; fresh; {
		for _, n := range st.each {
			r.nest, r.rule, r.rel = n, n.rule, n.rule.Rel
			r.through(n, r.stores[n.steps[0].rel].front, r.stores[r.rel].front)
		}
		fresh = false
		for _, i := range st.Relations {
			r.rel = i
			added := r.advance(&r.stores[i])
			fresh = fresh || added > 0
		}
	}
	for _, i := range st.Relations {
		r.stores[i].whole, r.stores[i].front = true, nil
		r.finish(i)
	}
	r.rel, r.rule = -1, nil
	return true
}

// advance ends a round: what it made and is not there yet becomes new. What was new is done with;
// its memory, of which only the words in use are cleared, is what the next round makes pairs in.
func (r *run) advance(s *store) (added int) {
	f := s.front
	r.work(uint64(len(f.after)))
	for x := range tensor.Ones(f.active) {
		span := f.has[x*f.spans : (x+1)*f.spans]
		for k := range tensor.Ones(span) {
			f.new[x*f.words+k] = 0
		}
		clear(span)
	}
	clear(f.active)
	for x := range tensor.Ones(f.after) {
		r.work(uint64(f.words))
		next, span := f.next[x*f.words:(x+1)*f.words], f.gets[x*f.spans:(x+1)*f.spans]
		has := s.bits[x*f.words:][:len(next)]
		before := added
		for k := range tensor.Ones(span) {
			w := next[k] &^ has[k]
			if next[k] = w; w == 0 {
				span[k>>6] &^= 1 << (k & 63)
			}
			has[k] |= w
			added += bits.OnesCount64(w)
		}
		if added == before {
			f.after[x>>6] &^= 1 << (x & 63)
		}
	}
	s.n += added
	f.new, f.next, f.active, f.after, f.has, f.gets = f.next, f.new, f.after, f.active, f.gets, f.has
	return added
}

// passage is a rule on its way through the new pairs of a row.
type passage struct {
	turning
	lists     *index
	width, at int      // of a row of a list, and where in it the cell w is
	list      []uint32 // if the second cell of a pair selects none
	to        *frontier
	row       int
	new, has  []uint64 // the row, and the bits for its words
}

// through runs a rule on the pairs that are new in from. How depends on the place of each cell (see
// turning):
//   - The second cell stays what it is (b is 1), and does not select the list: whole rows move
//     (whole).
//   - Pairs (x, w) stay in their row (a is 0, b is 2): they are put into this row (single with
//     line). If the second cell selects the list (key is 1) and many are new, equal rows share what
//     comes of them (same).
//   - All others go pair by pair, each into the row it belongs to (single).
func (r *run) through(n *nest, from, to *frontier) {
	p := passage{turning: n.turning, width: 1, list: []uint32{0}, to: to} // without a list there is one binding
	if p.key >= 0 {
		st := &n.steps[1]
		s := &r.stores[st.rel]
		p.lists, p.width, p.at = s.index[st.index], s.width, st.out[0].col
	}
	clear(to.made[:])
	r.work(uint64(len(from.active)))
	for row := range tensor.Ones(from.active) {
		p.row, p.new, p.has = row, from.new[row*from.words:(row+1)*from.words], from.has[row*from.spans:(row+1)*from.spans]
		r.work(uint64(from.words))
		if p.key == 0 {
			p.list = p.lists.list(uint32(row), p.width)
		}
		if p.key != 1 && p.a != 1 && p.b == 1 {
			r.whole(&p)
			continue
		}
		if p.a == 0 {
			to.after[row>>6] |= 1 << (row & 63)
		}
		if p.a != 0 || p.b != 2 {
			r.single(&p, nil, nil)
			continue
		}
		line, gets := to.next[row*to.words:][:to.words], to.gets[row*to.spans:]
		many := 0
		for k := range tensor.Ones(p.has) {
			many += bits.OnesCount64(p.new[k])
		}
		if p.key != 1 || many < from.words {
			r.single(&p, line, gets)
			continue
		}
		// Only second cells select lists: equal rows have equal results, which are kept as they take
		// longer than to find out.
		r.work(2 * uint64(from.words))
		result, known := from.same(to, row, p.new)
		if !known {
			r.single(&p, result, gets)
		}
		for k, word := range result {
			if word != 0 {
				line[k] |= word
				gets[k>>6] |= 1 << (k & 63)
			}
		}
	}
}

// whole is for a rule that leaves second cells where they are: the row goes to every first cell at
// once.
func (r *run) whole(p *passage) {
	used := 0
	for _, word := range p.has {
		used += bits.OnesCount64(word)
	}
	r.work(uint64(len(p.list) / p.width * used))
	cell := [3]uint32{uint32(p.row)}
	for at := p.at; at < len(p.list); at += p.width {
		cell[2] = p.list[at]
		a := int(cell[p.a])
		next, gets := p.to.next[a*p.to.words:][:len(p.new)], p.to.gets[a*p.to.spans:]
		if 2*used > len(p.new) {
			for k, word := range p.new {
				next[k] |= word
			}
		} else {
			for k := range tensor.Ones(p.has) {
				next[k] |= p.new[k]
			}
		}
		for k, word := range p.has {
			gets[k] |= word
		}
		p.to.after[a>>6] |= 1 << (a & 63)
	}
}

// single goes from pair to pair. If the rule makes pairs in its own row only, of the cells w, they are
// put into line, and gets is told.
func (r *run) single(p *passage, line, gets []uint64) {
	to, list := p.to, p.list
	cell, ops := [3]uint32{uint32(p.row)}, uint64(0)
	for k := range tensor.Ones(p.has) {
		for word := p.new[k]; word != 0; word &= word - 1 {
			y := uint32(k<<6 + bits.TrailingZeros64(word))
			if p.key == 1 {
				list = p.lists.list(y, p.width)
			}
			if ops += uint64(1 + len(list)/p.width); ops >= 1<<10 { // a call for each would take a sixth of the time
				r.work(ops)
				ops = 0
			}
			if line != nil {
				for at := p.at; at < len(list); at += p.width {
					b := list[at]
					line[b>>6] |= 1 << (b & 63)
					gets[b>>12] |= 1 << (b >> 6 & 63)
				}
				continue
			}
			cell[1] = y
			for at := p.at; at < len(list); at += p.width {
				cell[2] = list[at]
				a, b := cell[p.a], cell[p.b]
				to.next[int(a)*to.words+int(b>>6)] |= 1 << (b & 63)
				to.gets[int(a)*to.spans+int(b>>12)] |= 1 << (b >> 6 & 63)
				to.after[a>>6] |= 1 << (a & 63)
			}
		}
	}
	r.work(ops)
}

// same is where the results of a rule on a row go; known says that an equal row has left them
// there.
func (f *frontier) same(to *frontier, row int, new []uint64) (result []uint64, known bool) {
	h := uint64(0)
	for _, word := range new {
		h = (h ^ word) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	slot := int(h % mostMade)
	result = to.of[slot*to.words : (slot+1)*to.words]
	if q := to.made[slot] - 1; q >= 0 && slices.Equal(f.new[q*f.words:(q+1)*f.words], new) {
		return result, true
	}
	to.made[slot] = row + 1
	clear(result)
	return result, false
}
