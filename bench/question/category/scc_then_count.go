package category

import "ein/bench/question/draw"

var sccThenCount = Category{
	Name: "scc_then_count", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc: "size of X's strongly connected component, X included",
	Draw: func(s *draw.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 1, func(x int) (int, bool) { return f.Component(x).Len(), true })
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		return program("scc_then_count", c, `Same = scc(A)
Component[j] = select(Same, %d, j)
Result = sum(Component)
`, c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, `component = next(c for c in nx.strongly_connected_components(G) if %d in c)
print(json.dumps(len(component)))
`, c.Query.Source)
	},
	Question: worded(
		"How many {nodes} are in the largest group containing {X} in which every {node} can reach every other?",
		"How many {nodes} are in the largest group containing {X} in which every {node} can reach every other, counting {X} itself?"),
}
