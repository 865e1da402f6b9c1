package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/show"
	"ein/vm"
	"ein/vm/cost"
)

// output runs a program as those of models are run, and gives the text of its
// only output without the name and in one line.
func output(t *testing.T, program string) string {
	t.Helper()
	m, p, err := lang.Load("prompt.ein", program, lang.Options{Profile: check.Core})
	if err != nil {
		t.Fatalf("%s\n%v", program, err)
	}
	if len(p.Diags) > 0 {
		t.Errorf("%s\nhas remarks: %v", program, p.Diags)
	}
	machine, err := vm.New(m, cost.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := machine.Run(context.Background())
	if err != nil {
		t.Fatalf("%s\n%v", program, err)
	}
	if len(r.Outputs) != 1 {
		t.Fatalf("%s\nhas %d outputs", program, len(r.Outputs))
	}
	var b bytes.Buffer
	if err := show.JSON(context.Background(), &b, &r.Outputs[0], show.Options{}); err != nil {
		t.Fatal(err)
	}
	var out struct{ Value json.RawMessage }
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out.Value), ",", ", ")
}

// core returns the names of the functions of the profile that models write in.
func core(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../stdlib/core.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "(")
		names = append(names, name)
	}
	return names
}

// TestEinPrompt runs all code in the specification that models are given, as it says
// that it is to be read: every function of the core profile can be used from it.
func TestEinPrompt(t *testing.T) {
	prompt := DefaultPrompts()[Ein]
	blocks := regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(prompt, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of code, want the example and the table", len(blocks))
	}
	example := blocks[0][1]
	if got := output(t, example); got != "1" {
		t.Errorf("the example gives %s", got)
	}
	_, graph, _ := strings.Cut(example, "\n")
	graph, _, _ = strings.Cut(graph, "\n")
	said := graph + "\nx = 2\ny = 3\nu = [1,0,1,0,0]\nv = [4,8,5,1,2]\nk = 3\n"
	if got := output(t, example[:strings.Index(example, ":print")]+":print R\n"); got != "[0, 0, 1, 0]" && got != "[0, 0, 1, 0, 0]" {
		t.Errorf("R is %s", got)
	}
	shown := map[string]bool{"edges": true} // by the example
	for line := range strings.Lines(blocks[1][1]) {
		code, _, _ := strings.Cut(strings.TrimSpace(line), " //")
		if strings.Contains(code, " = ") {
			said += code + "\n"
			output(t, said)
			continue
		}
		arguments := ""
		for _, call := range strings.Fields(code) {
			name, rest, own := strings.Cut(call, "(")
			if own {
				arguments = rest
			}
			shown[name] = true
			output(t, said+":print "+name+"("+arguments+"\n")
		}
	}
	for _, name := range core(t) {
		if !shown[name] {
			t.Errorf("the prompt does not say how %s is called", name)
		}
	}
}

// TestEinPromptProse is what the prompt says of each function, and of the rest. A
// function is not covered by its name alone.
func TestEinPromptProse(t *testing.T) {
	const graph = "A = edges([[0,1],[1,2],[2,0],[2,3],[4,3]], 5)\n"
	covered := map[string]bool{}
	for code, want := range map[string]string{
		"desc(A, 0)":        "[0, 1, 1, 1, 0]",
		"reach(A, 0)":       "[1, 1, 1, 1, 0]",
		"anc(A, 2)":         "[1, 1, 0, 0, 0]",
		"has_path(A, 3, 0)": "0",
		"tc(A)[0,0]":        "1",
		"tc(A)[3,3]":        "0",
		"tc(A)[0,3]":        "1",
		"scc(A)[3,3]":       "1",
		"scc(A)[0,2]":       "1",
		"dist(A, 0)":        "[0, 1, 2, 3, -1]",
		"path(A, 1, 3)":     "[-1, 0, 1, 2, -1]",
		"parents(A, 3)":     "[0, 0, 1, 0, 1]",
		"children(A, 2)":    "[1, 0, 0, 1, 0]",
		"siblings(A, 0)":    "[0, 0, 0, 1, 0]",
		"cousins(edges([[0,1],[0,2],[1,3],[2,4]], 5), 3)": "[0, 0, 0, 0, 1]",
		"node(A, 1)":                  "[0, 1, 0, 0, 0]",
		"roots(A)":                    "[0, 0, 0, 0, 1]",
		"leaves(A)":                   "[0, 0, 0, 1, 0]",
		"out_degree(A)":               "[1, 1, 2, 0, 1]",
		"in_degree(A)":                "[1, 1, 1, 2, 0]",
		"triangles(A)":                "1",
		"sym(A)[3,2]":                 "1",
		"both([1,0,1], [1,1,0])":      "[1, 0, 0]",
		"either([1,0,1], [1,1,0])":    "[1, 1, 1]",
		"only([1,0,1], [1,1,0])":      "[0, 0, 1]",
		"complement([1,0,1])":         "[0, 1, 0]",
		"mean_over([4,8,5], [1,0,1])": "4.5",
		"where([1,0], [5,6], -1)":     "[5, -1]",
		"sum(A, axis=1)":              "[1, 1, 2, 0, 1]",
		"sum(A, axis=0)":              "[1, 1, 1, 2, 0]",
		"sum(A)":                      "5",
		"mean([1,2])":                 "1.5",
		"count(A, axis=0)":            "[1, 1, 1, 2, 0]",
		"max(A, axis=1)":              "[1, 1, 1, 0, 1]",
		"min([4,2])":                  "2",
		"argmax([2,5,5])":             "1",
		"argmin([2,1,5])":             "1",
		"max([1,4], [3,2])":           "[3, 4]",
		"[lt(1,1), le(1,1), gt(1,1), ge(1,1), eq(1,1), ne(1,1)]": "[0, 1, 0, 1, 1, 0]",
		"[1,2,3] <= 2": "[1, 1, 0]",
		"[abs(-2), floor(2.7), sqrt(4), exp(0), log(1), relu(-1), step(3), sigmoid(0), tanh(0)]": "[2, 2, 2, 1, 0, 0, 1, 0.5, 0]",
		"clamp([-1,0.5,2], 0, 1)":      "[0, 0.5, 1]",
		"softmax([0,0], 0)":            "[0.5, 0.5]",
		"size(A, 0)":                   "5",
		"select(A, 2, 3)":              "1",
		"trace([[1,2],[3,4]])":         "5",
		"closed_walks(A, 3)":           "3",
		"diag([[1,2],[3,4]])":          "[1, 4]",
		"transpose(A)[3,2]":            "1",
		"adj([[0,1],[0,0]])":           "[[0, 1], [0, 0]]",
		"vec([1,2]) * 3 - ones(2)":     "[2, 5]",
		"eye(2) + zeros(2, 2)":         "[[1, 0], [0, 1]]",
		"edges([[0,1]], 2)":            "[[0, 1], [0, 0]]",
		"Row[j] = A[2,j]":              "[1, 0, 0, 1, 0]",
		"Two[j] = A[0,i] A[i,j]":       "[0, 0, 1, 0, 0]",
		"Three = A[i,j] A[j,k] A[k,i]": "3",
	} {
		for _, f := range regexp.MustCompile(`\w+\(`).FindAllString(code, -1) {
			covered[strings.TrimSuffix(f, "(")] = true
		}
		if !strings.Contains(code, " = ") {
			code = ":print " + code
		}
		if got := output(t, graph+code+"\n"); got != want {
			t.Errorf("%s\ngives %s, want %s", code, got, want)
		}
	}
	for _, name := range core(t) {
		if !covered[name] {
			t.Errorf("what the prompt says of %s is not held against anything", name)
		}
	}
	for _, code := range []string{ // what it says there is not
		"def f(x) = x\n:print f(1)\n",
		"A = edges([[\"a\",\"b\"]])\n:print A\n",
		"A = edges([[0,1]], 2)\n:print A[0,-1]\n",
		"for i in A\n",
	} {
		if _, _, err := lang.Load("prompt.ein", code, lang.Options{Profile: check.Core}); err == nil {
			t.Errorf("this is a program:\n%s", code)
		}
	}
}

// TestEinPromptCovers holds the specification against the programs that are to
// be learned: all functions that they call are in it.
func TestEinPromptCovers(t *testing.T) {
	call := regexp.MustCompile(`\w+\(`)
	prompt := DefaultPrompts()[Ein]
	for i := range category.Table {
		for k := range 20 {
			in, _, err := instance.Generate(instance.NewID("train", category.Table[i].Name, k, 1))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range call.FindAllString(in.EinProgram, -1) {
				if name := strings.TrimSuffix(f, "("); !regexp.MustCompile(`\b` + name + `\b`).MatchString(prompt) {
					t.Errorf("the prompt does not have %s, which %s uses:\n%s", name, in.Category, in.EinProgram)
				}
			}
		}
	}
}

// TestConventions: no mode is told more of what counts than another.
func TestConventions(t *testing.T) {
	for mode, text := range DefaultPrompts() {
		at := strings.Index(text, "\nUnless the question says otherwise: ")
		if at < 0 {
			t.Fatalf("%s states no conventions", mode)
		}
		stated, _, _ := strings.Cut(text[at+1:], "\n")
		if direct := DefaultPrompts()[Direct]; !strings.Contains(direct, "\n"+stated+"\n") {
			t.Errorf("%s states %s", mode, stated)
		}
	}
	if p := PaperPrompts(); len(p) != 3 || p[Python] != "" {
		t.Errorf("the paper prints prompts for direct, cot and ein: %v", p)
	}
}

// TestEinPromptSize holds the specification to 700 tokens. o200k_base is counted where
// Python has it; elsewhere its tokens have on average 3.4 characters of such text.
func TestEinPromptSize(t *testing.T) {
	prompt := DefaultPrompts()[Ein]
	if tokens := len([]rune(prompt)) * 10 / 34; tokens > 710 {
		t.Errorf("the prompt has about %d tokens, want 700 at most", tokens)
	}
	count := exec.Command("python3", "-c", `import sys, bpe_openai; print(len(bpe_openai.get_encoding("o200k_base").encode(sys.stdin.read())))`)
	count.Stdin = strings.NewReader(prompt)
	out, err := count.Output()
	if err != nil {
		t.Skip("Python has no bpe_openai, which counts tokens")
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || n > 700 {
		t.Errorf("the prompt has %s tokens of o200k_base, want 700 at most", out)
	}
}

func TestOverride(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	p := DefaultPrompts()
	if err := p.Override(fstest.MapFS{"cot.md": file("Think.\r\nHard.\r\n"), "notes.txt": file("")}); err != nil {
		t.Fatal(err)
	}
	if p[CoT] != "Think.\nHard." || p[Direct] != DefaultPrompts()[Direct] {
		t.Errorf("%q", p)
	}
	for want, dir := range map[string]fs.FS{
		"no prompts":   fstest.MapFS{"direct.txt": file("x")},
		"dircet.md":    fstest.MapFS{"dircet.md": file("x")},
		"ein.md is em": fstest.MapFS{"ein.md": file(" \n")},
	} {
		if err := p.Override(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestWrite(t *testing.T) {
	in := &instance.Instance{ID: "x", Question: "Is <b> reached?", Answer: json.RawMessage(`["a","b"]`),
		EinProgram: ":print 1 > 0\n", PythonProgram: "print(1)"}
	replies := map[Target]string{TargetAnswer: `{"answer": ["a","b"]}`, TargetEin: "```ein\n:print 1 > 0\n```", TargetPython: "```python\nprint(1)\n```"}
	targets := []Target{TargetAnswer, TargetEin, TargetPython}
	for _, format := range Formats() {
		opt := &Options{Targets: targets, Format: format, Prompts: DefaultPrompts(), Canary: "c"}
		var b bytes.Buffer
		if err := Write(&b, in, opt); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != len(targets) || strings.Contains(b.String(), `\u003`) {
			t.Fatalf("%s: %s", format, b.String())
		}
		for i, line := range lines {
			system := opt.Prompts[targets[i].Mode()]
			asked, said := []Message{{"system", system}, {"user", in.Question}}, Message{"assistant", replies[targets[i]]}
			want := map[Format]any{
				Messages:         map[string]any{"messages": append(asked, said)},
				PromptCompletion: map[string]any{"prompt": system + "\n\n" + in.Question + "\n\n", "completion": said.Content},
				Conversational:   map[string]any{"prompt": asked, "completion": []Message{said}},
			}[format].(map[string]any)
			want["id"], want["target"], want["canary"] = "x", targets[i], "c"
			var got, plain any
			text, err := json.Marshal(want)
			if err != nil || json.Unmarshal(text, &plain) != nil || json.Unmarshal([]byte(line), &got) != nil || !reflect.DeepEqual(got, plain) {
				t.Errorf("%s: %s, want %s", format, line, text)
			}
		}
	}
	for _, bad := range []Options{{Targets: []Target{"x"}, Format: Messages}, {Targets: targets, Format: "x"}} {
		if err := Write(&bytes.Buffer{}, in, &bad); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
}

// TestSteps writes out the search for every category of both generators; that the steps
// lead to the answer is what Steps itself sees to.
func TestSteps(t *testing.T) {
	for i := range category.Table {
		name := category.Table[i].Name
		for k := range 6 {
			id := instance.NewID("train", name, k, 1)
			if k%2 == 1 {
				id = instance.PresetID("demo", "train", name, k, 1)
			}
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := Reply(in, TargetCoT)
			if err != nil {
				t.Error(err)
				continue
			}
			steps, answer, _ := strings.Cut(reply, "\n{")
			if answer != `"answer": `+string(in.Answer)+`}` || !strings.HasPrefix(steps, "Edges:\n") || strings.Contains(steps, "!") {
				t.Errorf("%s", reply)
			}
		}
	}
	in, _, err := instance.Generate(instance.NewID("train", "conditional", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	in.Answer = json.RawMessage("17")
	if _, err := Steps(in); err == nil || !strings.Contains(err.Error(), "the answer is 17") {
		t.Error(err)
	}
}

// The answer is copied, not parsed: a mean keeps its digits.
func TestAnswerIsCopied(t *testing.T) {
	reply, err := Reply(&instance.Instance{Answer: json.RawMessage("2.6666666666666665")}, TargetAnswer)
	if err != nil || reply != `{"answer": 2.6666666666666665}` {
		t.Errorf("%s, %v", reply, err)
	}
}
