package report

import (
	"cmp"
	"slices"
	"strings"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/internal/chart"
	"ein/internal/lists"
)

// outcomeStyles are indices into the palette; right answers are blue.
var outcomeStyles = map[answer.Outcome]int{
	answer.StrictlyRight: 1,
	answer.LenientOnly:   6,
	answer.RelaxedOnly:   12,
	answer.Wrong:         2,
	answer.FormatError:   7,
	answer.NoAnswer:      8,
	verdict.ParseError:   5,
	verdict.TypeError:    4,
	verdict.NoProgram:    3,
	verdict.OverLimit:    9,
	verdict.RuntimeError: 10,
	verdict.BadOutput:    11,
}

// outcomeNames holds the displayed names of the outcomes.
var outcomeNames = map[answer.Outcome]string{
	answer.StrictlyRight: "strict",
	answer.LenientOnly:   "lenient only",
	answer.RelaxedOnly:   "relaxed only",
}

func outcomeName(o answer.Outcome) string {
	return cmp.Or(outcomeNames[o], strings.ReplaceAll(string(o), "_", " "))
}

// buildOutcomes lists all outcomes of answers, so that reports can be compared, and those of
// programs that occur.
func buildOutcomes(r *Report, s *Section) error {
	outcomes := slices.DeleteFunc(answer.Outcomes(), func(o answer.Outcome) bool { return o == answer.InfraError })
	for _, o := range verdict.Outcomes() {
		occurs := func(a *Arm) bool {
			return slices.ContainsFunc(a.scored, func(it *run.Row) bool { return it.Score.Outcome == o })
		}
		if !slices.Contains(outcomes, o) && o != answer.InfraError && slices.ContainsFunc(r.Arms, occurs) {
			outcomes = append(outcomes, o)
		}
	}
	columns := lists.Map(outcomes, func(o answer.Outcome) Column { return Column{string(o), outcomeName(o), Percent} })
	columns = append(columns, Column{"scored", "scored", Number}, Column{"infra_error", "infra errors", Number}, Column{"missing", "missing", Number})
	const caption = "What became of the replies, in percent of those scored."
	t := armTable("outcomes", "Outcomes",
		caption+" The last columns are counts: replies with an outcome, those lost to infrastructure errors, and questions without a scored reply.",
		r.Arms, columns, func(a *Arm) []chart.Value {
			cells := lists.Map(outcomes, func(o answer.Outcome) chart.Value {
				return share(a.scored, func(it *run.Row) bool { return it.Score.Outcome == o })
			})
			return append(cells, chart.Exact(float64(len(a.scored))), chart.Exact(float64(a.infra)), chart.Exact(float64(a.Missing()+a.bare)))
		})
	f := t.figure(chart.Stack, len(outcomes), "replies (%)", caption)
	for i, o := range outcomes {
		f.Panels[0].Series[i].Style = outcomeStyles[o]
	}
	t.Paper = "format_error"
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
	return nil
}
