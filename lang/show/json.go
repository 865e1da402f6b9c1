package show

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

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

// string writes a JSON string, with < and > as they are: names of outputs are
// expressions. A string always has a JSON form, so there is no error.
func (j *jsonWriter) string(s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	_, _ = j.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
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
		j.put("[]") // the shape says the rest
		return
	}
	r := newRows(v)
	for i := range r.n {
		if i > 0 {
			j.put(",")
		}
		j.put(strings.Repeat("[", ends(v.Shape, i)))
		for k, x := range r.row(i, math.MaxInt) {
			if k > 0 {
				j.put(",")
			}
			j.number(x)
		}
		j.put(strings.Repeat("]", ends(v.Shape, i+1)))
	}
}

// ends is the number of axes, the last one included, that have an end before
// row i.
func ends(s tensor.Shape, i int) int {
	n := 1
	for d, block := s.Rank()-2, 1; d >= 0; d-- {
		block *= s.Dim(d)
		if i%block == 0 {
			n++
		}
	}
	return n
}
