package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/answer"
	"ein/internal/stats"
	"ein/internal/stats/show"
	"ein/internal/table"
	"ein/internal/words"
)

// Text returns the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	r.sides(&b)
	r.pairing(&b)
	r.scorings(&b)
	r.design(&b)
	r.costs(&b)
	r.flat(&b)
	return b.String()
}

// sides writes who is compared and how often each is right.
func (r *Report) sides(b *strings.Builder) {
	for _, s := range []struct {
		name string
		*Summary
	}{{"A", &r.A}, {"B", &r.B}} {
		fmt.Fprintf(b, "%s  %s, %s, %s: %s\n", s.name, s.Model, words.Joined(s.Modes), words.Joined(s.Encodings), s.Dir)
	}
	confidence := r.confidence()
	rows := [][]string{{"", "asked", "no reply", "infra", "strict %", confidence, "stratified SE", "relaxed %", confidence, "lenient %", confidence}}
	for _, s := range []struct {
		name string
		*Summary
	}{{"A", &r.A}, {"B", &r.B}} {
		row := []string{s.name, words.Count(s.Asked), words.Count(s.Missing), words.Count(s.Infra)}
		for _, m := range answer.Modes() {
			rate, interval := show.Share(s.In(m))
			if row = append(row, rate, interval); m == answer.Strict {
				row = append(row, shown(s.StratifiedSE, points))
			}
		}
		rows = append(rows, row)
	}
	b.WriteString("\n")
	b.WriteString(table.Of(rows).Text())
}

func (r *Report) confidence() string { return show.Percent(1 - r.Alpha) }

// pairing writes how many answers have partners, and which are left out and why.
func (r *Report) pairing(b *strings.Builder) {
	p := &r.Pairing
	fmt.Fprintf(b, "\nPaired by %s: %s of %s.\n", p.By, words.Plural(p.Pairs, "pair"), words.Plural(p.Structures, "structure"))
	if u := p.Unanswered; u.Count > 0 {
		fmt.Fprintf(b, "%s left out:", words.Plural(u.Count, "pair"))
		separator := " "
		for _, x := range []struct {
			n    int
			what string
		}{{u.MissingA, "no reply in A"}, {u.MissingB, "no reply in B"}, {u.InfraA, "infra error in A"}, {u.InfraB, "infra error in B"}} {
			if x.n > 0 {
				fmt.Fprintf(b, "%s%s %s", separator, words.Count(x.n), x.what)
				separator = ", "
			}
		}
		b.WriteString(".\n")
	}
	for _, x := range []struct {
		name string
		Unpaired
	}{{"A", p.OnlyA}, {"B", p.OnlyB}} {
		if x.Count == 0 {
			continue
		}
		fmt.Fprintf(b, "%s only in %s, not paired:\n", words.Plural(x.Count, "answer"), x.name)
		for _, id := range x.First {
			fmt.Fprintf(b, "  %s\n", id)
		}
		if rest := x.Count - len(x.First); rest > 0 {
			fmt.Fprintf(b, "  and %s more\n", words.Count(rest))
		}
	}
}

// scorings writes a table for each mode of scoring; only the strict one lists categories.
func (r *Report) scorings(b *strings.Builder) {
	for _, m := range answer.Modes() {
		s := r.In(m)
		families := [][]*Group{s.Levels, {s.All}}
		if m == answer.Strict {
			families = slices.Insert(families, 0, s.Categories)
		}
		rows := [][]string{{string(m), "pairs", "A %", "B %", "A - B", r.confidence(), "A only", "B only", "p", "Holm"}}
		for _, family := range families {
			for _, g := range family {
				rows = append(rows, []string{g.Name, words.Count(g.Pairs.N()), show.Rate(g.A.Rate), show.Rate(g.B.Rate), show.Points(g.Difference), show.Span(g.Interval),
					words.Count(g.Pairs.OnlyA), words.Count(g.Pairs.OnlyB), show.P(g.P), show.P(g.Holm)})
			}
		}
		b.WriteString("\n")
		b.WriteString(table.Of(rows).Text())
	}
	what := "McNemar's mid-p"
	if r.Strict.All.Clusters < r.Strict.All.Pairs.N() {
		what = "the mid-p of the sign-flip test over structures, because some have several pairs"
	}
	fmt.Fprintf(b, "\nDifferences are in points, with intervals by Tango. p is %s;\nHolm adjusts it for the levels, and for the categories.\n", what)
}

// design writes what all pairs together say about the comparison itself.
func (r *Report) design(b *strings.Builder) {
	g := r.Strict.All
	b.WriteString("\nAll pairs, strict\n")
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-26s %s\n", name, fmt.Sprintf(format, args...))
	}
	if r.Worst != nil {
		line("with those left out", "%s, if all were against A, or all for A", show.Span(*r.Worst))
	}
	line("cluster-robust", "%s, error %s, %s; %s, design effect %s", show.Points(g.Difference), shown(g.ClusterSE, points), show.Span(g.ClusterInterval), words.Plural(g.Clusters, "structure"), show.Fixed(g.DesignEffect, 2))
	if stats.TooFew(g.Clusters, g.Pairs.N()) {
		line("few structures", "with several pairs each: the intervals are too narrow, p is not affected")
	}
	if v := r.Variance; v != nil && v.Total() > 0 {
		parts := []string{show.Rate(v.Structure/v.Total()) + " % structures"}
		if v.Surfaces {
			parts = append(parts, show.Rate(v.Surface/v.Total())+" % their wordings")
		}
		if v.Answers {
			parts = append(parts, show.Rate(v.Answer/v.Total())+" % samples and modes")
		}
		line("variance of a difference", "%s; the intervals include all of it", strings.Join(parts, ", "))
	}
	line("McNemar", "mid-p %s, exact %s; %s", show.P(g.McNemarMidP), show.P(g.McNemarExact), words.Plural(g.Pairs.Discordant(), "discordant pair"))
	line("unpaired", "z %s, p %s, %s", show.Fixed(g.UnpairedZ, 2), show.P(g.UnpairedP), show.Span(g.UnpairedInterval))
	if g.MinimumEffect == nil {
		line("least difference found", "none: too few pairs")
	} else {
		line("least difference found", "%s points, with a power of %s", shown(g.MinimumEffect, points), show.Percent(r.Power))
	}
	margin := show.Rate(r.Margin)
	if g.NeededObserved == nil {
		line("pairs needed", "%s for a difference of %s", needed(g.NeededMargin), margin)
	} else {
		line("pairs needed", "%s for the difference observed (%s of each run if not paired), %s for %s", needed(g.NeededObserved), needed(g.NeededUnpaired), needed(g.NeededMargin), margin)
	}
}

func needed(n *float64) string {
	if n == nil {
		return "no number"
	}
	return strconv.FormatFloat(*n, 'f', 0, 64)
}

// costs writes what a reply and a correct reply took on either side, and their ratio.
func (r *Report) costs(b *strings.Builder) {
	n := float64(r.Tokens.Pairs)
	rows := [][]string{{"", "A", r.confidence(), "B", r.confidence(), "A / B", r.confidence()}}
	add := func(what string, s *Spent, digits int) {
		rows = append(rows,
			[]string{what + " for a reply", show.Fixed(s.A/n, digits), "", show.Fixed(s.B/n, digits), "", times(s.Ratio), ratioSpan(s.Ratio, 2)},
			[]string{what + " for a correct one", value(s.PerRightA, digits), ratioSpan(s.PerRightA, digits), value(s.PerRightB, digits), ratioSpan(s.PerRightB, digits), times(s.PerRightRatio), ratioSpan(s.PerRightRatio, 2)})
	}
	add("output tokens", &r.Tokens, 1)
	if r.Cost != nil {
		add("dollars", r.Cost, 5)
	}
	b.WriteString("\n")
	b.WriteString(table.Of(rows).Text())
	b.WriteString("\nIntervals by the jackknife over structures, on a log scale.")
	if r.Tokens.Pairs < r.Pairing.Pairs {
		fmt.Fprintf(b, " Tokens are counted\non both sides of %d of the %d pairs.", r.Tokens.Pairs, r.Pairing.Pairs)
	}
	b.WriteString("\n")
}

// flat writes for each side whether its accuracy is equal on all levels within the margin, and
// how sensitive the questions of each level are, as that may explain a difference.
func (r *Report) flat(b *strings.Builder) {
	for _, s := range []struct {
		name string
		f    *Flatness
	}{{"A", r.A.Flatness}, {"B", r.B.Flatness}} {
		if s.f == nil {
			continue
		}
		verdict := "not shown to be flat"
		if s.f.Flat {
			verdict = "flat"
		}
		fmt.Fprintf(b, "\n%s is %s across levels within %s points (p %s): strict", s.name, verdict, show.Rate(r.Margin), show.P(s.f.P))
		for i, l := range s.f.Levels {
			separator := ", "
			if i == 0 {
				separator = " "
			}
			fmt.Fprintf(b, "%s%s %s %%", separator, l.Name, show.Rate(l.Rate))
		}
		b.WriteString(".\n")
		for i, l := range s.f.Levels {
			begin, end := ",", ""
			if i == 0 {
				begin = "  edge edits that change the answer:"
			}
			if i == len(s.f.Levels)-1 {
				end = "\n"
			}
			fmt.Fprintf(b, "%s %s %s %%%s", begin, l.Name, shown(l.Sensitivity, show.Rate), end)
		}
		for _, p := range s.f.Pairs {
			fmt.Fprintf(b, "  %s - %s  %s, %s interval %s, p %s", p.A, p.B, show.Points(p.Difference), show.Percent(1-2*r.Alpha), show.Span(p.CI), show.P(p.P))
			if p.Like != nil && !math.IsNaN(p.LikeInterval.Low) {
				fmt.Fprintf(b, "; at equal sensitivity %s, %s interval %s", show.Points(*p.Like), show.Percent(1-r.Alpha), show.Span(p.LikeInterval))
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "  trend    %s per level, %s, p %s. Flat within a margin of %s or more.\n",
			show.Points(s.f.Trend), show.Span(s.f.TrendCI), show.P(s.f.TrendP), show.Rate(s.f.Smallest))
	}
}

// points shows a share in points.
func points(x float64) string { return show.Fixed(100*x, 2) }

// shown shows a number that may be unknown.
func shown(x *float64, as func(float64) string) string {
	if x == nil {
		return show.None
	}
	return as(*x)
}

func times(r Ratio) string { return value(r, 2) }

func value(r Ratio, digits int) string {
	if r.Value == nil {
		return show.None
	}
	return show.Fixed(*r.Value, digits)
}

// ratioSpan shows the interval of a ratio, whose upper end may be unbounded.
func ratioSpan(r Ratio, digits int) string {
	if math.IsNaN(r.Interval.Low) || r.Value == nil {
		return show.None
	}
	high := show.Fixed(r.Interval.High, digits)
	if math.IsInf(r.Interval.High, 1) {
		high = "unbounded"
	}
	return show.Fixed(r.Interval.Low, digits) + "-" + high
}
