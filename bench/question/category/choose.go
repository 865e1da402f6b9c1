package category

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ein/bench/question/graph"
	"ein/bench/question/random"
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
	// Most is how many different answers there can be, if that is known to be few.
	Most int
	// Class takes the place of the answer, for answers that are a conjunction. What is 0
	// may not be given.
	Class func(w *World, o Out) int
	// Only says which answers may be given.
	Only func(w *World, o Out) bool
	// Hint says which mechanical decoys are hidden; nil is those of usual.
	Hint func(k kind, how How) bool
	// All is how much there has to be in the whole graph, so that it tells nothing of
	// what a search finds of it.
	All int
	// Aim is the answer to be had, if Aimed. It is drawn before the graph, and all
	// tries go there; so none is favoured, however often a try fails.
	Aim   int
	Aimed bool
}

// usual hides all but searches of one hop, which say little that two do not.
func usual(_ kind, how How) bool { return how != Whole && how != OneHop }

// hops hides searches that end too early: in a conjunction each part tells of the
// other.
func hops(_ kind, how How) bool { return how == OneHop || how == TwoHops }

// How many graphs are tried, and how far from each.
const (
	mostTries = 20_000
	// formTries is when the form is drawn again, and what goes with it; a form may
	// be impossible. A walk has more of them. After 30 forms any question is taken.
	formTries  = 16
	walkLength = 96
)

// ErrNone is of draws that have no good question: the space is empty, or nearly so.
var ErrNone = errors.New("no good question")

// Drawn is a case and how it came about.
type Drawn struct {
	Case       Case
	Redraws    int
	Loose      int // 0: the decoys tell nothing; 1: something; 2: the depth is not as drawn either
	Depth      int
	Operations int
}

// state is a graph that a walk passes. States with the same key are a group.
type state struct {
	class    int
	from, to int       // its edges, among those of all
	key      [2]uint64 // in two ways
	size     [2]int    // classes of its group so far
}

// passed is the states of a walk. It is used again by the next one.
type passed struct {
	states []state
	arcs   [][2]uint8 // edges take an eighth of the space so
}

func (p *passed) reset() { p.states, p.arcs = p.states[:0], p.arcs[:0] }

// add puts the present graph to the others.
func (p *passed) add(g *graph.Net, class int) *state {
	from := len(p.arcs)
	for _, e := range g.Arcs {
		p.arcs = append(p.arcs, [2]uint8{uint8(e.From), uint8(e.To)})
	}
	p.states = append(p.states, state{class: class, from: from, to: len(p.arcs)})
	return &p.states[len(p.states)-1]
}

// join counts the classes of the group of a state, which has its key in some way.
func (p *passed) join(i, way int) int {
	st, size, fresh := &p.states[i], 0, 1
	for k := i - 1; k >= 0 && fresh == 1; k-- {
		if other := &p.states[k]; other.key[way] == st.key[way] {
			size = max(size, other.size[way])
			if other.class == st.class {
				fresh = 0
			}
		}
	}
	st.size[way] = size + fresh
	return st.size[way]
}

// restore goes back to the graph of a state.
func (p *passed) restore(g *graph.Net, st *state) {
	for i, e := range p.arcs[st.from:st.to] {
		g.Arcs[i] = graph.Edge{From: int(e[0]), To: int(e[1])}
	}
	g.Reset(g.N, g.Directed, g.Arcs)
}

// Choose draws a case. First comes what is the same in all tries: the depth and
// the form of the query, the answer and what decoys say, if they are drawn. Then
// graphs are drawn until one can be had of which that is true.
//
// The world is room to work in, which may have been used before.
func (cat *Category) Choose(ctx context.Context, s *random.Stream, w *World, shape Shape) (Drawn, error) {
	w.N, w.Turn, w.Exact, w.Edges = shape.N, s.IntN(12), shape.MaxDepth > 0, shape.N*(shape.N-1)*shape.Density/1000
	switch cat.Family {
	case Undirected:
		w.Edges /= 2
	case Kinship:
		w.Edges = shape.N * 3 / 4 * (2000 + shape.Density) / 2000
	}
	// A decoy that gives sets or nodes is a hint where it is right, and otherwise
	// hardly one. It is right now and then.
	free, lead := false, random.Key("lead", strconv.FormatUint(s.Uint64(), 10))
	first, form := *random.New(lead), random.Stream{}
	depth := 0
	patience := formTries
	if cat.Plan == nil {
		patience *= 20
	}
	for try := range mostTries {
		if try%patience == 0 {
			if ctx.Err() != nil {
				return Drawn{}, context.Cause(ctx)
			}
			form, depth = *random.New(random.Key("form", strconv.FormatUint(s.Uint64(), 10))), cat.drawDepth(s, shape)
			free = cat.Result == String && s.Chance(1, 2) || cat.nodes() && (depth > 0 && depth <= 2 || !cat.Hops && s.Chance(1, 25))
		}
		d := Drawn{Redraws: try}
		switch {
		case try >= 30*patience:
			d.Loose, free = 2, true
		case try >= patience:
			d.Loose, free = 1, true
		}
		w.Query, w.Goal, w.A.Directed = ask(None, None), depth, cat.Family != Undirected
		w.Lead, w.form = first, form
		var ok bool
		var goal Goal
		w.Never = false
		if cat.Plan != nil {
			goal, ok = cat.Plan(&w.form, s, w)
			w.Goal = depth
			ok = ok && cat.met(w, &goal, free)
			if ok && goal.Least > 1 && d.Loose < 2 {
				ok = cat.stir(s, w, &goal, max(1, goal.Least-try%patience/3)) && (!cat.nodes() || cat.met(w, &goal, free))
			}
		} else {
			cat.base(s, w, shape)
			goal, ok = cat.Pose(&w.form, s, w)
			switch {
			case ok && goal.Aimed:
				ok = cat.met(w, &goal, free)
			case ok:
				ok = cat.walk(s, w, &goal, free, d.Loose)
			}
		}
		if !ok && (d.Loose == 2 || w.Never) {
			d.Loose = 2
			ok = cat.any(s, w, shape)
		}
		if ok {
			return cat.drawn(w, d), nil
		}
	}
	return Drawn{}, fmt.Errorf("%w in %d graphs: give it more nodes or another density", ErrNone, mostTries)
}

// nodes says whether answers are sets or nodes.
func (cat *Category) nodes() bool { return cat.Result == Set || cat.Result == String }

// any asks something about a random graph, with the form of a question that could
// not be had.
func (cat *Category) any(s *random.Stream, w *World, shape Shape) bool {
	cat.base(s, w, shape)
	if q := &w.Query; q.Source != None {
		q.Source = s.IntN(w.N)
		if q.Target != None {
			q.Source, q.Target = pair(w.N, s.IntN(pairs(w.N)))
		}
	}
	w.run(cat.Solver, Cut{Op: None})
	return !w.Bad && (!cat.Hops || w.Depth > 0) && (!w.Exact || w.Depth == w.Goal)
}

// walk draws a random walk of graphs, which exchanges edges such that every degree
// stays and searches that end too early find the same. Of the graphs that it
// passes, those are put together about which all hints say the same. When such a
// group has enough different answers, one of them is drawn, then a graph that has it.
func (cat *Category) walk(s *random.Stream, w *World, goal *Goal, free bool, loose int) bool {
	hard, soft := hintsOf(cat, w, goal)
	least, hits, depth := max(1, goal.Least), cat.nodes(), w.Goal
	if loose == 2 || cat.Hops && depth <= 2 {
		least = 1
	}
	p := &w.passed
	p.reset()
	steps := walkLength
	if hits || least == 1 {
		steps = 32
	}
	if 0 < goal.Most && goal.Most < least {
		// What comes next has the same numbers as after a walk.
		for range (steps - 1) * w.exchanges() {
			w.A.Pick(s)
		}
		return false
	}
	alike := !hits && least > 1 && loose == 0 // whatever the hints say
	for step := range steps {
		if step > 0 {
			moved := false
			for range w.exchanges() {
				moved = cat.step(s, w, alike && len(p.states) > 0, hard) || moved
			}
			if !moved {
				continue
			}
		}
		out := w.run(cat.Solver, Cut{Op: None})
		if w.Bad || cat.Hops && w.Depth != depth || goal.Only != nil && loose < 2 && !goal.Only(w, out) {
			continue
		}
		class := out.Num
		if goal.Class != nil {
			class = goal.Class(w, out)
		}
		if goal.Class != nil && class == 0 && loose < 2 || hits && !free && (cat.hit(w, hard, out) || cat.hit(w, soft, out)) {
			continue
		}
		st := p.add(&w.A, class)
		if alike {
			if len(p.states) == 1 {
				for i := range hard {
					hard[i].said = cat.says(w, &hard[i])
				}
			}
			st.key[0] = cat.key(w, soft)
		}
		if p.join(len(p.states)-1, 0) >= least {
			p.take(s, w, st.key[0])
			return true
		}
	}
	return false
}

// exchanges is how many there are in one step of a walk.
func (w *World) exchanges() int { return 1 + len(w.A.Arcs)/16 }

// all is the answer about all nodes, where the first search is left out.
func (cat *Category) all(w *World, ops []kind) int {
	return w.run(cat.Solver, Cut{slices.Index(ops, opReach), LeftOut}).Num
}

// seen is what is seen of two nodes without a search: their edges to one another and
// the degrees of those that they share an edge with.
func (w *World) seen(x, y int) (what [2][8]int) {
	g := &w.A
	for i, v := range [2]int{x, y} {
		for k, set := range [2]graph.Bits{g.Out[v], g.In[v]} {
			at := what[i][4*k : 4*k+4]
			at[3] = 100*set.And(g.In[v]).Len() + is(set.Has(x+y-v)).Num
			for ; set != (graph.Bits{}); set = set.Less(set.First()) {
				u := set.First()
				at[0] += w.out(u)
				at[1] += w.in(u)
				at[2] = max(at[2], w.out(u))
			}
		}
	}
	return what
}

// near is what seen follows from, as long as no degree changes.
func (w *World) near(x, y int) [4]graph.Bits {
	return [...]graph.Bits{w.A.Out[x], w.A.In[x], w.A.Out[y], w.A.In[y]}
}

// stirs is how often edges of a graph of a plan are exchanged, and farthest how far
// what is kept apart from the answer may go from where it was.
const (
	stirs    = 128
	farthest = 3
)

// stir goes on from a graph of a plan: it exchanges edges, such that all degrees stay,
// and what is seen of the nodes asked about; so that nothing tells of it but a search. The graphs
// that it passes are put together by what all decoys say, by what searches say that
// end too early, and all of them. In the first of these ways in which so many answers come
// together, one of them is drawn. What decoys say is of no interest before there are so
// many answers in all.
func (cat *Category) stir(s *random.Stream, w *World, goal *Goal, need int) bool {
	g, x, y := &w.A, w.Query.Source, max(w.Query.Source, w.Query.Target)
	out, depth, unit := w.run(cat.Solver, Cut{Op: None}), w.Depth, 1
	if goal.Only != nil && !goal.Only(w, out) {
		return false
	}
	if cat.Result == Float {
		unit = millionths
	}
	ops := slices.Clone(w.ops)
	if goal.All > 0 && cat.all(w, ops) < goal.All {
		return false
	}
	var early, late, held []hint // held is what is best known of the answer without one operation
	for c, k := range cuts(ops, true) {
		switch {
		case c.How == OneHop || c.How == TwoHops:
			early = append(early, hint{cut: c})
		case k == opCombine || k == opFilter || k == opMean:
			held = append(held, hint{cut: c})
			fallthrough
		default:
			late = append(late, hint{cut: c})
		}
	}
	for i := range held {
		held[i].said = cat.says(w, &held[i])
	}
	seen, near, deep := w.seen(x, y), w.near(x, y), depth
	ok := func() bool {
		if near != w.near(x, y) && seen != w.seen(x, y) {
			return false
		}
		out = w.run(cat.Solver, Cut{Op: None})
		if deep = w.Depth; w.Bad || goal.Only != nil && !goal.Only(w, out) {
			return false
		}
		far := 0
		for i := range held {
			far += abs(cat.says(w, &held[i]).Num - held[i].said.Num)
		}
		return far <= farthest*unit
	}
	p, asked, answers := &w.passed, 0, 0
	p.reset()
	var best [2]struct { // the group with most answers, in either way
		key  uint64
		size int
	}
	ask := func() {
		for ; asked < len(p.states); asked++ {
			st := &p.states[asked]
			p.restore(g, st)
			st.key[1] = cat.key(w, early)
			st.key[0] = st.key[1]*31 ^ cat.key(w, late)
			for way := range best {
				if size := p.join(asked, way); size > best[way].size {
					best[way].key, best[way].size = st.key[way], size
				}
			}
		}
	}
	for step := 0; step < stirs && best[0].size < goal.Least; step++ {
		if step > 0 && !g.Swap(s, ok) || abs(deep-depth) > is(!w.Exact).Num || deep < min(3, depth) {
			continue
		}
		answer := out.Num ^ int(out.Set.Low^out.Set.High*31)
		if !slices.ContainsFunc(p.states, func(st state) bool { return st.class == answer }) {
			answers++
		}
		p.add(g, answer)
		if answers >= goal.Least {
			ask()
		}
	}
	if answers < need {
		return false
	}
	ask()
	for enough := goal.Least; enough >= need; enough-- {
		for way, size := range [...]int{best[0].size, best[1].size, answers} {
			if size < enough {
				continue
			}
			of := map[int]*state{}
			for i := range p.states {
				st := &p.states[i]
				if of[st.class] == nil && (way == len(best) || st.key[way] == best[way].key) {
					of[st.class] = st
				}
			}
			p.restore(g, of[slices.Sorted(maps.Keys(of))[s.IntN(len(of))]])
			return true
		}
	}
	return false
}

// take draws an answer of a group, then a graph that has it.
func (p *passed) take(s *random.Stream, w *World, key uint64) {
	var classes []int
	by := map[int][]*state{}
	for i := range p.states {
		st := &p.states[i]
		if st.key[0] != key {
			continue
		}
		if by[st.class] == nil {
			classes = append(classes, st.class)
		}
		by[st.class] = append(by[st.class], st)
	}
	of := by[classes[s.IntN(len(classes))]]
	p.restore(&w.A, of[s.IntN(len(of))])
}

// drawn is the case that the world has come to.
func (cat *Category) drawn(w *World, d Drawn) Drawn {
	_, d.Operations, d.Depth = cat.Solve(w)
	d.Case = Case{G: w.A.Graph(), Query: w.Query}
	if cat.Family == TwoGraphs {
		d.Case.G2 = w.B.Graph()
	}
	return d
}

// met says whether the question is one that the goal allows.
func (cat *Category) met(w *World, goal *Goal, free bool) bool {
	out := w.run(cat.Solver, Cut{Op: None})
	if w.Bad || w.Exact && cat.Hops && w.Depth != w.Goal || goal.Aimed && out.Num != goal.Aim {
		return false
	}
	if !cat.nodes() || free {
		return true
	}
	hard, soft := hintsOf(cat, w, goal)
	return !cat.hit(w, hard, out) && !cat.hit(w, soft, out)
}

// hint is a decoy that the draw hides.
type hint struct {
	cut   Cut
	decoy *Decoy
	said  Out // where the walk began
}

// hintsOf is the decoys to be hidden. What the hard ones say stays during a walk;
// what the others say tells its groups apart.
func hintsOf(cat *Category, w *World, goal *Goal) (hard, soft []hint) {
	is := goal.Hint
	if is == nil {
		is = usual
	}
	hard, soft = w.hard[:0], w.soft[:0]
	w.run(cat.Solver, Cut{Op: None})
	for c, k := range cuts(w.ops, w.A.Directed) {
		switch {
		case !is(k, c.How):
		case c.How == OneHop || c.How == TwoHops:
			hard = append(hard, hint{cut: c})
		default:
			soft = append(soft, hint{cut: c})
		}
	}
	for i := range cat.Decoys {
		soft = append(soft, hint{decoy: &cat.Decoys[i]})
	}
	w.hard, w.soft = hard, soft
	return hard, soft
}

func (cat *Category) says(w *World, h *hint) Out {
	if h.decoy != nil {
		return h.decoy.Out(w)
	}
	return w.run(cat.Solver, h.cut)
}

// key is a hash of what hints say.
func (cat *Category) key(w *World, hints []hint) uint64 {
	key := uint64(14695981039346656037)
	for i := range hints {
		o := cat.says(w, &hints[i])
		for _, x := range [...]uint64{uint64(o.Num), o.Set.Low, o.Set.High} {
			key = (key ^ x) * 1099511628211
			key ^= key >> 29
		}
	}
	return key
}

// hit says whether one of some hints is right.
func (cat *Category) hit(w *World, hints []hint, right Out) bool {
	for i := range hints {
		if cat.says(w, &hints[i]) == right {
			return true
		}
	}
	return false
}

// step goes on with the walk, if it is bound by hints only where they say the same
// after it. It reports whether the graph is another one.
func (cat *Category) step(s *random.Stream, w *World, bound bool, hints []hint) bool {
	g := &w.A
	var ok func() bool
	if bound && len(hints) > 0 {
		ok = func() bool {
			for i := range hints {
				if cat.says(w, &hints[i]) != hints[i].said {
					return false
				}
			}
			return true
		}
	}
	switch {
	case cat.Local:
		return g.Move(s)
	case cat.Family == Kinship:
		return g.Swap(s, func() bool { return g.IsFamily() && (ok == nil || ok()) })
	}
	return g.Swap(s, ok)
}

// maxDepth is the largest depth that is drawn for so many nodes.
func (cat *Category) maxDepth(n int) int { return max(1, min(1+n/4, 12)) }

// drawDepth draws how many hops are needed. Few are enough one time in 25, so
// that a search cut short is of little use.
func (cat *Category) drawDepth(s *random.Stream, shape Shape) int {
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
func (cat *Category) base(s *random.Stream, w *World, shape Shape) {
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
