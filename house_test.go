// Package ein holds the rules of the house: which package may import which.
package ein

import (
	"os/exec"
	"strings"
	"testing"
)

// floor is how high a package stands; a package imports only packages of lower
// floors, or of its own floor in its own tree.
func floor(path string) int {
	top, _, _ := strings.Cut(strings.TrimPrefix(path, "ein/"), "/")
	switch top {
	case "vm":
		return 1
	case "stdlib":
		return 2
	case "lang":
		return 3
	case "repl", "lsp", "bench":
		return 4
	case "cmd":
		return 5
	}
	return 0
}

func list(t *testing.T, format string, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-f", format}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestFloors(t *testing.T) {
	for _, line := range list(t, "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		for _, to := range strings.Fields(imports) {
			if !strings.HasPrefix(to, "ein/") || floor(to) < floor(pkg) || floor(pkg) == 0 {
				continue
			}
			a, _, _ := strings.Cut(strings.TrimPrefix(pkg, "ein/"), "/")
			b, _, _ := strings.Cut(strings.TrimPrefix(to, "ein/"), "/")
			if a != b {
				t.Errorf("%s imports %s, which stands above or beside it", pkg, to)
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
		"github.com/chzyer/readline", "go.lsp.dev/protocol", "github.com/spf13/cobra"}
	for _, line := range list(t, "{{.ImportPath}} {{join .Imports \" \"}}", "./vm/...", "./lang/...", "./stdlib/...") {
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
