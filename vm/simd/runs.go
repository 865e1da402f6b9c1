package simd

import (
	"math"
	"math/bits"
	"unsafe"

	"ein/vm/op"
)

// inAssembly numbers the functions that the assembly has, by their place in its
// tables.
var inAssembly = func() (of [256]struct {
	arity uint8
	f     int
}) {
	for arity, fns := range [...][]op.Fn{
		1: {op.FnNeg, op.FnAbs, op.FnNot, op.FnSqrt, op.FnFloor, op.FnStep, op.FnRelu, op.FnRound, op.FnExp, op.FnSigmoid},
		2: {op.FnAdd, op.FnSub, op.FnMul, op.FnDiv, op.FnMax, op.FnMin, op.FnGt, op.FnGe, op.FnLt, op.FnLe, op.FnEq, op.FnNe},
	} {
		for i, f := range fns {
			of[f].arity, of[f].f = uint8(arity), i
		}
	}
	return of
}()

func (t Tier) hasRuns() bool { return hasRuns && t.Vectors() }

// few is the length of a run below which a call does not pay.
const few = 8

// Apply sets dst to f of a, or of a and b, which are as long and may be dst, and gives
// the sum of dst in some order, which is finite only if all of dst is. It reports false,
// having done nothing, where the tier has no instructions for it.
func (t Tier) Apply(f op.Fn, dst, a, b []float64) (sum float64, ok bool) {
	in := inAssembly[f]
	if in.arity == 0 || len(dst) < few || !t.hasRuns() {
		return 0, false
	}
	a = a[:len(dst)]
	if in.arity == 2 {
		return t.binary(in.f, dst, a, b[:len(dst)]), true
	}
	return t.unary(in.f, dst, a), true
}

// HasPast reports whether ApplyPast has instructions for f.
func (t Tier) HasPast(f op.Fn) bool {
	return (f == op.FnAdd || f == op.FnSub || f == op.FnMul || f == op.FnDiv) && t.hasRuns()
}

// ApplyPast is Apply without taking room in the caches, for the functions that HasPast names: the
// numbers outside whole cache lines of dst are made in Go.
func (t Tier) ApplyPast(f op.Fn, dst, a, b []float64) (sum float64) {
	const line = 8 // numbers
	a, b = a[:len(dst)], b[:len(dst)]
	from := 0
	if len(dst) > 0 {
		from = min(len(dst), int(-uintptr(unsafe.Pointer(&dst[0]))/8%line))
	}
	to := from + (len(dst)-from)&^(line-1)
	if from < to {
		sum = t.binaryPast(inAssembly[f].f, dst[from:to], a[from:], b[from:])
	}
	for _, some := range [][2]int{{0, from}, {to, len(dst)}} {
		for i := some[0]; i < some[1]; i++ {
			dst[i] = f.Apply(a[i], b[i], 0)
			sum += dst[i]
		}
	}
	return sum
}

// Marks sets bits of dst, which has no more words than that takes, to whether a and b, which is
// as long, compare as f says, and clears the rest of the last word. It reports false, having done
// nothing, where the tier has no instructions for it.
func (t Tier) Marks(f op.Fn, dst []uint64, a, b []float64) bool {
	const most = 8 // numbers of a byte
	n := len(a) &^ (most - 1)
	if f < op.FnGt || f > op.FnNe || n == 0 || !t.hasRuns() {
		return false
	}
	b = b[:len(a)]
	last := &dst[(len(a)-1)/64]
	*last = 0
	t.marks(int(f-op.FnGt), dst, a[:n], b)
	if rest := len(a) - n; rest > 0 { // from the last whole byte of numbers
		var end [1]uint64
		t.marks(int(f-op.FnGt), end[:], a[len(a)-most:], b[len(a)-most:])
		*last |= end[0] >> (most - rest) << (n % 64)
	}
	return true
}

// Spread sets dst to the bits of words, the lowest first: in Go as the pattern of 0 or 1, without a
// conversion or a branch.
func (t Tier) Spread(dst []float64, words []uint64) {
	const one, most = 0x3ff0000000000000, 8 // numbers of a byte
	at := 0
	if n := len(dst) &^ (most - 1); n > 0 && t.hasRuns() {
		_ = words[(n-1)/64]
		t.spread(dst[:n], words)
		at = n
	}
	for ; at+most <= len(dst); at += most {
		x, o := words[at/64]>>(at%64), (*[most]float64)(dst[at:])
		o[0] = math.Float64frombits(-(x & 1) & one)
		o[1] = math.Float64frombits(-(x >> 1 & 1) & one)
		o[2] = math.Float64frombits(-(x >> 2 & 1) & one)
		o[3] = math.Float64frombits(-(x >> 3 & 1) & one)
		o[4] = math.Float64frombits(-(x >> 4 & 1) & one)
		o[5] = math.Float64frombits(-(x >> 5 & 1) & one)
		o[6] = math.Float64frombits(-(x >> 6 & 1) & one)
		o[7] = math.Float64frombits(-(x >> 7 & 1) & one)
	}
	for ; at < len(dst); at++ {
		dst[at] = math.Float64frombits(-(words[at/64] >> (at % 64) & 1) & one)
	}
}

// Past copies a to dst, which is as long, without taking room in the caches: where it
// would not stay there anyhow, that saves reading dst first.
func (t Tier) Past(dst, a []float64) {
	const line, group = 8, 32 // numbers of a cache line, and of a turn of the loop
	if len(dst) >= line+group && t.hasRuns() {
		head := int(-uintptr(unsafe.Pointer(&dst[0])) / 8 % line)
		copy(dst[:head], a)
		dst, a = dst[head:], a[head:]
		n := len(dst) &^ (group - 1)
		t.past(dst[:n], a[:n])
		dst, a = dst[n:], a[n:]
	}
	copy(dst, a)
}

// AddEight adds eight rows of a, which are as long as dst and stride apart, to dst: to each number of it,
// one after the other.
func (t Tier) AddEight(dst, a []float64, stride int) {
	const rows, group = 8, 16 // numbers of a turn of the loop
	n := len(dst) &^ (group - 1)
	if _ = a[:(rows-1)*stride+len(dst)]; n > 0 && t.hasRuns() {
		t.addEight(dst[:n], a, stride)
		dst, a = dst[n:], a[n:]
	}
	for i := range rows {
		for j, x := range a[i*stride:][:len(dst)] {
			dst[j] += x
		}
	}
}

// Scale sets dst to x*f.
func (t Tier) Scale(dst []float64, f float64, x []float64) {
	x = x[:len(dst)]
	if len(dst) >= few && t.hasRuns() {
		t.scale(dst, f, x)
		return
	}
	for i := range dst {
		dst[i] = x[i] * f
	}
}

// AddScaled adds x*f to dst.
func (t Tier) AddScaled(dst []float64, f float64, x []float64) {
	x = x[:len(dst)]
	if len(dst) >= few && t.Vectors() {
		t.axpy(dst, f, x)
		return
	}
	for i := range dst {
		dst[i] += x[i] * f
	}
}

// Fold folds the beginning of a into acc, by a sum, maximum or minimum, and gives
// what is left of a: all of it where the tier has no instructions for it. Equal
// runs have equal sums, wherever they lie.
func (t Tier) Fold(f op.Fold, acc float64, a []float64) (float64, []float64) {
	const most = 4 * 8
	n := len(a) &^ (most - 1)
	if n == 0 || f > op.FoldMin || !t.hasRuns() {
		return acc, a
	}
	var lanes [8]float64
	if f != op.FoldSum { // whose identity is 0
		one := f.Identity()
		lanes = [8]float64{one, one, one, one, one, one, one, one}
	}
	t.fold(int(f), a[:n], &lanes)
	for i := range 4 {
		lanes[i] = f.Apply(lanes[i], lanes[i+4])
	}
	return f.Apply(acc, f.Apply(f.Apply(lanes[0], lanes[1]), f.Apply(lanes[2], lanes[3]))), a[n:]
}

// Falls counts the numbers of x, none at first, that are less than step above the one before, and
// reports whether all are from 0 to most: if not, the count means nothing.
func (t Tier) Falls(x []int32, step, most int32) (falls int, inside bool) {
	if len(x) == 0 {
		return 0, true
	}
	at, outside, wrong := 0, 0, x[0]|(most-x[0])
	if t.hasRuns() {
		at, falls, outside = t.falls(x, int(step), int(most))
	}
	before := x[at]
	n := uint32(0)
	for _, j := range x[at+1:] {
		wrong |= j | (most - j)
		n += uint32(j-before-step) >> 31
		before = j
	}
	return falls + int(n), outside == 0 && wrong >= 0
}

// PopAnd returns the number of ones of a AND b, which is as long. In Go an unrolled loop
// takes 1.3 times as long as the plain one, and adders of bits 1.4 times: without a
// promise of POPCNT from the build each count is tested for, and saves what is live.
func (t Tier) PopAnd(a, b []uint64) int {
	b = b[:len(a)]
	if len(a) >= few && t.Vectors() {
		return t.popAnd(a, b)
	}
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return n
}

// Meeting has a bit for each of up to 64 rows that has a one in common with row, which is no
// longer than any of them.
func (t Tier) Meeting(row []uint64, rows [][]uint64) (some uint64) {
	for _, other := range rows {
		_ = other[:len(row)]
	}
	if len(rows) > 0 && len(row) > 0 && t.hasRuns() {
		return t.meeting(row, rows)
	}
	for k, other := range rows {
		for w, x := range row {
			if x&other[w] != 0 {
				some |= 1 << k
				break
			}
		}
	}
	return some
}

// CommonWords is the width of the rows that Common has instructions for.
const CommonWords = 16

// Common returns how many ones a row has in common with each of those of rows, which are
// as wide, that named has a bit for.
func (t Tier) Common(named, rows, row []uint64) int {
	if len(named) > 0 && len(row) == CommonWords && t.hasRuns() {
		return t.common(named, rows, row)
	}
	n := 0
	for k, x := range named {
		for ; x != 0; x &= x - 1 {
			at := rows[(64*k+bits.TrailingZeros64(x))*len(row):]
			n += t.PopAnd(row, at[:len(row)])
		}
	}
	return n
}

// Rows and columns of a tile of counts.
const (
	CountRows    = 6
	CountColumns = 24
)

// countWords is the most words of a row that a Panel has room for.
const countWords = 2048

// HasCounts reports whether a Panel can count the ones that rows of so many words
// have in common.
func (t Tier) HasCounts(words int) bool { return t.Vectors() && words > 0 && words <= countWords }

// Panel is up to CountColumns rows of bits, word after word of all of them.
type Panel struct {
	words int
	b     [countWords * CountColumns]uint64
}

// Pack copies rows of bits, wide of them, stride words apart.
func (p *Panel) Pack(rows []uint64, stride, wide, words int) {
	p.words = words
	for j := range CountColumns {
		if j >= wide {
			for w := range words {
				p.b[w*CountColumns+j] = 0
			}
			continue
		}
		for w, x := range rows[j*stride : j*stride+words] {
			p.b[w*CountColumns+j] = x
		}
	}
}

// Count sets CountRows x wide elements of C, ldc apart, to how many ones rows of A,
// stride words apart, have in common with those of the panel.
func (t Tier) Count(p *Panel, c []float64, ldc int, a []uint64, stride, wide int) {
	_, _ = a[(CountRows-1)*stride+p.words-1], c[(CountRows-1)*ldc+wide-1]
	if wide == CountColumns {
		t.counts(p, c, ldc, a, stride)
		return
	}
	var tile [CountRows * CountColumns]float64
	t.counts(p, tile[:], CountColumns, a, stride)
	for i := range CountRows {
		copy(c[i*ldc:i*ldc+wide], tile[i*CountColumns:])
	}
}

// Transpose transposes 64x64 bits: swap the upper right quarter with the lower left
// one, then so within each, and so on (Hacker's Delight, 7-3).
func (t Tier) Transpose(b *[64]uint64) {
	if t.hasRuns() {
		t.transpose(b)
		return
	}
	for h := 32; h > 0; h /= 2 {
		mask := ^uint64(0) / (1<<h + 1)
		for k := 0; k < 64; k = (k + h + 1) &^ h {
			x := (b[k]>>h ^ b[k+h]) & mask
			b[k+h] ^= x
			b[k] ^= x << h
		}
	}
}
