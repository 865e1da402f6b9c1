package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const tabWidth = 4

// wide are the ranges of characters that a terminal draws two cells wide.
var wide = [...][2]rune{
	{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
	{0xA000, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
	{0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
	{0x20000, 0x3FFFD},
}

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
	case unicode.In(r, unicode.Mn, unicode.Me):
		return s[:size], 0, size
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return s[:size], 2, size
		}
	}
	return s[:size], 1, size
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
