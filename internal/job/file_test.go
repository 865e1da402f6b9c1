package job

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// syncs counts the syncs of a file.
type syncs struct {
	*os.File
	n int
}

func (s *syncs) Sync() error {
	s.n++
	return s.File.Sync()
}

// TestGroupCommit holds the disk up until all wait for it: they share a sync.
func TestGroupCommit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	s := &syncs{File: file}
	f := NewFile(s, "it", 0)
	const all = 32
	f.commit.Lock()
	var wait sync.WaitGroup
	for range all {
		wait.Go(func() {
			if err := f.Append([]byte("line\n")); err != nil {
				t.Error(err)
			}
		})
	}
	for waiting := 0; waiting < all; {
		f.mu.Lock()
		waiting = bytes.Count(f.next.data, []byte("\n"))
		f.mu.Unlock()
	}
	f.commit.Unlock()
	wait.Wait()
	if s.n != 1 {
		t.Errorf("%d lines took %d syncs", all, s.n)
	}
	if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, bytes.Repeat([]byte("line\n"), all)) {
		t.Errorf("%q, %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Append([]byte("late\n")); err == nil {
		t.Error("what is closed is written to")
	}
}
