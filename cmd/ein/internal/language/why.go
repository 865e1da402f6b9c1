package language

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ein"

	"ein/cmd/ein/internal/cli"
	file "ein/lang/source"
	"ein/lang/syntax"
)

func whyVerb(a *cli.App) *cobra.Command {
	f := &limitFlags{memory: defaultMemory}
	atom := ""
	cmd := programVerb(a, &cobra.Command{
		Use:   "why FILE ATOM",
		Short: "Prove a row of a relation, or say why there is none",
		Long: `Shows a shortest derivation of a row. Each row appears once, with the fact, line of
data or rule it comes from and the rows that the rule used. If the row does not exist
(write ATOM or 'not ATOM'), it shows how far each rule of the relation gets, and the
rows that come closest.`,
		Example: `  ein why owners.ein 'Controls("holding", "pier")'
  ein why owners.ein 'not Controls("pier", "holding")'
  ein why payments.ein --input Pay=payments.csv 'Far("acme", "dune")' --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 && strings.Contains(args[2], "=") {
				return fmt.Errorf("name a program and one atom; data are bound with --input, as in --input %s", args[2])
			}
			if len(args) == 2 {
				atom = strings.TrimRight(strings.TrimSpace(args[1]), ".?")
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		ValidArgsFunction: programFiles,
	}, func(ctx context.Context, name string, p *programFlags) error {
		limits, err := f.lowered(&p.said)
		if err != nil {
			return err
		}
		ctx, stop := cli.Within(ctx, limits.timeout)
		defer stop()
		p.ask = "\n:why " + atom + "\n"
		if n := len(syntax.Parse(file.NewFile("ATOM", p.ask), syntax.Options{}).Stmts); n > 1 {
			return a.Usage("ATOM has %d statements, expected one atom", n)
		}
		program, err := load(ctx, a, name, p, ein.Limits{MaxBytes: limits.memory, MaxOps: limits.ops})
		apart := func(f *file.File) *file.File { // the user knows two texts
			return file.NewFile(f.Name, strings.TrimSuffix(f.Text, p.ask)).Append("ATOM", 0, p.ask)
		}
		if wrong, ok := errors.AsType[*ein.Error](err); ok && wrong.File != nil {
			wrong.File = apart(wrong.File)
		}
		if err != nil {
			return err
		}
		a.Report(apart(program.Source()), program.Warnings(nil))
		result, err := program.Run(ctx)
		if err != nil {
			return (&runFlags{limitFlags: limits}).refused(ctx, program, err, "run")
		}
		proof := result.Outputs[len(result.Outputs)-1].Proofs[0]
		return a.Result(struct {
			Version int `json:"version"`
			*ein.Proof
		}{1, proof}, proof.Text)
	})
	a.JSONFlag(cmd, "print one JSON object; its \"of\" counts steps from 0")
	cli.MemoryFlag(cmd, &f.memory, "")
	cli.Count.Flag(cmd, &f.ops, "max-ops", "maximum operations of the run, and of the proof (default: no limit)")
	cli.Duration.Flag(cmd, &f.timeout, "timeout", "maximum time, such as 2s (default: no limit)")
	f.given = cmd.Flags().Changed
	return cmd
}
