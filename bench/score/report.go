package score

import (
	"fmt"
	"strconv"
	"strings"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/replies"
	"ein/bench/stats"
	"ein/bench/stats/show"
	"ein/internal/table"
)

// Report is the scores of a file of replies.
type Report struct {
	Version    int      `json:"version"`
	All        *Group   `json:"all"`
	Levels     []*Group `json:"levels"`
	Categories []*Group `json:"categories"`
	Replies    int      `json:"replies"` // lines
	replies.Notes

	all []*Group // one for each of category.Table
}

// Group is a category, a level, or everything.
type Group struct {
	Name       string                 `json:"name"`
	Level      string                 `json:"level,omitempty"`
	ResultType string                 `json:"result_type,omitempty"`
	Instances  int                    `json:"instances"`
	Scored     int                    `json:"scored"` // without infra_error; what rates are of
	Outcomes   map[answer.Outcome]int `json:"outcomes"`
	Reasons    map[answer.Reason]int  `json:"reasons"` // of format_error and no_answer
	Strict     *Rate                  `json:"strict"`  // null when nothing is scored
	Lenient    *Rate                  `json:"lenient"`
}

// Rate is a share with its 95 % interval by Wilson, which takes replies for
// independent: of several to one question it is too narrow.
type Rate struct {
	Right int     `json:"right"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func newReport() *Report {
	r := &Report{Version: 1, Notes: *replies.NewNotes()}
	for i := range category.Table {
		c := &category.Table[i]
		r.all = append(r.all, newGroup(c.Name, level(c), string(c.Result)))
	}
	return r
}

func newGroup(name, level, resultType string) *Group {
	g := &Group{Name: name, Level: level, ResultType: resultType, Outcomes: map[answer.Outcome]int{}, Reasons: map[answer.Reason]int{}}
	for _, o := range answer.Outcomes() {
		g.Outcomes[o] = 0 // all of them are in the JSON form
	}
	return g
}

// add counts the result of an instance and makes its record.
func (r *Report) add(e *entry, result answer.Result) *Record {
	g := r.all[e.category]
	g.Outcomes[result.Outcome]++
	if result.Reason != "" {
		g.Reasons[result.Reason]++
	}
	return &Record{ID: e.id, Category: g.Name, Level: g.Level, Outcome: result.Outcome,
		Strict: result.Outcome.Strict(), Lenient: result.Outcome.Lenient(), Answer: result.Answer, Reason: result.Reason}
}

// finish sums the categories that there are up.
func (r *Report) finish() {
	r.All = newGroup("all", "", "")
	r.Levels, r.Categories = []*Group{}, []*Group{}
	var at *Group
	for _, g := range r.all {
		g.finish()
		if g.Instances == 0 {
			continue
		}
		if at == nil || at.Name != g.Level { // the table is by level
			at = newGroup(g.Level, "", "")
			r.Levels = append(r.Levels, at)
		}
		r.Categories = append(r.Categories, g)
		for o, n := range g.Outcomes {
			at.Outcomes[o] += n
			r.All.Outcomes[o] += n
		}
		for why, n := range g.Reasons {
			at.Reasons[why] += n
			r.All.Reasons[why] += n
		}
	}
	for _, g := range append(r.Levels, r.All) {
		g.finish()
	}
}

func (g *Group) finish() {
	for _, n := range g.Outcomes {
		g.Instances += n
	}
	g.Scored = g.Instances - g.Outcomes[answer.InfraError]
	strict, lenient := 0, 0
	for o, n := range g.Outcomes {
		if o.Strict() {
			strict += n
		}
		if o.Lenient() {
			lenient += n
		}
	}
	if g.Scored > 0 {
		g.Strict, g.Lenient = NewRate(strict, g.Scored), NewRate(lenient, g.Scored)
	}
}

// NewRate is the rate of some of n, which is not 0.
func NewRate(right, n int) *Rate {
	i := stats.Wilson(right, n, stats.Confidence)
	return &Rate{Right: right, Rate: float64(right) / float64(n), Low: i.Low, High: i.High}
}

// Text is the report for people.
func (r *Report) Text() string {
	rows := [][]string{{"", "instances", "strict %", "95 %", "lenient %", "95 %", "lenient only", "wrong", "format", "none", "infra"}}
	for _, groups := range [][]*Group{r.Categories, r.Levels, {r.All}} {
		for _, g := range groups {
			row := []string{g.Name, strconv.Itoa(g.Instances)}
			for _, rate := range []*Rate{g.Strict, g.Lenient} {
				if rate == nil {
					row = append(row, show.None, show.None)
				} else {
					row = append(row, show.Rate(rate.Rate), show.Rate(rate.Low)+"-"+show.Rate(rate.High))
				}
			}
			for _, o := range answer.Outcomes()[1:] {
				row = append(row, strconv.Itoa(g.Outcomes[o]))
			}
			rows = append(rows, row)
		}
	}
	var b strings.Builder
	b.WriteString(table.Of(rows).Text())
	if n := r.All.Outcomes[answer.InfraError]; n > 0 {
		fmt.Fprintf(&b, "\nThe shares are of %d instances: infra errors are left out.\n", r.All.Scored)
	}
	if n := r.All.Reasons[answer.TooLong]; n > 0 {
		fmt.Fprintf(&b, "\nReplies of more than %d MiB, which are not read and count as format errors (too_long): %d\n", answer.MaxReply>>20, n)
	}
	b.WriteString(r.Notes.Text())
	return b.String()
}
