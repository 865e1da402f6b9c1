package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"ein/lang/describe"
	"ein/lang/diag"
	"ein/vm/cost"
	"ein/vm/ir"
)

// timedOut is the cause of a context that --timeout ends.
type timedOut time.Duration

func (d timedOut) Error() string {
	return fmt.Sprintf("the time limit of %v is over", time.Duration(d))
}

// context ends after the timeout, if there is one, and when the user interrupts
// the command. A second interrupt kills it, should it not end by itself.
func (a *app) context(timeout duration) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if timeout == 0 {
		return ctx, stop
	}
	d := time.Duration(timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, d, timedOut(d))
	return ctx, func() { cancel(); stop() }
}

// stopMessage says why a context has ended, and what can be done about it.
func stopMessage(ctx context.Context) (message, hint string) {
	var limit timedOut
	if errors.As(context.Cause(ctx), &limit) {
		return limit.Error(), fmt.Sprintf("Give it longer, as in `--timeout %v`.", 10*time.Duration(limit))
	}
	return "interrupted", ""
}

// stopped is a command that was stopped while it read.
func stopped(ctx context.Context) *problem {
	message, hint := stopMessage(ctx)
	p := inputProblem(newFinding("E0533", diag.Error, "", 0, 0, message+", while the program or its data was being read", hint))
	p.class, p.exit = classLimit, exitLimit
	return p
}

// stoppedRun is a run that was stopped, shown at the statement it was in.
func (l *loaded) stoppedRun(ctx context.Context, m *cost.Module, at ir.Pos, done uint64) *problem {
	message, hint := stopMessage(ctx)
	d := diag.Diagnostic{Code: "E0533",
		Message: fmt.Sprintf("%s: the run was stopped after %s of at most %s operations", message, formatCount(done), formatCount(m.Certificate.Ops)),
		Label:   "it was here"}
	if hint != "" {
		d.Notes = append(d.Notes, hint)
	}
	return l.problemAt(classLimit, exitLimit, at, d)
}

// refused is a program that needs more than it may use.
func (l *loaded) refused(e *cost.LimitError) *problem {
	d, flag := describe.Refused(e)
	d.Notes = append(d.Notes, fmt.Sprintf("Nothing was run. `%s` sets the limit; `ein cost` shows every statement.", flag))
	return l.problemAt(classLimit, exitLimit, e.Pos, d)
}

// remark is a warning of a run.
func (l *loaded) remark(pos ir.Pos, message string) {
	d := diag.Diagnostic{Code: "W0605", Severity: diag.Warning, Message: message}
	if l.file == nil {
		l.data = append(l.data, l.inBytecode(pos, d))
		return
	}
	d.Span = span(pos)
	l.warnings = append(l.warnings, d)
}
