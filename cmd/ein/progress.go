package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// What is shown of a long read: nothing at first, then a line a few times a
// second.
const (
	progressAfter = 2 * time.Second
	progressEvery = 200 * time.Millisecond
)

// progress is the line on a terminal that says how far a read has come.
type progress struct {
	w           io.Writer // nil: not a terminal
	what        string
	size, n     int64 // bytes in all, 0 when not known, and so far
	start, last time.Time
	now         func() time.Time
	shown       int // characters on the line
}

func (a *app) progress(what string, size int64) *progress {
	p := &progress{what: what, size: size, now: time.Now}
	p.start = p.now()
	p.last = p.start
	if a.terminal {
		p.w = a.err
	}
	return p
}

// reader counts what is read.
func (p *progress) reader(r io.Reader) io.Reader {
	if p.w == nil {
		return r
	}
	return progressReader{r, p}
}

type progressReader struct {
	io.Reader
	p *progress
}

func (r progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.p.n += int64(n)
	r.p.show()
	return n, err
}

func (p *progress) show() {
	now := p.now()
	elapsed := now.Sub(p.start)
	if elapsed < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	rate := float64(p.n) / elapsed.Seconds()
	line := fmt.Sprintf("%s: %s, %s/s", p.what, formatBytes(uint64(p.n)), formatBytes(uint64(rate)))
	if p.size > 0 && rate > 0 {
		left := time.Duration(float64(p.size-p.n) / rate * float64(time.Second)).Round(time.Second)
		line = fmt.Sprintf("%s: %3d%%, %s/s, %v left", p.what, 100*p.n/p.size, formatBytes(uint64(rate)), left)
	}
	p.put(line)
}

// put replaces the line.
func (p *progress) put(line string) {
	blank := strings.Repeat(" ", max(0, p.shown-len(line)))
	_, _ = fmt.Fprintf(p.w, "\r%s%s", line, blank)
	p.shown = len(line)
}

// done takes the line away.
func (p *progress) done() {
	if p.shown > 0 {
		p.put("")
		_, _ = io.WriteString(p.w, "\r")
	}
}
