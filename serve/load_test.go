package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// replies are bodies of /v1/score with so many items each, of 64 questions, every program
// another text.
func replies(tb testing.TB, all, batch int) [][]byte {
	tb.Helper()
	s := New(Options{ShowAnswers: true})
	var ids, programs []string
	for i := range 64 {
		var in struct {
			Instance struct {
				ID      string `json:"id"`
				Program string `json:"ein_program"`
			} `json:"instance"`
		}
		a := s.Ask(context.Background(), fmt.Sprintf("GET /v1/instances/cb2-train-degree_count-%d-s7", i), nil)
		if err := json.Unmarshal(a.Body, &in); err != nil || a.Status != 200 {
			tb.Fatalf("%s %v", a.Body, err)
		}
		ids, programs = append(ids, in.Instance.ID), append(programs, in.Instance.Program)
	}
	var bodies [][]byte
	for at := 0; at < all; at += batch {
		var q ScoreRequest
		for i := at; i < min(at+batch, all); i++ {
			q.Items = append(q.Items, Item{ID: ids[i%64], Mode: "ein", Reply: fmt.Sprintf("```ein\n// sample %d\n%s\n```", i, programs[i%64])})
		}
		bodies = append(bodies, encode(q))
	}
	return bodies
}

// TestLoad: many times what the queue takes, in batches of every size. Nothing is lost:
// a request is answered, or told when to come again.
func TestLoad(t *testing.T) {
	all := 16384
	if testing.Short() {
		all = 1024
	}
	s := New(Options{})
	s.ein.most = 2048
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 128, MaxIdleConnsPerHost: 128}}
	var scored, shed atomic.Int64
	send := func(body []byte) {
		for {
			resp, err := client.Post(web.URL+"/v1/score", "application/json", bytes.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			switch {
			case err == nil && resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") != "" && bytes.Contains(got, []byte(`"class":"limit"`)):
				shed.Add(1)
				time.Sleep(5 * time.Millisecond) // the header says a second: a test is in a hurry
			case err == nil && resp.StatusCode == 200:
				scored.Add(int64(bytes.Count(got, []byte(`"outcome":"strict"`))))
				return
			default:
				t.Errorf("%v %d %.200s", err, resp.StatusCode, got)
				return
			}
		}
	}
	for _, batch := range []int{1, 64, 1024} {
		scored.Store(0)
		bodies := replies(t, all, batch)
		work := make(chan []byte)
		var clients sync.WaitGroup
		for range 128 {
			clients.Go(func() {
				for body := range work {
					send(body)
				}
			})
		}
		for _, body := range bodies {
			work <- body
		}
		close(work)
		clients.Wait()
		if n := scored.Load(); n != int64(all) {
			t.Errorf("batches of %d: %d of %d replies were scored", batch, n, all)
		}
		if n := s.ein.length(); n != 0 {
			t.Errorf("batches of %d: %d items are left in the queue", batch, n)
		}
	}
	if !testing.Short() && shed.Load() == 0 {
		t.Error("the queue was never full: the test is too easy")
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapInuse > 100<<20 {
		t.Errorf("the heap has %d MB after all", m.HeapInuse>>20)
	}
}

// BenchmarkScore is the time of a reply, in batches, over HTTP.
func BenchmarkScore(b *testing.B) {
	for _, batch := range []int{1, 64, 1024} {
		b.Run(fmt.Sprint(batch), func(b *testing.B) {
			bodies := replies(b, 4096, batch)
			web := httptest.NewServer(New(Options{}).Handler())
			defer web.Close()
			i := 0
			for b.Loop() {
				resp, err := http.Post(web.URL+"/v1/score", "", bytes.NewReader(bodies[i%len(bodies)]))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(i*batch), "µs/reply")
		})
	}
}

// BenchmarkRun is a small program over streams, as the Python package asks.
func BenchmarkRun(b *testing.B) {
	s := New(Options{})
	body := []byte(`{"program":"A = edges([[0,1],[1,2],[2,3],[3,4],[4,5]])\nx = has_path(A,0,5)\n:print x","form":"arrays"}`)
	b.ReportAllocs()
	for b.Loop() {
		if a := s.Ask(context.Background(), "POST /v1/run", body); a.Status != 200 {
			b.Fatalf("%s", a.Body)
		}
	}
}

// TestHostile: whatever is sent, the answer is a 4xx with our error object, and the server
// lives.
func TestHostile(t *testing.T) {
	opt := Options{Body: 1 << 20}
	opt.Limits.MaxBytes = 64 << 20
	web := httptest.NewServer(New(opt).Handler())
	defer web.Close()
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	var bodies []string
	for _, n := range []int{65, 1000, 100_000, 500_000} {
		bodies = append(bodies, deep("[", "]", n), deep(`{"program":`, "}", n/10+65), strings.Repeat(`[{"a":`, n/10+65))
	}
	bodies = append(bodies, "", " ", "null", "true", "7", `"x"`, "[]", "[1,2", "{", "}", `{"program"}`, `{"program":}`, `{program:1}`, `{'program':'x'}`, "\x00", "\xff\xfe", "\xef\xbb\xbf{}", `{"program":"x"}}`, `{"program":"x"} {}`,
		`{"program":"x","program":"y"}`, `{"program":"x","Program":"y"}`, `{"PROGRAM":"x"}`, `{"program":"\ud800"}`, "{\"program\":\"\xff\"}", `{"program":"`+"\n"+`"}`, `{"program":1e999}`, `{"limits":{"ops":-1},"program":"x = 1"}`,
		`{"limits":{"ops":1.5},"program":"x = 1"}`, `{"limits":{"ops":1e30},"program":"x = 1"}`, `{"limits":[],"program":"x = 1"}`, `{"limits":{"timeout_ms":"1"},"program":"x = 1"}`, `{"inputs":[],"program":"x = 1"}`, `{"inputs":{"A":},"program":"x = 1"}`,
		`{"nodes":"abc","program":"x = 1"}`, `{"nodes":[1],"program":"x = 1"}`, `{"form":7,"program":"x = 1"}`, `{"labels":"yes","program":"x = 1"}`, `{"program":["x"]}`, `{"program":{"text":"x"}}`, `{"name":1,"program":"x"}`, `NaN`, `{"program":NaN}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"dense","dtype":"bool","shape":[-1,2],"parts":[]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"dense","dtype":"bool","shape":[99999999999999999999],"parts":[]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"bits","dtype":"bool","shape":[2147483647,2147483647],"parts":[""]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"csr","dtype":"bool","shape":[2147483647,2147483647],"parts":["",""]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"edges","dtype":"bool","shape":[2147483647,2147483647],"parts":["AAAAAAAAAAAAAAAAAAAAAA==","AA=="]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"dense","dtype":"bool","shape":[1,1],"parts":["!!!"]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"dense","dtype":"bool","shape":[1,1],"parts":[9007199254740993]}}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"array":null}}}`, `{"program":"input A: graph\n:print A","inputs":{"A":{"text":7}}}`, `{"program":"input A: graph\n:print A","inputs":{"A":{"text":"","options":"format=npy"}}}`,
		`{"program":"input A: graph\n:print A","inputs":{"A":{"nodes":99999999999,"edges":[]}}}`, `{"program":"input A: graph\n:print A","inputs":{"A":null}}`,
		`{"program":":print zeros(99999, 99999)","limits":{"bytes":1000000}}`, `{"program":"`+strings.Repeat("(", 100_000)+`"}`, `{"program":"`+strings.Repeat("x = 1;", 100_000)+`y"}`)
	paths := []string{"/v1/run", "/v1/score", "/v1/reward", "/v1/generate", "/verify", "/get_reward", "/slime", "/step"}
	sent := 0
	for _, path := range paths {
		for _, body := range bodies {
			if path != "/v1/run" && strings.Contains(body, "program") {
				continue
			}
			resp, err := http.Post(web.URL+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Errorf("%s %.80q: %v", path, body, err)
				continue
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			sent++
			if err != nil || resp.StatusCode < 400 || resp.StatusCode > 499 || !bytes.Contains(got, []byte(`{"version":1,"error":{"class":"`)) {
				t.Errorf("%s %.80q: %d %.300s", path, body, resp.StatusCode, got)
			}
		}
	}
	if sent < 100 {
		t.Errorf("only %d bodies", sent)
	}
	raw := func(name, text string, half bool, want string) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if half {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		line, err := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 "+want) {
			t.Errorf("%s: %q, %v, want %s", name, line, err, want)
		}
	}
	raw("half-closed in the body", "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", true, "400")
	raw("half-closed in a chunk", "POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"p", true, "400")
	raw("no chunk", "POST /v1/run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", false, "400")
	raw("no length", "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n{}", false, "400")
	raw("too long before it is sent", "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", false, "413")
	raw("no method", "\x16\x03\x01\r\n\r\n", false, "400")
	// Slow clients: some stop in a header or a body, others never read their answer. They
	// hold nobody up.
	for i := range 300 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		text := []string{"POST /v1/run HTTP/1.1\r\nHo", "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n{",
			strings.Repeat("GET /v1/doc/all HTTP/1.1\r\nHost: x\r\n\r\n", 20)}[i%3]
		if _, err := io.WriteString(conn, text); err != nil {
			t.Error(err)
		}
	}
	resp, err := http.Post(web.URL+"/v1/run", "", strings.NewReader(`{"program":"x = 1"}`))
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("the server is dead: %v", err)
	}
	_ = resp.Body.Close()
}

// late is a client whose body comes when it is too late: it is read until the deadline.
type late struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (l *late) SetReadDeadline(at time.Time) error {
	l.deadline = at
	return nil
}

func (l *late) Read([]byte) (int, error) {
	if left := time.Until(l.deadline); left <= 0 || left > bodyTime {
		return 0, errors.New("it would be waited for for ever")
	}
	return 0, os.ErrDeadlineExceeded
}

// TestSlowBody: a body that does not end is not waited for, and the connection is then as
// it was.
func TestSlowBody(t *testing.T) {
	l := &late{ResponseRecorder: httptest.NewRecorder()}
	New(Options{}).Handler().ServeHTTP(l, httptest.NewRequest("POST", "/v1/run", l))
	if l.Code != http.StatusRequestTimeout || !strings.Contains(l.Body.String(), "did not come within 1m0s") || !l.deadline.IsZero() {
		t.Errorf("%d %s, deadline %v", l.Code, l.Body, l.deadline)
	}
}
