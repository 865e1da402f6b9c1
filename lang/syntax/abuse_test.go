package syntax

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

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
		{"parens", "A = " + rep("(", million), codeDepth},
		{"brackets", "A = " + rep("[", million), codeDepth},
		{"braces", "A = " + rep("{", million), codeValue},
		{"def braces", "def f(x) = " + rep("{", million), codeUnclosed},
		{"defs", rep("def f(x) = {\n", 5000), codeUnclosed},
		{"defs on a line", rep("def f(x) = { ", 100_000), codeUnclosed},
		{"index chain", "A = B" + rep("[0]", million), codeHeight},
		{"nested index", "A = " + rep("B[", million), codeDepth},
		{"nested calls", "A = " + rep("f(", million), codeDepth},
		{"closed parens", "A = " + rep("(", million) + "1" + rep(")", million), codeDepth},
		{"closers", "A = " + rep(")", million), codeHeight},
		{"mixed closers", "A = " + rep("(]", million), codeHeight},
		{"pairs", "A = " + rep("()", million), codeHeight},
		{"depth at the limit", "A = " + rep("(", DefaultDepth) + "1" + rep(")", DefaultDepth), ""},
		{"depth over the limit", "A = " + rep("(", DefaultDepth+1) + "1" + rep(")", DefaultDepth+1), codeDepth},
		{"minus", "A = " + rep("- ", million) + "1", codeHeight},
		{"minus in a list", "A = [" + rep("- ", million) + "1]", codeHeight},
		{"few minus in a list", "A = [" + rep("- ", 30_000) + "1]", codeDepth},
		{"minus at the limit", "A = " + rep("- ", DefaultDepth) + "1", ""},
		{"minus and parens", "A = " + rep("-(", million), codeDepth},
		{"sum", "A = 1" + rep("+1", million), codeHeight},
		{"sum in parens", "A = (1" + rep("+1", million) + ")", codeHeight},
		{"sum at the limit", "A = 1" + rep("+1", DefaultHeight-1), ""},
		{"sums in sums", rep("(", 150) + "1" + rep(rep("+1", 200)+")", 150), codeHeight},
		{"sums in lists", "A = [" + rep("(1"+rep("+1", 5000)+"),", 100) + " x y 3]", codeSideBySide},
		{"sums around", "A = " + rep("(1"+rep("+1", 9000), 10) + " + x y 3" + rep(")", 10), codeSideBySide},
		{"list of names", "A = [" + rep("x,", million) + " x y 3]", codeSideBySide},
		{"lists in a call", "A = f([" + rep("[x,y,],", million/8) + " ], (2)) x y 3]", codeSideBySide},
		{"wrong statements", rep("A = f(x, [1, 2, y], B[i] C[j] +) x y z\n", 9000), codeValue},
		{"comparison", "A = 1" + rep("<1", million), codeHeight},
		{"product", "A = (" + rep("B ", million) + ")", codeHeight},
		{"product at the limit", "A = (" + rep("B ", DefaultHeight) + ")", ""},
		{"product over the limit", "A = (" + rep("B ", DefaultHeight+1) + ")", codeHeight},
		{"top product", "A = " + rep("B ", million), codeHeight},
		{"statements", rep("A=1\n", million), codeStatements},
		{"semicolons", rep(";", million), ""},
		{"statements at the limit", rep("A=1\n", DefaultStatements), ""},
		{"bad statements", rep("@\n", million), codeCharacter},
		{"bad tokens", rep("@ ", million), codeCharacter},
		{"unclosed lines", rep("A = (\n", 5000), codeUnclosed},
		{"unclosed heads", rep("A[\n", 100_000), codeDepth},
		{"long line of heads", rep("A[", 100_000), codeDepth},
		{"identifier", "A = " + rep("x", 10*million), ""},
		{"number", "A = 0." + rep("1", 10*million), ""},
		{"huge number", "A = " + rep("1", 10*million), codeNumberRange},
		{"comment", "A = 1 //" + rep("x", 10*million), ""},
		{"string", `A = "` + rep("x", 10*million), codeString},
		{"escapes", `A = "` + rep(`\q`, million) + `"`, codeEscape},
		{"rubbish", rep("\xff", million), codeUTF8},
		{"nul", rep("\x00", million), codeHidden},
		{"newlines", rep("\n", million), ""},
		{"commas", "A = f(" + rep(",", million), codeValue},
		{"print commas", ":print A" + rep(",A", million), codeHeight},
		{"comments", rep("//\n", million), ""},
		{"blank source", rep(" ", DefaultSourceBytes+1), codeSourceBytes},
		{"tokens", "A = [" + rep("1,", DefaultTokens/2) + "1]", codeTokens},
		{"arguments", "A = f(" + rep("1,", 500_000) + "1)", codeArguments},
		{"arguments at the limit", "A = f(" + rep("1,", DefaultArguments-1) + "1)", ""},
		{"arguments over the limit", "A = f(" + rep("1,", DefaultArguments) + "1)", codeArguments},
		{"parameters at the limit", "def f(" + rep("p,", DefaultArguments-1) + "p) = 1", ""},
		{"parameters over the limit", "def f(" + rep("p,", DefaultArguments) + "p) = 1", codeArguments},
		{"directives", rep(":load\n", 5000), codeDirective},
		{"facts", rep("P(a). ", 5000), ""},
		{"heads", rep("P(a, ", 100_000), codeDepth},
		{"bodies", "P(a) <- " + rep("Q(a), ", 100_000) + "R(a).", codeHeight},
		{"arrows", rep("P(a) <- ", 100_000), codeHeight},
		{"rules in brackets", rep("P(\n", 5000) + rep("Q(x) <- R(x).\n", 4000), codeDepth},
		{"quotes", rep(`"`, million), codeHeight},
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
