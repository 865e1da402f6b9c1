package report

import (
	"slices"
	"testing"

	"ein/bench/judge/verdict"
	"ein/bench/question/answer"
)

// TestOutcomeStyles holds every outcome of the figure apart from the others.
func TestOutcomeStyles(t *testing.T) {
	seen := map[int]answer.Outcome{}
	for _, o := range slices.Concat(answer.Outcomes(), verdict.Outcomes()) {
		if o == answer.InfraError {
			continue
		}
		style := outcomeStyles[o]
		if other, taken := seen[style]; style == 0 || taken && other != o {
			t.Errorf("%s has style %d, as has %q", o, style, other)
		}
		seen[style] = o
	}
}
