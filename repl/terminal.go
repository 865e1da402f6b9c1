package repl

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"

	"ein/lang/diag"
)

// Terminal reads lines with editing, completion, colours and a history that lasts.
// All that knows the readline library is here.
//
// The library knows no bracketed paste: each line of a pasted text is an entry of
// its own or goes on with the one before, as if it had been typed. It moves the
// cursor by characters, so a line with characters of two cells is drawn off by
// some cells while it is edited; what is entered is right. A recalled entry is one
// line, because the library cannot edit several.
type Terminal struct {
	rl      *readline.Instance
	history string // the file; "" keeps none
	last    string
}

// TerminalOptions of OpenTerminal.
type TerminalOptions struct {
	In       *os.File
	Out, Err io.Writer
	History  string // file of the history; "" keeps none
	Color    bool
	Width    func() int
	Complete func(line string, pos int) (start int, words []string)
}

// maxHistory is the number of entries that a history keeps.
const maxHistory = 1000

// OpenTerminal takes over a terminal until Close.
func OpenTerminal(opt TerminalOptions) (*Terminal, error) {
	cfg := &readline.Config{
		Stdin: readline.NewCancelableStdin(opt.In), Stdout: opt.Out, Stderr: opt.Err,
		HistoryLimit: maxHistory, DisableAutoSaveHistory: true, HistorySearchFold: true,
		AutoComplete:        &completer{opt.Complete, opt.Width},
		InterruptPrompt:     "^C",
		EOFPrompt:           "\n", // which stands for nothing
		FuncIsTerminal:      func() bool { return true },
		FuncGetWidth:        opt.Width,
		ForceUseInteractive: true,
	}
	if opt.Color {
		cfg.Painter = painter{}
	}
	rl, err := readline.NewEx(cfg)
	if err != nil {
		return nil, err
	}
	t := &Terminal{rl: rl, history: opt.History}
	for _, line := range readHistory(opt.History) {
		t.last = line
		_ = rl.SaveHistory(line)
	}
	return t, nil
}

// ReadLine implements LineReader.
func (t *Terminal) ReadLine(prompt string) (string, error) {
	t.rl.SetPrompt(prompt)
	line, err := t.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", ErrInterrupt
	}
	return line, err
}

// Remember adds an entry to the history as one line. A history that cannot be
// written is kept for this session only.
func (t *Terminal) Remember(entry string) {
	line := OneLine(entry)
	if line == "" || line == t.last {
		return
	}
	t.last = line
	_ = t.rl.SaveHistory(line)
	if t.history == "" {
		return
	}
	f, err := os.OpenFile(t.history, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line + "\n")
	_ = f.Close()
}

// Close gives the terminal back.
func (t *Terminal) Close() error { return t.rl.Close() }

// readHistory is the entries of a history file, the last of them. A file that has
// grown to twice as many is cut.
func readHistory(name string) []string {
	if name == "" {
		return nil
	}
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	var lines []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if line := scan.Text(); line != "" {
			lines = append(lines, line)
		}
	}
	_ = f.Close()
	if len(lines) > 2*maxHistory && scan.Err() == nil {
		lines = lines[len(lines)-maxHistory:]
		_ = os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	return lines[max(0, len(lines)-maxHistory):]
}

// HistoryFile is where the history is kept: in the user's state folder. It is ""
// when there is no home.
func HistoryFile(env func(string) string) string {
	state := env("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the specification says
		home := env("HOME")
		if home == "" {
			home = env("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ein", "history")
}

type painter struct{}

// Paint implements readline.Painter.
func (painter) Paint(line []rune, _ int) []rune { return []rune(Paint(string(line))) }

type completer struct {
	complete func(line string, pos int) (start int, words []string)
	width    func() int
}

// maxOffered is how many completions are offered at once.
const maxOffered = 100

// Do implements readline.AutoCompleter, which wants what follows the cursor. The
// library divides by the number of columns that its list has room for, so what is
// as wide as the terminal is not offered.
func (c *completer) Do(line []rune, pos int) (suffixes [][]rune, length int) {
	text := string(line)
	at := len(string(line[:pos]))
	start, words := c.complete(text, at)
	typed := []rune(text[start:at])
	for _, w := range words {
		if _, cells := diag.Display(w); cells+len(typed)+3 < c.width() && len(suffixes) < maxOffered {
			suffixes = append(suffixes, []rune(w)[len(typed):])
		}
	}
	return suffixes, len(typed)
}
