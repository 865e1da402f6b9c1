package model

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"ein/internal/child"
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
	stray   time.Duration // see [program.take]

	mu     sync.Mutex
	idle   []*worker // that wait for a request; the last is asked first
	closed bool
}

// worker is a running process.
type worker struct {
	*child.Process
	named string // the id that its last reply gave; "" if it gave none
}

// stray is how long after a reply another line counts as one too many, if nothing in it would tell.
const stray = 5 * time.Millisecond

// maxLine bounds a line of a program in bytes.
const maxLine = MaxResponse

// openExec opens a program that answers requests. It is looked for now, so that a wrong name is
// an error before the run, but started by the first request.
func openExec(name string, o *Options) (Model, error) {
	args, err := split(name)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, err
	}
	n := max(1, o.Processes)
	return &program{command: name, args: args, opt: o, slots: make(chan struct{}, n), stray: stray}, nil
}

// split cuts a command into words. Quotes keep spaces together; nothing else is special, and no
// shell is involved.
func split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range s + " " {
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
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the command is missing")
	}
	return words, nil
}

// Name implements Model.
func (p *program) Name() string { return "exec:" + p.command }

// Body implements Model: it is the line.
func (p *program) Body(r *Request) (json.RawMessage, error) {
	if len(r.Tools) > 0 {
		return nil, &Error{Class: Denied, Message: "exec:COMMAND does not support tools", Hint: "Serve the model in a format with tools, and use openai:NAME with --base-url."}
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
	if err == nil {
		err = p.exchange(ctx, compact.Must(bodies), "", time.Duration(len(list))*p.opt.Timeout, func(w *worker, line []byte) error {
			w.named = ""
			var replies []json.RawMessage
			if err := json.Unmarshal(line, &replies); err != nil || len(replies) != len(list) {
				return &Error{Class: Protocol, Message: short(fmt.Sprintf("the program wrote a line that is not a list of %d replies: %s", len(list), line[:min(len(line), maxMessage)])),
					Hint: `Answer a line that holds a list with a line that holds a list, [{"reply": ...}, ...], in the same order.`, Err: err}
			}
			for i, reply := range replies {
				out[i], _, failed[i] = p.read(reply, list[i].ID)
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
	err = p.exchange(ctx, line, r.ID, p.opt.Timeout, func(w *worker, line []byte) (err error) {
		before := w.named
		if out, w.named, err = p.read(line, r.ID); err == nil && before != "" && w.named == "" {
			err = notReply(errors.New(`expected an "id", as in its last reply`), line)
		}
		return err
	})
	return out, err
}

// exchange sends a line to a program, and has the answer read. Replies to other requests do not have
// its id.
func (p *program) exchange(ctx context.Context, line []byte, id string, timeout time.Duration, read func(w *worker, line []byte) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	proc, err := p.take(id)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, err := proc.Ask(limited, line)
	if err == nil {
		err := read(proc, out)
		if e := (*Error)(nil); errors.As(err, &e) && e.Class == Protocol {
			proc.Kill() // who knows which request its next line would answer
		} else {
			p.put(proc)
		}
		return err
	}
	state, said := proc.Kill()
	why := "it was killed"
	if state != nil {
		why = state.String()
	}
	if said != "" {
		why += ": " + said
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &Error{Class: Transport, Message: fmt.Sprintf("the program wrote no line within %v and was stopped", timeout)}
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Class: Protocol, Message: fmt.Sprintf("the program wrote a line longer than %d bytes and was stopped", maxLine)}
	}
	return &Error{Class: Transport, Message: short("the program ended: " + why), Err: err}
}

// read is strict: a misspelt or contradictory member is an error of the program, since a misread
// reply would be scored as the model's. It also returns the id in the line.
func (p *program) read(line []byte, id string) (*Response, string, error) {
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
	err := compact.Wrong(d.Decode(&b))
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text follows the object")
		}
	}
	u, finish, class := &b.Usage, cmp.Or(b.Finish, Stop), cmp.Or(b.Class, Rejected)
	switch {
	case err != nil:
	case (b.Reply == nil) == (b.Error == nil):
		err = errors.New(`expected either "reply" or "error"`)
	case b.ID != nil && *b.ID != id:
		err = fmt.Errorf("it answers %q, but the request was %q", *b.ID, id)
	case u.Input < 0 || u.CachedInput < 0 || u.Output < 0 || u.Reasoning < 0:
		err = errors.New("a token count is negative")
	case u.CachedInput > u.Input || u.Reasoning > u.Output:
		err = errors.New("a token count exceeds its total: input includes cached_input, output includes reasoning")
	case b.Reply != nil && !slices.Contains([]Finish{Stop, Length, Refusal, ContentFilter, Other}, finish):
		err = fmt.Errorf("unknown finish %q", finish)
	case b.Error != nil && !slices.Contains([]Class{RateLimit, Overloaded, Transport, Protocol, Quota, Denied, Rejected}, class):
		err = fmt.Errorf("unknown class %q", class)
	}
	switch {
	case err != nil:
		return nil, "", notReply(err, line)
	case b.ID == nil:
		id = ""
	}
	if b.Error != nil {
		return nil, id, &Error{Class: class, Message: short(*b.Error)}
	}
	return &Response{Text: *b.Reply, Reasoning: b.Reasoning, Finish: finish, Usage: b.Usage, Model: cmp.Or(b.Model, p.command), RequestID: b.RequestID, Limits: noLimits}, id, nil
}

// notReply is the error of a program that writes something else than replies.
func notReply(err error, line []byte) *Error {
	return &Error{Class: Protocol, Message: short(fmt.Sprintf("the program wrote a line that is not a reply: %v: %s", err, line[:min(len(line), maxMessage)])),
		Hint: `A line is {"reply": ...} or {"error": ...}.`, Err: err}
}

// take returns a process that is ready for a request with an id: a running one, so that no more are
// started than are needed at once, or else a new one. Unless its next reply can be told by its id
// from another to the last request, it is first given a moment to write one line too many.
func (p *program) take(id string) (*worker, error) {
	denied := func(err error) error {
		return &Error{Class: Denied, Message: short(err.Error()), Hint: "Check the command.", Err: err}
	}
	for {
		proc, err := p.waiting()
		if err != nil {
			return nil, denied(err)
		}
		if proc == nil {
			break
		}
		wait := p.stray
		if proc.named != "" && proc.named != id {
			wait = 0
		}
		if err = proc.Waiting(wait); err == nil {
			return proc, nil
		}
		proc.Kill()
		if !errors.Is(err, io.EOF) { // that would be between two requests, and neither is lost
			return nil, &Error{Class: Protocol, Message: "the program wrote an extra line and was stopped",
				Hint: "Write one line of output for each line of input, and everything else to standard error.", Err: err}
		}
	}
	proc, err := child.Start(exec.Command(p.args[0], p.args[1:]...), p.opt.Stderr, maxLine)
	if err != nil {
		return nil, denied(err)
	}
	return &worker{Process: proc}, nil
}

// waiting takes a process out of the pool, nil if it is empty.
func (p *program) waiting() (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("the model is closed")
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	proc := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return proc, nil
}

// put returns a process to the pool.
func (p *program) put(proc *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		proc.End()
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
		wg.Go(proc.End)
	}
	wg.Wait()
	p.idle = nil
	return nil
}
