package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"ein/bind"
	einparquet "ein/bind/parquet"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

var tables = bind.Tables{graphio.Parquet: einparquet.Open}

// payment has a column of each sort.
type payment struct {
	Payer  string    `parquet:"payer,dict"`
	Payee  *string   `parquet:"payee,plain,optional"`
	Amount float64   `parquet:"amount,plain"`
	N      int32     `parquet:"n,plain"`
	Day    int32     `parquet:"day,date"`
	At     time.Time `parquet:"at,timestamp(millisecond)"`
	Price  int64     `parquet:"price,decimal(2:10)"`
	Open   bool      `parquet:"open"`
	Big    uint64    `parquet:"big"`
	Tags   []string  `parquet:"tags,list"`
	In     struct {
		City string `parquet:"city,dict"`
	} `parquet:"in"`
}

// half is the type of IEEE 754 halves, which the library does not write.
type half struct{ parquet.Type }

func (half) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

func payments(n int) []payment {
	names := []string{"acme", "shell", "zenith"}
	var rows []payment
	for i := range n {
		p := payment{Payer: names[i%2], Payee: &names[1+i%2], Amount: 1.5 * float64(i+1), N: int32(i), Day: int32(19724 + i), Price: int64(-5 + 200*i),
			At: time.Date(2024, 1, 2, 3, 4, 5, 6e6, time.UTC), Open: i%2 == 0, Big: 1<<64 - 1, Tags: []string{"a", "b"}}
		p.In.City = "Ulm"
		rows = append(rows, p)
	}
	return rows
}

// write makes a file, of several row groups and pages.
func write[T any](t testing.TB, rows []T, opt ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append([]parquet.WriterOption{parquet.MaxRowsPerRowGroup(1000), parquet.PageBufferSize(1000)}, opt...)...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, kind graphio.Kind, data []byte, opts string, max uint64) (string, error) {
	t.Helper()
	_, opt, err := graphio.ParseSpec("x?" + opts)
	if err != nil {
		t.Fatal(err)
	}
	opt.Format = graphio.Parquet
	ledger := &cost.Ledger{Max: max}
	r := bind.Reader{Tables: tables, Ledger: ledger}
	in := bind.Input{Name: "A", Data: bytes.NewReader(data), Options: opt}
	declared := bind.Declared{Kind: kind}
	if kind == graphio.Relation {
		declared.Columns = []tensor.Column{{Name: "payer", Domain: new(tensor.Domain{Name: "node"})}, {Name: "tags.list.element", Kind: tensor.TextColumn, Domain: new(tensor.Domain{Name: "text"})}}
	}
	raw, err := r.Read(t.Context(), in, declared)
	if err != nil {
		if ledger.Used() != 0 {
			t.Errorf("%d bytes are not given back", ledger.Used())
		}
		return "error: " + err.Error(), err
	}
	d, err := bind.Bind([]graphio.Decl{{Name: "A", Raw: raw}}, nil, nil)
	if err != nil {
		return "error: " + err.Error(), err
	}
	v := d.Values["A"]
	out := fmt.Sprint(v.Shape, v.F, v.CSR.Ptr, v.CSR.Idx, v.CSR.Val, v.Bits.W, d.Labels)
	for _, w := range d.Warnings {
		out += "; " + w.Msg
	}
	return out, nil
}

// TestColumns: the rules of tables hold, and columns have the values that they mean.
func TestColumns(t *testing.T) {
	data := write(t, payments(2))
	for _, c := range []struct {
		kind      graphio.Kind
		opt, want string
	}{
		{graphio.Matrix, "from=payer&to=payee&weight=amount", "3x3 [] [0 1 2 2] [1 2] [1.5 3] [] [acme shell zenith]"},
		{graphio.Matrix, "from=day&to=at&weight=price", "3x3 [] [0 1 1 2] [1 1] [-0.05 1.95] [] [2024-01-02 2024-01-02T03:04:05.006 2024-01-03]"},
		{graphio.Graph, "from=payer&to=in.city&where=open==1&where=day==2024-01-02&where=n<1", "2x2 [] [] [] [] [2 0] [acme Ulm]; where= leaves out 1 of 2 rows"},
		{graphio.Vector, "from=n&weight=open&extra=add", "2 [1 0] [] [] [] [] []"},
		{graphio.Vector, "from=n&weight=big", "error: A:1:9: the integer 18446744073709551615 is at or past 2^53, where integers stop being exact (as a real number, 18446744073709551615.0, it is rounded)\nA:2:9: the integer 18446744073709551615 is at or past 2^53, where integers stop being exact (as a real number, 18446744073709551615.0, it is rounded)"},
		{graphio.Vector, "from=n&weight=payer", "error: A:1:1: expected a number, found the string \"acme\"\nA:2:1: expected a number, found the string \"shell\""},
		{graphio.Graph, "from=tags.list.element&to=payer", "error: A:1:10: expected a node as a number or a string, found a list\nA:2:10: expected a node as a number or a string, found a list"},
		{graphio.Relation, "", "error: A:1:10: expected a string or a number in the column `tags.list.element`, found a list\nA:2:10: expected a string or a number in the column `tags.list.element`, found a list"},
		{graphio.Graph, "from=payer&to=paid", `error: A: to=paid: no such column (the columns are "payer", "payee", "amount", "n", "day", "at", "price", "open", "big", "tags.list.element", and 1 more)`},
		{graphio.Graph, "query=SELECT", "error: A: the option query does not apply to a graph read from parquet (query is for SQLite)"},
		{graphio.Scalar, "", "error: A: which of the 11 columns holds the values? (give weight=)"},
		{graphio.Scalar, "weight=n&where=payer==acme", "scalar [0] [] [] [] [] []; where= leaves out 1 of 2 rows"},
	} {
		if got, _ := read(t, c.kind, data, c.opt, 0); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.opt, got, c.want)
		}
	}
	type reals struct {
		A float64 `parquet:"a"`
		B float32 `parquet:"b"`
	}
	if got, _ := read(t, graphio.Graph, write(t, []reals{{1234567.5, 0.1}, {123456792, 123456792}, {0.25, 1234567.5}}), "ids=label", 0); got != "4x4 [] [] [] [] [2 0 4 1] [1234567.5 0.1 123456792 0.25]" {
		t.Error(got)
	}
	if got, _ := read(t, graphio.Graph, write(t, []reals{{math.NaN(), float32(math.Inf(1))}}), "ids=label", 0); got != "error: A:1:1: expected a node as a number or a string, found NaN" {
		t.Error(got)
	}
	// The index of pandas is neither a weight nor a value.
	type indexed struct {
		Payer string `parquet:"payer,plain"`
		Payee string `parquet:"payee,plain"`
		Index int64  `parquet:"__index_level_0__"`
	}
	type series struct {
		V     int64  `parquet:"a"`
		Index string `parquet:"__index_level_0__,plain"`
	}
	pairs, list := write(t, []indexed{{"a", "b", 0}, {"b", "c", 2}}), write(t, []series{{5, "x"}, {6, "y"}})
	for _, c := range []struct {
		kind graphio.Kind
		data []byte
		want string
	}{
		{graphio.Graph, pairs, `3x3 [] [] [] [] [2 4 0] [a b c]; columns not used (2 rows): "__index_level_0__"; edges lead from "payer" to "payee": from= and to= name other columns`},
		{graphio.Matrix, pairs, "error: A: which of the 3 columns holds the weights? (give weight=, or weight=none to make every row weigh 1)"},
		{graphio.Vector, list, "2 [5 6] [] [] [] [] [x y]"},
	} {
		opt := ""
		if c.kind == graphio.Vector {
			opt = "extra=add"
		}
		if got, _ := read(t, c.kind, c.data, opt, 0); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	type amounts struct {
		A string  `parquet:"source,plain"`
		B string  `parquet:"target,plain"`
		W float64 `parquet:"w"`
		T string  `parquet:"t,plain"`
	}
	data = write(t, []amounts{{"a", "b", math.NaN(), "1.5"}, {"a", "b", math.Inf(-1), "x"}})
	for opt, want := range map[string]string{
		"":         "error: A:1:3: expected a number, found NaN (where=w!=NaN leaves out such rows)\nA:2:3: expected a number, found -Inf (where=w!=-Inf leaves out such rows)",
		"weight=t": "error: A:1:4: expected a number, found the string \"1.5\" (a text is no weight, whatever it looks like; a query makes a number of it with CAST)\nA:2:4: expected a number, found the string \"x\"",
	} {
		if got, _ := read(t, graphio.Matrix, data, opt, 0); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	type keys struct {
		ID   [16]byte         `parquet:"id,uuid"`
		When deprecated.Int96 `parquet:"when"`
		Sum  int64            `parquet:"sum,decimal(2:10)"`
	}
	when := deprecated.Int96{1, 0, 2440589}
	if got, _ := read(t, graphio.Graph, write(t, []keys{{[16]byte{1, 15: 2}, when, 150}, {[16]byte{1}, when, -1200}, {Sum: 5}, {Sum: 20}}), "from=sum&to=when&weight=none&ids=label", 0); !strings.HasSuffix(got, "[1.5 1970-01-02T00:00:00.000000001 -12 0.05 -4713-11-24T00:00:00 0.2]") {
		t.Error(got)
	}
	if got, _ := read(t, graphio.Graph, write(t, []keys{{[16]byte{1, 15: 2}, when, 150}}), "from=id&to=sum&weight=none&ids=label", 0); !strings.HasSuffix(got, "[01000000-0000-0000-0000-000000000002 1.5]") {
		t.Error(got)
	}
	clock := parquet.NewSchema("clock", parquet.Group{"a": parquet.Time(parquet.Millisecond), "b": parquet.Time(parquet.Nanosecond)})
	var c bytes.Buffer
	cw := parquet.NewWriter(&c, clock)
	_, err := cw.WriteRows([]parquet.Row{{parquet.Int32Value(45_000_005).Level(0, 0, 0), parquet.Int64Value(1_000_000_007).Level(0, 0, 1)}})
	if err = errors.Join(err, cw.Close()); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, graphio.Graph, c.Bytes(), "", 0); !strings.HasSuffix(got, "[12:30:00.005 00:00:01.000000007]") {
		t.Error(got)
	}
	halves := parquet.NewSchema("halves", parquet.Group{"a": parquet.Leaf(half{parquet.FixedLenByteArrayType(2)})})
	var b bytes.Buffer
	w := parquet.NewWriter(&b, halves)
	_, err = w.WriteRows([]parquet.Row{{parquet.FixedLenByteArrayValue([]byte{0, 0x3e})}, {parquet.FixedLenByteArrayValue([]byte{0, 0xc0})}})
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, graphio.Vector, b.Bytes(), "", 0); got != "2 [1.5 -2] [] [] [] [] []" {
		t.Error(got)
	}
	empty := write(t, []payment{{Payer: "a"}})
	if got, _ := read(t, graphio.Graph, empty, "from=payer&to=payee", 0); got != "error: A:1:2: the node is empty (where=payee!= leaves out such rows)" {
		t.Error(got)
	}
	if got, _ := read(t, graphio.Graph, nil, "", 0); got != "error: A: the file is empty" {
		t.Error(got)
	}
	if got, _ := read(t, graphio.Graph, []byte("\x1f\x8b\x08"), "", 0); got != "error: A: the file is compressed with gzip, and parquet is not read through it (decompress it first)" {
		t.Error(got)
	}
	for _, data := range []string{"PAR1", "PAR1xxxxPAR1", "PAR1\xff\xff\xff\x7fPAR1", strings.Repeat("x", 100)} {
		if got, _ := read(t, graphio.Graph, []byte(data), "", 0); got != "error: A: the file is damaged or not a Parquet file" {
			t.Errorf("%q: %s", data, got)
		}
	}
}

// TestCodecs reads several pages of several row groups.
func TestCodecs(t *testing.T) {
	rows := payments(2500)
	want := ""
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd} {
		for _, version := range []int{1, 2} {
			data := write(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version))
			got, err := read(t, graphio.Vector, data, "from=n&weight=amount&where=payee==shell&default=0", 0)
			if err != nil {
				t.Errorf("%v, version %d: %v", codec, version, err)
			}
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, "3748.5") {
				t.Errorf("%v, version %d: %s", codec, version, got)
			}
		}
	}
	type floats struct {
		N int64   `parquet:"n,split"`
		X float64 `parquet:"x,split"`
		F float32 `parquet:"f,optional,split"`
	}
	split := write(t, []floats{{1, 0.25, 1.5}, {0, -1e300, 0}}, parquet.DataPageVersion(2))
	for opt, want := range map[string]string{"from=n&weight=x": "2 [-1e+300 0.25]", "from=n&weight=f&where=f!=&default=0": "2 [0 1.5]"} {
		if got, _ := read(t, graphio.Vector, split, opt, 0); !strings.HasPrefix(got, want) {
			t.Errorf("BYTE_STREAM_SPLIT: %s, want %s", got, want)
		}
	}
	for what, data := range map[string][]byte{
		"compressed by LZ4_RAW": write(t, rows, parquet.Compression(&parquet.Lz4Raw)),
		"encoded as DELTA_BINARY_PACKED": write(t, []struct {
			N, Amount int64 `parquet:",delta"`
		}{{1, 2}}),
	} {
		got, _ := read(t, graphio.Vector, data, "", 0)
		if !strings.Contains(got, what) {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestHostile: what a file states takes no memory that it does not have.
func TestHostile(t *testing.T) {
	data := write(t, payments(2000), parquet.Compression(&parquet.Gzip))
	type bombs struct {
		A string `parquet:"a,plain"`
	}
	bomb := write(t, slices.Repeat([]bombs{{strings.Repeat("a", 1000)}}, 1<<14), parquet.Compression(&parquet.Gzip), parquet.MaxRowsPerRowGroup(1<<20), parquet.PageBufferSize(1<<28))
	footer := func(b []byte) []byte { // a list of 2^31 columns
		out := append([]byte("PAR1"), b...)
		return append(binary.LittleEndian.AppendUint32(out, uint32(len(b))), "PAR1"...)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, hostile := range map[string][]byte{
		"a footer of columns":  footer([]byte{0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7}),
		"a footer of nothing":  footer(bytes.Repeat([]byte{0x1c}, 1000)),
		"a bomb":               bomb,
		"a footer that is far": append(slices.Clone(data[:len(data)-8]), "\xff\xff\xff\xffPAR1"...),
	} {
		got, err := read(t, graphio.Vector, hostile, "", 8<<20)
		if err == nil || strings.Contains(got, "BUG") {
			t.Errorf("%s: %s", name, got)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	if got, err := read(t, graphio.Vector, data, "from=n&weight=amount", 1<<16); err == nil || !strings.Contains(got, "--max-memory") {
		t.Error(got)
	}
	small := write(t, []struct {
		A *string `parquet:"a,optional"`
		B string  `parquet:"b,dict"`
	}{{nil, "x"}, {nil, "y"}}, parquet.Compression(&parquet.Snappy))
	for i := range small { // any byte may be wrong
		broken := slices.Clone(small)
		broken[i] ^= 0x7f
		if got, _ := read(t, graphio.Matrix, broken, "from=b&to=a", 64<<20); strings.Contains(got, "runtime error") || strings.Contains(got, "index out of") {
			t.Error(got)
		}
	}
}

// FuzzParquet: a file is read or refused, within the limits.
func FuzzParquet(f *testing.F) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd} {
		f.Add(write(f, payments(3), parquet.Compression(codec)))
	}
	f.Add(write(f, []struct{ A, B int64 }{{1, 2}, {0, 3}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []string{"", "from=payer&to=payee&weight=price&where=day!=x"} {
			_, err := read(t, graphio.Matrix, data, opt, 16<<20)
			var one *graphio.Error
			var many *graphio.ErrorList
			if err != nil && !errors.As(err, &one) && !errors.As(err, &many) {
				t.Errorf("%T: %v", err, err)
			}
		}
	})
}
