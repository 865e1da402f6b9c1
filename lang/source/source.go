// Package source holds the text of a program and turns byte offsets into
// lines and columns. Every other package works in byte offsets; positions are
// made here, at the edge, when a person or an editor has to read them.
package source

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Span is a half-open range of byte offsets, [Start, End).
type Span struct{ Start, End int }

// Len is the number of bytes the span covers.
func (s Span) Len() int { return s.End - s.Start }

// Join is the smallest span that covers both.
func (s Span) Join(t Span) Span { return Span{min(s.Start, t.Start), max(s.End, t.End)} }

// Contains reports whether offset lies in the span; the end counts, because a
// cursor stands between bytes.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset <= s.End }

// Position is a place as a person counts it. Line and Column start at 1;
// Column counts Unicode code points. Offset counts bytes from 0.
type Position struct{ Line, Column, Offset int }

// Encoding is the unit in which a protocol counts columns.
type Encoding uint8

// The encodings a language-server client may ask for.
const (
	UTF8 Encoding = iota
	UTF16
	UTF32
)

// File is one immutable source text.
type File struct {
	Name string
	Text string

	once  sync.Once
	lines []int // offset of the first byte of each line
	marks []int // offset of every stride-th character, for lines that are long
}

const stride = 1 << 10

// NewFile wraps text; name is used only in messages.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

func (f *File) index() []int {
	f.once.Do(func() {
		f.lines = append(make([]int, 0, 1+strings.Count(f.Text, "\n")), 0)
		n := 0
		for i, r := range f.Text {
			if n%stride == 0 {
				f.marks = append(f.marks, i)
			}
			if n++; r == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	})
	return f.lines
}

// characters is how many characters start before an offset.
func (f *File) characters(offset int) int {
	k := sort.SearchInts(f.marks, offset+1) - 1
	if k < 0 {
		return 0
	}
	return k*stride + utf8.RuneCountInString(f.Text[f.marks[k]:offset])
}

// Lines is the number of lines; an empty file has one.
func (f *File) Lines() int { return len(f.index()) }

// LineSpan is the text of a line (from 1) without its line ending.
func (f *File) LineSpan(line int) Span {
	lines := f.index()
	line = min(max(line, 1), len(lines))
	s := Span{lines[line-1], len(f.Text)}
	if line < len(lines) {
		s.End = lines[line] - 1
	}
	if s.End > s.Start && f.Text[s.End-1] == '\r' {
		s.End--
	}
	return s
}

// Position maps a byte offset to a line and column. Offsets outside the text
// are moved to its nearest end.
func (f *File) Position(offset int) Position {
	lines := f.index()
	offset = min(max(offset, 0), len(f.Text))
	line := sort.SearchInts(lines, offset+1)
	return Position{
		Line:   line,
		Column: 1 + f.characters(offset) - f.characters(lines[line-1]),
		Offset: offset,
	}
}

// LineColumn maps a byte offset to a line and column, both from 0, the column
// in units of enc.
func (f *File) LineColumn(offset int, enc Encoding) (line, column int) {
	lines := f.index()
	offset = min(max(offset, 0), len(f.Text))
	line = sort.SearchInts(lines, offset+1) - 1
	return line, width(f.Text[lines[line]:offset], enc)
}

// Offset is the inverse of LineColumn. A column past the end of the line is the
// end of the line, as editors expect.
func (f *File) Offset(line, column int, enc Encoding) int {
	s := f.LineSpan(line + 1)
	text := f.Text[s.Start:s.End]
	for i, r := range text {
		if column <= 0 {
			return s.Start + i
		}
		column -= runeWidth(r, enc)
	}
	return s.End
}

func width(text string, enc Encoding) int {
	if enc == UTF8 {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += runeWidth(r, enc)
	}
	return n
}

func runeWidth(r rune, enc Encoding) int {
	switch {
	case enc == UTF8:
		return max(utf8.RuneLen(r), 1)
	case enc == UTF16 && r >= 0x10000:
		return 2
	}
	return 1
}
