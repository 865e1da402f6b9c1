package syntax

import (
	"strconv"
	"strings"
	"testing"

	"ein/internal/codes"
	"ein/lang/diag"
)

// fences returns the fenced blocks of a page.
func fences(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	parts := strings.Split(page, "```")
	for i := 1; i < len(parts); i += 2 {
		info, body, _ := strings.Cut(parts[i], "\n")
		if strings.HasSuffix(info, "escapes") {
			text := strings.TrimSuffix(body, "\n")
			s, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			body = s + "\n"
		}
		out = append(out, body)
	}
	return out
}

// explainLimits makes the examples of the limit codes short.
var explainLimits = map[diag.Code]Limits{
	codes.E0501: {SourceBytes: 20},
	codes.E0502: {Tokens: 10},
	codes.E0503: {Depth: 3},
	codes.E0504: {Statements: 2},
	codes.E0505: {Height: 4},
	codes.N0506: {Diagnostics: 1},
	codes.E0507: {Memory: 1000},
	codes.E0508: {Arguments: 3},
}

func TestEveryCodeIsExplained(t *testing.T) {
	for _, e := range codes.Table {
		code := e.Code
		if e.Class != codes.Syntax && (e.Class != codes.Limit || code[1:] >= "0510") || strings.HasSuffix(e.Title, "(no longer reported)") {
			continue // of another phase
		}
		t.Run(string(code), func(t *testing.T) {
			page, ok := diag.Explain(code)
			if !ok {
				t.Fatal("no page")
			}
			blocks := fences(t, page)
			if len(blocks) != 2 {
				t.Fatalf("%d fenced blocks, want an example and a fix", len(blocks))
			}
			opt := Options{Limits: explainLimits[code]}
			diags := parseText(blocks[0], opt).Diags
			found := false
			for _, d := range diags {
				found = found || d.Code == code
				if d.Code != code && code != codes.N0506 {
					t.Errorf("the example raises %s: %s", d.Code, d.Message)
				}
			}
			if !found {
				t.Errorf("the example does not raise it: %v", diags)
			}
			if diags := parseText(blocks[1], opt).Diags; len(diags) > 0 {
				t.Errorf("the fix raises %v", diags)
			}
		})
	}
}

// TestMessages covers what the golden programs do not show.
func TestMessages(t *testing.T) {
	tests := []struct{ text, message, fixed string }{
		{"A =\u00a01", "the blank U+00A0 is not an ordinary one", "A = 1"},
		{"A = 1 ＋ 2", "the character `＋` (U+FF0B) is not `+`", "A = 1 + 2"},
		{"A = 'x'", "`'` does not quote a string", "A = \"x\""},
		{"A = B ^ 2", "`^` is not part of the language", ""},
		{"A = 0b11", "`0b11` is not a number", "A = 3"},
		{"A = 0xfffffffffffffffff", "`0xfffffffffffffffff` is not a number", ""},
		{"A = 2B[i]", "`2B` is not a number", "A = 2 B[i]"},
		{"A = \"a\\é\"", "`\\é` is not an escape", "A = \"a\\\\é\""},
		{"A = \"a\\", "the string is not closed", ""},
		{":prnt A", "`:prnt` is not part of a program", ":print A"},
		{":loadé A", "`:load` is not part of a program", ""},
		{"A == 3", "an expression alone is not a statement", "A = 3"},
		{"A = [\"a\" \"b\"]", "`\"b\"` cannot be a factor of the value before it", "A = [\"a\", \"b\"]"},
		{"A = [1,2] B", "`B` cannot be a factor of the value before it", "A = [1,2] * B"},
		{"A = B += 2", "a second `+=` in one statement", ""},
		{"A = (B += 2)", "expected `)`, found `+=`", ""},
		{"A = f(B, \"x\" = 2)", "expected `,` or `)`, found `=`", ""},
		{"A[1 2] = 3", "two numbers side by side: `1` `2`", "A[1, 2] = 3"},
		{":print A B = 2", "a second `=` in one statement", ":print A B == 2"},
		{"T[x] sum= y <- P(x, y).", "a rule that gives a value is written with min=, max= or +=", "T[x] += y <- P(x, y)."},
		{"T[x] count= 1 <- P(x, y).", "a rule that gives a value is written with min=, max= or +=", ""},
		{"R(x) <- F(x, y), y => 3.", "expected a value, found `>`", "R(x) <- F(x, y), y >= 3."},
		{":print F(x, y)?", "expected the end of the statement, found `?`", "F(x, y)?"},
		{":print x > 0 ?", "expected the end of the statement, found `?`", ""},
		{"m = mean(v), max(v)", "expected the end of the statement, found `,`", ""},
		{"m = 3, F(m)", "a query ends with `?`", "m = 3, F(m)?"},
		{"input P(a: node).", "expected the end of the statement, found `.`", "input P(a: node)"},
		{"def f(x) = x.", "expected the end of the statement, found `.`", "def f(x) = x"},
		{"f(" + strings.Repeat("x", 90) + ") = 1", "`f(" + strings.Repeat("x", 37) + "..." + strings.Repeat("x", 37) + ")` cannot be assigned to", ""},
	}
	for _, test := range tests {
		diags := parseText(test.text, Options{}).Diags
		if len(diags) == 0 || diags[0].Message != test.message {
			t.Errorf("%q: %+v, want %q", test.text, diags, test.message)
			continue
		}
		fixed := ""
		if d := diags[0]; len(d.Fixes) > 0 {
			e := d.Fixes[0].Edits[0]
			fixed = test.text[:e.Span.Start] + e.NewText + test.text[e.Span.End:]
		}
		if fixed != test.fixed {
			t.Errorf("%q is fixed to %q, want %q", test.text, fixed, test.fixed)
		}
	}
}

// TestOneLine: what is shown on one line ends in no comment, and keeps its labels.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"Far(x, z) <-   // a step\n\tFar(x, y), # and\n  // another\n  Owns(y, z).": "Far(x, z) <- Far(x, y), Owns(y, z).",
		"A  = edges([[\"a  b\",\n\"c//d\"]])":                                       "A = edges([[\"a  b\", \"c//d\"]])",
		"def f(x) = {\r\n  x // it\r\n}":                                            "def f(x) = { x }",
		"":                                                                          "",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
