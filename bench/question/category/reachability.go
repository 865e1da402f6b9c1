package category

var reachability = Category{
	Name: "reachability", Level: 1, Result: Boolean, Family: Directed, Least: 3,
	Doc:    "whether X reaches Y, X != Y",
	Draw:   drawPath(1, 2),
	ein:    says("Result = has_path(A, {X}, {Y})\n"),
	python: says("print(json.dumps(nx.has_path(G, {X}, {Y})))\n"),
	rules:  says(reachRules + "Reach({X}, {Y})?\n"),
	Question: worded(
		"Is there {path} from {X} to {Y}?",
		"Is there {path} from {X} to {Y}, counting paths of any length?"),

	Plan:     planPath,
	Solver:   func(w *World) Out { return is(w.Path(w.Query.Source, w.Query.Target)) },
	Hops:     true,
	Explicit: says(reaching + "Does {X} reach {Y}?"),
}
