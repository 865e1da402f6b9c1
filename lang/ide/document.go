package ide

import (
	"sync"

	"ein/lang"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/lang/syntax"
	"ein/vm/ir"
	"ein/vm/tensor"
)

// Document is one text of a program and what is known of it. It never changes:
// withText gives another. Everything is worked out when it is first asked for, and
// kept; a Document may be used by several goroutines at once.
type Document struct {
	src    *source.File
	opt    lang.Options // inputs and labels, when bound, give sizes that the text alone does not
	file   func() *syntax.File
	check  func() *checked
	tokens func() []syntax.Token
	names  func() *names
	unused func() map[*occurrence]bool
	// described is the functions of the program, for people.
	described func() map[string]*function
}

// checked is a checked program.
type checked struct {
	*check.Program
	values map[syntax.Expr]*ir.Node // of every expression; in the body of a function, of its last call
	// statements is the operation of each statement and printed value, by the
	// place where it starts.
	statements map[int]*ir.Node
}

// New returns a document with the given text. The name is used in messages only.
func New(name, text string, opt lang.Options) *Document {
	d := &Document{src: source.NewFile(name, text), opt: opt}
	d.file = sync.OnceValue(func() *syntax.File {
		return syntax.Parse(d.src, d.syntaxOptions())
	})
	d.check = sync.OnceValue(d.checkText)
	d.tokens = sync.OnceValue(func() []syntax.Token { return syntax.Tokens(d.src.Text) })
	d.names = sync.OnceValue(d.resolve)
	d.unused = sync.OnceValue(d.findUnused)
	d.described = sync.OnceValue(d.describeAll)
	return d
}

func (d *Document) syntaxOptions() syntax.Options {
	return syntax.Options{Repl: d.opt.Profile == check.Repl, Limits: d.opt.Syntax}
}

// checkText checks the text and keeps the value of each expression, which hovers and hints show.
func (d *Document) checkText() *checked {
	f, l := d.File(), d.opt
	c := &checked{values: map[syntax.Expr]*ir.Node{}, statements: make(map[int]*ir.Node, len(f.Stmts))}
	c.Program = check.Check(f, check.Config{Profile: l.Profile, Limits: l.Check, Inputs: l.Inputs, Labels: l.Labels, Values: c.values})
	for _, s := range c.Statements {
		if s.Node != nil {
			c.statements[s.Span.Start] = s.Node
		}
	}
	return c
}

// withText returns the document with another text.
func (d *Document) withText(text string) *Document { return New(d.src.Name, text, d.opt) }

// File returns the syntax tree. It has to be left as it is.
//
//go:noinline
func (d *Document) File() *syntax.File { return d.file() }

// Diagnostics is what is wrong with the program, in the order of the text. That
// inputs have no values yet is not.
func (d *Document) Diagnostics() diag.List { return d.check().Diags }

// Input is a name that the program declares to be bound by its host.
type Input struct {
	Name    string
	Kind    string          // graph, matrix, vector, scalar, relation
	Columns []tensor.Column // of a relation
	Span    source.Span
}

// Inputs returns the declared inputs in the order of the text.
func (d *Document) Inputs() []Input {
	var list []Input
	for _, s := range d.File().Stmts {
		if in, ok := s.(*syntax.Input); ok {
			kind, columns := in.Kind.Name, check.InputColumns(in)
			if len(columns) > 0 {
				kind = "relation"
			}
			list = append(list, Input{in.Name.Name, kind, columns, in.Name.Span})
		}
	}
	return list
}

// clampOffset moves an offset into the text.
func (d *Document) clampOffset(offset int) int { return min(max(offset, 0), len(d.src.Text)) }

// clamp moves a span into the text.
func (d *Document) clamp(s source.Span) source.Span {
	start := d.clampOffset(s.Start)
	return source.Span{Start: start, End: max(start, d.clampOffset(s.End))}
}

func (d *Document) text(s source.Span) string { return d.src.Text[s.Start:s.End] }
