package simd

import (
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's, with products of doubles in the instructions of a tier. What
// it does itself it does exactly as defined: gonum skips the zeros of A, which
// loses the NaN of 0*Inf, where this does not, in any tier.
//
// It does itself the products with alpha 1 and beta 0 or 1, and hands all others
// to gonum.
type BLAS struct {
	gonum.Implementation
	Tier Tier
	// Poll, when not nil, is told by Dgemm of the terms that it has added up, a millisecond
	// or two of them at a time, and ends it early by reporting false.
	Poll func(terms int) bool
}

func (l BLAS) poll(terms int) bool { return l.Poll == nil || l.Poll(terms) }

// panel is the product C = A*B, or C += A*B, of m x k by k x some columns: as many
// as the kernel that gets it has in its vectors, the last of which is masked. A
// may lie in any order, the rows of B and of C do as usual. Strides are in bytes.
// The assembly knows the fields by their order.
type panel struct {
	m, k     int // rows of A, and its columns
	a        *float64
	ars, aks int // from a row of A to the next, and within one
	b        *float64
	bks      int // from a row of B to the next
	c        *float64
	crs      int   // and of C
	mask     *byte // of the last vector of a row
	add      int   // 1: C += A*B
	next     int   // from a full tile of rows of A to the one behind
}

// move moves to the columns behind n, of which there are some.
func (p *panel) move(n int) {
	p.b = (*float64)(unsafe.Add(unsafe.Pointer(p.b), 8*n))
	p.c = (*float64)(unsafe.Add(unsafe.Pointer(p.c), 8*n))
}

// Columns is the columns of a packed panel, or twice as many: a block of as many times
// more wastes none.
const Columns = 24

// Elements of a packed block of B, which is to fit the third-level cache, and of one of A,
// which is to fit the second with a panel of B.
const (
	packB = 720 * 384
	packA = 96 * 384
)

// cut is how products are cut up.
type cut struct {
	// depth is the most terms that are summed up before the sum is added to C. It holds
	// for all products of a tier, packed or not, and so no rounding depends on where a
	// matrix lies.
	depth int
	from  int // the stride of B from which it is packed: each row lies on a page of its own
	wide  int // columns of a packed panel of B
	tall  int // rows of a packed panel of A; 0: A is read where it lies
}

// cut is so that a packed panel of B fits the second-level cache and eight rows of A the first.
// With 16 registers a panel of B is to stay in the first, and A is packed too: at 500 to
// 2,048 rows that takes two thirds of the time. Where eight rows of A, as many streams as the
// processor foresees, meet a panel, it was measured to take 5 to 15 % longer, but with A packed
// again for every 240 columns.
func (t Tier) cut() cut {
	if t.set() == AVX2 {
		return cut{256, 256, 12, 4}
	}
	return cut{384, 512, Columns, 0}
}

// Dgemm sets C = alpha*op(A)*op(B) + beta*C, where op(A) is m x k and op(B) k x n.
func (l BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	ars, aks := lda, 1
	if tA != blas.NoTrans {
		ars, aks = aks, ars
	}
	bks, bns := ldb, 1
	if tB != blas.NoTrans {
		bks, bns = bns, bks
	}
	by := l.Tier.cut()
	p := panel{m: m, ars: 8 * ars, aks: 8 * aks, bks: 8 * ldb, crs: 8 * ldc, add: int(beta)}
	switch {
	case alpha != 1 || beta != 0 && beta != 1 || m <= 0 || n <= 0 || k <= 0 || lda < 1 || ldb < 1 || ldc < n ||
		!fits(a, m, ars, k, aks) || !fits(b, k, bks, n, bns) || !fits(c, m, ldc, n, 1):
		l.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case !l.Tier.Vectors() && (aks == 1 && bns != 1 || finite(a) && finite(b)): // gonum makes dot products, or skips no more than 0*x
		l.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case !l.Tier.Vectors():
		plainGemm(m, n, k, a, ars, aks, b, bks, bns, beta, c, ldc)
	case bns == 1 && ldb < by.from:
		rows := max(8, packB/n&^7)
		for lo := 0; lo < k; lo += by.depth {
			p.k, p.b = min(by.depth, k-lo), &b[lo*ldb]
			for top := 0; top < m; top += rows {
				p.m, p.a, p.c = min(rows, m-top), &a[top*ars+lo*aks], &c[top*ldc]
				l.Tier.multiply(p, n)
				if !l.poll(p.m * p.k * n) {
					return
				}
			}
			p.add = 1
		}
		return
	default:
		l.packed(p, by, n, k, a, ars, aks, b, bks, bns, c, ldc)
		return
	}
	l.poll(m * n * k)
}

// fits reports whether a matrix lies within x.
func fits(x []float64, rows, rs, cols, cs int) bool { return (rows-1)*rs+(cols-1)*cs < len(x) }

// packing is room for a block of B and one of A; only what is used is ever touched.
type packing struct {
	b [packB]float64
	a [packA]float64
}

var packs = sync.Pool{New: func() any { return new(packing) }}

// packed multiplies blocks whose panels are copied together first.
func (l BLAS) packed(p panel, by cut, n, k int, a []float64, ars, aks int, b []float64, bks, bns int, c []float64, ldc int) {
	buf := packs.Get().(*packing)
	defer packs.Put(buf)
	m, rows, most := p.m, packA/by.depth, packB/by.depth
	p.bks = 8 * by.wide
	for lo := 0; lo < k; lo += by.depth {
		p.k = min(by.depth, k-lo)
		for left := 0; left < n; left += most {
			columns := min(most, n-left)
			for j := 0; j < columns; j += by.wide {
				pack(buf.b[j*p.k:], by.wide, b[lo*bks+(left+j)*bns:], p.k, bks, min(by.wide, columns-j), bns)
			}
			for top := 0; top < m; top += rows {
				p.m, p.a = min(rows, m-top), &a[top*ars+lo*aks]
				if by.tall > 0 {
					for i := 0; i < p.m; i += by.tall {
						pack(buf.a[i*p.k:], by.tall, a[(top+i)*ars+lo*aks:], p.k, aks, min(by.tall, p.m-i), ars)
					}
					p.a, p.ars, p.aks, p.next = &buf.a[0], 8, 8*by.tall, 8*by.tall*p.k
				}
				for j := 0; j < columns; j += by.wide {
					p.b, p.c = &buf.b[j*p.k], &c[top*ldc+left+j]
					l.Tier.multiply(p, min(by.wide, columns-j))
				}
				if !l.poll(p.m * p.k * columns) {
					return
				}
			}
		}
		p.add = 1
	}
}

// pack copies k x wide elements into rows of columns.
func pack(to []float64, columns int, b []float64, k, bks, wide, bns int) {
	if bns == 1 {
		for i := range k {
			copy(to[i*columns:(i+1)*columns], b[i*bks:i*bks+wide])
		}
		return
	}
	// Its rows lie as columns: four at a time. What is behind the last is not used.
	for j := 0; j < wide; j += 4 {
		at := func(d int) []float64 { o := min(j+d, wide-1) * bns; return b[o : o+k] }
		p, q, r, s := at(0), at(1), at(2), at(3)
		q, r, s = q[:len(p)], r[:len(p)], s[:len(p)]
		for i := range p {
			to := (*[4]float64)(to[i*columns+j:])
			to[0], to[1], to[2], to[3] = p[i], q[i], r[i], s[i]
		}
	}
}

// finite reports whether no element is infinite or NaN: 0*x is 0 for a finite x.
func finite(x []float64) bool {
	var s float64
	for _, v := range x {
		s += 0 * v
	}
	return s == 0
}

// plainGemm is the definition.
func plainGemm(m, n, k int, a []float64, ars, aks int, b []float64, bks, bns int, beta float64, c []float64, ldc int) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if beta == 0 {
			clear(row)
		}
		for l := range k {
			x := a[i*ars+l*aks]
			for j := range row {
				row[j] += x * b[l*bks+j*bns]
			}
		}
	}
}

// Dgemv sets y = alpha*op(A)*x + beta*y, where A is m x n.
func (l BLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	switch {
	case !l.Tier.Vectors() || alpha != 1 || beta != 0 && beta != 1 || m <= 0 || n <= 0 || incX < 1 || incY < 1 || lda < n || !fits(a, m, lda, n, 1):
	case tA == blas.NoTrans && incX == 1 && fits(x, 1, 0, n, 1) && fits(y, m, incY, 1, 0):
		for i := range m {
			d := l.Ddot(n, a[i*lda:i*lda+n], 1, x, 1)
			if beta == 1 {
				d += y[i*incY]
			}
			y[i*incY] = d
		}
		return
	case tA != blas.NoTrans && incY == 1 && fits(x, m, incX, 1, 0) && fits(y, 1, 0, n, 1):
		l.Tier.multiply(panel{m: 1, k: m, a: &x[0], aks: 8 * incX, b: &a[0], bks: 8 * lda, c: &y[0], add: int(beta)}, n)
		return
	}
	l.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ddot returns the sum of x[i]*y[i].
func (l BLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if !l.Tier.Vectors() || n <= 0 || incX != 1 || incY != 1 || n > len(x) || n > len(y) {
		return l.Implementation.Ddot(n, x, incX, y, incY)
	}
	return l.Tier.dot(x[:n], y[:n])
}
