// Package audit measures how well instances can be answered without solving them.
//
// [Collect] reads instances and gives a [Report] with a [Category] for each category and
// generator. Three kinds of guesser are tried, each with more to go by:
//
//   - a constant: the share of the most common answer, and the best constant in the lenient
//     mode;
//   - a [Decoy], a solver that skips what the question tests, with the best guess for each
//     thing that it says. Guesses are learned from one half of the instances and tried on
//     the other, so a decoy that says something different each time gains nothing; of
//     answers that are nodes, what it says is right or wrong;
//   - learners of scikit-learn, on the sets of features [Form], [Local] and [Decoys], of
//     which each contains those before it ([Learned]).
//
// Learning is a second step, Learn, as it needs Python. The features are computed here and
// sent to a child process, which only learns. Seven of ten instances train, the rest test.
// Without scikit-learn the rest of the report is complete, and Missing says why nothing was
// learned.
//
// Instances with more nodes than decoys are made for are counted in Large and left out. A
// share is Right of Of, and has Wilson's interval: read an excess over the majority only
// beyond it.
package audit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/graph"
	"ein/bench/question/instance"
	"ein/internal/stats"
	"ein/internal/table"
)

// Share is how many of a number of instances were answered right.
type Share struct {
	Right int `json:"right"`
	Of    int `json:"of"`
}

// Value returns Right / Of, from 0 to 1; 0 of nothing.
func (s Share) Value() float64 { return float64(s.Right) / float64(max(1, s.Of)) }

// Interval returns Wilson's interval, at 95 %.
func (s Share) Interval() (low, high float64) {
	i := stats.Wilson(s.Right, s.Of, 0.95)
	return i.Low, i.High
}

// Decoy is how often the best guess is right for someone who knows what a decoy says. Guesses are
// learned from one half of the instances and tried on the other.
type Decoy struct {
	Name string `json:"name"`
	Share
}

// Learned is how often the best learner is right on the test instances, for one set of features.
type Learned struct {
	Features string           `json:"features"`
	Learner  string           `json:"learner"`
	All      map[string]Share `json:"all"`
	Share
}

// Category is the audit of one category.
type Category struct {
	Name      string    `json:"category"`
	Version   string    `json:"version"`
	Instances int       `json:"instances"`
	Majority  Share     `json:"majority"`
	Lenient   Share     `json:"lenient_majority"`
	Constant  string    `json:"best_constant"`
	Decoys    []Decoy   `json:"decoys"` // best first
	Learned   []Learned `json:"learned,omitempty"`
	First     int       `json:"first"` // the number of its first instance

	cat  *category.Category
	rows []*row
}

// Report is the audit of some files.
type Report struct {
	Categories []*Category `json:"categories"`
	Large      int         `json:"too_large"` // instances with more nodes than decoys are made for
	Learner    string      `json:"learner,omitempty"`
	Missing    string      `json:"missing,omitempty"` // why nothing was learned
}

// row is one instance.
type row struct {
	out     category.Out
	guesses []category.Guess // of the decoys
	form    []float64
	local   []float64
	nodes   []node // of sets and strings
	train   bool   // else it tests
}

// trainShare is the number of instances out of ten that are trained on.
const trainShare = 7

// Collect reads instances and tries the decoys of the categories that want selects, or of all if it
// is nil. Instances of different generators are kept apart.
func Collect(ctx context.Context, want func(category string) bool, all iter.Seq2[*instance.Instance, error]) (*Report, error) {
	r := &Report{}
	by := map[[2]string]*Category{}
	var w category.World
	n := 0
	for in, err := range all {
		if err != nil {
			return nil, err
		}
		n++
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if in.N > graph.MaxNet {
			r.Large++
			continue
		}
		if want != nil && !want(in.Category) {
			continue
		}
		cat, err := instance.Category(in.Category)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.ID, err)
		}
		c, err := in.Case()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.ID, err)
		}
		k := [2]string{in.Category, in.Version}
		if by[k] == nil {
			by[k] = &Category{Name: in.Category, Version: in.Version, First: n, cat: cat}
			r.Categories = append(r.Categories, by[k])
		}
		w.Load(&c)
		x := &row{train: len(by[k].rows)%10 < trainShare}
		x.out, _, _ = cat.Solve(&w)
		x.guesses = cat.Guesses(&w)
		x.describe(in, cat, &w)
		by[k].rows = append(by[k].rows, x)
	}
	for _, c := range r.Categories {
		c.count()
	}
	return r, nil
}

// byNode reports whether the answers are learned node by node.
func (c *Category) byNode() bool {
	return c.cat.Result == category.Set || c.cat.Result == category.String
}

// count computes the baselines.
func (c *Category) count() {
	c.Instances = len(c.rows)
	answers := map[category.Out]int{}
	for _, x := range c.rows {
		answers[x.out]++
	}
	best, right := mode(answers)
	c.Majority, c.Constant = Share{right, c.Instances}, constant(c.cat.Result, best)
	c.Lenient = c.Majority
	if answer.CountAmbiguous(c.Name) && c.Version == instance.Version {
		for o := range answers {
			near := answers[o] + answers[category.Out{Num: o.Num - 1}] + answers[category.Out{Num: o.Num + 1}]
			c.Lenient.Right = max(c.Lenient.Right, near)
		}
	}
	says := make([]map[string]category.Out, len(c.rows))
	names := map[string]bool{}
	for i, x := range c.rows {
		says[i] = map[string]category.Out{}
		for _, g := range x.guesses {
			says[i][g.Decoy] = g.Out
			names[g.Decoy] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.Decoys = append(c.Decoys, Decoy{name, c.guess(func(i int) category.Out { return says[i][name] })})
	}
	sort.SliceStable(c.Decoys, func(i, j int) bool { return c.Decoys[i].Right > c.Decoys[j].Right })
}

// guess returns how often the best guess is right. What a decoy says about nodes is either right or
// wrong; nothing can be learned from it as a whole.
func (c *Category) guess(says func(i int) category.Out) Share {
	s := Share{Of: len(c.rows)}
	if c.byNode() {
		for i, x := range c.rows {
			if says(i) == x.out {
				s.Right++
			}
		}
		return s
	}
	var seen [2]map[category.Out]map[category.Out]int
	var all [2]map[category.Out]int
	for half := range 2 {
		seen[half], all[half] = map[category.Out]map[category.Out]int{}, map[category.Out]int{}
	}
	for i, x := range c.rows {
		o, half := says(i), i%2
		if seen[half][o] == nil {
			seen[half][o] = map[category.Out]int{}
		}
		seen[half][o][x.out]++
		all[half][x.out]++
	}
	for i, x := range c.rows {
		from := seen[1-i%2][says(i)]
		if from == nil {
			from = all[1-i%2]
		}
		if best, n := mode(from); n > 0 && best == x.out {
			s.Right++
		}
	}
	return s
}

// mode returns the most frequent answer; of several, the lowest.
func mode(answers map[category.Out]int) (best category.Out, n int) {
	for o, k := range answers {
		if k > n || k == n && (o.Num < best.Num || o.Num == best.Num && cmp.Or(cmp.Compare(o.Set.High, best.Set.High), cmp.Compare(o.Set.Low, best.Set.Low)) < 0) {
			best, n = o, k
		}
	}
	return best, n
}

// constant shows an answer.
func constant(t category.Result, o category.Out) string {
	switch t {
	case category.Boolean:
		return fmt.Sprint(o.Num == 1)
	case category.Float:
		return fmt.Sprint(float64(o.Num) / 1e6)
	case category.Compound:
		return fmt.Sprintf("%v, %d", o.Num >= 100, o.Num%100)
	case category.Set:
		text := "{"
		for b := o.Set; b != (graph.Bits{}); b = b.Less(b.First()) {
			text += fmt.Sprintf(" %d", b.First())
		}
		return text + " }"
	case category.String:
		return fmt.Sprintf("node %d", o.Num)
	}
	return fmt.Sprint(o.Num)
}

// Text returns the tables for people.
func (r *Report) Text() string {
	percent := func(s Share) string { return fmt.Sprintf("%.1f", 100*s.Value()) }
	head := []string{"category", "generator", "instances", "majority", "lenient", "constant", "best decoy", ""}
	for _, f := range featureSets {
		head = append(head, f, "95 %")
	}
	rows := [][]string{head}
	sums := map[string][]float64{}
	var versions []string
	for _, c := range r.Categories {
		line := []string{c.Name, c.Version, fmt.Sprint(c.Instances), percent(c.Majority), percent(c.Lenient), c.Constant, percent(c.Decoys[0].Share), c.Decoys[0].Name}
		values := []float64{c.Majority.Value(), c.Lenient.Value(), c.Decoys[0].Value()}
		for _, l := range c.Learned {
			low, high := l.Interval()
			line = append(line, percent(l.Share), fmt.Sprintf("%.1f..%.1f", 100*low, 100*high))
			values = append(values, l.Value())
		}
		for len(line) < len(head) {
			line = append(line, "-")
		}
		rows = append(rows, line)
		if sums[c.Version] == nil {
			versions = append(versions, c.Version)
			sums[c.Version] = make([]float64, len(values)+1)
		}
		for i, v := range values {
			sums[c.Version][i] += v
		}
		sums[c.Version][len(values)]++
	}
	for _, v := range versions {
		s := sums[v]
		n := s[len(s)-1]
		mean := func(i int) string { return fmt.Sprintf("%.1f", 100*s[i]/n) }
		line := []string{"mean of " + fmt.Sprint(n), v, "", mean(0), mean(1), "", mean(2), ""}
		for i := 3; i < len(s)-1; i++ {
			line = append(line, mean(i), "")
		}
		for len(line) < len(head) {
			line = append(line, "-")
		}
		rows = append(rows, line)
	}
	text := table.Of(rows).Text()
	if r.Missing != "" {
		text += "\nNo learner was run: " + r.Missing + "\n"
	} else if r.Learner != "" {
		text += "\nThe best learner of " + r.Learner + ", trained on 70 % of the instances and tested on the rest.\n"
	}
	if r.Large > 0 {
		text += fmt.Sprintf("\n%d instances with more than %d nodes were left out.\n", r.Large, graph.MaxNet)
	}
	return text
}
