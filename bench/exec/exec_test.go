package exec

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/instance"
	"ein/testdata"
)

func question(t testing.TB, c string, typ category.Result, reference string, labels ...string) *Question {
	t.Helper()
	ref, err := answer.NewReference(json.RawMessage(reference), typ, labels[0])
	if err != nil {
		t.Fatal(err)
	}
	return &Question{ID: "q", Category: c, Level: "L1", Type: typ, Labels: labels, Reference: ref}
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
		got, ok := Extract(c.reply, Ein)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got, _ := Extract("```ein\nx = 1\n```\n```py\nprint(1)\n```", Python); got != "print(1)\n" {
		t.Errorf("Python: %q", got)
	}
}

// TestOutcomes has a reply for every outcome.
func TestOutcomes(t *testing.T) {
	count := question(t, "reach_then_count", category.Integer, "2", "a", "b", "c")
	set := question(t, "set_intersect", category.Set, `["b"]`, "a", "b", "c")
	const graph = "A = edges([[0,1],[1,2]], 3)\n"
	for name, c := range map[string]struct {
		q        *Question
		reply    string
		outcome  answer.Outcome
		answer   string
		constant bool
		message  string
	}{
		"right":           {q: count, reply: graph + ":print sum(desc(A, 0))", outcome: answer.StrictlyRight, answer: "2"},
		"lenient count":   {q: count, reply: graph + ":print sum(reach(A, 0))", outcome: answer.LenientOnly, answer: "3"},
		"lenient set":     {q: set, reply: graph + ":print reach(A, 0) * [1, 1, 0]", outcome: answer.LenientOnly, answer: `["a","b"]`},
		"wrong":           {q: count, reply: graph + ":print sum(desc(A, 2))", outcome: answer.Wrong, answer: "0"},
		"constant":        {q: count, reply: "x = 2", outcome: answer.StrictlyRight, answer: "2", constant: true},
		"constant set":    {q: set, reply: "x = [0, 1, 0]", outcome: answer.StrictlyRight, answer: `["b"]`, constant: true},
		"unused graph":    {q: count, reply: graph + ":print 2", outcome: answer.StrictlyRight, answer: "2", constant: true},
		"matrix":          {q: count, reply: "A = [[0,1,0],[0,0,1],[0,0,0]]\n:print sum(A)", outcome: answer.StrictlyRight, answer: "2"},
		"no reply":        {q: count, reply: " \n", outcome: answer.NoAnswer, message: "no reply"},
		"prose":           {q: count, reply: "The answer is two.", outcome: NoProgram, message: "no program"},
		"syntax":          {q: count, reply: "```ein\nA = edges([[0,1]\n```", outcome: ParseError, message: "never closed"},
		"directive":       {q: count, reply: "```ein\n:load \"/etc/passwd\"\n```", outcome: ParseError},
		"name":            {q: count, reply: ":print B", outcome: TypeError, message: "B"},
		"node too large":  {q: count, reply: "A = edges([[0,7]], 3)\n:print sum(A)", outcome: TypeError},
		"function":        {q: count, reply: "```ein\ndef f(x) = x\n:print f(2)\n```", outcome: TypeError},
		"input":           {q: count, reply: "```ein\ninput A: graph\n:print sum(A)\n```", outcome: TypeError},
		"too costly":      {q: count, reply: "T[i,j,k,l] = ones(200,200)[i,j] ones(200,200)[k,l]\n:print sum(T * T)", outcome: OverLimit, constant: true},
		"too long":        {q: count, reply: "x = 2 //" + strings.Repeat("x", 1<<20), outcome: OverLimit},
		"much too long":   {q: count, reply: strings.Repeat("x = 2\n", 1<<20), outcome: OverLimit},
		"too deep":        {q: count, reply: "x = " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000), outcome: OverLimit},
		"not finite":      {q: count, reply: graph + ":print 1 / sum(desc(A, 2))", outcome: RuntimeError},
		"not integral":    {q: count, reply: graph + ":print sum(A) / 4", outcome: BadOutput, message: "integer"},
		"another shape":   {q: count, reply: graph + ":print A", outcome: BadOutput},
		"several outputs": {q: count, reply: graph + ":print 2, 3", outcome: BadOutput, constant: true},
		"another graph":   {q: set, reply: "A = edges([[0,1]], 4)\n:print desc(A, 0)", outcome: BadOutput},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(Options{}).Run(context.Background(), c.reply, c.q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != c.outcome || string(r.Answer) != c.answer || r.Constant != c.constant || !strings.Contains(r.Message, c.message) {
				t.Errorf("%s, %s, constant %v, %q %q", r.Outcome, r.Answer, r.Constant, r.Code, r.Message)
			}
			if r.Failed() != (r.Answer == nil) {
				t.Errorf("failed: %v, with the answer %s", r.Failed(), r.Answer)
			}
		})
	}
}

func TestPanic(t *testing.T) {
	e := New(Options{})
	r, err := e.RunProgram(context.Background(), "x = 2", nil) // no question: our mistake
	if err != nil || r.Outcome != answer.InfraError || !strings.Contains(r.Message, "bug") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = e.RunProgram(context.Background(), "x = 2", question(t, "reach_then_count", category.Integer, "2", "a")); r.Outcome != answer.StrictlyRight {
		t.Errorf("after a panic: %+v, %v", r, err)
	}
}

func TestContext(t *testing.T) {
	q := question(t, "reach_then_count", category.Integer, "2", "a")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	for _, reply := range []string{"", "prose", "x = 2"} {
		if _, err := New(Options{}).Run(ctx, reply, q); !errors.Is(err, why) {
			t.Errorf("%q: %v", reply, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	e := New(Options{Limits: Limits{Timeout: 1, Ops: 1 << 40}})
	r, err := e.Run(context.Background(), "A = edges([[0,1]], 1000)\n:print sum(tc(A))", question(t, "reach_then_count", category.Integer, "2", "a"))
	if err != nil || r.Outcome != OverLimit || !strings.Contains(r.Message, "1ns") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCache has the same results as without one, and keeps as many as it may.
func TestCache(t *testing.T) {
	q := question(t, "reach_then_count", category.Integer, "2", "a")
	e := New(Options{Cache: 2})
	for range 3 {
		for program, want := range map[string]answer.Outcome{"x = 2": answer.StrictlyRight, "x = 3": answer.LenientOnly, "x = 9": answer.Wrong, "x = y": TypeError, "x = (": ParseError} {
			r, err := e.RunProgram(context.Background(), program, q)
			if err != nil || r.Outcome != want {
				t.Errorf("%s: %+v, %v", program, r, err)
			}
		}
	}
	if len(e.cached) != 2 || e.recent.Len() != 2 {
		t.Errorf("%d programs kept, %d in order", len(e.cached), e.recent.Len())
	}
	a, b := e.compile("x = 5"), e.compile("x = 5")
	if a != b {
		t.Error("a program is compiled twice")
	}
}

// samples is instances of every category.
func samples(t testing.TB, each int) ([]*instance.Instance, []*Question) {
	t.Helper()
	var ins []*instance.Instance
	var qs []*Question
	for i := range category.Table {
		for k := range each {
			in, _, err := instance.Generate(instance.NewID("train", category.Table[i].Name, k, 11))
			if err != nil {
				t.Fatal(err)
			}
			q, err := NewQuestion(in)
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
	ins, qs := samples(t, 5)
	e := New(Options{})
	for i, in := range ins {
		r, err := e.Run(context.Background(), "```ein\n"+in.EinProgram+"```", qs[i])
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
	for _, c := range testdata.Abuse() {
		if s := c.Source(); len(s) <= answer.MaxReply {
			hostile = append(hostile, "```ein\n"+s+"\n```")
		}
	}
	ins, qs := samples(t, 1)
	for i := range ins {
		if p := "```ein\n" + ins[i].EinProgram + "```"; true {
			hostile = append(hostile, p, strings.ReplaceAll(p, ",", "("), strings.ReplaceAll(p, "0", "99999"))
		}
	}
	e := New(Options{Cache: 64})
	q := qs[0]
	health := func() (goroutines int, heap uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	try := func(reply string) {
		if r, err := e.Run(context.Background(), reply, q); err != nil || r.Outcome == answer.InfraError {
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
func BenchmarkExec(b *testing.B) {
	ins, qs := samples(b, 40)
	replies := make([]string, len(ins))
	for i, in := range ins {
		replies[i] = "Here is the program.\n```ein\n" + in.EinProgram + "```\n"
	}
	e := New(Options{})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		r, err := e.Run(context.Background(), replies[i], qs[i])
		if err != nil || r.Outcome != answer.StrictlyRight {
			b.Fatalf("%+v, %v", r, err)
		}
		i = (i + 1) % len(ins)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "programs/s")
}
