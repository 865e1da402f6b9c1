package show

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ein/vm"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// layouts is a matrix as each layout that can hold it stores it.
func layouts(kind tensor.Kind, rows, cols int, f []float64) []*tensor.Value {
	d := dense(kind, f, rows, cols)
	sparse := &tensor.Value{Type: d.Type, Layout: tensor.Sparse, CSR: tensor.CSR{Rows: rows, Cols: cols, Ptr: []int32{0}}}
	p := packed(rows, cols)
	for i := range rows {
		for j := range cols {
			if x := f[i*cols+j]; x != 0 {
				p.Bits.Set(i, j)
				sparse.CSR.Idx = append(sparse.CSR.Idx, int32(j))
				if kind != tensor.Bool {
					sparse.CSR.Val = append(sparse.CSR.Val, x)
				}
			}
		}
		sparse.CSR.Ptr = append(sparse.CSR.Ptr, int32(len(sparse.CSR.Idx)))
	}
	if kind != tensor.Bool {
		return []*tensor.Value{d, sparse}
	}
	return []*tensor.Value{d, sparse, p}
}

// TestLayouts shows random matrices in all layouts: the forms are the same, and
// what they list is what a dense one holds.
func TestLayouts(t *testing.T) {
	lists := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows, cols := 1+r.IntN(70), 1+r.IntN(70)
		if r.IntN(2) == 0 {
			cols = rows
		}
		kind := tensor.Kind(r.IntN(3))
		f := make([]float64, rows*cols)
		share, set := r.Float64()/5, 0
		for k := range f {
			if r.Float64() < share {
				set++
				f[k] = map[tensor.Kind]float64{tensor.Bool: 1, tensor.Int: float64(1 + r.IntN(9)), tensor.Real: r.NormFloat64()}[kind]
			}
		}
		values := layouts(kind, rows, cols, f)
		if r.IntN(4) == 0 { // components in place of it
			part := make([]int32, rows)
			for i := range part {
				part[i] = int32(r.IntN(rows))
			}
			parts := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(rows, rows)}, Layout: tensor.Parts, Part: part}
			f, kind, cols, set = parts.ToDense(), tensor.Bool, rows, 0
			for _, x := range f {
				set += int(x)
			}
			values = append(layouts(kind, rows, cols, f), parts)
		}
		sparse := rows*cols > 900 && 10*set < rows*cols
		var first [2]string
		for k, v := range values {
			n, ok := Entries(context.Background(), v)
			if ok != sparse || ok && n != uint64(set) {
				t.Fatalf("seed %d: %v: %d entries, sparse %v; want %d, %v", seed, v.Layout, n, ok, set, sparse)
			}
			var text, object strings.Builder
			out := &vm.Output{Name: "X", Value: v}
			if err := errors.Join(Text(context.Background(), &text, out, Options{Full: true}), JSON(context.Background(), &object, out, Options{Version: 2})); err != nil {
				t.Fatal(err)
			}
			if got := [2]string{text.String(), object.String()}; k == 0 {
				first = got
			} else if got != first {
				t.Fatalf("seed %d: %v is shown as\n%s\n%s\nand dense as\n%s\n%s", seed, v.Layout, got[0], got[1], first[0], first[1])
			}
		}
		var read struct {
			Entries [][3]float64
			Value   [][]float64
		}
		if err := json.Unmarshal([]byte(first[1]), &read); err != nil {
			t.Fatal(err)
		}
		if sparse != (read.Entries != nil) || sparse == (read.Value != nil) {
			t.Fatalf("seed %d: %s", seed, first[1])
		}
		if !sparse {
			continue
		}
		lists++
		back, listed := make([]float64, rows*cols), make([]float64, rows*cols)
		for _, e := range read.Entries {
			back[int(e[0])*cols+int(e[1])] = e[2]
		}
		lines := strings.Split(strings.TrimSuffix(first[0], "\n"), "\n")
		what, form := "entries", "  [%d, %d] = %g"
		if kind == tensor.Bool && rows == cols {
			what, form = "edges", "  %d -> %d"
		}
		if set == 1 {
			what = map[string]string{"entries": "entry", "edges": "edge"}[what]
		}
		if want := fmt.Sprintf("X = %d %s (%dx%d)", set, what, rows, cols); lines[0] != want {
			t.Fatalf("seed %d: %s, want %s", seed, lines[0], want)
		}
		for _, line := range lines[1:] {
			var i, j int
			x := 1.0
			to := []any{&i, &j, &x}
			if _, err := fmt.Sscanf(line, form, to[:strings.Count(form, "%")]...); err != nil {
				t.Fatalf("seed %d: %q: %v", seed, line, err)
			}
			listed[i*cols+j] = x
		}
		if !reflect.DeepEqual(back, f) || !reflect.DeepEqual(listed, f) {
			t.Fatalf("seed %d: %s\n%s\nis not %v", seed, first[0], first[1], f)
		}
	}
	if lists < 50 {
		t.Errorf("only %d matrices were sparse", lists)
	}
}

// with is a matrix of zeros but for some elements.
func with(kind tensor.Kind, n int, at map[[2]int]float64) *tensor.Value {
	f := make([]float64, n*n)
	for p, x := range at {
		f[p[0]*n+p[1]] = x
	}
	return dense(kind, f, n, n)
}

func TestSparse(t *testing.T) {
	edges := map[[2]int]float64{{0, 1}: 1, {7, 3}: 1}
	weights := map[[2]int]float64{{0, 1}: 2.5, {7, 3}: -1}
	names := make([]string, 31)
	for i := range names {
		names[i] = fmt.Sprintf("n%d", i)
	}
	names[0], names[7] = "acme", "a[7]"
	labels := Options{Nodes: true, Labels: names, Version: 2}
	numbers := Options{Nodes: true, Version: 2}
	for _, test := range []struct {
		name  string
		value *tensor.Value
		form  ir.Form
		opt   Options
		text  string
		json  string
	}{
		{"edges", with(tensor.Bool, 31, edges), 0, Options{Version: 2}, "X = 2 edges (31x31)\n  0 -> 1\n  7 -> 3", `"entries":[[0,1,1],[7,3,1]]`},
		{"by label", with(tensor.Bool, 31, edges), 0, labels, "X = 2 edges (31x31)\n  acme -> n1\n  \"a[7]\" -> n3", `"entries":[[0,1,1],[7,3,1]]`},
		{"of other nodes", with(tensor.Bool, 32, edges), 0, labels, "X = 2 edges (32x32)\n  0 -> 1\n  7 -> 3", `"entries":[[0,1,1],[7,3,1]]`},
		{"weights", with(tensor.Real, 31, weights), 0, labels, "X = 2 entries (31x31)\n  acme -> n1     2.5\n  \"a[7]\" -> n3  -1", `"entries":[[0,1,2.5],[7,3,-1]]`},
		{"nothing", with(tensor.Bool, 31, nil), 0, Options{Version: 2}, "X = 0 edges (31x31)", `"entries":[]`},
		{"no graph", dense(tensor.Bool, append([]float64{1}, make([]float64, 930)...), 19, 49), 0, Options{Version: 2}, "X = 1 entry (19x49)\n  [0, 0] = 1", `"entries":[[0,0,1]]`},
		{"a scalar", dense(tensor.Int, []float64{3}), 0, Options{Version: 2}, "X = 3", `"value":3`},
		{"a tensor", dense(tensor.Int, make([]float64, 2), 1, 2, 1), 0, Options{Version: 2}, "X[0] =\n  [0]\n  [0]", `"value":[[[0],[0]]]`},
		{"no columns", dense(tensor.Int, nil, 2, 0), 0, Options{Version: 2}, "X = [] (2x0)", `"value":[]`},
		{"a set", bitVector(31, 0, 2), ir.NodeSet, labels, "X = {acme, n2}", `"nodes":[0,2]`},
		{"a set of numbers", bitVector(3, 0, 2), ir.NodeSet, numbers, "X = {0, 2}", `"nodes":[0,2]`},
		{"not as a set", bitVector(3, 0, 2), ir.NodeSet, Options{Version: 2}, "X = [1, 0, 1]", `"value":[1,0,1]`},
		{"a path", dense(tensor.Int, []float64{2, 0, 1}, 3), ir.NodePath, numbers, "X = 1 -> 2 -> 0", `"path":[1,2,0]`},
		{"no path", dense(tensor.Int, []float64{-1, -1}, 2), ir.NodePath, numbers, "X = no path", `"path":[]`},
		{"a node", dense(tensor.Int, []float64{2}), ir.NodeIndex, labels, "X = n2", `"node":2`},
	} {
		var text, object strings.Builder
		out := &vm.Output{Name: "X", Form: test.form, Value: test.value}
		if err := errors.Join(Text(context.Background(), &text, out, test.opt), JSON(context.Background(), &object, out, test.opt)); err != nil {
			t.Fatal(err)
		}
		if text.String() != test.text+"\n" {
			t.Errorf("%s: text is\n%s\nwant\n%s", test.name, text.String(), test.text)
		}
		if _, got, _ := strings.Cut(object.String(), "],"); got != test.json+"}" || !json.Valid([]byte(object.String())) {
			t.Errorf("%s: JSON is %s, want %s", test.name, object.String(), test.json)
		}
	}
	var b strings.Builder
	diagonal := map[[2]int]float64{}
	for i := range 51 {
		diagonal[[2]int{i, i}] = 1
	}
	if err := Text(context.Background(), &b, &vm.Output{Name: "X", Value: with(tensor.Bool, 60, diagonal)}, Options{Hint: "more"}); err != nil ||
		!strings.HasSuffix(b.String(), "  49 -> 49\n  ...\n  (50 of 51 edges shown; more)\n") {
		t.Errorf("%v, %s", err, b.String())
	}
}

// looks counts how often it is looked whether the context has ended.
type looks struct {
	context.Context
	n, most int
}

var errEnded = errors.New("ended")

func (c *looks) Err() error {
	if c.n++; c.n > c.most {
		return errEnded
	}
	return nil
}

// short is a writer with little space.
type short struct{ left int }

func (s *short) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// TestStops checks that nothing is formatted after a write has failed, or the context
// has ended: of values whose elements nobody could wait for.
func TestStops(t *testing.T) {
	const n = 1 << 20
	parts := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Parts, Part: make([]int32, n)}
	zeros := packed(n, 1<<10)
	singles := &tensor.Value{Type: parts.Type, Layout: tensor.Parts, Part: make([]int32, n)}
	for i := range singles.Part {
		singles.Part[i] = int32(i)
	}
	write := map[string]func(context.Context, io.Writer, *vm.Output) error{
		"text": func(ctx context.Context, w io.Writer, o *vm.Output) error {
			return Text(ctx, w, o, Options{Full: true})
		},
		"JSON": func(ctx context.Context, w io.Writer, o *vm.Output) error { return JSON(ctx, w, o, Options{}) },
		"JSON 2": func(ctx context.Context, w io.Writer, o *vm.Output) error {
			return JSON(ctx, w, o, Options{Version: 2})
		},
	}
	for name, f := range write {
		for what, v := range map[string]*tensor.Value{"all": parts, "components": singles, "a tall one": zeros} {
			ctx := &looks{Context: context.Background(), most: math.MaxInt}
			err := f(ctx, &short{100_000}, &vm.Output{Name: "X", Value: v})
			listed := v == zeros && name != "JSON" // as no entries, after all rows were counted
			if (err == nil) != listed || !listed && ctx.n > 1<<17 {
				t.Errorf("%s of %s: %v after %d looks", name, what, err, ctx.n)
			}
			ctx = &looks{Context: context.Background(), most: 10}
			if err := f(ctx, io.Discard, &vm.Output{Name: "X", Value: v}); ctx.n > 12 || err == nil {
				t.Errorf("%s of %s: %v after %d looks", name, what, err, ctx.n)
			}
		}
	}
}

// TestMemory checks that a long row is not held as a whole.
func TestMemory(t *testing.T) {
	const n = 1 << 22
	v := &tensor.Value{Type: tensor.Type{Kind: tensor.Bool, Shape: tensor.ShapeOf(2, n)}, Layout: tensor.Sparse,
		CSR: tensor.CSR{Rows: 2, Cols: n, Ptr: []int32{0, 1, 2}, Idx: []int32{5, n - 1}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	count := &short{math.MaxInt}
	if err := JSON(context.Background(), bufio.NewWriterSize(count, 1<<16), &vm.Output{Name: "X", Value: v}, Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<19 || math.MaxInt-count.left < 4*n {
		t.Errorf("%d bytes for %d", used, math.MaxInt-count.left)
	}
}
