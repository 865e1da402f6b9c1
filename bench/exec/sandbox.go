package exec

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"

	"ein/bench/sandbox"
)

// SandboxRunner runs programs in a sandbox, and tells what a program did wrong from
// what the sandbox did. It may be used by several goroutines.
//
// A program that it has seen is not run again: models repeat themselves, and their
// wrong programs are often the same once the true edges are in them, while a start
// costs a hundred milliseconds. Programs have no input, and sets have one order, so
// only one that draws random numbers or looks at the clock could have given something
// else.
func SandboxRunner(box *sandbox.Sandbox) Runner {
	return &memo{run: sandboxRunner{box}.Run, seen: map[[sha256.Size]byte]ran{}}
}

// memo keeps what programs gave.
type memo struct {
	run  func(context.Context, string) (string, error)
	lock sync.Mutex
	seen map[[sha256.Size]byte]ran
}

// ran is what a program gave. Not kept is what the machine's load decides.
type ran struct {
	out string
	err error // a *ProgramError, or nil
}

// The memory of a memo: programs, after which it begins anew, and bytes of output of
// each.
const (
	mostRan    = 1 << 14
	mostOutput = 1 << 10
)

// Run implements Runner.
func (m *memo) Run(ctx context.Context, program string) (string, error) {
	key := sha256.Sum256([]byte(program))
	m.lock.Lock()
	r, ok := m.seen[key]
	m.lock.Unlock()
	if ok && ctx.Err() == nil {
		return r.out, r.err
	}
	out, err := m.run(ctx, program)
	var wrong *ProgramError
	if (err == nil || errors.As(err, &wrong) && wrong.Outcome != OverLimit) && len(out) <= mostOutput {
		m.lock.Lock()
		if len(m.seen) >= mostRan {
			clear(m.seen)
		}
		m.seen[key] = ran{out, err}
		m.lock.Unlock()
	}
	return out, err
}

type sandboxRunner struct{ box *sandbox.Sandbox }

func (s sandboxRunner) Run(ctx context.Context, program string) (string, error) {
	if len(program) > sandbox.MaxProgram {
		return "", &ProgramError{Outcome: OverLimit, Message: fmt.Sprintf("the program has %d bytes, at most %d are run", len(program), sandbox.MaxProgram)}
	}
	r, err := s.box.Run(ctx, program)
	if err != nil {
		return "", err
	}
	switch r.Outcome {
	case sandbox.OK:
		return r.Stdout, nil
	case sandbox.Timeout, sandbox.Memory, sandbox.OutputLimit:
		return "", &ProgramError{Outcome: OverLimit, Message: "over the limit of the sandbox: " + r.Outcome.String()}
	}
	// The last line of a traceback. A program can print what it likes there; all it
	// decides is which of two ways of being wrong it is.
	text := strings.TrimSpace(strings.ToValidUTF8(r.Stderr, "?"))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	wrong := &ProgramError{Outcome: RuntimeError, Message: "it failed"}
	if last != "" {
		wrong.Message = fmt.Sprintf("it failed: %.200s", last)
	}
	if strings.HasPrefix(last, "SyntaxError:") || strings.HasPrefix(last, "IndentationError:") || strings.HasPrefix(last, "TabError:") {
		wrong.Outcome = ParseError
	}
	return "", wrong
}
