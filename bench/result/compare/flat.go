package compare

import (
	"math"

	"ein/bench/ask/run"
	"ein/bench/question/instance"
	"ein/bench/question/sensitivity"
	"ein/internal/lists"
	"ein/internal/stats"
)

// Flatness tests whether accuracy is the same on all levels, within a margin. It is if every two
// levels are equivalent; as all pairs must pass, the number of tests needs no correction (Berger
// 1982).
type Flatness struct {
	Levels   []Level        `json:"levels"`
	Pairs    []LevelPair    `json:"pairs"`
	P        float64        `json:"p"` // the largest of the pairs
	Flat     bool           `json:"flat"`
	Trend    float64        `json:"trend"` // for one level, by least squares
	TrendCI  stats.Interval `json:"trend_interval"`
	TrendP   float64        `json:"trend_p"`         // of Cochran and Armitage
	Smallest float64        `json:"smallest_margin"` // for which it would be flat
}

// Level is the strict accuracy on a level.
type Level struct {
	Name string `json:"name"`
	*stats.Share
	// Sensitivity is the mean share of single edits of an edge that change the answer; null
	// where it was not found out.
	Sensitivity *float64 `json:"sensitivity"`
}

// LevelPair tests whether two levels differ by less than the margin.
type LevelPair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Difference float64 `json:"difference"` // of the accuracies, a less b
	stats.TOST
	// Like is the difference among questions of like sensitivity, null where there are none.
	Like         *float64       `json:"like_sensitivity"`
	LikeInterval stats.Interval `json:"like_sensitivity_interval"`
}

// Answer is an answer to a question of known sensitivity.
type Answer[K comparable] struct {
	Right       float64 // 1 or 0
	Cluster     K
	Sensitivity float64
}

// Like estimates how much more often a is right than b among answers of like sensitivity: it
// compares those of each tenth and combines the differences. It also returns how many answers that
// used. A tenth has too few clusters to tell a design effect, so all of a side have the same.
func Like[K comparable](a, b []Answer[K]) (stats.Estimate, int) {
	const tenths = 10
	strata := make([][2]stats.Proportion, tenths)
	var answers [tenths][2]int
	for side, list := range [2][]Answer[K]{a, b} {
		right, clusters := lists.Map(list, func(x Answer[K]) float64 { return x.Right }), lists.Map(list, func(x Answer[K]) K { return x.Cluster })
		share := stats.ShareOf(right, clusters, stats.Confidence)
		for _, x := range list {
			i := min(int(x.Sensitivity*tenths), tenths-1)
			strata[i][side].N += 1 / share.DesignEffect
			strata[i][side].Right += x.Right / share.DesignEffect
			answers[i][side]++
		}
	}
	n := 0
	for _, x := range answers {
		if x[0] > 0 && x[1] > 0 {
			n += x[0] + x[1]
		}
	}
	return stats.CommonDifference(strata), n
}

// MostSensitivities bounds the questions whose sensitivity is computed, at a millisecond or two
// each.
const MostSensitivities = 20_000

// sensitivities returns the sensitivity of each structure in some runs.
func sensitivities(runs ...*run.Run) (map[structure]float64, error) {
	found := map[structure]float64{}
	for _, r := range runs {
		err := r.Instances(func(in *instance.Instance) error {
			of := structure{in.Category, in.StructuralSeed}
			if _, ok := found[of]; ok || len(found) == MostSensitivities {
				return nil
			}
			if s, err := sensitivity.Of(in); err == nil { // else the graph is too large
				found[of] = s.Share
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// flatness calls levels flat if every two of them are equivalent. All must be, so the largest
// p counts, without a correction for several tests.
func flatness(rows []*run.Row, sensitivity map[structure]float64, opt *Options) *Flatness {
	f := &Flatness{}
	var groups []stats.Proportion
	var scores []float64
	var known [][]Answer[structure]
	for i, name := range []string{"L1", "L2", "L3"} {
		var right []float64
		var clusters []structure
		var of []Answer[structure]
		sum := 0.0
		for _, row := range rows {
			if row.Instance.Level != name || !row.Counts() {
				continue
			}
			x, c := stats.One(row.Score.Strict), structureOf(row)
			right, clusters = append(right, x), append(clusters, c)
			if s, ok := sensitivity[c]; ok {
				of, sum = append(of, Answer[structure]{x, c, s}), sum+s
			}
		}
		if share := stats.ShareOf(right, clusters, 1-opt.Alpha); share != nil {
			f.Levels = append(f.Levels, Level{name, share, stats.Number(sum / float64(len(of)))})
			known = append(known, of)
			groups = append(groups, share.Effective())
			scores = append(scores, float64(i+1))
		}
	}
	if len(groups) < 2 {
		return nil
	}
	for i := range groups {
		for j := i + 1; j < len(groups); j++ {
			t := stats.EquivalentShares(groups[i], groups[j], opt.Margin, opt.Alpha) // the answers of two levels are of different questions, so unpaired
			like, _ := Like(known[i], known[j])
			f.Pairs = append(f.Pairs, LevelPair{f.Levels[i].Name, f.Levels[j].Name, groups[i].Rate() - groups[j].Rate(), t, stats.Number(like.Value), like.Interval(1 - opt.Alpha).Within(1)})
			f.P = max(f.P, t.P)
			f.Smallest = max(f.Smallest, math.Abs(t.CI.Low), math.Abs(t.CI.High))
		}
	}
	f.Flat = f.P < opt.Alpha
	trend, _, p := stats.Trend(groups, scores)
	f.Trend, f.TrendCI, f.TrendP = trend.Value, trend.Known().Interval(1-opt.Alpha), p
	return f
}
