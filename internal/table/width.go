package table

import (
	"unicode"

	"golang.org/x/text/width"
)

// Cells is how many cells a terminal draws a character in.
func Cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width is how many cells a terminal draws a line in.
func Width(line string) (cells int) {
	for _, r := range line {
		cells += Cells(r)
	}
	return cells
}
