package check

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

var inf = math.Inf(1)

func abs(x float64) float64 { return math.Abs(x) }

// val is an elaborated expression. An indexed one has an index for each axis (idx, by its number in
// the equation), all different; a bare one is a whole tensor. A scalar may be either: an indexed
// one has lost its indices and joins those of other factors. label says that the value is a node
// given by its label, which only certain places take; form is how the value is printed. A nil node
// means that an error was reported, so whoever gets one gives up without a word.
type val struct {
	n       *ir.Node
	idx     []uint8
	indexed bool
	label   bool
	form    ir.Form
}

// mask has a bit for each index of the value.
func (v val) mask() uint64 {
	var m uint64
	for _, x := range v.idx {
		m |= 1 << x
	}
	return m
}

// equation is the statement being elaborated: its indices, those of the left side first and in
// order. Indices are numbered by first occurrence, so sets of them are masks of 64 bits, and the
// order of bits is the order of axes.
type equation struct {
	lhs     []uint8 // index of each axis of the left side
	lhsMask uint64
	idx     []index
	align   bool        // max= and min=: nothing is summed inside
	value   syntax.Expr // the right side
	uses    *[maxIndices]int
	inside  map[syntax.Expr][]use // of long brackets
}

// maxIndices is the number of different indices one statement may use.
const maxIndices = 64

// index is an index of a statement. The first tensor that has it gives it its size.
type index struct {
	name     string
	size     int // not yet known: unsized
	span     source.Span
	owner    syntax.Expr // the tensor whose axis gave the size
	namesake bool        // it was reported to have the name of a number
}

const unsized = math.MinInt32

// equate makes eq the statement being elaborated.
func (c *checker) equate(eq equation) {
	eq.idx, eq.lhs = c.indices.Make(4)[:0], c.axes.Make(4)[:0]
	c.eq = c.equations.New()
	*c.eq = eq
}

// ctx says what happens to the indices of a term. At the top (uses nil) a term is summed over the
// indices that are not in base. Inside a term nothing is summed, except in the arguments of
// functions, which keep the indices of base and those that occur in the term outside the call. A
// base of all ones sums nothing: where a whole tensor is expected, so that an index that should not
// be there is still seen and reported.
type ctx struct {
	base uint64
	uses *[maxIndices]int // how often the term has each index
}

// at places the operations that are made next: at s or, inside a function, at the call in the
// program.
func (c *checker) at(s source.Span) {
	if len(c.active) > 0 {
		s = c.site
	}
	c.b.Pos = ir.Pos{Start: int32(s.Start), End: int32(s.End)}
}

// id is the number of an index, a new one on first sight.
func (c *checker) id(name string, span source.Span) (uint8, bool) {
	for i := range c.eq.idx {
		if c.eq.idx[i].name == name {
			return uint8(i), true
		}
	}
	if len(c.eq.idx) == maxIndices {
		c.say(tooManyIndices, span, maxIndices)
		return 0, false
	}
	c.eq.idx = append(c.eq.idx, index{name: name, size: unsized, span: span})
	return uint8(len(c.eq.idx) - 1), true
}

// occursOnce reports whether a name is an index at one place of the statement, so that it joins
// nothing.
func (c *checker) occursOnce(name string) bool {
	n := 0
	syntax.Walk(c.eq.value, func(x syntax.Node) bool {
		if x, ok := x.(*syntax.Index); ok {
			for _, e := range x.Indices {
				if e, ok := e.(*syntax.Name); ok && e.Name == name {
					n++
				}
			}
		}
		return n < 2
	})
	return n == 1
}

// sizes is the size of each index. The slice is valid until the next call.
func (c *checker) sizes() []int {
	c.size = c.size[:0]
	for i := range c.eq.idx {
		c.size = append(c.size, c.eq.idx[i].size)
	}
	return c.size
}

// assign elaborates a statement to the value of its left side. Indices are numbered as they are
// met, those of the left side first. A term on the right is summed over the indices that the left
// side lacks; with max= and min= nothing is summed, and they fold over those indices instead.
func (c *checker) assign(s *syntax.Assign) (v val) {
	if c.overLimit(s.Span) {
		return val{}
	}
	c.equate(equation{value: s.Value, align: s.Op == syntax.SetMax || s.Op == syntax.SetMin})
	defer func() { c.eq = nil }()
	ok := true
	if s.Indexed {
		if len(s.Indices) > tensor.MaxRank {
			return c.say(tooManyAxes, s.Name.Span, tensor.MaxRank, len(s.Indices))
		}
		for _, x := range s.Indices {
			name, isName := x.(*syntax.Name)
			if !isName {
				c.leftIndex(s, x)
				ok = false
				continue
			}
			id, fits := c.id(name.Name, name.Span)
			if !fits {
				return val{}
			}
			c.eq.lhs = append(c.eq.lhs, id)
			c.eq.lhsMask |= 1 << id
		}
	}
	if !ok {
		return val{}
	}
	cx := ctx{base: c.eq.lhsMask}
	if c.eq.align {
		cx.base = ^uint64(0)
	}
	v = c.unlabelled(s.Value, cx)
	if v.n == nil {
		return val{}
	}
	c.at(s.Span)
	v = c.toLeft(s, v)
	if v.n == nil || s.Op == syntax.Set {
		return v
	}
	old := c.scope.lookup(s.Name.Name)
	if old == nil && len(c.eq.idx) == bits.OnesCount64(c.eq.lhsMask) {
		c.say(combinesNothing, s.Name.Span, s.Name.Name, s.Op)
	}
	if old == nil || old.bad {
		return v
	}
	old.used = true
	if !old.node.Type.Shape.Fits(v.n.Type.Shape) {
		return c.combineShapes(s, old, v.n)
	}
	fn := map[syntax.AssignOp]op.Fn{syntax.SetMax: op.FnMax, syntax.SetMin: op.FnMin, syntax.SetAdd: op.FnAdd}[s.Op]
	both := c.b.Map(fn, old.node, v.n)
	if c.eq.align && bits.OnesCount64(c.eq.lhsMask) < len(c.eq.lhs) {
		// Only the diagonal has a new value; elsewhere the earlier one stays.
		diagonal := c.b.View(c.b.Number(1), nil, c.eq.lhs, c.sizes())
		both = c.b.Map(op.FnWhere, diagonal, both, old.node)
	}
	return val{n: both}
}

// toLeft arranges the value of the right side as the left side asks.
func (c *checker) toLeft(s *syntax.Assign, v val) val {
	if !v.indexed {
		if s.Indexed && (v.n.Rank() != len(s.Indices) || bits.OnesCount64(c.eq.lhsMask) != len(s.Indices)) {
			if old := c.scope.lookup(s.Name.Name); v.n.Rank() == 0 && s.Op != syntax.Set && old != nil && !old.bad && c.repeated() == "" {
				c.combineShapes(s, old, v.n)
			} else if v.n.Rank() == 0 {
				c.leftIndexMissing(s, c.eq.lhs[0])
			} else {
				c.leftRank(s, v.n)
			}
			return val{}
		}
		return v
	}
	if c.eq.align {
		fn := op.FoldMax
		if s.Op == syntax.SetMin {
			fn = op.FoldMin
		}
		if v = c.fold(v, fn, s.Value); v.n == nil {
			return val{}
		}
	}
	for i, x := range c.eq.lhs {
		if v.mask()>>x&1 == 0 {
			return c.leftIndexMissing(s, c.eq.lhs[i])
		}
	}
	return val{n: c.arrange(v, c.eq.lhs)}
}

// fold folds a value over the indices that the left side lacks. The maximum or minimum of nothing is
// an error at the expression at.
func (c *checker) fold(v val, fold op.Fold, at syntax.Expr) val {
	out := val{indexed: true}
	var axes []int
	for axis, x := range v.idx {
		if c.eq.lhsMask>>x&1 != 0 {
			out.idx = append(out.idx, x)
			continue
		}
		if v.n.Type.Shape.Dim(axis) == 0 {
			return c.say(emptyFold, at.Pos(), c.eq.idx[x].name)
		}
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		return v
	}
	out.n = c.b.Reduce(fold, v.n, axes...)
	return out
}

// arrange gives v the axes of out, which may repeat an index (a diagonal) and
// may have indices that v lacks (v is the same along them).
func (c *checker) arrange(v val, out []uint8) *ir.Node {
	if slices.Equal(v.idx, out) {
		return v.n
	}
	return c.b.View(v.n, v.idx, out, c.sizes())
}

// order returns the indices in mask, in the order of their first occurrence: those of
// the left side first.
func (c *checker) order(mask uint64) []uint8 {
	out := c.axes.Make(bits.OnesCount64(mask))[:0]
	for mask != 0 {
		i := bits.TrailingZeros64(mask)
		out = append(out, uint8(i))
		mask &^= 1 << i
	}
	return out
}

// project sums v over its indices that cx does not keep. A sum is a view with fewer axes, which the
// builder turns into a reduction.
func (c *checker) project(v val, cx ctx) val {
	if !v.indexed || cx.uses != nil || v.mask()&^cx.base == 0 {
		return v
	}
	keep := c.order(v.mask() & cx.base)
	return val{n: c.b.View(v.n, v.idx, keep, c.sizes()), idx: keep, indexed: true}
}

// expr elaborates an expression and keeps its value for hosts that ask for it. Work inside
// functions is counted, since calls can multiply it.
func (c *checker) expr(x syntax.Expr, cx ctx) val {
	if c.step(1) {
		return val{}
	}
	if len(c.active) > 0 {
		c.work++
	}
	v := c.elaborate(x, cx)
	if c.cfg.Values != nil && v.n != nil {
		c.cfg.Values[x] = v.n
	}
	return v
}

// unlabelled elaborates an expression that may not be a node given by its label.
func (c *checker) unlabelled(x syntax.Expr, cx ctx) val {
	v := c.expr(x, cx)
	if v.label {
		return c.say(labelAsValue, x.Pos())
	}
	return v
}

// elaborate makes the operation of an expression, by its form.
func (c *checker) elaborate(x syntax.Expr, cx ctx) val {
	switch x := x.(type) {
	case *syntax.Paren:
		return c.expr(x.X, cx)
	case *syntax.Number:
		c.at(x.Span)
		if x.Value >= tensor.MaxInt && isInteger(x.Text) {
			return c.say(hugeInteger, x.Span, x.Text)
		}
		return val{n: c.b.Number(x.Value)}
	case *syntax.String:
		return c.label(x)
	case *syntax.Name:
		return c.name(x)
	case *syntax.List:
		return c.list(x)
	case *syntax.Index:
		return c.project(c.index(x), cx)
	case *syntax.Call:
		return c.project(c.call(x, cx), cx)
	case *syntax.Unary:
		v := c.expr(x.X, cx)
		return c.mapped(x, op.FnNeg, v)
	case *syntax.Product:
		return c.term(x, cx)
	case *syntax.Binary:
		if x.Op == syntax.Mul || x.Op == syntax.Div {
			return c.term(x, cx)
		}
		l, r := c.expr(x.L, cx), c.expr(x.R, cx)
		if fn := binaryFns[x.Op]; fn >= op.FnGt && fn <= op.FnNe {
			c.comparesSum(x, x.L, l, r)
			c.comparesSum(x, x.R, r, l)
			c.comparesFar(x, x.L, l, r)
			c.comparesFar(x, x.R, r, l)
			c.comparesTruth(x)
		}
		return c.mapped(x, binaryFns[x.Op], l, r)
	}
	return val{} // *syntax.BadExpr: reported by the parser
}

var binaryFns = [...]op.Fn{
	syntax.Mul: op.FnMul, syntax.Div: op.FnDiv, syntax.Add: op.FnAdd, syntax.Sub: op.FnSub,
	syntax.Gt: op.FnGt, syntax.Ge: op.FnGe, syntax.Lt: op.FnLt, syntax.Le: op.FnLe,
	syntax.Eq: op.FnEq, syntax.Ne: op.FnNe,
}

func isInteger(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// name elaborates a name: of a tensor, or of a relation, which becomes a tensor.
func (c *checker) name(x *syntax.Name) val {
	sym := c.scope.lookup(x.Name)
	if r := c.rel.byName[x.Name]; sym == nil && r != nil && c.scope.fn == nil {
		return val{n: c.tensorOf(r, x)}
	}
	if sym == nil {
		c.unknownName(x)
		// One report is enough for each name.
		c.stands(x.Name, symbol{bad: true, used: true, unknown: true, span: x.Span})
		return val{}
	}
	sym.used = true
	if sym.bad {
		return val{}
	}
	return val{n: sym.node, form: sym.form, label: sym.label}
}

// few is how many operands lists on the stack have room for.
const few = 4

// mapped applies fn, for the expression x, to values aligned by the names of their indices. Bare
// tensors must agree in shape. With indices, each value gets all indices of all values, in the
// order of the equation, and is the same along those that it lacks.
func (c *checker) mapped(x syntax.Expr, fn op.Fn, vals ...val) val {
	var union uint64
	indexed := false
	for i := range vals {
		v := &vals[i]
		if v.n == nil {
			return val{}
		}
		if v.label {
			return c.say(labelAsValue, operand(x, i).Pos())
		}
		indexed = indexed || v.indexed
		union |= v.mask()
	}
	c.at(x.Pos())
	args := make([]*ir.Node, 0, few)
	if !indexed {
		var first *ir.Node
		form := ir.Plain
		for i, v := range vals {
			args = append(args, v.n)
			if v.n.Rank() == 0 {
				continue
			}
			if first == nil {
				first = v.n
			} else if !first.Type.Shape.Fits(v.n.Type.Shape) {
				return c.shapes(x, operand(x, 0), operand(x, i), first, v.n)
			}
		}
		return val{n: c.b.Map(fn, args...), form: form}
	}
	idx := c.order(union)
	if len(idx) > tensor.MaxRank {
		return c.say(tooManyAxes, x.Pos(), tensor.MaxRank, len(idx))
	}
	for i, v := range vals {
		if !v.indexed && v.n.Rank() > 0 {
			y := operand(x, i)
			return c.say(bareInIndexed, y.Pos(), text(y), shapeOf(v.n), withIndices(y, v.n))
		}
		if len(v.idx) > 0 {
			v.n = c.arrange(v, idx)
		}
		args = append(args, v.n)
	}
	return val{n: c.b.Map(fn, args...), idx: idx, indexed: true}
}

// operand is the i-th operand of an expression, for messages.
func operand(x syntax.Expr, i int) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Binary:
		if i == 0 {
			return x.L
		}
		return x.R
	case *syntax.Unary:
		return x.X
	case *syntax.Call:
		if i < len(x.Args) {
			return x.Args[i].Value
		}
	case *syntax.Product:
		if i < len(x.Factors) {
			return x.Factors[i]
		}
	}
	return x
}

// index elaborates X[i, 0, "label", ...]. The tensor is elaborated first, for its rank says how
// many entries there should be.
func (c *checker) index(x *syntax.Index) val {
	if inner, twice := x.X.(*syntax.Index); twice {
		sym := c.scope.lookup(syntax.ExprString(inner.X))
		if sym != nil && sym.node != nil && sym.node.Rank() == len(inner.Indices)+len(x.Indices) {
			sym.used = true
			return c.indexRank(inner, sym.node, x)
		}
	}
	v := c.expr(x.X, ctx{base: ^uint64(0)})
	if v.n == nil {
		// Count the indices all the same, so that they are not reported as missing.
		for _, e := range x.Indices {
			if name, ok := e.(*syntax.Name); ok {
				c.id(name.Name, name.Span)
			}
		}
		return val{}
	}
	if v.indexed {
		return c.say(indexedTwice, x.Span, text(x.X))
	}
	if v.n.Rank() != len(x.Indices) {
		return c.indexRank(x, v.n, nil)
	}
	at := make([]position, 0, tensor.MaxRank)
	for axis, e := range x.Indices {
		p, ok := c.position(e, x, v.n, axis)
		if !ok {
			return val{}
		}
		at = append(at, p)
	}
	return c.take(x.X, x.Span, v.n, at)
}

// position is one entry of an index list: a node whose value is the position, or an index.
type position struct {
	node *ir.Node // nil of an index
	id   uint8
	span source.Span
}

// position elaborates what can be in brackets for one axis. A name is an index even if a tensor
// has that name, with a warning if that tensor is a number, which was most likely meant as the
// position.
func (c *checker) position(e syntax.Expr, x *syntax.Index, a *ir.Node, axis int) (position, bool) {
	size := a.Type.Shape.Dim(axis)
	switch e := e.(type) {
	case *syntax.Name:
		sym := c.scope.lookup(e.Name)
		if sym.place() {
			return position{node: sym.node}, true
		}
		id, ok := c.id(e.Name, e.Span)
		if ok && sym != nil && sym.node != nil && sym.node.Rank() <= 1 && c.eq.lhsMask>>id&1 == 0 && !c.eq.idx[id].namesake && (sym.node.Rank() == 0 || a.Rank() == 1 && c.occursOnce(e.Name)) {
			c.eq.idx[id].namesake = true
			c.indexNamesake(e, x.X, sym.node)
		} else if ok && sym == nil && size == len(c.labels) && c.eq.lhsMask>>id&1 == 0 && c.isLabel(e.Name) && c.occursOnce(e.Name) {
			c.indexLabel(e)
		}
		return position{id: id, span: e.Span}, ok
	case *syntax.Number:
		if e.Value != math.Trunc(e.Value) {
			c.indexExpr(e, x)
			return position{}, false
		}
		if size >= 0 && e.Value >= float64(size) {
			c.indexRange(e, x.X, a, axis)
			return position{}, false
		}
		if size == len(c.labels) {
			c.numberAndLabel(e)
		}
		c.at(e.Span)
		return position{node: c.b.Number(e.Value)}, true
	case *syntax.String:
		v := c.label(e)
		if v.n == nil {
			return position{}, false
		}
		if k, _ := v.n.Scalar(); size >= 0 && k >= float64(size) {
			c.indexRange(e, x.X, a, axis)
			return position{}, false
		}
		return position{node: v.n}, true
	}
	c.indexExpr(e, x)
	return position{}, false
}

// take applies an index list to a tensor: fixed positions select, a repeated index takes the
// diagonal.
func (c *checker) take(owner syntax.Expr, span source.Span, a *ir.Node, at []position) val {
	c.at(span)
	axes, places := make([]int, 0, tensor.MaxRank), make([]*ir.Node, 0, tensor.MaxRank)
	ids := c.axes.Make(len(at))[:0]
	distinct := uint64(0)
	for axis, p := range at {
		if p.node != nil {
			axes = append(axes, axis)
			places = append(places, p.node)
			continue
		}
		if !c.unify(p.id, a.Type.Shape.Dim(axis), owner, p.span) {
			return val{}
		}
		ids = append(ids, p.id)
		distinct |= 1 << p.id
	}
	if len(axes) > 0 {
		a = c.b.Select(a, axes, places...)
	}
	if len(ids) == 0 {
		return val{n: a}
	}
	if bits.OnesCount64(distinct) < len(ids) {
		out := c.order(distinct)
		return val{n: c.b.View(a, ids, out, c.sizes()), idx: out, indexed: true}
	}
	return val{n: a, idx: ids, indexed: true}
}

// unify gives an index its size, or compares it with the one it has. A known size takes the place
// of an unknown one.
func (c *checker) unify(id uint8, size int, owner syntax.Expr, span source.Span) bool {
	ix := &c.eq.idx[id]
	if ix.size == unsized || ix.size < 0 && size >= 0 {
		ix.size, ix.owner, ix.span = size, owner, span
	} else if !tensor.SizeFits(ix.size, size) {
		c.indexSizes(ix, size, owner, span)
		return false
	}
	return true
}
