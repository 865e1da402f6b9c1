package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
)

// some returns a run of 4 instances in 2 modes with 2 samples: of each instance the
// first sample is right, the second is cut off; all of the last instance is missing.
func some(t *testing.T) *run.Run {
	t.Helper()
	temperature := 0.5
	c := run.Config{Format: run.Format, Scoring: run.Scoring, Ein: "test", Model: "openai:org/m", Modes: []prompt.Mode{prompt.Direct, prompt.Ein},
		Encodings: []surface.Encoding{surface.JSON}, Samples: 2, Params: model.Params{Temperature: &temperature, MaxTokens: 100},
		Instances: run.Source{File: "in.jsonl", SHA256: "00", Count: 4},
		Prompts:   map[prompt.Mode]string{prompt.Direct: "Answer as {\"answer\": ...}: don't guess.", prompt.Ein: "Write {{Ein}}."},
		Sent:      map[prompt.Mode]json.RawMessage{prompt.Direct: json.RawMessage(`{"x":1}`), prompt.Ein: json.RawMessage(`{"x":2}`)}}
	var list []*instance.Instance
	for i, name := range []string{"reachability", "reach_then_filter", "multi_query", "cousin"} {
		id := instance.NewID("test", name, i, 7)
		id.Encoding = surface.JSON
		in, _, err := instance.Generate(id)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := run.Create(dir, c, list)
	if err != nil {
		t.Fatal(err)
	}
	rows := w.Run().Rows
	for i := range rows[:len(rows)-4] {
		row := &rows[i]
		r := run.Reply{Key: row.Key, Model: "m-2026", Finish: model.Stop, Reasoning: "Hm.\n", Usage: model.Usage{Input: 10, CachedInput: 4, Output: 7, Reasoning: 2}, Cost: 0.01}
		switch {
		case row.Sample == 1:
			r.Reply, r.Finish = "Let <me> see", model.Length
		case row.Mode == prompt.Ein:
			r.Reply = "```ein\n" + row.Instance.EinProgram + "```"
			r.Turns = []run.Turn{{Text: "Try.", Calls: []run.ToolCall{{Tool: "run", Args: `{"program":"x"}`, Result: "x is unknown", Failed: true}, {Tool: "check", Args: "no JSON"}}}}
		default:
			r.Reply = fmt.Sprintf(`{"answer": %s}`, row.Instance.Answer)
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
		w.Log(run.Event{Time: time.Unix(int64(1e9+i), 0), Event: "reply", Key: &r.Key, Attempt: 2, TookMS: 1500, ID: "request-7"})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Judge(t.Context(), dir, run.JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	// A judged run is without the texts that an export needs.
	r, err := run.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLines(t *testing.T) {
	r := some(t)
	var b bytes.Buffer
	if err := WriteLines(&b, r); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&b)
	for i := range r.Rows {
		row := &r.Rows[i]
		var l line
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Key != row.Key || l.Question != row.Instance.Question || (l.Reply == nil) != (row.Reply == nil) || (l.Score == nil) != (row.Score == nil) {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if d.More() {
		t.Error("there are more lines than rows")
	}
}

// TestLight: a run that is read without texts gives the same files.
func TestLight(t *testing.T) {
	r := some(t)
	light, err := run.ReadLight(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	files := func(r *run.Run) string {
		var b bytes.Buffer
		times, err := ReadTimes(r)
		err = cmp.Or(err, WriteLines(&b, r))
		for _, p := range Parts(r) {
			_, e := p.WriteHarnessSamples(&b)
			err = errors.Join(err, e, p.WriteHarnessData(&b), p.WriteInspect(&b, times))
		}
		if err = errors.Join(err, WriteHarnessResults(&b, Parts(r), times)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if files(light) != files(r) {
		t.Error("the files are others")
	}
}

// heap is a writer that looks how much memory is held.
type heap struct{ written, most int64 }

func (h *heap) Write(p []byte) (int, error) {
	const every = 1 << 20
	if before := h.written; before/every != (before+int64(len(p)))/every {
		h.most = max(h.most, held())
	}
	h.written += int64(len(p))
	return len(p), nil
}

func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory: what is held for a row while a run is exported lets a million of them be
// exported in 500 MB, with what the collector leaves.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 200,000 rows")
	}
	const samples, rows = 10_000, 200_000
	var list []*instance.Instance
	for i := range rows / samples {
		in, _, err := instance.Generate(instance.NewID("test", "reachability", i, 7))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	c := run.Config{Format: run.Format, Scoring: run.Scoring, Ein: "test", Model: "openai:m", Modes: []prompt.Mode{prompt.Direct}, Encodings: []surface.Encoding{surface.NL},
		Samples: samples, Instances: run.Source{File: "in.jsonl", SHA256: "00", Count: len(list)}, Prompts: map[prompt.Mode]string{prompt.Direct: "?"}}
	w, err := run.Create(filepath.Join(t.TempDir(), "run"), c, list)
	if err != nil {
		t.Fatal(err)
	}
	dir := w.Run().Dir
	for some := range slices.Chunk(w.Run().Rows, samples) {
		var replies []run.Reply
		for i := range some {
			replies = append(replies, run.Reply{Key: some[i].Key, Model: "m", Finish: model.Stop, Reply: `{"answer": true}`})
			w.Log(run.Event{Time: time.Unix(int64(1e9+i), 0), Event: "reply", Key: &some[i].Key, Attempt: 1, ID: fmt.Sprintf("request-%040d", i)})
		}
		if err := w.Append(replies...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before := held()
	r, err := run.ReadLight(dir)
	if err != nil {
		t.Fatal(err)
	}
	times, err := ReadTimes(r)
	if err != nil {
		t.Fatal(err)
	}
	var h heap
	if err := Parts(r)[0].WriteInspect(&h, times); err != nil {
		t.Fatal(err)
	}
	const most = 350 // bytes of a row
	if each := (h.most - before) / rows; each > most {
		t.Errorf("a row takes %d bytes, the most is %d", each, most)
	} else {
		t.Logf("a row takes %d bytes", each)
	}
	if err := times.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestInspect(t *testing.T) {
	r := some(t)
	times, err := ReadTimes(r)
	if err != nil || times.Begin.IsZero() {
		t.Fatalf("%v, %v", times, err)
	}
	parts := Parts(r)
	if len(parts) != 2 {
		t.Fatalf("%d parts", len(parts))
	}
	for _, p := range parts {
		var b bytes.Buffer
		if err := p.WriteInspect(&b, times); err != nil {
			t.Fatal(err)
		}
		var l inspectLog
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Version != 2 || l.Status != "error" || l.Eval["model"] != "openai/org/m" || len(l.Samples) != 8 || l.Results.Completed != 6 || fmt.Sprint(l.Eval["config"]) != "map[epochs:2]" {
			t.Errorf("got %+v", l.Eval)
		}
		if s := l.Results.Scores[0]; s.Name != "strict" || s.Metrics["accuracy"].Value != 0.5 || s.Scored != 6 || s.Unscored != 2 {
			t.Errorf("got %+v", s)
		}
		if u := l.Stats.Usage["openai/org/m"]; u.Input != 6*6 || u.CacheRead != 6*4 || u.Total != 6*17 {
			t.Errorf("got %+v", u)
		}
		for i, s := range l.Samples {
			row := p.Rows[i]
			switch {
			case s.ID != row.ID || s.Epoch != row.Sample+1:
				t.Errorf("sample %d is %s, %d", i, s.ID, s.Epoch)
			case (s.Error != nil) != (row.Reply == nil):
				t.Errorf("sample %d: error %v", i, s.Error)
			case row.Reply == nil:
			case (s.Scores["strict"].Value == "C") != row.Score.Strict:
				t.Errorf("sample %d: %+v", i, s.Scores)
			case len(s.Messages) != 3+3*len(row.Reply.Turns):
				t.Errorf("sample %d has the messages %+v", i, s.Messages)
			case (s.Output.Choices[0].Stop == "max_tokens") != (row.Sample == 1):
				t.Errorf("sample %d stopped for %s", i, s.Output.Choices[0].Stop)
			}
		}
	}
}

// reader opens logs with inspect_ai itself and says what it finds.
const reader = `
import json, os, sys
from inspect_ai.analysis import messages_df
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
found = []
for info in list_eval_logs(sys.argv[1]):
    header = read_eval_log(info, header_only=True)
    log = read_eval_log(info)
    first = next(s for s in log.samples if s.id == sys.argv[2] and s.epoch == 1)
    found.append({
        "task": log.eval.task, "listed": info.task, "status": header.status, "samples": len(log.samples), "epochs": log.eval.config.epochs,
        "accuracy": log.results.scores[0].metrics["accuracy"].value,
        "right": sum(s.scores["strict"].value == "C" for s in log.samples if s.scores),
        "errors": sum(s.error is not None for s in log.samples),
        "cut": sum(s.output.stop_reason == "max_tokens" for s in log.samples if s.error is None),
        "reasoning": first.messages[-1].content[0].reasoning,
        "completion": first.output.completion,
        "tokens": sum(u.total_tokens for u in log.stats.model_usage.values()),
        "calls": sum(e.event == "model" for s in log.samples for e in s.events),
        "scored": sum(e.event == "score" for s in log.samples for e in s.events),
        "seconds": sum(s.total_time for s in log.samples if s.error is None),
        "summaries": sum(bool(s.completed) for s in read_eval_log_sample_summaries(info)),
    })
print(json.dumps(sorted(found, key=lambda f: f["task"])))
df = messages_df(sys.argv[1], quiet=True)
print("messages", len(df), df["message_id"].nunique(), sorted(df["role"].unique()))
`

// TestInspectReads has inspect_ai read the logs.
func TestInspectReads(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if err := exec.Command(python, "-c", "import inspect_ai").Run(); err != nil {
		t.Skip("inspect_ai is not installed: pip install inspect-ai")
	}
	r := some(t)
	times, err := ReadTimes(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, p := range Parts(r) {
		var b bytes.Buffer
		if err := p.WriteInspect(&b, times); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.InspectName(times)), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "-c", reader, dir, r.Rows[0].ID).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answer, err := json.Marshal(`{"answer": ` + string(r.Rows[0].Instance.Answer) + `}`)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.TrimSpace(string(out))
	for i, task := range []string{"direct", "ein"} {
		want := fmt.Sprintf(`{"task": "closurebench_%s_json", "listed": "closurebench-%s-json", "status": "error", "samples": 8, "epochs": 2, "accuracy": 0.5, "right": 3, "errors": 2, "cut": 3, "reasoning": "Hm.\n", "completion": `, task, task)
		if i == 0 {
			want += string(answer)
		}
		if !strings.Contains(got, want) {
			t.Errorf("inspect_ai finds\n%s\nwithout\n%s", got, want)
		}
	}
	for _, want := range []string{`"tokens": 102, "calls": 6, "scored": 18, "seconds": 9.0, "summaries": 8}`, "messages 45 45 ['assistant', 'system', 'tool', 'user']"} {
		if !strings.Contains(got, want) {
			t.Errorf("inspect_ai finds\n%s\nwithout\n%s", got, want)
		}
	}
	out, err = exec.Command(python, "-m", "inspect_ai", "log", "list", "--json", "--log-dir", dir).CombinedOutput()
	if err != nil || strings.Count(string(out), "closurebench-") < 2 {
		t.Errorf("inspect log list: %v\n%s", err, out)
	}
}

func TestHarness(t *testing.T) {
	r := some(t)
	p := Parts(r)[0]
	var samples, data, task bytes.Buffer
	left, err := p.WriteHarnessSamples(&samples)
	if err != nil || left != 1 {
		t.Fatalf("%d left out, %v", left, err)
	}
	d := json.NewDecoder(&samples)
	for i := range 3 {
		var s harnessSample
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		if s.DocID != i || len(s.Resps) != 1 || len(s.Resps[0]) != 2 || s.Strict == nil || *s.Strict != 0.5 ||
			s.Target != string(p.Rows[2*i].Instance.Answer) || s.Arguments["gen_args_0"]["arg_1"].(map[string]any)["max_gen_toks"] != 100.0 {
			t.Errorf("sample %d: %+v", i, s)
		}
	}
	if d.More() {
		t.Error("there are more")
	}
	if err := p.WriteHarnessData(&data); err != nil || bytes.Count(data.Bytes(), []byte("\n")) != 4 {
		t.Errorf("%v\n%s", err, data.String())
	}
	if err := p.WriteHarnessTask(&task); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"task: closurebench_direct_json\n", "test: \"closurebench_direct_json.data.jsonl\"", "temperature: 0.5\n", "repeats: 2\n",
		`description: "Answer as {\"answer\": ...}: don't guess.\n\n"`, "exact_match"} {
		if !strings.Contains(task.String(), want) {
			t.Errorf("the task lacks %q:\n%s", want, task.String())
		}
	}
	task.Reset()
	if err := Parts(r)[1].WriteHarnessTask(&task); err != nil || !strings.Contains(task.String(), `"{% raw %}Write {{Ein}}.{% endraw %}\n\n"`) || !strings.Contains(task.String(), "bypass") {
		t.Errorf("%v\n%s", err, task.String())
	}
}

// TestHarnessTaskIsYAML has a reader of YAML read the task.
func TestHarnessTaskIsYAML(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if err := exec.Command(python, "-c", "import yaml").Run(); err != nil {
		t.Skip("yaml is not installed: pip install pyyaml")
	}
	for _, p := range Parts(some(t)) {
		var b bytes.Buffer
		if err := p.WriteHarnessTask(&b); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", `import yaml, sys, json; t = yaml.safe_load(sys.stdin); print(t["task"], t["repeats"], t["generation_kwargs"]["max_gen_toks"], json.dumps(t["description"]))`)
		cmd.Stdin = &b
		out, err := cmd.CombinedOutput()
		if want := p.Task() + " 2 100 "; err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// harness loads a task with lm-evaluation-harness and compares what it asks with the
// samples.
const harness = `
import json, sys
from lm_eval.tasks import TaskManager
name = sys.argv[1]
tasks = TaskManager(include_path=".", include_defaults=False).load([name])["tasks"]
task = tasks[name]
task.build_all_requests(rank=0, world_size=1)
for line in open("samples_" + name + ".jsonl"):
    s = json.loads(line)
    asked = [i for i in task.instances if i.doc_id == s["doc_id"]]
    assert asked[0].args[0] == s["arguments"]["gen_args_0"]["arg_0"], (asked[0].args[0], s["arguments"])
    assert task.doc_to_target(asked[0].doc) == s["target"]
from lm_eval.utils import make_table
table = make_table(json.load(open("results.json")))
assert "|strict |↑  |  0.5|" in table and "N/A" not in table, table
print("same", len(task.test_docs()))
`

// TestHarnessReads has lm-evaluation-harness read the task.
func TestHarnessReads(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if err := exec.Command(python, "-c", "import lm_eval.tasks").Run(); err != nil {
		t.Skip("lm-evaluation-harness is not installed: pip install lm-eval")
	}
	for _, p := range Parts(some(t)) {
		dir := t.TempDir()
		for name, write := range map[string]func(*bytes.Buffer) error{
			"samples_" + p.Task() + ".jsonl": func(b *bytes.Buffer) error { _, err := p.WriteHarnessSamples(b); return err },
			p.HarnessData():                  func(b *bytes.Buffer) error { return p.WriteHarnessData(b) },
			p.Task() + ".yaml":               func(b *bytes.Buffer) error { return p.WriteHarnessTask(b) },
			"results.json":                   func(b *bytes.Buffer) error { return WriteHarnessResults(b, []*Part{p}, &Times{}) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(python, "-c", harness, p.Task())
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "same 4") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
