package stats

import "math"

// Power is the usual power of a design.
const Power = 0.8

// MinimumEffect returns the smallest difference that a two-sided test at level alpha
// finds with the given power, when the difference has the standard error se
// (Miller 2024, arXiv 2411.00640, section 5; Bloom 1995).
func MinimumEffect(se, alpha, power float64) float64 {
	return (quantile(1-alpha/2) + quantile(power)) * se
}

// PairedMinimumEffect is MinimumEffect for n pairs, or as many as they are worth, of
// which the share discordant is expected to be right on one side only. A
// difference above discordant makes more pairs discordant: then all of them are on
// one side. +Inf says that n pairs find nothing at all.
func PairedMinimumEffect(n, discordant, alpha, power float64) float64 {
	d := MinimumEffect(math.Sqrt(discordant/n), alpha, power)
	if d > discordant {
		d = MinimumEffect(1, alpha, power) * MinimumEffect(1, alpha, power) / n
	}
	if d > 1 || n < fewest(alpha) {
		return math.Inf(1)
	}
	return d
}

// PairedNeeded returns how many pairs are needed to find a difference (Connor 1987,
// Sample size for testing differences in proportions for the paired-sample
// design), +Inf for none. A difference above discordant is impossible: NaN.
func PairedNeeded(difference, discordant, alpha, power float64) float64 {
	d := math.Abs(difference)
	if d > discordant {
		return math.NaN()
	}
	s := quantile(1-alpha/2)*math.Sqrt(discordant) + quantile(power)*math.Sqrt(discordant-d*d)
	return math.Ceil(max(s*s/(d*d), fewest(alpha)))
}

// fewest returns how many discordant pairs, all on one side, make the mid-p of McNemar's test as low
// as alpha: with fewer the test finds nothing.
func fewest(alpha float64) float64 { return -math.Log2(alpha) }

// UnpairedNeeded returns how many answers each of two sets needs to find that the shares a and b
// differ, with the unpooled variance and the same design effects; +Inf when they do not.
func UnpairedNeeded(a, b *Share, alpha, power float64) float64 {
	z := quantile(1-alpha/2) + quantile(power)
	d := a.Rate - b.Rate
	return max(1, math.Ceil(z*z*(a.Rate*(1-a.Rate)*a.DesignEffect+b.Rate*(1-b.Rate)*b.DesignEffect)/(d*d)))
}
