package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ein/internal/job"
)

// Recorded traffic is a folder: model.json names the model, and one file per exchange, named by
// the SHA-256 of the sample and the request body, holds both sides. It contains no keys, because
// bodies contain none.
const (
	trafficFile    = "model.json"
	trafficVersion = 1
	maxTraffic     = 2 * MaxResponse // of a file: both sides, with room for escapes
)

// traffic is model.json: whose answers were recorded, and what decides the bodies of its
// requests.
type traffic struct {
	Version int    `json:"version"`
	Model   string `json:"model"`
	BaseURL string `json:"base_url,omitempty"`
	Profile string `json:"profile,omitempty"`
}

// exchange is a recorded request and its answer, or why the provider rejected it.
type exchange struct {
	Version  int             `json:"version"`
	ID       string          `json:"id"`
	Sample   int             `json:"sample"`
	Body     json.RawMessage `json:"body"`
	Response *recorded       `json:"response,omitempty"`
	Error    *Error          `json:"error,omitempty"`
}

// recorded is a Response with the names that files of traffic have; a cache has others.
type recorded struct {
	Text      string          `json:"text"`
	Reasoning string          `json:"reasoning,omitempty"`
	Finish    Finish          `json:"finish"`
	Usage     Usage           `json:"usage"`
	Model     string          `json:"model"`
	RequestID string          `json:"request_id,omitempty"`
	Calls     []Call          `json:"calls,omitempty"`
	Said      json.RawMessage `json:"said,omitempty"`
	Limits    Limits          `json:"-"`
}

// exchangeFile names the file of a request. Bodies do not contain the sample, so it is part of the
// name.
func exchangeFile(dir string, sample int, body []byte) string {
	sum := sha256.Sum256(append([]byte(strconv.Itoa(sample)+"\n"), body...))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".json")
}

// recorder stores the exchanges of a model.
type recorder struct {
	Model
	dir string
}

// Record returns a model that also writes all its exchanges into a folder, for replay; it makes the
// folder if there is none, and refuses one with the traffic of another model. The options are those
// that the model was opened with. It keeps replies and refusals of single requests, but no failures
// that may pass.
func Record(m Model, dir string, o Options) (Model, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	t := traffic{trafficVersion, m.Name(), o.BaseURL, o.Profile}
	switch was, err := readTraffic(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := job.ReplaceJSON(filepath.Join(dir, trafficFile), &t); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case *was != t:
		return nil, fmt.Errorf("%s records the traffic of %s, expected that of %s with the same address and profile", dir, was.Model, t.Model)
	}
	return &recorder{m, dir}, nil
}

// Close closes the recorded model.
func (r *recorder) Close() error { return Close(r.Model) }

// Ask implements Model. An answer that cannot be stored is an error, since the caller relies on it.
func (r *recorder) Ask(ctx context.Context, q *Request) (*Response, error) {
	body, err := r.Body(q)
	if err != nil {
		return nil, err
	}
	x := exchange{Version: trafficVersion, ID: q.ID, Sample: q.Sample, Body: body}
	out, err := r.Model.Ask(ctx, q)
	if err == nil {
		x.Response = (*recorded)(out)
	} else if e, ok := errors.AsType[*Error](err); ok && e.Class == Rejected {
		x.Error = e
	} else {
		return nil, err
	}
	if werr := job.ReplaceJSON(exchangeFile(r.dir, q.Sample, body), &x); werr != nil {
		return nil, &Error{Class: Denied, Message: short("cannot record the exchange: " + werr.Error()), Hint: "Make room for the recording folder, or do not record.", Err: werr}
	}
	return out, err
}

func readTraffic(dir string) (*traffic, error) {
	b, err := os.ReadFile(filepath.Join(dir, trafficFile))
	if err != nil {
		return nil, err
	}
	var t traffic
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, trafficFile), err)
	}
	if t.Version != trafficVersion {
		return nil, fmt.Errorf("%s has version %d, expected %d", filepath.Join(dir, trafficFile), t.Version, trafficVersion)
	}
	return &t, nil
}

// replay answers from recorded traffic, under the name of the recorded model, whose answers they
// are.
type replay struct {
	Model
	dir string
}

// openReplay opens recorded traffic. It makes request bodies as the recorded model does, since
// exchanges are found by them, but needs no key.
func openReplay(dir string, o *Options) (Model, error) {
	t, err := readTraffic(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no recorded traffic: %s is missing", dir, trafficFile)
	}
	if err != nil {
		return nil, err
	}
	inner := *o
	inner.BaseURL, inner.Profile, inner.KeyFile = t.BaseURL, t.Profile, ""
	m, err := bodyOf(t.Model, inner)
	if err != nil {
		return nil, err
	}
	return &replay{m, dir}, nil
}

// bodyOf returns a model that is only asked for bodies. Its program need not be installed.
func bodyOf(spec string, o Options) (Model, error) {
	if name, ok := strings.CutPrefix(spec, "exec:"); ok {
		return &program{command: name, opt: &o}, nil
	}
	if strings.HasPrefix(spec, "replay:") {
		return nil, errors.New("this is a recording of a replay")
	}
	return Open(spec, o)
}

// Close implements io.Closer. The model inside was never asked.
func (*replay) Close() error { return nil }

// Ask implements Model.
func (r *replay) Ask(ctx context.Context, q *Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	body, err := r.Body(q)
	if err != nil {
		return nil, err
	}
	name := exchangeFile(r.dir, q.Sample, body)
	denied := func(message, hint string, err error) *Error {
		return &Error{Class: Denied, Message: short(message), Hint: hint, Err: err}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, denied(fmt.Sprintf("the recording has no exchange for %s, sample %d, with this request body", q.ID, q.Sample),
			"Replay with the same prompts, parameters and instances as the recording.", err)
	case err != nil:
		return nil, denied(err.Error(), "", err)
	case info.Size() > maxTraffic:
		return nil, denied(fmt.Sprintf("%s is longer than %d bytes", name, maxTraffic), "No recording writes files of this size.", nil)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, denied(err.Error(), "", err)
	}
	var x exchange
	err = json.Unmarshal(b, &x)
	if err == nil && (x.Version != trafficVersion || (x.Response == nil) == (x.Error == nil) || string(x.Body) != string(body)) {
		err = errors.New("the content is not the exchange that the name stands for")
	}
	if err != nil {
		return nil, denied(fmt.Sprintf("%s: %v", name, err), "The file is damaged: record again.", err)
	}
	if x.Error != nil {
		return nil, x.Error
	}
	x.Response.Limits = noLimits
	return (*Response)(x.Response), nil
}
