package mcp

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"sync"
	"time"

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
	in       *bufio.Scanner
	out      *answers
	patience time.Duration // with the answers at the end
	rest     []byte
}

func newLines(in io.ReadCloser, out *answers, patience time.Duration) *lines {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	return &lines{Closer: in, in: s, out: out, patience: patience}
}

// maxLine bounds a line, and so the data of a call, in bytes.
const maxLine = mcp.DefaultMaxLineLength

// Read returns lines that are messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if !l.in.Scan() {
			for l.out.owes(l.patience) {
				time.Sleep(time.Millisecond)
			}
			if errors.Is(l.in.Err(), bufio.ErrTooLong) {
				long := "a line has more than " + words.Bytes(maxLine)
				return 0, cmp.Or(l.out.refuse(jsonrpc.CodeInvalidRequest, long), errors.New(long))
			}
			return 0, cmp.Or(l.in.Err(), io.EOF)
		}
		line := l.in.Bytes()
		all, code, wrong := messages(line)
		switch {
		case code == 0:
			l.out.owe(all)
			l.rest = append(line, '\n')
		case len(line) > 0:
			if err := l.out.refuse(code, wrong); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
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
	for _, one := range all {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return nil, jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0"
		}
		out = append(out, m)
	}
	return out, 0, ""
}

// answers writes one line at a time, and knows the calls that have none yet.
type answers struct {
	io.WriteCloser
	mu   sync.Mutex
	due  map[jsonrpc.ID]bool
	last time.Time // when a message came or went
}

// owe notes the calls that are to be answered: those that the agent has not cancelled, and that do
// not last as long as the conversation.
func (a *answers) owe(all []jsonrpc.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = time.Now()
	for _, m := range all {
		q, ok := m.(*jsonrpc.Request)
		switch {
		case !ok:
		case q.Method == "notifications/cancelled":
			var call struct {
				ID any `json:"requestId"`
			}
			_ = json.Unmarshal(q.Params, &call) // the SDK says what is wrong with it
			if id, err := jsonrpc.MakeID(call.ID); err == nil {
				delete(a.due, id)
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
	return len(a.due) > 0 && time.Since(a.last) < patience
}

// Write writes a line.
func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.WriteCloser.Write(p)
	all, _, _ := messages(p)
	for _, m := range all {
		if r, ok := m.(*jsonrpc.Response); ok {
			delete(a.due, r.ID)
		}
	}
	a.last = time.Now()
	return n, err
}

// refuse answers a line that is no message, and so has no id.
func (a *answers) refuse(code int, wrong string) error {
	line, err := json.Marshal(struct {
		Version string        `json:"jsonrpc"`
		ID      *jsonrpc.ID   `json:"id"`
		Error   jsonrpc.Error `json:"error"`
	}{"2.0", nil, jsonrpc.Error{Code: int64(code), Message: wrong + "; an agent starts `ein mcp` and speaks the Model Context Protocol, a message a line"}})
	if err == nil {
		_, err = a.Write(append(line, '\n'))
	}
	return err
}
