package codes

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNext says which code is free next in each group: the highest number and one,
// whatever its letter. Run it with -v.
func TestNext(t *testing.T) {
	form := regexp.MustCompile(`^[EWN](0[0-8])[0-9]{2}$`)
	next := map[string]int{}
	before := Entry{}
	for _, e := range Table {
		m := form.FindStringSubmatch(string(e.Code))
		if m == nil || e.Title == "" {
			t.Fatalf("%+v is no entry", e)
		}
		if e.Code[1:] < before.Code[min(1, len(before.Code)):] || e.Code == before.Code {
			t.Errorf("%s stands after %s", e.Code, before.Code)
		}
		var n int
		for _, c := range e.Code[1:] {
			n = 10*n + int(c-'0')
		}
		next[m[1]], before = n+1, e
	}
	for _, group := range slices.Sorted(maps.Keys(next)) {
		t.Logf("group %s: the next free code is %04d", group, next[group])
	}
}

// TestNames requires that nothing writes a code out: a name of this package
// cannot be misspelt.
func TestNames(t *testing.T) {
	code := regexp.MustCompile(`"[EWN]0[0-8][0-9]{2}"`)
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "internal/codes/codes.go" {
			return err
		}
		text, err := os.ReadFile(filepath.Join("../..", path))
		if found := code.Find(text); found != nil {
			t.Errorf("%s has the code %s", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
