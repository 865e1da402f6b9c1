package report

import (
	"math"
	"testing"
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
