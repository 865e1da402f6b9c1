package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var degreeMax = Category{
	Name: "degree_max", Level: 1, Result: String, Family: Directed, Least: 2,
	Doc: "the unique node of largest out-degree",
	Draw: func(_ *random.Stream, c *Case) bool {
		f, best := c.G.Facts(), 0
		most := largest(c.G.N, f.OutDegree)
		for x := range c.G.N {
			if f.OutDegree(x) == most {
				best++
			}
		}
		c.Query = ask(None, None)
		return best == 1
	},
	ein:    says("Degree = sum(A, 1)\nResult = argmax(Degree)\n"),
	python: says("print(json.dumps(max(G, key=G.out_degree)))\n"),
	rules: says(`Degree(x, count()) <- Edge(x, _).
Most(max(k)) <- Degree(_, k).
Answer(x) <- Degree(x, k), Most(k).
Answer(x)?
`),
	Question: worded(
		"Which {node} {forward one} the most {nodes}?",
		"Which {node} {forward one} the most {nodes}, counting direct links only?"),

	Pose:   func(_, _ *random.Stream, _ *World) (Goal, bool) { return Goal{}, true },
	Solver: func(w *World) Out { return w.Best(graph.All(w.A.N), w.Degrees()) },
	Decoys: []Decoy{{"most edges in and out", func(w *World) Out {
		return w.Best(graph.All(w.A.N), func(x int) int { return w.out(x) + w.in(x) })
	}}},
	Local:    true,
	Explicit: says("Which {node} {forward one} the most {nodes}? Count direct links only."),
}
