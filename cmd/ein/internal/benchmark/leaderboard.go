package benchmark

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/result/compare"
	"ein/bench/result/report"
	"ein/internal/codes"

	"ein/cmd/ein/internal/cli"
)

func leaderboardVerb(a *cli.App) *cobra.Command {
	opt, page := report.Options{Only: report.Comparison, Alpha: compare.DefaultAlpha}, ""
	cmd := &cobra.Command{
		Use:   "leaderboard DIR...",
		Short: "Rank runs, with pairwise tests",
		Long: `Ranks runs by accuracy, a row for each mode and encoding, and compares every pair on the
questions both answered: paired differences with Tango intervals, and McNemar's mid-p or
a sign-flip test over structures, Holm-adjusted over all pairs. A rank is a range: rows
that the tests cannot tell apart share it.`,
		Example: `  ein bench leaderboard runs/*
  ein bench leaderboard runs/* --json
  ein bench leaderboard runs/* -o leaderboard.html`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(_ context.Context, args []string) error { return leaderboard(a, args, opt, page) }),
	}
	cmd.Flags().BoolVar(&opt.Lenient, "lenient", false, "use lenient accuracy instead of strict")
	cli.Level.Flag(cmd, &opt.Alpha, "alpha", "significance level; intervals have the confidence 1 - alpha")
	cmd.Flags().StringVarP(&page, "output", "o", "", "also write the ranking as an HTML page to `file`")
	a.JSONFlag(cmd, "print one JSON object")
	return cmd
}

// leaderboard prints the ranking of runs. It is that of the report, so the page, if one is asked
// for, is the report itself.
func leaderboard(a *cli.App, dirs []string, opt report.Options, page string) error {
	if err := kept(a, page, dirs...); err != nil {
		return err
	}
	runs, err := readRuns(a, dirs)
	if err != nil {
		return err
	}
	r, err := report.New(runs, opt)
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		a.Printf("ein: %s\n", n)
	}
	if r.Board == nil {
		return cli.Input(codes.E0701, "", 0, "expected at least two runs, modes or encodings with scores", "`ein bench score DIR` scores a run.")
	}
	if page != "" {
		if err := a.Write(page, func(w io.Writer) error { return r.HTML(w) }); err != nil {
			return err
		}
	}
	return a.Result(r.Board, r.Board.Text)
}

// readRuns reads the runs in some folders, all of them different, without their texts.
func readRuns(a *cli.App, dirs []string) ([]*run.Run, error) {
	if dir := twice(dirs); dir != "" {
		return nil, a.Usage("%s is given twice", dir)
	}
	var runs []*run.Run
	for _, dir := range dirs {
		r, err := readRun(a, dir, run.ReadLight)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}
