package diagnose

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/exec"
	"ein/bench/replies"
)

// Record is what was found about a reply: Program or Direct is set when it is wrong.
type Record struct {
	ID       string          `json:"id"`
	Mode     string          `json:"mode,omitempty"`
	Sample   int             `json:"sample,omitempty"` // from 0
	Category string          `json:"category"`
	Level    string          `json:"level"`
	Outcome  answer.Outcome  `json:"outcome"`
	Answer   json.RawMessage `json:"answer"`
	Program  *Attribution    `json:"program,omitempty"`
	Direct   *Finding        `json:"direct,omitempty"`
}

// NewRecord is the record of a reply to a question.
func NewRecord(q *exec.Question, mode string, v *Verdict) *Record {
	return &Record{ID: q.ID, Mode: mode, Category: q.Category, Level: q.Level, Outcome: v.Outcome, Answer: v.Answer, Program: v.Attribution, Direct: v.Finding}
}

// Wrong reports whether a record has a finding.
func (r *Record) Wrong() bool { return r.Program != nil || r.Direct != nil }

// The causes of errors that no counterfactual is asked about.
const (
	Unexplained = "unexplained" // a wrong answer that no misreading gives
	Execution   = "execution"   // a program that gives no answer
	Format      = "format"      // a reply without an answer of the right JSON type
	NoReply     = "no_answer"
)

// cause is the column of a record; "" when it is no error.
func (r *Record) cause() string {
	switch {
	case r.Program != nil:
		return string(r.Program.Kind)
	case r.Direct != nil && len(r.Direct.Matches) > 0:
		return string(r.Direct.Matches[0].Error)
	case r.Outcome == answer.Wrong:
		return Unexplained
	case r.Outcome == answer.FormatError:
		return Format
	case r.Outcome == answer.NoAnswer:
		return NoReply
	case exec.Class(r.Outcome) != "":
		return Execution
	}
	return ""
}

// program reports whether a record is of a program.
func (r *Record) program() bool {
	return r.Program != nil || exec.Class(r.Outcome) != "" || r.Mode == modeEin || r.Mode == modePython
}

// Row is the errors of a category, of a level, or all, by their cause. A direct
// answer has the most specific of those that are found.
type Row struct {
	Name   string         `json:"name"`
	Errors int            `json:"errors"`
	Causes map[string]int `json:"causes"`
}

func (r *Row) add(cause string) {
	r.Errors++
	r.Causes[cause]++
}

// Part is the errors of programs, or of direct answers.
type Part struct {
	All        *Row   `json:"all"`
	Levels     []*Row `json:"levels"`
	Categories []*Row `json:"categories"`
}

func newPart() *Part { return &Part{All: newRow("all"), Levels: []*Row{}, Categories: []*Row{}} }

func newRow(name string) *Row { return &Row{Name: name, Causes: map[string]int{}} }

func (p *Part) add(rec *Record, cause string) {
	p.All.add(cause)
	within(&p.Levels, rec.Level).add(cause)
	within(&p.Categories, rec.Category).add(cause)
}

func within(list *[]*Row, name string) *Row {
	i := slices.IndexFunc(*list, func(r *Row) bool { return r.Name == name })
	if i < 0 {
		i = len(*list)
		*list = append(*list, newRow(name))
	}
	return (*list)[i]
}

func (p *Part) finish() {
	slices.SortFunc(p.Levels, func(a, b *Row) int { return strings.Compare(a.Name, b.Name) })
	place := func(r *Row) int {
		return slices.IndexFunc(category.Table, func(c category.Category) bool { return c.Name == r.Name })
	}
	slices.SortFunc(p.Categories, func(a, b *Row) int { return place(a) - place(b) })
}

// Report is an error analysis.
type Report struct {
	Version  int                    `json:"version"`
	Outcomes map[answer.Outcome]int `json:"outcomes"`
	Programs *Part                  `json:"programs"`
	// The edges that wrong programs misread.
	Dropped  int   `json:"dropped"`
	Added    int   `json:"added"`
	Reversed int   `json:"reversed"`
	Direct   *Part `json:"direct"`
	Findings int   `json:"findings"` // wrong direct answers
	Tried    int   `json:"tried"`    // misreadings, of all of them
	Answers  int   `json:"answers"`  // different wrong answers that they gave
	*replies.Notes
}

// NewReport is an empty report.
func NewReport() *Report {
	return &Report{Version: 1, Outcomes: map[answer.Outcome]int{}, Programs: newPart(), Direct: newPart()}
}

// Add counts a record.
func (r *Report) Add(rec *Record) {
	r.Outcomes[rec.Outcome]++
	cause := rec.cause()
	if cause == "" {
		return
	}
	if !rec.program() {
		r.Direct.add(rec, cause)
		if rec.Direct != nil {
			r.Findings++
			r.Tried += rec.Direct.Tried
			r.Answers += rec.Direct.Answers
		}
		return
	}
	r.Programs.add(rec, cause)
	if rec.Program != nil {
		dropped, added, reversed := rec.Program.Edges()
		r.Dropped, r.Added, r.Reversed = r.Dropped+dropped, r.Added+added, r.Reversed+reversed
	}
}

// Finish puts the rows in order.
func (r *Report) Finish(notes *replies.Notes) {
	r.Notes = notes
	r.Programs.finish()
	r.Direct.finish()
}

// Text is the tables: of each cause its share, as section "Error Analysis" of the
// paper has it, and where it is found; then the categories.
func (r *Report) Text() string {
	var b strings.Builder
	if r.Programs.All.Errors > 0 {
		causes := []string{}
		for _, k := range Kinds() {
			causes = append(causes, string(k))
		}
		r.Programs.text(&b, "errors of programs", append(causes, Execution, NoReply))
		if r.Dropped+r.Added+r.Reversed > 0 {
			fmt.Fprintf(&b, "Edges misread: %d dropped, %d added, %d reversed.\n", r.Dropped, r.Added, r.Reversed)
		}
	}
	if r.Direct.All.Errors > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		causes := []string{}
		for _, e := range Errors() {
			causes = append(causes, string(e))
		}
		r.Direct.text(&b, "errors of answers", append(causes, Unexplained, Format, NoReply))
		if n := r.Findings; n > 0 {
			fmt.Fprintf(&b, "For each wrong one, %.1f misreadings were tried on average, which give %.1f different\nwrong answers: some agree with a model by chance.\n",
				float64(r.Tried)/float64(n), float64(r.Answers)/float64(n))
		}
	}
	if b.Len() == 0 {
		b.WriteString("There are no errors.\n")
	}
	if n := r.Outcomes[answer.InfraError]; n > 0 {
		fmt.Fprintf(&b, "\nReplies that could not be had or judged, which are left out: %d\n", n)
	}
	return b.String()
}

func (p *Part) text(b *strings.Builder, what string, causes []string) {
	fmt.Fprintf(b, "%-22s %6s %7s", what, "n", "share")
	for _, l := range p.Levels {
		fmt.Fprintf(b, " %6s", l.Name)
	}
	b.WriteString("  most in\n")
	line := func(name string, count func(*Row) int) {
		fmt.Fprintf(b, "%-22s %6d %7s", name, count(p.All), exec.Percent(count(p.All), p.All.Errors))
		for _, l := range p.Levels {
			fmt.Fprintf(b, " %6d", count(l))
		}
		var most *Row
		for _, c := range p.Categories {
			if n := count(c); n > 0 && (most == nil || n > count(most)) {
				most = c
			}
		}
		if most != nil {
			fmt.Fprintf(b, "  %s %d", most.Name, count(most))
		}
		b.WriteString("\n")
	}
	for _, c := range causes {
		line(c, func(r *Row) int { return r.Causes[c] })
	}
	line("all", func(r *Row) int { return r.Errors })

	causes = slices.DeleteFunc(causes, func(c string) bool { return p.All.Causes[c] == 0 })
	fmt.Fprintf(b, "\n%-22s %6s", "by category", "n")
	for _, c := range causes {
		fmt.Fprintf(b, "  %*s", max(6, len(c)), c)
	}
	b.WriteString("\n")
	for _, r := range p.Categories {
		fmt.Fprintf(b, "%-22s %6d", r.Name, r.Errors)
		for _, c := range causes {
			fmt.Fprintf(b, "  %*d", max(6, len(c)), r.Causes[c])
		}
		b.WriteString("\n")
	}
}
