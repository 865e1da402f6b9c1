package engine

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Kind says why a run has no answer.
type Kind uint8

// OverOps and OverBytes are a limit that was reached. Cancelled is the channel of the Ctl.
// NotFinite is a number that is none, Inexact a whole number from 2^53 on. Improves is a value that
// keeps improving, Weight a factor below 0 of a value that improves.
const (
	OverOps Kind = iota
	OverBytes
	Cancelled
	NotFinite
	Inexact
	Improves
	Weight
)

// Error is why a run has no answer: in which relation, by which rule (nil when by none),
// and what the run had by then.
type Error struct {
	Kind     Kind
	Relation *rel.Relation
	Rule     *rel.Rule
	Value    float64     // NotFinite, Inexact, Weight; of Improves the sum around the cycle, 0 if there is none
	Cycle    [][]float64 // Improves: keys, each made of the one before, if they are known
	Rows     int         // of the relation so far
	Reading  string      // Weight: the row that has the factor, as " in E(...)", if one has it
	Message  string
}

func (e *Error) Error() string { return e.Message }

// Budget is the memory that a run may take. It counts what is allocated and gives nothing back, so
// it holds whatever the collector does.
type Budget struct{ Max, Used uint64 }

// run is one evaluation of a Plan: the stores of all relations, and the registers and the room of
// the nest that runs. It belongs to one goroutine and ends with its evaluation.
//
// A variable has two registers: regs holds its code (see store.go), nums its number. The plan knows
// which one counts: nums for a variable that an expression or a value makes (nest.float), and regs
// as well if it is coded; regs alone for all others. The constants of the rule follow the variables
// in regs, so a key is read from registers whatever gave its cells.
type run struct {
	*Plan
	ctl    *kernel.Ctl
	budget *Budget
	pool   *pool
	stores []store
	next   uint64 // look at the Ctl then
	rel    int    // that is being derived
	rule   *rel.Rule
	live   []*nest // of a round: those that have new rows to go through

	// Of the nest that runs.
	*nest
	regs   []uint32
	nums   []float64
	row    []uint32
	key    []uint32
	marks  []marks // of each step
	groups *groups
	drive  int // the number of the key that drives

	waiting []uint32 // pairs: see put
	fetched uint64   // keeps the reads of put, and has no meaning

	why   *why            // of a replay
	names []string        // that a domain lacks, of a goal
	args  []*tensor.Value // what the tables were

	settled float64 // the best value that may still improve
	sunk    bool    // something improved past it
}

// stop unwinds the loops of a run by a panic: they are too hot to check for errors on their way.
type stop struct{ err *Error }

// Run returns the results of the program as tables. It counts its operations in ctl, whose limit
// stops it, and takes its memory from the budget.
func (pl *Plan) Run(ctl *kernel.Ctl, args []*tensor.Value, budget *Budget) (results []*tensor.Table, err error) {
	r := newRun(pl, ctl, budget)
	defer stopped(&err)
	r.evaluate(args)
	for _, i := range pl.p.Results {
		t := r.table(pl.at(i))
		t.Columns = pl.p.Relations[i].Columns
		results = append(results, t)
	}
	for i := range r.stores {
		r.stores[i].keep()
	}
	return results, nil
}

func newRun(pl *Plan, ctl *kernel.Ctl, budget *Budget) *run {
	return &run{Plan: pl, ctl: ctl, budget: budget, pool: &pool{}, stores: make([]store, len(pl.p.Relations)), rel: -1, settled: math.NaN()}
}

// stopped makes an error of a stop.
func stopped(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.err
	default:
		panic(p)
	}
}

// evaluate fills the stores: with what is given, then stratum by stratum.
func (r *run) evaluate(args []*tensor.Value) {
	r.begin(args)
	for i := range r.strata {
		r.stratum(&r.strata[i])
	}
}

// fail ends the run, with the relation and the rule that are being derived.
func (r *run) fail(e Error) {
	if r.rel >= 0 {
		e.Relation, e.Rows = &r.p.Relations[r.rel], r.stores[r.rel].n
	}
	e.Rule = r.rule
	panic(stop{&e})
}

// take pays for memory before it is allocated.
func (r *run) take(bytes uint64) {
	if !r.room(bytes) {
		r.fail(Error{Kind: OverBytes, Message: fmt.Sprintf("the rows need more than %d bytes", r.budget.Max)})
	}
	r.budget.Used += bytes
}

// room reports whether the budget has so many bytes left.
func (r *run) room(bytes uint64) bool {
	return r.budget.Max == 0 || bytes <= r.budget.Max && r.budget.Used <= r.budget.Max-bytes
}

// work counts operations before they are done.
func (r *run) work(ops uint64) {
	if r.ctl.Ops += ops; r.ctl.Ops >= r.next {
		r.look()
	}
}

// look ends the run if it is over its limit or was stopped, and sets when to look again. Over the
// limit it reports exactly the limit, however large the last charge was.
func (r *run) look() {
	c := r.ctl
	if c.Limit > 0 && c.Ops > c.Limit {
		c.Ops, c.Over = c.Limit, true
		r.fail(Error{Kind: OverOps, Message: fmt.Sprintf("stopped at the limit of %d operations", c.Limit)})
	}
	if c.Stopped() {
		r.fail(Error{Kind: Cancelled, Message: "the run was stopped"})
	}
	r.next = c.Ops + kernel.PollOps
	if c.Limit > 0 {
		r.next = min(r.next, c.Limit+1)
	}
}

// begin loads facts and arguments.
func (r *run) begin(args []*tensor.Value) {
	r.args = args
	for _, x := range r.consts {
		r.intern(x)
	}
	for i := range r.p.Relations {
		rl, s := &r.p.Relations[i], &r.stores[i]
		s.valued, s.size = valued(rl), sizes(rl)
		s.width, s.most = len(s.size), r.bound.rows[i]
		for range r.index[i] {
			s.index = append(s.index, &index{spec: *r.index[i][len(s.index)]})
		}
		r.rel = i
		switch rl.Source {
		case rel.FromTable:
			// A table that is only tallied is read where it lies.
			if t := args[rl.Arg].Table; r.apart[i] && t.Bits == nil {
				r.work(uint64(t.Len))
				s.table, s.n = t, t.Len
			} else {
				r.load(s, t)
			}
		case rel.FromEntries, rel.FromElements:
			v, elements := args[rl.Arg], rl.Source == rel.FromElements
			entries := !elements || r.sparse[i]
			if elements && v.Layout == tensor.Sparse && (r.sought[i] && !entries || r.proof && entries) {
				s.tensor = v
			}
			if s.tensor == nil || entries {
				r.entries(s, v, elements, entries)
			}
		}
		if rl.Facts != nil {
			r.facts(s, rl)
		}
		s.hi = s.n
		// Steps that meet look pairs up in lists; only if the rows can be bits is a table quicker
		// than those.
		if r.member[i] || r.met[i] && s.words() > 0 {
			r.members(s)
		}
	}
	r.rel = -1
}

// load copies a table, whose rows are distinct.
func (r *run) load(s *store, t *tensor.Table) {
	r.work(uint64(t.Len))
	s.cells = grow(r, s.cells, t.Len*s.width)
	if t.Bits != nil {
		for row := range t.All() {
			for _, x := range row {
				s.cells = append(s.cells, uint32(x))
			}
		}
		s.n = t.Len
		return
	}
	s.cells = s.cells[:t.Len*s.width]
	for c := range t.Cells {
		at := c
		for _, id := range t.Cells[c].ID {
			s.cells[at] = id
			at += s.width
		}
		for i, x := range t.Cells[c].Num {
			if i%kernel.PollOps == 0 {
				r.look()
			}
			s.cells[at] = r.encode(x)
			at += s.width
		}
	}
	s.n = t.Len
}

// facts puts the facts of a relation into its store, where values of one key are folded. They do
// not count as what a round has changed.
func (r *run) facts(s *store, rl *rel.Relation) {
	r.members(s)
	row := make([]uint32, len(rl.Columns))
	for cells := range rl.Facts.All() {
		r.work(1)
		for c, x := range cells {
			if rl.Columns[c].Domain != nil {
				row[c] = uint32(x)
			} else if c < s.width {
				row[c] = r.encode(x)
			}
		}
		if !s.valued {
			r.add(s, row)
			continue
		}
		r.improve(s, rl.Fold, row[:s.width], cells[s.width])
	}
	s.next, s.changed = s.next[:0], s.changed[:0]
	clear(s.improved)
}

// entries reads a tensor as rows of its indices, with elements also its values: one for each element, or
// for each that is not 0.
func (r *run) entries(s *store, v *tensor.Value, elements, entries bool) {
	row := make([]uint32, s.width)
	put := func(x float64) {
		r.work(1)
		r.push(s, row)
		if elements {
			s.val = append(spare(r, s.val), x)
		}
	}
	rows, cols := v.Shape.Matrix()
	if entries && v.Layout == tensor.Sparse {
		for i := range rows {
			row[0] = uint32(i)
			for k, j := range v.CSR.Row(i) {
				x := 1.0
				if row[1] = uint32(j); v.CSR.Val != nil {
					x = v.CSR.Val[int(v.CSR.Ptr[i])+k]
				}
				put(x)
			}
		}
		return
	}
	if entries && v.Layout == tensor.Packed {
		for i := range rows {
			row[0] = uint32(i)
			r.work(uint64(v.Bits.Stride))
			for j := range tensor.Ones(v.Bits.Row(i)) {
				row[len(row)-1] = uint32(j)
				put(1)
			}
		}
		return
	}
	index := make([]int, v.Shape.Rank())
	if v.Layout == tensor.Sparse { // of its elements, most are 0
		for i := range rows {
			for j := range cols {
				row[0], row[1] = uint32(i), uint32(j)
				put(v.At(i, j))
			}
		}
		return
	}
	for n := v.Shape.Elems(); n > 0; n-- {
		x := v.At(index...)
		r.work(1)
		if !entries || x != 0 {
			for d, i := range index {
				row[d] = uint32(i)
			}
			put(x)
		}
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.Shape.Dim(d) {
				break
			}
			index[d] = 0
		}
	}
}

// stratum runs the rules of a stratum until nothing new comes. A closure has ways of its own. Every
// other stratum begins with the rules that read complete relations only, once. A recursive one goes
// on best first (best.go), on rows of bits (dense.go) or, where neither applies or the first gives
// up, in rounds.
//
// A round is semi-naive: it runs each rule once for each of its recursive atoms, and this atom
// reads only the rows that the last round added, which are those from lo to hi of its store. In the
// first round these are all rows, the given ones included. Rows that the round makes come after hi,
// where no loop goes. A look-up may find them already, which does no harm: a recursion only ever
// adds rows and improves values.
func (r *run) stratum(st *stratum) {
	if st.closure != nil {
		r.close(st)
		r.rel, r.rule = -1, nil
		return
	}
	for _, i := range st.Relations {
		r.rel = i
		s := &r.stores[i]
		if s.unique = st.unique && !r.member[i] && s.bits == nil && s.hash == nil && (s.words() == 0 || st.once[0].kind == aggregates); !s.unique { // bits are answers
			r.members(s)
		}
		s.lo, s.hi = 0, s.n
	}
	r.prepare(st, st.once)
	for _, n := range st.once {
		r.do(n)
	}
	if !st.Recursive {
		for _, i := range st.Relations {
			r.finish(i)
		}
		return
	}
	if st.best && r.best(st) || st.dense && r.dense(st) {
		return
	}
	most := 2
	for round := 0; ; round++ {
		fresh := false
		size := 2
		for _, i := range st.Relations {
			s := &r.stores[i]
			s.lo, s.hi = s.hi, s.n
			if round == 0 {
				s.lo = 0
			}
			if s.valued {
				r.turn(s, round == 0)
				fresh = fresh || len(s.changed) > 0
			}
			fresh = fresh || s.lo < s.hi
			size += s.n
		}
		most = max(most, size)
		if !fresh {
			break
		}
		if round > most { // a round without a cycle settles a value or has a new row
			r.improving(st)
		}
		r.live = r.live[:0] // a stratum of many relations has few new rows in most rounds
		for _, n := range st.each {
			if s := &r.stores[n.rule.Body[n.delta].Rel]; s.lo < s.hi || len(s.changed) > 0 {
				r.live = append(r.live, n)
			}
		}
		r.prepare(st, r.live)
		for _, n := range r.live {
			r.do(n)
		}
	}
	for _, i := range st.Relations {
		r.finish(i)
	}
	r.rel, r.rule = -1, nil
}

// finish makes all rows of a relation seen: it is complete.
func (r *run) finish(i int) {
	s := &r.stores[i]
	s.lo, s.hi = 0, s.n
	s.changed, s.next = nil, nil
}

// prepare brings the indexes that nests read up to the rows that are seen. An index is filled when
// a nest first needs it; some never are.
func (r *run) prepare(st *stratum, nests []*nest) {
	// The store of a step that goes through an index or through bits; nil for a step that needs
	// neither prepared: a test, a look-up of a row, a scan in order of arrival, a closure that is
	// searched.
	index := func(t *step) *store {
		s := &r.stores[t.rel]
		if t.index < 0 && !s.whole || t.kind > find && t.kind != none || t.kind == find && (t.index < 0 || s.whole) || s.search != nil {
			return nil
		}
		return s
	}
	for _, n := range nests { // bits are as good as an index by the first column, for all readers or none
		for k := range n.steps {
			t := &n.steps[k]
			if s := index(t); s != nil && s.whole && (t.index >= 0 && !slices.Equal(s.index[t.index].cols, first) || n.read != nil && t.kind == scan && !n.counts()) {
				r.expand(s)
			}
		}
	}
	for _, n := range nests {
		for k := range n.steps {
			t := &n.steps[k]
			s := index(t)
			if s == nil || s.whole || t.kind == scan && !s.sorts(s.index[t.index]) {
				continue
			}
			if r.why != nil && t.kind == none {
				s = &r.why.complete[t.rel]
				s.hi = s.n
				r.sync(s, s.index[t.index], true)
				continue
			}
			r.sync(s, s.index[t.index], !st.inside[t.rel])
		}
	}
}

// do runs the loops of a rule. Most go step by step (loop). Two common forms have loops of their
// own: pairs that two atoms make (join), and rows of one relation that are copied or tallied. A
// replay always goes step by step, since it notes each row that is read.
func (r *run) do(n *nest) {
	r.nest, r.rule, r.rel = n, n.rule, n.rule.Rel
	vars := len(n.rule.Vars)
	r.regs = append(r.regs[:0], make([]uint32, vars)...)
	r.regs = append(r.regs, n.given...)
	r.nums = append(r.nums[:0], make([]float64, vars)...)
	for _, p := range n.preset {
		r.regs[p.reg] = r.why.goal[p.col]
	}
	r.row = append(r.row[:0], make([]uint32, len(n.rule.Head))...)
	r.drive = -1
	// What is marked belongs to the steps of the nest before.
	for k := range r.marks {
		r.marks[k].clear()
		r.marks[k].kept = false
	}
	for len(r.marks) < len(n.steps) {
		r.marks = append(r.marks, marks{})
	}
	if n.kind == aggregates {
		r.groups = r.newGroups()
	}
	r.work(1)
	switch {
	case n.joins != nil && r.why == nil && r.join(n):
	case n.read == nil || r.why != nil || n.steps[0].kind == probe && r.stores[n.steps[0].rel].search == nil:
		r.loop(0)
	case n.kind == aggregates:
		r.tally(&r.stores[n.steps[0].rel])
	default:
		s := &r.stores[n.steps[0].rel]
		from, to := 0, s.hi
		if n.steps[0].kind == probe {
			from, to = r.pairs(s, r.keys(&n.steps[0])[0])
		}
		r.copied(s, from, to-from)
	}
	if n.kind == aggregates {
		r.aggregated(&r.stores[r.rel])
	}
}

// emit takes a binding that makes the body true.
func (r *run) emit() {
	s := &r.stores[r.rel]
	for _, f := range r.factors {
		if x := r.eval(f); x < 0 {
			r.fail(Error{Kind: Weight, Value: x, Reading: r.reading(f), Message: fmt.Sprintf("a value of %s is multiplied by %v; a factor below 0 makes it worse when it should improve", r.p.Relations[r.rel].Name, x)})
		}
	}
	r.head()
	switch r.kind {
	case rows:
		if s.unique {
			r.push(s, r.row)
		} else {
			r.add(s, r.row)
		}
	case values:
		last := len(r.row) - 1
		r.improve(s, r.p.Relations[r.rel].Fold, r.row[:last], r.number(last, r.eval(&r.rule.Head[last].Expr)))
	default:
		r.gather()
	}
}

// reading is the row from which an expression has its number under this binding, unless the row is of a
// relation that nobody wrote.
func (r *run) reading(e *rel.Expr) string {
	vars := make([]float64, len(r.rule.Vars))
	for v := range vars {
		if vars[v] = r.nums[v]; !r.float[v] {
			vars[v] = r.decode(r.regs[v])
		}
	}
	reads := make([]bool, len(vars))
	e.Vars(func(v int) { reads[v] = true })
	for i := range r.rule.Body {
		l := &r.rule.Body[i]
		if l.Kind == rel.Atom && !strings.Contains(r.p.Relations[l.Rel].Name, "'") && slices.ContainsFunc(l.Terms, func(t rel.Term) bool {
			return t.Kind == rel.Variable && reads[t.Var]
		}) {
			return " in " + r.p.Literal(r.rule, l, vars) + r.place(l, vars)
		}
	}
	return ""
}

// place is where the data has the row of an atom, as " (FILE:LINE)", if that was kept.
func (r *run) place(l *rel.Literal, vars []float64) string {
	rl := &r.p.Relations[l.Rel]
	if rl.Source != rel.FromTable || r.args[rl.Arg].Table.Origin == nil {
		return ""
	}
	t, k := r.args[rl.Arg].Table, 0
	for row := range t.All() {
		is := true
		for c, x := range l.Terms {
			is = is && (x.Kind != rel.Const || row[c] == x.Value) && (x.Kind != rel.Variable || row[c] == vars[x.Var])
		}
		if is {
			return " (" + t.Origin.Place(k) + ")"
		}
		k++
	}
	return ""
}

// head fills in the cells of the row that are neither aggregates nor values.
func (r *run) head() {
	for _, c := range r.nest.groups {
		e := &r.rule.Head[c].Expr
		switch {
		case len(e.Args) > 0:
			r.row[c] = r.cell(c, r.eval(e))
		case e.Term.Kind == rel.Const:
			if r.p.Relations[r.rel].Columns[c].Domain != nil {
				r.row[c] = uint32(e.Term.Value)
			} else {
				r.row[c] = r.encode(e.Term.Value)
			}
		case r.float[e.Term.Var]:
			r.row[c] = r.cell(c, r.nums[e.Term.Var])
		default:
			r.row[c] = r.regs[e.Term.Var]
		}
	}
}

// cell is the code of a number in a column of the head.
func (r *run) cell(c int, x float64) uint32 {
	if code := uint32(int64(x)); x >= 0 && x < pooled && float64(code) == x {
		return code
	}
	return r.intern(r.number(c, x))
}

// number checks that a number can be a cell of a column of the head: finite and, of a column of
// whole numbers, below 2^53. It makes 0 of -0.
func (r *run) number(c int, x float64) float64 {
	if x-x != 0 {
		r.runaway(x)
		r.fail(Error{Kind: NotFinite, Value: x, Message: fmt.Sprintf("a value of %s is %v", r.p.Relations[r.rel].Name, x)})
	}
	if r.p.Relations[r.rel].Columns[c].Kind == tensor.IntColumn && math.Abs(x) >= tensor.MaxInt {
		r.runaway(x)
		r.fail(Error{Kind: Inexact, Value: x, Message: fmt.Sprintf("a whole number of %s reaches 2^53, past which numbers are not exact", r.p.Relations[r.rel].Name)})
	}
	return x + 0
}

// eval is an expression of numbers, under the binding in the registers. Sums and products, the
// commonest, need no call of Apply.
func (r *run) eval(e *rel.Expr) float64 {
	switch len(e.Args) {
	case 0:
		switch {
		case e.Term.Kind == rel.Const:
			return e.Term.Value
		case r.float[e.Term.Var]:
			return r.nums[e.Term.Var]
		}
		return r.decode(r.regs[e.Term.Var])
	case 1:
		return e.Fn.Apply1(r.eval(&e.Args[0]))
	case 2:
		a, b := r.eval(&e.Args[0]), r.eval(&e.Args[1])
		switch e.Fn {
		case op.FnAdd:
			return a + b
		case op.FnMul:
			return a * b
		}
		return e.Fn.Apply(a, b, 0)
	}
	return e.Fn.Apply(r.eval(&e.Args[0]), r.eval(&e.Args[1]), r.eval(&e.Args[2]))
}

// loop runs the steps from i on, and gives the step to go on with: i-1, or an earlier one if
// nothing new can come of the bindings in between. Calls nest as deep as the rule has literals,
// however many rows there are.
func (r *run) loop(i int) int {
	if i == len(r.steps) {
		r.work(1)
		if r.why != nil {
			return r.why.emit(r, i)
		}
		r.emit()
		return r.cut
	}
	st := &r.steps[i]
	s := &r.stores[st.rel]
	if r.why != nil {
		s = r.why.store(i, st)
	}
	switch st.kind {
	case scan, probe:
		return r.rows(i, st, s)
	case none:
		if r.rows(i, st, s) == found {
			return i - 1
		}
		return r.loop(i + 1)
	case find, absent:
		r.work(1)
		key := r.keys(st)
		if s.search != nil { // of a closure, whose pairs with a cell are made when it is asked for
			if is, known := s.search.tell(key[0], key[1]); known {
				if is == (st.kind == find) {
					return r.loop(i + 1)
				}
				return i - 1
			}
			r.pairs(s, key[s.search.by])
		}
		r.members(s)
		k := s.find(key)
		if k < 0 && s.tensor != nil && s.known(key) {
			k, _ = r.add(s, key)
			s.val = append(spare(r, s.val), s.tensor.At(int(key[0]), int(key[1])))
		}
		if k >= 0 && s.valued && !r.valueIs(st, s, k) {
			k = -1
		}
		if r.why != nil && st.kind == find {
			if k >= s.hi {
				k = -1
			}
			r.why.read(i, s, key, k)
		}
		if (k >= 0) == (st.kind == find) {
			return r.loop(i + 1)
		}
	case test:
		if r.work(1); r.compare(st.lit) {
			return r.loop(i + 1)
		}
	case assign:
		r.work(1)
		l := st.lit
		if r.float[l.Var] {
			r.nums[l.Var] = r.eval(&l.Left)
			if r.coded[l.Var] {
				r.regs[l.Var] = r.encode(r.nums[l.Var])
			}
		} else if r.regs[l.Var] = r.member1(&l.Left); r.regs[l.Var] == noCode {
			return i - 1
		}
		return r.loop(i + 1)
	case equal:
		r.work(1)
		l := st.lit
		is := false
		if r.rule.Vars[l.Var].Domain != nil {
			is = r.regs[l.Var] == r.member1(&l.Left) && r.regs[l.Var] != noCode
		} else {
			v := rel.V(l.Var)
			is = r.eval(&v) == r.eval(&l.Left)
		}
		if is {
			return r.loop(i + 1)
		}
	}
	return i - 1
}

// member1 is the member of a domain that a term stands for.
func (r *run) member1(e *rel.Expr) uint32 {
	if e.Term.Kind == rel.Variable {
		return r.regs[e.Term.Var]
	}
	if e.Term.Value == rel.NoMember {
		if k := slices.Index(r.names, e.Term.Name); k >= 0 {
			return lacking - uint32(k)
		}
		return noCode
	}
	return uint32(e.Term.Value)
}

// keys is the key of a step, in room that the next call takes.
func (r *run) keys(st *step) []uint32 {
	r.key = r.key[:0]
	for _, reg := range st.key {
		r.key = append(r.key, r.regs[reg])
	}
	return r.key
}

// match takes the cells that a step gives from a row, unless a cell is not what it must be.
func (r *run) match(st *step, s *store, row []uint32, k int) bool {
	for _, p := range st.out {
		r.regs[p.reg] = row[p.col]
	}
	for _, p := range st.same {
		if row[p.col] != r.regs[p.reg] {
			return false
		}
	}
	return !s.valued || r.valueIs(st, s, k)
}

// valueIs takes the value of a key, and reports whether it is what it must be.
func (r *run) valueIs(st *step, s *store, k int) bool {
	if st.value >= 0 {
		r.nums[st.value] = s.val[k]
		if r.coded[st.value] {
			r.regs[st.value] = r.encode(s.val[k])
		}
	}
	return st.check < 0 || r.encode(s.val[k]) == r.regs[st.check]
}

// found is what rows and try give for a step that only asks whether there is a row.
const found = math.MaxInt

// rows goes through the rows that a step reads, by the quickest way to them that its store has: bits,
// a range of numbers, a list of a sorted index, or a chain. Each way tries row after row until try
// gives another step than i.
func (r *run) rows(i int, st *step, s *store) int {
	lo, hi := 0, s.hi
	switch {
	case st.seen == fresh && s.valued: // keys whose value improved in the last round
		for _, k := range s.changed {
			r.drive = int(k)
			if back := r.try(i, st, s, s.row(int(k)), int(k)); back != i {
				return back
			}
		}
		return i - 1
	case st.seen == fresh: // rows that the last round added
		lo = s.lo
	case st.seen == before: // rows from before it
		hi = s.lo
	}
	if s.whole {
		return r.ones(i, st, s)
	}
	// A scan has an index only for its order, and does without where rows are still to come.
	if st.index < 0 || st.kind == scan && s.index[st.index].ptr == nil {
		return r.numbered(i, st, s, lo, hi, nil)
	}
	x := s.index[st.index]
	if st.kind == scan { // of those with a cell in common one after the other
		if r.why == nil && r.direct(i, st, s) {
			return r.meetings(i, st, x.rows, s.width)
		}
		return r.listed(i, st, s, x.rows, nil)
	}
	key := r.keys(st)
	r.work(1)
	switch {
	case s.search != nil:
		lo, hi = r.pairs(s, key[slices.Index(x.cols, s.search.by)])
		return r.numbered(i, st, s, lo, hi, x.cols)
	case x.ptr != nil && st.meets > 0 && r.why == nil:
		return r.meet(i, st, x, key[0])
	case x.ptr != nil && len(key) > 1:
		return r.listed(i, st, s, x.list(hashOf(key)&x.mask, s.wide()), x.cols)
	case x.ptr != nil:
		return r.listed(i, st, s, x.list(key[0], s.wide()), nil)
	case x.first != nil:
		return r.chained(i, st, s, x, key, hi)
	}
	return i - 1
}

// try goes on with row k of a store. It gives i for the next row, an earlier step if no further row
// makes a difference, or found.
func (r *run) try(i int, st *step, s *store, row []uint32, k int) int {
	r.work(1)
	switch {
	case !r.match(st, s, row, k):
		return i
	case st.kind == none:
		return found
	}
	if r.why != nil {
		r.why.read(i, s, row, k)
	}
	return min(i, r.loop(i+1))
}

// numbered tries rows lo to hi that have the key of the step in some columns.
func (r *run) numbered(i int, st *step, s *store, lo, hi int, cols []int) int {
	for k := lo; k < hi; k++ {
		if row := s.row(k); r.keyed(st, row, cols) {
			if back := r.try(i, st, s, row, k); back != i {
				return back
			}
		}
	}
	return i - 1
}

// keyed reports whether a row has the key of a step: that in the registers, as the room for keys is
// the loops' below.
func (r *run) keyed(st *step, row []uint32, cols []int) bool {
	for n, c := range cols {
		if row[c] != r.regs[st.key[n]] {
			return false
		}
	}
	return true
}

// listed tries the rows of a sorted index that have the key of the step in some columns.
func (r *run) listed(i int, st *step, s *store, rows []uint32, cols []int) int {
	wide := s.wide()
	for at := 0; at < len(rows); at += wide {
		row, k := rows[at:at+wide], 0
		if !r.keyed(st, row, cols) {
			continue
		}
		if s.valued {
			k = int(row[s.width])
		}
		if back := r.try(i, st, s, row, k); back != i {
			return back
		}
	}
	return i - 1
}

// chained tries the rows before hi that a chain leads to, after those that were taken out of it.
func (r *run) chained(i int, st *step, s *store, x *index, key []uint32, hi int) int {
	at := x.chain(key) // before the loops below take the room of the key
	if x.settled > 0 && int(key[0]) < len(x.past)-1 {
		if back := r.listed(i, st, s, x.old[int(x.past[key[0]])*s.width:int(x.past[key[0]+1])*s.width], nil); back != i-1 {
			return back
		}
	}
	for ; at != 0; at = x.next[at-1] {
		k := int(at - 1)
		if row := s.row(k); k < hi && r.keyed(st, row, x.cols) {
			if back := r.try(i, st, s, row, k); back != i {
				return back
			}
		}
	}
	return i - 1
}

// direct reports whether each row of step i leads straight to the lists of a step that meets.
func (r *run) direct(i int, st *step, s *store) bool {
	if i+1 == len(r.steps) || r.steps[i+1].meets == 0 || len(st.same) > 0 || s.valued {
		return false
	}
	next := &r.stores[r.steps[i+1].rel]
	return !next.whole && next.search == nil && next.index[r.steps[i+1].index].ptr != nil
}

// meetings is rows for such a step.
func (r *run) meetings(i int, st *step, rows []uint32, width int) int {
	next := &r.steps[i+1]
	x := r.stores[next.rel].index[next.index]
	key, owner := st.column(next.key[0]), st.column(next.mates[1].reg)
	for len(rows) > 0 { // up to 64 of one owner at a time: some has a bit for each
		n := 1
		for ; n < 64 && n*width < len(rows) && (owner < 0 || rows[n*width+owner] == rows[owner]); n++ {
		}
		r.work(2 * uint64(n))
		for some := r.some(next, x, rows[:n*width], width, key, owner); some != 0; some &= some - 1 {
			row := rows[bits.TrailingZeros64(some)*width:]
			for _, p := range st.out {
				r.regs[p.reg] = row[p.col]
			}
			if back := r.meet(i+1, next, x, r.regs[next.key[0]]); back < i {
				return back
			}
		}
		rows = rows[n*width:]
	}
	return i - 1
}

// some has a bit for each of up to 64 rows, which have the same owner, whose list may have a cell
// in common with the list of the owner. Most have none: where the bits of the lists take little
// more than the lists, those of the owner are compared with those of all rows in one go.
func (r *run) some(st *step, x *index, rows []uint32, width, key, owner int) uint64 {
	n := len(rows) / width
	all := ^uint64(0) >> (64 - n)
	if n == 1 || key < 0 || owner < 0 || len(st.lit.Terms) != 2 { // of more terms, a cell may come several times
		return all
	}
	pair := st.mates[1]
	s, of := &r.stores[st.rel], &r.stores[pair.rel]
	by := of.index[pair.index]
	mine := r.line(of, by, rows[owner], pair.col)
	// Whether a list has less than one row for four words of its bits.
	few := func(list []uint32, width int) bool { return len(mine)*width > 4*len(list) }
	if mine == nil || by.ptr != nil && few(by.list(rows[owner], of.width), of.width) {
		return all
	}
	// Rows without a list meet nothing; those with few rows are looked at one by one later.
	var lines [64][]uint64
	var at [64]uint8
	some, known := uint64(0), 0
	for k := range n {
		y := rows[k*width+key]
		list := x.list(y, s.width)
		if len(list) == 0 {
			continue
		}
		var line []uint64
		if !few(list, s.width) {
			line = r.line(s, x, y, st.out[0].col)
		}
		if line == nil {
			some |= 1 << k
			continue
		}
		lines[known], at[known] = line, uint8(k)
		known++
	}
	r.work(uint64(known * len(mine)))
	for meet := r.ctl.Tier.Meeting(mine, lines[:known]); meet != 0; meet &= meet - 1 {
		some |= 1 << at[bits.TrailingZeros64(meet)]
	}
	return some
}

// meet intersects the lists of a variable (see Plan.meet). It goes through the shorter of the first
// two and looks each value up in the others, without a step for each: in a row of bits if there is
// one. Looking 64 of them up without a branch for each was tried: cliques of a power law took a tenth
// longer, since nearly all fail and branches are predicted.
func (r *run) meet(i int, st *step, x *index, key uint32) int {
	s := &r.stores[st.rel]
	w, col, reg := s.width, st.out[0].col, st.out[0].reg
	rows := x.list(key, w)
	if len(rows) == 0 {
		return i - 1
	}
	rest, after, at := st.mates[1:], i+1+st.meets, col
	var marked []uint64
	// rows are the values to go through, marked the bits that they must be in, and rest the pairs
	// that are left to look up.
	if st.of >= 0 && r.marks[st.of].kept && len(r.marks[st.of].found) < len(rows)/w {
		// An earlier probe has kept fewer values, which have passed some of the pairs already.
		rest = st.rest
		rows, at, w, marked = r.remaining(&r.marks[st.of], rest)
	} else {
		if s.bits == nil && rest[0].rel == st.rel && len(st.lit.Terms) == 2 { // of more terms, a cell may come several times
			// Where this list has bits and that of the next step is shorter, the two change places.
			if line := r.line(s, x, key, col); line != nil {
				if list, c := r.list(i+1, reg); list != nil && len(list) < len(rows) {
					rows, at, marked = list, c, line
				}
			}
		}
		if marked == nil {
			marked = r.mark(i+1, reg)
		}
	}
	if marked != nil {
		rest = rest[1:]
	}
	r.work(uint64(len(rows)/w) * uint64(1+st.meets))
	var found []uint32
	if st.found {
		r.marks[i].clear()
		found = r.marks[i].found[:0]
	}
	for ; at < len(rows); at += w {
		if marked != nil {
			for ; at < len(rows) && marked[rows[at]>>6]>>(rows[at]&63)&1 == 0; at += w {
			}
			if at >= len(rows) {
				break
			}
		}
		v := rows[at]
		if len(rest) > 0 && !r.mated(rest, v) {
			continue
		}
		if st.found {
			found = append(spare(r, found), v)
			continue
		}
		r.regs[reg] = v
		if back := r.loop(after); back < i {
			return back
		}
	}
	if !st.found {
		return i - 1
	}
	// Only now do the steps behind run: a probe among them starts from all of the values.
	r.marks[i].found, r.marks[i].kept = found, true
	for _, v := range found {
		r.regs[reg] = v
		if back := r.loop(after); back < i {
			return back
		}
	}
	return i - 1
}

// mated reports whether a value passes all of some pairs.
func (r *run) mated(mates []mate, v uint32) bool {
	for k := range mates {
		m := &mates[k]
		s := &r.stores[m.rel]
		var pair [2]uint32
		pair[m.col&1], pair[1-m.col&1] = v, r.regs[m.reg]
		if s.search != nil {
			if is, known := s.search.tell(pair[0], pair[1]); known {
				if !is {
					return false
				}
				continue
			}
			r.pairs(s, pair[s.search.by])
		}
		if s.bits != nil {
			bit := int(pair[0])*64*tensor.Words(s.size[1]) + int(pair[1])
			if s.bits[bit>>6]>>(bit&63)&1 == 0 {
				return false
			}
			continue
		}
		if r.members(s); s.find(pair[:]) < 0 {
			return false
		}
	}
	return true
}

// remaining is what a probe goes through that starts from the values an earlier one kept: these, or
// the list of the first further pair, whichever is tested against bits of the other. marked are
// these bits; nil if values have to be looked up.
func (r *run) remaining(kept *marks, more []mate) (rows []uint32, at, width int, marked []uint64) {
	if len(more) == 0 {
		return kept.found, 0, 1, nil
	}
	m := &more[0]
	s := &r.stores[m.rel]
	x, key := s.index[m.index], r.regs[m.reg]
	if line := r.line(s, x, key, m.col); line != nil || s.bits != nil || s.search != nil || s.size[m.col] == 0 || x.ptr == nil {
		return kept.found, 0, 1, line
	}
	if kept.list == nil {
		r.set(kept, kept.found, 1, s.size[m.col])
	}
	return x.list(key, s.width), m.col, s.width, kept.bits
}

// marks is a list of values as bits, and the values that a probe found.
type marks struct {
	bits  []uint64
	list  []uint32 // what is marked: cells that are width apart
	width int
	of    uint32 // the key whose list is marked
	kept  bool   // found is set
	found []uint32
}

// clear takes the marks off again, in the time of the list and not of the bits.
func (m *marks) clear() {
	for at := 0; at < len(m.list); at += m.width {
		m.bits[m.list[at]>>6] = 0
	}
	m.list = nil
}

// set marks a list of cells, each width apart.
func (r *run) set(m *marks, list []uint32, width, size int) {
	r.work(uint64(len(list) / width))
	m.clear()
	if words := tensor.Words(size); len(m.bits) < words {
		r.take(8 * uint64(words))
		m.bits = make([]uint64, words)
	}
	m.list, m.width = list, width
	for at := 0; at < len(list); at += width {
		m.bits[list[at]>>6] |= 1 << (list[at] & 63)
	}
}

// list returns the rows of a key in a sorted index.
func (x *index) list(key uint32, width int) []uint32 {
	if int(key) >= len(x.ptr)-1 {
		return nil
	}
	return x.rows[int(x.ptr[key])*width : int(x.ptr[key+1])*width]
}

// list returns the rows that hold the values step i allows a variable, and the column that they are
// in; nil if there is no such list.
func (r *run) list(i, reg int) (rows []uint32, col int) {
	t := &r.steps[i]
	s := &r.stores[t.rel]
	key, col := r.regs[t.key[0]], 1
	if t.key[0] == reg {
		key, col = r.regs[t.key[1]], 0
	}
	if s.search != nil || s.size[col] == 0 {
		return nil, col
	}
	return s.index[t.index].list(key, s.width), col
}

// mark gives the values that step i allows a variable as bits; nil if it has no list of them.
func (r *run) mark(i, reg int) []uint64 {
	t := &r.steps[i]
	s := &r.stores[t.rel]
	x, key, col := s.index[t.index], r.regs[t.key[0]], 1
	if t.key[0] == reg {
		key, col = r.regs[t.key[1]], 0
	}
	m := &r.marks[i]
	if m.list != nil && m.of == key {
		return m.bits
	}
	if line := r.line(s, x, key, col); line != nil {
		return line
	}
	if s.search != nil || s.size[col] == 0 || x.ptr == nil {
		return nil
	}
	m.of = key
	list := x.list(key, s.width)
	r.set(m, list[min(col, len(list)):], s.width, s.size[col])
	return m.bits
}

// line gives the cells of column col in the rows with a key in the other column, as bits, if all
// rows are bits or these are so many that bits take little more room; else nil.
func (r *run) line(s *store, x *index, key uint32, col int) []uint64 {
	words := tensor.Words(s.size[col])
	if s.search != nil || words == 0 || s.bits != nil && col == 0 {
		return nil
	}
	if s.bits != nil {
		return s.bits[int(key)*words:][:words]
	}
	rows := x.list(key, s.width)
	if n := len(rows) / s.width; n < leastLine || 4*n < words {
		return nil
	}
	if x.place == nil {
		r.take(4 * uint64(len(x.ptr)))
		x.place = make([]uint32, len(x.ptr))
	}
	if at := x.place[key]; at > 0 {
		return x.lines[at-1]
	}
	r.work(uint64(words))
	r.take(8*uint64(words) + 8*leastLine)
	line := make([]uint64, words)
	for at := col; at < len(rows); at += s.width {
		line[rows[at]>>6] |= 1 << (rows[at] & 63)
	}
	x.lines = append(x.lines, line)
	x.place[key] = uint32(len(x.lines))
	return line
}

// leastLine is the number of rows below which their bits never pay.
const leastLine = 16

var first = []int{0} // the first column

// ones tries the rows of a store that is bits: all, or those with a first cell.
func (r *run) ones(i int, st *step, s *store) int {
	from, to := 0, s.size[0]
	if st.kind != scan && st.index >= 0 {
		from = int(r.keys(st)[0])
		to = min(from+1, to)
	}
	var row [2]uint32
	stride := tensor.Words(s.size[1])
	for x := from; x < to; x++ {
		r.work(1)
		for y := range tensor.Ones(s.bits[x*stride : (x+1)*stride]) {
			row[0], row[1] = uint32(x), uint32(y)
			if back := r.try(i, st, s, row[:], 0); back != i {
				return back
			}
		}
	}
	return i - 1
}

// lacks reports whether a code is a name that the domain lacks.
func (r *run) lacks(code uint32) bool { return code <= lacking && int(lacking-code) < len(r.names) }

// order compares names by their texts, and numbers of nodes that have no names.
func (r *run) order(d *tensor.Domain, a, b uint32) int {
	text := func(code uint32) string {
		if r.lacks(code) {
			name := r.names[lacking-code]
			if label, err := strconv.Unquote(name); err == nil {
				return label
			}
			return name
		}
		return d.Label(code)
	}
	if x, err := strconv.ParseFloat(text(a), 64); err == nil && d.Labels == nil {
		if y, err := strconv.ParseFloat(text(b), 64); err == nil {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(text(a), text(b))
}

// compare is a comparison. Names are compared by their texts, except for equality.
func (r *run) compare(l *rel.Literal) bool {
	d := domainOf(r.rule, l)
	if d == nil {
		return l.Fn.Apply(r.eval(&l.Left), r.eval(&l.Right), 0) != 0
	}
	a, b := r.member1(&l.Left), r.member1(&l.Right)
	if a != noCode && b != noCode && (r.lacks(a) || r.lacks(b)) {
		return l.Fn.Apply(float64(r.order(d, a, b)), 0, 0) != 0
	}
	if _, rank := d.Order(); rank != nil && a != noCode && b != noCode && l.Fn != op.FnEq && l.Fn != op.FnNe {
		a, b = rank[a], rank[b]
	}
	return l.Fn.Apply(float64(a), float64(b), 0) != 0
}
