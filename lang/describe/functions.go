package describe

import (
	"fmt"
	"strings"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/stdlib"
)

// Function is a function of the language for its documentation.
type Function struct {
	Name, Signature, Group, Doc string
	params                      []stdlib.Param
	result, cost                string
	example, output             string
	source                      string // of one that is written in Ein
}

// preludeGroup is the heading of the functions that are written in Ein.
const preludeGroup = "Prelude"

// Functions are all functions in the order of the reference.
func Functions() []Function {
	var list []Function
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		list = append(list, Function{
			Name: b.Name, Signature: b.Signature(), Group: b.Group, Doc: b.Doc, params: b.Params,
			result: b.Result, cost: b.Cost, example: b.Example, output: b.Output,
		})
	}
	return append(list, preludeFunctions()...)
}

// preludeFunctions reads the prelude: the comment over a function is its
// documentation, as "name(parameters): text".
func preludeFunctions() []Function {
	text := stdlib.Prelude()
	f := syntax.Parse(source.NewFile("prelude.ein", text), syntax.Options{})
	var list []Function
	for _, s := range f.Stmts {
		def, ok := s.(*syntax.Def)
		if !ok {
			continue
		}
		names := make([]string, len(def.Params))
		for i, p := range def.Params {
			names[i] = p.Name
		}
		fn := Function{
			Name: def.Name.Name, Signature: def.Name.Name + "(" + strings.Join(names, ", ") + ")", Group: preludeGroup,
			source: text[def.Span.Start:def.Span.End],
		}
		line := f.Source.Position(def.Span.Start).Line
		for _, c := range f.Comments {
			if f.Source.Position(c.Span.Start).Line == line-1 {
				comment := strings.TrimSpace(strings.TrimLeft(text[c.Span.Start:c.Span.End], "/#"))
				fn.Doc = strings.TrimSpace(strings.TrimPrefix(comment, fn.Signature+":"))
			}
		}
		list = append(list, fn)
	}
	return list
}

// grouped calls do for each group of functions, in the order of the first of
// each.
func grouped(list []Function, do func(group string, of []Function)) {
	var names []string
	groups := map[string][]Function{}
	for _, f := range list {
		if groups[f.Group] == nil {
			names = append(names, f.Group)
		}
		groups[f.Group] = append(groups[f.Group], f)
	}
	for _, name := range names {
		do(name, groups[name])
	}
}

// Contents is one line for each function.
func Contents(list []Function) string {
	var b strings.Builder
	width := 0
	for _, f := range list {
		width = max(width, len(f.Signature))
	}
	grouped(list, func(group string, of []Function) {
		fmt.Fprintf(&b, "%s\n", group)
		for _, f := range of {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, f.Signature, f.Doc)
		}
		b.WriteString("\n")
	})
	b.WriteString("`ein doc NAME` describes one with an example.\n")
	return b.String()
}

// Text is the page of a function.
func (f *Function) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  %s\n", f.Signature, f.Doc)
	if len(f.params) > 0 {
		b.WriteString("\nParameters\n")
		for _, p := range f.params {
			fmt.Fprintf(&b, "  %-5s %s\n", p.Name, paramText(p))
		}
	}
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", title, strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	section("Result", f.result)
	section("Cost", f.cost)
	section("Example", f.example)
	section("Prints", f.output)
	section("Defined as", f.source)
	return b.String()
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

// Reference is the whole reference in Markdown.
func Reference(list []Function) string {
	var b strings.Builder
	b.WriteString("# Functions of Ein\n")
	grouped(list, func(group string, of []Function) {
		fmt.Fprintf(&b, "\n## %s\n", group)
		for _, f := range of {
			b.WriteString("\n" + f.Markdown())
		}
	})
	return b.String()
}

// Markdown is the page of a function in Markdown.
func (f *Function) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### `%s`\n\n%s\n", f.Signature, capital(f.Doc))
	if len(f.params) > 0 {
		b.WriteString("\n")
		for _, p := range f.params {
			fmt.Fprintf(&b, "- `%s`: %s\n", p.Name, paramText(p))
		}
	}
	if f.result != "" {
		fmt.Fprintf(&b, "\nResult: %s. Cost: %s.\n", f.result, f.cost)
	}
	if f.example != "" {
		fmt.Fprintf(&b, "\n```ein\n%s\n```\n\n```\n%s\n```\n", f.example, f.output)
	}
	if f.source != "" {
		fmt.Fprintf(&b, "\n```ein\n%s\n```\n", f.source)
	}
	return b.String()
}

// capital makes a sentence of a description. One that begins with a name or a
// formula stays as it is.
func capital(s string) string {
	if word, _, _ := strings.Cut(s, " "); word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" && len(word) > 1 {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
