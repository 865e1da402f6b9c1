package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ein/internal/compact"
)

// program is a model that is a local program. It is kept running: for each line of
// JSON on its standard input it writes one on its standard output.
//
//	in   {"id", "sample", "mode", "system", "user", "params": {...}}
//	out  {"reply", "finish", "reasoning", "model", "usage": {"input", "output", ...}}
//	or   {"error", "class"}
//
// A line may be a list of requests; the answer is then a list of as many, in the same order.
//
// Of a reply only "reply" is needed; "finish" is stop, length, refusal,
// content_filter or other, and an "id" has to be that of the request. An error has a
// class of this package; without one, it is about this request alone. A program that
// ends, takes longer than the timeout, or writes a line that is no reply, is started
// again for the next request.
type program struct {
	command string
	args    []string
	opt     *Options
	slots   chan struct{} // one for each process that may run

	mu     sync.Mutex
	idle   []*process // that wait for a request; the last is asked first
	closed bool
}

// maxLine bounds a line of a program in bytes.
const maxLine = MaxResponse

// grace is how long a program may take to end once its input has ended.
const grace = 5 * time.Second

func openExec(name string, o *Options) (Model, error) {
	args, err := split(name)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, err
	}
	n := max(1, o.Processes)
	return &program{command: name, args: args, opt: o, slots: make(chan struct{}, n)}, nil
}

// split cuts a command into words. Quotes keep spaces together; nothing else is special, and no
// shell is involved.
func split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if open || word.Len() > 0 {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it has no command")
	}
	return words, nil
}

// Name implements Model.
func (p *program) Name() string { return "exec:" + p.command }

// Body implements Model: it is the line.
func (p *program) Body(r *Request) (json.RawMessage, error) {
	if len(r.Tools) > 0 {
		return nil, &Error{Class: Denied, Message: "the protocol of exec:COMMAND has no tools", Hint: "Serve the model in a format that has them, and ask openai:NAME with --base-url."}
	}
	return compact.JSON(struct {
		ID     string `json:"id"`
		Sample int    `json:"sample"`
		Mode   string `json:"mode"`
		System string `json:"system"`
		User   string `json:"user"`
		Params Params `json:"params"`
	}{r.ID, r.Sample, r.Mode, r.System, r.User, r.Params})
}

// Grouper is a model that takes several requests at once, and answers all of them before it takes
// more.
type Grouper interface {
	Model
	// Groups is how many groups may be asked at a time.
	Groups() int
	// AskAll gives a response or an error for each request.
	AskAll(ctx context.Context, list []*Request) ([]*Response, []error)
}

// Groups implements Grouper.
func (p *program) Groups() int { return cap(p.slots) }

// AskAll implements Grouper.
func (p *program) AskAll(ctx context.Context, list []*Request) ([]*Response, []error) {
	out, failed := make([]*Response, len(list)), make([]error, len(list))
	bodies := make([]json.RawMessage, len(list))
	var err error
	for i, r := range list {
		if bodies[i], err = p.Body(r); err != nil {
			break
		}
	}
	var line json.RawMessage
	if err == nil {
		line, err = compact.JSON(bodies)
	}
	if err == nil {
		err = p.exchange(ctx, line, time.Duration(len(list))*p.opt.timeout(), func(line []byte) error {
			var replies []json.RawMessage
			if err := json.Unmarshal(line, &replies); err != nil || len(replies) != len(list) {
				return &Error{Class: Protocol, Message: short(fmt.Sprintf("the program wrote a line that is not a list of %d replies: %s", len(list), line[:min(len(line), maxMessage)])),
					Hint: `The answer to a line with a list is a line with a list, [{"reply": ...}, ...], in the same order.`, Err: err}
			}
			for i, reply := range replies {
				out[i], failed[i] = p.read(reply, list[i].ID)
			}
			return nil
		})
	}
	for i := range failed {
		if err != nil {
			failed[i] = err
		}
	}
	return out, failed
}

// Ask implements Model.
func (p *program) Ask(ctx context.Context, r *Request) (out *Response, err error) {
	line, err := p.Body(r)
	if err != nil {
		return nil, err
	}
	err = p.exchange(ctx, line, p.opt.timeout(), func(line []byte) (err error) {
		out, err = p.read(line, r.ID)
		return err
	})
	return out, err
}

// exchange sends a line to a program, and has the answer read.
func (p *program) exchange(ctx context.Context, line []byte, timeout time.Duration, read func(line []byte) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	proc, err := p.take()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, err := proc.ask(limited, line)
	if err == nil {
		err := read(out)
		if e := (*Error)(nil); errors.As(err, &e) && e.Class == Protocol {
			proc.kill() // who knows which request its next line would answer
		} else {
			p.put(proc)
		}
		return err
	}
	why := proc.kill()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &Error{Class: Transport, Message: fmt.Sprintf("the program gave no line within %v and was ended", timeout)}
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Class: Protocol, Message: fmt.Sprintf("the program wrote a line of more than %d bytes and was ended", maxLine)}
	}
	return &Error{Class: Transport, Message: short("the program has ended: " + why), Err: err}
}

// read is strict: a misspelt or contradictory member is an error of the program, since a misread
// reply would be scored as the model's.
func (p *program) read(line []byte, id string) (*Response, error) {
	var b struct {
		ID        *string `json:"id"`
		Reply     *string `json:"reply"`
		Finish    Finish  `json:"finish"`
		Reasoning string  `json:"reasoning"`
		Model     string  `json:"model"`
		RequestID string  `json:"request_id"`
		Usage     Usage   `json:"usage"`
		Error     *string `json:"error"`
		Class     Class   `json:"class"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&b)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other) && other.Field == "": // the error of the package shows our struct
		err = fmt.Errorf("it is a JSON %s, expected an object", other.Value)
	case errors.As(err, &other):
		err = fmt.Errorf("%q is a JSON %s, expected another type", other.Field, other.Value)
	}
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is text behind the object")
		}
	}
	if err == nil && (b.Reply == nil) == (b.Error == nil) {
		err = errors.New(`it needs "reply" or "error"`)
	}
	if err == nil && b.ID != nil && *b.ID != id {
		err = fmt.Errorf("it answers %q, asked was %q", *b.ID, id)
	}
	if u := &b.Usage; err == nil && (u.Input < 0 || u.CachedInput < 0 || u.Output < 0 || u.Reasoning < 0) {
		err = errors.New("a token count is negative")
	} else if err == nil && (u.CachedInput > u.Input || u.Reasoning > u.Output) {
		err = errors.New("a token count is larger than its total: input includes cached_input, output includes reasoning")
	}
	if err == nil && b.Reply != nil {
		switch b.Finish {
		case "":
			b.Finish = Stop
		case Stop, Length, Refusal, ContentFilter, Other:
		default:
			err = fmt.Errorf("there is no finish %q", b.Finish)
		}
	}
	if err == nil && b.Error != nil {
		switch b.Class {
		case "":
			b.Class = Rejected
		case RateLimit, Overloaded, Transport, Protocol, Quota, Denied, Rejected:
		default:
			err = fmt.Errorf("there is no class %q", b.Class)
		}
	}
	if err != nil {
		return nil, &Error{Class: Protocol, Message: short(fmt.Sprintf("the program wrote a line that is not a reply: %v: %s", err, line[:min(len(line), maxMessage)])),
			Hint: `A line is {"reply": ...} or {"error": ...}.`, Err: err}
	}
	if b.Error != nil {
		return nil, &Error{Class: b.Class, Message: short(*b.Error)}
	}
	if b.Model == "" {
		b.Model = p.command
	}
	return &Response{Text: *b.Reply, Reasoning: b.Reasoning, Finish: b.Finish, Usage: b.Usage, Model: b.Model, RequestID: b.RequestID,
		Limits: Limits{RemainingRequests: -1, RemainingTokens: -1}}, nil
}

// take is a process that is ready: a running one, so that no more are started than are needed at
// once, or else a new one.
func (p *program) take() (*process, error) {
	denied := func(err error) error {
		return &Error{Class: Denied, Message: short(err.Error()), Hint: "Check the command.", Err: err}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, denied(errors.New("the model is closed"))
	}
	for len(p.idle) > 0 {
		proc := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		err := proc.waiting()
		if err == nil {
			return proc, nil
		}
		proc.kill()
		if !errors.Is(err, errEnded) { // that would be between two requests, and neither is lost
			return nil, &Error{Class: Protocol, Message: "the program wrote a line that was not asked for and was ended",
				Hint: "One line of output for each line of input: what else it says belongs on standard error.", Err: err}
		}
	}
	proc, err := start(p.args, p.opt.Stderr)
	if err != nil {
		return nil, denied(err)
	}
	return proc, nil
}

// put returns a process to the pool.
func (p *program) put(proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		proc.end()
		return
	}
	p.idle = append(p.idle, proc)
}

// Close ends the programs; one that is being asked ends with its reply.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var wg sync.WaitGroup
	for _, proc := range p.idle {
		wg.Go(proc.end)
	}
	wg.Wait()
	p.idle = nil
	return nil
}

// process is one running program.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan result // what it writes; closed at the end
	quit  chan struct{}
	done  chan struct{} // closed once it was waited for
	said  *tail
	err   error // of waiting; after done
}

type result struct {
	line []byte
	err  error
}

// start starts the program and a reader of its lines. Wait comes after the last line, as
// os/exec demands of those who read its pipes.
func start(args []string, stderr io.Writer) (*process, error) {
	p := &process{cmd: exec.Command(args[0], args[1:]...), lines: make(chan result), quit: make(chan struct{}), done: make(chan struct{}), said: &tail{to: stderr}}
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
		p.scan(out)
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) scan(out io.Reader) {
	defer close(p.lines)
	s := bufio.NewScanner(out)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
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

var (
	errEnded   = errors.New("its output has ended")
	errChatter = errors.New("it wrote a line that was not asked for")
)

// ask sends a line and waits for one. After an error the process is not used again: a late line
// would be taken for the answer to the next request.
func (p *process) ask(ctx context.Context, line []byte) ([]byte, error) {
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(bytes.Clone(line), '\n'))
		written <- err
	}()
	select {
	case r, ok := <-p.lines:
		if !ok {
			return nil, errEnded
		}
		if r.err != nil {
			return nil, r.err
		}
		// A line before the request was read would be one to another request.
		select {
		case err := <-written:
			return r.line, err
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

// waiting reports whether the process is ready: it runs, and has not written anything unasked.
func (p *process) waiting() error {
	select {
	case r, ok := <-p.lines:
		switch {
		case !ok:
			return errEnded
		case r.err != nil:
			return r.err
		}
		return errChatter
	default:
		return nil
	}
}

// kill ends the process at once and says how it ended.
func (p *process) kill() string {
	close(p.quit)
	_ = p.in.Close()
	p.stop()
	why := "it was killed"
	if p.cmd.ProcessState != nil {
		why = p.cmd.ProcessState.String()
	}
	if s := p.said.last(); s != "" {
		why += ": " + s
	}
	return why
}

// end closes the input, waits, and kills the process if it does not end.
func (p *process) end() {
	close(p.quit)
	_ = p.in.Close()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
		p.stop()
	}
}

// stop kills the process. A child of its own may hold its output open, so reading ends here too.
func (p *process) stop() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.out.Close()
	<-p.done
}

// tail passes on what is written, and keeps the end of it.
type tail struct {
	to  io.Writer
	mu  sync.Mutex
	end []byte
}

const maxTail = 1 << 10

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

// last is the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.end)), "\n")
	return short(lines[len(lines)-1])
}
