package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/chart"
	"ein/internal/lists"
	"ein/internal/page"
	"ein/internal/stats"
	"ein/internal/words"
)

// Arm holds the rows of a run in one mode and encoding.
type Arm struct {
	Run      *run.Run
	Mode     prompt.Mode
	Encoding surface.Encoding
	Name     string // tells it from the others

	all    []*run.Row // asked for
	scored []*run.Row // with an outcome that counts
	marked int        // how many these are
	infra  int        // infrastructure errors
	bare   int        // replies that are not scored
}

// baseOf returns the id that an instance shares with its variants in other encodings.
func baseOf(it *run.Row) string {
	if it.Encoding == surface.NL {
		return it.ID
	}
	return instance.Base(it.ID)
}

// Missing returns how many rows have no reply.
func (a *Arm) Missing() int { return len(a.all) - len(a.scored) - a.infra - a.bare }

// arms divides runs into arms, in the order of the runs, their modes and encodings.
func arms(runs []*run.Run) []*Arm {
	var list []*Arm
	for _, r := range runs {
		type key struct {
			m prompt.Mode
			e surface.Encoding
		}
		byKey := map[key]*Arm{}
		for _, m := range r.Config.Modes {
			for _, e := range r.Config.Encodings {
				byKey[key{m, e}] = &Arm{Run: r, Mode: m, Encoding: e, all: make([]*run.Row, 0, r.Config.Instances.Count*r.Config.Samples)}
				list = append(list, byKey[key{m, e}])
			}
		}
		for i := range r.Rows {
			row := &r.Rows[i]
			k := key{row.Mode, row.Encoding}
			if byKey[k] == nil {
				byKey[k] = &Arm{Run: r, Mode: k.m, Encoding: k.e}
				list = append(list, byKey[k])
			}
			byKey[k].add(row)
		}
	}
	for _, a := range list {
		if a.scored = a.all; a.marked < len(a.all) {
			a.scored = only(a.all, (*run.Row).Counts)
		}
	}
	name(list)
	return list
}

// add adds a row and counts by what it has: a score that counts, an infrastructure error, or a
// reply without a score.
func (a *Arm) add(it *run.Row) {
	a.all = append(a.all, it)
	switch {
	case it.Counts():
		a.marked++
	case it.Score != nil:
		a.infra++
	case it.Reply != nil:
		a.bare++
	}
}

// name names the arms: by the model, and by whatever else distinguishes them.
func name(list []*Arm) {
	encodings := lists.Set(lists.Map(list, func(a *Arm) surface.Encoding { return a.Encoding }))
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = fmt.Sprintf("%s, %s", brief(a.Run.Config.Model), a.Mode)
		if len(encodings) > 1 {
			names[i] += ", " + string(a.Encoding)
		}
	}
	unique(names, func(i int) string { return list[i].Run.Dir })
	for i, a := range list {
		a.Name = names[i]
	}
}

// unique makes repeated names unique, by the folder of the run and, if that is not enough, by a
// number.
func unique(names []string, dir func(int) string) {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, n := range names {
		if count[n] > 1 {
			names[i] += " (" + brief(filepath.Base(dir(i))) + ")"
		}
	}
	clear(count)
	for i, n := range names {
		if count[n]++; count[n] > 1 {
			names[i] += fmt.Sprintf(" #%d", count[n])
		}
	}
}

// only returns the items that a condition holds for.
func only(items []*run.Row, keep func(*run.Row) bool) []*run.Row {
	list := slices.DeleteFunc(slices.Clone(items), func(it *run.Row) bool { return !keep(it) })
	return slices.Clone(list) // without the room of a million rows
}

func level(items []*run.Row, l string) []*run.Row {
	return only(items, func(it *run.Row) bool { return it.Instance.Level == l })
}

// shareOf counts the items for which a condition holds, clustered by structure. It is nil if there
// are no items.
func shareOf(items []*run.Row, holds func(*run.Row) bool) *stats.Share {
	values := make([]float64, len(items))
	clusters := make([]uint64, len(items))
	for i, it := range items {
		values[i], clusters[i] = stats.One(holds(it)), it.Structure()
	}
	return stats.ShareOf(values, clusters, stats.Confidence)
}

// percent converts a share to percent.
func percent(s *stats.Share) chart.Value {
	if s == nil {
		return chart.Missing()
	}
	return points(s.Rate, s.Interval, s.N)
}

// share returns the share of items for which a condition holds, in percent with its interval.
func share(items []*run.Row, holds func(*run.Row) bool) chart.Value {
	return percent(shareOf(items, holds))
}

// drop returns the share of a less that of b, which are different items, in points.
func drop(a, b []*run.Row, holds func(*run.Row) bool) chart.Value {
	p, q := shareOf(a, holds), shareOf(b, holds)
	if p == nil || q == nil {
		return chart.Missing()
	}
	return points(p.Rate-q.Rate, stats.Newcombe(p.Effective(), q.Effective(), stats.Confidence), p.N+q.N)
}

// per returns a ratio of sums, with an interval over clusters.
func per(items []*run.Row, num, den func(*run.Row) float64) chart.Value {
	index := map[uint64]int{}
	var a, b []float64
	for _, it := range items {
		k, ok := index[it.Structure()]
		if !ok {
			k = len(a)
			index[it.Structure()] = k
			a, b = append(a, 0), append(b, 0)
		}
		a[k] += num(it)
		b[k] += den(it)
	}
	v, i := stats.Ratio(a, b, stats.Confidence)
	if !(math.Abs(v) <= math.MaxFloat64) {
		return chart.Missing()
	}
	if v == 0 {
		i = stats.Interval{Low: math.NaN(), High: math.NaN()}
	}
	return chart.Value{V: v, Low: i.Low, High: i.High, N: len(items)}
}

// notes lists what a reader must know before comparing arms.
func notes(r *Report) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if len(r.Runs) == 0 {
		say("No runs.")
	}
	for _, a := range r.Arms {
		if n := a.Missing(); n > 0 {
			say("%s: %d of %d questions have no reply; all shares are of the rest.", a.Name, n, len(a.all))
		}
		if a.infra > 0 {
			say("%s: %s lost to infrastructure errors; no share counts them.", a.Name, words.Plural(a.infra, "reply was", "replies were"))
		}
		if a.bare > 0 {
			say("%s: %d replies have no score and are in no table, and the row is not ranked; score the run first.", a.Name, a.bare)
		}
		if slices.ContainsFunc(r.levels(), func(l string) bool {
			items := level(a.scored, l)
			return stats.TooFew(len(lists.Set(lists.Map(items, (*run.Row).Structure))), len(items))
		}) {
			say("%s: some rows have several answers to each of fewer than ten structures; their intervals are too narrow, by simulations 85 to 97 %% ones in place of 95 %%.", a.Name)
		}
		if n := len(a.scored) - len(spent(a.scored)); n > 0 && n < len(a.scored) {
			say("%s: the provider did not count the tokens of %d of %d replies, or only in part; no token and no cost is theirs.", a.Name, n, len(a.scored))
		}
		if len(a.all) == 0 {
			say("%s: no questions were asked.", a.Name)
		}
	}
	return append(list, differences(r.Arms)...)
}

// differences says which arms were not asked the same questions.
func differences(arms []*Arm) []string {
	if len(arms) < 2 {
		return nil
	}
	sets := lists.Map(arms, func(a *Arm) map[string]bool {
		return lists.Set(lists.Map(a.all, baseOf))
	})
	var list []string
	for i := 1; i < len(arms); i++ {
		shared := 0
		for id := range sets[i] {
			if sets[0][id] {
				shared++
			}
		}
		if shared < len(sets[0]) || shared < len(sets[i]) {
			list = append(list, fmt.Sprintf("%s and %s were asked different questions: %d and %d, with %d in common. Part of the difference between them may be due to the questions.",
				arms[0].Name, arms[i].Name, len(sets[0]), len(sets[i]), shared))
		}
	}
	if len(list) > 6 {
		list = append(list[:6], fmt.Sprintf("%s not asked the same questions as %s.", words.Plural(len(list)-6, "more row was", "more rows were"), arms[0].Name))
	}
	return list
}

// levels returns the levels that occur, in order.
func (r *Report) levels() []string {
	var list []string
	for _, a := range r.Arms {
		for _, it := range a.all {
			list = lists.Add(list, it.Instance.Level)
		}
	}
	slices.Sort(list)
	return list
}

// brief shortens a name so that it fits a row: paths and checkpoints differ at their end.
func brief(s string) string {
	const most = 60
	r := []rune(page.Visible(s))
	if len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
	}
	return string(r)
}
