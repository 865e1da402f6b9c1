// Package fake serves the APIs of model providers without a model, to test and try
// evaluations without a network or costs.
//
// [New] makes a [Server] that answers the questions of given instances as a baseline
// does. It is as strict as a real provider and rejects a wrong key, an unknown model or
// field, and parameters that a model does not accept, with errors in the provider's
// format. It reports reasoning tokens as each provider does, and injects a [Fault] at a
// given rate.
//
// The outcome of a request depends only on the seed, its body and how often it was sent.
// An evaluation can therefore be repeated, and a retried request succeeds in the end.
//
// # A request
//
// Its path gives the format of a provider (route), which checks the key, parses the body to a
// question, and writes the answer, whole or in pieces (format.go). Before the answer a fault
// may meet the request (fault.go). The answer comes from the baseline, or, of a request with
// tools, also from calls of these (tools.go). Formats with batches are a bulk, which reads a
// batch and shows its state and results (batch.go). A new provider is a format, found by route.
//
// Package model has the baselines and says which parameters a model accepts. Nothing of it
// reads or writes the bodies here, so that a client and this server share no mistake.
package fake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"ein/bench/ask/model"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/random"
)

// DefaultKey is the key that a server accepts when none is given.
const DefaultKey = "fake-key-0000"

// MostInARow is how many faults a request meets at most before it succeeds.
const MostInARow = 3

// Limits of a server.
const (
	maxBody  = 16 << 20
	maxKnown = 1 << 20 // bodies whose attempts are counted
)

// Options say how a server behaves.
type Options struct {
	Instances []*instance.Instance
	Behaviour string        // a baseline without its provider, as in "noisy-ein@0.2"; "" is oracle
	Key       string        // "" is DefaultKey
	FaultRate float64       // share of the attempts that fail, 0 to 1
	Faults    []string      // names of the faults to inject; nil is all that pass
	Latency   time.Duration // of every answer
	Wait      time.Duration // that rate limits ask for; 0 is 20 ms
	Seed      uint64
}

// Server is a http.Handler. Its routes are those of the three providers.
type Server struct {
	opt    Options
	model  model.Model
	known  map[string]*instance.Instance // by question
	modes  map[string]prompt.Mode        // by prompt
	faults []Fault                       // of requests

	batchFaults []Fault

	mu       sync.Mutex
	attempts map[[32]byte]int
	stats    Stats
	batches  map[string][]*batch // by provider
	files    map[string][]byte
}

// Stats is what a server has seen.
type Stats struct {
	Requests int            `json:"requests"`
	Answered int            `json:"answered"`
	Refused  int            `json:"refused"` // wrong requests
	Batches  int            `json:"batches"`
	Batched  int            `json:"batched"` // answers in batches, each of which would be billed
	Faults   map[string]int `json:"faults"`
}

// New makes a server. The error is about the options.
func New(o Options) (*Server, error) {
	o.Behaviour, o.Key, o.Wait = cmp.Or(o.Behaviour, "oracle"), cmp.Or(o.Key, DefaultKey), cmp.Or(o.Wait, 20*time.Millisecond)
	if !(o.FaultRate >= 0 && o.FaultRate <= 1) {
		return nil, fmt.Errorf("expected a fault rate from 0 to 1, found %v", o.FaultRate)
	}
	m, err := model.Open("baseline:"+o.Behaviour, model.Options{Instances: o.Instances})
	if err != nil {
		return nil, err
	}
	s := &Server{opt: o, model: m, known: make(map[string]*instance.Instance, len(o.Instances)), modes: map[string]prompt.Mode{}, attempts: map[[32]byte]int{}, batches: map[string][]*batch{}, files: map[string][]byte{}}
	s.stats.Faults = map[string]int{}
	for _, in := range o.Instances {
		s.known[in.Question] = in
	}
	for _, prompts := range []prompt.Prompts{prompt.DefaultPrompts(), prompt.PaperPrompts()} {
		for mode, text := range prompts {
			s.modes[text] = mode
		}
	}
	list, err := choose(o.Faults)
	for _, f := range list {
		if f.Batch {
			s.batchFaults = append(s.batchFaults, f)
		} else {
			s.faults = append(s.faults, f)
		}
	}
	return s, err
}

// Stats returns a copy of the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.Faults = maps.Clone(s.stats.Faults)
	return c
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.count(func(c *Stats) { c.Requests++ })
	f, what, name := route(r)
	var p *problem
	if b, rest, ok := batchRoute(r); ok {
		f, p = b, s.serveBatches(w, r, b, rest)
	} else if f == nil {
		http.NotFound(w, r)
	} else {
		p = s.serve(w, r, f, what, name)
	}
	if p != nil {
		s.count(func(c *Stats) { c.Refused++ })
		write(w, p.status, f.problem(p))
	}
}

// serve answers what is asked of a model, unless that is wrong.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, f format, what verb, name string) *problem {
	method := http.MethodPost
	if what == list {
		method = http.MethodGet
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		return &problem{http.StatusMethodNotAllowed, "invalid_request_error", "", "only " + method + " is allowed here", ""}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return &problem{http.StatusRequestEntityTooLarge, "request_too_large", "", "the request is too large", ""}
	}
	if p := f.authorize(r, s.opt.Key); p != nil {
		return p
	}
	if what == list {
		text, ok := models(f, name)
		if !ok {
			return &problem{http.StatusNotFound, "not_found_error", "model_not_found", "There is no model " + name + ".", ""}
		}
		return s.say(w, text)
	}
	if what == count && name == "" {
		name = "count"
	}
	q, p := f.parse(r.Header, name, body)
	if p != nil {
		return p
	}
	if what == count {
		return s.say(w, fill(f.count(), q, &said{input: prompt.Tokens(q.system) + prompt.Tokens(q.user)}))
	}
	if s.opt.Latency > 0 {
		select {
		case <-time.After(s.opt.Latency):
		case <-r.Context().Done():
			return nil
		}
	}
	if fault := s.fault(s.faults, nil, body); fault != nil {
		return s.meet(w, r, f, fault)
	}
	a, err := s.answer(r.Context(), q)
	if err != nil {
		return nil // the client has gone
	}
	s.count(func(c *Stats) { c.Answered++ })
	a.id = idOf(body)
	if !q.stream && !strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		write(w, http.StatusOK, f.reply(q, a))
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range f.stream(q, a) {
		if e.name != "" {
			_, _ = fmt.Fprintf(w, "event: %s\n", e.name)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", e.data) // a client that has gone is none of ours
	}
	return nil
}

// idOf returns the id of what has a text.
func idOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// count changes the counts under the lock.
func (s *Server) count(f func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

// meet answers a request with a fault, which is no problem of the client's.
func (s *Server) meet(w http.ResponseWriter, r *http.Request, f format, fault *Fault) *problem {
	s.count(func(c *Stats) { c.Faults[fault.Name]++ })
	if fault.Hangs {
		<-r.Context().Done()
	} else {
		fault.serve(w, f, s.opt.Wait)
	}
	return nil
}

// fault returns the fault that this attempt of a request meets, or nil. After MostInARow faults the
// next attempt succeeds, whatever the rate. Whether one fails is drawn by seed, request and
// attempt, and not by time or order.
func (s *Server) fault(list []Fault, what, body []byte) *Fault {
	if s.opt.FaultRate == 0 || len(list) == 0 {
		return nil
	}
	key := sha256.Sum256(append(what, body...))
	s.mu.Lock()
	if len(s.attempts) >= maxKnown {
		clear(s.attempts) // what was counted starts again, which costs some faults
	}
	attempt := s.attempts[key]
	s.attempts[key]++
	s.mu.Unlock()
	if attempt%(MostInARow+1) == MostInARow {
		return nil
	}
	d := random.New(random.Key("fault", strconv.FormatUint(s.opt.Seed, 10), string(key[:]), strconv.Itoa(attempt)))
	if float64(d.Uint64()>>11) >= s.opt.FaultRate*(1<<53) {
		return nil
	}
	return &list[d.IntN(len(list))]
}

// question is a request, whatever its format.
type question struct {
	model        string
	system, user string
	maxTokens    int
	seed         int
	thinks       bool
	shows        bool // its thoughts
	n            int  // answers, all the same
	stream       bool
	usage        bool // told in the stream
	talk         talk
}

// said is an answer, whatever its format.
type said struct {
	id, text      string
	cut           bool
	input, output int64
	thought       int64 // tokens, which are not in output
	call          *model.Call
}

// end returns why an answer ends, in the words of a provider.
func (a *said) end(whole, cut string) string {
	if a.cut {
		return cut
	}
	return whole
}

// thoughts is the reasoning of every model that thinks, whatever the question.
const thoughts = "An edge has a direction. I follow the edges one by one and write down where they lead."

// answer asks the baseline. The mode is told from the prompt: one of the
// benchmark's own, or another that speaks of a program or of steps.
func (s *Server) answer(ctx context.Context, q *question) (*said, error) {
	in := s.known[q.user]
	if in == nil {
		text := "I do not know this question, so I cannot answer it."
		return &said{text: text, input: prompt.Tokens(q.system + q.user), output: prompt.Tokens(text)}, nil
	}
	thought, budget := int64(0), q.maxTokens
	if q.thinks {
		thought = prompt.Tokens(thoughts)
		if budget > 0 && int64(budget) <= thought {
			return &said{cut: true, input: prompt.Tokens(q.system) + prompt.Tokens(q.user), thought: int64(budget)}, nil
		}
		budget = max(0, budget-int(thought)) // 0 is none
	}
	r := &model.Request{ID: in.ID, Sample: q.seed, Mode: string(s.mode(q.system)), System: q.system, User: q.user, Params: model.Params{MaxTokens: budget}, Tools: q.talk.tools, Turns: q.talk.turns, Final: q.talk.final}
	got, err := s.model.Ask(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return &said{text: "I cannot answer this question.", input: prompt.Tokens(q.system + q.user), output: 8}, nil
	}
	a := &said{text: got.Text, cut: got.Finish == model.Length, input: got.Usage.Input, output: got.Usage.Output, thought: thought}
	if len(got.Calls) > 0 {
		a.call = &got.Calls[0]
	}
	return a, nil
}

func (s *Server) mode(system string) prompt.Mode {
	if m, ok := s.modes[strings.TrimSpace(system)]; ok {
		return m
	}
	switch low := strings.ToLower(system); {
	case strings.Contains(low, "python"):
		return prompt.Python
	case strings.Contains(low, "in ein"), strings.Contains(low, "marked ein"):
		return prompt.Ein
	case strings.Contains(low, "step by step"):
		return prompt.CoT
	}
	return prompt.Direct
}

func write(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // a client that has gone is none of ours
}
