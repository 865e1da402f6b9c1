package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var degreeCount = Category{
	Name: "degree_count", Level: 1, Result: Integer, Family: Directed, Least: 2,
	Doc: "out-degree of X, or its in-degree when the question is worded that way",
	Draw: func(s *random.Stream, c *Case) bool {
		direction, degree := "out", (*graph.Facts).OutDegree
		if s.Chance(1, 2) {
			direction, degree = "in", (*graph.Facts).InDegree
		}
		ok := drawNode(0, func(f *graph.Facts, x int) (int, bool) { return degree(f, x), true })(s, c)
		c.Query.Direction = direction
		return ok
	},
	ein: func(c *Case) string {
		axis := "1"
		if c.Query.Direction == "in" {
			axis = "0"
		}
		return "Degree = sum(A, " + axis + ")\nResult = select(Degree, {X})\n"
	},
	python: func(c *Case) string {
		return "print(json.dumps(G." + c.Query.Direction + "_degree({X})))\n"
	},
	rules: func(c *Case) string {
		edges := "Edge({X}, _)"
		if c.Query.Direction == "in" {
			edges = "Edge(_, {X})"
		}
		return "Answer(count()) <- " + edges + ".\nAnswer(k)?\n"
	},
	Question: func(c *Case, explicit bool) string {
		switch {
		case c.Query.Direction == "in" && explicit:
			return "How many {nodes} {forward} {X}, counting direct links only?"
		case c.Query.Direction == "in":
			return "How many {nodes} {forward} {X}?"
		case explicit:
			return "How many {nodes} does {X} {forward}, counting direct links only?"
		}
		return "How many {nodes} does {X} {forward}?"
	},

	Pose: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source = s.IntN(w.A.N)
		w.Query.Direction = "out"
		if form.Chance(1, 2) {
			w.Query.Direction = "in"
		}
		return Goal{Least: 4, Only: between(0, 3), Hint: func(kind, How) bool { return true }}, true
	},
	Solver: func(w *World) Out {
		if w.Query.Direction == "in" {
			return Out{Num: w.InDegrees()(w.Query.Source)}
		}
		return Out{Num: w.Degrees()(w.Query.Source)}
	},
	Local: true,
	Explicit: func(c *Case) string {
		if c.Query.Direction == "in" {
			return "How many {nodes} {forward} {X} directly?"
		}
		return "How many {nodes} does {X} {forward} directly?"
	},
}
