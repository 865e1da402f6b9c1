package memorization

import (
	"fmt"
	"strings"

	"ein/bench/question/answer"
	"ein/internal/stats/show"
	"ein/internal/table"
	"ein/internal/words"
)

// Text returns the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	for i := range r.Epochs {
		if i > 0 {
			b.WriteString("\n")
		}
		r.epoch(&b, &r.Epochs[i])
	}
	if len(r.Epochs) > 1 {
		r.summary(&b)
	}
	fmt.Fprintf(&b, "\nGaps are of %s accuracy, in points. Paired ones have intervals by Tango and\nMcNemar's mid-p, unpaired ones intervals by Newcombe and the z test, the others\n"+
		"cluster-robust errors; Holm adjusts p for the gaps of a table. \"Least\" is the\nsmallest gap detectable with this many answers at a power of %s.\n", answer.Counted(r.Lenient), show.Percent(r.Power))
	return b.String()
}

// epoch writes the accuracy of an epoch in each cell, and the gaps between them.
func (r *Report) epoch(b *strings.Builder, e *EpochReport) {
	confidence := show.Percent(1 - r.Alpha)
	rows := [][]string{{e.Name, "asked", "no reply", "infra", "clashes", "strict %", confidence, "relaxed %", confidence, "lenient %", confidence}}
	for _, c := range e.Cells {
		row := []string{string(c.Cell), words.Count(c.Asked), words.Count(c.Missing), words.Count(c.Infra), words.Count(c.Clashes)}
		for _, m := range answer.Modes() {
			rate, interval := show.Share(c.In(m))
			row = append(row, rate, interval)
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(b, "%s\n", table.Of(rows).Text())
	r.table(b, "gap", e.Gaps)
}

// table writes gaps with their tests; none exist where only one cell has answers.
func (r *Report) table(b *strings.Builder, title string, list []Gap) {
	if len(list) == 0 {
		b.WriteString("No gaps: only one cell has answers.\n")
		return
	}
	rows := [][]string{{title, "", "points", show.Percent(1 - r.Alpha), "p", "Holm", "least", "method"}}
	for _, g := range list {
		least := show.None
		if g.MinimumEffect != nil {
			least = show.Rate(*g.MinimumEffect)
		}
		rows = append(rows, []string{g.Name, g.Meaning, show.Points(g.Value), show.Span(g.Interval),
			show.P(g.P), show.P(g.Holm), least, g.Method})
	}
	b.WriteString(table.Of(rows).Text())
}

// summary writes the gap that the cells are made for, epoch by epoch, and how all gaps changed.
func (r *Report) summary(b *strings.Builder) {
	rows := [][]string{{"epoch"}}
	for _, c := range r.Epochs[0].Cells {
		rows[0] = append(rows[0], string(c.Cell)+" %")
	}
	rows[0] = append(rows[0], "seen - fresh", show.Percent(1-r.Alpha))
	for _, e := range r.Epochs {
		row := []string{e.Name}
		for _, of := range r.Epochs[0].Cells {
			rate, _ := show.Share(e.Share(of.Cell, r.Lenient))
			row = append(row, rate)
		}
		gap, interval := show.None, show.None
		if g := e.gap("seen - fresh"); g != nil {
			gap, interval = show.Points(g.Value), show.Points(g.Interval.Low)+" to "+show.Points(g.Interval.High)
		}
		rows = append(rows, append(row, gap, interval))
	}
	fmt.Fprintf(b, "\n%s", table.Of(rows).Text())
	if len(r.Changes) > 0 {
		b.WriteString("\n")
		r.table(b, fmt.Sprintf("from %s to %s", r.Epochs[0].Name, r.Epochs[len(r.Epochs)-1].Name), r.Changes)
	}
}
