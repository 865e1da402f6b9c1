package simd

import "ein/vm/op"

// inAssembly numbers the functions that the assembly has, by their place in its
// tables.
var inAssembly = func() (of [256]struct {
	arity uint8
	f     int
}) {
	for arity, fns := range [...][]op.Fn{
		1: {op.FnNeg, op.FnAbs, op.FnNot, op.FnSqrt, op.FnFloor, op.FnStep, op.FnRelu},
		2: {op.FnAdd, op.FnSub, op.FnMul, op.FnDiv, op.FnMax, op.FnMin, op.FnGt, op.FnGe, op.FnLt, op.FnLe, op.FnEq, op.FnNe},
	} {
		for i, f := range fns {
			of[f].arity, of[f].f = uint8(arity), i
		}
	}
	return of
}()

// few is the length of a run below which a call does not pay.
const few = 8

// Apply sets dst to f of a, or of a and b, which are as long and may be dst. It
// reports false, having done nothing, where the tier has no instructions for it.
func (t Tier) Apply(f op.Fn, dst, a, b []float64) bool {
	in := inAssembly[f]
	if in.arity == 0 || len(dst) < few || !t.Vectors() {
		return false
	}
	a = a[:len(dst)]
	if in.arity == 2 {
		t.binary(in.f, dst, a, b[:len(dst)])
	} else {
		t.unary(in.f, dst, a)
	}
	return true
}

// Scale sets dst to x*f.
func (t Tier) Scale(dst []float64, f float64, x []float64) {
	x = x[:len(dst)]
	if len(dst) >= few && t.Vectors() {
		t.scaled(0, dst, x, f)
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
		t.scaled(1, dst, x, f)
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
	if n == 0 || f > op.FoldMin || !t.Vectors() {
		return acc, a
	}
	var lanes [8]float64
	for i := range lanes {
		lanes[i] = f.Identity()
	}
	t.fold(int(f), a[:n], &lanes)
	for i := range 4 {
		lanes[i] = f.Apply(lanes[i], lanes[i+4])
	}
	return f.Apply(acc, f.Apply(f.Apply(lanes[0], lanes[1]), f.Apply(lanes[2], lanes[3]))), a[n:]
}

// HasPopAnd reports whether PopAnd is there: VPOPCNTDQ.
func (t Tier) HasPopAnd() bool { return t.set() == AVX512 }

// Rows and columns of a tile of counts.
const (
	CountRows    = 6
	CountColumns = 24
)

// countWords is the most words of a row that a Panel has room for.
const countWords = 2048

// HasCounts reports whether a Panel can count the ones that rows of so many words
// have in common.
func (t Tier) HasCounts(words int) bool { return t.set() == AVX512 && words > 0 && words <= countWords }

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
