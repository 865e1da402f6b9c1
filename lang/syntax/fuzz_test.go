package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// seeds are the programs of the golden files.
func seeds(f testing.TB) []string {
	f.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var out []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		in := parseArchive(string(text)).files[0].data
		out = append(out, in)
		out = append(out, strings.SplitAfter(in, "\n")...)
	}
	return out
}

func addSeeds(f *testing.F) {
	f.Helper()
	for _, s := range seeds(f) {
		f.Add(s)
	}
}

func FuzzLex(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, tok := range Tokens(text) {
			if tok.Span.Start < end || tok.Span.End <= tok.Span.Start || tok.Span.End > len(text) {
				t.Fatalf("%v %v after %d", tok.Kind, tok.Span, end)
			}
			checkGap(t, text, end, tok.Span.Start)
			end = tok.Span.End
		}
		checkGap(t, text, end, len(text))
	})
}

func checkGap(t *testing.T, text string, from, to int) {
	t.Helper()
	gap := text[from:to]
	if from == 0 {
		gap = strings.TrimPrefix(gap, bom)
	}
	if strings.Trim(gap, " \t") != "" {
		t.Fatalf("%q was skipped", gap)
	}
}

// smallLimits bring every limit within reach of a fuzzer.
var smallLimits = Limits{SourceBytes: 4096, Tokens: 400, Depth: 12, Height: 30, Statements: 20, Diagnostics: 5}

func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, false, false)
		f.Add(s, true, true)
	}
	f.Fuzz(func(t *testing.T, text string, repl, small bool) {
		opt := Options{Repl: repl}
		if small {
			opt.Limits = smallLimits
		}
		file := parseText(text, opt)
		if file.Incomplete && !file.Diags.HasErrors() {
			t.Fatal("incomplete without an error")
		}
		end, bad := 0, false
		for _, s := range file.Stmts {
			if s.Pos().Start < end {
				t.Fatalf("statement at %v overlaps the one before, which ends at %d", s.Pos(), end)
			}
			end = s.Pos().End
			checkNesting(t, s, len(text))
			Walk(s, func(n Node) bool {
				_, isBad := n.(*Bad)
				bad = bad || isBad
				return true
			})
		}
		if bad && !file.Diags.HasErrors() {
			t.Fatal("a bad statement without an error")
		}
		for _, d := range file.Diags {
			if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text) || d.Message == "" || d.Code == "" {
				t.Fatalf("bad diagnostic %+v", d)
			}
			for _, fix := range d.Fixes {
				for _, e := range fix.Edits {
					if e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(text) {
						t.Fatalf("bad edit %+v", e)
					}
				}
			}
		}
	})
}

// checkNesting checks that every node lies in its parent.
func checkNesting(t *testing.T, n Node, size int) {
	t.Helper()
	span := n.Pos()
	if span.Start < 0 || span.End <= span.Start || span.End > size {
		t.Fatalf("%T has the span %v", n, span)
	}
	Walk(n, func(child Node) bool {
		if child == n {
			return true
		}
		if c := child.Pos(); c.Start < span.Start || c.End > span.End {
			t.Fatalf("%T at %v lies outside of %T at %v", child, c, n, span)
		}
		checkNesting(t, child, size)
		return false
	})
}

func FuzzFormat(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, repl bool) {
		opt := Options{Repl: repl}
		file := parseText(text, opt)
		out, ok := Format(file)
		if ok == file.Diags.HasErrors() {
			t.Fatal("formatted a program with errors, or did not format one without")
		}
		if !ok {
			if out != text {
				t.Fatal("text was lost")
			}
			return
		}
		checkFormat(t, file, out, opt)
		for _, s := range file.Stmts {
			if e, ok := s.(*ExprStmt); ok {
				checkExprString(t, e.X)
			}
		}
	})
}

func checkExprString(t *testing.T, x Expr) {
	t.Helper()
	text := ExprString(x)
	g := parseText(text, Options{Repl: true})
	want := Dump(&File{Stmts: []Stmt{&ExprStmt{X: x}}})
	if Dump(g) != want {
		t.Fatalf("%q reads as\n%s, not\n%s", text, Dump(g), want)
	}
}

// FuzzPrefix checks the continuation rule: a valid program cut between two
// tokens has no errors that more input could not fix.
func FuzzPrefix(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, repl bool) {
		if len(text) > 2000 {
			return
		}
		opt := Options{Repl: repl}
		if len(parseText(text, opt).Diags) > 0 {
			return
		}
		tokens := Tokens(text)
		for i, tok := range tokens {
			next := slices.IndexFunc(tokens[i:], func(t Token) bool { return t.Kind != KindNewline && t.Kind != KindComment })
			if next > 0 && (tokens[i+next].Kind == KindDot || tokens[i+next].Kind == KindQuestion) {
				continue // what ends a clause may stand on a line of its own
			}
			cut := text[:tok.Span.End]
			if g := parseText(cut, opt); g.Diags.HasErrors() && !g.Incomplete {
				t.Fatalf("the prefix %q has %v", cut, g.Diags)
			}
		}
	})
}
