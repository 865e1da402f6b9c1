package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// TestLanguageServer talks to the real command over its pipes: diagnostics come by
// themselves after the pause, a hover is answered, and the command exits with 0.
func TestLanguageServer(t *testing.T) {
	cmd := exec.Command("ein", "lsp", "--debounce", "1ms")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	send := func(body string) {
		t.Helper()
		if _, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
	}
	r := bufio.NewReader(out)
	wait := func(part string) {
		t.Helper()
		for {
			length := 0
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					t.Fatalf("no message with %s: %v\n%s", part, err, log.String())
				}
				if line = strings.TrimSpace(line); line == "" {
					break
				}
				if _, err := fmt.Sscanf(line, "Content-Length: %d", &length); err != nil {
					t.Fatal(err)
				}
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(r, body); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(body), part) {
				return
			}
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	wait(`"capabilities"`)
	send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p.ein","languageId":"ein","version":1,"text":"A = tc(B)\n"}}}`)
	wait("there is no tensor `B`")
	send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///p.ein"},"position":{"line":0,"character":5}}}`)
	wait("transitive closure")
	send(`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`)
	wait(`"id":3,"result":null`)
	send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
}
