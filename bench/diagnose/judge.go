package diagnose

import (
	"context"
	"encoding/json"
	"fmt"

	"ein/bench/answer"
	"ein/bench/exec"
)

// The modes of replies. A reply in another mode is a direct answer.
const (
	modeEin    = string(exec.Ein)
	modePython = string(exec.Python)
)

// Verdict is the score of a reply and, when it is wrong, why.
type Verdict struct {
	Outcome answer.Outcome  // one of package answer, or, of a program, of package exec
	Reason  answer.Reason   // of format_error and no_answer
	Answer  json.RawMessage // what was understood; nil if nothing was
	// Of programs.
	Class    answer.Outcome // the outcome again when the program gave no answer
	Code     string         // of the first error of a program that does not check
	Message  string         // why there is no answer
	Ops      uint64         // of the run
	Constant bool           // its outputs depend on no graph
	Program  string         // as found in the reply
	// Why it is wrong: of a program, or of a direct answer.
	Attribution *Attribution
	Finding     *Finding
}

// ExecRecord is the record of the verdict on a program.
func ExecRecord(q *exec.Question, l exec.Language, v *Verdict) *exec.Record {
	r := &exec.Record{ID: q.ID, Category: q.Category, Level: q.Level, Language: l, Outcome: v.Outcome, Strict: v.Outcome.Strict(), Lenient: v.Outcome.Lenient(),
		Answer: v.Answer, Reason: v.Reason, Class: v.Class, Code: v.Code, Message: v.Message, Ops: v.Ops, Constant: v.Constant}
	if v.Attribution != nil {
		r.Attribution = string(v.Attribution.Kind)
	}
	return r
}

// Judge scores replies of any mode and says why wrong ones are wrong. It is not
// safe for concurrent use: give each worker its own.
type Judge struct {
	ein    *exec.Executor
	python exec.Runner
}

// NewJudge is a judge for one worker, with the executor of Ein programs and the
// runner of Python programs. Without a runner, Python programs become infra errors.
func NewJudge(ein *exec.Executor, python exec.Runner) *Judge { return &Judge{ein, python} }

// Reply scores a reply by its mode. Without a mode it is a program when no answer
// is in it and a program is. The error is that of the context, or of an instance
// whose own program does not run.
func (j *Judge) Reply(ctx context.Context, it *exec.Item) (*Verdict, error) {
	if it.Error != "" {
		return &Verdict{Outcome: answer.InfraError, Message: it.Error}, context.Cause(ctx)
	}
	switch mode(it) {
	case modeEin:
		return j.einProgram(ctx, it)
	case modePython:
		return j.pythonProgram(ctx, it)
	}
	return direct(ctx, it)
}

func mode(it *exec.Item) string {
	if it.Mode != "" {
		return it.Mode
	}
	if _, err := answer.ParseReply(it.Reply); err != nil {
		if l, ok := exec.Detect(it.Reply); ok {
			return string(l)
		}
	}
	return ""
}

func newVerdict(r *exec.Result) *Verdict {
	return &Verdict{Outcome: r.Outcome, Reason: r.Reason, Answer: r.Answer, Class: exec.Class(r.Outcome),
		Code: string(r.Code), Message: r.Message, Ops: r.Ops, Constant: r.Constant, Program: r.Program}
}

func (j *Judge) einProgram(ctx context.Context, it *exec.Item) (*Verdict, error) {
	r, err := j.ein.Run(ctx, it.Reply, it.Question)
	if err != nil {
		return nil, err
	}
	r = r.Finished(it.Reply, it.Finish)
	v := newVerdict(&r)
	if r.Outcome != answer.Wrong {
		return v, nil
	}
	a, err := Program(ctx, j.ein, it.Question, &it.Case, r.Program)
	if err != nil {
		return nil, err
	}
	v.Attribution = &a
	return v, nil
}

func (j *Judge) pythonProgram(ctx context.Context, it *exec.Item) (*Verdict, error) {
	if j.python == nil {
		return &Verdict{Outcome: answer.InfraError, Message: "there is no sandbox to run Python in"}, context.Cause(ctx)
	}
	r, err := exec.RunPython(ctx, j.python, it.Reply, it.Question)
	if err != nil {
		return nil, err
	}
	r = r.Finished(it.Reply, it.Finish)
	v := newVerdict(&r)
	if r.Outcome != answer.Wrong {
		return v, nil
	}
	a, err := Python(ctx, j.python, it.Question, &it.Case, r.Program)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil: // it was scored, but not all there is to say about it is known
		return &Verdict{Outcome: answer.InfraError, Message: err.Error()}, nil
	}
	v.Attribution = &a
	return v, nil
}

func direct(ctx context.Context, it *exec.Item) (*Verdict, error) {
	q := it.Question
	r := answer.Score(it.Reply, &q.Reference, q.Type, q.Category).Finished(it.Finish)
	v := &Verdict{Outcome: r.Outcome, Reason: r.Reason, Answer: r.Answer}
	if r.Outcome != answer.Wrong {
		return v, context.Cause(ctx)
	}
	reply, err := answer.Parse(string(r.Answer))
	if err != nil {
		return nil, fmt.Errorf("%s: what was understood is not understood again: %w", q.ID, err)
	}
	f, err := Direct(ctx, q, &it.Case, it.Program, &reply)
	if err != nil {
		return nil, err
	}
	v.Finding = &f
	return v, nil
}
