// Command gen writes the assembly of ein/vm/simd for amd64: go generate there
// runs it.
//
// Each kernel is written once, for a machine that is told how wide its vectors
// are and how many of them there are, and comes out for AVX2 and for AVX-512.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	for _, m := range []machine{avx2, avx512} {
		for v := 1; v <= m.wide; v++ {
			m.gemm(v, m.tall)
		}
		m.gemm(m.streams, 1)
		m.dot()
	}
	Generate()
}

// machine is a generation of vector instructions.
type machine struct {
	name    string
	lanes   int // doubles in a vector
	tall    int // rows of the tile of a product
	wide    int // vectors in a row of it
	streams int // vectors in the row of a product of one row
	regs    []VecPhysical
}

var (
	avx2   = machine{"AVX2", 4, 4, 3, 6, []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}}
	avx512 = machine{"AVX512", 8, 8, 3, 8, []VecPhysical{
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
	}}
)

func (m machine) bytes() int { return 8 * m.lanes }

// masked is how the vector that the mask cuts off is moved: by K1, or with the
// mask in the last register.
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

func (m machine) mask() VecPhysical { return m.regs[len(m.regs)-1] }

// loadMask takes the mask that RDX points at: a bit for each lane, or a word.
func (m machine) loadMask() {
	if m.lanes == 8 {
		KMOVW(Mem{Base: RDX}, K1)
	} else {
		VMOVUPD(Mem{Base: RDX}, m.mask())
	}
}

func (m machine) zero(x VecPhysical) {
	if m.lanes == 8 {
		VPXORQ(x, x, x)
	} else {
		VXORPD(x, x, x)
	}
}

// field is a field of the panel that RDX points at.
func field(i int) Mem { return Mem{Base: RDX, Disp: 8 * i} }

// Fields of a panel that are read again for each tile.
const (
	fieldK    = 1
	fieldMask = 9
	fieldAdd  = 10
)

// gemm writes the product of rows of A with a panel of B that is v vectors wide.
// The sums of a tile stay in registers, one for each vector of each row, and each
// takes its terms one by one, so that an element of C is the same wherever in a
// tile it stands. The last vector is masked, but for AVX2 in its full tile, where
// no register is left for the mask.
func (m machine) gemm(v, tall int) {
	masked := m.lanes == 8 || v*tall+v+2 <= len(m.regs)
	name := fmt.Sprintf("gemm%dx%d%s", tall, v, m.name)
	TEXT(name, NOSPLIT, "func(panel *byte)")
	end := ", all of them whole"
	if masked {
		end = ", the last of them masked"
	}
	Doc(fmt.Sprintf("%s multiplies a panel of %d vectors%s, in tiles of %d rows.", name, v, end, tall))
	Pragma("noescape")
	Load(Param("panel"), RDX)
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
	Label("tile")
	for r := 1; r < tall; r++ {
		CMPQ(RCX, U8(r))
		JEQ(LabelRef(fmt.Sprintf("rows%d", r)))
	}
	if tall > 1 {
		TESTQ(RCX, RCX)
		JEQ(LabelRef("done"))
	}
	m.tile(tall, v, masked)
	if tall > 1 {
		LEAQ(Mem{Base: RAX, Index: R9, Scale: 4}, RAX)
		if tall == 8 {
			LEAQ(Mem{Base: RAX, Index: R9, Scale: 4}, RAX)
		}
		SUBQ(U8(tall), RCX)
		JMP(LabelRef("tile"))
		for r := 1; r < tall; r++ {
			Label(fmt.Sprintf("rows%d", r))
			m.tile(r, v, masked)
			JMP(LabelRef("done"))
		}
		Label("done")
	}
	VZEROUPPER()
	RET()
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
	name := "dot" + m.name
	TEXT(name, NOSPLIT, "func(n int, x, y *float64, mask *byte) float64")
	Doc(fmt.Sprintf("%s is the dot product of n doubles. The mask is of the last n%%%d.", name, m.lanes))
	Pragma("noescape")
	Load(Param("n"), RCX)
	Load(Param("x"), RSI)
	Load(Param("y"), RDI)
	Load(Param("mask"), RDX)
	m.loadMask()
	x, y := Mem{Base: RSI}, Mem{Base: RDI}
	sums, at := m.regs[:chains], m.regs[chains]
	for _, s := range sums {
		m.zero(s)
	}
	m.vectors(chains, func(i int) {
		VMOVUPD(x.Offset(i*m.bytes()), at)
		VFMADD231PD(y.Offset(i*m.bytes()), at, sums[i])
	}, RSI, RDI)
	CMPQ(RCX, U8(0))
	JEQ(LabelRef("sum"))
	m.load(x, at, true)
	m.load(y, m.regs[chains+1], true)
	VFMADD231PD(m.regs[chains+1], at, sums[0])
	Label("sum")
	for n := chains; n > 1; n /= 2 {
		for i := range n / 2 {
			VADDPD(sums[i+n/2], sums[i], sums[i])
		}
	}
	m.across(sums[0], at)
	Store(X0, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// vectors writes the loop over the whole vectors of RCX doubles, most at a time
// and then one by one, and leaves in RCX how many doubles are left.
func (m machine) vectors(most int, each func(i int), cursors ...Register) {
	for _, n := range []int{most, 1} {
		loop, done := fmt.Sprintf("by%d", n), fmt.Sprintf("by%ddone", n)
		CMPQ(RCX, U8(n*m.lanes))
		JLT(LabelRef(done))
		Label(loop)
		for i := range n {
			each(i)
		}
		for _, c := range cursors {
			ADDQ(U32(n*m.bytes()), c)
		}
		SUBQ(U8(n*m.lanes), RCX)
		CMPQ(RCX, U8(n*m.lanes))
		JGE(LabelRef(loop))
		Label(done)
	}
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
