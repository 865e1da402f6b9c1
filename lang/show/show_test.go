package show

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"ein/vm"
	"ein/vm/ir"
	"ein/vm/tensor"
)

func dense(k tensor.Kind, data []float64, dims ...int) *tensor.Value {
	return &tensor.Value{Type: tensor.Type{Kind: k, Shape: tensor.ShapeOf(dims...)}, F: data}
}

func packed(rows, cols int, at ...[2]int) *tensor.Value {
	b := tensor.NewBits(rows, cols)
	for _, p := range at {
		b.Set(p[0], p[1])
	}
	return &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(rows, cols)}, Layout: tensor.Packed, Bits: b}
}

func bitVector(n int, at ...int) *tensor.Value {
	v := packed(1, n)
	v.Shape = tensor.ShapeOf(n)
	for _, j := range at {
		v.Bits.Set(0, j)
	}
	return v
}

func iota(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func TestShow(t *testing.T) {
	csr := &tensor.Value{Type: tensor.Type{Kind: tensor.Real, Shape: tensor.ShapeOf(2, 3)}, Layout: tensor.Sparse,
		CSR: tensor.CSR{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 3}, Idx: []int32{1, 0, 2}, Val: []float64{0.5, 2, 3}}}
	pattern := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(2, 2)}, Layout: tensor.Sparse,
		CSR: tensor.CSR{Rows: 2, Cols: 2, Ptr: []int32{0, 1, 1}, Idx: []int32{1}}}
	parts := &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Parts, Part: []int32{0, 1, 0}}
	abc := Options{Nodes: true, Labels: []string{"a", "b", "c"}}
	odd := Options{Nodes: true, Labels: []string{"New York", "x, y", "a->b", "", "\x1b[2J", "日本"}}
	numbers := Options{Nodes: true}
	for _, test := range []struct {
		name  string
		value *tensor.Value
		form  ir.Form
		opt   Options
		text  string
		json  string
	}{
		{"scalar", dense(tensor.Int, []float64{3}), 0, Options{}, "X = 3", "3"},
		{"negative zero", dense(tensor.Real, []float64{negative(0)}), 0, Options{}, "X = 0", "0"},
		{"real", dense(tensor.Real, []float64{18.0 / 7}), 0, Options{}, "X = 2.5714285714285716", "2.5714285714285716"},
		{"large", dense(tensor.Real, []float64{1e300}), 0, Options{}, "X = 1e+300", "1e+300"},
		{"largest count", dense(tensor.Int, []float64{tensor.MaxInt - 1}), 0, Options{}, "X = 9007199254740991", "9007199254740991"},
		{"small", dense(tensor.Real, []float64{-1e-9}), 0, Options{}, "X = -1e-09", "-1e-09"},
		{"vector", dense(tensor.Int, []float64{0, -1, 2.5}, 3), 0, Options{}, "X = [0, -1, 2.5]", "[0,-1,2.5]"},
		{"no elements", dense(tensor.Int, nil, 0), 0, Options{}, "X = []", "[]"},
		{"matrix", dense(tensor.Int, iota(4), 2, 2), 0, Options{}, "X =\n  [0, 1]\n  [2, 3]", "[[0,1],[2,3]]"},
		{"no rows", dense(tensor.Int, nil, 0, 3), 0, Options{}, "X = [] (0x3)", "[]"},
		{"no columns", dense(tensor.Int, nil, 2, 0), 0, Options{}, "X = [] (2x0)", "[]"},
		{"rank 3", dense(tensor.Int, iota(8), 2, 2, 2), 0, Options{}, "X[0] =\n  [0, 1]\n  [2, 3]\nX[1] =\n  [4, 5]\n  [6, 7]", "[[[0,1],[2,3]],[[4,5],[6,7]]]"},
		{"rank 4", dense(tensor.Int, iota(4), 2, 1, 2, 1), 0, Options{}, "X[0, 0] =\n  [0]\n  [1]\nX[1, 0] =\n  [2]\n  [3]", "[[[[0],[1]]],[[[2],[3]]]]"},
		{"bits", packed(2, 3, [2]int{0, 2}, [2]int{1, 0}), 0, abc, "X =\n     a  b  c\n  0  0  0  1\n  1  1  0  0", "[[0,0,1],[1,0,0]]"},
		{"csr", csr, 0, Options{}, "X =\n  [0, 0.5, 0]\n  [2, 0, 3]", "[[0,0.5,0],[2,0,3]]"},
		{"csr pattern", pattern, 0, Options{}, "X =\n  [0, 1]\n  [0, 0]", "[[0,1],[0,0]]"},
		{"parts", parts, 0, Options{}, "X =\n  [1, 0, 1]\n  [0, 1, 0]\n  [1, 0, 1]", "[[1,0,1],[0,1,0],[1,0,1]]"},
		{"set not asked for", bitVector(3, 0, 2), ir.NodeSet, Options{Labels: abc.Labels}, "X = [1, 0, 1]", "[1,0,1]"},
		{"set", bitVector(3, 0, 2), ir.NodeSet, abc, "X = {a, c}", `["a","c"]`},
		{"set by kind", dense(tensor.Bool, []float64{0, 1, 0}, 3), 0, abc, "X = {b}", `["b"]`},
		{"empty set", bitVector(3), 0, abc, "X = {}", "[]"},
		{"set of numbers", bitVector(3, 0, 2), 0, numbers, "X = {0, 2}", "[0,2]"},
		{"not over the nodes", bitVector(2, 0), 0, abc, "X = [1, 0]", "[1,0]"},
		{"counts are no set", dense(tensor.Int, []float64{0, 1, 0}, 3), 0, abc, "X =\n  a  0\n  b  1\n  c  0", "[0,1,0]"},
		{"odd labels", bitVector(6, 0, 1, 2, 3, 4, 5), 0, odd, `X = {New York, "x, y", "a->b", "", "\x1b[2J", 日本}`, `["New York","x, y","a->b","","\u001b[2J","日本"]`},
		{"path", dense(tensor.Int, []float64{2, 0, 1}, 3), ir.NodePath, abc, "X = b -> c -> a", `["b","c","a"]`},
		{"path of numbers", dense(tensor.Int, []float64{1, -1, 0}, 3), ir.NodePath, numbers, "X = 2 -> 0", "[2,0]"},
		{"no path", dense(tensor.Int, []float64{-1, -1, -1}, 3), ir.NodePath, abc, "X = no path", "[]"},
		{"node", dense(tensor.Int, []float64{2}), ir.NodeIndex, abc, "X = c", `"c"`},
		{"node of another graph", dense(tensor.Int, []float64{3}), ir.NodeIndex, abc, "X = 3", "3"},
		{"node number", dense(tensor.Int, []float64{2}), ir.NodeIndex, numbers, "X = 2", "2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := &vm.Output{Name: "X", Form: test.form, Value: test.value}
			var b strings.Builder
			if err := Text(context.Background(), &b, out, test.opt); err != nil {
				t.Fatal(err)
			}
			if b.String() != test.text+"\n" {
				t.Errorf("text is\n%s\nwant\n%s", b.String(), test.text)
			}
			b.Reset()
			if err := JSON(context.Background(), &b, out, test.opt); err != nil {
				t.Fatal(err)
			}
			if _, got, _ := strings.Cut(b.String(), `"value":`); got != test.json+"}" {
				t.Errorf("JSON is %s, want %s", got, test.json)
			}
			if !json.Valid([]byte(b.String())) {
				t.Errorf("not JSON: %s", b.String())
			}
		})
	}
}

func negative(x float64) float64 { return -x }

// TestWrite reads what programs write with readers of their formats.
func TestWrite(t *testing.T) {
	write := func(v *tensor.Value, f Format, opt Options) string {
		var b strings.Builder
		if err := Write(context.Background(), &b, &vm.Output{Name: "X", Value: v}, f, opt); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for rows, want := range []string{"", "[]\n"} { // a query without variables: no, and yes
		if got := write(&tensor.Value{Layout: tensor.Rows, Table: &tensor.Table{Len: rows}}, JSONL, Options{}); got != want {
			t.Errorf("%d rows of no columns are %q, want %q", rows, got, want)
		}
	}
	two := 2
	rows := &tensor.Value{Layout: tensor.Rows, Table: &tensor.Table{Columns: []tensor.Column{{Name: "n", Kind: tensor.IntColumn}, {Name: "x", Kind: tensor.RealColumn}}}}
	rows.Table.Fill([][]float64{{3, 1.236}})
	for f, want := range map[Format]string{CSV: "n,x\n3,1.24\n", TSV: "n\tx\n3\t1.24\n", JSONL: "[3,1.24]\n", Markdown: "## X\n\n1 row\n\n| n | x |\n|---|---|\n| 3 | 1.24 |\n\n"} {
		if got := write(rows, f, Options{Precision: &two}); got != want {
			t.Errorf("%s of a relation with two digits is %q, want %q", f, got, want)
		}
	}
	labels := []string{" a\u200bb\ufeff<&>\"'", "\u0085\u00ad\U0001F600\t", "\x01\r\uffff"}
	var read struct {
		Nodes []string `xml:"graph>node>data"`
	}
	if err := xml.Unmarshal([]byte(write(packed(3, 3), GraphML, Options{Nodes: true, Labels: labels})), &read); err != nil {
		t.Fatal(err)
	}
	labels[2] = "⟨U+0001⟩⟨U+000D⟩⟨U+FFFF⟩" // which XML cannot hold
	if !slices.Equal(read.Nodes, labels) {
		t.Errorf("labels are %q, want %q", read.Nodes, labels)
	}
}

func TestCut(t *testing.T) {
	show := func(v *tensor.Value, opt Options) string {
		var b strings.Builder
		if err := Text(context.Background(), &b, &vm.Output{Name: "X", Value: v}, opt); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	opt := Options{Hint: "--full shows all"}
	for _, test := range []struct {
		name  string
		value *tensor.Value
		lines int
		last  string
	}{
		{"vector", dense(tensor.Int, iota(101), 101), 2, "  (100 of 101 elements shown; --full shows all)"},
		{"fits", dense(tensor.Int, iota(100), 100), 1, ""},
		{"rows", dense(tensor.Int, iota(102), 51, 2), 53, "  (50 of 51 rows shown; --full shows all)"},
		{"columns", dense(tensor.Int, iota(202), 2, 101), 4, "  (100 of 101 columns shown; --full shows all)"},
		{"both", dense(tensor.Int, iota(200*300), 200, 300), 53, "  (50 of 200 rows and 100 of 300 columns shown; --full shows all)"},
		{"slices", dense(tensor.Int, iota(240), 3, 40, 2), 54, "  (50 of 120 rows shown; --full shows all)"},
	} {
		got := strings.Split(strings.TrimSuffix(show(test.value, opt), "\n"), "\n")
		if len(got) != test.lines || test.last != "" && got[len(got)-1] != test.last {
			t.Errorf("%s: %d lines, the last is %q", test.name, len(got), got[len(got)-1])
		}
		full := show(test.value, Options{Full: true})
		if strings.Contains(full, "...") || strings.Contains(full, "shown") {
			t.Errorf("%s is cut although all is asked for", test.name)
		}
	}
	every := make([]int, 150)
	for i := range every {
		every[i] = i
	}
	if got := show(bitVector(150, every...), Options{Nodes: true}); !strings.HasSuffix(got, "99, ...}\n  (100 of 150 nodes shown)\n") {
		t.Errorf("set: %s", got)
	}
	out := &vm.Output{Name: strings.Repeat("é", 89) + "z", Value: dense(tensor.Int, []float64{1})}
	var b strings.Builder
	if err := Text(context.Background(), &b, out, Options{}); err != nil || b.String() != strings.Repeat("é", 39)+"..."+strings.Repeat("é", 37)+"z = 1\n" {
		t.Errorf("%v, %s", err, b.String())
	}
}

// TestColumns cuts a matrix at the side of a terminal, and says so.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		columns, rows, cols int
		full                bool
		want                string
	}{
		{0, 1, 20, false, "X =\n  [" + strings.Repeat("0, ", 19) + "0]\n"},
		{37, 1, 20, false, "X =\n  [" + strings.Repeat("0, ", 10) + "...]\n  (10 of 20 columns shown; more)\n"},
		{37, 1, 10, false, "X =\n  [" + strings.Repeat("0, ", 9) + "0]\n"},
		{5, 1, 20, false, "X =\n  [0, ...]\n  (1 of 20 columns shown; more)\n"},
		{37, 1, 20, true, "X =\n  [" + strings.Repeat("0, ", 19) + "0]\n"},
	} {
		var b strings.Builder
		out := vm.Output{Name: "X", Value: packed(c.rows, c.cols)}
		if err := Text(context.Background(), &b, &out, Options{Columns: c.columns, Full: c.full, Hint: "more"}); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%+v:\n%s", c, b.String())
		}
		b.Reset()
		out.Value = dense(tensor.Real, []float64{1, 2.25, 3, 4, 5, 6, 7, 8}, 2, 4)
		if err := Text(context.Background(), &b, &out, Options{Columns: c.columns, Full: c.full, Hint: "more"}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if c.columns > 30 && !c.full && strings.HasPrefix(line, "  [") && len(line)-1 > c.columns {
				t.Errorf("%d columns: %s", c.columns, line)
			}
		}
	}
}
