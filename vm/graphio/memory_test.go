package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"ein/vm/cost"
	"ein/vm/tensor"
)

// live is the heap in use. What the last cycle has marked, /gc/heap/live, is not: two workers that
// mark an object at the same time both count it.
func live() int {
	runtime.GC() // which also sweeps
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// watched calls look every few bytes.
type watched struct {
	io.Reader
	look        func()
	every, left int
}

func (w *watched) Read(p []byte) (int, error) {
	if w.left <= 0 {
		w.left = w.every
		w.look()
	}
	n, err := w.Reader.Read(p)
	w.left -= n
	return n, err
}

// manyRows is n rows that row appends to what is there.
func manyRows(n int, row func(b []byte, rng *rand.Rand, i int) []byte) []byte {
	rng := rand.New(rand.NewPCG(5, 6))
	var b []byte
	for i := range n {
		b = row(b, rng, i)
	}
	return b
}

// TestMemory compares what the ledger counts with the heap in use, while files
// of all formats are read and bound, and afterwards.
func TestMemory(t *testing.T) {
	n := 1 << 19
	if testing.Short() {
		n = 1 << 16
	}
	side := 1 << 10 // of dense arrays
	for side*side < n {
		side *= 2
	}
	pairs := func(format string, nodes int) []byte {
		return manyRows(n, func(b []byte, rng *rand.Rand, _ int) []byte {
			return fmt.Appendf(b, format, rng.IntN(nodes), rng.IntN(nodes))
		})
	}
	list := func(open string, rows []byte, end string) []byte {
		return append(append([]byte(open), rows[:len(rows)-2]...), end...)
	}
	numbers := func(format string) []byte {
		return manyRows(n, func(b []byte, rng *rand.Rand, _ int) []byte { return fmt.Appendf(b, format, rng.IntN(1000)) })
	}
	npy := func(descr, fortran, shape string, data any) []byte {
		return []byte(npyFile(1, npyHead(descr, fortran, shape), data))
	}
	square := fmt.Sprintf("(%d, %d)", side, n/side)
	bits := manyRows(side*side, func(b []byte, rng *rand.Rand, _ int) []byte { return append(b, byte(rng.IntN(2))) })
	reals := make([]float64, n/side*side)
	for i := range reals {
		reals[i] = float64(i) / 3
	}
	small := min(side, 1<<10)
	for _, c := range []struct {
		name, spec string
		kind       Kind
		content    []byte
		copied     bool // what was read becomes another array at the end, where nothing looks
	}{
		{"edges", "g.csv", Graph, pairs("%d,%d\n", n/10), false},
		{"edges by gzip", "g.edges", Graph, []byte(gz(string(pairs("%d %d\n", n/10)))), false},
		{"duplicates", "g.edges", Graph, pairs("%d %d\n", 100), false},
		{"a star", "g.edges", Graph, manyRows(n, func(b []byte, _ *rand.Rand, i int) []byte { return fmt.Appendf(b, "0 %d\n", i) }), false},
		{"labels", "g.csv", Graph, pairs("account-%07d,account-%07d\n", n), false},
		{"few labels", "g.tsv", Graph, pairs("a%d\tb%d\n", 1000), false},
		{"weights", "w.csv?dup=sum", Matrix, manyRows(n, func(b []byte, rng *rand.Rand, i int) []byte {
			return fmt.Appendf(b, "%d,%d,%d.5\n", rng.IntN(n/10), rng.IntN(n/10), i)
		}), false},
		{"lines apart", "g.csv", Graph, pairs("%d,%d\n\n", n/10), false},
		{"lines without a rule", "g.csv", Graph, manyRows(n, func(b []byte, rng *rand.Rand, i int) []byte {
			return fmt.Appendf(b, "%d,%d\n%s", i%1000, rng.IntN(1000), "\n\n\n"[:rng.IntN(4)])
		}), false},
		{"many columns", "g.csv", Graph, bytes.Repeat([]byte("0,1"+strings.Repeat(",1", 1<<18)+"\n"), 3), false},
		{"vector", "v.csv", Vector, numbers("%d\n"), true},
		{"vector by node", "v.csv?default=0", Vector, manyRows(n, func(b []byte, _ *rand.Rand, i int) []byte { return fmt.Appendf(b, "%d,%d\n", i, 7*i) }), false},
		{"Matrix Market", "m.mtx", Matrix, append(fmt.Appendf(nil, "%%%%MatrixMarket matrix coordinate integer symmetric\n%d %d %d\n", n, n, n),
			manyRows(n, func(b []byte, rng *rand.Rand, i int) []byte {
				return fmt.Appendf(b, "%d %d %d\n", i+1, rng.IntN(i+1)+1, i+1)
			})...), false},
		{"Matrix Market array", "m.mtx", Matrix, append(fmt.Appendf(nil, "%%%%MatrixMarket matrix array integer general\n%d %d\n", n/4, 4), numbers("%d\n")...), true},
		{"JSON pairs", "g.json", Graph, list("[", pairs("[%d,%d],\n", n/10), "]"), false},
		{"JSON labels", "g.json", Graph, list("[", pairs("[\"account-%07d\",\"account-%07d\"],\n", n/2), "]"), false},
		{"JSON nodes", "g.json", Graph, append(list(`{"nodes":[`, manyRows(n/4, func(b []byte, _ *rand.Rand, i int) []byte { return fmt.Appendf(b, "{\"id\":\"account-%07d\"},\n", i) }), `],"edges":[`),
			list("", manyRows(n/2, func(b []byte, rng *rand.Rand, _ int) []byte {
				return fmt.Appendf(b, "{\"source\":\"account-%07d\",\"target\":\"account-%07d\"},\n", rng.IntN(n/4), rng.IntN(n/4))
			}), "]}")...), false},
		{"JSON vector", "v.json", Vector, list("[", numbers("%d,\n"), "]"), true},
		{"JSON matrix", "m.json", Matrix, list("[", manyRows(n/4, func(b []byte, _ *rand.Rand, i int) []byte { return fmt.Appendf(b, "[1,2,3,%d],\n", i) }), "]"), true},
		{"NPY matrix", "m.npy", Matrix, npy("<f8", "False", square, reals), false},
		{"NPY matrix by gzip", "m.npy.gz", Matrix, []byte(gz(string(npy("<f8", "False", square, reals)))), false},
		{"NPY matrix in Fortran order", "m.npy", Matrix, npy("<f8", "True", square, reals), true},
		{"NPY graph", "m.npy", Graph, npy("|u1", "False", fmt.Sprintf("(%d, %d)", side, side), bits), false},
		{"NPY graph in Fortran order", "m.npy", Graph, npy("|u1", "True", fmt.Sprintf("(%d, %d)", small, small), bits[:small*small]), false},
		{"NPY bytes", "v.npy", Vector, npy("|u1", "False", fmt.Sprintf("(%d,)", len(bits)), bits), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, opt, err := ParseSpec(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			before, most := live(), 0
			look := func() { most = max(most, live()-before) }
			var allocated, looked uint64 // what grows now is not there yet
			ledger := &cost.Ledger{Grown: func(peak uint64) {
				if allocated >= looked+1<<19 {
					looked = allocated
					look()
				}
				allocated = peak
			}}
			opt.Kind, opt.Ledger = c.kind, ledger
			raw, err := Read(&watched{Reader: bytes.NewReader(c.content), look: look, every: len(c.content) / 8}, name, opt)
			if err != nil {
				t.Fatal(err)
			}
			const slack = 1 << 20
			compare := func(when string, counted, used int) {
				if used > counted+slack || float64(counted) > 1.3*float64(used)+slack {
					t.Errorf("%s: %d bytes counted, %d in use", when, counted, used)
				}
			}
			compare("read", int(ledger.Used()), live()-before)
			vals, labels, _, err := Bind([]Decl{{"A", raw}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			look()
			if c.copied {
				most += valueBytes(&vals[0])
			}
			compare("at the peak", int(ledger.Peak()), most)
			t.Logf("%d bytes: %d at the peak, %d in use", len(c.content), ledger.Peak(), most)
			raw.Free()
			value := valueBytes(&vals[0])
			compare("bound and freed", int(ledger.Used())+value, live()-before)
			runtime.KeepAlive(vals)
			runtime.KeepAlive(labels)
			runtime.KeepAlive(c.content)
		})
	}
}

func valueBytes(v *tensor.Value) int {
	return 4*cap(v.CSR.Ptr) + 4*cap(v.CSR.Idx) + 8*cap(v.CSR.Val) + 8*cap(v.F) + 8*cap(v.Bits.W)
}

// TestMemoryLimit refuses memory at every point there is: each file is read with
// a ledger that is too small by a little more every time.
func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		spec, content string
	}{
		{Graph, "g.csv", strings.Repeat("0,1\n1,2\n", 2000)},
		{Graph, "g.csv", "a,b\n" + manyLabels(500)},
		{Matrix, "g.csv?dup=sum", "a,b\n" + manyLabels(500)},
		{Matrix, "g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 3 7\n"},
		{Matrix, "g.mtx", "%%MatrixMarket matrix array integer general\n1 3\n2\n1\n5\n"},
		{Graph, "g.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n1\n0\n"},
		{Graph, "g.json", `{"nodes":["a","b","c"],"graph":{"x":1},"edges":[{"source":"b","target":"a"}]}`},
		{Graph, "g.json", `{"nodes":[1,0],"edges":[[0,1]]}`},
		{Graph, "g.json", `[[0,1,0],[0,0,1],[0,0,0]]`},
		{Matrix, "g.json", `[[0,1,0],[0,0,1]]`},
		{Vector, "g.json", `[0,1,0]`},
		{Vector, "g.json", `{"0":1,"1":5}`},
		{Vector, "v.csv", strings.Repeat("1\n", 500)},
		{Matrix, "m.npy", npyFile(1, npyHead("<f8", "True", "(2, 3)"), make([]float64, 6))},
		{Graph, "g.npy", npyFile(1, npyHead("|u1", "False", "(2, 2)"), make([]byte, 4))},
		{Relation, "r.csv", strings.Repeat("a,7\na,8\n", 3000) + manyLabels(500)},
	} {
		name, opt, err := ParseSpec(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if opt.Kind = c.kind; c.kind == Relation {
			opt.Columns = []tensor.Column{{Name: "a", Domain: new(tensor.Domain{Name: "node"})}, {Name: "b", Kind: tensor.TextColumn, Domain: new(tensor.Domain{Name: "text"})}}
		}
		var texts int // of labels, which stay counted
		load := func(most uint64) (*cost.Ledger, error) {
			opt.Ledger, texts = &cost.Ledger{Max: most}, 0
			raw, err := Read(strings.NewReader(c.content), name, opt)
			if err != nil {
				return opt.Ledger, err
			}
			if c.kind == Relation {
				_, err = Tables([]*Raw{raw}, map[string][]string{})
			} else {
				_, _, _, err = Bind([]Decl{{"A", raw}}, nil)
			}
			texts = raw.texts
			raw.Free()
			return opt.Ledger, err
		}
		ledger, err := load(0)
		if err != nil {
			t.Fatal(err)
		}
		need := ledger.Peak()
		for most := need; most > 0; most -= min(most, max(most/50, 1)) {
			ledger, err := load(most)
			var one *Error
			var refusal *cost.MemoryError
			switch {
			case most == need && err != nil:
				t.Fatalf("%s: %v with all that it needs", c.spec, err)
			case most == need:
			case !errors.As(err, &one) || !errors.As(err, &refusal) || !isLimit(err):
				t.Fatalf("%s: %v with %d of %d bytes", c.spec, err, most, need)
			case ledger.Used() > uint64(texts):
				t.Fatalf("%s: %d bytes are held after %v", c.spec, ledger.Used(), err)
			}
		}
	}
}

func manyLabels(n int) string {
	return string(manyRows(n, func(b []byte, _ *rand.Rand, i int) []byte { return fmt.Appendf(b, "label-number-%d,b\n", i) }))
}

// TestGzipBomb reads a small file that is large inside.
func TestGzipBomb(t *testing.T) {
	bomb := gz(strings.Repeat("0 1\n", 1<<20))
	if len(bomb) > 1<<14 {
		t.Fatalf("the file has %d bytes", len(bomb))
	}
	_, err := Read(strings.NewReader(bomb), "bomb.gz", Options{Ledger: &cost.Ledger{Max: 1 << 20}})
	var one *Error
	if !errors.As(err, &one) || one.Line != 1<<16+1 || !isLimit(err) || !strings.HasSuffix(err.Error(), "bytes of memory, the limit is 1048576 (--max-memory sets the limit)") {
		t.Errorf("got %v", err)
	}
}

// TestAnnounced reads headers that promise far more than there is.
func TestAnnounced(t *testing.T) {
	for name, content := range map[string]string{
		"m.npy": npyFile(1, npyHead("<f8", "False", "(8000, 8000)"), make([]float64, 100)),
		"m.mtx": "%%MatrixMarket matrix array integer general\n8000 8000\n" + strings.Repeat("1\n", 100),
		"g.mtx": "%%MatrixMarket matrix coordinate pattern general\n60000000 60000000 200000000\n" + strings.Repeat("1 1\n", 100),
	} {
		ledger := &cost.Ledger{}
		if _, err := Read(strings.NewReader(content), name, Options{Kind: Matrix, Ledger: ledger}); err == nil || ledger.Peak() > 1<<20 || ledger.Used() > 0 {
			t.Errorf("%s: %v after %d bytes, %d of them held", name, err, ledger.Peak(), ledger.Used())
		}
	}
}

// TestSharedLedger reads the files of one program: what stays counted in the end
// is the labels.
func TestSharedLedger(t *testing.T) {
	ledger := &cost.Ledger{}
	var decls []Decl
	texts := 0
	for i, f := range []struct {
		kind          Kind
		name, content string
	}{
		{Graph, "a.csv", "x,y\ny,x\n"},
		{Matrix, "b.csv", "z,x,3\nx,x,0\n"},
		{Vector, "v.json", `{"x":1,"y":2,"z":3,"q":4}`},
		{Scalar, "s.json", "5"},
	} {
		raw, err := Read(strings.NewReader(f.content), f.name, Options{Kind: f.kind, Ledger: ledger})
		if err != nil {
			t.Fatal(err)
		}
		texts += raw.texts
		decls = append(decls, Decl{fmt.Sprint(i), raw})
	}
	for range 2 { // the inputs can be bound again
		before := ledger.Used()
		vals, labels, _, err := Bind(decls, []string{"q", "y"})
		if err != nil || len(vals) != 4 || fmt.Sprint(labels) != "[q y x z]" {
			t.Fatal(labels, err)
		}
		if got := ledger.Used() - before; got != 4*16 {
			t.Errorf("%d bytes stay counted for 4 labels", got)
		}
		ledger.Give(4 * 16)
	}
	for _, d := range decls {
		d.Raw.Free()
	}
	if got := ledger.Used(); got != uint64(texts) {
		t.Errorf("%d bytes stay counted for texts of %d", got, texts)
	}
}

// TestSmall reads small files, as servers do for each request: the buffers of one serve the next.
func TestSmall(t *testing.T) {
	const files, most = 200, 96 << 10 // the race detector drops some
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range files {
		text := fmt.Sprintf("0 %d\n", i)
		_, err := Read(strings.NewReader(text), "small.edges", Options{})
		if err != nil {
			t.Fatal(err)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > files*most {
		t.Errorf("%d bytes for each file", (after.TotalAlloc-before.TotalAlloc)/files)
	}
}
