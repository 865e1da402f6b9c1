//go:build lean

package serve

import (
	"context"
	"net/http"
	"time"
)

// metrics counts nothing in the lean build.
type metrics struct{}

func newMetrics(*Server) *metrics { return nil }

func (*metrics) request(*Route, int)              {}
func (*metrics) shed(*Route, string)              {}
func (*metrics) item(*Score, time.Duration)       {}
func (*metrics) waited(*lane) func(time.Duration) { return func(time.Duration) {} }

func gather(context.Context, *Server, *Call, *nothing) (any, error) {
	return nil, &requestError{http.StatusNotFound, "this build has no metrics; one without `-tags lean` has"}
}
