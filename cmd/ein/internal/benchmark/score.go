package benchmark

import (
	"context"
	"fmt"
	"slices"

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
		Long: `Scores replies and prints a table by category and level, with 95 % Wilson intervals.
With DIR, a run of ein bench eval, it scores the replies of all modes again and replaces
scores.jsonl, without asking anyone. Otherwise give --instances and --replies, a file
of JSONL:

  {"id": the instance, "reply": the text of the model}
  {"id": the instance, "error": why there is no text}

The answer is the member "answer" of the last JSON object in a reply that has one. Every
instance has one outcome:

  strict        right
  lenient_only  right if the node asked about is counted in, or out, where the
                question leaves that open; never where it states its conventions
  relaxed_only  the right value, but not as JSON of its type in such an object
  wrong         wrong
  format_error  no such object, or an answer of another JSON type
  no_answer     an empty reply, or none
  infra_error   an error of a provider; counted in no share

If several replies have the same id, the first counts, so split a file of several models
or modes. Replies to unknown ids are ignored, and reported.

With -o, each instance gets one record, in the order of the replies, then those without one.
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

// scoreReplies scores direct answers. It refuses replies that say they are programs, which would
// all be wrong as answers.
func scoreReplies(ctx context.Context, a *cli.App, f *judgeFlags) error {
	sum, err := judge(ctx, a, f, judging{doing: "scoring", workers: 1, record: verdict.ScoreRecord, from: []job.Field{{Name: "verb", Value: "score"}},
		newWorker: func() verdict.Work[*verdict.Item] {
			score := verdict.New(verdict.Options{}).Answer
			return func(ctx context.Context, it *verdict.Item) (*verdict.Verdict, error) {
				if slices.Contains(languages, it.Mode) {
					return nil, &modeError{it.Number, fmt.Sprintf("the reply has the mode %s, whose replies are programs, not answers", it.Mode), "`ein bench exec` scores programs; give each mode a file of its own."}
				}
				return score(ctx, it)
			}
		}})
	if err != nil || f.on() {
		return err
	}
	return a.Result(sum.Scores(), func() string { return sum.ScoresText() + sum.NotesText() })
}
