package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ein/internal/compact"
	"ein/internal/lists"
)

// openAI is the chat completions API, of OpenAI and of everybody else: vLLM, llama.cpp, Ollama,
// gateways.
type openAI struct{}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// openAISaid is a model's message as it is sent back to the model.
type openAISaid struct {
	Role      string            `json:"role"`
	Content   string            `json:"content"`
	Reasoning string            `json:"reasoning_content,omitempty"` // servers of open models want it
	Calls     []json.RawMessage `json:"tool_calls"`
}

// openAIResult is the result of a tool, a message of its own role.
type openAIResult struct {
	Role    string `json:"role"`
	Call    string `json:"tool_call_id"`
	Content string `json:"content"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parameters"`
}

// openAIBody is a request for a chat completion. MaxTokens and MaxCompletionTokens are two names
// of one limit; the profile of the model says which it knows.
type openAIBody struct {
	Model               string       `json:"model"`
	Messages            []any        `json:"messages"`
	Tools               []openAITool `json:"tools,omitempty"`
	ToolChoice          string       `json:"tool_choice,omitempty"`
	MaxTokens           int          `json:"max_tokens,omitempty"`
	MaxCompletionTokens int          `json:"max_completion_tokens,omitempty"`
	Temperature         *float64     `json:"temperature,omitempty"`
	TopP                *float64     `json:"top_p,omitempty"`
	Seed                *int64       `json:"seed,omitempty"`
	Stop                []string     `json:"stop,omitempty"`
	ReasoningEffort     string       `json:"reasoning_effort,omitempty"`
	ServiceTier         string       `json:"service_tier,omitempty"`
}

func (openAI) path(string) string { return "/chat/completions" }

func (openAI) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// body returns a chat completion request. The profile has the role of the system message and the
// name of the token limit, in which models and servers differ.
func (openAI) body(model string, p *Profile, r *Request) any {
	q := &r.Params
	b := &openAIBody{Model: model, Temperature: q.Temperature, TopP: q.TopP, Seed: q.Seed, Stop: q.Stop, ReasoningEffort: q.Effort, ServiceTier: q.ServiceTier}
	if r.System != "" {
		b.Messages = append(b.Messages, openAIMessage{p.Role, r.System})
	}
	b.Messages = append(b.Messages, openAIMessage{"user", r.User})
	for _, t := range r.Turns {
		b.Messages = append(b.Messages, t.Said)
		for i, c := range t.Calls {
			b.Messages = append(b.Messages, openAIResult{"tool", c.ID, t.Results[i].Text})
		}
	}
	b.Tools = lists.Map(r.Tools, func(t Tool) openAITool { return openAITool{"function", openAIFunction(t)} })
	if r.Final {
		b.ToolChoice = "none"
	}
	if p.MaxField == "max_tokens" {
		b.MaxTokens = q.MaxTokens
	} else {
		b.MaxCompletionTokens = q.MaxTokens
	}
	return b
}

// refuses says which parameters the format has no place for.
func (openAI) refuses(q *Params) *Error {
	if q.ReasoningText {
		return &Error{Class: Denied, Message: "chat completions cannot request the reasoning text",
			Hint: "Use openai-responses:NAME. Servers other than OpenAI's may send it anyway, or with --extra-body; it is then kept."}
	}
	return nil
}

// openAIReply is what a model says, or a piece of it.
type openAIReply struct {
	Content          openAIContent     `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        openAIContent     `json:"reasoning"`
	Calls            []json.RawMessage `json:"tool_calls"`
}

// reply reads the first choice. Reasoning has several places, by server; where it is in none of
// them, it may be in the text between tags.
func (openAI) reply(body []byte) (*Response, error) {
	var b struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Choices []struct {
			Message      *openAIReply    `json:"message"`
			FinishReason string          `json:"finish_reason"`
			Error        json.RawMessage `json:"error"`
		} `json:"choices"`
		Error json.RawMessage `json:"error"`
		Usage struct {
			Prompt     tokens `json:"prompt_tokens"`
			Completion tokens `json:"completion_tokens"`
			Total      tokens `json:"total_tokens"`
			Details    struct {
				Reasoning tokens `json:"reasoning_tokens"`
			} `json:"completion_tokens_details"`
			PromptDetails struct {
				Cached tokens `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	if len(b.Choices) == 0 || b.Choices[0].Message == nil {
		return nil, errors.New("it has no choices[0].message")
	}
	if c := &b.Choices[0]; openAIBroken[c.FinishReason] {
		return nil, broken(body, c.Error, b.Error)
	}
	m := b.Choices[0].Message
	r := &Response{Text: string(m.Content), Reasoning: cmp.Or(m.ReasoningContent, string(m.Reasoning)), Finish: cmp.Or(openAIFinishes[b.Choices[0].FinishReason], Other), Model: b.Model, RequestID: b.ID}
	if r.Reasoning == "" {
		r.Reasoning, r.Text = cutThinking(r.Text)
	}
	if m.Refusal != "" {
		r.Finish, r.Text = Refusal, cmp.Or(r.Text, m.Refusal)
	}
	for _, text := range m.Calls {
		var c struct {
			ID       string `json:"id"`
			Function struct {
				Name string          `json:"name"`
				Args openAIArguments `json:"arguments"`
			} `json:"function"`
		}
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, err
		}
		r.Calls = append(r.Calls, Call{c.ID, c.Function.Name, string(c.Function.Args)})
	}
	if len(r.Calls) > 0 {
		r.Said = compact.Must(openAISaid{"assistant", string(m.Content), m.ReasoningContent, m.Calls})
	}
	u := &b.Usage
	r.Usage = counted(u.Prompt, u.PromptDetails.Cached, u.Completion, u.Details.Reasoning)
	// Some that speak this format leave reasoning out of the completion. Their
	// totals tell.
	if n := u.Details.Reasoning; n > 0 && u.Total == u.Prompt+u.Completion+n {
		r.Usage.Output += int64(n)
	}
	return r, nil
}

var openAIFinishes = map[string]Finish{"stop": Stop, "length": Length, "model_length": Length, "content_filter": ContentFilter}

// openAIBroken holds what gateways and vLLM say of a reply that they, and not the model, broke off.
var openAIBroken = map[string]bool{"error": true, "abort": true}

// broken returns the error of such a reply, which may hold the reason.
func broken(body []byte, reasons ...json.RawMessage) *Error {
	for _, reason := range reasons {
		text := append(append([]byte(`{"error":`), reason...), '}')
		if status := inner(text); status != 0 {
			return failure(openAI{}, status, nil, text, time.Time{})
		}
	}
	return failure(openAI{}, http.StatusInternalServerError, nil, body, time.Time{})
}

// openAIContent is a string, null, or a list of parts with text.
type openAIContent string

// UnmarshalJSON implements json.Unmarshaler.
func (c *openAIContent) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text)
	}
	*c = openAIContent(s.String())
	return nil
}

// openAIArguments is a string that holds a JSON object, or of some servers the object itself.
type openAIArguments string

// UnmarshalJSON implements json.Unmarshaler.
func (a *openAIArguments) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		*a = openAIArguments(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(a))
}

// cutThinking cuts off the reasoning at the beginning of a text, as local models write it. The
// opening tag may be missing, since some templates put it into the prompt; without the closing one
// the model never came to an answer.
func cutThinking(text string) (reasoning, rest string) {
	const begin, end = "<think>", "</think>"
	inner, opened := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), begin)
	reasoning, rest, closed := strings.Cut(inner, end)
	switch {
	case closed && (opened || !strings.Contains(reasoning, begin)):
		return strings.TrimSpace(reasoning), strings.TrimLeft(rest, "\r\n")
	case opened:
		return strings.TrimSpace(inner), ""
	}
	return "", text
}

// fault reads what servers of this format say, each in a form of its own: an object, a text or a
// list of details. Codes decide before words.
func (openAI) fault(status int, body []byte) fault {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"` // of some servers, without an object around
		Detail  json.RawMessage `json:"detail"`  // of others
	}
	if json.Unmarshal(body, &b) != nil {
		return fault{}
	}
	var e struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Param   string          `json:"param"`
		Code    json.RawMessage `json:"code"` // a string, a number or null
	}
	f := fault{message: b.Message}
	if json.Unmarshal(b.Error, &f.message) != nil {
		_ = json.Unmarshal(b.Error, &e) // what has another type is left out
		f.message, f.code = cmp.Or(e.Message, b.Message), scalar(e.Code)
	}
	if _, err := strconv.Atoi(f.code); f.code == "" || err == nil && e.Type != "" {
		f.code = e.Type // a number is the status once more
	}
	if f.message == "" && len(b.Detail) > 0 {
		f.message = string(b.Detail)
	}
	f.body = len(b.Error) > 0
	said := strings.ToLower(f.message)
	has := func(s ...string) bool {
		return slices.ContainsFunc(s, func(x string) bool { return strings.Contains(said, x) })
	}
	switch {
	case f.code == "insufficient_quota" || e.Type == "insufficient_quota" || f.code == "billing_hard_limit_reached" || f.code == "billing_not_active" ||
		status == http.StatusTooManyRequests && has("exceeded your current quota"):
		f.class = Quota
	case status == http.StatusForbidden && has("key limit exceeded", "insufficient credits"):
		f.class = Quota
	case status != http.StatusBadRequest && status != http.StatusUnprocessableEntity:
	case has("credit balance"): // of a gateway to Anthropic
		f.class = Quota
	case f.code == "context_length_exceeded" || has("maximum context length", "context size", "context window"):
		f.class, f.hint = Rejected, hintTooLong
	case f.code == "content_policy_violation" || f.code == "content_filter" || f.code == "invalid_prompt":
		f.class = Rejected
	case f.code == "unsupported_parameter" || f.code == "unsupported_value" || f.code == "unknown_parameter" ||
		e.Param != "" && !strings.HasPrefix(e.Param, "messages") && e.Param != "model":
		f.class, f.hint = Denied, hintParameter
	case e.Param == "model" || f.code == "model_not_found" || has("does not exist", "invalid model"):
		f.class, f.hint = Denied, hintModel
	}
	return f
}
