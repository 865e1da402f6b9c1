// Package diag holds diagnostics and renders them.
//
// A [Diagnostic] says what is wrong, where, why, and how to fix it ([Fix]). A phase fills one in and
// never formats it; a renderer ([Text] for people, [Compact], [JSON] and [SARIF]) never decides what to
// say. So all front ends say the same, and a test of a phase needs no terminal.
//
// The parts have a fixed role. Message is one line: what was found and what was expected, with names
// as the user wrote them, in backquotes. Label stands beside the carets, Related names other places,
// and Notes say why and what to do, in whole sentences. A Fix is edits to the text; one that may not be
// what the author meant is a Guess, and is never made unasked ([List.Certain]). Code and class come
// from package codes; the class alone decides the outcome of a program and the exit code. Each code
// has a page in the folder explain ([Explain]).
//
// # Invariants
//
// What a program or a file holds may be long or hostile, so renderers show [Diagnostic.Shown], which
// cuts words in the middle and takes out what a terminal would obey; edits stay whole. A place is a Span
// of bytes in the text of the program, or At, for data, which has no text here. Phases collect findings
// in any order, and [List.Sort] puts them in that of the text.
package diag

import (
	"slices"
	"sort"

	"ein/internal/codes"
	"ein/lang/source"
)

// Severity says what a diagnostic means for the program.
type Severity uint8

// The severities, most serious first. A program with an Error does not run.
const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is one thing that is wrong or worth knowing, of any phase: in the text
// of a program, in its data, or in its run.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Message  string           // one line, no final period: what was found, what was expected
	Span     source.Span      // where
	At       *source.Position // where instead, if that is not in the text of the program
	Label    string           // short text beside the carets; may be empty
	Related  []Related        // other places that take part
	Notes    []string         // whole sentences: why, sizes, hints
	Fixes    []Fix            // edits that would fix it
}

// Related is another place that a diagnostic refers to.
type Related struct {
	Span    source.Span
	Message string
}

// Fix is a named set of edits to the same file.
type Fix struct {
	Title string
	Edits []Edit
	Guess bool // the author may have meant something else: not to be made unasked
}

// Edit replaces the text of Span by NewText.
type Edit struct {
	Span    source.Span
	NewText string
}

// Finding returns a diagnostic whose place is not in the text of a program. Where it is called
// copies of it would be 10 KB.
//
//go:noinline
func Finding(code Code, severity Severity, file string, line, column int, message, hint string) Diagnostic {
	d := Diagnostic{Code: code, Severity: severity, Message: message, At: &source.Position{File: file, Line: line, Column: column}}
	if hint != "" {
		d.Notes = []string{hint}
	}
	return d
}

// Place returns where the diagnostic is, in a file of its own or in the program.
func (d *Diagnostic) Place(f *source.File) source.Position {
	if d.At != nil {
		return *d.At
	}
	return f.Position(d.Span.Start)
}

// List is diagnostics in the order they were found. Those with a Span are about one
// file.
type List []Diagnostic

// First returns the error that decides what a list means: the first that is not about a limit,
// otherwise the first. It is nil if there is none.
func (l List) First() *Diagnostic {
	var first *Diagnostic
	for i := range l {
		d := &l[i]
		if d.Severity == Error && (first == nil || first.Code.Class() == Limit) {
			first = d
			if d.Code.Class() != Limit {
				break
			}
		}
	}
	return first
}

// Class returns the class of the First error; a list without errors has none.
func (l List) Class() Class {
	if first := l.First(); first != nil {
		return first.Code.Class()
	}
	return Input
}

// HasErrors reports whether any diagnostic is an Error.
func (l List) HasErrors() bool { return l.First() != nil }

// Told returns a copy without the notes on a program, which only editors show. It keeps those on
// data, which say how it was read, and those on what was corrected.
func (l List) Told() List {
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Severity == Note && d.At == nil && d.Code != codes.N0116 })
}

// Sort orders the list by place, then severity, then code. What is not in the text comes last, and
// equal entries keep their order.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := &l[i], &l[j]
		if a.At != nil || b.At != nil {
			return a.At == nil
		}
		if a.Span.Start != b.Span.Start {
			return a.Span.Start < b.Span.Start
		}
		if a.Severity != b.Severity {
			return a.Severity < b.Severity
		}
		return a.Code < b.Code
	})
}
