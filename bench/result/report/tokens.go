package report

import (
	"errors"
	"slices"

	"ein/bench/ask/model"
	"ein/internal/chart"
)

// counted reports whether a provider has said how many tokens an arm took.
func (a *Arm) counted() bool {
	return slices.ContainsFunc(a.scored, func(it item) bool { return it.Reply != nil && it.Reply.Usage != (model.Usage{}) })
}

func (a *Arm) priced() bool { return a.Run.Config.Price != nil && a.counted() }

func usage(of func(*model.Usage) int64) func(*item) float64 {
	return func(it *item) float64 {
		if it.Reply == nil {
			return 0
		}
		return float64(of(&it.Reply.Usage))
	}
}

// The parts of what a reply takes. The output has the reasoning in it.
var (
	inputTokens     = usage(func(u *model.Usage) int64 { return u.Input })
	visibleTokens   = usage(func(u *model.Usage) int64 { return u.Output - u.Reasoning })
	reasoningTokens = usage(func(u *model.Usage) int64 { return u.Reasoning })
	outputTokens    = usage(func(u *model.Usage) int64 { return u.Output })
)

func one(*item) float64 { return 1 }

func cost(it *item) float64 {
	if it.Reply == nil {
		return 0
	}
	return it.Reply.Cost
}

func (r *Report) correct(it *item) float64 {
	if r.right(it) {
		return 1
	}
	return 0
}

func buildTokens(r *Report, s *Section) error {
	if !slices.ContainsFunc(r.Arms, (*Arm).counted) {
		return nil
	}
	each := []ratio{
		{inputTokens, one, Column{"input", "input", Tokens}},
		{visibleTokens, one, Column{"visible", "visible", Tokens}},
		{reasoningTokens, one, Column{"reasoning", "reasoning", Tokens}},
		{outputTokens, one, Column{"output", "output", Tokens}},
		{outputTokens, r.correct, Column{"output_correct", "output for each correct", Tokens}},
	}
	t, err := r.ratios("tokens", "Tokens for each answer and for each correct one",
		"Mean tokens for each answer as the provider counts them, output being visible and reasoning together, and tokens of output for each correct answer ("+r.Options.Scoring()+"). 95 % bootstrap intervals. – where a provider counts nothing, or nothing is correct.",
		each, (*Arm).counted)
	if err != nil {
		return err
	}
	t.Paper = "token_cost"
	t.Columns = append(t.Columns, Column{"accuracy", "accuracy", Percent})
	for i, a := range r.Arms {
		t.Rows[i].Cells = append(t.Rows[i].Cells, share(a.scored, r.right))
	}
	s.Tables = append(s.Tables, t)
	if slices.ContainsFunc(r.Arms, (*Arm).priced) {
		t, err := r.ratios("cost", "Cost for each answer and for each correct one",
			"Dollars for 1,000 answers at the prices of the run, and for 1,000 correct ones ("+r.Options.Scoring()+"). 95 % bootstrap intervals.",
			[]ratio{
				{func(it *item) float64 { return 1000 * cost(it) }, one, Column{"answers", "1,000 answers", Dollars}},
				{func(it *item) float64 { return 1000 * cost(it) }, r.correct, Column{"correct", "1,000 correct", Dollars}},
			}, (*Arm).priced)
		if err != nil {
			return err
		}
		s.Tables = append(s.Tables, t)
	}
	s.Figures = append(s.Figures, r.plane(t))
	return nil
}

// ratio is a column of a ratio of sums.
type ratio struct {
	num, per func(*item) float64
	column   Column
}

// ratios is a table of ratios, missing in arms without their data.
func (r *Report) ratios(id, title, caption string, parts []ratio, has func(*Arm) bool) (*Table, error) {
	var columns []Column
	for _, p := range parts {
		columns = append(columns, p.column)
	}
	var failed error
	t := armTable(id, title, caption, r.Arms, columns, func(a *Arm) (cells []chart.Value) {
		for _, p := range parts {
			v := chart.Missing()
			if has(a) {
				var err error
				v, err = r.per(a.scored, p.num, p.per)
				failed = errors.Join(failed, err)
			}
			cells = append(cells, v)
		}
		return cells
	})
	return t, failed
}
