// Written by hand; held to Go by the tests, under qemu where there is no such machine.

#include "textflag.h"

// What Go's assembler has no names for: sums of pairs of bytes, halves and words into
// lanes twice as wide, the first of them added to what is there, and doubles of words.
#define UADALP_B(n, d) WORD $(0x6e206800 | n<<5 | d)
#define UADDLP_H(n, d) WORD $(0x6e602800 | n<<5 | d)
#define UADDLP_S(n, d) WORD $(0x6ea02800 | n<<5 | d)
#define UCVTF_D(n, d) WORD $(0x6e61d800 | n<<5 | d)

#define ZERO(v) VEOR v.B16, v.B16, v.B16

// ONES sets a register to two times 1.0: there is no VFADD, but an exact product.
#define ONES(v) \
	MOVD $0x3ff0000000000000, R19 \
	VDUP R19, v.D2

// PANEL reads a panel, in the order of its fields in Go.
#define PANEL \
	MOVD p+0(FP), R0 \
	MOVD 0(R0), R1 \
	MOVD 16(R0), R2 \
	MOVD 24(R0), R3 \
	MOVD 32(R0), R4 \
	MOVD 40(R0), R5 \
	MOVD 48(R0), R6 \
	MOVD 56(R0), R7 \
	MOVD 64(R0), R8 \
	MOVD 8(R0), R9 \
	MOVD 80(R0), R10

// ROW8 adds the products of an element of A with four vectors of B.
#define ROW8(at, s0, s1, s2, s3) \
	VLD1R (at), [V20.D2] \
	ADD R4, at \
	VFMLA V20.D2, V16.D2, s0.D2 \
	VFMLA V20.D2, V17.D2, s1.D2 \
	VFMLA V20.D2, V18.D2, s2.D2 \
	VFMLA V20.D2, V19.D2, s3.D2

#define ADD8(at, s0, s1, s2, s3) \
	VLD1 (at), [V16.D2, V17.D2, V18.D2, V19.D2] \
	VFMLA V24.D2, V16.D2, s0.D2 \
	VFMLA V24.D2, V17.D2, s1.D2 \
	VFMLA V24.D2, V18.D2, s2.D2 \
	VFMLA V24.D2, V19.D2, s3.D2

#define ROW2(at, s) \
	VLD1R (at), [V20.D2] \
	ADD R4, at \
	VFMLA V20.D2, V16.D2, s.D2

#define ADD2(at, s) \
	VLD1 (at), [V16.D2] \
	VFMLA V24.D2, V16.D2, s.D2

// func gemm8NEON(p *panel)
TEXT ·gemm8NEON(SB), NOSPLIT, $0-8
	PANEL
	ONES(V24)
by4:
	CMP $4, R1
	BLT by1
	MOVD R2, R11
	ADD R3, R11, R12
	ADD R3, R12, R13
	ADD R3, R13, R14
	MOVD R5, R15
	MOVD R9, R20
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V8)
	ZERO(V9)
	ZERO(V10)
	ZERO(V11)
	ZERO(V12)
	ZERO(V13)
	ZERO(V14)
	ZERO(V15)
term4:
	VLD1 (R15), [V16.D2, V17.D2, V18.D2, V19.D2]
	ADD R6, R15
	ROW8(R11, V0, V1, V2, V3)
	ROW8(R12, V4, V5, V6, V7)
	ROW8(R13, V8, V9, V10, V11)
	ROW8(R14, V12, V13, V14, V15)
	SUBS $1, R20
	BNE term4
	ADD R8, R7, R21
	ADD R8, R21, R22
	ADD R8, R22, R23
	CBZ R10, set4
	ADD8(R7, V0, V1, V2, V3)
	ADD8(R21, V4, V5, V6, V7)
	ADD8(R22, V8, V9, V10, V11)
	ADD8(R23, V12, V13, V14, V15)
set4:
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R7)
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R21)
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R22)
	VST1 [V12.D2, V13.D2, V14.D2, V15.D2], (R23)
	ADD R3<<2, R2
	ADD R8<<2, R7
	SUB $4, R1
	B by4
by1:
	CBZ R1, done
	MOVD R2, R11
	MOVD R5, R15
	MOVD R9, R20
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
term1:
	VLD1 (R15), [V16.D2, V17.D2, V18.D2, V19.D2]
	ADD R6, R15
	ROW8(R11, V0, V1, V2, V3)
	SUBS $1, R20
	BNE term1
	CBZ R10, set1
	ADD8(R7, V0, V1, V2, V3)
set1:
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R7)
	ADD R3, R2
	ADD R8, R7
	SUB $1, R1
	B by1
done:
	RET

// func gemm2NEON(p *panel)
TEXT ·gemm2NEON(SB), NOSPLIT, $0-8
	PANEL
	ONES(V24)
by4:
	CMP $4, R1
	BLT by1
	MOVD R2, R11
	ADD R3, R11, R12
	ADD R3, R12, R13
	ADD R3, R13, R14
	MOVD R5, R15
	MOVD R9, R20
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
term4:
	VLD1 (R15), [V16.D2]
	ADD R6, R15
	ROW2(R11, V0)
	ROW2(R12, V1)
	ROW2(R13, V2)
	ROW2(R14, V3)
	SUBS $1, R20
	BNE term4
	ADD R8, R7, R21
	ADD R8, R21, R22
	ADD R8, R22, R23
	CBZ R10, set4
	ADD2(R7, V0)
	ADD2(R21, V1)
	ADD2(R22, V2)
	ADD2(R23, V3)
set4:
	VST1 [V0.D2], (R7)
	VST1 [V1.D2], (R21)
	VST1 [V2.D2], (R22)
	VST1 [V3.D2], (R23)
	ADD R3<<2, R2
	ADD R8<<2, R7
	SUB $4, R1
	B by4
by1:
	CBZ R1, done
	MOVD R2, R11
	MOVD R5, R15
	MOVD R9, R20
	ZERO(V0)
term1:
	VLD1 (R15), [V16.D2]
	ADD R6, R15
	ROW2(R11, V0)
	SUBS $1, R20
	BNE term1
	CBZ R10, set1
	ADD2(R7, V0)
set1:
	VST1 [V0.D2], (R7)
	ADD R3, R2
	ADD R8, R7
	SUB $1, R1
	B by1
done:
	RET

// func dotNEON(n int, x, y *float64) float64
TEXT ·dotNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ONES(V24)
by8:
	CMP $8, R0
	BLT by1
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA V16.D2, V4.D2, V0.D2
	VFMLA V17.D2, V5.D2, V1.D2
	VFMLA V18.D2, V6.D2, V2.D2
	VFMLA V19.D2, V7.D2, V3.D2
	SUB $8, R0
	B by8
by1:
	CBZ R0, sum
	FMOVD.P 8(R1), F4 // the upper half is 0
	FMOVD.P 8(R2), F16
	VFMLA V16.D2, V4.D2, V0.D2
	SUB $1, R0
	B by1
sum:
	VFMLA V24.D2, V2.D2, V0.D2
	VFMLA V24.D2, V3.D2, V1.D2
	VFMLA V24.D2, V1.D2, V0.D2
	VMOV V0.D[1], R3
	FMOVD R3, F1
	FADDD F1, F0
	FMOVD F0, ret+24(FP)
	RET

// func axpyNEON(n int, y, x *float64, f float64)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD y+8(FP), R1
	MOVD x+16(FP), R2
	MOVD f+24(FP), R3
	VDUP R3, V24.D2
by8:
	CMP $8, R0
	BLT by1
	VLD1 (R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R2), [V4.D2, V5.D2, V6.D2, V7.D2]
	VFMLA V24.D2, V4.D2, V0.D2
	VFMLA V24.D2, V5.D2, V1.D2
	VFMLA V24.D2, V6.D2, V2.D2
	VFMLA V24.D2, V7.D2, V3.D2
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R1)
	SUB $8, R0
	B by8
by1:
	CBZ R0, done
	FMOVD (R1), F0
	FMOVD.P 8(R2), F4
	VFMLA V24.D2, V4.D2, V0.D2
	FMOVD.P F0, 8(R1)
	SUB $1, R0
	B by1
done:
	RET

// func popAndNEON(n int, a, b *uint64) int
TEXT ·popAndNEON(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD ZR, R3
by8:
	CMP $8, R0
	BLT by1
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]
	VAND V4.B16, V0.B16, V0.B16
	VAND V5.B16, V1.B16, V1.B16
	VAND V6.B16, V2.B16, V2.B16
	VAND V7.B16, V3.B16, V3.B16
	VCNT V0.B16, V0.B16
	VCNT V1.B16, V1.B16
	VCNT V2.B16, V2.B16
	VCNT V3.B16, V3.B16
	VADD V1.B16, V0.B16, V0.B16
	VADD V3.B16, V2.B16, V2.B16
	VADD V2.B16, V0.B16, V0.B16
	VUADDLV V0.B16, V0
	VMOV V0.H[0], R4
	ADD R4, R3
	SUB $8, R0
	B by8
by1:
	CBZ R0, done
	FMOVD.P 8(R1), F0
	FMOVD.P 8(R2), F4
	VAND V4.B16, V0.B16, V0.B16
	VCNT V0.B16, V0.B16
	VUADDLV V0.B16, V0
	VMOV V0.H[0], R4
	ADD R4, R3
	SUB $1, R0
	B by1
done:
	MOVD R3, ret+24(FP)
	RET

// COUNT counts what a word of A has in common with two columns; v is the number of the
// register of the vector b, and s that of the sum.
#define COUNT(b, v, s) \
	VAND V16.B16, b.B16, b.B16 \
	VCNT b.B16, b.B16 \
	UADALP_B(v, s)

// WIDEN turns eight sums into two doubles.
#define WIDEN(s) \
	UADDLP_H(s, s) \
	UADDLP_S(s, s) \
	UCVTF_D(s, s)

// func countsNEON(words int, a *uint64, ars int, b *uint64, c *float64, crs int)
TEXT ·countsNEON(SB), NOSPLIT, $0-48
	MOVD words+0(FP), R0
	MOVD a+8(FP), R1
	MOVD ars+16(FP), R2
	MOVD b+24(FP), R3
	MOVD c+32(FP), R4
	MOVD crs+40(FP), R5
	MOVD $6, R6
row:
	MOVD R0, R7
	MOVD R1, R8
	MOVD R3, R9
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V8)
	ZERO(V9)
	ZERO(V10)
	ZERO(V11)
word:
	VLD1R.P 8(R8), [V16.D2]
	VLD1.P 64(R9), [V17.D2, V18.D2, V19.D2, V20.D2]
	VLD1.P 64(R9), [V21.D2, V22.D2, V23.D2, V24.D2]
	VLD1.P 64(R9), [V25.D2, V26.D2, V27.D2, V28.D2]
	COUNT(V17, 17, 0)
	COUNT(V18, 18, 1)
	COUNT(V19, 19, 2)
	COUNT(V20, 20, 3)
	COUNT(V21, 21, 4)
	COUNT(V22, 22, 5)
	COUNT(V23, 23, 6)
	COUNT(V24, 24, 7)
	COUNT(V25, 25, 8)
	COUNT(V26, 26, 9)
	COUNT(V27, 27, 10)
	COUNT(V28, 28, 11)
	SUBS $1, R7
	BNE word
	WIDEN(0)
	WIDEN(1)
	WIDEN(2)
	WIDEN(3)
	WIDEN(4)
	WIDEN(5)
	WIDEN(6)
	WIDEN(7)
	WIDEN(8)
	WIDEN(9)
	WIDEN(10)
	WIDEN(11)
	MOVD R4, R10
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R10)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R10)
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R10)
	ADD R2, R1
	ADD R5, R4
	SUBS $1, R6
	BNE row
	RET
