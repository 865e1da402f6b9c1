package naive

import (
	"slices"

	"ein/internal/lists"
	"ein/lang/syntax"
)

// eval returns the value of an expression without indices: whole tensors.
func (in *interp) eval(sc *scope, x syntax.Expr) value {
	switch x := x.(type) {
	case *syntax.Name:
		v, ok := sc.vars[x.Name]
		if !ok {
			fail(Static, "undefined name %s", x.Name)
		}
		return v
	case *syntax.Number:
		return known(x.Value)
	case *syntax.String:
		if !in.listed[x.Value] {
			fail(Static, "unknown label %q", x.Value)
		}
		return known(float64(in.labels[x.Value]))
	case *syntax.List:
		return in.list(sc, x)
	case *syntax.Paren:
		return in.eval(sc, x.X)
	case *syntax.Unary:
		return apply(func(a []float64) float64 { return -a[0] }, same, in.eval(sc, x.X))
	case *syntax.Binary:
		real := same
		if x.Op == syntax.Div {
			real = always
		} else if x.Op.Compares() {
			real = never
		}
		return apply(infix[x.Op], real, in.eval(sc, x.L), in.eval(sc, x.R))
	case *syntax.Product:
		v := in.eval(sc, x.Factors[0])
		for _, f := range x.Factors[1:] {
			w := in.eval(sc, f)
			if v.rank() > 0 && w.rank() > 0 {
				fail(Static, "bare tensors of rank %d and %d side by side; write * or indices", v.rank(), w.rank())
			}
			v = apply(infix[syntax.Mul], same, v, w)
		}
		return v
	case *syntax.Index:
		for _, i := range x.Indices {
			checkBracket(i)
		}
		return in.element(sc, x.X, x.Indices)
	case *syntax.Call:
		return in.call(sc, x)
	}
	fail(Static, "an expression that cannot be read")
	return value{}
}

// apply applies f to each element; scalars stand for tensors of any shape.
func apply(f pointwise, real func(bool) bool, vs ...value) value {
	var dims []int
	out := value{known: true}
	for _, v := range vs {
		out.real = out.real || v.real
		out.huge = out.huge || v.huge
		out.known = out.known && v.known
		if v.rank() == 0 {
			continue
		}
		if dims != nil && !slices.Equal(dims, v.Dims) {
			fail(Static, "shapes %v and %v differ", dims, v.Dims)
		}
		dims = v.Dims
	}
	out.real = real(out.real)
	out.Tensor = newTensor(dims...)
	xs := make([]float64, len(vs))
	for k := range out.Data {
		for i, v := range vs {
			xs[i] = v.Data[0]
			if v.rank() > 0 {
				xs[i] = v.Data[k]
			}
		}
		out.Data[k] = f(xs)
	}
	out.check()
	return out
}

// list returns a literal: scalars, or lists of one shape.
func (in *interp) list(sc *scope, x *syntax.List) value {
	if x.Len() == 0 {
		fail(Static, "an empty list")
	}
	var out value
	for i, e := range x.All() {
		v := in.eval(sc, e)
		_, isList := e.(*syntax.List)
		switch {
		case !isList && v.rank() > 0:
			fail(Static, "an element of a list is not a scalar")
		case i == 0:
			out.Dims = append([]int{x.Len()}, v.Dims...)
		case !slices.Equal(out.Dims[1:], v.Dims):
			fail(Static, "ragged list: element %d has shape %v, not %v", i, v.Dims, out.Dims[1:])
		}
		out.Data = append(out.Data, v.Data...)
		out.real = out.real || isList && v.real || !isList && !whole(v.Data[0])
		out.huge = out.huge || v.huge
	}
	if len(out.Dims) > maxRank {
		fail(Static, "rank %d: a tensor has at most %d axes", len(out.Dims), maxRank)
	}
	return out
}

// element evaluates X[indices] with no index among them.
func (in *interp) element(sc *scope, x syntax.Expr, indices []syntax.Expr) value {
	t := in.eval(sc, x)
	if t.rank() != len(indices) {
		fail(Static, "%s has rank %d but %d indices", in.textOf(x), t.rank(), len(indices))
	}
	pos := make([]int, len(indices))
	for a, i := range indices {
		pos[a] = in.position(sc, i, t.Dims[a])
	}
	return value{Tensor: Tensor{Data: []float64{t.Data[flatten(t.Dims, pos)]}}, real: t.real, huge: t.huge}
}

// checkBracket admits what may stand in brackets; select takes expressions too.
func checkBracket(x syntax.Expr) {
	switch x.(type) {
	case *syntax.Name, *syntax.Number, *syntax.String:
		return
	}
	fail(Static, "only an index, a number or a label can be in brackets; select takes expressions")
}

// position returns a place on an axis: an integer expression or a label.
func (in *interp) position(sc *scope, x syntax.Expr, size int) int {
	return position(in.eval(sc, x), size)
}

// position returns a value as a place on an axis of some size. If it is known before the run, so
// is its error.
func position(v value, size int) int {
	class := Runtime
	if v.known {
		class = Static
	}
	if v.huge {
		fail(Runtime, "an index reached 2^53")
	}
	if v.rank() > 0 {
		fail(Static, "an index is a tensor of rank %d, not a scalar", v.rank())
	}
	p := int(v.Data[0])
	if float64(p) != v.Data[0] {
		fail(class, "index %g is not an integer", v.Data[0])
	}
	if p < 0 || p >= size {
		fail(class, "index %d is out of range 0..%d", p, size-1)
	}
	return p
}

// selection takes the arguments of select apart into the tensor and one index
// for each axis.
func (in *interp) selection(sc *scope, args []syntax.Expr, lhs []string) (syntax.Expr, []syntax.Expr) {
	if len(args) < 2 {
		fail(Static, "select needs a tensor and its indices")
	}
	t, at := args[0], args[1:]
	if len(at) != 2 || in.eval(sc, t).rank() != 1 {
		return t, at
	}
	// A vector with two positions: the second spelling is for programs that
	// think of the vector as a row or a column.
	zero := func(x syntax.Expr) bool {
		if n, ok := x.(*syntax.Name); ok && slices.Contains(lhs, n.Name) {
			return false
		}
		v := in.eval(sc, x)
		return v.rank() == 0 && v.Data[0] == 0
	}
	switch {
	case zero(at[1]):
		return t, at[:1]
	case zero(at[0]):
		return t, at[1:]
	}
	fail(Static, "select on a vector with two positions: one of them must be 0")
	return nil, nil
}

// call evaluates a call whose arguments have no indices.
func (in *interp) call(sc *scope, x *syntax.Call) value {
	name := x.Fun.Name
	if d, ok := in.defs[name]; ok {
		return in.expand(sc, d, x)
	}
	var axis syntax.Expr
	var args []syntax.Expr
	for _, a := range x.Args {
		switch a.Name.Name {
		case "":
			args = append(args, a.Value)
		case "axis":
			axis = a.Value
		default:
			fail(Static, "%s has no parameter %s", name, a.Name.Name)
		}
	}
	if name == "select" {
		t, at := in.selection(sc, args, nil)
		return in.element(sc, t, at)
	}
	if name == "edges" || name == "adj" || name == "vec" {
		return in.construct(sc, name, args)
	}
	vs := lists.Map(args, func(a syntax.Expr) value { return in.eval(sc, a) })
	if axis != nil {
		if !reductions[name] || len(args) != 1 {
			fail(Static, "%s has no form with axis", name)
		}
		return alongAxis(name, vs[0], in.eval(sc, axis))
	}
	if e, ok := elementwise[name]; ok && e.arity == len(vs) {
		v := apply(e.f, e.real, vs...)
		v.known = false
		return v
	}
	if reductions[name] {
		switch {
		case len(vs) == 1:
			if (name == "argmax" || name == "argmin") && vs[0].rank() != 1 {
				fail(Static, "%s of a tensor of rank %d needs an axis", name, vs[0].rank())
			}
			v := scalar(reduce(name, vs[0].Data, vs[0].real), reducedReal(name, vs[0].real))
			v.huge = vs[0].huge
			v.check()
			return v
		case len(vs) == 2:
			return alongAxis(name, vs[0], vs[1])
		}
	}
	f, ok := functions[name]
	if !ok {
		if _, tensor := sc.vars[name]; tensor {
			fail(Static, "%s is a tensor, not a function; write * for a product", name)
		}
		if _, e := elementwise[name]; !e && !reductions[name] {
			fail(Static, "unknown function %s", name)
		}
	}
	if !ok || len(vs) < f.min || len(vs) > f.max {
		fail(Static, "%s does not take %d arguments", name, len(vs))
	}
	v := f.f(vs)
	for _, arg := range vs {
		v.huge = v.huge || arg.huge && name != "size"
	}
	v.check()
	return v
}

// reducedReal reports whether a reduction gives real numbers: a mean always, sums and extremes of
// real ones.
func reducedReal(name string, real bool) bool {
	return name == "mean" || real && (name == "sum" || name == "max" || name == "min")
}

// alongAxis reduces one axis.
func alongAxis(name string, t, axis value) value {
	d := axisOf(axis, t.rank())
	out := value{Tensor: newTensor(slices.Delete(slices.Clone(t.Dims), d, d+1)...), real: reducedReal(name, t.real), huge: t.huge}
	pos := make([]int, t.rank()-1)
	for k := range out.Data {
		unflatten(k, out.Dims, pos)
		out.Data[k] = reduce(name, lane(t, pos, d), t.real)
	}
	out.check()
	return out
}

// lane returns the elements of t along axis d at a position on the other axes.
func lane(t value, others []int, d int) []float64 {
	var xs []float64
	for p := range t.Dims[d] {
		xs = append(xs, t.Data[flatten(t.Dims, slices.Insert(slices.Clone(others), d, p))])
	}
	return xs
}

// axisOf is an axis that is known before the run, counted from 0.
func axisOf(v value, rank int) int {
	d := staticInt(v, "an axis")
	if d < 0 || d >= rank {
		fail(Static, "axis %d of a tensor of rank %d", d, rank)
	}
	return d
}

// staticInt returns an integer that the text alone determines.
func staticInt(v value, what string) int {
	if v.rank() > 0 || !v.known {
		fail(Static, "%s must be an integer known before the program runs", what)
	}
	n := int(v.Data[0])
	if float64(n) != v.Data[0] {
		fail(Static, "%s must be an integer, not %g", what, v.Data[0])
	}
	return n
}

// expand evaluates a call of a function written in Ein. Its body sees its
// parameters, its own names and other functions, nothing else.
func (in *interp) expand(sc *scope, d *syntax.Def, x *syntax.Call) value {
	name := d.Name.Name
	if slices.Contains(in.calls, name) {
		fail(Static, "%s is recursive: it calls itself", name)
	}
	if len(x.Args) != len(d.Params) {
		fail(Static, "%s takes %d arguments, not %d", name, len(d.Params), len(x.Args))
	}
	inner := &scope{vars: map[string]value{}, params: map[string]bool{}}
	for i, p := range d.Params {
		if x.Args[i].Name.Name != "" {
			fail(Static, "%s has no named parameters", name)
		}
		inner.vars[p.Name] = in.eval(sc, x.Args[i].Value)
		inner.params[p.Name] = true
	}
	in.calls = append(in.calls, name)
	defer func() { in.calls = in.calls[:len(in.calls)-1] }()
	if d.Value != nil {
		return in.equation(inner, nil, false, syntax.Set, d.Value)
	}
	var last value
	for _, s := range d.Body {
		switch s := s.(type) {
		case *syntax.Assign:
			in.assign(inner, s)
			last = inner.vars[s.Name.Name]
		case *syntax.ExprStmt:
			last = in.equation(inner, nil, false, syntax.Set, s.X)
		case *syntax.Repeat:
			in.repeat(inner, s, func(s *syntax.Assign) { last = inner.vars[s.Name.Name] })
		}
	}
	return last
}
