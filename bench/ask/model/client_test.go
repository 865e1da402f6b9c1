package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ein/internal/golden"
)

// TestBodies shows what is sent to each family for each parameter.
func TestBodies(t *testing.T) {
	zero, half, seed := 0.0, 0.5, int64(42)
	budget, auto, off := 2048, -1, 0
	cases := []struct {
		what string
		p    Params
	}{
		{"nothing", Params{}},
		{"temperature 0, 4000 tokens", Params{Temperature: &zero, MaxTokens: 4000}},
		{"top_p, seed, stop", Params{TopP: &half, Seed: &seed, Stop: []string{"\n\n", "END"}}},
		{"seed", Params{Seed: &seed}},
		{"effort low", Params{Effort: "low", MaxTokens: 4000}},
		{"effort none, temperature", Params{Effort: "none", Temperature: &half}},
		{"thinking of 2048 tokens", Params{Thinking: &budget, MaxTokens: 4000}},
		{"thinking up to the model", Params{Thinking: &auto}},
		{"no thinking", Params{Thinking: &off}},
		{"text of reasoning", Params{Thinking: &auto, ReasoningText: true}},
		{"text of reasoning alone", Params{ReasoningText: true}},
		{"tier, and what else there is", Params{ServiceTier: "flex", Extra: json.RawMessage(`{"top_k":20,"chat_template_kwargs":{"enable_thinking":false}}`)}},
		{"twice", Params{MaxTokens: 10, Extra: json.RawMessage(`{"model":"another"}`)}},
	}
	example := map[string]string{
		"openai-chat": "gpt-4o", "openai-o": "o3", "openai-gpt-5-chat": "gpt-5-chat-latest", "openai-gpt-5": "gpt-5-mini", "openai-gpt-5.1": "gpt-5.1", "openai-gpt-5.2": "gpt-5.2", "openai-gpt-6": "gpt-6.2-sol", "openai": "gpt-next", "compatible": "", "responses": "gpt-6.2-sol",
		"anthropic-3": "claude-3-haiku-20240307", "anthropic-3.5": "claude-3-5-sonnet-latest", "anthropic-4": "claude-sonnet-4-20250514", "anthropic-4.5": "claude-sonnet-4-5", "anthropic-4.6": "claude-opus-4-6", "anthropic-5": "claude-opus-4-7", "anthropic": "claude-next",
		"gemini-2": "gemini-2.0-flash", "gemini-2.5-pro": "gemini-2.5-pro", "gemini-2.5-flash": "gemini-2.5-flash", "gemini-2.5-flash-lite": "gemini-2.5-flash-lite", "gemini-3-pro": "gemini-3-pro-preview", "gemini-3-flash": "gemini-3-flash-preview", "gemini-4": "gemini-4-argon", "gemini": "gemini-next",
	}
	for _, p := range append(Profiles(nil), Profile{Name: "responses", Provider: "openai-responses"}) {
		t.Run(p.Name, func(t *testing.T) {
			name, ok := example[p.Name]
			if !ok {
				t.Fatal("no model of this profile")
			}
			o := Options{}
			if name == "" {
				name, o.BaseURL = "Qwen/Qwen3-8B", "http://localhost:8000/v1"
			} else if got, err := ProfileOf(p.Provider, name); p.Source != "" && (err != nil || got != p.Name) {
				t.Fatalf("%s has profile %q, %v", name, got, err)
			}
			m := open(t, p.Provider+":"+name, o)
			var b strings.Builder
			for _, c := range cases {
				fmt.Fprintf(&b, "%s\n", c.what)
				body, err := m.Body(&Request{ID: "secret-id", Sample: 3, Mode: "direct", System: "Reply with {\"answer\": ...}.", User: "Is 1 -> 2 & 2 < 3?", Params: c.p})
				var e *Error
				switch {
				case errors.As(err, &e):
					fmt.Fprintf(&b, "  %v\n  %s\n", e, e.Hint)
					if e.Class != Denied || e.Hint == "" {
						t.Errorf("%s: %v, %q", c.what, e, e.Hint)
					}
				case err != nil:
					t.Fatal(err)
				default:
					fmt.Fprintf(&b, "  %s\n", body)
					if strings.Contains(string(body), "secret-id") {
						t.Error("the id is sent")
					}
				}
			}
			golden.File(t, filepath.Join("testdata", "bodies", p.Name+".txt"), b.String())
		})
	}
}

// TestNames holds the patterns to whole names.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"gpt-4o": "openai-chat", "gpt-4o-mini-2024-07-18": "openai-chat", "gpt-4.1-nano": "openai-chat", "gpt-4-turbo": "openai-chat", "gpt-3.5-turbo-0125": "openai-chat",
		"ft:gpt-4o-mini-2024-07-18:org::abc": "openai-chat", "chatgpt-4o-latest": "openai-chat",
		"o1": "openai-o", "o3-mini": "openai-o", "o3-2025-04-16": "openai-o", "o4-mini": "openai-o",
		"gpt-5": "openai-gpt-5", "gpt-5-2025-08-07": "openai-gpt-5", "gpt-5-chat-latest": "openai-gpt-5-chat", "gpt-5.1": "openai-gpt-5.1", "gpt-5.4-mini": "openai-gpt-5.2", "gpt-5.10": "openai", "gpt-6-astra": "openai-gpt-6",
		"gpt-6": "openai", "gpt-45": "openai", "my-gpt-5": "openai", "gpt-5000": "openai", "gpt-5-foo": "openai", "omni": "openai", "o": "openai", "gpt-4o-5": "openai",
	} {
		if got, _ := ProfileOf("openai", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"claude-3-opus-20240229": "anthropic-3", "claude-3-5-haiku-latest": "anthropic-3.5", "claude-3-7-sonnet-20250219": "anthropic-4", "claude-sonnet-4-20250514": "anthropic-4", "claude-opus-4-0": "anthropic-4",
		"claude-opus-4-1-20250805": "anthropic-4.5", "claude-haiku-4-5": "anthropic-4.5", "claude-sonnet-4-6": "anthropic-4.6", "claude-opus-4-7": "anthropic-5", "claude-opus-4-8-20260601": "anthropic-5",
		"claude-opus-4-10": "anthropic", "claude-sonnet-5": "anthropic-5", "claude-sonnet-5-20260801": "anthropic-5", "claude-haiku-5-5": "anthropic-5", "claude-2.1": "anthropic", "claude-mythos-preview": "anthropic-5",
	} {
		if got, _ := ProfileOf("anthropic", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"gemini-1.5-flash-8b": "gemini-2", "gemini-2.0-flash-001": "gemini-2", "gemini-2.0-flash-lite": "gemini-2", "gemini-2.5-pro-preview-05-06": "gemini-2.5-pro", "gemini-2.5-flash-preview-04-17": "gemini-2.5-flash",
		"gemini-2.5-flash-lite": "gemini-2.5-flash-lite", "gemini-3-pro-preview": "gemini-3-pro", "gemini-3.1-pro": "gemini-3-pro", "gemini-3.5-flash": "gemini-3-flash", "gemini-4-argon": "gemini-4", "gemini-flash-latest": "gemini-4", "gemini-4-pro": "gemini", "gemma-3-27b-it": "gemini",
	} {
		if got, _ := ProfileOf("gemini", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const secret = "sk-secret-123456"
	for _, c := range []struct {
		spec string
		o    Options
		want string
	}{
		{"openai:gpt 4", Options{}, "spaces"},
		{"openai:x", Options{BaseURL: "localhost:8000"}, "is not an address"},
		{"openai:x", Options{BaseURL: "ftp://host/"}, "is not an address"},
		{"openai:x", Options{BaseURL: "http://user:" + secret + "@host/v1"}, "may only have an address"},
		{"openai:x", Options{BaseURL: "http://host/v1?key=" + secret}, "may only have an address"},
		{"openai:x", Options{BaseURL: "http://host/%zz" + secret}, "is not an address"},
		{"openai:x", Options{Profile: "gemini"}, "openai has no profile"},
		{"openai:x", Options{KeyFile: filepath.Join(dir, "none")}, "the key file"},
		{"openai:x", Options{KeyFile: file("empty", " \n")}, "the key is empty"},
		{"openai:x", Options{KeyFile: file("two", secret+"\n"+secret)}, "expected one line"},
	} {
		_, err := Open(c.spec, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s %+v: %v, want %q", c.spec, c.o, err, c.want)
		}
	}
}

// answers returns a server that gives one response.
func answers(t testing.TB, status int, header http.Header, body string) string {
	t.Helper()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for k, v := range header {
			w.Header()[http.CanonicalHeaderKey(k)] = v
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(ts.Close)
	return ts.URL
}

// TestReplies reads what the providers send with success.
func TestReplies(t *testing.T) {
	for _, c := range []struct {
		what, provider, body string
		want                 Response
	}{
		{"a reply", "openai", `{"id":"i","model":"gpt-4o-2024-08-06","choices":[{"message":{"role":"assistant","content":"yes","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":7,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":5},"prompt_tokens_details":{"cached_tokens":4}}}`,
			Response{Text: "yes", Finish: Stop, Model: "gpt-4o-2024-08-06", RequestID: "i", Usage: Usage{10, 4, 7, 5}}},
		{"reasoning beside the completion", "openai", `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":7,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":5}}}`,
			Response{Text: "yes", Finish: Stop, Usage: Usage{10, 0, 12, 5}}},
		{"parts beside the whole", "openai", `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":7,"completion_tokens_details":{"reasoning_tokens":9},"prompt_tokens_details":{"cached_tokens":4}}}`,
			Response{Text: "yes", Finish: Stop, Usage: Usage{7, 4, 16, 9}}},
		{"counts of gateways", "openai", `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10.0,"completion_tokens":"7","total_tokens":1.7e1,"prompt_tokens_details":{"cached_tokens":null}}}`,
			Response{Text: "yes", Finish: Stop, Usage: Usage{10, 0, 7, 0}}},
		{"budget used up by reasoning", "openai", `{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":50,"completion_tokens_details":{"reasoning_tokens":50}}}`,
			Response{Finish: Length, Usage: Usage{10, 0, 50, 50}}},
		{"null content", "openai", `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, Response{Finish: ContentFilter}},
		{"a refusal", "openai", `{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}`, Response{Text: "No.", Finish: Refusal}},
		{"an unknown finish", "openai", `{"choices":[{"message":{"content":"x"},"finish_reason":"tool_calls"}]}`, Response{Text: "x", Finish: Other}},
		{"a full context", "openai", `{"choices":[{"message":{"content":"x"},"finish_reason":"model_length"}]}`, Response{Text: "x", Finish: Length}},
		{"an error that is none", "openai", `{"error":{},"choices":[{"message":{"content":"x"},"finish_reason":"stop","error":null}]}`, Response{Text: "x", Finish: Stop}},
		{"parts", "openai", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`, Response{Text: "ab", Finish: Stop}},
		{"reasoning of vLLM", "openai", `{"choices":[{"message":{"content":"yes","reasoning_content":"because"},"finish_reason":"stop"}]}`, Response{Text: "yes", Reasoning: "because", Finish: Stop}},
		{"reasoning, newer", "openai", `{"choices":[{"message":{"content":"yes","reasoning":"because"},"finish_reason":"stop"}]}`, Response{Text: "yes", Reasoning: "because", Finish: Stop}},
		{"tags", "openai", `{"choices":[{"message":{"content":"<think>\nbecause\n</think>\n\nyes"},"finish_reason":"stop"}]}`, Response{Text: "yes", Reasoning: "because", Finish: Stop}},
		{"a closing tag alone", "openai", `{"choices":[{"message":{"content":"because\n</think>\nyes"},"finish_reason":"stop"}]}`, Response{Text: "yes", Reasoning: "because", Finish: Stop}},
		{"an opening tag alone", "openai", `{"choices":[{"message":{"content":"<think>because {\"answer\": 1}"},"finish_reason":"length"}]}`, Response{Reasoning: `because {"answer": 1}`, Finish: Length}},
		{"a tag in the middle", "openai", `{"choices":[{"message":{"content":"say <think> here </think>"},"finish_reason":"stop"}]}`, Response{Text: "say <think> here </think>", Finish: Stop}},

		{"a reply", "anthropic", `{"id":"m","model":"claude","content":[{"type":"thinking","thinking":"because","signature":"s"},{"type":"text","text":"yes"},{"type":"text","text":"!"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"output_tokens":9,"output_tokens_details":{"thinking_tokens":6}}}`,
			Response{Text: "yes!", Reasoning: "because", Finish: Stop, Model: "claude", RequestID: "m", Usage: Usage{12, 5, 9, 6}}},
		{"no content", "anthropic", `{"content":[],"stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":9}}`, Response{Finish: Length, Usage: Usage{Input: 3, Output: 9}}},
		{"a full context", "anthropic", `{"content":[],"stop_reason":"model_context_window_exceeded","usage":{}}`, Response{Finish: Length}},
		{"a refusal", "anthropic", `{"content":[],"stop_reason":"refusal","usage":{}}`, Response{Finish: Refusal}},
		{"a pause", "anthropic", `{"content":[],"stop_reason":"pause_turn","usage":{}}`, Response{Finish: Other}},
		{"a stop sequence", "anthropic", `{"content":[],"stop_reason":"stop_sequence","usage":{}}`, Response{Finish: Stop}},

		{"a reply", "gemini", `{"candidates":[{"content":{"parts":[{"text":"because","thought":true},{"text":"yes"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":2,"thoughtsTokenCount":30,"cachedContentTokenCount":1,"totalTokenCount":40},"modelVersion":"gemini","responseId":"r"}`,
			Response{Text: "yes", Reasoning: "because", Finish: Stop, Model: "gemini", RequestID: "r", Usage: Usage{8, 1, 32, 30}}},
		{"budget used up by thoughts", "gemini", `{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":8,"thoughtsTokenCount":100}}`, Response{Finish: Length, Usage: Usage{8, 0, 100, 100}}},
		{"empty content", "gemini", `{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":8}}`, Response{Finish: Stop, Usage: Usage{Input: 8}}},
		{"a blocked prompt", "gemini", `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":8}}`, Response{Finish: ContentFilter, Usage: Usage{Input: 8}}},
		{"no candidates", "gemini", `{"usageMetadata":{"promptTokenCount":8}}`, Response{Finish: Other, Usage: Usage{Input: 8}}},
		{"recitation", "gemini", `{"candidates":[{"finishReason":"RECITATION"}]}`, Response{Finish: ContentFilter}},
		{"something new", "gemini", `{"candidates":[{"finishReason":"BORED"}]}`, Response{Finish: Other}},
	} {
		t.Run(c.provider+"/"+c.what, func(t *testing.T) {
			m := open(t, c.provider+":m", Options{BaseURL: answers(t, 200, nil, c.body)})
			got, err := m.Ask(t.Context(), &Request{User: "?"})
			if err != nil {
				t.Fatal(err)
			}
			c.want.Limits = Limits{RemainingRequests: -1, RemainingTokens: -1}
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got  %+v\nwant %+v", *got, c.want)
			}
		})
	}
}

// TestFailures reads what the providers send with failure, and servers that are
// none of them.
func TestFailures(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html"}}
	for _, c := range []struct {
		provider string
		status   int
		header   http.Header
		body     string
		class    Class
		message  string
		wait     time.Duration
	}{
		{"openai", 429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"Rate limit reached for gpt-4o","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, RateLimit, "Rate limit reached", 7 * time.Second},
		{"openai", 429, http.Header{"Date": {"Mon, 01 Jan 2024 00:00:00 GMT"}, "Retry-After": {"Mon, 01 Jan 2024 00:00:09 GMT"}}, `{"error":{"message":"slow"}}`, RateLimit, "slow", 9 * time.Second},
		{"anthropic", 429, http.Header{"Date": {"Mon, 01 Jan 2024 00:00:00 GMT"}, "Anthropic-Ratelimit-Requests-Reset": {"2024-01-01T00:00:08Z"}}, `{"error":{"message":"slow"}}`, RateLimit, "slow", 8 * time.Second},
		{"openai", 429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"You exceeded your current quota, please check your plan.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, Quota, "current quota", 0},
		{"openai", 429, nil, `{"error":{"message":"You exceeded your current quota"}}`, Quota, "current quota", 0},
		{"openai", 400, nil, `{"error":{"message":"Your credit balance is too low","type":"invalid_request_error"}}`, Quota, "credit balance", 0},
		{"openai", 402, nil, `{"error":{"message":"Insufficient credits","code":402}}`, Quota, "Insufficient credits", 0},
		{"openai", 403, nil, `{"error":{"message":"Key limit exceeded","code":403}}`, Quota, "Key limit", 0},
		{"openai", 403, nil, `{"error":{"message":"Country not supported","code":"unsupported_country_region_territory"}}`, Denied, "Country", 0},
		{"openai", 401, nil, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, Denied, "Incorrect", 0},
		{"openai", 404, nil, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, Denied, "does not exist", 0},
		{"openai", 404, html, `<html><head><title>404 Not Found</title></head></html>`, Denied, `an HTML page with the title "404 Not Found"`, 0},
		{"openai", 400, nil, `{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded","param":"messages"}}`, Rejected, "maximum context", 0},
		{"openai", 400, nil, `{"object":"error","message":"This model's maximum context length is 2048 tokens.","type":"BadRequestError","code":400}`, Rejected, "maximum context", 0},
		{"openai", 400, nil, `{"error":{"message":"flagged","code":"content_policy_violation"}}`, Rejected, "flagged", 0},
		{"openai", 400, nil, `{"error":{"message":"Unsupported value","code":"unsupported_value","param":"temperature"}}`, Denied, "Unsupported value", 0},
		{"openai", 404, nil, `{"error":{"message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}}`, Denied, "does not exist", 0},
		{"openai", 400, nil, `{"error":{"message":"odd","type":7,"param":{},"code":"context_length_exceeded"}}`, Rejected, "odd", 0},
		{"openai", 422, nil, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, Rejected, "field required", 0},
		{"openai", 500, nil, `{"error":"boom"}`, Overloaded, "boom", 0},
		{"openai", 503, html, `<!DOCTYPE html><html>`, Overloaded, "an HTML page", 0},
		{"openai", 500, http.Header{"X-Ratelimit-Reset-Requests": {"6m0s"}}, `{"error":{"message":"The server had an error"}}`, Overloaded, "had an error", 0},
		{"openai", 429, http.Header{"X-Ratelimit-Reset-Requests": {"6m0s"}}, `{"error":{"message":"slow down"}}`, RateLimit, "slow down", 6 * time.Minute},
		{"openai", 418, nil, ``, Denied, "the body is empty", 0},
		{"openai", 200, nil, `{"error":{"message":"Provider returned error","code":502}}`, Overloaded, "Provider returned", 0},
		{"openai", 200, nil, `{"error":{"message":"Insufficient credits","code":402}}`, Quota, "Insufficient", 0},
		{"openai", 200, nil, `{"choices":null,"error":{"message":"Insufficient credits","code":402}}`, Quota, "Insufficient", 0},
		{"openai", 200, nil, `{"error":"unknown"}`, Overloaded, "unknown", 0},
		{"openai", 200, nil, `{"choices":[{"finish_reason":"error","message":{"content":"The ans"},"error":{"code":502,"message":"Provider disconnected"}}]}`, Overloaded, "Provider disconnected", 0},
		{"openai", 200, nil, `{"error":{"code":"server_error","message":"Provider disconnected"},"choices":[{"finish_reason":"error","message":{"content":"The ans"}}]}`, Overloaded, "Provider disconnected", 0},
		{"openai", 200, nil, `{"choices":[{"finish_reason":"error","message":{"content":"The ans"}}]}`, Overloaded, "finish_reason", 0},
		{"openai", 200, nil, `{"choices":[{"finish_reason":"abort","message":{"content":"The ans"}}]}`, Overloaded, "abort", 0},
		{"openai", 200, nil, `{"choices":[]}`, Protocol, "no choices[0].message", 0},
		{"openai", 200, nil, `{"choices":[{"message":{"content":5}}]}`, Protocol, "not in openai format", 0},
		{"openai", 200, nil, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1.5}}`, Protocol, "1.5 is no number of tokens", 0},
		{"openai", 200, nil, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-1}}`, Protocol, "the response has a negative token count", 0},
		{"openai", 200, nil, `null`, Protocol, "not in openai format", 0},
		{"openai", 200, html, `<html><title>Log in</title>`, Protocol, `expected application/json: an HTML page with the title "Log in"`, 0},
		{"openai", 200, http.Header{"Content-Type": {"text/event-stream"}}, "data: {}\n\n", Protocol, "text/event-stream", 0},
		{"anthropic", 429, nil, `{"type":"error","error":{"type":"rate_limit_error","message":"limit","details":{"error_code":"enforced_spend_limit_reached"}}}`, Quota, "limit", 0},
		{"anthropic", 429, http.Header{"Retry-After": {"3"}}, `{"type":"error","error":{"type":"rate_limit_error","message":"limit"}}`, RateLimit, "limit", 3 * time.Second},
		{"anthropic", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded, "Overloaded", 0},
		{"anthropic", 402, nil, `{"type":"error","error":{"type":"billing_error","message":"pay"}}`, Quota, "pay", 0},
		{"anthropic", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, Quota, "credit balance", 0},
		{"anthropic", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, Rejected, "too long", 0},
		{"anthropic", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 9 > 8"}}`, Denied, "max_tokens", 0},
		{"anthropic", 413, nil, `{"type":"error","error":{"type":"request_too_large","message":"large"}}`, Rejected, "large", 0},
		{"anthropic", 200, nil, `{"type":"message"}`, Protocol, "no content", 0},
		{"gemini", 400, nil, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"x","reason":"API_KEY_INVALID"}]}}`, Denied, "API key", 0},
		{"gemini", 400, nil, `{"error":{"code":400,"message":"User location is not supported","status":"FAILED_PRECONDITION"}}`, Denied, "location", 0},
		{"gemini", 429, nil, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"20"}]},{"retryDelay":"36.5s"}]}}`, RateLimit, "current quota", 36500 * time.Millisecond},
		{"gemini", 429, nil, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"20"}]}]}}`, Quota, "current quota", 0},
		{"gemini", 429, nil, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"x","quotaValue":"0"}]},{"retryDelay":"5s"}]}}`, Quota, "current quota", 0},
		{"gemini", 402, nil, `{"error":{"code":402,"message":"credit","status":"RESOURCE_EXHAUSTED"}}`, Quota, "credit", 0},
		{"gemini", 503, nil, `{"error":{"code":503,"message":"exhausted","status":"RESOURCE_EXHAUSTED"}}`, RateLimit, "exhausted", 0},
		{"gemini", 503, nil, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`, Overloaded, "overloaded", 0},
		{"gemini", 504, nil, `{"error":{"code":504,"message":"late","status":"DEADLINE_EXCEEDED"}}`, Overloaded, "late", 0},
		{"gemini", 200, nil, `{}`, Protocol, "no candidates", 0},
		{"openai-responses", 200, nil, `{"id":"r","status":"queued","output":[]}`, Protocol, "its status is queued", 0},
	} {
		t.Run(fmt.Sprintf("%s/%d %s", c.provider, c.status, c.message), func(t *testing.T) {
			m := open(t, c.provider+":m", Options{BaseURL: answers(t, c.status, c.header, c.body)})
			_, err := m.Ask(t.Context(), &Request{User: "?"})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Class != c.class || !strings.Contains(e.Message, c.message) || e.RetryAfter != c.wait {
				t.Errorf("%v, after %v, want %s, %q, after %v", e, e.RetryAfter, c.class, c.message, c.wait)
			}
			if e.Ends() && e.Hint == "" {
				t.Error("it ends a run and does not say what to do")
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		header string
		body   time.Duration
		want   time.Duration
	}{
		{"", 0, 0},
		{"Retry-After: 20", 0, 20 * time.Second},
		{"Retry-After: 0.5", 0, 500 * time.Millisecond},
		{"Retry-After: 0", 0, 0},
		{"Retry-After: -3", 0, 0},
		{"Retry-After: NaN", 0, 0},
		{"Retry-After: Inf", 0, 0},
		{"Retry-After: 1e300", 0, 0},
		{"Retry-After: soon", 0, 0},
		{"Retry-After: Fri, 02 Jan 2026 03:04:35 GMT", 0, 30 * time.Second},
		{"Retry-After: Fri, 02 Jan 2026 03:04:00 GMT", 0, 0},
		{"Retry-After: Fri, 02 Jan 3026 03:04:00 GMT", 0, 0},
		{"Retry-After-Ms: 1500\nRetry-After: 20", 0, 1500 * time.Millisecond},
		{"Retry-After: 2", 9 * time.Second, 2 * time.Second},
		{"", 9 * time.Second, 9 * time.Second},
		{"", -time.Second, 0},
		{"X-Ratelimit-Reset-Requests: 1m30s\nX-Ratelimit-Reset-Tokens: 500ms", 0, 90 * time.Second},
		{"X-Ratelimit-Reset-Requests: 12", 0, 12 * time.Second},
		{"X-Ratelimit-Reset-Requests: 1m30s\nRetry-After: 2", 0, 2 * time.Second},
		{"Anthropic-Ratelimit-Requests-Reset: 2026-01-02T03:04:15Z\nAnthropic-Ratelimit-Tokens-Reset: 2026-01-02T04:04:45+01:00", 0, 40 * time.Second},
		{"Anthropic-Ratelimit-Requests-Reset: 2026-01-02T03:00:00Z", 0, 0},
	} {
		h := http.Header{}
		for line := range strings.Lines(c.header) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
			h.Set(k, v)
		}
		if got := retryAfter(h, c.body, now); got != c.want {
			t.Errorf("%q and %v: %v, want %v", c.header, c.body, got, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	h := http.Header{"X-Ratelimit-Remaining-Requests": {"59"}, "X-Ratelimit-Remaining-Tokens": {"1000"}, "X-Ratelimit-Reset-Requests": {"1s"}}
	m := open(t, "openai:m", Options{BaseURL: answers(t, 200, h, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)})
	got, err := m.Ask(t.Context(), &Request{User: "?"})
	if want := (Limits{59, 1000, time.Second}); err != nil || got.Limits != want {
		t.Errorf("%+v, %v", got, err)
	}
	h = http.Header{"Anthropic-Ratelimit-Requests-Remaining": {"5"}, "Anthropic-Ratelimit-Input-Tokens-Remaining": {"300"}, "Anthropic-Ratelimit-Output-Tokens-Remaining": {"200"}}
	m = open(t, "anthropic:m", Options{BaseURL: answers(t, 200, h, `{"content":[],"usage":{}}`)})
	got, err = m.Ask(t.Context(), &Request{User: "?"})
	if want := (Limits{5, 200, 0}); err != nil || got.Limits != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestKeyIsNeverShown has a server that gives the key back wherever it can.
func TestKeyIsNeverShown(t *testing.T) {
	const key = "sk-test-0123456789/abc"
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, body := range []string{
			`{"error":{"message":"wrong key KEY","type":"KEY","code":"KEY","status":"KEY"}}`, `KEY`, `<html><title>KEY</title>`,
			`{"choices":[{"message":{"content":"KEY","reasoning":"KEY"}}],"model":"KEY","id":"KEY","content":[{"type":"text","text":"KEY"},{"type":"thinking","thinking":"KEY"}],"usage":{},"candidates":[{"content":{"parts":[{"text":"KEY"}]}}],"modelVersion":"KEY","responseId":"KEY"}`,
			`{"choices":[{"message":{"content":"ESC"}}],"content":[{"type":"text","text":"ESC"}],"usage":{},"candidates":[{"content":{"parts":[{"text":"ESC"}]}}]}`,
			`{"error":{"message":"ESC","type":"x"}}`, `{"choices":"KEY","content":"KEY","candidates":"KEY"}`, strings.Repeat("x", maxMessage-5) + "KEY", strings.Repeat("x", 4*maxMessage-5) + "KEY",
		} {
			for _, status := range []int{200, 307, 401, 500} {
				escaped := strings.ReplaceAll(strings.ReplaceAll(key, "/", `\/`), "s", `\u0073`)
				text := strings.ReplaceAll(strings.ReplaceAll(body, "KEY", key), "ESC", escaped)
				h := http.Header{"X-Request-Id": {key}, "Location": {"http://x.invalid/" + key}}
				for _, kind := range []string{"application/json", "text/html", key} {
					if status != 200 && kind != "application/json" {
						continue // no failure depends on it
					}
					h.Set("Content-Type", kind)
					file := filepath.Join(t.TempDir(), "key")
					if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
					m := open(t, provider+":m", Options{BaseURL: answers(t, status, h, text), KeyFile: file})
					r := &Request{User: "?"}
					sent, _ := m.Body(r)
					got, err := m.Ask(t.Context(), r)
					var e *Error
					errors.As(err, &e)
					all := fmt.Sprintf("%s %+v %v %+v", sent, got, err, e)
					if e != nil {
						all += fmt.Sprintf(" %v %+v", e.Err, *e)
					}
					if strings.Contains(all, key) || strings.Contains(all, key[:12]) {
						t.Errorf("%s, %d, %s: %s", provider, status, body, all)
					}
				}
			}
		}
	}
}

func TestMissingKey(t *testing.T) {
	for provider, want := range map[string]string{"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY or GOOGLE_API_KEY"} {
		m := open(t, provider+":m", Options{Env: func(string) string { return "" }})
		if _, err := m.Body(&Request{User: "?"}); err != nil {
			t.Errorf("a body without a key: %v", err)
		}
		var e *Error
		if _, err := m.Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Denied || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v", provider, err)
		}
		m = open(t, provider+":m", Options{Env: func(string) string { return "two words" }})
		if _, err := m.Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Denied || strings.Contains(fmt.Sprintf("%+v", e), "two words") {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// TestNoServer asks where nobody listens.
func TestNoServer(t *testing.T) {
	ts := httptest.NewServer(http.NotFoundHandler())
	base := ts.URL
	ts.Close()
	var e *Error
	if _, err := open(t, "openai:m", Options{BaseURL: base}).Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Transport || !strings.Contains(e.Message, base) || e.Hint != hintServer {
		t.Errorf("got %v", err)
	}
	live := answers(t, 200, nil, "{}")
	if _, err := open(t, "openai:m", Options{BaseURL: strings.Replace(live, "http:", "https:", 1)}).Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Denied || !strings.Contains(e.Hint, "HTTPS") {
		t.Errorf("got %v, %+v", err, e)
	}
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nil
	tls.StartTLS()
	defer tls.Close()
	if _, err := open(t, "openai:m", Options{BaseURL: tls.URL}).Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Denied || !strings.Contains(e.Hint, "certificate") {
		t.Errorf("got %v, %+v", err, e)
	}
}

// TestContextThatCuts is a server that takes part of the prompt.
func TestContextThatCuts(t *testing.T) {
	prompt := strings.Repeat("srv-07 sends backups to srv-11. ", 500) // 16,000 characters
	for _, c := range []struct {
		tokens int
		off    bool
		want   bool
	}{{4000, false, true}, {2667, false, true}, {2048, false, false}, {2048, true, true}, {0, false, true}} {
		body := fmt.Sprintf(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d}}`, c.tokens)
		m := open(t, "openai:llama3", Options{BaseURL: answers(t, 200, nil, body), NoContextCheck: c.off})
		_, err := m.Ask(t.Context(), &Request{User: prompt})
		var e *Error
		if (err == nil) != c.want || err != nil && (!errors.As(err, &e) || e.Class != Denied || !strings.Contains(e.Hint, "--no-context-check")) {
			t.Errorf("%d tokens, off %v: %v", c.tokens, c.off, err)
		}
	}
}

// TestLongResponse bounds what is read.
func TestLongResponse(t *testing.T) {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		block := []byte(strings.Repeat(" ", 1<<20))
		for range MaxResponse>>20 + 2 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer ts.Close()
	var e *Error
	if _, err := open(t, "openai:m", Options{BaseURL: ts.URL}).Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Protocol || !strings.Contains(e.Message, "longer than") {
		t.Errorf("got %v", err)
	}
}

func TestHeaders(t *testing.T) {
	want := map[string]string{"openai": "Authorization: Bearer some-long-key", "anthropic": "X-Api-Key: some-long-key", "gemini": "X-Goog-Api-Key: some-long-key"}
	for provider, header := range want {
		var got http.Header
		var path string
		ts := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got, path = r.Header.Clone(), r.URL.Path }))
		m := open(t, provider+":m", Options{BaseURL: ts.URL + "/base/", Env: func(string) string { return "some-long-key" }})
		_, _ = m.Ask(t.Context(), &Request{User: "?"})
		ts.Close()
		name, value, _ := strings.Cut(header, ": ")
		if got.Get(name) != value || got.Get("Content-Type") != "application/json" || (got.Get("Anthropic-Version") != "") != (provider == "anthropic") {
			t.Errorf("%s: %v", provider, got)
		}
		if want := map[string]string{"openai": "/base/chat/completions", "anthropic": "/base/v1/messages", "gemini": "/base/v1beta/models/m:generateContent"}[provider]; path != want {
			t.Errorf("%s: path %s", provider, path)
		}
	}
}

// TestOwnHeaders sends what a user gives, and keeps it as secret as a key.
func TestOwnHeaders(t *testing.T) {
	const secret = "gateway-secret-1"
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"I know `+r.Header.Get("X-Gateway")+`"}}`, http.StatusUnauthorized)
	}))
	defer ts.Close()
	m := open(t, "openai:m", Options{BaseURL: ts.URL, Headers: http.Header{"X-Gateway": {secret}}})
	_, err := m.Ask(t.Context(), &Request{User: "?"})
	if err == nil || strings.Contains(fmt.Sprintf("%+v", err), secret) || !strings.Contains(err.Error(), "I know [key]") {
		t.Errorf("%v", err)
	}
}

// TestSilence bounds the time in which nothing comes of a stream, and not the stream; a
// stream that ends early is no answer.
func TestSilence(t *testing.T) {
	const each = 100 * time.Millisecond
	chunk := func(s string) string { return `data: {"choices":[{"delta":{"content":"` + s + `"}}]}` + "\n\n" }
	end := `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for what, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"slow":          {[]string{chunk("a"), chunk("b"), chunk("c"), chunk("d"), chunk("e"), chunk("f"), end}, ""},
		"silent":        {[]string{chunk("a"), "", "", "", "", "", "", end}, "within"},
		"cut":           {[]string{chunk("a")}, "cut off"},
		"failed":        {[]string{chunk("a"), `data: {"error":{"message":"no more","code":503}}` + "\n\n"}, "503"},
		"marked":        {[]string{"\ufeff" + chunk("abcdef"), end}, ""},
		"two choices":   {[]string{chunk("abc"), `data: {"choices":[{"index":1,"delta":{"content":"xyz"}}]}` + "\n\n", chunk("def"), end}, ""},
		"failed choice": {[]string{chunk("a"), `data: {"error":{"message":"no more","code":"server_error"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n"}, "no more"},
		"odd":           {[]string{"data: {\n\n"}, "protocol"},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in which time is virtual
				h := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					body, w := io.Pipe()
					context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(r.Context().Err()) })
					go func() {
						for _, p := range c.pieces {
							_, _ = io.WriteString(w, p)
							time.Sleep(each)
						}
						_ = w.Close()
					}()
					return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}, nil
				})}
				m := open(t, "openai:m", Options{BaseURL: "http://localhost", HTTP: h, Stream: true, Timeout: 4 * each})
				r, err := m.Ask(t.Context(), &Request{User: "?"})
				time.Sleep(10 * each) // all pieces are over
				var e *Error
				if c.want == "" {
					if err != nil || r.Text != "abcdef" {
						t.Errorf("%+v, %v", r, err)
					}
				} else if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !e.Passes() {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}

// TestCalls reads calls of tools as servers write them in OpenAI's format, whole and in pieces.
func TestCalls(t *testing.T) {
	const run, text, object = `"name":"run"`, `"arguments":"{\"program\":\"x = 1\"}"`, `"arguments":{"program":"x = 1"}`
	one := []Call{{"a", "run", `{"program":"x = 1"}`}}
	two := append(one, Call{"b", "check", "{}"})
	for what, c := range map[string]struct {
		pieces []string // of tool_calls
		want   []Call
	}{
		"text":                 {[]string{`[{"index":0,"id":"a","function":{` + run + `,` + text + `}}]`}, one},
		"an object":            {[]string{`[{"index":0,"id":"a","function":{` + run + `,` + object + `}}]`}, one},
		"an object, then none": {[]string{`[{"index":0,"id":"a","function":{` + run + `,` + object + `}}]`, `[{"index":0,"function":{"arguments":""}}]`}, one},
		"no arguments":         {[]string{`[{"index":0,"id":"a","function":{` + run + `}}]`}, []Call{{"a", "run", ""}}},
		"null":                 {[]string{`[{"index":0,"id":"a","function":{` + run + `,"arguments":null}}]`}, []Call{{"a", "run", ""}}},
		"in pieces":            {[]string{`[{"index":0,"id":"a","function":{` + run + `,"arguments":""}}]`, `[{"index":0,"function":{"arguments":"{\"program\":"}}]`, `[{"index":0,"function":{"arguments":"\"x = 1\"}"}}]`}, one},
		"the id each time":     {[]string{`[{"index":0,"id":"a","function":{` + run + `,"arguments":"{\"program\":"}}]`, `[{"index":0,"id":"a","function":{"arguments":"\"x = 1\"}"}}]`}, one},
		"two":                  {[]string{`[{"index":0,"id":"a","function":{` + run + `,` + text + `}}]`, `[{"index":1,"id":"b","function":{"name":"check","arguments":"{"}}]`, `[{"index":1,"function":{"arguments":"}"}}]`}, two},
		"two without an index": {[]string{`[{"id":"a","function":{` + run + `,` + text + `}},{"id":"b","function":{"name":"check","arguments":"{}"}}]`}, two},
		"two of index 0":       {[]string{`[{"index":0,"id":"a","function":{` + run + `,` + text + `}}]`, `[{"index":0,"id":"b","function":{"name":"check","arguments":"{"}}]`, `[{"index":0,"function":{"arguments":"}"}}]`}, two},
		"indices from 1":       {[]string{`[{"index":1,"id":"a","function":{` + run + `,` + text + `}}]`, `[{"index":2,"id":"b","function":{"name":"check","arguments":"{}"}}]`}, two},
	} {
		t.Run(what, func(t *testing.T) {
			p := &openAIPieces{}
			for _, piece := range append(c.pieces, "") {
				chunk := `{"model":"m","choices":[{"delta":{"tool_calls":` + cmp.Or(piece, "null") + `}}]}`
				if piece == "" {
					chunk = `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`
				}
				if err := p.add([]byte(chunk)); err != nil {
					t.Fatal(err)
				}
			}
			whole, _ := p.whole()
			body, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			bodies := []string{string(body)}
			if len(c.pieces) == 1 {
				bodies = append(bodies, `{"model":"m","choices":[{"message":{"content":null,"tool_calls":`+c.pieces[0]+`},"finish_reason":"tool_calls"}]}`)
			}
			for _, body := range bodies {
				r, err := openAI{}.reply([]byte(body))
				if err != nil || !reflect.DeepEqual(r.Calls, c.want) || len(r.Said) == 0 || r.Model != "m" {
					t.Errorf("%+v, %v, want %+v", r, err, c.want)
				}
			}
		})
	}
}

// TestStreamedError reads an error in an event of its own, as the Responses API sends it.
func TestStreamedError(t *testing.T) {
	for text, want := range map[string]Class{
		`{"type":"error","code":"insufficient_quota","message":"You exceeded your current quota","param":null,"sequence_number":1}`: Quota,
		`{"type":"error","code":"rate_limit_exceeded","message":"Rate limit reached","param":null,"sequence_number":1}`:             Overloaded,
		`{"type":"error","code":"server_error","message":"The server had an error","param":null,"sequence_number":1}`:               Overloaded,
		`{"type":"error","code":null,"message":"no reason","param":null,"sequence_number":1}`:                                       Overloaded,
	} {
		err := (&responsesPieces{}).add([]byte(text))
		if e, ok := errors.AsType[*Error](err); !ok || e.Class != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestStreamedBlocks reads Anthropic streams whose input of a tool is cut off or no JSON, which are
// replies like any other, and ones that nobody should send.
func TestStreamedBlocks(t *testing.T) {
	start := `{"type":"message_start","message":{"content":[],"usage":{"input_tokens":9}}}`
	block := `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"run","input":{}}}`
	input := `{"type":"content_block_delta","index":0,"delta":{"partial_json":"{\"program\":"}}`
	stop := `{"type":"content_block_stop","index":0}`
	end := func(reason string) string {
		return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":9}}` + "\n\ndata: " + `{"type":"message_stop"}`
	}
	calls := []Call{{"a", "run", `{"INVALID_JSON":"{\"program\":"}`}}
	for what, c := range map[string]struct {
		events []string
		finish Finish
		calls  []Call
		err    string
	}{
		"empty":           {[]string{start, end("end_turn")}, Stop, nil, ""},
		"a cut-off input": {[]string{start, block, input, stop, end("max_tokens")}, Length, calls, ""},
		"no JSON":         {[]string{start, block, input, stop, end("tool_use")}, ToolCalls, calls, ""},
		"no block":        {[]string{start, `{"type":"content_block_start","index":0}`, input}, "", nil, "a block without content"},
		"null":            {[]string{`{"type":"message_start","message":{"content":[null]}}`, input}, "", nil, "a piece of block 0, but there are only 0"},
		"a block -1":      {[]string{start, `{"type":"content_block_delta","index":-1}`}, "", nil, "a piece of block -1"},
	} {
		t.Run(what, func(t *testing.T) {
			body := "data: " + strings.Join(c.events, "\n\ndata: ") + "\n\n"
			m := open(t, "anthropic:m", Options{Stream: true, BaseURL: answers(t, 200, http.Header{"Content-Type": {"text/event-stream"}}, body)})
			r, err := m.Ask(t.Context(), &Request{User: "u"})
			switch {
			case c.err != "":
				if e, ok := errors.AsType[*Error](err); !ok || e.Class != Protocol || !strings.Contains(e.Message, c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
			case err != nil || r.Finish != c.finish || !reflect.DeepEqual(r.Calls, c.calls):
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestWaitFor waits for a server that is not ready, and for nothing else.
func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time is virtual
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		m := open(t, "openai:m", Options{BaseURL: "http://localhost", HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			n++
			switch n {
			case 1:
				return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: io.NopCloser(strings.NewReader("loading the model"))}, nil
			case 2:
				return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
			case 4:
				cancel()
			}
			return nil, errors.New("connection refused")
		})}})
		if err := WaitFor(ctx, m); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
		if err := WaitFor(ctx, m); err == nil || !strings.Contains(err.Error(), "refused") || n != 4 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAddresses holds where the providers are, without going there.
func TestAddresses(t *testing.T) {
	for spec, want := range map[string]string{
		"openai:gpt-4o":             "https://api.openai.com/v1/chat/completions",
		"anthropic:claude-sonnet-5": "https://api.anthropic.com/v1/messages",
		"gemini:gemini-2.5-pro":     "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
	} {
		var got string
		lost := errors.New("the network is down")
		h := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, lost
		})}
		m := open(t, spec, Options{HTTP: h, Env: func(string) string { return "some-long-key" }})
		var e *Error
		if _, err := m.Ask(t.Context(), &Request{User: "?"}); !errors.As(err, &e) || e.Class != Transport || !errors.Is(err, lost) {
			t.Errorf("%s: %v", spec, err)
		}
		if got != want {
			t.Errorf("%s is asked at %s, want %s", spec, got, want)
		}
	}
}

// FuzzResponse reads any body in every format, with success and without.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{`{"choices":[{"message":{"content":"<think>a</think>b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		`{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1}}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thought":true}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`,
		`{"error":{"message":"m","type":"t","code":429,"details":[{"retryDelay":"3s"}]}}`, `<html><title>x</title>`, ``, `[]`} {
		f.Add(uint16(200), []byte(s))
		f.Add(uint16(429), []byte(s))
	}
	f.Add(uint16(200), []byte("data: "+`{"type":"message_start","message":{"usage":{}}}`+"\ndata: "+`{"type":"content_block_start","content_block":{}}`+"\ndata: "+`{"type":"content_block_delta","delta":{"partial_json":"{"}}`+"\ndata: "+`{"type":"content_block_stop"}`+"\ndata: "+`{"type":"message_stop"}`))
	now := time.Unix(0, 0)
	check := func(t *testing.T, provider string, out *Response, err error) {
		var e *Error
		switch {
		case err == nil:
			if u := out.Usage; u.Input < 0 || u.Output < 0 || u.Reasoning < 0 || out.Finish == "" {
				t.Errorf("%s: %+v", provider, out)
			}
		case !errors.As(err, &e) || e.Class == "" || e.Message == "" || strings.ContainsAny(e.Message, "\n\x00") || len(e.Message) > 8*maxMessage:
			t.Errorf("%s: %v", provider, err)
		}
	}
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		for provider, s := range services() {
			c := &client{provider: provider, name: "m", service: s, now: func() time.Time { return now }}
			resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}}
			out, err := c.read(&received{Response: resp, now: now}, body)
			check(t, provider, out, err)
			resp.Body = io.NopCloser(bytes.NewReader(body))
			out, err = c.readStream(&received{Response: resp, now: now, cut: func(err error) error { return &Error{Class: Transport, Message: short(err.Error())} }})
			check(t, provider, out, err)
			if status != 200 {
				e := failure(s.wire, int(status), http.Header{}, body, now)
				if e.Class == "" || e.Message == "" || strings.ContainsAny(e.Message, "\n\x00") || len(e.Message) > 8*maxMessage || e.RetryAfter < 0 {
					t.Errorf("%s, %d: %+v", provider, status, e)
				}
			}
		}
	})
}

// FuzzBatch reads any body as a page of batches, the state of one, and a line of its results.
func FuzzBatch(f *testing.F) {
	for _, s := range []string{
		`{"custom_id":"t-0","response":{"status_code":200,"body":{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}}}`,
		`{"custom_id":"t-0","result":{"type":"errored","error":{"type":"error","error":{"type":"overloaded_error","message":"m"}}}}`,
		`{"key":"t-0","error":{"code":8,"message":"m"}}`, `{"key":"t-0"}`,
		`{"data":[{"id":"a","status":"failed","errors":{"data":[{"code":"token_limit_exceeded"}]}}],"has_more":true}`,
		`{"operations":[{"name":"batches/a","metadata":{"state":"BATCH_STATE_SUCCEEDED"}}]}`, `{"id":"a","processing_status":"ended"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for provider, s := range services() {
			b := &Batcher{client: &client{provider: provider, name: "m", service: s, now: time.Now}, batchAPI: s.wire.batches()}
			_, _, _ = b.page(text)
			if l, err := b.state(text); err == nil && (l.state.Status == "" || l.state.Ended && l.state.Failed == nil && len(l.files) == 0) {
				t.Errorf("%s: %+v", provider, l)
			}
			err := b.result(text, "t", 1, func(at int, r *Response, failed *Error) error {
				if at != 0 || (r == nil) == (failed == nil) || failed != nil && (failed.Class == "" || failed.Message == "") {
					t.Errorf("%s: %d %+v %+v", provider, at, r, failed)
				}
				return nil
			})
			if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
				t.Errorf("%s: %v", provider, err)
			}
		}
	})
}

// FuzzProfiles reads files of profiles: what is taken makes bodies.
func FuzzProfiles(f *testing.F) {
	f.Add([]byte(BuiltIn))
	f.Add([]byte(`{"profiles":[{"name":"p","provider":"anthropic","models":{"m":"2026-11-22"}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ReadProfiles(bytes.NewReader(text))
		if err != nil {
			return
		}
		for i := range list {
			m, err := Open(list[i].Provider+":m", Options{Profiles: list, Profile: list[i].Name})
			if err != nil {
				continue
			}
			if body, err := m.Body(&Request{User: "u", Params: Params{}}); err == nil && !json.Valid(body) {
				t.Errorf("%s", body)
			}
		}
	})
}

// FuzzThinking holds that nothing of a text gets lost but tags and space.
func FuzzThinking(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", "a</think>b", "<think>a", "a", "a<think>b</think>"} {
		f.Add(s)
	}
	bare := func(s string) string {
		s = strings.TrimPrefix(strings.TrimLeft(s, " \t\r\n"), "<think>") // elsewhere it is text
		s = strings.Replace(s, "</think>", "", 1)
		return strings.Join(strings.Fields(s), "")
	}
	f.Fuzz(func(t *testing.T, s string) {
		reasoning, rest := cutThinking(s)
		if reasoning == "" && rest == s {
			return
		}
		if got := strings.Join(strings.Fields(reasoning+rest), ""); got != bare(s) {
			t.Errorf("%q: %q and %q", s, reasoning, rest)
		}
	})
}

func FuzzProgramLine(f *testing.F) {
	f.Add([]byte(`{"id":"a","reply":"a","finish":"stop","usage":{"input":1}}`))
	f.Add([]byte(`{"error":"a","class":"quota"}`))
	p := &program{command: "c", opt: &Options{}}
	f.Fuzz(func(t *testing.T, line []byte) {
		out, _, err := p.read(line, "a")
		var e *Error
		if err == nil && (out.Finish == "" || !json.Valid(line)) || err != nil && (!errors.As(err, &e) || e.Class == "") {
			t.Errorf("%+v, %v", out, err)
		}
	})
}
