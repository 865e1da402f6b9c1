package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"ein"
	"ein/internal/codes"
	"ein/lang/diag"
	"ein/lang/source"
)

// colorMode is the value of --color.
type colorMode int

const (
	colorAuto colorMode = iota
	colorAlways
	colorNever
)

var colorNames = []string{"auto", "always", "never"}

func (c *colorMode) String() string { return colorNames[*c] }
func (c *colorMode) Type() string   { return "when" }

// Set implements the flag.
func (c *colorMode) Set(s string) error {
	i := slices.Index(colorNames, s)
	if i < 0 {
		return fmt.Errorf("expected auto, always or never")
	}
	*c = colorMode(i)
	return nil
}

// colored decides whether diagnostics have colour. The flag goes before the
// environment, a wish for none before one for some, and both before what the
// terminal is.
func (a *app) colored() bool {
	set := func(name string) bool { v := a.env(name); return v != "" && v != "0" }
	switch {
	case a.color != colorAuto:
		return a.color == colorAlways
	case a.env("NO_COLOR") != "":
		return false
	case set("CLICOLOR_FORCE") || set("FORCE_COLOR"):
		return true
	}
	return a.terminal && a.env("TERM") != "dumb"
}

func (a *app) text() diag.Text { return diag.Text{Color: a.colored(), Columns: a.columns} }

// finding is a diagnostic whose place is not in the text of the program: in a
// data file, or nowhere.
type finding = diag.Diagnostic

var newFinding = diag.Finding

// problem is why a command could not do its work, and its exit code.
type problem struct {
	*wrong
	exit int
}

type wrong = ein.Error // under a name that leaves its method Error to be promoted

// problemOf is an error with the exit code of its class.
func problemOf(e *ein.Error) *problem {
	p := &problem{e, exitWrong}
	if e.Class() == diag.Limit {
		p.exit = exitLimit
	} else if d := e.Diags.First(); d != nil && d.Code == codes.E0705 { // a flag for what the program does not have
		p.exit = exitUsage
	}
	return p
}

// programProblem is a program that does not check.
func programProblem(f *source.File, list diag.List) *problem {
	return problemOf(&ein.Error{File: f, Diags: list})
}

// inputProblem is data, or a file, that cannot be used.
func inputProblem(list ...finding) *problem { return problemOf(&ein.Error{Diags: list}) }

// serious is the diagnostics of a list without the notes.
func serious(list diag.List) diag.List {
	var out diag.List
	for i := range list {
		if list[i].Severity != diag.Note {
			out = append(out, list[i])
		}
	}
	return out
}

// fail reports why a command could not do its work, unless that has been told.
func (a *app) fail(err error) error { return status(a.failCode(err)) }

// failCode is fail that gives the exit code.
func (a *app) failCode(err error) int {
	var told status
	if errors.As(err, &told) {
		return int(told)
	}
	var p *problem
	var e *ein.Error
	switch {
	case errors.As(err, &p):
	case errors.As(err, &e):
		p = problemOf(e)
	default:
		a.printf("ein: %v\n", err)
		return exitWrong
	}
	p.Diags = serious(p.Diags)
	a.report(p.File, p.Diags)
	if a.json {
		if err := a.writeError(p.Class(), p.File, p.Diags); err != nil {
			return a.failCode(a.wrote(err))
		}
	}
	return p.exit
}

// worse is the exit code of two pieces of work: a wrong one counts for more than
// one that a limit has stopped.
func worse(a, b int) int {
	if a == exitOK || b == exitWrong {
		return b
	}
	return a
}

// report writes diagnostics to standard error.
func (a *app) report(f *source.File, list diag.List) { _ = a.text().Render(a.err, list, f) }

// writeError writes the JSON object of a failure.
func (a *app) writeError(class diag.Class, f *source.File, list diag.List) error {
	type failure struct {
		Class       string                `json:"class"`
		Diagnostics []diag.JSONDiagnostic `json:"diagnostics"`
	}
	return writeJSON(a.out, struct {
		Version int     `json:"version"`
		Error   failure `json:"error"`
	}{max(a.version, 1), failure{class.String(), diag.ToJSON(list, f)}})
}

// writeJSON writes one line of JSON. Names in Ein are full of < and >, which
// stay as they are.
func writeJSON(w io.Writer, v any) error {
	b, err := compactJSON(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

func compactJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
