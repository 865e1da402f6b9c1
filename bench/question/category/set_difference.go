package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var setDifference = Category{
	Name: "set_difference", Level: 1, Result: Set, Family: Directed, Least: 3,
	Doc: "nodes that X reaches and Y does not: R(X) without R(Y)",
	// R(Y) lacks Y, so that Y is in the answer whenever X reaches Y. An answer of that or nothing
	// is dull.
	Draw: drawSets(func(fromY graph.Set, y, z int) bool { return z != y && !fromY[z] }),
	ein: says(`FromX = desc(A, {X})
FromY = desc(A, {Y})
Result = only(FromX, FromY)
`),
	python: says(`difference = nx.descendants(G, {X}) - nx.descendants(G, {Y})
print(json.dumps(sorted(difference)))
`),
	rules: says(reachRules + `FromY(v) <- Reach({Y}, v), v != {Y}.
Reach({X}, v), v != {X}, not FromY(v)?
`),
	Question: worded(
		"Which {nodes} can {X} reach that {Y} cannot?",
		"Which {nodes} can {X} reach that {Y} cannot, not counting any {node} as reachable from itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		own := w.window(w.least(3+is(w.N >= 10).Num), w.N/2-1)
		other := form.Between(1, 2)
		return goal, w.both(form, s, own, other, w.window(2, w.N-2-own-other))
	},
	Solver: func(w *World) Out {
		return Out{Set: w.Combine(w.Reach(w.Query.Source), w.Reach(w.Query.Target), graph.Bits.Minus)}
	},
	Hops:     true,
	Explicit: says(reaching + notItself + "Which {nodes} does {X} reach that {Y} does not reach? If {X} reaches {Y}, then {Y} is one of them."),
}
