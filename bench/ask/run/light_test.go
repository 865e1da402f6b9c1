package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ein/bench/ask/model"
)

// TestLight reads a run without texts: a row takes little, and has all when it is loaded.
func TestLight(t *testing.T) {
	c, list := some(t, 10)
	c.Samples = 250
	if testing.Short() {
		c.Samples = 50
	}
	w, err := Create(filepath.Join(t.TempDir(), "run"), c, list)
	if err != nil {
		t.Fatal(err)
	}
	dir := w.Run().Dir
	replies := answers(w.Run())
	for i := range replies {
		replies[i].Reply = `{"answer": true} ` + strings.Repeat("so ", 300)
		replies[i].Reasoning = fmt.Sprint(i, strings.Repeat(" hm", 300))
		replies[i].Usage = model.Usage{Input: 100, Output: int64(i)}
	}
	if err := errors.Join(w.Append(replies...), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(t.Context(), dir, JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	full, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := ReadLight(dir)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	const most = 260 // bytes of a row
	if each := int64(after.HeapAlloc-before.HeapAlloc) / int64(len(r.Rows)); each > most {
		t.Errorf("a row takes %d bytes, the most is %d", each, most)
	}
	for i := range r.Rows {
		row, want := &r.Rows[i], &full.Rows[i]
		if row.Spent() != want.Spent() || row.Spent().Usage != replies[i].Usage || row.Score.Outcome != want.Score.Outcome || row.Score.Level != want.Score.Level {
			t.Fatalf("row %d: %+v, %+v", i, row.Reply, row.Score)
		}
		if i%997 > 0 {
			continue
		}
		got, err := r.Load(row)
		if err != nil {
			t.Fatal(err)
		}
		if got.Reply.Reasoning != replies[i].Reasoning || got.Instance.Question != want.Instance.Question || got.Score.Of != want.Score.Of {
			t.Errorf("row %d: %+v", i, got)
		}
	}
	runtime.KeepAlive(full)
}
