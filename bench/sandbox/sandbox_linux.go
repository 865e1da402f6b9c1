//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Sandbox runs programs. Its methods may be called from many goroutines.
type Sandbox struct {
	policy Policy
	bwrap  *bwrap
	checks []Check
	proven Versions

	ready  chan warmed
	stop   context.CancelFunc // ends the waiting interpreters
	closed <-chan struct{}
	work   sync.WaitGroup
}

type warmed struct {
	guest *guest
	err   error
}

// Open attacks a sandbox with these limits and gives it when every attack was
// stopped; it takes some seconds. The error is an *Unavailable unless the
// context has ended or the policy is wrong.
func Open(ctx context.Context, policy Policy) (*Sandbox, error) {
	policy, err := policy.withDefaults()
	if err != nil {
		return nil, err
	}
	b, err := newBwrap(ctx, policy.Python)
	if err != nil {
		return nil, err
	}
	checks, err := prove(ctx, b)
	if err != nil {
		b.close()
		return nil, err
	}
	return newSandbox(policy, b, checks), nil
}

func newSandbox(policy Policy, b *bwrap, checks []Check) *Sandbox {
	ctx, stop := context.WithCancel(context.Background())
	s := &Sandbox{policy: policy, bwrap: b, checks: checks, proven: b.versions,
		ready: make(chan warmed), stop: stop, closed: ctx.Done()}
	for range policy.Pool {
		s.work.Go(func() { s.warm(ctx) })
	}
	return s
}

// warm keeps one interpreter waiting. A start that fails is handed over as well:
// the run that gets it says so, and the next start is tried for the next run.
func (s *Sandbox) warm(ctx context.Context) {
	for ctx.Err() == nil {
		g, err := s.bwrap.start(ctx, s.policy)
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

// Run runs a program. The error is that of the sandbox, never the program's: the
// result then says nothing about the program.
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

// Checks are the attacks that Open made.
func (s *Sandbox) Checks() []Check { return slices.Clone(s.checks) }

// Versions are what the proof holds for.
func (s *Sandbox) Versions() Versions { return s.proven }

// Close ends the waiting interpreters. Programs that run come to their end.
func (s *Sandbox) Close() error {
	s.stop()
	s.work.Wait()
	s.bwrap.close()
	return nil
}

// startLimit is how long an interpreter may take to come up: importing networkx
// from a cold disk takes seconds.
const startLimit = time.Minute
