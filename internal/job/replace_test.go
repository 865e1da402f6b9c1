package job

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	content := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%q, %v, want %q", b, err, want)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%v, %v: something is left behind", entries, err)
		}
	}
	for _, s := range []string{"one", "", "another"} {
		if err := ReplaceBytes(name, []byte(s)); err != nil {
			t.Fatal(err)
		}
		content(s)
	}
	failure := errors.New("half way")
	err := Replace(name, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	content("another")
	missing := filepath.Join(dir, "missing", "file")
	if at, ok := errors.AsType[*fs.PathError](ReplaceBytes(missing, nil)); !ok || at.Path != missing {
		t.Errorf("%v names another file than %s", at, missing)
	}
}

// TestReplaceRead replaces a file that someone reads, which Windows forbids for as long.
func TestReplaceRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = f.Close() })
	if err := ReplaceBytes(name, []byte("new")); err != nil || content(t, name) != "new" {
		t.Errorf("%v, %s", err, content(t, name))
	}
}

// TestReplaceKeeps keeps the mode of a file, and a link to it; what is no file is
// written to.
func TestReplaceKeeps(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, link); err != nil {
		t.Skip(err)
	}
	if err := ReplaceBytes(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o600 || content(t, name) != "new" {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	// A link may come before its file.
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(filepath.Dir(link), "second")
	if err := os.Symlink(filepath.Base(link), second); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceBytes(second, []byte("newer")); err != nil || content(t, name) != "newer" {
		t.Error(err)
	}
	for _, l := range []string{link, second} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if err := ReplaceBytes(os.DevNull, []byte("gone")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestLock(t *testing.T) {
	switch runtime.GOOS {
	case "plan9", "js", "wasip1", "aix", "solaris":
		t.Skip("there are no locks")
	}
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if free, err := Lock(first); !free || err != nil {
		t.Fatalf("%v, %v", free, err)
	}
	if free, err := Lock(second); free || err != nil {
		t.Errorf("%v, %v: two have it", free, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if free, err := Lock(second); !free || err != nil {
		t.Errorf("%v, %v: it is not given back", free, err)
	}
}
