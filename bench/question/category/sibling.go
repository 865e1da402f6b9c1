package category

import (
	"ein/bench/question/graph"
)

var sibling = Category{
	Name: "sibling", Level: 1, Result: Set, Family: Kinship, Least: 3,
	Doc:  "nodes other than X that share a parent with X",
	Draw: drawSize(0, (*graph.Facts).Siblings),
	ein:  says("Result = siblings(A, {X})\n"),
	python: says(`person = {X}
siblings = {child for parent in G.predecessors(person) for child in G.successors(parent)}
siblings.discard(person)
print(json.dumps(sorted(siblings)))
`),
	rules: says(`Sibling(v) <- Parent(p, {X}), Parent(p, v), v != {X}.
Sibling(v)?
`),
	Question: worded(
		"Who are the siblings of {X}?",
		"Who are the siblings of {X}, that is, the people other than {X} who share at least one parent with {X}?"),

	Pose: poseChild,
	Solver: func(w *World) Out {
		x := w.Query.Source
		return Out{Set: w.Step(w.Step(graph.Bit(x), (*World).parents), (*World).children).Less(x)}
	},
	Decoys:   []Decoy{{"parents and children", func(w *World) Out { x := w.Query.Source; return Out{Set: w.A.In[x].Or(w.A.Out[x])} }}},
	Explicit: says("Which people other than {X} share at least one parent with {X}? There may be none."),
}
