package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/sft"
	"ein/internal/job"
)

type execFlags struct {
	judgeFlags
	lang                 languages
	maxOps               count
	maxMemory, maxSource byteSize
	timeout              duration
}

// languages is a flag such as ein or ein,python.
type languages []sft.Mode

func (l *languages) String() string { return strings.Join(stringsOf(*l), ",") }

// Type names the value in the help.
func (l *languages) Type() string { return "names" }

// Set implements the flag.
func (l *languages) Set(s string) error {
	*l = nil
	for _, name := range strings.Split(s, ",") {
		known := sft.Mode(strings.TrimSpace(name))
		if known != sft.Ein && known != sft.Python {
			return errors.New("expected ein, python or both with a comma")
		}
		if !slices.Contains(*l, known) {
			*l = append(*l, known)
		}
	}
	slices.Sort(*l)
	return nil
}

func (a *app) benchExecCommand() *cobra.Command {
	f := &execFlags{
		lang:   languages{sft.Ein},
		maxOps: verdict.DefaultOps, maxMemory: verdict.DefaultBytes, maxSource: verdict.DefaultSource,
		timeout: duration(verdict.DefaultTimeout),
	}
	cmd := &cobra.Command{
		Use:   "exec --instances FILE --replies FILE",
		Short: "Run and score replies that are programs",
		Long: `Runs replies that are programs, scores what they give, and prints a table. A file
of replies is JSONL, {"id": the instance, "reply": the text of the model}; "mode",
ein or python, says what the reply is in, and "finish" why the model stopped.

The program of a reply is the last complete fenced block marked with the language;
without one, the last complete block without a mark, then the last complete one;
without blocks, in Ein the text from its first statement to its last, in Python
all of it. An Ein program is checked in the core profile, and its cost is bounded
before it runs, in this process. What it prints is the answer: 0 or 1, a number, a
0/1 vector over the nodes, the number of a node, or two values. Outcomes, beside
those of ein bench score:

  no_program     a reply without a program
  parse_error    text that is no program
  type_error     names, shapes, or constructs that are not allowed
  over_limit     too long or too costly
  runtime_error  failed as it ran
  bad_output     an output that is no answer to the question

A wrong program is run again with the true edges: it read the graph wrong
(graph_reading), its logic is wrong (logic), or both; no_graph is one that has no
graph in it. constant_output marks Ein programs whose output depends on no graph.

With --lang python the replies are Python programs; each prints one JSON value,
with the numbers of nodes in place of their labels. They are run in a sandbox, made
by bubblewrap or by Landlock, that is attacked first; the table names it. Where none
holds, no program is run, and the exit code is 5. With --lang ein,python
a reply is in what its mode says; without a mode, in what its block is marked
with; without a mark, in Ein when it has the form of it and imports nothing, else
in Python. The sandbox is then opened when the first Python program comes.

Of several replies with one id the first counts; an instance without a reply
counts as no_answer. With -o, one record for each instance is written: {"id",
"category","level","lang","outcome","strict","lenient","answer","reason",
"error_class","code","message","ops","constant_output","attribution"}.
` + restartHelp,
		Example: `  ein bench exec --instances heldout.jsonl --replies replies.jsonl
  ein bench exec --instances heldout.jsonl --replies replies.jsonl --lang ein,python -o scores.jsonl --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.json = f.json
			ctx, stop := a.context(0)
			defer stop()
			if err := a.interrupted(ctx, a.benchExec(ctx, f)); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.lang, "lang", "languages of the programs: ein, python or ein,python")
	flags.Var(&f.maxOps, "max-ops", "most operations of an Ein program")
	flags.Var(&f.maxMemory, "max-memory", "most memory of an Ein program")
	flags.Var(&f.maxSource, "max-source", "longest text of an Ein program")
	flags.Var(&f.timeout, "timeout", "most time for the run of a program")
	f.add(cmd, true)
	complete(cmd, "lang", "ein", "python", "ein,python")
	return cmd
}

func (f *execFlags) limits() verdict.Limits {
	return verdict.Limits{Source: int(f.maxSource), Ops: uint64(f.maxOps), Bytes: uint64(f.maxMemory), Timeout: time.Duration(f.timeout)}
}

// from is what the records depend on, beside the files.
func (f *execFlags) from() []job.Field {
	list := []job.Field{
		{Name: "verb", Value: "exec"}, {Name: "lang", Value: f.lang.String()}, {Name: "max-ops", Value: f.maxOps.String()},
		{Name: "max-memory", Value: f.maxMemory.String()}, {Name: "max-source", Value: f.maxSource.String()}, {Name: "timeout", Value: f.timeout.String()},
	}
	if slices.Contains(f.lang, sft.Python) {
		list = append(list, job.Field{Name: "python", Value: f.box.python}, job.Field{Name: "sandbox", Value: f.box.backend})
	}
	return list
}

func (a *app) benchExec(ctx context.Context, f *execFlags) error {
	box, err := f.box.lazy(ctx, a, time.Duration(f.timeout))
	if err != nil {
		return err
	}
	defer box.close()
	if len(f.lang) == 1 && f.lang[0] == sft.Python {
		if _, err := box.open(); err != nil {
			return a.noSandbox(ctx, err)
		}
	}
	bugs, outside := 0, 0
	sum, err := a.judge(ctx, &f.judgeFlags, judging{
		doing: "running", workers: runtime.GOMAXPROCS(0), why: true, record: verdict.ProgramRecord, from: f.from(), again: (*verdict.Item).Again,
		newWorker: withWhy(box, verdict.Options{Limits: f.limits(), Cache: cachedPrograms}, f.language),
		seen: func(it *verdict.Item, v *verdict.Verdict) {
			if it.Error != "" || v.Outcome != answer.InfraError {
				return
			}
			n := &outside
			if it.Mode == sft.Ein {
				n = &bugs
			}
			if *n++; *n == 1 {
				a.printf("ein: %s: %s\n", it.Question.ID, v.Message)
			}
		},
	})
	if err != nil {
		return err
	}
	if f.json {
		err = a.wrote(writeJSON(a.out, struct {
			*verdict.ProgramReport
			Sandbox *proof `json:"sandbox,omitempty"`
		}{sum.ProgramReport(), box.proof()}))
	} else {
		err = a.print(sum.ProgramsText() + box.text() + sum.NotesText())
	}
	switch {
	case err != nil:
		return err
	case bugs > 0:
		a.printf("ein: %s of ein kept programs from being scored\n", plural(bugs, "bug"))
		return status(exitBug)
	case outside > 0:
		a.printf("ein: the sandbox failed on %s\n", plural(outside, "program"))
		return status(exitOutside)
	}
	return nil
}

// cachedPrograms is how many compiled programs each worker keeps: models give the
// same program for one instance again, and for others with the same graph.
const cachedPrograms = 256

// language makes the mode of an item what its program is in.
func (f *execFlags) language(it *verdict.Item) error {
	switch l := it.Mode; {
	case l == sft.Ein || l == sft.Python:
		if !slices.Contains(f.lang, l) {
			return &languageError{it.Number, l}
		}
	case len(f.lang) == 1:
		it.Mode = f.lang[0]
	default:
		var ok bool
		if it.Mode, ok = verdict.Detect(it.Reply); !ok {
			it.Mode = sft.Ein
		}
	}
	return nil
}

// languageError is a reply in a language that was not asked for.
type languageError struct {
	line int
	lang sft.Mode
}

func (e *languageError) Error() string {
	return fmt.Sprintf("the reply has the mode %s, which --lang leaves out", e.lang)
}
