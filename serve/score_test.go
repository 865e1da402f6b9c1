package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ein/bench/judge/verdict"
	"ein/bench/question/category"
	"ein/bench/question/instance"

	"github.com/go-json-experiment/json"
)

// made returns an instance of a category, and its id.
func made(t *testing.T, split, name string, index int) *instance.Instance {
	t.Helper()
	id, err := instance.Standard("cb2", split, name, index, 7)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := instance.Generate(id)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func (c *client) score(q any) []Score {
	c.t.Helper()
	status, body, _ := c.ask("POST /v1/score", q)
	if status != 200 {
		c.t.Fatalf("status %d: %s", status, body)
	}
	if strings.Contains(body, `"Topic"`) {
		c.t.Errorf("the category has no member of its own: %s", body)
	}
	var out Scores
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		c.t.Fatal(err)
	}
	return out.Items
}

// TestScore: an id is enough to score a reply, right or wrong, and what is no reply of
// the model never has a reward.
func TestScore(t *testing.T) {
	c, end := talk(t, Options{})
	in := made(t, "train", "degree_count", 0)
	answer := `{"answer": ` + string(in.Answer) + `}`
	program := "```ein\n" + in.EinProgram + "\n```"
	line := mustLine(t, in)
	for _, test := range []struct {
		name, item string
		status     ItemStatus
		reward     float64 // NaN for null
		want       string  // of the outcome or the message
	}{
		{"an answer", fmt.Sprintf(`{"id":%q,"reply":%q}`, in.ID, answer), Scored, 1, "strict"},
		{"a wrong answer", fmt.Sprintf(`{"id":%q,"reply":"{\"answer\": -1}"}`, in.ID), Scored, 0, "wrong"},
		{"a program", fmt.Sprintf(`{"id":%q,"reply":%q,"mode":"ein"}`, in.ID, program), Scored, 1, "strict"},
		{"a program without a mode", fmt.Sprintf(`{"id":%q,"reply":%q}`, in.ID, program), Scored, 1, "strict"},
		{"an instance", fmt.Sprintf(`{"instance":%s,"reply":%q}`, line, answer), Scored, 1, "strict"},
		{"no instance", fmt.Sprintf(`{"id":%q,"instance":null,"reply":%q}`, in.ID, answer), Scored, 1, "strict"},
		{"a program that is none", fmt.Sprintf(`{"id":%q,"reply":"x = y","mode":"ein"}`, in.ID), Scored, 0, "type_error"},
		{"nothing said", fmt.Sprintf(`{"id":%q,"reply":null}`, in.ID), Scored, 0, "no_answer"},
		{"cut off", fmt.Sprintf(`{"id":%q,"reply":"I think","finish":"length"}`, in.ID), Scored, 0, "no_answer"},
		{"no id", `{"id":"cb9-x","reply":"1"}`, BadRequest, math.NaN(), "made by generator cb9"},
		{"an instance without what is withheld", fmt.Sprintf(`{"instance":{"id":%q},"reply":"1"}`, in.ID), BadRequest, math.NaN(), "its id alone is enough"},
		{"no category", `{"id":"cb2-train-nothing-0-s7","reply":"1"}`, BadRequest, math.NaN(), "nothing"},
		{"held out", `{"id":"cb2-heldout-degree_count-0-s7","reply":"1"}`, BadRequest, math.NaN(), "--allow-split heldout"},
		{"held out of cb1", `{"id":"cb1-fresh2-reachability-0-s7","reply":"1"}`, BadRequest, math.NaN(), "--allow-split fresh2"},
		{"no mode", fmt.Sprintf(`{"id":%q,"reply":%q,"mode":"guess"}`, in.ID, answer), BadRequest, math.NaN(), `there is no mode "guess"`},
		{"too long", fmt.Sprintf(`{"id":%q,"reply":%q}`, in.ID, strings.Repeat("x", maxReply+1)), BadRequest, math.NaN(), "at most 1048576"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.t = t
			got := c.score(fmt.Sprintf(`{"items":[%s]}`, test.item))[0]
			if got.Status != test.status || !strings.Contains(string(got.Outcome)+got.Message, test.want) {
				t.Errorf("%+v", got)
			}
			if math.IsNaN(test.reward) != (got.Reward == nil) || got.Reward != nil && *got.Reward != test.reward {
				t.Errorf("the reward is %v, want %v", got.Reward, test.reward)
			}
		})
	}
	for body, want := range map[string]string{
		`{"items":[]}`: "expected 1 to 1024",
		`{"items":[` + strings.Repeat(`{"reply":""},`, maxItems) + `{"reply":""}]}`: "there are 1025 items",
		`{"items":[{"reply":""},{"id":"x"}]}`:                                       "/items/1 has no member `reply`, which is required",
		`{"items":[{"reply":"x"},null]}`:                                            "/items/1: expected an object, found null",
		`{}`:                                                                        "the body has no member `items`, which is required",
	} {
		if status, got, _ := c.ask("POST /v1/score", body); status != 400 || !strings.Contains(got, want) {
			t.Errorf("%d %s\nhas no %s", status, got, want)
		}
	}
	// What a model did not say is worth nothing; what the client left out is its mistake.
	for completion, want := range map[string]string{
		`null`:                               "/completions/0: expected text or a list of messages, found null",
		`{"role":"assistant","content":"x"}`: "/completions/0: expected text or a list of messages, found an object",
		`[]`:                                 "/completions/0: there is no message with the role `assistant`",

		`[{"role":"user","content":"x"}]`:           "/completions/0: there is no message with the role `assistant`",
		`[{"role":"assistant","text":"x"}]`:         "/completions/0: message 0, the last of the assistant, has no member `content`",
		`[{"role":"assistant","content":["x"]}]`:    "/completions/0: message 0: the member `content` is an array, expected text",
		`[{"role":"assistant","content":null}]`:     `{"rewards":[0]}`,
		`[{"role":"assistant","tool_calls":["x"]}]`: `{"rewards":[0]}`,
		`""`: `{"rewards":[0]}`,
	} {
		if status, got, _ := c.ask("POST /v1/reward", fmt.Sprintf(`{"ids":[%q],"completions":[%s]}`, in.ID, completion)); (status == 200) != (want[0] == '{') || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s\nhas no %s", completion, status, got, want)
		}
	}
	if status, got, _ := c.ask("POST /v1/reward", fmt.Sprintf(`{"ids":[%q,%[1]q],"completions":[%q,%q]}`, in.ID, answer, strings.Repeat("x", maxReply+1))); status != 200 || got != `{"rewards":[1,null]}` {
		t.Errorf("one reply is too long: %d %s", status, got)
	}
	status, body, _ := c.ask("POST /v1/reward", fmt.Sprintf(`{"ids":[%q,%[1]q,%[1]q],"completions":[%q,[{"role":"assistant","content":"x"}],[{"role":"assistant","content":%[2]q},{"role":"tool","content":"x"}]],"prompts":["a",[]]}`, in.ID, answer))
	if status != 200 || body != `{"rewards":[1,0,1]}` {
		t.Errorf("%d %s", status, body)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestBrokenText: what is no text in a reply costs that reply what it costs in a file of
// replies, and no other one anything.
func TestBrokenText(t *testing.T) {
	in := made(t, "train", "degree_count", 0)
	right := string(encode(`{"answer": ` + string(in.Answer) + `}`))
	web := httptest.NewServer(New(Options{}).Handler())
	defer web.Close()
	for _, half := range []string{`\ud800`, "\xff", `\udc00\ud800`} {
		for _, test := range []struct{ path, body, want string }{
			{"/v1/score", `{"items":[{"id":"ID","reply":RIGHT},{"id":"ID","reply":"HALF"},{"id":"ID","reply":"HALF {\"answer\": ` + string(in.Answer) + `}"},{"id":"HALF","reply":"x"},{"instance":{"id":"HALF"},"reply":"x"}]}`,
				`scored 1, scored 0, scored 1, bad_request , bad_request `},
			{"/v1/reward", `{"ids":["ID","ID","ID"],"completions":["HALF",RIGHT,[{"role":"assistant","content":"HALF"}]]}`, `{"rewards":[0,1,0]}`},
			{"/get_reward", `{"query":["HALF",RIGHT],"prompts":["",""],"labels":["ID","ID"]}`, `"rewards":[0,1]`},
			{"/slime", `{"response":"HALF","label":"ID"}`, `0`},
			{"/step", `{"action":{"reply":"HALF","id":"ID"}}`, `"outcome":"format_error"`},
			{"/verify", `{"id":"ID","response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"HALF"}]}]}}`, `"outcome":"format_error"`},
			{"/ein_run", `{"program":":print HALF"}`, "error"},
			{"/v1/run", `{"program":":print HALF"}`, "the body is not JSON"}, // a label would become another one
		} {
			resp, err := http.Post(web.URL+test.path, "", strings.NewReader(strings.NewReplacer("ID", in.ID, "RIGHT", right, "HALF", half).Replace(test.body)))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			got := string(body)
			if test.path == "/v1/score" {
				var out Scores
				err = errors.Join(err, json.Unmarshal(body, &out))
				var all []string
				for _, x := range out.Items {
					reward := ""
					if x.Reward != nil {
						reward = fmt.Sprint(*x.Reward)
					}
					all = append(all, string(x.Status)+" "+reward)
				}
				got = strings.Join(all, ", ")
			}
			if err != nil || !strings.Contains(got, test.want) {
				t.Errorf("%s of %q: %d %s, %v\nwant %s", test.path, half, resp.StatusCode, body, err, test.want)
			}
		}
	}
}

func mustLine(t *testing.T, in *instance.Instance) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := instance.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// TestRewards: what a verdict is worth is said by the one who starts the server.
func TestRewards(t *testing.T) {
	in := made(t, "train", "degree_count", 0)
	typed := fmt.Sprintf("```ein\nResult = %s\n:print Result\n```", in.Answer)
	half := 0.5
	for _, test := range []struct {
		opt  Options
		want []float64 // right, typed in, wrong, not JSON, nothing
	}{
		{Options{}, []float64{1, 1, 0, 0, 0}},
		{Options{Reward: Relaxed}, []float64{1, 1, 0, 1, 0}},
		{Options{Reward: Shaped}, []float64{1, 1, 0.1, 0.9, 0}},
		{Options{Constant: &half}, []float64{1, 0.5, 0, 0, 0}},
	} {
		c, _ := talk(t, test.opt)
		var items []string
		for _, reply := range []string{`{"answer": ` + string(in.Answer) + `}`, typed, `{"answer": -1}`, "Answer: " + string(in.Answer), ""} {
			items = append(items, fmt.Sprintf(`{"id":%q,"reply":%s}`, in.ID, encode(reply)))
		}
		for i, got := range c.score(`{"items":[` + strings.Join(items, ",") + `]}`) {
			if got.Reward == nil || *got.Reward != test.want[i] {
				t.Errorf("%+v: item %d: %+v, want %v", test.opt, i, got, test.want[i])
			}
		}
	}
}

// TestConstantPython: so is that of programs in Python, which run once more for it.
func TestConstantPython(t *testing.T) {
	if testing.Short() {
		t.Skip("the sandbox proves itself first, which takes seconds")
	}
	in := made(t, "train", "degree_count", 0)
	none := 0.0
	c, _ := talk(t, Options{Constant: &none})
	for _, test := range []struct {
		program  string
		constant bool
		reward   float64
	}{{in.PythonProgram, false, 1}, {"print(" + string(in.Answer) + ")", true, 0}} {
		got := c.score(fmt.Sprintf(`{"items":[{"id":%q,"mode":"python","reply":%s}]}`, in.ID, encode(test.program)))[0]
		if got.Status == InfraError {
			t.Skip(got.Message)
		}
		if got.Constant != test.constant || *got.Reward != test.reward {
			t.Errorf("%s\n%+v", test.program, got)
		}
	}
}

// TestInfrastructure: a sandbox that does not open is no answer of the model.
func TestInfrastructure(t *testing.T) {
	opt := Options{}
	opt.Sandbox.Python = "/nonexistent/python"
	c, _ := talk(t, opt)
	in := made(t, "train", "degree_count", 0)
	got := c.score(fmt.Sprintf(`{"items":[{"id":%q,"reply":"print(1)","mode":"python"},{"id":%[1]q,"reply":"{\"answer\": %s}"}]}`, in.ID, in.Answer))
	if got[0].Status != InfraError || got[0].Reward != nil || got[0].Message == "" {
		t.Errorf("%+v", got[0])
	}
	if got[1].Status != Scored || *got[1].Reward != 1 || got[1].Mode != "direct" {
		t.Errorf("%+v", got[1])
	}
	if status, body, _ := c.ask("POST /v1/reward", fmt.Sprintf(`{"ids":[%q],"completions":["print(1)"],"mode":"python"}`, in.ID)); status != 200 || body != `{"rewards":[null]}` {
		t.Errorf("%d %s", status, body)
	}
}

// TestGenerate: instances come without what gives their answers away, unless the server
// was started to show it.
func TestGenerate(t *testing.T) {
	for _, shown := range []bool{false, true} {
		c, _ := talk(t, Options{ShowAnswers: shown})
		status, body, _ := c.ask("POST /v1/generate", `{"split":"train","seed":3,"per_category":3,"preset":"demo"}`)
		if lines := strings.Count(body, "\n"); status != 200 || lines != 3*len(category.Table) {
			t.Fatalf("%d, %d lines", status, lines)
		}
		first, _, _ := strings.Cut(body, "\n")
		var in struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(first), &in); err != nil {
			t.Fatal(err)
		}
		status, one, _ := c.ask("GET /v1/instances/"+in.ID+"?mode=ein", nil)
		if status != 200 || !strings.Contains(one, `"instance":`+first) || !strings.Contains(one, `"messages":[{"role":"system"`) {
			t.Errorf("%d %s", status, one)
		}
		for _, member := range []string{`"answer":`, `"ein_program":`, `"python_program":`, `"digest":`} {
			if strings.Contains(first, member) != shown || strings.Contains(one, member) != shown {
				t.Errorf("whether there is %s is not %t:\n%s\n%s", member, shown, first, one)
			}
		}
		for body, want := range map[string]string{
			`{"split":"heldout","seed":3}`:                                "--allow-split heldout",
			`{"split":"train","seed":3,"per_category":1000000}`:           "at most 10000",
			`{"split":"train","seed":3,"per_category":-1}`:                "/per_category: expected a number from 1 on, found -1",
			`{"split":"train","seed":3,"per_category":0}`:                 "/per_category: expected a number from 1 on, found 0",
			`{"split":"train","seed":3,"n":[1]}`:                          "expected two numbers",
			`{"split":"train","seed":3,"preset":"giant"}`:                 "there is no preset",
			`{"split":"train","seed":3,"categories":["gossip"]}`:          "gossip",
			`{"split":"train","seed":3,"generator":"cb1","n":[9,2]}`:      "",
			`{"split":"train","seed":3,"preset":"huge"}`:                  "there are demo, paper, standard, hard",
			`{"split":"train","seed":3,"categories":["cousin","cousin"]}`: "/categories/1: cousin is there twice",
			`{"split":"","seed":3}`:                                       "the split has no name",
			`{"split":"train","seed":-1}`:                                 "/seed: expected a whole number from 0 on, found -1",
			`{"split":"train","seed":1.5}`:                                "/seed: expected a whole number from 0 on, found 1.5",
			`{"split":"train","seed":3,"per_category":1e30}`:              "/per_category: expected a whole number, found 1e30",
			// The sizes of a preset are those of cb2, where this split is held out.
			`{"split":"unseen","seed":3,"generator":"cb1","preset":"hard"}`: "the preset hard is of cb2",
			// The space holds fewer questions: that is no bug of the server.
			`{"split":"train","seed":3,"categories":["sibling"],"n":[4,4],"per_category":50}`: "too small",
		} {
			if status, got, _ := c.ask("POST /v1/generate", body); status != 400 || !strings.Contains(got, want) {
				t.Errorf("%s: %d %s", body, status, got)
			}
		}
		for call, want := range map[string]int{"GET /v1/instances/cb2-test-reachability-0-s1": 400, "GET /v1/instances/" + in.ID + "?mode=x": 400, "GET /v1/instances/": 400, "GET /v1/instances/a/b": 404} {
			if status, body, _ := c.ask(call, nil); status != want {
				t.Errorf("%s: %d %s", call, status, body)
			}
		}
	}
}

// TestBrokenStream: an error behind the first lines is in the last line, and the answer is
// seen to be cut off. Over streams it is the answer.
func TestBrokenStream(t *testing.T) {
	const body, want = `{"split":"train","seed":3,"categories":["degree_count","sibling"],"n":[4,4],"per_category":100}`, "sibling: only 7 of 100 found"
	web := httptest.NewServer(New(Options{}).Handler())
	defer web.Close()
	resp, err := http.Post(web.URL+"/v1/generate", "", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if lines := bytes.Split(text, []byte("\n")); err == nil || resp.StatusCode != 200 || len(lines) != 66 || !bytes.HasPrefix(lines[64], []byte(`{"version":1,"error":{`)) || !bytes.Contains(lines[64], []byte(want)) || len(lines[65]) > 0 {
		t.Errorf("%d, %d lines, %v: %s", resp.StatusCode, len(lines), err, lines[max(0, len(lines)-2):])
	}
	c, _ := talk(t, Options{})
	if status, got, _ := c.ask("POST /v1/generate", body); status != 400 || !strings.Contains(got, want) {
		t.Errorf("%d %s", status, got)
	}
}

// TestGenerateHoldsNobodyUp: of two nodes there are few questions, and a search for another one takes
// half a minute. Others are answered in the meantime.
func TestGenerateHoldsNobodyUp(t *testing.T) {
	s := New(Options{})
	ctx, stop := context.WithCancel(t.Context())
	searches := make(chan *Answer, processors())
	for range processors() {
		go func() {
			searches <- s.Ask(ctx, "POST /v1/generate", []byte(`{"generator":"cb1","split":"train","seed":1,"n":[2,2],"categories":["degree_count"],"per_category":500}`))
		}()
	}
	for s.ein.length() < processors()*einSlice/2 { // not all have begun
		runtime.Gosched()
	}
	for range 5 {
		if a := s.Ask(ctx, "POST /v1/run", []byte(`{"program":":print 1"}`)); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if len(searches) > 0 {
		t.Errorf("a search ended before the programs: %s", (<-searches).Body)
	}
	stop()
	for range processors() {
		if a := <-searches; a.Status != statusGone {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
}

// TestLongRunsHoldNobodyUp: programs that take long leave a worker to those that do not, however many
// there are.
func TestLongRunsHoldNobodyUp(t *testing.T) {
	const long = `{"program":"W = ones(300,300)\nX = ones(300,300)\nrepeat 5000 {\n X[i,j] max= (W[i,k] + 1) * X[k,j] / 300\n}\n:print sum(X)"}`
	s := New(Options{})
	ctx, stop := context.WithCancel(t.Context())
	runs := make(chan *Answer, 4*processors())
	for range cap(runs) {
		go func() { runs <- s.Ask(ctx, "POST /v1/run", []byte(long)) }()
	}
	for s.ein.length() < cap(runs) && len(runs) == 0 { // not all have begun
		runtime.Gosched()
	}
	soon, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	for range 5 {
		if a := s.Ask(soon, "POST /v1/run", []byte(`{"program":":print 1"}`)); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	ended := len(runs)
	stop()
	for range cap(runs) {
		if a := <-runs; ended > 0 || a.Status < 400 {
			t.Errorf("%d long runs ended before the short ones: %d %s", ended, a.Status, a.Body)
		}
	}
	if n := len(s.ein.workers); n != processors() || s.ein.length() != 0 {
		t.Errorf("%d workers are free, and %d items are left", n, s.ein.length())
	}
}

// TestHeavyWorkStandsAside: heavy work of any route leaves its worker to others while it waits for a place,
// which takes nothing of its time.
func TestHeavyWorkStandsAside(t *testing.T) {
	const heavy = `W = ones(300,300)\nX[i,j] max= W[i,k] + W[k,j]\n:print sum(X)`
	for ask, body := range map[string]string{
		"POST /v1/run":   `{"program":"` + heavy + `"}`,
		"POST /v1/why":   `{"program":"` + heavy + `","expression":"X[0,1]"}`,
		"POST /v1/score": `{"items":[{"id":"cb2-train-degree_count-0-s7","mode":"ein","reply":"` + "```ein\\n" + heavy + `"}]}`,
		"POST /run_code": `{"language":"ein","code":"` + heavy + `","run_timeout":1}`,
	} {
		t.Run(ask, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{Timeout: time.Second})
				for range processors() { // all places are taken
					s.ein.long <- struct{}{}
				}
				answers := make(chan *Answer, 2*processors())
				for range cap(answers) {
					go func() { answers <- s.Ask(t.Context(), ask, []byte(body)) }()
				}
				synctest.Wait()
				if a := s.Ask(t.Context(), "POST /v1/run", []byte(`{"program":":print 1"}`)); a.Status != 200 || len(answers) > 0 {
					t.Errorf("%d heavy ones ended, and a light one has %d %s", len(answers), a.Status, a.Body)
				}
				time.Sleep(10 * time.Second)
				for range processors() {
					<-s.ein.long
				}
				for range cap(answers) {
					if a := <-answers; a.Status != 200 || strings.Contains(string(a.Body), "imit") {
						t.Errorf("%d %s", a.Status, a.Body)
					}
				}
				if n := len(s.ein.workers); n != processors() || s.ein.length() != 0 {
					t.Errorf("%d workers are free, and %d items are left", n, s.ein.length())
				}
			})
		})
	}
}

// TestLanes: a queue counts items, tells when it is full, and takes in turn those that
// wait. Nobody starves.
func TestLanes(t *testing.T) {
	s := New(Options{})
	l := newLane("test", 10, 2, 1, func() *verdict.Judge { return nil })
	ctx := context.Background()
	release, started := make(chan struct{}), make(chan struct{}, 20)
	done := make(chan error, 3)
	hold := func(context.Context, *verdict.Judge, int) error {
		started <- struct{}{}
		<-release
		return nil
	}
	go func() { done <- l.each(ctx, 8, false, s.metrics.waited(l), hold) }()
	<-started
	var busy *busyError
	if err := l.each(ctx, 3, false, s.metrics.waited(l), hold); !errors.As(err, &busy) || busy.items != 8 || busy.after <= 0 {
		t.Errorf("a full queue says %v", err)
	}
	waits, cancel := context.WithCancel(ctx)
	gone := make(chan error, 1)
	go func() { gone <- l.each(waits, 3, true, s.metrics.waited(l), hold) }()
	cancel()
	if err := <-gone; !errors.As(err, &busy) {
		t.Errorf("one who waited in vain is told %v", err)
	}
	go func() { done <- l.each(ctx, 3, true, s.metrics.waited(l), hold) }()
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := l.length(); n != 0 {
		t.Errorf("%d items are left", n)
	}
	if err := l.each(ctx, 1, false, s.metrics.waited(l), func(context.Context, *verdict.Judge, int) error { panic("at work") }); err == nil || !strings.Contains(err.Error(), "at work") {
		t.Errorf("a panic is %v", err)
	}
	if n := l.length(); n != 0 {
		t.Errorf("%d items are left", n)
	}
}

// TestLongItems: a slice of items that take long gives its worker to others in between.
func TestLongItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time is virtual
		s := New(Options{})
		l := newLane("test", 100, einSlice, 1, func() *verdict.Judge { return nil })
		started, done := make(chan struct{}), make(chan error)
		var finished atomic.Int64
		go func() {
			done <- l.each(t.Context(), einSlice, false, s.metrics.waited(l), func(_ context.Context, _ *verdict.Judge, i int) error {
				if i == 0 {
					close(started)
				}
				time.Sleep(sliceTime / 4)
				finished.Add(1)
				return nil
			})
		}()
		<-started
		err := l.each(t.Context(), 1, false, s.metrics.waited(l), func(context.Context, *verdict.Judge, int) error {
			if n := finished.Load(); n > einSlice/2 {
				t.Errorf("%d items came first", n)
			}
			return nil
		})
		if err := errors.Join(err, <-done); err != nil || finished.Load() != einSlice || l.length() != 0 {
			t.Errorf("%v, %d are done, %d are left", err, finished.Load(), l.length())
		}
	})
}
