package repl

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/chzyer/readline"
)

// The library edits one line. One with these runes, which no text has, stands for
// several: filler after the end of a line takes the room that is left in the row of the
// terminal, and that of the prompt in the next. What does not fit the screen, or is
// being searched for, has no filler, and shows its line ends as marks.
const (
	lineEnd = '\uFDD0'
	filler  = '\uFDD1'
)

// editor lays out a line of the library and has the keys that move between its rows.
type editor struct {
	size      func() (columns, rows int)
	kick      func() // makes the library read after the Delete key
	paste     func() []rune
	search    func(rune)
	indent    int    // of the first row
	line      []rune // as the library has it
	pos       int
	next      []rune // what a key made of it, and where it leaves the cursor
	nextPos   int
	searching bool
	run       []rune // what the rune pasted stands for, once it came
}

// plain is a line without filler, and a place in it.
func plain(line []rune, pos int) ([]rune, int) {
	isFiller := func(r rune) bool { return r == filler }
	before := slices.DeleteFunc(slices.Clone(line[:pos]), isFiller)
	return append(before, slices.DeleteFunc(slices.Clone(line[pos:]), isFiller)...), len(before)
}

// text is a line as it is entered.
func text(line []rune) string {
	line, _ = plain(line, 0)
	return strings.ReplaceAll(string(line), string(lineEnd), "\n")
}

// laid is a plain line with its filler.
func (e *editor) laid(line []rune, pos int) ([]rune, int) {
	columns, rows := e.size()
	var out []rune
	at, cells := 0, e.indent
	for i, r := range line {
		if i == pos {
			at = len(out)
		}
		out = append(out, r)
		if cells += (readline.Runes{}).Width(r); r == lineEnd {
			fill := len(continuation) + (columns-cells%columns)%columns
			out = append(out, slices.Repeat([]rune{filler}, fill)...)
			cells += fill
		}
	}
	if cells/columns+2 > rows || columns <= len(continuation) {
		return line, pos
	}
	if pos == len(line) {
		at = len(out)
	}
	return out, at
}

// key sees a key before the library acts on it.
func (e *editor) key(r rune) (rune, bool) {
	e.next = nil
	if r == pasted {
		e.run = e.paste()
	}
	if r == readline.CharBckSearch || r == readline.CharFwdSearch {
		e.searching = true
	}
	if e.searching = e.searching && (r >= ' ' || r == readline.CharBckSearch || r == readline.CharFwdSearch || r == readline.CharCtrlH); e.searching {
		if r == pasted {
			last := len(e.run) - 1
			for _, c := range e.run[:last] {
				e.search(c)
			}
			r = e.run[last]
		}
		return r, true
	}
	line, pos := plain(e.line, e.pos)
	end := func(from int) int { // of the row
		if i := slices.Index(line[from:], lineEnd); i >= 0 {
			return from + i
		}
		return len(line)
	}
	start := func(of int) int {
		for of > 0 && line[of-1] != lineEnd {
			of--
		}
		return of
	}
	first, last := start(pos), end(pos)
	if first == 0 && last == len(line) {
		return r, true
	}
	switch {
	case r == readline.CharBackward && pos > 0:
		pos--
	case r == readline.CharForward && pos < len(line):
		pos++
	case r == readline.CharLineStart:
		pos = first
	case r == readline.CharLineEnd:
		pos = last
	case (r == readline.CharBackspace || r == readline.CharCtrlH) && pos > 0:
		pos--
		line = slices.Delete(line, pos, pos+1)
	case r == readline.CharDelete && pos < len(line):
		line = slices.Delete(line, pos, pos+1)
		e.kick()
	case r == readline.CharPrev && first > 0:
		above := start(first - 1)
		pos = min(above+pos-first, first-1)
	case r == readline.CharNext && last < len(line):
		pos = min(last+1+pos-first, end(last+1))
	default:
		return r, true
	}
	e.next, e.nextPos = line, pos
	return readline.CharBell, true // which does nothing
}

// OnChange implements readline.Listener: it sees what a key has done.
func (e *editor) OnChange(line []rune, pos int, key rune) ([]rune, int, bool) {
	if key == 0 { // the line begins
		return nil, 0, false
	}
	e.line, e.pos = line, pos
	if i := slices.Index(line, pasted); i >= 0 {
		e.line, e.pos = slices.Concat(line[:i], e.run, line[i+1:]), pos+len(e.run)-1
	}
	switch {
	case e.searching:
		return nil, 0, false
	case e.next != nil:
		e.line, e.pos = e.laid(e.next, e.nextPos)
	case slices.Contains(line, lineEnd) || slices.Contains(line, filler):
		e.line, e.pos = e.laid(plain(e.line, e.pos))
	}
	return slices.Clone(e.line), e.pos, pos != e.pos || !slices.Equal(line, e.line)
}

// wrapped is the terminal that the library writes to. To go from the first cell of a row to the row
// above, the library goes left and then up, but in tmux and others left already goes up.
type wrapped struct{ io.Writer }

func (w wrapped) Write(p []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(p, []byte("\b\x1b[A\r"), []byte("\x1b[A\r")))
	return len(p), err
}

// painter shows a line.
type painter struct{ color bool }

// Paint implements readline.Painter.
func (p painter) Paint(line []rune, _ int) []rune {
	var b strings.Builder
	for i, row := range strings.Split(string(line), string(lineEnd)) {
		code := strings.TrimLeft(row, string(filler))
		switch fill := (len(row) - len(code)) / len(string(filler)); {
		case i == 0:
		case fill == 0:
			b.WriteRune('↵')
		default:
			b.WriteString(strings.Repeat(" ", 1+fill-len(continuation)) + continuation)
		}
		if p.color {
			code = Paint(code)
		}
		b.WriteString(code)
	}
	return []rune(b.String())
}
