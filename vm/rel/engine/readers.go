package engine

import (
	"slices"

	"ein/vm/rel"
)

// Most rules that read a closure take less than its pairs. What they take decides what becomes of it,
// here by other rules, and in closure.go by searches and components.

// readsRecursion reports whether a rule reads a recursive relation that is not its own.
func readsRecursion(p *rel.Program) bool {
	recursive := make([]bool, len(p.Relations))
	for i := range p.Rules {
		r := &p.Rules[i]
		recursive[r.Rel] = recursive[r.Rel] || own(r) >= 0
	}
	for i := range p.Rules {
		for k := range p.Rules[i].Body {
			if l := &p.Rules[i].Body[k]; l.Kind <= rel.Not && l.Rel != p.Rules[i].Rel && recursive[l.Rel] {
				return true
			}
		}
	}
	return false
}

// isRead reports whether some rules that are not its own read a relation.
func isRead(rules []rel.Rule, at int) bool {
	for i := range rules {
		if rules[i].Rel != at && reads(&rules[i], at) {
			return true
		}
	}
	return false
}

// reads reports whether a body has an atom of a relation, or the negation of one.
func reads(r *rel.Rule, at int) bool {
	return slices.ContainsFunc(r.Body, func(l rel.Literal) bool { return l.Kind <= rel.Not && l.Rel == at })
}

// apart gives each closure that is read for the cells that lead to themselves and for others too a twin
// for the former: then all pairs are made of neither, unless the others ask for them.
func apart(p *rel.Program, shown map[int]int) *rel.Program {
	w := rewriter{p: p, rels: slices.Clip(p.Relations), rules: slices.Clone(p.Rules)}
	for _, s := range p.Strata() {
		c := closureOf(p, &stratum{Stratum: s})
		if c == nil || !c.paths() || p.Relations[c.rel].Facts != nil || p.Relations[c.rel].Source != rel.NoSource {
			continue
		}
		var loops []*rel.Literal
		others := isResult(p, shown, c.rel)
		for i := range w.rules {
			r := &w.rules[i]
			if r.Rel == c.rel || !reads(r, c.rel) {
				continue
			}
			r.Body = slices.Clone(r.Body)
			for k := range r.Body {
				switch l := &r.Body[k]; {
				case l.Kind > rel.Not || l.Rel != c.rel:
				case isLoop(l):
					loops = append(loops, l)
				default:
					others = true
				}
			}
		}
		if !others || loops == nil {
			continue
		}
		twin := w.relation(c.rel, p.Relations[c.rel].Columns)
		for _, l := range loops {
			l.Rel = twin
		}
		for _, i := range s.Rules {
			r := p.Rules[i]
			r.Rel, r.Body = twin, slices.Clone(r.Body)
			for k := range r.Body {
				if l := &r.Body[k]; l.Kind == rel.Atom && l.Rel == c.rel {
					l.Rel = twin
				}
			}
			w.rules = append(w.rules, r)
		}
	}
	return w.program()
}

// spread makes one search of many: where a rule asks a closure which cells those lead to, or come from,
// that the rest of its body gives, and takes no more of them, as Tainted(x) <- Listed(s), Far(s, x)
// does, these cells become a relation that follows the steps from all of them at once. So do what one
// cell leads to and what leads to one, if rules ask for both: no search is by either column. Where a rule
// asks only whether a cell leads anywhere, or comes from anywhere, the steps tell.
func spread(p *rel.Program, shown map[int]int) *rel.Program {
	w := rewriter{p: p, rels: slices.Clip(p.Relations), rules: slices.Clone(p.Rules)}
	strata := p.Strata()
	for _, s := range strata {
		c := closureOf(p, &stratum{Stratum: s})
		if c == nil || !c.paths() || c.base < 0 {
			continue
		}
		both := bothWays(p, c.rel)
		for i := range p.Rules {
			if r := &p.Rules[i]; r.Rel != c.rel && reads(r, c.rel) {
				plain := !r.Aggregates() && !p.Relations[r.Rel].Valued() // else bindings count
				w.ends(c, i, plain)
				loose := plain && !slices.ContainsFunc(strata, func(s rel.Stratum) bool { return s.Recursive && slices.Contains(s.Relations, r.Rel) })
				w.spreads(c, i, loose, both && !r.Aggregates())
			}
		}
		if isRead(p.Rules, c.rel) && !isRead(w.rules, c.rel) && !isResult(p, shown, c.rel) {
			w.done = append(w.done, s.Rules...) // nothing asks the closure any more
		}
	}
	return w.program()
}

// ends lets a rule read the steps of a closure where it takes no more than one end of a pair.
func (w *rewriter) ends(c *closure, i int, plain bool) {
	r := &w.rules[i]
	times := make([]int, len(r.Vars)) // that a variable stands in the rule
	if plain {
		count := func(v int) { times[v]++ }
		for k := range r.Head {
			r.Head[k].Expr.Vars(count)
		}
		for k := range r.Body {
			r.Body[k].Vars(count)
		}
	}
	r.Body = slices.Clone(r.Body)
	for k := range r.Body {
		l := &r.Body[k]
		if l.Rel != c.rel || l.Kind != rel.Not && (l.Kind != rel.Atom || !plain) {
			continue
		}
		for _, t := range l.Terms {
			if t.Kind == rel.Any || t.Kind == rel.Variable && times[t.Var] == 1 {
				l.Rel = c.base
			}
		}
	}
}

// bothWays reports whether rules ask for what a constant leads to, and for what leads to one.
func bothWays(p *rel.Program, at int) bool {
	var asked [2]bool
	for i := range p.Rules {
		for k := range p.Rules[i].Body {
			if l := &p.Rules[i].Body[k]; l.Kind <= rel.Not && l.Rel == at {
				for d, t := range l.Terms {
					asked[d] = asked[d] || t.Kind == rel.Const && l.Terms[1-d].Kind == rel.Variable
				}
			}
		}
	}
	return asked[0] && asked[1]
}

// spreads is spread for the first literal of a rule of which it can be said, until there is none: an atom
// if the rest of the body may go, or one with a constant.
func (w *rewriter) spreads(c *closure, i int, loose, constants bool) {
	for k := range w.rules[i].Body {
		r := w.rules[i]
		l := &r.Body[k]
		if l.Kind > rel.Not || l.Rel != c.rel {
			continue
		}
		for d, from := range l.Terms {
			to := l.Terms[1-d]
			var rest []int
			if loose && l.Kind == rel.Atom {
				rest = behind(&r, k, from, to)
			}
			if rest == nil && (!constants || from.Kind != rel.Const) {
				continue
			}
			// The new relation has the cells at the other end: those one step from a cell that the
			// rest gives, and those one step from a cell that it has.
			at := w.relation(c.rel, w.rels[c.rel].Columns[1-d:][:1])
			next := len(r.Vars)
			vars := rel.Rule{Vars: append(slices.Clip(r.Vars), w.node(c.rel, "v"), w.node(c.rel, "w")), Pos: r.Pos}
			step := func(x rel.Term, y int) rel.Literal {
				pair := []rel.Term{x, {Var: y}}
				if d == 1 {
					slices.Reverse(pair)
				}
				return rel.Literal{Rel: c.base, Terms: pair, Pos: l.Pos}
			}
			body := []rel.Literal{step(from, next)}
			r.Body = slices.Clone(r.Body)
			r.Body[k].Rel, r.Body[k].Terms = at, []rel.Term{to}
			slices.Sort(rest)
			for _, j := range slices.Backward(rest) {
				body = append(body, r.Body[j])
				r.Body = slices.Delete(r.Body, j, j+1)
			}
			prune(&r)
			w.rule(at, []int{next}, body, &vars)
			w.rule(at, []int{next + 1}, []rel.Literal{{Rel: at, Terms: []rel.Term{{Var: next}}, Pos: l.Pos}, step(rel.Term{Var: next}, next+1)}, &vars)
			w.rules[i] = r
			w.spreads(c, i, loose, constants)
			return
		}
	}
}

// node is a variable for a cell of a closure.
func (w *rewriter) node(closure int, name string) rel.Var {
	k := &w.rels[closure].Columns[0]
	return rel.Var{Name: name, Kind: k.Kind, Domain: k.Domain}
}

// behind are the literals of a body that give the variable from of literal k, if they say nothing
// else: neither the head nor another literal has a variable of theirs, nor they to. It is nil if there
// are none.
func behind(r *rel.Rule, k int, from, to rel.Term) (rest []int) {
	if from.Kind != rel.Variable || from == to {
		return nil
	}
	theirs := make([]bool, len(r.Vars))
	theirs[from.Var] = true
	for more := true; more; {
		more = false
		for j := range r.Body {
			if j == k || slices.Contains(rest, j) {
				continue
			}
			var vars []int
			r.Body[j].Vars(func(v int) { vars = append(vars, v) })
			if !slices.ContainsFunc(vars, func(v int) bool { return theirs[v] }) {
				continue
			}
			for _, v := range vars {
				theirs[v] = true
			}
			rest, more = append(rest, j), true
		}
	}
	if to.Kind == rel.Variable && theirs[to.Var] {
		return nil
	}
	for c := range r.Head {
		mine := false
		r.Head[c].Expr.Vars(func(v int) { mine = mine || theirs[v] })
		if mine {
			return nil
		}
	}
	return rest
}

// isResult reports whether a relation is a result, or has the rows of one.
func isResult(p *rel.Program, shown map[int]int, at int) bool {
	return slices.ContainsFunc(p.Results, func(i int) bool {
		to, copies := shown[i]
		return i == at || copies && to == at
	})
}

// isLoop reports whether a literal is of pairs in which a cell leads to itself.
func isLoop(l *rel.Literal) bool {
	return l.Terms[0].Kind == rel.Variable && l.Terms[0] == l.Terms[1]
}
