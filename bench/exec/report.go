package exec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ein/bench/answer"
	"ein/bench/category"
	"ein/bench/replies"
)

// Record is the score of a program.
type Record struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Level    string          `json:"level"`
	Language Language        `json:"lang"`
	Outcome  answer.Outcome  `json:"outcome"`
	Strict   bool            `json:"strict"`
	Lenient  bool            `json:"lenient"`
	Answer   json.RawMessage `json:"answer"`           // what the program gave, or null
	Reason   answer.Reason   `json:"reason,omitempty"` // of no_answer
	// Class is the outcome again when the program gave no answer, so that these
	// can be told without a list of them.
	Class    answer.Outcome `json:"error_class,omitempty"`
	Code     string         `json:"code,omitempty"` // of the first error
	Message  string         `json:"message,omitempty"`
	Ops      uint64         `json:"ops"`
	Constant bool           `json:"constant_output"`
	// Attribution is what a wrong program got wrong: see package diagnose.
	Attribution string `json:"attribution,omitempty"`
}

// Group is the programs of a category, a level, a language, or all.
type Group struct {
	Name         string                 `json:"name"`
	Instances    int                    `json:"instances"`
	Outcomes     map[answer.Outcome]int `json:"outcomes"`
	Constant     int                    `json:"constant_output"`
	Attributions map[string]int         `json:"attributions"`
}

// Scored is how many count: a failure of a provider is no answer of the model.
func (g *Group) Scored() int { return g.Instances - g.Outcomes[answer.InfraError] }

func (g *Group) add(r *Record) {
	g.Instances++
	g.Outcomes[r.Outcome]++
	if r.Constant {
		g.Constant++
	}
	if r.Attribution != "" {
		g.Attributions[r.Attribution]++
	}
}

// Report counts records.
type Report struct {
	Version    int      `json:"version"`
	All        *Group   `json:"all"`
	Levels     []*Group `json:"levels"`
	Languages  []*Group `json:"languages"`
	Categories []*Group `json:"categories"`
	*replies.Notes
}

// NewReport is an empty report.
func NewReport() *Report {
	return &Report{Version: 1, All: newGroup("all"), Levels: []*Group{}, Languages: []*Group{}, Categories: []*Group{}}
}

func newGroup(name string) *Group {
	return &Group{Name: name, Outcomes: map[answer.Outcome]int{}, Attributions: map[string]int{}}
}

// Add counts a record.
func (r *Report) Add(rec *Record) {
	r.All.add(rec)
	within(&r.Levels, rec.Level).add(rec)
	within(&r.Languages, string(rec.Language)).add(rec)
	within(&r.Categories, rec.Category).add(rec)
}

func within(list *[]*Group, name string) *Group {
	i := slices.IndexFunc(*list, func(g *Group) bool { return g.Name == name })
	if i < 0 {
		i = len(*list)
		*list = append(*list, newGroup(name))
	}
	return (*list)[i]
}

// Finish puts the groups in order.
func (r *Report) Finish(notes *replies.Notes) {
	r.Notes = notes
	for _, list := range [][]*Group{r.Levels, r.Languages} {
		slices.SortFunc(list, func(a, b *Group) int { return strings.Compare(a.Name, b.Name) })
	}
	place := func(g *Group) int {
		return slices.IndexFunc(category.Table, func(c category.Category) bool { return c.Name == g.Name })
	}
	slices.SortFunc(r.Categories, func(a, b *Group) int { return place(a) - place(b) })
}

// heads is the short heads of the outcomes that have a column.
var heads = []struct {
	outcome answer.Outcome
	head    string
}{
	{answer.Wrong, "wrong"}, {answer.NoAnswer, "no reply"}, {NoProgram, "no prog"}, {ParseError, "parse"}, {TypeError, "type"},
	{OverLimit, "limit"}, {RuntimeError, "runtime"}, {BadOutput, "output"}, {answer.InfraError, "infra"},
}

// Text is the table.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %6s %8s %8s", "programs", "n", "strict", "lenient")
	for _, h := range heads {
		fmt.Fprintf(&b, " %8s", h.head)
	}
	b.WriteString("\n")
	row := func(g *Group) {
		strict := g.Outcomes[answer.StrictlyRight]
		fmt.Fprintf(&b, "%-22s %6d %8s %8s", g.Name, g.Instances, Percent(strict, g.Scored()), Percent(strict+g.Outcomes[answer.LenientOnly], g.Scored()))
		for _, h := range heads {
			fmt.Fprintf(&b, " %8d", g.Outcomes[h.outcome])
		}
		b.WriteString("\n")
	}
	for _, g := range r.Categories {
		row(g)
	}
	b.WriteString("\n")
	for _, g := range r.Levels {
		row(g)
	}
	if len(r.Languages) > 1 {
		for _, g := range r.Languages {
			row(g)
		}
	}
	row(r.All)
	if len(r.All.Attributions) > 0 {
		b.WriteString("\nWrong programs, run again with the true graph:")
		total := r.All.Outcomes[answer.Wrong]
		for _, k := range slices.Sorted(maps.Keys(r.All.Attributions)) {
			fmt.Fprintf(&b, " %s %d (%s)", k, r.All.Attributions[k], Percent(r.All.Attributions[k], total))
		}
		b.WriteString("\n")
	}
	if r.All.Constant > 0 {
		fmt.Fprintf(&b, "\nPrograms whose output depends on no graph: %d\n", r.All.Constant)
	}
	return b.String()
}

// Percent is a share as it is shown.
func Percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}
