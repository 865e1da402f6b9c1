// Package stats computes the statistics of evaluations. An answer is 1 if it is right and 0 if
// not; what comes out is a number with an error ([Estimate]), an [Interval], or a p value.
//
// [Proportion] is right answers of so many: intervals and tests of one share, or of two of
// different questions. [Paired] compares two models by the questions that both were asked.
// Answers that belong together, such as those to one graph in three encodings or to one question
// asked five times, form a cluster and carry less information than as many independent ones:
// [Clustered], [Contrast], [Stratified] and [Ratio] give errors for clusters, and [DesignEffect]
// turns clustered answers into fewer independent ones, for [Share] and the intervals of pairs.
// [Holm] and [BenjaminiHochberg] correct for many tests, [EquivalentShares] tests that shares are
// alike, and the functions of power.go say which differences an evaluation can find.
//
// Shares are from 0 to 1, confidence is such as 0.95. What cannot be known, such as the error of
// one cluster, is NaN. All functions are pure; which answers are a cluster or a family of tests,
// the caller decides.
package stats

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the usual confidence of an interval.
const Confidence = 0.95

// Interval is a confidence interval. An end that is not known or not bounded is
// NaN or infinite, and null in JSON.
type Interval struct{ Low, High float64 }

// MarshalJSON returns an object with low and high.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}{Number(i.Low), Number(i.High)})
}

// Number returns x for JSON, or nil if it is not a number.
func Number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Within returns the part of the interval from -most to most.
func (i Interval) Within(most float64) Interval {
	return Interval{max(-most, i.Low), min(most, i.High)}
}

// One is 1 for what is right, and 0 for what is not.
func One(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// Estimate is a number with its standard error.
type Estimate struct {
	Value float64
	SE    float64 // NaN when the data do not tell
	DF    int     // degrees of freedom of SE; 0 for a normal distribution
}

// Known returns the estimate, without an error where that is 0, or what rounding leaves of 0: answers
// of which all are alike do not tell it.
func (e Estimate) Known() Estimate {
	if !(e.SE > 1e-12) {
		e.SE = math.NaN()
	}
	return e
}

// Interval returns the interval of Student's t, or of the normal distribution.
func (e Estimate) Interval(confidence float64) Interval {
	half := e.quantile((1+confidence)/2) * e.SE
	return Interval{e.Value - half, e.Value + half}
}

// P returns the two-sided p value of the hypothesis that the value is zero. A value
// without error is zero or is not.
func (e Estimate) P() float64 {
	if e.SE == 0 {
		if e.Value == 0 {
			return 1
		}
		return 0
	}
	return min(1, 2*e.survival(math.Abs(e.Value)/e.SE))
}

// quantile and survival are those of Student's distribution where the estimate has degrees of
// freedom, and else of the normal one.
func (e Estimate) quantile(p float64) float64 {
	if e.DF > 0 {
		return distuv.StudentsT{Sigma: 1, Nu: float64(e.DF)}.Quantile(p)
	}
	return quantile(p)
}

func (e Estimate) survival(t float64) float64 {
	if e.DF > 0 && !math.IsNaN(t) {
		return distuv.StudentsT{Sigma: 1, Nu: float64(e.DF)}.Survival(t)
	}
	return survival(t)
}

// quantile and survival are those of the normal distribution.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
func survival(z float64) float64 { return 0.5 * math.Erfc(z/math.Sqrt2) }

// twoSided returns the p value of a normal statistic.
func twoSided(z float64) float64 { return min(1, math.Erfc(math.Abs(z)/math.Sqrt2)) }
