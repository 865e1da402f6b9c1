package kernel

import "math"

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
	FnWhere // a if p is not 0, else b
	FnClamp // min(max(x, lo), hi)
	FnCheck
	fnCount
)

// fnTable names each function and says how many arguments it takes.
var fnTable = [fnCount]struct {
	name  string
	arity int
}{
	FnAdd: {"add", 2}, FnSub: {"sub", 2}, FnMul: {"mul", 2}, FnDiv: {"div", 2},
	FnMax: {"max", 2}, FnMin: {"min", 2},
	FnGt: {"gt", 2}, FnGe: {"ge", 2}, FnLt: {"lt", 2}, FnLe: {"le", 2}, FnEq: {"eq", 2}, FnNe: {"ne", 2},
	FnNeg: {"neg", 1}, FnNot: {"not", 1}, FnAbs: {"abs", 1}, FnSqrt: {"sqrt", 1}, FnExp: {"exp", 1},
	FnLog: {"log", 1}, FnSigmoid: {"sigmoid", 1}, FnRelu: {"relu", 1}, FnTanh: {"tanh", 1},
	FnStep: {"step", 1}, FnFloor: {"floor", 1},
	FnWhere: {"where", 3}, FnClamp: {"clamp", 3}, FnCheck: {"check", 1},
}

func (f Fn) String() string { return fnTable[f].name }

// Arity is the number of arguments, 1 to 3.
func (f Fn) Arity() int { return fnTable[f].arity }

// Apply is the definition of f. Arguments past its arity are ignored.
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
		return truth(a > b)
	case FnGe:
		return truth(a >= b)
	case FnLt:
		return truth(a < b)
	case FnLe:
		return truth(a <= b)
	case FnEq:
		return truth(a == b)
	case FnNe:
		return truth(a != b)
	case FnWhere:
		if a != 0 {
			return b
		}
		return c
	case FnClamp:
		return min(max(a, b), c)
	}
	return f.apply1(a)
}

// apply1 is Apply for the functions of one argument.
func (f Fn) apply1(x float64) float64 {
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
		return math.Exp(x)
	case FnLog:
		return math.Log(x)
	case FnSigmoid:
		return sigmoid(x)
	case FnRelu:
		return max(x, 0)
	case FnTanh:
		return math.Tanh(x)
	case FnStep:
		return truth(x > 0)
	case FnFloor:
		return math.Floor(x)
	}
	return x
}

// sigmoid overflows to exactly 0 where exp(-x) overflows to infinity.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// truth goes through an integer, which the compiler sets without a branch: on
// random data a branch mispredicts half the time, 4 ns an element.
func truth(b bool) float64 {
	var i int64
	if b {
		i = 1
	}
	return float64(i)
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
