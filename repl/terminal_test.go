package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chzyer/readline"
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

// TestHistoryKeepsLines writes entries of several lines and reads them as they were.
func TestHistoryKeepsLines(t *testing.T) {
	entries := []string{"x = 1", "def f(x) = { // twice\n\n  x * 2\n}", "y = 2 // \\\nz = 3 // \\ ", `s = "a\nb"`}
	name := filepath.Join(t.TempDir(), "history")
	var file strings.Builder
	for _, e := range entries {
		file.WriteString(packed(e))
	}
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := readHistory(name); !slices.Equal(got, entries) {
		t.Errorf("%q, want %q", got, entries)
	}
	if got, want := packed(`// \`), "// \\ \n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDecode reads keys one byte at a time and at once.
func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[1~b\x1b[4~":                  "a\x01b\x05",
		"\x1b[1;5D\x1b[1;5C":                "\x1bb\x1bf",
		"\x1b[A\x1bOH\x1b[3~ä":              "\x1b[A\x1bOH\x1b[3~ä",
		"x\x03":                             "x\a\x03",
		"\x1b\x03":                          "\a\x03",
		"\x1b\r":                            string(lineEnd),
		"\x1b[1;\x03y":                      "\x1b[1;\x03y",
		"ab\x7f\xff\xc3\x03":                "ab\x7f\xff\xc3\a\x03",
		"\x1b[200~\tPay\t= 1\r\x1b[201~r\t": " Pay = 1\rr\t",
	} {
		var whole, parts keys
		whole.decode(in)
		for i := range len(in) {
			parts.decode(in[i : i+1])
		}
		if whole.ready != want || parts.ready != want {
			t.Errorf("%q became %q and %q, want %q", in, whole.ready, parts.ready, want)
		}
	}
}

// TestPaste: the library gets one rune for many, and the line has all of them.
func TestPaste(t *testing.T) {
	var k keys
	long, longer := strings.Repeat("ä", minPasted/2), strings.Repeat("x = 1 ", 1000)
	k.decode("\x1b[C" + long + "\x1b[D" + longer + "\r" + "short")
	if want := "\x1b[C" + string(pasted) + "\x1b[D" + string(pasted) + "\rshort"; k.ready != want {
		t.Fatalf("%q, want %q", k.ready, want)
	}
	var sought []rune
	e := &editor{size: func() (int, int) { return 80, 24 }, paste: k.next, search: func(r rune) { sought = append(sought, r) }}
	if r, ok := e.key(pasted); r != pasted || !ok {
		t.Errorf("%q goes to the library", r)
	}
	if line, pos, ok := e.OnChange([]rune{'a', pasted, 'b'}, 2, pasted); string(line) != "a"+long+"b" || pos != 1+minPasted/2 || !ok {
		t.Errorf("%q at %d", string(line), pos)
	}
	e.key(readline.CharBckSearch)
	if r, _ := e.key(pasted); string(sought)+string(r) != longer {
		t.Errorf("%q and %q is sought", string(sought), r)
	}
	if r := k.next(); string(r) != "\ufffd" {
		t.Errorf("%q was not pasted", string(r))
	}
}

// TestEditor presses keys in an entry of three lines.
func TestEditor(t *testing.T) {
	const home, end, left, right, up, down, back, del = readline.CharLineStart, readline.CharLineEnd, readline.CharBackward,
		readline.CharForward, readline.CharPrev, readline.CharNext, readline.CharBackspace, readline.CharDelete
	for _, test := range []struct {
		from int // where the cursor stands
		keys []rune
		want string // with | where it stands then
	}{
		{2, []rune{end}, "abc|\nde\nfgh"},
		{2, []rune{end, right}, "abc\n|de\nfgh"},
		{4, []rune{left}, "abc|\nde\nfgh"},
		{3, []rune{down}, "abc\nde|\nfgh"},
		{5, []rune{down, up, up}, "a|bc\nde\nfgh"},
		{5, []rune{home, back}, "abc|de\nfgh"},
		{5, []rune{end, del}, "abc\nde|fgh"},
		{10, []rune{home, back, home, back}, "abc|defgh"},
	} {
		kicked := 0
		e := &editor{size: func() (int, int) { return 20, 24 }, kick: func() { kicked++ }, indent: 5}
		line, pos, _ := e.OnChange([]rune(strings.ReplaceAll("abc\nde\nfgh", "\n", string(lineEnd))), test.from, 'x')
		// To the library, a row more is 20 cells more.
		if n := e.indent + len(line); n != 5+3+(20-8)+20+5+3 {
			t.Errorf("%d cells: %q", n, string(line))
		}
		e.line, e.pos = e.laid(plain(line, pos))
		for _, k := range test.keys {
			if r, ok := e.key(k); r != readline.CharBell || !ok {
				t.Errorf("%q: key %d is left to the library", test.want, k)
			}
			line, pos, _ = e.OnChange(e.line, e.pos, readline.CharBell)
		}
		got, at := plain(line, pos)
		if shown := text(got[:at]) + "|" + text(got[at:]); shown != test.want {
			t.Errorf("%q, want %q", shown, test.want)
		}
		if deletes := slices.Contains(test.keys, del); deletes != (kicked > 0) {
			t.Errorf("%q: read on %d times", test.want, kicked)
		}
	}
	// What does not fit the screen stays one line, with marks.
	e := &editor{size: func() (int, int) { return 20, 3 }, indent: 5}
	line, _, changed := e.OnChange([]rune("a"+string(lineEnd)+"b"+string(lineEnd)+"c"), 5, 'x')
	if changed || string(painter{}.Paint(line, 5)) != "a↵b↵c" {
		t.Errorf("%q", string(line))
	}
}
