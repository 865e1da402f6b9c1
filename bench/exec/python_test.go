package exec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ein/bench/answer"
	"ein/bench/category"
)

type runner func(program string) (string, error)

func (r runner) Run(_ context.Context, program string) (string, error) { return r(program) }

// TestPython has what a sandbox gives for every outcome.
func TestPython(t *testing.T) {
	count := question(t, "reach_then_count", category.Integer, "2", "a", "b", "c")
	for _, c := range []struct {
		q       *Question
		out     string
		err     error
		outcome answer.Outcome
		answer  string
	}{
		{count, "2", &ProgramError{OverLimit, "too long"}, OverLimit, ""},
		{count, "2", &ProgramError{RuntimeError, "failed"}, RuntimeError, ""},
		{count, "2", errors.New("no sandbox"), answer.InfraError, ""},
	} {
		r, err := RunPython(context.Background(), runner(func(program string) (string, error) {
			if program != "print()\n" {
				t.Errorf("runs %q", program)
			}
			return c.out, c.err
		}), "```python\nprint()\n```", c.q)
		if err != nil || r.Outcome != c.outcome || string(r.Answer) != c.answer || r.Failed() != (r.Answer == nil) {
			t.Errorf("%s %q: %+v, %v", c.q.Type, c.out, r, err)
		}
	}
	for _, v := range vectors(t, "printed.jsonl") {
		r, err := RunPythonProgram(context.Background(), runner(func(string) (string, error) { return v.Prints, nil }), "print()", v.question(t))
		if err != nil || r.Outcome != v.Outcome || !same(r.Answer, v.Answer) {
			t.Errorf("%s %q: %+v, %v", v.Type, v.Prints, r, err)
		}
	}
	never := runner(func(string) (string, error) {
		t.Error("it was run")
		return "", nil
	})
	for reply, want := range map[string]answer.Outcome{" ": answer.NoAnswer, "```python\n```": NoProgram, strings.Repeat("x", answer.MaxReply+1): OverLimit} {
		if r, err := RunPython(context.Background(), never, reply, count); err != nil || r.Outcome != want {
			t.Errorf("%.20q: %+v, %v", reply, r, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RunPython(ctx, never, "print()", count); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
