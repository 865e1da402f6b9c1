package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"ein/bench/ask/run"
	"ein/bench/question/surface"
	"ein/internal/golden"
)

func makeReport(t testing.TB, opt Options, runs ...*run.Run) *Report {
	t.Helper()
	r, err := New(runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGoldens holds every table in every format.
func TestGoldens(t *testing.T) {
	runs := []*run.Run{
		madeRun(t, "made:small", 2, surface.NL, surface.Matrix),
		madeRun(t, "made:thinking", 2, surface.NL),
	}
	r := makeReport(t, Options{Lenient: true, Paper: true}, runs...)
	for _, f := range []Format{Markdown, LaTeX, CSV} {
		files, err := r.Files(f)
		if err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		for _, x := range files {
			all.WriteString("== " + x.Name + "\n")
			all.Write(x.Data)
		}
		name := filepath.Join("testdata", "tables."+string(f))
		golden.File(t, name, all.String())
	}
}

// TestSameBytes checks that nothing but the runs decides what is written.
func TestSameBytes(t *testing.T) {
	for _, f := range Formats() {
		var first []File
		for range 2 {
			r := makeReport(t, Options{Paper: true}, madeRun(t, "made:small", 1, surface.NL, surface.JSON), madeRun(t, "made:large", 1, surface.NL))
			files, err := r.Files(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 {
				t.Fatalf("%s has no files", f)
			}
			if first == nil {
				first = files
				continue
			}
			for i := range files {
				if files[i].Name != first[i].Name || !bytes.Equal(files[i].Data, first[i].Data) {
					t.Errorf("%s is not the same twice", files[i].Name)
				}
			}
		}
	}
}
