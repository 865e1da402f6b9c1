package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// ground finds the variables that nothing gives a value, whatever the order of the literals. Atoms
// give all of theirs; an equation gives one once all others in it are known, to a fixed point. A
// variable that only waits for others is not reported unless all do, in a circle: the report about
// the others is enough.
func (c *checker) ground(cl *clause) {
	for i := range cl.Body {
		if l := &cl.Body[i]; l.Kind == rel.Atom {
			l.Vars(func(v int) { cl.vars[v].sourced = true })
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range cl.Body {
			l := &cl.Body[i]
			if l.Kind != rel.Bind {
				continue
			}
			// Of two variables, either may give the other its value.
			if cl.vars[l.Var].sourced && isVar(&l.Left) && !cl.vars[l.Left.Term.Var].sourced {
				l.Var, l.Left = l.Left.Term.Var, rel.V(l.Var)
			}
			known := true
			l.Left.Vars(func(v int) { known = known && cl.vars[v].sourced })
			if known && !cl.vars[l.Var].sourced {
				cl.vars[l.Var].sourced, changed = true, true
			}
		}
	}
	if cl.bad { // what is wrong has been said
		return
	}
	blamed, left := false, -1
	for v := range cl.vars {
		if x := &cl.vars[v]; !x.sourced && !x.hidden {
			if cl.bad = true; cl.waits(v) {
				left = v
				continue
			}
			blamed = true
			c.noSource(cl, x)
		} else if _, constant := c.known(x.name); !cl.bad && !x.hidden && x.count == 1 && cl.query == "" && x.name[0] != '_' && (!constant || len(x.name) == 1) { // else W0829 has told
			c.onlyOnce(cl, x)
		}
	}
	if !blamed && left >= 0 {
		c.noSource(cl, &cl.vars[left])
	}
}

// waits reports whether a variable would have a value if others had.
func (cl *clause) waits(v int) (waits bool) {
	for _, l := range cl.Body {
		if l.Kind == rel.Bind && l.Var == v {
			l.Left.Vars(func(x int) { waits = waits || x != v && !cl.vars[x].sourced })
		}
	}
	return waits
}

// noSource says why a variable has no source.
func (c *checker) noSource(cl *clause, x *variable) {
	inNot := source.Span{}
	for i, l := range cl.Body {
		at, ok := occurs(&cl.src[i], x.name)
		switch {
		case !ok:
		case l.Kind == rel.Not:
			inNot = at
		case l.Kind == rel.Compare || l.Kind == rel.Bind:
			c.onlyTested(x, at, &cl.src[i])
			return
		}
	}
	switch {
	case inNot != (source.Span{}):
		inHead := cl.head != nil && slices.ContainsFunc(cl.Head, func(h rel.Cell) bool { return isVar(&h.Expr) && &cl.vars[h.Expr.Term.Var] == x })
		c.onlyNegated(x, inNot, inHead)
	case len(cl.Body) == 0:
		c.say(variableInFact, x.first, x.name)
	default:
		name := ""
		if cl.of != nil {
			name = cl.of.name
		}
		m := headOnly
		if _, agg := aggregates[x.name]; agg {
			m.note = "An aggregate has brackets: `count()`, `sum(a)`."
		}
		m.note = cmp.Or(stdlib.InBody[x.name].Note, m.note)
		c.say(m, x.first, x.name, name)
	}
}

// occurs is the place of a variable in a literal.
func occurs(l *syntax.Literal, name string) (at source.Span, ok bool) {
	visit := func(n syntax.Node) bool {
		if x, is := n.(*syntax.Name); is && x.Name == name && !ok {
			at, ok = x.Span, true
		}
		return !ok
	}
	syntax.Walk(l.X, visit)
	syntax.Walk(l.Value, visit)
	return at, ok
}

// skeleton is the program of some clauses, or all, with its dependencies but without its constants.
func (c *checker) skeleton(clauses []*clause) *rel.Program {
	p := &rel.Program{}
	for _, r := range c.rel.list {
		p.Relations = append(p.Relations, rel.Relation{Name: r.name, Fold: r.fold})
	}
	for _, cl := range clauses {
		if cl.of == nil {
			p.Relations = append(p.Relations, rel.Relation{Name: cl.query})
		}
		cl.Vars = cl.Vars[:0]
		for _, v := range cl.vars {
			cl.Vars = append(cl.Vars, rel.Var{Name: v.name})
		}
		p.Rules = append(p.Rules, cl.Rule)
	}
	return p
}

// stratify finds what depends on its own negation or aggregate, and recursion that may not end.
// Package rel decides; here it is found how to show it: by the shortest chain of rules that leads
// back. Each kind of mistake is reported once in a stratum.
func (c *checker) stratify(p *rel.Program, clauses []*clause) {
	for _, s := range p.Strata() {
		// One report for each kind of mistake in a stratum: the other rules of a cycle would show
		// the same picture.
		said := map[error]bool{}
		for _, i := range s.Rules {
			cl := clauses[i]
			if cl.bad {
				continue
			}
			if c.rel.parts += s.Planned(&p.Rules[i]) - len(cl.Body); c.overLimit(cl.span) { // its body counts already
				return
			}
			err := p.Stratified(i, &s)
			if err == nil {
				continue
			}
			kind := err
			for _, k := range []error{rel.ErrNegation, rel.ErrAggregate, rel.ErrInvents} {
				if errors.Is(err, k) {
					kind = k
				}
			}
			if cl.bad = true; said[kind] {
				continue
			}
			said[kind] = true
			back := -1 // the literal that leads back by the shortest way
			var way []string
			for j, l := range cl.Body {
				inside := l.Kind <= rel.Not && slices.Contains(s.Relations, l.Rel)
				if !inside || errors.Is(kind, rel.ErrNegation) && l.Kind != rel.Not {
					continue
				}
				if w := c.wayBack(p, clauses, l.Rel, cl.Rel); back < 0 || len(w) < len(way) {
					back, way = j, w
				}
			}
			if back < 0 {
				c.say(notFinal, cl.span, err)
				continue
			}
			picture := strings.Join(append([]string{cl.of.name, c.hop(p, &cl.Body[back], cl.span)}, way...), " -> ")
			switch {
			case errors.Is(kind, rel.ErrNegation):
				c.say(ownNegation, cl.src[back].Span, cl.of.name, picture)
			case errors.Is(kind, rel.ErrAggregate):
				c.say(ownAggregate, cl.src[back].Span, cl.of.name, picture)
			case errors.Is(kind, rel.ErrInvents):
				c.invents(cl, picture)
			default:
				c.say(notFinal, cl.span, err)
			}
		}
	}
}

func (c *checker) line(at source.Span) int { return c.file.Source.Position(at.Start).Line }

// hop shows what a literal of the rule at a place reads.
func (c *checker) hop(p *rel.Program, l *rel.Literal, at source.Span) string {
	not := ""
	if l.Kind == rel.Not {
		not = "not "
	}
	return fmt.Sprintf("%s%s (line %d)", not, p.Relations[l.Rel].Name, c.line(at))
}

// wayBack is the shortest chain of rules from one relation to another, each with its line. A search
// in breadth, from relation to relation.
func (c *checker) wayBack(p *rel.Program, clauses []*clause, from, to int) (way []string) {
	type step struct {
		before int // the step before, -1 of the first
		rel    int
		text   string
	}
	queue := []step{{-1, from, ""}}
	seen := map[int]bool{from: true}
	for at := 0; at < len(queue); at++ {
		if queue[at].rel == to {
			for ; queue[at].before >= 0; at = queue[at].before {
				way = append(way, queue[at].text)
			}
			slices.Reverse(way)
			return way
		}
		for i := range p.Rules {
			if p.Rules[i].Rel != queue[at].rel {
				continue
			}
			for k := range p.Rules[i].Body {
				l := &p.Rules[i].Body[k]
				if c.step(1) || l.Kind > rel.Not || seen[l.Rel] {
					continue
				}
				seen[l.Rel] = true
				queue = append(queue, step{at, l.Rel, c.hop(p, l, clauses[i].span)})
			}
		}
	}
	return way
}

// habits warns about what is allowed but seldom meant in new clauses and facts of some relations.
// What it needs of clauses before is kept in relations, so that a session looks at each clause
// once.
func (c *checker) habits(clauses []*clause, list []*relation) {
	r := c.rel
	c.fill(clauses, list)
	if r.variables == nil {
		r.variables, r.alike, r.forms = map[string]bool{}, map[likeness][]*clause{}, map[string]source.Span{}
	}
	for _, cl := range clauses {
		for name := range cl.ids {
			r.variables[name] = r.variables[name] || cl.query == ""
		}
		if cl.bad {
			continue
		}
		for i, x := range cl.uses {
			if x != nil && !x.filled && cl.Body[i].Kind == rel.Atom && (cl.of == nil || cl.of.filled) {
				c.nothingFills(x, cl.src[i].X.Pos())
			}
		}
		c.impossible(cl)
		c.realJoins(cl)
		c.crossProduct(cl)
		if cl.of != nil && len(cl.Body) > 0 {
			like := likeness{cl.of, len(cl.Body)}
			r.alike[like] = append(r.alike[like], cl)
			c.compareForms(r.alike[like])
		}
	}
	for _, x := range list {
		if x.rows == nil {
			x.rows = map[string]source.Span{}
		}
		var row []byte
		for _, f := range x.facts[x.checked:] {
			row = row[:0]
			var letters []string
			for _, k := range f.row {
				k := &r.consts[k]
				row = strconv.AppendFloat(strconv.AppendQuote(row, k.text), k.num, 'g', -1, 64)
				if len(k.text) == 1 && k.span.Len() == 1 && isVariable(k.text) && r.variables[k.text] {
					letters = append(letters, k.text)
				}
			}
			if len(letters) == len(f.row) && len(letters) > 0 {
				c.lettersAreConstants(f.span, letters)
			}
			if first, again := x.rows[string(row)]; again && x.fold == rel.NoAgg {
				c.doubled("fact", f.span, first, "first here")
			} else if !again {
				x.rows[string(row)] = f.span
			}
		}
		x.checked = len(x.facts)
	}
}

// compareForms looks for a rule that says what one before it says. One that is like no other is not
// brought into its form; the first of a kind is when the second comes.
func (c *checker) compareForms(alike []*clause) {
	if len(alike) == 1 {
		return
	}
	if len(alike) > 2 {
		alike = alike[len(alike)-1:]
	}
	for _, cl := range alike {
		form := c.form(cl)
		if first, again := c.rel.forms[form]; again {
			c.doubled("rule", cl.span, first, "the other one")
		} else {
			c.rel.forms[form] = cl.span
		}
	}
}

// fill marks the relations that may have rows, given new clauses and facts: those with facts or
// data, and those with a rule whose atoms all may. A negation never stops a rule from having rows.
func (c *checker) fill(clauses []*clause, list []*relation) {
	queue := slices.Clone(clauses)
	for _, r := range list {
		if !r.filled && (len(r.facts) > 0 || r.input != nil || r.source != rel.NoSource) {
			r.filled = true
			queue = append(queue, c.rel.readers[r.place]...)
		}
	}
	c.settle(queue, func(cl *clause) bool {
		if cl.of == nil || cl.of.filled || c.step(len(cl.uses)) {
			return false
		}
		able := true
		for i, r := range cl.uses {
			able = able && (r == nil || r.filled || cl.Body[i].Kind != rel.Atom)
		}
		cl.of.filled = able || cl.bad
		return cl.of.filled
	})
}

// impossible warns about a body that nothing satisfies, because of two bounds of a variable, or a
// constant that the facts of a relation lack.
func (c *checker) impossible(cl *clause) {
	// The narrowest bounds of each variable so far; strict ones exclude their end.
	type bounds struct {
		low, high             float64
		isLow, isHigh         bool
		lowStrict, highStrict bool
	}
	of := map[int]bounds{}
	for i, l := range cl.Body {
		if l.Kind == rel.Atom {
			c.missing(cl, i)
		}
		c.unmatched(cl, &cl.Body[i])
		c.namesInOrder(cl, &cl.Body[i], cl.src[i].Span)
		a, b, fn := l.Left, l.Right, l.Fn
		if l.Kind == rel.Bind {
			a, b, fn = rel.V(l.Var), l.Left, op.FnEq
		} else if l.Kind != rel.Compare {
			continue
		}
		if isVar(&a) && isVar(&b) && a.Term.Var == b.Term.Var && (fn == op.FnNe || fn == op.FnGt || fn == op.FnLt) {
			c.say(neverFires, cl.src[i].Span, "nothing differs from itself")
			return
		}
		if isVar(&b) {
			a, b = b, a
			fn = map[op.Fn]op.Fn{op.FnGt: op.FnLt, op.FnGe: op.FnLe, op.FnLt: op.FnGt, op.FnLe: op.FnGe, op.FnEq: op.FnEq}[fn]
		}
		right, left := c.rel.constantIn(&b), c.rel.constantIn(&a)
		if right == nil || !right.isNum {
			continue
		}
		x := right.num
		if left != nil && left.isNum && l.Kind == rel.Compare && l.Fn.Apply(left.num, x, 0) == 0 {
			c.say(neverFires, cl.src[i].Span, "it compares two constants")
			return
		}
		if !isVar(&a) {
			continue
		}
		k := of[a.Term.Var]
		if (fn == op.FnGt || fn == op.FnGe || fn == op.FnEq) && (!k.isLow || x > k.low || x == k.low && !k.lowStrict) {
			k.low, k.isLow, k.lowStrict = x, true, fn == op.FnGt
		}
		if (fn == op.FnLt || fn == op.FnLe || fn == op.FnEq) && (!k.isHigh || x < k.high || x == k.high && !k.highStrict) {
			k.high, k.isHigh, k.highStrict = x, true, fn == op.FnLt
		}
		if k.isLow && k.isHigh && (k.low > k.high || k.low == k.high && (k.lowStrict || k.highStrict)) {
			above, below := "at least", "at most"
			if k.lowStrict {
				above = "above"
			}
			if k.highStrict {
				below = "below"
			}
			c.say(neverFires, cl.src[i].Span, fmt.Sprintf("no `%s` is %s %v and %s %v", cl.vars[a.Term.Var].name, above, k.low, below, k.high))
			return
		}
		of[a.Term.Var] = k
	}
}

// unmatched warns about a name that no row has where something is to be equal to it.
func (c *checker) unmatched(cl *clause, l *rel.Literal) {
	for _, e := range [...]*rel.Expr{&l.Left, &l.Right} {
		if l.Kind <= rel.Not || l.Kind == rel.Bind && !cl.inAtom(l.Var) || l.Kind == rel.Compare && l.Fn != op.FnEq && l.Fn != op.FnNe {
			continue
		}
		if k := c.rel.constantIn(e); k != nil && !k.isNum && c.nowhere(k.text) {
			c.unknownConstant(&syntax.String{Span: k.span, Value: k.text})
		}
	}
}

// realJoins warns about variables that join columns of real numbers.
func (c *checker) realJoins(cl *clause) {
	in := make([]int, len(cl.vars))
	for i, l := range cl.Body {
		for k, t := range l.Terms {
			if t.Kind == rel.Variable && l.Kind <= rel.Not && cl.uses[i].cols[k].kind == tensor.RealColumn && !cl.uses[i].extreme(k) {
				if in[t.Var]++; in[t.Var] == 2 && !cl.vars[t.Var].hidden {
					c.say(realJoin, cl.vars[t.Var].first, cl.vars[t.Var].name)
				}
			}
		}
	}
}

// extreme reports whether a column holds least or greatest values as they were: a join finds whose they are.
func (r *relation) extreme(col int) bool {
	computes := func(cl *clause) bool {
		if col >= len(cl.Head) { // what is wrong with it has been said
			return true
		}
		cell := cl.Head[col]
		return cell.Agg != rel.Min && cell.Agg != rel.Max || len(cell.Expr.Args) > 0
	}
	return len(r.rules) > 0 && len(r.facts) == 0 && !slices.ContainsFunc(r.rules, computes)
}

// missing warns about a constant that is in no row of a relation of facts.
func (c *checker) missing(cl *clause, i int) {
	r := cl.uses[i]
	if len(r.rules) > 0 || r.input != nil || len(r.facts) == 0 {
		return
	}
	for col, t := range cl.Body[i].Terms {
		if t.Kind != rel.Const {
			continue
		}
		k := &c.rel.consts[int(t.Value)]
		if !k.isNum && c.nowhere(k.text) || k.nowhere {
			continue // said of the constant itself
		}
		if !slices.ContainsFunc(r.facts, func(f fact) bool {
			c.step(1)
			x := &c.rel.consts[f.row[col]]
			return x.text == k.text && x.num == k.num && x.isNum == k.isNum
		}) {
			c.notInColumn(r, col, k)
			return
		}
	}
}

// crossProduct warns about atoms that share no variable, not even through comparisons.
func (c *checker) crossProduct(cl *clause) {
	group := lists.Upto(len(cl.vars))
	find := func(v int) int {
		for group[v] != v {
			v = group[v]
		}
		return v
	}
	atoms := make([]int, 0, len(cl.Body))
	first := make([]int, len(cl.Body)) // the first variable of a literal
	for i := range cl.Body {
		l := &cl.Body[i]
		first[i] = -1
		l.Vars(func(v int) {
			if first[i] < 0 {
				first[i] = v
			}
			group[find(v)] = find(first[i])
		})
		if l.Kind == rel.Atom && first[i] >= 0 && !cl.uses[i].total() {
			atoms = append(atoms, i)
		}
	}
	for _, i := range atoms {
		if find(first[i]) != find(first[atoms[0]]) {
			c.shareNothing(cl, atoms[0], i)
			return
		}
	}
}

// total reports whether a relation has one row of aggregates, with which others may be compared.
func (r *relation) total() bool {
	grouped := func(x rel.Cell) bool { return x.Agg == rel.NoAgg }
	return r.input == nil && len(r.facts) == 0 && len(r.rules) == 1 && !slices.ContainsFunc(r.rules[0].Head, grouped)
}

// form is a rule with variables numbered by occurrence and sorted literals, so that rules that say the
// same have one form.
func (c *checker) form(cl *clause) string {
	// Variables are numbered in the head first, then in the body in the order of the sorted
	// literals.
	number := map[int]int{}
	see := func(v int) {
		if _, ok := number[v]; !ok {
			number[v] = len(number)
		}
	}
	for _, h := range cl.Head {
		h.Expr.Vars(see)
	}
	var body []*rel.Literal
	for i := range cl.Body {
		body = append(body, &cl.Body[i])
	}
	slices.SortStableFunc(body, func(a, b *rel.Literal) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rel, b.Rel)) })
	for _, l := range body {
		l.Vars(see)
	}
	var b strings.Builder
	term := func(t rel.Term) {
		switch t.Kind {
		case rel.Variable:
			fmt.Fprintf(&b, "v%d,", number[t.Var])
		case rel.Const:
			k := &c.rel.consts[int(t.Value)]
			fmt.Fprintf(&b, "%q:%v,", k.text, k.num)
		default:
			b.WriteString("_,")
		}
	}
	var expr func(e *rel.Expr)
	expr = func(e *rel.Expr) {
		if len(e.Args) == 0 {
			term(e.Term)
			return
		}
		fmt.Fprintf(&b, "%v(", e.Fn)
		for i := range e.Args {
			expr(&e.Args[i])
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, "%d<", cl.Rel)
	for i := range cl.Head {
		fmt.Fprintf(&b, "%v ", cl.Head[i].Agg)
		expr(&cl.Head[i].Expr)
	}
	for _, l := range body {
		fmt.Fprintf(&b, ";%d %d %v ", l.Kind, l.Rel, l.Fn)
		for _, t := range l.Terms {
			term(t)
		}
		switch l.Kind {
		case rel.Bind:
			term(rel.Term{Var: l.Var})
			expr(&l.Left)
		case rel.Compare:
			expr(&l.Left)
			expr(&l.Right)
		}
	}
	return b.String()
}
