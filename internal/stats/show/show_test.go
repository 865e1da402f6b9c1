package show

import (
	"math"
	"testing"

	"ein/internal/stats"
)

func TestNumbers(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct{ got, want string }{
		{Fixed(-0.04, 1), "0.0"}, {Fixed(-0.06, 1), "-0.1"}, {Fixed(inf, 1), "-"}, {Fixed(nan, 0), "-"}, {Fixed(2.5, 2), "2.50"}, {Fixed(-100, 0), "-100"},
		{Percent(0.95), "95 %"}, {Percent(0.999), "99.9 %"}, {Percent(1 - 0.05), "95 %"},
		{Points(0.0004), "0.0"}, {Points(-0.0004), "0.0"}, {Points(0.25), "+25.0"}, {Points(-0.25), "-25.0"}, {Points(inf), "-"},
		{Span(stats.Interval{Low: -0.1, High: 0.2}), "-10.0 to +20.0"}, {Span(stats.Interval{Low: nan, High: nan}), "-"},
		{P(0.00009), "<0.0001"}, {P(0.0001), "0.0001"}, {P(1), "1.0000"}, {P(nan), "-"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	if rate, interval := Share(nil); rate != None || interval != None {
		t.Errorf("%s, %s", rate, interval)
	}
	if rate, interval := Share(stats.ShareOf([]float64{1, 1, 0}, []int{1, 2, 3}, 0.95)); rate != "66.7" || interval != "20.8-93.9" {
		t.Errorf("%s, %s", rate, interval)
	}
}
