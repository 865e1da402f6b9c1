package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var intersectThenSize = Category{
	Name: "intersect_then_size", Level: 2, Result: Integer, Family: Directed, Least: 3,
	Doc:  "number of nodes that X and Y both reach",
	Draw: drawIntersection,
	ein: says(`FromX = desc(A, {X})
FromY = desc(A, {Y})
Result = sum(both(FromX, FromY))
`),
	python: says(`common = nx.descendants(G, {X}) & nx.descendants(G, {Y})
print(json.dumps(len(common)))
`),
	rules: says(reachRules + `Answer(count(v)) <- Reach({X}, v), Reach({Y}, v), v != {X}, v != {Y}.
Answer(k)?
`),
	Question: worded(
		"How many {nodes} can both {X} and {Y} reach?",
		"How many {nodes} can both {X} and {Y} reach, not counting any {node} as reachable from itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		low := max(w.least(2)-1, 1)
		size := max(low+1, (w.N-2+low)/2)
		goal.aim(w.window(low, max(low, min(4, size-1-w.N/10))))
		goal.Least, goal.Only = 3, between(1, 4)
		return goal, w.both(form, s, size-goal.Aim, size-goal.Aim, goal.Aim)
	},
	Solver: func(w *World) Out {
		return Out{Num: w.Count(w.Combine(w.Reach(w.Query.Source), w.Reach(w.Query.Target), graph.Bits.And))}
	},
	Hops:     true,
	Explicit: says(reaching + notItself + "How many {nodes} do both {X} and {Y} reach?"),
}
