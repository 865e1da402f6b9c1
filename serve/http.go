package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
)

// Handler is the routes over HTTP.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for i := range s.routes {
		r := &s.routes[i]
		mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, req *http.Request) {
			ctx, stop := context.WithTimeout(req.Context(), r.Deadline)
			defer stop()
			write(ctx, w, s.http(ctx, w, req, r))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		write(req.Context(), w, refused(http.StatusNotFound, fmt.Sprintf("there is no %s %s", req.Method, req.URL.Path)))
	})
	return mux
}

func (s *Server) http(ctx context.Context, w http.ResponseWriter, req *http.Request, r *Route) *Answer {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, s.opt.Body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refused(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit))
	case err != nil:
		return refused(http.StatusBadRequest, fmt.Sprintf("the body ended early: %v", err))
	}
	return s.do(ctx, &Call{Route: r, ID: req.PathValue("id"), Query: req.URL.Query(), Body: body})
}

func write(ctx context.Context, w http.ResponseWriter, a *Answer) {
	h := w.Header()
	h.Set("Content-Type", cmp.Or(a.Type, "application/json"))
	if a.After > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.After.Seconds()))))
	}
	if a.Stream == nil {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body) // a client that is gone needs no answer
		return
	}
	to := &begun{Writer: w}
	switch err := a.Stream(ctx, to); {
	case err != nil && to.any:
		panic(http.ErrAbortHandler) // the client sees that it is not all
	case err != nil:
		write(ctx, w, failure(err))
	}
}

// begun knows whether anything was written.
type begun struct {
	io.Writer
	any bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.any = true
	return b.Writer.Write(p)
}
