package kernel

import (
	"ein/vm/op"
	"ein/vm/simd"
	"ein/vm/tensor"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fusedCase is a random expression with its arguments.
type fusedCase struct {
	shape    []int
	operands [][]int
	code     []op.Micro
	consts   []float64
	args     [][]float64
}

var fusedValues = []float64{0, 1, -1, 2, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1 << 53, -3.75}

func randomFused(r *rand.Rand, maxSize int) fusedCase {
	var f fusedCase
	for range r.IntN(4) {
		f.shape = append(f.shape, r.IntN(maxSize+1))
	}
	for range 1 + r.IntN(4) {
		f.addOperand(r)
	}
	for range r.IntN(3) {
		f.consts = append(f.consts, fusedValues[r.IntN(len(fusedValues))])
	}
	fixed := len(f.operands) + len(f.consts)
	temps := 0
	for range r.IntN(6) {
		pick := func() uint8 { return uint8(r.IntN(fixed + temps)) }
		m := op.Micro{Fn: op.Fn(r.IntN(int(op.FnCheck) + 1)), A: pick(), B: pick(), C: pick()}
		if m.Fn != op.FnCheck {
			if m.Dst = uint8(fixed + r.IntN(temps+1)); int(m.Dst) == fixed+temps {
				temps++
			}
		}
		f.code = append(f.code, m)
	}
	return f
}

// addOperand adds one that has some of the axes, in some order.
func (f *fusedCase) addOperand(r *rand.Rand) {
	stride := make([]int, len(f.shape))
	n := 1
	for _, d := range r.Perm(len(f.shape)) {
		if r.IntN(4) > 0 {
			stride[d] = n
			n *= f.shape[d]
		}
	}
	if r.IntN(2) == 0 { // as it lies
		n = 1
		for d := len(f.shape) - 1; d >= 0; d-- {
			stride[d] = n
			n *= f.shape[d]
		}
	}
	arg := make([]float64, max(n, 1))
	for i := range arg {
		arg[i] = fusedValues[r.IntN(len(fusedValues))]
	}
	f.operands = append(f.operands, stride)
	f.args = append(f.args, arg)
}

// naive folds the values of the definition when foldAxes is positive.
func (f *fusedCase) naive(foldAxes int, fold op.Fold) ([]float64, bool) {
	values, exact := NaiveFused(f.shape, f.operands, f.code, f.consts, f.args)
	if foldAxes < 0 {
		return values, exact
	}
	kept := len(f.shape) - foldAxes
	out := make([]float64, dimsProduct(f.shape[:kept]))
	for i := range out {
		out[i] = fold.Identity()
	}
	run := int(dimsProduct(f.shape[kept:]))
	for i, v := range values {
		out[i/run] = fold.Apply(out[i/run], v)
	}
	return out, exact
}

func TestFusedRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range 8000 {
		f := randomFused(r, []int{3, 8, 30}[i%3])
		foldAxes, fold := -1, op.Fold(r.IntN(3))
		var p *Fused
		var err error
		if r.IntN(2) == 0 {
			p, err = PlanFused(f.shape, f.operands, f.code, f.consts)
		} else {
			foldAxes = r.IntN(len(f.shape) + 1)
			p, err = PlanFusedFold(f.shape, foldAxes, fold, f.operands, f.code, f.consts)
		}
		want, wantExact := f.naive(foldAxes, fold)
		if err != nil {
			if !errors.Is(err, errEmptyFold) || len(want) == 0 || dimsProduct(f.shape) != 0 {
				t.Fatalf("%+v: %v", f, err)
			}
			continue
		}
		if fold == op.FoldSum && foldAxes >= 0 {
			continue // see TestFusedSum: the order of addition differs
		}
		got, c := denseGarbage(len(want)), Ctl{}
		exact, ok := ended(func() bool { return p.Run(&c, got, f.args, Scratch{F: denseGarbage(int(p.Cost().F))}) })
		if !ok || !denseSame(got, want) || exact != wantExact {
			t.Fatalf("%+v fold %d %v\n got %v %v\nwant %v %v", f, foldAxes, fold, got, exact, want, wantExact)
		}
		if c.Finite && slices.ContainsFunc(got, func(x float64) bool { return x-x != 0 }) {
			t.Fatalf("%+v: %v is said to be finite", f, got)
		}
		checkCost(t, f, c, p.Cost())
	}
}

// TestBareBits: one comparison of two matrices reads them where they lie, in longer blocks.
func TestBareBits(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, shape := range [][]int{{1, 1}, {3, 7}, {64, 64}, {5, 500}, {3, fusedBare + 70}, {2, 2*fusedBare + 1}} {
		n := shape[0] * shape[1]
		a, b := denseRand(r, n), denseRand(r, n)
		for f := op.FnGt; f <= op.FnNe; f++ {
			operands := [][]int{{shape[1], 1}, {shape[1], 1}}
			p, err := PlanFusedBits(shape, operands, []op.Micro{{Fn: f, Dst: 2, A: 1, B: 0}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := tensor.NewBits(shape[0], shape[1])
			for i := range n {
				if f.Apply(b[i], a[i], 0) != 0 {
					want.Set(i/want.Cols, i%want.Cols)
				}
			}
			for _, tier := range simd.Tiers() {
				got, c := tensor.NewBits(shape[0], shape[1]), Ctl{Tier: tier}
				_, ok := ended(func() bool { return p.RunBits(&c, got, [][]float64{a, b}, Scratch{F: denseGarbage(int(p.Cost().F))}) })
				if !ok || !slices.Equal(got.W, want.W) || c.Ops != p.Cost().Ops {
					t.Errorf("%v %v %v: wrong bits, or %d operations where %d are certified", tier, f, shape, c.Ops, p.Cost().Ops)
				}
			}
		}
	}
}

func TestFusedBits(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	rounds := 6000
	if testing.Short() {
		rounds /= 10
	}
	var f fusedCase
	for i := range rounds {
		if f = randomFused(r, []int{3, 30, 300}[i%3]); len(f.shape) != 2 {
			if _, err := PlanFusedBits(f.shape, f.operands, f.code, f.consts); !errors.Is(err, errNotMatrix) {
				t.Fatalf("%v: %v", f.shape, err)
			}
			continue
		}
		if last := len(f.code) - 1; last >= 0 && f.code[last].Fn != op.FnCheck && r.IntN(2) == 0 {
			f.code[last].Fn = op.FnGt + op.Fn(r.IntN(6))
		}
		p, err := PlanFusedBits(f.shape, f.operands, f.code, f.consts)
		if err != nil {
			t.Fatal(err)
		}
		values, wantExact := f.naive(-1, 0)
		for _, tier := range simd.Tiers() {
			got, c := tensor.NewBits(f.shape[0], f.shape[1]), Ctl{Tier: tier}
			for i := range got.W {
				got.W[i] = r.Uint64()
			}
			exact, ok := ended(func() bool { return p.RunBits(&c, got, f.args, Scratch{F: denseGarbage(int(p.Cost().F))}) })
			want := tensor.NewBits(f.shape[0], f.shape[1])
			for i, x := range values {
				if x != 0 {
					want.Set(i/want.Cols, i%want.Cols)
				}
			}
			if !ok || exact != wantExact || !slices.Equal(got.W, want.W) {
				t.Fatalf("%v: %+v\n got %x %v\nwant %x %v", tier, f, got.W, exact, want.W, wantExact)
			}
			checkCost(t, f, c, p.Cost())
		}
	}
}

// TestFusedLarge: results that are written past the caches are the same, wherever they
// begin, and so are those of long blocks.
func TestFusedLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, n := range []int{fusedBare + 9, fusedPast - 1, fusedPast + 13} {
		args := [][]float64{make([]float64, n), make([]float64, n)}
		for i := range n {
			args[0][i], args[1][i] = r.Float64(), r.Float64()
		}
		for _, code := range [][]op.Micro{
			{{Fn: op.FnAdd, Dst: 2, A: 0, B: 1}},
			{{Fn: op.FnExp, Dst: 2, A: 0}},
			{{Fn: op.FnMul, Dst: 2, A: 0, B: 1}, {Fn: op.FnSub, Dst: 2, A: 2, B: 0}},
		} {
			p, err := PlanFused([]int{n}, [][]int{{1}, {1}}, code, nil)
			if err != nil {
				t.Fatal(err)
			}
			for at := range 3 {
				for _, last := range []float64{1, math.NaN(), math.Inf(1)} {
					args[0][n-1] = last
					got, c := make([]float64, n+at+1)[at:], Ctl{}
					if _, ok := ended(func() bool { return p.Run(&c, got, args, Scratch{F: make([]float64, p.Cost().F)}) }); !ok || got[n] != 0 || c.Finite != (last == 1 && simd.Best.Vectors()) {
						t.Fatalf("%v of %d: %v, finite %v, %g behind", code, n, ok, c.Finite, got[n])
					}
					for i, x := range args[0] {
						want := x
						for _, m := range code {
							want = m.Fn.Apply(want, args[1-m.A/2][i], 0)
						}
						if math.Float64bits(got[i]) != math.Float64bits(want) && want == want {
							t.Fatalf("%v of %d: element %d is %g, not %g", code, n, i, got[i], want)
						}
					}
				}
			}
		}
	}
}

func TestFusedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 2000 {
		f := randomFused(r, 20)
		for k := range f.args {
			f.args[k] = denseRand(r, len(f.args[k]))
		}
		f.consts = []float64{2, 3}
		n := uint8(len(f.operands))
		f.code = []op.Micro{{Fn: op.FnMul, Dst: n + 2, A: 0, B: n}, {Fn: op.FnCheck, A: n + 2}, {Fn: op.FnAdd, Dst: n + 2, A: n + 2, B: n - 1}}
		k := r.IntN(len(f.shape) + 1)
		p, err := PlanFusedFold(f.shape, k, op.FoldSum, f.operands, f.code, f.consts)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := f.naive(k, op.FoldSum)
		got, c := denseGarbage(len(want)), Ctl{}
		exact, ok := ended(func() bool { return p.Run(&c, got, f.args, Scratch{F: denseGarbage(int(p.Cost().F))}) })
		if !ok || !exact || !denseSame(got, want) {
			t.Fatalf("%+v\n got %v\nwant %v", f, got, want)
		}
		checkCost(t, f, c, p.Cost())
	}
}

// Every function block by block must be what Apply says, on awkward values.
func TestFnBlocks(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(25, 26))
	args := make([][]float64, 3)
	for k := range args {
		for range n {
			args[k] = append(args[k], fusedValues[r.IntN(len(fusedValues))])
		}
	}
	ops := [][]int{{1}, {1}, {1}}
	for f := range op.FnCheck {
		p, err := PlanFused([]int{n}, ops, []op.Micro{{Fn: f, Dst: 3, A: 0, B: 1, C: 2}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := denseGarbage(n)
		p.Run(&Ctl{}, got, args, Scratch{F: denseGarbage(int(p.Cost().F))})
		for i, x := range got {
			if want := f.Apply(args[0][i], args[1][i], args[2][i]); x != want && (x == x || want == want) {
				t.Fatalf("%v(%v, %v, %v) = %v, want %v", f, args[0][i], args[1][i], args[2][i], x, want)
			}
		}
		if f.String() == "" || f.Arity() < 1 {
			t.Errorf("function %d is not in the table", f)
		}
	}
}

func TestFnApply(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range []struct {
		f             op.Fn
		a, b, c, want float64
	}{
		{op.FnWhere, 1, 2, 3, 2}, {op.FnWhere, 0, 2, 3, 3}, {op.FnWhere, nan, 2, 3, 2},
		{op.FnClamp, 5, 0, 1, 1}, {op.FnClamp, -5, 0, 1, 0}, {op.FnClamp, nan, 0, 1, nan},
		{op.FnStep, 0, 0, 0, 0}, {op.FnStep, 1e-300, 0, 0, 1}, {op.FnStep, nan, 0, 0, 0},
		{op.FnNot, 1, 0, 0, 0}, {op.FnNot, 0, 0, 0, 1}, {op.FnRelu, -2, 0, 0, 0}, {op.FnRelu, nan, 0, 0, nan},
		{op.FnSigmoid, 0, 0, 0, 0.5}, {op.FnSigmoid, -1000, 0, 0, 0}, {op.FnSigmoid, 1000, 0, 0, 1},
		{op.FnEq, nan, nan, 0, 0}, {op.FnNe, nan, nan, 0, 1}, {op.FnGe, nan, 1, 0, 0}, {op.FnLe, nan, 1, 0, 0},
		{op.FnMax, nan, 1, 0, nan}, {op.FnMin, 1, nan, 0, nan}, {op.FnDiv, 1, 0, 0, inf}, {op.FnFloor, -1.5, 0, 0, -2},
		{op.FnTanh, 0, 0, 0, 0}, {op.FnLog, 0, 0, 0, -inf}, {op.FnLog, 5e-324, 0, 0, -1074 * math.Ln2}, {op.FnLog, nan, 0, 0, nan}, {op.FnSqrt, 9, 0, 0, 3}, {op.FnExp, 0, 0, 0, 1},
		{op.FnAbs, -2, 0, 0, 2}, {op.FnNeg, 2, 0, 0, -2},
	} {
		if got := x.f.Apply(x.a, x.b, x.c); got != x.want && (got == got || x.want == x.want) {
			t.Errorf("%v(%v, %v, %v) = %v, want %v", x.f, x.a, x.b, x.c, got, x.want)
		}
	}
}

func TestFusedErrors(t *testing.T) {
	one := [][]int{{1}}
	if _, err := PlanFused([]int{4}, one, []op.Micro{{Fn: op.FnNeg, Dst: 0}}, nil); err == nil {
		t.Error("writing to an operand is accepted")
	}
	if _, err := PlanFused([]int{4}, one, []op.Micro{{Fn: op.FnNeg, Dst: MaxRegs}}, nil); err == nil {
		t.Error("too many registers are accepted")
	}
	if _, err := PlanFusedFold([]int{4, 0}, 1, op.FoldMax, [][]int{{0, 1}}, nil, nil); err == nil {
		t.Error("the maximum of nothing is accepted")
	}
	if _, err := PlanFusedFold([]int{0, 0}, 1, op.FoldMax, [][]int{{0, 1}}, nil, nil); err != nil {
		t.Error("no maxima of nothing:", err)
	}
}

func TestFusedCancelAllocs(t *testing.T) {
	const n = 4 * PollOps
	ops := [][]int{{1}, {0}}
	code := []op.Micro{{Fn: op.FnMul, Dst: 3, A: 0, B: 1}, {Fn: op.FnAdd, Dst: 3, A: 3, B: 2}, {Fn: op.FnCheck, A: 3}}
	p, err := PlanFused([]int{n}, ops, code, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	args, dst := [][]float64{make([]float64, n), {2}}, make([]float64, n)
	c := denseStopped()
	if _, ok := ended(func() bool { return p.Run(c, dst, args, Scratch{F: make([]float64, p.Cost().F)}) }); ok || c.Ops > 2*PollOps {
		t.Errorf("ran on for %d operations", c.Ops)
	}
	square := [][]int{{2 * PollOps, 1}, {0, 0}}
	if p, err = PlanFusedBits([]int{2, 2 * PollOps}, square, code, []float64{1}); err != nil {
		t.Fatal(err)
	}
	c = denseStopped()
	if _, ok := ended(func() bool {
		return p.RunBits(c, tensor.NewBits(2, 2*PollOps), args, Scratch{F: make([]float64, p.Cost().F)})
	}); ok || c.Ops > 2*PollOps {
		t.Errorf("ran on for %d operations", c.Ops)
	}
	for _, n := range []int{1, 3, 4, 600} {
		p, _ := PlanFused([]int{n}, ops, code, []float64{1})
		s, c := Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
		if allocs := testing.AllocsPerRun(10, func() { p.Run(c, dst, args, s) }); allocs != 0 {
			t.Errorf("n=%d: %v allocations", n, allocs)
		}
	}
}

func BenchmarkFused(b *testing.B) {
	ops := [][]int{{1}, {1}, {0}}
	// relu(x*y + s) > 0.5, as ReLU, comparison and a factor
	code := []op.Micro{
		{Fn: op.FnMul, Dst: 4, A: 0, B: 1}, {Fn: op.FnAdd, Dst: 4, A: 4, B: 2},
		{Fn: op.FnRelu, Dst: 4, A: 4}, {Fn: op.FnGt, Dst: 5, A: 4, B: 3}, {Fn: op.FnMul, Dst: 4, A: 4, B: 5},
	}
	for _, n := range []int{1, 3, 4, 6, 16, 36, 256, 10_000, 1_000_000} {
		p, err := PlanFused([]int{n}, ops, code, []float64{0.5})
		if err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		args := [][]float64{denseRand(r, n), denseRand(r, n), {1}}
		dst, s, c := make([]float64, n), Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
		b.Run(fmt.Sprintf("chain/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Run(c, dst, args, s)
			}
		})
	}
	b.Run("separate/1000000", func(b *testing.B) { benchSeparate(b, 1_000_000) })
	b.Run("maxfold/200x200x200", benchCube)
}

// BenchmarkFn is one block of each function.
func BenchmarkFn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y, z := make([]float64, fusedBlock), denseRand(r, fusedBlock), denseRand(r, fusedBlock)
	regs := &fusedRegs{x, y, z, z}
	for f := range op.FnCheck + 1 {
		p := &Fused{code: []op.Micro{{Fn: f, Dst: 0, A: 1, B: 2, C: 3}}}
		b.Run(f.String(), func(b *testing.B) {
			for b.Loop() {
				p.eval(simd.Best, regs, p.code, fusedBlock)
			}
		})
	}
}

// benchSeparate is the chain of BenchmarkFused as one loop over memory each.
func benchSeparate(b *testing.B, n int) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y, t, u, half := denseRand(r, n), denseRand(r, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for b.Loop() {
		evalBinary(simd.Best, op.FnMul, t, x, y)
		evalBinary(simd.Best, op.FnAdd, t, t, half)
		evalUnary(simd.Best, op.FnRelu, t, t)
		evalBinary(simd.Best, op.FnGt, u, t, half)
		evalBinary(simd.Best, op.FnMul, t, t, u)
	}
}

// benchCube is T[i,k] max= min(A[i,j], B[j,k]) without the special loop.
func benchCube(b *testing.B) {
	const n = 200
	r := rand.New(rand.NewPCG(1, 1))
	args := [][]float64{denseRand(r, n*n), denseRand(r, n*n)}
	ops := [][]int{{n, 0, 1}, {0, 1, n}}
	p, err := PlanFusedFold([]int{n, n, n}, 1, op.FoldMax, ops, []op.Micro{{Fn: op.FnMin, Dst: 2, A: 0, B: 1}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	dst, s, c := make([]float64, n*n), Scratch{F: make([]float64, p.Cost().F)}, &Ctl{}
	for b.Loop() {
		p.Run(c, dst, args, s)
	}
}
