package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"ein/bench/stats"
)

// Text is the report for people.
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

func (r *Report) sides(b *strings.Builder) {
	for _, s := range []struct {
		name string
		*Summary
	}{{"A", &r.A}, {"B", &r.B}} {
		fmt.Fprintf(b, "%s  %s, %s, %s: %s\n", s.name, s.Model, list(s.Modes), list(s.Encodings), s.Dir)
	}
	confidence := r.confidence()
	rows := [][]string{{"", "asked", "no reply", "infra", "strict %", confidence, "stratified SE", "lenient %", confidence}}
	for _, s := range []struct {
		name string
		*Summary
	}{{"A", &r.A}, {"B", &r.B}} {
		row := []string{s.name, count(s.Asked), count(s.Missing), count(s.Infra)}
		row = append(row, share(s.Strict)...)
		row = append(row, points(s.StratifiedSE))
		rows = append(rows, append(row, share(s.Lenient)...))
	}
	b.WriteString("\n")
	align(b, rows)
}

func (r *Report) confidence() string { return percent(1 - r.Alpha) }

func (r *Report) pairing(b *strings.Builder) {
	p := &r.Pairing
	fmt.Fprintf(b, "\nPaired by %s: %s of %s.\n", p.By, plural(p.Pairs, "pair"), plural(p.Structures, "structure"))
	if u := p.Unanswered; u.Count > 0 {
		fmt.Fprintf(b, "%s left out:", plural(u.Count, "pair"))
		separator := " "
		for _, x := range []struct {
			n    int
			what string
		}{{u.MissingA, "no reply of A"}, {u.MissingB, "no reply of B"}, {u.InfraA, "infra error of A"}, {u.InfraB, "infra error of B"}} {
			if x.n > 0 {
				fmt.Fprintf(b, "%s%s %s", separator, count(x.n), x.what)
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
		fmt.Fprintf(b, "%s of %s alone, not paired:\n", plural(x.Count, "answer"), x.name)
		for _, id := range x.First {
			fmt.Fprintf(b, "  %s\n", id)
		}
		if rest := x.Count - len(x.First); rest > 0 {
			fmt.Fprintf(b, "  and %s more\n", count(rest))
		}
	}
}

func (r *Report) scorings(b *strings.Builder) {
	for _, s := range []struct {
		name   string
		groups [][]*Group
	}{
		{"strict", [][]*Group{r.Strict.Categories, r.Strict.Levels, {r.Strict.All}}},
		{"lenient", [][]*Group{r.Lenient.Levels, {r.Lenient.All}}},
	} {
		rows := [][]string{{s.name, "pairs", "A %", "B %", "A - B", r.confidence(), "A only", "B only", "p", "Holm"}}
		for _, family := range s.groups {
			for _, g := range family {
				rows = append(rows, []string{g.Name, count(g.Pairs.N()), number1(100 * g.A.Rate), number1(100 * g.B.Rate), signed(g.Difference), span(g.Interval),
					count(g.Pairs.OnlyA), count(g.Pairs.OnlyB), probability(g.P), probability(g.Holm)})
			}
		}
		b.WriteString("\n")
		align(b, rows)
	}
	what := "McNemar's mid-p"
	if r.Strict.All.Clusters < r.Strict.All.Pairs.N() {
		what = "the mid-p of the sign-flip test of structures, of which some have several pairs"
	}
	fmt.Fprintf(b, "\nDifferences are in points, with intervals by Tango. p is %s;\nHolm adjusts it for the levels, and for the categories.\n", what)
}

// design is what the pairs as a whole say about the comparison itself.
func (r *Report) design(b *strings.Builder) {
	g := r.Strict.All
	b.WriteString("\nAll pairs, strict\n")
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-26s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("cluster-robust", "%s, error %s, %s; %s, design effect %s", signed(g.Difference), points(g.ClusterSE), span(g.ClusterInterval), plural(g.Clusters, "structure"), number2(g.DesignEffect))
	line("McNemar", "mid-p %s, exact %s; %s", probability(g.McNemarMidP), probability(g.McNemarExact), plural(g.Pairs.Discordant(), "discordant pair"))
	line("if they were not paired", "z %s, p %s, %s", number2(g.UnpairedZ), probability(g.UnpairedP), span(g.UnpairedInterval))
	if g.MinimumEffect == nil {
		line("least difference found", "none: there are too few pairs")
	} else {
		line("least difference found", "%s points, with a power of %s", points(g.MinimumEffect), percent(r.Power))
	}
	switch {
	case g.NeededObserved == nil:
		line("pairs needed", "%s for a difference of %s", needed(g.NeededMargin), number1(100*r.Margin))
	default:
		line("pairs needed", "%s for the difference observed (%s of each run if not paired), %s for %s", needed(g.NeededObserved), needed(g.NeededUnpaired), needed(g.NeededMargin), number1(100*r.Margin))
	}
}

func needed(n *float64) string {
	if n == nil {
		return "no number"
	}
	return strconv.FormatFloat(*n, 'f', 0, 64)
}

func (r *Report) costs(b *strings.Builder) {
	n := float64(r.Pairing.Pairs)
	rows := [][]string{{"", "A", r.confidence(), "B", r.confidence(), "A / B", r.confidence()}}
	add := func(what string, s *Spent, digits int) {
		rows = append(rows,
			[]string{what + " for a reply", fixed(s.A/n, digits), "", fixed(s.B/n, digits), "", times(s.Ratio), ratioSpan(s.Ratio, 2)},
			[]string{what + " for a correct one", value(s.PerRightA, digits), ratioSpan(s.PerRightA, digits), value(s.PerRightB, digits), ratioSpan(s.PerRightB, digits), times(s.PerRightRatio), ratioSpan(s.PerRightRatio, 2)})
	}
	add("output tokens", &r.Tokens, 1)
	if r.Cost != nil {
		add("dollars", r.Cost, 5)
	}
	b.WriteString("\n")
	align(b, rows)
	fmt.Fprintf(b, "\nIntervals by BCa bootstrap of structures, %s resamples, seed %d.\n", count(r.Resamples), r.Seed)
}

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
		fmt.Fprintf(b, "\n%s is %s across levels within %s points (p %s): strict", s.name, verdict, number1(100*r.Margin), probability(s.f.P))
		for i, l := range s.f.Levels {
			separator := ", "
			if i == 0 {
				separator = " "
			}
			fmt.Fprintf(b, "%s%s %s %%", separator, l.Name, number1(100*l.Rate))
		}
		b.WriteString(".\n")
		for _, p := range s.f.Pairs {
			fmt.Fprintf(b, "  %s - %s  %s, %s interval %s, p %s\n", p.A, p.B, signed(p.Difference), percent(1-2*r.Alpha), span(p.CI), probability(p.P))
		}
		fmt.Fprintf(b, "  slope    %s for a level, %s; trend p %s. The least margin it would be flat within is %s.\n",
			signed(s.f.Slope), span(s.f.SlopeCI), probability(s.f.TrendP), number1(100*s.f.Smallest))
	}
}

// percent is a round share.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 4, 64) + " %" }

func number1(x float64) string { return fixed(x, 1) }
func number2(x float64) string { return fixed(x, 2) }

func fixed(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// points is a share in points.
func points(x *float64) string {
	if x == nil {
		return "-"
	}
	return number2(100 * *x)
}

// signed is a difference of shares in points.
func signed(x float64) string {
	s := number1(100 * x)
	if x > 0 && s != "0.0" {
		s = "+" + s
	}
	return s
}

func span(i stats.Interval) string {
	if math.IsNaN(i.Low) {
		return "-"
	}
	return signed(i.Low) + " to " + signed(i.High)
}

func share(s *stats.Share) []string {
	if s == nil {
		return []string{"-", "-"}
	}
	return []string{number1(100 * s.Rate), number1(100*s.Interval.Low) + "-" + number1(100*s.Interval.High)}
}

func times(r Ratio) string { return value(r, 2) }

func value(r Ratio, digits int) string {
	if r.Value == nil {
		return "-"
	}
	return fixed(*r.Value, digits)
}

func ratioSpan(r Ratio, digits int) string {
	if math.IsNaN(r.Interval.Low) || r.Value == nil {
		return "-"
	}
	high := fixed(r.Interval.High, digits)
	if math.IsInf(r.Interval.High, 1) {
		high = "unbounded"
	}
	return fixed(r.Interval.Low, digits) + "-" + high
}

func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "-"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// count is a number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return count(n) + " " + what
}

// align writes columns, the first to the left and the others to the right.
func align(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", width[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", width[i+1], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
