package check

import (
	"slices"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
)

// TestAfter holds a program that was checked statement by statement against the
// check of the whole.
func TestAfter(t *testing.T) {
	cfg := Config{Profile: Repl}
	after := func(before *Program, f *syntax.File) *Program {
		cfg := cfg
		cfg.After = before
		return Check(f, cfg)
	}
	parse := func(text string) *syntax.File {
		return syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: true})
	}
	for _, c := range corpus.Cases() {
		if len(c.Inputs) > 0 || len(c.Labels) > 0 || c.Error != "" {
			continue
		}
		whole := parse(c.Source)
		before := Check(&syntax.File{Source: whole.Source}, cfg)
		for i, st := range whole.Stmts {
			want := Check(&syntax.File{Source: whole.Source, Stmts: whole.Stmts[:i+1]}, cfg)
			next := &syntax.File{Source: whole.Source, Stmts: []syntax.Stmt{st}}
			if len(want.Labels) != len(before.Labels) {
				before = want // every labelled graph is larger
				continue
			}
			got := after(before, next)
			if again := after(before, next); again.Nodes != got.Nodes {
				t.Errorf("%s: statement %d follows the program only once", c.Name, i)
			}
			tail := want.Statements[len(want.Statements)-len(got.Statements):]
			for k := range tail {
				a, b := tail[k], got.Statements[k]
				if a.Name != b.Name || a.Span != b.Span || a.Form != b.Form || a.Node.Type != b.Node.Type || a.Node.Bound != b.Node.Bound {
					t.Errorf("%s: %s is %v, in the whole %v", c.Name, a.Name, b.Node, a.Node)
				}
			}
			if got.Nodes != want.Nodes || !slices.Equal(got.Labels, want.Labels) || len(got.Inputs) != len(want.Inputs) {
				t.Errorf("%s: statement %d: %d operations, in the whole %d", c.Name, i, got.Nodes, want.Nodes)
			}
			for _, s := range want.Statements {
				if a, b := want.Defined(s.Name), got.Defined(s.Name); (a == nil) != (b == nil) || a != nil && a.Type != b.Type {
					t.Errorf("%s: %s is %v, in the whole %v", c.Name, s.Name, b, a)
				}
			}
			warnings := func(p *Program) (codes []string) {
				for _, d := range p.Diags {
					if d.Span.Start >= st.Pos().Start {
						codes = append(codes, string(d.Code)+d.Message)
					}
				}
				return codes
			}
			if a, b := warnings(want), warnings(got); !slices.Equal(a, b) {
				t.Errorf("%s: statement %d has the warnings %v, in the whole %v", c.Name, i, b, a)
			}
			before = got
		}
	}
	base := Check(parse("A = [[0, 1], [1, 0]]\n"), cfg)
	for _, text := range []string{"def f(x) = x + 1\n", "def g(x) = f(f(x))\nB = g(1)\n", "C = g(A)\n", "def h(x) = { y = g(x)\ny }\n"} {
		if base = after(base, parse(text)); base.Diags.HasErrors() {
			t.Fatalf("%q: %v", strings.TrimSpace(text), base.Diags)
		}
	}
	if n := base.Defined("C"); n == nil || n.Rank() != 2 {
		t.Errorf("C is %v", n)
	}
	for _, text := range []string{"B = Q\n", "def r(x) = r(x)\n", "def q(x) = p(x)\n", "y = f(1); def f(x) = x\n", "def f(x) = f(x)\n", "$\n"} {
		if !after(base, parse(text)).Diags.HasErrors() {
			t.Errorf("%q follows the program", strings.TrimSpace(text))
		}
	}
}

// TestAfterFunctions checks that a function keeps calling those that it knew.
func TestAfterFunctions(t *testing.T) {
	var p *Program
	for _, text := range []string{
		"def f(x) = x + 1; def g(x) = 10 * f(x); def h(x) = sum(x)", "def f(x) = g(x) + 5; def sum(x) = 7", "y = f(1); z = g(1); a = h([1, 2]); b = sum([1, 2])",
	} {
		if p = Check(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{}), Config{Profile: Repl, After: p}); p.Diags.HasErrors() {
			t.Fatal(p.Diags)
		}
	}
	for name, want := range map[string]ir.Op{"y": ir.Map, "z": ir.Map, "a": ir.Einsum, "b": ir.Const} {
		if n := p.Defined(name); n.Op != want {
			t.Errorf("%s is %v", name, n)
		}
	}
}

func TestLayers(t *testing.T) {
	var l *layers[symbol]
	for i := range 1000 {
		l = l.with(map[string]*symbol{string(rune('a' + i%7)): {span: source.Span{Start: i}}, string(rune(1000 + i)): {node: &ir.Node{ID: i}}})
		depth := 0
		for n := l; n != nil; n = n.older {
			depth++
		}
		if depth > 12 {
			t.Fatalf("%d layers", depth)
		}
		for k := range i + 1 {
			if s := l.lookup(string(rune(1000 + k))); s == nil || s.node.ID != k {
				t.Fatalf("name %d of %d is lost", k, i)
			}
		}
		for k := max(0, i-6); k <= i; k++ {
			if s := l.lookup(string(rune('a' + k%7))); s.span.Start != k {
				t.Fatalf("name %c is %d, want %d", rune('a'+k%7), s.span.Start, k)
			}
		}
	}
}

// TestApart: a statement that has nothing to do with the relations before it is checked without
// them, and means the same.
func TestApart(t *testing.T) {
	const rules = 500
	text := "A = edges([[0, 1]], 3)\nn = 2\nE(0, 1).\ndef f(x) = x + 1\n" + strings.Repeat("R(x, y) <- E(x, y), A(x, y).\n", rules)
	cfg := Config{Profile: Repl}
	before := Check(syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: true}), cfg)
	if before.Diags.HasErrors() {
		t.Fatal(before.Diags)
	}
	cfg.After = before
	for entry, apart := range map[string]bool{
		"m = n + 1": true, "x = sum(ones(3))": true, ":print n": true, "missing + 1": true,
		"count(R)": false, "R = 3": false, "A = A": false, "f(1)": true, "E(0, 2).": false, "R(0, x)?": false, "S(x) <- T(x).": false,
		"def g(x) = x": false, "input R: graph": false, ":print E": false,
	} {
		file := before.File.Source.Append("in.ein", 1, entry+"\n")
		f := syntax.Parse(file, syntax.Options{Repl: true, From: len(text)})
		if got := isApart(f, before); got != apart {
			t.Errorf("%s: apart: %v, want %v", entry, got, apart)
		}
		got, want := Check(f, cfg), check(f, cfg, false)
		if len(got.Diags) != len(want.Diags) || got.Nodes != want.Nodes || len(got.Relations) != len(want.Relations) || (got.Rules == nil) != (want.Rules == nil) {
			t.Errorf("%s: %d operations, %d relations, %v; with the relations before %d, %d, %v", entry, got.Nodes, len(got.Relations), got.Diags, want.Nodes, len(want.Relations), want.Diags)
		}
		next := Config{Profile: Repl, After: got}
		again := syntax.Parse(file.Append("in.ein", 1, "R(0, 1)?\n"), syntax.Options{Repl: true, From: len(file.Text)})
		if p := Check(again, next); apart && (p.Diags.HasErrors() || len(p.Outputs) != 1) {
			t.Errorf("%s: then %v", entry, p.Diags)
		}
		if n := testing.AllocsPerRun(3, func() { Check(f, cfg) }); apart && entry != "missing + 1" && n > rules {
			t.Errorf("%s: %v allocations beside %d rules", entry, n, rules)
		}
	}
}

// TestOwnWarnings: an entry tells its own warnings however many the entries before it had.
func TestOwnWarnings(t *testing.T) {
	text := "E(0, 1).\n" + strings.Repeat("R(x) <- E(x, y).\n", 2*maxDiagnostics)
	cfg := Config{Profile: Repl}
	before := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: true})
	cfg.After = Check(before, Config{Profile: Repl})
	f := syntax.Parse(before.Source.Append("in.ein", 1, "S(x) <- E(x, z).\n"), syntax.Options{Repl: true, From: len(text)})
	if p := Check(f, cfg); len(p.Diags) != 1 || p.Diags[0].Code != "W0820" {
		t.Errorf("%v", p.Diags)
	}
}
