package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

	"ein/cmd/ein/internal/cli"
)

// command runs a command line as main does.
func command(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	a := &cli.App{In: strings.NewReader(stdin), Out: &out, Err: &err, Env: func(string) string { return "" }}
	code = a.Execute(root(a, args), args)
	return code, out.String(), err.String()
}

// TestExamples holds the examples of the reference against what ein run prints.
func TestExamples(t *testing.T) {
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		code, got, stderr := command(b.Example, "run", "-")
		if code != cli.ExitOK || got != b.Output+"\n" {
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
		r, err := machine.Run(context.Background())
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
		"E0534": {"--max-ops", "1e6"},
		"E0532": {"--max-output", "100"},
		"E0533": {"--timeout", "100ms"},
		"E0601": nil, "E0602": nil, "E0603": nil, "E0607": nil, "E0632": nil, "E0633": nil, "W0605": nil, "E0703": nil,
	} {
		t.Run(code, func(t *testing.T) {
			page, _ := diag.Explain(diag.Code(code))
			parts := strings.Split(page, "```ein\n")
			for i, part := range parts[1:] {
				program, _, _ := strings.Cut(part, "```")
				if i > 0 && code == "E0533" {
					flags = nil // how long it takes depends on the machine
				}
				exit, _, stderr := command(program, append([]string{"run", "-"}, flags...)...)
				raised := strings.Contains(stderr, "["+code+"]")
				if raised != (i == 0) || i == 1 && (exit != 0 || stderr != "") {
					t.Errorf("block %d: exit code %d\n%s", i, exit, stderr)
				}
			}
		})
	}
	for _, code := range []diag.Code{"E0604", "E0701", "E0702", "E0704", "E0705", "W0706", "N0709", "E0710"} {
		if code.Title() == "" {
			t.Errorf("%s has no page", code)
		}
	}
}

// TestStart: what our packages keep of patterns and tables is made when it is asked for,
// since every command pays for what is made at its start.
func TestStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^init ein/.* (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	if sum == 0 || sum > 96<<10 {
		t.Errorf("%d bytes are made at the start, want some, and less than 96 KB:\n%s", sum, out)
	}
}

// TestExpanded: a pattern stands for its files, and what matches none for itself.
func TestExpanded(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.ein", "b.ein", "c1.csv"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := expanded([]string{"check", "*.ein", "--x=*", "c[1].csv", "c?.csv", "[*", ""}); !slices.Equal(got, []string{"check", "a.ein", "b.ein", "--x=*", "c[1].csv", "c?.csv", "[*", ""}) {
		t.Errorf("%q", got)
	}
}

// TestVerbs: a verb that is named first is made alone, and is the one among all.
func TestVerbs(t *testing.T) {
	for _, all := range root(&cli.App{}, nil).Commands() {
		alone := root(&cli.App{}, []string{all.Name(), "help"}).Commands()
		if len(alone) != 1 || alone[0].Name() != all.Name() {
			t.Errorf("%s: %d verbs, the first is %s", all.Name(), len(alone), alone[0].Name())
		}
	}
}

// TestBug is what a user sees of a panic.
func TestBug(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out, err bytes.Buffer
		a := &cli.App{Out: &out, Err: &err, Env: os.Getenv}
		root := root(a, nil)
		root.AddCommand(&cobra.Command{Use: "crash", Run: func(*cobra.Command, []string) { a.JSON = json; panic("BUG: test") }})
		if code := a.Execute(root, []string{"crash"}); code != cli.ExitBug {
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

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestBrokenOutput(t *testing.T) {
	program := filepath.Join(t.TempDir(), "a.ein")
	if err := os.WriteFile(program, []byte("n = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"run " + program, "run --json " + program, "cost " + program, "cost --json " + program, "explain " + program, "explain E0101",
		"explain --list", "dis " + program, "build -o - " + program, "fmt " + program, "doc", "version", "completion bash", "--help", "help run", "bench",
		"check --format json " + program,
	} {
		var err bytes.Buffer
		a := &cli.App{Out: brokenWriter{}, Err: &err, Env: func(string) string { return "" }}
		if code := a.Execute(root(a, nil), strings.Fields(args)); code != cli.ExitWrong || !strings.Contains(err.String(), "cannot write the output: no space") {
			t.Errorf("ein %s: exit code %d, %s", args, code, err.String())
		}
	}
}

// slowWriter has a reader that takes its time.
type slowWriter time.Duration

func (w slowWriter) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(w))
	return len(p), nil
}

// TestSlowReader: how fast the error object is read changes nothing about the exit code.
func TestSlowReader(t *testing.T) {
	program := filepath.Join(t.TempDir(), "a.ein")
	if err := os.WriteFile(program, []byte("A = ones(9, 9)\nn = sum(A * 2)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, wait := range map[string]time.Duration{
		"run --json --max-ops 1 " + program:   2 * cli.LastWords,
		"run --json --timeout 1ns " + program: time.Hour,
	} {
		var err bytes.Buffer
		a := &cli.App{Out: slowWriter(wait), Err: &err, Env: func(string) string { return "" }}
		if code := a.Execute(root(a, nil), strings.Fields(args)); code != cli.ExitLimit || strings.Contains(err.String(), "cannot write") {
			t.Errorf("ein %s: exit code %d, %s", args, code, err.String())
		}
	}
}
