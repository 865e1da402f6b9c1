package stats

import "math"

// TOST is the outcome of two one-sided tests that a difference is nearer to zero
// than a margin (Schuirmann 1987). That a difference is not significant does not
// show that there is none; this does. At level alpha the difference is within the
// margin when its interval of confidence 1 - 2 alpha is.
type TOST struct {
	Margin float64  `json:"margin"`
	Low    float64  `json:"p_low"`    // of the hypothesis that the difference is -margin or less
	High   float64  `json:"p_high"`   // of the hypothesis that it is margin or more
	P      float64  `json:"p"`        // the larger of the two
	CI     Interval `json:"interval"` // of confidence 1 - 2 alpha
}

// EquivalentShares tests the difference a - b of two shares of different
// questions with the score of Farrington and Manning 1990, whose variance is that
// of the likeliest shares that are the margin apart; so it does not take shares of 1 for
// known without error. The interval is that of Newcombe. Where one is of no answers
// p is 1.
func EquivalentShares(a, b Proportion, margin, alpha float64) TOST {
	t := TOST{Margin: margin, Low: 1, High: 1, P: 1, CI: Newcombe(a, b, 1-2*alpha)}
	if a.N == 0 || b.N == 0 {
		return t
	}
	t.Low, t.High = survival(apart(a, b, -margin)), survival(-apart(a, b, margin))
	t.P = max(t.Low, t.High)
	return t
}

// apart returns the score of the hypothesis that a - b is d.
func apart(a, b Proportion, d float64) float64 {
	x, y := constrained(a, b, d)
	v := x*(1-x)/a.N + y*(1-y)/b.N
	return (a.Rate() - b.Rate() - d) / math.Sqrt(v)
}

// constrained returns the likeliest shares whose difference is d: the middle root of
// the cubic of Miettinen and Nurminen 1985.
func constrained(a, b Proportion, d float64) (x, y float64) {
	ratio := b.N / a.N
	p, q := a.Rate(), b.Rate()
	c3 := 1 + ratio
	c2 := -(1 + ratio + p + ratio*q + d*(ratio+2))
	c1 := d*d + d*(2*p+ratio+1) + p + ratio*q
	c0 := -p * d * (1 + d)
	h := c2 / (3 * c3)
	v := h*h*h - c1*c2/(6*c3*c3) + c0/(2*c3)
	u := math.Copysign(math.Sqrt(max(0, h*h-c1/(3*c3))), v)
	w := math.Pi / 3
	if u != 0 {
		w = (math.Pi + math.Acos(max(-1, min(1, v/(u*u*u))))) / 3
	}
	x = 2*u*math.Cos(w) - h
	x = max(max(0, d), min(min(1, 1+d), x)) // rounding
	return x, x - d
}
