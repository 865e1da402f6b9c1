package benchmark

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ein/bench/ask/run"
	"ein/bench/result/memorization"
	"ein/internal/codes"

	"ein/cmd/ein/internal/cli"
)

// memorizationFlags holds the flags of ein bench memorization. Runs come in two forms: a folder of
// cells with a run for each epoch, or a run for each cell and epoch.
type memorizationFlags struct {
	cells, plot string
	runs        [5][]string // of memorization.Cells
	opt         memorization.Options
}

func memorizationVerb(a *cli.App) *cobra.Command {
	f := &memorizationFlags{opt: memorization.Options{Alpha: memorization.DefaultAlpha, Parts: memorization.Parts{}}}
	cmd := &cobra.Command{
		Use:   "memorization --cells DIR RUN...",
		Short: "Measure how much of a model's accuracy is memorised",
		Long: `Compares a model's accuracy on its training questions with its accuracy on questions
that differ in one way or in both:

  seen       the questions the model was trained on
  structure  the same graphs and anchors, with new names, domains and styles
  surface    the same names, domains and styles, with new graphs and anchors
  fresh      everything new
  apart      everything from the other side, if the training split is one of cb2

` + "`ein bench memorization generate`" + ` writes these cells to a folder, and all of them to one
file. Evaluate the model on that file, then give the folder and the run:

  ein bench memorization generate --seen train.jsonl --out cells --seed 7
  ein bench eval --model openai:tuned --instances cells/all.jsonl --out runs/tuned
  ein bench memorization --cells cells runs/tuned

Several runs are the epochs of one training, in order; --plot shows accuracies and gaps
over them. For runs over separate cells, or over unrelated splits, use --seen, --fresh,
--structure and --surface, once for each epoch; --seen and one other are required.
Questions that share more with those seen than their cell allows are counted as clashes.`,
		Example: `  ein bench memorization --cells cells runs/tuned
  ein bench memorization --cells cells runs/epoch1 runs/epoch2 runs/epoch3 --plot epochs.svg
  ein bench memorization --seen runs/train --fresh runs/heldout --json`,
		Args: cobra.ArbitraryArgs,
		RunE: a.Do(func(_ context.Context, args []string) error { return memorize(a, args, f) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cells, "cells", "", "`folder` written by ein bench memorization generate")
	for i, what := range []string{"the training questions; repeat for each epoch, like --structure, --surface and --fresh",
		"their structures with new surfaces", "their surfaces with new structures", "fresh questions", "questions of the other side"} {
		flags.StringArrayVar(&f.runs[i], string(memorization.Cells()[i]), nil, "`run` over "+what)
	}
	pickFlags(cmd, &f.opt.Mode, &f.opt.Encoding, "", "")
	flags.BoolVar(&f.opt.Lenient, "lenient", false, "use lenient accuracy for the gaps instead of strict")
	cli.Level.Flag(cmd, &f.opt.Alpha, "alpha", "significance level; intervals have the confidence 1 - alpha")
	plotFlag(cmd, &f.plot, "accuracies and gaps over the epochs")
	a.JSONFlag(cmd, "print one JSON object")
	cmd.AddCommand(cellsVerb(a))
	return cmd
}

// read reads a run without its texts, but with what its questions share with others.
func (f *memorizationFlags) read(a *cli.App, dir string) (*run.Run, error) {
	if err := kept(a, f.plot, dir); err != nil {
		return nil, err
	}
	r, err := readRun(a, dir, run.ReadLight)
	if err == nil {
		err = f.opt.Parts.Add(r)
	}
	return r, err
}

// memorize compares accuracy on seen and on other questions, epoch by epoch.
func memorize(a *cli.App, args []string, f *memorizationFlags) error {
	member, epochs, err := readEpochs(a, args, f)
	if err != nil {
		return err
	}
	report, err := memorization.Analyse(epochs, member, f.opt)
	if err != nil {
		return cli.Input(codes.E0701, "", 0, err.Error(), "")
	}
	if f.plot != "" {
		if err := a.Write(f.plot, report.Plot); err != nil {
			return err
		}
	}
	return a.Result(report, report.Text)
}

// readEpochs reads the runs that a command line names in one of its two forms.
func readEpochs(a *cli.App, args []string, f *memorizationFlags) (*memorization.Membership, []memorization.Epoch, error) {
	cells, seen, given := memorization.Cells(), f.runs[0], 0
	for k, dirs := range f.runs {
		if len(dirs) == 0 {
			continue
		}
		given++
		if len(dirs) != len(seen) {
			return nil, nil, a.Usage("--%s is given %d times and --seen %d: an epoch has one of each", cells[k], len(dirs), len(seen))
		}
	}
	switch {
	case given == 0 && f.cells == "":
		return nil, nil, a.Usage("give the folder of cells and a run, as in `--cells DIR RUN`, or runs of cells, as in `--seen RUN --fresh RUN`")
	case given > 0 && (f.cells != "" || len(args) > 0):
		return nil, nil, a.Usage("give either --cells with runs over all cells, or a run for each cell")
	case given == 1:
		return nil, nil, a.Usage("--seen needs one of --fresh, --structure and --surface to compare with")
	case given == 0 && len(args) == 0:
		return nil, nil, a.Usage("give a run over the cells, as in `--cells %s RUN`", f.cells)
	case given > 0:
		epochs := make([]memorization.Epoch, len(seen))
		for i := range epochs {
			epochs[i] = memorization.Epoch{Name: epochName(seen, i), Rows: map[memorization.Cell][]*run.Row{}}
			for k, dirs := range f.runs {
				if len(dirs) == 0 {
					continue
				}
				r, err := f.read(a, dirs[i])
				if err != nil {
					return nil, nil, err
				}
				for j := range r.Rows {
					epochs[i].Rows[cells[k]] = append(epochs[i].Rows[cells[k]], &r.Rows[j])
				}
			}
		}
		return nil, epochs, nil
	}
	member, err := memorization.ReadFolder(f.cells)
	if err != nil {
		return nil, nil, cli.Input(codes.E0701, f.cells, 0, fmt.Sprintf("the cells cannot be read: %v", err),
			"Give a folder that `ein bench memorization generate` wrote.")
	}
	if dir := twice(args); dir != "" {
		return nil, nil, a.Usage("%s is given twice, and an epoch has a run of its own", dir)
	}
	epochs := make([]memorization.Epoch, len(args))
	for i, dir := range args {
		r, err := f.read(a, dir)
		if err != nil {
			return nil, nil, err
		}
		rows, err := member.Split(r)
		if err != nil {
			return nil, nil, cli.Input(codes.E0701, f.cells, 0, err.Error(),
				fmt.Sprintf("Give a run over %s.", filepath.Join(f.cells, memorization.AllFile)))
		}
		epochs[i] = memorization.Epoch{Name: epochName(args, i), Rows: rows}
	}
	return member, epochs, nil
}

// epochName returns the last part of the path of a run, with its number when others
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

func cellsVerb(a *cli.App) *cobra.Command {
	seen, out, seed := "", "", uint64(0)
	cmd := &cobra.Command{
		Use:   "generate --seen FILE --out DIR --seed N",
		Short: "Generate test cells from a model's training questions",
		Long: `Generates, for each question of a file, one with the same structure and a new surface,
one with the same surface and a new structure, and a fresh one, all of the same category
and number of nodes. No new structure (up to isomorphism) and no new surface occurs in
any question seen; a question for which none can be found is left out of all cells. For a
training split of cb2, each question also gets one of the other side, whose structures and
labels no training split has.

The folder gets a file for each cell, all.jsonl with all of them, and cells.json with
checksums. The same file and seed give the same cells; other cells are not overwritten.`,
		Example: `  ein bench memorization generate --seen train.jsonl --out cells --seed 7`,
		Args:    cobra.NoArgs,
		RunE:    a.Do(func(ctx context.Context, _ []string) error { return makeCells(ctx, a, seen, out, seed) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&seen, "seen", "", "`file` of the training questions (- is standard input)")
	flags.StringVar(&out, "out", "", "`folder` for the cells")
	cli.Seed.Flag(cmd, &seed, "seed", "`seed` for the new parts")
	cli.Required(cmd, "seen", "out", "seed")
	return cmd
}

// makeCells writes the counterparts of seen instances to a folder, and prints the proof of what
// they share. A folder that holds other cells is refused, since runs refer to them.
func makeCells(ctx context.Context, a *cli.App, seen, out string, seed uint64) error {
	list, err := instanceList(ctx, a, seen)
	if err != nil {
		return err
	}
	p := a.Progress("generating")
	cells, err := memorization.Generate(ctx, list, seed, p.Counter(0))
	p.Done()
	switch {
	case ctx.Err() != nil:
		return cli.Stopped(ctx)
	case err != nil:
		return cli.Input(codes.E0701, seen, 0, err.Error(), "Give a file that `ein bench generate` wrote, with every question once.")
	}
	files := cells.Files()
	for _, f := range files { // runs over other cells need them
		name := filepath.Join(out, f.Name)
		if old, err := os.ReadFile(name); err == nil && !bytes.Equal(old, f.Data) {
			return a.Usage("%s holds other cells: give another folder, or remove this one first", name)
		}
	}
	if err := cli.Folder(out); err != nil {
		return err
	}
	for _, f := range files {
		if err := a.WriteFile(filepath.Join(out, f.Name), f.Data); err != nil {
			return err
		}
	}
	a.Printf("%s", cells.Proof.Text())
	return nil
}
