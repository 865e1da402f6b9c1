package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/lang"
	"ein/lang/diag"
	"ein/lang/syntax"
	"ein/stdlib"
)

// function is a function of the language for its documentation.
type function struct {
	name, signature, group, doc string
	params                      []stdlib.Param
	result, cost                string
	example, output             string
	source                      string // of one that is written in Ein
}

// preludeGroup is the heading of the functions that are written in Ein.
const preludeGroup = "Prelude"

// functions are all functions in the order of the reference.
func functions() []function {
	var list []function
	for i := range stdlib.Builtins {
		b := &stdlib.Builtins[i]
		list = append(list, function{
			name: b.Name, signature: b.Signature(), group: b.Group, doc: b.Doc, params: b.Params,
			result: b.Result, cost: b.Cost, example: b.Example, output: b.Output,
		})
	}
	return append(list, preludeFunctions()...)
}

// preludeFunctions reads the prelude: the comment over a function is its
// documentation, as "name(parameters): text".
func preludeFunctions() []function {
	text := stdlib.Prelude()
	f := lang.Parse("prelude.ein", text, lang.Options{})
	var list []function
	for _, s := range f.Stmts {
		def, ok := s.(*syntax.Def)
		if !ok {
			continue
		}
		names := make([]string, len(def.Params))
		for i, p := range def.Params {
			names[i] = p.Name
		}
		fn := function{
			name: def.Name.Name, signature: def.Name.Name + "(" + strings.Join(names, ", ") + ")", group: preludeGroup,
			source: text[def.Span.Start:def.Span.End],
		}
		line := f.Source.Position(def.Span.Start).Line
		for _, c := range f.Comments {
			if f.Source.Position(c.Span.Start).Line == line-1 {
				comment := strings.TrimSpace(strings.TrimLeft(text[c.Span.Start:c.Span.End], "/#"))
				fn.doc = strings.TrimSpace(strings.TrimPrefix(comment, fn.signature+":"))
			}
		}
		list = append(list, fn)
	}
	return list
}

func (a *app) docCommand() *cobra.Command {
	markdown := false
	cmd := &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Describe the functions of the language",
		Long:  "Lists all functions, or describes one with an example and what it prints.",
		Example: `  ein doc
  ein doc tc
  ein doc --markdown > reference.md`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: functionNames,
		RunE: func(_ *cobra.Command, args []string) error {
			list := functions()
			var text string
			switch {
			case len(args) == 1:
				i := slices.IndexFunc(list, func(f function) bool { return f.name == args[0] })
				if i < 0 {
					return a.unknownFunction(args[0], list)
				}
				if text = list[i].text(); markdown {
					text = list[i].markdown()
				}
			case markdown:
				text = reference(list)
			default:
				text = contents(list)
			}
			if err := a.print(text); err != nil {
				return a.fail(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown; without a name, the whole reference")
	return cmd
}

func (a *app) unknownFunction(name string, list []function) error {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	if near, ok := diag.Suggest(name, names); ok {
		return a.usage("there is no function %s; did you mean %s?", name, near)
	}
	return a.usage("there is no function %s; `ein doc` lists all", name)
}

// grouped calls do for each group of functions, in the order of the first of
// each.
func grouped(list []function, do func(group string, of []function)) {
	var names []string
	groups := map[string][]function{}
	for _, f := range list {
		if groups[f.group] == nil {
			names = append(names, f.group)
		}
		groups[f.group] = append(groups[f.group], f)
	}
	for _, name := range names {
		do(name, groups[name])
	}
}

// contents is one line for each function.
func contents(list []function) string {
	var b strings.Builder
	width := 0
	for _, f := range list {
		width = max(width, len(f.signature))
	}
	grouped(list, func(group string, of []function) {
		fmt.Fprintf(&b, "%s\n", group)
		for _, f := range of {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, f.signature, f.doc)
		}
		b.WriteString("\n")
	})
	b.WriteString("`ein doc NAME` describes one with an example.\n")
	return b.String()
}

func (f *function) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  %s\n", f.signature, f.doc)
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

// reference is the whole reference in Markdown.
func reference(list []function) string {
	var b strings.Builder
	b.WriteString("# Functions of Ein\n")
	grouped(list, func(group string, of []function) {
		fmt.Fprintf(&b, "\n## %s\n", group)
		for _, f := range of {
			b.WriteString("\n" + f.markdown())
		}
	})
	return b.String()
}

func (f *function) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### `%s`\n\n%s\n", f.signature, capital(f.doc))
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
