package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Handler is the routes over HTTP.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for i := range Routes {
		r := &Routes[i]
		mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, req *http.Request) { s.http(w, req, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		write(w, refused(http.StatusNotFound, fmt.Sprintf("there is no %s %s", req.Method, req.URL.Path)))
	})
	return mux
}

func (s *Server) http(w http.ResponseWriter, req *http.Request, r *Route) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, s.opt.Body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		write(w, refused(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit)))
	case err != nil:
		write(w, refused(http.StatusBadRequest, fmt.Sprintf("the body ended early: %v", err)))
	default:
		write(w, s.do(req.Context(), r, &Call{Body: body}))
	}
}

func write(w http.ResponseWriter, a *Answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a client that is gone needs no answer
}
