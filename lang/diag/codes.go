package diag

import (
	"embed"
	"slices"
	"strings"

	"ein/internal/codes"
	"ein/internal/lists"
)

// Code is a code of package codes, which has the table of all; the folder explain
// has a page for each.
type Code = codes.Code

// Class is the class of a code.
type Class = codes.Class

// The classes of what is wrong: see package codes.
const (
	Input  = codes.Input
	Syntax = codes.Syntax
	Type   = codes.Type
	Limit  = codes.Limit
	Run    = codes.Run
	Bug    = codes.Bug
)

//go:embed explain/*.md
var pages embed.FS

// Explain returns the page that documents a code, in Markdown. The first line
// is "# CODE: title". Case does not count.
func Explain(code Code) (string, bool) {
	page, err := pages.ReadFile("explain/" + strings.ToUpper(string(code)) + ".md")
	return string(page), err == nil
}

// Codes returns every code, sorted.
func Codes() []Code {
	out := lists.Map(codes.Table, func(e codes.Entry) Code { return e.Code })
	slices.Sort(out)
	return out
}

// Nearest returns the code that looks most like s.
func Nearest(s string) (Code, bool) {
	names := lists.Map(Codes(), func(c Code) string { return string(c) })
	best, ok := Suggest(s, names)
	return Code(best), ok
}
