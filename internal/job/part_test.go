package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var from = []Field{{"replies", "abc"}, {"lang", "ein"}}

func open(t *testing.T, name string) *Part {
	t.Helper()
	w, err := Open(name, from, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func write(t *testing.T, w *Part, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if _, err := w.Write([]byte(l + "\n")); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, w *Part) []string {
	t.Helper()
	var list []string
	for {
		line, ok, err := w.Again()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		list = append(list, string(line))
	}
	if len(list) != w.Done() {
		t.Errorf("%d lines, %d read", w.Done(), len(list))
	}
	return list
}

func files(t *testing.T, name string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	return list
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	w := open(t, name)
	write(t, w, "one", strings.Repeat("x", 200_000), "three")
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, name); got != "one\n"+strings.Repeat("x", 200_000)+"\nthree\n" {
		t.Errorf("%d bytes", len(got))
	}
	if got := files(t, name); !slices.Equal(got, []string{"out"}) {
		t.Error(got)
	}
}

// TestTorn cuts a part at every byte: what is kept is the lines that are whole.
func TestTorn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	w := open(t, name)
	write(t, w, "one", "two", "three")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := content(t, name+suffix)
	for cut := range len(all) + 1 {
		if err := os.WriteFile(name+suffix, []byte(all[:cut]), 0o644); err != nil {
			t.Fatal(err)
		}
		w := open(t, name)
		got := read(t, w)
		if n := strings.Count(all[:cut], "\n"); len(got) != n || !slices.Equal(got, []string{"one", "two", "three"}[:n]) {
			t.Errorf("cut at %d: %q", cut, got)
		}
		write(t, w, []string{"one", "two", "three"}[len(got):]...)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, name+suffix); got != all {
			t.Errorf("cut at %d: %q in the end", cut, got)
		}
	}
}

func TestOther(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	w := open(t, name)
	if _, err := Open(name, from, false); runtime.GOOS == "linux" && !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	write(t, w, "one")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before := content(t, name+suffix)
	var other *Other
	_, err := Open(name, []Field{{"replies", "def"}, {"python", "3"}}, false)
	if !errors.As(err, &other) || fmt.Sprint(other.Diff) != "[replies: abc, now def lang: ein, now none python: none, now 3]" {
		t.Error(err)
	}
	if got := content(t, name+suffix); got != before {
		t.Errorf("refused, and now %q", got)
	}
	if err := os.Remove(name + header); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, from, false); !errors.Is(err, ErrNoHeader) {
		t.Error(err)
	}
	w, err = Open(name, from, true)
	if err != nil || w.Done() != 0 {
		t.Fatal(err)
	}
	write(t, w, "two")
	if err := w.Commit(); err != nil || content(t, name) != "two\n" {
		t.Errorf("%v, %q", err, content(t, name))
	}
}

func TestDiscard(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	w := open(t, name)
	write(t, w, "one")
	if err := w.Discard(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, name); len(got) != 0 {
		t.Error(got)
	}
	if err := w.Commit(); err == nil {
		t.Error("what was discarded is committed")
	}
}

// TestLink keeps a link, and the mode of the file behind it.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, link); err != nil {
		t.Skip(err)
	}
	w := open(t, link)
	write(t, w, "one")
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o600 || content(t, link) != "one\n" {
		t.Errorf("%v, %v", info, err)
	}
}

// FuzzOpen goes on with parts that nobody has written: it gives the lines that end, or says what is wrong.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("a\nb\nc"), []byte(`[{"name":"replies","value":"abc"},{"name":"lang","value":"ein"}]`))
	f.Add([]byte("\n\x00\n"), []byte(`[{"name":"replies","value":"abd"}]`))
	f.Add([]byte("a\n"), []byte(`null`))
	f.Fuzz(func(t *testing.T, part, head []byte) {
		name := filepath.Join(t.TempDir(), "f")
		if err := errors.Join(os.WriteFile(name+suffix, part, 0o600), os.WriteFile(name+header, head, 0o600)); err != nil {
			t.Fatal(err)
		}
		w, err := Open(name, from, false)
		if err != nil {
			return
		}
		if got, want := read(t, w), strings.Count(string(part), "\n"); len(got) != want {
			t.Errorf("%q, want %d lines", got, want)
		}
		if err := w.Commit(); err != nil {
			t.Error(err)
		}
	})
}
