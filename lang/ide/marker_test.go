package ide

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ein/internal/golden"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/source"
)

// marker is a question in a test program: a comment line below the line it is
// about, whose ^ points at the place and whose word is what is asked.
//
//	B = tc(A)
//	#      ^ hover
//	#   ^^^^^ actions
//
// Of several ^ the first and the last bound a span. #< asks about the start of the
// line, which the # itself hides. Marker lines are not part of the program.
type marker struct {
	at   source.Span
	verb string
	arg  string
	line int
}

// all is the whole text.
func (d *Document) all() source.Span { return source.Span{End: len(d.src.Text)} }

// readMarkers takes the marker lines out of a test program.
func readMarkers(t *testing.T, text string) (string, []marker) {
	t.Helper()
	var out strings.Builder
	var list []marker
	start, line := 0, 0
	for l := range strings.Lines(text) {
		rest, isMarker := strings.CutPrefix(l, "#")
		rest = strings.TrimRight(rest, "\n")
		left := strings.TrimLeft(rest, " ")
		if !isMarker || left == "" || left[0] != '^' && rest[0] != '<' {
			start = out.Len()
			out.WriteString(l)
			line++
			continue
		}
		column, n := 0, 0
		words := rest[1:]
		if rest[0] != '<' {
			column = 1 + len(rest) - len(left)
			n = len(left) - len(strings.TrimLeft(left, "^"))
			words = left[n:]
		}
		m := marker{line: line}
		m.verb, m.arg, _ = strings.Cut(strings.TrimSpace(words), " ")
		m.at = source.Span{Start: start + column, End: start + column}
		if n > 1 {
			m.at.End += n
		}
		list = append(list, m)
	}
	whole := out.String()
	for _, m := range list {
		if m.at.End > len(whole) {
			t.Fatalf("the marker %s points past the end", m.verb)
		}
	}
	return whole, list
}

// ask answers a marker as text.
func ask(t *testing.T, d *Document, m marker) string {
	t.Helper()
	at := m.at.Start
	switch m.verb {
	case "hover":
		if h, ok := d.Hover(at); ok {
			return fmt.Sprintf("[%s]\n%s", d.text(h.Span), h.Markdown)
		}
	case "complete", "items":
		var b strings.Builder
		for i, item := range d.Complete(at) {
			if i == 12 && m.arg == "" {
				b.WriteString("...\n")
				break
			}
			if m.arg != "" && m.arg != item.Label {
				continue
			}
			fmt.Fprintf(&b, "%d %s %q for %q", item.Rank, item.Label, item.Insert, d.text(item.Span))
			if item.Detail != "" {
				fmt.Fprintf(&b, " (%s)", item.Detail)
			}
			if m.arg != "" {
				fmt.Fprintf(&b, "\n%s\n%s", item.Snippet, item.Doc)
			}
			b.WriteByte('\n')
		}
		return b.String()
	case "signature":
		if s, ok := d.Signature(at); ok {
			if s.Active < 0 {
				return s.Label + ": past the last"
			}
			p := s.Params[s.Active]
			return fmt.Sprintf("%s: %s, %s\n%s", s.Label, s.Label[p.Span.Start:p.Span.End], p.Doc, s.Doc)
		}
	case "definition":
		if s, ok := d.Definition(at); ok {
			return place(d, s)
		}
	case "references":
		var b strings.Builder
		for _, h := range d.Highlights(at) {
			if !h.Write || m.arg != "uses" {
				b.WriteString(place(d, h.Span) + "\n")
			}
		}
		return b.String()
	case "highlights":
		var b strings.Builder
		for _, h := range d.Highlights(at) {
			fmt.Fprintf(&b, "%s write=%v\n", place(d, h.Span), h.Write)
		}
		return b.String()
	case "rename":
		edits, err := d.Rename(at, m.arg)
		if err != nil {
			return "error: " + err.Error()
		}
		return changes(d, edits)
	case "prepare":
		s, name, err := d.PrepareRename(at)
		if err != nil {
			return "error: " + err.Error()
		}
		return place(d, s) + " " + name
	case "actions":
		var b strings.Builder
		for _, a := range d.Actions(m.at) {
			fmt.Fprintf(&b, "%s: %s", a.Kind, a.Title)
			if a.Fixes != nil {
				fmt.Fprintf(&b, " (%s, best=%v)", a.Fixes.Code, a.Best)
			}
			b.WriteString("\n" + changes(d, a.Edits))
		}
		return b.String()
	case "selection":
		var b strings.Builder
		for _, s := range d.Selection(at) {
			fmt.Fprintf(&b, "%q\n", d.text(s))
		}
		return b.String()
	case "type":
		return changes(d, d.FormatOnType(at, strings.NewReplacer("newline", "\n").Replace(m.arg)))
	case "range":
		return changes(d, d.FormatRange(m.at))
	case "format":
		edits, ok := d.Format()
		return fmt.Sprintf("%v\n%s", ok, changes(d, edits))
	case "tokens":
		var b strings.Builder
		for _, tok := range d.Tokens(d.all()) {
			fmt.Fprintf(&b, "%q %s", d.text(tok.Span), kindNames[tok.Kind])
			for _, flag := range []struct {
				set  bool
				name string
			}{{tok.Definition, "definition"}, {tok.Library, "library"}, {tok.Unused, "unused"}} {
				if flag.set {
					b.WriteString(" " + flag.name)
				}
			}
			b.WriteByte('\n')
		}
		return b.String()
	case "hints":
		var b strings.Builder
		for _, h := range d.Hints(d.all()) {
			p := d.src.Position(h.Offset)
			fmt.Fprintf(&b, "%d:%d %q type=%v before=%v\n", p.Line, p.Column, h.Text, h.Type, h.Before)
		}
		return b.String()
	case "symbols":
		var b strings.Builder
		for _, s := range d.Symbols(true) {
			fmt.Fprintf(&b, "%s %s %s %s\n", place(d, s.Name), s.Text, kindNames[s.Kind], s.Detail)
		}
		return b.String()
	case "folds":
		var b strings.Builder
		for _, f := range d.Folds() {
			fmt.Fprintf(&b, "%d-%d comment=%v\n", d.src.Position(f.Span.Start).Line, d.src.Position(f.Span.End).Line, f.Comment)
		}
		return b.String()
	case "inputs":
		var b strings.Builder
		for _, in := range d.Inputs() {
			fmt.Fprintf(&b, "%s %s %s\n", place(d, in.Span), in.Name, in.Kind)
		}
		return b.String()
	case "diagnostics":
		var b strings.Builder
		for _, g := range d.Diagnostics() {
			fmt.Fprintf(&b, "%s %s %s: %s\n", place(d, g.Span), g.Severity, g.Code, g.Message)
		}
		return b.String()
	default:
		t.Fatalf("line %d: there is no question %q", m.line, m.verb)
	}
	return "nothing"
}

var kindNames = map[Kind]string{
	KindTensor: "tensor", KindInput: "input", KindIndex: "index", KindFunction: "function", KindBuiltin: "builtin",
	KindParameter: "parameter", KindLabel: "label", KindDirective: "directive", KindKeyword: "keyword",
	KindNumber: "number", KindOperator: "operator", KindComment: "comment",
}

func place(d *Document, s source.Span) string {
	p := d.src.Position(s.Start)
	return fmt.Sprintf("%d:%d %q", p.Line, p.Column, d.text(s))
}

// changes is what edits do, as the lines that go and come.
func changes(d *Document, edits []diag.Edit) string {
	if len(edits) == 0 {
		return "no change"
	}
	edits = slices.SortedStableFunc(slices.Values(edits), func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	var b strings.Builder
	for len(edits) > 0 {
		lines := source.Span{Start: d.src.LineAt(edits[0].Span.Start).Start}
		n := 0
		for n < len(edits) && (n == 0 || edits[n].Span.Start <= lines.End) {
			lines.End = d.src.LineAt(edits[n].Span.End).End
			n++
		}
		now := diag.Apply(d.src.Text[:lines.End], edits[:n])[lines.Start:]
		edits = edits[n:]
		fmt.Fprintf(&b, "@ line %d\n", d.src.Position(lines.Start).Line)
		for _, part := range []struct{ mark, text string }{{"-", d.text(lines)}, {"+", now}} {
			for l := range strings.Lines(part.text) {
				b.WriteString(part.mark + strings.TrimRight(l, "\n") + "\n")
			}
		}
	}
	return b.String()
}

// TestMarkers asks the questions in the programs of testdata and compares the
// answers with the golden ones.
func TestMarkers(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no tests", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var out []txtar.File
			changed := false
			for i := 0; i < len(ar.Files); i++ {
				in := ar.Files[i]
				out = append(out, in)
				text, markers := readMarkers(t, string(in.Data))
				if len(markers) == 0 {
					t.Fatalf("%s asks nothing", in.Name)
				}
				d := New(in.Name, text, lang.Options{})
				var b strings.Builder
				for _, m := range markers {
					fmt.Fprintf(&b, "== %s %s %s\n%s\n", place(d, m.at), m.verb, m.arg, strings.TrimRight(ask(t, d, m), "\n"))
				}
				want := ""
				if i+1 < len(ar.Files) && ar.Files[i+1].Name == in.Name+".out" {
					want = string(ar.Files[i+1].Data)
					i++
				}
				if got := b.String(); got != want {
					changed = true
					if !*golden.Update {
						golden.Same(t, in.Name, got, want)
					}
				}
				out = append(out, txtar.File{Name: in.Name + ".out", Data: []byte(b.String())})
			}
			if *golden.Update && changed {
				ar.Files = out
				if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
