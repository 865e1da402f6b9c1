package language

import (
	"context"

	"github.com/spf13/cobra"

	"ein"
	"ein/lang/describe"
	"ein/vm/code"

	"ein/cmd/ein/internal/cli"
)

func buildVerb(a *cli.App) *cobra.Command {
	output := ""
	cmd := programVerb(a, &cobra.Command{
		Use:   "build FILE -o FILE.einc",
		Short: "Compile a program to verified bytecode",
		Long: `Compiles a program to bytecode, which ein run, cost and dis accept in its place and
verify when they load it. Bytecode is specific to sizes: all inputs must be bound, and
a run must bind data of the same sizes, with the same nodes.`,
		Example: `  ein build program.ein -o program.einc
  ein build paths.ein --input A=graph.csv -o paths.einc
  ein run paths.einc --input A=graph.csv`,
	}, func(ctx context.Context, name string, f *programFlags) error {
		if err := spared(a, output, name, f); err != nil {
			return err
		}
		p, err := load(ctx, a, name, f, ein.Limits{})
		if err != nil {
			return err
		}
		if p.Source() == nil {
			return a.Usage("%s is bytecode already", name)
		}
		warn(a, p, nil)
		data, err := p.MarshalBinary()
		if err != nil {
			return err
		}
		return a.WriteFile(output, data)
	})
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write; - is standard output")
	cli.Required(cmd, "output")
	return cmd
}

func disVerb(a *cli.App) *cobra.Command {
	return programVerb(a, &cobra.Command{
		Use:   "dis FILE",
		Short: "Disassemble a program",
		Long: `Lists the bytecode of a program, or of a file made by ein build. Positions are
line:column of the program, or byte ranges if only the bytecode is there.`,
		Example: `  ein dis program.ein
  ein dis program.einc`,
	}, func(ctx context.Context, name string, f *programFlags) error {
		f.listed = true
		p, err := load(ctx, a, name, f, ein.Limits{})
		if err != nil {
			return err
		}
		var lines func(int) (int, int)
		if f := p.Source(); f != nil {
			lines = func(offset int) (int, int) {
				p := f.Position(offset)
				return p.Line, p.Column
			}
		}
		return a.Print(code.Disassemble(p.Code(), lines))
	})
}

func costVerb(a *cli.App) *cobra.Command {
	limit := uint64(0)
	cmd := programVerb(a, &cobra.Command{
		Use:   "cost FILE",
		Short: "Print the cost certificate of a program",
		Long: `Prints upper bounds on what a run uses: for each statement, its operations and the
memory of its largest step; in total, the operations, the peak memory and the elements
of the outputs. Operations are scalar multiply-adds and 64-bit word operations. No run
exceeds these bounds, and limits are checked against them. Costs depend on sizes, so
all inputs must be bound.

A program is certified if that check settles it: it is either refused before it runs
or never stopped. It is metered if it has operations, such as maxflow, that usually
take far less than their bound: a limit below the bound then stops the run only when
it is reached.`,
		Example: `  ein cost program.ein
  ein cost program.ein --input A=graph.csv --json`,
	}, func(ctx context.Context, name string, f *programFlags) error {
		p, err := load(ctx, a, name, f, ein.Limits{})
		if err != nil {
			return err
		}
		return a.Result(p.JSONCost(limit), func() string { return describe.Cost(p.Certificate(), p.Source(), limit) })
	})
	a.JSONFlag(cmd, "print one JSON object")
	cli.Count.Flag(cmd, &limit, "max-ops", "the limit that the program is to run under, such as 1e9")
	return cmd
}
