package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// patience is how long a test waits for what has to come. Nothing depends on it
// but how soon a broken server is reported.
const patience = 2 * time.Minute

// manualClock lets a test say when a pause is over.
type manualClock struct {
	mu    sync.Mutex
	timer []*manualTimer
}

type manualTimer struct {
	fire    func()
	stopped bool
}

func (c *manualClock) after(_ time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{fire: f}
	c.timer = append(c.timer, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		t.stopped = true
	}
}

// elapse ends every pause and gives their number.
func (c *manualClock) elapse() int {
	c.mu.Lock()
	due := c.timer
	c.timer = nil
	c.mu.Unlock()
	n := 0
	for _, t := range due {
		c.mu.Lock()
		run := !t.stopped
		c.mu.Unlock()
		if run {
			t.fire()
			n++
		}
	}
	return n
}

// testClient is an editor on the other end of a pipe.
type testClient struct {
	protocol.UnimplementedClient
	protocol.Server
	t      testing.TB
	ctx    context.Context
	conn   jsonrpc2.Conn
	served chan error
	clock  *manualClock

	settings  string
	published chan *protocol.PublishDiagnosticsParams
	messages  chan *protocol.ShowMessageParams
	documents chan *protocol.ShowDocumentParams
	progress  chan *protocol.ProgressParams
	registers chan protocol.Registration
	dropped   chan protocol.Unregistration
	refreshed chan string
}

// start connects an editor with the given capabilities, in JSON, and initializes.
func start(t testing.TB, capabilities string, opt Options) *testClient {
	t.Helper()
	c := connect(t, opt)
	var params protocol.InitializeParams
	if capabilities == "" {
		capabilities = "{}"
	}
	if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`), &params); err != nil {
		t.Fatal(err)
	}
	c.initialize(&params)
	return c
}

// clientCodec decodes results, which may be any of several types.
type clientCodec struct{ codec }

func (clientCodec) Unmarshal(data []byte, v any) error {
	if _, ok := v.(*jsonrpc2.RawMessage); ok {
		return codec{}.Unmarshal(data, v)
	}
	return protocol.Unmarshal(data, v)
}

func connect(t testing.TB, opt Options) *testClient {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	near, far := net.Pipe()
	c := &testClient{
		t: t, ctx: ctx, served: make(chan error, 1), clock: &manualClock{},
		published: make(chan *protocol.PublishDiagnosticsParams, 1000),
		messages:  make(chan *protocol.ShowMessageParams, 100),
		documents: make(chan *protocol.ShowDocumentParams, 100),
		progress:  make(chan *protocol.ProgressParams, 100),
		registers: make(chan protocol.Registration, 100),
		dropped:   make(chan protocol.Unregistration, 100),
		refreshed: make(chan string, 100),
	}
	if opt.after == nil {
		opt.after = c.clock.after
	}
	if opt.Log == nil {
		opt.Log = testLog(t)
	}
	go func() { c.served <- Serve(ctx, far, opt) }()
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(near), jsonrpc2.WithCodec(clientCodec{}))
	c.conn.Go(ctx, protocol.ClientHandler(c, jsonrpc2.MethodNotFoundHandler))
	c.Server = protocol.ServerDispatcher(c.conn)
	t.Cleanup(func() {
		_ = c.conn.Close()
		cancel()
	})
	return c
}

func (c *testClient) initialize(params *protocol.InitializeParams) *protocol.InitializeResult {
	c.t.Helper()
	result, err := c.Initialize(c.ctx, params)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.Initialized(c.ctx, &protocol.InitializedParams{}); err != nil {
		c.t.Fatal(err)
	}
	return result
}

// leave shuts the server down as the protocol has it and wants no complaint.
func (c *testClient) leave() {
	c.t.Helper()
	if err := c.Shutdown(c.ctx); err != nil {
		c.t.Fatal(err)
	}
	if err := c.Exit(c.ctx); err != nil {
		c.t.Fatal(err)
	}
	if err := receive(c.t, c.served); err != nil {
		c.t.Fatal(err)
	}
}

func receive[T any](t testing.TB, ch chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("nothing came, expected a %T", *new(T))
		panic("unreachable")
	}
}

func (c *testClient) PublishDiagnostics(_ context.Context, p *protocol.PublishDiagnosticsParams) error {
	c.published <- p
	return nil
}

func (c *testClient) ShowMessage(_ context.Context, p *protocol.ShowMessageParams) error {
	c.messages <- p
	return nil
}

func (c *testClient) ShowDocument(_ context.Context, p *protocol.ShowDocumentParams) (*protocol.ShowDocumentResult, error) {
	c.documents <- p
	return &protocol.ShowDocumentResult{Success: true}, nil
}

func (c *testClient) Progress(_ context.Context, p *protocol.ProgressParams) error {
	c.progress <- p
	return nil
}

func (c *testClient) WorkDoneProgressCreate(context.Context, *protocol.WorkDoneProgressCreateParams) error {
	return nil
}

func (c *testClient) RegisterCapability(_ context.Context, p *protocol.RegistrationParams) error {
	for _, r := range p.Registrations {
		c.registers <- r
	}
	return nil
}

func (c *testClient) UnregisterCapability(_ context.Context, p *protocol.UnregistrationParams) error {
	for _, r := range p.Unregisterations {
		c.dropped <- r
	}
	return nil
}

func (c *testClient) Configuration(context.Context, *protocol.ConfigurationParams) ([]protocol.LSPAny, error) {
	if c.settings == "" {
		return []protocol.LSPAny{protocol.LSPAny("null")}, nil
	}
	return []protocol.LSPAny{protocol.LSPAny(c.settings)}, nil
}

func (c *testClient) InlayHintRefresh(context.Context) error { c.refreshed <- "hints"; return nil }
func (c *testClient) DiagnosticRefresh(context.Context) error {
	c.refreshed <- "diagnostics"
	return nil
}
func (c *testClient) SemanticTokensRefresh(context.Context) error {
	c.refreshed <- "tokens"
	return nil
}
func (c *testClient) CodeLensRefresh(context.Context) error { c.refreshed <- "lenses"; return nil }

const testURI = uri.URI("file:///project/program.ein")

func (c *testClient) open(u uri.URI, text string) {
	c.t.Helper()
	if err := c.DidOpen(c.ctx, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: u, LanguageID: "ein", Version: 1, Text: text,
	}}); err != nil {
		c.t.Fatal(err)
	}
}

// edit replaces a range, given in the client's positions.
func (c *testClient) edit(u uri.URI, version int32, r protocol.Range, text string) {
	c.t.Helper()
	c.change(u, version, &protocol.TextDocumentContentChangePartial{Range: r, Text: text})
}

func (c *testClient) replace(u uri.URI, version int32, text string) {
	c.t.Helper()
	c.change(u, version, &protocol.TextDocumentContentChangeWholeDocument{Text: text})
}

func (c *testClient) change(u uri.URI, version int32, changes ...protocol.TextDocumentContentChangeEvent) {
	c.t.Helper()
	params := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
	params.TextDocument.URI, params.TextDocument.Version = u, version
	if err := c.DidChange(c.ctx, params); err != nil {
		c.t.Fatal(err)
	}
}

func (c *testClient) hover(u uri.URI, line, character uint32) (*protocol.Hover, error) {
	return c.Hover(c.ctx, &protocol.HoverParams{TextDocumentPositionParams: place(u, line, character)})
}

// pause lets the pause after the last edit be over.
func (c *testClient) pause() {
	c.t.Helper()
	// Once a request is answered, what was sent before it has been handled.
	if _, err := c.Symbols(c.ctx, &protocol.WorkspaceSymbolParams{}); err != nil {
		c.t.Fatal(err)
	}
	c.clock.elapse()
}

// alive wants an answer to a hover over the first name of the program.
func (c *testClient) alive() {
	c.t.Helper()
	h, err := c.hover(testURI, 0, 0)
	if err != nil || h == nil {
		c.t.Fatalf("the server no longer answers: %v, %v", h, err)
	}
}

func place(u uri.URI, line, character uint32) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: u}, Position: protocol.Position{Line: line, Character: character},
	}
}

// wantCode wants an error of the protocol.
func wantCode(t testing.TB, err error, code jsonrpc2.Code) {
	t.Helper()
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) || wire.Code != code {
		t.Errorf("got %v, want the code %d", err, code)
	}
}

// testLog writes the log of a server to that of a test, while the test runs.
func testLog(t testing.TB) *slog.Logger {
	w := &logWriter{t: t}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.over = true
	})
	return slog.New(slog.NewTextHandler(w, nil))
}

type logWriter struct {
	mu   sync.Mutex
	t    testing.TB
	over bool
}

func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.t.Log(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// rawClient speaks in bytes, so that it can speak wrongly.
type rawClient struct {
	t      *testing.T
	conn   net.Conn
	served chan error
	in     chan map[string]any // every message of the server
}

func startRaw(t *testing.T, opt Options) *rawClient {
	near, far := newPipe(t)
	c := attachRaw(t, near)
	if opt.Log == nil {
		opt.Log = testLog(t)
	}
	go func() { c.served <- Serve(context.Background(), far, opt) }()
	return c
}

// attachRaw speaks to whoever is on the other end of a pipe.
func attachRaw(t *testing.T, near net.Conn) *rawClient {
	c := &rawClient{t: t, conn: near, served: make(chan error, 1), in: make(chan map[string]any, 1000)}
	go func() {
		defer close(c.in)
		r := bufio.NewReader(near)
		for {
			length := 0
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if line = strings.TrimSpace(line); line == "" {
					break
				}
				_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(r, body); err != nil {
				return
			}
			var m map[string]any
			if err := json.Unmarshal(body, &m); err != nil {
				t.Errorf("the server sent %q: %v", body, err)
			}
			c.in <- m
		}
	}()
	return c
}

func (c *rawClient) raw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *rawClient) send(body string) {
	c.t.Helper()
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// answer is the response to an id; what else comes is skipped.
func (c *rawClient) answer(id any) map[string]any {
	c.t.Helper()
	for {
		m := receive(c.t, c.in)
		if m == nil {
			c.t.Fatalf("the connection ended before the answer to %v", id)
		}
		if got, has := m["id"]; has && fmt.Sprint(got) == fmt.Sprint(id) && m["method"] == nil {
			return m
		}
	}
}

func (c *rawClient) wantError(id any, code float64) {
	c.t.Helper()
	m := c.answer(id)
	e, _ := m["error"].(map[string]any)
	if e == nil || e["code"] != code {
		c.t.Errorf("the answer to %v is %v, want an error with code %v", id, m, code)
	}
}

func (c *rawClient) initialize() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	if m := c.answer(0); m["result"] == nil {
		c.t.Fatalf("initialize: %v", m)
	}
	c.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///project/program.ein","languageId":"ein","version":1,"text":"A = [[0,1],[1,0]]\nB = A + 1\n"}}}`)
}

// alive wants an answer to a hover.
func (c *rawClient) alive(id int) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///project/program.ein"},"position":{"line":0,"character":0}}}`, id))
	if m := c.answer(id); m["result"] == nil {
		c.t.Fatalf("the server no longer answers: %v", m)
	}
}

func (c *rawClient) wait() error {
	c.t.Helper()
	return receive(c.t, c.served)
}

func newPipe(t *testing.T) (near, far net.Conn) {
	near, far = net.Pipe()
	t.Cleanup(func() {
		_ = near.Close()
		_ = far.Close()
	})
	return near, far
}
