package compare

import (
	"cmp"
	"fmt"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/lists"
	"ein/internal/stats"
	"ein/internal/words"
)

// structure identifies the structure of a question; the answers about one form a cluster.
type structure struct {
	category string
	seed     uint64
}

// structureOf is the cluster of a row. A seed alone does not tell structures of different
// categories apart.
func structureOf(row *run.Row) structure {
	return structure{row.Instance.Category, row.Structure()}
}

// answers holds the rows that a Side selects from a run.
type answers struct {
	run       *run.Run
	rows      []*run.Row // without a reply too
	modes     []prompt.Mode
	encodings []surface.Encoding
}

// choose returns the rows of a run on a side. Replies without a score are an error: left out,
// they would bias the comparison.
func choose(r *run.Run, side Side) (*answers, error) {
	a := &answers{run: r}
	unscored := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if side.Mode != "" && row.Mode != side.Mode || side.Encoding != "" && row.Encoding != side.Encoding {
			continue
		}
		a.rows = append(a.rows, row)
		if row.Reply != nil && row.Score == nil {
			unscored++
		}
		a.modes = lists.Add(a.modes, row.Mode)
		a.encodings = lists.Add(a.encodings, row.Encoding)
	}
	switch {
	case len(r.Rows) == 0:
		return nil, fmt.Errorf("%s: the run has no questions", r.Dir)
	case len(a.rows) == 0:
		return nil, fmt.Errorf("%s: no answers in mode %s and encoding %s; the run has the modes %s and the encodings %s",
			r.Dir, cmp.Or(side.Mode, "(any)"), cmp.Or(side.Encoding, "(any)"), words.Joined(r.Config.Modes), words.Joined(r.Config.Encodings))
	case unscored > 0:
		return nil, fmt.Errorf("%s: replies without a score: %d; score them with `ein bench score %s`", r.Dir, unscored, r.Dir)
	}
	return a, nil
}

// summary describes one side by all its answers, whether they have a partner or not.
func (a *answers) summary(sensitivity map[structure]float64, opt *Options) Summary {
	s := Summary{Dir: a.run.Dir, Model: a.run.Config.Model, Modes: a.modes, Encodings: a.encodings, Asked: len(a.rows)}
	right := map[answer.Mode][]float64{}
	var clusters []structure
	var categories []string
	for _, row := range a.rows {
		switch {
		case row.Reply == nil:
			s.Missing++
			continue
		case !row.Counts():
			s.Infra++
			continue
		}
		for _, m := range answer.Modes() {
			right[m] = append(right[m], stats.One(row.Score.In(m)))
		}
		clusters = append(clusters, structureOf(row))
		categories = append(categories, row.Instance.Category)
	}
	s.ByMode = answer.InEach(func(m answer.Mode) *stats.Share { return stats.ShareOf(right[m], clusters, 1-opt.Alpha) })
	s.StratifiedSE = stats.Number(stats.Stratified(right[answer.Strict], categories, clusters).Known().SE)
	s.Flatness = flatness(a.rows, sensitivity, opt)
	return s
}

// Pairing says how many answers were paired, and which could not be.
type Pairing struct {
	By         string     `json:"by"` // what a pair has in common
	Pairs      int        `json:"pairs"`
	Structures int        `json:"structures"`
	OnlyA      Unpaired   `json:"only_a"`     // asked of A alone
	OnlyB      Unpaired   `json:"only_b"`     // asked of B alone
	Unanswered Unanswered `json:"unanswered"` // asked of both, without an answer of the model to one
}

// Unpaired counts the questions that only one side was asked.
type Unpaired struct {
	Count int      `json:"count"`
	First []string `json:"first"`
}

// Unanswered counts the pairs that are left out. A pair may count in several members.
type Unanswered struct {
	low, high float64 // sums of their strict differences, at least and at most
	Count     int     `json:"count"`
	MissingA  int     `json:"missing_a"`
	MissingB  int     `json:"missing_b"`
	InfraA    int     `json:"infra_a"`
	InfraB    int     `json:"infra_b"`
}

// mostNamed is the number of unpaired questions that are named; the rest are only counted.
const mostNamed = 5

// add counts a question, and names it if it is one of the first.
func (u *Unpaired) add(row *run.Row) {
	u.Count++
	if len(u.First) < mostNamed {
		u.First = append(u.First, fmt.Sprintf("%s %s %d", row.ID, row.Mode, row.Sample))
	}
}

// pairOf holds the answers of both sides to one question.
type pairOf struct{ a, b *run.Row }

// pair matches rows by question, mode, encoding and sample. If each side has only one mode, or one
// encoding, the two may differ.
func pair(a, b *answers) ([]pairOf, *Pairing, error) {
	anyMode := len(a.modes) == 1 && len(b.modes) == 1
	anyEncoding := len(a.encodings) == 1 && len(b.encodings) == 1
	// Of millions of rows, keys with texts in them would take more than the rows.
	type asked struct{ question, mode, sample int32 }
	questions := map[string]int32{}
	number := func(row *run.Row) asked {
		k := asked{sample: int32(row.Sample)}
		if !anyMode {
			k.mode = int32(slices.Index(prompt.Modes(), row.Mode))
		}
		id := row.ID
		if anyEncoding && row.Encoding != surface.NL {
			id = instance.Base(id)
		}
		n, ok := questions[id]
		if !ok {
			n = int32(len(questions))
			questions[id] = n
		}
		k.question = n
		return k
	}
	p := &Pairing{By: "question, mode and sample", OnlyA: Unpaired{First: []string{}}, OnlyB: Unpaired{First: []string{}}}
	if anyMode && a.modes[0] != b.modes[0] {
		p.By = fmt.Sprintf("question and sample, mode %s with %s", a.modes[0], b.modes[0])
	}
	if anyEncoding && a.encodings[0] != b.encodings[0] {
		p.By += fmt.Sprintf(", encoding %s with %s", a.encodings[0], b.encodings[0])
	}
	others := make(map[asked]int32, len(b.rows))
	for i, row := range b.rows {
		others[number(row)] = int32(i)
	}
	pairs := make([]pairOf, 0, min(len(a.rows), len(b.rows)))
	structures := map[structure]struct{}{}
	for _, row := range a.rows {
		k := number(row)
		at, ok := others[k]
		if !ok {
			p.OnlyA.add(row)
			continue
		}
		delete(others, k) // what is left at the end was asked of b alone
		other := b.rows[at]
		if row.Structure() != other.Structure() || row.Instance.Category != other.Instance.Category {
			return nil, nil, fmt.Errorf("%s is not the same question in %s and in %s", row.ID, a.run.Dir, b.run.Dir)
		}
		if p.Unanswered.take(row, other) {
			continue
		}
		pairs = append(pairs, pairOf{row, other})
		structures[structureOf(row)] = struct{}{}
	}
	for i, row := range b.rows {
		if at, ok := others[number(row)]; ok && int(at) == i {
			p.OnlyB.add(row)
		}
	}
	p.Pairs, p.Structures = len(pairs), len(structures)
	if len(pairs) == 0 {
		return nil, nil, unpairable(a, b, p)
	}
	return pairs, p, nil
}

// take reports whether a verdict of a pair is missing. If so, it counts the pair and widens the
// bounds of the difference, since the missing answer may have been right or wrong.
func (u *Unanswered) take(a, b *run.Row) bool {
	if a.Counts() && b.Counts() {
		return false
	}
	u.Count++
	for _, x := range []struct {
		row            *run.Row
		missing, infra *int
		sign           float64
	}{{a, &u.MissingA, &u.InfraA, 1}, {b, &u.MissingB, &u.InfraB, -1}} {
		switch {
		case x.row.Counts():
			u.low += x.sign * stats.One(x.row.Score.Strict)
			u.high += x.sign * stats.One(x.row.Score.Strict)
			continue
		case x.row.Reply == nil:
			*x.missing++
		default:
			*x.infra++
		}
		u.low += min(0, x.sign)
		u.high += max(0, x.sign)
	}
	return true
}

// worst bounds the difference over all pairs, with the missing answers all against A and all for A.
// It is nil if none is missing.
func (p *Pairing) worst(all *Group) *stats.Interval {
	u := &p.Unanswered
	if u.Count == 0 {
		return nil
	}
	known, n := float64(all.Pairs.OnlyA-all.Pairs.OnlyB), float64(p.Pairs+u.Count)
	return &stats.Interval{Low: (known + u.low) / n, High: (known + u.high) / n}
}

// unpairable says why there are no pairs.
func unpairable(a, b *answers, p *Pairing) error {
	why := "they were asked different questions"
	switch {
	case p.Unanswered.Count > 0:
		why = "no question was answered in both"
	case apart(a.modes, b.modes):
		why = fmt.Sprintf("A has the modes %s and B has %s: choose one of each", words.Joined(a.modes), words.Joined(b.modes))
	case apart(a.encodings, b.encodings):
		why = fmt.Sprintf("A has the encodings %s and B has %s: choose one of each", words.Joined(a.encodings), words.Joined(b.encodings))
	}
	return fmt.Errorf("no answers in %s and %s can be paired: %s", a.run.Dir, b.run.Dir, why)
}

// apart reports whether two sides share no mode, or no encoding, and one has several, so that it is
// not clear which to pair.
func apart[T comparable](a, b []T) bool {
	return len(a)+len(b) > 2 && !slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}
