package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var aggregateOverSet = Category{
	Name: "aggregate_over_set", Level: 3, Result: Float, Family: Directed, Least: 2,
	Doc: "mean out-degree over R(X), which is not empty",
	Draw: drawNode(0, func(f *graph.Facts, x int) (int, bool) {
		reached := f.Reach(x)
		if reached.Len() == 0 {
			return 0, false
		}
		return mean(f, reached), true
	}),
	ein: func(c *Case) string {
		return "Reached = desc(A, {X})\nDegree = sum(A, 1)\n" + aggregate(&c.Query, "Reached")
	},
	python: func(c *Case) string {
		return "reached = nx.descendants(G, {X})\n" + gather(&c.Query, "reached")
	},
	rules: func(c *Case) string {
		return reachRules + degreeRules + "Answer(" + fold(&c.Query) + "(Degree[v])) <- Reach({X}, v), v != {X}.\nAnswer(k)?\n"
	},
	Question: worded(
		"Among the {nodes} that {X} can reach, what is the average number of {nodes} that each one {forward one}?",
		"Among the {nodes} that {X} can reach, not counting {X} itself, what is the average number of {nodes} that each one {forward one}?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Aggregate = 0, [...]string{Mean, Maximum, Sum}[w.Turn%3]
		if w.Query.Aggregate == Maximum {
			return Goal{Least: 3, Only: between(2*millionths, 4*millionths), All: 4 * millionths}, w.reached(form, s, w.N)
		}
		return Goal{Least: 4}, w.reached(form, s, w.N)
	},
	Solver: func(w *World) Out { return w.Aggregate(w.Reach(w.Query.Source), w.Degrees()) },
	Hops:   true,
	Explicit: func(c *Case) string {
		return reaching + "Take the {nodes} that {X} reaches, not counting {X} itself. " + aggregates[c.Query.Aggregate]
	},
}
