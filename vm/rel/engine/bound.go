package engine

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// bounds is what is known of a program before it runs: of each relation, by its number, and of the
// whole. None is ever below what a run finds. Numbers that overflow stay at the largest there is.
type bounds struct {
	columns [][]uint64 // different cells that a column can have
	rows    []uint64
	degrees [][]uint64 // of each column: the rows that can have the same cell there
	below   [][]bool   // of each column: it may have numbers below 0
	summed  []bool     // the bound counts the rows of each rule, so it holds even if some come twice
	ops     uint64
	bytes   uint64
	rowsKnown
}

// places is a sorted set of places. If there are more than mostPlacesOf, it is only known that
// there are many.
type places []int32

const mostPlacesOf = 64

var many = places{-1}

// sources computes bounds. A column holds cells that come from certain places: columns of given
// data, constants and expressions. Each place has so many different cells, so a column has no more
// than its places together, and a relation no more rows than its columns have combinations.
type sources struct {
	bounds
	p     *rel.Program
	most  bounds     // of the first relations, as far as they are known
	sizes []uint64   // of each place
	from  [][]places // of each column of each relation
	made  map[*rel.Expr]int
	vars  []source // of the variables of the rule that is looked at
	grew  bool     // an expression has more values than before, since its variables come from more places
	late  bool     // too many rounds have passed: what still grows gets many places
}

// source is where the cells of a variable come from: of a column, how many there are, and whether
// its relation is in the stratum.
type source struct {
	from   places
	cells  uint64
	inside bool
}

// newBounds computes the bounds of a program whose argument i has at most size[i]. The strata must
// come in the order in which they run. The first relations are known to keep to the bounds most.
func newBounds(p *rel.Program, strata []rel.Stratum, size []Size, most bounds) bounds {
	b := sources{p: p, most: most, made: map[*rel.Expr]int{}}
	b.summed = make([]bool, len(p.Relations))
	b.columns, b.rows, b.from = make([][]uint64, len(p.Relations)), make([]uint64, len(p.Relations)), make([][]places, len(p.Relations))
	b.degrees, b.below = make([][]uint64, len(p.Relations)), make([][]bool, len(p.Relations))
	b.rowsKnown = newRowsKnown(len(p.Relations))
	for i := range p.Relations {
		r := &p.Relations[i]
		n := uint64(0)
		if r.Facts != nil {
			n = uint64(r.Facts.Len)
		}
		if r.Source != rel.NoSource {
			n = tensor.SatAdd(n, size[r.Arg].Rows)
		}
		b.rows[i], b.columns[i], b.from[i] = n, make([]uint64, len(r.Columns)), make([]places, len(r.Columns))
		b.given(i, size)
		for c := range r.Columns {
			b.from[i][c] = b.place(b.columns[i][c])
		}
	}
	for _, s := range strata {
		b.stratum(s)
	}
	return b.bounds
}

// given takes what is known of the facts and the argument of a relation.
func (b *sources) given(i int, size []Size) {
	r, n := &b.p.Relations[i], b.rows[i]
	t := given(&b.rowsKnown, r, size)
	b.degrees[i], b.below[i] = slices.Repeat([]uint64{n}, len(r.Columns)), make([]bool, len(r.Columns))
	for c := range r.Columns {
		b.columns[i][c] = limit(r.Columns[c], n)
		b.below[i][c] = t == nil || slices.ContainsFunc(t.Cells[c].Num, func(x float64) bool { return x < 0 })
	}
	b.knows(i, t)
}

// knows notes what is known of a relation, and narrows its bounds by it.
func (b *sources) knows(i int, t *tensor.Table) {
	if t != nil && b.p.Relations[i].Fold == rel.Sum { // no row has the sum
		last := len(t.Cells) - 1
		t = &tensor.Table{Columns: t.Columns, Len: t.Len, Cells: append(t.Cells[:last:last], tensor.Cells{})}
	}
	if b.known[i] = t; t == nil {
		return
	}
	b.rows[i] = min(b.rows[i], uint64(t.Len))
	for c, cells := range t.Cells {
		if cells.ID != nil && b.looks(t.Len+t.Columns[c].Domain.Size) {
			names, most := b.spread(cells.ID, t.Columns[c].Domain.Size)
			b.columns[i][c], b.degrees[i][c] = min(b.columns[i][c], names), min(b.degrees[i][c], most)
		}
	}
}

// copies returns what is known of a relation from its rules, with what is given of it.
func (b *sources) copies(s *rel.Stratum, i int) *tensor.Table {
	if s.Recursive {
		return nil
	}
	parts := []*tensor.Table{b.known[i]}
	for _, x := range s.Rules {
		parts = append(parts, b.copied(b.p, &b.p.Rules[x]))
	}
	return b.together(b.p.Relations[i].Columns, parts)
}

func limit(c tensor.Column, n uint64) uint64 {
	if c.Domain != nil {
		return min(n, uint64(c.Domain.Size))
	}
	return n
}

// place makes a place with n different cells, and gives the set of it alone.
func (b *sources) place(n uint64) places {
	b.sizes = append(b.sizes, n)
	return places{int32(len(b.sizes) - 1)}
}

// stratum bounds the relations of a stratum, after those that they read. Rows of a recursive one
// are bounded by the combinations of its columns alone: how often its rules run is not known.
// Otherwise they are counted by rules as well, and the smaller number holds.
func (b *sources) stratum(s rel.Stratum) {
	given := make([]uint64, len(s.Relations))
	for k, i := range s.Relations {
		given[k] = b.rows[i]
	}
	// The places of the columns, to a fixed point. Sets of places grow, and so may the places of
	// expressions; what grows for too long has no bound but that of its domain.
	const mostRounds = 100
	for round, changed := 0, true; changed; round++ {
		changed, b.grew, b.late = false, false, round > mostRounds
		for _, i := range s.Rules {
			r := &b.p.Rules[i]
			b.variables(s, r)
			for c := range r.Head {
				cell := b.cell(s, r, c)
				if b.late && cell != nil {
					cell = many
				}
				if join(&b.from[r.Rel][c], cell) {
					changed = true
				}
			}
		}
		changed = changed || b.grew
	}
	for _, x := range s.Rules {
		for c := range b.below[b.p.Rules[x].Rel] { // what a rule computes may be below 0
			b.below[b.p.Rules[x].Rel][c] = true
		}
	}
	for k, i := range s.Relations {
		r := &b.p.Relations[i]
		total := uint64(1)
		for c := range r.Columns {
			if r.Valued() && c == len(r.Columns)-1 {
				break
			}
			b.columns[i][c] = b.size(r.Columns[c], b.from[i][c])
			total = tensor.SatMul(total, b.columns[i][c])
		}
		if i < len(b.most.rows) {
			total = min(total, b.most.rows[i])
		}
		if !s.Recursive {
			sum := given[k]
			for _, x := range s.Rules {
				sum = tensor.SatAdd(sum, b.heads(&b.p.Rules[x], -1))
			}
			b.summed[i] = sum <= total
			total = min(total, sum)
		}
		b.rows[i] = total
		known := b.copies(&s, i)
		if known != nil {
			b.rows[i] = min(total, uint64(known.Len))
		}
		b.bundles(&s, i)
		b.knows(i, known)
		if r.Valued() { // one value a key
			c := len(r.Columns) - 1
			b.columns[i][c], b.from[i][c] = total, b.place(total)
		}
		for c := range r.Columns {
			b.columns[i][c] = min(b.columns[i][c], total)
		}
	}
}

// bundles bounds the degrees of a relation: by what its other columns combine to and, without
// recursion, by what its rules make of one cell.
func (b *sources) bundles(s *rel.Stratum, i int) {
	r := &b.p.Relations[i]
	for c := range r.Columns {
		most := b.rows[i]
		if keys := sizes(r); c < len(keys) {
			others := uint64(1)
			for k := range keys {
				if k != c {
					others = tensor.SatMul(others, b.columns[i][k])
				}
			}
			most = min(most, others)
		}
		if i < len(b.most.rows) {
			most = min(most, b.most.degrees[i][c])
		}
		if !s.Recursive {
			sum := b.degrees[i][c]
			for _, x := range s.Rules {
				sum = tensor.SatAdd(sum, b.heads(&b.p.Rules[x], c))
			}
			most = min(most, sum)
		}
		b.degrees[i][c] = most
	}
}

// size bounds the different cells of a column that come from these places.
func (b *sources) size(c tensor.Column, from places) uint64 {
	n := uint64(0)
	for _, at := range from {
		if at < 0 {
			n = math.MaxUint64
		} else {
			n = tensor.SatAdd(n, b.sizes[at])
		}
	}
	return limit(c, n)
}

// join adds places to a set and reports whether it grew. A set of many never does, which ends the
// fixed point.
func join(to *places, from places) (changed bool) {
	if slices.Equal(*to, many) {
		return false
	}
	for _, at := range from {
		if k, found := slices.BinarySearch(*to, at); !found {
			*to, changed = slices.Insert(slices.Clip(*to), k, at), true
		}
	}
	if len(*to) > mostPlacesOf || len(*to) > 0 && (*to)[0] < 0 {
		*to = many
	}
	return changed
}

// cell returns the places that a cell of a head comes from.
func (b *sources) cell(s rel.Stratum, r *rel.Rule, c int) places {
	if b.p.Relations[r.Rel].Valued() && c == len(r.Head)-1 {
		return nil
	}
	return b.expr(s, r, &r.Head[c].Expr, &r.Head[c])
}

// expr returns the places of an expression or an aggregate: those of a variable, or one of its own.
// That has no more values than its variables, or its groups, have combinations.
func (b *sources) expr(s rel.Stratum, r *rel.Rule, e *rel.Expr, cell *rel.Cell) places {
	if len(e.Args) == 0 && e.Term.Kind == rel.Variable && (cell == nil || cell.Agg == rel.NoAgg) {
		return b.vars[e.Term.Var].from
	}
	at, found := b.made[e]
	if !found || s.Recursive {
		n := uint64(1)
		times := func(v int) {
			n = tensor.SatMul(n, b.size(tensor.Column{Domain: r.Vars[v].Domain}, b.vars[v].from))
		}
		if cell != nil && cell.Agg != rel.NoAgg {
			for k := range r.Head {
				if r.Head[k].Agg == rel.NoAgg {
					r.Head[k].Expr.Vars(times)
				}
			}
		} else {
			e.Vars(times)
		}
		if !found {
			at = len(b.sizes)
			b.sizes = append(b.sizes, 0)
			b.made[e] = at
		}
		if n > b.sizes[at] {
			b.grew = true
			if b.sizes[at] = n; b.late {
				b.sizes[at] = math.MaxUint64
			}
		}
	}
	return places{int32(at)}
}

// variables finds the places that the variables of a rule come from: those of the column with the
// fewest cells among the atoms that give one, preferably of a complete relation, else of what makes
// it. Each is found once, from others that are known: a chain of sums may be long, and a variable
// may also be tested against itself.
func (b *sources) variables(s rel.Stratum, r *rel.Rule) {
	b.vars = append(b.vars[:0], make([]source, len(r.Vars))...)
	for i := range r.Body {
		l := &r.Body[i]
		if l.Kind != rel.Atom {
			continue
		}
		_, in := slices.BinarySearch(s.Relations, l.Rel)
		for c, t := range l.Terms {
			if t.Kind != rel.Variable {
				continue
			}
			x, n := &b.vars[t.Var], b.columns[l.Rel][c]
			if x.from == nil || !in && (x.inside || n < x.cells) {
				*x = source{b.from[l.Rel][c], n, in}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range r.Body {
			l := &r.Body[i]
			if l.Kind != rel.Bind || b.vars[l.Var].from != nil {
				continue
			}
			known := true
			if l.Left.Vars(func(v int) { known = known && b.vars[v].from != nil }); known {
				b.vars[l.Var].from, changed = b.expr(s, r, &l.Left, nil), true
			}
		}
	}
}

// heads bounds the rows that a rule without recursion derives, or those with the same cell in a column:
// by how many rows its atoms have for what is known from those before, chosen greedily. Either all
// atoms count, or as few as hold the variables of the head.
func (b *sources) heads(r *rel.Rule, column int) uint64 {
	need, fixed := make([]bool, len(r.Vars)), -1
	for i := range r.Head {
		if r.Head[i].Agg == rel.NoAgg {
			r.Head[i].Expr.Vars(func(v int) { need[v] = true })
		}
	}
	if column >= 0 {
		if v, ok := variable(&r.Head[column]); ok {
			fixed, need[v] = v, false
		}
	}
	for range r.Body { // what makes a variable stands for it
		for i := range r.Body {
			if l := &r.Body[i]; l.Kind == rel.Bind && need[l.Var] {
				l.Left.Vars(func(v int) { need[v] = v != fixed })
			}
		}
	}
	n := b.covering(r, slices.Clone(need), fixed, false)
	if len(r.Body) > 1 {
		n = min(n, b.covering(r, need, fixed, true))
	}
	if r.Aggregates() {
		n = max(n, 1) // even of nothing
	}
	return n
}

// covering multiplies the rows of atoms until they hold all variables that are needed, or until no
// atom is left.
func (b *sources) covering(r *rel.Rule, need []bool, fixed int, all bool) uint64 {
	known, done := make([]bool, len(r.Vars)), make([]bool, len(r.Body))
	if fixed >= 0 {
		known[fixed] = true
	}
	joins := joined{bounds: &b.bounds, p: b.p, rule: r}
	for n := uint64(1); ; {
		best, most, least := -1, 0, uint64(0)
		for i := range r.Body {
			l := &r.Body[i]
			if l.Kind != rel.Atom || done[i] {
				continue
			}
			covers := 0
			for c, t := range l.Terms {
				if t.Kind == rel.Variable && need[t.Var] && !slices.Contains(l.Terms[:c], t) {
					covers++
				}
			}
			if all {
				covers = 1
			}
			if rows := joins.fit(l, l.Terms, func(v int) bool { return known[v] }); covers > most || covers == most && covers > 0 && rows < least {
				best, most, least = i, covers, rows
			}
		}
		if best < 0 { // nothing is left but what no atom holds
			return n
		}
		n, done[best] = tensor.SatMul(n, least), true
		if fixed < 0 {
			_, left := joins.add(&r.Body[best])
			n = min(n, left)
		}
		for _, t := range r.Body[best].Terms {
			if t.Kind == rel.Variable {
				need[t.Var], known[t.Var] = false, true
			}
		}
	}
}

// fit bounds the rows of an atom that agree with what is known of the cells.
func (j *joined) fit(l *rel.Literal, cells []rel.Term, known func(v int) bool) uint64 {
	n := j.rows[l.Rel]
	if t := j.passing(j.p, j.rule, l).keyed; t != nil {
		n = min(n, uint64(t.Len))
	}
	for c, t := range cells {
		if t.Kind == rel.Const || t.Kind == rel.Variable && known(t.Var) {
			n = min(n, j.degrees[l.Rel][c])
		}
	}
	return n
}

// keyed returns the cells by which rows are found: a value is looked at only after its key.
func (b *certifier) keyed(l *rel.Literal) []rel.Term {
	if valued(&b.p.Relations[l.Rel]) {
		return l.Terms[:len(l.Terms)-1]
	}
	return l.Terms
}

// take adds memory to the bound.
func (b *bounds) take(bytes uint64) { b.bytes = tensor.SatAdd(b.bytes, bytes) }

// certifier adds up what a run of a plan may take.
type certifier struct {
	*Plan
	*bounds
	numbers       uint64   // that may get into the pool
	bits          []bool   // relations of which cells are made at most once
	whole         []bool   // relations that may be nothing but bits
	recursive     []bool   // relations that grow while rules read them
	unread        []bool   // relations that are made by a kernel and read by no rule
	groups, marks []int    // of each relation: the rules with aggregates that make it, the steps that mark its lists
	copies        []uint64 // of each relation: how often a row may come, if it is not looked up
}

func (b *certifier) add(ops uint64) { b.ops = tensor.SatAdd(b.ops, ops) }

// certify bounds the work and the memory of a plan: first the rows of closures, on which the rest
// depends.
func (pl *Plan) certify() {
	n := len(pl.p.Relations)
	b := certifier{pl, &pl.bound, uint64(64 + len(pl.consts)), make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n), make([]int, n), make([]int, n), make([]uint64, n)}
	for i := range b.copies {
		b.copies[i] = 1
	}
	for i := range pl.strata {
		s := &pl.strata[i]
		for _, r := range s.Relations {
			b.recursive[r], b.whole[r] = s.Recursive, s.dense || s.closure != nil && s.closure.bits
		}
		if s.unique {
			b.copies[s.Relations[0]] = uint64(1 + len(s.Rules)) // once as a fact
		}
	}
	b.add(64)
	for i := range pl.strata {
		c := pl.strata[i].closure
		if c == nil {
			continue
		}
		b.bits[c.rel] = c.bits && c.by < 0
		b.unread[c.rel] = b.bits[c.rel] && c.same
		if c.step != c.rel {
			b.unread[c.step] = false
		}
		b.closing(c) // of all first pairs, whatever is asked for
		if n := uint64(pl.p.Relations[c.rel].Columns[0].Domain.Size); c.loops {
			b.rows[c.rel] = min(b.rows[c.rel], n)
		} else if c.by >= 0 {
			b.rows[c.rel] = min(b.rows[c.rel], tensor.SatMul(pl.keys(c), n))
		}
	}
	for i := range pl.p.Rules {
		r := &pl.p.Rules[i]
		if r.Aggregates() {
			b.groups[r.Rel]++
		}
	}
	for i := range pl.strata {
		for _, n := range slices.Concat(pl.strata[i].once, pl.strata[i].each) {
			for k := range n.steps {
				t := &n.steps[k]
				if t.lit != nil && t.lit.Kind <= rel.Not && !pl.strata[i].inside[t.rel] {
					b.unread[t.rel] = false
				}
				if t.kind == find && t.index >= 0 || t.meets > 0 {
					b.marks[t.rel]++
				}
				if t.found {
					b.take(tensor.SatMul(16, tensor.SatAdd(b.rows[t.rel], 64)))
				}
			}
		}
	}
	for i := range pl.p.Relations {
		b.relation(i)
	}
	for _, s := range pl.p.Results {
		s = pl.at(s)
		n := b.rows[s]
		if b.bits[s] {
			n = 0
		}
		b.add(tensor.SatAdd(tensor.SatMul(n, 2+digits(&pl.p.Relations[s])), 12*min(n, 1<<10))) // see arranged
		b.take(tensor.SatMul(n, 24+8*uint64(len(pl.p.Relations[s].Columns))))
	}
	for i := range pl.strata {
		b.stratum(&pl.strata[i])
	}
	b.take(tensor.SatMul(b.numbers, 64))
	b.rowsKnown = rowsKnown{}
}

// relation counts what the rows of a relation take wherever they come from: they are read, looked
// up and put into indexes. The factors bound what store.go counts and takes; tests compare them
// with runs.
func (b *certifier) relation(i int) {
	r := &b.p.Relations[i]
	n, marks := b.rows[i], uint64(b.marks[i])
	if b.unread[i] {
		n = 0
	}
	if r.Facts != nil {
		b.add(uint64(r.Facts.Len))
	}
	switch r.Source {
	case rel.FromTable:
		b.add(b.sizes[r.Arg].Rows)
	case rel.FromEntries, rel.FromElements:
		b.add(tensor.SatMul(8, b.sizes[r.Arg].Rows))
	}
	times := uint64(len(b.index[i])) // see sync
	if b.recursive[i] {
		times *= 8
	}
	b.add(tensor.SatMul(n, times))
	for _, x := range b.index[i] {
		if d := r.Columns[x.cols[0]].Domain; d != nil {
			b.add(uint64(d.Size))
		}
		if x.along && len(x.cols) > 1 { // see hashed
			b.add(tensor.SatAdd(16, tensor.SatMul(2, n)))
		}
		if len(x.cols) == 1 && len(r.Columns) == 2 { // see index.settled
			b.take(tensor.SatMul(24, n))
		}
	}
	for c := range r.Columns {
		if r.Columns[c].Domain == nil {
			b.numbers = tensor.SatAdd(b.numbers, n)
		}
	}
	b.add(tensor.SatMul(n, 4*marks)) // see line
	b.take(tensor.SatMul(tensor.SatAdd(n, 64), 32*uint64(len(r.Columns)+2+len(b.index[i]))+40*marks))
	b.take(b.fixed(i, b.groups[i], b.marks[i]))
}

// stratum counts the loops of its rules, and what its special ways take.
func (b *certifier) stratum(s *stratum) {
	// All rounds but the last add a row or settle a value.
	rounds := uint64(2)
	for _, r := range s.Relations {
		rounds = tensor.SatAdd(rounds, b.rows[r])
	}
	for _, n := range s.once {
		w := b.work(n)
		b.add(w)
		g := b.grouped(n.rule, n.groups)
		from := uint64(0)
		if len(n.steps) > 0 {
			from = b.rows[n.steps[0].rel]
		}
		if places := min(uint64(b.places(&g, n)), tensor.SatMul(2, from)); places > 0 {
			b.add(tensor.SatAdd(places, tensor.SatMul(4, from)))
			b.take(tensor.SatAdd(8*places*uint64(1+2*len(n.rule.Head)), tensor.SatMul(16, from)))
		}
		for _, c := range n.rule.Head {
			if n.inGroups && n.marked(c) {
				b.take(4 * uint64(n.rule.Vars[c.Expr.Term.Var].Domain.Size))
			}
		}
		b.numbers = tensor.SatAdd(b.numbers, n.numbers(w))
	}
	if s.closure != nil {
		return
	}
	for _, r := range s.Relations {
		if s.best { // see relax
			places := uint64(b.sized(r).places())
			b.add(2 * places)
			b.take(8 * places)
		}
		if s.dense { // each row of bits is looked at by each rule, once for all and when it has a new pair
			st := b.sized(r)
			words := uint64(st.frontierWords())
			row := uint64(tensor.Words(st.size[0]) + tensor.Words(st.size[1]))
			b.add(tensor.SatMul(tensor.SatAdd(words, tensor.SatMul(rounds, row)), uint64(2+len(s.each))))
			b.take(8 * words)
		}
	}
	once := s.best && !slices.ContainsFunc(s.each, func(n *nest) bool { return !b.superior(n, &n.rule.Head[len(n.rule.Head)-1].Expr) })
	for _, n := range s.each {
		w := b.work(n)
		if b.p.Relations[n.rule.Body[n.delta].Rel].Valued() && !once {
			w = tensor.SatMul(w, rounds) // a key counts again whenever it improves
		}
		b.numbers = tensor.SatAdd(b.numbers, n.numbers(w))
		b.add(w)
		b.add(tensor.SatMul(rounds, 4))
		if s.best { // each improvement waits, is looked at on the step that it moves from, and passed over
			b.take(tensor.SatMul(96, tensor.SatAdd(w, 64)))
			b.add(tensor.SatMul(8+2*ladderDigits, tensor.SatAdd(w, rounds)))
		}
	}
}

// superior reports whether what a rule makes of a value by e is never better than the value (Knuth,
// A Generalization of Dijkstra's Algorithm, 1977). So are a value plus a weight from 0 on under
// min, and the larger of a value and anything. Then no key improves after it was taken, and each is
// gone through once.
func (b *certifier) superior(n *nest, e *rel.Expr) bool {
	if len(e.Args) == 0 {
		return e.Term == rel.Term{Var: n.steps[0].value}
	}
	worse, sign := op.FnMax, 1.0
	if b.p.Relations[n.rule.Rel].Fold == rel.Max {
		worse, sign = op.FnMin, -1
	}
	at := slices.IndexFunc(e.Args, func(x rel.Expr) bool { return b.superior(n, &x) })
	if at < 0 || e.Fn == worse || e.Fn != op.FnAdd {
		return at >= 0 && e.Fn == worse
	}
	other := &e.Args[1-at]
	switch {
	case len(other.Args) > 0:
		return false
	case other.Term.Kind == rel.Const:
		return sign*other.Term.Value >= 0
	}
	return sign > 0 && slices.ContainsFunc(n.rule.Body, func(l rel.Literal) bool {
		at := slices.Index(l.Terms, other.Term)
		return l.Kind == rel.Atom && at >= 0 && !b.below[l.Rel][at]
	})
}

// closing counts what a closure takes: the kernel for all pairs, a search for each cell that readers
// ask for, or components.
func (b *certifier) closing(c *closure) {
	n := uint64(b.p.Relations[c.rel].Columns[0].Domain.Size)
	words := (n + 63) / 64
	first, steps := b.rows[c.rel], b.rows[c.step]
	if c.same {
		first = steps
	} else {
		b.take(tensor.SatMul(64, first))
	}
	if c.loops || c.tells {
		cost := kernel.SCCCSRCost(int(n), int(min(steps, n*n)))
		b.take(tensor.SatAdd(tensor.SatAdd(8*cost.W, tensor.SatMul(4, cost.I)), tensor.SatMul(8, tensor.SatAdd(steps, 3*n+2))))
		b.add(tensor.SatAdd(cost.Ops, tensor.SatMul(8, tensor.SatAdd(n, steps))))
	}
	if c.loops {
		return
	}
	keys := n
	if c.by >= 0 {
		keys = min(keys, b.keys(c))
	}
	ops := tensor.SatMul(keys, tensor.SatAdd(tensor.SatAdd(first, steps), 2*n+2))
	b.take(tensor.SatAdd(tensor.SatMul(8, tensor.SatAdd(first, steps)), 64*n+1024))
	if c.bits && c.by < 0 { // a run searches only if its limit is below this: see closeBits
		cost := kernel.ClosureCSRCost(int(n), int(min(steps, n*n)))
		ops = tensor.SatAdd(cost.Ops, tensor.SatMul(tensor.SatAdd(first, 4*n), words+2))
		b.take(tensor.SatAdd(tensor.SatMul(8, tensor.SatAdd(cost.F, cost.W)), tensor.SatMul(4, cost.I)))
		b.take(24 * n * words)
	}
	b.add(tensor.SatAdd(ops, tensor.SatMul(8, tensor.SatAdd(n, tensor.SatAdd(first, steps)))))
}

// keys bounds the number of cells that the readers of a closure ask for.
func (pl *Plan) keys(c *closure) uint64 {
	n := uint64(0)
	for i := range pl.strata {
		st := &pl.strata[i]
		for _, x := range slices.Concat(st.once, st.each) {
			for k := range x.steps {
				t := &x.steps[k]
				if t.rel != c.rel || t.lit == nil || t.lit.Kind > rel.Not || st.inside[t.rel] {
					continue
				}
				asked := uint64(math.MaxUint64)
				if key := t.lit.Terms[c.by]; key.Kind == rel.Const {
					asked = 1
				} else {
					for j := range x.steps[:k] { // what gives the variable
						if of := x.steps[j].lit; of != nil && of.Kind == rel.Atom && slices.Contains(of.Terms, key) {
							asked = min(asked, pl.bound.columns[of.Rel][slices.Index(of.Terms, key)])
						}
					}
				}
				n = tensor.SatAdd(n, asked)
			}
		}
	}
	return n
}

// numbers bounds how many new numbers a rule makes in so much work.
func (n *nest) numbers(work uint64) uint64 {
	makes := n.kind == aggregates || slices.Contains(n.float, true)
	for i := range n.rule.Head {
		makes = makes || len(n.rule.Head[i].Expr.Args) > 0
	}
	if !makes {
		return 0
	}
	return tensor.SatMul(work, uint64(len(n.rule.Vars)+len(n.rule.Head)))
}

// fixed bounds the memory of a relation that depends on the size of its domains rather than on its
// rows. groups is how many rules with aggregates make it, marks how many steps mark its lists.
func (pl *Plan) fixed(i, groups, marks int) uint64 {
	r := &pl.p.Relations[i]
	s := pl.sized(i)
	n := 64 + 4*uint64(s.places()) + 8*uint64(s.words())
	n += uint64(groups) * (8<<10 + 40*min(pl.bound.rows[i], mostPlaces))
	for _, x := range pl.index[i] {
		if d := r.Columns[x.cols[0]].Domain; d != nil {
			n += 8 * uint64(d.Size+1)
			if marks > 0 {
				n += 4 * uint64(d.Size+1) // see line
			}
		}
	}
	if marks > 0 {
		n += 8 * uint64(marks) * uint64(max(tensor.Words(s.size[0]), tensor.Words(s.size[1])))
	}
	return n
}

// sized is an empty store of a relation, which knows how large it may get.
func (pl *Plan) sized(i int) *store {
	r := &pl.p.Relations[i]
	return &store{size: sizes(r), valued: valued(r), most: pl.bound.rows[i]}
}

// work bounds how many rows the loops of a rule look at. Bindings are told apart by their variables
// and the nameless cells that they skip, so a row meets at most one for each combination of the
// values that it does not have itself.
func (b *certifier) work(n *nest) uint64 {
	cells := make([]uint64, len(n.rule.Vars)) // of the variables that are bound: how many values
	nameless := uint64(1)
	combos := func(but []rel.Term) uint64 {
		c := nameless
		for v, k := range cells {
			if k > 0 && !slices.Contains(but, rel.Term{Var: v}) {
				c = tensor.SatMul(c, k)
			}
		}
		return c
	}
	// at is how often the next step is reached, total the rows that are looked at so far.
	at, total := uint64(1), uint64(2)
	joins, left := joined{bounds: b.bounds, p: b.p, rule: n.rule}, uint64(math.MaxUint64)
	for i := 0; i < len(n.steps); i++ {
		st := &n.steps[i]
		if st.kind <= probe { // all tests of what came before are done
			at = min(at, left)
		}
		total = tensor.SatAdd(total, at)
		if b.whole[st.rel] && (st.kind == scan || st.kind == none && st.index < 0) { // see ones
			total = tensor.SatAdd(total, tensor.SatMul(at, uint64(b.p.Relations[st.rel].Columns[0].Domain.Size)))
		}
		if st.kind != scan && st.kind != probe {
			if st.kind == find && st.index >= 0 {
				total = tensor.SatAdd(total, tensor.SatMul(at, 5)) // see meet
			}
			if st.kind == find && b.known[st.rel] != nil {
				_, n := joins.add(st.lit)
				left = min(left, n)
			}
			if st.kind == none {
				fit := uint64(1) // the first row with the key ends it
				if b.whole[st.rel] || len(st.same) > 0 || st.check >= 0 {
					fit = joins.fit(st.lit, b.keyed(st.lit), func(v int) bool { return cells[v] > 0 })
				}
				total = tensor.SatAdd(total, tensor.SatMul(at, fit))
			}
			if st.value >= 0 {
				cells[st.value] = 1 // for each key
			}
			continue
		}
		// Each row at most once for each combination of what it does not hold (most); and for each
		// binding so far, at most the rows with one known cell (fit) or all combinations of the
		// unknown ones (match).
		l := st.lit
		match := uint64(1)
		most, fit := tensor.SatMul(b.rows[l.Rel], combos(b.keyed(l))), joins.fit(l, b.keyed(l), func(v int) bool { return cells[v] > 0 })
		value := func(c int) bool { return c == len(l.Terms)-1 && valued(&b.p.Relations[l.Rel]) }
		for c, t := range l.Terms {
			d := b.columns[l.Rel][c]
			if t.Kind == rel.Const || t.Kind == rel.Variable && cells[t.Var] > 0 || value(c) {
				continue
			}
			match = tensor.SatMul(match, d)
			if t.Kind == rel.Any {
				nameless = tensor.SatMul(nameless, d)
			}
		}
		for c, t := range l.Terms {
			switch {
			case t.Kind != rel.Variable || cells[t.Var] > 0:
			case value(c):
				cells[t.Var] = 1 // for each key
			default:
				cells[t.Var] = max(1, b.columns[l.Rel][c])
			}
		}
		nameless = tensor.SatMul(nameless, b.copies[l.Rel])
		if st.meets > 0 {
			if cost, found := joins.meeting(b.Plan, st); found < math.MaxUint64 {
				joins.add(l)
				total, at, left = tensor.SatAdd(total, cost), found, found
				i += st.meets
				continue
			}
			if d := n.rule.Vars[st.out[0].reg].Domain; d != nil { // lists that are no lines
				total = tensor.SatAdd(total, tensor.SatMul(at, uint64(leastLine+d.Size/256+1)*uint64(2+st.meets)))
			}
		}
		if match = min(tensor.SatMul(min(match, fit), b.copies[l.Rel]), b.rows[l.Rel]); i == 0 && n.delta >= 0 {
			match = b.rows[l.Rel]
		}
		at = min(tensor.SatMul(at, match), most)
		met := uint64(0)
		met, left = joins.add(l)
		at = min(at, met)
		total = tensor.SatAdd(total, at)
		// No more bindings than combinations of the values that variables have by now.
		at = min(at, combos(nil))
	}
	if at = min(at, left); n.kind == aggregates { // a group for each at most
		at = tensor.SatMul(at, 2)
	}
	return tensor.SatAdd(total, at)
}

// digits bounds how many of the eight digits differ by which the rows of a result are sorted.
func digits(r *rel.Relation) uint64 {
	n := 0
	for c := range min(2, len(r.Columns)) {
		d := r.Columns[c].Domain
		if d == nil && c > 0 {
			break
		}
		if d == nil {
			return 8
		}
		n += (bits.Len(uint(max(d.Size-1, 0))) + 7) / 8
	}
	return uint64(n)
}

// sizes returns the sizes of the columns that tell rows apart: all but a value.
func sizes(r *rel.Relation) []int {
	n := len(r.Columns)
	if valued(r) {
		n--
	}
	list := make([]int, n)
	for c := range list {
		if d := r.Columns[c].Domain; d != nil {
			list[c] = d.Size
		}
	}
	return list
}
