package report

import (
	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/internal/chart"
)

// buildScoring shows how much of the accuracy depends on the mode of scoring.
func buildScoring(r *Report, s *Section) error {
	t := armTable("scoring", "Strict against lenient and relaxed",
		"Accuracy under the three scorings of the same replies. The gaps are the shares of replies that are right only with another value, or only in another container.",
		r.Arms, []Column{{"strict", "strict", Percent}, {"lenient", "lenient", Percent}, {"gap", "gap", Points}, {"relaxed", "relaxed", Percent}, {"container", "gap", Points}},
		func(a *Arm) []chart.Value {
			return []chart.Value{
				share(a.scored, func(it *run.Row) bool { return it.Score.Strict }),
				share(a.scored, func(it *run.Row) bool { return it.Score.Lenient }),
				share(a.scored, func(it *run.Row) bool { return it.Score.Outcome == answer.LenientOnly }),
				share(a.scored, func(it *run.Row) bool { return it.Score.In(answer.Relaxed) }),
				share(a.scored, func(it *run.Row) bool { return it.Score.Outcome == answer.RelaxedOnly }),
			}
		})
	t.Paper = "strict_vs_lenient"
	s.Tables = append(s.Tables, t)
	return nil
}
