package syntax

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"ein/internal/codes"
	"ein/lang/diag"
)

// TestAbuse feeds the parser texts made to hurt it. Each must come back soon
// and say what is wrong.
func TestAbuse(t *testing.T) {
	const million = 1_000_000
	rep := strings.Repeat
	tests := []struct {
		name, text string
		code       diag.Code // "" if there is nothing wrong
	}{
		{"parens", "A = " + rep("(", million), codes.E0503},
		{"brackets", "A = " + rep("[", million), codes.E0503},
		{"braces", "A = " + rep("{", million), codes.E0105},
		{"def braces", "def f(x) = " + rep("{", million), codes.E0102},
		{"defs", rep("def f(x) = {\n", 5000), codes.E0102},
		{"defs on a line", rep("def f(x) = { ", 100_000), codes.E0102},
		{"index chain", "A = B" + rep("[0]", million), codes.E0505},
		{"nested index", "A = " + rep("B[", million), codes.E0503},
		{"nested calls", "A = " + rep("f(", million), codes.E0503},
		{"closed parens", "A = " + rep("(", million) + "1" + rep(")", million), codes.E0503},
		{"closers", "A = " + rep(")", million), codes.E0505},
		{"mixed closers", "A = " + rep("(]", million), codes.E0505},
		{"pairs", "A = " + rep("()", million), codes.E0505},
		{"depth at the limit", "A = " + rep("(", DefaultDepth) + "1" + rep(")", DefaultDepth), ""},
		{"depth over the limit", "A = " + rep("(", DefaultDepth+1) + "1" + rep(")", DefaultDepth+1), codes.E0503},
		{"minus", "A = " + rep("- ", million) + "1", codes.E0505},
		{"minus in a list", "A = [" + rep("- ", million) + "1]", codes.E0505},
		{"few minus in a list", "A = [" + rep("- ", 30_000) + "1]", codes.E0503},
		{"minus at the limit", "A = " + rep("- ", DefaultDepth) + "1", ""},
		{"minus and parens", "A = " + rep("-(", million), codes.E0503},
		{"sum", "A = 1" + rep("+1", million), codes.E0505},
		{"sum in parens", "A = (1" + rep("+1", million) + ")", codes.E0505},
		{"sum at the limit", "A = 1" + rep("+1", DefaultHeight-1), ""},
		{"sums in sums", rep("(", 150) + "1" + rep(rep("+1", 200)+")", 150), codes.E0505},
		{"sums in lists", "A = [" + rep("(1"+rep("+1", 5000)+"),", 100) + " x y 3]", codes.E0106},
		{"sums around", "A = " + rep("(1"+rep("+1", 9000), 10) + " + x y 3" + rep(")", 10), codes.E0106},
		{"list of names", "A = [" + rep("x,", million) + " x y 3]", codes.E0106},
		{"lists in a call", "A = f([" + rep("[x,y,],", million/8) + " ], (2)) x y 3]", codes.E0106},
		{"wrong statements", rep("A = f(x, [1, 2, y], B[i] C[j] +) x y z\n", 9000), codes.E0105},
		{"comparison", "A = 1" + rep("<1", million), codes.E0505},
		{"product", "A = (" + rep("B ", million) + ")", codes.E0505},
		{"product at the limit", "A = (" + rep("B ", DefaultHeight) + ")", ""},
		{"product over the limit", "A = (" + rep("B ", DefaultHeight+1) + ")", codes.E0505},
		{"top product", "A = " + rep("B ", million), codes.E0505},
		{"statements", rep("A=1\n", million), codes.E0504},
		{"semicolons", rep(";", million), ""},
		{"statements at the limit", rep("A=1\n", DefaultStatements), ""},
		{"bad statements", rep("@\n", million), codes.E0001},
		{"bad tokens", rep("@ ", million), codes.E0001},
		{"unclosed lines", rep("A = (\n", 5000), codes.E0102},
		{"unclosed heads", rep("A[\n", 100_000), codes.E0503},
		{"long line of heads", rep("A[", 100_000), codes.E0503},
		{"identifier", "A = " + rep("x", 10*million), ""},
		{"number", "A = 0." + rep("1", 10*million), ""},
		{"huge number", "A = " + rep("1", 10*million), codes.E0008},
		{"comment", "A = 1 //" + rep("x", 10*million), ""},
		{"string", `A = "` + rep("x", 10*million), codes.E0005},
		{"escapes", `A = "` + rep(`\q`, million) + `"`, codes.E0006},
		{"rubbish", rep("\xff", million), codes.E0002},
		{"nul", rep("\x00", million), codes.E0003},
		{"newlines", rep("\n", million), ""},
		{"commas", "A = f(" + rep(",", million), codes.E0105},
		{"print commas", ":print A" + rep(",A", million), codes.E0505},
		{"comments", rep("//\n", million), ""},
		{"blank source", rep(" ", DefaultSourceBytes+1), codes.E0501},
		{"tokens", "A = [" + rep("1,", DefaultTokens/2) + "1]", codes.E0502},
		{"arguments", "A = f(" + rep("1,", 500_000) + "1)", codes.E0508},
		{"arguments at the limit", "A = f(" + rep("1,", DefaultArguments-1) + "1)", ""},
		{"arguments over the limit", "A = f(" + rep("1,", DefaultArguments) + "1)", codes.E0508},
		{"parameters at the limit", "def f(" + rep("p,", DefaultArguments-1) + "p) = 1", ""},
		{"parameters over the limit", "def f(" + rep("p,", DefaultArguments) + "p) = 1", codes.E0508},
		{"directives", rep(":load\n", 5000), codes.E0108},
		{"facts", rep("P(a). ", 5000), ""},
		{"heads", rep("P(a, ", 100_000), codes.E0503},
		{"bodies", "P(a) <- " + rep("Q(a), ", 100_000) + "R(a).", codes.E0505},
		{"arrows", rep("P(a) <- ", 100_000), codes.E0505},
		{"rules in brackets", rep("P(\n", 5000) + rep("Q(x) <- R(x).\n", 4000), codes.E0503},
		{"quotes", rep(`"`, million), codes.E0505},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			f := parseText(test.text, Options{})
			// Twenty times what the slowest takes on an old machine.
			t.Logf("in %v", time.Since(start))
			if len(f.Diags) > DefaultDiagnostics+1 {
				t.Errorf("%d diagnostics", len(f.Diags))
			}
			if test.code == "" {
				if len(f.Diags) > 0 {
					t.Fatal(f.Diags[0])
				}
				if _, ok := Format(f); !ok {
					t.Fatal("does not format")
				}
				return
			}
			for _, d := range f.Diags {
				if len(d.Message) > 500 {
					t.Errorf("a message of %d bytes", len(d.Message))
				}
				if d.Code == test.code {
					return
				}
			}
			t.Fatalf("no %s in %v", test.code, f.Diags)
		})
	}
}

// TestAbuseMixtures parses random mixtures of what is dangerous alone.
func TestAbuseMixtures(t *testing.T) {
	parts := []string{"(", ")", "[", "]", "{", "}", "-", "- ", "--", "1", "+", "A", "=", "A[", "def f(x) = {", "max=",
		"\n", ";", ",", `"`, "//", "#", ":print ", ":x", "@", "\x00", "\xff", "é", "<-", ".", "?", "1e400", "0x1", " "}
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var b strings.Builder
		for b.Len() < 100_000 {
			b.WriteString(strings.Repeat(parts[r.IntN(len(parts))], 1+r.IntN(1+r.IntN(40))))
		}
		f := parseText(b.String(), Options{Repl: r.IntN(2) == 0})
		if !f.Diags.HasErrors() {
			t.Fatal("nothing wrong?")
		}
	}
}

func pairs(n int) string {
	return "A = edges([" + strings.TrimSuffix(strings.Repeat("[12345, 6789], ", n), ", ") + "])\n"
}

func TestBigLiteral(t *testing.T) {
	text := pairs(500_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	f := parseText(text, Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	t.Logf("%d bytes: %v, %d MiB allocated", len(text), took, (after.TotalAlloc-before.TotalAlloc)>>20)
	if len(f.Diags) > 0 {
		t.Fatal(f.Diags)
	}
	t.Logf("in %v", took)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 16 {
		t.Errorf("allocated %d MiB", mib)
	}
	start = time.Now()
	out, _ := Format(f)
	t.Logf("formatted in %v", time.Since(start))
	if g := parseText(out, Options{}); !Equal(f, g) {
		t.Error("formatting changed the tree")
	}
}

func TestLimitsAreNeverOff(t *testing.T) {
	for _, l := range []Limits{{}, {-1, -1, -1, -1, -1, -1, -1, 0, -1}} {
		got := l.withDefaults()
		want := Limits{DefaultSourceBytes, DefaultTokens, DefaultDepth, DefaultHeight, DefaultStatements, DefaultArguments, DefaultDiagnostics, 0, DefaultPack}
		if got != want {
			t.Errorf("%+v gives %+v", l, got)
		}
	}
}

// over is a context that ends while participle reads: nobody else asks for Done.
type over struct{ context.Context }

func (over) Done() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestStoppedInGrammar: a long statement that the grammar reads is left when the context ends.
func TestStoppedInGrammar(t *testing.T) {
	f := parseText(strings.Repeat("A[i,j] ", 5000), Options{Context: over{t.Context()}})
	if !f.Cut || len(f.Diags) != 1 || f.Diags[0].Code != codes.E0533 {
		t.Errorf("cut %t: %v", f.Cut, f.Diags)
	}
}
