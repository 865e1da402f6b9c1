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
	hidden     *rel.Rule  // nil, or that of the steps, which the rules as written describe and do not name
	by         int        // the column of the known ends, at which searches begin
	low        int        // the height of a step
	found      [][]uint32 // by length less 1: pairs, and of each the neighbour that is closer to the known end
	made       int        // the lengths that the replay has by now
	hops       []uint32   // of each row of the replay: that neighbour
}

// paths finds the closures of the part that are proved by searches. It gives the part with the other
// rules for them, and the program as written with the relations of hidden steps.
func (x *explainer) paths() (list []*paths, part, written *rel.Program) {
	part, written = x.part, x.p
	if x.p.AsWritten {
		return nil, part, written
	}
	known := newDemander(part, nil).known
	var hidden []rel.Rule
	for _, s := range x.part.Strata() {
		if !s.Recursive || len(s.Relations) > 1 || len(s.Rules) != 2 {
			continue
		}
		p := &paths{rel: s.Relations[0]}
		for i := range x.p.Rules {
			if r := &x.p.Rules[i]; r.Rel == p.rel && own(r) < 0 {
				p.first = r
			} else if r.Rel == p.rel {
				p.rec = r
			}
		}
		q := p.of(part)
		if q == nil || p.link == left && known[p.rel].has(0) || p.link == right && known[p.rel].has(1) {
			continue
		}
		for p.by = range 2 {
			turned := *q
			turned.Rules = slices.Clone(q.Rules)
			for i := range turned.Rules {
				if r := &turned.Rules[i]; r.Rel == p.rel && own(r) >= 0 {
					r.Body = p.turned(r)
				}
			}
			if newDemander(&turned, nil).known[p.rel].has(p.by) {
				if list, part = append(list, p), &turned; p.hidden != nil {
					hidden = append(hidden, *p.hidden)
				}
				break
			}
		}
	}
	if asked, _ := demand(part, nil); list == nil || asked == part {
		return nil, x.part, x.p
	}
	if hidden != nil {
		q := *x.p
		q.Relations, q.Rules = part.Relations, slices.Concat(q.Rules, hidden)
		written = &q
	}
	return list, part, written
}

// of finds what the closure is made of in a part of the program, and gives the part with its steps
// as a relation; nil if there are none, or not of one height.
func (p *paths) of(part *rel.Program) *rel.Program {
	strata := func(q *rel.Program) *rel.Stratum {
		list := q.Strata()
		return &list[slices.IndexFunc(list, func(s rel.Stratum) bool { return slices.Contains(s.Relations, p.rel) })]
	}
	for _, q := range []*rel.Program{part, nil} {
		if q == nil {
			w := rewriter{p: part, rels: slices.Clip(part.Relations), rules: slices.Clone(part.Rules)}
			w.closure(*strata(part))
			q = w.program()
			q.AsWritten = true
		}
		c := closureOf(q, &stratum{Stratum: *strata(q)})
		if c == nil || c.base < 0 || !c.paths() {
			continue
		}
		var flat bool
		if p.low, flat = level(q, c.base); !flat {
			return nil
		}
		p.step = c.base
		for i := range q.Rules {
			if r := &q.Rules[i]; r.Rel == p.rel && own(r) >= 0 {
				p.link, _, _ = linkOf(r)
			} else if r.Rel == p.step && q != part {
				p.hidden, p.low = r, 0
			}
		}
		return q
	}
	return nil
}

// turned is the body of a recursive rule that keeps the known end.
func (p *paths) turned(r *rel.Rule) []rel.Literal {
	x, z := r.Head[0].Expr.Term, r.Head[1].Expr.Term
	y := x
	for i := range r.Body {
		for _, t := range r.Body[i].Terms {
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

// height is that of a pair with a path of some length: each step adds one, but a rule with two
// pairs halves the path.
func (p *paths) height(length int) int {
	if p.link == double {
		length = 1 + bits.Len(uint(length-1))
	}
	return p.low + length
}

// search finds the pairs of a closure that are asked for, from each known end: a breadth-first
// search of its steps, which reaches each cell by a shortest path. A cell is marked as reached with
// the number of the search, so that no marks have to be removed between two.
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

// way lists the cells along the path of a row: it goes from pair to pair by the hops, each of which
// leads closer to the known end.
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

// pending is what a pair needs: the rows of each step of its path.
func (w *why) pending(p *paths, row int) *pending {
	todo := &pending{way: w.way(p, row)}
	for i := range todo.way[1:] {
		step := todo.way[i : i+2]
		if p.hidden == nil {
			todo.of = append(todo.of, node{p.step, w.stores[p.step].find(step)})
		} else {
			of, _ := w.bind(p.hidden, step, 0)
			todo.of = append(todo.of, of...)
		}
	}
	return todo
}

// derive adds the steps of a proof that make the ends of a path a pair, and gives the last. The rows
// of the path are there; done is where pairs are that others have made.
func (w *why) derive(p *paths, proof *Proof, way []uint32, rows []int, done map[[3]uint32]int) int {
	last := len(way) - 1
	step := func(i int) []int { return rows[i*len(rows)/last : (i+1)*len(rows)/last] }
	add := func(i, j int, rule *rel.Rule, of []int) int {
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
	// of is the steps of the recursive rule, in the order of its atoms.
	of := func(rows []int, pairs ...int) (list []int) {
		for k := range p.rec.Body {
			from := &rows
			switch l := &p.rec.Body[k]; {
			case l.Kind != rel.Atom:
				continue
			case l.Rel == p.rel:
				from = &pairs
			}
			list, *from = append(list, (*from)[0]), (*from)[1:]
		}
		return list
	}
	one := func(i int) int { return add(i, i+1, p.first, step(i)) }
	switch p.link {
	case left:
		at := one(0)
		for j := 2; j <= last; j++ {
			at = add(0, j, p.rec, of(step(j-1), at))
		}
		return at
	case right:
		at := one(last - 1)
		for i := last - 2; i >= 0; i-- {
			at = add(i, last, p.rec, of(step(i), at))
		}
		return at
	}
	turned := p.rec.Body[own(p.rec)].Terms[0] != p.rec.Head[0].Expr.Term // the second pair stands first
	var halves func(i, j int) int
	halves = func(i, j int) int {
		if j == i+1 {
			return one(i)
		}
		m := (i + j + 1) / 2
		a, b := halves(i, m), halves(m, j)
		if turned {
			a, b = b, a
		}
		return add(i, j, p.rec, of(nil, a, b))
	}
	return halves(0, last)
}
