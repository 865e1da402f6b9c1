package engine

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// isBest reports whether all rules of a stratum make values of one fold, each from one value. Then
// Dijkstra's algorithm applies: as long as no rule improves a value on its way, the best value of
// all is final, and each key is taken from a heap once (Knuth, A Generalization of Dijkstra's
// Algorithm, 1977). Whether a rule does improve one depends on the data, so a run finds out on its
// way.
func isBest(p *rel.Program, s *stratum) bool {
	if !s.Recursive {
		return false
	}
	fold := p.Relations[s.Relations[0]].Fold
	if fold == rel.NoAgg || slices.ContainsFunc(s.Relations, func(i int) bool { return p.Relations[i].Fold != fold }) {
		return false
	}
	for k, n := range s.each {
		// A second nest of the same rule: it takes two values of the stratum.
		if k > 0 && s.each[k-1].rule == n.rule {
			return false
		}
	}
	return true
}

// item is a value that a key had, in the order of values. It is stale once the key has a better
// one.
type item struct {
	order    uint64 // see kernel.SortKey
	rel, key uint32
	next     int32 // on its step
}

// ladder gives items in order, provided that no new one comes below the last that it gave: a radix
// heap (Ahuja, Mehlhorn, Orlin, Tarjan: Faster Algorithms for the Shortest Path Problem) by digits of
// four bits. A step has the items whose first digit that differs from the last is at one place, and has
// one value; those that equal the last are on step 0.
type ladder struct {
	last  uint64
	items []item
	step  [1 + 16*ladderDigits]int32 // the first item of each, plus 1
	free  int32                      // likewise
}

// ladderDigits is how many digits an order has. An item moves once for each at most.
const ladderDigits = 16

// at is the step of an order: those of later places and of smaller digits come first.
func (l *ladder) at(order uint64) *int32 {
	if order == l.last {
		return &l.step[0]
	}
	place := uint(bits.Len64(order^l.last)-1) / 4
	return &l.step[1+16*place+uint(order>>(4*place)&15)]
}

// climb puts a value on the ladder; its order must not be below the last. An item that was given
// is used again, so the ladder takes the memory of its largest size.
func (r *run) climb(l *ladder, order uint64, rel, key uint32) {
	at := l.free
	if at > 0 {
		l.free = l.items[at-1].next
	} else {
		if len(l.items) == cap(l.items) {
			size := max(64, 2*cap(l.items))
			r.take(24 * uint64(size))
			l.items = append(make([]item, 0, size), l.items...)
		}
		l.items = append(l.items, item{})
		at = int32(len(l.items))
	}
	step := l.at(order)
	l.items[at-1] = item{order, rel, key, *step}
	*step = at
}

// lowest takes the first item that is still live out of a ladder, if there is one.
func (r *run) lowest(l *ladder, live func(*item) bool) (x item, ok bool) {
	for {
		for l.step[0] > 0 {
			at := l.step[0]
			x := &l.items[at-1]
			l.step[0], x.next, l.free = x.next, l.free, at
			if live(x) {
				return *x, true
			}
		}
		k := slices.IndexFunc(l.step[:], func(at int32) bool { return at > 0 })
		if k < 0 {
			return item{}, false
		}
		// Those of the lowest step that are live go further down: they agree with the lowest of
		// them in one more leading digit at least.
		kept, low := int32(0), uint64(math.MaxUint64)
		for at := l.step[k]; at > 0; {
			x := &l.items[at-1]
			next := x.next
			if r.work(2); live(x) {
				low = min(low, x.order)
				x.next, kept = kept, at
			} else {
				x.next, l.free = l.free, at
			}
			at = next
		}
		l.step[k] = 0
		for l.last = low; kept > 0; {
			x := &l.items[kept-1]
			step := l.at(x.order)
			kept, x.next, *step = x.next, *step, kept
		}
	}
}

// best takes keys from a ladder, the best value first. If a value gets better than one that was
// taken before, it gives up, and rounds go on from there. The ladder holds an item for each
// improvement; one whose key has a better value by now is stale, and passed over when it is
// reached.
func (r *run) best(st *stratum) bool {
	sign := 1.0
	if r.p.Relations[st.Relations[0]].Fold == rel.Max {
		sign = -1
	}
	order := func(s *store, k uint32) uint64 { return kernel.SortKey(sign * s.val[k]) }
	waiting := ladder{last: kernel.SortKey(math.Inf(-1))}
	collect := func() {
		for _, i := range st.Relations {
			s := &r.stores[i]
			for _, k := range s.next {
				s.improved[k>>6] &^= 1 << (k & 63)
				r.work(1)
				r.climb(&waiting, order(s, k), uint32(i), k)
			}
			s.next = s.next[:0]
		}
	}
	for _, i := range st.Relations {
		s := &r.stores[i]
		r.turn(s, true)
		// All values that there are go onto the ladder.
		s.next, s.changed = s.changed, s.next
		for len(s.improved) <= s.n>>6 {
			r.take(8)
			s.improved = append(s.improved, 0)
		}
	}
	collect()
	r.prepare(st, st.each)
	if lists := r.lists(st); lists != nil {
		r.relax(st, lists, sign, &waiting)
		return r.taken(st)
	}
	live := func(x *item) bool { return order(&r.stores[x.rel], x.key) == x.order }
	for r.sunk = false; !r.sunk; {
		top, ok := r.lowest(&waiting, live)
		if !ok {
			break
		}
		s := &r.stores[top.rel]
		r.settled = s.val[top.key]
		s.changed = append(s.changed[:0], top.key)
		for _, n := range st.each {
			if n.rule.Body[n.delta].Rel == int(top.rel) {
				r.pass(n, s, top.key)
			}
		}
		// Behind a sunk value rounds go on, from all values.
		if !r.sunk {
			collect()
		}
	}
	r.settled = math.NaN()
	return r.taken(st)
}

// taken ends best: the relations are complete, or all their values drive the next round.
func (r *run) taken(st *stratum) bool {
	for _, i := range st.Relations {
		if r.sunk {
			r.turn(&r.stores[i], true)
		} else {
			r.finish(i)
		}
	}
	return !r.sunk
}

// relaxing is a rule that passes the value of a key on to the keys in its list, as it is or plus
// the weight of the step: L[y] min= L[x] + w <- E(x, y, w).
type relaxing struct{ to, weight int } // columns of the list; weight is -1 for none

// relaxing returns a rule in this form, or nil if it has another one: it must go through all keys
// with their values, and from each through one list of an index.
func (n *nest) relaxing(best bool) *relaxing {
	if !best || n.kind != values || len(n.steps) != 2 || len(n.rule.Head) != 2 {
		return nil
	}
	from, list := &n.steps[0], &n.steps[1]
	if from.kind != scan || from.value < 0 || len(from.out) != 1 || len(from.same) > 0 || from.check >= 0 ||
		list.kind != probe || list.index < 0 || len(list.key) != 1 || list.key[0] != from.out[0].reg || len(list.same) > 0 || list.value >= 0 || list.check >= 0 {
		return nil
	}
	y, ok := variable(&n.rule.Head[0])
	x := relaxing{to: -1, weight: -1}
	if ok {
		x.to = list.column(y)
	}
	// The new value is the old one alone or, in either order, plus a weight from the list.
	is := func(e *rel.Expr, v int) bool { return len(e.Args) == 0 && e.Term == rel.Term{Var: v} }
	e := &n.rule.Head[1].Expr
	if !is(e, from.value) {
		if len(e.Args) != 2 || e.Fn != op.FnAdd {
			return nil
		}
		a, b := &e.Args[0], &e.Args[1]
		if is(b, from.value) {
			a, b = b, a
		}
		if !is(a, from.value) || len(b.Args) > 0 || b.Term.Kind != rel.Variable {
			return nil
		}
		if x.weight = list.column(b.Term.Var); x.weight < 0 {
			return nil
		}
	}
	if x.to < 0 {
		return nil
	}
	return &x
}

// pass runs a rule on the value of a key.
func (r *run) pass(n *nest, from *store, k uint32) {
	r.nest, r.rule, r.rel = n, n.rule, n.rule.Rel
	x := n.relaxes
	if x == nil {
		r.do(n)
		return
	}
	list := &r.stores[n.steps[1].rel]
	at := list.index[n.steps[1].index]
	if at.ptr == nil {
		r.do(n)
		return
	}
	s, fold := &r.stores[r.rel], r.p.Relations[r.rel].Fold
	wide := list.width
	if list.valued {
		wide++
	}
	key := from.cells[k]
	rows := at.rows[int(at.ptr[key])*wide : int(at.ptr[key+1])*wide]
	r.work(2 + 2*uint64(len(rows)/wide))
	r.drive = int(k)
	value := from.val[k]
	for ; len(rows) > 0; rows = rows[wide:] {
		v := value
		if x.weight >= 0 {
			v = r.number(1, v+r.decode(rows[x.weight]))
		}
		r.improve(s, fold, rows[x.to:x.to+1], v)
	}
}

// list holds what a rule that relaxes goes through: for each key, rows of another key and maybe a
// weight.
type list struct {
	*relaxing
	ptr, rows []uint32
	wide      int
}

// lists returns the lists of a stratum of one relation with one key, if all of its rules relax and
// keys have places; else nil.
func (r *run) lists(st *stratum) (lists []list) {
	s := &r.stores[st.Relations[0]]
	if len(st.Relations) > 1 || s.width != 1 || s.place == nil || r.why != nil || !r.room(8*uint64(len(s.place))) {
		return nil
	}
	for _, n := range st.each {
		if n.relaxes == nil {
			return nil
		}
		t := &r.stores[n.steps[1].rel]
		l := list{n.relaxes, t.index[n.steps[1].index].ptr, t.index[n.steps[1].index].rows, t.width}
		if l.ptr == nil {
			return nil
		}
		if t.valued {
			l.wide++
		}
		lists = append(lists, l)
	}
	return lists
}

// relax is best for such a stratum. It passes values along lists without a call for each row, and
// keeps the values by key until it is done, so that everything it needs of a key is in one place in
// memory.
func (r *run) relax(st *stratum, lists []list, sign float64, waiting *ladder) {
	r.rel = st.Relations[0]
	s := &r.stores[r.rel]
	r.take(8 * uint64(len(s.place)))
	r.work(2 * uint64(len(s.place)))
	best := make([]float64, len(s.place)) // times sign: lower is better
	for key, k := range s.place {
		if best[key] = math.Inf(1); k > 0 {
			best[key] = sign*s.val[k-1] + 0
		}
	}
	limit := math.Inf(1) // of what needs no look at number
	if r.p.Relations[r.rel].Columns[1].Kind == tensor.IntColumn {
		limit = tensor.MaxInt
	}
	for k := range waiting.items { // none is free yet
		waiting.items[k].key = s.cells[waiting.items[k].key]
	}
	live := func(x *item) bool { return kernel.SortKey(best[x.key]) == x.order }
	for r.sunk = false; !r.sunk; {
		top, ok := r.lowest(waiting, live)
		if !ok {
			break
		}
		value := best[top.key]
		for i := range lists {
			l := &lists[i]
			r.rule = st.each[i].rule
			rows := l.rows[int(l.ptr[top.key])*l.wide : int(l.ptr[top.key+1])*l.wide]
			r.work(2 + 3*uint64(len(rows)/l.wide))
			for ; len(rows) > 0; rows = rows[l.wide:] {
				v, to := value, rows[l.to]
				if l.weight >= 0 {
					if v += sign * r.decode(rows[l.weight]); !(math.Abs(v) < limit) {
						r.number(1, sign*v)
					}
				}
				if v >= best[to] {
					continue
				}
				if best[to] = v; v < value { // a step below 0: what was taken before is not final
					r.sunk = true
					continue
				}
				r.climb(waiting, kernel.SortKey(v), top.rel, to)
			}
		}
	}
	fresh := 0
	for key, v := range best {
		if s.place[key] == 0 && !math.IsInf(v, 1) {
			fresh++
		}
	}
	s.cells, s.val = grow(r, s.cells, fresh), grow(r, s.val, fresh)
	for key, v := range best {
		if math.IsInf(v, 1) {
			continue
		}
		k := s.place[key]
		if k == 0 {
			s.cells, s.val, s.n = append(s.cells, uint32(key)), append(s.val, 0), s.n+1
			k = uint32(s.n)
			s.place[key] = k
		}
		s.val[k-1] = sign*v + 0
	}
	s.from = grow(r, s.from, s.n-len(s.from))
	for len(s.from) < s.n {
		s.from = append(s.from, noCode)
	}
}
