package category

import (
	"ein/bench/question/draw"
	"ein/bench/question/graph"
)

// poseOne asks about a node that has somewhere to go.
func poseOne(goal Goal) func(form, s *draw.Stream, w *World) (Goal, bool) {
	return func(_, s *draw.Stream, w *World) (Goal, bool) {
		x := s.IntN(w.A.N)
		w.Query.Source = x
		return goal, w.A.Out[x].Or(w.B.Out[x]) != (graph.Bits{}) || w.A.In[x] != (graph.Bits{})
	}
}

// poseChild asks about somebody who has a parent.
func poseChild(goal Goal) func(form, s *draw.Stream, w *World) (Goal, bool) {
	return func(_, s *draw.Stream, w *World) (Goal, bool) {
		w.Query.Source = s.IntN(w.A.N)
		return goal, w.in(w.Query.Source) > 0
	}
}

// poseTwo asks about two nodes: X has somewhere to go, and somebody goes to Y.
func poseTwo(goal Goal) func(form, s *draw.Stream, w *World) (Goal, bool) {
	return func(_, s *draw.Stream, w *World) (Goal, bool) {
		x, y := pair(w.A.N, s.IntN(pairs(w.A.N)))
		w.Query.Source, w.Query.Target = x, y
		return goal, w.out(x) > 0 && w.in(y) > 0
	}
}

// between allows numbers from low to high.
func between(low, high int) func(*World, Out) bool {
	return func(_ *World, o Out) bool { return low <= o.Num && o.Num <= high }
}

// somebody allows sets that are not empty; a shallow search may find nobody.
func somebody(w *World, o Out) bool { return o.Set != (graph.Bits{}) || w.Goal <= 2 && w.Goal > 0 }

// shallowYes allows what can be seen within two hops if it is a yes. So the deep
// half of the questions stays balanced: a search cut short that finds nothing
// tells nothing.
func shallowYes(w *World, o Out) bool { return w.Goal > 2 || o.Num > 0 && reached(w, o) == 1 }

// window draws the answer to be had: one of size values from low on, a step apart.
func (g *Goal) window(form *draw.Stream, low, size, step int) {
	g.Low, g.Size, g.Step, g.Aim = low, size, step, low+step*form.IntN(size)
}

// cell draws what a decoy is to say: one of size values from low on.
func (g *Goal) cell(form *draw.Stream, op int, how How, low, size int) {
	g.Cell = append(g.Cell, target{Cut{op, how}, low + form.IntN(size)})
}

// within is how many nodes x reaches by so many hops.
func (w *World) within(x, hops int) int {
	seen, _ := w.A.Reach(graph.Bit(x), -1, hops, false)
	return seen.Len() - 1
}
