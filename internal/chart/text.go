package chart

import (
	"math"
	"strings"

	"ein/internal/table"
)

// The characters of pictures in text: parts of a cell from the left, halves of one, and
// levels between the least and the greatest.
var (
	eighths = []rune(" ▏▎▍▌▋▊▉")
	halves  = []rune(" ▄▀█")
	levels  = []rune(" ░▒▓█")
)

// Bars draws a bar from 0 for each number, behind its name and its text. Bars of negative numbers
// have another pattern. A line is about as wide as columns.
func Bars(columns int, names, texts []string, numbers []float64) string {
	const narrowest = 4
	rows := make([][]string, len(names))
	for i := range names {
		rows[i] = []string{names[i], texts[i]}
	}
	lines := table.Align("  ", rows, 0, 1)
	most, used := 0.0, 0
	for i, x := range numbers {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
		most, used = max(most, math.Abs(x)), max(used, table.Width(lines[i]))
	}
	room := float64(max(narrowest, columns-used-2))
	var b strings.Builder
	for i, x := range numbers {
		b.WriteString(lines[i])
		if eighth := int(math.Round(math.Abs(x) / max(most, math.SmallestNonzeroFloat64) * room * 8)); eighth > 0 && x < 0 {
			b.WriteString("  " + strings.Repeat("▒", (eighth+7)/8))
		} else if eighth > 0 {
			b.WriteString("  " + strings.TrimRight(strings.Repeat("█", eighth/8)+string(eighths[eighth%8]), " "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// BlockSize returns how many columns an element of Blocks takes, and how many elements a
// line has above each other.
func BlockSize(binary bool) (across, down int) {
	if binary {
		return 1, 2
	}
	return 2, 1
}

// Blocks draws the elements of a matrix in a frame, from blank for low to dark for high. A 0/1
// matrix has two rows in each line; any other has one, with two characters for each element, so
// that elements are about square.
func Blocks(at [][]float64, low, high float64, binary bool) string {
	across, down := BlockSize(binary)
	edge := strings.Repeat("─", len(at[0])*across)
	var b strings.Builder
	b.WriteString("┌" + edge + "┐\n")
	for r := 0; r < len(at); r += down {
		b.WriteString("│")
		for c, x := range at[r] {
			if binary {
				half := 0
				if x != 0 {
					half = 2
				}
				if r+1 < len(at) && at[r+1][c] != 0 {
					half++
				}
				b.WriteRune(halves[half])
				continue
			}
			level := len(levels) - 1
			if high > low { // the difference of the ends can be past the largest float
				level = min(level, int((x/2-low/2)/(high/2-low/2)*float64(len(levels))))
			}
			b.WriteString(strings.Repeat(string(levels[level]), across))
		}
		b.WriteString("│\n")
	}
	b.WriteString("└" + edge + "┘\n")
	return b.String()
}
