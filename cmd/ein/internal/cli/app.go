// Package cli provides what the verbs of ein share. It knows no verb.
//
// An [App] is one invocation: its streams, what the flags for all verbs say, and how errors are
// reported. [App.Execute] runs a command line and is the only place that decides an exit code; nothing
// below it exits, and a panic becomes a report of a bug. A verb's work is a function wrapped by
// [App.Do], which gives it a context that an interrupt ends.
//
// # Errors
//
// Work returns one of three errors, which [App.Fail] turns into a [Status]:
//
//   - an *ein.Error, with diagnostics: they are printed, with --json also as an object, and its class
//     decides the exit code. [Input] makes one for a file that cannot be used, [Stopped] for an
//     interrupt or a timeout.
//   - a Status: the user has been told, by [App.Usage] or [App.Outside].
//   - any other: its text is printed, and the exit code is [ExitWrong].
//
// [Resumable] marks an error after which the same command does the rest, so that it exits with
// [ExitOutside].
//
// # Input and output
//
// Results go to Out, everything else to Err. [App.Open] and [App.Through] read a file or standard
// input, with [Progress] where Err is a terminal; [App.Write] replaces a file whole. Reading and
// writing end with the context, even if they wait: await leaves the blocked call behind. A [Kind] is a
// type of flag, with its check, its completion and its message.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ein"
	"ein/internal/codes"
	"ein/internal/compact"
	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
)

// The exit codes.
const (
	ExitOK      = 0
	ExitWrong   = 1 // the program or its data
	ExitUsage   = 2
	ExitBug     = 3
	ExitLimit   = 4 // refused or stopped by a limit
	ExitOutside = 5 // part of a job could not be done for reasons outside
)

// App is one invocation: its streams and what the flags for all verbs say.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Args     []string // the command line, behind the name of the command
	Terminal bool     // Err is one
	Columns  int      // its width, 0 when unknown

	Color Color
	JSON  bool // results and failures are told on Out as JSON
	Form  int  // the version of that, 1 unless it is given

	// SetMemoryLimit is debug.SetMemoryLimit, nil in tests and where the
	// environment sets it.
	SetMemoryLimit func(bytes int64) int64

	stdinUsed bool
}

// New returns the invocation of this process.
func New() *App {
	a := &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	if IsTerminal(os.Stderr) {
		a.Terminal = true
		if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
			a.Columns = width
		}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		a.SetMemoryLimit = debug.SetMemoryLimit
	}
	return a
}

// Status is the error of a command that has already told the user what is wrong.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Execute runs the command line and gives the exit code. Nothing below it exits.
func (a *App) Execute(root *cobra.Command, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			a.bug(r, debug.Stack())
			code = ExitBug
		}
	}()
	a.Args = args
	root.SetArgs(args)
	root.SetIn(a.In)
	out := &helped{Writer: a.Out}
	root.SetOut(out)
	root.SetErr(a.Err)
	cmd, err := root.ExecuteC()
	if err == nil && out.err != nil {
		err = a.Fail(Unwritten("-", out.err))
	}
	var s Status
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &s):
		return int(s)
	}
	// Whatever verbs report comes as a status, so this is from cobra.
	hint := ""
	if flag, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var all, like, said []string
		name, before := flag.GetSpecifiedName(), cmd.Flags().Args()
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			all = append(all, f.Name)
			if strings.HasPrefix(f.Name, name) || strings.HasPrefix(name, f.Name) {
				like = append(like, f.Name)
			}
			about, _, _ := strings.Cut(f.Usage, " (")
			if f.Value.Type() != "bool" && slices.Contains(strings.FieldsFunc(about, func(r rune) bool { return !unicode.IsLetter(r) }), name) {
				said = append(said, f.Name)
			}
		})
		near, ok := diag.Suggest(name, all)
		switch {
		case cmd.HasSubCommands() && len(before) > 0: // it was to be a flag of that
			err = Verb(cmd, before)
		case strings.Contains(cmd.Use, "-- ") && len(before) > 0:
			hint = "; a command goes behind --"
		case ok:
			hint = fmt.Sprintf("; did you mean --%s?", near)
		case len(like) == 1:
			hint = fmt.Sprintf("; did you mean --%s?", like[0])
		case len(like) == 0 && len(said) == 1:
			hint = fmt.Sprintf("; did you mean --%s?", said[0])
		}
	}
	a.Printf("ein: %s%s\nTry `%s --help`.\n", reworded(cmd, err), hint, cmd.CommandPath())
	return ExitUsage
}

// helped keeps the error of writing help, which cobra does not return.
type helped struct {
	io.Writer
	err error
}

func (h *helped) Write(p []byte) (n int, err error) {
	n, err = h.Writer.Write(p)
	h.err = cmp.Or(h.err, err)
	return n, err
}

// reworded returns an error of cobra in our words: what was expected, where cobra counts arguments
// or names flags in its own way.
func reworded(cmd *cobra.Command, err error) string {
	text := err.Error()
	flags := func(names, between string) string {
		return "--" + strings.Join(strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(`", `, r) }), between+"--")
	}
	if before, found, ok := strings.Cut(text, " received "); ok && strings.HasSuffix(strings.TrimSuffix(before, " only"), "arg(s),") {
		n, _ := strconv.Atoi(found)
		return fmt.Sprintf("expected `%s`, found %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"), words.Plural(n, "argument"))
	}
	if found, ok := strings.CutPrefix(text, "invalid argument "); ok && strings.HasSuffix(found, fmt.Sprintf(" for %q", cmd.CommandPath())) {
		found, _, _ = strings.Cut(found, " for ")
		return fmt.Sprintf("expected `%s`, found %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"), found)
	}
	if found, ok := strings.CutPrefix(text, "unknown command "); ok && !cmd.HasSubCommands() {
		found, _, _ = strings.Cut(found, " for ")
		text = fmt.Sprintf("`%s` takes flags only, found %s", cmd.CommandPath(), found)
		if file, err := strconv.Unquote(found); err == nil && cmd.Flags().Lookup("instances") != nil {
			text += fmt.Sprintf("; did you mean --instances %s?", file)
		}
		return text
	}
	if names, ok := strings.CutPrefix(text, "required flag(s) "); ok {
		return flags(strings.TrimSuffix(names, " not set"), ", ") + " must be given"
	}
	if names, ok := strings.CutPrefix(text, "if any flags in the group ["); ok {
		names, _, _ = strings.Cut(names, "]")
		return flags(names, " and ") + " exclude each other"
	}
	if value, _, ok := strings.Cut(text, "strconv.ParseBool: "); ok {
		return value + "expected true or false"
	}
	return text
}

// Verbs make verbs, by their names.
type Verbs map[string]func(*App) *cobra.Command

// Verb refuses the arguments of a command that only has verbs, and suggests the verb that was
// meant.
func Verb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	all := lists.Map(cmd.Commands(), (*cobra.Command).Name)
	hint := ""
	deeper := slices.IndexFunc(cmd.Commands(), func(verb *cobra.Command) bool {
		return slices.ContainsFunc(verb.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] })
	})
	if deeper >= 0 {
		hint = fmt.Sprintf("; did you mean `%s %s`?", cmd.Commands()[deeper].CommandPath(), args[0])
	} else if near, ok := diag.Suggest(args[0], all); ok {
		hint = fmt.Sprintf("; did you mean `%s %s`?", cmd.CommandPath(), near)
	} else if filepath.Ext(args[0]) == ".ein" {
		hint = fmt.Sprintf("; did you mean `ein run %s`?", args[0])
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), hint)
}

// Do runs the work of a verb, in a context that ends when the user interrupts it.
func (a *App) Do(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		ctx, stop := a.Context(0)
		defer stop()
		return a.Fail(work(ctx, args))
	}
}

// Printf writes to standard error. If that fails, nobody can be told.
func (a *App) Printf(format string, args ...any) { _, _ = fmt.Fprintf(a.Err, format, args...) }

// Note tells the user something about a result that may be of interest.
func (a *App) Note(format string, args ...any) { a.Printf("ein: note: "+format+"\n", args...) }

// Usage reports a wrong command line.
func (a *App) Usage(format string, args ...any) error { return a.status(ExitUsage, format, args) }

// Outside reports a failure whose reason lies neither in the data nor in ein.
func (a *App) Outside(format string, args ...any) error { return a.status(ExitOutside, format, args) }

func (a *App) status(s Status, format string, args []any) error {
	a.Printf("ein: "+format+"\n", args...)
	return s
}

// Print writes a result.
func (a *App) Print(s string) error {
	_, err := io.WriteString(a.Out, s)
	return Unwritten("-", err)
}

// PrintJSON writes a result as one line of JSON.
func (a *App) PrintJSON(v any) error {
	b, err := compact.JSON(v)
	if err != nil {
		return err
	}
	return a.Print(string(b) + "\n")
}

// Result writes a result as text or JSON, as the user asked.
func (a *App) Result(v any, text func() string) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	return a.Print(text())
}

// Input returns the error of data, or of a file, that cannot be used. Line and hint may be left
// out.
func Input(code diag.Code, file string, line int, message, hint string) *ein.Error {
	return &ein.Error{Diags: diag.List{diag.Finding(code, diag.Error, file, line, 0, message, hint)}}
}

// Resumable gives an error the exit code of work that the same command resumes.
func Resumable(err error) error { return resumable{err} }

// resumable marks an error after which the same command goes on.
type resumable struct{ error }

func (r resumable) Unwrap() error { return r.error }

// ExitOf returns the exit code of an error.
func ExitOf(e *ein.Error) int {
	if e.Class() == diag.Limit {
		return ExitLimit
	} else if d := e.Diags.First(); d != nil && d.Code == codes.E0705 { // a flag for what the program does not have
		return ExitUsage
	}
	return ExitWrong
}

// Fail reports why a command could not do its work, unless it has been reported. The error is a
// Status, or nil for nil.
func (a *App) Fail(err error) error {
	var told Status
	var wrong *ein.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return told
	case Room(err) != "":
		return a.Outside("%v\n%s, then run the same command.", err, Room(err))
	case !errors.As(err, &wrong):
		return a.status(ExitWrong, "%v", []any{err})
	}
	a.Report(wrong.File, wrong.Diags.Told())
	if a.JSON {
		err := a.PrintJSON(wrong.JSON(max(a.Form, 1)))
		if o, ok := a.Out.(*Output); err != nil && (!ok || !o.left) { // else nobody reads it, which the stop has caused
			return a.Fail(err)
		}
	}
	if _, ok := errors.AsType[resumable](err); ok {
		return Status(ExitOutside)
	}
	return Status(ExitOf(wrong))
}

// Worse is the outcome of two pieces of work: being wrong counts for more than being stopped by a
// limit.
func Worse(a, b error) error {
	var x, y Status
	if errors.As(a, &x) && (!errors.As(b, &y) || y != ExitWrong) {
		return a
	}
	return b
}

// Report writes diagnostics to standard error.
func (a *App) Report(f *source.File, list diag.List) { _ = a.Text().Render(a.Err, list, f) }

func (a *App) bug(r any, stack []byte) {
	if a.JSON {
		j := Input("", "", 0, fmt.Sprint(r), "").JSON(max(a.Form, 1))
		j.Error.Class = diag.Bug.String()
		_ = a.PrintJSON(j)
	}
	a.Printf("ein: this is a bug in ein, not in your program: %v\n", r)
	a.Printf("Please report it with the program, the command line, the output of `ein version`, and this:\n\n%s", stack)
}

// Color is the value of --color.
type Color string

// The values of --color.
const (
	ColorAuto   Color = "auto"
	ColorAlways Color = "always"
	ColorNever  Color = "never"
)

// Colored decides whether diagnostics have colour. The flag has precedence over the environment, a
// wish for none over one for some, and both over what the terminal can do.
func (a *App) Colored() bool {
	set := func(name string) bool { v := a.Env(name); return v != "" && v != "0" }
	switch {
	case a.Color != "" && a.Color != ColorAuto:
		return a.Color == ColorAlways
	case a.Env("NO_COLOR") != "":
		return false
	case set("CLICOLOR_FORCE") || set("FORCE_COLOR"):
		return true
	}
	return a.Terminal && a.Env("TERM") != "dumb"
}

// Text returns the way in which diagnostics are shown.
func (a *App) Text() diag.Text { return diag.Text{Color: a.Colored(), Columns: a.Columns} }
