package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ein/serve"
	"ein/serve/mcp"
)

// TestTools: each tool says what came of it, and what it cost; what is wrong with a
// program is a result.
func TestTools(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	open := func(_ context.Context, path string) (io.ReadCloser, error) {
		if path != "our owners.csv" {
			t.Errorf("it opens %s", path)
		}
		return io.NopCloser(strings.NewReader("source,target\nacme,shell\nshell,zenith\n")), nil
	}
	data := map[string]string{"Owners": "our owners.csv?from=source"}
	s := serve.New(serve.Options{Data: data, Open: open})
	read := func(ctx context.Context, _ string) (io.ReadCloser, error) { return open(ctx, "our owners.csv") }
	here, there := sdk.NewInMemoryTransports()
	go func() { _ = mcp.New(s, data, read).Run(ctx, there) }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	owners := `input Owners: graph` + "\n"
	for _, test := range []struct {
		tool   string
		args   map[string]any
		failed bool
		want   string
	}{
		{"check", map[string]any{"program": "x = y"}, false, "there is no tensor `y`"},
		{"check", map[string]any{"program": "x = 1"}, false, "The program checks."},
		{"check", map[string]any{"program": owners + `:print Owners["nobody", 0]`}, false, "this program has no node \"nobody\""},
		{"check", map[string]any{"program": "input A: graph\n:print A[7, 0]", "inputs": map[string]any{"A": [][]int{{0, 1}}}}, false, "axis 0 has no position 7"},
		{"run", nil, true, "the argument `program` is missing; run takes inputs, program\n"},
		{"run", map[string]any{"Program": "x = 1"}, true, "there is no argument `Program`; run takes inputs, program\n"},
		{"run", map[string]any{"program": 3}, true, "the argument `program` is a number, expected text\n"},
		{"run", map[string]any{"program": "x = 1", "inputs": []int{1}}, true, "the argument `inputs` is a list, expected an object\n"},
		{"why", map[string]any{"program": "x = 1", "expression": true}, true, "the argument `expression` is true or false, expected text\n"},
		{"doc", map[string]any{"name": map[string]any{}}, true, "the argument `name` is an object, expected text\n"},
		{"run", map[string]any{"program": "// " + strings.Repeat("é", 1000) + "\nx = [" + strings.Repeat("1, ", 1000) + "y" + strings.Repeat(", 1", 1000) + "]"}, true, "(line 2, column 3006)\n  ..." + strings.Repeat("1, ", 20) + "y, 1"},
		{"run", map[string]any{"program": "x = y"}, true, "error[E0201]: there is no tensor `y` (line 1, column 5)\n  x = y\n"},
		{"run", map[string]any{"program": owners + `:print desc(Owners, "acme")`}, false, "{shell, zenith}\n\ncost: 3 operations run of at most"},
		{"run", map[string]any{"program": owners + ":print sum(Owners)", "inputs": map[string]any{"Owners": [][]int{{0, 1}}}}, false, "sum(Owners) = 1"},
		{"run", map[string]any{"program": "input A: graph\n:print A", "inputs": map[string]any{"A": "owners.csv"}}, true, "(line 1, column 1 of A)\n  the text of a file is written {\"text\": \"...\"}\n"},
		{"run", map[string]any{"program": "input A: graph\n:print A", "inputs": map[string]any{"A": map[string]string{"text": ""}}}, true, "the file is empty (A)\n"},
		{"run", map[string]any{"program": "input A: graph\n:print A", "inputs": map[string]any{"A": map[string]string{"text": "x", "options": "query=@owners.csv"}}}, true, "has no query"},
		{"run", map[string]any{"program": "input R(a: node)\nR(x)?", "inputs": map[string]any{"R": [][]int64{{1<<53 + 1}}}}, false, "{9007199254740993}"},
		{"run", map[string]any{"program": "input A: graph\n:print sum(A)", "inputs": map[string]any{"A": json.RawMessage(`{"n": 2, "n": 3, "edges": []}`)}}, true, "the member /inputs/A/n is there twice"},
		{"run", map[string]any{"program": "input A: graph\n:print sum(A)", "inputs": map[string]any{"A": [][]int{{0, 1}, {0, 1}, {2, 0}}}}, false, "sum(A) = 2\n\nwarning[W0706]: 1 repeated edge merged: 0 -> 1 is on line 1 twice (line 1 of A)\n"},
		{"explain", map[string]any{"program": ":print tc(edges([[0,1]]))"}, false, "tc (const 2x2)"},
		{"why", map[string]any{"program": owners, "expression": `has_path(Owners, "acme", "zenith")`}, false, "shell"},
		{"why", map[string]any{"program": owners + "n = sum(Owners)", "expression": "n"}, false, "\n\ncost: 3 operations run of at most"},
		{"why", map[string]any{"program": "input A: graph", "inputs": map[string]any{"A": map[string]string{"text": "a b\nb c\n"}}, "expression": `has_path(A, "a", "c")`}, false, "a -> b -> c"},
		{"why", map[string]any{"program": owners, "expression": "nothing(1)"}, true, "`nothing` (line 1, column 1 of the expression)"},
		{"why", map[string]any{"program": owners + "Far(x, y) <- Owners(x, y).", "expression": `Far("acme", "shell")`}, false, "by program.ein:2 from 1"},
		{"run", map[string]any{"program": owners + "input V: vector\n:print V", "inputs": map[string]any{"V": map[string]int{"text": 1}}}, true, "\"text\" is not a node of any graph in the program (line 1 of V)\n"},
		{"doc", map[string]any{"name": "tc"}, false, "transitive closure"},
		{"run", map[string]any{"program": ":print 1 + 1", "inputs": nil}, false, "1 + 1 = 2"},
		{"doc", map[string]any{"name": nil}, false, "pagerank"},
		{"doc", map[string]any{}, false, "pagerank"},
		{"doc", map[string]any{"name": "E0201"}, false, "E0201"},
		{"doc", map[string]any{"name": "nothing at all"}, true, "nothing at all"},
		{"doc", map[string]any{"name": "ein://language"}, false, "Far(x, z) <- Far(x, y), Edge(y, z)."},
		{"doc", map[string]any{"name": "ein://data/Owners"}, false, "acme,shell"},
		{"run", map[string]any{"program": ":print eye(60)"}, false, "(50 of 60 edges shown; print a part, or ask for the form json)"},
		{"run", map[string]any{"program": "input Owner: graph\n:print Owner"}, true, "The host has bound data to the inputs Owners. "},
		{"run", map[string]any{"program": "input Owners(source: node)\nOwners(x)?"}, true, "The host has Owners read with `from=source`, which no program changes."},
		{"check", map[string]any{"program": "Owners(x, y)?"}, false, "`input Owners(x: node, y: node)`.\nThe host has bound data to the inputs Owners. "},
	} {
		out, err := client.CallTool(ctx, &sdk.CallToolParams{Name: test.tool, Arguments: test.args})
		if err != nil {
			t.Errorf("%s %v: %v", test.tool, test.args, err)
			continue
		}
		text := out.Content[0].(*sdk.TextContent).Text
		if out.IsError != test.failed || !strings.Contains(text, test.want) || !strings.Contains(text, "\n\ncost: ") || len(text) > 10_000 {
			t.Errorf("%s %v: %t\n%s\nwant %s", test.tool, test.args, out.IsError, text, test.want)
		}
	}
	if _, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "nothing", Arguments: map[string]any{"program": "x = 1"}}); err == nil || !strings.Contains(err.Error(), `unknown tool "nothing"`) {
		t.Errorf("a tool that does not exist: %v", err)
	}
	var program strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&program, "Next(\"n%d\", \"n%d\").\n", i, i+1)
	}
	program.WriteString("Far(x, y) <- Next(x, y).\nFar(x, z) <- Far(x, y), Next(y, z).")
	out, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "why", Arguments: map[string]any{"program": program.String(), "expression": `Far("n0", "n3000")`}})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "explain", Arguments: map[string]any{"program": strings.Repeat("x = 1\n", 3000)}})
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, " more lines ...\n") || len(text) > 40_000 {
		t.Errorf("a plan of %d bytes", len(text))
	}
	// A long proof has its beginning, and what it comes to.
	proof := regexp.MustCompile(`(?s)^yes, in 6,000 steps\n.*  fact, program\.ein:\d+\n\.\.\. 5,\d\d\d more lines \.\.\.\n.*\n\n  program\.ein:3001: Far\(x, y\) <- Next\(x, y\)\.\n`)
	if text := out.Content[0].(*sdk.TextContent).Text; !proof.MatchString(text) || len(text) > 40_000 {
		t.Errorf("%d bytes:\n%.500s\n%s", len(text), text, text[max(0, len(text)-500):])
	}
	for uri, want := range map[string]string{"ein://language": "desc(A,x)", "ein://data/Owners": "acme,shell"} {
		out, err := client.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(out.Contents[0].Text, want) {
			t.Errorf("%s: %v, %v", uri, out, err)
			continue
		}
		if uri != "ein://language" {
			continue
		}
		text := out.Contents[0].Text
		if strings.Contains(text, "Reply with") {
			t.Errorf("%s tells the agent what to reply:\n%s", uri, text)
		}
		for i, program := range strings.Split(text, "```ein\n")[1:] { // each can be run
			program, _, _ = strings.Cut(program, "```")
			args := map[string]any{"program": program}
			if i == 0 {
				args["inputs"] = map[string]any{"Owners": [][]string{{"acme", "shell"}, {"shell", "zenith"}}, "Pay": [][]any{{"acme", "shell", 70}, {"acme", "zenith", 50}}}
			}
			told, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "run", Arguments: args})
			if err != nil || told.IsError {
				t.Errorf("%v, %v\n%s", told, err, program)
			}
		}
	}
}

// TestBeginning: of a file without lines, such as one of JSON, as much is shown as of another.
func TestBeginning(t *testing.T) {
	const line = `[["é","b"],`
	for name, test := range map[string]struct{ text, want string }{
		"lines":  {strings.Repeat(line+"\n", 5000), line + "\n... and more\n"},
		"a line": {`{"edges":       ` + strings.Repeat(line, 5000), line[:3] + "\n... and more\n"},
		"all":    {line, line},
		"none":   {strings.Repeat("\xffa", 20000), "(no text; `check` of `input A(x: node)` and `A(x)?` names the columns)\n"},
		"gzip":   {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KLJ\xe6\x02\x00N\x81\x88G\x04\x00\x00\x00", "abc\n"},
	} {
		read := func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(test.text)), nil
		}
		here, there := sdk.NewInMemoryTransports()
		go func() {
			_ = mcp.New(serve.New(serve.Options{}), map[string]string{"A": "a.csv"}, read).Run(t.Context(), there)
		}()
		client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "ein://data/A"})
		if err != nil || !strings.HasSuffix(out.Contents[0].Text, test.want) || len(out.Contents[0].Text) > 33<<10 {
			t.Errorf("%s: %.100v, %v", name, out, err)
		}
	}
}

// TestConnect: the tools that a model is given are those of an agent, and what they say does
// not change from call to call.
func TestConnect(t *testing.T) {
	tools, err := mcp.Connect(t.Context(), mcp.New(serve.New(serve.Options{}), nil, nil), "check", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tools.Close() }()
	if list := tools.List(); len(list) != 2 || list[0].Name != "check" || list[1].Name != "run" || !strings.Contains(string(list[1].Schema), `"program"`) {
		t.Errorf("the tools are %+v", list)
	}
	for _, test := range []struct {
		tool, args string
		failed     bool
		want       string
	}{
		{"run", `{"program": ":print 1 + 1"}`, false, "2"},
		{"run", `{"program": "input R(a: node)\nR(x)?", "inputs": {"R": [[9007199254740993]]}}`, false, "{9007199254740993}"},
		{"run", `{"program": "error = [1, 2]\n:print error[0]"}`, false, "error[0] = 1"},
		{"check", `{"program": "x = 1"}`, false, "The program checks."},
		{"check", `{"program": "x = y"}`, true, "error[E0201]"},
		{"run", `{"program": "x = y"}`, true, "error[E0201]"},
		{"run", `{"program`, true, "error: the arguments are no JSON object: unexpected EOF"},
		{"run", `["x"]`, true, `error: the arguments are no JSON object, such as {"program": ":print 1"}`},
		{"run", `"{}"`, true, `error: the arguments are no JSON object, such as {"program": ":print 1"}`},
		{"run", `{"text": 1}`, true, "error"},
		{"doc", `{}`, true, "error: there is no tool \"doc\""},
	} {
		text, failed, err := tools.Call(t.Context(), test.tool, test.args)
		if err != nil || failed != test.failed || !strings.Contains(text, test.want) || strings.Contains(text, "cost:") || strings.Contains(text, "json") {
			t.Errorf("%s %s: %q, %t, %v", test.tool, test.args, text, failed, err)
		}
	}
}

// TestHTTP: a call over HTTP may be as long as one over a pipe, and no page of another site makes one. What
// is no call is told so as over a pipe.
func TestHTTP(t *testing.T) {
	web := mcp.Handler(mcp.New(serve.New(serve.Options{}), nil, nil))
	for _, test := range []struct {
		origin string
		bytes  int
		status int
		want   string
	}{
		{"", 0, http.StatusOK, "1 + 1 = 2"},
		{"", 15 << 20, http.StatusOK, "1 + 1 = 2"},
		{"", 17 << 20, http.StatusRequestEntityTooLarge, "exceeds 16777216 bytes"},
		{"http://ein.test", 0, http.StatusOK, "1 + 1 = 2"},
		{"https://other.test", 0, http.StatusForbidden, "cross-origin"},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 1 + 1 //` + strings.Repeat("x", test.bytes) + `"}}}`
		req := httptest.NewRequestWithContext(t.Context(), "POST", "http://ein.test/mcp", strings.NewReader(body))
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		resp := httptest.NewRecorder()
		if web.ServeHTTP(resp, req); resp.Code != test.status || !strings.Contains(resp.Body.String(), test.want) {
			t.Errorf("%s, %d bytes: %d\n%s", test.origin, test.bytes, resp.Code, resp.Body)
		}
	}
	for body, want := range map[string]string{ // errors of JSON-RPC, whatever the SDK says of them
		`{"jsonrpc":"2.0","id":1,"method":"none"}`:       `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"JSON RPC not handled: \"none\" unsupported"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`: `"code":-32600,"message":"invalid request: missing required \"params\""`,
		`hello`: `"code":-32700,"message":"malformed payload: `,
		`{}`:    `"code":-32600,"message":"malformed payload: `,
	} {
		req := httptest.NewRequestWithContext(t.Context(), "POST", "http://ein.test/mcp", strings.NewReader(body))
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		resp := httptest.NewRecorder()
		if web.ServeHTTP(resp, req); resp.Code != http.StatusBadRequest || resp.Header().Get("Content-Type") != "application/json" || !strings.Contains(resp.Body.String(), want) {
			t.Errorf("%s: %d %v\n%s", body, resp.Code, resp.Header(), resp.Body)
		}
	}
}

// TestGone: what an agent has asked for ends when it goes away.
func TestGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error)
	read := func(ctx context.Context, _ string) (io.ReadCloser, error) {
		leave()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
		}
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	web := mcp.Handler(mcp.New(serve.New(serve.Options{}), map[string]string{"A": "a.csv"}, read))
	body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ein://data/A"}}`
	req := httptest.NewRequestWithContext(ctx, "POST", "http://ein.test/mcp", strings.NewReader(body))
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	go web.ServeHTTP(httptest.NewRecorder(), req)
	if <-ended == nil {
		t.Error("it goes on")
	}
}

// TestLines: a line that is no message is told so, and the conversation goes on.
func TestLines(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	in := strings.Join([]string{`hello`, `{"id":1`, `{`, ``, `3`, `[1]`, `{"jsonrpc":"2.0"}`, ask, `nonsense {}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"run","arguments":{"program":"\ud800"}}}`, `{"id":"six","method":"ping"}`, "{\"id\":\"\xff\",\"method\":\"ping\"}",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 1 + 1"}}}`, ""}, "\n")
	r, w := io.Pipe()
	out := &told{until: "1 + 1 = 2", then: w}
	go func() { _, _ = io.Copy(w, strings.NewReader(in)) }()
	if err := mcp.Stdio(t.Context(), mcp.New(serve.New(serve.Options{}), nil, nil), r, out, time.Minute); err != nil {
		t.Error(err)
	}
	for want, n := range map[string]int{`"id":null,"error":{"code":-32700,`: 5, `"id":null,"error":{"code":-32600,`: 3, `"id":5,"error":{"code":-32700,`: 1, `"id":"six","error":{"code":-32600,`: 1, `"id":1,"result":`: 1, `1 + 1 = 2`: 2} {
		if got := strings.Count(out.String(), want); got != n {
			t.Errorf("%d of %s\n%s", got, want, out)
		}
	}
}

// TestLongLine: a call that is too long to be read is answered so, and the conversation goes on; so is a
// batch, which the version of the protocol does not have.
func TestLongLine(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	long := strings.Repeat("x", 17<<20)
	in := []string{
		ask, long, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"program":"` + long + `"}}}`,
		`{"method":"tools/call","params":{"name":"run","arguments":{"program":"{\"id\":7}` + long + `"}},"jsonrpc":"2.0","id":"three"}`,
		`{"method":"tools/call","params":{"name":"run","arguments":{"program":"` + long + `"},"id":7}}`,
		`[{"jsonrpc":"2.0","id":4,"method":"ping"}]`, `[]`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 1 + 1"}}}`, "",
	}
	r, w := io.Pipe()
	out := &told{until: "1 + 1 = 2", then: w}
	go func() { _, _ = io.WriteString(w, strings.Join(in, "\n")) }()
	if err := mcp.Stdio(t.Context(), mcp.New(serve.New(serve.Options{}), nil, nil), r, out, time.Minute); err != nil {
		t.Error(err)
	}
	for want, n := range map[string]int{
		`"id":null,"error":{"code":-32600,"message":"a line has more than 16.0 MiB`: 2, `"id":2,"error":{"code":-32600,`: 1, `"id":"three","error":{"code":-32600,`: 1,
		`"id":null,"error":{"code":-32600,"message":"a batch`: 2, `1 + 1 = 2`: 2,
	} {
		if got := strings.Count(out.String(), want); got != n {
			t.Errorf("%d of %s\n%s", got, want, out)
		}
	}
}

// TestBatches: a batch is answered whatever notifications are in it, and one that cannot be read
// ends nothing.
func TestBatches(t *testing.T) {
	const gone = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`
	const ask = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for batch, want := range map[string]string{
		"[]":                                    `-32600,"message":"a batch without a message;`,
		"[" + gone + "]":                        "",
		"[" + gone + "," + gone + "]":           "",
		"[" + ping("2") + "," + gone + "]":      `[{"jsonrpc":"2.0","id":2,"result":{}}]`,
		"[" + ping("2") + "," + ping("2") + "]": `-32600,"message":"a batch with two calls of the id 2;`,
		"[" + gone + "," + ping(`"a"`) + "," + gone + "," + ping("3") + "]": `[{"jsonrpc":"2.0","id":"a","result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]`,
	} {
		out := &told{}
		in := io.NopCloser(strings.NewReader(ask + batch + "\n" + ping("9") + "\n"))
		err := mcp.Stdio(t.Context(), mcp.New(serve.New(serve.Options{}), nil, nil), in, out, time.Minute)
		if last := "\n" + `{"jsonrpc":"2.0","id":9,"result":{}}`; err != nil || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), last) {
			t.Errorf("%s: %v\n%s\nhas no %s", batch, err, out, want)
		}
	}
}

// TestLastAnswers: the requests before the end are answered.
func TestLastAnswers(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 1 + 1"}}}
{"jsonrpc":"2.0","id":3,"method":"none"}
`
	out := &told{}
	if err := mcp.Stdio(t.Context(), mcp.New(serve.New(serve.Options{}), nil, nil), io.NopCloser(strings.NewReader(ask)), out, time.Minute); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":1,"result":`, `"id":2,"result":`, `"id":3,"error":`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s\n%s", want, out)
		}
	}
}

// TestEnd: the end waits for no call that the agent has cancelled or that ends only with the
// conversation, and for all others as long as answers come.
func TestEnd(t *testing.T) {
	const patience = time.Second
	data, long := map[string]string{}, ""
	for i := range 15 {
		name := fmt.Sprint("R", i)
		data[name] = name + ".csv"
		long += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"ein://data/%s"}}`+"\n", 10+i, name)
	}
	const run = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"program":":print sum(betweenness(ones(1500, 1500)))"}}}`
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	for name, test := range map[string]struct {
		ask      string
		patience time.Duration
		want     string
	}{
		"cancelled":         {run + "\n" + cancel, time.Hour, ""},
		"cancelled at once": {"[" + run + "," + cancel + "]", time.Hour, ""},
		"cancelled by text": {strings.NewReplacer(`"id":2`, `"id":"2"`, `"requestId":2`, `"requestId":"2"`).Replace(run + "\n" + cancel), time.Hour, ""},
		"listening":         {`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`, time.Hour, ""},
		"long":              {long, patience, `"id":24,"result"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in which time is virtual
				in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + test.ask + "\n"
				out := &told{}
				done := make(chan error)
				read := func(_ context.Context, name string) (io.ReadCloser, error) {
					i, _ := strconv.Atoi(name[1:])
					time.Sleep(time.Duration(1+i) * patience / 10) // one after another
					return io.NopCloser(strings.NewReader(name)), nil
				}
				s := mcp.New(serve.New(serve.Options{}), data, read)
				go func() { done <- mcp.Stdio(t.Context(), s, io.NopCloser(strings.NewReader(in)), out, test.patience) }()
				select {
				case err := <-done:
					if err != nil || !strings.Contains(out.String(), test.want) || strings.Contains(out.String(), `"id":2,`) || strings.Contains(out.String(), `"id":"2",`) {
						t.Errorf("%v\n%s", err, out)
					}
				case <-time.After(10 * time.Second):
					t.Errorf("it ended late, with %v", <-done)
				}
			})
		})
	}
}

// told is what is written, which closes then when it has a text.
type told struct {
	bytes.Buffer
	until string
	then  io.Closer
}

func (w *told) Write(p []byte) (int, error) {
	if w.then != nil && strings.Contains(string(p), w.until) {
		defer func() { _ = w.then.Close() }()
	}
	return w.Buffer.Write(p)
}

func (*told) Close() error { return nil }
