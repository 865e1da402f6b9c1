// Package category defines the kinds of question.
//
// A [Category] is one file: its definition, how it chooses the nodes and thresholds that
// it asks about ([Query]), its Ein program, its Python program and its wording. The Table
// lists them all. [Category.Choose] draws a graph and a query of a given [Shape] ([Drawn]).
//
// [Category.Solve] computes the answer with the tools of a [World]. A decoy can cut each
// tool short or leave it out, so a solver also gives the plausible wrong answers. Package
// instance turns what is drawn here into an instance, and package surface into English.
package category

import (
	"ein/bench/question/graph"
	"ein/bench/question/random"
)

// Result is the type of an answer.
type Result string

// The result types.
const (
	Boolean  Result = "boolean"
	Integer  Result = "integer"
	Float    Result = "float"
	Set      Result = "set"
	String   Result = "string"
	Compound Result = "compound"
)

// Family says how the graph of a category is drawn.
type Family uint8

// Directed and Undirected graphs are Bernoulli; Kinship is a DAG from parent to
// child; TwoGraphs is a pair of directed graphs on the same nodes.
const (
	Directed Family = iota
	Undirected
	Kinship
	TwoGraphs
)

// None is the value of a field of Query that a category does not use.
const None = -1

// Query is what a question asks about; nodes are indices.
type Query struct {
	Source    int
	Target    int
	Threshold int
	MinIn     int
	MinOut    int
	MaxOut    int      // cb2 only, as is the next; 0 is none
	Aggregate string   // Mean (in cb1: ""), Maximum or Sum
	Direction string   // "out" or "in"
	Steps     []string // kinship steps: parent, child, sibling, grandparent, grandchild
}

// The ways to make one number of many.
const (
	Mean    = "mean"
	Maximum = "maximum"
	Sum     = "sum"
)

// Case is a graph and a query: everything that decides the answer.
type Case struct {
	G     graph.Graph
	G2    graph.Graph // TwoGraphs only
	Query Query
}

// Category is one kind of question.
type Category struct {
	Name   string
	Level  int // 1 to 3
	Result Result
	Family Family
	Doc    string // the definition
	Least  int    // fewest nodes it can be asked about

	// Draw chooses the query for the graph of c. It reports false when the graph
	// has no good question; then the whole case is drawn again from the same
	// stream. It knows the graph only through package graph.
	Draw func(s *random.Stream, c *Case) bool
	// Ein is the program whose output is the answer. Node sets come out as 0/1
	// vectors, nodes as positions.
	Ein func(c *Case) string
	// Python is a program with networkx that prints the same as one JSON value:
	// node sets as sorted lists of indices, nodes as indices, compounds as objects.
	Python func(c *Case) string
	// Rules is a program of rules and queries with the same answer. The facts are put
	// before it, and labels, in quotes, in place of {X} and {Y}.
	Rules func(c *Case) string
	// Question is the wording, with placeholders in braces that package surface
	// fills in; explicit wordings state the convention that paper wordings leave
	// open.
	Question func(c *Case, explicit bool) string

	// The rest is of cb2.

	// Plan draws the graph, laid out in blocks, and the query. Before anything fails it sets
	// what the query has.
	Plan func(form, s *random.Stream, w *World) (Goal, bool)
	// Pose, where there is no plan, chooses the query for a graph, which a walk then
	// goes on to change.
	Pose func(form, s *random.Stream, w *World) (Goal, bool)
	// Solver answers it. It shares no code with the machine, which has the last
	// word; that the two agree is tested.
	Solver func(w *World) Out
	// Decoys are hidden besides those that are made of the solver.
	Decoys []Decoy
	Hops   bool // it searches, so that depth is an axis
	Local  bool // degrees are the answer, so that the walk has to change them
	// Explicit is the wording that states what counts.
	Explicit func(c *Case) string
}
