package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/internal/compact"
	"ein/internal/stats"
)

// The log of inspect_ai, as its version 2 has it, as far as a run fills it.
type (
	inspectLog struct {
		Version int             `json:"version"`
		Status  string          `json:"status"` // success, error
		Eval    map[string]any  `json:"eval"`
		Plan    map[string]any  `json:"plan"`
		Results *inspectResults `json:"results"`
		Stats   inspectStats    `json:"stats"`
		Error   *inspectError   `json:"error,omitempty"`
		Samples []inspectSample `json:"samples"`
	}
	inspectGenerate struct {
		Temperature *float64 `json:"temperature,omitempty"`
		TopP        *float64 `json:"top_p,omitempty"`
		MaxTokens   *int     `json:"max_tokens,omitempty"`
		Seed        *int64   `json:"seed,omitempty"`
		Stop        []string `json:"stop_seqs,omitempty"`
		Effort      string   `json:"reasoning_effort,omitempty"`
		Thinking    *int     `json:"reasoning_tokens,omitempty"`
	}
	inspectResults struct {
		Total     int            `json:"total_samples"`
		Completed int            `json:"completed_samples"`
		Scores    []inspectScore `json:"scores"`
	}
	inspectScore struct {
		Name     string                   `json:"name"`
		Scorer   string                   `json:"scorer"`
		Scored   int                      `json:"scored_samples"`
		Unscored int                      `json:"unscored_samples"`
		Metrics  map[string]inspectMetric `json:"metrics"`
	}
	inspectMetric struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	}
	inspectStats struct {
		Started   string                  `json:"started_at"`
		Completed string                  `json:"completed_at"`
		Usage     map[string]inspectUsage `json:"model_usage"`
	}
	inspectUsage struct {
		Input     int64   `json:"input_tokens"` // without those of a cache
		Output    int64   `json:"output_tokens"`
		Total     int64   `json:"total_tokens"`
		CacheRead int64   `json:"input_tokens_cache_read,omitempty"`
		Reasoning int64   `json:"reasoning_tokens,omitempty"`
		Cost      float64 `json:"total_cost,omitempty"`
	}
	inspectSample struct {
		ID       string                       `json:"id"`
		Epoch    int                          `json:"epoch"`
		Input    string                       `json:"input"`
		Target   string                       `json:"target"`
		Messages []inspectMessage             `json:"messages"`
		Output   inspectOutput                `json:"output"`
		Scores   map[answer.Mode]inspectGrade `json:"scores,omitempty"`
		Metadata map[string]any               `json:"metadata"`
		Events   []inspectEvent               `json:"events"`
		Usage    map[string]inspectUsage      `json:"model_usage"`
		Started  string                       `json:"started_at,omitempty"`
		Done     string                       `json:"completed_at,omitempty"`
		Total    *float64                     `json:"total_time,omitempty"` // seconds
		Working  *float64                     `json:"working_time,omitempty"`
		UUID     string                       `json:"uuid"`
		Error    *inspectError                `json:"error,omitempty"`
	}
	// inspectEvent is the call of the model, or the score.
	inspectEvent struct {
		UUID    string           `json:"uuid"`
		Time    string           `json:"timestamp"`
		Start   float64          `json:"working_start"`
		Event   string           `json:"event"` // model, score
		Model   string           `json:"model,omitempty"`
		Input   []inspectMessage `json:"input,omitempty"`
		Tools   []string         `json:"tools,omitzero"`
		Choice  string           `json:"tool_choice,omitempty"`
		Config  *inspectGenerate `json:"config,omitempty"`
		Output  *inspectOutput   `json:"output,omitempty"`
		Retries int              `json:"retries,omitempty"`
		Done    string           `json:"completed,omitempty"`
		Working *float64         `json:"working_time,omitempty"`
		Meta    map[string]any   `json:"metadata,omitempty"`
		Scorer  string           `json:"scorer,omitempty"`
		Score   *inspectGrade    `json:"score,omitempty"`
		Target  string           `json:"target,omitempty"`
	}
	inspectMessage struct {
		ID      string        `json:"id"`
		Role    string        `json:"role"`
		Content any           `json:"content"` // a text, or inspectContent
		Source  string        `json:"source,omitempty"`
		Model   string        `json:"model,omitempty"`
		Calls   []inspectCall `json:"tool_calls,omitempty"`
		Call    string        `json:"tool_call_id,omitempty"` // of a tool
		Tool    string        `json:"function,omitempty"`
		Error   *inspectFault `json:"error,omitempty"`
	}
	inspectCall struct {
		ID   string         `json:"id"`
		Tool string         `json:"function"`
		Args map[string]any `json:"arguments"`
		Bad  string         `json:"parse_error,omitempty"` // the arguments, if they are no object
	}
	inspectFault struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	inspectContent struct {
		Type      string `json:"type"` // reasoning, text
		Reasoning string `json:"reasoning,omitempty"`
		Text      string `json:"text,omitempty"`
	}
	inspectOutput struct {
		Model      string          `json:"model"`
		Choices    []inspectChoice `json:"choices"`
		Completion string          `json:"completion"`
		Usage      *inspectUsage   `json:"usage,omitempty"`
	}
	inspectChoice struct {
		Message inspectMessage `json:"message"`
		Stop    string         `json:"stop_reason"`
	}
	inspectGrade struct {
		Value       string         `json:"value"` // C: correct, I: incorrect
		Answer      string         `json:"answer,omitempty"`
		Explanation string         `json:"explanation"`
		Metadata    map[string]any `json:"metadata"`
	}
	inspectError struct {
		Message   string `json:"message"`
		Traceback string `json:"traceback"`
		ANSI      string `json:"traceback_ansi"`
	}
)

// inspectStops maps finish reasons to inspect_ai's names.
var inspectStops = map[model.Finish]string{
	model.Stop: "stop", model.Length: "max_tokens", model.Refusal: "content_filter", model.ContentFilter: "content_filter", model.Other: "unknown",
}

// uid derives an id from its arguments alone, so that exports are reproducible.
func uid(of ...string) string { return hash(fmt.Sprintf("%q", of))[:22] }

// stamp is a time as inspect_ai writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05+00:00") }

// runID is the same for all parts of a run, and for every export of it.
func (p *Part) runID() string {
	b, _ := json.Marshal(&p.Run.Config) // it was read from JSON
	return uid(string(b))
}

// InspectName returns the name that inspect_ai gives to the file of such a log, by which
// it finds it in a folder.
func (p *Part) InspectName(t *Times) string {
	task := "closurebench-" + string(p.Mode) + "-" + string(p.Encoding)
	return t.Begin.UTC().Format("2006-01-02T15-04-05+00-00") + "_" + task + "_" + uid(p.runID(), p.Task()) + ".json"
}

// inspectLog returns the log of a part, with an empty list of samples.
func (p *Part) inspectLog(t *Times) *inspectLog {
	c, id := &p.Run.Config, p.runID()
	name, config := provider(c.Model), map[string]any{"epochs": c.Samples}
	if c.Instances.Limit > 0 {
		config["limit"] = c.Instances.Limit
	}
	l := &inspectLog{Version: 2, Status: "success", Samples: []inspectSample{}, Results: &inspectResults{Total: len(p.Rows)}, Stats: inspectStats{stamp(t.Begin), stamp(t.End), map[string]inspectUsage{}}}
	ids := make([]string, 0, len(p.Rows)/c.Samples)
	for _, row := range p.Rows {
		if row.Sample == 0 {
			ids = append(ids, row.ID)
		}
	}
	l.Plan = map[string]any{"name": "plan", "steps": []map[string]any{
		{"solver": "system_message", "params": map[string]string{"template": c.Prompts[p.Mode]}},
		{"solver": "generate", "params": map[string]string{}}}}
	l.Eval = map[string]any{"eval_id": uid(id, p.Task(), "eval"), "run_id": id, "created": stamp(t.Begin), "task": p.Task(), "task_id": uid(id, p.Task()), "task_version": run.Format,
		"task_args": map[string]any{"mode": p.Mode, "encoding": p.Encoding},
		"dataset":   map[string]any{"name": c.Instances.File, "samples": len(p.Rows) / c.Samples, "sample_ids": ids, "shuffled": false},
		"model":     name, "model_generate_config": p.generate(), "config": config, "packages": map[string]string{"ein": c.Ein},
		"metadata": map[string]any{"instances_sha256": c.Instances.SHA256, "sent": c.Sent[p.Mode]}}
	if c.BaseURL != "" {
		l.Eval["model_base_url"] = c.BaseURL
	}
	all := inspectUsage{}
	for _, row := range p.Rows {
		if row.Reply != nil {
			l.Results.Completed++
			all.add(usage(row))
		}
	}
	l.Stats.Usage[name] = all
	for _, m := range answer.Modes() {
		l.Results.Scores = append(l.Results.Scores, p.results(m))
	}
	if missing := len(p.Rows) - l.Results.Completed; missing > 0 {
		l.Status = "error"
		l.Error = &inspectError{Message: fmt.Sprintf("%d of %d replies are missing, for reasons outside the model", missing, len(p.Rows))}
	}
	return l
}

// generate returns the parameters of the requests. What the run left to the provider is absent.
func (p *Part) generate() *inspectGenerate {
	c := &p.Run.Config.Params
	g := &inspectGenerate{Temperature: c.Temperature, TopP: c.TopP, Seed: c.Seed, Stop: c.Stop, Effort: c.Effort, Thinking: c.Thinking}
	if c.MaxTokens > 0 {
		g.MaxTokens = &c.MaxTokens
	}
	return g
}

// WriteInspect writes the log of a part as JSON. A sample of the run is an epoch of the
// log; a reply that is missing is a sample with an error. There may be a million, which are never
// in memory together.
func (p *Part) WriteInspect(w io.Writer, t *Times) error {
	var b bytes.Buffer
	if err := compact.Write(&b, p.inspectLog(t)); err != nil {
		return err
	}
	// The log is written once, with an empty list of samples, and the samples go in between its
	// brackets one by one.
	const list = `"samples":[`
	at := bytes.LastIndex(b.Bytes(), []byte(list)) + len(list)
	_, err := w.Write(b.Next(at))
	separator := ""
	err = cmp.Or(err, p.each(func(row, full *run.Row) error {
		asked, err := t.event(row)
		if err == nil {
			_, err = io.WriteString(w, separator)
		}
		separator = ","
		return cmp.Or(err, compact.Write(w, p.sample(full, &asked, t)))
	}))
	if err == nil {
		_, err = b.WriteTo(w)
	}
	return err
}

// add counts what another reply used.
func (u *inspectUsage) add(v inspectUsage) {
	u.Input += v.Input
	u.Output += v.Output
	u.Total += v.Total
	u.CacheRead += v.CacheRead
	u.Reasoning += v.Reasoning
	u.Cost += v.Cost
}

// usage counts tokens as inspect_ai does: the input excludes what came from a cache.
func usage(row *run.Row) inspectUsage {
	u := row.Spent()
	return inspectUsage{Input: u.Input - u.CachedInput, Output: u.Output, Total: u.Input + u.Output, CacheRead: u.CachedInput, Reasoning: u.Reasoning, Cost: u.Cost}
}

// results returns the accuracy of a part with its standard error, over the replies that count.
func (p *Part) results(mode answer.Mode) inspectScore {
	out := inspectScore{Name: string(mode), Scorer: string(mode), Metrics: map[string]inspectMetric{}}
	var values []float64
	var of []string
	for _, row := range p.Rows {
		if !row.Counts() {
			out.Unscored++
			continue
		}
		values, of = append(values, stats.One(row.Score.In(mode))), append(of, row.ID)
	}
	out.Scored = len(values)
	if len(values) == 0 {
		return out
	}
	// Samples of one instance are one cluster.
	e := stats.Clustered(values, of)
	out.Metrics["accuracy"] = inspectMetric{"accuracy", e.Value}
	if !math.IsNaN(e.SE) {
		out.Metrics["stderr"] = inspectMetric{"stderr", e.SE}
	}
	return out
}

// sample converts a row with its texts. asked is the event of its request.
func (p *Part) sample(row *run.Row, asked *run.Event, t *Times) *inspectSample {
	in, name := row.Instance, provider(p.Run.Config.Model)
	id := uid(row.ID, string(row.Mode), fmt.Sprint(row.Sample))
	s := &inspectSample{ID: row.ID, UUID: id, Epoch: row.Sample + 1, Events: []inspectEvent{}, Input: in.Question, Target: text(in.Answer), Usage: map[string]inspectUsage{},
		Output: inspectOutput{Model: name, Choices: []inspectChoice{}},
		Metadata: map[string]any{"category": in.Category, "level": in.Level, "n": in.N, "density": in.Density, "result_type": in.ResultType,
			"mode": row.Mode, "encoding": row.Encoding, "ein_program": in.EinProgram, "python_program": in.PythonProgram}}
	if system := p.Run.Config.Prompts[row.Mode]; system != "" {
		s.Messages = append(s.Messages, inspectMessage{ID: id + "s", Role: "system", Content: system, Source: "input"})
	}
	s.Messages = append(s.Messages, inspectMessage{ID: id + "u", Role: "user", Content: in.Question, Source: "input"})
	r := row.Reply
	if r == nil {
		s.Error = &inspectError{Message: "no reply, for reasons outside the model"}
		return s
	}
	for i := range r.Turns {
		s.Messages = append(s.Messages, turn(fmt.Sprintf("%st%d", id, i), r.Model, &r.Turns[i])...)
	}
	said := saying(id+"a", r.Model, r.Reply, r.Reasoning)
	timed := !asked.Time.IsZero()
	if !timed { // of a log that was lost, or a cache
		asked.Time = t.End
	}
	took := time.Duration(asked.TookMS) * time.Millisecond
	began := stamp(asked.Time.Add(-took))
	call := inspectEvent{UUID: id + "c", Time: began, Event: "model", Model: name, Input: s.Messages, Tools: []string{}, Choice: "none", Config: p.generate(), Retries: max(0, asked.Attempt-1)}
	if asked.ID != "" {
		call.Meta = map[string]any{"request_id": asked.ID}
	}
	if timed {
		seconds := took.Seconds()
		s.Started, s.Done, s.Total, s.Working = began, stamp(asked.Time), &seconds, &seconds
		call.Done, call.Working = s.Done, &seconds
	}
	s.Messages = append(slices.Clip(s.Messages), said)
	u := usage(row)
	s.Usage[name] = u
	stop, ok := inspectStops[r.Finish]
	if !ok {
		stop = "unknown"
	}
	s.Output = inspectOutput{Model: r.Model, Choices: []inspectChoice{{said, stop}}, Completion: r.Reply, Usage: &u}
	call.Output = &s.Output
	s.Events = append(s.Events, call)
	if row.Counts() {
		s.Scores = map[answer.Mode]inspectGrade{}
		for _, mode := range answer.Modes() {
			g := grade(row.Score, row.Score.In(mode))
			s.Scores[mode] = g
			s.Events = append(s.Events, inspectEvent{UUID: id + string(mode), Time: stamp(asked.Time), Start: took.Seconds(), Event: "score", Scorer: string(mode), Score: &g, Target: s.Target})
		}
	}
	return s
}

// saying returns what a model said.
func saying(id, model, text, reasoning string) inspectMessage {
	m := inspectMessage{ID: id, Role: "assistant", Content: text, Source: "generate", Model: model}
	if reasoning != "" {
		m.Content = []inspectContent{{Type: "reasoning", Reasoning: reasoning}, {Type: "text", Text: text}}
	}
	return m
}

// turn returns what a model said when it called tools, and what these answered.
func turn(id, model string, t *run.Turn) []inspectMessage {
	list := []inspectMessage{saying(id, model, t.Text, t.Reasoning)}
	for i, c := range t.Calls {
		call := inspectCall{ID: fmt.Sprintf("%sc%d", id, i), Tool: c.Tool}
		if json.Unmarshal([]byte(c.Args), &call.Args) != nil || call.Args == nil {
			call.Args, call.Bad = map[string]any{}, c.Args
		}
		list[0].Calls = append(list[0].Calls, call)
		m := inspectMessage{ID: call.ID + "r", Role: "tool", Content: c.Result, Call: call.ID, Tool: c.Tool}
		if c.Failed {
			m.Error = &inspectFault{"unknown", c.Result}
		}
		list = append(list, m)
	}
	return list
}

// grade returns a score as inspect_ai has it: C or I, the answer, and outcome and message as its
// explanation.
func grade(s *run.Score, right bool) inspectGrade {
	g := inspectGrade{Value: "I", Explanation: string(s.Outcome), Metadata: map[string]any{"outcome": s.Outcome}}
	if right {
		g.Value = "C"
	}
	if s.Answer != nil {
		g.Answer = text(s.Answer)
	}
	if s.Message != "" {
		g.Explanation += ": " + s.Message
	}
	for name, v := range map[string]string{"reason": string(s.Reason), "error_class": string(s.Class), "code": s.Code, "program": s.Program} {
		if v != "" {
			g.Metadata[name] = v
		}
	}
	if s.Attribution != nil {
		g.Metadata["attribution"] = s.Attribution
	}
	if s.Finding != nil {
		g.Metadata["finding"] = s.Finding
	}
	return g
}
