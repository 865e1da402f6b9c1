package benchmark

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/question/instance"
	"ein/bench/question/release"
	"ein/internal/job"
	"ein/internal/version"

	"ein/cmd/ein/internal/cli"
)

func releaseVerb(a *cli.App) *cobra.Command {
	s := release.Defaults()
	cmd := &cobra.Command{
		Use:   "release DIR",
		Short: "Build a data set for publication",
		Long: `Writes a folder that is ready to be published:

  questions/train     --per-category questions of each category
  questions/further   --further more questions of all categories, for fine-tuning
  questions/heldout   questions for scoring, whose structures occur in neither
  questions/sweep     the same in up to five sizes
  questions/heldout_json, heldout_matrix   heldout in the other encodings
  sft/train           the training questions as chats, one for each target of sft

Each comes as JSONL and as Parquet, with one type for each column. audit.txt and
stats.txt say how well the questions can be guessed and how they are distributed.
README.md is a datasheet card with which the datasets library loads the folder; its
command line makes the same bytes again. SHA256SUMS has the checksums.`,
		Example: `  ein bench release closurebench
  ein bench release small --preset demo --per-category 2 --further 60 --seed 7`,
		Args: cobra.ExactArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error { return makeRelease(ctx, a, args[0], s) }),
	}
	cli.One(instance.PresetNames()...).Flag(cmd, &s.Preset, "preset", "sizes: demo, paper, standard or hard")
	cli.Seed.Flag(cmd, &s.Seed, "seed", "seed; each gives different questions")
	cli.Int(1, math.MaxInt).Flag(cmd, &s.PerCategory, "per-category", "`number` of questions of each category, for training and for scoring")
	cli.Int(1, math.MaxInt).Flag(cmd, &s.Further, "further", "`number` of further training questions")
	return cmd
}

// makeRelease writes to a temporary folder within dir first: a release that fails leaves nothing,
// and what a killed one leaves is never mistaken for a release.
func makeRelease(ctx context.Context, a *cli.App, dir string, s release.Settings) (err error) {
	there, err := os.ReadDir(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	for _, e := range there {
		if !strings.HasPrefix(e.Name(), job.TempPrefix) {
			return a.Usage("%s is not empty: a release needs an empty folder", dir)
		}
	}
	if err := cli.Folder(dir); err != nil {
		return err
	}
	part, err := os.MkdirTemp(dir, job.TempPrefix+"*")
	if err != nil {
		return cli.Unwritten(dir, err)
	}
	defer func() {
		if _ = os.RemoveAll(part); err != nil && isNew {
			_ = os.Remove(dir)
		}
	}()
	s.Ein, _, _ = strings.Cut(version.String(), "+")
	bar := func(table string) func(done, all int) { return a.Progress("making " + table).Counter(0) }
	m := &release.Maker{Settings: s, Progress: bar, Write: func(name string, write func(io.Writer) error) error {
		name = filepath.Join(part, filepath.FromSlash(name))
		if err := cli.Folder(filepath.Dir(name)); err != nil {
			return err
		}
		return a.Write(name, write)
	}}
	err = m.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return cli.StoppedWhile(ctx, "the release was being made: nothing of it is kept")
	case err != nil:
		return err
	}
	made, err := os.ReadDir(part)
	if err != nil {
		return cli.Unreadable(part, err)
	}
	// Folders go first: where another release was faster, they cannot be moved, and nothing of it has
	// been overwritten. The card goes last.
	slices.SortFunc(made, func(a, b fs.DirEntry) int {
		return cmp.Or(cmp.Compare(b.Type(), a.Type()), strings.Compare(b.Name(), a.Name()))
	})
	for _, e := range made {
		name := filepath.Join(dir, e.Name())
		if err := job.Rename(filepath.Join(part, e.Name()), name); err != nil {
			return cli.Unwritten(name, err)
		}
	}
	for _, e := range there { // what killed releases left would be published too
		_ = os.RemoveAll(filepath.Join(dir, e.Name()))
	}
	a.Printf("ein: the release is in %s; %s says what is in it\n", dir, filepath.Join(dir, release.Card))
	return nil
}
