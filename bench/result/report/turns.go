package report

import (
	"slices"
	"strconv"

	"ein/bench/ask/run"
	"ein/bench/question/prompt"
	"ein/internal/chart"
	"ein/internal/stats"
)

// samples counts the scored samples of a question, or other answers to a structure.
type samples struct {
	cluster uint64
	right   int
	n       int
	votes   map[uint64]int // by answer
	winners map[uint64]bool
}

// passes returns pass@k: the chance that at least one of k samples is right, drawn without replacement
// from those there are.
func (s *samples) passes(k int) float64 {
	none := 1.0
	for i := range k {
		none *= max(0, float64(s.n-s.right-i)) / float64(s.n-i)
	}
	return 1 - none
}

// majority returns the chance that the most common answer is right; equally common answers are
// equally likely to be it. Samples without an answer do not vote.
func (s *samples) majority() float64 {
	most, first, right := 0, 0, 0
	for _, n := range s.votes {
		most = max(most, n)
	}
	for vote, n := range s.votes {
		if n == most {
			first++
			if s.winners[vote] {
				right++
			}
		}
	}
	if first == 0 {
		return 0
	}
	return float64(right) / float64(first)
}

// samples groups the items of an arm by structure and something else, as by question; most is the
// largest group.
func (r *Report) samples(items []*run.Row, by func(*run.Row) uint64) (list []*samples, most int) {
	of := map[[2]uint64]*samples{}
	for _, it := range items {
		k := [2]uint64{it.Structure(), by(it)}
		s := of[k]
		if s == nil {
			s = &samples{cluster: it.Structure(), votes: map[uint64]int{}, winners: map[uint64]bool{}}
			of[k], list = s, append(list, s)
		}
		s.n++
		most = max(most, s.n)
		if vote := it.Said(); vote != 0 {
			s.votes[vote]++
			s.winners[vote] = s.winners[vote] || r.right(it)
		}
		if r.right(it) {
			s.right++
		}
	}
	return list, most
}

// mean returns a mean over questions in percent. Its interval is Wilson's, which is meant for
// values of 0 or 1: values between vary less, so each is worth more answers, at most its samples.
func mean(list []*samples, of func(*samples) float64) chart.Value {
	values, clusters, sum, n := make([]float64, len(list)), make([]uint64, len(list)), 0.0, 0
	for i, s := range list {
		values[i], clusters[i] = of(s), s.cluster
		sum += values[i]
		n += s.n
	}
	p := stats.Proportion{Right: sum, N: float64(len(list))}
	effect := stats.DesignEffect(values, clusters)
	if se, q := stats.Clustered(values, clusters).SE, p.Rate()*(1-p.Rate())/(p.N-1); se >= 0 && q > 0 {
		effect = max(se*se/q, p.N/float64(n))
	}
	i := p.Effective(effect).Wilson(stats.Confidence)
	return chart.Value{V: 100 * p.Rate(), Low: 100 * i.Low, High: 100 * i.High, N: len(list)}
}

// buildSamples reports what several samples of a question achieve together.
func buildSamples(r *Report, s *Section) error {
	t := &Table{ID: "samples", Title: "Several samples of a question", Keys: []string{"model, mode", "k"},
		Columns: []Column{{"pass", "pass@k", Percent}, {"majority", "majority", Percent}},
		Caption: "The share of questions (" + r.Options.Scoring() + ") with at least one right answer among k samples, estimated without bias from all samples, and whose most common answer is right, with ties broken by chance. " +
			"Questions without k scored samples are left out. 95 % intervals by Wilson, with structures as clusters."}
	for _, a := range r.Arms {
		all, most := r.samples(a.scored, (*run.Row).Surface)
		for k := 1; most > 1 && k <= most; k = min(2*k, max(most, k+1)) {
			var list []*samples
			for _, q := range all {
				if q.n >= k {
					list = append(list, q)
				}
			}
			row := Row{Keys: []string{a.Name, strconv.Itoa(k)}, Cells: []chart.Value{mean(list, func(q *samples) float64 { return q.passes(k) }), chart.Missing()}}
			if k == most {
				row.Cells[1] = mean(list, (*samples).majority)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	s.Tables = append(s.Tables, t)
	return nil
}

// buildTurns reports what tools did for the answers in the mode that has them.
func buildTurns(r *Report, s *Section) error {
	arms := slices.DeleteFunc(slices.Clone(r.Arms), func(a *Arm) bool { return a.Mode != prompt.Tool })
	if len(arms) == 0 {
		return nil
	}
	failed := func(it *run.Row) bool { return it.Dialogue().First }
	t := &Table{ID: "turns", Title: "Accuracy over turns", Keys: []string{"model, mode", "turn"},
		Columns: []Column{{"ended", "answered by then", Percent}, {"accuracy", "right by then", Percent}, {"own", "right of those that answer there", Percent}},
		Caption: "A turn is a request to the model; the last may call no tools. Right by then is the accuracy (" + r.Options.Scoring() + ") had the run ended with that turn. 95 % intervals by Wilson, with structures as clusters."}
	for _, a := range arms {
		last := 1
		for _, it := range a.scored {
			last = max(last, int(it.Dialogue().Turns)+1)
		}
		for k := 1; k <= last; k++ {
			ended := func(it *run.Row) bool { return int(it.Dialogue().Turns) < k }
			t.Rows = append(t.Rows, Row{Keys: []string{a.Name, strconv.Itoa(k)}, Cells: []chart.Value{share(a.scored, ended),
				share(a.scored, func(it *run.Row) bool { return ended(it) && r.right(it) }),
				share(only(a.scored, func(it *run.Row) bool { return int(it.Dialogue().Turns) == k-1 }), r.right)}})
		}
	}
	s.Tables = append(s.Tables, t, armTable("mended", "First programs that failed",
		"How often the first program that a model gave to a tool failed, how often a later one ran, and the accuracy ("+r.Options.Scoring()+") of each kind. 95 % intervals by Wilson, with structures as clusters.", arms,
		[]Column{{"turns", "mean turns", Number}, {"tools", "called a tool", Percent}, {"failed", "first program failed", Percent}, {"mended", "of these mended", Percent}, {"right_mended", "right when mended", Percent}, {"right_first", "right when the first ran", Percent}},
		func(a *Arm) []chart.Value {
			called := func(it *run.Row) bool { return it.Dialogue().Turns > 0 }
			mended := func(it *run.Row) bool { return it.Dialogue().Mended }
			return []chart.Value{per(a.scored, func(it *run.Row) float64 { return float64(it.Dialogue().Turns) + 1 }, one),
				share(a.scored, called), share(only(a.scored, called), failed), share(only(a.scored, failed), mended), share(only(a.scored, mended), r.right),
				share(only(a.scored, func(it *run.Row) bool { return called(it) && !failed(it) }), r.right)}
		}))
	return nil
}
