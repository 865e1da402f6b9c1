package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// server is the real command, serving over HTTP.
type server struct {
	*exec.Cmd
	url string
	log bytes.Buffer
}

func startServer(t *testing.T, verb string, args ...string) *server {
	t.Helper()
	s := &server{Cmd: exec.Command("ein", append([]string{verb, "--listen", "127.0.0.1:0"}, args...)...)}
	s.Stderr = &s.log
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log.String())
	}
	s.url = strings.TrimSpace(line)
	return s
}

// TestServeHost: without a token, a server on this machine answers only who calls it by a name of
// this machine, and no page of a site whose name leads here.
func TestServeHost(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	open, mcp, guarded := startServer(t, "serve"), startServer(t, "mcp"), startServer(t, "serve", "--token-file", token)
	for _, test := range []struct {
		server *server
		path   string
		host   string
		status int
	}{
		{open, "/version", "", 200},
		{open, "/version", "LOCALHOST", 200},
		{open, "/version", "localhost:99", 200},
		{open, "/version", "[::1]", 200},
		{open, "/version", "127.1.2.3:80", 200},
		{open, "/version", "site.example", 403},
		{open, "/version", "localhost.site.example:80", 403},
		{open, "/version", "10.0.0.1", 403},
		{mcp, "/mcp", "site.example", 403},
		{guarded, "/version", "site.example", 200},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, test.server.url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer 0123456789abcdef")
		req.Host = test.host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != test.status || test.status == 403 && !strings.Contains(string(body), "--token-file") {
			t.Errorf("%s for the host %q: %d, want %d\n%s", test.path, test.host, resp.StatusCode, test.status, body)
		}
	}
}

// TestServeDrains: at SIGTERM under load nothing that was accepted is lost, nor when a terminal closes,
// at which the shell and the system each send SIGHUP.
func TestServeDrains(t *testing.T) {
	t.Run("SIGTERM", func(t *testing.T) { drains(t, syscall.SIGTERM) })
	t.Run("SIGHUP", func(t *testing.T) {
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGHUP) // or the server would ignore it if these tests run under nohup
		defer signal.Stop(heard)
		drains(t, syscall.SIGHUP, syscall.SIGHUP)
	})
}

func drains(t *testing.T, signals ...os.Signal) {
	s := startServer(t, "serve", "--drain-delay", "2s")
	var answered, ready atomic.Int64
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for i := 0; ; i++ {
				item := fmt.Sprintf(`{"id":"cb2-train-degree_count-%d-s7","reply":"{\"answer\": 3}"}`, i%8)
				resp, err := client.Post(s.url+"/v1/score", "application/json", strings.NewReader(`{"items":[`+strings.Repeat(item+",", 20)+item+`]}`))
				if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) {
					return // it was not accepted
				}
				if err != nil {
					t.Errorf("a request was lost: %v", err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != 200 || !bytes.Contains(body, []byte(`"status":"scored"`)) {
					t.Errorf("%v, %d, %s", err, resp.StatusCode, body)
				}
				if answered.Add(1) == 100 {
					for _, sig := range signals {
						if err := s.Process.Signal(sig); err != nil {
							t.Error(err)
						}
						time.Sleep(time.Millisecond) // two that are pending count as one
					}
				}
				if resp, err := http.Get(s.url + "/readyz"); err == nil {
					if _ = resp.Body.Close(); resp.StatusCode == http.StatusServiceUnavailable {
						ready.Add(1)
						if !resp.Close {
							t.Error("the connection stays, and the next request on it may meet its end")
						}
					}
				}
			}
		})
	}
	clients.Wait()
	if err := s.Wait(); err != nil {
		t.Errorf("%v\n%s", err, s.log.String())
	}
	if ready.Load() == 0 {
		t.Error("/readyz did not tell that the server drains")
	}
}

// TestServeDrainTimeout: a stream that takes longer than the server drains ends with the error.
func TestServeDrainTimeout(t *testing.T) {
	s := startServer(t, "serve", "--drain-delay", "1ms", "--drain-timeout", "50ms")
	resp, err := http.Post(s.url+"/v1/generate", "application/json", strings.NewReader(`{"split":"train","seed":7,"categories":["degree_count"],"per_category":10000,"n":[100,100]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	last, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for line := ""; err == nil; line, err = lines.ReadString('\n') {
		last = cmp.Or(line, last)
	}
	if errors.Is(err, io.EOF) || !strings.Contains(last, `"error":{"class":"limit"`) {
		t.Errorf("%v after %.200s", err, last)
	}
	if s.Wait() == nil {
		t.Error("the exit status says that all requests were answered")
	}
}

// TestServeNohup: a server that was started to outlive its terminal does so.
func TestServeNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	s := startServer(t, "serve", "--drain-delay", "0")
	signal.Reset(syscall.SIGHUP)
	for range 10 {
		if err := s.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(s.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	if err := errors.Join(s.Process.Signal(syscall.SIGTERM), s.Wait()); err != nil {
		t.Errorf("%v\n%s", err, s.log.String())
	}
}

// TestServeToken: without the token only the probes are answered.
func TestServeToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "serve", "--token-file", file, "--drain-delay", "1ms")
	for _, test := range []struct {
		path, token string
		want        int
	}{
		{"/version", "", 401}, {"/version", "Bearer 0123456789abcdee", 401}, {"/version", "Bearer 0123456789abcdef", 200}, {"/version", "bearer 0123456789abcdef", 200}, {"/version?token=0123456789abcdef", "", 401},
		{"/metrics", "", 401}, {"/livez", "", 200}, {"/readyz", "", 200}, {"/nothing", "", 404},
	} {
		req, err := http.NewRequest(http.MethodGet, s.url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.token != "" {
			req.Header.Set("Authorization", test.token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != test.want || test.want >= 400 && !bytes.Contains(body, []byte(`"class":"request"`)) {
			t.Errorf("%s with %q: %d %s, want %d", test.path, test.token, resp.StatusCode, body, test.want)
		}
	}
	if err := errors.Join(s.Process.Signal(syscall.SIGTERM), s.Wait()); err != nil {
		t.Errorf("%v\n%s", err, s.log.String())
	}
}

// TestAgent: a client of the package mcp, where it is installed, uses the command over
// standard input and output and over HTTP.
func TestAgent(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if err := exec.Command(python, "-c", "import mcp").Run(); err != nil {
		t.Skip("python3 has no mcp")
	}
	data := filepath.Join(t.TempDir(), "owners.csv")
	if err := os.WriteFile(data, []byte("source,target\nacme,shell\nshell,zenith\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ein, err := exec.LookPath("ein")
	if err != nil {
		t.Fatal(err)
	}
	agent := filepath.Join("..", "..", "testdata", "agent.py")
	if out, err := exec.Command(python, agent, "stdio", ein, "mcp", "--input", "Owners="+data).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	s := startServer(t, "mcp", "--input", "Owners="+data, "--drain-delay", "1ms")
	if out, err := exec.Command(python, agent, "http", s.url+"/mcp").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := errors.Join(s.Process.Signal(syscall.SIGTERM), s.Wait()); err != nil {
		t.Errorf("%v\n%s", err, s.log.String())
	}
}
