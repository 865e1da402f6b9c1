package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
	"ein/vm/tensor"
)

// TestCSRMap compares maps of random expressions with every element of them.
func TestCSRMap(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	number := func() float64 { return float64(r.IntN(9)-4) / 2 }
	refused, planned, poles := 0, 0, 0
	for range 40000 {
		rows, cols := 1+r.IntN(6), 1+r.IntN(6)
		if r.IntN(10) == 0 {
			rows, cols = 30, 40 // several blocks
		}
		var matrices []tensor.CSR
		var none []float64
		var operands [][]int
		var args [][]float64
		var nnz []int
		for range 1 + r.IntN(3) {
			a := randomEntries(r, rows, cols, r.IntN(rows*cols+1))
			if r.IntN(3) == 0 {
				a.Val = nil
			}
			for k := range a.Val {
				a.Val[k] = number()
			}
			matrices, none, nnz = append(matrices, a), append(none, []float64{0, 0, math.Inf(1)}[r.IntN(3)]), append(nnz, a.NNZ())
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
				v[i] = number() * float64(r.IntN(2))
			}
			operands, args = append(operands, stride), append(args, v)
		}
		consts := []float64{2, 0, math.Inf(1)}[:r.IntN(4)]
		next := len(operands) + len(consts)
		var code []op.Micro
		for range r.IntN(4) {
			m := op.Micro{Fn: []op.Fn{op.FnMul, op.FnMul, op.FnMul, op.FnDiv, op.FnDiv, op.FnAdd, op.FnMin, op.FnMax, op.FnGt, op.FnNe, op.FnWhere, op.FnSqrt}[r.IntN(12)], Dst: uint8(next)}
			m.A, m.B, m.C = uint8(r.IntN(next)), uint8(r.IntN(next)), uint8(r.IntN(next))
			code, next = append(code, m), next+1
		}
		p, err := PlanCSRMap(rows, cols, nnz, none, operands, code, consts)
		if err != nil {
			refused++
			continue
		}
		planned++
		want := make([]float64, rows*cols)
		reg, far, pole := make([]float64, 32), false, false
		for i := range rows {
			for j := range cols {
				entry := false
				for k, a := range matrices {
					reg[k] = CSRGet(a, i, j, none[k])
					_, found := slices.BinarySearch(a.Row(i), int32(j))
					entry = entry || found
				}
				for k := first; k < len(args); k++ {
					reg[k] = args[k][i*operands[k][0]+j*operands[k][1]]
				}
				copy(reg[len(operands):], consts)
				result := uint8(0)
				for _, m := range code {
					reg[m.Dst], result = m.Fn.Apply(reg[m.A], reg[m.B], reg[m.C]), m.Dst
					far = far || math.IsInf(reg[m.Dst], 0) || math.IsNaN(reg[m.Dst]) && m.Fn != op.FnDiv
				}
				want[i*cols+j] = reg[result]
				pole = pole || !entry && reg[result] != 0
			}
		}
		if far || slices.ContainsFunc(none, func(x float64) bool { return x != 0 }) && slices.ContainsFunc(want, math.IsNaN) {
			continue // what has no entry adds nothing to products with what is not finite
		}
		var c Ctl
		dst := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Idx: make([]int32, p.Entries()), Val: make([]float64, p.Entries())}
		at := 0
		ok := Finished(func() { _, at = p.Run(&c, &dst, matrices, args, garbage(p.Cost())) })
		charged(t, "CSRMap", &c, p.Cost(), ok)
		if (at != 0) != pole {
			t.Fatalf("%v of %v with %v: pole %d, want %v", code, matrices, args, at, pole)
		}
		if pole {
			poles++
			continue
		}
		wellFormed(t, "map", dst)
		got := make([]float64, rows*cols)
		CSRToDense(&c, got, dst, 0)
		if !slices.EqualFunc(got, want, func(x, y float64) bool { return x == y || x != x && y != y }) || slices.Contains(dst.Val, 0) {
			t.Fatalf("%v of %v with %v: %v, want %v", code, matrices, args, got, want)
		}
	}
	if refused < 3000 || planned < 3000 || poles < 20 {
		t.Errorf("%d were planned, %d of them with poles, %d refused", planned, poles, refused)
	}
}

// TestCSRMapDriver: where a matrix that a product needs has no entry, the product has none, whichever matrix
// has fewer entries and so drives, and even where another is not finite.
func TestCSRMapDriver(t *testing.T) {
	far, _ := tensor.BuildCSR(1, 4, []int32{0, 0}, []int32{0, 1}, []float64{math.Inf(1), 2})
	for n := int32(1); n < 4; n++ {
		other := tensor.CSR{Rows: 1, Cols: 4, Ptr: []int32{0, n}, Idx: []int32{1, 2, 3}[:n], Val: []float64{3, 4, 5}[:n]}
		p, err := PlanCSRMap(1, 4, []int{2, int(n)}, []float64{0, 0}, [][]int{{4, 1}, {4, 1}}, []op.Micro{{Fn: op.FnMul, Dst: 2, A: 0, B: 1}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		dst := tensor.CSR{Rows: 1, Cols: 4, Ptr: make([]int32, 2), Idx: make([]int32, p.Entries()), Val: make([]float64, p.Entries())}
		p.Run(&Ctl{}, &dst, []tensor.CSR{far, other}, make([][]float64, 2), garbage(p.Cost()))
		if !slices.Equal(dst.Idx, []int32{1}) || !slices.Equal(dst.Val, []float64{6}) {
			t.Errorf("times %d entries: %v", n, dst)
		}
	}
}

// TestCSRMapFull: a quotient by 0 is no pole where every place has an entry of one of two matrices, and the
// search for one is within the bound.
func TestCSRMapFull(t *testing.T) {
	const n = 60
	var halves [2]tensor.CSR
	for k := range halves {
		a := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}
		for i := range n {
			for j := k; j < n; j += 2 {
				a.Idx, a.Val = append(a.Idx, int32(j)), append(a.Val, 1)
			}
			a.Ptr[i+1] = int32(len(a.Idx))
		}
		halves[k] = a
	}
	add, div := op.Micro{Fn: op.FnAdd, Dst: 3, A: 0, B: 1}, op.Micro{Fn: op.FnDiv, Dst: 4, A: 3, B: 2}
	for _, along := range [][]int{{1, 0}, {0, 1}} {
		for _, by := range []float64{0, 2} {
			nnz, strides := []int{n * n / 2, n * n / 2}, [][]int{{n, 1}, {n, 1}, along}
			p, err := PlanCSRMap(n, n, nnz, make([]float64, 2), strides, []op.Micro{add, div}, nil)
			if err != nil {
				t.Fatal(err)
			}
			v := slices.Repeat([]float64{by}, n)
			dst := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, p.Entries()), Val: make([]float64, p.Entries())}
			var c Ctl
			pole := -1
			ok := Finished(func() { _, pole = p.Run(&c, &dst, halves[:], [][]float64{nil, nil, v}, garbage(p.Cost())) })
			charged(t, "CSRMap", &c, p.Cost(), ok)
			if want := slices.Repeat([]float64{1 / by}, n*n); pole != 0 || !slices.Equal(dst.Val, want) {
				t.Errorf("pole %d, %d entries", pole, len(dst.Val))
			}
		}
	}
}

// TestCSRProduct compares products with the definition.
func TestCSRProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for range 3000 {
		rows, mid, cols := r.IntN(9), r.IntN(9), r.IntN(9)
		if r.IntN(30) == 0 {
			rows, mid, cols = r.IntN(30), r.IntN(30), r.IntN(900)
		}
		a, b := randomEntries(r, rows, mid, r.IntN(rows*mid+1)), randomEntries(r, mid, cols, r.IntN(mid*cols+1))
		for _, m := range []*tensor.CSR{&a, &b} {
			for k := range m.Val {
				m.Val[k] = float64(r.IntN(7) - 3)
			}
			if r.IntN(2) == 0 {
				m.Val = nil
			}
		}
		want := make([]float64, rows*cols)
		for i := range rows {
			for k := range mid {
				for j := range cols {
					want[i*cols+j] += CSRGet(a, i, k, 0) * CSRGet(b, k, j, 0)
				}
			}
		}
		var c Ctl
		entries, work := CSRProductEntries(&c, &a, &b)
		charged(t, "CSRProductEntries", &c, CSRProductEntriesCost(rows, a.NNZ()), true)
		dst := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Idx: make([]int32, entries), Val: make([]float64, entries)}
		cost := CSRProductCost(rows, cols, a.NNZ(), work)
		ok := Finished(func() { CSRProduct(&c, &dst, &a, &b, true, garbage(cost)) })
		charged(t, "CSRProduct", &c, cost, ok)
		wellFormed(t, "product", dst)
		got := make([]float64, rows*cols)
		CSRToDense(&c, got, dst, 0)
		equalFloats(t, "product", got, want)
		if slices.Contains(dst.Val, 0) {
			t.Fatal("a stored 0")
		}
		x := make([]float64, mid*cols)
		CSRToDense(&c, x, b, 0)
		c.Ops = 0
		ok = Finished(func() { CSRMatMul(&c, got, &a, x, cols) })
		charged(t, "CSRMatMul", &c, MatMulCost(rows, mid, cols, a.NNZ(), cols), ok)
		equalFloats(t, "product with a dense matrix", got, want)
		y := make([]float64, rows*mid)
		CSRToDense(&c, y, a, 0)
		c.Ops = 0
		ok = Finished(func() { MatMulCSR(&c, got, y, &b, rows) })
		charged(t, "MatMulCSR", &c, MatMulCost(rows, mid, cols, b.NNZ(), rows), ok)
		equalFloats(t, "product of a dense matrix", got, want)
	}
	// Counts are exact below 2^53, and no further.
	one := tensor.CSR{Rows: 1, Cols: 1, Ptr: []int32{0, 1}, Idx: []int32{0}, Val: []float64{1 << 27}}
	for shift, exact := range map[int]bool{25: true, 26: false} {
		other := one
		other.Val = []float64{float64(uint64(1) << shift)}
		dst := tensor.CSR{Rows: 1, Cols: 1, Ptr: make([]int32, 2), Idx: make([]int32, 1), Val: make([]float64, 1)}
		if got := CSRProduct(&Ctl{}, &dst, &one, &other, true, garbage(CSRProductCost(1, 1, 1, 1))); got != exact {
			t.Errorf("2^27 times 2^%d: exact %v", shift, got)
		}
	}
}

// BenchmarkCSRProduct squares a matrix of 100,000 nodes and 1,000,000 entries.
func BenchmarkCSRProduct(b *testing.B) {
	w := scattered(rand.New(rand.NewPCG(1, 2)), 100_000)
	entries, work := CSRProductEntries(&Ctl{}, &w, &w)
	dst := tensor.CSR{Rows: w.Rows, Cols: w.Cols, Ptr: make([]int32, w.Rows+1), Idx: make([]int32, entries), Val: make([]float64, entries)}
	s := garbage(CSRProductCost(w.Rows, w.Cols, w.NNZ(), work))
	for b.Loop() {
		dst.Idx, dst.Val = dst.Idx[:entries], dst.Val[:entries]
		CSRProduct(&Ctl{}, &dst, &w, &w, true, s)
	}
}

// scattered is a square matrix with 10 entries in each row, spread over the columns.
func scattered(r *rand.Rand, n int) tensor.CSR {
	w := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1)}
	for i := range n {
		row := randomEntries(r, 1, 1000, 10)
		for _, j := range row.Idx {
			w.Idx, w.Val = append(w.Idx, j*int32(n/1000)+int32(r.IntN(n/1000))), append(w.Val, float64(1+r.IntN(1000)))
		}
		w.Ptr[i+1] = int32(len(w.Idx))
	}
	return w
}

// BenchmarkCSRMap maps one matrix, and two of other patterns, of 100,000 nodes.
func BenchmarkCSRMap(b *testing.B) {
	const n = 100_000
	w := scattered(rand.New(rand.NewPCG(1, 2)), n)
	turned := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, w.NNZ()), Val: make([]float64, w.NNZ())}
	CSRTranspose(&Ctl{}, turned, w)
	for _, c := range []struct {
		name     string
		matrices []tensor.CSR
		code     op.Micro
		consts   []float64
	}{
		{"max", []tensor.CSR{w, turned}, op.Micro{Fn: op.FnMax, Dst: 2, A: 0, B: 1}, nil},
		{"min", []tensor.CSR{w, turned}, op.Micro{Fn: op.FnMin, Dst: 2, A: 0, B: 1}, nil},
		{"greater", []tensor.CSR{w}, op.Micro{Fn: op.FnGt, Dst: 2, A: 0, B: 1}, []float64{500}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var nnz []int
			var strides [][]int
			for _, a := range c.matrices {
				nnz, strides = append(nnz, a.NNZ()), append(strides, []int{n, 1})
			}
			p, err := PlanCSRMap(n, n, nnz, make([]float64, len(nnz)), strides, []op.Micro{c.code}, c.consts)
			if err != nil {
				b.Fatal(err)
			}
			dst := tensor.CSR{Rows: n, Cols: n, Ptr: make([]int32, n+1), Idx: make([]int32, p.Entries()), Val: make([]float64, p.Entries())}
			s := garbage(p.Cost())
			for b.Loop() {
				to := dst
				p.Run(&Ctl{}, &to, c.matrices, make([][]float64, len(nnz)), s)
			}
		})
	}
}
