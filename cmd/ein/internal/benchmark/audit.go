package benchmark

import (
	"context"

	"github.com/spf13/cobra"

	"ein/bench/question/audit"
	"ein/bench/question/instance"

	"ein/cmd/ein/internal/cli"
)

func auditVerb(a *cli.App) *cobra.Command {
	noPython, python := false, "python3"
	cmd := &cobra.Command{
		Use:   "audit FILE...",
		Short: "Measure what instances give away",
		Long: `Says for each category of the FILEs how often one is right without doing what is
asked: by the most common answer, by the best guess from what a decoy says, and by
what models learn from features that take no search. The features are

  form    lengths, counts, mentions and positions in the text
  local   also degrees and direct edges of the nodes that the question names
  decoys  also what all decoys say

The learners are those of scikit-learn (forest, boosted trees, logistic regression),
with fixed seeds, trained on seven of ten instances and tried on the others; a few
thousand instances of each category are needed for figures that mean something.
Where Python has no scikit-learn, the rest is printed, and why.`,
		Example: `  ein bench generate --split audit --per-category 3500 -o cb2.jsonl
  ein bench audit cb2.jsonl --python venv/bin/python`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			if noPython {
				python = ""
			}
			return auditFiles(ctx, a, args, python)
		}),
	}
	a.JSONFlag(cmd, "print one JSON object, with every decoy and every learner")
	cmd.Flags().StringVar(&python, "python", python, "the Python with scikit-learn, as a `command`")
	cmd.Flags().BoolVar(&noPython, "no-python", false, "learn nothing")
	return cmd
}

func auditFiles(ctx context.Context, a *cli.App, names []string, python string) error {
	report, err := audit.Collect(ctx, func(yield func(*instance.Instance, error) bool) {
		for _, name := range names {
			err := readInstances(ctx, a, name, func(all instances) error {
				for in, err := range all {
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
		return err
	}
	report.Missing = "left out, as asked for with --no-python"
	if python != "" {
		report.Missing = ""
		err = report.Learn(ctx, python, func(done int) { a.Printf("ein: learned %d of %d categories\n", done, len(report.Categories)) })
	}
	if err != nil {
		return err
	}
	return a.Result(report, report.Text)
}
