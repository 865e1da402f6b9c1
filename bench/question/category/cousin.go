package category

import "ein/bench/question/draw"

var cousin = Category{
	Name: "cousin", Level: 1, Result: Set, Family: Kinship, Least: 5,
	Doc: "nodes other than X that share a grandparent with X, and no parent",
	Draw: func(s *draw.Stream, c *Case) bool {
		f := c.G.Facts()
		x, ok := vary(s, c.G.N, c.G.N, 0, func(x int) (int, bool) { return f.Cousins(x).Len(), true })
		c.Query = ask(x, None)
		return ok
	},
	Ein: func(c *Case) string {
		return program("cousin", c, "Result = cousins(A, %d)\n", c.Query.Source)
	},
	Python: func(c *Case) string {
		return script(c, `person = %d
parents = set(G.predecessors(person))
grandparents = {g for p in parents for g in G.predecessors(p)}
second = {c for g in grandparents for child in G.successors(g) for c in G.successors(child)}
siblings = {child for p in parents for child in G.successors(p)}
print(json.dumps(sorted(second - siblings - {person})))
`, c.Query.Source)
	},
	Question: worded(
		"Who are the cousins of {X}?",
		"Who are the cousins of {X}, that is, the people other than {X} who share a grandparent but no parent with {X}?"),
}
