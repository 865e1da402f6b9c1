package describe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ein/internal/codes"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
)

// Refused returns the diagnostic of a program that needs more than it may use, and the
// flag that sets the limit. What to do about it is the caller's to add.
func Refused(e *cost.LimitError) (d diag.Diagnostic, flag string) {
	amount := func(n uint64) string { return words.Plural(n, strings.TrimSuffix(e.What, "s")) }
	what := ""
	switch e.What {
	case "bytes":
		d.Code, flag, what = codes.E0530, "--max-memory", " of memory"
		amount = func(n uint64) string {
			s := words.Plural(n, "byte")
			if n >= 1<<10 {
				s += " (" + words.Bytes(n) + ")"
			}
			return s
		}
	case "operations":
		d.Code, flag = codes.E0531, "--max-ops"
	default:
		d.Code, flag = codes.E0532, "--max-output"
	}
	d.Message = fmt.Sprintf("the program needs up to %s%s, the limit is %s", amount(e.Need), what, amount(e.Max))
	d.Span = Span(e.Pos)
	if e.Name != "" {
		d.Label = "up to " + amount(e.Part)
		d.Notes = []string{fmt.Sprintf("Most of it is for `%s`.", e.Name)}
	}
	if e.Metered {
		d.Notes = append(d.Notes, "It usually takes far less, so it is metered; it is refused because limits are strict.")
	}
	if e.Reading > e.Part {
		d.Label, d.Notes = "", []string{fmt.Sprintf("Reading the program and its data takes %s of it.", amount(e.Reading))}
	}
	if e.What == "bytes" && e.Max >= vm.MaxBytes {
		d.Notes = append(d.Notes, "No run may take more, whatever `--max-memory` says.")
	}
	return d, flag
}

// runtimeCodes are the codes of vm's kinds of errors, in their order.
var runtimeCodes = [...]codes.Code{codes.E0601, codes.E0602, codes.E0603, codes.E0604, codes.E0606, codes.E0607, codes.E0608, codes.E0632, codes.E0633}

// Failed returns the diagnostic of a run that went wrong, or was stopped after so many
// operations of those certified. It is not ok for any other error.
func Failed(err error, done, most uint64) (d diag.Diagnostic, ok bool) {
	var stopped *vm.Stopped
	var wrong *vm.RuntimeError
	var over *vm.Exceeded
	switch {
	case errors.As(err, &stopped):
		return *diag.New(codes.E0533, Span(stopped.Pos), "%s: the run was stopped after %s of at most %s", Reason(stopped.Cause), words.Count(done), words.Plural(most, "operation")).
			Labelled("it was here"), true
	case errors.As(err, &over):
		so, most := "", ""
		if over.Sofar != "" {
			so = over.Sofar + " so far"
		}
		if over.Most > over.Max { // the certificate knows nothing of proofs
			most = "; it can take up to " + words.Count(over.Most)
		}
		return *diag.New(codes.E0534, Span(over.Pos), "the run was stopped at the limit of %s%s; the exact number depends on the data", words.Plural(over.Max, strings.TrimSuffix(over.What, "s")), most).
			Labelled(so), true
	case errors.As(err, &wrong):
		d = *diag.New(runtimeCodes[wrong.Kind], Span(wrong.Pos), "%s", wrong.Message)
		if wrong.Hint != "" {
			d.Notes = []string{strings.ToUpper(wrong.Hint[:1]) + wrong.Hint[1:] + "."}
		}
		return d, true
	}
	return d, false
}

// Warning returns the diagnostic of what a run noticed.
func Warning(w vm.Warning) diag.Diagnostic {
	return *diag.New(codes.W0605, Span(w.Pos), "%s", w.Message)
}

// Reason returns the cause of a context that has ended, for people.
func Reason(cause error) string {
	switch {
	case errors.Is(cause, context.Canceled):
		return "interrupted"
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time limit is over"
	}
	return cause.Error()
}

// Span is the place in the text of an operation.
func Span(p ir.Pos) source.Span { return source.Span{Start: int(p.Start), End: int(p.End)} }
