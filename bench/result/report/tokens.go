package report

import (
	"slices"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/stats"
)

// counted reports whether a provider reported the tokens of an arm.
func (a *Arm) counted() bool {
	return slices.ContainsFunc(a.scored, func(it *run.Row) bool { return it.Spent().Counted })
}

func (a *Arm) priced() bool { return a.Run.Config.Price != nil && a.counted() }

// usage is a figure of an answer by its tokens.
func usage(of func(*model.Usage) int64) func(*run.Row) float64 {
	return func(it *run.Row) float64 {
		u := it.Spent().Usage
		return float64(of(&u))
	}
}

// The parts of what a reply takes. The output has the reasoning in it.
var (
	inputTokens     = usage(func(u *model.Usage) int64 { return u.Input })
	visibleTokens   = usage(func(u *model.Usage) int64 { return u.Output - u.Reasoning })
	reasoningTokens = usage(func(u *model.Usage) int64 { return u.Reasoning })
	outputTokens    = usage(func(u *model.Usage) int64 { return u.Output })
)

// spent returns the items whose tokens are counted: those of the others are not 0.
func spent(items []*run.Row) []*run.Row {
	return only(items, func(it *run.Row) bool { return it.Spent().Counted })
}

func one(*run.Row) float64 { return 1 }

func cost(it *run.Row) float64 { return it.Spent().Cost }

func (r *Report) correct(it *run.Row) float64 { return stats.One(r.right(it)) }

// buildTokens describes the arms of which tokens are counted and, where there are prices, their
// costs.
func buildTokens(r *Report, s *Section) error {
	if !slices.ContainsFunc(r.Arms, (*Arm).counted) {
		return nil
	}
	each := []ratio{
		{inputTokens, one, Column{"input", "input", Tokens}},
		{visibleTokens, one, Column{"visible", "visible", Tokens}},
		{reasoningTokens, one, Column{"reasoning", "reasoning", Tokens}},
		{outputTokens, one, Column{"output", "output", Tokens}},
		{outputTokens, r.correct, Column{"output_correct", "output per correct", Tokens}},
	}
	t := r.ratios("tokens", "Tokens per answer and per correct answer",
		"Mean tokens per answer as the provider counts them, where output is visible plus reasoning, and output tokens per correct answer ("+r.Options.Scoring()+"). 95 % intervals by a jackknife over structures. Replies whose tokens the provider did not count, or only in part, are left out; – means that it counts nothing, or that nothing is correct.",
		each, (*Arm).counted)
	t.Paper = "token_cost"
	t.Columns = append(t.Columns, Column{"accuracy", "accuracy", Percent})
	for i, a := range r.Arms {
		t.Rows[i].Cells = append(t.Rows[i].Cells, share(a.scored, r.right))
	}
	s.Tables = append(s.Tables, t, r.tokensByLevel())
	if slices.ContainsFunc(r.Arms, (*Arm).priced) {
		t := r.ratios("cost", "Cost per answer and per correct answer",
			"Dollars per 1,000 answers at the run's prices, and per 1,000 correct answers ("+r.Options.Scoring()+"). 95 % intervals by a jackknife over structures.",
			[]ratio{
				{func(it *run.Row) float64 { return 1000 * cost(it) }, one, Column{"answers", "1,000 answers", Dollars}},
				{func(it *run.Row) float64 { return 1000 * cost(it) }, r.correct, Column{"correct", "1,000 correct", Dollars}},
			}, (*Arm).priced)
		s.Tables = append(s.Tables, t)
	}
	s.Figures = append(s.Figures, r.plane(t))
	return nil
}

// tokensByLevel tabulates the tokens of a reply on each level, and how often replies correct
// themselves.
func (r *Report) tokensByLevel() *Table {
	t := &Table{ID: "tokens-levels", Title: "Tokens and corrections by level", Keys: []string{"model, mode", "level"},
		Columns: []Column{{"input", "prompt", Tokens}, {"reasoning", "reasoning", Tokens}, {"visible", "reply", Tokens}, {"corrects", "corrects itself", Percent}},
		Caption: "Mean tokens per answer by level, with 95 % intervals by a jackknife over structures, and the share of replies that correct themselves on the way, as in \"Wait, let me recount\", judged by the words of the reply and of its reasoning where it is kept."}
	for _, a := range r.Arms {
		for _, l := range r.levels() {
			items := level(a.scored, l)
			row := Row{Keys: []string{a.Name, l}}
			for _, of := range []func(*run.Row) float64{inputTokens, reasoningTokens, visibleTokens} {
				row.Cells = append(row.Cells, per(spent(items), of, one))
			}
			t.Rows = append(t.Rows, Row{Keys: row.Keys, Cells: append(row.Cells, share(items, func(it *run.Row) bool { return it.Corrects() }))})
		}
	}
	return t
}

// ratio is a column whose cells are ratios of sums.
type ratio struct {
	num, per func(*run.Row) float64
	column   Column
}

// ratios tabulates ratios; the cells of arms without the data are missing.
func (r *Report) ratios(id, title, caption string, parts []ratio, has func(*Arm) bool) *Table {
	columns := lists.Map(parts, func(p ratio) Column { return p.column })
	return armTable(id, title, caption, r.Arms, columns, func(a *Arm) (cells []chart.Value) {
		for _, p := range parts {
			v := chart.Missing()
			if has(a) {
				v = per(spent(a.scored), p.num, p.per)
			}
			cells = append(cells, v)
		}
		return cells
	})
}
