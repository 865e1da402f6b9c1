package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ein/internal/table"
)

const tabWidth = 4

// cell is how the first character of s, which stands in the given column from
// 0, is shown: the text, its width, and the bytes it took. Whatever could act on
// a terminal, or hide, is shown by its number.
func cell(s string, column int) (shown string, width, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\t':
		n := tabWidth - column%tabWidth
		return strings.Repeat(" ", n), n, size
	case r == utf8.RuneError && size == 1:
		shown = fmt.Sprintf("<%02X>", s[0])
		return shown, len(shown), size
	case r >= ' ' && r < 0x7F:
		return s[:1], 1, size
	case !unicode.IsGraphic(r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Variation_Selector, r):
		shown = fmt.Sprintf("<U+%04X>", r)
		return shown, len(shown), size
	}
	return s[:size], table.Cells(r), size
}

// Display is s as it is safe to show on a terminal, without line breaks, and
// the cells it takes.
func Display(s string) (string, int) {
	var b strings.Builder
	column := 0
	for len(s) > 0 {
		shown, width, size := cell(s, column)
		b.WriteString(shown)
		column += width
		s = s[size:]
	}
	return b.String(), column
}
