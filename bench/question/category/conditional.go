package category

import "ein/bench/question/draw"

var conditional = Category{
	Name: "conditional", Level: 3, Result: Integer, Family: Directed, Least: 3,
	Doc: "if X reaches Y the size of R(X), else -1",
	// Two in three reach, because the others all have one answer.
	Draw: func(s *draw.Stream, c *Case) bool {
		x, y, ok := either(s, c.G.N, 2, 3, reaches(c.G.Facts()))
		c.Query = ask(x, y)
		return ok
	},
	Ein: func(c *Case) string {
		x, y := c.Query.Source, c.Query.Target
		return program("conditional", c, `Path = has_path(A, %d, %d)
Size = sum(desc(A, %d))
Result = where(Path, Size, -1)
`, x, y, x)
	},
	Python: func(c *Case) string {
		return script(c, `reached = nx.descendants(G, %d)
print(json.dumps(len(reached) if %d in reached else -1))
`, c.Query.Source, c.Query.Target)
	},
	Question: worded(
		"If there is {path} from {X} to {Y}, how many {nodes} can {X} reach? Otherwise return -1.",
		"If there is {path} from {X} to {Y}, how many {nodes} can {X} reach, not counting {X} itself? Otherwise return -1."),
}
