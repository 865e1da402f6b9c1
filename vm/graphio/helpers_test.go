package graphio

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ein/vm/tensor"
)

// load reads one file by the options of its spec and binds it alone.
func load(t testing.TB, kind Kind, spec, content string) (tensor.Value, []string, []Warning, error) {
	t.Helper()
	name, opt, err := ParseSpec(spec)
	if err != nil {
		return tensor.Value{}, nil, nil, err
	}
	opt.Kind = kind
	raw, err := Read(strings.NewReader(content), name, opt)
	if err != nil {
		return tensor.Value{}, nil, nil, err
	}
	vals, labels, warnings, err := Bind([]Decl{{"A", raw}}, nil)
	if err != nil {
		return tensor.Value{}, nil, nil, err
	}
	checkValue(t, &vals[0])
	return vals[0], labels, warnings, nil
}

// checkValue verifies what tensor says of its layouts.
func checkValue(t testing.TB, v *tensor.Value) {
	t.Helper()
	if v.Layout == tensor.Dense {
		if uint64(len(v.F)) != v.Shape.Elems() {
			t.Fatalf("%d elements for shape %v", len(v.F), v.Shape)
		}
		return
	}
	if v.Layout == tensor.Packed {
		if b := v.Bits; b.Rows != v.Shape.Dim(0) || b.Cols != v.Shape.Dim(1) || len(b.W) != b.Rows*b.Stride || v.Kind != tensor.Bool {
			t.Fatalf("malformed bits: %+v", b)
		}
		return
	}
	m := &v.CSR
	if m.Rows != v.Shape.Dim(0) || m.Cols != v.Shape.Dim(1) || len(m.Ptr) != m.Rows+1 || m.Ptr[0] != 0 || int(m.Ptr[m.Rows]) != len(m.Idx) {
		t.Fatalf("malformed CSR: %+v", m)
	}
	if m.Val != nil && len(m.Val) != len(m.Idx) || (m.Val == nil) != (v.Kind == tensor.Bool) {
		t.Fatalf("kind %v with values %v", v.Kind, m.Val)
	}
	for i := range m.Rows {
		row := m.Row(i)
		for k, j := range row {
			if j < 0 || int(j) >= m.Cols || k > 0 && j <= row[k-1] {
				t.Fatalf("row %d is %v", i, row)
			}
		}
	}
}

// show prints a value: "bool 2x2: 0>1 1>0" or "int 3: 1 2 3".
func show(v *tensor.Value) string {
	var b strings.Builder
	if v.Far {
		b.WriteString("far ")
	}
	fmt.Fprintf(&b, "%v:", v.Type)
	if v.Layout == tensor.Dense {
		for _, x := range v.F {
			fmt.Fprintf(&b, " %v", x)
		}
		return b.String()
	}
	for i := range v.Bits.Rows {
		for j := range v.Bits.Cols {
			if v.Bits.Get(i, j) {
				fmt.Fprintf(&b, " %d>%d", i, j)
			}
		}
	}
	for i := range v.CSR.Rows {
		for k := v.CSR.Ptr[i]; k < v.CSR.Ptr[i+1]; k++ {
			fmt.Fprintf(&b, " %d>%d", i, v.CSR.Idx[k])
			if v.CSR.Val != nil {
				fmt.Fprintf(&b, "=%v", v.CSR.Val[k])
			}
		}
	}
	return b.String()
}

// outcome is a load as text: the value, labels, warnings, or the error.
func outcome(t testing.TB, kind Kind, spec, content string) string {
	t.Helper()
	v, labels, warnings, err := load(t, kind, spec, content)
	if err != nil {
		return "error: " + err.Error()
	}
	s := show(&v)
	if labels != nil {
		s += fmt.Sprintf(" %q", labels)
	}
	for _, w := range warnings {
		s += "\n" + w.Code + ": " + w.String()
	}
	return s
}

type loadCase struct {
	name       string
	kind       Kind
	spec, text string
	want       string
}

func runCases(t *testing.T, cases []loadCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kind := c.kind
			if kind == "" {
				kind = Graph
			}
			if got := outcome(t, kind, c.spec, c.text); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.spec, got, c.want)
			}
		})
	}
}

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }
