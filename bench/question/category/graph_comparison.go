package category

import "ein/bench/question/draw"

var graphComparison = Category{
	Name: "graph_comparison", Level: 3, Result: Integer, Family: TwoGraphs, Least: 2,
	Doc: "number of nodes that X reaches in exactly one of the two graphs",
	Draw: func(s *draw.Stream, c *Case) bool {
		f, h := c.G.Facts(), c.G2.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 0, func(x int) (int, bool) {
			first, differ := f.Reach(x), 0
			for y, in := range h.Reach(x) {
				if in != first[y] {
					differ++
				}
			}
			return differ, true
		})
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		x := c.Query.Source
		return program("graph_comparison", c, `InA = desc(A, %d)
InB = desc(B, %d)
Result = sum(InA != InB)
`, x, x)
	},
	Python: func(c *Case) string {
		return script(c, `source = %d
differing = nx.descendants(G, source) ^ nx.descendants(H, source)
print(json.dumps(len(differing)))
`, c.Query.Source)
	},
	Question: worded(
		"How many {nodes} can {X} reach in exactly one of the two networks?",
		"How many {nodes} can {X} reach in exactly one of the two networks, not counting {X} itself?"),
}
