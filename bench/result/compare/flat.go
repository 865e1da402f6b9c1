package compare

import (
	"math"

	"ein/bench/ask/run"
	"ein/internal/stats"
)

// Flatness is whether accuracy is the same on all levels, within a margin. It is
// when every two levels are; so no correction for the number of tests is needed
// (Berger 1982).
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
}

// LevelPair tests that two levels are apart by less than the margin.
type LevelPair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Difference float64 `json:"difference"` // of the accuracies, a less b
	stats.TOST
}

func flatness(rows []*run.Row, opt *Options) *Flatness {
	f := &Flatness{}
	var groups []stats.Proportion
	var scores []float64
	for i, name := range []string{"L1", "L2", "L3"} {
		var right []float64
		var clusters []structure
		for _, row := range rows {
			if row.Instance.Level == name && usable(row) {
				right = append(right, one(row.Score.Strict))
				clusters = append(clusters, structureOf(row))
			}
		}
		if share := stats.ShareOf(right, clusters, 1-opt.Alpha); share != nil {
			f.Levels = append(f.Levels, Level{name, share})
			groups = append(groups, share.Effective())
			scores = append(scores, float64(i+1))
		}
	}
	if len(groups) < 2 {
		return nil
	}
	for i := range groups {
		for j := i + 1; j < len(groups); j++ {
			t := stats.EquivalentShares(groups[i], groups[j], opt.Margin, opt.Alpha)
			f.Pairs = append(f.Pairs, LevelPair{f.Levels[i].Name, f.Levels[j].Name, groups[i].Rate() - groups[j].Rate(), t})
			f.P = max(f.P, t.P)
			f.Smallest = max(f.Smallest, math.Abs(t.CI.Low), math.Abs(t.CI.High))
		}
	}
	f.Flat = f.P < opt.Alpha
	trend, _, p := stats.Trend(groups, scores)
	f.Trend, f.TrendCI, f.TrendP = trend.Value, trend.Interval(1-opt.Alpha), p
	return f
}
