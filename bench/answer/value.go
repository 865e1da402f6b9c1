// Package answer is the typed answers of the benchmark.
package answer

import "ein/bench/category"

// Value is an answer in terms of node indices, before labels. Exactly the field
// that Type names is meaningful.
type Value struct {
	Type      category.Result
	Bool      bool
	Int       int64
	Float     float64
	Nodes     []int // Set, increasing
	Node      int   // String
	Reachable bool  // Compound
	Degree    int64 // Compound
}
