// Package report builds the tables and figures of evaluations.
//
// [New] makes a [Report] from runs: sections of tables and figures, as data. Its methods
// render it as HTML, Markdown, LaTeX, CSV or SVG.
//
// An [Arm] is a run in one mode and encoding, and mostly a row of a table. A section is a
// [Builder], a function of the report that adds tables and figures; registry.go lists them
// in order, and a new section is a function and a row there. A [Table] has typed cells with
// intervals, and only the formats turn them into text, so that all formats show the same.
//
// Shares have 95 % Wilson intervals with the effective number of answers of clustered
// ones; ratios of tokens have jackknife intervals over clusters. Missing values are shown
// as missing, and infrastructure errors count in no share. The same runs give the same
// bytes.
//
// A page of HTML is one file that loads nothing. Names, questions and replies come from
// outside: package page escapes them, and a content security policy allows only the page's
// own script. How many replies the page embeds is bounded (browser.go).
package report

import (
	"cmp"
	"fmt"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/result/compare"
	"ein/bench/result/memorization"
	"ein/internal/chart"
	"ein/internal/lists"
)

// Options say what a report counts and shows.
type Options struct {
	Lenient bool // answers count that are right leniently, not only strictly
	Paper   bool // the numbers of the paper beside ours
	// Embed is how many replies the page of HTML has at most, and EmbedBytes how
	// many bytes of their texts; a single text has EmbedText at most. 0 is the
	// default.
	Embed, EmbedBytes, EmbedText int
	// Cells says which question was seen in training, for runs over the cells of
	// package memorization; nil for other runs.
	Cells *memorization.Membership
	Parts memorization.Parts // of the questions of such runs
	// Before is a report of the same runs, whose questions are described already.
	Before *Report
	Alpha  float64 // level of the tests of every two; 0 is the default of package compare
	Only   string  // the one section that is made; "" is all
	// Live is how far runs under way are, above the rest of a page that has no replies.
	Live *Section
}

// The defaults of what a page embeds.
const (
	DefaultEmbed      = 2000
	DefaultEmbedBytes = 16 << 20
	DefaultEmbedText  = 16 << 10
)

// Scoring names what counts as right.
func (o *Options) Scoring() string { return string(answer.Counted(o.Lenient)) }

// Report is everything that is printed.
type Report struct {
	Options  Options
	Runs     []*run.Run
	Arms     []*Arm
	Notes    []string // what a reader has to know before comparing
	Sections []Section
	Board    *compare.Board // of the arms, where there are several

	asked *questions
}

// Section is tables and figures that belong together.
type Section struct {
	ID, Short, Title, Text string
	Tables                 []*Table
	Figures                []*chart.Figure
}

// New makes the report of runs.
func New(runs []*run.Run, opt Options) (*Report, error) {
	opt.Embed, opt.EmbedBytes, opt.EmbedText = cmp.Or(opt.Embed, DefaultEmbed), cmp.Or(opt.EmbedBytes, DefaultEmbedBytes), cmp.Or(opt.EmbedText, DefaultEmbedText)
	r := &Report{Options: opt, Runs: runs, Arms: arms(runs)}
	r.Notes = notes(r)
	for _, b := range Registry {
		if opt.Only != "" && opt.Only != b.ID {
			continue
		}
		s := Section{ID: b.ID, Short: b.Short, Title: b.Title, Text: b.Text}
		if err := b.build(r, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", b.ID, err)
		}
		s.Tables = slices.DeleteFunc(s.Tables, func(t *Table) bool { return len(t.Rows) == 0 })
		if len(s.Tables) == 0 {
			continue
		}
		if opt.Paper {
			for _, t := range s.Tables {
				beside(t, &opt)
			}
		}
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}

// Tables returns the tables of all sections.
func (r *Report) Tables() []*Table {
	return slices.Concat(lists.Map(r.Sections, func(s Section) []*Table { return s.Tables })...)
}

// Figures returns the figures of all sections.
func (r *Report) Figures() []*chart.Figure {
	return slices.Concat(lists.Map(r.Sections, func(s Section) []*chart.Figure { return s.Figures })...)
}

// right reports whether a reply counts as right under the options.
func (r *Report) right(row *run.Row) bool { return row.Score.In(answer.Counted(r.Options.Lenient)) }
