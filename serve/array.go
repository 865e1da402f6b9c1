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
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/graphio"
	"ein/vm/ir"
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

// received is an array that came for an input, on its way to a value.
type received struct {
	*Array
	in     bind.Declared
	most   uint64   // bytes that it may take; 0 means any number
	blocks [][]byte // the bytes of its parts
	v      *tensor.Value
}

// layouts are those of inputs: how many parts they have, whether they are for matrices alone, and how
// they are read.
var layouts = map[string]struct {
	least, most int
	matrix      bool
	read        func(*received) error
}{
	"dense": {1, 1, false, (*received).dense},
	"bits":  {1, 1, false, (*received).bits},
	"csr":   {2, 3, true, (*received).csr},
	"edges": {1, 2, true, (*received).edges},
}

// fail returns the error for the input. Inlined at its twenty call sites it would take 10 KB.
//
//go:noinline
func (r *received) fail(hint, format string, args ...any) error {
	return &ein.Error{Diags: diag.List{diag.Finding(codes.E0701, diag.Error, r.in.Name, 0, 0, fmt.Sprintf(format, args...), hint)}}
}

// tensor returns the value of an input that came as an array. It may take at most the given number
// of bytes; 0 means any number.
func (c *Call) tensor(a *Array, in bind.Declared, most uint64) (*tensor.Value, error) {
	r := &received{Array: a, in: in, most: most}
	if err := r.check(); err != nil {
		return nil, err
	}
	for _, p := range a.Parts {
		b, err := c.bytes(p)
		if err != nil {
			return nil, err
		}
		r.blocks = append(r.blocks, b)
	}
	layout, known := layouts[a.Layout]
	switch n := len(r.blocks); {
	case !known:
		return nil, r.fail("", "there is no layout %q of an input; there are dense, bits, csr and edges", a.Layout)
	case n < layout.least || n > layout.most:
		has := words.Plural(layout.most, "part")
		if layout.least < layout.most {
			has = fmt.Sprintf("%d or %s", layout.least, has)
		}
		return nil, r.fail("", "the layout %s has %s, found %d", a.Layout, has, n)
	case layout.matrix && len(a.Shape) != 2:
		return nil, r.fail("", "the layout %s is for matrices", a.Layout)
	}
	r.v = &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(a.Shape...)}}
	if err := layout.read(r); err != nil {
		return nil, err
	}
	return r.v, nil
}

// check holds the type and the shape against what the input takes.
func (r *received) check() error {
	if _, known := dtypes[r.Dtype]; !known {
		return r.fail("", "there is no dtype %q; there are bool, int8 to int64, uint8 to uint64, float32 and float64", r.Dtype)
	}
	if r.in.Kind == graphio.Relation {
		return r.fail("", "found an array, expected the rows of a relation, as JSON or text")
	}
	rank := map[graphio.Kind]int{graphio.Graph: 2, graphio.Matrix: 2, graphio.Vector: 1}[r.in.Kind]
	if len(r.Shape) != rank {
		return r.fail("", "the array has %s, a %s has %d", words.Plural(len(r.Shape), "axis", "axes"), r.in.Kind, rank)
	}
	for _, n := range r.Shape {
		if n < 0 || n > math.MaxInt32 {
			return r.fail("", "the array has an axis of length %d, expected 0 to %d", n, math.MaxInt32)
		}
	}
	if r.in.Kind == graphio.Graph && r.Shape[0] != r.Shape[1] {
		return r.fail("", "the array is %dx%d, and a graph is square", r.Shape[0], r.Shape[1])
	}
	return nil
}

// values reads n elements, and sets the kind of the value.
func (r *received) values(b []byte, n uint64) ([]float64, error) {
	dtype := dtypes[r.Dtype]
	if uint64(len(b)) != tensor.SatMul(n, uint64(dtype.size)) {
		return nil, r.fail("", "the part has %d bytes, expected %d elements of %s", len(b), n, r.Dtype)
	}
	list := dtype.read(b)
	kind, at := kindOf(list, !strings.HasPrefix(r.Dtype, "float"))
	switch {
	case at >= 0:
		place := fmt.Sprint(at)
		if r.Layout == "dense" && len(r.Shape) == 2 {
			place = fmt.Sprintf("[%d, %d]", at/r.Shape[1], at%r.Shape[1])
		}
		return nil, r.fail("", "element %s is %v, expected a finite number, and whole numbers below 2^53", place, list[at])
	case r.Dtype == "bool" && kind != tensor.Bool:
		return nil, r.fail("", "a byte of bool is 0 or 1, and there is another one")
	case r.in.Kind == graphio.Graph && kind != tensor.Bool:
		return nil, r.fail(fmt.Sprintf("`input %s: matrix` takes weights.", r.in.Name), "the array of a graph holds 0 and 1 only")
	}
	r.v.Kind = kind
	return list, nil
}

// weights reads the last part of a layout in which n ones need none.
func (r *received) weights(part, n int) ([]float64, error) {
	if len(r.blocks) <= part {
		return nil, nil
	}
	return r.values(r.blocks[part], uint64(n))
}

func (r *received) dense() (err error) {
	count := uint64(1)
	for _, n := range r.Shape {
		count = tensor.SatMul(count, uint64(n))
	}
	r.v.F, err = r.values(r.blocks[0], count)
	return err
}

// bits takes rows of 64-bit words. Bits past the end of a row are refused, since kernels count
// whole words.
func (r *received) bits() error {
	rows, cols := r.v.Shape.Matrix()
	m := tensor.Bits{Rows: rows, Cols: cols, Stride: tensor.Words(cols)}
	if len(r.blocks[0]) != 8*rows*m.Stride {
		return r.fail("", "the part has %d bytes, expected %d rows of %d", len(r.blocks[0]), rows, 8*m.Stride)
	}
	m.W = read[uint64](r.blocks[0])
	for i := m.Stride - 1; cols%64 != 0 && i < len(m.W); i += m.Stride {
		if m.W[i]>>(cols%64) != 0 {
			return r.fail("", "row %d has a bit past its end", i/m.Stride)
		}
	}
	r.v.Layout, r.v.Bits = tensor.Packed, m
	return nil
}

// csr takes rows of sorted columns, as SciPy has them, and drops entries that are 0: a stored
// entry is an edge.
func (r *received) csr() error {
	rows, cols := r.Shape[0], r.Shape[1]
	ptr, ok := ints(r.blocks[0], rows+1)
	if !ok || ptr[0] != 0 || ptr[rows] < 0 {
		return r.fail("", "the first part of csr is %d positions from 0 on, as int32 or int64", rows+1)
	}
	idx, ok := ints(r.blocks[1], int(ptr[rows]))
	if !ok {
		return r.fail("", "the second part of csr has %d bytes, expected %d columns as int32 or int64", len(r.blocks[1]), ptr[rows])
	}
	list, err := r.weights(2, len(idx))
	if err != nil {
		return err
	}
	m := tensor.CSR{Rows: rows, Cols: cols, Ptr: make([]int32, 1, rows+1), Idx: make([]int32, 0, len(idx))}
	for i := range rows {
		if ptr[i+1] < ptr[i] || ptr[i+1] > int64(len(idx)) {
			return r.fail("", "row %d of csr ends at %d, expected %d to %d", i, ptr[i+1], ptr[i], len(idx))
		}
		before := int64(-1)
		for k := ptr[i]; k < ptr[i+1]; k++ {
			if idx[k] <= before || idx[k] >= int64(cols) {
				return r.fail("SciPy's sum_duplicates() sorts the columns.", "row %d of csr has column %d after %d, expected a greater one below %d", i, idx[k], before, cols)
			}
			before = idx[k]
			if list != nil && list[k] == 0 {
				continue
			}
			m.Idx = append(m.Idx, int32(idx[k]))
			if list != nil && r.v.Kind != tensor.Bool {
				m.Val = append(m.Val, list[k])
			}
		}
		m.Ptr = append(m.Ptr, int32(len(m.Idx)))
	}
	r.v.Layout, r.v.CSR = tensor.Sparse, m
	return nil
}

// edges builds a matrix of pairs in any order. An edge without a weight may be repeated; two
// weights for the same ends are an error, as either could be meant.
func (r *received) edges() error {
	rows, cols := r.Shape[0], r.Shape[1]
	ends, ok := ints(r.blocks[0], len(r.blocks[0])/16*2)
	if !ok {
		return r.fail("", "the first part of edges has %d bytes, expected pairs of int64", len(r.blocks[0]))
	}
	// The other layouts take what was sent; this one takes three lists as long as the rows.
	takes, wrong := tensor.SatAdd(12*uint64(rows), 8*uint64(len(ends))), ""
	if rows > graphio.DefaultMaxNodes {
		wrong = fmt.Sprintf("an array has at most %d rows, found %d", graphio.DefaultMaxNodes, rows)
	} else if r.most > 0 && takes > r.most {
		wrong = fmt.Sprintf("an array of %d rows takes %s to be built, the limit is %s", rows, words.Bytes(takes), words.Bytes(r.most))
	}
	if wrong != "" {
		return &ein.Error{Diags: diag.List{diag.Finding(codes.E0708, diag.Error, r.in.Name, 0, 0, wrong, "")}}
	}
	weights, err := r.weights(1, len(ends)/2)
	if err != nil {
		return err
	}
	src, dst, kept := make([]int32, 0, len(ends)/2), make([]int32, 0, len(ends)/2), []float64(nil)
	for i := 0; i < len(ends); i += 2 {
		s, d := ends[i], ends[i+1]
		if s < 0 || d < 0 || s >= int64(rows) || d >= int64(cols) {
			return r.fail("", "edge %d leads from %d to %d, and the array is %dx%d", i/2, s, d, rows, cols)
		}
		if weights != nil && weights[i/2] == 0 {
			continue
		}
		src, dst = append(src, int32(s)), append(dst, int32(d))
		if weights != nil && r.v.Kind != tensor.Bool {
			kept = append(kept, weights[i/2])
		}
	}
	var repeated int
	r.v.Layout = tensor.Sparse
	if r.v.CSR, repeated = tensor.BuildCSR(rows, cols, src, dst, kept); repeated > 0 && weights != nil && r.in.Kind == graphio.Matrix {
		return r.fail("Add them up, or keep one of each.", "%s the ends of another one, with a weight each", words.Plural(repeated, "edge has", "edges have"))
	}
	return nil
}

// kindOf returns the narrowest kind that holds a list, or the place of the first number that fits
// none: a whole number that had to be rounded to a float64.
func kindOf(list []float64, whole bool) (k tensor.Kind, wrong int) {
	k = tensor.Bool
	for i, x := range list {
		if math.IsNaN(x) || math.IsInf(x, 0) || whole && math.Abs(x) >= tensor.MaxInt {
			return k, i
		}
		k = max(k, ir.KindOf(x))
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

// number is what an array can consist of.
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
	return lists.Map(list, func(x From) To { return To(x) })
}

func numbers[T number](b []byte) []float64 { return converted[float64](read[T](b)) }
