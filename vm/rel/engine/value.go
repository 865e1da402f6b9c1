package engine

import (
	"math"
	"slices"

	"ein/vm/op"
	"ein/vm/rel"
)

// improve takes a contribution to the value of a key, and notes the key if the value improves. It
// also notes which key drove the rule (from), from which improving finds a cycle, and whether the
// value is better than one that best took for final (sunk). Outside of best, settled is NaN, and
// nothing is better.
func (r *run) improve(s *store, fold rel.Agg, key []uint32, x float64) {
	k, added := r.add(s, key)
	if added {
		s.val = append(spare(r, s.val), x)
	} else {
		switch old := s.val[k]; {
		case fold == rel.Sum:
			s.val[k] = r.number(s.width, old+x)
			return
		case fold == rel.Min && x >= old || fold == rel.Max && x <= old:
			return
		}
		s.val[k] = x
	}
	if r.nest != nil && r.delta >= 0 && r.drive >= 0 {
		for len(s.from) < s.n {
			s.from = append(spare(r, s.from), noCode)
		}
		s.from[k] = uint32(r.drive)
	}
	if fold == rel.Min && x < r.settled || fold == rel.Max && x > r.settled {
		r.sunk = true
	}
	for len(s.improved) <= k>>6 {
		r.take(8)
		s.improved = append(s.improved, 0)
	}
	if w := &s.improved[k>>6]; *w>>(k&63)&1 == 0 {
		*w |= 1 << (k & 63)
		s.next = append(spare(r, s.next), uint32(k))
	}
}

// turn starts a round: the values that improved in the last one drive it; in the first round, all.
func (r *run) turn(s *store, first bool) {
	for _, k := range s.next {
		s.improved[k>>6] &^= 1 << (k & 63)
	}
	s.changed, s.next = s.next, s.changed[:0]
	if !first {
		return
	}
	s.changed = grow(r, s.changed[:0], s.n)
	for k := range s.n {
		s.changed = append(s.changed, uint32(k))
	}
}

// improving fails: values have improved in more rounds than there are rows, so they improve around
// a cycle, which it finds by going back from a value to what it was made of.
func (r *run) improving(st *stratum) {
	for _, i := range st.Relations {
		s := &r.stores[i]
		if !s.valued || len(s.changed) == 0 {
			continue
		}
		r.rel = i
		name := r.p.Relations[i].Name
		e := Error{Kind: Improves, Message: name + " keeps improving"}
		if cycle := s.cycle(s.changed[0]); len(st.Relations) == 1 && cycle != nil { // else they are keys of several
			e.Cycle = r.outside(cycle)
			e.Value = r.around(st, i, cycle)
		}
		r.fail(e)
	}
}

// runaway fails if a number that is too large is made of values that improve around a cycle. It
// names no sum: another turn would come to such a number, too.
func (r *run) runaway(x float64) {
	of := &r.p.Relations[r.rel]
	if r.nest == nil || r.delta < 0 || r.drive < 0 || !(of.Fold == rel.Min && x < 0 || of.Fold == rel.Max && x > 0) {
		return
	}
	alone := func(st stratum) bool { return len(st.Relations) == 1 && st.inside[r.rel] }
	if cycle := r.stores[r.rel].cycle(uint32(r.drive)); cycle != nil && slices.ContainsFunc(r.strata, alone) {
		r.fail(Error{Kind: Improves, Message: of.Name + " keeps improving", Cycle: r.outside(cycle)})
	}
}

// cycle goes back from a key to what its value was made of, and gives the cycle that it comes to, or
// nil.
func (s *store) cycle(at uint32) (cycle []uint32) {
	known := func() bool { return int(at) < len(s.from) && s.from[at] != noCode }
	for range s.n { // into the cycle
		if known() {
			at = s.from[at]
		}
	}
	for start := at; known(); {
		cycle = append(cycle, at)
		if at = s.from[at]; at == start {
			slices.Reverse(cycle)
			return cycle
		}
	}
	return nil
}

// outside gives the rows of a cycle as values are outside the engine.
func (r *run) outside(cycle []uint32) (list [][]float64) {
	for _, k := range cycle {
		list = append(list, r.numbers(nil, r.rel, r.stores[r.rel].row(int(k))))
	}
	return list
}

// around is what is added to a value once round a cycle of keys, 0 if it is not always the same, as
// in a product.
func (r *run) around(st *stratum, i int, cycle []uint32) float64 {
	s := &r.stores[i]
	worst := math.Inf(1)
	if r.p.Relations[i].Fold == rel.Max {
		worst = math.Inf(-1)
	}
	var sums [2]float64
	for turn := range sums {
		before := s.val[cycle[0]]
		for at, k := range cycle {
			if to := cycle[(at+1)%len(cycle)]; to != k {
				s.val[to] = worst // so that it takes what k gives
			}
			s.changed = []uint32{k}
			for _, n := range st.each {
				r.do(n)
			}
		}
		sums[turn] = s.val[cycle[0]] - before
	}
	if sums[0] != sums[1] {
		return 0
	}
	return sums[0]
}

// numbers appends a row as values are outside.
func (r *run) numbers(list []float64, i int, row []uint32) []float64 {
	for c, code := range row {
		if r.p.Relations[i].Columns[c].Domain == nil {
			list = append(list, r.decode(code))
		} else {
			list = append(list, float64(code))
		}
	}
	return list
}

// rising finds the factors of values that still improve. A factor below 0 would make the result
// worse when the value gets better.
func (n *nest) rising(e *rel.Expr, values []bool) (rises bool) {
	if len(e.Args) == 0 {
		return e.Term.Kind == rel.Variable && values[e.Term.Var]
	}
	for i := range e.Args {
		if n.rising(&e.Args[i], values) {
			rises = true
			if e.Fn == op.FnMul {
				n.factors = append(n.factors, &e.Args[1-i])
			}
		}
	}
	return rises
}

// weigh finds the factors that a run must check (see rising).
func (n *nest) weigh(s *stratum) {
	values := make([]bool, len(n.rule.Vars))
	for i := range n.steps {
		st := &n.steps[i]
		switch st.kind {
		case scan, probe, find:
			if st.value >= 0 && s.inside[st.rel] {
				values[st.value] = true
			}
		case assign:
			values[st.lit.Var] = n.rising(&st.lit.Left, values)
		case test:
			n.rising(&st.lit.Left, values)
			n.rising(&st.lit.Right, values)
		}
	}
	for i := range n.rule.Head {
		if n.rule.Head[i].Agg == rel.NoAgg {
			n.rising(&n.rule.Head[i].Expr, values)
		}
	}
}
