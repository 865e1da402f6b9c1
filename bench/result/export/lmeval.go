package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/compact"
)

// harnessSample is a line of the samples of lm-evaluation-harness.
type harnessSample struct {
	DocID     int                       `json:"doc_id"`
	Doc       *harnessDoc               `json:"doc"`
	Target    string                    `json:"target"`
	Arguments map[string]map[string]any `json:"arguments"`
	Resps     [][]string                `json:"resps"`
	Filtered  []string                  `json:"filtered_resps"`
	Filter    string                    `json:"filter"`
	Metrics   []answer.Mode             `json:"metrics"`
	DocHash   string                    `json:"doc_hash"`
	Prompt    string                    `json:"prompt_hash"`
	Hash      string                    `json:"target_hash"`
	// The shares of right answers among the samples; null when none is scored.
	answer.ByMode[*float64]
}

// harnessDoc is a question as the task has it.
type harnessDoc struct {
	ID        string `json:"id"`
	Category  string `json:"category"`
	Level     string `json:"level"`
	Question  string `json:"question"`
	Reference string `json:"reference"`
}

func newHarnessDoc(in *instance.Instance) *harnessDoc {
	return &harnessDoc{in.ID, in.Category, in.Level, in.Question, string(in.Answer)}
}

// WriteHarnessSamples writes the samples of a part, a line for each instance, with
// the scores of the run as metrics. The number of samples is that of repeats.
// Instances without any reply are left out; how many is the first result.
func (p *Part) WriteHarnessSamples(w io.Writer) (left int, err error) {
	doc := 0
	var rows []*run.Row
	err = p.each(func(_, row *run.Row) error {
		if rows = append(rows, row); len(rows) < p.Run.Config.Samples {
			return nil
		}
		s := p.harnessSample(doc, rows)
		doc, rows = doc+1, rows[:0]
		if len(s.Filtered) == 0 {
			left++
			return nil
		}
		return compact.Write(w, s)
	})
	return left, err
}

// harnessSample returns the replies to one instance.
func (p *Part) harnessSample(doc int, rows []*run.Row) *harnessSample {
	in := rows[0].Instance
	d := newHarnessDoc(in)
	s := &harnessSample{DocID: doc, Doc: d, Target: d.Reference, Filter: "none", Metrics: answer.Modes(), Hash: hash(d.Reference),
		Arguments: map[string]map[string]any{"gen_args_0": {"arg_0": p.prompt(in), "arg_1": p.arguments()}}, Prompt: hash(p.prompt(in))}
	b, _ := json.Marshal(d) // texts
	s.DocHash = hash(string(b))
	var scores []*run.Score
	for _, row := range rows {
		if row.Reply != nil {
			s.Filtered = append(s.Filtered, row.Reply.Reply)
		}
		if row.Counts() {
			scores = append(scores, row.Score)
		}
	}
	s.Resps = [][]string{s.Filtered}
	s.ByMode = answer.InEach(func(m answer.Mode) *float64 { return share(scores, m) })
	return s
}

// share returns how many of the scores are right; nil without any, which is null in JSON.
func share(scores []*run.Score, mode answer.Mode) *float64 {
	if len(scores) == 0 {
		return nil
	}
	n := 0
	for _, s := range scores {
		if s.In(mode) {
			n++
		}
	}
	return new(float64(n) / float64(len(scores)))
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// prompt returns the text of a request: a task of the harness has no system message of
// its own, but a description in front of the question.
func (p *Part) prompt(in *instance.Instance) string {
	return p.Run.Config.Prompts[p.Mode] + "\n\n" + in.Question
}

// arguments returns the parameters under the names of the harness.
func (p *Part) arguments() map[string]any {
	out := map[string]any{"until": []string{}}
	c := &p.Run.Config.Params
	if len(c.Stop) > 0 {
		out["until"] = c.Stop
	}
	if c.Temperature != nil {
		out["temperature"] = *c.Temperature
		out["do_sample"] = *c.Temperature > 0
	}
	if c.TopP != nil {
		out["top_p"] = *c.TopP
	}
	if c.MaxTokens > 0 {
		out["max_gen_toks"] = c.MaxTokens
	}
	return out
}

// WriteHarnessData writes the questions of a part, which its task reads.
func (p *Part) WriteHarnessData(w io.Writer) error {
	return p.Run.Instances(func(in *instance.Instance) error {
		if id, err := instance.ParseID(in.ID); err != nil || id.Encoding != p.Encoding {
			return err
		}
		return compact.Write(w, newHarnessDoc(in))
	})
}

// HarnessResults returns the name of the file that WriteHarnessResults is for, by which tools
// find it.
func HarnessResults(t *Times) string {
	return "results_" + t.Begin.UTC().Format("2006-01-02T15-04-05.000000") + ".json"
}

// WriteHarnessResults writes the results of parts of one run, as lm-evaluation-harness has
// them beside its samples: a task for each, with the errors of Results.
func WriteHarnessResults(w io.Writer, parts []*Part, t *Times) error {
	tasks := map[string]map[string]any{"results": {}, "group_subtasks": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "n-samples": {}}
	for _, p := range parts {
		result := map[string]any{"alias": p.Task()}
		effective := 0
		for _, mode := range answer.Modes() {
			s := p.results(mode)
			if a, ok := s.Metrics["accuracy"]; ok {
				result[string(mode)+",none"] = a.Value
				result[string(mode)+"_stderr,none"] = "N/A"
			}
			if e, ok := s.Metrics["stderr"]; ok {
				result[string(mode)+"_stderr,none"] = e.Value
			}
			effective = s.Scored
		}
		each := len(p.Rows) / p.Run.Config.Samples
		for name, v := range map[string]any{"results": result, "group_subtasks": []string{}, "versions": run.Format, "n-shot": 0,
			"configs": map[string]any{"task": p.Task(), "output_type": "generate_until", "description": p.Run.Config.Prompts[p.Mode], "generation_kwargs": p.arguments(),
				"repeats": p.Run.Config.Samples, "metadata": map[string]any{"version": run.Format}},
			"higher_is_better": map[answer.Mode]bool{answer.Strict: true, answer.Relaxed: true, answer.Lenient: true},
			"n-samples":        map[string]int{"original": each, "effective": min(each, effective)}} {
			tasks[name][p.Task()] = v
		}
	}
	out := map[string]any{}
	for name, v := range tasks {
		out[name] = v
	}
	c := &parts[0].Run.Config
	out["config"] = map[string]any{"model": provider(c.Model), "model_args": map[string]any{"base_url": c.BaseURL}, "gen_kwargs": parts[0].arguments()}
	out["model_name"], out["model_source"] = c.Model, "ein "+c.Ein
	out["date"], out["start_time"], out["end_time"] = t.Begin.Unix(), t.Begin.Unix(), t.End.Unix()
	out["total_evaluation_time_seconds"] = fmt.Sprint(t.End.Sub(t.Begin).Seconds())
	return compact.Write(w, out)
}

// HarnessData returns the name of the file that WriteHarnessData is for.
func (p *Part) HarnessData() string { return p.Task() + ".data.jsonl" }

// WriteHarnessTask writes a task that asks the questions of a part as the run did.
//
// The harness can compare texts, which is less than scoring: sets have an order
// there, and programs are not run. Its own metric is a lower bound for answers, and
// there is none for programs; the samples that it writes hold the replies to be scored.
func (p *Part) WriteHarnessTask(w io.Writer) error {
	var b bytes.Buffer
	quoted := func(s string) string { return string(compact.Must(s)) } // YAML's double quotes take all of JSON's escapes
	// The harness fills in templates, and a description has braces of its own.
	plain := func(s string) string {
		if strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#") {
			return "{% raw %}" + s + "{% endraw %}"
		}
		return s
	}
	fmt.Fprintf(&b, "# Made by `ein bench export` from a run of %s.\n", p.Run.Config.Model)
	fmt.Fprintf(&b, "task: %s\n", p.Task())
	b.WriteString("dataset_path: json\ndataset_kwargs:\n  data_files:\n")
	fmt.Fprintf(&b, "    test: %s # beside this file; give the full path to start the harness elsewhere\n", quoted(p.HarnessData()))
	b.WriteString("test_split: test\noutput_type: generate_until\n")
	fmt.Fprintf(&b, "description: %s\n", quoted(plain(p.Run.Config.Prompts[p.Mode])+"\n\n"))
	b.WriteString("doc_to_text: \"{{question}}\"\ndoc_to_target: \"{{reference}}\"\n")
	b.WriteString("generation_kwargs:\n")
	args := p.arguments()
	for _, name := range []string{"until", "do_sample", "temperature", "top_p", "max_gen_toks"} {
		if v, ok := args[name]; ok {
			fmt.Fprintf(&b, "  %s: %s\n", name, compact.Must(v))
		}
	}
	fmt.Fprintf(&b, "repeats: %d\n", p.Run.Config.Samples)
	if p.Mode == prompt.Direct || p.Mode == prompt.CoT {
		b.WriteString(`# The answer as it is written; equal sets in another order do not match.
filter_list:
  - name: answer
    filter:
      - function: regex
        group_select: -1
        regex_pattern: '"answer"\s*:\s*(.+)\}'
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
`)
	} else {
		b.WriteString("# The harness does not run programs.\nmetric_list:\n  - metric: bypass\n")
	}
	fmt.Fprintf(&b, "metadata:\n  version: %d\n", run.Format)
	_, err := w.Write(b.Bytes())
	return err
}
