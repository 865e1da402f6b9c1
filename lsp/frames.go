package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"

	"ein/internal/compact"
)

const (
	maxHeaderLine = 8 << 10
	maxNesting    = 512 // of brackets in a message; those of the protocol need about 20
	shownBody     = 4 << 10
)

// frames is between the client's bytes and jsonrpc2, which ends the connection at the first message
// that it cannot read. frames passes on only whole, well-formed messages, answers others with an
// error, and finds the next header after a broken one. pump is the only reader of the connection,
// Read gives away what it has checked, and Write counts the answers: owed is how many requests
// still wait for one, which the end of the server waits for.
type frames struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader
	max  int
	log  *slog.Logger

	checked chan []byte // frames, header included, from pump to Read
	pending []byte      // what Read has not given away yet
	failed  error       // why pump ended; read once checked is closed

	once   sync.Once
	closed chan struct{}
	mu     sync.Mutex // one write at a time

	owed atomic.Int64  // requests that are not answered yet
	paid chan struct{} // an answer was written
}

// newFrames begins to read from a connection; no message may be longer than the limit.
func newFrames(conn io.ReadWriteCloser, limit int, log *slog.Logger) *frames {
	f := &frames{conn: conn, in: bufio.NewReader(conn), max: limit, log: log,
		checked: make(chan []byte), closed: make(chan struct{}), paid: make(chan struct{}, 1)}
	go f.pump()
	return f
}

// pump reads on its own goroutine, so that Close ends Read even where closing
// standard input does not.
func (f *frames) pump() {
	defer close(f.checked)
	for {
		body, request, err := f.next()
		var refused *jsonrpc2.Error
		switch {
		case errors.As(err, &refused):
			f.log.Warn("message refused", "reason", refused.Message)
			f.refuse(body, refused)
			continue
		case err != nil:
			f.failed = err
			return
		}
		f.trace("received", body)
		if request {
			f.owed.Add(1)
		}
		frame := fmt.Appendf(make([]byte, 0, len(body)+32), "Content-Length: %d\r\n\r\n", len(body))
		select {
		case f.checked <- append(frame, body...):
		case <-f.closed:
			f.failed = io.EOF
			return
		}
	}
}

// Read gives jsonrpc2 the frames that pump has checked.
func (f *frames) Read(p []byte) (int, error) {
	if len(f.pending) == 0 {
		select {
		case frame, ok := <-f.checked:
			if !ok {
				return 0, f.failed
			}
			f.pending = frame
		case <-f.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// Write sends a message, which the library writes in one piece. It counts answers, so that settle knows
// when none is owed any more.
func (f *frames) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.conn.Write(p)
	if _, body, ok := bytes.Cut(p, []byte("\r\n\r\n")); ok {
		f.trace("sent", body)
		if !answers(body) {
			return n, err
		}
		f.owed.Add(-1)
		select {
		case f.paid <- struct{}{}:
		default:
		}
	}
	return n, err
}

// settle waits until every request has its answer, but not for ever.
func (f *frames) settle(limit time.Duration) {
	late := time.After(limit)
	for f.owed.Load() > 0 {
		select {
		case <-f.paid:
		case <-late:
			return
		}
	}
}

// answers reports whether a message of jsonrpc2's, which begins with its version and
// its id, is a response.
func answers(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	for i := 0; ; i++ {
		switch t, err := d.Token(); {
		case err != nil:
			return false
		case i%2 == 0: // the opening brace, or a value
		case t == "result", t == "error":
			return true
		case t == "method":
			return false
		}
	}
}

func (f *frames) Close() (err error) {
	f.once.Do(func() {
		close(f.closed)
		err = f.conn.Close()
	})
	return err
}

func (f *frames) trace(what string, body []byte) {
	if !f.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	shown := body[:min(len(body), shownBody)]
	f.log.Debug(what, "bytes", len(body), "shown", len(shown), "body", string(shown))
}

// next reads one message and says whether it needs an answer. An *jsonrpc2.Error is for the
// client; any other error ends the connection.
func (f *frames) next() (body []byte, request bool, err error) {
	length, err := f.header()
	if err != nil {
		return nil, false, err
	}
	// The buffer grows with what arrives, never with what the header says.
	var b bytes.Buffer
	if _, err := io.CopyN(&b, f.in, int64(length)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, false, err
	}
	m, err := wellFormed(b.Bytes())
	_, request = m.(*jsonrpc2.Call)
	return b.Bytes(), request, err
}

// header reads the fields before a message. The body after a refused header is not skipped, since its
// length cannot be trusted. But a body is one line that the next header continues, so looking for the
// name of the field anywhere in a line finds the next message.
func (f *frames) header() (int, error) {
	length, found, bad := 0, false, ""
	for {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			switch {
			case bad != "":
				return 0, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s", bad)
			case !found:
				return 0, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a header without Content-Length")
			}
			return length, nil
		}
		const name = "Content-Length:"
		at := lastFold(line, name)
		if at < 0 {
			continue // another field, or the rest of a message that was refused
		}
		value := string(bytes.TrimSpace(line[at+len(name):]))
		n, err := strconv.ParseUint(value, 10, 62)
		switch {
		case err != nil:
			bad = fmt.Sprintf("Content-Length is %.40q, expected a number", value)
		case n == 0:
			bad = "Content-Length is 0: a message cannot be empty"
		case n > uint64(f.max):
			bad = fmt.Sprintf("a message of %d bytes, the limit is %d", n, f.max)
		default:
			length, found, bad = int(n), true, ""
		}
	}
}

// lastFold is the last place of an ASCII text in a line, ignoring case, or -1.
func lastFold(line []byte, text string) int {
	for i := len(line) - len(text); i >= 0; i-- {
		if strings.EqualFold(string(line[i:i+len(text)]), text) {
			return i
		}
	}
	return -1
}

// line is the next line without its end, or the last part of a long line.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxHeaderLine {
			line = append(line[:0], line[len(line)-maxHeaderLine/2:]...)
		}
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// wellFormed decodes a message, or says why it cannot be given to jsonrpc2.
func wellFormed(body []byte) (jsonrpc2.Message, error) {
	if !utf8.Valid(body) {
		return nil, jsonrpc2.Errorf(jsonrpc2.ParseError, "the message%s is not UTF-8", about(body))
	}
	if compact.Depth(body) > maxNesting {
		return nil, jsonrpc2.Errorf(jsonrpc2.ParseError, "more than %d levels of brackets", maxNesting)
	}
	if !json.Valid(body) {
		return nil, jsonrpc2.Errorf(jsonrpc2.ParseError, "the message is not JSON")
	}
	if body = bytes.TrimLeft(body, " \t\r\n"); body[0] != '{' {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "expected one JSON object; the protocol has no batches")
	}
	m, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "not a request, a notification or a response: %v", err)
	}
	return m, nil
}

// about names the file that a message speaks of, if it can be read that far.
func about(body []byte) string {
	var message struct {
		Params struct {
			TextDocument struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &message) != nil || message.Params.TextDocument.URI == "" {
		return ""
	}
	return fmt.Sprintf(" about %.200q", message.Params.TextDocument.URI)
}

// refuse answers a message with an error, and with its id if that can be read.
func (f *frames) refuse(body []byte, reason *jsonrpc2.Error) {
	id := json.RawMessage("null")
	var envelope struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &envelope) == nil && len(envelope.ID) > 0 && envelope.ID[0] != '{' && envelope.ID[0] != '[' {
		id = envelope.ID
	}
	answer, _ := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    jsonrpc2.Code `json:"code"`
		Message string        `json:"message"`
	}{reason.Code, reason.Message}}) // which can always be encoded
	f.owed.Add(1) // which is paid at once
	if _, err := f.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(answer), answer)); err != nil {
		f.log.Warn("cannot answer", "error", err)
	}
}
