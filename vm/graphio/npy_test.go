package graphio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// npyFile is an .npy file of version v with the given header and data.
func npyFile(v byte, header string, data ...any) string {
	var b bytes.Buffer
	b.WriteString(npyMagic)
	b.Write([]byte{v, 0})
	header += "\n"
	if v == 1 {
		_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	} else {
		_ = binary.Write(&b, binary.LittleEndian, uint32(len(header)))
	}
	b.WriteString(header)
	for _, d := range data {
		_ = binary.Write(&b, binary.LittleEndian, d)
	}
	return b.String()
}

func npyHead(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
}

func TestNPY(t *testing.T) {
	head := npyHead
	big := func(x any) []byte {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.BigEndian, x)
		return b.Bytes()
	}
	runCases(t, []loadCase{
		{name: "f8", kind: Matrix, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(2, 3)"), []float64{1, 2, 3, 4, 5, 6.5}), want: "real 2x3: 1 2 3 4 5 6.5"},
		{name: "Fortran order", kind: Matrix, spec: "a.npy", text: npyFile(2, head("<f4", "True", "(2, 3)"), []float32{1, 4, 2, 5, 3, 6}), want: "int 2x3: 1 2 3 4 5 6"},
		{name: "vector, Fortran order", kind: Vector, spec: "-", text: npyFile(3, head("|i1", "True", "(3,)"), []int8{1, -2, 3}), want: "int 3: 1 -2 3"},
		{name: "u1", kind: Vector, spec: "a.npy", text: npyFile(1, head("|u1", "False", "(2,)"), []uint8{1, 255}), want: "int 2: 1 255"},
		{name: "b1", kind: Vector, spec: "a.npy", text: npyFile(1, head("|b1", "False", "(2,)"), []bool{true, false}), want: "bool 2: 1 0"},
		{name: "i2 big", kind: Vector, spec: "a.npy", text: npyFile(1, head(">i2", "False", "(2,)"), big([]int16{-1, 300})), want: "int 2: -1 300"},
		{name: "u4 big", kind: Vector, spec: "a.npy", text: npyFile(1, head(">u4", "False", "(2,)"), big([]uint32{math.MaxUint32, 3})), want: "int 2: 4.294967295e+09 3"},
		{name: "i8", kind: Scalar, spec: "a.npy", text: npyFile(1, head("<i8", "False", "()"), int64(-7)), want: "int scalar: -7"},
		{name: "negative zero", kind: Scalar, spec: "a.npy", text: npyFile(1, head("<f8", "False", "()"), math.Copysign(0, -1)), want: "bool scalar: 0"},
		{name: "other quotes and order", kind: Scalar, spec: "a.npy", text: npyFile(1, `{"shape":(),"descr":"<u8","fortran_order":False}`, uint64(7)), want: "int scalar: 7"},
		{name: "graph", spec: "a.npy", text: npyFile(1, head("|b1", "False", "(2, 2)"), []byte{0, 1, 0, 1}), want: "bool 2x2: 0>1 1>1"},
		{name: "graph in Fortran order", spec: "a.npy", text: npyFile(1, head("<u8", "True", "(2, 2)"), []uint64{0, 1, 0, 1}), want: "bool 2x2: 1>0 1>1"},
		{name: "gzip", spec: "a.npy.gz", text: gz(npyFile(1, head("|b1", "False", "(1, 1)"), []byte{0})), want: "bool 1x1:"},

		{name: "not 0 or 1", spec: "a.npy", text: npyFile(1, head("<f8", "False", "(2, 2)"), []float64{0, 1, 0.5, 1}),
			want: "error: a.npy: expected 0 or 1 in a graph, found 0.5 at row 1, column 0 (bind it to an input of kind matrix to keep weights)"},
		{name: "NaN", kind: Matrix, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(1, 2)"), []float64{math.NaN(), math.Inf(-1)}),
			want: "error: a.npy: row 0, column 0: expected a finite number, found NaN\na.npy: row 0, column 1: expected a finite number, found -Inf"},
		{name: "2^53", kind: Vector, spec: "a.npy", text: npyFile(1, head("<i8", "False", "(2,)"), []int64{1, -9007199254740993}),
			want: "error: a.npy: element 1: the integer -9007199254740993 is at or past 2^53, where integers stop being exact"},
		{name: "2^53 unsigned", kind: Scalar, spec: "a.npy", text: npyFile(1, head("<u8", "False", "()"), uint64(math.MaxUint64)),
			want: "error: a.npy: the integer 18446744073709551615 is at or past 2^53, where integers stop being exact"},
		{name: "bad boolean", kind: Scalar, spec: "a.npy", text: npyFile(1, head("|b1", "False", "()"), byte(2)), want: "error: a.npy: expected a boolean as 0 or 1, found 2"},
		{name: "rank", kind: Matrix, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(1, 2, 3)")), want: "error: a.npy: expected an array of rank 2 for a matrix, found shape (1, 2, 3) (reshape gives an array another rank)"},
		{name: "not square", spec: "a.npy", text: npyFile(1, head("<f8", "False", "(1, 2)")), want: "error: a.npy: a graph must be square, found shape (1, 2) (an array of edges is read as text, as savetxt writes it with fmt=\"%d\")"},
		{name: "edges", spec: "a.npy", text: npyFile(1, head("<i8", "False", "(3, 2)")), want: "error: a.npy: a graph must be square, found shape (3, 2) (an array of edges is read as text, as savetxt writes it with fmt=\"%d\")"},
		{name: "no elements", kind: Vector, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(0,)")), want: "error: a.npy: an array of shape (0,) has no elements"},
		{name: "large graph", spec: "a.npy", text: npyFile(1, head("<f8", "False", "(100000000, 100000000)")), want: "error: a.npy: shape (100000000, 100000000) exceeds the limit of 67108864 nodes"},
		{name: "large matrix", kind: Matrix, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(99999999999999, 99999999999999)")), want: "error: a.npy: shape (99999999999999, 99999999999999) exceeds the limit of 134217728 elements"},
		{name: "truncated", kind: Vector, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(3,)"), []float64{1, 2}), want: "error: a.npy: the file ends after 2 of 3 elements"},
		{name: "no data", kind: Vector, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(3,)")), want: "error: a.npy: the file ends after 0 of 3 elements"},
		{name: "too long", kind: Vector, spec: "a.npy", text: npyFile(1, head("<f8", "False", "(1,)"), []float64{1, 2}), want: "error: a.npy: the file continues after its 1 elements"},
		{name: "objects", kind: Vector, spec: "a.npy", text: npyFile(1, head("|O", "False", "(1,)")), want: "error: a.npy: arrays of Python objects are not supported (expected f2, f4, f8, i1 to i8, u1 to u8 or b1; astype(float) makes such an array of numbers, CSV and JSON hold names)"},
		{name: "complex", kind: Vector, spec: "a.npy", text: npyFile(1, head("<c16", "False", "(1,)")), want: `error: a.npy: arrays of type "<c16" are not supported (expected f2, f4, f8, i1 to i8, u1 to u8 or b1; astype(float) makes such an array of numbers, CSV and JSON hold names)`},
		{name: "half", kind: Vector, spec: "a.npy", text: npyFile(1, head("<f2", "False", "(8,)"), []uint16{0x3c00, 0xc000, 0x7bff, 1, 0x3ff, 0x400, 0x2e66, 0x8000}),
			want: "real 8: 1 -2 65504 5.960464477539063e-08 6.097555160522461e-05 6.103515625e-05 0.0999755859375 -0"},
		{name: "half that is none", kind: Vector, spec: "a.npy", text: npyFile(1, head(">f2", "False", "(2,)"), big([]uint16{0x7c00, 0xfe00})),
			want: "error: a.npy: element 0: expected a finite number, found +Inf\na.npy: element 1: expected a finite number, found NaN"},
		{name: "order", kind: Vector, spec: "a.npy", text: npyFile(1, head("=f8", "False", "(1,)")), want: `error: a.npy: arrays of type "=f8" are not supported (expected f2, f4, f8, i1 to i8, u1 to u8 or b1; astype(float) makes such an array of numbers, CSV and JSON hold names)`},
		{name: "no order", kind: Vector, spec: "a.npy", text: npyFile(1, head("|f8", "False", "(1,)")), want: `error: a.npy: arrays of type "|f8" are not supported (expected f2, f4, f8, i1 to i8, u1 to u8 or b1; astype(float) makes such an array of numbers, CSV and JSON hold names)`},
		{name: "structured", kind: Vector, spec: "a.npy", text: npyFile(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"), want: "error: a.npy: structured arrays are not supported (save one field of it, or a table as CSV)"},
		{name: "structured, Latin-1", kind: Vector, spec: "a.npy", text: npyFile(1, "{'descr': [('\xe9', '<f8')], 'fortran_order': False, 'shape': (1,), }"), want: "error: a.npy: structured arrays are not supported (save one field of it, or a table as CSV)"},
		{name: "other data", kind: Vector, spec: "a.npy", text: "0,1\n1,2\n3,4\n", want: "error: a.npy: expected an .npy file, found other data"},
		{name: "short", kind: Vector, spec: "a.npy", text: "\x93NUMPY", want: "error: a.npy: the file ends inside the .npy header"},
		{name: "short size", kind: Vector, spec: "a.npy", text: "\x93NUMPY\x01\x00", want: "error: a.npy: the file ends inside the .npy header"},
		{name: "short header", kind: Vector, spec: "a.npy", text: "\x93NUMPY\x01\x00\x10\x00{", want: "error: a.npy: the file ends inside the .npy header"},
		{name: "version", kind: Vector, spec: "a.npy", text: "\x93NUMPY\x04\x00\x00\x00", want: "error: a.npy: version 4.0 of the .npy format is not supported (expected 1, 2 or 3)"},
		{name: "long header", kind: Vector, spec: "a.npy", text: "\x93NUMPY\x02\x00\xff\xff\xff\xff", want: "error: a.npy: the header of 4294967295 bytes exceeds the limit of 65536"},
	})
	for _, h := range []string{"", "{", "{'descr'", "{'descr': '<f8', 'descr': '<f8'}", "{'x': 1}", "{'descr': '<f8'}", "{'shape': 3}", "{'shape': (3 3)}",
		"{'shape': (-1,)}", "{'fortran_order': 0}", "{'descr': '<f8' 'shape': ()}", "{'descr': <f8}", npyHead("<f8", "False", "()") + "x", "{descr: 1}"} {
		if _, problem := parseNPYHeader(h); problem == "" {
			t.Errorf("header %q is accepted", h)
		}
	}
	zipped := gz(npyFile(1, npyHead("<f8", "False", "(500,)"), make([]float64, 500)))
	if got := outcome(t, Vector, "a.npy", zipped[:40]); !strings.Contains(got, "truncated") {
		t.Error(got)
	}
}
