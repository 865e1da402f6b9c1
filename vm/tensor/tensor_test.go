package tensor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShape(t *testing.T) {
	s := ShapeOf(2, 3, 4)
	if s.Rank() != 3 || s.Elems() != 24 || !slices.Equal(s.Dims(), []int{2, 3, 4}) || s.String() != "2x3x4" || !s.Known() {
		t.Errorf("%v", s)
	}
	if got := s.Drop(1); got != ShapeOf(2, 4) {
		t.Errorf("without axis 1: %v", got)
	}
	if got := s.Append(5); got != ShapeOf(2, 3, 4, 5) || s != ShapeOf(2, 3, 4) {
		t.Errorf("with one more: %v", got)
	}
	if got := (Shape{}); got.Elems() != 1 || got.String() != "scalar" || len(got.Dims()) != 0 {
		t.Errorf("a scalar is %v of %d elements", got, got.Elems())
	}
	if got := ShapeOf(3, 0, 3).Elems(); got != 0 {
		t.Errorf("%d elements", got)
	}
	unknown := ShapeOf(2, -1)
	if unknown.Known() || unknown.Elems() != 0 || unknown.String() != "2x?" {
		t.Errorf("%v", unknown)
	}
	for _, c := range []struct {
		a, b Shape
		fits bool
	}{
		{s, s, true}, {unknown, ShapeOf(2, 9), true}, {ShapeOf(2, 9), unknown, true}, {unknown, ShapeOf(3, 9), false},
		{s, ShapeOf(2, 3), false}, {ShapeOf(-1), ShapeOf(-2), true},
	} {
		if got := c.a.Fits(c.b); got != c.fits {
			t.Errorf("%v fits %v: %v", c.a, c.b, got)
		}
	}
	if got := (Type{Kind: Int, Shape: s}).String(); got != "int 2x3x4" {
		t.Error(got)
	}
	big := ShapeOf(1<<30, 1<<30, 1<<30)
	if big.Elems() != math.MaxUint64 {
		t.Errorf("%d elements", big.Elems())
	}
}

// TestSaturation compares with arithmetic that has no largest number.
func TestSaturation(t *testing.T) {
	most := new(big.Int).SetUint64(math.MaxUint64)
	r := rand.New(rand.NewPCG(1, 1))
	check := func(name string, a, b, got uint64, want *big.Int) {
		if want.Cmp(most) > 0 {
			want = most
		}
		if new(big.Int).SetUint64(got).Cmp(want) != 0 {
			t.Fatalf("%s of %d and %d: %d, want %v", name, a, b, got, want)
		}
	}
	for range 10000 {
		a, b := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
		check("product", a, b, SatMul(a, b), new(big.Int).Mul(x, y))
		check("sum", a, b, SatAdd(a, b), new(big.Int).Add(x, y))
	}
}

// TestLayouts reads one matrix in every layout.
func TestLayouts(t *testing.T) {
	want := []float64{1, 0, 1, 0, 1, 0, 1, 0, 1}
	shape := ShapeOf(3, 3)
	bits := NewBits(3, 3)
	csr := CSR{Rows: 3, Cols: 3, Ptr: []int32{0, 2, 3, 5}, Idx: []int32{0, 2, 1, 0, 2}}
	for i, x := range want {
		if x != 0 {
			bits.Set(i/3, i%3)
		}
	}
	weights := csr
	weights.Val = []float64{2, 2, 2, 2, 2}
	for _, c := range []struct {
		v     Value
		times float64
	}{
		{Value{Type: Type{Kind: Bool, Shape: shape}, F: want}, 1},
		{Value{Type: Type{Kind: Bool, Shape: shape}, Layout: Packed, Bits: bits}, 1},
		{Value{Type: Type{Kind: Bool, Shape: shape}, Layout: Sparse, CSR: csr}, 1},
		{Value{Type: Type{Kind: Int, Shape: shape}, Layout: Sparse, CSR: weights}, 2},
		{Value{Type: Type{Kind: Bool, Shape: shape}, Layout: Parts, Part: []int32{0, 1, 0}}, 1},
	} {
		all := c.v.ToDense()
		for i, x := range want {
			if all[i] != c.times*x || c.v.At(i/3, i%3) != c.times*x {
				t.Errorf("%v: element %d is %v and %v, want %v", c.v.Layout, i, all[i], c.v.At(i/3, i%3), c.times*x)
			}
		}
	}
	if csr.NNZ() != 5 || !slices.Equal(csr.Row(2), []int32{0, 2}) {
		t.Errorf("%d entries, last row %v", csr.NNZ(), csr.Row(2))
	}
	v := Value{Type: Type{Kind: Bool, Shape: ShapeOf(70)}, Layout: Packed, Bits: NewBits(1, 70)}
	v.Bits.Set(0, 69)
	if all := v.ToDense(); v.At(69) != 1 || v.At(5) != 0 || len(all) != 70 || all[69] != 1 || all[68] != 0 {
		t.Errorf("a vector of bits: %v", all)
	}
	if Words(0) != 0 || Words(64) != 1 || Words(65) != 2 || len(bits.Row(1)) != 1 {
		t.Error("words of bits")
	}
}

func TestScalar(t *testing.T) {
	v := Scalar(Real, 2.5)
	if v.At() != 2.5 || v.Shape.Rank() != 0 || v.Kind.String() != "real" || v.Layout.String() != "dense" {
		t.Errorf("%+v", v)
	}
	copied := v.ToDense()
	if copied[0] = 3; v.F[0] != 2.5 {
		t.Error("ToDense gives the memory of the value away")
	}
}
