package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

const small = "A = [[0, 1], [1, 0]]\nB[i,k] = A[i,j] A[j,k]\n:print B\n"

// TestShutdown: the exit code depends on the shutdown before exit, and shutdown
// comes with any kind of nothing for parameters.
func TestShutdown(t *testing.T) {
	for _, params := range []string{``, `,"params":null`, `,"params":{}`} {
		c := startRaw(t, Options{})
		c.initialize()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"shutdown"` + params + `}`)
		if m := c.answer(1); m["error"] != nil {
			t.Errorf("shutdown with %q: %v", params, m)
		}
		c.send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///project/program.ein"},"position":{"line":0,"character":0}}}`)
		c.wantError(2, float64(jsonrpc2.InvalidRequest))
		c.send(`{"jsonrpc":"2.0","method":"exit"}`)
		if err := c.wait(); err != nil {
			t.Errorf("after shutdown with %q: %v", params, err)
		}
	}
	for name, leave := range map[string]func(*rawClient){
		"exit before shutdown":   func(c *rawClient) { c.initialize(); c.send(`{"jsonrpc":"2.0","method":"exit"}`) },
		"exit before initialize": func(c *rawClient) { c.send(`{"jsonrpc":"2.0","method":"exit","params":null}`) },
		"gone":                   func(c *rawClient) { c.initialize(); _ = c.conn.Close() },
		"gone in a message": func(c *rawClient) {
			c.initialize()
			c.raw("Content-Length: 100\r\n\r\n{")
			_ = c.conn.Close()
		},
	} {
		c := startRaw(t, Options{})
		leave(c)
		if err := c.wait(); !errors.Is(err, ErrNoShutdown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestContextEndsServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	near, far := newPipe(t)
	_ = near
	go func() { served <- Serve(ctx, far, Options{}) }()
	cancel()
	if err := receive(t, served); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("got %v", err)
	}
}

func TestBeforeInitialize(t *testing.T) {
	c := startRaw(t, Options{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`)
	c.wantError(1, -32002)
	c.send(`{"jsonrpc":"2.0","id":"s","method":"shutdown"}`)
	c.wantError("s", -32002)
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.ein","languageId":"ein","version":1,"text":"A = 1"}}}`)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.ein"},"position":{"line":0,"character":0}}}`)
	c.wantError(2, float64(jsonrpc2.InvalidParams)) // that notification was too early
	c.send(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	c.wantError(3, float64(jsonrpc2.InvalidRequest))
	c.alive(4)
}

// TestFaults sends what no client should, and wants an answer to a hover after each.
func TestFaults(t *testing.T) {
	const (
		parse   = float64(jsonrpc2.ParseError)
		invalid = float64(jsonrpc2.InvalidRequest)
		params  = float64(jsonrpc2.InvalidParams)
		unknown = float64(jsonrpc2.MethodNotFound)
	)
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	const null = "<nil>"
	tests := []struct {
		name, wire string
		id         any // of the error that is to come; nil for none
		code       float64
	}{
		{"not JSON", frame(`{"jsonrpc":`), null, parse},
		{"garbage", frame("\x00\x01\x02"), null, parse},
		{"not UTF-8", frame("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xff\xfe\"}}"), null, parse},
		{"brackets", frame(strings.Repeat("[", 100_000)), null, parse},
		{"nested", frame(`{"jsonrpc":"2.0","id":1,"method":"x","params":` + strings.Repeat(`{"a":`, 1000) + `1` + strings.Repeat(`}`, 1001)), 1, parse},
		{"brackets in a string", frame(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("[", 1000) + `"}`), 1, unknown},
		{"a number", frame(`42`), null, invalid},
		{"a string", frame(`"x"`), null, invalid},
		{"a batch", frame(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`), null, invalid},
		{"an empty batch", frame(`[]`), null, invalid},
		{"an empty object", frame(`{}`), null, invalid},
		{"no method", frame(`{"jsonrpc":"2.0","id":7}`), 7, invalid},
		{"method of a wrong type", frame(`{"jsonrpc":"2.0","id":8,"method":5}`), 8, invalid},
		{"id of a wrong type", frame(`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`), null, invalid},
		{"no version", frame(`{"id":9,"method":"shutdown"}`), 9, invalid},
		{"a response to nothing", frame(`{"jsonrpc":"2.0","id":12345,"result":null}`), nil, 0},
		{"an error for nothing", frame(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`), nil, 0},
		{"no length", "Content-Type: x\r\n\r\n", null, invalid},
		{"empty header", "\r\n", null, invalid},
		{"length of words", "Content-Length: many\r\n\r\n", null, invalid},
		{"negative length", "Content-Length: -5\r\n\r\n", null, invalid},
		{"length 0", "Content-Length: 0\r\n\r\n", null, invalid},
		{"a length no one has", "Content-Length: 4000000000000000000\r\n\r\n", null, invalid},
		{"a length past all integers", "Content-Length: 99999999999999999999999\r\n\r\n", null, invalid},
		{"too long, and honest", frame(`{"a":"` + strings.Repeat("Content-Length: 5\\r\\n\\r\\n", 8000) + `"}`), null, invalid},
		{"a header line that is too long", strings.Repeat("x", 100_000) + "\r\n\r\n", null, invalid},
		{"another field", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + frame(`{"jsonrpc":"2.0","id":5,"method":"x"}`), 5, unknown},
		{"a field of small letters", "content-length: 39\n\n" + `{"jsonrpc":"2.0","id":5,"method":"xyz"}`, 5, unknown},
		{"unknown request", frame(`{"jsonrpc":"2.0","id":10,"method":"ein/none","params":{}}`), 10, unknown},
		{"unknown $ request", frame(`{"jsonrpc":"2.0","id":10,"method":"$/none"}`), 10, unknown},
		{"unsupported request", frame(`{"jsonrpc":"2.0","id":10,"method":"textDocument/moniker","params":{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}}`), 10, unknown},
		{"unknown notification", frame(`{"jsonrpc":"2.0","method":"ein/none","params":{}}`), nil, 0},
		{"unknown $ notification", frame(`{"jsonrpc":"2.0","method":"$/foo","params":[1,2]}`), nil, 0},
		{"bad params", frame(`{"jsonrpc":"2.0","id":11,"method":"textDocument/hover","params":{"textDocument":7}}`), 11, params},
		{"params of a wrong kind", frame(`{"jsonrpc":"2.0","id":11,"method":"textDocument/hover","params":[1]}`), 11, params},
		{"bad params of a notification", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":[]}}`), nil, 0},
		{"no params of a notification", frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`), nil, 0},
		{"not open", frame(`{"jsonrpc":"2.0","id":12,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///none.ein"},"position":{"line":0,"character":0}}}`), 12, params},
		{"change of what is not open", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none.ein","version":2},"contentChanges":[{"text":"x"}]}}`), nil, 0},
		{"close of what is not open", frame(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///none.ein"}}}`), nil, 0},
		{"opened twice", frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///project/program.ein","languageId":"ein","version":1,"text":"A = [[0,1],[1,0]]\n"}}}`), nil, 0},
		{"a version that goes back", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///project/program.ein","version":-3},"contentChanges":[{"text":"A = 2\n"}]}}`), nil, 0},
		{"a range that ends before its start", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///project/program.ein","version":5},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":1}},"text":"x"}]}}`), nil, 0},
		{"places outside the text", frame(`{"jsonrpc":"2.0","id":13,"method":"textDocument/rename","params":{"textDocument":{"uri":"file:///project/program.ein"},"position":{"line":4000000000,"character":4000000000},"newName":"x"}}`), 13, float64(requestFailed)},
		{"cancel of nothing", frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}`), nil, 0},
		{"cancel without an id", frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{}}`), nil, 0},
		{"cancel with a wrong id", frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[]}}`), nil, 0},
		{"a command that is none", frame(`{"jsonrpc":"2.0","id":14,"method":"workspace/executeCommand","params":{"command":"rm"}}`), 14, params},
		{"settings that are none", frame(`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":[1,2,3]}}`), nil, 0},
	}
	c := startRaw(t, Options{MaxMessage: 120_000})
	c.initialize()
	for i, test := range tests {
		c.raw(test.wire)
		if test.id != nil {
			c.wantError(test.id, test.code)
		}
		if t.Failed() {
			t.Fatalf("at %q", test.name)
		}
		c.alive(1000 + i)
	}
}

// TestAbout: who is told that a message is wrong is told of which file it speaks.
func TestAbout(t *testing.T) {
	body := []byte("{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///a.ein\",\"text\":\"\xe9\"}}}")
	if _, err := wellFormed(body); err == nil || !strings.Contains(err.Error(), `the message about "file:///a.ein" is not UTF-8`) {
		t.Errorf("got %v", err)
	}
}

// TestSlots: a request that is cancelled while others are worked on is not begun.
func TestSlots(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults(), nil)
	s.phase.Store(up)
	begun, end := make(chan string, 100), make(chan struct{})
	s.dispatch = func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		begun <- req.Method()
		<-end
		return nil, nil
	}
	client := dial(t, s)
	answers := make(chan error, 100)
	for range cap(s.slots) {
		go func() {
			_, err := client.Call(t.Context(), "slow", nil, nil)
			answers <- err
		}()
		receive(t, begun)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := client.Call(t.Context(), "late", nil, nil)
		waiting <- err
	}()
	// Its number is the one after theirs.
	id := jsonrpc2.NewNumberID(int64(cap(s.slots) + 1))
	for known := false; !known; {
		s.requests.mu.Lock()
		known = s.requests.of[id] != nil
		s.requests.mu.Unlock()
		runtime.Gosched()
	}
	s.requests.stop(id)
	wantCode(t, receive(t, waiting), protocol.CodeRequestCancelled)
	close(end)
	for range cap(s.slots) {
		if err := receive(t, answers); err != nil {
			t.Error(err)
		}
	}
	if len(begun) > 0 {
		t.Errorf("%s was begun", receive(t, begun))
	}
}

// TestPanic: a bug in one request is the end of that request only.
func TestPanic(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults(), nil)
	s.phase.Store(up)
	s.dispatch = func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if strings.HasPrefix(req.Method(), "panic") {
			panic("on purpose")
		}
		return "fine", nil
	}
	near, far := newPipe(t)
	server := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(far), jsonrpc2.WithCodec(jsonrpc2.JSONCodec{}))
	server.Go(t.Context(), s.handle)
	client := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(near))
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	for range 3 {
		_, err := client.Call(t.Context(), "panic/request", nil, nil)
		wantCode(t, err, jsonrpc2.InternalError)
		if err := client.Notify(t.Context(), "panic/notification", nil); err != nil {
			t.Fatal(err)
		}
		var answer string
		if _, err := client.Call(t.Context(), "other", nil, &answer); err != nil || answer != "fine" {
			t.Fatalf("%q, %v", answer, err)
		}
	}
}

// TestCancel: a request waits until it is cancelled, by an integer or a string id.
func TestCancel(t *testing.T) {
	for _, id := range []string{`7`, `"seven"`} {
		s := newServer(t.Context(), Options{}.withDefaults(), nil)
		s.phase.Store(up)
		begun := make(chan bool, 1)
		dispatch := s.dispatch
		s.dispatch = func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
			if req.Method() != "wait" {
				return dispatch(ctx, req)
			}
			begun <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}
		near, far := newPipe(t)
		server := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(far))
		server.Go(t.Context(), s.handle)
		c := attachRaw(t, near)
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"wait"}`)
		receive(t, begun)
		c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
		c.wantError(strings.Trim(id, `"`), -32800)
		c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`) // once more is nothing
		c.send(`{"jsonrpc":"2.0","id":8,"method":"none"}`)
		c.wantError(8, float64(jsonrpc2.MethodNotFound))
	}
}

// TestOrder: changes take effect in the order they are sent, and a request sees
// those before it and none of those after it.
func TestOrder(t *testing.T) {
	c := start(t, "", Options{})
	c.open(testURI, "A = 0")
	const n = 20_000
	var wait sync.WaitGroup
	for i := range n {
		end := protocol.Position{Character: uint32(4 + len(fmt.Sprint(i)))}
		c.edit(testURI, int32(i+2), protocol.Range{Start: protocol.Position{Character: 4}, End: end}, fmt.Sprint(i+1))
		if i%200 != 0 {
			continue
		}
		wait.Go(func() {
			// Whatever the version, its text is one whole number.
			h, err := c.hover(testURI, 0, 0)
			if err != nil || h == nil {
				t.Errorf("%v, %v", h, err)
			}
		})
	}
	wait.Wait()
	edits, err := c.Rename(c.ctx, &protocol.RenameParams{TextDocumentPositionParams: place(testURI, 0, 0), NewName: "B"})
	if err != nil {
		t.Fatal(err)
	}
	if got := edits.Changes[testURI]; len(got) != 1 {
		t.Errorf("got %v", got)
	}
	// The end of the text is after the last number.
	sel, err := c.SelectionRange(c.ctx, &protocol.SelectionRangeParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: testURI}, Positions: []protocol.Position{{Line: 9}},
	})
	if err != nil || sel[0].Range.End.Character != uint32(4+len(fmt.Sprint(n))) {
		t.Errorf("%v, %v", sel, err)
	}
	c.leave()
}

// TestPinned: a request works on the text that there was when it came.
func TestPinned(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults(), nil)
	s.phase.Store(up)
	held, free := make(chan bool), make(chan bool)
	dispatch := s.dispatch
	s.dispatch = func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == protocol.MethodTextDocumentDocumentSymbol {
			held <- true
			<-free
		}
		return dispatch(ctx, req)
	}
	near, far := newPipe(t)
	server := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(far), jsonrpc2.WithCodec(codec{}))
	server.Go(t.Context(), s.handle)
	c := attachRaw(t, near)
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p.ein","languageId":"ein","version":1,"text":"Old = 1"}}}`)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///p.ein"}}}`)
	<-held
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///p.ein","version":2},"contentChanges":[{"text":"New = 1"}]}}`)
	// Typing goes on while the request is stuck, and so do other requests.
	c.send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/rename","params":{"textDocument":{"uri":"file:///p.ein"},"position":{"line":0,"character":0},"newName":"Newer"}}`)
	if m := c.answer(2); m["error"] != nil {
		t.Errorf("%v", m)
	}
	close(free)
	if m := fmt.Sprint(c.answer(1)); !strings.Contains(m, "Old") {
		t.Errorf("got %s", m)
	}
}

// TestNoVersion: a change without a version, as protocols before 3.16 allowed, is one.
func TestNoVersion(t *testing.T) {
	for i, version := range []string{`,"version":null`, "", `,"version":7`} {
		c := startRaw(t, Options{})
		c.initialize()
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///project/program.ein"%s},"contentChanges":[{"text":"New = 1"}]}}`, version))
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///project/program.ein"}}}`, i))
		if m := fmt.Sprint(c.answer(i)); !strings.Contains(m, "New") {
			t.Errorf("%s: got %s", version, m)
		}
	}
}

// TestKept: what a session keeps of a message is its own. With the build tag
// jsonrpc2poison the library overwrites what it lent.
func TestKept(t *testing.T) {
	c := start(t, "", Options{})
	for i := range 200 {
		c.open(uri.URI(fmt.Sprintf("file:///project/%d.ein", i)), fmt.Sprintf("Name%d = %d\n", i, i))
	}
	for i := range 200 {
		result, err := c.DocumentSymbol(c.ctx, &protocol.DocumentSymbolParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(fmt.Sprintf("file:///project/%d.ein", i))},
		})
		if err != nil {
			t.Fatal(err)
		}
		list := result.(protocol.SymbolInformationSlice)
		if len(list) != 1 || list[0].Name != fmt.Sprintf("Name%d", i) {
			t.Fatalf("%d: %v", i, list)
		}
	}
	c.leave()
}

func TestUntitled(t *testing.T) {
	c := start(t, "", Options{})
	c.open("untitled:Untitled-1", small)
	if h, err := c.hover("untitled:Untitled-1", 0, 0); err != nil || h == nil {
		t.Errorf("%v, %v", h, err)
	}
	c.leave()
}

// TestSpelled: a client is answered with the URI that it opened a file with, and may write it in another way.
func TestSpelled(t *testing.T) {
	c := startRaw(t, Options{Debounce: 1})
	c.initialize()
	told := func(u string) {
		t.Helper()
		for {
			params, _ := receive(t, c.in)["params"].(map[string]any)
			if got := fmt.Sprint(params["uri"]); params["diagnostics"] != nil && got != "file:///project/program.ein" {
				if got != u {
					t.Errorf("diagnostics of %s, not %s", got, u)
				}
				return
			}
		}
	}
	for i, of := range []struct{ opened, asked string }{
		{"file:///C:/a b.ein", "file:///c%3A/a%20b.ein"},
		{"file:///tmp/zo%c3%ab(1)+%2B.ein", "file:///tmp/zoë%281%29%2B+.ein"},
		{"zipfile:///x.zip::a.ein", "zipfile:/x.zip%3A%3Aa.ein"},
		{"fugitive:///repo/.git//0/a.ein", "fugitive:///repo/.git//0/a.ein"},
	} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"ein","version":1,"text":"A = 1\nB = A\n"}}}`, of.opened))
		told(of.opened)
		for j, m := range []struct{ method, params string }{
			{"references", `"context":{"includeDeclaration":true}`},
			{"definition", `"x":0`},
			{"rename", `"newName":"C"`},
			{"documentSymbol", `"x":0`},
			{"codeLens", `"x":0`},
		} {
			id := 1000 + 100*i + j
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/%s","params":{"textDocument":{"uri":%q},"position":{"line":0,"character":0},%s}}`, id, m.method, of.asked, m.params))
			if got := fmt.Sprint(c.answer(id)["result"]); !strings.Contains(got, of.opened) {
				t.Errorf("%s: %s of %s", m.method, got, of.opened)
			}
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, of.asked))
		told(of.opened)
	}
}

func TestNegotiate(t *testing.T) {
	for _, test := range []struct {
		general string
		want    protocol.PositionEncodingKind
	}{
		{`{}`, protocol.PositionEncodingKindUTF16},
		{`{"general":{}}`, protocol.PositionEncodingKindUTF16},
		{`{"general":{"positionEncodings":["utf-16"]}}`, protocol.PositionEncodingKindUTF16},
		{`{"general":{"positionEncodings":["utf-16","utf-8"]}}`, protocol.PositionEncodingKindUTF8},
		{`{"general":{"positionEncodings":["utf-32","utf-16"]}}`, protocol.PositionEncodingKindUTF32},
		{`{"general":{"positionEncodings":["ebcdic"]}}`, protocol.PositionEncodingKindUTF16},
	} {
		c := connect(t, Options{Version: "1.2.3"})
		var params protocol.InitializeParams
		if err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"capabilities":`+test.general+`}`), &params); err != nil {
			t.Fatal(err)
		}
		result := c.initialize(&params)
		if got := result.Capabilities.PositionEncoding; got != test.want {
			t.Errorf("%s: %s, want %s", test.general, got, test.want)
		}
		if v, _ := result.ServerInfo.Version.Get(); v != "1.2.3" {
			t.Errorf("version %q", v)
		}
		c.leave()
	}
}

// TestOptional: a client gets options and forms only if it says that it knows them, and the first of the
// formats that it takes.
func TestOptional(t *testing.T) {
	const able = `{"textDocument":{"rename":{"prepareSupport":true},
"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}},
"completion":{"completionItemKind":{"valueSet":[1,20]}},"hover":{"contentFormat":["plaintext","markdown"]},
"signatureHelp":{"signatureInformation":{"documentationFormat":["markdown"],"parameterInformation":{"labelOffsetSupport":true}}}}}`
	for _, test := range []struct {
		capabilities, rename, actions, kind, parameter, documentation string
	}{
		{"{}", "true", "<nil>", "<nil>", "A", "plaintext"},
		{able, "map[prepareProvider:true]", "map[codeActionKinds:[quickfix refactor.extract refactor.inline refactor.rewrite source.fixAll]]", "20", "[5 6]", "markdown"},
	} {
		c := startRaw(t, Options{})
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":` + test.capabilities + `}}`)
		server := c.answer(0)["result"].(map[string]any)["capabilities"].(map[string]any)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.ein","languageId":"ein","version":1,"text":%q}}}`, "A = edges([[\"a\",\"b\"]])\nB = path(A, \""))
		ask := func(id int, method string, column int) map[string]any {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/%s","params":{"textDocument":{"uri":"file:///x.ein"},"position":{"line":1,"character":%d}}}`, id, method, column))
			return c.answer(id)["result"].(map[string]any)
		}
		item := ask(1, "completion", 13)["items"].([]any)[0].(map[string]any)
		parameter := ask(2, "signatureHelp", 13)["signatures"].([]any)[0].(map[string]any)["parameters"].([]any)[0].(map[string]any)
		got := fmt.Sprintln(server["renameProvider"], server["codeActionProvider"], item["kind"], parameter["label"],
			parameter["documentation"].(map[string]any)["kind"], ask(3, "hover", 5)["contents"].(map[string]any)["kind"])
		if want := fmt.Sprintln(test.rename, test.actions, test.kind, test.parameter, test.documentation, "plaintext"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", test.capabilities, got, want)
		}
	}
}

// TestFolders: clients that know workspace folders may have none, and a root all the same.
func TestFolders(t *testing.T) {
	for params, want := range map[string]string{
		`{}`:                "",
		`{"rootPath":"/a"}`: "/a",
		`{"rootUri":"file:///b","rootPath":"/a"}`:                                         "/b",
		`{"workspaceFolders":null,"rootUri":"file:///b"}`:                                 "/b",
		`{"workspaceFolders":[],"rootUri":"file:///b"}`:                                   "/b", // Kate
		`{"workspaceFolders":[{"uri":"file:///c%20d","name":"c"}],"rootUri":"file:///b"}`: "/c d",
		`{"workspaceFolders":[{"uri":"vscode-vfs://x/c","name":"c"}]}`:                    "",
	} {
		p := new(initializeParams)
		if err := (codec{}).Unmarshal([]byte(params), p); err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(strings.Join(folders(p), " ")); got != want {
			t.Errorf("%s: %q, want %q", params, got, want)
		}
	}
}

// dial connects a client to a server.
func dial(t *testing.T, s *server) jsonrpc2.Conn {
	near, far := newPipe(t)
	server := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(far), jsonrpc2.WithCodec(codec{}))
	server.Go(t.Context(), s.handle)
	client := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(near))
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	return client
}

// TestChangesInOrder: a change that is sent as a request, which wants an answer, keeps its place
// among the others: it waits for no slot.
func TestChangesInOrder(t *testing.T) {
	s := newServer(t.Context(), Options{}.withDefaults(), nil)
	s.phase.Store(up)
	s.dispatch = func(context.Context, *jsonrpc2.Request) (any, error) { return nil, nil }
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	client := dial(t, s)
	answer := make(chan error, 1)
	go func() {
		_, err := client.Call(t.Context(), protocol.MethodTextDocumentDidOpen, nil, nil)
		answer <- err
	}()
	if err := receive(t, answer); err != nil {
		t.Error(err)
	}
}
