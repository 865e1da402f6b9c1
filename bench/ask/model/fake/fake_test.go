package fake_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/model/fake"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

var providers = []string{"openai", "anthropic", "gemini"}

// names is a model of each provider that takes a temperature.
var names = map[string]string{"openai": "gpt-4o", "openai-responses": "gpt-4o", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}

func instances(t testing.TB, each int) []*instance.Instance {
	t.Helper()
	var list []*instance.Instance
	for k := range category.Table {
		for i := range each {
			in, _, err := instance.Generate(instance.NewID("fake", category.Table[k].Name, i, 5))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, in)
		}
	}
	return list
}

// serve starts a server and opens a model of it: PROVIDER:NAME, or that of names.
func serve(t testing.TB, spec string, o fake.Options, change func(*model.Options)) (model.Model, *fake.Server) {
	t.Helper()
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	provider, name, _ := strings.Cut(spec, ":")
	opt := model.Options{BaseURL: fake.BaseURL(provider, ts.URL), Env: func(string) string { return fake.DefaultKey }}
	name = cmp.Or(name, names[provider])
	if change != nil {
		change(&opt)
	}
	m, err := model.Open(provider+":"+name, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close(m) })
	return m, s
}

func TestAnswers(t *testing.T) {
	list := instances(t, 1)
	prompts := prompt.DefaultPrompts()
	for _, provider := range providers {
		m, s := serve(t, provider, fake.Options{Instances: list, Behaviour: "oracle-ein"}, nil)
		for _, mode := range prompt.Modes() {
			for _, in := range list {
				zero := 0.0
				r := &model.Request{ID: in.ID, Mode: string(mode), System: prompts[mode], User: in.Question, Params: model.Params{Temperature: &zero, MaxTokens: 4000}}
				got, err := m.Ask(t.Context(), r)
				if err != nil {
					t.Fatalf("%s, %s: %v", provider, in.ID, err)
				}
				direct, err := model.Open("baseline:oracle-ein", model.Options{Instances: list})
				if err != nil {
					t.Fatal(err)
				}
				want, err := direct.Ask(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if got.Text != want.Text || got.Finish != model.Stop || got.Usage != want.Usage || got.Model == "" || got.RequestID == "" {
					t.Fatalf("%s, %s, %s: got %+v, want %+v", provider, mode, in.ID, got, want)
				}
				q, err := verdict.NewQuestion(in, false)
				if err != nil {
					t.Fatal(err)
				}
				if mode == prompt.Direct && answer.Score(got.Text, &q.Reference, q.Type, q.Category).Outcome != answer.StrictlyRight {
					t.Errorf("%s, %s: %q is not right", provider, in.ID, got.Text)
				}
			}
		}
		if n := s.Stats().Answered; n != len(list)*len(prompt.Modes()) {
			t.Errorf("%s: %d answered", provider, n)
		}
	}
}

func TestUnknownQuestionAndBudget(t *testing.T) {
	list := instances(t, 1)
	for _, provider := range providers {
		m, _ := serve(t, provider, fake.Options{Instances: list}, nil)
		got, err := m.Ask(t.Context(), &model.Request{User: "What is the capital of graphs?"})
		if err != nil || !strings.Contains(got.Text, "do not know") {
			t.Errorf("%s: %+v, %v", provider, got, err)
		}
		got, err = m.Ask(t.Context(), &model.Request{User: list[0].Question, Params: model.Params{MaxTokens: 1}})
		if err != nil || got.Finish != model.Length || got.Usage.Output != 1 {
			t.Errorf("%s: %+v, %v, want a reply that is cut", provider, got, err)
		}
	}
}

// TestReasoning holds usage to one definition: output includes reasoning, whatever
// the provider counts, and a budget may be used up by reasoning alone.
func TestReasoning(t *testing.T) {
	in := instances(t, 1)[0]
	budget, deep := 2000, -1
	for name, params := range map[string]model.Params{
		"openai:o3":                   {Effort: "low"},
		"openai:gpt-5":                {},
		"anthropic:claude-sonnet-4-5": {Thinking: &budget, MaxTokens: 4000},
		"anthropic:claude-opus-4-6":   {Thinking: &deep, Effort: "low"},
		"gemini:gemini-2.5-pro":       {Thinking: &budget},
		"gemini:gemini-3-pro":         {Effort: "low"},
	} {
		provider, _, _ := strings.Cut(name, ":")
		ask := func(name string, p model.Params) *model.Response {
			m, _ := serve(t, name, fake.Options{Instances: []*instance.Instance{in}}, func(o *model.Options) {
				var err error
				if o.Profile, err = model.ProfileOf(provider, strings.TrimPrefix(name, provider+":")); err != nil {
					t.Fatal(err)
				}
			})
			got, err := m.Ask(t.Context(), &model.Request{User: in.Question, Params: p})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return got
		}
		got := ask(name, params)
		plain := ask(provider+":test-model", model.Params{})
		u := got.Usage
		if u.Reasoning == 0 || u.Output != plain.Usage.Output+u.Reasoning || u.Input != plain.Usage.Input || got.Text != plain.Text || plain.Usage.Reasoning != 0 {
			t.Errorf("%s: %+v, and without reasoning %+v", name, got, plain)
		}
		if strings.Contains(got.Text, "edges one by one") || (provider == "anthropic") != strings.Contains(got.Reasoning, "edges one by one") {
			t.Errorf("%s: the text is %q, the reasoning %q", name, got.Text, got.Reasoning)
		}
		if provider == "anthropic" && params.Thinking == &budget {
			continue // a budget of output is more than that of thinking
		}
		params.MaxTokens = 5
		if got := ask(name, params); got.Text != "" || got.Finish != model.Length || got.Usage.Output != 5 || got.Usage.Reasoning != 5 {
			t.Errorf("%s: %+v, want a budget that reasoning has used up", name, got)
		}
	}
}

// TestStreams asks in all formats, plain and streamed, and gets the same: reasoning, and a
// reply that is cut, too.
func TestStreams(t *testing.T) {
	in := instances(t, 1)[0]
	budget := 2000
	for spec, params := range map[string]model.Params{
		"openai:gpt-4o":               {},
		"openai:o3":                   {},
		"openai-responses:gpt-4o":     {MaxTokens: 1},
		"openai-responses:o3":         {ReasoningText: true},
		"anthropic:claude-sonnet-4-5": {Thinking: &budget, MaxTokens: 4000, ReasoningText: true},
		"anthropic:claude-opus-4-6":   {MaxTokens: 1},
		"gemini:gemini-2.5-flash":     {Thinking: &budget, ReasoningText: true, ServiceTier: "flex"},
		"gemini:gemini-2.5-pro":       {MaxTokens: 1},
	} {
		var got [2]*model.Response
		for i, stream := range []bool{false, true} {
			m, _ := serve(t, spec, fake.Options{Instances: []*instance.Instance{in}, Behaviour: "oracle-ein"}, func(o *model.Options) { o.Stream = stream })
			r := &model.Request{System: prompt.DefaultPrompts()[prompt.Ein], User: in.Question, Params: params}
			var err error
			if got[i], err = m.Ask(t.Context(), r); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			body, err := model.Sent(m, r)
			if err != nil || strings.Contains(string(body), `"stream":true`) != (stream && !strings.HasPrefix(spec, "gemini")) {
				t.Errorf("%s: %s, %v", spec, body, err)
			}
			got[i].RequestID = ""
		}
		if !reflect.DeepEqual(got[0], got[1]) || got[0].Usage.Output == 0 || (got[0].Finish == model.Length) != (params.MaxTokens == 1) {
			t.Errorf("%s: %+v, and streamed %+v", spec, got[0], got[1])
		}
		if params.ReasoningText != strings.Contains(got[0].Reasoning, "edges one by one") {
			t.Errorf("%s: the reasoning is %q", spec, got[0].Reasoning)
		}
	}
}

// TestFaults meets every fault of every provider over a connection.
func TestFaults(t *testing.T) {
	list := instances(t, 1)
	const wait = 10 * time.Hour // nobody waits for it here
	for _, provider := range providers {
		for _, f := range fake.Faults() {
			if f.Batch || f.Only != "" && f.Only != provider {
				continue
			}
			t.Run(provider+"/"+f.Name, func(t *testing.T) {
				m, s := serve(t, provider, fake.Options{Instances: list, FaultRate: 1, Faults: []string{f.Name}, Wait: wait}, func(o *model.Options) {
					if f.Hangs {
						o.Timeout = 50 * time.Millisecond
					}
				})
				r := &model.Request{User: list[0].Question}
				var e *model.Error
				got, err := m.Ask(t.Context(), r)
				if !errors.As(err, &e) {
					t.Fatalf("got %+v, %v, want an error", got, err)
				}
				if e.Class != f.Class || e.Passes() != f.Passes() {
					t.Errorf("class %s, want %s: %v", e.Class, f.Class, e)
				}
				if e.Message == "" || strings.ContainsAny(e.Message, "\r\n") {
					t.Errorf("the message %q", e.Message)
				}
				if e.Ends() && e.Hint == "" {
					t.Errorf("it ends a run and does not say what to do: %v", e)
				}
				asks := strings.HasPrefix(f.Name, "rate-limit") || f.Name == "unavailable-503"
				absolute := f.Name == "rate-limit-reset" && provider == "anthropic"
				if asks && !absolute && e.RetryAfter != wait || absolute && (e.RetryAfter <= wait/2 || e.RetryAfter > wait) || !asks && e.RetryAfter != 0 {
					t.Errorf("retry after %v", e.RetryAfter)
				}
				for range fake.MostInARow - 1 {
					if _, err = m.Ask(t.Context(), r); err == nil {
						t.Fatal("fewer faults than there should be")
					}
				}
				if got, err = m.Ask(t.Context(), r); err != nil || got.Finish != model.Stop {
					t.Errorf("after %d faults: %+v, %v", fake.MostInARow, got, err)
				}
				if n := s.Stats().Faults[f.Name]; n != fake.MostInARow {
					t.Errorf("%d faults counted", n)
				}
			})
		}
	}
}

// TestFaultsAreAFunctionOfTheSeed asks everything twice, in two orders.
func TestFaultsAreAFunctionOfTheSeed(t *testing.T) {
	list := instances(t, 4)
	seen := func(seed uint64, reverse bool) (out map[string]int, faults int) {
		m, s := serve(t, "openai", fake.Options{Instances: list, FaultRate: 0.3, Seed: seed, Wait: time.Microsecond}, nil)
		order := slices.Clone(list)
		if reverse {
			slices.Reverse(order)
		}
		out = map[string]int{}
		for _, in := range order {
			for attempt := 1; ; attempt++ {
				if attempt > fake.MostInARow+1 {
					t.Fatal("it never succeeds")
				}
				if _, err := m.Ask(t.Context(), &model.Request{User: in.Question}); err == nil {
					out[in.ID] = attempt
					break
				}
			}
		}
		for _, n := range s.Stats().Faults {
			faults += n
		}
		return out, faults
	}
	a, n := seen(1, false)
	b, _ := seen(1, true)
	c, _ := seen(2, false)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("another order meets other faults")
	}
	if fmt.Sprint(a) == fmt.Sprint(c) {
		t.Error("another seed meets the same faults")
	}
	if n < len(list)/8 || n > len(list) {
		t.Errorf("%d faults for %d questions at a rate of 0.3", n, len(list))
	}
}

// TestManyAtOnce asks everything at once over few connections that fail, and wants
// what one by one gives.
func TestManyAtOnce(t *testing.T) {
	list := instances(t, 15)
	for _, provider := range providers {
		m, s := serve(t, provider, fake.Options{Instances: list, Behaviour: "noisy-ein@0.2", FaultRate: 0.1, Seed: 5, Wait: time.Microsecond}, nil)
		direct, err := model.Open("baseline:noisy-ein@0.2", model.Options{Instances: list})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		free := make(chan struct{}, 64)
		for _, in := range list {
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				r := &model.Request{ID: in.ID, Mode: "direct", User: in.Question}
				want, err := direct.Ask(t.Context(), r)
				if err != nil {
					t.Error(err)
					return
				}
				var got *model.Response
				for range fake.MostInARow + 1 {
					if got, err = m.Ask(t.Context(), r); err == nil {
						break
					}
				}
				if err != nil || got.Text != want.Text || got.Usage != want.Usage {
					t.Errorf("%s, %s: %+v, %v, want %+v", provider, in.ID, got, err, want)
				}
			})
		}
		wg.Wait()
		if n := s.Stats(); n.Answered != len(list) || n.Requests == n.Answered {
			t.Errorf("%s: %+v", provider, n)
		}
	}
}

func TestRefusals(t *testing.T) {
	half, cold, seed := 0.5, 3.0, int64(1)
	budget, low := 4096, 10
	permissive := func(provider string) string {
		if provider == "openai" {
			return "compatible"
		}
		return provider
	}
	for _, c := range []struct {
		what, spec, code string
		params           model.Params
		key              string
		class            model.Class
	}{
		{what: "wrong key", spec: "openai:gpt-4o", key: "wrong-key-1234567", class: model.Denied, code: "invalid_api_key"},
		{what: "wrong key", spec: "anthropic:claude-3-haiku", key: "wrong-key-1234567", class: model.Denied, code: "authentication_error"},
		{what: "wrong key", spec: "gemini:gemini-2.5-pro", key: "wrong-key-1234567", class: model.Denied, code: "INVALID_ARGUMENT"},
		{what: "unknown model", spec: "openai:nothing", class: model.Denied, code: "model_not_found"},
		{what: "unknown model", spec: "anthropic:nothing", class: model.Denied, code: "not_found_error"},
		{what: "unknown model", spec: "gemini:nothing", class: model.Denied, code: "NOT_FOUND"},
		{what: "temperature of a reasoner", spec: "openai:o3", params: model.Params{Temperature: &half}, class: model.Denied, code: "unsupported_value"},
		{what: "old budget of a reasoner", spec: "openai:gpt-5-mini", params: model.Params{MaxTokens: 10}, class: model.Denied, code: "unsupported_parameter"},
		{what: "stop of a reasoner", spec: "openai:o4-mini", params: model.Params{Stop: []string{"x"}}, class: model.Denied, code: "unsupported_parameter"},
		{what: "options without a stream", spec: "openai:gpt-4o", params: model.Params{Extra: json.RawMessage(`{"stream_options":{"include_usage":true}}`)}, class: model.Denied},
		{what: "effort of another", spec: "openai:gpt-4o", params: model.Params{Effort: "low"}, class: model.Denied, code: "unknown_parameter"},
		{what: "temperature of the newest", spec: "anthropic:claude-opus-4-7", params: model.Params{Temperature: &half}, class: model.Denied, code: "invalid_request_error"},
		{what: "temperature out of range", spec: "anthropic:claude-3-haiku", params: model.Params{Temperature: &cold}, class: model.Denied, code: "invalid_request_error"},
		{what: "budget of the newest", spec: "anthropic:claude-opus-4-8", params: model.Params{Thinking: &budget}, class: model.Denied, code: "invalid_request_error"},
		{what: "small budget", spec: "anthropic:claude-sonnet-4-5", params: model.Params{Thinking: &low}, class: model.Denied, code: "invalid_request_error"},
		{what: "level of another", spec: "gemini:gemini-2.5-pro", params: model.Params{Effort: "low"}, class: model.Denied, code: "INVALID_ARGUMENT"},
		{what: "seed is taken", spec: "gemini:gemini-2.5-pro", params: model.Params{Seed: &seed}},
	} {
		t.Run(c.spec+" "+c.what, func(t *testing.T) {
			s, err := fake.New(fake.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ts := httptest.NewServer(s)
			defer ts.Close()
			provider, _, _ := strings.Cut(c.spec, ":")
			key := c.key
			if key == "" {
				key = fake.DefaultKey
			}
			m, err := model.Open(c.spec, model.Options{BaseURL: fake.BaseURL(provider, ts.URL), Profile: permissive(provider), Env: func(string) string { return key }})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Ask(t.Context(), &model.Request{User: "?", Params: c.params})
			if c.class == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *model.Error
			if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Code, c.code) {
				t.Fatalf("got %v", err)
			}
			if c.code == "unsupported_parameter" && !strings.Contains(e.Hint, "--profile") {
				t.Errorf("the hint is %q", e.Hint)
			}
			if e.Hint == "" {
				t.Error("no word of what to do")
			}
			if all := fmt.Sprintf("%+v %v %s", e, errors.Unwrap(e), e.Hint); strings.Contains(all, key) {
				t.Errorf("the key is in the error: %s", all)
			}
		})
	}
}

// TestProfilesAreTaken sends what each profile allows to a server as strict as the
// real ones: what is allowed and then refused would end a run.
func TestProfilesAreTaken(t *testing.T) {
	half, seed, budget, auto, off := 0.5, int64(7), 2048, -1, 0
	s, err := fake.New(fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s)
	defer ts.Close()
	tried := 0
	for _, name := range []string{"gpt-4o", "gpt-4.1-mini", "o3", "o4-mini-2025-04-16", "gpt-5", "gpt-5-nano", "gpt-5-chat-latest", "gpt-5.1", "gpt-5.2",
		"claude-3-haiku-20240307", "claude-3-5-sonnet-latest", "claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-1", "claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-5",
		"gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro", "gpt-5.5", "gpt-6.2-sol", "claude-opus-5-5", "claude-fable-5-2", "gemini-3.8-flash", "gemini-4-argon"} {
		provider := "openai"
		for prefix, p := range map[string]string{"claude": "anthropic", "gemini": "gemini"} {
			if strings.HasPrefix(name, prefix) {
				provider = p
			}
		}
		profile, err := model.ProfileOf(provider, name)
		if err != nil || profile == provider {
			t.Errorf("%s has profile %q, %v", name, profile, err)
		}
		m, err := model.Open(provider+":"+name, model.Options{BaseURL: fake.BaseURL(provider, ts.URL), Profile: profile, Env: func(string) string { return fake.DefaultKey }})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []model.Params{
			{}, {MaxTokens: 5000}, {Temperature: &half}, {TopP: &half}, {Temperature: &half, TopP: &half}, {Seed: &seed}, {Stop: []string{"a", "b"}},
			{Effort: "none"}, {Effort: "minimal"}, {Effort: "low"}, {Effort: "high"}, {Effort: "none", Temperature: &half},
			{Thinking: &budget}, {Thinking: &auto}, {Thinking: &off}, {Thinking: &budget, Temperature: &half}, {Thinking: &budget, MaxTokens: 100}, {Thinking: &budget, Effort: "low"},
		} {
			r := &model.Request{System: "Answer.", User: "?", Params: p}
			if _, err := m.Body(r); err != nil {
				continue // the profile does not allow it
			}
			tried++
			if _, err := m.Ask(t.Context(), r); err != nil {
				b, _ := json.Marshal(p)
				t.Errorf("%s with %s: %v", name, b, err)
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d combinations were allowed", tried)
	}
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]fake.Options{
		"fault rate from 0 to 1": {FaultRate: 2},
		"unknown fault":          {Faults: []string{"nothing"}},
		"unknown baseline":       {Behaviour: "genius"},
		"expected a rate from 0": {Behaviour: "noisy-ein@7"},
	} {
		if _, err := fake.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	s, err := fake.New(fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"GET /": 404, "POST /v1/models": 405, "GET /v1/models": 401, "GET /v2/models": 404, "GET /v1/models/x:y": 404, "GET /v1/messages": 405, "POST /v1/messages": 401} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader("{}")))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
	}
}

// TestCancel ends requests that wait.
func TestCancel(t *testing.T) {
	for _, provider := range providers {
		m, _ := serve(t, provider, fake.Options{FaultRate: 1, Faults: []string{"hang"}}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := m.Ask(ctx, &model.Request{User: "?"})
		cancel()
		var e *model.Error
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) {
			t.Errorf("%s: %v, want the error of the context", provider, err)
		}
	}
}

func FuzzServer(f *testing.F) {
	s, err := fake.New(fake.Options{Key: "k"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(0), []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"?"}]}`))
	f.Add(uint8(1), []byte(`{"model":"claude-3-haiku","max_tokens":5,"messages":[{"role":"user","content":"?"}]}`))
	f.Add(uint8(2), []byte(`{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		path := []string{"/v1/chat/completions", "/v1/messages", "/v1beta/models/gemini-2.5-pro:generateContent"}[which%3]
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer k")
		r.Header.Set("X-Api-Key", "k")
		r.Header.Set("X-Goog-Api-Key", "k")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%d with a body that is no JSON: %q", w.Code, w.Body)
		}
	})
}

// TestProfilesCoverSDKs holds the profiles to the ids in the types of the providers' own
// packages: each that answers texts with texts has one.
func TestProfilesCoverSDKs(t *testing.T) {
	const list = `
from typing import get_args
from openai.types.shared.chat_model import ChatModel
from anthropic.types.model import Model
for provider, ids in ("openai", get_args(ChatModel)), ("anthropic", get_args(get_args(Model)[0])):
    print("\n".join(provider + ":" + i for i in ids))
try:
    from google.genai._gaos.types.interactions.model import Model
    print("\n".join("gemini:" + i for i in get_args(get_args(Model)[0])))
except ImportError:
    pass # it was not there before
`
	other := regexp.MustCompile("audio|search|image|tts|vision|live|omni|robotics|banana|transcribe|codex|gemma|customtools|lyria|veo|imagen|research|computer|5.1-mini|antigravity")
	cmd := exec.CommandContext(t.Context(), sdks(t), "-c", list)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Fields(string(out)) {
		provider, id, _ := strings.Cut(line, ":")
		if other.MatchString(id) {
			continue
		}
		if p, err := model.ProfileOf(provider, id); err != nil || p == provider {
			t.Errorf("%s has no profile", line)
		}
		n++
	}
	if n < 80 {
		t.Errorf("only %d ids", n)
	}
}

// sdks returns a Python that has the packages of the providers.
func sdks(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import openai, anthropic, google.genai").Run()
	}
	if err != nil {
		t.Skip("no Python with openai, anthropic and google-genai:", err)
	}
	return python
}

// TestSDKs asks with the packages of the providers, of the newest major versions and, in
// the folder that EIN_SDKS_BEFORE names, of those before.
func TestSDKs(t *testing.T) {
	python := sdks(t)
	in := instances(t, 1)[0]
	s, err := fake.New(fake.Options{Instances: []*instance.Instance{in}, Behaviour: "oracle-ein"})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s)
	defer ts.Close()
	m, err := model.Open("baseline:oracle-ein", model.Options{Instances: []*instance.Instance{in}})
	if err != nil {
		t.Fatal(err)
	}
	system := prompt.DefaultPrompts()[prompt.Ein]
	want, err := m.Ask(t.Context(), &model.Request{ID: in.ID, Mode: string(prompt.Ein), System: system, User: in.Question})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", os.Getenv("EIN_SDKS_BEFORE")} {
		cmd := exec.CommandContext(t.Context(), python, "testdata/sdks.py", ts.URL, fake.DefaultKey, system, in.Question)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+folder)
		cmd.Stderr = &strings.Builder{}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s%s", err, out, cmd.Stderr)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		answers, thoughts := 0, 0
		for _, line := range lines {
			var got struct {
				What, Text string
				Thought    []string
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			thoughts += len(got.Thought)
			if status, err := strconv.Atoi(got.Text); err == nil {
				if status < 400 || status > 404 {
					t.Errorf("%s: %d", got.What, status)
				}
				continue
			}
			if answers++; got.Text != want.Text {
				t.Errorf("%s: %q, want %q", got.What, got.Text, want.Text)
			}
		}
		if answers != 16 || thoughts != 3 {
			t.Errorf("%d answers and %d thoughts:\n%s", answers, thoughts, out)
		}
		if folder == "" && os.Getenv("EIN_SDKS_BEFORE") == "" {
			break
		}
	}
}

// TestTools: a dialogue is the same in every format, streamed or not: the first program
// fails in one of four, and the next request may call no more.
func TestTools(t *testing.T) {
	list := instances(t, 1)
	tools := []model.Tool{{Name: "run", Description: "Run a program.", Schema: json.RawMessage(`{"type":"object","properties":{"program":{"type":"string"}}}`)}}
	direct, err := model.Open("baseline:oracle-ein", model.Options{Instances: list})
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[int]bool{}
	for _, provider := range append([]string{"openai-responses"}, providers...) {
		for _, stream := range []bool{false, true} {
			m, _ := serve(t, provider+":test-model", fake.Options{Instances: list, Behaviour: "oracle-ein"}, func(o *model.Options) { o.Stream = stream })
			for _, in := range list {
				r := &model.Request{ID: in.ID, Mode: "ein-tool", System: "Use the tools.", User: in.Question, Params: model.Params{MaxTokens: 4000}, Tools: tools}
				for {
					got, err := m.Ask(t.Context(), r)
					if err != nil {
						t.Fatalf("%s, %s, turn %d: %v", provider, in.ID, len(r.Turns)+1, err)
					}
					want, err := direct.Ask(t.Context(), r)
					if err != nil {
						t.Fatal(err)
					}
					if got.Text != want.Text || got.Finish != want.Finish || len(got.Calls) != len(want.Calls) {
						t.Fatalf("%s, %s, turn %d: got %+v, want %+v", provider, in.ID, len(r.Turns)+1, got, want)
					}
					if len(got.Calls) == 0 {
						lengths[len(r.Turns)] = true
						break
					}
					var program struct{ Program string }
					if err := json.Unmarshal([]byte(got.Calls[0].Args), &program); err != nil || got.Calls[0].Name != "run" {
						t.Fatalf("%s: %+v, %v", provider, got.Calls[0], err)
					}
					result := model.Result{Text: "Result = 1"}
					if strings.Contains(program.Program, ":prnt") {
						result = model.Result{Text: "error[E0101]: there is no command :prnt", Failed: true}
					}
					turn := model.Turn{Said: got.Said}
					none := *r
					none.Turns = append(slices.Clone(r.Turns), turn)
					var e *model.Error
					if _, err := m.Ask(t.Context(), &none); !errors.As(err, &e) || e.Status != http.StatusBadRequest {
						t.Fatalf("%s: a call without a result is taken: %v", provider, err)
					}
					turn.Calls, turn.Results = got.Calls, []model.Result{result}
					r.Turns = append(r.Turns, turn)
					last := *r
					last.Final = true
					if got, err := m.Ask(t.Context(), &last); err != nil || len(got.Calls) > 0 || got.Text == "" {
						t.Fatalf("%s: the last turn is %+v, %v", provider, got, err)
					}
				}
			}
		}
	}
	if !lengths[1] || !lengths[2] || len(lengths) != 2 {
		t.Errorf("dialogues of %v turns before the answer, expected of 1 and of 2", lengths)
	}
}
