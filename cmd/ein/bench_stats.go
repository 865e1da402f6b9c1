package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ein/bench/question/census"
	"ein/bench/question/instance"
)

func (a *app) benchStatsCommand() *cobra.Command {
	asJSON, plot := false, ""
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Describe a file of instances",
		Long: `Describes the instances of a file (- is standard input) by category and level: how
many, how large, how dense; which answers are how common, and how often someone is
right who always gives the most common one; how many graphs were drawn and thrown
away, recomputed from the ids; how long questions and programs are.

Tokens are estimated as ` + census.TokenEstimate + `. Answers are counted up to
the labels: a set of nodes is one of node numbers.`,
		Example: `  ein bench stats heldout.jsonl
  ein bench stats heldout.jsonl --json --plot heldout.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = asJSON
			ctx, stop := a.context(0)
			defer stop()
			if err := a.benchStats(ctx, args[0], asJSON, plot); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&plot, "plot", "", "write the distributions as a figure in SVG to this `file`")
	return cmd
}

var errNoInstances = errors.New("there are no instances in the file")

func (a *app) benchStats(ctx context.Context, name string, asJSON bool, plot string) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("reading "+in.name, in.size)
	r, err := census.Collect(instance.Read(p.reader(in)))
	p.done()
	if err != nil {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		return badLines(in.name, err)
	}
	if r.All.Instances == 0 {
		return badLines(in.name, errNoInstances)
	}
	if plot != "" {
		var svg bytes.Buffer
		if err := r.Plot(&svg); err != nil {
			return err
		}
		if err := replaceFile(plot, svg.Bytes()); err != nil {
			return fmt.Errorf("cannot write %s: %w", plot, cause(err))
		}
	}
	if asJSON {
		return a.wrote(writeJSON(a.out, r))
	}
	return a.print(r.Text())
}
