package describe

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// Function is the documentation of a function.
type Function struct {
	Name, Signature, Group, Doc string
	Params                      []stdlib.Param
	Result, Cost                string
	Example, Output             string // a program and what it prints
	Source                      string // of one that is written in Ein
}

// Functions returns all functions in the order of the reference, those of a group together. What
// is written in Ein is described by its comment, so that it is documented where it is defined.
func Functions() []Function {
	var list []Function
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		list = append(list, Function{
			Name: b.Name, Signature: b.Signature(), Group: b.Group, Doc: b.Doc, Params: b.Params,
			Result: b.Result, Cost: b.Cost, Example: b.Example, Output: b.Output,
		})
	}
	f := syntax.Parse(source.NewFile("prelude.ein", stdlib.Prelude), syntax.Options{})
	for _, s := range f.Stmts {
		fn := Definition(f, s.(*syntax.Def))
		fn.Group = "Prelude"
		list = append(list, fn)
	}
	return list
}

// Definition returns a function that a program defines. The comment over it is its
// documentation, which may begin with the signature, as "name(parameters): text".
func Definition(f *syntax.File, def *syntax.Def) Function {
	fn := Function{Name: def.Name.Name, Source: f.Source.Text[def.Start:def.End]}
	names := make([]string, len(def.Params))
	for i, p := range def.Params {
		names[i] = p.Name
		fn.Params = append(fn.Params, stdlib.Param{Name: p.Name})
	}
	fn.Signature = fn.Name + "(" + strings.Join(names, ", ") + ")"
	fn.Doc = strings.TrimSpace(strings.TrimPrefix(Comment(f, def.Start), fn.Signature+":"))
	return fn
}

// Comment returns the text of the comment lines that end on the line before offset.
func Comment(f *syntax.File, offset int) string {
	line := f.Source.Position(offset).Line
	var lines []string
	i := sort.Search(len(f.Comments), func(i int) bool { return f.Comments[i].Span.Start >= offset })
	for ; i > 0; i-- {
		c := f.Comments[i-1].Span
		at := f.Source.Position(c.Start)
		if at.Line != line-1 || strings.TrimSpace(f.Source.Text[f.Source.LineAt(c.Start).Start:c.Start]) != "" {
			break
		}
		line = at.Line
		lines = append(lines, strings.TrimSpace(strings.TrimLeft(f.Source.Text[c.Start:c.End], "/#")))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// Contents returns one line for each function.
func Contents(list []Function) string {
	var b strings.Builder
	width := 0
	for _, f := range list {
		width = max(width, len(f.Signature))
	}
	for i, f := range list {
		if i == 0 || f.Group != list[i-1].Group {
			fmt.Fprintf(&b, "%s\n", f.Group)
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f.Signature, f.Doc)
		if i+1 == len(list) || f.Group != list[i+1].Group {
			b.WriteString("\n")
		}
	}
	b.WriteString("`ein doc NAME` describes one with an example.\n")
	return b.String()
}

// Text returns the page of a function.
func (f *Function) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  %s\n", f.Signature, f.Doc)
	if list := f.documented(); len(list) > 0 {
		b.WriteString("\nParameters\n")
		for _, p := range list {
			fmt.Fprintf(&b, "  %-5s %s\n", p.Name, paramText(p))
		}
	}
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", title, strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	section("Result", f.Result)
	section("Cost", f.Cost)
	section("Example", f.Example)
	section("Prints", f.Output)
	section("Defined as", f.Source)
	return b.String()
}

// documented returns the parameters that have more than a name.
func (f *Function) documented() (list []stdlib.Param) {
	for _, p := range f.Params {
		if p.Doc != "" {
			list = append(list, p)
		}
	}
	return list
}

func paramText(p stdlib.Param) string {
	s := p.Doc
	if p.Optional {
		s += "; optional"
	}
	if p.Named {
		s += "; may be written " + p.Name + "=..."
	}
	return s
}

// Reference returns the whole reference in Markdown.
func Reference(list []Function) string {
	var b strings.Builder
	b.WriteString("# Functions of Ein\n")
	for i, f := range list {
		if i == 0 || f.Group != list[i-1].Group {
			fmt.Fprintf(&b, "\n## %s\n", f.Group)
		}
		b.WriteString("\n" + f.Markdown())
	}
	return b.String()
}

// Markdown returns the page of a function in Markdown.
func (f *Function) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### `%s`\n\n%s\n", f.Signature, capital(f.Doc))
	if f.Result != "" {
		b.WriteString("\n")
		for _, p := range f.documented() {
			fmt.Fprintf(&b, "`%s`: %s. ", p.Name, p.Doc)
		}
		fmt.Fprintf(&b, "Result: %s. Cost: %s.\n", f.Result, f.Cost)
	}
	if f.Example != "" {
		fmt.Fprintf(&b, "\n```ein\n%s\n```\n\n```\n%s\n```\n", f.Example, f.Output)
	}
	if f.Source != "" {
		fmt.Fprintf(&b, "\n```ein\n%s\n```\n", f.Source)
	}
	return b.String()
}

// capital makes a sentence of a description. One that begins with a name or a
// formula stays as it is.
func capital(s string) string {
	if word, _, _ := strings.Cut(s, " "); word != "" && strings.Trim(strings.TrimSuffix(word, ":"), "abcdefghijklmnopqrstuvwxyz") == "" && len(word) > 1 {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
