package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ein/vm/tensor"
)

// isLimit reports whether all that is wrong is that a limit was reached.
func isLimit(err error) bool {
	var list *ErrorList
	if errors.As(err, &list) {
		return !slices.ContainsFunc(list.List, func(e *Error) bool { return !e.Limit })
	}
	var one *Error
	return errors.As(err, &one) && one.Limit
}

// bindAll reads inputs given as "kind spec\ncontent".
func bindAll(t *testing.T, known []string, inputs ...string) string {
	t.Helper()
	var decls []Decl
	for i, in := range inputs {
		head, content, _ := strings.Cut(in, "\n")
		kind, spec, _ := strings.Cut(head, " ")
		name, opt, err := ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		opt.Kind = Kind(kind)
		raw, err := Read(strings.NewReader(content), name, opt)
		if err != nil {
			return "error: " + err.Error()
		}
		decls = append(decls, Decl{string(rune('A' + i)), raw})
	}
	vals, labels, warnings, err := Bind(decls, known)
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for i := range vals {
		checkValue(t, &vals[i])
		out = append(out, show(&vals[i]))
	}
	if labels != nil {
		out = append(out, fmt.Sprintf("%q", labels))
	}
	for _, w := range warnings {
		out = append(out, w.Input+" "+w.Code+": "+w.Msg)
	}
	return strings.Join(out, "\n")
}

func TestBind(t *testing.T) {
	for _, c := range []struct {
		name   string
		known  []string
		inputs []string
		want   string
	}{
		{"one universe of numbers", nil, []string{"graph a.csv\n0,1\n", "graph b.csv\n4,0\n", "vector v.json\n[1,2]"},
			"bool 5x5: 0>1\nbool 5x5: 4>0\nint 2: 1 2"},
		{"one universe of labels", nil, []string{"graph a.csv\nx,y\ny,x\n", "matrix b.csv?header=no\nz,x,3\n", "vector v.csv?default=-1\nz,7\n"},
			"bool 3x3: 0>1 1>0\nint 3x3: 2>0=3\nint 3: -1 -1 7\n[\"x\" \"y\" \"z\"]"},
		{"known labels first", []string{"y", "q"}, []string{"graph a.csv\nx,y\ny,x\n"},
			"bool 3x3: 0>2 2>0\n[\"y\" \"q\" \"x\"]\n label: labels in the program that no input has: \"q\""},
		{"known labels only", []string{"y", "q"}, []string{"vector v.csv\nq,1\ny,2\n"}, "int 2: 2 1\n[\"y\" \"q\"]"},
		{"known labels, empty graph", []string{"y", "q"}, []string{"graph a.csv\nsource,target\n"}, "bool 2x2:\n[\"y\" \"q\"]"},
		{"declared size", nil, []string{"graph a.json\n{\"n\":4,\"edges\":[]}", "graph b.csv\n0,1\n"}, "bool 4x4:\nbool 4x4: 0>1"},
		{"matrix of its own", nil, []string{"matrix m.mtx\n%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 5\n", "graph a.csv?header=no\nx,y\n"},
			"int 2x3: 0>2=5\nbool 2x2: 0>1\n[\"x\" \"y\"]"},
		{"nothing", nil, nil, ""},
		{"one file for two inputs", nil, []string{"matrix t.csv?weight=km\nfrom,to,km,cost,day\n0,1,5,2,9\n", "matrix t.csv?weight=cost\nfrom,to,km,cost,day\n0,1,5,2,9\n"},
			"int 2x2: 0>1=5\nint 2x2: 0>1=2\nA unused: columns not used (1 row): \"day\""},
		{"one file, each column used", nil, []string{"matrix t.csv?weight=km\nfrom,to,km,cost\n0,1,5,2\n", "matrix t.csv?weight=cost\nfrom,to,km,cost\n0,1,5,2\n"},
			"int 2x2: 0>1=5\nint 2x2: 0>1=2"},
		{"duplicates over known labels", []string{"b"}, []string{"graph a.csv\na,b\na,b\n"},
			"bool 2x2: 1>0\n[\"b\" \"a\"]\nA duplicates: 1 repeated edge merged: \"a\" -> \"b\" is on line 1 and again on line 2"},

		{"numbers from 1", nil, []string{"graph a.csv\n1,2\n2,3\n", "graph b.csv\n3,1\n"},
			"bool 4x4: 1>2 2>3\nbool 4x4: 3>1\nA zero: no row has node 0, but it is one of the 4 nodes, which count from 0; with ids=label only the numbers in rows are nodes"},
		{"numbers from 0 in one graph", nil, []string{"graph a.csv\n1,2\n", "graph b.csv\n2,0\n"}, "bool 3x3: 1>2\nbool 3x3: 2>0"},
		{"numbers from 1 as asked for", nil, []string{"graph a.csv?ids=number\n1,2\n"}, "bool 3x3: 1>2"},

		{"numbers and labels", nil, []string{"graph a.csv?header=no\nx,y\n", "graph b.csv\n0,1\n"},
			"error: b.csv: the nodes are numbers here, but labels in a.csv (ids=label reads numbers as labels; all inputs of a program share one set of nodes)"},
		{"numbers and known labels", []string{"x"}, []string{"graph b.csv\n0,1\n"},
			"error: b.csv: the nodes are numbers here, but the program uses the label \"x\" (ids=label reads numbers as labels; all inputs of a program share one set of nodes)"},
		{"sizes that differ", nil, []string{"graph a.csv?nodes=3\n0,1\n", "graph b.csv?nodes=4\n0,1\n"},
			"error: b.csv: 4 nodes here, but 3 in a.csv (all graphs of a program share one set of nodes)"},
		{"past a declared size", nil, []string{"graph a.csv?nodes=3\n0,1\n", "graph b.csv\n0,1\n3,0\n"},
			"error: b.csv:2: node 3 is not one of the 3 nodes of a.csv"},
		{"vector with another size", nil, []string{"graph a.json\n{\"n\":2,\"edges\":[]}", "vector v.csv?nodes=3\n0,1\n"},
			"error: v.csv: 3 nodes here, but 2 in a.json (all graphs of a program share one set of nodes)"},
		{"vector past the graph", nil, []string{"graph a.csv\n0,1\n", "vector v.csv\n0,1\n1,1\n2,5\n"},
			"error: v.csv:3: node 2 is not one of the program's 2 nodes (extra=ignore skips the rows of such nodes; extra=add adds the nodes)"},
		{"vector with unknown label", nil, []string{"graph a.csv?header=no\nx,y\n", "vector v.csv\nx,1\nz,1\n"},
			"error: v.csv:2: \"z\" is not a node of any graph in the program (extra=ignore skips the rows of such nodes; extra=add adds the nodes)"},
		{"vector that misses labels", nil, []string{"graph a.csv?header=no\nx,y\n", "vector v.csv\nx,1\n"},
			"error: v.csv: no value for \"y\" (default=0 sets the missing values to 0)"},
		{"vector with numbers", nil, []string{"graph a.csv?header=no\nx,y\n", "vector v.csv\n0,1\n"},
			"error: v.csv: the nodes are numbers here, but labels in a.csv (ids=label reads numbers as labels; all inputs of a program share one set of nodes)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := bindAll(t, c.known, c.inputs...); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestParseSpec(t *testing.T) {
	half := 0.5
	for _, c := range []struct {
		spec, path string
		opt        Options
		err        string
	}{
		{spec: "a.csv", path: "a.csv"},
		{spec: "-", path: "-"},
		{spec: "-?format=tsv&header=no", path: "-", opt: Options{Format: TSV, Header: HeaderNo}},
		{spec: "a.csv?source=p+q&target=x%26y&weight=3", path: "a.csv", opt: Options{Source: "p+q", Target: "x&y", Weight: "3"}},
		{spec: "a.csv?ids=label&dup=max&default=0.5&nodes=7", path: "a.csv", opt: Options{IDs: IDsLabel, Dup: DupMax, Default: &half, Nodes: 7}},
		{spec: "what?.csv", path: "what?.csv"},
		{spec: "what?a=b.csv?", path: "what?a=b.csv"},
		{spec: "a?b?format=csv", path: "a?b", opt: Options{Format: CSV}},
		{spec: "", err: "the file name is missing (- reads standard input)"},
		{spec: "?format=csv", err: "?format=csv: the file name is missing (- reads standard input)"},
		{spec: "a?sorce=x", err: `a?sorce=x: unknown option "sorce" (the options are default, dup, extra, format, from, header, ids, nodes, onehot, query, source, target, to, weight, where)`},
		{spec: "a?format=csv&x", err: `a?format=csv&x: expected option=value after ?, found "x" (the options are default, dup, extra, format, from, header, ids, nodes, onehot, query, source, target, to, weight, where)`},
		{spec: "a?source=x&source=y", err: "a?source=x&source=y: the option source is given twice"},
		{spec: "a?from=x&to=y", path: "a", opt: Options{Source: "x", Target: "y"}},
		{spec: "a?from=x&source=y", err: "a?from=x&source=y: the options from and source are the same (give one of them)"},
		{spec: "a?where=c==LH&where=km<=5e2", path: "a", opt: Options{Where: []Filter{{Column: "c", Op: "==", Value: "LH"}, {Column: "km", Op: "<=", Value: "5e2"}}}},
		{spec: "a?where=km", err: `a?where=km: the option where cannot be "km" (expected a comparison such as carrier==LH or km<500, with one of == != <= >= < >)`},
		{spec: "a?where=km<far", err: `a?where=km<far: the option where cannot be "km<far" (expected a number after <)`},
		{spec: "a?source=%4", err: "a?source=%4: invalid % escape in the option source (write a literal % as %25)"},
		{spec: "a?source=%zz", err: "a?source=%zz: invalid % escape in the option source (write a literal % as %25)"},
		{spec: "a?source=", err: "a?source=: the option source has no value"},
		{spec: "a?format=xls", err: `a?format=xls: the option format cannot be "xls" (expected csv, tsv, edges, mtx, json, jsonl, npy, parquet, sqlite)`},
		{spec: "a?header=1", err: `a?header=1: the option header cannot be "1" (expected yes, no)`},
		{spec: "a?ids=int", err: `a?ids=int: the option ids cannot be "int" (expected number, label)`},
		{spec: "a?dup=mean", err: `a?dup=mean: the option dup cannot be "mean" (expected min, max, sum, first, error)`},
		{spec: "a?nodes=0", err: `a?nodes=0: the option nodes cannot be "0" (expected a positive integer, at most 67108864)`},
		{spec: "a?nodes=99999999999999999999", err: `a?nodes=99999999999999999999: the option nodes cannot be "99999999999999999999" (expected a positive integer, at most 67108864)`},
		{spec: "a?default=nan", err: `a?default=nan: the option default cannot be "nan" (expected a finite number, or inf)`},
	} {
		path, opt, err := ParseSpec(c.spec)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s:\n got %v\nwant %s", c.spec, err, c.err)
			}
			continue
		}
		if err != nil || path != c.path || fmt.Sprint(deref(opt)) != fmt.Sprint(deref(c.opt)) {
			t.Errorf("%s: got %q %+v %v", c.spec, path, opt, err)
		}
		again, same, err := ParseSpec(opt.Spec(path))
		if err != nil || again != path || fmt.Sprint(deref(same)) != fmt.Sprint(deref(opt)) {
			t.Errorf("%s: %s reads as %q %+v %v", c.spec, opt.Spec(path), again, same, err)
		}
	}
}

// deref makes options comparable by their printed form.
func deref(o Options) (Options, float64) {
	x := 0.0
	o.given = nil
	if o.Default != nil {
		x, o.Default = *o.Default, nil
	}
	return o, x
}

func TestLimits(t *testing.T) {
	npy := npyFile(1, npyHead("<f8", "False", "(2, 3)"), make([]float64, 6))
	for _, c := range []struct {
		opt        Options
		name, text string
		want       string
	}{
		{Options{MaxBytes: 5}, "g.csv", "0,1\n1,2\n", "g.csv: larger than the limit of 5 bytes"},
		{Options{MaxBytes: 100}, "g.csv", gz(strings.Repeat("0,1\n", 1000)), "g.csv: larger than the limit of 100 bytes once decompressed"},
		{Options{MaxEdges: 1}, "g.csv", "0,1\n1,2\n", "g.csv:2: more than the limit of 1 edge"},
		{Options{MaxEdges: 1}, "g.json", `{"directed":false,"edges":[[0,1]]}`, "g.json:1: more than the limit of 1 edge, counting both directions"},
		{Options{MaxNodes: 2}, "g.csv", "a,b\nb,c\n", "g.csv:2:3: more than the limit of 2 nodes"},
		{Options{MaxNodes: 2}, "g.json", "[[0,1,1]]", "g.json:1:8: more than the limit of 2 nodes"},
		{Options{Kind: Vector, MaxElems: 2}, "v.csv", "1\n2\n3\n", "v.csv:3: more than the limit of 2 elements"},
		{Options{Kind: Vector, MaxElems: 1}, "v.csv", "0,2\n1,3\n", "v.csv:2: more than the limit of 1 element"},
		{Options{Kind: Vector, MaxElems: 2}, "v.json", "[1,2,3]", "v.json:1: more than the limit of 2 elements"},
		{Options{Kind: Matrix, MaxElems: 2}, "v.json", "[[1,2,3]]", "v.json:1: more than the limit of 2 elements"},
		{Options{Kind: Matrix, MaxElems: 5}, "v.npy", npy, "v.npy: shape (2, 3) exceeds the limit of 5 elements"},
		{Options{MaxNodes: 1 << 20, Nodes: 1<<20 + 1}, "g.csv", "0,1\n", "g.csv: nodes=1048577 exceeds the limit of 1048576 nodes"},
		{Options{MaxBytes: 1 << 18}, "g.csv", strings.Repeat("0,1\n", 1<<18), "g.csv:65536: larger than the limit of 262144 bytes"},
		{Options{}, "g.csv", "0,1\n0," + strings.Repeat("1", 3*maxLine), "g.csv:2: the line is longer than 1048576 bytes"},
		{Options{}, "g.tsv", "0\t" + strings.Repeat("1", maxLine-1) + "\n0\t1\n", "g.tsv:1: the line is longer than 1048576 bytes"},
		{Options{}, "g.edges", "# " + strings.Repeat("x", maxLine), "g.edges:1: the line is longer than 1048576 bytes"},
		{Options{}, "g.mtx", "%%MatrixMarket matrix coordinate pattern general\n%" + strings.Repeat("x", maxLine) + "\n", "g.mtx:2: the line is longer than 1048576 bytes"},
		{Options{}, "g.csv", "a,b\n\"" + strings.Repeat("x\n", maxLine) + "\",b\n", "g.csv:2: the record is longer than 1048576 bytes (an unclosed quote joins many lines into one record)"},
		{Options{}, "g.json", "[[0,1]" + strings.Repeat(" ", 2*maxToken), "g.json:1:7: the white space is longer than 1048576 bytes"},
		{Options{}, "g.json", `{"graph":` + strings.Repeat("[", 100), "g.json:1:75: nested more than 64 levels deep"},
		{Options{Kind: Vector}, "v.npy", npyFile(2, strings.Repeat(" ", 1<<17)), "v.npy: the header of 131073 bytes exceeds the limit of 65536"},
	} {
		_, err := Read(strings.NewReader(c.text), c.name, c.opt)
		if err == nil || err.Error() != c.want || !isLimit(err) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	long := strings.Repeat("a", maxLine-2)
	if got := outcome(t, Graph, "g.csv", long+",b\nb,"+long+"\n"); !strings.HasPrefix(got, "bool 2x2: 0>1 1>0") {
		t.Errorf("lines as long as they may be: %s", got)
	}
	for _, c := range []struct {
		opt  Options
		text string
		want string
	}{
		{Options{}, "0,1\n\"" + strings.Repeat("x\n", maxLine/3), "g.csv:2:1: the quote that opens here is not closed"},
		{Options{Kind: "tree"}, "0,1\n", `g.csv: unknown kind "tree" (expected graph, matrix, vector or scalar)`},
		{Options{Format: "xls"}, "0,1\n", `g.csv: unknown format "xls"`},
		{Options{MaxEdges: 1}, "0,1\n0,x\n1,2\n", `g.csv:2:3: expected a node number, found "x" (` + mixedHint + ")\ng.csv:3: more than the limit of 1 edge"},
	} {
		_, err := Read(strings.NewReader(c.text), "g.csv", c.opt)
		if err == nil || err.Error() != c.want || isLimit(err) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	// The limit also holds for the inputs together.
	var decls []Decl
	for _, text := range []string{"a,b\n", "c,d\n"} {
		raw, err := Read(strings.NewReader(text), "g.csv", Options{MaxNodes: 3, Header: HeaderNo})
		if err != nil {
			t.Fatal(err)
		}
		decls = append(decls, Decl{"A", raw})
	}
	if _, _, _, err := Bind(decls, nil); !isLimit(err) || err.Error() != "g.csv: all inputs together exceed the limit of 3 nodes" {
		t.Errorf("got %v", err)
	}
}

// failing gives some bytes, then an error.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

func TestReadErrors(t *testing.T) {
	cause := errors.New("disk on fire")
	long := 1 << 18
	for name, text := range map[string]string{
		"a.csv":  strings.Repeat("0,1\n", long),
		"b.csv":  "0,\"" + strings.Repeat("1\n", long),
		"c.json": "[" + strings.Repeat("[0,1],", long),
		"d.json": "[[0,1]," + strings.Repeat("      ", long/2),
		"e.mtx":  "%%MatrixMarket matrix coordinate pattern general\n2 2 99999999\n" + strings.Repeat("1 1\n", long),
		"f.npy":  npyFile(1, npyHead("<u1", "False", "(9999, 9999)"), make([]byte, 4*long)),
		"g.csv":  "",
		"h.npy":  npyFile(1, npyHead("<u1", "False", "(9999, 9999)"))[:9],
		"i.json": `[["` + strings.Repeat("x", 100000),
		"j.mtx":  "%%MatrixMarket matrix array real general\n9999 9999\n" + strings.Repeat("1\n", long),
	} {
		_, err := Read(&failing{strings.NewReader(text), cause}, name, Options{})
		if !errors.Is(err, cause) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestLarge loads 100000 edges in several formats and compares with a map.
func TestLarge(t *testing.T) {
	const n, m = 20_000, 100_000
	rng := newRand()
	type edge = [2]int
	want := map[edge]bool{{n - 1, n - 1}: true}
	list := []edge{{n - 1, n - 1}}
	for len(list) < m {
		e := edge{rng.IntN(n), rng.IntN(n)}
		if rng.IntN(10) == 0 {
			e = list[rng.IntN(len(list))]
		}
		want[e] = true
		list = append(list, e)
	}
	var csv, tsv, js, mtx, quoted bytes.Buffer
	fmt.Fprintf(&mtx, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", n, n, m)
	js.WriteString("[")
	for i, e := range list {
		fmt.Fprintf(&csv, "%d,%d\r\n", e[0], e[1])
		fmt.Fprintf(&tsv, "v%d\tv%d\n", e[0], e[1])
		fmt.Fprintf(&quoted, "\"v%d\",\"x\ny\",\"v%d\"\n", e[0], e[1])
		fmt.Fprintf(&mtx, "%d %d\n", e[0]+1, e[1]+1)
		if i > 0 {
			js.WriteString(",\n")
		}
		fmt.Fprintf(&js, "[%d, %d]", e[0], e[1])
	}
	js.WriteString("]")
	for spec, text := range map[string]string{
		"g.csv": csv.String(), "g.tsv": tsv.String(), "g.json": js.String(), "g.mtx": mtx.String(),
		"g.csv.gz": gz(csv.String()), "q.csv?target=3&weight=none": quoted.String(),
	} {
		v, labels, warnings, err := load(t, Graph, spec, text)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if v.CSR.NNZ() != len(want) {
			t.Errorf("%s: %d edges, want %d", spec, v.CSR.NNZ(), len(want))
		}
		for i := range v.CSR.Rows {
			for _, j := range v.CSR.Row(i) {
				e := edge{i, int(j)}
				if labels != nil {
					_, _ = fmt.Sscanf(labels[i]+" "+labels[j], "v%d v%d", &e[0], &e[1])
				}
				if !want[e] {
					t.Fatalf("%s: edge %v is not in the file", spec, e)
				}
			}
		}
		msg := fmt.Sprintf("%d repeated edges merged", m-len(want))
		if !slices.ContainsFunc(warnings, func(w Warning) bool { return strings.HasPrefix(w.Msg, msg) }) {
			t.Errorf("%s: warnings %v, want %s", spec, warnings, msg)
		}
	}
}

// TestRoundTrip writes random weighted matrices in each format and reads them
// back.
func TestRoundTrip(t *testing.T) {
	rng := newRand()
	for range 200 {
		n := 3 + rng.IntN(8)
		want := make([]float64, n*n)
		var csv, js, mtx, dense strings.Builder
		count := 0
		var body strings.Builder
		for i := range n {
			for j := range n {
				if rng.IntN(3) > 0 && i+j < 2*n-2 {
					continue
				}
				x := []float64{1, 2, -3, 0.25, 1e100}[rng.IntN(5)]
				want[i*n+j] = x
				fmt.Fprintf(&csv, "%d,%d,%v\n", i, j, x)
				fmt.Fprintf(&body, "%d %d %v\n", i+1, j+1, x)
				if count++; count > 1 {
					js.WriteString(",")
				}
				fmt.Fprintf(&js, "[%d,%d,%v]", i, j, x)
			}
		}
		fmt.Fprintf(&mtx, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s", n, n, count, body.String())
		for i := range n {
			fmt.Fprintf(&dense, "%s[%s]", []string{",", "["}[b2i(i == 0)], strings.Trim(strings.ReplaceAll(fmt.Sprint(want[i*n:(i+1)*n]), " ", ","), "[]"))
		}
		dense.WriteString("]")
		turned := (&reader{mem: &memory{}}).transposed(slices.Clone(want), n, n)
		for spec, text := range map[string]string{
			"w.csv": csv.String(), "w.json": `{"edges":[` + js.String() + "]}", "w.mtx": mtx.String(), "d.json": dense.String(),
			"d.npy": npyFile(1, npyHead("<f8", "False", fmt.Sprintf("(%d, %d)", n, n)), want),
			"f.npy": npyFile(1, npyHead("<f8", "True", fmt.Sprintf("(%d, %d)", n, n)), turned),
		} {
			v, _, _, err := load(t, Matrix, spec, text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", spec, err, text)
			}
			if got := v.ToDense(); !slices.Equal(got, want) || v.Kind != kindOf(want) || v.Shape != tensor.ShapeOf(n, n) {
				t.Fatalf("%s: got %v, want %v\n%s", spec, got, want, text)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestQuote(t *testing.T) {
	if got := quote([]byte(strings.Repeat("é", 50))); got != `"`+strings.Repeat("é", 20)+`"...` {
		t.Error(got)
	}
	if got := quote([]byte("x" + strings.Repeat("é", 50))); got != `"x`+strings.Repeat("é", 19)+`"...` {
		t.Error(got)
	}
}

func TestLineRuns(t *testing.T) {
	rng := newRand()
	l, single := lineRuns{chunks[lineRun]{mem: &memory{}}}, lineRuns{chunks[lineRun]{mem: &memory{}}}
	var want []int
	line := 1
	for e := range 2000 {
		if rng.IntN(5) == 0 {
			line += rng.IntN(3)
		}
		want = append(want, line)
		l.add(e, line)
		if rng.IntN(4) > 0 {
			line++
		}
	}
	for e, w := range want {
		if got := l.at(e); got != w {
			t.Fatalf("edge %d is on line %d, got %d", e, w, got)
		}
	}
	for e := range 1000 {
		single.add(e, 3+4*e)
	}
	if single.len() != 1 {
		t.Errorf("%d runs for a plain progression", single.len())
	}
}
