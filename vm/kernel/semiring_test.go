package kernel

import (
	"ein/vm/op"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func checkSemiring(t *testing.T, s op.Spec, fn op.Fn, fold op.Fold, a, b []float64) {
	t.Helper()
	p, err := PlanSemiring(s, fn, fold)
	if err != nil {
		if s.Empty() && fold != op.FoldSum && s.Elems(s.Out) > 0 {
			return
		}
		t.Fatalf("%v: %v", s, err)
	}
	want := NaiveSemiring(s, fn, fold, a, b)
	got, c := denseGarbage(len(want)), Ctl{}
	if !Finished(func() { p.Run(&c, got, a, b, Scratch{F: denseGarbage(int(p.Cost().F))}) }) {
		t.Fatalf("%v: stopped", s)
	}
	if !denseSame(got, want) {
		t.Fatalf("%v %v %v\n a %v\n b %v\n got %v\nwant %v", s, fn, fold, a, b, got, want)
	}
	checkCost(t, s, c, p.Cost())
}

var semiringFns = []op.Fn{op.FnAdd, op.FnSub, op.FnMul, op.FnMax, op.FnMin, op.FnDiv, op.FnLt}

func TestSemiringRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 5000 {
		s := randomSpec(r, 2, 4, 5, 3000)
		ops := specOperands(r, s)
		fn, fold := semiringFns[r.IntN(5)], op.Fold(r.IntN(3))
		checkSemiring(t, s, fn, fold, ops[0], ops[1])
	}
}

// Every orientation of a matrix product, with infinities and NaNs.
func TestSemiringMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	quick := 0
	for range 3000 {
		s := classSpec(r, []int{1 + r.IntN(9), 1 + r.IntN(9), 1 + r.IntN(9)}, []int{3, 5, 6})
		ops := specOperands(r, s)
		if r.IntN(2) == 0 {
			which := r.IntN(3)
			for range 1 + r.IntN(3) {
				op := ops[r.IntN(2)]
				op[r.IntN(len(op))] = bad[which]
				if r.IntN(3) == 0 {
					which = r.IntN(3)
				}
			}
		}
		fn, fold := semiringFns[r.IntN(len(semiringFns))], op.FoldMax+op.Fold(r.IntN(2))
		checkSemiring(t, s, fn, fold, ops[0], ops[1])
		if p, _ := PlanSemiring(s, fn, fold); p.mat.m > 0 {
			quick++
		}
	}
	if quick < 500 {
		t.Errorf("the matrix loops ran %d times", quick)
	}
}

func TestSemiringErrors(t *testing.T) {
	if _, err := PlanSemiring(sized(specNN, 2, 0, 2), op.FnAdd, op.FoldMin); err == nil {
		t.Error("the minimum of nothing is accepted")
	}
	if _, err := PlanSemiring(sized(specNN, 0, 0, 2), op.FnAdd, op.FoldMin); err != nil {
		t.Error("no minima of nothing:", err)
	}
	if _, err := PlanSemiring(sized(specNN, 2, 2, 2), op.FnNeg, op.FoldMin); err == nil {
		t.Error("a function of one argument is accepted")
	}
	if _, err := PlanSemiring(sized(specNN, 2, 2, 2), op.FnAdd, op.FoldArgMax); err == nil {
		t.Error("argmax is accepted")
	}
}

func TestSemiringCancelAllocs(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(35, 36))
	a, dst := denseRand(r, n*n), make([]float64, n*n)
	for _, fn := range []op.Fn{op.FnAdd, op.FnSub} {
		p, err := PlanSemiring(sized(specNN, n, n, n), fn, op.FoldMin)
		if err != nil {
			t.Fatal(err)
		}
		s, c := Scratch{F: make([]float64, p.Cost().F)}, denseStopped()
		if Finished(func() { p.Run(c, dst, a, a, s) }) || c.Ops > 3*PollOps {
			t.Errorf("%v ran on for %d operations", fn, c.Ops)
		}
		p, _ = PlanSemiring(sized(specNN, 6, 6, 6), fn, op.FoldMin)
		ctl := new(Ctl) // large runs hand it to goroutines, so it lives on the heap
		if allocs := testing.AllocsPerRun(10, func() { p.Run(ctl, dst, a, a, s) }); allocs > 0 {
			t.Errorf("%v: %v allocations", fn, allocs)
		}
	}
}

func BenchmarkSemiring(b *testing.B) {
	for _, x := range []struct {
		fn   op.Fn
		fold op.Fold
	}{{op.FnAdd, op.FoldMin}, {op.FnAdd, op.FoldMax}, {op.FnMul, op.FoldMax}, {op.FnMax, op.FoldMin}, {op.FnMin, op.FoldMax}, {op.FnSub, op.FoldMin}} {
		for _, n := range []int{6, 200} {
			b.Run(fmt.Sprintf("%v-%v/%d", x.fold, x.fn, n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				p, err := PlanSemiring(sized(specNN, n, n, n), x.fn, x.fold)
				if err != nil {
					b.Fatal(err)
				}
				y, z := make([]float64, n*n), make([]float64, n*n)
				for i := range y {
					y[i], z[i] = r.Float64(), r.Float64()
				}
				dst, s, c := make([]float64, n*n), Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
				b.ReportAllocs()
				for b.Loop() {
					p.Run(c, dst, y, z, s)
				}
			})
		}
	}
}
