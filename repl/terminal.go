package repl

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/chzyer/readline"
	"golang.org/x/term"

	"ein/lang/diag"
)

// Terminal reads lines with editing, completion, colours and a history that lasts.
// All that knows the readline library is here.
//
// Each line of a pasted text is an entry of its own or goes on with the one before,
// as if it had been typed, but a tab in it completes nothing. The library moves the
// cursor by characters, so a line with characters of two cells is drawn off by
// some cells while it is edited; what is entered is right.
type Terminal struct {
	rl      *readline.Instance
	keys    *keys
	edit    *editor
	history string   // the file; "" keeps none
	entries []string // in it
}

// TerminalOptions of OpenTerminal.
type TerminalOptions struct {
	In       *os.File
	Out, Err io.Writer
	History  string // file of the history; "" keeps none
	Color    bool
	Size     func() (columns, rows int)
	Complete func(line string, pos int) (start int, words []string)
}

// maxHistory is the number of entries that a history keeps.
const maxHistory = 1000

// OpenTerminal takes over a terminal until Close.
func OpenTerminal(opt TerminalOptions) (*Terminal, error) {
	t := &Terminal{
		keys:    &keys{ReadCloser: readline.NewCancelableStdin(opt.In)},
		history: opt.History, entries: readHistory(opt.History),
	}
	t.edit = &editor{size: opt.Size, kick: func() { t.rl.Terminal.KickRead() }, paste: t.keys.next, search: func(r rune) { t.rl.Operation.SearchChar(r) }}
	width := func() int {
		columns, _ := opt.Size()
		return columns
	}
	config := &readline.Config{
		Stdin: t.keys, Stdout: wrapped{opt.Out}, Stderr: opt.Err,
		HistoryLimit: maxHistory, DisableAutoSaveHistory: true, HistorySearchFold: true,
		AutoComplete:        &completer{opt.Complete, width},
		Listener:            t.edit,
		FuncFilterInputRune: t.edit.key,
		Painter:             painter{opt.Color},
		InterruptPrompt:     "^C",
		EOFPrompt:           "\n", // which stands for nothing
		FuncIsTerminal:      func() bool { return true },
		FuncGetWidth:        width,
		ForceUseInteractive: true,
	}
	if runtime.GOOS == "windows" { // where the library asks for no arrows when it has another input than its own
		var before *term.State
		config.FuncMakeRaw = func() (err error) {
			before, err = term.MakeRaw(int(opt.In.Fd()))
			return err
		}
		config.FuncExitRaw = func() error {
			if before == nil {
				return nil
			}
			return term.Restore(int(opt.In.Fd()), before)
		}
	}
	var err error
	if t.rl, err = readline.NewEx(config); err != nil {
		return nil, err
	}
	_, _ = io.WriteString(config.Stdout, markPastes)
	t.recall()
	return t, nil
}

// recall gives the library the history again: it would keep what was last typed into a recalled
// entry.
func (t *Terminal) recall() {
	t.rl.ResetHistory()
	for _, e := range t.entries {
		_ = t.rl.SaveHistory(strings.ReplaceAll(e, "\n", string(lineEnd)))
	}
}

// ReadLine implements LineReader. A recalled entry may be several lines.
func (t *Terminal) ReadLine(prompt string) (string, error) {
	t.rl.SetPrompt(prompt)
	t.edit.indent = len(prompt)
	line, err := t.rl.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupt
	case errors.Is(err, io.EOF) && !t.keys.ended:
		return "", ErrLeave
	}
	return text([]rune(line)), err
}

// Remember adds an entry to the history. One that cannot be written is kept for this
// session only.
func (t *Terminal) Remember(entry string) {
	entry = strings.TrimSpace(entry)
	if entry == "" {
		return
	}
	known := len(t.entries) > 0 && t.entries[len(t.entries)-1] == entry
	if !known {
		t.entries = append(t.entries, entry)
	}
	t.recall()
	if known || t.history == "" {
		return
	}
	f, err := os.OpenFile(t.history, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(packed(entry))
	_ = f.Close()
}

// packed is an entry as a line of the history file, where each of its lines but the last ends in a
// backslash.
func packed(entry string) string {
	if strings.HasSuffix(entry, `\`) {
		entry += " "
	}
	return strings.ReplaceAll(entry, "\n", "\\\n") + "\n"
}

// Close restores the terminal.
func (t *Terminal) Close() error {
	_, _ = io.WriteString(t.rl.Config.Stdout, leavePastes)
	return t.rl.Close()
}

// readHistory returns the latest entries of a history file. It cuts a file that has grown to twice
// as many.
func readHistory(name string) []string {
	if name == "" {
		return nil
	}
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	var entries []string
	entry := ""
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line, more := strings.CutSuffix(scan.Text(), `\`)
		if entry += line; more {
			entry += "\n"
		} else if entry != "" {
			entries = append(entries, entry)
			entry = ""
		}
	}
	_ = f.Close()
	if len(entries) > 2*maxHistory && scan.Err() == nil {
		entries = entries[len(entries)-maxHistory:]
		var b strings.Builder
		for _, e := range entries {
			b.WriteString(packed(e))
		}
		_ = os.WriteFile(name, []byte(b.String()), 0o600)
	}
	return entries[max(0, len(entries)-maxHistory):]
}

// Home returns the user's own folder, "" when there is none.
func Home(env func(string) string) string { return cmp.Or(env("HOME"), env("USERPROFILE")) }

// HistoryFile returns where the history is kept: in the user's state folder. It is ""
// when there is no home.
func HistoryFile(env func(string) string) string {
	state := env("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the specification says
		home := Home(env)
		if home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ein", "history")
}

// completer offers completions in a terminal of some width.
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
	entry, at := text(line), len(text(line[:pos]))
	start, words := c.complete(entry, at)
	typed := []rune(entry[start:at])
	for _, w := range words {
		if _, cells := diag.Display(w); cells+len(typed)+3 < c.width() && len(suffixes) < maxOffered {
			suffixes = append(suffixes, []rune(w)[len(typed):])
		}
	}
	return suffixes, len(typed)
}
