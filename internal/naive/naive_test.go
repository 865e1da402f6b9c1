package naive

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/internal/corpus"
	"ein/lang/source"
	"ein/lang/syntax"
)

// prelude returns the standard prelude.
func prelude(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../stdlib/*.ein")
	if err != nil || len(files) == 0 {
		t.Fatal("no prelude: ", err)
	}
	text := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b) + "\n"
	}
	return text
}

func TestConformance(t *testing.T) {
	lib := prelude(t)
	for _, c := range corpus.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			opt := Options{Inputs: map[string]Tensor{}, Labels: c.Labels, Prelude: lib}
			for name, in := range c.Inputs {
				opt.Inputs[name] = Tensor{Dims: in.Dims, Data: in.Data}
			}
			outs, err := Run(syntax.Parse(source.NewFile(c.Name, c.Source), syntax.Options{}), opt)
			if c.Error == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := corpus.Match(c.Want, Format(outs)); err != nil {
					t.Errorf("%v\n%s", err, Format(outs))
				}
				return
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("want an error of class %s, got %s", c.Class, Format(outs))
			}
			if !c.HasClass(e.Class.String()) {
				t.Errorf("want class %s, got %v", c.Class, e)
			}
			if !regexp.MustCompile("(?is)" + c.Error).MatchString(e.Message) {
				t.Logf("message %q does not match %q", e.Message, c.Error)
			}
		})
	}
}

// TestAbuse is the corpus read by the parser and this engine: none may panic,
// and each must end with the answer that it wants.
func TestAbuse(t *testing.T) {
	for _, c := range corpus.Abuse() {
		t.Run(c.Name, func(t *testing.T) {
			if c.Heavy || testing.Short() {
				t.Skip("not for an engine that takes the definition literally")
			}
			_, err := Run(syntax.Parse(source.NewFile(c.Name, c.Source()), syntax.Options{}), Options{})
			got := "ok"
			if err != nil {
				var e *Error
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
				got = e.Class.String()
			}
			if c.WantClass != "" && !slices.Contains(strings.Split(c.WantClass, "|"), got) {
				t.Errorf("want %s, got %s (%v)", c.WantClass, got, err)
			}
		})
	}
}

// TestCorpus keeps the corpus itself in order.
func TestCorpus(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range corpus.Cases() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		for _, re := range []string{c.Error, c.Warning} {
			if _, err := regexp.Compile(re); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		for _, class := range strings.Split(c.Class, "|") {
			if c.Class != "" && !slices.Contains([]string{"syntax", "static", "limit", "runtime"}, class) {
				t.Errorf("%s: unknown class %s", c.Name, class)
			}
		}
	}
	if len(seen) < 300 {
		t.Errorf("only %d cases", len(seen))
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a = 1\n", "a = 1", true},
		{"a = 1", "a = 2", false},
		{"a = 1", "b = 1", false},
		{"a = 0.1", "a = 0.10000000000000002", true},
		{"a = 0.1", "a = 0.1001", false},
		{"a = 9007199254740991", "a = 9007199254740990", false},
		{"a = [1, 2]", "a = [1,2]", true},
		{"a = [1, 2]", "a = [1, 2, 3]", false},
		{"a =\n  [1]", "a = [1]", false},
		{"a = 1\nb = 2", "a = 1", false},
		{"a = 1e-7", "a = 0.0000001", true},
		{"a = -1", "a = 1", false},
	} {
		if err := corpus.Match(c.want, c.got); (err == nil) != c.same {
			t.Errorf("Match(%q, %q) = %v", c.want, c.got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	run := func(text string, opt Options) *Error {
		_, err := Run(syntax.Parse(source.NewFile("p", text), syntax.Options{}), opt)
		var e *Error
		errors.As(err, &e)
		return e
	}
	for name, c := range map[string]struct {
		text string
		opt  Options
		want string
	}{
		"unbound":        {"input A: graph\nB = tc(A)", Options{}, "input A is not bound"},
		"rank of input":  {"input v: vector\nB = v", Options{Inputs: map[string]Tensor{"v": {}}}, "rank 0"},
		"weights":        {"input A: graph\nB = A", Options{Inputs: map[string]Tensor{"A": {Dims: []int{1, 1}, Data: []float64{2}}}}, "not 0 or 1"},
		"square":         {"input A: graph\nB = A", Options{Inputs: map[string]Tensor{"A": {Dims: []int{1, 2}, Data: []float64{0, 1}}}}, "not square"},
		"broken prelude": {"A = 1", Options{Prelude: "def f("}, "syntax"},
		"no output":      {"def f(x) = x", Options{}, "no output"},
	} {
		if e := run(c.text, c.opt); e == nil || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, e, c.want)
		}
	}
	e := run("A = 1\nB = A + C\n", Options{})
	if e == nil || e.Span != (source.Span{Start: 6, End: 15}) {
		t.Errorf("an error without its statement: %+v", e)
	}
}
