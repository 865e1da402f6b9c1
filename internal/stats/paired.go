package stats

import "math"

// Paired is the answers of two models to the same questions.
type Paired struct {
	Both    int `json:"both"` // right
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Add counts a pair.
func (t *Paired) Add(a, b bool) {
	switch {
	case a && b:
		t.Both++
	case a:
		t.OnlyA++
	case b:
		t.OnlyB++
	default:
		t.Neither++
	}
}

// N returns the number of pairs.
func (t Paired) N() int { return t.Both + t.OnlyA + t.OnlyB + t.Neither }

// Discordant returns the number of pairs of which one is right.
func (t Paired) Discordant() int { return t.OnlyA + t.OnlyB }

// Difference returns the share of A less that of B; NaN of no pairs.
func (t Paired) Difference() float64 { return float64(t.OnlyA-t.OnlyB) / float64(t.N()) }

// Tango returns the score interval of the difference of pairs on their own: that of
// ClusteredTango with a design effect of 1.
func (t Paired) Tango(confidence float64) Interval { return t.ClusteredTango(confidence, 1) }

// ClusteredTango returns the score interval of the difference (Tango 1998, Equivalence test and
// confidence interval for the difference in proportions for the paired-sample
// design). It is the differences that the score test does not reject, is right
// with few discordant pairs, and never leaves -1 to 1. Of no pairs it is all of that.
// The counts are divided by the design effect of the differences.
func (t Paired) ClusteredTango(confidence, designEffect float64) Interval {
	if t.N() == 0 {
		return Interval{-1, 1}
	}
	z := quantile((1 + confidence) / 2)
	d := t.Difference()
	// The statistic falls with the difference; it is 0 at d. Dividing all counts by a
	// number divides it by the root.
	within := func(d float64) bool { return math.Abs(t.score(d)) <= z*math.Sqrt(designEffect) }
	find := func(inside, outside float64) float64 {
		if within(outside) {
			return outside
		}
		for range 100 {
			middle := (inside + outside) / 2
			if within(middle) {
				inside = middle
			} else {
				outside = middle
			}
		}
		return (inside + outside) / 2
	}
	return Interval{find(d, -1), find(d, 1)}
}

// score returns the statistic of Tango for the hypothesis that the difference is d:
// normal, with the variance at the likeliest shares that have this difference.
func (t Paired) score(d float64) float64 {
	n, b, c := float64(t.N()), float64(t.OnlyA), float64(t.OnlyB)
	top := b - c - n*d
	if top == 0 {
		return 0
	}
	// The share of "only B" solves 2n q^2 + linear q + constant = 0.
	linear := -b - c + (2*n-b+c)*d
	constant := -c * d * (1 - d)
	q := (math.Sqrt(max(0, linear*linear-8*n*constant)) - linear) / (4 * n)
	return top / math.Sqrt(max(0, n*(2*q+d*(1-d))))
}

// McNemarExact returns the two-sided p value of the exact conditional test that the
// two are right equally often: a sign test of the discordant pairs. It is
// conservative; McNemarMidP is to be preferred.
func (t Paired) McNemarExact() float64 {
	p, _ := t.mcnemar()
	return p
}

// McNemarMidP returns the mid-p form of McNemar's test: half of the probability of
// what was observed counts. Its error of the first kind is nearer to the level than
// that of the exact test, and almost never above it (Fagerland, Lydersen and Laake
// 2013, The McNemar test for binary matched-pairs data). Without discordant pairs
// it is 1.
func (t Paired) McNemarMidP() float64 {
	if t.Discordant() == 0 {
		return 1 // and not the half that the formula has
	}
	p, point := t.mcnemar()
	return p - point
}

// exactFlips bounds the steps of SignFlip.
const exactFlips = 1 << 29

// SignFlip tests clusters of pairs: differences has, for each cluster, how many
// more answers of A are right than of B. When the two are equally good, the
// difference of a cluster is as likely to have the other sign, so the p values are
// counted over all ways to give signs. With one pair in each cluster they are those of
// McNemarExact and McNemarMidP. The time is the number of clusters that differ times the
// sum of their differences; where that is more than a second or so, the sum is taken to be
// normal.
func SignFlip(differences []int) (exact, midP float64) {
	seen, most := 0, 0
	for _, d := range differences {
		seen += d
		most += max(d, -d)
	}
	if most == 0 {
		return 1, 1
	}
	if most > exactFlips/len(differences) {
		// So many that the sum is normal.
		var square float64
		for _, d := range differences {
			square += float64(d) * float64(d)
		}
		p := twoSided(float64(seen) / math.Sqrt(square))
		return p, p
	}
	// at[s+most] is the probability of the sum s.
	at, next := make([]float64, 2*most+1), make([]float64, 2*most+1)
	at[most] = 1
	reach := 0
	for _, d := range differences {
		d = max(d, -d)
		if d == 0 {
			continue
		}
		reach += d
		for s := most - reach; s <= most+reach; s++ {
			p := 0.0
			if s >= d {
				p += at[s-d]
			}
			if s+d < len(at) {
				p += at[s+d]
			}
			next[s] = p / 2
		}
		at, next = next, at
	}
	seen = max(seen, -seen)
	for s := seen; s <= most; s++ {
		p := at[most+s]
		if s > 0 {
			p += at[most-s]
		}
		exact += p
		if s == seen {
			midP -= p / 2
		}
	}
	exact = min(1, exact)
	return exact, exact + midP
}

// mcnemar returns the exact p value, and the probability of what was observed.
func (t Paired) mcnemar() (p, point float64) {
	n, k := t.Discordant(), min(t.OnlyA, t.OnlyB)
	point = binomialHalf(n, k)
	if t.OnlyA == t.OnlyB {
		return 1, point / 2 // the two tails share the middle, and the mid-p is 1 less half of it
	}
	for i := range k + 1 {
		p += 2 * binomialHalf(n, i)
	}
	return min(1, p), point
}

// binomialHalf returns the probability of k heads in n throws.
func binomialHalf(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
}
