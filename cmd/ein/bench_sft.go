package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/bench/question/instance"
	"ein/bench/question/sft"
	"ein/internal/job"
	"ein/lang/diag"
)

type sftFlags struct {
	instances, out, prompts string
	targets                 []string
	format                  choice
	canary                  string
	noCanary                bool
}

// trainSplit is the split that is meant to be trained on.
const trainSplit = "train"

func (a *app) benchSFTCommand() *cobra.Command {
	f := &sftFlags{format: choice{string(sft.Messages), stringsOf(sft.Formats())}}
	cmd := &cobra.Command{
		Use:   "sft --instances FILE -o FILE",
		Short: "Turn instances into training data",
		Long: `Writes training data as JSONL: for every instance and target one record, with what
the model is told (the system prompt), what it is asked (the question) and what it
should say: the answer as JSON, or the Ein or Python program in a fenced block.

  messages           {"id","target","messages":[{"role","content"},...],"canary"}
  prompt-completion  {"id","target","prompt","completion","canary"}

The prompts are direct.md, ein.md and python.md of the benchmark; files of these
names in the folder of --prompts replace them.

Each record has a field with a canary: text that is nowhere else, by which data sets
and models that contain the benchmark can be told. It is
` + sft.Canary + `.`,
		Example: `  ein bench sft --instances train.jsonl --target ein -o sft.jsonl
  ein bench sft --instances train.jsonl --target answer,ein,python --format prompt-completion -o sft.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := a.context(0)
			defer stop()
			opt, err := a.sftOptions(f)
			if err == nil {
				err = a.benchSFT(ctx, f, opt)
			}
			if err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.instances, "instances", "", "`file` of instances (- is standard input)")
	flags.StringVarP(&f.out, "output", "o", "-", "`file` to write (- is standard output)")
	flags.StringSliceVar(&f.targets, "target", []string{string(sft.TargetEin)}, "`targets`, what is to be learned, with commas: answer, ein, python")
	flags.Var(&f.format, "format", "shape of the records: messages or prompt-completion")
	flags.StringVar(&f.prompts, "prompts", "", "`folder` with other prompts")
	flags.StringVar(&f.canary, "canary", sft.Canary, "`text` that marks every record")
	flags.BoolVar(&f.noCanary, "no-canary", false, "mark no record")
	flags.Lookup("canary").DefValue = ""
	cmd.MarkFlagsMutuallyExclusive("canary", "no-canary")
	if err := cmd.MarkFlagRequired("instances"); err != nil {
		panic("BUG: ein: " + err.Error())
	}
	complete(cmd, "target", stringsOf(sft.Targets())...)
	complete(cmd, "format", f.format.values...)
	return cmd
}

func stringsOf[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

func (a *app) sftOptions(f *sftFlags) (*sft.Options, error) {
	opt := &sft.Options{Format: sft.Format(f.format.value), Prompts: sft.DefaultPrompts(), Canary: f.canary}
	for _, t := range f.targets {
		target := sft.Target(t)
		switch {
		case !slices.Contains(sft.Targets(), target):
			return nil, a.usage("there is no target %q; there are %s", t, strings.Join(stringsOf(sft.Targets()), ", "))
		case slices.Contains(opt.Targets, target):
			return nil, a.usage("the target %s is there twice", t)
		}
		opt.Targets = append(opt.Targets, target)
	}
	switch {
	case len(opt.Targets) == 0:
		return nil, a.usage("--target is empty; there are %s", strings.Join(stringsOf(sft.Targets()), ", "))
	case f.noCanary:
		opt.Canary = ""
	case f.canary == "":
		return nil, a.usage("the canary is empty; to mark no record, say --no-canary")
	}
	if f.prompts != "" {
		if err := opt.Prompts.Override(os.DirFS(f.prompts)); err != nil {
			return nil, inputProblem(newFinding("", diag.Error, f.prompts, 0, 0, fmt.Sprintf("the folder of prompts cannot be used: %v", cause(err)), ""))
		}
	}
	return opt, nil
}

func (a *app) benchSFT(ctx context.Context, f *sftFlags, opt *sft.Options) error {
	in, err := a.open(ctx, f.instances)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("reading "+in.name, in.size)
	splits := map[string]int{}
	var readErr error // so that it is not taken for one of writing
	write := func(w io.Writer) error {
		for x, err := range instance.Read(p.reader(in)) {
			if err != nil {
				readErr = badLines(in.name, err)
				return readErr
			}
			splits[x.Split]++
			if err := sft.Write(w, x, opt); err != nil {
				return err
			}
		}
		if len(splits) == 0 {
			readErr = badLines(in.name, errNoInstances)
			return readErr
		}
		return nil
	}
	if f.out == "-" {
		err = buffered(a.out, write)
	} else {
		err = job.Replace(f.out, write)
	}
	p.done()
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case readErr != nil:
		return readErr
	case err != nil && f.out == "-":
		return fmt.Errorf("cannot write the output: %w", err)
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", f.out, cause(err))
	}
	total := 0
	for _, split := range slices.Sorted(maps.Keys(splits)) {
		total += splits[split]
		if split != trainSplit {
			a.printf("ein: note: %s of the split %s; a model that has been trained on a split must not be scored on it\n",
				plural(splits[split], "instance"), split)
		}
	}
	if f.out != "-" {
		a.printf("ein: %s of %s written to %s\n", plural(total*len(opt.Targets), "record"), plural(total, "instance"), f.out)
	}
	return nil
}
