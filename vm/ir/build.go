package ir

import (
	"math"
	"math/bits"
	"slices"

	"ein/internal/slab"
	"ein/vm/op"
	"ein/vm/tensor"
)

// Builder makes nodes. Its methods expect arguments that fit (equal shapes,
// matching index sizes, axes in range): the front end has checked them and says
// what is wrong in the user's terms, so a misfit here is a bug and panics.
type Builder struct {
	Pos   Pos // of the nodes built next
	Count int // nodes built so far: the next ID
	// Unknown says that some sizes are not known yet, and that a static NaN may
	// stand for one of them.
	Unknown bool
	Arena   *Arena // that the nodes lie in; made when it is nil
	Height  int    // of the tallest node that was built
}

// Arena is the memory of nodes and of all that they refer to. Lists given to the
// functions of a Builder are copied into it, so that they may be used again.
type Arena struct {
	nodes  slab.Of[Node]
	lists  slab.Of[*Node]
	values slab.Of[tensor.Value]
	floats slab.Of[float64]
	specs  slab.Of[op.Spec]
	ins    slab.Of[[]uint8]
	ids    slab.Of[uint8]
	ints   slab.Of[int]
	words  slab.Of[uint64]
}

// Reset takes back all nodes. Nothing that was built from them may be in use.
func (a *Arena) Reset() {
	a.nodes.Reset()
	a.lists.Reset()
	a.values.Reset()
	a.floats.Reset()
	a.specs.Reset()
	a.ins.Reset()
	a.ids.Reset()
	a.ints.Reset()
	a.words.Reset()
}

func (b *Builder) arena() *Arena {
	if b.Arena == nil {
		b.Arena = new(Arena)
	}
	return b.Arena
}

func (b *Builder) node(n Node) *Node {
	n.ID = b.Count
	b.Count++
	for _, a := range n.Args {
		n.height = max(n.height, a.height+1)
	}
	b.Height = max(b.Height, int(n.height))
	n.Pos = b.Pos
	at := b.arena().nodes.New()
	*at = n
	return at
}

// List is room for the arguments of a node, in the arena.
func (b *Builder) List(n int) []*Node { return b.arena().lists.Make(n) }

// IDs is room for a list of indices, in the arena.
func (b *Builder) IDs(n int) []uint8 { return b.arena().ids.Make(n) }

// args are the arguments of a node.
func (b *Builder) args(list ...*Node) []*Node { return b.arena().lists.Copy(list...) }

// with returns the arguments of a node, a first.
func (b *Builder) with(a *Node, more []*Node) []*Node {
	list := b.List(1 + len(more))
	list[0] = a
	copy(list[1:], more)
	return list
}

// Ints returns a copy of list in the arena.
func (b *Builder) Ints(list ...int) []int { return b.arena().ints.Copy(list...) }

// Bits returns a 0/1 matrix without a 1. A small one is in the arena.
func (b *Builder) Bits(rows, cols int) tensor.Bits {
	stride := tensor.Words(cols)
	if rows*stride > 1<<10 {
		return tensor.NewBits(rows, cols)
	}
	return tensor.Bits{Rows: rows, Cols: cols, Stride: stride, W: b.arena().words.Make(rows * stride)}
}

func assert(ok bool, msg string) {
	if !ok {
		panic("BUG: ir: " + msg)
	}
}

// Const returns a literal tensor.
func (b *Builder) Const(v tensor.Value) *Node {
	bound, nonNeg := 1.0, true
	if v.Kind != tensor.Bool {
		bound = 0
		for _, x := range tensor.Numbers(&v) {
			bound = max(bound, math.Abs(x))
			nonNeg = nonNeg && x >= 0
		}
	}
	value := b.arena().values.New()
	*value = v
	return b.node(Node{Op: Const, Type: v.Type, Value: value, Bound: bound, NonNeg: nonNeg})
}

// Number returns a scalar constant; its kind is the smallest that holds x.
func (b *Builder) Number(x float64) *Node { return b.Scalar(KindOf(x), x) }

// Scalar returns a scalar constant.
func (b *Builder) Scalar(k tensor.Kind, x float64) *Node {
	return b.Const(tensor.Value{Type: tensor.Type{Kind: k}, F: b.arena().floats.Copy(x)})
}

// KindOf returns the smallest kind that holds x.
func KindOf(x float64) tensor.Kind {
	switch {
	case x == 0 || x == 1:
		return tensor.Bool
	case x == math.Trunc(x) && math.Abs(x) < tensor.MaxInt:
		return tensor.Int
	}
	return tensor.Real
}

// Input returns a value bound by the host.
func (b *Builder) Input(slot int, t tensor.Type, bound float64, nonNeg bool) *Node {
	if t.Kind == tensor.Bool {
		bound, nonNeg = 1, true
	}
	return b.node(Node{Op: Input, Slot: slot, Type: t, Bound: bound, NonNeg: nonNeg})
}

// Scatter returns a relation as a tensor of a type: rest, a scalar, where it has no row. No
// element is larger than bound.
func (b *Builder) Scatter(rows, rest *Node, t tensor.Type, bound float64) *Node {
	return b.node(Node{Op: Scatter, Args: b.args(rows, rest), Type: t, Bound: bound, NonNeg: t.Kind == tensor.Bool})
}

// Relation returns the rows of a result of rules, which read tables. It is no tensor.
func (b *Builder) Relation(rules *Rules, slot int, tables ...*Node) *Node {
	return b.node(Node{Op: Relation, Rules: rules, Slot: slot, Args: b.args(tables...), Bound: 1, NonNeg: true})
}

// Einsum returns the contraction of any number of arguments. Every index of Out that
// no argument has is broadcast; one that stands twice in Out writes a diagonal.
func (b *Builder) Einsum(given *op.Spec, args ...*Node) *Node {
	assert(len(given.In) == len(args), "einsum arity")
	spec := b.canonical(given)
	kind, bound, nonNeg := tensor.Bool, 1.0, true
	for i, a := range args {
		assert(len(spec.In[i]) == a.Rank(), "einsum rank")
		kind = max(kind, a.Type.Kind)
		bound *= a.Limit()
		nonNeg = nonNeg && a.NonNeg
	}
	var present, kept uint64
	for _, in := range spec.In {
		for _, x := range in {
			present |= 1 << x
		}
	}
	var shape tensor.Shape
	for _, x := range spec.Out {
		kept |= 1 << x
		shape = shape.Append(spec.Size[x])
	}
	terms := 1.0
	summed := false
	for x, size := range spec.Size {
		if present&^kept>>x&1 != 0 {
			summed = true
			if size < 0 {
				terms = math.Inf(1)
			} else {
				terms *= float64(size)
			}
		}
	}
	if summed {
		bound *= terms
		if kind == tensor.Bool {
			kind = tensor.Int
		}
	}
	if math.IsNaN(bound) { // 0 * Inf: all zero
		bound = 0
	}
	if summed && terms == 0 { // 0 whatever the factors are, in whatever order they are multiplied
		return b.Fill(b.Scalar(kind, 0), shape.Dims()...)
	}
	far := len(args) == 1 && args[0].Type.Far && !summed && bits.OnesCount64(kept) == len(spec.Out)
	return b.node(Node{Op: Einsum, Args: b.args(args...), Spec: spec, Type: tensor.Type{Kind: kind, Far: far, Shape: shape}, Bound: bound, NonNeg: nonNeg})
}

// spec is a copy in the arena.
func (b *Builder) spec(s *op.Spec) *op.Spec {
	a := b.arena()
	out := a.specs.New()
	out.In, out.Out, out.Size = a.ins.Make(len(s.In)), a.ids.Copy(s.Out...), a.ints.Copy(s.Size...)
	for i, in := range s.In {
		out.In[i] = a.ids.Copy(in...)
	}
	return out
}

// canonical renumbers the indices of a spec in the order of their first
// occurrence and drops those that do not occur, so that equal contractions have
// equal specs.
func (b *Builder) canonical(spec *op.Spec) *op.Spec {
	var number [64]uint8
	var size [64]int
	var seen uint64
	n := 0
	a := b.arena()
	list := func(ids []uint8) []uint8 {
		to := a.ids.Make(len(ids))
		for i, x := range ids {
			if seen>>x&1 == 0 {
				seen |= 1 << x
				number[x], size[n] = uint8(n), spec.Size[x]
				n++
			}
			to[i] = number[x]
		}
		return to
	}
	out := a.specs.New()
	out.In = a.ins.Make(len(spec.In))
	for i, in := range spec.In {
		out.In[i] = list(in)
	}
	out.Out = list(spec.Out)
	out.Size = a.ints.Copy(size[:n]...)
	return out
}

// View returns the Einsum of one argument.
func (b *Builder) View(a *Node, in, out []uint8, size []int) *Node {
	return b.Einsum(&op.Spec{In: [][]uint8{in}, Out: out, Size: size}, a)
}

// axisIDs is 0, 1, 2, ...; views of it name the axes of a tensor in order.
var axisIDs = [16]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// Axes returns the index list of a tensor of the given rank in axis order.
func Axes(rank int) []uint8 { return axisIDs[:rank:rank] }

// Sum drops the given axes by adding along them.
func (b *Builder) Sum(a *Node, axes ...int) *Node {
	out := make([]uint8, 0, tensor.MaxRank)
	for i := range a.Rank() {
		if !slices.Contains(axes, i) {
			out = append(out, uint8(i))
		}
	}
	return b.View(a, Axes(a.Rank()), out, a.Type.Shape.Dims())
}

// Transpose permutes the axes: axis k of the result is axis perm[k] of a.
func (b *Builder) Transpose(a *Node, perm []uint8) *Node {
	return b.View(a, Axes(a.Rank()), perm, a.Type.Shape.Dims())
}

// Fill returns a tensor whose every element is the scalar x.
func (b *Builder) Fill(x *Node, dims ...int) *Node {
	return b.View(x, nil, Axes(len(dims)), dims)
}

// Eye returns the n x n identity.
func (b *Builder) Eye(n int) *Node {
	return b.View(b.Number(1), nil, []uint8{0, 0}, []int{n})
}

// Map applies fn element by element. The arguments that are not scalars have
// one shape, which is the result's.
func (b *Builder) Map(fn op.Fn, args ...*Node) *Node {
	var shape tensor.Shape
	for _, a := range args {
		if a.Rank() > 0 {
			if shape.Rank() == 0 {
				shape = a.Type.Shape
			}
			assert(shape.Fits(a.Type.Shape), "map shapes")
		}
	}
	kind, bound, nonNeg := mapType(fn, args)
	n := Node{Op: Map, Fn: fn, Args: b.args(args...), Type: tensor.Type{Kind: kind, Far: staysFar(fn, args), Shape: shape}, Bound: bound, NonNeg: nonNeg}
	m := b.node(n)
	m.static, m.known = staticMap(m)
	return m
}

// staysFar reports whether fn is infinite where its arguments that are far have no
// edge. What is not known stands for some number, and a choice for either.
func staysFar(fn op.Fn, args []*Node) bool {
	x, far, chosen := [3]float64{1, 1, 1}, false, false
	for k, a := range args {
		static, known := a.Static()
		switch {
		case a.Type.Far:
			x[k], far = a.Type.Absent(), true
		case known:
			x[k] = static
		case k == 0:
			chosen = fn == op.FnWhere
		}
	}
	return far && (math.IsInf(fn.Apply(x[0], x[1], x[2]), 1) || chosen && math.IsInf(x[2], 1))
}

// mapType is the type rule of each scalar function: the smallest kind that holds
// its results, a bound on their magnitude, and whether they can be negative.
func mapType(fn op.Fn, args []*Node) (kind tensor.Kind, bound float64, nonNeg bool) {
	a := args[0]
	joined, allNonNeg := tensor.Bool, true
	for _, x := range args {
		joined = max(joined, x.Type.Kind)
		allNonNeg = allNonNeg && x.NonNeg
	}
	number := max(joined, tensor.Int)
	second := a
	if len(args) > 1 {
		second = args[1]
	}
	switch fn {
	case op.FnAdd:
		return number, a.Limit() + second.Limit(), allNonNeg
	case op.FnSub:
		if x, ok := a.Scalar(); ok && x == 1 && second.Type.Kind == tensor.Bool {
			return tensor.Bool, 1, true // complement
		}
		return number, a.Limit() + second.Limit(), false
	case op.FnMul:
		bound = a.Limit() * second.Limit()
		if math.IsNaN(bound) {
			bound = math.Inf(1)
		}
		return joined, bound, allNonNeg
	case op.FnDiv:
		return tensor.Real, math.Inf(1), allNonNeg
	case op.FnNeg:
		return number, a.Limit(), false
	case op.FnMax:
		return joined, max(a.Limit(), second.Limit()), a.NonNeg || second.NonNeg
	case op.FnMin:
		return joined, max(a.Limit(), second.Limit()), allNonNeg
	case op.FnGt, op.FnGe, op.FnLt, op.FnLe, op.FnEq, op.FnNe, op.FnStep, op.FnNot:
		return tensor.Bool, 1, true
	case op.FnWhere:
		return max(second.Type.Kind, args[2].Type.Kind), max(second.Limit(), args[2].Limit()), second.NonNeg && args[2].NonNeg
	case op.FnClamp:
		return joined, max(a.Limit(), second.Limit(), args[2].Limit()), allNonNeg
	case op.FnAbs, op.FnRelu:
		return joined, a.Limit(), true
	case op.FnFloor, op.FnRound:
		return joined, a.Limit() + 1, a.NonNeg
	case op.FnSigmoid, op.FnTanh:
		return tensor.Real, 1, fn == op.FnSigmoid || a.NonNeg
	case op.FnSqrt:
		return tensor.Real, max(1, a.Limit()), true
	case op.FnExp:
		return tensor.Real, math.Inf(1), true
	}
	return tensor.Real, math.Inf(1), false
}

// Reduce folds the axes. The arg folds take one axis and give an index along it.
func (b *Builder) Reduce(fold op.Fold, a *Node, axes ...int) *Node {
	n := Node{Op: Reduce, Fold: fold, Args: b.args(a), Axes: b.Ints(axes...), Type: a.Type.Drop(axes...), Bound: a.Limit(), NonNeg: a.NonNeg}
	if n.IsArg() {
		n.Type.Kind, n.Type.Far, n.NonNeg = tensor.Int, false, true
		n.Bound = float64(max(a.Type.Shape.Dim(axes[0])-1, 0))
	}
	return b.node(n)
}

// Select takes the element of each axis in axes (increasing) that the scalar of
// the same position gives.
func (b *Builder) Select(a *Node, axes []int, at ...*Node) *Node {
	return b.node(Node{Op: Select, Args: b.with(a, at), Axes: b.Ints(axes...), Type: a.Type.Drop(axes...), Bound: a.Limit(), NonNeg: a.NonNeg})
}

// Softmax normalises exp(a) along the axis.
func (b *Builder) Softmax(a *Node, axis int) *Node {
	return b.node(Node{Op: Softmax, Args: b.args(a), Axes: b.Ints(axis), Type: tensor.Type{Kind: tensor.Real, Shape: a.Type.Shape}, Bound: 1, NonNeg: true})
}

// Graph returns an operation on the square matrix g, and of some the positions of
// nodes: Closure to Dist, or WPath to Betweenness; WDist and PageRank take a value
// last.
func (b *Builder) Graph(op Op, g *Node, at ...*Node) *Node {
	n := Node{Op: op, Args: b.with(g, at), Bound: 1, NonNeg: true}
	size := g.Type.Shape.Dim(0)
	most := float64(size)
	if size < 0 {
		most = math.Inf(1)
	}
	switch op {
	case Closure, SCC, Weak, Bridges:
		n.Type.Shape = g.Type.Shape
	case SpanningForest, MinCut:
		n.Type, n.Bound, n.NonNeg = g.Type, g.Limit(), g.NonNeg || op == MinCut
		n.Type.Far = false
	case PageRank, Betweenness:
		n.Type, n.Bound = tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(size)}, math.Inf(1)
		n.NonNeg = op == Betweenness
	case Walk, CutNodes:
		n.Type.Shape = tensor.ShapeOf(size)
	case HasPath:
	case Triangles:
		n.Type.Kind, n.Bound = tensor.Int, most*most*most/6
	case WDist:
		far := at[1]
		n.Type = tensor.Type{Kind: max(tensor.Int, g.Type.Kind, far.Type.Kind), Shape: tensor.ShapeOf(size)}
		n.Bound, n.NonNeg = max(most*max(g.Limit(), 1), far.Limit()), g.NonNeg && far.NonNeg
	case Path, Dist, WPath: // -1 where there is none
		n.NonNeg = false
		fallthrough
	case Groups, TopoOrder, Cores:
		n.Type, n.Bound = tensor.Type{Kind: tensor.Int, Shape: tensor.ShapeOf(size)}, max(most, 1)
	default:
		panic("BUG: ir: no type for " + op.String())
	}
	return b.node(n)
}

// Walk returns the nodes that i reaches, or with reverse those that reach i.
func (b *Builder) Walk(mode op.WalkMode, reverse bool, g, i *Node) *Node {
	n := b.Graph(Walk, g, i)
	n.Walk, n.Reverse = mode, reverse
	return n
}

// Order returns the vector a sorted (Sort), or the place of each of its elements (Rank).
func (b *Builder) Order(op Op, a *Node) *Node {
	n := Node{Op: op, Args: b.args(a), Type: a.Type, Bound: a.Limit(), NonNeg: a.NonNeg}
	if op == Rank {
		n.Type.Kind, n.Type.Far, n.NonNeg = tensor.Int, false, true
		if n.Bound = float64(max(a.Type.Shape.Dim(0), 1)); a.Type.Shape.Dim(0) < 0 {
			n.Bound = math.Inf(1)
		}
	}
	return b.node(n)
}

// OneHot returns a 0/1 vector of length size with a 1 at i.
func (b *Builder) OneHot(i *Node, size int) *Node {
	return b.node(Node{Op: OneHot, Args: b.args(i), Size: size, Type: tensor.Type{Shape: tensor.ShapeOf(size)}, Bound: 1, NonNeg: true})
}

// Semiring folds fn(x, y) by fold over the indices that spec.Out lacks.
func (b *Builder) Semiring(fn op.Fn, fold op.Fold, spec *op.Spec, x, y *Node) *Node {
	kind, bound, nonNeg := mapType(fn, []*Node{x, y})
	var shape tensor.Shape
	for _, id := range spec.Out {
		shape = shape.Append(spec.Size[id])
	}
	return b.node(Node{Op: Semiring, Fn: fn, Fold: fold, Spec: b.spec(spec), Args: b.args(x, y),
		Type: tensor.Type{Kind: kind, Far: shape.Rank() > 0 && staysFar(fn, []*Node{x, y}), Shape: shape}, Bound: bound, NonNeg: nonNeg})
}

// BoolEinsum is 1 where the Einsum of the same arguments, all 0/1, is not 0.
func (b *Builder) BoolEinsum(spec *op.Spec, args ...*Node) *Node {
	n := b.Einsum(spec, args...)
	n.Op, n.Type.Kind, n.Bound = BoolEinsum, tensor.Bool, 1
	return n
}

// With copies n with other arguments of the same types.
func (b *Builder) With(n *Node, args []*Node) *Node {
	c := b.arena().nodes.New()
	*c = *n
	c.Args = b.args(args...)
	c.ID = b.Count
	b.Count++
	return c
}

// Table is a map from nodes to values, as a slice by their IDs.
type Table[T any] []T

// At returns the entry of n, the zero value when there is none.
func (t Table[T]) At(n *Node) (v T) {
	if n.ID < len(t) {
		v = t[n.ID]
	}
	return v
}

// Set stores the entry of n.
func (t *Table[T]) Set(n *Node, v T) {
	for n.ID >= len(*t) {
		*t = append(*t, make([]T, n.ID+1-len(*t)+len(*t)/2)...)
	}
	(*t)[n.ID] = v
}
