package exec

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ein/bench/sandbox"
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
	r := SandboxRunner(box)
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

// TestMemo runs each program once, unless what came of it may be the machine's doing.
func TestMemo(t *testing.T) {
	runs := 0
	m := &memo{seen: map[[sha256.Size]byte]ran{}, run: func(_ context.Context, program string) (string, error) {
		runs++
		switch program {
		case "wrong":
			return "", &ProgramError{Outcome: RuntimeError, Message: "no"}
		case "slow":
			return "", &ProgramError{Outcome: OverLimit, Message: "timeout"}
		case "broken":
			return "", errors.New("no sandbox")
		case "long":
			return strings.Repeat("1", mostOutput+1), nil
		}
		return program, nil
	}}
	for _, c := range []struct {
		program string
		runs    int
	}{{"1", 1}, {"2", 1}, {"wrong", 1}, {"slow", 3}, {"broken", 3}, {"long", 3}} {
		runs = 0
		first, firstErr := m.Run(t.Context(), c.program)
		for range 2 {
			if out, err := m.Run(t.Context(), c.program); out != first || fmt.Sprint(err) != fmt.Sprint(firstErr) {
				t.Errorf("%s: %q, %v", c.program, out, err)
			}
		}
		if runs != c.runs {
			t.Errorf("%s: %d runs", c.program, runs)
		}
	}
	for i := range 2 * mostRan {
		if _, err := m.Run(t.Context(), fmt.Sprint("x", i)); err != nil || len(m.seen) > mostRan {
			t.Fatal(len(m.seen), err)
		}
	}
}
