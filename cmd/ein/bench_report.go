package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/result/memorization"
	"ein/bench/result/report"
	"ein/lang/diag"
)

type reportFlags struct {
	out     string
	cells   string
	formats []string
	opt     report.Options
}

func (a *app) benchReportCommand() *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make the tables and figures of runs",
		Long: `Makes the tables and figures of runs that ` + "`ein bench eval`" + ` has written: accuracy by
level, number of nodes, density, encoding and category; strict against lenient;
outcomes; tokens and cost for each answer and each correct one, with the Pareto front;
and why wrong answers are wrong. Each run, mode and encoding is a row. Intervals are
95 %: Wilson for shares, bootstrap for tokens.

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
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.benchReport(args, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", ".", "`folder` for the files; made when it is not there")
	flags.StringSliceVar(&f.formats, "format", []string{string(report.HTML)}, "`formats` to write, with commas: html, md, latex, csv, svg")
	flags.BoolVar(&f.opt.Lenient, "lenient", false, "count as right what is right leniently")
	flags.BoolVar(&f.opt.Paper, "paper", false, "show the numbers of the paper beside ours")
	flags.StringVar(&f.cells, "cells", "", "`folder` of the cells of memorization that runs were made over")
	flags.IntVar(&f.opt.Embed, "embed", report.DefaultEmbed, "`number` of replies that the page has at most")
	complete(cmd, "format", formatNames()...)
	return cmd
}

func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	return names
}

func (a *app) benchReport(dirs []string, f *reportFlags) error {
	for _, name := range f.formats {
		if !slices.Contains(formatNames(), name) {
			return a.usage("--format %s: expected some of %s", name, strings.Join(formatNames(), ", "))
		}
	}
	if f.opt.Embed < 1 {
		return a.usage("--embed %d: expected a whole number from 1", f.opt.Embed)
	}
	for i, dir := range dirs {
		if slices.ContainsFunc(dirs[:i], func(other string) bool { return sameFile(dir, other) }) {
			return a.usage("%s is given twice", dir)
		}
	}
	var runs []*run.Run
	for _, dir := range dirs {
		r, err := a.readRun(dir)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	if f.cells != "" {
		var err error
		if f.opt.Cells, err = memorization.ReadFolder(f.cells); err != nil {
			return inputProblem(newFinding("E0702", diag.Error, f.cells, 0, 0, err.Error(), "`ein bench memorization generate` makes such a folder."))
		}
	}
	r, err := report.New(runs, f.opt)
	if err != nil {
		return err
	}
	for _, n := range r.Notes {
		a.printf("ein: %s\n", n)
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("cannot make the folder %s: %w", f.out, cause(err))
	}
	for _, name := range f.formats {
		files, err := r.Files(report.Format(name))
		if err != nil {
			return err
		}
		for _, x := range files {
			path := filepath.Join(f.out, x.Name)
			if err := replaceFile(path, x.Data); err != nil {
				return fmt.Errorf("cannot write %s: %w", path, cause(err))
			}
			if err := a.print(path + "\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
