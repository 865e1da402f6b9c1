package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ein/internal/words"
)

// lines reads the messages of an agent. It answers a line that is none, at which the SDK would end
// the conversation, and has the end wait for the answers, which the SDK would drop.
type lines struct {
	io.Closer
	in       *bufio.Reader
	out      *answers
	patience time.Duration // with the answers at the end
	rest     []byte
}

// maxLine bounds a line, and so the data of a call, in bytes.
const maxLine = mcp.DefaultMaxLineLength

// Read returns lines that are messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.line()
		if len(line) == 0 && err != nil {
			for l.out.owes(l.patience) {
				time.Sleep(time.Millisecond)
			}
			return 0, err
		}
		all, code, wrong := messages(line)
		if long {
			code, wrong = jsonrpc.CodeInvalidRequest, "a line has more than "+words.Bytes(maxLine)
		} else if code == 0 && line[0] == '[' && !l.out.batches {
			code, wrong = jsonrpc.CodeInvalidRequest, "a batch of messages, which this version of the protocol does not have"
		}
		if code == 0 {
			l.out.owe(all)
			if line[0] == '[' {
				line = apart(all)
			}
			l.rest = append(line, '\n')
		} else if len(line) > 0 {
			if err := l.out.refuse(idIn(line), code, wrong); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// kept is how much is kept of each end of a line that is too long, in bytes.
const kept = 1 << 10

// line returns the next line, or both ends of one that is too long.
func (l *lines) line() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			line, long = append(line[:kept], line[len(line)-kept:]...), true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// The id of a call stands before its parameters or behind them.
var (
	idBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*(\d+|"[^"\\]*")\s*,`)
	})
	idBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\}\s*,\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")\s*\}$`)
	})
)

// idIn is the id of a call that is no message, or of which both ends are known; nil if it is not there.
func idIn(line []byte) jsontext.Value {
	m := idBefore().FindSubmatch(line)
	if m == nil {
		m = idBehind().FindSubmatch(line[max(0, len(line)-kept):])
	}
	if m == nil {
		return nil
	}
	return m[1]
}

// messages returns the messages of a line, or what is wrong with it.
func messages(line []byte) (out []jsonrpc.Message, code int, wrong string) {
	var v jsontext.Value
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, jsonrpc.CodeParseError, "the line is not JSON: " + err.Error()
	}
	all := []jsontext.Value{v}
	if v.Kind() == '[' {
		_ = json.Unmarshal(line, &all) // which is an array
	}
	calls := map[jsonrpc.ID]bool{}
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return nil, jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0"
		}
		q, ok := m.(*jsonrpc.Request)
		if ok && q.IsCall() {
			if calls[q.ID] {
				return nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a batch with two calls of the id %v", q.ID.Raw())
			}
			calls[q.ID] = true
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, jsonrpc.CodeInvalidRequest, "a batch without a message"
	}
	return out, 0, ""
}

// apart returns the lines of a batch: notifications on their own, since the SDK waits for their
// answers within a batch, and then the rest.
func apart(all []jsonrpc.Message) []byte {
	var alone, rest [][]byte
	for _, m := range all {
		text, _ := jsonrpc.EncodeMessage(m) // it was read from JSON
		if q, ok := m.(*jsonrpc.Request); ok && !q.IsCall() {
			alone = append(alone, text)
		} else {
			rest = append(rest, text)
		}
	}
	if len(rest) > 0 {
		alone = append(alone, slices.Concat([]byte("["), bytes.Join(rest, []byte(",")), []byte("]")))
	}
	return bytes.Join(alone, []byte("\n"))
}

// answers writes one line at a time, and knows the calls that have none yet.
type answers struct {
	io.WriteCloser
	mu   sync.Mutex
	due  map[jsonrpc.ID]bool // false if the agent has cancelled it
	last time.Time           // when a message came or went

	batches bool // the version of the protocol has them
}

// owe notes the calls that are to be answered: those that the agent has not cancelled, and that do
// not last as long as the conversation.
func (a *answers) owe(all []jsonrpc.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = time.Now()
	for _, m := range all {
		q, ok := m.(*jsonrpc.Request)
		if ok && q.Method == "initialize" {
			var of struct {
				Version string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(q.Params, &of) // the SDK says what is wrong with it
			a.batches = of.Version == "2024-11-05" || of.Version == "2025-03-26"
		}
		switch {
		case !ok:
		case q.Method == "notifications/cancelled":
			var call struct {
				ID any `json:"requestId"`
			}
			_ = json.Unmarshal(q.Params, &call) // the SDK says what is wrong with it
			if id, err := jsonrpc.MakeID(call.ID); err == nil && a.due[id] {
				a.due[id] = false
			}
		case q.IsCall() && q.Method != "subscriptions/listen":
			a.due[q.ID] = true
		}
	}
}

// owes reports whether an answer may still come: nothing has come or gone for less than a time.
func (a *answers) owes(patience time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(a.due)), true) && time.Since(a.last) < patience
}

// Write writes a line, unless it answers a call that the agent has cancelled.
func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, _, _ := messages(p)
	unasked := false
	for _, m := range all {
		if r, ok := m.(*jsonrpc.Response); ok {
			due, known := a.due[r.ID]
			unasked = known && !due && len(all) == 1
			delete(a.due, r.ID)
		}
	}
	if unasked {
		return len(p), nil
	}
	defer func() { a.last = time.Now() }()
	return a.WriteCloser.Write(p)
}

// refuse answers a line that is no message. Its id is not always known.
func (a *answers) refuse(id jsontext.Value, code int, wrong string) error {
	_, err := a.Write(refusal(id, code, wrong+"; an agent starts `ein mcp` and speaks the Model Context Protocol, a message a line"))
	return err
}

// refusal is the line of an error.
func refusal(id jsontext.Value, code int, wrong string) []byte {
	if !id.IsValid() { // it stood in what is no JSON, as may what is wrong
		id = nil
	}
	wrong = strings.ToValidUTF8(wrong, string(utf8.RuneError))
	line, _ := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   jsonrpc.Error  `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: int64(code), Message: wrong}})
	return append(line, '\n')
}
