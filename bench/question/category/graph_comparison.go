package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var graphComparison = Category{
	Name: "graph_comparison", Level: 3, Result: Integer, Family: TwoGraphs, Least: 2,
	Doc: "number of nodes that X reaches in exactly one of the two graphs",
	Draw: func(s *random.Stream, c *Case) bool {
		h := c.G2.Facts()
		return drawNode(0, func(f *graph.Facts, x int) (int, bool) {
			first, differ := f.Reach(x), 0
			for y, in := range h.Reach(x) {
				if in != first[y] {
					differ++
				}
			}
			return differ, true
		})(s, c)
	},
	ein: says(`InA = desc(A, {X})
InB = desc(B, {X})
Result = sum(InA != InB)
`),
	python: says(`source = {X}
differing = nx.descendants(G, source) ^ nx.descendants(H, source)
print(json.dumps(len(differing)))
`),
	rules: says(`InA(v) <- First({X}, v).
InA(v) <- InA(u), First(u, v).
InB(v) <- Second({X}, v).
InB(v) <- InB(u), Second(u, v).
Apart(v) <- InA(v), not InB(v), v != {X}.
Apart(v) <- InB(v), not InA(v), v != {X}.
Answer(count()) <- Apart(_).
Answer(k)?
`),
	Question: worded(
		"How many {nodes} can {X} reach in exactly one of the two networks?",
		"How many {nodes} can {X} reach in exactly one of the two networks, not counting {X} itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source = 0
		// Sizes that are even together differ by an even number.
		size := max(2, w.N/2)
		apart := w.window(1, min(size-1, w.N-1-size))
		goal.aim(2 * apart)
		return goal, w.twice(form, s, size, apart)
	},
	Solver: func(w *World) Out {
		x := w.Query.Source
		return Out{Num: w.Count(w.Combine(w.Reach(x), w.search(&w.B, x, false), graph.Bits.Xor))}
	},
	Decoys: []Decoy{number("difference of sizes", func(w *World) int {
		a, _ := w.A.Reach(graph.Bit(w.Query.Source), -1, w.A.N, false)
		b, _ := w.B.Reach(graph.Bit(w.Query.Source), -1, w.A.N, false)
		return max(a.Len()-b.Len(), b.Len()-a.Len())
	})},
	Hops:     true,
	Explicit: says(reaching + "How many {nodes} does {X} reach in exactly one of the two networks? Do not count {X} itself."),
}
