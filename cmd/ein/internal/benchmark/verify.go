package benchmark

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/question/verify"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/table"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// verifyFlags holds the flags of ein bench verify.
type verifyFlags struct {
	*sharding
	python   string
	output   string
	noPython bool
	limit    time.Duration
}

// verifyVerb declares ein bench verify.
func verifyVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &verifyFlags{sharding: s, limit: 20 * time.Second}
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check every instance against its id and its programs",
		Long: `Checks every instance of a file (- is standard input) in four ways: its id must give
the same bytes, and its programs must give its answer: in Ein, in facts and rules, and in
Python, run by a Python with networkx. verify prints every disagreement and a table of
their numbers.

The Python programs in the file run as they are, without a sandbox. For files you do not
trust, use --no-python, or believe the Python check only where the others agree.

Exit codes: 0 when everything agrees, 1 when something does not, 5 when Python or
networkx is missing and the rest agrees.

` + shardHelp,
		Example: `  ein bench verify heldout.jsonl
  ein bench verify heldout.jsonl --python venv/bin/python
  ein bench generate --seed 42 | ein bench verify - --no-python`,
		Args: cobra.ExactArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			return f.stopped(ctx, a, verifyFile(ctx, a, args[0], f))
		}),
	}
	pythonFlag(cmd, &f.python)
	outputFlag(cmd, &f.output)
	f.flag(cmd)
	cmd.Flags().BoolVar(&f.noPython, "no-python", false, "skip the Python programs")
	cli.Duration.Flag(cmd, &f.limit, "python-timeout", "maximum time for one Python program")
	cmd.MarkFlagsMutuallyExclusive("python", "no-python")
	return cmd
}

// verifyFile writes the findings to the output. An exit code that tells of findings is returned
// only after the file is written, since [cli.App.Write] drops the file on an error.
func verifyFile(ctx context.Context, a *cli.App, name string, f *verifyFlags) error {
	if f.output != "-" && !f.on() {
		if err := kept(a, f.output, name); err != nil {
			return err
		}
		var status error
		err := a.Write(f.output, func(w io.Writer) error {
			var told cli.Status
			err := verifyTo(ctx, a, name, f, func(s string) error { _, err := io.WriteString(w, s); return err })
			if errors.As(err, &told) && told != cli.ExitUsage {
				status, err = err, nil // it is in the report
			}
			return err
		})
		return cmp.Or(err, status)
	}
	return verifyTo(ctx, a, name, f, a.Print)
}

// verifyTo checks the instances of a file, or of the shard, and prints each disagreement when it
// is found and a table at the end; a shard has no table. If the rest agrees, a missing Python is
// an exit code of its own.
func verifyTo(ctx context.Context, a *cli.App, name string, f *verifyFlags, print func(string) error) error {
	s := verify.NewSummary()
	var versions []string // of Python
	err := a.Through(ctx, "verifying", name, func(in *cli.File) (err error) {
		add := func(it *verify.Record) error {
			for _, d := range s.Add(it) {
				in.Progress.Done()
				if err := print(findingLine(in.Name(), &d)); err != nil {
					return err
				}
			}
			return nil
		}
		if f.on() || f.merged != nil {
			versions, err = f.verifyShards(ctx, a, in, s, add)
			return err
		}
		versions, err = f.each(ctx, in.Name(), in, s, add)
		return err
	})
	if err != nil || f.on() {
		return err
	}
	if err := print(verifySummary(s, versions, f.noPython)); err != nil {
		return err
	}
	if unavailable, ok := errors.AsType[*verify.Unavailable](s.NoPython); ok {
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

// each verifies the instances in lines and returns the version of Python that ran the programs.
func (f *verifyFlags) each(ctx context.Context, name string, lines io.Reader, s *verify.Summary, emit func(*verify.Record) error) (versions []string, err error) {
	j := &verify.Job{}
	if !f.noPython {
		var missing error
		if j.Python, missing = verify.NewInterpreter(ctx, f.python, f.limit); missing == nil {
			defer j.Python.Close()
			versions = append(versions, fmt.Sprintf("Python %s with networkx %s", j.Python.Version, j.Python.NetworkX))
		} else {
			j.Python, s.NoPython = nil, missing
		}
	}
	var unwritten error
	failed, err := j.Each(ctx, lines, func(it *verify.Record) error { unwritten = emit(it); return unwritten })
	if err != nil && unwritten == nil {
		err = cli.Unreadable(name, err)
	}
	s.NoPython = cmp.Or(s.NoPython, failed)
	return versions, err
}

// verifyShards makes one shard or, in a merge, adds up the records of all. A shard without Python
// stays incomplete: otherwise the merged report would depend on the machines.
func (f *verifyFlags) verifyShards(ctx context.Context, a *cli.App, in *cli.File, s *verify.Summary, add func(*verify.Record) error) (versions []string, err error) {
	err = f.ofLines(ctx, a, f.output, in, nil, func(lines io.Reader, _ int64, p *job.Part) (n int, notes []job.Field, err error) {
		before := bufio.NewReader(lines)
		for ; n < p.Done(); n++ { // those that were verified before the interruption
			for more := true; more && err == nil; {
				_, more, err = before.ReadLine()
			}
			if _, _, againErr := p.Again(); err != nil || againErr != nil {
				return n, nil, cmp.Or(againErr, err)
			}
		}
		versions, err := f.each(ctx, in.Name(), before, s, func(it *verify.Record) error {
			n++
			it.Line = n
			return compact.Write(part{p, f.output}, it)
		})
		switch {
		case err != nil:
			return n, nil, err
		case s.NoPython != nil: // another attempt, or another machine, may have it
			return n, nil, a.Outside("the shard is not complete: %v", s.NoPython)
		}
		for _, v := range versions {
			notes = append(notes, job.Field{Name: "python", Value: v})
		}
		return n, notes, nil
	})
	if err != nil || f.on() {
		return nil, err
	}
	lines, before := f.merged.open(ctx), 0
	for _, d := range f.merged.done {
		for range d.Items {
			it := &verify.Record{}
			line, err := lines.ReadBytes('\n')
			if err == nil {
				err = json.Unmarshal(line, it)
			}
			if err != nil {
				return nil, fmt.Errorf("a record of a shard cannot be read: %w", err)
			}
			it.Line += before
			if err := add(it); err != nil {
				return nil, err
			}
		}
		before += d.Items
	}
	return f.merged.notes("python"), nil
}

// findingLine is a disagreement as one line, which editors find the place by.
func findingLine(file string, d *verify.Finding) string {
	place := shown(fmt.Sprintf("%s:%d", file, d.Line))
	if d.ID != "" {
		place += ": " + shown(d.ID)
	}
	return place + ": " + shown(d.Message) + "\n"
}

// verifySummary returns the table of disagreements, with what was checked and how.
func verifySummary(s *verify.Summary, versions []string, left bool) string {
	var b strings.Builder
	n := words.Count[int]
	total := s.Total()
	if total.Instances > 0 {
		rows := [][]string{{"disagreements", "instances", "digest", "generated", "Ein", "rules", "Python"}}
		for _, r := range append(s.Rows(), total) {
			py := n(r.Wrong[verify.Python])
			if s.PythonRuns == 0 {
				py = "-"
			}
			rows = append(rows, []string{r.Category, n(r.Instances), n(r.Wrong[verify.Digest]), n(r.Wrong[verify.Generated]), n(r.Wrong[verify.Ein]), n(r.Wrong[verify.Rules]), py})
		}
		b.WriteString(table.Of(rows).Text() + "\n")
	} else {
		b.WriteString("There are no instances in the file.\n")
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(&b, "%s.\n", words.Plural(s.Unreadable, "line is not an instance", "lines are not instances"))
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
	case len(versions) > 0 && total.Instances > 0:
		fmt.Fprintf(&b, "The Python programs were run by %s.\n", strings.Join(versions, ", and by "))
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
