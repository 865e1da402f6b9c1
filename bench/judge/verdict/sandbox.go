package verdict

import (
	"context"
	"fmt"
	"strings"

	"ein/bench/judge/sandbox"
)

// SandboxRunner runs programs in a sandbox, and tells what a program did wrong from
// what the sandbox did. It may be used by several goroutines.
type SandboxRunner struct{ Box *sandbox.Sandbox }

// Run implements Runner. A ProgramError is the fault of the program, any other error that of the
// sandbox.
func (s SandboxRunner) Run(ctx context.Context, program string) (string, error) {
	if len(program) > sandbox.MaxProgram {
		return "", &ProgramError{Outcome: OverLimit, Message: fmt.Sprintf("the program has %d bytes, at most %d are run", len(program), sandbox.MaxProgram)}
	}
	r, err := s.Box.Run(ctx, program)
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
