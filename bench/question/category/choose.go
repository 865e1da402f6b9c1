package category

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ein/bench/question/draw"
	"ein/bench/question/graph"
)

// Shape is what a draw is asked for.
type Shape struct {
	N        int
	Density  int // thousandths
	MinDepth int // 0, 0: the draw spreads it
	MaxDepth int
}

// Goal is what the graphs of a walk have to show, so that one of them may be
// taken.
type Goal struct {
	// Least is how many different answers there have to be that the hints say the
	// same about. One of them is then drawn, each as likely: so nobody who knows
	// what the hints say is right more often than one time in Least.
	Least int
	// Class takes the place of the answer, for answers that are a conjunction.
	Class func(w *World, o Out) int
	// Only says which answers may be given.
	Only func(w *World, o Out) bool
	// Hint says which mechanical decoys are hidden; nil is those of usual.
	Hint func(k *kind, how How) bool
	// Aim is the answer to be had, one of Size from Low on, if there are any. The
	// walk then goes from one to the next, and what the hints say stays as it is.
	Aim, Low, Size, Step int
	// Cell is what decoys are to say, drawn before the graph like the answer to be
	// had, and from a range that does not depend on it. All tries go there; so hints
	// and answer are independent, however often a try fails.
	Cell []target
	// Want, if Wanted, is the class to be taken.
	Want   int
	Wanted bool
}

// usual hides searches that end too early and operations that are left out. What
// goes backwards says little, and one hop nothing that two do not.
func usual(_ *kind, how How) bool { return how == TwoHops || how == LeftOut || how == Other }

// hops hides searches that end too early: in a conjunction each part tells of the
// other.
func hops(_ *kind, how How) bool { return how == OneHop || how == TwoHops }

// How many graphs are tried, and how far from each.
const (
	mostTries = 20_000
	// strictTries is when the draw gives up on hiding what all decoys say, and
	// looseTries when it asks for no second answer and takes any depth. At the
	// presets but paper the first is rare and the second does not come up.
	sweepTries  = 24
	formTries   = 40
	strictTries = 300
	looseTries  = 500
	walkLength  = 96
	aimLength   = 160
)

// target is what one decoy is to say.
type target struct {
	cut Cut
	num int
}

// Drawn is a case and how it came about.
type Drawn struct {
	Case       Case
	Redraws    int
	Loose      int // 0: the decoys tell nothing; 1: something; 2: the depth is not as drawn either
	Depth      int
	Operations int
}

// state is a graph of the walk.
type state struct {
	class int
	out   Out
	arcs  [2]int // where its edges begin
	key   uint64
}

// Choose draws a case. First comes what is the same in all tries: the depth and
// the form of the query. Then a graph is drawn, and from it a random walk
// exchanges edges such that every degree stays and searches that end too early
// find the same. Of the graphs that it passes, those are put together about which
// all hints say the same. When such a group has enough different answers, one of
// them is drawn, then a graph that has it.
func (cat *Category) Choose(ctx context.Context, s *draw.Stream, shape Shape) (*Drawn, error) {
	w := &World{}
	depth := cat.drawDepth(s, shape)
	// A decoy that gives sets or nodes is a hint where it is right, and otherwise
	// hardly one. It is right now and then.
	hits := cat.Result == Set || cat.Result == String
	free := hits && s.Chance(1, 25)
	form := draw.Key("form", strconv.FormatUint(s.Uint64(), 10))
	var states []state
	var arcs []graph.Edge
	for try := range mostTries {
		if try%16 == 15 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if try%formTries == formTries-1 && !cat.Hops {
			form = draw.Key("form", strconv.FormatUint(s.Uint64(), 10))
		}
		loose := 0
		if try >= strictTries {
			loose, free = 1, true
		}
		if try >= looseTries {
			loose = 2
			if cat.Hops && shape.MaxDepth == 0 {
				depth = 1 + s.IntN(cat.maxDepth(shape.N))
			}
		}
		w.Query, w.Goal = ask(None, None), depth
		cat.base(s, w, shape)
		goal, ok := cat.Pose(draw.New(form), s, w)
		if !ok {
			continue
		}
		if loose == 2 {
			goal.Only = nil
		}
		hard, soft := hintsOf(cat, w, &goal)
		least := max(1, goal.Least)
		if loose == 2 || cat.Hops && depth <= 2 {
			least = 1
		}
		if goal.Cell != nil && loose < 2 && (!cat.Hops || depth > 2) {
			if try >= strictTries {
				loose, goal.Cell = 1, goal.Cell[:0]
			}
			if cat.settle(s, w, &goal, cat.Hops && shape.MaxDepth > 0) {
				return cat.drawn(w, &Drawn{Redraws: try, Loose: loose}), nil
			}
			continue
		}
		if goal.Size > 0 && loose < 2 && (!cat.Hops || depth > 2) {
			if try >= sweepTries {
				goal.Low, goal.Size, loose = goal.Aim, 1, 1
			}
			if try >= strictTries {
				hard, soft = nil, nil
			}
			if cat.sweep(s, w, &goal, append(hard, soft...), cat.Hops && shape.MaxDepth > 0) {
				return cat.drawn(w, &Drawn{Redraws: try, Loose: loose}), nil
			}
			continue
		}
		states, arcs = states[:0], arcs[:0]
		var fixed uint64 // what the hard hints say, once there is a state
		steps := walkLength
		if cat.Result == Set || cat.Result == String || least == 1 {
			steps = 32
		}
		for step := range steps {
			if step > 0 {
				moved := false
				for range 1 + len(w.A.Arcs)/16 {
					moved = cat.step(s, w, len(states) > 0 && !hits && loose == 0, hard, fixed) || moved
				}
				if !moved {
					continue
				}
			}
			out := w.run(cat.Solver, Cut{Op: None})
			if w.Bad || cat.Hops && w.Depth != depth || goal.Only != nil && !goal.Only(w, out) {
				continue
			}
			st := state{out: out, arcs: [2]int{len(arcs), len(arcs) + len(w.A.Arcs)}, class: out.Num}
			if goal.Class != nil {
				st.class = goal.Class(w, out)
			}
			switch {
			case hits && !free && (cat.hit(w, hard, out) || cat.hit(w, soft, out)):
				continue
			case !hits && least > 1 && loose == 0:
				if len(states) == 0 {
					fixed = cat.key(w, hard)
				}
				st.key = cat.key(w, soft)
			}
			arcs = append(append(arcs, w.A.Arcs...), w.B.Arcs...)
			states = append(states, st)
			if found := group(states, least); found != nil {
				return cat.take(s, w, &goal, states, found, arcs, &Drawn{Redraws: try, Loose: loose})
			}
		}
	}
	return nil, fmt.Errorf("no good question in %d graphs: give it more nodes or another density", mostTries)
}

// group is the states that the last one belongs to, if they have enough
// different answers.
func group(states []state, least int) []int {
	last := &states[len(states)-1]
	if least == 1 {
		return []int{len(states) - 1}
	}
	var same []int
	classes := 0
	for i := range states {
		if states[i].key != last.key {
			continue
		}
		fresh := 1
		for _, j := range same {
			if states[j].class == states[i].class {
				fresh = 0
			}
		}
		classes += fresh
		same = append(same, i)
	}
	if classes < least {
		return nil
	}
	return same
}

// take draws an answer of a group, then a state that has it.
func (cat *Category) take(s *draw.Stream, w *World, goal *Goal, states []state, found []int, arcs []graph.Edge, d *Drawn) (*Drawn, error) {
	var classes []int
	by := map[int][]int{}
	for _, i := range found {
		c := states[i].class
		if by[c] == nil {
			classes = append(classes, c)
		}
		by[c] = append(by[c], i)
	}
	class := classes[s.IntN(len(classes))]
	if goal.Wanted && by[goal.Want] != nil {
		class = goal.Want
	}
	of := by[class]
	st := &states[of[s.IntN(len(of))]]
	n, second := w.A.N, len(w.B.Arcs)
	w.A.Reset(n, w.A.Directed, append([]graph.Edge{}, arcs[st.arcs[0]:st.arcs[1]]...))
	if cat.Family == TwoGraphs {
		w.B.Reset(n, true, append([]graph.Edge{}, arcs[st.arcs[1]:st.arcs[1]+second]...))
	}
	return cat.drawn(w, d), nil
}

// drawn is the case that the world has come to.
func (cat *Category) drawn(w *World, d *Drawn) *Drawn {
	_, d.Operations, d.Depth = cat.Solve(w)
	d.Case = Case{G: w.A.Graph(), Query: w.Query}
	if cat.Family == TwoGraphs {
		d.Case.G2 = w.B.Graph()
	}
	return d
}

// sweep walks to one answer of the window after the other, with the hints as they
// are at its start if they are to be hidden, and then takes the one that was
// drawn. It never goes further away from where it is going.
func (cat *Category) sweep(s *draw.Stream, w *World, goal *Goal, hints []hint, exact bool) bool {
	slack := len(hints) / 2
	var first [64]Out
	for i, h := range hints {
		first[i] = cat.says(w, h)
	}
	aim := 0
	const far = 1 << 30
	cost := func(most int) int {
		out := w.run(cat.Solver, Cut{Op: None})
		if w.Bad || goal.Only != nil && !goal.Only(w, out) {
			return far
		}
		c := 64 * abs(out.Num-aim)
		switch {
		case exact:
			c += 64 * abs(w.Depth-w.Goal)
		case cat.Hops:
			c += 64 * max(0, 3-w.Depth)
		}
		for i, h := range hints {
			if c > most {
				return c
			}
			if o := cat.says(w, h); o != first[i] {
				c += 1 + min(3, abs(o.Num-first[i].Num))
			}
		}
		return c
	}
	a, b := &w.A, &w.B
	var chosen [2][]graph.Edge
	for aim = goal.Low; aim < goal.Low+goal.Size*goal.Step; aim += goal.Step {
		now := cost(far)
		for step := 0; now > slack; step++ {
			if step == aimLength {
				return false
			}
			g := a
			if cat.Family == TwoGraphs && s.Chance(1, 2) {
				g = b
			}
			next := 0
			if g.Swap(s, func() bool {
				if cat.Family == Kinship && !g.IsFamily() {
					return false
				}
				next = cost(now)
				return next <= now
			}) {
				now = next
			}
		}
		if aim == goal.Aim {
			chosen[0], chosen[1] = slices.Clone(a.Arcs), slices.Clone(b.Arcs)
		}
	}
	a.Reset(a.N, a.Directed, chosen[0])
	b.Reset(b.N, true, chosen[1])
	return true
}

// named is the degrees of the nodes that the question names.
func (w *World) named() (d [6]int) {
	if x := w.Query.Source; x != None {
		d[0], d[1], d[2], d[3] = w.out(x), w.in(x), w.B.Out[x].Len(), w.B.In[x].Len()
	}
	if y := w.Query.Target; y != None {
		d[4], d[5] = w.out(y), w.in(y)
	}
	return d
}

// settle walks to where the answer and the decoys are as they were drawn.
func (cat *Category) settle(s *draw.Stream, w *World, goal *Goal, exact bool) bool {
	const far = 1 << 30
	cost := func(most int) int {
		out := w.run(cat.Solver, Cut{Op: None})
		if w.Bad || goal.Only != nil && !goal.Only(w, out) {
			return far
		}
		c := 2 * abs(out.Num-goal.Aim)
		if exact {
			c += 2 * abs(w.Depth-w.Goal)
		} else if cat.Hops {
			c += 2 * max(0, 3-w.Depth)
		}
		for _, t := range goal.Cell {
			if c > most {
				return c
			}
			c += abs(w.run(cat.Solver, t.cut).Num - t.num)
		}
		return c
	}
	now, degrees := cost(far), w.named()
	for range aimLength {
		if now == 0 {
			return true
		}
		g := &w.A
		if cat.Family == TwoGraphs && s.Chance(1, 2) {
			g = &w.B
		}
		most := now
		if now < far && s.Chance(1, 8) {
			most++
		}
		next := 0
		ok := func() bool {
			if w.named() != degrees || cat.Family == Kinship && !g.IsFamily() {
				return false
			}
			next = cost(most)
			return next <= most
		}
		if s.Chance(1, 3) && g.Swap(s, ok) || g.Move(s, ok) {
			now = next
		}
	}
	return now == 0
}

func abs(x int) int { return max(x, -x) }

// hint is a decoy that the draw hides.
type hint struct {
	cut   Cut
	decoy *Decoy
}

// hintsOf is the decoys to be hidden. What the hard ones say stays during a walk;
// what the others say tells its groups apart.
func hintsOf(cat *Category, w *World, goal *Goal) (hard, soft []hint) {
	is := goal.Hint
	if is == nil {
		is = usual
	}
	ops := cat.operations(w)
	for _, c := range cuts(ops, w.A.Directed) {
		switch {
		case !is(ops[c.Op], c.How):
		case c.How == OneHop || c.How == TwoHops:
			hard = append(hard, hint{cut: c})
		default:
			soft = append(soft, hint{cut: c})
		}
	}
	for i := range cat.Decoys {
		soft = append(soft, hint{decoy: &cat.Decoys[i]})
	}
	return hard, soft
}

func (cat *Category) says(w *World, h hint) Out {
	if h.decoy != nil {
		return h.decoy.Out(w)
	}
	return w.run(cat.Solver, h.cut)
}

// key is a hash of what hints say.
func (cat *Category) key(w *World, hints []hint) uint64 {
	key := uint64(14695981039346656037)
	for _, h := range hints {
		o := cat.says(w, h)
		for _, x := range [...]uint64{uint64(o.Num), o.Set[0], o.Set[1]} {
			key = (key ^ x) * 1099511628211
			key ^= key >> 29
		}
	}
	return key
}

// hit says whether one of some hints is right.
func (cat *Category) hit(w *World, hints []hint, right Out) bool {
	for _, h := range hints {
		if cat.says(w, h) == right {
			return true
		}
	}
	return false
}

// step goes on with the walk, if the hints say the same after it. It reports
// whether the graph is another one.
func (cat *Category) step(s *draw.Stream, w *World, bound bool, hints []hint, fixed uint64) bool {
	g := &w.A
	if cat.Family == TwoGraphs && s.Chance(1, 2) {
		g = &w.B
	}
	var ok func() bool
	if bound {
		ok = func() bool { return cat.key(w, hints) == fixed }
	}
	switch {
	case cat.Local:
		return g.Move(s, nil)
	case cat.Family == Kinship:
		return g.Swap(s, func() bool { return g.IsFamily() && (ok == nil || ok()) })
	}
	return g.Swap(s, ok)
}

// maxDepth is the largest depth that is drawn for so many nodes.
func (cat *Category) maxDepth(n int) int { return max(1, min(1+n/4, 12)) }

// drawDepth draws how many hops are needed. Few are enough one time in 25, so
// that a search cut short is of little use.
func (cat *Category) drawDepth(s *draw.Stream, shape Shape) int {
	if !cat.Hops {
		return 0
	}
	if shape.MaxDepth > 0 {
		return s.Between(shape.MinDepth, shape.MaxDepth)
	}
	most := cat.maxDepth(shape.N)
	if most <= 2 || s.Chance(1, 25) {
		return s.Between(1, min(2, most))
	}
	return s.Between(3, most)
}

// base draws a graph. Deep questions need long paths.
func (cat *Category) base(s *draw.Stream, w *World, shape Shape) {
	n, depth := shape.N, w.Goal
	span := n
	if depth > 2 {
		span = min(n, 2+2*n/depth)
	}
	switch cat.Family {
	case Kinship:
		w.A.Reset(n, true, graph.Family(s, n, shape.Density, span))
	case Undirected:
		// Where a part is asked about there are two or more.
		parts := 1
		if cat.Hops {
			parts = min(n/3, s.Between(2, 3))
		}
		w.A.Reset(n, false, graph.Parts(s, n, parts, false, shape.Density, span))
	case TwoGraphs:
		w.B.Reset(n, true, graph.Parts(s, n, 1+(n-1)/24, true, shape.Density, span))
		fallthrough
	case Directed:
		// Beyond 24 nodes there are parts that nothing is asked about.
		w.A.Reset(n, true, graph.Parts(s, n, 1+(n-1)/24, true, shape.Density, span))
	}
}

// Sparse is the range of densities, in thousandths, of n nodes that each have
// one or two edges, about: where what is reached varies most. Of families it is
// the chance of a second parent.
func (cat *Category) Sparse(n int) (low, high int) {
	switch cat.Family {
	case Kinship:
		return 200, 600
	case Undirected:
		return 2400 / max(3, n-1), 3200 / max(3, n-1)
	}
	return 1200 / max(2, n-1), 1900 / max(2, n-1)
}
