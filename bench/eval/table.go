package eval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ein/bench/answer"
	"ein/bench/model"
	"ein/bench/run"
	"ein/bench/sft"
	"ein/bench/stats"
	"ein/bench/surface"
)

// Line is a line of the table of a run: what a mode and an encoding came to on a
// level, or on all.
type Line struct {
	Mode     sft.Mode               `json:"mode"`
	Encoding surface.Encoding       `json:"encoding"`
	Level    string                 `json:"level"`
	Asked    int                    `json:"asked"`    // questions, instances times samples
	Scored   int                    `json:"scored"`   // what the shares are of
	Infra    int                    `json:"infra"`    // without a reply, or not run by the sandbox
	Unscored int                    `json:"unscored"` // with a reply and no score
	Outcomes map[answer.Outcome]int `json:"outcomes"`
	Strict   *Share                 `json:"strict"` // null when nothing is scored
	Lenient  *Share                 `json:"lenient"`
	Usage    model.Usage            `json:"usage"` // of all replies
	Cost     float64                `json:"cost"`  // dollars
}

// Share is a share with its 95 % interval by Wilson, which takes replies for
// independent. Of several samples of an instance it is too narrow.
type Share struct {
	Right int     `json:"right"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// total is the level of the lines that sum the levels up.
const total = "all"

// Lines is the table of a run: for each mode and encoding its levels, then all.
func Lines(r *run.Run) []*Line {
	type key struct {
		mode     sft.Mode
		encoding surface.Encoding
		level    string
	}
	lines := map[key]*Line{}
	levels := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		levels[row.Instance.Level] = true
		for _, level := range []string{row.Instance.Level, total} {
			k := key{row.Mode, row.Encoding, level}
			if lines[k] == nil {
				lines[k] = &Line{Mode: row.Mode, Encoding: row.Encoding, Level: level, Outcomes: map[answer.Outcome]int{}}
			}
			lines[k].add(row)
		}
	}
	var out []*Line
	for _, mode := range r.Config.Modes {
		for _, encoding := range r.Config.Encodings {
			for _, level := range append(slices.Sorted(maps.Keys(levels)), total) {
				if l := lines[key{mode, encoding, level}]; l != nil {
					l.finish()
					out = append(out, l)
				}
			}
		}
	}
	return out
}

func (l *Line) add(row *run.Row) {
	l.Asked++
	if row.Reply == nil {
		l.Infra++
		return
	}
	u := &row.Reply.Usage
	l.Usage.Input += u.Input
	l.Usage.CachedInput += u.CachedInput
	l.Usage.Output += u.Output
	l.Usage.Reasoning += u.Reasoning
	l.Cost += row.Reply.Cost
	switch s := row.Score; {
	case s == nil:
		l.Unscored++
	case s.Outcome == answer.InfraError:
		l.Infra++
	default:
		l.Outcomes[s.Outcome]++
	}
}

func (l *Line) finish() {
	strict, lenient := 0, 0
	for o, n := range l.Outcomes {
		l.Scored += n
		if o.Strict() {
			strict += n
		}
		if o.Lenient() {
			lenient += n
		}
	}
	if l.Scored > 0 {
		l.Strict, l.Lenient = newShare(strict, l.Scored), newShare(lenient, l.Scored)
	}
}

func newShare(right, n int) *Share {
	i := stats.Wilson(right, n, stats.Confidence)
	return &Share{right, float64(right) / float64(n), i.Low, i.High}
}

// columns are the outcomes of a table, without those that are right.
var columns = []struct {
	head string
	is   func(answer.Outcome) bool
}{
	{"wrong", func(o answer.Outcome) bool { return o == answer.Wrong }},
	{"format", func(o answer.Outcome) bool { return o == answer.FormatError }},
	{"none", func(o answer.Outcome) bool { return o == answer.NoAnswer }},
	{"program", func(o answer.Outcome) bool {
		return !slices.Contains(answer.Outcomes(), o) // those of package exec
	}},
}

// Text is the table of a run for people.
func Text(r *run.Run) string {
	lines, priced := Lines(r), r.Config.Price != nil

	head := []string{"mode", "encoding", "level", "n", "strict %", "95 %", "lenient %", "95 %"}
	for _, c := range columns {
		head = append(head, c.head)
	}
	rows := [][]string{append(head, "infra", "input", "output", "$")}
	infra, unscored := 0, 0
	for _, l := range lines {
		row := []string{string(l.Mode), string(l.Encoding), l.Level, strconv.Itoa(l.Scored)}
		for _, s := range []*Share{l.Strict, l.Lenient} {
			if s == nil {
				row = append(row, "-", "-")
			} else {
				row = append(row, percent(s.Rate), percent(s.Low)+"-"+percent(s.High))
			}
		}
		for _, c := range columns {
			n := 0
			for o, k := range l.Outcomes {
				if c.is(o) {
					n += k
				}
			}
			row = append(row, strconv.Itoa(n))
		}
		dollars := "-"
		if priced {
			dollars = strconv.FormatFloat(l.Cost, 'f', 4, 64)
		}
		rows = append(rows, append(row, strconv.Itoa(l.Infra), strconv.FormatInt(l.Usage.Input, 10), strconv.FormatInt(l.Usage.Output, 10), dollars))
		if l.Level == total {
			infra += l.Infra
			unscored += l.Unscored
		}
	}
	var b strings.Builder
	align(&b, rows, 3)
	if infra > 0 {
		fmt.Fprintf(&b, "\n%d without a reply or a run, for reasons outside of the model, are left out of n.\n", infra)
	}
	if unscored > 0 {
		fmt.Fprintf(&b, "\n%d replies are not scored and are left out of n.\n", unscored)
	}
	return b.String()
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) }

// align writes columns, the first few to the left and the others to the right.
func align(b *strings.Builder, rows [][]string, left int) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			if i < left {
				fmt.Fprintf(b, "%-*s", width[i], cell)
			} else {
				fmt.Fprintf(b, "%*s", width[i], cell)
			}
		}
		b.WriteString("\n")
	}
}
