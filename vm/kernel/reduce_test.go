package kernel

import (
	"ein/vm/op"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestReduceRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 6000 {
		shape := make([]int, 1+r.IntN(5))
		for i := range shape {
			shape[i] = r.IntN(6)
		}
		if r.IntN(20) == 0 { // eight rows are added up at a time
			shape = []int{r.IntN(3), r.IntN(30), r.IntN(50)}
		}
		fold := op.Fold(r.IntN(5))
		axes := r.Perm(len(shape))[:r.IntN(len(shape)+1)]
		if fold >= op.FoldArgMax {
			axes = []int{r.IntN(len(shape))}
		}
		a := denseRand(r, int(dimsProduct(shape)))
		if fold != op.FoldSum && len(a) > 0 && r.IntN(3) == 0 {
			a[r.IntN(len(a))] = math.NaN()
			a[r.IntN(len(a))] = math.Inf(1 - 2*r.IntN(2))
		}
		p, err := PlanReduce(fold, shape, axes)
		if err != nil {
			if len(a) == 0 && fold != op.FoldSum {
				continue
			}
			t.Fatal(shape, axes, err)
		}
		want := NaiveReduce(fold, shape, axes, a)
		got, c := denseGarbage(len(want)), Ctl{}
		if !Finished(func() { p.Run(&c, got, a, Scratch{F: denseGarbage(int(p.Cost().F))}) }) || !denseSame(got, want) {
			t.Fatalf("%v of %v over %v\n   a %v\n got %v\nwant %v", fold, shape, axes, a, got, want)
		}
		checkCost(t, shape, c, p.Cost())
	}
}

func TestReduceErrors(t *testing.T) {
	for fold := op.FoldMax; fold <= op.FoldArgMin; fold++ {
		if _, err := PlanReduce(fold, []int{3, 0}, []int{1}); err == nil {
			t.Errorf("%v of nothing is accepted", fold)
		}
		if _, err := PlanReduce(fold, []int{0, 3}, []int{1}); err != nil {
			t.Errorf("no %v at all: %v", fold, err)
		}
	}
	if _, err := PlanReduce(op.FoldArgMax, []int{3, 3}, []int{0, 1}); err == nil {
		t.Error("argmax over two axes is accepted")
	}
}

func TestReduceCancelAllocs(t *testing.T) {
	a, dst := make([]float64, 4*PollOps), make([]float64, 1<<10)
	scratch := Scratch{F: make([]float64, 1<<10)}
	shape := []int{1 << 10, 1 << 10}
	for fold := op.FoldSum; fold <= op.FoldArgMin; fold++ {
		for axis := range shape {
			p, err := PlanReduce(fold, shape, []int{axis})
			if err != nil {
				t.Fatal(err)
			}
			if c := denseStopped(); Finished(func() { p.Run(c, dst, a, scratch) }) || c.Ops > 2*PollOps {
				t.Errorf("%v ran on for %d operations", fold, c.Ops)
			}
			small, _ := PlanReduce(fold, []int{9, 9}, []int{axis})
			c := &Ctl{}
			if n := testing.AllocsPerRun(5, func() { small.Run(c, dst, a, scratch) }); n != 0 {
				t.Errorf("%v: %v allocations", fold, n)
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	shape := []int{3, 7, 11}
	a := make([]float64, 3*7*11)
	for i := range a {
		a[i] = 2000 * (r.Float64() - 0.5)
	}
	for axis, stride := range []int{77, 11, 1} {
		got, c := denseGarbage(len(a)), Ctl{}
		if !Finished(func() { Softmax(&c, got, a, shape, axis) }) {
			t.Fatal("stopped")
		}
		checkCost(t, shape, c, SoftmaxCost(shape))
		for i := range a {
			first := i - i/stride%shape[axis]*stride
			top, sum := math.Inf(-1), 0.0
			for j := range shape[axis] {
				top = math.Max(top, a[first+j*stride])
			}
			for j := range shape[axis] {
				sum += math.Exp(a[first+j*stride] - top)
			}
			if want := math.Exp(a[i]-top) / sum; math.Abs(got[i]-want) > 1e-15 {
				t.Fatalf("axis %d element %d: %v, want %v", axis, i, got[i], want)
			}
		}
		same := append([]float64(nil), a...)
		Softmax(&c, same, same, shape, axis)
		if !denseSame(same, got) {
			t.Errorf("axis %d: another result in place", axis)
		}
		if n := testing.AllocsPerRun(5, func() { Softmax(&c, got, a, shape, axis) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
	big := make([]float64, 2*PollOps)
	if Finished(func() { Softmax(denseStopped(), big, big, []int{len(big)}, 0) }) {
		t.Error("not stopped")
	}
	if !Finished(func() { Softmax(&Ctl{}, nil, nil, []int{3, 0}, 1) }) {
		t.Error("stopped on nothing")
	}
}

func BenchmarkReduce(b *testing.B) {
	const n = 1000
	a, dst := denseRand(rand.New(rand.NewPCG(1, 1)), n*n), make([]float64, n*n)
	for fold := op.FoldMax; fold <= op.FoldArgMin; fold++ {
		for axis := range 2 {
			b.Run(fmt.Sprintf("%v/axis%d/1000", fold, axis), func(b *testing.B) {
				p, err := PlanReduce(fold, []int{n, n}, []int{axis})
				if err != nil {
					b.Fatal(err)
				}
				s, c := Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
				for b.Loop() {
					p.Run(c, dst, a, s)
				}
			})
		}
	}
	for axis := range 2 {
		b.Run(fmt.Sprintf("softmax/axis%d/1000", axis), func(b *testing.B) {
			for b.Loop() {
				Softmax(&Ctl{}, dst, a, []int{n, n}, axis)
			}
		})
	}
}
