package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// values are whole numbers, so that every order of a sum gives the same, with
// some that are infinite or no numbers.
func values(r *rand.Rand, n int, odd bool) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(r.IntN(7) - 3)
		if odd && r.IntN(2*n) == 0 {
			out[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		}
	}
	return out
}

func same(a, b []float64) int {
	for i := range a {
		if a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]) {
			return i
		}
	}
	return -1
}

// define is C = op(A)*op(B) + beta*C by its definition.
func define(tA, tB blas.Transpose, m, n, k int, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	at := func(x []float64, ld int, t blas.Transpose, i, j int) float64 {
		if t == blas.NoTrans {
			return x[i*ld+j]
		}
		return x[j*ld+i]
	}
	for i := range m {
		for j := range n {
			var s float64
			for l := range k {
				s += at(a, lda, tA, i, l) * at(b, ldb, tB, l, j)
			}
			if beta != 0 {
				s += beta * c[i*ldc+j]
			}
			c[i*ldc+j] = s
		}
	}
}

func TestGemm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tier := range Tiers() {
		for range 3000 {
			m, n, k := 1+r.IntN(20), 1+r.IntN(80), 1+r.IntN(20)
			if r.IntN(50) == 0 {
				n, k = 380+r.IntN(10), 380+r.IntN(50)
			}
			if r.IntN(500) == 0 { // more than one block of each
				m, n, k = 150+r.IntN(50), 1000+r.IntN(200), 250+r.IntN(20)
			}
			tA, tB := []blas.Transpose{blas.NoTrans, blas.Trans}[r.IntN(2)], []blas.Transpose{blas.NoTrans, blas.Trans}[r.IntN(2)]
			rowsA, colsA, rowsB, colsB := m, k, k, n
			if tA == blas.Trans {
				rowsA, colsA = k, m
			}
			if tB == blas.Trans {
				rowsB, colsB = n, k
			}
			lda, ldb, ldc := colsA+r.IntN(3), colsB+r.IntN(3), n+r.IntN(3)
			odd := r.IntN(3) == 0
			a, b := values(r, (rowsA-1)*lda+colsA, odd), values(r, (rowsB-1)*ldb+colsB, odd)
			c := values(r, (m-1)*ldc+n, false)
			beta := float64(r.IntN(2))
			want := append([]float64(nil), c...)
			define(tA, tB, m, n, k, a, lda, b, ldb, beta, want, ldc)
			BLAS{Tier: tier}.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, beta, c, ldc)
			if i := same(c, want); i >= 0 {
				t.Fatalf("%v: %c%c %dx%dx%d, strides %d %d %d, beta %g: element %d is %g, not %g", tier, tA, tB, m, k, n, lda, ldb, ldc, beta, i, c[i], want[i])
			}
		}
	}
}

// TestGemmPoll stops products when each number of their terms has been reported, in all
// ways that they are cut.
func TestGemmPoll(t *testing.T) {
	const m, k = 300, 800
	for _, tier := range Tiers() {
		for _, n := range []int{20, 300, 1100} {
			a, b, c := make([]float64, m*k), make([]float64, k*n), make([]float64, m*n)
			for stop := 1; ; stop++ {
				calls, terms := 0, 0
				BLAS{Tier: tier, Poll: func(n int) bool {
					calls++
					terms += n
					return calls < stop
				}}.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a, k, b, n, 0, c, n)
				if calls == stop && terms <= m*n*k {
					continue
				}
				if calls != stop-1 || terms != m*n*k {
					t.Errorf("%v: a product of %d columns, stopped at call %d: %d calls report %d of %d terms", tier, n, stop, calls, terms, m*n*k)
				}
				break
			}
		}
	}
}

func TestGemv(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, tier := range Tiers() {
		for range 3000 {
			m, n := 1+r.IntN(40), 1+r.IntN(200)
			lda, incX, incY := n+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2)
			tA, lenX, lenY := blas.NoTrans, n, m
			if r.IntN(2) == 0 {
				tA, lenX, lenY = blas.Trans, m, n
			}
			a, x, y := values(r, (m-1)*lda+n, false), values(r, (lenX-1)*incX+1, false), values(r, (lenY-1)*incY+1, false)
			beta := float64(r.IntN(2))
			want := append([]float64(nil), y...)
			gonum.Implementation{}.Dgemv(tA, m, n, 1, a, lda, x, incX, beta, want, incY)
			BLAS{Tier: tier}.Dgemv(tA, m, n, 1, a, lda, x, incX, beta, y, incY)
			if i := same(y, want); i >= 0 {
				t.Fatalf("%v: %c %dx%d, strides %d %d %d, beta %g: element %d is %g, not %g", tier, tA, m, n, lda, incX, incY, beta, i, y[i], want[i])
			}
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{4, 8, 10, 16, 32, 64, 128, 256, 384, 512, 1024, 2048} {
		x, y, z := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		for i := range x {
			x[i], y[i] = r.Float64(), r.Float64()
		}
		for _, tier := range Tiers() {
			if tier == Plain && n > 512 {
				continue
			}
			for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				b.Run(fmt.Sprintf("%d/%c/%v", n, tB, tier), func(b *testing.B) {
					for b.Loop() {
						BLAS{Tier: tier}.Dgemm(blas.NoTrans, tB, n, n, n, 1, x, n, y, n, 0, z, n)
					}
					b.ReportMetric(2*float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
				})
			}
		}
	}
}
