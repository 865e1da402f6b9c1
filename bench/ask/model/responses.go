package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ein/internal/lists"
)

// responses is the Responses API of OpenAI, which shows summaries of reasoning.
type responses struct{ openAI }

// responsesBody is a request to create a response. Input is the text of the user or, after calls
// of tools, all items so far.
type responsesBody struct {
	Model           string            `json:"model"`
	Instructions    string            `json:"instructions,omitempty"`
	Input           any               `json:"input"`
	Tools           []responsesTool   `json:"tools,omitempty"`
	ToolChoice      string            `json:"tool_choice,omitempty"`
	MaxOutputTokens int               `json:"max_output_tokens,omitempty"`
	Temperature     *float64          `json:"temperature,omitempty"`
	TopP            *float64          `json:"top_p,omitempty"`
	Reasoning       map[string]string `json:"reasoning,omitempty"`
	ServiceTier     string            `json:"service_tier,omitempty"`
}

type responsesTool struct {
	Type string `json:"type"`
	openAIFunction
	Strict bool `json:"strict"`
}

// responsesResult is the result of a tool, an item of the input.
type responsesResult struct {
	Type   string `json:"type"`
	Call   string `json:"call_id"`
	Output string `json:"output"`
}

func (responses) path(string) string { return "/responses" }

// body returns a responses request. Whatever the model made in earlier turns, its reasoning
// included, is sent back unchanged as input items.
func (responses) body(model string, _ *Profile, r *Request) any {
	q := &r.Params
	b := &responsesBody{Model: model, Instructions: r.System, Input: r.User, MaxOutputTokens: q.MaxTokens, Temperature: q.Temperature, TopP: q.TopP, ServiceTier: q.ServiceTier}
	if q.Effort != "" {
		lists.Put(&b.Reasoning, "effort", q.Effort)
	}
	if q.ReasoningText {
		lists.Put(&b.Reasoning, "summary", "auto")
	}
	b.Tools = lists.Map(r.Tools, func(t Tool) responsesTool { return responsesTool{"function", openAIFunction(t), false} })
	if r.Final {
		b.ToolChoice = "none"
	}
	if len(r.Turns) == 0 {
		return b
	}
	input := []any{openAIMessage{"user", r.User}}
	for _, t := range r.Turns {
		var items []json.RawMessage
		_ = json.Unmarshal(t.Said, &items) // which reply has made
		for _, item := range items {
			input = append(input, item)
		}
		for i, c := range t.Calls {
			input = append(input, responsesResult{"function_call_output", c.ID, t.Results[i].Text})
		}
	}
	b.Input = input
	return b
}

// refuses says which parameters the format has no place for.
func (responses) refuses(q *Params) *Error {
	if q.Seed != nil || len(q.Stop) > 0 {
		return &Error{Class: Denied, Message: "the Responses API accepts neither a seed nor stop sequences", Hint: "Leave them out, or use openai:NAME."}
	}
	return nil
}

// reply reads an output of items. A status that is neither completed nor incomplete is an error,
// as there is no answer.
func (responses) reply(body []byte) (*Response, error) {
	type texts []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	var b struct {
		ID         string `json:"id"`
		Model      string `json:"model"`
		Status     string `json:"status"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Output []struct {
			Type    string          `json:"type"`
			Summary texts           `json:"summary"`
			Content texts           `json:"content"`
			Call    string          `json:"call_id"`
			Name    string          `json:"name"`
			Args    openAIArguments `json:"arguments"`
		} `json:"output"`
		Usage struct {
			Input        tokens `json:"input_tokens"`
			InputDetails struct {
				Cached tokens `json:"cached_tokens"`
			} `json:"input_tokens_details"`
			Output  tokens `json:"output_tokens"`
			Details struct {
				Reasoning tokens `json:"reasoning_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	if b.Output == nil || b.Status == "" {
		return nil, errors.New("it has no output or no status")
	}
	if !slices.Contains([]string{"completed", "incomplete"}, b.Status) {
		return nil, fmt.Errorf("its status is %s, which is no reply yet or none any more", b.Status)
	}
	r := &Response{Model: b.Model, RequestID: b.ID, Finish: Other}
	var text, thought strings.Builder
	refused := false
	for i := range b.Output {
		switch item := &b.Output[i]; item.Type {
		case "message":
			for _, c := range item.Content {
				text.WriteString(c.Text + c.Refusal)
				refused = refused || c.Type == "refusal"
			}
		case "function_call":
			r.Calls = append(r.Calls, Call{item.Call, item.Name, string(item.Args)})
		case "reasoning": // in full, or as a summary in parts
			parts := item.Summary
			if len(item.Content) > 0 {
				parts = item.Content
			}
			for _, c := range parts {
				if thought.Len() > 0 {
					thought.WriteString("\n\n")
				}
				thought.WriteString(c.Text)
			}
		}
	}
	r.Text, r.Reasoning = text.String(), thought.String()
	if len(r.Calls) > 0 {
		var all struct{ Output json.RawMessage }
		_ = json.Unmarshal(body, &all) // as above
		r.Said = all.Output
	}
	switch {
	case refused:
		r.Finish = Refusal
	case b.Status == "completed":
		r.Finish = Stop
	case b.Incomplete.Reason == "max_output_tokens":
		r.Finish = Length
	case b.Incomplete.Reason == "content_filter":
		r.Finish = ContentFilter
	}
	r.Usage = counted(b.Usage.Input, b.Usage.InputDetails.Cached, b.Usage.Output, b.Usage.Details.Reasoning)
	return r, nil
}

func (responses) batch(_, tag string, bodies []json.RawMessage) []func(string) (*call, error) {
	return openAIBatch("/v1/responses", tag, bodies)
}
