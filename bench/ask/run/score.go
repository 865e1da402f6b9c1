package run

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/sft"
)

// JudgeOptions are how the replies of a run are judged.
type JudgeOptions struct {
	// Python runs the programs of the mode python; it may be called by many
	// goroutines. Without it they are not scored, and keep the scores that they have.
	Python   verdict.Runner
	Limits   verdict.Limits        // of Ein programs
	Workers  int                   // 0 is one for each processor
	Progress func(done, total int) // may be nil
}

// Judged is what Judge did.
type Judged struct {
	Run      *Run // with its scores
	Scored   int
	Unscored int // replies in the mode python, for want of a runner
	Failed   int // Python programs on which the sandbox failed
	First    string
}

// NeedsPython reports whether a run has replies that are Python programs.
func NeedsPython(r *Run) bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Mode == sft.Python && row.Reply != nil })
}

// Judge scores all replies of a run, says why the wrong ones are wrong, and replaces
// its scores. It reads what is on disk and asks nobody. Equal Python programs are run
// once. The result does not depend on Workers.
func Judge(ctx context.Context, dir string, o JudgeOptions) (*Judged, error) {
	r, err := ReadReplies(dir)
	if err != nil {
		return nil, err
	}
	if o.Python == nil {
		keepPython(r)
	} else {
		o.Python = verdict.Memo(o.Python)
	}
	questions := map[string]*verdict.Question{}
	var todo []*Row
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Reply == nil {
			continue
		}
		if questions[row.ID] == nil {
			if questions[row.ID], err = verdict.NewQuestion(row.Instance, true); err != nil {
				return nil, fmt.Errorf("%s: %w", row.ID, err)
			}
		}
		todo = append(todo, row)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	out := &Judged{Run: r}
	var scores []Score
	done := 0
	err = verdict.InOrder(ctx, o.Workers, func(yield func(*Row) bool) error {
		slices.Values(todo)(yield)
		return nil
	}, func() verdict.Work[*Row] {
		j := verdict.New(verdict.Options{Limits: o.Limits, Python: o.Python, Why: true})
		return func(ctx context.Context, row *Row) (*verdict.Verdict, error) {
			return o.one(ctx, j, row, questions[row.ID])
		}
	}, func(row *Row, v *verdict.Verdict) error {
		if v != nil {
			row.Score = &Score{row.Key, *v, Scoring, row.Reply.sum}
		}
		if s := row.Score; s == nil {
			out.Unscored++
		} else {
			scores = append(scores, *s)
			if s.Mode == sft.Python && s.Outcome == answer.InfraError {
				if out.Failed++; out.First == "" {
					out.First = s.ID + ": " + s.Message
				}
			}
		}
		if done++; o.Progress != nil {
			o.Progress(done, len(todo))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Scored = len(scores)
	return out, WriteScores(dir, scores)
}

// keepPython gives the replies in the mode python the scores that they have: their
// programs cannot be run again, and the replies are those that were scored. Scores
// that cannot be read are none: the file is about to be replaced.
func keepPython(r *Run) {
	scores, err := ReadScores(r.Dir)
	if err != nil {
		return
	}
	byKey := map[Key]*Score{}
	for i := range scores {
		if s := &scores[i]; s.Mode == sft.Python && s.Outcome != answer.InfraError {
			byKey[s.Key] = s
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		s := byKey[row.Key]
		if row.Reply == nil || s == nil {
			continue
		}
		if s.Of == "" && r.Config.Format == firstFormat {
			s.Of = row.Reply.sum
		}
		if s.Of == row.Reply.sum {
			row.Score = s
		}
	}
}

// String names a row.
func (r *Row) String() string { return r.ID + ", " + string(r.Mode) }

// one judges the reply of a row; nil where that needs a runner of Python.
func (o *JudgeOptions) one(ctx context.Context, j *verdict.Judge, row *Row, q *verdict.Question) (*verdict.Verdict, error) {
	if row.Mode == sft.Python && o.Python == nil {
		return nil, nil
	}
	v, err := j.Reply(ctx, q, &verdict.Line{Reply: row.Reply.Reply, Mode: row.Mode, Finish: string(row.Reply.Finish)})
	if err == nil && v.Outcome == answer.InfraError && row.Mode != sft.Python {
		err = &verdict.BugError{What: row.String() + ": " + v.Message}
	}
	return v, err
}
