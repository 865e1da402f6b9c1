package surface

import (
	"strconv"
	"strings"

	"ein/bench/question/category"
)

// Question fills the placeholders of a category's wording:
//
//	{X} {Y}                    labels of the source and the target
//	{k} {a} {b}                threshold, least in-degree, least out-degree
//	{node} {nodes} {path}      vocabulary of the domain; {path} has its article
//	{forward} {forward one}    verbs: without "one" for several subjects and
//	{reverse} {reverse one}    after "does", with it for one subject
//	{mutual} {mutual one}
func (l *Look) Question(c *category.Case, template string) string {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(template, "{")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			panic("BUG: surface: no } in " + template)
		}
		b.WriteString(l.fill(c, name))
		template = after
	}
}

// fill returns what stands for a placeholder: a word of the domain, or a number or node of the
// query. One that it does not know or that is not asked for is a bug in a template.
func (l *Look) fill(c *category.Case, name string) string {
	d, q := l.Domain, &c.Query
	words := map[string]string{"node": d.Node, "nodes": d.Nodes, "path": d.Path, "forward": d.Forward.Many, "forward one": d.Forward.One,
		"reverse": d.Reverse.Many, "reverse one": d.Reverse.One, "mutual": d.Mutual.Many, "mutual one": d.Mutual.One}
	if word, ok := words[name]; ok {
		return word
	}
	value, ok := map[string]int{"X": q.Source, "Y": q.Target, "k": q.Threshold, "a": q.MinIn, "b": q.MinOut, "c": q.MaxOut}[name]
	if !ok {
		panic("BUG: surface: placeholder {" + name + "}")
	}
	if value == category.None {
		panic("BUG: surface: nothing to put in {" + name + "}")
	}
	if name == "X" || name == "Y" {
		return l.Labels[value]
	}
	return strconv.Itoa(value)
}
