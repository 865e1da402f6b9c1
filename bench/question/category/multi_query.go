package category

var multiQuery = Category{
	Name: "multi_query", Level: 3, Result: Compound, Family: Directed, Least: 3,
	Doc:  "reachable: whether X reaches Y; degree: the out-degree of X",
	Draw: drawPath(1, 2),
	ein: says(`TC = tc(A)
Reachable = select(TC, {X}, {Y})
Degree = select(sum(A, 1), {X})
:print Reachable
:print Degree
`),
	python: says(`x, y = {X}, {Y}
answer = {"reachable": nx.has_path(G, x, y), "degree": G.out_degree(x)}
print(json.dumps(answer))
`),
	rules: says(reachRules + `Degree(count()) <- Edge({X}, _).
Reach({X}, {Y})?
Degree(k)?
`),
	Question: worded(
		"Is there {path} from {X} to {Y} (reachable), and how many {nodes} does {X} {forward} (degree)?",
		"Is there {path} from {X} to {Y} (reachable), and how many {nodes} does {X} {forward}, counting direct links only (degree)?"),

	Plan: planPath,
	Solver: func(w *World) Out {
		return Out{Num: hundredths*is(w.Path(w.Query.Source, w.Query.Target)).Num + w.Degrees()(w.Query.Source)}
	},
	Hops:     true,
	Explicit: says(reaching + "Does {X} reach {Y} (reachable), and how many {nodes} does {X} {forward} directly (degree)?"),
}

// hundredths is the factor that combines the two parts of a compound into one number.
const hundredths = 100
