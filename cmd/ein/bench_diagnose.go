package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"ein/bench/answer"
	"ein/bench/diagnose"
	"ein/bench/exec"
	"ein/bench/replies"
	"ein/bench/run"
	"ein/bench/sft"
	"ein/lang/diag"
)

type diagnoseFlags struct {
	instances, replies, out string
	box                     boxFlags
	json                    bool
}

func (a *app) benchDiagnoseCommand() *cobra.Command {
	f := &diagnoseFlags{}
	cmd := &cobra.Command{
		Use:   "diagnose [DIR]",
		Short: "Say why wrong answers are wrong",
		Long: `Attributes every wrong reply by counterfactual execution. DIR is that of a run,
whose scores have what was found, and there is a table for each mode; or give
--instances and --replies.

The graph in a wrong program is compared with the true one, and the program is run
again with the true edges in it:

  graph_reading  it is right then
  logic          its edges are right already
  both           its edges are wrong, and with the true ones it still is
  no_graph       it has no graph in it

Of a Python program the graph is what is written as such: pairs, calls of add_edge
or of append, a dictionary or a list of lists, a 0/1 matrix, or lines of a text. One
that computes its edges has none. Python programs are run in a sandbox; where there
is none, the exit code is 5.

For a wrong direct answer, the program of the instance is run under misreadings of
the question: edges reversed or undirected, in-degrees for out-degrees
(direction_confusion); paths of at most 1, 2 or 3 edges (depth_truncation); one term
of a mean off by one (accumulation_drift); the source counted in or out
(source_inclusion); one edge dropped, reversed or added (single_edge_misread). Those
that give the model's answer are found. The table counts the most specific, that is,
the one there are fewest of. With many misreadings some agree by chance: how many
were tried is in every finding.

Errors of which nothing is asked count too: execution is programs that give no
answer, format replies without an answer of the right type, no_answer no reply.

A reply is a program when its "mode" is ein or python, and a direct answer when it
is direct or cot; without a mode, when it has no JSON answer and a program. With
-o, one record for each wrong reply is written.`,
		Example: `  ein bench diagnose --instances heldout.jsonl --replies replies.jsonl -o findings.jsonl
  ein bench diagnose runs/model-ein`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = f.json
			ctx, stop := a.context(0)
			defer stop()
			var err error
			switch {
			case len(args) == 0:
				err = a.interrupted(ctx, a.benchDiagnose(ctx, f))
			case f.instances != "" || f.replies != "":
				return a.usage("give DIR, or --instances and --replies")
			default:
				err = a.diagnoseRun(f, args[0])
			}
			if err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	f.box.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the table as one JSON object")
	a.joinFlags(cmd, &f.instances, &f.replies, &f.out)
	return cmd
}

func (a *app) benchDiagnose(ctx context.Context, f *diagnoseFlags) error {
	box, err := f.box.lazy(ctx, a, 0)
	if err != nil {
		return err
	}
	defer box.close()
	newWorker := func() func(context.Context, *exec.Item) (*diagnose.Record, error) {
		j := diagnose.NewJudge(exec.New(exec.Options{}), box)
		return func(ctx context.Context, it *exec.Item) (*diagnose.Record, error) {
			v, err := j.Reply(ctx, it)
			if err == nil && v.Outcome == answer.InfraError && it.Error == "" {
				err = box.missing()
			}
			if err != nil {
				return nil, err
			}
			return diagnose.NewRecord(it.Question, it.Mode, v), nil
		}
	}
	report := diagnose.NewReport()
	notes, err := joined(ctx, a, join[*diagnose.Record]{instances: f.instances, replies: f.replies, out: f.out, newWorker: newWorker}, func(w io.Writer, _ *exec.Item, r *diagnose.Record) error {
		report.Add(r)
		if !r.Wrong() {
			return nil
		}
		return writeJSON(w, r)
	})
	var missing *noSandboxError
	switch {
	case errors.As(err, &missing):
		return a.noSandbox(ctx, missing.err)
	case err != nil:
		return err
	}
	report.Finish(notes)
	if f.json {
		return a.wrote(writeJSON(a.out, struct {
			*diagnose.Report
			Sandbox *proof `json:"sandbox,omitempty"`
		}{report, box.proof()}))
	}
	return a.print(report.Text() + box.text() + notes.Text())
}

// modeReport is the analysis of the replies in one mode of a run.
type modeReport struct {
	Mode     sft.Mode `json:"mode"`
	Replies  int      `json:"replies"`
	Unscored int      `json:"unscored"` // of them
	*diagnose.Report
}

// diagnoseRun tells what the scores of a run have found.
func (a *app) diagnoseRun(f *diagnoseFlags, dir string) error {
	if f.out == "-" {
		return a.usage("standard output is for the table: give -o a file")
	}
	r, err := run.Read(dir)
	switch {
	case errors.Is(err, run.ErrNoRun):
		return inputProblem(newFinding("E0702", diag.Error, dir, 0, 0, err.Error(), "A run is what `ein bench eval` makes. For other files give --instances and --replies."))
	case err != nil:
		return a.cannotRun(err)
	}
	if !slices.ContainsFunc(r.Rows, func(row run.Row) bool { return row.Score != nil }) {
		return inputProblem(newFinding("E0701", diag.Error, dir, 0, 0, "no reply of the run has a score", fmt.Sprintf("`ein bench score %s` scores them.", dir)))
	}
	var list []modeReport
	write := func(w *records) error {
		for _, mode := range r.Config.Modes {
			m := modeReport{Mode: mode, Report: diagnose.NewReport()}
			for i := range r.Rows {
				s := r.Rows[i].Score
				switch {
				case r.Rows[i].Mode != mode || r.Rows[i].Reply == nil:
					continue
				case s == nil:
					m.Replies++
					m.Unscored++
					continue
				}
				m.Replies++
				rec := &diagnose.Record{ID: s.ID, Mode: string(mode), Sample: s.Sample, Category: s.Category, Level: s.Level,
					Outcome: s.Outcome, Answer: s.Answer, Program: s.Attribution, Direct: s.Finding}
				m.Add(rec)
				if !rec.Wrong() {
					continue
				}
				if err := writeJSON(w, rec); err != nil {
					return err
				}
			}
			m.Finish(replies.NewNotes())
			list = append(list, m)
		}
		return nil
	}
	if f.out == "" {
		err = write(&records{Writer: io.Discard})
	} else {
		err = a.writeOnce(f.out, write)
	}
	if err != nil {
		return a.unwritten(f.out, err)
	}
	if f.json {
		return a.wrote(writeJSON(a.out, struct {
			Version int          `json:"version"`
			Run     string       `json:"run"`
			Model   string       `json:"model"`
			Modes   []modeReport `json:"modes"`
		}{1, dir, r.Config.Model, list}))
	}
	text := ""
	for i := range list {
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("mode %s of %s, %s\n", list[i].Mode, shown(r.Config.Model), pluralVerb(list[i].Replies, "reply", "replies"))
		if n := list[i].Unscored; n > 0 {
			text += fmt.Sprintf("%s not scored and left out: see ein bench score\n", pluralVerb(n, "reply is", "replies are"))
		}
		if n := list[i].Unscored; n == 0 || n < list[i].Replies {
			text += list[i].Text()
		}
	}
	return a.print(text)
}
