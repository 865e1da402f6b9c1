package lang_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/lang"
	"ein/vm/ir"
	"ein/vm/op"
	"ein/vm/tensor"
)

// weighted is a matrix or a vector of random weights as an input: dense, or the
// edges of a matrix as CSR.
func weighted(r *rand.Rand, weights []float64, sparse bool, dims ...int) (*tensor.Value, []float64) {
	v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(dims...)}}
	v.F = make([]float64, v.Shape.Elems())
	for i := range v.F {
		if r.IntN(3) == 0 {
			v.F[i] = weights[r.IntN(len(weights))]
		}
		v.Kind = max(v.Kind, ir.KindOf(v.F[i]))
	}
	data := v.F
	if sparse {
		v.Layout, v.F = tensor.Sparse, nil
		v.CSR = tensor.CSR{Rows: dims[0], Cols: dims[1], Ptr: make([]int32, dims[0]+1)}
		for i, x := range data {
			if x != 0 {
				v.CSR.Idx = append(v.CSR.Idx, int32(i%dims[1]))
				v.CSR.Val = append(v.CSR.Val, x)
			}
			v.CSR.Ptr[i/dims[1]+1] = int32(len(v.CSR.Idx))
		}
		if v.Kind == tensor.Bool {
			v.CSR.Val = nil
		}
	}
	return v, data
}

// TestPreludeWeights holds the functions of the prelude against the words that
// document them, on graphs and sets of any weights: an edge, or a member of a
// set, is whatever is not 0.
func TestPreludeWeights(t *testing.T) {
	const n, x = 6, 2
	nan, inf := math.NaN(), math.Inf(1)
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 300 {
		weights := [][]float64{{1}, {1, -1}, {3, -2, -1, 7}, {0.5, -0.25, 1e-200, -1e300}, {1, inf, -inf, nan, -0.5}}[round%5]
		sparse, plain := round/5%2 == 0, round/10%2 == 0
		A, a := weighted(r, weights, sparse, n, n)
		U, u := weighted(r, weights, false, n)
		V, v := weighted(r, weights, false, n)
		edge := func(i, j int) bool { return a[i*n+j] != 0 }
		some := func(f func(k int) bool) bool { return slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5}, f) }
		count := func(f func(k int) bool) (c float64) {
			for k := range n {
				if f(k) {
					c++
				}
			}
			return c
		}
		shares := func(i int) bool { return some(func(p int) bool { return edge(p, i) && edge(p, x) }) }
		grand := func(g, i int) bool { return some(func(p int) bool { return edge(g, p) && edge(p, i) }) }
		sets := map[string]func(i int) bool{
			"complement(U)":  func(i int) bool { return u[i] == 0 },
			"both(U, V)":     func(i int) bool { return u[i] != 0 && v[i] != 0 },
			"only(U, V)":     func(i int) bool { return u[i] != 0 && v[i] == 0 },
			"either(U, V)":   func(i int) bool { return u[i] != 0 || v[i] != 0 },
			"parents(A, 2)":  func(i int) bool { return edge(i, x) },
			"children(A, 2)": func(i int) bool { return edge(x, i) },
			"siblings(A, 2)": func(i int) bool { return i != x && shares(i) },
			"cousins(A, 2)": func(i int) bool {
				return i != x && !shares(i) && some(func(g int) bool { return grand(g, x) && grand(g, i) })
			},
			"roots(A)":  func(i int) bool { return !some(func(k int) bool { return edge(k, i) }) },
			"leaves(A)": func(i int) bool { return !some(func(k int) bool { return edge(i, k) }) },
		}
		want := map[string][]float64{}
		values := func(name string, size int, f func(i int) float64) {
			for i := range size {
				want[name] = append(want[name], f(i))
			}
		}
		for name, in := range sets {
			values(name, n, func(i int) float64 { return count(func(k int) bool { return k == i && in(i) }) })
		}
		values("out_degree(A)", n, func(i int) float64 { return count(func(k int) bool { return edge(i, k) }) })
		values("in_degree(A)", n, func(i int) float64 { return count(func(k int) bool { return edge(k, i) }) })
		values("sym(A)", n*n, func(k int) float64 {
			switch there, back := a[k], a[k%n*n+k/n]; {
			case there == 0:
				return back
			case back == 0:
				return there
			default:
				return max(there, back)
			}
		})
		values("mean_over(V, U)", 1, func(int) float64 {
			total, members := 0.0, 0.0
			for i := range n {
				if u[i] != 0 {
					total, members = total+v[i], members+1
				}
			}
			return total / members
		})
		for name, w := range want {
			// An output is finite, so what is not gets a number.
			text := fmt.Sprintf("input A: matrix\ninput U: vector\ninput V: vector\nR = %s\n:print where(R == R, clamp(R, -1e301, 1e301), 1e302)\n", name)
			outs, _, class, message := run(t, text, lang.Options{NoOpt: plain, Inputs: map[string]*tensor.Value{"A": A, "U": U, "V": V}})
			if class != "" {
				t.Fatalf("%s of %v, %v, %v: %s", name, a, u, v, message)
			}
			for i, y := range w {
				y = op.FnWhere.Apply(op.FnEq.Apply(y, y, 0), op.FnClamp.Apply(y, -1e301, 1e301), 1e302)
				if got := outs[0].Tensor.Data[i]; math.Abs(got-y) > 1e-12*math.Abs(y) {
					t.Fatalf("plain=%v sparse=%v: %s of\nA = %v\nU = %v\nV = %v\nis %v at %d, want %v", plain, sparse, name, a, u, v, got, i, y)
				}
			}
		}
	}
}
