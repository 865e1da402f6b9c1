package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ein"
	"ein/bench/judge/sandbox"
	"ein/bench/judge/verdict"
	"ein/bench/question/prompt"
	"ein/internal/stats"
	"ein/internal/words"
	"ein/lang/diag"
	"ein/lang/source"
)

// The routes in the formats of training stacks. They post more than these routes read, and where
// our clients would try again, theirs give up or record a score of 0. So these routes wait for
// room in a queue almost as long as the client does, and report failures in a form that it does
// not take for a reward.

// stack makes a row of the table for a training stack.
func stack[Q, R any](method, path, doc string, deadline time.Duration, status int, work func(context.Context, *Server, *Call, *Q) (R, error)) Route {
	r := route(method, path, doc, deadline, work)
	r.Hold, r.lenient, r.said = true, true, true
	r.fail = func(err error) *Answer {
		a := failure(err)
		if a.Status == http.StatusTooManyRequests || a.Status >= http.StatusInternalServerError {
			a.Status, a.After = status, 0
		}
		return a
	}
	return r
}

// withToken makes a route that also takes the token as ?token=, since its clients cannot send
// headers.
func (r Route) withToken() Route {
	r.inQuery = true
	return r
}

// stacks returns the routes for training stacks.
func stacks() []Route {
	const unavailable, timeout = http.StatusServiceUnavailable, http.StatusGatewayTimeout
	return []Route{
		// The client of verifiers waits a minute; that of NeMo Gym for ever.
		stack("POST", "/seed_session", "NeMo Gym: begin a rollout.", time.Second, unavailable, named).gives(Session{}),
		stack("POST", "/close_session", "NeMo Gym: end a rollout.", time.Second, unavailable, named).gives(Session{}),
		stack("POST", "/verify", "NeMo Gym: the row of a data set with the response of the model, and its reward.", 50*time.Second, unavailable, verify).gives(Row{}),
		stack("POST", "/aggregate_metrics", "NeMo Gym: statistics of the answers of /verify.", 50*time.Second, unavailable, aggregate),
		stack("GET", "/reverify_mode", "NeMo Gym: whether a response can be verified again.", time.Second, unavailable, func(context.Context, *Server, *Call, *nothing) (string, error) { return "stateless", nil }),
		stack("POST", "/ein_run", "NeMo Gym: a tool that runs a program.", 50*time.Second, unavailable, inLane(tool("run"))).gives(Plain("")),
		stack("POST", "/ein_check", "NeMo Gym: a tool that checks a program.", 50*time.Second, unavailable, inLane(tool("check"))).gives(Plain("")),
		// OpenRLHF waits three minutes, and tries five times.
		stack("POST", "/get_reward", "OpenRLHF: rewards of queries; a label is MODE:ID or an id.", 150*time.Second, unavailable, getReward).withToken(),
		// slime waits two minutes, and tries ten times.
		stack("POST", "/slime", "slime: the reward of a response, a bare number.", 100*time.Second, unavailable, slime).withToken(),
		// verl waits half a minute, and tries again after the one status 504.
		stack("POST", "/run_code", "SandboxFusion: run a Python program.", 20*time.Second, timeout, runCode),
	}
}

// one scores a single reply. The error is about the infrastructure or the id.
func (s *Server) one(ctx context.Context, r *Route, it Item) (*Score, error) {
	list, err := s.score(ctx, r, &ScoreRequest{Items: []Item{it}})
	if err != nil {
		return nil, err
	}
	out := &list[0]
	switch out.Status {
	case BadRequest:
		return nil, bad("%s", out.Message)
	case InfraError:
		return out, &requestError{http.StatusServiceUnavailable, "the reply was not judged: " + out.Message}
	}
	return out, nil
}

// Session names a rollout of NeMo Gym.
type Session struct {
	ID string `json:"resources_session_id,omitzero"`
}

// named keeps nothing. Environment servers of NeMo Gym give a rollout a name, which they want back,
// and a cookie with it; agents that run by themselves do not.
func named(_ context.Context, _ *Server, _ *Call, q *Session) (*Answer, error) {
	a := &Answer{Status: http.StatusOK, Body: encode(q)}
	if q.ID != "" {
		a.Cookie = "ein=session; HttpOnly; SameSite=Strict"
	}
	return a, nil
}

// Row holds the members of a row of a data set.
type Row map[string]jsontext.Value

// text returns a member that must be a text, "" if it is missing.
func (r Row) text(name string) (s string, err error) {
	if r[name] != nil && json.Unmarshal(r[name], &s) != nil {
		err = bad("/%s: expected text, found %s", name, found[r[name].Kind()])
	}
	return s, err
}

// set sets a member.
func (r Row) set(name string, v any) { r[name] = encode(v) }

// modelResponse is the part of a Responses object that verify reads.
type modelResponse struct {
	Status string         `json:"status"`
	Error  jsontext.Value `json:"error"`
	Output []struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		} `json:"content"`
	} `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// reply returns the text of the last message of the model.
func (m *modelResponse) reply() (string, error) {
	for _, o := range slices.Backward(m.Output) {
		if o.Type != "message" || o.Role != "assistant" {
			continue
		}
		if o.Content == nil {
			return "", bad("/response/output: the last message of the assistant has no member `content`")
		}
		var text strings.Builder
		for _, c := range o.Content {
			switch {
			case c.Type != "output_text":
			case c.Text == nil:
				return "", bad("/response/output: an output_text of the last message of the assistant has no member `text`")
			default:
				text.WriteString(*c.Text)
			}
		}
		return text.String(), nil
	}
	return "", nil
}

// failed returns an error if the model did not answer, which is worth no reward: not even 0.
func (m *modelResponse) failed() error {
	why := ""
	if m.Error != nil && m.Error.Kind() != 'n' {
		why = ": " + words.Clip(string(m.Error), 200)
	} else if m.Status != "failed" && m.Status != "cancelled" {
		return nil
	}
	return &requestError{http.StatusServiceUnavailable, "the response of the model is " + cmp.Or(m.Status, "failed") + why}
}

// verify returns the whole row, with its reward and the members that become metrics.
func verify(ctx context.Context, s *Server, c *Call, q *Row) (any, error) {
	row := *q
	if row["response"] == nil {
		return nil, bad("the body has no member `response`, which is required")
	}
	var m modelResponse
	if err := json.Unmarshal(row["response"], &m); err != nil {
		return nil, bad("/response is not the response of a model: %s", malformed(err))
	}
	if m.Output == nil {
		return nil, bad("/response has no member `output`, the messages of the model")
	}
	finish := ""
	if m.Incomplete.Reason == "max_output_tokens" {
		finish = "length"
	}
	id, err := row.text("id")
	mode, err2 := row.text("mode")
	reply, err3 := m.reply()
	if err := cmp.Or(err, err2, err3); err != nil {
		return nil, err
	}
	var out *Score
	if err = m.failed(); err == nil {
		out, err = s.one(ctx, c.Route, Item{ID: id, Reply: reply, Mode: prompt.Mode(mode), Finish: finish})
	}
	if err != nil {
		numbered := slices.ContainsFunc(slices.Collect(maps.Keys(row)), func(name string) bool { return strings.HasPrefix(name, "_ng_") })
		if !numbered || c.Route.fail(err).Status != http.StatusServiceUnavailable {
			return nil, err
		}
		// The runner of NeMo Gym, which numbers its rows, knows a failure by its class, and
		// asks again. Others would take the 0 for a reward.
		row.set("reward", 0.0)
		row.set("_ng_failure_class", "infra_failed")
		row.set("mask_sample", true)
		row.set("failure_reason", err.Error())
		return row, nil
	}
	row.set("reward", *out.Reward)
	row.set("strict", stats.One(out.Strict))
	row.set("relaxed", stats.One(out.Relaxed))
	row.set("lenient", stats.One(out.Lenient))
	row.set("ops", out.Ops)
	row.set("outcome", out.Outcome)
	return row, nil
}

// ToolRequest is what a model passes to a tool.
type ToolRequest struct {
	Program string `json:"program"`
}

// Plain is an answer that is not JSON.
type Plain string

// The answer of a tool is text for a model, also about mistakes in its program.
func tool(name string) func(context.Context, *Server, *Call, *ToolRequest) (*Answer, error) {
	return func(ctx context.Context, s *Server, c *Call, q *ToolRequest) (*Answer, error) {
		text, err := s.told(ctx, c, name, q.Program)
		return &Answer{Status: http.StatusOK, Type: "text/plain; charset=utf-8", Body: []byte(text)}, err
	}
}

// told runs or checks a program in the profile core, and describes the outcome in words.
func (s *Server) told(ctx context.Context, c *Call, tool, text string) (string, error) {
	p := Program{Source: text, Profile: ein.Core.String()}
	if tool == "check" {
		r, err := check(ctx, s, c, &p)
		switch {
		case err != nil:
			return "", err
		case r.Text == "":
			return "The program checks.", nil
		}
		return r.Text, nil
	}
	v, err := run(ctx, s, c, &RunRequest{Program: p, Form: "text"})
	if wrong, ok := errors.AsType[*ein.Error](err); ok {
		return rendered(wrong.Diags.Told(), wrong.File), nil
	}
	if err != nil {
		return "", err
	}
	r := v.(*RunResult)
	return r.Text + r.warned, nil
}

// QueryRequest is a request of OpenRLHF: prompts with responses, decoded with their special tokens.
type QueryRequest struct {
	Query   []string `json:"query"`
	Prompts []string `json:"prompts"`
	Labels  []string `json:"labels"`
}

// QueryRewards is the answer for OpenRLHF.
type QueryRewards struct {
	Rewards []float64            `json:"rewards"`
	Scores  []float64            `json:"scores"`
	Logs    map[string][]float64 `json:"extra_logs"`
}

// ends are the tokens that end a response in chat templates, as texts.
var ends = []string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>", "<eos>", "</s>", "<｜end▁of▁sentence｜>"}

// response returns what a model wrote, without the tokens behind it.
func response(text string) string {
	for again := true; again; {
		text, again = strings.TrimRight(text, " \n"), false
		for _, end := range ends {
			var cut bool
			text, cut = strings.CutSuffix(text, end)
			again = again || cut
		}
	}
	return text
}

// labelled makes an item of a label, which is MODE:ID or an id.
func labelled(label, reply string) Item {
	if mode, id, ok := strings.Cut(label, ":"); ok {
		return Item{ID: id, Mode: prompt.Mode(mode), Reply: reply}
	}
	return Item{ID: label, Reply: reply}
}

// getReward speaks the protocol of OpenRLHF, which sends whole texts with the prompt in front, and
// takes one number for each. It knows no missing reward, so one reply that could not be judged
// fails the request.
func getReward(ctx context.Context, s *Server, c *Call, q *QueryRequest) (*QueryRewards, error) {
	if len(q.Labels) != len(q.Query) || len(q.Prompts) != len(q.Query) {
		return nil, bad("there are %d queries, %d prompts and %d labels", len(q.Query), len(q.Prompts), len(q.Labels))
	}
	var items ScoreRequest
	for i, query := range q.Query {
		// A tokenizer may put a token before the prompt. A program in what is left of another prompt
		// would be scored as the model's.
		_, said, ok := strings.Cut(query, q.Prompts[i])
		if !ok {
			return nil, bad("/query/%d: it does not have the text of /prompts/%[1]d, which may be longer than the trainer allows", i)
		}
		items.Items = append(items.Items, labelled(q.Labels[i], response(said)))
	}
	scores, err := s.score(ctx, c.Route, &items)
	if err != nil {
		return nil, err
	}
	out := &QueryRewards{Logs: map[string][]float64{}}
	for i := range scores {
		switch it := &scores[i]; it.Status {
		case BadRequest:
			return nil, bad("/labels/%d: %s", i, it.Message)
		case InfraError:
			return nil, &requestError{http.StatusServiceUnavailable, fmt.Sprintf("reply %d was not judged: %s", i, it.Message)}
		case Scored:
			out.Rewards, out.Scores = append(out.Rewards, *it.Reward), append(out.Scores, *it.Reward)
			for name, right := range map[string]bool{"strict": it.Strict, "relaxed": it.Relaxed, "lenient": it.Lenient} {
				out.Logs[name] = append(out.Logs[name], stats.One(right))
			}
		}
	}
	return out, nil
}

// SlimeRequest is a request of slime.
type SlimeRequest struct {
	Prompt   jsontext.Value `json:"prompt,omitzero"`
	Response string         `json:"response"`
	Label    string         `json:"label"`
}

func slime(ctx context.Context, s *Server, c *Call, q *SlimeRequest) (float64, error) {
	out, err := s.one(ctx, c.Route, labelled(q.Label, response(q.Response)))
	if err != nil {
		return 0, err
	}
	return *out.Reward, nil
}

// CodeRequest is a request for SandboxFusion.
type CodeRequest struct {
	CompileTimeout float64           `json:"compile_timeout,omitzero"`
	RunTimeout     float64           `json:"run_timeout,omitzero"` // seconds
	MemoryLimit    float64           `json:"memory_limit_MB,omitzero"`
	Code           string            `json:"code"`
	Stdin          *string           `json:"stdin,omitzero"`
	Language       string            `json:"language"` // python; ein as well
	Files          map[string]string `json:"files,omitzero"`
	FetchFiles     []string          `json:"fetch_files,omitzero"`
}

// CodeResult is the answer of SandboxFusion.
type CodeResult struct {
	Status  string            `json:"status"` // Success, Failed, SandboxError
	Message string            `json:"message"`
	Compile *CodeRun          `json:"compile_result"`
	Run     *CodeRun          `json:"run_result"`
	Pod     *string           `json:"executor_pod_name"`
	Files   map[string]string `json:"files"`
}

// CodeRun is how a program ended.
type CodeRun struct {
	Status string   `json:"status"`         // Finished, with any code; TimeLimitExceeded
	Time   *float64 `json:"execution_time"` // seconds that passed, those in which it waited for a processor included
	Code   *int     `json:"return_code"`
	Stdout *string  `json:"stdout"`
	Stderr *string  `json:"stderr"`
}

// runCode answers with status 200, unless the client should try again. If the sandbox fails, it
// says SandboxError.
func runCode(ctx context.Context, s *Server, c *Call, q *CodeRequest) (*CodeResult, error) {
	out := &CodeResult{Status: "SandboxError", Files: map[string]string{}}
	lane := s.python
	switch {
	case len(q.Files) > 0 || len(q.FetchFiles) > 0:
		out.Message = "programs have no files here"
		return out, nil
	case q.Language == "ein":
		lane = s.ein
	case q.Language != "python":
		out.Message = fmt.Sprintf("there is no language %q here; there are python and ein", q.Language)
		return out, nil
	case len(q.Code) > sandbox.MaxProgram:
		out.Message = fmt.Sprintf("the program has %d bytes, at most %d are run", len(q.Code), sandbox.MaxProgram)
		return out, nil
	}
	limit := 10 * time.Second
	if q.RunTimeout > 0 && q.RunTimeout < limit.Seconds() {
		limit = time.Duration(q.RunTimeout * float64(time.Second))
	}
	err := lane.each(ctx, 1, true, s.metrics.waited(lane), func(ctx context.Context, _ *verdict.Judge, _ int) error {
		if lane == s.python { // proving the sandbox takes none of the program's time
			if _, err := s.box.Open(); err != nil {
				out.Message = err.Error()
				return nil
			}
		}
		start := time.Now()
		ended, code, stdout, stderr, err := s.execute(ctx, c, q, limit)
		took := time.Since(start)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			ended = "TimeLimitExceeded"
		case err != nil:
			out.Message = err.Error()
			return nil
		}
		if out.Status = "Success"; ended != "Finished" || code != 0 {
			out.Status = "Failed"
		}
		out.Run = &CodeRun{Status: ended, Time: new(took.Seconds()), Code: &code, Stdout: &stdout, Stderr: &stderr}
		if ended == "TimeLimitExceeded" {
			out.Run.Code = nil
		}
		return nil
	})
	return out, err
}

// execute runs a program for at most so long. The error is of the sandbox, or says that the time was over.
func (s *Server) execute(ctx context.Context, c *Call, q *CodeRequest, limit time.Duration) (ended string, code int, stdout, stderr string, err error) {
	if q.Language == "ein" {
		v, err := run(ctx, s, c, &RunRequest{Program: Program{Source: q.Code, Limits: Limits{Millis: uint64(max(1, limit.Milliseconds()))}}, Form: "text"})
		if wrong, ok := errors.AsType[*ein.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
			return "Finished", 1, "", rendered(wrong.Diags.Told(), wrong.File), nil
		}
		if err != nil {
			return "", 0, "", "", err
		}
		r := v.(*RunResult)
		return "Finished", 0, r.Text, r.warned, nil
	}
	program := q.Code
	if q.Stdin != nil {
		program = "import io,sys\nsys.stdin=io.TextIOWrapper(io.BytesIO(" + strconv.QuoteToASCII(*q.Stdin) + ".encode()),encoding='utf-8')\n" +
			"exec(compile(" + strconv.QuoteToASCII(q.Code) + ",'main.py','exec'),{'__name__':'__main__'})\n"
	}
	box, err := s.box.Open()
	if err != nil {
		return "", 0, "", "", err
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	r, err := box.Run(ctx, program)
	switch ended = map[sandbox.Outcome]string{sandbox.OK: "Finished", sandbox.Timeout: "TimeLimitExceeded"}[r.Outcome]; {
	case ctx.Err() != nil:
		ended = "TimeLimitExceeded"
	case err != nil:
		return "", 0, "", "", err
	case ended == "":
		ended, code = "Finished", max(r.Exit, 1) // who crashes with status 0 has not succeeded
	}
	return ended, code, strings.ToValidUTF8(r.Stdout, "\ufffd"), strings.ToValidUTF8(r.Stderr, "\ufffd"), nil
}

// rendered returns diagnostics as text.
func rendered(list diag.List, f *source.File) string {
	if len(list) == 0 { // as of most programs: a renderer has a buffer
		return ""
	}
	var b strings.Builder
	_ = diag.Text{}.Render(&b, list, f) // a Builder takes everything
	return b.String()
}
