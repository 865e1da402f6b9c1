package graphio

import (
	"errors"
	"strings"
	"testing"

	"ein/vm/cost"
	"ein/vm/tensor"
)

// fuzz checks that a reader neither panics nor passes its limits, that every
// failure is an error of this package, and that what is read can be bound or
// is refused.
func fuzz(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		for _, k := range []byte{0, 1, 2, 3} {
			f.Add([]byte(s), k)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, k byte) {
		x := 0.5
		opt := Options{
			Kind: []Kind{Graph, Matrix, Vector, Scalar}[k%4], Format: format,
			MaxBytes: 1 << 16, MaxNodes: 1 << 8, MaxEdges: 1 << 10, MaxElems: 1 << 10,
		}
		if k&4 != 0 && format != NPY && format != MatrixMarket && opt.Kind != Scalar {
			opt.IDs = IDsLabel
		}
		if k&8 != 0 && opt.Kind == Matrix && format != NPY {
			opt.Dup = DupSum
		}
		if k&16 != 0 && opt.Kind == Vector && format != NPY && format != MatrixMarket {
			opt.Default = &x
		}
		opt.Ledger = &cost.Ledger{}
		if k&32 != 0 {
			opt.Ledger.Max = 1 << 12
		}
		raw, err := Read(strings.NewReader(string(data)), "f", opt)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.File != "f" || e.Msg == "" {
				t.Fatalf("%#v", err)
			}
			if n := opt.Ledger.Used(); n > 0 {
				t.Fatalf("%d bytes are held after %v", n, err)
			}
			return
		}
		if raw.edges.len() > opt.MaxEdges || raw.labels.len() > opt.MaxNodes || len(raw.data) > opt.MaxElems {
			t.Fatalf("past the limits: %d edges, %d labels, %d elements", raw.edges.len(), raw.labels.len(), len(raw.data))
		}
		if n := raw.held(); n != int(raw.mem.held) {
			t.Fatalf("%d bytes are counted, %d are there", raw.mem.held, n)
		}
		vals, labels, _, err := Bind([]Decl{{"A", raw}}, nil)
		texts := raw.texts
		isEdges := raw.form == edgeList
		raw.Free()
		if n := opt.Ledger.Used(); n != uint64(texts+len(labels)*sizeOf[string]()) {
			t.Fatalf("%d bytes are held for %d labels of %d bytes", n, len(labels), texts)
		}
		if err != nil {
			return
		}
		checkValue(t, &vals[0])
		if labels != nil && vals[0].Shape.Dim(0) != len(labels) && isEdges {
			t.Fatalf("%d labels for shape %v", len(labels), vals[0].Shape)
		}
	})
}

func FuzzCSV(f *testing.F) {
	fuzz(f, CSV, "0,1\n1,2\n", "source,target,weight\n\"a\"\"b\",c,1.5\n", "a,\"x\ny\"\n", "1\n2\n", "\"", "a,b\r\n\r\n")
}

func FuzzTSV(f *testing.F) { fuzz(f, TSV, "# c\n0\t1\n1\t2\n", "a\tb\t3\n\"a\t\"\tc\t4\n") }

func FuzzEdges(f *testing.F) { fuzz(f, Edges, "% c\n0 1\n1  2\n", "\"a b\" c\n", "1,2\n2,3\n") }

func FuzzMatrixMarket(f *testing.F) {
	const head = "%%MatrixMarket matrix "
	fuzz(f, MatrixMarket, head+"coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n", head+"array real general\n2 2\n1\n0\n0\n1\n",
		head+"coordinate integer skew-symmetric\n3 3 1\n2 1 4\n", head+"array integer skew-symmetric\n2 2\n1\n")
}

func FuzzJSON(f *testing.F) {
	fuzz(f, JSON, "[[0,1],[1,2]]", `[["a","b"]]`, `{"nodes":["a","b"],"edges":[[0,1,2]]}`, `{"directed":false,"edges":[{"source":"a","target":"b"}]}`,
		"[[0,1,0],[1,1,1],[0,0,0]]", "[1,2.5]", "-3e2", `{"a\u00e9":1}`, `{"n":4,"edges":[[3,3]],"graph":{"x":[null,true]}}`)
}

func FuzzJSONLines(f *testing.F) {
	fuzz(f, JSONLines, "[0,1]\n[1,2]\n", "[\"a\",\"b\"]\r\n\n  [\"b\",\"c\"]", "{\"source\":\"a\",\"target\":\"b\"}\n", "1\n2.5\n", "[\n1]", "]", ",")
}

// FuzzRelation reads rows of typed columns, of text and of JSON.
func FuzzRelation(f *testing.F) {
	for _, s := range []string{"a,n\nx,1\ny,2\n", "x\ny,2\n", `[["x",1],{"n":2,"a":"y","b":null}]`, `[{"a":"x"},3,["x",null]]`, "[]", `[["x",1.5]`} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(1))
	}
	f.Add([]byte("[\"x\",1]\n\n {\"n\":2,\"a\":\"y\"}\r\n"), byte(2))
	f.Fuzz(func(t *testing.T, data []byte, k byte) {
		ledger := &cost.Ledger{}
		raw, err := Read(strings.NewReader(string(data)), "f", Options{
			Kind: Relation, Format: []Format{CSV, JSON, JSONLines}[k%3], Lines: true, MaxBytes: 1 << 16, MaxEdges: 1 << 10, Ledger: ledger,
			Columns: []tensor.Column{{Name: "a", Kind: tensor.NodeColumn, Domain: new(tensor.Domain{Name: "node"})}, {Name: "n", Kind: tensor.IntColumn}},
		})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.File != "f" || e.Msg == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		rows := raw.relation.cells[0].len()
		if n := raw.relation.cells[1].len(); n != rows || rows > 1<<10 || raw.relation.lines.len() != rows {
			t.Fatalf("%d and %d cells, %d lines", rows, n, raw.relation.lines.len())
		}
		if _, err := Tables([]*Raw{raw}, map[string][]string{}); err != nil {
			t.Fatal(err)
		}
		if raw.Free(); ledger.Used() != 0 {
			t.Fatalf("%d bytes are held", ledger.Used())
		}
	})
}

func FuzzNPY(f *testing.F) {
	fuzz(f, NPY, npyFile(1, npyHead("<f8", "False", "(2, 2)"), []float64{0, 1, 1, 0}), npyFile(2, npyHead("|u1", "True", "(2, 2)"), []byte{0, 1, 1, 0}),
		npyFile(3, npyHead(">i4", "False", "(2,)"), []int32{0, 1}), npyFile(1, npyHead("<u8", "False", "()"), uint64(3)))
}

// FuzzAuto leaves the format to the content, gzip included.
func FuzzAuto(f *testing.F) {
	fuzz(f, Auto, "0,1\n", "a\tb\n", gz("0 1\n"), gz("[[0,1]]")[:20], "\xef\xbb\xbf0,1\n", npyFile(1, npyHead("|b1", "False", "(1, 1)"), []byte{1}))
}

func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"a.csv", "a?format=csv&source=%41", "?", "a?b=c?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, _, err := ParseSpec(s)
		if err == nil && (path == "" || !strings.HasPrefix(s, path)) {
			t.Fatalf("%q has the path %q", s, path)
		}
	})
}
