package benchmark

import (
	"context"

	"github.com/spf13/cobra"

	"ein/bench/judge/verdict"
	"ein/internal/job"

	"ein/cmd/ein/internal/cli"
)

func scoreVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &judgeFlags{sharding: s}
	cmd := &cobra.Command{
		Use:   "score [DIR]",
		Short: "Score the replies of a model",
		Long: `Scores replies and prints a table by category and level, with 95 % intervals by
Wilson. With DIR, which is a run of ein bench eval, its replies are scored in all
modes, its scores.jsonl is replaced, and nobody is asked; without, the files are
those of --instances and --replies. A file of replies is JSONL:

  {"id": the instance, "reply": the text of the model}
  {"id": the instance, "error": why there is no text}

The answer is the member "answer" of the last JSON object of a reply that has one;
what is around the object does not matter, and reasoning up to </think> is left
out. Every instance has one outcome:

  strict        right
  lenient_only  right if the node asked about is counted in, or out, where the
                question leaves that open; never where it states its conventions
  relaxed_only  the right value, but not as JSON of its type in such an object:
                "3", yes, \boxed{3}, Answer: 3, a Python dictionary
  wrong         wrong
  format_error  no such object, or an answer of another JSON type
  no_answer     an empty reply, or none
  infra_error   an error of a provider; left out of the shares

In a file, an instance without a reply counts as no_answer; in a run it is missing
and in no share. Of several replies with one id
the first counts: a file of several models or modes has to be split. Replies to ids
that are not in the file of instances do not count. All of this is reported.

With -o, one record for each instance is written:
{"id","category","level","outcome","strict","relaxed","lenient","answer","reason"},
in the order of the replies, then those without one.
` + restartHelp + "\n\n" + shardHelp,
		Example: `  ein bench score runs/model-ein
  ein bench score --instances heldout.jsonl --replies replies.jsonl
  ein bench score --instances heldout.jsonl --replies replies.jsonl -o scores.jsonl --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.Do(func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 1 && (f.instances != "" || f.replies != "" || f.out != "" || f.on()):
				return a.Usage("give DIR, or --instances and --replies")
			case len(args) == 1:
				return scoreRun(ctx, a, args[0], &f.box, evalResult{Version: 1})
			case f.instances == "" || f.replies == "":
				return a.Usage("give DIR, or both --instances and --replies")
			}
			return interrupted(ctx, a, scoreReplies(ctx, a, f))
		}),
	}
	f.add(a, cmd)
	return cmd
}

func scoreReplies(ctx context.Context, a *cli.App, f *judgeFlags) error {
	sum, err := judge(ctx, a, f, judging{doing: "scoring", workers: 1, record: verdict.ScoreRecord, from: []job.Field{{Name: "verb", Value: "score"}},
		newWorker: func() verdict.Work[*verdict.Item] { return verdict.New(verdict.Options{}).Answer }})
	if err != nil || f.on() {
		return err
	}
	return a.Result(sum.Scores(), func() string { return sum.ScoresText() + sum.NotesText() })
}
