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
		Short: "Compare two runs on the questions that both have answered",
		Long: `Compares the answers of two runs to the same questions: how often each is right, the
difference with its interval, and whether it is more than chance; for all answers, by
level and by category; what the answers took in tokens and dollars; how large a
difference such a design can find; and whether each run is equally good on all levels.

Answers are paired by question, mode and sample. Runs in different modes or encodings
are paired by what is left; where a run has several, choose one:

  --mode-a cot --mode-b ein         one run may be given twice
  --encoding-a nl --encoding-b json

What has no partner, no reply or an infra error is left out and counted.

Intervals are by Wilson (shares) and Tango (differences), for as many answers as
clustered ones are worth: answers about one structure are a cluster. p is McNemar's
mid-p, or of the sign-flip test of clusters where some have several pairs, and is
adjusted by Holm over the levels and over the categories. Ratios have intervals by a
jackknife of structures.`,
		Example: `  ein bench compare runs/gpt runs/claude
  ein bench compare runs/gpt runs/gpt --mode-a cot --mode-b ein
  ein bench compare runs/a runs/b --alpha 0.01 --margin 0.02 --json`,
		Args: cobra.ExactArgs(2),
		RunE: a.Do(func(_ context.Context, args []string) error { return compareRuns(a, args[0], args[1], opt) }),
	}
	pickFlags(cmd, &opt.A.Mode, &opt.A.Encoding, "-a", " of A")
	pickFlags(cmd, &opt.B.Mode, &opt.B.Encoding, "-b", " of B")
	cli.Share.Flag(cmd, &opt.Alpha, "alpha", "level of the tests; intervals have the confidence 1 - alpha")
	cli.Share.Flag(cmd, &opt.Margin, "margin", "difference of accuracies below which levels count as equal")
	a.JSONFlag(cmd, "print one JSON object")
	return cmd
}

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
