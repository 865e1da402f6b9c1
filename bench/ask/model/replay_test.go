package model

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scripted answers as it is told.
type scripted struct {
	Model
	ask func(*Request) (*Response, error)
}

func (s *scripted) Ask(_ context.Context, r *Request) (*Response, error) { return s.ask(r) }

func TestReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "traffic")
	opt := Options{BaseURL: "http://127.0.0.1:1/v1"}
	busy := &Error{Class: Overloaded, Message: "busy"}
	m := &scripted{open(t, "openai:local", opt), func(r *Request) (*Response, error) {
		switch r.User {
		case "busy":
			return nil, busy
		case "long":
			return nil, &Error{Class: Rejected, Status: 400, Code: "c", Message: "too long", Hint: "h"}
		}
		return &Response{Text: "<" + r.User + ">", Finish: Length, Usage: Usage{Input: 3, Output: int64(r.Sample)}, Model: "m", RequestID: "id", Reasoning: "why"}, nil
	}}
	rec, err := Record(m, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	// Lines end in U+2028 here and there, and names have brackets: what was asked is
	// found again whatever it holds.
	for _, user := range []string{"a", "a <b> & c\u2028\"", "long"} {
		for sample := range 2 {
			_, _ = rec.Ask(t.Context(), &Request{ID: "x", User: user, Sample: sample})
		}
	}
	if _, err := rec.Ask(t.Context(), &Request{User: "busy"}); !errors.Is(err, error(busy)) {
		t.Errorf("got %v", err)
	}
	back := open(t, "replay:"+dir, Options{})
	if back.Name() != "openai:local" {
		t.Errorf("name %s", back.Name())
	}
	for _, user := range []string{"a", "a <b> & c\u2028\""} {
		for sample := range 2 {
			r := &Request{ID: "x", User: user, Sample: sample}
			got, err := back.Ask(t.Context(), r)
			want, _ := m.Ask(t.Context(), r)
			if err != nil || got.Text != want.Text || got.Usage != want.Usage || got.Finish != want.Finish || got.Reasoning != want.Reasoning || got.Model != want.Model || got.RequestID != want.RequestID {
				t.Errorf("%q: %+v, %v, want %+v", user, got, err, want)
			}
		}
	}
	var e *Error
	if _, err := back.Ask(t.Context(), &Request{User: "long"}); !errors.As(err, &e) || e.Class != Rejected || e.Status != 400 || e.Message != "too long" || e.Hint != "h" {
		t.Errorf("got %v", err)
	}
	for _, r := range []*Request{{User: "busy"}, {User: "new"}, {User: "a", Sample: 9}} {
		if _, err := back.Ask(t.Context(), r); !errors.As(err, &e) || e.Class != Denied || e.Hint == "" {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := Record(open(t, "openai:other", opt), dir, opt); err == nil {
		t.Error("the traffic of two models in one folder")
	}
	if _, err := Record(m, dir, opt); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if _, err := Record(back, filepath.Join(t.TempDir(), "x"), Options{}); err != nil {
		t.Errorf("recording what was replayed: %v", err)
	}
}

func TestDamagedTraffic(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open("replay:"+dir, Options{}); err == nil || !strings.Contains(err.Error(), "no recorded traffic") {
		t.Errorf("got %v", err)
	}
	m := &scripted{open(t, "baseline:oracle", Options{}), func(*Request) (*Response, error) { return &Response{Finish: Stop}, nil }}
	rec, err := Record(m, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{ID: "x", Mode: "direct", User: "?"}
	if _, err := rec.Ask(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	body, _ := m.Body(r)
	name := exchangeFile(dir, 0, body)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(whole), `"user":"?"`, `"user":"!"`, 1)
	for _, text := range []string{"", "{}", string(whole[:len(whole)/2]), other, strings.Replace(string(whole), `"version":1`, `"version":2`, 1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if _, err := open(t, "replay:"+dir, Options{}).Ask(t.Context(), r); !errors.As(err, &e) || e.Class != Denied {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{`{"version":2}`: "has version 2", `{`: "unexpected end", `{"version":1,"model":"replay:x"}`: "recording of a replay", `{"version":1,"model":"x"}`: "unknown provider"} {
		if err := os.WriteFile(filepath.Join(dir, trafficFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open("replay:"+dir, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzReplay reads recordings that nobody has made: an answer of one is a response, or an [Error].
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"version":1,"model":"openai:m"}`), []byte(`,"response":{"text":"a","finish":"stop"}}`))
	f.Add([]byte(`{"version":1,"model":"exec:cat","profile":"p"}`), []byte(`,"error":{"class":"rejected","message":"m"}}`))
	f.Fuzz(func(t *testing.T, traffic, rest []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, trafficFile), traffic, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open("replay:"+dir, Options{})
		if err != nil {
			return
		}
		q := &Request{User: "u"}
		body, err := m.Body(q)
		if err != nil {
			return
		}
		text := slices.Concat([]byte(`{"version":1,"body":`), body, rest)
		if err := os.WriteFile(exchangeFile(dir, 0, body), text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := m.Ask(t.Context(), q)
		if e := (*Error)(nil); (r == nil) == (err == nil) || err != nil && !errors.As(err, &e) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
