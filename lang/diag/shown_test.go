package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"ein/lang/source"
)

// TestShown holds what is shown to its bounds, whatever there is to say.
func TestShown(t *testing.T) {
	rep := strings.Repeat
	long := rep("x", 500) + rep("y", 500)
	for _, test := range []struct{ name, message, want string }{
		{"short", "there is no tensor `x`", "there is no tensor `x`"},
		{"at the limit", "there is no tensor `" + rep("x", 80) + "`", "there is no tensor `" + rep("x", 80) + "`"},
		{"a long name", "there is no tensor `" + long + "` in `f`", "there is no tensor `" + rep("x", 39) + "..." + rep("y", 38) + "` in `f`"},
		{"a long label", `no node "` + long + `"`, `no node "` + rep("x", 39) + "..." + rep("y", 38) + `"`},
		{"two names", "`" + long + "` and `" + long + "`", "`" + rep("x", 39) + "..." + rep("y", 38) + "` and `" + rep("x", 39) + "..." + rep("y", 38) + "`"},
		{"a quote in code", "write `" + `"` + "` and not `'`", "write `" + `"` + "` and not `'`"},
		{"an open quote", "write ` and " + rep("a ", 60), "write ` and " + rep("a ", 60)},
		{"long words", rep("word ", 300), rep("word ", 40)[:199] + "..." + rep("word ", 40)[2:]},
		{"for a terminal", "a\x1b[31m\nb", "a<U+001B>[31m<U+000A>b"},
	} {
		d := Diagnostic{Message: test.message}
		if got := d.Shown().Message; got != test.want {
			t.Errorf("%s: got\n%s, want\n%s", test.name, got, test.want)
		}
	}
	text := rep("😀", 2000) + "\n" + rep("e\u0301", 2000) + "\n" + rep("\x01", 2000) + "\n" + rep("x = 1\n", 30)
	f := source.NewFile(rep("name/", 1000), text)
	for _, word := range []string{"`" + long + "`", rep("😀", 1000), rep("\x01", 1000), rep("e"+rep("\u0301", 50), 100), rep("`", 1000), rep(`"`, 1000)} {
		d := Diagnostic{Code: "E0101", Message: word, Label: word, Span: source.Span{Start: 100, End: len(text) - 10}}
		for i := range 30 {
			d.Notes = append(d.Notes, word)
			d.Related = append(d.Related, Related{source.Span{Start: 300 * i, End: 9000 + 300*i}, word})
			d.Fixes = append(d.Fixes, Fix{Title: word, Edits: []Edit{{source.Span{Start: 300 * i, End: 300 * i}, word}}})
		}
		for _, r := range []Text{{}, {Columns: 1000}, {Columns: 1000, Color: true}} {
			if got := render(t, r, text, d); len(got) > 2048 || strings.Count(got, "\n") > 20 || !strings.HasSuffix(got, " more lines\n") {
				t.Errorf("%d bytes in %d lines:\n%s", len(got), strings.Count(got, "\n"), got)
			}
		}
		var b strings.Builder
		if err := Compact(&b, List{d}, f); err != nil || b.Len() > 2048 {
			t.Errorf("%d bytes in one line: %s", b.Len(), b.String())
		}
		j := ToJSON(List{d}, source.NewFile("a.ein", text))[0]
		if n := len(j.Notes); n != maxParts+1 || j.Notes[n-1] != "52 more notes and places are not shown." {
			t.Errorf("notes: %q", j.Notes)
		}
		if len(j.Fixes) != 30 || j.Fixes[29].Edits[0].NewText != word {
			t.Error("the fixes are not whole")
		}
		j.Fixes = nil
		b.Reset()
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(j); err != nil || b.Len() > 2048 {
			t.Errorf("%d bytes of JSON: %s", b.Len(), b.String())
		}
	}
}

func TestJoin(t *testing.T) {
	for _, test := range []struct{ names, want string }{
		{"", ""},
		{"a", "a"},
		{"a b c d e f g h i", "a, b, c, d, e, f, g, h, i"},
		{"a b c d e f g h i j", "a, b, c, d, e, f, g, h, ... and 2 more"},
	} {
		if got := Join(strings.Fields(test.names)); got != test.want {
			t.Errorf("%s: %s, want %s", test.names, got, test.want)
		}
	}
}

// TestFinding holds a diagnostic without a place in a program to the same bounds.
func TestFinding(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	f := ToJSON(List{Finding("E0701", Error, "data.csv", 3, 0, "found `"+long+"`", "write `"+long+"`")}, nil)[0]
	if len(f.Message) > maxMessage || len(f.Notes) != 1 || len(f.Notes[0]) > maxMessage || f.Start.Line != 3 || f.Start.Column != -1 {
		t.Errorf("%+v", f)
	}
}
