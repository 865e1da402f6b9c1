package show

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"ein/vm"
	"ein/vm/tensor"
)

// JSON writes an output as {"name","kind","shape","value"}, in full. The value
// is a number, an array, or nested arrays; with opt.Nodes a set of nodes is the
// array of its members, a path the array of its nodes in order (empty when there
// is none), and a node its label.
func JSON(w io.Writer, out *vm.Output, opt Options) error {
	j := &jsonWriter{Writer: bufio.NewWriter(w), opt: opt}
	v := out.Value
	j.put(`{"name":`)
	j.string(out.Name)
	j.put(`,"kind":"`, v.Kind.String(), `","shape":[`)
	for d := range v.Shape.Rank() {
		if d > 0 {
			j.put(",")
		}
		j.put(strconv.Itoa(v.Shape.Dim(d)))
	}
	j.put(`],"value":`)
	node, isNode := opt.node(out)
	switch {
	case isNode:
		j.node(node)
	case opt.path(out):
		j.nodes(pathOf(v))
	case opt.set(v):
		j.nodes(nodesOf(v))
	case v.Shape.Rank() == 0:
		j.number(v.At())
	default:
		j.tensor(v)
	}
	j.put("}")
	return j.Flush()
}

type jsonWriter struct {
	*bufio.Writer
	opt Options
	num [32]byte
}

func (j *jsonWriter) put(s ...string) {
	for _, x := range s {
		_, _ = j.WriteString(x)
	}
}

// string writes a JSON string. A string always has one, so the error is nil.
func (j *jsonWriter) string(s string) {
	b, _ := json.Marshal(s)
	_, _ = j.Write(b)
}

// number writes what text shows; outputs are finite, and the form of Go's
// shortest floats is that of JSON.
func (j *jsonWriter) number(x float64) { _, _ = j.Write(appendNumber(j.num[:0], x)) }

func (j *jsonWriter) node(n int) {
	if len(j.opt.Labels) == 0 {
		j.put(strconv.Itoa(n))
		return
	}
	j.string(j.opt.Labels[n])
}

func (j *jsonWriter) nodes(nodes []int) {
	j.put("[")
	for i, n := range nodes {
		if i > 0 {
			j.put(",")
		}
		j.node(n)
	}
	j.put("]")
}

// tensor writes nested arrays: before a row and after it, one bracket for each
// axis that begins or ends there.
func (j *jsonWriter) tensor(v *tensor.Value) {
	if v.Shape.Elems() == 0 {
		j.empty(v.Shape, 0)
		return
	}
	r := newRows(v)
	rank := v.Shape.Rank()
	for i := range r.n {
		if i > 0 {
			j.put(",")
		}
		depth := 1
		for d, block := rank-2, 1; d >= 0; d-- {
			block *= v.Shape.Dim(d)
			if i%block == 0 {
				depth++
			}
		}
		for range depth {
			j.put("[")
		}
		for k, x := range r.row(i, math.MaxInt) {
			if k > 0 {
				j.put(",")
			}
			j.number(x)
		}
		depth = 1
		for d, block := rank-2, 1; d >= 0; d-- {
			block *= v.Shape.Dim(d)
			if (i+1)%block == 0 {
				depth++
			}
		}
		for range depth {
			j.put("]")
		}
	}
}

// empty writes a tensor without elements, as far as its axes go before one of
// size 0.
func (j *jsonWriter) empty(s tensor.Shape, axis int) {
	j.put("[")
	if axis < s.Rank() {
		for i := range s.Dim(axis) {
			if i > 0 {
				j.put(",")
			}
			j.empty(s, axis+1)
		}
	}
	j.put("]")
}
