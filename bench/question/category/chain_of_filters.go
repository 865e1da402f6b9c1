package category

import (
	"fmt"

	"ein/bench/question/draw"
)

var chainOfFilters = Category{
	Name: "chain_of_filters", Level: 3, Result: Integer, Family: Directed, Least: 2,
	Doc: "number of nodes of R(X) with in-degree at least a and out-degree at least b",
	Draw: func(s *draw.Stream, c *Case) bool {
		f := c.G.Facts()
		n, most, mostIn, reach := c.G.N, mostOut(&c.G, f), 0, reacher(f)
		for x := range n {
			mostIn = max(mostIn, f.InDegree(x))
		}
		// What is reached has an edge to it, so a first filter that filters asks
		// for two.
		least := min(2, mostIn)
		span := mostIn - least + 1
		query := func(i int) (x, a, b int) {
			return i % n, least + i/n%span, 1 + i/n/span
		}
		i, ok := vary(s, n, n*span*most, 0, func(i int) (int, bool) {
			x, a, b := query(i)
			return count(reach(x), func(y int) bool { return f.InDegree(y) >= a && f.OutDegree(y) >= b }), true
		})
		if ok {
			x, a, b := query(i)
			c.Query = ask(x, None)
			c.Query.MinIn, c.Query.MinOut = a, b
		}
		return ok
	},
	Ein: func(c *Case) string {
		return program("chain_of_filters", c, `Reached = desc(A, %d)
Popular = sum(A, 0) >= %d
Active = sum(A, 1) >= %d
Result = sum(Reached * Popular * Active)
`, c.Query.Source, c.Query.MinIn, c.Query.MinOut)
	},
	Python: func(c *Case) string {
		return script(c, `kept = [
    v for v in nx.descendants(G, %d)
    if G.in_degree(v) >= %d and G.out_degree(v) >= %d
]
print(json.dumps(len(kept)))
`, c.Query.Source, c.Query.MinIn, c.Query.MinOut)
	},
	Question: func(c *Case, explicit bool) string {
		clause := ""
		if explicit {
			clause = " not counting {X} itself,"
		}
		return fmt.Sprintf("Of the {nodes} that {X} can reach,%s how many {reverse} at least {a} %s and {forward} at least {b} %s?",
			clause, nodes(c.Query.MinIn), nodes(c.Query.MinOut))
	},
}
