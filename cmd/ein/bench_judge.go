package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/internal/job"
	"ein/internal/version"
	"ein/lang/diag"
)

// judgeFlags are those of the verbs that judge the replies of a file.
type judgeFlags struct {
	instances, replies, out string
	box                     boxFlags
	json, restart           bool
}

func (f *judgeFlags) add(cmd *cobra.Command, resumable bool) {
	flags := cmd.Flags()
	flags.StringVar(&f.instances, "instances", "", "`file` of instances (- is standard input)")
	flags.StringVar(&f.replies, "replies", "", "`file` of replies (- is standard input)")
	flags.StringVarP(&f.out, "output", "o", "", "`file` for the records, one a line")
	flags.BoolVar(&f.json, "json", false, "print the table as one JSON object")
	if resumable {
		flags.BoolVar(&f.restart, "restart", false, "begin a file anew that was begun before")
	}
	f.box.add(cmd)
}

// restartHelp is what the verbs say about files that were begun.
const restartHelp = `While FILE is written it is FILE.part, with what it is made from in FILE.part.json.
A command that was killed or interrupted goes on from there when it is given again;
with other instances, replies or limits it is refused, and --restart begins anew.
FILE appears only when it is complete.`

// judging is how a verb judges the replies of a file.
type judging struct {
	doing     string // for the line of progress
	workers   int
	why       bool // attribution is asked for
	newWorker func() verdict.Work[*verdict.Item]
	record    func(*verdict.Item, *verdict.Verdict) any // of a line; nil for none
	from      []job.Field                               // what the records depend on, beside the files; nil when the verb cannot go on
	// again reads a record that was there. Without it the reply is judged again, and
	// the record compared.
	again func(*verdict.Item, []byte) (*verdict.Verdict, bool)
	seen  func(*verdict.Item, *verdict.Verdict)
}

// judge judges the replies of a file, writes the records and counts the verdicts.
func (a *app) judge(ctx context.Context, f *judgeFlags, j judging) (*verdict.Summary, error) {
	switch {
	case f.instances == "" || f.replies == "":
		return nil, a.usage("both --instances and --replies are needed")
	case f.out == "-":
		return nil, a.usage("standard output is for the table: give -o a file")
	case f.out != "" && (sameFile(f.instances, f.out) || sameFile(f.replies, f.out)):
		return nil, a.usage("%s would be overwritten, and it is to be read", f.out)
	}
	var index *verdict.Index
	err := a.instances(ctx, f.instances, io.Discard, func(all iter.Seq2[*instance.Instance, error]) (err error) {
		if index, err = verdict.NewIndex(all, j.why); err == nil && index.Len() == 0 {
			err = errNoInstances
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	in, err := a.open(ctx, f.replies)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	p := a.progress(j.doing+" "+in.name, in.size)
	sum := verdict.NewSummary()
	err = a.records(ctx, f, j.from, func(r records) error {
		lines, err := index.Each(ctx, p.reader(in), j.workers, &sum.Notes, j.worker(r), func(it *verdict.Item, v *verdict.Verdict) error {
			return j.emit(a, f.out, r, sum, it, v)
		})
		p.done()
		sum.Replies = lines
		var bad *verdict.LineError
		var other *languageError
		switch {
		case ctx.Err() != nil:
			return stopped(ctx)
		case errors.As(err, &other):
			return inputProblem(newFinding("E0701", diag.Error, in.name, other.line, 0, other.Error(), "Give `--lang ein,python`."))
		case errors.As(err, &bad):
			return inputProblem(newFinding("E0701", diag.Error, in.name, bad.Line, 0, "the line is no reply: "+cause(bad.Err).Error(),
				`A line of a file of replies is {"id": ..., "reply": ...}.`))
		}
		return err
	})
	var missing *noSandboxError
	var bug *verdict.BugError
	switch {
	case errors.As(err, &missing):
		return nil, a.noSandbox(ctx, missing.err)
	case errors.As(err, &bug):
		panic(bug.What)
	}
	return sum, a.unwritten(f.out, err)
}

// worker leaves the items out whose records are there to be read.
func (j *judging) worker(r records) func() verdict.Work[*verdict.Item] {
	if j.again == nil {
		return j.newWorker
	}
	return func() verdict.Work[*verdict.Item] {
		work := j.newWorker()
		return func(ctx context.Context, it *verdict.Item) (*verdict.Verdict, error) {
			if it.At < r.Done() {
				return nil, nil
			}
			return work(ctx, it)
		}
	}
}

// emit counts a verdict and writes its record, unless that was there.
func (j *judging) emit(a *app, out string, r records, sum *verdict.Summary, it *verdict.Item, v *verdict.Verdict) error {
	line, there, err := r.Again()
	if err != nil {
		return err
	}
	ours := true
	if there && j.again != nil {
		v, ours = j.again(it, line)
	}
	if !ours {
		return a.notOurs(out, it.Question.ID)
	}
	sum.Add(it.Mode, v)
	if j.seen != nil {
		j.seen(it, v)
	}
	rec := j.record(it, v)
	if rec == nil || there && j.again != nil {
		return nil
	}
	b, err := compactJSON(rec)
	switch {
	case err != nil:
		return err
	case !there:
		_, err = r.Write(append(b, '\n'))
		return err
	case !bytes.Equal(line, b):
		return a.notOurs(out, it.Question.ID)
	}
	return nil
}

// withWhy is the worker of a verb that asks why: the mode of an item says what it is.
func withWhy(box *lazySandbox, o verdict.Options, mode func(*verdict.Item) error) func() verdict.Work[*verdict.Item] {
	o.Python, o.Why = verdict.Memo(box), true
	return func() verdict.Work[*verdict.Item] {
		judge := verdict.New(o)
		return func(ctx context.Context, it *verdict.Item) (*verdict.Verdict, error) {
			if err := mode(it); err != nil {
				return nil, err
			}
			v, err := judge.Reply(ctx, it.Question, &it.Line)
			if err == nil && v.Outcome == answer.InfraError && it.Error == "" {
				err = box.missing()
			}
			return v, err
		}
	}
}

// records is where the records of a verb go: to a part that a killed command can go
// on with, to a file that appears when all of it is there, or nowhere.
type records interface {
	io.Writer
	Done() int                    // how many there were
	Again() ([]byte, bool, error) // the next of them
}

// fresh is records that are begun anew each time.
type fresh struct{ io.Writer }

func (fresh) Done() int                    { return 0 }
func (fresh) Again() ([]byte, bool, error) { return nil, false, nil }

// records calls write with the place for the records of a file that is made from the
// two input files and the fields. Only when these can be read a second time, as
// standard input cannot, is there something to go on with.
func (a *app) records(ctx context.Context, f *judgeFlags, from []job.Field, write func(records) error) error {
	if f.out == "" {
		return write(fresh{io.Discard})
	}
	if from == nil || !regular(f.instances) || !regular(f.replies) || exists(f.out) && !regular(f.out) {
		return job.Replace(f.out, func(w io.Writer) error { return write(fresh{w}) })
	}
	all := []job.Field{{Name: "ein", Value: version.String()}}
	for _, x := range [][2]string{{"instances", f.instances}, {"replies", f.replies}} {
		sum, err := hashFile(ctx, x[1])
		if err != nil {
			return err
		}
		all = append(all, job.Field{Name: x[0], Value: sum})
	}
	p, err := job.Open(f.out, append(all, from...), f.restart)
	if err != nil {
		return a.notContinued(f.out, err)
	}
	if p.Done() > 0 {
		a.printf("ein: going on after %s in %s.part\n", plural(p.Done(), "record"), f.out)
	}
	err = write(p)
	if err == nil {
		switch _, more, readErr := p.Again(); {
		case readErr != nil:
			err = readErr
		case more:
			err = a.notOurs(f.out, "nothing")
		}
	}
	var input *problem
	switch {
	case err == nil:
		return p.Commit()
	case ctx.Err() != nil:
		message, _ := stopMessage(ctx)
		if err := p.Close(); err != nil {
			return err
		}
		a.printf("ein: %s: what was done is in %s.part: the same command line goes on from there\n", message, f.out)
		return status(exitOutside)
	case errors.As(err, &input):
		// The input has to be mended, and what was made from it is of no use then.
		return errors.Join(err, p.Discard())
	}
	return errors.Join(err, p.Close())
}

// unwritten says which file could not be written, unless err tells something else.
func (a *app) unwritten(out string, err error) error {
	var told status
	var input *problem
	if err == nil || out == "" || errors.As(err, &told) || errors.As(err, &input) {
		return err
	}
	return fmt.Errorf("cannot write %s: %w", out, cause(err))
}

// interrupted makes the end of a context a reason outside, wherever it was noticed:
// the same command line begins again, or goes on.
func (a *app) interrupted(ctx context.Context, err error) error {
	var told status
	if err == nil || ctx.Err() == nil || errors.As(err, &told) {
		return err
	}
	message, _ := stopMessage(ctx)
	a.printf("ein: %s\n", message)
	return status(exitOutside)
}

// notContinued is a part that cannot be gone on with.
func (a *app) notContinued(out string, err error) error {
	var other *job.Other
	switch {
	case errors.As(err, &other):
		for _, d := range other.Diff {
			a.printf("ein: %s\n", d)
		}
		return a.usage("%s.part was begun with something else: give what it was begun with, or --restart to begin anew", out)
	case errors.Is(err, job.ErrNoHeader):
		return a.usage("%s.part is there, and not what it was made from: give --restart to begin anew", out)
	}
	return err
}

// notOurs is a record that is not what it should be.
func (a *app) notOurs(out, id string) error {
	return a.usage("%s.part has something else in the place of %s: give --restart to begin anew", out, id)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func regular(name string) bool {
	info, err := os.Stat(name)
	return name != "-" && err == nil && info.Mode().IsRegular()
}

func hashFile(ctx context.Context, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", unreadable(name, err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, reader{f, ctx}); err != nil {
		if ctx.Err() != nil {
			return "", stopped(ctx)
		}
		return "", unreadable(name, err)
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil)), nil
}
