package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of one connection, whose time is that of the test.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestDeafClients: a client that does not read its answer is left, in the middle of a stream and of
// a conversation too.
func TestDeafClients(t *testing.T) {
	const frame = "\x81\x90\x00\x00\x00\x00" + `{"type":"state"}`
	body := `{"split":"train","seed":1,"per_category":9}`
	for name, asks := range map[string]string{
		"stream":       fmt.Sprintf("POST /v1/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body),
		"conversation": "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n" + frame,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, ended := false, false
				s := New(Options{})
				l := make(pipes, 1)
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					defer func() { ended = true }()
					begun = true
					s.Handler().ServeHTTP(w, req)
				})}
				go func() { _ = server.Serve(l) }()
				client, conn := net.Pipe()
				l <- conn
				go func() { _, _ = io.WriteString(client, asks) }()
				if name == "conversation" {
					resp, err := http.ReadResponse(bufio.NewReaderSize(client, 16), nil)
					if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
						t.Error(resp, err)
					}
				}
				time.Sleep(20 * time.Minute)
				synctest.Wait()
				if !begun || !ended {
					t.Errorf("begun %v, ended %v", begun, ended)
				}
				_, _ = client.Close(), server.Close()
			})
		})
	}
}
