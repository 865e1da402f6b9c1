package simd

import (
	"math"
	"unsafe"
)

// supported are the tiers that a processor can have: NEON is there always.
func supported() []Tier { return []Tier{Plain, NEON} }

// The assembly in neon_arm64.s.

//go:noescape
func gemm8NEON(p *panel)

//go:noescape
func gemm2NEON(p *panel)

//go:noescape
func dotNEON(n int, x, y *float64) float64

//go:noescape
func axpyNEON(n int, y, x *float64, f float64)

//go:noescape
func popAndNEON(n int, a, b *uint64) int

//go:noescape
func countsNEON(words int, a *uint64, ars int, b *uint64, c *float64, crs int)

// multiply multiplies a panel of any number of columns: eight at a time, then two, and
// the last one in Go, each term in one step as in the others.
func (Tier) multiply(p panel, columns int) {
	for ; columns >= 8; columns -= 8 {
		gemm8NEON(&p)
		p.move(8)
	}
	for ; columns >= 2; columns -= 2 {
		gemm2NEON(&p)
		p.move(2)
	}
	if columns == 0 {
		return
	}
	at := func(x *float64, offset int) *float64 { return (*float64)(unsafe.Add(unsafe.Pointer(x), offset)) }
	for i := range p.m {
		var s float64
		for l := range p.k {
			s = math.FMA(*at(p.a, i*p.ars+l*p.aks), *at(p.b, l*p.bks), s)
		}
		if c := at(p.c, i*p.crs); p.add != 0 {
			*c += s
		} else {
			*c = s
		}
	}
}

func (Tier) dot(x, y []float64) float64 { return dotNEON(len(x), &x[0], &y[0]) }

func (Tier) axpy(y []float64, f float64, x []float64) { axpyNEON(len(y), &y[0], &x[0], f) }

func (Tier) popAnd(a, b []uint64) int { return popAndNEON(len(a), &a[0], &b[0]) }

func (Tier) counts(p *Panel, c []float64, ldc int, a []uint64, stride int) {
	countsNEON(p.words, &a[0], 8*stride, &p.b[0], &c[0], 8*ldc)
}
