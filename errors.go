package ein

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ein/bind"
	"ein/internal/codes"
	"ein/internal/lists"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm/cost"
)

// Error is why a program could not be compiled, bound or run: what Compile, Load, Bind, Machine and
// Run return, unless the host passed a nil context or a program that has errors.
type Error struct {
	File  *source.File // of what is in the text of the program
	Diags diag.List
	Err   error // the cause, if there is one
}

// Class returns the kind of the error. If nothing but its size is wrong with a program, that is a
// limit.
func (e *Error) Class() diag.Class { return e.Diags.Class() }

// Error returns the first error, with its place.
func (e *Error) Error() string {
	d := e.Diags.First()
	if d == nil {
		return e.Class().String()
	}
	s := string(d.Code) + ": " + d.Shown().Message
	if at := d.Place(e.File).String(); at != "" {
		s = at + ": " + s
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

var (
	errNoProgram = errors.New("there is no program: it was not compiled, or Compile returned its errors")
	errNoContext = errors.New("the context is nil: context.Background() never ends")
)

// match compares the inputs of a program with the given ones.
func (p *Program) match(declared []bind.Declared, given []Input) error {
	if p.checked == nil && p.code == nil {
		return errNoProgram
	}
	names := lists.Map(declared, func(d bind.Declared) string { return d.Name })
	fail := func(code diag.Code, message, hint string) error {
		return &Error{Diags: diag.List{diag.Finding(code, diag.Error, p.name, 0, 0, message, hint)}}
	}
	for i, in := range given {
		if err, ok := in.Data.(error); ok {
			return fail(codes.E0701, err.Error(), "")
		}
		if slices.ContainsFunc(given[:i], func(x Input) bool { return x.Name == in.Name }) {
			return fail(codes.E0705, fmt.Sprintf("the input `%s` is bound twice", in.Name), "")
		}
		if slices.Contains(names, in.Name) {
			continue
		}
		return fail(codes.E0705, fmt.Sprintf("the program has no input `%s`", in.Name), bind.Meant(in.Name, names))
	}
	missing := &Error{File: p.Source()}
	for i, d := range declared {
		if slices.ContainsFunc(given, func(in Input) bool { return in.Name == d.Name }) {
			continue
		}
		message := fmt.Sprintf("the input `%s` is not bound to any data", d.Name)
		hint := fmt.Sprintf("Bind a %s: `--input %[2]s=FILE` on the command line, `%[2]s=...` in Python, `ein.Data(%[2]q, ...)` in Go, `inputs` in a request.", d.Kind, d.Name)
		lack := diag.Finding(codes.E0703, diag.Error, p.name, 0, 0, message, hint)
		if p.file != nil {
			lack.At, lack.Span = nil, p.checked.Inputs[i].Span
		}
		missing.Diags = append(missing.Diags, lack)
	}
	if missing.Diags != nil {
		return missing
	}
	return nil
}

// failed is an error with its place in the text of the program or, for bytecode, the name of the
// statement. It includes the warnings, as they may be the reason.
func (p *Program) failed(d diag.Diagnostic, err error) *Error {
	e := &Error{p.Source(), append(diag.List{p.place(d)}, p.diags...), err}
	e.Diags.Sort()
	return e
}

// place gives a diagnostic its place.
func (p *Program) place(d diag.Diagnostic) diag.Diagnostic {
	if p.file != nil {
		return d
	}
	message := d.Message
	for _, s := range p.code.Stmts {
		if int(s.Pos.Start) <= d.Span.Start && d.Span.End <= int(s.Pos.End) {
			message = fmt.Sprintf("in the statement `%s`: %s", s.Name, message)
			break
		}
	}
	return diag.Finding(d.Code, d.Severity, p.name, 0, 0, message, strings.Join(d.Notes, " "))
}

// stopped is the error of work other than a run when its context ends.
func (p *Program) stopped(ctx context.Context, when string) *Error {
	cause := context.Cause(ctx)
	return &Error{Err: cause, Diags: diag.List{diag.Finding(codes.E0533, diag.Error, "", 0, 0, describe.Reason(cause)+", "+when, "")}}
}

// Refuse returns the error of a program that needs more than it may use.
func (p *Program) Refuse(e *cost.LimitError) *Error {
	d, _ := describe.Refused(e)
	return p.failed(d, e)
}

// failedRun is the error of a run that was stopped, shown at its statement, or that found a mistake.
func (p *Program) failedRun(err error, done uint64) error {
	d, ok := describe.Failed(err, done, p.module.Certificate.Ops)
	if !ok {
		return err
	}
	if d.Code == codes.E0601 {
		d.Related = p.origin(d.Span)
	}
	return p.failed(d, err)
}

// origin is the statement that defines the tensor printed at a place.
func (p *Program) origin(at source.Span) []diag.Related {
	if p.checked == nil {
		return nil
	}
	for _, o := range p.checked.Outputs {
		if o.Span != at {
			continue
		}
		for _, s := range slices.Backward(p.checked.Statements) {
			if s.Name == o.Name && s.Span != o.Span {
				return []diag.Related{{Span: s.Span, Message: "computed here"}}
			}
		}
	}
	return nil
}

// Note adds notes to the diagnostics of a code.
func (e *Error) Note(code diag.Code, notes ...string) {
	for i := range e.Diags {
		if e.Diags[i].Code == code {
			e.Diags[i].Notes = append(slices.Clip(e.Diags[i].Notes), notes...)
		}
	}
}
