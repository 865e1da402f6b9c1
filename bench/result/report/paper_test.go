package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ein/bench/question/category"
	"ein/internal/compact"
)

// get returns a number of the paper.
func get(t *testing.T, table, row, mode, column string) float64 {
	t.Helper()
	p := Paper().Table(table)
	if p == nil {
		t.Fatalf("no table %s", table)
	}
	for i := range p.Rows {
		if p.Rows[i].Name == row && p.Rows[i].Mode == mode {
			v, ok := p.Get(&p.Rows[i], column)
			if !ok {
				t.Fatalf("%s, %s, %s: no %s", table, row, mode, column)
			}
			return v
		}
	}
	t.Fatalf("%s: no row %s, %s", table, row, mode)
	return 0
}

// published is all of paper.json.
type published struct {
	Source    string         `json:"source"`
	Note      string         `json:"note"`
	Instances map[string]int `json:"instances"`
	Tables    []PaperTable   `json:"tables"`
	Claims    []claimed      `json:"claims"`
}

// claimed is a number, or a range, that the text of the paper states.
type claimed struct {
	ID    string  `json:"id"`
	Where string  `json:"where"` // the section
	What  string  `json:"what"`
	Unit  string  `json:"unit"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func whole(t *testing.T) *published {
	t.Helper()
	p := new(published)
	if err := compact.Strict(paperJSON, p, "paper.json"); err != nil {
		t.Fatal(err)
	}
	return p
}

func claim(t *testing.T, id string) claimed {
	t.Helper()
	list := whole(t).Claims
	i := slices.IndexFunc(list, func(c claimed) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no claim %s", id)
	}
	return list[i]
}

// differ reports whether two printed numbers cannot be roundings of equal ones.
func differ(a, b, step float64) bool { return math.Abs(a-b) > step+1e-9 }

// TestPaperSums recomputes what the tables say twice. What does not agree is a
// slip of the paper, and has to be in the errata: the list is exact, so that a
// slip of ours in copying shows.
func TestPaperSums(t *testing.T) {
	var slips []string
	slip := func(format string, args ...any) { slips = append(slips, fmt.Sprintf(format, args...)) }
	p, instances := Paper(), whole(t).Instances
	main, both, format, tokens := p.Table("main"), p.Table("strict_vs_lenient"), p.Table("format_error"), p.Table("token_cost")

	for i := range main.Rows {
		r := &main.Rows[i]
		sum, n := 0.0, 0
		for k, l := range []string{"L1", "L2", "L3"} {
			sum += *r.Values[k] * float64(instances[l])
			n += instances[l]
		}
		if n != instances["all"] {
			t.Fatalf("levels have %d instances", n)
		}
		if differ(sum/float64(n), *r.Values[3], 0.1) {
			slip("main: %s, %s: %.2f overall from levels, printed %v", r.Name, r.Mode, sum/float64(n), *r.Values[3])
		}
		if lenient := get(t, "strict_vs_lenient", r.Name, r.Mode, "lenient"); lenient != *r.Values[3] {
			slip("main: %s, %s: %v overall, %v in the table of scorings", r.Name, r.Mode, *r.Values[3], lenient)
		}
	}
	for i := range both.Rows {
		r := &both.Rows[i]
		if differ(*r.Values[1]-*r.Values[0], *r.Values[2], 0.1) {
			slip("strict_vs_lenient: %s, %s: gap", r.Name, r.Mode)
		}
	}
	for i := range format.Rows {
		r := &format.Rows[i]
		sum := 0.0
		for _, v := range r.Values {
			sum += *v
		}
		if differ(sum, 100, 0.25) {
			slip("format_error: %s, %s: sums to %v", r.Name, r.Mode, sum)
		}
		if v := get(t, "strict_vs_lenient", r.Name, r.Mode, "strict"); v != *r.Values[0] {
			slip("format_error: %s, %s: strict %v, elsewhere %v", r.Name, r.Mode, *r.Values[0], v)
		}
		// The share that is right only leniently is the gap.
		if v := get(t, "strict_vs_lenient", r.Name, r.Mode, "gap"); v != *r.Values[1] {
			slip("lenient only: %s, %s: %v, the gap is %v", r.Name, r.Mode, *r.Values[1], v)
		}
	}
	for i := range tokens.Rows {
		r := &tokens.Rows[i]
		if differ(100**r.Values[0]/(*r.Values[1]), *r.Values[2], 1) {
			slip("token_cost: %s, %s: %v for each correct", r.Name, r.Mode, 100**r.Values[0]/(*r.Values[1]))
		}
		if v := get(t, "main", r.Name, r.Mode, "all"); v != *r.Values[1] {
			slip("token_cost: %s, %s: accuracy %v, elsewhere %v", r.Name, r.Mode, *r.Values[1], v)
		}
	}
	ein := p.Table("ein")
	for i := range ein.Rows {
		r := &ein.Rows[i]
		if r.Values[3] != nil && differ(*r.Values[1]-*r.Values[2], *r.Values[3], 0.1) {
			slip("ein: %s: gap", r.Name)
		}
	}
	if base, direct := get(t, "ein", "Qwen3-4B", "direct", "fresh"), get(t, "main", "Qwen3-4B", "direct", "all"); base != direct {
		slip("Qwen3-4B, direct: %v held-out in the table of programs, %v in the main one", base, direct)
	}
	levels, n := map[string]float64{}, map[string]int{}
	for _, r := range p.Table("percategory").Rows {
		c, ok := category.Lookup(r.Name)
		if !ok || fmt.Sprintf("L%d", c.Level) != r.Group {
			t.Errorf("percategory: %s, %s is no category of ours", r.Group, r.Name)
		}
		levels[r.Group] += *r.Values[0]
		n[r.Group]++
	}
	for k, l := range []string{"L1", "L2", "L3"} {
		v := get(t, "main", "Ein SFT (Qwen3-4B)", "ein", main.Columns[k])
		if differ(levels[l]/float64(n[l]), v, 0.1) {
			slip("percategory: mean of %s is %v, printed %v", l, levels[l]/float64(n[l]), v)
		}
	}
	want := []string{
		"lenient only: GPT-4.1, cot: 1.6, the gap is 1.5",
		"lenient only: GPT-4.1-mini, cot: 1.3, the gap is 1.2",
		"lenient only: Gemini 2.5 Flash, cot: 0.7, the gap is 0.9",
		"Qwen3-4B, direct: 34.2 held-out in the table of programs, 39.5 in the main one",
	}
	if !slices.Equal(slips, want) {
		t.Errorf("slips:\n%s\nwant:\n%s", strings.Join(slips, "\n"), strings.Join(want, "\n"))
	}
}

// TestPaperClaims recomputes numbers of the text from the tables.
func TestPaperClaims(t *testing.T) {
	main := Paper().Table("main")
	slopes := func(groups ...string) (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		for _, r := range main.Rows {
			if slices.Contains(groups, r.Group) {
				s := *r.Values[0] - *r.Values[2]
				low, high = min(low, s), max(high, s)
			}
		}
		return low, high
	}
	accuracy := func(column string, of func(PaperRow) bool) (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		p := Paper().Table("encoding")
		for _, r := range p.Rows {
			if of(r) {
				v, _ := p.Get(&r, column)
				base, _ := p.Get(&r, "nl")
				low, high = min(low, v-base), max(high, v-base)
			}
		}
		return low, high
	}
	perCorrect := func(name, mode string) float64 { return get(t, "token_cost", name, mode, "output_correct") }
	above := func(least float64) float64 {
		n := 0
		for _, r := range Paper().Table("percategory").Rows {
			if *r.Values[0] > least {
				n++
			}
		}
		return float64(n)
	}
	gaps := func(of func(PaperRow) bool) (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		for _, r := range Paper().Table("strict_vs_lenient").Rows {
			if of(r) {
				low, high = min(low, *r.Values[2]), max(high, *r.Values[2])
			}
		}
		return low, high
	}
	subset := func() (low, high float64) {
		low, high = math.Inf(1), math.Inf(-1)
		for _, r := range Paper().Table("encoding").Rows {
			d := *r.Values[0] - get(t, "main", r.Name, r.Mode, "all")
			low, high = min(low, d), max(high, d)
		}
		return low, high
	}
	one := func(v float64) func() (float64, float64) { return func() (float64, float64) { return v, v } }
	ein := "Ein SFT (Qwen3-4B)"
	for _, c := range []struct {
		id    string
		found func() (low, high float64)
		step  float64 // that a rounding may make
		holds bool
	}{
		{"open_slope", func() (float64, float64) { return slopes("open") }, 0.5, false},
		{"frontier_slope", func() (float64, float64) { return slopes("frontier, direct", "frontier, chain of thought") }, 0.5, false},
		{"ein_slope", func() (float64, float64) { return slopes("program synthesis") }, 0.1, true},
		{"cot_tokens", one(get(t, "token_cost", "GPT-4.1", "cot", "output") / get(t, "token_cost", "GPT-4.1", "direct", "output")), 5, false},
		{"cot_tokens_text", one(get(t, "token_cost", "GPT-4.1", "cot", "output") / get(t, "token_cost", "GPT-4.1", "direct", "output")), 5, true},
		{"cot_accuracy", one(get(t, "main", "GPT-4.1", "cot", "all") / get(t, "main", "GPT-4.1", "direct", "all")), 0.3, false},
		{"tokens_o3", one(perCorrect("o3", "direct") / perCorrect(ein, "ein")), 0.5, false},
		{"tokens_cot", one(perCorrect("GPT-4.1", "cot") / perCorrect(ein, "ein")), 0.5, false},
		{"ein_tokens", one(get(t, "token_cost", ein, "ein", "output")), 10, false},
		{"memorization_gap", one(get(t, "ein", "Qwen3-4B, answer SFT", "direct", "gap")), 0, true},
		{"gap_ratio", one(get(t, "ein", "Qwen3-4B, answer SFT", "direct", "gap") / get(t, "ein", ein, "ein", "gap")), 0.5, true},
		{"heldout_gain", one(get(t, "ein", ein, "ein", "fresh") - get(t, "ein", "Qwen3-4B, answer SFT", "direct", "fresh")), 0.5, true},
		{"ein_right", one(get(t, "main", ein, "ein", "all") * 13), 0.65, true},
		{"ein_executed", one(get(t, "ein", ein, "ein", "executed") * 13), 0.65, true},
		{"ein_wrong", one(1300 - claim(t, "ein_right").Low), 0, true},
		{"ein_wrong", one(claim(t, "errors_reading").Low + claim(t, "errors_logic").Low + claim(t, "errors_execution").Low), 0, true},
		{"errors_execution", one(1300 - claim(t, "ein_executed").Low), 0, true},
		{"categories_above_82", one(above(82)), 0, false},
		{"categories_above_90", one(above(90)), 0, false},
		{"gap_program", func() (float64, float64) {
			return gaps(func(r PaperRow) bool { return r.Group == "program synthesis" })
		}, 0, true},
		{"gap_cot", func() (float64, float64) {
			return gaps(func(r PaperRow) bool { return r.Group == "frontier, chain of thought" })
		}, 0, true},
		{"gap_direct", func() (float64, float64) { return gaps(func(r PaperRow) bool { return r.Mode == "direct" }) }, 0, false},
		{"subset", subset, 0.05, false},
		{"matrix_open", func() (float64, float64) {
			return accuracy("matrix", func(r PaperRow) bool { return r.Group == "open" })
		}, 0, true},
		{"json_capable", func() (float64, float64) {
			return accuracy("json", func(r PaperRow) bool {
				return r.Name == "Qwen3.5-9B" || r.Name == "GPT-4.1" || r.Name == "Gemini 2.5 Flash"
			})
		}, 0, true},
		{"l3_errors", one(float64(whole(t).Instances["L3"]) * (1 - get(t, "main", "GPT-4.1", "cot", "l3")/100)), 0.2, true},
	} {
		low, high := c.found()
		p := claim(t, c.id)
		if holds := low >= p.Low-c.step-1e-9 && high <= p.High+c.step+1e-9; holds != c.holds {
			t.Errorf("%s: printed %v to %v, from the tables %.2f to %.2f: holds %v, want %v", c.id, p.Low, p.High, low, high, holds, c.holds)
		}
	}
}

// TestPaperOrder is the claim that both scorings give one order.
func TestPaperOrder(t *testing.T) {
	var swapped []string
	rows := Paper().Table("strict_vs_lenient").Rows
	for i := range rows {
		for j := range i {
			a, b := rows[i], rows[j]
			if (*a.Values[0]-*b.Values[0])*(*a.Values[1]-*b.Values[1]) < 0 {
				swapped = append(swapped, b.Name+", "+b.Mode+" and "+a.Name+", "+a.Mode)
			}
		}
	}
	want := []string{"Claude Sonnet 4, direct and Gemini 2.5 Flash, cot", "o3, direct and Python SFT (Qwen3-4B), python"}
	if !slices.Equal(swapped, want) {
		t.Errorf("swapped: %q, want %q", swapped, want)
	}
}

// TestPaperColumns checks that the columns of the paper are columns of our tables.
func TestPaperColumns(t *testing.T) {
	r := makeReport(t, Options{Lenient: true, Paper: true}, madeRuns(t, 10)...)
	shown := map[string]bool{}
	for _, x := range r.Tables() {
		p := Paper().Table(x.Paper)
		if p == nil {
			continue
		}
		shown[p.ID] = true
		if x.ID == "categories" {
			continue
		}
		for _, id := range p.Columns {
			if !slices.ContainsFunc(x.Columns, func(c Column) bool { return c.ID == id }) {
				t.Errorf("table %s has no column %s for the paper's table %d", x.ID, id, p.Number)
			}
		}
		n := 0
		for _, row := range x.Rows {
			if row.Paper {
				n++
			}
		}
		if n != len(p.Rows) {
			t.Errorf("table %s has %d rows of the paper, want %d", x.ID, n, len(p.Rows))
		}
	}
	for _, p := range Paper().Tables {
		if !shown[p.ID] && p.ID != "ein" { // which is beside the cells of memorization
			t.Errorf("the paper's table %s is beside nothing", p.ID)
		}
		for _, row := range p.Rows {
			if len(row.Values) != len(p.Columns) {
				t.Errorf("%s, %s: %d values in %d columns", p.ID, row.Name, len(row.Values), len(p.Columns))
			}
		}
	}
}
