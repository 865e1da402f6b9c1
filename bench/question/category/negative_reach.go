package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var negativeReach = Category{
	Name: "negative_reach", Level: 1, Result: Set, Family: Directed, Least: 2,
	Doc: "nodes other than X that X cannot reach",
	Draw: drawNode(0, func(f *graph.Facts, x int) (int, bool) {
		reached := f.Reach(x)
		return len(reached) - 1 - reached.Len(), true
	}),
	ein: says("Result = complement(reach(A, {X}))\n"),
	python: says(`source = {X}
unreached = set(G) - nx.descendants(G, source) - {source}
print(json.dumps(sorted(unreached)))
`),
	rules: says(reachRules + "Node(v), not Reach({X}, v), v != {X}?\n"),
	Question: worded(
		"Which {nodes} can {X} not reach?",
		"Which {nodes} can {X} not reach, not counting {X} itself?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source = 0
		low := w.least(4)
		return Goal{}, w.lay(s, w.searched(w.layers(form, w.window(low, w.N-4))))
	},
	Solver: func(w *World) Out {
		x := w.Query.Source
		return Out{Set: w.Combine(w.others(x), w.Reach(x), graph.Bits.Minus)}
	},
	Hops:     true,
	Explicit: says(reaching + "Which {nodes} does {X} not reach? Do not list {X} itself."),
}
