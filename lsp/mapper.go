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
	utf16Units
	utf32Units
)

// mapper turns byte offsets of one text into positions of the protocol and back. In the protocol,
// a lone carriage return ends a line too; the language and lang/source know only line feeds.
type mapper struct {
	text     string
	encoding encoding
	lines    []int // offset of the first byte of each line
}

func newMapper(text string, enc encoding) *mapper {
	m := &mapper{text: text, encoding: enc, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			m.lines = append(m.lines, i+1)
		}
	}
	return m
}

// next is where the character after the one at an offset begins, and the columns that that one takes.
func (m *mapper) next(offset int) (after, columns int) {
	r, size := utf8.DecodeRuneInString(m.text[offset:])
	switch {
	case m.encoding == utf8Units:
		columns = size
	case m.encoding == utf16Units && r >= 0x10000:
		columns = 2
	default:
		columns = 1
	}
	return offset + size, columns
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
	w := walk{mapper: m, line: line, at: m.lines[line]}
	_, column := w.to(offset)
	return protocol.Position{Line: uint32(line), Character: uint32(column)}
}

// walk yields the lines and columns of increasing offsets, in one pass over the text.
type walk struct {
	*mapper
	at, line, column int
}

func (w *walk) to(offset int) (line, column int) {
	for w.line+1 < len(w.lines) && w.lines[w.line+1] <= offset {
		w.line++
		w.at, w.column = w.lines[w.line], 0
	}
	for w.at < offset {
		after, columns := w.next(w.at)
		w.at, w.column = after, w.column+columns
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
	at, end, column := m.lines[p.Line], m.end(int(p.Line)), int64(0)
	for at < end {
		after, columns := m.next(at)
		if column+int64(columns) > int64(p.Character) {
			return at, true
		}
		at, column = after, column+int64(columns)
	}
	return end, column == int64(p.Character)
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
