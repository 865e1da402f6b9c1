package repl

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
)

// Plain reads lines from an input that is not a terminal. A line longer than a program may be is an
// error.
type Plain struct{ *bufio.Scanner }

// NewPlain reads from r.
func NewPlain(r io.Reader) *Plain {
	p := &Plain{bufio.NewScanner(r)}
	p.Buffer(nil, maxProgram)
	return p
}

// ReadLine implements LineReader.
func (p *Plain) ReadLine(string) (string, error) {
	if p.Scan() {
		return p.Text(), nil
	}
	if errors.Is(p.Err(), bufio.ErrTooLong) {
		return "", fmt.Errorf("a line is longer than %d bytes", maxProgram)
	}
	return "", cmp.Or(p.Err(), io.EOF)
}

// Remember implements LineReader.
func (*Plain) Remember(string) {}
