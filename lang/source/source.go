// Package source holds the text of a program and turns byte offsets into
// files, lines and columns. Every other package works in byte offsets; positions
// are made here, at the edge, when a person or an editor has to read them.
package source

import (
	"slices"
	"sort"
	"strconv"
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

// Position is a place as a person counts it. Line and Column start at 1; Column
// counts Unicode code points. Offset counts bytes from 0. Of a file that is no
// program, what is not known is 0.
type Position struct {
	File         string
	Line, Column int
	Offset       int
}

// String is file:line:column, as far as it is known.
func (p Position) String() string {
	s := p.File
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			s += ":" + strconv.Itoa(n)
		}
	}
	return s
}

// Encoding is the unit in which a protocol counts columns.
type Encoding uint8

// The encodings a language-server client may ask for.
const (
	UTF8 Encoding = iota
	UTF16
	UTF32
)

// File is one immutable source text. It may be made of the texts of others, one
// behind the other: positions are then theirs.
type File struct {
	Name string
	Text string

	parts []part
	grown *strings.Builder // has the text, and what was appended to it since
	above int              // lines above the first
	once  sync.Once
	lines []int // offset of the first byte of each line
	marks []int // offset of every stride-th character, for lines that are long
}

// part is a file that another one is made of, and where it begins there.
type part struct {
	*File
	start int
}

const stride = 1 << 10

// NewFile wraps text; name is used only in messages.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

// Append is the file followed by a text that was read at a line of another one.
// What a file grows to shares the memory of all that it was.
func (f *File) Append(name string, line int, text string) *File {
	own := part{&File{Name: name, Text: text, above: line - 1}, len(f.Text)}
	next := &File{Name: f.Name, parts: f.parts, grown: f.grown}
	if f.grown == nil || f.grown.Len() != len(f.Text) || text == "" { // something else follows it already
		next.parts, next.grown = slices.Clip(f.parts), new(strings.Builder)
		next.grown.WriteString(f.Text)
	}
	next.grown.WriteString(text)
	next.Text, next.parts = next.grown.String(), append(next.parts, own)
	return next
}

// part is the innermost file that has an offset.
func (f *File) part(offset int) part {
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].start > offset })
	if i == 0 {
		return part{f, 0}
	}
	return f.parts[i-1]
}

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

// LineAt is the line around an offset, in the file that has it.
func (f *File) LineAt(offset int) Span {
	p := f.part(offset)
	s := p.LineSpan(sort.SearchInts(p.index(), offset-p.start+1))
	return Span{p.start + s.Start, p.start + s.End}
}

// Position maps a byte offset to a place. Offsets outside the text are moved to its
// nearest end.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.Text))
	p := f.part(offset)
	lines, at := p.index(), offset-p.start
	line := sort.SearchInts(lines, at+1)
	return Position{
		File:   p.Name,
		Line:   p.above + line,
		Column: 1 + p.characters(at) - p.characters(lines[line-1]),
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
