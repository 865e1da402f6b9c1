package benchmark

import (
	"context"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/result/memorization"
	"ein/bench/result/report"
	"ein/internal/codes"

	"ein/cmd/ein/internal/cli"
)

type reportFlags struct {
	out, cells string
	formats    []report.Format
	opt        report.Options
}

func reportVerb(a *cli.App) *cobra.Command {
	f := &reportFlags{formats: []report.Format{report.HTML}, opt: report.Options{Embed: report.DefaultEmbed}}
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make the tables and figures of runs",
		Long: `Makes the tables and figures of runs that ` + "`ein bench eval`" + ` has written: accuracy by
level, number of nodes, density, encoding and category; strict against lenient;
outcomes; tokens and cost for each answer and each correct one, with the Pareto front;
and why wrong answers are wrong. Each run, mode and encoding is a row. Intervals are
95 %: Wilson for shares, a jackknife of structures for tokens.

The formats, of which several can be given:

  html   one page, report.html, that needs no network: figures, sortable tables, and
         the replies to look through (at most --embed, those not right first)
  md, latex, csv   a file for each table; LaTeX needs booktabs and graphicx
  svg              a file for each figure; rsvg-convert -f pdf makes a PDF of one

Accuracy is strict, or lenient with --lenient. --paper puts the numbers printed in the
paper beside ours; most of them are lenient. --cells names the folder of
` + "`ein bench memorization generate`" + ` that runs were made over: then there are the
accuracies of its cells and the gaps between them as well.

Replies without a score, infrastructure errors and questions without a reply are in no
share and are counted apart. The same runs give the same files, byte for byte.`,
		Example: `  ein bench report runs/gpt runs/claude
  ein bench report runs/* --lenient --paper -o out --format html,latex,svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(_ context.Context, args []string) error { return makeReport(a, args, f) }),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", ".", "`folder` for the files; made when it is not there")
	cli.Some(cmd, &f.formats, "format", report.Formats(), "`formats` to write, with commas: html, md, latex, csv, svg")
	flags.BoolVar(&f.opt.Lenient, "lenient", false, "count as right what is right leniently")
	flags.BoolVar(&f.opt.Paper, "paper", false, "show the numbers of the paper beside ours")
	flags.StringVar(&f.cells, "cells", "", "`folder` of the cells of memorization that runs were made over")
	cli.Int(1, math.MaxInt).Flag(cmd, &f.opt.Embed, "embed", "`number` of replies that the page has at most")
	return cmd
}

func makeReport(a *cli.App, dirs []string, f *reportFlags) error {
	runs, err := readRuns(a, dirs)
	if err != nil {
		return err
	}
	if f.cells != "" {
		f.opt.Parts = memorization.Parts{}
		for _, r := range runs {
			if err := f.opt.Parts.Add(r); err != nil {
				return err
			}
		}
		if f.opt.Cells, err = memorization.ReadFolder(f.cells); err != nil {
			return cli.Input(codes.E0702, f.cells, 0, err.Error(), "`ein bench memorization generate` makes such a folder.")
		}
	}
	r, err := report.New(runs, f.opt)
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		a.Printf("ein: %s\n", n)
	}
	if err := cli.Folder(f.out); err != nil {
		return err
	}
	for _, format := range f.formats {
		files, err := r.Files(format)
		if err != nil {
			return err
		}
		for _, x := range files {
			path := filepath.Join(f.out, x.Name)
			if err := a.WriteFile(path, x.Data); err != nil {
				return err
			}
			if err := a.Print(path + "\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
