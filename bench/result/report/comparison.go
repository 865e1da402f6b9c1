package report

import (
	"fmt"
	"math"

	"ein/bench/question/answer"
	"ein/bench/result/compare"
	"ein/internal/chart"
	"ein/internal/stats"
)

// buildComparison compares every two arms on the questions that both answered.
func buildComparison(r *Report, s *Section) error {
	var entries []compare.Entry
	for _, a := range r.Arms {
		if len(a.scored) > 0 && a.bare == 0 { // the notes tell of the others
			entries = append(entries, compare.Entry{Name: a.Name, Run: a.Run, Side: compare.Side{Mode: a.Mode, Encoding: a.Encoding}})
		}
	}
	if len(entries) < 2 {
		return nil
	}
	mode := answer.Counted(r.Options.Lenient)
	b, err := compare.NewBoard(entries, mode, compare.Options{Alpha: r.Options.Alpha})
	if err != nil {
		return err
	}
	r.Board = b
	count := func(n int) chart.Value { return chart.Exact(float64(n)) }
	board := &Table{ID: "leaderboard", Title: "Leaderboard", Keys: []string{"model, mode"},
		Columns: []Column{{"best", "best rank", Number}, {"worst", "worst rank", Number}, {"accuracy", "accuracy", Percent}, {"missing", "missing", Number}},
		Caption: fmt.Sprintf("By accuracy (%s) over everything answered. Best and worst rank follow from paired tests: one plus the number of rows that are better, and the number of all rows minus those that are worse, at a level of %g after Holm's correction for all pairs.", r.Options.Scoring(), b.Alpha)}
	for i := range b.Standings {
		x := &b.Standings[i]
		board.Rows = append(board.Rows, Row{Keys: []string{x.Name}, Cells: []chart.Value{count(x.Best), count(x.Worst), percent(x.In(mode)), count(x.Missing + x.Infra)}})
	}
	t := &Table{ID: "differences", Title: "Differences, paired by question", Keys: []string{"A", "B"},
		Columns: []Column{{"difference", "A less B", Points}, {"only_a", "only A right", Number}, {"only_b", "only B right", Number}, {"p", "p", Probability}, {"holm", "p, Holm", Probability}},
		Caption: "Accuracy (" + r.Options.Scoring() + ") of A minus that of B over the questions and samples that both answered, with 95 % intervals by Tango at the effective number of pairs. p is McNemar's mid-p, or that of the sign-flip test over structures where some have several pairs; Holm adjusts it for all pairs of the table. – means that no question was asked of both."}
	for i := range b.Pairs {
		x := &b.Pairs[i]
		row := Row{Keys: []string{b.Standings[x.A].Name, b.Standings[x.B].Name}, Cells: []chart.Value{chart.Missing(), chart.Missing(), chart.Missing(), chart.Missing(), chart.Missing()}}
		if x.Pairs > 0 {
			row.Cells = []chart.Value{points(*x.Difference, x.Interval, x.Pairs), count(x.OnlyA), count(x.OnlyB), chart.Exact(*x.P), chart.Exact(*x.Holm)}
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = append(s.Tables, board, t)
	return nil
}

// points converts a share, or a difference of shares, to points; NaN is missing.
func points(d float64, i stats.Interval, n int) chart.Value {
	if math.IsNaN(d) {
		return chart.Missing()
	}
	return chart.Value{V: 100 * d, Low: 100 * i.Low, High: 100 * i.High, N: n}
}
