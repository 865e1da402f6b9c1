package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/question/verify"
	"ein/internal/table"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

type verifyFlags struct {
	python   string
	noPython bool
	limit    time.Duration
}

func verifyVerb(a *cli.App) *cobra.Command {
	f := &verifyFlags{limit: 20 * time.Second}
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
		RunE: a.Do(func(ctx context.Context, args []string) error { return verifyFile(ctx, a, args[0], f) }),
	}
	pythonFlag(cmd, &f.python)
	cmd.Flags().BoolVar(&f.noPython, "no-python", false, "leave the Python programs out")
	cli.Duration.Flag(cmd, &f.limit, "python-timeout", "most time for one Python program")
	cmd.MarkFlagsMutuallyExclusive("python", "no-python")
	return cmd
}

func verifyFile(ctx context.Context, a *cli.App, name string, f *verifyFlags) error {
	var s *verify.Summary
	var python *verify.Interpreter
	var missing error
	err := a.Through(ctx, "verifying", name, func(in *cli.File) error {
		if !f.noPython {
			if python, missing = verify.NewInterpreter(ctx, f.python, f.limit); missing == nil {
				defer python.Close()
			}
		}
		var writeErr, err error
		job := &verify.Job{Python: python, Report: func(d verify.Finding) {
			in.Progress.Done()
			if writeErr == nil {
				writeErr = a.Print(findingLine(in.Name(), &d))
			}
		}}
		if s, err = job.Run(ctx, in); err != nil {
			err = cli.Unreadable(in.Name(), err)
		}
		return cmp.Or(writeErr, err)
	})
	if err != nil {
		return err
	}
	if s.NoPython == nil {
		s.NoPython = missing
	}
	if err := a.Print(verifySummary(s, python, f.noPython)); err != nil {
		return err
	}
	var unavailable *verify.Unavailable
	if errors.As(s.NoPython, &unavailable) {
		what := "The Python programs were not run"
		if s.PythonRuns > 0 {
			what = fmt.Sprintf("Only %s of the Python programs were run", words.Count(s.PythonRuns))
		}
		a.Printf("ein: %s: %s\n%s\n", what, unavailable.Reason, unavailable.Help())
	}
	switch {
	case !s.Agrees():
		return cli.Status(cli.ExitWrong)
	case s.NoPython != nil:
		return cli.Status(cli.ExitOutside)
	}
	return nil
}

func findingLine(file string, d *verify.Finding) string {
	place := shown(fmt.Sprintf("%s:%d", file, d.Line))
	if d.ID != "" {
		place += ": " + shown(d.ID)
	}
	return place + ": " + shown(d.Message) + "\n"
}

// verifySummary is the table of disagreements and what was done.
func verifySummary(s *verify.Summary, python *verify.Interpreter, left bool) string {
	var b strings.Builder
	n := words.Count[int]
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
		fmt.Fprintf(&b, "%s no instance.\n", words.Plural(s.Unreadable, "line is", "lines are"))
	}
	if twice := total.Wrong[verify.Line]; twice > 0 {
		fmt.Fprintf(&b, "%s in the file already.\n", words.Plural(twice, "instance is", "instances are"))
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
