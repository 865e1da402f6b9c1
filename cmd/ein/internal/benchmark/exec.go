package benchmark

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/internal/job"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

type execFlags struct {
	judgeFlags
	lang   []prompt.Mode
	limits verdict.Limits
	source uint64
	labels bool
}

func execVerb(a *cli.App, s *sharding) *cobra.Command {
	f := &execFlags{
		judgeFlags: judgeFlags{sharding: s},
		lang:       []prompt.Mode{prompt.Ein}, source: verdict.DefaultSource,
		limits: verdict.Limits{Ops: verdict.DefaultOps, Bytes: verdict.DefaultBytes, Timeout: verdict.DefaultTimeout},
	}
	cmd := &cobra.Command{
		Use:   "exec --instances FILE --replies FILE",
		Short: "Run and score replies that are programs",
		Long: `Runs replies that are programs, scores their outputs and prints a table. A file of
replies is JSONL, {"id": the instance, "reply": the text of the model}; the optional
"mode" (ein, python or rules) names the language, "finish" says why the model stopped.

The program is the last complete fenced block, marked with the language if one is; without
blocks, all of the text. Its printed output is the answer: 0 or 1, a number, a 0/1 vector
over the nodes, a node number, or two values. An Ein program is checked in the core
profile, and its cost is bounded before it runs.

A program without an answer has an outcome of its own: no_program, parse_error,
type_error, over_limit, runtime_error or bad_output. A wrong one runs again with the true
edges, to tell a graph read wrongly from wrong logic, as ein bench diagnose says.

With --lang python, programs print one JSON value, with node numbers in place of labels.
They run in a sandbox, made by bubblewrap or Landlock, that is attacked first; without one
that holds, none runs and the exit code is 5. With --lang rules, they are facts, rules and
queries in Ein. With several languages, the mode of a reply decides, then the mark of its
block, then its form.

If several replies have the same id, the first counts; an instance without a reply
counts as no_answer. With -o, each instance gets one record.
` + restartHelp + "\n\n" + shardHelp,
		Example: `  ein bench exec --instances heldout.jsonl --replies replies.jsonl
  ein bench exec --instances heldout.jsonl --replies replies.jsonl --lang ein,python -o scores.jsonl --json`,
		Args: cobra.NoArgs,
		RunE: a.Do(func(ctx context.Context, _ []string) error { return interrupted(ctx, a, execPrograms(ctx, a, f)) }),
	}
	cli.Some(cmd, &f.lang, "lang", languages, "languages of the programs, with commas: ein, python, rules")
	cmd.Flags().BoolVar(&f.labels, "labels", false, "let Ein programs name nodes by label, as those of sft --target ein-labels do")
	cli.Count.Flag(cmd, &f.limits.Ops, "max-ops", "maximum operations of an Ein program")
	cli.Size.Flag(cmd, &f.limits.Bytes, "max-memory", "maximum memory of an Ein program")
	cli.Size.Flag(cmd, &f.source, "max-source", "maximum length of an Ein program")
	cli.Duration.Flag(cmd, &f.limits.Timeout, "timeout", "maximum running time of a program")
	f.add(a, cmd)
	return cmd
}

var languages = []prompt.Mode{prompt.Ein, prompt.Python, prompt.Rules}

// from returns what the records depend on besides the files.
func (f *execFlags) from() []job.Field {
	list := []job.Field{
		{Name: "verb", Value: "exec"}, {Name: "lang", Value: cli.Join(f.lang, ",")}, {Name: "max-ops", Value: cli.Count.Text(f.limits.Ops)},
		{Name: "max-memory", Value: cli.Size.Text(f.limits.Bytes)}, {Name: "max-source", Value: cli.Size.Text(f.source)}, {Name: "timeout", Value: f.limits.Timeout.String()},
	}
	if f.labels {
		list = append(list, job.Field{Name: "labels", Value: "true"})
	}
	if slices.Contains(f.lang, prompt.Python) {
		list = append(list, job.Field{Name: "python", Value: f.box.python}, job.Field{Name: "sandbox", Value: f.box.backend})
	}
	return list
}

// execPrograms runs and scores the programs of replies. Where all are Python, it needs the
// sandbox before it reads anything; otherwise programs in Ein are scored without one. Failures of
// ein and of the sandbox are no fault of the model: they are counted apart and set the exit code.
func execPrograms(ctx context.Context, a *cli.App, f *execFlags) error {
	slices.Sort(f.lang)
	f.limits.Source = int(f.source)
	box := f.box.lazy(ctx, f.limits.Timeout)
	defer box.Close()
	if len(f.lang) == 1 && f.lang[0] == prompt.Python && f.merged == nil {
		if _, err := box.Open(); err != nil {
			return noSandbox(ctx, a, err)
		}
	}
	bugs, outside := 0, 0
	sum, err := judge(ctx, a, &f.judgeFlags, judging{
		doing: "running", workers: runtime.GOMAXPROCS(0), why: true, programs: true, record: verdict.ProgramRecord, from: f.from(), notes: box.notes,
		newWorker: withWhy(box, verdict.Options{Limits: f.limits, Labels: f.labels}, f.language),
		seen: func(it *verdict.Item, v *verdict.Verdict) {
			if it.Error != "" || v.Outcome != answer.InfraError {
				return
			}
			n := &outside
			if it.Mode != prompt.Python {
				n = &bugs
			}
			if *n++; *n == 1 {
				a.Printf("ein: %s: %s\n", it.Question.ID, v.Message)
			}
		},
	})
	if err != nil {
		return err
	}
	if !f.on() {
		proofs := box.proofs(f.merged)
		err = a.Result(struct {
			*verdict.ProgramReport
			Sandbox *proof   `json:"sandbox,omitempty"`
			Others  []*proof `json:"other_sandboxes,omitempty"` // of shards
		}{sum.ProgramReport(), proofs[0], proofs[1:]}, func() string { return sum.ProgramsText() + proofsText(proofs) + sum.NotesText() })
	}
	switch {
	case err != nil:
		return err
	case bugs > 0:
		a.Printf("ein: %s of ein kept programs from being scored\n", words.Plural(bugs, "bug"))
		return cli.Status(cli.ExitBug)
	case outside > 0:
		return a.Outside("the sandbox failed on %s", words.Plural(outside, "program"))
	}
	return nil
}

// language sets the mode of an item to the language of its program.
func (f *execFlags) language(it *verdict.Item) error {
	switch l := it.Mode; {
	case slices.Contains(languages, l):
		if !slices.Contains(f.lang, l) {
			return &modeError{it.Number, fmt.Sprintf("the reply has the mode %s, which --lang leaves out", l), fmt.Sprintf("Give `--lang %s,%s`.", cli.Join(f.lang, ","), l)}
		}
	case l != "":
		return &modeError{it.Number, fmt.Sprintf("the reply has the mode %s, whose replies are answers, not programs", l), "`ein bench score` scores answers; give each mode a file of its own."}
	case len(f.lang) == 1:
		it.Mode = f.lang[0]
	default:
		var ok bool
		if it.Mode, ok = verdict.Detect(it.Reply); !ok || !slices.Contains(f.lang, it.Mode) {
			it.Mode = f.lang[0]
		}
	}
	return nil
}

// modeError refuses a reply in a mode that the verb does not score.
type modeError struct {
	line       int
	what, hint string
}

func (e *modeError) Error() string { return e.what }
