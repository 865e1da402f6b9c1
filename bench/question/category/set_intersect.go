package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var setIntersect = Category{
	Name: "set_intersect", Level: 1, Result: Set, Family: Directed, Least: 3,
	Doc:  "nodes that X and Y both reach: R(X) and R(Y) in common",
	Draw: drawIntersection,
	Ein: func(c *Case) string {
		return program("set_intersect", c, `FromX = desc(A, %d)
FromY = desc(A, %d)
Result = both(FromX, FromY)
`, c.Query.Source, c.Query.Target)
	},
	Python: func(c *Case) string {
		return script(c, `common = nx.descendants(G, %d) & nx.descendants(G, %d)
print(json.dumps(sorted(common)))
`, c.Query.Source, c.Query.Target)
	},
	Rules: says(reachRules + "Reach({X}, v), Reach({Y}, v), v != {X}, v != {Y}?\n"),
	Question: worded(
		"Which {nodes} can both {X} and {Y} reach?",
		"Which {nodes} can both {X} and {Y} reach, not counting any {node} as reachable from itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		common := w.window(w.least(max(2, w.N/4)), max(2, w.N/2-1))
		own := max(1, min(w.N/4, (w.N-2-common)/2))
		goal.Least, goal.Only = 4, func(w *World, o Out) bool { return 2 <= o.Set.Len() && o.Set.Len() <= w.N/2 }
		return goal, w.both(form, s, own, max(1, own-form.IntN(2)), common)
	},
	Solver: func(w *World) Out {
		return Out{Set: w.Combine(w.Reach(w.Query.Source), w.Reach(w.Query.Target), graph.Bits.And)}
	},
	Hops:     true,
	Explicit: says(reaching + notItself + "Which {nodes} do both {X} and {Y} reach?"),
}

// drawIntersection chooses two nodes that have something in common.
func drawIntersection(s *random.Stream, c *Case) bool {
	n, reach := c.G.N, reacher(c.G.Facts())
	i, ok := vary(s, n, pairs(n), 0, func(i int) (int, bool) {
		x, y := pair(n, i)
		fromY := reach(y)
		return count(reach(x), func(z int) bool { return fromY[z] }), true
	})
	if ok {
		c.Query = ask(pair(n, i))
	}
	return ok
}
