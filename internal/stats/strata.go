package stats

import "math"

// CommonDifference returns the difference a - b of two shares of different questions, compared
// within strata: the Mantel-Haenszel risk difference, with the error of Sato, Greenland and Robins
// 1989, On the variance estimator for the Mantel-Haenszel risk difference, which is right for many
// strata of few answers too. A stratum with answers of one side alone does not count; without any
// other it is NaN.
func CommonDifference(strata [][2]Proportion) Estimate {
	var sum, weight, slope, rest float64 // the variance is linear in the difference
	for _, s := range strata {
		a, b := s[0], s[1]
		if a.N == 0 || b.N == 0 {
			continue
		}
		t := a.N + b.N
		sum += (a.Right*b.N - b.Right*a.N) / t
		weight += a.N * b.N / t
		slope += (b.Right*a.N*a.N - a.Right*b.N*b.N + a.N*b.N*(b.N-a.N)/2) / (t * t)
		rest += (a.Right*(b.N-b.Right) + b.Right*(a.N-a.Right)) / (2 * t)
	}
	d := sum / weight
	return Estimate{Value: d, SE: math.Sqrt(d*slope+rest) / weight}.Known()
}
