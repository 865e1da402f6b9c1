package plan

import (
	"math"
	"math/bits"
	"slices"

	"ein/vm/ir"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// order turns a product of several factors into pairs, cheapest order first,
// and folds of pairs of matrices into semiring products.
func (o *optimiser) order(n *ir.Node) *ir.Node {
	switch {
	case n.Op == ir.Reduce:
		return o.semiring(n)
	case n.Op != ir.Einsum || len(n.Args) < 2 || len(n.Args) == 3 && IsTriple(n):
		return n
	case len(n.Args) == 2:
		return o.preSum(n)
	case len(n.Args) > maxFactors:
		return o.greedy(n)
	}
	m := o.best(n)
	if m == nil {
		return n
	}
	o.note("order", n, "%d factors in pairs", len(n.Args))
	return m
}

// part is a product of some of the factors: the node, and its index of each
// axis.
type part struct {
	n   *ir.Node
	ids []uint8
}

func maskOf(ids []uint8) (m uint64) {
	for _, x := range ids {
		m |= 1 << x
	}
	return m
}

func volume(mask uint64, size []int) float64 {
	v := 1.0
	for ; mask != 0; mask &= mask - 1 {
		v *= float64(size[bits.TrailingZeros64(mask)])
	}
	return v
}

// join multiplies two parts and keeps the indices in keep.
func (o *optimiser) join(n *ir.Node, a, b part, keep uint64, out []uint8) part {
	if out == nil {
		for x := range n.Spec.Size {
			if (maskOf(a.ids)|maskOf(b.ids))&keep>>x&1 != 0 {
				out = append(out, uint8(x))
			}
		}
	}
	m := o.b.Einsum(&kernel.Spec{In: [][]uint8{a.ids, b.ids}, Out: out, Size: n.Spec.Size}, a.n, b.n)
	m.Pos = n.Pos
	return part{o.share(o.preSum(o.share(m))), out}
}

// best finds the order with the fewest multiplications by dynamic programming
// over subsets of the factors. It is nil when every order needs an intermediate
// of too many axes.
func (o *optimiser) best(n *ir.Node) *ir.Node {
	k := len(n.Args)
	full := 1<<k - 1
	masks := make([]uint64, full+1) // indices of the factors of a subset
	for s := 1; s <= full; s++ {
		low := bits.TrailingZeros(uint(s))
		masks[s] = masks[s&(s-1)] | maskOf(n.Spec.In[low])
	}
	keep := func(s int) uint64 { return masks[s] & (masks[full&^s] | maskOf(n.Spec.Out)) }
	cost := make([]float64, full+1)
	split := make([]int, full+1)
	for s := 1; s <= full; s++ {
		if s&(s-1) == 0 {
			continue
		}
		cost[s] = math.Inf(1)
		for l := (s - 1) & s; l > 0; l = (l - 1) & s {
			r := s &^ l
			if l < r {
				continue // the other half of a split already seen
			}
			left, right := keep(l), keep(r)
			if l&(l-1) == 0 {
				left = masks[l]
			}
			if r&(r-1) == 0 {
				right = masks[r]
			}
			// The size of the result breaks ties between orders of equal work.
			if bits.OnesCount64(keep(s)) > tensor.MaxRank {
				continue // no tensor has so many axes
			}
			c := cost[l] + cost[r] + volume(left|right, n.Spec.Size) + 1e-3*volume(keep(s), n.Spec.Size)
			if c < cost[s] {
				cost[s], split[s] = c, l
			}
		}
	}
	if math.IsInf(cost[full], 1) {
		return nil
	}
	var build func(s int) part
	build = func(s int) part {
		if s&(s-1) == 0 {
			i := bits.TrailingZeros(uint(s))
			return part{n.Args[i], n.Spec.In[i]}
		}
		out := []uint8(nil)
		if s == full {
			out = n.Spec.Out
			if out == nil {
				out = []uint8{}
			}
		}
		// The half with the first factor goes left, as it was written.
		l, r := split[s], s&^split[s]
		if bits.TrailingZeros(uint(r)) < bits.TrailingZeros(uint(l)) {
			l, r = r, l
		}
		return o.join(n, build(l), build(r), keep(s), out)
	}
	return build(full).n
}

// greedy joins the pair with the smallest result relative to its factors, over
// and over, as opt_einsum does for long products.
func (o *optimiser) greedy(n *ir.Node) *ir.Node {
	parts := make([]part, len(n.Args))
	for i, a := range n.Args {
		parts[i] = part{a, n.Spec.In[i]}
	}
	for len(parts) > 1 {
		bi, bj, best := 0, 1, math.Inf(1)
		var bestKeep uint64
		for i := range parts {
			for j := i + 1; j < len(parts); j++ {
				rest := maskOf(n.Spec.Out)
				for k := range parts {
					if k != i && k != j {
						rest |= maskOf(parts[k].ids)
					}
				}
				a, b := maskOf(parts[i].ids), maskOf(parts[j].ids)
				c := volume((a|b)&rest, n.Spec.Size) - volume(a, n.Spec.Size) - volume(b, n.Spec.Size)
				if bits.OnesCount64((a|b)&rest) <= tensor.MaxRank && c < best {
					bi, bj, best, bestKeep = i, j, c, rest
				}
			}
		}
		if math.IsInf(best, 1) {
			return n
		}
		var out []uint8
		if len(parts) == 2 {
			out = n.Spec.Out
			if out == nil {
				out = []uint8{}
			}
		}
		p := o.join(n, parts[bi], parts[bj], bestKeep, out)
		parts[bi] = p
		parts = slices.Delete(parts, bj, bj+1)
	}
	o.note("order", n, "%d factors, the cheapest pair first", len(n.Args))
	return parts[0].n
}

// preSum sums an index that only one factor of a pair has before the product.
func (o *optimiser) preSum(n *ir.Node) *ir.Node {
	out := maskOf(n.Spec.Out)
	args := slices.Clone(n.Args)
	spec := &kernel.Spec{In: slices.Clone(n.Spec.In), Out: n.Spec.Out, Size: n.Spec.Size}
	changed := false
	for i := range args {
		other := maskOf(n.Spec.In[1-i])
		var kept []uint8
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
		args[i] = o.share(args[i])
		spec.In[i] = kept
		changed = true
	}
	if !changed {
		return n
	}
	o.note("pre-sum", n, "a sum before the product")
	m := o.b.Einsum(spec, args...)
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
	if m.Op == ir.Einsum && !n.IsArg() && o.uses.At(m) <= 1 && len(m.Args) == 2 && distinct(m.Spec.Out) && len(m.Spec.Out) == len(m.Spec.Size) {
		// The product of two tensors, nothing summed: max= of A[i,j] B[j,k].
		spec := &kernel.Spec{In: m.Spec.In, Size: m.Spec.Size}
		for d, x := range m.Spec.Out {
			if !slices.Contains(n.Axes, d) {
				spec.Out = append(spec.Out, x)
			}
		}
		o.note("semiring", n, "%v of a product, which is never formed", n.Fold)
		return o.b.Semiring(kernel.FnMul, n.Fold, spec, m.Args[0], m.Args[1])
	}
	if n.IsArg() || m.Op != ir.Map || len(m.Args) != 2 || o.uses.At(m) > 1 || m.Rank() != 3 || len(n.Axes) != 1 {
		return n
	}
	switch m.Fn {
	case kernel.FnAdd, kernel.FnMul, kernel.FnMax, kernel.FnMin:
	default:
		return n
	}
	spec := &kernel.Spec{Size: m.Type.Shape.Dims()}
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
