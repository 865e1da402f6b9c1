package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHistoryFile(t *testing.T) {
	abs, err := filepath.Abs("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_STATE_HOME": abs, "HOME": "home"}, filepath.Join(abs, "ein", "history")},
		{map[string]string{"XDG_STATE_HOME": "relative", "HOME": "home"}, filepath.Join("home", ".local", "state", "ein", "history")},
		{map[string]string{"USERPROFILE": "profile"}, filepath.Join("profile", ".local", "state", "ein", "history")},
		{nil, ""},
	} {
		if got := HistoryFile(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%v: %s, want %s", test.env, got, test.want)
		}
	}
}

// TestLongHistory cuts a history that has grown, and never loses the last entries.
func TestLongHistory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "history")
	if got := readHistory(name); got != nil {
		t.Errorf("a new history has %q", got)
	}
	var b strings.Builder
	for i := range 3 * maxHistory {
		fmt.Fprintf(&b, "x = %d\n\n", i)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := readHistory(name), readHistory(name)
	last := fmt.Sprintf("x = %d", 3*maxHistory-1)
	if len(first) != maxHistory || first[len(first)-1] != last || !slices.Equal(first, second) {
		t.Errorf("%d entries, then %d, the last %q", len(first), len(second), first[len(first)-1])
	}
	cut, err := os.ReadFile(name)
	if err != nil || strings.Count(string(cut), "\n") != maxHistory {
		t.Errorf("the file has %d lines, error %v", strings.Count(string(cut), "\n"), err)
	}
}

// TestCompleter is what the library is offered: what follows the cursor, and
// nothing that is as wide as the terminal.
func TestCompleter(t *testing.T) {
	c := &completer{
		complete: func(_ string, pos int) (int, []string) {
			return pos - 2, []string{"äpfel", "ä" + strings.Repeat("x", 90)}
		},
		width: func() int { return 80 },
	}
	suffixes, length := c.Do([]rune("x = ä"), 5)
	if len(suffixes) != 1 || string(suffixes[0]) != "pfel" || length != 1 {
		t.Errorf("%q after %d characters", suffixes, length)
	}
}
