package kernel

import (
	"gonum.org/v1/gonum/blas"

	"ein/vm/op"
	"ein/vm/simd"
)

// Run evaluates the einsum of a and b into dst, which overlaps neither. It allocates only in large
// products with c.Workers above 1, to start goroutines.
//
// It has three parts, of which the plan may leave out the first and the last: operands are copied
// into the layout that the inner kernel wants (pre), the kernel runs at each point of the outer
// loops (core), and the result is copied into that of dst (post).
func (p *Pair) Run(c *Ctl, dst, a, b []float64, s Scratch) {
	if p.kind == pairZero {
		Fill(c, dst[:p.zero], 0)
		return
	}
	ops, free := [2][]float64{a, b}, s.F
	for i, u := range p.pre {
		if u == nil {
			continue
		}
		buf := free[:p.preLen[i]]
		free = free[p.preLen[i]:]
		u.Run(c, buf, ops[i], Scratch{})
		ops[i] = buf
	}
	out := dst
	if p.post != nil {
		out = free[:p.outLen]
	}
	if p.zero > 0 {
		Fill(c, out[:p.zero], 0)
	}
	p.core(c, out, &ops)
	if p.post != nil {
		p.post.Run(c, dst, out, Scratch{})
	}
}

// core runs the inner kernel at every point of the outer loops.
func (p *Pair) core(c *Ctl, dst []float64, ops *[2][]float64) {
	if p.kind == pairNest {
		p.runNest(c, dst, ops[0], ops[1])
		return
	}
	m := newMeter(c)
	x, y := ops[p.mat.x], ops[p.mat.y]
	if len(p.outer) == 0 {
		p.mat.run(p.kind, &m, dst, x, y)
		return
	}
	var o odometer
	for {
		p.mat.run(p.kind, &m, dst[o.off[slotD]:], x[o.off[p.mat.x]:], y[o.off[p.mat.y]:])
		if !o.next(p.outer) {
			return
		}
	}
}

// run does one product. Where there are no vector instructions, tiles beat Dgemm on small
// matrices; see tilesMost.
func (p *matMul) run(kind pairKind, m *meter, c, x, y []float64) {
	switch kind {
	case pairGemv:
		p.gemv(m, c, x, y)
		return
	case pairGemm:
		if m.c.Tier.Vectors() || satMul(uint64(p.m), uint64(p.n), uint64(p.k)) > tilesMost {
			p.gemm(m.c, c, x, y)
			return
		}
	}
	p.tiles(m, c, x, y)
}

// gemv sets c = Y'x, in blocks of rows of Y as it lies in memory.
func (p *matMul) gemv(m *meter, c, x, y []float64) {
	if p.yk == 1 {
		p.gemvRows(m, c, x, y)
		return
	}
	rows := max(1, PollOps/p.n)
	for lo := 0; lo < p.k; lo += rows {
		r := min(rows, p.k-lo)
		simd.BLAS{Tier: m.c.Tier}.Dgemv(blas.Trans, r, p.n, 1, y[lo*p.yk:], max(p.yk, p.n),
			x[lo*p.xk:], p.xk, beta(lo), c[:(p.n-1)*p.cn+1], p.cn)
		m.spend(r * p.n)
	}
}

// gemvRows is gemv of a Y whose rows run along k, so that each is one dot product.
func (p *matMul) gemvRows(m *meter, c, x, y []float64) {
	rows := max(1, PollOps/p.k)
	for lo := 0; lo < p.n; lo += rows {
		r := min(rows, p.n-lo)
		simd.BLAS{Tier: m.c.Tier}.Dgemv(blas.NoTrans, r, p.k, 1, y[lo*p.yn:], max(p.yn, p.k),
			x[:(p.k-1)*p.xk+1], p.xk, 0, c[lo*p.cn:], p.cn)
		m.spend(r * p.k)
	}
}

// beta is 0 for the first block of a sum, which overwrites garbage, and 1 after.
func beta(lo int) float64 {
	if lo == 0 {
		return 0
	}
	return 1
}

// Blocks of a product given to one call of gonum's Dgemm, which cannot be interrupted.
const (
	gemmMost  = 1 << 27
	gemmRows  = 256
	gemmDepth = 1 << 12
)

// gemmFork is the least work that is worth a second goroutine.
const gemmFork = 1 << 25

// gemm sets c = X*Y by calls of Dgemm. Workers share the longer side of the result in strips, so
// that each element is summed by one of them, in one order.
func (p *matMul) gemm(c *Ctl, dst, x, y []float64) {
	if c.Workers < 2 || satMul(uint64(p.m), uint64(p.n), uint64(p.k)) < gemmFork {
		p.gemmBlocks(c, dst, x, y, 0, p.m, 0, p.n)
		return
	}
	const side = simd.Columns
	if p.n < p.m {
		forkRange(c, (p.m+side-1)/side, func(c *Ctl, _, lo, hi int) {
			p.gemmBlocks(c, dst, x, y, lo*side, min(hi*side, p.m), 0, p.n)
		})
		return
	}
	forkRange(c, (p.n+side-1)/side, func(c *Ctl, _, lo, hi int) {
		p.gemmBlocks(c, dst, x, y, 0, p.m, lo*side, min(hi*side, p.n))
	})
}

// gemmBlocks makes rows top to bottom of columns left to right of C.
func (p *matMul) gemmBlocks(c *Ctl, dst, x, y []float64, top, bottom, left, right int) {
	tx, ldx := blas.NoTrans, p.xm
	if p.xk != 1 {
		tx, ldx = blas.Trans, p.xk
	}
	ty, ldy := blas.NoTrans, p.yk
	if p.yn != 1 {
		ty, ldy = blas.Trans, p.yn
	}
	m := newMeter(c)
	l := simd.BLAS{Tier: c.Tier, Poll: func(terms int) bool {
		m.spend(terms)
		return true
	}}
	wide, rows, depth := right-left, bottom-top, p.k
	if !c.Tier.Vectors() {
		rows, depth = gemmRows, gemmDepth
		wide = max(1, gemmMost/gemmRows/min(p.k, gemmDepth)/simd.Columns) * simd.Columns
	}
	for j := left; j < right; j += wide {
		for i := top; i < bottom; i += rows {
			for at := 0; at < p.k; at += depth {
				l.Dgemm(tx, ty, min(rows, bottom-i), min(wide, right-j), min(depth, p.k-at), 1, x[i*p.xm+at*p.xk:], ldx,
					y[at*p.yk+j*p.yn:], ldy, beta(at), dst[i*p.cm+j:], p.cm)
			}
		}
	}
}

// tileSide is the side of the register tile: 9 sums, 3 values of X and one of Y
// fit the 15 vector registers that Go uses. A 2x2 tile is half as fast at 8^3,
// a 4x2 tile over packed panels no faster. In 24^3 the 3x3 tile still beats
// gonum's Dgemm (4.1 against 4.9 us), which wins from 48^3 on.
const (
	tileSide  = 3
	tilesMost = 1 << 15
)

// tiles sets c = X*Y in register tiles, for any strides.
func (p *matMul) tiles(m *meter, c, x, y []float64) {
	wide := max(1, PollOps/(tileSide*tileSide*p.k)) * tileSide
	for i := 0; i < p.m; i += tileSide {
		rows := min(tileSide, p.m-i)
		for j := 0; j < p.n; j += wide {
			cols := min(wide, p.n-j)
			p.strip(c[i*p.cm+j*p.cn:], x[i*p.xm:], y[j*p.yn:], rows, cols)
			m.spend(rows * cols * p.k)
		}
	}
}

// strip makes up to three rows of c.
func (p *matMul) strip(c, x, y []float64, rows, cols int) {
	full := cols - cols%tileSide
	if rows == tileSide {
		for j := 0; j < full; j += tileSide {
			p.tile3x3(c[j*p.cn:], x, y[j*p.yn:])
		}
		for j := full; j < cols; j++ {
			tile3x1(c[j*p.cn:], p.cm, x, p.xm, p.xk, y[j*p.yn:], p.yk, p.k)
		}
		return
	}
	for i := range rows {
		x, c := x[i*p.xm:], c[i*p.cm:]
		for j := 0; j < full; j += tileSide {
			tile3x1(c[j*p.cn:], p.cn, y[j*p.yn:], p.yn, p.yk, x, p.xk, p.k)
		}
		for j := full; j < cols; j++ {
			c[j*p.cn] = dotStrided(x, p.xk, y[j*p.yn:], p.yk, p.k)
		}
	}
}

// tile3x3 keeps nine sums in registers, so that each element loaded is used three times. BLAS needs
// longer to begin than such a product takes.
func (p *matMul) tile3x3(c, x, y []float64) {
	var c00, c01, c02, c10, c11, c12, c20, c21, c22 float64
	at, bt, xm, yn := 0, 0, p.xm, p.yn
	for range p.k {
		x0, x1, x2 := x[at], x[at+xm], x[at+2*xm]
		v := y[bt]
		c00 += x0 * v
		c10 += x1 * v
		c20 += x2 * v
		v = y[bt+yn]
		c01 += x0 * v
		c11 += x1 * v
		c21 += x2 * v
		v = y[bt+2*yn]
		c02 += x0 * v
		c12 += x1 * v
		c22 += x2 * v
		at += p.xk
		bt += p.yk
	}
	c[0], c[p.cn], c[2*p.cn] = c00, c01, c02
	c = c[p.cm:]
	c[0], c[p.cn], c[2*p.cn] = c10, c11, c12
	c = c[p.cm:]
	c[0], c[p.cn], c[2*p.cn] = c20, c21, c22
}

// tile3x1 is the edge of the tiling: three rows of X by one column of Y, or,
// with the roles exchanged, one row by three columns.
func tile3x1(c []float64, cm int, x []float64, xm, xk int, y []float64, yk, k int) {
	var c0, c1, c2 float64
	at, bt := 0, 0
	for range k {
		v := y[bt]
		c0 += x[at] * v
		c1 += x[at+xm] * v
		c2 += x[at+2*xm] * v
		at += xk
		bt += yk
	}
	c[0], c[cm], c[2*cm] = c0, c1, c2
}

// dotStrided is the dot product of vectors whose strides may be 0.
func dotStrided(x []float64, sx int, y []float64, sy, n int) float64 {
	var t float64
	at, bt := 0, 0
	for range n {
		t += x[at] * y[bt]
		at += sx
		bt += sy
	}
	return t
}

// dotAsm is the length from which a vector dot beats a loop.
const dotAsm = 16

// dotRun is the dot product of two runs, by vector instructions where it is long enough.
func dotRun(t simd.Tier, x []float64, sx int, y []float64, sy, n int) float64 {
	if n < dotAsm {
		return dotStrided(x, sx, y, sy, n)
	}
	if sx == 0 || sy == 0 { // BLAS refuses to stand still
		return dotStrided(x, sx, y, sy, n)
	}
	return simd.BLAS{Tier: t}.Ddot(n, x, sx, y, sy)
}

// runNest runs the loop nest.
func (p *Pair) runNest(c *Ctl, dst, a, b []float64) {
	m := newMeter(c)
	var o odometer
	for {
		p.nestBlock(&m, dst[o.off[slotD]:], a[o.off[slotA]:], b[o.off[slotB]:])
		if !o.next(p.outer) {
			return
		}
	}
}

// nestBlock runs the inner loop at one point of the outer ones: a dot product, or products along
// the result, that add to dst if p.acc is set.
func (p *Pair) nestBlock(m *meter, dst, a, b []float64) {
	sa, sb, sd := p.inner.stride[slotA], p.inner.stride[slotB], p.inner.stride[slotD]
	for lo := 0; lo < p.inner.n; lo += PollOps {
		n := min(PollOps, p.inner.n-lo)
		x, y, z := a[lo*sa:], b[lo*sb:], dst[lo*sd:]
		switch {
		case p.dot && p.acc:
			z[0] += dotRun(m.c.Tier, x, sa, y, sb, n)
		case p.dot:
			z[0] = dotRun(m.c.Tier, x, sa, y, sb, n)
		case p.acc:
			mulAddRun(m.c.Tier, z, sd, x, sa, y, sb, n)
		default:
			mulRun(m.c.Tier, z, sd, x, sa, y, sb, n)
		}
		m.spend(n)
	}
}

// mulRun sets z = x*y along strided runs.
func mulRun(t simd.Tier, z []float64, sd int, x []float64, sa int, y []float64, sb, n int) {
	switch {
	case sd == 1 && sa == 1 && sb == 1:
		evalBinary(t, op.FnMul, z[:n], x[:n], y[:n])
	case sd == 1 && sa == 1 && sb == 0:
		t.Scale(z[:n], y[0], x)
	case sd == 1 && sa == 0 && sb == 1:
		t.Scale(z[:n], x[0], y)
	default:
		for i := range n {
			z[i*sd] = x[i*sa] * y[i*sb]
		}
	}
}

// mulAddRun adds x*y to z along strided runs.
func mulAddRun(t simd.Tier, z []float64, sd int, x []float64, sa int, y []float64, sb, n int) {
	switch {
	case sd == 1 && sa == 1 && sb == 1:
		z, x, y = z[:n], x[:n], y[:n]
		for i := range z {
			z[i] += x[i] * y[i]
		}
	case sd == 1 && sa == 1 && sb == 0:
		t.AddScaled(z[:n], y[0], x)
	case sd == 1 && sa == 0 && sb == 1:
		t.AddScaled(z[:n], x[0], y)
	default:
		for i := range n {
			z[i*sd] += x[i*sa] * y[i*sb]
		}
	}
}
