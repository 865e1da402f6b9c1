package benchmark

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/prompt"
	"ein/internal/codes"
	"ein/internal/compact"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

func diagnoseVerb(a *cli.App) *cobra.Command {
	f := &judgeFlags{}
	cmd := &cobra.Command{
		Use:   "diagnose [DIR]",
		Short: "Explain why wrong answers are wrong",
		Long: `Attributes every wrong reply by counterfactual execution. With DIR, it reads the scores
of a run, where the findings are, and prints a table for each mode; otherwise give
--instances and --replies.

A wrong program is compared with the true graph and run again with the true edges:

  graph_reading  the true edges make it right
  query_reading  its edges are right, and naming the nodes of the question in
                 place of its own makes it right (Ein only)
  logic          its edges are right, and its answer is still wrong
  both           its edges are wrong, and the true ones do not make it right
  no_graph       no graph was found in it

The graph of an Ein program is the one it writes; that of a Python program is an object
it computes with, found by observing a run. Python programs run in a sandbox; without
one, the exit code is 5.

For a wrong direct answer, the program of the instance runs under misreadings of the
question: edges reversed or undirected, in-degrees for out-degrees
(direction_confusion); paths of at most 1, 2 or 3 edges (depth_truncation); one term
of a mean off by one (accumulation_drift); the source counted in or out
(source_inclusion); one edge dropped, reversed or added (single_edge_misread). A
finding lists the misreadings that give the model's answer; the table counts the most
specific one, from the smallest family. Some agree by chance, so every finding says
how many were tried.

Other errors are counted too: execution (a program that gives no answer), format (a
reply without an answer of the right type) and no_answer (no reply).

A reply is a program if its "mode" is ein, python or rules, and a direct answer if it is
direct, cot or ein-tool; without a mode, if it has a program and no JSON answer. With -o,
each wrong reply gets one record.`,
		Example: `  ein bench diagnose --instances heldout.jsonl --replies replies.jsonl -o findings.jsonl
  ein bench diagnose runs/model-ein`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 0 && (f.instances == "" || f.replies == ""):
				return a.Usage("give DIR, or both --instances and --replies")
			case len(args) == 0:
				return interrupted(ctx, a, diagnose(ctx, a, f))
			case f.instances != "" || f.replies != "":
				return a.Usage("give DIR, or --instances and --replies")
			}
			return diagnoseRun(ctx, a, f, args[0])
		}),
	}
	f.add(a, cmd)
	return cmd
}

// diagnose explains the wrong replies of a file. Unlike execPrograms it sets no modes:
// [verdict.ModeOf] tells programs from direct answers.
func diagnose(ctx context.Context, a *cli.App, f *judgeFlags) error {
	box := f.box.lazy(ctx, 0)
	defer box.Close()
	sum, err := judge(ctx, a, f, judging{doing: "running", workers: runtime.GOMAXPROCS(0), why: true,
		newWorker: withWhy(box, verdict.Options{}, func(*verdict.Item) error { return nil }),
		record: func(it *verdict.Item, v *verdict.Verdict) any {
			return verdict.ErrorRecord(it.Question.ID, it.Mode, 0, v)
		}})
	if err != nil {
		return err
	}
	return a.Result(struct {
		*verdict.ErrorReport
		Sandbox *proof `json:"sandbox,omitempty"`
	}{sum.ErrorReport(), box.proof()}, func() string { return sum.ErrorsText() + proofsText(box.proofs(nil)) + sum.NotesText() })
}

// modeReport is the analysis of the replies in one mode of a run.
type modeReport struct {
	Mode     prompt.Mode `json:"mode"`
	Replies  int         `json:"replies"`
	Unscored int         `json:"unscored"` // of them
	*verdict.ErrorReport
}

// diagnoseRun reports the failures in a scored run, mode by mode.
func diagnoseRun(ctx context.Context, a *cli.App, f *judgeFlags, dir string) error {
	if f.out == "-" {
		return a.Usage("standard output is for the table: give -o a file")
	}
	if err := kept(a, f.out, dir); err != nil {
		return err
	}
	r, err := readRun(a, dir, run.ReadLight)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(r.Rows, func(row run.Row) bool { return row.Reply != nil }) {
		return cli.Input(codes.E0701, dir, 0, "the run has no replies", "The command that began it asks for them.")
	}
	if !slices.ContainsFunc(r.Rows, func(row run.Row) bool { return row.Score != nil }) {
		return cli.Input(codes.E0701, dir, 0, "no reply of the run has a score", fmt.Sprintf("`ein bench score %s` scores them.", dir))
	}
	var list []modeReport
	text := ""
	write := func(w records) error {
		for _, mode := range r.Config.Modes {
			m, sum := modeReport{Mode: mode}, verdict.NewSummary()
			err := r.Each(func(row *run.Row) bool { return row.Mode == mode && row.Reply != nil }, func(_, row *run.Row) error {
				m.Replies++
				if row.Score == nil {
					m.Unscored++
					return nil
				}
				v := &row.Score.Verdict
				sum.Add(mode, v)
				if rec := verdict.ErrorRecord(row.ID, mode, row.Sample, v); rec != nil {
					return compact.Write(w, rec)
				}
				return nil
			})
			if err != nil {
				return err
			}
			m.ErrorReport = sum.ErrorReport()
			list = append(list, m)
			if len(list) > 1 {
				text += "\n"
			}
			text += fmt.Sprintf("mode %s of %s, %s\n", mode, shown(r.Config.Model), words.Plural(m.Replies, "reply", "replies"))
			if m.Unscored > 0 {
				text += fmt.Sprintf("%s not scored and left out: see ein bench score\n", words.Plural(m.Unscored, "reply is", "replies are"))
			}
			if m.Unscored == 0 || m.Unscored < m.Replies {
				text += sum.ErrorsText()
			}
		}
		return nil
	}
	if err := toRecords(ctx, a, f, nil, write); err != nil {
		return err
	}
	return a.Result(struct {
		Version int          `json:"version"`
		Run     string       `json:"run"`
		Model   string       `json:"model"`
		Modes   []modeReport `json:"modes"`
	}{1, dir, r.Config.Model, list}, func() string { return text })
}
