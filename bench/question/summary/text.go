package summary

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ein/bench/question/answer"
	"ein/bench/question/instance"
	"ein/bench/question/sensitivity"
	"ein/internal/lists"
	"ein/internal/table"
	"ein/internal/words"
)

// Text returns the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	groups := slices.Concat(r.Categories, r.Levels, []*Group{r.All})
	heading := func(s string) { fmt.Fprintf(&b, "\n%s\n\n", s) }

	b.WriteString("Instances, sizes and redraws\n\n")
	rows := [][]string{{"", "", "instances", "nodes", "mean", "density", "mean", "redraws each", "redrawn"}}
	for _, g := range groups {
		redraws, redrawn := fmt.Sprintf("%.2f", g.Redraws), percent(g.Redrawn)
		if g.Unknown > 0 {
			redraws, redrawn = "unknown", "unknown"
		}
		rows = append(rows, []string{g.Name, g.Level, strconv.Itoa(g.Instances), fmt.Sprintf("%g..%g", g.N.Min, g.N.Max), fmt.Sprintf("%.2f", g.N.Mean),
			fmt.Sprintf("%g..%g", g.Density.Min, g.Density.Max), fmt.Sprintf("%.3f", g.Density.Mean), redraws, redrawn})
	}
	b.WriteString(table.Of(rows).Text())

	heading("Answers, with nodes as numbers: majority is the share of the most common one")
	rows = [][]string{{"", "", "distinct", "majority", "true", "most common"}}
	for _, g := range groups {
		distinct, share := "", ""
		if g.Distinct > 0 {
			distinct = strconv.Itoa(g.Distinct)
		}
		if g.True != nil {
			share = percent(*g.True)
		}
		top := lists.Map(g.Top[:min(3, len(g.Top))], func(a Answer) string { return a.Text + " (" + percent(a.Share) + ")" })
		rows = append(rows, []string{g.Name, g.Result, distinct, percent(g.Majority), share, strings.Join(top, "  ")})
	}
	answers := table.Of(rows)
	answers.Columns[5].Words = true
	b.WriteString(answers.Text())

	heading("The best answer that is the same for every question, and how often it is right in each mode of scoring")
	rows = [][]string{{"", "strict", "", "relaxed", "lenient", ""}}
	for _, g := range groups { // a container makes no constant better: relaxed has the answer of strict
		strict, lenient := g.Constants[answer.Strict], g.Constants[answer.Lenient]
		rows = append(rows, []string{g.Name, percent(strict.Share), words.Shorten(strict.Answer, longAnswer), percent(g.Constants[answer.Relaxed].Share), percent(lenient.Share), words.Shorten(lenient.Answer, longAnswer)})
	}
	constants := table.Of(rows)
	constants.Columns[2].Words, constants.Columns[5].Words = true, true
	b.WriteString(constants.Text())

	heading("Sensitivity: the share of single edges dropped, added or reversed that changes the answer")
	rows = [][]string{{"", "", "all", "drops", "additions", "reversals"}}
	for _, g := range groups {
		rows = append(rows, []string{g.Name, g.Level, g.Sensitivity.percent(), g.Drops.percent(), g.Additions.percent(), g.Reversals.percent()})
	}
	b.WriteString(table.Of(rows).Text())

	heading("Mean lengths in characters, and in tokens (" + r.TokenEstimate + ")")
	rows = [][]string{{"", "", "question", "tokens", "Ein", "tokens", "Python", "tokens"}}
	for _, g := range groups {
		row := []string{g.Name, g.Level}
		for _, l := range []*Length{&g.Question, &g.Ein, &g.Python} {
			row = append(row, fmt.Sprintf("%.0f", l.Characters.Mean), fmt.Sprintf("%.0f", l.Tokens.Mean))
		}
		rows = append(rows, row)
	}
	b.WriteString(table.Of(rows).Text())

	levels := slices.Concat(r.Levels, []*Group{r.All})
	bins := nodeBins(r.All)
	heading("Number of nodes")
	b.WriteString(spread(levels, bins, instance.Range.String, func(g *Group, bin instance.Range) string { return strconv.Itoa(g.within(bin)) }))
	heading("Sensitivity by the number of nodes")
	b.WriteString(spread(levels, bins, instance.Range.String, func(g *Group, bin instance.Range) string { return g.sensitive(bin).percent() }))
	for _, axis := range []struct {
		title string
		of    func(g *Group) map[int]int
	}{
		{"Hops that searches need; 0 where nothing is searched for", func(g *Group) map[int]int { return g.Hops }},
		{"Operations that the program composes", func(g *Group) map[int]int { return g.Operations }},
	} {
		if values := slices.Sorted(maps.Keys(axis.of(r.All))); len(values) > 0 {
			heading(axis.title)
			b.WriteString(spread(groups, values, strconv.Itoa, func(g *Group, v int) string { return strconv.Itoa(axis.of(g)[v]) }))
		}
	}
	heading("Density, by the lower end of each bin")
	b.WriteString(spread(levels, slices.Sorted(maps.Keys(r.All.Densities)), strings.Clone, func(g *Group, low string) string { return strconv.Itoa(g.Densities[low]) }))
	if r.All.Insensible > 0 {
		fmt.Fprintf(&b, "\nThe sensitivity of %d instances is not known: they have more than %d nodes.\n", r.All.Insensible, sensitivity.MaxNodes)
	}
	if r.All.Unknown > 0 {
		fmt.Fprintf(&b, "\nRedraws are recomputed from the ids; %d of them are of another generator version.\n", r.All.Unknown)
	}
	return b.String()
}

// spread returns a table of groups with a column for each key.
func spread[K any](groups []*Group, keys []K, name func(K) string, cell func(*Group, K) string) string {
	rows := [][]string{{""}}
	for _, k := range keys {
		rows[0] = append(rows[0], name(k))
	}
	for _, g := range groups {
		rows = append(rows, append([]string{g.Name}, lists.Map(keys, func(k K) string { return cell(g, k) })...))
	}
	return table.Of(rows).Text()
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// within returns the number of instances in a bin of numbers of nodes.
func (g *Group) within(bin instance.Range) int {
	sum := 0
	for n := bin.Min; n <= bin.Max; n++ {
		sum += g.NCounts[n]
	}
	return sum
}

// sensitive returns the sensitivity of the instances in a bin.
func (g *Group) sensitive(bin instance.Range) (all Spread) {
	for n := bin.Min; n <= bin.Max; n++ {
		if s := g.BySize[n]; s.n > 0 {
			all.n += s.n
			all.Mean += (s.Mean - all.Mean) * float64(s.n) / float64(all.n)
		}
	}
	return all
}

// percent returns the mean of a share.
func (s Spread) percent() string {
	if s.n == 0 {
		return "-"
	}
	return percent(s.Mean)
}

// mostBins is how many bins of nodes fit a line.
const mostBins = 12

func nodeBins(g *Group) []instance.Range {
	low, high := int(g.N.Min), int(g.N.Max)
	width := (high-low)/mostBins + 1
	var bins []instance.Range
	for ; low <= high; low += width {
		bins = append(bins, instance.Range{Min: low, Max: min(low+width-1, high)})
	}
	return bins
}
