// Package page writes HTML and SVG that contain untrusted text: names of models, labels,
// replies. Such text enters a page only through [Page.Text], which escapes it and makes
// control characters visible. All other markup comes from constants.
package page

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page is HTML or SVG as it is written.
type Page struct{ bytes.Buffer }

// Tag writes markup of ours. With arguments it is a format; those are numbers, or
// names that are ours.
func (p *Page) Tag(s string, args ...any) {
	if len(args) > 0 {
		s = fmt.Sprintf(s, args...)
	}
	p.WriteString(s)
}

// Text writes text from outside: between tags, or between the quotes of an
// attribute.
func (p *Page) Text(s string) { p.WriteString(html.EscapeString(Visible(s))) }

// Element writes text between two tags of ours.
func (p *Page) Element(open, text, end string) {
	p.Tag(open)
	p.Text(text)
	p.Tag(end)
}

// Visible shows what text from outside would do instead of doing it: controls
// that turn or hide text, and bytes that are no text, become their names.
func Visible(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, acts) < 0 {
		return s
	}
	var b strings.Builder
	for i, w := 0, 0; i < len(s); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w == 1:
			fmt.Fprintf(&b, "⟨%02X⟩", s[i])
		case acts(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// acts reports whether a character does something rather than show something: a
// control, or a format character such as those of direction and width. Line
// ends, tabs and the joiners inside of words are text.
func acts(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029', 0xfffe, 0xffff: // of these, XML does not have the last two
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}
