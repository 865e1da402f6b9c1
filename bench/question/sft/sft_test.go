package sft

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
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
	r, err := machine.Run(context.Background(), nil)
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

// TestEinPrompt runs every line of code in the specification that models are
// given, so that all of it is true of this implementation.
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
	graph := ""
	for line := range strings.Lines(example) {
		if strings.HasPrefix(line, "A = ") {
			graph = line
		}
	}
	statement := regexp.MustCompile(`^\w+(\[[\w,]+\])? = `)
	lines := 0
	for line := range strings.Lines(blocks[1][1]) {
		code, rest, ok := strings.Cut(strings.TrimSpace(line), " => ")
		want, meaning, commented := strings.Cut(rest, "//")
		if !ok || !commented || strings.TrimSpace(meaning) == "" {
			t.Errorf("not `code => value // meaning`: %s", line)
			continue
		}
		lines++
		if !statement.MatchString(code) {
			code = ":print " + code
		}
		if got := output(t, graph+code+"\n"); got != strings.TrimSpace(want) {
			t.Errorf("%s gives %s, the prompt says %s", code, got, want)
		}
	}
	if lines < 15 {
		t.Errorf("only %d lines of the table were checked", lines)
	}
}

// What the prompt says in prose or in the margin of its table.
func TestEinPromptProse(t *testing.T) {
	for code, want := range map[string]string{
		"A = edges([[0,1],[1,0]], 2)\n:print tc(A)[0,0]":                        "1",
		"A = edges([[0,1]], 2)\n:print tc(A)[0,0]":                              "0",
		"A = edges([[0,1],[1,0]], 2)\n:print desc(A, 0)":                        "[0, 1]",
		"A = edges([[0,1],[1,2]], 3)\n:print scc(A)[0,0]":                       "1",
		"A = edges([[0,1],[1,2],[2,0],[2,3]], 4)\n:print sum(A, 1)[2]":          "2",
		"A = edges([[0,1],[0,2],[1,3],[2,4]], 5)\n:print cousins(A, 3)":         "[0, 0, 0, 0, 1]",
		"A = edges([[0,1],[0,2]], 3)\n:print parents(A, 2)":                     "[1, 0, 0]",
		"A = edges([[0,1],[0,2]], 3)\n:print children(A, 0)":                    "[0, 1, 1]",
		"A = edges([[0,1],[1,2],[1,3]], 4)\nRow[j] = A[1,j]":                    "[0, 0, 1, 1]",
		":print either([1, 0, 1], [0, 0, 1])":                                   "[1, 0, 1]",
		":print only([1, 0, 1], [0, 0, 1])":                                     "[1, 0, 0]",
		":print trace([[1, 2], [3, 4]])":                                        "5",
		":print eye(2)":                                                         "[[1, 0], [0, 1]]",
		":print 1 - [0, 1, 1]":                                                  "[1, 0, 0]",
		":print [1, 2, 3] > 2":                                                  "[0, 0, 1]",
		":print [1, 2, 3] >= 2":                                                 "[0, 1, 1]",
		":print [1, 2, 3] < 2":                                                  "[1, 0, 0]",
		":print [1, 2, 3] <= 2":                                                 "[1, 1, 0]",
		":print [1, 2, 3] == 2":                                                 "[0, 1, 0]",
		":print [1, 2, 3] != 2":                                                 "[1, 0, 1]",
		"A = edges([[0,1],[1,2],[2,0]], 3)\n:print triangles(A)":                "1",
		"A = edges([[0,1],[1,0],[1,2],[2,1],[2,0],[0,2]], 3)\nn = triangles(A)": "1",
	} {
		if got := output(t, code+"\n"); got != want {
			t.Errorf("%s\ngives %s, want %s", code, got, want)
		}
	}
	for _, code := range []string{ // what it says there is not
		"def f(x) = x\n:print f(1)\n",
		"A = edges([[\"a\",\"b\"]])\n:print A\n",
		"A = edges([[0,1]], 2)\n:print A[0,-1]\n",
		"A = edges([])\n:print A\n",
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

// TestEinPromptSize keeps the specification short. A token of English and code
// is about four characters.
func TestEinPromptSize(t *testing.T) {
	if tokens := (len([]rune(DefaultPrompts()[Ein])) + 3) / 4; tokens < 500 || tokens > 700 {
		t.Errorf("the prompt has about %d tokens, want 500 to 700", tokens)
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
	opt := &Options{Targets: Targets(), Format: Messages, Prompts: DefaultPrompts(), Canary: "c"}
	var b bytes.Buffer
	if err := Write(&b, in, opt); err != nil {
		t.Fatal(err)
	}
	replies := []string{`{"answer": ["a","b"]}`, "```ein\n:print 1 > 0\n```", "```python\nprint(1)\n```"}
	modes := []Mode{Direct, Ein, Python}
	i := 0
	for line := range strings.Lines(b.String()) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		want := record{ID: "x", Target: opt.Targets[i], Canary: "c", Messages: []message{
			{"system", opt.Prompts[modes[i]]}, {"user", in.Question}, {"assistant", replies[i]}}}
		if r.ID != want.ID || r.Target != want.Target || r.Canary != want.Canary || !slices.Equal(r.Messages, want.Messages) {
			t.Errorf("%s", line)
		}
		i++
	}
	if i != 3 || strings.Contains(b.String(), `\u003`) {
		t.Errorf("%s", b.String())
	}

	b.Reset()
	opt.Format, opt.Canary, opt.Targets = PromptCompletion, "", []Target{TargetAnswer}
	if err := Write(&b, in, opt); err != nil {
		t.Fatal(err)
	}
	var fields map[string]string
	if err := json.Unmarshal(b.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	if len(fields) != 4 || fields["completion"] != replies[0] || fields["prompt"] != opt.Prompts[Direct]+"\n\n"+in.Question+"\n\n" {
		t.Errorf("%q", fields)
	}

	for _, bad := range []Options{{Targets: []Target{"x"}, Format: Messages}, {Targets: Targets(), Format: "x"}} {
		if err := Write(&b, in, &bad); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
}

// The answer is copied, not parsed: a mean keeps its digits.
func TestAnswerIsCopied(t *testing.T) {
	_, reply, err := lesson(&instance.Instance{Answer: json.RawMessage("2.6666666666666665")}, TargetAnswer)
	if err != nil || reply != `{"answer": 2.6666666666666665}` {
		t.Errorf("%s, %v", reply, err)
	}
}
