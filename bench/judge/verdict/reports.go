package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/prompt"
	"ein/internal/lists"
	"ein/internal/table"
)

// What three verbs tell of the same counts: score of answers, exec of programs, and
// diagnose of errors. Each has a line for each reply, a report for machines, and a
// table.

// ScoreRecord returns a line of ein bench score.
func ScoreRecord(it *Item, v *Verdict) any {
	return struct {
		ID string `json:"id"`
		Topic
		answer.Result
	}{it.Question.ID, v.Topic, v.Result}
}

// programRecord is a line of ein bench exec.
type programRecord struct {
	ID string `json:"id"`
	Topic
	Language prompt.Mode `json:"lang"`
	answer.Result
	Failure
	Ops         uint64   `json:"ops"`
	Constant    bool     `json:"constant_output"`
	Attribution Kind     `json:"attribution,omitempty"`
	Reading     *Reading `json:"reading,omitempty"`
}

// ProgramRecord returns a line of ein bench exec.
func ProgramRecord(it *Item, v *Verdict) any {
	r := programRecord{it.Question.ID, v.Topic, it.Mode, v.Result, v.Failure, v.Ops, v.Constant, "", v.Reading}
	if v.Attribution != nil {
		r.Attribution = v.Attribution.Kind
	}
	return r
}

// Again reads the line of ein bench score or exec for an item. It is false when the line
// is not for it.
func (it *Item) Again(line []byte) (*Verdict, bool) {
	var r programRecord
	if err := json.Unmarshal(line, &r); err != nil || r.ID != it.Question.ID {
		return nil, false
	}
	it.Mode = cmp.Or(r.Language, it.Mode)
	v := &Verdict{Topic: r.Topic, Result: r.Result, Failure: r.Failure, Ops: r.Ops, Constant: r.Constant, Reading: r.Reading}
	if r.Attribution != "" {
		v.Attribution = &Attribution{Kind: r.Attribution}
	}
	return v, true
}

// ErrorRecord returns a line of ein bench diagnose; nil when the reply is not wrong.
func ErrorRecord(id string, mode prompt.Mode, sample int, v *Verdict) any {
	if v.Attribution == nil && v.Finding == nil {
		return nil
	}
	return struct {
		ID     string      `json:"id"`
		Mode   prompt.Mode `json:"mode,omitempty"`
		Sample int         `json:"sample,omitempty"` // from 0
		Topic
		Outcome answer.Outcome  `json:"outcome"`
		Answer  json.RawMessage `json:"answer"`
		Program *Attribution    `json:"program,omitempty"`
		Direct  *Finding        `json:"direct,omitempty"`
	}{id, mode, sample, v.Topic, v.Outcome, v.Answer, v.Attribution, v.Finding}
}

// scoreGroup is a level, a category or all, in the report of scores.
type scoreGroup struct {
	Name       string                 `json:"name"`
	Level      string                 `json:"level,omitempty"`
	ResultType category.Result        `json:"result_type,omitempty"`
	Instances  int                    `json:"instances"`
	Scored     int                    `json:"scored"` // without infra_error; what rates are of
	Outcomes   map[answer.Outcome]int `json:"outcomes"`
	Reasons    map[answer.Reason]int  `json:"reasons"` // of format_error and no_answer
	Strict     *Rate                  `json:"strict"`  // null when nothing is scored
	Relaxed    *Rate                  `json:"relaxed"`
	Lenient    *Rate                  `json:"lenient"`
}

// Scores returns the report of ein bench score.
func (s *Summary) Scores() any {
	return struct {
		Version int `json:"version"`
		Groups[scoreGroup]
		Replies int `json:"replies"`
		Notes
	}{1, view(&s.Groups, false, func(t *Tally) scoreGroup {
		g := scoreGroup{t.Name, "", "", t.Verdicts, t.Scored(), map[answer.Outcome]int{}, t.Reasons, t.Rate(answer.Strict), t.Rate(answer.Relaxed), t.Rate(answer.Lenient)}
		for _, o := range answer.Outcomes() {
			g.Outcomes[o] = t.Outcomes[o] // all of them
		}
		if c, ok := category.Lookup(t.Name); ok {
			g.Level, g.ResultType = fmt.Sprintf("L%d", c.Level), c.Result
		}
		return g
	}), s.Replies, s.Notes}
}

// ScoresText returns the table of ein bench score.
func (s *Summary) ScoresText() string {
	rows := [][]string{slices.Concat([]string{"", "instances"}, RateHeads(), []string{"lenient only", "relaxed only", "wrong", "format", "none", "infra"})}
	for _, t := range slices.Concat(s.Categories, s.Levels, []*Tally{s.All}) {
		row := append([]string{t.Name, strconv.Itoa(t.Verdicts)}, t.Rates()...)
		for _, o := range answer.Outcomes()[1:] {
			row = append(row, strconv.Itoa(t.Outcomes[o]))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	b.WriteString(table.Of(rows).Text())
	if s.All.Outcomes[answer.InfraError] > 0 {
		fmt.Fprintf(&b, "\nThe shares are of %d instances: infra errors are left out.\n", s.All.Scored())
	}
	if n := s.All.Reasons[answer.TooLong]; n > 0 {
		fmt.Fprintf(&b, "\nReplies of more than %d MiB, which are not read and count as format errors (too_long): %d\n", answer.MaxReply>>20, n)
	}
	return b.String()
}

// programGroup is a level, a category or all, in the report of programs.
type programGroup struct {
	Name         string                 `json:"name"`
	Instances    int                    `json:"instances"`
	Outcomes     map[answer.Outcome]int `json:"outcomes"`
	Constant     int                    `json:"constant_output"`
	Attributions map[string]int         `json:"attributions"`
	Reading      Reading                `json:"reading"`
	Lucky        int                    `json:"right_though_misread"`
}

// ProgramReport is the report of ein bench exec.
type ProgramReport struct {
	Version int `json:"version"`
	Groups[programGroup]
	Notes
}

// ProgramReport returns the report of ein bench exec.
func (s *Summary) ProgramReport() *ProgramReport {
	return &ProgramReport{1, view(&s.Groups, true, func(t *Tally) programGroup {
		return programGroup{t.Name, t.Verdicts, t.Outcomes, t.Constant, t.Attributions, t.Read, t.Lucky}
	}), s.Notes}
}

// heads holds the short headings of the outcomes that have a column.
var heads = []struct {
	outcome answer.Outcome
	head    string
}{
	{answer.Wrong, "wrong"}, {answer.NoAnswer, "no reply"}, {NoProgram, "no prog"}, {ParseError, "parse"}, {TypeError, "type"},
	{OverLimit, "limit"}, {RuntimeError, "runtime"}, {BadOutput, "output"}, {answer.InfraError, "infra"},
}

// ProgramsText returns the table of ein bench exec.
func (s *Summary) ProgramsText() string {
	rows := [][]string{{"programs", "n"}}
	for _, m := range answer.Modes() {
		rows[0] = append(rows[0], string(m))
	}
	for _, h := range heads {
		rows[0] = append(rows[0], h.head)
	}
	var languages []*Tally
	if len(s.Languages) > 1 {
		languages = s.Languages
	}
	for _, t := range slices.Concat(s.Categories, s.Levels, languages, []*Tally{s.All}) {
		row := []string{t.Name, strconv.Itoa(t.Verdicts)}
		for _, m := range answer.Modes() {
			row = append(row, percent(t.Right[m], t.Scored()))
		}
		for _, h := range heads {
			row = append(row, strconv.Itoa(t.Outcomes[h.outcome]))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	b.WriteString(table.Of(rows).Text())
	if found := s.All.Attributions; len(found) > 0 {
		b.WriteString("\nWrong programs, run again with the true graph:")
		for _, k := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(&b, " %s %d (%s)", k, found[k], percent(found[k], s.All.Outcomes[answer.Wrong]))
		}
		b.WriteString("\n")
	}
	if s.All.Constant > 0 {
		fmt.Fprintf(&b, "\nPrograms whose output depends on no graph: %d\n", s.All.Constant)
	}
	if text := s.readText(); text != "" {
		b.WriteString("\n" + text)
	}
	return b.String()
}

// readText tells how much of the graphs all programs have read right.
func (s *Summary) readText() string {
	r := &s.All.Read
	if r.Edges == 0 {
		return ""
	}
	return fmt.Sprintf("Edges read right: %d of %d (%s), and %d added. Right programs that misread some: %d\n",
		r.Right, r.Edges, percent(r.Right, r.Edges), r.Added, s.All.Lucky)
}

// percent returns a share as it is shown.
func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// errorGroup is a group of errors with the same cause.
type errorGroup struct {
	Name   string         `json:"name"`
	Errors int            `json:"errors"`
	Causes map[string]int `json:"causes"`
}

// ErrorReport is the report of ein bench diagnose.
type ErrorReport struct {
	Version  int                    `json:"version"`
	Outcomes map[answer.Outcome]int `json:"outcomes"`
	Programs Groups[errorGroup]     `json:"programs"`
	Dropped  int                    `json:"dropped"`
	Added    int                    `json:"added"`
	Reversed int                    `json:"reversed"`
	Direct   Groups[errorGroup]     `json:"direct"`
	Findings int                    `json:"findings"`
	Tried    int                    `json:"tried"`
	Answers  int                    `json:"answers"`
	Notes
}

// ErrorReport returns the report of ein bench diagnose.
func (s *Summary) ErrorReport() *ErrorReport {
	form := func(t *Tally) errorGroup { return errorGroup{t.Name, t.Verdicts, t.Causes} }
	return &ErrorReport{1, s.All.Outcomes, view(&s.Programs, false, form), s.Dropped, s.Added, s.Reversed,
		view(&s.Direct, false, form), s.Findings, s.Tried, s.Answers, s.Notes}
}

// ErrorsText returns the tables of ein bench diagnose: of each cause its share, as section
// "Error Analysis" of the paper has it, and where it is found; then the categories.
func (s *Summary) ErrorsText() string {
	var b strings.Builder
	if s.Programs.All.Verdicts > 0 {
		causes := lists.Map(Kinds(), func(k Kind) string { return string(k) })
		errorTable(&b, &s.Programs, "errors of programs", append(causes, Execution, NoReply))
		if s.Dropped+s.Added+s.Reversed > 0 {
			fmt.Fprintf(&b, "Edges misread: %d dropped, %d added, %d reversed.\n", s.Dropped, s.Added, s.Reversed)
		}
	}
	b.WriteString(s.readText())
	if s.Direct.All.Verdicts > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		causes := lists.Map(Errors(), func(e Error) string { return string(e) })
		errorTable(&b, &s.Direct, "errors of answers", append(causes, Unexplained, Format, NoReply))
		if n := float64(s.Findings); n > 0 {
			fmt.Fprintf(&b, "For each wrong one, %.1f misreadings were tried on average, which give %.1f different\nwrong answers: some agree with a model by chance.\n",
				float64(s.Tried)/n, float64(s.Answers)/n)
		}
	}
	if s.Programs.All.Verdicts+s.Direct.All.Verdicts == 0 {
		b.WriteString("There are no errors.\n")
	}
	if n := s.All.Outcomes[answer.InfraError]; n > 0 {
		fmt.Fprintf(&b, "\nReplies that could not be had or judged, which are left out: %d\n", n)
	}
	return b.String()
}

// errorTable writes the causes of errors by level, with the category that has most of each, and
// then the categories by cause.
func errorTable(b *strings.Builder, g *Groups[*Tally], what string, causes []string) {
	rows := [][]string{{what, "n", "share"}}
	for _, l := range g.Levels {
		rows[0] = append(rows[0], l.Name)
	}
	rows[0] = append(rows[0], "most in")
	line := func(name string, count func(*Tally) int) {
		row := []string{name, strconv.Itoa(count(g.All)), percent(count(g.All), g.All.Verdicts)}
		for _, l := range g.Levels {
			row = append(row, strconv.Itoa(count(l)))
		}
		most, n := "", 0
		for _, c := range g.Categories {
			if count(c) > n {
				most, n = fmt.Sprintf("%s %d", c.Name, count(c)), count(c)
			}
		}
		rows = append(rows, append(row, most))
	}
	for _, c := range causes {
		line(c, func(t *Tally) int { return t.Causes[c] })
	}
	line("all", func(t *Tally) int { return t.Verdicts })
	b.WriteString(table.Of(rows).Text() + "\n")

	causes = slices.DeleteFunc(causes, func(c string) bool { return g.All.Causes[c] == 0 })
	rows = [][]string{append([]string{"by category", "n"}, causes...)}
	for _, t := range g.Categories {
		row := []string{t.Name, strconv.Itoa(t.Verdicts)}
		for _, c := range causes {
			row = append(row, strconv.Itoa(t.Causes[c]))
		}
		rows = append(rows, row)
	}
	b.WriteString(table.Of(rows).Text())
}
