package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ein/bench/ask/model"
	"ein/internal/compact"
	"ein/internal/lists"
)

// problem is a refusal of a request.
type problem struct {
	status  int
	kind    string // of the provider
	code    string
	message string
	param   string
}

// event is a piece of a streamed answer.
type event struct{ name, data string }

// format is one of the wire formats, on the server's side. What it answers is JSON, made of texts
// in which words behind a $ are filled in: a text can be compared with a provider's documentation,
// which structs to encode could not.
type format interface {
	authorize(r *http.Request, key string) *problem                      // nil for the right key
	parse(h http.Header, name string, body []byte) (*question, *problem) // as strictly as the provider does
	reply(*question, *said) string
	stream(*question, *said) []event // the same answer in pieces
	problem(*problem) string
	// The list of models is made of items; one alone is an item.
	models() (provider, list, item string)
	count() string // of tokens
}

// BaseURL returns what a client of a provider is given, for a server at an address such
// as http://127.0.0.1:8080.
func BaseURL(provider, address string) string {
	if strings.HasPrefix(provider, "openai") {
		return address + "/v1"
	}
	return address
}

// verb is the operation that a request asks for.
type verb int

const (
	ask verb = iota
	count
	list // models; one, where there is a name
)

// route returns the format of a path, the operation, and the model if the path names it. The
// three providers list their models under the same path; a header tells them apart.
func route(r *http.Request) (f format, what verb, name string) {
	version, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if version != "v1" && version != "v1beta" {
		return nil, 0, ""
	}
	rest, isModel := strings.CutPrefix(path, "models/")
	switch name, action, _ := strings.Cut(rest, ":"); {
	case path == "chat/completions":
		return openAI{}, ask, ""
	case path == "responses":
		return responses{}, ask, ""
	case path == "messages":
		return anthropic{}, ask, ""
	case path == "messages/count_tokens":
		return anthropic{}, count, ""
	case isModel && (action == "generateContent" || action == "streamGenerateContent"):
		return gemini{}, ask, name
	case isModel && action == "countTokens":
		return gemini{}, count, name
	case path != "models" && !isModel || action != "":
		return nil, 0, ""
	case !isModel:
		name = ""
		fallthrough
	default:
		switch h := r.Header; {
		case h.Get("Anthropic-Version") != "":
			f = anthropic{}
		case h.Get("X-Goog-Api-Key") != "" || version == "v1beta":
			f = gemini{}
		default:
			f = openAI{}
		}
		return f, list, name
	}
}

// What the models that exist are like, in the words of the providers. Names of models that
// are none, such as test-model, take everything.
var (
	openAIReasons   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(o\d|gpt-[5-9])`) })
	anthropicNoTemp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^claude-((opus|sonnet|haiku)-(4-[7-9]|5)|fable|mythos)`)
	})
	geminiLevels = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gemini-([3-9]|(flash|pro)-)`) })
	noModel      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(test-|fake)`) })
)

// exists reports whether a provider has a model: one that a profile is of, or one whose name says
// that it is none, as test-model does.
func exists(provider, name string) bool {
	p, err := model.ProfileOf(provider, name)
	return noModel().MatchString(name) || err == nil && p != provider
}

// known returns the models of a provider.
func known(provider string) []string {
	var ids []string
	for _, p := range model.Profiles(nil) {
		for id := range p.Models {
			if p.Provider == provider {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// models returns the list of models, or one of them. It returns false if no model has the name.
func models(f format, name string) (string, bool) {
	provider, list, item := f.models()
	ids := known(provider)
	if name != "" {
		if !exists(provider, name) {
			return "", false
		}
		list, ids = "$items", []string{name}
	}
	items := lists.Map(ids, func(id string) string { return strings.ReplaceAll(item, "$id", id) })
	return strings.NewReplacer("$items", strings.Join(items, ","), "$first", ids[0], "$last", ids[len(ids)-1]).Replace(list), true
}

// fill puts a question and its answer into a text. What begins with a $ and is not
// known stays.
func fill(text string, q *question, a *said, more ...string) string {
	n := func(n int64) string { return strconv.FormatInt(n, 10) }
	return strings.NewReplacer(append(more, "$id", a.id, "$model", quote(q.model), "$text", quote(a.text), "$why", quote(thoughts),
		"$in", n(a.input), "$out", n(a.output+a.thought), "$seen", n(a.output), "$total", n(a.input+a.output+a.thought), "$thought", n(a.thought))...).Replace(text)
}

// items are what an answer is made of, in the words of a format: the reasoning, shown or hidden, a text
// and a call.
func items(q *question, a *said, shown, hidden, text, call string) string {
	if !q.shows {
		shown = hidden
	}
	var list []string
	if a.thought > 0 && shown != "" {
		list = append(list, fill(shown, q, a))
	}
	if a.text != "" {
		list = append(list, fill(text, q, a))
	}
	if a.call != nil {
		list = append(list, fillCall(call, q, a))
	}
	return strings.Join(list, ",")
}

// quote is a text in JSON.
func quote(s string) string { return string(compact.Must(s)) }

// script returns a streamed answer: a line for each event, with its name and its data. A line
// behind ? is there where thoughts are, behind ! where a text is; behind + and * it is there for
// each piece of the thoughts and of the text. $n counts the events, and $at is the place of the
// text among what is answered. A new event is a line here, so the order of a stream is read off the
// text.
func script(lines string, q *question, a *said, why bool, more ...string) []event {
	const each = 24 // characters
	at := "0"
	if why {
		at = "1"
	}
	more = append(more, "$at", at)
	var list []event
	for line := range strings.Lines(lines) {
		pieces := []string{""}
		switch line[0] {
		case '?':
			if !why {
				pieces = nil
			}
		case '!':
			pieces = pieces[:min(1, len(a.text))]
		case '+', '*':
			pieces = nil
			r := []rune(a.text)
			if line[0] == '+' {
				if r = nil; why && q.shows {
					r = []rune(thoughts)
				}
			}
			for ; len(r) > 0; r = r[min(each, len(r)):] {
				pieces = append(pieces, string(r[:min(each, len(r))]))
			}
		}
		name, data, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "?!+*")), " ")
		for _, p := range pieces {
			text := fill(data, q, a, append(more, "$piece", quote(p), "$n", strconv.Itoa(len(list)))...)
			list = append(list, event{strings.TrimSuffix(name, "-"), text})
		}
	}
	return list
}

// strict reads a body, and gives the first field that is neither of v nor in others, which
// the providers take and a baseline has no use for.
func strict(body []byte, v any, others string) (unknown string, err error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return "", err
	}
	for _, name := range strings.Fields(others) {
		delete(all, name)
	}
	d := json.NewDecoder(bytes.NewReader(compact.Must(all)))
	d.DisallowUnknownFields()
	if err = d.Decode(v); err == nil {
		return "", nil
	}
	if _, name, found := strings.Cut(err.Error(), "unknown field "); found {
		return strings.Trim(name, `"`), nil
	}
	return "", err
}

// texts is a string or a list of parts with text.
type texts string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(t))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type != "text" && p.Type != "input_text" && p.Type != "output_text" {
			return fmt.Errorf("a part of type %q: only text is understood here", p.Type)
		}
		*t += texts(p.Text)
	}
	return nil
}

// stops is a string or a list of strings.
type stops []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *stops) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*s = make(stops, 1)
		return json.Unmarshal(b, &(*s)[0])
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// seedOf is the seed of a request; one that is out of range is as good as none.
func seedOf(p *int64) int {
	if p == nil || *p < 0 || *p > 1<<30 {
		return 0
	}
	return int(*p)
}

// message is a turn of a conversation, in either format of OpenAI.
type message struct {
	Role    string `json:"role"`
	Content texts  `json:"content"`
	Calls   []struct {
		ID, Type string
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
	Refusal    string `json:"refusal"`
	Reasoning  string `json:"reasoning_content"`
	// Of the Responses API.
	Type, ID, Status, Name, Arguments, Output string
	CallID                                    string `json:"call_id"`
	Summary                                   []any  `json:"summary"`
}

// openAI is the format of chat completions.
type openAI struct{}

func (openAI) authorize(r *http.Request, key string) *problem {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return &problem{http.StatusUnauthorized, "invalid_request_error", "", "You didn't provide an API key.", ""}
	}
	if given != key {
		// As the real one does, which shows the ends of the key.
		return &problem{http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: " + given + ".", ""}
	}
	return nil
}

// openAIOthers lists the members of chat completions that are accepted here without effect.
const openAIOthers = "audio frequency_penalty function_call functions logit_bias logprobs metadata modalities moderation parallel_tool_calls prediction presence_penalty " +
	"prompt_cache_key prompt_cache_options prompt_cache_retention response_format safety_identifier service_tier store top_logprobs user verbosity web_search_options"

// parse reads a request of Chat Completions.
func (openAI) parse(_ http.Header, _ string, body []byte) (*question, *problem) {
	var b struct {
		Model               string    `json:"model"`
		Messages            []message `json:"messages"`
		MaxTokens           *int      `json:"max_tokens"`
		MaxCompletionTokens *int      `json:"max_completion_tokens"`
		Temperature         *float64  `json:"temperature"`
		TopP                *float64  `json:"top_p"`
		Seed                *int64    `json:"seed"`
		Stop                stops     `json:"stop"`
		ReasoningEffort     *string   `json:"reasoning_effort"`
		N                   *int      `json:"n"`
		Stream              bool      `json:"stream"`
		StreamOptions       *struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Tools      []json.RawMessage `json:"tools"`
		ToolChoice json.RawMessage   `json:"tool_choice"`
	}
	if p := openAIRead(body, &b, openAIOthers); p != nil {
		return nil, p
	}
	q := &question{model: b.Model, seed: seedOf(b.Seed), stream: b.Stream, usage: b.StreamOptions != nil && b.StreamOptions.Usage, n: 1}
	switch {
	case b.StreamOptions != nil && !b.Stream:
		return nil, openAIBad("", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case b.MaxTokens != nil && openAIThinks(b.Model):
		return nil, openAIBad("unsupported_parameter", "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case b.MaxTokens != nil && b.MaxCompletionTokens != nil:
		return nil, openAIBad("invalid_parameter_combination", "max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case len(b.Stop) > 0 && openAIThinks(b.Model):
		return nil, openAIBad("unsupported_parameter", "stop", "Unsupported parameter: 'stop' is not supported with this model.")
	case len(b.Stop) > 4:
		return nil, openAIBad("array_above_max_length", "stop", "Invalid 'stop': array too long. Expected at most 4.")
	case b.N != nil && (*b.N < 1 || *b.N > 128):
		return nil, openAIBad("integer_out_of_range", "n", "Invalid 'n': expected 1 to 128.")
	case len(b.Messages) == 0:
		return nil, openAIBad("empty_array", "messages", "Invalid 'messages': empty array.")
	}
	if b.N != nil {
		q.n = *b.N
	}
	if b.MaxTokens != nil {
		b.MaxCompletionTokens = b.MaxTokens
	}
	q.talk.openAI(b.Tools, b.ToolChoice, b.Messages)
	return q, openAIFill(q, b.Messages, b.MaxCompletionTokens, b.Temperature, b.ReasoningEffort)
}

// openAIBad is a refusal of a request.
func openAIBad(code, param, message string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "invalid_request_error", code, fmt.Sprintf(message, args...), param}
}

// openAIRead reads a body, and refuses a member that the provider does not know.
func openAIRead(body []byte, v any, others string) *problem {
	switch name, err := strict(body, v, others); {
	case name != "":
		return openAIBad("unknown_parameter", name, "Unknown parameter: '%s'.", name)
	case err != nil:
		return openAIBad("", "", "We could not parse the JSON body of your request: %v", err)
	}
	return nil
}

// openAIThinks reports whether a model reasons, and so takes other parameters.
func openAIThinks(name string) bool {
	return openAIReasons().MatchString(name) && !strings.Contains(name, "-chat")
}

// openAIFill fills a question with what the two formats of OpenAI have in common.
func openAIFill(q *question, list []message, most *int, temperature *float64, effort *string) *problem {
	reasons := openAIThinks(q.model)
	q.thinks = reasons
	if effort != nil {
		q.thinks = *effort != "none"
	}
	switch {
	case q.model == "":
		return openAIBad("", "model", "you must provide a model parameter")
	case !exists("openai", q.model):
		return &problem{http.StatusNotFound, "invalid_request_error", "model_not_found", fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", q.model), "model"}
	case reasons && temperature != nil && *temperature != 1 && (effort == nil || *effort != "none"):
		return openAIBad("unsupported_value", "temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *temperature)
	case temperature != nil && (*temperature < 0 || *temperature > 2):
		return openAIBad("decimal_above_max_value", "temperature", "Invalid 'temperature': expected a value between 0 and 2.")
	case effort != nil && strings.HasPrefix(q.model, "gpt-4"):
		return openAIBad("unknown_parameter", "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
	}
	for i, m := range list {
		switch m.Role {
		case "system", "developer":
			q.system = string(m.Content)
		case "user":
			q.user = string(m.Content)
		case "assistant", "tool":
		default:
			if m.Type == "function_call" || m.Type == "function_call_output" || m.Type == "reasoning" {
				continue
			}
			return openAIBad("invalid_value", fmt.Sprintf("messages[%d].role", i), "Invalid value: '%s'.", m.Role)
		}
	}
	if most != nil {
		if q.maxTokens = *most; q.maxTokens < 1 {
			return openAIBad("integer_below_min_value", "max_completion_tokens", "Invalid budget: expected a value >= 1.")
		}
	}
	return q.talk.bad()
}

// Reasoning is part of the completion, and is not shown.
const openAIUsage = `{"prompt_tokens":$in,"completion_tokens":$out,"total_tokens":$total,"completion_tokens_details":{"reasoning_tokens":$thought},"prompt_tokens_details":{"cached_tokens":0}}`

func (openAI) reply(q *question, a *said) string {
	var choices []string
	if a.call != nil {
		choices = []string{fillCall(`{"index":0,"finish_reason":"tool_calls","logprobs":null,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[`+openAICall+`]}}`, q, a)}
		q.n = 0
	}
	for i := range q.n {
		choices = append(choices, fill(`{"index":$i,"finish_reason":"$end","logprobs":null,"message":{"role":"assistant","content":$text,"refusal":null}}`, q, a, "$i", strconv.Itoa(i), "$end", a.end("stop", "length")))
	}
	return fill(`{"id":"chatcmpl-$id","object":"chat.completion","created":0,"model":$model,"service_tier":"default","choices":[$choices],"usage":`+openAIUsage+`}`, q, a, "$choices", strings.Join(choices, ","))
}

const (
	openAIChunk  = `{"id":"chatcmpl-$id","object":"chat.completion.chunk","created":0,"model":$model,"usage":null,"choices":[{"index":$i,"logprobs":null,`
	openAIChunks = "- " + openAIChunk + `"delta":{"role":"assistant","content":""},"finish_reason":null}]}
*- ` + openAIChunk + `"delta":{"content":$piece},"finish_reason":null}]}
- ` + openAIChunk + `"delta":{},"finish_reason":"$end"}]}
`
)

// openAICalls is a call in pieces: a first one, and its arguments.
const openAICalls = "- " + openAIChunk + `"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":$call,"type":"function","function":{"name":$tool,"arguments":""}}]},"finish_reason":null}]}
*- ` + openAIChunk + `"delta":{"tool_calls":[{"index":0,"function":{"arguments":$piece}}]},"finish_reason":null}]}
- ` + openAIChunk + `"delta":{},"finish_reason":"tool_calls"}]}
`

func (openAI) stream(q *question, a *said) []event {
	var list []event
	if a.call != nil {
		args := *a
		args.text = a.call.Args
		list = script(fillCall(openAICalls, q, a), q, &args, false, "$i", "0")
		q.n = 0
	}
	for i := range q.n {
		list = append(list, script(openAIChunks, q, a, false, "$i", strconv.Itoa(i), "$end", a.end("stop", "length"))...)
	}
	end := "- [DONE]"
	if q.usage {
		end = `- {"id":"chatcmpl-$id","object":"chat.completion.chunk","created":0,"model":$model,"choices":[],"usage":` + openAIUsage + "}\n" + end
	}
	return append(list, script(end, q, a, false)...)
}

func (openAI) problem(p *problem) string {
	null := func(s string) string {
		if s == "" {
			return "null"
		}
		return quote(s)
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":%s,"code":%s}}`, quote(p.message), quote(p.kind), null(p.param), null(p.code))
}

func (openAI) models() (provider, list, item string) {
	return "openai", `{"object":"list","data":[$items]}`, `{"id":"$id","object":"model","created":0,"owned_by":"fake"}`
}

func (openAI) count() string { return "" }

// responses is the Responses API.
type responses struct{ openAI }

const responsesOthers = "access_programs background background_options context_management conversation image include max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt " +
	"prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store stream_options text top_logprobs truncation user"

// parse reads a request of the Responses API.
func (responses) parse(_ http.Header, _ string, body []byte) (*question, *problem) {
	var b struct {
		Model        string          `json:"model"`
		Input        json.RawMessage `json:"input"`
		Instructions string          `json:"instructions"`
		MaxTokens    *int            `json:"max_output_tokens"`
		Temperature  *float64        `json:"temperature"`
		TopP         *float64        `json:"top_p"`
		Reasoning    struct {
			Effort  *string `json:"effort"`
			Summary string  `json:"summary"`
			Context string  `json:"context"`
			Mode    string  `json:"mode"`
		} `json:"reasoning"`
		Stream     bool              `json:"stream"`
		Tools      []json.RawMessage `json:"tools"`
		ToolChoice json.RawMessage   `json:"tool_choice"`
	}
	if p := openAIRead(body, &b, responsesOthers); p != nil {
		return nil, p
	}
	q := &question{model: b.Model, system: b.Instructions, stream: b.Stream, shows: b.Reasoning.Summary != ""}
	list := []message{{Role: "user"}}
	if json.Unmarshal(b.Input, (*string)(&list[0].Content)) != nil {
		if err := json.Unmarshal(b.Input, &list); err != nil {
			return nil, openAIBad("invalid_type", "input", "Invalid type for 'input': %v.", err)
		}
	}
	q.talk.openAI(b.Tools, b.ToolChoice, list)
	return q, openAIFill(q, list, b.MaxTokens, b.Temperature, b.Reasoning.Effort)
}

const (
	responseReason  = `{"type":"reasoning","id":"rs_$id","summary":[{"type":"summary_text","text":$why}]}`
	responsePart    = `{"type":"output_text","text":$text,"annotations":[],"logprobs":[]}`
	responseMessage = `{"type":"message","id":"msg_$id","status":"completed","role":"assistant","content":[` + responsePart + `]}`
	responseBody    = `{"id":"resp_$id","object":"response","created_at":0,"model":$model,"status":"$end","error":null,"incomplete_details":$short,"output":[$items],` +
		`"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":$usage}`
	responseUsage = `{"input_tokens":$in,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":$out,"output_tokens_details":{"reasoning_tokens":$thought},"total_tokens":$total}`
)

func (responses) reply(q *question, a *said) string {
	short := "null"
	if a.cut {
		short = `{"reason":"max_output_tokens"}`
	}
	return fill(responseBody, q, a, "$items", items(q, a, responseReason, "", responseMessage, responsesCall), "$usage", fill(responseUsage, q, a), "$short", short, "$end", a.end("completed", "incomplete"))
}

const responsesStream = `response.created {"type":"response.created","sequence_number":$n,"response":$begun}
response.in_progress {"type":"response.in_progress","sequence_number":$n,"response":$begun}
?response.output_item.added {"type":"response.output_item.added","sequence_number":$n,"output_index":0,"item":{"type":"reasoning","id":"rs_$id","summary":[]}}
?response.output_item.done {"type":"response.output_item.done","sequence_number":$n,"output_index":0,"item":` + responseReason + `}
!response.output_item.added {"type":"response.output_item.added","sequence_number":$n,"output_index":$at,"item":{"type":"message","id":"msg_$id","status":"in_progress","role":"assistant","content":[]}}
!response.content_part.added {"type":"response.content_part.added","sequence_number":$n,"item_id":"msg_$id","output_index":$at,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}
*response.output_text.delta {"type":"response.output_text.delta","sequence_number":$n,"item_id":"msg_$id","output_index":$at,"content_index":0,"logprobs":[],"delta":$piece}
!response.output_text.done {"type":"response.output_text.done","sequence_number":$n,"item_id":"msg_$id","output_index":$at,"content_index":0,"logprobs":[],"text":$text}
!response.content_part.done {"type":"response.content_part.done","sequence_number":$n,"item_id":"msg_$id","output_index":$at,"content_index":0,"part":` + responsePart + `}
!response.output_item.done {"type":"response.output_item.done","sequence_number":$n,"output_index":$at,"item":` + responseMessage + `}
response.$end {"type":"response.$end","sequence_number":$n,"response":$whole}
`

func (f responses) stream(q *question, a *said) []event {
	begun := fill(responseBody, q, a, "$items", "", "$usage", "null", "$short", "null", "$end", "in_progress")
	end := a.end("completed", "incomplete")
	return script(strings.Replace(responsesStream, "$end", end, 1), q, a, a.thought > 0 && q.shows, "$begun", begun, "$whole", f.reply(q, a), "$end", end)
}

// anthropic is the format of the Messages API.
type anthropic struct{}

// anthropicOthers lists the members of Messages that are accepted here without effect.
const anthropicOthers = "cache_control container diagnostics inference_geo metadata service_tier speed top_k"

// anthropicNew is the version of the API from which on there is no temperature.
const anthropicNew = "2026-10-21"

func (anthropic) authorize(r *http.Request, key string) *problem {
	if r.Header.Get("X-Api-Key") != key && strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") != key {
		return &problem{http.StatusUnauthorized, "authentication_error", "", "invalid x-api-key", ""}
	}
	return nil
}

// anthropicBad is a request that the API refuses as such.
func anthropicBad(message string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "invalid_request_error", "", fmt.Sprintf(message, args...), ""}
}

// parse reads a request of the Messages API, or of its count of tokens, which sets no limit of an
// answer. What it refuses, and in which words, is what the API does for the model: the newest take
// no temperature and think without a budget.
func (anthropic) parse(h http.Header, name string, body []byte) (*question, *problem) {
	var b struct {
		Model     string `json:"model"`
		MaxTokens *int   `json:"max_tokens"`
		System    texts  `json:"system"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content anthropicBlocks `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		ToolChoice    struct{ Type string } `json:"tool_choice"`
		Temperature   *float64              `json:"temperature"`
		TopP          *float64              `json:"top_p"`
		StopSequences []string              `json:"stop_sequences"`
		Stream        bool                  `json:"stream"`
		Thinking      *struct {
			Type         string `json:"type"`
			BudgetTokens *int   `json:"budget_tokens"`
			Display      string `json:"display"`
		} `json:"thinking"`
		OutputConfig *struct {
			Effort string          `json:"effort"`
			Format json.RawMessage `json:"format"`
		} `json:"output_config"`
	}
	version := h.Get("Anthropic-Version")
	switch name, err := strict(body, &b, anthropicOthers); {
	case version == "":
		return nil, anthropicBad("anthropic-version: header is required")
	case version != "2023-06-01" && version != anthropicNew:
		return nil, anthropicBad("anthropic-version: %q is not a valid version", version)
	case name != "":
		return nil, anthropicBad("%s: Extra inputs are not permitted", name)
	case err != nil:
		return nil, anthropicBad("The request body is not valid JSON: %v", err)
	case version == anthropicNew && (b.Temperature != nil || b.TopP != nil):
		return nil, anthropicBad("temperature: Extra inputs are not permitted")
	}
	if name == "count" {
		b.MaxTokens = new(1)
	}
	newest := anthropicNoTemp().MatchString(b.Model)
	thinks := b.Thinking != nil && b.Thinking.Type != "disabled"
	switch {
	case b.Model == "":
		return nil, anthropicBad("model: Field required")
	case !exists("anthropic", b.Model):
		return nil, &problem{http.StatusNotFound, "not_found_error", "", "model: " + b.Model, ""}
	case b.MaxTokens == nil:
		return nil, anthropicBad("max_tokens: Field required")
	case *b.MaxTokens < 1:
		return nil, anthropicBad("max_tokens: Input should be greater than or equal to 1")
	case len(b.Messages) == 0:
		return nil, anthropicBad("messages: at least one message is required")
	case b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 1):
		return nil, anthropicBad("temperature: range: 0..1")
	case newest && (b.Temperature != nil || b.TopP != nil):
		return nil, anthropicBad("`temperature` is not supported for this model.")
	case thinks && (b.Temperature != nil && *b.Temperature != 1 || b.TopP != nil):
		return nil, anthropicBad("`temperature` may only be set to 1 when thinking is enabled.")
	case thinks && newest && b.Thinking.Type == "enabled":
		return nil, anthropicBad(`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
	case thinks && b.Thinking.Type == "enabled" && (b.Thinking.BudgetTokens == nil || *b.Thinking.BudgetTokens < 1024):
		return nil, anthropicBad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case thinks && b.Thinking.Type == "enabled" && *b.Thinking.BudgetTokens >= *b.MaxTokens:
		return nil, anthropicBad("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	q := &question{model: b.Model, system: string(b.System), maxTokens: *b.MaxTokens, thinks: thinks, stream: b.Stream, shows: thinks && b.Thinking.Display != "omitted"}
	q.talk.final = b.ToolChoice.Type == "none"
	for _, t := range b.Tools {
		q.talk.tool(t.Name, t.Schema)
	}
	for i, m := range b.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return nil, anthropicBad("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		calls := false
		for _, x := range m.Content {
			switch x.Type {
			case "tool_use":
				q.talk.call(!calls, x.ID, x.Name, string(x.Input))
				calls = true
			case "tool_result":
				q.talk.result(x.Call, string(x.Content), x.Failed)
			case "text":
				if m.Role == "user" {
					q.user = x.Text
				}
			case "thinking":
				if x.Signature == "" {
					return nil, anthropicBad("messages.%d.content: thinking: signature: Field required", i)
				}
			default:
				return nil, anthropicBad("messages.%d.content: a block of type %q is not understood here", i, x.Type)
			}
		}
	}
	if p := q.talk.bad(); p != nil {
		return nil, anthropicBad("messages: %s", p.message)
	}
	return q, nil
}

// anthropicBlocks is the content of a message: blocks, or a string in place of one of text.
type anthropicBlocks []struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Call      string          `json:"tool_use_id"`
	Content   texts           `json:"content"`
	Failed    bool            `json:"is_error"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *anthropicBlocks) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		b = []byte(`[{"type":"text","text":` + string(b) + `}]`)
	}
	type plain anthropicBlocks
	return json.Unmarshal(b, (*plain)(t))
}

const (
	anthropicBody = `{"id":"msg_$id","type":"message","role":"assistant","model":$model,"stop_reason":$end,"stop_sequence":null,"content":[$items],` +
		`"usage":{"input_tokens":$in,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":$out,"service_tier":"standard"$details}}`
	anthropicDetails = `,"output_tokens_details":{"thinking_tokens":$thought}`
)

func (anthropic) details(q *question, a *said) string {
	if a.thought == 0 {
		return ""
	}
	return fill(anthropicDetails, q, a)
}

func (f anthropic) reply(q *question, a *said) string {
	// Thoughts that are not to be shown are still there.
	blocks := items(q, a, `{"type":"thinking","thinking":$why,"signature":"c2lnbmVk"}`, `{"type":"thinking","thinking":"","signature":"c2lnbmVk"}`, `{"type":"text","text":$text}`, anthropicCall)
	return fill(anthropicBody, q, a, "$items", blocks, "$details", f.details(q, a), "$end", quote(f.end(a)))
}

func (anthropic) end(a *said) string {
	if a.call != nil {
		return "tool_use"
	}
	return a.end("end_turn", "max_tokens")
}

// anthropicCalls is the call in a stream, in place of the text.
const anthropicCalls = `content_block_start {"type":"content_block_start","index":$at,"content_block":{"type":"tool_use","id":$call,"name":$tool,"input":{}}}
*content_block_delta {"type":"content_block_delta","index":$at,"delta":{"type":"input_json_delta","partial_json":$piece}}
content_block_stop {"type":"content_block_stop","index":$at}
message_delta`

const anthropicStream = `message_start {"type":"message_start","message":$begun}
?content_block_start {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
+content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":$piece}}
?content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}}
?content_block_stop {"type":"content_block_stop","index":0}
!content_block_start {"type":"content_block_start","index":$at,"content_block":{"type":"text","text":""}}
*content_block_delta {"type":"content_block_delta","index":$at,"delta":{"type":"text_delta","text":$piece}}
!content_block_stop {"type":"content_block_stop","index":$at}
message_delta {"type":"message_delta","delta":{"stop_reason":$end,"stop_sequence":null},"usage":{"output_tokens":$out$details}}
message_stop {"type":"message_stop"}
`

func (f anthropic) stream(q *question, a *said) []event {
	begun := fill(anthropicBody, q, a, "$items", "", "$details", "", "$end", "null", "$out", "1")
	lines, of := anthropicStream, *a
	if a.call != nil {
		head, tail, _ := strings.Cut(lines, "!")
		_, tail, _ = strings.Cut(tail, "\nmessage_delta")
		lines, of.text = head+fillCall(anthropicCalls, q, a)+tail, a.call.Args
	}
	return script(lines, q, &of, a.thought > 0, "$begun", begun, "$details", f.details(q, a), "$end", quote(f.end(a)))
}

func (anthropic) models() (provider, list, item string) {
	return "anthropic", `{"data":[$items],"has_more":false,"first_id":"$first","last_id":"$last"}`,
		`{"type":"model","id":"$id","display_name":"$id","created_at":"1970-01-01T00:00:00Z","lifecycle":"active"}`
}

func (anthropic) count() string { return `{"input_tokens":$in}` }

func (anthropic) problem(p *problem) string {
	details := ""
	if p.code != "" {
		details = `,"details":{"error_code":` + quote(p.code) + "}"
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s%s},"request_id":"req_fake"}`, quote(p.kind), quote(p.message), details)
}

type gemini struct{}

// camel puts the names in a body in the way of proto3: they may be in snake case as well.
func camel(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			parts := strings.Split(name, "_")
			for i := 1; i < len(parts); i++ {
				if p := parts[i]; p != "" {
					parts[i] = strings.ToUpper(p[:1]) + p[1:]
				}
			}
			out[strings.Join(parts, "")] = camel(x)
		}
		return out
	case []any:
		for i := range v {
			v[i] = camel(v[i])
		}
	}
	return v
}

// What generateContent takes, and has no effect here.
const geminiOthers = "cachedContent labels model safetySettings serviceTier store"

func (gemini) authorize(r *http.Request, key string) *problem {
	if r.Header.Get("X-Goog-Api-Key") != key && r.URL.Query().Get("key") != key {
		return &problem{http.StatusBadRequest, "INVALID_ARGUMENT", "API_KEY_INVALID", "API key not valid. Please pass a valid API key.", ""}
	}
	return nil
}

// geminiBad is a request that the API refuses as such.
func geminiBad(message string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "INVALID_ARGUMENT", "", fmt.Sprintf(message, args...), ""}
}

// parse reads a request of generateContent, in which a name may be written in camel or in snake
// case. The first call of a turn has a signature that has to come back with it; a request without
// is refused.
func (gemini) parse(_ http.Header, name string, body []byte) (*question, *problem) {
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text    string `json:"text"`
			Thought bool   `json:"thought"`
			Call    *struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"functionCall"`
			Signature string `json:"thoughtSignature"`
			Result    *struct {
				ID       string            `json:"id"`
				Name     string            `json:"name"`
				Response map[string]string `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	}
	var b struct {
		SystemInstruction *content  `json:"systemInstruction"`
		Contents          []content `json:"contents"`
		Tools             []struct {
			Functions []struct {
				Name, Description  string
				Parameters, Schema json.RawMessage
				JSONSchema         json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		ToolConfig struct {
			Calling struct{ Mode string } `json:"functionCallingConfig"`
		} `json:"toolConfig"`
		GenerationConfig struct {
			Temperature     *float64 `json:"temperature"`
			TopP            *float64 `json:"topP"`
			MaxOutputTokens *int     `json:"maxOutputTokens"`
			StopSequences   []string `json:"stopSequences"`
			Seed            *int64   `json:"seed"`
			CandidateCount  *int     `json:"candidateCount"`
			ThinkingConfig  *struct {
				IncludeThoughts bool    `json:"includeThoughts"`
				ThinkingBudget  *int    `json:"thinkingBudget"`
				ThinkingLevel   *string `json:"thinkingLevel"`
			} `json:"thinkingConfig"`
			TopK, ResponseMimeType, ResponseSchema, ResponseJSONSchema, ResponseModalities, ResponseFormat any // no effect here
			PresencePenalty, FrequencyPenalty, ResponseLogprobs, Logprobs, MediaResolution                 any
		} `json:"generationConfig"`
	}
	if !exists("gemini", name) {
		return nil, &problem{http.StatusNotFound, "NOT_FOUND", "", fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for generateContent.", name), ""}
	}
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, geminiBad("Invalid JSON payload received. %v", err)
	}
	switch field, err := strict(compact.Must(camel(tree)), &b, geminiOthers); {
	case field != "":
		return nil, geminiBad("Invalid JSON payload received. Unknown name %q: Cannot find field.", field)
	case err != nil:
		return nil, geminiBad("Invalid JSON payload received. %v", err)
	}
	c, t := &b.GenerationConfig, b.GenerationConfig.ThinkingConfig
	q := &question{model: name, seed: seedOf(c.Seed), thinks: geminiLevels().MatchString(name), n: 1}
	switch {
	case len(b.Contents) == 0:
		return nil, geminiBad("* GenerateContentRequest.contents: contents is not specified")
	case c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 2):
		return nil, geminiBad("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].")
	case len(c.StopSequences) > 5:
		return nil, geminiBad("The number of stop sequences must be no more than 5.")
	case c.CandidateCount != nil && (*c.CandidateCount < 1 || *c.CandidateCount > 8):
		return nil, geminiBad("* GenerateContentRequest.generation_config.candidate_count: candidate_count must be in the range [1, 8].")
	case c.MaxOutputTokens != nil && *c.MaxOutputTokens < 1:
		return nil, geminiBad("max_output_tokens must be positive")
	case t == nil:
	case t.ThinkingBudget != nil && t.ThinkingLevel != nil:
		return nil, geminiBad("You can only set one of thinking budget and thinking level.")
	case t.ThinkingLevel != nil && strings.HasPrefix(name, "gemini-") && !q.thinks:
		return nil, geminiBad("Thinking level is not supported for this model.")
	case t.ThinkingBudget != nil && *t.ThinkingBudget == 0 && strings.Contains(name, "-pro"):
		return nil, geminiBad("Budget 0 is invalid. This model only works in thinking mode.")
	default:
		q.thinks = t.IncludeThoughts || t.ThinkingLevel != nil || t.ThinkingBudget != nil && *t.ThinkingBudget != 0
		q.shows = t.IncludeThoughts
	}
	if c.CandidateCount != nil {
		q.n = *c.CandidateCount
	}
	if c.MaxOutputTokens != nil {
		q.maxTokens = *c.MaxOutputTokens
	}
	q.talk.final = b.ToolConfig.Calling.Mode == "NONE"
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			q.talk.tool(f.Name, f.JSONSchema)
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
			return nil, geminiBad("Please use a valid role: user, model.")
		}
		calls := false
		for _, p := range b.Contents[i].Parts {
			switch {
			case p.Call != nil:
				if !calls && p.Signature == "" {
					return nil, geminiBad("Function call is missing a thought_signature in functionCall parts.")
				}
				q.talk.call(!calls, p.Call.ID, p.Call.Name, string(p.Call.Args))
				calls = true
			case p.Result != nil:
				message, failed := p.Result.Response["error"]
				q.talk.result(p.Result.ID, message+p.Result.Response["output"], failed)
			case b.Contents[i].Role != "model":
				q.user = text(&b.Contents[i])
			}
		}
	}
	if p := q.talk.bad(); p != nil {
		return nil, geminiBad("%s", p.message)
	}
	return q, nil
}

// Thoughts are not part of the candidates, and are shown when asked for.
const geminiBody = `{"candidates":[$items],"usageMetadata":{"promptTokenCount":$in,"candidatesTokenCount":$seen,"totalTokenCount":$total$thoughts},"modelVersion":$model,"responseId":"$id"}`

// body returns a reply, or a part of one that ends or does not.
func (gemini) body(q *question, a *said, parts, end string) string {
	details := ""
	if a.thought > 0 {
		details = fill(`,"thoughtsTokenCount":$thought`, q, a)
	}
	items := make([]string, q.n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"index":%d,%s"content":{"role":"model","parts":[%s]}}`, i, end, parts)
	}
	return fill(geminiBody, q, a, "$items", strings.Join(items, ","), "$thoughts", details)
}

func (f gemini) reply(q *question, a *said) string {
	return f.body(q, a, items(q, a, `{"text":$why,"thought":true}`, "", `{"text":$text}`, geminiCall), `"finishReason":"`+a.end("STOP", "MAX_TOKENS")+`",`)
}

func (f gemini) stream(q *question, a *said) []event {
	lines := "+- " + f.body(q, a, `{"text":$piece,"thought":true}`, "") + "\n*- " + f.body(q, a, `{"text":$piece}`, "") + "\n"
	if a.call != nil {
		lines += "- " + f.body(q, a, fillCall(geminiCall, q, a), "") + "\n"
	}
	lines += "- " + f.body(q, a, "", `"finishReason":"`+a.end("STOP", "MAX_TOKENS")+`",`)
	return script(lines, q, a, a.thought > 0)
}

func (gemini) models() (provider, list, item string) {
	return "gemini", `{"models":[$items]}`, `{"name":"models/$id","displayName":"$id","version":"1","supportedGenerationMethods":["generateContent","countTokens"]}`
}

func (gemini) count() string { return `{"totalTokens":$in}` }

func (gemini) problem(p *problem) string {
	details := ""
	if p.code != "" {
		details = `,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":` + quote(p.code) + `,"domain":"googleapis.com"}]`
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%s%s}}`, p.status, quote(p.message), quote(p.kind), details)
}
