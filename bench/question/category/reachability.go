package category

import "ein/bench/question/random"

var reachability = Category{
	Name: "reachability", Level: 1, Result: Boolean, Family: Directed, Least: 3,
	Doc: "whether X reaches Y, X != Y",
	Draw: func(s *random.Stream, c *Case) bool {
		x, y, ok := either(s, c.G.N, 1, 2, reaches(c.G.Facts()))
		c.Query = ask(x, y)
		return ok
	},
	Ein: func(c *Case) string {
		return program("reachability", c, "Result = has_path(A, %d, %d)\n", c.Query.Source, c.Query.Target)
	},
	Python: func(c *Case) string {
		return script(c, "print(json.dumps(nx.has_path(G, %d, %d)))\n", c.Query.Source, c.Query.Target)
	},
	Rules: says(reachRules + "Reach({X}, {Y})?\n"),
	Question: worded(
		"Is there {path} from {X} to {Y}?",
		"Is there {path} from {X} to {Y}, counting paths of any length?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Target = 0, 0
		return Goal{}, w.bridge(form, s, w.Lead.Chance(1, 2))
	},
	Solver:   func(w *World) Out { return is(w.Path(w.Query.Source, w.Query.Target)) },
	Hops:     true,
	Explicit: says(reaching + "Does {X} reach {Y}?"),
}
