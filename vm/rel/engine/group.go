package engine

import (
	"ein/vm/rel"
	"ein/vm/tensor"
)

// groups are the aggregates of a rule while it runs.
type groups struct {
	store        // a row for each group
	cells  []int // columns of the head that are aggregates
	acc    []float64
	count  []float64
	values []store // of Distinct: the group and the value
}

func (r *run) newGroups() *groups {
	g := &groups{}
	cols := r.p.Relations[r.rel].Columns
	for _, c := range r.nest.groups {
		size := 0
		if d := cols[c].Domain; d != nil {
			size = d.Size
		}
		g.size = append(g.size, size)
	}
	g.width, g.valued, g.most = len(g.size), true, r.bound.rows[r.rel]
	r.members(&g.store)
	for c := range r.rule.Head {
		if r.rule.Head[c].Agg != rel.NoAgg {
			g.cells = append(g.cells, c)
		}
	}
	g.values = make([]store, len(g.cells))
	return g
}

// gather takes a binding into its group.
func (r *run) gather() {
	g := r.groups
	r.key = r.key[:0]
	for _, c := range r.nest.groups {
		r.key = append(r.key, r.row[c])
	}
	k, added := r.add(&g.store, r.key)
	if added {
		g.count = r.value(g.count, 0)
	}
	g.count[k]++
	first := g.count[k] == 1
	for j, c := range g.cells {
		cell := &r.rule.Head[c]
		if added {
			g.acc = r.value(g.acc, 0)
		}
		acc := &g.acc[k*len(g.cells)+j]
		switch cell.Agg {
		case rel.Distinct:
			s := &g.values[j]
			if s.hash == nil {
				s.width = 2
				r.rehash(s, 16)
			}
			if _, added := r.add(s, []uint32{uint32(k), r.codeOf(&cell.Expr)}); added {
				*acc++
			}
		case rel.Sum, rel.Mean:
			*acc += r.eval(&cell.Expr)
		case rel.Min, rel.Max:
			x := r.ordered(&cell.Expr, r.p.Relations[r.rel].Columns[c].Domain)
			if first || cell.Agg == rel.Min && x < *acc || cell.Agg == rel.Max && x > *acc {
				*acc = x
			}
		}
	}
}

// codeOf is the code of any expression.
func (r *run) codeOf(e *rel.Expr) uint32 {
	if len(e.Args) == 0 && e.Term.Kind == rel.Variable && !r.float[e.Term.Var] {
		return r.regs[e.Term.Var]
	}
	return r.encode(r.eval(e))
}

// ordered is a number, or a member of a domain as its place in the order of their texts.
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

// aggregated makes the rows of the groups.
func (r *run) aggregated(s *store) {
	g := r.groups
	cols := r.p.Relations[r.rel].Columns
	if g.width == 0 && g.n == 0 {
		for _, c := range g.cells {
			if a := r.rule.Head[c].Agg; a != rel.Count && a != rel.Distinct && a != rel.Sum {
				return
			}
		}
		r.add(&g.store, nil)
		g.count, g.acc = append(g.count, 0), make([]float64, len(g.cells))
	}
	for k := range g.n {
		r.work(1)
		for i, c := range r.nest.groups {
			r.row[c] = g.row(k)[i]
		}
		for j, c := range g.cells {
			x := g.acc[k*len(g.cells)+j]
			switch r.rule.Head[c].Agg {
			case rel.Count:
				x = g.count[k]
			case rel.Mean:
				x /= g.count[k]
			}
			if d := cols[c].Domain; d != nil {
				if order, _ := d.Order(); order != nil {
					x = float64(order[int(x)])
				}
				r.row[c] = uint32(x)
				continue
			}
			r.row[c] = r.encode(r.number(c, x))
		}
		if s.bits != nil || s.hash != nil {
			r.add(s, r.row)
		} else {
			r.push(s, r.row) // groups differ
		}
	}
}
