package category

import "ein/bench/question/draw"

var aggregateOverSet = Category{
	Name: "aggregate_over_set", Level: 3, Result: Float, Family: Directed, Least: 2,
	Doc: "mean out-degree over R(X), which is not empty",
	Draw: func(s *draw.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 0, func(x int) (int, bool) {
			reached := f.Reach(x)
			if reached.Len() == 0 {
				return 0, false
			}
			return mean(f, reached), true
		})
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		return program("aggregate_over_set", c, `Reached = desc(A, %d)
Degree = sum(A, 1)
Result = sum(Degree * Reached) / sum(Reached)
`, c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, `reached = nx.descendants(G, %d)
print(json.dumps(sum(G.out_degree(v) for v in reached) / len(reached)))
`, c.Query.Source)
	},
	Question: worded(
		"Among the {nodes} that {X} can reach, what is the average number of {nodes} that each one {forward one}?",
		"Among the {nodes} that {X} can reach, not counting {X} itself, what is the average number of {nodes} that each one {forward one}?"),
}
