package main

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ein/bench/exec/part"
	"ein/bench/instance"
	"ein/bench/replies"
	"ein/bench/score"
	"ein/lang/diag"
)

type scoreFlags struct {
	instances, replies, out string
	box                     boxFlags
	json, restart           bool
}

func (a *app) benchScoreCommand() *cobra.Command {
	f := &scoreFlags{}
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
what is around the object does not matter. Every instance has one outcome:

  strict        right
  lenient_only  right if the node asked about is counted in, or out, where the
                question leaves that open
  wrong         wrong
  format_error  no such object, or an answer of another JSON type
  no_answer     an empty reply, or none
  infra_error   an error of a provider; left out of the shares

In a file, an instance without a reply counts as no_answer; in a run it is missing
and in no share. Of several replies with one id
the first counts: a file of several models or modes has to be split. Replies to ids
that are not in the file of instances do not count. All of this is reported.

With -o, one record for each instance is written:
{"id","category","level","outcome","strict","lenient","answer","reason"}, in the
order of the replies, then those without one.
` + restartHelp,
		Example: `  ein bench score runs/model-ein
  ein bench score --instances heldout.jsonl --replies replies.jsonl
  ein bench score --instances heldout.jsonl --replies replies.jsonl -o scores.jsonl --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			a.json = f.json
			if len(args) == 1 {
				if f.instances != "" || f.replies != "" || f.out != "" {
					return a.usage("give DIR, or --instances and --replies")
				}
				if err := a.scoreRun(args[0], &f.box, f.json, evalResult{Version: 1}); err != nil {
					return a.fail(err)
				}
				return nil
			}
			if f.instances == "" || f.replies == "" {
				return a.usage("give DIR, or both --instances and --replies")
			}
			ctx, stop := a.context(0)
			defer stop()
			if err := a.interrupted(ctx, a.benchScore(ctx, f)); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.instances, "instances", "", "`file` of instances (- is standard input)")
	flags.StringVar(&f.replies, "replies", "", "`file` of replies (- is standard input)")
	flags.StringVarP(&f.out, "output", "o", "", "`file` for one record for each instance")
	flags.BoolVar(&f.restart, "restart", false, "begin a file anew that was begun before")
	flags.BoolVar(&f.json, "json", false, "print the table as one JSON object")
	f.box.add(cmd)
	return cmd
}

func (a *app) benchScore(ctx context.Context, f *scoreFlags) error {
	if f.out == "-" {
		return a.usage("standard output is for the table: give -o a file")
	}
	for _, name := range []string{f.instances, f.replies} {
		if f.out != "" && sameFile(name, f.out) {
			return a.usage("%s would be overwritten, and it is to be read", name)
		}
	}
	index, err := a.readIndex(ctx, f.instances)
	if err != nil {
		return err
	}
	in, err := a.open(ctx, f.replies)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("scoring "+in.name, in.size)
	var report *score.Report
	write := func(r *records) (err error) {
		report, err = index.Score(p.reader(in), func(rec *score.Record) error { return a.putScore(r, f.out, rec) })
		p.done()
		var bad *replies.Error
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case errors.As(err, &bad):
			return inputProblem(newFinding("E0701", diag.Error, in.name, bad.Line, 0, "the line is no reply: "+cause(bad.Err).Error(),
				`A line of a file of replies is {"id": ..., "reply": ...}.`))
		}
		return err
	}
	err = a.writeRecords(ctx, f.out, [2]string{f.instances, f.replies}, f.restart, []part.Field{{Name: "verb", Value: "score"}}, write)
	switch {
	case err != nil:
		return a.unwritten(f.out, err)
	case f.json:
		return a.wrote(writeJSON(a.out, report))
	}
	return a.print(report.Text())
}

// putScore writes a record, or compares it with the one that is there: scoring
// again takes less time than reading the reply.
func (a *app) putScore(r *records, out string, rec *score.Record) error {
	b, err := compactJSON(rec)
	if err != nil {
		return err
	}
	line, ok, err := r.again()
	switch {
	case err != nil:
		return err
	case !ok:
		_, err = r.Write(append(b, '\n'))
		return err
	case !bytes.Equal(line, b):
		return a.notOurs(out, rec.ID)
	}
	return nil
}

func (a *app) readIndex(ctx context.Context, name string) (*score.Index, error) {
	in, err := a.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	p := a.progress("reading "+in.name, in.size)
	index, err := score.NewIndex(instance.Read(p.reader(in)))
	p.done()
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case err != nil:
		return nil, badLines(in.name, err)
	case index.Len() == 0:
		return nil, badLines(in.name, errNoInstances)
	}
	return index, nil
}
