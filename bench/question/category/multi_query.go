package category

import "ein/bench/question/random"

var multiQuery = Category{
	Name: "multi_query", Level: 3, Result: Compound, Family: Directed, Least: 3,
	Doc: "reachable: whether X reaches Y; degree: the out-degree of X",
	Draw: func(s *random.Stream, c *Case) bool {
		x, y, ok := either(s, c.G.N, 1, 2, reaches(c.G.Facts()))
		c.Query = ask(x, y)
		return ok
	},
	Ein: func(c *Case) string {
		return program("multi_query", c, `TC = tc(A)
Reachable = select(TC, %d, %d)
Degree = select(sum(A, 1), %d)
:print Reachable
:print Degree
`, c.Query.Source, c.Query.Target, c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, `x, y = %d, %d
answer = {"reachable": nx.has_path(G, x, y), "degree": G.out_degree(x)}
print(json.dumps(answer))
`, c.Query.Source, c.Query.Target)
	},
	Rules: says(reachRules + `Degree(count()) <- Edge({X}, _).
Reach({X}, {Y})?
Degree(k)?
`),
	Question: worded(
		"Is there {path} from {X} to {Y} (reachable), and how many {nodes} does {X} {forward} (degree)?",
		"Is there {path} from {X} to {Y} (reachable), and how many {nodes} does {X} {forward}, counting direct links only (degree)?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Target = 0, 0
		return Goal{}, w.bridge(form, s, w.Lead.Chance(1, 2))
	},
	Solver: func(w *World) Out {
		return Out{Num: hundredths*is(w.Path(w.Query.Source, w.Query.Target)).Num + w.Degrees()(w.Query.Source)}
	},
	Hops:     true,
	Explicit: says(reaching + "Does {X} reach {Y} (reachable), and how many {nodes} does {X} {forward} directly (degree)?"),
}

// hundredths is what the two parts of a compound are put together with.
const hundredths = 100
