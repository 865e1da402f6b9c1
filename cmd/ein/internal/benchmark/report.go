package benchmark

import (
	"context"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/result/memorization"
	"ein/bench/result/report"
	"ein/internal/codes"
	"ein/internal/words"

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
		Short: "Build tables and figures from runs",
		Long: `Builds the tables and figures of runs of ` + "`ein bench eval`" + `: accuracy by level, number
of nodes, density, encoding and category; strict against lenient; outcomes; tokens and
cost for each answer and each correct one, with the Pareto front; and why wrong answers
are wrong. Each run, mode and encoding is a row. Intervals are 95 %: Wilson for shares,
a jackknife over structures for tokens.

Choose one or more formats:

  html   one page, report.html, that needs no network: figures, sortable tables, and
         the replies to browse (at most --embed)
  md, latex, csv   a file for each table; LaTeX needs booktabs and graphicx
  svg              a file for each figure; rsvg-convert -f pdf converts one to PDF

--cells names the folder of ` + "`ein bench memorization generate`" + ` that the runs cover, and
adds the accuracies of its cells and the gaps between them.

Replies without a score, infrastructure errors and questions without a reply count in no
share and are listed apart. The same runs give the same files, byte for byte.`,
		Example: `  ein bench report runs/gpt runs/claude
  ein bench report runs/* --lenient --paper -o out --format html,latex,svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.Do(func(_ context.Context, args []string) error { return makeReport(a, args, f) }),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", ".", "`folder` for the files, created if necessary")
	cli.Some(cmd, &f.formats, "format", report.Formats(), "`formats` to write, with commas: html, md, latex, csv, svg")
	flags.BoolVar(&f.opt.Lenient, "lenient", false, "use lenient accuracy instead of strict")
	flags.BoolVar(&f.opt.Paper, "paper", false, "show the numbers of the paper beside ours")
	flags.StringVar(&f.cells, "cells", "", "`folder` of the memorization cells that the runs cover")
	cli.Int(1, math.MaxInt).Flag(cmd, &f.opt.Embed, "embed", "maximum `number` of replies on the page")
	return cmd
}

// makeReport writes a report of runs to a folder in each format, and prints the paths of its
// files.
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
	written, endings := map[string]bool{}, map[string]bool{}
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
			written[x.Name], endings[filepath.Ext(x.Name)] = true, format != report.HTML
		}
	}
	there, err := os.ReadDir(f.out)
	var others []string
	for _, e := range there {
		if endings[filepath.Ext(e.Name())] && !written[e.Name()] {
			others = append(others, e.Name())
		}
	}
	if len(others) > 0 {
		a.Printf("ein: %s also has, not of this report: %s\n", f.out, words.Joined(others))
	}
	return err
}
