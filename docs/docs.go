// Package docs holds the documentation, and finds the topics of ein help in it: the sections of
// the pages on the language, on relations and on sessions, which are part of the binary. Its test runs every
// sample of the pages.
package docs

import (
	_ "embed" // the pages
	"slices"
	"strings"
)

//go:embed language.md
var language string

//go:embed relations.md
var relations string

//go:embed repl.md
var session string

// section is a heading and what is below it, deeper headings included.
type section struct {
	heading    string
	level      int
	start, end int // in the page
}

// deepest is the level of the headings that are topics; below are functions.
const deepest = 3

// sections returns the sections of a page down to the level deepest. A section ends where the
// next of its level or above begins; lines of code blocks that begin with # are no headings.
func sections(page string) []section {
	var list []section
	fenced, at := false, 0
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		title := strings.TrimLeft(line, "#")
		if level := len(line) - len(title); level > 0 && level <= deepest && !fenced {
			for i := range list {
				if s := &list[i]; s.end == len(page) && s.level >= level {
					s.end = at
				}
			}
			list = append(list, section{strings.TrimSpace(title), level, at, len(page)})
		}
		at += len(line)
	}
	return list
}

// text is a section without what only the tests of the page read.
func (s *section) text(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page[s.start:s.end]) {
		if !strings.HasPrefix(line, "<!--") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var topical = []string{language, session, relations}

// Topics are the headings of the pages. One that two have is of the first.
func Topics() []string {
	var names []string
	for _, page := range topical {
		for _, s := range sections(page) {
			if !slices.Contains(names, s.heading) {
				names = append(names, s.heading)
			}
		}
	}
	return names
}

// Topic returns the section with a heading, or with the only heading of a page that has a
// word in it. When several have, it is "" and their names.
func Topic(name string) (text string, headings []string) {
	for _, page := range topical {
		var found []section
		for _, s := range sections(page) {
			heading := strings.ToLower(s.heading)
			if heading == strings.ToLower(name) {
				return s.text(page), nil
			}
			if slices.Contains(strings.Fields(strings.ReplaceAll(heading, ",", " ")), strings.ToLower(name)) {
				found = append(found, s)
				headings = append(headings, s.heading)
			}
		}
		if len(found) == 1 {
			return found[0].text(page), nil
		}
	}
	return "", headings
}
