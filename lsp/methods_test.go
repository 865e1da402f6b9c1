package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ein/internal/golden"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// TestServed: what the table names is there, which the library's defaults are not.
func TestServed(t *testing.T) {
	for _, m := range served {
		switch m.method {
		case protocol.MethodInitialize, protocol.MethodShutdown, protocol.MethodExit, protocol.MethodCancelRequest:
			continue // see the tests of their own
		}
		c := start(t, "", Options{})
		_, err := c.conn.Call(c.ctx, m.method, jsonrpc2.RawMessage(`{}`), nil)
		var wire *jsonrpc2.Error
		if errors.As(err, &wire) && wire.Code == jsonrpc2.MethodNotFound {
			t.Errorf("%s: %v", m.method, err)
		}
		c.leave()
	}
}

// TestDocumented: docs/lsp.md has all methods. -update writes it.
func TestDocumented(t *testing.T) {
	name := filepath.Join("..", "docs", "lsp.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- methods -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(page), begin)
	table, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no %s", name, strings.TrimSpace(begin))
	}
	var b strings.Builder
	b.WriteString("| method | |\n| --- | --- |\n")
	var others []string
	for _, m := range served {
		if m.about == "" {
			others = append(others, "`"+m.method+"`")
		} else {
			fmt.Fprintf(&b, "| `%s` | %s |\n", m.method, m.about)
		}
	}
	fmt.Fprintf(&b, "\nAlso %s.\n", strings.Join(others, ", "))
	if table == b.String() {
		return
	}
	if !*golden.Update {
		t.Fatalf("%s has another table of methods; go test ./lsp -update writes it", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTypeTriggers: each character that the server wants to hear of when it is typed formats what it ends.
func TestTypeTriggers(t *testing.T) {
	c := startRaw(t, Options{})
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	result := c.answer(0)["result"].(map[string]any)["capabilities"].(map[string]any)["documentOnTypeFormattingProvider"].(map[string]any)
	for i, ch := range append(result["moreTriggerCharacter"].([]any), result["firstTriggerCharacter"]) {
		text := map[any]string{"\n": "A=1\n", ";": "A=1;", "}": "repeat 2 {A=1}"}[ch]
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.ein","languageId":"ein","version":1,"text":%q}}}`, text))
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/onTypeFormatting","params":{"textDocument":{"uri":"file:///x.ein"},"position":{"line":9,"character":0},"ch":%q,"options":{"tabSize":2,"insertSpaces":true}}}`, i+1, ch))
		if edits, _ := c.answer(i + 1)["result"].([]any); len(edits) == 0 {
			t.Errorf("%q formats nothing", ch)
		}
	}
}
