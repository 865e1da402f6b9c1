package engine

import (
	"math"

	"ein/vm/op"
	"ein/vm/rel"
)

// isBest reports whether all rules of a stratum make values of one fold, each of one
// value, so that the best value of all is final as long as none gets better on its way:
// then each key is taken once, from a heap.
func isBest(p *rel.Program, s *stratum) bool {
	if !s.Recursive {
		return false
	}
	fold := p.Relations[s.Relations[0]].Fold
	for _, i := range s.Relations {
		if p.Relations[i].Fold != fold || fold == rel.NoAgg {
			return false
		}
	}
	for k, n := range s.each {
		if k > 0 && s.each[k-1].rule == n.rule {
			return false
		}
	}
	return true
}

// item is a value that a key had; a later one makes it stale.
type item struct {
	value    float64
	rel, key uint32
}

// best takes keys from a heap, the best value first. Keys that get the value being taken
// go on a stack: a label that is passed on as it stands, or a step of weight 0, costs no
// order. If a value gets better than one that was taken it gives up: rounds go on from
// what there is.
func (r *run) best(st *stratum) bool {
	sign := 1.0
	if r.p.Relations[st.Relations[0]].Fold == rel.Max {
		sign = -1
	}
	var heap, same []item
	room := func(list []item) []item {
		if len(list) < cap(list) {
			return list
		}
		size := max(64, 2*cap(list))
		r.take(16 * uint64(size))
		return append(make([]item, 0, size), list...)
	}
	collect := func() {
		for _, i := range st.Relations {
			s := &r.stores[i]
			for _, k := range s.next {
				s.improved[k>>6] &^= 1 << (k & 63)
				r.work(1)
				if x := (item{sign * s.val[k], uint32(i), k}); s.val[k] == r.settled {
					same = append(room(same), x)
				} else {
					heap = push(room(heap), x)
				}
			}
			s.next = s.next[:0]
		}
	}
	for _, i := range st.Relations {
		s := &r.stores[i]
		r.turn(s, true)
		s.next, s.changed = s.changed, s.next
		for len(s.improved) <= s.n>>6 {
			r.take(8)
			s.improved = append(s.improved, 0)
		}
	}
	collect()
	r.prepare(st, st.each)
	for len(heap)+len(same) > 0 {
		var top item
		if last := len(same) - 1; last >= 0 {
			top, same = same[last], same[:last]
		} else {
			top, heap = pop(heap)
		}
		s := &r.stores[top.rel]
		if sign*s.val[top.key] != top.value {
			continue
		}
		r.settled, r.sunk = sign*top.value, false
		s.changed = append(s.changed[:0], top.key)
		for _, n := range st.each {
			if n.rule.Body[n.delta].Rel == int(top.rel) {
				r.pass(n, s, top.key)
			}
		}
		if r.sunk {
			break
		}
		collect()
	}
	r.settled = math.NaN()
	for _, i := range st.Relations {
		if r.sunk {
			r.turn(&r.stores[i], true)
		} else {
			r.finish(i)
		}
	}
	return !r.sunk
}

// relaxing is a rule that passes a value of a key on to the keys of its list, as it is or with
// the weight of the step added: L[y] min= L[x] + w <- E(x, y, w).
type relaxing struct{ to, weight int } // columns of the list; weight is -1 for none

func (n *nest) relaxing(best bool) *relaxing {
	if !best || n.kind != values || len(n.steps) != 2 || len(n.rule.Head) != 2 {
		return nil
	}
	from, list := &n.steps[0], &n.steps[1]
	if from.kind != scan || from.value < 0 || len(from.out) != 1 || len(from.same) > 0 || from.check >= 0 ||
		list.kind != probe || list.index < 0 || len(list.key) != 1 || list.key[0] != from.out[0].reg || len(list.same) > 0 || list.value >= 0 || list.check >= 0 {
		return nil
	}
	column := func(v int) int {
		for _, p := range list.out {
			if p.reg == v {
				return p.col
			}
		}
		return -1
	}
	y, ok := variable(&n.rule.Head[0])
	x := relaxing{to: -1, weight: -1}
	if ok {
		x.to = column(y)
	}
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
		if x.weight = column(b.Term.Var); x.weight < 0 {
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

func push(h []item, x item) []item {
	h = append(h, x)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].value <= h[i].value {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	return h
}

func pop(h []item) (item, []item) {
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		least := 2*i + 1
		if least >= last {
			break
		}
		if least+1 < last && h[least+1].value < h[least].value {
			least++
		}
		if h[i].value <= h[least].value {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	return top, h
}
