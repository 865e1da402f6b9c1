package engine

import (
	"errors"
	"math/bits"
	"slices"

	"ein/vm/kernel"
	"ein/vm/rel"
	"ein/vm/tensor"
)

// Proof is why a row is there: steps, each made of earlier ones; the last is the row.
// Its height is the least there is over all rules, where rows that are given, and those
// of relations of aggregates and sums, have none.
type Proof struct{ Steps []Step }

// Step is a row, the rule that derives it, nil if it is given or an aggregate, and the
// steps of the atoms of the rule, in the order of its body.
type Step struct {
	Relation int
	Row      []float64
	Rule     *rel.Rule
	Height   int
	Of       []int
}

// ErrNoProof is the error of a value that is only derived by way of worse values of the
// same recursion, which are no rows.
var ErrNoProof = errors.New("rel: every derivation goes through a worse value")

// Why proves a row of a relation; the proof is nil if there is no such row. Nothing is
// kept for it in other runs: the program is evaluated, and then once more in rounds that
// go over all strata, so that the round of a row is its height.
func Why(p *rel.Program, size []uint64, ctl *kernel.Ctl, args []*tensor.Value, budget *Budget, relation int, row []float64) (proof *Proof, err error) {
	written := *p
	written.AsWritten = true
	pl := New(&written, size)
	r := newRun(pl, ctl, budget)
	defer stopped(&err)
	r.evaluate(args)
	for i := range r.stores {
		r.members(&r.stores[i])
	}
	w := newReplay(r, args)
	goal := make([]uint32, len(row))
	for c, x := range row {
		if goal[c] = uint32(x); p.Relations[relation].Columns[c].Domain == nil {
			goal[c] = r.encode(x)
		}
	}
	s := &r.stores[relation]
	k := s.find(goal[:s.width])
	if k < 0 || s.valued && s.val[k] != row[s.width] {
		return nil, nil
	}
	w.rounds(relation, goal[:s.width])
	if k = w.find(relation, goal[:s.width]); k < 0 {
		return nil, ErrNoProof
	}
	return w.prove(relation, k), nil
}

// why is a replay: rows that were derived are derived again, the lowest first.
type why struct {
	*run
	complete []store // of all rows, with indexes of the replay
	leaf     []bool  // not derived again
	marks    [][]int // of each relation: its rows before each round
	first    []*nest // a nest for each rule without relations that are derived
	each     []*nest
	all      stratum // of all that is derived

	// Of the proof of one row.
	goals  map[*rel.Rule]*nest
	proves bool
	goal   []uint32
	rows   [][]float64 // that each step reads
	hit    bool
}

func newReplay(full *run, args []*tensor.Value) *why {
	p := full.p
	n := len(p.Relations)
	pl := &Plan{p: p, bound: full.bound, index: make([][]*spec, n), member: make([]bool, n), coder: full.encode}
	w := &why{run: newRun(pl, full.ctl, full.budget), leaf: make([]bool, n), marks: make([][]int, n), goals: map[*rel.Rule]*nest{}, all: stratum{inside: map[int]bool{}}}
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
		if w.leaf[i] = w.leaf[i] || !derived[i]; !w.leaf[i] {
			w.all.inside[i] = true
			w.all.Relations = append(w.all.Relations, i)
		}
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if w.leaf[r.Rel] {
			continue
		}
		before := len(w.each)
		for k := range r.Body {
			if r.Body[k].Kind == rel.Atom && w.all.inside[r.Body[k].Rel] {
				w.each = append(w.each, pl.nest(r, &w.all, k))
			}
		}
		if len(w.each) == before {
			w.first = append(w.first, pl.nest(r, &w.all, -1))
		}
	}
	w.pool = full.pool
	w.begin(args)
	for i := range full.stores {
		s := &full.stores[i]
		base := &w.stores[i]
		switch {
		case w.leaf[i]:
			if *base = *s; !s.valued {
				base.bits = nil
				w.rehash(base, 1<<bits.Len(uint(2*s.n+8)))
			}
		case s.valued: // of what is given, what is not final is as if it were not
			given := *base
			*base = store{width: s.width, size: s.size, most: s.most, valued: true}
			w.rehash(base, 16)
			for k := range given.n {
				if final := s.find(given.row(k)); s.val[final] == given.val[k] {
					w.keep(base, given.row(k), given.val[k])
				}
			}
		default:
			given := *base
			*base = store{width: s.width, size: s.size, most: s.most}
			w.rehash(base, 16)
			for k := range given.n {
				w.add(base, given.row(k))
			}
		}
		base.hi, base.index = base.n, nil
	}
	w.complete = slices.Clone(full.stores)
	for i := range w.complete {
		w.complete[i].hi, w.complete[i].index = w.complete[i].n, nil
	}
	w.why = w
	return w
}

// indexed gives the stores the indexes that nests have come to need.
func (w *why) indexed(nests []*nest) {
	for i := range w.stores {
		for _, list := range [2][]store{w.stores, w.complete} {
			s := &list[i]
			if len(s.index) != len(w.index[i]) || s.index == nil {
				s.index = nil
				for _, x := range w.index[i] {
					s.index = append(s.index, &index{cols: x.cols})
				}
			}
		}
	}
	w.prepare(&w.all, nests)
}

func (w *why) keep(s *store, key []uint32, x float64) {
	if _, added := w.add(s, key); added && s.valued {
		s.val = w.value(s.val, x)
	}
}

func (w *why) find(i int, key []uint32) int { return w.stores[i].find(key) }

// rounds derives rows until the goal is there.
func (w *why) rounds(relation int, goal []uint32) {
	w.rel = relation
	for round := 0; w.find(relation, goal) < 0; round++ {
		fresh := false
		for _, i := range w.all.Relations {
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
			fresh = fresh || s.lo < s.hi
			w.marks[i] = append(w.marks[i], s.hi)
		}
		if round == 0 {
			w.indexed(w.first)
			for _, n := range w.first {
				w.do(n)
			}
		} else if !fresh {
			return
		}
		w.indexed(w.each)
		for _, n := range w.each {
			w.do(n)
		}
	}
}

// emit takes a binding of the replay, or of a proof.
func (w *why) emit(r *run, i int) int {
	s := &r.stores[r.rel]
	r.head()
	key, x := r.row[:s.width], 0.0
	if s.valued {
		x = r.eval(&r.rule.Head[s.width].Expr) + 0
		if final := w.complete[r.rel].find(key); w.complete[r.rel].val[final] != x {
			return i - 1
		}
	}
	if !w.proves {
		w.keep(s, key, x)
		return i - 1
	}
	if !slices.Equal(key, w.goal) {
		return i - 1
	}
	w.hit = true
	return -1
}

// read keeps the row that a step of a proof reads.
func (w *why) read(i int, s *store, row []uint32, k int) {
	if !w.proves || k < 0 {
		return
	}
	at := w.steps[i].rel
	w.rows[i] = w.numbers(at, row[:s.width])
	if s.valued {
		w.rows[i] = append(w.rows[i], s.val[k])
	}
}

// height is the round in which a row came, 0 of one that is given.
func (w *why) height(i, k int) int {
	if w.leaf[i] {
		return 0
	}
	at, _ := slices.BinarySearchFunc(w.marks[i], k, func(mark, k int) int {
		if mark <= k {
			return -1
		}
		return 1
	})
	return at
}

// goalNest is the loops of a rule whose head is known.
func (w *why) goalNest(r *rel.Rule) *nest {
	n := w.goals[r]
	if n == nil {
		n = &nest{rule: r, delta: -1, float: make([]bool, len(r.Vars)), coded: make([]bool, len(r.Vars))}
		b := planner{Plan: w.Plan, nest: n, s: &w.all, bound: make([]bool, len(r.Vars)), done: make([]bool, len(r.Body))}
		for c := range w.stores[r.Rel].width {
			if v, ok := variable(&r.Head[c]); ok && !b.bound[v] {
				b.bound[v] = true
				n.preset = append(n.preset, pair{c, v})
			}
		}
		b.order()
		n.end(&w.p.Relations[r.Rel])
		w.goals[r] = n
	}
	w.indexed([]*nest{n})
	return n
}

type node struct{ rel, row int }

// prove reads the proof off: a rule whose rows all came before. Each row is proved once,
// with a stack of its own: chains are long.
func (w *why) prove(relation, row int) *Proof {
	proof := &Proof{}
	done := map[node]int{}
	of := map[node]*pending{}
	stack := []node{{relation, row}}
	for len(stack) > 0 {
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
		step := Step{Relation: x.rel, Row: w.numbers(x.rel, s.row(x.row)), Rule: todo.rule, Height: w.height(x.rel, x.row)}
		if s.valued {
			step.Row = append(step.Row, s.val[x.row])
		}
		for _, y := range todo.of {
			step.Of = append(step.Of, done[y])
		}
		done[x] = len(proof.Steps)
		proof.Steps = append(proof.Steps, step)
		stack = stack[:len(stack)-1]
	}
	return proof
}

type pending struct {
	rule *rel.Rule
	of   []node
}

// derive1 finds the first rule, and the first of its bindings, that derives a row from
// lower ones.
func (w *why) derive1(x node) *pending {
	h := w.height(x.rel, x.row)
	if h == 0 {
		return &pending{}
	}
	for _, i := range w.all.Relations {
		s := &w.stores[i]
		s.lo, s.hi = 0, w.marks[i][h-1]
	}
	w.proves, w.goal = true, slices.Clone(w.stores[x.rel].row(x.row))
	defer func() { w.proves = false }()
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		if r.Rel != x.rel {
			continue
		}
		n := w.goalNest(r)
		w.rows, w.hit = make([][]float64, len(n.steps)), false
		w.do(n)
		if !w.hit {
			continue
		}
		todo := &pending{rule: r}
		for k := range r.Body {
			for j := range n.steps {
				if st := &n.steps[j]; st.lit == &r.Body[k] && st.lit.Kind == rel.Atom {
					key := make([]uint32, w.stores[st.rel].width)
					for c := range key {
						if key[c] = uint32(w.rows[j][c]); w.p.Relations[st.rel].Columns[c].Domain == nil {
							key[c] = w.encode(w.rows[j][c])
						}
					}
					todo.of = append(todo.of, node{st.rel, w.find(st.rel, key)})
				}
			}
		}
		return todo
	}
	panic("engine: a row without a rule")
}
