package category

import "ein/bench/question/graph"

var sccSame = Category{
	Name: "scc_same", Level: 1, Result: Boolean, Family: Directed, Least: 3,
	Doc:  "whether X and Y reach each other",
	Draw: either(1, 2, (*graph.Facts).Component),
	ein: says(`Same = scc(A)
Result = select(Same, {X}, {Y})
`),
	python: says(`x, y = {X}, {Y}
print(json.dumps(nx.has_path(G, x, y) and nx.has_path(G, y, x)))
`),
	rules: says(reachRules + "Reach({X}, {Y}), Reach({Y}, {X})?\n"),
	Question: worded(
		"Can {X} and {Y} each reach the other?",
		"Can {X} and {Y} each reach the other, counting paths of any length?"),

	Pose: poseTwo,
	Solver: func(w *World) Out {
		x, y := w.Query.Source, w.Query.Target
		return is(w.Both(w.Path(x, y), w.Path(y, x)))
	},
	Hops:     true,
	Explicit: says(reaching + "Do {X} and {Y} each reach the other?"),
}

// directions says which of X and Y reaches the other: 1, 2, or 3 for both.
func directions(w *World, _ Out) int {
	x, y := w.Query.Source, w.Query.Target
	forth, _ := w.A.Reach(graph.Bit(x), y, w.A.N, false)
	back, _ := w.A.Reach(graph.Bit(y), x, w.A.N, false)
	return is(forth.Has(y)).Num + 2*is(back.Has(x)).Num
}
