package engine

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/rel"
	"ein/vm/tensor"
)

// groups holds the aggregates of a rule while it runs. Its numbers lie in acc, stride for each
// group: the number of bindings first, then one for each aggregate that is no Count, and behind that of
// a sum of reals what rounding has taken from it (TwoSum, Knuth): a proof adds in another order, and
// would miss the last bit. A group is
// found by its key in the store, or if direct by the place of its key among all combinations,
// without a look-up. If these are too many for the caches, acc covers one block of places at a
// time.
type groups struct {
	store            // a row for each group
	cells  []int     // columns of the head that are aggregates
	acc    []float64 // of each group, or if direct of each place of a block: the number of bindings, then a number for each aggregate, two for a sum of reals
	slot   []int     // of each cell: where its number is in acc, 0 for Count
	whole  []bool    // of each cell: it is a sum of whole numbers
	stride int
	direct bool
	places int        // if it is direct
	values []store    // of Distinct: the group and the value
	seen   [][]uint32 // instead, where the bindings of a group come together: of each value, the last group that had it, from 1
}

// grouped is an empty store for the groups of a rule, which are these columns of its head.
func (pl *Plan) grouped(rule *rel.Rule, in []int) store {
	s := store{width: len(in), valued: true, most: pl.bound.rows[rule.Rel]}
	for _, c := range in {
		size := 0
		if d := pl.p.Relations[rule.Rel].Columns[c].Domain; d != nil {
			size = d.Size
		}
		s.size = append(s.size, size)
	}
	return s
}

// places is the number of groups that a tally keeps, each in a place of its own; 0 if it has to
// look groups up.
func (pl *Plan) places(s *store, n *nest) int {
	if n.read == nil || n.kind != aggregates || s.width == 0 {
		return 0
	}
	return s.places()
}

// newGroups makes room for the aggregates of the rule that runs. Groups get places of their own,
// which need no look-up, if these are at most twice the rows that are read; many places are
// worked off in blocks that the caches hold.
func (r *run) newGroups() *groups {
	g := &groups{store: r.grouped(r.rule, r.nest.groups)}
	g.stride = 1
	for c := range r.rule.Head {
		switch r.rule.Head[c].Agg {
		case rel.NoAgg:
			continue
		case rel.Count:
			g.slot = append(g.slot, 0)
		default:
			g.slot = append(g.slot, g.stride)
			g.stride++
		}
		agg := r.rule.Head[c].Agg
		whole := agg == rel.Sum && r.p.Relations[r.rel].Columns[c].Kind == tensor.IntColumn
		if agg == rel.Mean || agg == rel.Sum && !whole {
			g.stride++
		}
		g.cells, g.whole = append(g.cells, c), append(g.whole, whole)
	}
	if n := r.places(&g.store, r.nest); n > 0 && r.why == nil && n <= 2*r.stores[r.steps[0].rel].n {
		if g.places, g.direct = n, true; n > 2<<blockBits {
			n = 1 << blockBits
		}
		r.take(8 * uint64(n*g.stride))
		g.acc = make([]float64, n*g.stride)
		return g
	}
	r.members(&g.store)
	g.values, g.seen = make([]store, len(g.cells)), make([][]uint32, len(g.cells))
	if top := &r.steps[0]; r.inGroups && r.why == nil && r.stores[top.rel].index[top.index].ptr != nil {
		for j, c := range g.cells {
			if cell := r.rule.Head[c]; r.marked(cell) {
				size := r.rule.Vars[cell.Expr.Term.Var].Domain.Size
				r.take(4 * uint64(size))
				g.seen[j] = make([]uint32, size)
			}
		}
	}
	return g
}

// columns finds, for a rule that only reads one relation, the column of that relation that each
// cell of the head comes from. Such a rule copies or tallies rows without making a binding of each.
// One with aggregates reads all rows; another may select them by a cell.
func (n *nest) columns() []int {
	if len(n.steps) != 1 || n.delta >= 0 {
		return nil
	}
	st := &n.steps[0]
	if st.kind != scan && (st.kind != probe || st.index < 0 || len(st.key) > 1 || n.kind == aggregates) || len(st.same) > 0 || st.value >= 0 || st.check >= 0 {
		return nil
	}
	cols := make([]int, len(n.rule.Head))
	for i := range n.rule.Head {
		c := &n.rule.Head[i]
		if c.Agg == rel.Count {
			continue
		}
		e := &c.Expr
		at := slices.IndexFunc(st.out, func(p pair) bool { return p.reg == e.Term.Var })
		if len(e.Args) > 0 || e.Term.Kind != rel.Variable || at < 0 || c.Agg == rel.Distinct || c.Agg != rel.NoAgg && n.rule.Vars[e.Term.Var].Domain != nil {
			return nil
		}
		cols[i] = st.out[at].col
	}
	return cols
}

// counts reports whether a rule only counts rows.
func (n *nest) counts() bool {
	return n.kind == aggregates && !slices.ContainsFunc(n.rule.Head, func(c rel.Cell) bool { return c.Agg != rel.Count })
}

// copied does the work of rows, loop and emit for such a rule without aggregates, on n rows from k
// on.
func (r *run) copied(from *store, k, n int) {
	s, last, fold := &r.stores[r.rel], len(r.row)-1, r.p.Relations[r.rel].Fold
	if size := 1 << bits.Len(uint(2*(s.n+n))); s.hash != nil && size > len(s.hash) && r.room(4*uint64(size)) {
		r.rehash(s, size) // once
	}
	if s.unique {
		s.cells = grow(r, s.cells, n*s.width)
	}
	r.each(k, k+n, func(k int) {
		row := from.row(k)
		for i, c := range r.read {
			r.row[i] = row[c]
		}
		switch {
		case s.unique:
			r.push(s, r.row)
		case r.kind == rows:
			r.add(s, r.row)
		default:
			r.improve(s, fold, r.row[:last], r.number(last, r.decode(r.row[last])))
		}
	})
}

// tally does the work of rows, loop, emit and gather for such a rule with aggregates.
func (r *run) tally(s *store) {
	g := r.groups
	if r.counts() {
		if s.n > 0 {
			g.acc[r.group(nil)] = float64(s.n)
		}
		return
	}
	r.key = append(r.key[:0], make([]uint32, g.width)...)
	if len(g.acc) < g.places*g.stride {
		r.blocks(s)
		return
	}
	r.each(0, s.hi, func(k int) { r.folds(s, k, r.group(r.keyOf(s, k))) })
}

// each calls f with each number from k to n-1, and counts the work.
func (r *run) each(k, n int, f func(k int)) {
	const chunk = 1 << 10
	for k < n {
		end := min(k+chunk, n)
		for r.work(2 * uint64(end-k)); k < end; k++ {
			f(k)
		}
	}
}

// A block of places fits into a part of the second-level cache, beside the rows that stream
// through.
const blockBits = 14

// blocks tallies rows block of places by block, and makes the rows of a block's groups before it
// goes on to the next: a place outside the cache costs more than everything else.
func (r *run) blocks(s *store) {
	g := r.groups
	r.work(2 * uint64(s.hi))
	r.take(16 * uint64(s.hi))
	// The place of each row's group, column by column: mixed radix, the last column fastest.
	places := make([]uint32, s.hi)
	for i, c := range r.nest.groups {
		size, col := uint32(g.size[i]), r.read[c]
		for k := range places {
			if s.table != nil {
				places[k] = places[k]*size + s.table.Cells[col].ID[k]
			} else {
				places[k] = places[k]*size + s.cells[k*s.width+col]
			}
		}
		r.look()
	}
	ptr := make([]int, (g.places-1)>>blockBits+2)
	for _, place := range places {
		ptr[place>>blockBits+1]++
	}
	tensor.SumUp(ptr)
	one := -1 // the cell that is folded, if there is one: its numbers go with the places, else those of the rows
	for j, c := range g.cells {
		switch {
		case r.rule.Head[c].Agg == rel.Count:
		case one < 0:
			one = j
		default:
			one = len(g.cells)
		}
	}
	single := one >= 0 && one < len(g.cells)
	// Rows sorted by block, each with its place within the block.
	rows, spots := make([]uint64, s.hi), make([]uint32, s.hi)
	r.each(0, s.hi, func(k int) {
		at := &ptr[places[k]>>blockBits]
		spots[*at], rows[*at] = places[k]&(1<<blockBits-1), uint64(k)
		if single {
			rows[*at] = math.Float64bits(r.numberOf(s, k, g.cells[one]))
		}
		*at++
	})
	fold := func(i int) { r.folds(s, int(rows[i]), g.counts(int(spots[i]))) }
	if single {
		agg, slot, whole := r.rule.Head[g.cells[one]].Agg, g.slot[one], g.whole[one]
		fold = func(i int) {
			at := g.counts(int(spots[i]))
			g.fold(agg, whole, at+slot, g.acc[at] == 1, math.Float64frombits(rows[i]))
		}
	}
	to := &r.stores[r.rel]
	r.inOrder(to)
	to.cells = grow(r, to.cells, min(g.places, s.hi)*to.width)
	from := 0
	for b, end := range ptr[:len(ptr)-1] { // where the next block starts, by now
		r.each(from, end, fold)
		r.tallied(to, min(g.places-b<<blockBits, 1<<blockBits))
		from = end
	}
}

// keyOf returns the cells of a row that identify its group.
func (r *run) keyOf(s *store, k int) []uint32 {
	for i, c := range r.nest.groups {
		if t := s.table; t == nil {
			r.key[i] = s.cells[k*s.width+r.read[c]]
		} else if col := &t.Cells[r.read[c]]; col.ID != nil {
			r.key[i] = col.ID[k]
		} else {
			r.key[i] = r.encode(col.Num[k])
		}
	}
	return r.key
}

// folds adds a row to its group.
func (r *run) folds(s *store, k, at int) {
	g := r.groups
	for j, c := range g.cells {
		agg := r.rule.Head[c].Agg
		if agg == rel.Count {
			continue
		}
		g.fold(agg, g.whole[j], at+g.slot[j], g.acc[at] == 1, r.numberOf(s, k, c))
	}
}

// numberOf is the number that cell c of the head takes from a row.
func (r *run) numberOf(s *store, k, c int) float64 {
	if s.table != nil {
		return s.table.Cells[r.read[c]].Num[k] + 0
	}
	return r.decode(s.cells[k*s.width+r.read[c]])
}

// counts counts a binding in the group of a place, and gives where its numbers are.
func (g *groups) counts(place int) int {
	at := place * g.stride
	if g.acc[at]++; g.acc[at] == 1 {
		g.n++
	}
	return at
}

// group counts a binding in its group, and gives where the numbers of the group are.
func (r *run) group(key []uint32) int {
	g := r.groups
	if g.direct {
		return g.counts(g.at(key))
	}
	k, added := r.add(&g.store, key)
	if added {
		if len(g.acc)+g.stride > cap(g.acc) {
			g.acc = grow(r, g.acc, g.stride)
		}
		g.acc = g.acc[:len(g.acc)+g.stride]
	}
	g.acc[k*g.stride]++
	return k * g.stride
}

// fold adds a number to a group. A sum of whole numbers that reaches 2^53 on the way stays there,
// and is refused as inexact in the end; otherwise it could come back with an error in it.
func (g *groups) fold(agg rel.Agg, whole bool, at int, first bool, x float64) {
	acc := &g.acc[at]
	switch agg {
	case rel.Sum, rel.Mean:
		if !whole {
			sum := *acc + x
			grown := sum - *acc
			g.acc[at+1] += *acc - (sum - grown) + (x - grown)
			*acc = sum
		} else if math.Abs(*acc) < tensor.MaxInt {
			*acc += x
		}
	default:
		if first || x != x || agg == rel.Min && x < *acc || agg == rel.Max && x > *acc { // NaN stays, and is refused in the end
			*acc = x
		}
	}
}

// gather adds a binding to its group.
func (r *run) gather() {
	g := r.groups
	r.key = r.key[:0]
	for _, c := range r.nest.groups {
		r.key = append(r.key, r.row[c])
	}
	group := r.group(r.key)
	first := g.acc[group] == 1 // bindings, this one included
	for j, c := range g.cells {
		cell := &r.rule.Head[c]
		at := group + g.slot[j]
		switch cell.Agg {
		case rel.Distinct:
			if seen := g.seen[j]; seen != nil {
				if last, this := &seen[r.codeOf(&cell.Expr)], uint32(group/g.stride)+1; *last != this {
					*last = this
					g.acc[at]++
				}
				continue
			}
			s := &g.values[j]
			if s.hash == nil {
				s.width = 2
				r.rehash(s, 16)
			}
			if _, added := r.add(s, []uint32{uint32(group / g.stride), r.codeOf(&cell.Expr)}); added {
				g.acc[at]++
			}
		case rel.Sum, rel.Mean:
			g.fold(cell.Agg, g.whole[j], at, first, r.eval(&cell.Expr))
		case rel.Min, rel.Max:
			g.fold(cell.Agg, false, at, first, r.ordered(&cell.Expr, r.p.Relations[r.rel].Columns[c].Domain))
		}
	}
}

// codeOf is the code of the value of an expression.
func (r *run) codeOf(e *rel.Expr) uint32 {
	if len(e.Args) == 0 && e.Term.Kind == rel.Variable && !r.float[e.Term.Var] {
		return r.regs[e.Term.Var]
	}
	return r.encode(r.eval(e))
}

// ordered is a number, or the place of a member in the order of the labels, so that both can be
// compared.
func (r *run) ordered(e *rel.Expr, d *tensor.Domain) float64 {
	if d == nil {
		return r.eval(e)
	}
	id := r.member1(e)
	if _, rank := d.Order(); rank != nil {
		id = rank[id]
	}
	return float64(id)
}

// aggregated makes the rows of the groups, unless blocks has made them.
func (r *run) aggregated(s *store) {
	g := r.groups
	if g.width == 0 && g.n == 0 {
		for _, c := range g.cells {
			if a := r.rule.Head[c].Agg; a != rel.Count && a != rel.Distinct && a != rel.Sum {
				return
			}
		}
		g.acc[r.group(nil)] = 0
	}
	if g.direct {
		if len(g.acc) == g.places*g.stride {
			r.inOrder(s)
			s.cells = grow(r, s.cells, g.n*s.width)
			r.tallied(s, g.places)
		}
		return
	}
	for k := range g.n {
		for i, c := range r.nest.groups {
			r.row[c] = g.row(k)[i]
		}
		r.aggregate(s, k*g.stride)
	}
}

// aggregate makes the row of a group.
func (r *run) aggregate(s *store, at int) {
	r.work(1)
	g, cols := r.groups, r.p.Relations[r.rel].Columns
	for j, c := range g.cells {
		x := g.acc[at+g.slot[j]]
		if agg := r.rule.Head[c].Agg; agg == rel.Mean || agg == rel.Sum && !g.whole[j] {
			if lost := g.acc[at+g.slot[j]+1]; lost-lost == 0 { // x is finite
				x += lost
			}
			if agg == rel.Mean {
				x /= g.acc[at]
			}
		}
		if d := cols[c].Domain; d != nil {
			if order, _ := d.Order(); order != nil {
				x = float64(order[int(x)])
			}
			r.row[c] = uint32(x)
			continue
		}
		r.row[c] = r.cell(c, x)
	}
	if s.unique {
		r.push(s, r.row)
	} else {
		r.add(s, r.row)
	}
}

// inOrder starts at the first place. Groups come in the order of their keys, so a relation of
// numbered nodes needs no sorting.
func (r *run) inOrder(s *store) {
	s.sorted = s.unique
	for i, c := range r.nest.groups {
		_, rank := r.p.Relations[r.rel].Columns[c].Domain.Order()
		s.sorted = s.sorted && i == c && rank == nil
	}
	clear(r.row)
}

// tallied makes the rows of so many places, from the place of the current row on, and clears them.
func (r *run) tallied(s *store, places int) {
	g := r.groups
	r.work(uint64(places))
	for at := 0; at < places*g.stride; at += g.stride {
		if g.acc[at] > 0 {
			r.aggregate(s, at)
		}
		for i := g.width - 1; i >= 0; i-- { // the key of the next place
			cell := &r.row[r.nest.groups[i]]
			if *cell++; int(*cell) < g.size[i] {
				break
			}
			*cell = 0
		}
	}
	clear(g.acc)
}
