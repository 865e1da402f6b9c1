//go:build !lean

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
)

// small returns a release with one question of each category.
func small(t *testing.T) (dir string, m *Maker) {
	t.Helper()
	dir = t.TempDir()
	m = &Maker{Settings: Settings{Preset: "standard", Seed: 7, PerCategory: 1, Further: 27, Ein: "0.0.0"}, Write: func(name string, write func(io.Writer) error) error {
		name = filepath.Join(dir, name)
		var b bytes.Buffer
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), write(&b))
		return errors.Join(err, os.WriteFile(name, b.Bytes(), 0o644))
	}}
	if err := m.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir, m
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rows reads a table from both of its files, which have to be the same.
func rows[T any](t *testing.T, dir, name string) []T {
	t.Helper()
	var lines []T
	d := json.NewDecoder(bytes.NewReader(read(t, dir, name+".jsonl")))
	d.DisallowUnknownFields()
	for d.More() {
		var row T
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, row)
	}
	b := read(t, dir, name+".parquet")
	columns, err := parquet.Read[T](bytes.NewReader(b), int64(len(b)))
	if err != nil || !reflect.DeepEqual(lines, columns) {
		t.Errorf("%s: %d lines and %d rows, which differ; %v", name, len(lines), len(columns), err)
	}
	return lines
}

// TestSmallest makes a release of the smallest questions, which has three sizes and lacks
// a category at two of them.
func TestSmallest(t *testing.T) {
	m := &Maker{Settings: Settings{Preset: "demo", Seed: 7, PerCategory: 2, Further: 60}}
	plan, about, err := m.sweep(t.Context())
	if want := "questions of 6, 7, 8 nodes, for scoring only; without `kinship_complex` of 6 nodes, `kinship_complex` of 7 nodes"; err != nil || about != want || len(plan) != 3*len(category.Table)-2 {
		t.Errorf("%d cells, %q, %v; want %q", len(plan), about, err, want)
	}
}

func TestRelease(t *testing.T) {
	dir, m := small(t)
	card := string(read(t, dir, Card))
	for _, want := range []string{m.Command(), "license: cc-by-4.0", "## Motivation", "## Composition", "## How it was made", "## Uses", "## Licence", "## Maintenance",
		"## Who answers for it", "structures", prompt.Canary, "| 27 | further training questions"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	if strings.ContainsAny(strings.NewReplacer("```sh", "", "```text", "", `{graph`, "").Replace(card), "{}") {
		t.Errorf("a place of the card is not filled in:\n%s", card)
	}

	total := 0
	for line := range strings.Lines(string(read(t, dir, Sums))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want := sha256.Sum256(read(t, dir, name))
		if sum != hex.EncodeToString(want[:]) {
			t.Errorf("%s: another checksum", name)
		}
		total++
	}
	if total != 2*7+3 {
		t.Errorf("%d files", total)
	}

	training, each := map[string]bool{}, len(category.Table)
	for name, n := range map[string]int{"train": each, "further": 27, "heldout": each, "sweep": 5 * each, "heldout_json": each, "heldout_matrix": each} {
		list := rows[Question](t, dir, "questions/"+name)
		if len(list) != n {
			t.Errorf("%s has %d questions, want %d", name, len(list), n)
		}
		for _, q := range list {
			id, err := instance.ParseID(q.ID)
			if err != nil {
				t.Fatal(err)
			}
			in, _, err := instance.Generate(id)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*question(in), q) {
				t.Errorf("%s is not what its id gives: %+v", q.ID, q)
			}
			if (name == "train" || name == "further") != strings.HasPrefix(q.Split, "train") || q.Canary != prompt.Canary {
				t.Errorf("%s: %s of the split %s", name, q.ID, q.Split)
			}
			if strings.HasPrefix(q.Split, "train") {
				training[q.ID] = true
			}
		}
	}
	lessons := rows[Lesson](t, dir, "sft/train")
	if len(lessons) != len(training)*len(prompt.Targets()) {
		t.Errorf("%d lessons of %d questions", len(lessons), len(training))
	}
	for _, l := range lessons {
		if !training[l.ID] || len(l.Messages) != 3 || !strings.HasSuffix(l.Messages[0].Content, "\n\n"+prompt.Canary) {
			t.Errorf("%+v", l)
		}
	}
	t.Run("datasets", func(t *testing.T) { datasets(t, dir) })
}

// datasets loads the folder with the library of that name, without options, and compares
// the tables with those that it reads from the lines.
func datasets(t *testing.T, dir string) {
	if exec.Command("python3", "-c", "import datasets").Run() != nil {
		t.Skip("Python has no datasets")
	}
	cmd := exec.Command("python3", "-c", `
import sys
from datasets import load_dataset
d = load_dataset(sys.argv[1])
assert {k: len(v) for k, v in d.items()} == {"train": int(sys.argv[2]), "further": 27, "heldout": int(sys.argv[2])}, d
tables = {"questions/" + k: v for k, v in d.items()}
tables["questions/sweep"] = load_dataset(sys.argv[1], "sweep")["test"]
tables["questions/heldout_json"] = load_dataset(sys.argv[1], "json")["heldout"]
tables["questions/heldout_matrix"] = load_dataset(sys.argv[1], "matrix")["heldout"]
tables["sft/train"] = load_dataset(sys.argv[1], "sft")["train"]
for name, table in tables.items():
    lines = load_dataset("json", data_files=sys.argv[1] + "/" + name + ".jsonl")["train"]
    assert lines.features == table.features, (name, lines.features, table.features)
    assert list(lines) == list(table), name
`, dir, fmt.Sprint(len(category.Table)))
	cmd.Env = append(os.Environ(), "HF_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRoom asks for more than there are of few nodes; the message says which table, and what
// to ask for.
func TestRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("draws thousands of graphs")
	}
	m := &Maker{Settings: Settings{Preset: "demo", Seed: 7, PerCategory: 40}, Write: func(string, func(io.Writer) error) error { return nil }}
	err := m.Run(t.Context())
	for _, want := range []string{"questions/train of preset demo", "of 6..8 nodes, density sparse, is too small", "--per-category", "another --preset"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
