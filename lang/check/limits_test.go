package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

// abuse is programs that are small for what they ask for. Each is refused with
// the code, or accepted when that is empty.
var abuse = []struct {
	name string
	code diag.Code
	text string
}{
	{"doubling functions", "E0511", doubling("x + 1")},
	{"doubling functions without operations", "E0511", doubling("x")},
	{"doubling functions with a literal", "E0521", doubling("x + sum(edges([], 2000))")},
	{"doubling functions with an error", "E0204", doubling("x(1)")},
	{"a chain of functions", "E0510", chain(200)},
	{"a short chain of functions", "", chain(90)},
	{"a cycle of functions", "E0206", chain(1000) + "def f0(x) = f999(x)\n"},
	{"a function on itself in many ways", "E0206", "def f(x) = " + strings.Repeat("f(f(x)) + ", 500) + "x\n:print f(1)\n"},
	{"rules that read what is below", "", rulesUp(9900)},
	{"many queries", "", "E(a, b).\n" + strings.Repeat("E(a, x)?\n", 9900)},
	{"huge graph", "E0521", "A = edges([[0, 1]], 1000000000)\n"},
	{"huge inferred graph", "E0521", "A = edges([[0, 1000000000]])\n"},
	{"many large graphs", "E0521", strings.Repeat("A = edges([], 2048)\n", 5000)},
	{"huge ones", "", ":print ones(1000000000, 1000000000)\n"},
	{"huge everything", "", "A = ones(1000000000, 1000000000)\nB = A + A\nC[i, k, l, m] = A[i, j] A[j, k] + B[l, m]\n:print tc(A), C, eye(1000000000), sum(C), max(C), transpose(A)\n"},
	{"too huge ones", "E0520", ":print ones(1e12)\n"},
	{"the corner of a ragged literal", "E0402", "A = [[" + strings.Repeat("1, ", 4000) + "1]" + strings.Repeat(", [1]", 16000) + "]\n"},
	{"over the elements", "E0521", "A = [[" + strings.Repeat("1, ", 9000) + "1]" + strings.Repeat(", [1]", 9000) + "]\n"},
	{"a deep literal", "E0319", "A = " + strings.Repeat("[", 100) + "1" + strings.Repeat("]", 100) + "\n"},
	{"rank 9", "E0319", "T[a, b, c, d, e, f, g, h, i] = 1\n"},
	{"rank 8", "", "v = [1]\nT[a, b, c, d, e, f, g, h] = v[a] v[b] v[c] v[d] v[e] v[f] v[g] v[h]\n"},
	{"65 indices", "E0512", "v = [1]\ns = " + indexed(65) + "\n"},
	{"65 indices in sums", "E0512", "v = [1]\ns = " + strings.ReplaceAll(indexed(65), "] v", "] + v") + "\n"},
	{"64 indices", "", "v = [1]\ns = " + indexed(64) + "\n"},
	{"64 indices in sums", "", "v = [1]\ns = " + strings.ReplaceAll(indexed(64), "] v", "] + v") + "\n"},
	{"wide max", "E0319", "v = [1]\ns max= " + strings.ReplaceAll(indexed(9), "] v", "] + v") + "\n"},
	{"many indices on the left", "E0319", "T[" + strings.Repeat("i, ", 5000) + "i] = [1]\n"},
	{"many errors", "E0201", unknowns(9000)},
	{"many warnings", "W0213", warnings(9_000)},
	{"many functions in one term", "", "v = [1, 2]\ns = " + strings.Repeat("relu(v[i]) ", 9_000) + "\n"},
	{"many factors", "", "v = [1, 2]\ns = " + strings.Repeat("v[i] ", 9_000) + "\n"},
	{"many terms", "", "v = [1, 2]\ns = " + strings.Repeat("v[i] + ", 9_000) + "1\n"},
	{"many reductions", "E0320", "v = [1, 2]\ns = " + strings.Repeat("max(v[i]) + ", 9_000) + "1\n"},
	{"nested functions", "", "v = [1, 2]\ns[i] = " + strings.Repeat("relu(v[i] ", 190) + strings.Repeat(")", 190) + "\n"},
	{"many statements", "", "A = [[1, 2], [3, 4]]\n" + strings.Repeat("A[i, j] = A[j, i] + A[i, j]\n", 9_000)},
	{"many names", "", names(9_000)},
	{"many uses of a long name", "", strings.Repeat("a", 10_000) + " = 1\n" + strings.Repeat("b = "+strings.Repeat("a", 10_000)+"\n", 100)},
	{"many calls of the prelude", "", "A = edges([[0, 1]], 3)\n" + strings.Repeat("B = cousins(A, 1)\n", 3_000)},
}

func doubling(body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "def f0(x) = %s\n", body)
	for i := range 60 {
		fmt.Fprintf(&b, "def f%d(x) = f%d(f%d(x))\n", i+1, i, i)
	}
	return b.String() + ":print f60(1)\n"
}

func chain(n int) string {
	var b strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&b, "def f%d(x) = f%d(x)\n", i+1, i)
	}
	if n < 1000 {
		fmt.Fprintf(&b, "def f0(x) = x\n:print f%d(1)\n", n-1)
	}
	return b.String()
}

func indexed(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v[i%d] ", i)
	}
	return strings.TrimSpace(b.String())
}

func unknowns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d = y%d\n", i, i)
	}
	return b.String()
}

func warnings(n int) string {
	return "def tc(x) = x\n" + strings.Repeat("A = edges([[0, 1]])\n", n)
}

func names(n int) string {
	var b strings.Builder
	b.WriteString("x0 = 1\n")
	for i := range n {
		fmt.Fprintf(&b, "x%d = x%d + 1\n", i+1, i)
	}
	return b.String()
}

// rulesUp is a chain of rules, the last first, whose value turns out real at its beginning.
func rulesUp(n int) string {
	var b strings.Builder
	for i := n; i > 0; i-- {
		fmt.Fprintf(&b, "F%d(x, y + 0) <- F%d(x, y).\n", i, i-1)
	}
	fmt.Fprintf(&b, "F0(\"a\", 1.5).\nF%d(x, y)?\n", n)
	return b.String()
}

func TestAbuse(t *testing.T) {
	for _, a := range abuse {
		t.Run(a.name, func(t *testing.T) {
			f := syntax.Parse(source.NewFile("in.ein", a.text), syntax.Options{})
			begin := time.Now()
			p := Check(f, Config{})
			t.Logf("in %v", time.Since(begin))
			switch {
			case a.code == "" && p.Diags.HasErrors():
				t.Errorf("it does not check: %s", p.Diags[0].Message)
			case a.code != "" && !slices.ContainsFunc(p.Diags, func(d diag.Diagnostic) bool { return d.Code == a.code }):
				t.Errorf("%s is not raised: %v", a.code, p.Diags)
			}
			if len(p.Diags) > 2*maxDiagnostics+1 {
				t.Errorf("%d diagnostics", len(p.Diags))
			}
			checkPlaces(t, p)
		})
	}
}

// BenchmarkLinear times a program and one that is eight times as long, of each
// kind that was once quadratic.
func BenchmarkLinear(b *testing.B) {
	for _, test := range []struct {
		name string
		make func(n int) string
	}{
		{"statements", func(n int) string {
			return "A = [[1, 2], [3, 4]]\n" + strings.Repeat("A[i, j] = A[j, i] * 2 + A[i, j]\n", n)
		}},
		{"names", func(n int) string { return names(n / 4) }},
		{"unknown names", func(n int) string { return unknowns(n / 4) }},
		{"errors", func(n int) string { return "A = [1]\n" + strings.Repeat("B = tc(A)\n", n) }},
		{"warnings", func(n int) string { return warnings(n / 4) }},
		{"factors", func(n int) string { return "v = [1, 2]\ns = " + strings.Repeat("v[i] ", n) + "\n" }},
		{"functions in a term", func(n int) string { return "v = [1, 2]\ns = " + strings.Repeat("relu(v[i]) ", n) + "\n" }},
		{"terms", func(n int) string { return "v = [1, 2]\ns = " + strings.Repeat("v[i] + ", n) + "1\n" }},
		{"entries", func(n int) string { return "v = [" + strings.Repeat("1, ", 40*n) + "1]\n" }},
		{"edges", func(n int) string { return "A = edges([" + strings.Repeat("[0, 1], ", 16*n) + "[1, 2]])\n" }},
	} {
		for _, n := range []int{1_100, 8_800} {
			b.Run(fmt.Sprintf("%s/%d", test.name, n), func(b *testing.B) {
				f := syntax.Parse(source.NewFile("in.ein", test.make(n)), syntax.Options{})
				if f.Diags.HasErrors() {
					b.Fatal(f.Diags[0].Message)
				}
				for b.Loop() {
					Check(f, Config{})
				}
			})
		}
	}
}
