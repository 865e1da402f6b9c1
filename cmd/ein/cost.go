package main

import (
	"github.com/spf13/cobra"

	"ein"
	"ein/lang/describe"
)

func (a *app) costCommand() *cobra.Command {
	f, asJSON := &programFlags{}, false
	cmd := &cobra.Command{
		Use:   "cost FILE",
		Short: "Print the cost certificate of a program",
		Long: `Prints upper bounds of what a run uses: of each statement its operations and the
memory of its largest step, and in total the operations, the memory at its peak
and the elements of the outputs. Operations are scalar multiply-adds and 64-bit
word operations. No run exceeds them, and limits are compared with them. Costs
depend on sizes, so inputs have to be bound.

` + inputHelp,
		Example: `  ein cost program.ein
  ein cost program.ein --input A=graph.csv --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: programFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = asJSON
			ctx, stop := a.context(0)
			defer stop()
			p, err := a.load(ctx, args[0], f, ein.Limits{})
			if err != nil {
				return a.fail(err)
			}
			return a.wrote(a.cost(p, asJSON))
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) cost(p *ein.Program, asJSON bool) error {
	c := p.Certificate()
	if !asJSON {
		return a.print(describe.Cost(c, p.Source()))
	}
	return writeJSON(a.out, struct {
		Version    int                      `json:"version"`
		Ops        uint64                   `json:"ops"`
		Peak       uint64                   `json:"peak_bytes"`
		Reading    uint64                   `json:"reading_bytes"`
		Elements   uint64                   `json:"output_elements"`
		Statements []describe.StatementCost `json:"statements"`
	}{1, c.Ops, c.PeakBytes, c.Reading, c.OutputElements, describe.StatementCosts(c, p.Source())})
}
