package simd

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"ein/vm/op"
)

// any is a number of all kinds.
func anyNumber(r *rand.Rand) float64 {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e308, -5e-324}
	if r.IntN(3) == 0 {
		return odd[r.IntN(len(odd))]
	}
	return float64(r.IntN(200)-100) / 8
}

func numbers(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = anyNumber(r)
	}
	return out
}

func alike(a, b float64) bool {
	return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
}

// close has the last bit differ.
func close(a, b float64) bool {
	return alike(a, math.Nextafter(b, math.Inf(1))) || alike(a, math.Nextafter(b, math.Inf(-1)))
}

// TestExp goes from where exp is 0 to where it is infinite.
func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	x := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e-300, -746, -745.2, -745.13, -745, -744, -709, -708, 709, 709.5, 709.7, 709.78, 709.79, 1e300, -1e300}
	for range 5000 {
		x = append(x, r.Float64()*1460-748, r.NormFloat64())
	}
	if got, want := op.Exp(709.5), 1.3549863193146328e308; math.Abs(got-want) > want*5e-16 {
		t.Errorf("exp 709.5 is %g, not %g", got, want)
	}
	y := make([]float64, len(x))
	for _, tier := range Tiers() {
		if _, ok := tier.Apply(op.FnExp, y, x, nil); !ok {
			continue
		}
		for i, y := range y {
			// Beyond 709 op.Exp itself rounds twice.
			if want := op.Exp(x[i]); !alike(y, want) && !close(y, want) && (x[i] < 709 || math.Abs(y-want) > want*5e-16) {
				t.Errorf("%v: exp %g is %g, not %g", tier, x[i], y, want)
			}
		}
	}
}

func TestApply(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, tier := range Tiers() {
		for f := range op.Fn(len(inAssembly) - 1) {
			if inAssembly[f].arity == 0 {
				continue
			}
			for range 300 {
				n := r.IntN(100)
				a, b, dst := numbers(r, n), numbers(r, n), make([]float64, n+3)
				sum, ok := tier.Apply(f, dst[:n], a, b)
				if !ok {
					continue
				}
				var exact, most float64
				for i := range a {
					exact += dst[i]
					most = max(most, math.Abs(dst[i]))
					if want := f.Apply(a[i], b[i], 0); !alike(dst[i], want) && (f != op.FnExp && f != op.FnSigmoid || !close(dst[i], want)) {
						t.Fatalf("%v: %v(%g, %g) at %d of %d is %g, not %g", tier, f, a[i], b[i], i, n, dst[i], want)
					}
				}
				if finite := sum-sum == 0; finite != (exact-exact == 0) && most < 1e300 || finite && math.Abs(sum-exact) > 1e-9*max(1, most) {
					t.Fatalf("%v: the sum of %v is %g, not %g", tier, f, sum, exact)
				}
				if dst[n] != 0 || dst[n+1] != 0 || dst[n+2] != 0 {
					t.Fatalf("%v: %v of %d writes behind", tier, f, n)
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, tier := range Tiers() {
		for f := op.FnGt; f <= op.FnNe; f++ {
			for range 300 {
				n := r.IntN(200)
				a, b := numbers(r, n), numbers(r, n)
				dst := make([]uint64, (n+63)/64+1)
				for i := range dst {
					dst[i] = r.Uint64()
				}
				after := dst[len(dst)-1]
				if !tier.Marks(f, dst[:len(dst)-1], a, b) {
					if n >= few && tier.hasRuns() {
						t.Fatalf("%v: no %v of %d numbers", tier, f, n)
					}
					continue
				}
				for i := range (n + 63) / 64 * 64 {
					want := i < n && f.Apply(a[i], b[i], 0) == 1
					if got := dst[i/64]>>(i%64)&1 == 1; got != want {
						t.Fatalf("%v: bit %d of %d of %v is %v", tier, i, n, f, got)
					}
				}
				if dst[len(dst)-1] != after {
					t.Fatalf("%v: %v of %d numbers writes past its end", tier, f, n)
				}
			}
		}
	}
}

func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	for _, tier := range Tiers() {
		for n := range 300 {
			words := make([]uint64, (n+63)/64)
			for i := range words {
				words[i] = r.Uint64()
			}
			dst := numbers(r, n+1)
			after := dst[n]
			tier.Spread(dst[:n], words)
			for i, x := range dst[:n] {
				if want := float64(words[i/64] >> (i % 64) & 1); !alike(x, want) {
					t.Fatalf("%v: bit %d of %d is %g", tier, i, n, x)
				}
			}
			if !alike(dst[n], after) {
				t.Fatalf("%v: %d numbers are written past their end", tier, n)
			}
		}
	}
}

func TestFalls(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	wrong := 0
	for _, tier := range Tiers() {
		for range 3000 {
			n, step, most := r.IntN(90), int32(r.IntN(2)), int32(r.IntN(1000))
			x := make([]int32, n)
			for i := range x {
				x[i] = r.Int32N(most + 1)
			}
			switch odd := []int32{-1, most + 1, math.MinInt32, math.MaxInt32}; {
			case n > 0 && r.IntN(3) == 0:
				x[r.IntN(n)] = odd[r.IntN(len(odd))]
			}
			want, inside := 0, true
			for i, j := range x {
				inside = inside && 0 <= j && j <= most
				if i > 0 && j-x[i-1] < step {
					want++
				}
			}
			got, ok := tier.Falls(x, step, most)
			if ok != inside || ok && got != want {
				t.Fatalf("%v: %d falls of %v by %d, %v within %d; want %d, %v", tier, got, x, step, ok, most, want, inside)
			}
			if !ok {
				wrong++
			}
		}
	}
	if wrong < 100 {
		t.Errorf("only %d were outside", wrong)
	}
}

func TestPast(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	room := make([]float64, 400)
	for _, tier := range Tiers() {
		for range 2000 {
			n, at := r.IntN(200), r.IntN(100)
			a := numbers(r, n)
			clear(room)
			tier.Past(room[at:at+n], a)
			for i, x := range room {
				want := 0.0
				if i >= at && i < at+n {
					want = a[i-at]
				}
				if !alike(x, want) {
					t.Fatalf("%v: %d numbers at %d: %g at %d, not %g", tier, n, at, x, i, want)
				}
			}
		}
	}
}

func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, tier := range Tiers() {
		for range 2000 {
			n, f := r.IntN(100), anyNumber(r)
			x, y := numbers(r, n), numbers(r, n)
			z := append([]float64(nil), y...)
			tier.AddScaled(z, f, x)
			for i := range z {
				if want := y[i] + x[i]*f; !alike(z[i], want) {
					t.Fatalf("%v: %g + %g * %g is %g, not %g", tier, y[i], x[i], f, z[i], want)
				}
			}
			tier.Scale(z, f, x)
			for i := range z {
				if want := x[i] * f; !alike(z[i], want) {
					t.Fatalf("%v: %g * %g is %g, not %g", tier, x[i], f, z[i], want)
				}
			}
		}
	}
}

// TestApplyPast: what goes past the caches is the same, wherever it begins.
func TestApplyPast(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, tier := range Tiers() {
		for f := range op.Fn(len(inAssembly) - 1) {
			if !tier.HasPast(f) {
				continue
			}
			for range 300 {
				n, at := r.IntN(100), r.IntN(9)
				a, b, dst := numbers(r, n), numbers(r, n), make([]float64, at+n+1)
				sum, exact, most := tier.ApplyPast(f, dst[at:at+n], a, b), 0.0, 0.0
				for i, got := range dst[at : at+n] {
					exact += got
					most = max(most, math.Abs(got))
					if want := f.Apply(a[i], b[i], 0); !alike(got, want) {
						t.Fatalf("%v: %v(%g, %g) at %d of %d is %g, not %g", tier, f, a[i], b[i], i, n, got, want)
					}
				}
				if finite := sum-sum == 0; finite != (exact-exact == 0) && most < 1e300 || finite && math.Abs(sum-exact) > 1e-9*max(1, most) {
					t.Fatalf("%v: the sum of %v is %g, not %g", tier, f, sum, exact)
				}
				if slices.ContainsFunc(append(dst[:at:at], dst[at+n]), func(x float64) bool { return x != 0 }) {
					t.Fatalf("%v: %v of %d writes beside", tier, f, n)
				}
			}
		}
	}
}

// TestAddEight adds row by row.
func TestAddEight(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, tier := range Tiers() {
		for i := range 300 {
			n := r.IntN(80)
			stride := n + r.IntN(5)
			a, start := values(r, 7*stride+n, i%2 == 0), values(r, n, i%2 == 0)
			got, want := slices.Clone(start), slices.Clone(start)
			tier.AddEight(got, a, stride)
			for k := range 8 {
				for j := range want {
					want[j] += a[k*stride+j]
				}
			}
			for j := range want {
				if !alike(got[j], want[j]) {
					t.Fatalf("%v: column %d of %d is %g, not %g", tier, j, n, got[j], want[j])
				}
			}
		}
	}
}

func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, tier := range Tiers() {
		for _, f := range []op.Fold{op.FoldSum, op.FoldMax, op.FoldMin} {
			for i := range 1000 {
				a := values(r, r.IntN(300), i%2 == 0)
				if f != op.FoldSum && i%3 == 0 {
					a = numbers(r, len(a))
				}
				if f != op.FoldSum && i%5 == 0 { // the fold is often 0, of either sign
					zeros := [][]float64{{0, math.Copysign(0, -1)}, {math.Copysign(0, -1)}, {0, math.Copysign(0, -1), math.Inf(-1)}, {0, math.Copysign(0, -1), 1}}[r.IntN(4)]
					for k := range a {
						a[k] = zeros[r.IntN(len(zeros))]
					}
				}
				start := anyNumber(r)
				switch {
				case f == op.FoldSum:
					start = 3
				case i%2 == 0:
					start = f.Identity()
				}
				got, rest := tier.Fold(f, start, a)
				want := start
				for i, x := range a {
					want = f.Apply(want, x)
					if i >= len(a)-len(rest) {
						got = f.Apply(got, x)
					}
				}
				if !alike(got, want) {
					t.Fatalf("%v: %v of %g and %v is %g, not %g", tier, f, start, a, got, want)
				}
			}
		}
	}
}

// TestPlanes adds rows and counts them column by column.
func TestPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, tier := range Tiers() {
		for _, most := range []int{0, 1, 40, 300, 3000, PlaneRows} {
			panel := make([]PlaneRow, 100)
			for i := range panel[:len(panel)-1] { // the last is 0
				for w := range panel[i] {
					panel[i][w] = r.Uint64() | uint64(-(i & 1)) // columns with all rows
				}
			}
			p, want := new(Planes), [PlaneColumns]float64{}
			var rows []int32
			for range most {
				i := r.IntN(len(panel) - 1)
				rows = append(rows, int32(64*i))
				for c := range want {
					want[c] += float64(panel[i][c/64] >> (c % 64) & 1)
				}
			}
			for len(rows)%PlaneStep != 0 {
				rows = append(rows, int32(64*(len(panel)-1)))
			}
			p[8][0], p[15][7] = 1, 1 // of an earlier sum
			tier.AddRows(p, panel, rows)
			var got [PlaneColumns]float64
			if tier.ReadPlanes(&got, p, most); got != want {
				t.Fatalf("%v, %d rows: %v, want %v", tier, most, got, want)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	words := func(n int) []uint64 {
		out := make([]uint64, n)
		for i := range out {
			out[i] = r.Uint64() & r.Uint64()
		}
		return out
	}
	popAnd := func(a, b []uint64) (n int) {
		for i, x := range a {
			n += bits.OnesCount64(x & b[i])
		}
		return n
	}
	for _, tier := range Tiers() {
		for range 1000 {
			n := r.IntN(150)
			if a, b := words(n), words(n); tier.PopAnd(a, b) != popAnd(a, b) {
				t.Fatalf("%v: %x and %x: %d", tier, a, b, tier.PopAnd(a, b))
			}
			row, rows, meet := words(n), make([][]uint64, r.IntN(65)), uint64(0)
			for k := range rows {
				rows[k] = make([]uint64, n+r.IntN(3))
				for w := range rows[k] {
					if r.IntN(n+1) == 0 {
						rows[k][w] = 1 << r.IntN(64)
					}
				}
				if popAnd(row, rows[k]) > 0 {
					meet |= 1 << k
				}
			}
			if got := tier.Meeting(row, rows); got != meet {
				t.Fatalf("%v: %x meets %b of %x, not %b", tier, row, meet, rows, got)
			}
			n = 1 + r.IntN(4)
			wide := []int{3, CommonWords}[r.IntN(2)]
			named, many, row, want := words(n), words(64*n*wide), words(wide), 0
			for i := range 64 * n {
				if named[i/64]>>(i%64)&1 != 0 {
					want += popAnd(row, many[i*wide:])
				}
			}
			if got := tier.Common(named, many, row); got != want {
				t.Fatalf("%v: %x has %d in common with %x, not %d", tier, row, got, named, want)
			}
			n = 1 + r.IntN(20)
			if !tier.HasCounts(n) {
				continue
			}
			stride, ldc := n+r.IntN(3), CountColumns+r.IntN(3)
			wide = 1 + r.IntN(CountColumns)
			a, b, c := words(CountRows*stride), words(wide*stride), make([]float64, CountRows*ldc)
			p := new(Panel)
			p.Pack(b, stride, wide, n)
			tier.Count(p, c, ldc, a, stride, wide)
			for i := range CountRows {
				for j := range ldc {
					want := 0.0
					if j < wide {
						want = float64(popAnd(a[i*stride:i*stride+n], b[j*stride:]))
					}
					if c[i*ldc+j] != want {
						t.Fatalf("%v: rows %d and %d of %d words have %g in common, not %g", tier, i, j, n, c[i*ldc+j], want)
					}
				}
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, tier := range Tiers() {
		for range 100 {
			var a, b [64]uint64
			for i := range a {
				a[i] = r.Uint64()
			}
			b = a
			tier.Transpose(&b)
			for i := range 64 * 64 {
				if a[i/64]>>(i%64)&1 != b[i%64]>>(i/64)&1 {
					t.Fatalf("%v: bit %d of row %d is not transposed", tier, i%64, i/64)
				}
			}
		}
	}
}

func BenchmarkBits(b *testing.B) {
	r := rand.New(rand.NewPCG(17, 18))
	words := make([]uint64, 1<<13)
	for i := range words {
		words[i] = r.Uint64() & r.Uint64() & r.Uint64()
	}
	for _, tier := range Tiers() {
		for _, n := range []int{8, 16, 80, 1000} {
			b.Run(fmt.Sprintf("and/%d/%v", n, tier), func(b *testing.B) {
				for b.Loop() {
					tier.PopAnd(words[:n], words[n:])
				}
			})
		}
		x, y := numbers(r, 1000), make([]float64, 1000)
		b.Run(fmt.Sprintf("exp/%v", tier), func(b *testing.B) {
			for b.Loop() {
				if _, ok := tier.Apply(op.FnExp, y, x, nil); !ok {
					for i, x := range x {
						y[i] = op.Exp(x)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("transpose/%v", tier), func(b *testing.B) {
			for b.Loop() {
				tier.Transpose((*[64]uint64)(words))
			}
		})
	}
}
