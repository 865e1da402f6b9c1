package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/internal/corpus"
	"ein/lang/check"
)

func question(t testing.TB, c string, typ category.Result, reference string, labels ...string) *Question {
	t.Helper()
	ref, err := answer.NewReference(json.RawMessage(reference), typ, answer.Asked{Source: labels[0], Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return &Question{ID: "q", Topic: Topic{c, "L1"}, Type: typ, Labels: labels, Reference: ref}
}

// TestExtract is replies in the shapes that models give them.
func TestExtract(t *testing.T) {
	const p = "A = edges([[0,1]], 2)\n:print sum(A)\n"
	for name, c := range map[string]struct{ reply, want string }{
		"marked":               {"Sure:\n```ein\n" + p + "```\nDone.", p},
		"unmarked":             {"```\n" + p + "```", p},
		"other case":           {"```Ein\n" + p + "```", p},
		"windows":              {"```ein\r\n" + p + "```\r\n", p},
		"tildes":               {"~~~ein\n" + p + "~~~", p},
		"longer fence":         {"````ein\n" + p + "````", p},
		"indented":             {"1. So:\n   ```ein\n" + p + "   ```", p},
		"all indented":         {"1. So:\n   ```ein\n   A = edges([[0,1]], 2)\n   :print sum(A)\n   ```", p},
		"in a list":            {"- ```ein\n  A = edges([[0,1]], 2)\n  :print sum(A)\n  ```", p},
		"behind words":         {"So: ```ein\n  x = 1\n```", "  x = 1\n"},
		"a word in backticks":  {"So ```x``` it is\n" + p, p},
		"the last":             {"```ein\nx = 1\n```\nNo:\n```ein\n" + p + "```", p},
		"output after":         {"```ein\n" + p + "```\nIt prints\n```\n1\n```", p},
		"JSON after":           {"```ein\n" + p + "```\n```json\n{\"answer\": 1}\n```", p},
		"marked wins":          {"```ein\n" + p + "```\n```\nx = 2\n```", p},
		"another mark":         {"```text\n" + p + "```", p},
		"cut off":              {"```ein\n" + p, p},
		"last one cut off":     {"```ein\n" + p + "```\n```ein\nx = ", p},
		"bare":                 {p, p},
		"bare in prose":        {"Here it is.\n\n" + p + "\nThis counts the edges.", p},
		"bare over lines":      {"A = edges([\n  [0,1]\n], 2)\n:print sum(A)\nThat is all.", "A = edges([\n  [0,1]\n], 2)\n:print sum(A)\n"},
		"indexed":              {"So\nB[i,k] = A[i,j] A[j,k]\nyes", "B[i,k] = A[i,j] A[j,k]\n"},
		"prose":                {"I do not know.", ""},
		"comparison":           {"Is a == b?", ""},
		"nothing in the block": {"```ein\n\n```", ""},
		"JSON":                 {`{"answer": 3}`, ""},
		"empty":                {"", ""},
	} {
		got, ok := Extract(c.reply, prompt.Ein)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got, _ := Extract("```ein\nx = 1\n```\n```py\nprint(1)\n```", prompt.Python); got != "print(1)\n" {
		t.Errorf("Python: %q", got)
	}
}

// TestDetect tells the languages of replies apart.
func TestDetect(t *testing.T) {
	const ein, py = "A = edges([[0,1]], 2)\n:print sum(A)\n", "import json\nx = 1\nprint(x)\n"
	for reply, want := range map[string]prompt.Mode{
		"```ein\n" + ein + "```":                               prompt.Ein,
		"```python\n" + py + "```":                             prompt.Python,
		"```py\n" + py + "```\n```\n1\n```":                    prompt.Python,
		"```ein\n" + ein + "```\nor\n```python\n" + py + "```": prompt.Python,
		"```python\n" + py + "```\n```ein\n" + ein + "```":     prompt.Ein,
		"```ein\n" + ein + "```\n```python\nimport":            prompt.Ein,
		"```\n" + ein + "```":                                  prompt.Ein,
		"```\n" + py + "```":                                   prompt.Python,
		"```\nprint(3)\n```":                                   prompt.Python,
		"```python\nprint(":                                    prompt.Python,
		ein:                                                    prompt.Ein,
		py:                                                     prompt.Python,
		"Here:\n" + ein + "Done.":                              prompt.Ein,
		"from math import pi\nprint(pi)":                       prompt.Python,
		"x = (":                                                prompt.Ein,
		"I do not know.":                                       "",
		"From there I import nothing.":                         "",
		`{"answer": 3}`:                                        "",
		"":                                                     "",
		strings.Repeat("x = 1\n", 1<<20):                       "",
	} {
		if l, ok := Detect(reply); l != want || ok != (want != "") {
			t.Errorf("%.60q: %q, %v", reply, l, ok)
		}
	}
}

// vector is a line of the published vectors.
type vector struct {
	Case      string          `json:"case"`
	Category  string          `json:"category"`
	Type      category.Result `json:"type"`
	Labels    []string        `json:"labels"`
	Source    string          `json:"source"`
	Reference json.RawMessage `json:"reference"`
	Reply     string          `json:"reply"`
	Finish    string          `json:"finish"`
	Prints    string          `json:"prints"`
	Outcome   answer.Outcome  `json:"outcome"`
	Answer    json.RawMessage `json:"answer"`
	Constant  bool            `json:"constant_output"`
}

func (v *vector) question(t *testing.T) *Question {
	ref, err := answer.NewReference(v.Reference, v.Type, answer.Asked{Source: v.Source, Labels: v.Labels})
	if err != nil {
		t.Fatal(err)
	}
	return &Question{ID: v.Case, Topic: Topic{v.Category, "L1"}, Type: v.Type, Labels: v.Labels, Reference: ref}
}

func vectors(t *testing.T, name string) []vector {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "programs", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	for line := range bytes.Lines(b) {
		var v vector
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		list = append(list, v)
	}
	return list
}

// same reports whether two answers are, null being none.
func same(a, b json.RawMessage) bool {
	var x, y any
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// TestVectors runs the published vectors. Every outcome that an Ein program can
// have is among them.
func TestVectors(t *testing.T) {
	found := map[answer.Outcome]bool{answer.InfraError: true}
	for _, c := range vectors(t, "ein.jsonl") {
		t.Run(c.Case, func(t *testing.T) {
			e := newExecutor(check.Core, Limits{})
			r, err := reply(context.Background(), c.question(t), c.Reply, prompt.Ein, e.run)
			if err != nil {
				t.Fatal(err)
			}
			r = r.finished(c.Reply, c.Finish)
			if r.Outcome != c.Outcome || !same(r.Answer, c.Answer) || r.Constant != c.Constant || (r.Message != "") != (r.Answer == nil) {
				t.Errorf("%s, %s, constant %v, %q %q", r.Outcome, r.Answer, r.Constant, r.Code, r.Message)
			}
			if (r.Reason != "") != (r.Outcome == answer.NoAnswer) {
				t.Errorf("%s for the reason %q", r.Outcome, r.Reason)
			}
		})
		found[c.Outcome] = true
	}
	for _, o := range Outcomes() {
		if !found[o] && o != answer.RelaxedOnly { // Ein puts out numbers and nothing else
			t.Errorf("no vector for %s", o)
		}
	}
}

// TestTooLong is replies that are too long to be published.
func TestTooLong(t *testing.T) {
	q := question(t, "reach_then_count", category.Integer, "2", "a", "b", "c")
	for _, reply := range []string{"x = 2 //" + strings.Repeat("x", 1<<20), strings.Repeat("x = 2\n", 1<<20)} {
		if r, err := New(Options{}).Reply(context.Background(), q, &Line{Reply: reply, Mode: prompt.Ein}); err != nil || r.Outcome != OverLimit || r.Message == "" {
			t.Errorf("%d bytes: %s, %v", len(reply), r.Outcome, err)
		}
	}
}

func TestPanic(t *testing.T) {
	e := newExecutor(check.Core, Limits{})
	r, err := e.run(context.Background(), "x = 2", nil) // no question: our mistake
	if err != nil || r.Outcome != answer.InfraError || !strings.Contains(r.Message, "bug") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = e.run(context.Background(), "x = 2", question(t, "reach_then_count", category.Integer, "2", "a")); r.Outcome != answer.StrictlyRight {
		t.Errorf("after a panic: %+v, %v", r, err)
	}
}

func TestContext(t *testing.T) {
	q := question(t, "reach_then_count", category.Integer, "2", "a")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	for _, reply := range []string{"", "prose", "x = 2"} {
		if _, err := New(Options{}).Reply(ctx, q, &Line{Reply: reply, Mode: prompt.Ein}); !errors.Is(err, why) {
			t.Errorf("%q: %v", reply, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	e := newExecutor(check.Core, Limits{Timeout: 1, Ops: 1 << 40})
	r, err := e.run(context.Background(), "A = edges([[0,1]], 1000)\n:print sum(tc(A))", question(t, "reach_then_count", category.Integer, "2", "a"))
	if err != nil || r.Outcome != OverLimit || !strings.Contains(r.Message, "1ns") {
		t.Errorf("%+v, %v", r, err)
	}
}

// samples is instances of every category.
func questions(t testing.TB, each int) ([]*instance.Instance, []*Question) {
	t.Helper()
	var ins []*instance.Instance
	var qs []*Question
	for i := range category.Table {
		for k := range each {
			in, _, err := instance.Generate(instance.NewID("train", category.Table[i].Name, k, 11))
			if err != nil {
				t.Fatal(err)
			}
			q, err := NewQuestion(in, true)
			if err != nil {
				t.Fatal(err)
			}
			ins, qs = append(ins, in), append(qs, q)
		}
	}
	return ins, qs
}

// TestTemplates scores the programs of the benchmark itself.
func TestTemplates(t *testing.T) {
	ins, qs := questions(t, 5)
	e := New(Options{})
	for i, in := range ins {
		r, err := e.Reply(context.Background(), qs[i], &Line{Reply: "```ein\n" + in.EinProgram + "```", Mode: prompt.Ein})
		if err != nil || r.Outcome != answer.StrictlyRight || r.Constant || r.Ops == 0 {
			t.Errorf("%s: %+v, %v", in.ID, r, err)
		}
	}
}

// TestSoak runs hostile programs in a row and looks at the health of the process.
func TestSoak(t *testing.T) {
	rounds := 1_000_000
	if testing.Short() {
		rounds = 10_000
	}
	var hostile []string
	for _, c := range corpus.Abuse() {
		if s := c.Source(); len(s) <= answer.MaxReply {
			hostile = append(hostile, "```ein\n"+s+"\n```")
		}
	}
	ins, qs := questions(t, 1)
	for i := range ins {
		if p := "```ein\n" + ins[i].EinProgram + "```"; true {
			hostile = append(hostile, p, strings.ReplaceAll(p, ",", "("), strings.ReplaceAll(p, "0", "99999"))
		}
	}
	e := New(Options{})
	q := qs[0]
	health := func() (goroutines int, heap uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	try := func(reply string) {
		if r, err := e.Reply(context.Background(), q, &Line{Reply: reply, Mode: prompt.Ein}); err != nil || r.Outcome == answer.InfraError {
			t.Fatalf("%.200q: %+v, %v", reply, r, err)
		}
	}
	for _, reply := range hostile {
		try(reply)
	}
	goroutines, heap := health()
	small := hostile[:0:0]
	for _, h := range hostile {
		if len(h) < 2000 {
			small = append(small, h)
		}
	}
	// Mutations are drawn by a fixed rule, so that what fails can be run again.
	state := uint64(1)
	next := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int((state >> 33) % uint64(n))
	}
	for range rounds {
		b := []byte(small[next(len(small))])
		for range 1 + next(3) {
			b[7+next(len(b)-7)] = "()[],=*+-01 \nA;/"[next(16)]
		}
		try(string(b))
	}
	g, h := health()
	if g > goroutines+2 {
		t.Errorf("%d goroutines, %d before", g, goroutines)
	}
	if h > heap+64<<20 {
		t.Errorf("%d MiB of heap, %d before", h>>20, heap>>20)
	}
	t.Logf("%d programs: %d goroutines, %d before; heap %d KiB, %d before", rounds, g, goroutines, h>>10, heap>>10)
}

// BenchmarkExec is parse to score, on distinct programs of the paper's size.
func BenchmarkExec(b *testing.B) { benchmark(b, Options{}, 40) }

func benchmark(b *testing.B, opt Options, each int) {
	ins, qs := questions(b, each)
	replies := make([]string, len(ins))
	for i, in := range ins {
		replies[i] = "Here is the program.\n```ein\n" + in.EinProgram + "```\n"
	}
	e := New(opt)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		r, err := e.Reply(context.Background(), qs[i], &Line{Reply: replies[i], Mode: prompt.Ein})
		if err != nil || r.Outcome != answer.StrictlyRight {
			b.Fatalf("%+v, %v", r, err)
		}
		i = (i + 1) % len(ins)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "programs/s")
}
