package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"

	"ein"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

// Array is numbers that are not written as text. Its parts are little-endian, row after
// row:
//
//	dense   the elements
//	bits    a bit an element, the lowest first, each row filled up to 8 bytes with 0
//	csr     where the entries of each row begin and the last ends, their columns,
//	        and their values; without these, all are 1
//	edges   pairs of source and target, and weights; without these, all are 1
//	groups  a number for each node: the matrix that is 1 where two have the same
//
// Positions are int32 or int64, which the length of the part tells.
type Array struct {
	Layout string `json:"layout"`
	Dtype  string `json:"dtype"` // of the elements, values or weights: bool, int8 to uint64, float32, float64
	Shape  []int  `json:"shape"`
	Parts  []Part `json:"parts"`
}

// dtypes are the types of elements: their bytes, and how they are read.
var dtypes = map[string]struct {
	size int
	read func([]byte) []float64
}{
	"bool": {1, numbers[uint8]}, "uint8": {1, numbers[uint8]}, "int8": {1, numbers[int8]}, "uint16": {2, numbers[uint16]}, "int16": {2, numbers[int16]}, "uint32": {4, numbers[uint32]},
	"int32": {4, numbers[int32]}, "uint64": {8, numbers[uint64]}, "int64": {8, numbers[int64]}, "float32": {4, numbers[float32]}, "float64": {8, numbers[float64]},
}

// output makes an output an array, a number, or the rows of a relation.
func (c *Call) output(o *vm.Output, opt show.Options) (out Output, err error) {
	if o.Value.Layout == tensor.Rows {
		var b bytes.Buffer
		if err = show.JSON(context.Background(), &b, o, opt); err == nil {
			err = json.Unmarshal(b.Bytes(), &out)
		}
		return out, err
	}
	out = Output{Name: o.Name, Kind: o.Value.Kind.String(), Shape: append([]int{}, o.Value.Shape.Dims()...), Form: forms[o.Form]}
	v := o.Value
	if v.Shape.Rank() == 0 {
		out.Value = v.At()
		return out, nil
	}
	a := &Array{Layout: "dense", Dtype: map[tensor.Kind]string{tensor.Bool: "bool", tensor.Int: "int64", tensor.Real: "float64"}[v.Kind], Shape: v.Shape.Dims()}
	add := func(b []byte) { a.Parts = append(a.Parts, c.part(b)) }
	switch v.Layout {
	case tensor.Dense:
		add(elements(v.Kind, v.F))
	case tensor.Packed:
		a.Layout = "bits"
		add(littleEndian(v.Bits.W))
	case tensor.Sparse:
		a.Layout = "csr"
		add(littleEndian(v.CSR.Ptr))
		add(littleEndian(v.CSR.Idx))
		if v.CSR.Val != nil {
			add(elements(v.Kind, v.CSR.Val))
		}
	case tensor.Parts:
		a.Layout = "groups"
		add(littleEndian(v.Part))
	}
	out.Array = a
	return out, nil
}

// littleEndian encodes a list of numbers.
func littleEndian[T number](list []T) []byte {
	b, err := binary.Append(make([]byte, 0, binary.Size(list)), binary.LittleEndian, list)
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return b
}

// elements encodes numbers as the type that answers use for their kind.
func elements(k tensor.Kind, list []float64) []byte {
	switch k {
	case tensor.Bool:
		return littleEndian(converted[uint8](list))
	case tensor.Int:
		return littleEndian(converted[int64](list))
	}
	return littleEndian(list)
}

// wrongArray returns the error for an input's array. Inlined at its twenty call sites it would
// take 10 KB.
//
//go:noinline
func wrongArray(name, hint, format string, args []any) error {
	return &ein.Error{Diags: diag.List{diag.Finding(codes.E0701, diag.Error, name, 0, 0, fmt.Sprintf(format, args...), hint)}}
}

// tensor returns the value of an input that came as an array. It may take at most the given number
// of bytes; 0 means any number.
func (c *Call) tensor(a *Array, in bind.Declared, most uint64) (*tensor.Value, error) {
	fail := func(hint, format string, args ...any) error { return wrongArray(in.Name, hint, format, args) }
	dtype, known := dtypes[a.Dtype]
	if !known {
		return nil, fail("", "there is no dtype %q; there are bool, int8 to int64, uint8 to uint64, float32 and float64", a.Dtype)
	}
	rank := map[graphio.Kind]int{graphio.Graph: 2, graphio.Matrix: 2, graphio.Vector: 1}[in.Kind]
	if len(a.Shape) != rank {
		return nil, fail("", "the array has %s, a %s has %d", words.Plural(len(a.Shape), "axis", "axes"), in.Kind, rank)
	}
	count := uint64(1)
	for _, n := range a.Shape {
		if n < 0 || n > math.MaxInt32 {
			return nil, fail("", "the array has an axis of length %d, expected 0 to %d", n, math.MaxInt32)
		}
		count = tensor.SatMul(count, uint64(n))
	}
	if in.Kind == graphio.Graph && a.Shape[0] != a.Shape[1] {
		return nil, fail("", "the array is %dx%d, and a graph is square", a.Shape[0], a.Shape[1])
	}
	parts := make([][]byte, len(a.Parts))
	for i, p := range a.Parts {
		var err error
		if parts[i], err = c.bytes(p); err != nil {
			return nil, err
		}
	}
	v := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(a.Shape...)}}
	values := func(b []byte, n uint64) ([]float64, error) {
		if uint64(len(b)) != tensor.SatMul(n, uint64(dtype.size)) {
			return nil, fail("", "the part has %d bytes, expected %d elements of %s", len(b), n, a.Dtype)
		}
		list := dtype.read(b)
		kind, at := kindOf(list, !strings.HasPrefix(a.Dtype, "float"))
		if at >= 0 {
			place := fmt.Sprint(at)
			if a.Layout == "dense" && rank == 2 {
				place = fmt.Sprintf("[%d, %d]", at/a.Shape[1], at%a.Shape[1])
			}
			return nil, fail("", "element %s is %v, expected a finite number, and whole numbers below 2^53", place, list[at])
		}
		if a.Dtype == "bool" && kind != tensor.Bool {
			return nil, fail("", "a byte of bool is 0 or 1, and there is another one")
		}
		if v.Kind = kind; in.Kind == graphio.Graph && kind != tensor.Bool {
			return nil, fail(fmt.Sprintf("`input %s: matrix` takes weights.", in.Name), "the array of a graph holds 0 and 1 only")
		}
		return list, nil
	}
	want := func(least, most int) error {
		if len(parts) < least || len(parts) > most {
			has := words.Plural(most, "part")
			if least < most {
				has = fmt.Sprintf("%d or %s", least, has)
			}
			return fail("", "the layout %s has %s, found %d", a.Layout, has, len(parts))
		}
		if rank != 2 && a.Layout != "dense" && a.Layout != "bits" {
			return fail("", "the layout %s is for matrices", a.Layout)
		}
		return nil
	}
	var err error
	switch a.Layout {
	case "dense":
		if err = want(1, 1); err == nil {
			v.F, err = values(parts[0], count)
		}
	case "bits":
		if err = want(1, 1); err != nil {
			return nil, err
		}
		rows, cols := v.Shape.Matrix()
		v.Layout, v.Bits = tensor.Packed, tensor.Bits{Rows: rows, Cols: cols, Stride: tensor.Words(cols)}
		if len(parts[0]) != 8*rows*v.Bits.Stride {
			return nil, fail("", "the part has %d bytes, expected %d rows of %d", len(parts[0]), rows, 8*v.Bits.Stride)
		}
		v.Bits.W = read[uint64](parts[0])
		for i := v.Bits.Stride - 1; cols%64 != 0 && i < len(v.Bits.W); i += v.Bits.Stride {
			if v.Bits.W[i]>>(cols%64) != 0 {
				return nil, fail("", "row %d has a bit past its end", i/v.Bits.Stride)
			}
		}
	case "csr":
		if err = want(2, 3); err != nil {
			return nil, err
		}
		rows, cols := a.Shape[0], a.Shape[1]
		ptr, ok := ints(parts[0], rows+1)
		if !ok || ptr[0] != 0 || ptr[rows] < 0 {
			return nil, fail("", "the first part of csr is %d positions from 0 on, as int32 or int64", rows+1)
		}
		idx, ok := ints(parts[1], int(ptr[rows]))
		if !ok {
			return nil, fail("", "the second part of csr has %d bytes, expected %d columns as int32 or int64", len(parts[1]), ptr[rows])
		}
		var list []float64
		if len(parts) == 3 {
			if list, err = values(parts[2], uint64(len(idx))); err != nil {
				return nil, err
			}
		}
		m := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, 1, rows+1), Idx: make([]int32, 0, len(idx))}
		for i := range rows {
			if ptr[i+1] < ptr[i] || ptr[i+1] > int64(len(idx)) {
				return nil, fail("", "row %d of csr ends at %d, expected %d to %d", i, ptr[i+1], ptr[i], len(idx))
			}
			before := int64(-1)
			for k := ptr[i]; k < ptr[i+1]; k++ {
				if idx[k] <= before || idx[k] >= int64(cols) {
					return nil, fail("SciPy's sum_duplicates() sorts the columns.", "row %d of csr has column %d after %d, expected a greater one below %d", i, idx[k], before, cols)
				}
				before = idx[k]
				if list != nil && list[k] == 0 {
					continue
				}
				m.Idx = append(m.Idx, int32(idx[k]))
				if list != nil && v.Kind != tensor.Bool {
					m.Val = append(m.Val, list[k])
				}
			}
			m.Ptr = append(m.Ptr, int32(len(m.Idx)))
		}
		v.Layout, v.CSR = tensor.Sparse, m
	case "edges":
		if err = want(1, 2); err != nil {
			return nil, err
		}
		ends, ok := pairs(parts[0])
		if !ok {
			return nil, fail("", "the first part of edges has %d bytes, expected pairs of int64", len(parts[0]))
		}
		// The other layouts take what was sent; this one takes three lists as long as the rows.
		takes, wrong := tensor.SatAdd(12*uint64(a.Shape[0]), 8*uint64(len(ends))), ""
		switch {
		case a.Shape[0] > graphio.DefaultMaxNodes:
			wrong = fmt.Sprintf("an array has at most %d rows, found %d", graphio.DefaultMaxNodes, a.Shape[0])
		case most > 0 && takes > most:
			wrong = fmt.Sprintf("an array of %d rows takes %s to be built, the limit is %s", a.Shape[0], words.Bytes(takes), words.Bytes(most))
		}
		if wrong != "" {
			return nil, &ein.Error{Diags: diag.List{diag.Finding(codes.E0708, diag.Error, in.Name, 0, 0, wrong, "")}}
		}
		var weights []float64
		if len(parts) == 2 {
			if weights, err = values(parts[1], uint64(len(ends)/2)); err != nil {
				return nil, err
			}
		}
		src, dst, kept := make([]int32, 0, len(ends)/2), make([]int32, 0, len(ends)/2), []float64(nil)
		for i := 0; i < len(ends); i += 2 {
			if s, d := ends[i], ends[i+1]; s < 0 || d < 0 || s >= int64(a.Shape[0]) || d >= int64(a.Shape[1]) {
				return nil, fail("", "edge %d leads from %d to %d, and the array is %dx%d", i/2, s, d, a.Shape[0], a.Shape[1])
			}
			if weights != nil && weights[i/2] == 0 {
				continue
			}
			src, dst = append(src, int32(ends[i])), append(dst, int32(ends[i+1]))
			if weights != nil && v.Kind != tensor.Bool {
				kept = append(kept, weights[i/2])
			}
		}
		var repeated int
		v.Layout = tensor.Sparse
		if v.CSR, repeated = tensor.BuildCSR(a.Shape[0], a.Shape[1], src, dst, kept); repeated > 0 && kept != nil {
			return nil, fail("Add them up, or keep one of each.", "%d edges have the ends of another one, with a weight each", repeated)
		}
	default:
		return nil, fail("", "there is no layout %q of an input; there are dense, bits, csr and edges", a.Layout)
	}
	return v, err
}

// kindOf returns the narrowest kind that holds a list, or the place of the first number that fits
// none: a whole number that had to be rounded to a float64.
func kindOf(list []float64, whole bool) (k tensor.Kind, wrong int) {
	k = tensor.Bool
	for i, x := range list {
		switch {
		case x == 0 || x == 1:
		case math.IsNaN(x) || math.IsInf(x, 0) || whole && math.Abs(x) >= tensor.MaxInt:
			return k, i
		case x != math.Trunc(x) || math.Abs(x) >= tensor.MaxInt:
			k = tensor.Real
		default:
			k = max(k, tensor.Int)
		}
	}
	return k, -1
}

// ints decodes n positions, which are int32 or int64 by the length of b.
func ints(b []byte, n int) ([]int64, bool) {
	switch len(b) {
	case 4 * n:
		return converted[int64](read[int32](b)), true
	case 8 * n:
		return read[int64](b), true
	}
	return nil, false
}

// pairs decodes pairs of positions.
func pairs(b []byte) ([]int64, bool) {
	if len(b)%16 != 0 {
		return nil, false
	}
	return ints(b, len(b)/8)
}

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// read decodes all of b.
func read[T number](b []byte) []T {
	var one T
	list := make([]T, len(b)/binary.Size(one))
	if _, err := binary.Decode(b, binary.LittleEndian, list); err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return list
}

func converted[To, From number](list []From) []To {
	out := make([]To, len(list))
	for i, x := range list {
		out[i] = To(x)
	}
	return out
}

func numbers[T number](b []byte) []float64 { return converted[float64](read[T](b)) }
