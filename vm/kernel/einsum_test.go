package kernel

import (
	"ein/vm/op"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// denseRand gives integers in -4..4, whose sums of products are exact.
func denseRand(r *rand.Rand, n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = float64(r.IntN(9) - 4)
	}
	return a
}

// denseGarbage is memory as a kernel may find it.
func denseGarbage(n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = math.NaN()
	}
	return a
}

func denseSame(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// randomSpec makes a spec of any pattern with at most limit points.
func randomSpec(r *rand.Rand, operands, maxRank, maxSize, limit int) op.Spec {
	for {
		s := op.Spec{Size: make([]int, 1+r.IntN(6))}
		for i := range s.Size {
			if s.Size[i] = 1 + r.IntN(maxSize); r.IntN(40) == 0 {
				s.Size[i] = 0
			}
		}
		ids := func() []uint8 {
			v := make([]uint8, r.IntN(maxRank+1))
			for i := range v {
				v[i] = uint8(r.IntN(len(s.Size)))
			}
			return v
		}
		for range operands {
			s.In = append(s.In, ids())
		}
		s.Out = ids()
		if points(s) <= limit {
			return s
		}
	}
}

// productSpec makes a matrix-like spec in which no index repeats, so that every
// class has something in it.
func productSpec(r *rand.Rand, maxSize int) op.Spec {
	var size, class []int
	for range 1 + r.IntN(6) {
		size = append(size, 1+r.IntN(maxSize))
		class = append(class, 1+r.IntN(7))
	}
	return classSpec(r, size, class)
}

// matrixSpec makes a matrix product large enough for BLAS, with one more small
// index anywhere.
func matrixSpec(r *rand.Rand) op.Spec {
	big := func() int { return 25 + r.IntN(30) }
	return classSpec(r, []int{big(), big(), big(), 1 + r.IntN(3)}, []int{3, 5, 6, 1 + r.IntN(7)})
}

// classSpec gives each index to the tensors whose bits are in its class (1 and
// 2 the operands, 4 the result), in random order.
func classSpec(r *rand.Rand, size, classes []int) op.Spec {
	s := op.Spec{In: make([][]uint8, 2), Size: size}
	for i, class := range classes {
		id := uint8(i)
		for k := range s.In {
			if class>>k&1 != 0 {
				s.In[k] = append(s.In[k], id)
			}
		}
		if class&4 != 0 {
			s.Out = append(s.Out, id)
		}
	}
	for _, v := range append(s.In, s.Out) {
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	}
	return s
}

// points bounds the work of the naive einsum.
func points(s op.Spec) int {
	n := 1
	for _, d := range s.Size {
		n *= max(d, 1)
	}
	n = max(n, int(s.Elems(s.Out)))
	for _, ids := range s.In {
		n = max(n, int(s.Elems(ids)))
	}
	return n
}

func specOperands(r *rand.Rand, s op.Spec) [][]float64 {
	var ops [][]float64
	for _, ids := range s.In {
		ops = append(ops, denseRand(r, int(s.Elems(ids))))
	}
	return ops
}

// checkCost fails unless a kernel did exactly the work that its cost says.
func checkCost(t *testing.T, what any, c Ctl, cost Cost) {
	t.Helper()
	if c.Ops != cost.Ops {
		t.Fatalf("%v: %d operations, cost says %d", what, c.Ops, cost.Ops)
	}
}

func checkUnary(t *testing.T, s op.Spec, a []float64) {
	t.Helper()
	p := PlanUnary(s)
	want := NaiveEinsum(s, a)
	got := denseGarbage(len(want))
	var c Ctl
	if !Finished(func() { p.Run(&c, got, a, Scratch{F: denseGarbage(int(p.Cost().F))}) }) {
		t.Fatalf("%v: stopped", s)
	}
	if !denseSame(got, want) {
		t.Fatalf("%v\n got %v\nwant %v", s, got, want)
	}
	checkCost(t, s, c, p.Cost())
}

func checkPair(t *testing.T, s op.Spec, a, b []float64, workers int) {
	t.Helper()
	p := PlanPair(s)
	want := NaiveEinsum(s, a, b)
	got := denseGarbage(len(want))
	c := Ctl{Workers: workers}
	if !Finished(func() { p.Run(&c, got, a, b, Scratch{F: denseGarbage(int(p.Cost().F))}) }) {
		t.Fatalf("%v: stopped", s)
	}
	if !denseSame(got, want) {
		t.Fatalf("%v by %s\n got %v\nwant %v", s, p.Kernel(), got, want)
	}
	checkCost(t, s, c, p.Cost())
}

func TestUnaryRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		s := randomSpec(r, 1, 4, 5, 4000)
		checkUnary(t, s, specOperands(r, s)[0])
	}
	for range 500 {
		s := randomSpec(r, 1, 8, 2, 4000)
		checkUnary(t, s, specOperands(r, s)[0])
	}
}

func TestUnaryLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range []op.Spec{
		{In: [][]uint8{{0, 1}}, Out: []uint8{1, 0}, Size: []int{131, 77}},
		{In: [][]uint8{{0, 1}}, Out: []uint8{0}, Size: []int{131, 77}},
		{In: [][]uint8{{0, 1}}, Out: []uint8{1}, Size: []int{131, 77}},
		{In: [][]uint8{{0, 1, 2}}, Out: []uint8{2, 0, 1}, Size: []int{31, 17, 40}},
		{In: [][]uint8{{0, 1, 2}}, Out: []uint8{2, 1, 0}, Size: []int{31, 17, 40}},
		{In: [][]uint8{{0, 0}}, Out: []uint8{0, 0}, Size: []int{200}},
		{In: [][]uint8{{0}}, Out: nil, Size: []int{PollOps*2 + 5}},
		{In: [][]uint8{{0}}, Out: []uint8{0}, Size: []int{PollOps*2 + 5}},
		{In: [][]uint8{nil}, Out: []uint8{0}, Size: []int{PollOps*2 + 5}},
		{In: [][]uint8{{0, 1}}, Out: []uint8{1}, Size: []int{2, PollOps + 5}},
		{In: [][]uint8{{1, 0}}, Out: []uint8{1}, Size: []int{PollOps + 5, 2}},
	} {
		checkUnary(t, s, specOperands(r, s)[0])
	}
}

func TestPairRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 12000 {
		s := randomSpec(r, 2, 4, 5, 4000)
		ops := specOperands(r, s)
		checkPair(t, s, ops[0], ops[1], 0)
	}
	for range 500 {
		s := randomSpec(r, 2, 8, 2, 4000)
		ops := specOperands(r, s)
		checkPair(t, s, ops[0], ops[1], 0)
	}
}

func TestPairProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[pairKind]int{}
	copied := 0
	for i := range 3000 {
		s := productSpec(r, 5+r.IntN(60))
		if i%20 == 0 {
			s = matrixSpec(r)
		}
		if points(s) > 300_000 {
			continue
		}
		ops := specOperands(r, s)
		p := PlanPair(s)
		seen[p.kind]++
		if p.pre[0] != nil || p.pre[1] != nil || p.post != nil {
			copied++
		}
		checkPair(t, s, ops[0], ops[1], 0)
	}
	for kind := pairNest; kind <= pairGemm; kind++ {
		if seen[kind] < 10 {
			t.Errorf("kernel %d ran %d times; the test does not cover it", kind, seen[kind])
		}
	}
	if copied < 10 {
		t.Errorf("%d plans with copies; the test does not cover them", copied)
	}
}

var (
	specNN  = op.Spec{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2}}
	specGer = op.Spec{In: [][]uint8{{0}, {1}}, Out: []uint8{0, 1}}
	specDot = op.Spec{In: [][]uint8{{0, 1}, {0, 1}}}
	specMV  = op.Spec{In: [][]uint8{{0, 1}, {1}}, Out: []uint8{0}}
	specVM  = op.Spec{In: [][]uint8{{0}, {0, 1}}, Out: []uint8{1}}
)

func sized(s op.Spec, size ...int) op.Spec {
	s.Size = size
	return s
}

func TestPairLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	batch := op.Spec{In: [][]uint8{{3, 0, 1}, {3, 1, 2}}, Out: []uint8{3, 0, 2}}
	for _, s := range []op.Spec{
		sized(specNN, 130, 300, 210),
		sized(specNN, 210, 70, 30),
		{In: [][]uint8{{0, 1}, {2, 1}}, Out: []uint8{0, 2}, Size: []int{90, 70, 110}},
		{In: [][]uint8{{1, 0}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{90, 70, 110}},
		{In: [][]uint8{{1, 0}, {2, 1}}, Out: []uint8{0, 2}, Size: []int{90, 70, 110}},
		{In: [][]uint8{{1, 0}, {2, 1}}, Out: []uint8{2, 0}, Size: []int{90, 70, 110}},
		{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{2, 0}, Size: []int{90, 70, 110}},
		sized(batch, 30, 31, 32, 5),
		sized(specGer, 300, 200), sized(specDot, 300, 200),
		sized(specMV, 300, 1200), sized(specVM, 1200, 300),
		sized(specMV, 3, PollOps), sized(specVM, 3, PollOps), sized(specVM, PollOps, 3),
		sized(specDot, 2, PollOps),
		{In: [][]uint8{{0, 0, 1}, {1, 2, 2}}, Out: []uint8{0, 2}, Size: []int{40, 50, 30}},
		{In: [][]uint8{{0, 1}, {1, 2}}, Out: []uint8{0, 2, 0}, Size: []int{30, 50, 30}},
		{In: [][]uint8{{0, 1, 3}, {1, 2}}, Out: []uint8{0, 2, 4}, Size: []int{30, 50, 30, 5, 3}},
	} {
		ops := specOperands(r, s)
		for _, workers := range []int{0, 2} {
			checkPair(t, s, ops[0], ops[1], workers)
		}
	}
}

// Non-finite values must come out as the definition has it, whichever kernel
// runs; gonum's Dgemm would lose the NaN of 0*Inf.
func TestPairNonFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for i := range 1500 {
		s := productSpec(r, 40)
		if i%20 == 0 {
			s = matrixSpec(r)
		}
		if points(s) > 200_000 || presums(s) {
			continue
		}
		ops := specOperands(r, s)
		op := ops[r.IntN(2)]
		op[r.IntN(len(op))] = bad[r.IntN(3)]
		checkPair(t, s, ops[0], ops[1], 0)
	}
	s := sized(specNN, 64, 64, 64)
	for k := range 2 {
		ops := specOperands(r, s)
		ops[k][100] = math.Inf(1)
		checkPair(t, s, ops[0], ops[1], 0)
	}
}

// presums reports whether an index of one operand only is summed: there the
// plan adds first and multiplies after, which for infinities is another result.
func presums(s op.Spec) bool {
	for id := range s.Size {
		x := uint8(id)
		if !slices.Contains(s.Out, x) && slices.Contains(s.In[0], x) != slices.Contains(s.In[1], x) {
			return true
		}
	}
	return false
}

// The number of workers must not change a bit of the result.
func TestPairWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 12 {
		s := classSpec(r, []int{100 + r.IntN(200), 100 + r.IntN(200), 100 + r.IntN(200)}, []int{3, 5, 6})
		ops := specOperands(r, s)
		for _, op := range ops {
			for i := range op {
				op[i] = r.NormFloat64()
			}
		}
		p := PlanPair(s)
		n, scratch := int(s.Elems(s.Out)), Scratch{F: make([]float64, p.Cost().F)}
		one, two := make([]float64, n), make([]float64, n)
		p.Run(&Ctl{Workers: 1}, one, ops[0], ops[1], scratch)
		p.Run(&Ctl{Workers: 2}, two, ops[0], ops[1], scratch)
		if !slices.Equal(one, two) {
			t.Errorf("%v: another result with two workers", s)
		}
	}
}

func TestPairKernel(t *testing.T) {
	for _, x := range []struct {
		s    op.Spec
		want string
	}{
		{sized(specNN, 100, 200, 50), "GEMM 100x200x50"},
		{sized(specNN, 3, 3, 3), "loops 3x3x3"},
		{sized(specMV, 100, 200), "GEMV 100x200"},
		{sized(specVM, 100, 200), "GEMV 200x100"},
		{sized(specDot, 10, 20), "DOT 200"},
		{sized(specGer, 10, 20), "GER 10x20"},
		{sized(specNN, 0, 2, 2), "zeros"},
		{op.Spec{In: [][]uint8{{3, 0, 1}, {3, 1, 2}}, Out: []uint8{3, 0, 2}, Size: []int{64, 64, 64, 8}}, "batched GEMM 8 x 64x64x64"},
		{op.Spec{In: [][]uint8{{0, 1}, {0, 1}}, Out: []uint8{0}, Size: []int{5, 40}}, "batched DOT 5 x 40"},
		{op.Spec{In: [][]uint8{{0, 1}, {1, 0}}, Out: []uint8{0, 1}, Size: []int{5, 40}}, "loops"},
	} {
		p := PlanPair(x.s)
		if p.Kernel() != x.want {
			t.Errorf("%v: %s, want %s", x.s, p.Kernel(), x.want)
		}
	}
	// Matrix products copy nothing unless both operands are transposed.
	for _, s := range []op.Spec{
		sized(specNN, 80, 81, 82),
		{In: [][]uint8{{0, 1}, {2, 1}}, Out: []uint8{0, 2}, Size: []int{80, 81, 82}},
		{In: [][]uint8{{1, 0}, {1, 2}}, Out: []uint8{0, 2}, Size: []int{80, 81, 82}},
		{In: [][]uint8{{1, 0}, {2, 1}}, Out: []uint8{2, 0}, Size: []int{80, 81, 82}},
		{In: [][]uint8{{0, 3, 1}, {1, 2}}, Out: []uint8{0, 3, 2}, Size: []int{80, 81, 82, 3}},
	} {
		p := PlanPair(s)
		if p.kind != pairGemm || p.cost.F != 0 {
			t.Errorf("%v: %s with %d words of scratch", s, p.Kernel(), p.cost.F)
		}
	}
}

func TestPairHugeSizesPlan(t *testing.T) {
	n := 1 << 30
	p := PlanPair(sized(specNN, n, n, n))
	if p.Cost().Ops != math.MaxUint64 {
		t.Errorf("cost %d does not saturate", p.Cost().Ops)
	}
	s := op.Spec{In: [][]uint8{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}}, Out: []uint8{8, 1, 3, 3},
		Size: []int{n, n, n, n, n, n, n, n, n}}
	if p := PlanPair(s); p.Cost().Ops != math.MaxUint64 {
		t.Errorf("cost %d does not saturate", p.Cost().Ops)
	}
}

// denseStopped is a Ctl whose run is cancelled already.
func denseStopped() *Ctl {
	done := make(chan struct{})
	close(done)
	return &Ctl{Done: done}
}

func TestEinsumCancel(t *testing.T) {
	big := max(4*PollOps, 1<<20)
	vec := make([]float64, big)
	for _, s := range []op.Spec{
		{In: [][]uint8{{0}}, Size: []int{big}},
		{In: [][]uint8{{0}}, Out: []uint8{0}, Size: []int{big}},
		{In: [][]uint8{{0, 1}}, Out: []uint8{1, 0}, Size: []int{1 << 10, 1 << 10}},
		{In: [][]uint8{{0, 1}}, Out: []uint8{1}, Size: []int{1 << 10, 1 << 10}},
	} {
		c := denseStopped()
		if Finished(func() { PlanUnary(s).Run(c, make([]float64, big), vec, Scratch{}) }) || c.Ops > 2*PollOps {
			t.Errorf("%v ran on for %d operations", s, c.Ops)
		}
	}
	for _, s := range []op.Spec{
		sized(specNN, 1024, 1024, 1024), sized(specMV, 1024, 1024), sized(specVM, 1024, 1024),
		sized(specDot, 1024, 1024), sized(specGer, 1024, 1024),
	} {
		p, c := PlanPair(s), denseStopped()
		if Finished(func() { p.Run(c, make([]float64, big), vec, vec, Scratch{F: make([]float64, p.Cost().F)}) }) || c.Ops > gemmMost {
			t.Errorf("%v ran on for %d operations", s, c.Ops)
		}
	}
}

func TestEinsumAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		s := productSpec(r, 8)
		ops := specOperands(r, s)
		p := PlanPair(s)
		out, scratch, c := make([]float64, s.Elems(s.Out)), Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
		if n := testing.AllocsPerRun(5, func() { p.Run(c, out, ops[0], ops[1], scratch) }); n != 0 {
			t.Fatalf("%v: %v allocations", s, n)
		}
	}
	s := sized(specNN, 150, 150, 150)
	ops := specOperands(r, s)
	p, out, c := PlanPair(s), make([]float64, 150*150), &Ctl{Workers: 1}
	if n := testing.AllocsPerRun(2, func() { p.Run(c, out, ops[0], ops[1], Scratch{}) }); n != 0 {
		t.Fatalf("serial GEMM: %v allocations", n)
	}
}

// decodeSpec reads a spec of two operands from fuzz input: any bytes are one.
func decodeSpec(data []byte) op.Spec {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		x := data[0]
		data = data[1:]
		return int(x)
	}
	s := op.Spec{Size: make([]int, 1+next()%9)}
	for i := range s.Size {
		s.Size[i] = next() % 40
	}
	ids := func() []uint8 {
		v := make([]uint8, next()%9)
		for i := range v {
			v[i] = uint8(next() % len(s.Size))
		}
		return v
	}
	s.In = [][]uint8{ids(), ids()}
	s.Out = ids()
	return s
}

func FuzzPair(f *testing.F) {
	f.Add([]byte{2, 6, 6, 6, 2, 0, 1, 2, 1, 2, 2, 0, 2})
	f.Add([]byte{3, 30, 31, 32, 2, 3, 3, 0, 1, 3, 3, 1, 2, 3, 3, 0, 2})
	f.Add([]byte{1, 4, 5, 3, 0, 0, 1, 1, 1, 3, 0, 1, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := decodeSpec(data)
		p := PlanPair(s)
		if p.Cost().Ops > 1<<18 || points(s) > 1<<18 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(len(data)), 1))
		ops := specOperands(r, s)
		checkPair(t, s, ops[0], ops[1], 0)
		checkUnary(t, op.Spec{In: s.In[:1], Out: s.Out, Size: s.Size}, ops[0])
	})
}

func benchPair(b *testing.B, s op.Spec, workers int) {
	r := rand.New(rand.NewPCG(1, 1))
	ops := specOperands(r, s)
	p := PlanPair(s)
	out, scratch, c := make([]float64, s.Elems(s.Out)), Scratch{F: make([]float64, p.Cost().F)}, &Ctl{Workers: workers}
	b.ReportAllocs()
	for b.Loop() {
		p.Run(c, out, ops[0], ops[1], scratch)
	}
	b.ReportMetric(2*float64(p.Cost().Ops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}

func BenchmarkPair(b *testing.B) {
	for _, n := range []int{4, 6, 10, 16, 24, 32, 64, 100, 500} {
		b.Run(fmt.Sprintf("product/%d", n), func(b *testing.B) { benchPair(b, sized(specNN, n, n, n), 1) })
	}
	b.Run("product/500/2workers", func(b *testing.B) { benchPair(b, sized(specNN, 500, 500, 500), 2) })
	for _, n := range []int{6, 100, 1000} {
		b.Run(fmt.Sprintf("matvec/%d", n), func(b *testing.B) { benchPair(b, sized(specMV, n, n), 1) })
		b.Run(fmt.Sprintf("vecmat/%d", n), func(b *testing.B) { benchPair(b, sized(specVM, n, n), 1) })
		b.Run(fmt.Sprintf("dot/%d", n), func(b *testing.B) { benchPair(b, sized(specDot, n, n), 1) })
		b.Run(fmt.Sprintf("outer/%d", n), func(b *testing.B) { benchPair(b, sized(specGer, n, n), 1) })
	}
}

func BenchmarkPlanPair(b *testing.B) {
	s := sized(specNN, 6, 6, 6)
	b.ReportAllocs()
	for b.Loop() {
		PlanPair(s)
	}
}

func BenchmarkUnary(b *testing.B) {
	for _, x := range []struct {
		name string
		s    op.Spec
	}{
		{"transpose", op.Spec{In: [][]uint8{{0, 1}}, Out: []uint8{1, 0}}},
		{"rowsum", op.Spec{In: [][]uint8{{0, 1}}, Out: []uint8{0}}},
		{"colsum", op.Spec{In: [][]uint8{{0, 1}}, Out: []uint8{1}}},
		{"total", op.Spec{In: [][]uint8{{0, 1}}}},
		{"trace", op.Spec{In: [][]uint8{{0, 0}}}},
	} {
		for _, n := range []int{6, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", x.name, n), func(b *testing.B) {
				s := sized(x.s, n, n)
				p := PlanUnary(s)
				a, out, c := denseRand(rand.New(rand.NewPCG(1, 1)), n*n), make([]float64, n*n), &Ctl{}
				b.ReportAllocs()
				for b.Loop() {
					p.Run(c, out, a, Scratch{})
				}
			})
		}
	}
}
