// Package table writes tables as aligned text for a terminal, Markdown, LaTeX, CSV and
// HTML.
//
// The cells of a [Table] are text; whoever makes one decides how many digits a number has.
// A column holds words, aligned left, or numbers, aligned right. [Of] makes a table from
// rows of text; [Align] aligns lines that are not a table, as in a listing. Every writer
// escapes cells, so that none is read as markup.
package table

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ein/internal/lists"
)

// Table is cells under headings. ID, Title and Caption are for formats that have a place for them.
type Table struct {
	ID, Title, Caption string
	Columns            []Column
	Rows               []Row
}

// Column is the heading of a column and what its cells have in common.
type Column struct {
	ID, Name, Unit string // the ID is of a column with exact numbers, for programs
	Words          bool   // to the left; what tells rows apart
	N              int    // the number of answers behind each cell, which need not say it; 0 where they differ
}

func (col *Column) heading() string {
	if col.Unit == "" {
		return col.Name
	}
	return col.Name + " (" + col.Unit + ")"
}

// Row is a row, with as many cells as there are columns.
type Row struct {
	Cells  []Cell
	Source string // in tables with rows of several sources
	Rule   bool   // apart from the row above
}

// Cell is a text, with a smaller one beside or below it.
type Cell struct {
	Text, Interval string
	N              int
	Exact          [3]string // the number, and the ends of its interval, for programs
	Strong         bool      // stands out, in Markdown
}

// Grouped writes commas between the thousands of a whole number.
func Grouped(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Of returns a table of texts, the headings first. The first column holds words, and so does every
// column whose cells begin with letters.
func Of(rows [][]string) *Table {
	t := &Table{}
	for i, name := range rows[0] {
		number := func(row []string) bool {
			first, _ := utf8.DecodeRuneInString(row[i])
			return row[i] != "" && !unicode.IsLetter(first)
		}
		t.Columns = append(t.Columns, Column{Name: name, Words: i == 0 || !slices.ContainsFunc(rows[1:], number)})
	}
	for _, row := range rows[1:] {
		t.Rows = append(t.Rows, Row{Cells: lists.Map(row, func(text string) Cell { return Cell{Text: text} })})
	}
	return t
}

// Text returns the table as lines of aligned columns.
func (t *Table) Text() string {
	rows := make([][]string, 1+len(t.Rows))
	var right []int
	for i, c := range t.Columns {
		rows[0] = append(rows[0], c.heading())
		if !c.Words {
			right = append(right, i)
		}
		for k, r := range t.Rows {
			rows[k+1] = append(rows[k+1], r.Cells[i].Text)
		}
	}
	return strings.Join(Align("", rows, right...), "")
}

// Align makes indented lines of rows, with two spaces between columns; the columns in right are
// aligned to the right. Rows may differ in length: the last cell of a row does not widen its column
// for the others, unless it is aligned to the right.
func Align(indent string, rows [][]string, right ...int) []string {
	return slices.Collect(Lines(indent, slices.Values(rows), right...))
}

// Lines is Align of rows that are read twice, so that they need not be held.
// It is not inlined: a binary has each copy of the loops around it once more.
//
//go:noinline
func Lines(indent string, rows iter.Seq[[]string], right ...int) iter.Seq[string] {
	return func(yield func(string) bool) {
		var width []int
		for row := range rows {
			for i, cell := range row {
				if i == len(width) {
					width = append(width, 0)
				}
				if i < len(row)-1 || slices.Contains(right, i) {
					width[i] = max(width[i], Width(cell))
				}
			}
		}
		for row := range rows {
			var b strings.Builder
			b.WriteString(indent)
			for i, cell := range row {
				pad := strings.Repeat(" ", max(0, width[i]-Width(cell)))
				if slices.Contains(right, i) {
					cell, pad = pad+cell, ""
				}
				b.WriteString(cell + pad + "  ")
			}
			if !yield(strings.TrimRight(b.String(), " ") + "\n") {
				return
			}
		}
	}
}
