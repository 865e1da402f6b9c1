package graphio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"unicode/utf8"
)

// maxLine is the longest line, and the longest quoted record, of a text file.
const maxLine = 1 << 20

// lines reads a text file line by line.
type lines struct {
	in   *input
	long []byte // a line that does not fit the buffer of in
	no   int    // number of the line last returned
	cr   bool   // which ended in CRLF
}

// newLines refuses lines that end in CR alone: the file would be one line, and is empty if that is a
// header.
func newLines(in *input) *lines {
	head, _ := in.Peek(sniffLen) // a failure comes back with the first line
	if at := bytes.IndexByte(head, '\r'); at >= 0 && at < len(head)-1 && bytes.IndexByte(head, '\n') < 0 {
		panic(&Error{File: in.name, Line: 1, Msg: "lines end in CR", Hint: "convert them to LF"})
	}
	return &lines{in: in}
}

// next is the next line without its end (LF or CRLF), or nil at the end of the
// file. It is valid until the next call.
func (l *lines) next() []byte {
	line, err := l.in.ReadSlice('\n')
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.rest(line)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			panic(err)
		}
		if len(line) == 0 {
			return nil
		}
	}
	l.no++
	n := len(line)
	if n > 0 && line[n-1] == '\n' {
		n--
	}
	if n > maxLine {
		panic(&Error{File: l.in.name, Line: l.no, Limit: true, Msg: fmt.Sprintf("the line is longer than %d bytes", maxLine)})
	}
	if l.cr = n > 0 && line[n-1] == '\r'; l.cr {
		n--
	}
	return line[:n]
}

// rest reads on in a line that is longer than the buffer, as far as a line may go.
func (l *lines) rest(line []byte) (_ []byte, err error) {
	if l.long == nil {
		l.long = newSlice[byte](l.in.mem, maxLine+2*sniffLen)
	}
	l.long = append(l.long[:0], line...)
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull) && len(l.long) <= maxLine+1; {
		line, err = l.in.ReadSlice('\n')
		l.long = append(l.long, line...)
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	return l.long, err
}

// column is the position, in characters from 1, of the byte at off.
func column(line []byte, off int) int { return utf8.RuneCount(line[:off]) + 1 }

// lineRuns remembers the line of every edge as arithmetic progressions: in a
// file with one edge a line that is a single run, where a number for each edge
// would cost as much as the edge.
type lineRuns struct{ chunks[lineRun] }

// lineRun is edges in a row from edge on, whose lines begin at line and are step apart.
type lineRun struct {
	line       int
	edge, step int32
}

// add records the line of an edge. It takes memory only where the edge does not continue the last
// run.
func (l *lineRuns) add(edge, line int) {
	if n := len(l.tail); n > 0 {
		last := &l.tail[n-1]
		if step := line - last.line; edge == int(last.edge)+1 && step == int(int32(step)) {
			last.step = int32(step)
		}
		if line == last.line+(edge-int(last.edge))*int(last.step) {
			return
		}
	}
	l.chunks.add(lineRun{edge: int32(edge), line: line})
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
