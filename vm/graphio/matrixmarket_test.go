package graphio

import "testing"

func TestMatrixMarket(t *testing.T) {
	const (
		head  = "%%MatrixMarket matrix coordinate "
		array = "%%MatrixMarket matrix array "
	)
	runCases(t, []loadCase{
		{name: "pattern", spec: "g.mtx", text: head + "pattern general\n% note\n\n3 3 2\n1 2\n2 3\n", want: "bool 3x3: 0>1 1>2"},
		{name: "by content, upper case", spec: "-", text: "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3\n", want: "bool 3x3: 0>1 1>0 2>2"},
		{name: "zero in a graph", spec: "g.mtx", text: head + "integer general\n2 2 2\n1 2 0\n2 1 -4\n",
			want: "bool 2x2: 1>0\nzero-weight: g.mtx:3: 1 row of weight 0 left out: a graph has no edges of weight 0"},
		{name: "comments among the entries", spec: "g.mtx", text: head + "pattern general\n% note\n2 2 2\n1 2\n%2 2\n% x\n2 1\n",
			want: "bool 2x2: 0>1 1>0\ncomments: g.mtx:5: 2 lines after the sizes read as comments because they begin with \"%\""},
		{name: "symmetric duplicates", spec: "g.mtx", text: head + "pattern symmetric\n3 3 5\n2 1\n2 1\n3 3\n3 3\n3 3\n",
			want: "bool 3x3: 0>1 1>0 2>2\nduplicates: g.mtx:4: 3 repeated edges merged: 2 -> 1 is on line 3 and again on line 4"},
		{name: "rectangular matrix", kind: Matrix, spec: "m.mtx", text: head + "real general\n2 3 2\n1 3 0.5\n2 1 1e2\n", want: "real 2x3: 0>2=0.5 1>0=100"},
		{name: "explicit zero, default=inf", kind: Matrix, spec: "m.mtx?default=inf", text: head + "real general\n2 3 2\n1 3 0\n2 1 7\n", want: "far real 2x3: 0>2=0 1>0=7"},
		{name: "explicit zero", kind: Matrix, spec: "m.mtx", text: head + "real general\n2 3 2\n1 3 0\n2 1 7\n", want: "int 2x3: 1>0=7\nzero-weight: m.mtx: 1 edge of weight 0 left out: in a matrix, 0 means no edge; default=inf keeps weight 0 and makes a missing edge infinite"},
		{name: "skew-symmetric", kind: Matrix, spec: "m.mtx", text: head + "integer skew-symmetric\n3 3 1\n3 1 5\n", want: "int 3x3: 0>2=-5 2>0=5"},
		{name: "skew-symmetric duplicates", kind: Matrix, spec: "m.mtx?dup=min", text: head + "integer skew-symmetric\n3 3 3\n3 1 5\n3 1 2\n2 1 -4\n", want: "int 3x3: 0>1=4 0>2=-2 1>0=-4 2>0=2"},
		{name: "unsigned", kind: Matrix, spec: "m.mtx", text: head + "unsigned-integer symmetric\n2 2 1\n2 1 255\n", want: "int 2x2: 0>1=255 1>0=255"},
		{name: "empty", kind: Matrix, spec: "m.mtx", text: head + "real general\n2 3 0\n", want: "bool 2x3:"},
		{name: "symmetric matrix with duplicate", kind: Matrix, spec: "m.mtx", text: head + "integer symmetric\n3 3 2\n3 1 5\n3 1 5\n",
			want: "error: m.mtx:4: two weights for one edge: 3 -> 1 is on line 3 and again on line 4 (dup=min, dup=max, dup=sum or dup=first combines them)"},
		{name: "array", kind: Matrix, spec: "m.mtx", text: array + "real general\n2 3\n1\n2\n3\n4\n5\n6\n", want: "int 2x3: 1 3 5 2 4 6"},
		{name: "symmetric array", kind: Matrix, spec: "m.mtx", text: array + "integer symmetric\n2 2\n1\n2\n3\n", want: "int 2x2: 1 2 2 3"},
		{name: "skew-symmetric array", kind: Matrix, spec: "m.mtx", text: array + "integer skew-symmetric\n3 3\n1\n2\n3\n", want: "int 3x3: 0 -1 -2 1 0 -3 2 3 0"},
		{name: "skew-symmetric array of one element", kind: Matrix, spec: "m.mtx", text: array + "integer skew-symmetric\n1 1\n", want: "bool 1x1: 0"},
		{name: "array as vector", kind: Vector, spec: "v.mtx", text: array + "integer general\n2 1\n1\n2\n", want: "int 2: 1 2"},
		{name: "array as graph", spec: "g.mtx", text: array + "integer symmetric\n2 2\n1\n1\n0\n", want: "bool 2x2: 0>0 0>1 1>0"},

		{name: "skew-symmetric array as graph", spec: "g.mtx", text: array + "integer skew-symmetric\n2 2\n1\n", want: "error: g.mtx:1: a skew-symmetric array has negative entries, which a graph cannot have (bind it to an input of kind matrix)"},
		{name: "bad header", spec: "g.mtx", text: "1 2 3\n", want: `error: g.mtx:1:1: expected the header %%MatrixMarket matrix LAYOUT VALUES SYMMETRY, found "1 2 3"`},
		{name: "complex", spec: "g.mtx", text: head + "complex general\n", want: "error: g.mtx:1: unsupported values \"complex\" (expected real, integer, unsigned-integer, pattern)"},
		{name: "hermitian", spec: "g.mtx", text: head + "real hermitian\n", want: "error: g.mtx:1: unsupported symmetry \"hermitian\" (expected general, symmetric, skew-symmetric)"},
		{name: "unknown", spec: "g.mtx", text: head + "real diagonal\n", want: `error: g.mtx:1: unknown symmetry "diagonal" (expected general, symmetric, skew-symmetric)`},
		{name: "vector object", spec: "g.mtx", text: "%%MatrixMarket vector coordinate real general\n", want: "error: g.mtx:1: unsupported object \"vector\" (expected matrix)"},
		{name: "pattern array", spec: "g.mtx", text: array + "pattern general\n", want: "error: g.mtx:1: pattern values cannot be combined with array general"},
		{name: "no sizes", spec: "g.mtx", text: head + "real general\n% x\n", want: "error: g.mtx:2: the file ends before the line of sizes (expected ROWS COLUMNS ENTRIES)"},
		{name: "two sizes", spec: "g.mtx", text: head + "real general\n2 2\n", want: "error: g.mtx:2:1: expected ROWS COLUMNS ENTRIES, found 2 fields"},
		{name: "bad size", spec: "g.mtx", text: head + "real general\n2 -2 1\n", want: `error: g.mtx:2:3: expected a size, found "-2" (expected ROWS COLUMNS ENTRIES)`},
		{name: "not square", spec: "g.mtx", text: head + "real general\n2 3 1\n", want: "error: g.mtx:2:1: a graph must be square, found 2 x 3"},
		{name: "symmetric not square", kind: Matrix, spec: "g.mtx", text: head + "real symmetric\n2 3 1\n", want: "error: g.mtx:2:1: a symmetric matrix must be square, found 2 x 3"},
		{name: "no elements", spec: "g.mtx", text: head + "real general\n0 0 0\n", want: "error: g.mtx:2:1: a matrix of 0 x 0 has no elements"},
		{name: "too large", spec: "g.mtx", text: head + "real general\n99999999999999999999 99999999999999999999 0\n", want: "error: g.mtx:2:1: 99999999999999999999 x 99999999999999999999 exceeds the limit of 67108864 nodes"},
		{name: "sizes as they were read", spec: "g.mtx", text: head + "real general\n99999999999999 99999999999999 1\n", want: "error: g.mtx:2:1: 99999999999999 x 99999999999999 exceeds the limit of 67108864 nodes"},
		{name: "entries as they were read", spec: "g.mtx", text: head + "real general\n2 2 99999999999999\n", want: "error: g.mtx:2:5: 99999999999999 entries exceed the limit of 268435456"},
		{name: "too many entries", spec: "g.mtx", text: head + "real general\n2 2 999999999\n", want: "error: g.mtx:2:5: 999999999 entries exceed the limit of 268435456"},
		{name: "few entries", spec: "g.mtx", text: head + "pattern general\n2 2 2\n1 1\n", want: "error: g.mtx:3: the file ends after 1 of the 2 entries that the header announces"},
		{name: "many entries", spec: "g.mtx", text: head + "pattern general\n2 2 1\n1 1\n2 2\n", want: "error: g.mtx:4:1: expected the end of the file after the 1 entry that the header announces"},
		{name: "bad entries", kind: Matrix, spec: "g.mtx", text: head + "integer general\n2 2 5\n0 1 1\n1 3 1\n1 x 1\n1 1\n1 1 0.5\n",
			want: "error: g.mtx:3:1: expected a row from 1 to 2, found \"0\"\ng.mtx:4:3: expected a column from 1 to 2, found \"3\"\n" +
				"g.mtx:5:3: expected a column from 1 to 2, found \"x\"\ng.mtx:6:4: expected 3 fields, found 2\ng.mtx:7:5: expected an integer, found \"0.5\""},
		{name: "above the diagonal", spec: "g.mtx", text: head + "pattern symmetric\n2 2 1\n1 2\n", want: "error: g.mtx:3:1: entry 1 2 is not below the diagonal, as every entry of a symmetric file must be"},
		{name: "short array", kind: Matrix, spec: "g.mtx", text: array + "real general\n2 2\n1\n2\n3\n", want: "error: g.mtx:5: the file ends before element 2 2 of a 2 x 2 matrix"},
		{name: "long array", kind: Matrix, spec: "g.mtx", text: array + "real general\n1 1\n1\n2\n", want: "error: g.mtx:4:1: expected the end of the file after the elements of a 1 x 1 matrix"},
		{name: "bad elements", kind: Matrix, spec: "g.mtx", text: array + "real general\n2 1\n1 2\nx\n", want: "error: g.mtx:3:3: expected one element per line, found 2 fields\ng.mtx:4:1: expected a number, found \"x\""},
		{name: "not 0 or 1", spec: "g.mtx", text: array + "real general\n2 2\n1\n0\n1\n 2\n", want: "error: g.mtx:6:2: expected 0 or 1 in a graph, found 2 at row 1, column 1 (bind it to an input of kind matrix to keep weights)"},
		{name: "array too large", kind: Matrix, spec: "g.mtx", text: array + "real general\n99999 99999\n1\n", want: "error: g.mtx:2:1: 99999 x 99999 exceeds the limit of 134217728 elements"},
		{name: "dup for array", kind: Matrix, spec: "g.mtx?dup=sum", text: array + "real general\n1 1\n1\n", want: "error: g.mtx: the options dup and default are for lists of edges, but this file is a dense array"},
		{name: "wide vector", kind: Vector, spec: "g.mtx", text: array + "real general\n1 2\n1\n2\n", want: "error: g.mtx:2:3: expected one column for a vector, found 2"},
		{name: "coordinate vector", kind: Vector, spec: "g.mtx", text: head + "real general\n2 1 0\n", want: "error: g.mtx: a vector cannot be read from a coordinate Matrix Market file (use the array layout with one column)"},
		{name: "scalar", kind: Scalar, spec: "g.mtx", text: array + "real general\n1 1\n1\n", want: "error: g.mtx: a scalar cannot be read from a Matrix Market file"},
		{name: "options", spec: "g.mtx?weight=1", text: head + "real general\n2 1 0\n", want: "error: g.mtx: the option weight does not apply to a graph read from mtx (weight is for tables and JSON edges)"},
	})
}
