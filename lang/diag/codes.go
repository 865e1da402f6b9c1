package diag

import (
	"embed"
	"slices"
	"strings"
)

// The table of codes is the folder explain: one page for each code, so that a
// phase that adds a code adds a file and nothing else.
//
//go:embed explain/*.md
var pages embed.FS

// Explain returns the page that documents a code, in Markdown. The first line
// is "# CODE: title". Case does not count.
func Explain(code Code) (string, bool) {
	page, err := pages.ReadFile("explain/" + strings.ToUpper(string(code)) + ".md")
	return string(page), err == nil
}

// Title returns the title of a code's page.
func Title(code Code) (string, bool) {
	page, ok := Explain(code)
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(page, "\n")
	_, title, ok := strings.Cut(line, ": ")
	return strings.TrimSpace(title), ok
}

// Codes returns every documented code, sorted.
func Codes() []Code {
	entries, err := pages.ReadDir("explain")
	if err != nil {
		return nil
	}
	var out []Code
	for _, e := range entries {
		out = append(out, Code(strings.TrimSuffix(e.Name(), ".md")))
	}
	slices.Sort(out)
	return out
}

// Nearest returns the documented code that looks most like s.
func Nearest(s string) (Code, bool) {
	var names []string
	for _, c := range Codes() {
		names = append(names, string(c))
	}
	best, ok := Suggest(s, names)
	return Code(best), ok
}
