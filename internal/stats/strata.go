package stats

import "math"

// CommonDifference returns the difference a - b of two shares of different questions, compared
// within strata: the Mantel-Haenszel risk difference, with the error of Greenland and
// Robins 1985, Estimation of a common effect parameter from sparse follow-up data. A
// stratum with answers of one side alone does not count; without any other it is NaN.
func CommonDifference(strata [][2]Proportion) Estimate {
	var sum, weight, variance float64
	for _, s := range strata {
		a, b := s[0], s[1]
		if a.N == 0 || b.N == 0 {
			continue
		}
		t := a.N + b.N
		sum += (a.Right*b.N - b.Right*a.N) / t
		weight += a.N * b.N / t
		variance += (a.Right*(a.N-a.Right)*b.N*b.N*b.N + b.Right*(b.N-b.Right)*a.N*a.N*a.N) / (a.N * b.N * t * t)
	}
	return Estimate{Value: sum / weight, SE: math.Sqrt(variance) / weight}.Known()
}
