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
	set := question(t, "set_intersect", category.Set, `["b"]`, "a", "b", "c")
	node := question(t, "degree_max", category.String, `"b"`, "a", "b", "c")
	yes := question(t, "reachability", category.Boolean, "true", "a", "b")
	mean := question(t, "mixed_domain", category.Float, "0.5", "a", "b")
	both := question(t, "multi_query", category.Compound, `{"reachable":true,"degree":2}`, "a", "b")
	for _, c := range []struct {
		q       *Question
		out     string
		err     error
		outcome answer.Outcome
		answer  string
	}{
		{count, "2\n", nil, answer.StrictlyRight, "2"},
		{count, "3", nil, answer.LenientOnly, "3"},
		{count, "7", nil, answer.Wrong, "7"},
		{count, `"2"`, nil, BadOutput, ""},
		{count, "true", nil, BadOutput, ""},
		{count, "2\n2\n", nil, BadOutput, ""},
		{count, "", nil, BadOutput, ""},
		{set, "[1, 1]", nil, answer.StrictlyRight, `["b"]`},
		{set, "[1, 0]", nil, answer.LenientOnly, `["a","b"]`},
		{set, "[]", nil, answer.Wrong, "[]"},
		{set, "null", nil, BadOutput, ""},
		{set, "[3]", nil, BadOutput, ""},
		{set, `["b"]`, nil, BadOutput, ""},
		{node, "1", nil, answer.StrictlyRight, `"b"`},
		{node, "null", nil, BadOutput, ""},
		{node, "-1", nil, BadOutput, ""},
		{yes, "true", nil, answer.StrictlyRight, "true"},
		{yes, "1", nil, BadOutput, ""},
		{mean, "0.505", nil, answer.StrictlyRight, "0.505"},
		{mean, "NaN", nil, BadOutput, ""},
		{both, `{"reachable": true, "degree": 2}`, nil, answer.StrictlyRight, `{"reachable": true, "degree": 2}`},
		{both, "[true, 2]", nil, BadOutput, ""},
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
