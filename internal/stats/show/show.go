// Package show formats the numbers of package stats: shares in percent, differences in
// percentage points.
package show

import (
	"math"
	"strconv"
	"strings"

	"ein/internal/stats"
)

// None stands for a missing number.
const None = "-"

// Fixed returns a number with so many digits after the point; None when it is not finite.
func Fixed(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Percent returns a share of 1 as a short number with its sign, as in 95 %.
func Percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 4, 64) + " %" }

// Rate returns a share of 1 in percent, with one digit.
func Rate(x float64) string { return Fixed(100*x, 1) }

// Share returns a share and its interval, in percent; twice None for nil.
func Share(s *stats.Share) (rate, interval string) {
	if s == nil {
		return None, None
	}
	return Rate(s.Rate), Rate(s.Interval.Low) + "-" + Rate(s.Interval.High)
}

// Points returns a difference of shares in points, with its sign.
func Points(x float64) string {
	s := Rate(x)
	if x > 0 && s != "0.0" && s != None {
		s = "+" + s
	}
	return s
}

// Span returns an interval of differences in points.
func Span(i stats.Interval) string {
	if math.IsNaN(i.Low) || math.IsNaN(i.High) {
		return None
	}
	return Points(i.Low) + " to " + Points(i.High)
}

// P returns a p value.
func P(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return Fixed(p, 4)
}
