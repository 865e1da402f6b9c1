// Package source holds the text of a program and converts byte offsets to files, lines
// and columns.
//
// A [File] is the text, a [Span] a range of byte offsets. All other packages work with
// these; a [Position] is made only when a person or an editor has to read one.
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

// Pos makes a node of what embeds its span.
func (s Span) Pos() Span { return s }

// Len returns the number of bytes the span covers.
func (s Span) Len() int { return s.End - s.Start }

// Join returns the smallest span that covers both.
func (s Span) Join(t Span) Span { return Span{min(s.Start, t.Start), max(s.End, t.End)} }

// Contains reports whether offset lies in the span; the end counts, because a
// cursor stands between bytes.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset <= s.End }

// Position is a place as a person counts it. Line and Column start at 1; Column
// counts Unicode code points. Offset counts bytes from 0, of all the text if File is one of
// several parts of it. Of a file that is no program, what is not known is 0.
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

// Append returns the file followed by a text that was read at a line of another one.
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

// index returns the offsets of the lines. It is made when a position is first asked for.
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

// LineAt returns the line around an offset, in the file that has it, without its ending.
func (f *File) LineAt(offset int) Span {
	p := f.part(offset)
	lines := p.index()
	line := max(sort.SearchInts(lines, offset-p.start+1), 1)
	s := Span{lines[line-1], len(p.Text)}
	if line < len(lines) {
		s.End = lines[line] - 1
	}
	if s.End > s.Start && p.Text[s.End-1] == '\r' {
		s.End--
	}
	return Span{p.start + s.Start, p.start + s.End}
}

// EOL is how lines end: as the first one does.
func (f *File) EOL() string {
	if strings.HasPrefix(f.Text[f.LineAt(0).End:], "\r\n") {
		return "\r\n"
	}
	return "\n"
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
