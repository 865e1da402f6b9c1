// Package model sends requests to language models over their providers' APIs.
//
// [Open] makes a [Model] from a PROVIDER:NAME. A Model turns a [Request] into a [Response] or an
// [*Error], whose [Class] says whether a retry can help. A [Profile] says which parameters a
// model accepts. Models with a batch API are also a [Batcher]. [Record] stores exchanges for the
// provider replay.
//
// # Providers
//
// Providers over HTTP share one client (client.go). Each format is a wire: the path, the key, the
// body of a request, the reading of a reply and of a failure, and how the pieces of a stream
// become a whole body (openai.go, responses.go, anthropic.go, gemini.go, stream.go), and its
// batches (batch.go). A stream is assembled and then read like any other body, so that each format
// has one parser. exec runs a program of the user (exec.go), baseline computes
// answers (baseline.go).
//
// # Invariants
//
// A request either becomes a Response, which may be empty or a refusal, or fails for a reason
// outside of the model. Only the latter is an Error, and it never counts as a wrong answer. What
// a server says is not trusted: bodies have a limit, HTML and failures with status 200 are
// recognised, and a count of tokens that the prompt cannot have is an error (checkContext).
//
// Keys are looked up when a request is sent. They are in no body, so that a cache, a record or a
// run can keep bodies; and withoutKey and redact remove them from everything that comes back,
// since servers echo requests.
//
// Usage has one definition for all providers: input includes cached tokens, output includes
// reasoning.
//
// This package neither retries, caches nor schedules: package eval does, guided by the class of
// an error and the waiting time that the provider asks for.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// Params are the parameters of every request. What is nil or zero is not sent, so that the
// provider's default holds; only MaxTokens is filled in for providers that require it.
type Params struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"` // of the output, reasoning included
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`
	Effort      string   `json:"effort,omitempty"`   // of reasoning: none, minimal, low, medium, high, ...
	Thinking    *int     `json:"thinking,omitempty"` // budget of reasoning in tokens; 0 is off, -1 up to the model

	ReasoningText bool            `json:"reasoning_text,omitempty"` // is to be shown, as far as the provider does
	ServiceTier   string          `json:"service_tier,omitempty"`   // in the words of the provider
	Extra         json.RawMessage `json:"extra_body,omitempty"`     // an object, whose members the body gets as well
}

// Request is one question to a model.
type Request struct {
	// ID and Sample name the request, in recorded traffic and to the baselines.
	// They are never sent to a provider.
	ID     string
	Sample int
	Mode   string // direct, cot, ein, python, rules, ein-tool; for the baselines only

	System string
	User   string
	Params Params

	// Tools are what the model may call, and Turns what it has called so far. With Final
	// it may call no more.
	Tools []Tool
	Turns []Turn
	Final bool
}

// Tool is what a model may call. The schema describes its arguments, an object.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Call is a call of a tool.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // JSON, if the model has written it well
}

// Turn is a message of a model that called tools, with their results. The message is in the
// provider's format, which wants it back unchanged and complete.
type Turn struct {
	Said    json.RawMessage `json:"said"`
	Calls   []Call          `json:"calls"`
	Results []Result        `json:"results"`
}

// Result is the answer of a tool to a call.
type Result struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// Finish is why a model stopped.
type Finish string

// The finishes. Length is also a budget that reasoning has used up.
const (
	Stop          Finish = "stop"
	Length        Finish = "length"
	Refusal       Finish = "refusal"
	ContentFilter Finish = "content_filter"
	ToolCalls     Finish = "tool_calls" // it waits for what they say
	Other         Finish = "other"
)

// Usage counts tokens, by one definition for all providers: Output includes Reasoning, and Input
// includes CachedInput.
type Usage struct {
	Input       int64 `json:"input"`
	CachedInput int64 `json:"cached_input,omitempty"`
	Output      int64 `json:"output"`
	Reasoning   int64 `json:"reasoning,omitempty"`
}

// Counts reports whether a provider counted the tokens of a text and of what it was asked. Some
// count only one of the two.
func (u Usage) Counts(text string) bool { return u.Input > 0 && (u.Output > 0 || text == "") }

// Plus returns the sum of two uses.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CachedInput + v.CachedInput, u.Output + v.Output, u.Reasoning + v.Reasoning}
}

// Response is what a model said.
type Response struct {
	Text      string // what is visible, without reasoning
	Reasoning string // as far as the provider shows it
	Finish    Finish
	Usage     Usage
	Model     string // as the provider resolved the name
	RequestID string // the provider's name of the exchange, for its support
	Calls     []Call
	Said      json.RawMessage // for the Turn of the calls
	// Limits is what the provider says of its limits, for the scheduler.
	Limits Limits
}

// Limits are the rate limits in the headers of a response.
type Limits struct {
	RemainingRequests, RemainingTokens int           // -1: not said
	Reset                              time.Duration // until the tightest of them is whole again; 0: not said
}

var noLimits = Limits{RemainingRequests: -1, RemainingTokens: -1}

// Model is a model of a provider. Its methods may be called by many goroutines.
type Model interface {
	// Name is PROVIDER:NAME.
	Name() string
	// Body is the body of the request as it would be sent. It is what a cache keys
	// on and what a run records, and never holds a key.
	Body(*Request) (json.RawMessage, error)
	// Ask sends a request. The error is an *Error, or that of the context.
	Ask(context.Context, *Request) (*Response, error)
}

// Class says what a failure requires of the caller.
type Class string

// The classes. The first four may pass: the request is tried again. The next two
// end a run, since every other request would fail as well. The last is about one
// request.
const (
	RateLimit  Class = "rate_limit" // wait, and send less
	Overloaded Class = "overloaded" // 5xx, 529
	Transport  Class = "transport"  // refused, reset, cut off, timed out
	Protocol   Class = "protocol"   // an answer that is not in the provider's format
	Quota      Class = "quota"      // money or a spend limit: waiting does not help
	Denied     Class = "denied"     // key, model, parameter: a person has to do something
	Rejected   Class = "rejected"   // this request: too long, against a policy
)

// Error is a failure outside of the model: never a wrong answer.
type Error struct {
	Class      Class         `json:"class"`
	Status     int           `json:"status,omitempty"` // of HTTP, or 0
	Code       string        `json:"code,omitempty"`   // the provider's
	Message    string        `json:"message"`          // the provider's, shortened, without any key
	Hint       string        `json:"hint,omitempty"`   // what to do about it; "" for what passes by itself
	RetryAfter time.Duration `json:"-"`                // as the provider says, or 0
	Err        error         `json:"-"`
}

// Error returns the class with the status, the code and the message, as far as they are known.
func (e *Error) Error() string {
	s := string(e.Class)
	if e.Status != 0 {
		s += fmt.Sprintf(": HTTP %d", e.Status)
	}
	if e.Code != "" {
		s += " " + e.Code
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Message == "" && e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Passes reports whether the same request may succeed later.
func (e *Error) Passes() bool {
	return slices.Contains([]Class{RateLimit, Overloaded, Transport, Protocol}, e.Class)
}

// Unbilled reports whether a failed request is known to have cost nothing: nobody was reached, or
// it was refused before a model saw it. What broke on the way, or in a gateway, may have been
// answered and billed.
func (e *Error) Unbilled() bool {
	var op *net.OpError
	switch e.Status {
	case 0:
		return e.Class == Denied || errors.As(e.Err, &op) && op.Op == "dial"
	case http.StatusRequestTimeout:
		return false
	case http.StatusServiceUnavailable, statusOverloaded:
		return true
	}
	return e.Status/100 == 3 || e.Status/100 == 4
}

// statusOverloaded is Anthropic's status for an overloaded server.
const statusOverloaded = 529

// Ends reports whether every other request would fail as well.
func (e *Error) Ends() bool { return e.Class == Quota || e.Class == Denied }
