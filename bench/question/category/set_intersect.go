package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var setIntersect = Category{
	Name: "set_intersect", Level: 1, Result: Set, Family: Directed, Least: 3,
	Doc:  "nodes that X and Y both reach: R(X) and R(Y) in common",
	Draw: drawIntersection,
	ein: says(`FromX = desc(A, {X})
FromY = desc(A, {Y})
Result = both(FromX, FromY)
`),
	python: says(`common = nx.descendants(G, {X}) & nx.descendants(G, {Y})
print(json.dumps(sorted(common)))
`),
	rules: says(reachRules + "Reach({X}, v), Reach({Y}, v), v != {X}, v != {Y}?\n"),
	Question: worded(
		"Which {nodes} can both {X} and {Y} reach?",
		"Which {nodes} can both {X} and {Y} reach, not counting any {node} as reachable from itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		common := w.window(w.least(max(2, w.N/4)), max(2, w.N/2-1))
		own := max(1, min(w.N/4, (w.N-2-common)/2))
		goal.Least, goal.Only = 4, func(w *World, o Out) bool { return 2 <= o.Set.Len() && o.Set.Len() <= w.N/2 }
		return goal, w.both(form, s, own, max(1, own-form.IntN(2)), common)
	},
	Solver: func(w *World) Out {
		return Out{Set: w.Combine(w.Reach(w.Query.Source), w.Reach(w.Query.Target), graph.Bits.And)}
	},
	Hops:     true,
	Explicit: says(reaching + notItself + "Which {nodes} do both {X} and {Y} reach?"),
}

// drawIntersection chooses two nodes that have something in common.
var drawIntersection = drawSets(func(fromY graph.Set, _, z int) bool { return fromY[z] })
