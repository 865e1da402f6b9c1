package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var kinshipComplex = Category{
	Name: "kinship_complex", Level: 3, Result: Integer, Family: Kinship, Least: 2,
	Doc: "X's root ancestor, which is unique, and all its descendants, counted together",
	Draw: drawNode(None, func(f *graph.Facts, x int) (int, bool) {
		root, ok := rootAncestor(f, x)
		if !ok {
			return 0, false
		}
		return 1 + f.Reach(root).Len(), true
	}),
	ein: says(`Root = argmax(both(anc(A, {X}), roots(A)))
Lineage = reach(A, Root)
Result = sum(Lineage)
`),
	python: says(`root = next(v for v in nx.ancestors(G, {X}) if G.in_degree(v) == 0)
print(json.dumps(1 + len(nx.descendants(G, root))))
`),
	rules: says(ancestorRules + `Root(r) <- Ancestor(r, {X}), not Parent(_, r).
Line(r) <- Root(r).
Line(v) <- Root(r), Ancestor(r, v).
Answer(count()) <- Line(_).
Answer(k)?
`),
	Question: worded(
		"How many people are in the lineage of {X}'s oldest ancestor?",
		"How many people are in the lineage of {X}'s oldest ancestor, counting that ancestor, who has no known parents, and all descendants of that ancestor?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source = 0
		low := 5 + is(w.N >= 10).Num
		goal.aim(w.window(low, min(w.Edges, low+w.N/2)))
		return goal, w.line(form, s, goal.Aim)
	},
	Solver: func(w *World) Out {
		x := w.Query.Source
		roots := w.Keep(w.Above(x), func(y int) bool { return w.in(y) == 0 })
		w.Bad = roots.Len() != 1
		root := x
		if roots != (graph.Bits{}) {
			root = roots.First()
		}
		return Out{Num: w.Count(w.Reach(root).With(root))}
	},
	Hops:     true,
	Explicit: says("{X} has exactly one ancestor without parents. How many people are that ancestor and all descendants of that ancestor together? Count the ancestor too."),
}

// rootAncestor returns the ancestor of x without parents, if there is exactly one.
func rootAncestor(f *graph.Facts, x int) (root int, ok bool) {
	roots := 0
	for y, in := range f.Ancestors(x) {
		if in && f.InDegree(y) == 0 {
			root = y
			roots++
		}
	}
	return root, roots == 1
}
