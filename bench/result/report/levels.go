package report

import "ein/internal/chart"

func buildLevels(r *Report, s *Section) error {
	if len(r.Arms) == 0 {
		return nil
	}
	t := armTable("levels", "Accuracy by level",
		"Accuracy ("+r.Options.Scoring()+") by compositional level. Slope: L1 less L3, with the interval of Newcombe; a slope whose interval has 0 in it is not shown to be one.",
		r.Arms, []Column{{"l1", "L1", Percent}, {"l2", "L2", Percent}, {"l3", "L3", Percent}, {"all", "all", Percent}, {"slope", "slope", Points}},
		func(a *Arm) []chart.Value {
			l1, l2, l3 := level(a.scored, "L1"), level(a.scored, "L2"), level(a.scored, "L3")
			return []chart.Value{share(l1, r.right), share(l2, r.right), share(l3, r.right), share(a.scored, r.right), drop(l1, l3, r.right)}
		})
	t.Paper = "main"
	s.Tables = append(s.Tables, t)
	s.Figures = append(s.Figures, t.figure(chart.Dots, 3, "accuracy (%)",
		"Accuracy ("+r.Options.Scoring()+") of each model and mode by compositional level, with 95 % intervals."))
	return nil
}
