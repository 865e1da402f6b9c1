package serve

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"ein/internal/words"
)

// Handler returns the routes over HTTP.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for i := range s.routes {
		r := &s.routes[i]
		mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, req *http.Request) {
			to := &counted{w, func(status int) { s.metrics.request(r, status) }}
			if s.refuses(r, to, req) {
				return
			}
			ctx, stop := context.WithTimeout(req.Context(), r.Deadline)
			defer stop()
			a := s.http(ctx, w, req, r)
			if a.Status == http.StatusRequestEntityTooLarge {
				passOver(ctx, to, req, a)
				return
			}
			write(ctx, to, a)
		})
	}
	mux.Handle("GET /ws", s.Guard(http.HandlerFunc(s.talk)))
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		there := "GET /openapi.json lists the calls"
		if i := slices.IndexFunc(s.routes, func(r Route) bool { return r.Path == req.URL.Path }); i >= 0 {
			there = "there is " + s.routes[i].Method + " " + req.URL.Path
		}
		write(req.Context(), w, refused(http.StatusNotFound, fmt.Sprintf("there is no %s %s; %s", req.Method, req.URL.Path, there)))
	})
	return mux
}

// counted reports the status of an answer before it goes out.
type counted struct {
	http.ResponseWriter
	report func(status int)
}

func (c *counted) WriteHeader(status int) {
	c.report(status)
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Loopback reports whether only this machine reaches an address.
func Loopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || strings.Contains(address, "/") {
		return false, fmt.Errorf("%s is not an address of TCP: expected HOST:PORT such as 127.0.0.1:8080", address)
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback(), nil
}

// Local lets only requests through that name this machine as their host. To a browser, another name
// that leads here is the site of whoever owns the name, whose pages may read what it serves. A refusal
// names the flag that lets other names in.
func Local(h http.Handler, flag string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		local, err := Loopback(req.Host)
		if err != nil { // it has no port
			local, _ = Loopback(net.JoinHostPort(strings.Trim(req.Host, "[]"), "80"))
		}
		if !local && req.Host != "" { // a browser names one
			write(req.Context(), w, refused(http.StatusForbidden, fmt.Sprintf("the request is for the host %q; expected localhost or a loopback address, unless the server has %s", req.Host, flag)))
			return
		}
		h.ServeHTTP(w, req)
	})
}

// Guard lets only clients through that send Authorization: Bearer with the token of the options; if
// there is none, all.
func (s *Server) Guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !s.refuses(&Route{}, w, req) {
			h.ServeHTTP(w, req)
		}
	})
}

// refuses answers a request without the token, in a time that reveals nothing about it.
func (s *Server) refuses(r *Route, w http.ResponseWriter, req *http.Request) bool {
	if s.opt.Token == "" || r.open {
		return false
	}
	const scheme = "Bearer " // of any case
	token := req.Header.Get("Authorization")
	if len(token) > len(scheme) && strings.EqualFold(token[:len(scheme)], scheme) {
		token = token[len(scheme):]
	}
	if r.inQuery && token == "" {
		token = req.URL.Query().Get("token")
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.opt.Token)) == 1 {
		return false
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	write(req.Context(), w, refused(http.StatusUnauthorized, "the request has no token, or a wrong one; expected `Authorization: Bearer TOKEN`"))
	return true
}

// How long a client may take to send a body or to take an answer, and how many bodies
// of the longest kind there may be at once.
const (
	bodyTime   = time.Minute
	mostBodies = 64
)

// http reads a request and answers it. The bodies that are held at once are bounded, so that
// clients together cannot take all memory before anything is checked.
func (s *Server) http(ctx context.Context, w http.ResponseWriter, req *http.Request, r *Route) *Answer {
	if size := req.ContentLength; size > s.opt.Body {
		return refused(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has %d bytes, at most %d are read", size, s.opt.Body))
	}
	if encoding := req.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refused(http.StatusBadRequest, fmt.Sprintf("the Content-Encoding is %s, and bodies are read as they are: send the JSON itself", words.Clip(encoding, 30)))
	}
	held := &held{Reader: http.MaxBytesReader(w, req.Body, s.opt.Body), all: &s.bodies, most: mostBodies * s.opt.Body}
	defer func() { s.bodies.Add(-held.own) }()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(held)
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errBodies):
		s.metrics.shed(r, "bodies")
		return r.failed(&busyError{"requests", int(s.bodies.Load()), time.Second})
	case errors.As(err, &large):
		return refused(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refused(http.StatusRequestTimeout, fmt.Sprintf("the body did not come within %v", bodyTime))
	case err != nil:
		return refused(http.StatusBadRequest, fmt.Sprintf("the body ended early: %v", err))
	}
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil && !r.lenient {
		return refused(http.StatusBadRequest, fmt.Sprintf("the parameters behind the question mark cannot be read: %v", err))
	}
	return s.do(ctx, &Call{Route: r, ID: req.PathValue("id"), Query: query, Body: body})
}

// held reads a body, and counts what has come among all bodies: what a client announces and does
// not send takes no room.
type held struct {
	io.Reader
	all       *atomic.Int64
	own, most int64
}

var errBodies = errors.New("there is no room for a body")

func (h *held) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.own += int64(n)
	if h.all.Add(int64(n)) > h.most {
		err = errBodies
	}
	return n, err
}

// passOver answers a body that is too large and reads on. A client that sends all of it before it
// reads the answer would see only that the connection breaks.
func passOver(ctx context.Context, w http.ResponseWriter, req *http.Request, a *Answer) {
	const most, within = 64 << 20, 10 * time.Second
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex()
	write(ctx, w, a)
	_ = control.Flush()
	if req.Header.Get("Expect") == "" { // who asked first sends no more
		_ = control.SetReadDeadline(time.Now().Add(within))
		_, _ = io.CopyN(io.Discard, req.Body, most)
	}
}

// write sends an answer. A stream that fails after its first bytes cannot change the status, so
// its last line has the error and the connection is cut.
func write(ctx context.Context, w http.ResponseWriter, a *Answer) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	h := w.Header()
	h.Set("Content-Type", cmp.Or(a.Type, "application/json"))
	if a.After > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.After.Seconds()))))
	}
	if a.Cookie != "" {
		h.Set("Set-Cookie", a.Cookie)
	}
	if a.Stream == nil {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body) // a client that is gone needs no answer
		return
	}
	to := &begun{ResponseWriter: w}
	switch err := a.Stream(ctx, to); {
	case err != nil && to.any:
		_, _ = to.Write(append(failure(err).Body, '\n')) // the last line says what went wrong
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // who reads no lines sees that it is not all
	case err != nil:
		write(ctx, w, failure(err))
	}
}

// begun sends the status with the first bytes, and remembers whether there were any. Each write has
// its own time: no context ends one to a client that does not read.
type begun struct {
	http.ResponseWriter
	any bool
}

func (b *begun) Write(p []byte) (int, error) {
	_ = http.NewResponseController(b.ResponseWriter).SetWriteDeadline(time.Now().Add(bodyTime))
	if !b.any {
		b.any = true
		b.WriteHeader(http.StatusOK)
	}
	return b.ResponseWriter.Write(p)
}
