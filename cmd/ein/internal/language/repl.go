package language

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ein/bind/project"
	"ein/internal/job"
	"ein/internal/version"
	"ein/lang"
	"ein/repl"
	"ein/vm/cost"

	"ein/cmd/ein/internal/cli"
)

type replFlags struct {
	limitFlags
	full, labels bool
	history      string
	bind         string // a file
}

func replVerb(a *cli.App) *cobra.Command {
	f := &replFlags{limitFlags: limitFlags{memory: repl.DefaultMemory}}
	cmd := &cobra.Command{
		Use:   "repl",
		Short: "Start an interactive session",
		Long: `Starts an interactive session, as does ein alone. Each entry is checked against all
earlier ones and runs at once; :help lists the session's commands.

Without a terminal, the session reads statements from standard input and prints only
results; if the last entry is an assignment, it prints its value. The exit code is 1
if any entry was wrong, and 4 if entries failed only because of a limit.

Limits apply to each entry; the memory limit covers all values together. Entries typed
on a terminal are saved in ein/history under $XDG_STATE_HOME, or ~/.local/state.`,
		Example: `  ein repl
  ein repl --timeout 10s
  echo 'A = edges([[0, 1], [1, 2]], 3); B = tc(A)' | ein`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return a.Fail(session(a, f)) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.labels, "labels", true, "show nodes by label")
	flags.BoolVar(&f.full, "full", false, "show large values in full")
	flags.StringVar(&f.history, "history", "", "`file` for the history (default: in the state folder), or none")
	f.add(cmd, " of an entry", "the values of an entry (default: no limit)")
	bindFlag(cmd, &f.bind)
	return cmd
}

// terminalIn is standard input if it is a terminal.
func terminalIn(a *cli.App) (*os.File, bool) {
	f, ok := a.In.(*os.File)
	if out, is := a.Out.(*os.File); is {
		cli.IsTerminal(out) // readies it for escape sequences
	}
	return f, ok && cli.IsTerminal(f)
}

// size returns the size of the first that is a terminal, 0 and 0 if none is.
func size(of ...any) (columns, rows int) {
	for _, w := range of {
		if file, ok := w.(*os.File); ok {
			if columns, rows, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
				return columns, rows
			}
		}
	}
	return 0, 0
}

func columns(of any) int {
	n, _ := size(of)
	return n
}

// session runs the interactive session. Without a terminal it reads plain lines, with no history
// and no pager, so that a script can drive it.
func session(a *cli.App, f *replFlags) error {
	said, err := settings(f.bind, ".")
	if err != nil {
		return err
	}
	if f.limitFlags, err = f.lowered(&said); err != nil {
		return err
	}
	l := &repl.Loop{
		Session: repl.New(repl.Config{
			Limits: cost.Limits{MaxBytes: f.memory, MaxOps: f.ops, MaxOutputElements: f.output, Strict: f.strict},
			Full:   f.full, Numbers: !f.labels, Columns: func() int { return columns(a.Out) }, Files: &sessionFiles{a}, Home: repl.Home(a.Env), Tables: tables,
			Watch: func() (func(func() string, uint64, uint64), func()) {
				line := a.Progress("")
				return line.Share, line.Done
			},
			Settings: func(program string) (project.Settings, error) { return settings(f.bind, program) },
		}),
		Out: func(ctx context.Context) io.Writer { return &cli.Output{W: a.Out, Ctx: ctx} }, Err: a.Err, Text: a.Text(),
		Context: func() (context.Context, func()) { return a.Context(f.timeout) },
	}
	in, interactive := terminalIn(a)
	if !interactive {
		l.Lines = repl.NewPlain(a.In)
		return ended(l.Run())
	}
	history := repl.Path(f.history, repl.Home(a.Env))
	switch history {
	case "":
		history = repl.HistoryFile(a.Env)
	case "none":
		history = ""
	}
	defer restoring(in)()
	var lines repl.LineReader = prompted{repl.NewPlain(in), a}
	smart := a.Env("TERM") != "dumb"
	if smart {
		t, err := openTerminal(a, in, history, l)
		if err != nil {
			return fmt.Errorf("cannot use the terminal: %w", err)
		}
		defer func() { _ = t.Close() }()
		lines = t
	}
	keys := &interrupts{lines, f.timeout, make(chan os.Signal, 1)}
	signal.Notify(keys.signals, os.Interrupt)
	defer signal.Stop(keys.signals)
	l.Lines, l.Context, l.Interactive = keys, keys.context, true
	if smart && columns(a.Out) > 0 {
		l.Page = repl.Pager(cmp.Or(strings.TrimSpace(a.Env("PAGER")), "less"), a.Out)
	}
	if err := a.Print(version.Line(lang.Version) + ". :help lists the commands, Ctrl-D leaves.\n"); err != nil {
		return err
	}
	return ended(l.Run())
}

func openTerminal(a *cli.App, in *os.File, history string, l *repl.Loop) (*repl.Terminal, error) {
	return repl.OpenTerminal(repl.TerminalOptions{
		In: in, Out: a.Out, Err: a.Err, History: history, Color: a.Colored(), Complete: l.Complete,
		Size: func() (int, int) {
			columns, rows := size(a.Out, a.In)
			return cmp.Or(columns, 80), cmp.Or(rows, 24)
		},
	})
}

// prompted reads lines from a terminal that cannot move its cursor, as a shell in Emacs.
type prompted struct {
	*repl.Plain
	a *cli.App
}

func (p prompted) ReadLine(prompt string) (string, error) {
	if err := p.a.Print(prompt); err != nil {
		return "", err
	}
	return p.Plain.ReadLine(prompt)
}

// restoring resets the terminal if the session is ended from outside, which its reader does not
// notice. The function that it returns ends the watch.
func restoring(tty *os.File) func() {
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return func() {}
	}
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-signals:
			_ = term.Restore(int(tty.Fd()), state)
			signal.Reset(s)
			if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
				os.Exit(cli.ExitWrong)
			}
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// interrupts makes Ctrl-C end the running entry, and nothing else. While a line is read, the
// terminal sends no signal for it. The handler is always installed: between reading and running, a
// signal would end the session.
type interrupts struct {
	repl.LineReader
	timeout time.Duration // of each entry
	signals chan os.Signal
}

// ReadLine forgets a signal that came too late for the previous entry, or at the prompt of a dumb terminal.
func (i *interrupts) ReadLine(prompt string) (string, error) {
	line, err := i.LineReader.ReadLine(prompt)
	select {
	case <-i.signals:
	default:
	}
	return line, err
}

// context returns the context of an entry. A second signal ends the command, in case the entry does
// not end.
func (i *interrupts) context() (context.Context, func()) {
	ctx, cancel := cli.Within(context.Background(), i.timeout)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-i.signals:
			signal.Stop(i.signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	// The goroutine ends before the context of the entry is given up, so that
	// whether it was interrupted is settled.
	return ctx, func() {
		cancel()
		<-watching
		signal.Notify(i.signals, os.Interrupt)
	}
}

// ended returns the outcome of a session.
func ended(err error) error {
	switch {
	case errors.Is(err, repl.ErrBug):
		return cli.Status(cli.ExitBug)
	case errors.Is(err, repl.ErrFailed):
		return cli.Status(cli.ExitWrong)
	case errors.Is(err, repl.ErrLimit):
		return cli.Status(cli.ExitLimit)
	}
	return err
}

// sessionFiles is the file system as a session sees it. Standard input is the
// session's own.
type sessionFiles struct{ a *cli.App }

// Open implements repl.Files.
func (f *sessionFiles) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return nil, errors.New("standard input is read by the session")
	}
	file, err := openData(ctx, f.a, name)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return file, err
}

// Write implements repl.Files. The session says which file it is.
func (f *sessionFiles) Write(name string, data []byte) error {
	return job.ReplaceBytes(name, data)
}

// Same implements repl.Files.
func (f *sessionFiles) Same(a, b string) bool { return cli.SameFile(a, b) }

// Complete implements repl.Files.
func (f *sessionFiles) Complete(prefix string) []string {
	dir, base := filepath.Split(prefix)
	list, _ := os.ReadDir(cmp.Or(dir, ".")) // what cannot be read has nothing to offer
	var names []string
	for _, e := range list {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, dir+name)
	}
	return names
}
