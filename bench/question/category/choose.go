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

// Goal is what a walk has to find before one of its graphs is taken.
type Goal struct {
	// Least is how many different answers the graphs on which all hints agree must have.
	// One of these answers is then drawn, all equally likely, so whoever knows the hints is
	// right at most one time in Least.
	Least int
	// Most is how many different answers are possible, if few are; 0 is unknown.
	Most int
	// Class replaces the answer where that is a conjunction. Class 0 is never taken.
	Class func(w *World, o Out) int
	// Only says which answers may be taken.
	Only func(w *World, o Out) bool
	// Hint says which cuts of the solver are hidden; nil is usual.
	Hint func(k kind, how How) bool
	// All is the least that the whole graph must have of what is counted, so that the whole
	// says nothing about the part that a search finds.
	All int
	// Aim is the answer to reach, if Aimed. It is drawn before the graph, and all tries
	// keep it, so no answer is favoured because its tries fail less often.
	Aim   int
	Aimed bool
}

// usual hides all cuts but searches of one hop, which say little that two hops do not.
func usual(_ kind, how How) bool { return how != Whole && how != OneHop }

// hops hides only searches that end too early, for conjunctions: there, a cut that leaves
// out one part gives away the other.
func hops(_ kind, how How) bool { return how == OneHop || how == TwoHops }

// How many graphs are tried, and how far a walk goes from each.
const (
	mostTries = 20_000
	// formTries is after how many tries the form of the question is drawn again, as it may
	// be impossible. A walk has 20 times as many. After 30 forms any question is taken.
	formTries  = 16
	walkLength = 96
)

// ErrNone says that no good question was found: there is none, or hardly any.
var ErrNone = errors.New("no good question")

// Drawn is a case and how it was drawn.
type Drawn struct {
	Case       Case
	Redraws    int
	Loose      int // 0: the decoys tell nothing; 1: something; 2: the depth is not as drawn either
	Depth      int
	Operations int
}

// state is a graph on a walk. States with the same key form a group; there are two keys, as
// stir groups by more hints or by fewer.
type state struct {
	class    int
	from, to int // its edges are passed.arcs[from:to]
	key      [2]uint64
	size     [2]int // how many classes its group had when it joined
}

// passed holds the states of a walk. The next walk reuses its memory.
type passed struct {
	states []state
	arcs   [][2]uint8 // an eighth of the size of graph.Edge
}

func (p *passed) reset() { p.states, p.arcs = p.states[:0], p.arcs[:0] }

// add records the current graph.
func (p *passed) add(g *graph.Net, class int) *state {
	from := len(p.arcs)
	for _, e := range g.Arcs {
		p.arcs = append(p.arcs, [2]uint8{uint8(e.From), uint8(e.To)})
	}
	p.states = append(p.states, state{class: class, from: from, to: len(p.arcs)})
	return &p.states[len(p.states)-1]
}

// join adds state i to its group by key number way, and returns how many different classes
// the group now has.
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

// restore makes g the graph of a state again.
func (p *passed) restore(g *graph.Net, st *state) {
	for i, e := range p.arcs[st.from:st.to] {
		g.Arcs[i] = graph.Edge{From: int(e[0]), To: int(e[1])}
	}
	g.Reset(g.N, g.Directed, g.Arcs)
}

// Choose draws a case for cb2. First it draws what stays the same over many tries: the depth
// and form of the query and, in categories with a plan, the answer and what the decoys say.
// Then it draws graphs until one fits.
//
// The world is working memory, which an earlier Choose may have used.
func (cat *Category) Choose(ctx context.Context, s *random.Stream, w *World, shape Shape) (Drawn, error) {
	w.N, w.Turn, w.Exact, w.Edges = shape.N, s.IntN(12), shape.MaxDepth > 0, shape.N*(shape.N-1)*shape.Density/1000
	switch cat.Family {
	case Undirected:
		w.Edges /= 2
	case Kinship:
		w.Edges = shape.N * 3 / 4 * (2000 + shape.Density) / 2000
	}
	// A decoy whose answer is a set or a node hardly says anything where it is wrong. If it
	// were never right, that alone would be a hint: so with free it may be, now and then.
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
		if try >= 30*patience {
			d.Loose, free = 2, true
		} else if try >= patience {
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
			if ok && goal.Aimed {
				ok = cat.met(w, &goal, free)
			} else if ok {
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

// nodes reports whether answers are sets or nodes.
func (cat *Category) nodes() bool { return cat.Result == Set || cat.Result == String }

// any is the last resort: a question of the form that failed, about a random graph, whatever
// the decoys say.
func (cat *Category) any(s *random.Stream, w *World, shape Shape) bool {
	cat.base(s, w, shape)
	if q := &w.Query; q.Source != None {
		q.Source = s.IntN(w.N)
		if q.Target != None {
			q.Source, q.Target = pair(w.N, s.IntN(pairs(w.N)))
		}
	}
	w.run(cat.Solver, Cut{Op: None})
	return !w.unfit() && (!cat.Hops || w.Depth > 0) && (!w.Exact || w.Depth == w.Goal)
}

// walk exchanges edges at random, so that all degrees stay and searches that end too early find
// the same nodes. It groups the graphs on its way by what the hints say. As soon as a group has
// enough different answers, it draws one of these, then one of the graphs that have it.
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
		// There are too few answers, but take as much from the stream as a walk would.
		for range (steps - 1) * w.exchanges() {
			w.A.Pick(s)
		}
		return false
	}
	alike := !hits && least > 1 && loose == 0 // the hard hints must keep what they say
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
		if w.unfit() || cat.Hops && w.Depth != depth || goal.Only != nil && loose < 2 && !goal.Only(w, out) {
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

// exchanges returns how many edges one step of a walk exchanges.
func (w *World) exchanges() int { return 1 + len(w.A.Arcs)/16 }

// seen returns what a reader sees of two nodes without a search: whether an edge joins them, and
// the degrees of their neighbours.
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

// near returns the neighbours of two nodes: as long as no degree changes, seen is the same if these
// are, and they are faster to compare.
func (w *World) near(x, y int) [4]graph.Bits {
	return [...]graph.Bits{w.A.Out[x], w.A.In[x], w.A.Out[y], w.A.In[y]}
}

// stirs is how many exchanges stir tries, and farthest how far the hints that know most of the
// answer may move from where the plan put them.
const (
	stirs    = 128
	farthest = 3
)

// course is what stir keeps to, and where it stands.
type course struct {
	cat         *Category
	w           *World
	goal        *Goal
	x, y        int // the nodes asked about
	seen        [2][8]int
	near        [4]graph.Bits
	early, late []hint // by what they say graphs are grouped
	held        []hint // those that know most of the answer
	out         Out
	depth       int         // of out
	grouped     int         // states of the world that are in their groups
	best        [2]struct { // the group with most answers, by each key
		key  uint64
		size int
	}
}

// begin returns a course from the graph of the world, or false if it does not meet the goal.
func (cat *Category) begin(w *World, goal *Goal) (*course, bool) {
	c := &course{cat: cat, w: w, goal: goal, x: w.Query.Source, y: max(w.Query.Source, w.Query.Target)}
	c.out, c.depth = w.run(cat.Solver, Cut{Op: None}), w.Depth
	if goal.Only != nil && !goal.Only(w, c.out) {
		return nil, false
	}
	ops := slices.Clone(w.ops)
	if goal.All > 0 && w.run(cat.Solver, Cut{slices.Index(ops, opReach), LeftOut}).Num < goal.All { // without the first search
		return nil, false
	}
	for cut, k := range cuts(ops, true) {
		switch {
		case cut.How == OneHop || cut.How == TwoHops:
			c.early = append(c.early, hint{cut: cut})
		case k == opCombine || k == opFilter || k == opMean:
			h := hint{cut: cut}
			h.said = cat.says(w, &h)
			c.held = append(c.held, h)
			fallthrough
		default:
			c.late = append(c.late, hint{cut: cut})
		}
	}
	c.seen, c.near = w.seen(c.x, c.y), w.near(c.x, c.y)
	w.passed.reset()
	return c, true
}

// keeps reports whether the graph that the world has now is one of the course.
func (c *course) keeps() bool {
	w := c.w
	if c.near != w.near(c.x, c.y) && c.seen != w.seen(c.x, c.y) {
		return false
	}
	c.out = w.run(c.cat.Solver, Cut{Op: None})
	if c.depth = w.Depth; w.unfit() || c.goal.Only != nil && !c.goal.Only(w, c.out) {
		return false
	}
	far, most := 0, farthest
	if c.cat.Result == Float {
		most *= millionths
	}
	for i := range c.held {
		if far += abs(c.cat.says(w, &c.held[i]).Num - c.held[i].said.Num); far > most {
			return false
		}
	}
	return true
}

// group asks the decoys about the graphs that it was not asked about yet.
func (c *course) group() {
	p := &c.w.passed
	for ; c.grouped < len(p.states); c.grouped++ {
		st := &p.states[c.grouped]
		p.restore(&c.w.A, st)
		st.key[1] = c.cat.key(c.w, c.early)
		st.key[0] = st.key[1]*31 ^ c.cat.key(c.w, c.late)
		for way := range c.best {
			if size := p.join(c.grouped, way); size > c.best[way].size {
				c.best[way].key, c.best[way].size = st.key[way], size
			}
		}
	}
}

// draw draws an answer of the best group by a key, or of all, and takes the first graph that has it.
func (c *course) draw(s *random.Stream, way int) {
	p, of := &c.w.passed, map[int]*state{}
	for i := range p.states {
		st := &p.states[i]
		if of[st.class] == nil && (way == len(c.best) || st.key[way] == c.best[way].key) {
			of[st.class] = st
		}
	}
	p.restore(&c.w.A, of[slices.Sorted(maps.Keys(of))[s.IntN(len(of))]])
}

// stir continues from a graph of a plan. It exchanges edges so that all degrees stay, and what
// is seen of the nodes asked about, so that only a search can tell the graphs apart. It then
// groups the graphs on its way: by what all decoys say; if no group has enough different answers,
// by what short searches say; else not at all. It draws an answer of the best group, and takes
// the first graph that has it. need is how many answers are enough. Decoys are slow, so they are
// asked only once there are Goal.Least answers in all.
func (cat *Category) stir(s *random.Stream, w *World, goal *Goal, need int) bool {
	c, ok := cat.begin(w, goal)
	if !ok {
		return false
	}
	p, depth, answers := &w.passed, c.depth, 0
	for step := 0; step < stirs && c.best[0].size < goal.Least; step++ {
		if step > 0 && !w.A.Swap(s, c.keeps) || abs(c.depth-depth) > is(!w.Exact).Num || c.depth < min(3, depth) {
			continue
		}
		answer := c.out.Num ^ int(c.out.Set.Low^c.out.Set.High*31)
		if !slices.ContainsFunc(p.states, func(st state) bool { return st.class == answer }) {
			answers++
		}
		p.add(&w.A, answer)
		if answers >= goal.Least {
			c.group()
		}
	}
	if answers < need {
		return false
	}
	c.group()
	for enough := goal.Least; enough >= need; enough-- {
		for way, size := range [...]int{c.best[0].size, c.best[1].size, answers} {
			if size >= enough {
				c.draw(s, way)
				return true
			}
		}
	}
	return false
}

// take draws one of the answers of a group, then one of the graphs that have it.
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

// drawn returns the case in the world, with its depth and operations.
func (cat *Category) drawn(w *World, d Drawn) Drawn {
	_, d.Operations, d.Depth = cat.Solve(w)
	d.Case = Case{G: w.A.Graph(), Query: w.Query}
	if cat.Family == TwoGraphs {
		d.Case.G2 = w.B.Graph()
	}
	return d
}

// met reports whether the question in the world reaches the goal, and no hint gives it away.
func (cat *Category) met(w *World, goal *Goal, free bool) bool {
	out := w.run(cat.Solver, Cut{Op: None})
	if w.unfit() || w.Exact && cat.Hops && w.Depth != w.Goal || goal.Aimed && out.Num != goal.Aim {
		return false
	}
	if !cat.nodes() || free {
		return true
	}
	hard, soft := hintsOf(cat, w, goal)
	return !cat.hit(w, hard, out) && !cat.hit(w, soft, out)
}

// hint is a decoy that the draw hides the answer from: one of the category or, if decoy is nil,
// its solver with a cut.
type hint struct {
	cut   Cut
	decoy *Decoy
	said  Out // what it said where the walk began
}

// hintsOf returns the hints of a category. During a walk the hard ones keep saying the same; by what
// the soft ones say, its graphs are grouped.
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

// says is what a decoy answers: by itself, or as the solver with one of its operations cut.
func (cat *Category) says(w *World, h *hint) Out {
	if h.decoy != nil {
		return h.decoy.Out(w)
	}
	return w.run(cat.Solver, h.cut)
}

// key returns a hash of what hints say.
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

// hit reports whether one of the hints gives the right answer.
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

// drawDepth draws how many hops are needed. Few are enough one time in 25, so
// that a search cut short is of little use.
func (cat *Category) drawDepth(s *random.Stream, shape Shape) int {
	if !cat.Hops {
		return 0
	}
	if shape.MaxDepth > 0 {
		return s.Between(shape.MinDepth, shape.MaxDepth)
	}
	most := max(1, min(1+shape.N/4, 12))
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

// Sparse returns the range of densities, in thousandths, of n nodes that each have
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
