package category

var intersectThenSize = Category{
	Name: "intersect_then_size", Level: 2, Result: Integer, Family: Directed, Least: 3,
	Doc:  "number of nodes that X and Y both reach",
	Draw: drawIntersection,
	Ein: func(c *Case) string {
		return program("intersect_then_size", c, `FromX = desc(A, %d)
FromY = desc(A, %d)
Result = sum(both(FromX, FromY))
`, c.Query.Source, c.Query.Target)
	},
	Python: func(c *Case) string {
		return script(c, `common = nx.descendants(G, %d) & nx.descendants(G, %d)
print(json.dumps(len(common)))
`, c.Query.Source, c.Query.Target)
	},
	Question: worded(
		"How many {nodes} can both {X} and {Y} reach?",
		"How many {nodes} can both {X} and {Y} reach, not counting any {node} as reachable from itself?"),
}
