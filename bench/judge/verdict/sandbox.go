package verdict

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"ein/bench/judge/sandbox"
)

// SandboxRunner runs programs in a sandbox, and tells what a program did wrong from
// what the sandbox did. It opens, and proves, the sandbox for the first program, because that
// takes seconds. It may be used by several goroutines.
type SandboxRunner struct {
	Ctx    context.Context // of opening it
	Policy sandbox.Policy
	Again  time.Duration // how long a failure to open it is remembered; 0 is for ever

	lock sync.Mutex
	box  *sandbox.Sandbox
	err  error // of opening it
}

// Open returns the sandbox.
func (s *SandboxRunner) Open() (*sandbox.Sandbox, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.box == nil && s.err == nil {
		if s.box, s.err = sandbox.Open(s.Ctx, s.Policy); s.err != nil && s.Again > 0 {
			time.AfterFunc(s.Again, func() {
				s.lock.Lock()
				defer s.lock.Unlock()
				s.err = nil
			})
		}
	}
	return s.box, s.err
}

// Opened returns the sandbox, or why it could not be opened; neither if no program has needed it.
func (s *SandboxRunner) Opened() (*sandbox.Sandbox, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.box, s.err
}

// Close ends the sandbox, if it was opened.
func (s *SandboxRunner) Close() {
	if box, _ := s.Opened(); box != nil {
		_ = box.Close()
	}
}

// Run implements Runner. A ProgramError is the fault of the program, any other error that of the
// sandbox.
func (s *SandboxRunner) Run(ctx context.Context, program string) (string, error) {
	if len(program) > sandbox.MaxProgram {
		return "", &ProgramError{Outcome: OverLimit, Message: fmt.Sprintf("the program has %d bytes, at most %d are run", len(program), sandbox.MaxProgram)}
	}
	box, err := s.Open()
	if err != nil {
		return "", err
	}
	r, err := box.Run(ctx, program)
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
