package engine

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sort"

	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Goal is a row to explain: a cell for each column of the relation, NaN for any. A name that the
// domain lacks is Lacks(k), for its place in Names, which are as the user wrote them.
type Goal struct {
	Relation int
	Row      []float64
	Names    []string
}

// Lacks is the cell of the name numbered k of those that the domain of the column lacks.
func Lacks(k int) float64 { return float64(rel.NoMember - 1 - k) }

// Lacking returns k of Lacks(k), and -1 of any other cell.
func Lacking(x float64, d *tensor.Domain) int {
	if d == nil || !(x < rel.NoMember) {
		return -1
	}
	return int(rel.NoMember - 1 - x)
}

// Answer explains a goal. Without Holds there is no such row: Tries says how far each rule of the
// relation gets, and Near which rows come close. Holds without a Proof is a value that is only
// derived through worse values of the same recursion, which are no rows.
type Answer struct {
	Holds bool
	Proof *Proof
	Tries []Try
	Near
}

// Proof derives a row: each step is made of earlier ones, and the last is the row. No proof by any
// rule has a smaller height. Given rows, and those of aggregates and sums, have height 0.
type Proof struct{ Steps []Step }

// Step is a row with the rule that derives it (nil if it is given) and the steps of the rule's
// atoms, in the order of its body. A row of an aggregate or a sum is not made of steps: it has its
// first bindings, and their number. Vars is the variables of a rule that has a negation, nil for others.
type Step struct {
	Relation int
	Row      []float64
	Rule     *rel.Rule
	Vars     []float64
	Height   int
	Of       []int
	Parts    []Binding
	Count    int
}

// Binding is the variables of a rule (NaN if without a value) and the rows of its atoms, as far as
// they hold.
type Binding struct {
	Rule *rel.Rule
	Vars []float64
	Rows map[*rel.Literal]Goal
}

// Try is how far a rule gets towards a missing row: the literals that hold, in the order in which
// they were tested, and the first that fails. Count bindings get that far; the first few are
// listed. If no literal Fails, the rule cannot make the row: the constants of its head differ, or,
// with bindings, its body holds for other rows only.
type Try struct {
	Rule     *rel.Rule
	Holds    []*rel.Literal
	Fails    *rel.Literal
	Bindings []Binding
	Count    int
	Near     // what Fails, of the first binding that has such rows
}

// Near lists the first of the Rows rows that agree with a goal in the most names, then in the most numbers.
type Near struct {
	List [][]float64
	Rows int
}

const (
	mostParts = 10
	mostTried = 3
)

// Why explains rows. Runs keep nothing for it: what leads to the goals is evaluated again, and then
// once more in rounds that go over all strata, so that the round of a row is its height. If a goal
// has no row, all rows are evaluated, to say what comes close.
func Why(p *rel.Program, size []Size, ctl *kernel.Ctl, args []*tensor.Value, budget *Budget, goals []Goal) (answers []Answer, err error) {
	defer stopped(&err)
	x := explainer{p: p, size: size, ctl: ctl, args: args, budget: budget}
	x.part, x.needed = leading(p, goal, queries(p, goals))
	x.bound = newBounds(x.part, x.part.Strata(), size, bounds{})
	answers = make([]Answer, len(goals))
	// First the goals alone: those that hold need no more.
	list, part, written := x.paths()
	w := x.replay(part, written, list)
	var missing []int
	for i, g := range goals {
		a := &answers[i]
		if a.Holds = w.matching(g, &w.complete[g.Relation]) >= 0; !a.Holds {
			missing = append(missing, i)
		} else if k := w.rounds(g); k >= 0 {
			a.Proof = w.prove(g.Relation, k)
		}
	}
	if missing == nil {
		return answers, nil
	}
	// Then, for those without a row, what their rules read on the way.
	if x.whole == nil {
		var read []rel.Rule
		for _, i := range missing {
			read = append(read, w.asks(goals[i], len(p.Relations))...)
		}
		results, of := x.searched(read)
		part, _ := leading(p, results, read)
		w = x.replay(part, p, nil)
		for k, i := range of {
			s := &w.complete[i]
			for row := range results[len(goal)+k].Facts.All() {
				if key := w.codes(i, row); s.find(key) < 0 {
					w.add(s, key)
				}
			}
			s.hi = s.n
		}
	}
	var next []Goal // what is missing, and what fails
	for _, i := range missing {
		answers[i].Tries = w.tries(goals[i])
		next = append(next, goals[i])
		for _, t := range answers[i].Tries {
			for _, b := range t.Bindings {
				next = append(next, w.instance(t.Fails, b))
			}
		}
	}
	near := x.nearest(next)
	for _, i := range missing {
		answers[i].Near, near = near[0], near[1:]
		for k := range answers[i].Tries {
			t := &answers[i].Tries[k]
			for range t.Bindings {
				if t.Rows == 0 {
					t.Near = near[0]
				}
				near = near[1:]
			}
		}
	}
	return answers, nil
}

// explainer evaluates what there is to say of goals, as far as it is asked for.
type explainer struct {
	p      *rel.Program // as written
	size   []Size       // of args
	ctl    *kernel.Ctl
	args   []*tensor.Value // the data
	budget *Budget
	part   *rel.Program // all that leads to the goals
	needed []bool       // the relations that part keeps
	bound  bounds
	whole  *run // of part, where not less will do
}

// evaluate gives the rows that a part of the program asks for. Where demand has nothing to push, it
// evaluates all that leads to the goals, once for all who ask.
func (x *explainer) evaluate(part *rel.Program) *run {
	if x.whole != nil {
		return x.whole
	}
	asked := part
	if !x.p.AsWritten {
		asked, _ = demand(part, nil)
	}
	derives := func(r rel.Rule) bool { return r.Rel < len(x.p.Relations) }
	if asked == part && slices.ContainsFunc(part.Rules, derives) {
		asked = x.part
	}
	pl := newPlan(asked, x.size, x.bound, true)
	for i := range x.p.Relations { // of what a goal asks for beside them, the elements are looked up
		pl.sparse[i] = x.p.Sparse(i)
	}
	r := newRun(pl, x.ctl, x.budget)
	r.evaluate(x.args)
	for i := range r.stores {
		r.members(&r.stores[i])
	}
	if asked == x.part {
		x.whole = r
	}
	return r
}

// replay prepares to derive again, by the rules as written, what evaluate has made of a part. list
// are the closures whose pairs come from searches.
func (x *explainer) replay(part, written *rel.Program, list []*paths) *why {
	needed := make([]bool, len(written.Relations)) // not those of hidden steps
	copy(needed, x.needed)
	bound := x.bound
	if len(needed) > len(x.part.Relations) {
		bound = newBounds(part, part.Strata(), x.size, bounds{})
	}
	return newReplay(written, needed, bound, x.evaluate(part), x.args, list)
}

// queries are rules that ask for goals.
func queries(p *rel.Program, goals []Goal) (list []rel.Rule) {
	for _, g := range goals {
		l := rel.Literal{Rel: g.Relation}
		for _, x := range g.Row {
			t := rel.Term{Kind: rel.Const, Value: x}
			if math.IsNaN(x) {
				t = rel.Term{Kind: rel.Any}
			}
			l.Terms = append(l.Terms, t)
		}
		list = append(list, rel.Rule{Rel: len(p.Relations), Body: []rel.Literal{l}})
	}
	return list
}

// goal is a result that only asks: a relation without columns, which has a row if a query has.
var goal = []rel.Relation{{Name: "goal"}}

// leading is the rules that lead to queries for results, and the relations that these rules read.
func leading(p *rel.Program, results []rel.Relation, queries []rel.Rule) (part *rel.Program, needed []bool) {
	needed = make([]bool, len(p.Relations))
	q := rel.Program{Domains: p.Domains, Relations: slices.Concat(p.Relations, results), AsWritten: true}
	for i := range results {
		q.Results = append(q.Results, len(p.Relations)+i)
	}
	rules := make([][]int, len(p.Relations))
	for i := range p.Rules {
		rules[p.Rules[i].Rel] = append(rules[p.Rules[i].Rel], i)
	}
	need := func(r *rel.Rule) {
		for _, l := range r.Body {
			if l.Kind > rel.Not || l.Rel >= len(needed) || needed[l.Rel] {
				continue
			}
			needed[l.Rel] = true
			for _, i := range rules[l.Rel] {
				q.Rules = append(q.Rules, p.Rules[i])
			}
		}
	}
	for i := range queries {
		need(&queries[i])
	}
	for k := 0; k < len(q.Rules); k++ {
		need(&q.Rules[k])
	}
	q.Rules = append(q.Rules, queries...) // demand begins with the last
	for i := range needed {
		if !needed[i] {
			q.Relations[i].Source, q.Relations[i].Facts = rel.NoSource, nil
		}
	}
	return &q, needed
}

// matching is the least row of a store that fits a goal, -1 if none does.
func (w *why) matching(g Goal, s *store) int {
	if !slices.ContainsFunc(g.Row[:s.width], math.IsNaN) {
		k := s.find(w.codes(g.Relation, g.Row[:s.width]))
		if k >= 0 && s.valued && !math.IsNaN(g.Row[s.width]) && s.val[k] != g.Row[s.width] {
			k = -1
		}
		return k
	}
	least, numbers, end := -1, []float64(nil), s.n
	key := w.codes(g.Relation, g.Row[:s.width])
rows:
	for k := 0; k < end; k++ {
		w.work(1)
		for c, x := range s.row(k) {
			if x != key[c] && !math.IsNaN(g.Row[c]) {
				continue rows
			}
		}
		if s.valued && s.val[k] != g.Row[s.width] && !math.IsNaN(g.Row[s.width]) {
			continue
		}
		if row := w.numbers(nil, g.Relation, s.row(k)); least < 0 || slices.Compare(row, numbers) < 0 {
			for _, m := range w.marks[g.Relation] { // those of its round
				if k < m.rows {
					end = min(end, m.rows)
					break
				}
			}
			least, numbers = k, row
		}
	}
	return least
}

// codes encodes cells as a store holds them.
func (r *run) codes(i int, row []float64) []uint32 {
	key := make([]uint32, len(row))
	for c, x := range row {
		switch {
		case math.IsNaN(x):
			key[c] = nan
		case r.p.Relations[i].Columns[c].Domain == nil:
			key[c] = r.encode(x)
		case x == rel.NoMember:
			key[c] = noCode
		case x < 0:
			key[c] = lacking - uint32(Lacking(x, r.p.Relations[i].Columns[c].Domain))
		default:
			key[c] = uint32(x)
		}
	}
	return key
}

// why is a replay: it derives rows again, the lowest first. The full run before it has said which
// rows there are (complete); a replay says when each came. Its stores hold rows in order of their
// rounds, so a height is a range of them (marks), and a row that is proved by lower rows only is
// proved well-founded. The loops of run serve here too: with run.why set they report each row that
// they read, and give each binding to emit.
type why struct {
	*run
	complete []store  // of all rows, with indexes of the replay
	leaf     []bool   // not derived again
	marks    [][]mark // of each relation
	round    int      // how many there were
	first    []*nest  // a nest for each rule without relations that are derived
	each     []*nest
	by       [][]int // of each relation: the nests of each that its new rows drive
	grown    []int   // relations with rows that are new in this round
	all      stratum // of all that is derived
	paths    []*paths
	path     map[int]*paths // by relation

	// Of the proof of one row.
	goals  map[*rel.Rule]*nest
	proves bool
	goal   []uint32
	reads  []read // of each step
	hit    bool
	vars   []float64 // of the binding that was hit; see Step

	// Of all bindings of a rule; both are told how many steps hold.
	reach   func(steps int)
	collect func(steps int)
}

// mark says how many rows a relation had before a round, which had more than before. Rounds that
// add nothing have none, so a chain of many rounds takes little memory.
type mark struct{ round, rows int }

// markBytes is what a mark takes, in a list that grows.
const markBytes = 32

// newReplay prepares to derive again what a run has of the needed relations, by the rules of p.
// Rules are planned by bound, which does not depend on how much the run has made.
func newReplay(p *rel.Program, needed []bool, bound bounds, full *run, args []*tensor.Value, list []*paths) *why {
	written := *p
	written.AsWritten = true // a proof is by the rules of the user, not by those that New makes of them
	p = &written
	n := len(p.Relations)
	pl := &Plan{p: p, bound: bound, index: make([][]*spec, n), member: make([]bool, n), met: make([]bool, n), coder: full.encode, proof: true, sparse: full.sparse}
	w := &why{run: newRun(pl, full.ctl, full.budget), leaf: make([]bool, n), marks: make([][]mark, n), by: make([][]int, n), goals: map[*rel.Rule]*nest{}, all: stratum{inside: map[int]bool{}}, paths: list, path: map[int]*paths{}}
	for _, p := range list {
		w.path[p.rel] = p
	}
	// Sums and aggregates need all of their bindings, not the lowest: they are taken as they are, and
	// parts says later what they are made of.
	for i := range p.Relations {
		w.leaf[i] = p.Relations[i].Fold == rel.Sum
	}
	derived := make([]bool, n)
	for i := range p.Rules {
		r := &p.Rules[i]
		derived[r.Rel] = true
		w.leaf[r.Rel] = w.leaf[r.Rel] || r.Aggregates()
	}
	for i := range p.Relations {
		if w.leaf[i] = w.leaf[i] || !derived[i] || !needed[i]; !w.leaf[i] {
			w.all.inside[i] = true
			w.all.Relations = append(w.all.Relations, i)
		}
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if w.leaf[r.Rel] || w.path[r.Rel] != nil {
			continue
		}
		before := len(w.each)
		for k := range r.Body {
			if r.Body[k].Kind == rel.Atom && w.all.inside[r.Body[k].Rel] {
				w.by[r.Body[k].Rel] = append(w.by[r.Body[k].Rel], len(w.each))
				w.each = append(w.each, pl.nest(r, &w.all, k))
			}
		}
		if len(w.each) == before {
			w.first = append(w.first, pl.nest(r, &w.all, -1))
		}
	}
	w.pool = full.pool
	w.begin(args)
	for i := range w.stores {
		s := &full.stores[i]
		base := &w.stores[i]
		switch {
		case w.leaf[i]:
			if *base = *s; !s.valued {
				base.bits = nil
				w.rehash(base, 1<<bits.Len(uint(2*s.n+8)))
			}
		default: // of what is given, what is not final is as if it were not
			given := *base
			*base = store{width: s.width, size: s.size, most: s.most, valued: s.valued}
			w.rehash(base, 16)
			for k := range given.n {
				if !s.valued {
					w.add(base, given.row(k))
				} else if final := s.find(given.row(k)); final >= 0 && s.val[final] == given.val[k] {
					w.keep(base, given.row(k), given.val[k])
				}
			}
		}
		base.hi, base.index = base.n, nil
	}
	w.complete = slices.Clone(full.stores[:n])
	for i := range w.complete {
		w.complete[i].hi, w.complete[i].index = w.complete[i].n, nil
	}
	w.why = w
	for _, p := range list {
		w.search(p)
	}
	return w
}

// indexed gives stores the indexes that nests need by now.
func (w *why) indexed(nests []*nest) {
	for _, n := range nests {
		for k := range n.steps {
			i := n.steps[k].rel
			for _, list := range [2][]store{w.stores, w.complete} {
				s := &list[i]
				if len(s.index) != len(w.index[i]) || s.index == nil {
					s.index = nil
					for _, x := range w.index[i] {
						s.index = append(s.index, &index{spec: *x})
					}
				}
			}
		}
	}
	w.prepare(&w.all, nests)
}

// keep puts a row into a store of the replay, unless it is there. Values are final, so the first
// stays.
func (w *why) keep(s *store, key []uint32, x float64) {
	if _, added := w.add(s, key); added && s.valued {
		s.val = append(spare(w.run, s.val), x)
	}
}

// derived keeps a row that this round makes.
func (w *why) derived(i int, key []uint32, x float64) {
	s := &w.stores[i]
	before := s.n
	if w.keep(s, key, x); before == s.hi && before < s.n {
		w.grown = append(w.grown, i)
	}
}

// rounds derives rows until one fits the goal, and gives one of the lowest; -1 if the replay has
// none.
func (w *why) rounds(g Goal) int {
	w.rel = g.Relation
	old, fresh, at, nests := []int(nil), w.all.Relations, []int(nil), []*nest(nil)
	w.grown = nil
	for round := 0; ; round++ {
		if k := w.matching(g, &w.stores[g.Relation]); k >= 0 {
			return k
		} else if round > 0 && len(w.grown) == 0 {
			return -1
		}
		if round > 0 { // only what has new rows is looked at: there may be as many rounds as rows
			old, fresh, w.grown = fresh, w.grown, nil
		}
		// What was new in the last round is so no more.
		for _, i := range old {
			s := &w.stores[i]
			s.lo, s.changed = s.hi, s.changed[:0]
		}
		at, nests = at[:0], nests[:0]
		for _, i := range fresh {
			s := &w.stores[i]
			if s.lo, s.hi = s.hi, s.n; round == 0 {
				s.lo = 0
			}
			if s.valued {
				s.changed = s.changed[:0]
				for k := s.lo; k < s.hi; k++ {
					s.changed = append(s.changed, uint32(k))
				}
			}
			if m := w.marks[i]; s.hi > 0 && (len(m) == 0 || m[len(m)-1].rows < s.hi) {
				w.take(markBytes)
				w.marks[i] = append(m, mark{w.round, s.hi})
			}
			at = append(at, w.by[i]...)
		}
		w.round++
		if round == 0 {
			w.indexed(w.first)
			for _, n := range w.first {
				w.do(n)
			}
		}
		slices.Sort(at) // as the rules are written
		for _, k := range at {
			nests = append(nests, w.each[k])
		}
		w.indexed(nests)
		for _, n := range nests {
			w.do(n)
		}
		for _, p := range w.paths {
			w.follow(p, w.round)
		}
	}
}

// emit takes a binding of the replay or of a proof.
func (w *why) emit(r *run, i int) int {
	s := &r.stores[r.rel]
	r.head()
	key, x := r.row[:s.width], 0.0
	if w.collect != nil {
		w.collect(i)
		return i - 1
	}
	if s.valued {
		x = r.eval(&r.rule.Head[s.width].Expr) + 0
		if final := w.complete[r.rel].find(key); w.complete[r.rel].val[final] != x {
			return r.cut
		}
	}
	if !w.proves {
		if s.valued || w.complete[r.rel].find(key) >= 0 { // else nobody asked for it
			w.derived(r.rel, key, x)
		}
		return r.cut
	}
	if !slices.Equal(key, w.goal) {
		return r.cut
	}
	if w.hit = true; slices.ContainsFunc(w.rule.Body, func(l rel.Literal) bool { return l.Kind == rel.Not }) {
		w.vars = w.binding(i).Vars
	}
	return -1
}

// store returns the rows that a step reads. A negation reads the complete relation.
func (w *why) store(i int, st *step) *store {
	if w.reach != nil {
		w.reach(i)
	}
	if st.kind == none || st.kind == absent {
		return &w.complete[st.rel]
	}
	return &w.stores[st.rel]
}

// read is the row that a step has read.
type read struct {
	key   []uint32
	value float64
}

// read notes the row that step i reads, for a proof or a try; others need none.
func (w *why) read(i int, s *store, row []uint32, k int) {
	if w.reads == nil || k < 0 {
		return
	}
	x := &w.reads[i]
	if x.key = append(x.key[:0], row[:s.width]...); s.valued {
		x.value = s.val[k]
	}
}

// height is the round in which a row came, 0 for a given one.
func (w *why) height(i, k int) int {
	if w.leaf[i] {
		return 0
	}
	m := w.marks[i]
	if at := sort.Search(len(m), func(at int) bool { return m[at].rows > k }); at < len(m) {
		return m[at].round
	}
	return w.round
}

// below is how many rows of a relation came before a round.
func (w *why) below(i, round int) int {
	m := w.marks[i]
	if at := sort.Search(len(m), func(at int) bool { return m[at].round >= round }); at > 0 {
		return m[at-1].rows
	}
	return 0
}

// goalNest returns the loops of a rule when these columns of its head are known. As written, the
// rule is read from left to right, which is how its author thinks of it, but for pairs of a recursion of
// which nothing is known.
func (w *why) goalNest(r *rel.Rule, written bool, known func(c int) bool) *nest {
	n := &nest{rule: r, delta: -1, float: make([]bool, len(r.Vars)), coded: make([]bool, len(r.Vars))}
	b := planner{Plan: w.Plan, nest: n, s: &w.all, bound: make([]bool, len(r.Vars)), done: make([]bool, len(r.Body))}
	for c := range w.stores[r.Rel].width {
		if v, ok := variable(&r.Head[c]); ok && known(c) && !b.bound[v] {
			b.bound[v] = true
			n.preset = append(n.preset, pair{c, v})
		}
	}
	// What the rule asks of its own relation waits as long as nothing is known of it: it may be all pairs.
	blind := func(l *rel.Literal) bool {
		return l.Rel == r.Rel && len(l.Terms) > 1 && !slices.ContainsFunc(l.Terms, func(t rel.Term) bool {
			return t.Kind == rel.Const || t.Kind == rel.Variable && b.bound[t.Var]
		})
	}
	for written {
		for b.tests() {
		}
		next := -1
		for i := range r.Body {
			if l := &r.Body[i]; l.Kind == rel.Atom && !b.done[i] && (next < 0 || blind(&r.Body[next]) && !blind(l)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		b.atom(next)
	}
	b.order()
	n.end(&w.p.Relations[r.Rel])
	return n
}

// node is a row of a relation, by their numbers.
type node struct{ rel, row int }

// stepBytes is about what a [Step] takes, in a list that is copied when it grows, and pendingBytes
// what is known of a row until it is proved: itself, and its places on the stack and in two maps.
const stepBytes, pendingBytes = 256, 256

// prove reads the proof off: for each row a rule whose rows all came earlier. Each row is proved
// once. The stack is its own, since chains are long.
func (w *why) prove(relation, row int) *Proof {
	proof := &Proof{}
	done, pairs := map[node]int{}, map[[3]uint32]int{}
	of := map[node]*pending{}
	stack := []node{{relation, row}}
	for len(stack) > 0 {
		// A row stays on the stack until all that it is made of is proved, and is then done for
		// good.
		x := stack[len(stack)-1]
		if _, ok := done[x]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		s := &w.stores[x.rel]
		todo := of[x]
		if todo == nil {
			w.work(1)
			todo = w.derive1(x)
			w.take(pendingBytes + 24*uint64(len(todo.of)+len(todo.vars)))
			of[x] = todo
			waits := false
			for _, y := range todo.of {
				if _, ok := done[y]; !ok {
					stack, waits = append(stack, y), true
				}
			}
			if waits {
				continue
			}
		}
		stack = stack[:len(stack)-1]
		var below []int
		for _, y := range todo.of {
			below = append(below, done[y])
		}
		if todo.way != nil {
			done[x] = w.derive(w.path[x.rel], proof, todo.way, below, pairs)
			continue
		}
		step := Step{Relation: x.rel, Row: w.numbers(nil, x.rel, s.row(x.row)), Rule: todo.rule, Vars: todo.vars, Height: w.height(x.rel, x.row), Of: below}
		if s.valued {
			step.Row = append(step.Row, s.val[x.row])
		}
		done[x] = w.step(proof, step)
	}
	for i := range proof.Steps {
		if s := &proof.Steps[i]; w.leaf[s.Relation] {
			w.parts(s)
		}
	}
	return proof
}

// step adds a step to a proof, and gives its number.
func (w *why) step(proof *Proof, s Step) int {
	w.take(stepBytes + 8*uint64(len(s.Row)+len(s.Of)+len(s.Vars)))
	proof.Steps = append(proof.Steps, s)
	return len(proof.Steps) - 1
}

// pending is a row that prove has on its stack: the rule that derives it, nil if it is given, and
// the rows that it needs; or the path of a pair, and its steps.
type pending struct {
	rule *rel.Rule
	of   []node
	vars []float64
	way  []uint32
}

// derive1 finds the first rule and its first binding that derive a row from lower ones.
func (w *why) derive1(x node) *pending {
	h := w.height(x.rel, x.row)
	if h == 0 {
		return &pending{}
	}
	if p := w.path[x.rel]; p != nil {
		return w.pending(p, x.row)
	}
	for i := range w.p.Rules {
		if r := &w.p.Rules[i]; r.Rel == x.rel {
			if of, ok := w.bind(r, w.stores[x.rel].row(x.row), h); ok {
				return &pending{rule: r, of: of, vars: w.vars}
			}
		}
	}
	panic("engine: a row without a rule")
}

// bind finds the first binding of a rule that derives a row from those below a height, and gives the
// rows of its atoms.
func (w *why) bind(r *rel.Rule, key []uint32, h int) (of []node, ok bool) {
	w.proves, w.goal = true, slices.Clone(key)
	defer func() { w.proves, w.reads = false, nil }()
	n := w.goals[r]
	if n == nil {
		n = w.goalNest(r, false, func(int) bool { return true })
		w.goals[r] = n
	}
	for k := range n.steps { // only the rows of lower rounds are seen, so proofs are well-founded
		if i := n.steps[k].rel; w.all.inside[i] {
			w.stores[i].lo, w.stores[i].hi = 0, w.below(i, h)
		}
	}
	w.indexed([]*nest{n})
	w.reads, w.hit, w.vars = make([]read, len(n.steps)), false, nil
	w.do(n)
	if !w.hit {
		return nil, false
	}
	for k := range r.Body {
		for j := range n.steps {
			if st := &n.steps[j]; st.lit == &r.Body[k] && st.lit.Kind == rel.Atom {
				of = append(of, node{st.rel, w.stores[st.rel].find(w.reads[j].key)})
			}
		}
	}
	return of, true
}

// whole runs the loops of a rule over all rows rather than those of a round, for a goal in which
// NaN stands for anything. It gives the rows that a rule with aggregates makes, in a store of their
// own.
func (w *why) whole(r *rel.Rule, goal []float64, n *nest) (made store) {
	partial, all := w.stores, w.complete[r.Rel]
	if r.Aggregates() {
		w.complete[r.Rel] = store{width: all.width, size: all.size, most: all.most}
		w.rehash(&w.complete[r.Rel], 16)
	}
	w.stores = w.complete
	w.goal = w.codes(r.Rel, goal[:all.width])
	w.indexed([]*nest{n})
	w.reads = make([]read, len(n.steps))
	w.do(n)
	w.reads = nil
	made = w.complete[r.Rel]
	w.stores = partial
	if r.Aggregates() {
		w.complete[r.Rel] = all
	}
	return made
}

// binding returns the values that the first steps of the current nest have given to variables.
func (w *why) binding(steps int) Binding {
	n := w.nest
	b := Binding{n.rule, make([]float64, len(n.rule.Vars)), map[*rel.Literal]Goal{}}
	for v := range b.Vars {
		b.Vars[v] = math.NaN()
	}
	give := func(v int) {
		switch {
		case n.rule.Vars[v].Domain != nil && w.regs[v] == noCode:
			b.Vars[v] = rel.NoMember
		case n.rule.Vars[v].Domain != nil && w.lacks(w.regs[v]):
			b.Vars[v] = Lacks(int(lacking - w.regs[v]))
		case n.rule.Vars[v].Domain != nil:
			b.Vars[v] = float64(w.regs[v])
		case n.float[v]:
			b.Vars[v] = w.nums[v]
		default:
			b.Vars[v] = w.decode(w.regs[v])
		}
	}
	for _, p := range n.preset {
		give(p.reg)
	}
	for i := range n.steps[:steps] {
		switch l := n.steps[i].lit; l.Kind {
		case rel.Bind:
			give(l.Var)
		case rel.Atom:
			row := w.numbers(nil, l.Rel, w.reads[i].key)
			if w.stores[l.Rel].valued {
				row = append(row, w.reads[i].value)
			}
			b.Rows[l] = Goal{Relation: l.Rel, Row: row}
			for c, t := range l.Terms {
				if t.Kind == rel.Variable {
					b.Vars[t.Var] = row[c]
				}
			}
		}
	}
	return b
}

// parts finds the bindings that make a row of an aggregate or a sum. An aggregate's row comes from
// the first rule that derives it; all rules contribute to a sum.
func (w *why) parts(s *Step) {
	sum := w.p.Relations[s.Relation].Fold == rel.Sum
	width := w.stores[s.Relation].width
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		if r.Rel != s.Relation || s.Rule != nil && !sum {
			continue
		}
		group := func(c int) bool { return r.Head[c].Agg == rel.NoAgg }
		goal := w.codes(s.Relation, s.Row[:width])
		var parts []Binding
		count := 0
		w.collect = func(steps int) {
			for c := range width {
				if group(c) && w.row[c] != goal[c] {
					return
				}
			}
			if r.Aggregates() {
				w.gather()
			}
			if count++; count <= mostParts {
				parts = append(parts, w.binding(steps))
			}
		}
		rows := w.whole(r, s.Row, w.goalNest(r, false, group))
		w.collect = nil
		made := count > 0
		if r.Aggregates() {
			made = rows.find(goal) >= 0
		}
		if !made {
			continue
		}
		s.Rule = cmp.Or(s.Rule, r)
		s.Parts = append(s.Parts, parts[:min(len(parts), mostParts-len(s.Parts))]...)
		s.Count += count
	}
}

// towards is the loops of a rule from left to right, for a goal that its head could be; else nil.
func (w *why) towards(g Goal, r *rel.Rule) *nest {
	if r.Rel != g.Relation || !w.heads(r, g.Row[:w.stores[g.Relation].width]) {
		return nil
	}
	return w.goalNest(r, true, func(c int) bool { return r.Head[c].Agg == rel.NoAgg && !math.IsNaN(g.Row[c]) })
}

// asks are queries of a result for the rows that the rules of a goal read: at each atom with what those
// before it give.
func (w *why) asks(g Goal, result int) (list []rel.Rule) {
	for i := range w.p.Rules {
		n := w.towards(g, &w.p.Rules[i])
		if n == nil {
			continue
		}
		var body []rel.Literal
		lost := make([]bool, len(n.rule.Vars)) // of no member: only a negation or a comparison could hold
		for _, p := range n.preset {
			if x := g.Row[p.col]; n.rule.Vars[p.reg].Domain != nil && x < 0 {
				lost[p.reg] = true
			} else {
				body = append(body, rel.Literal{Kind: rel.Bind, Var: p.reg, Left: rel.C(x)})
			}
		}
		for k := range n.steps {
			l := *n.steps[k].lit
			uses := false
			if l.Vars(func(v int) { uses = uses || lost[v] }); uses {
				if l.Kind == rel.Atom || n.steps[k].kind == assign {
					break
				}
				continue
			}
			asked := l
			if asked.Kind == rel.Not {
				asked.Kind = rel.Atom
			}
			more := append(slices.Clip(body), asked)
			if l.Kind <= rel.Not {
				list = append(list, rel.Rule{Rel: result, Body: more, Vars: n.rule.Vars})
			}
			if l.Kind != rel.Not {
				body = more
			}
		}
	}
	return list
}

// tries says how far each rule gets towards a missing row.
func (w *why) tries(g Goal) (list []Try) {
	w.names = g.Names
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		if r.Rel != g.Relation {
			continue
		}
		t := Try{Rule: r}
		if n := w.towards(g, r); n != nil {
			// Only the bindings that get farthest count. Those with the lowest rows are kept, so
			// that the ones shown do not depend on the order in which the rows lie.
			far := -1
			var keys [][]float64
			var key []float64
			w.reach = func(steps int) {
				if steps > far {
					far, t.Count, t.Bindings, keys = steps, 0, nil, nil
				}
				if steps < far {
					return
				}
				t.Count++
				key = key[:0]
				for k := range n.steps[:steps] {
					if l := n.steps[k].lit; l.Kind == rel.Atom {
						key = w.numbers(key, l.Rel, w.reads[k].key)
					}
				}
				if at := lowest(&keys, key); at < mostTried {
					t.Bindings = slices.Insert(t.Bindings, at, w.binding(steps))
					t.Bindings = t.Bindings[:min(len(t.Bindings), mostTried)]
				}
			}
			w.collect = w.reach
			w.whole(r, g.Row, n)
			w.reach, w.collect = nil, nil
			for k := range max(far, 0) {
				t.Holds = append(t.Holds, n.steps[k].lit)
			}
			if far >= 0 && far < len(n.steps) {
				t.Fails = n.steps[far].lit
			}
		}
		list = append(list, t)
	}
	return list
}

// lowest puts a row where it belongs among the lowest, and gives its place, mostTried of none.
func lowest(list *[][]float64, row []float64) int {
	at, _ := slices.BinarySearchFunc(*list, row, slices.Compare[[]float64])
	if at < mostTried {
		*list = slices.Insert(*list, at, slices.Clone(row))
		*list = (*list)[:min(len(*list), mostTried)]
	}
	return at
}

// heads reports whether the head of a rule could make a row.
func (w *why) heads(r *rel.Rule, row []float64) bool {
	values := map[int]float64{}
	for c, x := range row {
		t := r.Head[c].Expr.Term
		if r.Head[c].Agg != rel.NoAgg || len(r.Head[c].Expr.Args) > 0 || math.IsNaN(x) {
			continue
		}
		if t.Kind == rel.Variable {
			if _, ok := values[t.Var]; !ok {
				values[t.Var] = x
			}
			t.Value = values[t.Var]
		}
		if t.Value != x {
			return false
		}
	}
	return true
}

// instance is the row that an atom asks for under a binding; other literals have none.
func (w *why) instance(l *rel.Literal, b Binding) Goal {
	if l == nil || l.Kind != rel.Atom {
		return Goal{Relation: -1}
	}
	g := Goal{Relation: l.Rel, Row: make([]float64, len(l.Terms))}
	for c, t := range l.Terms {
		switch t.Kind {
		case rel.Variable:
			g.Row[c] = b.Vars[t.Var]
		case rel.Const:
			g.Row[c] = t.Value
		default:
			g.Row[c] = math.NaN()
		}
	}
	return g
}

// nearest is the rows that are Near to each goal, if they have a cell of it. Those with a
// cell are asked for, column by column; a row counts at the first that it has.
func (x *explainer) nearest(goals []Goal) []Near {
	list, most := make([]Near, len(goals)), make([]int, len(goals))
	for c := range tensor.MaxColumns {
		var some []int
		var results []rel.Relation
		var queries []rel.Rule
		for i, g := range goals {
			if g.Relation < 0 || c >= len(g.Row) || math.IsNaN(g.Row[c]) || x.p.Relations[g.Relation].Columns[c].Domain != nil && g.Row[c] < 0 {
				continue
			}
			ask, result := x.having(g.Relation, c, g.Row[c], len(results))
			some, queries, results = append(some, i), append(queries, ask), append(results, result)
		}
		if some == nil {
			continue
		}
		part, _ := leading(x.p, results, queries)
		part.AsWritten = x.p.AsWritten
		budget := *x.budget // what it takes is free again behind it
		tables, err := New(part, x.size).Run(x.ctl, x.args, &budget)
		if err != nil {
			e, _ := errors.AsType[*Error](err)
			panic(stop{e})
		}
		for k, i := range some {
			list[i].add(&most[i], tables[k], x.p.Relations[goals[i].Relation].Columns, goals[i], c)
		}
	}
	return list
}

// having is a query for the rows that have a cell in a column, and its result, which has a number.
func (x *explainer) having(relation, column int, cell float64, result int) (rel.Rule, rel.Relation) {
	ask, l := rel.Rule{Rel: len(x.p.Relations) + result}, rel.Literal{Rel: relation}
	for c, of := range x.p.Relations[relation].Columns {
		t := rel.Term{Var: len(ask.Vars)}
		if c == column {
			t = rel.Term{Kind: rel.Const, Value: cell}
		} else {
			ask.Vars = append(ask.Vars, rel.Var{Kind: of.Kind, Domain: of.Domain})
		}
		l.Terms, ask.Head = append(l.Terms, t), append(ask.Head, rel.Cell{Expr: rel.Expr{Term: t}})
	}
	ask.Body = []rel.Literal{l}
	return ask, rel.Relation{Name: "near", Columns: x.p.Relations[relation].Columns}
}

// searched takes the rows of closures in queries from searches, where one end is known: they then read
// results that have these rows as facts, and no other end is asked for by what other atoms say of it. of
// are the closures.
func (x *explainer) searched(queries []rel.Rule) (results []rel.Relation, of []int) {
	results = slices.Clone(goal)
	type end struct {
		rel, column int
		cell        float64
	}
	found := map[end]int{} // the relation with the rows, 0 for none
	for i := range queries {
		known := map[int]float64{} // of variables
		for k := range queries[i].Body {
			l := &queries[i].Body[k]
			if l.Kind == rel.Bind && len(l.Left.Args) == 0 && l.Left.Term.Kind == rel.Const {
				known[l.Var] = l.Left.Term.Value
			}
			for c, t := range l.Terms {
				cell, ok := t.Value, t.Kind == rel.Const
				if t.Kind == rel.Variable {
					cell, ok = known[t.Var]
				}
				if !ok || l.Kind != rel.Atom || l.Rel >= len(x.p.Relations) {
					continue
				}
				e := end{l.Rel, c, cell}
				at, ok := found[e]
				if !ok {
					if t := x.reached(e.rel, c, cell); t != nil {
						at = len(x.p.Relations) + len(results)
						results, of = append(results, rel.Relation{Name: "near", Columns: t.Columns, Facts: t}), append(of, e.rel)
					}
					found[e] = at
				}
				if at > 0 {
					l.Rel = at
				}
			}
		}
	}
	return results, of
}

// reached is the rows of a closure with a cell in a column, nil if no search finds them.
func (x *explainer) reached(relation, column int, cell float64) *tensor.Table {
	ask, result := x.having(relation, column, cell, 0)
	part, _ := leading(x.p, []rel.Relation{result}, []rel.Rule{ask})
	part.AsWritten = x.p.AsWritten
	pl := New(part, x.size)
	if !slices.ContainsFunc(pl.strata, func(s stratum) bool { return s.closure != nil && s.closure.rel == relation && s.closure.by == column }) {
		return nil
	}
	tables, err := pl.Run(x.ctl, x.args, x.budget)
	if err != nil {
		e, _ := errors.AsType[*Error](err)
		panic(stop{e})
	}
	return tables[0]
}

// add adds the rows that have a cell of the goal in a column and in none before. A name is what a row is
// about, and counts more than all numbers.
func (n *Near) add(most *int, t *tensor.Table, columns []tensor.Column, g Goal, first int) {
	for row := range t.All() {
		alike, at := 0, -1
		for c := len(row) - 1; c >= 0; c-- {
			if row[c] == g.Row[c] {
				alike, at = alike+1, c
				if columns[c].Domain != nil {
					alike += tensor.MaxColumns
				}
			}
		}
		if at != first || alike < *most {
			continue
		}
		if alike > *most {
			*most, *n = alike, Near{}
		}
		n.Rows++
		lowest(&n.List, row)
	}
}
