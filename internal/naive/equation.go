package naive

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"ein/internal/lists"
	"ein/lang/syntax"
)

// indexSet is a set of the indices of one equation, by number.
type indexSet uint64

const everyIndex = ^indexSet(0)

// ids lists the set from the lowest number.
func (s indexSet) ids() []int {
	var ids []int
	for ; s != 0; s &= s - 1 {
		ids = append(ids, bits.TrailingZeros64(uint64(s)))
	}
	return ids
}

// nodeKind says how a node takes part in projection.
type nodeKind uint8

// A ref, mul or div is a term or a part of one. An infix node is a sum, a
// comparison or a negation: outside a product its operands are terms of their
// own, inside one (in parentheses) they belong to the product. A fn is an
// elementwise function, whose arguments are always terms of their own.
const (
	constNode nodeKind = iota
	refNode
	mulNode
	divNode
	infixNode
	fnNode
	reduceNode
)

// node is an indexed expression whose whole-tensor parts have been evaluated.
type node struct {
	kind  nodeKind
	x     float64     // constNode
	t     Tensor      // refNode
	slots []slot      // refNode: one for each axis
	f     pointwise   // infixNode, fnNode
	fold  string      // reduceNode: the function
	over  indexSet    // reduceNode: what it folds
	kids  []*node     //
	open  indexSet    // the indices that an enclosing term sees
	uses  map[int]int // how often each index is written in it
	real  bool
}

// slot is an index number, or a fixed position if id < 0.
type slot struct{ id, at int }

// equation is one right-hand side being evaluated.
type equation struct {
	in    *interp
	sc    *scope
	lhs   []string // its indices on the left, as often as they stand there
	names []string // of all indices, by number
	sizes []int    // likewise
	left  indexSet // of lhs
	pos   []int    // the current value of each index
	steps int
	huge  bool // an integer reached 2^53
}

// equation evaluates a right-hand side for the given left side.
func (in *interp) equation(sc *scope, lhs []string, indexed bool, op syntax.AssignOp, x syntax.Expr) value {
	eq := &equation{in: in, sc: sc, lhs: lhs}
	if !eq.mentionsIndex(x) {
		return eq.whole(indexed, x)
	}
	root := eq.build(x)
	for _, name := range lhs {
		id := slices.Index(eq.names, name)
		if id < 0 || root.open>>id&1 == 0 {
			fail(Static, "index %s on the left does not occur on the right", name)
		}
		eq.left |= 1 << id
	}
	eq.resolve(root, root)
	return eq.evaluate(root, op)
}

// whole evaluates a right-hand side that has no index.
func (eq *equation) whole(indexed bool, x syntax.Expr) value {
	v := eq.in.eval(eq.sc, x)
	if !indexed {
		return v
	}
	for i, a := range eq.lhs {
		if slices.Contains(eq.lhs[:i], a) {
			fail(Static, "index %s is repeated on the left and the right side has no indices", a)
		}
	}
	if v.rank() != len(eq.lhs) {
		fail(Static, "index %v on the left: the right side has rank %d and no indices", eq.lhs, v.rank())
	}
	return v
}

// isIndex reports whether a name in brackets is an index. The names on the left
// are; in a function its parameters stand for their values; the rest are.
func (eq *equation) isIndex(name string) bool {
	return slices.Contains(eq.lhs, name) || !eq.sc.params[name]
}

// mentionsIndex reports whether an expression has an index of this equation anywhere.
func (eq *equation) mentionsIndex(x syntax.Expr) (found bool) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Index:
			for _, i := range n.Indices {
				name, ok := i.(*syntax.Name)
				found = found || ok && eq.isIndex(name.Name)
			}
		case *syntax.Call:
			for k, a := range n.Args {
				name, ok := a.Value.(*syntax.Name)
				found = found || ok && k > 0 && n.Fun.Name == "select" && slices.Contains(eq.lhs, name.Name)
			}
		}
		return !found
	})
	return found
}

// constant evaluates a part without indices, which has to be a scalar here.
func (eq *equation) constant(x syntax.Expr) *node {
	v := eq.in.eval(eq.sc, x)
	if v.rank() > 0 {
		fail(Static, "a bare tensor of rank %d is mixed with indexed ones; index it", v.rank())
	}
	eq.huge = eq.huge || v.huge
	return &node{kind: constNode, x: v.Data[0], real: v.real}
}

// build evaluates the tensors of x and fixes the sizes of its indices.
func (eq *equation) build(x syntax.Expr) *node {
	if !eq.mentionsIndex(x) {
		return eq.constant(x)
	}
	switch x := x.(type) {
	case *syntax.Index:
		for _, i := range x.Indices {
			checkBracket(i)
		}
		return eq.ref(x.X, x.Indices, func(n *syntax.Name) bool { return eq.isIndex(n.Name) })
	case *syntax.Paren:
		return eq.build(x.X)
	case *syntax.Unary:
		return eq.join(&node{kind: infixNode, f: func(a []float64) float64 { return -a[0] }}, x.X)
	case *syntax.Product:
		return eq.factor(x)
	case *syntax.Binary:
		if x.Op == syntax.Mul || x.Op == syntax.Div {
			return eq.factor(x)
		}
		n := eq.join(&node{kind: infixNode, f: infix[x.Op]}, x.L, x.R)
		n.real = n.real && !x.Op.Compares()
		return n
	case *syntax.Call:
		return eq.call(x)
	}
	fail(Static, "an index cannot be used here")
	return nil
}

// factor evaluates a factor of an indexed product, all of whose factors make one
// product, even those that have no index.
func (eq *equation) factor(x syntax.Expr) *node {
	inner := syntax.Unparen(x)
	switch y := inner.(type) {
	case *syntax.Product:
		n := eq.factor(y.Factors[0])
		for _, f := range y.Factors[1:] {
			n = eq.link(&node{kind: mulNode}, n, eq.factor(f))
		}
		return n
	case *syntax.Binary:
		switch {
		case y.Op == syntax.Mul:
			return eq.link(&node{kind: mulNode}, eq.factor(y.L), eq.factor(y.R))
		case y.Op == syntax.Div && inner == x:
			n := eq.link(&node{kind: divNode}, eq.factor(y.L), eq.factor(y.R))
			n.real = true
			return n
		}
	}
	return eq.build(x)
}

// join builds expressions as the children of n.
func (eq *equation) join(n *node, xs ...syntax.Expr) *node {
	return eq.link(n, lists.Map(xs, eq.build)...)
}

// link makes kids the children of n. It has their open indices and uses, and is real if one of
// them is.
func (eq *equation) link(n *node, kids ...*node) *node {
	n.kids = kids
	n.uses = map[int]int{}
	for _, k := range kids {
		n.open |= k.open
		n.real = n.real || k.real
		for id, c := range k.uses {
			n.uses[id] += c
		}
	}
	return n
}

// ref is X[indices]; isIndex says which names among them are indices.
func (eq *equation) ref(x syntax.Expr, indices []syntax.Expr, isIndex func(*syntax.Name) bool) *node {
	if eq.mentionsIndex(x) {
		fail(Static, "an indexed expression is indexed again")
	}
	t := eq.in.eval(eq.sc, x)
	if t.rank() != len(indices) {
		fail(Static, "%s has rank %d but %d indices", eq.in.textOf(x), t.rank(), len(indices))
	}
	eq.huge = eq.huge || t.huge
	n := &node{kind: refNode, t: t.Tensor, uses: map[int]int{}, real: t.real}
	for a, i := range indices {
		name, ok := i.(*syntax.Name)
		if !ok || !isIndex(name) {
			n.slots = append(n.slots, slot{-1, eq.in.position(eq.sc, i, t.Dims[a])})
			continue
		}
		id := slices.Index(eq.names, name.Name)
		if id < 0 {
			id = len(eq.names)
			if id == 64 {
				fail(Limit, "too many indices in one equation")
			}
			eq.names = append(eq.names, name.Name)
			eq.sizes = append(eq.sizes, t.Dims[a])
			eq.pos = append(eq.pos, 0)
		}
		if eq.sizes[id] != t.Dims[a] {
			fail(Static, "index %s has size %d, but axis %d of %s has size %d",
				name.Name, eq.sizes[id], a, eq.in.textOf(x), t.Dims[a])
		}
		n.slots = append(n.slots, slot{id, 0})
		n.open |= 1 << id
		n.uses[id]++
	}
	return n
}

// call builds a call: select with positions, a function that works element by element, or a
// reduction. Other functions take whole tensors.
func (eq *equation) call(x *syntax.Call) *node {
	name := x.Fun.Name
	args := make([]syntax.Expr, len(x.Args))
	named := false
	for i, a := range x.Args {
		args[i] = a.Value
		named = named || a.Name.Name != ""
	}
	_, defined := eq.in.defs[name]
	e, elementwise := elementwise[name]
	switch {
	case defined || named:
	case name == "select":
		t, at := eq.in.selection(eq.sc, args, eq.lhs)
		return eq.ref(t, at, func(n *syntax.Name) bool { return slices.Contains(eq.lhs, n.Name) })
	case elementwise && e.arity == len(args):
		n := eq.join(&node{kind: fnNode, f: e.f}, args...)
		n.real = e.real(n.real)
		return n
	case reductions[name] && len(args) == 1:
		n := eq.join(&node{kind: reduceNode, fold: name}, args...)
		n.real = reducedReal(name, n.real)
		return n
	}
	fail(Static, "%s takes whole tensors, not indexed ones", name)
	return nil
}

// resolve settles which indices each reduction folds, and what stays open
// around it. Until here open includes the folded ones.
func (eq *equation) resolve(n, root *node) {
	if len(n.kids) == 0 {
		return
	}
	n.open = 0
	for _, k := range n.kids {
		eq.resolve(k, root)
		n.open |= k.open
	}
	if n.kind != reduceNode {
		return
	}
	n.over = n.open &^ eq.left
	n.open &= eq.left
	for _, id := range n.over.ids() {
		if root.uses[id] != n.uses[id] {
			fail(Static, "index %s is reduced by %s and used outside it; rename one", eq.names[id], n.fold)
		}
	}
	if (n.fold == "argmax" || n.fold == "argmin") && len(n.over.ids()) != 1 {
		fail(Static, "%s needs exactly one index to reduce", n.fold)
	}
}

// evaluate computes every element of the left side.
func (eq *equation) evaluate(root *node, op syntax.AssignOp) value {
	var ids, dims []int
	for _, name := range eq.lhs {
		id := slices.Index(eq.names, name)
		ids = append(ids, id)
		dims = append(dims, eq.sizes[id])
	}
	out := value{Tensor: newTensor(dims...), real: root.real}
	at := make([]int, len(ids))
	eq.each(eq.left.ids(), func() {
		for a, id := range ids {
			at[a] = eq.pos[id]
		}
		var x float64
		if op == syntax.SetMax || op == syntax.SetMin {
			x = eq.foldAll(root, root.open&^eq.left, map[syntax.AssignOp]string{syntax.SetMax: "max", syntax.SetMin: "min"}[op])
		} else {
			x = eq.term(root, eq.left)
		}
		out.Data[flatten(dims, at)] = x
	})
	out.huge = eq.huge
	return out
}

// each calls f for every assignment of the indices, the last one fastest.
func (eq *equation) each(ids []int, f func()) {
	if len(ids) == 0 {
		if eq.steps++; eq.steps > maxSteps {
			fail(Limit, "too much work for one equation")
		}
		f()
		return
	}
	for p := range eq.sizes[ids[0]] {
		eq.pos[ids[0]] = p
		eq.each(ids[1:], f)
	}
}

// term returns the value of n projected onto the bound indices: each product in it is summed over
// its own remaining indices. This is the rule of the language in full; everything else in this file
// prepares for it. Products of whole numbers are added up exactly, so that only the result decides
// whether it passes 2^53, in whatever order the other engine adds.
func (eq *equation) term(n *node, bound indexSet) float64 {
	switch n.kind {
	case refNode, mulNode, divNode:
		own := productIndices(n, bound)
		if n.real || n.kind == refNode && own == 0 {
			total := 0.0
			eq.each(own.ids(), func() { total += eq.raw(n, bound|own) })
			return total
		}
		sum := new(big.Int)
		eq.each(own.ids(), func() { sum.Add(sum, eq.exact(n, bound|own)) })
		return eq.checked(nearest(sum))
	case infixNode:
		return eq.infix(n, eq.terms(n.kids, bound))
	}
	return eq.at(n, bound)
}

// checked returns an integer that the program computes; it notes one that reaches 2^53.
func (eq *equation) checked(x float64) float64 {
	eq.huge = eq.huge || !whole(x)
	return x
}

// infix applies an operator. A whole result may pass 2^53, which is noted.
func (eq *equation) infix(n *node, xs []float64) float64 {
	if n.real {
		return n.f(xs)
	}
	return eq.checked(n.f(xs))
}

// raw returns the value of a product at the current assignment: no part of it is a
// value of the program.
func (eq *equation) raw(n *node, bound indexSet) float64 {
	switch n.kind {
	case mulNode:
		return eq.raw(n.kids[0], bound) * eq.raw(n.kids[1], bound)
	case divNode:
		return eq.raw(n.kids[0], bound) / eq.raw(n.kids[1], bound)
	}
	return eq.at(n, bound)
}

// exact is raw for a product of integers.
func (eq *equation) exact(n *node, bound indexSet) *big.Int {
	if n.kind == mulNode {
		return new(big.Int).Mul(eq.exact(n.kids[0], bound), eq.exact(n.kids[1], bound))
	}
	return integer(eq.at(n, bound))
}

func (eq *equation) terms(ns []*node, bound indexSet) []float64 {
	return lists.Map(ns, func(n *node) float64 { return eq.term(n, bound) })
}

// productIndices returns the indices that the product n is summed over. An index that occurs only
// inside one elementwise function is not among them: the arguments of that function are projected
// on their own.
func productIndices(n *node, bound indexSet) indexSet {
	leaves := leavesOf(n, nil)
	var all, private indexSet
	for i, l := range leaves {
		all |= l.open
		if l.kind != fnNode {
			continue
		}
		var others indexSet
		for j, o := range leaves {
			if i != j {
				others |= o.open
			}
		}
		private |= l.open &^ others
	}
	return all &^ private &^ bound
}

// leavesOf returns the factors of a product, through its parentheses.
func leavesOf(n *node, leaves []*node) []*node {
	switch n.kind {
	case mulNode, divNode, infixNode:
		for _, k := range n.kids {
			leaves = leavesOf(k, leaves)
		}
		return leaves
	}
	return append(leaves, n)
}

// at returns the value of n at the current assignment: nothing in it is summed but
// the arguments of functions, over the indices that are not bound.
func (eq *equation) at(n *node, bound indexSet) float64 {
	switch n.kind {
	case constNode:
		return n.x
	case refNode:
		k := 0
		for a, s := range n.slots {
			p := s.at
			if s.id >= 0 {
				p = eq.pos[s.id]
			}
			k = k*n.t.Dims[a] + p
		}
		return n.t.Data[k]
	case mulNode, divNode:
		if n.real {
			return eq.raw(n, bound)
		}
		return eq.checked(nearest(eq.exact(n, bound)))
	case infixNode:
		return eq.infix(n, lists.Map(n.kids, func(k *node) float64 { return eq.at(k, bound) }))
	case fnNode:
		return n.f(eq.terms(n.kids, bound))
	}
	x := eq.foldAll(n.kids[0], n.over, n.fold)
	if n.real {
		return x
	}
	return eq.checked(x)
}

// foldAll folds the values of n, with nothing summed in it, over the indices.
func (eq *equation) foldAll(n *node, over indexSet, how string) float64 {
	var xs []float64
	eq.each(over.ids(), func() { xs = append(xs, eq.at(n, everyIndex)) })
	return reduce(how, xs, n.real)
}

// reduce folds a list by one of the reductions.
func reduce(how string, xs []float64, real bool) float64 {
	if len(xs) == 0 && how != "sum" && how != "count" {
		fail(Static, "%s of nothing", how)
	}
	total, count, lo, hi := 0.0, 0.0, 0, 0
	sum := new(big.Int)
	for i, x := range xs {
		total += x
		if !real {
			sum.Add(sum, integer(x))
		}
		if x != 0 {
			count++
		}
		// NaN is the least and the largest.
		if x < xs[lo] || x != x && xs[lo] == xs[lo] {
			lo = i
		}
		if x > xs[hi] || x != x && xs[hi] == xs[hi] {
			hi = i
		}
	}
	if !real {
		total = nearest(sum)
	}
	switch how {
	case "sum":
		return total
	case "mean":
		return total / float64(len(xs))
	case "count":
		return count
	case "max":
		return xs[hi]
	case "min":
		return xs[lo]
	case "argmax":
		return float64(hi)
	}
	return float64(lo)
}

// pointwise is a function of one element of each operand.
type pointwise func([]float64) float64

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var infix = map[syntax.BinaryOp]pointwise{
	syntax.Mul: func(a []float64) float64 { return a[0] * a[1] },
	syntax.Div: func(a []float64) float64 { return a[0] / a[1] },
	syntax.Add: func(a []float64) float64 { return a[0] + a[1] },
	syntax.Sub: func(a []float64) float64 { return a[0] - a[1] },
	syntax.Gt:  func(a []float64) float64 { return truth(a[0] > a[1]) },
	syntax.Ge:  func(a []float64) float64 { return truth(a[0] >= a[1]) },
	syntax.Lt:  func(a []float64) float64 { return truth(a[0] < a[1]) },
	syntax.Le:  func(a []float64) float64 { return truth(a[0] <= a[1]) },
	syntax.Eq:  func(a []float64) float64 { return truth(a[0] == a[1]) },
	syntax.Ne:  func(a []float64) float64 { return truth(a[0] != a[1]) },
}

// elementwise is the functions that apply to each element.
var elementwise = map[string]struct {
	arity int
	f     pointwise
	real  func(argsReal bool) bool
}{
	"gt": {2, infix[syntax.Gt], never},
	"ge": {2, infix[syntax.Ge], never},
	"lt": {2, infix[syntax.Lt], never},
	"le": {2, infix[syntax.Le], never},
	"eq": {2, infix[syntax.Eq], never},
	"ne": {2, infix[syntax.Ne], never},
	"where": {3, func(a []float64) float64 {
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	}, same},
	"max":     {2, func(a []float64) float64 { return math.Max(a[0], a[1]) }, same},
	"min":     {2, func(a []float64) float64 { return math.Min(a[0], a[1]) }, same},
	"clamp":   {3, func(a []float64) float64 { return math.Min(math.Max(a[0], a[1]), a[2]) }, same},
	"abs":     {1, func(a []float64) float64 { return math.Abs(a[0]) }, same},
	"sqrt":    {1, func(a []float64) float64 { return math.Sqrt(a[0]) }, always},
	"exp":     {1, func(a []float64) float64 { return exp(a[0]) }, always},
	"log":     {1, func(a []float64) float64 { return log(a[0]) }, always},
	"sigmoid": {1, func(a []float64) float64 { return 1 / (1 + exp(-a[0])) }, always},
	"relu":    {1, func(a []float64) float64 { return math.Max(a[0], 0) }, same},
	"tanh":    {1, func(a []float64) float64 { return math.Tanh(a[0]) }, always},
	"step":    {1, func(a []float64) float64 { return truth(a[0] > 0) }, never},
	"round":   {1, func(a []float64) float64 { return math.RoundToEven(a[0]) }, same},
	"floor":   {1, func(a []float64) float64 { return math.Floor(a[0]) }, same},
}

func never(bool) bool  { return false }
func always(bool) bool { return true }
func same(r bool) bool { return r }

// reductions is the functions that fold an indexed argument, or a whole tensor.
var reductions = map[string]bool{
	"sum": true, "mean": true, "max": true, "min": true, "count": true, "argmax": true, "argmin": true,
}

// exp is math.Exp, which for amd64 is infinite from 709.44 on, where e**709.78 is a
// number.
func exp(x float64) float64 {
	if x > 709 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}

// log is math.Log, which for amd64 takes a number below 2**-1022 for a greater one.
func log(x float64) float64 {
	if m, e := math.Frexp(x); e < -1021 {
		return math.Log(m) + float64(e)*math.Ln2
	}
	return math.Log(x)
}
