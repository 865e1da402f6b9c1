// Package instance generates the instances of the benchmark.
//
// An [ID] names an instance, and [Generate] makes it from the id alone, byte for byte the
// same on every machine. An [Instance] is what a line of a file holds; [Read] and [Write] convert.
//
// Generate derives two keys from the id, and draws from two streams:
//
//   - the structural key gives graph and query (package category), and so the answer, which the
//     instance's own Ein program computes in the machine;
//   - the surface key gives labels, domain, style and phrases (package surface), with a stream
//     for each of them, so that one more choice in one moves no other.
//
// Neither side sees the answer. The edition of an id (edition.go) has what its generator, cb1 or
// cb2, does differently. What an id has once given never changes: a change is a new generator with
// ids of its own, and testdata/cb1.txt pins digests of many.
//
// A [Generator] makes many instances, on several goroutines but in order. [Cells] say how many of
// each category. [Seen] keeps them apart from instances that exist already (disjoint.go): from their
// ids, their structures up to isomorphism and, if wanted, their labels and domains. A [Proof]
// confirms it afterwards on the complete files.
package instance

import "encoding/json"

// Instance is one question with its computed answer; the fields are written in
// this order, one object a line.
type Instance struct {
	ID             string          `json:"id"`
	Version        string          `json:"version"`
	Split          string          `json:"split"`
	Category       string          `json:"category"`
	Level          string          `json:"level"` // L1, L2, L3
	ResultType     string          `json:"result_type"`
	N              int             `json:"n"`
	Density        json.Number     `json:"density"`
	Depth          int             `json:"depth"` // cb1: the level; cb2: hops needed
	Operations     int             `json:"operations,omitempty"`
	Directed       bool            `json:"directed"`
	StructuralSeed uint64          `json:"structural_seed"`
	SurfaceSeed    uint64          `json:"surface_seed"`
	Nodes          []string        `json:"nodes"` // labels in index order
	Edges          [][2]int        `json:"edges"`
	Edges2         [][2]int        `json:"edges2,omitzero"` // of graph_comparison, where it may be empty
	Query          Query           `json:"query"`
	Domain         string          `json:"domain"`
	Style          string          `json:"style"`
	Labels         string          `json:"labels"` // the pool
	Question       string          `json:"question"`
	Answer         json.RawMessage `json:"answer"`
	EinProgram     string          `json:"ein_program"`
	PythonProgram  string          `json:"python_program"`
	Digest         string          `json:"digest"` // SHA-256 of everything above
}

// Query is the typed anchors; what a category does not use is left out.
type Query struct {
	Source       *int     `json:"source,omitempty"`
	Target       *int     `json:"target,omitempty"`
	Threshold    *int     `json:"threshold,omitempty"`
	MinInDegree  *int     `json:"min_in_degree,omitempty"`
	MinOutDegree *int     `json:"min_out_degree,omitempty"`
	MaxOutDegree int      `json:"max_out_degree,omitempty"` // cb2 only, as is the next
	Aggregate    string   `json:"aggregate,omitempty"`
	Direction    string   `json:"direction,omitempty"`
	Steps        []string `json:"steps,omitempty"`
}
