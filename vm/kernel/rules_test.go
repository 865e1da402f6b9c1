package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// The type rules of vm/ir are tested here, where the definitions are that say
// what a node is worth.

// known is a node and its value by the definition.
type known struct {
	n    *ir.Node
	data []float64
}

type maker struct {
	r    *rand.Rand
	b    ir.Builder
	pool []known
	axis int // every axis has this size
}

func (m *maker) pick(ok func(*ir.Node) bool) (known, bool) {
	for range 20 {
		if k := m.pool[m.r.IntN(len(m.pool))]; ok(k.n) {
			return k, true
		}
	}
	return known{}, false
}

func anyNode(*ir.Node) bool { return true }

func (m *maker) constant() known {
	shape := tensor.Shape{}
	for range m.r.IntN(4) {
		shape = shape.Append(m.axis)
	}
	v := tensor.Value{Type: tensor.Type{Kind: tensor.Kind(m.r.IntN(3)), Shape: shape}, F: make([]float64, shape.Elems())}
	big := []float64{1 << 20, 1<<53 - 1, -(1<<53 - 1), 1 << 52}
	odd := []float64{math.Inf(1), math.Inf(-1), 0.5, -0.25, 1e300, -1e-300}
	for i := range v.F {
		switch x := m.r.IntN(7); {
		case v.Kind == tensor.Bool:
			v.F[i] = float64(x & 1)
		case v.Kind == tensor.Real && x < 3:
			v.F[i] = odd[m.r.IntN(len(odd))]
		case x == 3:
			v.F[i] = big[m.r.IntN(len(big))]
		default:
			v.F[i] = float64(x - 4)
		}
	}
	return known{m.b.Const(v), v.F}
}

// at is element i of a value that is the same everywhere when it is a scalar.
func (k known) at(i int) float64 {
	if k.n.Rank() == 0 {
		return k.data[0]
	}
	return k.data[i]
}

func (m *maker) mapped() (known, bool) {
	fn := op.Fn(m.r.IntN(int(op.FnCheck)))
	shaped, ok := m.pick(anyNode)
	if !ok {
		return known{}, false
	}
	args := make([]known, fn.Arity())
	for i := range args {
		args[i], ok = m.pick(func(n *ir.Node) bool { return n.Rank() == 0 || n.Type.Shape == shaped.n.Type.Shape })
		if !ok || fn == op.FnNot && args[i].n.Type.Kind != tensor.Bool {
			return known{}, false
		}
	}
	nodes := make([]*ir.Node, len(args))
	for i, a := range args {
		nodes[i] = a.n
	}
	n := m.b.Map(fn, nodes...)
	out := make([]float64, n.Type.Shape.Elems())
	for i := range out {
		var x [3]float64
		for k, a := range args {
			x[k] = a.at(i)
		}
		out[i] = fn.Apply(x[0], x[1], x[2])
	}
	return known{n, out}, true
}

func (m *maker) einsum() (known, bool) {
	spec := &op.Spec{}
	for range 4 {
		spec.Size = append(spec.Size, m.axis)
	}
	ids := func(rank int) []uint8 {
		list := make([]uint8, rank)
		for i := range list {
			list[i] = uint8(m.r.IntN(4))
		}
		return list
	}
	var nodes []*ir.Node
	var data [][]float64
	for range 1 + m.r.IntN(3) {
		a, _ := m.pick(anyNode)
		nodes, data = append(nodes, a.n), append(data, a.data)
		spec.In = append(spec.In, ids(a.n.Rank()))
	}
	spec.Out = ids(m.r.IntN(4))
	n := m.b.Einsum(spec, nodes...)
	if slices.Equal(n.Args, nodes) { // else it is a sum of nothing
		spec = n.Spec
	}
	return known{n, kernel.NaiveEinsum(*spec, data...)}, true
}

func (m *maker) reduce() (known, bool) {
	a, ok := m.pick(func(n *ir.Node) bool { return n.Rank() > 0 })
	if !ok || m.axis == 0 {
		return known{}, false
	}
	f := []op.Fold{op.FoldMax, op.FoldMin, op.FoldArgMax, op.FoldArgMin}[m.r.IntN(4)]
	axes := []int{m.r.IntN(a.n.Rank())}
	n := m.b.Reduce(f, a.n, axes...)
	return known{n, kernel.NaiveReduce(f, a.n.Type.Shape.Dims(), axes, a.data)}, true
}

func (m *maker) semiring() (known, bool) {
	matrix := func(n *ir.Node) bool { return n.Rank() == 2 }
	a, ok := m.pick(matrix)
	b, ok2 := m.pick(matrix)
	if !ok || !ok2 || m.axis == 0 {
		return known{}, false
	}
	fn := []op.Fn{op.FnAdd, op.FnMul, op.FnMax, op.FnMin}[m.r.IntN(4)]
	fold := []op.Fold{op.FoldMax, op.FoldMin}[m.r.IntN(2)]
	spec := &op.Spec{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{m.axis, m.axis, m.axis}}
	n := m.b.Semiring(fn, fold, spec, a.n, b.n)
	return known{n, kernel.NaiveSemiring(*spec, fn, fold, a.data, b.data)}, true
}

func (m *maker) graph() (known, bool) {
	a, ok := m.pick(func(n *ir.Node) bool { return n.Rank() == 2 })
	if !ok || m.axis == 0 {
		return known{}, false
	}
	g := make([][]bool, m.axis)
	for i := range g {
		g[i] = make([]bool, m.axis)
		for j := range g[i] {
			g[i][j] = a.data[i*m.axis+j] != 0
		}
	}
	zero := m.b.Number(0)
	switch m.r.IntN(3) {
	case 0:
		return known{m.b.Graph(ir.Triangles, a.n), []float64{float64(kernel.NaiveTriangles(g))}}, true
	case 1:
		return known{m.b.Graph(ir.Path, a.n, zero, m.b.Number(float64(m.axis-1))), kernel.NaivePath(g, 0, m.axis-1)}, true
	}
	return known{m.b.Graph(ir.Dist, a.n, zero), kernel.NaiveDist(g, 0)}, true
}

// check holds the type rules of a node against its value. It reports whether
// the value is one that a run goes on with: not a count past 2^53, which ends
// it where the bound says that there may be one.
func (m *maker) check(t *testing.T, k known) (goesOn bool) {
	t.Helper()
	n := k.n
	if uint64(len(k.data)) != n.Type.Shape.Elems() {
		t.Fatalf("%v %v: shape %v of %d elements", n.Op, n.Fn, n.Type.Shape, len(k.data))
	}
	if math.IsNaN(n.Bound) || n.Bound < 0 {
		t.Fatalf("%v %v: bound %v", n.Op, n.Fn, n.Bound)
	}
	bad := func(x float64, what string) {
		kinds := []any{}
		for _, a := range n.Args {
			kinds = append(kinds, a.Type, a.Bound, a.NonNeg)
		}
		t.Fatalf("%v %v of %v: %v is %s (%v, bound %v, not negative %v)", n.Op, n.Fn, kinds, x, what, n.Type, n.Bound, n.NonNeg)
	}
	goesOn = true
	for _, x := range k.data {
		if n.Type.Kind == tensor.Int && math.Abs(x) >= tensor.MaxInt {
			goesOn = false
			if n.Bound < tensor.MaxInt {
				bad(x, "past 2^53, which nothing checks")
			}
			continue
		}
		switch {
		case n.Type.Kind == tensor.Bool && x != 0 && x != 1:
			bad(x, "not 0 or 1")
		case n.Type.Kind == tensor.Int && x != math.Trunc(x):
			bad(x, "no integer")
		case math.Abs(x) > n.Bound*(1+1e-12):
			bad(x, "past the bound")
		case n.NonNeg && x < 0:
			bad(x, "negative")
		}
	}
	return goesOn
}

// TestRules: what the type rules say of a node is true of its value. Exactness
// rests on it: a count is checked only where its bound is not below 2^53.
func TestRules(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 500
	}
	counts := make(map[ir.Op]int)
	for seed := range n {
		m := &maker{r: rand.New(rand.NewPCG(uint64(seed), 5)), axis: seed % 4}
		for range 6 {
			k := m.constant()
			m.check(t, k)
			m.pool = append(m.pool, k)
		}
		for range 25 {
			ops := [](func() (known, bool)){m.mapped, m.mapped, m.mapped, m.einsum, m.einsum, m.reduce, m.semiring, m.graph}
			k, ok := ops[m.r.IntN(len(ops))]()
			if ok && m.check(t, k) {
				counts[k.n.Op]++
				m.pool = append(m.pool, k)
			}
		}
	}
	for _, op := range []ir.Op{ir.Map, ir.Einsum, ir.Reduce, ir.Semiring, ir.Dist} {
		if counts[op] < n/10 {
			t.Errorf("only %d of %v", counts[op], op)
		}
	}
}
