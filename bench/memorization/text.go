package memorization

import (
	"fmt"
	"strconv"
	"strings"

	"ein/bench/stats"
)

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	for i := range r.Epochs {
		if i > 0 {
			b.WriteString("\n")
		}
		r.epoch(&b, &r.Epochs[i])
	}
	if len(r.Epochs) > 1 {
		r.overEpochs(&b)
	}
	scored := "strict"
	if r.Lenient {
		scored = "lenient"
	}
	fmt.Fprintf(&b, "\nGaps are of %s accuracy, in points. Paired ones have intervals by Tango and\nMcNemar's mid-p, unpaired ones intervals by Newcombe and the z test, the others\n"+
		"cluster-robust errors; Holm adjusts p for the gaps of a table. \"Least\" is the\nsmallest gap that as many answers show with a power of %s.\n", scored, percent(r.Power))
	return b.String()
}

func (r *Report) epoch(b *strings.Builder, e *EpochReport) {
	confidence := percent(1 - r.Alpha)
	rows := [][]string{{e.Name, "asked", "no reply", "infra", "clashes", "strict %", confidence, "lenient %", confidence}}
	for _, c := range e.Cells {
		row := []string{string(c.Cell), strconv.Itoa(c.Asked), strconv.Itoa(c.Missing), strconv.Itoa(c.Infra), strconv.Itoa(c.Clashes)}
		row = append(row, share(c.Strict)...)
		rows = append(rows, append(row, share(c.Lenient)...))
	}
	align(b, rows)
	b.WriteString("\n")
	r.table(b, "gap", e.Gaps)
}

func (r *Report) table(b *strings.Builder, title string, list []Gap) {
	if len(list) == 0 {
		fmt.Fprintf(b, "There is no %s: there are answers to one cell only.\n", title)
		return
	}
	rows := [][]string{{title, "", "points", percent(1 - r.Alpha), "p", "Holm", "least", "method"}}
	for _, g := range list {
		rows = append(rows, []string{g.Name, g.Meaning, signed(g.Value), signed(g.Interval.Low) + " to " + signed(g.Interval.High),
			probability(g.P), probability(g.Holm), strconv.FormatFloat(100*g.MinimumEffect, 'f', 1, 64), g.Method})
	}
	align(b, rows)
}

// overEpochs is the gap that the cells are for, epoch by epoch, and what has become of
// all gaps.
func (r *Report) overEpochs(b *strings.Builder) {
	rows := [][]string{{"epoch"}}
	for _, c := range r.Epochs[0].Cells {
		rows[0] = append(rows[0], string(c.Cell)+" %")
	}
	rows[0] = append(rows[0], "seen - fresh", percent(1-r.Alpha))
	for _, e := range r.Epochs {
		row := []string{e.Name}
		for _, of := range r.Epochs[0].Cells {
			cell := "-"
			for _, c := range e.Cells {
				s := c.Strict
				if r.Lenient {
					s = c.Lenient
				}
				if c.Cell == of.Cell && s != nil {
					cell = strconv.FormatFloat(100*s.Rate, 'f', 1, 64)
				}
			}
			row = append(row, cell)
		}
		gap, interval := "-", "-"
		for _, g := range e.Gaps {
			if g.Name == "seen - fresh" {
				gap, interval = signed(g.Value), signed(g.Interval.Low)+" to "+signed(g.Interval.High)
			}
		}
		rows = append(rows, append(row, gap, interval))
	}
	b.WriteString("\n")
	align(b, rows)
	if len(r.Changes) > 0 {
		b.WriteString("\n")
		r.table(b, fmt.Sprintf("from %s to %s", r.Epochs[0].Name, r.Epochs[len(r.Epochs)-1].Name), r.Changes)
	}
}

func share(s *stats.Share) []string {
	if s == nil {
		return []string{"-", "-"}
	}
	f := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) }
	return []string{f(s.Rate), f(s.Interval.Low) + "-" + f(s.Interval.High)}
}

// percent is a round share.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 4, 64) + " %" }

// signed is a difference of shares in points.
func signed(x float64) string {
	switch s := strconv.FormatFloat(100*x, 'f', 1, 64); {
	case s == "-0.0":
		return "0.0"
	case s != "0.0" && x > 0:
		return "+" + s
	default:
		return s
	}
}

func probability(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// align writes columns: to the right, but for the first and those that begin with a
// letter all the way down.
func align(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	left := make([]bool, len(rows[0]))
	for i := range width {
		left[i] = true
		for at, row := range rows {
			width[i] = max(width[i], len(row[i]))
			if at > 0 && (row[i] == "" || row[i][0] < 'a' || row[i][0] > 'z') {
				left[i] = false
			}
		}
	}
	left[0] = true
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			if left[i] {
				fmt.Fprintf(&line, "%-*s", width[i], cell)
			} else {
				fmt.Fprintf(&line, "%*s", width[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
