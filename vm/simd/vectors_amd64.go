package simd

import (
	"cmp"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasRuns is whether there are kernels for runs of numbers.
const hasRuns = true

// supported are the tiers of this processor. GODEBUG=cpu.avx512f=off and its like take
// features away.
func supported() []Tier {
	tiers, x := []Tier{Plain}, &cpu.X86
	if x.HasAVX2 && x.HasFMA {
		tiers = append(tiers, AVX2)
	}
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VPOPCNTDQ {
		tiers = append(tiers, AVX512)
	}
	return tiers
}

//go:generate sh -c "cd gen && go run . -pkg simd -out ../kernels_amd64.s -stubs ../kernels_amd64.go"

// Masks of the last vector of a run, by how much of it there is; 0 stands for all.
var (
	masks512 = [8]uint16{0xff, 1, 3, 7, 0xf, 0x1f, 0x3f, 0x7f}
	masks256 = [4][4]int64{{-1, -1, -1, -1}, {-1}, {-1, -1}, {-1, -1, -1}}
)

func mask512(n int) *byte { return (*byte)(unsafe.Pointer(&masks512[n%8])) }
func mask256(n int) *byte { return (*byte)(unsafe.Pointer(&masks256[n%4])) }

// multiply multiplies a panel of any number of columns.
func (t Tier) multiply(p panel, columns int) {
	if t.set() == AVX512 {
		multiply512(p, columns)
	} else {
		multiply256(p, columns)
	}
}

// multiply512 divides the columns into blocks that the registers hold: up to 3 vectors of 8 rows,
// or 8 vectors of one row.
func multiply512(p panel, columns int) {
	p.next = cmp.Or(p.next, 8*p.ars)
	for {
		n := min(columns, 24)
		if p.m == 1 && columns >= 64 {
			n = 64
		}
		at := (*byte)(unsafe.Pointer(&p))
		p.mask = mask512(n)
		switch {
		case n == 64:
			gemm1x8AVX512(at)
		case n > 16:
			gemm8x3AVX512(at)
		case n > 8:
			gemm8x2AVX512(at)
		default:
			gemm8x1AVX512(at)
		}
		if columns -= n; columns == 0 {
			return
		}
		p.move(n)
	}
}

// multiply256 is multiply512 with up to 3 vectors of 4 rows, or 6 of one row.
func multiply256(p panel, columns int) {
	p.next = cmp.Or(p.next, 4*p.ars)
	for {
		n := min(columns, 8)
		if p.m == 1 && columns >= 24 {
			n = 24
		} else if columns >= 12 {
			n = 12
		}
		at := (*byte)(unsafe.Pointer(&p))
		p.mask = mask256(n)
		switch {
		case n == 24:
			gemm1x6AVX2(at)
		case n == 12:
			gemm4x3AVX2(at)
		case n > 4:
			gemm4x2AVX2(at)
		default:
			gemm4x1AVX2(at)
		}
		if columns -= n; columns == 0 {
			return
		}
		p.move(n)
	}
}

func (t Tier) dot(x, y []float64) float64 {
	if t.set() == AVX512 {
		return dotAVX512(len(x), &x[0], &y[0], mask512(len(x)))
	}
	return dotAVX2(len(x), &x[0], &y[0], mask256(len(x)))
}

func (t Tier) unary(f int, dst, a []float64) float64 {
	if t.set() == AVX512 {
		return unaryAVX512(f, len(dst), &dst[0], &a[0], nil, mask512(len(dst)))
	}
	return unaryAVX2(f, len(dst), &dst[0], &a[0], nil, mask256(len(dst)))
}

func (t Tier) binary(f int, dst, a, b []float64) float64 {
	if t.set() == AVX512 {
		return binaryAVX512(f, len(dst), &dst[0], &a[0], &b[0], mask512(len(dst)))
	}
	return binaryAVX2(f, len(dst), &dst[0], &a[0], &b[0], mask256(len(dst)))
}

func (Tier) binaryPast(f int, dst, a, b []float64) float64 {
	return binaryPastAVX2(f, len(dst), &dst[0], &a[0], &b[0], nil)
}

func (t Tier) marks(f int, dst []uint64, a, b []float64) {
	if t.set() == AVX512 {
		marksAVX512(f, len(a), &dst[0], &a[0], &b[0])
	} else {
		marksAVX2(f, len(a), &dst[0], &a[0], &b[0])
	}
}

func (t Tier) spread(dst []float64, words []uint64) {
	if t.set() == AVX512 {
		spreadAVX512(len(dst), &dst[0], &words[0])
	} else {
		spreadAVX2(len(dst), &dst[0], &words[0])
	}
}

func (t Tier) past(dst, a []float64) {
	if t.set() == AVX512 {
		pastAVX512(len(dst), &dst[0], &a[0])
	} else {
		pastAVX2(len(dst), &dst[0], &a[0])
	}
}

func (t Tier) addEight(dst, a []float64, stride int) {
	if t.set() == AVX512 {
		addEightAVX512(len(dst), &dst[0], &a[0], stride)
	} else {
		addEightAVX2(len(dst), &dst[0], &a[0], stride)
	}
}

func (t Tier) scale(dst []float64, f float64, x []float64) { t.scaled(0, dst, x, f) }

func (t Tier) axpy(y []float64, f float64, x []float64) { t.scaled(1, y, x, f) }

func (t Tier) scaled(f int, dst, a []float64, by float64) {
	if t.set() == AVX512 {
		scaledAVX512(f, len(dst), &dst[0], &a[0], &by, mask512(len(dst)))
	} else {
		scaledAVX2(f, len(dst), &dst[0], &a[0], &by, mask256(len(dst)))
	}
}

// falls takes whole vectors, and returns how many numbers that is.
func (t Tier) falls(x []int32, step, most int) (n, falls, outside int) {
	if t.set() == AVX512 {
		if n = (len(x) - 1) &^ 15; n > 0 {
			falls, outside = fallsAVX512(n, &x[1], step, most)
		}
	} else if n = (len(x) - 1) &^ 7; n > 0 {
		falls, outside = fallsAVX2(n, &x[1], step, most)
	}
	return n, falls, outside
}

func (t Tier) fold(f int, a []float64, lanes *[8]float64) {
	if t.set() == AVX512 {
		foldAVX512(f, len(a), &a[0], lanes)
	} else {
		foldAVX2(f, len(a), &a[0], lanes)
	}
}

func (t Tier) popAnd(a, b []uint64) int {
	if t.set() == AVX512 {
		return popAndAVX512(len(a), &a[0], &b[0], mask512(len(a)))
	}
	return popAndAVX2(len(a), &a[0], &b[0], mask256(len(a)))
}

// meeting goes over the row in parts that the registers hold, each against all rows.
func (t Tier) meeting(row []uint64, rows [][]uint64) (some uint64) {
	avx512 := t.set() == AVX512
	most := 32 // words that registers hold
	if avx512 {
		most = 64
	}
	for at := 0; at < len(row); at += most {
		n := min(most, len(row)-at)
		if avx512 {
			some |= meetingAVX512(n, &row[at], &rows[0], len(rows), at, mask512(n))
		} else {
			some |= meetingAVX2(n, &row[at], &rows[0], len(rows), at, mask256(n))
		}
	}
	return some
}

func (t Tier) common(named, rows, row []uint64) int {
	if t.set() == AVX512 {
		return commonAVX512(len(named), &named[0], &rows[0], &row[0])
	}
	return commonAVX2(len(named), &named[0], &rows[0], &row[0])
}

func (t Tier) counts(p *Panel, c []float64, ldc int, a []uint64, stride int) {
	if t.set() == AVX512 {
		countsAVX512(p.words, &a[0], 8*stride, &p.b[0], &c[0], 8*ldc)
	} else {
		countsAVX2(p.words, &a[0], 8*stride, &p.b[0], &c[0], 8*ldc)
	}
}

func (Tier) listRows(list []int32, words []uint64) int {
	return listRowsAVX512(len(words), &words[0], &list[0])
}

func (Tier) addRows(p *Planes, panel []PlaneRow, rows []int32) {
	addRowsAVX512(len(rows), &rows[0], &panel[0], (*[16][8]uint64)(p))
}

func (Tier) readPlanes(dst *[PlaneColumns]float64, p *Planes, low, high int) {
	readPlanesAVX512(dst, (*[16][8]uint64)(p), low, high)
}

func (t Tier) transpose(b *[64]uint64) {
	if t.set() == AVX512 {
		transposeAVX512(b)
	} else {
		transposeAVX2(b)
	}
}
