package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var triangleCount = Category{
	Name: "triangle_count", Level: 1, Result: Integer, Family: Undirected, Least: 3,
	Doc: "number of triangles: trace(A^3)/6",
	Draw: func(s *random.Stream, c *Case) bool {
		plant(s, c)
		c.Query = ask(None, None)
		return true
	},
	ein: says(`A3[i,l] = A[i,j] A[j,k] A[k,l]
Result = trace(A3) / 6
`),
	python: says(`# Each triangle is counted once at each of its three corners.
print(json.dumps(sum(nx.triangles(G).values()) // 3))
`),
	rules: says(triangleRules + "Answer(count()) <- Triangle(_, _, _).\nAnswer(k)?\n"),
	Question: worded(
		"How many groups of three {nodes} are there in which all three {mutual} one another?",
		"How many groups of three {nodes} are there in which all three {mutual} one another, counting each group once?"),

	Pose: func(_, _ *random.Stream, w *World) (Goal, bool) {
		goal := Goal{Least: 4, Only: between(1, 6)}
		corners := 0 // pairs of edges of one node, of which a triangle has three
		for x := range w.N {
			corners += w.out(x) * (w.out(x) - 1) / 2
		}
		if w.N < 7 || len(w.A.Arcs) < 8 || corners < 3*4 { // a test enumerates the first two
			goal.Most = 3
		}
		return goal, true
	},
	Solver: func(w *World) Out { return Out{Num: w.Triangles(graph.All(w.A.N))} },
	Decoys: []Decoy{
		number("edges beyond a tree", func(w *World) int { return len(w.A.Arcs) - w.A.N + 1 }),
		number("nodes with two edges or more", func(w *World) int {
			return keep(graph.All(w.A.N), func(y int) bool { return w.out(y) > 1 }).Len()
		}),
	},
	Explicit: says("How many groups of three {nodes} are there in which each of the three {mutual one} the other two? Count each group once."),
}
