package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"ein/bench/ask/model"
)

// talk is the tools of a request and the calls so far, read of the messages of a format in
// their order. It is as strict as the providers: every call has its result, and behind it.
type talk struct {
	tools []model.Tool
	turns []model.Turn
	final bool
	odd   string // what is wrong
}

// tool declares one.
func (t *talk) tool(name string, schema json.RawMessage) {
	var object struct{ Type string }
	if name == "" || json.Unmarshal(schema, &object) != nil || object.Type != "object" {
		t.wrong("the tool %q needs a name and an object schema", name)
	}
	t.tools = append(t.tools, model.Tool{Name: name, Schema: schema})
}

func (t *talk) wrong(format string, args ...any) {
	if t.odd == "" {
		t.odd = fmt.Sprintf(format, args...)
	}
}

// call adds a call of the model. The calls of one message are a turn.
func (t *talk) call(first bool, id, name, args string) {
	if first {
		t.settled()
		t.turns = append(t.turns, model.Turn{})
	}
	if !slices.ContainsFunc(t.tools, func(x model.Tool) bool { return x.Name == name }) || !json.Valid([]byte(args)) {
		t.wrong("the call %s is for an unknown tool %q, or its arguments are not JSON", id, name)
	}
	last := &t.turns[len(t.turns)-1]
	last.Calls = append(last.Calls, model.Call{ID: id, Name: name, Args: args})
}

// result records what a tool said. In formats that cannot say that a call failed, such a text begins
// with the word error.
func (t *talk) result(id, text string, failed bool) {
	if len(t.turns) > 0 {
		last := &t.turns[len(t.turns)-1]
		if n := len(last.Results); n < len(last.Calls) && last.Calls[n].ID == id {
			last.Results = append(last.Results, model.Result{Text: text, Failed: failed || strings.HasPrefix(text, "error")})
			return
		}
	}
	t.wrong("the result %q belongs to no earlier call", id)
}

// settled holds the turns to have all their results.
func (t *talk) settled() {
	if n := len(t.turns); n > 0 && len(t.turns[n-1].Calls) != len(t.turns[n-1].Results) {
		t.wrong("a call has no result: %q", t.turns[n-1].Calls[len(t.turns[n-1].Results)].ID)
	}
}

// bad returns the problem with the calls and results of a request, if there is one.
func (t *talk) bad() *problem {
	if t.settled(); t.odd == "" {
		return nil
	}
	return &problem{http.StatusBadRequest, "invalid_request_error", "invalid_value", t.odd, "messages"}
}

type openAITool struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Function   *openAITool     `json:"function"` // of chat completions, in which it has the rest
}

// openAITalk reads the messages of either format of OpenAI.
func (t *talk) openAI(tools []json.RawMessage, choice json.RawMessage, list []message) {
	t.final = string(choice) == `"none"`
	for _, text := range tools {
		var x openAITool
		if err := json.Unmarshal(text, &x); err != nil {
			t.wrong("cannot read a tool: %v", err)
		}
		if x.Function != nil {
			x = *x.Function
		}
		t.tool(x.Name, x.Parameters)
	}
	calls := false
	for _, m := range list {
		switch {
		case m.Type == "function_call":
			t.call(!calls, m.CallID, m.Name, m.Arguments)
		case m.Type == "function_call_output":
			t.result(m.CallID, m.Output, false)
		case m.Role == "tool":
			t.result(m.ToolCallID, string(m.Content), false)
		}
		calls = m.Type == "function_call"
		for i, c := range m.Calls {
			t.call(i == 0, c.ID, c.Function.Name, c.Function.Arguments)
		}
	}
}

// Pieces of answers: the one call that a baseline makes, in a format.
const (
	openAICall    = `{"id":$call,"type":"function","function":{"name":$tool,"arguments":$args}}`
	responsesCall = `{"type":"function_call","id":"fc_$id","call_id":$call,"name":$tool,"arguments":$args,"status":"completed"}`
	anthropicCall = `{"type":"tool_use","id":$call,"name":$tool,"input":$object}`
	geminiCall    = `{"functionCall":{"id":$call,"name":$tool,"args":$object},"thoughtSignature":"c2lnbmVk"}`
)

// fillCall puts the call of an answer into a text.
func fillCall(text string, q *question, a *said) string {
	return fill(text, q, a, "$call", quote(a.call.ID), "$tool", quote(a.call.Name), "$args", quote(a.call.Args), "$object", a.call.Args)
}
