package report

import (
	"math"
	"testing"

	"ein/internal/stats"
)

// TestSamples: pass@k is without bias, and the majority is of those that answer, by chance
// among equals.
func TestSamples(t *testing.T) {
	const tiny = 1e-12
	s := &samples{n: 4, right: 1, votes: map[uint64]int{1: 1, 2: 1, 3: 1}, winners: map[uint64]bool{1: true}}
	for k, want := range []float64{0, 0.25, 0.5, 0.75, 1} {
		if got := s.passes(k); math.Abs(got-want) > tiny {
			t.Errorf("pass@%d of one right in four is %v, want %v", k, got, want)
		}
	}
	for _, test := range []struct {
		votes map[uint64]int
		want  float64
	}{{s.votes, 1.0 / 3}, {map[uint64]int{1: 2, 2: 1}, 1}, {map[uint64]int{1: 1, 2: 2}, 0}, {nil, 0}} {
		if got := (&samples{votes: test.votes, winners: s.winners}).majority(); math.Abs(got-test.want) > tiny {
			t.Errorf("the majority of %v is right with chance %v, want %v", test.votes, got, test.want)
		}
	}
}

// TestPassInterval: pass@1 is the accuracy, so it has the interval of that.
func TestPassInterval(t *testing.T) {
	for _, right := range [][]int{{0, 4, 4, 1, 3, 2}, {2}, {4}} {
		var list []*samples
		var values []float64
		var clusters []uint64
		for q := range 240 {
			s := &samples{cluster: uint64(q / 2), n: 4, right: right[q%len(right)]}
			list = append(list, s)
			for i := range s.n {
				values, clusters = append(values, stats.One(i < s.right)), append(clusters, s.cluster)
			}
		}
		got, want := mean(list, func(s *samples) float64 { return s.passes(1) }), stats.ShareOf(values, clusters, stats.Confidence)
		for _, x := range [][2]float64{{got.V, 100 * want.Rate}, {got.Low, 100 * want.Interval.Low}, {got.High, 100 * want.Interval.High}} {
			if math.Abs(x[0]-x[1]) > 0.05 {
				t.Errorf("%v right: %v, %+v", right, got, want)
			}
		}
	}
}
