package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ein"
)

// fuzzed is a server with small limits and no Python, and the last line that it has logged: a route
// of a stack does not give a panic the status 500.
func fuzzed(f *testing.F) (*Server, *bugs) {
	opt := Options{Limits: ein.Limits{MaxOps: 1e6, MaxBytes: 64 << 20}, Timeout: time.Second}
	opt.Sandbox.Python = "/nonexistent/python"
	logged := &bugs{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, nil)))
	f.Cleanup(func() { slog.SetDefault(before) })
	s := New(opt)
	f.Cleanup(s.Close)
	return s, logged
}

type bugs struct{ atomic.Pointer[string] }

func (b *bugs) Write(p []byte) (int, error) {
	text := string(p)
	b.Store(&text)
	return len(p), nil
}

func (b *bugs) none(t *testing.T) {
	t.Helper()
	if text := b.Swap(nil); text != nil {
		t.Error(*text)
	}
}

// FuzzCall: whatever is asked, with whatever in a frame, has an answer that is no bug, and JSON where
// that is said.
func FuzzCall(f *testing.F) {
	s, logged := fuzzed(f)
	for _, r := range s.routes {
		f.Add(r.Method+" "+r.Path, "{}", []byte{})
	}
	const id = "cb2-train-degree_count-0-s7"
	for _, call := range [][2]string{
		{"POST /v1/run", `{"program":"input A: graph\n:print A","form":"arrays","labels":true,"nodes":["a","b"],"inputs":{"A":{"array":{"layout":"bits","dtype":"bool","shape":[2,2],"parts":[0]}}}}`},
		{"POST /v1/run", `{"program":"input A: matrix\n:print A","inputs":{"A":{"array":{"layout":"csr","dtype":"int8","shape":[2,2],"parts":["AAAAAAEAAAABAAAA",0,"AQ=="]}}}}`},
		{"POST /v1/run", `{"program":"input A: matrix\n:print A","inputs":{"A":{"array":{"layout":"edges","dtype":"float32","shape":[2,2],"parts":[0]}}}}`},
		{"POST /v1/run", `{"program":"input R(a: node, n: int)\nR(x, n)?","form":"json2","inputs":{"R":[["a",1]]}}`},
		{"POST /v1/check", `{"program":"input A: graph\n:print A","inputs":{"A":{"text":"x,y\na,b\n","options":"header=yes"}}}`},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).","expression":"R(\"a\",\"b\")","name":"p"}`},
		{"POST /v1/score", `{"items":[{"id":"` + id + `","reply":"3","mode":"direct"}]}`},
		{"POST /v1/reward", `{"items":[{"id":"` + id + `","reply":"a` + "\xff" + `","mode":"ein"}]}`},
		{"POST /v1/generate", `{"split":"train","seed":1,"categories":["degree_count"],"per_category":1}`},
		{"GET /v1/instances/" + id + "?mode=cot", ``}, {"GET /v1/doc/%ff", ``},
		{"POST /verify", `{"responses_create_params":{"input":[]},"id":"` + id + `","response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"3"}]}]}}`},
		{"POST /aggregate_metrics", `{"verify_responses":[{"reward":1,"_ng_task_index":0},{"reward":0,"_ng_task_index":0}]}`},
		{"POST /get_reward", `{"query":["q3"],"prompts":["q"],"labels":["direct:` + id + `"]}`},
		{"POST /slime", `{"prompt":[],"response":"3","label":"` + id + `"}`},
		{"POST /run_code", `{"code":":print 1","language":"ein","files":{}}`},
		{"POST /step", `{"action":{"id":"` + id + `","answer":-1},"timeout_s":5}`},
		{"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 2"}}}`},
	} {
		f.Add(call[0], call[1], []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, call, body string, frame []byte) {
		c := &Call{framed: true, Body: []byte(body), Frames: [][]byte{frame}}
		if !s.find(c, call) {
			return
		}
		a := s.whole(t.Context(), c)
		logged.none(t)
		if a.Status == http.StatusInternalServerError || a.Type == "" && len(a.Body) > 0 && c.Route.Path != "/v1/generate" && !json.Valid(a.Body) {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
	})
}

// FuzzStdio: whatever comes ends the conversation with whole messages, none of them of a bug.
func FuzzStdio(f *testing.F) {
	s, logged := fuzzed(f)
	const run = `{"id":1,"call":"POST /v1/run","body":22,"frames":[1]}` + "\n" + `{"program":":print 1"}x`
	for _, text := range []string{run, run + run, `{"id":1,"cancel":true}` + "\n" + run, `{"id":1,"call":"GET /livez"}` + "\n", `{"id":1,"body":-1}` + "\n", `{"frames":[1,9223372036854775807]}` + "\n", "\n", "{"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		_ = s.Stdio(t.Context(), bytes.NewReader(data), &out, math.MaxInt64) // which says what is wrong
		logged.none(t)
		r := bufio.NewReader(&out)
		if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"ein":`) {
			t.Fatalf("%q, %v", line, err)
		}
		for {
			h, call, err := readMessage(r)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil || h.Status == 0 || h.Status == http.StatusInternalServerError {
				t.Fatalf("%+v %v, %v", h, call, err)
			}
		}
	})
}

// FuzzTalk: every message of a conversation over a WebSocket but a notification and the last has an
// answer, and no bug ends it.
func FuzzTalk(f *testing.F) {
	s, logged := fuzzed(f)
	for _, text := range []string{`{"type":"reset","data":{"seed":3}}`, `{"type":"step","data":{"reply":"7"}}`, `{"type":"step","data":{"type":"call_tool","tool_name":"run","arguments":{"program":":print 1"}}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}`, `{"type":"state"}`, `{"type":"close"}`, `{"type":`} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		x := &session{}
		c := &Call{Route: &Route{Method: "GET", Path: "/ws", Hold: true, lenient: true, said: true}}
		for _, text := range []string{first, second} {
			out, _ := s.next(t.Context(), x, c, []byte(text))
			if out != nil && !json.Valid(encode(out)) || out != nil && strings.Contains(string(out.Data), "BUG") {
				t.Errorf("%s: %s", text, out.Data)
			}
		}
		logged.none(t)
	})
}
