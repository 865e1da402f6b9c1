// Command ein checks, explains and runs programs of the tensor-logic language
// Ein. Results go to standard output, everything else to standard error.
package main

import (
	"ein/lang/diag"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// The exit codes. 5 is for long jobs that failed in part for outside reasons.
const (
	exitOK    = 0
	exitWrong = 1 // the program or its data
	exitUsage = 2
	exitBug   = 3
	exitLimit = 4 // refused or stopped by a limit
)

func main() {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		a.terminal = true
		if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
			a.columns = width
		}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		a.setMemoryLimit = debug.SetMemoryLimit
	}
	os.Exit(a.execute(a.root(), os.Args[1:]))
}

// app is one invocation: its streams and what the flags for all verbs say.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	terminal bool // err is one
	columns  int  // its width, 0 when unknown

	color     colorMode
	json      bool // failures are told on out as JSON too
	version   int  // of the form of that, 1 unless it is given
	stdinUsed bool

	// setMemoryLimit is that of package debug, nil in tests and where the
	// environment sets it; expected is what it was last set for.
	setMemoryLimit func(bytes int64) int64
	expected       uint64
}

// status is the error of a command that has told the user already what is wrong.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// execute runs the command line and gives the exit code. Nothing below it exits.
func (a *app) execute(root *cobra.Command, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			a.bug(r, debug.Stack())
			code = exitBug
		}
	}()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteC()
	var s status
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	}
	// Whatever commands report comes as a status, so this is from cobra.
	a.printf("ein: %v\nTry `%s --help`.\n", err, cmd.CommandPath())
	return exitUsage
}

// printf writes to standard error. That it fails cannot be told anywhere.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.err, format, args...) }

// usage reports a wrong command line.
func (a *app) usage(format string, args ...any) error {
	a.printf("ein: "+format+"\n", args...)
	return status(exitUsage)
}

// wrote turns the error of writing a result into the outcome of a command.
func (a *app) wrote(err error) error {
	if err == nil {
		return nil
	}
	a.printf("ein: cannot write the output: %v\n", err)
	return status(exitWrong)
}

func (a *app) bug(r any, stack []byte) {
	if a.json {
		_ = a.writeError(diag.Bug, nil, diag.List{newFinding("", diag.Error, "", 0, 0, fmt.Sprint(r), "")})
	}
	a.printf("ein: this is a bug in ein, not in your program: %v\n", r)
	a.printf("Please report it with the program, the command line, the output of `ein version`, and this:\n\n%s", stack)
}

const rootHelp = `Ein is a tensor-logic language: logical rules and Einstein summation are the
same operation. Programs are short, have no loops, and their cost is known
before they run.

Exit codes: 0 done, 1 the program or its data is wrong, 2 wrong command line,
3 a bug in ein, 4 refused or stopped by a limit, 5 part of the work could not be
done for reasons outside, and the same command goes on: a provider that refuses,
an interrupt of a long job, no Python with networkx, no sandbox`

func (a *app) root() *cobra.Command {
	// A flag of our own: that of cobra needs text/template to print as we do, whose
	// calls by name make the linker keep every method of the binary, 5 MB of them.
	var asked bool
	root := &cobra.Command{
		Use:   "ein",
		Short: "Run, check and explain tensor-logic programs",
		Long:  rootHelp,
		Example: `  ein run program.ein
  ein run program.ein --input A=transfers.csv --labels
  ein check *.ein
  ein doc tc`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked {
				return a.printVersion()
			}
			if _, ok := a.terminalIn(); !ok {
				return cmd.Help()
			}
			session, _, err := cmd.Root().Find([]string{"repl"})
			if err != nil {
				return err
			}
			return session.RunE(session, nil)
		},
	}
	root.Flags().BoolVarP(&asked, "version", "v", false, "version for ein")
	root.PersistentFlags().Var(&a.color, "color", "colour in diagnostics: auto, always or never")
	complete(root, "color", colorNames...)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(a.helpCommand())
	root.AddCommand(a.runCommand(), a.checkCommand(), a.fmtCommand(), a.costCommand(), a.explainCommand(),
		a.buildCommand(), a.disCommand(), a.docCommand(), a.replCommand(), a.benchCommand(), a.lspCommand(), a.versionCommand(), a.completionCommand())
	return root
}

// helpCommand is cobra's, but a verb that does not exist is an error.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Describe a verb",
		Example: "  ein help run",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			verb, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return a.usage("there is no verb %s", strings.Join(args, " "))
			}
			return verb.Help()
		},
	}
}

// complete offers fixed values for a flag. It fails only for flags that do not
// exist.
func complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("BUG: ein: " + err.Error())
	}
}
