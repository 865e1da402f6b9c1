package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ein/internal/corpus"
	"ein/lang"
	"ein/lang/diag"
	"ein/lang/show"
	"ein/stdlib"
	"ein/vm"
	"ein/vm/cost"
)

// command runs a command line as main does.
func command(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	a := &app{in: strings.NewReader(stdin), out: &out, err: &err, env: func(string) string { return "" }}
	code = a.execute(a.root(), args)
	return code, out.String(), err.String()
}

// TestExamples holds the examples of the reference against what ein run prints.
func TestExamples(t *testing.T) {
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		code, got, stderr := command(b.Example, "run", "-")
		if code != exitOK || got != b.Output+"\n" {
			t.Errorf("%s: exit code %d, printed\n%s\nwant\n%s\n%s", b.Name, code, got, b.Output, stderr)
		}
	}
}

// TestConformance prints the conformance programs that need no data.
func TestConformance(t *testing.T) {
	for _, c := range corpus.Cases() {
		if c.Error != "" || len(c.Inputs) > 0 {
			continue
		}
		m, p, err := lang.Load(c.Name, c.Source, lang.Options{Labels: c.Labels})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		machine, err := vm.New(m, cost.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := machine.Run(context.Background(), nil)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var got strings.Builder
		for i := range r.Outputs {
			if r.Outputs[i].Value.Shape.Rank() > 2 {
				got.Reset() // the corpus lists these without headings
				break
			}
			if err := show.Text(context.Background(), &got, &r.Outputs[i], show.Options{Labels: p.Labels}); err != nil {
				t.Fatal(err)
			}
		}
		if err := corpus.Match(c.Want, got.String()); err != nil && got.Len() > 0 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestExplainedCodes runs the examples on the pages of the codes that this
// command raises.
func TestExplainedCodes(t *testing.T) {
	for code, flags := range map[string][]string{
		"E0530": {"--max-memory", "64MiB"},
		"E0531": {"--max-ops", "1e6"},
		"E0532": {"--max-output", "100"},
		"E0533": {"--timeout", "100ms"},
		"E0601": nil, "E0602": nil, "E0603": nil, "W0605": nil, "E0703": nil,
	} {
		t.Run(code, func(t *testing.T) {
			page, _ := diag.Explain(diag.Code(code))
			parts := strings.Split(page, "```ein\n")
			for i, part := range parts[1:] {
				program, _, _ := strings.Cut(part, "```")
				exit, _, stderr := command(program, append([]string{"run", "-"}, flags...)...)
				raised := strings.Contains(stderr, "["+code+"]")
				if raised != (i == 0) || i == 1 && (exit != 0 || stderr != "") {
					t.Errorf("block %d: exit code %d\n%s", i, exit, stderr)
				}
			}
		})
	}
	for _, code := range []diag.Code{"E0604", "E0701", "E0702", "E0704", "E0705", "W0706"} {
		if code.Title() == "" {
			t.Errorf("%s has no page", code)
		}
	}
}

// TestBug is what a user sees of a panic.
func TestBug(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out, err bytes.Buffer
		a := &app{out: &out, err: &err, env: os.Getenv}
		root := a.root()
		root.AddCommand(&cobra.Command{Use: "crash", Run: func(*cobra.Command, []string) { a.json = json; panic("BUG: test") }})
		if code := a.execute(root, []string{"crash"}); code != exitBug {
			t.Errorf("exit code %d", code)
		}
		for _, want := range []string{"a bug in ein", "BUG: test", "report", "main_test.go"} {
			if !strings.Contains(err.String(), want) {
				t.Errorf("%q is not in %s", want, err.String())
			}
		}
		if json != strings.HasPrefix(out.String(), `{"version":1,"error":{"class":"internal"`) {
			t.Errorf("standard output: %s", out.String())
		}
	}
}

func TestColored(t *testing.T) {
	for _, test := range []struct {
		mode     colorMode
		terminal bool
		env      string // NAME=value, separated by blanks
		want     bool
	}{
		{colorAuto, false, "", false},
		{colorAuto, true, "", true},
		{colorAuto, true, "TERM=dumb", false},
		{colorAuto, true, "NO_COLOR=1", false},
		{colorAuto, true, "NO_COLOR=", true},
		{colorAuto, false, "FORCE_COLOR=1", true},
		{colorAuto, false, "FORCE_COLOR=0", false},
		{colorAuto, false, "CLICOLOR_FORCE=1 TERM=dumb", true},
		{colorAuto, true, "NO_COLOR=1 FORCE_COLOR=1", false},
		{colorAlways, false, "NO_COLOR=1", true},
		{colorNever, true, "FORCE_COLOR=1", false},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(test.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		a := &app{color: test.mode, terminal: test.terminal, env: func(name string) string { return env[name] }}
		if got := a.colored(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestFlags(t *testing.T) {
	for s, want := range map[string]uint64{"1": 1, "64MiB": 64 << 20, "1.5GiB": 3 << 29, "2 KiB": 2048, "1e6": 1e6} {
		var b byteSize
		if err := b.Set(s); err != nil || uint64(b) != want {
			t.Errorf("%s: %d, %v", s, b, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "MiB", "64MB", "1e30", "NaN", "Inf"} {
		if err := new(byteSize).Set(s); err == nil {
			t.Errorf("%q is a size", s)
		}
		if err := new(count).Set(s); err == nil {
			t.Errorf("%q is a number", s)
		}
	}
	b := byteSize(3 << 19)
	if b.String() != "1536KiB" {
		t.Errorf("%s", b.String())
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := formatCount(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for n, want := range map[uint64]string{10: "10 bytes", 1536: "1.5 KiB", 5 << 30: "5.0 GiB"} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// TestProgress reads 100 bytes in ten seconds.
func TestProgress(t *testing.T) {
	var err bytes.Buffer
	now := time.Unix(0, 0)
	p := (&app{err: &err, terminal: true}).progress("reading x", 100)
	p.start, p.last, p.now = now, now, func() time.Time { now = now.Add(time.Second); return now }
	if n, e := io.Copy(io.Discard, p.reader(&slowReader{10})); n != 100 || e != nil {
		t.Fatal(n, e)
	}
	p.done()
	if got := err.String(); strings.Contains(got, " 10%") || !strings.Contains(got, "\rreading x:  50%, 10 bytes/s, 5s left") || !strings.HasSuffix(got, "\r") {
		t.Errorf("%q", got)
	}
	err.Reset()
	p = (&app{err: &err}).progress("reading x", 100)
	if _, e := io.Copy(io.Discard, p.reader(&slowReader{10})); e != nil || p.n != 0 {
		t.Error("progress without a terminal")
	}
}

type slowReader struct{ left int }

func (r *slowReader) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.left--
	return copy(b, "0123456789"), nil
}

// TestOutput writes before and after the context ends, with a reader and without.
func TestOutput(t *testing.T) {
	why := errors.New("over")
	ctx, end := context.WithCancelCause(context.Background())
	var b bytes.Buffer
	r, unread := io.Pipe()
	defer func() { _ = r.Close() }()
	results, last := &output{w: &b, ctx: ctx}, &output{w: &b, ctx: ctx, longer: time.Hour}
	blocked, silent := &output{w: unread, ctx: ctx}, &output{w: unread, ctx: ctx, longer: 1}
	if _, err := results.Write([]byte("a")); err != nil {
		t.Error(err)
	}
	time.AfterFunc(time.Millisecond, func() { end(why) })
	if _, err := blocked.Write([]byte("x")); !errors.Is(err, why) || blocked.written != 0 {
		t.Errorf("%v after %d bytes", err, blocked.written)
	}
	if _, err := results.Write([]byte("b")); !errors.Is(err, why) || results.written != 1 {
		t.Errorf("%v after %d bytes", err, results.written)
	}
	if _, err := last.Write([]byte("c")); err != nil || b.String() != "ac" {
		t.Errorf("%v, %q", err, b.String())
	}
	for range 2 {
		if _, err := silent.Write([]byte("x")); !errors.Is(err, why) {
			t.Error(err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestBrokenOutput(t *testing.T) {
	program := filepath.Join(t.TempDir(), "a.ein")
	if err := os.WriteFile(program, []byte("n = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"run " + program, "run --json " + program, "cost " + program, "cost --json " + program, "explain " + program, "explain E0101",
		"explain --list", "dis " + program, "build -o - " + program, "fmt " + program, "doc", "version", "completion bash",
		"check --format json " + program,
	} {
		var err bytes.Buffer
		a := &app{out: brokenWriter{}, err: &err, env: func(string) string { return "" }}
		if code := a.execute(a.root(), strings.Fields(args)); code != exitWrong || !strings.Contains(err.String(), "cannot write the output: no space") {
			t.Errorf("ein %s: exit code %d, %s", args, code, err.String())
		}
	}
}
