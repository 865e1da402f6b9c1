package benchmark

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"ein/bench/ask/model"
	"ein/bench/ask/model/fake"

	"ein/cmd/ein/internal/cli"
)

// TestFakeProviderServes asks a server until it is stopped.
func TestFakeProviderServes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pr, pw := io.Pipe()
	var log strings.Builder
	a := &cli.App{Out: pw, Err: &log, Env: func(string) string { return "" }, JSON: true}
	done := make(chan error, 1)
	go func() {
		err := serveFake(ctx, a, &fakeFlags{listenFlags: listenFlags{listen: "127.0.0.1:0"}, Options: fake.Options{Behaviour: "oracle", Key: fake.DefaultKey}})
		_ = pw.CloseWithError(err)
		done <- err
	}()
	var urls map[string]string
	if err := json.NewDecoder(pr).Decode(&urls); err != nil {
		t.Fatal(err)
	}
	for provider, name := range map[string]string{"openai": "gpt-4o", "anthropic": "claude-sonnet-5", "gemini": "gemini-3-pro"} {
		m, err := model.Open(provider+":"+name, model.Options{BaseURL: urls[provider], Env: func(string) string { return urls["key"] }})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Ask(ctx, &model.Request{User: "Is there a path?"})
		if err != nil || !strings.Contains(got.Text, "do not know") {
			t.Errorf("%s: %+v, %v", provider, got, err)
		}
		if err := model.Close(m); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if want := "3 requests: 3 answered, 0 refused, 0 faults\n"; log.String() != want {
		t.Errorf("it said %q, want %q", log.String(), want)
	}
}
