package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/question/verify"
	"ein/internal/table"
	"ein/lang/diag"
)

// exitOutside is the exit code of a job of which a part failed for reasons that
// lie neither in its data nor in ein.
const exitOutside = 5

type verifyFlags struct {
	python   string
	noPython bool
	limit    duration
}

func (a *app) benchVerifyCommand() *cobra.Command {
	f := &verifyFlags{limit: duration(20 * time.Second)}
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that every instance of a file is what it says",
		Long: `Checks every instance of a file (- is standard input) in three ways: it is made
again from its id, and must be the same byte for byte; its Ein program is run, and
must give its answer; its Python program is run by a Python with networkx, and must
give its answer. Prints every disagreement, and a table of their numbers.

The Python programs are those of the file. They are run as they are, without a
sandbox: with files that you do not trust, say --no-python, or believe the Python
half only where the rest agrees.

Exit codes: 0 when everything agrees, 1 when something does not, 5 when Python or
networkx is missing and the rest agrees.`,
		Example: `  ein bench verify heldout.jsonl
  ein bench verify heldout.jsonl --python venv/bin/python
  ein bench generate --seed 42 | ein bench verify - --no-python`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := a.context(0)
			defer stop()
			if err := a.benchVerify(ctx, args[0], f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.python, "python", "python3", "`command` of a Python with networkx")
	flags.BoolVar(&f.noPython, "no-python", false, "leave the Python programs out")
	flags.Var(&f.limit, "python-timeout", "most time for one Python program")
	cmd.MarkFlagsMutuallyExclusive("python", "no-python")
	return cmd
}

func (a *app) benchVerify(ctx context.Context, name string, f *verifyFlags) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var missing error
	var python *verify.Interpreter
	if !f.noPython {
		python, missing = verify.NewInterpreter(ctx, f.python, time.Duration(f.limit))
		if missing == nil {
			defer python.Close()
		}
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	p := a.progress("verifying "+in.name, in.size)
	var writeErr error
	job := &verify.Job{
		Python: python,
		Report: func(d verify.Finding) {
			p.done()
			if writeErr == nil {
				writeErr = a.print(findingLine(in.name, &d))
			}
		},
		Progress: p.add,
	}
	if missing != nil {
		job.Python = nil
	}
	s, err := job.Run(ctx, in)
	p.done()
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case writeErr != nil:
		return writeErr
	case err != nil:
		return inputProblem(newFinding("E0702", diag.Error, in.name, 0, 0, fmt.Sprintf("the file cannot be read: %v", cause(err)), ""))
	}
	if s.NoPython == nil {
		s.NoPython = missing
	}
	if err := a.print(verifySummary(s, python, f.noPython)); err != nil {
		return err
	}
	var unavailable *verify.Unavailable
	if errors.As(s.NoPython, &unavailable) {
		what := "The Python programs were not run"
		if s.PythonRuns > 0 {
			what = fmt.Sprintf("Only %s of the Python programs were run", formatCount(uint64(s.PythonRuns)))
		}
		a.printf("ein: %s: %s\n%s\n", what, unavailable.Reason, unavailable.Help())
	}
	switch {
	case !s.Agrees():
		return status(exitWrong)
	case s.NoPython != nil:
		return status(exitOutside)
	}
	return nil
}

// add counts what has been read and dealt with.
func (p *progress) add(n int) {
	if p.w == nil {
		return
	}
	p.n += int64(n)
	p.show()
}

func findingLine(file string, d *verify.Finding) string {
	place, _ := diag.Display(fmt.Sprintf("%s:%d", file, d.Line))
	if d.ID != "" {
		id, _ := diag.Display(d.ID)
		place += ": " + id
	}
	message, _ := diag.Display(d.Message)
	return place + ": " + message + "\n"
}

// verifySummary is the table of disagreements and what was done.
func verifySummary(s *verify.Summary, python *verify.Interpreter, left bool) string {
	var b strings.Builder
	n := func(n int) string { return formatCount(uint64(n)) }
	total := s.Total()
	if total.Instances > 0 {
		rows := [][]string{{"disagreements", "instances", "digest", "generated", "Ein", "Python"}}
		for _, r := range append(s.Rows, total) {
			py := n(r.Wrong[verify.Python])
			if s.PythonRuns == 0 {
				py = "-"
			}
			rows = append(rows, []string{r.Category, n(r.Instances), n(r.Wrong[verify.Digest]), n(r.Wrong[verify.Generated]), n(r.Wrong[verify.Ein]), py})
		}
		b.WriteString(table.Of(rows).Text() + "\n")
	} else {
		b.WriteString("There are no instances in the file.\n")
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(&b, "%s no instance.\n", pluralVerb(s.Unreadable, "line is", "lines are"))
	}
	if twice := total.Wrong[verify.Line]; twice > 0 {
		fmt.Fprintf(&b, "%s in the file already.\n", pluralVerb(twice, "instance is", "instances are"))
	}
	switch {
	case left:
		b.WriteString("The Python programs were left out, as asked for with --no-python.\n")
	case s.NoPython != nil && s.PythonRuns == 0:
		b.WriteString("The Python programs were NOT run: there is no Python with networkx.\n")
	case s.NoPython != nil:
		fmt.Fprintf(&b, "Only %s of %s Python programs were run: the interpreter failed.\n", n(s.PythonRuns), n(total.Instances))
	case python != nil && total.Instances > 0:
		fmt.Fprintf(&b, "The Python programs were run by Python %s with networkx %s.\n", python.Version, python.NetworkX)
	}
	switch {
	case total.Instances == 0:
	case s.Agrees():
		b.WriteString("Everything that was checked agrees.\n")
	default:
		b.WriteString("There are disagreements.\n")
	}
	return b.String()
}

func pluralVerb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return formatCount(uint64(n)) + " " + many
}
