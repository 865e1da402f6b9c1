package engine

import (
	"math/bits"
	"slices"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// A proof of a pair of a closure is a path of steps. To find one in rounds of its rules, a replay
// makes all pairs that lead to it: those of Far(x, z) <- Far(x, y), Step(y, z) that end in z need those
// that end in anything that leads to z. So where readers know one end only, or the rule has two pairs, a
// rule that keeps the known end stands in for the recursive one: Far(x, z) <- Step(x, y), Far(y, z).
// The replay takes the pairs from searches, each in the round in which the rules as written would
// make it, which the length of the path tells if all steps have the same height. A proof has the
// pairs along the path that the rules as written take.
type paths struct {
	rel, step  int
	link       link
	first, rec *rel.Rule  // as written
	by         int        // the column of the known ends, at which searches begin
	low        int        // the height of a step
	found      [][]uint32 // by length less 1: pairs, and of each the neighbour that is closer to the known end
	made       int        // the lengths that the replay has by now
	hops       []uint32   // of each row of the replay: that neighbour
}

// paths finds the closures of the part that are proved by searches, and gives the part with the
// other rules for them.
func (x *explainer) paths() (list []*paths, turned *rel.Program) {
	if x.p.AsWritten {
		return nil, x.part
	}
	turned = x.part
	known := newDemander(turned, nil).known
	for _, s := range x.part.Strata() {
		c := closureOf(x.part, &stratum{Stratum: s})
		if c == nil || c.base < 0 || !c.paths() || len(s.Rules) != 2 {
			continue
		}
		p := &paths{rel: c.rel, step: c.base}
		for i := range x.p.Rules {
			switch r := &x.p.Rules[i]; {
			case r.Rel == c.rel && own(r) < 0:
				p.first = r
			case r.Rel == c.rel:
				p.rec = r
			}
		}
		p.link, _, _ = linkOf(p.rec)
		var flat bool
		if p.low, flat = level(x.part, p.step); !flat || p.link == left && known[c.rel].has(0) || p.link == right && known[c.rel].has(1) {
			continue
		}
		for p.by = range 2 {
			q := *turned
			q.Rules = slices.Clone(q.Rules)
			for _, i := range s.Rules {
				if r := &q.Rules[i]; own(r) >= 0 {
					r.Body = p.turned()
				}
			}
			if newDemander(&q, nil).known[c.rel].has(p.by) {
				list, turned = append(list, p), &q
				break
			}
		}
	}
	if asked, _ := demand(turned, nil); list == nil || asked == turned {
		return nil, x.part
	}
	return list, turned
}

// turned is the body of a rule that keeps the known end.
func (p *paths) turned() []rel.Literal {
	x, z := p.rec.Head[0].Expr.Term, p.rec.Head[1].Expr.Term
	y := x
	for i := range p.rec.Body {
		for _, t := range p.rec.Body[i].Terms {
			if t != x && t != z {
				y = t
			}
		}
	}
	from, to := p.rel, p.step
	if p.by == 1 {
		from, to = to, from
	}
	return []rel.Literal{{Rel: from, Terms: []rel.Term{x, y}}, {Rel: to, Terms: []rel.Term{y, z}}}
}

// level is the height that all rows of a relation have, if it is one.
func level(p *rel.Program, at int) (height int, ok bool) {
	derived := make([]bool, len(p.Relations))
	for i := range p.Rules {
		derived[p.Rules[i].Rel] = true
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Rel != at {
			continue
		}
		if height = 1; r.Aggregates() || p.Relations[at].Facts != nil || p.Relations[at].Source != rel.NoSource {
			return 0, false
		}
		for k := range r.Body {
			if l := &r.Body[k]; l.Kind == rel.Atom && derived[l.Rel] {
				return 0, false
			}
		}
	}
	return height, true
}

// height is that of a pair with a path of some length.
func (p *paths) height(length int) int {
	if p.link == double {
		length = 1 + bits.Len(uint(length-1))
	}
	return p.low + length
}

// search finds the pairs of a closure that are asked for, from each known end.
func (w *why) search(p *paths) {
	all := &w.complete[p.rel]
	n := all.size[0]
	w.take(uint64(8*n + 40*all.n))
	edges, reached := w.adjacent(&w.complete[p.step], p.by), make([]uint32, n)
	begun := make([]uint64, tensor.Words(n))
	pair := make([]uint32, 2)
	for k := range all.n {
		end := all.row(k)[p.by]
		if begun[end>>6]>>(end&63)&1 != 0 {
			continue
		}
		begun[end>>6] |= 1 << (end & 63)
		pair[p.by] = end
		for length, from := 0, []uint32{end}; len(from) > 0; length++ {
			if length == len(p.found) {
				p.found = append(p.found, nil)
			}
			var next []uint32
			for _, y := range from {
				w.work(uint64(1 + len(edges.of(y))))
				for _, x := range edges.of(y) {
					if pair[1-p.by] = x; reached[x] == end+1 || all.find(pair) < 0 {
						continue
					}
					reached[x] = end + 1
					next, p.found[length] = append(next, x), append(p.found[length], pair[0], pair[1], y)
				}
			}
			from = next
		}
	}
}

// follow adds the pairs of a height.
func (w *why) follow(p *paths, height int) {
	for p.made < len(p.found) && p.height(p.made+1) == height {
		for list := p.found[p.made]; len(list) > 0; list = list[3:] {
			w.derived(p.rel, list[:2], 0)
			p.hops = append(p.hops, list[2])
		}
		p.made++
	}
}

// way lists the cells along the path of a row.
func (w *why) way(p *paths, row int) (cells []uint32) {
	s := &w.stores[p.rel]
	pair := slices.Clone(s.row(row))
	for {
		w.take(16)
		cells = append(cells, pair[1-p.by])
		if 3*row < len(p.found[0]) {
			break
		}
		pair[1-p.by] = p.hops[row]
		row = s.find(pair)
	}
	if cells = append(cells, pair[p.by]); p.by == 0 {
		slices.Reverse(cells)
	}
	return cells
}

// derive adds the steps of a proof that make the ends of a path a pair, and gives the last. The steps
// of the path are there; done is where pairs are that others have made.
func (w *why) derive(p *paths, proof *Proof, way []uint32, steps []int, done map[[3]uint32]int) int {
	add := func(i, j int, rule *rel.Rule, of ...int) int {
		key := [3]uint32{uint32(p.rel), way[i], way[j]}
		at, ok := done[key]
		if !ok {
			step := Step{Relation: p.rel, Row: w.numbers(nil, p.rel, key[1:]), Rule: rule, Of: of}
			for _, k := range of {
				step.Height = max(step.Height, 1+proof.Steps[k].Height)
			}
			at = w.step(proof, step)
			done[key] = at
		}
		return at
	}
	one := func(i int) int { return add(i, i+1, p.first, steps[i]) }
	inOrder := func(pair, other int, isPair func(l *rel.Literal) bool) []int {
		if isPair(&p.rec.Body[0]) {
			return []int{pair, other}
		}
		return []int{other, pair}
	}
	own := func(l *rel.Literal) bool { return l.Rel == p.rel }
	last := len(steps)
	switch p.link {
	case left:
		at := one(0)
		for j := 2; j <= last; j++ {
			at = add(0, j, p.rec, inOrder(at, steps[j-1], own)...)
		}
		return at
	case right:
		at := one(last - 1)
		for i := last - 2; i >= 0; i-- {
			at = add(i, last, p.rec, inOrder(at, steps[i], own)...)
		}
		return at
	}
	var halves func(i, j int) int
	halves = func(i, j int) int {
		if j == i+1 {
			return one(i)
		}
		m := (i + j + 1) / 2
		return add(i, j, p.rec, inOrder(halves(i, m), halves(m, j), func(l *rel.Literal) bool { return l.Terms[0] == p.rec.Head[0].Expr.Term })...)
	}
	return halves(0, last)
}
