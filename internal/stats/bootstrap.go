package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap is how a bootstrap is done. The zero value stands for the defaults.
type Bootstrap struct {
	Seed       uint64
	Resamples  int     // default 10,000; at most MaxResamples
	Confidence float64 // default Confidence
	Percentile bool    // the plain percentile interval, not BCa
}

// The number of resamples.
const (
	DefaultResamples = 10_000
	MaxResamples     = 1_000_000
)

// Ratio is the ratio of two sums over clusters, sum(num)/sum(den), with its
// interval (see Sums). Tokens for each correct answer have the tokens of a cluster in
// num and its correct answers in den; the tokens of A for one of B have those of A and
// of B.
func (b Bootstrap) Ratio(num, den []float64) (value float64, interval Interval, err error) {
	return b.Sums(func(s []float64) float64 { return s[0] / s[1] }, num, den)
}

// Sums is a function of the sums of columns, which have one value for each cluster,
// with a bootstrap interval: the clusters are drawn with replacement, and with each
// its values in all columns, so that pairs stay pairs (Efron and Tibshirani 1993,
// chapters 13 and 14).
//
// The interval is bias-corrected and accelerated, BCa. The value is +Inf, and so may
// be the ends, when the function is; where a sample makes it NaN, as 0/0, it counts
// as not bounded. With fewer than two clusters, or when the value is NaN, the ends
// are NaN.
func (b Bootstrap) Sums(function func(sums []float64) float64, columns ...[]float64) (value float64, interval Interval, err error) {
	resamples, confidence := b.Resamples, b.Confidence
	if resamples == 0 {
		resamples = DefaultResamples
	}
	if confidence == 0 {
		confidence = Confidence
	}
	if resamples < 1 || resamples > MaxResamples {
		return 0, Interval{}, fmt.Errorf("bootstrap: %d resamples, expected 1 to %d", resamples, MaxResamples)
	}
	n := len(columns[0])
	sums := make([]float64, len(columns))
	for i, c := range columns {
		if len(c) != n {
			return 0, Interval{}, fmt.Errorf("bootstrap: column %d has %d values, and the first has %d", i+1, len(c), n)
		}
		sums[i] = total(c)
	}
	value = function(sums)
	if n < 2 || math.IsNaN(value) {
		return value, Interval{math.NaN(), math.NaN()}, nil
	}
	random := rand.New(rand.NewPCG(b.Seed, 0x5eed))
	draws, sample := make([]float64, resamples), make([]float64, len(columns))
	below := 0.0
	for i := range draws {
		clear(sample)
		for range n {
			at := random.IntN(n)
			for j, c := range columns {
				sample[j] += c[at]
			}
		}
		draws[i] = function(sample)
		switch {
		case math.IsNaN(draws[i]):
			draws[i] = math.Inf(1)
		case draws[i] < value:
			below++
		case draws[i] == value:
			below += 0.5
		}
	}
	slices.Sort(draws)
	low, high := (1-confidence)/2, (1+confidence)/2
	if !b.Percentile && !math.IsInf(value, 0) {
		shift := quantile(min(max(below, 0.5), float64(resamples)-0.5) / float64(resamples))
		curve := acceleration(function, sums, columns)
		adjust := func(p float64) float64 {
			z := shift + quantile(p)
			return 1 - survival(shift+z/(1-curve*z))
		}
		low, high = adjust(low), adjust(high)
	}
	return value, Interval{at(draws, low), at(draws, high)}, nil
}

// acceleration is that of BCa, from leaving each cluster out.
func acceleration(function func([]float64) float64, sums []float64, columns [][]float64) float64 {
	left, rest := make([]float64, len(columns[0])), make([]float64, len(columns))
	for i := range left {
		for j, c := range columns {
			rest[j] = sums[j] - c[i]
		}
		left[i] = function(rest)
	}
	m := mean(left)
	if !finite(m) {
		return 0 // one cluster has all there is: nothing to estimate it from
	}
	var square, cube float64
	for _, x := range left {
		d := m - x
		square += d * d
		cube += d * d * d
	}
	if square == 0 {
		return 0
	}
	return cube / (6 * math.Pow(square, 1.5))
}

// at is a quantile of sorted values: the one below which the share p lies.
func at(sorted []float64, p float64) float64 {
	i := int(math.Floor(p * float64(len(sorted))))
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// total sums in an order of its own, so that maps as sources make no difference.
func total(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}
