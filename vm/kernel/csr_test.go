package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/tensor"
)

// edgeList is a list of entries in any order, some of them repeated, and the
// matrix they make when the first of equals is kept.
type edgeList struct {
	rows, cols int
	src, dst   []int32
	w          []float64
	dense      []float64
	entries    int
}

func randomEdgeList(r *rand.Rand) edgeList {
	e := edgeList{rows: r.IntN(70), cols: r.IntN(70)}
	e.dense = make([]float64, e.rows*e.cols)
	if len(e.dense) == 0 {
		return e
	}
	for range r.IntN(400) {
		i, j := r.IntN(e.rows), r.IntN(e.cols)
		if r.IntN(3) == 0 {
			i = r.IntN(e.rows)/8 + e.rows/2 // some rows are long
		}
		x := float64(1 + r.IntN(9))
		e.src, e.dst, e.w = append(e.src, int32(i)), append(e.dst, int32(j)), append(e.w, x)
		if e.dense[i*e.cols+j] == 0 {
			e.dense[i*e.cols+j] = x
			e.entries++
		}
	}
	return e
}

func wellFormed(t *testing.T, what string, a tensor.CSR) {
	t.Helper()
	if len(a.Ptr) != a.Rows+1 || a.Ptr[0] != 0 || int(a.Ptr[a.Rows]) != len(a.Idx) {
		t.Fatalf("%s: bad Ptr %v for %d", what, a.Ptr, len(a.Idx))
	}
	for i := range a.Rows {
		row := a.Row(i)
		for k, j := range row {
			if int(j) >= a.Cols || k > 0 && row[k-1] >= j {
				t.Fatalf("%s: row %d is %v", what, i, row)
			}
		}
	}
	if a.Val != nil && len(a.Val) != len(a.Idx) {
		t.Fatalf("%s: %d values for %d", what, len(a.Val), len(a.Idx))
	}
}

func TestBuildCSR(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 2000 {
		e := randomEdgeList(r)
		a, repeated := tensor.BuildCSR(e.rows, e.cols, e.src, e.dst, e.w)
		wellFormed(t, "weighted", a)
		if repeated != len(e.src)-e.entries {
			t.Fatalf("%d repeated, want %d", repeated, len(e.src)-e.entries)
		}
		dense := make([]float64, len(e.dense))
		var c Ctl
		ok := Finished(func() { CSRToDense(&c, dense, a, 0) })
		charged(t, "CSRToDense", &c, CSRToDenseCost(e.rows, e.cols, a.NNZ()), ok)
		equalFloats(t, "weighted", dense, e.dense)

		b, repeated := tensor.BuildCSR(e.rows, e.cols, e.src, e.dst, nil)
		wellFormed(t, "pattern", b)
		if b.Val != nil || repeated != len(e.src)-e.entries || !slices.Equal(a.Idx, b.Idx) || !slices.Equal(a.Ptr, b.Ptr) {
			t.Fatal("pattern differs from weighted")
		}
	}
}

func TestBuildCSRSizes(t *testing.T) {
	// Past the sizes at which the way of building changes.
	r := rand.New(rand.NewPCG(33, 34))
	for _, size := range [][2]int{{1, 20000}, {2, 20000}, {300, 20000}, {1000, 3000}, {70000, 210000}, {300000, 900000}, {1 << 24, 20000}} {
		n := size[0]
		src, dst := randomEdges(r, n, size[1])
		a, repeated := tensor.BuildCSR(n, n, src, dst, nil)
		wellFormed(t, fmt.Sprint(n), a)
		keys := make([]int, len(src))
		for e := range src {
			keys[e] = int(src[e])*n + int(dst[e])
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		if len(keys) != a.NNZ() || repeated != len(src)-len(keys) {
			t.Fatalf("n=%d: %d entries and %d repeated, want %d", n, a.NNZ(), repeated, len(keys))
		}
		for i := range n {
			for _, j := range a.Row(i) {
				if keys[0] != i*n+int(j) {
					t.Fatalf("n=%d: row %d has %d, want key %d", n, i, j, keys[0])
				}
				keys = keys[1:]
			}
		}
	}
}

func TestCSRKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for range 2000 {
		e := randomEdgeList(r)
		w := e.w
		if r.IntN(2) == 0 {
			w = nil
			for k, x := range e.dense {
				e.dense[k] = number(x != 0)
			}
		}
		a, _ := tensor.BuildCSR(e.rows, e.cols, e.src, e.dst, w)
		testCSRReads(t, r, e, a)
		testCSRLayouts(t, e, a)
		if t.Failed() {
			t.Fatalf("on %v", a)
		}
	}
}

func testCSRReads(t *testing.T, r *rand.Rand, e edgeList, a tensor.CSR) {
	cost := CSRCost(a.Rows, a.Cols, a.NNZ())
	rowSum, colSum, sum := make([]float64, e.rows), make([]float64, e.cols), 0.0
	rowCount, colCount := make([]float64, e.rows), make([]float64, e.cols)
	matVec, vecMat := make([]float64, e.rows), make([]float64, e.cols)
	x, y := make([]float64, e.cols), make([]float64, e.rows)
	for j := range x {
		x[j] = float64(r.IntN(10))
	}
	for i := range y {
		y[i] = float64(r.IntN(10))
	}
	for i := range e.rows {
		for j := range e.cols {
			v := e.dense[i*e.cols+j]
			if got := CSRGet(a, i, j, 0); got != v {
				t.Errorf("CSRGet(%d, %d): %g, want %g", i, j, got, v)
			}
			rowSum[i] += v
			colSum[j] += v
			sum += v
			rowCount[i] += number(v != 0)
			colCount[j] += number(v != 0)
			matVec[i] += v * x[j]
			vecMat[j] += y[i] * v
		}
	}
	var c Ctl
	check := func(what string, want []float64, kernel func(dst []float64)) {
		got := garbage(Cost{F: uint64(len(want))}).F
		ok := Finished(func() { kernel(got) })
		charged(t, what, &c, cost, ok)
		equalFloats(t, what, got, want)
	}
	check("CSRRowSum", rowSum, func(dst []float64) { CSRRowSum(&c, dst, a) })
	check("CSRColSum", colSum, func(dst []float64) { CSRColSum(&c, dst, a) })
	check("CSRRowCount", rowCount, func(dst []float64) { CSRRowCount(&c, dst, a) })
	check("CSRColCount", colCount, func(dst []float64) { CSRColCount(&c, dst, a) })
	check("CSRMatVec", matVec, func(dst []float64) { CSRMatVec(&c, dst, a, x) })
	check("CSRVecMat", vecMat, func(dst []float64) { CSRVecMat(&c, dst, y, a) })
	got, ok := ended(func() float64 { return CSRSum(&c, a) })
	charged(t, "CSRSum", &c, cost, ok)
	if got != sum {
		t.Errorf("CSRSum: %g, want %g", got, sum)
	}
	if e.rows > 0 {
		i := r.IntN(e.rows)
		row := make([]bool, e.cols)
		for j := range row {
			row[j] = e.dense[i*e.cols+j] != 0
		}
		bits := dirtyBits(1, e.cols).W
		ok := Finished(func() { CSRRowBits(&c, bits, a, i) })
		charged(t, "CSRRowBits", &c, cost, ok)
		if !slices.Equal(bits, packVector(row)) {
			t.Errorf("CSRRowBits %d is wrong", i)
		}
	}
}

func testCSRLayouts(t *testing.T, e edgeList, a tensor.CSR) {
	var c Ctl
	turned := tensor.CSR{Rows: a.Cols, Cols: a.Rows, Ptr: garbage(Cost{I: uint64(a.Cols + 1)}).I, Idx: make([]int32, a.NNZ())}
	if a.Val != nil {
		turned.Val = make([]float64, a.NNZ())
	}
	ok := Finished(func() { CSRTranspose(&c, turned, a) })
	charged(t, "CSRTranspose", &c, CSRCost(a.Rows, a.Cols, a.NNZ()), ok)
	wellFormed(t, "CSRTranspose", turned)
	for i := range e.rows {
		for j := range e.cols {
			if CSRGet(turned, j, i, 0) != e.dense[i*e.cols+j] {
				t.Errorf("CSRTranspose at %d, %d", j, i)
			}
		}
	}
	pattern := emptyMatrix(e.rows, e.cols)
	for k, x := range e.dense {
		pattern[k/e.cols][k%e.cols] = x != 0
	}
	cost := CSRToBitsCost(a.Rows, a.Cols, a.NNZ())
	b := dirtyBits(e.rows, e.cols)
	ok = Finished(func() { CSRToBits(&c, b, a) })
	charged(t, "CSRToBits", &c, cost, ok)
	equalBits(t, "CSRToBits", b, pattern)
	back := tensor.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: garbage(Cost{I: uint64(a.Rows + 1)}).I, Idx: make([]int32, a.NNZ())}
	ok = Finished(func() { BitsToCSR(&c, back, b) })
	charged(t, "BitsToCSR", &c, cost, ok)
	if !slices.Equal(back.Ptr, a.Ptr) || !slices.Equal(back.Idx, a.Idx) {
		t.Errorf("BitsToCSR: %v", back)
	}
}

func TestCSRSquare(t *testing.T) {
	eachGraph(t, 1000, func(t *testing.T, _ *rand.Rand, g graphCase) {
		nnz := g.csr.NNZ()
		var c Ctl
		cost := CSRSymmetriseCost(g.n, nnz)
		s := tensor.CSR{Rows: g.n, Cols: g.n, Ptr: garbage(Cost{I: uint64(g.n + 1)}).I, Idx: make([]int32, 2*nnz)}
		used, ok := ended(func() int { return CSRSymmetrise(&c, s, g.csr, garbage(cost)) })
		charged(t, "CSRSymmetrise", &c, cost, ok)
		s.Idx = s.Idx[:used]
		wellFormed(t, "CSRSymmetrise", s)
		want, diag := emptyMatrix(g.n, g.n), make([]float64, g.n)
		for i := range g.n {
			diag[i] = number(g.m[i][i])
			for j := range g.n {
				want[i][j] = g.m[i][j] || g.m[j][i]
			}
		}
		got := dirtyBits(g.n, g.n)
		CSRToBits(&c, got, s)
		c.Ops = 0
		equalBits(t, "CSRSymmetrise", got, want)
		masked := tensor.CSR{Rows: g.n, Cols: g.n, Ptr: garbage(Cost{I: uint64(g.n + 1)}).I, Idx: make([]int32, nnz)}
		c.Ops = 0
		ok = Finished(func() { CSRMask(&c, &masked, &g.csr, func(i, j int32) bool { return (i+j)%3 != 0 }) })
		charged(t, "CSRMask", &c, CSRCost(g.n, g.n, nnz), ok)
		wellFormed(t, "CSRMask", masked)
		for i := range g.n {
			for j := range g.n {
				if want := CSRGet(g.csr, i, j, 0) != 0 && (i+j)%3 != 0; want != (CSRGet(masked, i, j, 0) != 0) {
					t.Fatalf("CSRMask: %v at %d, %d", !want, i, j)
				}
			}
		}
		c.Ops = 0
		f := garbage(Cost{F: uint64(g.n)}).F
		ok = Finished(func() { CSRDiag(&c, f, g.csr, 0) })
		charged(t, "CSRDiag", &c, CSRCost(g.n, g.n, nnz), ok)
		equalFloats(t, "CSRDiag", f, diag)
	})
}
