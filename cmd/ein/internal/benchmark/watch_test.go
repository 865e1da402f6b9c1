package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"

	"ein/cmd/ein/internal/cli"
)

// TestWatch looks at the page of a run that is being written.
func TestWatch(t *testing.T) {
	var list []*instance.Instance
	for i := range 4 {
		in, _, err := instance.Generate(instance.NewID("test", "reachability", i, 3))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	dir := filepath.Join(t.TempDir(), "under-way")
	w, err := run.Create(dir, run.Config{Format: run.Format, Scoring: run.Scoring, Model: "openai:m", Modes: []prompt.Mode{prompt.Direct}, Encodings: []surface.Encoding{surface.NL},
		Samples: 1, Instances: run.Source{File: "in.jsonl", SHA256: "00", Count: len(list)}}, list)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	for i, in := range list[:3] {
		r := run.Reply{Key: run.Key{ID: in.ID, Mode: prompt.Direct}, Model: "m", Reply: `{"answer": ` + string(in.Answer) + `}`, Finish: model.Stop}
		if i == 0 {
			r.Reply = "I do not know."
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
		w.Log(run.Event{Time: time.Now(), Event: "reply", Key: &r.Key})
	}
	w.Log(run.Event{Time: time.Now(), Event: "retry", Class: "rate_limit", Message: "rate_limit: <slow> down"})
	w.Log(run.Event{Time: time.Now(), Event: "batch", Message: "submitted, 4 requests"})

	ctx, cancel := context.WithCancel(t.Context())
	pr, pw := io.Pipe()
	a := &cli.App{Out: pw, Err: io.Discard, Env: func(string) string { return "" }, JSON: true}
	done := make(chan error, 1)
	go func() {
		err := watch(ctx, a, &listenFlags{listen: "127.0.0.1:0"}, []string{dir})
		_ = pw.CloseWithError(err)
		done <- err
	}()
	var told struct{ Address string }
	if err := json.NewDecoder(pr).Decode(&told); err != nil {
		t.Fatal(err)
	}
	got, err := http.Get(told.Address)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(got.Body)
	if err = errors.Join(err, got.Body.Close()); err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Refresh") != "5" {
		t.Fatalf("%v, %s, %v", got.Status, page, err)
	}
	for _, want := range []string{">under-way</th>", ">75.0<", ">rate_limit: &lt;slow&gt; down<", "1 of 4 questions have no reply", ">66.7<", "<h2>Accuracy by level</h2>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	other, err := http.NewRequestWithContext(t.Context(), http.MethodGet, told.Address, nil)
	if err != nil {
		t.Fatal(err)
	}
	other.Host = "site.example"
	refused, err := http.DefaultClient.Do(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := refused.Body.Close(); err != nil || refused.StatusCode != http.StatusForbidden {
		t.Errorf("a site whose name leads here gets %s, %v", refused.Status, err)
	}
	if strings.Contains(string(page), `id="replies"`) {
		t.Error("a page that is loaded again and again has replies to read")
	}
	// A run that cannot be read now may be in five seconds.
	gone := httptest.NewRecorder()
	(&watcher{runs: []*watched{{dir: t.TempDir()}}}).ServeHTTP(gone, httptest.NewRequest(http.MethodGet, "/", nil))
	if gone.Code != http.StatusInternalServerError || gone.Header().Get("Refresh") != "5" {
		t.Errorf("a page without its run is %d, %v", gone.Code, gone.Header())
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
