package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// several allows components of more than one node.
func several(w *World, _ Out) bool {
	x := w.Query.Source
	back, _ := w.A.Reach(w.A.Out[x], x, w.N, false)
	return back.Has(x)
}

var mixedDomain = Category{
	Name: "mixed_domain", Level: 3, Result: Float, Family: Directed, Least: 2,
	Doc: "mean out-degree over X's strongly connected component",
	// A component of one node makes it a question of degree.
	Draw: drawNode(None, func(f *graph.Facts, x int) (int, bool) {
		component := f.Component(x)
		if component.Len() == 1 {
			return None, true
		}
		return mean(f, component), true
	}),
	ein: func(c *Case) string {
		return "Same = scc(A)\nComponent[j] = select(Same, {X}, j)\nDegree = sum(A, 1)\n" + aggregate(&c.Query, "Component")
	},
	python: func(c *Case) string {
		return "component = next(c for c in nx.strongly_connected_components(G) if {X} in c)\n" + gather(&c.Query, "component")
	},
	rules: func(c *Case) string {
		return componentRules + degreeRules + "Answer(" + fold(&c.Query) + "(Degree[v])) <- Same(v).\nAnswer(k)?\n"
	},
	Question: worded(
		"In the largest group containing {X} in which every {node} can reach every other, what is the average number of {nodes} that each one {forward one}?",
		"In the largest group containing {X} in which every {node} can reach every other, what is the average number of {nodes} that each one {forward one}, counting {X} itself and links to {nodes} outside the group?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Aggregate = 0, [...]string{Mean, Maximum, Sum}[w.Turn%3]
		low, high := w.ringSizes()
		size := w.window(low, high)
		return Goal{Least: 3, Only: several}, w.lay(s, w.ring(form, size, high-size))
	},
	Solver: func(w *World) Out { return w.Aggregate(w.component(w.Query.Source), w.Degrees()) },
	Hops:   true,
	Explicit: func(c *Case) string {
		return reaching + "Take {X} and all {nodes} that {X} reaches and that reach {X}. " + aggregates[c.Query.Aggregate]
	},
}
