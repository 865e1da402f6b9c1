package engine

import (
	"fmt"
	"reflect"
	"slices"

	"ein/internal/lists"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// rewrite brings the closures of a program into their simplest form: the steps of a recursion,
// whatever describes them, become a relation of their own. Far(x, z) <- Far(x, y), Pay(y, z, _, a),
// a > 9 becomes Far(x, z) <- Far(x, y), Step(y, z). It cuts longer recursive rules. Results that
// only show all rows of a relation lose their rule: shown says where their rows are.
func rewrite(p *rel.Program) (written *rel.Program, shown map[int]int) {
	p, shown = show(p)
	w := rewriter{p: p, rules: slices.Clone(p.Rules)}
	w.rels = slices.Clip(p.Relations)
	for _, s := range p.Strata() {
		if s.Recursive && len(s.Relations) == 1 {
			w.closure(s)
		}
		for _, i := range s.Rules {
			for s.Recursive && w.cut(s, i) {
			}
		}
	}
	return w.program(), shown
}

// show removes the rules of results that copy a relation as it is. Its rows are then those of the
// relation that it copies, whose number is in the map.
func show(p *rel.Program) (*rel.Program, map[int]int) {
	rules, uses := make([]int, len(p.Relations)), make([]int, len(p.Relations))
	for i := range p.Rules {
		rules[p.Rules[i].Rel]++
		for k := range p.Rules[i].Body {
			if l := &p.Rules[i].Body[k]; l.Kind <= rel.Not {
				uses[l.Rel]++
			}
		}
	}
	shown := map[int]int{}
	copies := func(r *rel.Rule) bool {
		own := &p.Relations[r.Rel]
		if !slices.Contains(p.Results, r.Rel) || rules[r.Rel] > 1 || uses[r.Rel] > 0 || own.Valued() || own.Facts != nil || own.Source != rel.NoSource ||
			len(r.Body) != 1 || r.Body[0].Kind != rel.Atom || len(r.Head) != len(r.Body[0].Terms) {
			return false
		}
		l := &r.Body[0]
		if p.Relations[l.Rel].Source == rel.FromElements { // which may be no numbers
			return false
		}
		for c, t := range l.Terms {
			v, ok := variable(&r.Head[c])
			from, to := &p.Relations[l.Rel].Columns[c], &own.Columns[c]
			if !ok || t != (rel.Term{Var: v}) || slices.Contains(l.Terms[:c], t) || from.Kind != to.Kind || from.Domain != to.Domain {
				return false
			}
		}
		shown[r.Rel] = l.Rel
		return true
	}
	var kept []rel.Rule
	for i := range p.Rules {
		if !copies(&p.Rules[i]) {
			kept = append(kept, p.Rules[i])
		}
	}
	if len(shown) == 0 {
		return p, nil
	}
	q := *p
	q.Rules = kept
	return &q, shown
}

// rewriter holds the relations and rules of a program that rewrite adds to.
type rewriter struct {
	p     *rel.Program
	rels  []rel.Relation
	rules []rel.Rule
	done  []int // rules that others have taken the place of
}

// square reports whether a relation holds pairs of one domain.
func square(r *rel.Relation) bool {
	return len(r.Columns) == 2 && !r.Valued() && r.Columns[0].Domain != nil && r.Columns[0].Domain == r.Columns[1].Domain
}

// link is how a recursive rule of P makes a pair (x, z).
type link uint8

const (
	noLink link = iota
	left        // P(x, z) <- P(x, y), a step from y to z
	right       // P(x, z) <- a step from x to y, P(y, z)
	double      // P(x, z) <- P(x, y), P(y, z)
)

// linkOf is the link of a rule of P, and the variables at the ends of its step.
func linkOf(r *rel.Rule) (k link, from, to int) {
	var own []*rel.Literal
	for i := range r.Body {
		if l := &r.Body[i]; l.Kind == rel.Atom && l.Rel == r.Rel {
			own = append(own, l)
		}
	}
	x, xok := variable(&r.Head[0])
	z, zok := variable(&r.Head[1])
	if !xok || !zok || x == z || len(own) == 0 {
		return noLink, 0, 0
	}
	for _, l := range own {
		if l.Terms[0].Kind != rel.Variable || l.Terms[1].Kind != rel.Variable || l.Terms[0].Var == l.Terms[1].Var {
			return noLink, 0, 0
		}
	}
	a, b := own[0].Terms[0].Var, own[0].Terms[1].Var
	if len(own) == 2 {
		c, d := own[1].Terms[0].Var, own[1].Terms[1].Var
		if a != x { // the atoms stand the other way round
			a, b, c, d = c, d, a, b
		}
		if a == x && b == c && d == z && len(r.Body) == 2 {
			return double, 0, 0
		}
		return noLink, 0, 0
	}
	// The rest of the body must give the other end of the step, and not see past it.
	var seen, given []int
	for i := range r.Body {
		l := &r.Body[i]
		if l == own[0] {
			continue
		}
		l.Vars(func(v int) {
			if seen = append(seen, v); l.Kind == rel.Atom {
				given = append(given, v)
			}
		})
	}
	alone := func(out int, ends ...int) bool {
		return !slices.Contains(seen, out) && slices.Contains(given, ends[0]) && slices.Contains(given, ends[1])
	}
	switch {
	case len(own) > 1:
	case a == x && b != z && alone(x, b, z):
		return left, b, z
	case b == z && a != x && alone(z, x, a):
		return right, x, a
	}
	return noLink, 0, 0
}

func variable(c *rel.Cell) (v int, ok bool) {
	return c.Expr.Term.Var, c.Agg == rel.NoAgg && isVariable(&c.Expr)
}

func isVariable(e *rel.Expr) bool { return len(e.Args) == 0 && e.Term.Kind == rel.Variable }

// closure gives the steps of a closure a relation, unless they already are one.
func (w *rewriter) closure(s rel.Stratum) {
	at := s.Relations[0]
	if !square(&w.p.Relations[at]) {
		return
	}
	kind, steps := noLink, false
	var first, rules []int
	for _, i := range s.Rules {
		r := &w.p.Rules[i]
		if own(r) < 0 {
			first = append(first, i)
			continue
		}
		k, from, to := linkOf(r)
		if k == noLink || kind != noLink && (k == double || k != kind) {
			return
		}
		kind, rules, steps = k, append(rules, i), isStep(w.p, r, from, to)
	}
	p := &w.p.Relations[at]
	if kind == double {
		if len(first) == 0 || len(first) == 1 && isPair(w.p, &w.p.Rules[first[0]]) || p.Facts != nil || p.Source != rel.NoSource {
			return
		}
	}
	if len(rules) == 1 && steps {
		return
	}
	// The rest of each recursive body becomes a rule for the steps, and the rule keeps P and one
	// step.
	step, made := w.relation(at, p.Columns), len(w.rules)
	// Pairs of pairs are paths of first pairs, so the rules for these make the steps.
	if kind == double {
		for _, i := range first {
			r := w.rules[i]
			r.Rel = step
			prune(&r)
			w.rules = append(w.rules, r)
		}
		w.paths(first, step, w.rules[made:])
		return
	}
	for _, i := range rules {
		r := w.p.Rules[i]
		_, from, to := linkOf(&r)
		k := own(&r)
		w.rule(step, []int{from, to}, without(r.Body, k, k), &r)
		r.Body = []rel.Literal{r.Body[k], {Rel: step, Terms: []rel.Term{{Var: from}, {Var: to}}, Pos: r.Body[k].Pos}}
		prune(&r)
		w.rules[i] = r
	}
	w.paths(first, step, w.rules[made:])
}

// paths makes one rule of those for the first pairs of a closure, if they say what those for its steps say.
func (w *rewriter) paths(first []int, step int, steps []rel.Rule) {
	says := func(r *rel.Rule, list []rel.Rule) bool {
		return slices.ContainsFunc(list, func(s rel.Rule) bool {
			return reflect.DeepEqual(r.Head, s.Head) && slices.EqualFunc(r.Body, s.Body, func(a, b rel.Literal) bool {
				a.Pos, b.Pos = rel.Literal{}.Pos, rel.Literal{}.Pos
				return reflect.DeepEqual(a, b)
			})
		})
	}
	alike := func(r rel.Rule) rel.Rule { // where literals stand among the atoms does not matter
		var atoms, others []rel.Literal
		for _, l := range r.Body {
			if l.Kind == rel.Atom {
				atoms = append(atoms, l)
			} else {
				others = append(others, l)
			}
		}
		r.Body = append(atoms, others...)
		prune(&r)
		return r
	}
	steps = lists.Map(steps, alike)
	var given []rel.Rule
	for _, i := range first {
		r := alike(w.rules[i])
		if !says(&r, steps) {
			return
		}
		given = append(given, r)
	}
	if len(first) == 0 || slices.ContainsFunc(steps, func(s rel.Rule) bool { return !says(&s, given) }) {
		return
	}
	r, node := given[0], w.node(step, "v")
	r.Vars, r.Head = []rel.Var{node, node}, []rel.Cell{{Expr: rel.V(0)}, {Expr: rel.V(1)}}
	r.Body = []rel.Literal{{Rel: step, Terms: []rel.Term{{Var: 0}, {Var: 1}}, Pos: r.Pos}}
	w.rules[first[0]], w.done = r, append(w.done, first[1:]...)
}

// program is what has been written.
func (w *rewriter) program() *rel.Program {
	slices.Sort(w.done)
	for _, i := range slices.Backward(w.done) {
		w.rules = slices.Delete(w.rules, i, i+1)
	}
	return &rel.Program{Domains: w.p.Domains, Relations: w.rels, Rules: w.rules, Results: w.p.Results}
}

// relation adds a relation with the name of another and a number, by which Explain tells them apart.
func (w *rewriter) relation(like int, columns []tensor.Column) int {
	name := fmt.Sprintf("%s'%d", w.rels[like].Name, len(w.rels))
	w.rels = append(w.rels, rel.Relation{Name: name, Columns: columns, Pos: w.rels[like].Pos})
	return len(w.rels) - 1
}

// rule adds a rule that shares the variables of another.
func (w *rewriter) rule(at int, head []int, body []rel.Literal, like *rel.Rule) {
	r := rel.Rule{Rel: at, Body: body, Vars: like.Vars, Pos: like.Pos}
	for _, v := range head {
		r.Head = append(r.Head, rel.Cell{Expr: rel.V(v)})
	}
	prune(&r)
	w.rules = append(w.rules, r)
}

// cut finds two atoms in a recursive rule of three or more that share a variable no other literal
// has, and replaces them by a relation of their other variables, at most two. So Load(x, y),
// Points(y, z), Points(z, w) joins by way of pairs of x and z, of which there are few, rather than
// of all x, y and z: on points-to it is four to seven times as fast.
func (w *rewriter) cut(s rel.Stratum, i int) bool {
	r := w.rules[i]
	if r.Aggregates() || len(r.Body) < 3 || w.rels[r.Rel].Valued() {
		return false
	}
	where := make([][]int, len(r.Vars)) // the literals that have a variable; -1 is the head
	for k := range r.Head {
		r.Head[k].Expr.Vars(func(v int) { where[v] = append(where[v], -1) })
	}
	for k := range r.Body {
		l := &r.Body[k]
		if l.Kind != rel.Atom || w.rels[l.Rel].Valued() || w.rels[l.Rel].Source == rel.FromElements {
			return false
		}
		for c, t := range l.Terms {
			if t.Kind == rel.Variable && !slices.Contains(l.Terms[:c], t) {
				where[t.Var] = append(where[t.Var], k)
			}
		}
	}
	// Of several such variables, that of the fewest recursive atoms: pairs of none are made once.
	best, bestInside := -1, 0
	var bestKept []int
	for v, at := range where {
		if len(at) != 2 || at[0] < 0 {
			continue
		}
		var kept []int
		inside := 0
		for _, k := range at {
			if slices.Contains(s.Relations, r.Body[k].Rel) {
				inside++
			}
			for _, t := range r.Body[k].Terms {
				if t.Kind == rel.Variable && t.Var != v && !slices.Contains(kept, t.Var) && slices.ContainsFunc(where[t.Var], func(x int) bool { return !slices.Contains(at, x) }) {
					kept = append(kept, t.Var)
				}
			}
		}
		// A relation of three variables or more could have as many rows as the join that it saves.
		if len(kept) <= 2 && (best < 0 || inside < bestInside) {
			best, bestInside, bestKept = v, inside, kept
		}
	}
	if best < 0 {
		return false
	}
	a, b := where[best][0], where[best][1]
	var columns []tensor.Column
	var terms []rel.Term
	for _, v := range bestKept {
		x := &r.Vars[v]
		columns = append(columns, tensor.Column{Name: x.Name, Kind: x.Kind, Domain: x.Domain})
		terms = append(terms, rel.Term{Var: v})
	}
	middle := w.relation(r.Rel, columns)
	w.rule(middle, bestKept, []rel.Literal{r.Body[a], r.Body[b]}, &r)
	r.Body = append(without(r.Body, a, b), rel.Literal{Rel: middle, Terms: terms, Pos: r.Body[a].Pos})
	prune(&r)
	w.rules[i] = r
	return true
}

// without is a body without the literals a and b.
func without(body []rel.Literal, a, b int) (rest []rel.Literal) {
	for i := range body {
		if i != a && i != b {
			rest = append(rest, body[i])
		}
	}
	return rest
}

// own is the place of the first atom in which a rule reads its own relation, or -1.
func own(r *rel.Rule) int {
	return slices.IndexFunc(r.Body, func(l rel.Literal) bool { return l.Kind == rel.Atom && l.Rel == r.Rel })
}

// isPair reports whether a rule copies pairs of another relation.
func isPair(p *rel.Program, r *rel.Rule) bool {
	x, xok := variable(&r.Head[0])
	y, yok := variable(&r.Head[1])
	l := &r.Body[0]
	return xok && yok && x != y && len(r.Body) == 1 && l.Kind == rel.Atom && square(&p.Relations[l.Rel]) &&
		l.Terms[0] == (rel.Term{Var: x}) && l.Terms[1] == (rel.Term{Var: y})
}

// isStep reports whether the body of a rule of P is P and one atom of pairs, from one end of the step to
// the other.
func isStep(p *rel.Program, r *rel.Rule, from, to int) bool {
	if len(r.Body) != 2 {
		return false
	}
	other := &r.Body[0]
	if other.Kind != rel.Atom || other.Rel == r.Rel {
		other = &r.Body[1]
	}
	return other.Kind == rel.Atom && square(&p.Relations[other.Rel]) && other.Terms[0] == (rel.Term{Var: from}) && other.Terms[1] == (rel.Term{Var: to})
}

// prune removes variables that a rule does not use. It copies what it changes, since the rule
// shares the rest with others.
func prune(r *rel.Rule) {
	place := make([]int, len(r.Vars))
	var vars []rel.Var
	term := func(t *rel.Term) {
		if t.Kind != rel.Variable {
			return
		}
		if place[t.Var] == 0 { // no place yet; others are 1 more than they are
			vars = append(vars, r.Vars[t.Var])
			place[t.Var] = len(vars)
		}
		t.Var = place[t.Var] - 1
	}
	var move func(e *rel.Expr)
	move = func(e *rel.Expr) {
		if len(e.Args) == 0 {
			term(&e.Term)
			return
		}
		e.Args = slices.Clone(e.Args)
		for i := range e.Args {
			move(&e.Args[i])
		}
	}
	r.Head = slices.Clone(r.Head)
	for i := range r.Head {
		move(&r.Head[i].Expr)
	}
	r.Body = slices.Clone(r.Body)
	for i := range r.Body {
		l := &r.Body[i]
		switch l.Kind {
		case rel.Bind:
			v := rel.Term{Var: l.Var}
			term(&v)
			l.Var = v.Var
			move(&l.Left)
		case rel.Compare:
			move(&l.Left)
			move(&l.Right)
		default:
			l.Terms = slices.Clone(l.Terms)
			for k := range l.Terms {
				term(&l.Terms[k])
			}
		}
	}
	r.Vars = vars
}
