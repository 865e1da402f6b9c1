// Package ide answers an editor's questions about a program: what a name means, what can be typed
// here, where something is defined and used.
//
// A [Document] is one immutable version of a text; an edit makes another. Its methods give
// diagnostics, hover, completion, rename and so on. Syntax tree, names and the result of the
// checker are computed on first use and kept; any number of goroutines may use a Document.
// Positions are byte offsets.
//
// # Names
//
// A binding is one thing that has a name, an occurrence a place where the name stands. Both come
// from the tree alone (names.go), so they are known in wrong programs too. A name assigned twice
// is one name; an index belongs to its statement; a parameter in brackets is a position. Names in
// a statement that does not parse are found by its tokens, and not renamed. Completion and
// signatures read tokens up to the cursor (cursor.go).
//
// # Values
//
// Shapes and kinds come from package check, which keeps the operation of every expression
// (checked in document.go). [Document.Alone] cuts out one statement with what it needs, so that a
// caller can run it despite errors elsewhere.
//
// # Refactorings
//
// Rename makes the edits and resolves the resulting text: if any name now means something else,
// it fails and says which. Extract and inline compare the types of the outputs.
//
// The package knows no protocol, terminal or file. Its two users are package lsp, which
// translates positions and decides what runs when, and package repl.
package ide

import (
	"ein/lang/diag"
	"ein/lang/source"
)

// Kind is what a name or a token stands for.
type Kind uint8

// The kinds.
const (
	KindTensor    Kind = iota // a name that an equation or an input defines
	KindInput                 // a name that an input declares
	KindIndex                 // an index, known in its statement
	KindFunction              // a def of the program or of the prelude
	KindBuiltin               // a builtin
	KindParameter             // of a def
	KindLabel                 // a node label, a string
	KindDirective             // :print
	KindKeyword               // def, input, graph, ...
	KindNumber
	KindOperator
	KindComment
)

// Hover is what is known of the thing at a place.
type Hover struct {
	Span     source.Span
	Markdown string
}

// Item is one completion. Insert replaces Span; with Snippet it has tab stops in
// the notation $1, ${2:name}, $0.
type Item struct {
	Label   string
	Kind    Kind
	Detail  string // a shape or a signature, one line
	Doc     string // Markdown
	Span    source.Span
	Insert  string
	Snippet string // "" when there is none
	Rank    int    // smaller first
}

// Signature is the call around a place.
type Signature struct {
	Label  string
	Doc    string
	Params []Param
	Active int // of Params; -1 when past the last
}

// Param is a parameter; Span is its place in the label of its signature.
type Param struct {
	Span source.Span
	Doc  string
}

// Highlight is one occurrence of what is at a place.
type Highlight struct {
	Span  source.Span
	Write bool
}

// Symbol is a definition. Span is the statement, Name the name in it.
type Symbol struct {
	Text   string
	Detail string // the shape
	Kind   Kind
	Span   source.Span
	Name   source.Span
}

// Token is a classified piece of the text. Tokens do not overlap and are in order.
type Token struct {
	Span       source.Span
	Kind       Kind
	Definition bool // the name is defined here
	Library    bool // of the language itself
	Unused     bool
}

// Hint is a text shown in the line without being part of it.
type Hint struct {
	Offset int
	Text   string
	Doc    string // Markdown
	Type   bool   // a shape; otherwise what is summed, or the name of a parameter
	Before bool   // with a space before it rather than after
}

// Action is a change that the user may choose.
type Action struct {
	Title string
	Kind  string // in the words of the protocol: quickfix, refactor.extract, refactor.inline, ...
	Edits []diag.Edit
	Fixes *diag.Diagnostic // what it mends; nil for a refactoring
	Best  bool             // the one to take without being asked
}

// Fold is a range of lines that can be closed.
type Fold struct {
	Span    source.Span
	Comment bool
}
