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

	Pose: func(form, s *draw.Stream, w *World) (goal Goal, ok bool) {
		goal, ok = poseOne(goal)(form, s, w)
		// The window is above what two hops find.
		low := w.A.N / 2
		goal.window(form, low, min(4, w.A.N-low), 1)
		return goal, ok && w.within(w.Query.Source, 2) <= low-max(1, w.Goal-2)
	},
	Solver:   func(w *World) Out { return Out{Num: w.Count(w.Reach(w.Query.Source))} },
	Hops:     true,
	Explicit: says(reaching + "How many {nodes} does {X} reach? Do not count {X} itself."),
}
