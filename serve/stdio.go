package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// MaxMessage bounds a message over streams, in bytes, and MaxHeader the line before it.
const (
	MaxMessage = 4 << 30
	MaxHeader  = 64 << 10
)

// header is the line before a message.
type header struct {
	ID     uint64  `json:"id"`
	Call   string  `json:"call,omitzero"`   // of a request, such as "POST /v1/run"
	Cancel bool    `json:"cancel,omitzero"` // of a request: end the one with this id
	Status int     `json:"status,omitzero"` // of an answer
	Body   int64   `json:"body,omitzero"`   // bytes
	Frames []int64 `json:"frames,omitzero"` // bytes of each
}

// Stdio serves one client over two streams until the first one ends, and answers what
// was asked by then. docs/serving.md has the form of the messages.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := &messages{w: bufio.NewWriterSize(out, 1<<16)}
	if err := w.greet(); err != nil {
		return err
	}
	// Goroutines stay for the next request: on a new one the stack is copied several
	// times as it grows, which takes as long as a small program.
	var workers sync.WaitGroup
	defer workers.Wait()
	requests := make(chan func())
	defer close(requests)
	begin := func(request func()) {
		select {
		case requests <- request:
		default:
			workers.Go(func() {
				for ; request != nil; request = <-requests {
					request()
				}
			})
		}
	}
	running := calls{cancel: map[uint64]context.CancelFunc{}}
	r := bufio.NewReaderSize(in, MaxHeader)
	for {
		h, c, err := readMessage(r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			// Where the next message begins is not known.
			return errors.Join(err, w.answer(h.ID, refused(http.StatusBadRequest, err.Error())))
		case h.Cancel:
			running.end(h.ID)
			continue
		}
		ok := s.find(c, h.Call)
		call, cancel := context.WithCancel(ctx)
		switch {
		case !ok:
			err = w.answer(h.ID, refused(http.StatusNotFound, fmt.Sprintf("there is no call %q", h.Call)))
		case !running.begin(h.ID, cancel):
			err = w.answer(h.ID, refused(http.StatusConflict, fmt.Sprintf("the request %d is still being answered", h.ID)))
		default:
			begin(func() {
				a := s.whole(call, c)
				running.end(h.ID)
				if w.answer(h.ID, a) != nil {
					stop() // nobody reads any more
				}
			})
			continue
		}
		cancel()
		if err != nil {
			return err
		}
	}
}

// whole is the answer to a call, and all of it.
func (s *Server) whole(ctx context.Context, c *Call) *Answer {
	ctx, stop := context.WithTimeout(ctx, c.Route.Deadline)
	defer stop()
	a := s.do(ctx, c)
	if a.Stream == nil {
		return a
	}
	var b bytes.Buffer
	if err := a.Stream(ctx, &b); err != nil {
		return failure(err)
	}
	return &Answer{Status: a.Status, Body: b.Bytes()}
}

// Ask asks a call with a body, and gives the answer.
func (s *Server) Ask(ctx context.Context, call string, body []byte) *Answer {
	c := &Call{Body: body}
	if !s.find(c, call) {
		return refused(http.StatusNotFound, fmt.Sprintf("there is no call %q", call))
	}
	return s.whole(ctx, c)
}

// find gives a call the route of a method, a path and a query.
func (s *Server) find(c *Call, call string) bool {
	method, at, _ := strings.Cut(call, " ")
	at, query, _ := strings.Cut(at, "?")
	var err error
	if c.Query, err = url.ParseQuery(query); err != nil {
		return false
	}
	for i := range s.routes {
		r := &s.routes[i]
		before, id := strings.CutSuffix(r.Path, "{id}")
		if rest, ok := strings.CutPrefix(at, before); r.Method == method && ok && (rest == "" || id && !strings.Contains(rest, "/")) {
			c.Route = r
			c.ID, err = url.PathUnescape(rest)
			return err == nil
		}
	}
	return false
}

// readMessage reads a header and what it announces. The error is io.EOF where the
// stream ends between two messages.
func readMessage(r *bufio.Reader) (h header, c *Call, err error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return h, nil, io.EOF
	case errors.Is(err, bufio.ErrBufferFull):
		return h, nil, fmt.Errorf("a header has more than %d bytes", MaxHeader)
	case err != nil:
		return h, nil, fmt.Errorf("the stream ended in a header: %w", io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(line, &h, json.RejectUnknownMembers(true)); err != nil {
		return h, nil, fmt.Errorf("a header is not what it should be: %w", err)
	}
	all := int64(0)
	for _, n := range append([]int64{h.Body}, h.Frames...) {
		if n < 0 || n > MaxMessage-all {
			return h, nil, fmt.Errorf("the message announces a part of %d bytes; all of it may have %d", n, int64(MaxMessage))
		}
		all += n
	}
	c = &Call{framed: true, Frames: make([][]byte, len(h.Frames))}
	if c.Body, err = readPart(r, h.Body); err != nil {
		return h, nil, err
	}
	for i, n := range h.Frames {
		if c.Frames[i], err = readPart(r, n); err != nil {
			return h, nil, err
		}
	}
	return h, c, nil
}

// readPart reads n bytes. Memory grows with what arrives, not with what is announced.
func readPart(r io.Reader, n int64) ([]byte, error) {
	const most = 1 << 20
	b := make([]byte, 0, min(n, most))
	for int64(len(b)) < n {
		at := len(b)
		more := min(n-int64(at), max(most, int64(at)))
		b = append(b, make([]byte, more)...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return nil, fmt.Errorf("the stream ended in a message: %w", io.ErrUnexpectedEOF)
		}
	}
	return b, nil
}

// messages writes them, each as a whole.
type messages struct {
	mu sync.Mutex
	w  *bufio.Writer
}

// greet says who answers, before anything is asked.
func (m *messages) greet() error {
	line, err := json.Marshal(struct {
		Ein Hello `json:"ein"`
	}{hello()})
	return errors.Join(err, m.write(line, nil, nil))
}

func (m *messages) answer(id uint64, a *Answer) error {
	h := header{ID: id, Status: a.Status, Body: int64(len(a.Body))}
	for _, f := range a.Frames {
		h.Frames = append(h.Frames, int64(len(f)))
	}
	line, err := json.Marshal(h)
	return errors.Join(err, m.write(line, a.Body, a.Frames))
}

// write writes a message. A writer that failed fails for ever.
func (m *messages) write(line, body []byte, frames [][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.w.Write(line)
	_ = m.w.WriteByte('\n')
	_, _ = m.w.Write(body)
	for _, f := range frames {
		_, _ = m.w.Write(f)
	}
	return m.w.Flush()
}

// calls are those under way.
type calls struct {
	mu     sync.Mutex
	cancel map[uint64]context.CancelFunc
}

// begin is false where a call of the number is under way.
func (c *calls) begin(id uint64, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel[id] != nil {
		return false
	}
	c.cancel[id] = cancel
	return true
}

func (c *calls) end(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.cancel[id]; cancel != nil {
		cancel()
	}
	delete(c.cancel, id)
}
