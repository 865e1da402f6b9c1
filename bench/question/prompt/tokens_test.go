package prompt

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"ein/bench/question/instance"
	"ein/bench/question/surface"
)

// tokens returns the most of some texts, in o200k_base where Python has it; elsewhere it is an
// estimate: a token of a long question has more than three characters.
func tokens(t *testing.T, texts []string) (most int) {
	t.Helper()
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	count := exec.Command("python3", "-c", `import json, sys, bpe_openai
e = bpe_openai.get_encoding("o200k_base")
print(max(len(e.encode(x)) for x in json.load(sys.stdin)))`)
	count.Stdin = strings.NewReader(string(in))
	if out, err := count.Output(); err == nil {
		most, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		return most
	}
	for _, text := range texts {
		most = max(most, utf8.RuneCountInString(text)/3)
	}
	return most
}

// TestQuestionTokens holds the questions of each preset to the tokens that the page
// states for it: of the categories with the longest texts the largest graphs, in every
// wording, style and pool of labels.
func TestQuestionTokens(t *testing.T) {
	page, err := os.ReadFile("../../../docs/benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range instance.Presets {
		row := regexp.MustCompile("(?m)^\\| `" + p.Name + "` \\|.*").Find(page)
		cells := strings.Split(string(row), "|")
		if len(cells) < 7 {
			t.Fatalf("the page has no row for the preset %s: %s", p.Name, row)
		}
		stated, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(cells[5]), ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		names, each := []string{"graph_comparison", "chain_of_filters", "triangle_in_subgraph", "kinship_chain"}, 2
		if p.N.Max > 24 { // two graphs have the longest text by far
			names, each = names[:1], 1
		}
		most := 0
		for _, name := range names {
			for k := range each {
				id := instance.PresetID(p.Name, "tokens", name, k, 1)
				id.N.Min = id.N.Max
				in, _, err := instance.Generate(id)
				if err != nil {
					t.Fatal(err)
				}
				c, err := in.Case()
				if err != nil {
					t.Fatal(err)
				}
				cat, _ := instance.Category(name)
				var texts []string
				for _, d := range (surface.Partition{}).Domains(cat.Family) {
					for _, style := range surface.Styles() {
						for _, pool := range []string{"letters", "names", "servers", "animals"} {
							look := surface.Look{Domain: d.Later(), Pool: pool, Style: style, Labels: (surface.Partition{}).Labels(pool)[:in.N]}
							texts = append(texts, look.Prompt(surface.NL, &c, cat.Explicit(&c)))
						}
					}
				}
				most = max(most, tokens(t, texts))
			}
		}
		if most > stated || 2*most < stated {
			t.Errorf("%s: a question has %d tokens, the page says %d at most", p.Name, most, stated)
		}
		t.Logf("%s: %d tokens, stated %d", p.Name, most, stated)
	}
}
