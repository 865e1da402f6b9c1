// Package eval asks a model the questions of the benchmark and stores its replies in a
// run directory.
//
// [Run] takes [Options]: a model, instances, modes, a [Schedule] and limits. It works
// out which replies are missing, sends their requests, and appends each reply to the run.
// [EstimateRun] predicts the cost of a run, and [Summary] says what one did.
//
// # The loop
//
// One goroutine has all of the state (loop.go); every request is a goroutine that hands its
// result back to it, so the state needs no lock. The loop starts what the pace and the budget
// allow, and decides by the class of an error: what may pass is tried again later, what ends
// the run stops it, and one rejected request costs only its own reply. The number of
// requests at a time grows until a rate limit cuts it (schedule.go). Batches of a provider
// replace the loop by submitting, waiting and collecting (batch.go).
//
// # What holds at any moment
//
// A reply counts only once it is on disk, so a run can stop at any point and resume without
// asking anything twice; resuming is the same as starting with fewer rows missing. With
// MaxCost, what requests on their way may cost at most is reserved before they are sent, and
// what failed without an answer stays counted unless it is known to be free. So the limit
// holds although prices are known only afterwards.
//
// Package model knows the providers, package run the files, and package verdict the
// scoring, which never needs a model.
package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/job"
	"ein/internal/words"
)

// Options describe an evaluation: whom to ask what, how, and where to keep the replies.
type Options struct {
	Dir       string               // of the run; made if there is none
	Model     model.Model          //
	BaseURL   string               // as the model was opened with
	Headers   []string             // likewise: their names
	Instances []*instance.Instance // in all encodings, as Encode gives them
	Source    run.Source
	Modes     []prompt.Mode
	Encodings []surface.Encoding
	Samples   int
	Turns     int   // most requests of a reply in the mode prompt.Tool
	Tools     Tools // that it may call; needed for that mode
	Params    model.Params
	Prompts   prompt.Prompts
	Version   string // of the tool

	// AcceptVersion goes on with other prompts, requests or rules of scoring than the run
	// was begun with, which keeps both.
	AcceptVersion bool

	Price   *run.Price // nil: the cost is not known
	MaxCost float64    // dollars for the whole run; 0 is no bound. It needs a Price and MaxTokens
	// Batch asks by the batch API of the provider, this many requests in a batch at most, for
	// half the price, or a Grouper this many at once; 0 asks one by one. Leave does not wait for the answers: the same options
	// collect them later.
	Batch int
	Leave bool
	Cache string // folder of responses; "" is none

	// None of what follows changes a result.

	Schedule Schedule
	// Stop ends the run when it is closed: nothing more is asked, and replies on
	// their way are waited for, for Drain at most. The end of the context ends it at
	// once.
	Stop     <-chan struct{}
	Drain    time.Duration                  // 0 is DefaultDrain
	Progress func(Progress)                 // called by one goroutine; may be nil
	Accuracy bool                           // replies are judged as they come, for Progress; in the mode python they are not
	Warn     func(string)                   // what does not end the run; may be nil
	room     func(dir string) (int64, bool) // of the disk; nil is job.Room
	poll     time.Duration                  // first wait for a batch; 0 is firstPoll
	settle   time.Duration                  // 0 is settle
	// Rand gives numbers from 0 up to 1, for the jitter of waits; nil is math/rand.
	Rand func() float64
}

// Tools are what a model may call. A mistake in a call is an ordinary result, for the model to
// read; an error means that the tool could not answer. Equal calls give equal results.
type Tools interface {
	List() []model.Tool
	Call(ctx context.Context, name, args string) (text string, failed bool, err error)
}

// DefaultTurns is the default limit on the requests of one reply.
const DefaultTurns = 4

// DefaultDrain is how long an ending run waits for requests in flight, which are paid for.
const DefaultDrain = 2 * time.Minute

// question stands for the question in a request that a run records.
const question = "{question}"

// Config returns the configuration of the run that the options ask for.
func (o *Options) Config() (run.Config, error) {
	c := run.Config{Format: run.Format, Ein: o.Version, Scoring: run.Scoring, Model: o.Model.Name(), BaseURL: o.BaseURL, Headers: o.Headers, Modes: o.Modes,
		Encodings: o.Encodings, Samples: o.Samples, Params: o.Params, Instances: o.Source,
		Prompts: map[prompt.Mode]string{}, Sent: map[prompt.Mode]json.RawMessage{}, Price: o.Price}
	if u, err := url.Parse(o.BaseURL); err != nil || u.User != nil {
		return c, errors.New("the base URL is not a URL, or contains a user name or password, which would be recorded; put keys in the environment or a file")
	}
	for _, mode := range o.Modes {
		c.Prompts[mode] = o.Prompts[mode]
		q := &model.Request{Mode: string(mode), System: o.Prompts[mode], User: question, Params: o.Params}
		if mode == prompt.Tool {
			if o.Tools == nil || o.Turns < 2 {
				return c, errors.New("the mode ein-tool needs tools, and two turns at least")
			}
			c.Turns, q.Tools = o.Turns, o.Tools.List()
		}
		body, err := o.Model.Body(q)
		if err != nil {
			return c, fmt.Errorf("the request cannot be made: %w", err)
		}
		c.Sent[mode] = body
	}
	return c, nil
}

// ConfigError says that a directory holds a run with another configuration.
type ConfigError struct {
	Dir         string
	Differences []string // what there is, and what was asked for now
	Empty       bool     // it has no replies yet
	Version     bool     // AcceptVersion accepts them
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s holds a run with another configuration:\n  %s", e.Dir, strings.Join(e.Differences, "\n  "))
}

// open creates the run, or opens an existing one.
func (o *Options) open() (*run.Writer, error) {
	c, err := o.Config()
	if err != nil {
		return nil, err
	}
	w, err := run.Open(o.Dir)
	if errors.Is(err, run.ErrNoRun) {
		// A cache may have all replies, and then nobody is asked.
		var e *model.Error
		if o.Cache == "" && errors.As(model.Ready(o.Model), &e) {
			return nil, &StopError{Reason: Refused, Err: e, Hint: e.Hint}
		}
		return run.Create(o.Dir, c, o.Instances)
	}
	if err != nil {
		return nil, err
	}
	open, err := run.ReadBatches(o.Dir, len(w.Run().Rows))
	if err == nil {
		err = o.same(w.Run(), c)
	}
	if other, ok := errors.AsType[*ConfigError](err); o.AcceptVersion && len(open) == 0 && ok && other.Version {
		err = w.Accept(c)
	}
	if err == nil && len(open) > 0 && o.Batch == 0 {
		err = &StopError{Reason: Batched, Err: fmt.Errorf("the provider has %s of the run", words.Plural(len(open), "batch", "batches")), Hint: "Give --batch to collect what was asked."}
	}
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

// same checks that a run has the configuration of the options.
func (o *Options) same(r *run.Run, c run.Config) error {
	d := run.Diff(r.Config, c)
	if len(d) == 0 {
		return nil
	}
	now := r.Config.Current()
	now.Prompts, now.Sent, now.Scoring = c.Prompts, c.Sent, c.Scoring
	return &ConfigError{o.Dir, d, r.Replies() == 0, len(run.Diff(now, c)) == 0}
}

// Repeats reports whether all samples of a question would be the same request at temperature 0.
func Repeats(o *Options) bool {
	if o.Samples < 2 || o.Params.Temperature == nil || *o.Params.Temperature != 0 || len(o.Instances) == 0 || len(o.Modes) == 0 {
		return false
	}
	var bodies [2]json.RawMessage
	for sample := range bodies {
		row := &run.Row{Instance: o.Instances[0], Key: run.Key{ID: o.Instances[0].ID, Mode: o.Modes[0], Sample: sample}}
		var err error
		if bodies[sample], err = o.Model.Body(o.request(row)); err != nil {
			return false // which Run says
		}
	}
	return bytes.Equal(bodies[0], bodies[1])
}

// request returns what a row asks, after turns. Samples differ in their seed, if one is asked for.
func (o *Options) request(row *run.Row, turns ...model.Turn) *model.Request {
	p := o.Params
	if p.Seed != nil {
		p.Seed = new(*p.Seed + int64(row.Sample))
	}
	r := &model.Request{ID: row.ID, Sample: row.Sample, Mode: string(row.Mode), System: o.Prompts[row.Mode], User: row.Instance.Question, Params: p}
	if row.Mode == prompt.Tool {
		r.Tools, r.Turns, r.Final = o.Tools.List(), turns, len(turns)+1 >= o.Turns
	}
	return r
}

// bytes returns the length of the request of a row, 0 if it cannot be made; asking reports why.
func (o *Options) bytes(row *run.Row, turns ...model.Turn) int {
	body, err := o.body(row, turns...)
	if err != nil {
		return 0
	}
	return len(body)
}

// body returns the body of the request of a row.
func (o *Options) body(row *run.Row, turns ...model.Turn) (json.RawMessage, error) {
	return o.Model.Body(o.request(row, turns...))
}

// Request returns the body of the request of a row, as it is sent.
func (o *Options) Request(row *run.Row) (json.RawMessage, error) {
	return model.Sent(o.Model, o.request(row))
}

// Missing returns the rows that Run would ask for: all of them if there is no run yet. It writes
// nothing.
func Missing(o *Options) ([]run.Row, error) {
	c, err := o.Config()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(o.Dir, run.ConfigFile)); errors.Is(err, os.ErrNotExist) {
		var rows []run.Row
		for _, in := range o.Instances {
			for _, mode := range o.Modes {
				for sample := range o.Samples {
					rows = append(rows, run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: mode, Sample: sample}})
				}
			}
		}
		return rows, nil
	}
	r, err := run.Read(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := o.same(r, c); err != nil {
		if other, ok := errors.AsType[*ConfigError](err); !o.AcceptVersion || !ok || !other.Version {
			return nil, err
		}
	}
	var rows []run.Row
	for i := range r.Rows {
		if r.Rows[i].Reply == nil {
			rows = append(rows, r.Rows[i])
		}
	}
	return rows, nil
}

// Reason is why a run stopped before it was complete.
type Reason string

// The reasons.
const (
	Interrupted Reason = "interrupted"
	Refused     Reason = "refused" // the provider will not answer: a key, money, a model
	Unreachable Reason = "unreachable"
	Budget      Reason = "budget"
	Wait        Reason = "wait" // longer than Schedule.MaxWait
	Disk        Reason = "disk"
	Batched     Reason = "batched" // the provider has batches of it
)

// StopError says that a run stopped before it was complete. What is on disk
// stays, and the same options continue it.
type StopError struct {
	Reason Reason
	Err    error
	Hint   string
}

func (e *StopError) Error() string { return e.Err.Error() }

func (e *StopError) Unwrap() error { return e.Err }

// Summary counts what a Run did.
type Summary struct {
	Questions int         `json:"questions"` // of the run: instances, modes and samples
	Before    int         `json:"before"`    // replies that were there
	Asked     int         `json:"asked"`     // replies of the model, now
	Cached    int         `json:"cached"`    // replies of the cache, now
	Retries   int         `json:"retries"`
	Rejected  int         `json:"rejected"` // requests that the provider does not take
	GaveUp    int         `json:"gave_up"`  // requests that failed to the last retry
	Missing   int         `json:"missing"`  // replies that the run lacks now
	Usage     model.Usage `json:"usage"`    // of all replies of the run
	Cost      float64     `json:"cost"`     // of all replies of the run, in dollars
	Elapsed   float64     `json:"elapsed_s"`
	// Unanswered is what requests without a reply may have cost at most, where the cost is
	// bounded: the provider may bill them.
	Unanswered float64 `json:"unanswered_cost,omitempty"`
	// FirstFailure is about the first request that was rejected or given up on, and
	// FirstHint what to do about it, if anything can be said.
	FirstFailure string `json:"first_failure,omitempty"`
	FirstHint    string `json:"first_hint,omitempty"`
}

// Progress is how far a run is.
type Progress struct {
	Summary
	Flying int           // requests on their way
	Limit  int           // the most of them at present
	Rate   float64       // replies a second
	Left   time.Duration // at that rate; 0: not known
	Paused time.Duration // until anything is asked again, as the provider wants it
	// Right is how many of the replies of this session are strictly right, of those Judged.
	Right, Judged int
	Batches       int // at the provider
}

// Run asks for all replies that a run lacks. The error is a *StopError if the run could be
// continued, a *ConfigError, or one of package run. The Summary counts replies that are missing
// although there was no error.
func Run(ctx context.Context, o Options) (Summary, error) {
	switch {
	case o.MaxCost > 0 && o.Price == nil:
		return Summary{}, fmt.Errorf("a bound on the cost needs a price for %s", o.Model.Name())
	case o.MaxCost > 0 && o.Params.MaxTokens == 0:
		return Summary{}, errors.New("a bound on the cost needs one on the output of a request (--max-tokens)")
	case o.Batch > 0 && slices.Contains(o.Modes, prompt.Tool):
		return Summary{}, errors.New("a batch has no turns: the mode ein-tool is asked one by one")
	}
	if o.Drain <= 0 {
		o.Drain = DefaultDrain
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.room == nil {
		o.room = job.Room
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	o.Schedule = o.Schedule.withDefaults()
	var batcher *model.Batcher
	group, _ := o.Model.(model.Grouper)
	if o.Batch == 0 {
		group = nil
	} else if group == nil {
		var err error
		if batcher, err = model.Batches(o.Model); err != nil {
			return Summary{}, err
		}
	}
	w, err := o.open()
	if err != nil {
		return Summary{}, err
	}
	if w.Torn() != "" {
		o.Warn(w.Torn())
	}
	l := newLoop(&o, w)
	l.group = group
	err = l.run(ctx, batcher)
	if closeErr := w.Close(); err == nil && closeErr != nil {
		err = &StopError{Reason: Disk, Err: closeErr}
	}
	return l.summary(), err
}
