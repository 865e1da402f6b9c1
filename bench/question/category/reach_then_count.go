package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var reachThenCount = Category{
	Name: "reach_then_count", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc:  "size of R(X)",
	Draw: drawSize(0, (*graph.Facts).Reach),
	ein: says(`Reached = desc(A, {X})
Result = sum(Reached)
`),
	python: says("print(json.dumps(len(nx.descendants(G, {X}))))\n"),
	rules: says(reachRules + `Answer(count(v)) <- Reach({X}, v), v != {X}.
Answer(k)?
`),
	Question: worded(
		"How many {nodes} can {X} reach?",
		"How many {nodes} can {X} reach, not counting {X} itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source = 0
		low := w.least(3)
		goal.aim(w.window(low, min(w.N-2, low+w.N/2)))
		return goal, w.lay(s, w.searched(w.layers(form, goal.Aim)))
	},
	Solver:   func(w *World) Out { return Out{Num: w.Count(w.Reach(w.Query.Source))} },
	Hops:     true,
	Explicit: says(reaching + "How many {nodes} does {X} reach? Do not count {X} itself."),
}
