//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Sandbox runs programs. Its methods may be called from many goroutines.
type Sandbox struct {
	policy  Policy
	backend backend
	checks  []Check
	proven  Versions

	ready  chan warmed
	stop   context.CancelFunc // ends the waiting interpreters
	closed <-chan struct{}
	work   sync.WaitGroup
}

// warmed is an interpreter that waits for a program, or why there is none.
type warmed struct {
	guest *guest
	err   error
}

// backend is a way of confining an interpreter.
type backend interface {
	name() string
	apart() bool        // in namespaces: with a host name of its own
	versions(*Versions) // of what it consists of
	start(context.Context, Policy) (*guest, error)
	close()
}

// backends lists them, the best first.
var backends = []struct {
	name string
	open func(context.Context, *layout) (backend, error)
}{
	{Bubblewrap, func(ctx context.Context, files *layout) (backend, error) { return newBwrap(ctx, files) }},
	{Landlock, func(ctx context.Context, files *layout) (backend, error) { return newLandlock(ctx, files) }},
}

// Open attacks the sandboxes under these limits, the best first, and returns the first that stops
// every attack; this takes some seconds. The error is an *Unavailable unless the context has ended
// or the policy is wrong.
func Open(ctx context.Context, policy Policy) (*Sandbox, error) {
	policy, err := policy.withDefaults()
	if err != nil {
		return nil, err
	}
	files, err := interpreter(ctx, policy.Python)
	if err != nil {
		return nil, err
	}
	var first *Unavailable
	next := &first
	for _, way := range backends {
		if policy.Backend != "" && policy.Backend != way.name {
			continue
		}
		s, err := prove(ctx, policy, files, way.open)
		if err == nil {
			return s, nil
		}
		why, ok := errors.AsType[*Unavailable](err)
		if !ok {
			return nil, err
		}
		*next, next = why, &why.Next
	}
	return nil, first
}

// prove opens one backend and attacks it.
func prove(ctx context.Context, policy Policy, files *layout, open func(context.Context, *layout) (backend, error)) (*Sandbox, error) {
	b, err := open(ctx, files)
	if err != nil {
		return nil, err
	}
	versions := Versions{Backend: b.name()}
	checks, err := attack(ctx, b, &versions)
	if err != nil {
		b.close()
		return nil, err
	}
	b.versions(&versions)
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		versions.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	s := newSandbox(policy, b)
	s.checks, s.proven = checks, versions
	return s, nil
}

// newSandbox starts to warm as many guests as the pool holds.
func newSandbox(policy Policy, b backend) *Sandbox {
	ctx, stop := context.WithCancel(context.Background())
	s := &Sandbox{policy: policy, backend: b, ready: make(chan warmed), stop: stop, closed: ctx.Done()}
	for range policy.Pool {
		s.work.Go(func() { s.warm(ctx) })
	}
	return s
}

// warm keeps one interpreter waiting. A failed start is handed over as well: the run that gets it
// reports it, and the next run triggers another start.
func (s *Sandbox) warm(ctx context.Context) {
	for ctx.Err() == nil {
		g, err := s.backend.start(ctx, s.policy)
		select {
		case s.ready <- warmed{g, err}:
		case <-ctx.Done():
			if g != nil {
				g.kill(Crashed)
				g.wait()
			}
		}
	}
}

// Run runs a program. An error is the sandbox's, never the program's; the result then says nothing
// about the program.
func (s *Sandbox) Run(ctx context.Context, program string) (Result, error) {
	if len(program) > MaxProgram {
		return Result{Outcome: Crashed, Stderr: "the program is longer than 1 MiB\n"}, nil
	}
	select {
	case <-s.closed:
		return Result{}, ErrClosed
	default:
	}
	select {
	case w := <-s.ready:
		if w.err != nil {
			return Result{}, w.err
		}
		return w.guest.run(ctx, program, s.policy)
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	case <-s.closed:
		return Result{}, ErrClosed
	}
}

// Checks returns the attacks that Open made.
func (s *Sandbox) Checks() []Check { return slices.Clone(s.checks) }

// Versions returns the versions that the proof holds for.
func (s *Sandbox) Versions() Versions { return s.proven }

// Close ends the waiting interpreters. Running programs finish.
func (s *Sandbox) Close() error {
	s.stop()
	s.work.Wait()
	s.backend.close()
	return nil
}

// startLimit is how long an interpreter may take to come up: importing networkx
// from a cold disk takes seconds.
const startLimit = time.Minute

// failed returns the error of a step, with what the command printed.
func failed(ctx context.Context, backend, step string, err error, said string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); said == "" && ok {
		said = string(exit.Stderr)
	}
	if said = strings.TrimSpace(said); said != "" {
		lines := strings.Split(said, "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return &Unavailable{Backend: backend, Step: step, Err: err, Remedy: remedy(said)}
}
