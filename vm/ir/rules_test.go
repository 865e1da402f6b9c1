package ir_test

import (
	"math"
	"testing"

	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// TestUnknownSizes: bounds of what has sizes that are not known yet.
func TestUnknownSizes(t *testing.T) {
	var b ir.Builder
	g := b.Input(0, tensor.Type{Shape: tensor.ShapeOf(-1, -1)}, 0, false)
	if g.Bound != 1 || !g.NonNeg {
		t.Errorf("a graph has bound %v", g.Bound)
	}
	for name, n := range map[string]*ir.Node{
		"sum": b.Sum(g, 1), "triangles": b.Graph(ir.Triangles, g), "dist": b.Graph(ir.Dist, g, b.Number(0)), "path": b.Graph(ir.Path, g, b.Number(0), b.Number(1)),
	} {
		if !math.IsInf(n.Bound, 1) || n.Type.Kind != tensor.Int {
			t.Errorf("%s: bound %v of %v", name, n.Bound, n.Type)
		}
	}
	if n := b.Sum(b.Map(op.FnMul, g, b.Number(0)), 0); math.IsNaN(n.Bound) {
		t.Error("the bound is NaN")
	}
}

// TestShapes has the builders that only move axes or choose elements.
func TestShapes(t *testing.T) {
	b := ir.Builder{Pos: ir.Pos{Start: 1, End: 2}}
	a := b.Input(0, tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(2, 3, 4)}, 7, false)
	g := b.Input(1, tensor.Type{Shape: tensor.ShapeOf(5, 5)}, 1, true)
	i := b.Number(1)
	for _, c := range []struct {
		name string
		n    *ir.Node
		want string
	}{
		{"transpose", b.Transpose(a, []uint8{2, 0, 1}), "real 4x2x3"},
		{"sum", b.Sum(a, 0, 2), "real 3"},
		{"fill", b.Fill(b.Number(3), 4, 5), "int 4x5"},
		{"eye", b.Eye(3), "bool 3x3"},
		{"select", b.Select(a, []int{0, 2}, i, i), "real 3"},
		{"softmax", b.Softmax(a, 1), "real 2x3x4"},
		{"reduce", b.Reduce(op.FoldMax, a, 0, 1), "real 4"},
		{"argmax", b.Reduce(op.FoldArgMax, a, 1), "int 2x4"},
		{"tc", b.Graph(ir.Closure, g), "bool 5x5"},
		{"scc", b.Graph(ir.SCC, g), "bool 5x5"},
		{"walk", b.Walk(op.WalkReach, true, g, i), "bool 5"},
		{"has_path", b.Graph(ir.HasPath, g, i, i), "bool scalar"},
		{"one_hot", b.OneHot(i, 9), "bool 9"},
		{"bool_einsum", b.BoolEinsum(&op.Spec{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{5, 5, 5}}, g, g), "bool 5x5"},
	} {
		if got := c.n.Type.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if c.n.Pos != b.Pos || c.n.ID >= b.Count {
			t.Errorf("%s: %+v", c.name, c.n)
		}
	}
	for o := range ir.MaxOp {
		if o.String() == "" {
			t.Errorf("operation %d has no name", o)
		}
	}
	m := b.With(b.Map(op.FnAbs, a), []*ir.Node{a})
	if m.ID != b.Count-1 || m.Fn != op.FnAbs {
		t.Errorf("%+v", m)
	}
}

// TestMisfit: arguments that do not fit are a bug of the front end.
func TestMisfit(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var b ir.Builder
	x := b.Const(tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(2)}, F: []float64{0, 1}})
	y := b.Const(tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(3)}, F: []float64{0, 1, 0}})
	b.Map(op.FnAdd, x, y)
}

// TestStatic: arithmetic on constants is known while it is exact, and costs no
// more than the nodes it has.
func TestStatic(t *testing.T) {
	var b ir.Builder
	n := b.Number(1)
	for range 200 {
		n = b.Map(op.FnMul, n, n) // 2^200 paths
	}
	if x, ok := n.Static(); !ok || x != 1 {
		t.Error(x, ok)
	}
	most := b.Number(tensor.MaxInt - 1)
	sum := b.Map(op.FnAdd, most, b.Number(2))
	if x, ok := sum.Static(); ok {
		t.Errorf("%v is not exact", x)
	}
	if x, ok := b.Map(op.FnSub, sum, most).Static(); ok {
		t.Errorf("%v comes from a number that is not exact", x)
	}
	if x, ok := b.Map(op.FnDiv, b.Number(1), b.Number(0)).Static(); !ok || !math.IsInf(x, 1) {
		t.Error(x, ok)
	}
	if _, ok := b.Map(op.FnNeg, b.Fill(n, 3)).Static(); ok {
		t.Error("a vector is static")
	}
}

func TestKindOf(t *testing.T) {
	for x, want := range map[float64]tensor.Kind{0: tensor.Bool, 1: tensor.Bool, -1: tensor.Int, 2: tensor.Int, 0.5: tensor.Real,
		tensor.MaxInt - 1: tensor.Int, tensor.MaxInt: tensor.Real, math.Inf(1): tensor.Real} {
		if got := ir.KindOf(x); got != want {
			t.Errorf("%v is %v, want %v", x, got, want)
		}
	}
	if got := ir.KindOf(math.NaN()); got != tensor.Real {
		t.Errorf("NaN is %v", got)
	}
}

func TestTable(t *testing.T) {
	var b ir.Builder
	var table ir.Table[int]
	nodes := make([]*ir.Node, 100)
	for i := range nodes {
		nodes[i] = b.Number(float64(i))
	}
	for i := len(nodes) - 1; i >= 0; i -= 3 {
		table.Set(nodes[i], i)
	}
	for i, n := range nodes {
		want := 0
		if i%3 == 0 {
			want = i
		}
		if got := table.At(n); got != want {
			t.Errorf("%d: %d, want %d", i, got, want)
		}
	}
}
