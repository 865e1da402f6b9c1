// Package tensor defines the values of Ein: kinds, shapes, and the layouts in which a
// tensor is stored.
//
// A [Value] has a [Type], which is a [Kind] and a [Shape], and a [Layout], which names the one
// field that holds its elements:
//
//	Dense   F      float64, row-major
//	Packed  Bits   a bit for each element of a 0/1 vector or matrix
//	Sparse  CSR    the entries of each row of a matrix
//	Parts   Part   the number of each node's component: 1 where two are equal
//	Rows    Table  the rows of a relation; no tensor
//
// Semantics are those of dense float64 arrays in row-major order. Kind restricts the
// values (every Bool tensor is also a valid Int and Real one); Layout says how they are
// stored and never changes what they are. A Type that is Far has infinity, not 0, where a
// matrix has no edge.
//
// Kernels rely on three invariants: bits past the last column are 0, the columns of a row of
// a CSR strictly increase, and a CSR that is not Far stores no 0. What comes from outside is
// made by [BuildCSR], or verified by package code.
package tensor

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ein/internal/lists"
)

// Counts of elements and bounds of costs are ints, which would overflow unseen if they had 32 bits: this line then does
// not compile.
const _ int = 1 << 62

// Kind says what values a tensor can hold. The kinds are ordered: each includes
// those below it.
type Kind uint8

// Bool is 0 or 1, Int is an integer of magnitude below 2^53, Real is any
// float64.
const (
	Bool Kind = iota
	Int
	Real
)

func (k Kind) String() string { return [...]string{"bool", "int", "real"}[k] }

// MaxInt is the magnitude at which counts stop being exact in a float64.
const MaxInt = 1 << 53

// MaxRank is the largest rank of a tensor.
const MaxRank = 8

// Shape is the size of each axis. It is comparable; the zero Shape is a scalar.
// A negative size stands for one that is not known until an input is bound;
// equal negative sizes are the same unknown.
type Shape struct {
	rank int8
	dim  [MaxRank]int32
}

// ShapeOf makes a shape. It panics on more than MaxRank axes, which callers
// must have ruled out.
func ShapeOf(dims ...int) Shape {
	s := Shape{rank: int8(len(dims))}
	for i, d := range dims {
		s.dim[i] = int32(d)
	}
	return s
}

// Rank returns the number of axes.
func (s Shape) Rank() int { return int(s.rank) }

// Dim returns the size of axis i.
func (s Shape) Dim(i int) int { return int(s.dim[i]) }

// Known reports whether every size is known.
func (s Shape) Known() bool {
	for i := range s.rank {
		if s.dim[i] < 0 {
			return false
		}
	}
	return true
}

// Fits reports whether the two shapes are the same, as far as their sizes are
// known.
func (s Shape) Fits(t Shape) bool {
	if s.rank != t.rank {
		return false
	}
	for i := range s.rank {
		if !SizeFits(int(s.dim[i]), int(t.dim[i])) {
			return false
		}
	}
	return true
}

// SizeFits reports whether two axis sizes are the same, as far as they are
// known.
func SizeFits(a, b int) bool { return a == b || a < 0 || b < 0 }

// Append adds an axis at the end.
func (s Shape) Append(d int) Shape {
	s.dim[s.rank] = int32(d)
	s.rank++
	return s
}

// Drop removes axis i.
func (s Shape) Drop(i int) Shape {
	copy(s.dim[i:], s.dim[i+1:s.rank])
	s.rank--
	s.dim[s.rank] = 0
	return s
}

// Elems returns the number of elements, saturating at the largest uint64. It is 0
// when a size is unknown.
func (s Shape) Elems() uint64 {
	n := uint64(1)
	for i := range s.rank {
		if s.dim[i] <= 0 {
			return 0
		}
		n = SatMul(n, uint64(s.dim[i]))
	}
	return n
}

// Dims returns the sizes as a slice.
func (s Shape) Dims() []int {
	d := make([]int, s.rank)
	for i := range d {
		d[i] = int(s.dim[i])
	}
	return d
}

// Matrix returns the numbers of rows and columns of a matrix; a vector is one row.
func (s Shape) Matrix() (rows, cols int) {
	switch s.rank {
	case 0:
		return 1, 1
	case 1:
		return 1, s.Dim(0)
	}
	return s.Dim(0), s.Dim(1)
}

// Strides returns the distance between neighbours along each axis.
func (s Shape) Strides() (strides [MaxRank]int) {
	step := 1
	for d := s.Rank() - 1; d >= 0; d-- {
		strides[d] = step
		step *= s.Dim(d)
	}
	return strides
}

// String is "3x4", "5" for a vector, "scalar" for rank 0, with ? for an unknown
// size.
func (s Shape) String() string {
	if s.rank == 0 {
		return "scalar"
	}
	return strings.Join(lists.Map(s.Dims(), func(d int) string {
		if d < 0 {
			return "?"
		}
		return strconv.Itoa(d)
	}), "x")
}

// Drop returns the type less some axes, which increase.
//
//go:noinline
func (t Type) Drop(axes ...int) Type {
	for i := len(axes) - 1; i >= 0; i-- {
		t.Shape = t.Shape.Drop(axes[i])
	}
	t.Far = t.Far && t.Shape.Rank() > 0
	return t
}

// SatMul returns a*b, saturating at the largest uint64.
func SatMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

// SatAdd returns a+b, saturating at the largest uint64.
func SatAdd(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return s
}

// Type is what the checker knows of a value.
type Type struct {
	Kind Kind
	// Far says of a real matrix that where it has no edge it is infinite, not 0, so
	// that 0 is a weight like others. A scalar never is.
	Far   bool
	Shape Shape
}

// Copies of it would be kilobytes.
//
//go:noinline
func (t Type) String() string { return t.Kind.String() + " " + t.Shape.String() }

// Absent returns the value where a matrix has no edge.
//
//go:noinline
func (t Type) Absent() float64 {
	if t.Far {
		return math.Inf(1)
	}
	return 0
}

// Layout is how a value is stored.
type Layout uint8

// Dense is a row-major []float64. Packed is bits, one row of words per row of
// the matrix; only Bool tensors of rank 1 and 2. Sparse is CSR; only matrices.
// Parts is one component id per node and stands for the matrix that is 1 where
// two nodes have the same id. Rows is a table: it is no tensor, and its type is that of
// a 0/1 scalar, which says nothing.
const (
	Dense Layout = iota
	Packed
	Sparse
	Parts
	Rows
)

func (l Layout) String() string { return [...]string{"dense", "bits", "csr", "parts", "table"}[l] }

// Bits is a bit matrix: Rows x Cols, each row Stride words, bit j of a row in
// word j/64 at position j%64. Bits at and past Cols are always 0. A vector is
// one row.
type Bits struct {
	Rows, Cols, Stride int
	W                  []uint64 // Rows*Stride words
}

// Words returns the number of 64-bit words that hold n bits.
func Words(n int) int { return (n + 63) / 64 }

// NewBits allocates an all-zero bit matrix.
func NewBits(rows, cols int) Bits {
	s := Words(cols)
	return Bits{rows, cols, s, make([]uint64, rows*s)}
}

// Row returns the words of row i.
func (b *Bits) Row(i int) []uint64 { return b.W[i*b.Stride : (i+1)*b.Stride : (i+1)*b.Stride] }

// Get reports bit (i, j).
func (b *Bits) Get(i, j int) bool { return b.W[i*b.Stride+j>>6]>>(uint(j)&63)&1 != 0 }

// Set sets bit (i, j) to 1.
func (b *Bits) Set(i, j int) { b.W[i*b.Stride+j>>6] |= 1 << (uint(j) & 63) }

// CSR is a sparse matrix in compressed-row form. The columns of row i are
// Idx[Ptr[i]:Ptr[i+1]], strictly increasing. Val is nil when every stored entry
// is 1; a stored value may be 0 only where the matrix is Far.
type CSR struct {
	Rows, Cols int
	Ptr        []int32 // Rows+1
	Idx        []int32
	Val        []float64
}

// NNZ returns the number of stored entries.
func (s *CSR) NNZ() int { return len(s.Idx) }

// Row returns the columns of row i.
func (s *CSR) Row(i int) []int32 { return s.Idx[s.Ptr[i]:s.Ptr[i+1]] }

// Value is a tensor: its type, its layout, and the one field that the layout
// names.
type Value struct {
	Type
	Layout Layout
	F      []float64 // Dense
	Bits   Bits      // Packed
	CSR    CSR       // Sparse
	Part   []int32   // Parts
	Table  *Table    // Rows
}

// Scalar returns a rank-0 value.
func Scalar(k Kind, x float64) Value {
	return Value{Type: Type{Kind: k}, F: []float64{x}}
}

// At returns the element at the given indices, whatever the layout; for tests,
// printing and other cold paths.
func (v *Value) At(index ...int) float64 {
	b := func(x bool) float64 {
		if x {
			return 1
		}
		return 0
	}
	switch v.Layout {
	case Packed:
		if len(index) == 1 {
			return b(v.Bits.Get(0, index[0]))
		}
		return b(v.Bits.Get(index[0], index[1]))
	case Sparse:
		switch k, has := slices.BinarySearch(v.CSR.Row(index[0]), int32(index[1])); {
		case !has:
			return v.Absent()
		case v.CSR.Val == nil:
			return 1
		default:
			return v.CSR.Val[int(v.CSR.Ptr[index[0]])+k]
		}
	case Parts:
		return b(v.Part[index[0]] == v.Part[index[1]])
	}
	o := 0
	for i, x := range index {
		o = o*v.Shape.Dim(i) + x
	}
	return v.F[o]
}

// ToDense copies any layout out to row-major float64.
func (v *Value) ToDense() []float64 {
	if v.Layout == Dense {
		return append([]float64(nil), v.F...)
	}
	out := make([]float64, v.Shape.Elems())
	if v.Shape.Rank() == 1 {
		for j := range out {
			out[j] = v.At(j)
		}
		return out
	}
	rows, cols := v.Shape.Dim(0), v.Shape.Dim(1)
	if v.Far {
		for i := range out {
			out[i] = v.Absent()
		}
	}
	for i := range rows {
		if v.Layout == Sparse {
			for k := v.CSR.Ptr[i]; k < v.CSR.Ptr[i+1]; k++ {
				x := 1.0
				if v.CSR.Val != nil {
					x = v.CSR.Val[k]
				}
				out[i*cols+int(v.CSR.Idx[k])] = x
			}
			continue
		}
		for j := range cols {
			out[i*cols+j] = v.At(i, j)
		}
	}
	return out
}

// Magnitude returns the least number of bytes that hold the magnitudes of the whole numbers of v, and whether none is negative.
func Magnitude(v *Value) (bytes int, nonNeg bool) {
	most, nonNeg := 0.0, true
	for _, x := range Numbers(v) {
		most = max(most, math.Abs(x))
		nonNeg = nonNeg && x >= 0
	}
	return BytesOf(most), nonNeg
}

// BytesOf returns how many bytes whole numbers up to most take.
func BytesOf(most float64) int {
	bytes := 1
	for MaxOf(bytes) < most && bytes < 7 {
		bytes++
	}
	return bytes
}

// MaxOf returns the largest whole number of so many bytes that a program can have.
func MaxOf(bytes int) float64 {
	if bytes == 0 || bytes > 6 {
		return MaxInt - 1
	}
	return float64(uint64(1)<<(8*bytes) - 1)
}

// Numbers returns the stored elements of a dense or sparse value.
func Numbers(v *Value) []float64 {
	if v.Layout == Sparse {
		return v.CSR.Val
	}
	return v.F
}
