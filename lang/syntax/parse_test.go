package syntax

import (
	"strings"
	"testing"

	"ein/lang/diag"
	"ein/lang/source"
)

func parseText(text string, opt Options) *File { return Parse(source.NewFile("test.ein", text), opt) }

const multiQuery = `// multi_query
A = edges([[0,1],[1,2],[3,2],[3,8],[4,0],[4,7],[5,1],[5,4],[6,0],[6,5],[8,4],[8,6]])
TC = tc(A)
Reachable = select(TC, 0, 2)
Degree = select(sum(A, 1), 0, 0)
:print Reachable
:print Degree
`

const triangle = `A = edges([[0,1,1],[1,0,1],[1,1,0]], 3)
A2[i,k] = A[i,j] A[j,k]
A3[i,j] = A2[i,k] A[k,j]
Result = trace(A3) / 6.0
`

// TestExpressions checks what binds to what.
func TestExpressions(t *testing.T) {
	tests := map[string]string{
		"A -1":                     "(- A 1)",
		"A - 1 - 2":                "(- (- A 1) 2)",
		"-A B":                     "(neg (join A B))",
		"-A * B":                   "(* (neg A) B)",
		"a * b / c * d":            "(* (/ (* a b) c) d)",
		"a + b * c d":              "(+ a (* b (join c d)))",
		"a < b + c >= d":           "(>= (< a (+ b c)) d)",
		"f(x)[i][j]":               "(at (at (call f x) [i]) [j])",
		"2 A[i,j] B":               "(join 2 (at A [i j]) B)",
		"f (x) (y)":                "(join (call f x) (paren y))",
		"A[i] (x)":                 "(join (at A [i]) (paren x))",
		"f(max=3, min = [1])":      "(call f max=3 min=[1])",
		"f(max==3)":                "(call f (== max 3))",
		"T[-1, \"a\\n\\\"\", i+1]": "(at T [(neg 1) \"a\\n\\\"\" (+ i 1)])",
		"[[1],\n[2]]":              "[[1] [2]]",
		"f()":                      "(call f)",
		"(a\n+ b)":                 "(paren (+ a b))",
		"a +\n\n// why\n b":        "(+ a b)",
		"a --b":                    "(- a (neg b))",
		"max(a, b) != min":         "(!= (call max a b) min)",
		"def + input":              "(+ def input)",
		"1e3 + .5 - 5. + 2E-1":     "(+ (- (+ 1e3 .5) 5.) 2E-1)",
	}
	for text, want := range tests {
		f := parseText(text, Options{Repl: true})
		if len(f.Diags) > 0 {
			t.Errorf("%q: %v", text, f.Diags)
			continue
		}
		if got := Dump(f); got != "(expr "+want+")\n" {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestNumberValues(t *testing.T) {
	tests := map[string]float64{"0": 0, "42": 42, "999999999999999": 999999999999999, "9007199254740993": 9007199254740992,
		"1e-3": 1e-3, ".5": .5, "5.": 5, "1e-999": 0}
	for text, want := range tests {
		f := parseText(text, Options{Repl: true})
		n, ok := f.Stmts[0].(*ExprStmt).X.(*Number)
		if !ok || n.Value != want || n.Text != text {
			t.Errorf("%q is %+v", text, n)
		}
	}
}

func TestSpans(t *testing.T) {
	text := "A[i] max= -f(B, axis=1)[0] (C + \"x\")"
	f := parseText(text, Options{})
	var got []string
	Walk(f.Stmts[0], func(n Node) bool {
		got = append(got, text[n.Pos().Start:n.Pos().End])
		return true
	})
	want := []string{text, "i", `-f(B, axis=1)[0] (C + "x")`, `f(B, axis=1)[0] (C + "x")`, "f(B, axis=1)[0]",
		"f(B, axis=1)", "B", "1", "0", `(C + "x")`, `C + "x"`, "C", `"x"`}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	a := f.Stmts[0].(*Assign)
	if text[a.OpSpan.Start:a.OpSpan.End] != "max=" || a.Name.Span.Len() != 1 || !a.Indexed || a.Op != SetMax {
		t.Errorf("got %+v", a)
	}
}

// TestIncomplete is the continuation rule: which errors more input could fix.
func TestIncomplete(t *testing.T) {
	tests := map[string]bool{
		"A = (": true, "A = (\n": true, "A = [1,\n\n": true, "A = 1 +\n": true, ":print A,\n": true, ":print": true,
		"A =": true, "A =\n": false, "A": true, "A\n": false, "A[i,j]": true, "A[i": true, "A B": true, "P(x)": true, "P(x)\n": false, "P(x), Q(x)": true, "P(x) <- Q(x)": true, "P(x) <- Q(x)\n": false, "P(x) <-\n": true,
		"def f(x) = {\n y = 1\n": true, "def f(x)": true, "def": true, "input A:": true, "input A:\n": false,
		"A = )": false, "A = (1 1": false, "A = (]": false, "B = )\nA = (": false, "A = @ (": false, "": false,
		"A = 1": false, "A = ;": false, "def f(x) = { y = @\n": false, "A = (1\nB = 2": false,
		"def f(x) = { y = 1 +": true, "def f(x) = { y = }": false, "A = 2 **": false, "0 = x": true, "0 = x\n": false, "0 = x +\n": true, "0 = f(\n": true, "A = 0 =": false, ":load x": false, ":print A +, B": false,
	}
	for text, want := range tests {
		if f := parseText(text, Options{}); f.Incomplete != want {
			t.Errorf("%q: %v, want %v (%v)", text, f.Incomplete, want, f.Diags)
		}
	}
}

func TestDiagnosticsAreCapped(t *testing.T) {
	f := parseText(strings.Repeat("A = )\n", 60), Options{})
	last := f.Diags[len(f.Diags)-1]
	if len(f.Diags) != 51 || last.Severity != diag.Note || last.Message != "10 more errors are not shown" {
		t.Errorf("%d diagnostics, the last %+v", len(f.Diags), last)
	}
	if len(f.Stmts) != 60 {
		t.Errorf("%d statements", len(f.Stmts))
	}
	f = parseText(strings.Repeat("A = )\n", 51), Options{})
	if last := f.Diags[len(f.Diags)-1]; last.Message != "1 more error is not shown" {
		t.Errorf("got %+v", last)
	}
}

var kindNames = [numKinds]string{
	KindEOF: "EOF", KindNewline: "Newline", KindSemicolon: "Semicolon", KindComment: "Comment",
	KindInvalid: "Invalid", KindBadNumber: "BadNumber", KindBadString: "BadString",
	KindBadComment: "BadComment", KindDashComment: "DashComment",
	KindIdent: "Ident", KindNumber: "Number", KindString: "String",
	KindPrint: "Print", KindWhy: "Why", KindDirective: "Directive",
	KindAssign: "Assign", KindSetMax: "SetMax", KindSetMin: "SetMin", KindSetAdd: "SetAdd",
	KindMul: "Mul", KindDiv: "Div", KindAdd: "Add", KindSub: "Sub",
	KindGt: "Gt", KindGe: "Ge", KindLt: "Lt", KindLe: "Le", KindEq: "Eq", KindNe: "Ne",
	KindArrow: "Arrow", KindComma: "Comma", KindColon: "Colon", KindDot: "Dot", KindQuestion: "Question",
	KindLParen: "LParen", KindLBracket: "LBracket", KindLBrace: "LBrace",
	KindRParen: "RParen", KindRBracket: "RBracket", KindRBrace: "RBrace",
}

func (k Kind) String() string { return kindNames[k] }

func TestTokens(t *testing.T) {
	var got []string
	for _, tok := range Tokens("A max= b // c\n:print max;max=3 -- x\n0x1 \"q") {
		got = append(got, tok.Kind.String())
	}
	want := "Ident SetMax Ident Comment Newline Print Ident Semicolon Ident Assign Number DashComment Newline BadNumber BadString"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestGrammar(t *testing.T) {
	t.Log(Grammar())
}

// TestExprString prints trees that no parser made.
func TestExprString(t *testing.T) {
	name := func(s string) Expr { return &Name{Name: s} }
	num := func(s string) Expr { return &Number{Text: s} }
	bin := func(op BinaryOp, l, r Expr) Expr { return &Binary{Op: op, L: l, R: r} }
	a, b, one := name("a"), name("b"), num("1")
	tests := map[string]Expr{
		"(a + b) * 1":       bin(Mul, bin(Add, a, b), one),
		"a - (b - 1)":       bin(Sub, a, bin(Sub, b, one)),
		"a - b - 1":         bin(Sub, bin(Sub, a, b), one),
		"-(a + b)":          &Unary{X: bin(Add, a, b)},
		"- -a":              &Unary{X: &Unary{X: a}},
		"a (1) (-b)":        &Product{Factors: []Expr{a, one, &Unary{X: b}}},
		"(a) (b + 1)":       &Product{Factors: []Expr{a, bin(Add, b, one)}},
		"1 a ([1]) (\"s\")": &Product{Factors: []Expr{one, a, &List{Elems: []Expr{one}}, &String{Value: "s"}}},
		"(a + b)[1]":        &Index{X: bin(Add, a, b), Indices: []Expr{one}},
		"f(a, axis=1)":      &Call{Fun: Ident{Name: "f"}, Args: []Arg{{Value: a}, {Name: Ident{Name: "axis"}, Value: one}}},
		"(a < b) + 1":       bin(Add, bin(Lt, a, b), one),
		"[]":                &List{},
		"?":                 &BadExpr{},
	}
	for want, x := range tests {
		if got := ExprString(x); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Dump(&File{Stmts: []Stmt{&ExprStmt{X: &BadExpr{}}, &Bad{Name: "A"}}}); got != "(expr (bad))\n(bad A)\n" {
		t.Errorf("got %q", got)
	}
}

func TestWalk(t *testing.T) {
	f := parseText("def f(x) = { y = [1, -x]; y }\ndef g(x) = x\n:print f(A)[0], 1 + 2\ninput A: graph", Options{})
	count := func(visit func(Node) bool) int {
		n := 0
		for _, s := range f.Stmts {
			Walk(s, func(node Node) bool { n++; return visit(node) })
		}
		return n
	}
	if n := count(func(Node) bool { return true }); n != 19 {
		t.Errorf("%d nodes", n)
	}
	if n := count(func(Node) bool { return false }); n != 4 {
		t.Errorf("%d statements", n)
	}
	Walk(nil, func(Node) bool { t.Error("visited nothing"); return true })
}

func TestParseConcurrently(t *testing.T) {
	want := Dump(parseText(multiQuery, Options{}))
	done := make(chan string)
	for range 8 {
		go func() {
			var got string
			for range 50 {
				parseText("A = (1\nB = "+strings.Repeat("1 + ", 100), Options{})
				got = Dump(parseText(multiQuery, Options{}))
			}
			done <- got
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Errorf("got %s", got)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"multi_query", multiQuery}, {"triangle", triangle}, {"pairs=500000", pairs(500_000)},
		{"statements=10000", strings.Repeat("A[i,k] = B[i,j] C[j,k]\n", 10_000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			f := source.NewFile("x", bench.text)
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				if out := Parse(f, Options{}); len(out.Diags) > 0 {
					b.Fatal(out.Diags)
				}
			}
		})
	}
}

func BenchmarkLex(b *testing.B) {
	b.SetBytes(int64(len(multiQuery)))
	for b.Loop() {
		for s := newScanner(multiQuery); s.next().kind != KindEOF; {
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	f := parseText(multiQuery, Options{})
	b.ReportAllocs()
	for b.Loop() {
		Format(f)
	}
}
