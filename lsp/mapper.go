package lsp

import (
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"ein/lang/source"
)

// encoding is the unit in which the client counts columns.
type encoding uint8

const (
	utf8Units encoding = iota
	utf32Units
	utf16Units
)

// encodings are the protocol's names of them, the cheapest for the server first.
var encodings = [...]protocol.PositionEncodingKind{
	utf8Units:  protocol.PositionEncodingKindUTF8,
	utf32Units: protocol.PositionEncodingKindUTF32,
	utf16Units: protocol.PositionEncodingKindUTF16,
}

// mapper turns byte offsets of one text into positions of the protocol and back. In the protocol,
// a lone carriage return ends a line too; the language and lang/source know only line feeds.
type mapper struct {
	text     string
	encoding encoding
	lines    []int // offset of the first byte of each line

	// marks has for every stride bytes the columns that the text before takes, all
	// lines together, so that no line is too long. UTF-8 needs none.
	marks []int
}

const stride = 256

// newMapper reads the text once. A line ends at \n, \r\n or a lone \r.
func newMapper(text string, enc encoding) *mapper {
	m := &mapper{text: text, encoding: enc, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			m.lines = append(m.lines, i+1)
		}
	}
	if enc == utf8Units {
		return m
	}
	m.marks = make([]int, 0, len(text)/stride+1)
	columns := 0
	for i := 0; ; {
		// A character that a mark splits counts before it.
		for len(m.marks)*stride <= i {
			m.marks = append(m.marks, columns)
		}
		if i >= len(text) {
			return m
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		columns += m.units(r)
		i += size
	}
}

// units is the width of a character in UTF-16 or UTF-32.
func (m *mapper) units(r rune) int {
	if m.encoding == utf16Units && r >= 0x10000 {
		return 2
	}
	return 1
}

// columns is the number of columns that the text before an offset takes. The
// offset is the start of a character.
func (m *mapper) columns(offset int) int {
	if m.encoding == utf8Units {
		return offset
	}
	k := offset / stride
	i, n := m.start(k), m.marks[k]
	for i < offset {
		r, size := utf8.DecodeRuneInString(m.text[i:])
		n += m.units(r)
		i += size
	}
	return n
}

// start is where the first character at or after a mark begins.
func (m *mapper) start(mark int) int {
	i := mark * stride
	for i < len(m.text) && i > 0 && !utf8.RuneStart(m.text[i]) {
		i++
	}
	return i
}

// end is the end of a line, from 0, before what ends it.
func (m *mapper) end(line int) int {
	if line+1 == len(m.lines) {
		return len(m.text)
	}
	end := m.lines[line+1] - 1
	if m.text[end] == '\n' && end > m.lines[line] && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// position is where an offset is in the protocol. An offset inside a character is taken back to
// its start, as editors have no position there.
func (m *mapper) position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(m.text))
	for offset > 0 && offset < len(m.text) && !utf8.RuneStart(m.text[offset]) {
		offset--
	}
	line := sort.SearchInts(m.lines, offset+1) - 1
	return protocol.Position{Line: uint32(line), Character: uint32(m.columns(offset) - m.columns(m.lines[line]))}
}

// walk yields the lines and columns of increasing offsets, in one pass over the text.
type walk struct {
	*mapper
	at, line, column int
}

// to returns the position of an offset, which must not be before the last one.
func (w *walk) to(offset int) (line, column int) {
	for w.line+1 < len(w.lines) && w.lines[w.line+1] <= offset {
		w.line++
		w.at, w.column = w.lines[w.line], 0
	}
	for w.at < offset {
		r, size := utf8.DecodeRuneInString(w.text[w.at:])
		w.at += size
		if w.encoding == utf8Units {
			w.column += size
		} else {
			w.column += w.units(r)
		}
	}
	return w.line, w.column
}

// offset is the inverse of position. By the protocol, a place after the end of a line is its end,
// and one after the last line the end of the text; inside reports whether the place was in the
// text. A place within a character is the place before it.
func (m *mapper) offset(p protocol.Position) (offset int, inside bool) {
	if int64(p.Line) >= int64(len(m.lines)) {
		return len(m.text), false
	}
	start, end := m.lines[p.Line], m.end(int(p.Line))
	if m.encoding == utf8Units {
		if int64(p.Character) > int64(end-start) {
			return end, false
		}
		offset = start + int(p.Character)
		for offset > start && offset < len(m.text) && !utf8.RuneStart(m.text[offset]) {
			offset--
		}
		return offset, true
	}
	want := int64(m.columns(start)) + int64(p.Character)
	// The last mark that is not after the place, but in its line.
	k := sort.Search(end/stride+1, func(k int) bool { return int64(m.marks[k]) > want }) - 1
	if i := m.start(max(k, 0)); start < i && i <= end {
		start = i
	}
	column := int64(m.columns(start))
	for start < end {
		r, size := utf8.DecodeRuneInString(m.text[start:])
		if column+int64(m.units(r)) > want {
			return start, true
		}
		column += int64(m.units(r))
		start += size
	}
	return end, column == want
}

func (m *mapper) rangeOf(s source.Span) protocol.Range {
	return protocol.Range{Start: m.position(s.Start), End: m.position(s.End)}
}

// span is the inverse of rangeOf.
func (m *mapper) span(r protocol.Range) source.Span {
	start, _ := m.offset(r.Start)
	end, _ := m.offset(r.End)
	return source.Span{Start: start, End: end}
}
