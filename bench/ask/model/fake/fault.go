package fake

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ein/bench/ask/model"
	"ein/internal/compact"
	"ein/internal/lists"
)

// Fault is something that goes wrong on the way to an answer.
type Fault struct {
	Name  string
	Class model.Class // what a client should take it for
	// Only is the provider it is of, or "" for all.
	Only string
	// Hangs is a request that is never answered: the client has to give up.
	Hangs bool
	// Batch is what becomes of a batch as a whole; it is one of no other request.
	Batch bool

	status  int // with a body in the format of the provider, unless there is a special
	header  func(h http.Header, f format, wait time.Duration)
	words   words
	message string
	special func(w http.ResponseWriter, f format, wait time.Duration)
}

// serve answers with a fault.
func (t *Fault) serve(w http.ResponseWriter, f format, wait time.Duration) {
	switch {
	case t.special != nil:
		t.special(w, f, wait)
		return
	case t.header != nil:
		t.header(w.Header(), f, wait)
	}
	status := t.status
	if status == http.StatusOK {
		status = http.StatusBadGateway // as its body has it
	}
	write(w, t.status, t.words.says(f, status, t.message))
}

// Passes reports whether the request may succeed when it is tried again.
func (t *Fault) Passes() bool { return (&model.Error{Class: t.Class}).Passes() }

// Faults returns all faults: the statuses of the providers with their bodies and
// headers, and what happens to bytes on the way.
func Faults() []Fault {
	return []Fault{
		{Name: "rate-limit", Class: model.RateLimit, status: 429, header: retrySeconds, words: words{"rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"}, message: "Rate limit reached for requests."},
		{Name: "rate-limit-ms", Class: model.RateLimit, status: 429, header: retryMilliseconds, words: words{"rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"}, message: "Rate limit reached for tokens."},
		{Name: "rate-limit-reset", Class: model.RateLimit, words: words{"rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"}, message: "Too many requests.", status: 429, header: resets},
		{Name: "rate-limit-info", Class: model.RateLimit, Only: "gemini", special: func(w http.ResponseWriter, _ format, wait time.Duration) { write(w, 429, retryInfo(wait, "20")) }},
		{Name: "exhausted-503", Class: model.RateLimit, Only: "gemini", status: 503, words: words{"", "", "RESOURCE_EXHAUSTED"}, message: "Resource has been exhausted."},
		{Name: "timeout-408", Class: model.Transport, status: 408, words: words{"timeout", "timeout_error", "DEADLINE_EXCEEDED"}, message: "The request took too long to arrive."},
		{Name: "conflict-409", Class: model.Overloaded, status: 409, words: words{"conflict", "api_error", "ABORTED"}, message: "The request was in conflict with another."},
		{Name: "error-500", Class: model.Overloaded, status: 500, words: words{"server_error", "api_error", "INTERNAL"}, message: "The server had an error while processing your request."},
		{Name: "gateway-502", Class: model.Overloaded, special: page(502, "502 Bad Gateway")},
		{Name: "unavailable-503", Class: model.Overloaded, status: 503, header: retrySeconds, words: words{"server_error", "overloaded_error", "UNAVAILABLE"}, message: "The model is overloaded. Please try again later."},
		{Name: "timeout-504", Class: model.Overloaded, status: 504, words: words{"server_error", "timeout_error", "DEADLINE_EXCEEDED"}, message: "The request timed out."},
		{Name: "overloaded-529", Class: model.Overloaded, status: 529, words: words{"server_error", "overloaded_error", "UNAVAILABLE"}, message: "Overloaded"},
		{Name: "should-retry", Class: model.Overloaded, status: 400, header: shouldRetry, words: words{"", "api_error", "ABORTED"}, message: "Something passing went wrong, please retry."},

		{Name: "hang", Class: model.Transport, Hangs: true},
		{Name: "reset", Class: model.Transport, special: hang(0)},
		{Name: "cut", Class: model.Transport, special: hang(40)},
		{Name: "malformed", Class: model.Protocol, special: raw(200, "application/json", `{"choices":[{"message":{"content":"x`)},
		{Name: "wrong-shape", Class: model.Protocol, special: raw(200, "application/json", `{"hello":"world"}`)},
		{Name: "wrong-type", Class: model.Protocol, special: raw(200, "text/plain", "It works.")},
		{Name: "html", Class: model.Protocol, special: page(200, "Sign in")},
		{Name: "empty-body", Class: model.Protocol, special: raw(200, "application/json", "")},
		{Name: "error-in-200", Class: model.Overloaded, status: 200, words: words{"server_error", "api_error", "UNAVAILABLE"}, message: "The provider behind the gateway failed."},

		{Name: "quota", Class: model.Quota, special: func(w http.ResponseWriter, f format, wait time.Duration) {
			switch f.(type) {
			case anthropic:
				write(w, 429, f.problem(&problem{429, "rate_limit_error", "enforced_spend_limit_reached", "The spend limit of this workspace is reached.", ""}))
			case gemini:
				write(w, 429, retryInfo(0, "0"))
			default:
				retrySeconds(w.Header(), f, wait)
				write(w, 429, f.problem(&problem{429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", ""}))
			}
		}},
		{Name: "payment-402", Class: model.Quota, status: 402, words: words{"payment_required", "billing_error", "RESOURCE_EXHAUSTED"}, message: "The credit of this account is used up."},
		{Name: "credit-400", Class: model.Quota, Only: "anthropic", status: 400, words: words{"", "invalid_request_error", ""}, message: "Your credit balance is too low to access the API."},
		{Name: "forbidden-403", Class: model.Denied, status: 403, words: words{"unsupported_country_region_territory", "permission_error", "PERMISSION_DENIED"}, message: "Your key does not have permission to use this resource."},
		{Name: "precondition-400", Class: model.Denied, Only: "gemini", status: 400, words: words{"", "", "FAILED_PRECONDITION"}, message: "User location is not supported for the API use."},
		{Name: "redirect-307", Class: model.Denied, special: func(w http.ResponseWriter, _ format, _ time.Duration) {
			w.Header().Set("Location", "http://elsewhere.invalid/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{Name: "too-large-413", Class: model.Rejected, status: 413, words: words{"request_too_large", "request_too_large", "INVALID_ARGUMENT"}, message: "Request exceeds the maximum allowed number of bytes."},
		{Name: "context-400", Class: model.Rejected, special: func(w http.ResponseWriter, f format, _ time.Duration) {
			said := "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
			p := &problem{400, "invalid_request_error", "context_length_exceeded", said, "messages"}
			switch f.(type) {
			case anthropic:
				p.message, p.code = "prompt is too long: 210000 tokens > 200000 maximum", ""
			case gemini:
				p.kind, p.code, p.message = "INVALID_ARGUMENT", "", "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."
			}
			write(w, 400, f.problem(p))
		}},
		{Name: "batch-too-large", Class: model.Rejected, Batch: true},
		{Name: "batch-lost", Class: model.Transport, Batch: true}, // accepted, and the connection breaks
		{Name: "batch-expired", Class: model.Overloaded, Batch: true},
		{Name: "batch-errored", Class: model.Overloaded, Batch: true},
		{Name: "batch-failed", Class: model.Denied, Batch: true},
		{Name: "batch-cancelled", Class: model.Denied, Batch: true},
		{Name: "should-not-retry", Class: model.Rejected, status: 500, header: shouldNotRetry, words: words{"server_error", "api_error", "INTERNAL"}, message: "This will not get better."},
	}
}

// choose returns the faults of a list of names, or those of all providers that pass.
func choose(names []string) ([]Fault, error) {
	all := Faults()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(f Fault) bool { return !f.Passes() || f.Hangs || f.Batch || f.Only != "" }), nil
	}
	var list []Fault
	for _, name := range names {
		i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			s := lists.Map(all, func(x Fault) string { return x.Name })
			return nil, fmt.Errorf("unknown fault %q: expected %s", name, strings.Join(s, ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// words is the kind of an error as the three providers call it: OpenAI's is a code.
type words struct{ openai, anthropic, gemini string }

func (w *words) says(f format, code int, message string) string {
	switch f.(type) {
	case anthropic:
		return f.problem(&problem{code, w.anthropic, "", message, ""})
	case gemini:
		return f.problem(&problem{code, w.gemini, "", message, ""})
	}
	kind := "server_error"
	if code < 500 {
		kind = "invalid_request_error"
	}
	return f.problem(&problem{code, kind, w.openai, message, ""})
}

func retryInfo(wait time.Duration, quota string) string {
	details := []any{map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
		"violations": []any{map[string]any{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel", "quotaValue": quota}}}}
	if wait > 0 {
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": strconv.FormatFloat(wait.Seconds(), 'f', -1, 64) + "s"})
	}
	return string(compact.Must(map[string]any{"error": map[string]any{"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details,
		"message": "You exceeded your current quota, please check your plan and billing details."}}))
}

func retrySeconds(h http.Header, _ format, wait time.Duration) {
	h.Set("Retry-After", strconv.FormatFloat(wait.Seconds(), 'f', -1, 64))
}

func retryMilliseconds(h http.Header, _ format, wait time.Duration) {
	h.Set("Retry-After-Ms", strconv.FormatFloat(float64(wait)/float64(time.Millisecond), 'f', -1, 64))
}

// resets sets the headers of a limit that says when it resets, but not when to come back.
func resets(h http.Header, f format, wait time.Duration) {
	if _, ok := f.(anthropic); ok {
		at := time.Now().UTC().Add(wait)
		h.Set("Anthropic-Ratelimit-Requests-Remaining", "0")
		h.Set("Anthropic-Ratelimit-Requests-Reset", at.Format(time.RFC3339Nano))
		h.Set("Anthropic-Ratelimit-Tokens-Reset", at.Add(-wait/2).Format(time.RFC3339Nano))
		return
	}
	h.Set("X-Ratelimit-Remaining-Requests", "0")
	h.Set("X-Ratelimit-Reset-Requests", wait.String())
	h.Set("X-Ratelimit-Reset-Tokens", (wait / 2).String())
}

func shouldRetry(h http.Header, _ format, _ time.Duration)    { h.Set("X-Should-Retry", "true") }
func shouldNotRetry(h http.Header, _ format, _ time.Duration) { h.Set("X-Should-Retry", "false") }

func raw(code int, kind, body string) func(http.ResponseWriter, format, time.Duration) {
	return func(w http.ResponseWriter, _ format, _ time.Duration) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func page(code int, title string) func(http.ResponseWriter, format, time.Duration) {
	return raw(code, "text/html", "<!DOCTYPE html>\n<html><head><title>"+title+"</title></head><body><h1>"+title+"</h1></body></html>\n")
}

// hang ends the connection after some bytes of a longer body.
func hang(bytes int) func(http.ResponseWriter, format, time.Duration) {
	return func(w http.ResponseWriter, _ format, _ time.Duration) {
		if bytes > 0 {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "4096")
			_, _ = w.Write([]byte(strings.Repeat(" ", bytes)))
			_ = http.NewResponseController(w).Flush() // what is not flushed is not sent, and the cut is earlier
		}
		panic(http.ErrAbortHandler) // the way of net/http to close a connection
	}
}
