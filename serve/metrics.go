//go:build !lean

package serve

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// metrics is what a server counts. No label is an id, a token or a text, so there are only as many
// series as routes, modes and outcomes.
type metrics struct {
	registry               *prometheus.Registry
	requests, items, sheds *prometheus.CounterVec
	seconds, waits         *prometheus.HistogramVec
}

// newMetrics registers the metrics of a server, in a registry of its own: a process may have
// several servers.
func newMetrics(s *Server) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, first float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(first, 4, 10)}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("ein_requests_total", "Requests by route and status.", "route", "code"),
		items:    counter("ein_items_total", "Replies by mode and outcome.", "mode", "outcome"),
		sheds:    counter("ein_shed_total", "Requests that were asked to come back later.", "route", "reason"),
		seconds:  histogram("ein_item_seconds", "Time to judge a reply.", 1e-5, "mode"),
		waits:    histogram("ein_queue_wait_seconds", "Time that a slice waited for a worker.", 1e-5, "lane"),
	}
	m.registry.MustRegister(m.requests, m.items, m.sheds, m.seconds, m.waits)
	for _, l := range []*lane{s.ein, s.python} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "ein_queue_items", Help: "Items that wait or are worked on.", ConstLabels: prometheus.Labels{"lane": l.name},
		}, func() float64 { return float64(l.length()) }))
	}
	return m
}

func (m *metrics) request(r *Route, status int) {
	m.requests.WithLabelValues(r.Path, strconv.Itoa(status)).Inc()
}

func (m *metrics) shed(r *Route, reason string) { m.sheds.WithLabelValues(r.Path, reason).Inc() }

func (m *metrics) item(s *Score, took time.Duration) {
	outcome := string(s.Outcome)
	if s.Status == BadRequest {
		outcome = string(BadRequest)
	}
	m.items.WithLabelValues(string(s.Mode), outcome).Inc()
	m.seconds.WithLabelValues(string(s.Mode)).Observe(took.Seconds())
}

// waited counts how long slices wait in a lane.
func (m *metrics) waited(l *lane) func(time.Duration) {
	h := m.waits.WithLabelValues(l.name)
	return func(d time.Duration) { h.Observe(d.Seconds()) }
}

// gather answers with all metrics in the text format of Prometheus.
func gather(_ context.Context, s *Server, _ *Call, _ *nothing) (any, error) {
	// The default one has the process and Go's runtime.
	families, err := prometheus.Gatherers{prometheus.DefaultGatherer, s.metrics.registry}.Gather()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			return nil, err
		}
	}
	return &Answer{Status: http.StatusOK, Body: b.Bytes(), Type: string(expfmt.NewFormat(expfmt.TypeTextPlain))}, nil
}
