package mcp

import (
	"bufio"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines reads the messages of an agent. It answers a line that is none, at which the SDK would end
// the conversation.
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
			if err := l.in.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		line := l.in.Bytes()
		code, wrong := wrongLine(line)
		switch {
		case code == 0:
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

// wrongLine returns what is wrong with a line, or 0.
func wrongLine(line []byte) (code int, wrong string) {
	var v jsontext.Value
	if err := json.Unmarshal(line, &v); err != nil {
		return jsonrpc.CodeParseError, "the line is not JSON: " + err.Error()
	}
	all := []jsontext.Value{v}
	if v.Kind() == '[' {
		_ = json.Unmarshal(line, &all) // which is an array
	}
	for _, m := range all {
		if _, err := jsonrpc.DecodeMessage(m); err != nil {
			return jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0"
		}
	}
	return 0, ""
}

// answers writes one line at a time.
type answers struct {
	io.WriteCloser
	mu sync.Mutex
}

func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.WriteCloser.Write(p)
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
