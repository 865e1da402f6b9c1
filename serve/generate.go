package serve

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ein/bench/judge/verdict"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/compact"
	"ein/internal/words"
)

// maxInstances bounds the instances of a request.
const maxInstances = 10000

// GenerateRequest says which instances are made.
type GenerateRequest struct {
	Generator   string           `json:"generator,omitzero"` // cb2 by default
	Preset      string           `json:"preset,omitzero"`    // sizes of cb2
	Split       string           `json:"split"`
	Seed        uint64           `json:"seed"`
	Categories  []string         `json:"categories,omitzero"`   // all by default
	PerCategory *int             `json:"per_category,omitzero"` // 1 by default
	First       int              `json:"first,omitzero"`        // index of the first one of each category
	N           []int            `json:"n,omitzero"`            // nodes, from and to
	Depth       []int            `json:"depth,omitzero"`        // hops, from and to; of cb2
	Encoding    surface.Encoding `json:"encoding,omitzero"`     // nl, json or matrix
}

// Lines are instances, one a line.
type Lines struct{}

// generate checks the whole request before the first line is written, since no status can follow
// the stream.
func generate(_ context.Context, s *Server, c *Call, q *GenerateRequest) (any, error) {
	version := cmp.Or(q.Generator, instance.Default)
	if len(q.Categories) == 0 {
		q.Categories = category.Names()
	}
	per := 1
	if q.PerCategory != nil {
		per = *q.PerCategory
	}
	switch {
	case per < 1:
		return nil, bad("/per_category: expected a number from 1 on, found %d", per)
	case per > maxInstances || per*len(q.Categories) > maxInstances:
		return nil, bad("/per_category: %d of each of %s are too many, at most %d are made at once", per, words.Plural(len(q.Categories), "category", "categories"), maxInstances)
	}
	var plan instance.Cells
	for i, name := range q.Categories {
		if slices.Contains(q.Categories[:i], name) {
			return nil, bad("/categories/%d: %s is there twice", i, name)
		}
		id, err := instance.Standard(version, q.Split, name, q.First, q.Seed)
		if q.Preset != "" {
			if !slices.Contains(instance.PresetNames(), q.Preset) {
				return nil, bad("there is no preset %q; there are %s", q.Preset, strings.Join(instance.PresetNames(), ", "))
			}
			if version != instance.Default {
				return nil, bad("the preset %s is of %s; %s has the sizes of the paper", q.Preset, instance.Default, version)
			}
			id = instance.PresetID(q.Preset, q.Split, name, q.First, q.Seed)
		}
		for _, r := range []struct {
			name string
			from []int
			to   *instance.Range
		}{{"n", q.N, &id.N}, {"depth", q.Depth, &id.Depth}} {
			switch {
			case r.from == nil:
			case len(r.from) == 2:
				*r.to = instance.Range{Min: r.from[0], Max: r.from[1]}
			default:
				return nil, bad("/%s: expected two numbers, from and to", r.name)
			}
		}
		id.Encoding = cmp.Or(q.Encoding, id.Encoding)
		if err == nil {
			err = cmp.Or(id.Check(), s.allowed(id.Version, id.Split))
		}
		if err != nil {
			return nil, bad("%v", err)
		}
		plan = append(plan, instance.Cell{ID: id, Count: per})
	}
	return &Answer{Status: http.StatusOK, Type: "application/x-ndjson", Stream: func(ctx context.Context, w io.Writer) error { return s.lines(ctx, c.Route, plan, w) }}, nil
}

// lines makes the instances of a plan, a slice at a time, like other work.
func (s *Server) lines(ctx context.Context, r *Route, plan instance.Cells, w io.Writer) error {
	type result struct {
		made instance.Made
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	results := make(chan result)
	var generator sync.WaitGroup
	generator.Go(func() {
		for made, err := range (&instance.Generator{Workers: 1}).Run(ctx, plan) {
			select {
			case results <- result{made, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	defer generator.Wait()
	defer stop()
	var b bytes.Buffer
	found, left := 0, plan.Total()
	for hold := r.Hold; left > 0; hold = true { // what has begun goes on
		searches := false // for one that takes long to find: others get their turn
		err := s.ein.each(ctx, min(left, einSlice-found), hold, s.metrics.waited(s.ein), func(context.Context, *verdict.Judge, int) error {
			if searches {
				return nil
			}
			select {
			case <-time.After(sliceTime):
				searches = true
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			case got := <-results:
				switch {
				case ctx.Err() != nil:
					return context.Cause(ctx)
				case got.err != nil: // there are no more
					return bad("%v", got.err)
				}
				found, left = found+1, left-1
				line, err := s.line(got.made.Instance)
				b.Write(line)
				return err
			}
		})
		if err != nil {
			return err
		}
		if found == einSlice || left == 0 {
			if _, err := w.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
			found = 0
		}
	}
	return nil
}

// line returns an instance as a line: all of it, or without what gives its answer away. Programs
// compute the answer, and the digest allows to check a guess.
func (s *Server) line(in *instance.Instance) ([]byte, error) {
	var b bytes.Buffer
	if s.opt.ShowAnswers {
		err := instance.Write(&b, in)
		return b.Bytes(), err
	}
	type none *struct{}
	err := compact.Write(&b, struct {
		*instance.Instance
		Answer none `json:"answer,omitempty"`
		Ein    none `json:"ein_program,omitempty"`
		Python none `json:"python_program,omitempty"`
		Digest none `json:"digest,omitempty"`
	}{Instance: in})
	return b.Bytes(), err
}

// isMode refuses unknown modes; "" is none.
func isMode(m prompt.Mode) error {
	if m != "" && !slices.Contains(prompt.Modes(), m) {
		return bad("there is no mode %q; there are direct, cot, ein, python, rules and ein-tool", m)
	}
	return nil
}

// InstanceResult is an instance, and what a model is told and asked.
type InstanceResult struct {
	Version  int              `json:"version"`
	Instance jsontext.Value   `json:"instance"`
	Messages []prompt.Message `json:"messages,omitzero"`
}

// one generates the instance of an id and, with a mode, what a model is to be told.
func one(ctx context.Context, s *Server, c *Call, _ *nothing) (out *InstanceResult, err error) {
	mode := prompt.Mode(c.Query.Get("mode"))
	if err := isMode(mode); err != nil {
		return nil, err
	}
	in, err := s.instance(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	out = &InstanceResult{Version: 1}
	if mode != "" {
		out.Messages = []prompt.Message{{Role: "system", Content: s.prompts()[mode]}, {Role: "user", Content: in.Question}}
	}
	out.Instance, err = s.line(in)
	return out, err
}
