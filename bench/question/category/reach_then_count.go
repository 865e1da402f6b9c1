package category

import "ein/bench/question/draw"

var reachThenCount = Category{
	Name: "reach_then_count", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc: "size of R(X)",
	Draw: func(s *draw.Stream, c *Case) bool {
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
	Question: worded(
		"How many {nodes} can {X} reach?",
		"How many {nodes} can {X} reach, not counting {X} itself?"),
}
