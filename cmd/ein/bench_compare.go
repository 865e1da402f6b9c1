package main

import (
	"github.com/spf13/cobra"

	"ein/bench/question/sft"
	"ein/bench/question/surface"
	"ein/bench/result/compare"
	"ein/lang/diag"
)

type compareFlags struct {
	modeA, modeB, encodingA, encodingB string
	opt                                compare.Options
	json                               bool
}

func (a *app) benchCompareCommand() *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare DIR_A DIR_B",
		Short: "Compare two runs on the questions that both have answered",
		Long: `Compares the answers of two runs to the same questions: how often each is right, the
difference with its interval, and whether it is more than chance; for all answers, by
level and by category; what the answers took in tokens and dollars; how large a
difference such a design can find; and whether each run is equally good on all levels.

Answers are paired by question, mode and sample. Runs in different modes or encodings
are paired by what is left; where a run has several, choose one:

  --mode-a cot --mode-b ein         one run may be given twice
  --encoding-a nl --encoding-b json

What has no partner, no reply or an infra error is left out and counted.

Intervals are by Wilson (shares) and Tango (differences), for as many answers as
clustered ones are worth: answers about one structure are a cluster. p is McNemar's
mid-p, or of the sign-flip test of clusters where some have several pairs, and is
adjusted by Holm over the levels and over the categories. Ratios have bootstrap
intervals, drawn with --seed.`,
		Example: `  ein bench compare runs/gpt runs/claude
  ein bench compare runs/gpt runs/gpt --mode-a cot --mode-b ein
  ein bench compare runs/a runs/b --alpha 0.01 --margin 0.02 --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = f.json
			if err := a.benchCompare(args[0], args[1], f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.modeA, "mode-a", "", "only the answers of A in this `mode`: direct, cot, ein, python")
	flags.StringVar(&f.modeB, "mode-b", "", "only the answers of B in this `mode`")
	flags.StringVar(&f.encodingA, "encoding-a", "", "only the answers of A to this `encoding`: nl, json, matrix")
	flags.StringVar(&f.encodingB, "encoding-b", "", "only the answers of B to this `encoding`")
	flags.Float64Var(&f.opt.Alpha, "alpha", compare.DefaultAlpha, "level of the tests; intervals have the confidence 1 - alpha")
	flags.Float64Var(&f.opt.Margin, "margin", compare.DefaultMargin, "difference of accuracies below which levels count as equal")
	flags.Uint64Var(&f.opt.Seed, "seed", 0, "`seed` of the bootstrap")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func (a *app) benchCompare(dirA, dirB string, f *compareFlags) error {
	for _, side := range []struct {
		name, mode, encoding string
		to                   *compare.Side
	}{{"a", f.modeA, f.encodingA, &f.opt.A}, {"b", f.modeB, f.encodingB, &f.opt.B}} {
		var err error
		if side.to.Mode, err = oneOf(a, "--mode-"+side.name, side.mode, sft.Modes()); err != nil {
			return err
		}
		if side.to.Encoding, err = oneOf(a, "--encoding-"+side.name, side.encoding, surface.Encodings()); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"--alpha", f.opt.Alpha}, {"--margin", f.opt.Margin}} {
		if !(x.value > 0 && x.value < 1) {
			return a.usage("%s %v: expected a number between 0 and 1, as in 0.05", x.name, x.value)
		}
	}
	if sameFile(dirA, dirB) && f.opt.A == f.opt.B {
		return a.usage("A and B are the same answers: choose some of each with --mode-a, --mode-b, --encoding-a and --encoding-b")
	}
	one, err := a.readRun(dirA)
	if err != nil {
		return err
	}
	two, err := a.readRun(dirB)
	if err != nil {
		return err
	}
	report, err := compare.Compare(one, two, f.opt)
	switch {
	case err != nil:
		return inputProblem(newFinding("E0701", diag.Error, "", 0, 0, err.Error(), ""))
	case f.json:
		return a.wrote(writeJSON(a.out, report))
	}
	return a.print(report.Text())
}

// oneOf is the value of a flag that names one of a list, or nothing.
func oneOf[S ~string](a *app, flag, value string, list []S) (S, error) {
	names := ""
	for i, x := range list {
		if value == "" || value == string(x) {
			return S(value), nil
		}
		if i > 0 {
			names += ", "
		}
		names += string(x)
	}
	return "", a.usage("%s %s: expected one of %s", flag, value, names)
}
