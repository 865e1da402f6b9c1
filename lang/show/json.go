package show

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"ein/internal/compact"
	"ein/vm"
	"ein/vm/tensor"
)

// JSON writes an output as {"name","kind","shape","value"}, in full. The value
// is a number, an array, or nested arrays; with opt.Nodes a set of nodes is the
// array of its members, a path the array of its nodes in order (empty when there
// is none), and a node its label.
//
// In version 2 a value is always the number or the nested arrays of its shape. A
// sparse matrix has "entries":[[i,j,v],...] instead, and with opt.Nodes a set has
// "nodes", a path "path" and a node "node", all by number.
//
// A relation is {"name","kind":"relation","columns","types","rows"} in both, and one
// without columns {"name","kind":"bool","value"}; with opt.Proofs either has "proofs".
func JSON(ctx context.Context, w io.Writer, out *vm.Output, opt Options) error {
	j := &jsonWriter{newWriter(ctx, w, opt)}
	v := out.Value
	j.put(`{"name":`)
	j.string(out.Name)
	if v.Layout == tensor.Rows {
		j.relation(v.Table)
		if opt.Proofs != nil {
			j.put(`,"proofs":`, string(opt.Proofs))
		}
		j.put("}")
		return j.end()
	}
	j.put(`,"kind":"`, v.Kind.String(), `","shape":[`)
	for d := range v.Shape.Rank() {
		if d > 0 {
			j.put(",")
		}
		j.int(v.Shape.Dim(d))
	}
	key := func(name string) string {
		if opt.Version != 2 {
			name = "value"
		}
		return `],"` + name + `":`
	}
	node, isNode := opt.node(out)
	sparse := false
	if opt.Version == 2 {
		_, sparse = j.entries(v)
	}
	switch {
	case isNode:
		j.put(key("node"))
		j.node(node)
	case opt.path(out):
		j.put(key("path"))
		j.nodes(slices.Values(j.pathOf(v)))
	case opt.set(v):
		j.put(key("nodes"))
		j.nodes(j.indices(v))
	case sparse:
		j.put(key("entries"))
		j.sparse(v)
	case v.Shape.Rank() == 0:
		j.put(key("value"))
		j.number(v.At())
	default:
		j.put(key("value"))
		j.tensor(v)
	}
	j.put("}")
	return j.end()
}

// jsonWriter writes outputs as JSON piece by piece, as they may be large.
type jsonWriter struct{ writer }

// string writes a JSON string.
func (j *jsonWriter) string(s string) {
	_, _ = j.Write(compact.Must(s))
}

func (j *jsonWriter) node(n int) {
	if len(j.opt.Labels) == 0 || j.opt.Version == 2 {
		j.int(n)
		return
	}
	j.string(j.opt.Labels[n])
}

func (j *jsonWriter) nodes(nodes iter.Seq[int]) {
	sep := ""
	j.put("[")
	for n := range nodes {
		j.put(sep)
		j.node(n)
		sep = ","
	}
	j.put("]")
}

// sparse writes the entries as [row, column, value].
func (j *jsonWriter) sparse(v *tensor.Value) {
	sep := "["
	j.put("[")
	for c := range j.cells(v) {
		j.put(sep)
		j.int(c.row)
		j.put(",")
		j.int(c.col)
		j.put(",")
		j.number(c.value)
		j.put("]")
		sep = ",["
	}
	j.put("]")
}

// tensor writes nested arrays: before a row and after it, one bracket for each
// axis that begins or ends there. Outputs are finite, and the form of Go's shortest
// floats is that of JSON.
func (j *jsonWriter) tensor(v *tensor.Value) {
	if v.Shape.Elems() == 0 {
		j.put("[]") // the shape says the rest
		return
	}
	n := rows(v)
	for i := 0; i < n && !j.ended(); i++ {
		if i > 0 {
			j.put(",")
		}
		j.put(strings.Repeat("[", ends(v.Shape, i)))
		for from, part := range j.row(v, i, width(v)) {
			for k, x := range part {
				if from+k > 0 {
					j.put(",")
				}
				j.number(x)
			}
		}
		j.put(strings.Repeat("]", ends(v.Shape, i+1)))
	}
}

// ends returns how many axes, the last included, end before row i.
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
