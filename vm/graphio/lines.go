package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"unicode/utf8"
)

// maxLine is the longest line, and the longest quoted record, of a text file.
const maxLine = 1 << 20

// lines reads a text file line by line without copying.
type lines struct {
	in         *input
	buf        []byte
	start, end int
	eof        bool
	no         int // number of the line last returned
}

func newLines(in *input) *lines { return &lines{in: in, buf: make([]byte, 1<<16)} }

// next is the next line without its end (LF or CRLF), or nil at the end of the
// file. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+scanned+i]
			if len(line) > maxLine {
				return nil, l.tooLong()
			}
			l.start += scanned + i + 1
			return l.take(line), nil
		}
		if l.eof {
			line := l.buf[l.start:l.end]
			if len(line) > maxLine {
				return nil, l.tooLong()
			}
			l.start = l.end
			if len(line) == 0 {
				return nil, nil
			}
			return l.take(line), nil
		}
		scanned = l.end - l.start
		if scanned > maxLine {
			return nil, l.tooLong()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// tooLong refuses the line at hand, which it reads on for its length alone.
func (l *lines) tooLong() error {
	n := 0
	for {
		i := bytes.IndexByte(l.buf[l.start:l.end], '\n')
		if i < 0 {
			i = l.end - l.start
		}
		n += i
		l.start += i
		if l.start < l.end || l.eof {
			return &Error{File: l.in.name, Line: l.no + 1, Limit: true, Msg: fmt.Sprintf("the line has %d bytes, the limit is %d", n, maxLine)}
		}
		if err := l.fill(); err != nil {
			return err
		}
	}
}

// fill moves the unread part to the front of the buffer and reads more.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		if err := l.in.mem.take(len(l.buf)); err != nil {
			return err
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.in.Read(l.buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.eof = true
		return nil
	}
	return err
}

func (l *lines) take(line []byte) []byte {
	l.no++
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if line == nil {
		line = []byte{}
	}
	return line
}

// column is the position, in characters from 1, of the byte at off.
func column(line []byte, off int) int { return utf8.RuneCount(line[:off]) + 1 }

// lineRuns remembers the line of every edge as arithmetic progressions: in a
// file with one edge a line that is a single run, where a number for each edge
// would cost as much as the edge.
type lineRuns struct{ chunks[lineRun] }

type lineRun struct {
	line       int
	edge, step int32
}

func (l *lineRuns) add(edge, line int) error {
	if n := len(l.tail); n > 0 {
		last := &l.tail[n-1]
		if step := line - last.line; edge == int(last.edge)+1 && step == int(int32(step)) {
			last.step = int32(step)
		}
		if line == last.line+(edge-int(last.edge))*int(last.step) {
			return nil
		}
	}
	return l.chunks.add(lineRun{edge: int32(edge), line: line})
}

// at is the line of an edge.
func (l *lineRuns) at(edge int) int {
	i := sort.Search(l.len(), func(i int) bool { return int(l.chunks.at(i).edge) > edge })
	if i == 0 {
		return 0
	}
	r := l.chunks.at(i - 1)
	return r.line + (edge-int(r.edge))*int(r.step)
}
