package repl

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"ein/vm/cost"
	"ein/vm/tensor"
)

// random is a 0/1 matrix as a literal.
func random(r *rand.Rand, n int, density float64) string {
	rows := make([]string, n)
	for i := range rows {
		row := make([]string, n)
		for j := range row {
			row[j] = "0"
			if r.Float64() < density {
				row[j] = "1"
			}
		}
		rows[i] = "[" + strings.Join(row, ", ") + "]"
	}
	return "adj([" + strings.Join(rows, ", ") + "])"
}

// TestWhy holds the answers of :why against the functions that they explain.
func TestWhy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		n := 2 + r.IntN(6)
		s := New(Config{})
		if reply := s.Eval(context.Background(), "A = "+random(r, n, 0.25)); reply.Failed {
			t.Fatal(render(t, reply))
		}
		value := func(expression string) *tensor.Value {
			out, _ := s.compute(context.Background(), expression)
			return out.Value
		}
		edge, closure := value("A"), value("tc(A)")
		for i := range n {
			for j := range n {
				for _, question := range []string{"has_path(A, %d, %d)", "tc(A)[%d, %d]", "desc(A, %d)[%d]", "anc(A, %[2]d)[%[1]d]", "wpath(2 * A, %d, %d)", "wdist(A, %d)[%d]"} {
					if strings.HasPrefix(question, "w") && i == j {
						continue // no edge at all is the lightest path
					}
					out := s.Eval(context.Background(), ":why "+fmt.Sprintf(question, i, j)).Out
					want := closure.At(i, j) == 1
					if strings.HasPrefix(question, "desc") || strings.HasPrefix(question, "anc") {
						want = want && i != j
					}
					path, found := strings.CutPrefix(out, "yes: ")
					if found != want {
						t.Fatalf("%s of %s: %s", fmt.Sprintf(question, i, j), s.file.Text, out)
					}
					if found {
						checkPath(t, path, edge, i, j)
					}
				}
			}
		}
	}
}

// TestEvidence holds what :why says of bridges, cut nodes and cuts against them.
func TestEvidence(t *testing.T) {
	s := New(Config{})
	for _, line := range []string{
		`A = edges([["ann","bo"],["bo","cy"],["cy","ann"],["cy","di"],["di","ed"],["fay","gus"]])`,
		`W = [[0,3,2,0,0,0,0],[0,0,1,1,0,0,0],[0,0,0,4,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0]]`,
	} {
		if r := s.Eval(context.Background(), line); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	for _, c := range []struct{ question, want string }{
		{`bridges(A)["cy", "di"]`, "yes: without cy - di, nothing joins {ann, bo, cy} and {di, ed}\n"},
		{`bridges(A)["bo", "cy"]`, "no: without bo - cy, there is bo - ann - cy\n"},
		{`bridges(A)["bo", "ed"]`, "no: there is no edge between bo and ed\n"},
		{`bridges(A)`, "3 bridges\n  without cy - di, nothing joins {ann, bo, cy} and {di, ed}\n  without di - ed, nothing joins {ann, bo, cy, di} and {ed}\n  without fay - gus, nothing joins {fay} and {gus}\n"},
		{`cut_nodes(A)["cy"]`, "yes: without cy, nothing joins {ann, bo} and {di, ed}\n"},
		{`cut_nodes(A)["bo"]`, "no: without bo, what it joins is still joined\n"},
		{`cut_nodes(A)`, "2 cut nodes\n  without cy, nothing joins {ann, bo} and {di, ed}\n  without di, nothing joins {ann, bo, cy} and {ed}\n"},
		{`topo_order(edges([["bo","ann"],["ann","cy"]]))`, "every edge leads forward in bo, ann, cy, di, ed, fay, gus\n"},
		{`maxflow(W, 0, 3)`, "the most from ann to di is 4, limited by 3 edges\n  ann -> cy: 2\n  bo -> cy: 1\n  bo -> di: 1\n"},
		{`mincut(W, 3, 0)`, "the most from di to ann is 0, limited by 0 edges\n"},
	} {
		if got := s.Eval(context.Background(), ":why "+c.question).Out; got != c.want {
			t.Errorf("%s: %q, want %q", c.question, got, c.want)
		}
	}
	r := s.Eval(context.Background(), ":why topo_order(A)")
	if got := render(t, r); !r.Failed || !strings.Contains(got, `is a cycle`) {
		t.Error(got)
	}
}

// TestWhyRelation: the name of a relation alone is no row.
func TestWhyRelation(t *testing.T) {
	s := New(Config{})
	for _, entry := range []string{`F("a", "b").`, ":why F"} {
		r := s.Eval(context.Background(), entry)
		if got := render(t, r); r.Bug != "" || r.Failed != (entry == ":why F") || r.Failed && !strings.Contains(got, "`F` is a relation, and `:why` explains ") {
			t.Errorf("%s: %s%s", entry, r.Bug, got)
		}
	}
}

// TestRepeat: an entry that repeats keeps what its last round gave.
func TestRepeat(t *testing.T) {
	s := New(Config{})
	ctx := context.Background()
	for _, line := range []string{"x = 1", "repeat 3 {\n  y = x\n  x = x + x\n}", "repeat 0 { x = 77 }"} {
		if r := s.Eval(ctx, line); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	for entry, want := range map[string]string{"x": "_ = 8", "y + 0": "_ = 4", ":why x": "x"} {
		if got := render(t, s.Eval(ctx, entry)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", entry, got)
		}
	}
}

// checkPath checks each edge of a path as it is shown.
func checkPath(t *testing.T, shown string, edge *tensor.Value, from, to int) {
	t.Helper()
	path, _, _ := strings.Cut(shown, " (")
	var nodes []int
	for _, w := range strings.Split(path, " -> ") {
		k := 0
		if _, err := fmt.Sscan(w, &k); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, k)
	}
	if nodes[0] != from || nodes[len(nodes)-1] != to || len(nodes) < 2 {
		t.Fatalf("a path from %d to %d: %s", from, to, shown)
	}
	for k := 1; k < len(nodes); k++ {
		if edge.At(nodes[k-1], nodes[k]) == 0 {
			t.Fatalf("no edge %d -> %d in %s", nodes[k-1], nodes[k], shown)
		}
	}
}

// TestPictures draws all kinds of values: a picture fits its width, and an SVG file
// is XML with each label in it.
func TestPictures(t *testing.T) {
	files := folder{}
	width := 0
	s := New(Config{Files: files, Columns: func() int { return width }})
	for _, e := range []string{
		`G = edges([["<a&b>", "\"q\""], ["\"q\"", "é"], ["é", "é"], ["é", "\"q\""]])`,
		"big = ones(500, 300)", "wide = ones(3, 1000)", "tall = ones(1000, 2)", "v = ones(1000)", "v[i] = v[i] * -2.5",
		"w = [1e308, -1e308, 0]", "W = [[1e308, -1e308], [0, 1]]", "one = ones(1, 1) * 7", "O = zeros(3, 3)", "z = zeros(4)",
	} {
		if r := s.Eval(context.Background(), e); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	for _, name := range []string{"G", "big", "wide", "tall", "v", "w", "W", "one", "O", "z", `desc(G, "é")`, "big * 0.5"} {
		for _, width = range []int{20, 80, 200} {
			r := s.Eval(context.Background(), ":plot "+name)
			if r.Failed {
				t.Fatalf("%s: %s", name, render(t, r))
			}
			for line := range strings.Lines(r.Out) {
				if strings.ContainsAny(line, "│█▒┌└▏▎▍▌▋▊▉") && !strings.Contains(line, "  █ 1") && !strings.Contains(line, "░▒▓") && !strings.Contains(line, "negative") && utf8.RuneCountInString(line)-1 > max(width, 24) && !strings.HasPrefix(name, "w") {
					t.Errorf("%s at %d columns: %q", name, width, line)
				}
			}
		}
		r := s.Eval(context.Background(), ":plot "+name+" x.svg")
		if r.Failed {
			t.Fatalf("%s: %s", name, render(t, r))
		}
		d := xml.NewDecoder(strings.NewReader(files["x.svg"]))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if name == "G" && !strings.Contains(files["x.svg"], ">&lt;a&amp;b&gt;</text>") {
			t.Errorf("no label in %s", files["x.svg"])
		}
		if strings.Contains(files["x.svg"], "NaN") || strings.Contains(files["x.svg"], "Inf") {
			t.Errorf("%s: %s", name, files["x.svg"])
		}
	}
	for _, wrong := range []string{":plot 1", ":plot ones(2, 2, 2)", ":plot", ":plot nothing", ":plot edges([], 0)"} {
		if r := s.Eval(context.Background(), wrong); !r.Failed {
			t.Errorf("%s: %s", wrong, render(t, r))
		}
	}
	small := New(Config{Limits: cost.Limits{MaxBytes: 1 << 20}})
	if r := small.Eval(context.Background(), ":plot eye(1000)"); !r.Limit || !strings.Contains(render(t, r), "`--max-memory`") {
		t.Errorf("%s", render(t, r))
	}
	// A picture is much smaller than what it shows.
	s.Eval(context.Background(), ":plot ones(5000, 5000) x.svg")
	if n := len(files["x.svg"]); n > 100_000 {
		t.Errorf("a picture of %d bytes", n)
	}
}

// TestWhyNumbers: the nodes of a graph that is not over the labelled ones are numbers.
func TestWhyNumbers(t *testing.T) {
	s := New(Config{})
	for _, line := range []string{`A = edges([["ann","bob"],["bob","cid"],["cid","dan"]])`, "B = edges([[0,1],[1,2]], 3)"} {
		if r := s.Eval(context.Background(), line); r.Failed {
			t.Fatal(render(t, r))
		}
	}
	for question, want := range map[string]string{
		`has_path(A, "ann", "cid")`: "yes: ann -> bob -> cid (2 edges)\n",
		"has_path(B, 0, 2)":         "yes: 0 -> 1 -> 2 (2 edges)\n",
		"desc(B, 1)":                "1 reaches 1 node\n  2: 1 -> 2\n",
		"topo_order(B)":             "every edge leads forward in 0, 1, 2\n",
		"wpath(2 * B, 0, 1)":        "yes: 0 -> 1 (1 edge, weight 2)\n",
		"maxflow(B, 0, 1)":          "the most from 0 to 1 is 1, limited by 1 edge\n  0 -> 1: 1\n",
	} {
		if got := s.Eval(context.Background(), ":why "+question).Out; got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
