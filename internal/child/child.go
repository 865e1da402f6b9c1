// Package child runs a program that answers each line on its standard input by a line on its
// standard output, such as a Python driver or a model.
//
// [Start] starts a [Process]; [Process.Ask] sends a line and waits for the answer. The program may
// fail in any way: it may write without being asked, write lines without end, hang, die, or leave
// children behind that hold its streams open. So one goroutine reads its lines and then waits for
// it, every wait ends with a context, and after any error the process has to be ended, since a late
// line would pass for the answer to the next request. Exactly one of [Process.Kill] and
// [Process.End] ends it. What it last wrote to standard error is kept, as that mostly says why it
// failed.
package child

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// grace is how long a program has to end once its input has.
const grace = 5 * time.Second

// Process is a running program that reads and writes lines.
type Process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan result // what it writes; closed at the end
	quit  chan struct{}
	done  chan struct{} // closed once it was waited for
	said  *tail

	answered time.Time // when the last answer came
}

// result is a line of a process, or the error of reading it.
type result struct {
	line []byte
	err  error
}

// Start starts a program and a goroutine that reads its lines, each of at most so many bytes. That
// goroutine waits for the program only after the last line, as os/exec requires of readers of its
// pipes. If stderr is not nil, what the program writes to standard error also goes there.
func Start(cmd *exec.Cmd, stderr io.Writer, most int) (*Process, error) {
	p := &Process{cmd: cmd, lines: make(chan result), quit: make(chan struct{}), done: make(chan struct{}), said: &tail{to: stderr}}
	apart(p.cmd)
	p.cmd.Stderr = p.said
	p.cmd.WaitDelay = grace // children of its own may keep its streams open
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.scan(out, most)
		_ = p.cmd.Wait() // Kill says how it ended
		close(p.done)
	}()
	return p, nil
}

// scan passes on the lines of a process that are not blank, until its end, an error or quit.
func (p *Process) scan(out io.Reader, most int) {
	defer close(p.lines)
	s := bufio.NewScanner(out)
	s.Buffer(make([]byte, 0, 64<<10), most)
	give := func(r result) bool {
		select {
		case p.lines <- r:
			return true
		case <-p.quit:
			return false
		}
	}
	for s.Scan() {
		if len(bytes.TrimSpace(s.Bytes())) > 0 && !give(result{line: bytes.Clone(s.Bytes())}) {
			return
		}
	}
	if s.Err() != nil {
		give(result{err: s.Err()})
	}
}

var errChatter = errors.New("it wrote a line that was not asked for")

// Ask sends a line and waits for one. At the end of the program's output the error is io.EOF. After
// an error the process is of no use: a late line would be taken for the answer to the next request.
func (p *Process) Ask(ctx context.Context, line []byte) ([]byte, error) {
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(bytes.Clone(line), '\n'))
		written <- err
	}()
	answer, err := p.Line(ctx)
	if err != nil {
		return nil, err
	}
	p.answered = time.Now()
	select { // a line before the request was read would be one to another request
	case err := <-written:
		return answer, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Line waits for a line.
func (p *Process) Line(ctx context.Context) ([]byte, error) {
	select {
	case r, ok := <-p.lines:
		if !ok {
			return nil, io.EOF
		}
		return r.line, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Waiting returns an error unless the process can be asked: it must be running and have written
// nothing unasked. A line within stray of the last answer is one too many, so Waiting returns only
// once that time has passed.
func (p *Process) Waiting(stray time.Duration) error {
	var r result
	var ok bool
	select {
	case r, ok = <-p.lines:
	case <-time.After(time.Until(p.answered.Add(stray))):
		select { // of two that are ready, the first select picks any
		case r, ok = <-p.lines:
		default:
			return nil
		}
	}
	switch {
	case !ok:
		return io.EOF
	case r.err != nil:
		return r.err
	}
	return errChatter
}

// Kill ends the process at once. It returns how the process ended, nil if that is unknown, and the
// last line it wrote to standard error.
func (p *Process) Kill() (state *os.ProcessState, said string) {
	close(p.quit)
	_ = p.in.Close()
	p.stop()
	return p.cmd.ProcessState, p.said.last()
}

// End closes the input and waits for the process to end. If it does not within grace, End kills it.
func (p *Process) End() {
	close(p.quit)
	_ = p.in.Close()
	select {
	case <-p.done:
	case <-time.After(grace):
		p.stop()
	}
}

// stop kills the process. It also closes the output, which a child of the process may hold open, so
// that the reading ends.
func (p *Process) stop() {
	select {
	case <-p.done: // its number may be another's by now
	default:
		kill(p.cmd)
	}
	_ = p.out.Close()
	<-p.done
}

// tail keeps the end of what is written to it, and passes everything on.
type tail struct {
	to  io.Writer
	mu  sync.Mutex
	end []byte
}

const maxTail = 2000

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if n := len(t.end) - maxTail; n > 0 {
		t.end = append([]byte(nil), t.end[n:]...)
	}
	if t.to != nil {
		_, _ = t.to.Write(b) // that it cannot be shown is no reason to end the program
	}
	return len(b), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.end)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
