package eval

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"ein/bench/answer"
	"ein/bench/diagnose"
	"ein/bench/exec"
	"ein/bench/instance"
	"ein/bench/run"
	"ein/bench/sft"
)

// ScoreOptions are how a run is scored.
type ScoreOptions struct {
	// Python runs the programs of the mode python; it may be called by many
	// goroutines. Without it they are not scored, and keep the scores that they have.
	Python   exec.Runner
	Limits   exec.Limits           // of Ein programs
	Workers  int                   // 0 is one for each processor
	Progress func(done, total int) // called by many goroutines; may be nil
}

// Scored is what Score did.
type Scored struct {
	Run      *run.Run // with its scores
	Scored   int
	Unscored int // replies in the mode python, for want of a runner
	Failed   int // Python programs on which the sandbox failed
	First    string
}

// NeedsPython reports whether a run has replies that are Python programs.
func NeedsPython(r *run.Run) bool {
	return slices.ContainsFunc(r.Rows, func(row run.Row) bool { return row.Mode == sft.Python && row.Reply != nil })
}

// Score scores all replies of a run and replaces its scores. It reads what is on
// disk and asks nobody. Equal Python programs are run once. The result does not
// depend on Workers.
func Score(ctx context.Context, dir string, o ScoreOptions) (*Scored, error) {
	r, err := run.ReadReplies(dir)
	if err != nil {
		return nil, err
	}
	if o.Python == nil {
		keepPython(r)
	}
	byID := map[string]*exec.Instance{}
	var todo []int
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Reply == nil {
			continue
		}
		if byID[row.ID] == nil {
			if byID[row.ID], err = known(row.Instance); err != nil {
				return nil, fmt.Errorf("%s: %w", row.ID, err)
			}
		}
		todo = append(todo, i)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Python != nil {
		o.Python = newOnce(o.Python)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(o.Workers, len(todo)) {
		wait.Go(func() {
			j := diagnose.NewJudge(exec.New(exec.Options{Limits: o.Limits}), o.Python)
			for ctx.Err() == nil {
				at := int(next.Add(1)) - 1
				if at >= len(todo) {
					return
				}
				row := &r.Rows[todo[at]]
				if err := o.one(ctx, j, row, byID[row.ID]); err != nil {
					cancel(err)
					return
				}
				if n := done.Add(1); o.Progress != nil {
					o.Progress(int(n), len(todo))
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := &Scored{Run: r}
	var scores []run.Score
	for _, i := range todo {
		s := r.Rows[i].Score
		if s == nil {
			out.Unscored++
			continue
		}
		scores = append(scores, *s)
		out.Scored++
		if s.Mode == sft.Python && s.Outcome == answer.InfraError {
			if out.Failed++; out.First == "" {
				out.First = s.ID + ": " + s.Message
			}
		}
	}
	return out, run.WriteScores(dir, scores)
}

// keepPython gives the replies in the mode python the scores that they have: their
// programs cannot be run again, and the replies are those that were scored. Scores
// that cannot be read are none: the file is about to be replaced.
func keepPython(r *run.Run) {
	scores, err := run.ReadScores(r.Dir)
	if err != nil {
		return
	}
	byKey := map[run.Key]*run.Score{}
	for i := range scores {
		if s := &scores[i]; s.Mode == sft.Python && s.Outcome != answer.InfraError {
			byKey[s.Key] = s
		}
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Reply != nil {
			row.Score = byKey[row.Key]
		}
	}
}

// BugError is a reply that ein itself fails on.
type BugError struct {
	Key  run.Key
	What string
}

func (e *BugError) Error() string { return fmt.Sprintf("%s, %s: %s", e.Key.ID, e.Key.Mode, e.What) }

// one scores a row.
func (o *ScoreOptions) one(ctx context.Context, j *diagnose.Judge, row *run.Row, known *exec.Instance) (err error) {
	if row.Mode == sft.Python && o.Python == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = &BugError{row.Key, fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	v, err := j.Reply(ctx, &exec.Item{Instance: known, Reply: row.Reply.Reply, Mode: string(row.Mode), Finish: string(row.Reply.Finish)})
	if err != nil {
		return err
	}
	if v.Outcome == answer.InfraError && row.Mode != sft.Python {
		return &BugError{row.Key, v.Message}
	}
	row.Score = &run.Score{Key: row.Key, Category: row.Instance.Category, Level: row.Instance.Level,
		Outcome: v.Outcome, Strict: v.Outcome.Strict(), Lenient: v.Outcome.Lenient(), Answer: v.Answer, Reason: v.Reason,
		Class: v.Class, Code: v.Code, Message: v.Message, Ops: v.Ops, Constant: v.Constant, Program: v.Program,
		Attribution: v.Attribution, Finding: v.Finding}
	return nil
}

// known is what a judge has to know of an instance.
func known(in *instance.Instance) (*exec.Instance, error) {
	q, err := exec.NewQuestion(in)
	if err != nil {
		return nil, err
	}
	c, err := in.Case()
	if err != nil {
		return nil, err
	}
	return &exec.Instance{Question: q, Case: c, Program: in.EinProgram}, nil
}
