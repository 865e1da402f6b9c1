// Package serve answers programs that ask over HTTP or over a pipe.
//
//	Routes   what can be asked: one table of methods, paths, types and handlers
//	Server   does what a route says, whoever carries the question
//	Handler  the routes over HTTP
//	Stdio    the routes over two streams, with arrays as raw bytes
//
// Handlers know neither HTTP nor streams: they take a [Call] and give a value that is
// written as JSON. No handler opens a file or a connection for who asks.
package serve

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein"
	"ein/internal/version"
	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"
)

// Protocol is the version of the frames and the bodies. A change that a client of
// before does not understand is a new one.
const Protocol = 1

// Options say what a Server allows. A limit that is 0 is none.
type Options struct {
	Limits  ein.Limits    // the most that a request may ask for, and what it has if it asks for none
	Timeout time.Duration // likewise
	Body    int64         // bytes of a request; 0 is DefaultBody
}

// DefaultBody is the most bytes of a request.
const DefaultBody = 8 << 20

// Server answers requests. Its methods may be called from many goroutines.
type Server struct {
	opt      Options
	programs programs
}

// New is a server.
func New(opt Options) *Server {
	if opt.Body == 0 {
		opt.Body = DefaultBody
	}
	return &Server{opt: opt}
}

// Route is one thing that can be asked.
type Route struct {
	Method, Path string
	Doc          string
	// What is read and written as JSON; nil for nothing.
	Request, Response any
	// Deadline is how long an answer may take, waiting included.
	Deadline time.Duration

	answer func(context.Context, *Server, *Call) (any, error)
}

// Call is one request: its body, its raw frames, and those of its answer.
type Call struct {
	Body   []byte
	Frames [][]byte

	framed bool // whether the answer may have frames
	out    [][]byte
}

// Part is raw bytes that belong to a body: the number of a frame, or, where there are
// no frames, the bytes themselves.
type Part struct {
	Frame int
	Bytes []byte
}

// MarshalJSONTo writes the number, or the bytes in base64.
func (p Part) MarshalJSONTo(e *jsontext.Encoder) error {
	if p.Bytes != nil {
		return e.WriteToken(jsontext.String(base64.StdEncoding.EncodeToString(p.Bytes)))
	}
	return e.WriteToken(jsontext.Int(int64(p.Frame)))
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (p *Part) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		return json.UnmarshalDecode(d, &p.Bytes)
	}
	return json.UnmarshalDecode(d, &p.Frame)
}

// part adds bytes to the answer.
func (c *Call) part(b []byte) Part {
	if !c.framed {
		if b == nil {
			b = []byte{}
		}
		return Part{Bytes: b}
	}
	c.out = append(c.out, b)
	return Part{Frame: len(c.out) - 1}
}

// bytes are those that a part of the request stands for.
func (c *Call) bytes(p Part) ([]byte, error) {
	switch {
	case p.Bytes != nil:
		return p.Bytes, nil
	case p.Frame < 0 || p.Frame >= len(c.Frames):
		return nil, bad("the request has no frame %d, it has %d", p.Frame, len(c.Frames))
	}
	return c.Frames[p.Frame], nil
}

// Answer is what a request is told.
type Answer struct {
	Status int // of HTTP
	Body   []byte
	Frames [][]byte
}

// do answers a call. It never fails: what goes wrong is in the answer.
func (s *Server) do(ctx context.Context, r *Route, c *Call) (a *Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = failed(http.StatusInternalServerError, diag.Bug, fmt.Sprintf("a bug in ein: %v\n%s", p, debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, r.Deadline)
	defer cancel()
	v, err := r.answer(ctx, s, c)
	var wrong *ein.Error
	var asked *requestError
	switch {
	case errors.As(err, &wrong):
		return &Answer{Status: http.StatusUnprocessableEntity, Body: encode(wrong.JSON(1))}
	case errors.As(err, &asked):
		return refused(asked.status, asked.message)
	case err != nil && ctx.Err() != nil:
		return failed(http.StatusGatewayTimeout, diag.Limit, describe.Reason(err))
	case err != nil:
		return failed(http.StatusInternalServerError, diag.Bug, err.Error())
	}
	body, ready := v.([]byte)
	if !ready {
		body = encode(v)
	}
	return &Answer{http.StatusOK, body, c.out}
}

// encode is a value of ours as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return b
}

// failed is the answer where something went wrong that is none of the program's: one
// diagnostic without a code.
func failed[C fmt.Stringer](status int, class C, message string) *Answer {
	e := &ein.Error{Diags: diag.List{diag.Finding("", diag.Error, "", 0, 0, message, "")}}
	j := e.JSON(1)
	j.Error.Class = class.String()
	return &Answer{Status: status, Body: encode(j)}
}

// refused is the answer to what is no request.
func refused(status int, message string) *Answer { return failed(status, request{}, message) }

// request is the class of errors of those who ask.
type request struct{}

func (request) String() string { return "request" }

// requestError is a request that is not one.
type requestError struct {
	status  int
	message string
}

func (e *requestError) Error() string { return e.message }

func bad(format string, args ...any) error {
	return &requestError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// route is a row of the table whose body is a Q and whose answer is an R.
func route[Q, R any](method, path, doc string, deadline time.Duration, work func(context.Context, *Server, *Call, *Q) (R, error)) Route {
	return Route{Method: method, Path: path, Doc: doc, Deadline: deadline, Request: *new(Q), Response: *new(R),
		answer: func(ctx context.Context, s *Server, c *Call) (any, error) {
			var q Q
			if err := decode(c.Body, &q); err != nil {
				return nil, err
			}
			return work(ctx, s, c, &q)
		}}
}

// Hello says which build answers.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Build    string `json:"build"`
	Language string `json:"language"`
}

func hello() Hello { return Hello{Protocol, version.Number(), version.Digest(), lang.Version} }

// Routes is the table of what can be asked.
var Routes = []Route{
	route("POST", "/v1/run", "Run a program on data.", time.Hour, run),
	route("POST", "/v1/check", "Every diagnostic of a program.", time.Minute, check),
	route("POST", "/v1/cost", "The cost certificate of a program.", time.Minute, costs),
	route("POST", "/v1/explain", "The plan of a program, or the page of a diagnostic.", time.Minute, explain),
	route("POST", "/v1/fmt", "A program in its canonical form.", time.Minute, format),
	route("GET", "/version", "Which build answers.", time.Second, func(context.Context, *Server, *Call, *nothing) (Hello, error) { return hello(), nil }),
	route("GET", "/livez", "Whether the process lives.", time.Second, func(context.Context, *Server, *Call, *nothing) (Status, error) { return Status{"ok"}, nil }),
}

// Status is how the server is.
type Status struct {
	Status string `json:"status"`
}
