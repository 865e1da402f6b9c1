package verdict

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/prompt"
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
		r, err := reply(context.Background(), c.q, "```python\nprint()\n```", prompt.Python, inside(runner(func(program string) (string, error) {
			if program != "print()\n" {
				t.Errorf("runs %q", program)
			}
			return c.out, c.err
		})))
		if err != nil || r.Outcome != c.outcome || string(r.Answer) != c.answer || (r.Message != "") != (r.Answer == nil) {
			t.Errorf("%s %q: %+v, %v", c.q.Type, c.out, r, err)
		}
	}
	for _, v := range vectors(t, "printed.jsonl") {
		r, err := inside(runner(func(string) (string, error) { return v.Prints, nil }))(context.Background(), "print()", v.question(t))
		if err != nil || r.Outcome != v.Outcome || !same(r.Answer, v.Answer) {
			t.Errorf("%s %q: %+v, %v", v.Type, v.Prints, r, err)
		}
	}
	never := runner(func(string) (string, error) {
		t.Error("it was run")
		return "", nil
	})
	for text, want := range map[string]answer.Outcome{" ": answer.NoAnswer, "```python\n```": NoProgram, strings.Repeat("x", answer.MaxReply+1): OverLimit} {
		if r, err := reply(context.Background(), count, text, prompt.Python, inside(never)); err != nil || r.Outcome != want {
			t.Errorf("%.20q: %+v, %v", text, r, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(Options{Python: never}).Reply(ctx, count, &Line{Reply: "print()", Mode: prompt.Python}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
