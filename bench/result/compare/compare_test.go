package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/prompt"
	"ein/bench/question/surface"
	"ein/internal/golden"
	"ein/internal/stats"
)

// ask returns a run without replies: some categories of each level, in modes, encodings and
// samples.
func ask(t *testing.T, name string, perCategory, samples int, modes []prompt.Mode, encodings []surface.Encoding) *run.Run {
	t.Helper()
	r := &run.Run{Dir: name, Config: run.Config{Model: "test:" + name, Modes: modes, Encodings: encodings, Samples: samples}}
	for _, category := range []string{"reachability", "degree_count", "reach_then_count", "conditional"} {
		for i := range perCategory {
			for _, encoding := range encodings {
				id := instance.NewID("heldout", category, i, 42)
				id.Encoding = encoding
				in, _, err := instance.Generate(id)
				if err != nil {
					t.Fatal(err)
				}
				for _, mode := range modes {
					for sample := range samples {
						r.Rows = append(r.Rows, run.Row{Instance: in, Key: run.Key{ID: in.ID, Mode: mode, Sample: sample}, Encoding: encoding})
					}
				}
			}
		}
	}
	return r
}

var (
	direct = []prompt.Mode{prompt.Direct}
	nl     = []surface.Encoding{surface.NL}
)

// reply gives a row a reply with an outcome.
func reply(row *run.Row, o answer.Outcome, tokens int64) {
	row.Reply = &run.Reply{Key: row.Key}
	row.Reply.Usage.Input, row.Reply.Usage.Output = 1, tokens
	row.Reply.Cost = float64(tokens) / 1e6
	row.Score = &run.Score{Key: row.Key, Verdict: verdict.Verdict{Topic: verdict.Topic{Category: row.Instance.Category, Level: row.Instance.Level},
		Result: answer.Result{Outcome: o, Judgements: o.Judgements()}}}
}

// fill replies to all, right with a probability.
func fill(r *run.Run, p float64, tokens int64, seed uint64) *run.Run {
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range r.Rows {
		o := answer.Wrong
		switch u := random.Float64(); {
		case u < p:
			o = answer.StrictlyRight
		case u < p+0.1:
			o = answer.LenientOnly
		}
		reply(&r.Rows[i], o, tokens+random.Int64N(tokens))
	}
	return r
}

func compare(t *testing.T, a, b *run.Run, opt Options) *Report {
	t.Helper()
	r, err := Compare(a, b, opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("as JSON: %v", err)
	}
	return r
}

// TestAgainstLoops compares the counts with those of plain loops over rows in
// another order, with answers that are missing and that failed.
func TestAgainstLoops(t *testing.T) {
	modes := []prompt.Mode{prompt.Direct, prompt.Ein}
	encodings := []surface.Encoding{surface.NL, surface.JSON}
	for seed := range uint64(5) {
		a := fill(ask(t, "a", 6, 2, modes, encodings), 0.7, 100, seed)
		b := fill(ask(t, "b", 8, 1, modes, encodings), 0.5, 200, seed+100)
		random := rand.New(rand.NewPCG(seed, 2))
		for _, r := range []*run.Run{a, b} {
			for i := range r.Rows {
				switch random.IntN(10) {
				case 0:
					r.Rows[i].Reply, r.Rows[i].Score = nil, nil
				case 1:
					reply(&r.Rows[i], answer.InfraError, 0)
				}
			}
			random.Shuffle(len(r.Rows), func(i, j int) { r.Rows[i], r.Rows[j] = r.Rows[j], r.Rows[i] })
		}
		var want, level stats.Paired
		var tokens float64
		both, left := 0, 0
		var low, high float64
		for _, x := range a.Rows {
			for _, y := range b.Rows {
				if x.Key != y.Key {
					continue
				}
				both++
				if x.Reply == nil || y.Reply == nil || x.Score.Outcome == answer.InfraError || y.Score.Outcome == answer.InfraError {
					left++
					for _, side := range []struct {
						row  run.Row
						sign float64
					}{{x, 1}, {y, -1}} {
						if side.row.Reply != nil && side.row.Score.Outcome != answer.InfraError {
							low, high = low+side.sign*stats.One(side.row.Score.Strict), high+side.sign*stats.One(side.row.Score.Strict)
						} else {
							low, high = low+min(0, side.sign), high+max(0, side.sign)
						}
					}
					continue
				}
				want.Add(x.Score.Strict, y.Score.Strict)
				tokens += float64(x.Reply.Usage.Output)
				if x.Instance.Level == "L1" {
					level.Add(x.Score.Strict, y.Score.Strict)
				}
			}
		}
		r := compare(t, a, b, Options{})
		if g := r.Strict.All; g.Pairs != want || r.Tokens.A != tokens || r.Pairing.Pairs != want.N() {
			t.Errorf("%v of %d pairs, tokens %v; want %v, %v", g.Pairs, r.Pairing.Pairs, r.Tokens.A, want, tokens)
		}
		known := float64(want.OnlyA - want.OnlyB)
		if w := (stats.Interval{Low: (known + low) / float64(both), High: (known + high) / float64(both)}); *r.Worst != w {
			t.Errorf("between %v, want %v", *r.Worst, w)
		}
		if r.Strict.Levels[0].Name != "L1" || r.Strict.Levels[0].Pairs != level {
			t.Errorf("L1: %+v, want %v", r.Strict.Levels[0], level)
		}
		p := r.Pairing
		if p.Unanswered.Count != left || p.OnlyA.Count != len(a.Rows)-both || p.OnlyB.Count != len(b.Rows)-both {
			t.Errorf("%+v, want %d left out, %d of A and %d of B alone", p, left, len(a.Rows)-both, len(b.Rows)-both)
		}
		if u := p.Unanswered; u.MissingA+u.MissingB+u.InfraA+u.InfraB < u.Count {
			t.Errorf("%+v has pairs without a reason", u)
		}
	}
}

// TestOwnPairs has the numbers of pairs on their own from package stats.
func TestOwnPairs(t *testing.T) {
	a, b := fill(ask(t, "a", 10, 1, direct, nl), 0.8, 100, 1), fill(ask(t, "b", 10, 1, direct, nl), 0.5, 300, 2)
	g := compare(t, a, b, Options{Alpha: 0.1}).Strict.All
	if g.Interval != g.Pairs.Tango(0.9) || g.P != g.Pairs.McNemarMidP() || g.DesignEffect != 1 || g.Clusters != 40 {
		t.Errorf("%+v", g)
	}
	if i := stats.Wilson(g.Pairs.Both+g.Pairs.OnlyA, 40, 0.9); g.A.Interval != i {
		t.Errorf("A is in %v, want %v", g.A.Interval, i)
	}
	// The textbook error of a mean of differences.
	d, n := g.Difference, 40.0
	want := math.Sqrt((float64(g.Pairs.Discordant()) - n*d*d) / (n - 1) / n)
	if math.Abs(*g.ClusterSE-want) > 1e-12 {
		t.Errorf("error %v, want %v", *g.ClusterSE, want)
	}
}

// TestClusters asks everything three times and gives the same answers: that is worth
// no more than once.
func TestClusters(t *testing.T) {
	a, b := fill(ask(t, "a", 10, 1, direct, nl), 0.8, 100, 1), fill(ask(t, "b", 10, 1, direct, nl), 0.5, 300, 2)
	once := compare(t, a, b, Options{}).Strict.All
	thrice := func(r *run.Run) *run.Run {
		out := &run.Run{Dir: r.Dir, Config: r.Config}
		for _, row := range r.Rows {
			for sample := range 3 {
				row.Sample = sample
				out.Rows = append(out.Rows, row)
			}
		}
		return out
	}
	g := compare(t, thrice(a), thrice(b), Options{}).Strict.All
	if g.Clusters != 40 || g.Pairs.N() != 120 || math.Abs(g.P-once.P) > 1e-9 || math.Abs(*g.ClusterSE-*once.ClusterSE) > 1e-12 {
		t.Errorf("three times %+v,\nonce %+v", g, once)
	}
	if g.McNemarMidP >= g.P {
		t.Errorf("McNemar's test says %v, of clusters %v", g.McNemarMidP, g.P)
	}
	if w, v := g.Interval.High-g.Interval.Low, once.Interval.High-once.Interval.Low; math.Abs(w/v-1) > 0.05 {
		t.Errorf("the interval is %v wide, once %v", w, v)
	}
	if n, m := *g.NeededUnpaired, *once.NeededUnpaired; math.Abs(n/m/3-1) > 0.05 {
		t.Errorf("unpaired runs need %v such answers each, once %v", n, m)
	}
}

// TestSame compares a run with itself.
func TestSame(t *testing.T) {
	a := fill(ask(t, "a", 5, 1, direct, nl), 0.6, 100, 3)
	r := compare(t, a, a, Options{})
	g := r.Strict.All
	if g.Difference != 0 || g.P != 1 || g.NeededObserved != nil || *r.Tokens.Ratio.Value != 1 || r.Tokens.Ratio.Interval != (stats.Interval{Low: 1, High: 1}) {
		t.Errorf("%+v, %+v", g, r.Tokens)
	}
	if g.Interval.Low > -0.02 || g.Interval.High < 0.02 {
		t.Errorf("20 equal pairs show that the difference is in %v", g.Interval)
	}
}

// TestFewStructures: what is too narrow is said to be.
func TestFewStructures(t *testing.T) {
	for perCategory, want := range map[int]bool{1: true, 5: false} {
		a := fill(ask(t, "a", perCategory, 1, []prompt.Mode{prompt.CoT, prompt.Ein}, nl), 0.6, 100, 4)
		if text := compare(t, a, a, Options{}).Text(); strings.Contains(text, "the intervals are too narrow") != want {
			t.Errorf("%d of each category:\n%s", perCategory, text)
		}
	}
}

// TestModesAndEncodings pairs answers to one question in several forms.
func TestModesAndEncodings(t *testing.T) {
	modes := []prompt.Mode{prompt.CoT, prompt.Ein}
	encodings := []surface.Encoding{surface.NL, surface.Matrix}
	a := fill(ask(t, "a", 5, 1, modes, encodings), 0.6, 100, 4)
	r := compare(t, a, a, Options{A: Side{Mode: prompt.CoT, Encoding: surface.NL}, B: Side{Mode: prompt.Ein, Encoding: surface.NL}})
	if r.Pairing.Pairs != 20 || r.Pairing.By != "question and sample, mode cot with ein" || r.Pairing.OnlyA.Count != 0 {
		t.Errorf("%+v", r.Pairing)
	}
	r = compare(t, a, a, Options{A: Side{Encoding: surface.NL}, B: Side{Encoding: surface.Matrix}})
	if r.Pairing.Pairs != 40 || r.Pairing.Structures != 20 || r.Pairing.By != "question, mode and sample, encoding nl with matrix" {
		t.Errorf("%+v", r.Pairing)
	}
	// Runs of one mode each need no choice.
	b := fill(ask(t, "b", 5, 1, []prompt.Mode{prompt.Python}, nl), 0.6, 100, 5)
	c := fill(ask(t, "c", 5, 1, direct, nl), 0.6, 100, 6)
	if r = compare(t, b, c, Options{}); r.Pairing.Pairs != 20 {
		t.Errorf("%+v", r.Pairing)
	}
}

func TestErrors(t *testing.T) {
	a := fill(ask(t, "a", 2, 1, direct, nl), 0.6, 100, 7)
	unscored := fill(ask(t, "b", 2, 1, direct, nl), 0.6, 100, 7)
	unscored.Rows[3].Score = nil
	other := fill(ask(t, "c", 2, 1, []prompt.Mode{prompt.Ein, prompt.CoT}, nl), 0.6, 100, 7)
	elsewhere := fill(ask(t, "d", 2, 1, direct, nl), 0.6, 100, 7)
	for i := range elsewhere.Rows {
		elsewhere.Rows[i].ID = fmt.Sprintf("mine-%d", i)
	}
	changed := fill(ask(t, "e", 2, 1, direct, nl), 0.6, 100, 7)
	in := *changed.Rows[0].Instance
	in.StructuralSeed++
	changed.Rows[0].Instance = &in
	for _, test := range []struct {
		a, b *run.Run
		opt  Options
		want string
	}{
		{a, unscored, Options{}, "b: replies without a score: 1; score them with `ein bench score b`"},
		{a, other, Options{}, "A has the modes direct and B has ein, cot: choose one of each"},
		{a, elsewhere, Options{}, "they were asked different questions"},
		{a, changed, Options{}, "is not the same question in a and in e"},
		{a, ask(t, "f", 2, 1, direct, nl), Options{}, "no question was answered in both"},
		{a, &run.Run{Dir: "g"}, Options{}, "g: the run has no questions"},
		{a, a, Options{A: Side{Mode: prompt.Ein}}, "the run has the modes direct"},
	} {
		if _, err := Compare(test.a, test.b, test.opt); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestFew compares as few answers as there can be: nothing is NaN in JSON.
func TestFew(t *testing.T) {
	a, b := ask(t, "a", 1, 1, direct, nl), ask(t, "b", 1, 1, direct, nl)
	for _, o := range []answer.Outcome{answer.StrictlyRight, answer.Wrong} {
		reply(&a.Rows[0], answer.StrictlyRight, 10)
		reply(&b.Rows[0], o, 0)
		r := compare(t, a, b, Options{})
		if text := r.Text(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Error(text)
		}
	}
	// Answers that are all alike do not tell the error of their mean.
	a, b = fill(a, 1, 10, 1), fill(b, -1, 10, 2)
	r := compare(t, a, b, Options{})
	if g := r.Strict.All; g.ClusterSE != nil || !math.IsNaN(g.ClusterInterval.Low) || r.A.StratifiedSE != nil || !math.IsNaN(r.B.Flatness.TrendCI.High) {
		t.Errorf("%+v, stratified %v, trend %v", g, r.A.StratifiedSE, r.B.Flatness.TrendCI)
	}
	// Replies whose tokens nobody counted have not taken 0 of them.
	fill(b, 1, 10, 2)
	for i := range b.Rows[1:] {
		b.Rows[i+1].Reply.Usage = model.Usage{}
	}
	if r := compare(t, a, b, Options{}); r.Tokens.Pairs != 1 || r.Tokens.A != float64(a.Rows[0].Reply.Usage.Output) || !strings.Contains(r.Text(), " of 1 of the ") {
		t.Errorf("%+v\n%s", r.Tokens, r.Text())
	}
	fill(b, -1, 10, 2)
	// What takes no correct answers at all is neither 0 nor infinitely many times another.
	if x, y := r.Tokens.PerRightRatio, compare(t, b, a, Options{}).Tokens.PerRightRatio; x.Value != nil || y.Value != nil {
		t.Errorf("%+v, turned %+v", x, y)
	}
}

// TestBounds compares so few answers that Student's t alone would go beyond all differences.
func TestBounds(t *testing.T) {
	a, b := ask(t, "a", 1, 1, direct, nl), ask(t, "b", 1, 1, direct, nl)
	for i := range a.Rows {
		one, other := answer.StrictlyRight, answer.Wrong
		if i == 1 {
			one, other = other, one
		}
		reply(&a.Rows[i], one, 10)
		reply(&b.Rows[i], other, 10)
	}
	if i := compare(t, a, b, Options{}).Strict.All.ClusterInterval; i != (stats.Interval{Low: -1, High: 1}) {
		t.Errorf("the difference is in %v", i)
	}
	reply(&a.Rows[1], answer.StrictlyRight, 10)
	reply(&b.Rows[1], answer.Wrong, 10)
	if n := *compare(t, a, b, Options{}).Strict.All.NeededUnpaired; n != 1 {
		t.Errorf("all right and all wrong need %v questions", n)
	}
}

// TestFlatness has runs that are flat, not flat, and too small to say.
func TestFlatness(t *testing.T) {
	level := func(name string, each int, shares map[string]float64) *Flatness {
		r := ask(t, name, each, 1, direct, nl)
		seen := map[string]int{}
		of := map[string]int{"L1": 2 * each, "L2": each, "L3": each}
		for i := range r.Rows {
			l := r.Rows[i].Instance.Level
			o := answer.Wrong
			if seen[l] < int(math.Round(shares[l]*float64(of[l]))) {
				o = answer.StrictlyRight
			}
			seen[l]++
			reply(&r.Rows[i], o, 10)
		}
		return compare(t, r, r, Options{}).A.Flatness
	}
	for _, test := range []struct {
		each       int
		l1, l2, l3 float64
		flat       bool
	}{
		{240, 0.95, 0.95, 0.95, true}, {240, 0.95, 0.9, 0.8, false}, {10, 1, 1, 1, false},
	} {
		f := level("a", test.each, map[string]float64{"L1": test.l1, "L2": test.l2, "L3": test.l3})
		if f.Flat != test.flat || len(f.Pairs) != 3 || f.Flat != (f.Smallest < DefaultMargin) {
			t.Errorf("%v: %+v", test, f)
		}
	}
}

// TestLike has answers that are right by how sensitive the questions are and by nothing
// else: a level with more of the sensitive ones is worse, and no worse among like ones.
func TestLike(t *testing.T) {
	answers := func(robust, sensitive int) (list []Answer[int]) {
		for i := range robust + sensitive {
			x := Answer[int]{Cluster: i, Sensitivity: 0.12}
			if i >= robust {
				x.Sensitivity = 0.57
			}
			if i%10 < 8 && i < robust || i%10 < 2 && i >= robust {
				x.Right = 1
			}
			list = append(list, x)
		}
		return list
	}
	alone := Answer[int]{Cluster: 7, Sensitivity: 1, Right: 1} // with none of the other side
	e, n := Like(append(answers(80, 20), alone), answers(20, 80))
	if i := e.Interval(0.95); math.Abs(e.Value) > 1e-9 || i.Low >= 0 || i.High <= 0 || n != 200 {
		t.Errorf("%+v of %d", e, n)
	}
	if e, n := Like(answers(10, 0), answers(0, 10)); !math.IsNaN(e.Value) || n != 0 {
		t.Errorf("%+v of %d", e, n)
	}
}

// TestLikeCoverage: intervals hold the truth where every tenth has few structures, each with many
// answers.
func TestLikeCoverage(t *testing.T) {
	const runs = 500
	r := rand.New(rand.NewPCG(5, 6))
	answers := func(structures int, rate float64) (list []Answer[int]) {
		for c := range structures {
			sensitivity := r.Float64()
			skill := r.Float64() * 2 * (rate - 0.2*sensitivity)
			for range 18 {
				list = append(list, Answer[int]{stats.One(r.Float64() < skill), c, sensitivity})
			}
		}
		return list
	}
	held := 0
	for range runs {
		e, _ := Like(answers(60, 0.5), answers(40, 0.4))
		if i := e.Interval(0.95); i.Low <= 0.1 && 0.1 <= i.High {
			held++
		}
	}
	if share := float64(held) / runs; share < 0.92 {
		t.Errorf("95 %% intervals hold the difference in %.3f of the cases", share)
	}
}

func TestText(t *testing.T) {
	a, b := fill(ask(t, "runs/a", 25, 1, direct, nl), 0.8, 100, 1), fill(ask(t, "runs/b", 25, 1, direct, nl), 0.5, 300, 2)
	a.Config.Price, b.Config.Price = &run.Price{}, &run.Price{}
	b.Rows[0].Reply, b.Rows[0].Score = nil, nil
	reply(&a.Rows[7], answer.InfraError, 0)
	a.Rows = a.Rows[:97]
	got := compare(t, a, b, Options{}).Text()
	golden.File(t, "testdata/compare.txt", got)
}

// TestBoard: the order is that of accuracy, the tests are those of Compare, and the ranks
// are what they leave.
func TestBoard(t *testing.T) {
	modes, encodings := []prompt.Mode{prompt.Direct}, []surface.Encoding{surface.NL}
	var entries []Entry
	for i, skill := range []float64{0.3, 0.95, 0.93, 0.6} {
		r := fill(ask(t, fmt.Sprint(i), 8, 1, modes, encodings), skill, 100, uint64(i))
		entries = append(entries, Entry{fmt.Sprint(i), r, Side{}})
	}
	b, err := NewBoard(entries, answer.Strict, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var p []float64
	for i := range b.Pairs {
		x := &b.Pairs[i]
		one, two := b.Standings[x.A], b.Standings[x.B]
		if one.Strict.Rate < two.Strict.Rate {
			t.Errorf("%s stands above %s", one.Name, two.Name)
		}
		of := func(s Standing) *run.Run {
			return entries[slices.IndexFunc(entries, func(e Entry) bool { return e.Name == s.Name })].Run
		}
		want := compare(t, of(one), of(two), Options{}).Strict.All
		if *x.P != want.P || *x.Difference != want.Difference || x.Interval != want.Interval || x.Pairs != want.Pairs.N() {
			t.Errorf("%+v, want %+v", x, want)
		}
		p = append(p, *x.P)
	}
	for i, holm := range stats.Holm(p) {
		if *b.Pairs[i].Holm != holm {
			t.Errorf("pair %d: %v, want %v", i, *b.Pairs[i].Holm, holm)
		}
	}
	ranks := ""
	for _, s := range b.Standings {
		ranks += fmt.Sprintf("%s %d-%d, ", s.Name, s.Best, s.Worst)
	}
	if want := "1 1-2, 2 1-2, 3 3-4, 0 3-4, "; ranks != want {
		t.Errorf("ranks %s want %s", ranks, want)
	}
	// Others were asked nothing in common with these.
	other := fill(ask(t, "other", 2, 1, modes, encodings), 0.5, 100, 9)
	for i := range other.Rows {
		other.Rows[i].ID += "9"
	}
	b, err = NewBoard(append(entries[:1:1], Entry{"other", other, Side{}}), answer.Strict, Options{})
	if err != nil || b.Pairs[0].Pairs != 0 || b.Pairs[0].P != nil || b.Standings[0].Worst != 2 {
		t.Errorf("%+v, %v", b.Pairs, err)
	}
}
