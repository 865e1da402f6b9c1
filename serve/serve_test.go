package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// client is one end of a conversation over streams.
type client struct {
	t  *testing.T
	w  io.WriteCloser
	r  *bufio.Reader
	id uint64
}

// talk starts a conversation; end closes it and gives what Stdio did.
func talk(t *testing.T, opt Options) (c *client, end func() error) {
	t.Helper()
	return talkUntil(t, opt, math.MaxInt64)
}

func talkUntil(t *testing.T, opt Options, drain time.Duration) (c *client, end func() error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- New(opt).Stdio(context.Background(), inR, outW, drain)
		_ = outW.Close()
		_ = inR.Close()
	}()
	c = &client{t: t, w: inW, r: bufio.NewReader(outR)}
	if line, err := c.r.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"ein":{"protocol":1,`) {
		t.Fatalf("the greeting is %q, %v", line, err)
	}
	return c, func() error {
		_ = inW.Close()
		return <-done
	}
}

func (c *client) send(call string, body any, frames ...[]byte) uint64 {
	c.t.Helper()
	c.id++
	text := []byte(nil)
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	default:
		text = encode(b)
	}
	h := header{ID: c.id, Call: call, Body: int64(len(text))}
	for _, f := range frames {
		h.Frames = append(h.Frames, int64(len(f)))
	}
	if _, err := c.w.Write(bytes.Join(append([][]byte{append(encode(h), '\n'), text}, frames...), nil)); err != nil {
		c.t.Fatal(err)
	}
	return c.id
}

func (c *client) receive() (header, *Call) {
	c.t.Helper()
	h, call, err := readMessage(c.r)
	if err != nil {
		c.t.Fatal(err)
	}
	return h, call
}

func (c *client) ask(call string, body any, frames ...[]byte) (int, string, [][]byte) {
	c.t.Helper()
	id := c.send(call, body, frames...)
	h, got := c.receive()
	if h.ID != id {
		c.t.Fatalf("the answer is to %d, want %d", h.ID, id)
	}
	return h.Status, string(got.Body), got.Frames
}

func little[T any](values ...T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return b
}

// TestCalls: what is asked over streams and over HTTP has one answer.
func TestCalls(t *testing.T) {
	c, end := talk(t, Options{})
	web := httptest.NewServer(New(Options{}).Handler())
	defer web.Close()
	doc := spec(t)
	for _, test := range []struct {
		call, body string
		status     int
		want       []string // in the answer
	}{
		{"POST /v1/run", `{"program":":print tc(edges([[0,1],[1,2]]))"}`, 200, []string{`"value":[[0,1,1],[0,0,1],[0,0,0]]`, `"stats":{"ops":`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print desc(A,\"a\")","inputs":{"A":[["a","b"],["b","c"]]},"labels":true,"form":"text"}`, 200, []string{`"text":"desc(A, \"a\") = {b, c}\n"`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print desc(A,\"a\")","inputs":{"A":{"text":"x,y\na,b\n","options":"header=yes"}},"labels":true,"form":"json2"}`, 200, []string{`"labels":["a","b"]`, `"nodes":[1]`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print sum(A)","inputs":{"A":{"text":"x,y\na,b\n","options":"header"}}}`, 400, []string{`the options of the input A: expected option=value, found \"header\"`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":"x,y\na,b\n","options":"header"}},"expression":"sum(A)"}`, 400, []string{`the options of the input A: expected option=value, found \"header\"`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":7}},"expression":"sum(A)"}`, 422, []string{`"file":"A","code":"E0701"`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":["a"]}},"expression":"sum(A)"}`, 400, []string{`the input A: /text: expected text, found an array`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print sum(A)","inputs":{"A":{"text":"a,b,note\na,b,x?\nb,c,z\n","options":"from=a&to=b&where=note==x?"}}}`, 200, []string{`"value":1`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":"a,b,note\na,b,x?\nb,c,z\n","options":"from=a&to=b&where=note==x?"}},"expression":"has_path(A, \"a\", \"b\")"}`, 200, []string{`"text":"yes: a -> b`}},
		{"POST /v1/run", `{"program":"x = y"}`, 422, []string{`"class":"check"`, `"code":"E0201"`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print tc(A)","inputs":{"B":[[0,1]]}}`, 422, []string{`"code":"E0705"`}},
		{"POST /v1/run", `{"program":":print tc(edges([[0,1]]))","limits":{"ops":1}}`, 422, []string{`"class":"limit"`, `"code":"E0531"`}},
		{"POST /v1/run", `{"program":"x = 1","form":"xml"}`, 400, []string{`there is no form \"xml\"`}},
		{"POST /v1/run", `{"program":"x = 1","profile":"half"}`, 400, []string{`there is no profile \"half\"`}},
		{"POST /v1/run", `{"program":"x = 1","program":"x = 2"}`, 400, []string{`the member /program is there twice`}},
		{"POST /v1/run", `{"program":"x = 1","colour":2}`, 400, []string{`there is no member /colour; there are program, `}},
		{"POST /v1/run", `{"program":7}`, 400, []string{`/program: expected text, found a number`}},
		{"POST /v1/run", `{"program":"x = 1"`, 400, []string{`the body is not JSON`}},
		{"POST /v1/run", strings.Repeat("[", 100000), 400, []string{`nested 100000 deep, at most 64`}},
		{"POST /v1/check", `{"program":"x = y","name":"a.ein"}`, 200, []string{`"file":"a.ein"`, `a.ein:1:5`}},
		{"POST /v1/check", `{"program":"input A: graph\n:print A[7,0]"}`, 200, []string{`"diagnostics":[]`}},
		{"POST /v1/check", `{"program":"input A: graph\nx = 1\n:print A[7,0]\ny = 2","inputs":{"A":[[0,1]]}}`, 200, []string{`"diagnostics":[{"file":"program","code":"E0312"`, `program:3:10`, `"code":"W0214"`}},
		{"POST /v1/check", `{"program":"input A: graph\n:print A","inputs":{"A":"x"}}`, 200, []string{`"diagnostics":[{"file":"A","code":"E0701"`, "A:1:1", `the text of a file is written {\"text\": \"...\"}`}},
		{"POST /v1/check", `{"program":"input A: graph\n:print A","inputs":{"B":[[0,1]]}}`, 200, []string{`"code":"E0705"`}},
		{"POST /v1/check", `{"program":"input A: graph\n:print A[0,1]","inputs":{"A":[[0,1]]}}`, 200, []string{`"diagnostics":[]`}},
		{"POST /v1/check", `{"program":"input A: graph\nF(x) <- A(x, y).\n:print A[7,0]\nF(x)?","inputs":{"A":[[0,1]]}}`, 200, []string{`"code":"W0820"`, `"notes":["Positions on that axis are 0 to 1."],"fixes":[]}],"text"`}},
		{"POST /v1/check", `{"program":"input P(who: node)\nP(\"anne\")?","inputs":{"P":[["ann"],["ann"]]}}`, 200, []string{`"code":"W0826"`, `did you mean \"ann\"?`, `"code":"N0709"`}},
		{"POST /v1/cost", `{"program":":print tc(edges([[0,1]]))"}`, 200, []string{`"certified":true`}},
		{"POST /v1/explain", `{"program":":print tc(edges([[0,1]]))"}`, 200, []string{`tc (const 2x2)`}},
		{"POST /v1/explain", `{"code":"E0203"}`, 200, []string{`E0203: an index`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":"R(\"a\",\"b\")"}`, 200, []string{`"text":"yes, in 2 steps\n`, `by program.ein:2 from 1`}},
		{"POST /v1/why", `{"program":"input P(a: node, n: int)\nT(x, sum(n)) <- P(x, n).","inputs":{"P":[["a",1], ["b",2], ["a",3]]},"expression":"T(\"a\", 4)"}`, 200, []string{`inputs/P:1`, `inputs/P:3`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).","expression":"R(\"a\",\"b\")","name":"my rules.ein"}`, 200, []string{`by my rules.ein:2 from 1`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).","expression":"R(\"a\",\"b\")","name":"a \"b\""}`, 200, []string{`by program.ein:2 from 1`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).","expression":"R(\"a\",\"b\")","name":"inputs/A"}`, 200, []string{`by program.ein:2 from 1`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":"not R(\"b\",\"a\")"}`, 200, []string{`"text":"no\n`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":"R(\"a\")"}`, 422, []string{"`R` has 2 columns, 1 here"}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":"R"}`, 422, []string{"`R` is a relation, and `:why` explains "}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":"rech(A)"}`, 422, []string{"there is no function `rech`"}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").\nR(x,y) <- F(x,y).\nR(x,z) <- R(x,y), F(y,z).\nA = edges([[0,1]], 2)","expression":" B"}`, 422, []string{"there is no tensor `B`", `"file":"expression"`, `"start":{"line":1,"column":2,`}},
		{"POST /v1/why", `{"program":"x = 1\ny = z","expression":"x"}`, 422, []string{"there is no tensor `z`", `"file":"program"`, `"start":{"line":2,"column":5,`}},
		{"POST /v1/fmt", `{"program":"x=1"}`, 200, []string{`"text":"x = 1\n"`}},
		{"POST /v1/fmt", `{"program":"x=1","profile":"core"}`, 400, []string{`there is no member /profile; there are program, name`}},
		{"POST /v1/why", `{"program":"R(\"a\",\"b\").","expression":"R(\"a\",\"b\")","profile":"core"}`, 422, []string{`"code":"E`}},
		{"POST /v1/why", `{"program":"A = edges([[\"é\",\"b\"]])","expression":"sum(A[\"é\",j]) + rech(A)"}`, 422, []string{`"file":"expression"`, `[{"start":{"line":1,"column":17,"offset":17},"end":{"line":1,"column":21,"offset":21},"newText":"reach"}`}},
		{"POST /v1/why", `{"program":"input A: graph\nB = A","inputs":{"A":[[0,1],[1,0]]},"expression":"topo_order(B)"}`, 422, []string{`"file":"expression","code":"E0606"`, `"start":{"line":1,"column":1,"offset":0},"end":{"line":1,"column":14,"offset":13}`}},
		{"POST /v1/why", `{"program":"input A: graph\nB = topo_order(A)","inputs":{"A":[[0,1],[1,0]]},"expression":"B","name":"p"}`, 422, []string{`"file":"p","code":"E0606"`, `"start":{"line":2,"column":5,"offset":19}`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":"a b\nb c d e\n"}},"expression":"sum(A)"}`, 422, []string{`"file":"A","code":"E0701"`}},
		{"POST /v1/why", `{"program":"A = ones(90, 90)","expression":"sum(A)","limits":{"ops":9}}`, 422, []string{`"code":"E0531"`, "\"notes\":[\"Most of it is for `A`.\"]"}},
		{"POST /v1/why", `{"program":"A = edges([[0,1]])\nB[i,k] = A[i,j] A[j,k]","expression":"B"}`, 422, []string{"\"notes\":[\"Ask as in `B[0, 0]`.\"]"}},
		{"POST /v1/why", `{"program":"R(0, 1).","expression":"R(0, x)"}`, 422, []string{"\"notes\":[\"It explains one row: write a constant, or `_` for any.\"]"}},
		{"POST /v1/why", `{"program":"x = 1 + 1","expression":"x","profile":"core"}`, 200, []string{`"text":"`, `"stats":{"ops":`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":"a,b,note\na,b,x y\nb,c,z\n","options":"from=a&to=b&where=note==x y"}},"expression":"has_path(A, \"a\", \"b\")"}`, 200, []string{`"text":"yes: a -> b`}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":{"text":"a,b\n","options":"where=a==\"x\""}},"expression":"sum(A)"}`, 400, []string{"/inputs/A: an explanation takes no options with a quotation mark"}},
		{"POST /v1/why", `{"program":"input A: graph","expression":"sum(A)"}`, 422, []string{`"code":"E0703"`, "`inputs` in a request"}},
		{"POST /v1/why", `{"program":"input A: graph","inputs":{"A":[[0,1]],"B":[[0,1]]},"expression":"sum(A)"}`, 422, []string{`"code":"E0705"`, "the program has no input `B`"}},
		{"POST /v1/why", `{"program":"input A: graph\nT = tc(A)\nn = sum(T)","inputs":{"A":[[0,1],[1,2]]},"expression":"has_path(A, 0, 2)","limits":{"output_elements":1}}`, 200, []string{`"text":"yes: 0 -> 1 -> 2`}},
		{"POST /v1/why", `{"program":"x = 1","expression":" "}`, 400, []string{"/expression: it is empty, expected what to explain"}},
		{"POST /v1/why", `{"program":"x = 1","expression":"1 +"}`, 422, []string{`"file":"expression"`, `"start":{"line":1,"column":4,"offset":3}`}},
		{"POST /v1/why", `{"program":"A = edges([[\"a\",\"b\"]])","expression":"has_path(A, // é\n \"a\", \"b\") # so"}`, 200, []string{`"text":"yes: a -> b`}},
		{"POST /v1/why", `{"program":"C = eye(2) + // here\n  1","expression":"// which?\r\n\r\nC"}`, 200, []string{"by C = eye(2) + 1"}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").","expression":"// of data?\nF(\"a\", # é\n  \"b\")?"}`, 200, []string{`"text":"yes, in 1 step\n`}},
		{"POST /v1/why", `{"program":"F(\"a\",\"b\").","expression":"\n F(# é\n  \"a\")"}`, 422, []string{"`F` has 2 columns, 1 here", `"file":"expression"`, `"start":{"line":2,"column":2,"offset":2},"end":{"line":3,"column":7,"offset":15}`}},
		{"POST /v1/why", `{"program":"A = edges([[\"a\",\"b\"]])","expression":"\n# é\nsum(A) +\n rech(A)"}`, 422, []string{`"file":"expression"`, `[{"start":{"line":4,"column":2,"offset":16},"end":{"line":4,"column":6,"offset":20},"newText":"reach"}`}},
		{"POST /v1/why", `{"program":"x = 1","expression":"x","profile":"half"}`, 400, []string{`there is no profile \"half\"`}},
		{"POST /v1/why", `{"program":"x = 1","expression":"x","nodes":["a"]}`, 400, []string{"/nodes: these are the labels of arrays, and no input is an array"}},
		{"POST /v1/run", `{"program":"input A: graph\n:print A","inputs":{"A":[[0,1]]},"nodes":["a","b"]}`, 400, []string{"/nodes: these are the labels of arrays, and no input is an array"}},
		{"GET /v1/doc/tc", `{"a":1}`, 400, []string{"there is no member /a; the call takes no body"}},
		{"POST /v1/nothing", `{}`, 404, []string{`there is no`}},
		{"POST /v1/run", `null`, 400, []string{`the body: expected an object, found null`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print A","inputs":{"A":{"text":["a"]}}}`, 400, []string{`the input A: /text: expected text, found an array`}},
		{"POST /v1/run", `{"program":"input V: vector\ninput G: graph\n:print sum(V)","inputs":{"V":{"text":1,"array":2},"G":[["text","array"]]}}`, 200, []string{`"value":3`}},
		{"POST /v1/run", `{"program":"input V: vector\ninput G: graph\n:print sum(V)","inputs":{"V":{"array":1,"text":2},"G":[["text","array"]]}}`, 200, []string{`"value":3`}},
		{"POST /v1/why", `{"program":"input V: vector\ninput G: graph\nn = sum(V)","expression":"n","inputs":{"V":{"array":1,"text":2},"G":[["text","array"]]}}`, 200, []string{`"text":"`}},
		{"POST /v1/run", `{"program":"input A: graph\n:print A","inputs":{"A":{"array":{"layout":"bits"}}}}`, 400, []string{"the input A: /array has no member `dtype`"}},
		{"POST /v1/run?form=text", `{"program":":print 1"}`, 400, []string{"POST /v1/run takes no parameters behind a question mark, found `form`"}},
		{"GET /v1/instances/cb2-train-degree_count-0-s7?mod=ein", ``, 400, []string{"GET /v1/instances/{id} has no parameter `mod`; there is mode"}},
		{"GET /v1/instances/cb2-train-degree_count-0-s7?mode=ein&mode=cot", ``, 400, []string{"the parameter `mode` is there twice"}},
		{"GET /v1/instances/cb2-train-degree_count-0-s7?mode=cot", ``, 200, []string{`"messages":[`}},
		{"GET /livez?probe=1", ``, 200, []string{`ok`}},
		{"GET /version", ``, 200, []string{`"protocol":1`}},
		{"GET /livez", ``, 200, []string{`ok`}},
	} {
		t.Run(fmt.Sprintf("%s %.60s", test.call, test.body), func(t *testing.T) {
			c.t = t
			var body any
			if test.body != "" {
				body = test.body
			}
			status, text, _ := c.ask(test.call, body)
			method, path, _ := strings.Cut(test.call, " ")
			req, err := http.NewRequestWithContext(context.Background(), method, web.URL+path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			code, told := fetch(t, req)
			described(t, doc, test.call, code, test.body, told)
			for transport, got := range map[string]struct {
				status int
				body   string
			}{"streams": {status, text}, "HTTP": {code, told}} {
				if got.status != test.status {
					t.Errorf("%s: status %d, want %d: %s", transport, got.status, test.status, got.body)
				}
				for _, want := range test.want {
					if !strings.Contains(got.body, want) {
						t.Errorf("%s: %s\nhas no %s", transport, got.body, want)
					}
				}
			}
		})
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// fetch gives what the server says to a request.
func fetch(t *testing.T, req *http.Request) (status int, body string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	told, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(told)
}

// TestMetrics: every answer is counted under the status that went out, also of what is refused
// before it is read, and of a stream that fails before its first line.
func TestMetrics(t *testing.T) {
	web := httptest.NewServer(New(Options{Token: "secret", Body: 200}).Handler())
	defer web.Close()
	ask := func(method, path, token, body string, encodings ...string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		for _, encoding := range encodings {
			req.Header.Set("Content-Encoding", encoding)
		}
		return fetch(t, req)
	}
	last := `{"split":"train","seed":1,"categories":["degree_count"],"first":9223372036854775807,"per_category":2}`
	calls := []struct {
		path, token, body string
		status            int
	}{
		{"/v1/run", "secret", `{"program":":print 1"}`, 200},
		{"/v1/run", "guess", `{"program":":print 1"}`, 401},
		{"/v1/run?%zz", "secret", `{"program":":print 1"}`, 400},
		{"/v1/run", "secret", strings.Repeat(" ", 201), 413},
		{"/v1/generate", "secret", last, 400},
		{"/v1/generate", "secret", strings.Replace(last, "9223372036854775807", "1", 1), 200},
	}
	for _, call := range calls {
		if status, told := ask("POST", call.path, call.token, call.body); status != call.status {
			t.Errorf("%s: status %d, want %d: %s", call.path, status, call.status, told)
		}
	}
	if status, told := ask("POST", "/v1/fmt", "secret", `{"program":"x = 1"}`, "gzip"); status != 400 || !strings.Contains(told, "the Content-Encoding is gzip") {
		t.Errorf("status %d: %s", status, told)
	}
	if status, told := ask("POST", "/v1/fmt", "secret", `{"program":"x = 1"}`, "Identity"); status != 200 {
		t.Errorf("status %d: %s", status, told)
	}
	_, told := ask("GET", "/metrics", "secret", "")
	for _, call := range calls {
		path, _, _ := strings.Cut(call.path, "?")
		if want := fmt.Sprintf("ein_requests_total{code=\"%d\",route=%q} 1\n", call.status, path); !strings.Contains(told, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestArrays: arrays go in and come out as raw bytes.
func TestArrays(t *testing.T) {
	c, end := talk(t, Options{})
	ask := func(t *testing.T, program, array, nodes string, frames ...[]byte) (int, RunResult, string, [][]byte) {
		t.Helper()
		c.t = t
		if nodes != "" {
			nodes = `,"nodes":` + nodes
		}
		status, body, out := c.ask("POST /v1/run", fmt.Sprintf(`{"program":%s,"form":"arrays","labels":true,"inputs":{"A":{"array":%s}}%s}`, encode(program), array, nodes), frames...)
		var r RunResult
		if err := json.Unmarshal([]byte(body), &r); status == 200 && err != nil {
			t.Fatal(err)
		}
		return status, r, body, out
	}
	graph := "input A: graph\n:print A[0,1]\n:print A[1,0]"
	matrix := "input A: matrix\n:print sum(A)"
	for _, test := range []struct {
		name, program, array string
		frames               [][]byte
		want                 string
	}{
		{"dense bool", graph, `{"layout":"dense","dtype":"bool","shape":[2,2],"parts":[0]}`, [][]byte{{0, 1, 0, 0}}, "1 0"},
		{"dense float32", matrix, `{"layout":"dense","dtype":"float32","shape":[2,2],"parts":[0]}`, [][]byte{little[float32](1, 2, 3, 0.5)}, "6.5"},
		{"dense int16", matrix, `{"layout":"dense","dtype":"int16","shape":[1,3],"parts":[0]}`, [][]byte{little[int16](1, -2, 3)}, "2"},
		{"vector", "input A: vector\n:print sum(A)", `{"layout":"dense","dtype":"float64","shape":[3],"parts":[0]}`, [][]byte{little(1.5, 2, 3)}, "6.5"},
		{"scalar", "input A: scalar\n:print A + 1", `{"layout":"dense","dtype":"int64","shape":[],"parts":[0]}`, [][]byte{little[int64](41)}, "42"},
		{"bits", graph, `{"layout":"bits","dtype":"bool","shape":[2,2],"parts":[0]}`, [][]byte{little[uint64](2, 0)}, "1 0"},
		{"csr", graph, `{"layout":"csr","dtype":"float64","shape":[2,2],"parts":[0,1,2]}`, [][]byte{little[int32](0, 1, 1), little[int32](1), little(1.0)}, "1 0"},
		{"csr with a zero", matrix, `{"layout":"csr","dtype":"float64","shape":[2,2],"parts":[0,1,2]}`, [][]byte{little[int64](0, 2, 2), little[int64](0, 1), little(0, 2.5)}, "2.5"},
		{"edges", graph, `{"layout":"edges","dtype":"bool","shape":[2,2],"parts":[0]}`, [][]byte{little[int64](0, 1)}, "1 0"},
		{"weighted edges", matrix, `{"layout":"edges","dtype":"float64","shape":[2,2],"parts":[0,1]}`, [][]byte{little[int64](0, 1, 1, 0), little(0.25, 2)}, "2.25"},

		{"weights of a graph", graph, `{"layout":"dense","dtype":"float64","shape":[2,2],"parts":[0]}`, [][]byte{little(0, 0.5, 0, 0)}, "holds 0 and 1 only"},
		{"not square", graph, `{"layout":"dense","dtype":"bool","shape":[1,2],"parts":[0]}`, [][]byte{{0, 1}}, "a graph is square"},
		{"no numbers", matrix, `{"layout":"dense","dtype":"float64","shape":[1,1],"parts":[0]}`, [][]byte{{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}}, "expected a finite number"},
		{"not exact", matrix, `{"layout":"dense","dtype":"int64","shape":[1,2],"parts":[0]}`, [][]byte{little[int64](1, 1<<53)}, "element [0, 1] is 9.007199254740992e+15, expected a finite number, and whole numbers below 2^53"},
		{"large but exact", matrix, `{"layout":"dense","dtype":"float64","shape":[1,1],"parts":[0]}`, [][]byte{little(1e300)}, "1e+300"},
		{"a truth of 2", matrix, `{"layout":"dense","dtype":"bool","shape":[1,2],"parts":[0]}`, [][]byte{{0, 2}}, "a byte of bool is 0 or 1"},
		{"no base64", matrix, `{"layout":"dense","dtype":"bool","shape":[1,2],"parts":["!"]}`, nil, "/array/parts/0: expected bytes in base64, found another text"},
		{"no part", matrix, `{"layout":"dense","dtype":"bool","shape":[1,2]}`, nil, "has no member `parts`"},
		{"too short", matrix, `{"layout":"dense","dtype":"float64","shape":[9,9],"parts":[0]}`, [][]byte{{1}}, "the part has 1 bytes, expected 81 elements"},
		{"no frame", matrix, `{"layout":"dense","dtype":"float64","shape":[9,9],"parts":[1]}`, nil, "the request has no frame 1"},
		{"huge", matrix, `{"layout":"dense","dtype":"float64","shape":[2147483647,2147483647],"parts":[0]}`, [][]byte{{1}}, "expected 4611686014132420609 elements"},
		{"past the end", graph, `{"layout":"bits","dtype":"bool","shape":[2,2],"parts":[0]}`, [][]byte{little[uint64](4, 0)}, "row 0 has a bit past its end"},
		{"columns in disorder", matrix, `{"layout":"csr","dtype":"float64","shape":[1,3],"parts":[0,1]}`, [][]byte{little[int32](0, 2), little[int32](1, 0)}, "row 0 of csr has column 0 after 1"},
		{"rows backwards", matrix, `{"layout":"csr","dtype":"float64","shape":[2,3],"parts":[0,1]}`, [][]byte{little[int32](0, 9, 1), little[int32](0)}, "row 0 of csr ends at 9"},
		{"an edge to nowhere", graph, `{"layout":"edges","dtype":"bool","shape":[2,2],"parts":[0]}`, [][]byte{little[int64](0, 2)}, "edge 0 leads from 0 to 2"},
		{"two weights", matrix, `{"layout":"edges","dtype":"float64","shape":[2,2],"parts":[0,1]}`, [][]byte{little[int64](0, 1, 0, 1), little(0.25, 2)}, "1 edge has the ends"},
		{"two weights of 1", matrix, `{"layout":"edges","dtype":"float64","shape":[2,2],"parts":[0,1]}`, [][]byte{little[int64](0, 1, 0, 1), little[float64](1, 1)}, "1 edge has the ends"},
		{"another layout", matrix, `{"layout":"coo","dtype":"float64","shape":[2,2],"parts":[]}`, nil, `there is no layout \"coo\"`},
		{"another type", matrix, `{"layout":"dense","dtype":"complex","shape":[2,2],"parts":[]}`, nil, `there is no dtype \"complex\"`},
		{"a relation", "input A(a: node, b: node)\nA(x,y)?", `{"layout":"dense","dtype":"bool","shape":[2,2],"parts":[]}`, nil, "found an array, expected the rows of a relation"},
		{"another rank", matrix, `{"layout":"dense","dtype":"bool","shape":[2],"parts":[]}`, nil, "the array has 1 axis, a matrix has 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, r, body, _ := ask(t, test.program, test.array, "", test.frames...)
			if status != 200 {
				if !strings.Contains(body, test.want) {
					t.Errorf("%s\nhas no %s", body, test.want)
				}
				return
			}
			var got []string
			for _, o := range r.Outputs {
				got = append(got, fmt.Sprint(o.Value))
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("got %s, want %s", s, test.want)
			}
		})
	}
	t.Run("labels", func(t *testing.T) {
		array := `{"layout":"edges","dtype":"bool","shape":[3,3],"parts":[0]}`
		edges := little[int64](0, 1, 1, 2)
		status, r, body, out := ask(t, "input A: graph\nB = edges([[\"c\",\"a\"]])\n:print desc(A, \"a\")\n:print B", array, `["a","b","c"]`, edges)
		if status != 200 || !bytes.Equal(out[0], little[uint64](6)) || r.Outputs[0].Form != "set" || strings.Join(r.Labels, "") != "abc" {
			t.Errorf("%s %v", body, out)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("it warns: %v", r.Warnings)
		}
		for nodes, want := range map[string]string{`["a","b","b"]`: "have one label", `["a","b","d"]`: `the program has an edge at \"c\"`} {
			if _, _, body, _ := ask(t, "input A: graph\nB = edges([[\"c\",\"a\"]])\n:print tc(A)", array, nodes, edges); !strings.Contains(body, want) {
				t.Errorf("%s\nhas no %s", body, want)
			}
		}
	})
	t.Run("relations", func(t *testing.T) {
		c.t = t
		status, body, _ := c.ask("POST /v1/run", `{"program":"Parent(\"b\",\"c\").\nParent(\"a\",2).\n","form":"arrays"}`)
		if status != 422 {
			t.Errorf("%d %s", status, body)
		}
		status, body, _ = c.ask("POST /v1/run", `{"program":"Parent(\"b\",\"c\").\nParent(\"a\",\"b\").\nParent(x, y)?\nParent(\"a\", \"b\")?","form":"arrays"}`)
		for _, want := range []string{`"kind":"relation"`, `"columns":["x","y"]`, `"rows":[["a","b"],["b","c"]]`, `"kind":"bool","value":true`} {
			if status != 200 || !strings.Contains(body, want) {
				t.Errorf("%d %s\nhas no %s", status, body, want)
			}
		}
	})
	t.Run("layouts of answers", func(t *testing.T) {
		c.t = t
		status, body, out := c.ask("POST /v1/run", `{"program":"A = edges([[0,1],[1,0],[1,2]])\n:print scc(A)\n:print tc(A)\nB[i,j] = A[i,j] * 1.5\n:print B\nC[i] = A[i,j]\n:print C","form":"arrays"}`)
		if status != 200 || len(out) != 4 || !bytes.Equal(out[3], little[int64](1, 2, 0)) {
			t.Errorf("%s %v", body, out)
		}
	})
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestConversation: requests overlap, are cancelled, and what is no message ends it.
func TestConversation(t *testing.T) {
	long := map[string]string{"program": "A = zeros(3000, 3000)\nB[i,j] = A[i,k] * A[k,l] * A[l,j] + 0.5\nC[i,j] = B[i,k] * B[k,j]\nD[i,j] = C[i,k] * C[k,j] * 0.0001\n:print sum(D)"}
	c, end := talk(t, Options{})
	var slow uint64
	for range 2 {
		slow = c.send("POST /v1/run", long)
		quick := c.send("POST /v1/fmt", `{"program":"x=1"}`)
		if h, _ := c.receive(); h.ID != quick {
			t.Errorf("the first answer is to %d, want %d", h.ID, quick)
		}
		_, _ = fmt.Fprintf(c.w, `{"id":%d,"cancel":true}`+"\n", slow)
		if h, call := c.receive(); h.ID != slow || h.Status == 200 || !strings.Contains(string(call.Body), `"class":"`) {
			t.Errorf("the answer to a request that was cancelled is %+v %s", h, call.Body)
		}
		time.Sleep(60 * patience) // who watches sleeps by then
	}
	_, _ = fmt.Fprintf(c.w, `{"id":%d,"cancel":true}`+"\n", slow)
	_, _ = fmt.Fprint(c.w, `{"id":99,"cal":"x"}`+"\n")
	if h, call := c.receive(); h.Status != 400 || !strings.Contains(string(call.Body), "header") {
		t.Errorf("%+v %s", h, call.Body)
	}
	if err := end(); err == nil {
		t.Error("a header that is none is no error")
	}
	for name, message := range map[string]string{
		"header":     `{"id":1`,
		"no header":  "hello\n",
		"long":       strings.Repeat(" ", MaxHeader+1),
		"body":       `{"id":1,"call":"POST /v1/fmt","body":10}` + "\n{}",
		"too much":   fmt.Sprintf(`{"id":1,"call":"POST /v1/fmt","frames":[%d,1]}`+"\n", int64(MaxMessage)),
		"below zero": `{"id":1,"call":"POST /v1/fmt","frames":[-1]}` + "\n",
	} {
		c, end := talk(t, Options{})
		go func() {
			_, _ = fmt.Fprint(c.w, message)
			_ = c.w.Close()
		}()
		if h, call := c.receive(); h.Status != 400 || name == "no header" && !strings.Contains(string(call.Body), "a header cannot be read: it is not JSON") {
			t.Errorf("%s: %+v %s", name, h, call.Body)
		}
		if err := end(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTheEndOfAClient: what is asked by a program that has died is not computed for hours.
func TestTheEndOfAClient(t *testing.T) {
	c, end := talkUntil(t, Options{}, time.Millisecond)
	ended := make(chan error)
	slow := c.send("POST /v1/run", `{"program":"A = zeros(3000, 3000)\nB[i,j] = A[i,k] * A[k,l] * A[l,j] + 0.5\nC[i,j] = B[i,k] * B[k,j]\n:print sum(C)"}`)
	go func() { ended <- end() }()
	if h, _ := c.receive(); h.ID != slow || h.Status != 499 {
		t.Errorf("the answer to a client that has ended is %+v", h)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLimits: a request lowers the limits and never raises them.
func TestLimits(t *testing.T) {
	rows, _ := talk(t, Options{})
	for n, want := range map[int]string{30e6: "an array of 30000000 rows takes 343.3 MiB to be built, the limit is 256.0 MiB", 67108865: "an array has at most 67108864 rows, found 67108865"} {
		body := fmt.Sprintf(`{"program":"input A: graph\n:print sum(A)","limits":{"bytes":268435456},"inputs":{"A":{"array":{"layout":"edges","dtype":"bool","shape":[%d,%[1]d],"parts":[""]}}}}`, n)
		if status, got, _ := rows.ask("POST /v1/run", body); status != 422 || !strings.Contains(got, want) {
			t.Errorf("%d %s, want %s", status, got, want)
		}
	}
	opt := Options{Body: 100}
	opt.Limits.MaxOps = 10
	c, _ := talk(t, opt)
	program := `{"program":":print tc(edges([[0,1],[1,2],[2,3],[3,4]]))","limits":{"ops":%d}}`
	for _, ops := range []int{0, 5, 1000000} {
		if status, body, _ := c.ask("POST /v1/run", fmt.Sprintf(program, ops)); status != 422 {
			t.Errorf("%d: %s", ops, body)
		}
	}
	web := httptest.NewServer(New(opt).Handler())
	defer web.Close()
	// A client that sends all before it reads anything gets the answer, too.
	large := strings.Repeat("x", 16<<20)
	for _, body := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(large), large), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(large), large)} {
		conn, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, "POST /v1/fmt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+body)
		got, readErr := io.ReadAll(conn)
		if err != nil || readErr != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 413 ")) {
			t.Errorf("%v, %v: %.100s", err, readErr, got)
		}
		_ = conn.Close()
	}
	resp, err := http.Post(web.URL+"/v1/fmt", "", strings.NewReader(fmt.Sprintf(`{"program":%q}`, strings.Repeat("x", 200))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
