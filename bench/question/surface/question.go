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

func (l *Look) fill(c *category.Case, name string) string {
	d := l.Domain
	switch name {
	case "node":
		return d.Node
	case "nodes":
		return d.Nodes
	case "path":
		return d.Path
	case "forward":
		return d.Forward.Many
	case "forward one":
		return d.Forward.One
	case "reverse":
		return d.Reverse.Many
	case "reverse one":
		return d.Reverse.One
	case "mutual":
		return d.Mutual.Many
	case "mutual one":
		return d.Mutual.One
	}
	q, value := &c.Query, category.None
	switch name {
	case "X":
		value = q.Source
	case "Y":
		value = q.Target
	case "k":
		value = q.Threshold
	case "a":
		value = q.MinIn
	case "b":
		value = q.MinOut
	case "c":
		value = q.MaxOut
	default:
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
