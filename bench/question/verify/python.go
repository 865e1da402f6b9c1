package verify

import (
	"bufio"
	"context"
	_ "embed" // the driver
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
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
)

// Unavailable says why no Python program can run: there is no interpreter, it lacks networkx, or it
// keeps failing.
type Unavailable struct {
	Python string // the command
	Reason string
	Broken bool // it was there and stopped working
}

func (e *Unavailable) Error() string { return e.Reason }

// Help says what to install.
func (e *Unavailable) Help() string {
	if e.Broken {
		return "Run it again once the interpreter works; --python names another one."
	}
	return `Needed are Python 3 and its package networkx:
  Debian, Ubuntu   apt install python3 python3-networkx
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
	p        *process // nil: to be started
	failures int      // in a row
}

type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  tail
	overdue atomic.Bool
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
		return &Unavailable{Python: i.python, Reason: fmt.Sprintf(format, args...), Broken: i.Version != ""}
	}
	p := &process{cmd: exec.Command(i.python, "-I", "-c", driver)}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return unavailable("%s cannot be started: %v", i.python, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return unavailable("%s cannot be started: %v", i.python, err)
	}
	if err := p.cmd.Start(); err != nil {
		var missing *exec.Error
		if errors.As(err, &missing) {
			err = missing.Err
		}
		return unavailable("%s cannot be started: %v", i.python, err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	line, err := p.within(ctx, startLimit, func() ([]byte, error) { return p.out.ReadBytes('\n') })
	if err != nil {
		_ = p.cmd.Process.Kill()
		return unavailable("%s does not start: %s", i.python, p.end())
	}
	var hello struct{ Python, Executable, NetworkX, Missing string }
	if err := json.Unmarshal(line, &hello); err != nil {
		_ = p.cmd.Process.Kill()
		p.end()
		return unavailable("%s is not a Python interpreter: it says %.60q", i.python, line)
	}
	if hello.Missing != "" {
		p.end()
		return unavailable("%s (Python %s, %s) has no networkx: %s", i.python, hello.Python, hello.Executable, hello.Missing)
	}
	i.p, i.Version, i.NetworkX = p, hello.Python, hello.NetworkX
	return nil
}

// within makes an exchange with the process. If that takes too long, or the context ends, it kills
// the process, which ends the exchange.
func (p *process) within(ctx context.Context, limit time.Duration, exchange func() ([]byte, error)) ([]byte, error) {
	kill := func() { _ = p.cmd.Process.Kill() }
	timer := time.AfterFunc(limit, func() {
		p.overdue.Store(true)
		kill()
	})
	cancelled := context.AfterFunc(ctx, kill)
	line, err := exchange()
	if intime, going := timer.Stop(), cancelled(); err == nil && (!intime || !going) {
		err = errors.New("the process was killed when it had just answered")
	}
	return line, err
}

// end releases the process and says how it ended.
func (p *process) end() string {
	_ = p.in.Close()
	err := p.cmd.Wait()
	if p.overdue.Load() {
		return "it took too long and was stopped"
	}
	reason := "it ended by itself"
	if err != nil {
		reason = err.Error()
	}
	if said := p.stderr.String(); said != "" {
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
	request, err := json.Marshal(program)
	if err != nil {
		return "", err // not possible: a string always has a JSON form
	}
	p := i.p
	line, err := p.within(ctx, i.limit, func() ([]byte, error) {
		if _, err := p.in.Write(append(request, '\n')); err != nil {
			return nil, err
		}
		return p.out.ReadBytes('\n')
	})
	var reply struct {
		Stdout string
		Error  *string
	}
	if err == nil {
		err = json.Unmarshal(line, &reply)
	}
	if err != nil {
		return "", i.failed(ctx)
	}
	i.failures = 0
	if reply.Error != nil {
		return reply.Stdout, &ProgramError{"it fails: " + *reply.Error}
	}
	return reply.Stdout, nil
}

// failed returns the error of an exchange that went wrong.
func (i *Interpreter) failed(ctx context.Context) error {
	p := i.p
	i.p = nil
	_ = p.cmd.Process.Kill()
	how := p.end()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reason := "the interpreter crashed: " + how
	if p.overdue.Load() {
		reason = fmt.Sprintf("it was stopped after %v", i.limit)
	}
	i.failures++
	if i.failures == failuresInARow {
		return &Unavailable{Python: i.python, Broken: true,
			Reason: fmt.Sprintf("%s failed with %d programs in a row; with the last, %s", i.python, failuresInARow, reason)}
	}
	return &ProgramError{reason}
}

// Close ends the process.
func (i *Interpreter) Close() {
	if i.p != nil {
		i.p.end()
		i.p = nil
	}
}

// tail keeps the end of what is written to it. Package exec writes from one
// goroutine, which has ended when Wait returns.
type tail struct{ b []byte }

const tailSize = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > tailSize {
		t.b = append(t.b[:0], t.b[len(t.b)-tailSize:]...)
	}
	return len(p), nil
}

// String returns the last line that is not empty: in a traceback, that line says what is wrong.
func (t *tail) String() string {
	lines := strings.Split(strings.TrimSpace(string(t.b)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
