package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated holds what the package has to what this command writes.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	names := []string{"kernels_amd64.s", "kernels_amd64.go"}
	cmd := exec.Command("go", "run", ".", "-pkg", "simd", "-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		var text [2][]byte
		for i, d := range []string{dir, ".."} {
			b, err := os.ReadFile(filepath.Join(d, name))
			if err != nil {
				t.Fatal(err)
			}
			_, text[i], _ = bytes.Cut(b, []byte("\n")) // the first line has the command
		}
		if !bytes.Equal(text[0], text[1]) {
			t.Errorf("%s is not what go generate writes", name)
		}
	}
}
