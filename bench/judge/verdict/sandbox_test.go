package verdict

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ein/bench/judge/sandbox"
)

// TestSandboxRunner tells a program's failures apart, in the real sandbox.
func TestSandboxRunner(t *testing.T) {
	if testing.Short() {
		t.Skip("the sandbox proves itself first, which takes seconds")
	}
	box, err := sandbox.Open(context.Background(), sandbox.Policy{Pool: 1})
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	r := &SandboxRunner{box: box}
	for _, c := range []struct{ program, out, outcome, message string }{
		{"print(3)", "3\n", "", ""},
		{"print(", "", string(ParseError), "SyntaxError"},
		{"1/0", "", string(RuntimeError), "ZeroDivisionError"},
		{"import os; os._exit(0)", "", string(RuntimeError), "it failed"},
		{"#" + strings.Repeat(" ", sandbox.MaxProgram), "", string(OverLimit), "at most 1048576"},
		{"print('x' * 1000000)", "", string(OverLimit), "output"},
	} {
		out, err := r.Run(context.Background(), c.program)
		outcome, message := "", ""
		var wrong *ProgramError
		switch {
		case errors.As(err, &wrong):
			outcome, message = string(wrong.Outcome), wrong.Message
		case err != nil:
			t.Fatal(err)
		}
		if out != c.out || outcome != c.outcome || !strings.Contains(message, c.message) {
			t.Errorf("%s: %q, %s, %s", c.program, out, outcome, message)
		}
	}
}
