package model

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ein/internal/compact"
	"ein/internal/lists"
)

// pieces puts a streamed answer together, in the form of one that was not streamed. So only one
// reader of answers is needed for each provider, and what it checks is checked of streams too.
type pieces interface {
	// add takes the data of one event. An error of type [*Error] is what the provider said; any
	// other is taken to mean that the event has not the form of the API.
	add(data []byte) error
	// whole is the answer; not ok, before the provider says that it ends.
	whole() (body any, ok bool)
}

// alive is a body that reports when data arrives.
type alive struct {
	io.ReadCloser
	came func()
}

// Read implements io.Reader.
func (a *alive) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	if n > 0 {
		a.came()
	}
	return n, err
}

// readStream makes a response of server-sent events. Of these only the lines of data count: in each
// of these APIs that is one line of JSON, which says all. The limit is that of a response in one
// piece.
func (c *client) readStream(r *received) (*Response, error) {
	p := c.service.wire.pieces()
	s := bufio.NewScanner(io.LimitReader(r.Body, MaxResponse+1))
	s.Buffer(make([]byte, 0, 64<<10), MaxResponse)
	n := 0
	for s.Scan() {
		line := s.Bytes()
		if n == 0 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // as the format of the stream allows
		}
		n += len(s.Bytes()) + 1
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 || string(data) == "[DONE]" {
			continue
		}
		data = hide(r.secrets, data)
		if status := inner(data); status != 0 {
			return nil, failure(c.service.wire, status, r.Header, data, r.now)
		}
		err := p.add(data)
		if e, ok := errors.AsType[*Error](err); ok {
			return nil, e
		}
		if err != nil {
			return nil, &Error{Class: Protocol, Status: r.StatusCode, Message: short(fmt.Sprintf("a piece of the stream is not in %s format: %v: %s", c.provider, err, preview(data))), Err: err}
		}
	}
	whole, ok := p.whole()
	switch {
	case n > MaxResponse:
		return nil, &Error{Class: Protocol, Status: r.StatusCode, Message: fmt.Sprintf("the response is longer than %d bytes", MaxResponse)}
	case s.Err() != nil:
		return nil, r.cut(fmt.Errorf("the stream was cut off after %d bytes: %w", n, s.Err()))
	case !ok:
		return nil, r.cut(fmt.Errorf("the stream was cut off after %d bytes", n))
	}
	return c.complete(r, compact.Must(whole))
}

func (openAI) streams() string { return `{"stream":true,"stream_options":{"include_usage":true}}` }

func (openAI) pieces() pieces { return &openAIPieces{} }

// openAIPieces gathers the parts of the first choice. Text, reasoning and refusal come in any order
// and are joined each on its own.
type openAIPieces struct {
	id, model, finish        string
	text, reasoning, refusal strings.Builder
	calls                    []map[string]any
	places                   map[int]int // of calls, by their index
	usage                    json.RawMessage
}

// call adds a piece of a call: the first piece has everything but the rest of its arguments. Servers
// that send each call whole may give all of them the same index.
func (p *openAIPieces) call(text json.RawMessage) error {
	var b struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Args openAIArguments `json:"arguments"`
		} `json:"function"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	at, begun := p.places[b.Index]
	if !begun || b.ID != "" && b.ID != p.calls[at]["id"] {
		var c map[string]any
		if err := json.Unmarshal(text, &c); err != nil {
			return err
		}
		delete(c, "index")
		lists.Put(&p.places, b.Index, len(p.calls))
		p.calls = append(p.calls, c)
		return nil
	}
	f, _ := p.calls[at]["function"].(map[string]any)
	if f == nil {
		return fmt.Errorf("call %d has no function", b.Index)
	}
	if b.Function.Args != "" {
		begun, _ := f["arguments"].(string)
		f["arguments"] = begun + string(b.Function.Args)
	}
	return nil
}

// add joins the pieces of the first choice, the one that reply reads.
func (p *openAIPieces) add(data []byte) error {
	var b struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Choices []struct {
			Index  int             `json:"index"`
			Delta  openAIReply     `json:"delta"`
			Finish string          `json:"finish_reason"`
			Error  json.RawMessage `json:"error"`
		} `json:"choices"`
		Error json.RawMessage `json:"error"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	p.id, p.model = cmp.Or(b.ID, p.id), cmp.Or(b.Model, p.model)
	for _, c := range b.Choices {
		if c.Index > 0 { // some extra body asks for several
			continue
		}
		p.text.WriteString(string(c.Delta.Content))
		p.refusal.WriteString(c.Delta.Refusal)
		for _, text := range c.Delta.Calls {
			if err := p.call(text); err != nil {
				return err
			}
		}
		if c.Delta.ReasoningContent != "" {
			p.reasoning.WriteString(c.Delta.ReasoningContent)
		} else {
			p.reasoning.WriteString(string(c.Delta.Reasoning))
		}
		if openAIBroken[c.Finish] {
			return broken(data, c.Error, b.Error)
		}
		if c.Finish != "" {
			p.finish = c.Finish
		}
	}
	if len(b.Usage) > 0 && string(b.Usage) != "null" {
		p.usage = bytes.Clone(b.Usage)
	}
	return nil
}

// whole is the body that the same answer would have had in one piece, and whether the stream has
// ended well.
func (p *openAIPieces) whole() (any, bool) {
	b := map[string]any{"id": p.id, "model": p.model, "choices": []any{map[string]any{"finish_reason": p.finish,
		"message": map[string]any{"content": p.text.String(), "reasoning_content": p.reasoning.String(), "refusal": p.refusal.String(), "tool_calls": p.calls}}}}
	if p.usage != nil {
		b["usage"] = p.usage
	}
	return b, p.finish != ""
}

// streams asks for a stream; this API counts tokens in it without being asked.
func (responses) streams() string { return `{"stream":true}` }

func (responses) pieces() pieces { return &responsesPieces{} }

// responsesPieces waits for the event that has the whole answer.
type responsesPieces struct{ body json.RawMessage }

// add waits for the event that ends the stream, which has the whole answer.
func (p *responsesPieces) add(data []byte) error {
	var b struct {
		Type     string          `json:"type"`
		Response json.RawMessage `json:"response"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	switch b.Type {
	case "response.completed", "response.incomplete", "response.failed":
		p.body = bytes.Clone(b.Response)
	case "error":
		return broken(data, data)
	}
	return nil
}

func (p *responsesPieces) whole() (any, bool) { return p.body, p.body != nil }

func (anthropic) streams() string { return `{"stream":true}` }

func (anthropic) pieces() pieces { return &anthropicPieces{} }

// anthropicPieces builds the message block by block.
type anthropicPieces struct {
	message struct {
		ID     string                     `json:"id"`
		Model  string                     `json:"model"`
		Blocks []map[string]any           `json:"content"`
		Stop   string                     `json:"stop_reason"`
		Usage  map[string]json.RawMessage `json:"usage"`
	}
	input []byte // of the last block
	ended bool
}

// add rebuilds the message block by block. A block ends before the next begins, so a piece
// belongs to the last.
func (p *anthropicPieces) add(data []byte) error {
	var b struct {
		Type    string          `json:"type"`
		Index   int             `json:"index"`
		Message json.RawMessage `json:"message"`
		Block   map[string]any  `json:"content_block"`
		Delta   struct {
			Text      string `json:"text"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
			Input     string `json:"partial_json"`
			Stop      string `json:"stop_reason"`
		} `json:"delta"`
		Usage map[string]json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	m := &p.message
	switch b.Type {
	case "message_start":
		err := json.Unmarshal(b.Message, m)
		m.Blocks, p.input = []map[string]any{}, nil // which follow
		return err
	case "content_block_start":
		if b.Block == nil {
			return errors.New("a block without content")
		}
		m.Blocks, p.input = append(m.Blocks, b.Block), nil
	case "content_block_delta":
		if b.Index < 0 || b.Index != len(m.Blocks)-1 {
			return fmt.Errorf("a piece of block %d, but there are only %d", b.Index, len(m.Blocks))
		}
		last := m.Blocks[b.Index]
		for name, piece := range map[string]string{"text": b.Delta.Text, "thinking": b.Delta.Thinking, "signature": b.Delta.Signature} {
			if piece != "" {
				begun, _ := last[name].(string)
				last[name] = begun + piece
			}
		}
		p.input = append(p.input, b.Delta.Input...)
	case "content_block_stop":
		if len(p.input) > 0 && len(m.Blocks) > 0 {
			var input any = json.RawMessage(p.input)
			if !json.Valid(p.input) { // cut off, or the model's mistake: the form that the API asks for
				input = map[string]string{"INVALID_JSON": string(p.input)}
			}
			m.Blocks[len(m.Blocks)-1]["input"] = input
		}
	case "message_delta":
		if b.Delta.Stop != "" {
			m.Stop = b.Delta.Stop
		}
		for name, v := range b.Usage {
			if string(v) != "null" {
				lists.Put(&m.Usage, name, v)
			}
		}
	case "message_stop":
		p.ended = true
	}
	return nil
}

func (p *anthropicPieces) whole() (any, bool) { return &p.message, p.ended }

// streams has nothing to ask for: the address of the request says that it is a stream.
func (gemini) streams() string { return "" }

func (gemini) pieces() pieces { return &geminiPieces{} }

// geminiPieces gathers the parts of the first candidate; last has the rest of the last chunk.
type geminiPieces struct {
	last   map[string]json.RawMessage
	parts  []json.RawMessage
	finish string
}

// add gathers the parts of the first candidate. Of everything else the last chunk counts.
func (p *geminiPieces) add(data []byte) error {
	var b struct {
		Candidates []struct {
			Content geminiSaid `json:"content"`
			Finish  string     `json:"finishReason"`
		} `json:"candidates"`
	}
	if err := errors.Join(json.Unmarshal(data, &b), json.Unmarshal(data, &p.last)); err != nil {
		return err
	}
	for _, c := range b.Candidates[:min(1, len(b.Candidates))] {
		p.parts = append(p.parts, c.Content.Parts...)
		if c.Finish != "" {
			p.finish = c.Finish
		}
	}
	return nil
}

// whole is the last chunk with all parts. A blocked prompt has no candidate and so no reason to
// finish.
func (p *geminiPieces) whole() (any, bool) {
	if p.last == nil {
		return nil, false
	}
	if _, blocked := p.last["promptFeedback"]; blocked && p.finish == "" {
		return p.last, true
	}
	p.last["candidates"] = compact.Must([]any{map[string]any{"finishReason": p.finish, "content": geminiSaid{"model", p.parts}}})
	return p.last, p.finish != ""
}
