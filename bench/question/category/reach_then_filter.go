package category

import (
	"fmt"

	"ein/bench/question/random"
)

var reachThenFilter = Category{
	Name: "reach_then_filter", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc: "number of nodes of R(X) with out-degree at least k",
	Draw: func(s *random.Stream, c *Case) bool {
		f := c.G.Facts()
		n, most, reach := c.G.N, largest(c.G.N, f.OutDegree), reacher(f)
		i, ok := vary(s, n, n*most, 0, func(i int) (int, bool) {
			return count(reach(i/most), func(y int) bool { return f.OutDegree(y) >= i%most+1 }), true
		})
		if ok {
			c.Query = ask(i/most, None)
			c.Query.Threshold = i%most + 1
		}
		return ok
	},
	ein: says(`Reached = desc(A, {X})
Degree = sum(A, 1)
Result = sum(Reached * (Degree >= {k}))
`),
	python: says(`reached = nx.descendants(G, {X})
print(json.dumps(sum(G.out_degree(v) >= {k} for v in reached)))
`),
	rules: says(reachRules + `Degree(x, count()) <- Edge(x, _).
Answer(count(v)) <- Reach({X}, v), v != {X}, Degree(v, k), k >= {k}.
Answer(k)?
`),
	Question: func(c *Case, explicit bool) string {
		clause := ""
		if explicit {
			clause = " not counting {X} itself,"
		}
		return fmt.Sprintf("Of the {nodes} that {X} can reach,%s how many {forward} at least {k} %s?", clause, nodes(c.Query.Threshold))
	},

	Plan: func(form, s *random.Stream, w *World) (Goal, bool) {
		w.Query.Source, w.Query.Threshold = 0, form.Between(2, 2+is(w.N >= 14).Num)
		return Goal{Least: 3, Only: between(1, 3), All: 3 + is(w.N >= 12).Num}, w.reached(form, s, 9)
	},
	Solver: func(w *World) Out {
		degree := w.Degrees()
		return Out{Num: w.Count(w.Keep(w.Reach(w.Query.Source), func(y int) bool { return degree(y) >= w.Query.Threshold }))}
	},
	Hops: true,
	Explicit: func(c *Case) string {
		return fmt.Sprintf(reaching+"Of the {nodes} that {X} reaches, not counting {X} itself, how many {forward} at least {k} %s directly?", nodes(c.Query.Threshold))
	},
}
