package check

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ein/internal/codes"
	"ein/internal/golden"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// A goldenCase is one program of an archive in testdata. Its files are
// name/in.ein, name/config with what the checker is told besides, name/diags
// with what it says, and name/types with what the statements of a program
// without errors are.
type goldenCase struct {
	name, in, config string
	diags, types     string
}

// readArchive parses the txtar format: a comment, then files, each behind a line
// `-- name --`.
func readArchive(t testing.TB, path string) (comment string, cases []*goldenCase) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := &comment
	for line := range strings.Lines(string(text)) {
		file, ok := strings.CutSuffix(strings.TrimSpace(line), " --")
		file, is := strings.CutPrefix(file, "-- ")
		if !ok || !is {
			*part += line
			continue
		}
		name, kind, _ := strings.Cut(file, "/")
		if len(cases) == 0 || cases[len(cases)-1].name != name {
			if slices.ContainsFunc(cases, func(c *goldenCase) bool { return c.name == name }) {
				t.Fatalf("%s: two cases named %s", path, name)
			}
			cases = append(cases, &goldenCase{name: name})
		}
		c := cases[len(cases)-1]
		switch kind {
		case "in.ein":
			part = &c.in
		case "config":
			part = &c.config
		case "diags":
			part = &c.diags
		case "types":
			part = &c.types
		default:
			t.Fatalf("%s: what is %s?", path, file)
		}
	}
	return comment, cases
}

func writeArchive(comment string, cases []*goldenCase) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, c := range cases {
		for _, f := range []struct{ kind, text string }{{"in.ein", c.in}, {"config", c.config}, {"diags", c.diags}, {"types", c.types}} {
			if f.text != "" || f.kind == "in.ein" {
				fmt.Fprintf(&b, "-- %s/%s --\n%s", c.name, f.kind, f.text)
			}
		}
	}
	return b.String()
}

// archives is the golden files.
func archives(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no golden files", err)
	}
	return paths
}

// settings reads the lines of a config file:
//
//	profile core
//	nodes 100
//	calls 10
//	elements 10
//	labels ann bob
//	bind A bool 3 3
//
// A bound value is all zeros, or weights, which are not.
func (c *goldenCase) settings(t testing.TB) Config {
	t.Helper()
	cfg := Config{Inputs: map[string]*tensor.Value{}}
	for line := range strings.Lines(c.config) {
		words := strings.Fields(line)
		number := func(i int) int {
			n, err := strconv.Atoi(words[i])
			if err != nil {
				t.Fatalf("%s: %q: %v", c.name, line, err)
			}
			return n
		}
		switch words[0] {
		case "profile":
			cfg.Profile = map[string]Profile{"core": Core, "full": Full, "repl": Repl}[words[1]]
		case "nodes":
			cfg.Limits.Nodes = number(1)
		case "calls":
			cfg.Limits.Calls = number(1)
		case "elements":
			cfg.Limits.Elements = uint64(number(1))
		case "labels":
			cfg.Labels = words[1:]
		case "bind":
			if words[2] == "far" {
				cfg.Inputs[words[1]] = far()
				continue
			}
			kind, ok := map[string]tensor.Kind{"bool": tensor.Bool, "int": tensor.Int, "real": tensor.Real, "weights": tensor.Real}[words[2]]
			if !ok {
				t.Fatalf("%s: what is %q?", c.name, line)
			}
			var dims []int
			for i := range words[3:] {
				dims = append(dims, number(3+i))
			}
			shape := tensor.ShapeOf(dims...)
			v := dense(kind, shape, make([]float64, shape.Elems()))
			if words[2] == "weights" {
				v.F[0] = 2.5
			}
			cfg.Inputs[words[1]] = &v
		default:
			t.Fatalf("%s: what is %q?", c.name, line)
		}
	}
	return cfg
}

func checkText(text string, cfg Config) *Program {
	f := syntax.Parse(source.NewFile("in.ein", text), syntax.Options{Repl: cfg.Profile == Repl})
	return Check(f, cfg)
}

// types is the kind and shape of every statement and output.
func types(p *Program) string {
	var b strings.Builder
	out := bufio.NewWriter(&b)
	for _, s := range p.Statements {
		_, _ = fmt.Fprintf(out, "%s: %s %s\n", s.Name, s.Node.Type.Kind, s.Node.Type.Shape)
	}
	for _, o := range p.Outputs {
		if o.Node.Op == ir.Relation {
			continue
		}
		form := [...]string{ir.Plain: "", ir.NodeSet: ", a set of nodes", ir.NodePath: ", a path", ir.NodeIndex: ", a node"}[o.Form]
		_, _ = fmt.Fprintf(out, "> %s: %s %s%s\n", o.Name, o.Node.Type.Kind, o.Node.Type.Shape, form)
	}
	if len(p.Labels) > 0 {
		_, _ = fmt.Fprintf(out, "labels: %s\n", strings.Join(p.Labels, " "))
	}
	if p.Rules != nil {
		_, _ = fmt.Fprint(out, p.Rules)
	}
	_ = out.Flush()
	return b.String()
}

func render(t testing.TB, p *Program) string {
	t.Helper()
	var b strings.Builder
	if err := (diag.Text{}).Render(&b, p.Diags, p.File.Source); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden checks the programs of testdata. An archive named by a code holds
// programs that raise it, each of them nothing else of severity error.
func TestGolden(t *testing.T) {
	for _, path := range archives(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			comment, cases := readArchive(t, path)
			code := diag.Code(strings.TrimSuffix(filepath.Base(path), ".txtar"))
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					cfg := c.settings(t)
					p := checkText(c.in, cfg)
					got := *c
					got.diags, got.types = render(t, p), ""
					if !p.Diags.HasErrors() {
						got.types = types(p)
					}
					if strings.ContainsAny(string(code[1:]), "0123456789") {
						raises(t, p, code)
					}
					checkPlaces(t, p)
					checkFixes(t, c.in, cfg, p)
					if *golden.Update {
						*c = got
						return
					}
					golden.Same(t, c.name, got.diags+got.types, c.diags+c.types)
				})
			}
			if *golden.Update {
				if err := os.WriteFile(path, []byte(writeArchive(comment, cases)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// raises requires that p has the code, and no error of another code.
func raises(t *testing.T, p *Program, code diag.Code) {
	t.Helper()
	found := false
	for _, d := range p.Diags {
		found = found || d.Code == code
		if d.Code != code && d.Severity == diag.Error {
			t.Errorf("it raises %s: %s", d.Code, d.Message)
		}
	}
	if !found {
		t.Errorf("%s is not raised: %v", code, p.Diags)
	}
}

// checkPlaces requires that what a diagnostic shows lies in the text and that
// its words are in the form that they have everywhere.
func checkPlaces(t *testing.T, p *Program) {
	t.Helper()
	n := len(p.File.Source.Text)
	for _, d := range p.Diags {
		spans := []source.Span{d.Span}
		for _, r := range d.Related {
			spans = append(spans, r.Span)
		}
		for _, s := range spans {
			if s.Start < 0 || s.End < s.Start || s.End > n {
				t.Errorf("%s: bad span %v of %d bytes", d.Code, s, n)
			}
		}
		if strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "\n") || strings.Contains(d.Message, "%!") && !strings.Contains(p.File.Source.Text, "%") {
			t.Errorf("%s: bad message %q", d.Code, d.Message)
		}
		for _, note := range d.Notes {
			said := strings.TrimSuffix(note, "`") // a statement about relations ends with its mark
			if !strings.HasSuffix(said, ".") && !strings.HasSuffix(said, "?") && !strings.Contains(note, "ein doc") {
				t.Errorf("%s: the note %q is not a sentence", d.Code, note)
			}
		}
	}
}

// checkFixes applies each fix alone: the diagnostic is gone from its place and no
// error of syntax comes instead.
func checkFixes(t *testing.T, text string, cfg Config, p *Program) {
	t.Helper()
	for _, d := range p.Diags {
		if d.Code.Class() == diag.Syntax {
			continue
		}
		for _, f := range d.Fixes {
			fixed, at := text, d.Span.Start
			for i := len(f.Edits) - 1; i >= 0; i-- {
				e := f.Edits[i]
				fixed = fixed[:e.Span.Start] + e.NewText + fixed[e.Span.End:]
				if e.Span.Start < d.Span.Start {
					at += len(e.NewText) - e.Span.Len()
				}
			}
			q := checkText(fixed, cfg)
			for _, left := range q.Diags {
				if left.Code == d.Code && left.Span.Start == at && left.Message == d.Message {
					t.Errorf("%s: the fix %q leaves it:\n%s%s", d.Code, f.Title, fixed, render(t, q))
				}
			}
			if q.File.Diags.HasErrors() && !p.File.Diags.HasErrors() {
				t.Errorf("%s: the fix %q breaks the syntax:\n%s", d.Code, f.Title, fixed)
			}
			shortens := d.Code == codes.W0220 && f.Guess // [1,000] -> [1000], which may fit no more beside another list
			if q.Diags.HasErrors() && !p.Diags.HasErrors() && !shortens {
				t.Errorf("%s: the fix %q of a remark makes an error:\n%s%s", d.Code, f.Title, fixed, render(t, q))
			}
		}
	}
}
