package report

import (
	"ein/bench/question/answer"
	"ein/internal/chart"
)

func buildScoring(r *Report, s *Section) error {
	if len(r.Arms) == 0 {
		return nil
	}
	t := armTable("scoring", "Strict against lenient",
		"Accuracy under both scorings of the same replies. The gap is the share that is right only leniently.",
		r.Arms, []Column{{"strict", "strict", Percent}, {"lenient", "lenient", Percent}, {"gap", "gap", Points}},
		func(a *Arm) []chart.Value {
			return []chart.Value{
				share(a.scored, func(it *item) bool { return it.Score.Strict }),
				share(a.scored, func(it *item) bool { return it.Score.Lenient }),
				share(a.scored, func(it *item) bool { return it.Score.Outcome == answer.LenientOnly }),
			}
		})
	t.Paper = "strict_vs_lenient"
	s.Tables = append(s.Tables, t)
	return nil
}
