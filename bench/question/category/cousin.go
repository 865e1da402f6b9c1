package category

import (
	"ein/bench/question/graph"
)

var cousin = Category{
	Name: "cousin", Level: 1, Result: Set, Family: Kinship, Least: 5,
	Doc:  "nodes other than X that share a grandparent with X, and no parent",
	Draw: drawSize(0, (*graph.Facts).Cousins),
	ein:  says("Result = cousins(A, {X})\n"),
	python: says(`person = {X}
parents = set(G.predecessors(person))
grandparents = {g for p in parents for g in G.predecessors(p)}
second = {c for g in grandparents for child in G.successors(g) for c in G.successors(child)}
siblings = {child for p in parents for child in G.successors(p)}
print(json.dumps(sorted(second - siblings - {person})))
`),
	rules: says(`Grandparent(g, x) <- Parent(g, p), Parent(p, x).
Related(x, y) <- Parent(p, x), Parent(p, y).
Cousin(v) <- Grandparent(g, {X}), Grandparent(g, v), not Related({X}, v).
Cousin(v)?
`),
	Question: worded(
		"Who are the cousins of {X}?",
		"Who are the cousins of {X}, that is, the people other than {X} who share a grandparent but no parent with {X}?"),

	Pose: poseChild,
	Solver: func(w *World) Out {
		x := w.Query.Source
		parents := w.Step(graph.Bit(x), (*World).parents)
		siblings := w.Step(parents, (*World).children)
		second := w.Step(w.Step(w.Step(parents, (*World).parents), (*World).children), (*World).children)
		out := w.Combine(second, siblings, graph.Bits.Minus).Less(x)
		// Nobody is asked whose ancestors or descendants would be cousins as well.
		above, _ := w.A.Reach(graph.Bit(x), -1, w.A.N, true)
		below, _ := w.A.Reach(graph.Bit(x), -1, w.A.N, false)
		w.Odd = out.And(above.Or(below)) != (graph.Bits{})
		return Out{Set: out}
	},
	Decoys: []Decoy{{"siblings", func(w *World) Out {
		x := w.Query.Source
		return Out{Set: w.children(w.parents(graph.Bit(x), false), false).Less(x)}
	}}},
	Explicit: says("Which people are cousins of {X}, that is, share a grandparent but no parent with {X}? There may be none."),
}
