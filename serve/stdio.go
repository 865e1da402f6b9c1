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
	"sync/atomic"
	"time"

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

// patience is how long the answer to a request may delay reading the next one.
const patience = 2 * time.Millisecond

// Stdio serves one client over two streams until the first one ends, and answers all requests
// read by then, with an error what takes longer than drain. docs/serving.md has the form of the messages.
//
// The goroutine that reads a request also answers it, since waking another takes longer than
// running a small program. The right to read passes on if the next request is already there, or
// if an answer takes longer than patience.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer, drain time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &conversation{server: s, stop: stop, drain: drain, r: bufio.NewReaderSize(in, MaxHeader), w: &messages{w: bufio.NewWriterSize(out, 1<<16)},
		right: make(chan struct{}), wake: make(chan struct{}, 1), over: make(chan struct{})}
	if err := c.w.greet(); err != nil {
		return err
	}
	c.pass = func() {
		select {
		case c.right <- struct{}{}:
		default:
			c.workers.Go(func() { c.work(ctx) })
		}
	}
	c.pass()
	var watching sync.WaitGroup
	watching.Go(c.watch)
	c.workers.Wait()
	close(c.over)
	watching.Wait()
	return c.err
}

// conversation is the exchange with one client. One of its goroutines has the right to read.
type conversation struct {
	server  *Server
	stop    func()
	drain   time.Duration
	r       *bufio.Reader
	w       *messages
	running sync.Map // from the number of a request to its context.CancelFunc
	workers sync.WaitGroup
	pass    func()        // the right, to a goroutine that waits for it or a new one
	right   chan struct{} // closed at the end of the stream
	err     error         // of reading

	turn   atomic.Uint64 // odd while who has the right answers
	asleep atomic.Bool   // nothing is to be watched
	wake   chan struct{}
	over   chan struct{}
}

// work reads and answers while it has the right to read, then waits for it. Goroutines are
// reused: a new one would copy its stack several times as it grows.
func (c *conversation) work(ctx context.Context) {
	for ok := true; ok; _, ok = <-c.right {
		for mine := true; mine; {
			var err error
			if mine, err = c.next(ctx); err != nil {
				if c.err = err; errors.Is(err, io.EOF) {
					c.err = nil
				}
				close(c.right)
				time.AfterFunc(c.drain, c.stop)
				return
			}
		}
	}
}

// next reads a message and answers it. Another goroutine may have the right to read afterwards.
func (c *conversation) next(ctx context.Context) (mine bool, err error) {
	h, call, err := readMessage(c.r)
	switch {
	case errors.Is(err, io.EOF):
		return false, io.EOF
	case err != nil:
		// Where the next message begins is not known.
		return false, errors.Join(err, c.w.answer(h.ID, refused(http.StatusBadRequest, err.Error())))
	case h.Cancel:
		c.end(h.ID)
		return true, nil
	case !c.server.find(call, h.Call):
		return true, c.w.answer(h.ID, refused(http.StatusNotFound, fmt.Sprintf("there is no call %q", h.Call)))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, busy := c.running.LoadOrStore(h.ID, cancel); busy {
		return true, c.w.answer(h.ID, refused(http.StatusConflict, fmt.Sprintf("the request %d is still being answered", h.ID)))
	}
	more := c.r.Buffered() > 0
	turn := c.turn.Add(1) // from here on r may be somebody else's
	if more && c.turn.CompareAndSwap(turn, turn+1) {
		c.pass()
	} else if c.asleep.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
	}
	a := c.server.whole(ctx, call)
	c.end(h.ID)
	if c.w.answer(h.ID, a) != nil {
		c.stop() // nobody reads any more
	}
	return c.turn.CompareAndSwap(turn, turn+1), nil
}

// watch takes the right to read from a goroutine whose answer takes too long. It sleeps while no
// requests come.
func (c *conversation) watch() {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for last, same := uint64(0), 0; ; {
		select {
		case <-tick.C:
		case <-c.over:
			return
		}
		now := c.turn.Load()
		if same++; now != last {
			last, same = now, 0
			continue
		}
		if now%2 == 1 && c.turn.CompareAndSwap(now, now+1) {
			c.pass()
		} else if same > 50 && now%2 == 0 {
			tick.Stop()
			if c.asleep.Store(true); c.turn.Load() != now && c.asleep.CompareAndSwap(true, false) {
				tick.Reset(patience)
				continue
			}
			select {
			case <-c.wake:
			case <-c.over:
				return
			}
			tick.Reset(patience)
		}
	}
}

// whole returns the complete answer to a call, without a stream.
func (s *Server) whole(ctx context.Context, c *Call) *Answer {
	ctx, stop := context.WithTimeout(ctx, c.Route.Deadline)
	defer stop()
	a := s.do(ctx, c)
	if a.Stream != nil {
		var b bytes.Buffer
		if err := a.Stream(ctx, &b); err != nil {
			a = failure(err)
		} else {
			a = &Answer{Status: a.Status, Body: b.Bytes()}
		}
	}
	s.metrics.request(c.Route, a.Status)
	return a
}

// Ask answers a call such as "POST /v1/run", with the body of that route as Routes lists it.
func (s *Server) Ask(ctx context.Context, call string, body []byte) *Answer {
	c := &Call{Body: body}
	if !s.find(c, call) {
		return refused(http.StatusNotFound, fmt.Sprintf("there is no call %q", call))
	}
	return s.whole(ctx, c)
}

// find sets the route of a call by a method, a path and a query.
func (s *Server) find(c *Call, call string) bool {
	method, at, _ := strings.Cut(call, " ")
	at, query, _ := strings.Cut(at, "?")
	var err error
	if query != "" {
		if c.Query, err = url.ParseQuery(query); err != nil {
			return false
		}
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
		return h, nil, fmt.Errorf("a header cannot be read: %s", strings.Replace(malformed(err), "the body", "it", 1))
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

// messages writes messages, one at a time.
type messages struct {
	mu sync.Mutex
	w  *bufio.Writer
}

// greet identifies the server before the first request.
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

// write writes a message. After a failure, all later ones fail.
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

// end cancels a request, if it is still being answered.
func (c *conversation) end(id uint64) {
	if cancel, ok := c.running.LoadAndDelete(id); ok {
		cancel.(context.CancelFunc)()
	}
}
