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
