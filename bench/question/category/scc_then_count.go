package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

var sccThenCount = Category{
	Name: "scc_then_count", Level: 2, Result: Integer, Family: Directed, Least: 2,
	Doc:  "size of X's strongly connected component, X included",
	Draw: drawSize(1, (*graph.Facts).Component),
	ein: says(`Same = scc(A)
Component[j] = select(Same, {X}, j)
Result = sum(Component)
`),
	python: says(`component = next(c for c in nx.strongly_connected_components(G) if {X} in c)
print(json.dumps(len(component)))
`),
	rules: says(componentRules + "Answer(count()) <- Same(_).\nAnswer(k)?\n"),
	Question: worded(
		"How many {nodes} are in the largest group containing {X} in which every {node} can reach every other?",
		"How many {nodes} are in the largest group containing {X} in which every {node} can reach every other, counting {X} itself?"),

	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source = 0
		low, high := w.ringSizes()
		goal.aim(w.window(low, max(low, min(high, 5))))
		goal.Least, goal.Only = 3, between(low, max(low, 5))
		return goal, w.lay(s, w.ring(form, goal.Aim, high-goal.Aim))
	},
	Solver:   func(w *World) Out { return Out{Num: w.Count(w.component(w.Query.Source))} },
	Hops:     true,
	Explicit: says(reaching + "Count {X} and all {nodes} that {X} reaches and that reach {X}. How many are they together?"),
}

// component returns the strongly connected component of x.
func (w *World) component(x int) graph.Bits {
	return w.Combine(w.Reach(x), w.Above(x), graph.Bits.And).With(x)
}
