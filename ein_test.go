package ein_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ein"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/graphio"
	"ein/vm/tensor"
)

func Example() {
	p, err := ein.Compile("hello.ein", `:print tc(edges([[0,1],[1,2]]))`, ein.Options{})
	if err != nil {
		panic(err)
	}
	r, err := p.Run(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Print(r)
	// Output:
	// tc(edges([[0,1],[1,2]])) =
	//   [0, 1, 1]
	//   [0, 0, 1]
	//   [0, 0, 0]
}

// TestData gives the same graph in every form that data has.
func TestData(t *testing.T) {
	graph := tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(3, 3)}, Layout: tensor.Packed, Bits: tensor.NewBits(3, 3)}
	graph.Bits.Set(0, 1)
	graph.Bits.Set(1, 2)
	open := func(_ context.Context, path string) (io.ReadCloser, error) {
		if path != "graph.csv" {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader("0,1\n1,2\n")), nil
	}
	p, err := ein.Compile("p.ein", "input A: graph\ninput v: vector\nR = reach(A, 0)\ns = sum(v)\n:print R, s", ein.Options{Open: open})
	if err != nil {
		t.Fatal(err)
	}
	if p.Bound() || p.Certificate() != nil || len(p.Inputs()) != 2 {
		t.Errorf("unbound: %v %v %v", p.Bound(), p.Certificate(), p.Inputs())
	}
	for name, a := range map[string]any{
		"pairs": [][2]int{{0, 1}, {1, 2}}, "matrix": [][]int{{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, "file": "graph.csv",
		"decoded": []any{[]any{json.Number("0"), json.Number("1")}, []any{json.Number("1"), json.Number("2")}},
		"options": "graph.csv?nodes=3", "reader": strings.NewReader("0 1\n1 2\n"), "tensor": &graph,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := p.Run(context.Background(), ein.Data("A", a), ein.Data("v", []float64{1, 2, 0.5}))
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := r.Output("R").Nodes()
			if err != nil || strings.Join(nodes, " ") != "0 1 2" {
				t.Errorf("R is %v, %v", nodes, err)
			}
			if s, err := r.Output("s").Float(); err != nil || s != 3.5 {
				t.Errorf("s is %v, %v", s, err)
			}
			if _, err := r.Output("s").Nodes(); err == nil {
				t.Error("a number is a set")
			}
			if _, err := r.Output("none").Float(); err == nil {
				t.Error("there is an output that is not there")
			}
		})
	}
}

// TestNoRows: a nil slice or map is an empty one, as everywhere in Go.
func TestNoRows(t *testing.T) {
	type pay struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	for _, c := range []struct {
		program    string
		none, some any
		want       string
	}{
		{"input P(from: node, to: node)\nP(x, y)?", []pay(nil), []pay{}, "P(x, y)? 0 rows\n"},
		{"input P: vector\n:print sum(P)", map[string]int(nil), map[string]int{}, "sum(P) = 0\n"},
		{"input P: graph\n:print P", map[string]any{"n": 2, "edges": [][2]int(nil)}, map[string]any{"n": 2, "edges": [][2]int{}}, "P =\n  [0, 0]\n  [0, 0]\n"},
	} {
		p, err := ein.Compile("p.ein", c.program, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range []any{c.none, c.some} {
			if r, err := p.Run(t.Context(), ein.Data("P", data)); err != nil || r.String() != c.want {
				t.Errorf("%s of %#v: %v, %v", c.program, data, r, err)
			}
		}
	}
}

// TestNodes asks for the nodes of vectors over the nodes, and of others.
func TestNodes(t *testing.T) {
	p, err := ein.Compile("p.ein", `A = edges([["x", "y"], ["y", "z"]]); D = desc(A, "x"); two = [1, 0]; four = [1, 0, 1, 1]; :print D, two, four`, ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"D": "[y z] <nil>", "two": "[] the output two is a vector of length 2, not a set, which is a vector of 0 and 1 over the nodes",
		"four": "[] the output four is a vector of length 4, not a set, which is a vector of 0 and 1 over the nodes"} {
		nodes, err := r.Output(name).Nodes()
		if got := fmt.Sprint(nodes, " ", err); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestLargeFloats binds floats past 2^53, which are reals like others, also as the rows of a result.
func TestLargeFloats(t *testing.T) {
	const row = "input R(a: node, v: real)\nR(x, v)?"
	run := func(text string, input ein.Input) *ein.Result {
		p, err := ein.Compile("p.ein", text, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(context.Background(), input)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, m := range []any{[][]float64{{1e16, 2}, {-1e20, 0}}, [][]float32{{1 << 60, 2}, {0, 0}}} {
		f, err := run("input M: matrix\n:print M", ein.Data("M", m)).Output("M").Floats()
		if err != nil || f[0] < 1e16 || f[1] != 2 {
			t.Errorf("%v is %v, %v", m, f, err)
		}
	}
	r := run(row, ein.Data("R", [][]any{{"a", 1e16}, {"b", 0.5}}))
	again := run(row, ein.Data("R", r.Outputs[0].Value))
	if r.String() != again.String() || !strings.Contains(r.String(), "1e+16") {
		t.Errorf("%v and again %v", r, again)
	}
}

// sparse is a 2x2 matrix with an entry in row 0.
func sparse(k tensor.Kind, column int32, weight []float64) *tensor.Value {
	return &tensor.Value{Type: tensor.Type{Kind: k, Shape: tensor.ShapeOf(2, 2)}, Layout: tensor.Sparse,
		CSR: tensor.CSR{Rows: 2, Cols: 2, Ptr: []int32{0, 1, 1}, Idx: []int32{column}, Val: weight}}
}

// table is a relation with a column of nodes over each domain.
func table(t *tensor.Table, domains ...*tensor.Domain) *tensor.Value {
	for _, d := range domains {
		t.Columns = append(t.Columns, tensor.Column{Domain: d})
	}
	return &tensor.Value{Layout: tensor.Rows, Table: t}
}

// TestErrors tries what can be wrong with a program, its data, and its run.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, program string
		opt           ein.Options
		inputs        []ein.Input
		class         diag.Class
		want          string
	}{
		{"check", "x = y", ein.Options{}, nil, diag.Type, "p.ein:1:5: E0201"},
		{"size", strings.Repeat("x = 1\n", 10_001), ein.Options{}, nil, diag.Limit, "p.ein:10001:1: E0504"},
		{"size before what is read", "P(x) <- Q(x).\n" + strings.Repeat("R(a).\n", 10_000) + "Q(a).\nP(x)?", ein.Options{}, nil, diag.Limit, "p.ein:10001:1: E0504"},
		{"profile", "input A: graph", ein.Options{Profile: ein.Core}, nil, diag.Type, "p.ein:1:1: E0211"},
		{"missing", "input A: graph\n:print A", ein.Options{}, nil, diag.Input, "p.ein:1:1: E0703"},
		{"unknown", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("B", "x")}, diag.Input, "p.ein: E0705"},
		{"twice", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", 1), ein.Data("A", 1)}, diag.Input, "p.ein: E0705"},
		{"no files", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", "x.csv")}, diag.Input, "x.csv: E0702"},
		{"empty", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", "")}, diag.Input, "p.ein: E0701: A: the file name is missing"},
		{"options", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", "x.csv?no=1")}, diag.Input, "p.ein: E0701"},
		{"no JSON", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", make(chan int))}, diag.Input, "A: E0702"},
		{"nil", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", nil)}, diag.Input, "p.ein: E0701: A: there is no data"},
		{"nil tensor", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", (*tensor.Value)(nil))}, diag.Input, "A: E0701: there is no data"},
		{"no layout", "input A: scalar\n:print A", ein.Options{}, []ein.Input{ein.Data("A", &tensor.Value{Layout: 9})}, diag.Input, "A: E0701: a tensor of"},
		{"no column", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", sparse(tensor.Bool, -1, nil))}, diag.Input, "A: E0701: a malformed sparse matrix: row 0 is not increasing within 0..1"},
		{"weights of a graph", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", sparse(tensor.Bool, 1, []float64{2}))}, diag.Input, "A: E0701: a malformed sparse matrix: weights of a bool matrix: true"},
		{"sparse NaN", "input A: matrix\n:print A", ein.Options{}, []ein.Input{ein.Data("A", sparse(tensor.Real, 1, []float64{math.NaN()}))}, diag.Input, "A: E0701: a sparse matrix has finite numbers, found NaN"},
		{"no table", "input A(x: node)\nA(x)?", ein.Options{}, []ein.Input{ein.Data("A", &tensor.Value{Layout: tensor.Rows})}, diag.Input, "A: E0701: the relation has no table"},
		{"a row of a value", "input A(x: text, n: int)\nA(x, n)?", ein.Options{}, []ein.Input{ein.Data("A", [][]any{{"a,\"]", 1}, {`b\`, 2}, {"c", 1.5}})}, diag.Input, "A:3:6: E0701"},
		{"rows without cells", "input A(x: node)\nA(x)?", ein.Options{}, []ein.Input{ein.Data("A", table(&tensor.Table{Len: 5}))}, diag.Input, "A: E0701: a malformed relation: malformed table of 5 rows"},
		{"fewer rows than none", "input A(x: node)\nA(x)?", ein.Options{}, []ein.Input{ein.Data("A", table(&tensor.Table{Len: -1}))}, diag.Input, "A: E0701: a malformed relation: malformed table of -1 rows"},
		{"no domain", "input A(x: node)\nA(x)?", ein.Options{}, []ein.Input{ein.Data("A", table(&tensor.Table{Len: 1, Cells: []tensor.Cells{{ID: []uint32{0}}}}, nil))}, diag.Input, "A: E0701: a malformed relation: column 0 of kind node"},
		{"no member", "input A(x: node)\nA(x)?", ein.Options{}, []ein.Input{ein.Data("A", table(&tensor.Table{Len: 1, Cells: []tensor.Cells{{ID: []uint32{7}}}}, &tensor.Domain{Size: 1, Labels: []string{"a"}}))}, diag.Input, "A: E0701: a malformed relation: column 0, row 0: member 7 of 1"},
		{"an input without Data", "input A: graph\n:print A", ein.Options{}, []ein.Input{{Name: "A", Data: (*tensor.Value)(nil), Nodes: []string{"a"}}}, diag.Input, "A: E0701: there is no data"},
		{"relation", "input A: scalar\n:print A", ein.Options{}, []ein.Input{ein.Data("A", &tensor.Value{Layout: tensor.Rows, Table: &tensor.Table{}})}, diag.Input, "A: E0701: expected a scalar, found a relation"},
		{"bytes", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", []byte("0,1"))}, diag.Input, "p.ein: E0701: A: a []byte"},
		{"NaN", "input A: vector\n:print A", ein.Options{}, []ein.Input{ein.Data("A", []float64{math.NaN()})}, diag.Input, "A: E0702: the value cannot be written as JSON: unsupported value: NaN"},
		{"no UTF-8", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", [][2]string{{"\xff", "b"}, {"\xfe", "c"}})}, diag.Input, "A: E0702: the value cannot be written as JSON: "},
		{"numbers beside labels", "input A: graph\ninput B: graph\n:print A", ein.Options{}, []ein.Input{
			{Name: "A", Data: &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(1, 1)}, F: []float64{0}}},
			{Name: "B", Data: strings.NewReader("a,a\n"), Options: graphio.Options{Format: graphio.CSV, Header: graphio.HeaderNo}},
		}, diag.Input, "A: E0701: the nodes are numbers here, but the program uses the label \"a\""},
		{"labels", "input A: graph\n:print A", ein.Options{}, []ein.Input{{Name: "A", Data: &tensor.Value{Type: tensor.Type{Shape: tensor.ShapeOf(1, 1)}, F: []float64{0}}, Nodes: []string{"a", "b"}}}, diag.Input, "A: E0701: the graph has 1 node, but there are labels for 2"},
		{"data", "input A: graph\n:print A", ein.Options{}, []ein.Input{ein.Data("A", strings.NewReader("0 1\n1 x\n"))}, diag.Input, "A:2:3: E0701"},
		{"run", "d = [0]\n:print 1 / d", ein.Options{}, nil, diag.Run, "p.ein:2:8: E0601"},
		{"metered", "x = maxflow(ones(20, 20), 0, 1)", ein.Options{Limits: ein.Limits{MaxOps: 3000}}, nil, diag.Limit, "p.ein:1:5: E0534"},
		{"strict", "x = maxflow(zeros(20, 20), 0, 1)", ein.Options{Limits: ein.Limits{MaxOps: 1e5, Strict: true}}, nil, diag.Limit, "p.ein:1:1: E0531"},
		{"operations", "A = ones(50, 50)\nB[i,k] = A[i,j] A[j,k]", ein.Options{Limits: ein.Limits{MaxOps: 100}}, nil, diag.Limit, "p.ein:2:1: E0531"},
		{"made dense", "A = edges([[0,1]], 20000)\nm[i] = argmax(A[i,j] + 1)", ein.Options{Limits: ein.Limits{MaxBytes: 1e8}}, nil, diag.Limit, "p.ein:2:1: E0530"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := ein.Compile("p.ein", test.program, test.opt)
			if err == nil {
				_, err = p.Run(context.Background(), test.inputs...)
			}
			var e *ein.Error
			if !errors.As(err, &e) || e.Class() != test.class || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %s %s", err, test.class, test.want)
			}
		})
	}
	p, err := ein.Compile("p.ein", "A = ones(2000, 2000)\nB = exp(A) + A\nC[i,k] = B[i,j] B[j,k]", ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Run(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "E0533: interrupted") {
		t.Errorf("a run whose context has ended gives %v", err)
	}
	many := "def f(x) = " + strings.Repeat("x * x + ", 300) + "x\ndef g(x) = " + strings.Repeat("f(x) + ", 300) + "x\nv = [1.5]\ny = g(v)"
	if _, err := ein.CompileContext(ctx, "p.ein", many, ein.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a program that is compiled when the context has ended gives %v", err)
	}
	var limit *cost.LimitError
	tiny, err := ein.Compile("p.ein", "A = ones(2000, 2000)\nB = exp(A)", ein.Options{Limits: ein.Limits{MaxBytes: 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tiny.Machine(); !errors.As(err, &limit) || limit.Max != 100_000 {
		t.Errorf("a machine without room gives %v", err)
	}
}

// TestMisuse uses programs that there are not, and no context.
func TestMisuse(t *testing.T) {
	broken, _ := ein.Compile("p.ein", "A = B[", ein.Options{})
	for _, p := range []*ein.Program{{}, broken} {
		_, ran := p.Run(t.Context())
		_, made := p.Machine()
		_, wrote := p.MarshalBinary()
		if ran == nil || made == nil || wrote == nil || len(p.Inputs()) > 0 || p.Bound() || p.JSONCost(0) != nil {
			t.Errorf("no program: %v, %v, %v", ran, made, wrote)
		}
	}
	var none context.Context
	if _, err := ein.CompileContext(none, "p.ein", "x = 1", ein.Options{}); err == nil {
		t.Error("a program compiles without a context")
	}
	for _, text := range []string{"x = 1", "input x: scalar\n:print x"} {
		p, err := ein.Compile("p.ein", text, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var inputs []ein.Input
		if !p.Bound() {
			inputs = append(inputs, ein.Data("x", 1))
		}
		if _, err := p.Run(none, inputs...); err == nil {
			t.Errorf("%s runs without a context", text)
		}
		r, err := p.Run(t.Context(), inputs...)
		if err != nil {
			t.Fatal(err)
		}
		o := r.Output("none")
		for _, err := range []error{r.Text(none, io.Discard, show.Options{}), p.WriteJSON(none, io.Discard, r, show.Options{}), o.Text(t.Context(), io.Discard, show.Options{})} {
			if err == nil {
				t.Errorf("%s is written without a context, or an output that is not there", text)
			}
		}
	}
}

// TestRelation gives the rows of one program to another, whose nodes are others, and asks its outputs
// for what they are not.
func TestRelation(t *testing.T) {
	run := func(text string, inputs ...ein.Input) (*ein.Result, error) {
		p, err := ein.Compile("p.ein", text, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Run(t.Context(), inputs...)
	}
	first, err := run("P(\"b\", 2). P(\"c\", 1.5).\nP(x, y)?\nP(\"b\", 2)?")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range first.Outputs {
		_, number := o.Float()
		_, tensor := o.Floats()
		_, set := o.Nodes()
		for _, err := range []error{number, tensor, set} {
			if err == nil || !strings.Contains(err.Error(), "is a relation, not a") {
				t.Errorf("%s: %v", o.Name, err)
			}
		}
	}
	rows := first.Outputs[0].Value
	for program, want := range map[string]string{
		"input P(x: node, y: real)\nQ(\"c\", \"b\").\nP(x, y), Q(x, z)?": "P(x, y), Q(x, z)? 1 row\n  x    y  z\n  c  1.5  b\n",
		"input P(x: node, y: node)\nP(x, y)?":                            "P(x, y)? 2 rows\n  x  y\n  b  2\n  c  1.5\n",
	} {
		if r, err := run(program, ein.Data("P", rows)); err != nil || r.String() != want {
			t.Errorf("%s: %v, %v", program, r, err)
		}
	}
	if _, err := run("input P(x: node, y: int)\nP(x, y)?", ein.Data("P", rows)); err == nil || !strings.HasPrefix(err.Error(), "P:2:") {
		t.Errorf("1.5 is a whole number: %v", err)
	}
}

// TestImproving: the error names the cycle that values improve around, and its sum if there is one.
func TestImproving(t *testing.T) {
	const roads = "E(a, b, 3). E(b, c, -4). E(c, a, -1). E(b, a, 4).\n"
	for rules, want := range map[string]string{
		"D[\"a\"] min= 0.\nD[y] min= D[x] + w <- E(x, y, w).\nD[x] = d?":                                ` around "a" -> "b" -> "c" -> "a" (sum -2)`,
		"D[x, y] min= w <- E(x, y, w).\nD[x, y] min= D[x, z] + w <- E(z, y, w).\nD[x, y] = d?":          ` around "a", "c" -> "a", "a" -> "a", "b" -> "a", "c" (sum -2)`,
		"F(a, a).\nD[\"a\"] max= 1.\nD[y] max= D[x] + 2 <- F(x, y).\nD[x] = d?":                         ` around "a" -> "a" (sum 2)`,
		"F(a, a).\nD[\"a\"] max= 1.\nD[y] max= D[x] * 2 <- F(x, y).\nD[x] = d?":                         ` around "a" -> "a"`,
		"F(a, b).\nF(b, a).\nD[\"a\"] max= 1.5.\nD[y] max= D[x] * 1e90 <- F(x, y).\nD[x] = d?":          ` around "a" -> "b" -> "a"`,
		"D[x, y] min= w <- E(x, y, w).\nD[x, y] min= D[x, z] + D[z, y] <- E(_, z, _).\nD[x, y] = d?":    ` around "b", "c" -> "b", "c"`,
		"D[\"a\"] max= 1.\nD[y] max= B[x] + 1 <- E(x, y, _).\nB[x] max= D[x] <- E(x, _, _).\nD[x] = d?": "",
	} {
		p, err := ein.Compile("x.ein", roads+rules, ein.Options{})
		if err == nil {
			_, err = p.Run(context.Background())
		}
		if err == nil || !strings.HasSuffix(err.Error(), "keeps improving"+want) {
			t.Errorf("%s: %v, want %s", rules, err, want)
		}
	}
}

// TestWriteJSON: the version is what is written, also where options name none.
func TestWriteJSON(t *testing.T) {
	p, err := ein.Compile("p.ein", "x = 3", ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[int]string{0: `{"version":1,"outputs":[{"name":"x"`, 1: `{"version":1,`, 2: `{"version":2,`} {
		var b strings.Builder
		if err := p.WriteJSON(t.Context(), &b, r, show.Options{Version: version}); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("version %d: %s, %v", version, b.String(), err)
		}
	}
}

// TestBytecode runs what was compiled, on other data of the same size.
func TestBytecode(t *testing.T) {
	p, err := ein.Compile("p.ein", "input A: graph\nn = sum(tc(A))", ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.MarshalBinary(); err == nil {
		t.Error("a program without its data is compiled")
	}
	bound, err := p.Bind(context.Background(), ein.Data("A", [][2]int{{0, 1}, {1, 2}}))
	if err != nil {
		t.Fatal(err)
	}
	text, err := bound.MarshalBinary()
	if err != nil || !ein.IsBytecode(string(text)) {
		t.Fatal(err)
	}
	loaded, err := ein.Load("p.einc", text, ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, pairs := range map[float64][][2]int{3: {{0, 1}, {1, 2}}, 2: {{0, 2}, {1, 2}}} {
		r, err := loaded.Run(context.Background(), ein.Data("A", pairs))
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := r.Output("n").Float(); n != want {
			t.Errorf("n is %v, want %v", n, want)
		}
	}
	if _, err := loaded.Run(context.Background()); err == nil {
		t.Error("bytecode runs without its data")
	}
	if _, err := ein.Load("p.einc", text[:len(text)-1], ein.Options{}); err == nil {
		t.Error("damaged bytecode is taken")
	}
}

// TestShared runs one program on many goroutines, and one machine many times.
func TestShared(t *testing.T) {
	p, err := ein.Compile("p.ein", "input A: graph\nn = sum(tc(A))", ein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			pairs := [][2]int{}
			for k := range i + 1 {
				pairs = append(pairs, [2]int{k, k + 1})
			}
			r, err := p.Run(context.Background(), ein.Data("A", pairs))
			if err != nil {
				t.Error(err)
				return
			}
			if n, _ := r.Output("n").Float(); n != float64((i+1)*(i+2)/2) {
				t.Errorf("a path of %d edges has a closure of %v", i+1, n)
			}
		})
	}
	wait.Wait()
	bound, err := p.Bind(context.Background(), ein.Data("A", [][2]int{{0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := bound.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if r, err := m.Run(context.Background()); err != nil || r.Stats.Ops > bound.Certificate().Ops {
			t.Errorf("%v, %v", r, err)
		}
	}

	// Bytecode is written while others run and prove; only the race detector tells.
	rules, err := ein.Compile("p.ein", "P(\"a\", 1).\nR(x) <- P(x, n), n < 2.\nR(x)?\n:why R(\"a\")", ein.Options{Proofs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		wait.Go(func() {
			if _, err := rules.Run(context.Background()); err != nil {
				t.Error(err)
			}
			if _, err := rules.MarshalBinary(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// TestNumbersAsNames: a number stands for the node whose label is that number, whatever its
// size and wherever both are written.
func TestNumbersAsNames(t *testing.T) {
	for _, x := range []string{"7", "100", "1234567", "4000000", "9007199254740991"} {
		text := strings.ReplaceAll(`input Pay(src: node, dst: node, amount: int)
Also(NUM). Also(8000000).
Pay(NUM, x, a)?
Far(x, y) <- Pay(x, y, _).
Far(x, z) <- Far(x, y), Pay(y, z, _).
Far(NUM, x)?
Pay(x, y, _), Also(x)?
Pay(x, y, _), x != NUM?
Pay("NUM", x, a)?
`, "NUM", x)
		p, err := ein.Compile("p.ein", text, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(context.Background(), ein.Data("Pay", strings.NewReader("src,dst,amount\n"+x+",b,5000000\nb,c,12345678\n")))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(`Pay(NUM, x, a)? 1 row
  x        a
  b  5000000
Far(NUM, x) = {b, c}
Pay(x, y, _), Also(x)? 1 row
  x@  y
  NUM  b
Pay(x, y, _), x != NUM? 1 row
  x  y
  b  c
Pay("NUM", x, a)? 1 row
  x        a
  b  5000000
`, "NUM", x)
		want = strings.ReplaceAll(want, "x@", "x"+strings.Repeat(" ", len(x)-1))
		if got := r.String(); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s:\n%s\nwant\n%s", x, got, want)
		}
		few := "input Pay(src: node, dst: node)\nFar(x, y) <- Pay(x, y).\nFar(x, z) <- Far(x, y), Pay(y, z).\nFar(" + x + ", x)?"
		if p, err = ein.Compile("few.ein", few, ein.Options{}); err != nil {
			t.Fatal(err)
		}
		if r, err = p.Run(context.Background(), ein.Data("Pay", strings.NewReader("src,dst\n"+x+",b\nb,c\n"))); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(r.String()), "Far("+x+", x) = {b, c}"; got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	}
}

// TestAskedOfDomain: what a query names is no member of a domain, and changes no tensor over it.
func TestAskedOfDomain(t *testing.T) {
	for _, ask := range []string{`"paris"`, "ann", `c), c = "paris"?`, `c), c != "paris"?`, `c), c < "paris"?`} {
		if !strings.HasSuffix(ask, "?") {
			ask += ")?"
		}
		p, err := ein.Compile("p.ein", "input In(of: node, city: city)\nPay(ann, 3).\nBy[c] += a <- Pay(x, a), In(x, c).\n:print size(By, 0)\nIn(x, "+ask, ein.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), ein.Data("In", strings.NewReader("of,city\nann,oslo\nbob,bonn\n")))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(r.String(), "\n"); got != "size(By, 0) = 2" {
			t.Errorf("%s: %s", ask, got)
		}
	}
}

// TestLayers holds rules that read what other rules leave, each evaluated in a way of its
// own, against the same rules taken one by one; and within limits, where other ways are
// taken, against those without.
func TestLayers(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1000
	}
	within := 0
	for seed := range uint64(n) {
		text := layered(rand.New(rand.NewPCG(seed, 1)))
		numbers := seed%5 == 4 // in place of names; where tensors are read, some are refused, or too large
		if numbers {
			text = regexp.MustCompile(`"n(\d+)"`).ReplaceAllString(text, []string{"$1", "-$1", "$1.5", "${1}000000"}[seed%4])
		}
		run := func(opt ein.Options) (*ein.Result, *ein.Certificate, error) {
			p, err := ein.Compile("p.ein", text, opt)
			if err != nil {
				return nil, nil, err
			}
			r, err := p.Run(context.Background())
			if err == nil && (r.Stats.Ops > p.Certificate().Ops || r.Stats.PeakBytes > p.Certificate().PeakBytes) {
				err = fmt.Errorf("%+v, certified %d operations and %d bytes", r.Stats, p.Certificate().Ops, p.Certificate().PeakBytes)
			}
			return r, p.Certificate(), err
		}
		want, _, err := run(ein.Options{NoOpt: true, Limits: ein.Limits{MaxBytes: 1 << 28}})
		if err != nil && numbers && want == nil && !strings.Contains(err.Error(), "E0818") {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		got, c, err := run(ein.Options{})
		if err != nil || got.String() != want.String() {
			t.Fatalf("seed %d: %v\n%s\n%s\nwant\n%s", seed, err, text, got, want)
		}
		fixed := c.PeakBytes - c.Rows
		limits := ein.Limits{MaxOps: c.Unmetered + got.Stats.Ops*(seed%4)/2, MaxBytes: fixed + (got.Stats.PeakBytes-fixed)*(seed/4%4)/2}
		switch less, _, err := run(ein.Options{Limits: limits}); {
		case err != nil && !strings.Contains(err.Error(), ": E053"):
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		case err == nil && (less.String() != want.String() || limits.MaxOps > 0 && less.Stats.Ops > limits.MaxOps || less.Stats.PeakBytes > limits.MaxBytes):
			t.Fatalf("seed %d: %+v with %+v\n%s\n%s\nwant\n%s", seed, less.Stats, limits, text, less, want)
		case err == nil:
			within++
		}
	}
	if within < n/10 || within > n*7/8 {
		t.Errorf("%d of %d runs ended within limits", within, n)
	}
}

// TestAskedNumbers: rows that are asked for by a number that no row can have are not there.
func TestAskedNumbers(t *testing.T) {
	for _, literal := range []string{"v = 1e300", `Far["b"] = v`, `Inverse["b"] = v`, `Inverse["b"] = v, Inverse["a"] = w, w <= v`} {
		text := `P(1, a). P(2, b).
A = edges([["a", "b"]])
Inverse = 1 / out_degree(A)
Far["b"] max= 1e300.
R(x, y) <- P(x, y).
R(x, z) <- R(x, y), P(_, z), P(_, y).
Q(y) <- ` + literal + `, R(v, y).
Q(y)?
`
		for _, plain := range []bool{false, true} {
			p, err := ein.Compile("p.ein", text, ein.Options{NoOpt: plain})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := p.Run(t.Context()); err != nil || r.String() != "Q(y) = {}\n" {
				t.Errorf("%s, as written %t: %v, %v", literal, plain, r, err)
			}
		}
	}
}

// TestPlacesOfValues: rows of an input that is no file have numbers instead of lines, and so has the row of
// a factor below 0.
func TestPlacesOfValues(t *testing.T) {
	pay := ein.Data("Pay", [][]any{{"a", "b", 3}, {"b", "c", 4}, {"a", "c", -9}})
	for text, want := range map[string]string{
		"Total(x, sum(a)) <- Pay(x, _, a).\nTotal(x, n)?":              `Pay("a", "c", -9)  Pay row 3`,
		"D[\"a\"] max= 1.\nD[y] max= D[x] * w <- Pay(x, y, w).\nD[x]?": `in Pay("a", "c", -9) (Pay row 3)`,
	} {
		p, err := ein.Compile("p.ein", "input Pay(from: node, to: node, amount: int)\n"+text, ein.Options{Proofs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := p.Run(context.Background(), pay); !strings.Contains(fmt.Sprint(r, err), want) {
			t.Errorf("%v, %v, want %s", r, err, want)
		}
	}
}

// TestProofsWithinLimits: proofs count as memory, as the engine holds them and in words.
func TestProofsWithinLimits(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "Next(n%d, n%d).\n", i, i+1)
	}
	text.WriteString("Far(x, y) <- Next(x, y).\nFar(x, z) <- Far(x, y), Next(y, z).\nFar(\"n0\", y)?\n")
	prove := func(proofs int, bytes uint64) error {
		p, err := ein.Compile("p.ein", text.String(), ein.Options{Proofs: proofs, Limits: ein.Limits{MaxBytes: bytes}})
		if err != nil {
			return err
		}
		_, err = p.Run(t.Context())
		return err
	}
	for _, c := range []struct {
		proofs int
		bytes  uint64
		stops  bool
	}{{0, 2 << 20, false}, {3, 2 << 20, false}, {300, 2 << 20, true}, {300, 12 << 20, true}, {300, 100 << 20, false}} {
		err := prove(c.proofs, c.bytes)
		_, over := errors.AsType[*vm.Exceeded](err)
		if over != c.stops || !over && err != nil {
			t.Errorf("%d proofs in %d bytes: %v", c.proofs, c.bytes, err)
		}
	}
}
