package lang_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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
		{"C = where(W > V, W, V)\nR[j] max= x[i] C[i,j]", true},
		{"C = W * transpose(V)\nR[j] max= C[j,i] x[i]", true},
		{"R = max(W, axis=1)", true},
		{"R = min(W, axis=0)", true},
		{"R[i] = max(min(W[i,j], 2))", true},
		{"R[i] = min(W[i,j] / W[i,j])", true},
		{"R[j] min= x[i] * y[j] + W[i,j]", false},
		{"R[j] min= W[i,j] + W[j,i]", true},
		{"R[i] max= V[j,i] * W[j,i]", true},
		{"R[j] min= where(V[i,j] > 0, W[i,j], V[j,i]) + x[i]", true},
		{"R = max(W)", true},
		{"R = min(W + V)", true},
		{"R min= W[i,j] * V[j,i]", true},
		{"R[j] min= W[i,j] + M[i,j]", false},
		{"R[i] = argmax(W[i,j])", true},
		{"R[j] = argmin(W[i,j])", true},
		{"R = argmax(transpose(W), axis=0)", true},
		{"R = argmax(W + 1, axis=0)", false},
		{"R[i] max= W[i,j] / max(x[i] + y[j], 1)", true}, // 0 where there is no entry, though it would go by row and column
	}
	r := rand.New(rand.NewPCG(51, 52))
	for _, b := range bodies {
		for k := range 50 {
			n := 1 + r.IntN(7)
			text := fmt.Sprintf("input W: matrix\ninput V: matrix\nM = ones(%d,%d)\nx = range(%d) - 2\ny = 3 - range(%d)\n%s\n:print R", n, n, n, n, b.text)
			kind := tensor.Kind(1 + r.IntN(2))
			w, v := randomWeights(r, n, kind, k%2 > 0, -3), randomWeights(r, n, kind, r.IntN(2) > 0, -3)
			far := w.Far || v.Far // where there is no entry, other values, which may depend on row and column
			program := sparseCase{text, map[string]*tensor.Value{"W": &w, "V": &v}}
			program.run(t, func(plain bool, p *code.Program) {
				entries := slices.ContainsFunc(p.Code, func(in code.Instr) bool { return in.Op == code.FoldCSR })
				if entries != (b.entries && !plain) && (!far || plain) {
					t.Fatalf("%s: over entries: %v", b.text, entries)
				}
			})
		}
	}
}

// TestSparseFoldOfCounts: what is folded is formed in full where it could come past 2^53.
func TestSparseFoldOfCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	for range 50 {
		w := thinWeights(r, 12, tensor.Int, 1)
		sparseCase{"input W: matrix\nB = W * 40000000\nP[i,j] = B[i,j] B[j,i]\nR = max(P, axis=1)\n:print R", map[string]*tensor.Value{"W": &w}}.run(t, nil)
	}
}

// TestSparseMaps compares elementwise expressions and products of sparse matrices with the definition, and
// looks which of them stay sparse.
func TestSparseMaps(t *testing.T) {
	bodies := []struct {
		text string
		op   code.Op // MaxOp if it cannot stay sparse
	}{
		{"R = W / 3", code.MapCSR},
		{"R = W > 1", code.MapCSR},
		{"R = 0 - W", code.MapCSR},
		{"R = W + V", code.MapCSR},
		{"R = W - transpose(V)", code.MapCSR},
		{"R = max(W, 0) * V", code.MapCSR},
		{"R[i,j] = W[i,j] x[i]", code.MapCSR},
		{"R[i,j] = W[i,j] x[j] y[i]", code.MapCSR},
		{"R[j,i] = W[i,j] y[j] V[j,i]", code.MapCSR},
		{"R[i,j] = W[i,j] / y[i]", code.MaxOp},
		{"R[i,j] = W[i,j] / (y[i] y[j])", code.MaxOp},
		{"z = x - 100\nR[i,j] = W[i,j] / sqrt(z[i] z[j])", code.MaxOp},
		{"R[i,j] = W[i,j] / max(W[i,k], 1)", code.MapCSR},
		{"S[i] = W[i,j]\nR[i,j] = where(S[i] > 0, W[i,j] / S[i], 0)", code.MaxOp},
		{"S[i] = W[i,j]\nR[i,j] = W[i,j] / S[i] > 1", code.MapCSR},
		{"S[i] = W[i,j]\nR[i,j] = W[i,j] / S[i]", code.MaxOp}, // some are NaN
		{"R = where(V != 0, W / V, 0)", code.MapCSR},
		{"R[i,j] = where(x[i] y[j] > 0, W[i,j] / (x[i] y[j]), 0)", code.MapCSR},
		{"R[i,j] = where(x[i] y[j] > 1, W[i,j] / sqrt(x[i] y[j]) + V[i,j], 0)", code.MapCSR},
		{"R[i,j] = where(x[i] y[j] > 0, V[i,j], W[i,j] / (x[i] y[j]))", code.MaxOp},
		{"Q[i,j] = x[i] y[j]\nD = W / Q\nR = where(Q > 0, transpose(D), 0)", code.MaxOp},
		{"R = sum((W > 0) * V)", code.MapCSR},
		{"R[i] = W[i,j] V[i,j]", code.MapCSR},
		{"R[j] = W[i,j] V[j,i]", code.MapCSR},
		{"R = W[i,j] V[i,j]", code.MapCSR},
		{"B = W > 0\nR = tc(B)", code.MapCSR},
		{"B = W != 0\nR = count(B * transpose(B))", code.MapCSR},
		{"B = W / 2\nR[i] max= B[i,j] + B[i,j]", code.FoldCSR},
		{"C = W / 2\nR = argmin(C, axis=0) + argmax(C, axis=1)", code.FoldCSR},
		{"C[i,k] = W[i,j] V[j,k]\nR = argmax(C, axis=0) + max(C / (1 + C * C), axis=1)", code.FoldCSR},
		{"B = W != 0\nd[i] = B[i,j]\nR[i,j] = V[i,j] > d[i] / 3 + mean(d)", code.MapCSR},
		{"B = W != 0\nR = mean(B) < V", code.MapCSR},
		{"B = W != 0\nd[i] = B[i,j]\nR[i,j] = V[i,j] < d[i] - 1", code.MaxOp},
		{"R = W + 1", code.MaxOp},
		{"R = W == 0", code.MaxOp},
		{"R = W / V", code.MaxOp},
		{"R = W * where(V > 0, W / W, 0)", code.MapCSR}, // NaN where V has an entry and W has none
		{"C = tc(V != 0)\nR = W * where(C > 0, W / W, 0)", code.MaxOp},
		{"C = tc(V != 0)\nR = W * where(C > 0, 1 / W, 0)", code.MaxOp},
		{"R = W + M", code.MaxOp},
		{"R[i,j] = W[i,j] / (x[i] - x[j])", code.MaxOp},
		{"R[i,k] = W[i,j] V[j,k]", code.ProductCSR},
		{"R[k,i] = W[i,j] V[j,k]", code.ProductCSR},
		{"R[i,k] = W[i,j] W[k,j]", code.ProductCSR},
		{"R[i,k] = W[j,i] V[j,k]", code.ProductCSR},
		{"R[k,i] = W[j,i] V[k,j]", code.ProductCSR},
		{"B = W + V != 0\nR[i,k] = B[i,j] B[j,k] > 0", code.BoolProduct},
		{"B = W != 0\nC[i,k] = B[i,j] B[j,k]\nR = sum(C > 1) + max(C)", code.ProductCSR},
		{"R = W\nrepeat 3 { R[i,k] = W[i,k] + R[i,j] W[j,k] }", code.ProductCSR},
		{"C[i,k] = W[i,j] V[j,k]\nR = transpose(C) / 2 + W", code.ProductCSR},
		{"C[i,k] = W[i,j] V[j,k]\nR[i,l] = C[i,k] C[k,l]", code.ProductCSR},
		{"C[i,k] = W[i,j] V[j,k]\nR[i] = C[i,k] x[k] + C[i,i]", code.ProductCSR},
		{"C[i,k] = W[i,j] V[j,k]\nR = wcc(C)", code.ProductCSR},
		{"B = W != 0\nR = W * tc(B)", code.MaskCSR},
		{"B = W > 0\nR = W * (1 - tc(B)) - V * transpose(tc(B)) * W", code.MaskCSR},
		{"B = W > 0\nR = transpose(W / 3) * scc(B)", code.MaskCSR},
		{"B = W > 0\nC = scc(B)\nR[j] = W[i,j] C[i,j] x[i]", code.MaskCSR},
		{"B = W != 0\nC = tc(B)\nR = count(B * transpose(C)) + sum(V * C > 1)", code.MaskCSR},
		{"B = W > 0\nC = tc(B)\nR[i] max= W[i,j] C[j,i]", code.MaskCSR},
		{"B = W > 0\nC = tc(B)\nR = W * where(C > 0, 2, x[1])", code.MaskCSR},
		{"B = W != 0\nR = W + tc(B)", code.MaxOp},
		{"B = W != 0\nR = count(B * transpose(tc(B)))", code.MaxOp}, // bits take no more time
		{"R[i,k] = W[i,j] M[j,k]", code.MatMulCSR},
		{"R[i,k] = W[j,i] M[k,j]", code.MatMulCSR},
		{"R[i,k] = M[i,j] W[j,k]", code.MatMulCSR},
		{"R[k,i] = M[j,i] W[k,j]", code.MatMulCSR},
	}
	r := rand.New(rand.NewPCG(57, 58))
	for _, b := range bodies {
		for k := range 40 {
			n := 12 + r.IntN(8)
			text := fmt.Sprintf("input W: matrix\ninput V: matrix\nM = ones(%d,%d)\nx = range(%d) - 2\ny = 3.5 - range(%d)\n%s\n:print R", n, n, n, n, b.text)
			kind := tensor.Kind(1 + r.IntN(2))
			w, v := thinWeights(r, n, kind, -1+k%2*2), thinWeights(r, n, kind, -1+k%2*2)
			sparseCase{text, map[string]*tensor.Value{"W": &w, "V": &v}}.run(t, func(plain bool, p *code.Program) {
				has := slices.ContainsFunc(p.Code, func(in code.Instr) bool {
					return in.Op == b.op || b.op == code.MaxOp && (in.Op == code.MapCSR || in.Op == code.ProductCSR)
				})
				if has != (b.op != code.MaxOp && !plain) {
					t.Fatalf("%s: sparse %v", b.text, has)
				}
			})
		}
	}
}

// TestSparsePoles compares quotients of large matrices, which may be NaN where there is no entry, with dense
// ones.
func TestSparsePoles(t *testing.T) {
	const n = 2100
	r := rand.New(rand.NewPCG(65, 66))
	for text, fails := range map[string]bool{
		"R[i,j] = W[i,j] / y[i]":                     false,
		"R[i,j] = W[i,j] / (y[i] y[j])":              false,
		"R[i,j] = W[i,j] / sqrt(z[i] z[j])":          false,
		"R[i,j] = where(S[i] > 0, W[i,j] / S[i], 0)": false,
		"R[i,j] = W[i,j] / S[i]":                     true,
		"R[j,i] = W[i,j] / S[i]":                     true,
		"R[i,j] = W[i,j] / (z[i] + 1)":               true,
	} {
		w := thinWeights(r, 40, tensor.Int, 1)
		w.Shape = tensor.ShapeOf(n, n)
		w.CSR.Rows, w.CSR.Cols = n, n
		for len(w.CSR.Ptr) < n+1 {
			w.CSR.Ptr = append(w.CSR.Ptr, w.CSR.Ptr[40])
		}
		c := sparseCase{fmt.Sprintf("input W: matrix\ny = 0.5 - range(%d)\nz = 0 - 1 - range(%d)\nS[i] = W[i,j]\n%s\n:print R", n, n, text), map[string]*tensor.Value{"W": &w}}
		got := c.outputs(t, false, func(_ bool, p *code.Program) {
			if !slices.ContainsFunc(p.Code, func(in code.Instr) bool { return in.Op == code.MapCSR }) {
				t.Errorf("%s is not sparse", text)
			}
		})
		want := c.outputs(t, true, nil)
		if (got == nil) != (want == nil) || fails != (got == nil) || got != nil && !slices.Equal(got[0].Tensor.Data, want[0].Tensor.Data) {
			t.Errorf("%s differs from a dense matrix", text)
		}
	}
}

// thinWeights is a matrix with few weights from least on.
func thinWeights(r *rand.Rand, n int, kind tensor.Kind, least int) tensor.Value {
	v := tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	var src, dst []int32
	weights := []float64{}
	for range n * n / 16 {
		if x := float64(r.IntN(5) + least); x != 0 {
			src, dst, weights = append(src, int32(r.IntN(n))), append(dst, int32(r.IntN(n))), append(weights, x)
		}
	}
	v.CSR, _ = tensor.BuildCSR(n, n, src, dst, weights)
	return v
}

// TestPackedMaps compares wide comparisons, whose results are bits, and what reads them with the
// definition.
func TestPackedMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	for _, body := range []string{
		"R = V > W", "R = V >= 0.5", "R = 1 - (V < W)", "R[i,j] = V[j,i] != x[i]", "R = where(V > 0, V == W, W > 1)",
		"C = V > W\nR = C + C * V", "C = V > W\nR = transpose(C)", "C = V >= 2\nR = tc(C)", "C = V >= 2\nR[i,k] = C[i,j] C[j,k]",
		"C = V >= 2\nR[i] = C[i,j] x[j]", "C = V >= 1\nR = sum(C) + max(C * W)", "C = V > 0\nR = C[1,2] + count(C)",
	} {
		for _, n := range []int{5, 128, 150} {
			w, v := randomWeights(r, n, tensor.Real, false, -2), randomWeights(r, n, tensor.Real, false, -2)
			for _, m := range []*tensor.Value{&w, &v} {
				*m = tensor.Value{Type: m.Type, F: m.ToDense()}
			}
			text := fmt.Sprintf("input V: matrix\ninput W: matrix\nx = range(%d) / 50\n%s\n:print R", n, body)
			packed := 0
			sparseCase{text, map[string]*tensor.Value{"V": &v, "W": &w}}.run(t, func(plain bool, p *code.Program) {
				for _, in := range p.Code {
					if in.Op == code.Fused && p.Regs[in.Dst].Layout == tensor.Packed {
						packed++
					}
				}
				if (packed > 0) != (n >= 128) && !plain {
					t.Fatalf("%s of %d nodes: %d packed", body, n, packed)
				}
			})
		}
	}
}

// TestFar compares graphs that are infinite where they have no edge with the
// definition.
func TestFar(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	for _, body := range []string{
		"R = wdist(W, 0, -1)", "R = wpath(W, 0, size(W, 0) - 1)", "R = wcc(W)", "R = reach(W, 0)", "R = tc(W)", "R = dist(W, 0)", "R = core_number(max(wcc(W), 0))", "R = core_number(W)", "R = bridges(W)", "R = cut_nodes(W)", "R = betweenness(W)", "R = topo_order(W)", "R = triangles(W)", "R = scc(W)",
		"R = mst(W)", "R = sum(mst(W))", "R = pagerank(W)", "R = maxflow(W, 0, size(W, 0) - 1)", "R = mincut(W, 0, size(W, 0) - 1)",
		"R = where(W < 100, W, -1)", "R[i] = where(W[i,i] < 100, W[i,i], -1)", "R[j] = where(W[0,j] < 100, W[0,j], -1)", "R[i] = where(W[i,0] < 100, W[i,0], -1)",
		"R[j,i] = where(W[i,j] < 100, W[i,j], -1)", "R = count(W)", "R = count(W != 0)", "R = sum(W)", "R[i] = 1 / sum(W[i,j])", "R[j] = 1 / (1 + W[i,j] x[i])",
		"R = W", "D = transpose(W)\nR[i,j] = where(D[i,j] < 100, D[i,j], -1)",
	} {
		for range 40 {
			n := 2 + r.IntN(6)
			w := randomWeights(r, n, tensor.Real, true, 0)
			sparseCase{fmt.Sprintf("input W: matrix\nx = range(%d) + 1\n%s\n:print R", n, body), map[string]*tensor.Value{"W": &w}}.run(t, nil)
		}
	}
	// What is computed of them is read alike, and has the layouts of its own.
	for range 200 {
		n := 2 + r.IntN(6)
		w := randomWeights(r, n, tensor.Real, true, 0)
		turned := w
		turned.Layout, turned.CSR, turned.F = tensor.Dense, tensor.CSR{}, make([]float64, n*n)
		both := turned
		both.F = w.ToDense()
		for i := range n {
			for j := range n {
				turned.F[j*n+i] = w.At(i, j)
				both.F[i*n+j] = min(w.At(i, j), w.At(j, i))
			}
		}
		for text, same := range map[string]tensor.Value{"transpose(W)": turned, "min(W, transpose(W))": both, "where(W >= 0, W, 7)": w, "max(W, 0) * 1": w} {
			const question = "\n:print wdist(D, 0, -1), wpath(D, 1, 0), tc(D)"
			got := sparseCase{"input W: matrix\nD = " + text + question, map[string]*tensor.Value{"W": &w}}.outputs(t, false, nil)
			want := sparseCase{"input W: matrix\nD = W" + question, map[string]*tensor.Value{"W": &same}}.outputs(t, false, nil)
			for k := range want {
				want[k].Name = got[k].Name
			}
			if naive.Format(got) != naive.Format(want) {
				t.Fatalf("%s of %v: %v, want %v", text, w.ToDense(), got, want)
			}
		}
	}
}

// randomWeights is a sparse matrix of small weights from least on.
func randomWeights(r *rand.Rand, n int, kind tensor.Kind, far bool, least int) tensor.Value {
	v := tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	if v.Far = far; far {
		v.Kind = tensor.Real
	}
	v.CSR = tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Val: []float64{}}
	density := r.Float64()
	for k := range n * n {
		if x := float64(r.IntN(6) + least); r.Float64() < density && (x != 0 || far) {
			v.CSR.Idx, v.CSR.Val = append(v.CSR.Idx, int32(k%n)), append(v.CSR.Val, x)
		}
		v.CSR.Ptr[k/n+1] = int32(len(v.CSR.Idx))
	}
	return v
}

type sparseCase struct {
	text   string
	inputs map[string]*tensor.Value
}

// run compares the outputs with the definition, optimised and not, within the
// certificate.
func (c sparseCase) run(t *testing.T, look func(plain bool, p *code.Program)) {
	t.Helper()
	inputs := map[string]naive.Tensor{}
	for name, v := range c.inputs {
		inputs[name] = naive.Tensor{Dims: v.Shape.Dims(), Data: v.ToDense(), Far: v.Far}
	}
	want, err := naive.Run(syntax.Parse(source.NewFile("in.ein", c.text), syntax.Options{}), naive.Options{Prelude: stdlib.Prelude, Inputs: inputs})
	for _, plain := range []bool{false, true} {
		got := c.outputs(t, plain, look)
		switch {
		case (got == nil) != (err != nil):
			t.Fatalf("%s of %v: %v, the definition says %v", c.text, inputs, got, err)
		case got != nil:
			if err := same(got, want); err != nil {
				t.Fatalf("%s of %v: %v", c.text, inputs, err)
			}
		}
	}
}

// outputs is nil when the run fails.
func (c sparseCase) outputs(t *testing.T, plain bool, look func(plain bool, p *code.Program)) (outs []naive.Output) {
	t.Helper()
	mod, _, err := lang.Load("in.ein", c.text, lang.Options{NoOpt: plain, Inputs: c.inputs})
	if err != nil {
		t.Fatal(c.text, err)
	}
	if look != nil {
		look(plain, mod.Program)
	}
	for i := range mod.Program.Regs {
		mod.Program.Regs[i].Pattern = nil // bytecode is for any data
	}
	data, err := mod.Program.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := code.Unmarshal(data); err != nil || !reflect.DeepEqual(p.Regs, mod.Program.Regs) {
		t.Fatalf("%s: bytecode with %v: %v", c.text, p, err)
	}
	m, err := vm.New(mod, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var values []tensor.Value
	for _, in := range mod.Program.Inputs {
		values = append(values, *c.inputs[in.Name])
	}
	if err := m.Bind(context.Background(), values); err != nil {
		t.Fatal(err)
	}
	got, err := m.Run(context.Background())
	if ops := m.Stats().Ops; ops > mod.Certificate.Ops {
		t.Fatalf("%s: %d operations, certified %d", c.text, ops, mod.Certificate.Ops)
	}
	if err != nil {
		return nil
	}
	for _, o := range got.Outputs {
		outs = append(outs, naive.Output{Name: o.Name, Tensor: naive.Tensor{Dims: o.Value.Shape.Dims(), Data: o.Value.ToDense()}})
	}
	return outs
}

// TestSparseElements: rules whose comparisons leave out what is 0 read the entries of a matrix alone, and say
// the same as those that read all elements.
func TestSparseElements(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		n := 2 + r.IntN(9)
		w := thinWeights(r, n, tensor.Int, -2)
		if r.IntN(2) == 0 {
			w = tensor.Value{Type: w.Type, F: w.ToDense()}
		}
		guard := fmt.Sprintf("%s %s %d", []string{"w", "w * 2", "w * w - 1"}[r.IntN(3)], []string{">", ">=", "<", "<=", "=", "!="}[r.IntN(6)], r.IntN(5)-2)
		more := []string{"", "Q(x, z) <- W[x,z] > 1.\n", "Q(x) <- not W[x,x] = 1, W(x, _).\n", "Q(x, z) <- W(x, z), not W[z,x] = 1.\n"}[r.IntN(4)]
		direct := strings.ReplaceAll("P(x, z) <- "+guard+".\n", "w", "W[x,z]")
		const all = "V(x, z, w) <- w = W[x,z].\nP(x, z) <- V(x, z, w), "
		inputs := map[string]*tensor.Value{"W": &w}
		const head, tail = "input W: matrix\n", ":print 1 * P"
		got := sparseCase{head + more + direct + tail, inputs}.outputs(t, false, nil)
		want := sparseCase{head + more + all + guard + ".\n" + tail, inputs}.outputs(t, false, nil)
		if len(got) != 1 || naive.Format(got) != naive.Format(want) {
			t.Fatalf("%s%s of %v: %v, want %v", more, direct, w.ToDense(), got, want)
		}
	}
}

// TestLoose: products of sparse matrices take memory for the entries that they have, not for those that
// they could have, stop at the limits, and give it back.
func TestLoose(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(59, 60))
	w := thinWeights(r, 50, tensor.Int, 1)
	w.Shape = tensor.ShapeOf(n, n)
	w.CSR.Rows, w.CSR.Cols = n, n
	for len(w.CSR.Ptr) < n+1 {
		w.CSR.Ptr = append(w.CSR.Ptr, w.CSR.Ptr[50])
	}
	for text, most := range map[string]uint64{
		"input W: matrix\nC[i,k] = W[i,j] W[j,k]\nx = sum(C > 1)":                                                                             100_000,
		"input W: matrix\nC[i,k] = W[i,j] W[j,k]\nD[i,k] = C[i,j] W[j,k]\nE[i,k] = D[i,j] W[j,k] / 2\nF[i,k] = E[i,j] W[j,k] / 2\nx = sum(F)": 300_000,
	} {
		mod, _, err := lang.Load("in.ein", text, lang.Options{Inputs: map[string]*tensor.Value{"W": &w}})
		if err != nil {
			t.Fatal(err)
		}
		run := func(l cost.Limits) (vm.Stats, float64, error) {
			m, err := vm.New(mod, l)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Bind(context.Background(), []tensor.Value{w}); err != nil {
				t.Fatal(err)
			}
			var x float64
			for range 2 { // memory is given back between runs
				out, err := m.Run(context.Background())
				if err != nil {
					return m.Stats(), 0, err
				}
				x = out.Outputs[0].Value.F[0]
			}
			return m.Stats(), x, nil
		}
		stats, x, err := run(cost.Limits{})
		if c := mod.Certificate; stats.Ops > c.Ops || c.Ops > 10*stats.Ops || stats.PeakBytes > c.PeakBytes {
			t.Errorf("used %v, certified %d operations and %d bytes", stats, c.Ops, c.PeakBytes)
		}
		for _, s := range mod.Certificate.Statements {
			if s.Bytes > mod.Certificate.PeakBytes {
				t.Errorf("%s takes %d bytes of %d", s.Name, s.Bytes, mod.Certificate.PeakBytes)
			}
		}
		fixed := mod.Certificate.PeakBytes - mod.Certificate.Rows
		if err != nil || x == 0 || stats.PeakBytes > most+fixed || stats.Ops > 1_000_000 {
			t.Errorf("%v, used %v beside %d bytes: %v", x, stats, fixed, err)
		}
		for _, l := range []cost.Limits{{MaxOps: stats.Ops * 9 / 10}, {MaxBytes: stats.PeakBytes - 1000}} {
			var over *vm.Exceeded
			got, _, err := run(l)
			if !errors.As(err, &over) || l.MaxOps > 0 && got.Ops > l.MaxOps || l.MaxBytes > 0 && got.PeakBytes > l.MaxBytes {
				t.Errorf("%v of %v: used %v: %v", l, stats, got, err)
			}
		}
		other := w
		other.CSR.Idx = slices.Clone(w.CSR.Idx)
		if m, err := vm.New(mod, cost.Limits{}); err != nil || m.Bind(context.Background(), []tensor.Value{other}) == nil {
			t.Errorf("runs with a matrix that it is not certified for: %v", err)
		}
		var limit *cost.LimitError
		if _, err := vm.New(mod, cost.Limits{MaxBytes: stats.PeakBytes, Strict: true}); !errors.As(err, &limit) {
			t.Errorf("strict: %v", err)
		}
	}
}

// TestLooseRules: rules over what is loose run within their certificate.
func TestLooseRules(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(61, 64))
	w := tensor.Value{Type: tensor.Type{Kind: tensor.Int, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	var src, dst []int32
	var weights []float64
	for range 3 * n {
		src, dst, weights = append(src, int32(r.IntN(n))), append(dst, int32(r.IntN(n))), append(weights, 1+float64(r.IntN(9)))
	}
	w.CSR, _ = tensor.BuildCSR(n, n, src, dst, weights)
	mod, _, err := lang.Load("in.ein", "input W: matrix\nT[i,k] = W[i,j] W[j,k]\nB = T > 30\nP(x, z) <- B(x, y), B(y, z).\n:print count(P)",
		lang.Options{Inputs: map[string]*tensor.Value{"W": &w}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(mod, cost.Limits{MaxOps: mod.Certificate.Ops, MaxBytes: mod.Certificate.PeakBytes})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Bind(context.Background(), []tensor.Value{w}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background()); err != nil {
		t.Errorf("%d bytes certified: %v", mod.Certificate.PeakBytes, err)
	}
}

// TestLooseAgain: steps give back all that they took, and after a run that was stopped in one the next is as
// any other.
func TestLooseAgain(t *testing.T) {
	const n = 9000
	r := rand.New(rand.NewPCG(61, 62))
	w := tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	var src, dst []int32
	var weights []float64
	for k := range 20 * n {
		src, dst, weights = append(src, int32(k%n)), append(dst, int32(k%n/10*10+r.IntN(10))), append(weights, 1)
	}
	w.CSR, _ = tensor.BuildCSR(n, n, src, dst, weights)
	mod, _, err := lang.Load("in.ein", "input W: matrix\nV = W - transpose(W)\ns = count(V)\nR = W\nrepeat 12 { R[i,k] = R[i,j] W[j,k] / 9 }\n:print s, count(R)",
		lang.Options{Inputs: map[string]*tensor.Value{"W": &w}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(mod, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Bind(context.Background(), []tensor.Value{w}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ctx, stop := context.WithCancel(context.Background())
		var step *cost.Step
		from := uint64(0)
		m.Watch(func(p vm.Progress) {
			if p.Step.Op == code.ProductCSR && p.Step == step && p.Done > from+20*n {
				stop()
			} else if p.Step != step {
				step, from = p.Step, p.Done
			}
		})
		if _, err := m.Run(ctx); !errors.Is(err, vm.ErrStopped) {
			t.Fatalf("stopped: %v", err)
		}
		m.Watch(nil)
		out, err := m.Run(context.Background())
		if err != nil || out.Outputs[1].Value.F[0] < 9*n {
			t.Fatal(out, err)
		}
		if c := mod.Certificate; out.Stats.PeakBytes-(c.PeakBytes-c.Rows) > 12<<20 { // of the 800,000 entries that a product may have, and its factors
			t.Errorf("%d bytes beside %d", out.Stats.PeakBytes, c.PeakBytes-c.Rows)
		}
	}
}

// TestProductAfterProduct: the certificate of a product has nothing of the one before.
func TestProductAfterProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	v, w := thinWeights(r, 60, tensor.Int, 1), thinWeights(r, 60, tensor.Int, 1)
	w.CSR, _ = tensor.BuildCSR(60, 60, w.CSR.Idx[:90], w.CSR.Idx[90:180], w.CSR.Val[:90])
	v.CSR, _ = tensor.BuildCSR(60, 60, []int32{7}, []int32{7}, []float64{2})
	const text = "input V: matrix\ninput W: matrix\nC[i,k] = V[i,j] V[j,k]\nD[i,k] = W[i,j] W[j,k]\n:print C, D"
	sparseCase{text, map[string]*tensor.Value{"V": &v, "W": &w}}.run(t, nil)
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
