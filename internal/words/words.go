// Package words is numbers and texts as people read them.
package words

import (
	"fmt"

	"ein/internal/table"
)

// Bytes is a size.
func Bytes(n uint64) string {
	for _, u := range []struct {
		name string
		size uint64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Count is a number with its digits in groups of three.
func Count[T int | int64 | uint64](n T) string { return table.Grouped(fmt.Sprint(n)) }

// Plural counts things; more is the word for several of them, unless an s makes it.
func Plural(n int, one string, more ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case more != nil:
		return Count(n) + " " + more[0]
	}
	return Count(n) + " " + one + "s"
}

// Shorten cuts a text to so many characters.
func Shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
