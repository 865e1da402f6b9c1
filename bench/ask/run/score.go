package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/job"
)

// JudgeOptions say how the replies of a run are judged.
type JudgeOptions struct {
	// Python runs the programs of the mode python; it may be called by many
	// goroutines. Without it they are not scored, and keep the scores that they have.
	Python   verdict.Runner
	Workers  int                   // 0 is one for each processor
	Progress func(done, total int) // may be nil
}

// Judged is what Judge did.
type Judged struct {
	Run      *Run // with its scores
	Scored   int
	Unscored int // replies in the mode python, for which there was no runner
	Failed   int // Python programs on which the sandbox failed
	First    string
}

// NeedsPython reports whether a run has replies that are Python programs.
func NeedsPython(r *Run) bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Mode == prompt.Python && row.Reply != nil })
}

// Judge scores all replies of a run, says why the wrong ones are wrong, and replaces
// its scores. It reads only the disk and asks no model. Equal Python programs run
// once. The result does not depend on Workers.
func Judge(ctx context.Context, dir string, o JudgeOptions) (*Judged, error) {
	r, err := ReadReplies(dir)
	if err != nil {
		return nil, err
	}
	shared := map[string]*Score{}
	if o.Python == nil {
		keepPython(r, shared)
	} else {
		o.Python = verdict.Memo(o.Python, verdict.MostKnown)
	}
	asked := r.Replies()
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	out := &Judged{Run: r}
	done := 0
	err = job.Replace(filepath.Join(dir, ScoresFile), func(w io.Writer) error {
		return verdict.InOrder(ctx, o.Workers, func(yield func(*task) bool) error { return r.tasks(yield) }, func() verdict.Work[*task] {
			j := verdict.New(verdict.Options{Python: o.Python, Why: true})
			return func(ctx context.Context, t *task) (*verdict.Verdict, error) { return o.one(ctx, j, t) }
		}, func(t *task, v *verdict.Verdict) error {
			if t.Score != nil {
				t.Score.Of = string(t.sum[:]) // format 1 does not say it
			}
			if v != nil {
				t.Score = &Score{t.Key, *v, Scoring, string(t.sum[:])}
			}
			if done++; o.Progress != nil {
				o.Progress(done, asked)
			}
			s := t.Score
			if s == nil {
				out.Unscored++
				return nil
			}
			out.Scored++
			if s.Mode == prompt.Python && s.Outcome == answer.InfraError {
				if out.Failed++; out.First == "" {
					out.First = s.ID + ": " + s.Message
				}
			}
			line, err := seal(&s.Key, s)
			if err == nil {
				_, err = w.Write(line)
			}
			if err != nil {
				return err
			}
			t.row.said = s.said()
			t.row.Score = s.share(shared)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// task is a reply to be judged: a row with its texts, and the same without.
type task struct {
	*Row
	row      *Row
	question *verdict.Question
}

// tasks yields the replies of a run in the order of its rows, and reads their texts when needed.
func (r *Run) tasks(yield func(*task) bool) error {
	var of *instance.Instance
	var q *verdict.Question
	enough := errors.New("enough")
	err := r.Each(func(row *Row) bool { return row.Reply != nil }, func(row, full *Row) (err error) {
		if full.Instance != of {
			of = full.Instance
			if q, err = verdict.NewQuestion(of, true); err != nil {
				return fmt.Errorf("%s: %w", row.ID, err)
			}
		}
		if !yield(&task{full, row, q}) {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

// keepPython keeps the scores of replies in the mode python, for a machine that cannot run them. It
// ignores scores that cannot be read, since the file is about to be replaced.
func keepPython(r *Run, shared map[string]*Score) {
	find := r.Finder()
	_ = eachScore(r.Dir, func(l *job.Line, s *Score) error {
		row := find(&s.Key)
		if row == nil || s.Mode != prompt.Python || s.Outcome == answer.InfraError || row.Reply == nil {
			return nil
		}
		if s.Of == "" && r.Config.Format == firstFormat || s.Of == string(row.sum[:]) {
			row.score, row.Score = l.Offset, s.share(shared)
		}
		return nil
	})
}

// Counts reports whether a reply has a score that is about the model, unlike an infrastructure error.
func (r *Row) Counts() bool { return r.Score != nil && r.Score.Outcome != answer.InfraError }

// String names a row.
func (r *Row) String() string { return r.ID + ", " + string(r.Mode) }

// one judges the reply of a row, or returns nil if that needs a runner of Python.
func (o *JudgeOptions) one(ctx context.Context, j *verdict.Judge, row *task) (*verdict.Verdict, error) {
	if row.Mode == prompt.Python && o.Python == nil {
		return nil, nil
	}
	v, err := j.Reply(ctx, row.question, &verdict.Line{Reply: row.Reply.Reply, Mode: row.Mode, Finish: string(row.Reply.Finish)})
	if err == nil && v.Outcome == answer.InfraError && row.Mode != prompt.Python {
		err = &verdict.BugError{What: row.String() + ": " + v.Message}
	}
	return v, err
}
