// Package serve answers requests of other programs, over HTTP or a pipe: run and check programs,
// score replies, generate questions, and be an environment of training stacks.
//
//	Routes   what can be requested: a table of methods, paths, types and handlers
//	Server   does what a route says, whatever the transport
//	Handler  serves the routes over HTTP
//	Stdio    serves the routes over two streams, with arrays as raw bytes
//
// A handler knows neither HTTP nor streams: it takes a [Call] and returns a value that is written
// as JSON. A route is one row in [Routes]; both transports and the OpenAPI description
// (openapi.go) follow from it.
//
// Two kinds of work share the processors: short runs of Ein and long ones of Python. Each has a
// lane (lane.go), a queue that takes requests in slices, so that a batch of thousands does not
// block others, and that refuses requests when full. recent.go caches compiled programs and
// generated questions. Drain announces the end; Close comes after the last request.
//
// Clients are not trusted. Every request has limits ([Options]), and a client can lower but not
// raise them. No handler opens a file or a connection for a client, Python programs run only in
// the sandbox, and questions of splits meant for scoring are refused unless the operator allows
// them.
package serve

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein"
	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/bind"
	"ein/internal/version"
	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"
)

// Protocol is the version of the frames and the bodies. It changes when older clients would not
// understand them.
const Protocol = 1

// Options say what a Server allows. A limit of 0 is none.
type Options struct {
	Limits  ein.Limits    // the most that a run may ask for, and what it has if it asks for none
	Timeout time.Duration // likewise
	Body    int64         // bytes of a request; 0 is DefaultBody

	Reward      Reward   // what a verdict is worth
	Constant    *float64 // the most that a program is worth whose output depends on no graph
	Splits      []string // held-out splits that may be asked for; "*" is all
	ShowAnswers bool     // instances come with their answers and programs

	Sandbox sandbox.Policy // of Python programs

	Token string // that clients over HTTP show; "" is none

	// Data are the files of inputs, with their options, that programs have unless a
	// request brings its own, and Open opens them: no other file is ever opened.
	Data   map[string]string
	Open   func(ctx context.Context, path string) (io.ReadCloser, error)
	Tables bind.Tables // of formats that not every build reads
}

// Reward is a rule that turns verdicts into rewards.
type Reward string

// The rewards: 1 for what is right in a mode of scoring, or steps.
const (
	Strict  = Reward(answer.Strict)
	Relaxed = Reward(answer.Relaxed)
	Lenient = Reward(answer.Lenient)
	Shaped  = Reward("shaped") // 1 strict, 0.9 right in another mode, 0.1 an answer that is wrong
)

// DefaultBody is the default limit of the bytes of a request.
const DefaultBody = 8 << 20

// Server answers requests. Its methods may be called from many goroutines.
type Server struct {
	opt         Options
	routes      []Route
	prompts     func() prompt.Prompts
	programs    recent[key, *ein.Program]         // compiled
	questions   recent[string, *verdict.Question] // by their ids, with the answers
	ein, python *lane                             // what runs of either kind wait for
	box         verdict.SandboxRunner             // of Python programs
	known       verdict.Runner                    // the same, which runs equal ones once: the samples of a question are often equal
	sessions    sessions
	metrics     *metrics
	draining    atomic.Bool  // it is not ready for more
	bodies      atomic.Int64 // bytes of all requests over HTTP
}

// New makes a server, which Close ends.
func New(opt Options) *Server {
	opt.Body, opt.Reward = cmp.Or(opt.Body, DefaultBody), cmp.Or(opt.Reward, Strict)
	s := &Server{
		opt:       opt,
		routes:    Routes(),
		prompts:   sync.OnceValue(prompt.DefaultPrompts),
		programs:  recent[key, *ein.Program]{most: 8 << 20, weigh: func(k key, _ *ein.Program) int { return 4<<10 + 8*len(k.text) }},
		questions: recent[string, *verdict.Question]{most: 16384, weigh: func(_ string, q *verdict.Question) int { return 1 + len(q.Labels)/32 }},
		// The machine may have been too busy to prove a sandbox, so that is tried again.
		box: verdict.SandboxRunner{Ctx: context.Background(), Policy: opt.Sandbox, Again: time.Minute},
	}
	s.known = verdict.Memo(&s.box, 16<<20)
	judge := func() *verdict.Judge { return verdict.New(s.judging(Limits{})) }
	s.ein, s.python = newLane("ein", einItems, einSlice, processors(), judge), newLane("python", pythonItems, pythonSlice, 2*processors(), judge)
	s.metrics = newMetrics(s)
	return s
}

// Drain makes /readyz say that no more requests should come.
func (s *Server) Drain() { s.draining.Store(true) }

// Close ends the sandbox. No request may be under way.
func (s *Server) Close() { s.box.Close() }

// Route is a kind of request that the server answers, over any transport.
type Route struct {
	Method, Path string
	Doc          string
	// What is read and written as JSON; nil for nothing.
	Request, Response any
	// Deadline is how long an answer may take, waiting included.
	Deadline time.Duration
	// Hold has a request wait for room in a full queue until the deadline. Otherwise it
	// is told at once to come again.
	Hold bool

	open    bool     // no token is needed
	lenient bool     // members that nobody asked for are left alone
	said    bool     // a body has what a model wrote: what is no text in it is U+FFFD, as in a file of replies
	query   []string // the parameters of the path; other ones are refused unless lenient
	inQuery bool     // the token may be ?token=, since the clients cannot send headers
	// fail says what went wrong in the form that the clients of the route know; nil is
	// failure.
	fail   func(error) *Answer
	answer func(context.Context, *Server, *Call) (any, error)
}

// Call is one request: its body, its raw frames, and those of its answer.
type Call struct {
	Route  *Route
	ID     string // that of the path
	Query  url.Values
	Body   []byte
	Frames [][]byte

	framed bool // whether the answer may have frames
	out    [][]byte
}

// Part is raw bytes that belong to a body: the number of a frame or, without frames, the bytes
// themselves.
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

// bytes returns the bytes of a part of the request.
func (c *Call) bytes(p Part) ([]byte, error) {
	switch {
	case p.Bytes != nil:
		return p.Bytes, nil
	case p.Frame < 0 || p.Frame >= len(c.Frames):
		return nil, bad("the request has no frame %d, it has %d", p.Frame, len(c.Frames))
	}
	return c.Frames[p.Frame], nil
}

// Answer is the answer to a request.
type Answer struct {
	Status int // of HTTP
	Body   []byte
	Frames [][]byte
	After  time.Duration // when to come again
	Type   string        // of the body; "" is JSON
	Cookie string        // for the client to send back; "" for none

	// Stream writes a body that is long, in place of Body.
	Stream func(context.Context, io.Writer) error
}

// do answers a call. It never fails: errors are answers.
func (s *Server) do(ctx context.Context, c *Call) (a *Answer) {
	r := c.Route
	defer func() {
		if p := recover(); p != nil {
			slog.Error("bug", "route", r.Path, "panic", p, "stack", string(debug.Stack()))
			a = r.failed(&verdict.BugError{What: fmt.Sprint(p)})
		}
	}()
	v, err := any(nil), r.parameters(c.Query)
	if err == nil {
		v, err = r.answer(ctx, s, c)
	}
	if err != nil {
		if busy, ok := errors.AsType[*busyError](err); ok {
			s.metrics.shed(r, busy.lane)
		}
		return r.failed(err)
	}
	switch v := v.(type) {
	case []byte:
		return &Answer{Status: http.StatusOK, Body: v}
	case *Answer:
		return v
	}
	return &Answer{Status: http.StatusOK, Body: encode(v), Frames: c.out}
}

// parameters refuses those of our own routes that there are not. Supervisors and training stacks
// may add theirs to the others.
func (r *Route) parameters(query url.Values) error {
	if len(query) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !strings.HasPrefix(r.Path, "/v1/"):
		case len(r.query) == 0:
			return bad("%s %s takes no parameters behind a question mark, found `%s`", r.Method, r.Path, name)
		case !slices.Contains(r.query, name):
			return bad("%s %s has no parameter `%s`; there is %s", r.Method, r.Path, name, strings.Join(r.query, ", "))
		case len(query[name]) > 1:
			return bad("the parameter `%s` is there twice", name)
		}
	}
	return nil
}

// failed returns the answer to a call that failed.
func (r *Route) failed(err error) *Answer {
	if r.fail != nil {
		return r.fail(err)
	}
	return failure(err)
}

// statusGone is the status of an answer for which the client did not wait.
const statusGone = 499

// failure returns what failed does, in our own form.
func failure(err error) *Answer {
	var wrong *ein.Error
	var asked *requestError
	var busy *busyError
	switch {
	case errors.As(err, &busy):
		a := failed(http.StatusTooManyRequests, diag.Limit.String(), busy.Error())
		a.After = busy.after
		return a
	case errors.As(err, &wrong):
		return &Answer{Status: http.StatusUnprocessableEntity, Body: encode(wrong.JSON(1))}
	case errors.As(err, &asked):
		return refused(asked.status, asked.message)
	case errors.Is(err, context.Canceled):
		return refused(statusGone, "the request was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return failed(http.StatusGatewayTimeout, diag.Limit.String(), describe.Reason(err))
	}
	return failed(http.StatusInternalServerError, diag.Bug.String(), "a bug in ein: "+err.Error())
}

// encode writes a value of this package as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
	return b
}

// failed returns the answer about an error outside of the program: one diagnostic without a code.
func failed(status int, class, message string) *Answer {
	lines := strings.Split(message, "\n")
	d := diag.Finding("", diag.Error, "", 0, 0, lines[0], "")
	d.Notes = lines[1:]
	e := &ein.Error{Diags: diag.List{d}}
	j := e.JSON(1)
	j.Error.Class = class
	return &Answer{Status: status, Body: encode(j)}
}

// refused returns the answer to an invalid request.
func refused(status int, message string) *Answer { return failed(status, "request", message) }

// requestError is the error of an invalid request.
type requestError struct {
	status  int
	message string
}

func (e *requestError) Error() string { return e.message }

func bad(format string, args ...any) error {
	return &requestError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// route makes a row of the table, whose body is a Q and whose answer is an R.
func route[Q, R any](method, path, doc string, deadline time.Duration, work func(context.Context, *Server, *Call, *Q) (R, error)) Route {
	return Route{Method: method, Path: path, Doc: doc, Deadline: deadline, Request: *new(Q), Response: *new(R),
		answer: func(ctx context.Context, s *Server, c *Call) (any, error) {
			var q Q
			if err := decode(c.Body, &q, c.Route); err != nil {
				return nil, err
			}
			return work(ctx, s, c, &q)
		}}
}

// gives declares the type of the answer, for a route whose handler writes it itself.
func (r Route) gives(response any) Route {
	r.Response = response
	return r
}

// forAll makes a route that needs no token, since supervisors of processes have none.
func (r Route) forAll() Route {
	r.open = true
	return r
}

// asks returns a route with parameters in its path, behind a question mark.
func (r Route) asks(names ...string) Route {
	r.query = names
	return r
}

// quotes returns a route whose bodies have what a model wrote.
func (r Route) quotes() Route {
	r.said = true
	return r
}

// Hello identifies the build of a server.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Build    string `json:"build"`
	Language string `json:"language"`
}

func hello() Hello { return Hello{Protocol, version.Number(), version.Digest(), lang.Version} }

// Routes returns the table of all routes.
func Routes() []Route {
	return append([]Route{
		route("POST", "/v1/run", "Run a program on data.", time.Hour, inLane(run)).gives(RunResult{}),
		route("POST", "/v1/check", "Every diagnostic of a program.", time.Minute, inLane(check)),
		route("POST", "/v1/cost", "The cost certificate of a program.", time.Minute, inLane(costs)),
		route("POST", "/v1/explain", "The plan of a program, or the page of a diagnostic.", time.Minute, inLane(explain)),
		route("POST", "/v1/why", "Why an expression has its value: paths, or the terms of an equation.", time.Minute, inLane(why)).gives(WhyResult{}),
		route("GET", "/v1/doc/{id}", "The page of a function, a diagnostic or a topic.", time.Second, doc),
		route("POST", "/v1/fmt", "A program in its canonical form.", time.Minute, inLane(format)),
		route("POST", "/v1/score", "What replies to questions of the benchmark are worth.", 5*time.Minute, score).quotes(),
		route("POST", "/v1/reward", "The same as a list of numbers, for the reward function of a trainer.", 5*time.Minute, rewards).quotes(),
		route("POST", "/v1/generate", "Instances of the benchmark, one a line.", 5*time.Minute, generate).gives(Lines{}),
		route("GET", "/v1/instances/{id}", "One instance, made again from its id.", time.Minute, inLane(one)).asks("mode"),
		route("GET", "/version", "Which build answers.", time.Second, func(context.Context, *Server, *Call, *nothing) (Hello, error) { return hello(), nil }),
		route("GET", "/livez", "Whether the process lives.", time.Second, func(context.Context, *Server, *Call, *nothing) (Status, error) { return Status{"ok"}, nil }).forAll(),
		route("GET", "/readyz", "Whether requests should come: not while the server drains.", time.Second, ready).gives(Status{}).forAll(),
		route("GET", "/metrics", "Metrics in the form of Prometheus.", 10*time.Second, gather).gives(Plain("")),
		route("GET", "/openapi.json", "This table in the form of OpenAPI.", 10*time.Second, openAPI),
	}, slices.Concat(stacks(), openEnv())...)
}

// Status is the state of the server.
type Status struct {
	Status string `json:"status"`
}

func ready(_ context.Context, s *Server, _ *Call, _ *nothing) (any, error) {
	if s.draining.Load() {
		return &Answer{Status: http.StatusServiceUnavailable, Body: encode(Status{"draining"})}, nil
	}
	return Status{"ready"}, nil
}
