package check

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/lang/diag"
	"ein/vm/tensor"
)

// usedCodes is the codes in the text of this package and of stdlib.
func usedCodes(t *testing.T) []diag.Code {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.go", "../../stdlib/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, names...)
	}
	quoted := regexp.MustCompile(`codes\.([EWN]\d{4})`)
	var used []diag.Code
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllSubmatch(text, -1) {
			used = append(used, diag.Code(m[1]))
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// explainConfigs is what the examples of some pages need.
var explainConfigs = map[diag.Code]Config{
	"E0211": {Profile: Core},
	"E0510": {Limits: Limits{Calls: 2}},
	"E0511": {Limits: Limits{Nodes: 5}},
	"E0521": {Limits: Limits{Elements: 5}},
	"E0707": {Inputs: map[string]*tensor.Value{"A": new(dense(tensor.Real, tensor.ShapeOf(2, 3), make([]float64, 6)))}},
	"W0330": {Inputs: map[string]*tensor.Value{"W": far()}},
}

// far is a matrix of two nodes, one of which is 3 from the other.
func far() *tensor.Value {
	return &tensor.Value{Type: tensor.Type{Kind: tensor.Real, Far: true, Shape: tensor.ShapeOf(2, 2)}, Layout: tensor.Sparse,
		CSR: tensor.CSR{Rows: 2, Cols: 2, Ptr: []int32{0, 1, 1}, Idx: []int32{1}, Val: []float64{3}}}
}

// ofHere matches the codes of the phases that only the checker reports.
var ofHere = regexp.MustCompile(`^[EWN]0([2348]\d\d|51\d|52\d)$`)

func TestEveryCodeIsExplained(t *testing.T) {
	used := usedCodes(t)
	for _, code := range diag.Codes() {
		if ofHere.MatchString(string(code)) && code.Class() != diag.Syntax && !slices.Contains(used, code) && !strings.HasSuffix(code.Title(), "(no longer reported)") {
			t.Errorf("%s is explained, but nothing reports it", code)
		}
	}
	for _, code := range used {
		t.Run(string(code), func(t *testing.T) {
			page, ok := diag.Explain(code)
			if !ok {
				t.Fatal("no page")
			}
			if _, err := os.Stat("testdata/" + string(code) + ".txtar"); err != nil && code != "E0217" && code != "N0506" && code != "E0533" {
				t.Error("no golden file")
			}
			if code == "N0506" || code == "E0533" {
				return // others report it as well, and its page has an example for them
			}
			blocks := strings.Split(page, "```")
			if len(blocks) != 5 {
				t.Fatalf("%d fenced blocks, want an example and a fix", len(blocks)/2)
			}
			_, example, _ := strings.Cut(blocks[1], "\n")
			_, fix, _ := strings.Cut(blocks[3], "\n")
			cfg := explainConfigs[code]
			p := checkText(example, cfg)
			if code == "E0217" { // an error of running, not of checking
				p.Diags = append(p.Diags, p.Unbound()...)
			}
			raises(t, p, code)
			checkFixes(t, example, cfg, p)
			if p := checkText(fix, cfg); len(p.Diags) > 0 {
				t.Errorf("the fix raises\n%s", render(t, p))
			}
		})
	}
}
