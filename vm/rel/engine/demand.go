package engine

import (
	"slices"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// demand makes relations only as far as they are asked for (magic sets: Beeri and Ramakrishnan, On
// the Power of Magic, 1991). If all readers of P know some of its columns, by constants and what
// follows from them, a relation P? holds what they know, every rule of P begins with P?, and each
// reader gets a rule that asks. Closures have a search of their own. Values, and rules that compute
// and so may fail, are left alone.
//
// Asking for a row may take a row of a later stratum. The program stays as it is if that would be a
// recursion through a negation, an aggregate or a value; against names the relation.
func demand(p *rel.Program, shown map[int]int) (asked *rel.Program, against string) {
	d := newDemander(p, shown)
	if !slices.ContainsFunc(d.known, func(c columns) bool { return c != 0 }) {
		return p, ""
	}
	q := d.rewrite()
	for _, s := range q.Strata() {
		if at := broken(q, &s, len(p.Relations)); at >= 0 {
			return p, p.Relations[at].Name
		}
	}
	return q, ""
}

// columns is a set of columns, a bit for each.
type columns uint64

func (c columns) has(i int) bool { return c>>i&1 != 0 }

// pick returns what a list, of something for each column, has for these.
func pick[T any](c columns, list []T) (picked []T) {
	for i, x := range list {
		if c.has(i) {
			picked = append(picked, x)
		}
	}
	return picked
}

// demander finds what is known of the rows that readers of a relation ask for; see demand.
type demander struct {
	p     *rel.Program
	known []columns // of each relation: those that all readers know; 0 for all rows
}

// newDemander finds what is known of each relation.
func newDemander(p *rel.Program, shown map[int]int) (d *demander) {
	d = &demander{p: p, known: make([]columns, len(p.Relations))}
	d.candidates()
	for _, i := range p.Results {
		d.known[i] = 0
		if to, ok := shown[i]; ok {
			d.known[to] = 0
		}
	}
	// A rule is looked at again when less is known of its head, or nothing of what it reads.
	again := make([][]int, len(p.Relations))
	waits, list := make([]bool, len(p.Rules)), make([]int, 0, len(p.Rules))
	wait := func(i int) {
		if !waits[i] {
			waits[i], list = true, append(list, i)
		}
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		again[r.Rel] = append(again[r.Rel], i)
		for k := range r.Body {
			if l := &r.Body[k]; l.Kind <= rel.Not {
				again[l.Rel] = append(again[l.Rel], i)
			}
		}
		wait(i)
	}
	for len(list) > 0 { // it ends, as ever less is known
		i := list[len(list)-1]
		waits[i], list = false, list[:len(list)-1]
		d.walk(&p.Rules[i], func(k int, known columns, _ []int) {
			at := p.Rules[i].Body[k].Rel
			if before := d.known[at]; before&known != before {
				d.known[at] &= known
				for _, other := range again[at] {
					wait(other)
				}
			}
		})
	}
	return d
}

// candidates are the relations that could be made in part, by the columns that every rule fills
// with a variable or a constant.
func (d *demander) candidates() {
	p := d.p
	rules := make([]bool, len(p.Relations))
	for i := range p.Rules {
		rules[p.Rules[i].Rel] = true
	}
	for i := range p.Relations {
		if r := &p.Relations[i]; rules[i] && !r.Valued() && r.Source == rel.NoSource {
			d.known[i] = 1<<len(r.Columns) - 1
		}
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		for c := range r.Head {
			if r.Head[c].Agg != rel.NoAgg {
				d.known[r.Rel] &^= 1 << c
			}
		}
		if computes(r) {
			d.known[r.Rel] = 0
		}
	}
	if p.AsWritten {
		return // closures as well: no search comes
	}
	for _, s := range p.Strata() {
		if closureOf(p, &stratum{Stratum: s}) != nil {
			d.known[s.Relations[0]] = 0
		}
	}
}

// computes reports whether a rule has a function of numbers.
func computes(r *rel.Rule) bool {
	return slices.ContainsFunc(r.Head, func(c rel.Cell) bool { return len(c.Expr.Args) > 0 }) ||
		slices.ContainsFunc(r.Body, func(l rel.Literal) bool { return len(l.Left.Args) > 0 || len(l.Right.Args) > 0 })
}

// walk goes through a body in the order in which knowledge spreads: from what the head is asked for
// and from constants, along the atoms that these reach. It visits each atom with the columns that
// are known by then and the literals before it; an atom that nothing reaches has none, and a negation its
// constants.
func (d *demander) walk(r *rel.Rule, visit func(k int, known columns, before []int)) {
	bound, done := make([]bool, len(r.Vars)), make([]bool, len(r.Body))
	for c := range r.Head {
		if v, ok := variable(&r.Head[c]); ok && d.known[r.Rel].has(c) {
			bound[v] = true
		}
	}
	is := func(t rel.Term) bool { return t.Kind == rel.Const || t.Kind == rel.Variable && bound[t.Var] }
	has := func(e *rel.Expr) bool { return len(e.Args) == 0 && is(e.Term) }
	var before []int
	for {
		for k := range r.Body {
			l := &r.Body[k]
			if ready := l.Kind == rel.Bind && has(&l.Left) || l.Kind == rel.Compare && has(&l.Left) && has(&l.Right); done[k] || !ready {
				continue
			}
			if l.Kind == rel.Bind {
				bound[l.Var] = true
			}
			done[k], before = true, append(before, k)
		}
		next, known := d.next(r, done, is)
		if next < 0 {
			break
		}
		visit(next, known, before)
		done[next], before = true, append(before, next)
		l := &r.Body[next]
		for c, t := range l.Terms {
			element := c == len(l.Terms)-1 && d.p.Relations[l.Rel].Source == rel.FromElements // which may be no number
			if t.Kind == rel.Variable && !element {
				bound[t.Var] = true
			}
		}
	}
	for k := range r.Body {
		if l := &r.Body[k]; !done[k] && l.Kind <= rel.Not {
			constants := columns(0) // which a negation asks for without reading anything
			for c, t := range l.Terms {
				if t.Kind == rel.Const {
					constants |= 1 << c
				}
			}
			visit(k, constants, nil)
		}
	}
}

// next is the atom of which most columns are known, and these; -1 if of none is one. What is there without
// being asked for comes first.
func (d *demander) next(r *rel.Rule, done []bool, is func(rel.Term) bool) (next int, known columns) {
	next = -1
	most := 0
	for k := range r.Body {
		l := &r.Body[k]
		if done[k] || l.Kind != rel.Atom {
			continue
		}
		of, score := columns(0), 0
		for c, t := range l.Terms {
			if is(t) {
				of |= 1 << c
				score++
			}
		}
		if score > 0 && d.known[l.Rel] == 0 {
			score += 64
		}
		if score > most {
			next, most, known = k, score, of
		}
	}
	return next, known
}

// rewrite adds the relations that ask, and the rules that fill them.
func (d *demander) rewrite() *rel.Program {
	q := *d.p
	q.Relations, q.Rules = slices.Clone(q.Relations), slices.Clone(q.Rules)
	asks := make([]int, len(d.known))
	for i, known := range d.known {
		if known == 0 {
			continue
		}
		r := &q.Relations[i]
		asked := rel.Relation{Name: r.Name + "?", Pos: r.Pos}
		for _, column := range pick(known, r.Columns) {
			if column.Domain == nil {
				column.Kind = tensor.RealColumn // asked for may be what no whole number is
			}
			asked.Columns = append(asked.Columns, column)
		}
		asks[i] = len(q.Relations)
		q.Relations = append(q.Relations, asked)
	}
	for i := range d.p.Rules {
		r := &d.p.Rules[i]
		var begin []rel.Literal
		if known := d.known[r.Rel]; known != 0 {
			ask := rel.Literal{Rel: asks[r.Rel], Pos: r.Pos}
			for _, cell := range pick(known, r.Head) {
				ask.Terms = append(ask.Terms, cell.Expr.Term)
			}
			begin = append(begin, ask)
		}
		d.walk(r, func(k int, _ columns, before []int) {
			l := &r.Body[k]
			if d.known[l.Rel] == 0 {
				return
			}
			ask := rel.Rule{Rel: asks[l.Rel], Vars: r.Vars, Pos: l.Pos}
			if l.Kind == rel.Atom {
				ask.Body = slices.Clone(begin)
			}
			terms := pick(d.known[l.Rel], l.Terms)
			nothing := false
			for c, t := range terms {
				nothing = nothing || t.Kind == rel.Const && t.Value < 0 && q.Relations[ask.Rel].Columns[c].Domain != nil
				ask.Head = append(ask.Head, rel.Cell{Expr: rel.Expr{Term: t}})
			}
			if nothing || l.Kind == rel.Atom && len(begin) > 0 && begin[0].Rel == ask.Rel && slices.Equal(begin[0].Terms, terms) {
				return // for nothing, or for what was asked for already
			}
			for _, b := range before {
				ask.Body = append(ask.Body, r.Body[b])
			}
			prune(&ask)
			q.Rules = append(q.Rules, ask)
		})
		if len(begin) > 0 {
			q.Rules[i].Body = append(begin, r.Body...)
		}
	}
	return &q
}

// broken is a relation of a stratum that a recursion must not pass through, but now does, by one
// that asks; else -1. The relations that ask are numbered from first on.
func broken(q *rel.Program, s *rel.Stratum, first int) int {
	if !s.Recursive || s.Relations[len(s.Relations)-1] < first {
		return -1
	}
	for _, i := range s.Relations {
		if q.Relations[i].Valued() {
			return i
		}
	}
	for _, i := range s.Rules {
		r := &q.Rules[i]
		for k := range r.Body {
			if l := &r.Body[k]; l.Kind <= rel.Not && (l.Kind == rel.Not || r.Aggregates()) && slices.Contains(s.Relations, l.Rel) {
				return r.Rel
			}
		}
	}
	return -1
}
