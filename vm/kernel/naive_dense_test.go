package kernel

import "ein/vm/op"

// NaiveEinsum is einsum from its definition, for any number of operands: it
// visits every assignment of the indices in use and adds the product of the
// operands to the element of the result. It allocates the result.
func NaiveEinsum(s op.Spec, ops ...[]float64) []float64 {
	out := make([]float64, s.Elems(s.Out))
	naiveEach(s, func(at func(ids []uint8) int) {
		v := 1.0
		for k, op := range ops {
			v *= op[at(s.In[k])]
		}
		out[at(s.Out)] += v
	})
	return out
}

// NaiveSemiring is the definition of Semiring.
func NaiveSemiring(s op.Spec, combine op.Fn, fold op.Fold, a, b []float64) []float64 {
	out := make([]float64, s.Elems(s.Out))
	naiveEach(s, func(at func(ids []uint8) int) { out[at(s.Out)] = fold.Identity() })
	naiveEach(s, func(at func(ids []uint8) int) {
		i := at(s.Out)
		v := combine.Apply(a[at(s.In[0])], b[at(s.In[1])], 0)
		out[i] = fold.Apply(out[i], v)
	})
	return out
}

// naiveEach calls visit at every assignment of the indices that s uses; at
// gives the position in a tensor with the given indices.
func naiveEach(s op.Spec, visit func(at func(ids []uint8) int)) {
	var used []uint8
	for id := range s.Size {
		for _, ids := range append([][]uint8{s.Out}, s.In...) {
			if naiveHas(ids, uint8(id)) {
				used = append(used, uint8(id))
				break
			}
		}
	}
	value := make([]int, len(s.Size))
	at := func(ids []uint8) int {
		o := 0
		for _, id := range ids {
			o = o*s.Size[id] + value[id]
		}
		return o
	}
	var loop func(used []uint8)
	loop = func(used []uint8) {
		if len(used) == 0 {
			visit(at)
			return
		}
		id := used[0]
		for value[id] = 0; value[id] < s.Size[id]; value[id]++ {
			loop(used[1:])
		}
	}
	loop(used)
}

func naiveHas(ids []uint8, id uint8) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

// NaiveReduce is the definition of Reduce.
func NaiveReduce(f op.Fold, shape, axes []int, a []float64) []float64 {
	s := reduceSpec(shape, axes)
	out := make([]float64, s.Elems(s.Out))
	best := make([]float64, len(out))
	naiveEach(s, func(at func(ids []uint8) int) { best[at(s.Out)] = f.Identity() })
	seen := make([]bool, len(out))
	pos := make([]int, len(out))
	naiveEach(s, func(at func(ids []uint8) int) {
		i, v := at(s.Out), a[at(s.In[0])]
		switch f {
		case op.FoldArgMax, op.FoldArgMin:
			if !seen[i] || naiveBetter(f, v, best[i]) {
				out[i], best[i] = float64(pos[i]), v
			}
		default:
			best[i] = f.Apply(best[i], v)
			out[i] = best[i]
		}
		seen[i] = true
		pos[i]++
	})
	return out
}

// naiveBetter reports whether v, coming later, takes the place of best.
func naiveBetter(f op.Fold, v, best float64) bool {
	if best != best {
		return false
	}
	return v != v || f == op.FoldArgMax && v > best || f == op.FoldArgMin && v < best
}

// NaiveFused is the definition of Fused without a fold: it runs the code for
// every point of shape on its own.
func NaiveFused(shape []int, strides [][]int, code []op.Micro, consts []float64, args [][]float64) (values []float64, exact bool) {
	exact = true
	n := 1
	for _, d := range shape {
		n *= d
	}
	for lin := range n {
		reg := map[uint8]float64{}
		for k, arg := range args {
			o, rest := 0, lin
			for d := len(shape) - 1; d >= 0; d-- {
				o += rest % shape[d] * strides[k][d]
				rest /= shape[d]
			}
			reg[uint8(k)] = arg[o]
		}
		for i, x := range consts {
			reg[uint8(len(args)+i)] = x
		}
		result := uint8(0)
		for _, m := range code {
			if m.Fn == op.FnCheck {
				at := CheckInt(&Ctl{}, []float64{reg[m.A]})
				exact = exact && at < 0
				continue
			}
			reg[m.Dst] = m.Fn.Apply(reg[m.A], reg[m.B], reg[m.C])
			result = m.Dst
		}
		values = append(values, reg[result])
	}
	return values, exact
}
