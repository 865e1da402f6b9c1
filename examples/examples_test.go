// Package examples holds programs with their data, and a test that runs each
// of them the way its page says.
package examples

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"ein/internal/golden"
)

// folders are the examples.
func folders(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, e.Name())
		}
	}
	if len(list) == 0 {
		t.Fatal("there are no examples")
	}
	return list
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// build is the program of a package of this module.
func build(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// words takes a command line apart. Single quotes hold a word together.
func words(t *testing.T, line string) []string {
	t.Helper()
	var list []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	if strings.Count(line, "'")%2 != 0 {
		t.Fatalf("a quote is not closed: %s", line)
	}
	return list
}

// varying is what two runs of a program differ in.
var varying = regexp.MustCompile(`"wall_ns":\d+`)

// transcript runs the commands of an example in its folder. What a command says
// on standard error follows its output, and its exit code when it is not 0.
func transcript(t *testing.T, ein, folder string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(read(t, folder, "run")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		args := words(t, line)
		bin := ein
		switch {
		case line == "go run .":
			bin, args = build(t, "./"+folder), args[:1]
		case args[0] != "ein":
			t.Fatalf("not a command of an example: %s", line)
		}
		cmd := exec.Command(bin, args[1:]...)
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
		cmd.Env = append(os.Environ(), "NO_COLOR=1")
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "$ %s\n%s%s", line, varying.ReplaceAllString(out.String(), `"wall_ns":0`), errs.String())
		if exit != nil {
			fmt.Fprintf(&b, "[exit code %d]\n", exit.ExitCode())
		}
	}
	return b.String()
}

func TestExamples(t *testing.T) {
	ein := build(t, "../cmd/ein")
	for _, folder := range folders(t) {
		t.Run(folder, func(t *testing.T) {
			got := transcript(t, ein, folder)
			golden.File(t, filepath.Join(folder, "expected"), got)
		})
	}
}

// TestPrograms holds the programs in the canonical form and finds those that no
// command runs.
func TestPrograms(t *testing.T) {
	ein := build(t, "../cmd/ein")
	programs, err := filepath.Glob("*/*.ein")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ein, append([]string{"fmt", "-d", "--check"}, programs...)...).CombinedOutput(); err != nil {
		t.Errorf("ein fmt -w these:\n%s", out)
	}
	for _, p := range programs {
		if folder, name := filepath.Split(p); !strings.Contains(read(t, folder, "run"), name) {
			t.Errorf("no command runs %s", p)
		}
	}
}

// TestPages compares what the pages repeat with its source.
func TestPages(t *testing.T) {
	list := read(t, "README.md")
	for _, folder := range folders(t) {
		if !strings.Contains(list, "("+folder+"/README.md)") {
			t.Errorf("README.md does not list %s", folder)
		}
		page := read(t, folder, "README.md")
		programs, err := filepath.Glob(filepath.Join(folder, "*.ein"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			if !strings.Contains(page, filepath.Base(p)) {
				t.Errorf("%s/README.md does not speak of %s", folder, p)
			}
		}
	}
	if program := read(t, "embed", "main.go"); !strings.Contains(read(t, "..", "docs", "embedding.md"), "```go\n"+program+"```\n") {
		t.Error("docs/embedding.md does not show embed/main.go as it is")
	}
}

// TestCompressed holds a compressed file and its plain form together.
func TestCompressed(t *testing.T) {
	files, err := filepath.Glob("*/*.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		z, err := gzip.NewReader(strings.NewReader(readRaw(t, f)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != readRaw(t, strings.TrimSuffix(f, ".gz")) {
			t.Errorf("%s does not hold what the file without .gz does", f)
		}
	}
}

func readRaw(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
