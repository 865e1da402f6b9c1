package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/vm/simd"
	"ein/vm/tensor"
)

// eachShape runs f on many sizes: those where words begin and end, and others.
func eachShape(t *testing.T, rounds int, f func(t *testing.T, r *rand.Rand, rows, inner, cols int, p float64)) {
	t.Helper()
	r := rand.New(rand.NewPCG(21, 22))
	size := func() int {
		if r.IntN(2) == 0 {
			return testSizes[r.IntN(len(testSizes))]
		}
		return r.IntN(150)
	}
	for range rounds {
		rows, inner, cols := size(), size(), size()
		p := []float64{0, .01, .1, .5, .9, 1}[r.IntN(6)]
		f(t, r, rows, inner, cols, p)
		if t.Failed() {
			t.Fatalf("at %d x %d x %d, p=%g", rows, inner, cols, p)
		}
	}
}

func equalBits(t *testing.T, what string, got tensor.Bits, want [][]bool) {
	t.Helper()
	if !slices.Equal(got.W, packMatrix(want, got.Rows, got.Cols).W) {
		t.Errorf("%s is wrong", what)
	}
}

func equalFloats(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s is wrong", what)
	}
}

// number is the value of a bit in a dense tensor.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestBitsWords(t *testing.T) {
	eachShape(t, 300, func(t *testing.T, r *rand.Rand, rows, _, cols int, p float64) {
		x, y := randomMatrix(r, rows, cols, p), randomMatrix(r, rows, cols, .5)
		a, b := packMatrix(x, rows, cols), packMatrix(y, rows, cols)
		var c Ctl
		cost := Cost{Ops: uint64(len(a.W))}
		for _, op := range []struct {
			name   string
			kernel func(c *Ctl, dst, a, b []uint64)
			def    func(x, y bool) bool
		}{
			{"BitsAnd", BitsAnd, func(x, y bool) bool { return x && y }},
			{"BitsOr", BitsOr, func(x, y bool) bool { return x || y }},
			{"BitsXor", BitsXor, func(x, y bool) bool { return x != y }},
			{"BitsAndNot", BitsAndNot, func(x, y bool) bool { return x && !y }},
			{"BitsCopy", func(c *Ctl, dst, a, _ []uint64) { BitsCopy(c, dst, a) },
				func(x, _ bool) bool { return x }},
		} {
			got, want := dirtyBits(rows, cols), emptyMatrix(rows, cols)
			for i := range rows {
				for j := range cols {
					want[i][j] = op.def(x[i][j], y[i][j])
				}
			}
			ok := Finished(func() { op.kernel(&c, got.W, a.W, b.W) })
			charged(t, op.name, &c, cost, ok)
			equalBits(t, op.name, got, want)
		}
		both := 0
		not := emptyMatrix(rows, cols)
		for i := range rows {
			for j := range cols {
				not[i][j] = !x[i][j]
				if x[i][j] && y[i][j] {
					both++
				}
			}
		}
		got := dirtyBits(rows, cols)
		ok := Finished(func() { BitsNot(&c, got, a) })
		charged(t, "BitsNot", &c, bitsCost(rows, cols), ok)
		equalBits(t, "BitsNot", got, not)
		common, ok := ended(func() uint64 { return PopAnd(&c, a.W, b.W) })
		charged(t, "PopAnd", &c, cost, ok)
		if common != uint64(both) {
			t.Errorf("PopAnd: %d, want %d", common, both)
		}
	})
}

func TestBitsLayout(t *testing.T) {
	eachShape(t, 400, func(t *testing.T, r *rand.Rand, rows, _, cols int, p float64) {
		x := randomMatrix(r, rows, cols, p)
		a := packMatrix(x, rows, cols)
		turned, dense := emptyMatrix(cols, rows), make([]float64, rows*cols)
		perRow, perCol, all := make([]float64, rows), make([]float64, cols), 0.0
		for i := range rows {
			for j := range cols {
				v := number(x[i][j])
				turned[j][i] = x[i][j]
				dense[i*cols+j] = v
				perRow[i] += v
				perCol[j] += v
				all += v
			}
		}
		var c Ctl
		got := dirtyBits(cols, rows)
		ok := Finished(func() { BitsTranspose(&c, got, a) })
		charged(t, "BitsTranspose", &c, BitsTransposeCost(rows, cols), ok)
		equalBits(t, "BitsTranspose", got, turned)

		f := garbage(Cost{F: uint64(rows * cols)}).F
		ok = Finished(func() { BitsExpand(&c, f, a) })
		charged(t, "BitsExpand", &c, BitsDenseCost(rows, cols), ok)
		equalFloats(t, "BitsExpand", f, dense)

		got = dirtyBits(rows, cols)
		ok = Finished(func() { BitsPack(&c, got, dense) })
		charged(t, "BitsPack", &c, BitsDenseCost(rows, cols), ok)
		equalBits(t, "BitsPack", got, x)

		n, ok := ended(func() uint64 { return PopAll(&c, a) })
		charged(t, "PopAll", &c, bitsCost(rows, cols), ok)
		if float64(n) != all {
			t.Errorf("PopAll: %d, want %g", n, all)
		}
		f = garbage(Cost{F: uint64(rows)}).F
		ok = Finished(func() { PopRows(&c, f, a) })
		charged(t, "PopRows", &c, bitsCost(rows, cols), ok)
		equalFloats(t, "PopRows", f, perRow)
		f = garbage(Cost{F: uint64(cols)}).F
		ok = Finished(func() { PopCols(&c, f, a) })
		charged(t, "PopCols", &c, PopColsCost(rows, cols), ok)
		equalFloats(t, "PopCols", f, perCol)
	})
}

func TestPopColsManyRows(t *testing.T) {
	// More rows than the bit-sliced counters hold.
	const rows = 150001
	a := tensor.NewBits(rows, 3)
	for i := range rows {
		a.Set(i, 0)
		if i%3 == 0 {
			a.Set(i, 2)
		}
	}
	var c Ctl
	got := make([]float64, 3)
	ok := Finished(func() { PopCols(&c, got, a) })
	charged(t, "PopCols", &c, PopColsCost(rows, 3), ok)
	equalFloats(t, "PopCols", got, []float64{rows, 0, (rows + 2) / 3})
}

func TestBitsPackSpecial(t *testing.T) {
	got := tensor.NewBits(1, 5)
	var c Ctl
	BitsPack(&c, got, []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1), 1e-300, 0})
	if got.W[0] != 0b01110 {
		t.Errorf("%05b", got.W[0])
	}
}

// TestCountPlanes compares the product by counters with that of pairs of rows, on all tiers.
func TestCountPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, shape := range [][3]int{{256, 512, 256}, {300, 700, 601}, {270, 1301, 1030}, {3, 2, 5}} {
		rows, inner, cols := shape[0], shape[1], shape[2]
		for _, p := range []float64{0, .01, .2, 1} {
			a := packMatrix(randomMatrix(r, rows, inner, p), rows, inner)
			bT := packMatrix(randomMatrix(r, cols, inner, .3), cols, inner)
			want, got := make([]float64, rows*cols), make([]float64, rows*cols)
			countRows(&Ctl{}, want, a, bT, 0, rows)
			for _, tier := range simd.Tiers() {
				for _, workers := range []int{1, 3} {
					room := Cost{W: planeWords(inner, cols), I: planeInts(inner) * uint64(workers)}
					cost := CountProductCost(rows, inner, cols, workers)
					c := &Ctl{Tier: tier, Workers: workers}
					ok := Finished(func() { countPlanes(c, got, a, bT, garbage(room)) })
					if c.Ops != cost.Ops {
						t.Errorf("%v: %d operations, not %d", shape, c.Ops, cost.Ops)
					}
					charged(t, "countPlanes", c, cost, ok)
					equalFloats(t, "countPlanes", got, want)
					clear(got)
					CountProduct(c, got, a, bT, garbage(cost))
					equalFloats(t, "CountProduct", got, want)
				}
			}
		}
	}
}

func TestProducts(t *testing.T) {
	eachShape(t, 300, func(t *testing.T, r *rand.Rand, rows, inner, cols int, p float64) {
		x, y := randomMatrix(r, rows, inner, p), randomMatrix(r, inner, cols, []float64{.05, .5}[r.IntN(2)])
		a, b := packMatrix(x, rows, inner), packMatrix(y, inner, cols)
		bT := tensor.NewBits(cols, inner)
		var c Ctl
		BitsTranspose(&c, bT, b)
		c.Ops = 0
		counts := make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				for k := range inner {
					counts[i*cols+j] += number(x[i][k]) * number(y[k][j])
				}
			}
		}
		f := garbage(Cost{F: uint64(rows * cols)}).F
		ok := Finished(func() { CountProduct(&c, f, a, bT, Scratch{}) })
		charged(t, "CountProduct", &c, CountProductCost(rows, inner, cols, 1), ok)
		equalFloats(t, "CountProduct", f, counts)

		want := emptyMatrix(rows, cols)
		if inner > 0 {
			want = NaiveBoolProduct(x, y)
		}
		got := dirtyBits(rows, cols)
		cost := BoolProductCost(rows, inner, cols, 1)
		ok = Finished(func() { BoolProduct(&c, got, a, b, garbage(cost)) })
		charged(t, "BoolProduct", &c, cost, ok)
		equalBits(t, "BoolProduct", got, want)

		v := make([]bool, inner)
		common, any := make([]float64, rows), make([]bool, rows)
		for k := range v {
			v[k] = r.IntN(4) == 0
			for i := range rows {
				common[i] += number(x[i][k] && v[k])
				any[i] = any[i] || x[i][k] && v[k]
			}
		}
		f = garbage(Cost{F: uint64(rows)}).F
		ok = Finished(func() { CountMatVec(&c, f, a, packVector(v)) })
		charged(t, "CountMatVec", &c, bitsCost(rows, inner), ok)
		equalFloats(t, "CountMatVec", f, common)
		w := dirtyBits(1, rows).W
		ok = Finished(func() { BoolMatVec(&c, w, a, packVector(v)) })
		charged(t, "BoolMatVec", &c, bitsCost(rows, inner), ok)
		if !slices.Equal(w, packVector(any)) {
			t.Errorf("BoolMatVec is wrong")
		}
	})
}

func TestBoolProductTables(t *testing.T) {
	// Large and dense enough for tables, with a last block that is not whole.
	r := rand.New(rand.NewPCG(23, 24))
	const rows, inner, cols = 1500, 300, 530
	x, y := randomMatrix(r, rows, inner, .5), randomMatrix(r, inner, cols, .01)
	a, b := packMatrix(x, rows, inner), packMatrix(y, inner, cols)
	if m4rOps(rows, inner, cols) > rows*inner/2*uint64(b.Stride) {
		t.Fatal("too small for tables")
	}
	if m4rOps(rows, inner, cols) < ParallelOps {
		t.Fatal("too small for goroutines")
	}
	want := NaiveBoolProduct(x, y)
	for _, workers := range []int{1, 2} {
		c := Ctl{Workers: workers}
		got := dirtyBits(rows, cols)
		cost := BoolProductCost(rows, inner, cols, workers)
		ok := Finished(func() { BoolProduct(&c, got, a, b, garbage(cost)) })
		charged(t, "BoolProduct", &c, cost, ok)
		equalBits(t, "BoolProduct", got, want)
	}
}

func TestTripleTraceShapes(t *testing.T) {
	eachShape(t, 200, func(t *testing.T, r *rand.Rand, n, m, k int, p float64) {
		x, y, z := randomMatrix(r, n, m, p), randomMatrix(r, m, k, .3), randomMatrix(r, n, k, .3) // z is Cᵀ
		want := uint64(0)
		for i := range n {
			for j := range m {
				for l := range k {
					if x[i][j] && y[j][l] && z[i][l] {
						want++
					}
				}
			}
		}
		var c Ctl
		got, ok := ended(func() uint64 { return TripleTrace(&c, packMatrix(x, n, m), packMatrix(y, m, k), packMatrix(z, n, k)) })
		charged(t, "TripleTrace", &c, TripleTraceCost(n, m, k), ok)
		if got != want {
			t.Errorf("TripleTrace: %d, want %d", got, want)
		}
	})
}

// bitsCost bounds the kernels that read a bit matrix of that shape once:
// BitsNot, PopAll, PopRows, CountMatVec and BoolMatVec.
func bitsCost(rows, cols int) Cost {
	return Cost{Ops: satMul(uint64(rows), uint64(tensor.Words(cols)+1))}
}

// TestForkPanics: a host can recover from the panic of a worker, which else ends its process.
func TestForkPanics(t *testing.T) {
	defer func() {
		if r := recover(); !strings.HasPrefix(fmt.Sprint(r), "wrong\n") {
			t.Errorf("the panic is %v", r)
		}
	}()
	began := make(chan bool)
	forkRange(&Ctl{Workers: 2}, 100, func(_ *Ctl, worker, _, _ int) {
		if worker == 0 {
			<-began
			return
		}
		defer close(began)
		panic("wrong")
	})
}
