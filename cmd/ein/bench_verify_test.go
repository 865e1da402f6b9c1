package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ein/bench/question/category"
	"ein/bench/question/verify"

	"ein/cmd/ein/internal/cli"
)

// madeFile returns a file of instances of every category.
func madeFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.jsonl")
	if code, _, stderr := command("", "bench", "generate", "--seed", "9", "--per-category", "1", "-o", name); code != cli.ExitOK {
		t.Fatal(stderr)
	}
	return name
}

// TestBenchVerify runs the Python programs as well.
func TestBenchVerify(t *testing.T) {
	python, err := verify.NewInterpreter(t.Context(), "python3", time.Minute)
	if err != nil {
		t.Skip("needs a python3 with networkx: ", err)
	}
	python.Close()
	name := madeFile(t)
	code, out, stderr := command("", "bench", "verify", name)
	if code != cli.ExitOK || !strings.Contains(out, "were run by Python 3.") || !strings.HasSuffix(out, "Everything that was checked agrees.\n") || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}

	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "import networkx as nx", "import os; os._exit(9)", 1)
	if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, _ = command("", "bench", "verify", name)
	for _, want := range []string{
		"a.jsonl:1: cb2-heldout-triangle_count-0-s9: the digest does not match the content",
		"regenerated from its id, it differs in python_program",
		"the Python program: the interpreter crashed: exit status 9",
		fmt.Sprintf("total                        %d       1          1    0      0       1", len(category.Table)),
	} {
		if code != cli.ExitWrong || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, out)
		}
	}
}

// TestNoPython is a machine without Python.
func TestNoPython(t *testing.T) {
	name := madeFile(t)
	t.Setenv("PATH", t.TempDir())
	code, out, stderr := command("", "bench", "verify", name)
	if code != cli.ExitOutside || !strings.Contains(out, "The Python programs were NOT run") || !strings.Contains(stderr, "python3 cannot be started") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}
