package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
	"ein/vm/tensor"
)

// TestCSRFold compares the fold of random expressions with every element of them.
func TestCSRFold(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	number := func() float64 {
		if r.IntN(12) == 0 {
			return []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		}
		return float64(r.IntN(9)-4) / 2
	}
	refused, planned := 0, 0
	for range 4000 {
		rows, cols := r.IntN(7), r.IntN(7)
		var matrices []tensor.CSR
		var none []float64
		var operands [][]int
		var args [][]float64
		nnz := 0
		for range 1 + r.IntN(3)*r.IntN(2) {
			a := randomEntries(r, rows, cols, r.IntN(rows*cols+1))
			if r.IntN(3) == 0 {
				a.Val = nil
			}
			for k := range a.Val {
				a.Val[k] = number() // a 0 among them is an entry, too
			}
			matrices, none, nnz = append(matrices, a), append(none, []float64{0, 0, math.Inf(1)}[r.IntN(3)]), nnz+a.NNZ()
			operands, args = append(operands, []int{cols, 1}), append(args, nil)
		}
		first := len(matrices)
		for range r.IntN(4) {
			stride, n := []int{0, 0}, 1
			if d := r.IntN(3); d < 2 {
				stride[d], n = 1, [2]int{rows, cols}[d]
			}
			v := make([]float64, n)
			for i := range v {
				v[i] = number()
			}
			operands, args = append(operands, stride), append(args, v)
		}
		consts := []float64{2, math.Inf(1)}[:r.IntN(3)]
		next := len(operands) + len(consts)
		var code []op.Micro
		for range r.IntN(4) {
			m := op.Micro{Fn: []op.Fn{op.FnAdd, op.FnMul, op.FnMin, op.FnGt, op.FnWhere, op.FnNeg}[r.IntN(6)], Dst: uint8(next)}
			m.A, m.B, m.C = uint8(r.IntN(next)), uint8(r.IntN(next)), uint8(r.IntN(next))
			code, next = append(code, m), next+1
		}
		axis, fold := r.IntN(2), []op.Fold{op.FoldMax, op.FoldMin}[r.IntN(2)]
		if r.IntN(8) == 0 {
			matrices, none, operands, args, nnz, code = matrices[:1], none[:1], operands[:1], args[:1], matrices[0].NNZ(), nil
			first, consts, axis, fold = 1, nil, 1, fold+op.FoldArgMax-op.FoldMax
		}
		p, err := PlanCSRFold(rows, cols, nnz, axis, none, fold, operands, code, consts)
		if err != nil {
			refused++
			continue
		}
		planned++
		size := [2]int{rows, cols}
		want := make([]float64, size[1-axis])
		fill(want, fold.Identity())
		reg, row, far := make([]float64, 32), make([]float64, cols), false
		for i := range rows {
			for j := range cols {
				for k, a := range matrices {
					reg[k] = CSRGet(a, i, j, none[k])
				}
				for k := first; k < len(args); k++ {
					reg[k] = args[k][i*operands[k][0]+j*operands[k][1]]
				}
				copy(reg[len(operands):], consts)
				result := uint8(0)
				for _, m := range code {
					reg[m.Dst], result = m.Fn.Apply(reg[m.A], reg[m.B], reg[m.C]), m.Dst
					far = far || math.IsInf(reg[m.Dst], 0) || math.IsNaN(reg[m.Dst])
				}
				if row[j] = reg[result]; fold <= op.FoldMin {
					to := [2]int{j, i}[axis]
					want[to] = fold.Apply(want[to], reg[result])
				}
			}
			if fold > op.FoldMin {
				reduce, err := PlanReduce(fold, []int{1, cols}, []int{1})
				if err != nil {
					t.Fatal(err)
				}
				reduce.Run(&Ctl{}, want[i:i+1], row, garbage(reduce.Cost()))
			}
		}
		if p.zero && far {
			continue // what has no entry adds nothing to products with what is not finite
		}
		var c Ctl
		got := make([]float64, size[1-axis])
		ok := Finished(func() { p.Run(&c, got, matrices, args, garbage(p.Cost())) })
		charged(t, "CSRFold", &c, p.Cost(), ok)
		if !slices.EqualFunc(got, want, func(x, y float64) bool { return x == y || x != x && y != y }) {
			t.Fatalf("%v of %v along %d with %v: %v, want %v", code, matrices, axis, args, got, want)
		}
	}
	if refused < 400 || planned < 2000 {
		t.Errorf("%d were planned, %d refused", planned, refused)
	}
}

// randomEntries is a sparse matrix with so many entries.
func randomEntries(r *rand.Rand, rows, cols, nnz int) tensor.CSR {
	a := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1)}
	for _, k := range slices.Sorted(slices.Values(r.Perm(rows * cols)[:nnz])) {
		a.Ptr[k/cols+1]++
		a.Idx, a.Val = append(a.Idx, int32(k%cols)), append(a.Val, 1)
	}
	tensor.SumUp(a.Ptr)
	return a
}
