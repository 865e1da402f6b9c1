package mcp_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"ein"
	"ein/serve"
	"ein/serve/mcp"
)

// FuzzLines: whatever lines an agent writes, every line of the answer is JSON, and the call behind them
// is answered.
func FuzzLines(f *testing.F) {
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	call := func(rest string) string { return `{"jsonrpc":"2.0","id":2,"method":` + rest + "}\n" }
	for _, text := range []string{
		"", "{", "[]", "7\n", "\xff\n", begin, begin + begin, `[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"result":{}}]`,
		begin + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + call(`"tools/list"`),
		begin + call(`"tools/call","params":{"name":"run","arguments":{"program":":print 1","inputs":{"A":{"text":"a,b"}}}}`),
		begin + call(`"tools/call","params":{"name":"why","arguments":{"program":"x = 1","expression":"x"}}`) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		begin + call(`"tools/call","params":{"name":"doc","arguments":null}`) + call(`"resources/read","params":{"uri":"ein://language"}`) + call(`"prompts/list"`),
	} {
		f.Add(text)
	}
	s := mcp.New(serve.New(serve.Options{Limits: ein.Limits{MaxOps: 1e6, MaxBytes: 64 << 20}, Timeout: time.Second}), nil, nil)
	f.Fuzz(func(t *testing.T, text string) {
		out := &told{}
		in := io.NopCloser(strings.NewReader(text + "\n" + `{"jsonrpc":"2.0","id":"the last","method":"ping"}` + "\n"))
		if err := mcp.Stdio(t.Context(), s, in, out, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q", line)
			}
		}
		if !strings.Contains(out.String(), `"id":"the last"`) {
			t.Errorf("no answer to the last call\n%s", out)
		}
	})
}
