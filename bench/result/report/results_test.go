package report

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ein/bench/ask/run"
	"ein/bench/question/prompt"
	"ein/internal/golden"
)

// unpack unpacks a tar.gz into an empty folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			continue
		}
		text, err := io.ReadAll(files)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(at), 0o755)
		}
		if err == nil {
			err = os.WriteFile(at, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestResults makes the tables of the results that are published again from their replies.
func TestResults(t *testing.T) {
	results := filepath.Join("..", "..", "..", "results")
	archives, err := filepath.Glob(filepath.Join(results, "*", "runs.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		dir := unpack(t, archive)
		if text, err := os.ReadFile(filepath.Join(dir, "CANARY")); err != nil || !strings.Contains(string(text), prompt.Canary) {
			t.Errorf("%s: there is no canary in it: %v", archive, err)
		}
		folders, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
		if err != nil {
			t.Fatal(err)
		}
		var runs []*run.Run
		for _, folder := range folders {
			r, err := run.ReadLight(folder)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
		r, err := New(runs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Files("md")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := filepath.Join(filepath.Dir(archive), "report", f.Name)
			want, err := os.ReadFile(name)
			if *golden.Update {
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err != nil || string(want) != string(f.Data) {
				t.Errorf("%s is not what the replies make (%v); look at the difference and run with -update", name, err)
			}
		}
	}
}
