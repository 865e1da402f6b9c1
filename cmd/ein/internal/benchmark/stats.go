package benchmark

import (
	"context"

	"github.com/spf13/cobra"

	"ein/bench/question/instance"
	"ein/bench/question/summary"

	"ein/cmd/ein/internal/cli"
)

func statsVerb(a *cli.App) *cobra.Command {
	plot := ""
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Summarise a file of instances",
		Long: `Summarises the instances of a file (- is standard input) by category and level: counts,
sizes, densities; how common each answer is, and how often one is right by always giving
the most common answer, or the best constant for each kind of scoring; how often one edge
dropped, added or reversed changes an answer; how many graphs were drawn and rejected,
recomputed from the ids; how long questions and programs are.

Tokens are estimated as ` + summary.TokenEstimate + `. Answers are counted up to
labels: a set of nodes counts as one of node numbers.`,
		Example: `  ein bench stats heldout.jsonl
  ein bench stats heldout.jsonl --json --plot heldout.svg`,
		Args: cobra.ExactArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error { return stats(ctx, a, args[0], plot) }),
	}
	a.JSONFlag(cmd, "print one JSON object")
	plotFlag(cmd, &plot, "the distributions")
	return cmd
}

// stats describes the instances of a file. Repeated ones count each time, and a note says how
// many there are.
func stats(ctx context.Context, a *cli.App, name, plot string) error {
	if err := kept(a, plot, name); err != nil {
		return err
	}
	var r *summary.Report
	var again duplicates
	err := readInstances(ctx, a, name, instance.Read, func(all instances) (err error) {
		r, err = summary.Collect(again.in(all))
		return err
	})
	if err == nil && plot != "" {
		err = a.Write(plot, r.Plot)
	}
	if err != nil {
		return err
	}
	again.tell(a)
	return a.Result(r, r.Text)
}
