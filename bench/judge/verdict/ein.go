package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ein/bench/question/answer"
	"ein/internal/lists"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
	"ein/vm/rel"
)

// Limits bound one program. A zero value means the default; nothing is ever
// unlimited.
type Limits struct {
	Source  int           // bytes of the program; default DefaultSource
	Ops     uint64        // certified operations; default DefaultOps
	Bytes   uint64        // certified memory; default DefaultBytes
	Output  uint64        // elements of all outputs; default DefaultOutput
	Timeout time.Duration // of the run; default DefaultTimeout
}

// The default limits. The cost is bounded before a program runs, and a machine does that many
// operations in about a second. The timeout is for the unforeseen; no program can reach it on
// purpose.
const (
	DefaultSource  = 64 << 10
	DefaultOps     = 1 << 30
	DefaultBytes   = 64 << 20
	DefaultOutput  = 1 << 16
	DefaultTimeout = 10 * time.Second
)

// Bounds on the work of the parser and the checker, which a text within the limit on its length
// could still demand.
const (
	maxStatements  = 2000
	maxHeight      = 1000
	maxNodes       = 20_000
	maxDiagnostics = 5
)

// withDefaults fills in what is 0.
func (l Limits) withDefaults() Limits {
	if l.Source <= 0 {
		l.Source = DefaultSource
	}
	l.Ops = cmp.Or(l.Ops, DefaultOps)
	l.Bytes = cmp.Or(l.Bytes, DefaultBytes)
	l.Output = cmp.Or(l.Output, DefaultOutput)
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	return l
}

// slow is a hundred times as long as a certified operation takes. A program that is fast enough
// even at this rate needs no timer, which costs as much as running a tiny program.
const slow = 100 * time.Nanosecond

// executor runs Ein programs one after another, each in the memory of the last one.
type executor struct {
	limits Limits
	lang   lang.Options
	memory lang.Memory
	file   *syntax.File // of the last program
	cost   cost.Limits
	begin  func(ctx context.Context, ops uint64) (end func()) // see Options
}

// newExecutor makes an executor, which uses one processor: callers run several beside each other.
func newExecutor(profile check.Profile, l Limits) *executor {
	l = l.withDefaults()
	return &executor{
		limits: l,
		lang: lang.Options{
			Profile: profile, Workers: 1, ErrorsOnly: true,
			Syntax: syntax.Limits{SourceBytes: l.Source, Tokens: l.Source, Statements: maxStatements, Height: maxHeight, Diagnostics: maxDiagnostics},
			Check:  check.Limits{Nodes: maxNodes, Elements: l.Bytes / 8},
		},
		cost: cost.Limits{MaxOps: l.Ops, MaxBytes: l.Bytes, MaxOutputElements: l.Output},
	}
}

// run runs a program and scores its answer. It returns an error only when the context ends.
func (e *executor) run(ctx context.Context, program string, q *Question) (v Verdict, err error) {
	defer func() {
		// Whatever a program does, it must not end the job. That it could do this
		// is a mistake of ours and none of the model.
		if p := recover(); p != nil {
			v = Verdict{Program: program}.fail(answer.InfraError, fmt.Sprintf("a bug in ein: %v\n%s", p, debug.Stack()))
			e.memory, e.file = lang.Memory{}, nil
		}
	}()
	if ctx.Err() != nil {
		return Verdict{}, context.Cause(ctx)
	}
	m, v := e.build(program)
	if v.Outcome != "" {
		return v, nil
	}
	ops := m.Certificate.Ops
	if e.begin != nil && m.Certificate.Check(e.cost) == nil {
		defer e.begin(ctx, ops)()
	}
	machine, err := lang.Machine(m, e.cost, e.lang)
	if err != nil {
		return v.fail(OverLimit, err.Error()), nil
	}
	running := ctx
	if ops > uint64(e.limits.Timeout/slow) {
		var cancel context.CancelFunc
		running, cancel = context.WithTimeout(ctx, e.limits.Timeout)
		defer cancel()
	}
	out, err := machine.Run(running)
	v.Ops = machine.Stats().Ops
	switch {
	case err != nil && ctx.Err() != nil:
		return Verdict{}, context.Cause(ctx)
	case errors.Is(err, vm.ErrStopped):
		return v.fail(OverLimit, fmt.Sprintf("the run took more than %v", e.limits.Timeout)), nil
	case errors.As(err, new(*vm.Exceeded)):
		return v.fail(OverLimit, err.Error()), nil
	case err != nil:
		return v.fail(RuntimeError, err.Error()), nil
	}
	x, err := answer.FromOutputs(q.Type, out.Outputs, q.Labels)
	if err != nil {
		return v.fail(BadOutput, err.Error()), nil
	}
	v.Result = q.match(x.JSON(q.Labels))
	return v, nil
}

// parsed returns the tree of a program, valid until the next one is run.
func (e *executor) parsed(program string) *syntax.File {
	if e.file == nil || e.file.Source.Text != program {
		e.lang.Memory = &e.memory
		e.file = lang.Parse("reply", program, e.lang)
	}
	return e.file
}

// build compiles a program. The verdict has an outcome if it cannot be run. It panics only on a bug
// in the compiler.
func (e *executor) build(program string) (m *cost.Module, v Verdict) {
	v.Program = program
	fail := func(o answer.Outcome, code diag.Code, message string) (*cost.Module, Verdict) {
		v = v.fail(o, message)
		v.Code = string(code)
		return nil, v
	}
	f := e.parsed(program)
	if f.Diags.HasErrors() {
		return fail(first(f.Diags, ParseError))
	}
	p := lang.Check(f, e.lang)
	if !p.Diags.HasErrors() { // nobody binds an input here
		p.Diags = append(p.Diags, p.Unbound()...)
	}
	if p.Diags.HasErrors() {
		return fail(first(p.Diags, TypeError))
	}
	v.Constant = !readsGraph(p)
	m, err := lang.Module(lang.Code(p, e.lang), e.lang)
	if err != nil {
		// The compiler's own code does not verify.
		panic(err)
	}
	return m, v
}

// first returns the outcome for a list of diagnostics, with the first error of that kind. A program
// is over a limit only if nothing else is wrong with it.
func first(l diag.List, o answer.Outcome) (answer.Outcome, diag.Code, string) {
	d := l.First()
	if d.Code.Class() == diag.Limit {
		o = OverLimit
	}
	return o, d.Code, d.Message
}

// readsGraph reports whether the outputs of a program depend on a graph that is written in it: by
// edges, by adj, as a plain matrix, or as facts of several columns.
func readsGraph(p *check.Program) bool {
	seen := make([]bool, p.Nodes)
	stack := lists.Map(p.Outputs, func(x check.Output) *ir.Node { return x.Node })
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
		if n.Op == ir.Relation && readsFacts(n.Rules.Program, n.Rules.Results[n.Slot]) {
			return true
		}
		stack = append(stack, n.Args...)
	}
	return false
}

// readsFacts reports whether a relation depends on facts of several columns.
func readsFacts(p *rel.Program, r int) bool {
	seen := map[int]bool{}
	for stack := []int{r}; len(stack) > 0; {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[r] {
			continue
		}
		seen[r] = true
		if p.Relations[r].Facts != nil && len(p.Relations[r].Columns) > 1 {
			return true
		}
		for i := range p.Rules {
			if p.Rules[i].Rel != r {
				continue
			}
			for _, l := range p.Rules[i].Body {
				if l.Kind == rel.Atom || l.Kind == rel.Not {
					stack = append(stack, l.Rel)
				}
			}
		}
	}
	return false
}
