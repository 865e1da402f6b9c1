package surface

import (
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
	d := l.Domain
	text := strings.NewReplacer("{node}", d.Node, "{nodes}", d.Nodes, "{path}", d.Path, "{forward}", d.Forward.Many, "{forward one}", d.Forward.One,
		"{reverse}", d.Reverse.Many, "{reverse one}", d.Reverse.One, "{mutual}", d.Mutual.Many, "{mutual one}", d.Mutual.One).Replace(template)
	text = c.Query.Fill(text, func(node int) string { return l.Labels[node] })
	if strings.Contains(text, "{") {
		panic("BUG: surface: a placeholder that is unknown, or not asked about: " + text)
	}
	return text
}
