package report

import (
	"ein/bench/ask/run"
	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/stats"
)

// alike returns the share of groups with several answers in which all are right or all are wrong.
func (r *Report) alike(items []*run.Row, by func(*run.Row) uint64) chart.Value {
	var values []float64
	var clusters []uint64
	groups, _ := r.samples(items, by)
	for _, g := range groups {
		if g.n > 1 {
			values, clusters = append(values, stats.One(g.right == 0 || g.right == g.n)), append(clusters, g.cluster)
		}
	}
	return percent(stats.ShareOf(values, clusters, stats.Confidence))
}

// components divides the variance of being right between structures, wordings and samples.
func (r *Report) components(items []*run.Row) stats.Components {
	values, structures, surfaces := make([]float64, len(items)), make([]uint64, len(items)), make([]uint64, len(items))
	for i, it := range items {
		values[i], structures[i], surfaces[i] = r.correct(it), it.Structure(), it.Surface()
	}
	return stats.Nested(values, structures, surfaces)
}

// buildReliability describes the arms in which a structure was asked more than once.
func buildReliability(r *Report, s *Section) error {
	t := &Table{
		ID: "reliability", Title: "Reliability: one structure, several wordings and samples", Keys: []string{"model, mode"},
		Columns: []Column{{"structures", "structures", Number}, {"accuracy", "accuracy", Percent}, {"surfaces", "alike over wordings", Percent}, {"samples", "alike over samples", Percent},
			{"structure", "variance: structure", Percent}, {"wording", "variance: wording", Percent}, {"sampling", "variance: sampling", Percent}},
		Caption: "For runs that asked a structure under several surfaces (--surfaces) or several times (--samples). The interval of accuracy (" + r.Options.Scoring() + ") includes the variation from wording and sampling, since all answers about a structure form one cluster. " +
			"Alike is the share of structures whose wordings are all right or all wrong, for the same sample, and the share of questions whose samples are all right or all wrong. " +
			"The variance of a single answer is divided among structures, wordings of a structure, and samples of a wording. Without samples, the share of wording includes chance.",
	}
	for _, a := range r.Arms {
		c := r.components(a.scored)
		if !c.Surfaces && !c.Answers {
			continue
		}
		part := func(x float64, known bool) chart.Value {
			if !known || c.Total() == 0 {
				return chart.Missing()
			}
			return chart.Exact(100 * x / c.Total())
		}
		structures := lists.Set(lists.Map(a.scored, (*run.Row).Structure))
		row := Row{Keys: []string{a.Name}, Cells: []chart.Value{chart.Exact(float64(len(structures))), share(a.scored, r.right), chart.Missing(), chart.Missing(),
			part(c.Structure, true), part(c.Surface, c.Surfaces), part(c.Answer, c.Answers)}}
		if c.Surfaces {
			row.Cells[2] = r.alike(a.scored, func(it *run.Row) uint64 { return uint64(it.Sample) })
		}
		if c.Answers {
			row.Cells[3] = r.alike(a.scored, (*run.Row).Surface)
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = append(s.Tables, t)
	return nil
}
