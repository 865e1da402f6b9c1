package benchmark

import (
	"context"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/result/compare"
	"ein/internal/codes"

	"ein/cmd/ein/internal/cli"
)

func compareVerb(a *cli.App) *cobra.Command {
	opt := compare.Options{Alpha: compare.DefaultAlpha, Margin: compare.DefaultMargin}
	cmd := &cobra.Command{
		Use:   "compare DIR_A DIR_B",
		Short: "Compare two runs on the questions both answered",
		Long: `Compares the answers of two runs to the same questions: how often each is right, the
difference with its interval, and whether it is significant, overall, by level and by
category. It also reports tokens and dollars for each answer, the smallest difference
that the design can detect, and whether each run is equally good on all levels.

Answers are paired by question, mode and sample. Runs in different modes or encodings
are paired by the rest; if a run has several, choose one:

  --mode-a cot --mode-b ein         both sides may be the same run
  --encoding-a nl --encoding-b json

Answers without a partner or a reply, and infrastructure errors, are left out and counted.

Intervals allow for answers about one structure, which form a cluster. p is McNemar's
mid-p, or that of a sign-flip test of clusters if some have several pairs; Holm's
method adjusts it over the levels and over the categories.`,
		Example: `  ein bench compare runs/gpt runs/claude
  ein bench compare runs/gpt runs/gpt --mode-a cot --mode-b ein
  ein bench compare runs/a runs/b --alpha 0.01 --margin 0.02 --json`,
		Args: cobra.ExactArgs(2),
		RunE: a.Do(func(_ context.Context, args []string) error { return compareRuns(a, args[0], args[1], opt) }),
	}
	pickFlags(cmd, &opt.A.Mode, &opt.A.Encoding, "-a", " of A")
	pickFlags(cmd, &opt.B.Mode, &opt.B.Encoding, "-b", " of B")
	cli.Level.Flag(cmd, &opt.Alpha, "alpha", "significance level; intervals have the confidence 1 - alpha")
	cli.Share.Flag(cmd, &opt.Margin, "margin", "accuracy difference below which levels count as equal")
	a.JSONFlag(cmd, "print one JSON object")
	return cmd
}

// compareRuns compares the answers that opt picks from two runs. One folder twice is in order if
// the picks differ.
func compareRuns(a *cli.App, dirA, dirB string, opt compare.Options) error {
	if cli.SameFile(dirA, dirB) && opt.A == opt.B {
		return a.Usage("A and B are the same answers: choose some of each with --mode-a, --mode-b, --encoding-a and --encoding-b")
	}
	one, err := readRun(a, dirA, run.ReadLight)
	if err != nil {
		return err
	}
	two, err := readRun(a, dirB, run.ReadLight)
	if err != nil {
		return err
	}
	report, err := compare.Compare(one, two, opt)
	if err != nil {
		return cli.Input(codes.E0701, "", 0, err.Error(), "")
	}
	return a.Result(report, report.Text)
}
