package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

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
	Rules: says(reachRules + `Answer(count(v)) <- Reach({X}, v), Reach({Y}, v), v != {X}, v != {Y}.
Answer(k)?
`),
	Question: worded(
		"How many {nodes} can both {X} and {Y} reach?",
		"How many {nodes} can both {X} and {Y} reach, not counting any {node} as reachable from itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		low := max(w.least(2)-1, 1)
		size := max(low+1, (w.N-2+low)/2)
		goal.aim(w.window(low, max(low, min(4, size-1-w.N/10))))
		goal.Least, goal.Only = 3, between(1, 4)
		return goal, w.both(form, s, size-goal.Aim, size-goal.Aim, goal.Aim)
	},
	Solver: func(w *World) Out {
		return Out{Num: w.Count(w.Combine(w.Reach(w.Query.Source), w.Reach(w.Query.Target), graph.Bits.And))}
	},
	Hops:     true,
	Explicit: says(reaching + notItself + "How many {nodes} do both {X} and {Y} reach?"),
}
