// Package summary describes a file of instances, as `ein bench stats` prints it: counts,
// sizes, the distribution of answers, and the length of the texts.
//
// [Collect] reads instances once and gives a [Report]: a [Group] for each category, for
// each level, and for all. A group has a [Spread] of each quantity, and the counts behind
// it. Answers are compared with nodes as numbers, since labels are surface; they are kept
// as hashes, so memory grows with the number of different answers and not of instances.
//
// Two baselines come from the answers of a category. Majority is the share of its most
// common answer; the best constants, one for each mode of scoring, also try answers such as
// "every label" or "the named node". Those of a level or of all are what somebody scores
// who knows the category.
//
// Some facts are not in the file. Redraws need each instance generated again from its id,
// and sensitivity needs the answer after each edit of the graph; [Brief] can leave out the
// first, and takes the second from its caller. Instances for which they cannot be known,
// with ids of another version or too many nodes, are counted, and are in no share of these.
//
// What a distribution gives away to somebody who does not solve the question is measured by
// package audit.
package summary

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/sensitivity"
	"ein/internal/words"
)

// TokenEstimate says how tokens are counted: without the vocabulary of any
// model, by the rule of thumb for English and code.
const TokenEstimate = "characters / 4, rounded up"

// topAnswers is the number of most common answers that are kept.
const topAnswers = 5

// densityBin is the width of the bins of densities, in thousandths.
const densityBin = 50

// Spread is the least, mean and largest value of a quantity; all are 0 where nothing was counted.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	n    int
}

// add counts a number. The mean is kept up to date without a sum, which could lose digits.
func (s *Spread) add(x float64) {
	if s.n == 0 {
		s.Min, s.Max = x, x
	}
	s.n++
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	s.Mean += (x - s.Mean) / float64(s.n)
}

// Length is the lengths of texts, in code points and in estimated tokens.
type Length struct {
	Characters Spread `json:"characters"`
	Tokens     Spread `json:"tokens"`
}

func (l *Length) add(text string) {
	l.Characters.add(float64(utf8.RuneCountInString(text)))
	l.Tokens.add(float64(prompt.Tokens(text)))
}

// Answer is one answer of a category, up to the labels: nodes are numbers.
type Answer struct {
	Text  string  `json:"answer"`
	Count int     `json:"count"`
	Share float64 `json:"share"`
}

// Group is a category, a level, or everything.
type Group struct {
	Name      string `json:"name"`
	Level     string `json:"level,omitempty"`
	Result    string `json:"result_type,omitempty"`
	Instances int    `json:"instances"`

	N         Spread         `json:"n"`
	NCounts   map[int]int    `json:"n_counts"`
	Density   Spread         `json:"density"`
	Densities map[string]int `json:"density_counts"` // by the lower end of the bin

	// Hops and Operations count instances of cb2 by what searches need and by what
	// the program composes.
	Hops       map[int]int `json:"hop_counts,omitempty"`
	Operations map[int]int `json:"operation_counts,omitempty"`

	// Distinct and Top are of categories alone. Majority is the share of right
	// answers of someone who always gives the most common one of the category.
	Distinct int      `json:"distinct_answers,omitempty"`
	Top      []Answer `json:"top_answers,omitempty"`
	Majority float64  `json:"majority_baseline"`
	True     *float64 `json:"true_share,omitempty"` // of booleans, those in compounds included
	// Constants is for each mode of scoring the best that somebody does who gives the
	// same answer to all questions of a category, which may be "every label" or "the
	// named node".
	Constants map[answer.Mode]answer.Constant `json:"best_constants"`

	// Redraws is cases that were drawn and thrown away for each instance, Redrawn
	// the share of instances with any, both recomputed from the ids. Unknown is
	// instances whose ids this version cannot generate; they do not count.
	Redraws float64 `json:"redraws_per_instance"`
	Redrawn float64 `json:"redrawn_share"`
	Unknown int     `json:"redraws_unknown,omitempty"`

	// Sensitivity is the share of single edits of the graph that change the answer, and
	// of those of each kind the means; BySize is the former by the number of nodes.
	Sensitivity Spread         `json:"sensitivity"`
	Drops       Spread         `json:"drop_sensitivity"`
	Additions   Spread         `json:"addition_sensitivity"`
	Reversals   Spread         `json:"reversal_sensitivity"`
	BySize      map[int]Spread `json:"sensitivity_by_n"`
	Insensible  int            `json:"sensitivity_unknown,omitempty"` // more nodes than can be tried

	Question Length `json:"question"`
	Ein      Length `json:"ein_program"`
	Python   Length `json:"python_program"`

	permille                map[int]int // densities
	redraws, redrawn, right int
	booleans, trues         int
	answers                 map[[16]byte]*Answer
	constants               *answer.Constants
}

// Report is the description of a file.
type Report struct {
	Version       int      `json:"version"`
	TokenEstimate string   `json:"token_estimate"`
	All           *Group   `json:"all"`
	Levels        []*Group `json:"levels"`
	Categories    []*Group `json:"categories"`
}

// Collect reads instances. Its memory does not grow with their number but with
// that of their distinct answers.
func Collect(instances iter.Seq2[*instance.Instance, error]) (*Report, error) {
	return Brief(instances, sensitivity.Of, true)
}

// Brief is Collect with less work: without redraws, which take making every instance again,
// unless they are wanted, and with the sensitivities that a function gives, nil where it is not
// to be known.
func Brief(instances iter.Seq2[*instance.Instance, error], edits func(*instance.Instance) (*sensitivity.Result, error), redraws bool) (*Report, error) {
	all := newGroup("all")
	groups := map[string]*Group{}
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		cat := groups[in.Category]
		if cat == nil {
			cat = newGroup(in.Category)
			cat.Level, cat.Result = in.Level, in.ResultType
			cat.answers = map[[16]byte]*Answer{}
			cat.constants = answer.NewConstants(category.Result(in.ResultType), in.Category)
			groups[in.Category] = cat
		}
		level := groups[in.Level]
		if level == nil {
			level = newGroup(in.Level)
			groups[in.Level] = level
		}
		f, err := factsOf(in, edits, redraws)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.ID, err)
		}
		for _, g := range []*Group{all, level, cat} {
			g.add(in, f)
		}
		cat.count(f.answer)
		if err := cat.constant(in); err != nil {
			return nil, fmt.Errorf("%s: %w", in.ID, err)
		}
	}
	r := &Report{Version: 1, TokenEstimate: TokenEstimate, All: all}
	for i := range category.Table {
		g := groups[category.Table[i].Name]
		if g == nil {
			continue
		}
		g.finishAnswers()
		r.Categories = append(r.Categories, g)
		for _, above := range []*Group{groups[g.Level], all} {
			above.right += g.right
			for m, best := range g.Constants {
				above.Constants[m] = answer.Constant{Right: above.Constants[m].Right + best.Right}
			}
		}
	}
	for _, level := range []string{"L1", "L2", "L3"} {
		if g := groups[level]; g != nil {
			r.Levels = append(r.Levels, g)
		}
	}
	for _, g := range slices.Concat(r.Categories, r.Levels, []*Group{all}) {
		g.finish()
		g.bin(all.Density)
	}
	return r, nil
}

func newGroup(name string) *Group {
	return &Group{Name: name, NCounts: map[int]int{}, permille: map[int]int{}, Densities: map[string]int{}, Hops: map[int]int{}, Operations: map[int]int{}, BySize: map[int]Spread{}, Constants: map[answer.Mode]answer.Constant{}}
}

// facts holds what has to be computed from an instance.
type facts struct {
	density float64
	answer  string
	truth   *bool
	redraws int // -1 when not known
	edits   *sensitivity.Result
}

// factsOf computes once what all groups of an instance use: it tries the edits and, for the
// redraws, generates the instance again.
func factsOf(in *instance.Instance, edits func(*instance.Instance) (*sensitivity.Result, error), redraws bool) (facts, error) {
	f := facts{redraws: -1}
	var err error
	if f.density, err = in.Density.Float64(); err != nil {
		return f, fmt.Errorf("the density %q is not a number", in.Density)
	}
	if f.answer, f.truth, err = unlabelled(in); err != nil {
		return f, err
	}
	if in.N <= sensitivity.MaxNodes {
		if f.edits, err = edits(in); err != nil {
			return f, err
		}
	}
	if id, err := instance.ParseID(in.ID); err == nil && redraws {
		if _, f.redraws, err = instance.Generate(id); err != nil {
			return f, err
		}
	}
	return f, nil
}

// unlabelled returns an answer with nodes as numbers, as {0, 3} or node 2, and the
// boolean in it, if there is one.
func unlabelled(in *instance.Instance) (string, *bool, error) {
	d := json.NewDecoder(bytes.NewReader(in.Answer))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return "", nil, fmt.Errorf("the answer %s: %w", in.Answer, err)
	}
	switch x := x.(type) {
	case bool:
		return strconv.FormatBool(x), &x, nil
	case string:
		return "node " + strconv.Itoa(slices.Index(in.Nodes, x)), nil, nil
	case []any:
		var list []int
		for _, e := range x {
			s, _ := e.(string)
			list = append(list, slices.Index(in.Nodes, s))
		}
		slices.Sort(list)
		return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + "}", nil, nil
	case map[string]any:
		b, ok := x["reachable"].(bool)
		if !ok {
			break
		}
		return fmt.Sprintf("%v, %v", b, x["degree"]), &b, nil
	}
	return string(in.Answer), nil, nil
}

// add counts an instance with what was computed of it.
func (g *Group) add(in *instance.Instance, f facts) {
	g.Instances++
	g.N.add(float64(in.N))
	g.NCounts[in.N]++
	g.Density.add(f.density)
	g.permille[int(math.Round(1000*f.density))]++
	if in.Operations > 0 {
		g.Hops[in.Depth]++
		g.Operations[in.Operations]++
	}
	if f.truth != nil {
		g.booleans++
		if *f.truth {
			g.trues++
		}
	}
	if f.redraws < 0 {
		g.Unknown++
	} else if f.redraws > 0 {
		g.redrawn++
		g.redraws += f.redraws
	}
	if f.edits == nil {
		g.Insensible++
	} else {
		g.Sensitivity.add(f.edits.Share)
		size := g.BySize[in.N]
		size.add(f.edits.Share)
		g.BySize[in.N] = size
		for to, e := range map[*Spread]sensitivity.Edits{&g.Drops: f.edits.Drops, &g.Additions: f.edits.Additions, &g.Reversals: f.edits.Reversals} {
			if e.Tried > 0 {
				to.add(float64(e.Changed) / float64(e.Tried))
			}
		}
	}
	g.Question.add(in.Question)
	g.Ein.add(in.EinProgram)
	g.Python.add(in.PythonProgram)
}

// longAnswer is where the text of an answer is cut. What it is counted by is a
// hash of all of it.
const longAnswer = 40

// count counts an answer in its unlabelled form. It keeps a hash, since sets of nodes can be
// long.
func (g *Group) count(text string) {
	sum := sha256.Sum256([]byte(text))
	key := [16]byte(sum[:])
	a := g.answers[key]
	if a == nil {
		a = &Answer{Text: words.Shorten(text, longAnswer)}
		g.answers[key] = a
	}
	a.Count++
}

// constant counts which constant answers would be right for an instance.
func (g *Group) constant(in *instance.Instance) error {
	r, err := in.Reference()
	if err == nil {
		err = g.constants.Add(&r)
	}
	return err
}

// finishAnswers chooses the most common answers and the best constant ones, and drops the rest.
func (g *Group) finishAnswers() {
	g.Distinct = len(g.answers)
	for _, a := range g.answers {
		a.Share = float64(a.Count) / float64(g.Instances)
		g.Top = append(g.Top, *a)
	}
	sort.Slice(g.Top, func(i, j int) bool {
		a, b := g.Top[i], g.Top[j]
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text)) < 0
	})
	g.Top = slices.Clip(g.Top[:min(len(g.Top), topAnswers)])
	g.right = g.Top[0].Count
	g.answers = nil
	for _, m := range answer.Modes() {
		g.Constants[m] = g.constants.Best(m)
	}
	g.constants = nil
}

// finish turns counts into shares, which are of the instances that they are known of.
func (g *Group) finish() {
	if g.Instances == 0 {
		return
	}
	n := float64(g.Instances)
	for m, best := range g.Constants {
		best.Share = float64(best.Right) / n
		g.Constants[m] = best
	}
	g.Majority = float64(g.right) / n
	if g.booleans > 0 {
		share := float64(g.trues) / float64(g.booleans)
		g.True = &share
	}
	if known := float64(g.Instances - g.Unknown); known > 0 {
		g.Redraws, g.Redrawn = float64(g.redraws)/known, float64(g.redrawn)/known
	}
}

// bin counts the densities. The highest of all is in the bin that ends there, so
// that it has none of its own.
func (g *Group) bin(all Spread) {
	last := int(math.Round(1000 * all.Max))
	if all.Max > all.Min {
		last--
	}
	for permille, n := range g.permille {
		low := min(permille, last) / densityBin * densityBin
		g.Densities[fmt.Sprintf("%.2f", float64(low)/1000)] += n
	}
}
