package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/exec"
)

// Record is what was found about a wrong reply: Program or Direct is set.
type Record struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Level    string          `json:"level"`
	Outcome  answer.Outcome  `json:"outcome"` // "" of a Python program, which is left out
	Answer   json.RawMessage `json:"answer"`
	Program  *Attribution    `json:"program,omitempty"`
	Direct   *Finding        `json:"direct,omitempty"`
}

// The modes of replies.
const (
	modeEin    = "ein"
	modePython = "python"
)

// Reply scores a reply, and attributes it when it is wrong. It is an Ein program
// when its mode says so, or, where there is none, when no answer is in it and a
// program is. What failed is scored and not attributed; nor are Python programs.
func Reply(ctx context.Context, e *exec.Executor, it *exec.Item) (*Record, error) {
	q := it.Question
	rec := &Record{ID: q.ID, Category: q.Category, Level: q.Level}
	switch {
	case it.Error != "":
		rec.Outcome = answer.InfraError
		return rec, nil
	case it.Mode == modePython:
		return rec, nil
	}
	program := it.Mode == modeEin
	if it.Mode == "" {
		if _, err := answer.ParseReply(it.Reply); err != nil {
			_, program = exec.Extract(it.Reply, exec.Ein)
		}
	}
	if program {
		r, err := e.Run(ctx, it.Reply, q)
		if err != nil {
			return nil, err
		}
		rec.Outcome, rec.Answer = r.Outcome, r.Answer
		if r.Outcome != answer.Wrong {
			return rec, nil
		}
		found, err := Program(ctx, e, q, &it.Case, r.Program)
		rec.Program = &found
		return rec, err
	}
	r := answer.Score(it.Reply, &q.Reference, q.Type, q.Category)
	rec.Outcome, rec.Answer = r.Outcome, r.Answer
	if r.Outcome != answer.Wrong {
		return rec, nil
	}
	reply, err := answer.Parse(string(r.Answer))
	if err != nil {
		return nil, fmt.Errorf("%s: what was understood is not understood again: %w", q.ID, err)
	}
	found, err := Direct(ctx, q, &it.Case, it.Program, &reply)
	rec.Direct = &found
	return rec, err
}

// Wrong reports whether a record has a finding.
func (r *Record) Wrong() bool { return r.Program != nil || r.Direct != nil }

// Unexplained is the cause of wrong answers that no misreading gives.
const Unexplained = "unexplained"

// cause is the column of a record.
func (r *Record) cause() string {
	switch {
	case r.Program != nil:
		return string(r.Program.Kind)
	case len(r.Direct.Matches) > 0:
		return string(r.Direct.Matches[0].Error)
	}
	return Unexplained
}

// Row is the wrong replies of a category, by their cause. A direct answer has the
// most specific of those that are found.
type Row struct {
	Name   string         `json:"name"`
	Wrong  int            `json:"wrong"`
	Causes map[string]int `json:"causes"`
}

func (r *Row) add(cause string) {
	r.Wrong++
	r.Causes[cause]++
}

// Part is the findings about programs, or about direct answers.
type Part struct {
	All        *Row   `json:"all"`
	Categories []*Row `json:"categories"`
}

func newPart() *Part { return &Part{All: newRow("all"), Categories: []*Row{}} }

func newRow(name string) *Row { return &Row{Name: name, Causes: map[string]int{}} }

func (p *Part) add(rec *Record) {
	i := slices.IndexFunc(p.Categories, func(r *Row) bool { return r.Name == rec.Category })
	if i < 0 {
		i = len(p.Categories)
		p.Categories = append(p.Categories, newRow(rec.Category))
	}
	p.Categories[i].add(rec.cause())
	p.All.add(rec.cause())
}

func (p *Part) finish() {
	place := func(r *Row) int {
		return slices.IndexFunc(category.Table, func(c category.Category) bool { return c.Name == r.Name })
	}
	slices.SortFunc(p.Categories, func(a, b *Row) int { return place(a) - place(b) })
}

// Report is an error analysis.
type Report struct {
	Version  int                    `json:"version"`
	Outcomes map[answer.Outcome]int `json:"outcomes"`
	LeftOut  int                    `json:"left_out"` // Python programs
	Programs *Part                  `json:"programs"`
	// The edges that wrong programs misread.
	Dropped  int   `json:"dropped"`
	Added    int   `json:"added"`
	Reversed int   `json:"reversed"`
	Direct   *Part `json:"direct"`
	Tried    int   `json:"tried"`   // misreadings, of all direct answers
	Answers  int   `json:"answers"` // different wrong answers that they gave
	*exec.Notes
}

// NewReport is an empty report.
func NewReport() *Report {
	return &Report{Version: 1, Outcomes: map[answer.Outcome]int{}, Programs: newPart(), Direct: newPart()}
}

// Add counts a record.
func (r *Report) Add(rec *Record) {
	if rec.Outcome == "" {
		r.LeftOut++
		return
	}
	r.Outcomes[rec.Outcome]++
	switch {
	case rec.Program != nil:
		r.Programs.add(rec)
		dropped, added, reversed := rec.Program.Edges()
		r.Dropped, r.Added, r.Reversed = r.Dropped+dropped, r.Added+added, r.Reversed+reversed
	case rec.Direct != nil:
		r.Direct.add(rec)
		r.Tried += rec.Direct.Tried
		r.Answers += rec.Direct.Answers
	}
}

// Finish puts the rows in order.
func (r *Report) Finish(notes *exec.Notes) {
	r.Notes = notes
	r.Programs.finish()
	r.Direct.finish()
}

// Text is the tables.
func (r *Report) Text() string {
	var b strings.Builder
	if r.Programs.All.Wrong > 0 {
		var kinds []string
		for _, k := range Kinds() {
			kinds = append(kinds, string(k))
		}
		r.Programs.text(&b, "wrong programs", kinds)
		fmt.Fprintf(&b, "Edges misread: %d dropped, %d added, %d reversed.\n", r.Dropped, r.Added, r.Reversed)
	}
	if n := r.Direct.All.Wrong; n > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		var errors []string
		for _, e := range Errors() {
			errors = append(errors, string(e))
		}
		r.Direct.text(&b, "wrong answers", append(errors, Unexplained))
		fmt.Fprintf(&b, "For each, %.1f misreadings were tried on average, which give %.1f different wrong answers:\nsome agree with a model by chance.\n",
			float64(r.Tried)/float64(n), float64(r.Answers)/float64(n))
	}
	if b.Len() == 0 {
		b.WriteString("No reply is wrong.\n")
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "\nPython programs, which are left out: %d\n", r.LeftOut)
	}
	return b.String()
}

func (p *Part) text(b *strings.Builder, what string, causes []string) {
	fmt.Fprintf(b, "%-22s %6s", what, "n")
	for _, c := range causes {
		fmt.Fprintf(b, "  %*s", max(6, len(c)), c)
	}
	b.WriteString("\n")
	row := func(r *Row, cell func(n int) string) {
		fmt.Fprintf(b, "%-22s %6d", r.Name, r.Wrong)
		for _, c := range causes {
			fmt.Fprintf(b, "  %*s", max(6, len(c)), cell(r.Causes[c]))
		}
		b.WriteString("\n")
	}
	count := func(n int) string { return fmt.Sprint(n) }
	for _, r := range p.Categories {
		row(r, count)
	}
	row(p.All, count)
	share := *p.All
	share.Name = "share"
	row(&share, func(n int) string { return exec.Percent(n, p.All.Wrong) })
}
