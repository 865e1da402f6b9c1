// Package words formats and parses numbers, sizes and short texts for people.
package words

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ein/internal/lists"
	"ein/internal/table"
)

// ByteUnits is the units of sizes, the largest first.
var ByteUnits = []struct {
	Name string
	Size uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Bytes returns a size.
func Bytes(n uint64) string {
	for _, u := range ByteUnits {
		if n >= u.Size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.Size), u.Name)
		}
	}
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Count returns a number with its digits in groups of three.
func Count[T int | int64 | uint64](n T) string { return table.Grouped(fmt.Sprint(n)) }

// Plural counts things; more is the word for several of them, unless an s makes it.
func Plural[T int | int64 | uint64](n T, one string, more ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case more != nil:
		return Count(n) + " " + more[0]
	}
	return Count(n) + " " + one + "s"
}

// Joined is names with commas between them.
func Joined[S ~string](names []S) string {
	return strings.Join(lists.Map(names, func(n S) string { return string(n) }), ", ")
}

// Shorten cuts a text to so many characters.
func Shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// Cut is the beginning of a text, of so many bytes or of fewer where they would end in the
// middle of a letter.
func Cut[T ~string | ~[]byte](s T, most int) T {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Clip is a text that is cut, with a mark where something is missing.
func Clip[T ~string | ~[]byte](s T, most int) string {
	if cut := Cut(s, most); len(cut) < len(s) {
		return string(cut) + "..."
	}
	return string(s)
}

// ParseBytes reads a size such as 64MiB.
func ParseBytes(s string) (uint64, error) {
	unit := uint64(1)
	for _, u := range ByteUnits {
		if number, ok := strings.CutSuffix(s, u.Name); ok {
			s, unit = number, u.Size
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	x *= float64(unit)
	if err != nil || !(x >= 1 && x < 1<<63) {
		return 0, errors.New("expected a number of bytes, or one with KiB, MiB or GiB")
	}
	return uint64(x), nil
}

// ParseCount reads a whole number from 1, such as 1e9, up to the most operations that a machine does.
func ParseCount(s string) (uint64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 1 && x <= 1<<60) || x != math.Trunc(x) {
		return 0, errors.New("expected a whole number from 1 to 2^60, such as 1000 or 1e9")
	}
	return uint64(x), nil
}

// ParseDuration reads a time such as 2s, which is positive.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, errors.New("expected a duration such as 2s, 500ms or 1m30s")
	}
	return d, nil
}
