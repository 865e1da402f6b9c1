package engine

import (
	"math"
	"slices"

	"ein/internal/lists"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Rows that are known before a run are those of tables and facts, and what rules copy of one atom. From
// them bounds.go counts what it would only bound otherwise: the rows that a comparison leaves, and the
// bindings of a join. What is known of a relation is a bag that holds all of its rows: a table that may
// have some twice, and some that no run makes. A column of it that has neither names nor numbers is not
// known.

// mostKnown is the number of rows past which a relation is not known, and of names past which they are
// not counted. mostLooked is the number of rows gone through, cells copied and names counted past which
// nothing more is counted, however many rules there are: it is time and memory spent before a run, which
// may be refused.
const (
	mostKnown  = 1 << 22
	mostLooked = 1 << 26
)

// rowsKnown is what is known of each relation, until a plan is certified, and what was found by it.
type rowsKnown struct {
	known  []*tensor.Table
	passes map[*rel.Literal]passing
	counts map[column][]float64 // see occurrences
	looked int                  // see mostLooked
}

func newRowsKnown(relations int) rowsKnown {
	return rowsKnown{known: make([]*tensor.Table, relations), passes: map[*rel.Literal]passing{}, counts: map[column][]float64{}}
}

// column tells columns apart by where their cells are.
type column struct {
	first *uint32
	rows  int
}

// looks reports whether so many more may be gone through.
func (b *rowsKnown) looks(more int) bool {
	b.looked += more
	return b.looked <= mostLooked
}

// given returns the facts and the argument of a relation as one table, nil if they are not known.
func given(b *rowsKnown, r *rel.Relation, size []Size) *tensor.Table {
	parts := make([]*tensor.Table, 0, 2)
	if r.Facts != nil {
		parts = append(parts, r.Facts)
	}
	switch r.Source {
	case rel.FromTable:
		parts = append(parts, size[r.Arg].Table)
	case rel.FromEntries, rel.FromElements:
		return nil
	}
	for _, t := range parts {
		if t == nil || t.Bits != nil || t.Len > mostKnown {
			return nil
		}
		for c, k := range t.Columns {
			// Whether an argument is as it should be is looked at only when a run begins.
			if ids := t.Cells[c].ID; len(ids)+len(t.Cells[c].Num) != t.Len || len(ids) > 0 && (k.Domain == nil || int(slices.Max(ids)) >= k.Domain.Size) {
				return nil
			}
		}
	}
	return b.together(r.Columns, parts)
}

// together returns the rows of several tables as one.
func (b *rowsKnown) together(columns []tensor.Column, parts []*tensor.Table) *tensor.Table {
	if slices.Contains(parts, nil) {
		return nil
	}
	parts = slices.DeleteFunc(parts, func(t *tensor.Table) bool { return t.Len == 0 })
	if len(parts) == 1 {
		return parts[0]
	}
	t := &tensor.Table{Columns: columns, Cells: make([]tensor.Cells, len(columns))}
	for _, p := range parts {
		t.Len += p.Len
	}
	if t.Len > mostKnown || !b.looks(t.Len*len(columns)) {
		return nil
	}
	for c := range columns {
		var all tensor.Cells
		for _, p := range parts {
			all.ID, all.Num = append(all.ID, p.Cells[c].ID...), append(all.Num, p.Cells[c].Num...)
		}
		if len(all.ID)+len(all.Num) == t.Len {
			t.Cells[c] = all
		}
	}
	return t
}

// kept returns the rows that pass.
func kept(t *tensor.Table, passes func(row int) bool) *tensor.Table {
	var rows []int
	for i := range t.Len {
		if passes(i) {
			rows = append(rows, i)
		}
	}
	if len(rows) == t.Len {
		return t
	}
	some := &tensor.Table{Columns: t.Columns, Len: len(rows), Cells: make([]tensor.Cells, len(t.Cells))}
	for c, cells := range t.Cells {
		if cells.ID != nil {
			some.Cells[c].ID = lists.Map(rows, func(i int) uint32 { return cells.ID[i] })
		}
		if cells.Num != nil {
			some.Cells[c].Num = lists.Map(rows, func(i int) float64 { return cells.Num[i] })
		}
	}
	return some
}

// occurrences counts how often each name is in a column.
func (b *rowsKnown) occurrences(ids []uint32, size int) []float64 {
	if len(ids) == 0 {
		return make([]float64, size)
	}
	of := column{&ids[0], len(ids)}
	count := b.counts[of]
	if count == nil {
		b.looks(size)
		count = make([]float64, size)
		for _, id := range ids {
			count[id]++
		}
		b.counts[of] = count
	}
	return count
}

// spread counts the names in a column, and the most rows that one of them has.
func (b *rowsKnown) spread(ids []uint32, size int) (names, most uint64) {
	add := func(n uint64) {
		names, most = names+min(n, 1), max(most, n)
	}
	if size <= 1<<10+8*len(ids) {
		for _, n := range b.occurrences(ids, size) {
			add(uint64(n))
		}
		return names, most
	}
	ids = slices.Sorted(slices.Values(ids)) // a few facts about many nodes
	for n := uint64(0); len(ids) > 0; ids = ids[n:] {
		for n = 1; n < uint64(len(ids)) && ids[n] == ids[0]; n++ {
		}
		add(n)
	}
	return names, most
}

// copied returns what a rule makes of the rows of its one atom, nil if it has more or is not known.
func (b *rowsKnown) copied(p *rel.Program, r *rel.Rule) *tensor.Table {
	var atom *rel.Literal
	for i := range r.Body {
		if l := &r.Body[i]; l.Kind == rel.Atom {
			if atom != nil {
				return nil
			}
			atom = l
		}
	}
	grouped := slices.ContainsFunc(r.Head, func(c rel.Cell) bool { return c.Agg == rel.NoAgg })
	if atom == nil || r.Aggregates() && !grouped { // one row, even of nothing
		return nil
	}
	of := b.passing(p, r, atom).passed
	if of == nil {
		return nil
	}
	columns := p.Relations[r.Rel].Columns
	t := &tensor.Table{Columns: columns, Len: of.Len, Cells: make([]tensor.Cells, len(columns))}
	for c := range r.Head {
		v, ok := variable(&r.Head[c])
		if at := slices.Index(atom.Terms, rel.Term{Var: v}); ok && at >= 0 && r.Head[c].Agg == rel.NoAgg {
			t.Cells[c] = of.Cells[at]
		}
	}
	return t
}

// passing is what is known of the rows of an atom: those that have its constants, as an index finds them,
// and those of them that pass, on their own, whatever the rule asks of them. A value has no index.
type passing struct{ keyed, passed *tensor.Table }

func (b *rowsKnown) passing(p *rel.Program, r *rel.Rule, l *rel.Literal) passing {
	if found, ok := b.passes[l]; ok {
		return found
	}
	t := b.known[l.Rel]
	if t == nil {
		return passing{}
	}
	is := func(c int, i int) float64 {
		if id := t.Cells[c].ID; id != nil {
			return float64(id[i])
		}
		return t.Cells[c].Num[i]
	}
	cells := func(c int) bool { return t.Cells[c].ID != nil || t.Cells[c].Num != nil || t.Len == 0 }
	only := func(passes func(i int) bool) {
		if b.looks(t.Len * len(t.Cells)) {
			t = kept(t, passes)
		}
	}
	at := make([]int, len(r.Vars)) // of each variable that it gives: the first column, plus 1
	for c, x := range l.Terms {
		switch {
		case !cells(c):
		case x.Kind == rel.Const && (c < len(l.Terms)-1 || !valued(&p.Relations[l.Rel])):
			only(func(i int) bool { return is(c, i) == x.Value })
		case x.Kind == rel.Variable && at[x.Var] == 0:
			at[x.Var] = c + 1
		}
	}
	keyed := t
	for c, x := range l.Terms {
		switch {
		case !cells(c):
		case x.Kind == rel.Const:
			only(func(i int) bool { return is(c, i) == x.Value })
		case x.Kind == rel.Variable && at[x.Var] != c+1:
			only(func(i int) bool { return is(c, i) == is(at[x.Var]-1, i) })
		}
	}
	// Comparisons of these variables, as a run makes them.
	row := run{nest: &nest{rule: r, float: make([]bool, len(r.Vars))}, rule: r, regs: make([]uint32, len(r.Vars)), nums: make([]float64, len(r.Vars))}
	for v := range r.Vars {
		row.float[v] = r.Vars[v].Domain == nil
	}
	for k := range r.Body {
		test, own := &r.Body[k], true
		if test.Kind != rel.Compare || domainOf(r, test) != nil && (test.Left.Term.Value == rel.NoMember || test.Right.Term.Value == rel.NoMember) {
			continue
		}
		if test.Vars(func(v int) { own = own && at[v] > 0 }); own {
			only(func(i int) bool {
				test.Vars(func(v int) {
					if x := is(at[v]-1, i); row.float[v] {
						row.nums[v] = x
					} else {
						row.regs[v] = uint32(x)
					}
				})
				return row.compare(test)
			})
		}
	}
	b.passes[l] = passing{keyed, t}
	return b.passes[l]
}

// joined counts the bindings of atoms that are joined one after the other, each by one variable that it
// shares with those before. Such atoms are a tree, whose bindings are counted by one pass over the rows
// of each (Yannakakis, Algorithms for Acyclic Database Schemes, 1981). Where an atom shares more, the
// count leaves all but one out, so it is a bound.
type joined struct {
	*bounds
	p     *rel.Program
	rule  *rel.Rule
	atoms []part
	lost  bool // an atom is not known, or not joined by a name
}

// part is an atom of a tree: its rows, and of each column the variable by which others join it, or -1.
type part struct {
	lit  *rel.Literal
	rows *tensor.Table
	vars []int
}

// mostAtoms is how many atoms of a body are counted. Each takes a pass over all before it.
const mostAtoms = 8

// add joins one more atom. It returns how many rows of it are met by all bindings so far together, and
// how many bindings there are afterwards; math.MaxUint64 where that is not known.
func (j *joined) add(l *rel.Literal) (met, left uint64) {
	rows := j.passing(j.p, j.rule, l)
	all := 0
	for i := range j.atoms {
		all += 2 * j.atoms[i].rows.Len // about one pass for each variable that is shared
	}
	if j.lost = j.lost || rows.keyed == nil || len(j.atoms) == mostAtoms || !j.looks(all+rows.keyed.Len); j.lost {
		return math.MaxUint64, math.MaxUint64
	}
	a := part{l, rows.passed, make([]int, len(l.Terms))}
	by, least, most := -1, math.Inf(1), []float64(nil)
	for c, t := range l.Terms {
		a.vars[c] = -1
		if t.Kind != rel.Variable || rows.keyed.Cells[c].ID == nil || slices.Index(l.Terms, t) != c || j.rule.Vars[t.Var].Domain.Size > mostKnown {
			continue
		}
		weight := j.weight(t.Var, -1)
		if weight == nil {
			a.vars[c] = t.Var
			continue
		}
		if n := sum(rows.keyed.Cells[c].ID, weight); n < least {
			by, least, most = c, n, weight
		}
	}
	switch {
	case len(j.atoms) == 0:
		j.atoms = append(j.atoms, a)
		return uint64(rows.keyed.Len), uint64(rows.passed.Len)
	case by < 0:
		j.lost = true
		return math.MaxUint64, math.MaxUint64
	}
	if left = whole(least); rows.passed != rows.keyed {
		left = whole(sum(rows.passed.Cells[by].ID, most))
	}
	a.vars[by] = l.Terms[by].Var
	j.atoms = append(j.atoms, a)
	return whole(least), left
}

// meeting counts what it takes to intersect the first two lists of a step that meets (see run.meet), and
// bounds the values that are found: no more than the shorter has. One atom before must have the cells
// that select both; math.MaxUint64 if none has.
func (j *joined) meeting(pl *Plan, st *step) (cost, found uint64) {
	one, two := st.mates[0], st.mates[1]
	a := slices.IndexFunc(j.atoms, func(a part) bool {
		return slices.ContainsFunc(a.lit.Terms, func(t rel.Term) bool { return t == rel.Term{Var: one.reg} }) &&
			slices.ContainsFunc(a.lit.Terms, func(t rel.Term) bool { return t == rel.Term{Var: two.reg} })
	})
	if a < 0 || j.lost || j.known[one.rel] == nil || j.known[two.rel] == nil || j.rule.Vars[st.out[0].reg].Domain == nil || st.of >= 0 {
		return math.MaxUint64, math.MaxUint64
	}
	// list gives the length of the list that each row of that atom selects.
	known := true
	list := func(m mate) factors {
		t, at := j.known[m.rel], j.atoms[a]
		keys := t.Cells[pl.index[m.rel][m.index].cols[0]].ID
		ids := at.rows.Cells[slices.Index(at.lit.Terms, rel.Term{Var: m.reg})].ID
		if len(keys) < t.Len || len(ids) < at.rows.Len || j.rule.Vars[m.reg].Domain == nil {
			known = false
			return nil
		}
		return factors{{ids, j.occurrences(keys, j.rule.Vars[m.reg].Domain.Size)}}
	}
	first, second := list(one), list(two)
	if !known {
		return math.MaxUint64, math.MaxUint64
	}
	words := float64(tensor.Words(j.p.Relations[one.rel].Columns[one.col].Domain.Size))
	// What is known may be more than the rows of a run: then their lists may be short, or chains (see sync).
	exact := func(m mate) bool {
		r := &j.p.Relations[m.rel]
		return r.Source == rel.FromTable && pl.sizes[r.Arg].Table == j.known[m.rel]
	}
	short := max(leastLine, words/4)
	if exact(two) {
		short = 0
	}
	swaps := two.rel == one.rel && len(st.lit.Terms) == 2 && pl.sized(one.rel).words() == 0 && exact(one)
	for _, c := range st.lit.Terms[:2] {
		swaps = swaps && j.rule.Vars[c.Var].Domain.Size <= 4*j.known[one.rel].Len+1024
	}
	lines := func(n float64) bool { return n >= leastLine && 4*n >= words }
	work, values := 0.0, 0.0
	others := j.others(a, -1)
	for row := range j.atoms[a].rows.Len {
		n, x, y := others.of(row), first.of(row), second.of(row)
		values += n * min(x, y)
		c := 3.0
		if 4*x >= words {
			c += words // see some
		}
		if lines(y) {
			c += min(y, short)
		} else {
			c += y // see mark
		}
		if swaps && lines(x) {
			x = min(x, y)
		}
		work += n * (c + x*float64(1+st.meets))
	}
	return whole(work), whole(values)
}

// sum adds up the weights of names.
func sum(ids []uint32, weight []float64) (n float64) {
	for _, id := range ids {
		n += weight[id]
	}
	return n
}

// whole is a count as a bound, past 2^53 rounded up.
func whole(n float64) uint64 {
	if n *= 1 + 1e-9; n >= 1<<62 {
		return math.MaxUint64
	}
	return uint64(n)
}

// weight returns how many bindings of all atoms but one give a variable each name, nil if none has it.
func (j *joined) weight(v, but int) (product []float64) {
	for k := range j.atoms {
		c := slices.Index(j.atoms[k].vars, v)
		if k == but || c < 0 {
			continue
		}
		count := j.message(k, c)
		if product == nil {
			product = count
			continue
		}
		j.looks(len(product))
		product = slices.Clone(product)
		for id := range product {
			product[id] *= count[id]
		}
	}
	return product
}

// message returns how many bindings of the atoms beyond one, seen from a column of it, give the column
// each name.
func (j *joined) message(atom, column int) []float64 {
	a := &j.atoms[atom]
	ids, size := a.rows.Cells[column].ID, a.rows.Columns[column].Domain.Size
	others := j.others(atom, column)
	if len(others) == 0 {
		return j.occurrences(ids, size)
	}
	j.looks(size)
	count := make([]float64, size)
	for row, id := range ids {
		count[id] += others.of(row)
	}
	return count
}

// others are the weights of the cells of an atom by which others join it, but one.
func (j *joined) others(atom, but int) (list factors) {
	a := &j.atoms[atom]
	for c, v := range a.vars {
		if v < 0 || c == but {
			continue
		}
		if w := j.weight(v, atom); w != nil {
			list = append(list, factor{a.rows.Cells[c].ID, w})
		}
	}
	return list
}

// factor is a column, and a weight of each name in it.
type factor struct {
	ids    []uint32
	weight []float64
}

type factors []factor

// of is the weight of a row.
func (f factors) of(row int) float64 {
	n := 1.0
	for k := range f {
		n *= f[k].weight[f[k].ids[row]]
	}
	return n
}
