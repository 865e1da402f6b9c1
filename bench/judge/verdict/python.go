package verdict

import (
	"context"
	"errors"

	"ein/bench/question/answer"
)

// Runner runs Python programs in a sandbox and returns what they print. A failure of the program
// is a *ProgramError; every other error is a failure of the sandbox.
type Runner interface {
	Run(ctx context.Context, program string) (stdout string, err error)
}

// ProgramError is a failure of the program itself.
type ProgramError struct {
	Outcome answer.Outcome // OverLimit, ParseError or RuntimeError
	Message string
}

func (e *ProgramError) Error() string { return e.Message }

// runs returns the verdict on a program. It fails only when the context ends.
type runs func(ctx context.Context, program string, q *Question) (Verdict, error)

// inside runs Python programs and scores what they print. It tells failures of the program from
// those of the sandbox, which are not the model's fault.
func inside(sandbox Runner) runs {
	return func(ctx context.Context, program string, q *Question) (Verdict, error) {
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
		r, err := answer.Printed(out, &q.Reference, q.Type, q.Category)
		if err != nil {
			return v.fail(BadOutput, err.Error()), nil
		}
		v.Result, v.printed = r, out
		return v, nil
	}
}
