package check

import (
	"fmt"
	"strings"
	"testing"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// TestReuse checks each program of the corpus with a line left out, exchanged, or
// broken, with what is remembered of the program before, and requires what a check
// from the text alone finds. The memory is handed on from change to change.
func TestReuse(t *testing.T) {
	for _, path := range archives(t) {
		_, cases := readArchive(t, path)
		for _, c := range cases {
			cfg := c.settings(t)
			cfg.Keep = true
			memo := Check(parseFor(c.in, cfg), cfg)
			lines := strings.SplitAfter(c.in, "\n")
			for i := range lines {
				before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
				for _, text := range []string{
					before + after, before + "zz = 1\n" + lines[i] + after, before + "A = \n" + lines[i] + after,
					before + lines[i] + lines[i] + after, before + "def q(A) = A\n" + lines[i] + after, c.in,
				} {
					memo = compareReuse(t, text, cfg, memo)
				}
			}
		}
	}
}

func parseFor(text string, cfg Config) *syntax.File {
	return syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: cfg.Profile == Repl})
}

// compareReuse checks text with a memory and without and returns the next memory.
func compareReuse(t *testing.T, text string, cfg Config, memo *Program) *Program {
	t.Helper()
	with := cfg
	with.Reuse, with.Keep, cfg.Keep = memo, true, false
	file := parseFor(text, cfg)
	got, want := Check(file, with), Check(file, cfg)
	if a, b := found(got), found(want); a != b {
		t.Fatalf("of\n%s\nwith a memory:\n%s\nwithout:\n%s", text, a, b)
	}
	return got
}

// found is what a check says, as text.
func found(p *Program) string {
	var b strings.Builder
	typ := func(n *ir.Node) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprint(n.Op, n.Type.Kind, n.Type.Shape, n.Bound, n.NonNeg)
	}
	for _, d := range p.Diags {
		fmt.Fprintf(&b, "%+v\n", d)
	}
	for _, s := range p.Statements {
		fmt.Fprintln(&b, s.Name, s.Span, typ(s.Node))
	}
	for _, o := range p.Outputs {
		fmt.Fprintln(&b, o.Name, o.Span, o.Form, typ(o.Node))
	}
	fmt.Fprintln(&b, p.Labels, p.Bound, p.Nodes, len(p.Inputs))
	return b.String()
}

// TestReuseTakesOver requires that a change costs the statements that depend on it and no
// others, wherever they stand, and that it ends where types stay the same.
func TestReuseTakesOver(t *testing.T) {
	const text = "A = edges([[0,1]], 3)\nB = tc(A)\nv = ones(4)\nw = v + 1\ns = sum(w)\n:print B, s\n"
	memo := Check(parseFor(text, Config{}), Config{Keep: true})
	later := strings.Replace("# a comment\n"+text, "ones(4)", "ones(5)", 1)
	later = strings.Replace(later, "[0,1]", "[0,2]", 1) // of the same type
	next := Check(parseFor(later, Config{}), Config{Keep: true, Reuse: memo})
	for _, c := range []struct {
		text  string
		again bool
	}{
		{"A = edges([[0,2]], 3)", true}, {"B = tc(A)", false}, {"v = ones(5)", true}, {"w = v + 1", true}, {"s = sum(w)", true},
	} {
		was, is := memo.outcomes[c.text], next.outcomes[c.text]
		if len(is) == 0 {
			t.Fatalf("%s is not remembered", c.text)
		}
		if again := len(was) == 0 || was[0] != is[0]; again != c.again {
			t.Errorf("%s: elaborated again is %v, wanted %v", c.text, again, c.again)
		}
	}
}

// TestReuseUndo requires that a change which is taken back costs nothing, and that no
// more is remembered than what was said.
func TestReuseUndo(t *testing.T) {
	const text = "A = edges([[0,1]], 3)\nB = tc(A)\nC[i] = B[i,j]\n"
	first := Check(parseFor(text, Config{}), Config{Keep: true})
	memo := first
	for i := range 2 * remembered {
		size := fmt.Sprintf("], %d)", i+4)
		for _, version := range []string{strings.Replace(text, "], 3)", size, 1), strings.Replace(text, "A =", "YA =", 1), text} {
			memo = compareReuse(t, version, Config{}, memo)
		}
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
			list := memo.outcomes[line]
			if len(list) > remembered || list[0] != first.outcomes[line][0] {
				t.Fatalf("%s: %d outcomes, the first is another: %v", line, len(list), list[0] != first.outcomes[line][0])
			}
		}
	}
}
