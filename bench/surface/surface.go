// Package surface turns a graph and a question into English: labels, domains
// with their vocabulary, presentation styles, and the order of the edges.
package surface

// Verb is a relation between two nodes as a sentence says it: for one subject
// ("ships to"), for several ("ship to"). The plural is also the base form after
// "does" and "do".
type Verb struct{ One, Many string }

// Domain is the frame of a text.
type Domain struct {
	Name    string
	Node    string // one node, "supplier"
	Nodes   string // "suppliers"
	Forward Verb   // From Forward To: "ships to"
	Reverse Verb   // To Reverse From: "receives components from"
	Mutual  Verb   // symmetric, for undirected graphs: "trades with"
	Path    string // with its article: "a supply path"
}
