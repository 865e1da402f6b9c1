package report

import (
	"fmt"

	"ein/bench/category"
	"ein/bench/census"
	"ein/bench/instance"
	"ein/internal/chart"
)

func buildCategories(r *Report, s *Section) error {
	type row struct{ level, name string }
	present := map[string]string{}
	for _, a := range r.Arms {
		for i := range a.all {
			present[a.all[i].Instance.Category] = a.all[i].Instance.Level
		}
	}
	var rows []row
	for i := range category.Table {
		if l, ok := present[category.Table[i].Name]; ok {
			rows = append(rows, row{l, category.Table[i].Name})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	t := &Table{
		ID: "categories", Title: "Accuracy by category", Keys: []string{"level", "category"}, Paper: "percategory",
		Caption: "Accuracy (" + r.Options.Scoring() + ") by category. With some dozens of answers each, intervals are wide: among 26 categories, one outside of what is true is to be expected. Majority is the share of questions whose answer is the most common one of the category, up to the labels: who always gives it is right as often.",
	}
	f := &chart.Figure{
		ID: "categories", Title: "Accuracy by category", Kind: chart.Heat,
		Caption: "Accuracy (" + r.Options.Scoring() + ", %) by category. The intervals are in the table.",
		X:       chart.Axis{Label: "accuracy (%)", Min: 0, Max: 100}, Panels: []chart.Panel{{}},
	}
	for i, a := range r.Arms {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("arm%d", i+1), a.Name, Percent})
		f.Panels[0].Series = append(f.Panels[0].Series, chart.Series{Name: a.Name})
	}
	majority := r.majority()
	t.Columns = append(t.Columns, Column{"majority", "majority", Percent})
	for _, c := range rows {
		line := Row{Keys: []string{c.level, c.name}}
		f.Rows = append(f.Rows, chart.Row{Name: c.level + "  " + c.name})
		for i, a := range r.Arms {
			v := share(only(a.scored, func(it *item) bool { return it.Instance.Category == c.name }), r.right)
			line.Cells = append(line.Cells, v)
			f.Panels[0].Series[i].Points = append(f.Panels[0].Series[i].Points, chart.Point{X: v})
		}
		line.Cells = append(line.Cells, majority(c.name))
		t.Rows = append(t.Rows, line)
	}
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
	return nil
}

// majority is the share of the most common answer of each category, over all
// questions that were asked of any arm; missing where answers cannot be read.
func (r *Report) majority() func(category string) chart.Value {
	seen := map[string]bool{}
	var list []*instance.Instance
	for _, a := range r.Arms {
		for i := range a.all {
			if it := &a.all[i]; !seen[it.base] {
				seen[it.base] = true
				list = append(list, it.Instance)
			}
		}
	}
	found, err := census.Collect(func(yield func(*instance.Instance, error) bool) {
		for _, in := range list {
			if !yield(in, nil) {
				return
			}
		}
	})
	return func(category string) chart.Value {
		if err == nil {
			for _, g := range found.Categories {
				if g.Name == category {
					v := chart.Exact(100 * g.Majority)
					v.N = g.Instances
					return v
				}
			}
		}
		return chart.Missing()
	}
}
