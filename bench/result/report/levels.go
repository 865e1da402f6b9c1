package report

import (
	"fmt"

	"ein/bench/ask/run"
	"ein/bench/result/compare"
	"ein/internal/chart"
	"ein/internal/stats"
)

// levels states the mean sensitivity on the first and the last level.
func (q *questions) levels() string {
	l1, l3 := q.groups["L1"], q.groups["L3"]
	if l1 == nil || l3 == nil {
		return ""
	}
	of := ""
	if len(q.sensitivity) == compare.MostSensitivities {
		of = fmt.Sprintf("; of the first %d questions", compare.MostSensitivities)
	}
	return fmt.Sprintf(" (%.0f %% of single edges at L1, %.0f %% at L3%s)", 100*l1.Sensitivity.Mean, 100*l3.Sensitivity.Mean, of)
}

// likeSensitive returns the accuracy of a less that of b among questions of like sensitivity; it is
// missing if none has a known sensitivity.
func (r *Report) likeSensitive(q *questions, a, b []*run.Row) chart.Value {
	known := func(items []*run.Row) (list []compare.Answer[uint64]) {
		for _, it := range items {
			if share, ok := q.sensitivity[baseOf(it)]; ok {
				list = append(list, compare.Answer[uint64]{Cluster: it.Structure(), Sensitivity: share, Right: r.correct(it)})
			}
		}
		return list
	}
	e, n := compare.Like(known(a), known(b))
	return points(e.Value, e.Interval(stats.Confidence).Within(1), n)
}

// buildLevels compares the levels: as they are, and among questions whose answers depend on the
// edges alike.
func buildLevels(r *Report, s *Section) error {
	q, err := r.described()
	if err != nil {
		return err
	}
	t := armTable("levels", "Accuracy by level",
		"Accuracy ("+r.Options.Scoring()+") by compositional level. Slope: L1 minus L3, with Newcombe's interval: with 0 in it, the slope may be chance. "+
			"Levels differ in how often a misread edge changes an answer"+q.levels()+"; the last column is the slope among questions of equal sensitivity, compared within each tenth (Mantel-Haenszel).",
		r.Arms, []Column{{"l1", "L1", Percent}, {"l2", "L2", Percent}, {"l3", "L3", Percent}, {"all", "all", Percent}, {"slope", "slope", Points}, {"adjusted", "slope, like sensitivity", Points}},
		func(a *Arm) []chart.Value {
			l1, l2, l3 := level(a.scored, "L1"), level(a.scored, "L2"), level(a.scored, "L3")
			return []chart.Value{share(l1, r.right), share(l2, r.right), share(l3, r.right), share(a.scored, r.right), drop(l1, l3, r.right), r.likeSensitive(q, l1, l3)}
		})
	t.Paper = "main"
	s.Tables = append(s.Tables, t, r.missing())
	s.Figures = append(s.Figures, t.figure(chart.Dots, 3, "accuracy (%)",
		"Accuracy ("+r.Options.Scoring()+") of each model and mode by compositional level, with 95 % intervals."))
	return nil
}

// missing tabulates the accuracies that missing answers could lead to: all of them wrong, and all
// right.
func (r *Report) missing() *Table {
	t := &Table{
		ID: "missing", Title: "What missing replies could change", Keys: []string{"model, mode", "level"},
		Columns: []Column{{"missing", "without a score", Number}, {"least", "all wrong", Percent}, {"most", "all right", Percent}},
		Caption: "Accuracy (" + r.Options.Scoring() + ") over all questions asked, if every one without a scored reply counted as wrong, and if it counted as right. Whatever the reason they are missing, the accuracy lies in between.",
	}
	for _, a := range r.Arms {
		for _, l := range append(r.levels(), "all") {
			asked := only(a.all, func(it *run.Row) bool { return l == "all" || it.Instance.Level == l })
			if n := len(only(asked, func(it *run.Row) bool { return !it.Counts() })); n > 0 {
				t.Rows = append(t.Rows, Row{Keys: []string{a.Name, l}, Cells: []chart.Value{chart.Exact(float64(n)),
					share(asked, func(it *run.Row) bool { return it.Counts() && r.right(it) }),
					share(asked, func(it *run.Row) bool { return !it.Counts() || r.right(it) })}})
			}
		}
	}
	return t
}
