package syntax

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ein/internal/golden"
	"ein/lang/diag"
	"ein/lang/source"
)

// TestGolden runs testdata/*.txtar: in.ein is the program, and of tree, fmt,
// diag and incomplete each archive holds what there is. Words in the comment:
// repl parses as the interactive session does, escapes reads in.ein as the
// inside of a Go string, cut drops its last newline.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			ar := parseArchive(string(text))
			in := ar.files[0].data
			if strings.Contains(ar.comment, "escapes") {
				quoted := strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(in)
				if in, err = strconv.Unquote(`"` + quoted + `"`); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(ar.comment, "cut") {
				in = strings.TrimSuffix(in, "\n")
			}
			ar.files = append(ar.files[:1], trees(t, in, Options{Repl: strings.Contains(ar.comment, "repl")})...)
			golden.File(t, name, ar.String())
		})
	}
}

func trees(t *testing.T, in string, opt Options) []archiveFile {
	t.Helper()
	f := Parse(source.NewFile("in.ein", in), opt)
	out := []archiveFile{{"tree", Dump(f)}}
	if text, ok := Format(f); ok {
		checkFormat(t, f, text, opt)
		out = append(out, archiveFile{"fmt", strings.ReplaceAll(text, "\r", `\r`)})
	}
	if len(f.Diags) > 0 {
		var b strings.Builder
		if err := (diag.Text{}).Render(&b, f.Diags, f.Source); err != nil {
			t.Fatal(err)
		}
		out = append(out, archiveFile{"diag", b.String()})
	}
	if f.Incomplete {
		out = append(out, archiveFile{name: "incomplete"})
	}
	return out
}

// checkFormat checks what has to hold of the canonical form of f.
func checkFormat(t *testing.T, f *File, text string, opt Options) {
	t.Helper()
	g := parseText(text, opt)
	if len(g.Diags) > 0 {
		t.Fatalf("the formatted program has errors: %v\n%s", g.Diags, text)
	}
	if !Equal(f, g) {
		t.Fatalf("formatting changed the tree:\n%s\n%s\n%s", Dump(f), Dump(g), text)
	}
	if a, b := commentTexts(f), commentTexts(g); a != b {
		t.Fatalf("formatting changed the comments:\n%s\n%s", a, b)
	}
	again, ok := Format(g)
	if !ok || again != text {
		t.Fatalf("formatting is not idempotent:\n%s\n---\n%s", text, again)
	}
	for _, line := range strings.Split(text, "\n") {
		if line != strings.TrimRight(line, " ") && !strings.ContainsAny(line, "/#\"") {
			t.Fatalf("trailing blanks in %q", line)
		}
	}
}

func commentTexts(f *File) string {
	var b strings.Builder
	for _, c := range f.Comments {
		b.WriteString(strings.TrimRight(f.Source.Text[c.Span.Start:c.Span.End], " \t") + "\n")
	}
	return b.String()
}
