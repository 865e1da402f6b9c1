package plan

import (
	"slices"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/op"
	"ein/vm/tensor"
)

// order turns a product of several factors into pairs, cheapest order first,
// and folds of pairs of matrices into semiring products. A product stays one
// operation when its pairs need more axes than a tensor can have, or whole numbers
// in them that may not be exact and may matter.
func (o *optimiser) order(n *ir.Node) *ir.Node {
	switch {
	case n.Op == ir.Reduce:
		return o.semiring(n)
	case n.Op != ir.Einsum || len(n.Args) < 2 || len(n.Args) == 3 && IsTriple(n) || scales(n.Spec):
		return n
	case len(n.Args) == 2:
		return o.preSum(n)
	}
	steps := kernel.Order(n.Spec)
	for i := range steps {
		if len(steps[i].Spec.Out) > tensor.MaxRank {
			return n
		}
	}
	parts := slices.Clone(n.Args)
	for i := range steps {
		m := o.b.Einsum(&steps[i].Spec, parts[steps[i].A], parts[steps[i].B])
		m.Pos = n.Pos
		switch {
		case i == len(steps)-1:
			m.Type.Kind = n.Type.Kind
		case m.Checked() && n.NeedsExact():
			return n
		default:
			m.Unchecked()
		}
		parts = append(parts, o.share(o.preSum(o.share(m))))
	}
	o.note("order", n, "%d factors in pairs", len(n.Args))
	return parts[len(parts)-1]
}

// scales reports whether a matrix is multiplied by vectors along its rows and its columns, and nothing is
// added up. Pairs would save nothing, and of two vectors they would make a matrix, however sparse the first
// one is.
func scales(s *op.Spec) bool {
	matrices, along := 0, uint64(0)
	for _, in := range s.In {
		if len(in) > 1 {
			matrices++
		} else {
			along |= op.Mask(in)
		}
	}
	return matrices == 1 && len(s.Size) == 2 && len(s.Out) == 2 && distinct(s.Out) && along == op.Mask(s.Out)
}

// preSum sums an index that only one factor of a pair has before the product.
func (o *optimiser) preSum(n *ir.Node) *ir.Node {
	if n.NeedsExact() {
		return n
	}
	out := op.Mask(n.Spec.Out)
	args, in := [2]*ir.Node(n.Args), [2][]uint8(n.Spec.In)
	changed := false
	for i := range args {
		other := op.Mask(n.Spec.In[1-i])
		kept := o.b.IDs(len(n.Spec.In[i]))[:0]
		for _, x := range n.Spec.In[i] {
			if (out|other)>>x&1 != 0 {
				kept = append(kept, x)
			}
		}
		if len(kept) == len(n.Spec.In[i]) || !distinct(kept) {
			continue
		}
		args[i] = o.b.View(args[i], n.Spec.In[i], kept, n.Spec.Size)
		args[i].Pos = n.Pos
		args[i] = o.share(args[i].Unchecked())
		in[i] = kept
		changed = true
	}
	if !changed {
		return n
	}
	o.note("pre-sum", n, "a sum before the product")
	m := o.b.Einsum(&op.Spec{In: in[:], Out: n.Spec.Out, Size: n.Spec.Size}, args[:]...)
	m.Type.Kind = n.Type.Kind
	return m
}

// IsTriple reports whether n sums over the three indices of three 0/1 matrices
// that form a cycle, X[a,b] Y[b,c] Z[a,c] each possibly transposed: the pattern
// of counting triangles, which has a kernel of its own.
func IsTriple(n *ir.Node) bool {
	if len(n.Args) != 3 || len(n.Spec.Out) != 0 || len(n.Spec.Size) != 3 {
		return false
	}
	var pairs [3]uint8
	for i, in := range n.Spec.In {
		if len(in) != 2 || in[0] == in[1] || n.Args[i].Type.Kind != tensor.Bool {
			return false
		}
		pairs[i] = 1<<in[0] | 1<<in[1]
	}
	return pairs[0] != pairs[1] && pairs[1] != pairs[2] && pairs[0] != pairs[2]
}

// semiring recognises max or min over one index of a function of two matrices.
func (o *optimiser) semiring(n *ir.Node) *ir.Node {
	m := n.Args[0]
	if m.Checked() {
		return n // every element has to be formed
	}
	if m.Op == ir.Einsum && !n.IsArg() && o.uses.At(m) <= 1 && len(m.Args) == 2 && distinct(m.Spec.Out) && len(m.Spec.Out) == len(m.Spec.Size) {
		// The product of two tensors, nothing summed: max= of A[i,j] B[j,k].
		spec := &op.Spec{In: m.Spec.In, Size: m.Spec.Size}
		for d, x := range m.Spec.Out {
			if !slices.Contains(n.Axes, d) {
				spec.Out = append(spec.Out, x)
			}
		}
		o.note("semiring", n, "%v of a product, which is never formed", n.Fold)
		return o.b.Semiring(op.FnMul, n.Fold, spec, m.Args[0], m.Args[1])
	}
	if n.IsArg() || m.Op != ir.Map || len(m.Args) != 2 || o.uses.At(m) > 1 || m.Rank() != 3 || len(n.Axes) != 1 {
		return n
	}
	switch m.Fn {
	case op.FnAdd, op.FnMul, op.FnMax, op.FnMin:
	default:
		return n
	}
	spec := &op.Spec{Size: m.Type.Shape.Dims()}
	args := make([]*ir.Node, 2)
	for i, a := range m.Args {
		if a.Op != ir.Einsum || !isView(a) || a.Args[0].Rank() != 2 || !distinct(a.Spec.Out) {
			return n
		}
		var to [64]uint8
		for d, x := range a.Spec.Out {
			to[x] = uint8(d)
		}
		ids := make([]uint8, 2)
		for d, x := range a.Spec.In[0] {
			ids[d] = to[x]
		}
		spec.In = append(spec.In, ids)
		args[i] = a.Args[0]
	}
	for d := range 3 {
		if d != n.Axes[0] {
			spec.Out = append(spec.Out, uint8(d))
		}
	}
	o.note("semiring", n, "%v of %v over one index", n.Fold, m.Fn)
	return o.b.Semiring(m.Fn, n.Fold, spec, args[0], args[1])
}
