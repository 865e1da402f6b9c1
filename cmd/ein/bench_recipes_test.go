package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecipes trains a tiny model with random weights for two steps by each recipe for TRL,
// goes through the whole of table4 with it, and holds the configurations for other
// trainers against their packages. It needs what recipes/requirements.txt names.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	if out, err := exec.Command("python3", "-c", "import trl, peft, torch, datasets").CombinedOutput(); err != nil {
		t.Skipf("needs pip install -r recipes/requirements.txt: %s", out)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "ein")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(dir)
	python := func(line string) string {
		t.Helper()
		words := strings.Fields(line)
		cmd := exec.Command("python3", append([]string{"-W", "ignore", filepath.Join(root, "recipes", words[0])}, words[1:]...)...)
		cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+dir, "EIN_BINARY="+program, "PYTHONPATH="+filepath.Join(root, "python", "src"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	ein(t, "bench generate --split train --preset demo --categories reachability,sibling --per-category 8 -o train.jsonl")
	ein(t, "bench sft --instances train.jsonl --target answer,cot,ein,ein-labels,python,rules -o words.jsonl")
	python("tiny.py tiny words.jsonl --hidden 32 --layers 1")
	for _, target := range []string{"answer", "cot", "ein", "ein-labels", "python", "rules"} {
		ein(t, "bench sft --instances train.jsonl --format conversational --target "+target+" -o "+target+".jsonl")
		if said := python("sft.py " + target + ".jsonl --model tiny --out sft-" + target + " --max-steps 2 --cpu"); strings.Count(said, "'loss'") != 2 {
			t.Errorf("%s: %s", target, said)
		}
	}
	if said := python("grpo.py train.jsonl --model tiny --out grpo --max-steps 2 --max-completion-length 8 --cpu"); strings.Count(said, "rewards/ein_ein/mean") != 2 {
		t.Errorf("grpo: %s", said)
	}
	// A template that knows tools, as that of a random model does not.
	template, err := exec.Command("python3", "-c", `import pathlib, trl; print(end=(pathlib.Path(trl.__file__).parent / "chat_templates/qwen3.jinja").read_text())`).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("able", os.DirFS("tiny")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("able/chat_template.jinja", template, 0o644); err != nil {
		t.Fatal(err)
	}
	if said := python("grpo.py train.jsonl --model able --out tools --tools --max-steps 2 --max-completion-length 8 --cpu"); strings.Count(said, "tools/call_frequency") != 2 {
		t.Errorf("grpo --tools: %s", said)
	}
	const table4 = "table4/run.py --ein ./ein --out table4 --sizes 24 --seeds 1,2 --steps 1 --read 36 --reading 1 --ask 6 --targets answer"
	const row = "   24 answer          2     1 "
	if said := python(table4); !strings.Contains(said, row) {
		t.Errorf("table4: %s", said)
	}
	for _, flags := range []string{"", ",ein --so-far"} { // nothing of ein is there
		if again := python(table4 + flags); strings.Contains(again, "train_runtime") || strings.Contains(again, "   24 ein ") || !strings.Contains(again, row) {
			t.Errorf("%q: what is there is made again: %s", flags, again)
		}
	}
	said := python("table4/reinforce.py --ein ./ein --out table4 --sizes 24 --seeds 1 --steps 1 --read 36 --reading 1 --ask 6 --grpo 1 --prompts 2 --more 12")
	if !strings.Contains(said, "rewards/worth/mean") || !strings.Contains(said, "   24 grpo            1     1 ") {
		t.Errorf("reinforce: %s", said)
	}
	for line := range strings.Lines(python("check.py")) {
		t.Log(line)
	}
}
