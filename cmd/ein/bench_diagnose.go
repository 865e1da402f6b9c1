package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/diagnose"
	"ein/bench/exec"
)

type diagnoseFlags struct {
	instances, replies, out string
	json                    bool
}

// The files of a run directory that are read.
const (
	runInstances = "instances.jsonl"
	runReplies   = "replies.jsonl"
)

func (a *app) benchDiagnoseCommand() *cobra.Command {
	f := &diagnoseFlags{}
	cmd := &cobra.Command{
		Use:   "diagnose [DIR]",
		Short: "Say why wrong answers are wrong",
		Long: `Attributes every wrong reply by counterfactual execution. The files are those of
--instances and --replies, or ` + runInstances + ` and ` + runReplies + ` in DIR.

The graph in a wrong Ein program is compared with the true one, and the program is
run again with the true edges in it:

  graph_reading  it is right then
  logic          its edges are right already
  both           its edges are wrong, and with the true ones it still is
  no_graph       it has no graph in it

For a wrong direct answer, the program of the instance is run under misreadings of
the question: edges reversed or undirected, in-degrees for out-degrees
(direction_confusion); paths of at most 1, 2 or 3 edges (depth_truncation); one term
of a mean off by one (accumulation_drift); the source counted in or out
(source_inclusion); one edge dropped, reversed or added (single_edge_misread). Those
that give the model's answer are found. The table counts the most specific, that is,
the one there are fewest of. With many misreadings some agree by chance: how many
were tried is in every finding.

A reply is a program when its "mode" is ein, and a direct answer when it is direct
or cot; without a mode, when it has no JSON answer and a program. Python programs
are left out. With -o, one record for each wrong reply is written.`,
		Example: `  ein bench diagnose --instances heldout.jsonl --replies replies.jsonl -o findings.jsonl
  ein bench diagnose runs/model-ein`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = f.json
			ctx, stop := a.context(0)
			defer stop()
			if len(args) == 1 {
				if f.instances != "" || f.replies != "" {
					return a.usage("give DIR, or --instances and --replies")
				}
				f.instances, f.replies = filepath.Join(args[0], runInstances), filepath.Join(args[0], runReplies)
			}
			if err := a.benchDiagnose(ctx, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print the table as one JSON object")
	a.joinFlags(cmd, &f.instances, &f.replies, &f.out)
	return cmd
}

func (a *app) benchDiagnose(ctx context.Context, f *diagnoseFlags) error {
	newWorker := func() func(context.Context, *exec.Item) (*diagnose.Record, error) {
		e := exec.New(exec.Options{})
		return func(ctx context.Context, it *exec.Item) (*diagnose.Record, error) { return diagnose.Reply(ctx, e, it) }
	}
	report := diagnose.NewReport()
	notes, err := joined(ctx, a, f.instances, f.replies, f.out, newWorker, func(w io.Writer, _ *exec.Item, r *diagnose.Record) error {
		report.Add(r)
		if !r.Wrong() {
			return nil
		}
		return writeJSON(w, r)
	})
	if err != nil {
		return err
	}
	report.Finish(notes)
	if f.json {
		return a.wrote(writeJSON(a.out, report))
	}
	return a.print(report.Text() + noteText(notes))
}
