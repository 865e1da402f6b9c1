package engine

import (
	"slices"

	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// closure is a stratum of pairs that are made by following steps. The first pairs come from other
// rules; then steps follow them (left) or lead up to them (right). What becomes of it depends on
// who reads it (asked): all pairs on rows of bits, by the kernel of tc; a search for each cell that
// readers know; or its strongly connected components alone.
type closure struct {
	rel   int
	step  int // the relation of the steps; rel if its own pairs are the steps
	right bool
	base  int  // the relation that has the first pairs, if it is one and nothing else gives some, or -1
	same  bool // the first pairs are the steps, nothing else
	// The column whose cell all readers know: then there is a search only for the cells
	// that they ask for. It is -1 if some reader does not know one.
	by    int
	bits  bool // all pairs fit into bits
	loops bool // all readers ask which cells lead to themselves: those of a component with a cycle
	tells bool // some ask whether a pair is there, which the components of its cells may tell
}

// closureOf recognises a closure: one relation of pairs over one domain, whose recursive rules are
// all of one kind of link with the same relation of steps. nil is none. Spellings with a longer
// body have this form after rewrite.
func closureOf(p *rel.Program, s *stratum) *closure {
	if !s.Recursive || len(s.Relations) != 1 || !square(&p.Relations[s.Relations[0]]) {
		return nil
	}
	c := &closure{rel: s.Relations[0], step: -1, base: -1, by: -1}
	kind := noLink
	var first []*rel.Rule
	for _, i := range s.Rules {
		r := &p.Rules[i]
		if own(r) < 0 {
			first = append(first, r)
			continue
		}
		k, from, to := linkOf(r)
		if k == noLink || kind != noLink && k != kind || k != double && !isStep(p, r, from, to) {
			return nil
		}
		kind = k
		if k == double {
			c.step = c.rel
			continue
		}
		other := slices.IndexFunc(r.Body, func(l rel.Literal) bool { return l.Rel != c.rel })
		if l := &r.Body[other]; c.step >= 0 && c.step != l.Rel {
			return nil
		}
		c.step = r.Body[other].Rel
	}
	c.right = kind == right
	own := &p.Relations[c.rel]
	if len(first) == 1 && own.Facts == nil && own.Source == rel.NoSource {
		if isPair(p, first[0]) {
			c.base = first[0].Body[0].Rel
		}
		c.same = c.base == c.step
	}
	n := own.Columns[0].Domain.Size
	c.bits = n*tensor.Words(n)*64 <= mostBits
	return c
}

// paths reports whether the pairs are the ends of paths of one step or more.
func (c *closure) paths() bool { return c.same || c.step == c.rel }

// asked finds the column of each closure whose cell all of its readers know, and closures of paths
// of which they read only the cells that lead to themselves, or pairs of which they know both. It
// looks at the steps that read a closure rather than at literals, since the order of the steps
// decides which cells are known.
func (pl *Plan) asked(proof bool) {
	type reading struct {
		known        [2]bool
		loops, tells bool
	}
	readers := map[int]*reading{}
	for i := range pl.strata {
		if c := pl.strata[i].closure; c != nil && !pl.reads(c.rel) {
			readers[c.rel] = &reading{[2]bool{true, true}, c.paths() && !proof, false}
		}
	}
	for i := range pl.strata { // the steps of another closure are all read
		if c := pl.strata[i].closure; c != nil && c.step != c.rel {
			delete(readers, c.step)
		}
	}
	for i := range pl.strata {
		st := &pl.strata[i]
		for _, n := range slices.Concat(st.once, st.each) {
			for k := range n.steps {
				t := &n.steps[k]
				reads := readers[t.rel]
				if reads == nil || t.lit == nil || t.lit.Kind > rel.Not || st.inside[t.rel] {
					continue
				}
				reads.loops = reads.loops && isLoop(t.lit)
				reads.tells = reads.tells || (t.kind == find || t.kind == absent) && t.lit.Terms[0].Kind == rel.Variable && t.lit.Terms[1].Kind == rel.Variable
				for d := range reads.known {
					reads.known[d] = reads.known[d] && (t.kind == find || t.kind == absent || t.kind != scan && t.index >= 0 && slices.Contains(pl.index[t.rel][t.index].cols, d))
				}
			}
		}
	}
	for i := range pl.strata {
		c := pl.strata[i].closure
		if c == nil || readers[c.rel] == nil {
			continue
		}
		switch reads := readers[c.rel]; {
		case reads.loops:
			c.loops, c.bits = true, false
		case reads.known[0]:
			c.by, c.tells = 0, reads.tells && c.paths() && !proof
		case reads.known[1]:
			c.by, c.tells = 1, reads.tells && c.paths() && !proof
		}
	}
}

// search makes the pairs of a closure when they are asked for. The pairs with one cell in column by
// follow one another in the store, in the order in which they were found, from start-1 to end. With
// seeds a search from x takes the first pairs of x and follows steps from their ends, as P(x, z) <-
// P(x, y), Step(y, z) does when x is known. Without, it follows steps from x and takes the first
// pairs of each cell that it reaches, as P(x, z) <- Step(x, y), P(y, z) does.
type search struct {
	by          int
	seeds       bool // the first pairs of a cell come first, then steps; else the other way round
	first, step *adjacency
	start, end  []uint32 // of each cell, plus 1
	seen        []uint64
	queue       []uint32
	part        []int32 // nil, or of each cell: its component, see tell
	cyclic      []uint64
}

// adjacency lists the cells that pairs lead to, by the cell that they come from.
type adjacency struct {
	ptr  []uint32
	list []uint32
}

func (a *adjacency) of(x uint32) []uint32 { return a.list[a.ptr[x]:a.ptr[x+1]] }

// adjacent lists pairs by column d, with a counting sort, so that a list has the order of the
// store.
func (r *run) adjacent(s *store, d int) *adjacency {
	n := s.size[0]
	r.work(uint64(n + s.n))
	r.take(4 * uint64(n+1+s.n))
	a := &adjacency{make([]uint32, n+1), make([]uint32, s.n)}
	for i := d; i < 2*s.n; i += 2 {
		a.ptr[s.cells[i]+1]++
	}
	tensor.SumUp(a.ptr)
	for i := 0; i < 2*s.n; i += 2 {
		at := &a.ptr[s.cells[i+d]]
		a.list[*at] = s.cells[i+1-d]
		*at++
	}
	// Each start has moved to the end of its list, where the next one starts.
	copy(a.ptr[1:], a.ptr)
	a.ptr[0] = 0
	return a
}

// close computes a closure, or prepares the search that its readers start.
func (r *run) close(st *stratum) {
	c := st.closure
	s := &r.stores[c.rel]
	r.rel = c.rel
	first := &r.stores[c.step]
	if !c.same {
		r.members(s)
		r.prepare(st, st.once)
		for _, n := range st.once {
			r.do(n)
		}
		// What there is by now are the first pairs. The closure gets an empty store, and keeps its
		// indexes.
		base := *s
		base.hi = base.n
		*s = store{width: 2, size: base.size, index: base.index}
		first = &base
	}
	step := first
	if c.step != c.rel {
		step = &r.stores[c.step]
	}
	r.expand(step)
	if c.loops {
		r.loops(s, step)
		s.hi = s.n
		return
	}
	// Where all pairs are asked for (-1), searches begin on the side where first pairs come first.
	by := c.by
	if by < 0 {
		if by = 0; c.right && !c.same {
			by = 1
		}
		if c.bits && r.closeBits(c, s, first, step, by) {
			return
		}
	}
	q := &search{by: by, seeds: c.same || c.step == c.rel || c.right == (by == 1)}
	q.step = r.adjacent(step, by)
	if q.first = q.step; first != step {
		q.first = r.adjacent(first, by)
	}
	n := s.size[0]
	r.take(8*uint64(n) + 8*uint64(tensor.Words(n)))
	q.start, q.end, q.seen = make([]uint32, n), make([]uint32, n), make([]uint64, tensor.Words(n))
	if c.tells {
		q.part, q.cyclic = r.condense(step)
	}
	s.search = q
	if r.member[c.rel] {
		r.members(s)
	}
	if c.by >= 0 {
		return
	}
	for x := range n {
		r.pairs(s, uint32(x))
	}
	s.search = nil
	s.hi = s.n
}

// loops makes the pairs of a closure in which a cell leads to itself.
func (r *run) loops(s, step *store) {
	_, cyclic := r.condense(step)
	for x := range tensor.Ones(cyclic) {
		if row := []uint32{uint32(x), uint32(x)}; s.bits != nil || s.hash != nil {
			r.add(s, row)
		} else {
			r.push(s, row)
		}
	}
}

// condense numbers the components of steps, of which none leads to one of a higher number, and finds the
// cells that lead to themselves.
func (r *run) condense(step *store) (part []int32, cyclic []uint64) {
	n := step.size[0]
	cost := kernel.SCCCSRCost(n, step.n)
	if r.ctl.Limit > 0 && tensor.SatAdd(r.ctl.Ops, cost.Ops) > r.ctl.Limit {
		r.work(cost.Ops)
	}
	r.take(8*cost.W + 4*(cost.I+2*uint64(n)) + 8*uint64(tensor.Words(n)))
	graph, part := r.csr(step, 0), make([]int32, n)
	count, scratch := 0, kernel.Scratch{W: make([]uint64, cost.W), I: make([]int32, cost.I)}
	if !kernel.Finished(func() { count = kernel.CondenseCSR(r.ctl, part, graph, scratch) }) {
		r.look()
	}
	r.work(uint64(2*n + step.n))
	size, cyclic := make([]int32, count), make([]uint64, tensor.Words(n))
	for _, k := range part {
		size[k]++
	}
	for x, k := range part {
		if size[k] > 1 || slices.Contains(graph.Row(x), int32(x)) {
			cyclic[x>>6] |= 1 << (x & 63)
		}
	}
	return part, cyclic
}

// tell says whether a pair is in a closure, as far as the components of its cells tell: cells of
// one component lead to each other, and none leads to a component of a higher number. Of a lower
// one it may, so only a search tells.
func (q *search) tell(x, y uint32) (is, known bool) {
	switch {
	case q.part == nil || int(max(x, y)) >= len(q.part):
		return false, false
	case x == y:
		return q.cyclic[x>>6]>>(x&63)&1 != 0, true
	}
	return q.part[x] == q.part[y], q.part[x] <= q.part[y]
}

// pairs is the range of the pairs with a cell, which it searches for the first time.
func (r *run) pairs(s *store, x uint32) (start, end int) {
	q := s.search
	if int(x) >= len(q.start) {
		return 0, 0
	}
	if q.start[x] > 0 {
		return int(q.start[x]) - 1, int(q.end[x])
	}
	r.work(1)
	start = s.n
	var row [2]uint32
	row[q.by] = x
	// Rows are entered in a table only if somebody looks single ones up; a search finds each pair
	// once anyway.
	asked := s.bits != nil || s.hash != nil
	found := func(list []uint32) {
		r.work(uint64(len(list)) + 1)
		for _, y := range list {
			if q.seen[y>>6]>>(y&63)&1 != 0 {
				continue
			}
			q.seen[y>>6] |= 1 << (y & 63)
			if row[1-q.by] = y; asked {
				r.add(s, row[:])
			} else {
				r.push(s, row[:])
			}
		}
	}
	if q.seeds { // steps lead on from the pairs that are there, which serve as the queue
		found(q.first.of(x))
		for i := start; i < s.n; i++ {
			found(q.step.of(s.cells[2*i+1-q.by]))
		}
	} else { // steps lead to cells, and first pairs on from each
		q.queue = append(q.queue[:0], x)
		q.seen[x>>6] |= 1 << (x & 63)
		for i := 0; i < len(q.queue); i++ {
			list := q.step.of(q.queue[i])
			r.work(uint64(len(list)) + 1)
			for _, y := range list {
				if q.seen[y>>6]>>(y&63)&1 == 0 {
					q.seen[y>>6] |= 1 << (y & 63)
					if len(q.queue) == cap(q.queue) {
						q.queue = grow(r, q.queue, 1)
					}
					q.queue = append(q.queue, y)
				}
			}
		}
		for _, y := range q.queue {
			q.seen[y>>6] &^= 1 << (y & 63)
		}
		for _, u := range q.queue {
			found(q.first.of(u))
		}
	}
	for i := start; i < s.n; i++ {
		y := s.cells[2*i+1-q.by]
		q.seen[y>>6] &^= 1 << (y & 63)
	}
	q.start[x], q.end[x] = uint32(start)+1, uint32(s.n)
	return start, s.n
}

// closeBits computes all pairs by the closure kernel, unless that might exceed the limit of
// operations: a search for each cell is counted as it goes, and stops exactly there.
func (r *run) closeBits(c *closure, s, first, step *store, by int) bool {
	n := s.size[0]
	cost := kernel.ClosureCSRCost(n, step.n)
	words := uint64(tensor.Words(n))
	ops := tensor.SatAdd(cost.Ops, (uint64(first.n)+2*uint64(n))*words)
	if r.ctl.Limit > 0 && tensor.SatAdd(r.ctl.Ops, ops) > r.ctl.Limit {
		return false
	}
	r.take(8*(cost.F+cost.W) + 4*cost.I)
	scratch := kernel.Scratch{F: make([]float64, cost.F), W: make([]uint64, cost.W), I: make([]int32, cost.I)}
	graph := r.csr(step, by)
	all := r.newBits(n)
	if !kernel.Finished(func() { kernel.ClosureCSR(r.ctl, all, graph, scratch) }) {
		r.look()
	}
	// Where the first pairs are the steps, the closure of the steps is all. Otherwise each first
	// pair (x, y) adds the row of y to that of x.
	same := c.same || c.step == c.rel
	if !same && first.n == step.n {
		r.members(step)
		same = true
		for i := 0; same && i < first.n; i++ {
			r.work(1)
			same = step.find(first.row(i)) >= 0
		}
	}
	if !same {
		out := r.newBits(n)
		for i := range first.n {
			r.work(words)
			row := first.row(i)
			x, y := int(row[by]), int(row[1-by])
			out.Set(x, y)
			to := out.Row(x)
			for k, w := range all.Row(y) {
				to[k] |= w
			}
		}
		all = out
	}
	if by == 1 {
		out := r.newBits(n)
		if !kernel.Finished(func() { kernel.BitsTranspose(r.ctl, out, all) }) {
			r.look()
		}
		all = out
	}
	r.work(uint64(len(all.W)))
	s.n += r.ctl.Tier.PopAnd(all.W, all.W)
	s.bits, s.lent, s.whole, s.hi = all.W, false, true, s.n
	return true
}

func (r *run) newBits(n int) tensor.Bits {
	r.take(8 * uint64(n) * uint64(tensor.Words(n)))
	return tensor.NewBits(n, n)
}

// csr is pairs as a sparse matrix, from column d to the other. Kernels want the columns of a row in
// order: taking the pairs by their ends first puts them in it, without a sort of each row.
func (r *run) csr(s *store, d int) tensor.CSR {
	back := r.adjacent(s, 1-d)
	n := s.size[0]
	r.work(uint64(n + s.n))
	r.take(4 * uint64(n+1+s.n))
	m := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, s.n)}
	for i := d; i < 2*s.n; i += 2 {
		m.Ptr[s.cells[i]+1]++
	}
	tensor.SumUp(m.Ptr)
	for y := range n { // in the order of the columns
		for _, x := range back.of(uint32(y)) {
			m.Idx[m.Ptr[x]] = int32(y)
			m.Ptr[x]++
		}
	}
	copy(m.Ptr[1:], m.Ptr)
	m.Ptr[0] = 0
	return m
}

// expand makes cells for a store that has only bits.
func (r *run) expand(s *store) {
	if !s.whole {
		return
	}
	n := s.n
	s.whole, s.n = false, 0
	r.work(uint64(n) + uint64(len(s.bits)))
	s.cells = grow(r, s.cells, 2*n)
	stride := tensor.Words(s.size[1])
	for x := range s.size[0] {
		for y := range tensor.Ones(s.bits[x*stride : (x+1)*stride]) {
			s.cells = append(s.cells, uint32(x), uint32(y))
		}
	}
	s.n = n
}
