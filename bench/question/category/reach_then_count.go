package category

import "ein/bench/question/random"

var reachThenCount = Category{
	Name: "reach_then_count", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc: "size of R(X)",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 0, func(x int) (int, bool) { return f.Reach(x).Len(), true })
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		return program("reach_then_count", c, `Reached = desc(A, %d)
Result = sum(Reached)
`, c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, "print(json.dumps(len(nx.descendants(G, %d))))\n", c.Query.Source)
	},
	Rules: says(reachRules + `Answer(count(v)) <- Reach({X}, v), v != {X}.
Answer(k)?
`),
	Question: worded(
		"How many {nodes} can {X} reach?",
		"How many {nodes} can {X} reach, not counting {X} itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source = 0
		low := w.least(3)
		goal.aim(w.window(low, min(w.N-2, low+w.N/2)))
		return goal, w.lay(s, w.searched(w.layers(form, goal.Aim)))
	},
	Solver:   func(w *World) Out { return Out{Num: w.Count(w.Reach(w.Query.Source))} },
	Hops:     true,
	Explicit: says(reaching + "How many {nodes} does {X} reach? Do not count {X} itself."),
}
