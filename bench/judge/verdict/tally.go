package verdict

import (
	"cmp"
	"slices"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/prompt"
	"ein/internal/lists"
	"ein/internal/stats"
	"ein/internal/stats/show"
)

// Tally counts verdicts.
type Tally struct {
	Name         string
	Verdicts     int
	Outcomes     map[answer.Outcome]int
	Right        map[answer.Mode]int
	Reasons      map[answer.Reason]int
	Causes       map[string]int // of errors
	Attributions map[string]int // of wrong programs
	Constant     int
	Read         Reading // of all programs whose graph was found
	Lucky        int     // right programs that have misread an edge
}

// NewTally makes a tally without verdicts.
func NewTally(name string) *Tally {
	return &Tally{Name: name, Outcomes: map[answer.Outcome]int{}, Right: map[answer.Mode]int{},
		Reasons: map[answer.Reason]int{}, Causes: map[string]int{}, Attributions: map[string]int{}}
}

// Add counts a verdict.
func (t *Tally) Add(v *Verdict) {
	t.Verdicts++
	t.Outcomes[v.Outcome]++
	for _, m := range answer.Modes() {
		if v.In(m) {
			t.Right[m]++
		}
	}
	if v.Reason != "" {
		t.Reasons[v.Reason]++
	}
	if c := v.cause(); c != "" {
		t.Causes[c]++
	}
	if v.Attribution != nil {
		t.Attributions[string(v.Attribution.Kind)]++
	}
	if v.Constant {
		t.Constant++
	}
	if r := v.Reading; r != nil {
		t.Read.Edges += r.Edges
		t.Read.Right += r.Right
		t.Read.Added += r.Added
		if v.Any() && (r.Right < r.Edges || r.Added > 0) {
			t.Lucky++
		}
	}
}

// Scored returns how many verdicts count: a failure of a provider or a sandbox is no answer
// of the model.
func (t *Tally) Scored() int { return t.Verdicts - t.Outcomes[answer.InfraError] }

// Rate is a share with its 95 % interval by Wilson, which takes replies for
// independent: of several to one question it is too narrow.
type Rate struct {
	Right int     `json:"right"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Rate returns the share that is right in a mode, nil when nothing counts.
func (t *Tally) Rate(m answer.Mode) *Rate {
	n, right := t.Scored(), t.Right[m]
	if n == 0 {
		return nil
	}
	i := stats.Wilson(right, n, stats.Confidence)
	return &Rate{Right: right, Rate: float64(right) / float64(n), Low: i.Low, High: i.High}
}

// RateHeads returns the heads of the columns that Rates fills.
func RateHeads() []string {
	var heads []string
	for _, m := range answer.Modes() {
		heads = append(heads, string(m)+" %", "95 %")
	}
	return heads
}

// Rates returns the cells of a table with the rates of all modes.
func (t *Tally) Rates() []string {
	var cells []string
	for _, m := range answer.Modes() {
		if r := t.Rate(m); r == nil {
			cells = append(cells, show.None, show.None)
		} else {
			cells = append(cells, show.Rate(r.Rate), show.Rate(r.Low)+"-"+show.Rate(r.High))
		}
	}
	return cells
}

// Groups is what there is of everything, and of each level, language and category, in
// the order of the table of categories.
type Groups[T any] struct {
	All        T   `json:"all"`
	Levels     []T `json:"levels"`
	Languages  []T `json:"languages,omitempty"`
	Categories []T `json:"categories"`
}

func newGroups() Groups[*Tally] { return Groups[*Tally]{All: NewTally("all")} }

func count(g *Groups[*Tally], mode prompt.Mode, v *Verdict) {
	g.All.Add(v)
	within(&g.Levels, v.Level).Add(v)
	within(&g.Categories, v.Category).Add(v)
	if languages[mode] != nil {
		within(&g.Languages, string(mode)).Add(v)
	}
}

// within returns the tally of a name, which it adds if need be: categories in the order of their
// table, others by name.
func within(list *[]*Tally, name string) *Tally {
	for _, t := range *list {
		if t.Name == name {
			return t
		}
	}
	t := NewTally(name)
	*list = append(*list, t)
	order := category.Names()
	slices.SortFunc(*list, func(a, b *Tally) int {
		return cmp.Or(slices.Index(order, a.Name)-slices.Index(order, b.Name), strings.Compare(a.Name, b.Name))
	})
	return t
}

// view returns the groups in another form.
func view[T any](g *Groups[*Tally], languages bool, form func(*Tally) T) Groups[T] {
	each := func(tallies []*Tally) []T {
		return lists.Map(tallies, form) // never null in JSON
	}
	v := Groups[T]{All: form(g.All), Levels: each(g.Levels), Categories: each(g.Categories)}
	if languages {
		v.Languages = each(g.Languages)
	}
	return v
}

// Summary counts the verdicts on the replies of a file, or of a mode of a run.
type Summary struct {
	Groups[*Tally]
	// The errors of programs and of direct answers.
	Programs, Direct Groups[*Tally]
	// The edges that wrong programs misread.
	Dropped, Added, Reversed int
	Findings                 int // wrong direct answers
	Tried                    int // misreadings, of all of them
	Answers                  int // different wrong answers that they gave
	Replies                  int // lines
	Notes
}

// NewSummary makes a summary without verdicts.
func NewSummary() *Summary {
	return &Summary{Groups: newGroups(), Programs: newGroups(), Direct: newGroups(), Notes: *NewNotes()}
}

// Add counts the verdict on a reply in a mode.
func (s *Summary) Add(mode prompt.Mode, v *Verdict) {
	count(&s.Groups, mode, v)
	switch {
	case v.cause() == "":
	case v.program(mode):
		count(&s.Programs, mode, v)
		if v.Attribution != nil {
			dropped, added, reversed := v.Attribution.Edges()
			s.Dropped, s.Added, s.Reversed = s.Dropped+dropped, s.Added+added, s.Reversed+reversed
		}
	default:
		count(&s.Direct, mode, v)
		if v.Finding != nil {
			s.Findings++
			s.Tried += v.Finding.Tried
			s.Answers += v.Finding.Answers
		}
	}
}
