package compile_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/lang"
	"ein/vm"
	"ein/vm/code"
	"ein/vm/cost"
	"ein/vm/kernel"
	"ein/vm/tensor"
)

// cycle is a graph of n nodes with some chords, as CSR: of ones, or with
// weights.
func cycle(n int, weights bool) *tensor.Value {
	var src, dst []int32
	var w []float64
	for i := range n {
		for _, step := range []int{1, 2, 5} {
			src, dst, w = append(src, int32(i)), append(dst, int32((i+step)%n)), append(w, float64(step)+0.5)
		}
	}
	v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	if weights {
		v.Kind = tensor.Real
	} else {
		w = nil
	}
	v.CSR, _ = tensor.BuildCSR(n, n, src, dst, w)
	return v
}

func packed(v *tensor.Value) *tensor.Value {
	p := &tensor.Value{Type: v.Type, Layout: tensor.Packed, Bits: tensor.NewBits(v.CSR.Rows, v.CSR.Cols)}
	kernel.CSRToBits(&kernel.Ctl{}, p.Bits, v.CSR)
	return p
}

// inputs are what the programs below call A (0/1, in bits), S (0/1, in CSR), W
// (weights) and x (a vector).
func inputs() map[string]*tensor.Value {
	const n = 12
	x := &tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(n)}, F: make([]float64, n)}
	for i := range x.F {
		x.F[i] = float64(i) + 0.5
	}
	return map[string]*tensor.Value{"A": packed(cycle(n, false)), "S": cycle(n, false), "W": cycle(n, true), "x": x}
}

const (
	bits = "input A: graph\n"
	csr  = "input S: graph\n"
	wcsr = "input W: matrix\ninput x: vector\n"
)

// kernelCases are programs with the operations that they are made of, in order.
var kernelCases = []struct{ name, text, ops string }{
	{"triangles_by_trace", "A = edges([[0,1,1],[1,0,1],[1,1,0]], 3)\nA2[i,k] = A[i,j] A[j,k]\nA3[i,j] = A2[i,k] A[k,j]\nResult = trace(A3) / 6.0", "triple_trace fused check_finite"},
	{"triangles_one_way", bits + "x = A[i,j] A[j,k] A[k,i] / 6", "check_symmetric transpose triple_trace fused check_finite"},
	{"triangles_of_csr", csr + "x = S[i,j] S[j,k] S[k,i] / 6", "check_symmetric cube_trace fused check_finite"},
	{"triangles", csr + "x = triangles(S)", "triangles"},
	{"row_of_closure", bits + "TC = tc(A)\nx[j] = TC[2, j]", "walk"},
	{"column_of_closure", csr + "TC = tc(S)\nx[i] = TC[i, 2]", "transpose walk"},
	{"element_of_closure", bits + "TC = tc(A)\nx = TC[2, 3]", "has_path"},
	{"closure", bits + "x = tc(A)", "closure"},
	{"degree_count", bits + "x = sum(A, 1)\ny = sum(A, 0)\n:print x, y", "count_rows count_cols"},
	{"out_degree_of_csr", csr + "x = out_degree(S)", "count_rows"},
	{"in_degree_of_csr", csr + "x = in_degree(S)", "count_cols"},
	{"reach_on_csr", csr + "x = sum(reach(S, 0))", "walk count_all"},
	{"anc_on_csr", csr + "x = anc(S, 0)", "transpose walk"},
	{"has_path_on_csr", csr + "x = has_path(S, 0, 3)", "has_path"},
	{"path_on_csr", csr + "x = path(S, 0, 3)", "path"},
	{"dist_on_csr", csr + "x = dist(S, 0)", "dist"},
	{"scc_sizes_on_csr", csr + "x = sum(scc(S), 1)", "scc count_rows"},
	{"sym_on_csr", csr + "x = sum(sym(S), 1)", "symmetric count_rows"},
	{"matvec_on_csr", wcsr + "y[i] = W[i,j] x[j]", "matvec check_finite"},
	{"vecmat_on_csr", wcsr + "y[j] = x[i] W[i,j]", "vecmat check_finite"},
	{"weights", wcsr + "y = sum(W, 1) + sum(W, 0)\nz = sum(W)\n:print y, z, trace(W)", "count_rows count_cols fused check_finite count_all check_finite diag einsum check_finite"},
	{"common_neighbours", bits + "x[i,k] = A[i,j] A[k,j]", "count_product"},
	{"two_steps", bits + "B[i,k] = A[i,j] A[j,k]\nx = B > 0", "bool_product"},
	{"set_operations", bits + "x = max(A, min(transpose(A), 1 - A))\ny = A != transpose(A)\nz = where(A, transpose(A), A)\n:print x, y, z", "transpose logic logic logic logic logic logic logic"},
	{"min_plus", "input W: matrix\ny[i,k] min= W[i,j] + W[j,k]", "convert semiring check_finite"},
	{"fused_loop", "input x: vector\ny = sqrt(x * 2 + 1) / max(x, 0.5)\nz = max(abs(x - 3))\n:print y, z", "fused check_finite fused check_finite"},
	{"exact_count", "v = [9007199254740991, 1]\nx = v[i] v[i]", "einsum check_int"},
	{"weighted_graph", wcsr + "y = dist(W, 0)\nz = reach(W * 2, 1)\n:print y, z", "dist convert fused fused convert walk"},
	{"constant_graph", "A = edges([[0,1],[1,2]], 3)\nx[i,k] = A[i,j] A[k,j]\ny = transpose(A) * x\n:print x, y, argmax(x, 1), softmax(x, 0)", "count_product fused reduce softmax check_finite"},
	{"pattern", "P = edges([[0,1],[0,2],[1,3]], 4)\nx = siblings(P, 1)", "select bool_matvec one_hot logic"},
}

func ops(p *code.Program) string {
	var list []string
	for _, in := range p.Code {
		list = append(list, in.Op.String())
	}
	return strings.Join(list, " ")
}

func bound(text string) map[string]*tensor.Value {
	all := inputs()
	for name := range all {
		if !strings.Contains(text, "input "+name+":") {
			delete(all, name)
		}
	}
	return all
}

// TestKernels lists the code of programs whose kernels matter. Both ways of
// compiling them give the same.
func TestKernels(t *testing.T) {
	for _, c := range kernelCases {
		t.Run(c.name, func(t *testing.T) {
			all := bound(c.text)
			mod, _, err := lang.Load("t.ein", c.text, lang.Options{Inputs: all, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := ops(mod.Program); got != c.ops {
				t.Errorf("operations %s, want %s", got, c.ops)
			}
			golden.File(t, filepath.Join("testdata", c.name+".txt"), code.Disassemble(mod.Program, nil))
			want, err := outputs(t, c.text, lang.Options{Inputs: all, Workers: 1, NoOpt: true})
			got, err2 := outputs(t, c.text, lang.Options{Inputs: all, Workers: 1})
			if fmt.Sprint(err) != fmt.Sprint(err2) || !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%v %v\nplain: %v %v", got, err2, want, err)
			}
		})
	}
}

// TestPlain: the reference has no rewrites, and no kernel of its own for what a
// dense one does.
func TestPlain(t *testing.T) {
	for _, c := range kernelCases {
		mod, _, err := lang.Load("t.ein", c.text, lang.Options{Inputs: bound(c.text), Workers: 1, NoOpt: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range mod.Program.Code {
			switch in.Op {
			case code.Logic, code.CountProduct, code.CountAnd, code.CountMatVec, code.BoolProduct, code.BoolMatVec, code.TripleTrace, code.CubeTrace, code.MatVec, code.VecMat, code.Symmetric:
				t.Errorf("%s: %v", c.name, in.Op)
			}
		}
	}
	const text = "E(0, 1).\nFar(x, y) <- E(x, y).\nFar(x, z) <- Far(x, y), E(y, z).\nFar(x, y)?\n"
	for _, plain := range []bool{false, true} {
		mod, _, err := lang.Load("t.ein", text, lang.Options{NoOpt: plain})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range mod.Program.Code {
			if in.Op == code.Rules && in.Rules.AsWritten != plain {
				t.Errorf("plain %v: rules as written %v", plain, in.Rules.AsWritten)
			}
		}
	}
}

func outputs(t *testing.T, text string, opt lang.Options) (out [][]float64, err error) {
	t.Helper()
	mod, p, err := lang.Load("t.ein", text, opt)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(mod, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var values []tensor.Value
	for _, in := range p.Inputs {
		values = append(values, *opt.Inputs[in.Name])
	}
	if err := m.Bind(context.Background(), values); err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background())
	if err != nil {
		return nil, err
	}
	for _, o := range r.Outputs {
		out = append(out, o.Value.ToDense())
	}
	return out, nil
}

// TestCancellation: terms of both signs that pass 2^53 on the way to a small sum
// give that sum on every kernel; a value past 2^53 is an error, not a wrong digit.
func TestCancellation(t *testing.T) {
	const big = 1 << 52
	diagonal := []int32{0, 1, 2, 3, 4}
	matrix := func(rows []int32) *tensor.Value {
		v := &tensor.Value{Type: tensor.Type{Kind: tensor.Int, Shape: tensor.ShapeOf(5, 5)}, Layout: tensor.Sparse}
		v.CSR, _ = tensor.BuildCSR(5, 5, rows, diagonal, []float64{big, big, 1, -big, -big})
		return v
	}
	first := func(x float64) []float64 { return []float64{x, 0, 0, 0, 0} }
	for _, c := range []struct {
		text string
		want []float64 // nil: an error
	}{
		{"x = sum(W, 1)", first(1)},
		{"x = sum(W, 0)", []float64{big, big, 1, -big, -big}},
		{"x = sum(transpose(W), 0)", first(1)},
		{"x = sum(W)", []float64{1}},
		{"x = mean(W)", []float64{0.04}},
		{"x = trace(D)", []float64{1}},
		{"x = sum(D)", []float64{1}},
		{"x[i] = 2 W[i,j]", first(2)},
		{"x = 2 sum(D)", []float64{2}},
		{"o = ones(5)\nx[i] = W[i,j] o[j]", first(1)},
		{"x = W[i,j] W[i,j] W[i,j]", []float64{1}},
		{"x = D[i,j] + D[k,l] - 2", []float64{0}},
		{"u = zeros(5)\nx[i] = D[i,j] D[j,k] D[k,l] u[l]", make([]float64, 5)},
		{"u = zeros(5)\nB[i,k] = D[i,j] D[j,k]\nx[i] = B[i,k] u[k]", nil}, // B is a value of the program
		{"B[i,k] = D[i,j] D[j,k]\nx = B[2,2]", nil},
		{"o = ones(5)\nx[j] = W[i,j] o[i] D[j,k]", nil},
		{"x = W[i,j] W[i,j]", nil},
		{"v = sum(D, 1)\nx = D[i,j] v[j]", nil},
		{"x[i,j] = D[i,j] + D[i,j]", nil},
		{"x = max(D[i,j] D[j,k])", nil},
		{"x = where(1, 5, D[0,0] * D[0,0])", nil},
		{"x = D[i,j] D[i,j] / 4503599627370496", []float64{4 * big}}, // a quotient is real
		{"o = ones(5)\nx = o[i] / (o[i] * D[0,0] * D[0,0])", []float64{5.0 / big / big}},
		{"x = 1.5 * D[i,j] D[i,j]", []float64{6 * big * big}},
		{"x = 0 * D[i,j] D[i,j]", []float64{0}},
		{"a = D[0,0]\nz = a - a\nx = a * a * D[i,j] * a * z", []float64{0}},
	} {
		for _, noOpt := range []bool{false, true} {
			got, err := outputs(t, "input W: matrix\ninput D: matrix\n"+c.text, lang.Options{Workers: 1, NoOpt: noOpt,
				Inputs: map[string]*tensor.Value{"W": matrix(make([]int32, 5)), "D": matrix(diagonal)}})
			if (err != nil) != (c.want == nil) || err == nil && !slices.Equal(got[0], c.want) {
				t.Errorf("%s, plain %v: %v %v, want %v", c.text, noOpt, got, err, c.want)
			}
		}
	}
}
