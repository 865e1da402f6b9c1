// Package category defines the kinds of question.
//
// A [Category] is one file and one row of [Table]: its definition, how it draws its graph and
// what it asks about ([Query]), its programs in Ein, in Python and in rules, and its wordings. A
// [Case] is a graph and a query, which together decide the answer. Package instance turns a case
// into an instance, and package surface puts it into English.
//
// # Two generators
//
// In cb1 a random graph comes first, and Draw looks for a good question about it.
//
// In cb2, [Category.Choose] works the other way round, so that what a simple solver says tells
// little about the answer. A category has a Solver, composed of the operations of a [World]: search,
// filter, combine and so on. A [Cut] can shorten, reverse or leave out any one of them. The same
// solver then acts as a decoy that skips what is tested; a category may add decoys of its own.
// Choose hides the answer from the decoys:
//
//  1. The form of the question and, in most categories, the answer are drawn first, by streams of
//     their own, so that no failed try favours an answer.
//  2. A Plan (plan.go) draws what the decoys will say, independently of the answer, and lays the
//     nodes out in blocks, with the edges between them that are allowed and required. Every graph
//     that follows the plan has the answer. Categories without a plan draw any graph and choose a
//     question for it (Pose).
//  3. A walk (choose.go) exchanges the targets of edges, which keeps all degrees. Among the graphs on
//     the way for which the decoys agree, one of at least Goal.Least different answers is drawn.
//
// What no try achieves is given up in two steps, which [Drawn] records as Loose.
//
// # Invariants
//
// Everything is drawn from the stream in a fixed order, so nothing may depend on the order of a
// map or on floating point: a case is the same on every machine for ever. No function here sees
// the answer that the machine computes. Solver shares no code with the machine, and tests compare
// the two, as well as a brute-force oracle (oracle_test.go).
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

	// Draw chooses the query for the graph of c. It returns false if the graph has no good
	// question; the whole case is then drawn again from the same stream. It knows the graph
	// only through package graph.
	Draw func(s *random.Stream, c *Case) bool
	// What follows the graph in the programs of Ein, Python and rules that give the answer. As in
	// questions, {X} and {Y} are the nodes that are asked about and {k}, {a}, {b} and {c} the
	// numbers.
	ein, python, rules func(c *Case) string
	// Question is the wording, with placeholders in braces for package surface. Explicit
	// wordings state the convention that the paper's leave open.
	Question func(c *Case, explicit bool) string

	// The rest is of cb2.

	// Plan draws the query and a graph laid out in blocks. It sets the fields of the query
	// before it can fail, since the last resort keeps them (any).
	Plan func(form, s *random.Stream, w *World) (Goal, bool)
	// Pose, where there is no plan, chooses the query for a graph that a walk then changes.
	Pose func(form, s *random.Stream, w *World) (Goal, bool)
	// Solver answers the question. It shares no code with the machine, which has the last
	// word; tests compare the two.
	Solver func(w *World) Out
	// Decoys are hidden as well as those that cut the solver.
	Decoys []Decoy
	Hops   bool // the solver searches, so depth is an axis
	Local  bool // degrees are the answer, so the walk has to change them
	// Explicit is the wording that states what counts.
	Explicit func(c *Case) string
}
