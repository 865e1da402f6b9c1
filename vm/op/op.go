// Package op names the operations that the meaning of a program (package ir) shares with
// the kernels that compute it: contractions ([Spec]), scalar functions ([Fn]), folds ([Fold])
// and walks ([WalkMode]).
package op

import (
	"math"
	"slices"

	"ein/vm/tensor"
)

// Pos is a byte range of the source text.
type Pos struct{ Start, End int32 }

// Spec is an einsum: which index runs along each axis of the operands and of
// the result. Indices are numbered from 0 (at most 64 of them) and index x runs
// over 0..Size[x]-1. The result is, at every assignment of the indices, the
// product of the operands, summed over the indices that Out lacks.
//
// Any pattern is allowed, with at most 8 axes each: an index may repeat within
// an operand (its diagonal is read) or in Out (its diagonal is written and the
// rest is 0), and one that only Out has repeats the result along that axis.
// Indices that occur nowhere mean nothing. Operands and result are contiguous
// and row-major.
//
// A malformed Spec makes the Plan functions panic; one with huge sizes does
// not, and its Cost saturates.
type Spec struct {
	In   [][]uint8
	Out  []uint8
	Size []int
}

// Mask returns indices as a set of bits.
func Mask(ids []uint8) (m uint64) {
	for _, x := range ids {
		m |= 1 << x
	}
	return m
}

// Elems returns the number of elements of a tensor with the given indices.
func (s Spec) Elems(ids []uint8) uint64 {
	n := uint64(1)
	for _, x := range ids {
		n = tensor.SatMul(n, uint64(s.Size[x]))
	}
	return n
}

// Empty reports whether an index in use has size 0: then there is nothing to
// add up, and the result is all zeros.
func (s Spec) Empty() bool {
	zero := func(x uint8) bool { return s.Size[x] == 0 }
	return slices.ContainsFunc(s.Out, zero) ||
		slices.ContainsFunc(s.In, func(ids []uint8) bool { return slices.ContainsFunc(ids, zero) })
}

// Key returns the spec as text, such as "ab,bc->ac", which for a canonical one of few
// indices names the contraction.
func (s *Spec) Key() string {
	b := make([]byte, 0, 32)
	for i, in := range s.In {
		if i > 0 {
			b = append(b, ',')
		}
		for _, x := range in {
			b = append(b, 'a'+x)
		}
	}
	b = append(b, "->"...)
	for _, x := range s.Out {
		b = append(b, 'a'+x)
	}
	return string(b)
}

// Fn is a scalar function.
type Fn uint8

// The scalar functions. Comparisons are IEEE (false with a NaN, except FnNe)
// and give 0 or 1. FnMax, FnMin, FnRelu and FnClamp give NaN for a NaN. FnWhere
// takes anything but 0 as true. FnCheck computes nothing: it is the instruction
// that reports values that are not exact counts.
const (
	FnAdd Fn = iota
	FnSub
	FnMul
	FnDiv
	FnMax
	FnMin
	FnGt
	FnGe
	FnLt
	FnLe
	FnEq
	FnNe
	FnNeg
	FnNot // 1 - x
	FnAbs
	FnSqrt
	FnExp
	FnLog
	FnSigmoid
	FnRelu
	FnTanh
	FnStep // x > 0
	FnFloor
	FnRound // to the nearest whole number, halves to the even one
	FnWhere // a if p is not 0, else b
	FnClamp // min(max(x, lo), hi)
	FnCheck
	fnCount
)

// fnTable names each function, and says how many arguments it takes and whether it gives whole
// numbers: kept if it is given them alone.
var fnTable = [fnCount]struct {
	name  string
	arity int
	whole uint8
}{
	FnAdd: {"add", 2, kept}, FnSub: {"sub", 2, kept}, FnMul: {"mul", 2, kept}, FnDiv: {"div", 2, never},
	FnMax: {"max", 2, kept}, FnMin: {"min", 2, kept},
	FnGt: {"gt", 2, always}, FnGe: {"ge", 2, always}, FnLt: {"lt", 2, always}, FnLe: {"le", 2, always}, FnEq: {"eq", 2, always}, FnNe: {"ne", 2, always},
	FnNeg: {"neg", 1, kept}, FnNot: {"not", 1, kept}, FnAbs: {"abs", 1, kept}, FnSqrt: {"sqrt", 1, never}, FnExp: {"exp", 1, never},
	FnLog: {"log", 1, never}, FnSigmoid: {"sigmoid", 1, never}, FnRelu: {"relu", 1, kept}, FnTanh: {"tanh", 1, never},
	FnStep: {"step", 1, always}, FnFloor: {"floor", 1, always}, FnRound: {"round", 1, always},
	FnWhere: {"where", 3, kept}, FnClamp: {"clamp", 3, kept}, FnCheck: {"check", 1, never},
}

func (f Fn) String() string { return fnTable[f].name }

// Arity returns the number of arguments, 1 to 3.
func (f Fn) Arity() int { return fnTable[f].arity }

const (
	never uint8 = iota
	kept
	always
)

// Whole reports whether the function gives whole numbers, if its arguments are whole or not.
func (f Fn) Whole(args bool) bool {
	return fnTable[f].whole == always || args && fnTable[f].whole == kept
}

// Mirror is the function that gives the same with its two operands exchanged; FnNot, which has
// one, where there is none.
func (f Fn) Mirror() Fn {
	switch f {
	case FnGt:
		return FnLt
	case FnLt:
		return FnGt
	case FnGe:
		return FnLe
	case FnLe:
		return FnGe
	case FnMul, FnMax, FnMin, FnEq, FnNe:
		return f
	}
	return FnNot
}

// Apply returns the definition of f. Arguments past its arity are ignored.
func (f Fn) Apply(a, b, c float64) float64 {
	switch f {
	case FnAdd:
		return a + b
	case FnSub:
		return a - b
	case FnMul:
		return a * b
	case FnDiv:
		return a / b
	case FnMax:
		return max(a, b)
	case FnMin:
		return min(a, b)
	case FnGt:
		return Truth(a > b)
	case FnGe:
		return Truth(a >= b)
	case FnLt:
		return Truth(a < b)
	case FnLe:
		return Truth(a <= b)
	case FnEq:
		return Truth(a == b)
	case FnNe:
		return Truth(a != b)
	case FnWhere:
		if a != 0 {
			return b
		}
		return c
	case FnClamp:
		return min(max(a, b), c)
	}
	return f.Apply1(a)
}

// Apply1 is Apply for functions of one argument.
func (f Fn) Apply1(x float64) float64 {
	switch f {
	case FnNeg:
		return -x
	case FnNot:
		return 1 - x
	case FnAbs:
		return math.Abs(x)
	case FnSqrt:
		return math.Sqrt(x)
	case FnExp:
		return Exp(x)
	case FnLog:
		return Log(x)
	case FnSigmoid:
		return sigmoid(x)
	case FnRelu:
		return max(x, 0)
	case FnTanh:
		return math.Tanh(x)
	case FnStep:
		return Truth(x > 0)
	case FnRound:
		return math.RoundToEven(x)
	case FnFloor:
		return math.Floor(x)
	}
	return x
}

// sigmoid overflows to exactly 0 where exp(-x) overflows to infinity.
func sigmoid(x float64) float64 { return 1 / (1 + Exp(-x)) }

// Exp is math.Exp, which for amd64 is infinite from 709.44 on, where e**709.78 is a
// number.
func Exp(x float64) float64 {
	if x > 709 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}

// Log is math.Log, which for amd64 takes a number below 2**-1022 for a greater one.
func Log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Truth is 1 or 0. It goes through an integer, which the compiler sets without a branch: on
// random data a branch mispredicts half the time, 4 ns an element.
func Truth(b bool) float64 {
	var i int64
	if b {
		i = 1
	}
	return float64(i)
}

// Fold is how many values become one.
type Fold uint8

// FoldMax and FoldMin give NaN when any value is one, as NumPy does. The arg
// folds give the index of the first greatest or least value along one axis,
// and a NaN counts as both; only PlanReduce takes them.
const (
	FoldSum Fold = iota
	FoldMax
	FoldMin
	FoldArgMax
	FoldArgMin
)

func (f Fold) String() string {
	return [...]string{"sum", "max", "min", "argmax", "argmin"}[f]
}

// Identity returns the value that folding starts from.
func (f Fold) Identity() float64 {
	switch f {
	case FoldMax:
		return math.Inf(-1)
	case FoldMin:
		return math.Inf(1)
	}
	return 0
}

// Apply folds one value into acc; only for FoldSum, FoldMax and FoldMin.
func (f Fold) Apply(acc, x float64) float64 {
	switch f {
	case FoldMax:
		return max(acc, x)
	case FoldMin:
		return min(acc, x)
	}
	return acc + x
}

// Micro is one instruction of a Fused: Dst = Fn(A, B, C) over registers. The
// registers are numbered operands first, then constants, then temporaries.
// FnCheck reads A and writes nothing.
type Micro struct {
	Fn           Fn
	Dst, A, B, C uint8
}

// WalkMode says what a walk does with the node it starts from.
type WalkMode uint8

// WalkDesc is the nodes that at least one edge leads to, never the source.
// WalkReach is those and the source, always. WalkRow has the source when it is
// on a cycle: the row of the transitive closure.
const (
	WalkDesc WalkMode = iota
	WalkReach
	WalkRow
)
