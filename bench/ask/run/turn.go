package run

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"ein/bench/ask/model"
	"ein/bench/question/answer"
	"ein/internal/compact"
	"ein/internal/lists"
)

// Turn is what a model said before its reply, with the tools that it called.
type Turn struct {
	Text      string      `json:"text,omitempty"`
	Reasoning string      `json:"reasoning,omitempty"`
	Calls     []ToolCall  `json:"calls"`
	Usage     model.Usage `json:"usage"` // part of that of the reply
	Cost      float64     `json:"cost,omitempty"`
}

// ToolCall is a call of a tool with its result.
type ToolCall struct {
	Tool   string `json:"tool"`
	Args   string `json:"args"`
	Result string `json:"result"`
	Failed bool   `json:"failed,omitempty"`
}

// Dialogue summarises the turns before a reply.
type Dialogue struct {
	Turns int32 // that called tools
	// First is whether the first program failed, and Mended whether one that ran without
	// failing came after it.
	First, Mended bool
}

// dialogue summarises the turns of a reply.
func (r *Reply) dialogue() Dialogue {
	d := Dialogue{Turns: int32(len(r.Turns))}
	first := true
	for _, t := range r.Turns {
		for _, c := range t.Calls {
			d.First = d.First || first && c.Failed
			d.Mended = d.Mended || d.First && !c.Failed && c.Tool == "run"
			first = false
		}
	}
	return d
}

// Dialogue returns the dialogue before the reply, zero without one.
func (r *Row) Dialogue() Dialogue {
	if r.Reply == nil || len(r.Reply.Turns) == 0 {
		return r.dialogue
	}
	return r.Reply.dialogue()
}

// Said returns a hash of the answer that was understood, 0 if none was. How it is written does not
// count, nor how far the right one is rounded.
func (r *Row) Said() uint64 {
	if r.Score == nil || r.Score.Answer == nil {
		return r.said
	}
	return r.Score.said()
}

// said sets the lowest bit of the hash, so that 0 means no answer; the right one is that bit alone.
func (s *Score) said() uint64 {
	if s.In(answer.Relaxed) {
		return 1
	}
	text := []byte(s.Answer)
	var v any
	if json.Unmarshal(text, &v) == nil {
		if v == nil {
			return 0
		}
		if set, ok := v.([]any); ok {
			v = slices.Sorted(slices.Values(lists.Map(set, func(x any) string { return fmt.Sprint(x) })))
		}
		text = compact.Must(v)
	}
	if len(text) == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return h.Sum64() | 1
}
