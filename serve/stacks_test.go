package serve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ein/bench/judge/sandbox"
	"ein/bench/question/prompt"
)

// TestStacks: what training stacks post gets the answer that their clients read. The
// bodies are written from the sources of OpenRLHF 0.11, slime 624b824a, NeMo Gym 0.7 and
// verl 0.9.1; those of the clients that install are in TestClients.
func TestStacks(t *testing.T) {
	opt := Options{}
	opt.Sandbox.Python = "/nonexistent/python"
	web := httptest.NewServer(New(opt).Handler())
	defer web.Close()
	doc := spec(t)
	in := made(t, "train", "degree_count", 0)
	right := string(encode(`{"answer": ` + string(in.Answer) + `}`))
	message := func(text string) string {
		return `{"id":"r","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + text + `,"annotations":[]}]},{"type":"function_call_output","output":"x"}]}`
	}
	long := strings.Repeat("x", maxReply+1)
	row := `"responses_create_params":{"input":[]},"agent_ref":{"name":"a"},"id":"` + in.ID + `"`
	// What compute_aggregate_metrics of nemo-gym 0.7.0 gave for them, less the statistics of repeats.
	const answers = `{"reward":1,"strict":true,"outcome":"strict","_ng_task_index":0,"_ng_rollout_index":0,"response":{"usage":{"output_tokens":10}}},
		{"reward":0,"strict":false,"_ng_task_index":0,"_ng_rollout_index":1,"response":{"usage":{"output_tokens":40}}},
		{"reward":1,"strict":true,"_ng_task_index":1,"_ng_rollout_index":0}, {"reward":0,"mask_sample":true,"_ng_task_index":2,"_ng_rollout_index":0}`
	const metrics = `{"group_level_metrics":[{"_ng_task_index":0,"max/output_tokens":40,"max/reward":1,"max/strict":1,"mean/output_tokens":25,"mean/reward":0.5,"mean/strict":0.5,` +
		`"median/output_tokens":25,"median/reward":0.5,"median/strict":0.5,"min/output_tokens":10,"min/reward":0,"min/strict":0,"num_rollouts":2,"std/output_tokens":21.213203435596427,"std/reward":0.7071067811865476,"std/strict":0.7071067811865476},` +
		`{"_ng_task_index":1,"max/reward":1,"max/strict":1,"mean/reward":1,"mean/strict":1,"median/reward":1,"median/strict":1,"min/reward":1,"min/strict":1,"num_rollouts":1,"std/reward":0,"std/strict":0}],` +
		`"agent_metrics":{"coverage/fully_masked_tasks":1,"coverage/masked_rollouts":1,"coverage/measured_rollouts":3,"coverage/measured_tasks":2,"max/output_tokens":40,"max/reward":1,"max/strict":1,` +
		`"mean/output_tokens":25,"mean/reward":0.6666666666666666,"mean/strict":0.6666666666666666,"median/output_tokens":25,"median/reward":1,"median/strict":1,"min/output_tokens":10,"min/reward":0,"min/strict":0,"num_repeats":2,` +
		`"std/output_tokens":21.213203435596427,"std/reward":0.5773502691896258,"std/strict":0.5773502691896258},` +
		`"key_metrics":{"coverage/fully_masked_tasks":1,"coverage/masked_rollouts":1,"coverage/measured_rollouts":3,"coverage/measured_tasks":2,"mean/output_tokens":25,"mean/reward":0.6666666666666666,"mean/strict":0.6666666666666666},"repeat_level_metrics":[]}`
	for _, test := range []struct {
		call, body string
		status     int
		want       string
	}{
		{"POST /get_reward", `{"query":["<|im_start|>user\nq<|im_end|>` + right[1:len(right)-1] + `<|im_end|>\n"],"prompts":["<|im_start|>user\nq<|im_end|>"],"labels":["direct:` + in.ID + `"]}`, 200, `{"rewards":[1],"scores":[1],"extra_logs":{"lenient":[1],"relaxed":[1],"strict":[1]}}`},
		{"POST /get_reward", `{"query":["<s>q` + right[1:len(right)-1] + `</s>"],"prompts":["q"],"labels":["direct:` + in.ID + `"]}`, 200, `{"rewards":[1]`},
		{"POST /get_reward", `{"query":["estion? Say ` + right[1:len(right)-1] + ` or so. I do not know."],"prompts":["A question? Say ` + right[1:len(right)-1] + ` or so."],"labels":["direct:` + in.ID + `"]}`, 400, "/query/0: it does not have the text of /prompts/0"},
		{"POST /get_reward", `{"query":["a"],"prompts":[""],"labels":["python:` + in.ID + `"]}`, 503, "was not judged"},
		{"POST /get_reward", `{"query":["a"],"prompts":[""],"labels":["cb2-heldout-degree_count-0-s7"]}`, 400, "--allow-split"},
		{"POST /get_reward", `{"query":["a"],"prompts":[],"labels":[]}`, 400, "1 queries, 0 prompts"},
		{"POST /get_reward", `{"query":["` + long + `","7"],"prompts":["",""],"labels":["` + in.ID + `","` + in.ID + `"]}`, 200, `{"rewards":[0,`},
		{"POST /slime", `{"response":"` + long + `","label":"cb2-heldout-degree_count-0-s7"}`, 400, "--allow-split"},
		{"POST /slime", `{"response":"` + long + `","label":"` + in.ID + `"}`, 200, `0`},
		{"POST /verify", `{` + row + `,"response":` + message(`"`+long+`"`) + `}`, 200, `"outcome":"format_error"`},
		{"POST /slime", `{"prompt":"q","response":` + right + `,"label":"` + in.ID + `"}`, 200, `1`},
		{"POST /slime", `{"prompt":[],"response":"no","label":"` + in.ID + `"}`, 200, `0`},
		{"POST /slime", `{"response":"no","label":"python:` + in.ID + `"}`, 503, "was not judged"},
		{"POST /slime", `{"text":"no","label":"` + in.ID + `"}`, 400, "the body has no member `response`"},
		{"POST /get_reward", `{"prompts":[],"labels":[]}`, 400, "the body has no member `query`"},
		{"POST /seed_session", `{` + row + `}`, 200, `{}`},
		{"POST /seed_session", `{"resources_session_id":"s-1","episode_id":{"rollout_id":"r","attempt":0},"task_id":{"taskset":"t","task_id":"1"},"task_data":{}}`, 200, `{"resources_session_id":"s-1"}`},
		{"POST /close_session", `{"resources_session_id":"s-1","episode_id":{"rollout_id":"r","attempt":0}}`, 200, `{"resources_session_id":"s-1"}`},
		{"POST /verify", `{` + row + `,"response":` + message(right) + `}`, 200, `"reward":1`},
		{"POST /verify", `{` + row + `,"response":` + message(right) + `}`, 200, `"agent_ref":{"name":"a"}`},
		{"POST /verify", `{` + row + `,"response":{"output":[],"incomplete_details":{"reason":"max_output_tokens"}}}`, 200, `"outcome":"no_answer"`},
		{"POST /verify", `{` + row + `,"mode":"python","response":` + message(right) + `}`, 503, `/nonexistent/python: no such file or directory","start"`},
		{"POST /verify", `{` + row + `,"mode":"python","_ng_task_index":3,"response":` + message(right) + `}`, 200, `"_ng_failure_class":"infra_failed"`},
		{"POST /verify", `{` + row + `,"response":{"output":[],"status":"failed","error":{"code":"server_error"}}}`, 503, "the response of the model is failed: {\\\"code\\\":\\\"server_error\\\"}"},
		{"POST /verify", `{` + row + `,"_ng_task_index":3,"response":{"output":[],"status":"cancelled","error":null}}`, 200, `"failure_reason":"the response of the model is cancelled","id":"` + in.ID + `","mask_sample":true`},
		{"POST /verify", `{` + row + `,"response":{"output":[],"status":"completed","error":null,"incomplete_details":null}}`, 200, `"outcome":"no_answer"`},
		{"POST /verify", `{` + row + `,"response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text"}]}]}}`, 400, "an output_text of the last message of the assistant has no member `text`"},
		{"POST /verify", `{` + row + `,"response":7}`, 400, "not the response of a model"},
		{"POST /verify", `{` + row + `}`, 400, "the body has no member `response`"},
		{"POST /verify", `{` + row + `,"response":{"choices":[]}}`, 400, "/response has no member `output`"},
		{"POST /verify", `{"id":"x","response":{"output":[]}}`, 400, "x"},
		{"POST /verify", `{` + row + `,"mode":7,"response":{"output":[]}}`, 400, "/mode: expected text, found a number"},
		{"POST /verify", `{` + row + `,"mode":"guess","response":{"output":[]}}`, 400, "there is no mode"},
		{"POST /verify", `{` + row + `,"response":{"output":[{"type":"message","role":"assistant","text":"x"}]}}`, 400, "the last message of the assistant has no member `content`"},
		{"POST /run_code", `{"code":"","language":"python","run_timeout":"10"}`, 400, "/run_timeout: expected a number, found text"},
		{"POST /aggregate_metrics", `{"verify_responses":[` + answers + `]}`, 200, metrics},
		{"POST /reset", ``, 200, `{"observation":{"id":"cb2-train-triangle_count-0-s0"`},
		{"POST /slime", ``, 400, "the body has no member `response`"},
		{"POST /aggregate_metrics", `{"verify_responses":[]}`, 200, `"agent_metrics":{}`},
		{"POST /aggregate_metrics", `{"verify_responses":[{"id":"a"}]}`, 400, "/verify_responses/0 has no number `reward`"},
		{"POST /aggregate_metrics", `{"verify_responses":[{"reward":1e308},{"reward":-1e308}]}`, 200, `"median/reward":0,"min/reward":-1e+308,"num_rollouts":2}`},
		{"GET /slime", ``, 404, "there is no GET /slime; there is POST /slime"},
		{"GET /", ``, 404, "GET /openapi.json lists the calls"},
		{"GET /reverify_mode", ``, 200, `"stateless"`},
		{"POST /ein_run", `{"program":":print 1 + 1"}`, 200, "1 + 1 = 2\n"},
		{"POST /ein_run", `{"program":":print y"}`, 200, "there is no tensor `y`"},
		{"POST /ein_run", `{"program":"tc = 2\n:print 1 + 1"}`, 200, "warning[W"},
		{"POST /run_code", `{"code":"tc = 2\n:print 1 + 1","language":"ein"}`, 200, `"stderr":"warning[W`},
		{"POST /run_code", `{"code":":print y","language":"ein"}`, 200, `"status":"Failed","message":"","compile_result":null,"run_result":{"status":"Finished",`},
		{"POST /ein_check", `{"program":":print 1"}`, 200, "The program checks."},
		{"POST /run_code", `{"code":":print 1 + 1","language":"ein","stdin":null,"files":{},"fetch_files":[]}`, 200, `"stdout":"1 + 1 = 2\n"`},
		{"POST /run_code", `{"code":"print(1)","language":"python"}`, 200, `"status":"SandboxError"`},
		{"POST /run_code", `{"language":"python"}`, 400, "the body has no member `code`"},
		{"POST /ein_run", `{"code":":print 1 + 1"}`, 400, "the body has no member `program`"},
		{"POST /run_code", `{"code":"1","language":"cobol"}`, 200, `"status":"SandboxError"`},
		{"GET /health", ``, 200, `{"status":"healthy"}`},
		{"GET /schema", ``, 200, `"required":["reply"]`},
		{"GET /metadata", ``, 200, `"name":"ein"`},
		{"POST /reset", `{"seed":3}`, 200, `"done":false`},
		{"POST /reset", `{"id":"cb2-test-degree_count-0-s7"}`, 400, "--allow-split"},
		{"POST /step", `{"action":{"reply":` + right + `,"id":"` + in.ID + `"},"timeout_s":5}`, 200, `"reward":1,"done":true`},
		{"POST /step", `{"action":{"reply":"x"}}`, 422, "there is no question yet"},
		{"POST /step", `{"action":{"id":"` + in.ID + `"}}`, 422, "/action has no member `reply`"},
		{"POST /step", `{"action":{"id":"` + in.ID + `","answer":-1}}`, 200, `"outcome":"wrong"`},
		{"POST /step", `{"action":{"reply":` + right + `,"id":"` + in.ID + `","answer":null}}`, 200, `"reward":1`},
		{"POST /step", `{"action":{"type":"list_tools"}}`, 200, `"tools":[`},
		{"POST /step", `{"action":{"type":"call_tool","tool_name":"run","arguments":{"code":"x"}}}`, 422, "needs an argument `program`"},
		{"POST /step", `{"action":{"type":"dance"}}`, 422, "there is no action of the type"},
		{"POST /step", `{"action":{"reply":` + right + `,"id":"` + in.ID + `","answer":-1}}`, 422, "both a reply and an answer"},
		{"POST /step", `{}`, 422, "the body has no member `action`"},
		{"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"code":"x"}}}`, 200, "\"code\":-32602,\"message\":\"the tool run needs an argument `program`"},
		{"POST /mcp", `{}`, 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,`},
		{"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"program":":print 2"}}}`, 200, `"data":"2 = 2\n"`},
		{"POST /mcp", `{"jsonrpc":`, 400, "not JSON"},
		{"POST /mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"POST /mcp", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, 200, `"id":null,"result":`},
	} {
		method, path, _ := strings.Cut(test.call, " ")
		req, err := http.NewRequest(method, web.URL+path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Contains(test.want, "resources_session_id"); want != (len(resp.Cookies()) > 0) {
			t.Errorf("%s %s has the cookies %v", test.call, test.body, resp.Cookies())
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != test.status || !strings.Contains(string(body), test.want) || test.want == "" && len(body) > 0 {
			t.Errorf("%s %s: %d, want %d: %s\nwant %s", test.call, test.body, resp.StatusCode, test.status, body, test.want)
		}
		described(t, doc, test.call, resp.StatusCode, test.body, string(body))
	}
}

// TestSlowSandbox: the time that a sandbox takes to be proven is not the program's.
func TestSlowSandbox(t *testing.T) {
	slow := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 0.2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, _ := talk(t, Options{Sandbox: sandbox.Policy{Python: slow}})
	status, body, _ := c.ask("POST /run_code", `{"code":"print(1)","language":"python","run_timeout":0.01}`)
	if status != 200 || !strings.Contains(body, `"status":"SandboxError"`) {
		t.Errorf("%d %s", status, body)
	}
}

// TestProvingASandbox: who needs no sandbox does not wait until it is proven.
func TestProvingASandbox(t *testing.T) {
	slow := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\ntouch \"$0.begun\"\nwhile [ ! -e \"$0.go\" ]; do sleep 0.01; done\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Sandbox: sandbox.Policy{Python: slow}})
	in := made(t, "train", "degree_count", 0)
	ask := func(reply string, mode prompt.Mode) chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if a := s.Ask(context.Background(), "POST /v1/score", encode(ScoreRequest{Items: []Item{{ID: in.ID, Reply: reply, Mode: mode}}})); a.Status != http.StatusOK {
				t.Errorf("%s", a.Body)
			}
		}()
		return done
	}
	python := ask("print(1)", prompt.Python)
	for _, err := os.Stat(slow + ".begun"); err != nil; _, err = os.Stat(slow + ".begun") {
		time.Sleep(time.Millisecond)
	}
	select {
	case <-ask(`{"answer": 3}`, prompt.Direct):
	case <-time.After(20 * time.Second):
		t.Error("it waits")
	}
	if err := os.WriteFile(slow+".go", nil, 0o600); err != nil {
		t.Error(err)
	}
	<-python
}

// TestExit: the client gets the status that a program left with.
func TestExit(t *testing.T) {
	if testing.Short() {
		t.Skip("proving a sandbox takes seconds")
	}
	c, _ := talk(t, Options{})
	for code, want := range map[string]string{"import sys\nsys.exit(3)": "3", "1/0": "1", "import os\nos._exit(0)": "1", "print(1)": "0"} {
		_, body, _ := c.ask("POST /run_code", fmt.Sprintf(`{"code":%q,"language":"python"}`, code))
		if strings.Contains(body, "SandboxError") {
			t.Skip(body)
		}
		if !strings.Contains(body, `"return_code":`+want) {
			t.Errorf("%s: %s", code, body)
		}
	}
}

// TestSessions: a conversation that the server ends is closed after its step.
func TestSessions(t *testing.T) {
	s := New(Options{})
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	conn, _, err := websocket.Dial(ctx, web.URL+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"type":"mcp","data":{"jsonrpc":"2.0","method":"notifications/cancelled"}}`)); err != nil { // has no answer
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}`:                                                              `{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"run",`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"run","arguments":{"program":":print 2"}}}}`: `"id":"a","result":{"content":[{"text":"2 = 2\n","type":"text"}],"data":"2 = 2\n","isError":false}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"dance"}}}`:                                    `"code":-32602,"message":"there is no tool`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":3,"method":"initialize"}}`:                                                              `"code":-32601`,
		`{"type":"reset"}`:                        `"type":"observation"`,
		`{"type":"state","data":{}}`:              `"step_count":`,
		`{"type":"dance"}`:                        `"code":"UNKNOWN_TYPE"`,
		`{"type":`:                                `"code":"INVALID_JSON"`,
		`{"type":"step","data":{"reply":7}}`:      `"code":"VALIDATION_ERROR"`,
		`{"type":"reset","data":{"id":"cb9-no"}}`: `"code":"VALIDATION_ERROR"`,
	} {
		if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.Read(ctx); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v", message, got, err)
		}
	}
	s.Hang()
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the server is ending, and says %v", err)
	}
	if err := s.Wait(ctx); err != nil {
		t.Error(err)
	}
}

// TestClients: the clients of the packages themselves, each in the first Python that has
// it, of those that EIN_CLIENTS lists, or the one on the path.
func TestClients(t *testing.T) {
	pythons := filepath.SplitList(cmp.Or(os.Getenv("EIN_CLIENTS"), "python3"))
	in := mustLine(t, made(t, "train", "degree_count", 0))
	for _, test := range []struct {
		name, module string
		sandbox      bool
	}{
		{"nemo_gym", "verifiers", false},
		{"openenv", "openenv", false},
		{"sandbox_fusion", "sandbox_fusion, networkx", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := slices.IndexFunc(pythons, func(p string) bool { return exec.Command(p, "-c", "import "+test.module).Run() == nil })
			if at < 0 {
				t.Skipf("no %s in %s", test.module, pythons)
			}
			python := pythons[at]
			opt := Options{}
			opt.Sandbox.Python = "/nonexistent/python"
			if test.sandbox {
				opt.Sandbox.Python = python
			}
			s := New(opt)
			defer s.Close()
			if test.sandbox {
				if _, err := s.box.Open(); err != nil {
					t.Skipf("there is no sandbox: %v", err)
				}
			}
			web := httptest.NewServer(s.Handler())
			defer web.Close()
			cmd := exec.Command(python, "testdata/clients.py", test.name, web.URL)
			cmd.Stdin = bytes.NewReader(in)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
