package benchmark

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
	"ein/internal/lists"
)

type sftFlags struct {
	instances, out, prompts string
	opt                     prompt.Options
	noCanary, force         bool
}

func sftVerb(a *cli.App) *cobra.Command {
	f := &sftFlags{opt: prompt.Options{Format: prompt.Messages, Targets: []prompt.Target{prompt.TargetEin}}}
	cmd := &cobra.Command{
		Use:   "sft --instances FILE -o FILE",
		Short: "Convert instances to training data",
		Long: `Writes training data as JSONL, one record for every instance and target: what the model
is told (the system prompt), what it is asked (the question) and what it should reply.
The targets are the answer as JSON (answer), the same after the search, filters and
counts that lead to it (cot), and a program in a fenced block: in Ein (ein), in Ein with
node labels in place of numbers (ein-labels, which ein bench exec --labels runs), in
Python (python), or in Ein as facts, rules and queries (rules).

  messages           {"id","target","messages":[{"role","content"},...],"canary"}
  prompt-completion  {"id","target","prompt","completion","canary"}, as two texts
  conversational     the same, as two lists of messages

The prompts are direct.md, cot.md, ein.md, python.md and rules.md of the benchmark; files
of the same name in the folder of --prompts replace them.

Instances of a split reserved for scoring are refused: in cb2, those whose name does not
begin with train; in cb1, heldout, test* and fresh*. --force accepts them.

Each record has a canary: text found nowhere else, which identifies data sets and models
that contain the benchmark. It is
` + prompt.Canary + `.`,
		Example: `  ein bench sft --instances train.jsonl --target ein -o sft.jsonl
  ein bench sft --instances train.jsonl --target answer,ein,python --format prompt-completion -o sft.jsonl`,
		Args: cobra.NoArgs,
		RunE: a.Do(func(ctx context.Context, _ []string) (err error) {
			if f.noCanary {
				f.opt.Canary = ""
			} else if f.opt.Canary == "" {
				return a.Usage("the canary is empty; to mark no record, say --no-canary")
			}
			modes := lists.Map(f.opt.Targets, prompt.Target.Mode)
			if f.opt.Prompts, err = prompts(a, f.prompts, modes); err != nil {
				return err
			}
			return writeSFT(ctx, a, f)
		}),
	}
	flags := cmd.Flags()
	instancesFlag(cmd, &f.instances)
	outputFlag(cmd, &f.out)
	cli.Some(cmd, &f.opt.Targets, "target", prompt.Targets(), "`targets`, what is to be learned, with commas: answer, cot, ein, ein-labels, python, rules")
	cli.One(prompt.Formats()...).Flag(cmd, &f.opt.Format, "format", "shape of the records: messages, prompt-completion or conversational")
	promptsFlag(cmd, &f.prompts)
	flags.StringVar(&f.opt.Canary, "canary", prompt.Canary, "`text` that marks every record")
	flags.BoolVar(&f.noCanary, "no-canary", false, "mark no record")
	flags.BoolVar(&f.force, "force", false, "accept instances of splits reserved for scoring")
	flags.Lookup("canary").DefValue = ""
	cmd.MarkFlagsMutuallyExclusive("canary", "no-canary")
	cli.Required(cmd, "instances")
	return cmd
}

// writeSFT writes instances as training data, each once for each target. It refuses held-out
// splits without --force: a model trained on them could not be scored any more.
func writeSFT(ctx context.Context, a *cli.App, f *sftFlags) error {
	if err := kept(a, f.out, f.instances); err != nil {
		return err
	}
	total := 0
	var again duplicates
	var failed error // of the file that is written
	err := readInstances(ctx, a, f.instances, instance.Read, func(all instances) error {
		failed = a.Write(f.out, func(w io.Writer) error {
			for x, err := range again.in(all) {
				if err != nil {
					return err
				}
				if !f.force && instance.HeldOut(x.Version, x.Split) {
					return a.Usage("%s is of the split %s, which is there to be scored on: generate instances with --split train, or say --force", x.ID, x.Split)
				}
				total++
				if err := prompt.Write(w, x, &f.opt); err != nil {
					return err
				}
			}
			return nil
		})
		return nil
	})
	if err := cmp.Or(err, failed); err != nil {
		return err
	}
	again.tell(a)
	if f.out != "-" {
		a.Printf("ein: %s of %s written to %s\n%s", words.Plural(total*len(f.opt.Targets), "record"), words.Plural(total, "instance"), f.out, f.opt.Lengths.Text())
	}
	return nil
}
