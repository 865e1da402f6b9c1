// Package engine evaluates relations: semi-naively, stratum by stratum, in an order planned from
// sizes before the run.
//
// # Planning
//
// [New] takes a verified [rel.Program] and the sizes of its inputs, and makes a [Plan]. It first
// rewrites the rules, which AsWritten in the program turns off:
//
//   - The steps of a closure become a relation, so that all spellings of it are one: bits if all
//     pairs are needed, else a search for each cell needed. Far(x, x) takes the components,
//     without pairs; Listed(s), Far(s, x) is one search (rewrite.go, readers.go, closure.go).
//   - Only rows that a query can use are made: demand pushes the constants of queries into the
//     rules (magic sets; demand.go).
//   - Bodies that only restrict are cut, and columns of one relation are counted and folded
//     without bindings (group.go).
//
// A Plan is a list of strata, each with rules that run once and rules that run in every round. A
// rule is a nest of loops, one step for each literal: tests as early as possible, then the atom
// with the fewest rows; new rows come first. Steps leave what they read in registers, one for
// each variable. Where the second step looks up rows that may be more than the caches hold, these
// are sorted by the cells they are looked up by, and the first step reads its rows in the same order,
// so that memory is read from its start to its end. The last corner of a clique is looked up in a
// row of bits (plan.go).
// [Plan.Explain] says what was chosen. bound.go bounds rows and operations: a column has at most
// the distinct cells of its sources; a body has at most the rows of each atom that agree with the
// atoms before it; and over all rounds each combination of rows is new only once. Where rows are
// known before the run, their joins are counted instead (known.go).
//
// # Running
//
// [Plan.Run] evaluates. The rows of a relation are in a store (store.go): cells of 32 bits, found
// by a bit or a place if there are few combinations, else by hashing, in order of arrival, so
// that the new ones are a range. A cell is a member of a domain or a number; small whole numbers
// are their own code, others have one in a pool, so equal cells are equal codes. A round joins
// the rows that the last one added with all others, until a round adds none. Recursions over
// pairs of a small domain work on rows of bits instead, if each rule goes through one list at
// most (dense.go). Folds by min and max take keys from a radix heap, best first, until one
// improves on a key already taken, then go on in rounds; more rounds than rows mean a cycle
// (value.go, best.go).
//
// A run does the same operations in the same order on every machine. It counts them before they
// are done and pays for memory before it is allocated, so it stops at the limits of its
// [kernel.Ctl] and its [Budget] and never beyond.
//
// Proofs (why.go) cost nothing until somebody asks. Then the rows that lead to the goal are
// derived again, in rounds: the round of a row is its least height, and the proof is read off
// from the goal down. For a missing row, each rule runs from its head.
//
// The types, in the order in which one meets them: a [Plan] has strata (stratum), a stratum has
// nests, one for each rule or for each of its atoms that may have new rows, and a nest has steps.
// A run has a store for each relation, and a store has the indexes that steps use. bounds says
// beforehand how much a run may take, and why replays it for proofs. Callers promise that
// [rel.Verify] accepted the program and that arguments keep to the sizes of the plan; nothing
// here checks either again.
//
// Package rel and the checker decide what a rule means and which programs are allowed. Random
// programs are compared with internal/naive/rules, which is the definition, and with clingo if
// Python has it.
package engine

import (
	"slices"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// Plan is a verified program with the orders in which its rules are run. It is immutable, and any
// number of runs may share it. Relations are numbered as in p, the program as rewritten, whose
// first relations are those of the program as given.
type Plan struct {
	of      *rel.Program // as it was given
	sizes   []Size
	p       *rel.Program
	bound   bounds
	index   [][]*spec // of each relation
	strata  []stratum
	consts  []float64              // that the pool of a run begins with
	coder   func(x float64) uint32 // gives a constant its code; nil: consts collects them for the pool
	member  []bool                 // relations in which single rows are looked up
	met     []bool                 // likewise, by steps that meet
	apart   map[int]bool           // tables of which only columns are read, to tally them
	sought  map[int]bool           // relations of elements that are only looked up by all their indices
	sparse  map[int]bool           // relations of elements of which those that are 0 are left out
	shown   map[int]int            // results whose rows are those of another relation
	against string                 // see demand
	proof   bool                   // all rows that lead to a goal are wanted
}

// spec is an index that some rule needs, by these columns.
type spec struct {
	cols  []int
	along bool // rows of a first step come in its order: see Plan.along
}

// stratum is a planned stratum, and the special ways in which it may be run.
type stratum struct {
	rel.Stratum
	once    []*nest      // rules that read complete relations only
	each    []*nest      // the others, for each atom that may have new rows
	inside  map[int]bool // its relations
	closure *closure
	unique  bool // its rules give no row twice, or it does not matter
	dense   bool // see dense.go
	best    bool // each rule makes one value of one value, all by the same fold: see best.go
}

// nest is a rule as nested loops, in the order in which they run.
type nest struct {
	rule   *rel.Rule
	delta  int // the literal whose new rows drive it, or -1
	steps  []step
	groups []int // columns of the head that are neither aggregates nor values

	factors []*rel.Expr // see weigh
	read    []int       // see columns
	relaxes *relaxing   // in a stratum of best values
	turning turning     // in a dense stratum
	joins   *joining    // of two loops that make pairs: see join.go

	inGroups bool // the bindings of a group come one after the other: see together

	// The last step that gives the head a variable: once the rest has succeeded there is
	// nothing new below it.
	cut int

	kind   emits
	preset []pair   // of a proof: cells of the head that are known, and their variables
	given  []uint32 // constants, in the registers behind the variables
	float  []bool   // the variable is made by an expression, or read as a value
	coded  []bool   // of these: it is needed as a code as well
}

// emits says what a binding of the whole body makes: a row, a contribution to a value, or a
// contribution to the aggregates of a group.
type emits uint8

const (
	rows emits = iota
	values
	aggregates
)

// stepKind is what a step goes through or tests.
type stepKind uint8

const (
	scan   stepKind = iota // all rows
	probe                  // the rows with a key in an index
	find                   // the row, all of it known
	absent                 // no such row
	none                   // no row with the key in the index
	test                   // a comparison
	assign                 // an expression
	equal                  // an expression that is what a variable is
)

// seen is which rows of a relation of the stratum a step reads. A rule runs once for each atom that
// may have new rows: this one reads the rows that the last round added (fresh), others that come
// earlier in the body those from before it, the rest all. So no combination of rows comes twice.
type seen uint8

const (
	all seen = iota
	fresh
	before
)

// step is one loop or test of a nest, made from a literal of the rule. Its registers are those of
// variables and constants.
type step struct {
	kind  stepKind
	rel   int
	index int
	seen  seen
	lit   *rel.Literal
	key   []int  // registers
	out   []pair // columns that give registers
	same  []pair // columns that must be what registers are
	value int    // register that the value of a key goes into, -1 for none
	check int    // register that it must be, -1 for none
	meets int    // of a probe for one variable: how many steps behind it only test pairs with it; see meet
	mates []mate // the pair of the probe, then those that they test
	found bool   // the values that pass are kept, for a later probe
	of    int    // the probe whose kept values it starts from, -1 for none; see within
	rest  []mate // the pairs that those have not passed
}

// column is the column that gives a register, or -1.
func (st *step) column(reg int) int {
	if i := slices.IndexFunc(st.out, func(p pair) bool { return p.reg == reg }); i >= 0 {
		return st.out[i].col
	}
	return -1
}

// mate is a pair that must be a row if a variable has a value: the column of the variable, the
// register of the other cell, and the index by that cell.
type mate struct{ rel, col, reg, index int }

// pair is a column and the register that it gives or is compared with.
type pair struct{ col, reg int }

// Size bounds the rows of an argument. Table is the one that it will be, nil for any.
type Size struct {
	Rows  uint64
	Table *tensor.Table
}

// New plans the evaluation of a verified program whose argument i has at most size[i].
func New(p *rel.Program, size []Size) *Plan { return newPlan(p, size, bounds{}, false) }

// newPlan is New for a program whose first relations are known to keep to such bounds. A proof
// reads all rows that lead to a goal, not only those that rules ask for.
//
// Each step rests on those before it: rewriting brings closures into the form that readers and
// demand look for; bounds of the rewritten program order the loops; from the loops it is seen what
// readers ask closures for, and only then what a run may take.
func newPlan(p *rel.Program, size []Size, most bounds, proof bool) *Plan {
	of := p
	var shown map[int]int
	var against string
	if !p.AsWritten {
		p, shown = rewrite(p)
		if !proof && readsRecursion(p) {
			p = apart(spread(p, shown), shown)
		}
		whole := p
		if p, against = demand(p, shown); p != whole { // which makes no more than is asked for
			most = newBounds(whole, whole.Strata(), size, most)
		}
	}
	pl := &Plan{of: of, proof: proof, sizes: size, p: p, shown: shown, against: against, index: make([][]*spec, len(p.Relations)), member: make([]bool, len(p.Relations)), met: make([]bool, len(p.Relations)), sparse: map[int]bool{}}
	for i := range of.Relations {
		pl.sparse[i] = of.Sparse(i)
	}
	strata := p.Strata()
	pl.bound = newBounds(p, strata, size, most)
	for _, s := range strata {
		st := stratum{Stratum: s, inside: map[int]bool{}}
		for _, i := range s.Relations {
			st.inside[i] = true
		}
		for _, i := range s.Rules {
			r := &p.Rules[i]
			inside := 0
			for k := range r.Body {
				if s.Recursive && r.Body[k].Kind == rel.Atom && st.inside[r.Body[k].Rel] {
					inside++
					st.each = append(st.each, pl.nest(r, &st, k))
				}
			}
			if inside == 0 {
				st.once = append(st.once, pl.nest(r, &st, -1))
			}
		}
		for _, n := range st.each {
			n.weigh(&st)
		}
		st.best = isBest(p, &st)
		st.unique = !s.Recursive && !p.AsWritten && p.Relations[s.Relations[0]].Source == rel.NoSource && (len(s.Rules) == 1 || pl.loose(s.Relations[0])) &&
			!slices.ContainsFunc(s.Rules, func(i int) bool { return !unique(p, &p.Rules[i]) })
		if !p.AsWritten {
			st.closure = closureOf(p, &st)
			for _, n := range st.each {
				n.relaxes = n.relaxing(st.best)
			}
			st.dense = st.closure == nil && isDense(p, &st)
		}
		pl.strata = append(pl.strata, st)
	}
	pl.asked(proof)
	if !proof {
		pl.setApart()
	}
	pl.certify()
	return pl
}

// loose reports whether a relation may hold a row twice: whatever reads it only takes the best of
// values, and its bound on memory counts the rows of each rule.
func (pl *Plan) loose(i int) bool {
	if pl.reads(i) || !pl.bound.summed[i] {
		return false
	}
	for k := range pl.p.Rules {
		r := &pl.p.Rules[k]
		head := &pl.p.Relations[r.Rel]
		if (!head.Valued() || head.Fold == rel.Sum) && slices.ContainsFunc(r.Body, func(l rel.Literal) bool { return l.Kind <= rel.Not && l.Rel == i }) {
			return false
		}
	}
	return true
}

// unique reports whether no two bindings of a rule make the same row: each row is a group, or holds
// all variables of the body.
func unique(p *rel.Program, r *rel.Rule) bool {
	if r.Aggregates() || p.Relations[r.Rel].Valued() {
		return r.Aggregates()
	}
	shown := make([]bool, len(r.Vars))
	for i := range r.Head {
		if v, ok := variable(&r.Head[i]); ok {
			shown[v] = true
		}
	}
	for i := range r.Body {
		for _, t := range r.Body[i].Terms {
			if r.Body[i].Kind == rel.Atom && (t.Kind == rel.Any || t.Kind == rel.Variable && !shown[t.Var]) {
				return false
			}
		}
	}
	return true
}

// Of reports whether New gave this plan for a program and such sizes.
func (pl *Plan) Of(p *rel.Program, size []Size) bool {
	return pl.of == p && slices.Equal(pl.sizes, size)
}

// setApart finds the tables that are only tallied, and so are read where they lie rather than
// copied into a store, and the relations that need no element but those that are looked up.
func (pl *Plan) setApart() {
	pl.apart, pl.sought = map[int]bool{}, map[int]bool{}
	for i := range pl.p.Relations {
		r := &pl.p.Relations[i]
		pl.apart[i] = r.Source == rel.FromTable && r.Facts == nil && !pl.member[i] && len(pl.index[i]) == 0 && !pl.reads(i)
		pl.sought[i] = r.Source == rel.FromElements && len(r.Columns) == 3 && r.Facts == nil && !pl.reads(i)
	}
	for i := range pl.strata {
		st := &pl.strata[i]
		for _, r := range st.Relations {
			delete(pl.apart, r)
		}
		for _, n := range slices.Concat(st.once, st.each) {
			for k := range n.steps {
				if n.read == nil || n.kind != aggregates {
					delete(pl.apart, n.steps[k].rel)
				}
				if t := &n.steps[k]; t.kind != find && t.kind != absent {
					delete(pl.sought, t.rel)
				}
			}
		}
	}
}

// Ops and Bytes bound what a run takes.
func (pl *Plan) Ops() uint64 { return pl.bound.ops }

// Bytes returns the memory of a run, with its results but without its arguments.
func (pl *Plan) Bytes() uint64 { return pl.bound.bytes }

// Rows bounds the rows of a relation.
func (pl *Plan) Rows(r int) uint64 { return pl.bound.rows[pl.at(r)] }

// at is the relation whose rows are those of r: another one if the rules of r only copy it (see
// show).
func (pl *Plan) at(r int) int {
	if to, ok := pl.shown[r]; ok {
		return to
	}
	return r
}

// reads reports whether a relation is a result, or has the rows of one.
func (pl *Plan) reads(r int) bool { return isResult(pl.p, pl.shown, r) }

// planner puts the literals of one rule in order. It knows which variables are bound so far and
// which literals are done.
type planner struct {
	*Plan
	*nest
	s     *stratum
	bound []bool
	done  []bool
}

// nest orders the literals of a rule greedily: tests as soon as their variables are known, else the
// atom that is estimated to have the fewest rows. delta is the literal that reads only new rows,
// and comes first; -1 for none. The order is never wrong, only slow, so the estimates may be: they
// assume that columns are independent.
func (pl *Plan) nest(r *rel.Rule, s *stratum, delta int) *nest {
	n := &nest{rule: r, delta: delta, float: make([]bool, len(r.Vars)), coded: make([]bool, len(r.Vars))}
	b := planner{Plan: pl, nest: n, s: s, bound: make([]bool, len(r.Vars)), done: make([]bool, len(r.Body))}
	if delta >= 0 {
		b.atom(delta)
	}
	b.order()
	n.end(&pl.p.Relations[r.Rel])
	if !pl.p.AsWritten {
		pl.meet(n)
		n.read = n.columns()
		n.joins = n.joining(pl.p)
		pl.together(n)
		pl.along(n)
	}
	// A step that meets looks its pairs up in lists; only other look-ups need to find a row by all
	// of its cells whatever the store is (see run.begin).
	meets := 0
	for i := range n.steps {
		st := &n.steps[i]
		if meets > 0 {
			pl.met[st.rel] = true
		} else if st.kind == find || st.kind == absent {
			pl.member[st.rel] = true
		}
		meets = max(meets-1, st.meets)
	}
	return n
}

// order plans the literals that have no step yet.
func (b *planner) order() {
	r := b.rule
	for {
		if b.tests() {
			continue
		}
		next, least, joined := -1, 0.0, false
		for i := range r.Body {
			if r.Body[i].Kind == rel.Atom && !b.done[i] {
				// A bound of what is derived can be far too high, so at a tie one that joins goes first.
				if m, joins := b.matches(i); next < 0 || m < least || m == least && joins && !joined {
					next, least, joined = i, m, joins
				}
			}
		}
		if next < 0 {
			break
		}
		b.atom(next)
	}
}

// end plans what a binding makes.
func (n *nest) end(head *rel.Relation) {
	r := n.rule
	n.cut = -1
	if r.Aggregates() {
		n.kind = aggregates
	} else if head.Valued() {
		n.kind = values
	}
	everything := n.kind == aggregates || head.Fold == rel.Sum
	for i := range n.steps {
		st := &n.steps[i]
		if everything || slices.ContainsFunc(st.out, func(p pair) bool { return n.heads(p.reg) }) || st.value >= 0 && n.heads(st.value) ||
			st.kind == assign && n.heads(st.lit.Var) {
			n.cut = i
		}
	}
	for i := range r.Head {
		if c := &r.Head[i]; c.Agg == rel.NoAgg && (!head.Valued() || i < len(r.Head)-1) {
			n.groups = append(n.groups, i)
			if c.Expr.Term.Kind == rel.Variable && len(c.Expr.Args) == 0 {
				n.coded[c.Expr.Term.Var] = true
			}
		}
	}
}

// meet finds probes for one variable that later steps only test in further pairs, such as the last
// corner of a triangle or of a larger clique. Instead of testing each value by itself, a run
// intersects the lists, as a worst-case optimal join does. It marks one list as bits; if the first
// step can read its rows sorted by the cell that selects this list, rows with the same list come
// one after the other, and it is marked once. Lists of relations with values, whose rows are wider,
// are not intersected.
func (pl *Plan) meet(n *nest) {
	for i := range n.steps {
		st := &n.steps[i]
		if st.kind != probe || st.index < 0 || len(st.key) != 1 || len(st.out) != 1 || len(st.same) > 0 || valued(&pl.p.Relations[st.rel]) {
			continue
		}
		for k := i + 1; k < len(n.steps); k++ {
			t := &n.steps[k]
			vars := len(n.rule.Vars)
			if t.kind != find || len(t.key) != 2 || valued(&pl.p.Relations[t.rel]) || t.key[0] >= vars || t.key[1] >= vars ||
				(t.key[0] == st.out[0].reg) == (t.key[1] == st.out[0].reg) {
				break
			}
			st.meets++
			fixed := 0
			if t.key[0] == st.out[0].reg {
				fixed = 1
			}
			t.index = pl.indexed(t.rel, []int{fixed})
			top := &n.steps[0]
			if at := slices.IndexFunc(top.out, func(p pair) bool { return p.reg == t.key[fixed] }); at >= 0 && top.kind == scan && top.seen == all &&
				top.index < 0 && !valued(&pl.p.Relations[top.rel]) {
				top.index = pl.indexed(top.rel, []int{top.out[at].col})
			}
		}
		pl.within(n, i)
	}
}

// within lets the probe of step i start from the values that an earlier one found, if that one
// intersected a subset of the same lists. So the corners of a clique come out of what its first two
// have in common.
func (pl *Plan) within(n *nest, i int) {
	st := &n.steps[i]
	if st.meets == 0 {
		return
	}
	v := st.out[0].reg
	st.mates = append(st.mates, mate{st.rel, st.out[0].col, st.key[0], st.index})
	for _, t := range n.steps[i+1 : i+1+st.meets] {
		if t.key[0] == v {
			st.mates = append(st.mates, mate{t.rel, 0, t.key[1], t.index})
		} else {
			st.mates = append(st.mates, mate{t.rel, 1, t.key[0], t.index})
		}
	}
	if len(st.lit.Terms) != 2 {
		return // a pair of its cells is no row
	}
	for k := i - 1; k >= 0 && st.of < 0; k-- {
		before := n.steps[k].mates
		if len(before) == 0 || slices.ContainsFunc(before, func(m mate) bool { return !slices.Contains(st.mates, m) }) {
			continue
		}
		st.of, n.steps[k].found = k, true
		for _, m := range st.mates {
			if !slices.Contains(before, m) {
				st.rest = append(st.rest, m)
			}
		}
	}
}

// together has the first step of a rule that counts different values read the rows of a group one after
// the other: then a mark for each value tells whether the group has had it (see groups.seen), where a
// hash of all groups and values would wait for memory at each.
func (pl *Plan) together(n *nest) {
	if len(n.groups) != 1 || len(n.steps) == 0 || !slices.ContainsFunc(n.rule.Head, n.marked) {
		return
	}
	top, v := &n.steps[0], n.rule.Head[n.groups[0]].Expr
	if at := top.column(v.Term.Var); isVariable(&v) && at >= 0 && top.kind == scan && top.seen == all && top.index < 0 &&
		pl.p.Relations[top.rel].Columns[at].Domain != nil && !valued(&pl.p.Relations[top.rel]) {
		top.index = pl.indexed(top.rel, []int{at})
		n.inGroups = true
	}
}

// along has the first step read its rows in the order in which the second finds them, if those may be more
// than the caches hold: then both go through memory from its start to its end.
func (pl *Plan) along(n *nest) {
	if len(n.steps) < 2 || n.joins != nil {
		return
	}
	top, next := &n.steps[0], &n.steps[1]
	if pl.bound.rows[next.rel] < leastAlong {
		return
	}
	if top.kind != scan || top.seen != all || top.index >= 0 || valued(&pl.p.Relations[top.rel]) || next.kind != probe || next.index < 0 {
		return
	}
	var cols []int
	for _, reg := range next.key {
		cols = append(cols, top.column(reg))
	}
	if !slices.Contains(cols, -1) {
		top.index = pl.indexed(top.rel, cols)
		pl.index[top.rel][top.index].along, pl.index[next.rel][next.index].along = true, true
	}
}

const leastAlong = 1 << 16

// marked reports whether a cell of the head counts different members of a domain.
func (n *nest) marked(c rel.Cell) bool {
	return c.Agg == rel.Distinct && isVariable(&c.Expr) && n.rule.Vars[c.Expr.Term.Var].Domain != nil
}

// heads reports whether the head uses a variable, other than to count it.
func (n *nest) heads(v int) (has bool) {
	for i := range n.rule.Head {
		if n.rule.Head[i].Agg != rel.Count {
			n.rule.Head[i].Expr.Vars(func(x int) { has = has || x == v })
		}
	}
	return has
}

// ready reports whether all terms of an atom are known.
func (b *planner) ready(l *rel.Literal) bool {
	return !slices.ContainsFunc(l.Terms, func(t rel.Term) bool { return t.Kind == rel.Variable && !b.bound[t.Var] })
}

// tests plans one literal that needs no new rows, if one is ready. It costs less than any that
// makes rows and may save them, so these come before the next atom is chosen.
func (b *planner) tests() bool {
	for i := range b.rule.Body {
		l := &b.rule.Body[i]
		if b.done[i] {
			continue
		}
		any := slices.ContainsFunc(l.Terms, func(t rel.Term) bool { return t.Kind == rel.Any })
		switch l.Kind {
		case rel.Compare:
			if !l.Left.In(b.bound) || !l.Right.In(b.bound) {
				continue
			}
			b.steps = append(b.steps, step{kind: test, lit: l, value: -1, check: -1, of: -1})
		case rel.Bind:
			if !l.Left.In(b.bound) {
				continue
			}
			kind := assign
			if b.bound[l.Var] {
				kind = equal
				b.coded[l.Var] = true
			} else {
				b.float[l.Var] = b.rule.Vars[l.Var].Domain == nil
				b.bound[l.Var] = true
			}
			b.steps = append(b.steps, step{kind: kind, lit: l, value: -1, check: -1, of: -1})
		default:
			if !b.ready(l) || l.Kind == rel.Atom && any {
				continue
			}
			b.atom(i)
		}
		b.done[i] = true
		return true
	}
	return false
}

// atom plans a literal that reads a relation. A cell is known before (had), by an earlier step or
// as a constant, or it is given by this atom: the first time to out, and when the variable comes
// again (own) it is compared (same). What is known before becomes the key of an index, except for
// the atom that reads new rows: these are few and come in a range, without an index.
func (b *planner) atom(i int) {
	l := &b.rule.Body[i]
	b.done[i] = true
	r := &b.p.Relations[l.Rel]
	st := step{rel: l.Rel, lit: l, value: -1, check: -1, index: -1, of: -1}
	keys := len(l.Terms)
	if valued(r) {
		keys--
	}
	if i == b.delta {
		st.seen = fresh
	} else if b.delta > i && l.Kind == rel.Atom && !r.Valued() && b.s.inside[l.Rel] {
		st.seen = before
	}
	var cols, mine []int // key columns, and the registers that this atom gives
	for c, t := range l.Terms {
		if t.Kind == rel.Any {
			continue
		}
		reg := b.register(t, r.Columns[c])
		had, own := t.Kind == rel.Const || b.bound[t.Var], slices.Contains(mine, reg)
		if had || own {
			b.code(reg)
		} else {
			mine = append(mine, reg)
		}
		switch {
		case c == keys && (had || own):
			st.check = reg
		case c == keys:
			st.value, b.float[reg] = reg, true
		case had && i != b.delta:
			cols = append(cols, c)
			st.key = append(st.key, reg)
		case had || own:
			st.same = append(st.same, pair{c, reg})
		default:
			st.out = append(st.out, pair{c, reg})
		}
	}
	for _, v := range mine {
		b.bound[v] = true
	}
	switch {
	case len(cols) == keys && i != b.delta:
		if st.kind = find; l.Kind == rel.Not {
			st.kind = absent
		}
	case len(cols) == 0 && l.Kind == rel.Atom:
		st.kind = scan
	default:
		if st.kind = probe; l.Kind == rel.Not {
			st.kind = none
		}
		if len(cols) > 0 {
			st.index = b.indexed(l.Rel, cols)
		}
	}
	b.steps = append(b.steps, st)
}

// code notes that a variable is needed as a code, not only as a number.
func (b *planner) code(reg int) {
	if reg < len(b.rule.Vars) {
		b.coded[reg] = true
	}
}

// valued reports whether a store keeps the last column of the relation apart.
func valued(r *rel.Relation) bool { return r.Valued() || r.Source == rel.FromElements }

// register is the register of a term: that of its variable, or a new one for a constant. The code
// of a constant is known before the run: a number without one of its own gets the place in the pool
// at which begin puts it.
func (b *planner) register(t rel.Term, c tensor.Column) int {
	if t.Kind == rel.Variable {
		return t.Var
	}
	code := uint32(0)
	switch x := t.Value; {
	case c.Domain != nil && x < 0:
		code = noCode
	case x >= 0 && x < pooled && x == float64(uint32(x)):
		code = uint32(x)
	case b.coder != nil:
		code = b.coder(x)
	default:
		at := slices.Index(b.consts, x)
		if at < 0 {
			at = len(b.consts)
			b.consts = append(b.consts, x)
		}
		code = pooled | uint32(at)
	}
	b.given = append(b.given, code)
	return len(b.rule.Vars) + len(b.given) - 1
}

// indexed is the number of the index of a relation by these columns. Steps share it.
func (pl *Plan) indexed(r int, cols []int) int {
	if i := slices.IndexFunc(pl.index[r], func(x *spec) bool { return slices.Equal(x.cols, cols) }); i >= 0 {
		return i
	}
	pl.index[r] = append(pl.index[r], &spec{cols: cols})
	return len(pl.index[r]) - 1
}

// matches estimates how many rows of an atom fit the cells that are known, as if columns were
// independent, and reports whether there are any such cells.
func (b *planner) matches(i int) (rows float64, joins bool) {
	l := &b.rule.Body[i]
	rows = float64(b.Plan.bound.rows[l.Rel])
	for c, t := range l.Terms {
		if t.Kind == rel.Const || t.Kind == rel.Variable && b.bound[t.Var] {
			rows /= max(1, float64(b.Plan.bound.columns[l.Rel][c]))
			joins = true
		}
	}
	return rows, joins
}

// domainOf is the domain of the names that a comparison compares, nil if it compares numbers.
func domainOf(r *rel.Rule, l *rel.Literal) *tensor.Domain {
	for _, e := range [...]*rel.Expr{&l.Left, &l.Right} {
		if len(e.Args) == 0 && e.Term.Kind == rel.Variable {
			return r.Vars[e.Term.Var].Domain
		}
	}
	return nil
}
