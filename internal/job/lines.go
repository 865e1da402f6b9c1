package job

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// MaxLine bounds a line in bytes: a reply of the longest length that is scored, in
// escapes, with its reasoning.
const MaxLine = 64 << 20

// Line is a line of a file.
type Line struct {
	Text       []byte // without the newline; valid until the next
	Offset     int64
	Length     int64 // with the newline
	Number     int   // from 1
	Terminated bool
	TooLong    bool // Text is cut off then
}

// FileLines is Lines for a file.
func FileLines(name string, yield func(*Line) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return Lines(f, yield)
}

// Lines yields the lines of r in order, until there are no more or yield returns an error. It
// holds one line in memory.
func Lines(r io.Reader, yield func(*Line) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	l := Line{}
	var buf []byte
	for {
		l.Number++
		l.Length, l.Terminated, l.TooLong = 0, false, false
		buf = buf[:0]
		var err error
		for {
			var part []byte
			part, err = in.ReadSlice('\n')
			l.Length += int64(len(part))
			if len(buf)+len(part) <= MaxLine {
				buf = append(buf, part...)
			} else {
				l.TooLong = true
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if l.Length == 0 {
			return nil
		}
		l.Terminated = err == nil
		l.Text = bytes.TrimSuffix(buf, []byte("\n"))
		if err := yield(&l); err != nil {
			return err
		}
		l.Offset += l.Length
		if err != nil {
			return nil
		}
	}
}
