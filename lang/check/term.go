package check

import (
	"math/bits"
	"slices"

	"ein/internal/lists"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// uses counts the occurrences of each index in x, and numbers new ones. A name is an index in brackets
// after a tensor and, if the left side has it, as an argument of select.
func (c *checker) uses(x syntax.Expr, n *[maxIndices]int) {
	c.step(1)
	switch x.(type) {
	case *syntax.Paren, *syntax.Call:
		if x.Pos().Len() <= longBracket {
			break
		}
		inside, ok := c.eq.inside[x]
		if !ok {
			var all [maxIndices]int
			c.countUses(x, &all)
			for id, k := range all {
				if k > 0 {
					inside = append(inside, use{id, k})
				}
			}
			lists.Put(&c.eq.inside, x, inside)
		}
		for _, u := range inside {
			n[u.id] += u.count
		}
		return
	}
	c.countUses(x, n)
}

// longBracket is the length from which the uses inside a bracket are remembered: brackets are nested,
// and each level asks again.
const longBracket = 64

// use is how often an index occurs.
type use struct{ id, count int }

// countUses adds to n how often each index occurs in an expression. Sums of many terms lean to
// the left, so it goes along them without recursion.
func (c *checker) countUses(x syntax.Expr, n *[maxIndices]int) {
	switch x := x.(type) {
	case *syntax.Paren:
		c.uses(x.X, n)
	case *syntax.Unary:
		c.uses(x.X, n)
	case *syntax.Binary:
		for {
			c.uses(x.R, n)
			c.step(1)
			l, ok := x.L.(*syntax.Binary)
			if !ok {
				break
			}
			x = l
		}
		c.uses(x.L, n)
	case *syntax.Product:
		for _, f := range x.Factors {
			c.uses(f, n)
		}
	case *syntax.Index:
		c.uses(x.X, n)
		for _, e := range x.Indices {
			if name, ok := e.(*syntax.Name); ok && !c.scope.lookup(name.Name).place() {
				if id, ok := c.id(name.Name, name.Span); ok {
					n[id]++
				}
			}
		}
	case *syntax.Call:
		for i, a := range x.Args {
			if name, ok := a.Value.(*syntax.Name); ok && i > 0 && x.Fun.Name == "select" {
				if id, ok := c.leftID(name.Name); ok {
					n[id]++
					continue
				}
			}
			c.uses(a.Value, n)
		}
	}
}

// leftID is the number of an index of the left side.
func (c *checker) leftID(name string) (uint8, bool) {
	for _, id := range c.eq.lhs {
		if c.eq.idx[id].name == name {
			return id, true
		}
	}
	return 0, false
}

// maskOf is the set of the indices that occur.
func maskOf(n *[maxIndices]int) (m uint64) {
	for i, k := range n {
		if k > 0 {
			m |= 1 << i
		}
	}
	return m
}

// factor is one factor of a product/quotient term.
type factor struct {
	x       syntax.Expr
	divides bool
	v       val
}

// flatten lists the factors of a term. Parentheses around a product change nothing; around anything
// else they make one factor. A divisor is one factor whatever it is: a / (b c) sums b c by itself.
func flatten(x syntax.Expr, divides bool, out []factor) []factor {
	switch x := x.(type) {
	case *syntax.Product:
		for _, f := range x.Factors {
			out = flatten(f, divides, out)
		}
		return out
	case *syntax.Binary:
		switch x.Op {
		case syntax.Mul:
			return flatten(x.R, divides, flatten(x.L, divides, out))
		case syntax.Div:
			if !divides {
				return flatten(x.R, true, flatten(x.L, false, out))
			}
		}
	case *syntax.Paren:
		if !divides && isProduct(x.X) {
			return flatten(x.X, false, out)
		}
	}
	return append(out, factor{x: x, divides: divides})
}

// isProduct reports whether an expression is a product, in brackets or not.
func isProduct(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Product:
		return true
	case *syntax.Binary:
		return x.Op == syntax.Mul
	case *syntax.Paren:
		return isProduct(x.X)
	}
	return false
}

// term elaborates a tree of products and quotients. Without an index it is computed as written,
// element by element (bareTerm). With one, the factors are elaborated in the context of the whole
// term, where nothing is summed yet, and the sum is made once over the product of all (contract):
// that is what makes A[i,k] B[k,j] a matrix product.
func (c *checker) term(x syntax.Expr, cx ctx) val {
	var uses [maxIndices]int
	c.uses(x, &uses)
	if maskOf(&uses) == 0 {
		return c.bareTerm(x, cx)
	}
	inner := cx
	if cx.uses == nil {
		inner.uses = &uses
	}
	fs := flatten(x, false, make([]factor, 0, 4))
	ok := true
	for i := range fs {
		f := &fs[i]
		f.v = c.expr(f.x, inner)
		switch {
		case f.v.n == nil:
			ok = false
		case f.v.label:
			c.say(labelAsValue, f.x.Pos())
			ok = false
		case !f.v.indexed && f.v.n.Rank() > 0:
			c.say(bareInIndexed, f.x.Pos(), text(f.x), shapeOf(f.v.n), withIndices(f.x, f.v.n))
			ok = false
		}
	}
	if !ok {
		return val{}
	}
	c.at(x.Pos())
	return c.contract(x, fs, cx)
}

// contract multiplies and divides the factors and sums over the indices that cx does not keep.
// Scalars, and divisors that have no summed index, act on the sum; other divisors act inside it.
//
// Whole numbers are checked to stay below 2^53 where they are made. The sums and products that only
// lead to a quotient, or to a longer product, need not: Unchecked lifts the check from them.
func (c *checker) contract(x syntax.Expr, fs []factor, cx ctx) val {
	keep := cx.base
	if cx.uses != nil {
		keep = ^uint64(0)
	}
	over, scalars := make([]val, 0, few), make([]val, 0, few)
	var under, after []val // of the sum: factors, divisors; outside it: factors, divisors
	for _, f := range fs {
		if f.divides && isProduct(f.x) {
			f.v.n.Unchecked()
		}
		switch {
		case f.divides && f.v.mask()&^keep != 0:
			under = append(under, f.v)
		case f.divides:
			after = append(after, f.v)
		case len(f.v.idx) == 0:
			scalars = append(scalars, f.v)
		default:
			over = append(over, f.v)
		}
	}
	// A single factor was checked where it was made.
	made := func(v val, factors []val) bool {
		return v.n != nil && (len(factors) != 1 || v.n != factors[0].n)
	}
	// A quotient is real, so its products need not be exact.
	part := func(v val, factors []val) val {
		if len(under)+len(after) > 0 && made(v, factors) {
			v.n.Unchecked()
		}
		return v
	}
	var v val
	if len(under) == 0 {
		v = part(c.product(x, over, keep), over)
	} else {
		v = part(c.product(x, over, ^uint64(0)), over)
		if v.n != nil {
			v = c.mapped(x, op.FnDiv, v, part(c.product(x, under, ^uint64(0)), under))
			v = c.project(v, ctx{base: keep})
		}
	}
	sizes := c.sizes()
	// The sum of nothing is 0, whatever would be multiplied with it.
	nothing := slices.ContainsFunc(fs, func(f factor) bool {
		return slices.ContainsFunc(f.v.idx, func(i uint8) bool { return keep>>i&1 == 0 && sizes[i] == 0 })
	})
	if nothing && len(under) > 0 {
		scalars = nil
	}
	together := nothing && len(under) == 0 // or a product of some of the factors would be checked by itself
	for i, s := range scalars {
		if i == 0 && len(over) == 0 && len(under) == 0 {
			v = s
			v.indexed = true
			continue
		}
		if v.n != nil {
			together = together || v.n.Checked() && made(v, over)
			v = part(c.mapped(x, op.FnMul, s, v), nil)
		}
	}
	if together && v.n != nil {
		v = c.product(x, append(over, scalars...), keep)
	}
	for _, d := range after {
		if v.n != nil {
			v = c.mapped(x, op.FnDiv, v, d)
		}
	}
	return v
}

// product is the Einsum of the factors, summed over the indices not in keep.
// Without factors it is 1.
func (c *checker) product(x syntax.Expr, fs []val, keep uint64) val {
	if len(fs) == 0 {
		return val{n: c.b.Number(1), indexed: true}
	}
	var union uint64
	for _, f := range fs {
		union |= f.mask()
	}
	out := c.order(union & keep)
	if len(out) > tensor.MaxRank {
		return c.say(tooManyAxes, x.Pos(), tensor.MaxRank, len(out))
	}
	if len(fs) == 1 && bits.OnesCount64(union) == len(out) {
		fs[0].indexed = true
		return fs[0]
	}
	spec := op.Spec{In: make([][]uint8, 0, few), Out: out, Size: c.sizes()}
	args := make([]*ir.Node, 0, few)
	for _, f := range fs {
		spec.In, args = append(spec.In, f.idx), append(args, f.n)
	}
	return val{n: c.b.Einsum(&spec, args...), idx: out, indexed: true}
}

// bareTerm evaluates a term without indices as it is written: * and / act
// element by element.
func (c *checker) bareTerm(x syntax.Expr, cx ctx) val {
	switch x := x.(type) {
	case *syntax.Product:
		v := c.bareTerm(x.Factors[0], cx)
		for i, f := range x.Factors[1:] {
			w := c.bareTerm(f, cx)
			if v.n == nil || w.n == nil {
				return val{}
			}
			if v.n.Rank() > 0 && w.n.Rank() > 0 {
				return c.bareProduct(x, x.Factors[i], f, v.n, w.n)
			}
			v = c.mapped(x, op.FnMul, v, w)
		}
		return v
	case *syntax.Binary:
		if x.Op == syntax.Mul || x.Op == syntax.Div {
			l := c.bareTerm(x.L, cx)
			r := c.bareTerm(x.R, cx)
			return c.mapped(x, binaryFns[x.Op], l, r)
		}
	}
	return c.expr(x, cx)
}
