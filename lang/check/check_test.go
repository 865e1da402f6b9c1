package check

import (
	"slices"
	"testing"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

func TestProgramLabels(t *testing.T) {
	f := syntax.Parse(source.NewFile("in.ein", `A = edges([["b", "a"], ["a", "c"]])
def f(x) = reach(edges([["d", "a"]]), x)
B = edges([[0, 1]], 2)
:print f("nobody")
`), syntax.Options{})
	if got := ProgramLabels(f); !slices.Equal(got, []string{"b", "a", "c", "d"}) {
		t.Errorf("labels %q", got)
	}
	p := Check(f, Config{Labels: []string{"c", "z"}})
	if !slices.Equal(p.Labels, []string{"c", "z", "b", "a", "d"}) {
		t.Errorf("labels of the program %q", p.Labels)
	}
}

func TestPreludeDefs(t *testing.T) {
	for name, d := range PreludeDefs() {
		if d.Name.Name != name {
			t.Errorf("%s is called %s", name, d.Name.Name)
		}
	}
	if PreludeDefs()["siblings"] == nil {
		t.Error("no siblings")
	}
}

func TestProfileString(t *testing.T) {
	for p, want := range map[Profile]string{Full: "full", Core: "core", Repl: "repl"} {
		if p.String() != want {
			t.Errorf("%d is %s", p, p)
		}
	}
}

// TestSparseInput binds CSR matrices: as a graph only when all weights are 1.
func TestSparseInput(t *testing.T) {
	sparse := func(weights ...float64) *tensor.Value {
		csr, _ := tensor.BuildCSR(3, 3, []int32{0, 1}, []int32{1, 2}, nil)
		v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, CSR: csr}
		if weights != nil {
			v.CSR.Val = weights
			for _, x := range weights {
				v.Kind = max(v.Kind, ir.KindOf(x), tensor.Int)
			}
		}
		return v
	}
	for _, test := range []struct {
		kind  string
		value *tensor.Value
		ok    bool
		bound float64
	}{
		{"graph", sparse(), true, 1},
		{"graph", sparse(1, 1), true, 255}, // in whole bytes: the code may run again on other data
		{"graph", sparse(1, 2.5), false, 0},
		{"matrix", sparse(-7, 2.5), true, inf},
		{"matrix", sparse(-7, 2), true, 255},
		{"matrix", sparse(1, 256), true, 65535},
		{"matrix", sparse(1, 1<<50), true, tensor.MaxInt - 1},
	} {
		p := checkText("input A: "+test.kind+"\n:print A\n", Config{Inputs: map[string]*tensor.Value{"A": test.value}})
		if ok := !p.Diags.HasErrors(); ok != test.ok {
			t.Errorf("%s of %v: %v", test.kind, test.value.CSR.Val, p.Diags)
		} else if n := p.Outputs[0].Node; ok && n.Bound != test.bound {
			t.Errorf("%s of %v is bounded by %v", test.kind, test.value.CSR.Val, n.Bound)
		}
	}
}

// TestUnbound is what a program lacks that can be checked but not run.
func TestUnbound(t *testing.T) {
	v := dense(tensor.Real, tensor.ShapeOf(2), []float64{1, 2})
	p := checkText("input A: graph\ninput v: vector\n:print A, v\n", Config{Inputs: map[string]*tensor.Value{"v": &v}})
	if p.Bound || p.Diags.HasErrors() {
		t.Errorf("bound %v, %v", p.Bound, p.Diags)
	}
	if l := p.Unbound(); len(l) != 1 || l[0].Code != "E0217" || l[0].Span != p.Inputs[0].Span {
		t.Errorf("unbound: %v", l)
	}
}

// TestValues is what editors read: the operation of each expression.
func TestValues(t *testing.T) {
	values := map[syntax.Expr]*ir.Node{}
	p := checkText("A = [[1, 2], [3, 4]]\nv[i] = A[i, j] + 1\n", Config{Values: values})
	sum := p.File.Stmts[1].(*syntax.Assign).Value.(*syntax.Binary)
	if n := values[sum]; n == nil || n.Type.Shape != tensor.ShapeOf(2) {
		t.Errorf("the value of the sum is %v", n)
	}
	if n := values[sum.L]; n == nil || n.Type.Shape != tensor.ShapeOf(2) {
		t.Errorf("the value of the projected term is %v", n)
	}
}

// TestPositions is where operations say that they come from: an expanded
// function at its call.
func TestPositions(t *testing.T) {
	const text = "def f(A) = tc(A)\nB = 1 - f([[0, 1], [0, 0]])\n"
	p := checkText(text, Config{})
	closure := p.Outputs[0].Node.Args[1]
	if got := text[closure.Pos.Start:closure.Pos.End]; closure.Op != ir.Closure || got != "f([[0, 1], [0, 0]])" {
		t.Errorf("%s at %q", closure.Op, got)
	}
}
