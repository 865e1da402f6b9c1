package model

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ein/internal/compact"
	"ein/internal/lists"
)

// gemini is the generateContent API.
type gemini struct{}

type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

type geminiContent struct {
	Role  string `json:"role,omitempty"`
	Parts []any  `json:"parts"`
}

// geminiSaid is the content of a model's message. Its parts are sent back unchanged, because they
// may be signed.
type geminiSaid struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

// geminiResult is the result of a tool, in a part of a content of the user.
type geminiResult struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

// geminiBody is a request to generate content.
type geminiBody struct {
	SystemInstruction *geminiContent  `json:"systemInstruction,omitempty"`
	Contents          []any           `json:"contents"`
	Tools             []any           `json:"tools,omitempty"`
	ToolConfig        json.RawMessage `json:"toolConfig,omitempty"`
	GenerationConfig  *geminiConfig   `json:"generationConfig,omitempty"`
	ServiceTier       string          `json:"serviceTier,omitempty"`
}

type geminiConfig struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	StopSequences   []string        `json:"stopSequences,omitempty"`
	Seed            *int64          `json:"seed,omitempty"`
	ThinkingConfig  *geminiThinking `json:"thinkingConfig,omitempty"`
}

type geminiThinking struct {
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
}

func (gemini) path(model string) string {
	return "/v1beta/models/" + url.PathEscape(model) + ":generateContent"
}

func (gemini) sign(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }

// body returns a generateContent request. The model is in the path; parts that would be empty are
// left out.
func (gemini) body(_ string, _ *Profile, r *Request) any {
	q := &r.Params
	b := &geminiBody{Contents: []any{geminiContent{"user", []any{geminiPart{Text: r.User}}}}, ServiceTier: q.ServiceTier}
	if r.System != "" {
		b.SystemInstruction = &geminiContent{Parts: []any{geminiPart{Text: r.System}}}
	}
	for _, t := range r.Turns {
		results := geminiContent{Role: "user"}
		for i, c := range t.Calls {
			member := "output"
			if t.Results[i].Failed {
				member = "error"
			}
			results.Parts = append(results.Parts, map[string]geminiResult{"functionResponse": {c.ID, c.Name, map[string]string{member: t.Results[i].Text}}})
		}
		b.Contents = append(b.Contents, t.Said, results)
	}
	if len(r.Tools) > 0 {
		functions := lists.Map(r.Tools, func(t Tool) geminiFunction { return geminiFunction(t) })
		b.Tools = []any{map[string][]geminiFunction{"functionDeclarations": functions}}
	}
	if r.Final {
		b.ToolConfig = json.RawMessage(`{"functionCallingConfig":{"mode":"NONE"}}`)
	}
	c := &geminiConfig{Temperature: q.Temperature, TopP: q.TopP, MaxOutputTokens: q.MaxTokens, StopSequences: q.Stop, Seed: q.Seed}
	if q.Thinking != nil || q.Effort != "" || q.ReasoningText {
		c.ThinkingConfig = &geminiThinking{q.Thinking, strings.ToUpper(q.Effort), q.ReasoningText}
	}
	if q.Temperature != nil || q.TopP != nil || q.MaxTokens > 0 || len(q.Stop) > 0 || q.Seed != nil || c.ThinkingConfig != nil {
		b.GenerationConfig = c
	}
	return b
}

var geminiFinishes = map[string]Finish{"STOP": Stop, "MAX_TOKENS": Length, "SAFETY": ContentFilter, "RECITATION": ContentFilter,
	"LANGUAGE": ContentFilter, "BLOCKLIST": ContentFilter, "PROHIBITED_CONTENT": ContentFilter, "SPII": ContentFilter}

// reply reads the first candidate. Without any, the prompt was blocked, which is a reply too.
func (gemini) reply(body []byte) (*Response, error) {
	var b struct {
		Candidates []struct {
			Content      geminiSaid `json:"content"`
			FinishReason string     `json:"finishReason"`
		} `json:"candidates"`
		PromptFeedback *struct {
			BlockReason string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage *struct {
			Prompt     tokens `json:"promptTokenCount"`
			Candidates tokens `json:"candidatesTokenCount"`
			Thoughts   tokens `json:"thoughtsTokenCount"`
			Cached     tokens `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
		ModelVersion string `json:"modelVersion"`
		ResponseID   string `json:"responseId"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	if len(b.Candidates) == 0 && b.PromptFeedback == nil && b.Usage == nil {
		return nil, errNoCandidates
	}
	r := &Response{Finish: Other, Model: b.ModelVersion, RequestID: b.ResponseID}
	if b.Usage != nil {
		// Thoughts are not part of the candidates here.
		r.Usage = counted(b.Usage.Prompt, b.Usage.Cached, b.Usage.Candidates+b.Usage.Thoughts, b.Usage.Thoughts)
	}
	if len(b.Candidates) == 0 {
		if b.PromptFeedback != nil && b.PromptFeedback.BlockReason != "" {
			r.Finish = ContentFilter
		}
		return r, nil
	}
	c := &b.Candidates[0]
	var text, thought strings.Builder
	for _, part := range c.Content.Parts {
		var p struct {
			geminiPart
			Call *struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"functionCall"`
		}
		if err := json.Unmarshal(part, &p); err != nil {
			return nil, err
		}
		switch {
		case p.Call != nil:
			r.Calls = append(r.Calls, Call{p.Call.ID, p.Call.Name, string(p.Call.Args)})
		case p.Thought:
			thought.WriteString(p.Text)
		default:
			text.WriteString(p.Text)
		}
	}
	r.Text, r.Reasoning = text.String(), thought.String()
	if len(r.Calls) > 0 {
		r.Said = compact.Must(geminiSaid{"model", c.Content.Parts})
	}
	r.Finish = cmp.Or(geminiFinishes[c.FinishReason], Other)
	return r, nil
}

// fault tells a limit for a minute, which is waited for, from one for a day and from a plan
// without the model, which end the run: all of them are status 429.
func (gemini) fault(status int, body []byte) fault {
	var b struct {
		Error *struct {
			Message string `json:"message"`
			Status  string `json:"status"`
			Details []struct {
				Reason     string `json:"reason"`     // of ErrorInfo
				RetryDelay string `json:"retryDelay"` // of RetryInfo
				Violations []struct {
					QuotaID    string `json:"quotaId"`
					QuotaValue string `json:"quotaValue"`
				} `json:"violations"` // of QuotaFailure
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &b) != nil || b.Error == nil {
		return fault{}
	}
	f := fault{code: b.Error.Status, message: b.Error.Message, body: true}
	daily, none, reason := false, false, ""
	for i := range b.Error.Details {
		d := &b.Error.Details[i]
		if d.Reason != "" {
			reason = d.Reason
		}
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			f.retryAfter = max(f.retryAfter, wait)
		}
		for _, v := range d.Violations {
			daily = daily || strings.Contains(v.QuotaID, "PerDay")
			none = none || v.QuotaValue == "0"
		}
	}
	said := strings.ToLower(f.message)
	switch {
	case status == http.StatusTooManyRequests && none:
		f.class, f.hint = Quota, "The plan of this key does not include this model: choose another model, or turn billing on."
	case status == http.StatusTooManyRequests && f.retryAfter == 0 && (daily || strings.Contains(said, "per day")):
		f.class, f.hint = Quota, "The daily quota is used up: resume tomorrow, or raise it."
	case status == http.StatusServiceUnavailable && f.code == "RESOURCE_EXHAUSTED":
		f.class = RateLimit
	case status != http.StatusBadRequest:
	case reason == "API_KEY_INVALID" || strings.Contains(said, "api key"):
		f.class, f.hint = Denied, hintKey
	case f.code == "FAILED_PRECONDITION":
		f.class, f.hint = Denied, "The provider serves this key only with billing on, or does not serve this region."
	case strings.Contains(said, "exceeds the maximum number of tokens"):
		f.class, f.hint = Rejected, hintTooLong
	default:
		f.class, f.hint = Denied, hintParameter
	}
	return f
}
