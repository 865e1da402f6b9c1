package code

import (
	"math"
	"math/rand/v2"
	"testing"

	"ein/vm/tensor"
)

// TestCheckRange holds the check of an input's numbers against its definition.
func TestCheckRange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := []float64{-1, -128, 127, 128, 255, 256, -0.5, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}
	refused := 0
	for range 4000 {
		in := Input{Bytes: []int{0, 1, 2}[r.IntN(3)], NonNeg: r.IntN(2) == 0}
		v := tensor.Value{F: make([]float64, r.IntN(200))}
		for i := range v.F {
			v.F[i] = float64(r.IntN(100))
		}
		if len(v.F) > 0 && r.IntN(2) == 0 {
			v.F[r.IntN(len(v.F))] = odd[r.IntN(len(odd))]
		}
		want := false
		for _, x := range v.F {
			want = want || in.Bytes > 0 && math.Abs(x) > tensor.MaxOf(in.Bytes) || in.NonNeg && x < 0
		}
		if err := in.CheckRange(&v, nil); (err != nil) != want {
			t.Fatalf("%+v of %v: %v", in, v.F, err)
		}
		if want {
			refused++
		}
	}
	if refused < 500 {
		t.Errorf("only %d were outside", refused)
	}
}

// TestWhole holds the quick check for whole numbers against its definition.
func TestWhole(t *testing.T) {
	odd := []float64{-1, 0.5, math.Copysign(0, -1), 1 << 53, -(1 << 53), 1<<53 - 1, 1 - 1<<53, 1 << 63, -(1 << 63), 1e300, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	for _, x := range odd {
		for _, n := range []int{1, 3, 40, 100} {
			data := make([]float64, n)
			data[n/2] = x
			want := x == math.Trunc(x) && math.Abs(x) < tensor.MaxInt
			if whole(data) != want || (checkElements(data, tensor.Int, nil) == nil) != want {
				t.Errorf("%v among %d: %t, %v", x, n, whole(data), checkElements(data, tensor.Int, nil))
			}
			if err := checkElements(data, tensor.Bool, nil); (err == nil) != (x == 0) {
				t.Errorf("%v as a bit: %v", x, err)
			}
		}
	}
}

// TestIncreasing holds the quick check of lists of edges against its definition.
func TestIncreasing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bad := 0
	for range 20000 {
		n := 1 + r.IntN(6)
		c := tensor.CSR{Rows: n, Cols: 1 + r.IntN(9), Ptr: []int32{0}}
		for range n {
			for j := range c.Cols {
				if r.IntN(3) == 0 {
					c.Idx = append(c.Idx, int32(j))
				}
			}
			c.Ptr = append(c.Ptr, int32(len(c.Idx)))
		}
		for range r.IntN(3) {
			if len(c.Idx) > 0 {
				c.Idx[r.IntN(len(c.Idx))] = []int32{0, -1, int32(c.Cols), int32(c.Cols - 1), math.MaxInt32, math.MinInt32, int32(r.IntN(c.Cols))}[r.IntN(7)]
			}
		}
		at := r.IntN(n)
		end := at + 1 + r.IntN(n-at)
		err := increasingRows(&c, at, end)
		if increasing(&c, at, end) != (err == nil) {
			t.Fatalf("rows %d to %d of %+v: %v", at, end, c, err)
		}
		if err != nil {
			bad++
		}
	}
	if bad < 2000 {
		t.Errorf("only %d were wrong", bad)
	}
}
