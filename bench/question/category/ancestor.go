package category

import "ein/bench/question/random"

var ancestor = Category{
	Name: "ancestor", Level: 1, Result: Set, Family: Kinship, Least: 2,
	Doc: "all ancestors of X",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 0, func(x int) (int, bool) { return f.Ancestors(x).Len(), true })
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		return program("ancestor", c, "Result = anc(A, %d)\n", c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, "print(json.dumps(sorted(nx.ancestors(G, %d))))\n", c.Query.Source)
	},
	Rules: says(ancestorRules + "Ancestor(v, {X})?\n"),
	Question: worded(
		"Who are all the ancestors of {X}?",
		"Who are all the ancestors of {X}, parents included and {X} not?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source = 0
		low := w.least(4)
		return Goal{}, w.above(form, s, w.window(low, max(low, w.N/2-1)))
	},
	Solver:   func(w *World) Out { return Out{Set: w.Above(w.Query.Source)} },
	Hops:     true,
	Explicit: says("Which people are ancestors of {X}: parents, parents of parents, and so on? Do not list {X}."),
}
