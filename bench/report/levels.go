package report

import "ein/internal/chart"

func buildLevels(r *Report, s *Section) error {
	if len(r.Arms) == 0 {
		return nil
	}
	columns := []Column{{"l1", "L1", Percent}, {"l2", "L2", Percent}, {"l3", "L3", Percent}, {"all", "all", Percent}, {"slope", "slope", Points}}
	levels := []string{"L1", "L2", "L3"}
	f := &chart.Figure{
		ID: "levels", Title: "Accuracy by level", Kind: chart.Dots, Rows: armRows(r.Arms),
		Caption: "Accuracy (" + r.Options.Scoring() + ") of each model and mode by compositional level, with 95 % intervals.",
		X:       chart.Axis{Label: "accuracy (%)", Min: 0, Max: 100},
		Panels:  []chart.Panel{{Series: []chart.Series{{Name: "L1"}, {Name: "L2"}, {Name: "L3"}}}},
	}
	t, err := armTable("levels", "Accuracy by level",
		"Accuracy ("+r.Options.Scoring()+") by compositional level. Slope: L1 less L3, with the interval of Newcombe; a slope whose interval has 0 in it is not shown to be one.",
		r.Arms, columns, func(a *Arm) ([]chart.Value, error) {
			var cells []chart.Value
			for i, l := range levels {
				v := share(level(a.scored, l), r.right)
				cells = append(cells, v)
				series := &f.Panels[0].Series[i]
				series.Points = append(series.Points, chart.Point{X: v})
			}
			return append(cells, share(a.scored, r.right), drop(level(a.scored, "L1"), level(a.scored, "L3"), r.right)), nil
		})
	t.Paper = "main"
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
	return err
}
