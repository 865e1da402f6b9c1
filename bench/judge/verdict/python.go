package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ein/bench/question/answer"
	"ein/bench/question/category"
)

// Runner runs Python programs in a sandbox and gives what they print. What a
// program does wrong is a *ProgramError; every other error is one of the sandbox.
type Runner interface {
	Run(ctx context.Context, program string) (stdout string, err error)
}

// ProgramError is a failure that is the program's own.
type ProgramError struct {
	Outcome answer.Outcome // OverLimit, ParseError or RuntimeError
	Message string
}

func (e *ProgramError) Error() string { return e.Message }

// runs gives the verdict on a program. Its error is that of the context.
type runs func(ctx context.Context, program string, q *Question) (Verdict, error)

// inside runs Python programs and scores what they print.
func inside(sandbox Runner) runs {
	return func(ctx context.Context, program string, q *Question) (Verdict, error) {
		return runPython(ctx, sandbox, program, q)
	}
}

func runPython(ctx context.Context, sandbox Runner, program string, q *Question) (Verdict, error) {
	v := Verdict{Program: program}
	out, err := sandbox.Run(ctx, program)
	var wrong *ProgramError
	switch {
	case ctx.Err() != nil:
		return Verdict{}, context.Cause(ctx)
	case errors.As(err, &wrong):
		return v.fail(wrong.Outcome, wrong.Message), nil
	case err != nil:
		return v.fail(answer.InfraError, err.Error()), nil
	}
	text, err := printed(out, q)
	if err != nil {
		return v.fail(BadOutput, err.Error()), nil
	}
	r := q.match(text)
	if r.Outcome == answer.FormatError {
		return v.fail(BadOutput, fmt.Sprintf("it prints %.100s, which is no %s", text, q.Type)), nil
	}
	v.Result, v.printed = r, out
	return v, nil
}

// printed is the answer that a program prints: one JSON value, with the numbers of
// nodes in place of their labels.
func printed(out string, q *Question) (json.RawMessage, error) {
	if _, err := answer.Parse(out); err != nil {
		return nil, fmt.Errorf("it prints %.100q: %w", out, err)
	}
	text := json.RawMessage(bytes.TrimSpace([]byte(out)))
	switch q.Type {
	case category.Set:
		var nodes []int
		if err := json.Unmarshal(text, &nodes); err != nil || nodes == nil {
			return nil, fmt.Errorf("it prints %.100s, expected a list of the numbers of nodes", text)
		}
		seen := make([]bool, len(q.Labels))
		for _, x := range nodes {
			if x < 0 || x >= len(seen) {
				return nil, fmt.Errorf("%d is no node, expected 0 to %d", x, len(seen)-1)
			}
			seen[x] = true
		}
		v := answer.Value{Type: category.Set}
		for x, in := range seen {
			if in {
				v.Nodes = append(v.Nodes, x)
			}
		}
		return v.JSON(q.Labels), nil
	case category.String:
		var x *int
		if err := json.Unmarshal(text, &x); err != nil || x == nil || *x < 0 || *x >= len(q.Labels) {
			return nil, fmt.Errorf("it prints %.100s, expected the number of a node, 0 to %d", text, len(q.Labels)-1)
		}
		return answer.Value{Type: category.String, Node: *x}.JSON(q.Labels), nil
	}
	return text, nil
}
