package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// poseChild asks about somebody who has a parent, and has those who are asked for.
func poseChild(_, s *random.Stream, w *World) (Goal, bool) {
	w.Query.Source = s.IntN(w.A.N)
	return Goal{Only: func(_ *World, o Out) bool { return o.Set != (graph.Bits{}) }}, w.in(w.Query.Source) > 0
}

// poseTwo asks about two nodes: X has somewhere to go, and somebody goes to Y. Either direction alone
// tells that the answer is no, so both, and each alone, are equally frequent.
func poseTwo(_, s *random.Stream, w *World) (Goal, bool) {
	x, y := pair(w.A.N, s.IntN(pairs(w.A.N)))
	w.Query.Source, w.Query.Target = x, y
	return Goal{Least: 3, Hint: hops, Class: directions}, w.out(x) > 0 && w.in(y) > 0
}

// planPath asks whether X reaches Y, which it does in one of two.
func planPath(form, s *random.Stream, w *World) (Goal, bool) {
	w.Query.Source, w.Query.Target = 0, 0
	return Goal{}, w.bridge(form, s, w.Lead.Chance(1, 2))
}

// between allows numbers from low to high.
func between(low, high int) func(*World, Out) bool {
	return func(_ *World, o Out) bool { return low <= o.Num && o.Num <= high }
}

// aim decides which answer the question should have.
func (g *Goal) aim(answer int) { g.Aim, g.Aimed = answer, true }
