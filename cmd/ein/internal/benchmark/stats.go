package benchmark

import (
	"context"

	"github.com/spf13/cobra"

	"ein/bench/question/census"

	"ein/cmd/ein/internal/cli"
)

func statsVerb(a *cli.App) *cobra.Command {
	plot := ""
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Describe a file of instances",
		Long: `Describes the instances of a file (- is standard input) by category and level: how
many, how large, how dense; which answers are how common, and how often someone is
right who always gives the most common one, or the best constant of each mode of
scoring; how many graphs were drawn and thrown
away, recomputed from the ids; how long questions and programs are.

Tokens are estimated as ` + census.TokenEstimate + `. Answers are counted up to
the labels: a set of nodes is one of node numbers.`,
		Example: `  ein bench stats heldout.jsonl
  ein bench stats heldout.jsonl --json --plot heldout.svg`,
		Args: cobra.ExactArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error { return stats(ctx, a, args[0], plot) }),
	}
	a.JSONFlag(cmd, "print one JSON object")
	plotFlag(cmd, &plot, "the distributions")
	return cmd
}

func stats(ctx context.Context, a *cli.App, name, plot string) error {
	var r *census.Report
	err := readInstances(ctx, a, name, func(all instances) (err error) {
		r, err = census.Collect(all)
		return err
	})
	if err == nil && plot != "" {
		err = a.Write(plot, r.Plot)
	}
	if err != nil {
		return err
	}
	return a.Result(r, r.Text)
}
