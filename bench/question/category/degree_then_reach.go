package category

import (
	"fmt"

	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var degreeThenReach = Category{
	Name: "degree_then_reach", Level: 2, Result: String, Family: Directed, Least: 3,
	Doc: "among the nodes with out-degree at least k, the unique one that reaches most nodes",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		n, reach := c.G.N, reacher(f)
		size := make([]int, n)
		for x := range n {
			size[x] = reach(x).Len()
		}
		// With a single candidate there is nothing to compare; that is left for
		// graphs in which all that have many edges reach as much.
		var fair, single []int
		for k := 1; k <= largest(n, f.OutDegree); k++ {
			most, best, all := -1, 0, 0
			for x := range n {
				if f.OutDegree(x) < k {
					continue
				}
				all++
				if size[x] > most {
					most, best = size[x], 0
				}
				if size[x] == most {
					best++
				}
			}
			if all == 1 {
				single = append(single, k)
			} else if best == 1 {
				fair = append(fair, k)
			}
		}
		if len(fair) == 0 {
			if len(single) == 0 || !poor(s, n) {
				return false
			}
			fair = single
		}
		c.Query = ask(None, None)
		c.Query.Threshold = fair[s.IntN(len(fair))]
		return true
	},
	ein: says(`TC = tc(A)
Size = sum(TC, 1) - diag(TC)
Degree = sum(A, 1)
Result = argmax(where(Degree >= {k}, Size, -1))
`),
	python: says(`candidates = [v for v in G if G.out_degree(v) >= {k}]
print(json.dumps(max(candidates, key=lambda v: len(nx.descendants(G, v)))))
`),
	rules: says(reachRules + `Degree(x, count()) <- Edge(x, _).
Size(x, count(y)) <- Degree(x, k), k >= {k}, Reach(x, y), x != y.
Most(max(k)) <- Size(_, k).
Answer(x) <- Size(x, k), Most(k).
Answer(x)?
`),
	Question: func(c *Case, explicit bool) string {
		clause := ""
		if explicit {
			clause = ", not counting itself"
		}
		return fmt.Sprintf("Among the {nodes} that {forward} at least {k} %s, which one can reach the most {nodes}%s?", nodes(c.Query.Threshold), clause)
	},

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Threshold = form.Between(2, 2+is(w.N >= 14).Num)
		ok := w.candidates(form, s, w.Query.Threshold)
		w.Query.Source = None
		return Goal{}, ok
	},
	Solver: func(w *World) Out {
		degree := w.Degrees()
		return w.Best(w.Keep(graph.All(w.A.N), func(y int) bool { return degree(y) >= w.Query.Threshold }), w.Reaches())
	},
	Decoys: []Decoy{
		{"largest out-degree", func(w *World) Out { return w.Best(graph.All(w.A.N), w.out) }},
	},
	Hops: true,
	Explicit: func(c *Case) string {
		return fmt.Sprintf(reaching+"Among the {nodes} that {forward} at least {k} %s directly, which one reaches the most {nodes}, not counting itself?", nodes(c.Query.Threshold))
	},
}
