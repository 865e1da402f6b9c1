package report

import (
	"errors"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/sensitivity"
	"ein/bench/question/summary"
	"ein/bench/result/compare"
	"ein/internal/chart"
	"ein/internal/lists"
)

// buildCategories compares the arms by category, and each category with the best that a constant
// answer can do.
func buildCategories(r *Report, s *Section) error {
	present := map[string]string{} // levels
	for _, a := range r.Arms {
		for _, it := range a.all {
			present[it.Instance.Category] = it.Instance.Level
		}
	}
	t := &Table{
		ID: "categories", Title: "Accuracy by category", Keys: []string{"level", "category"}, Paper: "percategory",
		Caption: "Accuracy (" + r.Options.Scoring() + ") by category. With a few dozen answers each, intervals are wide, and about one in 20 misses the true value. Majority is the share of questions whose answer is the most common one of the category, up to labels: the accuracy of always giving that answer.",
	}
	t.Columns = lists.Map(r.Arms, func(a *Arm) Column { return Column{a.Name, a.Name, Percent} })
	constants := &Table{
		ID: "constants", Title: "Best constant answers", Keys: []string{"level", "category"},
		Caption: "How often the best constant answer of a category is right under each scoring: the accuracy to beat. Nodes are given by position; an answer may also be all labels, or the node that the question names.",
	}
	constants.Columns = lists.Map(answer.Modes(), func(m answer.Mode) Column { return Column{string(m), string(m), Percent} })
	q, err := r.described()
	if err != nil {
		return err
	}
	t.Columns = append(t.Columns, Column{"majority", "majority", Percent})
	for _, c := range category.Table {
		l, ok := present[c.Name]
		if !ok {
			continue
		}
		line := Row{Keys: []string{l, c.Name}}
		line.Cells = lists.Map(r.Arms, func(a *Arm) chart.Value {
			return share(only(a.scored, func(it *run.Row) bool { return it.Instance.Category == c.Name }), r.right)
		})
		g := q.groups[c.Name]
		line.Cells = append(line.Cells, exactly(g, func() float64 { return g.Majority }))
		t.Rows = append(t.Rows, line)
		best := lists.Map(answer.Modes(), func(m answer.Mode) chart.Value {
			return exactly(g, func() float64 { return g.Constants[m].Share })
		})
		constants.Rows = append(constants.Rows, Row{Keys: line.Keys, Cells: best})
	}
	s.Tables = append(s.Tables, t, constants)
	s.Figures = append(s.Figures, t.figure(chart.Heat, len(r.Arms), "accuracy (%)", "Accuracy ("+r.Options.Scoring()+", %) by category. The intervals are in the table."))
	return nil
}

// exactly returns a share of the questions of a group, missing without a group.
func exactly(g *summary.Group, share func() float64) chart.Value {
	if g == nil {
		return chart.Missing()
	}
	v := chart.Exact(100 * share())
	v.N = g.Instances
	return v
}

// questions describes the questions that any arm was asked: their categories and levels, as far as
// the answers can be read, and the sensitivity of each.
type questions struct {
	groups      map[string]*summary.Group
	sensitivity map[string]float64 // by the id without the encoding
}

// described reads all questions, once.
func (r *Report) described() (*questions, error) {
	if r.Options.Before != nil && r.asked == nil {
		r.asked = r.Options.Before.asked
	}
	if r.asked != nil {
		return r.asked, nil
	}
	q := &questions{map[string]*summary.Group{}, map[string]float64{}}
	seen := map[string]bool{}
	var lost error
	enough := errors.New("enough")
	edits := func(in *instance.Instance) (*sensitivity.Result, error) {
		if len(q.sensitivity) == compare.MostSensitivities {
			return nil, nil
		}
		s, err := sensitivity.Of(in)
		if err == nil {
			q.sensitivity[instance.Base(in.ID)] = s.Share
		}
		return s, err
	}
	found, err := summary.Brief(func(yield func(*instance.Instance, error) bool) {
		for _, x := range r.Runs {
			lost = x.Instances(func(in *instance.Instance) error {
				switch id := instance.Base(in.ID); {
				case seen[id]:
				case !yield(in, nil):
					return enough
				default:
					seen[id] = true
				}
				return nil
			})
			if lost != nil {
				return
			}
		}
	}, edits, false)
	if lost != nil && !errors.Is(lost, enough) {
		return nil, lost
	}
	if err == nil {
		for _, g := range slices.Concat(found.Categories, found.Levels) {
			q.groups[g.Name] = g
		}
	}
	r.asked = q
	return q, nil
}
