package verify

import (
	"context"
	_ "embed" // the driver
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"ein/internal/child"
	"ein/internal/compact"
)

//go:embed driver.py
var driver string

const (
	// startLimit is how long an interpreter may take to come up: importing
	// networkx from a cold disk takes seconds.
	startLimit = time.Minute
	// failuresInARow is when an interpreter that dies or hangs again and again is
	// given up. Each failure costs a start, or the time limit.
	failuresInARow = 10
	// maxOutput bounds what the driver says of a program, which is a million characters at most,
	// escaped.
	maxOutput = 1 << 26
)

// Unavailable says why no Python program can run: there is no interpreter, it lacks networkx, or it
// keeps failing.
type Unavailable struct {
	Reason string
	Broken bool // it was there and stopped working
}

func (e *Unavailable) Error() string { return e.Reason }

// Help says what to install.
func (e *Unavailable) Help() string {
	if e.Broken {
		return "Run it again once the interpreter works, or name another one with --python."
	}
	return `Needed are Python 3 and its package networkx:
  Debian, Ubuntu   apt install python3 python3-networkx
  Windows          python -m venv venv, venv\Scripts\pip install networkx, then --python venv\Scripts\python
  elsewhere        python3 -m venv venv && venv/bin/pip install networkx, then --python venv/bin/python
The interpreter is started with -I: packages of "pip install --user" and those on PYTHONPATH do not count.`
}

// ProgramError reports a Python program that did not end as it should.
type ProgramError struct{ Reason string }

func (e *ProgramError) Error() string { return e.Reason }

// Interpreter is a process that runs Python programs one after the other. It is restarted if a
// program brings it down.
type Interpreter struct {
	Version, NetworkX string

	python   string
	limit    time.Duration
	p        *child.Process // nil: to be started
	failures int            // in a row
}

// NewInterpreter starts a Python. A program may run for limit. The error is an
// *Unavailable unless the context has ended.
func NewInterpreter(ctx context.Context, python string, limit time.Duration) (*Interpreter, error) {
	i := &Interpreter{python: python, limit: limit}
	return i, i.start(ctx)
}

// start starts the process and waits for the first line of the driver, which tells a command that
// is not Python from a Python without networkx.
func (i *Interpreter) start(ctx context.Context) error {
	unavailable := func(format string, args ...any) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &Unavailable{Reason: fmt.Sprintf(format, args...), Broken: i.Version != ""}
	}
	p, err := child.Start(exec.Command(i.python, "-I", "-c", driver), nil, maxOutput)
	if err != nil {
		if missing, ok := errors.AsType[*exec.Error](err); ok {
			err = missing.Err
		}
		return unavailable("%s cannot be started: %v", i.python, err)
	}
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	line, err := p.Line(limited)
	if err != nil {
		how := ended(p)
		if limited.Err() != nil {
			how = "it took too long to start and was stopped"
		}
		return unavailable("%s did not start: %s", i.python, how)
	}
	var hello struct{ Python, Executable, NetworkX, Missing string }
	if err := json.Unmarshal(line, &hello); err != nil {
		p.Kill()
		return unavailable("%s is not a Python interpreter: it printed %.60q", i.python, string(line)+"\n")
	}
	if hello.Missing != "" {
		p.End()
		return unavailable("%s (Python %s, %s) has no networkx: %s", i.python, hello.Python, hello.Executable, hello.Missing)
	}
	i.p, i.Version, i.NetworkX = p, hello.Python, hello.NetworkX
	return nil
}

// ended ends a process that did not answer as it should, and says how it ended.
func ended(p *child.Process) string {
	state, said := p.Kill()
	reason := "it exited on its own"
	if !state.Success() {
		reason = state.String()
	}
	if said != "" {
		reason += ": " + said
	}
	return reason
}

// Run runs a program in a namespace of its own and returns what it printed. The error is a
// *ProgramError if the program is to blame, and an *Unavailable if no interpreter is left to run
// others.
func (i *Interpreter) Run(ctx context.Context, program string) (string, error) {
	if i.p == nil {
		if err := i.start(ctx); err != nil {
			return "", err
		}
	}
	limited, cancel := context.WithTimeout(ctx, i.limit)
	defer cancel()
	line, err := i.p.Ask(limited, compact.Must(program))
	var reply struct {
		Stdout string
		Error  *string
	}
	if err == nil {
		err = json.Unmarshal(line, &reply)
	}
	if err != nil {
		return "", i.failed(ctx, limited.Err() != nil)
	}
	i.failures = 0
	if reply.Error != nil {
		return reply.Stdout, &ProgramError{"it failed: " + *reply.Error}
	}
	return reply.Stdout, nil
}

// failed returns the error of an exchange that went wrong.
func (i *Interpreter) failed(ctx context.Context, overdue bool) error {
	how := ended(i.p)
	i.p = nil
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reason := "the interpreter crashed: " + how
	if overdue {
		reason = fmt.Sprintf("it exceeded the limit of %v and was stopped", i.limit)
	}
	i.failures++
	if i.failures == failuresInARow {
		return &Unavailable{Broken: true,
			Reason: fmt.Sprintf("%s failed with %d programs in a row; with the last, %s", i.python, failuresInARow, reason)}
	}
	return &ProgramError{reason}
}

// Close ends the process.
func (i *Interpreter) Close() {
	if i.p != nil {
		i.p.End()
		i.p = nil
	}
}
