package diag

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ein/lang/source"
)

func span(start, end int) source.Span { return source.Span{Start: start, End: end} }

// find is the span of the first occurrence of part.
func find(text, part string) source.Span {
	i := strings.Index(text, part)
	return span(i, i+len(part))
}

func render(t *testing.T, r Text, text string, list ...Diagnostic) string {
	t.Helper()
	var b strings.Builder
	if err := r.Render(&b, list, source.NewFile("a.ein", text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	long := strings.Repeat("x", 60) + " HERE " + strings.Repeat("y", 60)
	tests := []struct {
		name, text string
		d          Diagnostic
		columns    int
		want       string
	}{
		{"everything", "A = 1\nB = A + C\n", Diagnostic{
			Code: "E0201", Message: "unknown name `C`", Span: span(14, 15), Label: "not defined",
			Related: []Related{{span(0, 1), "similar"}}, Notes: []string{"Names are defined first."},
			Fixes: []Fix{{Title: "write `A`", Edits: []Edit{{span(14, 15), "A"}}}},
		}, 0, `
error[E0201]: unknown name ` + "`C`" + `
 --> a.ein:2:9
  |
2 | B = A + C
  |         ^ not defined
 ::: a.ein:1:1
  |
1 | A = 1
  | - similar
  |
  = note: Names are defined first.
  = help: write ` + "`A`" + `
2 | B = A + A
`},
		{"tab", "\tA =\tB", Diagnostic{Code: "W1", Severity: Warning, Message: "m", Span: span(5, 6)}, 0, `
warning[W1]: m
 --> a.ein:1:6
  |
1 |     A = B
  |         ^
`},
		{"wide", `"日本é" x`, Diagnostic{Code: "N1", Severity: Note, Message: "m", Span: find(`"日本é" x`, "x")}, 0, `
note[N1]: m
 --> a.ein:1:7
  |
1 | "日本é" x
  |         ^
`},
		{"combining", "\"e\u0301\" x", Diagnostic{Code: "E1", Message: "m", Span: find("\"e\u0301\" x", "x")}, 0,
			"\nerror[E1]: m\n --> a.ein:1:6\n  |\n1 | \"e\u0301\" x\n  |     ^\n"},
		{"control", "A\x1b[2Jé\xff\u202e B", Diagnostic{Code: "E1", Message: "\x1b[31mred\n", Span: find("A\x1b[2Jé\xff\u202e B", "B")}, 0, `
error[E1]: <U+001B>[31mred<U+000A>
 --> a.ein:1:10
  |
1 | A<U+001B>[2Jé<FF><U+202E> B
  |                           ^
`},
		{"at the end", "A =", Diagnostic{Code: "E1", Message: "m", Span: span(3, 3)}, 0, `
error[E1]: m
 --> a.ein:1:4
  |
1 | A =
  |    ^
`},
		{"many lines", "A = [\n  1,\n  2\n]\n", Diagnostic{Code: "E1", Message: "m", Span: span(4, 16), Label: "here"}, 0, `
error[E1]: m
 --> a.ein:1:5
  |
1 | A = [
  |     ^
.
4 | ]
  | ^ here
`},
		{"two lines", "A = [\n  1]\n", Diagnostic{Code: "E1", Message: "m", Span: span(4, 11)}, 0, `
error[E1]: m
 --> a.ein:1:5
  |
1 | A = [
  |     ^
2 |   1]
  |   ^^
`},
		{"whole line", "A\nB\n", Diagnostic{Code: "E1", Message: "m", Span: span(0, 2)}, 0, `
error[E1]: m
 --> a.ein:1:1
  |
1 | A
  | ^
`},
		{"long line", long, Diagnostic{Code: "E1", Message: "m", Span: find(long, "HERE")}, 40, `
error[E1]: m
 --> a.ein:1:62
  |
1 | ...xxxxxxxxx HERE yyyyyyyyyyyyyyyyyyy...
  |              ^^^^
`},
		{"long span", strings.Repeat("x", 100), Diagnostic{Code: "E1", Message: "m", Span: span(0, 100)}, 40, `
error[E1]: m
 --> a.ein:1:1
  |
1 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
`},
		{"long start", strings.Repeat("x", 100) + "HERE", Diagnostic{Code: "E1", Message: "m", Span: span(100, 104)}, 40, `
error[E1]: m
 --> a.ein:1:101
  |
1 | ...xxxxxxxxxxHERE
  |              ^^^^
`},
		{"fix of two edits", "a b c", Diagnostic{Code: "E1", Message: "m", Span: span(0, 1), Fixes: []Fix{
			{Title: "rename", Edits: []Edit{{span(0, 1), "xx"}, {span(4, 5), ""}}}}}, 0, `
error[E1]: m
 --> a.ein:1:1
  |
1 | a b c
  | ^
  |
  = help: rename
1 | xx b
`},
		{"fix of many lines", "a\nb", Diagnostic{Code: "E1", Message: "m", Span: span(0, 1), Fixes: []Fix{
			{Title: "join", Edits: []Edit{{span(0, 1), "a\n"}}}, {Title: "nothing"}}}, 0, `
error[E1]: m
 --> a.ein:1:1
  |
1 | a
  | ^
  |
  = help: join
  = help: nothing
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := render(t, Text{Columns: test.columns}, test.text, test.d)
			if got != test.want[1:] {
				t.Errorf("got\n%s\nwant\n%s", got, test.want[1:])
			}
		})
	}
}

func TestTextColor(t *testing.T) {
	d := Diagnostic{Code: "E1", Message: "m", Span: span(0, 1), Notes: []string{"n"}}
	plain := render(t, Text{}, "A", d, d)
	color := render(t, Text{Color: true}, "A", d, d)
	if !strings.Contains(color, styleRed+"error[E1]"+styleReset) {
		t.Errorf("no colour in %q", color)
	}
	for _, s := range []string{styleBold, styleRed, styleWarn, styleBlue, styleGreen, styleCyan, styleReset} {
		color = strings.ReplaceAll(color, s, "")
	}
	if color != plain {
		t.Errorf("%q without colour is not %q", color, plain)
	}
}

// TestTextAnywhere renders spans at every place of awkward texts.
func TestTextAnywhere(t *testing.T) {
	for _, text := range []string{"", "\n", "a\tb\r\n日\xff\n\n", strings.Repeat("日", 90) + "\n" + strings.Repeat("\t", 50)} {
		for i := -1; i <= len(text)+1; i++ {
			for _, n := range []int{0, 1, 7, 400} {
				render(t, Text{Columns: 30}, text, Diagnostic{Code: "E1", Message: "m", Span: span(i, i+n)})
			}
		}
	}
}

func TestCompact(t *testing.T) {
	var b strings.Builder
	list := List{{Code: "E0101", Message: "one", Span: span(6, 7)}, {Code: "W0201", Severity: Warning, Message: "two", Span: span(0, 1)}}
	list.Sort()
	if err := Compact(&b, list, source.NewFile("a.ein", "A = 1\nB")); err != nil {
		t.Fatal(err)
	}
	want := "a.ein:1:1: warning[W0201]: two\na.ein:2:1: error[E0101]: one\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	f := source.NewFile("a.ein", "é B")
	d := Diagnostic{Code: "E0101", Message: "found <B>", Span: span(3, 4), Label: "l", Related: []Related{{span(0, 2), "r"}},
		Notes: []string{"n"}, Fixes: []Fix{{Title: "f", Edits: []Edit{{span(3, 4), "C"}}}}}
	if err := JSON(&b, Report{File: f, List: List{d}}, Report{File: f}); err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"diagnostics":[{"file":"a.ein","code":"E0101","severity":"error","message":"found <B>",` +
		`"start":{"line":1,"column":3,"offset":3},"end":{"line":1,"column":4,"offset":4},"label":"l",` +
		`"related":[{"message":"r","start":{"line":1,"column":1,"offset":0},"end":{"line":1,"column":2,"offset":2}}],` +
		`"notes":["n"],"fixes":[{"title":"f","edits":[{"start":{"line":1,"column":3,"offset":3},` +
		`"end":{"line":1,"column":4,"offset":4},"newText":"C"}]}]}]}`
	var compact strings.Builder
	for line := range strings.Lines(b.String()) {
		compact.WriteString(strings.Replace(strings.TrimSpace(line), `": `, `":`, 1))
	}
	if compact.String() != want {
		t.Errorf("got  %s\nwant %s", compact.String(), want)
	}

	b.Reset()
	if err := JSON(&b); err != nil || !strings.Contains(b.String(), `"diagnostics": []`) {
		t.Errorf("nothing to say gives %q, %v", b.String(), err)
	}
}

func TestSARIF(t *testing.T) {
	var b strings.Builder
	f := source.NewFile("dir/a b.ein", "A = 1\nB = )")
	d := Diagnostic{Code: "E0104", Message: "m", Span: span(10, 11), Notes: []string{"n"}, Related: []Related{{span(0, 1), "r"}},
		Fixes: []Fix{{Title: "f", Edits: []Edit{{span(10, 11), ""}}}}}
	if err := SARIF(&b, "1.2.3", Report{File: f, List: List{d, {Code: "W9999", Severity: Warning, Message: "w"}}}); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 2 || len(run.Tool.Driver.Rules) != 2 {
		t.Fatalf("got %s", b.String())
	}
	r := run.Results[0]
	loc := r.Locations[0].Physical
	if r.RuleID != "E0104" || r.Level != "error" || r.Message.Text != "m\nn" || loc.Artifact.URI != "dir/a%20b.ein" ||
		*loc.Region != (sarifRegion{2, 5, 2, 6, 10, 1}) || len(r.Related) != 1 || len(r.Fixes) != 1 {
		t.Errorf("got %s", b.String())
	}
	if rule := run.Tool.Driver.Rules[0]; rule.ID != "E0104" || rule.ShortDescription == nil {
		t.Errorf("rule %+v", rule)
	}
	if w := run.Results[1]; w.Level != "warning" || w.RuleIndex != 1 {
		t.Errorf("result %+v", w)
	}
}

func TestCodes(t *testing.T) {
	all := Codes()
	if len(all) == 0 {
		t.Fatal("no codes")
	}
	for _, c := range all {
		if page, ok := Explain(c); !ok || !strings.HasPrefix(page, "# "+string(c)+": "+c.Title()+"\n") {
			t.Errorf("lang/diag/explain/%s.md should begin with %q", c, "# "+string(c)+": "+c.Title())
		}
	}
	files, err := pages.ReadDir("explain")
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files in lang/diag/explain for the %d codes of internal/codes, %v", len(files), len(all), err)
	}
	if _, ok := Explain("e0101"); !ok {
		t.Error("case counts")
	}
	for _, c := range []Code{"E9999", "", "../E0101", "E0101.md"} {
		if c.Title() != "" {
			t.Errorf("%q is explained", c)
		}
	}
	if c, ok := Nearest("E010l"); !ok || !strings.HasPrefix(string(c), "E010") {
		t.Errorf("nearest is %q", c)
	}
}

func TestSuggest(t *testing.T) {
	tests := []struct {
		name       string
		candidates []string
		want       string
	}{
		{"Reslut", []string{"Degree", "Result"}, "Result"},
		{"result", []string{"Results", "Result"}, "Result"},
		{"TC", []string{"tc"}, "tc"},
		{"TV", []string{"A", "TC"}, "TC"},
		{"transpos", []string{"trace", "transpose"}, "transpose"},
		{"reachable", []string{"A", "B"}, ""},
		{"A", []string{"B", "C"}, ""},
		{"A", []string{"A", "a"}, "a"},
		{"", []string{"A"}, ""},
		{"edgs", nil, ""},
		{"edgs", []string{"", "edges"}, "edges"},
		{strings.Repeat("a", 100), []string{strings.Repeat("a", 99)}, ""},
		{"ab", []string{strings.Repeat("a", 100)}, ""},
		{"out_degre", []string{"in_degree", "out_degree"}, "out_degree"},
	}
	for _, test := range tests {
		got, ok := Suggest(test.name, test.candidates)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Suggest(%q, %q) = %q, %v; want %q", test.name, test.candidates, got, ok, test.want)
		}
	}
}

func TestList(t *testing.T) {
	if (List{{Severity: Warning}}).HasErrors() || !(List{{Severity: Warning}, {}}).HasErrors() {
		t.Error("HasErrors")
	}
	limit, typ := Diagnostic{Code: "E0501"}, Diagnostic{Code: "E0201"}
	for _, c := range []struct {
		list List
		want Class
	}{{nil, Input}, {List{{Code: "E0101"}}, Syntax}, {List{limit}, Limit}, {List{limit, {Code: "W0214", Severity: Warning}, typ, {Code: "E0101"}}, Type},
		{List{typ, limit}, Type}, {List{{Code: "E0601"}}, Run}, {List{{Code: "E0708"}}, Limit}, {List{{}}, Input}} {
		if got := c.list.Class(); got != c.want {
			t.Errorf("%v is of the class %s, want %s", c.list, got, c.want)
		}
	}
	l := List{{At: &source.Position{}, Code: "A0"}, {Code: "B"}, {Code: "A"}, {Code: "C", Severity: Warning}}
	l.Sort()
	if l[0].Code != "A" || l[1].Code != "B" || l[2].Code != "C" || l[3].At == nil {
		t.Errorf("sorted to %v", l)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestWriteErrors(t *testing.T) {
	f, list := source.NewFile("a", "A"), List{{Code: "E1", Message: "m"}}
	for i, err := range []error{
		Text{}.Render(brokenWriter{}, list, f), Compact(brokenWriter{}, list, f),
		JSON(brokenWriter{}, Report{File: f, List: list}), SARIF(brokenWriter{}, "", Report{File: f, List: list}),
	} {
		if err == nil {
			t.Errorf("renderer %d hides the error", i)
		}
	}
}
