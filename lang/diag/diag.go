// Package diag holds what the toolchain says about a program: diagnostics, the
// table of their codes, and the renderers that show them. Producers fill in a
// Diagnostic and never format one; renderers never decide what to say.
package diag

import (
	"sort"

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

// Code names a kind of diagnostic for ever: E for errors, W for warnings, N for
// notes, then four digits. The first two digits are the phase: 00 text, 01
// syntax, 02 names, 03 shapes and indices, 04 literals and constructors, 05
// limits, 06 run time, 07 data files.
type Code string

// Diagnostic is one thing to tell the author of a program.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Message  string      // one line, no final period: what was found, what was expected
	Span     source.Span // where
	Label    string      // short text beside the carets; may be empty
	Related  []Related   // other places that take part
	Notes    []string    // whole sentences: why, sizes, hints
	Fixes    []Fix       // edits that would cure it
}

// Related is another place that a diagnostic speaks of.
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

// List is the diagnostics of one file in the order they were found.
type List []Diagnostic

// HasErrors reports whether any diagnostic is an Error.
func (l List) HasErrors() bool {
	for i := range l {
		if l[i].Severity == Error {
			return true
		}
	}
	return false
}

// Sort orders the list by place, then severity, then code; the order of equal
// entries is kept.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := &l[i], &l[j]
		if a.Span.Start != b.Span.Start {
			return a.Span.Start < b.Span.Start
		}
		if a.Severity != b.Severity {
			return a.Severity < b.Severity
		}
		return a.Code < b.Code
	})
}
