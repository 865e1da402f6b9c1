package check

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// told is all that a check says: diagnostics, types, and every constant.
func told(t testing.TB, text string, cfg Config, limits syntax.Limits) string {
	t.Helper()
	f := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: cfg.Profile == Repl, Limits: limits})
	p := Check(f, cfg)
	var b strings.Builder
	fmt.Fprintf(&b, "%s%v\n%v %d", render(t, p), p.Diags, p.Labels, p.Nodes)
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		fmt.Fprintf(&b, "%s %v %v %v %v\n", n.Op, n.Type, n.Pos, n.Bound, n.NonNeg)
		if n.Value != nil {
			fmt.Fprintf(&b, "%v %v %v\n", n.Value.F, n.Value.Bits, n.Value.CSR)
		}
		for _, a := range n.Args {
			visit(a)
		}
	}
	for _, s := range p.Statements {
		visit(s.Node)
	}
	for _, o := range p.Outputs {
		fmt.Fprintf(&b, "%s %v\n", o.Name, o.Form)
		visit(o.Node)
	}
	return b.String()
}

// samePacked checks text with every list packed that can be, and with none.
func samePacked(t testing.TB, text string, cfg Config, limits syntax.Limits) {
	t.Helper()
	limits.Pack = math.MaxInt
	want := told(t, text, cfg, limits)
	limits.Pack = 1
	if got := told(t, text, cfg, limits); got != want {
		t.Fatalf("%s\nis, packed,\n%s\nand not\n%s", text, got, want)
	}
}

// literals are what a program has lists of numbers in, and the wrong ones.
var literals = []string{
	"[]", "[1]", "[0, 1]", "[0.5, -1]", "[-0]", "[1, [2]]", "[[1, 2], [3]]", "[[1], 2]", "[[1, 2], [3, a]]", "[[1, 2], [3, 1/3]]", "[[1, 2], [(3), 4]]",
	"[[0, 1]]", "[[0, 1], [1, 0]]", "[[0, 0], [1, 1]]", "[[0, 1], [0, 1]]", "[[1, 0], [0, 1]]", "[[0, 1], [1, 2], [2, 0]]", "[[0, 1], [1, 2], [1, 2]]",
	"[[0, 1, 1], [1, 0, 1], [1, 1, 0]]", "[[0, 1, 1], [1, 0, 2], [1, 1, 0]]", "[[0, 1, 1], [1, 0, -1], [1, 1, -0]]", "[[0, 1, 1], [1, 0, 1]]", "[[0, 1, 1], [1, 0], [1]]",
	"[[0, 1], [1, -2]]", "[[0, 1], [-0, 2]]", "[[0, 0.5]]", "[[0, 1e3]]", "[[0, 1073741824]]", "[[0, 1e10], [0.5, 0]]", "[[0, 1], [\"a\", \"b\"]]", "[[\"a\", 1]]", "[[\"a\", \"b\"]]", "[[a, b]]",
	"[[[0, 1]]]", "[[[0, 1], [1, 0]], [[0, 1], [1, 0]]]", "[[[1, 2]], [[3, 4]]]", "[[[[[[[[1]]]]]]]]", "[[[[[[[[[1]]]]]]]]]",
	"[9007199254740993]", "[1, -9007199254740992]", "[9007199254740991]", "[1e300, 9007199254740992.0]", "[[1e300], [12345678901234567890]]", "[[1, 2], [0x1, 2]]", "[1e400]",
}

func TestPacked(t *testing.T) {
	for _, path := range archives(t) {
		_, cases := readArchive(t, path)
		for _, c := range cases {
			samePacked(t, c.in, c.settings(t), syntax.Limits{})
		}
	}
	for _, c := range corpus.Cases() {
		samePacked(t, c.Source, Config{}, syntax.Limits{})
	}
	for _, l := range literals {
		for _, text := range []string{
			"A = %s", "A = edges(%s)", "A = edges(%s, 2)", "A = edges(%s, 3)", "A = edges(%s, 9)", "A = adj(%s)", "A = vec(%s)", "A = vec(%s, 2)",
			"input n: scalar\nA = edges(%s, n)", "A = edges(%s)\nB = edges(%[1]s)\nC = %[1]s * %[1]s", "A = %s[0]", "A = select(%s, 0, 1)", "A = edges(%s, -1)",
			"def f(x) = edges(%s, 3) * x\nA = f(%[1]s)", "A = %s B", "v = [1]\nA = v[%s]", "A[i] = %s[i, i]", ":print sum(%s), max(%[1]s), - %[1]s", "A = edges([%s, [0, 1]])", "A = [%s, %[1]s]",
		} {
			for _, profile := range []Profile{Full, Core, Repl} {
				samePacked(t, fmt.Sprintf(text, l), Config{Profile: profile}, syntax.Limits{})
				samePacked(t, fmt.Sprintf(text, l), Config{Profile: profile, Limits: Limits{Elements: 4}}, syntax.Limits{})
			}
		}
	}
}

func FuzzPacked(f *testing.F) {
	for i, l := range literals {
		f.Add(fmt.Sprintf("A = edges(%s, 5)\nB = %[1]s\nC = adj(%[1]s)\n", l), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		cfg := Config{Profile: Profile(mode & 3 % 3), Limits: Limits{Nodes: 300, Calls: 20, Elements: 1 << 12}}
		samePacked(t, text, cfg, syntax.Limits{SourceBytes: 4096, Tokens: 1000, Depth: 20, Height: 60, Statements: 50})
	})
}
