package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ein/bench/exec"
	"ein/bench/sandbox"
)

// TestPythonRunner tells a program's failures apart, in the real sandbox.
func TestPythonRunner(t *testing.T) {
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
	r := pythonRunner{box}
	for _, c := range []struct{ program, out, outcome, message string }{
		{"print(3)", "3\n", "", ""},
		{"print(", "", string(exec.ParseError), "SyntaxError"},
		{"1/0", "", string(exec.RuntimeError), "ZeroDivisionError"},
		{"import os; os._exit(0)", "", string(exec.RuntimeError), "it failed"},
		{"print('x' * 1000000)", "", string(exec.OverLimit), "output"},
	} {
		out, err := r.Run(context.Background(), c.program)
		outcome, message := "", ""
		var wrong *exec.ProgramError
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
