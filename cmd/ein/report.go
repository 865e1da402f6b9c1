package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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

// The classes of failures in JSON output.
const (
	classCheck    = "check"
	classLimit    = "limit"
	classRuntime  = "runtime"
	classInput    = "input"
	classInternal = "internal"
)

// finding is a diagnostic whose place is not in the text of the program: in a
// data file, or nowhere. A line or an offset that is not known is -1.
type finding = diag.JSONDiagnostic

func newFinding(code diag.Code, severity diag.Severity, file string, line, column int, message, hint string) finding {
	at := diag.JSONPosition{Line: -1, Column: -1, Offset: -1}
	if line > 0 {
		at.Line = line
	}
	if column > 0 {
		at.Column = column
	}
	f := finding{File: file, Code: code, Severity: severity.String(), Message: message, Start: at, End: at, Notes: []string{}, Fixes: []diag.JSONFix{}}
	if hint != "" {
		f.Notes = append(f.Notes, hint)
	}
	return f
}

// problem is why a command could not do its work.
type problem struct {
	class string
	exit  int
	file  *source.File
	list  diag.List // with places in file
	data  []finding
}

func (p *problem) Error() string { return p.class }

// programProblem is a program that does not check. When all that is wrong with
// it is its size, a limit has refused it.
func programProblem(f *source.File, list diag.List) *problem {
	p := &problem{class: classLimit, exit: exitLimit, file: f, list: list}
	for i := range list {
		if list[i].Severity == diag.Error && !strings.HasPrefix(string(list[i].Code), "E05") {
			p.class, p.exit = classCheck, exitWrong
		}
	}
	return p
}

// inputProblem is data, or a file, that cannot be used.
func inputProblem(data ...finding) *problem {
	return &problem{class: classInput, exit: exitWrong, data: data}
}

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
	if !errors.As(err, &p) {
		a.printf("ein: %v\n", err)
		return exitWrong
	}
	a.report(p.file, p.list, p.data)
	if a.json {
		if err := a.writeError(p); err != nil {
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
func (a *app) report(f *source.File, list diag.List, data []finding) {
	if len(list) > 0 {
		_ = a.text().Render(a.err, list, f)
	}
	for i := range data {
		if i > 0 || len(list) > 0 {
			a.printf("\n")
		}
		a.printf("%s", a.text().Finding(&data[i]))
	}
}

// writeError writes the JSON object of a failure.
func (a *app) writeError(p *problem) error {
	type failure struct {
		Class       string    `json:"class"`
		Diagnostics []finding `json:"diagnostics"`
	}
	all := []finding{}
	if p.file != nil {
		all = diag.ToJSON(p.list, p.file)
	}
	return writeJSON(a.out, struct {
		Version int     `json:"version"`
		Error   failure `json:"error"`
	}{max(a.version, 1), failure{p.class, append(all, p.data...)}})
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
