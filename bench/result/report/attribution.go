package report

import (
	"fmt"
	"slices"
	"strings"

	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/internal/chart"
	"ein/internal/lists"
)

// causes is a table and a figure of the causes of wrong answers.
type causes struct {
	id, title, caption string
	names              []string
	of                 func(*run.Row) string // "" is not attributed
	extra              []Column
	more               func(wrong []*run.Row) []chart.Value
}

// buildAttribution tells why replies are wrong: programs by running them with the true edges,
// direct answers by the misreadings that give them.
func buildAttribution(r *Report, s *Section) error {
	kinds := lists.Map(verdict.Kinds(), func(k verdict.Kind) string { return string(k) })
	errors := lists.Map(verdict.Errors(), func(e verdict.Error) string { return string(e) })
	r.causes(s, &causes{
		id: "programs", title: "Why wrong programs are wrong",
		caption: "Wrong programs that ran, in percent of those attributed. Each program's graph is compared with the true one, and the program is run again with the true edges. If it is then right, the cause is graph reading; if its edges were already right, it is logic, or query reading if it is right with the nodes asked about; otherwise it is both. Misread edges are counted over all wrong programs.",
		names:   kinds,
		of: func(it *run.Row) string {
			if it.Score.Attribution == nil {
				return ""
			}
			return string(it.Score.Attribution.Kind)
		},
		extra: []Column{{"dropped", "edges dropped", Number}, {"added", "added", Number}, {"reversed", "reversed", Number}},
		more: func(wrong []*run.Row) []chart.Value {
			var dropped, added, reversed int
			for _, it := range wrong {
				d, a, v := it.Score.Attribution.Edges()
				dropped, added, reversed = dropped+d, added+a, reversed+v
			}
			return []chart.Value{chart.Exact(float64(dropped)), chart.Exact(float64(added)), chart.Exact(float64(reversed))}
		},
	})
	r.edges(s)
	r.causes(s, &causes{
		id: "direct", title: "Which misreadings explain wrong answers",
		caption: "Wrong direct answers, in percent of those examined, by the most specific misreading of the question that gives the model's answer. Some match by chance: tried is the mean number of misreadings, answers the mean number of different wrong answers they give. Where few answers are possible, as in Boolean questions, a match says little.",
		names:   append(errors, verdict.Unexplained),
		of: func(it *run.Row) string {
			switch f := it.Score.Finding; {
			case f == nil:
				return ""
			case len(f.Matches) == 0:
				return verdict.Unexplained
			default:
				return string(f.Matches[0].Error)
			}
		},
		extra: []Column{{"tried", "tried", Number}, {"answers", "answers", Number}},
		more: func(wrong []*run.Row) []chart.Value {
			var tried, answers float64
			for _, it := range wrong {
				tried += float64(it.Score.Finding.Tried)
				answers += float64(it.Score.Finding.Answers)
			}
			n := float64(len(wrong))
			return []chart.Value{chart.Exact(tried / n), chart.Exact(answers / n)}
		},
	})
	return nil
}

// edges adds a table of how much of their graphs programs read correctly, whether their answers are
// right or wrong: many a misread edge does not change the answer.
func (r *Report) edges(s *Section) {
	t := &Table{
		ID: "edges-read", Title: "How well programs read graphs", Keys: []string{"model, mode"},
		Caption: "True edges that the programs contain, in percent, for programs whose graph was found, and extra edges per hundred true ones (a reversed edge counts as neither). Lucky programs are right although they misread some edges. Intervals by a jackknife over structures.",
		Columns: []Column{{"n_right", "right programs", Number}, {"right", "edges read right", Percent}, {"right_added", "added", Number}, {"lucky", "lucky", Percent},
			{"n_wrong", "wrong programs", Number}, {"wrong", "edges read right", Percent}, {"wrong_added", "added", Number}},
	}
	edges := func(it *run.Row) float64 { return float64(it.Score.Reading.Edges) }
	read := func(it *run.Row) float64 { return 100 * float64(it.Score.Reading.Right) }
	added := func(it *run.Row) float64 { return 100 * float64(it.Score.Reading.Added) }
	misread := func(it *run.Row) bool { x := it.Score.Reading; return x.Right < x.Edges || x.Added > 0 }
	for _, a := range r.Arms {
		found := only(a.scored, func(it *run.Row) bool { return it.Score.Reading != nil })
		if len(found) == 0 {
			continue
		}
		right := only(found, r.right)
		wrong := only(found, func(it *run.Row) bool { return !r.right(it) })
		t.Rows = append(t.Rows, Row{Keys: []string{a.Name}, Cells: []chart.Value{
			chart.Exact(float64(len(right))), per(right, read, edges), per(right, added, edges), share(right, misread),
			chart.Exact(float64(len(wrong))), per(wrong, read, edges), per(wrong, added, edges)}})
	}
	s.Tables = append(s.Tables, t)
}

// causes adds a table and a figure if there is anything in them.
func (r *Report) causes(s *Section, c *causes) {
	t := &Table{ID: "attribution-" + c.id, Title: c.title, Caption: c.caption, Keys: []string{"model, mode"}}
	t.Columns = lists.Map(c.names, func(n string) Column { return Column{n, strings.ReplaceAll(n, "_", " "), Percent} })
	t.Columns = append(t.Columns, Column{"n", "attributed", Number}, Column{"wrong", "of wrong", Number})
	t.Columns = append(t.Columns, c.extra...)
	for _, a := range r.Arms {
		wrong := only(a.scored, func(it *run.Row) bool { return it.Score.Outcome == answer.Wrong })
		known := only(wrong, func(it *run.Row) bool { return c.of(it) != "" })
		if len(known) == 0 {
			continue
		}
		row := Row{Keys: []string{a.Name}}
		row.Cells = lists.Map(c.names, func(n string) chart.Value { return share(known, func(it *run.Row) bool { return c.of(it) == n }) })
		row.Cells = append(row.Cells, chart.Exact(float64(len(known))), chart.Exact(float64(len(wrong))))
		row.Cells = append(row.Cells, c.more(known)...)
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return
	}
	f := t.figure(chart.Stack, len(c.names), "wrong answers (%)", c.caption)
	for i := range f.Rows {
		f.Rows[i] += fmt.Sprintf(" (n = %.0f)", t.Rows[i].Cells[len(c.names)].V)
	}
	if i := slices.Index(c.names, verdict.Unexplained); i >= 0 {
		f.Panels[0].Series[i].Style = 8 // grey
	}
	s.Tables, s.Figures = append(s.Tables, t), append(s.Figures, f)
}
