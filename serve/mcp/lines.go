package mcp

import (
	"bufio"
	"cmp"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines reads the messages of an agent. It answers a line that is none, at which the SDK would end
// the conversation, and has the end wait for the answers, which the SDK would drop.
type lines struct {
	io.Closer
	in   *bufio.Scanner
	out  *answers
	rest []byte
}

func newLines(in io.ReadCloser, out *answers) *lines {
	s := bufio.NewScanner(in)
	s.Buffer(nil, mcp.DefaultMaxLineLength)
	return &lines{Closer: in, in: s, out: out}
}

// Read returns lines that are messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if !l.in.Scan() {
			for start := time.Now(); l.out.owes() && time.Since(start) < lastAnswers; {
				time.Sleep(time.Millisecond)
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

// lastAnswers is how long the end waits: longer than a run may take by default.
const lastAnswers = 15 * time.Second

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
	mu  sync.Mutex
	due map[jsonrpc.ID]bool
}

func (a *answers) owe(all []jsonrpc.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range all {
		if q, ok := m.(*jsonrpc.Request); ok && q.IsCall() {
			a.due[q.ID] = true
		}
	}
}

func (a *answers) owes() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.due) > 0
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
