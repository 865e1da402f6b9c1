package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Plain reads lines from an input that is not a terminal. A line longer than a program may be is an
// error.
type Plain struct{ r *bufio.Reader }

// NewPlain reads from r.
func NewPlain(r io.Reader) *Plain { return &Plain{bufio.NewReader(r)} }

// ReadLine implements LineReader.
func (p *Plain) ReadLine(string) (string, error) {
	var b strings.Builder
	for {
		part, err := p.r.ReadSlice('\n')
		b.Write(part)
		switch {
		case b.Len() > maxProgram:
			return "", fmt.Errorf("a line is longer than %d bytes", maxProgram)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), err
	}
}

// Remember implements LineReader.
func (p *Plain) Remember(string) {}
