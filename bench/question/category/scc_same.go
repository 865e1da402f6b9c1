package category

import "ein/bench/question/draw"

var sccSame = Category{
	Name: "scc_same", Level: 1, Result: Boolean, Family: Directed, Least: 3,
	Doc: "whether X and Y reach each other",
	Draw: func(s *draw.Stream, c *Case) bool {
		f := c.G.Facts()
		x, y, ok := either(s, c.G.N, 1, 2, func(x int) func(y int) bool {
			component := f.Component(x)
			return func(y int) bool { return component[y] }
		})
		c.Query = ask(x, y)
		return ok
	},
	Ein: func(c *Case) string {
		return program("scc_same", c, `Same = scc(A)
Result = select(Same, %d, %d)
`, c.Query.Source, c.Query.Target)
	},
	Python: func(c *Case) string {
		return script(c, `x, y = %d, %d
print(json.dumps(nx.has_path(G, x, y) and nx.has_path(G, y, x)))
`, c.Query.Source, c.Query.Target)
	},
	Question: worded(
		"Can {X} and {Y} each reach the other?",
		"Can {X} and {Y} each reach the other, counting paths of any length?"),
}
