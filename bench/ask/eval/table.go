package eval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/stats/show"
	"ein/internal/table"
	"ein/internal/words"
)

// Line is a line of the table of a run: the outcomes of a mode and an encoding on a level, or on
// all levels.
type Line struct {
	Mode      prompt.Mode            `json:"mode"`
	Encoding  surface.Encoding       `json:"encoding"`
	Level     string                 `json:"level"`
	Asked     int                    `json:"asked"`               // questions, instances times samples
	Scored    int                    `json:"scored"`              // what the shares are of
	Missing   int                    `json:"missing"`             // without a reply
	Infra     int                    `json:"infra"`               // what the sandbox did not run
	Unscored  int                    `json:"unscored"`            // with a reply and no score
	Uncounted int                    `json:"uncounted,omitempty"` // whose tokens the provider did not count in full
	Outcomes  map[answer.Outcome]int `json:"outcomes"`
	Strict    *verdict.Rate          `json:"strict"` // null when nothing is scored
	Relaxed   *verdict.Rate          `json:"relaxed"`
	Lenient   *verdict.Rate          `json:"lenient"`
	Usage     model.Usage            `json:"usage"` // of all replies
	Cost      float64                `json:"cost"`  // dollars

	tally *verdict.Tally
}

// total is the level of the lines that sum up all levels.
const total = "all"

// Lines returns the table of a run: for each mode and encoding its levels, then all.
func Lines(r *run.Run) []*Line {
	type key struct {
		mode     prompt.Mode
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
				lines[k] = &Line{Mode: row.Mode, Encoding: row.Encoding, Level: level, tally: verdict.NewTally("")}
			}
			lines[k].add(row)
		}
	}
	var out []*Line
	for _, mode := range r.Config.Modes {
		for _, encoding := range r.Config.Encodings {
			for _, level := range append(slices.Sorted(maps.Keys(levels)), total) {
				if l := lines[key{mode, encoding, level}]; l != nil {
					// Infrastructure errors are told apart, as they count in no share.
					t := l.tally
					l.Scored, l.Infra, l.Outcomes = t.Scored(), t.Outcomes[answer.InfraError], maps.Clone(t.Outcomes)
					delete(l.Outcomes, answer.InfraError)
					l.Strict, l.Relaxed, l.Lenient = t.Rate(answer.Strict), t.Rate(answer.Relaxed), t.Rate(answer.Lenient)
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// add counts a row. What a reply cost counts whether it is right or scored at all.
func (l *Line) add(row *run.Row) {
	l.Asked++
	if row.Reply == nil {
		l.Missing++
		return
	}
	u := row.Spent()
	l.Usage = l.Usage.Plus(u.Usage)
	l.Cost += u.Cost
	if !u.Counted {
		l.Uncounted++
	}
	if s := row.Score; s == nil {
		l.Unscored++
	} else {
		l.tally.Add(&s.Verdict)
	}
}

// columns are the outcomes of a table, without those that are right.
var columns = []struct {
	head string
	is   func(answer.Outcome) bool
}{
	{"wrong", func(o answer.Outcome) bool { return o == answer.Wrong }},
	{"format", func(o answer.Outcome) bool { return o == answer.FormatError }},
	{"none", func(o answer.Outcome) bool { return o == answer.NoAnswer }},
	{"program", func(o answer.Outcome) bool { return verdict.Class(o) != "" }},
}

// Text returns the table of a run for people.
func Text(r *run.Run) string {
	lines, priced := Lines(r), r.Config.Price != nil

	head := append([]string{"mode", "encoding", "level", "n"}, verdict.RateHeads()...)
	for _, c := range columns {
		head = append(head, c.head)
	}
	gaps := slices.ContainsFunc(lines, func(l *Line) bool { return l.Missing > 0 })
	head = append(head, "infra")
	if gaps {
		head = append(head, "missing")
	}
	rows := [][]string{append(head, "input", "output", "$")}
	asked, missing, failed, unscored, uncounted := 0, 0, 0, 0, 0
	for _, l := range lines {
		row := append([]string{string(l.Mode), string(l.Encoding), l.Level, strconv.Itoa(l.Scored)}, l.tally.Rates()...)
		for _, c := range columns {
			n := 0
			for o, k := range l.Outcomes {
				if c.is(o) {
					n += k
				}
			}
			row = append(row, strconv.Itoa(n))
		}
		dollars := show.None
		if priced && (l.Usage != model.Usage{} || l.Missing == l.Asked) {
			const digits = 4
			dollars = show.Fixed(l.Cost, digits)
		}
		row = append(row, strconv.Itoa(l.Infra))
		if gaps {
			row = append(row, strconv.Itoa(l.Missing))
		}
		rows = append(rows, append(row, strconv.FormatInt(l.Usage.Input, 10), strconv.FormatInt(l.Usage.Output, 10), dollars))
		if l.Level == total {
			asked += l.Asked
			missing += l.Missing
			failed += l.Infra
			unscored += l.Unscored
			if l.Usage != (model.Usage{}) {
				uncounted += l.Uncounted
			}
		}
	}
	var b strings.Builder
	b.WriteString(table.Of(rows).Text())
	if missing > 0 {
		fmt.Fprintf(&b, "\nIncomplete: %s of %s missing, and left out of n.\n", words.Count(missing), words.Plural(asked, "reply is", "replies are"))
		for _, l := range lines {
			if l.Level == total && l.Missing > 0 && l.Strict != nil {
				fmt.Fprintf(&b, "With them, the strict accuracy of %s, %s is %s %% if all are wrong, %s %% if all are right.\n", l.Mode, l.Encoding,
					show.Rate(float64(l.Strict.Right)/float64(l.Scored+l.Missing)), show.Rate(float64(l.Strict.Right+l.Missing)/float64(l.Scored+l.Missing)))
			}
		}
	}
	if failed > 0 {
		fmt.Fprintf(&b, "\n%s not run by the sandbox, and left out of n.\n", words.Plural(failed, "program was", "programs were"))
	}
	if uncounted > 0 {
		fmt.Fprintf(&b, "\n%s not counted by the provider in full: tokens and dollars are too low.\n", words.Plural(uncounted, "reply was", "replies were"))
	}
	if unscored > 0 {
		fmt.Fprintf(&b, "\n%s not scored, and left out of n.\n", words.Plural(unscored, "reply is", "replies are"))
	}
	return b.String()
}
