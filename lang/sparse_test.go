package lang_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/internal/naive"
	"ein/lang"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/tensor"
)

// TestSparseFolds compares folds of sparse matrices with the definition: those that
// the compiler works out over entries, and those that it cannot.
func TestSparseFolds(t *testing.T) {
	bodies := []struct {
		text    string
		entries bool
	}{
		{"R[j] min= x[i] + W[i,j]", true},
		{"R[i] min= W[i,j] + y[j]", true},
		{"R[i] max= W[j,i] * x[j]", true},
		{"R[i] max= x[i] * W[i,j]", true}, // where there is no entry it goes by i
		{"R[j] min= x[i] + where(W[i,j] > 0, W[i,j], 1e18)", true},
		{"R[j] min= where(W[i,j] > 0, x[i] + W[i,j] + y[j], 1e18)", true},
		{"C = where(W != 0, W, 100)\nR[j] min= x[i] + C[i,j]\nR[j] min= R[i] + C[i,j]\nR[j] min= R[i] + C[i,j]", true},
		{"R = max(W, axis=1)", true},
		{"R = min(W, axis=0)", true},
		{"R[i] = max(min(W[i,j], 2))", true},
		{"R[i] = min(W[i,j] / W[i,j])", true},
		{"R[j] min= x[i] * y[j] + W[i,j]", false},
		{"R[j] min= W[i,j] + W[j,i]", false},
		{"R[j] min= W[i,j] + M[i,j]", false},
		{"R = max(W)", false},
		{"R[i] = argmax(W[i,j])", false},
	}
	r := rand.New(rand.NewPCG(51, 52))
	for _, b := range bodies {
		for range 25 {
			n := 1 + r.IntN(7)
			w := tensor.Value{Type: tensor.Type{Kind: tensor.Kind(1 + r.IntN(2)), Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
			w.CSR = tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Val: []float64{}}
			list := make([]float64, n*n)
			density := r.Float64()
			for k := range list {
				if list[k] = float64(r.IntN(9) - 3); r.Float64() > density || list[k] == 0 {
					list[k] = 0
				} else {
					w.CSR.Idx, w.CSR.Val = append(w.CSR.Idx, int32(k%n)), append(w.CSR.Val, list[k])
				}
				w.CSR.Ptr[k/n+1] = int32(len(w.CSR.Idx))
			}
			text := fmt.Sprintf("input W: matrix\nM = ones(%d,%d)\nx = range(%d) - 2\ny = 3 - range(%d)\n%s\n:print R", n, n, n, n, b.text)
			want, err := naive.Run(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{}), naive.Options{Prelude: stdlib.Prelude(),
				Inputs: map[string]naive.Tensor{"W": {Dims: []int{n, n}, Data: list}}})
			for _, plain := range []bool{false, true} {
				mod, _, loadErr := lang.Load("in.ein", text, lang.Options{NoOpt: plain, Inputs: map[string]*tensor.Value{"W": &w}})
				if loadErr != nil {
					t.Fatal(loadErr)
				}
				entries := slices.ContainsFunc(mod.Program.Code, func(in code.Instr) bool { return in.Op == code.FoldCSR })
				if entries != (b.entries && !plain) {
					t.Fatalf("%s: over entries: %v", b.text, entries)
				}
				m, newErr := vm.New(mod, cost.Limits{})
				if newErr != nil {
					t.Fatal(newErr)
				}
				got, runErr := m.Run(context.Background(), []tensor.Value{w})
				if ops := m.Stats().Ops; ops > mod.Certificate.Ops {
					t.Fatalf("%s: %d operations, certified %d", b.text, ops, mod.Certificate.Ops)
				}
				if err != nil || runErr != nil {
					if err == nil || runErr == nil {
						t.Fatalf("%s of %v: %v, the definition says %v", b.text, list, runErr, err)
					}
					continue
				}
				o := got.Outputs[0].Value
				if err := same([]naive.Output{{Name: "R", Tensor: naive.Tensor{Dims: o.Shape.Dims(), Data: o.ToDense()}}}, want); err != nil {
					t.Fatalf("%s of %v: %v", b.text, list, err)
				}
			}
		}
	}
}

// TestSparseMemory: steps over a graph take memory for its edges, not for all pairs.
func TestSparseMemory(t *testing.T) {
	const text = "input W: matrix\nx = where(range(size(W, 0)) == 0, 0, 1e18)\n" +
		"x[j] min= x[i] + where(W[i,j] > 0, W[i,j], 1e18)\nx[j] min= x[i] + where(W[i,j] > 0, W[i,j], 1e18)\n:print x"
	mod, _, err := lang.Load("in.ein", text, lang.Options{Inputs: map[string]*tensor.Value{"W": csrInput(200_000, tensor.Real)}})
	if err != nil {
		t.Fatal(err)
	}
	if c := mod.Certificate; c.PeakBytes > 40<<20 || c.Ops > 100_000_000 {
		t.Errorf("%d bytes, %d operations", c.PeakBytes, c.Ops)
	}
}
