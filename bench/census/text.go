package census

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	groups := slices.Concat(r.Categories, r.Levels, []*Group{r.All})
	heading := func(s string) { fmt.Fprintf(&b, "\n%s\n\n", s) }

	b.WriteString("Instances, sizes and redraws\n\n")
	t := table{{"", "", "instances", "nodes", "mean", "density", "mean", "redraws each", "redrawn"}}
	for _, g := range groups {
		redraws, redrawn := fmt.Sprintf("%.2f", g.Redraws), percent(g.Redrawn)
		if g.Unknown > 0 {
			redraws, redrawn = "unknown", "unknown"
		}
		t = append(t, []string{g.Name, g.Level, strconv.Itoa(g.Instances), fmt.Sprintf("%g..%g", g.N.Min, g.N.Max), fmt.Sprintf("%.2f", g.N.Mean),
			fmt.Sprintf("%g..%g", g.Density.Min, g.Density.Max), fmt.Sprintf("%.3f", g.Density.Mean), redraws, redrawn})
	}
	t.write(&b, 2)

	heading("Answers, with nodes as numbers: majority is the share of the most common one")
	t = table{{"", "", "distinct", "majority", "true", "most common"}}
	for _, g := range groups {
		distinct, share := "", ""
		if g.Distinct > 0 {
			distinct = strconv.Itoa(g.Distinct)
		}
		if g.True != nil {
			share = percent(*g.True)
		}
		var top []string
		for _, a := range g.Top[:min(3, len(g.Top))] {
			top = append(top, a.Text+" ("+percent(a.Share)+")")
		}
		t = append(t, []string{g.Name, g.Result, distinct, percent(g.Majority), share, strings.Join(top, "  ")})
	}
	t.write(&b, 2)

	heading("Mean lengths in characters, and in tokens (" + r.TokenEstimate + ")")
	t = table{{"", "", "question", "tokens", "Ein", "tokens", "Python", "tokens"}}
	for _, g := range groups {
		row := []string{g.Name, g.Level}
		for _, l := range []*Length{&g.Question, &g.Ein, &g.Python} {
			row = append(row, fmt.Sprintf("%.0f", l.Characters.Mean), fmt.Sprintf("%.0f", l.Tokens.Mean))
		}
		t = append(t, row)
	}
	t.write(&b, 2)

	heading("Number of nodes")
	bins := nodeBins(r.All)
	t = table{{""}}
	for _, bin := range bins {
		t[0] = append(t[0], bin.name())
	}
	for _, g := range slices.Concat(r.Levels, []*Group{r.All}) {
		row := []string{g.Name}
		for _, bin := range bins {
			row = append(row, strconv.Itoa(bin.count(g)))
		}
		t = append(t, row)
	}
	t.write(&b, 1)

	heading("Density, by the lower end of each bin")
	names := slices.Sorted(maps.Keys(r.All.Densities))
	t = table{append([]string{""}, names...)}
	for _, g := range slices.Concat(r.Levels, []*Group{r.All}) {
		row := []string{g.Name}
		for _, name := range names {
			row = append(row, strconv.Itoa(g.Densities[name]))
		}
		t = append(t, row)
	}
	t.write(&b, 1)
	if r.All.Unknown > 0 {
		fmt.Fprintf(&b, "\nRedraws are recomputed from the ids; %d of them are of another generator version.\n", r.All.Unknown)
	}
	return b.String()
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// bin is a range of numbers of nodes.
type bin struct{ low, high int }

func (b bin) name() string {
	if b.low == b.high {
		return strconv.Itoa(b.low)
	}
	return fmt.Sprintf("%d..%d", b.low, b.high)
}

func (b bin) count(g *Group) int {
	sum := 0
	for n := b.low; n <= b.high; n++ {
		sum += g.NCounts[n]
	}
	return sum
}

// mostBins is how many bins of nodes fit a line.
const mostBins = 12

func nodeBins(g *Group) []bin {
	low, high := int(g.N.Min), int(g.N.Max)
	width := (high-low)/mostBins + 1
	var bins []bin
	for ; low <= high; low += width {
		bins = append(bins, bin{low, min(low+width-1, high)})
	}
	return bins
}

// table is cells by row, the first being the heading.
type table [][]string

// write aligns the columns, the first few to the left and so the last one when
// its cells are texts of many words.
func (t table) write(b *strings.Builder, left int) {
	width := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, row := range t {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-len(cell))
			if i < left || t[0][i] == "most common" {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
