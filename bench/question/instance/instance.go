// Package instance generates the instances of the benchmark.
//
// An [ID] names an instance, and [Generate] makes it from the id alone, byte for byte the
// same on every machine: it draws a structure (graph and query) by package category and a
// surface (labels, domain, style) by package surface, and attaches the answer and the
// programs. An [Instance] is what a line of a file holds; [Read] and [Write] convert.
//
// A [Generator] makes many: a [Cells] says how many of each category, and [Seen] keeps them
// apart from instances that exist already, up to isomorphism, which a [Proof] confirms.
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
