// Package lsp implements the language server of Ein for the Language Server Protocol 3.18.
//
// [Serve] talks to one editor over two streams, until it leaves. Package ide knows programs, in
// byte offsets. This package keeps the open files, converts offsets to positions of the protocol,
// and decides what runs when.
//
// # State and order
//
// All state is one snapshot that never changes: the open files, each with its ide.Document, and
// the settings (session.go). A notification, such as an edit, makes the next snapshot, and
// notifications run one after another in the order they arrive (sync.go). A request works on the
// snapshot of its arrival and runs concurrently with everything else. So a slow request never
// delays typing, no edit can confuse a request, and no method needs a lock.
//
// What the server sends without being asked goes through an outbox that keeps the order:
// diagnostics of an older text never follow those of a newer one (diagnostics.go). They are
// computed after a pause in typing.
//
// # Methods
//
// The table served (methods.go) has a row for every method: its name, what docs/lsp.md says about
// it, and its handler. Handlers are thin: most find the file and the byte in the snapshot, ask the
// document, and translate the result. Initialize announces what is served (server.go).
//
// An editor may send anything. Messages, texts, data and runs have limits ([Options]); neither a
// panic nor an error leaves handle. A workspace that is not trusted binds no data of its own.
package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ein/bind"
)

// The limits for fields of Options that are 0.
const (
	DefaultDebounce   = 150 * time.Millisecond
	DefaultMaxMessage = 64 << 20  // bytes
	DefaultMaxText    = 256 << 20 // bytes, of all open files together
	DefaultMaxData    = 64 << 20  // bytes, of one data file after decompression
	DefaultMaxMemory  = 1 << 30   // bytes, of one run
	DefaultMaxOps     = 1 << 36   // operations, of one run
	DefaultTimeout    = 10 * time.Second
)

// GCPercent is the value for debug.SetGCPercent. Each edit discards a small heap; collecting it
// less often costs some megabytes and avoids pauses in the middle of answers.
const GCPercent = 400

// leave is how long Serve waits for cancelled work.
const leave = 2 * time.Second

// ErrNoShutdown is the error of Serve if the client left without the shutdown request that the protocol
// requires.
var ErrNoShutdown = errors.New("the client left without a shutdown request")

// Options of a server. The zero value logs nothing and has the default limits.
type Options struct {
	Log     *slog.Logger
	Version string // of the tool, told to the client

	Debounce   time.Duration // the pause after an edit before diagnostics are pushed
	MaxMessage int           // bytes
	MaxText    int           // bytes of all open files together; one more is not opened
	MaxData    int64         // bytes of a data file bound to an input
	Tables     bind.Tables   // of data in formats that not every build reads
	MaxMemory  uint64        // bytes of a run
	MaxOps     uint64        // operations of a run
	Timeout    time.Duration // of a run

	after func(time.Duration, func()) (cancel func()) // time.AfterFunc, but for tests
}

func (o Options) withDefaults() Options {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.after == nil {
		o.after = func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		}
	}
	setDefault(&o.Debounce, DefaultDebounce)
	setDefault(&o.MaxMessage, DefaultMaxMessage)
	setDefault(&o.MaxText, DefaultMaxText)
	setDefault(&o.MaxData, DefaultMaxData)
	setDefault(&o.MaxMemory, DefaultMaxMemory)
	setDefault(&o.MaxOps, DefaultMaxOps)
	setDefault(&o.Timeout, DefaultTimeout)
	return o
}

// setDefault sets an option that is not set. None can be 0: there is always a limit.
func setDefault[T int | int64 | uint64 | time.Duration](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}

// Serve talks to one client until it exits, leaves, or ctx ends, and then closes
// conn. The error is nil after a shutdown in the order of the protocol and
// ErrNoShutdown after any other end the client brought about.
func Serve(ctx context.Context, conn io.ReadWriteCloser, opt Options) error {
	opt = opt.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wire := newFrames(conn, opt.MaxMessage, opt.Log)
	rpc := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(wire), jsonrpc2.WithCodec(codec{}))
	s := newServer(ctx, opt, protocol.ClientDispatcher(rpc))
	rpc.Go(ctx, s.handle)
	select {
	case <-s.exited:
	case <-rpc.Done():
	case <-ctx.Done():
	}
	if s.phase.Load() == down {
		wire.settle(leave)
	}
	cancel()
	if err := wire.Close(); err != nil {
		opt.Log.Debug("closing the connection", "error", err)
	}
	select {
	case <-rpc.Done():
		s.out.wait()
		s.asks.wait()
	case <-time.After(leave):
		opt.Log.Warn("work went on after the end of the connection")
	}
	switch {
	case s.phase.Load() == down:
		return nil
	case rpc.Err() != nil:
		return fmt.Errorf("%w: %w", ErrNoShutdown, rpc.Err())
	}
	return ErrNoShutdown
}

// codec encodes the payloads of the protocol, whose unions encoding/json does not know. An
// encoded message is passed on unchanged. The library's Marshal and Unmarshal would add every
// type of the protocol to the binary, 0.8 MB; these add only those that this server uses.
type codec struct{}

// Marshal encodes in one order, so that the same answer has the same bytes.
func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok && raw != nil {
		return raw, nil
	}
	return json.Marshal(v, json.Deterministic(true))
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return json.Unmarshal(data, v)
}

// The phases of a connection.
const (
	fresh int32 = iota // before initialize
	up
	down // after shutdown
)

// notInitialized is the protocol's code for a request before initialize.
const notInitialized jsonrpc2.Code = -32002

// inFlight is the requests that a cancellation can still reach.
type inFlight struct{ kept[jsonrpc2.ID, *request] }

// request is a request that is being answered; over is closed at its end.
type request struct {
	cancel context.CancelFunc
	over   chan struct{}
}

// begin makes the context of a request, which a cancellation ends. The function that it returns
// must be called at the end of the request.
func (f *inFlight) begin(ctx context.Context, id jsonrpc2.ID) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	r := &request{cancel, make(chan struct{})}
	f.change(id, func(*request) *request { return r })
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.of[id] == r { // not of a later request with the same id
			delete(f.of, id)
		}
		cancel()
		close(r.over)
	}
}

// stop ends a request, if it is still being answered.
func (f *inFlight) stop(id jsonrpc2.ID) {
	if r, ok := f.get(id); ok {
		r.cancel()
	}
}

// finish waits for the requests before the one with the given id, but not for ever.
func (f *inFlight) finish(last jsonrpc2.ID, limit time.Duration) {
	late := time.After(limit)
	for id, r := range f.all() {
		if id == last {
			continue
		}
		select {
		case <-r.over:
		case <-late:
			return
		}
	}
}

// handle receives every message of the client. The context from jsonrpc2 ends with the call and
// may not be derived from until the call is released, so everything runs under the server's own.
// An error for a notification, or a panic, would end the connection; neither leaves handle.
func (s *server) handle(released context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("a bug in ein", "method", req.Method(), "panic", r, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "this is a bug in ein: %v", r)
		}
		if err != nil && !req.IsCall() {
			level := slog.LevelWarn
			if strings.HasPrefix(req.Method(), "$/") { // those are sent on the chance
				level = slog.LevelDebug
			}
			s.log.Log(s.ctx, level, "notification ignored", "method", req.Method(), "error", err)
			result, err = nil, nil
		}
	}()
	if !req.IsCall() {
		return nil, s.notification(req)
	}
	switch phase := s.phase.Load(); {
	case phase == fresh && req.Method() != protocol.MethodInitialize:
		return nil, jsonrpc2.Errorf(notInitialized, "the server waits for initialize")
	case phase != fresh && req.Method() == protocol.MethodInitialize:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the server is initialized already")
	case phase == down:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the server was shut down")
	}
	ctx, done := s.requests.begin(s.ctx, req.ID())
	defer done()
	switch req.Method() {
	case protocol.MethodInitialize:
		// What follows on the wire has to find it done.
	case protocol.MethodShutdown:
		// So has this, and it answers last.
		for _, cancel := range s.runs.all() {
			cancel()
		}
		s.requests.finish(req.ID(), leave)
	default:
		if strings.Contains(req.Method(), "/did") { // a change keeps its place, sent with an id too
			break
		}
		ctx = context.WithValue(ctx, snapshotKey{}, s.session.snapshot())
		jsonrpc2.Async(released)
		if req.Method() == protocol.MethodWorkspaceExecuteCommand {
			break // it may take long, and waits for the client
		}
		// What nobody waits for any more is not begun, so that a client which asks
		// faster than it is answered gets no slower for it.
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return nil, protocol.ErrRequestCancelled
		}
	}
	result, err = s.dispatch(ctx, req)
	if ctx.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	return result, coded(err)
}

// notification handles a message that needs no answer. Before initialize and after shutdown only
// exit counts.
func (s *server) notification(req *jsonrpc2.Request) error {
	switch method := req.Method(); {
	case method == protocol.MethodExit:
		return s.Exit(s.ctx)
	case s.phase.Load() != up:
		return errors.New("it came before initialize or after shutdown")
	case method == protocol.MethodCancelRequest:
		var params protocol.CancelParams
		if err := json.Unmarshal(req.Params(), &params); err != nil {
			return err
		}
		switch id := params.ID.(type) {
		case protocol.Integer:
			s.requests.stop(jsonrpc2.NewNumberID(int64(id)))
		case protocol.String:
			s.requests.stop(jsonrpc2.NewStringID(string(id)))
		default:
			return errors.New("expected an id, a number or a string")
		}
		return nil
	}
	_, err := s.dispatch(s.ctx, req)
	return err
}

// coded gives an error its code for the client.
func coded(err error) error {
	var wire *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	case errors.Is(err, jsonrpc2.ErrParse): // of the params: the message itself was read
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	case errors.As(err, &wire):
		return err
	}
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "%v", err)
}

// outbox runs, in order, what must not delay the reading of messages: each task when the one before
// has ended, and none after the end of the connection.
type outbox struct {
	ctx  context.Context
	run  func(task func())
	mu   sync.Mutex
	last chan struct{} // closed when the last task has ended; nil before the first
}

// put adds a task, and returns at once.
func (o *outbox) put(task func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, done := o.last, make(chan struct{})
	o.last = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		if o.ctx.Err() == nil {
			o.run(task)
		}
	}()
}

// wait waits for the tasks so far.
func (o *outbox) wait() {
	o.mu.Lock()
	last := o.last
	o.mu.Unlock()
	if last != nil {
		<-last
	}
}
