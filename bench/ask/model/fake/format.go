package fake

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// problem is a refusal of a request.
type problem struct {
	status  int
	kind    string // of the provider
	code    string
	message string
	param   string
}

// format is one of the wire formats, on the server's side.
type format interface {
	authorize(h http.Header, key string) *problem
	parse(h http.Header, name string, body []byte) (*question, *problem)
	reply(*question, *said) any
	problem(*problem) any
}

const (
	openAIPath    = "/v1/chat/completions"
	anthropicPath = "/v1/messages"
	geminiPath    = "/v1beta/models/"
	geminiVerb    = ":generateContent"
)

// BaseURL is what a client of a provider is given, for a server at an address such
// as http://127.0.0.1:8080.
func BaseURL(provider, address string) string {
	if provider == "openai" {
		return address + "/v1"
	}
	return address
}

// route is the format of a path, and the model where the path has it.
func route(path string) (format, string) {
	switch path {
	case openAIPath:
		return openAI{}, ""
	case anthropicPath:
		return anthropic{}, ""
	}
	if rest, ok := strings.CutPrefix(path, geminiPath); ok {
		if name, ok := strings.CutSuffix(rest, geminiVerb); ok {
			return gemini{}, name
		}
	}
	return nil, ""
}

// families is the models that exist, and what they are like: a pattern of the names,
// in the words of the providers. Names of models that are none, such as test-model,
// take everything.
var (
	openAIReasons   = regexp.MustCompile(`^(o\d|gpt-5)`)
	openAINames     = regexp.MustCompile(`^(o\d|gpt-|ft:|chatgpt-|test-|fake)`)
	anthropicNames  = regexp.MustCompile(`^(claude-|test-|fake)`)
	anthropicNoTemp = regexp.MustCompile(`^claude-(opus|sonnet|haiku)-(4-[7-9]|5)`)
	geminiNames     = regexp.MustCompile(`^(gemini-|test-|fake)`)
	geminiLevels    = regexp.MustCompile(`^gemini-3`)
)

// strict reads a body and refuses what is not a field.
func strict(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text behind the object")
	}
	return nil
}

// unknownField is the name in an error of strict, or "".
func unknownField(err error) string {
	_, name, found := strings.Cut(err.Error(), "unknown field ")
	if !found {
		return ""
	}
	return strings.Trim(name, `"`)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func seedOf(p *int64) int {
	if p == nil || *p < 0 || *p > 1<<30 {
		return 0
	}
	return int(*p)
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAI struct{}

func (openAI) authorize(h http.Header, key string) *problem {
	given, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if !ok {
		return &problem{http.StatusUnauthorized, "invalid_request_error", "", "You didn't provide an API key.", ""}
	}
	if !same(given, key) {
		// As the real one does, which shows the ends of the key.
		return &problem{http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: " + given + ".", ""}
	}
	return nil
}

func (openAI) parse(_ http.Header, _ string, body []byte) (*question, *problem) {
	var b struct {
		Model               string    `json:"model"`
		Messages            []message `json:"messages"`
		MaxTokens           *int      `json:"max_tokens"`
		MaxCompletionTokens *int      `json:"max_completion_tokens"`
		Temperature         *float64  `json:"temperature"`
		TopP                *float64  `json:"top_p"`
		Seed                *int64    `json:"seed"`
		Stop                []string  `json:"stop"`
		ReasoningEffort     *string   `json:"reasoning_effort"`
	}
	bad := func(code, param, message string, args ...any) (*question, *problem) {
		return nil, &problem{http.StatusBadRequest, "invalid_request_error", code, fmt.Sprintf(message, args...), param}
	}
	if err := strict(body, &b); err != nil {
		if name := unknownField(err); name != "" {
			return bad("unknown_parameter", name, "Unknown parameter: '%s'.", name)
		}
		return bad("", "", "We could not parse the JSON body of your request: %v", err)
	}
	reasons := openAIReasons.MatchString(b.Model) && !strings.Contains(b.Model, "-chat")
	q := &question{model: b.Model, seed: seedOf(b.Seed), thinks: reasons}
	if b.ReasoningEffort != nil {
		q.thinks = *b.ReasoningEffort != "none"
	}
	switch {
	case b.Model == "":
		return bad("", "model", "you must provide a model parameter")
	case !openAINames.MatchString(b.Model):
		return nil, &problem{http.StatusNotFound, "invalid_request_error", "model_not_found", fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", b.Model), "model"}
	case len(b.Messages) == 0:
		return bad("empty_array", "messages", "Invalid 'messages': empty array.")
	case reasons && b.MaxTokens != nil:
		return bad("unsupported_parameter", "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case b.MaxTokens != nil && b.MaxCompletionTokens != nil:
		return bad("invalid_parameter_combination", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case reasons && b.Temperature != nil && *b.Temperature != 1 && (b.ReasoningEffort == nil || *b.ReasoningEffort != "none"):
		return bad("unsupported_value", "temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *b.Temperature)
	case b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 2):
		return bad("decimal_above_max_value", "temperature", "Invalid 'temperature': expected a value between 0 and 2.")
	case reasons && len(b.Stop) > 0:
		return bad("unsupported_parameter", "stop", "Unsupported parameter: 'stop' is not supported with this model.")
	case len(b.Stop) > 4:
		return bad("array_above_max_length", "stop", "Invalid 'stop': array too long. Expected at most 4.")
	case !reasons && b.ReasoningEffort != nil && strings.HasPrefix(b.Model, "gpt-4"):
		return bad("unknown_parameter", "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
	}
	for i, m := range b.Messages {
		switch m.Role {
		case "system", "developer":
			q.system = m.Content
		case "user":
			q.user = m.Content
		default:
			return bad("invalid_value", fmt.Sprintf("messages[%d].role", i), "Invalid value: '%s'.", m.Role)
		}
	}
	for _, n := range []*int{b.MaxTokens, b.MaxCompletionTokens} {
		if n != nil {
			if q.maxTokens = *n; q.maxTokens < 1 {
				return bad("integer_below_min_value", "max_completion_tokens", "Invalid budget: expected a value >= 1.")
			}
		}
	}
	return q, nil
}

func (openAI) reply(q *question, a *said) any {
	finish := "stop"
	if a.cut {
		finish = "length"
	}
	return map[string]any{
		"id": "chatcmpl-" + a.id, "object": "chat.completion", "created": 0, "model": q.model + "-2026-01-01",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "logprobs": nil,
			"message": map[string]any{"role": "assistant", "content": a.text, "refusal": nil}}},
		// Reasoning is part of the completion, and is not shown.
		"usage": map[string]any{"prompt_tokens": a.input, "completion_tokens": a.output + a.thought, "total_tokens": a.input + a.output + a.thought,
			"completion_tokens_details": map[string]any{"reasoning_tokens": a.thought}, "prompt_tokens_details": map[string]any{"cached_tokens": 0}},
	}
}

func (openAI) problem(p *problem) any {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return map[string]any{"error": map[string]any{"message": p.message, "type": p.kind, "param": null(p.param), "code": null(p.code)}}
}

type anthropic struct{}

func (anthropic) authorize(h http.Header, key string) *problem {
	if !same(h.Get("X-Api-Key"), key) {
		return &problem{http.StatusUnauthorized, "authentication_error", "", "invalid x-api-key", ""}
	}
	return nil
}

func (anthropic) parse(h http.Header, _ string, body []byte) (*question, *problem) {
	var b struct {
		Model         string    `json:"model"`
		MaxTokens     *int      `json:"max_tokens"`
		System        string    `json:"system"`
		Messages      []message `json:"messages"`
		Temperature   *float64  `json:"temperature"`
		TopP          *float64  `json:"top_p"`
		StopSequences []string  `json:"stop_sequences"`
		Thinking      *struct {
			Type         string `json:"type"`
			BudgetTokens *int   `json:"budget_tokens"`
			Display      string `json:"display"`
		} `json:"thinking"`
		OutputConfig *struct {
			Effort string `json:"effort"`
		} `json:"output_config"`
	}
	bad := func(message string, args ...any) (*question, *problem) {
		return nil, &problem{http.StatusBadRequest, "invalid_request_error", "", fmt.Sprintf(message, args...), ""}
	}
	if h.Get("Anthropic-Version") == "" {
		return bad("anthropic-version: header is required")
	}
	if err := strict(body, &b); err != nil {
		if name := unknownField(err); name != "" {
			return bad("%s: Extra inputs are not permitted", name)
		}
		return bad("The request body is not valid JSON: %v", err)
	}
	newest := anthropicNoTemp.MatchString(b.Model)
	thinks := b.Thinking != nil && b.Thinking.Type != "disabled"
	switch {
	case b.Model == "":
		return bad("model: Field required")
	case !anthropicNames.MatchString(b.Model):
		return nil, &problem{http.StatusNotFound, "not_found_error", "", "model: " + b.Model, ""}
	case b.MaxTokens == nil:
		return bad("max_tokens: Field required")
	case *b.MaxTokens < 1:
		return bad("max_tokens: Input should be greater than or equal to 1")
	case len(b.Messages) == 0:
		return bad("messages: at least one message is required")
	case b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 1):
		return bad("temperature: range: 0..1")
	case newest && (b.Temperature != nil || b.TopP != nil):
		return bad("`temperature` is not supported for this model.")
	case thinks && (b.Temperature != nil && *b.Temperature != 1 || b.TopP != nil):
		return bad("`temperature` may only be set to 1 when thinking is enabled.")
	case thinks && newest && b.Thinking.Type == "enabled":
		return bad(`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
	case thinks && b.Thinking.Type == "enabled" && (b.Thinking.BudgetTokens == nil || *b.Thinking.BudgetTokens < 1024):
		return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case thinks && b.Thinking.Type == "enabled" && *b.Thinking.BudgetTokens >= *b.MaxTokens:
		return bad("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	q := &question{model: b.Model, system: b.System, maxTokens: *b.MaxTokens, thinks: thinks}
	for i, m := range b.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return bad("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		q.user = m.Content
	}
	return q, nil
}

func (anthropic) reply(q *question, a *said) any {
	stop := "end_turn"
	if a.cut {
		stop = "max_tokens"
	}
	content := []any{}
	usage := map[string]any{"input_tokens": a.input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": a.output + a.thought,
		"service_tier": "standard"}
	if a.thought > 0 {
		content = append(content, map[string]any{"type": "thinking", "thinking": thoughts, "signature": "c2lnbmVk"})
		usage["output_tokens_details"] = map[string]any{"thinking_tokens": a.thought}
	}
	if a.text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.text})
	}
	return map[string]any{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": q.model, "stop_reason": stop, "stop_sequence": nil,
		"content": content, "usage": usage,
	}
}

func (anthropic) problem(p *problem) any {
	e := map[string]any{"type": p.kind, "message": p.message}
	if p.code != "" {
		e["details"] = map[string]any{"error_code": p.code}
	}
	return map[string]any{"type": "error", "error": e, "request_id": "req_fake"}
}

type gemini struct{}

func (gemini) authorize(h http.Header, key string) *problem {
	if !same(h.Get("X-Goog-Api-Key"), key) {
		return &problem{http.StatusBadRequest, "INVALID_ARGUMENT", "API_KEY_INVALID", "API key not valid. Please pass a valid API key.", ""}
	}
	return nil
}

func (gemini) parse(_ http.Header, name string, body []byte) (*question, *problem) {
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	}
	var b struct {
		SystemInstruction *content  `json:"systemInstruction"`
		Contents          []content `json:"contents"`
		GenerationConfig  struct {
			Temperature     *float64 `json:"temperature"`
			TopP            *float64 `json:"topP"`
			MaxOutputTokens *int     `json:"maxOutputTokens"`
			StopSequences   []string `json:"stopSequences"`
			Seed            *int64   `json:"seed"`
			ThinkingConfig  *struct {
				IncludeThoughts bool    `json:"includeThoughts"`
				ThinkingBudget  *int    `json:"thinkingBudget"`
				ThinkingLevel   *string `json:"thinkingLevel"`
			} `json:"thinkingConfig"`
		} `json:"generationConfig"`
	}
	bad := func(message string, args ...any) (*question, *problem) {
		return nil, &problem{http.StatusBadRequest, "INVALID_ARGUMENT", "", fmt.Sprintf(message, args...), ""}
	}
	if !geminiNames.MatchString(name) {
		return nil, &problem{http.StatusNotFound, "NOT_FOUND", "", fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for generateContent.", name), ""}
	}
	if err := strict(body, &b); err != nil {
		if field := unknownField(err); field != "" {
			return bad("Invalid JSON payload received. Unknown name %q: Cannot find field.", field)
		}
		return bad("Invalid JSON payload received. %v", err)
	}
	c := &b.GenerationConfig
	if len(b.Contents) == 0 {
		return bad("* GenerateContentRequest.contents: contents is not specified")
	}
	if c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 2) {
		return bad("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].")
	}
	if len(c.StopSequences) > 5 {
		return bad("The number of stop sequences must be no more than 5.")
	}
	if t := c.ThinkingConfig; t != nil {
		levels := geminiLevels.MatchString(name)
		switch {
		case t.ThinkingBudget != nil && t.ThinkingLevel != nil:
			return bad("You can only set one of thinking budget and thinking level.")
		case t.ThinkingLevel != nil && strings.HasPrefix(name, "gemini-") && !levels:
			return bad("Thinking level is not supported for this model.")
		case t.ThinkingBudget != nil && *t.ThinkingBudget == 0 && strings.Contains(name, "-pro"):
			return bad("Budget 0 is invalid. This model only works in thinking mode.")
		}
	}
	q := &question{model: name, seed: seedOf(c.Seed), thinks: geminiLevels.MatchString(name)}
	if t := c.ThinkingConfig; t != nil {
		q.thinks = t.ThinkingLevel != nil || t.ThinkingBudget != nil && *t.ThinkingBudget != 0
		q.shows = t.IncludeThoughts
	}
	if c.MaxOutputTokens != nil {
		if q.maxTokens = *c.MaxOutputTokens; q.maxTokens < 1 {
			return bad("max_output_tokens must be positive")
		}
	}
	text := func(c *content) string {
		var s strings.Builder
		for _, p := range c.Parts {
			s.WriteString(p.Text)
		}
		return s.String()
	}
	if b.SystemInstruction != nil {
		q.system = text(b.SystemInstruction)
	}
	for i := range b.Contents {
		if r := b.Contents[i].Role; r != "user" && r != "model" && r != "" {
			return bad("Please use a valid role: user, model.")
		}
		q.user = text(&b.Contents[i])
	}
	return q, nil
}

func (gemini) reply(q *question, a *said) any {
	finish := "STOP"
	if a.cut {
		finish = "MAX_TOKENS"
	}
	parts := []any{}
	// Thoughts are not part of the candidates, and are shown when asked for.
	usage := map[string]any{"promptTokenCount": a.input, "candidatesTokenCount": a.output, "totalTokenCount": a.input + a.output + a.thought}
	if a.thought > 0 {
		usage["thoughtsTokenCount"] = a.thought
		if q.shows {
			parts = append(parts, map[string]any{"text": thoughts, "thought": true})
		}
	}
	if a.text != "" {
		parts = append(parts, map[string]any{"text": a.text})
	}
	return map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": finish, "content": map[string]any{"role": "model", "parts": parts}}},
		"usageMetadata": usage, "modelVersion": q.model, "responseId": a.id,
	}
}

func (gemini) problem(p *problem) any {
	e := map[string]any{"code": p.status, "message": p.message, "status": p.kind}
	if p.code != "" {
		e["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": p.code, "domain": "googleapis.com"}}
	}
	return map[string]any{"error": e}
}
