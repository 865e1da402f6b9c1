package ide

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
)

func limited(mode uint8) lang.Options {
	return lang.Options{
		Profile: check.Profile(mode % 3),
		Syntax:  syntax.Limits{SourceBytes: 4096, Tokens: 1000, Depth: 20, Height: 60, Statements: 50},
		Check:   check.Limits{Nodes: 300, Calls: 20, Elements: 1 << 12},
		Workers: 1,
	}
}

// broken are texts in the middle of being typed.
var broken = []string{
	"A = edges([[0,1],[1,2]], 3)\nB[i,k] = A[i,j] A[",
	"def f(A, x) = {\n  B = tc(A)\n  C[i] = B[i, x\n",
	"A = edges([[\"a\",\"b\"],[\"b\",\"c\"]])\n:print A[\"",
	"input A: ",
	"x = max(A, axis=\n:print x",
	"D[i,k] min= D[i,j] + D[j,k\nE = sum(D, ",
	"# a\n// b\nA = [1,\n  2]\n",
	"A = 1; B = A; C = A + B // c\n",
	":print select(A, 0, 1), A\n",
	"def f(A) = A\ndef g(A) = f(f(A))\nx = g(3)\n",
	"a é = \"日本",
	"A = [[1,2],\n  [-3, 4]]\nB = edges([[0,1],[2,0]])\n",
	"\r\nA = 1\r\n\r\nB[i] = A\r\n",
}

func seed(f *testing.F) []string {
	f.Helper()
	list := broken
	for _, c := range corpus.Cases() {
		list = append(list, c.Source)
	}
	return list
}

// answers is what every question about a place gives, as text, so that the answers
// of two documents can be compared.
func answers(d *Document, offset, end int) string {
	span := source.Span{Start: min(offset, end), End: max(offset, end)}
	var b strings.Builder
	put := func(what string, values ...any) {
		text, err := json.Marshal(values)
		if err != nil {
			text = fmt.Append(nil, values...)
		}
		fmt.Fprintf(&b, "%s %s\n", what, text)
	}
	put("diagnostics", d.Diagnostics())
	hover, ok := d.Hover(offset)
	put("hover", hover, ok)
	put("complete", d.Complete(offset))
	signature, ok := d.Signature(offset)
	put("signature", signature, ok)
	definition, ok := d.Definition(offset)
	put("definition", definition, ok)
	put("highlights", d.Highlights(offset))
	place, name, err := d.PrepareRename(offset)
	put("prepare", place, name, fmt.Sprint(err))
	edits, err := d.Rename(offset, "renamed")
	put("rename", edits, fmt.Sprint(err))
	put("symbols", d.Symbols(true))
	put("tokens", d.Tokens(d.all()), d.Tokens(span))
	put("hints", d.Hints(d.all()), d.Hints(span))
	edits, ok = d.Format()
	put("format", edits, ok)
	put("range", d.FormatRange(span))
	put("type", d.FormatOnType(offset, "\n"))
	put("actions", d.Actions(span))
	put("folds", d.Folds())
	put("selection", d.Selection(offset))
	put("inputs", d.Inputs())
	put("tree", syntax.Dump(d.File()))
	return b.String()
}

// FuzzAny asks everything about any place of any text. Nothing panics, every place
// lies in the text, and every edit can be made.
func FuzzAny(f *testing.F) {
	for i, s := range seed(f) {
		f.Add(s, uint(7*i), uint(9*i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, offset, end uint, mode uint8) {
		if len(text) > 2000 {
			return
		}
		d := New("in.ein", text, limited(mode))
		n := uint(len(text) + 2)
		a, b := int(offset%n)-1, int(end%n)-1
		packed := limited(mode)
		packed.Syntax.Pack = 1
		if plain, got := answers(d, a, b), answers(New("in.ein", text, packed), a, b); got != plain {
			t.Fatalf("with packed lists %q gives\n%s\nand without\n%s", text, got, plain)
		}
		checkAnswers(t, d, a, source.Span{Start: min(a, b), End: max(a, b)})
	})
}

func checkAnswers(t *testing.T, d *Document, offset int, span source.Span) {
	t.Helper()
	text := d.src.Text
	inside := func(what string, s source.Span) {
		t.Helper()
		if s.Start < 0 || s.End < s.Start || s.End > len(text) {
			t.Fatalf("%s: the span %v is outside the text of %d bytes", what, s, len(text))
		}
	}
	edited := func(what string, edits []diag.Edit) *Document {
		t.Helper()
		at := 0
		for _, e := range edits {
			inside(what, e.Span)
			if e.Span.Start < at {
				t.Fatalf("%s: the edits %v overlap or are out of order", what, edits)
			}
			at = e.Span.End
		}
		return New("in.ein", diag.Apply(text, edits), d.opt)
	}
	if h, ok := d.Hover(offset); ok {
		inside("hover", h.Span)
		if h.Markdown == "" {
			t.Fatal("an empty hover")
		}
	}
	at := d.clampOffset(offset)
	for _, i := range d.Complete(offset) {
		inside("complete", i.Span)
		if !i.Span.Contains(at) || i.Label == "" || i.Insert == "" || strings.Contains(d.text(i.Span), "\n") {
			t.Fatalf("the completion %+v at %d", i, at)
		}
	}
	if s, ok := d.Signature(offset); ok {
		for _, p := range s.Params {
			if p.Span.Start < 0 || p.Span.End > len(s.Label) || p.Span.Len() <= 0 {
				t.Fatalf("the signature %+v", s)
			}
		}
		if s.Active >= len(s.Params) {
			t.Fatalf("the signature %+v", s)
		}
	}
	if s, ok := d.Definition(offset); ok {
		inside("definition", s)
	}
	for _, h := range d.Highlights(offset) {
		inside("highlight", h.Span)
	}
	at = 0
	for _, tok := range d.Tokens(d.all()) {
		inside("token", tok.Span)
		if tok.Span.Start < at || tok.Span.Len() == 0 {
			t.Fatalf("the token %v after %d", tok, at)
		}
		at = tok.Span.End
	}
	for _, h := range d.Hints(d.all()) {
		inside("hint", source.Span{Start: h.Offset, End: h.Offset})
	}
	for _, s := range d.Symbols(true) {
		inside("symbol", s.Span)
		if !covers(s.Span, s.Name) || d.text(s.Name) != s.Text {
			t.Fatalf("the symbol %+v", s)
		}
	}
	for _, s := range d.Folds() {
		inside("fold", s.Span)
	}
	last := source.Span{Start: d.clampOffset(offset), End: d.clampOffset(offset)}
	for _, s := range d.Selection(offset) {
		inside("selection", s)
		if !covers(s, last) {
			t.Fatalf("the selection %v in %v", last, s)
		}
		last = s
	}
	errors := count(d, diag.Error)
	edits, ok := d.Format()
	if ok {
		after := edited("format", edits)
		if !syntax.Equal(d.File(), after.File()) {
			t.Fatalf("formatting changed %q to %q", text, after.src.Text)
		}
		if again, _ := after.Format(); len(again) > 0 {
			t.Fatalf("formatting %q again gives %v", after.src.Text, again)
		}
	}
	for what, edits := range map[string][]diag.Edit{
		"range": d.FormatRange(span), "type": d.FormatOnType(offset, "\n"),
	} {
		if after := edited(what, edits); len(d.File().Diags) == 0 && !syntax.Equal(d.File(), after.File()) {
			t.Fatalf("formatting a %s changed %q to %q", what, text, after.src.Text)
		}
	}
	for _, name := range []string{"renamed", "A", "i", "x"} {
		if edits, err := d.Rename(offset, name); err == nil && len(edits) > 0 {
			after := edited("rename", edits)
			if len(after.File().Diags) != len(d.File().Diags) || count(after, diag.Error) != errors {
				t.Fatalf("renaming changed %q to %q: %v", text, after.src.Text, after.Diagnostics())
			}
		}
	}
	for _, a := range d.Actions(span) {
		after := edited(a.Title, a.Edits)
		if a.Fixes == nil && count(after, diag.Error) > errors {
			t.Fatalf("%s: %q to %q: %v", a.Title, text, after.src.Text, after.Diagnostics())
		}
	}
}

func count(d *Document, s diag.Severity) int {
	n := 0
	for _, g := range d.Diagnostics() {
		if g.Severity == s {
			n++
		}
	}
	return n
}

// fragments are what people type and delete.
var fragments = []string{
	"", "", " ", "\n", "(", ")", "[", "]", "{", "}", "\"", "#", "//", ";", ",", "=", "A", "B", "i", "x", "1", "+", "def f(A) = ", ":print ",
	"input A: graph\n", "A = edges([[0,1]], 3)\n", "B[i,k] = A[i,j] A[j,k]\n", "\"a\"", "max=", "C = tc(A)\n", "é", "\r\n",
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\nand: " + y[i]
		}
	}
	return "one is longer"
}
