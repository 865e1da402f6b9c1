package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/question/sft"
	"ein/bench/question/surface"
	"ein/bench/result/memorization"
	"ein/lang/diag"
)

type memorizationFlags struct {
	cells                           string
	seen, structure, surface, fresh []string
	mode, encoding, plot            string
	opt                             memorization.Options
	json                            bool
}

func (a *app) benchMemorizationCommand() *cobra.Command {
	f := &memorizationFlags{}
	cmd := &cobra.Command{
		Use:   "memorization --cells DIR RUN...",
		Short: "Measure how much of an accuracy is memory",
		Long: `Compares the accuracy of a model on questions that it was trained on with that on
others, which are unlike them in one way or in both:

  seen       the questions that the model was trained on
  structure  the same graphs and anchors with new names, domains and styles
  surface    the same names, domains and styles with new graphs and anchors
  fresh      all of it new

` + "`ein bench memorization generate`" + ` makes them, in a folder, with one file that has all
of them. Evaluate the model on that file, and give the folder and the run:

  ein bench memorization generate --seen train.jsonl --out cells --seed 7
  ein bench eval --model openai:tuned --instances cells/all.jsonl --out runs/tuned
  ein bench memorization --cells cells runs/tuned

Several runs are epochs of one training, in order; --plot shows accuracies and gaps
over them. Runs that were made cell by cell, or of splits that have nothing to do with
each other, are given with --seen, --fresh, --structure and --surface, each once for
each epoch; --seen and one other are needed.

The report has the accuracy of each cell, and the gaps between them with intervals,
tests and the least gap that such a design shows. Questions that share other parts with
those seen than their cell says are left out, and counted as clashes.`,
		Example: `  ein bench memorization --cells cells runs/tuned
  ein bench memorization --cells cells runs/epoch1 runs/epoch2 runs/epoch3 --plot epochs.svg
  ein bench memorization --seen runs/train --fresh runs/heldout --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = f.json
			if err := a.benchMemorization(args, f); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cells, "cells", "", "`folder` that ein bench memorization generate has made")
	flags.StringArrayVar(&f.seen, "seen", nil, "`run` over the questions that were seen; repeated for epochs, as are --structure, --surface and --fresh")
	flags.StringArrayVar(&f.structure, "structure", nil, "`run` over their structures with new surfaces")
	flags.StringArrayVar(&f.surface, "surface", nil, "`run` over their surfaces with new structures")
	flags.StringArrayVar(&f.fresh, "fresh", nil, "`run` over fresh questions")
	flags.StringVar(&f.mode, "mode", "", "only answers in this `mode`: direct, cot, ein, python")
	flags.StringVar(&f.encoding, "encoding", "", "only answers to this `encoding`: nl, json, matrix")
	flags.BoolVar(&f.opt.Lenient, "lenient", false, "gaps of lenient accuracy instead of strict")
	flags.Float64Var(&f.opt.Alpha, "alpha", memorization.DefaultAlpha, "level of the tests; intervals have the confidence 1 - alpha")
	flags.StringVar(&f.plot, "plot", "", "write accuracies and gaps over the epochs as a figure in SVG to this `file`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	cmd.AddCommand(a.benchMemorizationGenerateCommand())
	return cmd
}

func (a *app) benchMemorization(args []string, f *memorizationFlags) error {
	var err error
	if f.opt.Mode, err = oneOf(a, "--mode", f.mode, sft.Modes()); err != nil {
		return err
	}
	if f.opt.Encoding, err = oneOf(a, "--encoding", f.encoding, surface.Encodings()); err != nil {
		return err
	}
	if !(f.opt.Alpha > 0 && f.opt.Alpha < 1) {
		return a.usage("--alpha %v: expected a number between 0 and 1, as in 0.05", f.opt.Alpha)
	}
	member, epochs, err := a.epochs(args, f)
	if err != nil {
		return err
	}
	report, err := memorization.Analyse(epochs, member, f.opt)
	if err != nil {
		return inputProblem(newFinding("E0701", diag.Error, "", 0, 0, err.Error(), ""))
	}
	if f.plot != "" {
		var svg bytes.Buffer
		if err := report.Plot(&svg); err != nil {
			return err
		}
		if err := replaceFile(f.plot, svg.Bytes()); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.plot, cause(err))
		}
	}
	if f.json {
		return a.wrote(writeJSON(a.out, report))
	}
	return a.print(report.Text())
}

// epochs reads the runs of a command line, which come in one of two forms.
func (a *app) epochs(args []string, f *memorizationFlags) (*memorization.Membership, []memorization.Epoch, error) {
	single := []struct {
		cell memorization.Cell
		dirs []string
	}{{memorization.Seen, f.seen}, {memorization.Structure, f.structure}, {memorization.Surface, f.surface}, {memorization.Fresh, f.fresh}}
	given := 0
	for _, s := range single {
		if len(s.dirs) == 0 {
			continue
		}
		given++
		if len(s.dirs) != len(f.seen) {
			return nil, nil, a.usage("--%s is given %d times and --seen %d: an epoch has one of each", s.cell, len(s.dirs), len(f.seen))
		}
	}
	switch {
	case given == 0 && f.cells == "":
		return nil, nil, a.usage("give the folder of cells and a run, as in `--cells DIR RUN`, or runs of cells, as in `--seen RUN --fresh RUN`")
	case given > 0 && (f.cells != "" || len(args) > 0):
		return nil, nil, a.usage("give either --cells with runs over all cells, or a run for each cell")
	case given == 1:
		return nil, nil, a.usage("--seen needs one of --fresh, --structure and --surface to compare with")
	case given == 0 && len(args) == 0:
		return nil, nil, a.usage("give a run over the cells, as in `--cells %s RUN`", f.cells)
	case given > 0:
		epochs := make([]memorization.Epoch, len(f.seen))
		for i, dir := range f.seen {
			epochs[i] = memorization.Epoch{Name: epochName(f.seen, i), Rows: map[memorization.Cell][]*run.Row{}}
			for _, s := range single {
				if len(s.dirs) == 0 {
					continue
				}
				if s.cell != memorization.Seen {
					dir = s.dirs[i]
				}
				r, err := a.readRun(dir)
				if err != nil {
					return nil, nil, err
				}
				for j := range r.Rows {
					epochs[i].Rows[s.cell] = append(epochs[i].Rows[s.cell], &r.Rows[j])
				}
			}
		}
		return nil, epochs, nil
	}
	member, err := memorization.ReadFolder(f.cells)
	if err != nil {
		return nil, nil, inputProblem(newFinding("E0701", diag.Error, f.cells, 0, 0, fmt.Sprintf("the cells cannot be read: %v", err),
			"The folder has to be one that `ein bench memorization generate` has written."))
	}
	epochs := make([]memorization.Epoch, len(args))
	for i, dir := range args {
		if slices.ContainsFunc(args[:i], func(other string) bool { return sameFile(dir, other) }) {
			return nil, nil, a.usage("%s is given twice, and an epoch has a run of its own", dir)
		}
		r, err := a.readRun(dir)
		if err != nil {
			return nil, nil, err
		}
		rows, err := member.Split(r)
		if err != nil {
			return nil, nil, inputProblem(newFinding("E0701", diag.Error, f.cells, 0, 0, err.Error(),
				fmt.Sprintf("The run has to be one over %s.", filepath.Join(f.cells, memorization.AllFile))))
		}
		epochs[i] = memorization.Epoch{Name: epochName(args, i), Rows: rows}
	}
	return member, epochs, nil
}

// epochName is the last part of the path of a run, with its number when others
// have the same.
func epochName(dirs []string, i int) string {
	name := filepath.Base(dirs[i])
	for j, other := range dirs {
		if j != i && filepath.Base(other) == name {
			return fmt.Sprintf("%s (%d)", name, i+1)
		}
	}
	return name
}

func (a *app) benchMemorizationGenerateCommand() *cobra.Command {
	seen, out, seed := "", "", uint64(0)
	cmd := &cobra.Command{
		Use:   "generate --seen FILE --out DIR --seed N",
		Short: "Make the four cells of the questions that a model was trained on",
		Long: `Makes, for each question of a file, one with the same structure and a new surface, one
with the same surface and a new structure, and a fresh one, all of the same category
and number of nodes. No structure of the new ones, up to isomorphism, and no surface
is that of any question seen. Where no such question is found, as for graphs so small
that all of their kind were seen, the question is left out of all four cells.

The folder gets a file for each cell, all.jsonl with all of them, and cells.json, which
has what the cells share, counted from the questions, and the checksums of the files.
The same file and seed make the same cells.`,
		Example: `  ein bench memorization generate --seen train.jsonl --out cells --seed 7`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := a.context(0)
			defer stop()
			if err := a.benchMemorizationGenerate(ctx, seen, out, seed); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&seen, "seen", "", "`file` of the questions that the model was trained on (- is standard input)")
	flags.StringVar(&out, "out", "", "`folder` for the cells")
	flags.Uint64Var(&seed, "seed", 0, "`seed` of what is new; another one than that of the file")
	for _, name := range []string{"seen", "out", "seed"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic("BUG: ein: " + err.Error())
		}
	}
	return cmd
}

func (a *app) benchMemorizationGenerate(ctx context.Context, seen, out string, seed uint64) error {
	list, err := a.instanceList(ctx, seen, io.Discard)
	if err != nil {
		return err
	}
	bar := &instanceBar{progress: a.progress("generating", 0)}
	cells, err := memorization.Generator{Seed: seed, Progress: bar.show}.Generate(ctx, list)
	bar.done()
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case err != nil:
		return inputProblem(newFinding("E0701", diag.Error, seen, 0, 0, err.Error(), "The file has to be one that `ein bench generate` has written, with every question once."))
	}
	files, err := cells.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, fs.ModePerm); err != nil {
		return fmt.Errorf("cannot write %s: %w", out, cause(err))
	}
	for _, f := range files {
		name := filepath.Join(out, f.Name)
		if err := replaceFile(name, f.Data); err != nil {
			return fmt.Errorf("cannot write %s: %w", name, cause(err))
		}
	}
	a.printf("%s", cells.Proof.Text())
	return nil
}
