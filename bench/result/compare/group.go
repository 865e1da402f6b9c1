package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ein/bench/ask/run"
	"ein/bench/question/answer"
	"ein/bench/question/category"
	"ein/internal/lists"
	"ein/internal/stats"
)

// scoring compares the pairs, those of each level and those of each category.
func scoring(pairs []pairOf, mode answer.Mode, opt *Options) Scoring {
	s := Scoring{All: &Group{Name: "all"}, Levels: []*Group{}, Categories: []*Group{}}
	levels, categories := map[string]*Group{}, map[string]*Group{}
	for i := range category.Table {
		c := &category.Table[i]
		level := fmt.Sprintf("L%d", c.Level)
		if levels[level] == nil {
			levels[level] = &Group{Name: level}
			s.Levels = append(s.Levels, levels[level])
		}
		categories[c.Name] = &Group{Name: c.Name, Level: level}
		s.Categories = append(s.Categories, categories[c.Name])
	}
	for _, p := range pairs {
		a, b := p.a.Score.In(mode), p.b.Score.In(mode)
		for _, g := range []*Group{s.All, levels[p.a.Instance.Level], categories[p.a.Instance.Category]} {
			if g != nil { // a category of other instances
				g.add(a, b, structureOf(p.a))
			}
		}
	}
	s.All.finish(opt)
	adjust([]*Group{s.All})
	s.Levels, s.Categories = finish(s.Levels, opt), finish(s.Categories, opt)
	return s
}

// add takes in a pair of a structure.
func (g *Group) add(a, b bool, of structure) {
	g.Pairs.Add(a, b)
	g.a, g.b = append(g.a, stats.One(a)), append(g.b, stats.One(b))
	g.differences = append(g.differences, stats.One(a)-stats.One(b))
	g.cluster = append(g.cluster, of)
}

// finish computes a family of groups, without those that have no pairs.
func finish(groups []*Group, opt *Options) []*Group {
	out := []*Group{}
	for _, g := range groups {
		if g.Pairs.N() > 0 {
			g.finish(opt)
			out = append(out, g)
		}
	}
	adjust(out)
	return out
}

// adjust sets the p values of groups that are tested together: by Holm, and by Benjamini and
// Hochberg.
func adjust(groups []*Group) {
	p := lists.Map(groups, func(g *Group) float64 { return g.P })
	holm, bh := stats.Holm(p), stats.BenjaminiHochberg(p)
	for i, g := range groups {
		g.Holm, g.BenjaminiHochberg = holm[i], bh[i]
	}
}

// finish computes the tests of a group. It uses McNemar's test if each structure has one pair;
// otherwise pairs are not independent, and it flips the signs of whole structures.
func (g *Group) finish(opt *Options) {
	confidence := 1 - opt.Alpha
	sums := map[structure]int{}
	for i, d := range g.differences {
		sums[g.cluster[i]] += int(d)
	}
	each := slices.Collect(maps.Values(sums))
	g.Clusters = len(sums)
	g.DesignEffect = stats.DesignEffect(g.differences, g.cluster)
	g.A, g.B = stats.ShareOf(g.a, g.cluster, confidence), stats.ShareOf(g.b, g.cluster, confidence)

	g.Difference = g.Pairs.Difference()
	g.Interval = g.Pairs.ClusteredTango(confidence, g.DesignEffect)
	e := stats.Clustered(g.differences, g.cluster).Known()
	g.ClusterSE, g.ClusterInterval = stats.Number(e.SE), e.Interval(confidence).Within(1)
	if g.Clusters == g.Pairs.N() {
		g.P = g.Pairs.McNemarMidP()
	} else {
		_, g.P = stats.SignFlip(each)
	}
	g.McNemarMidP, g.McNemarExact = g.Pairs.McNemarMidP(), g.Pairs.McNemarExact()

	a, b := g.A.Effective(), g.B.Effective()
	g.UnpairedZ, g.UnpairedP = stats.ZTest(a, b)
	g.UnpairedInterval = stats.Newcombe(a, b, confidence)

	g.power(opt)
}

// power computes which differences the design can find. It takes the observed share of discordant
// pairs with one more on either side, so that a handful of pairs that all agree does not count as
// certainty (Bonett and Price 2012).
func (g *Group) power(opt *Options) {
	n := float64(g.Pairs.N())
	discordant := (float64(g.Pairs.Discordant()) + 2) / (n + 2)
	g.MinimumEffect = stats.Number(stats.PairedMinimumEffect(n/g.DesignEffect, discordant, opt.Alpha, stats.Power))
	needed := func(difference float64) *float64 {
		if difference == 0 {
			return nil
		}
		return stats.Number(math.Ceil(g.DesignEffect * stats.PairedNeeded(difference, max(discordant, math.Abs(difference)), opt.Alpha, stats.Power)))
	}
	g.NeededObserved, g.NeededMargin = needed(g.Difference), needed(opt.Margin)
	if g.Difference != 0 {
		g.NeededUnpaired = stats.Number(stats.UnpairedNeeded(g.A, g.B, opt.Alpha, stats.Power))
	}
}

// variance divides the variance of the strict differences between structures, wordings and samples.
// It is nil if there is one of each.
func variance(pairs []pairOf) *stats.Components {
	var values []float64
	var structures []structure
	var surfaces []uint64
	for _, p := range pairs {
		values = append(values, stats.One(p.a.Score.Strict)-stats.One(p.b.Score.Strict))
		structures, surfaces = append(structures, structureOf(p.a)), append(surfaces, p.a.Surface())
	}
	if c := stats.Nested(values, structures, surfaces); c.Surfaces || c.Answers {
		return &c
	}
	return nil
}

// spent compares what the answers cost.
func spent(pairs []pairOf, of func(run.Spent) float64, opt *Options) *Spent {
	// The jackknife behind the intervals leaves out one structure at a time, so a structure has its
	// sums on both sides at the same place of every column.
	s := &Spent{}
	at := map[structure]int{}
	var a, b, rightA, rightB []float64 // by cluster, in order of appearance
	for _, p := range pairs {
		if !p.a.Spent().Counted || !p.b.Spent().Counted {
			continue
		}
		s.Pairs++
		x, y := of(p.a.Spent()), of(p.b.Spent())
		k := structureOf(p.a)
		i, ok := at[k]
		if !ok {
			i = len(a)
			at[k] = i
			a, b, rightA, rightB = append(a, 0), append(b, 0), append(rightA, 0), append(rightB, 0)
		}
		s.A += x
		s.B += y
		a[i] += x
		b[i] += y
		rightA[i] += stats.One(p.a.Score.Strict)
		rightB[i] += stats.One(p.b.Score.Strict)
	}
	sums := func(of func([]float64) float64, columns ...[]float64) Ratio {
		value, interval := stats.Sums(of, 1-opt.Alpha, columns...)
		return Ratio{stats.Number(value), interval}
	}
	ratio := func(s []float64) float64 { return s[0] / s[1] }
	s.Ratio, s.PerRightA, s.PerRightB = sums(ratio, a, b), sums(ratio, a, rightA), sums(ratio, b, rightB)
	s.PerRightRatio = sums(func(s []float64) float64 {
		if s[3] == 0 {
			return math.NaN() // not 0, as a number over one without bounds is
		}
		return s[0] / s[1] / (s[2] / s[3])
	}, a, rightA, b, rightB)
	return s
}
