package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ein/bench/question/answer"
	"ein/internal/job"
)

// TestScoring holds the digest of the rules to the published vectors.
func TestScoring(t *testing.T) {
	var all []byte
	for _, dir := range []string{"scoring", "programs"} {
		names, err := filepath.Glob("../../../testdata/" + dir + "/*.jsonl")
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))...)
		}
	}
	if got := digest(all); got != Scoring {
		t.Errorf("the rules of scoring have changed: Scoring is to be %q", got)
	}
}

// old returns a copy of the run of format 1, as it was written.
func old(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func right(r *Run) (n int) {
	for i := range r.Rows {
		if s := r.Rows[i].Score; s != nil && s.Outcome == answer.StrictlyRight {
			n++
		}
	}
	return n
}

// TestFormat1 reads and scores a run of the first format, and goes on with it.
func TestFormat1(t *testing.T) {
	dir := old(t)
	r, err := Read(dir)
	if err != nil || len(r.Rows) != 12 || right(r) != 6 || r.Others != 12 {
		t.Fatal(err)
	}
	if _, err := Judge(t.Context(), dir, JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(dir); err != nil || right(r) != 6 || r.Others != 0 {
		t.Fatalf("scored: %v", err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := w.Run().Config
	now.Ein, now.Scoring = "test", Scoring
	if d := Diff(w.Run().Config, now); len(d) != 1 {
		t.Errorf("%q", d)
	}
	if err := errors.Join(w.Accept(now), w.Close()); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(dir); err != nil || right(r) != 6 || len(r.Config.Accepted) != 1 || len(Diff(r.Config, now)) != 0 {
		t.Errorf("accepted: %v", err)
	}
}

// TestTied changes the files of a run by hand: each is told.
func TestTied(t *testing.T) {
	w, replies := create(t, 1)
	dir := w.Run().Dir
	if err := errors.Join(w.Append(replies...), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(t.Context(), dir, JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	const corrupt, stale, changed = "", "belongs to another reply", "not asked under this configuration" // of a CorruptError, and of a FileError
	is := func(err error, what string) bool {
		var line *CorruptError
		var file *FileError
		return what == corrupt && errors.As(err, &line) || what != corrupt && errors.As(err, &file) && strings.Contains(file.What, what)
	}
	crc := regexp.MustCompile(`,"crc":"[0-9a-f]{8}"}\n`)
	for name, c := range map[string]struct {
		file string
		edit func([]byte) []byte
		want string
	}{
		"a score is edited": {ScoresFile, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"outcome":"format_error","strict":false,"relaxed":false,"lenient":false`), []byte(`"outcome":"strict","strict":true,"relaxed":true,"lenient":true`), 1)
		}, corrupt},
		"without a checksum": {ScoresFile, func(b []byte) []byte { return crc.ReplaceAll(b, []byte("}\n")) }, corrupt},
		"as of format 1": {ScoresFile, func(b []byte) []byte {
			return regexp.MustCompile(`,"scoring":.*`).ReplaceAll(b, []byte("}"))
		}, stale},
		"another model": {ConfigFile, func(b []byte) []byte {
			return bytes.Replace(b, []byte("baseline:random"), []byte("baseline:oracle"), 1)
		}, changed},
		"another prompt": {ConfigFile, func(b []byte) []byte { return bytes.Replace(b, []byte("Answer."), []byte("Answer!"), 1) }, changed},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, c.file)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			after := c.edit(before)
			if bytes.Equal(before, after) {
				t.Fatal("nothing was edited")
			}
			if err := os.WriteFile(file, after, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); !is(err, c.want) {
				t.Errorf("got %v", err)
			}
			if c.want == changed {
				if found, err := Repair(dir, false); !is(err, changed) {
					t.Errorf("replies are thrown away: %+v, %v", found, err)
				}
			}
			if err := os.WriteFile(file, before, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	// Scores of other replies to the same questions are of no use.
	other, list := create(t, 1)
	for i := range list {
		list[i].Reply += " again"
	}
	if err := errors.Join(other.Append(list...), other.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, ScoresFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(other.Run().Dir, ScoresFile), b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(other.Run().Dir); !is(err, stale) {
		t.Errorf("got %v", err)
	}
}

// TestSweep removes what killed writers left, and not what one may be writing.
func TestSweep(t *testing.T) {
	w, _ := create(t, 1)
	dir := w.Run().Dir
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	left, written := filepath.Join(dir, job.TempPrefix+"1"), filepath.Join(dir, job.TempPrefix+"2")
	old := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.WriteFile(left, nil, 0o644), os.WriteFile(written, nil, 0o644), os.Chtimes(left, old, old)); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if exists(left) || !exists(written) {
		t.Errorf("left: %t, written: %t", exists(left), exists(written))
	}
}
