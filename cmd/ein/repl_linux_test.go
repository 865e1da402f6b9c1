package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ein/cmd/ein/internal/cli"
)

// patience only bounds a hang.
const patience = 2 * time.Minute

// keyboard is a session on a terminal of its own.
type keyboard struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	done chan struct{}

	mu     sync.Mutex
	screen strings.Builder
	read   int // what wait has gone past
}

func openKeyboard(t *testing.T, state string, args ...string) *keyboard {
	t.Helper()
	return openTerminal(t, "xterm", state, args...)
}

func openTerminal(t *testing.T, kind, state string, args ...string) *keyboard {
	t.Helper()
	k := &keyboard{t: t, done: make(chan struct{}), cmd: exec.Command("ein", args...)}
	k.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "TERM="+kind, "NO_COLOR=1")
	k.cmd.Dir = t.TempDir()
	tty, err := pty.StartWithSize(k.cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	k.tty = tty
	go func() {
		defer close(k.done)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			k.mu.Lock()
			k.screen.Write(buf[:n])
			k.mu.Unlock()
			if err != nil {
				return // the other end is closed
			}
		}
	}()
	t.Cleanup(func() {
		_ = k.cmd.Process.Kill()
		_ = tty.Close()
	})
	return k
}

// until waits for a condition.
func (k *keyboard) until(what string, holds func() bool) {
	k.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.t.Fatalf("no %s on the screen after what was seen last:\n%q", what, k.screen.String()[k.read:])
		}
	}
}

// wait waits for a text after the one waited for before.
func (k *keyboard) wait(text string) {
	k.t.Helper()
	k.until(text, func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		i := strings.Index(k.screen.String()[k.read:], text)
		if i >= 0 {
			k.read += i + len(text)
		}
		return i >= 0
	})
}

func (k *keyboard) press(keys string) {
	k.t.Helper()
	if _, err := io.WriteString(k.tty, keys); err != nil {
		k.t.Fatal(err)
	}
}

// lines reports whether the terminal collects lines and sends signals, as it does
// while an entry runs.
func (k *keyboard) lines() bool {
	state, err := unix.IoctlGetTermios(int(k.tty.Fd()), unix.TCGETS)
	return err == nil && state.Lflag&unix.ICANON != 0 && state.Lflag&unix.ISIG != 0
}

// leave waits for the session to end well.
func (k *keyboard) leave() {
	k.t.Helper()
	<-k.done
	if err := k.cmd.Wait(); err != nil {
		k.t.Errorf("the session ended with %v", err)
	}
}

const (
	tab, enter, up, down, left  = "\t", "\r", "\x1b[A", "\x1b[B", "\x1b[D"
	ctrlA, ctrlC, ctrlD         = "\x01", "\x03", "\x04"
	ctrlLeft, tmuxHome, tmuxEnd = "\x1b[1;5D", "\x1b[1~", "\x1b[4~"
)

func TestKeys(t *testing.T) {
	state := t.TempDir()
	k := openKeyboard(t, state)
	k.wait("ein> ")
	k.press("alpha = edges([[0, 1], [1, 2]], 3)" + enter)
	k.wait("alpha: 3x3")
	k.wait("ein> ")

	// Tab completes a name, and the arrows move.
	k.press("sum(tc(al" + tab)
	k.wait("tc(alpha")
	k.press("))" + enter)
	k.wait("_ = 3")
	k.wait("ein> ")
	k.press("23" + left + "0" + ctrlA + "1" + enter)
	k.wait("_ = 1203")
	k.wait("ein> ")

	// Words, and both ends of the line, as tmux sends them.
	k.press("20 + 3" + ctrlLeft + ctrlLeft + "1" + tmuxEnd + "4" + tmuxHome + "2" + enter)
	k.wait("_ = 2154")
	k.wait("ein> ")

	// An entry of several lines comes back as it was, and can be edited.
	k.press("max(7, // seven" + enter)
	k.wait("...> ")
	k.press("6)" + enter)
	k.wait("_ = 7")
	k.wait("ein> ")
	k.press(up)
	k.wait("max(7, // seven")
	k.wait("...> 6)")
	k.press(up + tmuxHome + "2 * " + tmuxEnd + "th" + down + " + 1" + enter)
	k.wait("_ = 15")
	k.wait("ein> ")
	k.press(":history" + enter)
	k.wait("2 * max(7, // seventh\r\n      6) + 1")
	k.wait("ein> ")

	// Ctrl-C clears a line of which a menu is open.
	k.press("no" + tab + tab)
	k.wait("node(")
	k.press(ctrlC)
	k.wait("^C")
	k.wait("ein> ")
	k.press("6 * 7" + enter)
	k.wait("_ = 42")
	k.wait("ein> ")

	// Ctrl-D in an entry that goes on gives it up, and Up brings it back.
	k.press("max(8," + enter)
	k.wait("...> ")
	k.press(ctrlD)
	k.wait("Up brings it back")
	k.wait("ein> ")
	k.press(up + "9)" + enter)
	k.wait("_ = 9")
	k.wait("ein> ")

	// Ctrl-C clears a line, and an entry of several.
	k.press("nonsense" + ctrlC)
	k.wait("ein> ")
	k.press("max(7," + enter)
	k.wait("...> ")
	k.press(ctrlC)
	k.wait("ein> ")
	k.press("5 * 5" + enter)
	k.wait("_ = 25")
	k.wait("ein> ")

	// A file is overwritten after a yes.
	for _, answer := range []string{"", "n", "y"} {
		k.press(":save p.ein" + enter)
		if answer != "" {
			k.wait("p.ein already exists. Overwrite it? [y/N] ")
			k.press(answer + enter)
		}
		if answer != "n" {
			k.wait("written to p.ein")
		}
		k.wait("ein> ")
	}

	// The picture fits the terminal of the moment.
	if err := pty.Setsize(k.tty, &pty.Winsize{Rows: 40, Cols: 30}); err != nil {
		t.Fatal(err)
	}
	k.press(":plot ones(1, 90)" + enter)
	k.wait("┌" + strings.Repeat("─", 23) + "┐")
	k.wait("4x4 elements")
	k.wait("ein> ")

	k.press(ctrlD)
	k.leave()
	k.mu.Lock()
	defer k.mu.Unlock()
	if strings.Contains(k.screen.String(), "nonsense`") {
		t.Errorf("a cleared line was run:\n%s", k.screen.String())
	}
	name := filepath.Join(state, "ein", "history")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the history has mode %v", info.Mode())
	}
}

// TestDumbTerminal: where the cursor cannot be moved, nothing tries to.
func TestDumbTerminal(t *testing.T) {
	k := openTerminal(t, "dumb", t.TempDir())
	k.wait("ein> ")
	k.press("max(7,\n")
	k.wait("...> ")
	k.press("6)\n")
	k.wait("_ = 7")
	k.wait("ein> ")
	k.press(ctrlD)
	k.leave()
	if strings.Contains(k.screen.String(), "\x1b") {
		t.Errorf("%q", k.screen.String())
	}
}

// TestHistoryLasts recalls an entry of several lines in another session.
func TestHistoryLasts(t *testing.T) {
	state := t.TempDir()
	k := openKeyboard(t, state, "repl")
	k.wait("ein> ")
	for _, line := range []string{"def f(x) = {", "  y = x + 1", "  y * 2", "}"} {
		k.press(line + enter)
		k.wait("> ")
	}
	k.press(":quit" + enter)
	k.leave()
	k = openKeyboard(t, state, "repl")
	k.wait("ein> ")
	k.press(up + up)
	k.wait("def f(x) = {")
	k.wait("...>   y * 2")
	k.wait("...> }")
	k.press(enter)
	k.wait("ein> ")
	k.press("f(4)" + enter)
	k.wait("_ = 10")
	k.wait("ein> ")
	k.press(ctrlD)
	k.leave()
}

// TestInterruptedEntry stops an entry that would take long, and goes on.
func TestInterruptedEntry(t *testing.T) {
	k := openKeyboard(t, t.TempDir(), "repl", "--history", "none")
	k.wait("ein> ")
	k.press("x = 3; W = ones(3000, 3000)" + enter)
	k.wait("W: 3000x3000")
	for i := range 2 {
		k.wait("ein> ")
		k.until("raw terminal", func() bool { return !k.lines() })
		k.press("y[i, k] min= W[i, j] + W[j, k]" + enter)
		k.until("running entry", k.lines)
		if i == 0 {
			k.wait("left: y[i, k] min= W[i, j] + W[j, k]: ")
		}
		k.press(ctrlC)
		if i == 0 {
			k.wait("  \r") // the line is gone before anything is said
		}
		k.wait("interrupted: the run was stopped")
	}
	k.wait("ein> ")
	k.press("x + 1" + enter)
	k.wait("_ = 4")
	k.wait("ein> ")
	k.press("y" + enter)
	k.wait("there is no tensor `y`")
	k.wait("ein> ")
	k.press(":quit" + enter)
	k.leave()
}

// TestInterruptedValue stops an entry while its value is shown, and one that opens a
// pipe to which nobody writes; the session goes on.
func TestInterruptedValue(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	k := openKeyboard(t, t.TempDir(), "repl", "--history", "none", "--full")
	k.wait("ein> ")
	k.press("W = ones(6000, 6000) * 1.5" + enter)
	k.wait("W: 6000x6000")
	k.wait("ein> ")
	k.press("W" + enter)
	k.wait("  [1.5, 1.5")
	k.press(ctrlC)
	k.wait("interrupted, while the results were being shown: they are incomplete")
	k.wait("ein> ")
	k.press("_[0, 0] + 1" + enter) // its value is there
	k.wait("_ = 2.5")
	k.wait("ein> ")
	k.until("raw terminal", func() bool { return !k.lines() })
	k.press(":load " + pipe + enter)
	k.until("running entry", k.lines)
	k.press(ctrlC)
	k.wait("interrupted: nothing was read of " + pipe)
	k.wait("ein> ")
	k.press(":quit" + enter)
	k.leave()
}

// TestEndedSession ends a session from outside while it reads: the terminal is as
// it was.
func TestEndedSession(t *testing.T) {
	k := openKeyboard(t, t.TempDir())
	// The other side is held open, so that its settings can be read in the end.
	name, err := ptsname(k.tty)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	k.wait("ein> ")
	k.until("raw terminal", func() bool { return !k.lines() })
	if err := k.cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = k.cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Success() {
		t.Errorf("the session ended with %v", err)
	}
	k.until("restored terminal", k.lines)
}

func ptsname(tty *os.File) (string, error) {
	n, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPTN)
	return fmt.Sprintf("/dev/pts/%d", n), err
}

// TestInterruptedOutput presses Ctrl-C while a run writes to a terminal that takes
// no more, or none until then.
func TestInterruptedOutput(t *testing.T) {
	program := filepath.Join(t.TempDir(), "wide.ein")
	if err := os.WriteFile(program, []byte("A = ones(3000, 3000) * 1.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, reads := range []bool{false, true} {
		cmd := exec.Command("ein", "run", "--full", program)
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		hang := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		if _, err := io.ReadFull(tty, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(tty, ctrlC); err != nil {
			t.Fatal(err)
		}
		var rest []byte
		if reads {
			rest, _ = io.ReadAll(tty) // until the other end is closed
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitLimit || reads != strings.Contains(string(rest), "interrupted, while the output was being written") {
			t.Errorf("exit code %d\n%s", code, rest[max(0, len(rest)-1000):])
		}
		hang.Stop()
		_ = tty.Close()
	}
}

// TestScreen edits an entry of several lines in tmux, which knows what a screen shows.
func TestScreen(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", filepath.Join(t.TempDir(), "..", "s")}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	ein, err := exec.LookPath("ein")
	if err != nil {
		t.Fatal(err)
	}
	tmux("new-session", "-d", "-x", "40", "-y", "24", ein+" --color never repl --history none")
	defer tmux("kill-server")
	shows := func(want string) {
		t.Helper()
		var screen string
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if screen = strings.TrimRight(tmux("capture-pane", "-p"), "\n"); strings.HasSuffix(screen, want) {
				return
			}
		}
		t.Fatalf("the screen ends otherwise than with\n%s\n\n%s", want, screen)
	}
	keys := func(keys ...string) { tmux(append([]string{"send-keys"}, keys...)...) }
	shows("ein>")
	keys("def f(x) = { // of a number", "Enter")
	shows("...>")
	keys("  y = x + 1", "Enter", "  y * 2", "Enter", "}", "Enter")
	shows("ein>")
	entry := "\nein> def f(x) = { // of a number\n...>   y = x + 1\n...>   y * 2\n...> }"
	keys("Up")
	shows(entry + entry)
	keys("Up", "End", " + 1", "Up", "Home", "C-Right", "C-Right", "C-Right", "z", "BSpace", "Up", "Home", "M-Enter")
	shows("\nein>\n...> def f(x) = { // of a number\n...>   y = x + 1\n...>   y * 2 + 1\n...> }")
	keys("BSpace", "Enter", "f(1)", "Enter")
	shows("\nein> f(1)\n_ = 5\nein>")
	keys("C-r", "of a")
	shows("def f(x) = { // of a number↵  y = x\n + 1↵  y * 2 + 1↵}\nbck-i-search: of a")
	keys("Right", "Enter", "f(2)", "Enter")
	shows("\nein> f(2)\n_ = 7\nein>")
}

// TestPager shows what is wide in the pager of the user.
func TestPager(t *testing.T) {
	t.Setenv("PAGER", "sed s/^/paged:/")
	k := openKeyboard(t, t.TempDir(), "repl", "--history", "none")
	k.wait("ein> ")
	k.press("ones(3, 60)" + enter)
	k.wait("_ =")
	k.wait("columns shown; :full shows all)")
	k.wait("paged:_ =")
	k.wait("paged:  [1, 1")
	k.wait("ein> ")
	k.press(":full ones(3, 20)" + enter)
	k.wait("_ =\r\n  [1,")
	k.wait("ein> ")
	k.press(":quit" + enter)
	k.leave()
}
