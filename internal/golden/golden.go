// Package golden compares what tests make with what was kept of it, shows where they
// differ, and with -update keeps what they make now. Nothing but tests imports it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// Update is the flag -update.
var Update = flag.Bool("update", false, "write what the tests make into the files that they compare it with")

// Same fails the test where got is not what was kept.
func Same(t testing.TB, name, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	_, lines, _ := strings.Cut(string(diff.Diff("kept", []byte(want), "now", []byte(got))), "\n")
	t.Errorf("%s differs:\n%sIf this is as it should be, run the test again with -update; else undo what changed it.", name, lines)
}

// File compares got with a file, ignoring carriage returns in the file.
func File(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	Same(t, path, got, strings.ReplaceAll(string(want), "\r\n", "\n"))
}
