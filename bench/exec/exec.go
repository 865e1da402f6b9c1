// Package exec runs replies that are programs: it finds the program in the text
// of a model, checks it, bounds its cost before it runs, runs it in this process,
// and scores what it gives.
package exec

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/instance"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
)

// The outcomes of programs that give no answer, beside those of package answer.
// An answer is neither right nor wrong then; a share of right answers counts them
// all as not right.
const (
	NoProgram    answer.Outcome = "no_program"    // a reply without a program in it
	ParseError   answer.Outcome = "parse_error"   // text that is no program
	TypeError    answer.Outcome = "type_error"    // names, shapes, constructs that are not allowed
	OverLimit    answer.Outcome = "over_limit"    // refused for its size or cost, or out of time
	RuntimeError answer.Outcome = "runtime_error" // failed as it ran
	BadOutput    answer.Outcome = "bad_output"    // an output that is no answer to the question
)

// Outcomes lists the outcomes of programs.
func Outcomes() []answer.Outcome {
	return []answer.Outcome{answer.StrictlyRight, answer.LenientOnly, answer.Wrong, answer.NoAnswer,
		NoProgram, ParseError, TypeError, OverLimit, RuntimeError, BadOutput, answer.InfraError}
}

// Limits bound one program. A zero value means the default; nothing is ever
// unlimited.
type Limits struct {
	Source  int           // bytes of the program; default DefaultSource
	Ops     uint64        // certified operations; default DefaultOps
	Bytes   uint64        // certified memory; default DefaultBytes
	Output  uint64        // elements of all outputs; default DefaultOutput
	Timeout time.Duration // of the run; default DefaultTimeout
}

// The default limits. The cost is proved before a program runs, and a machine
// does that many operations in about a second: the timeout is for what is not
// foreseen, and no program can choose to run into it.
const (
	DefaultSource  = 64 << 10
	DefaultOps     = 1 << 30
	DefaultBytes   = 64 << 20
	DefaultOutput  = 1 << 16
	DefaultTimeout = 10 * time.Second
)

// Bounds of what is no matter of taste: a text within the limit on its length can
// still ask for this much of the front end.
const (
	maxStatements  = 2000
	maxHeight      = 1000
	maxNodes       = 20_000
	maxDiagnostics = 5
)

func (l Limits) withDefaults() Limits {
	if l.Source <= 0 {
		l.Source = DefaultSource
	}
	if l.Ops == 0 {
		l.Ops = DefaultOps
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Output == 0 {
		l.Output = DefaultOutput
	}
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	return l
}

// Options of an Executor.
type Options struct {
	Limits Limits
	Cache  int // compiled programs to keep; 0 keeps none
}

// maxCachedBytes bounds the memory that a program is kept with. Those of the
// benchmark need some kilobytes; what needs more takes longer to run than to compile.
const maxCachedBytes = 1 << 20

// Question is what a program is scored against.
type Question struct {
	ID        string
	Category  string
	Level     string
	Type      category.Result
	Labels    []string
	Reference answer.Reference
}

// NewQuestion is the question of an instance.
func NewQuestion(in *instance.Instance) (*Question, error) {
	c, err := instance.Category(in.Category)
	if err != nil {
		return nil, err
	}
	source := ""
	if s := in.Query.Source; s != nil && *s >= 0 && *s < len(in.Nodes) {
		source = in.Nodes[*s]
	}
	ref, err := answer.NewReference(in.Answer, c.Result, source)
	if err != nil {
		return nil, err
	}
	return &Question{ID: in.ID, Category: c.Name, Level: in.Level, Type: c.Result, Labels: in.Nodes, Reference: ref}, nil
}

// Result is what has become of a program.
type Result struct {
	Outcome answer.Outcome
	Reason  answer.Reason   // of NoAnswer
	Program string          // as it was found; "" when there is none
	Answer  json.RawMessage // nil when there is none
	Code    diag.Code       // of the first error of a program that does not check
	Message string          // why there is no answer
	Ops     uint64          // of the run, finished or not
	// Constant is a program whose outputs depend on no graph: the answer is typed
	// in, or guessed.
	Constant bool
}

// Failed reports whether the program gave no answer.
func (r *Result) Failed() bool { return r.Message != "" }

// Class is an outcome of programs that give no answer, and "" for all others.
func Class(o answer.Outcome) answer.Outcome {
	switch o {
	case NoProgram, ParseError, TypeError, OverLimit, RuntimeError, BadOutput:
		return o
	}
	return ""
}

// Finished is the result of a reply whose provider gave a finish reason: when it
// was cut off, declined or held back before there was a program, it is no answer.
// What is no program counts as none then, unless it stands in a complete block.
func (r Result) Finished(reply, finish string) Result {
	why, ok := answer.Unfinished(finish)
	if !ok {
		return r
	}
	switch r.Outcome {
	case answer.NoAnswer, NoProgram:
	case ParseError:
		if closed(reply) {
			return r
		}
	default:
		return r
	}
	return Result{Outcome: answer.NoAnswer, Reason: why, Message: why.Error()}
}

// Executor runs programs one after another. It is not safe for concurrent use:
// give each worker its own.
type Executor struct {
	limits Limits
	lang   lang.Options
	cost   cost.Limits
	most   int
	cached map[string]*list.Element
	recent *list.List // of *compiled, the last used first
}

// New is an executor for one worker.
func New(opt Options) *Executor {
	l := opt.Limits.withDefaults()
	return &Executor{
		limits: l,
		lang: lang.Options{
			Profile: check.Core, Workers: 1,
			Syntax: syntax.Limits{SourceBytes: l.Source, Tokens: l.Source, Statements: maxStatements, Height: maxHeight, Diagnostics: maxDiagnostics},
			Check:  check.Limits{Nodes: maxNodes, Elements: l.Bytes / 8},
		},
		cost:   cost.Limits{MaxOps: l.Ops, MaxBytes: l.Bytes, MaxOutputElements: l.Output},
		most:   opt.Cache,
		cached: map[string]*list.Element{},
		recent: list.New(),
	}
}

// compiled is a program that can be run, or why it cannot.
type compiled struct {
	program  string
	machine  *vm.Machine
	constant bool
	failure  Result // its outcome is "" when there is none
}

// Run runs the program of a reply and scores its answer. The error is that of
// the context, and nothing else.
func (e *Executor) Run(ctx context.Context, reply string, q *Question) (Result, error) {
	switch {
	case strings.TrimSpace(reply) == "":
		return noReply(), context.Cause(ctx)
	case len(reply) > answer.MaxReply:
		return Result{Outcome: OverLimit, Message: fmt.Sprintf("the reply has more than %d bytes", answer.MaxReply)}, context.Cause(ctx)
	}
	program, ok := Extract(reply, Ein)
	if !ok {
		return Result{Outcome: NoProgram, Message: "there is no program in the reply"}, context.Cause(ctx)
	}
	return e.RunProgram(ctx, program, q)
}

// RunProgram is Run for the text of a program.
func (e *Executor) RunProgram(ctx context.Context, program string, q *Question) (r Result, err error) {
	defer func() {
		// Whatever a program does, it must not end the job. That it could do this
		// is a mistake of ours and none of the model.
		if p := recover(); p != nil {
			r = Result{Outcome: answer.InfraError, Program: program, Message: fmt.Sprintf("a bug in ein: %v\n%s", p, debug.Stack())}
			e.cached, e.recent = map[string]*list.Element{}, list.New()
		}
	}()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	c := e.compile(program)
	if c.failure.Outcome != "" {
		return c.failure, nil
	}
	r = Result{Program: program, Constant: c.constant}
	running, cancel := context.WithTimeout(ctx, e.limits.Timeout)
	defer cancel()
	out, err := c.machine.Run(running, nil)
	r.Ops = c.machine.Stats().Ops
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.Is(err, vm.ErrStopped):
		return r.fail(OverLimit, fmt.Sprintf("the run took more than %v", e.limits.Timeout)), nil
	case err != nil:
		return r.fail(RuntimeError, err.Error()), nil
	}
	v, err := answer.FromOutputs(q.Type, out.Outputs, len(q.Labels))
	if err != nil {
		return r.fail(BadOutput, err.Error()), nil
	}
	r.Answer = v.JSON(q.Labels)
	r.Outcome = q.Match(r.Answer)
	return r, nil
}

func noReply() Result {
	return Result{Outcome: answer.NoAnswer, Reason: answer.NoReply, Message: answer.NoReply.Error()}
}

func (r Result) fail(o answer.Outcome, message string) Result {
	r.Outcome, r.Message = o, message
	return r
}

// Match is the outcome of an answer.
func (q *Question) Match(text json.RawMessage) answer.Outcome {
	x, err := answer.Parse(string(text))
	if err != nil {
		return answer.FormatError
	}
	for _, m := range []struct {
		mode    answer.Mode
		outcome answer.Outcome
	}{{answer.Strict, answer.StrictlyRight}, {answer.Lenient, answer.LenientOnly}} {
		switch answer.MatchAnswer(&x, &q.Reference, q.Type, q.Category, m.mode) {
		case answer.Correct:
			return m.outcome
		case answer.Malformed:
			return answer.FormatError
		}
	}
	return answer.Wrong
}

func (e *Executor) compile(program string) *compiled {
	if e.most <= 0 {
		return e.build(program)
	}
	if at := e.cached[program]; at != nil {
		e.recent.MoveToFront(at)
		return at.Value.(*compiled)
	}
	c := e.build(program)
	if c.machine != nil && c.machine.Stats().PeakBytes > maxCachedBytes {
		return c
	}
	e.cached[program] = e.recent.PushFront(c)
	if e.recent.Len() > e.most {
		last := e.recent.Back()
		delete(e.cached, e.recent.Remove(last).(*compiled).program)
	}
	return c
}

func (e *Executor) build(program string) *compiled {
	c := &compiled{program: program}
	fail := func(o answer.Outcome, code diag.Code, message string) *compiled {
		c.failure = Result{Outcome: o, Program: program, Code: code, Message: message, Constant: c.constant}
		return c
	}
	f := lang.Parse("reply", program, e.lang)
	if f.Diags.HasErrors() {
		return fail(first(f.Diags, ParseError))
	}
	p := lang.Check(f, e.lang)
	if p.Diags.HasErrors() {
		return fail(first(p.Diags, TypeError))
	}
	c.constant = !readsGraph(p)
	m, err := lang.Module(lang.Code(p, e.lang), e.lang)
	if err != nil {
		// The compiler's own code does not verify.
		panic(err)
	}
	if c.machine, err = vm.New(m, e.cost); err != nil {
		return fail(OverLimit, "", err.Error())
	}
	return c
}

// first is the outcome that a list of diagnostics makes, with its first error of
// that kind. A program is over a limit only when nothing else is wrong with it.
func first(l diag.List, o answer.Outcome) (answer.Outcome, diag.Code, string) {
	var limit *diag.Diagnostic
	for i := range l {
		d := &l[i]
		switch {
		case d.Severity != diag.Error:
		case !strings.HasPrefix(string(d.Code), "E05"):
			return o, d.Code, d.Message
		case limit == nil:
			limit = d
		}
	}
	return OverLimit, limit.Code, limit.Message
}

// readsGraph reports whether the outputs of a program depend on a matrix that is
// written in it, which is what a graph is, by edges, by adj or as it stands.
func readsGraph(p *check.Program) bool {
	seen := make([]bool, p.Nodes)
	stack := make([]*ir.Node, 0, len(p.Outputs))
	for i := range p.Outputs {
		stack = append(stack, p.Outputs[i].Node)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if n.Op == ir.Const && n.Rank() == 2 {
			return true
		}
		stack = append(stack, n.Args...)
	}
	return false
}
