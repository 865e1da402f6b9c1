package stats

import "math"

// Proportion is how many of N are right. The counts need not be whole: those of
// clustered answers are divided by their design effect (see Effective).
type Proportion struct{ Right, N float64 }

// Count returns a proportion of whole numbers.
func Count(right, n int) Proportion { return Proportion{float64(right), float64(n)} }

// Rate returns the share; NaN of none.
func (p Proportion) Rate() float64 { return p.Right / p.N }

// Effective returns the proportion that clustered answers are worth: both counts are
// divided by the design effect (Rao and Scott 1992, A simple method for the
// analysis of clustered binary data).
func (p Proportion) Effective(designEffect float64) Proportion {
	return Proportion{p.Right / designEffect, p.N / designEffect}
}

// Wilson returns the score interval of a share (Wilson 1927). It is right for some
// dozens of answers and at 0 and 1, where the normal interval is not. Without any
// answers it is from 0 to 1.
func (p Proportion) Wilson(confidence float64) Interval {
	if p.N == 0 {
		return Interval{0, 1}
	}
	z := quantile((1 + confidence) / 2)
	share := p.Rate()
	middle := (share + z*z/(2*p.N)) / (1 + z*z/p.N)
	half := z / (1 + z*z/p.N) * math.Sqrt(share*(1-share)/p.N+z*z/(4*p.N*p.N))
	// Rounding must not move the ends away from 0 and 1.
	i := Interval{max(0, middle-half), min(1, middle+half)}
	if p.Right == 0 {
		i.Low = 0
	}
	if p.Right == p.N {
		i.High = 1
	}
	return i
}

// Wilson returns the score interval of right answers out of n.
func Wilson(right, n int, confidence float64) Interval { return Count(right, n).Wilson(confidence) }

// Newcombe returns the interval of the difference a - b of two shares of different
// questions, made of their Wilson intervals: the hybrid score interval, method 10 of
// Newcombe 1998, Interval estimation for the difference between independent
// proportions. Where one is of no answers it is from -1 to 1.
func Newcombe(a, b Proportion, confidence float64) Interval {
	if a.N == 0 || b.N == 0 {
		return Interval{-1, 1}
	}
	x, y := a.Wilson(confidence), b.Wilson(confidence)
	d := a.Rate() - b.Rate()
	return Interval{
		d - math.Hypot(a.Rate()-x.Low, y.High-b.Rate()),
		d + math.Hypot(x.High-a.Rate(), b.Rate()-y.Low),
	}
}

// ZTest is the test of equal shares of different questions, with the pooled
// variance and without a correction for continuity: z squared is the chi-squared
// of the table. Shares that are both 0 or both 1 do not differ.
func ZTest(a, b Proportion) (z, p float64) {
	pooled := (a.Right + b.Right) / (a.N + b.N)
	se := math.Sqrt(pooled * (1 - pooled) * (1/a.N + 1/b.N))
	if se == 0 {
		return 0, 1
	}
	z = (a.Rate() - b.Rate()) / se
	return z, twoSided(z)
}

// Trend is the test of Cochran and Armitage for a linear trend of shares over
// groups with the given scores, and the least squares slope, which is the change
// of the share for one step of the score. The error of the slope is that without
// the hypothesis, from the variance within each group.
func Trend(groups []Proportion, scores []float64) (slope Estimate, z, p float64) {
	var n, right, mean float64
	for i, g := range groups {
		n += g.N
		right += g.Right
		mean += g.N * scores[i]
	}
	mean /= n
	share := right / n
	var sxy, sxx, v float64
	for i, g := range groups {
		d := scores[i] - mean
		sxy += d * (g.Right - g.N*share)
		sxx += g.N * d * d
		if g.N > 0 {
			v += d * d * g.N * g.Rate() * (1 - g.Rate())
		}
	}
	slope = Estimate{Value: sxy / sxx, SE: math.Sqrt(v) / sxx}
	if share == 0 || share == 1 {
		return slope, 0, 1
	}
	z = sxy / math.Sqrt(share*(1-share)*sxx)
	return slope, z, twoSided(z)
}

// PriceBonett returns the error of a weighted sum of shares of different questions, from
// counts to which 4 answers, half of them right, are added in all (Price and
// Bonett 2004, An improved confidence interval for a linear function of binomial
// proportions). It is not zero for shares of 0 and 1. The value is that of the
// counts with the added ones, which is the centre of the interval.
func PriceBonett(weights []float64, shares []Proportion) Estimate {
	var e Estimate
	var v float64
	m := float64(len(shares))
	for i, s := range shares {
		p := Proportion{s.Right + 2/m, s.N + 4/m}
		e.Value += weights[i] * p.Rate()
		v += weights[i] * weights[i] * p.Rate() * (1 - p.Rate()) / p.N
	}
	e.SE = math.Sqrt(v)
	return e
}
