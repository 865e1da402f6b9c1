package benchmark

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ein"
	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bind"
	"ein/internal/codes"
	"ein/internal/compact"
	"ein/internal/job"
	"ein/internal/version"
	"ein/internal/words"

	"ein/cmd/ein/internal/cli"
)

// judgeFlags holds the flags that the verbs that judge a file of replies share.
type judgeFlags struct {
	instances, replies, out string
	box                     boxFlags
	restart                 bool
	*sharding
}

// add declares the flags. A verb without a sharding has no --restart either: it writes no parts.
func (f *judgeFlags) add(a *cli.App, cmd *cobra.Command) {
	flags := cmd.Flags()
	instancesFlag(cmd, &f.instances)
	flags.StringVar(&f.replies, "replies", "", "`file` of replies (- is standard input)")
	flags.StringVarP(&f.out, "output", "o", "", "`file` for the records, one a line")
	a.JSONFlag(cmd, "print the table as one JSON object")
	if f.sharding != nil {
		f.flag(cmd)
		flags.BoolVar(&f.restart, "restart", false, "start again instead of resuming a partial file")
	}
	f.box.add(cmd)
}

// restartHelp explains unfinished files in the help of these verbs.
const restartHelp = `FILE appears once it is complete; until then its lines are in FILE.part, and its inputs
are recorded in FILE.part.json. If the command is killed or interrupted, the same command
resumes it. With other instances, replies or limits it is refused; --restart starts again.`

// judging holds what differs between the verbs that judge a file of replies.
type judging struct {
	doing     string // for the line of progress
	workers   int
	why       bool // attribution is asked for
	programs  bool // all replies are programs, to which those of the instances are no use
	newWorker func() verdict.Work[*verdict.Item]
	record    func(*verdict.Item, *verdict.Verdict) any // of a line; nil for none
	from      []job.Field                               // what the records depend on, beside the files; nil when the verb cannot go on
	seen      func(*verdict.Item, *verdict.Verdict)
	notes     func() []job.Field // of a shard, when it is made
}

// judge judges the replies of a file, writes the records and counts the verdicts.
func judge(ctx context.Context, a *cli.App, f *judgeFlags, j judging) (*verdict.Summary, error) {
	switch {
	case f.instances == "" || f.replies == "":
		return nil, a.Usage("both --instances and --replies are needed")
	case f.out == "-":
		return nil, a.Usage("standard output is for the table: give -o a file")
	}
	if err := kept(a, f.out, f.instances, f.replies); err != nil {
		return nil, err
	}
	var index *verdict.Index
	digests := sha256.New() // each is checked when its line is read, so together they stand for the file
	err := readInstances(ctx, a, f.instances, instance.Pass, func(all instances) (err error) {
		index, err = verdict.NewIndex(func(yield func(*instance.Instance, error) bool) {
			for in, err := range all {
				if err == nil {
					_, _ = io.WriteString(digests, in.Digest)
					if j.programs {
						in.EinProgram = ""
					}
				}
				if !yield(in, err) {
					return
				}
			}
		}, j.why)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = index.Close() }()
	from := j.from
	if from != nil {
		from = append(from, job.Field{Name: "instances", Value: "sha256 of digests " + hex.EncodeToString(digests.Sum(nil))})
	}
	sum := verdict.NewSummary()
	err = a.Through(ctx, j.doing, f.replies, func(in *cli.File) error {
		// each goes through lines that begin at a place of the file.
		each := func(lines io.Reader, start int64, r records) (err error) {
			sum.Replies, err = index.Each(ctx, lines, j.workers, &sum.Notes, j.worker(r), func(it *verdict.Item, v *verdict.Verdict) error {
				return j.emit(a, f.out, r, sum, it, v)
			})
			in.Progress.Done()
			var bad *verdict.LineError
			var other *modeError
			switch {
			case errors.As(err, &other):
				return cli.Input(codes.E0701, in.Name(), linesBefore(in, start)+other.line, other.what, other.hint)
			case errors.As(err, &bad):
				return cli.Input(codes.E0701, in.Name(), linesBefore(in, start)+bad.Line, "the line is not a reply: "+bind.Cause(bad.Err).Error(),
					`A line of a file of replies is {"id": ..., "reply": ...}.`)
			}
			return err
		}
		if f.sharding == nil || !f.on() && f.merged == nil {
			return toRecords(ctx, a, f, from, func(r records) error { return each(in, 0, r) })
		}
		index.Part = f.on()
		err = f.ofLines(ctx, a, f.out, in, from, func(lines io.Reader, start int64, p *job.Part) (int, []job.Field, error) {
			err := each(lines, start, part{p, f.out})
			var notes []job.Field
			if err == nil && j.notes != nil {
				notes = j.notes()
			}
			return sum.Replies - sum.Duplicates.Count - sum.Unknown.Count, notes, err
		})
		if err != nil || f.on() {
			return err
		}
		write := func(w io.Writer) error { return each(in, 0, gathered{w, f.merged.open(ctx)}) }
		if f.out == "" {
			return write(io.Discard)
		}
		return a.Write(f.out, write)
	})
	var missing *sandbox.Unavailable
	var bug *verdict.BugError
	switch {
	case errors.As(err, &missing):
		return nil, noSandbox(ctx, a, missing)
	case errors.As(err, &bug):
		panic(bug.What)
	}
	return sum, err
}

// linesBefore counts the lines of a file before an offset.
func linesBefore(f *cli.File, start int64) (n int) {
	if r, _ := f.Regular(); start > 0 {
		_ = job.Lines(io.NewSectionReader(r, 0, start), func(*job.Line) error { n++; return nil }) // it has been read before
	}
	return n
}

// worker skips the items whose records are there already: emit reads those.
func (j *judging) worker(r records) func() verdict.Work[*verdict.Item] {
	return func() verdict.Work[*verdict.Item] {
		work := j.newWorker()
		return func(ctx context.Context, it *verdict.Item) (*verdict.Verdict, error) {
			if r.Has(it) {
				return nil, nil
			}
			return work(ctx, it)
		}
	}
}

// emit counts a verdict and writes its record. If an earlier run has written that, the verdict is
// read from it.
func (j *judging) emit(a *cli.App, out string, r records, sum *verdict.Summary, it *verdict.Item, v *verdict.Verdict) error {
	line, there, err := r.Again(it)
	if err != nil {
		return err
	}
	if there {
		var ours bool
		if v, ours = it.Again(line); !ours {
			return notOurs(a, out, it.Question.ID)
		}
	}
	sum.Add(it.Mode, v)
	if j.seen != nil {
		j.seen(it, v)
	}
	if there || out == "" {
		return nil
	}
	if rec := j.record(it, v); rec != nil {
		return compact.Write(r, rec)
	}
	return nil
}

// withWhy returns the worker of a verb that asks why replies are wrong. mode sets the mode of an
// item from its program.
func withWhy(box *lazySandbox, o verdict.Options, mode func(*verdict.Item) error) func() verdict.Work[*verdict.Item] {
	o.Python, o.Why = verdict.Memo(box, verdict.MostKnown), true
	return func() verdict.Work[*verdict.Item] {
		judge := verdict.New(o)
		return func(ctx context.Context, it *verdict.Item) (*verdict.Verdict, error) {
			if err := mode(it); err != nil {
				return nil, err
			}
			v, err := judge.Reply(ctx, it.Question, &it.Line)
			if err == nil && v.Outcome == answer.InfraError && it.Error == "" {
				_, err = box.Opened()
			}
			return v, err
		}
	}
}

// records is the destination of a verb's records: a part that a later command can resume, a file
// that appears once it is complete, or nothing. Items are judged out of order, but emitted, and so
// written or read again, in the order of the replies.
type records interface {
	io.Writer
	Has(it *verdict.Item) bool                    // that of an item was there
	Again(it *verdict.Item) ([]byte, bool, error) // that of the item, the next
}

// fresh has no earlier records: all are written.
type fresh struct{ io.Writer }

func (fresh) Has(*verdict.Item) bool                    { return false }
func (fresh) Again(*verdict.Item) ([]byte, bool, error) { return nil, false, nil }

// part resumes a part: the records that it already has are read, not made again.
type part struct {
	*job.Part
	out string
}

func (p part) Has(it *verdict.Item) bool { return it.At < p.Done() }

func (p part) Again(*verdict.Item) ([]byte, bool, error) { return p.Part.Again() }

func (p part) Write(b []byte) (int, error) {
	n, err := p.Part.Write(b)
	return n, cli.Unwritten(p.out, err)
}

// toRecords calls write with the place for the records. A part, which can be resumed, needs inputs
// that can be read twice, as standard input cannot: it is refused unless the hash of the replies and
// the fields are those that it was begun with.
func toRecords(ctx context.Context, a *cli.App, f *judgeFlags, from []job.Field, write func(records) error) error {
	if f.out == "" {
		return write(fresh{io.Discard})
	}
	_, statErr := os.Stat(f.out)
	if from == nil || !regular(f.instances) || !regular(f.replies) || statErr == nil && !regular(f.out) {
		return a.Write(f.out, func(w io.Writer) error { return write(fresh{w}) })
	}
	hash, err := hashFile(ctx, a, f.replies)
	if err != nil {
		return err
	}
	all := append([]job.Field{{Name: "ein", Value: version.String()}, {Name: "replies", Value: hash}}, from...)
	return withPart(ctx, a, f.out, all, f.restart, func(p *job.Part) error { return write(part{p, f.out}) })
}

// withPart calls write with the part of a file, and renames the part to the file if it succeeds. A
// part that was begun with other fields is refused. An error of the input removes the part, since
// it was made from a file that has to change.
func withPart(ctx context.Context, a *cli.App, out string, from []job.Field, restart bool, write func(*job.Part) error) error {
	p, err := job.Open(out, from, restart)
	var other *job.Other
	switch {
	case errors.As(err, &other):
		return begunOtherwise(a, other, "or --restart to start again")
	case errors.Is(err, job.ErrNoHeader):
		return a.Usage("%s.part exists without a record of its inputs: use --restart to start again", out)
	case errors.Is(err, job.ErrInUse):
		return a.Outside("%v", err)
	case err != nil:
		return cli.Unwritten(out, err)
	}
	if p.Done() > 0 {
		a.Printf("ein: resuming after %s in %s.part\n", words.Plural(p.Done(), "record"), out)
	}
	err = write(p)
	if err == nil {
		if _, more, readErr := p.Again(); readErr != nil {
			err = cli.Unwritten(out, readErr)
		} else if more {
			err = notOurs(a, out, "nothing")
		}
	}
	var input *ein.Error
	switch {
	case err == nil:
		return noRoom(a, out, cli.Unwritten(out, p.Commit()))
	case ctx.Err() != nil:
		message, _ := cli.StopMessage(ctx)
		if err := p.Close(); err != nil {
			return noRoom(a, out, cli.Unwritten(out, err))
		}
		return a.Outside("%s: what was done is in %s.part: run the same command line to resume", message, out)
	case errors.As(err, &input):
		// The input has to be mended, and what was made from it is of no use then.
		return errors.Join(err, p.Discard())
	}
	_ = p.Close() // after a failed write it fails as well
	return noRoom(a, out, err)
}

// noRoom turns a lack of room for a part into the status for reasons outside the program: the same
// command resumes it.
func noRoom(a *cli.App, out string, err error) error {
	if cli.Room(err) == "" {
		return err
	}
	return a.Outside("%v\n%s, then run the same command line: what was done is in %s.part", err, cli.Room(err), out)
}

// begunOtherwise refuses a file that was begun with other settings, and prints how they differ.
func begunOtherwise(a *cli.App, other *job.Other, or string) error {
	for _, d := range other.Diff {
		a.Printf("ein: %s\n", d)
	}
	return a.Usage("%s was started with other settings: use those, %s", other.File, or)
}

// interrupted turns any error after the end of the context into the status for reasons outside the
// program, wherever the end was noticed: the same command can be run again.
func interrupted(ctx context.Context, a *cli.App, err error) error {
	if _, told := errors.AsType[cli.Status](err); err == nil || ctx.Err() == nil || told {
		return err
	}
	message, _ := cli.StopMessage(ctx)
	return a.Outside("%s", message)
}

// notOurs reports a record in a part that does not belong to the item at hand.
func notOurs(a *cli.App, out, id string) error {
	return a.Usage("%s.part has another record in place of %s: use --restart to start again", out, id)
}

func regular(name string) bool {
	info, err := os.Stat(name)
	return name != "-" && err == nil && info.Mode().IsRegular()
}

// hashFile returns the hash of a file after the name of its algorithm, as parts and shards record
// it.
func hashFile(ctx context.Context, a *cli.App, name string) (sum string, err error) {
	err = a.Through(ctx, "reading", name, func(f *cli.File) error {
		if _, sum, err = job.Sum(f); err != nil {
			return cli.Unreadable(name, err)
		}
		return nil
	})
	return "sha256 " + sum, err
}
