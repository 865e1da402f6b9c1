package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// Otherwise is the one sentence of a question that says "the answer is", which makes it
// no answer of those who repeat it.
const Otherwise = "If it does not, the answer is -1."

var conditional = Category{
	Name: "conditional", Level: 3, Result: Integer, Family: Directed, Least: 3,
	Doc: "if X reaches Y the size of R(X), else -1",
	// Two in three reach, because the others all have one answer.
	Draw: drawPath(2, 3),
	ein: says(`Path = has_path(A, {X}, {Y})
Size = sum(desc(A, {X}))
Result = where(Path, Size, -1)
`),
	python: says(`reached = nx.descendants(G, {X})
print(json.dumps(len(reached) if {Y} in reached else -1))
`),
	rules: says(reachRules + `Size(count(v)) <- Reach({X}, v), v != {X}.
Answer(k) <- Size(k), Reach({X}, {Y}).
Answer(-1) <- Size(_), not Reach({X}, {Y}).
Answer(k)?
`),
	Question: worded(
		"If there is {path} from {X} to {Y}, how many {nodes} can {X} reach? Otherwise return -1.",
		"If there is {path} from {X} to {Y}, how many {nodes} can {X} reach, not counting {X} itself? Otherwise return -1."),

	// No in seven of ten: the size alone is then no better than always -1, and
	// neither is the condition, or hardly. What X reaches does not depend on Y, which
	// is deep in it or somebody else.
	Plan: func(form, s *random.Stream, w *World) (goal Goal, ok bool) {
		w.Query.Source, w.Query.Target = 0, 0
		low := w.least(4)
		size := w.window(low, min(w.N-3, low+w.N/2))
		yes := w.Lead.Chance(3, 10)
		p := w.searched(w.layers(form, size))
		last := len(p.Size) - 1
		where := span(last, last+1)
		goal.aim(-1)
		if yes {
			where = span(min(3, last-1), last)
			goal.aim(size)
		}
		if !w.lay(s, p) || p.Nodes(where) == (graph.Bits{}) {
			return goal, false
		}
		w.Query.Target = p.Nodes(where).One(s)
		return goal, true
	},
	Solver: func(w *World) Out {
		x := w.Query.Source
		path, size := w.Path(x, w.Query.Target), w.Count(w.Reach(x))
		if w.Test(path) {
			return Out{Num: size}
		}
		return Out{Num: -1}
	},
	Hops:     true,
	Explicit: says(reaching + "If {X} reaches {Y}, how many {nodes} does {X} reach, not counting {X} itself? " + Otherwise),
}
