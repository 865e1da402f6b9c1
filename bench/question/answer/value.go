// Package answer parses and compares the answers of the benchmark.
//
// A [Value] is an answer of one of the result types of package category. A [Reference] is
// the right one, with the readings that a question leaves open. [Score] finds the answer
// in the text of a reply and compares it, [Printed] does so for the output of a program;
// both give a [Result] with an [Outcome], and a [Reason] if no answer was found. A [Mode]
// (strict, relaxed, lenient) says which outcomes count as right.
//
// Relaxed and lenient extend strict in different directions: relaxed accepts other forms of
// the right value, lenient other values in the right form. So an answer that is right in
// both alone, another value in another form, is wrong, and every outcome names the modes in
// which it counts.
//
// JSON is read by a parser of its own (json.go): answers are found in the middle of other
// text, numbers must not be rounded (decimal.go), and a repeated name is an error. The rules
// must hold for every implementation of the scoring; testdata/scoring has their vectors.
//
// The package never looks at the graph: the reference holds all it compares with.
package answer

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"ein/bench/question/category"
	"ein/internal/compact"
	"ein/internal/lists"
)

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

// Equal reports whether two answers are the same; floats have to be so to the
// last bit.
func (v Value) Equal(w Value) bool {
	if v.Type != w.Type {
		return false
	}
	switch v.Type {
	case category.Boolean:
		return v.Bool == w.Bool
	case category.Integer:
		return v.Int == w.Int
	case category.Float:
		return math.Float64bits(v.Float) == math.Float64bits(w.Float)
	case category.Set:
		return slices.Equal(v.Nodes, w.Nodes)
	case category.String:
		return v.Node == w.Node
	}
	return v.Reachable == w.Reachable && v.Degree == w.Degree
}

// JSON returns the answer as a reply has to give it. A set is the array of its labels
// in the order of the nodes.
func (v Value) JSON(labels []string) json.RawMessage {
	switch v.Type {
	case category.Boolean:
		return strconv.AppendBool(nil, v.Bool)
	case category.Integer:
		return strconv.AppendInt(nil, v.Int, 10)
	case category.Float:
		return appendFloat(nil, v.Float)
	case category.Set:
		return compact.Must(lists.Map(v.Nodes, func(node int) string { return labels[node] }))
	case category.String:
		return compact.Must(labels[v.Node])
	}
	b := strconv.AppendBool([]byte(`{"reachable":`), v.Reachable)
	b = strconv.AppendInt(append(b, `,"degree":`...), v.Degree, 10)
	return append(b, '}')
}

// appendFloat writes the shortest decimal that reads back as x. Answers are means
// of degrees, so an exponent, whose form differs between languages, is only for
// numbers that no answer has.
func appendFloat(b []byte, x float64) []byte {
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, 64)
}
