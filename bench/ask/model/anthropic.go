package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"ein/internal/lists"
)

// anthropic is the Messages API.
type anthropic struct{}

const anthropicVersion = "2023-06-01"

// anthropicBody is a request to create a message.
type anthropicBody struct {
	Model         string             `json:"model"`
	MaxTokens     int                `json:"max_tokens"`
	System        string             `json:"system,omitempty"`
	Messages      []any              `json:"messages"`
	Tools         []anthropicTool    `json:"tools,omitempty"`
	ToolChoice    map[string]string  `json:"tool_choice,omitempty"`
	Temperature   *float64           `json:"temperature,omitempty"`
	TopP          *float64           `json:"top_p,omitempty"`
	StopSequences []string           `json:"stop_sequences,omitempty"`
	Thinking      *anthropicThinking `json:"thinking,omitempty"`
	OutputConfig  map[string]string  `json:"output_config,omitempty"`
	ServiceTier   string             `json:"service_tier,omitempty"`
}

type anthropicThinking struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

// anthropicMessage is a turn. Its content is a text, or a list of parts in a conversation with
// tools.
type anthropicMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// anthropicResult is the result of a tool, a block of a message of the user.
type anthropicResult struct {
	Type    string `json:"type"`
	Call    string `json:"tool_use_id"`
	Content string `json:"content"`
	Failed  bool   `json:"is_error,omitempty"`
}

func (anthropic) path(string) string { return "/v1/messages" }

func (anthropic) sign(h http.Header, key string) { h.Set("X-Api-Key", key) }

// body returns a message request. The API requires max_tokens, so the budget of the profile is
// sent where none was given. Results of tools are a turn of the user.
func (anthropic) body(model string, p *Profile, r *Request) any {
	q := &r.Params
	b := &anthropicBody{Model: model, MaxTokens: p.budget(q), System: r.System, Messages: []any{openAIMessage{"user", r.User}},
		Temperature: q.Temperature, TopP: q.TopP, StopSequences: q.Stop, ServiceTier: q.ServiceTier}
	for _, t := range r.Turns {
		results := make([]anthropicResult, len(t.Calls))
		for i, c := range t.Calls {
			results[i] = anthropicResult{"tool_result", c.ID, t.Results[i].Text, t.Results[i].Failed}
		}
		b.Messages = append(b.Messages, anthropicMessage{"assistant", t.Said}, anthropicMessage{"user", results})
	}
	b.Tools = lists.Map(r.Tools, func(t Tool) anthropicTool { return anthropicTool(t) })
	if r.Final {
		b.ToolChoice = map[string]string{"type": "none"}
	}
	if q.Thinking != nil {
		switch n := *q.Thinking; n {
		case 0:
			b.Thinking = &anthropicThinking{Type: "disabled"}
		case -1:
			b.Thinking = &anthropicThinking{Type: "adaptive"}
		default:
			b.Thinking = &anthropicThinking{Type: "enabled", BudgetTokens: n}
		}
	}
	if q.ReasoningText {
		b.Thinking.Display = "summarized"
	}
	if q.Effort != "" {
		b.OutputConfig = map[string]string{"effort": q.Effort}
	}
	return b
}

// refuses says which parameters the format has no place for.
func (anthropic) refuses(q *Params) *Error {
	if q.ReasoningText && (q.Thinking == nil || *q.Thinking == 0) {
		return &Error{Class: Denied, Message: "reasoning text is available only with thinking", Hint: "Turn thinking on too: a number of tokens, or -1."}
	}
	return nil
}

var anthropicFinishes = map[string]Finish{"end_turn": Stop, "stop_sequence": Stop, "max_tokens": Length, "model_context_window_exceeded": Length, "refusal": Refusal}

// reply counts tokens that were written to the cache or read from it as input, which the API
// counts apart.
func (anthropic) reply(body []byte) (*Response, error) {
	var b struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`

			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      *struct {
			Input       tokens `json:"input_tokens"`
			CacheCreate tokens `json:"cache_creation_input_tokens"`
			CacheRead   tokens `json:"cache_read_input_tokens"`
			Output      tokens `json:"output_tokens"`
			Details     struct {
				Thinking tokens `json:"thinking_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	if b.Content == nil || b.Usage == nil {
		return nil, errors.New("it has no content or no usage")
	}
	r := &Response{Model: b.Model, RequestID: b.ID}
	var text, thought strings.Builder
	for i := range b.Content {
		switch c := &b.Content[i]; c.Type {
		case "text":
			text.WriteString(c.Text)
		case "thinking":
			thought.WriteString(c.Thinking)
		case "tool_use":
			r.Calls = append(r.Calls, Call{c.ID, c.Name, string(c.Input)})
		}
	}
	r.Text, r.Reasoning = text.String(), thought.String()
	if len(r.Calls) > 0 {
		var all struct{ Content json.RawMessage }
		_ = json.Unmarshal(body, &all) // as above
		r.Said = all.Content
	}
	r.Finish = cmp.Or(anthropicFinishes[b.StopReason], Other)
	u := b.Usage
	r.Usage = counted(u.Input+u.CacheCreate+u.CacheRead, u.CacheRead, u.Output, u.Details.Thinking)
	return r, nil
}

// fault goes by the words of the message where the status is 400: the API has one type for an
// empty account, a prompt that is too long and a wrong parameter.
func (anthropic) fault(status int, body []byte) fault {
	var b struct {
		Error *struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			Details struct {
				Code string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(body, &b) != nil || b.Error == nil {
		return fault{}
	}
	f := fault{code: b.Error.Type, message: b.Error.Message, body: true}
	if b.Error.Details.Code != "" {
		f.code += " " + b.Error.Details.Code
	}
	said := strings.ToLower(f.message)
	switch {
	case b.Error.Details.Code == "enforced_spend_limit_reached" || b.Error.Type == "billing_error":
		f.class = Quota
	case status != http.StatusBadRequest:
	case strings.Contains(said, "credit balance") || strings.Contains(said, "usage limits"):
		f.class = Quota
	case strings.Contains(said, "prompt is too long") || strings.Contains(said, "context limit"):
		f.class, f.hint = Rejected, hintTooLong
	case strings.HasPrefix(said, "messages") || strings.Contains(said, "content filtering"):
		f.class = Rejected
	case b.Error.Type == "invalid_request_error":
		f.class, f.hint = Denied, hintParameter
	}
	return f
}
