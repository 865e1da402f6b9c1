package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible shows what text from outside would do instead of doing it: controls
// that turn or hide text, and bytes that are no text, become their names.
func visible(s string) string {
	plain := utf8.ValidString(s)
	for _, r := range s {
		if acts(r) {
			plain = false
			break
		}
	}
	if plain {
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
	case '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// shorten cuts a text to a length in bytes, at a character, and says so.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + fmt.Sprintf("\n… and %d more bytes, in the run directory", len(s)-cut)
}

// brief is a name that fits into a row.
func brief(s string) string {
	const most = 60
	r := []rune(visible(shorten(s, 4*most)))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
