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
	confidence := r.confidence()
	rows := [][]string{{"", "asked", "no reply", "infra", "strict %", confidence, "stratified SE", "relaxed %", confidence, "lenient %", confidence}}
	for i, s := range []*Summary{&r.A, &r.B} {
		fmt.Fprintf(b, "%c  %s, %s, %s: %s\n", "AB"[i], s.Model, words.Joined(s.Modes), words.Joined(s.Encodings), s.Dir)
		row := []string{"AB"[i : i+1], words.Count(s.Asked), words.Count(s.Missing), words.Count(s.Infra)}
		for _, m := range answer.Modes() {
			rate, interval := show.Share(s.In(m))
			if row = append(row, rate, interval); m == answer.Strict {
				row = append(row, shown(s.StratifiedSE, points))
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(b, "\n%s", table.Of(rows).Text())
}

func (r *Report) confidence() string { return show.Percent(1 - r.Alpha) }

// pairing writes how many answers have partners, and which are left out and why.
func (r *Report) pairing(b *strings.Builder) {
	p := &r.Pairing
	fmt.Fprintf(b, "\nPaired by %s: %s of %s.\n", p.By, words.Plural(p.Pairs, "pair"), words.Plural(p.Structures, "structure"))
	if u := p.Unanswered; u.Count > 0 {
		var why []string
		for _, x := range []struct {
			n    int
			what string
		}{{u.MissingA, "no reply in A"}, {u.MissingB, "no reply in B"}, {u.InfraA, "infra error in A"}, {u.InfraB, "infra error in B"}} {
			if x.n > 0 {
				why = append(why, words.Count(x.n)+" "+x.what)
			}
		}
		fmt.Fprintf(b, "%s left out: %s.\n", words.Plural(u.Count, "pair"), strings.Join(why, ", "))
	}
	for i, x := range []*Unpaired{&p.OnlyA, &p.OnlyB} {
		if x.Count == 0 {
			continue
		}
		fmt.Fprintf(b, "%s only in %c, not paired:\n", words.Plural(x.Count, "answer"), "AB"[i])
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
		fmt.Fprintf(b, "\n%s", table.Of(rows).Text())
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
		rows = append(rows, append([]string{what + " for a reply", show.Fixed(s.A/n, digits), "", show.Fixed(s.B/n, digits), ""}, ratio(s.Ratio, 2)...),
			slices.Concat([]string{what + " for a correct one"}, ratio(s.PerRightA, digits), ratio(s.PerRightB, digits), ratio(s.PerRightRatio, 2)))
	}
	add("output tokens", &r.Tokens, 1)
	if r.Cost != nil {
		add("dollars", r.Cost, 5)
	}
	fmt.Fprintf(b, "\n%s", table.Of(rows).Text())
	b.WriteString("\nIntervals by the jackknife over structures, on a log scale.")
	if r.Tokens.Pairs < r.Pairing.Pairs {
		fmt.Fprintf(b, " Tokens are counted\non both sides of %d of the %d pairs.", r.Tokens.Pairs, r.Pairing.Pairs)
	}
	b.WriteString("\n")
}

// flat writes for each side whether its accuracy is equal on all levels within the margin, and
// how sensitive the questions of each level are, as that may explain a difference.
func (r *Report) flat(b *strings.Builder) {
	for i, f := range []*Flatness{r.A.Flatness, r.B.Flatness} {
		if f == nil {
			continue
		}
		verdict := "not shown to be flat"
		if f.Flat {
			verdict = "flat"
		}
		var rates, edits []string
		for _, l := range f.Levels {
			rates, edits = append(rates, l.Name+" "+show.Rate(l.Rate)+" %"), append(edits, l.Name+" "+shown(l.Sensitivity, show.Rate)+" %")
		}
		fmt.Fprintf(b, "\n%c is %s across levels within %s points (p %s): strict %s.\n  edge edits that change the answer: %s\n",
			"AB"[i], verdict, show.Rate(r.Margin), show.P(f.P), strings.Join(rates, ", "), strings.Join(edits, ", "))
		for _, p := range f.Pairs {
			fmt.Fprintf(b, "  %s - %s  %s, %s interval %s, p %s", p.A, p.B, show.Points(p.Difference), show.Percent(1-2*r.Alpha), show.Span(p.CI), show.P(p.P))
			if p.Like != nil && !math.IsNaN(p.LikeInterval.Low) {
				fmt.Fprintf(b, "; at equal sensitivity %s, %s interval %s", show.Points(*p.Like), show.Percent(1-r.Alpha), show.Span(p.LikeInterval))
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "  trend    %s per level, %s, p %s. Flat within a margin of %s or more.\n",
			show.Points(f.Trend), show.Span(f.TrendCI), show.P(f.TrendP), show.Rate(f.Smallest))
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

// ratio shows a ratio and its interval, whose upper end may be unbounded.
func ratio(r Ratio, digits int) []string {
	value := shown(r.Value, func(x float64) string { return show.Fixed(x, digits) })
	if math.IsNaN(r.Interval.Low) || r.Value == nil {
		return []string{value, show.None}
	}
	high := show.Fixed(r.Interval.High, digits)
	if math.IsInf(r.Interval.High, 1) {
		high = "unbounded"
	}
	return []string{value, show.Fixed(r.Interval.Low, digits) + "-" + high}
}
