package verify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// python returns an interpreter with networkx, or ends the test.
func python(t *testing.T, limit time.Duration) *Interpreter {
	t.Helper()
	i, err := NewInterpreter(t.Context(), "python3", limit)
	if err != nil {
		t.Skip("needs a python3 with networkx: ", err)
	}
	t.Cleanup(i.Close)
	return i
}

func TestInterpreter(t *testing.T) {
	i := python(t, time.Minute)
	if i.NetworkX == "" || !strings.HasPrefix(i.Version, "3.") {
		t.Errorf("Python %s, networkx %s", i.Version, i.NetworkX)
	}
	for _, test := range []struct{ program, want string }{
		{"print(1)", "1\n"},
		{"x = 3\nprint([x, None])", "[3, None]\n"},
		{"print(x)", "error: NameError: name 'x' is not defined (line 1)"}, // a namespace of its own
		{"def f():\n  return 1 / 0\n\nf()", "error: ZeroDivisionError: division by zero (line 2)"},
		{"x = 1\n1 +\n", "error: SyntaxError: invalid syntax (line 2)"},
		{"import sys; sys.exit(3)", "error: SystemExit: 3"},
		{"import os; os.write(1, b'noise\\n'); print(2)", "2\n"},
		{"import sys; print(repr(sys.stdin.read()))", "''\n"},
		{"print('x' * 2000000)", "error: it printed 2000001 characters"},
		{"print('é\u2028\"')", "é\u2028\"\n"},
		{"if __name__ == '__main__': print(networkx if 'networkx' in globals() else 5)", "5\n"},
		{"", ""},
	} {
		got, err := i.Run(t.Context(), test.program)
		var wrong *ProgramError
		want, fails := strings.CutPrefix(test.want, "error: ")
		switch {
		case fails && (!errors.As(err, &wrong) || !strings.Contains(wrong.Reason, want)):
			t.Errorf("%q: error %v, want %s", test.program, err, want)
		case !fails && (err != nil || got != want):
			t.Errorf("%q: %q, %v", test.program, got, err)
		}
	}
}

// A program that brings the interpreter down, or does not end, does not keep the
// next one from running.
func TestInterpreterRestarts(t *testing.T) {
	i := python(t, 0)
	for program, want := range map[string]string{
		"import os; os._exit(7)":      "the interpreter crashed: exit status 7",
		"import os; os.abort()":       "the interpreter crashed",
		"while True: pass":            "it exceeded the limit of 2s",
		"import time; time.sleep(60)": "it exceeded the limit of 2s",
		"import sys, os; print('gone', file=sys.stderr); sys.stderr.flush(); os._exit(1)": "exit status 1: gone",
	} {
		if i.limit = time.Minute; strings.Contains(want, "limit") {
			i.limit = 2 * time.Second
		}
		var wrong *ProgramError
		if _, err := i.Run(t.Context(), program); !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, want) {
			t.Errorf("%s: %v, want %s", program, err, want)
		}
		i.limit = time.Minute
		if got, err := i.Run(t.Context(), "print(1)"); err != nil || got != "1\n" {
			t.Errorf("after %s: %q, %v", program, got, err)
		}
	}
}

func TestInterpreterIsGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many interpreters")
	}
	i := python(t, time.Minute)
	for n := 1; ; n++ {
		_, err := i.Run(t.Context(), "import os; os._exit(7)")
		var broken *Unavailable
		if !errors.As(err, &broken) {
			if n > failuresInARow {
				t.Fatal("it goes on for ever")
			}
			continue
		}
		if n != failuresInARow || !broken.Broken || !strings.Contains(broken.Reason, "10 programs in a row") {
			t.Errorf("after %d programs: %v", n, err)
		}
		return
	}
}

func TestInterpreterIsCancelled(t *testing.T) {
	i := python(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := i.Run(ctx, "while True: pass"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := i.Run(t.Context(), "print(1)"); err != nil || got != "1\n" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

// script returns an executable file.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	name := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestUnavailable(t *testing.T) {
	for _, test := range []struct{ python, want string }{
		{"no-such-python", "no-such-python cannot be started: executable file not found"},
		{filepath.Join(t.TempDir(), "python3"), "cannot be started"},
		{script(t, "echo 'command not found' >&2; exit 127\n"), "did not start: exit status 127: command not found"},
		{script(t, "echo hello\n"), `is not a Python interpreter: it printed "hello\n"`},
		{script(t, `echo '{"python":"3.9.1","executable":"/x","missing":"No module named networkx"}'`), "Python 3.9.1, /x) has no networkx: No module named networkx"},
	} {
		_, err := NewInterpreter(t.Context(), test.python, time.Second)
		var missing *Unavailable
		if !errors.As(err, &missing) || missing.Broken || !strings.Contains(missing.Reason, test.want) {
			t.Errorf("%s: %v, want %s", test.python, err, test.want)
			continue
		}
		if help := missing.Help(); !strings.Contains(help, "apt install python3 python3-networkx") {
			t.Error(help)
		}
	}
}

// A Python without networkx, when there is one: -S takes away the packages.
func TestNoNetworkX(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs a python3")
	}
	_, err := NewInterpreter(t.Context(), script(t, `exec python3 -S "$@"`+"\n"), time.Minute)
	var missing *Unavailable
	if !errors.As(err, &missing) || !strings.Contains(missing.Reason, "has no networkx: No module named 'networkx'") {
		t.Error(err)
	}
}
