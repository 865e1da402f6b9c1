package verdict

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/lang/check"
	"ein/lang/syntax"
)

// Options say how replies are judged.
type Options struct {
	Limits Limits // of Ein programs
	Python Runner // of Python programs; without one they are infra errors
	Why    bool   // say why a wrong reply is wrong: questions need their cases then
	Labels bool   // Ein programs may name nodes by their labels in place of their numbers
	// Constant also finds Python programs whose output depends on no graph, which takes a second run
	// of each; Why does so as well. Questions need their cases then.
	Constant bool
	// Begin is called before an Ein program of so many operations runs, and may wait; end is called
	// afterwards. Nil: it begins at once.
	Begin func(ctx context.Context, ops uint64) (end func())
}

// Judge judges replies of any mode. It is not safe for concurrent use: give each worker
// its own.
type Judge struct {
	opt   Options
	ein   *executor // of programs in the profile core
	rules *executor // and in the profile logic
}

// New makes a judge for one worker.
func New(o Options) *Judge {
	j := &Judge{o, newExecutor(check.Core, o.Limits), newExecutor(check.Logic, o.Limits)}
	j.ein.begin, j.rules.begin = o.Begin, o.Begin
	return j
}

// Reply judges a reply by its mode; one that is in no language is a direct answer. The
// error comes from the context, or from an instance whose own program does not run.
func (j *Judge) Reply(ctx context.Context, q *Question, l *Line) (*Verdict, error) {
	v, err := j.judge(ctx, q, l)
	err = cmp.Or(err, context.Cause(ctx))
	if err != nil {
		return nil, err
	}
	v.Topic = q.Topic
	return &v, nil
}

// ModeOf returns the mode in which a reply is judged. A reply without a mode is a program if it
// contains one and no answer.
func ModeOf(l *Line) prompt.Mode {
	mode := l.Mode
	if mode == "" {
		if _, err := answer.ParseReply(answer.Visible(l.Reply)); err != nil {
			mode, _ = Detect(l.Reply)
		}
	}
	return mode
}

// Answer judges the reply of a file as a direct answer, whatever its mode, and a
// question without one as missing.
func (j *Judge) Answer(ctx context.Context, it *Item) (*Verdict, error) {
	if it.Number == 0 {
		return &Verdict{Topic: it.Topic, Result: answer.Result{Outcome: answer.NoAnswer, Reason: Missing}}, nil
	}
	it.Mode = prompt.Direct
	return j.Reply(ctx, it.Question, &it.Line)
}

// judge scores the visible part of a reply: reasoning is cut off first, for programs too.
func (j *Judge) judge(ctx context.Context, q *Question, l *Line) (Verdict, error) {
	if l.Error != "" {
		return Verdict{}.fail(answer.InfraError, l.Error), nil
	}
	said := *l
	said.Reply = answer.Visible(l.Reply)
	l = &said
	mode := ModeOf(l)
	switch {
	case mode == prompt.Ein && j.opt.Labels:
		return j.program(ctx, q, l, mode, func(ctx context.Context, program string, q *Question) (Verdict, error) {
			return j.ein.run(ctx, numbered(program, q.Labels), q)
		})
	case mode == prompt.Ein:
		return j.program(ctx, q, l, mode, j.ein.run)
	case mode == prompt.Rules:
		return j.program(ctx, q, l, mode, j.rules.run)
	case mode == prompt.Python && j.opt.Python == nil:
		return Verdict{}.fail(answer.InfraError, "there is no sandbox to run Python in"), nil
	case mode == prompt.Python:
		return j.program(ctx, q, l, mode, inside(j.opt.Python))
	}
	v := Verdict{Result: answer.Score(l.Reply, &q.Reference, q.Type, q.Category).Finished(l.Finish)}
	if v.Outcome != answer.Wrong || !j.opt.Why {
		return v, nil
	}
	reply, err := answer.Parse(string(v.Answer))
	if err != nil {
		return v, fmt.Errorf("%s: what was understood is not understood again: %w", q.ID, err)
	}
	f, err := misreadings(ctx, q, &reply)
	v.Finding = &f
	return v, err
}

// numbered returns a program with labels replaced by the numbers of their nodes.
func numbered(program string, labels []string) string {
	var edits []edit
	for _, s := range parse(program).Stmts {
		syntax.WalkAll(s, func(n syntax.Node) bool {
			if x, ok := n.(*syntax.String); ok {
				if i := slices.Index(labels, x.Value); i >= 0 {
					edits = append(edits, edit{x.Span, strconv.Itoa(i)})
				}
			}
			return true
		})
	}
	return rewrite(program, edits)
}

// program also reads the graphs of right programs: how many edges are misread harmlessly is a
// result of its own.
func (j *Judge) program(ctx context.Context, q *Question, l *Line, mode prompt.Mode, run runs) (Verdict, error) {
	if ctx.Err() != nil {
		return Verdict{}, context.Cause(ctx)
	}
	v, err := reply(ctx, q, l.Reply, mode, run)
	if err != nil {
		return v, err
	}
	v = v.finished(l.Reply, l.Finish)
	if !j.opt.Why && (!j.opt.Constant || mode != prompt.Python) || v.Outcome != answer.Wrong && !v.Any() {
		return v, nil
	}
	w, err := j.graphs(ctx, q, mode, &v)
	if err == nil {
		v.Constant = v.Constant || w.constant
	}
	if err == nil && j.opt.Why {
		v.Reading = read(&q.Case, w.graphs)
		if v.Outcome == answer.Wrong {
			var a Attribution
			a, err = attribution(ctx, q, &w, run)
			v.Attribution = &a
		}
	}
	if err != nil { // it was scored, but not all there is to say about it is known
		return Verdict{}.fail(answer.InfraError, err.Error()), nil
	}
	return v, nil
}

// reply runs the program that is in a reply.
func reply(ctx context.Context, q *Question, text string, mode prompt.Mode, run runs) (Verdict, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return unanswered(answer.NoReply), nil
	case len(text) > answer.MaxReply:
		return Verdict{}.fail(OverLimit, fmt.Sprintf("the reply has more than %d bytes", answer.MaxReply)), nil
	}
	program, ok := Extract(text, mode)
	if !ok {
		return Verdict{}.fail(NoProgram, "there is no program in the reply"), nil
	}
	return run(ctx, program, q)
}

// finished returns the verdict on a reply with a finish reason. If the reply was cut off, declined
// or withheld before it had a program, it is no answer. A text that does not parse then counts as
// no program, unless it is in a complete block.
func (v Verdict) finished(reply, finish string) Verdict {
	why, ok := answer.Unfinished(finish)
	if !ok || v.Outcome != answer.NoAnswer && v.Outcome != NoProgram && (v.Outcome != ParseError || closed(reply)) {
		return v
	}
	return unanswered(why)
}

// unanswered returns the verdict on a reply that ended before its answer.
func unanswered(why answer.Reason) Verdict {
	v := Verdict{}.fail(answer.NoAnswer, why.Error())
	v.Reason = why
	return v
}
