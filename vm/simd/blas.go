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
}

// panel is the product C = A*B, or C += A*B, of m x k by k x some columns: as many
// as the kernel that gets it has in its vectors, the last of which is masked. A
// may lie in any order, the rows of B and of C do as usual. Strides are in bytes.
// The assembly knows the fields by their order.
type panel struct {
	m, k     int
	a        *float64
	ars, aks int
	b        *float64
	bks      int
	c        *float64
	crs      int
	mask     *byte
	add      int
}

// next moves to the columns behind n, of which there are some.
func (p *panel) next(n int) {
	p.b = (*float64)(unsafe.Add(unsafe.Pointer(p.b), 8*n))
	p.c = (*float64)(unsafe.Add(unsafe.Pointer(p.c), 8*n))
}

const (
	// Columns is the columns of a packed panel; a block of as many times more
	// wastes none.
	Columns = 24
	// packColumns and packRows are the columns of a block of B, which is to fit
	// the third-level cache, and the rows of one of A, which is to fit the second.
	packColumns = 30 * Columns
	packRows    = 96
	// Depth is the most terms that are summed up before the sum is added to C:
	// with as many a packed panel fits the second-level cache, and eight rows of A
	// the first. It holds for all products, packed or not, and so no rounding
	// depends on where a matrix lies.
	Depth = 384
	// packFrom is the stride from which the rows of a panel of B are copied
	// together: each lies on a page of its own.
	packFrom = 512
)

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
	switch {
	case alpha != 1 || beta != 0 && beta != 1 || m <= 0 || n <= 0 || k <= 0 || lda < 1 || ldb < 1 || ldc < n ||
		!fits(a, m, ars, k, aks) || !fits(b, k, bks, n, bns) || !fits(c, m, ldc, n, 1):
		l.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case !l.Tier.Vectors() && (aks == 1 && bns != 1 || finite(a) && finite(b)): // gonum makes dot products, or skips no more than 0*x
		l.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case !l.Tier.Vectors():
		plainGemm(m, n, k, a, ars, aks, b, bks, bns, beta, c, ldc)
	case bns == 1 && ldb < packFrom:
		p := panel{m: m, ars: 8 * ars, aks: 8 * aks, bks: 8 * ldb, crs: 8 * ldc, add: int(beta)}
		for lo := 0; lo < k; lo += Depth {
			p.k, p.a, p.b, p.c = min(Depth, k-lo), &a[lo*aks], &b[lo*ldb], &c[0]
			l.Tier.multiply(p, n)
			p.add = 1
		}
	default:
		l.packed(panel{m: m, ars: 8 * ars, aks: 8 * aks, bks: 8 * Columns, crs: 8 * ldc, add: int(beta)}, n, k, a, ars, aks, b, bks, bns, c, ldc)
	}
}

// fits reports whether a matrix lies within x.
func fits(x []float64, rows, rs, cols, cs int) bool { return (rows-1)*rs+(cols-1)*cs < len(x) }

// packing is room for a block of B; only what is used is ever touched.
type packing [Depth * packColumns]float64

var packs = sync.Pool{New: func() any { return new(packing) }}

// packed multiplies with blocks of B whose panels are copied together first.
// Copying A as well, as BLIS does, made products of 384 to 2,048 rows 5 to 15 %
// slower: eight rows of A are eight streams that the processor foresees.
func (l BLAS) packed(p panel, n, k int, a []float64, ars, aks int, b []float64, bks, bns int, c []float64, ldc int) {
	buf := packs.Get().(*packing)
	defer packs.Put(buf)
	m := p.m
	for lo := 0; lo < k; lo += Depth {
		p.k = min(Depth, k-lo)
		for left := 0; left < n; left += packColumns {
			columns := min(packColumns, n-left)
			for j := 0; j < columns; j += Columns {
				pack(buf[j*p.k:], b[lo*bks+(left+j)*bns:], p.k, bks, min(Columns, columns-j), bns)
			}
			for top := 0; top < m; top += packRows {
				p.m, p.a = min(packRows, m-top), &a[top*ars+lo*aks]
				for j := 0; j < columns; j += Columns {
					p.b, p.c = &buf[j*p.k], &c[top*ldc+left+j]
					l.Tier.multiply(p, min(Columns, columns-j))
				}
			}
		}
		p.add = 1
	}
}

// pack copies k x wide elements of B into rows of Columns.
func pack(to, b []float64, k, bks, wide, bns int) {
	if bns == 1 {
		for i := range k {
			copy(to[i*Columns:(i+1)*Columns], b[i*bks:i*bks+wide])
		}
		return
	}
	// Rows of B lie as columns: four at a time. What is behind the last is not used.
	for j := 0; j < wide; j += 4 {
		at := func(d int) []float64 { o := min(j+d, wide-1) * bns; return b[o : o+k] }
		p, q, r, s := at(0), at(1), at(2), at(3)
		q, r, s = q[:len(p)], r[:len(p)], s[:len(p)]
		for i := range p {
			to := (*[4]float64)(to[i*Columns+j:])
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

// Ddot is the sum of x[i]*y[i].
func (l BLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if !l.Tier.Vectors() || n <= 0 || incX != 1 || incY != 1 || n > len(x) || n > len(y) {
		return l.Implementation.Ddot(n, x, incX, y, incY)
	}
	return l.Tier.dot(x[:n], y[:n])
}
