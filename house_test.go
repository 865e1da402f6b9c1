// The rules of the house: which package may import which.
package ein_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floors is how high each folder stands, the door (ein itself) among them: a
// package imports only packages of lower floors, or of its own folder. What
// stands highest is no part of the product: nothing but tests imports it. The four
// groups of bench are what a question is, what an answer is worth, asking models,
// and results. The verbs of the language stand below all of bench, those of the
// benchmark above it: neither half of the command knows the other. A server gives out
// both.
var floors = map[string]int{
	"internal": 0, "github.com/andybalholm/brotli": 0, // of internal/nobrotli
	"vm":     1,
	"stdlib": 2,
	"lang":   3,
	"bind":   4,
	"ein":    5, "docs": 5,
	"repl": 6, "lsp": 6,
	"bench/question": 6, "bench/judge": 7, "bench/ask": 8, "bench/result": 9,
	"serve": 10,
	"cmd":   11, "editors": 11, "examples": 11,
	"perf": 12, "internal/corpus": 12, "internal/golden": 12, "internal/naive": 12, "internal/skips": 12,
}

// floor is the innermost folder with a floor that a package is in, and how high
// that stands.
func floor(t *testing.T, pkg string) (folder string, at int) {
	t.Helper()
	for folder = strings.TrimPrefix(pkg, "ein/"); folder != "."; folder = path.Dir(folder) {
		if at, ok := floors[folder]; ok {
			return folder, at
		}
	}
	t.Fatalf("the folder of %s has no floor: give it one in floors, above what it imports and below what imports it", pkg)
	return "", 0
}

func list(t *testing.T, format string, patterns ...string) []string {
	t.Helper()
	return listIn(t, ".", format, patterns...)
}

func listIn(t *testing.T, module, format string, patterns ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-f", format}, patterns...)...)
	cmd.Dir = module
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// modules are the folders with a go.mod.
func modules(t *testing.T) (found []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || len(name) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.Name() == "go.mod":
			found = append(found, filepath.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestModules: make check walks every module.
func TestModules(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "\nMODULES := ")
	line, _, _ = strings.Cut(line, "\n")
	if walked, there := strings.Fields(line), modules(t); !slices.Equal(walked, there) {
		t.Errorf("MODULES in the Makefile is %v, and there are %v", walked, there)
	}
}

func TestFloors(t *testing.T) {
	var lines []string
	for _, m := range modules(t) {
		lines = append(lines, listIn(t, m, "{{.ImportPath}} {{join .Imports \" \"}}", "./...")...)
	}
	for _, line := range lines {
		pkg, imports, _ := strings.Cut(line, " ")
		folder, at := floor(t, pkg)
		for _, to := range strings.Fields(imports) {
			if to != "ein" && !strings.HasPrefix(to, "ein/") {
				continue
			}
			if other, below := floor(t, to); below >= at && other != folder {
				t.Errorf("%s imports %s, which stands above or beside it (see floors): what both need belongs below both, and what only one of them needs is passed in by a caller", pkg, to)
			}
		}
	}
}

// TestPure holds the core free of the outside world, so that the command, the
// language server, a browser build and the sandbox can share it. The
// dependencies of gonum and participle are theirs; what counts is what our own
// packages import.
func TestPure(t *testing.T) {
	banned := []string{"os", "os/exec", "net", "net/http", "syscall", "golang.org/x/term",
		"github.com/chzyer/readline", "go.lsp.dev/protocol", "github.com/spf13/cobra", "ein/internal/version"}
	for _, line := range list(t, "{{.ImportPath}} {{join .Imports \" \"}}", "./vm/...", "./lang/...", "./stdlib/...", "./bind", ".") {
		pkg, imports, _ := strings.Cut(line, " ")
		for _, to := range strings.Fields(imports) {
			for _, b := range banned {
				if to == b {
					t.Errorf("%s imports %s", pkg, to)
				}
			}
		}
	}
}

// TestNoKernels: what a program means is known without a kernel that computes it.
func TestNoKernels(t *testing.T) {
	for _, pkg := range list(t, "{{.ImportPath}}", "-deps", "./vm/ir", "./vm/op", "./stdlib", "./lang/check") {
		if pkg == "ein/vm/kernel" {
			t.Error("the meaning of a program imports its kernels; `go list -deps` says how")
		}
	}
}

// TestSize holds the binary of make build under 32.7 MB, and the lean one, which wheels
// and browsers take, under 23. What made them large, and how that was found, is in
// docs/rationale.md.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	for tags, most := range map[string]int64{"nethttpomithttp2": 32_700_000, "nethttpomithttp2,lean": 23_000_000} {
		name := filepath.Join(t.TempDir(), "ein")
		build := exec.Command("go", "build", "-trimpath", "-tags="+tags, "-ldflags=-s -w -funcalign=8", "-o", name, "./cmd/ein")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := info.Size(); n >= most {
			t.Errorf("%s: the stripped binary has %d bytes, want less than %d: what is new in `go tool nm -size -sort size`?", tags, n, most)
		} else {
			t.Logf("%s: %d bytes", tags, n)
		}
	}
}

// TestReaders: only the command links the readers of Parquet and SQLite, so that those
// who embed the language do without them.
func TestReaders(t *testing.T) {
	for _, line := range list(t, "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		for _, to := range strings.Fields(imports) {
			if (to == "ein/bind/parquet" || to == "ein/bind/sqlite") && pkg != "ein/cmd/ein/internal/language" {
				t.Errorf("%s imports %s", pkg, to)
			}
		}
	}
	for _, pkg := range list(t, "{{.ImportPath}}", "-deps", "-tags=lean", "./cmd/ein") {
		if strings.HasPrefix(pkg, "modernc.org/") || strings.Contains(pkg, "parquet") {
			t.Errorf("the lean build has %s", pkg)
		}
	}
}
