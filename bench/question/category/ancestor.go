package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var ancestor = Category{
	Name: "ancestor", Level: 1, Result: Set, Family: Kinship, Least: 2,
	Doc:    "all ancestors of X",
	Draw:   drawSize(0, (*graph.Facts).Ancestors),
	ein:    says("Result = anc(A, {X})\n"),
	python: says("print(json.dumps(sorted(nx.ancestors(G, {X}))))\n"),
	rules:  says(ancestorRules + "Ancestor(v, {X})?\n"),
	Question: worded(
		"Who are all the ancestors of {X}?",
		"Who are all the ancestors of {X}, parents included and {X} not?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source = 0
		low := w.least(4)
		return Goal{}, w.above(form, s, w.window(low, max(low, w.N/2-1)))
	},
	Solver:   func(w *World) Out { return Out{Set: w.Above(w.Query.Source)} },
	Hops:     true,
	Explicit: says("Which people are ancestors of {X}: parents, parents of parents, and so on? Do not list {X}."),
}
