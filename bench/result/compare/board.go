package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/internal/lists"
	"ein/internal/stats"
	"ein/internal/stats/show"
	"ein/internal/table"
	"ein/internal/words"
)

// Entry selects the answers of a run in one mode and encoding for a board.
type Entry struct {
	Name string
	Run  *run.Run
	Side Side
}

// Board ranks entries by accuracy, with a test of every two.
type Board struct {
	Version   int         `json:"version"`
	Alpha     float64     `json:"alpha"`
	Scoring   answer.Mode `json:"scoring"`
	Standings []Standing  `json:"standings"`
	Pairs     []BoardPair `json:"pairs"`
}

// Standing is an entry with its range of ranks: below the entries that are significantly better
// (after Holm), above those that are significantly worse.
type Standing struct {
	Name    string `json:"name"`
	Best    int    `json:"best_rank"`
	Worst   int    `json:"worst_rank"`
	Summary `json:"summary"`
}

// BoardPair compares two standings, given by their indices. A is the one with the higher rank.
type BoardPair struct {
	A          int            `json:"a"`
	B          int            `json:"b"`
	Pairs      int            `json:"pairs"` // 0: they were not asked the same questions
	Structures int            `json:"structures"`
	OnlyA      int            `json:"only_a"`
	OnlyB      int            `json:"only_b"`
	Difference *float64       `json:"difference"`
	Interval   stats.Interval `json:"interval"`
	P          *float64       `json:"p"`
	Holm       *float64       `json:"p_holm"` // adjusted for all pairs
}

// Text returns the board for people.
func (b *Board) Text() string {
	rows := [][]string{{"", "rank", string(b.Scoring) + " %", show.Percent(1 - b.Alpha), "answers", "missing"}}
	for i := range b.Standings {
		s := &b.Standings[i]
		rank := strconv.Itoa(s.Best)
		if s.Worst > s.Best {
			rank += "-" + strconv.Itoa(s.Worst)
		}
		rate, interval := show.Share(s.In(b.Scoring))
		rows = append(rows, []string{s.Name, rank, rate, interval, words.Count(s.Asked - s.Missing - s.Infra), words.Count(s.Missing + s.Infra)})
	}
	pairs := [][]string{{"A", "B", "A - B", show.Percent(1 - b.Alpha), "pairs", "A only", "B only", "p", "Holm"}}
	for i := range b.Pairs {
		x := &b.Pairs[i]
		row := []string{b.Standings[x.A].Name, b.Standings[x.B].Name, show.None, show.None, "0", show.None, show.None, show.None, show.None}
		if x.Pairs > 0 {
			row = append(row[:2], show.Points(*x.Difference), show.Span(x.Interval), words.Count(x.Pairs), words.Count(x.OnlyA), words.Count(x.OnlyB), show.P(*x.P), show.P(*x.Holm))
		}
		pairs = append(pairs, row)
	}
	return table.Of(rows).Text() + "\n" + table.Of(pairs).Text() + fmt.Sprintf(`
Ranks are those that the paired tests leave, at a level of %g after Holm's correction for
all pairs: one more than the number of those that are better, to the number of all less
that of those that are worse.
`, b.Alpha)
}

// NewBoard compares every two entries on the questions that both have answered.
func NewBoard(entries []Entry, mode answer.Mode, opt Options) (*Board, error) {
	opt.complete()
	b := &Board{Version: 1, Alpha: opt.Alpha, Scoring: mode, Pairs: []BoardPair{}}
	all, summaries, order := make([]*answers, len(entries)), make([]Summary, len(entries)), lists.Upto(len(entries))
	for i, e := range entries {
		var err error
		if all[i], err = choose(e.Run, e.Side); err != nil {
			return nil, err
		}
		summaries[i] = all[i].summary(nil, &opt)
	}
	rate := func(i int) float64 {
		s := summaries[i].In(mode)
		if s == nil {
			return -1
		}
		return s.Rate
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rate(j), rate(i)) })
	for _, i := range order {
		b.Standings = append(b.Standings, Standing{entries[i].Name, 1, len(order), summaries[i]})
	}
	var p []float64
	var tested []int
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			x := BoardPair{A: i, B: j}
			if pairs, _, err := pair(all[order[i]], all[order[j]]); err == nil { // or there is nothing to compare
				g := &Group{}
				for _, q := range pairs {
					g.add(q.a.Score.In(mode), q.b.Score.In(mode), structureOf(q.a))
				}
				g.finish(&opt)
				x = BoardPair{i, j, g.Pairs.N(), g.Clusters, g.Pairs.OnlyA, g.Pairs.OnlyB, &g.Difference, g.Interval, &g.P, nil}
				p, tested = append(p, g.P), append(tested, len(b.Pairs))
			}
			b.Pairs = append(b.Pairs, x)
		}
	}
	for k, holm := range stats.Holm(p) {
		x := &b.Pairs[tested[k]]
		x.Holm = &holm
		if holm < opt.Alpha {
			// Each pair that the tests tell apart moves one end of each range by one, so a range is
			// what the others leave and not a rank by rate.
			better, worse := x.A, x.B
			if *x.Difference < 0 { // on the questions that both have answered
				better, worse = worse, better
			}
			b.Standings[worse].Best++
			b.Standings[better].Worst--
		}
	}
	return b, nil
}
