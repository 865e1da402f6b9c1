package category

import (
	"slices"

	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var triangleInSubgraph = Category{
	Name: "triangle_in_subgraph", Level: 2, Result: Integer, Family: Undirected, Least: 3,
	Doc: "number of triangles among X and the nodes reachable from X",
	Draw: func(s *random.Stream, c *Case) bool {
		plant(s, c)
		known := map[int]int{} // by the first node of a part
		return drawNode(0, func(f *graph.Facts, x int) (int, bool) {
			part := f.Component(x)
			first := slices.Index(part, true)
			if _, ok := known[first]; !ok {
				known[first] = f.Triangles(part)
			}
			return known[first], true
		})(s, c)
	},
	ein: says(`Part = reach(A, {X})
Sub[i,j] = A[i,j] Part[i] Part[j]
S3[i,l] = Sub[i,j] Sub[j,k] Sub[k,l]
Result = trace(S3) / 6
`),
	python: says(`part = G.subgraph(nx.node_connected_component(G, {X}))
# Each triangle is counted once at each of its three corners.
print(json.dumps(sum(nx.triangles(part).values()) // 3))
`),
	rules: says(reachRules + triangleRules + `Answer(count()) <- Triangle(x, _, _), Reach({X}, x).
Answer(k)?
`),
	Question: worded(
		"Among {X} and the {nodes} reachable from {X}, how many groups of three are there in which all three {mutual} one another?",
		"Among {X} and the {nodes} reachable from {X}, how many groups of three are there in which all three {mutual} one another, counting each group once and groups with {X} too?"),

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source = 0
		return w.triangles(form, s)
	},
	Solver: func(w *World) Out {
		return Out{Num: w.Triangles(w.Reach(w.Query.Source).With(w.Query.Source))}
	},
	Hops: true,
	Explicit: says("One {node} reaches another if following \"{mutual one}\" one or more times leads from the first to the second. " +
		"Among {X} and the {nodes} that {X} reaches, how many groups of three are there in which each of the three {mutual one} the other two? Count each group once, also those with {X}."),
}
