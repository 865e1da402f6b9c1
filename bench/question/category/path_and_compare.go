package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var pathAndCompare = Category{
	Name: "path_and_compare", Level: 2, Result: Boolean, Family: Directed, Least: 3,
	Doc: "whether X reaches Y and has the larger out-degree",
	Draw: either(1, 2, func(f *graph.Facts, x int) graph.Set {
		reach := f.Reach(x)
		for y := range reach {
			reach[y] = reach[y] && f.OutDegree(x) > f.OutDegree(y)
		}
		return reach
	}),
	ein: says(`Path = has_path(A, {X}, {Y})
Degree = sum(A, 1)
Result = Path * (select(Degree, {X}) > select(Degree, {Y}))
`),
	python: says(`x, y = {X}, {Y}
print(json.dumps(nx.has_path(G, x, y) and G.out_degree(x) > G.out_degree(y)))
`),
	rules: says(reachRules + `FromX(count()) <- Edge({X}, _).
FromY(count()) <- Edge({Y}, _).
More({X}) <- FromX(a), FromY(b), a > b.
Reach({X}, {Y}), More({X})?
`),
	Question: worded(
		"Is it true that there is {path} from {X} to {Y} and that {X} {forward one} more {nodes} than {Y} does?",
		"Is it true that there is {path} from {X} to {Y} and that {X} {forward one} more {nodes} than {Y} does, counting direct links only for the second part?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Target = 0, 0
		// Either part alone tells that the answer is no. So both, and each alone, are
		// equally frequent.
		class := w.Lead.IntN(3)
		ok := w.bridge(form, s, class > 0)
		return Goal{}, ok && (class < 2) == (w.out(w.Query.Source) > w.out(w.Query.Target))
	},
	Solver: func(w *World) Out {
		x, y, degree := w.Query.Source, w.Query.Target, w.Degrees()
		return is(w.Both(w.Path(x, y), degree(x) > degree(y)))
	},
	Hops:     true,
	Explicit: says(reaching + "Is it true that {X} reaches {Y} and that {X} {forward one} more {nodes} directly than {Y} does?"),
}
