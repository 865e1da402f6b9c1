// Command gen writes the assembly of ein/vm/simd for amd64: go generate there
// runs it.
//
// Each kernel is written once, for a machine that is told how wide its vectors
// are and how many of them there are, and comes out for AVX2 and for AVX-512.
package main

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// main writes all kernels for both machines, and three for AVX-512 alone. Their order is that of
// the file.
func main() {
	ConstraintExpr("amd64")
	for _, m := range []machine{avx2, avx512} {
		for v := 1; v <= m.wide; v++ {
			m.gemm(v, m.tall)
		}
		m.gemm(m.streams, 1)
		m.dot()
		m.stream("unary", unary)
		m.stream("binary", binary)
		m.stream("scaled", scaled)
		m.past()
		m.addEight()
		m.marks()
		m.spread()
		m.falls()
		m.folds()
		m.popAnd()
		m.meeting()
		m.counts()
		m.common()
		m.transpose()
	}
	avx2.stream("binaryPast", binary[:arithmetic]) // no slower than with vectors of twice the width
	avx512.listRows()
	avx512.addRows()
	avx512.readPlanes()
	Generate()
}

// machine is a generation of vector instructions. A kernel asks it for registers and for the
// instructions that differ, so that most of a kernel is written once.
type machine struct {
	name    string
	lanes   int // doubles in a vector
	tall    int // rows of the tile of a product
	wide    int // vectors in a row of it
	streams int // vectors in the row of a product of one row
	regs    []VecPhysical
	abreast [4][]VecPhysical // for what is done with several vectors at a time
}

var (
	avx2 = machine{"AVX2", 4, 4, 3, 6, []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15},
		[4][]VecPhysical{{Y0, Y1}, {Y2, Y3}, {Y4, Y9}, {Y10, Y11}}}
	avx512 = machine{"AVX512", 8, 8, 3, 8, []VecPhysical{
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
	}, [4][]VecPhysical{{Z16, Z17, Z18, Z19}, {Z20, Z21, Z22, Z23}, {Z24, Z25, Z26, Z27}, {Z28, Z29, Z30, Z31}}}
)

// bytes is the size of a vector.
func (m machine) bytes() int { return 8 * m.lanes }

// begin begins a function, with its parameters in registers.
func (m machine) begin(name, signature, does string, to ...Register) {
	TEXT(name+m.name, NOSPLIT, signature)
	Doc(name + m.name + " " + does)
	Pragma("noescape")
	for i, r := range to {
		Load(ParamIndex(i), r)
	}
}

// end returns from it.
func end() {
	VZEROUPPER()
	RET()
}

// branch goes to the label whose place is in RAX.
func branch(labels []string) {
	for i, label := range labels {
		CMPQ(RAX, U8(i))
		JEQ(LabelRef(label))
	}
	RET()
}

// load reads a vector. A masked one is what is left at the end of a run: AVX-512 has a register for
// the mask (K1), AVX2 takes it from its last vector register. What is masked out is not touched, so
// a run may end at the end of a page.
func (m machine) load(from Mem, to VecPhysical, masked bool) {
	switch {
	case !masked:
		VMOVUPD(from, to)
	case m.lanes == 8:
		VMOVUPD_Z(from, K1, to)
	default:
		VMASKMOVPD(from, m.mask(), to)
	}
}

// store writes a vector, masked as load.
func (m machine) store(from VecPhysical, to Mem, masked bool) {
	switch {
	case !masked:
		VMOVUPD(from, to)
	case m.lanes == 8:
		VMOVUPD(from, K1, to)
	default:
		VMASKMOVPD(from, m.mask(), to)
	}
}

// mask is the register that AVX2 keeps the mask in.
func (m machine) mask() VecPhysical { return m.regs[len(m.regs)-1] }

// loadMask takes the mask that RDX points at: a bit for each lane, or a word.
func (m machine) loadMask() {
	if m.lanes == 8 {
		KMOVW(Mem{Base: RDX}, K1)
	} else {
		VMOVUPD(Mem{Base: RDX}, m.mask())
	}
}

// zero clears a register.
func (m machine) zero(x VecPhysical) {
	m.bitwise(func(a, b, to Op) { VXORPD(a, b, to) }, VPXORQ, x, x, x)
}

// field is a field of the panel that RDX points at.
func field(i int) Mem { return Mem{Base: RDX, Disp: 8 * i} }

// Fields of a panel that are read again for each tile.
const (
	fieldK    = 1
	fieldMask = 9
	fieldAdd  = 10
	fieldNext = 11
)

// gemm writes the product of rows of A with a panel of B that is v vectors wide.
// The sums of a tile stay in registers, one for each vector of each row, and each
// takes its terms one by one, so that an element of C is the same wherever in a
// tile it stands. The last vector is masked, but for AVX2 in its full tile, where
// no register is left for the mask.
func (m machine) gemm(v, tall int) {
	masked := m.lanes == 8 || v*tall+v+2 <= len(m.regs)
	last := "all of them whole"
	if masked {
		last = "the last of them masked"
	}
	m.begin(fmt.Sprintf("gemm%dx%d", tall, v), "func(panel *byte)",
		fmt.Sprintf("multiplies a panel of %d vectors, %s, in tiles of %d rows.", v, last, tall), RDX)
	for i, r := range []Register{RCX, nil, RAX, R9, R11, R15, R12, RBX, R13} {
		if r != nil {
			MOVQ(field(i), r)
		}
	}
	LEAQ(Mem{Base: R9, Index: R9, Scale: 2}, R10)
	if masked {
		MOVQ(field(fieldMask), RDX)
		m.loadMask()
	}
	// What is left of the rows is done by tiles of half as many, and so on.
	for rows := tall; rows > 0; rows /= 2 {
		more, done := fmt.Sprintf("by%d", rows), fmt.Sprintf("by%ddone", rows)
		if tall > 1 {
			CMPQ(RCX, U8(rows))
			JLT(LabelRef(done))
			Label(more)
		}
		m.tile(rows, v, masked)
		if rows == 1 {
			break
		}
		if rows == tall {
			ADDQ(field(fieldNext), RAX)
		} else {
			LEAQ(Mem{Base: RAX, Index: R9, Scale: uint8(rows)}, RAX)
		}
		SUBQ(U8(rows), RCX)
		if rows == tall {
			CMPQ(RCX, U8(rows))
			JGE(LabelRef(more))
		}
		Label(done)
	}
	if tall > 1 {
		Label("by1done")
	}
	end()
}

var tiles int

// tile multiplies rows rows and moves RBX behind them.
func (m machine) tile(rows, v int, masked bool) {
	tiles++
	label := func(s string) string { return fmt.Sprintf("%s%d", s, tiles) }
	sum := func(r, i int) VecPhysical { return m.regs[r*v+i] }
	of := m.regs[rows*v:]
	b, a := of[:v], of[v:v+1]
	if m.lanes == 8 {
		a = of[v : v+min(4, len(of)-v)]
	}
	MOVQ(R15, RSI)
	MOVQ(RAX, RDI)
	if rows > 4 {
		LEAQ(Mem{Base: RAX, Index: R9, Scale: 4}, R8)
	}
	for r := range rows {
		for i := range v {
			m.zero(sum(r, i))
		}
	}
	row := func(r int) Mem {
		base := Mem{Base: RDI}
		if r >= 4 {
			base = Mem{Base: R8}
		}
		switch r % 4 {
		case 1:
			base.Index, base.Scale = R9, 1
		case 2:
			base.Index, base.Scale = R9, 2
		case 3:
			base.Index, base.Scale = R10, 1
		}
		return base
	}
	term := func() {
		for i := range v {
			m.load(Mem{Base: RSI, Disp: i * m.bytes()}, b[i], masked && i == v-1)
		}
		for r := range rows {
			x := a[r%len(a)]
			VBROADCASTSD(row(r), x)
			for i := range v {
				VFMADD231PD(b[i], x, sum(r, i))
			}
		}
		ADDQ(R12, RSI)
		ADDQ(R11, RDI)
		if rows > 4 {
			ADDQ(R11, R8)
		}
	}
	Load(Param("panel"), RDX)
	if rows > 1 {
		// What the sums are added to is far away where C is large.
		MOVQ(RBX, RDX)
		for range rows {
			for i := 0; i < v*m.bytes(); i += 64 {
				PREFETCHT0(Mem{Base: RDX, Disp: i})
			}
			ADDQ(R13, RDX)
		}
		Load(Param("panel"), RDX)
	}
	MOVQ(field(fieldK), RDX)
	SHRQ(U8(1), RDX)
	JEQ(LabelRef(label("last")))
	Label(label("terms"))
	term()
	term()
	SUBQ(U8(1), RDX)
	JNE(LabelRef(label("terms")))
	Label(label("last"))
	Load(Param("panel"), RDX)
	MOVQ(field(fieldK), RDX)
	ANDQ(U8(1), RDX)
	JEQ(LabelRef(label("sums")))
	term()
	Label(label("sums"))
	Load(Param("panel"), RDX)
	CMPQ(field(fieldAdd), U8(0))
	JEQ(LabelRef(label("set")))
	MOVQ(RBX, RSI)
	for r := range rows {
		for i := range v {
			m.load(Mem{Base: RSI, Disp: i * m.bytes()}, b[0], masked && i == v-1)
			VADDPD(b[0], sum(r, i), sum(r, i))
		}
		ADDQ(R13, RSI)
	}
	Label(label("set"))
	for r := range rows {
		for i := range v {
			m.store(sum(r, i), Mem{Base: RBX, Disp: i * m.bytes()}, masked && i == v-1)
		}
		ADDQ(R13, RBX)
	}
}

// chains is how many sums of a dot product run side by side, so that none waits
// for itself.
const chains = 4

// dot writes the dot product of two runs.
func (m machine) dot() {
	m.begin("dot", "func(n int, x, y *float64, mask *byte) float64",
		fmt.Sprintf("is the dot product of n doubles. The mask is of the last n%%%d.", m.lanes), RCX, RSI, RDI, RDX)
	m.loadMask()
	x, y := Mem{Base: RSI}, Mem{Base: RDI}
	sums, at := m.regs[:chains], m.regs[chains]
	for _, s := range sums {
		m.zero(s)
	}
	m.vectors("", chains, func(i int) {
		VMOVUPD(x.Offset(i*m.bytes()), at)
		VFMADD231PD(y.Offset(i*m.bytes()), at, sums[i])
	}, RSI, RDI)
	CMPQ(RCX, U8(0))
	JEQ(LabelRef("sum"))
	m.load(x, at, true)
	m.load(y, m.regs[chains+1], true)
	VFMADD231PD(m.regs[chains+1], at, sums[0])
	Label("sum")
	m.total(sums)
	Store(X0, ReturnIndex(0))
	end()
}

// vectors is groups for what does the same with each vector.
func (m machine) vectors(label string, most int, each func(i int), cursors ...Register) {
	m.groups(label, most, func(n int) {
		for i := range n {
			each(i)
		}
	}, cursors...)
}

// groups writes the loop over the whole vectors of RCX words, most at a time and
// then one by one, and leaves in RCX how many are left.
func (m machine) groups(label string, most int, do func(n int), cursors ...Register) {
	for _, n := range []int{most, 1} {
		done := fmt.Sprintf("%sby%ddone", label, n)
		CMPQ(RCX, U8(n*m.lanes))
		JLT(LabelRef(done))
		m.full(label, n, do, cursors...)
		Label(done)
	}
}

// full is groups without those of one vector, where there is at least one group.
func (m machine) full(label string, n int, do func(n int), cursors ...Register) {
	loop := fmt.Sprintf("%sby%d", label, n)
	Label(loop)
	do(n)
	for _, c := range cursors {
		ADDQ(U32(n*m.bytes()), c)
	}
	SUBQ(U8(n*m.lanes), RCX)
	CMPQ(RCX, U8(n*m.lanes))
	JGE(LabelRef(loop))
}

// total adds up the lanes of all sums, into the first register.
func (m machine) total(sums []VecPhysical) {
	for n := len(sums); n > 1; n /= 2 {
		for i := range n / 2 {
			VADDPD(sums[i+n/2], sums[i], sums[i])
		}
	}
	if sums[0] != m.regs[0] {
		VMOVUPD(sums[0], m.regs[0])
	}
	m.across(m.regs[0], sums[1])
}

// across adds up the lanes of x, with y for scratch. x is the first register.
func (m machine) across(x, y VecPhysical) {
	if m.lanes == 8 {
		VEXTRACTF64X4(U8(1), x, y.AsY())
		VADDPD(y.AsY(), x.AsY(), x.AsY())
	}
	VEXTRACTF128(U8(1), x.AsY(), y.AsX())
	VADDPD(y.AsX(), x.AsX(), x.AsX())
	VPERMILPD(U8(1), x.AsX(), y.AsX())
	VADDSD(y.AsX(), x.AsX(), x.AsX())
}

// constant fills x with a word.
func constant(word uint64, x VecPhysical) {
	MOVQ(U64(word), R8)
	VMOVQ(R8, x.AsX())
	VBROADCASTSD(x.AsX(), x)
}

const (
	one      = 0x3ff0000000000000 // 1.0
	signBits = 1 << 63
)

// elementwise is a function of vectors, or of pairs of them. Of the registers, a and b hold its
// arguments, and k its constant; to are others. Functions of one argument may use b.
type elementwise struct {
	name     string
	constant uint64
	do       func(m machine, a, b, to []VecPhysical, k VecPhysical)
}

// each is a function of a few instructions, which does one vector after the other.
func each(do func(m machine, a, b, k, to VecPhysical)) func(m machine, a, b, to []VecPhysical, k VecPhysical) {
	return func(m machine, a, b, to []VecPhysical, k VecPhysical) {
		for i := range a {
			do(m, a[i], b[i], k, to[i])
		}
	}
}

// compare is 1 where a and b compare as the predicate of VCMPPD says, else 0.
func compare(name string, predicate uint8) elementwise {
	return elementwise{name, one, each(func(m machine, a, b, k, to VecPhysical) { m.truth(predicate, a, b, k, to) })}
}

// truth sets to to k where a and b compare as the predicate says, and to 0 elsewhere.
func (m machine) truth(predicate uint8, a, b, k, to VecPhysical) {
	if m.lanes == 8 {
		VCMPPD(U8(predicate), b, a, K2)
		VMOVUPD_Z(k, K2, to)
	} else {
		VCMPPD(U8(predicate), b, a, to)
		VANDPD(k, to, to)
	}
}

// pick sets to to x where a and b compare as the predicate says, with one more
// register of scratch.
func (m machine) pick(predicate uint8, a, b, x, to, scratch VecPhysical) {
	if m.lanes == 8 {
		VCMPPD(U8(predicate), b, a, K2)
		VMOVUPD(x, K2, to)
	} else {
		VCMPPD(U8(predicate), b, a, scratch)
		VBLENDVPD(scratch, x, to, to)
	}
}

// Predicates of VCMPPD.
const (
	equal, less, lessOrEqual, unordered, notEqual, greaterOrEqual, greater = 0, 1, 2, 3, 4, 13, 14
)

// greatest is max as Go has it, which VMAXPD is not: a NaN wins, and 0 is more than
// -0. k is scratch.
func greatest(m machine, a, b, k, to VecPhysical) {
	VMAXPD(b, a, to)
	VANDPD(a, b, k)
	m.pick(equal, a, b, k, to, m.regs[13])
	m.pick(unordered, a, a, a, to, m.regs[13])
}

// least is min as Go has it: a NaN wins, and -0 is less than 0.
func least(m machine, a, b, k, to VecPhysical) {
	VMINPD(b, a, to)
	VORPD(a, b, k)
	m.pick(equal, a, b, k, to, m.regs[13])
	m.pick(unordered, a, a, a, to, m.regs[13])
}

// round rounds to whole numbers: 0 to the nearest one, or to the even of two, and 1 down.
func (m machine) round(mode uint8, a, to VecPhysical) {
	if m.lanes == 8 {
		VRNDSCALEPD(U8(mode), a, to)
	} else {
		VROUNDPD(U8(mode), a, to)
	}
}

// table returns words in memory, one copy for each name.
func table(name string, words ...uint64) Mem {
	if _, ok := tables[name]; !ok {
		tables[name] = GLOBL(name, RODATA|NOPTR)
		for i, x := range words {
			DATA(8*i, U64(x))
		}
	}
	return tables[name]
}

var tables = map[string]Mem{}

// constants returns vectors of AVX2 that each repeat one number, one behind the other.
func constants(name string, x ...float64) Mem {
	words := make([]uint64, 4*len(x))
	for i := range words {
		words[i] = math.Float64bits(x[i/4])
	}
	return table(name, words...)
}

// exp is the algorithm of math.Exp for amd64 with FMA, step by step, so that it rounds as
// that does: e**x = 2**n * e**r, where e**(r/16) - 1 is a series that is squared four
// times. Both numbers are limited so that n fits, and a NaN stays one. Each step waits for
// the one before, so vectors go abreast: one after the other takes a third longer with
// AVX-512, whose constants are broadcast from memory, since a table has no room for whole
// vectors that each lie in one cache line.
func (m machine) exp(x, n, to []VecPhysical) {
	c := constants("exp", 710, -746, math.Log2E, 0.69314718055966295651160180568695068359375, 0.28235290563031577122588448175013436025525412068e-12, 1./16,
		1./40320, 1./5040, 1./720, 1./120, 1./24, 1./6, 1./2, 1, 2, 1<<52+1023)
	at := func(i int) Mem { return c.Offset(32 * i) }
	add, mul, mulAdd, mulSub := VADDPD, VMULPD, VFMADD213PD, VFNMADD231PD
	if m.lanes == 8 {
		add, mul, mulAdd, mulSub = VADDPD_BCST, VMULPD_BCST, VFMADD213PD_BCST, VFNMADD231PD_BCST
	}
	t := m.abreast[3]
	step := func(do func(i int)) {
		for i := range x {
			do(i)
		}
	}
	step(func(i int) { VBROADCASTSD(at(0), t[i]); VMINPD(x[i], t[i], x[i]) })
	step(func(i int) { VBROADCASTSD(at(1), t[i]); VMAXPD(x[i], t[i], x[i]) })
	step(func(i int) { mul(at(2), x[i], n[i]) })
	step(func(i int) { m.round(0, n[i], n[i]) })
	step(func(i int) { mulSub(at(3), n[i], x[i]) })
	step(func(i int) { mulSub(at(4), n[i], x[i]) })
	step(func(i int) { mul(at(5), x[i], x[i]); VBROADCASTSD(at(6), to[i]) })
	for k := 7; k <= 13; k++ {
		step(func(i int) { mulAdd(at(k), x[i], to[i]) })
	}
	step(func(i int) { VMULPD(to[i], x[i], to[i]) })
	for range 3 {
		step(func(i int) { add(at(14), to[i], t[i]) })
		step(func(i int) { VMULPD(t[i], to[i], to[i]) })
	}
	step(func(i int) { add(at(14), to[i], t[i]) })
	step(func(i int) { mulAdd(at(13), t[i], to[i]) })
	if m.lanes == 8 {
		step(func(i int) { VSCALEFPD(n[i], to[i], to[i]) })
		return
	}
	// In two steps, as 2**n may be no number: the last bits of 2**52+1023+n become
	// the exponent.
	step(func(i int) { VMULPD(constants("half", 0.5), n[i], t[i]) })
	step(func(i int) { m.round(0, t[i], t[i]) })
	step(func(i int) { VSUBPD(t[i], n[i], n[i]) })
	for _, list := range [][]VecPhysical{t, n} {
		step(func(i int) { VADDPD(at(15), list[i], list[i]) })
		step(func(i int) { VPSLLQ(U8(52), list[i], list[i]) })
		step(func(i int) { VMULPD(list[i], to[i], to[i]) })
	}
}

// The functions, numbered as in ein/vm/simd.
var (
	unary = []elementwise{
		{"neg", signBits, each(func(_ machine, a, _, k, to VecPhysical) { VXORPD(k, a, to) })},
		{"abs", signBits - 1, each(func(_ machine, a, _, k, to VecPhysical) { VANDPD(k, a, to) })},
		{"not", one, each(func(_ machine, a, _, k, to VecPhysical) { VSUBPD(a, k, to) })},
		{"sqrt", 0, each(func(_ machine, a, _, _, to VecPhysical) { VSQRTPD(a, to) })},
		{"floor", 0, each(func(m machine, a, _, _, to VecPhysical) { m.round(1, a, to) })},
		{"step", one, each(func(m machine, a, _, k, to VecPhysical) {
			m.zero(m.regs[12])
			m.truth(greater, a, m.regs[12], k, to)
		})},
		{"relu", 0, each(func(m machine, a, _, k, to VecPhysical) {
			m.zero(m.regs[12])
			greatest(m, a, m.regs[12], k, to)
		})},
		{"round", 0, each(func(m machine, a, _, _, to VecPhysical) { m.round(0, a, to) })},
		{"exp", 0, func(m machine, a, b, to []VecPhysical, _ VecPhysical) { m.exp(a, b, to) }},
		{"sigmoid", signBits, func(m machine, a, b, to []VecPhysical, k VecPhysical) {
			for _, a := range a {
				VXORPD(k, a, a)
			}
			m.exp(a, b, to)
			for i, to := range to {
				VBROADCASTSD(constants("one", 1), a[i])
				VADDPD(a[i], to, to)
				VDIVPD(to, a[i], to)
			}
		}},
	}
	binary = []elementwise{
		{"add", 0, each(func(_ machine, a, b, _, to VecPhysical) { VADDPD(b, a, to) })},
		{"sub", 0, each(func(_ machine, a, b, _, to VecPhysical) { VSUBPD(b, a, to) })},
		{"mul", 0, each(func(_ machine, a, b, _, to VecPhysical) { VMULPD(b, a, to) })},
		{"div", 0, each(func(_ machine, a, b, _, to VecPhysical) { VDIVPD(b, a, to) })},
		{"max", 0, each(greatest)},
		{"min", 0, each(least)},
		compare("gt", greater), compare("ge", greaterOrEqual), compare("lt", less), compare("le", lessOrEqual), compare("eq", equal), compare("ne", notEqual),
	}
	scaled = []elementwise{
		{"set", 0, each(func(_ machine, a, b, _, to VecPhysical) { VMULPD(b, a, to) })},
		{"add", 0, each(func(_ machine, a, b, _, to VecPhysical) { VMULPD(b, a, a); VADDPD(to, a, to) })},
	}
)

// arithmetic is the number of binary functions that go past the caches: the others are not worth their size.
const arithmetic = 4

// stream writes the functions of one table over runs. Those of scaled have one
// number for b, and find in to what dst holds. The others give the sum of what they made, in
// any order, which costs nothing beside the memory: it is finite only if all of that is. Those past
// the caches write whole cache lines.
func (m machine) stream(name string, table []elementwise) {
	two, by, past := strings.HasPrefix(name, "binary"), name == "scaled", strings.HasSuffix(name, "Past")
	signature, also := "func(f, n int, dst, a, b *float64, mask *byte)", ""
	if !by {
		signature, also = signature+" float64", ", and gives the sum of it, in any order"
	}
	if past {
		also += ", past the caches; n is a multiple of 8, and dst begins a cache line. There is no mask."
	} else {
		also += fmt.Sprintf("; the mask is of the last n%%%d.", m.lanes)
	}
	m.begin(name, signature, "sets dst to function f of n doubles of a, or of a and b"+also, RAX, RCX, RDI, RSI, RBX, RDX)
	if !past {
		m.loadMask()
	}
	k, sums := m.regs[14], m.regs[5:9]
	if !by {
		for _, s := range sums {
			m.zero(s)
		}
	}
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.name
	}
	branch(names)
	dst, a, b := Mem{Base: RDI}, Mem{Base: RSI}, Mem{Base: RBX}
	for _, f := range table {
		Label(f.name)
		if f.constant != 0 {
			constant(f.constant, k)
		}
		x, y, to := m.abreast[0], m.abreast[1], m.abreast[2]
		if by {
			VBROADCASTSD(b, y[0])
			y = slices.Repeat(y[:1], len(y))
		}
		some := func(first, n int, masked bool) {
			at := func(base Mem, i int) Mem { return base.Offset((first + i) * m.bytes()) }
			for i := range n {
				m.load(at(a, i), x[i], masked)
				if two {
					m.load(at(b, i), y[i], masked)
				}
				if by && f.name == "add" {
					m.load(at(dst, i), to[i], masked)
				}
			}
			f.do(m, x[:n], y[:n], to[:n], k)
			for i, to := range to[:n] {
				if past {
					VMOVNTPD(to, at(dst, i))
				} else {
					m.store(to, at(dst, i), masked)
				}
				switch s := sums[first+i]; {
				case by:
				case !masked:
					VADDPD(to, s, s)
				case m.lanes == 8:
					VADDPD(to, s, K1, s)
				default:
					VANDPD(m.mask(), to, to)
					VADDPD(to, s, s)
				}
			}
		}
		cursors := []Register{RDI, RSI}
		if two {
			cursors = append(cursors, RBX)
		}
		m.groups(f.name, len(sums), func(n int) {
			for first := 0; first < n; first += len(x) {
				some(first, min(n, len(x)), false)
			}
		}, cursors...)
		if !past {
			CMPQ(RCX, U8(0))
			JEQ(LabelRef(f.name + "done"))
			some(0, 1, true)
			Label(f.name + "done")
		}
		if by {
			end()
		} else {
			JMP(LabelRef("sum"))
		}
	}
	if !by {
		Label("sum")
		m.total(sums)
		Store(m.regs[0].AsX(), ReturnIndex(0))
		end()
	}
}

// past writes the copy of whole cache lines that does not go through the caches.
func (m machine) past() {
	m.begin("past", "func(n int, dst, a *float64)",
		fmt.Sprintf("copies n doubles, a multiple of %d, to whole cache lines, past the caches.", 4*m.lanes), RCX, RDI, RSI)
	m.full("", 4, func(n int) {
		for i := range n {
			VMOVUPD(Mem{Base: RSI, Disp: i * m.bytes()}, m.regs[i])
			VMOVNTPD(m.regs[i], Mem{Base: RDI, Disp: i * m.bytes()})
		}
	}, RDI, RSI)
	end()
}

// addEight writes the sum of rows. Eight at a time are read as fast as memory gives them: one after
// another, with the sums loaded and stored for each, takes almost twice as long.
func (m machine) addEight() {
	m.begin("addEight", "func(n int, dst, a *float64, stride int)",
		"adds eight rows of a, stride apart, to n doubles of dst, a multiple of 16: to each, one after the other.", RCX, RDI, RSI, RBX)
	SHLQ(U8(3), RBX)
	LEAQ(Mem{Base: RBX, Index: RBX, Scale: 2}, R8)
	LEAQ(Mem{Base: RSI, Index: RBX, Scale: 4}, R9)
	m.full("", 16/m.lanes, func(n int) {
		sums := m.regs[:n]
		at := func(base Mem, i int) Mem { return base.Offset(i * m.bytes()) }
		for i, s := range sums {
			VMOVUPD(at(Mem{Base: RDI}, i), s)
		}
		for _, four := range []Register{RSI, R9} {
			for _, row := range []Mem{{Base: four}, {Base: four, Index: RBX, Scale: 1}, {Base: four, Index: RBX, Scale: 2}, {Base: four, Index: R8, Scale: 1}} {
				for i, s := range sums {
					VADDPD(at(row, i), s, s)
				}
			}
		}
		for i, s := range sums {
			VMOVUPD(s, at(Mem{Base: RDI}, i))
		}
	}, RDI, RSI, R9)
	end()
}

// marks writes the comparisons whose results are bits.
func (m machine) marks() {
	m.begin("marks", "func(f, n int, dst *uint64, a, b *float64)",
		"sets n bits of dst, a multiple of 8, to whether a and b compare as f says: > >= < <= = !=.", RAX, RCX, RDI, RSI, RBX)
	predicates := []uint8{greater, greaterOrEqual, less, lessOrEqual, equal, notEqual}
	names := make([]string, len(predicates))
	for i, p := range predicates {
		names[i] = fmt.Sprintf("by%d", p)
	}
	branch(names)
	for i, p := range predicates {
		Label(names[i])
		m.byBytes(names[i], func(k int) {
			m.mark(p, 64*k, m.regs[k], m.regs[8+k], Mem{Base: RDI, Disp: k})
		}, map[Register]int{RDI: 1, RSI: 64, RBX: 64})
		end()
	}
}

// byBytes writes the loop over RCX numbers, a multiple of 8, whose bits are in bytes: each does what
// belongs to a byte, and moves says how far each cursor then is.
func (m machine) byBytes(label string, each func(k int), moves map[Register]int) {
	for _, bytes := range []int{8, 1} {
		loop, done := fmt.Sprintf("%sof%d", label, bytes), fmt.Sprintf("%sof%ddone", label, bytes)
		CMPQ(RCX, U8(8*bytes))
		JLT(LabelRef(done))
		Label(loop)
		for k := range bytes {
			each(k)
		}
		for _, cursor := range []Register{RDI, RSI, RBX} {
			if by, ok := moves[cursor]; ok {
				ADDQ(U32(by*bytes), cursor)
			}
		}
		SUBQ(U8(8*bytes), RCX)
		CMPQ(RCX, U8(8*bytes))
		JGE(LabelRef(loop))
		Label(done)
	}
}

// spread writes bits as numbers.
func (m machine) spread() {
	m.begin("spread", "func(n int, dst *float64, bits *uint64)", "sets n doubles, a multiple of 8, to bits, the lowest first.", RCX, RDI, RSI)
	ones, low, high := m.regs[0], m.regs[1], m.regs[2]
	constant(one, ones)
	if m.lanes == 4 {
		VMOVUPD(table("lowBits", 1, 2, 4, 8), low)
		VMOVUPD(table("highBits", 16, 32, 64, 128), high)
	}
	m.byBytes("", func(k int) {
		x, y := m.regs[3+k], m.regs[4+k]
		from, to := Mem{Base: RSI, Disp: k}, Mem{Base: RDI, Disp: 64 * k}
		if m.lanes == 8 {
			KMOVB(from, K1)
			VMOVUPD_Z(ones, K1, x)
			VMOVUPD(x, to)
			return
		}
		MOVBQZX(from, R8)
		VMOVQ(R8, x.AsX())
		VPBROADCASTQ(x.AsX(), x)
		for i, bits := range []VecPhysical{low, high} {
			VPAND(bits, x, y)
			VPCMPEQQ(bits, y, y)
			VANDPD(ones, y, y)
			VMOVUPD(y, to.Offset(i*m.bytes()))
		}
	}, map[Register]int{RDI: 64, RSI: 1})
	end()
}

// mark compares the 8 numbers at a distance from RSI with those at that distance from RBX.
func (m machine) mark(predicate uint8, at int, x, y VecPhysical, to Mem) {
	a, b := Mem{Base: RSI, Disp: at}, Mem{Base: RBX, Disp: at}
	VMOVUPD(a, x)
	if m.lanes == 8 {
		VCMPPD(U8(predicate), b, x, K2)
		KMOVB(K2, to)
		return
	}
	VMOVUPD(a.Offset(m.bytes()), y)
	VCMPPD(U8(predicate), b, x, x)
	VCMPPD(U8(predicate), b.Offset(m.bytes()), y, y)
	VMOVMSKPD(x, R8L)
	VMOVMSKPD(y, R9L)
	SHLL(U8(4), R9L)
	ORL(R9L, R8L)
	MOVB(R8B, to)
}

// falls writes the check of the order and the range of whole numbers of 32 bits.
func (m machine) falls() {
	lanes := 2 * m.lanes
	m.begin("falls", "func(n int, x *int32, step, most int) (falls, outside int)",
		fmt.Sprintf("counts which of n numbers, a multiple of %d, are less than step above the one before, and is 0 outside if none is below 0 or above most.", lanes),
		RCX, RSI, R8, R9)
	step, most, wrong := m.regs[0], m.regs[1], m.regs[2]
	VMOVQ(R8, step.AsX())
	VPBROADCASTD(step.AsX(), step)
	VMOVQ(R9, most.AsX())
	VPBROADCASTD(most.AsX(), most)
	m.zero(wrong)
	XORL(EAX, EAX)
	Label("loop")
	x, y := m.regs[3], m.regs[4]
	m.move32(Mem{Base: RSI}, x)
	VPSUBD(Mem{Base: RSI, Disp: -4}, x, y)
	if m.lanes == 8 {
		VPCMPD(U8(less), step, y, K1)
		KMOVW(K1, R10L)
	} else {
		VPCMPGTD(y, step, y)
		VMOVMSKPS(y, R10L)
	}
	m.bitwise(VPOR, VPORD, x, wrong, wrong)
	VPSUBD(x, most, x)
	m.bitwise(VPOR, VPORD, x, wrong, wrong)
	POPCNTL(R10L, R10L)
	ADDQ(R10, RAX)
	ADDQ(U32(4*lanes), RSI)
	SUBQ(U8(lanes), RCX)
	JNE(LabelRef("loop"))
	if m.lanes == 8 {
		VPMOVD2M(wrong, K1)
		KMOVW(K1, R10L)
	} else {
		VMOVMSKPS(wrong, R10L)
	}
	Store(RAX, ReturnIndex(0))
	Store(R10, ReturnIndex(1))
	end()
}

// move32 reads a vector of numbers of 32 bits, wherever it lies.
func (m machine) move32(from Mem, to VecPhysical) {
	if m.lanes == 8 {
		VMOVDQU32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// folds writes the folds of runs of whole vectors, lane by lane.
func (m machine) folds() {
	m.begin("fold", "func(f, n int, a *float64, lanes *[8]float64)",
		fmt.Sprintf("folds n doubles, a multiple of %d, into as many lanes of those given: 0 adds, 1 takes the greatest, 2 the least.", 4*m.lanes), RAX, RCX, RSI, RDI)
	folds := []string{"add", "max", "min"}
	branch(folds)
	for _, f := range folds {
		Label(f)
		m.fold(f)
		VMOVUPD(m.regs[0], Mem{Base: RDI})
		end()
	}
}

// fold leaves the fold in the first register. VMAXPD and VMINPD know neither NaN nor the sign
// of 0: both are found out apart. Where the greatest number of a lane is 0, it is -0 if all
// signs of the lane are set, and where the least is, if any is.
func (m machine) fold(f string) {
	sums, x := m.regs[:chains], m.regs[chains:2*chains]
	nan, signs, t := m.regs[2*chains], m.regs[2*chains+1], m.regs[2*chains+2]
	for i, s := range sums {
		VMOVUPD(Mem{Base: RDI}, s)
		if f == "add" && i > 0 {
			m.zero(s)
		}
	}
	do, sign := func(a, b VecPhysical) { VADDPD(b, a, a) }, func(VecPhysical) {}
	switch f {
	case "max":
		do = func(a, b VecPhysical) { VMAXPD(b, a, a) }
		sign = func(x VecPhysical) { VANDPD(x, signs, signs) }
		constant(signBits, signs)
	case "min":
		do = func(a, b VecPhysical) { VMINPD(b, a, a) }
		sign = func(x VecPhysical) { VORPD(x, signs, signs) }
		m.zero(signs)
	}
	if f != "add" {
		if m.lanes == 8 {
			KXORW(K3, K3, K3)
		} else {
			m.zero(nan)
		}
	}
	m.full(f, chains, func(n int) {
		for i := range n {
			VMOVUPD(Mem{Base: RSI, Disp: i * m.bytes()}, x[i])
			do(sums[i], x[i])
			sign(x[i])
			switch {
			case f == "add" || i%2 == 0:
			case m.lanes == 8:
				VCMPPD(U8(unordered), x[i], x[i-1], K2)
				KORW(K2, K3, K3)
			default:
				VCMPPD(U8(unordered), x[i], x[i-1], t)
				VORPD(t, nan, nan)
			}
		}
	}, RSI)
	do(sums[0], sums[1])
	do(sums[2], sums[3])
	do(sums[0], sums[2])
	if f == "add" {
		return
	}
	constant(signBits, t)
	VANDPD(t, signs, signs)
	m.zero(t)
	m.pick(equal, sums[0], t, signs, sums[0], x[0])
	if m.lanes == 8 {
		constant(math.Float64bits(math.NaN()), nan)
		VMOVUPD(nan, K3, sums[0])
	} else {
		VORPD(nan, sums[0], sums[0])
	}
}

// count adds up the ones of vectors, lane by lane. AVX-512 has an instruction for
// it. AVX2 looks up four bits at a time in a table, and first sends four vectors
// through adders of bits, so that one in four is looked up (Harley and Seal).
type count struct {
	machine
	sums                []VecPhysical // of AVX2: all, and the ones, twos and fours in front of the table
	table, low, none, t VecPhysical
}

// newCount clears the sums, and takes 8 registers.
func (m machine) newCount(regs []VecPhysical) count {
	c := count{m, regs[:4], regs[4], regs[5], regs[6], regs[7]}
	if m.lanes == 4 {
		VBROADCASTI128(table("nibbles", 0x0302020102010100, 0x0403030203020201), c.table) // the ones of 0 to 15
		constant(0x0f0f0f0f0f0f0f0f, c.low)
		m.zero(c.none)
	}
	c.clear()
	return c
}

// clear begins to count again.
func (c count) clear() {
	for _, x := range c.sums {
		c.zero(x)
	}
}

// add counts the ones of some vectors, and destroys them.
func (c count) add(x ...VecPhysical) {
	if c.lanes == 8 {
		for i, x := range x {
			VPOPCNTQ(x, x)
			VPADDQ(x, c.sums[i], c.sums[i])
		}
		return
	}
	if len(x) == 4 {
		c.adder(x[0], x[1], c.sums[1])
		c.adder(x[2], x[3], c.sums[1])
		c.adder(x[0], x[2], c.sums[2])
		c.lookUp(x[0], c.sums[3])
		return
	}
	for _, x := range x {
		c.lookUp(x, c.sums[0])
	}
}

// adder adds x and y to sum, bit by bit, and leaves what is carried in x.
func (c count) adder(x, y, sum VecPhysical) {
	VPXOR(x, y, c.t)
	VPAND(x, y, x)
	VPAND(c.t, sum, y)
	VPXOR(c.t, sum, sum)
	VPOR(y, x, x)
}

// lookUp adds the ones of x to sum, and leaves them in x.
func (c count) lookUp(x, sum VecPhysical) {
	VPAND(c.low, x, c.t)
	VPSRLW(U8(4), x, x)
	VPAND(c.low, x, x)
	VPSHUFB(c.t, c.table, c.t)
	VPSHUFB(x, c.table, x)
	VPADDB(c.t, x, x)
	VPSADBW(c.none, x, x)
	VPADDQ(x, sum, sum)
}

// total returns the register with the sums.
func (c count) total() VecPhysical {
	all, more := c.sums[0], c.sums[1:]
	if c.lanes == 4 {
		c.lookUp(more[0], all)
		c.lookUp(more[1], all)
		VPSLLQ(U8(2), more[2], more[2])
		more = more[1:] // the twos count twice
	}
	for _, x := range more {
		VPADDQ(x, all, all)
	}
	return all
}

// across leaves in RAX what all lanes have counted.
func (c count) across() {
	x, t := c.total(), c.t
	if c.lanes == 8 {
		VEXTRACTI64X4(U8(1), x, t.AsY())
		VPADDQ(t.AsY(), x.AsY(), x.AsY())
	}
	VEXTRACTI128(U8(1), x.AsY(), t.AsX())
	VPADDQ(t.AsX(), x.AsX(), x.AsX())
	VPSRLDQ(U8(8), x.AsX(), t.AsX())
	VPADDQ(t.AsX(), x.AsX(), x.AsX())
	VMOVQ(x.AsX(), RAX)
}

// and sets x to the AND of it and a vector in memory.
func (m machine) and(with Op, x VecPhysical) {
	m.bitwise(VPAND, VPANDQ, with, x, x)
}

// popAnd writes the count of the ones that two runs of words have in common.
func (m machine) popAnd() {
	m.begin("popAnd", "func(n int, a, b *uint64, mask *byte) int",
		fmt.Sprintf("is the number of ones of the AND of n words; the mask is of the last n%%%d.", m.lanes), RCX, RSI, RDI, RDX)
	m.loadMask()
	x, c := m.regs[:4], m.newCount(m.regs[4:])
	at := func(n int) {
		for i := range n {
			VMOVUPD(Mem{Base: RSI, Disp: i * m.bytes()}, x[i])
			m.and(Mem{Base: RDI, Disp: i * m.bytes()}, x[i])
		}
		c.add(x[:n]...)
	}
	m.groups("", len(x), at, RSI, RDI)
	CMPQ(RCX, U8(0))
	JEQ(LabelRef("sum"))
	m.load(Mem{Base: RSI}, x[0], true)
	m.load(Mem{Base: RDI}, x[1], true)
	VANDPD(x[1], x[0], x[0])
	c.add(x[0])
	Label("sum")
	c.across()
	Store(RAX, ReturnIndex(0))
	end()
}

// meeting writes which rows of bits have a one in common with another, of which as much as
// registers hold stays there: half of the loads go, and most cross a line of memory. The rows
// are taken from the last to the first, so that each new bit is shifted in.
func (m machine) meeting() {
	const slice, most = 24, 8 // bytes, vectors
	m.begin("meeting", "func(n int, row *uint64, rows *[]uint64, count, from int, mask *byte) uint64",
		fmt.Sprintf("has a bit for each of count rows that has a one in common with the n words of row, from word from on; n is at most %d, the mask of the last n%%%d.", most*m.lanes, m.lanes),
		RCX, RSI, R8, R9, R10, RDX)
	m.loadMask()
	held, y, common := m.regs[:most], m.regs[most], m.regs[most+1]
	LEAQ(Mem{Base: R9, Index: R9, Scale: 2}, R11)
	LEAQ(Mem{Base: R8, Index: R11, Scale: 8, Disp: -slice}, R8)
	XORL(EAX, EAX)
	for v := 1; v <= most; v++ {
		loop, other := fmt.Sprintf("by%d", v), fmt.Sprintf("over%d", v)
		if v < most {
			CMPQ(RCX, U8(v*m.lanes))
			JGT(LabelRef(other))
		}
		for i := range v {
			m.load(Mem{Base: RSI, Disp: i * m.bytes()}, held[i], i == v-1)
		}
		Label(loop)
		MOVQ(Mem{Base: R8}, RDI)
		m.load(Mem{Base: RDI, Index: R10, Scale: 8, Disp: (v - 1) * m.bytes()}, common, true)
		m.and(held[v-1], common)
		for i := range v - 1 {
			at := Mem{Base: RDI, Index: R10, Scale: 8, Disp: i * m.bytes()}
			if m.lanes == 8 {
				VPTERNLOGQ(U8(0xf8), at, held[i], common) // common | held & at
				continue
			}
			VMOVUPD(at, y)
			m.and(held[i], y)
			VORPD(y, common, common)
		}
		XORL(R11L, R11L)
		if m.lanes == 8 {
			VPTESTMQ(common, common, K2)
			KORTESTB(K2, K2)
		} else {
			VPTEST(common, common)
		}
		SETNE(R11B)
		LEAQ(Mem{Base: R11, Index: RAX, Scale: 2}, RAX)
		SUBQ(U8(slice), R8)
		SUBQ(U8(1), R9)
		JNE(LabelRef(loop))
		JMP(LabelRef("done"))
		if v < most {
			Label(other)
		}
	}
	Label("done")
	Store(RAX, ReturnIndex(0))
	end()
}

// Rows and columns of a tile of counts, and for AVX-512 its vectors in a row.
const countTall, countColumns, countWide = 6, 24, 3

// counts writes the counted product of rows of bits: of A as they lie, and of B
// with word after word of 24 of them side by side.
func (m machine) counts() {
	m.begin("counts", "func(words int, a *uint64, ars int, b *uint64, c *float64, crs int)",
		fmt.Sprintf("sets the doubles of %d rows of C to how many ones as many rows of A have in common with each of %d rows of B, which lie word after word of all of them. Strides are in bytes.", countTall, countColumns),
		RCX, RSI, R9, RDI, RBX, R13)
	if m.lanes == 8 {
		m.countTile()
	} else {
		m.countEach()
	}
	end()
}

// countEach does one vector of one row after the other: its adders leave no
// registers for a tile, and with them the loads are not what it waits for.
func (m machine) countEach() {
	x, c, exponent := m.regs[:4], m.newCount(m.regs[4:]), m.regs[15]
	constant(0x4330000000000000, exponent) // 2^52: its last bits are a whole number
	MOVQ(U32(countTall), R10)
	Label("row")
	MOVQ(U32(countColumns/m.lanes), R11)
	MOVQ(RBX, R12)
	Label("column")
	MOVQ(RSI, RAX)
	MOVQ(RDI, R8)
	MOVQ(RCX, RDX)
	c.clear()
	for _, n := range []int{4, 1} {
		loop, done := fmt.Sprintf("by%d", n), fmt.Sprintf("by%ddone", n)
		CMPQ(RDX, U8(n))
		JLT(LabelRef(done))
		Label(loop)
		for i := range n {
			VPBROADCASTQ(Mem{Base: RAX, Disp: 8 * i}, x[i])
			m.and(Mem{Base: R8, Disp: 8 * countColumns * i}, x[i])
		}
		c.add(x[:n]...)
		ADDQ(U8(8*n), RAX)
		ADDQ(U32(8*countColumns*n), R8)
		SUBQ(U8(n), RDX)
		CMPQ(RDX, U8(n))
		JGE(LabelRef(loop))
		Label(done)
	}
	sum := c.total()
	VPOR(exponent, sum, sum)
	VSUBPD(exponent, sum, sum)
	VMOVUPD(sum, Mem{Base: R12})
	ADDQ(U8(m.bytes()), R12)
	ADDQ(U8(m.bytes()), RDI)
	SUBQ(U8(1), R11)
	JNE(LabelRef("column"))
	SUBQ(U32(8*countColumns), RDI)
	ADDQ(R13, RBX)
	ADDQ(R9, RSI)
	SUBQ(U8(1), R10)
	JNE(LabelRef("row"))
}

// countTile has the sums of all rows and columns in registers.
func (m machine) countTile() {
	LEAQ(Mem{Base: R9, Index: R9, Scale: 2}, R10)
	LEAQ(Mem{Base: RSI, Index: R9, Scale: 4}, R8)
	rows := []Mem{{Base: RSI}, {Base: RSI, Index: R9, Scale: 1}, {Base: RSI, Index: R9, Scale: 2}, {Base: RSI, Index: R10, Scale: 1}, {Base: R8}, {Base: R8, Index: R9, Scale: 1}}
	sum := func(r, i int) VecPhysical { return m.regs[r*countWide+i] }
	b := m.regs[countTall*countWide:][:countWide]
	x := m.regs[countTall*countWide+countWide:]
	for r := range countTall {
		for i := range countWide {
			m.zero(sum(r, i))
		}
	}
	Label("word")
	for i := range countWide {
		VMOVDQU64(Mem{Base: RDI, Disp: i * m.bytes()}, b[i])
	}
	for r := range countTall {
		for i := range countWide {
			t := x[(r*countWide+i)%len(x)]
			VPANDQ_BCST(rows[r], b[i], t)
			VPOPCNTQ(t, t)
			VPADDQ(t, sum(r, i), sum(r, i))
		}
	}
	ADDQ(U8(8), RSI)
	ADDQ(U8(8), R8)
	ADDQ(U32(countWide*m.bytes()), RDI)
	SUBQ(U8(1), RCX)
	JNE(LabelRef("word"))
	for r := range countTall {
		for i := range countWide {
			VCVTUQQ2PD(sum(r, i), sum(r, i))
			VMOVUPD(sum(r, i), Mem{Base: RBX, Disp: i * m.bytes()})
		}
		ADDQ(R13, RBX)
	}
}

// Rows that addRows takes at a time, and the planes that it keeps in registers.
const addedRows, heldPlanes, planeBytes = 16, 8, 64

// listRows writes where in a panel the rows are that bits name: sixteen bits at a time pick from as many
// positions.
func (m machine) listRows() {
	m.begin("listRows", "func(n int, bits *uint64, list *int32) int",
		"sets list to the positions of the ones of n words, times 64, and returns how many there are; it may write 16 numbers more.", RCX, RSI, RDI)
	quarter, step, x := m.regs[:4], m.regs[4], m.regs[5]
	for i, q := range quarter {
		var words []uint64
		for k := range 8 {
			at := uint64(i*16 + 2*k)
			words = append(words, at*planeBytes|(at+1)*planeBytes<<32)
		}
		VMOVDQU64(table(fmt.Sprintf("positions%d", i), words...), q)
	}
	constant(64*planeBytes*(1<<32+1), step)
	MOVQ(RDI, R10)
	Label("word")
	MOVQ(Mem{Base: RSI}, RAX)
	TESTQ(RAX, RAX)
	JEQ(LabelRef("next"))
	for i, q := range quarter {
		MOVWLZX(AX, R8L)
		KMOVW(R8L, K1)
		VPCOMPRESSD_Z(q, K1, x)
		VMOVDQU32(x, Mem{Base: RDI})
		POPCNTL(R8L, R8L)
		LEAQ(Mem{Base: RDI, Index: R8, Scale: 4}, RDI)
		if i < len(quarter)-1 {
			SHRQ(U8(16), RAX)
		}
	}
	Label("next")
	for _, q := range quarter {
		VPADDD(step, q, q)
	}
	ADDQ(U8(8), RSI)
	SUBQ(U8(1), RCX)
	JNE(LabelRef("word"))
	SUBQ(R10, RDI)
	SHRQ(U8(2), RDI)
	Store(RDI, ReturnIndex(0))
	end()
}

// addRows adds up rows of 512 bits in 512 counters, which are bit-sliced: plane p has bit p of each. Sixteen
// rows go through a tree of carry-save adders, each two instructions; what leaves it ripples through the
// planes above, of which those in memory are seldom reached.
func (m machine) addRows() {
	m.begin("addRows", "func(n int, rows *int32, panel *[8]uint64, planes *[16][8]uint64)",
		fmt.Sprintf("sets the counters to the sum of n rows of a panel, a multiple of %d that is not 0; rows has how far each is from the first, in bytes.", addedRows), RCX, RSI, RDI, RBX)
	plane, free := m.regs[:heldPlanes], m.regs[heldPlanes:]
	at := func(p int) Mem { return Mem{Base: RBX, Disp: p * planeBytes} }
	for i, x := range plane {
		m.zero(x)
		VMOVDQU64(x, at(heldPlanes+i))
	}
	Label("rows")
	row := 0
	take := func() VecPhysical {
		x := free[0]
		free = free[1:]
		return x
	}
	var sum func(level int) VecPhysical // adds 2^level rows, and returns what is carried to the plane of that level
	sum = func(level int) VecPhysical {
		if level == 0 {
			x := take()
			MOVL(Mem{Base: RSI, Disp: 4 * row}, R8L)
			VMOVDQU64(Mem{Base: RDI, Index: R8, Scale: 1}, x)
			row++
			return x
		}
		x, y := sum(level-1), sum(level-1)
		carry, p := take(), plane[level-1]
		VMOVDQA64(p, carry)
		VPTERNLOGQ(U8(0xe8), y, x, carry) // the majority
		VPTERNLOGQ(U8(0x96), y, x, p)     // the parity
		free = append([]VecPhysical{x, y}, free...)
		return carry
	}
	x := sum(bits.Len(addedRows) - 1)
	y := take()
	for _, p := range plane[bits.Len(addedRows)-1:] {
		VPANDQ(x, p, y)
		VPXORQ(x, p, p)
		x, y = y, x
	}
	VPTESTMQ(x, x, K1)
	KORTESTB(K1, K1)
	JEQ(LabelRef("next"))
	LEAQ(at(heldPlanes), R9)
	Label("ripple")
	VPANDQ(Mem{Base: R9}, x, y)
	VPXORQ(Mem{Base: R9}, x, x)
	VMOVDQU64(x, Mem{Base: R9})
	VMOVDQA64(y, x)
	ADDQ(U8(planeBytes), R9)
	VPTESTMQ(x, x, K1)
	KORTESTB(K1, K1)
	JNE(LabelRef("ripple"))
	Label("next")
	ADDQ(U8(4*addedRows), RSI)
	SUBQ(U8(addedRows), RCX)
	JNE(LabelRef("rows"))
	for p, x := range plane {
		VMOVDQU64(x, at(p))
	}
	end()
}

// readPlanes writes the counts out of bit-sliced counters: a byte of each from the planes below 8, a byte
// from those above, and both side by side as a number.
func (m machine) readPlanes() {
	m.begin("readPlanes", "func(dst *[512]float64, planes *[16][8]uint64, low, high int)",
		"sets dst to the counts, which are below 1<<low, or with high not 0, where low is 8, below 1<<(8+high).", RDI, RBX, RCX, RDX)
	minus, lows, highs, words := m.regs[0], m.regs[1], m.regs[2], m.regs[3:5]
	VPTERNLOGQ(U8(0xff), minus, minus, minus)
	SHLQ(U8(6), RCX)
	SHLQ(U8(6), RDX)
	MOVQ(U32(8), R10)
	Label("column")
	for i, x := range []VecPhysical{lows, highs} {
		loop, done := fmt.Sprintf("plane%d", i), fmt.Sprintf("done%d", i)
		n := []Register{RCX, RDX}[i]
		m.zero(x)
		MOVQ(n, R8)
		SUBQ(U8(planeBytes), R8)
		JLT(LabelRef(done))
		Label(loop)
		KMOVQ(Mem{Base: RBX, Index: R8, Scale: 1, Disp: i * 8 * planeBytes}, K1)
		VPADDB(x, x, x)
		VPSUBB(minus, x, K1, x)
		SUBQ(U8(planeBytes), R8)
		JGE(LabelRef(loop))
		Label(done)
	}
	VPUNPCKLBW(highs, lows, words[0])
	VPUNPCKHBW(highs, lows, words[1])
	for i := range 8 { // columns 8i, 8i+1, ... are a quarter of one of them
		part, x := m.regs[5+i], m.regs[13+i]
		VEXTRACTI32X4(U8(i/2), words[i%2], part.AsX())
		VPMOVZXWQ(part.AsX(), x)
		VCVTUQQ2PD(x, x)
		VMOVUPD(x, Mem{Base: RDI, Disp: i * m.bytes()})
	}
	ADDQ(U8(8), RBX)
	ADDQ(U32(8*m.bytes()), RDI)
	SUBQ(U8(1), R10)
	JNE(LabelRef("column"))
	end()
}

// commonWords is how wide the rows of common are.
const commonWords = 16

// common writes the count of the ones that a row has in common with those of many
// that bits name.
func (m machine) common() {
	m.begin("common", "func(n int, bits, rows, with *uint64) int",
		fmt.Sprintf("is how many ones the %d words of with have in common with each of the rows, of as many words, whose bits are set in n words.", commonWords), RCX, RSI, RDI, RBX)
	x, c := m.regs[:commonWords/m.lanes], m.newCount(m.regs[4:])
	// Moves with conditions in place of the branch at the end of a word, which is not
	// to be foreseen, took 0 to 20 % longer.
	Label("word")
	MOVQ(Mem{Base: RSI}, RAX)
	TESTQ(RAX, RAX)
	JEQ(LabelRef("next"))
	Label("bit")
	TZCNTQ(RAX, R8) // BSF where there is no TZCNT: RAX is not 0
	LEAQ(Mem{Base: RAX, Disp: -1}, R9)
	SHLQ(U8(7), R8)
	for i := range x {
		VMOVUPD(Mem{Base: RDI, Index: R8, Scale: 1, Disp: i * m.bytes()}, x[i])
		m.and(Mem{Base: RBX, Disp: i * m.bytes()}, x[i])
	}
	c.add(x...)
	ANDQ(R9, RAX)
	JNE(LabelRef("bit"))
	Label("next")
	ADDQ(U8(8), RSI)
	ADDQ(U32(64*8*commonWords), RDI)
	SUBQ(U8(1), RCX)
	JNE(LabelRef("word"))
	c.across()
	Store(RAX, ReturnIndex(0))
	end()
}

// transpose writes the transposition of a block of 64x64 bits: rows that are 32
// apart swap half of their words, then those that are 16 apart, and so on (Hacker's
// Delight, 7-3), first those in different vectors, then those in one.
func (m machine) transpose() {
	m.begin("transpose", "func(block *[64]uint64)", "transposes 64x64 bits.", RSI)
	x := m.regs[:8]
	// stage loads eight vectors, step apart, and swaps those that are far or less.
	stage := func(first, step, far int) {
		at := func(i int) Mem { return Mem{Base: RSI, Disp: (first + i*step) * m.bytes()} }
		for i := range x {
			VMOVUPD(at(i), x[i])
		}
		for ; far > 0; far /= 2 {
			m.swap(x, far, far*step*m.lanes)
		}
		if step == 1 {
			for h := m.lanes / 2; h > 0; h /= 2 {
				m.swapLanes(x, h)
			}
		}
		for i := range x {
			VMOVUPD(x[i], at(i))
		}
	}
	if m.lanes == 8 {
		stage(0, 1, 4)
	} else {
		stage(0, 2, 4)
		stage(1, 2, 4)
		stage(0, 1, 1)
		stage(8, 1, 1)
	}
	end()
}

// halves is a mask of the lower h of 2h bits.
func halves(h int) uint64 { return ^uint64(0) / (1<<h + 1) }

// swap swaps the upper h of 2h bits of a vector with the lower ones of the one that
// is d further on.
func (m machine) swap(x []VecPhysical, d, h int) {
	mask, t := m.regs[8], m.regs[9]
	constant(halves(h), mask)
	for i, a := range x {
		if i&d != 0 {
			continue
		}
		b := x[i+d]
		VPSRLQ(U8(h), a, t)
		m.bitwise(VPXOR, VPXORQ, b, t, t)
		m.bitwise(VPAND, VPANDQ, mask, t, t)
		m.bitwise(VPXOR, VPXORQ, t, b, b)
		VPSLLQ(U8(h), t, t)
		m.bitwise(VPXOR, VPXORQ, t, a, a)
	}
}

// swapLanes is swap within vectors, of lanes that are h apart.
func (m machine) swapLanes(x []VecPhysical, h int) {
	left, right, keep, t, u := m.regs[8], m.regs[9], m.regs[10], m.regs[11], m.regs[12]
	for i, to := range []VecPhysical{left, right, keep} {
		VMOVUPD(lanes(h).Offset(64*i), to)
	}
	for _, x := range x {
		switch h {
		case 4:
			VSHUFI64X2(U8(0x4e), x, x, u)
		case 2:
			VPERMQ(U8(0x4e), x, u)
		case 1:
			VPERMQ(U8(0xb1), x, u)
		}
		VPSLLVQ(left, u, t)
		VPSRLVQ(right, u, u)
		m.bitwise(VPOR, VPORQ, t, u, u)
		m.bitwise(VPAND, VPANDQ, keep, x, x)
		m.bitwise(VPANDN, VPANDNQ, u, keep, u)
		m.bitwise(VPOR, VPORQ, u, x, x)
	}
}

// lanes is what swapLanes needs for each lane: how far to shift its partner to the
// left and to the right, 64 for not at all, and which bits it keeps.
func lanes(h int) Mem {
	var words []uint64
	for at := range 3 * 8 {
		lane := [3]uint64{uint64(h), 64, halves(h)}
		if at&h != 0 {
			lane = [3]uint64{64, uint64(h), ^halves(h)}
		}
		words = append(words, lane[at/8])
	}
	return table(fmt.Sprintf("lanes%d", h), words...)
}

// bitwise is one of two instructions that do the same.
func (m machine) bitwise(avx func(a, b, to Op), avx512 func(...Op), a, b, to Op) {
	if m.lanes == 8 {
		avx512(a, b, to)
	} else {
		avx(a, b, to)
	}
}
