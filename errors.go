package ein

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ein/bind"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm"
	"ein/vm/cost"
	"ein/vm/ir"
)

// Class says what kind of thing is wrong.
type Class string

// The classes: the program, a limit, what only a run can find, the data.
const (
	CheckError   Class = "check"
	LimitError   Class = "limit"
	RuntimeError Class = "runtime"
	InputError   Class = "input"
)

// Error is why a program could not be compiled, bound or run.
type Error struct {
	Class Class
	File  *source.File // of Diags
	Diags diag.List
	Data  []diag.JSONDiagnostic // what has its place in a data file, or nowhere
	Err   error                 // the cause, if there is one
}

// Error is the first error, with its place.
func (e *Error) Error() string {
	list := e.Data
	if e.File != nil {
		list = append(diag.ToJSON(e.Diags, e.File), list...)
	}
	for _, d := range list {
		if d.Severity != diag.Error.String() {
			continue
		}
		var at strings.Builder
		at.WriteString(d.File)
		for _, n := range []int{d.Start.Line, d.Start.Column} {
			if n > 0 {
				fmt.Fprintf(&at, ":%d", n)
			}
		}
		if at.Len() > 0 {
			at.WriteString(": ")
		}
		return at.String() + string(d.Code) + ": " + d.Message
	}
	return string(e.Class)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrong is the error of a program that does not check. When all that is wrong with
// it is its size, a limit has refused it.
func Wrong(f *source.File, list diag.List) *Error {
	e := &Error{Class: LimitError, File: f, Diags: list}
	for i := range list {
		if list[i].Severity == diag.Error && !strings.HasPrefix(string(list[i].Code), "E05") {
			e.Class = CheckError
		}
	}
	return e
}

// match compares the inputs of a program with those that are given.
func (p *Program) match(declared []bind.Declared, given []Input) error {
	names := make([]string, len(declared))
	for i, d := range declared {
		names[i] = d.Name
	}
	fail := func(code diag.Code, message, hint string) error {
		return &Error{Class: InputError, Data: []diag.JSONDiagnostic{diag.Finding(code, diag.Error, p.name, 0, 0, message, hint)}}
	}
	for i, in := range given {
		if err, ok := in.Data.(error); ok {
			return fail("E0701", err.Error(), "")
		}
		if slices.ContainsFunc(given[:i], func(x Input) bool { return x.Name == in.Name }) {
			return fail("E0705", fmt.Sprintf("the input `%s` is bound twice", in.Name), "")
		}
		if slices.Contains(names, in.Name) {
			continue
		}
		hint := "The program declares no inputs."
		if near, ok := diag.Suggest(in.Name, names); ok {
			hint = fmt.Sprintf("Did you mean `%s`?", near)
		} else if len(names) > 0 {
			hint = "Its inputs are " + strings.Join(names, ", ") + "."
		}
		return fail("E0705", fmt.Sprintf("the program has no input `%s`", in.Name), hint)
	}
	missing := &Error{Class: InputError}
	for i, d := range declared {
		if slices.ContainsFunc(given, func(in Input) bool { return in.Name == d.Name }) {
			continue
		}
		message := fmt.Sprintf("the input `%s` is not bound to any data", d.Name)
		hint := fmt.Sprintf("Bind it on the command line: `--input %s=FILE`, a %s.", d.Name, d.Kind)
		if p.file == nil {
			missing.Data = append(missing.Data, diag.Finding("E0703", diag.Error, p.name, 0, 0, message, hint))
			continue
		}
		missing.File = p.file.Source
		missing.Diags = append(missing.Diags, diag.Diagnostic{Code: "E0703", Span: p.checked.Inputs[i].Span, Message: message, Notes: []string{hint}})
	}
	if missing.Diags != nil || missing.Data != nil {
		return missing
	}
	return nil
}

// failed is an error with a place in the program: in its text, or, of bytecode,
// in the statement by name. The warnings come with it: they may be the reason.
func (p *Program) failed(class Class, pos ir.Pos, d diag.Diagnostic, err error) *Error {
	e := &Error{Class: class, Err: err}
	e.Diags, e.Data = p.place(pos, d)
	e.Diags = append(e.Diags, p.diags...)
	e.Diags.Sort()
	e.Data = append(e.Data, p.data...)
	e.File = p.Source()
	return e
}

// place gives a diagnostic its place.
func (p *Program) place(pos ir.Pos, d diag.Diagnostic) (diag.List, []diag.JSONDiagnostic) {
	if p.file != nil {
		d.Span = source.Span{Start: int(pos.Start), End: int(pos.End)}
		return diag.List{d}, nil
	}
	message := d.Message
	for _, s := range p.code.Stmts {
		if s.Pos.Start <= pos.Start && pos.End <= s.Pos.End {
			message = fmt.Sprintf("in the statement `%s`: %s", s.Name, message)
			break
		}
	}
	return nil, []diag.JSONDiagnostic{diag.Finding(d.Code, d.Severity, p.name, 0, 0, message, strings.Join(d.Notes, " "))}
}

// stopped is work other than a run that a context has ended.
func (p *Program) stopped(ctx context.Context, when string) *Error {
	return &Error{Class: LimitError, Err: context.Cause(ctx), Data: []diag.JSONDiagnostic{
		diag.Finding("E0533", diag.Error, "", 0, 0, Reason(ctx)+", "+when, "")}}
}

// Reason says why a context has ended.
func Reason(ctx context.Context) string {
	switch err := context.Cause(ctx); {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit is over"
	default:
		return err.Error()
	}
}

// Refuse is the error of a program that needs more than it may use.
func (p *Program) Refuse(e *cost.LimitError) *Error {
	d, _ := describe.Refused(e)
	return p.failed(LimitError, e.Pos, d, e)
}

// failedRun is a run that was stopped, shown at the statement it was in, or that
// found something wrong.
func (p *Program) failedRun(ctx context.Context, err error, done uint64) error {
	var stopped *vm.Stopped
	var wrong *vm.RuntimeError
	switch {
	case errors.As(err, &stopped):
		return p.failed(LimitError, stopped.Pos, diag.Diagnostic{Code: "E0533", Label: "it was here",
			Message: fmt.Sprintf("%s: the run was stopped after %s of at most %s operations", Reason(ctx), describe.Count(done), describe.Count(p.module.Certificate.Ops))}, err)
	case errors.As(err, &wrong):
		d := describe.RunTime(wrong)
		if wrong.Kind == vm.NotFinite {
			d.Related = p.origin(wrong.Pos)
		}
		return p.failed(RuntimeError, wrong.Pos, d, err)
	}
	return err
}

// origin is the statement that defines the tensor which is printed at a place.
func (p *Program) origin(at ir.Pos) []diag.Related {
	if p.checked == nil {
		return nil
	}
	for _, o := range p.checked.Outputs {
		if o.Span.Start != int(at.Start) || o.Span.End != int(at.End) {
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

// Note adds sentences to what is said under a code.
func (e *Error) Note(code diag.Code, notes ...string) {
	for i := range e.Diags {
		if e.Diags[i].Code == code {
			e.Diags[i].Notes = append(slices.Clip(e.Diags[i].Notes), notes...)
		}
	}
	for i := range e.Data {
		if e.Data[i].Code == code {
			e.Data[i].Notes = append(slices.Clip(e.Data[i].Notes), notes...)
		}
	}
}
