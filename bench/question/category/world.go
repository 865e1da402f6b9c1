package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// Out is what a solver finds, to be compared with ==: a number (0 and 1 for a
// boolean, the node for a string, hundredths of both parts for a compound), or
// the set of a category whose result is one.
type Out struct {
	Num int
	Set graph.Bits
}

// How is what a decoy does to one operation of a solver.
type How uint8

// What can be done to an operation. kinds says which of them apply to which.
const (
	Whole    How = iota // nothing
	OneHop              // a search ends after one hop
	TwoHops             // or after two
	Reversed            // edges are followed backwards, or counted at the other end
	LeftOut             // the operation is left out, or does what it would without its condition
	Other               // of two operands it gives the second
)

// hops returns how far a search goes among n nodes.
func (h How) hops(n int) int {
	switch h {
	case OneHop:
		return 1
	case TwoHops:
		return 2
	}
	return n
}

func (h How) String() string {
	return [...]string{"whole", "one hop", "two hops", "reversed", "left out", "second operand"}[h]
}

// kind is an operation that solvers consist of.
type kind uint8

const (
	opReach kind = iota
	opPath
	opFilter
	opCombine
	opStep
	opDegree
	opTest
	opCount
	opMean
	opBest
)

// kinds holds the name of each operation, and what can be done to it.
var kinds = [...]struct {
	name string
	hows []How
}{
	opReach:   {"reach", []How{OneHop, TwoHops, Reversed, LeftOut}},
	opPath:    {"path", []How{OneHop, TwoHops, Reversed, LeftOut}},
	opFilter:  {"filter", []How{LeftOut}},
	opCombine: {"combine", []How{LeftOut, Other}},
	opStep:    {"step", []How{Reversed, LeftOut}},
	opDegree:  {"degree", []How{Reversed}},
	opTest:    {"test", []How{LeftOut}},
	opCount:   {"count", nil},
	opMean:    {"aggregate", []How{LeftOut}},
	opBest:    {"best", []How{LeftOut}},
}

// World is a case in the form that solvers work on, with the solver's tools as methods. Each tool
// is one operation, which a cut can shorten or leave out, so the solver of a category provides
// its decoys as well.
type World struct {
	Query Query
	A, B  graph.Net
	Bad   bool // the solver says that the question has no one answer
	Odd   bool // or one that cb2 does not ask for
	Depth int  // hops that the searches of the last run needed

	// What is to be drawn: nodes, about so many edges, the hops that searches are to
	// need (0 in categories without), and whether those were asked for.
	N, Edges, Goal int
	Exact          bool
	Never          bool // there is no plan for so few nodes
	// Turn says how many operations are composed, or which, and Lead gives what the
	// answer is made of. Both are the same in all tries, whatever is drawn again.
	Turn int
	Lead random.Stream

	cut Cut
	ops []kind // of this run

	// What is used again in each try.
	form       random.Stream
	hard, soft []hint
	passed     passed
	plan       graph.Blocks
}

// Cut changes one operation of a solver, given by its place in the order of calls.
type Cut struct {
	Op  int
	How How
}

// unfit reports whether what the last run solved is not to be asked.
func (w *World) unfit() bool { return w.Bad || w.Odd }

// run runs a solver with a cut.
func (w *World) run(solve func(*World) Out, cut Cut) Out {
	w.cut, w.ops, w.Depth, w.Bad, w.Odd = cut, w.ops[:0], 0, false, false
	return solve(w)
}

// op counts an operation that begins, and returns what the cut does to it.
func (w *World) op(k kind) How {
	w.ops = append(w.ops, k)
	if len(w.ops)-1 == w.cut.Op {
		return w.cut.How
	}
	return Whole
}

// others returns all nodes but x.
func (w *World) others(x int) graph.Bits { return graph.All(w.A.N).Less(x) }

// Reach returns what x reaches, without x.
func (w *World) Reach(x int) graph.Bits { return w.search(&w.A, x, false) }

// Above returns what reaches x, without x.
func (w *World) Above(x int) graph.Bits { return w.search(&w.A, x, true) }

// search returns a search that a cut can shorten, reverse or leave out. Without it, all other nodes
// count as found.
func (w *World) search(g *graph.Net, x int, back bool) graph.Bits {
	how := w.op(opReach)
	if how == LeftOut {
		return w.others(x)
	}
	seen, depth := g.Reach(graph.Bit(x), -1, how.hops(g.N), back != (how == Reversed))
	w.Depth = max(w.Depth, depth)
	return seen.Less(x)
}

// Path reports whether x reaches y.
func (w *World) Path(x, y int) bool {
	how := w.op(opPath)
	switch how {
	case Reversed:
		x, y = y, x
	case LeftOut:
		return true
	}
	seen, depth := w.A.Reach(graph.Bit(x), y, how.hops(w.A.N), false)
	w.Depth = max(w.Depth, depth)
	return seen.Has(y)
}

// Keep returns the nodes of a set that have a property.
func (w *World) Keep(set graph.Bits, has func(y int) bool) graph.Bits {
	if w.op(opFilter) == LeftOut {
		return set
	}
	return keep(set, has)
}

// keep is the nodes of a set that have a property.
func keep(set graph.Bits, has func(y int) bool) graph.Bits {
	out := set
	for ; set != (graph.Bits{}); set = set.Less(set.First()) {
		if y := set.First(); !has(y) {
			out = out.Less(y)
		}
	}
	return out
}

// Combine combines two sets by f. A cut may take either of them alone.
func (w *World) Combine(a, b graph.Bits, f func(a, b graph.Bits) graph.Bits) graph.Bits {
	return combine(w, a, b, f)
}

// Both is the conjunction of two tests.
func (w *World) Both(a, b bool) bool {
	return combine(w, a, b, func(a, b bool) bool { return a && b })
}

// combine is an operation of solvers: f of two parts, or, where a decoy leaves it out, one part
// alone.
func combine[T any](w *World, a, b T, f func(a, b T) T) T {
	switch w.op(opCombine) {
	case LeftOut:
		return a
	case Other:
		return b
	}
	return f(a, b)
}

// Step returns the set that one step along the edges leads to from a set.
func (w *World) Step(set graph.Bits, step step) graph.Bits {
	switch w.op(opStep) {
	case LeftOut:
		return set
	case Reversed:
		return step(w, set, true)
	}
	return step(w, set, false)
}

// step maps a set to the one that an edge leads to, or comes from if back.
type step func(w *World, set graph.Bits, back bool) graph.Bits

// Test reports whether a condition holds. A cut may leave the test out; then it always holds.
func (w *World) Test(holds bool) bool { return w.op(opTest) == LeftOut || holds }

// Triangles returns the number of triples of a set that are all joined to one another.
func (w *World) Triangles(set graph.Bits) int {
	w.op(opCount)
	return w.A.Triangles(set)
}

// Reaches returns a function from a node to how many others it reaches.
func (w *World) Reaches() func(x int) int {
	how := w.op(opReach)
	hops := how.hops(w.A.N)
	if how == LeftOut {
		hops = 0
	}
	return func(x int) int {
		seen, depth := w.A.Reach(graph.Bit(x), -1, hops, how == Reversed)
		w.Depth = max(w.Depth, depth)
		return seen.Len() - 1
	}
}

// Count returns the size of a set.
func (w *World) Count(set graph.Bits) int {
	w.op(opCount)
	return set.Len()
}

// Degrees returns a function from a node to its out-degree.
func (w *World) Degrees() func(x int) int {
	if w.op(opDegree) == Reversed {
		return w.in
	}
	return w.out
}

// InDegrees returns a function from a node to its in-degree.
func (w *World) InDegrees() func(x int) int {
	if w.op(opDegree) == Reversed {
		return w.out
	}
	return w.in
}

func (w *World) out(x int) int { return w.A.Out[x].Len() }
func (w *World) in(x int) int  { return w.A.In[x].Len() }

// Aggregate returns the mean, the maximum or the sum over a set that is not empty, in
// millionths; without it, the size of the set.
func (w *World) Aggregate(set graph.Bits, value func(x int) int) Out {
	n := set.Len()
	if n == 0 {
		w.Bad = true
		return Out{}
	}
	sum, most := 0, 0
	for b := set; b != (graph.Bits{}); b = b.Less(b.First()) {
		v := value(b.First())
		sum += v
		most = max(most, v)
	}
	if w.op(opMean) == LeftOut {
		sum, most = n, n
		if w.Query.Aggregate == Mean {
			sum *= n
		}
	}
	switch w.Query.Aggregate {
	case Maximum:
		return Out{Num: most * millionths}
	case Sum:
		return Out{Num: sum * millionths}
	}
	return Out{Num: sum * millionths / n}
}

const millionths = 1_000_000

// Best returns the node of a set with the largest value, which must be unique; if left out, the
// first node.
func (w *World) Best(set graph.Bits, value func(x int) int) Out {
	if set == (graph.Bits{}) {
		w.Bad = true
		return Out{Num: None}
	}
	if w.op(opBest) == LeftOut {
		return Out{Num: set.First()}
	}
	best, most, ties := None, -1, 0
	for ; set != (graph.Bits{}); set = set.Less(set.First()) {
		x := set.First()
		if v := value(x); v > most {
			best, most, ties = x, v, 0
		} else if v == most {
			ties++
		}
	}
	w.Bad = w.Bad || ties > 0
	return Out{Num: best}
}

// is returns a boolean as an Out.
func is(b bool) Out {
	if b {
		return Out{Num: 1}
	}
	return Out{}
}

// Load puts a case into the world.
func (w *World) Load(c *Case) {
	w.Query = c.Query
	w.A.Reset(c.G.N, c.G.Directed, append([]graph.Edge{}, c.G.Edges...))
	w.B.Reset(c.G2.N, true, append([]graph.Edge{}, c.G2.Edges...))
}
