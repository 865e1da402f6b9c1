package benchmark

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/question/audit"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/lists"

	"ein/cmd/ein/internal/cli"
)

// auditFlags holds the flags of ein bench audit.
type auditFlags struct {
	*sharding
	noPython       bool
	python, output string
}

func auditVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &auditFlags{sharding: s, python: python()}
	cmd := &cobra.Command{
		Use:   "audit FILE...",
		Short: "Measure how well instances can be answered without solving them",
		Long: `Reports for each category how often an answer is right without solving the question:
by giving the most common answer, by the best guess from what a decoy says, and by
training simple learners on features that take no search. The feature sets are

  form    lengths, counts, mentions and positions in the text
  local   form, and degrees and direct edges of the nodes in the question
  decoys  local, and what all decoys say

The learners come from scikit-learn; without it, audit says so and prints the rest. Seven
of ten instances train a learner, the rest test it: meaningful figures need a few thousand
instances of each category.

With --shard I/N, audit handles some of the categories and writes its findings to the
folder of -o; ein bench merge makes the tables.`,
		Example: `  ein bench generate --split audit --per-category 3500 -o cb2.jsonl
  ein bench audit cb2.jsonl --python venv/bin/python`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			if f.noPython {
				f.python = ""
			}
			return f.stopped(ctx, a, auditFiles(ctx, a, args, f))
		}),
	}
	a.JSONFlag(cmd, "print one JSON object, with every decoy and every learner")
	f.flag(cmd)
	outputFlag(cmd, &f.output)
	cmd.Flags().StringVar(&f.python, "python", f.python, "`command` of a Python with scikit-learn")
	cmd.Flags().BoolVar(&f.noPython, "no-python", false, "skip the learners")
	return cmd
}

// auditFiles reports on the categories in the files. A shard has a range of category.Table, since
// a learner needs all instances of its category; its one record is a whole report.
func auditFiles(ctx context.Context, a *cli.App, names []string, f *auditFlags) error {
	if err := kept(a, f.output, names...); err != nil {
		return err
	}
	if err := f.plan(ctx, a, f.output, len(category.Table), names); err != nil {
		return err
	}
	switch {
	case f.merged != nil:
		return f.tell(a, func() (*audit.Report, error) { return f.gather(ctx) })
	case !f.on():
		return f.tell(a, func() (*audit.Report, error) { return f.report(ctx, a, names, nil) })
	}
	return f.make(ctx, a, f.output, func(p *job.Part) (*job.Done, error) {
		d := &job.Done{}
		d.From, d.To = f.Of(int64(len(category.Table)))
		report, err := f.report(ctx, a, names, func(name string) bool {
			i := int64(slices.IndexFunc(category.Table, func(c category.Category) bool { return c.Name == name }))
			return d.From <= i && i < d.To
		})
		switch {
		case err != nil:
			return nil, err
		case report.Missing != "" && f.python != "": // another attempt, or another machine, may have it
			return nil, a.Outside("the shard is not complete: %s", report.Missing)
		case p.Done() > 0: // it was stopped when all was written
			_, _, err = p.Again()
		default:
			err = compact.Write(part{p, f.output}, report)
		}
		d.Items = 1
		return d, err
	})
}

// tell writes a report to the output, which is opened first: hours of learning would be lost if it
// could not be written.
func (f *auditFlags) tell(a *cli.App, of func() (*audit.Report, error)) error {
	return a.Write(f.output, func(w io.Writer) error {
		report, err := of()
		switch {
		case err != nil:
			return err
		case a.JSON:
			return compact.Write(w, report)
		}
		_, err = io.WriteString(w, report.Text())
		return err
	})
}

// gather joins the reports of the shards and puts their categories in the order of an undivided
// report.
func (f *auditFlags) gather(ctx context.Context) (*audit.Report, error) {
	all := &audit.Report{}
	lines := json.NewDecoder(f.merged.open(ctx))
	var learners []string
	for range f.merged.done {
		var r audit.Report
		if err := lines.Decode(&r); err != nil {
			return nil, fmt.Errorf("a report of a shard cannot be read: %w", err)
		}
		all.Categories, all.Missing, all.Large = append(all.Categories, r.Categories...), r.Missing, r.Large
		learners = lists.Add(learners, r.Learner)
	}
	all.Learner = strings.Join(learners, ", and by ")
	slices.SortStableFunc(all.Categories, func(x, y *audit.Category) int { return x.First - y.First })
	return all, nil
}

// report audits the categories that want selects; all of them if it is nil.
func (f *auditFlags) report(ctx context.Context, a *cli.App, names []string, want func(category string) bool) (report *audit.Report, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = cli.StoppedWhile(ctx, "the instances were being audited")
		}
	}()
	var again duplicates
	report, err = audit.Collect(ctx, want, func(yield func(*instance.Instance, error) bool) {
		for _, name := range names {
			err := readInstances(ctx, a, name, instance.Read, func(all instances) error {
				for in, err := range again.in(all) {
					if err != nil {
						return err
					}
					if !yield(in, nil) {
						return nil
					}
				}
				return nil
			})
			if err != nil {
				yield(nil, err)
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	again.tell(a)
	report.Missing = "left out, as asked for with --no-python"
	if f.python != "" {
		report.Missing = ""
		err = report.Learn(ctx, f.python, func(done int) { a.Printf("ein: learned %d of %d categories\n", done, len(report.Categories)) })
	}
	return report, err
}
