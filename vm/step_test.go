package vm_test

import (
	"fmt"
	"math"
	"testing"

	"ein/vm"
	"ein/vm/code"
	"ein/vm/op"
	"ein/vm/tensor"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)

	// chain is 0 -> 1 -> 2 -> 0 and 2 -> 3; node 4 stands alone.
	chain = mat(5,
		0, 1, 0, 0, 0,
		0, 0, 1, 0, 0,
		1, 0, 0, 1, 0,
		0, 0, 0, 0, 0,
		0, 0, 0, 0, 0)
	// square is a 4-cycle with one diagonal, both ways: two triangles.
	square = mat(4,
		0, 1, 1, 1,
		1, 0, 1, 0,
		1, 1, 0, 1,
		1, 0, 1, 0)
	wide = mat(3,
		1, 0, 1,
		0, 0, 1)
	tall = mat(2,
		1, 0,
		1, 1,
		0, 1)
	weighted = mat(3,
		2, 0, -1,
		0, 0, 0.5)
)

// whole makes whole numbers of the elements of v.
func whole(v tensor.Value) tensor.Value {
	v.Kind = tensor.Int
	return v
}

type stepCase struct {
	name string
	op   code.Op
	attr code.Attr
	dst  code.Reg
	args []tensor.Value
	want []float64
}

func fold(f op.Fold, axes ...int) code.Attr { return code.Attr{Fold: f, Axes: axes} }

func axes(ax ...int) code.Attr { return code.Attr{Axes: ax} }

// graphCases are the instructions on a graph, which takes either layout.
func graphCases() (cases []stepCase) {
	for name, layout := range map[string]func(tensor.Value) tensor.Value{
		"bits": packed,
		"csr":  func(v tensor.Value) tensor.Value { return sparse(v, false) },
		"weighted csr": func(v tensor.Value) tensor.Value {
			return sparse(v, true)
		},
	} {
		add := func(what string, op code.Op, attr code.Attr, dst code.Reg, want []float64, g tensor.Value, more ...tensor.Value) {
			cases = append(cases, stepCase{what + "/" + name, op, attr, dst, append([]tensor.Value{layout(g)}, more...), want})
		}
		add("closure", code.Closure, code.Attr{}, bitsReg(5, 5), []float64{
			1, 1, 1, 1, 0,
			1, 1, 1, 1, 0,
			1, 1, 1, 1, 0,
			0, 0, 0, 0, 0,
			0, 0, 0, 0, 0}, chain)
		for mode, want := range map[op.WalkMode][]float64{
			op.WalkDesc:  {1, 0, 1, 1, 0},
			op.WalkReach: {1, 1, 1, 1, 0},
			op.WalkRow:   {1, 1, 1, 1, 0},
		} {
			add(fmt.Sprintf("walk %d", mode), code.Walk, code.Attr{Walk: mode}, bitsReg(5), want, chain, scalar(1))
		}
		add("walk from a sink", code.Walk, code.Attr{Walk: op.WalkRow}, bitsReg(5), make([]float64, 5), chain, scalar(3))
		add("has_path", code.HasPath, code.Attr{}, denseReg(), []float64{1}, chain, scalar(0), scalar(3))
		add("has_path to itself", code.HasPath, code.Attr{}, denseReg(), []float64{0}, chain, scalar(3), scalar(3))
		add("scc", code.SCC, code.Attr{}, code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(5, 5)}, Layout: tensor.Parts}, []float64{
			1, 1, 1, 0, 0,
			1, 1, 1, 0, 0,
			1, 1, 1, 0, 0,
			0, 0, 0, 1, 0,
			0, 0, 0, 0, 1}, chain)
		add("triangles", code.Triangles, code.Attr{}, denseReg(), []float64{2}, square)
		add("path", code.Path, code.Attr{}, denseReg(5), []float64{0, 1, 2, 3, -1}, chain, scalar(0), scalar(3))
		add("no path", code.Path, code.Attr{}, denseReg(5), []float64{-1, -1, -1, -1, -1}, chain, scalar(3), scalar(0))
		add("dist", code.Dist, code.Attr{}, denseReg(5), []float64{1, 2, 0, 1, -1}, chain, scalar(2))
		add("weak", code.Weak, code.Attr{}, code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(4, 4)}, Layout: tensor.Parts}, []float64{
			1, 0, 1, 0,
			0, 1, 0, 0,
			1, 0, 1, 0,
			0, 0, 0, 1}, mat(4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
		add("topo_order", code.TopoOrder, code.Attr{}, denseReg(3), []float64{1, 2, 0}, mat(3, 0, 1, 0, 0, 0, 0, 1, 0, 0))
		forest := code.Reg{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, NNZ: 6}
		add("bridges", code.Bridges, code.Attr{}, forest, []float64{0, 1, 0, 1, 0, 1, 0, 1, 0}, mat(3, 0, 1, 0, 1, 0, 1, 0, 1, 0))
		add("cut_nodes", code.CutNodes, code.Attr{}, bitsReg(3), []float64{0, 1, 0}, mat(3, 0, 1, 0, 1, 0, 1, 0, 1, 0))
		add("cores", code.Cores, code.Attr{}, denseReg(4), []float64{2, 2, 2, 2}, square)
		add("pagerank", code.PageRank, code.Attr{}, denseReg(2), []float64{.5, .5}, mat(2, 0, 1, 1, 0), scalar(.85))
		add("betweenness", code.Betweenness, code.Attr{}, denseReg(5), []float64{1, 2, 3, 0, 0}, chain)
		add("diag", code.Diag, code.Attr{}, denseReg(3), []float64{1, 0, 1}, mat(3, 1, 1, 0, 0, 0, 1, 1, 0, 1))
		add("count_rows", code.CountRows, code.Attr{}, denseReg(2), []float64{2, 1}, wide)
		add("count_cols", code.CountCols, code.Attr{}, denseReg(3), []float64{1, 0, 2}, wide)
		add("count_all", code.CountAll, code.Attr{}, denseReg(), []float64{3}, wide)
		g := layout(wide)
		turned := register(&g)
		turned.Shape = tensor.ShapeOf(3, 2)
		add("transpose", code.Transpose, code.Attr{}, turned, []float64{1, 0, 0, 0, 1, 1}, wide)
		add("convert to dense", code.Convert, code.Attr{}, denseReg(2, 3), wide.F, wide)
		add("select element", code.Select, axes(0, 1), denseReg(), []float64{1}, wide, scalar(1), scalar(2))
		add("select no element", code.Select, axes(0, 1), denseReg(), []float64{0}, wide, scalar(1), scalar(1))
		row, col := bitsReg(3), bitsReg(2)
		if g.Kind != tensor.Bool {
			row, col = denseReg(3), denseReg(2)
		}
		add("select row", code.Select, axes(0), row, []float64{0, 0, 1}, wide, scalar(1))
		add("select column", code.Select, axes(1), col, []float64{1, 1}, wide, scalar(2))
	}
	cases = append(cases,
		stepCase{"sort", code.Sort, code.Attr{}, denseReg(3), []tensor.Value{vec(3, -1, 2)}, []float64{-1, 2, 3}},
		stepCase{"rank", code.Rank, code.Attr{}, denseReg(3), []tensor.Value{vec(3, -1, 3)}, []float64{1, 0, 2}},
		stepCase{"groups", code.Groups, code.Attr{}, denseReg(3), []tensor.Value{{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Parts, Part: []int32{0, 1, 0}}}, []float64{0, 1, 0}},
		stepCase{"min_cut", code.MinCut, code.Attr{}, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, NNZ: 9},
			[]tensor.Value{mat(3, 0, 5, 0, 2, 0, 3, 0, 3, 0), scalar(0), scalar(2)}, []float64{0, 0, 0, 0, 0, 3, 0, 0, 0}},
		stepCase{"spanning_forest", code.SpanningForest, code.Attr{}, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Sparse, NNZ: 3},
			[]tensor.Value{mat(3, 0, 5, 4, 2, 0, 0, 0, 3, 0)}, []float64{0, 0, 0, 2, 0, 0, 0, 3, 0}})
	for name, layout := range map[string]func(tensor.Value) tensor.Value{
		"dense": func(v tensor.Value) tensor.Value { return v },
		"csr":   func(v tensor.Value) tensor.Value { return sparse(v, true) },
	} {
		far, debts := mat(4, 0, 2, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0), mat(3, 0, 4, 3, 0, 0, -2, 0, 1, 0)
		debts.F[7] = 2.5
		add := func(what string, op code.Op, want []float64, g tensor.Value, more ...tensor.Value) {
			cases = append(cases, stepCase{what + "/" + name, op, code.Attr{}, denseReg(len(want)), append([]tensor.Value{layout(g)}, more...), want})
		}
		add("wdist", code.WDist, []float64{0, 2, 5, -1}, far, scalar(0), scalar(-1))
		add("wpath", code.WPath, []float64{0, 1, 2, -1}, far, scalar(0), scalar(2))
		add("no wpath", code.WPath, []float64{-1, -1, -1, -1}, far, scalar(0), scalar(3))
		add("wdist of debts", code.WDistSigned, []float64{0, 4, 2}, debts, scalar(0), scalar(inf))
		add("wpath of debts", code.WPathSigned, []float64{0, 1, 2}, debts, scalar(0), scalar(2))
	}
	return cases
}

func bitCases() []stepCase {
	a, b := packed(vec(1, 1, 0, 0)), packed(vec(1, 0, 1, 0))
	logic := func(op code.LogicOp, want ...float64) stepCase {
		return stepCase{"logic " + op.String(), code.Logic, code.Attr{Logic: op}, bitsReg(4), []tensor.Value{a, b}, want}
	}
	not := logic(code.Not, 0, 0, 1, 1)
	not.args = not.args[:1]
	return []stepCase{
		logic(code.And, 1, 0, 0, 0), logic(code.Or, 1, 1, 1, 0), logic(code.Xor, 0, 1, 1, 0), logic(code.AndNot, 0, 1, 0, 0), not,
		{"count_product", code.CountProduct, code.Attr{}, denseReg(2, 2), []tensor.Value{packed(wide), packed(wide)}, []float64{2, 1, 1, 1}},
		{"count_matvec", code.CountMatVec, code.Attr{}, denseReg(2), []tensor.Value{packed(wide), packed(vec(1, 1, 0))}, []float64{1, 0}},
		{"count_and", code.CountAnd, code.Attr{}, denseReg(), []tensor.Value{packed(square), packed(square)}, []float64{10}},
		{"bool_product", code.BoolProduct, code.Attr{}, bitsReg(2, 2), []tensor.Value{packed(wide), packed(tall)}, []float64{1, 1, 0, 1}},
		{"bool_matvec", code.BoolMatVec, code.Attr{}, bitsReg(2), []tensor.Value{packed(wide), packed(vec(1, 0, 0))}, []float64{1, 0}},
		{"triple_trace", code.TripleTrace, code.Attr{}, denseReg(), []tensor.Value{packed(square), packed(square), packed(square)}, []float64{12}},
		{"cube_trace", code.CubeTrace, code.Attr{}, denseReg(), []tensor.Value{sparse(chain, false)}, []float64{3}},
		{"count_all of a vector", code.CountAll, code.Attr{}, denseReg(), []tensor.Value{a}, []float64{2}},
		{"select element of a vector", code.Select, axes(0), denseReg(), []tensor.Value{a, scalar(1)}, []float64{1}},
		{"one_hot", code.OneHot, code.Attr{}, bitsReg(70), []tensor.Value{scalar(65)}, append(make([]float64, 65), 1, 0, 0, 0, 0)},
		{"convert to bits", code.Convert, code.Attr{}, bitsReg(2, 3), []tensor.Value{{Type: tensor.Type{Shape: wide.Shape}, F: wide.F}}, wide.F},
		{"convert csr to bits", code.Convert, code.Attr{}, bitsReg(2, 3), []tensor.Value{sparse(wide, false)}, wide.F},
		{"symmetric", code.Symmetric, code.Attr{}, code.Reg{Type: tensor.Type{Shape: chain.Shape}, Layout: tensor.Sparse, NNZ: 8}, []tensor.Value{sparse(chain, false)}, []float64{
			0, 1, 1, 0, 0,
			1, 0, 1, 0, 0,
			1, 1, 0, 1, 0,
			0, 0, 1, 0, 0,
			0, 0, 0, 0, 0}},
	}
}

func sparseCases() []stepCase {
	w := sparse(weighted, true)
	exact := func(name, text string, size []int, want []float64, args ...tensor.Value) stepCase {
		s := spec(text, size...)
		dims := make([]int, len(s.Out))
		for d, x := range s.Out {
			dims[d] = s.Size[x]
		}
		dst := denseReg(dims...)
		dst.Kind = tensor.Int
		return stepCase{name, code.Exact, code.Attr{Spec: s}, dst, args, want}
	}
	big := float64(1 << 52)
	huge := whole(mat(3, big, big, -big, 0, 1, 5))
	p := parts(0, 1, 0, 3)
	return []stepCase{
		{"fold_csr", code.FoldCSR, code.Attr{Fold: op.FoldMin, Axes: []int{1}, Micro: &code.Micro{Shape: []int{2, 3}, Strides: [][]int{{3, 1}, {0, 1}},
			Code: []op.Micro{{Fn: op.FnAdd, Dst: 2, A: 0, B: 1}}}}, denseReg(2), []tensor.Value{w, vec(5, 1, 3)}, []float64{1, 1}},
		{"map_csr", code.MapCSR, code.Attr{Micro: &code.Micro{Shape: []int{2, 3}, Strides: [][]int{{3, 1}, {0, 1}},
			Code: []op.Micro{{Fn: op.FnMul, Dst: 2, A: 0, B: 1}}}}, csrReg(2, 3, 3), []tensor.Value{w, vec(5, 1, 3)}, []float64{10, 0, -3, 0, 0, 1.5}},
		{"product_csr", code.ProductCSR, code.Attr{}, csrReg(2, 2, 4), []tensor.Value{w, sparse(mat(2, 1, 0, 0, 1, 2, 2), true)}, []float64{0, -2, 1, 1}},
		{"mask_csr", code.MaskCSR, code.Attr{}, code.Reg{Type: tensor.Type{Shape: weighted.Shape}, Layout: tensor.Sparse, NNZ: 3}, []tensor.Value{w, packed(mat(3, 1, 1, 0, 1, 1, 1))}, []float64{1, 0, 0, 0, 0, 1}},
		{"matmul_csr behind", code.MatMulCSR, code.Attr{}, denseReg(2, 3), []tensor.Value{mat(2, 1, 2, -1, 0), w}, []float64{2, 0, 0, -2, 0, 1}},
		{"matmul_csr", code.MatMulCSR, code.Attr{}, denseReg(2, 2), []tensor.Value{w, mat(2, 1, 0, 0, 1, 2, 2)}, []float64{0, -2, 1, 1}},
		exact("exact sums", "ij->i", []int{2, 3}, []float64{big, 6}, huge),
		exact("exact sums of csr", "ij->j", []int{2, 3}, []float64{big, big + 1, 5 - big}, whole(sparse(huge, true))),
		exact("exact product", "ij,j->i", []int{2, 3}, []float64{0, 3}, huge, whole(vec(-3, 3, 0))),
		exact("exact product of csr", "ij,j->i", []int{2, 3}, []float64{0, 3}, whole(sparse(huge, true)), whole(vec(-3, 3, 0))),
		exact("exact product of three", "ij,ij,i->i", []int{2, 3}, []float64{0, 26}, huge, huge, whole(vec(0, 1))),
		{"exact to real", code.Exact, code.Attr{Spec: spec("ij,j->i", 2, 3)}, denseReg(2), []tensor.Value{huge, whole(vec(3, 3, 0))}, []float64{6 * big, 3}},
		{"pattern", code.Pattern, code.Attr{}, code.Reg{Type: tensor.Type{Shape: weighted.Shape}, Layout: tensor.Sparse, NNZ: 3}, []tensor.Value{w}, []float64{1, 0, 1, 0, 0, 1}},
		{"matvec", code.MatVec, code.Attr{}, denseReg(2), []tensor.Value{w, vec(1, 2, 3)}, []float64{-1, 1.5}},
		{"matvec of ones", code.MatVec, code.Attr{}, denseReg(2), []tensor.Value{sparse(wide, false), vec(1, 2, 3)}, []float64{4, 3}},
		{"vecmat", code.VecMat, code.Attr{}, denseReg(3), []tensor.Value{vec(1, 2), w}, []float64{2, 0, 0}},
		{"row sums", code.CountRows, code.Attr{}, denseReg(2), []tensor.Value{w}, []float64{1, 0.5}},
		{"column sums", code.CountCols, code.Attr{}, denseReg(3), []tensor.Value{w}, []float64{2, 0, -0.5}},
		{"sum", code.CountAll, code.Attr{}, denseReg(), []tensor.Value{w}, []float64{1.5}},
		{"weighted row", code.Select, axes(0), denseReg(3), []tensor.Value{w, scalar(0)}, []float64{2, 0, -1}},
		{"weighted column", code.Select, axes(1), denseReg(2), []tensor.Value{w, scalar(2)}, []float64{-1, 0.5}},
		{"weighted transpose", code.Transpose, code.Attr{}, code.Reg{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(3, 2)}, Layout: tensor.Sparse, NNZ: 5},
			[]tensor.Value{w}, []float64{2, 0, 0, 0, -1, 0.5}},
		{"parts to bits", code.Convert, code.Attr{}, bitsReg(4, 4), []tensor.Value{p}, []float64{
			1, 0, 1, 0,
			0, 1, 0, 0,
			1, 0, 1, 0,
			0, 0, 0, 1}},
		{"part sizes", code.CountRows, code.Attr{}, denseReg(4), []tensor.Value{p}, []float64{2, 1, 2, 1}},
		{"part sizes by column", code.CountCols, code.Attr{}, denseReg(4), []tensor.Value{p}, []float64{2, 1, 2, 1}},
		{"pairs in parts", code.CountAll, code.Attr{}, denseReg(), []tensor.Value{p}, []float64{6}},
		{"row of parts", code.Select, axes(0), bitsReg(4), []tensor.Value{p, scalar(2)}, []float64{1, 0, 1, 0}},
		{"column of parts", code.Select, axes(1), bitsReg(4), []tensor.Value{p, scalar(1)}, []float64{0, 1, 0, 0}},
		{"element of parts", code.Select, axes(0, 1), denseReg(), []tensor.Value{p, scalar(2), scalar(0)}, []float64{1}},
	}
}

func denseCases() []stepCase {
	x, y := mat(3, 1, 2, 3, 4, 5, 6), mat(2, 1, 0, 0, 1, 2, 2)
	cube := dense([]int{2, 3, 2}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	micro := &code.Micro{Shape: []int{2, 3}, Strides: [][]int{{3, 1}, {0, 1}}, Consts: []float64{10},
		Code: []op.Micro{{Fn: op.FnMul, Dst: 3, A: 0, B: 1}, {Fn: op.FnAdd, Dst: 3, A: 3, B: 2}}}
	folded := *micro
	folded.Folds, folded.Fold = 1, op.FoldMax
	e, third := math.E, 1.0/3
	return []stepCase{
		{"einsum", code.Einsum, code.Attr{Spec: spec("ij,jk->ik", 2, 3, 2)}, denseReg(2, 2), []tensor.Value{x, y}, []float64{7, 8, 16, 17}},
		{"einsum of one", code.Einsum, code.Attr{Spec: spec("ij->j", 2, 3)}, denseReg(3), []tensor.Value{x}, []float64{5, 7, 9}},
		{"einsum to a diagonal", code.Einsum, code.Attr{Spec: spec("i->ii", 2)}, denseReg(2, 2), []tensor.Value{vec(3, 4)}, []float64{3, 0, 0, 4}},
		{"einsum of three", code.Einsum, code.Attr{Spec: spec("ij,jk,k->i", 2, 3, 2)}, denseReg(2), []tensor.Value{x, y, vec(1, -1)}, []float64{-1, -1}},
		{"einsum of nothing", code.Einsum, code.Attr{Spec: spec("i,i->", 0)}, denseReg(), []tensor.Value{vec(), vec()}, []float64{0}},
		{"semiring", code.Semiring, code.Attr{Spec: spec("ij,jk->ik", 2, 3, 2), Fn: op.FnAdd, Fold: op.FoldMin}, denseReg(2, 2), []tensor.Value{x, y}, []float64{2, 1, 5, 4}},
		{"fused", code.Fused, code.Attr{Micro: micro}, denseReg(2, 3), []tensor.Value{x, vec(1, 0, -1)}, []float64{11, 10, 7, 14, 10, 4}},
		{"fused fold", code.Fused, code.Attr{Micro: &folded}, denseReg(2), []tensor.Value{x, vec(1, 0, -1)}, []float64{11, 14}},
		{"reduce", code.Reduce, fold(op.FoldMax, 0), denseReg(3), []tensor.Value{x}, []float64{4, 5, 6}},
		{"reduce all", code.Reduce, fold(op.FoldMin, 0, 1), denseReg(), []tensor.Value{x}, []float64{1}},
		{"argmax", code.Reduce, fold(op.FoldArgMax, 1), denseReg(2), []tensor.Value{mat(3, 1, 5, 5, 0, -1, -2)}, []float64{1, 0}},
		{"softmax", code.Softmax, axes(1), denseReg(2, 3), []tensor.Value{mat(3, 0, 0, 0, 1, math.Inf(-1), math.Inf(-1))}, []float64{third, third, third, 1, 0, 0}},
		{"softmax by column", code.Softmax, axes(0), denseReg(2, 1), []tensor.Value{mat(1, 1, 0)}, []float64{e / (1 + e), 1 / (1 + e)}},
		{"select element", code.Select, axes(0, 1), denseReg(), []tensor.Value{x, scalar(1), scalar(2)}, []float64{6}},
		{"select row", code.Select, axes(0), denseReg(3), []tensor.Value{x, scalar(1)}, []float64{4, 5, 6}},
		{"select column", code.Select, axes(1), denseReg(2), []tensor.Value{x, scalar(0)}, []float64{1, 4}},
		{"select the middle", code.Select, axes(1), denseReg(2, 2), []tensor.Value{cube, scalar(2)}, []float64{4, 5, 10, 11}},
		{"select the outside", code.Select, axes(0, 2), denseReg(3), []tensor.Value{cube, scalar(1), scalar(1)}, []float64{7, 9, 11}},
		{"select nothing", code.Select, axes(), denseReg(2, 3), []tensor.Value{x}, x.F},
	}
}

// TestInstructions runs every instruction on every layout it takes, on clean
// memory and on memory that holds the worst that a run can leave.
func TestInstructions(t *testing.T) {
	covered := make(map[code.Op]bool)
	for _, list := range [][]stepCase{graphCases(), bitCases(), sparseCases(), denseCases()} {
		for _, c := range list {
			covered[c.op] = true
			t.Run(c.name, func(t *testing.T) {
				for _, workers := range []int{1, 4} {
					m, mod := newMachine(t, single(c.op, c.attr, &c.dst, c.args), workers)
					for _, f := range []float64{0, nan, inf, 1} {
						vm.Soil(m, f, ^uint64(0), -1)
						r := mustRun(t, m, mod, c.args)
						if got := r.Outputs[0].Value.ToDense(); !equal(got, c.want) {
							t.Fatalf("%d workers, memory of %v: %v, want %v", workers, f, got, c.want)
						}
					}
				}
			})
		}
	}
	for op := range code.MaxOp {
		if !covered[op] && op != code.CheckInt && op != code.CheckFinite && op != code.CheckSymmetric && op != code.Rules && op != code.Scatter {
			t.Errorf("no case for %v", op)
		}
	}
}
